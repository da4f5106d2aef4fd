//! `lorefork explain CODE`: the page about a problem.

use lorefork::audit::Code;
use serde_json::json;

use crate::args::Explain;
use crate::error::{Exit, Failure};
use crate::output::{Answer, Page, Text};

macro_rules! pages {
    ($($name:literal)*) => {
        &[$(($name, include_str!(concat!("../../../../docs/problems/", $name, ".md"))),)*]
    };
}

const PAGES: &[(&str, &str)] = pages! {
    "INTERRUPTED_OPERATION" "BYTE_ORDER_MARK" "MISSING_HEADER" "CORRUPT_LINE" "NAME_COLLISION"
    "UNLISTED_GROUP_CHAT" "SHARED_LOREBOOK" "CORRUPT_LOREBOOK" "MISSING_LOREBOOK"
    "LOREBOOK_MISMATCH" "LOREBOOK_ALSO_GLOBAL" "ORPHANED_LOREBOOK" "UID_KEY_MISMATCH"
    "DUPLICATE_QUEUE" "QUEUE_UNREADABLE" "QUEUE_FOREIGN_OPERATION" "LORE_FROM_THE_FUTURE"
    "DANGLING_REGISTRY_UID" "REGISTRY_WRONG_ENTRY" "UNREGISTERED_ENTRY" "STALE_REGISTRY_INDEX"
    "RECAP_CHAT_ID_MISMATCH" "RECAP_FROM_THE_FUTURE" "RECAP_VERSION_MISSING"
    "COMBINED_RECAP_MISMATCH" "MISSING_PARENT" "LEGACY_TIMELINE" "SHARED_SLUG"
    "DEAD_CHECKPOINT_LINK" "DEAD_BRANCH_LINK" "UNLINKED_TIMELINE" "STALE_MAPPING"
};

pub(super) fn run(args: &Explain) -> Result<Answer, Failure> {
    let code = Code::named(&args.code).ok_or_else(|| unknown(&args.code))?;
    let text = PAGES.iter().find(|(name, _)| *name == code.name()).map_or("", |(_, text)| text);
    let json = json!({ "code": code.name(), "page": text });
    Ok(Answer { exit: Exit::Done, json, page: page(text) })
}

/// Markdown as it reads best on a terminal: headings bold, examples as they are.
fn page(markdown: &str) -> Page {
    let mut page = Page::new();
    let mut is_example = false;
    for line in markdown.lines() {
        if line.starts_with("```") {
            is_example = !is_example;
        } else if is_example {
            page.fixed(2, Text::new().code(line));
        } else if let Some(heading) =
            line.trim_start_matches('#').strip_prefix(' ').filter(|_| line.starts_with('#'))
        {
            page.heading(heading);
        } else if let Some(item) = line.strip_prefix("- ") {
            page.hanging(0, 2, Text::new().quiet("· ").plain(item.replace('`', "")));
        } else {
            page.line(0, line.replace('`', ""));
        }
    }
    page
}

pub(super) fn unknown(code: &str) -> Failure {
    let wanted = code.trim().replace(['-', ' '], "_").to_ascii_uppercase();
    let is_near = |name: &&str| {
        let shared = name.split('_').filter(|word| wanted.split('_').any(|w| w == *word)).count();
        shared > 0 || distance(name, &wanted) <= 3
    };
    let names = || Code::ALL.iter().map(|code| code.name());
    let mut near: Vec<String> = names().filter(is_near).map(str::to_owned).collect();
    if near.is_empty() {
        near = names().map(str::to_owned).collect();
        near.sort();
    }
    Failure::new("UNKNOWN_CODE", format!("there is no problem “{code}”; there are:"), "")
        .with_candidates(near)
}

/// How many letters must change to make one word of the other.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut before = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let change = before + usize::from(x != *y);
            before = row[j + 1];
            row[j + 1] = change.min(before + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_has_a_page_with_example_cause_and_cure() {
        for code in Code::ALL {
            let page = PAGES.iter().find(|(name, _)| *name == code.name());
            let Some((_, text)) = page else { panic!("{code} has no page") };
            assert!(text.starts_with(&format!("# {code}\n")), "{code}");
            for part in ["## Example", "## Cause", "## Cure"] {
                assert!(text.contains(part), "{code} lacks {part}");
            }
        }
    }
}
