//! Making: the bytes of a new lorebook and of a timeline's header.

use super::look::{Look, SeenLorebook};
use super::plan::family_id;
use super::request::Request;
use super::undecided::{self, Open};
use crate::error::report::{Finding, Report};
use crate::error::{Code, Error};
use crate::host::ChatView;
use crate::json::JsonError;
use crate::memory::back::{Exchange, Rewind};
use crate::memory::checkpoints;
use crate::memory::entries::{by_name, is_queue};
use crate::memory::fingerprint::fingerprint;
use crate::memory::parting::{self, Parting};
use crate::memory::ranges::{self, Told};
use crate::memory::scene::snapshot_of;
use crate::moment::live::{self, Origin, RECORD_VERSION};
use crate::moment::metadata::rewind;
use crate::moment::{Moment, Quality, Source, foreign, rebuild};
use crate::sentence::Value;
use crate::tavern::chat::{Header, HeaderEdit, Message};
use crate::tavern::group::Group;
use crate::tavern::lorebook::{Lorebook, empty_book};
use crate::tavern::names::{self, Kind};
use crate::tavern::place::{ChatRef, lorebook_file};
use crate::tavern::slug;
use crate::tavern::time::iso;
use crate::timeline::record::{self, Lore, Parent, Record};
use crate::{say, say_count};

/// A lorebook to create.
#[derive(Debug, Clone)]
pub struct NewLorebook {
    /// A name that no lorebook has.
    pub name: String,
    /// The whole file.
    pub text: String,
    /// The parent's.
    pub from: String,
    /// Its fingerprint.
    pub hash: String,
    /// How many entries it has besides the work queue.
    pub entries: usize,
    /// How many entries of the snapshot could not be placed.
    pub left_out: usize,
    /// How many memories could not, that belong to it and are not in the snapshot.
    pub memories_left_out: usize,
    /// Entries of which nobody can tell.
    pub undecided: Vec<Open>,
}

/// What the parts of a new timeline, or of a rebound one, are made from.
pub(super) struct Making<'m, C> {
    pub look: &'m Look<C>,
    pub live: Option<&'m Lorebook<'m>>,
    pub chat: &'m ChatRef,
    pub kind: Kind,
    pub id: &'m str,
    /// The name of the timeline it comes from.
    pub parent: &'m str,
    /// The lorebook that is written over, by its name; else a new one is made.
    pub keeps: Option<&'m str>,
    /// Whether its entries are ordered by name.
    pub reorder: bool,
    /// What it leaves to the timeline it comes from.
    pub parting: Parting,
}

