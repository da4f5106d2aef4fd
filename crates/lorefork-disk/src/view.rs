//! A chat frozen as it was when it was opened.
//!
//! SillyTavern replaces files by renaming, so the file that is open here stays what it was, and
//! what is judged is what will be copied. A file that was changed in place all the same is
//! noticed by its stamp. When we replace it ourselves, it is let go of first: what is there from
//! then on is another file, and reading on is refused.

use std::fs::File;
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use lorefork::host::{ChatView, Damage, HostError, Stamp};
use lorefork::limits;
use lorefork::tavern::place::ChatRef;
use memchr::memmem;

use crate::error::{changed, damaged, unread, while_reading};
use crate::fs::held::Held;
use crate::index::{Cut, Index};
use crate::{check, fs, parallel, stamp};

/// An open chat and where its lines stand.
#[derive(Debug)]
pub struct DiskChat {
    chat: ChatRef,
    /// Relative to the user folder.
    name: String,
    held: Held,
    stamp: Stamp,
    header: String,
    index: Index,
    cut: Cut,
}

impl DiskChat {
    /// Opens the chat at `path`. `progress` hears how many bytes of how many were read.
    pub(crate) fn open(
        chat: &ChatRef,
        path: PathBuf,
        cut: Cut,
        progress: &dyn Fn(u64, u64),
    ) -> Result<Self, HostError> {
        let name = chat.file();
        let error = |error: io::Error| unread(&name, "read it", &error);
        let held = Held::open(path).map_err(error)?;
        let file = held.file().ok_or_else(|| changed(&name))?;
        let metadata = file.metadata().map_err(error)?;
        if !metadata.is_file() {
            return Err(damaged(&name, "this is not a file"));
        }
        let size = metadata.len();
        let stamp = stamp::of_file(&file).map_err(error)?;
        let index = Index::build(&file, size, cut, &|done| progress(done, size)).map_err(error)?;
        let mut view =
            Self { chat: chat.clone(), held, stamp, header: String::new(), index, cut, name };
        view.header = view.read_header()?;
        // Somebody may write it in place right now; what was indexed must be one state of it.
        if !view.is_unchanged()? {
            return Err(changed(&view.name));
        }
        progress(size, size);
        Ok(view)
    }

    fn read_header(&self) -> Result<String, HostError> {
        if self.index.lines() == 0 {
            return Ok(String::new());
        }
        let bytes = self.bytes(0)?;
        String::from_utf8(bytes).map_err(|error| {
            let problem = check::problem(error.as_bytes());
            damaged(&self.name, format!("line {}: {problem}", self.index.number(0)))
        })
    }

    /// Where it is, with all links resolved.
    pub(crate) fn path(&self) -> &Path {
        self.held.path()
    }

    /// The open file. If it was let go of and nothing came of it, it is opened again.
    pub(crate) fn file(&self) -> Result<Arc<File>, HostError> {
        if let Some(file) = self.held.file() {
            return Ok(file);
        }
        let error = while_reading(&self.name, "read it");
        let file = self.held.open_again().map_err(&error)?;
        if stamp::of_file(&file).map_err(&error)? != self.stamp {
            self.held.let_go();
            return Err(changed(&self.name));
        }
        Ok(file)
    }

    pub(crate) fn index(&self) -> &Index {
        &self.index
    }

    /// The file's name for messages.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// Whether the open file still is what it was, wherever it is now.
    pub(crate) fn is_unchanged(&self) -> Result<bool, HostError> {
        let now = stamp::of_file(&*self.file()?).map_err(while_reading(&self.name, "read it"))?;
        Ok(now == self.stamp)
    }

    fn bytes(&self, line: usize) -> Result<Vec<u8>, HostError> {
        let range = self.index.line(line);
        if range.end - range.start > self.cut.longest as u64 {
            let number = self.index.number(line);
            return Err(damaged(&self.name, format!("line {number}: {}", limits::LINE_TOO_LONG)));
        }
        let mut bytes = vec![0; (range.end - range.start) as usize];
        let n = fs::read_at(&*self.file()?, &mut bytes, range.start)
            .map_err(while_reading(&self.name, "read it"))?;
        if n == bytes.len() { Ok(bytes) } else { Err(changed(&self.name)) }
    }

