//! What goes wrong, and at which call.

use std::collections::BTreeMap;

use lorefork::tavern::place::ChatRef;

/// What a call can do to the folder: decides which faults make sense for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    Read,
    Write,
    /// A write that must not meet an existing file.
    Create,
}

/// One call of the host, as it happened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Call {
    /// Counted from 1.
    pub n: usize,
    pub name: &'static str,
    /// Relative to the user folder; empty where there is no one file.
    pub file: String,
    pub reach: Reach,
}

/// Something that goes wrong at a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fault {
    /// The host says no, and nothing happened.
    Refuse,
    /// A write ends as unknown: it happened, or it did not. A read just fails.
    LoseAnswer { happened: bool },
    /// The program ends here. The call's own write was done or not.
    Crash { happened: bool },
    /// After the call the user opens another chat.
    SwitchChat,
    /// After the call another tab adds an entry to this lorebook.
    ChangeLorebook { name: String },
    /// After the call another tab adds a message to this chat.
    ChangeChat { chat: ChatRef },
    /// Before the call another tab creates the very file this call is about to create.
    TakeName,
}

impl Fault {
    /// All faults, for a fork of `chat` with its lorebook.
    pub fn menu(chat: &ChatRef, lorebook: Option<&str>) -> Vec<Self> {
        let mut menu = vec![
            Self::Refuse,
            Self::LoseAnswer { happened: false },
            Self::LoseAnswer { happened: true },
            Self::Crash { happened: false },
            Self::Crash { happened: true },
            Self::SwitchChat,
            Self::ChangeChat { chat: chat.clone() },
            Self::TakeName,
        ];
        menu.extend(lorebook.map(|name| Self::ChangeLorebook { name: name.to_owned() }));
        menu
    }

    /// Whether this fault at such a call differs from the others: a read that crashes is the same
    /// whether it happened or not, and only creation can find its name taken.
    fn fits(&self, reach: Reach) -> bool {
        match self {
            Self::LoseAnswer { .. } | Self::Crash { happened: false } => reach != Reach::Read,
            Self::TakeName => reach == Reach::Create,
            _ => true,
        }
    }
}

/// Which faults strike at which calls.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Script {
    faults: BTreeMap<usize, Vec<Fault>>,
}

impl Script {
    /// Nothing goes wrong.
    pub fn calm() -> Self {
        Self::default()
    }

    /// Adds a fault at call `n`, counted from 1.
    #[must_use]
    pub fn at(mut self, n: usize, fault: Fault) -> Self {
        self.faults.entry(n).or_default().push(fault);
        self
    }

    /// One script for every call of a calm run and every fault that makes sense there.
    pub fn one_by_one(trace: &[Call], menu: &[Fault]) -> Vec<Self> {
        let pairs = trace.iter().flat_map(|call| menu.iter().map(move |fault| (call, fault)));
        pairs
            .filter(|(call, fault)| fault.fits(call.reach))
            .map(|(call, fault)| Self::calm().at(call.n, fault.clone()))
            .collect()
    }

    /// `count` faults of `menu` at random among the first `calls` calls. The same seed gives the
    /// same script; a failing seed is a bug report.
    pub fn random(seed: u64, calls: usize, count: usize, menu: &[Fault]) -> Self {
        let mut dice = Dice(seed);
        let mut script = Self::calm();
        for _ in 0..count {
            let n = dice.below(calls) + 1;
            if let Some(fault) = menu.get(dice.below(menu.len())) {
                script = script.at(n, fault.clone());
            }
        }
        script
    }

    pub(crate) fn faults(&self, n: usize) -> &[Fault] {
        self.faults.get(&n).map_or(&[], Vec::as_slice)
    }
}

/// SplitMix64: few lines, no dependency, the same on every machine.
struct Dice(u64);

impl Dice {
    fn roll(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, limit: usize) -> usize {
        let limit = limit.max(1) as u64;
        usize::try_from(self.roll() % limit).unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use lorefork::tavern::place::Owner;

    use super::*;

    fn call(n: usize, reach: Reach) -> Call {
        Call { n, name: "call", file: String::new(), reach }
    }

    #[test]
    fn one_by_one_covers_every_call_with_what_makes_sense() {
        let chat = ChatRef::new(Owner::Character("Mira".into()), "a");
        let menu = Fault::menu(&chat, Some("Lore"));
        let trace = [call(1, Reach::Read), call(2, Reach::Write), call(3, Reach::Create)];
        let scripts = Script::one_by_one(&trace, &menu);
        let at = |n| scripts.iter().filter(|script| !script.faults(n).is_empty()).count();
        assert_eq!((at(1), at(2), at(3)), (5, 8, 9));
    }

    #[test]
    fn the_same_seed_is_the_same_script() {
        let menu = [Fault::Refuse, Fault::SwitchChat, Fault::Crash { happened: true }];
        assert_eq!(Script::random(7, 50, 3, &menu), Script::random(7, 50, 3, &menu));
        assert_ne!(Script::random(7, 50, 3, &menu), Script::random(8, 50, 3, &menu));
        let struck: usize = (1..=50).map(|n| Script::random(9, 50, 4, &menu).faults(n).len()).sum();
        assert_eq!(struck, 4);
    }
}
