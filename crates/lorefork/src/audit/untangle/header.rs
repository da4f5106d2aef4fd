//! The header of a timeline that gets its own book, and of the one that keeps the shared one.

use super::read::Timeline;
use crate::json::JsonError;
use crate::memory::back::{Exchange, Rewind};
use crate::memory::checkpoints;
use crate::memory::entries::is_queue;
use crate::memory::fingerprint::fingerprint;
use crate::memory::parting::{self, Parting};
use crate::memory::queues::keep_lookups;
use crate::memory::ranges::Told;
use crate::moment::Source;
use crate::moment::film::Level;
use crate::moment::foreign::{self, Foreign};
use crate::moment::live::RECORD_VERSION;
use crate::moment::metadata::{follow_lorebook, rewind};
use crate::tavern::chat::{Header, HeaderEdit};
use crate::tavern::lorebook::Lorebook;
use crate::tavern::names::Kind;
use crate::tavern::time::iso;
use crate::timeline::record::{self, Lore, Parent, Record};

/// What a header is made from.
pub(super) struct Making<'m> {
    pub timeline: &'m Timeline,
    pub kind: Kind,
    pub id: &'m str,
    /// The shared book, and the timeline's own.
    pub from: (&'m str, &'m Lorebook<'m>),
    pub to: (&'m str, &'m Lorebook<'m>),
    pub base: String,
    /// How sure the book is.
    pub level: Level,
    pub now_ms: u64,
    /// A fresh slug, if the header changes from outside of SillyTavern.
    pub slug: Option<&'m str>,
    /// Whether the book is not what it was.
    pub changes: bool,
    /// Timelines that were forked from this one, with the books they get.
    pub children: &'m [(String, String)],
    /// What its snapshots show though it never was its own.
    pub foreign: &'m [Foreign],
    /// What it leaves to the others.
    pub parting: &'m Parting,
}

/// The header of a timeline with a book of its own.
pub(super) fn own(making: &Making<'_>) -> Result<String, JsonError> {
    let timeline = making.timeline;
    let name = &timeline.chat.name;
    let before = Header::read(&timeline.header).ok();
    let main_chat = before.as_ref().and_then(Header::main_chat);
    let at = timeline.len.saturating_sub(1);
    let mut edit = HeaderEdit::new(&timeline.header);
    let chats = [Told::own(name)];
    rewind(
        &mut edit,
        &Rewind {
            chat: name,
            parent: main_chat.as_deref().unwrap_or(name),
            at,
            scenes: &timeline.scenes,
            now_ms: making.now_ms,
            now: &iso(making.now_ms),
            lorebook: Some(exchange(making)),
            chats: &chats,
            parting: making.parting,
        },
    )?;
    tell(&mut edit, before.as_ref(), making)?;
    if let Some(before) = &before {
        let queue = making.to.1.entries.iter().find(|entry| is_queue(&entry.comment()));
        keep_lookups(&mut edit, before, queue)?;
    }
    if let Some(slug) = making.slug {
        edit.set_text(&["integrity"], slug)?;
    }
    let old = before.as_ref().and_then(|header| Record::own(header, name));
    let own_id = before.as_ref().and_then(|header| record::own_id(header, name));
    let slug = making.slug.map(str::to_owned).or_else(|| before.as_ref().and_then(Header::slug));
    let record = Record {
        v: RECORD_VERSION,
        id: own_id.unwrap_or_else(|| making.id.to_owned()),
        kind: if main_chat.is_some() { making.kind.into() } else { record::Kind::Main },
        chat: name.clone(),
        slug,
        parent: old
            .and_then(|old| old.parent)
            .or_else(|| main_chat.map(|chat| Parent { chat, slug: None, id: None })),
        at,
        base: Some(making.base.clone()),
        lore: Lore {
            source: Source::Live,
            quality: making.level.into(),
            from: None,
            of: Some(making.from.0.to_owned()),
            hash: Some(fingerprint(making.to.1)?),
        },
    };
    let text = edit.text().to_owned();
    if let Ok(so_far) = Header::read(&text) {
        let state = checkpoints::text(
            &so_far,
            &timeline.scenes,
            &checkpoints::Proof {
                now_ms: making.now_ms,
                at,
                queue_was_empty: true,
                lorebook: Some(making.to.0),
                original: Some(making.from.0),
            },
        );
        record.write(&mut edit)?;
        edit.set(&checkpoints::STATE, &state)?;
    }
    Ok(edit.into_text())
}

/// What the header learns of the untangling: that others used the lorebook until now, the books of
/// its forks, and foreign entries.
fn tell(
    edit: &mut HeaderEdit,
    before: Option<&Header<'_>>,
    making: &Making<'_>,
) -> Result<(), JsonError> {
    foreign::mark_mixed(edit, making.now_ms)?;
    for (chat, book) in making.children {
        edit.set_text(&checkpoints::in_map(chat), book)?;
    }
    foreign::add(edit, before.map(foreign::listed).unwrap_or_default(), making.foreign)
}

/// The header of the timeline that keeps the book's name: only what speaks of entries that went, of
/// those who used it, too, and of its forks.
pub(super) fn keeper(making: &Making<'_>) -> Result<String, JsonError> {
    let mut edit = HeaderEdit::new(&making.timeline.header);
    let Ok(before) = Header::read(&making.timeline.header) else {
        return Ok(making.timeline.header.clone());
    };
    if making.changes {
        follow_lorebook(&mut edit, &before, &exchange(making))?;
    }
    if making.changes || making.parting.renews() {
        parting::part(&mut edit, making.parting);
    }
    tell(&mut edit, Some(&before), making)?;
    if edit.text() != making.timeline.header
        && let Some(slug) = making.slug
    {
        edit.set_text(&["integrity"], slug)?;
        // Its record knows it by its slug.
        if before
            .meta(&[record::KEY, "slug"])
            .is_some_and(|own| before.slug().is_some_and(|slug| own.says(&slug)))
        {
            edit.set_text(&[record::KEY, "slug"], slug)?;
        }
    }
    Ok(edit.into_text())
}

fn exchange<'m>(making: &'m Making<'_>) -> Exchange<'m> {
    Exchange {
        from: making.from.0,
        live: Some(making.from.1),
        to: making.to.0,
        new: making.to.1,
        is_rebuilt: true,
    }
}
