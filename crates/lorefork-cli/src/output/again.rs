//! The command that was typed, to be typed again with more.

use std::ffi::OsString;

use super::words::{for_shell, program};

/// What was typed, and `added`, as it can be pasted into a shell.
///
/// All of it is repeated, because an option that is left out may make a command do more than what
/// was shown.
pub(crate) fn again(added: &[&str]) -> String {
    with(std::env::args_os().skip(1), added)
}

fn with(typed: impl Iterator<Item = OsString>, added: &[&str]) -> String {
    let mut words: Vec<String> = typed.map(|word| for_shell(&word.to_string_lossy())).collect();
    // Behind “--” everything is a name.
    let end = words.iter().position(|word| word == "--").unwrap_or(words.len());
    words.splice(end..end, added.iter().map(|word| for_shell(word)));
    words.insert(0, program().to_owned());
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(windows)]
    #[test]
    fn both_shells_of_windows_understand_it() {
        let again = |typed: &[&str]| with(typed.iter().map(OsString::from), &["--apply"]);
        assert_eq!(
            again(&["--root", r"C:\my data", "log", r"C:\here"]),
            r#"lorefork --root "C:\my data" log C:\here --apply"#
        );
    }

    #[cfg(not(windows))]
    #[test]
    fn all_that_was_typed_is_repeated() {
        let again = |typed: &[&str]| with(typed.iter().map(OsString::from), &["--apply"]);
        assert_eq!(again(&["sweep"]), "lorefork sweep --apply");
        assert_eq!(
            again(&["--root", "my data", "log", "--empty-trash", "--older-than=30"]),
            "lorefork --root 'my data' log --empty-trash '--older-than=30' --apply"
        );
        assert_eq!(again(&["delete", "--", "-it's"]), r"lorefork delete --apply -- '-it'\''s'");
    }
}
