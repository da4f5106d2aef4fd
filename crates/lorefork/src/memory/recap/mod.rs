//! Auto-Recap: scenes on messages, snapshots of the lorebook with them, a running recap in the
//! metadata, and a work queue and registries as entries of the lorebook.

pub mod entry_name;
pub mod hash;
pub mod order;
pub mod queue;
pub mod recorded;
pub mod registry;
pub mod running;
pub mod scene;
pub mod settings;
pub mod snapshot;
pub mod wrapped;

/// Its key in a message's `extra`.
pub const MESSAGE_KEY: &str = "auto_recap_memory";
/// Its running recap in the metadata.
pub const RUNNING_KEY: &str = "auto_recap_running_scene_recaps";
