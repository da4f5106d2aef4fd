//! What the page gets back, as JSON.

use lorefork::error::{Code, Error};
use lorefork::fork::Created;
use lorefork::fork::rebind::Isolated;
use lorefork::fork::report::{Finding, Report, findings_json};
use lorefork::json::{Json, Object, array_of_texts};
use lorefork::operation::recover::Healed;

use crate::ask;

/// A result, or `{ "error": { code, message, hint, report, choices } }`.
pub(crate) fn answer(result: Result<String, Error>) -> String {
    result.unwrap_or_else(|error| error_text(&error))
}

fn error_text(error: &Error) -> String {
    let report = error.report.as_deref();
    let error = Object::new()
        .text("code", error.code.word())
        .text("message", &error.message)
        .text("hint", &hint(error))
        .raw("report", &report.map_or("null".to_owned(), report_text))
        .raw("choices", &words(&report.map(choices).unwrap_or_default()))
        .done();
    Object::new().raw("error", &error).done()
}

fn words(list: &[&str]) -> String {
    let list: Vec<String> = list.iter().map(|&word| word.to_owned()).collect();
    array_of_texts(&list)
}

fn hint(error: &Error) -> String {
    match error.code {
        // The page works on what it has in memory.
        Code::ChangedMeanwhile => {
            "Reload the page to see what is there now, then try again. Nothing was changed."
                .to_owned()
        }
        Code::ChangedSince => {
            "What was before can be saved beside it, under other names.".to_owned()
        }
        _ => for_page(&error.hint),
    }
}

/// The report, and whether waiting would help.
pub(crate) fn report_text(report: &Report) -> String {
    let mut report = report.clone();
    if report.valid {
        // What the user is asked about.
        report.warnings.retain(|warning| ask::SAID_BEFORE.contains(&warning.code));
    }
    report.errors.iter_mut().chain(&mut report.warnings).for_each(in_page);
    report.json().flag("waits", choices(&report).contains(&"wait")).done()
}

/// What the user can choose instead of a refusal.
fn choices(report: &Report) -> Vec<&'static str> {
    let mut all = Vec::new();
    for error in &report.errors {
        let more: &[&str] = match error.code {
            Code::QueueNotEmpty => &["wait", "dropQueue"],
            Code::QueueUnreadable => &["dropQueue"],
            Code::Generating => &["wait"],
            Code::NoSnapshot => &["live", "empty"],
            Code::MissingLorebook if has_snapshot(error) => &["snapshot", "empty"],
            Code::MissingLorebook => &["empty"],
            // Nothing that is chosen for another cause would help against this one.
            _ => return Vec::new(),
        };
        all.extend(
            more.iter().filter(|choice| !all.contains(*choice)).copied().collect::<Vec<_>>(),
        );
    }
    all
}

fn has_snapshot(missing: &Finding) -> bool {
    let details = missing.details.as_deref().unwrap_or("null");
    Json::parse(details).is_ok_and(|details| details.get("snapshot").is_some_and(Json::truthy))
}

fn in_page(finding: &mut Finding) {
    finding.action = for_page(&finding.action);
}

/// The engine's advice without what is to be typed on the command line, which the page has buttons
/// for: it stands in brackets.
pub(crate) fn for_page(text: &str) -> String {
    let mut out = text.to_owned();
    for typed in [" (--", " (“lorefork "] {
        while let Some(start) = out.find(typed) {
            let end = out[start..].find(')').map_or(out.len(), |length| start + length + 1);
            out.replace_range(start..end, "");
        }
    }
    // Nor sentences about them.
    let kept: String =
        out.split_inclusive(". ").filter(|sentence| !sentence.contains("--")).collect();
    kept.trim_end().to_owned()
}

/// A fork that stands, with what the success notice says: warnings are a reason to look at the new
/// timeline, notes are only for the record.
pub(crate) fn created(created: &Created) -> String {
    let (notes, warnings) = for_notice(&created.warnings)
        .into_iter()
        .partition::<Vec<_>, _>(|warning| is_note(warning.code));
    let told = Created { warnings, ..created.clone() };
    told.json()
        .raw("notes", &findings_json(&notes))
        .count("entries", told.entries)
        .text_or_null("scene", told.scene.as_deref())
        .number_or_null("recapVersion", told.recap_version)
        .raw("healed", &healed(&told.healed))
        .done()
}

/// What the notice of a fork need not say: it says so in other words, or it is no more than a
/// remark.
fn is_known(code: Code) -> bool {
    use Code::*;
    matches!(
        code,
        ReplacesCheckpoint
            // Here they are copied (N-7).
            | SettingsNotCopied
            | KnowsTheFuture
            | NoSceneBreak
            | NoSceneRecap
            | SceneWithoutSnapshot
            | NoRunningRecap
            | NotInRunningRecap
    )
}

/// Whether a warning is only for the record: nothing is wrong with the new timeline.
fn is_note(code: Code) -> bool {
    use Code::*;
    matches!(code, NotRewound | DuplicateQueue | CombinedRecapDropped | DanglingRegistryUid)
}

/// A timeline that got its own lorebook.
pub(crate) fn isolated(mut isolated: Isolated) -> String {
    isolated.warnings = for_notice(&isolated.warnings);
    isolated.json()
}

/// Warnings, as the page tells them.
pub(crate) fn warnings(list: &[Finding]) -> String {
    let mut list = list.to_vec();
    list.iter_mut().for_each(in_page);
    findings_json(&list)
}

fn for_notice(warnings: &[Finding]) -> Vec<Finding> {
    let mut told: Vec<Finding> =
        warnings.iter().filter(|warning| !is_known(warning.code)).cloned().collect();
    told.iter_mut().for_each(in_page);
    told
}

/// What was healed, in words.
pub(crate) fn healed(list: &[Healed]) -> String {
    let words: Vec<String> = list
        .iter()
        .map(|healed| match healed {
            Healed::Finished(operation) => {
                format!("“{}” had been interrupted and is complete now.", operation.name)
            }
            Healed::Undone(operation) => format!(
                "“{}” had been interrupted before it existed; what was left of it is gone.",
                operation.name
            ),
            Healed::Left(why) => why.clone(),
        })
        .collect();
    array_of_texts(&words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn choices_are_those_that_help() {
        let report = |codes: &[Code]| {
            let mut report = Report::new(lorefork::fork::report::State::default());
            report.errors = codes.iter().map(|code| Finding::new(*code, "", "")).collect();
            choices(&report)
        };
        assert_eq!(report(&[Code::QueueNotEmpty]), ["wait", "dropQueue"]);
        assert_eq!(
            report(&[Code::QueueNotEmpty, Code::NoSnapshot]),
            ["wait", "dropQueue", "live", "empty"]
        );
        assert_eq!(report(&[Code::MissingLorebook]), ["empty"]);
        assert!(report(&[Code::QueueNotEmpty, Code::NameTaken]).is_empty());
    }

    #[test]
    fn options_of_the_command_line_are_not_for_the_page() {
        assert_eq!(
            for_page("Rebuild it (--lore snapshot), or start empty (--lore empty), or attach."),
            "Rebuild it, or start empty, or attach."
        );
        assert_eq!(for_page("Wait (or not)."), "Wait (or not).");
        assert_eq!(for_page("Rebuilds it. --missing chooses: a, b."), "Rebuilds it.");
        assert_eq!(
            for_page("The log shows it (“lorefork log”); undo that one."),
            "The log shows it; undo that one."
        );
    }
}