    /// The line of a message. The header is line 0.
    fn lines_of(&self, messages: Range<usize>) -> Range<usize> {
        let last = self.len();
        messages.start.min(last) + 1..messages.end.min(last) + 1
    }

    /// Cuts some lines into pieces for the threads, at the beginnings of lines.
    fn segments(&self, lines: Range<usize>) -> Vec<Range<u64>> {
        let mut segments = Vec::new();
        let mut from = lines.start;
        while from < lines.end {
            let start = self.index.line(from).start;
            let to = self.index.line_at(start + self.cut.segment).clamp(from + 1, lines.end);
            segments.push(start..self.index.line(to - 1).end);
            from = to;
        }
        segments
    }

    /// The lines within a segment that hold the needle.
    fn find_in(
        &self,
        file: &File,
        segment: Range<u64>,
        finder: &memmem::Finder<'_>,
        buffer: &mut Vec<u8>,
    ) -> io::Result<Vec<usize>> {
        let needle = finder.needle().len();
        buffer.resize(self.cut.buffer.max(needle * 2), 0);
        let mut found = Vec::new();
        let mut base = segment.start;
        while base < segment.end {
            let room = buffer.len().min((segment.end - base) as usize);
            let filled = fs::read_at(file, &mut buffer[..room], base)?;
            let mut from = 0;
            while let Some(hit) = finder.find(&buffer[from.min(filled)..filled]) {
                let line = self.index.line_at(base + (from + hit) as u64);
                found.push(line);
                // One hit per line is enough.
                from = (self.index.line(line).end - base) as usize;
            }
            if filled < room || base + filled as u64 >= segment.end {
                break;
            }
            // What may be the beginning of the needle is read once more.
            base += from.max(filled + 1 - needle) as u64;
        }
        Ok(found)
    }
}

impl ChatView for DiskChat {
    fn chat(&self) -> &ChatRef {
        &self.chat
    }

    fn header(&self) -> &str {
        &self.header
    }

    fn len(&self) -> usize {
        self.index.lines().saturating_sub(1)
    }

    fn stamp(&self) -> &Stamp {
        &self.stamp
    }

    fn find(&self, key: &str, range: Range<usize>) -> Result<Vec<usize>, HostError> {
        let needle = format!("\"{key}\"");
        let finder = memmem::Finder::new(&needle);
        let segments = self.segments(self.lines_of(range));
        let file = self.file()?;
        let found = parallel::spread(
            segments.len(),
            Vec::new,
            |buffer, n| self.find_in(&file, segments[n].clone(), &finder, buffer),
            &|_| (),
        )
        .map_err(while_reading(&self.name, "read it"))?;
        Ok(found.into_iter().flatten().map(|line| line - 1).collect())
    }

    fn line(&self, message: usize) -> Result<String, HostError> {
        let line = message + 1;
        if line >= self.index.lines() {
            return Err(damaged(&self.name, format!("there is no message {message}")));
        }
        String::from_utf8(self.bytes(line)?).map_err(|error| {
            let problem = check::problem(error.as_bytes());
            damaged(&self.name, format!("line {}: {problem}", self.index.number(line)))
        })
    }

    fn check(&self, range: Range<usize>) -> Result<Option<Damage>, HostError> {
        let Some(line) = self.index.damaged(self.lines_of(range)) else { return Ok(None) };
        let range = self.index.line(line);
        let problem = if range.end - range.start > self.cut.longest as u64 {
            limits::LINE_TOO_LONG
        } else {
            check::problem(&self.bytes(line)?)
        };
        Ok(Some(Damage { message: line - 1, line: self.index.number(line), problem }))
    }
}

#[cfg(test)]
mod tests {
    use lorefork::host::HostErrorKind;
    use lorefork::tavern::place::Owner;
    use proptest::prelude::*;

    use super::*;

    /// Of lines in these tests.
    const LONGEST: usize = 100;

