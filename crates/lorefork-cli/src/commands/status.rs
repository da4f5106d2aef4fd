//! `lorefork status CHAT`: what one timeline is.

use lorefork::audit::Code;
use lorefork::family::{Family, View};
use lorefork::json::Json;
use lorefork::timeline::status::{self, Status};

use super::{overview, tree};
use crate::args::{self, Globals};
use crate::error::{Exit, Failure};
use crate::output::style::{BAD, CARE, GOOD};
use crate::output::{Answer, Page, Text, findings, value, words};

pub(super) fn run(globals: &Globals, args: &args::Status) -> Result<Answer, Failure> {
    let Some(chat) = &args.chat else { return overview::run(globals) };
    let place = globals.chat(chat)?;
    let status = pollster::block_on(status::status(&place.host, &place.chat))?;
    let mut page = page(&status);
    if !globals.json {
        let owner = Some(&place.chat.owner);
        let family = pollster::block_on(tree::of(&place.host, owner, Some(&place.chat), false))?;
        // Alone, there is nothing to see.
        let is_alone = |(family, _): &(Family, View)| family.timelines.len() < 2;
        if !family.iter().flat_map(|shown| &shown.families).all(is_alone) {
            page.blank();
            tree::draw(&mut page, &family, true);
        }
    }
    Ok(Answer { exit: Exit::Done, page, json: value(&status.json()) })
}

fn page(status: &Status) -> Page {
    let mut page = Page::new();
    let last = match status.last_message {
        Some(last) => words::count(last + 1, "message", "messages"),
        None => "no messages".to_owned(),
    };
    page.line(0, Text::new().name(&status.current_chat).quiet(format!("  {last}")));
    page.blank();
    page.fields(2, vec![("timeline", origin(status)), ("lorebook", lorebook(status))]);
    page.blank();
    for (style, mark, text) in checks(status) {
        page.hanging(2, 2, Text::new().styled(style, mark).then(text));
    }
    if !status.shared_with.is_empty() {
        page.blank();
        page.line(2, "These use the same lorebook:");
        for other in &status.shared_with {
            page.hanging(4, 2, other);
        }
        let what = "“lorefork fix” takes them apart: each gets what its own story wrote. “lorefork \
                    isolate” gives one its own, with what the others wrote until now.";
        page.hanging(2, 2, Text::new().quiet("→ ").plain(what));
    }
    page
}

fn origin(status: &Status) -> Text {
    match &status.main_chat {
        None => "a main chat".into(),
        Some(parent) => {
            let text = Text::new().plain("a copy of ").name(parent);
            match made_at(status) {
                Some(at) => text.plain(format!(", made at message {at}")),
                None => text,
            }
        }
    }
}

fn made_at(status: &Status) -> Option<usize> {
    Json::parse(status.checkpoint_state.as_deref()?).ok()?.get("message_id")?.count()
}

fn lorebook(status: &Status) -> Text {
    match &status.current_lorebook {
        Some(name) => Text::new().name(name),
        None => "none".into(),
    }
}

type Check = (anstyle::Style, &'static str, Text);

/// Something that is wrong, and the code to ask about.
fn wrong(says: impl AsRef<str>, code: Code) -> Text {
    Text::new().plain(says).then(findings::code_of(code))
}

fn checks(status: &Status) -> Vec<Check> {
    let mut checks: Vec<Check> = Vec::new();
    match (status.lorebook_exists, status.shared_with.len()) {
        (None, _) => {}
        (Some(false), _) => {
            let text = wrong("its lorebook does not exist", Code::MissingLorebook);
            checks.push((BAD, "✗ ", text));
        }
        (Some(true), 0) => checks.push((GOOD, "✓ ", "no other chat uses its lorebook".into())),
        (Some(true), others) => {
            let others = words::count(others, "other chat uses", "other chats use");
            let text = wrong(format!("{others} its lorebook"), Code::SharedLorebook);
            checks.push((CARE, "! ", text));
        }
    }
    match status.lorebook_match {
        Some(true) => checks.push((GOOD, "✓ ", "it has the lorebook it was made with".into())),
        Some(false) => {
            let text = "it does not have the lorebook it was made with";
            checks.push((BAD, "✗ ", wrong(text, Code::LorebookMismatch)));
        }
        None => {}
    }
    if let Some(version) = status.running_recap_current_version {
        let recap = format!("version {version} of the running recap is in use");
        checks.push((GOOD, "✓ ", recap.into()));
    }
    if status.running_recap_version_match == Some(false) {
        let recap = "the version of the running recap it was made with is gone";
        checks.push((BAD, "✗ ", wrong(recap, Code::RecapVersionMissing)));
    }
    if checks.is_empty() {
        checks.push((GOOD, "✓ ", "no lorebook, so nothing to share".into()));
    }
    checks
}
