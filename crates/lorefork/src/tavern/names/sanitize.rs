//! What SillyTavern makes of a name when it becomes a file.
//!
//! Its server runs every name through the npm package `sanitize-filename`
//! (1.6), extension included. The browser keeps the name as it was typed. So
//! two names are the same chat if they become the same file, and we must know
//! exactly which file that is. The package itself judges us in `difftest/`.

/// The longest file name, in bytes, that is not cut.
const FILE_BYTES: usize = 255;

/// The longest chat name SillyTavern can save: it first writes a temporary file
/// whose name has up to 11 more bytes, and `.jsonl` takes 6.
pub(crate) const CHAT_NAME_BYTES: usize = 238;

/// The longest lorebook name SillyTavern can save, for the same reason.
pub(crate) const LOREBOOK_NAME_BYTES: usize = 239;

const CHAT_EXTENSION: &str = ".jsonl";
const LOREBOOK_EXTENSION: &str = ".json";

/// `sanitize-filename` of a whole file name.
///
/// The order matters: `con.` is a reserved name and becomes empty, but `con `
/// is not one yet when that is tested, and becomes `con`.
///
/// Half an emoji cannot be in a `&str`. Read as U+FFFD it takes as many bytes,
/// and Node writes it to disk as U+FFFD, so nothing differs; unless a character
/// that is removed stood between two halves, which then become one emoji.
pub fn sanitize(name: &str) -> String {
    let mut name: String = name.chars().filter(|&c| is_allowed(c)).collect();
    if name.bytes().all(|b| b == b'.') || is_reserved_on_windows(&name) {
        name.clear();
    }
    name.truncate(name.trim_end_matches(['.', ' ']).len());
    name.truncate(name.floor_char_boundary(FILE_BYTES));
    name
}

/// The file of a chat, or what is left of it when the name is impossible.
pub fn chat_file(name: &str) -> String {
    sanitize(&format!("{name}{CHAT_EXTENSION}"))
}

/// The file of a lorebook, or what is left of it when the name is impossible.
pub fn lorebook_file(name: &str) -> String {
    sanitize(&format!("{name}{LOREBOOK_EXTENSION}"))
}

/// A chat's name as its file has it. `None`: SillyTavern could save no chat
/// under this name, or never list it, because nothing is left of it or the
/// extension is cut off.
pub fn chat_name(name: &str) -> Option<String> {
    stem(chat_file(name), CHAT_EXTENSION)
}

/// Whether a chat can be opened by this name: it is its file's, letter by letter.
pub fn is_chat_name(name: &str) -> bool {
    chat_name(name).as_deref() == Some(name)
}

/// A lorebook's name as its file has it. `None` as for [`chat_name`].
pub fn lorebook_name(name: &str) -> Option<String> {
    stem(lorebook_file(name), LOREBOOK_EXTENSION)
}

/// May this character stand in a file name?
pub(super) fn is_allowed(c: char) -> bool {
    !matches!(
        c,
        '/' | '?' | '<' | '>' | '\\' | ':' | '*' | '|' | '"' | '\0'..='\x1f' | '\u{80}'..='\u{9f}'
    )
}

/// A device name of Windows, alone or with anything behind a dot.
///
/// JavaScript's `.` does not match the line separators U+2028 and U+2029, so a
/// name that has one behind the dot is not reserved.
pub(super) fn is_reserved_on_windows(name: &str) -> bool {
    let (device, rest) = name.split_once('.').unwrap_or((name, ""));
    if rest.contains(['\u{2028}', '\u{2029}']) {
        return false;
    }
    match device.to_ascii_lowercase().as_bytes() {
        b"con" | b"prn" | b"aux" | b"nul" => true,
        [b'c', b'o', b'm', n] | [b'l', b'p', b't', n] => n.is_ascii_digit(),
        _ => false,
    }
}

fn stem(mut file: String, extension: &str) -> Option<String> {
    let len = file.strip_suffix(extension)?.len();
    file.truncate(len);
    (len > 0).then_some(file)
}

/// Whether a name means this chat: names are as somebody typed them, files are not.
pub fn is_chat(name: &str, file: &str) -> bool {
    name == file || chat_name(name).is_some_and(|name| name == file)
}

/// Whether two names that somebody typed mean one lorebook: the same file.
pub fn same_lorebook(a: &str, b: &str) -> bool {
    a == b || lorebook_name(a).is_some_and(|file| lorebook_name(b) == Some(file))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn removes_what_no_disk_takes() {
        assert_eq!(sanitize("a/b?c<d>e\\f:g*h|i\"j"), "abcdefghij");
        assert_eq!(sanitize("a\0b\x1fc\u{80}d\u{9f}e\x7ff"), "abcde\x7ff");
        assert_eq!(sanitize("日本 é 😀\u{2028}"), "日本 é 😀\u{2028}");
    }

    #[test]
    fn empties_dots_and_device_names() {
        for name in [
            "", ".", "..", "...", "/.", "con", "CON", "Con.", "nul.txt", "com0", "LPT9.a.b",
            "c:on", "con..",
        ] {
            assert_eq!(sanitize(name), "", "{name:?}");
        }
        for (name, left) in [
            ("con ", "con"),
            ("com", "com"),
            ("com10", "com10"),
            ("con1.txt", "con1.txt"),
            ("con.\u{2028}", "con.\u{2028}"),
            (". .", ""),
            (" con", " con"),
            ("a. .", "a"),
        ] {
            assert_eq!(sanitize(name), left, "{name:?}");
        }
    }

    #[test]
    fn cuts_at_255_bytes_between_characters() {
        assert_eq!(sanitize(&"a".repeat(300)).len(), 255);
        assert_eq!(sanitize(&"日".repeat(86)), "日".repeat(85));
        assert_eq!(sanitize(&format!("{}😀", "a".repeat(252))), "a".repeat(252));
        assert_eq!(sanitize(&format!("{}😀", "a".repeat(251))).len(), 255);
        // Dots are stripped before the cut, so a cut may end in one.
        assert_eq!(sanitize(&format!("{}.b", "a".repeat(254))), format!("{}.", "a".repeat(254)));
    }

    #[test]
    fn a_name_is_sanitised_with_its_extension() {
        assert_eq!(chat_file("My: Check?"), "My Check.jsonl");
        assert_eq!(chat_name("My: Check?").as_deref(), Some("My Check"));
        assert_eq!(lorebook_file("a. "), "a. .json");
        assert_eq!(lorebook_name("a. ").as_deref(), Some("a. "));
        assert_eq!(lorebook_file(".."), "...json");
    }

    #[test]
    fn impossible_names_have_no_file() {
        assert_eq!(lorebook_file("con"), "");
        assert_eq!(lorebook_name("con"), None);
        assert_eq!(chat_name("nul.backup"), None);
        assert_eq!(chat_name(""), None);
        assert_eq!(chat_name("???"), None);
        assert!(lorebook_file(&"日".repeat(84)).ends_with(".js"));
        assert_eq!(lorebook_name(&"日".repeat(84)), None);
    }

    proptest! {
        #[test]
        fn never_longer_never_more(name in "\\PC{0,90}|[a-c.:/ con日😀\\x00-\\x9f]{0,90}") {
            let clean = sanitize(&name);
            prop_assert!(clean.len() <= FILE_BYTES);
            prop_assert!(clean.chars().all(is_allowed));
            if let Some(chat) = chat_name(&name) {
                // A name taken from disk is that file's name again.
                prop_assert_eq!(chat_name(&chat), Some(chat));
            }
        }
    }
}
