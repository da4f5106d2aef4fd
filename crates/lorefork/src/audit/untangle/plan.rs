//! The plan: every byte of every timeline's own book, before the first is written.

use super::family::{Family, around, named_elsewhere, wrote_until};
use super::own_book::One;
use super::read::{self, Common, Reading, Timeline};
use super::whose::{Asked, by_number};
use crate::error::{Code, Error};
use crate::fork::kind::kind_in;
use crate::host::{ChatView, Document, Host, LineEdit, Stamp};
use crate::moment::film::{Extent, Film};
use crate::moment::live;
use crate::operation::order;
use crate::say;
use crate::sentence::{Sentence, Value};
use crate::tavern::chat::Header;
use crate::tavern::lorebook::Lorebook;
use crate::tavern::names::{self, Kind};
use crate::tavern::place::{ChatRef, lorebook_file};
use crate::tavern::slug;
use crate::timeline::record::{self, Record};

/// How a shared lorebook comes apart.
#[derive(Debug, Clone)]
pub struct Plan {
    /// The operation's.
    pub id: String,
    /// The shared book, as its file is called, and as it was read.
    pub lorebook: String,
    /// The same as it was read: what is judged is what is written.
    pub seen: Document,
    /// The one that keeps the name first.
    pub timelines: Vec<OwnBook>,
}

/// One timeline and the book it gets.
#[derive(Debug, Clone)]
pub struct OwnBook {
    /// Which timeline.
    pub chat: ChatRef,
    /// The state of its chat when it was read.
    pub seen: Stamp,
    /// The name of the book it gets.
    pub lorebook: String,
    /// Whether it keeps the shared book's name.
    pub keeps_name: bool,
    /// Entries besides the queue.
    pub entries: usize,
    /// Entries that come back, or go back to how they were, by name.
    pub restored: Vec<String>,
    /// Entries of others, which its book does not have.
    pub left_out: Vec<LeftOut>,
    /// Entries that its book has though nobody can tell.
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
    /// Its number in the shared book.
    pub uid: String,
    /// Its title.
    pub name: String,
    /// Timelines it belongs to.
    pub of: Vec<String>,
    /// The message whose scene made it, if one did.
    pub at: Option<usize>,
}

/// An entry that stays though nobody knows whose it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Undecided {
    /// Its number in this timeline's book.
    pub uid: String,
    /// Its title.
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
    let document = host.lorebook(&file).await?;
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
    let (mut views, mut has_strangers) = (Vec::new(), false);
    let has_used = |chat: &ChatRef| {
        let witness = witnesses.iter().find(|other| other.chat == *chat);
        let header = witness.and_then(|other| Header::read(&other.header).ok());
        header.is_some_and(|header| {
            wrote_until(&header, &chat.name, &family.lorebook).is_some_and(f64::is_finite)
        })
    };
    for chat in family.chats.iter().chain(witnesses.iter().map(|other| &other.chat)) {
        match host.open(chat).await {
            Ok(view) => views.push(view),
            // A witness that cannot be read bears none; one that used it may have written anything.
            Err(_) if !family.chats.contains(chat) => has_strangers |= has_used(chat),
            Err(error) => return Err(error.into()),
        }
    }
    let books = host.lorebook_names().await?;
    let ids = Ids {
        operation: host.id(),
        slugs: views.iter().map(|_| host.is_outside().then(|| slug::slug(host.id()))).collect(),
        now_ms: host.now().ms,
    };
    let mut others: Vec<Document> = Vec::new();
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
    if let Some(chat) = read::newer(&views, family) {
        return Err(newer(&chat.file()));
    }
    let seen = document.clone();
    let others: Vec<Lorebook<'_>> =
        others.iter().filter_map(|other| Lorebook::read(&other.text).ok()).collect();
    let pulled = Pulled {
        family,
        file: &file,
        live: &live,
        views: &views,
        books: &books,
        others: &others,
        has_strangers,
    };
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
    others: &'p [Lorebook<'p>],
    has_strangers: bool,
}

impl<C: ChatView> Pulled<'_, C> {
    fn untangle(&self, ids: &Ids) -> Result<Vec<OwnBook>, Error> {
        let (live, mut common) = (self.live, Common::of(self.views)?);
        let reading = Reading { family: self.family, live, books: self.books, common: &common };
        let (family, mut tellers) = reading.all(self.views)?;
        let gone = read::gone(&family, &mut common);
        let untold_until = gone.iter().filter_map(|one| one.untold_until).reduce(f64::max);
        tellers.extend(gone.into_iter().map(|one| one.teller));
        let film = Film::new(&tellers, Some(live), Extent::default());
        let asked = Asked {
            film: &film,
            family: &family,
            common: &common,
            live,
            has_strangers: self.has_strangers,
            untold_until,
        };
        let keeper = self.keeper(&family);
        let answers = asked.answers(keeper, &by_number(self.others));
        let names = self.names(&family, keeper, ids);
        let was_left = self.was_left();
        let others = (0..family.len()).filter(|index| *index != keeper);
        let mut books = Vec::new();
        for index in std::iter::once(keeper).chain(others) {
            if !family[index].shares {
                continue;
            }
            let one = One {
                asked: &asked,
                answers: &answers,
                names: &names,
                keeper,
                index,
                view: &self.views[index],
                shared: (&self.family.lorebook, self.file),
                kind: self.kind(&family[index]),
                base: self.base(&family[index]),
                id: &ids.text(),
                now_ms: ids.now_ms,
                slug: ids.slugs[index].as_deref(),
                was_left,
            };
            books.push(one.own_book()?);
        }
        Ok(books)
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

    /// Whether somebody left the book while others went on using it.
    fn was_left(&self) -> bool {
        let mut headers = self
            .views
            .iter()
            .filter_map(|view| Some((Header::read(view.header()).ok()?, view.chat())));
        headers.any(|(header, chat)| {
            record::shared(&header, &chat.name)
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
            Some(record::Kind::Checkpoint) => return Kind::Checkpoint,
            Some(record::Kind::Branch) => return Kind::Branch,
            Some(record::Kind::Main) | None => {}
        }
        let parent = header.main_chat();
        let parent = self.views.iter().find(|view| Some(&view.chat().name) == parent.as_ref());
        parent.map_or(Kind::Branch, |parent| kind_in(parent, &timeline.chat.name))
    }
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

pub(super) fn corrupt(file: &str, problem: impl Into<Value>) -> Error {
    Error::new(
        Code::CorruptLorebook,
        say!("{0}: this lorebook cannot be untangled: {1}", lorebook_file(file), problem.into()),
        say!("Repair the file or restore it from a backup, then try again."),
    )
}
