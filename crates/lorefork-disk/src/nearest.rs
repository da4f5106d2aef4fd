//! Which names a person may have meant.

/// More would fill the screen.
const MOST: usize = 10;

/// At most ten of the names, the ones nearest to `wanted` first.
pub(crate) fn nearest(wanted: &str, mut names: Vec<String>) -> Vec<String> {
    let wanted = wanted.to_lowercase();
    names.sort_by_cached_key(|name| (distance(&wanted, &name.to_lowercase()), name.clone()));
    names.truncate(MOST);
    names
}

/// Nothing if it is contained, else the less the more of its words are.
fn distance(wanted: &str, name: &str) -> usize {
    if name.contains(wanted) {
        return 0;
    }
    let words = wanted.split(|c: char| !c.is_alphanumeric());
    let found: usize = words.filter(|word| name.contains(word)).map(str::len).sum();
    usize::MAX - found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_contains_it_comes_first() {
        let names = ["Eve/Night", "Mia/A day out", "Mia/Day one", "Zoe/x", "Mia/Week"];
        let names: Vec<_> = names.map(String::from).into();
        assert_eq!(nearest("day", names.clone())[..2], ["Mia/A day out", "Mia/Day one"]);
        assert_eq!(nearest("Mia/Day two", names.clone())[0], "Mia/A day out");
        assert_eq!(nearest("Zoe y", names)[0], "Zoe/x");
        assert_eq!(nearest("x", (0..50).map(|n| n.to_string()).collect()).len(), MOST);
    }
}
