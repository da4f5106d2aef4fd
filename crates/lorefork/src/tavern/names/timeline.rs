//! What a new timeline is called.
//!
//! As the SillyTavern at hand would call it, so that a fork made by us sorts
//! and reads like one made there. From 1.16 on a fork is named after its parent
//! and counted; before, it carried a date.

use super::sanitize::{CHAT_NAME_BYTES, chat_name, is_allowed};
use crate::sentence::Sentence;
use crate::tavern::{time::LocalTime, version::Version};
use crate::{say, speaks};

/// The two ways to fork.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// Linked by its message's flag.
    Checkpoint,
    /// Listed by its message, which may have many.
    Branch,
}

impl Kind {
    /// What stands before the number in a name.
    pub(crate) fn token(self) -> &'static str {
        match self {
            Self::Checkpoint => "Checkpoint #",
            Self::Branch => "Branch #",
        }
    }
}

/// Why a timeline cannot have a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NameError {
    /// Nothing is left of the name.
    Empty,
    /// No file can be called so.
    TooLong {
        /// How long it would be.
        bytes: usize,
    },
    /// It would be a file in another folder.
    HasSeparator(char),
    /// A chat of this name is there.
    Taken(String),
    /// All numbers that SillyTavern would try are taken.
    TooMany,
}

impl From<&NameError> for Sentence {
    fn from(problem: &NameError) -> Self {
        match problem {
            NameError::Empty => {
                say!("the name is empty, or nothing is left of it that a file could be called")
            }
            NameError::TooLong { bytes } => say!(
                "the name takes {0} bytes; SillyTavern can save {1} at most",
                bytes,
                CHAT_NAME_BYTES,
            ),
            NameError::HasSeparator(sign) => {
                say!("the name contains “{0}”, which separates folders", sign.to_string())
            }
            NameError::Taken(name) => say!("there already is a chat named “{0}”", name),
            NameError::TooMany => say!("there are too many timelines of this name"),
        }
    }
}

speaks!(NameError);

/// SillyTavern gives up after a thousand names. We go on, but not for ever.
const MOST_TRIES: usize = 100_000;

/// What a name is made from.
#[derive(Debug, Clone, Copy)]
pub struct NewTimeline<'a> {
    /// Checkpoints and branches are named differently.
    pub kind: Kind,
    /// SillyTavern's: each names them a little differently.
    pub version: Version,
    /// The name of the chat that is forked.
    pub parent: &'a str,
    /// The fork point.
    pub message: usize,
    /// The name the user chose. `None` where SillyTavern would think of one,
    /// which is also what an empty answer to its question means.
    pub given: Option<&'a str>,
    /// For names that hold the time.
    pub now: LocalTime,
    /// How many chats the character or group has: before 1.16 unnamed
    /// checkpoints took their number from it.
    pub chats: usize,
}

impl NewTimeline<'_> {
    /// The name, as its file will have it. `taken` says whether a chat of that
    /// name is there already.
    pub fn name(&self, taken: impl Fn(&str) -> bool) -> Result<String, NameError> {
        if self.version.names_forks_after_parent() {
            match self.given {
                Some(given) => free(as_given(given, "")?, taken),
                None => self.counted(taken),
            }
        } else {
            self.dated(taken)
        }
    }

    /// `<parent> - Branch #1`, with the first number that is free.
    ///
    /// SillyTavern fails to save what is over 238 bytes. There the parent's
    /// part is cut, so that what tells the timelines apart stays.
    fn counted(&self, taken: impl Fn(&str) -> bool) -> Result<String, NameError> {
        let head: String = as_head(parent_part(self.kind, self.parent)).collect();
        first_free(taken, |i| {
            let tail = format!(" - {}{i}", self.kind.token());
            let room = CHAT_NAME_BYTES.saturating_sub(tail.len());
            format!("{}{tail}", &head[..head.floor_char_boundary(room)])
        })
    }

    /// `Branch #<message> - <date>`, `<given> - <date>`: 1.12 to 1.15.
    ///
    /// Those versions ask nobody whether the name is free. Two forks within a
    /// second would be one file, so the second gets ` (2)`.
    fn dated(&self, taken: impl Fn(&str) -> bool) -> Result<String, NameError> {
        let date = format!(" - {}", self.now.in_names(self.version));
        let name = match (self.given, self.kind) {
            (Some(given), _) => as_given(given, &date)?,
            (None, Kind::Branch) => format!("{}{}{date}", self.kind.token(), self.message),
            (None, Kind::Checkpoint) => {
                // The number is how many chats there are, and counts up only
                // past a chat that is called so without a date.
                let n = (self.chats..self.chats.saturating_add(MOST_TRIES))
                    .find(|n| !taken(&format!("{}{n}", self.kind.token())))
                    .ok_or(NameError::TooMany)?;
                format!("{}{n}{date}", self.kind.token())
            }
        };
        let head = name.strip_suffix(&date).unwrap_or(&name);
        first_free(taken, |i| {
            let tail = if i == 1 { date.clone() } else { format!("{date} ({i})") };
            let room = CHAT_NAME_BYTES.saturating_sub(tail.len());
            format!("{}{tail}", &head[..head.floor_char_boundary(room)])
        })
    }
}

