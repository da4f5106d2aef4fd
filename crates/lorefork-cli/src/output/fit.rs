//! Cutting text to fit a column.

use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

/// The beginning of a text that fits into `width` columns, cut between words if possible.
pub(crate) fn fit(text: &str, width: usize) -> String {
    if text.width() <= width {
        return text.to_owned();
    }
    let mut columns = 0;
    let fits = |c: &char| {
        columns += c.width().unwrap_or(0);
        columns < width
    };
    let cut: String = text.chars().take_while(fits).collect();
    let is_between_words = text[cut.len()..].starts_with(' ');
    let end = match cut.rfind(' ') {
        Some(space) if !is_between_words && space > cut.len() / 2 => space,
        _ => cut.len(),
    };
    format!("{}…", cut[..end].trim_end_matches([',', ' ']))
}

#[cfg(test)]
mod tests {
    use super::fit;

    #[test]
    fn text_is_cut_between_words() {
        assert_eq!(fit("Ship's cook, pulled off the rocks", 21), "Ship's cook, pulled…");
        assert_eq!(fit("Ship's cook, pulled off the rocks", 20), "Ship's cook, pulled…");
        assert_eq!(fit("Ship's cook, pulled off the rocks", 19), "Ship's cook…");
        assert_eq!(fit("Dead", 4), "Dead");
        assert_eq!(fit("abcdefgh", 5), "abcd…");
        assert_eq!(fit("宵待島の夜", 6), "宵待…");
    }
}