impl<C: ChatView> Making<'_, C> {
    fn seen(&self) -> Option<&SeenLorebook> {
        self.look.lorebook.as_ref()
    }

    /// The name that all lorebooks of the family build on.
    pub(super) fn base(&self) -> Option<String> {
        let record = Record::own(&self.look.header(), &self.look.view.chat().name);
        record.and_then(|record| record.base).or_else(|| self.seen().map(|seen| seen.name.clone()))
    }

    fn new_book_name(&self) -> String {
        if let Some(name) = self.keeps {
            return name.to_owned();
        }
        let base = self.base().unwrap_or_default();
        // A chat that is rebound, and no fork.
        if self.chat == self.look.view.chat() && self.look.header().main_chat().is_none() {
            return names::lorebook::of_main(&base, &self.chat.name, &self.look.id);
        }
        names::lorebook::name(&base, self.kind, &self.chat.name, self.parent, &self.look.id)
    }

    /// Chats whose memories are the new timeline's: those of a checkpoint that serves as snapshot say
    /// that checkpoint's name.
    fn chats(&self, moment: &Moment) -> Vec<Told> {
        let mut chats = self.look.chats();
        let checkpoint = self.look.checkpoint.as_ref().filter(|_| moment.checkpoint.is_some());
        let book = checkpoint.and_then(|checkpoint| Lorebook::read(&checkpoint.lorebook).ok());
        let name = book.and_then(|book| book.ours()?.get("timeline")?.str().map(Told::own));
        chats.extend(name);
        chats
    }

    /// The lorebook with entries that say they are this timeline's, and not the one's they come from.
    fn with_identity(&self, text: String) -> String {
        let others = self.look.checkpoint.as_ref().map(|checkpoint| &checkpoint.identities);
        parting::for_timeline(text, &self.look.header(), &self.parting, others)
    }

    /// The bytes of the new lorebook.
    pub(super) fn lorebook(
        &self,
        moment: &Moment,
        report: &mut Report,
    ) -> Result<Option<NewLorebook>, Error> {
        let Some(seen) = self.seen() else { return Ok(None) };
        if matches!(moment.source, Source::None | Source::Shared) {
            return Ok(None);
        }
        if self.live.is_some_and(live::is_newer) {
            return Err(Error::new(
                Code::NewerRecord,
                say!(
                    "{0}: a newer Lorefork has written to this lorebook",
                    lorebook_file(&seen.file),
                ),
                say!("Update Lorefork, then try again. Nothing was changed."),
            ));
        }
        let name = self.new_book_name();
        let stamp = Origin {
            name: &name,
            id: self.id,
            timeline: &self.chat.name,
            from: &seen.name,
            at: self.look.at,
        };
        let (text, left_out) = self.lorebook_text(moment, seen, &stamp, report)?;
        let (text, memories_left_out) = match self.live {
            // What Auto-Recap wrote goes back by a snapshot alone, memories by their ranges.
            Some(live) if moment.source == Source::Snapshot || moment.is_filmed => {
                ranges::by_ranges(text, live, &self.look.chats(), self.look.at)
                    .map_err(|problem| corrupt(seen, &problem))?
            }
            _ => (text, 0),
        };
        let text = ranges::for_chat(text, &self.chats(moment), &self.chat.name);
        let text = self.with_identity(text);
        let text = match self.reorder {
            true => by_name(text).map_err(|problem| corrupt(seen, &problem))?,
            false => text,
        };
        let book = Lorebook::read(&text).map_err(|problem| corrupt(seen, &problem))?;
        // Fails if it is nested too deeply to be compared later.
        let hash = fingerprint(&book).map_err(|problem| corrupt(seen, &problem))?;
        let entries = book.entries.iter().filter(|entry| !is_queue(&entry.comment())).count();
        let from = seen.name.clone();
        let undecided = undecided::listed(&book);
        Ok(Some(NewLorebook {
            name,
            text,
            from,
            hash,
            entries,
            left_out,
            memories_left_out,
            undecided,
        }))
    }

    /// The text, and how many entries of a snapshot could not be placed.
    fn lorebook_text(
        &self,
        moment: &Moment,
        seen: &SeenLorebook,
        stamp: &Origin<'_>,
        report: &mut Report,
    ) -> Result<(String, usize), Error> {
        let corrupt_json = |problem: JsonError| corrupt(seen, &problem);
        let whole = |text: String| (text, 0);
        let film = self.look.film.as_ref().and_then(|film| film.text.as_deref());
        let film = film.or(self.live.map(|live| live.text)).filter(|_| moment.is_filmed);
        if let Some(text) = film {
            let book = Lorebook::read(text).map_err(|problem| corrupt(seen, &problem))?;
            return live::copy(&book, stamp).map(whole).map_err(|problem| corrupt(seen, &problem));
        }
        match (moment.source, moment.checkpoint, self.live) {
            (Source::Snapshot, Some(_), _) => {
                let checkpoint = self.look.checkpoint.as_ref();
                let text =
                    checkpoint.map_or_else(empty_book, |checkpoint| checkpoint.lorebook.clone());
                let book = Lorebook::read(&text).map_err(|problem| corrupt(seen, &problem))?;
                live::copy(&book, stamp).map(whole).map_err(|problem| corrupt(seen, &problem))
            }
            (Source::Snapshot, None, live) => {
                let at = moment.from.unwrap_or(self.look.at);
                let line = if at == self.look.at {
                    self.look.line.clone()
                } else {
                    self.look.view.line(at)?
                };
                let message = Message::read(&line).map_err(corrupt_json)?;
                let version = moment.snapshot.as_ref().map_or("", |facts| &facts.version);
                let snapshot = snapshot_of(message.json, version).ok_or_else(|| {
                    Error::new(
                        Code::NoSnapshot,
                        say!("the snapshot of message {0} is gone", &at),
                        say!("Try again."),
                    )
                })?;
                let foreign = foreign::listed(&self.look.header());
                let rebuilt = rebuild::rebuild(&snapshot, live, &foreign, self.look.now.ms)
                    .map_err(corrupt_json)?;
                Ok((live::stamped(&rebuilt.text, stamp).map_err(corrupt_json)?, rebuilt.left_out))
            }
            (Source::Live, _, Some(book)) => {
                let text = live::copy(book, stamp).map_err(|problem| corrupt(seen, &problem))?;
                if moment.quality != Quality::Ranged {
                    return Ok(whole(text));
                }
                let (text, later) =
                    ranges::without_the_future(&text, &self.look.chats(), self.look.at)
                        .map_err(corrupt_json)?;
                if later > 0 {
                    report.warning(Finding::new(
                        Code::NotRewound,
                        say_count!(
                            later,
                            "{0} memory of later messages is left out; entries without a message \
                             range stay as they are now.",
                            "{0} memories of later messages are left out; entries without a \
                             message range stay as they are now.",
                        ),
                        say!("Look through the entries that are not memories."),
                    ));
                }
                Ok(whole(text))
            }
            _ => live::stamped(&empty_book(), stamp).map(whole).map_err(corrupt_json),
        }
    }

    /// The header of the new timeline, complete in its first write.
    pub(super) fn header(
        &self,
        moment: &Moment,
        slug: &str,
        lorebook: Option<&NewLorebook>,
        request: &Request,
        report: &mut Report,
    ) -> Result<String, JsonError> {
        let mut header = HeaderEdit::new(self.look.view.header());
        self.rewind(&mut header, moment, lorebook, report)?;
        header.set_text(&["main_chat"], &self.spelled_parent())?;
        header.set_text(&["integrity"], slug)?;
        header.set(&["tainted"], "true")?;
        header.remove(&checkpoints::MAP)?;
        if self.look.is_shared() {
            foreign::mark_mixed(&mut header, self.look.now.ms)?;
        }
        let parent = self.look.header();
        if let Some(film) = self.look.film.as_ref().filter(|_| moment.is_filmed) {
            foreign::add(&mut header, foreign::listed(&parent), &film.foreign)?;
        }
        let linked = request.link;
        let record = Record {
            v: RECORD_VERSION,
            id: self.id.to_owned(),
            kind: self.kind.into(),
            chat: self.chat.name.clone(),
            slug: Some(slug.to_owned()),
            parent: Some(Parent {
                chat: self.look.view.chat().name.clone(),
                slug: if linked && self.look.is_outside {
                    Some(slug::slug(self.look.parent_slug))
                } else {
                    parent.slug()
                },
                id: record::own_id(&parent, &self.look.view.chat().name)
                    .or_else(|| linked.then(|| family_id(self.look))),
            }),
            at: self.look.at,
            base: self.base(),
            lore: self.lore(moment, lorebook),
        };
        self.write_records(&mut header, &record, lorebook, report)?;
        if !linked {
            // So that nobody takes it for a link that got lost.
            header.set(&[record::KEY, "link"], "false")?;
        }
        Ok(header.into_text())
    }

    /// The parent as SillyTavern spells it: a group opens its chats by the very names in its list.
    fn spelled_parent(&self) -> String {
        let group = self.look.group.as_ref().and_then(|document| Group::read(&document.text).ok());
        group.and_then(|group| group.spelled(self.parent)).unwrap_or_else(|| self.parent.to_owned())
    }

    pub(super) fn lore(&self, moment: &Moment, lorebook: Option<&NewLorebook>) -> Lore {
        Lore {
            source: moment.source,
            quality: moment.quality,
            from: moment.from,
            of: self.seen().map(|seen| seen.name.clone()),
            hash: lorebook.map(|book| book.hash.clone()),
        }
    }

    /// Sets what the header says about later messages back.
    pub(super) fn rewind(
        &self,
        header: &mut HeaderEdit,
        moment: &Moment,
        lorebook: Option<&NewLorebook>,
        report: &mut Report,
    ) -> Result<(), JsonError> {
        let new = lorebook.and_then(|book| Lorebook::read(&book.text).ok());
        let exchange = match (lorebook, &new) {
            (Some(book), Some(new)) => Some(Exchange {
                from: &book.from,
                live: self.live,
                to: &book.name,
                new,
                is_rebuilt: moment.source != Source::Live,
            }),
            _ => None,
        };
        let chats = [Told::own(&self.chat.name)];
        let notes = rewind(
            header,
            &Rewind {
                chat: &self.chat.name,
                parent: self.parent,
                at: self.look.at,
                scenes: &self.look.scenes,
                now_ms: self.look.now.ms,
                now: &iso(self.look.now.ms),
                lorebook: exchange,
                chats: &chats,
                parting: &self.parting,
            },
        )?;
        if notes.dropped_combined_recap {
            report.warning(Finding::new(
                Code::CombinedRecapDropped,
                say!("The combined recap tells of later messages and was left out."),
                say!("Generate it again."),
            ));
        }
        Ok(())
    }

    /// Our record, and the one that the requirements describe.
    pub(super) fn write_records(
        &self,
        header: &mut HeaderEdit,
        record: &Record,
        lorebook: Option<&NewLorebook>,
        report: &Report,
    ) -> Result<(), JsonError> {
        let text = header.text().to_owned();
        let Ok(so_far) = Header::read(&text) else { return Ok(()) };
        let state = checkpoints::text(
            &so_far,
            &self.look.scenes,
            &checkpoints::Proof {
                now_ms: self.look.now.ms,
                at: self.look.at,
                queue_was_empty: report.state.queue_empty,
                lorebook: lorebook.map(|book| book.name.as_str()),
                original: self.seen().map(|seen| seen.name.as_str()),
            },
        );
        record.write(header)?;
        header.set(&checkpoints::STATE, &state)
    }
}

