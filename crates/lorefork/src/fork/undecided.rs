//! Entries of which nobody can tell: the lorebook lists them until somebody decides.

use super::draft::NewLorebook;
use super::plan::unwritable;
use crate::error::report::{Finding, Report};
use crate::error::{Code, Error, REPAIR_LOREBOOK};
use crate::host::{Host, Line};
use crate::json::{Json, JsonError, Member, Object, Splices, array_of_texts, quote};
use crate::memory::back::Exchange;
use crate::memory::registries::{self, Item, Mend};
use crate::moment::metadata::follow_lorebook;
use crate::moment::{Moment, Quality};
use crate::moment::{live, marks};
use crate::naming::who_names_these;
use crate::operation::What;
use crate::operation::change::{Done, FileChange, apply};
use crate::operation::recover::{self, Healed};
use crate::operation::staging::Desk;
use crate::operation::title;
use crate::sentence::Sentence;
use crate::sorted;
use crate::tavern::chat::{Header, HeaderEdit};
use crate::tavern::lorebook::{Entry, Lorebook};
use crate::tavern::names;
use crate::tavern::place::{ChatRef, lorebook_file};
use crate::{say, say_count};

/// How many entries a sentence names.
const NAMED: usize = 5;

/// One of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Open {
    /// Its key in the lorebook.
    pub uid: String,
    /// Its title.
    pub name: String,
    /// Why nobody can tell.
    pub why: String,
    /// Other timelines that have it, too.
    pub with: Vec<String>,
    /// What it says now.
    pub content: String,
}

/// What becomes of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// It is this timeline's, as it is.
    Keep,
    /// It is not: the entry goes, with its lines in registries.
    Drop,
}

/// All that a timeline's lorebook lists.
#[derive(Debug, Clone)]
pub struct Listed {
    /// The lorebook, by its name.
    pub lorebook: String,
    /// The entries of which nobody can tell.
    pub all: Vec<Open>,
    /// What the user should know though nothing forbids it.
    pub warnings: Vec<Finding>,
}

/// What somebody says of an entry, by its number or its name.
#[derive(Debug, Clone, Copy)]
pub struct Said<'s> {
    /// The number or the name, as somebody wrote it.
    pub entry: &'s str,
    /// What shall become of it.
    pub verdict: Verdict,
}

/// What decisions would do.
#[derive(Debug, Clone)]
pub struct Decision {
    /// The timeline it is about.
    pub chat: ChatRef,
    /// Its lorebook, which is written.
    pub lorebook: String,
    /// What becomes of each that was decided.
    pub entries: Vec<(Open, Verdict)>,
    /// How many are still open then.
    pub left: usize,
    /// What the user should know though nothing forbids it.
    pub warnings: Vec<Finding>,
    changes: Vec<FileChange>,
}

/// A decision that was made.
#[derive(Debug, Clone)]
pub struct Decided {
    /// What was planned, and done.
    pub plan: Decision,
    /// The operation that did it, for undoing.
    pub done: Done,
    /// What earlier operations had left behind, and was healed first.
    pub healed: Vec<Healed>,
}

/// What is open in the lorebook of `chat`. Reads only.
pub async fn undecided<H: Host>(host: &H, chat: &ChatRef) -> Result<Listed, Error> {
    let (lorebook, text) = lorebook_of(&mut Desk::new(host), chat).await?;
    let book = Lorebook::read(&text).map_err(|problem| corrupt(&lorebook, &problem))?;
    let all = listed(&book);
    let warnings = elsewhere(host, chat, &lorebook).await?;
    Ok(Listed { lorebook, all, warnings })
}

