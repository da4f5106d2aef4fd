//! The plan: every byte of every timeline's own book, before the first is written.

use super::book::{self, Made};
use super::decide::{Decision, Why, decide};
use super::family::{Family, around, left_at, named_elsewhere, wrote_until};
use super::header;
use super::history::{Common, History, Holders, Life};
use super::operations;
use super::timeline::{Shared, Timeline, common, is_a_swipe_of};
use crate::error::{Code, Error};
use crate::fork::kind::kind_in;
use crate::fork::look::messages_naming;
use crate::fork::records::{self, Record};
use crate::host::{ChatView, Document, Host, HostError, Line, LineEdit, Stamp};
use crate::json::{Json, JsonError, quote, remove, set};
use crate::memory::guests::{self, Parting};
use crate::memory::memorybooks::{self, Told};
use crate::memory::recap::recorded::uid_text;
use crate::memory::recap::scene::with_lorebook;
use crate::memory::recap::{queue, registry};
use crate::moment::film::value::is_same;
use crate::moment::foreign::Foreign;
use crate::moment::live::{self, RECORD_VERSION};
use crate::operation::order;
use crate::say;
use crate::sentence::{Sentence, Value};
use crate::tavern::chat::Header;
use crate::tavern::lorebook::{Entry, Lorebook, ours};
use crate::tavern::names::{self, Kind};
use crate::tavern::place::{ChatRef, lorebook_file};
use crate::tavern::slug;

/// How a shared lorebook comes apart.
#[derive(Debug, Clone)]
pub struct Plan {
    pub id: String,
    /// The shared book, as its file is called, and as it was read.
    pub lorebook: String,
    pub seen: Document,
    /// The one that keeps the name first.
    pub timelines: Vec<OwnBook>,
}

/// One timeline and the book it gets.
#[derive(Debug, Clone)]
pub struct OwnBook {
    pub chat: ChatRef,
    pub seen: Stamp,
    pub lorebook: String,
    /// Whether it keeps the shared book's name.
    pub keeps_name: bool,
    /// Entries besides the queue.
    pub entries: usize,
    /// Entries that come back, or go back to how they were, by name.
    pub restored: Vec<String>,
    pub left_out: Vec<LeftOut>,
    pub undecided: Vec<Undecided>,
    /// How many memories of other timelines' messages are left out.
    pub memories_left_out: usize,
    /// Operations that go on waiting here.
    pub waiting: usize,
    /// The book's text; for the one that keeps the name, `None` if it does not change.
    pub book: Option<String>,
    /// Lines of the chat that change.
    pub lines: Vec<LineEdit>,
}

/// An entry of the shared book that is not this timeline's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeftOut {
    pub uid: String,
    pub name: String,
    /// Timelines it belongs to.
    pub of: Vec<String>,
    /// The message whose scene made it, if one did.
    pub at: Option<usize>,
}

/// An entry that stays though nobody knows whose it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Undecided {
    pub uid: String,
    pub name: String,
    /// In words.
    pub why: Sentence,
    /// Other timelines it may belong to.
    pub with: Vec<String>,
    /// Its number in the shared book, if that belongs to another entry here.
    pub former: Option<String>,
}

