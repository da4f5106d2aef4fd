//! `lorefork verify`: is a timeline still what its record says?

use lorefork::timeline::verify::{self, Answer as State, Verified};

use crate::args::{Globals, Verify};
use crate::error::{Exit, Failure};
use crate::output::style::{BAD, GOOD};
use crate::output::{Answer, Page, Text, value};

pub(super) fn run(globals: &Globals, args: &Verify) -> Result<Answer, Failure> {
    let place = globals.chat(&args.chat.name)?;
    let found = pollster::block_on(verify::verify(&place.host, &place.chat))?;
    let exit = match found.state {
        State::Untouched | State::Continued => Exit::Done,
        State::Differs | State::Damaged => Exit::No,
    };
    Ok(Answer { exit, page: page(&found), json: value(&found.json()) })
}

fn page(found: &Verified) -> Page {
    let (style, mark, word, says) = match found.state {
        State::Untouched => (GOOD, "✓ ", "untouched: ", " is exactly as it was made."),
        State::Continued => (GOOD, "✓ ", "continued: ", " went on since it was made."),
        State::Differs => (BAD, "✗ ", "differs: ", " is as it was made, but its lore is not."),
        State::Damaged => (BAD, "✗ ", "damaged: ", " lacks something it needs."),
    };
    let mut page = Page::new();
    page.hanging(0, 2, Text::new().styled(style, mark).strong(word).name(&found.chat).plain(says));
    page.blank();
    let last = found.last.map_or_else(|| "none".to_owned(), |last| last.to_string());
    let mut fields =
        vec![("last message", format!("{} when it was made, {last} now", found.at).into())];
    let lorebook = found.lorebook.as_ref();
    fields.push(("lorebook", lorebook.map_or("none".into(), |name| Text::new().name(name))));
    fields.push(("file", found.file.as_str().into()));
    page.fields(2, fields);
    if !found.differences.is_empty() {
        page.blank();
        page.line(2, "What is different:");
        for difference in &found.differences {
            page.hanging(2, 2, Text::new().quiet("– ").plain(difference.to_string()));
        }
    }
    page
}
