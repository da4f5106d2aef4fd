//! One timeline's own book, and what changes with it.

use super::plan::{LeftOut, OwnBook, Undecided, corrupt};
use super::whose::Asked;
use super::{header, operations};
use crate::error::Error;
use crate::fork::look::messages_naming;
use crate::fork::plan::unwritable;
use crate::host::{ChatView, Line, LineEdit};
use crate::json::{Json, JsonError, Member, Splices, set};
use crate::memory::entries::is_queue;
use crate::memory::names::line_with_lorebook;
use crate::memory::parting::{self, Parting};
use crate::memory::queues::{self, About, Queue};
use crate::memory::ranges::{self, Told};
use crate::moment::film::{Answer, Film, Known, Level, Life, Placed, Why};
use crate::moment::foreign::Foreign;
use crate::moment::live::{self, RECORD_VERSION};
use crate::moment::marks::{self, Mark};
use crate::say;
use crate::tavern::chat::Header;
use crate::tavern::lorebook::{Entry, Lorebook, ours};
use crate::tavern::names::{Kind, same_lorebook};

use super::read::Timeline;

/// One timeline, and all that was found out.
pub(super) struct One<'o, C> {
    pub asked: &'o Asked<'o>,
    /// Of each timeline that shares.
    pub answers: &'o [Option<Answer>],
    /// The name of each timeline's book.
    pub names: &'o [String],
    pub keeper: usize,
    pub index: usize,
    pub view: &'o C,
    /// The shared book, as chats name it, and as its file is called.
    pub shared: (&'o str, &'o str),
    pub kind: Kind,
    /// The name that all lorebooks of the family build on.
    pub base: String,
    /// Of the operation.
    pub id: &'o str,
    pub now_ms: u64,
    /// A fresh slug, if the header changes from outside of SillyTavern.
    pub slug: Option<&'o str>,
    /// Whether somebody left the book while others went on using it.
    pub was_left: bool,
}

/// The book's text, where its entries stand, and how many memories of others were left out.
struct Made {
    text: String,
    placed: Vec<Placed>,
    memories_left_out: usize,
}

