//! A user folder as data.

use std::collections::BTreeMap;
use std::fmt;
use std::fs;
use std::io;
use std::path::Path;

/// Files of a user folder by their path inside it, with forward slashes.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Folder {
    files: BTreeMap<String, Vec<u8>>,
}

impl Folder {
    pub fn new() -> Self {
        Self::default()
    }

    /// Reads a folder on disk, so that one checker serves memory and disk. Our lock is left out:
    /// it is there while a process lives and says nothing about anybody's data.
    pub fn read(root: &Path) -> io::Result<Self> {
        let mut folder = Self::new();
        folder.read_into(root, "")?;
        folder.remove("lorefork/lock");
        Ok(folder)
    }

    fn read_into(&mut self, path: &Path, prefix: &str) -> io::Result<()> {
        for item in fs::read_dir(path)? {
            let item = item?;
            let name = item.file_name().into_string().map_err(|name| {
                io::Error::new(io::ErrorKind::InvalidData, format!("{name:?} is not UTF-8"))
            })?;
            let inside = format!("{prefix}{name}");
            // Links are not followed: a test that plants a loop must still end.
            if item.file_type()?.is_dir() {
                self.read_into(&item.path(), &format!("{inside}/"))?;
            } else if item.file_type()?.is_file() {
                self.put(inside, fs::read(item.path())?);
            }
        }
        Ok(())
    }

    /// Writes all files below `root`, for tests of a host over a real folder.
    pub fn write(&self, root: &Path) -> io::Result<()> {
        for (file, bytes) in &self.files {
            let path = root.join(file);
            if let Some(parent) = path.parent() {
                fs::create_dir_all(parent)?;
            }
            fs::write(path, bytes)?;
        }
        Ok(())
    }

    pub fn get(&self, file: &str) -> Option<&[u8]> {
        self.files.get(file).map(Vec::as_slice)
    }

    /// A file's text; `None` if there is no such file or it is not UTF-8.
    pub fn text(&self, file: &str) -> Option<&str> {
        self.get(file).and_then(|bytes| std::str::from_utf8(bytes).ok())
    }

    pub fn has(&self, file: &str) -> bool {
        self.files.contains_key(file)
    }

    /// Whether a file is there under this path in whatever case, as Windows and macOS see it.
    pub fn has_any_case(&self, file: &str) -> bool {
        let file = file.to_lowercase();
        self.files.keys().any(|other| other.to_lowercase() == file)
    }

    pub fn put(&mut self, file: impl Into<String>, bytes: impl Into<Vec<u8>>) {
        self.files.insert(file.into(), bytes.into());
    }

    pub fn remove(&mut self, file: &str) -> Option<Vec<u8>> {
        self.files.remove(file)
    }

    /// All files, in the order of their paths.
    pub fn files(&self) -> impl Iterator<Item = (&str, &[u8])> {
        self.files.iter().map(|(file, bytes)| (file.as_str(), bytes.as_slice()))
    }

    /// Names of the files that stand directly in `folder` (`""` is no folder) and end in `end`,
    /// without that end.
    pub fn stems<'a>(&'a self, folder: &'a str, end: &'a str) -> impl Iterator<Item = &'a str> {
        self.files.keys().filter_map(move |file| {
            let name = file.strip_prefix(folder)?.strip_prefix('/')?;
            name.strip_suffix(end).filter(|stem| !stem.contains('/'))
        })
    }

    /// Paths of all chats, of characters and groups.
    pub fn chats(&self) -> impl Iterator<Item = &str> {
        self.files.keys().map(String::as_str).filter(|file| is_chat(file))
    }

    /// Names of all lorebooks.
    pub fn lorebooks(&self) -> impl Iterator<Item = &str> {
        self.stems("worlds", ".json")
    }
}

/// Whether `file` is where SillyTavern keeps chats.
pub(crate) fn is_chat(file: &str) -> bool {
    let parts: Vec<&str> = file.split('/').collect();
    let folder_fits = matches!(parts.as_slice(), ["chats", _, _] | ["group chats", _]);
    folder_fits && file.ends_with(".jsonl")
}

impl fmt::Debug for Folder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map()
            .entries(self.files.iter().map(|(k, v)| (k, String::from_utf8_lossy(v))))
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_survives_the_disk_without_its_lock() {
        let mut folder = Folder::new();
        folder.put("chats/Mira/a.jsonl", "{}\r\n\u{feff}");
        folder.put("group chats/g.jsonl", [0xff, 0xfe]);
        folder.put("worlds/本.json", "{}");
        let root = tempfile::tempdir().unwrap();
        let mut locked = folder.clone();
        locked.put("lorefork/lock", "1");
        locked.write(root.path()).unwrap();
        assert_eq!(Folder::read(root.path()).unwrap(), folder);
    }

    #[test]
    fn files_are_found_where_sillytavern_looks() {
        let mut folder = Folder::new();
        for file in [
            "chats/Mira/a.jsonl",
            "chats/Mira/deep/b.jsonl",
            "chats/loose.jsonl",
            "chats/Mira/a.txt",
            "group chats/g.jsonl",
            "worlds/Lore.json",
            "worlds/.lorefork-1.tmp",
        ] {
            folder.put(file, "");
        }
        assert_eq!(
            folder.chats().collect::<Vec<_>>(),
            ["chats/Mira/a.jsonl", "group chats/g.jsonl"]
        );
        assert_eq!(folder.lorebooks().collect::<Vec<_>>(), ["Lore"]);
        assert_eq!(folder.stems("chats/Mira", ".jsonl").collect::<Vec<_>>(), ["a"]);
        assert!(folder.has_any_case("worlds/LORE.json") && !folder.has("worlds/LORE.json"));
    }
}
