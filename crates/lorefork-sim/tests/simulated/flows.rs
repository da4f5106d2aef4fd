//! Every call of every flow: refused, its answer lost, crashed at, and with others writing or the
//! user leaving after it. The invariants hold at once, and after recovery, and the error is the
//! right one.

use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::TestRunner;

use lorefork::error::{Code, Error};
use lorefork::fork::{Request, create, isolate};
use lorefork::moment::LoreChoice;
use lorefork::operation::recover::heal;
use lorefork::tavern::names::Kind;
use lorefork::tavern::place::ChatRef;
use lorefork_sim::story::{Story, remembered};
use lorefork_sim::{Ended, Expectation, Fault, Outcome, Script, SimHost, check};

type Answer = Ended<Result<ChatRef, Error>>;

/// A flow over a story.
struct Case {
    name: &'static str,
    story: Story,
    outside: bool,
    what: What,
}

enum What {
    Fork(Request),
    Isolate,
}

impl Case {
    fn host(&self, script: Script) -> SimHost {
        let host = SimHost::new(self.story.folder.clone());
        let host = if self.outside { host.outside() } else { host };
        host.with_script(script)
    }

    fn run(&self, host: &SimHost) -> Answer {
        host.run(async {
            match &self.what {
                What::Fork(request) => create(host, request).await.map(|created| created.place),
                What::Isolate => {
                    let chat = &self.story.parent;
                    isolate(host, chat, LoreChoice::Auto).await.map(|_| chat.clone())
                }
            }
        })
    }

    fn expectation(&self, host: &SimHost, answer: &Answer) -> Expectation {
        let expectation = match &self.what {
            What::Fork(request) => Expectation::fork(&request.chat, request.at.unwrap_or(0)),
            What::Isolate => Expectation::isolate(&self.story.parent),
        };
        let expectation = if self.outside { expectation.outside() } else { expectation };
        let outcome = match answer {
            Ended::Returned(Ok(chat)) => Outcome::Made(chat.clone()),
            Ended::Returned(Err(error))
                if matches!(error.code, Code::AnswerLost | Code::NotTakenBack) =>
            {
                Outcome::Unsaid
            }
            Ended::Returned(Err(_)) => Outcome::Nothing,
            Ended::Crashed => Outcome::Unsaid,
        };
        expectation.outcome(outcome).earlier(host.earlier())
    }

    fn menu(&self) -> Vec<Fault> {
        Fault::menu(&self.story.parent, self.story.lorebook.as_deref())
    }

    /// Runs a script, then recovery, and checks after each.
    fn try_script(&self, script: &Script, problems: &mut Problems) -> Answer {
        let host = self.host(script.clone());
        let answer = self.run(&host);
        let expectation = self.expectation(&host, &answer);
        let about = format!("{}, outside: {}, {script:?}", self.name, self.outside);
        problems.judge(&format!("{about}, at once, {answer:?}"), &host, &expectation);
        let next = host.restart();
        recover(&next);
        let expectation = expectation.recovered();
        problems.judge(&format!("{about}, recovered, {answer:?}"), &next, &expectation);
        answer
    }

    /// Crashes recovery itself, at each of its calls, and lets the next one finish.
    fn crash_recovery(&self, script: &Script, problems: &mut Problems) {
        let host = self.host(script.clone());
        let answer = self.run(&host);
        let expectation = self.expectation(&host, &answer).recovered();
        let calm = host.restart();
        recover(&calm);
        for n in 1..=calm.trace().len() {
            for happened in [false, true] {
                let crash = Script::calm().at(n, Fault::Crash { happened });
                let crashed = host.restart().with_script(crash.clone());
                recover(&crashed);
                let last = crashed.restart();
                recover(&last);
                let about = format!("{}, {script:?}, then {crash:?}", self.name);
                problems.judge(&about, &last, &expectation);
            }
        }
    }
}

fn recover(host: &SimHost) {
    if let Ended::Returned(Err(error)) = host.run(heal(host)) {
        panic!("recovery said {error:?}");
    }
}

/// What went wrong, one example of each kind: one mistake shows at many calls.
#[derive(Default)]
struct Problems {
    kinds: Vec<(String, String, usize)>,
    runs: usize,
}

impl Problems {
    fn judge(&mut self, about: &str, host: &SimHost, expectation: &Expectation) {
        self.runs += 1;
        let found = check(&host.unaided(), &host.folder(), expectation);
        for violation in found.err().unwrap_or_default() {
            self.add(violation.to_string(), about);
        }
    }

    fn add(&mut self, kind: String, about: &str) {
        match self.kinds.iter_mut().find(|(other, ..)| *other == kind) {
            Some((.., count)) => *count += 1,
            None => self.kinds.push((kind, about.to_owned(), 1)),
        }
    }