/// Plans the untangling of a family. Reads only.
pub async fn plan<H: Host>(host: &H, family: &Family) -> Result<Plan, Error> {
    let (witnesses, strangers) = around(host, family).await?;
    if !strangers.is_empty() {
        return Err(named_elsewhere(family, &strangers));
    }
    let file = names::lorebook_name(&family.lorebook).unwrap_or_default();
    let document = host.lorebook(&file).await.map_err(|error| Error::reading(&error))?;
    let Some(document) = document else {
        return Err(Error::new(
            Code::MissingLorebook,
            say!(
                "{0}: this lorebook is gone, so there is nothing to untangle",
                lorebook_file(&file),
            ),
            say!("Restore the lorebook, or let each chat be rebuilt from its newest snapshot."),
        ));
    };
    let live = Lorebook::read(&document.text).map_err(|problem| corrupt(&file, &problem))?;
    if live::is_newer(&live) {
        return Err(newer(&lorebook_file(&file)));
    }
    if live.is_shared_on_purpose() {
        return Err(shared_on_purpose(&file));
    }
    let mut views = Vec::new();
    for chat in family.chats.iter().chain(witnesses.iter().map(|other| &other.chat)) {
        match host.open(chat).await {
            Ok(view) => views.push(view),
            // A witness that cannot be read bears none.
            Err(_) if !family.chats.contains(chat) => {}
            Err(error) => return Err(Error::reading(&error)),
        }
    }
    let books = host.lorebook_names().await.map_err(|error| Error::reading(&error))?;
    let ids = Ids {
        operation: host.id(),
        slugs: views.iter().map(|_| host.is_outside().then(|| slug::slug(host.id()))).collect(),
        now_ms: host.now().ms,
    };
    let mut others = Vec::new();
    for witness in &witnesses {
        let Ok(header) = Header::read(&witness.header) else { continue };
        // One that we forked has copies of what others wrote, and wrote nothing itself.
        let until = wrote_until(&header, &witness.chat.name, &family.lorebook);
        let is_writer = until.is_none_or(f64::is_finite);
        let own = header.lorebook().filter(|_| is_writer);
        let Some(own) = own.and_then(|name| names::lorebook_name(&name)) else { continue };
        // One that cannot be read holds nothing that could be counted on.
        others.extend(host.lorebook(&own).await.ok().flatten());
    }
    let seen = document.clone();
    let pulled =
        Pulled { family, file: &file, live: &live, views: &views, books: &books, others: &others };
    let timelines = pulled.untangle(&ids)?;
    Ok(Plan { id: ids.text(), lorebook: file.clone(), seen, timelines })
}

struct Ids {
    operation: [u8; 16],
    slugs: Vec<Option<String>>,
    now_ms: u64,
}

impl Ids {
    fn text(&self) -> String {
        order::new_id(&self.operation)
    }
}

/// All that was read.
struct Pulled<'p, C> {
    family: &'p Family,
    file: &'p str,
    live: &'p Lorebook<'p>,
    /// Those who share first, then witnesses.
    views: &'p [C],
    books: &'p [String],
    /// Books of those who left.
    others: &'p [Document],
}

