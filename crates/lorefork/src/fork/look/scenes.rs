//! Scenes and evidence in the messages of a chat, and messages that name its lorebook.

use std::ops::Range;

use crate::error::Error;
use crate::host::{ChatView, Damage, HostError};
use crate::json::quote;
use crate::memory::scene::{self, Scene, marks};
use crate::moment::evidence::Evidence;
use crate::sentence::Sentence;
use crate::sorted;

/// How many messages are searched at a time, going back.
const STRETCH: usize = 20;

/// Scenes up to N; of those before `first`, only back to one that decides alone: it ends a scene,
/// has a recap and a snapshot, so whoever asks for the newest of its kind gets no further.
pub(super) fn scenes<C: ChatView>(
    view: &C,
    at: usize,
    last: &str,
    first: usize,
) -> Result<Vec<Scene>, Error> {
    let first = first.min(at);
    let mut scenes = scenes_in(view, first..at + 1, at, last)?;
    let mut end = first;
    while end > 0 {
        let start = end.saturating_sub(STRETCH);
        let mut earlier = scenes_in(view, start..end, at, last)?;
        let decides = |scene: &Scene| {
            scene.closes_scene() && scene.recap.is_some() && scene.snapshot.is_some()
        };
        let is_enough = earlier.iter().any(decides);
        earlier.append(&mut scenes);
        scenes = earlier;
        if is_enough {
            break;
        }
        end = start;
    }
    Ok(scenes)
}

fn scenes_in<C: ChatView>(
    view: &C,
    within: Range<usize>,
    at: usize,
    last: &str,
) -> Result<Vec<Scene>, Error> {
    let mut scenes = Vec::new();
    let mut found = find_any(view, &marks(|marks| marks.scenes), within.clone())?;
    if within.contains(&at) {
        sorted::insert(&mut found, at);
    }
    for index in found {
        let line = if index == at { last.to_owned() } else { view.line(index)? };
        let scene = scene::read(index, &line).map_err(|problem| {
            let (line, problem) = (index + 2, Sentence::from(&problem));
            super::sound::damaged(view.chat(), &Damage { message: index, line, problem })
        })?;
        scenes.extend(scene);
    }
    Ok(scenes)
}

pub(crate) fn find_any<C: ChatView>(
    view: &C,
    keys: &[&str],
    within: Range<usize>,
) -> Result<Vec<usize>, HostError> {
    let mut found = Vec::new();
    for key in keys {
        found.extend(view.find(key, within.clone())?);
    }
    sorted::sort(&mut found);
    found.dedup();
    Ok(found)
}

/// The first evidence that a message from `start` on holds.
pub(super) fn first_evidence<C: ChatView>(
    view: &C,
    start: usize,
) -> Result<Option<Evidence>, HostError> {
    for index in find_any(view, &marks(|marks| marks.recaps), start..view.len())? {
        let scene = scene::read(index, &view.line(index)?).ok().flatten();
        let evidence = scene.as_ref().map_or_else(|| Some(Evidence::unknown()), Evidence::of_scene);
        if evidence.is_some() {
            return Ok(evidence);
        }
    }
    Ok(None)
}

/// All evidence that the messages of a chat hold.
pub(super) fn all_scenes<C: ChatView>(view: &C) -> Result<Vec<Evidence>, HostError> {
    let mut evidence = Vec::new();
    for index in find_any(view, &marks(|marks| marks.recaps), 0..view.len())? {
        match scene::read(index, &view.line(index)?) {
            Ok(scene) => evidence.extend(scene.as_ref().and_then(Evidence::of_scene)),
            Err(_) => evidence.push(Evidence::unknown()),
        }
    }
    Ok(evidence)
}

/// Messages up to N that name the lorebook; whether Auto-Recap wrote it there, their text tells.
pub(crate) fn messages_naming<C: ChatView>(
    view: &C,
    book: &str,
    first: usize,
    at: usize,
) -> Result<Vec<usize>, HostError> {
    let spellings = mentions(book);
    let names: Vec<&str> = spellings.iter().map(|quoted| &quoted[1..quoted.len() - 1]).collect();
    find_any(view, &names, first..at + 1)
}

/// How a name may be spelled inside a header: as JavaScript writes it, and as tools that keep to
/// ASCII do.
fn mentions(name: &str) -> Vec<String> {
    let plain = quote(name);
    let ascii: String = plain
        .chars()
        .map(|c| {
            if c.is_ascii() {
                c.to_string()
            } else {
                c.encode_utf16(&mut [0; 2]).iter().map(|unit| format!("\\u{unit:04x}")).collect()
            }
        })
        .collect();
    if ascii == plain { vec![plain] } else { vec![plain, ascii] }
}
