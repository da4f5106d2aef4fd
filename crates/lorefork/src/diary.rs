//! The diary: the log as it is told to people. Characters and groups have their names, and what was
//! one thing to whoever did it is one row.

use crate::host::{Host, Trashed};
use crate::json::Json;
use crate::operation::What;
use crate::operation::log::Log;
use crate::operation::record::{Change, Operation, Touched};
use crate::operation::title;
use crate::sentence::{Sentence, Value};
use crate::sorted::Index;
use crate::tavern::place::{ChatRef, FileRef, Owner};

/// Something that was done.
#[derive(Debug, Clone)]
pub struct Row<'l> {
    /// The operation; of several, the newest.
    pub operation: &'l Operation,
    /// Earlier ones that belong to it, newest first.
    pub earlier: Vec<&'l Operation>,
}

impl<'l> Row<'l> {
    /// All operations of the row, newest first.
    pub fn operations(&self) -> impl Iterator<Item = &'l Operation> {
        [self.operation].into_iter().chain(self.earlier.iter().copied())
    }

    /// What happened to files, in the order in which it did.
    pub fn files(&self) -> Vec<&'l Touched> {
        let operations: Vec<&'l Operation> = self.operations().collect();
        operations.into_iter().rev().flat_map(|operation| &operation.files).collect()
    }
}

/// Whether a row may be taken back, as far as that can be told without reading a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Back {
    /// It may; whether it can, its files say.
    Maybe,
    /// It is taken back already.
    Undone,
    /// It followed a name, and goes back with that name, whenever somebody gives it back.
    WithItsName,
    /// The trash no longer has what was before.
    NotInTrash,
}

impl Row<'_> {
    /// Whether this can be taken back, and if not, why.
    pub fn back(&self, log: &Log, trash: &[Trashed]) -> Back {
        let operation = self.operation;
        let is_kept = |touched: &Touched| {
            let needs = matches!(touched.change, Change::Replaced { .. } | Change::Removed { .. });
            let file = touched.file.file();
            !needs || trash.iter().any(|kept| kept.id == operation.id && kept.file == file)
        };
        if log.is_undone(&operation.id) {
            Back::Undone
        } else if operation.what == What::Follow {
            Back::WithItsName
        } else if operation.files.iter().all(is_kept) {
            Back::Maybe
        } else {
            Back::NotInTrash
        }
    }
}

/// The rows, newest first. A chat that gets another name is followed at once as far as it goes itself,
/// and by all others when there is time: two operations, of which people have seen one.
pub fn rows(log: &Log) -> Vec<Row<'_>> {
    let mut rows: Vec<Row<'_>> = Vec::new();
    for operation in log.operations.iter().rev() {
        let is_follow = |other: &Operation| other.what == What::Follow;
        let later = rows.iter_mut().rev().find(|row| is_follow(row.operation));
        let is_one = |row: &&mut Row<'_>| {
            is_follow(operation)
                && row.operation.title == operation.title
                && log.is_undone(&row.operation.id) == log.is_undone(&operation.id)
        };
        match later.filter(is_one) {
            Some(row) => row.earlier.push(operation),
            None => rows.push(Row { operation, earlier: Vec::new() }),
        }
    }
    rows
}

/// What the newest of these rows, which are newest first, followed: a chat by its name of now, and the
/// name it had. `None` if it followed something else, or if a later row knows of another name since.
/// Who gives the former name back has all of it back.
pub fn new_name(rows: &[Row<'_>]) -> Option<(ChatRef, String)> {
    let (row, later) = rows.split_last()?;
    let (chat, former) =
        Some(row.operation).filter(|one| one.what == What::Follow).and_then(names)?;
    let is_about = |other: &Row<'_>| {
        names(other.operation).is_some_and(|(now, was)| {
            now.owner == chat.owner && (was == chat.name || now.name == former || now == chat)
        })
    };
    (!later.iter().any(is_about)).then_some((chat, former))
}

/// Of an operation about the name of a chat, that chat under its new one, and the former.
fn names(operation: &Operation) -> Option<(ChatRef, String)> {
    let [Value::Name(chat), Value::Name(former)] = operation.title.with.as_slice() else {
        return None;
    };
    if operation.title.says != title::CHAT_RENAMED {
        return None;
    }
    let (_, owner, name) = owner_in(chat)?;
    Some((ChatRef::new(owner, name), former.clone()))
}

/// What characters and groups are called.
#[derive(Debug, Clone, Default)]
pub struct Names {
    of: Index<Owner, String>,
}

