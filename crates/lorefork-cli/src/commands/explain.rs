//! `lorefork explain CODE`: the page about a problem, or what an answer's code means.

use lorefork::audit::Code;
use lorefork::error::Code as AnswerCode;
use serde_json::json;

use crate::args::Explain;
use crate::code::{Own, Word as _};
use crate::error::{Exit, Failure};
use crate::output::{Answer, Page, Text};

pub(super) fn run(args: &Explain) -> Result<Answer, Failure> {
    let Some(code) = Code::named(&args.code) else {
        let (code, means) = answer_code(&args.code).ok_or_else(|| unknown(&args.code))?;
        let mut page = Page::new();
        page.heading(code);
        page.line(0, means);
        return Ok(Answer { exit: Exit::Done, json: json!({ "code": code, "page": means }), page });
    };
    let text = code.page();
    let json = json!({ "code": code.name(), "page": text });
    Ok(Answer { exit: Exit::Done, json, page: page(text) })
}

/// A code that stands in an answer rather than in what “check” finds.
fn answer_code(code: &str) -> Option<(&'static str, &'static str)> {
    let own = || {
        let wanted = spelled(code);
        Own::ALL.iter().find(|own| own.word() == wanted).map(|own| (own.word(), own.means()))
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

/// All codes of answers.
fn answer_codes() -> impl Iterator<Item = &'static str> {
    AnswerCode::ALL.iter().map(|code| code.word()).chain(Own::ALL.iter().map(|own| own.word()))
}

/// All codes of problems.
fn problem_codes() -> impl Iterator<Item = &'static str> {
    Code::ALL.iter().map(|code| code.name())
}

fn unknown(code: &str) -> Failure {
    let near = nearest(code, problem_codes().chain(answer_codes()));
    Failure::new(Own::UnknownCode, format!("there is no code “{code}”; there are:"), "")
        .with_candidates(near)
}

/// The same, where only problems can be meant.
pub(super) fn unknown_problem(code: &str) -> Failure {
    let what = match answer_code(code) {
        Some((code, _)) => format!("“{code}” is not a kind of problem that can be repaired"),
        None => format!("there is no kind of problem called “{code}”"),
    };
    let hint = "“lorefork check” prints the code behind each problem.";
    Failure::new(Own::UnknownCode, format!("{what}; there are:"), hint)
        .with_candidates(nearest(code, problem_codes()))
}

/// Those that are alike; if none is, all.
fn nearest(code: &str, names: impl Iterator<Item = &'static str>) -> Vec<String> {
    let wanted = spelled(code);
    let is_near = |name: &&String| {
        let shared = name.split('_').filter(|word| wanted.split('_').any(|w| w == *word)).count();
        shared > 0 || distance(name, &wanted) <= 3
    };
    let mut all: Vec<String> = names.map(str::to_owned).collect();
    all.sort();
    all.dedup();
    let near: Vec<String> = all.iter().filter(is_near).cloned().collect();
    if near.is_empty() { all } else { near }
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
        for code in answer_codes() {
            let told = run(&Explain { code: code.to_lowercase() }).unwrap();
            assert_eq!(told.json["code"], code);
            assert!(told.json["page"].as_str().unwrap().len() > 20, "{code}");
        }
    }

    #[test]
    fn every_code_has_a_page_with_example_cause_and_cure() {
        for code in Code::ALL {
            let text = code.page();
            assert!(text.starts_with(&format!("# {code}\n")), "{code}");
            for part in ["## Example", "## Cause", "## Cure"] {
                assert!(text.contains(part), "{code} lacks {part}");
            }
        }
    }
}
