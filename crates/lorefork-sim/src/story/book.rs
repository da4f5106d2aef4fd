//! The lorebook and how it came to be: entries come and go from scene to scene.

use proptest::prelude::*;

use lorefork::json::{Style, laid_out, quote};

use super::words::{number, text};

/// What of Auto-Recap's queue is in the lorebook.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Queue {
    None,
    Empty,
    /// Only work that is over; nothing waits.
    Spent,
    /// Work waits: a fork is refused.
    Waiting,
    /// Two queues; the first counts.
    Twice,
}

/// An entry's life, in scenes: there from `since`, gone from `until` on.
#[derive(Debug, Clone)]
pub struct EntryPlan {
    pub since: usize,
    pub until: Option<usize>,
    /// Leaves a gap before its uid.
    pub gap: bool,
    /// Takes over the uid of one that is gone.
    pub reuse: bool,
    pub words: usize,
}

#[derive(Debug, Clone)]
pub struct BookPlan {
    pub entries: Vec<EntryPlan>,
    pub queue: Queue,
    pub has_registries: bool,
    pub is_compact: bool,
    pub has_unknown_keys: bool,
    pub name: usize,
}

/// An entry with its uid.
struct Placed<'a> {
    uid: u64,
    plan: &'a EntryPlan,
}

const NAMES: &[&str] = &["z-AutoLB-Mira-Main", "Lore", "世界 の本", "Lore__CP_Old_a2b3"];
const QUEUE_UID: u64 = 1_763_632_438_061;

pub(super) fn plan() -> impl Strategy<Value = BookPlan> {
    let queue = prop_oneof![
        2 => Just(Queue::None),
        4 => Just(Queue::Empty),
        1 => Just(Queue::Spent),
        1 => Just(Queue::Waiting),
        1 => Just(Queue::Twice),
    ];
    let flags = (any::<bool>(), any::<bool>(), any::<bool>());
    (prop::collection::vec(entry(), 0..=8), queue, flags, 0..NAMES.len()).prop_map(
        |(entries, queue, (has_registries, is_compact, has_unknown_keys), name)| BookPlan {
            entries,
            queue,
            has_registries,
            is_compact,
            has_unknown_keys,
            name,
        },
    )
}

fn entry() -> impl Strategy<Value = EntryPlan> {
    let until = prop::option::weighted(0.25, 1usize..=4);
    (0usize..=4, until, any::<bool>(), any::<bool>(), 0usize..64).prop_map(
        |(since, until, gap, reuse, words)| EntryPlan {
            since,
            until: until.map(|scenes| since + scenes),
            gap,
            reuse,
            words,
        },
    )
}

impl BookPlan {
    /// A lorebook with one entry and an empty queue.
    pub fn small() -> Self {
        let entry = EntryPlan { since: 0, until: None, gap: false, reuse: false, words: 0 };
        Self {
            entries: vec![entry],
            queue: Queue::Empty,
            has_registries: true,
            is_compact: false,
            has_unknown_keys: false,
            name: 0,
        }
    }

