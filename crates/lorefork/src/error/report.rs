//! The requirements report: all that speaks against a fork, collected, not just the first.

use crate::choice::{Choice, choices_json};
use crate::error::{Code, Error};
use crate::json::{Object, array};
use crate::sentence::Sentence;

/// How much is asked of a fork.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Policy {
    /// Only what would damage a story blocks.
    #[default]
    Standard,
    /// The fork point must be a finished scene as well.
    Strict,
}

/// One thing that was found.
#[derive(Debug, Clone, PartialEq)]
pub struct Finding {
    /// By which scripts and pages know it.
    pub code: Code,
    /// What was found, without a full stop.
    pub message: Sentence,
    /// The same of the message in question, without its number: for all that are judged alike.
    pub here: Option<Sentence>,
    /// What the user can do, in words; nothing if there is nothing to say.
    pub action: Option<Sentence>,
    /// The same as data.
    pub choices: Vec<Choice>,
    /// More for machines: JSON text.
    pub details: Option<String>,
}

impl Finding {
    /// Without choices and details; those are added.
    pub fn new(code: Code, message: Sentence, action: impl Into<Option<Sentence>>) -> Self {
        let (here, choices, action) = (None, Vec::new(), action.into());
        Self { code, message, here, action, choices, details: None }
    }

    /// With the words for all messages that are judged like this one.
    #[must_use]
    pub fn here(mut self, sentence: Sentence) -> Self {
        self.here = Some(sentence);
        self
    }

    /// With something that the user can do.
    #[must_use]
    pub fn or(mut self, choice: Choice) -> Self {
        self.choices.push(choice);
        self
    }

    /// With more for machines: these keys stand in `details`.
    #[must_use]
    pub fn with(mut self, details: &mut Object) -> Self {
        self.details = Some(details.done());
        self
    }

    /// As answers have it.
    pub fn json(&self) -> String {
        let mut object = Object::new();
        object
            .text("code", self.code.word())
            .sentence("message", &self.message)
            .advice("action", self.action.as_ref())
            .raw("choices", &choices_json(&self.choices));
        if let Some(details) = &self.details {
            object.raw("details", details);
        }
        object.done()
    }
}

/// All of them, as a JSON array.
pub fn findings_json(findings: &[Finding]) -> String {
    array(&findings.iter().map(Finding::json).collect::<Vec<_>>())
}

/// What was seen at the fork point.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct State {
    /// Whether no work of Auto-Recap waits in the lorebook.
    pub queue_empty: bool,
    /// Whether a scene ends at the fork point.
    pub has_scene_break: bool,
    /// Whether that scene has been recapped.
    pub has_scene_recap: bool,
    /// Whether the chat has a running recap at all.
    pub has_running_recap: bool,
    /// The fork point: the new timeline's last message.
    pub message_index: usize,
}

/// May it be forked here?
#[derive(Debug, Clone, PartialEq)]
pub struct Report {
    /// Whether nothing forbids it; warnings do not.
    pub valid: bool,
    /// What forbids it.
    pub errors: Vec<Finding>,
    /// What the user should know though it is allowed.
    pub warnings: Vec<Finding>,
    /// What was looked at.
    pub state: State,
}

impl Report {
    /// A report in which nothing was found so far.
    pub fn new(state: State) -> Self {
        Self { valid: true, errors: Vec::new(), warnings: Vec::new(), state }
    }

    /// What is asked of a report; a host may add to it.
    pub fn json(&self) -> Object {
        let state = Object::new()
            .flag("queueEmpty", self.state.queue_empty)
            .flag("hasSceneBreak", self.state.has_scene_break)
            .flag("hasSceneRecap", self.state.has_scene_recap)
            .flag("hasRunningRecap", self.state.has_running_recap)
            .count("messageIndex", self.state.message_index)
            .done();
        let mut object = Object::new();
        object
            .flag("valid", self.valid)
            .raw("errors", &findings_json(&self.errors))
            .raw("warnings", &findings_json(&self.warnings))
            .raw("state", &state);
        object
    }

    pub(crate) fn error(&mut self, finding: Finding) {
        self.valid = false;
        self.errors.push(finding);
    }

    pub(crate) fn warning(&mut self, finding: Finding) {
        self.warnings.push(finding);
    }

    /// An error in strict mode, a warning otherwise.
    pub(crate) fn strict(&mut self, policy: Policy, finding: Finding) {
        match policy {
            Policy::Standard => self.warning(finding),
            Policy::Strict => self.error(finding),
        }
    }

    /// What the user can choose to go on all the same: nothing, if that would not help against every
    /// error.
    pub fn choices(&self) -> Vec<Choice> {
        let mut all: Vec<Choice> = Vec::new();
        for error in &self.errors {
            let mut ways = error.choices.iter().filter(|choice| choice.goes_on()).peekable();
            if ways.peek().is_none() {
                return Vec::new();
            }
            for choice in ways {
                if !all.contains(choice) {
                    all.push(choice.clone());
                }
            }
        }
        all
    }

    /// The refusal that this report is, if it is one: the first error, all in the report.
    pub fn refusal(&self) -> Option<Error> {
        self.refusal_for(self.errors.first()?)
    }

    /// The refusal because of a warning that the user has to agree to first.
    pub(crate) fn question(&self, ask: &[Code]) -> Option<Error> {
        self.refusal_for(self.warnings.iter().find(|warning| ask.contains(&warning.code))?)
    }

    fn refusal_for(&self, first: &Finding) -> Option<Error> {
        let mut error = Error::new(first.code, first.message.clone(), first.action.clone());
        error.choices.clone_from(&first.choices);
        error.report = Some(Box::new(self.clone()));
        Some(error)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::say;

    #[test]
    fn choices_are_those_that_help() {
        let finding = |choices: &[Choice]| Finding {
            choices: choices.to_vec(),
            ..Finding::new(Code::NoSnapshot, say!("no"), None)
        };
        let chosen = |all: &[&[Choice]]| {
            let mut report = Report::new(State::default());
            all.iter().for_each(|choices| report.error(finding(choices)));
            report.choices()
        };
        use Choice::*;
        let queue = [Wait, DropQueue];
        assert_eq!(chosen(&[&queue, &[Wait]]), queue);
        assert_eq!(chosen(&[&queue, &[Live, Empty, Fix]]), [Wait, DropQueue, Live, Empty]);
        // Nothing that is chosen for one cause would help against another.
        assert_eq!(chosen(&[&queue, &[]]), []);
        assert_eq!(chosen(&[&queue, &[Rename]]), []);
    }
}
