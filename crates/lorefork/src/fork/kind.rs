//! Whether a timeline that has no record of ours is a checkpoint or a branch.

use crate::host::ChatView;
use crate::json::Json;
use crate::tavern::chat::Message;
use crate::tavern::names::Kind;
use crate::tavern::names::timeline::is_branch_name;
use crate::tavern::version::Version;

/// By what its parent links to; a checkpoint whose flag leads to another one since is linked by
/// nothing, and is known by its name.
pub(crate) fn kind_in<C: ChatView>(parent: &C, name: &str) -> Kind {
    let links = |key: &str, is_it: &dyn Fn(Message<'_>) -> bool| {
        let found = parent.find(key, 0..parent.len()).unwrap_or_default();
        found.into_iter().any(|at| {
            let line = parent.line(at).unwrap_or_default();
            Message::read(&line).is_ok_and(is_it)
        })
    };
    let is_flag =
        |message: Message<'_>| message.checkpoint().is_some_and(|checkpoint| checkpoint == name);
    if links("bookmark_link", &is_flag) {
        return Kind::Checkpoint;
    }
    let is_branch = |message: Message<'_>| {
        let branches = message.extra().and_then(|extra| extra.get("branches")).map(Json::items);
        branches.unwrap_or_default().iter().any(|branch| branch.says(name))
    };
    if links("branches", &is_branch) {
        Kind::Branch
    } else {
        kind_by_name(&parent.chat().name, name)
    }
}

/// SillyTavern asks nobody what to call a branch, so whatever is not called so is a checkpoint.
fn kind_by_name(parent: &str, name: &str) -> Kind {
    let versions = [Version::NEWEST_KNOWN, Version::new(1, 12, 0)];
    let is_branch = versions.iter().any(|version| is_branch_name(*version, parent, name));
    if is_branch { Kind::Branch } else { Kind::Checkpoint }
}
