//! What the engine says in single words, as sentences.

use std::path::Path;

use jiff::Timestamp;
use lorefork::moment::{Moment, Quality, Source};
use lorefork::operation::recover::Healed;
use lorefork::tavern::names::Kind;

pub(crate) fn kind(kind: Kind) -> &'static str {
    match kind {
        Kind::Checkpoint => "checkpoint",
        Kind::Branch => "branch",
    }
}

/// “1 entry”, “21 entries”.
pub(crate) fn count(n: usize, one: &str, many: &str) -> String {
    format!("{n} {}", if n == 1 { one } else { many })
}

/// Which state of the lorebook a timeline got, and how sure that is.
pub(crate) fn lore(moment: &Moment, at: usize) -> String {
    if let Some(checkpoint) = moment.checkpoint {
        return format!("a checkpoint made at message {checkpoint} that nobody has touched since");
    }
    lore_from(moment.source, moment.quality, moment.from, at)
}

/// The same, where less is known.
pub(crate) fn lore_from(
    source: Source,
    quality: Quality,
    from: Option<usize>,
    at: usize,
) -> String {
    let newest = match from {
        Some(from) if from < at => format!("; the newest snapshot is of message {from}"),
        _ => String::new(),
    };
    match (source, quality) {
        (Source::None, _) => "none: the chat has no lorebook".into(),
        (Source::Empty, _) => "nothing: it starts empty, as you chose".into(),
        (Source::Shared, _) => "the parent's own, shared on purpose".into(),
        (_, Quality::Partial) => {
            format!("what is recorded, and that leaves something open (see below){newest}")
        }
        (Source::Snapshot, Quality::Exact) => {
            format!("what is recorded: exactly as it was at message {at}")
        }
        (_, Quality::Snapshot) => format!("what is recorded of message {at}{newest}"),
        (Source::Snapshot, _) => format!("a snapshot{newest}"),
        (Source::Live, Quality::Ranged) => {
            "the lorebook as it is now, without the memories of later messages".into()
        }
        (Source::Live, Quality::Current) => {
            "the lorebook as it is now; nothing records how it was (see below)".into()
        }
        (Source::Live, Quality::Future) => {
            "the lorebook as it is now, with what it knows of later events".into()
        }
        (Source::Live, _) => {
            format!("the lorebook as it is now, which is exactly how it is at message {at}")
        }
    }
}

/// A lorebook's name without the part that all of its family begin with.
pub(crate) fn beyond(lorebook: &str, base: &str) -> String {
    match lorebook.strip_prefix(base) {
        Some(tail) if tail.starts_with("__") => format!("…{tail}"),
        _ => lorebook.to_owned(),
    }
}

/// A size for people.
pub(crate) fn size(bytes: u64) -> String {
    match bytes {
        0..1_000 => format!("{bytes} bytes"),
        1_000..1_000_000 => format!("{} KB", bytes.div_ceil(1_000)),
        _ => format!("{} MB", bytes.div_ceil(1_000_000)),
    }
}

/// A time in milliseconds since 1970, on this machine's clock.
pub(crate) fn date(ms: u64) -> String {
    let time = i64::try_from(ms).ok().and_then(|ms| Timestamp::from_millisecond(ms).ok());
    // Behind all dates that can be written, it is the last of them.
    let zoned = time.unwrap_or(Timestamp::MAX).to_zoned(jiff::tz::TimeZone::system());
    zoned.strftime("%Y-%m-%d %H:%M").to_string()
}

/// How this command is called here. Who comes from `npx` has no `lorefork` installed; its launcher
/// says so.
pub(crate) fn program() -> &'static str {
    if std::env::var_os("LOREFORK_NPX").is_some() { "npx lorefork" } else { "lorefork" }
}

/// As it can be pasted into a shell: on Windows into both of its own, which quote alike only so.
pub(crate) fn for_shell(text: &str) -> String {
    let is_plain =
        |c: char| c.is_ascii_alphanumeric() || "/._-+:".contains(c) || cfg!(windows) && c == '\\';
    if !text.is_empty() && text.chars().all(is_plain) {
        text.to_owned()
    } else if cfg!(windows) {
        format!("\"{}\"", text.replace('"', "\\\""))
    } else {
        format!("'{}'", text.replace('\'', r"'\''"))
    }
}

/// A path as people write it. Windows puts signs before a path that was looked up, with which other
/// programs cannot do anything.
pub(crate) fn path(path: &Path) -> String {
    let text = path.to_string_lossy();
    match text.strip_prefix(r"\\?\UNC\") {
        Some(share) => format!(r"\\{share}"),
        None => text.strip_prefix(r"\\?\").unwrap_or(&text).to_owned(),
    }
}

/// What became of an operation that had been interrupted.
pub(crate) fn healed(healed: &Healed) -> String {
    let (operation, ending) = match healed {
        Healed::Finished(operation) => (operation, "finished"),
        Healed::Undone(operation) => (operation, "undone"),
        Healed::Left(why) => return why.to_string(),
    };
    let what = operation.what.doing();
    format!(
        "An earlier operation had been interrupted ({what} “{}”). It was {ending} first.",
        operation.name
    )
}
