//! Carrying entries over into another timeline's lorebook: the one way lore crosses, and only by hand.

mod json;

use super::compare::{EntryOf, header, matches, unreadable};
use crate::error::report::Finding;
use crate::error::{Code, Error};
use crate::fork::plan::unwritable;
use crate::host::{ChatView, Host, Line};
use crate::json::{Json, JsonError, quote, set, set_members};
use crate::memory::registries::{self, Item};
use crate::naming::who_needs;
use crate::operation::What;
use crate::operation::change::{Done, FileChange, apply};
use crate::operation::recover::{self, Healed};
use crate::operation::staging::Desk;
use crate::operation::title;
use crate::say;
use crate::sentence::Sentence;
use crate::tavern::chat::HeaderEdit;
use crate::tavern::lorebook::{Entry, Lorebook};
use crate::tavern::names;
use crate::tavern::place::ChatRef;

/// What becomes of an entry that the other lorebook has, too, and that says something else there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Decision {
    /// The other one stays.
    Keep,
    /// It is replaced.
    Replace,
    /// Both stand beside each other.
    Both,
}

/// An entry to carry over, by its number, and what was decided if the other has it already.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chosen {
    /// Its key in the lorebook it comes from.
    pub uid: String,
    /// `None`: it is asked about, if there is something to ask.
    pub decision: Option<Decision>,
}

impl Chosen {
    /// Several, with one decision for all.
    pub fn all(uids: &[String], decision: Option<Decision>) -> Vec<Self> {
        uids.iter().map(|uid| Self { uid: uid.clone(), decision }).collect()
    }
}

/// What becomes of one entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Carried {
    /// As it is where it comes from.
    pub entry: EntryOf,
    /// What happens to it.
    pub fate: Fate,
    /// Kinds of registries that list it there from now on.
    pub registries: Vec<String>,
}

/// Whether it goes over, and how.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fate {
    /// Under this number.
    Added(i64),
    /// In the place of the one with this number.
    Replaces(i64),
    /// The other says the same already.
    Same,
    /// Kept as it is there, as was decided.
    Kept,
    /// It is there and says something else: somebody has to decide.
    Undecided(EntryOf),
}

/// What carrying over would do.
#[derive(Debug, Clone)]
pub struct CarryPlan {
    /// The timeline whose entries are taken.
    pub from: ChatRef,
    /// The timeline that gets them.
    pub to: ChatRef,
    /// The lorebook that is written, which is that timeline's.
    pub lorebook: String,
    /// One for each that was chosen.
    pub entries: Vec<Carried>,
    /// What the user should know though nothing forbids it.
    pub warnings: Vec<Finding>,
    changes: Vec<FileChange>,
}

impl CarryPlan {
    /// How many wait for a decision.
    pub fn undecided(&self) -> usize {
        self.entries.iter().filter(|one| matches!(one.fate, Fate::Undecided(_))).count()
    }

    /// Whether anything would change.
    pub fn changes_anything(&self) -> bool {
        !self.changes.is_empty()
    }
}

/// What was carried over.
#[derive(Debug, Clone)]
pub struct CarriedOver {
    /// What was planned, and done.
    pub plan: CarryPlan,
    /// `None` if there was nothing to do.
    pub done: Option<Done>,
    /// What earlier operations had left behind, and was healed first.
    pub healed: Vec<Healed>,
}

/// The entries of a timeline's lorebook, to choose from.
pub async fn entries_of<H: Host>(host: &H, chat: &ChatRef) -> Result<Vec<EntryOf>, Error> {
    let (_, text) = lorebook(host, chat).await?;
    let book = Lorebook::read(&text.1).map_err(|problem| unreadable(&text.0, &problem))?;
    let lore = book.entries.iter().filter(|entry| super::compare::is_lore(entry));
    Ok(lore.map(EntryOf::read).collect())
}

/// A timeline's lorebook: its file's name and its text.
async fn lorebook<H: Host>(host: &H, chat: &ChatRef) -> Result<(H::Chat, (String, String)), Error> {
    let view = host.open(chat).await?;
    let name = header(&view)?.lorebook();
    let Some(file) = name.as_deref().and_then(names::lorebook_name) else {
        let message = say!("{0} has no lorebook", chat);
        return Err(Error::new(Code::MissingLorebook, message, say!("Give it one first.")));
    };
    let Some(document) = host.lorebook(&file).await? else {
        let message = say!("the lorebook “{0}” of {1} does not exist", &file, chat);
        return Err(Error::new(Code::MissingLorebook, message, say!("Check the timelines."))
            .or(crate::choice::Choice::Check));
    };
    Ok((view, (file, document.text)))
}

