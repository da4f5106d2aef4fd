//! What the page gets back, as JSON.

use lorefork::choice::{Choice, choices_json};
use lorefork::error::report::{Finding, Report, findings_json};
use lorefork::error::{Code, Error};
use lorefork::fork::Created;
use lorefork::fork::isolate::Isolated;
use lorefork::json::{Object, sentences_json};
use lorefork::operation::recover::Healed;
use lorefork::say;
use lorefork::sentence::Sentence;

use crate::ask;

/// A result, or `{ "error": { code, message, says, with, hint, advice, report, choices } }`.
pub(crate) fn answer(result: Result<String, Error>) -> String {
    result.unwrap_or_else(|error| error_text(&error))
}

fn error_text(error: &Error) -> String {
    let report = error.report.as_deref();
    let error = Object::new()
        .text("code", error.code.word())
        .sentence("message", &error.message)
        .advice("hint", hint(error).as_ref())
        .raw("report", &report.map_or("null".to_owned(), report_text))
        .raw("choices", &choices_json(&report.map(Report::choices).unwrap_or_default()))
        .done();
    Object::new().raw("error", &error).done()
}

fn hint(error: &Error) -> Option<Sentence> {
    match error.code {
        // The page works on what it has in memory.
        Code::ChangedMeanwhile => Some(say!(
            "Reload the page to see what is there now, then try again. Nothing was changed."
        )),
        _ => error.hint.clone(),
    }
}

/// The report, and whether waiting would help.
pub(crate) fn report_text(report: &Report) -> String {
    let mut report = report.clone();
    if report.valid {
        // What the user is asked about.
        report.warnings.retain(|warning| ask::SAID_BEFORE.contains(&warning.code));
    }
    report.json().flag("waits", report.choices().contains(&Choice::Wait)).done()
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

fn for_notice(warnings: &[Finding]) -> Vec<Finding> {
    warnings.iter().filter(|warning| !is_known(warning.code)).cloned().collect()
}

/// What was healed, in words.
pub(crate) fn healed(list: &[Healed]) -> String {
    let said: Vec<Sentence> = list
        .iter()
        .map(|healed| match healed {
            Healed::Finished(operation) => {
                say!("“{0}” had been interrupted and is complete now.", &operation.name)
            }
            Healed::Undone(operation) => say!(
                "“{0}” had been interrupted before it existed; what was left of it is gone.",
                &operation.name,
            ),
            Healed::Left(why) => why.clone(),
        })
        .collect();
    sentences_json(&said)
}
