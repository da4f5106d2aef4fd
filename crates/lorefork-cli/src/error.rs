//! Why a command did not do what was asked, and its exit code.

use std::process::ExitCode;

use lorefork::error::{Error, ErrorKind};
use lorefork::fork::report::Report;
use lorefork::host::{HostError, HostErrorKind};
use lorefork_disk::{FindError, SelectError};
use serde_json::{Value, json};

use crate::output::style::BAD;
use crate::output::{Page, Text, findings};

/// Exit codes. They are part of what scripts rely on.
///
/// 130 is missing: an interrupt ends the process by its signal, which shells report as 130.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Exit {
    /// Done; yes; nothing found.
    Done = 0,
    /// The answer is no.
    No = 1,
    /// It could not be done: input, usage, disk.
    CouldNot = 2,
    /// Somebody else is writing.
    SomebodyElse = 3,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}

impl From<ErrorKind> for Exit {
    fn from(kind: ErrorKind) -> Self {
        match kind {
            ErrorKind::No => Self::No,
            ErrorKind::CouldNot => Self::CouldNot,
            ErrorKind::SomebodyElse => Self::SomebodyElse,
        }
    }
}

/// A command that failed.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) exit: Exit,
    code: String,
    message: String,
    hint: String,
    report: Option<Box<Report>>,
    /// What could have been meant.
    candidates: Vec<String>,
}

impl Failure {
    /// Something that could not be done.
    pub(crate) fn new(code: &str, message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self {
            exit: Exit::CouldNot,
            code: code.to_owned(),
            message: message.into(),
            hint: hint.into(),
            report: None,
            candidates: Vec::new(),
        }
    }

    /// With what could have been meant.
    pub(crate) fn with_candidates(mut self, candidates: Vec<String>) -> Self {
        self.candidates = candidates;
        self
    }

    pub(crate) fn json(&self) -> Value {
        let mut error = json!({
            "code": self.code,
            "message": self.message,
            "hint": self.hint,
            "report": self.report,
        });
        if !self.candidates.is_empty() {
            error["candidates"] = json!(self.candidates);
        }
        json!({ "error": error })
    }

    pub(crate) fn page(&self) -> Page {
        let mut page = Page::new();
        let error = Text::new().styled(BAD, "error: ");
        match &self.report {
            Some(report) if report.errors.len() + report.warnings.len() > 1 => {
                let why = match report.errors.len() {
                    1 => "because a requirement is not met".to_owned(),
                    count => format!("because {count} requirements are not met"),
                };
                page.line(0, error.plain(format!("refused, {why}. Nothing was written.")));
                page.blank();
                findings::numbered(&mut page, &report.errors, &report.warnings);
            }
            _ => {
                page.hanging(0, 7, error.plain(&self.message));
                for candidate in &self.candidates {
                    page.fixed(9, candidate);
                }
                findings::action(&mut page, 2, &self.hint);
            }
        }
        page
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self {
            exit: error.kind().into(),
            code: error.code.to_string(),
            message: error.message,
            hint: error.hint,
            report: error.report,
            candidates: Vec::new(),
        }
    }
}

impl From<HostError> for Failure {
    fn from(error: HostError) -> Self {
        let (code, exit) = match error.kind {
            HostErrorKind::Busy => ("BUSY", Exit::SomebodyElse),
            HostErrorKind::Changed => ("CHANGED_MEANWHILE", Exit::SomebodyElse),
            HostErrorKind::Absent => ("CHAT_NOT_FOUND", Exit::CouldNot),
            HostErrorKind::Outside => ("OUTSIDE_ROOT", Exit::CouldNot),
            _ => ("READ_FAILED", Exit::CouldNot),
        };
        Self { exit, ..Self::new(code, error.to_string(), "") }
    }
}

impl From<FindError> for Failure {
    fn from(error: FindError) -> Self {
        let code = match error {
            FindError::Circle(_) => "OUTSIDE_ROOT",
            FindError::UnknownUser { .. } => "UNKNOWN_USER",
            FindError::Disk { .. } => "READ_FAILED",
            _ => "NO_DATA_FOLDER",
        };
        Self::new(code, error.to_string(), sentence(&error.hint()))
    }
}

impl From<SelectError> for Failure {
    fn from(error: SelectError) -> Self {
        let code = match error {
            SelectError::Host(error) => return error.into(),
            SelectError::Ambiguous { .. } => "AMBIGUOUS_CHAT",
            _ => "CHAT_NOT_FOUND",
        };
        let ending = match &error {
            SelectError::Unknown { candidates, .. } if !candidates.is_empty() => "; there are:",
            SelectError::Ambiguous { .. } => ":",
            _ => "",
        };
        let hint = error.hint().map(sentence).unwrap_or_default();
        let mut failure = Self::new(code, format!("{error}{ending}"), hint);
        failure.candidates = error.candidates().to_vec();
        failure
    }
}

/// With a capital letter and a full stop.
fn sentence(text: &str) -> String {
    let mut chars = text.chars();
    let first = chars.next().map(char::to_uppercase);
    let mut text: String = first.into_iter().flatten().chain(chars).collect();
    if !text.ends_with(['.', ')', '?']) {
        text.push('.');
    }
    text
}
