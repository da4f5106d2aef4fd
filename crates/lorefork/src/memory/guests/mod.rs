//! Extensions that keep state per chat, and whose state we do not take back to a message.
//!
//! But none of it may reach the timeline that it was copied from. TunnelVision plays its undo
//! records back into the lorebooks that they name, and clears away what the chat with its identity
//! made of messages that are not there. NemoLore writes to the lorebook of its own key whatever the
//! chat's is. So their keys are known here, and nowhere else.

use super::Memory;
use super::parting::Parting;
use crate::json::{Json, JsonError, Member, Splices, quote};
use crate::sorted;
use crate::tavern::chat::{Header, HeaderEdit};
use crate::tavern::lorebook::Lorebook;
use crate::tavern::names::same_lorebook;
use crate::tavern::slug;

/// A way into the metadata; `*` goes through all members of an object, or items of a list.
type Path = &'static [&'static str];

/// Where the name of a lorebook stands as a value.
const BOOKS: [Path; 7] = [
    &["nemolore", "lorebook"],
    &["carrot_chat_books", "*"],
    &["multi_chat_lore_sources", "sources", "*"],
    &["tunnelvision_selected_book"],
    &["tunnelvision_snapshots", "*", "createdUids", "*", "bookName"],
    &["tunnelvision_postturn", "rollback", "book"],
    &["tunnelvision_postturn", "rollback", "trackerReverts", "*", "book"],
];

/// Objects whose keys are names of lorebooks, alone or as `<name>:<uid>`.
const KEYED_BY_BOOK: [(Path, bool); 3] = [
    (&["tunnelvision_snapshots", "*", "treeState"], false),
    (&["tunnelvision_snapshots", "*", "modifiedEntries"], true),
    (&["tunnelvision_tracker_hashes"], true),
];

/// Where the name of the chat stands as a value, alone or as `<name>:<message>`.
const CHATS: [(Path, bool); 6] = [
    (&["nemolore", "memory", "chatId"], false),
    (&["nemolore", "memory", "sources", "*", "chatId"], false),
    (&["nemolore", "memory", "sources", "*", "id"], true),
    (&["nemolore", "memory", "records", "*", "sourceIds", "*"], true),
    (&["nemolore", "summaries", "*", "chatId"], false),
    (&["nemolore", "migrations", "legacyChatSummaries", "chatId"], false),
];

/// An object whose keys are names of chats.
const KEYED_BY_CHAT: Path = &["nemolore", "summaries"];

/// Objects, and which of their members are gone when a lorebook is not what it was: records of how
/// to undo what was written to it, and things under way.
const PASSING: [(Path, &[&str]); 3] = [
    (
        &[],
        &[
            "tunnelvision_snapshots",
            "tunnelvision_pending_summary_hide",
            "lore_management_session",
            "agentic_timeline_fill_session",
            "timelineFillResults",
        ],
    ),
    (&["tunnelvision_postturn"], &["rollback"]),
    (&["tracker"], &["tempTrackerId", "tempTracker", "cmdTrackerOverride", "inlineTrackerId"]),
];

/// The same for what is of one chat alone, and means nothing in a copy, or the wrong thing.
const OWN: [(Path, &[&str]); 2] =
    [(&[], &["st_bme_commit_marker", "st_bme_graph"]), (&["nemolore"], &["memory", "summaries"])];

/// TunnelVision knows by it which entries a chat made, in whichever lorebook.
const IDENTITY: &str = "tunnelvision_chat_identity";
const IDENTITY_BEGINS: &str = "tvchat_";
/// How a key of an entry begins that says which chat and message made it.
const MADE_BY: &str = "!tv_tracker:v2:";

/// Kept from harm, and no more.
pub(super) struct Guests;

impl Memory for Guests {
    fn name(&self) -> &'static str {
        "other extensions"
    }

    fn books(&self, metadata: &[Member<'_>]) -> Vec<String> {
        books(metadata)
    }

    fn follow_chat(&self, header: &mut HeaderEdit, from: &str, to: &str) -> Result<(), JsonError> {
        follow_chat(header, from, to);
        Ok(())
    }

    fn follow_lorebook(
        &self,
        header: &mut HeaderEdit,
        from: &str,
        to: &str,
    ) -> Result<(), JsonError> {
        follow_lorebook(header, from, to);
        Ok(())
    }

    fn exchange_lorebook(
        &self,
        header: &mut HeaderEdit,
        from: &str,
        to: &str,
    ) -> Result<(), JsonError> {
        follow_lorebook(header, from, to);
        Ok(())
    }

    fn identity(&self, header: &Header<'_>) -> Option<String> {
        let text = header.meta(&[IDENTITY])?.str()?;
        text.starts_with(IDENTITY_BEGINS).then(|| text.into_owned())
    }

    fn new_identity(&self, random: [u8; 16]) -> String {
        format!("{IDENTITY_BEGINS}{}", slug::slug(random))
    }

    fn for_identity(&self, text: String, from: &[&str], to: &str) -> String {
        for_identity(text, from, to)
    }

    fn part(&self, header: &mut HeaderEdit, parting: &Parting, identity: Option<&str>) {
        header.splice(|splices, metadata| cut(splices, metadata, &PASSING));
        if parting.is_new {
            header.splice(|splices, metadata| cut(splices, metadata, &OWN));
        }
        if let Some(new) = identity {
            header.splice(|splices, metadata| {
                each(metadata, &[IDENTITY], &mut |own| splices.replace(own, quote(new)));
            });
        }
    }
}

