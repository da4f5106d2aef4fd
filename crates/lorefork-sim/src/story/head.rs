//! The header, and how lines are put together.

use proptest::prelude::*;

use lorefork::tavern::place::ChatRef;

use super::{Plan, recap};

/// Which SillyTavern wrote the header.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Layout {
    /// 1.16 and newer.
    New,
    /// 1.12 to 1.14.
    Old,
    /// 2023: no metadata at all, so no lorebook and no recap either.
    Bare,
}

#[derive(Debug, Clone)]
pub struct HeadPlan {
    pub layout: Layout,
    pub has_crlf: bool,
    pub ends_in_newline: bool,
    pub has_blank_lines: bool,
    pub has_odd_keys: bool,
    /// Is itself a branch of something.
    pub is_branch: bool,
}

pub(super) fn plan() -> impl Strategy<Value = HeadPlan> {
    let layout =
        prop_oneof![6 => Just(Layout::New), 2 => Just(Layout::Old), 1 => Just(Layout::Bare)];
    let rarely = || prop::bool::weighted(0.2);
    (layout, rarely(), any::<bool>(), rarely(), any::<bool>(), rarely()).prop_map(
        |(layout, has_crlf, ends_in_newline, has_blank_lines, has_odd_keys, is_branch)| HeadPlan {
            layout,
            has_crlf,
            ends_in_newline,
            has_blank_lines,
            has_odd_keys,
            is_branch,
        },
    )
}

impl HeadPlan {
    pub(super) fn line(&self, plan: &Plan, chat: &ChatRef, lorebook: Option<&str>) -> String {
        let metadata = self.metadata(plan, chat, lorebook);
        let date = r#""create_date":"2026-11-15@19h05m18s""#;
        match self.layout {
            Layout::New => format!(
                r#"{{"chat_metadata":{metadata},"user_name":"unused","character_name":"unused"}}"#
            ),
            Layout::Old => format!(
                r#"{{"user_name":"Ann","character_name":"Mira",{date},"chat_metadata":{metadata}}}"#
            ),
            Layout::Bare => format!(r#"{{"user_name":"Ann","character_name":"Mira",{date}}}"#),
        }
    }

    fn metadata(&self, plan: &Plan, chat: &ChatRef, lorebook: Option<&str>) -> String {
        let mut parts = vec![r#""integrity":"a-slug""#.to_owned(), r#""tainted":true"#.to_owned()];
        parts.extend(recap::running(plan, &chat.name));
        if let (Some(name), Some(book)) = (lorebook, &plan.book) {
            parts.push(format!(r#""world_info":"{name}""#));
            if !plan.scenes.is_empty() {
                let registry = book.index(plan.scenes.len());
                parts.push(format!(
                    r#""auto_lorebooks":{{"lorebookName":"{name}","attachedAt":1794769521389,"registry":{registry}}}"#
                ));
            }
            parts.push(format!(
                r#""timedWorldInfo":{{"sticky":{{"{name}.2":{{"hash":6620856078725716,"start":3,"end":7,"protected":false}}}},"cooldown":{{}}}}"#
            ));
        }
        if self.has_odd_keys {
            parts.push(
                r#""variables":{"gold":"12","\ud83d":1.0},"note_depth":4e0,"autoLorebooks":{"pendingOps":{"entry_1_a":{"stage":"x"}}},"lastInContextMessageId":3"#
                    .to_owned(),
            );
        }
        if self.is_branch {
            parts.push(r#""main_chat":"Long ago""#.to_owned());
        }
        format!("{{{}}}", parts.join(","))
    }

    /// The file: lines with the line ends of this plan.
    pub(super) fn joined(&self, lines: &[String]) -> String {
        let end = if self.has_crlf { "\r\n" } else { "\n" };
        let mut text = String::new();
        for (index, line) in lines.iter().enumerate() {
            if index > 0 {
                text.push_str(end);
            }
            if self.has_blank_lines && index % 3 == 2 {
                text.push_str(end);
            }
            text.push_str(line);
        }
        if self.ends_in_newline {
            text.push_str(end);
        }
        text
    }
}
