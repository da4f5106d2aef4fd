//! Forks and isolations of generated folders, in calm: every invariant holds, whatever is in them.

use proptest::prelude::*;

use lorefork::error::Error;
use lorefork::fork::{Request, create, isolate};
use lorefork::moment::LoreChoice;
use lorefork::tavern::names::Kind;
use lorefork::tavern::place::ChatRef;
use lorefork_sim::story::{Queue, Story, remembered, story};
use lorefork_sim::{Ended, Expectation, Outcome, SimHost, check};

fn host(story: &Story, outside: bool) -> SimHost {
    let host = SimHost::new(story.folder.clone());
    if outside { host.outside() } else { host }
}

/// Checks what an answer means for the folder.
fn holds(
    host: &SimHost,
    outside: bool,
    expectation: Expectation,
    answer: &Result<Option<ChatRef>, Error>,
) -> Result<(), TestCaseError> {
    let outcome = match answer {
        Ok(Some(chat)) => Outcome::Made(chat.clone()),
        Ok(None) | Err(_) => Outcome::Nothing,
    };
    let expectation = if outside { expectation.outside() } else { expectation };
    let expectation = expectation.outcome(outcome).recovered();
    if let Err(violations) = check(&host.unaided(), &host.folder(), &expectation) {
        let sentences: Vec<String> = violations.iter().map(ToString::to_string).collect();
        return Err(TestCaseError::fail(format!("{answer:?}\n{}", sentences.join("\n"))));
    }
    Ok(())
}

fn fork(
    story: &Story,
    request: &Request,
    outside: bool,
) -> Result<Result<(), Error>, TestCaseError> {
    let host = host(story, outside);
    let Ended::Returned(answer) = host.run(create(&host, request)) else {
        return Err(TestCaseError::fail("crashed in calm"));
    };
    let at = request.at.unwrap_or(story.messages - 1);
    let mut expectation = Expectation::fork(&request.chat, at);
    if let Some(swipe) = request.swipe {
        expectation = expectation.of_swipe(swipe);
    }
    if request.lore == LoreChoice::Share {
        expectation = expectation.shared();
    }
    let answer = answer.map(|created| Some(created.place));
    holds(&host, outside, expectation, &answer)?;
    Ok(answer.map(|_| ()))
}

fn kind() -> impl Strategy<Value = Kind> {
    prop_oneof![Just(Kind::Checkpoint), Just(Kind::Branch)]
}

fn lore() -> impl Strategy<Value = LoreChoice> {
    prop_oneof![
        6 => Just(LoreChoice::Auto),
        1 => Just(LoreChoice::Live),
        1 => Just(LoreChoice::Snapshot),
        1 => Just(LoreChoice::Empty),
        1 => Just(LoreChoice::Share),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(200) })]

    #[test]
    fn any_fork_keeps_the_invariants(
        story in story(),
        at in any::<prop::sample::Index>(),
        kind in kind(),
        lore in lore(),
        outside: bool,
        drop_queue: bool,
    ) {
        let mut request = Request::new(kind, story.parent.clone());
        request.at = Some(at.index(story.messages));
        request.lore = lore;
        request.drop_queue = drop_queue;
        let _ = fork(&story, &request, outside)?;
    }

    #[test]
    fn what_is_remembered_can_be_forked(
        story in remembered(),
        at in any::<prop::sample::Index>(),
        kind in kind(),
        outside: bool,
    ) {
        let mut request = Request::new(kind, story.parent.clone());
        let first = story.scenes[0];
        request.at = Some(first + at.index(story.messages - first));
        let answer = fork(&story, &request, outside)?;
        prop_assert!(answer.is_ok(), "{:?}", answer);
    }

    #[test]
    fn any_swipe_can_be_branched(story in remembered(), nth in any::<prop::sample::Index>(), swipe in 0usize..4) {
        let first = story.scenes[0];
        let at = first + nth.index(story.messages - first);
        let mut request = Request::new(Kind::Branch, story.parent.clone());
        request.at = Some(at);
        request.swipe = Some(swipe);
        let _ = fork(&story, &request, false)?;
    }

    #[test]
    fn any_isolation_keeps_the_invariants(story in story(), lore in lore(), outside: bool) {
        prop_assume!(lore != LoreChoice::Share);
        let host = host(&story, outside);
        let chat = &story.parent;
        let answer = host.run(isolate(&host, chat, lore)).returned().expect("no crash in calm");
        let answer = answer.map(|done| done.changed.then(|| chat.clone()));
        let waits = story.queue == Queue::Waiting;
        let expectation = Expectation::isolate(chat);
        holds(&host, outside, expectation, &answer)?;
        prop_assert!(answer.is_ok() || waits || story.lorebook.is_some(), "{:?}", answer);
    }
}