impl<C: ChatView> One<'_, C> {
    fn timeline(&self) -> &Timeline {
        &self.asked.family[self.index]
    }

    fn film(&self) -> &Film<'_> {
        self.asked.film
    }

    fn life(&self, known: &Known) -> &Life {
        &self.film().lives.all[known.life]
    }

    fn known(&self) -> impl Iterator<Item = &Known> {
        self.answers[self.index].iter().flat_map(|answer| &answer.all)
    }

    /// What it keeps, with its place.
    fn kept<'m>(&'m self, made: &'m Made) -> impl Iterator<Item = (&'m Known, &'m Placed)> {
        self.known().filter(|known| known.version.is_some()).zip(&made.placed)
    }

    pub(super) fn own_book(&self) -> Result<OwnBook, Error> {
        let (timeline, live) = (self.timeline(), self.asked.live);
        let corrupt_json = |problem: JsonError| corrupt(self.shared.1, &problem);
        let keeps_name = self.index == self.keeper;
        let name = &self.names[self.index];
        let made = self.made()?;
        let undecided = self.undecided(&made);
        let text = self.text(&made, &undecided).map_err(corrupt_json)?;
        let book = Lorebook::read(&text).map_err(|problem| corrupt(self.shared.1, &problem))?;
        let own_name = Header::read(&timeline.header).ok().and_then(|header| header.lorebook());
        let own_name = own_name.unwrap_or_else(|| self.shared.0.to_owned());
        let level = self.kept(&made).map(|(known, _)| known.level).max();
        let making = header::Making {
            timeline,
            kind: self.kind,
            id: self.id,
            from: (&own_name, live),
            to: (if keeps_name { &own_name } else { name }, &book),
            base: self.base.clone(),
            level: level.unwrap_or(Level::Certain),
            now_ms: self.now_ms,
            slug: self.slug,
            changes: made.text != live.text,
            children: &self.children(),
            foreign: &self.foreign(),
            parting: &self.parting(),
        };
        let header = if keeps_name { header::keeper(&making) } else { header::own(&making) };
        let header = header.map_err(|problem| unwritable(&timeline.chat, &problem))?;
        let mut lines = Vec::new();
        if header != timeline.header {
            lines.push(LineEdit { line: Line::Header, text: header });
        }
        if !keeps_name {
            lines.extend(renamed_lines(self.view, &own_name, name)?);
        }
        Ok(OwnBook {
            chat: timeline.chat.clone(),
            seen: self.view.stamp().clone(),
            entries: book.entries.iter().filter(|entry| !is_queue(&entry.comment())).count(),
            restored: self.restored(&made),
            left_out: self.left_out(),
            undecided,
            memories_left_out: made.memories_left_out,
            waiting: waiting(&book),
            lorebook: name.clone(),
            keeps_name,
            book: (text != live.text || !keeps_name).then_some(text),
            lines,
        })
    }

    fn made(&self) -> Result<Made, Error> {
        let corrupt_json = |problem: JsonError| corrupt(self.shared.1, &problem);
        let answer = self.answers[self.index].clone().unwrap_or(Answer { all: Vec::new() });
        let made = self.film().book(self.asked.live, &answer, None);
        let made = made.map_err(|problem| corrupt(self.shared.1, &problem))?;
        let text = self.with_own_queue(&made.text).map_err(corrupt_json)?;
        let is_foreign = |entry: &Entry<'_>| self.is_foreign_memory(entry);
        let (text, memories_left_out) = ranges::without(&text, is_foreign).map_err(corrupt_json)?;
        Ok(Made { text, placed: made.placed, memories_left_out })
    }

    /// The book with the waiting work that goes on here.
    fn with_own_queue(&self, text: &str) -> Result<String, JsonError> {
        let root = Json::parse(text)?;
        let entries = root.get("entries").unwrap_or(Json::EMPTY);
        let is_it = |json: Json<'_>| {
            json.get("comment").and_then(Json::str).is_some_and(|comment| is_queue(&comment))
        };
        let mut all = crate::json::js::ordered(entries).into_iter();
        let mut all = all.by_ref().filter(|(_, json)| is_it(*json));
        let Some((_, first)) = all.next() else { return Ok(text.to_owned()) };
        let mut splices = Splices::new(text);
        let mut own = queues::with_only(first, |about| self.waits_here(&about))?;
        if self.index != self.keeper {
            let is_it = |name: &str| same_lorebook(name, &self.names[self.keeper]);
            own = queues::with_lorebook(Json::parse(&own)?, is_it, &self.names[self.index])?;
            // In the shared book further queues are left alone.
            let further: Vec<Vec<u16>> = all.map(|(key, _)| key).collect();
            let is_further =
                |member: &Member<'_>| member.key.units().is_some_and(|key| further.contains(&key));
            splices.cut_members(entries, is_further);
        }
        if own != first.text() {
            splices.replace(first, own);
        }
        Ok(splices.apply())
    }

    fn waits_here(&self, operation: &About) -> bool {
        let has_entry = |index: usize, uid: &str| {
            let all = self.answers[index].iter().flat_map(|answer| &answer.all);
            let mut kept = all.filter(|known| known.version.is_some());
            kept.any(|known| self.life(known).uid == uid)
        };
        operations::holders(operation, self.asked, self.keeper, &has_entry)[self.index]
    }

    /// Whether a memory is of a message this timeline does not have.
    fn is_foreign_memory(&self, entry: &Entry<'_>) -> bool {
        let Some((chat, end)) = ranges::made_from(entry) else { return false };
        let family = self.asked.family;
        let of = family.iter().position(|timeline| timeline.chat.name == chat);
        of.is_some_and(|of| {
            let common = self.asked.common.messages[of][self.index];
            end >= if of == self.index { family[of].len } else { common }
        })
    }

    /// The book as it is written.
    fn text(&self, made: &Made, undecided: &[Undecided]) -> Result<String, JsonError> {
        let (timeline, mut text) = (self.timeline(), made.text.clone());
        let keeps_name = self.index == self.keeper;
        if !keeps_name {
            let stamp = live::Origin {
                name: &self.names[self.index],
                id: self.id,
                timeline: &timeline.chat.name,
                from: self.shared.0,
                at: timeline.len.saturating_sub(1),
            };
            text = live::stamped(&text, &stamp)?;
            let family = self.asked.family.iter();
            let chats: Vec<Told> = family.map(|other| Told::own(&other.chat.name)).collect();
            text = ranges::for_chat(text, &chats, &timeline.chat.name);
        }
        text = parting::for_renewed(text, &self.parting());
        let whys: Vec<String> = undecided.iter().map(|one| one.why.to_string()).collect();
        let new = undecided.iter().zip(&whys).map(|(one, why)| Mark {
            uid: &one.uid,
            name: &one.name,
            why,
            with: &one.with,
        });
        text = marks::add(&text, &new.collect::<Vec<_>>())?;
        if keeps_name && self.was_left {
            text = set(&text, &ours("v"), &RECORD_VERSION.to_string())?;
            text = set(&text, &ours("apart"), &self.now_ms.to_string())?;
        }
        Ok(text)
    }

    /// What it leaves to the others.
    fn parting(&self) -> Parting {
        let own = self.timeline();
        let others = self.asked.family.iter().filter(|other| other.chat != own.chat);
        let others = others.map(|other| other.header.as_str());
        let header = Header::read(&own.header);
        header
            .map(|header| Parting::of_former(&header, others, &own.chat.name, self.id))
            .unwrap_or_default()
    }

    /// Timelines that were forked from this one, with the books they get.
    fn children(&self) -> Vec<(String, String)> {
        let own = &self.timeline().chat.name;
        let is_child = |other: &Timeline| {
            let header = Header::read(&other.header).ok();
            header.and_then(|header| header.main_chat()).as_ref() == Some(own)
        };
        let others = self.asked.family.iter().zip(self.names).enumerate();
        others
            .filter(|(index, (other, _))| *index != self.keeper && other.shares && is_child(other))
            .map(|(_, (other, book))| (other.chat.name.clone(), book.clone()))
            .collect()
    }

    /// What its snapshots show though it never was its own.
    fn foreign(&self) -> Vec<Foreign> {
        let path = self.asked.path(self.index);
        let never = self.known().filter(|known| !known.was_own && !self.life(known).is_registry);
        never
            .filter(|known| self.film().is_shown_to(&path, known.life))
            .map(|known| Foreign {
                uid: self.life(known).uid.clone(),
                name: self.life(known).comment.clone(),
                until: self.now_ms as f64,
            })
            .collect()
    }

    /// Other timelines that have an entry.
    fn others_with(&self, life: usize) -> Vec<String> {
        let others = self.answers.iter().enumerate().filter(|(index, _)| *index != self.index);
        let has = |answer: &Answer| {
            answer.all.iter().any(|known| known.life == life && known.version.is_some())
        };
        others
            .filter(|(_, answer)| answer.as_ref().is_some_and(has))
            .map(|(index, _)| self.asked.family[index].chat.name.clone())
            .collect()
    }

    fn undecided(&self, made: &Made) -> Vec<Undecided> {
        let open = self.kept(made).filter(|(known, _)| known.level == Level::Undecided);
        open.map(|(known, place)| Undecided {
            uid: place.uid.clone(),
            name: self.life(known).comment.clone(),
            why: match known.why {
                Some(Why::MadeBySomebody) => say!("nothing recorded says which timeline made it"),
                None | Some(Why::ChangedBySomebody) => {
                    say!("nothing recorded says which timeline changed it")
                }
                Some(Why::ChangedByBoth) => say!("this timeline and another both wrote to it"),
                Some(Why::RemovedBySomebody) => {
                    say!("it was removed, and nothing recorded says by which timeline")
                }
                Some(Why::WrittenByNobody) => say!("no timeline can be shown to have written it"),
            },
            with: match known.why {
                Some(Why::WrittenByNobody) => Vec::new(),
                _ => self.others_with(known.life),
            },
            former: place.former.clone(),
        })
        .collect()
    }

    /// Entries of the shared book that it does not have.
    fn left_out(&self) -> Vec<LeftOut> {
        let live = self.film().live();
        let left = self.known().filter(|known| known.version.is_none());
        left.filter(|known| self.life(known).shows[live].is_some())
            .map(|known| LeftOut {
                uid: self.life(known).uid.clone(),
                name: self.life(known).comment.clone(),
                of: self.others_with(known.life),
                at: self.film().made_at(known.life),
            })
            .collect()
    }

    /// Entries that are not as the shared book has them now; without those that are undecided.
    fn restored(&self, made: &Made) -> Vec<String> {
        let live = self.film().live();
        let kept = self.kept(made).filter(|(known, _)| known.level != Level::Undecided);
        kept.filter(|(known, _)| {
            let life = self.life(known);
            let is_live = known.built.is_none() && life.shows[live] == known.version;
            !life.is_registry && !is_live
        })
        .map(|(known, _)| self.life(known).comment.clone())
        .collect()
    }
}

fn waiting(book: &Lorebook<'_>) -> usize {
    let queue = book.entries.iter().find(|entry| is_queue(&entry.comment()));
    queue.map_or(0, |entry| Queue::read(entry).len())
}

/// Lines that name the shared book, naming the timeline's own.
fn renamed_lines<C: ChatView>(view: &C, from: &str, to: &str) -> Result<Vec<LineEdit>, Error> {
    let Some(last) = view.len().checked_sub(1) else { return Ok(Vec::new()) };
    let mut lines = Vec::new();
    for at in messages_naming(view, from, 0, last)? {
        let line = view.line(at)?;
        // A damaged line is left alone.
        if let Ok(Some(text)) = line_with_lorebook(&line, from, to) {
            lines.push(LineEdit { line: Line::Message(at), text });
        }
    }
    Ok(lines)
}