impl Names {
    /// Reads the names of all that these operations speak of.
    pub async fn read<'o, H: Host>(
        host: &H,
        operations: impl Iterator<Item = &'o Operation>,
    ) -> Self {
        let mut names = Self::default();
        for operation in operations {
            let files = operation.files.iter().filter_map(|touched| match &touched.file {
                FileRef::Chat(chat) => Some(chat.owner.clone()),
                FileRef::Group(id) => Some(Owner::Group(id.clone())),
                FileRef::Lorebook(_) => None,
            });
            for owner in files.chain(owners_in(&operation.title)) {
                if names.of.get(&owner).is_none() {
                    let name = name_of(host, &owner).await;
                    names.of.or_insert(owner, name);
                }
            }
        }
        names
    }

    /// What a character or a group is called; who is gone, by folder or id.
    pub fn owner<'n>(&'n self, owner: &'n Owner) -> &'n str {
        let (Owner::Character(id) | Owner::Group(id)) = owner;
        self.of.get(owner).map_or(id, String::as_str)
    }

    /// A chat as it is shown: its character's or group's name, and its own.
    pub fn chat(&self, chat: &ChatRef) -> String {
        self.of_owner(&chat.owner, &chat.name)
    }

    /// A chat that no group lists is nobody's.
    fn of_owner(&self, owner: &Owner, chat: &str) -> String {
        match self.owner(owner) {
            "" => chat.to_owned(),
            name => format!("{name}/{chat}"),
        }
    }

    /// To what an operation was done.
    pub fn title(&self, operation: &Operation) -> Sentence {
        self.told(&operation.title)
    }

    fn told(&self, title: &Sentence) -> Sentence {
        let with = title.with.iter().map(|value| match value {
            Value::Name(name) => Value::Name(match owner_in(name) {
                Some((before, owner, after)) => format!("{before}{}", self.of_owner(&owner, after)),
                None => name.clone(),
            }),
            Value::Number(number) => Value::Number(*number),
            Value::Said(all) => Value::Said(all.iter().map(|title| self.told(title)).collect()),
        });
        Sentence { says: title.says, with: with.collect() }
    }
}

/// Everybody whose chats a title speaks of.
fn owners_in(title: &Sentence) -> Vec<Owner> {
    let owners = |value: &Value| match value {
        Value::Name(name) => owner_in(name).map(|(_, owner, _)| owner).into_iter().collect(),
        Value::Number(_) => Vec::new(),
        Value::Said(all) => all.iter().flat_map(owners_in).collect(),
    };
    title.with.iter().flat_map(owners).collect()
}

/// What may stand before the chat in a title of old, which is a text only.
const BEFORE: [&str; 3] = ["what was before: ", "the deletion of ", "the missing lorebook of "];

/// Whose chat a name in a title is, with what stands before and after. Titles are written once, and the
/// log keeps them; a chat stands there by its folder or the id of its group, and neither has a `/`.
fn owner_in(title: &str) -> Option<(&str, Owner, &str)> {
    let mut chat = title;
    for before in BEFORE {
        chat = chat.strip_prefix(before).unwrap_or(chat);
    }
    let before = &title[..title.len() - chat.len()];
    let (owner, after) = chat.split_once('/')?;
    let owner = match owner.strip_prefix("group:") {
        Some(id) => Owner::Group(id.to_owned()),
        None => Owner::Character(owner.to_owned()),
    };
    Some((before, owner, after))
}

