//! Everything a scene recorded, version by version of its recap: when, of which lorebook, which
//! entries, and which of them the scene itself made or changed.

use super::scene::memory_in;
use super::snapshot::{Snapshot, taken, versions};
use crate::json::{Json, js};

/// What one version of a scene's recap recorded.
#[derive(Debug, Clone)]
pub struct Recorded<'a> {
    /// What tells it from other versions of the same recap.
    pub version: String,
    /// When the recap was made, and when its snapshot was taken, as far as known.
    pub made: Option<f64>,
    /// When its snapshot was taken, as far as known.
    pub taken: Option<f64>,
    /// The lorebook it is of.
    pub lorebook: Option<String>,
    /// The lorebook as it was then, if it was recorded.
    pub snapshot: Option<Snapshot<'a>>,
    /// Whether nothing says that it was ever combined, which writes it into the lorebook.
    pub is_waiting: bool,
    /// The recap's text, decoded.
    pub recap: String,
    /// Which entries the scene wrote.
    pub touched: Touched,
}

/// The entries that a scene made or merged into.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Touched {
    /// By number.
    pub uids: Vec<String>,
    /// By name, as the recap has it; only where no list of numbers was kept.
    pub names: Vec<String>,
    /// What the recap says of each, by name. An entry that the scene makes holds these words.
    pub words: Vec<(String, String)>,
}

/// All that the message's selected swipe recorded.
pub fn all(message: Json<'_>) -> Vec<Recorded<'_>> {
    memory_in(message.some("extra")).map(in_memory).unwrap_or_default()
}

/// All that its swipes recorded, the selected one among them.
pub fn of_swipes(message: Json<'_>) -> Vec<Recorded<'_>> {
    let swipes = message.get("swipe_info").map(Json::items).unwrap_or_default();
    let memories = swipes.into_iter().filter_map(|swipe| memory_in(swipe.some("extra")));
    memories.flat_map(in_memory).collect()
}

/// Recaps that say what they wrote into the lorebook, and of which nothing else is recorded; and
/// whether each is of another swipe than the selected one, where the selected one's stand once more.
pub fn recaps_alone(message: Json<'_>) -> Vec<(Recorded<'_>, bool)> {
    let swipes = message.get("swipe_info").map(Json::items).unwrap_or_default();
    let swiped = swipes.into_iter().filter_map(|swipe| memory_in(swipe.some("extra")));
    let shown = memory_in(message.some("extra")).map(|memory| (memory, false));
    let all = shown.into_iter().chain(swiped.map(|memory| (memory, true)));
    all.flat_map(|(memory, is_swiped)| alone(memory).into_iter().map(move |one| (one, is_swiped)))
        .collect()
}

fn alone(memory: Json<'_>) -> Vec<Recorded<'_>> {
    let known: Vec<String> = versions(memory).into_iter().map(|(version, _)| version).collect();
    let recaps = memory.get("scene_recap_versions").map(Json::items).unwrap_or_default();
    let places = (0..recaps.len()).map(|place| place.to_string());
    let alone = places.filter(|version| !known.contains(version));
    let all = alone.map(|version| recorded(version, Json::EMPTY, &recaps));
    all.filter(|one| !one.touched.words.is_empty()).collect()
}

fn in_memory(memory: Json<'_>) -> Vec<Recorded<'_>> {
    let recaps = memory.get("scene_recap_versions").map(Json::items).unwrap_or_default();
    versions(memory).into_iter().map(|(version, json)| recorded(version, json, &recaps)).collect()
}

fn recorded<'a>(version: String, json: Json<'a>, recaps: &[Json<'a>]) -> Recorded<'a> {
    let recap = version.parse::<usize>().ok().and_then(|index| recaps.get(index)?.str());
    let recap = recap.map(|text| text.into_owned()).unwrap_or_default();
    let created: Option<Vec<String>> = json
        .some("created_entry_uids")
        .map(|uids| uids.items().into_iter().map(uid_text).collect());
    let snapshot = Snapshot::read(version.clone(), json);
    let is_combined = json.some("combined_at").is_some() || created.is_some() || snapshot.is_some();
    Recorded {
        is_waiting: json.some("timestamp").is_some() && !is_combined,
        made: json.get("timestamp").and_then(Json::number),
        taken: taken(json),
        lorebook: json.some("chatLorebookName").and_then(Json::str).map(|name| name.into_owned()),
        snapshot,
        touched: touched(created, &recap),
        version,
        recap,
    }
}

/// A uid as text, whether it was written as number or as text.
pub fn uid_text(uid: Json<'_>) -> String {
    uid.str().map_or_else(|| js::number(uid), |text| text.into_owned())
}

/// The list that the scene kept is complete but for merges that its recap asked for by number.
fn touched(created: Option<Vec<String>>, recap: &str) -> Touched {
    let mut touched = Touched::default();
    let json = Json::parse(recap).ok();
    let lists = [&["stage4", "entities"][..], &["stage4", "sl"], &["sl"], &["setting_lore"]];
    let entities =
        lists.iter().find_map(|path| json?.at(path)).map(Json::items).unwrap_or_default();
    for entity in entities {
        touched.uids.extend(entity.some("uid").or_else(|| entity.some("u")).map(uid_text));
        let name = entity.some("name").or_else(|| entity.some("comment")).and_then(Json::str);
        let Some(name) = name.map(|name| name.into_owned()) else { continue };
        touched.words.extend(entity.some("content").map(|words| (name.clone(), lines(words))));
        if created.is_none() {
            touched.names.push(name);
        }
    }
    touched.uids.extend(created.unwrap_or_default());
    touched
}

/// A text, or one of several lines.
fn lines(words: Json<'_>) -> String {
    let text = |json: Json<'_>| json.str().map(|text| text.into_owned()).unwrap_or_default();
    if words.str().is_some() {
        return text(words);
    }
    words.items().into_iter().map(text).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scene_says_which_entries_it_touched() {
        let line = r#"{"extra":{"auto_recap_memory":{"scene_break":true,"scene_recap_versions":["","{\"stage4\":{\"entities\":[{\"name\":\"Mira\",\"uid\":\"9\",\"content\":[\"a\",\"b\"]},{\"name\":\"Tom\"}]}}"],"scene_recap_metadata":{"1":{"timestamp":5,"combined_at":9,"chatLorebookName":"B","created_entry_uids":["10",11],"allEntries":[{"uid":9}]}}}}}"#;
        let all = all(Json::parse(line).unwrap());
        assert_eq!((all[0].made, all[0].taken), (Some(5.0), Some(9.0)));
        assert_eq!(all[0].touched.uids, ["9", "10", "11"]);
        assert!(all[0].touched.names.is_empty() && all[0].snapshot.is_some());
        assert_eq!(all[0].touched.words, [("Mira".to_owned(), "a\nb".to_owned())]);
        let older = line.replace(r#""created_entry_uids":["10",11],"#, "");
        let older = super::all(Json::parse(&older).unwrap());
        assert_eq!((older[0].touched.uids.len(), older[0].touched.names.len()), (1, 2));
    }
}
