//! What was read of chats for the tree, kept, so that only what changed is read again.
//!
//! An entry is trusted while its file is the one that was read. Unix keeps a time of the last change
//! that nobody can set, so there the file is not even opened. Elsewhere size and time must be the
//! same, and the file must begin the same: that is where its slug stands. Nothing else is kept here;
//! without the file all is read anew.

use std::collections::HashSet;
use std::ops::Range;
use std::time::SystemTime;

use lorefork::family::{Link, Place, Trace};
use lorefork::tavern::names::Kind;
use lorefork::tavern::place::ChatRef;

use crate::inside::Inside;
use crate::mark::Mark;
use crate::packed::{self, Rest, put_count, put_number, put_text};

const FILE: &str = "lorefork/index/timelines";
/// Another one of another version is not read.
const MARK: &[u8] = b"lorefork timelines 3\n";

/// All that is kept, by the chats' files.
#[derive(Default)]
pub(crate) struct Index {
    bytes: Vec<u8>,
    /// Where in the bytes each entry is, in the order of the files.
    entries: Vec<Range<usize>>,
}

impl Index {
    /// What is there; nothing if it cannot be read, or is not whole.
    pub(crate) fn read(inside: &Inside) -> Self {
        let bytes = packed::read(inside, FILE);
        let entries = entries(&bytes).unwrap_or_default();
        Self { bytes, entries }
    }

    /// How many chats it knows.
    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }

    /// What is known of a chat whose file is as this mark says.
    pub(crate) fn get(&self, chat: &ChatRef, mark: Mark) -> Option<Trace> {
        let file = chat.file();
        let of = |place: &Range<usize>| file_of(&self.bytes[place.clone()]);
        let at = self.entries.binary_search_by(|place| of(place).cmp(file.as_bytes())).ok()?;
        let mut rest = Rest(&self.bytes[self.entries[at].clone()]);
        rest.str()?;
        (Mark::take(&mut rest)? == mark).then(|| trace(&mut rest, chat)).flatten()
    }

    /// Keeps what was read. `is_all`: whoever is not among them is gone. That it could not be kept
    /// costs time and nothing else.
    pub(crate) fn keep(
        &self,
        inside: &Inside,
        traces: &[(Mark, &Trace)],
        is_all: bool,
        now: SystemTime,
    ) {
        let mut kept: Vec<(String, Vec<u8>)> = Vec::new();
        for (mark, trace) in traces {
            let is_here = trace.place == Place::Here && trace.head.is_ok();
            if is_here && !mark.is_recent(now) {
                kept.push((trace.chat.file(), entry(*mark, trace)));
            }
        }
        if !is_all {
            let names: HashSet<String> =
                traces.iter().map(|(_, trace)| trace.chat.file()).collect();
            for entry in self.entries.iter().map(|place| &self.bytes[place.clone()]) {
                let file = String::from_utf8_lossy(file_of(entry)).into_owned();
                if !names.contains(&file) {
                    kept.push((file, entry.to_vec()));
                }
            }
        }
        kept.sort();
        let mut bytes = MARK.to_vec();
        for (_, entry) in &kept {
            put_count(&mut bytes, entry.len());
            bytes.extend_from_slice(entry);
        }
        packed::seal(&mut bytes);
        if bytes != self.bytes && !(kept.is_empty() && self.bytes.is_empty()) {
            packed::put(inside, FILE, &bytes);
        }
    }
}

/// The file that an entry is about.
fn file_of(entry: &[u8]) -> &[u8] {
    Rest(entry).str().unwrap_or_default().as_bytes()
}

fn entries(bytes: &[u8]) -> Option<Vec<Range<usize>>> {
    let mut rest = Rest(packed::opened(bytes, MARK)?);
    let end = MARK.len() + rest.0.len();
    let mut found: Vec<Range<usize>> = Vec::new();
    while !rest.0.is_empty() {
        let length = rest.count()?;
        let start = end - rest.0.len();
        rest.bytes(length)?;
        found.push(start..start + length);
    }
    let of = |place: &Range<usize>| file_of(&bytes[place.clone()]);
    found.is_sorted_by(|a, b| of(a) < of(b)).then_some(found)
}

fn entry(mark: Mark, trace: &Trace) -> Vec<u8> {
    let mut out = Vec::new();
    put_text(&mut out, &trace.chat.file());
    mark.put(&mut out);
    put_text(&mut out, &trace.header);
    put_number(&mut out, trace.first_user.map_or(u64::MAX, |at| at as u64));
    put_count(&mut out, usize::from(trace.is_cut));
    for numbers in [&trace.messages, &trace.offsets] {
        put_count(&mut out, numbers.len());
        numbers.iter().for_each(|number| put_number(&mut out, *number));
    }
    put_count(&mut out, trace.links.len());
    for link in &trace.links {
        put_count(&mut out, link.at);
        put_count(&mut out, usize::from(link.kind == Kind::Branch));
        put_text(&mut out, &link.to);
    }
    for texts in [&trace.scenes, &trace.words] {
        put_count(&mut out, texts.len());
        for (at, text) in texts {
            put_count(&mut out, *at);
            put_text(&mut out, text);
        }
    }
    out
}

