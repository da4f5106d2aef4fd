//! Laying out JSON text: only the white space between tokens changes.

use super::read::{Json, JsonError};
use super::scan::skip_space;

/// How a document spaces its tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Style {
    /// All on one line, as chats.
    Compact,
    /// One member a line, this many spaces a level, as lorebooks (4).
    Indented(usize),
}

impl Style {
    /// The style of lorebooks, groups and settings.
    pub const TAVERN: Self = Self::Indented(4);

    /// What `document` looks like, judged by its first line break.
    pub fn of(document: &str) -> Self {
        let Some(inside) = document.trim_start().strip_prefix(['{', '[']) else {
            return Self::Compact;
        };
        let inside = inside.trim_start_matches([' ', '\t', '\r']);
        match inside.strip_prefix('\n') {
            Some(line) => Self::Indented(line.len() - line.trim_start_matches(' ').len()),
            None => Self::Compact,
        }
    }

    pub(super) fn colon(self) -> &'static str {
        if self == Self::Compact { ":" } else { ": " }
    }

    pub(super) fn newline(self, depth: usize) -> String {
        match self {
            Self::Compact => String::new(),
            Self::Indented(width) => format!("\n{}", " ".repeat(width * depth)),
        }
    }
}

/// `text` in `style`, as if it stood `depth` levels deep. Tokens keep their spelling.
pub fn laid_out(text: &str, style: Style, depth: usize) -> Result<String, JsonError> {
    let text = Json::parse(text)?.text();
    let bytes = text.as_bytes();
    let mut out = String::with_capacity(text.len() * 2);
    let mut depth = depth;
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b' ' | b'\t' | b'\n' | b'\r' => {}
            b'{' | b'[' => {
                out.push(byte as char);
                let next = skip_space(bytes, at + 1);
                if matches!(bytes.get(next), Some(b'}' | b']')) {
                    out.push(bytes[next] as char);
                    at = next;
                } else {
                    depth += 1;
                    out.push_str(&style.newline(depth));
                }
            }
            b'}' | b']' => {
                depth = depth.saturating_sub(1);
                out.push_str(&style.newline(depth));
                out.push(byte as char);
            }
            b',' => {
                out.push(',');
                out.push_str(&style.newline(depth));
            }
            b':' => out.push_str(style.colon()),
            _ => {
                let end = token_end(bytes, at);
                out.push_str(&text[at..end]);
                at = end;
                continue;
            }
        }
        at += 1;
    }
    Ok(out)
}

/// The end of the string, number or word that begins at `at`.
fn token_end(bytes: &[u8], at: usize) -> usize {
    let mut end = at + 1;
    if bytes[at] == b'"' {
        while let Some(&byte) = bytes.get(end) {
            end += if byte == b'\\' { 2 } else { 1 };
            if byte == b'"' {
                break;
            }
        }
        return end.min(bytes.len());
    }
    while bytes
        .get(end)
        .is_some_and(|b| !matches!(b, b',' | b':' | b'}' | b']' | b' ' | b'\t' | b'\n' | b'\r'))
    {
        end += 1;
    }
    end
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn laid_out_as_javascript_would() {
        let text = r#"{"a":[],"b":{},"c":[1,{"d":"x,\"{"}],"e":1.0}"#;
        let pretty = "{\n    \"a\": [],\n    \"b\": {},\n    \"c\": [\n        1,\n        {\n            \"d\": \"x,\\\"{\"\n        }\n    ],\n    \"e\": 1.0\n}";
        assert_eq!(laid_out(text, Style::TAVERN, 0).unwrap(), pretty);
        assert_eq!(laid_out(pretty, Style::Compact, 0).unwrap(), text);
        assert_eq!(Style::of(pretty), Style::TAVERN);
        assert_eq!(Style::of(text), Style::Compact);
        assert_eq!(Style::of("{\r\n  \"a\": 1\r\n}"), Style::Indented(2));
    }
}
