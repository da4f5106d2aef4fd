//! Lines of chats: lost, doubled, out of order, or no messages at all.

use crate::chance::Chance;
use crate::folder::Folder;

const NO_MESSAGE: [&str; 7] = ["", "  ", "null", "[]", "\"text\"", "{}", "{\"mes\":"];

pub(super) fn mutate(folder: &mut Folder, chance: &mut Chance) -> Option<String> {
    let chats: Vec<&str> = folder.chats().collect();
    let file = (*chance.one_of(&chats)?).to_owned();
    let text = folder.text(&file)?;
    let mut lines: Vec<String> = text.split('\n').map(str::to_owned).collect();
    let last = lines.len() - 1;
    let at = if chance.percent(30) { 0 } else { chance.between(0, last) };
    let other = chance.between(0, last);
    let what = match chance.between(0, 6) {
        0 => {
            lines.remove(at);
            format!("without line {at}")
        }
        1 => {
            lines.swap(at, other);
            format!("lines {at} and {other} swapped")
        }
        2 => {
            lines.insert(at, lines[at].clone());
            format!("line {at} twice")
        }
        3 => {
            lines.insert(other, lines[at].clone());
            format!("line {at} again before line {other}")
        }
        4 => {
            lines.truncate(at);
            format!("ends before line {at}")
        }
        5 => {
            lines[at] = (*chance.one_of(&NO_MESSAGE)?).to_owned();
            format!("line {at} is {:?}", lines[at])
        }
        _ => {
            let new = (*chance.one_of(&NO_MESSAGE)?).to_owned();
            let what = format!("{new:?} before line {at}");
            lines.insert(at, new);
            what
        }
    };
    folder.put(file.clone(), lines.join("\n"));
    Some(format!("{file}: {what}"))
}
