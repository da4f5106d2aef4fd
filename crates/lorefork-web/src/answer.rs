//! What the page gets back, as JSON.

use lorefork::error::Error;
use lorefork::fork::Created;
use lorefork::fork::report::{Finding, Report};
use lorefork::json::quote;
use lorefork::operation::recover::Healed;
use serde::Serialize;

/// A result, or `{ "error": { code, message, hint, report } }`.
pub(crate) fn answer<T: Serialize>(result: Result<T, Error>) -> String {
    match result {
        Ok(value) => to_text(&value),
        Err(error) => error_text(&error),
    }
}

pub(crate) fn to_text(value: &impl Serialize) -> String {
    // There is nothing in it that JSON cannot say.
    serde_json::to_string(value).unwrap_or_default()
}

fn error_text(error: &Error) -> String {
    let report = error.report.as_deref().map_or("null".to_owned(), report_text);
    format!(
        "{{\"error\":{{\"code\":\"{}\",\"message\":{},\"hint\":{},\"report\":{report}}}}}",
        error.code,
        quote(&error.message),
        quote(&for_page(&error.hint)),
    )
}

pub(crate) fn report_text(report: &Report) -> String {
    let mut report = report.clone();
    report.errors.iter_mut().chain(&mut report.warnings).for_each(in_page);
    to_text(&report)
}

fn in_page(finding: &mut Finding) {
    finding.action = for_page(&finding.action);
}

/// The engine's advice without the options of the command line, which the page has buttons for.
fn for_page(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once(" (--") {
        out.push_str(before);
        rest = after.split_once(')').map_or("", |(_, rest)| rest);
    }
    out + rest
}

/// A fork that stands, with what the success notice says.
pub(crate) fn created(created: &Created) -> String {
    let mut warnings = created.warnings.clone();
    warnings.iter_mut().for_each(in_page);
    let mut text = to_text(&Created { warnings, ..created.clone() });
    text.truncate(text.len() - 1);
    let scene = created.scene.as_deref().map_or("null".to_owned(), quote);
    let version = created.recap_version.map_or("null".to_owned(), |version| version.to_string());
    format!(
        "{text},\"entries\":{},\"scene\":{scene},\"recapVersion\":{version},\"healed\":{}}}",
        created.entries,
        healed(&created.healed)
    )
}

/// What was healed, in words.
pub(crate) fn healed(list: &[Healed]) -> String {
    let words: Vec<String> = list
        .iter()
        .map(|healed| match healed {
            Healed::Finished(intent) => {
                quote(&format!("“{}” had been interrupted and is complete now.", intent.chat.name))
            }
            Healed::Undone(intent) => quote(&format!(
                "“{}” had been interrupted before it existed; what was left of it is gone.",
                intent.chat.name
            )),
        })
        .collect();
    format!("[{}]", words.join(","))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_of_the_command_line_are_not_for_the_page() {
        assert_eq!(
            for_page("Rebuild it (--lore snapshot), or start empty (--lore empty), or attach."),
            "Rebuild it, or start empty, or attach."
        );
        assert_eq!(for_page("Wait (or not)."), "Wait (or not).");
    }
}