impl<C: ChatView> Pulled<'_, C> {
    fn untangle(&self, ids: &Ids) -> Result<Vec<OwnBook>, Error> {
        let mut family = self.timelines()?;
        let common = self.common()?;
        for (index, timeline) in family.iter_mut().enumerate() {
            let from = common.messages[index].iter().copied().min().unwrap_or(0);
            // From the scene before the first fork on.
            let from = timeline.scenes.iter().rev().map(|scene| scene.at).find(|at| *at < from);
            let until = if timeline.shares {
                None
            } else {
                let header = Header::read(&timeline.header).ok();
                header.and_then(|header| {
                    wrote_until(&header, &timeline.chat.name, &self.family.lorebook)
                })
            };
            timeline.read_dates(&self.views[index], from.unwrap_or(0), until)?;
        }
        let history = History::of(&family, &common, self.live);
        let keeper = self.keeper(&family);
        let shares: Vec<bool> = family.iter().map(|timeline| timeline.shares).collect();
        let taken_along = self.taken_along();
        let is_elsewhere = |life: &Life, version: usize| {
            let from = taken_along.partition_point(|(uid, _)| *uid < life.uid);
            let mut same = taken_along[from..].iter().take_while(|(uid, _)| *uid == life.uid);
            let shown = Json::parse(&life.versions[version].text).ok();
            shown.is_some_and(|shown| same.any(|(_, own)| is_same(*own, shown)))
        };
        let decisions = decide(&history, family.len(), &shares, keeper, &is_elsewhere);
        let names = self.names(&family, keeper, ids);
        let mut books = Vec::new();
        for index in
            std::iter::once(keeper).chain((0..family.len()).filter(|index| *index != keeper))
        {
            if shares[index] {
                let one = One {
                    family: &family,
                    common: &common,
                    history: &history,
                    decisions: &decisions,
                    names: &names,
                    keeper,
                    index,
                };
                books.push(self.own_book(&one, ids)?);
            }
        }
        Ok(books)
    }

    fn timelines(&self) -> Result<Vec<Timeline>, Error> {
        let has_registries =
            self.live.entries.iter().any(|entry| registry::is_registry(&entry.comment()));
        let is_other = |name: &str| {
            !names::same_lorebook(name, self.family.lorebook.as_str())
                && self.books.iter().any(|book| names::same_lorebook(book, name))
        };
        let mut timelines = Vec::new();
        for view in self.views {
            let shares = self.family.chats.contains(view.chat());
            let header = Header::read(view.header()).ok();
            if shares && header.as_ref().is_some_and(Record::is_newer) {
                return Err(newer(&view.chat().file()));
            }
            let name = &view.chat().name;
            let left = header.as_ref();
            let left = left.and_then(|header| left_at(header, name, &self.family.lorebook));
            let was_shared =
                |time: Option<f64>| left.zip(time).is_some_and(|(left, time)| time < left);
            let shared = Shared { has_registries, is_other: &is_other, was_shared: &was_shared };
            timelines.push(Timeline::read(view, shares, &shared)?);
        }
        Ok(timelines)
    }

    fn common(&self) -> Result<Common, Error> {
        let unread = |error: HostError| Error::reading(&error);
        let len = self.views.len();
        let mut all = Common {
            messages: vec![vec![usize::MAX; len]; len],
            swipe: vec![vec![false; len]; len],
        };
        for (a, one) in self.views.iter().enumerate() {
            for (b, other) in self.views[..a].iter().enumerate() {
                let same = common(one, other).map_err(unread)?;
                (all.messages[a][b], all.messages[b][a]) = (same, same);
                if same < one.len().min(other.len()) {
                    let (ours, theirs) =
                        (one.line(same).map_err(unread)?, other.line(same).map_err(unread)?);
                    all.swipe[a][b] = is_a_swipe_of(&ours, &theirs);
                    all.swipe[b][a] = is_a_swipe_of(&theirs, &ours);
                }
            }
        }
        Ok(all)
    }

    /// Entries that timelines which left have in their own books, by number.
    fn taken_along(&self) -> Vec<(String, Json<'_>)> {
        let mut all = Vec::new();
        for document in self.others {
            let Ok(book) = Lorebook::read(&document.text) else { continue };
            all.extend(
                book.entries
                    .iter()
                    .filter_map(|entry| Some((uid_text(entry.some("uid")?), entry.json))),
            );
        }
        all.sort_by(|(a, _), (b, _)| a.cmp(b));
        all
    }

    /// Main keeps the name; without it, whoever is nearest to it.
    fn keeper(&self, family: &[Timeline]) -> usize {
        let depth = |timeline: &Timeline| {
            let mut depth = 0;
            let mut at = Some(timeline);
            while let Some(header) = at.and_then(|at| Header::read(&at.header).ok()) {
                let Some(parent) = header.main_chat().filter(|_| depth < family.len()) else {
                    break;
                };
                depth += 1;
                at = family.iter().find(|other| other.chat.name == parent);
            }
            depth
        };
        let sharers = family.iter().enumerate().filter(|(_, timeline)| timeline.shares);
        sharers
            .min_by_key(|(_, timeline)| {
                (depth(timeline), std::cmp::Reverse(timeline.len), timeline.chat.clone())
            })
            .map_or(0, |(index, _)| index)
    }

    /// The name of each timeline's book.
    fn names(&self, family: &[Timeline], keeper: usize, ids: &Ids) -> Vec<String> {
        let mut taken = self.books.to_vec();
        let mut names = Vec::new();
        for (index, timeline) in family.iter().enumerate() {
            let name = if index == keeper {
                self.file.to_owned()
            } else {
                self.new_name(timeline, self.kind(timeline), ids, &taken)
            };
            taken.push(name.clone());
            names.push(name);
        }
        names
    }

    fn own_book(&self, one: &One<'_>, ids: &Ids) -> Result<OwnBook, Error> {
        let corrupt_json = |problem: JsonError| corrupt(self.file, &problem);
        let timeline = &one.family[one.index];
        let keeps_name = one.index == one.keeper;
        let kind = self.kind(timeline);
        let name = one.names[one.index].clone();
        let made = one.made(self.live).map_err(|problem| corrupt(self.file, &problem))?;
        let undecided = one.undecided(&made);
        let id = ids.text();
        let mut text = made.text.clone();
        if !keeps_name {
            let at = timeline.len.saturating_sub(1);
            let from = self.family.lorebook.as_str();
            let stamp =
                live::Stamp { name: &name, id: &id, timeline: &timeline.chat.name, from, at };
            text = live::stamped(&text, &stamp).map_err(corrupt_json)?;
            let chats: Vec<Told> =
                one.family.iter().map(|other| Told::own(&other.chat.name)).collect();
            text = memorybooks::for_chat(text, &chats, &timeline.chat.name);
        }
        let parting = one.parting(&id);
        if let Some((old, new)) = &parting.identity {
            text = guests::for_identity(text, &[old], new);
        }
        text = marked(&text, &undecided).map_err(corrupt_json)?;
        if keeps_name && self.was_left() {
            text = set(&text, &ours("v"), &RECORD_VERSION.to_string()).map_err(corrupt_json)?;
            text = set(&text, &ours("apart"), &ids.now_ms.to_string()).map_err(corrupt_json)?;
        }
        let book = Lorebook::read(&text).map_err(|problem| corrupt(self.file, &problem))?;
        let own_name = Header::read(&timeline.header).ok().and_then(|header| header.lorebook());
        let own_name = own_name.unwrap_or_else(|| self.family.lorebook.clone());
        let making = header::Making {
            timeline,
            kind,
            id: &id,
            from: (&own_name, self.live),
            to: (if keeps_name { &own_name } else { &name }, &book),
            base: self.base(timeline),
            has_doubts: !undecided.is_empty(),
            now_ms: ids.now_ms,
            slug: ids.slugs[one.index].as_deref(),
            changes: made.text != self.live.text,
            children: &one.children(),
            foreign: &one.foreign(ids.now_ms),
            parting: &parting,
        };
        let header = if keeps_name { header::keeper(&making) } else { header::own(&making) };
        let header =
            header.map_err(|problem| crate::fork::plan::unwritable(&timeline.chat, &problem))?;
        let view = &self.views[one.index];
        let mut lines = Vec::new();
        if header != timeline.header {
            lines.push(LineEdit { line: Line::Header, text: header });
        }
        if !keeps_name {
            lines.extend(renamed_lines(view, &own_name, &name)?);
        }
        Ok(OwnBook {
            chat: timeline.chat.clone(),
            seen: view.stamp().clone(),
            entries: book.entries.iter().filter(|entry| entry.comment() != queue::COMMENT).count(),
            restored: one.restored(&made),
            left_out: one.left_out(),
            undecided,
            memories_left_out: made.memories_left_out,
            waiting: waiting(&book),
            lorebook: name,
            keeps_name,
            book: (text != self.live.text || !keeps_name).then_some(text),
            lines,
        })
    }

    /// Whether somebody left the book while others went on using it.
    fn was_left(&self) -> bool {
        let mut headers = self
            .views
            .iter()
            .filter_map(|view| Some((Header::read(view.header()).ok()?, view.chat())));
        headers.any(|(header, chat)| {
            records::shared(&header, &chat.name)
                .is_some_and(|(book, _)| names::same_lorebook(&book, &self.family.lorebook))
        })
    }

    fn base(&self, timeline: &Timeline) -> String {
        let header = Header::read(&timeline.header).ok();
        let record = header.and_then(|header| Record::own(&header, &timeline.chat.name));
        record.and_then(|record| record.base).unwrap_or_else(|| self.family.lorebook.clone())
    }

    fn new_name(&self, timeline: &Timeline, kind: Kind, ids: &Ids, taken: &[String]) -> String {
        let parent = Header::read(&timeline.header).ok().and_then(|header| header.main_chat());
        let (base, own) = (self.base(timeline), &timeline.chat.name);
        let mut id = ids.operation;
        loop {
            let name = match &parent {
                Some(parent) => names::lorebook::name(&base, kind, own, parent, &id),
                None => names::lorebook::of_main(&base, own, &id),
            };
            if !taken.iter().any(|other| names::same_name(other, &name)) {
                return name;
            }
            // The next id in number: a name has only the last bits of it.
            id = u128::from_be_bytes(id).wrapping_add(1).to_be_bytes();
        }
    }

    /// Whether it is a checkpoint: by its record, else by its parent.
    fn kind(&self, timeline: &Timeline) -> Kind {
        let Ok(header) = Header::read(&timeline.header) else { return Kind::Branch };
        match Record::own(&header, &timeline.chat.name).map(|record| record.kind) {
            Some(records::Kind::Checkpoint) => return Kind::Checkpoint,
            Some(records::Kind::Branch) => return Kind::Branch,
            Some(records::Kind::Main) | None => {}
        }
        let parent = header.main_chat();
        let parent = self.views.iter().find(|view| Some(&view.chat().name) == parent.as_ref());
        parent.map_or(Kind::Branch, |parent| kind_in(parent, &timeline.chat.name))
    }
}

