//! Auto-Recap: scenes on messages, snapshots of the lorebook with them, a running recap in the
//! metadata, and a work queue and registries as entries of the lorebook.

use super::back::{Exchange, Notes, Rewind, is_told};
use super::entries::Role;
use super::names::follow_own_name;
use super::queues::{Queues, members_named};
use super::recorded::Recorded;
use super::registries::{Item, Registries};
use super::running::{Combined, LateWork, Running};
use super::scene::{Marks, Scene, Snapshot};
use super::{Memory, find, registries};
use crate::json::{Json, JsonError, Member};
use crate::sentence::Sentence;
use crate::tavern::chat::{Header, HeaderEdit};
use crate::tavern::lorebook::Entry;
use crate::tavern::names::same_lorebook;
use crate::tavern::settings::Settings;

mod entry_name;
pub mod hash;
mod order;
mod queue;
mod recorded;
mod registry;
mod running;
mod scene;
mod settings;
mod snapshot;
mod wrapped;

/// Its key in a message's `extra`.
pub const MESSAGE_KEY: &str = "auto_recap_memory";
/// Its running recap in the metadata.
pub const RUNNING_KEY: &str = "auto_recap_running_scene_recaps";
/// Its recap of the whole story in the metadata.
pub(super) const COMBINED: [&str; 2] = ["auto_recap", "combined_recap"];
/// What it keeps of the lorebook in the metadata.
const LOREBOOK_KEY: &str = "auto_lorebooks";
/// What lists the lines of all registries there.
const INDEX: [&str; 3] = [LOREBOOK_KEY, "registry", "index"];
/// How a key begins that a scene has in a message.
pub(super) const SCENE_KEYS_BEGIN: &str = "\"scene_";
/// How lines of scenes are found.
const MARKS: Marks = Marks {
    scenes: &["scene_break", "scene_recap_memory"],
    recaps: &["scene_recap_memory"],
    snapshots: &["allEntries"],
    names: &[("\"scene_break\":true", "\"scene_break_name\":")],
};

pub(super) struct AutoRecap;

