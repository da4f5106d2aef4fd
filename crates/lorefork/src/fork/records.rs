//! What a timeline of ours says about itself, in its own metadata.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::look::{plain, to_text};
use crate::json::{Json, JsonError};
use crate::memory::recap::hash::recap_hash;
use crate::memory::recap::running::Running;
use crate::memory::recap::scene::Scene;
use crate::moment::live::RECORD_VERSION;
use crate::moment::{Quality, Source};
use crate::tavern::chat::{Header, HeaderEdit};
use crate::tavern::names;

/// The key of our record in the metadata.
pub const KEY: &str = "lorefork";
/// The record for validation and diagnostics that the requirements describe.
pub const STATE_KEY: &str = "auto_recap_checkpoint_state";

/// What a timeline is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    Main,
    Checkpoint,
    Branch,
}

impl From<names::Kind> for Kind {
    fn from(kind: names::Kind) -> Self {
        match kind {
            names::Kind::Checkpoint => Self::Checkpoint,
            names::Kind::Branch => Self::Branch,
        }
    }
}

/// `chat_metadata.lorefork` of a timeline whose lorebook we made.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Record {
    pub v: u32,
    pub id: String,
    pub kind: Kind,
    /// Its own name and slug: SillyTavern, import and conversion copy metadata, and a record whose
    /// both differ from the file is such a copy.
    pub chat: String,
    #[serde(default)]
    pub slug: Option<String>,
    #[serde(default)]
    pub parent: Option<Parent>,
    pub at: usize,
    /// The name that its lorebook's name is built on.
    #[serde(default)]
    pub base: Option<String>,
    pub lore: Lore,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Parent {
    pub chat: String,
    #[serde(default)]
    pub slug: Option<String>,
    #[serde(default)]
    pub id: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Lore {
    pub source: Source,
    pub quality: Quality,
    /// The message whose snapshot it was.
    #[serde(default)]
    pub from: Option<usize>,
    /// The lorebook it was made of.
    #[serde(default)]
    pub of: Option<String>,
    /// The lorebook's fingerprint when it was made.
    #[serde(default)]
    pub hash: Option<String>,
}

impl Record {
    /// The record that this file's header holds about this file.
    pub fn own(header: &Header<'_>, chat: &str) -> Option<Self> {
        let record: Self = serde_json::from_str(header.meta(&[KEY])?.text()).ok()?;
        let is_own = record.chat == chat || (record.slug.is_some() && record.slug == header.slug());
        is_own.then_some(record)
    }

    /// Whether the header holds a record that a newer Lorefork wrote.
    pub fn is_newer(header: &Header<'_>) -> bool {
        header
            .meta(&[KEY, "v"])
            .and_then(Json::integer)
            .is_some_and(|v| v > i64::from(RECORD_VERSION))
    }

    /// Writes it into a header. Where the header has a record of its own, what others put there
    /// stays; a record that came along with copied metadata goes.
    pub fn write(&self, header: &mut HeaderEdit) -> Result<(), JsonError> {
        let before = header.text().to_owned();
        let is_own =
            Header::read(&before).is_ok_and(|before| own_id(&before, &self.chat).is_some());
        if !is_own {
            return header.set(&[KEY], &to_text(self));
        }
        header.set(&[KEY, "v"], &self.v.to_string())?;
        header.set(&[KEY, "id"], &to_text(&self.id))?;
        header.set(&[KEY, "kind"], &to_text(&self.kind))?;
        header.set(&[KEY, "chat"], &to_text(&self.chat))?;
        header.set(&[KEY, "slug"], &to_text(&self.slug))?;
        if let Some(parent) = &self.parent {
            header.set(&[KEY, "parent", "chat"], &to_text(&parent.chat))?;
            header.set(&[KEY, "parent", "slug"], &to_text(&parent.slug))?;
            header.set(&[KEY, "parent", "id"], &to_text(&parent.id))?;
        }
        header.set(&[KEY, "at"], &self.at.to_string())?;
        header.set(&[KEY, "base"], &to_text(&self.base))?;
        header.set(&[KEY, "lore"], &to_text(&self.lore))
    }
}

/// The id by which a chat's family finds it after a rename, if it has one of its own.
pub fn own_id(header: &Header<'_>, chat: &str) -> Option<String> {
    let record = header.meta(&[KEY])?;
    let says = |key: &str, value: &str| record.get(key).is_some_and(|text| text.says(value));
    let is_own = says("chat", chat) || header.slug().is_some_and(|slug| says("slug", &slug));
    if is_own { record.get("id")?.str().map(|id| id.into_owned()) } else { None }
}

/// Gives a main chat its own record, so that the family survives renames. What others put into it
/// stays.
pub fn mark_main(
    header: &mut HeaderEdit,
    id: &str,
    chat: &str,
    slug: Option<&str>,
) -> Result<(), JsonError> {
    header.set(&[KEY, "v"], &RECORD_VERSION.to_string())?;
    header.set_text(&[KEY, "id"], id)?;
    header.set_text(&[KEY, "kind"], "main")?;
    header.set_text(&[KEY, "chat"], chat)?;
    header.set(&[KEY, "slug"], &crate::moment::metadata::text_or_null(slug))
}

/// What the checkpoint state says besides what it reads from the timeline itself.
#[derive(Debug, Clone, Copy)]
pub struct Proof<'p> {
    pub now_ms: u64,
    pub at: usize,
    pub queue_was_empty: bool,
    pub lorebook: Option<&'p str>,
    pub original: Option<&'p str>,
}

