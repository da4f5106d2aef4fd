//! Writing chats: new ones from pieces of old ones, and old ones with some lines changed.

use std::fs::File;
use std::io;
use std::ops::Range;
use std::sync::Arc;

use lorefork::host::{ChatView as _, HostError, HostErrorKind, Line, LineEdit, Piece, Pieces};

use crate::fs;
use crate::view::DiskChat;

/// Small writes are gathered up to this size.
const GATHER: usize = 256 * 1024;
/// How much the kernel copies before progress is told.
const COPY: u64 = 32 * 1024 * 1024;

/// Writes a new chat: lines joined by line breaks, and none at the end, as SillyTavern does.
pub(crate) fn write_new(
    header: &str,
    pieces: &mut Pieces<'_>,
    from: &DiskChat,
    to: &File,
    progress: &dyn Fn(u64, u64),
) -> Result<(), Failure> {
    let mut writer = Writer::new(from, to, progress)?;
    writer.text(one_line(header)?)?;
    for piece in pieces {
        match piece? {
            Piece::Text(text) => {
                writer.text("\n")?;
                writer.text(one_line(&text)?)?;
            }
            Piece::Same(messages) if messages.end > from.len() => {
                return Err(Failure::no_message(messages.end - 1));
            }
            Piece::Same(messages) => {
                for run in from.index().runs(messages.start + 1..messages.end + 1) {
                    writer.text("\n")?;
                    writer.copy(run)?;
                }
            }
        }
    }
    writer.finish()
}

/// Writes the old chat with some lines changed. All other bytes stay, blank lines too.
pub(crate) fn write_edited(
    edits: &[LineEdit],
    from: &DiskChat,
    to: &File,
    progress: &dyn Fn(u64, u64),
) -> Result<(), Failure> {
    let mut edits: Vec<&LineEdit> = edits.iter().collect();
    edits.sort_by_key(|edit| edit.line);
    let mut writer = Writer::new(from, to, progress)?;
    let mut done = 0;
    for edit in edits {
        let line = match edit.line {
            Line::Header => 0,
            Line::Message(message) => message + 1,
        };
        if line >= from.index().lines() {
            return Err(Failure::no_message(line.saturating_sub(1)));
        }
        let place = from.index().line(line);
        if place.start < done {
            return Err(Failure::nonsense("a line cannot be changed twice at once"));
        }
        writer.copy(done..place.start)?;
        writer.text(one_line(&edit.text)?)?;
        done = place.end;
    }
    writer.copy(done..writer.size)?;
    writer.finish()
}

/// Puts texts and ranges of the old file behind each other.
struct Writer<'a> {
    from: Arc<File>,
    to: &'a File,
    /// Of the old file. How large the new one becomes is known only in the end, but it is rarely
    /// larger.
    size: u64,
    gathered: Vec<u8>,
    done: u64,
    progress: &'a dyn Fn(u64, u64),
}

impl<'a> Writer<'a> {
    fn new(
        from: &'a DiskChat,
        to: &'a File,
        progress: &'a dyn Fn(u64, u64),
    ) -> Result<Self, Failure> {
        let from = from.file()?;
        let size = from.metadata()?.len();
        Ok(Self { from, to, size, gathered: Vec::new(), done: 0, progress })
    }

    fn text(&mut self, text: &str) -> io::Result<()> {
        self.gathered.extend_from_slice(text.as_bytes());
        if self.gathered.len() >= GATHER { self.flush() } else { Ok(()) }
    }

    fn copy(&mut self, mut range: Range<u64>) -> io::Result<()> {
        self.flush()?;
        while range.start < range.end {
            let end = range.end.min(range.start + COPY);
            fs::copy(&self.from, range.start..end, self.to)?;
            self.done += end - range.start;
            (self.progress)(self.done, self.size.max(self.done));
            range.start = end;
        }
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        if !self.gathered.is_empty() {
            fs::write(self.to, &self.gathered)?;
            self.done += self.gathered.len() as u64;
            self.gathered.clear();
        }
        Ok(())
    }

    fn finish(mut self) -> Result<(), Failure> {
        self.flush()?;
        (self.progress)(self.done, self.done);
        Ok(())
    }
}

/// A line break within a line would make two of it, and of the second one garbage.
fn one_line(text: &str) -> Result<&str, Failure> {
    if text.contains('\n') {
        return Err(Failure::nonsense("a line cannot hold a line break"));
    }
    Ok(text)
}

/// Why a chat could not be written.
pub(crate) enum Failure {
    Disk(io::Error),
    /// What was asked for makes no sense.
    Nonsense(String),
    /// A piece could not be made.
    Piece(HostError),
}

impl Failure {
    fn nonsense(problem: &str) -> Self {
        Self::Nonsense(problem.into())
    }

    fn no_message(message: usize) -> Self {
        Self::Nonsense(format!("there is no message {message}"))
    }

    pub(crate) fn into_error(self, file: &str) -> HostError {
        match self {
            Self::Disk(error) => crate::error::unwritten(file, "write it", &error),
            Self::Piece(error) => error,
            Self::Nonsense(problem) => HostError::new(HostErrorKind::WriteFailed, file, problem),
        }
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self::Disk(error)
    }
}

impl From<HostError> for Failure {
    fn from(error: HostError) -> Self {
        Self::Piece(error)
    }
}
