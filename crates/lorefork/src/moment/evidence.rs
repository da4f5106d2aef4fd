//! Evidence: what is recorded about when a lorebook changed.

use crate::memory::running::Running;
use crate::memory::scene::Scene;

/// One recorded change of the lorebook: a scene that was recapped, or a version of the running
/// recap.
#[derive(Debug, Clone, PartialEq)]
pub struct Evidence {
    /// The message it belongs to.
    pub at: i64,
    /// When, first and last, in milliseconds, if recorded.
    pub first_time: Option<f64>,
    /// When it was, as far as recorded.
    pub time: Option<f64>,
    /// Tells one piece of evidence from another at the same message.
    what: String,
}

impl Evidence {
    /// What a scene proves; `None` if it was never recapped.
    pub fn of_scene(scene: &Scene) -> Option<Self> {
        scene.is_evidence.then(|| Self {
            at: i64::try_from(scene.at).unwrap_or(i64::MAX),
            first_time: scene.first_time,
            time: scene.time,
            what: scene.recap.clone().unwrap_or_default(),
        })
    }

    /// Something that cannot be read: it may be newer than anything.
    pub fn unknown() -> Self {
        Self { at: -1, first_time: None, time: None, what: "unreadable".to_owned() }
    }

    /// Whether it was copied from here, or to here.
    fn is_in(&self, here: &[Self]) -> bool {
        here.iter().any(|own| own.at == self.at && own.what == self.what)
    }

    /// What the versions of a running recap prove.
    pub fn of_running(running: &Running) -> Vec<Self> {
        let versions = running.versions.iter();
        versions
            .map(|version| Self {
                at: version.scene,
                first_time: version.time,
                time: version.time,
                what: version.content.clone().unwrap_or_default(),
            })
            .collect()
    }
}

/// Whether another timeline wrote to the lorebook later than anything recorded in `here`.
/// Evidence without a time is as new as it can be, unless it was copied from here.
pub fn is_newer(others: &[Evidence], here: &[Evidence]) -> bool {
    let newest = here.iter().filter_map(|evidence| evidence.time).reduce(f64::max);
    others.iter().any(|other| match (other.time, newest) {
        (Some(time), Some(newest)) => time > newest,
        _ => !other.is_in(here),
    })
}

/// Whether another timeline wrote to the lorebook at all, other than what it copied from here.
pub fn wrote_too(others: &[Evidence], here: &[Evidence]) -> bool {
    others.iter().any(|other| !other.is_in(here))
}

/// Whether it had by then. Evidence without a time says nothing about it.
pub fn wrote_before(others: &[Evidence], here: &[Evidence], then: f64) -> bool {
    others.iter().filter(|other| !other.is_in(here)).any(|other| {
        // A scene that both brought along, and that was recapped anew over there, counts from then.
        let is_same = |own: &Evidence| own.at == other.at && own.first_time == other.first_time;
        let since = if here.iter().any(is_same) { other.time } else { other.first_time };
        since.is_some_and(|since| since <= then)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn evidence(at: i64, time: Option<f64>, what: &str) -> Evidence {
        Evidence { at, first_time: time, time, what: what.into() }
    }

    #[test]
    fn copies_of_our_own_evidence_are_not_newer() {
        let here = [evidence(9, Some(5.0), "a"), evidence(19, Some(8.0), "b")];
        assert!(!is_newer(&here.clone(), &here));
        assert!(!is_newer(&[evidence(30, Some(7.0), "c")], &here));
        assert!(is_newer(&[evidence(12, Some(9.0), "c")], &here));
        assert!(is_newer(&[evidence(12, None, "c")], &here));
        assert!(!is_newer(&[evidence(9, None, "a")], &here));
        assert!(is_newer(&[evidence(12, Some(1.0), "c")], &[]));
        assert!(!is_newer(&[], &[]));
    }
}
