//! Why a command did not do what was asked, and its exit code.

use std::process::ExitCode;

use lorefork::choice::{Choice, choices_json};
use lorefork::error::report::Report;
use lorefork::error::{Code, Error, ErrorKind};
use lorefork::host::HostError;
use lorefork::json::sentence_json;
use lorefork::sentence::Sentence;
use lorefork_disk::{FindError, SelectError};
use serde_json::{Value, json};

use crate::code::{Own, Word};
use crate::output::style::BAD;
use crate::output::{Page, Text, choices, findings, value};

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
    code: &'static str,
    message: String,
    hint: String,
    /// The same as the engine said it.
    said: Option<Box<Said>>,
    report: Option<Box<Report>>,
    /// What could have been meant.
    candidates: Vec<String>,
    /// How many more there are.
    further: usize,
}

/// What the engine said, for whoever speaks another language.
#[derive(Debug)]
struct Said {
    message: Sentence,
    hint: Option<Sentence>,
    choices: Vec<Choice>,
}

/// More would fill the screen.
const MOST_LINES: usize = 10;

impl Failure {
    /// Something that could not be done.
    pub(crate) fn new(
        code: impl Word,
        message: impl Into<String>,
        hint: impl Into<String>,
    ) -> Self {
        Self {
            exit: Exit::CouldNot,
            code: code.word(),
            message: message.into(),
            hint: hint.into(),
            said: None,
            report: None,
            candidates: Vec::new(),
            further: 0,
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
            "report": self.report.as_ref().map(|report| value(&report.json().done())),
        });
        if let Some(said) = &self.said {
            let message = value(&sentence_json(&said.message));
            error["says"] = message["says"].clone();
            error["with"] = message["with"].clone();
            let hint = said.hint.as_ref().map(|hint| value(&sentence_json(hint)));
            error["advice"] = hint.unwrap_or_default();
            error["choices"] = value(&choices_json(&said.choices));
        }
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
                let text = error.plain(&self.message);
                page.hanging(0, 7, text.then(findings::code_of(self.code)));
                self.list(&mut page);
                findings::action(&mut page, 2, &self.hint);
            }
        }
        page
    }

    /// What could have been meant: on a line each, or, if these are many, one after the other.
    fn list(&self, page: &mut Page) {
        if self.candidates.len() > MOST_LINES {
            page.line(2, self.candidates.join(", "));
            return;
        }
        for candidate in &self.candidates {
            page.hanging(2, 2, Text::new().quiet("– ").plain(candidate));
        }
        if self.further > 0 {
            page.line(2, Text::new().quiet(format!("and {} more", self.further)));
        }
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        let code = error.code.word();
        let exit = error.kind().into();
        let error = error.into_refusal();
        Self {
            exit,
            code,
            message: error.message.to_string(),
            hint: choices::advised(code, error.hint.as_ref(), &error.choices),
            report: error.report,
            said: Some(Box::new(Said {
                message: error.message,
                hint: error.hint,
                choices: error.choices,
            })),
            candidates: Vec::new(),
            further: 0,
        }
    }
}

impl From<HostError> for Failure {
    fn from(error: HostError) -> Self {
        Error::from(error).into()
    }
}

impl From<FindError> for Failure {
    fn from(error: FindError) -> Self {
        let (message, hint) = (error.to_string(), sentence(&error.hint()));
        match error {
            FindError::Circle(_) => Self::new(Code::OutsideRoot, message, hint),
            FindError::UnknownUser { .. } => Self::new(Own::UnknownUser, message, hint),
            FindError::Disk { .. } => Self::new(Code::ReadFailed, message, hint),
            _ => Self::new(Own::NoDataFolder, message, hint),
        }
    }
}

impl From<SelectError> for Failure {
    fn from(error: SelectError) -> Self {
        let hint = error.hint().map(sentence).unwrap_or_default();
        let mut failure = match &error {
            SelectError::Host(error) => return error.clone().into(),
            SelectError::Ambiguous { .. } => {
                Self::new(Own::AmbiguousChat, format!("{error}:"), hint)
            }
            SelectError::Unknown { candidates, .. } if !candidates.is_empty() => {
                Self::new(Code::ChatNotFound, format!("{error}; there are:"), hint)
            }
            _ => Self::new(Code::ChatNotFound, error.to_string(), hint),
        };
        failure.candidates = error.candidates().to_vec();
        failure.further = error.further();
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
