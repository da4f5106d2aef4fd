//! Formats that memory extensions own.
//!
//! Such an extension keeps what a story's world knows in the chat's lorebook, its messages and its
//! metadata. Each has a folder of its own here, and a row in `ALL`; nobody else knows its keys. All
//! others ask the table, through the functions of this room:
//!
//! - [`names`]: which lorebooks they name, and how they follow a name
//! - [`parting`]: what a copy of a timeline must not have of the one it was made from
//! - [`entries`]: which entries are no lore, and by which name one is recognised
//! - [`ranges`]: entries that say from which messages they were made
//! - [`scene`], [`recorded`]: scenes, and what was recorded of the lorebook with them
//! - [`running`]: the story so far, as they tell it
//! - [`back`]: what of the metadata goes back to a message
//! - [`registries`], [`queues`]: what lists a lorebook's entries, and the work that waits in it
//! - [`checkpoints`]: what the metadata says of them under an extension's keys
//!
//! What is absent costs nothing: each row looks for its own keys first.

pub mod back;
pub mod checkpoints;
pub mod entries;
pub mod fingerprint;
mod guests;
#[cfg(test)]
mod made_up;
mod memorybooks;
pub mod names;
pub mod parting;
pub mod queues;
pub mod ranges;
pub mod recap;
pub mod recorded;
pub mod registries;
pub mod running;
pub mod scene;

use crate::json::{Json, JsonError, Member};
use crate::memory::back::{Copies, Exchange, Notes, Rewind};
use crate::memory::entries::Role;
use crate::memory::parting::Parting;
use crate::memory::queues::Queues;
use crate::memory::ranges::Fields;
use crate::memory::recorded::Recorded;
use crate::memory::registries::{Item, Registries};
use crate::memory::running::{Combined, LateWork, Running};
use crate::memory::scene::{Marks, Scene, Snapshot};
use crate::sentence::Sentence;
use crate::tavern::chat::{Header, HeaderEdit};
use crate::tavern::lorebook::Entry;
use crate::tavern::settings::Settings;

/// All memory extensions that are known.
static ALL: &[&dyn Memory] = &[
    &recap::AutoRecap,
    &memorybooks::MemoryBooks,
    &guests::Guests,
    #[cfg(test)]
    &made_up::Diary,
];

/// What anybody asks of a memory extension. A row answers what it has an answer to.
trait Memory: Sync {
    /// What people call it.
    fn name(&self) -> &'static str;

    /// What an entry with this comment is for, if it is one that it keeps for itself.
    fn role(&self, _comment: &str) -> Option<Role> {
        None
    }

    /// The name by which it recognises an entry, from its comment.
    fn plain_name(&self, _comment: &str) -> Option<String> {
        None
    }

    /// Whether it records this as the comment of an entry that has none.
    fn is_no_name(&self, _comment: &str) -> bool {
        false
    }

