//! What chats say about their families: each file read once, on all processors, no text kept.

use std::fs::File;
use std::io;
use std::time::SystemTime;

use lorefork::family::{EVERY, Finders, Place, Trace};
use lorefork::host::{HostError, HostErrorKind};
use lorefork::limits::LONGEST_LINE;
use lorefork::operation::What;
use lorefork::operation::record::Operation;
use lorefork::tavern::place::{ChatRef, Owner};

use crate::error::{unread, while_reading};
use crate::inside::Inside;
use crate::mark::Mark;
use crate::trace_index::Index;
use crate::{check, fs, list, operations, parallel, trash};

/// How much is read at once. It fits the processor's cache.
const BUFFER: usize = 256 * 1024;

/// What chats say about their families.
pub struct Traces {
    /// Those of one owner stand together.
    pub all: Vec<Trace>,
    /// Whether the index knew all of them, and nobody else.
    pub is_kept: bool,
    /// The states of the files they were read from.
    marks: Vec<Option<Mark>>,
    index: Index,
    /// Whether these are all chats that there are.
    is_all: bool,
}

impl Traces {
    pub(crate) fn keep(&self, inside: &Inside, now: SystemTime) {
        let known =
            self.marks.iter().zip(&self.all).filter_map(|(mark, one)| Some(((*mark)?, one)));
        self.index.keep(inside, &known.collect::<Vec<_>>(), self.is_all, now);
    }
}

/// The traces of one owner's chats, or of all; those in the trash that somebody deleted included.
/// `progress` hears how many files of how many were begun.
pub(crate) fn traces(
    inside: &Inside,
    owner: Option<&Owner>,
    progress: &dyn Fn(usize, usize),
) -> Result<Traces, HostError> {
    let is_wanted = |chat: &ChatRef| owner.is_none_or(|owner| *owner == chat.owner);
    let mut chats = list::solo_chats(inside)?;
    chats.extend(list::group_chats(inside, &list::groups(inside)?)?);
    let here = chats.into_iter().map(|chat| (chat, Place::Here));
    let mut all: Vec<(ChatRef, Place)> = here.chain(deleted(inside)?).collect();
    all.retain(|(chat, _)| is_wanted(chat));
    all.sort_by(|(a, _), (b, _)| a.owner.cmp(&b.owner));
    let finders = Finders::default();
    let index = Index::read(&inside.unnoted());
    let read = |buffer: &mut Vec<u8>, n: usize| {
        let (chat, place) = &all[n];
        let mut trace = Trace::new(chat.clone(), place.clone());
        let mut mark = None;
        let file = file_of(&trace);
        let path = inside.folder().join(&file);
        // Before it is read: what is written meanwhile counts as a change.
        inside.look(&file);
        let found = fs::metadata(&path);
        if let Ok(metadata) = &found {
            mark = Mark::of(&path, metadata).ok().filter(|_| *place == Place::Here);
            if let Some(known) = mark.and_then(|mark| index.get(chat, mark)) {
                return Ok(Some((known, (mark, true))));
            }
        }
        match found.and_then(|_| fs::open(&path)) {
            // Removed just now, or a link that leads nowhere.
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => trace.head = Err(error.to_string().into()),
            Ok(file) => {
                if let Err(error) = read_chat(&file, &mut trace, &finders, buffer) {
                    trace.head = Err(error.to_string().into());
                }
            }
        }
        Ok(Some((trace, (mark, false))))
    };
    let found = parallel::spread(all.len(), Vec::new, read, &|n| progress(n, all.len()))
        .map_err(|error| unread("chats", "read them", &error))?;
    let (all, marks): (Vec<_>, Vec<(Option<Mark>, bool)>) = found.into_iter().flatten().unzip();
    let is_all = owner.is_none();
    let is_kept = marks.iter().all(|(mark, is_known)| *is_known || mark.is_none())
        && (!is_all || index.len() == marks.iter().filter(|(_, is_known)| *is_known).count());
    let marks = marks.into_iter().map(|(mark, _)| mark).collect();
    Ok(Traces { all, is_kept, marks, index, is_all })
}

/// Chats that `delete` moved to the trash. Other operations leave former states there.
fn deleted(inside: &Inside) -> Result<Vec<(ChatRef, Place)>, HostError> {
    let chats = trash::all(inside)?;
    let chats: Vec<_> = chats.iter().filter(|found| found.file.ends_with(".jsonl")).collect();
    if chats.is_empty() {
        return Ok(Vec::new());
    }
    let mut deleted = Vec::new();
    for record in operations::logged(inside)? {
        let Ok(operation) = Operation::read(&record) else { continue };
        if operation.what != What::Delete {
            continue;
        }
        for touched in &operation.files {
            let lorefork::operation::change::FileRef::Chat(chat) = &touched.file else { continue };
            let is_it = |found: &&&lorefork::host::Trashed| {
                found.id == operation.id && found.file == chat.file()
            };
            if chats.iter().find(is_it).is_some() {
                deleted.push((chat.clone(), Place::Trash(operation.id.clone())));
            }
        }
    }
    Ok(deleted)
}

/// Where a trace was read, relative to the user folder.
fn file_of(trace: &Trace) -> String {
    let file = trace.chat.file();
    match &trace.place {
        Place::Here => file,
        Place::Trash(id) => trash::file(id, &file).unwrap_or(file),
    }
}

