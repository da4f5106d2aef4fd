//! Bytes: what a crash, a bad disk or another program's idea of text makes of a file.

use super::pick;
use crate::chance::Chance;
use crate::folder::Folder;

pub(super) fn mutate(folder: &mut Folder, chance: &mut Chance) -> Option<String> {
    let file = pick(folder, chance)?;
    let mut bytes = folder.get(&file)?.to_vec();
    let at = chance.between(0, bytes.len());
    let what = match chance.between(0, 9) {
        0 => {
            bytes.truncate(at);
            format!("cut at {at}")
        }
        1 => {
            bytes.clear();
            "emptied".to_owned()
        }
        2 => {
            let byte = bytes.get_mut(at)?;
            *byte ^= 1 << chance.between(0, 7);
            format!("a bit flipped at {at}")
        }
        3 => {
            let new: [u8; 6] = [0, b'"', b'{', b'\\', b'\n', 0x1b];
            let new = chance.one_of(&new).copied()?;
            bytes.insert(at, new);
            format!("{new:#x} at {at}")
        }
        4 => {
            bytes.splice(at..at, [0xff, 0xfe]);
            format!("no UTF-8 at {at}")
        }
        5 => {
            bytes.splice(0..0, "\u{feff}".bytes());
            "a byte order mark".to_owned()
        }
        6 => {
            let text = String::from_utf8(bytes).ok()?;
            bytes = text.replace("\r\n", "\n").replace('\n', "\r\n").into_bytes();
            "CRLF".to_owned()
        }
        7 => {
            let ends: [&str; 5] = ["\n", "\r\n\r\n", "\n \n", "}", "\0\0\0"];
            let end = chance.one_of(&ends).copied()?;
            bytes.extend(end.bytes());
            format!("{end:?} at the end")
        }
        8 => {
            let end = (at + 64).min(bytes.len());
            bytes[at..end].fill(0);
            format!("zeros at {at}")
        }
        _ => {
            let end = (at + 16).min(bytes.len());
            bytes.drain(at..end);
            format!("some bytes gone at {at}")
        }
    };
    folder.put(file.clone(), bytes);
    Some(format!("{file}: {what}"))
}
