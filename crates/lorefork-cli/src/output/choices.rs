//! What a person can do, as it is typed here.

use lorefork::choice::Choice;
use lorefork::error::Code;
use lorefork::sentence::Sentence;

/// Advice, with what is to be typed for it.
pub(crate) fn advised(code: &str, advice: Option<&Sentence>, choices: &[Choice]) -> String {
    let typed = choices.iter().filter_map(|choice| match choice {
        Choice::Missing(instead) => Some(format!("--missing {}", listed(instead))),
        Choice::Undo(id) => Some(format!("“lorefork undo {id}”")),
        Choice::SaveBeside(id) => Some(format!("“lorefork undo {id} --save-beside”")),
        _ => typed(code, choice.word()).map(str::to_owned),
    });
    with_typed(&advice.map(Sentence::to_string).unwrap_or_default(), &typed.collect::<Vec<_>>())
}

/// The same for an answer of which only the document for machines is at hand.
pub(crate) fn advised_in(code: &str, advice: &str, words: &[&str]) -> String {
    let typed = words.iter().filter_map(|word| typed(code, word).map(str::to_owned));
    with_typed(advice, &typed.collect::<Vec<_>>())
}

/// In brackets, before the full stop.
fn with_typed(advice: &str, typed: &[String]) -> String {
    if typed.is_empty() {
        return advice.to_owned();
    }
    let typed = typed.join(", ");
    match advice.strip_suffix('.') {
        Some(advice) => format!("{advice} ({typed})."),
        None => format!("{advice} ({typed})").trim_start().to_owned(),
    }
}

fn typed(code: &str, word: &str) -> Option<&'static str> {
    Some(match word {
        "live" => "--lore live",
        "snapshot" => "--lore snapshot",
        "empty" => "--lore empty",
        "dropQueue" => "--drop-queue",
        // For others who write; for Auto-Recap only its page can wait.
        "wait" if code == Code::Busy.word() => "--wait says how long",
        "notStrict" => "--strict asks for it",
        "share" => "“share”: true under “extensions”, “lorefork” in the lorebook's file",
        "isolate" => "“lorefork isolate”",
        "check" => "“lorefork check”",
        "fix" => "“lorefork fix”",
        "log" => "“lorefork log”",
        "delete" => "“lorefork delete”",
        "sweep" => "“lorefork sweep”",
        _ => return None,
    })
}

/// “parent, empty, detach or leave”.
fn listed(words: &[&str]) -> String {
    match words {
        [all @ .., last] if !all.is_empty() => format!("{} or {last}", all.join(", ")),
        all => all.join(", "),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lorefork::say;

    #[test]
    fn what_is_typed_stands_before_the_full_stop() {
        let log = [Choice::Log];
        let advice = say!("The log shows it.");
        assert_eq!(advised("", Some(&advice), &log), "The log shows it (“lorefork log”).");
        let missing = [Choice::Missing(&["parent", "empty", "leave"])];
        assert_eq!(
            advised("", Some(&say!("Rebuilds it.")), &missing),
            "Rebuilds it (--missing parent, empty or leave)."
        );
        assert_eq!(advised("", Some(&advice), &[Choice::Reload]), "The log shows it.");
        assert_eq!(advised("", None, &log), "(“lorefork log”)");
    }

    #[test]
    fn only_for_others_who_write_the_command_waits() {
        let advice = say!("Wait.");
        assert_eq!(advised("BUSY", Some(&advice), &[Choice::Wait]), "Wait (--wait says how long).");
        assert_eq!(advised("GENERATING", Some(&advice), &[Choice::Wait]), "Wait.");
    }
}