    pub fn name(&self) -> &'static str {
        NAMES[self.name % NAMES.len()]
    }

    fn placed(&self) -> Vec<Placed<'_>> {
        let mut next = u64::from(self.has_registries) * 2;
        let mut placed: Vec<Placed<'_>> = Vec::new();
        for plan in &self.entries {
            let gone =
                |other: &Placed<'_>| other.plan.until.is_some_and(|until| until <= plan.since);
            let free = |uid: u64| placed.iter().filter(|p| p.uid == uid).all(gone);
            let again = placed.iter().map(|p| p.uid).find(|&uid| plan.reuse && free(uid));
            let uid = again.unwrap_or_else(|| {
                next += 1 + u64::from(plan.gap);
                next - 1
            });
            placed.push(Placed { uid, plan });
        }
        placed
    }

    /// The entries as they were when scene `nth` was recapped, registries first.
    pub(super) fn snapshot(&self, nth: usize, lorebook: &str) -> String {
        let mut entries = Vec::new();
        if self.has_registries {
            let registry = self.registry(nth);
            entries.push(recorded(0, "_registry_character", &registry, lorebook));
            entries.push(recorded(1, "_registry_event", "[Registry: event]", lorebook));
        }
        for placed in self.placed().iter().filter(|p| p.is_there(nth)) {
            entries.push(recorded(
                placed.uid,
                &placed.comment(),
                text(placed.plan.words),
                lorebook,
            ));
        }
        if entries.is_empty() {
            entries.push(recorded(900, "character-Only once", "", lorebook));
        }
        format!("[{}]", entries.join(","))
    }

    fn registry(&self, nth: usize) -> String {
        let placed = self.placed();
        let lines = placed.iter().filter(|p| p.is_there(nth)).map(|p| {
            let name = p.comment();
            format!("\\n- UID={} | name: {name} | aliases: — | synopsis: —", p.uid)
        });
        format!("[Registry: character]{}", lines.collect::<String>())
    }

    /// The index of registries that Auto-Recap keeps in the metadata.
    pub(super) fn index(&self, scenes: usize) -> String {
        let placed = self.placed();
        let live = placed.iter().filter(|p| p.is_there(scenes));
        let records = live.map(|p| {
            let (uid, name) = (p.uid, quote(&p.comment()));
            format!(r#""{uid}":{{"uid":{uid},"type":"character","name":{name},"comment":{name},"aliases":[],"synopsis":""}}"#)
        });
        format!(r#"{{"index":{{{}}}}}"#, records.collect::<Vec<_>>().join(","))
    }

    /// The file as it is now, after `scenes` scenes.
    pub(super) fn text(&self, scenes: usize) -> String {
        let mut entries = Vec::new();
        if self.has_registries {
            entries.push(live(0, "_registry_character", &self.registry(scenes), ""));
            entries.push(live(1, "_registry_event", "[Registry: event]", ""));
        }
        for placed in self.placed().iter().filter(|p| p.is_there(scenes)) {
            let unknown = if self.has_unknown_keys {
                format!(
                    r#","characterFilter":{{"names":["Mira"]}},"x":{}"#,
                    number(placed.plan.words)
                )
            } else {
                String::new()
            };
            let content = text(placed.plan.words + 1);
            entries.push(live(placed.uid, &placed.comment(), content, &unknown));
        }
        entries.extend(self.queues());
        let more = if self.has_unknown_keys {
            r#","name":"Lore","originalData":{"entries":[{"id":1.0}]},"extensions":{"other":{"\ud83d":1}}"#
        } else {
            ""
        };
        let compact = format!(r#"{{"entries":{{{}}}{more}}}"#, entries.join(","));
        let style = if self.is_compact { Style::Compact } else { Style::TAVERN };
        laid_out(&compact, style, 0).unwrap_or(compact)
    }

    fn queues(&self) -> Vec<String> {
        let content = |status: &str| {
            let work = match status {
                "" => String::new(),
                _ => format!(r#"{{"id":"op_1_a","type":"chat","status":"{status}"}}"#),
            };
            quote(&format!(
                "{{\n  \"queue\": [{work}],\n  \"paused\": false,\n  \"version\": 1\n}}"
            ))
        };
        let entry = |uid: u64, status: &str| {
            let content = content(status);
            format!(
                r#""{uid}":{{"uid":{uid},"key":[],"comment":"__operation_queue","content":{content},"disable":true,"displayIndex":{uid}}}"#
            )
        };
        match self.queue {
            Queue::None => Vec::new(),
            Queue::Empty => vec![entry(QUEUE_UID, "")],
            Queue::Spent => vec![entry(QUEUE_UID, "completed")],
            Queue::Waiting => vec![entry(QUEUE_UID, "pending")],
            Queue::Twice => vec![entry(QUEUE_UID, ""), entry(QUEUE_UID + 7, "")],
        }
    }
}

impl Placed<'_> {
    fn is_there(&self, scene: usize) -> bool {
        self.plan.since <= scene && self.plan.until.is_none_or(|until| scene < until)
    }

    /// Two entries that share a uid one after the other have different comments.
    fn comment(&self) -> String {
        format!("character-N{} {}", self.uid, self.plan.since)
    }
}

/// An entry as a snapshot records it.
fn recorded(uid: u64, comment: &str, content: &str, lorebook: &str) -> String {
    format!(
        r#"{{"comment":"{comment}","uid":{uid},"world":"{lorebook}","key":["n{uid}"],"keysecondary":[],"content":"{content}","position":0,"depth":4,"order":100,"role":0,"constant":false,"vectorized":false,"selective":true,"selectiveLogic":0,"sticky":4,"disable":false,"addMemo":false,"excludeRecursion":false,"preventRecursion":false,"ignoreBudget":true,"probability":100,"useProbability":true,"group":"","groupOverride":false,"groupWeight":100,"tags":[],"strategy":"normal"}}"#
    )
}

/// An entry as the file holds it. `more` is JSON text of further members.
fn live(uid: u64, comment: &str, content: &str, more: &str) -> String {
    format!(
        r#""{uid}":{{"uid":{uid},"key":["n{uid}"],"keysecondary":["second"],"comment":"{comment}","content":"{content}","order":100,"probability":100.0,"sticky":4,"disable":false{more}}}"#
    )
}
