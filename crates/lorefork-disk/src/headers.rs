//! The first lines of all chats, for finding out who names a lorebook.

use std::fs::File;
use std::io;

use lorefork::host::{HeaderOf, HostError, Wanted};
use lorefork::limits::{LINE_TOO_LONG, LONGEST_LINE};

use crate::error::unread;
use crate::inside::Inside;
use crate::{fs, list, parallel};

/// More than most headers have.
const FIRST_READ: usize = 16 * 1024;

/// Headers that are wanted: first of characters, then of groups, by name.
pub(crate) fn headers(inside: &Inside, wanted: &Wanted<'_>) -> Result<Vec<HeaderOf>, HostError> {
    let mut chats = list::solo_chats(inside)?;
    chats.extend(list::group_chats(inside, &list::groups(inside)?)?);

    let look = |buffer: &mut Vec<u8>, n: usize| {
        // Errors of single files must say which; so they are results here.
        let chat = &chats[n];
        let file = chat.file();
        let path = inside.folder().join(&file);
        inside.look(&file);
        Ok(match read(&path, buffer) {
            Ok(header) => {
                Ok(header.map(|header| HeaderOf { chat: chat.clone(), header }).filter(wanted))
            }
            Err(error) => Err(unread(&file, "read it", &error)),
        })
    };
    let found = parallel::spread(chats.len(), Vec::new, look, &|_| ())
        .map_err(|error| unread("chats", "read them", &error))?;
    found.into_iter().filter_map(Result::transpose).collect()
}

fn read(path: &std::path::Path, buffer: &mut Vec<u8>) -> io::Result<Option<String>> {
    // A folder of that name, a link in a circle, a file that was removed just now: no chat.
    if !path.is_file() {
        return Ok(None);
    }
    let line = match fs::open(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        file => first_line(&file?, buffer)?,
    };
    // Broken text is read as SillyTavern reads it; whether it is a header is not judged here.
    Ok(Some(String::from_utf8_lossy(line).into_owned()))
}

/// The first line that is not blank.
fn first_line<'a>(file: &File, buffer: &'a mut Vec<u8>) -> io::Result<&'a [u8]> {
    let mut filled = 0;
    let mut start = 0;
    loop {
        buffer.resize(buffer.len().max(FIRST_READ).max(filled * 2), 0);
        let n = fs::read_at(file, &mut buffer[filled..], filled as u64)?;
        let mut looked = filled;
        filled += n;
        while let Some(at) = memchr::memchr(b'\n', &buffer[looked..filled]) {
            let line = start..looked + at;
            if !buffer[line.clone()].iter().all(u8::is_ascii_whitespace) {
                return Ok(&buffer[line]);
            }
            start = line.end + 1;
            looked = start;
        }
        if n == 0 || filled < buffer.len() {
            return Ok(&buffer[start..filled]);
        }
        if filled - start > LONGEST_LINE {
            return Err(io::Error::other(format!("line 1: {LINE_TOO_LONG}")));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;

    #[test]
    fn the_first_line_may_be_long_or_come_late() {
        let long = "x".repeat(5 * FIRST_READ);
        for (text, line) in [
            (String::new(), ""),
            ("{}".into(), "{}"),
            ("{}\n{}".into(), "{}"),
            (format!("{long}\n{{}}"), &long),
            (format!("{}{{}}\r\n{{}}", " \n".repeat(FIRST_READ)), "{}\r"),
        ] {
            let mut file = tempfile::tempfile().unwrap();
            file.write_all(text.as_bytes()).unwrap();
            let mut buffer = Vec::new();
            assert_eq!(first_line(&file, &mut buffer).unwrap(), line.as_bytes());
            // A buffer that was used before holds no old text.
            assert_eq!(first_line(&file, &mut buffer).unwrap(), line.as_bytes());
        }
    }
}
