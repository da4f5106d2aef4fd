//! What the lorebook of a new timeline is called:
//! `<base>__CP_<name>_<id>` for a checkpoint, `<base>__BR_<name>_<id>` for a
//! branch, `<base>__<name>_<id>` for a chat that is neither.
//!
//! The name is for the user's eyes in a list of lorebooks. Who owns a lorebook
//! is recorded, never read out of its name.

use super::marks::is_mark;
use super::sanitize::{LOREBOOK_NAME_BYTES, is_allowed, is_reserved_on_windows};
use super::timeline::{Kind, cut_count, parent_part};

/// How many characters of a timeline's name go into its lorebook's.
const MOST_CHARACTERS: usize = 50;

/// The name of a new timeline's lorebook. It is already what its file will be
/// called, and short enough for SillyTavern to save.
///
/// `base` is the one of the parent's own record, else the name of the parent's
/// lorebook, and is cut where the whole would be too long.
pub fn name(base: &str, kind: Kind, timeline: &str, parent: &str, operation: &[u8; 16]) -> String {
    let marker = match kind {
        Kind::Checkpoint => "CP",
        Kind::Branch => "BR",
    };
    let own = readable(kind, telling(beyond_parent(kind, timeline, parent)));
    with_tail(base, &format!("__{marker}_{own}_{}", short_id(operation)))
}

/// The name of the lorebook of a chat that is no fork and gets its own.
pub fn of_main(base: &str, chat: &str, operation: &[u8; 16]) -> String {
    with_tail(base, &format!("__{}_{}", readable(Kind::Branch, telling(chat)), short_id(operation)))
}

fn with_tail(base: &str, tail: &str) -> String {
    let mut base: String = base.chars().filter(|&c| is_allowed(c)).collect();
    if base.is_empty() {
        base.push_str("lorebook");
    }
    base.truncate(base.floor_char_boundary(LOREBOOK_NAME_BYTES.saturating_sub(tail.len())));
    let name = base + tail;
    if is_reserved_on_windows(&name) {
        // `con.` and anything behind it is no file name on Windows, and
        // SillyTavern makes nothing of it.
        return name.replacen('.', "_", 1);
    }
    name
}

/// Four characters of an operation's id, so that two tabs, or a name that was
/// used before, never meet in one lorebook.
///
/// They come from the end of the id: ids that begin with the time begin alike.
pub fn short_id(operation: &[u8; 16]) -> String {
    const BASE32: &[u8; 32] = b"abcdefghijklmnopqrstuvwxyz234567";
    let bits = u128::from_be_bytes(*operation);
    [15, 10, 5, 0].map(|shift| char::from(BASE32[(bits >> shift) as usize % 32])).iter().collect()
}

/// What sets a timeline's name apart from its parent's: `Branch #2` of
/// `Tavern - Branch #2`. All of it if it is not named after the parent.
fn beyond_parent<'a>(kind: Kind, timeline: &'a str, parent: &str) -> &'a str {
    if let Some((head, count)) = cut_count(kind, timeline) {
        // A long parent was cut, so the head may be only the beginning of it.
        // It may also be characters short that no file name can have.
        let kept: String = parent_part(kind, parent).chars().filter(|&c| is_allowed(c)).collect();
        if !head.is_empty() && kept.starts_with(head) {
            return count;
        }
    }
    // Only behind the separator: `Another day` is not `nother day` of `A`.
    timeline.strip_prefix(parent).and_then(|rest| rest.strip_prefix(" - ")).unwrap_or(timeline)
}

/// The part of a name that tells something: a date and what stands before it is what SillyTavern
/// calls a chat that nobody has named. If nothing stands behind the date, what is before it.
fn telling(name: &str) -> &str {
    const BETWEEN: &str = " - ";
    let parts: Vec<&str> = name.split(BETWEEN).collect();
    let Some(date) = parts.iter().rposition(|part| is_date(part)) else { return name };
    let length = |parts: &[&str]| parts.iter().map(|part| part.len() + BETWEEN.len()).sum();
    if date + 1 < parts.len() {
        let before: usize = length(&parts[..=date]);
        return &name[before..];
    }
    let before: usize = length(&parts[..date]);
    telling(&name[..before.saturating_sub(BETWEEN.len())])
}

/// Whether it is a date as SillyTavern writes it into names: `2023-5-12 @21h 32m 29s 224ms` up to
/// 1.11, `2024-10-09@20h05m18s` up to 1.15, with milliseconds since. The end may be cut, or say that
/// the chat was imported, or that another one has the same.
fn is_date(text: &str) -> bool {
    let Some((day, time)) = text.split_once('@') else { return false };
    let numbers: Vec<&str> = day.trim_end().split('-').collect();
    let is_number = |text: &&str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    let time = time.strip_suffix(" imported").unwrap_or(time);
    let time = match time.strip_suffix(')').and_then(|rest| rest.rsplit_once(" (")) {
        Some((time, count)) if is_number(&count) => time,
        _ => time,
    };
    numbers.len() == 3
        && numbers.iter().all(is_number)
        && numbers[0].len() == 4
        && time.starts_with(|c: char| c.is_ascii_digit())
        && time.bytes().all(|b| b.is_ascii_digit() || matches!(b, b' ' | b'h' | b'm' | b's'))
}

