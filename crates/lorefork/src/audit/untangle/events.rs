//! Entries of events: a running recap names those it made.

use super::history::Holders;
use super::timeline::Timeline;
use crate::json::Json;
use crate::memory::recap::RUNNING_KEY;
use crate::moment::rebuild::plain_name;
use crate::tavern::chat::Header;

/// An event that a version of a running recap gave an entry of its own.
#[derive(Debug)]
pub(super) struct Event {
    pub name: String,
    /// Of what the entry said when it was made.
    pub hash: String,
    pub time: Option<f64>,
    pub holders: Holders,
}

/// Events by name, with the timelines whose story has them. A fork's header carries versions of its
/// parent's future along, so a version counts only where its scene stands, and not before it.
pub(super) fn named(family: &[Timeline]) -> Vec<Event> {
    let mut events: Vec<Event> = Vec::new();
    for (index, timeline) in family.iter().enumerate() {
        let Ok(header) = Header::read(&timeline.header) else { continue };
        let versions = header.meta(&[RUNNING_KEY, "versions"]).map(Json::items).unwrap_or_default();
        for version in versions.into_iter().filter(|version| stands(*version, timeline)) {
            for key in version.get("event_keys").map(Json::items).unwrap_or_default() {
                let Some((name, hash)) = key.str().and_then(|key| parts(&key)) else { continue };
                let time = version.get("timestamp").and_then(Json::number);
                let same = |event: &&mut Event| {
                    event.name == name && event.hash == hash && event.time == time
                };
                match events.iter_mut().find(same) {
                    Some(event) => event.holders[index] = true,
                    None => {
                        let mut holders = vec![false; family.len()];
                        holders[index] = true;
                        events.push(Event { name, hash, time, holders });
                    }
                }
            }
        }
    }
    events
}

/// Name and hash of `<version>:<name>:<hash>`; the name may hold colons itself.
fn parts(key: &str) -> Option<(String, String)> {
    let (_, rest) = key.split_once(':')?;
    rest.rsplit_once(':').map(|(name, hash)| (plain_name(name), hash.to_owned()))
}

fn stands(version: Json<'_>, timeline: &Timeline) -> bool {
    let scene = version.get("new_scene_index").and_then(Json::integer).unwrap_or(0);
    let time = version.get("timestamp").and_then(Json::number);
    let Some(own) = timeline.scenes.iter().find(|own| i64::try_from(own.at) == Ok(scene)) else {
        return false;
    };
    // A version is made after its scene's recap; clocks may differ a little.
    let is_after =
        |made: Option<f64>| made.zip(time).is_none_or(|(made, time)| made < time + 60_000.0);
    let mut records = timeline.records.iter().filter(|record| record.at == own.at).peekable();
    own.recap.is_some() && (records.peek().is_none() || records.any(|record| is_after(record.time)))
}
