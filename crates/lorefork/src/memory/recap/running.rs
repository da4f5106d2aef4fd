//! The running recap: versions of the story so far, in the chat's metadata.

use crate::json::{Json, JsonError, quote, set};

/// A version of the running recap, as far as forks need it.
#[derive(Debug, Clone, PartialEq)]
pub struct Version {
    /// Numbers begin at 0, have holes, and may occur twice.
    pub number: Option<i64>,
    /// The newest scene it covers.
    pub scene: i64,
    /// How many scenes it tells of, if it says so.
    pub scene_count: Option<i64>,
    /// When it was made, as far as recorded.
    pub time: Option<f64>,
    /// JSON text of the content, quotes included.
    pub content: Option<String>,
}

impl Version {
    fn read(json: Json<'_>) -> Self {
        let number = |key: &str| json.get(key).and_then(Json::integer);
        Self {
            number: number("version"),
            scene: number("new_scene_index").unwrap_or(0),
            scene_count: number("scene_count"),
            time: json.get("timestamp").and_then(Json::number),
            content: json.some("content").map(|content| content.text().to_owned()),
        }
    }
}

/// The running recap of a chat.
#[derive(Debug, Clone, PartialEq)]
pub struct Running {
    /// The number of the version in use, which need not exist.
    pub current: Option<i64>,
    /// As they stand there, which need not be in the order of their numbers.
    pub versions: Vec<Version>,
}

impl Running {
    /// Reads the running recap out of the metadata where it is kept.
    pub fn read(storage: Json<'_>) -> Self {
        let versions = storage.get("versions").map(Json::items).unwrap_or_default();
        Self {
            current: storage.get("current_version").and_then(Json::integer),
            versions: versions.into_iter().map(Version::read).collect(),
        }
    }

    /// The version in use: the first that has the number (R-021).
    pub fn current(&self) -> Option<&Version> {
        self.versions
            .iter()
            .find(|version| version.number.is_some() && version.number == self.current)
    }
}

/// The running recap of a timeline that ends at message `last`: versions up to there, whose scene
/// still has the recap it had at that time, under the new timeline's name (R-064).
pub fn up_to(
    storage: Json<'_>,
    last: usize,
    is_told: impl Fn(usize, Option<f64>) -> bool,
    chat: &str,
) -> Result<String, JsonError> {
    let keeps = |version: &Version| {
        usize::try_from(version.scene)
            .is_ok_and(|scene| scene <= last && is_told(scene, version.time))
    };
    let items = storage.get("versions").map(Json::items).unwrap_or_default();
    let kept: Vec<(Json<'_>, Version)> = items
        .iter()
        .map(|item| (*item, Version::read(*item)))
        .filter(|(_, version)| keeps(version))
        .collect();

    let mut text = set(storage.text(), &["chat_id"], &quote(chat))?;
    if kept.len() < items.len() {
        let versions: Vec<&str> = kept.iter().map(|(item, _)| item.text()).collect();
        text = set(&text, &["versions"], &format!("[{}]", versions.join(",")))?;
    }
    let current = storage.get("current_version").and_then(Json::integer);
    if !kept.iter().any(|(_, version)| version.number.is_some() && version.number == current) {
        // One whose number nobody can read cannot be selected by it.
        let numbered = kept.iter().map(|(_, version)| version).filter(|v| v.number.is_some());
        let newest = numbered.max_by(|a, b| {
            (a.scene, a.number)
                .cmp(&(b.scene, b.number))
                .then(a.time.unwrap_or(0.0).total_cmp(&b.time.unwrap_or(0.0)))
        });
        let number = newest.and_then(|version| version.number).unwrap_or(0);
        if current != Some(number) {
            text = set(&text, &["current_version"], &number.to_string())?;
        }
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    const STORE: &str = r#"{"chat_id":"main","current_version":4,"versions":[{"version":3,"new_scene_index":28,"x":1.0},{"version":0,"new_scene_index":9},{"version":2,"timestamp":7,"new_scene_index":19},{"version":2,"timestamp":9,"new_scene_index":19},{"version":4,"new_scene_index":37}],"odd":1e5}"#;

    fn trimmed(last: usize, has_recap: impl Fn(usize) -> bool) -> String {
        up_to(Json::parse(STORE).unwrap(), last, |scene, _| has_recap(scene), "fork").unwrap()
    }

    #[test]
    fn r064_r157_versions_up_to_the_fork_point_and_no_further() {
        assert_eq!(trimmed(40, |_| true), STORE.replace("main", "fork"));
        let at28 = trimmed(28, |_| true);
        assert!(
            at28.contains(r#""current_version":3"#)
                && !at28.contains(r#""version":4"#)
                && at28.contains(r#""odd":1e5"#)
        );
        assert_eq!(Running::read(Json::parse(&trimmed(20, |_| true)).unwrap()).versions.len(), 3);
        assert!(trimmed(20, |_| true).contains(r#""current_version":2"#));
        assert!(trimmed(5, |_| true).contains(r#""current_version":0,"versions":[]"#));
    }

    #[test]
    fn a_version_whose_number_nobody_can_read_is_not_selected() {
        let store = r#"{"current_version":7,"versions":[{"version":1,"new_scene_index":2},{"version":-9223372036854775809,"new_scene_index":5}]}"#;
        let text = up_to(Json::parse(store).unwrap(), 9, |_, _| true, "fork").unwrap();
        assert!(text.contains(r#""current_version":1,"#), "{text}");
    }

    #[test]
    fn a_version_whose_scene_lost_its_recap_goes() {
        let text = trimmed(40, |scene| scene != 37);
        assert!(text.contains(r#""current_version":3"#) && !text.contains(r#""version":4"#));
    }

    #[test]
    fn r070_numbers_begin_at_zero_and_the_first_match_counts() {
        let running = Running::read(Json::parse(r#"{"current_version":0,"versions":[{"version":0,"content":"a"},{"version":0,"content":"b"}]}"#).unwrap());
        assert_eq!(running.current().unwrap().content.as_deref(), Some("\"a\""));
        assert_eq!(
            Running::read(Json::parse(r#"{"current_version":0,"versions":[]}"#).unwrap()).current(),
            None
        );
    }
}
