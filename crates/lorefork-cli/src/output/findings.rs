//! Findings of a report: what is wrong, and what can be done about it.

use std::fmt::Display;

use lorefork::error::Code;
use lorefork::error::report::Finding;
use lorefork::operation::recover::Healed;
use serde_json::Value;

use super::style::{BAD, CARE};
use super::{Page, Text, choices, words};

/// Warnings after a result, each with what to do.
pub(crate) fn warnings(page: &mut Page, warnings: &[Finding]) {
    for finding in warnings {
        page.blank();
        let code = finding.code.word();
        warning(page, code, &finding.message.to_string(), &advice(finding));
    }
}

/// The warnings of an answer, of which only the document for machines is at hand.
pub(crate) fn warnings_in(answer: &Value) -> Page {
    let mut page = Page::new();
    for finding in answer["warnings"].as_array().into_iter().flatten() {
        let text = |key: &str| finding[key].as_str().unwrap_or_default();
        let choices = finding["choices"].as_array().into_iter().flatten();
        let choices: Vec<&str> = choices.filter_map(Value::as_str).collect();
        let action = choices::advised_in(text("code"), text("action"), &choices);
        warning(&mut page, text("code"), text("message"), &action);
    }
    page
}

fn advice(finding: &Finding) -> String {
    choices::advised(finding.code.word(), finding.action.as_ref(), &finding.choices)
}

fn warning(page: &mut Page, code: &str, message: &str, what_to_do: &str) {
    page.hanging(0, 2, Text::new().styled(CARE, "! ").plain(message).then(code_of(code)));
    action(page, 2, what_to_do);
}

/// A code behind what it is about: to be asked with “lorefork explain”.
pub(crate) fn code_of(code: impl Display) -> Text {
    Text::new().quiet(format!(" [{code}]"))
}

/// What became of operations that had been interrupted.
pub(crate) fn healed(page: &mut Page, all: &[Healed]) {
    for healed in all {
        let text = Text::new().quiet("· ").plain(words::healed(healed));
        page.hanging(0, 2, text.then(code_of(Code::InterruptedOperation)));
    }
}

/// Everything that speaks against something, numbered: what blocks, then what does not.
pub(crate) fn numbered(page: &mut Page, errors: &[Finding], warnings: &[Finding]) {
    let all = errors.iter().map(|error| (BAD, "✗", error));
    let all = all.chain(warnings.iter().map(|warning| (CARE, "!", warning)));
    for (index, (style, symbol, finding)) in all.enumerate() {
        let number = format!("{:>2}. ", index + 1);
        let hang = number.len() + 2;
        let text = Text::new().quiet(number).styled(style, symbol).plain(" ");
        page.hanging(0, hang, text.plain(finding.message.to_string()).then(code_of(finding.code)));
        action(page, hang, &advice(finding));
    }
}

/// What a person can do.
pub(crate) fn action(page: &mut Page, indent: usize, action: &str) {
    if !action.is_empty() {
        page.hanging(indent, 2, Text::new().quiet("→ ").plain(action));
    }
}