fn read_chat(
    file: &File,
    trace: &mut Trace,
    finders: &Finders,
    buffer: &mut Vec<u8>,
) -> io::Result<()> {
    if buffer.is_empty() {
        buffer.resize(BUFFER, 0);
    }
    let (mut base, mut filled) = (0_u64, 0);
    let (mut has_first, mut is_too_long) = (false, false);
    let mut add = |line: &[u8], offset: u64, is_too_long: bool| {
        if line.iter().all(u8::is_ascii_whitespace) && !is_too_long {
            return;
        }
        if has_first {
            trace.add_message(line, offset, finders);
        } else {
            has_first = true;
            trace.add_header(&String::from_utf8_lossy(line));
            // A file that begins with a message has it all the same.
            if trace.head.is_err() && line.starts_with(b"{") && !is_too_long {
                let is_message = lorefork::json::Json::parse(&String::from_utf8_lossy(line))
                    .is_ok_and(|json| json.get("mes").is_some());
                if is_message {
                    trace.add_message(line, offset, finders);
                }
            }
        }
    };
    loop {
        if filled > LONGEST_LINE {
            is_too_long = true;
            (base, filled) = (base + filled as u64, 0);
        } else if filled == buffer.len() {
            // A line longer than the buffer.
            buffer.resize((buffer.len() * 2).min(LONGEST_LINE + 1), 0);
        }
        let n = fs::read_at(file, &mut buffer[filled..], base + filled as u64)?;
        let known = filled;
        filled += n;
        let mut from = 0;
        for at in memchr::memchr_iter(b'\n', &buffer[known..filled]) {
            let line = &buffer[from..known + at];
            add(line, base + from as u64, std::mem::take(&mut is_too_long));
            from = known + at + 1;
        }
        if n == 0 {
            let last = &buffer[from..filled];
            add(last, base + from as u64, is_too_long);
            // Whoever writes a line to its end ends it with a break, or with the file.
            let is_blank = last.iter().all(u8::is_ascii_whitespace);
            trace.is_cut = !is_blank && !is_too_long && !check::is_sound(last);
            return Ok(());
        }
        buffer.copy_within(from..filled, 0);
        base += from as u64;
        filled -= from;
    }
}

/// Some messages of a chat, in the order asked; `None` for one that is not there any more.
pub(crate) fn messages(
    inside: &Inside,
    trace: &Trace,
    wanted: &[usize],
) -> Result<Vec<Option<String>>, HostError> {
    let name = file_of(trace);
    let file = match fs::open(&inside.folder().join(&name)) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return Err(HostError::new(HostErrorKind::Absent, name, "there is no such file"));
        }
        file => file.map_err(while_reading(&name, "read it"))?,
    };
    let read = |message: &usize| line(&file, trace, *message);
    wanted.iter().map(|n| read(n).map_err(while_reading(&name, "read it"))).collect()
}

/// One message: from the last place that is known before it, line by line.
fn line(file: &File, trace: &Trace, message: usize) -> io::Result<Option<String>> {
    let Some(start) = trace.offsets.get(message / EVERY).copied() else { return Ok(None) };
    let mut left = message % EVERY;
    let mut buffer = vec![0; 16 * 1024];
    let (mut base, mut filled) = (start, 0);
    loop {
        if filled == buffer.len() {
            if filled > LONGEST_LINE {
                return Ok(None);
            }
            buffer.resize(buffer.len() * 2, 0);
        }
        let n = fs::read_at(file, &mut buffer[filled..], base + filled as u64)?;
        filled += n;
        let mut from = 0;
        while let Some(at) = memchr::memchr(b'\n', &buffer[from..filled]) {
            let line = &buffer[from..from + at];
            from += at + 1;
            if line.iter().all(u8::is_ascii_whitespace) {
                continue;
            }
            if left == 0 {
                return Ok(Some(String::from_utf8_lossy(line).into_owned()));
            }
            left -= 1;
        }
        if n == 0 {
            let last = &buffer[from..filled];
            let is_it = left == 0 && !last.iter().all(u8::is_ascii_whitespace);
            return Ok(is_it.then(|| String::from_utf8_lossy(last).into_owned()));
        }
        buffer.copy_within(from..filled, 0);
        base += from as u64;
        filled -= from;
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;

    #[test]
    fn messages_are_found_by_their_number() {
        let mut text = String::from("\n{\"chat_metadata\":{}}\r\n");
        for n in 0..200 {
            text.push_str(&format!("{{\"mes\":\"{n}\"}}\r\n"));
            if n % 7 == 0 {
                text.push_str("  \n");
            }
        }
        let long = "x".repeat(3 * BUFFER);
        text.push_str(&format!("{{\"mes\":\"{long}\"}}"));
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(text.as_bytes()).unwrap();
        let chat = ChatRef::new(Owner::Character("Mia".into()), "a");
        for size in [7, 100, BUFFER] {
            let mut trace = Trace::new(chat.clone(), Place::Here);
            read_chat(&file, &mut trace, &Finders::default(), &mut vec![0; size]).unwrap();
            assert!(trace.head.is_ok());
            assert_eq!(trace.messages.len(), 201);
            for n in [0, 1, 63, 64, 65, 128, 199] {
                let line = line(&file, &trace, n).unwrap().unwrap();
                assert_eq!(line, format!("{{\"mes\":\"{n}\"}}\r"));
            }
            assert!(line(&file, &trace, 200).unwrap().unwrap().contains(&long));
            assert_eq!(line(&file, &trace, 201).unwrap(), None);
            assert_eq!(line(&file, &trace, 5_000).unwrap(), None);
        }
    }
}