    fn view(text: &[u8], buffer: usize, segment: u64) -> Result<DiskChat, HostError> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.jsonl");
        std::fs::write(&path, text).unwrap();
        let chat = ChatRef::new(Owner::Character("Mia".into()), "a");
        DiskChat::open(&chat, path, Cut { buffer, segment, longest: LONGEST }, &|_, _| ())
    }

    #[test]
    fn header_messages_and_damage() {
        let view = view(b"{\"h\":0}\r\n{\"a\":1}\n\n{\"b\":\n{\"c\":3}\r", 5, 6).unwrap();
        assert_eq!(view.header(), "{\"h\":0}\r");
        assert_eq!(view.len(), 3);
        assert_eq!(view.line(0).unwrap(), "{\"a\":1}");
        assert_eq!(view.line(2).unwrap(), "{\"c\":3}\r");
        assert!(view.line(3).is_err());
        let damage = view.check(0..3).unwrap().unwrap();
        assert_eq!((damage.message, damage.line), (1, 4));
        assert!(damage.problem.to_string().contains("ends too early"));
        assert_eq!(view.check(2..100).unwrap(), None);
        assert_eq!(view.check(0..1).unwrap(), None);
    }

    #[test]
    fn a_line_that_is_too_long_is_named_and_not_read() {
        let long = format!("{{\"a\":\"{}\"}}", "x".repeat(LONGEST));
        for (buffer, segment) in [(5, 6), (64, 1000), (1000, 1000)] {
            let text = format!("{{}}\n{{}}\n{long}\n\n{{}}\n{long}");
            let view = super::tests::view(text.as_bytes(), buffer, segment).unwrap();
            assert_eq!((view.len(), view.line(2).unwrap().as_str()), (4, "{}"));
            assert!(view.line(1).unwrap_err().to_string().contains("line 3: it is longer than"));
            let damage = view.check(0..4).unwrap().unwrap();
            assert_eq!((damage.message, damage.line), (1, 3));
            assert_eq!(damage.problem, limits::LINE_TOO_LONG);
            assert_eq!(view.check(3..4).unwrap().unwrap().line, 6);
            assert_eq!(view.check(2..3).unwrap(), None);
            let error = super::tests::view(long.as_bytes(), buffer, segment).unwrap_err();
            assert_eq!(error.kind, HostErrorKind::Damaged);
        }
    }

    #[test]
    fn an_empty_file_has_no_header_and_no_messages() {
        let view = view(b"", 8, 8).unwrap();
        assert_eq!((view.header(), view.len()), ("", 0));
        assert_eq!(view.find("a", 0..0).unwrap(), [0; 0]);
        assert_eq!(view.check(0..5).unwrap(), None);
    }

    #[test]
    fn a_bom_stays_in_the_header_and_broken_text_is_refused_by_line() {
        assert!(view("\u{feff}{}\n{}".as_bytes(), 8, 8).unwrap().header().starts_with('\u{feff}'));
        let error = view(b"\n{\"a\":\"\xff\"}\n{}", 8, 8).unwrap_err();
        assert_eq!(error.kind, HostErrorKind::Damaged);
        assert!(error.to_string().contains("line 2"), "{error}");
        assert_eq!(error.file.as_deref(), Some("chats/Mia/a.jsonl"));
    }

    proptest! {
        /// Wherever the borders between reads fall, the same messages are found.
        #[test]
        fn finding_does_not_depend_on_how_the_file_is_read(
            lines in prop::collection::vec(r#"("key"|"ke|key"|"|k|\\|x){0,6}"#, 1..12),
            buffer in 1..40_usize,
            segment in 1..40_u64,
            from in 0..12_usize,
            to in 0..12_usize,
        ) {
            let text = lines.join("\n");
            let view = view(text.as_bytes(), buffer, segment).unwrap();
            let messages: Vec<_> = lines.iter().filter(|line| !line.is_empty()).skip(1).collect();
            let expected: Vec<_> = messages
                .iter()
                .enumerate()
                .filter(|(i, line)| (from..to).contains(i) && line.contains("\"key\""))
                .map(|(i, _)| i)
                .collect();
            prop_assert_eq!(view.find("key", from..to).unwrap(), expected);
        }
    }
}