/// At most so many characters of a name that files can have; of one that ends with a count, the
/// count is among them.
fn readable(kind: Kind, name: &str) -> String {
    let whole = joined(name);
    let short = |text: &str, most: usize| text.chars().take(most).collect::<String>();
    if whole.chars().count() <= MOST_CHARACTERS {
        return whole;
    }
    let Some((head, count)) = cut_count(kind, name) else { return short(&whole, MOST_CHARACTERS) };
    let tail = format!("_-_{}", joined(count));
    let room = MOST_CHARACTERS.saturating_sub(tail.chars().count());
    short(&joined(head), room) + &short(&tail, MOST_CHARACTERS)
}

/// Letters, marks and digits of any script, `_` and `-`; whitespace as `_`.
///
/// `char::is_alphanumeric` alone would break words of many scripts: it knows
/// most vowel signs, but no virama and no tone mark (हिन्दी, ม้า). A mark counts
/// only behind something that was kept, because emoji carry marks too.
fn joined(text: &str) -> String {
    let mut kept = String::new();
    let mut base_was_kept = false;
    for c in text.chars() {
        if c.is_alphanumeric() || matches!(c, '_' | '-') {
            base_was_kept = true;
        } else if !is_mark(c) {
            base_was_kept = false;
        }
        if base_was_kept || c.is_whitespace() {
            kept.push(c);
        }
    }
    let name = kept.split_whitespace().collect::<Vec<_>>().join("_");
    if name.is_empty() { "timeline".to_owned() } else { name }
}

#[cfg(test)]
mod tests {
    use super::super::sanitize::{lorebook_file, lorebook_name};
    use super::*;
    use proptest::prelude::*;

    const ID: [u8; 16] = [1, 2, 3, 4, 5, 6, 0x47, 8, 0x89, 10, 11, 12, 13, 14, 15, 16];

    fn checkpoint(timeline: &str) -> String {
        let name = name("book", Kind::Checkpoint, timeline, "Tavern", &ID);
        name.strip_prefix("book__CP_").unwrap().strip_suffix("_4dyq").unwrap().to_owned()
    }

    #[test]
    fn r057_the_example_of_the_design() {
        assert_eq!(
            name("z-AutoLB-main", Kind::Checkpoint, "Test #5!", "main", &ID),
            "z-AutoLB-main__CP_Test_5_4dyq"
        );
    }

    #[test]
    fn r060_branches_have_their_own_mark() {
        assert_eq!(
            name("book", Kind::Branch, "Tavern - Branch #12", "Tavern", &ID),
            "book__BR_Branch_12_4dyq"
        );
    }

    #[test]
    fn r057_only_what_is_beyond_the_parents_name() {
        assert_eq!(checkpoint("Tavern - Checkpoint #1"), "Checkpoint_1");
        assert_eq!(checkpoint("Tavern - the fire"), "the_fire");
        assert_eq!(checkpoint("Taverns"), "Taverns");
        assert_eq!(checkpoint("Tavern"), "Tavern");
        assert_eq!(checkpoint("Tavern - "), "timeline");
        assert_eq!(checkpoint("Elsewhere - Checkpoint #3"), "Elsewhere_-_Checkpoint_3");
    }

    #[test]
    fn r057_a_date_is_no_name() {
        let branches = [
            ("Seraphina - 2026-11-15@19h05m18s246ms - Branch #1", "Branch_1"),
            ("2026-11-15@19h34m17s656ms - Branch #12", "Branch_12"),
            ("Seraphina - 2026-11-15@19h05m18s246ms", "Seraphina"),
            ("Seraphina - 2023-5-12 @21h 32m 29s 224ms - Branch #2", "Branch_2"),
            ("Seraphina - 2023-5-12 @21h 32m 29s 224ms", "Seraphina"),
            ("Seraphina - 2024-10-09@20h05m18s imported - Branch #3", "Branch_3"),
            ("Seraphina - 2024-10-09@20h05m18s imported", "Seraphina"),
            ("Branch #5 - 2025-01-01@10h00m00s", "Branch_5"),
            ("Branch #5 - 2025-01-01@10h00m00s (2)", "Branch_5"),
            ("My plan - 2026-11-15@19h03m11s", "My_plan"),
            ("夜の森 - 2026-11-15@19h05m18s246ms - 朝", "朝"),
            ("夜の森 - 2026-11-15@19h05m18s246ms", "夜の森"),
            ("A - 2025-01-01@10h00m00s - B - 2026-01-01@10h00m00s", "B"),
            ("Seraphina - 2026-11-15@19h0 - Branch #4", "Branch_4"),
            ("2026-11-15@19h34m17s656ms", "timeline"),
            // What somebody has thought of is a name.
            ("2026-11-15", "2026-11-15"),
            ("12-5-3@4h", "12-5-34h"),
            ("Meet @ 5 - the inn", "Meet_5_-_the_inn"),
            ("2026-11-15@home", "2026-11-15home"),
        ];
        for (timeline, own) in branches {
            let name = name("b", Kind::Branch, timeline, "Renamed", &ID);
            assert_eq!(name, format!("b__BR_{own}_4dyq"), "{timeline}");
        }
    }