/// `auto_recap_checkpoint_state`: real values, null where there is none.
pub fn checkpoint_state(header: &Header<'_>, scenes: &[Scene], proof: &Proof<'_>) -> String {
    let here = scenes.iter().find(|scene| scene.at == proof.at);
    let newest = scenes.iter().rev().find(|scene| scene.is_break);
    let running = header.meta(&[crate::memory::recap::RUNNING_KEY]).map(Running::read);
    let current = running.as_ref().and_then(Running::current);
    let combined = header.meta(&["auto_recap", "combined_recap"]);
    // Texts may hold half an emoji, which only the raw JSON can carry.
    let raw = |text: Option<&str>| text.map_or(Value::Null, |text| Value::String(text.to_owned()));
    let combined = |key: &str| raw(combined.and_then(|json| json.some(key)).map(Json::text));
    let versions: Vec<Value> =
        running.iter().flat_map(|running| &running.versions).map(version_summary).collect();

    let mut state = Map::new();
    state.insert("timestamp".into(), proof.now_ms.into());
    state.insert("message_id".into(), proof.at.into());
    state
        .insert("extension_version".into(), concat!("lorefork ", env!("CARGO_PKG_VERSION")).into());
    state.insert("queue_was_empty".into(), proof.queue_was_empty.into());
    state.insert("has_scene_break".into(), here.is_some_and(Scene::closes_scene).into());
    state.insert("has_scene_recap".into(), here.is_some_and(Scene::has_recap).into());
    state.insert("has_running_recap".into(), current.is_some().into());
    state.insert("cloned_lorebook_name".into(), proof.lorebook.into());
    state.insert("original_lorebook_name".into(), proof.original.into());
    state.insert("running_recap_version".into(), current.and_then(|version| version.number).into());
    state.insert(
        "running_recap_scene_count".into(),
        current.and_then(|version| version.scene_count).into(),
    );
    state.insert("running_recap_versions".into(), versions.into());
    state.insert("scene_break_name".into(), newest.and_then(|scene| scene.name.clone()).into());
    let raws = [
        ("running_recap_content", raw(current.and_then(|version| version.content.as_deref()))),
        ("combined_recap_content", combined("content")),
        ("combined_recap_message_count", combined("message_count")),
        ("combined_recap_timestamp", combined("timestamp")),
        ("scene_recap", raw(newest.and_then(|scene| scene.recap.as_deref()))),
    ];
    let mut text = to_text(&state);
    for (key, value) in raws {
        let value = value.as_str().unwrap_or("null").to_owned();
        text = crate::json::set(&text, &[key], &value).unwrap_or(text);
    }
    text
}

/// A time without a fraction that it does not have.
fn whole(time: f64) -> Value {
    let mut buffer = ryu_js::Buffer::new();
    serde_json::from_str(buffer.format(time)).unwrap_or(Value::Null)
}

fn version_summary(version: &crate::memory::recap::running::Version) -> Value {
    let hash = version.content.as_deref().and_then(plain).map(|content| recap_hash(&content));
    serde_json::json!({
        "version": version.number,
        "timestamp": version.time.map(whole),
        "scene_count": version.scene_count,
        "new_scene_index": version.scene,
        "hash": hash,
    })
}
