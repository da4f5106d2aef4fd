//! Repairs of a lorebook.

use crate::memory::entries::{is_queue, is_registry, plain_name};
use crate::say;
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use super::{Why, gone};
use crate::audit::Code;
use crate::audit::facts::{Folder, OperationFacts};
use crate::audit::judge::foreign_in;
use crate::audit::problem::Action;
use crate::error::Error;
use crate::fork::look::find_any;
use crate::fork::recorded;
use crate::host::{ChatView, Host, HostError};
use crate::json::{Json, Splices, quote, quote_units, set};
use crate::memory::queues::{self, About};
use crate::memory::ranges;
use crate::memory::registries::{self, Item, Mend};
use crate::memory::scene::{marks, snapshot_in};
use crate::moment::foreign;
use crate::moment::rebuild;
use crate::operation::staging::Desk;
use crate::sorted;
use crate::tavern::chat::Header;
use crate::tavern::lorebook::{Entry, Lorebook};
use crate::tavern::place::{ChatRef, lorebook_file};

/// As a chat recorded it; where that cannot be asked, from the newest snapshot that can be read.
pub(super) async fn rebuild<H: Host>(
    desk: &mut Desk<'_, H>,
    book: &str,
    chat: &ChatRef,
) -> Result<(), Why> {
    if let Ok(Some(text)) = recorded(desk.host(), chat).await {
        return Ok(desk.set_book(book, text).await?);
    }
    let now = desk.now_ms();
    let view = desk.view(chat).await?;
    let newest = newest_snapshot(view).map_err(Error::from)?;
    let line = newest.map(|(_, line)| line).unwrap_or_default();
    let Some(snapshot) = Json::parse(&line).ok().and_then(snapshot_in) else {
        return Err(Why::Left(say!(
            "The chat has no snapshot to rebuild it from. Choose something else."
        )));
    };
    let header = Header::read(view.header()).ok();
    let foreign = header.map(|header| foreign::listed(&header)).unwrap_or_default();
    let text = rebuild::rebuild(&snapshot, None, &foreign, now)?.text;
    Ok(desk.set_book(book, text).await?)
}

/// The last message of a chat that has a snapshot, with its line.
pub(super) fn newest_snapshot<C: ChatView>(view: &C) -> Result<Option<(usize, String)>, HostError> {
    let marks = marks(|marks| marks.snapshots);
    for at in find_any(view, &marks, 0..view.len())?.into_iter().rev() {
        let line = view.line(at)?;
        if Json::parse(&line).ok().and_then(snapshot_in).is_some() {
            return Ok(Some((at, line)));
        }
    }
    Ok(None)
}

async fn read<H: Host>(desk: &mut Desk<'_, H>, book: &str) -> Result<String, Why> {
    desk.book(book).await?.ok_or_else(|| gone(&lorebook_file(book)))
}

fn parsed(text: &str) -> Result<Lorebook<'_>, Why> {
    Lorebook::read(text).map_err(|problem| Why::Left(say!("{0}.", &problem)))
}

pub(super) async fn mend<H: Host>(
    desk: &mut Desk<'_, H>,
    folder: &Folder,
    name: &str,
    action: &Action,
) -> Result<(), Why> {
    let text = read(desk, name).await?;
    let book = parsed(&text)?;
    let mut splices = Splices::new(&text);
    let all_queues = || book.entries.iter().filter(|entry| is_queue(&entry.comment()));
    match action {
        Action::Rekey => rekey(&book, &mut splices)?,
        Action::OneQueue => {
            let further: Vec<Json<'_>> = all_queues().skip(1).map(|entry| entry.json).collect();
            if let Some(entries) = book.get("entries") {
                splices.cut_members(entries, |member| further.contains(&member.value));
            }
        }
        Action::EmptyQueue => {
            if let Some(first) = all_queues().next() {
                splices.replace(first.json, queues::emptied(first.json)?);
            }
        }
        Action::DropOperations => {
            let is_foreign = foreign_in(folder, name);
            let goes = |about: About| is_foreign(&OperationFacts::from(about));
            if let Some(first) = all_queues().next() {
                splices.replace(first.json, queues::without(first.json, goes)?);
            }
        }
        Action::NameOperations => {
            let is_gone = |other: &str| !other.is_empty() && !folder.has_lorebook(other);
            if let Some(first) = all_queues().next() {
                splices.replace(first.json, queues::with_lorebook(first.json, is_gone, name)?);
            }
        }
        Action::Register => register(&book, &mut splices)?,
        _ => {}
    }
    Ok(desk.set_book(name, splices.apply()).await?)
}

