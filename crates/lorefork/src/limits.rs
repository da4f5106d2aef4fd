//! What is not read, sound or not: no story needs it, and reading it takes time and memory that
//! nobody has.

use crate::say;
use crate::sentence::Sentence;

/// Levels of brackets in a line or a lorebook.
pub const DEEPEST: usize = 512;
/// Bytes of a line.
pub const LONGEST_LINE: usize = 256 * 1024 * 1024;
/// Bytes of a lorebook.
pub const LARGEST_LOREBOOK: usize = 256 * 1024 * 1024;

/// What is said of each.
pub const TOO_DEEP: Sentence = say!("nested more than 512 levels deep");
/// Said of a line that is therefore not read.
pub const LINE_TOO_LONG: Sentence = say!("it is longer than 256 MB");
/// Said of a lorebook that is therefore not read.
pub const LOREBOOK_TOO_LARGE: Sentence =
    say!("it is larger than 256 MB, and no lorebook needs as much");

/// Whether what is wrong with a line is only that: SillyTavern reads it all the same.
pub(crate) fn is_limit(problem: &Sentence) -> bool {
    [TOO_DEEP, LINE_TOO_LONG].contains(problem)
}

/// What to do about such a line.
pub(crate) const SHORTEN: Sentence = say!(
    "Lorefork does not read such a line. Shorten it in a text editor, or delete the message in \
     SillyTavern."
);