/// One timeline, and all that was decided.
struct One<'o> {
    family: &'o [Timeline],
    common: &'o Common,
    history: &'o History,
    decisions: &'o [Decision],
    /// The name of each timeline's book.
    names: &'o [String],
    keeper: usize,
    index: usize,
}

impl One<'_> {
    fn made(&self, live: &Lorebook<'_>) -> Result<Made, crate::tavern::lorebook::LorebookProblem> {
        let has_entry = |index: usize, uid: &str| {
            let kept = &self.decisions[index].kept;
            kept.iter().any(|kept| self.history.lives[kept.life].uid == uid)
        };
        let waits_here = |operation: Json<'_>| {
            operations::holders(operation, self.family, self.history, self.keeper, &has_entry)
                [self.index]
        };
        let is_foreign_memory = |entry: &Entry<'_>| {
            let Some((chat, end)) = memorybooks::made_from(entry) else { return false };
            let of = self.family.iter().position(|timeline| timeline.chat.name == chat);
            of.is_some_and(|of| {
                end >= if of == self.index {
                    self.family[of].len
                } else {
                    self.common.messages[of][self.index]
                }
            })
        };
        book::make(&book::Making {
            live,
            history: self.history,
            decision: &self.decisions[self.index],
            waits_here: &waits_here,
            is_foreign_memory: &is_foreign_memory,
            renamed: (self.index != self.keeper)
                .then(|| (self.names[self.keeper].as_str(), self.names[self.index].as_str())),
        })
    }

    /// What it leaves to the others.
    fn parting(&self, id: &str) -> Parting {
        let own = &self.family[self.index];
        let others = self.family.iter().filter(|other| other.chat != own.chat);
        let others = others.map(|other| other.header.as_str());
        let header = Header::read(&own.header);
        header
            .map(|header| Parting::of_former(&header, others, &own.chat.name, id))
            .unwrap_or_default()
    }

    /// Timelines that were forked from this one, with the books they get.
    fn children(&self) -> Vec<(String, String)> {
        let own = &self.family[self.index].chat.name;
        let is_child = |other: &Timeline| {
            let header = Header::read(&other.header).ok();
            header.and_then(|header| header.main_chat()).as_ref() == Some(own)
        };
        let others = self.family.iter().zip(self.names).enumerate();
        others
            .filter(|(index, (other, _))| *index != self.keeper && other.shares && is_child(other))
            .map(|(_, (other, book))| (other.chat.name.clone(), book.clone()))
            .collect()
    }

    /// What its snapshots show though it never was its own.
    fn foreign(&self, now_ms: u64) -> Vec<Foreign> {
        let lives = self.decisions[self.index].foreign.iter();
        lives
            .map(|life| &self.history.lives[*life])
            .map(|life| Foreign {
                uid: life.uid.clone(),
                name: life.comment.clone(),
                until: now_ms as f64,
            })
            .collect()
    }

    fn names_of(&self, holders: &Holders) -> Vec<String> {
        let held = self.family.iter().zip(holders).filter(|(_, holds)| **holds);
        held.map(|(timeline, _)| timeline.chat.name.clone()).collect()
    }

    fn undecided(&self, made: &Made) -> Vec<Undecided> {
        let kept = self.decisions[self.index].kept.iter().zip(&made.placed);
        kept.filter_map(|(kept, place)| {
            let life = &self.history.lives[kept.life];
            let doubt = kept.doubt.as_ref().filter(|_| !life.is_registry)?;
            Some(Undecided {
                uid: place.uid.clone(),
                name: life.comment.clone(),
                why: match doubt.why {
                    Why::MadeBySomebody => say!("nothing recorded says which timeline made it"),
                    Why::ChangedBySomebody => {
                        say!("nothing recorded says which timeline changed it")
                    }
                    Why::ChangedByBoth => say!("this timeline and another both wrote to it"),
                    Why::RemovedBySomebody => {
                        say!("it was removed, and nothing recorded says by which timeline")
                    }
                    Why::WrittenByNobody => say!("no timeline can be shown to have written it"),
                },
                with: self.names_of(&doubt.with),
                former: place.former.clone(),
            })
        })
        .collect()
    }

    fn left_out(&self) -> Vec<LeftOut> {
        let left = self.decisions[self.index].left_out.iter();
        left.map(|left| {
            let life = &self.history.lives[left.life];
            LeftOut {
                uid: life.uid.clone(),
                name: life.comment.clone(),
                of: self.names_of(&left.of),
                at: left.at,
            }
        })
        .collect()
    }

    /// Entries that are not as the shared book has them now; without those that are undecided.
    fn restored(&self, made: &Made) -> Vec<String> {
        let live = self.history.live();
        let kept = self.decisions[self.index].kept.iter().zip(&made.placed);
        kept.filter(|(kept, _)| kept.doubt.is_none())
            .map(|(_, place)| (&self.history.lives[place.life], place.version))
            .filter(|(life, version)| !life.is_registry && life.shows[live] != Some(*version))
            .map(|(life, _)| life.comment.clone())
            .collect()
    }
}

