//! The log: everything that was done, and what of it was taken back.

use super::kind::What;
use super::order;
use super::record::{Change, Operation};
use crate::error::Error;
use crate::host::Host;
use crate::json::Json;
use crate::sentence::Sentence;
use crate::sorted;

/// All operations, oldest first.
#[derive(Debug, Clone, Default)]
pub struct Log {
    /// Those that can be read.
    pub operations: Vec<Operation>,
    /// Records that cannot be read, each with why: of an earlier or a newer Lorefork.
    pub unreadable: Vec<(String, Sentence)>,
}

/// Reads the log.
pub async fn read<H: Host>(host: &H) -> Result<Log, Error> {
    let mut log = Log::default();
    for text in host.logged().await? {
        match Operation::read(&text) {
            Ok(operation) => log.operations.push(operation),
            Err(problem) => {
                let id = Json::parse(&text).ok().and_then(|json| json.get("id")?.str());
                log.unreadable.push((id.unwrap_or_default().into_owned(), problem));
            }
        }
    }
    // Those of old have no number; among them only the clock can tell.
    let place = |operation: &Operation| {
        (order::number(&operation.id), operation.time, operation.id.clone())
    };
    sorted::by_cached_key(&mut log.operations, place);
    Ok(log)
}

impl Log {
    /// By its id, or the part of it before the dash.
    pub fn find(&self, id: &str) -> Option<&Operation> {
        let is_it = |found: &str| {
            found == id || found.split_once('-').is_some_and(|(short, _)| short == id)
        };
        self.operations.iter().rev().find(|operation| is_it(&operation.id))
    }

    /// Whether an operation was taken back, and that was not taken back in turn.
    pub fn is_undone(&self, id: &str) -> bool {
        let mut undoing = self.operations.iter().filter(|o| o.undoes.as_deref() == Some(id));
        undoing.any(|undo| !self.is_undone(&undo.id))
    }

    /// The newest operation that stands.
    pub fn newest(&self) -> Option<&Operation> {
        self.standing().next()
    }

    /// The operations that stand, newest first. Taking back is not taken back by default: that
    /// would go to and fro. Nor is what followed a name: whoever changes the name back has that.
    pub(super) fn standing(&self) -> impl Iterator<Item = &Operation> {
        let stands =
            |o: &&Operation| o.undoes.is_none() && o.what != What::Follow && !self.is_undone(&o.id);
        self.operations.iter().rev().filter(stands)
    }

    /// Whether two stamps of a chat mean the same bytes. Changing lines and changing them back
    /// leaves another file with another stamp; only the log knows that it says the same.
    pub(super) fn is_same_chat(&self, a: &str, b: &str) -> bool {
        let same = self.same_stamps();
        first_of(&same, a) == first_of(&same, b)
    }

    /// Stamps with the older ones that they are equal to.
    fn same_stamps(&self) -> Vec<(&str, &str)> {
        let mut same: Vec<(&str, &str)> = Vec::new();
        for undo in &self.operations {
            let Some(undone) = undo.undoes.as_deref().and_then(|id| self.find(id)) else {
                continue;
            };
            for back in &undo.files {
                let there = undone.files.iter().find(|touched| touched.file == back.file);
                if let (
                    Change::Lines { from: Some(from), to: Some(to), .. },
                    Some(Change::Lines { from: Some(before), to: Some(after), .. }),
                ) = (&back.change, there.map(|touched| &touched.change))
                    && first_of(&same, from) == first_of(&same, after)
                {
                    same.push((to, before));
                }
            }
        }
        same
    }
}

fn first_of<'s>(same: &[(&'s str, &'s str)], stamp: &'s str) -> &'s str {
    // Newest first, and each leads to an older one.
    let mut stamp = stamp;
    for (newer, older) in same.iter().rev() {
        if *newer == stamp {
            stamp = older;
        }
    }
    stamp
}
