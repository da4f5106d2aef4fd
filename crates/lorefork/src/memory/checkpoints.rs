//! What the metadata says of checkpoints under the keys of a memory extension: in each how it was
//! made, and in its parent which lorebook it has.

use super::recap;
use super::running::{self, Running, Version};
use super::scene::Scene;
use crate::json::{
    Json, JsonError, Member, Object, Style, array, js, laid_out, plain_text, text_or_null,
};
use crate::tavern::chat::{Header, HeaderEdit};

/// The record for validation and diagnostics that the requirements describe.
pub(crate) const STATE: [&str; 1] = ["auto_recap_checkpoint_state"];
/// Where it names the lorebook that was made for the timeline.
pub(crate) const COPY: [&str; 2] = [STATE[0], "cloned_lorebook_name"];
/// Where it names the one that was made of.
pub(crate) const ORIGINAL: [&str; 2] = [STATE[0], "original_lorebook_name"];

/// Where a parent's metadata says which lorebook each of its children has.
pub const MAP: [&str; 2] = ["auto_recap", "checkpoint_lorebook_map"];

/// Where it says which lorebook this child has.
pub(crate) fn in_map(child: &str) -> [&str; 3] {
    [MAP[0], MAP[1], child]
}

/// What a timeline's metadata says of how it was made.
#[derive(Debug, Clone, Copy)]
pub(crate) struct State<'a>(Json<'a>);

impl<'a> State<'a> {
    pub(crate) fn of(header: &Header<'a>) -> Option<Self> {
        header.meta(&STATE).map(Self)
    }

    pub(crate) fn in_metadata(metadata: &[Member<'a>]) -> Option<Self> {
        super::find(metadata, STATE[0]).map(Self)
    }

    /// As it stands there.
    pub(crate) fn json(self) -> &'a str {
        self.0.text()
    }

    /// The message that its lore is of.
    pub(crate) fn at(self) -> Option<usize> {
        self.0.get("message_id").and_then(Json::count)
    }

    /// When it was made, in milliseconds since 1970.
    pub(crate) fn made(self) -> Option<f64> {
        self.0.get("timestamp").and_then(Json::number)
    }

    /// The same, if it is a whole number, as we write it.
    pub(crate) fn made_ms(self) -> Option<i64> {
        self.number("timestamp")
    }

    /// The lorebook that was made for it.
    pub(crate) fn copy(self) -> Option<String> {
        self.text(COPY[1])
    }

    /// The lorebook that was made of.
    pub(crate) fn original(self) -> Option<String> {
        self.text(ORIGINAL[1])
    }

    /// The scene that was the last one.
    pub(crate) fn scene(self) -> Option<String> {
        self.text("scene_break_name")
    }

    /// The version of the running recap that was in use.
    pub(crate) fn version(self) -> Option<i64> {
        self.number("running_recap_version")
    }

    /// How many scenes it told of.
    pub(crate) fn scenes(self) -> Option<i64> {
        self.number("running_recap_scene_count")
    }

    /// What it said.
    pub(crate) fn recap(self) -> Option<String> {
        self.text("running_recap_content")
    }

    /// Of how many messages the combined recap was.
    pub(crate) fn combined(self) -> Option<i64> {
        self.number("combined_recap_message_count")
    }

    fn text(self, key: &str) -> Option<String> {
        Some(self.0.some(key)?.str()?.into_owned())
    }

    fn number(self, key: &str) -> Option<i64> {
        self.0.some(key).and_then(Json::integer)
    }
}

/// The state of a timeline whose lorebook has this name now.
pub(crate) fn set_copy(header: &mut HeaderEdit, lorebook: Option<&str>) -> Result<(), JsonError> {
    header.set(&COPY, &text_or_null(lorebook))
}

/// What the state says besides what it reads from the timeline itself.
#[derive(Debug, Clone, Copy)]
pub struct Proof<'p> {
    /// When it is made, in milliseconds since 1970.
    pub now_ms: u64,
    /// The fork point.
    pub at: usize,
    /// Whether no work waited in the parent's lorebook.
    pub queue_was_empty: bool,
    /// The one it got.
    pub lorebook: Option<&'p str>,
    /// The one that was made of.
    pub original: Option<&'p str>,
}

/// The state that a timeline with this header gets: real values, null where there is
/// none.
pub fn text(header: &Header<'_>, scenes: &[Scene], proof: &Proof<'_>) -> String {
    let here = scenes.iter().find(|scene| scene.at == proof.at);
    let newest = scenes.iter().rev().find(|scene| scene.is_break);
    let running = Running::of(header);
    let current = running.as_ref().and_then(Running::current);
    let combined = header.meta(&recap::COMBINED);
    // Texts may hold half an emoji, which only the raw JSON can carry.
    let raw = |text: Option<&str>| {
        text.and_then(|text| laid_out(text, Style::Compact, 0).ok()).unwrap_or("null".to_owned())
    };
    let combined = |key: &str| raw(combined.and_then(|json| json.some(key)).map(Json::text));
    let versions: Vec<String> =
        running.iter().flat_map(|running| &running.versions).map(version_summary).collect();

    Object::new()
        .raw("timestamp", &proof.now_ms.to_string())
        .count("message_id", proof.at)
        .text("extension_version", concat!("lorefork ", env!("CARGO_PKG_VERSION")))
        .flag("queue_was_empty", proof.queue_was_empty)
        .flag("has_scene_break", here.is_some_and(Scene::closes_scene))
        .flag("has_scene_recap", here.is_some_and(Scene::has_recap))
        .flag("has_running_recap", current.is_some())
        .text_or_null(COPY[1], proof.lorebook)
        .text_or_null(ORIGINAL[1], proof.original)
        .number_or_null("running_recap_version", current.and_then(|version| version.number))
        .number_or_null(
            "running_recap_scene_count",
            current.and_then(|version| version.scene_count),
        )
        .raw("running_recap_versions", &array(&versions))
        .text_or_null("scene_break_name", newest.and_then(|scene| scene.name.as_deref()))
        .raw("running_recap_content", &raw(current.and_then(|version| version.content.as_deref())))
        .raw("combined_recap_content", &combined("content"))
        .raw("combined_recap_message_count", &combined("message_count"))
        .raw("combined_recap_timestamp", &combined("timestamp"))
        .raw("scene_recap", &raw(newest.and_then(|scene| scene.recap.as_deref())))
        .done()
}

fn version_summary(version: &Version) -> String {
    let hash =
        version.content.as_deref().and_then(plain_text).map(|content| running::hash(&content));
    Object::new()
        .number_or_null("version", version.number)
        // A time without a fraction that it does not have.
        .raw("timestamp", &js::number_text(version.time.unwrap_or(f64::NAN)))
        .number_or_null("scene_count", version.scene_count)
        .number("new_scene_index", version.scene)
        .text_or_null("hash", hash.as_deref())
        .done()
}