/// The book with a list of what is undecided in it, where the model does not see it.
fn marked(text: &str, undecided: &[Undecided]) -> Result<String, JsonError> {
    if undecided.is_empty() {
        return remove(text, &ours("undecided"));
    }
    let items: Vec<String> = undecided.iter().map(mark).collect();
    let text = set(text, &ours("v"), &RECORD_VERSION.to_string())?;
    set(&text, &ours("undecided"), &format!("[{}]", items.join(",")))
}

fn mark(undecided: &Undecided) -> String {
    let with: Vec<String> = undecided.with.iter().map(|name| quote(name)).collect();
    let uid = match undecided.uid.parse::<u64>() {
        Ok(number) => number.to_string(),
        Err(_) => quote(&undecided.uid),
    };
    let (name, why) = (quote(&undecided.name), quote(&undecided.why.to_string()));
    format!(r#"{{"uid":{uid},"name":{name},"why":{why},"with":[{}]}}"#, with.join(","))
}

fn waiting(book: &Lorebook<'_>) -> usize {
    let queue = book.entries.iter().find(|entry| entry.comment() == queue::COMMENT);
    queue.map_or(0, |entry| match queue::Queue::read(&entry.content()) {
        queue::Queue::Operations(all) => all.len(),
        queue::Queue::Unreadable => 0,
    })
}

/// Lines that name the shared book, naming the timeline's own.
fn renamed_lines<C: ChatView>(view: &C, from: &str, to: &str) -> Result<Vec<LineEdit>, Error> {
    let Some(last) = view.len().checked_sub(1) else { return Ok(Vec::new()) };
    let unread = |error: HostError| Error::reading(&error);
    let mut lines = Vec::new();
    for at in messages_naming(view, from, 0, last).map_err(unread)? {
        let line = view.line(at).map_err(unread)?;
        // A damaged line is left alone.
        if let Ok(Some(text)) = with_lorebook(&line, from, to) {
            lines.push(LineEdit { line: Line::Message(at), text });
        }
    }
    Ok(lines)
}

fn newer(file: &str) -> Error {
    Error::new(
        Code::NewerRecord,
        say!("{0}: a newer Lorefork has written to this file", &file),
        say!("Update Lorefork, then try again. Nothing was changed."),
    )
}

fn shared_on_purpose(file: &str) -> Error {
    Error::new(
        Code::SharedOnPurpose,
        say!("{0}: this lorebook is marked as shared on purpose", lorebook_file(file)),
        say!(
            "If it is not, remove “share” under “extensions”, “lorefork” in the file, then try \
             again."
        ),
    )
}

fn corrupt(file: &str, problem: impl Into<Value>) -> Error {
    Error::new(
        Code::CorruptLorebook,
        say!("{0}: this lorebook cannot be untangled: {1}", lorebook_file(file), problem.into()),
        say!("Repair the file or restore it from a backup, then try again."),
    )
}