/// Says so if a snapshot had entries that nobody knows the place of, or memories found none.
pub(super) fn note_left_out(
    moment: &mut Moment,
    lorebook: Option<&NewLorebook>,
    report: &mut Report,
) {
    let Some(book) = lorebook else { return };
    let entries = say_count!(
        book.left_out,
        "{0} entry of the snapshot without a number of their own could not be placed",
        "{0} entries of the snapshot without a number of their own could not be placed",
    );
    let memories = say_count!(
        book.memories_left_out,
        "{0} memory whose number the snapshot gives another entry could not be placed",
        "{0} memories whose number the snapshot gives another entry could not be placed",
    );
    for (left_out, lack) in [(book.left_out, entries), (book.memories_left_out, memories)] {
        if left_out == 0 {
            continue;
        }
        report.warning(Finding::new(
            Code::PartialSnapshot,
            say!("The lorebook is rebuilt from an incomplete snapshot: {0}.", &lack),
            say!("Compare the new lorebook with the old one, and copy over what is missing."),
        ));
        moment.quality = Quality::Partial;
        moment.lacks.push(lack);
    }
}

fn corrupt(seen: &SeenLorebook, problem: impl Into<Value>) -> Error {
    Error::new(
        Code::CorruptLorebook,
        say!("{0}: this lorebook cannot be copied: {1}", lorebook_file(&seen.file), problem.into()),
        say!("Repair the file or restore it from a backup, then try again."),
    )
}