/// What deciding about entries would do. Reads only.
pub async fn plan_decision<H: Host>(
    host: &H,
    chat: &ChatRef,
    said: &[Said<'_>],
) -> Result<Decision, Error> {
    let mut desk = Desk::new(host);
    let (lorebook, text) = lorebook_of(&mut desk, chat).await?;
    let book = Lorebook::read(&text).map_err(|problem| corrupt(&lorebook, &problem))?;
    if live::is_newer(&book) {
        return Err(Error::new(
            Code::NewerRecord,
            say!("{0}: a newer Lorefork has written to this lorebook", lorebook_file(&lorebook)),
            say!("Update Lorefork, then try again. Nothing was changed."),
        ));
    }
    let all = listed(&book);
    let mut entries: Vec<(Open, Verdict)> = Vec::new();
    for said in said {
        let open = find(&all, said.entry, &lorebook)?;
        match entries.iter().find(|(other, _)| other.uid == open.uid) {
            None => entries.push((open.clone(), said.verdict)),
            Some((_, verdict)) if *verdict == said.verdict => {}
            Some(_) => return Err(both_ways(open)),
        }
    }
    let now = decided(&book, &all, &entries).map_err(|problem| corrupt(&lorebook, &problem))?;
    if entries.iter().any(|(_, verdict)| *verdict == Verdict::Drop) {
        let new = Lorebook::read(&now).map_err(|problem| corrupt(&lorebook, &problem))?;
        let header = desk.line(chat, Line::Header).await?;
        let followed =
            follow(&header, &book, &new).map_err(|problem| unwritable(chat, &problem))?;
        desk.set_line(chat, Line::Header, followed).await?;
    }
    let warnings = elsewhere(host, chat, &lorebook).await?;
    desk.set_book(&lorebook, now).await?;
    Ok(Decision {
        chat: chat.clone(),
        left: still_open(&all, &entries).len(),
        entries,
        warnings,
        changes: desk.changes()?,
        lorebook,
    })
}

/// Decides about entries: one operation, one undo.
pub async fn decide<H: Host>(
    host: &H,
    chat: &ChatRef,
    said: &[Said<'_>],
) -> Result<Decided, Error> {
    let claim = host.claim(&format!("deciding about an entry of {chat}")).await;
    let _claim = claim?;
    let healed = recover::heal(host).await?;
    host.settle(chat).await?;
    let mut retried = false;
    loop {
        let plan = plan_decision(host, chat, said).await?;
        let title = match plan.entries.as_slice() {
            [(open, verdict)] => Sentence {
                says: match verdict {
                    Verdict::Keep => title::KEPT,
                    Verdict::Drop => title::DROPPED,
                },
                with: vec![open.name.as_str().into(), chat.into()],
            },
            several => {
                Sentence { says: title::DECIDED, with: vec![chat.into(), several.len().into()] }
            }
        };
        match apply(host, What::Decide, title, plan.changes.clone()).await {
            Ok(done) => return Ok(Decided { plan, done, healed }),
            Err(error) if error.code == Code::ChangedMeanwhile && !retried => retried = true,
            Err(error) => return Err(error),
        }
    }
}

/// What the first line says of the entries, once one is gone.
fn follow(header: &str, before: &Lorebook<'_>, now: &Lorebook<'_>) -> Result<String, JsonError> {
    let mut edit = HeaderEdit::new(header);
    let Ok(read) = Header::read(header) else { return Ok(header.to_owned()) };
    let name = read.lorebook().unwrap_or_default();
    let exchange =
        Exchange { from: &name, live: Some(before), to: &name, new: now, is_rebuilt: true };
    follow_lorebook(&mut edit, &read, &exchange)?;
    Ok(edit.into_text())
}

/// Who else uses the lorebook, and would find it changed.
async fn elsewhere<H: Host>(
    host: &H,
    chat: &ChatRef,
    lorebook: &str,
) -> Result<Vec<Finding>, Error> {
    let named = who_names_these(host, std::slice::from_ref(chat), &[lorebook.to_owned()]).await?;
    let finding = |user: &Sentence| {
        Finding::new(
            Code::NamedElsewhere,
            say!("The lorebook “{0}” is also used by {1}: it changes there, too.", lorebook, user),
            say!("Give the timeline a lorebook of its own first, if that is not what you want."),
        )
    };
    Ok(named.first().map(|user| finding(&user.by)).into_iter().collect())
}

fn both_ways(open: &Open) -> Error {
    Error::new(
        Code::NoSuchEntry,
        say!("“{0}” cannot be kept and dropped at once", &open.name),
        say!("Say one of both."),
    )
}

/// Those that nobody decides about. One may be marked twice.
fn still_open<'o>(all: &'o [Open], entries: &[(Open, Verdict)]) -> Vec<&'o str> {
    let uids = all.iter().map(|one| one.uid.as_str());
    let mut left: Vec<&str> =
        uids.filter(|uid| !entries.iter().any(|(open, _)| open.uid == *uid)).collect();
    sorted::sort(&mut left);
    left.dedup();
    left
}

/// Nobody calls a lorebook exact in which something is open, whether that is new or came along.
pub(super) fn note(moment: &mut Moment, lorebook: Option<&NewLorebook>, report: &mut Report) {
    let open = lorebook.map(|book| book.undecided.as_slice()).unwrap_or_default();
    if open.is_empty() {
        return;
    }
    if matches!(moment.quality, Quality::Exact | Quality::Ranged | Quality::Snapshot) {
        moment.quality = Quality::Partial;
    }
    let names: Vec<String> = open.iter().map(|one| one.name.clone()).collect();
    let some = names.iter().take(NAMED).map(String::as_str);
    let more = (names.len() > NAMED).then_some("…");
    let shown: Vec<&str> = some.chain(more).collect();
    let finding = Finding::new(
        Code::PartialSnapshot,
        say_count!(
            names.len(),
            "Of {0} entry nobody can tell how it was: {1}.",
            "Of {0} entries nobody can tell how they were: {1}.",
            shown.join(", "),
        ),
        say!("They are in the new lorebook, and marked. Look through them."),
    );
    let lacks = array_of_texts(&names);
    report.warning(
        finding.with(Object::new().count_or_null("from", moment.from).raw("lacks", &lacks)),
    );
}