    fn report(self) {
        let shown: Vec<String> = self
            .kinds
            .iter()
            .map(|(kind, about, count)| format!("{count} times: {kind}\n    first: {about}"))
            .collect();
        assert!(shown.is_empty(), "in {} checks\n{}", self.runs, shown.join("\n"));
    }
}

/// Which answers a single fault may lead to.
fn is_right(fault: &Fault, answer: &Answer, outside: bool) -> bool {
    let code = match answer {
        Ended::Crashed => return matches!(fault, Fault::Crash { .. }),
        Ended::Returned(Ok(_)) => return !matches!(fault, Fault::Crash { .. }),
        Ended::Returned(Err(error)) => error.code,
    };
    match fault {
        Fault::Refuse => matches!(code, Code::ReadFailed | Code::WriteFailed),
        Fault::LoseAnswer { .. } => matches!(code, Code::AnswerLost | Code::WriteFailed),
        // From outside nobody is in the chat, and a chat that grew is looked at again.
        Fault::SwitchChat => !outside && code == Code::ChatSwitched,
        Fault::ChangeChat { .. } => !outside && code == Code::ChangedMeanwhile,
        // Tried again, once, from the beginning.
        Fault::ChangeLorebook { .. } => false,
        Fault::TakeName => code == Code::NameTaken,
        Fault::Crash { .. } => false,
    }
}

/// The first drawn story that fits.
fn drawn(fits: impl Fn(&Story) -> bool) -> Story {
    let mut runner = TestRunner::deterministic();
    let mut stories =
        (0..2000).map(|_| remembered().new_tree(&mut runner).expect("a story").current());
    stories.find(|story| fits(story)).expect("such a story")
}

fn cases() -> Vec<Case> {
    let early = |story: &Story| {
        story.messages > 6 && story.messages < 16 && story.scenes[0] + 2 < story.messages
    };
    let solo = |story: &Story| !story.plan.in_group && early(story);
    let fork = |kind: Kind, story: &Story, at: usize| {
        let mut request = Request::new(kind, story.parent.clone());
        request.at = Some(at);
        What::Fork(request)
    };
    let mut cases = Vec::new();
    for outside in [false, true] {
        let mut add = |name, story: Story, what| cases.push(Case { name, story, outside, what });
        let story = drawn(|story| solo(story) && story.scenes.len() > 1);
        let at = story.scenes[0] + 1;
        let what = fork(Kind::Checkpoint, &story, at);
        add("an early checkpoint", story, what);
        let story = drawn(|story| solo(story) && story.sibling.is_none());
        let what = fork(Kind::Branch, &story, story.messages - 1);
        add("a branch at the end", story, what);
        let story = drawn(|story| story.plan.in_group && early(story));
        let what = fork(Kind::Branch, &story, story.messages - 1);
        add("a branch in a group", story, what);
        let story = drawn(|story| solo(story) && story.sibling.is_some());
        add("an isolation", story, What::Isolate);
    }
    cases
}

#[test]
fn every_fault_at_every_call() {
    let mut problems = Problems::default();
    for case in cases() {
        let calm = case.host(Script::calm());
        let answer = case.run(&calm);
        assert!(matches!(answer, Ended::Returned(Ok(_))), "{}: {answer:?}", case.name);
        for fault in case.menu() {
            for script in Script::one_by_one(&calm.trace(), std::slice::from_ref(&fault)) {
                let answer = case.try_script(&script, &mut problems);
                if !is_right(&fault, &answer, case.outside) {
                    let about = format!("{}, outside: {}, {script:?}", case.name, case.outside);
                    problems.add(format!("a wrong answer to {fault:?}: {answer:?}"), &about);
                }
            }
        }
    }
    problems.report();
}

#[test]
fn a_crash_at_every_call_then_one_at_every_call_of_recovery() {
    let mut problems = Problems::default();
    let crashes = [Fault::Crash { happened: false }, Fault::Crash { happened: true }];
    for case in cases() {
        let calm = case.host(Script::calm());
        case.run(&calm);
        for script in Script::one_by_one(&calm.trace(), &crashes) {
            case.crash_recovery(&script, &mut problems);
        }
    }
    problems.report();
}

#[test]
fn several_faults_at_random() {
    let mut problems = Problems::default();
    for case in cases() {
        let calm = case.host(Script::calm());
        case.run(&calm);
        for seed in 0..150 {
            let count = 2 + usize::try_from(seed % 3).expect("small");
            let script = Script::random(seed, calm.trace().len(), count, &case.menu());
            case.try_script(&script, &mut problems);
        }
    }
    problems.report();
}
