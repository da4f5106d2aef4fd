//! What was looked at for an answer, and the answer, kept: while all of that is as it was, the answer
//! is the same.
//!
//! Whoever lists a folder or opens a file of the user folder comes by [`Inside`],
//! which notes it here. A folder is known by the names in it, a file by its mark. Where marks prove
//! nothing, as on Windows, no answer is kept. The program itself counts as looked at, too: another one
//! may answer otherwise.

use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::path::Path;
use std::time::SystemTime;

use crate::fs;
use crate::inside::Inside;
use crate::mark::Mark;
use crate::packed::{self, Rest, put_count, put_number, put_text};

const FILE: &str = "lorefork/index/answer";
/// Another one of another version is not read.
const MARK: &[u8] = b"lorefork answer 1\n";

#[derive(Debug, Default)]
pub(crate) struct Looked {
    files: BTreeMap<String, Mark>,
    /// What the names in each folder hash to.
    folders: BTreeMap<String, u64>,
    /// Something was looked at that might change unnoticed, or did meanwhile.
    is_unsure: bool,
}

impl Looked {
    /// Before a file is read: what is written meanwhile counts as a change.
    pub(crate) fn file(&mut self, file: &str, path: &Path) {
        let Some(mark) = Mark::proof(path) else { return self.is_unsure = true };
        match self.files.get(file) {
            Some(before) => self.is_unsure |= *before != mark,
            None => drop(self.files.insert(file.to_owned(), mark)),
        }
    }

    pub(crate) fn folder(&mut self, folder: &str, names: &[String]) {
        let names = hash_of(names);
        match self.folders.get(folder) {
            Some(before) => self.is_unsure |= *before != names,
            None => drop(self.folders.insert(folder.to_owned(), names)),
        }
    }

    /// Keeps the answer to a question. That it could not be kept costs time and nothing else.
    pub(crate) fn keep(&self, inside: &Inside, question: &str, answer: &str, now: SystemTime) {
        let is_recent = self.files.values().any(|mark| mark.is_recent(now));
        let Some(program) = program().filter(|_| !self.is_unsure && !is_recent) else { return };
        let mut bytes = MARK.to_vec();
        put_text(&mut bytes, question);
        program.put(&mut bytes);
        put_count(&mut bytes, self.folders.len());
        for (folder, names) in &self.folders {
            put_text(&mut bytes, folder);
            put_number(&mut bytes, *names);
        }
        put_count(&mut bytes, self.files.len());
        for (file, mark) in &self.files {
            put_text(&mut bytes, file);
            mark.put(&mut bytes);
        }
        put_text(&mut bytes, answer);
        packed::seal(&mut bytes);
        packed::put(inside, FILE, &bytes);
    }
}

/// The answer that was kept, if it is one to this question and all that was looked at is as it was.
pub(crate) fn kept(inside: &Inside, question: &str) -> Option<String> {
    let bytes = packed::read(inside, FILE);
    let mut rest = Rest(packed::opened(&bytes, MARK)?);
    if rest.str()? != question || Mark::take(&mut rest)? != program()? {
        return None;
    }
    for _ in 0..rest.count()? {
        let folder = rest.str()?;
        let names = match fs::names(&inside.folder().join(folder)) {
            Err(error) if is_none(error.kind()) => Vec::new(),
            names => names.ok()?,
        };
        if hash_of(&names) != rest.number()? {
            return None;
        }
    }
    for _ in 0..rest.count()? {
        let file = rest.str()?;
        if Mark::proof(&inside.folder().join(file))? != Mark::take(&mut rest)? {
            return None;
        }
    }
    rest.text()
}

/// No folder is as good as one without names.
fn is_none(error: ErrorKind) -> bool {
    matches!(error, ErrorKind::NotFound | ErrorKind::NotADirectory)
}

fn program() -> Option<Mark> {
    Mark::proof(&std::env::current_exe().ok()?)
}