fn trace(rest: &mut Rest<'_>, chat: &ChatRef) -> Option<Trace> {
    let mut trace = Trace::new(chat.clone(), Place::Here);
    trace.add_kept_header(rest.text()?);
    trace.first_user = Some(rest.number()?).filter(|at| *at != u64::MAX).map(|at| at as usize);
    trace.is_cut = rest.count()? == 1;
    trace.messages = rest.numbers()?;
    trace.offsets = rest.numbers()?;
    for _ in 0..rest.count()? {
        let at = rest.count()?;
        let kind = if rest.count()? == 1 { Kind::Branch } else { Kind::Checkpoint };
        trace.links.push(Link { at, kind, to: rest.text()? });
    }
    trace.scenes = rest.texts()?;
    trace.words = rest.texts()?;
    Some(trace)
}

#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::time::{Duration, UNIX_EPOCH};

    use super::*;
    use crate::mark::{BEGINNING, RECENT};
    use crate::traces::traces;

    const OLD: Duration = Duration::from_secs(1_700_000_000);

    struct Folder {
        folder: tempfile::TempDir,
        inside: Inside,
    }

    impl Folder {
        fn new() -> Self {
            let folder = tempfile::tempdir().unwrap();
            std::fs::create_dir_all(folder.path().join("chats/Mia")).unwrap();
            let inside = Inside::new(folder.path()).unwrap();
            Self { folder, inside }
        }

        /// Writes a chat that was last changed long ago.
        fn write(&self, name: &str, slug: &str, messages: &[&str]) {
            let mut text = format!(
                r#"{{"chat_metadata":{{"integrity":"{slug}","main_chat":"a","lorefork":{{"id":"i","chat":"{name}","label":"L"}},"big":"x"}}}}"#
            );
            for (n, message) in messages.iter().enumerate() {
                text.push_str(&format!(
                    "\n{{\"name\":\"Mia\",\"is_user\":{},\"send_date\":\"{n}{message}\",\"mes\":\"{message}\",\"extra\":{{\"bookmark_link\":\"C\"}}}}",
                    n == 1
                ));
            }
            let path = self.folder.path().join(format!("chats/Mia/{name}.jsonl"));
            std::fs::write(&path, text).unwrap();
            let file = File::options().write(true).open(path).unwrap();
            file.set_modified(UNIX_EPOCH + OLD).unwrap();
        }

        /// What is told some time later, and whether all of it was known.
        fn read(&self) -> (String, bool) {
            self.read_at(SystemTime::now() + 5 * RECENT)
        }

        fn read_at(&self, now: SystemTime) -> (String, bool) {
            let mut found = traces(&self.inside, None, &|_, _| ()).unwrap();
            let told = format!("{:?}", found.all);
            for trace in &mut found.all {
                trace.words = vec![(0, "words".to_owned())];
            }
            found.keep(&self.inside, now);
            (told, found.is_kept)
        }
    }

    #[test]
    fn what_is_known_is_told_again_and_what_changed_is_read() {
        let folder = Folder::new();
        folder.write("a", "s1", &["one", "two"]);
        folder.write("b", "s2", &["one", "new"]);
        let (first, is_known) = folder.read();
        assert!(!is_known && first.contains("label: Some(\"L\")"), "{first}");
        let words = "words: [(0, \"words\")]";
        let (again, is_known) = folder.read();
        assert!(is_known && again == first.replace("words: []", words), "{again}");

        // As long as before, and of the same time: its slug tells.
        folder.write("b", "s3", &["one", "old"]);
        let (changed, is_known) = folder.read();
        assert!(!is_known && changed.contains("s3") && changed.contains("words: []"));
        assert!(folder.read().1);
        std::fs::remove_file(folder.folder.path().join("chats/Mia/b.jsonl")).unwrap();
        assert!(!folder.read().1, "one is gone");
        assert!(folder.read().1);
    }

    #[test]
    fn an_index_that_is_not_whole_is_none() {
        let folder = Folder::new();
        folder.write("a", "s1", &["one", "two"]);
        let first = folder.read().0;
        let path = folder.folder.path().join(FILE);
        let whole = std::fs::read(&path).unwrap();
        for cut in 0..whole.len() {
            std::fs::write(&path, &whole[..cut]).unwrap();
            assert_eq!(Index::read(&folder.inside).len(), 0, "{cut}");
            let mut damaged = whole.clone();
            damaged[cut] ^= 1;
            std::fs::write(&path, damaged).unwrap();
            assert_eq!(Index::read(&folder.inside).len(), 0, "{cut}");
        }
        assert_eq!(folder.read().0, first);
        assert!(folder.read().1);
    }

    #[test]
    fn what_was_changed_just_now_is_not_kept() {
        let folder = Folder::new();
        folder.write("a", "s1", &["one"]);
        let path = folder.folder.path().join("chats/Mia/a.jsonl");
        File::options().write(true).open(path).unwrap().set_modified(SystemTime::now()).unwrap();
        folder.read_at(SystemTime::now());
        assert!(!folder.read().1);
    }

    #[cfg(unix)]
    #[test]
    fn a_change_is_seen_wherever_it_is_and_whatever_time_is_set() {
        let folder = Folder::new();
        let long = "x".repeat(2 * BEGINNING);
        folder.write("a", "s1", &[&long, "one"]);
        folder.read();
        assert!(folder.read().1);
        folder.write("a", "s1", &[&long, "two"]);
        let (changed, is_known) = folder.read();
        assert!(!is_known, "{changed}");
        // Another file with the same size and times in its place.
        let path = folder.folder.path().join("chats/Mia/a.jsonl");
        assert!(folder.read().1);
        std::fs::copy(&path, folder.folder.path().join("copy")).unwrap();
        std::fs::rename(folder.folder.path().join("copy"), &path).unwrap();
        File::options().write(true).open(path).unwrap().set_modified(UNIX_EPOCH + OLD).unwrap();
        assert!(!folder.read().1);
    }
}
