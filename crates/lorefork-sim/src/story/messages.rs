//! Messages.

use proptest::prelude::*;

use super::words::{number, text};

/// Something unusual about a message that SillyTavern does not mind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Oddity {
    None,
    UnknownFields,
    Spaced,
    NoExtra,
    DuplicateKey,
    EscapedKey,
    /// Names the lorebook without having recap data.
    NamesLorebook,
    Nested,
    Links,
}

#[derive(Debug, Clone)]
pub struct MessagePlan {
    pub words: usize,
    pub swipes: usize,
    pub is_user: bool,
    pub is_hidden: bool,
    pub oddity: Oddity,
}

pub(super) fn plan() -> impl Strategy<Value = MessagePlan> {
    let oddity = prop_oneof![
        6 => Just(Oddity::None),
        1 => Just(Oddity::UnknownFields),
        1 => Just(Oddity::Spaced),
        1 => Just(Oddity::NoExtra),
        1 => Just(Oddity::DuplicateKey),
        1 => Just(Oddity::EscapedKey),
        1 => Just(Oddity::NamesLorebook),
        1 => Just(Oddity::Nested),
        1 => Just(Oddity::Links),
    ];
    (
        0usize..64,
        prop_oneof![2 => Just(0usize), 1 => 1usize..=3],
        any::<bool>(),
        any::<bool>(),
        oddity,
    )
        .prop_map(|(words, swipes, is_user, is_hidden, oddity)| MessagePlan {
            words,
            swipes,
            is_user,
            is_hidden,
            oddity,
        })
}

impl MessagePlan {
    /// The line. `memory` is Auto-Recap's data as JSON text; `in_swipe` puts it only into the
    /// first swipe's record, as it is when the user has swiped on.
    pub(super) fn line(
        &self,
        index: usize,
        memory: Option<&str>,
        in_swipe: bool,
        lorebook: Option<&str>,
    ) -> String {
        let name = if self.is_user { "Ann" } else { "Mira" };
        let mut parts = vec![
            format!(r#""name":"{name}""#),
            format!(r#""is_user":{}"#, self.is_user),
            format!(r#""is_system":{}"#, self.is_hidden),
            format!(r#""send_date":"2026-11-15T19:{:02}:18.246Z""#, index % 60),
            format!(r#""mes":"{}""#, text(self.words)),
        ];
        let swiped = memory.filter(|_| in_swipe);
        let shown = memory.filter(|_| !in_swipe);
        if self.oddity != Oddity::NoExtra || shown.is_some() {
            parts.push(format!(r#""extra":{}"#, self.extra(shown, lorebook)));
        }
        if self.swipes > 0 || swiped.is_some() {
            parts.extend(self.swipe_parts(shown, swiped));
        }
        match self.oddity {
            Oddity::UnknownFields => parts.push(format!(r#""x_odd":{}"#, number(self.words))),
            Oddity::DuplicateKey => parts.push(r#""title":"","title":"last""#.to_owned()),
            Oddity::EscapedKey => parts.push(r#""\u0071uest":"\/","\ud83d":1"#.to_owned()),
            Oddity::Nested => parts.push(format!(r#""deep":{}{}"#, "[".repeat(40), "]".repeat(40))),
            _ => {}
        }
        if self.oddity == Oddity::Spaced {
            return format!("{{ {} }}", parts.join(" ,  "));
        }
        format!("{{{}}}", parts.join(","))
    }

    fn extra(&self, memory: Option<&str>, lorebook: Option<&str>) -> String {
        let mut parts = vec![format!(r#""token_count":{}"#, number(self.words + 1))];
        if self.oddity == Oddity::NamesLorebook {
            let book = lorebook.unwrap_or("Other");
            parts.push(format!(r#""activeLorebookEntries":[{{"uid":0,"world":"{book}"}}]"#));
        }
        if self.oddity == Oddity::Links {
            parts.push(r#""bookmark_link":"Long ago","branches":["Gone"]"#.to_owned());
        }
        if let Some(memory) = memory {
            parts.push(format!(r#""auto_recap_memory":{memory}"#));
        }
        format!("{{{}}}", parts.join(","))
    }

    /// Swipes with their records. SillyTavern copies `extra` into the record of the swipe shown.
    fn swipe_parts(&self, shown: Option<&str>, swiped: Option<&str>) -> Vec<String> {
        // Data in a swipe that is not shown needs another one that is.
        let count = (self.swipes + 1).max(if swiped.is_some() { 2 } else { 1 });
        let id = self.words % count;
        let id = if swiped.is_some() { count - 1 } else { id };
        let swipe = |n: usize| {
            let text = text(self.words + if n == id { 0 } else { n + 1 });
            format!("\"{text}\"")
        };
        let info = |n: usize| {
            let memory = if n == id { shown } else { swiped.filter(|_| n == 0) };
            let memory = memory.map(|m| format!(r#""auto_recap_memory":{m}"#)).unwrap_or_default();
            format!(r#"{{"send_date":"","extra":{{{memory}}}}}"#)
        };
        let all =
            |part: &dyn Fn(usize) -> String| (0..count).map(part).collect::<Vec<_>>().join(",");
        vec![
            format!(r#""swipe_id":{id}"#),
            format!(r#""swipes":[{}]"#, all(&swipe)),
            format!(r#""swipe_info":[{}]"#, all(&info)),
        ]
    }
}