fn rekey<'a>(book: &Lorebook<'a>, splices: &mut Splices<'a>) -> Result<(), Why> {
    let Some(entries) = book.get("entries") else { return Ok(()) };
    let (mut taken, mut astray) = (BTreeSet::new(), Vec::new());
    for member in entries.members() {
        let Some(key) = member.key.units() else { continue };
        let Some(uid) = member.value.get("uid") else {
            taken.insert(key);
            continue;
        };
        let own: Vec<u16> =
            uid.units().unwrap_or_else(|| crate::json::js::number(uid).encode_utf16().collect());
        if own == key {
            taken.insert(key);
        } else {
            astray.push((member.key, key, uid, own));
        }
    }
    // Places become free as their entries move, so who has a number of his own always keeps it.
    astray.retain(|(place, _, _, own)| {
        let moves = taken.insert(own.clone());
        if moves {
            splices.replace(*place, quote_units(own));
        }
        !moves
    });
    for (place, key, uid, _) in astray {
        let number = number_in(&key).ok_or_else(|| {
            Why::Left(say!(
                "Two entries have the same number; give one of them another, in a text editor."
            ))
        })?;
        if taken.insert(key) {
            splices.replace(uid, number.to_string());
            continue;
        }
        // Another entry belongs in its place.
        let highest = taken.iter().filter_map(|key| number_in(key)).max().unwrap_or_default();
        let number = highest.saturating_add(1).to_string();
        taken.insert(number.encode_utf16().collect());
        splices.replace(place, quote(&number));
        splices.replace(uid, number);
    }
    Ok(())
}

fn number_in(key: &[u16]) -> Option<i64> {
    String::from_utf16_lossy(key).parse().ok()
}

fn register<'a>(book: &Lorebook<'a>, splices: &mut Splices<'a>) -> Result<(), Why> {
    let items = registries::items(book);
    let mut uids: BTreeSet<i64> = items.iter().map(|item| item.uid).collect();
    let mut names: BTreeSet<String> =
        items.iter().map(|item| plain_name(item.name.trim())).collect();
    let comments: Vec<Cow<'_, str>> = book.entries.iter().map(Entry::comment).collect();
    let mut closed = None;
    for (of_kind, name) in book.entries.iter().zip(&comments) {
        let Some(registry) = registries::of(name) else { continue };
        let prefix = format!("{}-", registry.kind);
        let content = of_kind.content();
        let is_closed = registry.is_closed(&content);
        let mut new = Vec::new();
        let all = book.entries.iter().zip(&comments);
        for (entry, comment) in all.filter(|(_, comment)| comment.starts_with(&prefix)) {
            let Some(uid) = entry.uid() else { continue };
            // A line may mean the entry, though it misses it.
            let own = registries::names_of(comment);
            if uids.contains(&uid) || own.iter().any(|name| names.contains(name)) {
                continue;
            }
            if is_closed {
                closed = Some(name);
                continue;
            }
            let keys = entry.get("key").map(Json::items).unwrap_or_default();
            let keys: Vec<String> =
                keys.into_iter().filter_map(Json::str).map(|key| key.into_owned()).collect();
            new.push(Item {
                kind: registry.kind.to_owned(),
                uid,
                name: comment.to_string(),
                aliases: keys,
                synopsis: String::new(),
            });
            uids.insert(uid);
            names.extend(own.into_iter().last());
        }
        set_content(of_kind, &registry.with_items(&content, &new), splices)?;
    }
    closed.map_or(Ok(()), |name| Err(kept_as_json(name)))
}

fn kept_as_json(registry: &str) -> Why {
    Why::Left(say!(
        "“{0}” is kept as JSON, which {1} does not read, so Lorefork leaves it as it is. Empty \
         that entry's content in SillyTavern, and check again.",
        &registry,
        registries::keeper()
    ))
}