    #[test]
    fn r057_of_a_long_name_the_count_is_kept() {
        let named = |timeline: &str| name("b", Kind::Branch, timeline, "Renamed", &ID);
        let long = format!("{} - Branch #12", "日".repeat(60));
        assert_eq!(named(&long), format!("b__BR_{}_-_Branch_12_4dyq", "日".repeat(38)));
        let many = format!("A - Branch #{}", "1".repeat(80));
        assert_eq!(named(&many).chars().count(), "b__BR__4dyq".len() + 50);
    }

    #[test]
    fn r057_the_tenth_branch_of_the_first_is_not_0() {
        let of_first = |timeline| name("b", Kind::Branch, timeline, "Tavern - Branch #1", &ID);
        assert_eq!(of_first("Tavern - Branch #2"), "b__BR_Branch_2_4dyq");
        assert_eq!(of_first("Tavern - Branch #10"), "b__BR_Branch_10_4dyq");
    }

    #[test]
    fn r057_a_cut_or_cleaned_parent_is_still_the_parent() {
        let cut = format!("{} - Branch #3", "日".repeat(75));
        assert_eq!(name("b", Kind::Branch, &cut, &"日".repeat(79), &ID), "b__BR_Branch_3_4dyq");
        assert_eq!(
            name("b", Kind::Branch, "My Check - Branch #3", "My: Check?", &ID),
            "b__BR_Branch_3_4dyq"
        );
    }

    #[test]
    fn r057_other_characters_are_dropped_and_whitespace_joined() {
        assert_eq!(checkpoint("  a # b\t\u{3000}c_-d!  "), "a_b_c_-d");
        assert_eq!(checkpoint("!?#"), "timeline");
        assert_eq!(checkpoint(""), "timeline");
    }

    #[test]
    fn r057_letters_marks_and_digits_of_any_script_stay() {
        for word in ["日本の夜", "हिन्दी", "ม้าน้ำ", "عَرَبِيّ", "e\u{301}te\u{301}", "৪২", "Ελλάδα"]
        {
            assert_eq!(checkpoint(word), word);
        }
    }

    #[test]
    fn r057_marks_of_dropped_emoji_go_with_them() {
        assert_eq!(checkpoint("❤\u{fe0f}"), "timeline");
        assert_eq!(checkpoint("a ❤\u{fe0f} b"), "a_b");
        assert_eq!(checkpoint("👩\u{200d}🚀 ok"), "ok");
    }

    #[test]
    fn r057_fifty_characters() {
        assert_eq!(checkpoint(&"日".repeat(60)), "日".repeat(50));
        assert_eq!(checkpoint(&"a".repeat(51)).len(), 50);
    }

    #[test]
    fn r057_only_the_base_is_cut() {
        let name = name(&"日".repeat(100), Kind::Checkpoint, &"夜".repeat(60), "x", &ID);
        assert!(name.len() <= 239, "{}", name.len());
        assert!(name.starts_with("日日"));
        assert!(name.ends_with(&format!("__CP_{}_4dyq", "夜".repeat(50))));
    }

    #[test]
    fn r057_a_base_that_is_no_file_name_becomes_one() {
        assert_eq!(name("a/b: c?", Kind::Branch, "x", "", &ID), "ab c__BR_x_4dyq");
        assert_eq!(name("", Kind::Branch, "x", "", &ID), "lorebook__BR_x_4dyq");
        assert_eq!(name("\0", Kind::Branch, "x", "", &ID), "lorebook__BR_x_4dyq");
        assert_eq!(name("CON.old", Kind::Branch, "x", "", &ID), "CON_old__BR_x_4dyq");
        assert_eq!(name("con", Kind::Branch, "x", "", &ID), "con__BR_x_4dyq");
    }

    #[test]
    fn r062_ids_differ_where_operations_do() {
        assert_eq!(short_id(&[0; 16]), "aaaa");
        assert_eq!(short_id(&[0xff; 16]), "7777");
        let mut next = ID;
        next[15] += 1;
        assert_ne!(short_id(&ID), short_id(&next));
        assert_ne!(name("b", Kind::Branch, "x", "", &ID), name("b", Kind::Branch, "x", "", &next));
    }

    proptest! {
        #[test]
        fn r062_every_name_is_its_files_name(
            base in "\\PC{0,120}|(con|nul|COM1)[. ]{0,2}[a-z\u{2028}]{0,3}|[\\x00-\\xff日😀]{0,200}",
            timeline in "\\PC{0,80}|[ -_a日हि]{0,80}",
            parent in "\\PC{0,20}",
            id: [u8; 16],
        ) {
            let name = name(&base, Kind::Checkpoint, &timeline, &parent, &id);
            prop_assert!(name.len() <= LOREBOOK_NAME_BYTES);
            prop_assert_eq!(lorebook_file(&name), format!("{name}.json"));
            prop_assert_eq!(lorebook_name(&name), Some(name));
        }
    }
}