/// Carries entries over.
pub async fn carry<H: Host>(
    host: &H,
    from: &ChatRef,
    to: &ChatRef,
    chosen: &[Chosen],
) -> Result<CarriedOver, Error> {
    let _claim = host.claim(&format!("carrying over to {to}")).await?;
    let healed = recover::heal(host).await?;
    let mut retried = false;
    loop {
        let plan = plan_carry(host, from, to, chosen).await?;
        if let Some(Fate::Undecided(other)) =
            plan.entries.iter().map(|one| &one.fate).find(|fate| matches!(fate, Fate::Undecided(_)))
        {
            let message =
                say!("“{0}” is in {1} already, and says something else", other.called(), to);
            let hint =
                say!("Say whether the other one stays, is replaced, or both shall be there.");
            return Err(Error::new(Code::NameTaken, message, hint));
        }
        if plan.changes.is_empty() {
            return Ok(CarriedOver { plan, done: None, healed });
        }
        let title = Sentence {
            says: if chosen.len() == 1 { title::CARRIED_ONE } else { title::CARRIED },
            with: vec![plan.entries.len().into(), from.into(), to.into()],
        };
        match apply(host, What::Carry, title, plan.changes.clone()).await {
            Ok(done) => return Ok(CarriedOver { plan, done: Some(done), healed }),
            Err(error) if error.code == Code::ChangedMeanwhile && !retried => retried = true,
            Err(error) => return Err(error),
        }
    }
}

/// What carrying over would do. Reads only.
pub async fn plan_carry<H: Host>(
    host: &H,
    from: &ChatRef,
    to: &ChatRef,
    chosen: &[Chosen],
) -> Result<CarryPlan, Error> {
    let (_, (source_name, source)) = lorebook(host, from).await?;
    let (view, (name, text)) = lorebook(host, to).await?;
    if names::same_lorebook(&source_name, &name) {
        let message = say!("both timelines use the lorebook “{0}”", &name);
        let hint = say!("There is nothing to carry over until each has its own.");
        return Err(Error::new(Code::InUse, message, hint).or(crate::choice::Choice::Isolate));
    }
    let theirs = Lorebook::read(&source).map_err(|problem| unreadable(&source_name, &problem))?;
    let read = Lorebook::read(&text).map_err(|problem| unreadable(&name, &problem))?;
    let object = read.as_object_text().map_err(|problem| unreadable(&name, &problem))?;
    let mine = Lorebook::read(&object).map_err(|problem| unreadable(&name, &problem))?;
    let broken = |problem: JsonError| unreadable(&name, &problem.into());
    let mut planning = Planning::new(&theirs, &mine);
    let mut entries = Vec::new();
    for Chosen { uid, decision } in chosen {
        let Some(at) = planning.find(uid) else {
            let message = say!("the lorebook “{0}” has no entry {1}", &source_name, uid);
            return Err(Error::new(Code::MissingLorebook, message, say!("Compare the two again.")));
        };
        entries.push(planning.carry(at, *decision).map_err(broken)?);
    }
    let mut warnings = planning.warnings;
    let others = who_needs(host, &name).await?;
    let others: Vec<_> = others.iter().filter(|other| other.chat != *to).collect();
    if let Some(other) = others.first() {
        warnings.push(Finding::new(
            Code::NamedElsewhere,
            say!("{0} uses the lorebook “{1}”, too, and will know it as well.", &other.chat, &name),
            say!("Give each its own lorebook first, unless that is meant."),
        ));
    }
    let mut desk = Desk::new(host);
    if !planning.new.is_empty() {
        let new: Vec<(&str, String)> =
            planning.new.iter().map(|(key, value)| (key.as_str(), value.clone())).collect();
        let after = set_members(&object, "entries", &new).map_err(broken)?;
        desk.book(&name).await?;
        desk.set_book(&name, after).await?;
        let before = header_text(&view);
        let mut edit = HeaderEdit::new(&before);
        registries::add_to_index(&mut edit, &header(&view)?, &planning.listed)
            .map_err(|error| unwritable(to, &error))?;
        if edit.text() != before {
            desk.set_line(to, Line::Header, edit.into_text()).await?;
        }
    }
    let changes = desk.changes()?;
    Ok(CarryPlan {
        from: from.clone(),
        to: to.clone(),
        lorebook: name.clone(),
        entries,
        warnings,
        changes,
    })
}