/// Whether SillyTavern would call a branch of `parent` so. Both as their files are called.
pub(crate) fn is_branch_name(version: Version, parent: &str, name: &str) -> bool {
    let kind = Kind::Branch;
    if !version.names_forks_after_parent() {
        let rest = name.strip_prefix(kind.token());
        let after = rest.map(|rest| rest.trim_start_matches(|c: char| c.is_ascii_digit()));
        return after != rest && after.is_some_and(|after| after.starts_with(" - "));
    }
    cut_count(kind, name)
        .is_some_and(|(head, _)| head.chars().eq(as_head(parent_part(kind, parent))))
}

/// The parent's part as a file can have it.
fn as_head(part: &str) -> impl Iterator<Item = char> {
    part.chars().filter(|&c| is_allowed(c))
}

/// Refuses what would mean a folder on a command line. In the page a separator
/// is dropped like any other character that no file name can have.
pub fn refuse_separators(name: &str) -> Result<(), NameError> {
    match name.chars().find(|c| matches!(c, '/' | '\\')) {
        Some(c) => Err(NameError::HasSeparator(c)),
        None => Ok(()),
    }
}

/// What of the parent's name goes into a counted one: without the count of the
/// same kind at its end, and without an old dated name's beginning. Only one of
/// each goes, and a branch of a checkpoint keeps the checkpoint's.
pub(super) fn parent_part(kind: Kind, parent: &str) -> &str {
    let without_count = cut_count(kind, parent).map_or(parent, |(head, _)| head);
    without_count
        .strip_prefix(kind.token())
        .and_then(|rest| {
            let after = rest.trim_start_matches(|c: char| c.is_ascii_digit());
            (after.len() < rest.len()).then_some(after)?.strip_prefix(" - ")
        })
        .unwrap_or(without_count)
}

/// `A - Branch #12` as `A` and `Branch #12`.
pub(super) fn cut_count(kind: Kind, name: &str) -> Option<(&str, &str)> {
    let unnumbered = name.trim_end_matches(|c: char| c.is_ascii_digit());
    if unnumbered.len() == name.len() {
        return None;
    }
    let head = unnumbered.strip_suffix(kind.token())?.strip_suffix(" - ")?;
    Some((head, &name[head.len() + " - ".len()..]))
}

/// A name the user chose, as SillyTavern would save it.
fn as_given(given: &str, tail: &str) -> Result<String, NameError> {
    let given: String = given.chars().filter(|&c| is_allowed(c)).collect();
    if given.trim().is_empty() {
        return Err(NameError::Empty);
    }
    let name = given + tail;
    if name.len() > CHAT_NAME_BYTES {
        return Err(NameError::TooLong { bytes: name.len() });
    }
    chat_name(&name).ok_or(NameError::Empty)
}

/// A name that a timeline shall have from now on, as SillyTavern would save it.
pub fn renamed(given: &str, taken: impl Fn(&str) -> bool) -> Result<String, NameError> {
    refuse_separators(given)?;
    // “Lamp ” would stand beside “Lamp”, and nobody could tell them apart.
    free(as_given(given.trim(), "")?, taken)
}

fn free(name: String, taken: impl Fn(&str) -> bool) -> Result<String, NameError> {
    if taken(&name) { Err(NameError::Taken(name)) } else { Ok(name) }
}

