//! What Auto-Recap writes into a message that closes a scene.

use lorefork::json::quote;
use lorefork::tavern::time::iso;

use super::super::played::{Era, Message, Scene};
use super::book::{activated, snapshot};

/// Its text.
pub(super) fn said(own: &Message) -> String {
    let again = if own.is_swiped { " again" } else { "" };
    format!("Message {}{again}", own.id)
}

/// What it holds of the reply that is shown.
pub(super) fn memory(at: usize, own: &Message, lorebook: &str) -> Option<String> {
    let newest = own.scene.as_ref()?;
    let versions = if own.is_swiped { &[] } else { own.earlier.as_slice() };
    Some(of(at, versions, newest, lorebook))
}

/// Replies, if there is more than one.
pub(super) fn swipes(at: usize, own: &Message, lorebook: &str) -> String {
    let (true, Some((first, versions))) = (own.is_swiped, own.earlier.split_last()) else {
        return String::new();
    };
    let (first, second) = (of(at, versions, first, lorebook), memory(at, own, lorebook));
    let info =
        |memory: &str| format!(r#"{{"send_date":"{}","extra":{{{memory}}}}}"#, iso(own.date));
    format!(
        r#","swipe_id":1,"swipes":["Message {}",{}],"swipe_info":[{},{}]"#,
        own.id,
        quote(&said(own)),
        info(&first),
        info(&second.unwrap_or_default())
    )
}

/// All versions of a recap. The first is what the placeholder became.
fn of(at: usize, earlier: &[Scene], newest: &Scene, lorebook: &str) -> String {
    let all: Vec<&Scene> = earlier.iter().chain([newest]).collect();
    let recaps: Vec<String> = all.iter().map(|scene| recap(scene)).collect();
    let current = all.len();
    let selected = recaps.last().map(String::as_str).unwrap_or_default();
    let metadata: Vec<String> = all
        .iter()
        .enumerate()
        .filter(|(_, scene)| scene.has_metadata)
        .map(|(place, scene)| format!(r#""{}":{{{}}}"#, place + 1, metadata(at, scene, lorebook)))
        .collect();
    let metadata = match metadata.is_empty() {
        true => String::new(),
        false => format!(r#","scene_recap_metadata":{{{}}}"#, metadata.join(",")),
    };
    format!(
        r#""auto_recap_memory":{{"scene_break":true,"scene_break_visible":true,"scene_break_name":"S","scene_recap_versions":["",{}],"scene_recap_current_index":{current},"scene_recap_memory":{selected}{metadata}}}"#,
        recaps.join(",")
    )
}

fn recap(scene: &Scene) -> String {
    let entities: Vec<String> = scene
        .names
        .iter()
        .zip(&scene.words)
        .map(|(name, words)| {
            let (kind, name) = name.split_once('-').unwrap_or(("lore", name));
            format!(r#"{{"type":"{kind}","name":"{name}","content":["{words}"]}}"#)
        })
        .collect();
    quote(&format!(r#"{{"scene_name":"S","stage4":{{"entities":[{}]}}}}"#, entities.join(",")))
}

fn metadata(at: usize, scene: &Scene, lorebook: &str) -> String {
    let created = scene.created.as_ref().map_or(String::new(), |uids| {
        let uids: Vec<String> = uids.iter().map(|uid| format!("\"{uid}\"")).collect();
        format!(r#""created_entry_uids":[{}],"#, uids.join(","))
    });
    let combined = match scene.is_combined {
        true => format!(r#""combined_at":{},"#, scene.time),
        false => String::new(),
    };
    let book = scene.book.as_ref();
    let entries = match scene.era {
        Era::Activated => {
            let (entries, names) = book.map(|book| activated(book, lorebook)).unwrap_or_default();
            format!(r#""entries":[{entries}],"entryNames":[{names}]"#)
        }
        Era::OwnOnly => {
            let own = scene.created.as_deref().unwrap_or_default();
            let all = book.map(|book| snapshot(book, lorebook, Some(own))).unwrap_or_default();
            format!(r#""entries":[],"allEntries":[{}]"#, all.join(","))
        }
        Era::Before | Era::After | Era::Listed => {
            let all = book.map(|book| snapshot(book, lorebook, None)).unwrap_or_default();
            format!(r#""entries":[],"allEntries":[{}]"#, all.join(","))
        }
    };
    format!(
        r#""timestamp":{},"startIdx":0,"endIdx":{at},"totalActivatedEntries":2,"chatLorebookName":{},{created}{combined}{entries}"#,
        scene.recapped,
        quote(lorebook)
    )
}