impl Memory for AutoRecap {
    fn name(&self) -> &'static str {
        "Auto-Recap"
    }

    fn role(&self, comment: &str) -> Option<Role> {
        if registry::Own.kind(comment).is_some() {
            return Some(Role::Registry);
        }
        (comment == queue::COMMENT).then_some(Role::Queue)
    }

    fn plain_name(&self, comment: &str) -> Option<String> {
        Some(entry_name::plain_name(comment))
    }

    fn is_no_name(&self, comment: &str) -> bool {
        comment == entry_name::UNNAMED
    }

    fn registries(&self) -> Option<&'static dyn Registries> {
        Some(&registry::Own)
    }

    fn queues(&self) -> Option<&'static dyn Queues> {
        Some(&queue::Own)
    }

    fn arranged(&self, text: &str) -> Result<Option<String>, JsonError> {
        order::by_name(text).map(Some)
    }

    fn settings_of(&self, settings: &Settings<'_>, chat: &str) -> Vec<(&'static str, Sentence)> {
        settings::kept_for(settings, chat)
    }

    fn marks(&self) -> Marks {
        MARKS
    }

    fn scene(&self, at: usize, line: &str) -> Result<Option<Scene>, JsonError> {
        scene::read(at, line)
    }

    fn superseded(&self, shown: &str, chosen: &str) -> Result<Option<f64>, JsonError> {
        scene::superseded(shown, chosen)
    }

    fn snapshots<'a>(&self, message: Json<'a>) -> Vec<Snapshot<'a>> {
        scene::snapshots(message)
    }

    fn recorded<'a>(&self, message: Json<'a>) -> Vec<Recorded<'a>> {
        recorded::all(message)
    }

    fn recorded_by_swipes<'a>(&self, message: Json<'a>) -> Vec<Recorded<'a>> {
        recorded::of_swipes(message)
    }

    fn recaps_alone<'a>(&self, message: Json<'a>) -> Vec<(Recorded<'a>, bool)> {
        recorded::recaps_alone(message)
    }

    fn running(&self, metadata: &[Member<'_>]) -> Option<Running> {
        find(metadata, RUNNING_KEY).filter(|storage| storage.is_object()).map(running::read)
    }

    fn combined(&self, metadata: &[Member<'_>]) -> Option<Combined> {
        let combined = find(metadata, COMBINED[0])?.some(COMBINED[1])?;
        Some(Combined {
            chat: combined.get("chat_id").and_then(Json::str).map(|name| name.into_owned()),
            messages: combined.get("message_count").and_then(Json::integer),
        })
    }

    fn mend_combined(
        &self,
        header: &mut HeaderEdit,
        before: &Header<'_>,
        last: usize,
        chat: &str,
    ) -> Result<(), JsonError> {
        let Some(combined) = before.meta(&COMBINED) else { return Ok(()) };
        let count = combined.get("message_count").and_then(Json::integer);
        if count.is_some_and(|count| count > last as i64 + 1) {
            return header.remove(&COMBINED).map(|_| ());
        }
        header.set_text(&[COMBINED[0], COMBINED[1], "chat_id"], chat)
    }

    fn late_work(&self, header: &Header<'_>) -> Vec<LateWork> {
        header.meta(&[RUNNING_KEY]).map(running::late_work).unwrap_or_default()
    }

    fn chat(&self, header: &Header<'_>) -> Option<String> {
        Some(header.meta(&[RUNNING_KEY, "chat_id"])?.str()?.into_owned())
    }

    fn follow_chat(&self, header: &mut HeaderEdit, from: &str, to: &str) -> Result<(), JsonError> {
        follow_own_name(header, &[RUNNING_KEY, "chat_id"], from, to)?;
        follow_own_name(header, &[COMBINED[0], COMBINED[1], "chat_id"], from, to)
    }

    /// It empties what is not of this chat.
    fn claim(&self, header: &mut HeaderEdit, chat: &str) -> Result<(), JsonError> {
        let before = header.text().to_owned();
        let Ok(before) = Header::read(&before) else { return Ok(()) };
        for path in [&[RUNNING_KEY][..], &COMBINED] {
            if before.meta(path).is_some_and(Json::is_object) {
                header.set_text(&[path, &["chat_id"]].concat(), chat)?;
            }
        }
        Ok(())
    }

    /// In a chat without a parent it empties one that says it is of another.
    fn name_recap(&self, header: &mut HeaderEdit, chat: &str) -> Result<(), JsonError> {
        let path = [RUNNING_KEY, "chat_id"];
        if has(header, &path, |_| true) { header.set_text(&path, chat) } else { Ok(()) }
    }

    fn follow_lorebook(
        &self,
        header: &mut HeaderEdit,
        from: &str,
        to: &str,
    ) -> Result<(), JsonError> {
        let path = [LOREBOOK_KEY, "lorebookName"];
        let is_it = |json: Json<'_>| json.str().is_some_and(|name| same_lorebook(&name, from));
        if has(header, &path, is_it) { header.set_text(&path, to) } else { Ok(()) }
    }

    fn line_with_lorebook(
        &self,
        line: &str,
        from: &str,
        to: &str,
    ) -> Result<Option<String>, JsonError> {
        scene::with_lorebook(line, from, to)
    }

    fn entry_with_lorebook(
        &self,
        entry: &Entry<'_>,
        is_it: &dyn Fn(&str) -> bool,
        to: &str,
    ) -> Option<String> {
        if entry.comment() != queue::COMMENT {
            return None;
        }
        let text = queue::with_lorebook(entry.json, is_it, to).ok()?;
        (text != entry.json.text()).then_some(text)
    }

    fn attach_lorebook(
        &self,
        header: &mut HeaderEdit,
        to: &str,
        now_ms: Option<u64>,
    ) -> Result<(), JsonError> {
        if !has(header, &[LOREBOOK_KEY], |json| json.is_object()) {
            return Ok(());
        }
        header.set_text(&[LOREBOOK_KEY, "lorebookName"], to)?;
        match now_ms {
            Some(now) => header.set(&[LOREBOOK_KEY, "attachedAt"], &now.to_string()),
            None => Ok(()),
        }
    }

    fn set_back(
        &self,
        header: &mut HeaderEdit,
        parent: &Header<'_>,
        rewind: &Rewind<'_>,
        notes: &mut Notes,
    ) -> Result<(), JsonError> {
        if let Some(storage) = parent.meta(&[RUNNING_KEY]).filter(|storage| storage.is_object()) {
            let is_told = |at: usize, time: Option<f64>| is_told(rewind.scenes, at, time);
            header
                .set(&[RUNNING_KEY], &running::up_to(storage, rewind.at, is_told, rewind.chat)?)?;
        }
        if let Some(combined) = parent.meta(&COMBINED) {
            let count = combined.get("message_count").and_then(Json::number).unwrap_or(0.0);
            if count > rewind.at as f64 + 1.0 {
                header.remove(&COMBINED)?;
                notes.dropped_combined_recap = true;
            } else if combined.is_object() {
                header.set_text(&[COMBINED[0], COMBINED[1], "chat_id"], rewind.chat)?;
            }
        }
        let waiting = parent.meta(&queue::LOOKUPS);
        if waiting.is_some_and(|ops| !ops.members().is_empty() || !ops.items().is_empty()) {
            header.set(&queue::LOOKUPS, "{}")?;
        }
        Ok(())
    }

    fn trim_recap(
        &self,
        header: &mut HeaderEdit,
        last: usize,
        chat: &str,
    ) -> Result<(), JsonError> {
        let before = header.text().to_owned();
        let Ok(before) = Header::read(&before) else { return Ok(()) };
        let Some(storage) = before.meta(&[RUNNING_KEY]) else { return Ok(()) };
        header.set(&[RUNNING_KEY], &running::up_to(storage, last, |_, _| true, chat)?)
    }

    fn reindex(
        &self,
        header: &mut HeaderEdit,
        parent: &Header<'_>,
        exchange: &Exchange<'_>,
    ) -> Result<(), JsonError> {
        let is_object = |path: &[&str]| parent.meta(path).is_some_and(Json::is_object);
        if !exchange.is_rebuilt || !is_object(&[LOREBOOK_KEY, "registry"]) {
            return Ok(());
        }
        self.set_index(header, &registries::items(exchange.new))
    }

    fn index(&self, metadata: &[Member<'_>]) -> Vec<(i64, String)> {
        let index = find(metadata, INDEX[0]).and_then(|json| json.at(&INDEX[1..]));
        index.map(Json::members).unwrap_or_default().iter().filter_map(registry::indexed).collect()
    }

    fn set_index(&self, header: &mut HeaderEdit, items: &[Item]) -> Result<(), JsonError> {
        header.set(&INDEX, &registry::index(items))
    }

    fn add_to_index(
        &self,
        header: &mut HeaderEdit,
        before: &Header<'_>,
        items: &[Item],
    ) -> Result<(), JsonError> {
        if !before.meta(&INDEX).is_some_and(Json::is_object) {
            return Ok(());
        }
        items.iter().try_for_each(|item| {
            let uid = item.uid.to_string();
            header.set(&[INDEX[0], INDEX[1], INDEX[2], &uid], &registry::record(item))
        })
    }

    fn has_lookup(&self, header: &Header<'_>, id: &str) -> bool {
        header.meta(&[queue::LOOKUPS[0], queue::LOOKUPS[1], id]).is_some()
    }

    fn keep_lookups(
        &self,
        header: &mut HeaderEdit,
        before: &Header<'_>,
        waiting: &[String],
    ) -> Result<(), JsonError> {
        let kept = before.meta(&queue::LOOKUPS).map(Json::members).unwrap_or_default();
        match members_named(&kept, waiting) {
            Some(kept) => header.set(&queue::LOOKUPS, &kept),
            None => Ok(()),
        }
    }

    fn loaded(&self, entry: Json<'_>, world: &str) -> Option<String> {
        wrapped::wrapped(entry, world)
    }
}

/// Whether the metadata has something at the end of a path.
fn has(header: &HeaderEdit, path: &[&str], is_it: impl Fn(Json<'_>) -> bool) -> bool {
    Header::read(header.text()).is_ok_and(|header| header.meta(path).is_some_and(is_it))
}