/// The first of the names 1, 2, 3 … that is free.
fn first_free(
    taken: impl Fn(&str) -> bool,
    nth: impl Fn(usize) -> String,
) -> Result<String, NameError> {
    for i in 1..=MOST_TRIES {
        let name = chat_name(&nth(i)).ok_or(NameError::Empty)?;
        if !taken(&name) {
            return Ok(name);
        }
    }
    Err(NameError::TooMany)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const NOW: LocalTime = LocalTime {
        year: 2026,
        month: 11,
        day: 15,
        hour: 19,
        minute: 3,
        second: 11,
        millisecond: 322,
    };

    fn new(kind: Kind, version: &str, parent: &'static str) -> NewTimeline<'static> {
        NewTimeline {
            kind,
            version: Version::of_settings(Some(version)),
            parent,
            message: 5,
            given: None,
            now: NOW,
            chats: 3,
        }
    }

    fn branch(parent: &'static str) -> String {
        new(Kind::Branch, "1.19.0", parent).name(|_| false).unwrap()
    }

    fn checkpoint(parent: &'static str) -> String {
        new(Kind::Checkpoint, "1.19.0", parent).name(|_| false).unwrap()
    }

    #[test]
    fn r010_forks_are_named_after_their_parent() {
        assert_eq!(
            branch("Seraphina - 2026-11-15@19h03m11s322ms"),
            "Seraphina - 2026-11-15@19h03m11s322ms - Branch #1"
        );
        assert_eq!(checkpoint("Tavern"), "Tavern - Checkpoint #1");
    }

    #[test]
    fn r010_a_fork_of_a_fork_replaces_the_count_of_its_own_kind() {
        assert_eq!(branch("Tavern - Branch #12"), "Tavern - Branch #1");
        assert_eq!(branch("Tavern - Branch #1 - Branch #2"), "Tavern - Branch #1 - Branch #1");
        assert_eq!(branch("Tavern - Checkpoint #1"), "Tavern - Checkpoint #1 - Branch #1");
        assert_eq!(checkpoint("Tavern - Checkpoint #7"), "Tavern - Checkpoint #1");
        assert_eq!(branch("Tavern - Branch #"), "Tavern - Branch # - Branch #1");
        assert_eq!(branch("Tavern - Branch #٣"), "Tavern - Branch #٣ - Branch #1");
    }

    #[test]
    fn what_sillytavern_would_not_call_a_branch_is_none() {
        let newest = |parent, name| is_branch_name(Version::default(), parent, name);
        assert!(newest("Tavern", "Tavern - Branch #1"));
        assert!(newest("Tavern - Branch #3", "Tavern - Branch #12"));
        assert!(newest("My: Tavern", "My Tavern - Branch #1"));
        assert!(newest("Tavern - Checkpoint #1", "Tavern - Checkpoint #1 - Branch #2"));
        for name in ["Tavern - Checkpoint #1", "Before the storm", "Inn - Branch #1"] {
            assert!(!newest("Tavern", name), "{name}");
        }
        assert!(!newest("Tavern", "Tavern - Branch #"), "no number");
        let old = |name| is_branch_name(Version::new(1, 14, 0), "Tavern", name);
        assert!(old("Branch #5 - 2025-01-01@10h00m00s"));
        assert!(!old("Checkpoint #5 - 2025-01-01@10h00m00s"));
        assert!(!old("Branch # - 2025"));
    }

    #[test]
    fn r010_dated_names_lose_their_beginning() {
        assert_eq!(branch("Branch #5 - 2025-01-01@10h00m00s"), "2025-01-01@10h00m00s - Branch #1");
        assert_eq!(
            checkpoint("Checkpoint #5 - 2025-01-01@10h00m00s"),
            "2025-01-01@10h00m00s - Checkpoint #1"
        );
        assert_eq!(checkpoint("Branch #5 - 2025"), "Branch #5 - 2025 - Checkpoint #1");
        assert_eq!(branch("Branch # - x"), "Branch # - x - Branch #1");
        assert_eq!(branch("Branch #5 - Branch #6"), "Branch #5 - Branch #1");
    }

    #[test]
    fn r062_the_first_free_number_is_taken() {
        let taken = ["A - Branch #1", "A - Branch #2", "A - Branch #4"];
        assert_eq!(
            new(Kind::Branch, "1.16.0", "A").name(|n| taken.contains(&n)).unwrap(),
            "A - Branch #3"
        );
        assert_eq!(new(Kind::Branch, "1.19.0", "A").name(|_| true), Err(NameError::TooMany));
    }

    #[test]
    fn r010_before_1_16_names_carry_a_date() {
        for version in ["1.12.14", "1.13.5", "1.14.0"] {
            assert_eq!(
                new(Kind::Branch, version, "A").name(|_| false).unwrap(),
                "Branch #5 - 2026-11-15@19h03m11s"
            );
            assert_eq!(
                new(Kind::Checkpoint, version, "A").name(|_| false).unwrap(),
                "Checkpoint #3 - 2026-11-15@19h03m11s"
            );
            assert_eq!(
                new(Kind::Checkpoint, version, "A").name(|n| n == "Checkpoint #3").unwrap(),
                "Checkpoint #4 - 2026-11-15@19h03m11s"
            );
        }
        let given = NewTimeline { given: Some("My: plan"), ..new(Kind::Checkpoint, "1.14.0", "A") };
        assert_eq!(given.name(|_| false).unwrap(), "My plan - 2026-11-15@19h03m11s");
    }

    #[test]
    fn r062_two_dated_forks_in_one_second_differ() {
        let first = new(Kind::Branch, "1.14.0", "A").name(|_| false).unwrap();
        let second = new(Kind::Branch, "1.14.0", "A").name(|n| n == first).unwrap();
        assert_eq!(second, "Branch #5 - 2026-11-15@19h03m11s (2)");
    }

    #[test]
    fn r010_a_given_name_is_used_as_its_file_has_it() {
        let given = |name| {
            NewTimeline { given: Some(name), ..new(Kind::Checkpoint, "1.19.0", "A") }
                .name(|n| n == "there")
        };
        assert_eq!(given("My: Check?").unwrap(), "My Check");
        assert_eq!(given("日本の夜. ").unwrap(), "日本の夜. ");
        assert_eq!(given("a/b").unwrap(), "ab");
        assert_eq!(given("there"), Err(NameError::Taken("there".into())));
        for empty in ["", "  ", "?", "con", "NUL.txt", "\0", "\u{3000}"] {
            assert_eq!(given(empty), Err(NameError::Empty), "{empty:?}");
        }
    }

    #[test]
    fn r010_a_given_name_of_238_bytes_fits() {
        let given = |name: &str| {
            NewTimeline { given: Some(name), ..new(Kind::Branch, "1.19.0", "A") }.name(|_| false)
        };
        assert_eq!(given(&"a".repeat(238)).unwrap().len(), 238);
        assert_eq!(given(&"a".repeat(239)), Err(NameError::TooLong { bytes: 239 }));
        assert_eq!(given(&"日".repeat(80)), Err(NameError::TooLong { bytes: 240 }));
        // What the disk does not get does not count.
        assert_eq!(given(&format!("{}???", "a".repeat(238))).unwrap().len(), 238);
    }

    #[test]
    fn r010_a_long_parent_is_cut_and_the_count_stays() {
        let parent = "日".repeat(79);
        let new = NewTimeline { parent: &parent, ..new(Kind::Branch, "1.19.0", "") };
        let first = new.name(|_| false).unwrap();
        assert_eq!(first, format!("{} - Branch #1", "日".repeat(75)));
        assert_eq!(new.name(|n| n == first).unwrap(), format!("{} - Branch #2", "日".repeat(75)));
        let tenth = new.name(|n| n.len() < 238 && !n.ends_with("#10")).unwrap();
        assert!(tenth.ends_with(" - Branch #10") && tenth.len() <= 238, "{tenth}");
    }

    #[test]
    fn separators_are_refused_only_where_asked() {
        assert_eq!(refuse_separators("a/b"), Err(NameError::HasSeparator('/')));
        assert_eq!(refuse_separators("a\\b"), Err(NameError::HasSeparator('\\')));
        assert_eq!(refuse_separators("a: b"), Ok(()));
    }

    proptest! {
        #[test]
        fn every_name_can_be_saved(
            parent in "\\PC{0,120}|(Branch #1 - )?[a-zé日😀:]{0,100}( - Branch #[0-9]{0,3})?",
            given in proptest::option::of("\\PC{0,100}"),
            legacy: bool, is_branch: bool, taken_until in 0..5_usize,
        ) {
            let tried = std::cell::Cell::new(0);
            let new = NewTimeline {
                kind: if is_branch { Kind::Branch } else { Kind::Checkpoint },
                version: if legacy { Version::new(1, 13, 5) } else { Version::default() },
                parent: &parent, message: 3, given: given.as_deref(), now: NOW, chats: 1,
            };
            let name = new.name(|_| { tried.set(tried.get() + 1); tried.get() <= taken_until });
            if let Ok(name) = name {
                prop_assert!(name.len() <= CHAT_NAME_BYTES);
                prop_assert_eq!(chat_name(&name), Some(name));
            }
        }
    }
}