async fn lorebook_of<H: Host>(
    desk: &mut Desk<'_, H>,
    chat: &ChatRef,
) -> Result<(String, String), Error> {
    let header = desk.line(chat, Line::Header).await?;
    let name = Header::read(&header).ok().and_then(|header| header.lorebook());
    let name = name.and_then(|name| names::lorebook_name(&name)).unwrap_or_default();
    let text = if name.is_empty() { None } else { desk.book(&name).await? };
    let text = text.ok_or_else(|| {
        Error::new(
            Code::MissingLorebook,
            say!("{0}: there is no lorebook to decide about", chat.file()),
            say!("Attach a lorebook to the chat in SillyTavern first."),
        )
    })?;
    Ok((name, text))
}

fn corrupt(name: &str, problem: &dyn std::fmt::Display) -> Error {
    Error::new(
        Code::CorruptLorebook,
        say!("{0}: this lorebook cannot be read: {1}", lorebook_file(name), problem.to_string()),
        REPAIR_LOREBOOK,
    )
}

/// Marks whose entry is there: one that was deleted by hand is decided.
pub(super) fn listed(book: &Lorebook<'_>) -> Vec<Open> {
    let marks = marks::listed(book);
    if marks.is_empty() {
        return Vec::new();
    }
    let numbers: Vec<String> = book.entries.iter().map(marks::number).collect();
    let order = sorted::places(&numbers, String::as_str);
    let open = |(uid, mark): (String, Json<'_>)| {
        let same = sorted::at(&order, &numbers, String::as_str, &uid.as_str());
        let entry = &book.entries[*same.first()?];
        let text = |key: &str| mark.get(key).and_then(Json::str).unwrap_or_default().into_owned();
        let with = mark.get("with").map(Json::items).unwrap_or_default();
        Some(Open {
            name: entry.comment().into_owned(),
            why: text("why"),
            with: with.iter().filter_map(|name| Some(name.str()?.into_owned())).collect(),
            content: entry.content().into_owned(),
            uid,
        })
    };
    marks.into_iter().filter_map(open).collect()
}

fn find<'o>(all: &'o [Open], entry: &str, lorebook: &str) -> Result<&'o Open, Error> {
    let by_name: Vec<&Open> = all.iter().filter(|open| open.name == entry).collect();
    let by_number = all.iter().find(|open| open.uid == entry);
    match (by_number, by_name.as_slice()) {
        (Some(open), _) => Ok(open),
        (None, [open]) => Ok(*open),
        (None, several) => Err(Error::new(
            Code::NoSuchEntry,
            match several {
                [] => say!("“{0}” is not among the open entries of “{1}”", entry, lorebook),
                _ => say!("several open entries of “{1}” are called “{0}”", entry, lorebook),
            },
            say!("Look at the list, and take the number that stands there."),
        )),
    }
}

/// The lorebook without these marks, and without the entries that go.
fn decided(
    book: &Lorebook<'_>,
    all: &[Open],
    entries: &[(Open, Verdict)],
) -> Result<String, JsonError> {
    let dropped = entries.iter().filter(|(_, verdict)| *verdict == Verdict::Drop);
    let dropped: Vec<&Open> = dropped.map(|(open, _)| open).collect();
    let text = if dropped.is_empty() { book.text.to_owned() } else { without(book, &dropped)? };
    // Those of entries that are gone go, too: their numbers may be given again.
    let still_open = still_open(all, entries);
    let left =
        marks::listed(book).into_iter().filter(|(uid, _)| still_open.contains(&uid.as_str()));
    marks::write(&text, &left.map(|(_, mark)| mark.text().to_owned()).collect::<Vec<_>>())
}

fn without(book: &Lorebook<'_>, dropped: &[&Open]) -> Result<String, JsonError> {
    let mut splices = Splices::new(book.text);
    let entries = Json::parse(book.text)?.get("entries").unwrap_or(Json::EMPTY);
    let is_dropped =
        |entry: &&Entry<'_>| dropped.iter().any(|open| marks::number(entry) == open.uid);
    let keys: Vec<_> = book.entries.iter().filter(is_dropped).map(|entry| &entry.key).collect();
    splices.cut_members(entries, |member: &Member<'_>| {
        member.key.units().is_some_and(|key| keys.contains(&&key))
    });
    for entry in &book.entries {
        let (comment, content) = (entry.comment(), entry.content());
        let Some(registry) = registries::of(&comment) else { continue };
        let mended = registry.mended(&content, |item: &Item| {
            let uid = item.uid.to_string();
            let is_line =
                |open: &&Open| open.uid == uid && registries::means(&item.name, &open.name);
            if dropped.iter().any(is_line) { Mend::Drop } else { Mend::Keep }
        });
        let shown = entry.json.get("content");
        if let Some(shown) = shown.filter(|_| mended != content) {
            splices.replace(shown, quote(&mended));
        }
    }
    Ok(splices.apply())
}