fn hash_of(names: &[String]) -> u64 {
    let mut hasher = blake3::Hasher::new();
    for name in names {
        hasher.update(name.as_bytes()).update(b"\0");
    }
    packed::short(&hasher.finalize())
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::fs::{File, create_dir_all, remove_file, rename, write};
    use std::os::unix::fs::MetadataExt as _;

    use super::*;
    use crate::mark::RECENT;

    fn later() -> SystemTime {
        SystemTime::now() + 5 * RECENT
    }

    /// A folder, and somebody who looked at all kinds of things in it. `None` where files do not tell
    /// exactly when they were changed: nothing is kept there.
    fn looked() -> Option<(tempfile::TempDir, Inside)> {
        let place = tempfile::tempdir().unwrap();
        create_dir_all(place.path().join("worlds")).unwrap();
        write(place.path().join("worlds/a.json"), "one").unwrap();
        let is_exact = place.path().join("worlds/a.json").metadata().unwrap().ctime_nsec() != 0;
        let inside = Inside::new(place.path()).unwrap().noting();
        look(&inside);
        is_exact.then_some((place, inside))
    }

    fn look(inside: &Inside) {
        inside.names("worlds").unwrap();
        inside.names("nowhere").unwrap();
        inside.existing("worlds/a.json").unwrap();
        inside.if_existing("characters/b.png").unwrap();
        inside.existing("worlds").unwrap();
    }

    fn is_kept(inside: &Inside) -> bool {
        kept(&inside.unnoted(), "q").as_deref() == Some("the answer")
    }

    #[test]
    fn an_answer_is_given_again_only_to_its_question_while_nothing_changed() {
        type Change = fn(&Path);
        let changes: [(&str, Change); 6] = [
            ("another text of the same size and time", |root| {
                let path = root.join("worlds/a.json");
                let time = path.metadata().unwrap().modified().unwrap();
                write(&path, "two").unwrap();
                File::options().write(true).open(path).unwrap().set_modified(time).unwrap();
            }),
            ("gone", |root| remove_file(root.join("worlds/a.json")).unwrap()),
            ("what was not there", |root| {
                create_dir_all(root.join("characters")).unwrap();
                write(root.join("characters/b.png"), "").unwrap();
            }),
            ("a name more", |root| write(root.join("worlds/c.json"), "").unwrap()),
            ("a folder that was not there", |root| {
                create_dir_all(root.join("nowhere/x")).unwrap();
            }),
            ("a file in place of a folder", |root| {
                rename(root.join("worlds"), root.join("w")).unwrap();
                write(root.join("worlds"), "").unwrap();
            }),
        ];
        for (what, change) in changes {
            let Some((place, inside)) = looked() else { return };
            inside.keep_answer("q", "the answer", later());
            assert!(is_kept(&inside), "{what}");
            assert_eq!(kept(&inside.unnoted(), "another"), None);
            change(place.path());
            assert!(!is_kept(&inside), "{what}");
        }
    }

    #[test]
    fn nothing_is_kept_of_what_was_changed_just_now_or_while_it_was_looked_at() {
        let Some((_place, inside)) = looked() else { return };
        inside.keep_answer("q", "the answer", SystemTime::now());
        assert!(!is_kept(&inside));

        let Some((place, inside)) = looked() else { return };
        write(place.path().join("worlds/a.json"), "later").unwrap();
        look(&inside);
        inside.keep_answer("q", "the answer", later());
        assert!(!is_kept(&inside));
    }

    #[test]
    fn an_answer_that_is_not_whole_is_none() {
        let Some((place, inside)) = looked() else { return };
        inside.keep_answer("q", "the answer", later());
        let path = place.path().join(FILE);
        let whole = std::fs::read(&path).unwrap();
        for cut in 0..whole.len() {
            write(&path, &whole[..cut]).unwrap();
            assert_eq!(kept(&inside.unnoted(), "q"), None, "{cut}");
            let mut damaged = whole.clone();
            damaged[cut] ^= 1;
            write(&path, damaged).unwrap();
            assert_eq!(kept(&inside.unnoted(), "q"), None, "{cut}");
        }
        write(&path, whole).unwrap();
        assert!(is_kept(&inside));
    }
}