fn cut<'a>(splices: &mut Splices<'a>, metadata: Json<'a>, what: &[(Path, &[&str])]) {
    for (path, members) in what {
        each(metadata, path, &mut |object| {
            splices.cut_members(object, |member| members.iter().any(|name| member.is(name)));
        });
    }
}

/// The lorebook as that of the chat with the identity `to`: entries that say that one of `from` made
/// them say that it did.
fn for_identity(text: String, from: &[&str], to: &str) -> String {
    // Most books hold none. (An escape could spell it otherwise.)
    if !text.contains(MADE_BY) && !text.contains("\\u") {
        return text;
    }
    let Ok(book) = Lorebook::read(&text) else { return text };
    let mut splices = Splices::new(&text);
    for entry in &book.entries {
        for key in entry.get("key").map(Json::items).unwrap_or_default() {
            let spelled = key.str().unwrap_or_default();
            let made_by = spelled.strip_prefix(MADE_BY).and_then(|rest| rest.split_once(':'));
            if let Some((_, rest)) = made_by.filter(|(chat, _)| from.contains(chat)) {
                splices.replace(key, quote(&format!("{MADE_BY}{to}:{rest}")));
            }
        }
    }
    splices.apply()
}

/// All lorebooks that they name, given the members of the metadata.
fn books(metadata: &[Member<'_>]) -> Vec<String> {
    let mut found = Vec::new();
    let mut add = |name: &str| {
        if !name.is_empty() {
            sorted::insert(&mut found, name.to_owned());
        }
    };
    for path in BOOKS {
        each_in(metadata, path, &mut |name| {
            name.str().iter().for_each(|name| add(name));
        });
    }
    for (path, has_uid) in KEYED_BY_BOOK {
        each_in(metadata, path, &mut |object| {
            for member in object.members() {
                member.key.str().iter().for_each(|key| add(book_of(key, has_uid)));
            }
        });
    }
    found
}

/// The name of the lorebook in a key.
fn book_of(key: &str, has_uid: bool) -> &str {
    let name = key.rsplit_once(':').filter(|_| has_uid);
    name.map_or(key, |(name, _)| name)
}

/// The metadata with another name for a lorebook.
fn follow_lorebook(header: &mut HeaderEdit, from: &str, to: &str) {
    if from == to {
        return;
    }
    header.splice(|splices, metadata| {
        let members = metadata.members();
        let is_it = |name: &str| same_lorebook(name, from);
        for path in BOOKS {
            each_in(&members, path, &mut |name| {
                if name.str().is_some_and(|name| is_it(&name)) {
                    splices.replace(name, quote(to));
                }
            });
        }
        for (path, has_uid) in KEYED_BY_BOOK {
            each_in(&members, path, &mut |object| {
                for member in object.members() {
                    let key = member.key.str().unwrap_or_default();
                    let name = book_of(&key, has_uid);
                    if is_it(name) {
                        splices.replace(member.key, quote(&format!("{to}{}", &key[name.len()..])));
                    }
                }
            });
        }
    });
}

/// The metadata of a chat that has another name.
fn follow_chat(header: &mut HeaderEdit, from: &str, to: &str) {
    header.splice(|splices, metadata| {
        let members = metadata.members();
        for (path, has_message) in CHATS {
            each_in(&members, path, &mut |name| {
                let spelled = name.str().unwrap_or_default();
                let rest = spelled.strip_prefix(from).filter(|rest| match has_message {
                    true => rest.starts_with(':'),
                    false => rest.is_empty(),
                });
                if let Some(rest) = rest {
                    splices.replace(name, quote(&format!("{to}{rest}")));
                }
            });
        }
        each_in(&members, KEYED_BY_CHAT, &mut |object| {
            for member in object.members().iter().filter(|member| member.is(from)) {
                splices.replace(member.key, quote(to));
            }
        });
    });
}

/// Everything that a path leads to.
fn each<'a>(json: Json<'a>, path: &[&str], act: &mut dyn FnMut(Json<'a>)) {
    match path {
        [] => act(json),
        ["*", rest @ ..] => {
            json.members().iter().for_each(|member| each(member.value, rest, act));
            json.items().into_iter().for_each(|item| each(item, rest, act));
        }
        path => each_in(&json.members(), path, act),
    }
}

/// The same from the members of an object, which a large one is searched for only once.
fn each_in<'a>(members: &[Member<'a>], path: &[&str], act: &mut dyn FnMut(Json<'a>)) {
    let Some((key, rest)) = path.split_first() else { return };
    for member in members.iter().filter(|member| member.is(key)) {
        each(member.value, rest, act);
    }
}