    /// How it keeps registries in a lorebook.
    fn registries(&self) -> Option<&'static dyn Registries> {
        None
    }

    /// How it keeps waiting work in a lorebook.
    fn queues(&self) -> Option<&'static dyn Queues> {
        None
    }

    /// The lorebook with its entries in the order that it gives them.
    fn arranged(&self, _text: &str) -> Result<Option<String>, JsonError> {
        Ok(None)
    }

    /// Lorebooks that the metadata names in its keys, besides the chat's own.
    fn books(&self, _metadata: &[Member<'_>]) -> Vec<String> {
        Vec::new()
    }

    /// Those of them that it writes to for this chat alone, so that a new timeline gets copies.
    fn bound(&self, _metadata: &[Member<'_>]) -> Vec<String> {
        Vec::new()
    }

    /// Lorebooks that its settings share on purpose.
    fn locked(&self, _settings: &Settings<'_>) -> Vec<String> {
        Vec::new()
    }

    /// What its settings say of a chat alone: the key, and what that is, in words.
    fn settings_of(&self, _settings: &Settings<'_>, _chat: &str) -> Vec<(&'static str, Sentence)> {
        Vec::new()
    }

    /// By which texts the lines of its scenes are found.
    fn marks(&self) -> Marks {
        Marks::default()
    }

    /// The scene that the message at `at` closes, if it has anything to say about it.
    fn scene(&self, _at: usize, _line: &str) -> Result<Option<Scene>, JsonError> {
        Ok(None)
    }

    /// When another swipe than the chosen one was recapped after it.
    fn superseded(&self, _shown: &str, _chosen: &str) -> Result<Option<f64>, JsonError> {
        Ok(None)
    }

    /// Snapshots of the lorebook in the selected swipe of a message, the best first.
    fn snapshots<'a>(&self, _message: Json<'a>) -> Vec<Snapshot<'a>> {
        Vec::new()
    }

    /// All that the selected swipe of a message recorded.
    fn recorded<'a>(&self, _message: Json<'a>) -> Vec<Recorded<'a>> {
        Vec::new()
    }

    /// All that its swipes did.
    fn recorded_by_swipes<'a>(&self, _message: Json<'a>) -> Vec<Recorded<'a>> {
        Vec::new()
    }

    /// Recaps of which nothing else is recorded, and whether each is of another swipe.
    fn recaps_alone<'a>(&self, _message: Json<'a>) -> Vec<(Recorded<'a>, bool)> {
        Vec::new()
    }

    /// The running recap that the metadata holds.
    fn running(&self, _metadata: &[Member<'_>]) -> Option<Running> {
        None
    }

    /// The recap of the whole story that the metadata holds.
    fn combined(&self, _metadata: &[Member<'_>]) -> Option<Combined> {
        None
    }

    /// That recap goes if it is of more messages than there are up to `last`; else it is of this chat.
    fn mend_combined(
        &self,
        _header: &mut HeaderEdit,
        _before: &Header<'_>,
        _last: usize,
        _chat: &str,
    ) -> Result<(), JsonError> {
        Ok(())
    }

    /// Versions of it that gave events entries of their own.
    fn late_work(&self, _header: &Header<'_>) -> Vec<LateWork> {
        Vec::new()
    }

    /// The chat that its metadata says it is of.
    fn chat(&self, _header: &Header<'_>) -> Option<String> {
        None
    }

    /// The chat has another name.
    fn follow_chat(
        &self,
        _header: &mut HeaderEdit,
        _from: &str,
        _to: &str,
    ) -> Result<(), JsonError> {
        Ok(())
    }

    /// The metadata is of this chat, whatever it says.
    fn claim(&self, _header: &mut HeaderEdit, _chat: &str) -> Result<(), JsonError> {
        Ok(())
    }

    /// Its running recap is of this chat, if it says of which.
    fn name_recap(&self, _header: &mut HeaderEdit, _chat: &str) -> Result<(), JsonError> {
        Ok(())
    }

    /// A lorebook has another name.
    fn follow_lorebook(
        &self,
        _header: &mut HeaderEdit,
        _from: &str,
        _to: &str,
    ) -> Result<(), JsonError> {
        Ok(())
    }

    /// A message with another name for the lorebook, where it stands in what the extension keeps there.
    /// `None` if it stands nowhere.
    fn line_with_lorebook(
        &self,
        _line: &str,
        _from: &str,
        _to: &str,
    ) -> Result<Option<String>, JsonError> {
        Ok(None)
    }

    /// An entry of the lorebook that says by its name what is to be written to it. `None` if it says
    /// nothing of one that `is_it`.
    fn entry_with_lorebook(
        &self,
        _entry: &Entry<'_>,
        _is_it: &dyn Fn(&str) -> bool,
        _to: &str,
    ) -> Option<String> {
        None
    }

    /// Another lorebook has taken the place of the one that the chat used.
    fn exchange_lorebook(
        &self,
        _header: &mut HeaderEdit,
        _from: &str,
        _to: &str,
    ) -> Result<(), JsonError> {
        Ok(())
    }

    /// The chat's own lorebook is this one.
    fn attach_lorebook(
        &self,
        _header: &mut HeaderEdit,
        _to: &str,
        _now_ms: Option<u64>,
    ) -> Result<(), JsonError> {
        Ok(())
    }

    /// By which it knows the chat, wherever it is written down; a copy gets another.
    fn identity(&self, _header: &Header<'_>) -> Option<String> {
        None
    }

    /// An identity that nobody else has.
    fn new_identity(&self, _random: [u8; 16]) -> String {
        String::new()
    }

    /// The lorebook whose entries say that the chat of this identity made them, if they say that one
    /// of those did.
    fn for_identity(&self, text: String, _from: &[&str], _to: &str) -> String {
        text
    }

    /// What the metadata leaves to the timeline that it was shared or copied with.
    fn part(&self, _header: &mut HeaderEdit, _parting: &Parting, _identity: Option<&str>) {}

    /// How its entries say what they were made from.
    fn fields(&self) -> Option<&'static Fields> {
        None
    }

    /// The metadata goes back to a message.
    fn set_back(
        &self,
        _header: &mut HeaderEdit,
        _parent: &Header<'_>,
        _rewind: &Rewind<'_>,
        _notes: &mut Notes,
    ) -> Result<(), JsonError> {
        Ok(())
    }

    /// Its running recap goes back to the message `last`, and one of its versions is in use.
    fn trim_recap(
        &self,
        _header: &mut HeaderEdit,
        _last: usize,
        _chat: &str,
    ) -> Result<(), JsonError> {
        Ok(())
    }

    /// What of the metadata lists the lorebook's entries, as they are now.
    fn reindex(
        &self,
        _header: &mut HeaderEdit,
        _parent: &Header<'_>,
        _exchange: &Exchange<'_>,
    ) -> Result<(), JsonError> {
        Ok(())
    }

    /// What the metadata lists beside the registries, by number and name.
    fn index(&self, _metadata: &[Member<'_>]) -> Vec<(i64, String)> {
        Vec::new()
    }

    /// The metadata lists just these.
    fn set_index(&self, _header: &mut HeaderEdit, _items: &[Item]) -> Result<(), JsonError> {
        Ok(())
    }

    /// The metadata lists these besides, if it lists any.
    fn add_to_index(
        &self,
        _header: &mut HeaderEdit,
        _before: &Header<'_>,
        _items: &[Item],
    ) -> Result<(), JsonError> {
        Ok(())
    }

    /// Whether the metadata has a lookup that waiting work goes on with.
    fn has_lookup(&self, _header: &Header<'_>, _id: &str) -> bool {
        false
    }

    /// The metadata keeps those of its former lookups that work waits for.
    fn keep_lookups(
        &self,
        _header: &mut HeaderEdit,
        _before: &Header<'_>,
        _waiting: &[String],
    ) -> Result<(), JsonError> {
        Ok(())
    }

    /// Further lorebooks were copied for this chat.
    fn copied(
        &self,
        _header: &mut HeaderEdit,
        _before: &Header<'_>,
        _copies: &Copies<'_>,
    ) -> Result<(), JsonError> {
        Ok(())
    }

    /// An entry of this lorebook, if it is changed while SillyTavern loads it.
    fn loaded(&self, _entry: Json<'_>, _world: &str) -> Option<String> {
        None
    }
}

/// What people call the first that has it.
fn name_of(has: impl Fn(&dyn Memory) -> bool) -> &'static str {
    ALL.iter().find(|memory| has(**memory)).map_or("", |memory| memory.name())
}

/// The metadata's own members, or none.
fn members_of<'a>(header: &Header<'a>) -> Vec<Member<'a>> {
    header.metadata().map(Json::members).unwrap_or_default()
}

/// The last of duplicates, as in JavaScript; null is nothing.
fn find<'a>(members: &[Member<'a>], key: &str) -> Option<Json<'a>> {
    let found = members.iter().rev().find(|member| member.is(key))?;
    (!found.value.is_null()).then_some(found.value)
}

/// Whether scenes of this story were recapped. Registries and queue alone are only what is put into
/// every lorebook.
pub fn is_recapped(scenes: &[Scene], running: Option<&Running>) -> bool {
    scenes.iter().any(|scene| scene.is_break || scene.is_evidence)
        || running.is_some_and(|running| !running.versions.is_empty())
}
