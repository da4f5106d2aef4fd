//! `lorefork explain CODE`: the page about a problem, or what an answer's code means.

use lorefork::audit::Code;
use lorefork::error::Code as AnswerCode;
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
    "INTERRUPTED_OPERATION" "BYTE_ORDER_MARK" "MISSING_HEADER" "CORRUPT_LINE" "CORRUPT_GROUP"
    "CORRUPT_SETTINGS" "NAME_COLLISION"
    "UNLISTED_GROUP_CHAT" "SHARED_LOREBOOK" "CORRUPT_LOREBOOK" "MISSING_LOREBOOK"
    "LOREBOOK_MISMATCH" "LOREBOOK_ALSO_GLOBAL" "ORPHANED_LOREBOOK" "UID_KEY_MISMATCH"
    "DUPLICATE_QUEUE" "QUEUE_UNREADABLE" "QUEUE_FOREIGN_OPERATION" "LORE_FROM_THE_FUTURE"
    "DANGLING_REGISTRY_UID" "REGISTRY_WRONG_ENTRY" "UNREGISTERED_ENTRY" "STALE_REGISTRY_INDEX"
    "RECAP_CHAT_ID_MISMATCH" "RECAP_FROM_THE_FUTURE" "RECAP_VERSION_MISSING"
    "COMBINED_RECAP_MISMATCH" "MISSING_PARENT" "LEGACY_TIMELINE" "SHARED_SLUG"
    "DEAD_CHECKPOINT_LINK" "DEAD_BRANCH_LINK" "UNLINKED_TIMELINE" "STALE_MAPPING"
};

/// Codes that only the command itself answers with.
const OWN: &[(&str, &str)] = &[
    ("AMBIGUOUS_CHAT", "Several chats can be meant; the answer lists them."),
    ("EXISTS", "Something is there already that Lorefork did not write, so it was left alone."),
    ("NO_DATA_FOLDER", "No SillyTavern data was found. Say where it is, with --root DIR."),
    ("UNKNOWN_CODE", "There is no such code."),
    ("UNKNOWN_USER", "SillyTavern has no user of that handle."),
    ("USAGE", "The command line cannot be understood. “lorefork --help” shows how it is meant."),
    ("WHICH_USER", "SillyTavern has several users. Say whose data you mean, with --user HANDLE."),
];

pub(super) fn run(args: &Explain) -> Result<Answer, Failure> {
    let Some(code) = Code::named(&args.code) else {
        let (code, means) = answer_code(&args.code).ok_or_else(|| unknown(&args.code))?;
        let mut page = Page::new();
        page.heading(code);
        page.line(0, means);
        return Ok(Answer { exit: Exit::Done, json: json!({ "code": code, "page": means }), page });
    };
    let text = PAGES.iter().find(|(name, _)| *name == code.name()).map_or("", |(_, text)| text);
    let json = json!({ "code": code.name(), "page": text });
    Ok(Answer { exit: Exit::Done, json, page: page(text) })
}

/// A code that stands in an answer rather than in what “check” finds.
fn answer_code(code: &str) -> Option<(&'static str, &'static str)> {
    let own = || {
        let wanted = spelled(code);
        OWN.iter().copied().find(|(name, _)| *name == wanted)
    };
    AnswerCode::named(code).map(|code| (code.word(), code.means())).or_else(own)
}

fn spelled(code: &str) -> String {
    code.trim().replace(['-', ' '], "_").to_ascii_uppercase()
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
    let wanted = spelled(code);
    let is_near = |name: &&str| {
        let shared = name.split('_').filter(|word| wanted.split('_').any(|w| w == *word)).count();
        shared > 0 || distance(name, &wanted) <= 3
    };
    let answers =
        || AnswerCode::ALL.iter().map(|code| code.word()).chain(OWN.iter().map(|own| own.0));
    let names = || Code::ALL.iter().map(|code| code.name()).chain(answers());
    let mut near: Vec<String> = names().filter(is_near).map(str::to_owned).collect();
    if near.is_empty() {
        near = names().map(str::to_owned).collect();
    }
    near.sort();
    near.dedup();
    Failure::new("UNKNOWN_CODE", format!("there is no code “{code}”; there are:"), "")
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

    /// Issue 5: whatever code an answer shows can be asked about.
    #[test]
    fn every_code_of_an_answer_is_explained() {
        for code in
            AnswerCode::ALL.iter().map(|code| code.word()).chain(OWN.iter().map(|own| own.0))
        {
            let told = run(&Explain { code: code.to_lowercase() }).unwrap();
            assert_eq!(told.json["code"], code);
            assert!(told.json["page"].as_str().unwrap().len() > 20, "{code}");
        }
    }

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