fn set_content<'a>(entry: &Entry<'a>, content: &str, splices: &mut Splices<'a>) -> Result<(), Why> {
    match entry.get("content") {
        Some(old) if !old.says(content) => splices.replace(old, quote(content)),
        Some(_) => {}
        None => splices.replace(entry.json, set(entry.json.text(), &["content"], &quote(content))?),
    }
    Ok(())
}

/// Lines that lead to no entry, or to one of another name, are set right by name.
pub(super) async fn mend_registry<H: Host>(
    desk: &mut Desk<'_, H>,
    name: &str,
    code: Code,
) -> Result<(), Why> {
    let text = read(desk, name).await?;
    let book = parsed(&text)?;
    let is_lore = |entry: &&Entry<'_>| {
        let comment = entry.comment();
        !is_registry(&comment) && !is_queue(&comment)
    };
    let lore: Vec<(i64, String)> = book
        .entries
        .iter()
        .filter(is_lore)
        .filter_map(|entry| Some((entry.uid()?, entry.comment().into_owned())))
        .collect();
    let mut by_name: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (place, (_, comment)) in lore.iter().enumerate() {
        for name in registries::names_of(comment) {
            let places = by_name.entry(name).or_default();
            if places.last() != Some(&place) {
                places.push(place);
            }
        }
    }
    let uids: BTreeSet<i64> = book.entries.iter().filter_map(Entry::uid).collect();
    let items = registries::items(&book);
    let (of_lore, of_items) =
        (sorted::places(&lore, |(uid, _)| *uid), sorted::places(&items, |item| item.uid));
    let mend = |item: &Item| {
        let has_name = !plain_name(&item.name).is_empty();
        let exists = uids.contains(&item.uid);
        let is_right = sorted::at(&of_lore, &lore, |(uid, _)| *uid, &item.uid)
            .iter()
            .any(|place| registries::means(&item.name, &lore[*place].1));
        let is_asked = exists == (code == Code::RegistryWrongEntry);
        if is_right || !is_asked || (!has_name && exists) {
            return Mend::Keep;
        }
        let same = by_name.get(&plain_name(item.name.trim())).filter(|_| has_name);
        let Some([place]) = same.map(Vec::as_slice) else { return Mend::Drop };
        let (uid, comment) = &lore[*place];
        let is_listed = sorted::at(&of_items, &items, |item| item.uid, uid)
            .iter()
            .any(|place| registries::means(&items[*place].name, comment));
        if is_listed { Mend::Drop } else { Mend::Uid(*uid) }
    };
    let mut splices = Splices::new(&text);
    for entry in &book.entries {
        let (comment, content) = (entry.comment(), entry.content());
        let Some(registry) = registries::of(&comment) else { continue };
        if registry.is_closed(&content) {
            if registry.items(&content).iter().any(|item| mend(item) != Mend::Keep) {
                return Err(kept_as_json(&comment));
            }
            continue;
        }
        set_content(entry, &registry.mended(&content, mend), &mut splices)?;
    }
    Ok(desk.set_book(name, splices.apply()).await?)
}

/// Entries that the timeline cannot know go, and their lines in the registries.
pub(super) async fn forget<H: Host>(
    desk: &mut Desk<'_, H>,
    name: &str,
    uids: &[i64],
) -> Result<(), Why> {
    let goes = |entry: &Entry<'_>| {
        entry.get("uid").and_then(Json::integer).is_some_and(|uid| uids.contains(&uid))
    };
    // With summaries made of them, and what they had switched off.
    let (text, _) = ranges::without(&read(desk, name).await?, goes)?;
    let book = parsed(&text)?;
    let mut splices = Splices::new(&text);
    for entry in &book.entries {
        let drop = |item: &Item| {
            if uids.contains(&item.uid) { Mend::Drop } else { Mend::Keep }
        };
        if let Some(registry) = registries::of(&entry.comment()) {
            set_content(entry, &registry.mended(&entry.content(), drop), &mut splices)?;
        }
    }
    Ok(desk.set_book(name, splices.apply()).await?)
}
