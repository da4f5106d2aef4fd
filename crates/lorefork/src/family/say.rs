//! Saying something of a timeline: label, colour, note, canon, archived. Undone like everything else.

use super::words::{Word, Words, is_colour, say as write};
use crate::error::{Code, Error};
use crate::fork::plan::unwritable;
use crate::host::{Host, Line};
use crate::operation::What;
use crate::operation::change::{Done, apply};
use crate::operation::order::{next_number, numbered_id};
use crate::operation::recover::{self, Healed};
use crate::operation::staging::Desk;
use crate::operation::title;
use crate::say;
use crate::sentence::Sentence;
use crate::tavern::chat::{Header, HeaderEdit};
use crate::tavern::place::ChatRef;
use crate::timeline::record::Record;

/// Longer ones would not fit beside a tree.
pub const LONGEST_LABEL: usize = 120;

/// What was said.
#[derive(Debug, Clone)]
pub struct Labelled {
    /// All that is said of the timeline now.
    pub words: Words,
    /// `None` if it was said already.
    pub done: Option<Done>,
    /// What earlier operations had left behind, and was healed first.
    pub healed: Vec<Healed>,
}

/// Says these of a timeline.
pub async fn label<H: Host>(host: &H, chat: &ChatRef, words: &[Word]) -> Result<Labelled, Error> {
    for word in words {
        refuse(word)?;
    }
    let _claim = host.claim(&format!("labelling {chat}")).await?;
    let healed = recover::heal(host).await?;
    let mut retried = false;
    loop {
        let mut desk = Desk::new(host);
        let before = desk.line(chat, Line::Header).await?;
        let header = Header::read(&before).map_err(|problem| {
            let message = say!("{0}: {1}", chat.file(), &problem);
            Error::new(Code::MissingHeader, message, say!("Restore the chat from a backup."))
        })?;
        if Record::is_newer(&header) {
            let message = say!("{0} has a record of a newer Lorefork", chat);
            return Err(Error::new(Code::NewerRecord, message, say!("Update Lorefork first.")));
        }
        let id = numbered_id(&host.id(), next_number(host).await?);
        let mut edit = HeaderEdit::new(&before);
        for word in words {
            write(&mut edit, &chat.name, &id, word).map_err(|error| unwritable(chat, &error))?;
        }
        let after = edit.into_text();
        let said = Header::read(&after).map(|header| Words::read(&header, &chat.name));
        let said = said.unwrap_or_default();
        if after == before {
            return Ok(Labelled { words: said, done: None, healed });
        }
        desk.set_line(chat, Line::Header, after).await?;
        let title = Sentence { says: title::JUST, with: vec![chat.into()] };
        match apply(host, What::Label, title, desk.changes()?).await {
            Ok(done) => return Ok(Labelled { words: said, done: Some(done), healed }),
            Err(error) if error.code == Code::ChangedMeanwhile && !retried => retried = true,
            Err(error) => return Err(error),
        }
    }
}

fn refuse(word: &Word) -> Result<(), Error> {
    match word {
        Word::Label(text) if text.trim().chars().count() > LONGEST_LABEL => Err(Error::new(
            Code::BadName,
            say!("the label has {0} letters", text.trim().chars().count()),
            say!("{0} at most fit beside a tree.", LONGEST_LABEL),
        )),
        Word::Colour(text) if !text.is_empty() && !is_colour(text) => Err(Error::new(
            Code::BadName,
            say!("“{0}” is no colour", text),
            say!("Give a name in small letters, or #rrggbb."),
        )),
        _ => Ok(()),
    }
}