fn header_text<C: ChatView>(view: &C) -> String {
    view.header().trim_start_matches('\u{feff}').to_owned()
}

/// Entries on their way from one lorebook to another.
struct Planning<'a, 'b> {
    theirs: &'b Lorebook<'a>,
    mine: &'b Lorebook<'a>,
    pairs: Vec<Option<super::compare::Match>>,
    items: Vec<Item>,
    own_items: Vec<Item>,
    /// The number that was given away last.
    last: i64,
    /// Entries of the other lorebook that are new or change, by their keys.
    new: Vec<(String, String)>,
    listed: Vec<Item>,
    warnings: Vec<Finding>,
}

/// Numbers beyond this are times: a work queue has one.
const MOST: i64 = 1_000_000_000;

impl<'a, 'b> Planning<'a, 'b> {
    fn new(theirs: &'b Lorebook<'a>, mine: &'b Lorebook<'a>) -> Self {
        let numbers = |book: &Lorebook<'_>| {
            let keys = book.entries.iter().map(|entry| String::from_utf16_lossy(&entry.key));
            let keys = keys.filter_map(|key| key.parse::<i64>().ok());
            let uids = book.entries.iter().filter_map(Entry::uid);
            let items = registries::items(book).into_iter().map(|item| item.uid);
            keys.chain(uids).chain(items).filter(|uid| *uid < MOST).max()
        };
        Self {
            pairs: matches(theirs, mine),
            items: registries::items(theirs),
            own_items: registries::items(mine),
            last: numbers(theirs).max(numbers(mine)).unwrap_or(-1),
            new: Vec::new(),
            listed: Vec::new(),
            warnings: Vec::new(),
            theirs,
            mine,
        }
    }

    fn find(&self, uid: &str) -> Option<usize> {
        let mut lore = self.theirs.entries.iter().enumerate();
        let is_it = |entry: &Entry<'_>| String::from_utf16_lossy(&entry.key) == uid;
        lore.find(|(_, entry)| super::compare::is_lore(entry) && is_it(entry)).map(|(at, _)| at)
    }

    fn carry(&mut self, at: usize, decision: Option<Decision>) -> Result<Carried, JsonError> {
        let entry = &self.theirs.entries[at];
        let told = EntryOf::read(entry);
        let other = self.pairs[at].map(|pair| &self.mine.entries[pair.at]);
        let fate = match (other, decision) {
            (Some(other), _) if super::compare::fields(entry, other)?.is_empty() => Fate::Same,
            (Some(other), None) => Fate::Undecided(EntryOf::read(other)),
            (Some(_), Some(Decision::Keep)) => Fate::Kept,
            (Some(other), Some(Decision::Replace)) => {
                let key = String::from_utf16_lossy(&other.key);
                let uid = other.get("uid").map_or("null", Json::text);
                let text = set(entry.json.text(), &["uid"], uid)?;
                self.new.push((key, shown_as(&text, other.get("displayIndex"))?));
                Fate::Replaces(other.uid().unwrap_or_default())
            }
            (None, _) | (Some(_), Some(Decision::Both)) => {
                let uid = self.number(entry);
                let text = set(entry.json.text(), &["uid"], &uid.to_string())?;
                self.new.push((uid.to_string(), text));
                Fate::Added(uid)
            }
        };
        let registries = match fate {
            Fate::Added(uid) => self.list(entry, uid)?,
            _ => Vec::new(),
        };
        Ok(Carried { entry: told, fate, registries })
    }

    /// Its own number if nobody has it there, else a fresh one.
    fn number(&mut self, entry: &Entry<'_>) -> i64 {
        let own = entry.uid().filter(|uid| (0..MOST).contains(uid));
        let is_free = |uid: i64| {
            let key = uid.to_string();
            let has = |other: &Entry<'_>| {
                other.uid() == Some(uid) || String::from_utf16_lossy(&other.key) == key
            };
            !self.mine.entries.iter().any(has)
                && !self.new.iter().any(|(taken, _)| *taken == key)
                && !self.own_items.iter().any(|item| item.uid == uid)
        };
        match own.filter(|uid| is_free(*uid)) {
            Some(uid) => uid,
            None => {
                self.last += 1;
                self.last
            }
        }
    }

    /// Enters it into the registries that list it where it comes from.
    fn list(&mut self, entry: &Entry<'_>, uid: i64) -> Result<Vec<String>, JsonError> {
        let own = entry.uid();
        let items: Vec<Item> =
            self.items.iter().filter(|item| Some(item.uid) == own).cloned().collect();
        let mut kinds = Vec::new();
        for item in items {
            let new = Item { uid, ..item.clone() };
            let Some((key, text)) = self.registry_of(entry, &item)? else { continue };
            let json = Json::parse(&text)?;
            let comment = json.get("comment").and_then(Json::str).unwrap_or_default();
            let content = json.get("content").and_then(Json::str).unwrap_or_default();
            let Some(registry) = registries::of(&comment) else { continue };
            let content = registry.with_items(&content, &[new]);
            let text = set(&text, &["content"], &quote(&content))?;
            self.put(key, text);
            self.listed.push(Item { uid, ..item.clone() });
            kinds.push(item.kind);
        }
        Ok(kinds)
    }

    /// The registry that lists such things in the other lorebook, by its key: as it will be, or one
    /// like the one here. `None` if no line could be added to it.
    fn registry_of(
        &mut self,
        entry: &Entry<'_>,
        item: &Item,
    ) -> Result<Option<(String, String)>, JsonError> {
        let is_it = |comment: &str| registries::of(comment).is_some_and(|of| of.kind == item.kind);
        let is_entry = |other: &&Entry<'_>| is_it(&other.comment());
        let is_closed = |comment: &str, content: &str| {
            registries::of(comment).is_some_and(|of| of.is_closed(content))
        };
        if let Some(other) = self.mine.entries.iter().find(is_entry) {
            let key = String::from_utf16_lossy(&other.key);
            // It may have got another line just now.
            let now = self.new.iter().find(|(changed, _)| *changed == key);
            let text = now.map_or(other.json.text(), |(_, text)| text).to_owned();
            let content = Json::parse(&text)?.get("content").and_then(Json::str);
            if is_closed(&other.comment(), &content.unwrap_or_default()) {
                self.not_listed(entry, &other.comment());
                return Ok(None);
            }
            return Ok(Some((key, text)));
        }
        let Some(model) = self.theirs.entries.iter().find(is_entry) else { return Ok(None) };
        if is_closed(&model.comment(), &model.content()) {
            self.not_listed(entry, &model.comment());
            return Ok(None);
        }
        let made = self.new.iter().find(|(_, text)| {
            let comment = Json::parse(text).ok().and_then(|json| json.get("comment")?.str());
            comment.is_some_and(|comment| is_it(&comment))
        });
        if let Some(made) = made {
            return Ok(Some(made.clone()));
        }
        let uid = self.number(model).to_string();
        let text = set(model.json.text(), &["uid"], &uid)?;
        Ok(Some((uid, set(&text, &["content"], "\"\"")?)))
    }

    fn put(&mut self, key: String, text: String) {
        match self.new.iter_mut().find(|(other, _)| *other == key) {
            Some(other) => other.1 = text,
            None => self.new.push((key, text)),
        }
    }

    fn not_listed(&mut self, entry: &Entry<'_>, registry: &str) {
        let name = entry.comment().into_owned();
        self.warnings.push(Finding::new(
            Code::DanglingRegistryUid,
            say!(
                "“{0}” cannot be entered into “{1}”, which is not written as lines.",
                name,
                registry
            ),
            say!("{0} does not read such a registry either.", registries::keeper()),
        ));
    }
}

/// The entry with the place in the editor's list that the other one had.
fn shown_as(text: &str, place: Option<Json<'_>>) -> Result<String, JsonError> {
    match place {
        Some(place) => set(text, &["displayIndex"], place.text()),
        None => Ok(text.to_owned()),
    }
}
