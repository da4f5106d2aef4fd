//! Which SillyTavern wrote a data folder.

use std::fmt;

/// A version such as `1.19.0`. What is not known counts as the version this
/// project was built against.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Version {
    /// The first number, which has been 1 for long.
    pub major: u32,
    /// The second, with which formats change.
    pub minor: u32,
    /// The third.
    pub patch: u32,
}

impl Version {
    /// The newest version whose behaviour we know.
    pub(crate) const NEWEST_KNOWN: Self = Self::new(1, 19, 0);

    /// A version by its three numbers.
    pub const fn new(major: u32, minor: u32, patch: u32) -> Self {
        Self { major, minor, patch }
    }

    /// Reads `1.19.0`, also with something behind it (`1.19.0-beta`,
    /// `1.19.0 'staging'`). `0.0.0` is what SillyTavern's page calls itself
    /// before it has asked the server, so it says nothing.
    pub fn parse(text: &str) -> Option<Self> {
        let mut numbers = text.trim().splitn(3, '.').map(leading_number);
        let major = numbers.next()??;
        let minor = numbers.next()??;
        let patch = numbers.next().flatten().unwrap_or(0);
        let version = Self::new(major, minor, patch);
        (version != Self::new(0, 0, 0)).then_some(version)
    }

    /// The version in `currentVersion` of `settings.json`.
    pub fn of_settings(current_version: Option<&str>) -> Self {
        current_version.and_then(Self::parse).unwrap_or_default()
    }

    /// 1.16 began to name forks after their parent and to count them.
    pub(crate) fn names_forks_after_parent(self) -> bool {
        self >= Self::new(1, 16, 0)
    }
}

impl Default for Version {
    fn default() -> Self {
        Self::NEWEST_KNOWN
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.major, self.minor, self.patch)
    }
}

fn leading_number(text: &str) -> Option<u32> {
    let digits = text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    text[..digits].parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_versions() {
        assert_eq!(Version::parse("1.19.0"), Some(Version::new(1, 19, 0)));
        assert_eq!(Version::parse(" 1.12.14 "), Some(Version::new(1, 12, 14)));
        assert_eq!(Version::parse("1.13.0-preview"), Some(Version::new(1, 13, 0)));
        assert_eq!(Version::parse("1.16"), Some(Version::new(1, 16, 0)));
        for bad in ["", "UNKNOWN", "v1.19.0", "1", "1.x", "0.0.0", "99999999999.1.1"] {
            assert_eq!(Version::parse(bad), None, "{bad:?}");
        }
    }

    #[test]
    fn unknown_counts_as_the_newest_known() {
        assert_eq!(Version::of_settings(None), Version::NEWEST_KNOWN);
        assert_eq!(Version::of_settings(Some("0.0.0")), Version::NEWEST_KNOWN);
        assert_eq!(Version::of_settings(Some("1.14.0")).to_string(), "1.14.0");
    }

    #[test]
    fn naming_changed_with_1_16() {
        for (text, after) in [
            ("1.12.14", false),
            ("1.14.0", false),
            ("1.15.0", false),
            ("1.16.0", true),
            ("1.19.0", true),
            ("2.0.0", true),
        ] {
            assert_eq!(
                Version::of_settings(Some(text)).names_forks_after_parent(),
                after,
                "{text}"
            );
        }
    }
}
