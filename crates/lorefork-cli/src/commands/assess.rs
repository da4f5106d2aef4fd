//! `lorefork assess`: may it be forked here?

use lorefork::error::report::{Policy, Report, State};
use lorefork::fork::{self, Request};
use lorefork::moment::Moment;
use lorefork::tavern::names::Kind;

use crate::args::{Assess, Globals};
use crate::error::{Exit, Failure};
use crate::output::style::{BAD, GOOD};
use crate::output::{Answer, Page, Text, findings, value, words};

pub(super) fn run(globals: &Globals, args: &Assess) -> Result<Answer, Failure> {
    let place = globals.chat(&args.chat.name)?;
    let mut request = Request::new(Kind::Checkpoint, place.chat.clone());
    request.at = args.at.message.map(|at| place.message(at)).transpose()?;
    request.policy = if args.strict.is_on { Policy::Strict } else { Policy::Standard };
    // The exit code is the one that making the checkpoint would end with.
    let (report, moment, exit) = match pollster::block_on(fork::dry_run(&place.host, &request)) {
        Ok(plan) => (plan.report, Some(plan.moment), Exit::Done),
        Err(error) => match (Exit::from(error.kind()), &error.report) {
            // For people, what could not even be asked is an error like any other.
            (Exit::CouldNot, _) if !globals.json => return Err(error.into()),
            (exit, Some(report)) => ((**report).clone(), None, exit),
            _ => return Err(error.into()),
        },
    };
    let page = page(&place.chat.name, &report, moment.as_ref());
    Ok(Answer { exit, json: value(&report.json().done()), page })
}

fn page(chat: &str, report: &Report, moment: Option<&Moment>) -> Page {
    let at = report.state.message_index;
    let mut page = Page::new();
    if report.valid {
        let text = Text::new().styled(GOOD, "✓ ").name(chat);
        page.hanging(0, 2, text.plain(format!(" can be forked at message {at}.")));
    } else {
        let text = Text::new().styled(BAD, "✗ ").name(chat);
        page.hanging(0, 2, text.plain(format!(" cannot be forked at message {at}.")));
    }
    if moment.is_some() || has_recaps(&report.state) {
        page.blank();
    }
    if let Some(moment) = moment {
        page.fields(2, vec![("lorebook from", words::lore(moment, at).into())]);
    }
    if has_recaps(&report.state) {
        state(&mut page, &report.state);
    }
    if report.valid {
        findings::warnings(&mut page, &report.warnings);
    } else {
        page.blank();
        findings::numbered(&mut page, &report.errors, &report.warnings);
    }
    page
}

/// Whether Auto-Recap has recorded anything here.
fn has_recaps(state: &State) -> bool {
    state.has_scene_break || state.has_scene_recap || state.has_running_recap
}

fn state(page: &mut Page, state: &State) {
    let at = state.message_index;
    let mark = |is_so: bool, yes: &str, no: &str| match is_so {
        true => Text::new().styled(GOOD, "✓ ").plain(yes),
        false => Text::new().quiet("– ").plain(no),
    };
    let (ends, goes_on) =
        (format!("message {at} ends a scene"), format!("message {at} does not end a scene"));
    page.fields(
        2,
        vec![
            ("work queue", mark(state.queue_empty, "empty", "not empty")),
            ("scene break", mark(state.has_scene_break, &ends, &goes_on)),
            ("scene recap", mark(state.has_scene_recap, "there is one", "none here")),
            ("running recap", mark(state.has_running_recap, "there is one", "none yet")),
        ],
    );
}
