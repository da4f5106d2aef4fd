//! The name by which an entry is recognised.

/// The name by which an entry is recognised, from its comment: without its type, in small letters.
pub(super) fn plain_name(comment: &str) -> String {
    if comment == UNNAMED { String::new() } else { without_type(comment).to_lowercase() }
}

/// `character-Mira` without its `character-`: Auto-Recap adds the type later.
fn without_type(comment: &str) -> &str {
    match comment.split_once('-') {
        Some((kind, rest))
            if !kind.is_empty()
                && kind
                    .bytes()
                    .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_') =>
        {
            rest
        }
        _ => comment,
    }
}

/// What Auto-Recap records for an entry without a comment.
pub(super) const UNNAMED: &str = "(unnamed)";