/// Who cannot be read is called by folder or id.
async fn name_of<H: Host>(host: &H, owner: &Owner) -> String {
    let (name, id) = match owner {
        Owner::Character(folder) => {
            (host.card(folder).await.ok().flatten().map(|card| card.name), folder)
        }
        Owner::Group(id) => {
            let record = host.group(id).await.ok().flatten();
            let name = record.and_then(|record| {
                Some(Json::parse(&record.text).ok()?.get("name")?.str()?.into_owned())
            });
            (name, id)
        }
    };
    name.filter(|name| !name.trim().is_empty()).unwrap_or_else(|| id.clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn operation(id: &str, what: What, title: &str, undoes: Option<&str>) -> Operation {
        Operation {
            id: id.to_owned(),
            what,
            title: Sentence::quoted(title),
            time: 0,
            undoes: undoes.map(str::to_owned),
            files: Vec::new(),
            done: true,
        }
    }

    fn shown(operations: Vec<Operation>) -> Vec<String> {
        let log = Log { operations, ..Log::default() };
        let ids = |row: Row<'_>| row.operations().map(|o| o.id.clone()).collect::<Vec<_>>();
        rows(&log).into_iter().map(|row| ids(row).join("+")).collect()
    }

    #[test]
    fn a_renaming_is_one_row() {
        let there = "Mia/b, which was called “a”";
        let back = "Mia/a, which was called “b”";
        let follow = |id, title| operation(id, What::Follow, title, None);
        assert_eq!(shown(vec![follow("1", there), follow("2", there)]), ["2+1"]);
        // Somebody forked between the two.
        let branch = operation("x", What::Branch, "Mia/c", None);
        let operations = vec![follow("1", there), branch, follow("2", there)];
        assert_eq!(shown(operations), ["2+1", "x"]);
        // There, back, and there again are three.
        let operations = vec![follow("1", there), follow("2", back), follow("3", there)];
        assert_eq!(shown(operations), ["3", "2", "1"]);
        // Of one that is taken back the other may stand.
        let undo = operation("u", What::Undo, there, Some("1"));
        assert_eq!(shown(vec![follow("1", there), follow("2", there), undo]), ["u", "2", "1"]);
    }

    #[test]
    fn a_name_can_be_given_back_until_it_has_another() {
        let named = |id: &str, chat: &str, former: &str| {
            let with = vec![Value::Name(chat.to_owned()), Value::Name(former.to_owned())];
            let title = Sentence { says: title::CHAT_RENAMED, with };
            Operation { title, ..operation(id, What::Follow, "", None) }
        };
        let told = |operations: Vec<Operation>| {
            let log = Log { operations, ..Log::default() };
            let rows = rows(&log);
            let told = (1..=rows.len()).map(|n| new_name(&rows[..n]));
            let told = told.map(|found| found.map(|(chat, was)| format!("{chat} < {was}")));
            told.map(Option::unwrap_or_default).collect::<Vec<_>>()
        };
        let there = || named("1", "Mia/b", "a");
        let branch = operation("x", What::Branch, "Mia/c", None);
        assert_eq!(told(vec![there(), branch]), ["", "Mia/b < a"]);
        assert_eq!(told(vec![there(), named("2", "Mia/a", "b")]), ["Mia/a < b", ""]);
        assert_eq!(told(vec![there(), named("2", "Mia/c", "b")]), ["Mia/c < b", ""]);
        // Somebody else's, and another chat of hers.
        assert_eq!(told(vec![there(), named("2", "Tom/a", "b")]), ["Tom/a < b", "Mia/b < a"]);
        assert_eq!(told(vec![there(), named("2", "Mia/d", "e")]), ["Mia/d < e", "Mia/b < a"]);
        // What Lorefork renamed itself has an undo of its own.
        let by_us = Operation { what: What::Rename, ..there() };
        assert_eq!(told(vec![by_us]), [""]);
    }

    #[test]
    fn what_is_not_a_renaming_is_never_joined() {
        let fix = |id| operation(id, What::Fix, "2 problems", None);
        assert_eq!(shown(vec![fix("1"), fix("2")]), ["2", "1"]);
    }

    #[test]
    fn what_can_only_be_refused_is_not_offered() {
        let book = FileRef::Lorebook("L".into());
        let replaced = Change::Replaced { was: "a".into(), is: "b".into() };
        let mut rewind = operation("1", What::Rewind, "Mia/a", None);
        rewind.files.push(Touched::new(book.clone(), replaced));
        let mut branch = operation("2", What::Branch, "Mia/b", None);
        branch.files.push(Touched::new(book, Change::Created { is: None }));
        let follow = operation("3", What::Follow, "Mia/b, which was called “c”", None);
        let undo = operation("4", What::Undo, "Mia/d", Some("0"));
        let log = Log {
            operations: vec![
                operation("0", What::Branch, "Mia/d", None),
                rewind,
                branch,
                follow,
                undo,
            ],
            ..Log::default()
        };
        let back = |trash: &[Trashed]| -> Vec<Back> {
            rows(&log).iter().map(|row| row.back(&log, trash)).collect()
        };
        let kept = |id: &str| Trashed { id: id.into(), file: "worlds/L.json".into(), bytes: 2 };
        let (maybe, gone) = (Back::Maybe, Back::NotInTrash);
        assert_eq!(back(&[kept("1")]), [maybe, Back::WithItsName, maybe, maybe, Back::Undone]);
        assert_eq!(back(&[kept("7")]), [maybe, Back::WithItsName, maybe, gone, Back::Undone]);
    }

    #[test]
    fn titles_have_the_names_of_characters_and_groups() {
        let mut names = Names::default();
        names.of.or_insert(Owner::Character("default_Mia".into()), "Mia".to_owned());
        names.of.or_insert(Owner::Group("17".into()), "The Crew".to_owned());
        for (title, told) in [
            ("default_Mia/a", "Mia/a"),
            ("group:17/a, which was called “b”", "The Crew/a, which was called “b”"),
            ("the deletion of group:17/a", "the deletion of The Crew/a"),
            (
                "what was before: the deletion of default_Mia/a",
                "what was before: the deletion of Mia/a",
            ),
            ("the missing lorebook of default_Mia/a", "the missing lorebook of Mia/a"),
            ("group:18/a", "18/a"),
            ("group:/a", "a"),
            ("gone/a", "gone/a"),
            ("3 problems", "3 problems"),
            ("Mia's lore, shared by 3 timelines", "Mia's lore, shared by 3 timelines"),
        ] {
            let title = names.title(&operation("1", What::Fix, title, None));
            assert_eq!(title.to_string(), told);
        }
    }
}
