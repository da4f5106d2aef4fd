//! A chat as a vector of lines, frozen when it was opened.

use std::fmt;
use std::ops::Range;
use std::rc::Rc;

use lorefork::host::{ChatView, Damage, HostError, HostErrorKind, Stamp};
use lorefork::json::Json;
use lorefork::tavern::place::ChatRef;

use crate::state::{State, error, stamp_of};

/// A line of a chat that is not blank, and where it stands in the file, counted from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Row<'a> {
    pub(crate) number: usize,
    pub(crate) bytes: &'a [u8],
}

/// The lines of a chat file that are not blank. A carriage return belongs to its line.
pub(crate) fn rows(bytes: &[u8]) -> Vec<Row<'_>> {
    let lines = bytes.split(|&byte| byte == b'\n').enumerate();
    lines
        .filter(|(_, line)| !is_blank(line))
        .map(|(index, bytes)| Row { number: index + 1, bytes })
        .collect()
}

pub(crate) fn is_blank(line: &[u8]) -> bool {
    line.iter().all(u8::is_ascii_whitespace)
}

/// An opened chat.
pub struct SimChat {
    chat: ChatRef,
    file: String,
    header: String,
    messages: Vec<(usize, Vec<u8>)>,
    stamp: Stamp,
    state: Rc<State>,
}

impl SimChat {
    pub(crate) fn freeze(
        chat: &ChatRef,
        bytes: &[u8],
        state: Rc<State>,
    ) -> Result<Self, HostError> {
        let file = chat.file();
        let mut rows = rows(bytes).into_iter();
        let header = rows.next().map_or(&[][..], |row| row.bytes).to_vec();
        let header = String::from_utf8(header)
            .map_err(|_| error(HostErrorKind::Damaged, &file, "line 1 is not UTF-8"))?;
        let messages = rows.map(|row| (row.number, row.bytes.to_vec())).collect();
        Ok(Self { chat: chat.clone(), file, header, messages, stamp: stamp_of(bytes), state })
    }

    /// A message's bytes, without asking the script: for writing what was frozen.
    pub(crate) fn bytes(&self, message: usize) -> Option<&[u8]> {
        self.messages.get(message).map(|(_, bytes)| bytes.as_slice())
    }

    fn within(&self, range: Range<usize>) -> impl Iterator<Item = (usize, &(usize, Vec<u8>))> {
        self.messages.iter().enumerate().filter(move |(index, _)| range.contains(index))
    }
}

impl fmt::Debug for SimChat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} with {} messages", self.chat, self.messages.len())
    }
}

impl ChatView for SimChat {
    fn chat(&self) -> &ChatRef {
        &self.chat
    }

    fn header(&self) -> &str {
        &self.header
    }

    fn len(&self) -> usize {
        self.messages.len()
    }

    fn stamp(&self) -> &Stamp {
        &self.stamp
    }

    fn find(&self, key: &str, range: Range<usize>) -> Result<Vec<usize>, HostError> {
        self.state.read("find", &self.file, |_| {
            let needle = format!("\"{key}\"").into_bytes();
            let holds = |bytes: &[u8]| bytes.windows(needle.len()).any(|part| part == needle);
            Ok(self
                .within(range)
                .filter(|(_, (_, bytes))| holds(bytes))
                .map(|(index, _)| index)
                .collect())
        })
    }

    fn line(&self, message: usize) -> Result<String, HostError> {
        self.state.read("line", &self.file, |_| {
            let damaged = |what: &str| {
                error(HostErrorKind::Damaged, &self.file, &format!("message {message} {what}"))
            };
            let bytes = self.bytes(message).ok_or_else(|| damaged("does not exist"))?;
            String::from_utf8(bytes.to_vec()).map_err(|_| damaged("is not UTF-8"))
        })
    }

    fn check(&self, range: Range<usize>) -> Result<Option<Damage>, HostError> {
        self.state.read("check", &self.file, |_| {
            let damage = self.within(range).find_map(|(message, (line, bytes))| {
                let problem = problem_of(bytes)?;
                Some(Damage { message, line: *line, problem: problem.into() })
            });
            Ok(damage)
        })
    }
}

fn problem_of(bytes: &[u8]) -> Option<String> {
    let Ok(text) = std::str::from_utf8(bytes) else { return Some("not UTF-8".to_owned()) };
    match Json::parse(text) {
        Ok(json) if json.is_object() => None,
        Ok(_) => Some("not an object".to_owned()),
        Err(error) => Some(error.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use lorefork::tavern::place::Owner;

    use super::*;

    fn view(bytes: &[u8]) -> Result<SimChat, HostError> {
        let chat = ChatRef::new(Owner::Character("Mira".into()), "a");
        SimChat::freeze(&chat, bytes, Rc::default())
    }

    #[test]
    fn blank_lines_do_not_count_and_carriage_returns_stay() {
        let chat = view(b"\n{\"h\":1}\r\n \r\n{\"mes\":1}\r\n\n{\"mes\":2}\n").unwrap();
        assert_eq!(chat.header(), "{\"h\":1}\r");
        assert_eq!(chat.len(), 2);
        assert_eq!(chat.line(0).unwrap(), "{\"mes\":1}\r");
        assert_eq!(chat.line(2).unwrap_err().kind, HostErrorKind::Damaged);
        assert_eq!(view(b"").unwrap().header(), "");
    }

    #[test]
    fn keys_are_found_and_damage_is_named_by_line() {
        let chat = view(b"{}\n{\"a\":1}\n\n{\"b\":1,\"a\":2}\n[1]\n\xff").unwrap();
        assert_eq!(chat.find("a", 0..9).unwrap(), [0, 1]);
        assert_eq!(chat.find("a", 1..2).unwrap(), [1]);
        assert_eq!(chat.check(0..2).unwrap(), None);
        let damage = chat.check(0..4).unwrap().unwrap();
        assert_eq!((damage.message, damage.line), (2, 5));
        assert_eq!(chat.check(3..4).unwrap().unwrap().problem.to_string(), "not UTF-8");
        assert!(view(b"\xff\n{}").is_err());
    }
}
