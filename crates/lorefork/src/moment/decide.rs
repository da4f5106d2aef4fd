//! Which lorebook belongs to a message: the table of the design.

use super::evidence::{Evidence, is_newer, wrote_before, wrote_too};
use super::{LoreChoice, Moment, Quality, Source};
use crate::memory::entries::is_registry;
use crate::memory::ranges::{self, Told};
use crate::memory::running::Running;
use crate::memory::scene::{Completeness, Scene};
use crate::say;
use crate::sentence::Sentence;
use crate::tavern::lorebook::Lorebook;

/// All that decides.
#[derive(Debug, Clone, Copy)]
pub struct Facts<'f> {
    /// The fork point N.
    pub at: usize,
    /// Whether N is the chat's last message.
    pub is_last: bool,
    /// Whether the chat names a lorebook at all.
    pub has_lorebook: bool,
    /// That lorebook as it is now; `None` if the file is gone.
    pub live: Option<&'f Lorebook<'f>>,
    /// Scenes up to N, as the new timeline will hold them.
    pub scenes: &'f [Scene],
    /// The chat's running recap, if it has one.
    pub running: Option<&'f Running>,
    /// Whether a message after N holds evidence, or is damaged so that nobody knows.
    pub evidence_after: bool,
    /// When the next scene after N was first recapped, if known.
    pub recapped_after: Option<f64>,
    /// Evidence of all other timelines that name the lorebook.
    pub others: &'f [Evidence],
    /// Whether there are such timelines.
    pub is_named_elsewhere: bool,
    /// Chats whose memories are this one's: itself, and its parent as far as it tells the same.
    pub chats: &'f [Told],
    /// The message at which an untouched checkpoint of ours was made.
    pub checkpoint: Option<usize>,
    /// What the film of the lorebook says, if it was asked.
    pub film: Option<&'f Moment>,
}

/// There is nothing to rewind to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NoSnapshot;

impl Facts<'_> {
    /// Whether another timeline has written to what this moment takes, too: to the lorebook as it
    /// is, or as a snapshot shows it.
    pub fn others_wrote_too(&self, moment: &Moment) -> bool {
        let taken = moment.snapshot.as_ref().and_then(|snapshot| snapshot.taken);
        match moment.source {
            Source::Live => wrote_too(self.others, &self.here()),
            _ => taken.is_some_and(|taken| wrote_before(self.others, &self.here(), taken)),
        }
    }

    fn here(&self) -> Vec<Evidence> {
        let at = i64::try_from(self.at).unwrap_or(i64::MAX);
        let running = self.running.map(Evidence::of_running).unwrap_or_default();
        let all = self.scenes.iter().filter_map(Evidence::of_scene).chain(running);
        all.filter(|evidence| evidence.at <= at).collect()
    }

    /// When a scene after the one at `at` was first recapped. From then on the lorebook knew it.
    fn recapped_after_scene(&self, at: usize) -> Option<f64> {
        let later = self.scenes.iter().filter(|scene| scene.at > at && scene.is_evidence);
        later.filter_map(|scene| scene.first_time).chain(self.recapped_after).reduce(f64::min)
    }

    /// Whether Auto-Recap recorded that the lorebook changed after N, here or elsewhere.
    fn recap_knows_later(&self, here: &[Evidence]) -> bool {
        let at = i64::try_from(self.at).unwrap_or(i64::MAX);
        self.evidence_after
            || self
                .running
                .is_some_and(|running| running.versions.iter().any(|version| version.scene > at))
            || is_newer(self.others, here)
    }
}

/// Decides for what the user chose.
pub fn decide(facts: &Facts<'_>, choice: LoreChoice) -> Result<Moment, NoSnapshot> {
    if !facts.has_lorebook {
        return Ok(Moment::plain(Source::None, Quality::None));
    }
    match choice {
        LoreChoice::Share => return Ok(Moment::plain(Source::Shared, Quality::Shared)),
        LoreChoice::Empty => return Ok(Moment::plain(Source::Empty, Quality::Empty)),
        LoreChoice::Auto | LoreChoice::Snapshot | LoreChoice::Live => {}
    }
    // It was asked only by who wants what it tells; one of ours at just this message may know more.
    if let Some(film) = facts.film.filter(|_| facts.checkpoint.is_none()) {
        return Ok(film.clone());
    }
    if choice == LoreChoice::Snapshot || facts.film.is_some() {
        return snapshot(facts);
    }
    let Some(live) = facts.live else { return Err(NoSnapshot) };
    let here = facts.here();
    let is_later = facts.recap_knows_later(&here);
    // Nothing is later than the last message, unless it is of somebody else.
    let is_all = facts.is_last && !facts.is_named_elsewhere;
    let memories_later = !is_all && ranges::knows_beyond(live, facts.chats, facts.at);
    let belongs = !is_later && !memories_later;

    if belongs && (!here.is_empty() || is_all) {
        return Ok(Moment::plain(Source::Live, Quality::Exact));
    }
    // Where both extensions wrote to one book, only a snapshot rewinds what Auto-Recap wrote.
    if choice == LoreChoice::Auto && !is_later && ranges::has_ranges(live, facts.chats) {
        return Ok(Moment::plain(Source::Live, Quality::Ranged));
    }
    if belongs {
        return Ok(Moment::plain(Source::Live, Quality::Current));
    }
    if choice == LoreChoice::Live {
        return Ok(Moment::plain(Source::Live, Quality::Future));
    }
    snapshot(facts)
}

/// The newest snapshot at or before N.
fn snapshot(facts: &Facts<'_>) -> Result<Moment, NoSnapshot> {
    let scene = facts.scenes.iter().rev().find_map(|scene| Some((scene, scene.snapshot.as_ref()?)));
    let checkpoint = facts.checkpoint;
    let recapped =
        facts.scenes.iter().rev().find(|scene| scene.recap.is_some()).map(|scene| scene.at);

    // A checkpoint holds the whole book, so it is preferred at the same message.
    let mut lacks: Vec<Sentence> = Vec::new();
    let (from, snapshot) = match (scene, checkpoint) {
        (Some((scene, _)), Some(checkpoint)) if checkpoint >= scene.at => (checkpoint, None),
        (None, Some(checkpoint)) => (checkpoint, None),
        (Some((scene, best)), _) => {
            let next = facts.recapped_after_scene(scene.at);
            let mut versions = std::iter::once(best).chain(&scene.other_snapshots);
            let in_time = versions.find(|snapshot| !snapshot.is_after(next));
            if in_time.is_none() {
                lacks.push(say!(
                    "the snapshot was taken after later scenes were recapped, so it may know them"
                ));
            }
            let snapshot = in_time.unwrap_or(best);
            let registries = facts
                .live
                .is_some_and(|live| live.entries.iter().any(|entry| is_registry(&entry.comment())));
            lacks.extend(lack(snapshot.completeness(registries)));
            (scene.at, Some(snapshot.clone()))
        }
        (None, None) => return Err(NoSnapshot),
    };
    if let Some(newest) = recapped.filter(|newest| *newest > from) {
        lacks.push(say!(
            "the scene that ends at message {0} has no snapshot, so what it added is missing",
            &newest,
        ));
    }
    let quality = if lacks.is_empty() { Quality::Snapshot } else { Quality::Partial };
    Ok(Moment {
        source: Source::Snapshot,
        quality,
        from: Some(from),
        checkpoint: snapshot.is_none().then_some(from),
        is_filmed: false,
        snapshot,
        lacks,
    })
}

fn lack(completeness: Completeness) -> Option<Sentence> {
    match completeness {
        Completeness::Complete => None,
        Completeness::Early => Some(say!(
            "the snapshot is in an early format that may lack the entries of its own scene"
        )),
        Completeness::OwnEntriesOnly => {
            Some(say!("the snapshot holds only the entries of its own scene"))
        }
        Completeness::NoRegistries => {
            Some(say!("the snapshot lacks the registries that the lorebook has"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::running::Version;
    use crate::memory::scene;

    fn scene(at: usize, time: u64, entries: &str) -> Scene {
        let line = format!(
            r#"{{"extra":{{"auto_recap_memory":{{"scene_break":true,"scene_recap_memory":"r{at}","scene_recap_metadata":{{"0":{{"timestamp":{time},"created_entry_uids":[],"allEntries":{entries}}}}}}}}}}}"#
        );
        scene::read(at, &line).unwrap().unwrap()
    }

    const FULL: &str = r#"[{"uid":0,"comment":"_registry_item"}]"#;
    const BOOK: &str = r#"{"entries":{"0":{"uid":0,"comment":"_registry_item"}}}"#;

    struct Case {
        at: usize,
        is_last: bool,
        book: &'static str,
        scenes: Vec<Scene>,
        running: Option<Running>,
        evidence_after: bool,
        others: Vec<Evidence>,
        elsewhere: bool,
        checkpoint: Option<usize>,
    }

    impl Default for Case {
        fn default() -> Self {
            Self {
                at: 20,
                is_last: false,
                book: BOOK,
                scenes: vec![],
                running: None,
                evidence_after: false,
                others: vec![],
                elsewhere: false,
                checkpoint: None,
            }
        }
    }

    impl Case {
        fn decide(&self, choice: LoreChoice) -> Result<Moment, NoSnapshot> {
            let live = Lorebook::read(self.book).unwrap();
            let chats = [Told::own("main")];
            decide(
                &Facts {
                    at: self.at,
                    is_last: self.is_last,
                    has_lorebook: true,
                    live: Some(&live),
                    scenes: &self.scenes,
                    running: self.running.as_ref(),
                    evidence_after: self.evidence_after,
                    recapped_after: None,
                    others: &self.others,
                    is_named_elsewhere: self.elsewhere,
                    chats: &chats,
                    checkpoint: self.checkpoint,
                    film: None,
                },
                choice,
            )
        }

        fn quality(&self) -> Quality {
            self.decide(LoreChoice::Auto).unwrap().quality
        }
    }

    #[test]
    fn r047_live_belongs_when_nothing_later_is_recorded() {
        let scenes = vec![scene(9, 5, FULL)];
        assert_eq!(Case { scenes: scenes.clone(), ..Case::default() }.quality(), Quality::Exact);
        assert_eq!(Case { is_last: true, ..Case::default() }.quality(), Quality::Exact);
        assert_eq!(Case::default().quality(), Quality::Current);
        // Somebody else may have written to it, and nothing would tell.
        assert_eq!(
            Case { is_last: true, elsewhere: true, ..Case::default() }.quality(),
            Quality::Current
        );
        // With evidence here, another timeline's older evidence is harmless.
        let others = vec![Evidence::of_scene(&scene(9, 5, FULL)).unwrap()];
        assert_eq!(
            Case { scenes, others, elsewhere: true, ..Case::default() }.quality(),
            Quality::Exact
        );
    }

    #[test]
    fn r047_the_past_comes_from_a_snapshot() {
        let scenes = vec![scene(9, 5, FULL), scene(19, 6, FULL)];
        let after = Case { scenes: scenes.clone(), evidence_after: true, ..Case::default() };
        let moment = after.decide(LoreChoice::Auto).unwrap();
        assert_eq!((moment.quality, moment.from), (Quality::Snapshot, Some(19)));
        let others = vec![Evidence::of_scene(&scene(25, 9, FULL)).unwrap()];
        assert_eq!(
            Case { scenes: scenes.clone(), others, elsewhere: true, ..Case::default() }.quality(),
            Quality::Snapshot
        );
        // A running recap that covers a message this timeline does not have.
        let version =
            Version { number: Some(4), scene: 37, scene_count: None, time: None, content: None };
        let running = Running { chat: None, current: Some(4), versions: vec![version] };
        assert_eq!(
            Case { scenes, is_last: true, running: Some(running), ..Case::default() }.quality(),
            Quality::Snapshot
        );
    }

    #[test]
    fn n5_what_a_snapshot_lacks_is_said() {
        let empty_newest = Case {
            scenes: vec![scene(9, 5, FULL), scene(19, 6, "[]")],
            evidence_after: true,
            ..Case::default()
        };
        let moment = empty_newest.decide(LoreChoice::Auto).unwrap();
        assert_eq!((moment.quality, moment.from), (Quality::Partial, Some(9)));
        assert!(moment.lacks[0].to_string().contains("message 19"));
        let bare = Case {
            scenes: vec![scene(9, 5, r#"[{"uid":3}]"#)],
            evidence_after: true,
            ..Case::default()
        };
        assert_eq!(bare.quality(), Quality::Partial);
    }

    #[test]
    fn r049_no_snapshot_is_refused_and_the_user_may_choose() {
        let case = Case { evidence_after: true, ..Case::default() };
        assert_eq!(case.decide(LoreChoice::Auto), Err(NoSnapshot));
        assert_eq!(case.decide(LoreChoice::Live).unwrap().quality, Quality::Future);
        assert_eq!(case.decide(LoreChoice::Empty).unwrap().quality, Quality::Empty);
        assert_eq!(case.decide(LoreChoice::Share).unwrap().source, Source::Shared);
        assert_eq!(case.decide(LoreChoice::Snapshot), Err(NoSnapshot));
    }

    #[test]
    fn an_untouched_checkpoint_is_a_snapshot_too() {
        let case = Case {
            evidence_after: true,
            checkpoint: Some(12),
            scenes: vec![scene(9, 5, FULL)],
            ..Case::default()
        };
        let moment = case.decide(LoreChoice::Auto).unwrap();
        assert_eq!(
            (moment.quality, moment.from, moment.checkpoint),
            (Quality::Snapshot, Some(12), Some(12))
        );
        let older = Case {
            evidence_after: true,
            checkpoint: Some(5),
            scenes: vec![scene(9, 5, FULL)],
            ..Case::default()
        };
        assert_eq!(older.decide(LoreChoice::Auto).unwrap().checkpoint, None);
    }

    #[test]
    fn memories_with_ranges_make_a_live_book_rewindable() {
        const RANGED: &str = r#"{"entries":{"1":{"uid":1,"stmemorybooks":true,"STMB_start":0,"STMB_end":30,"STMB_chatId":"main"}}}"#;
        assert_eq!(Case { book: RANGED, ..Case::default() }.quality(), Quality::Ranged);
        assert_eq!(
            Case { book: RANGED, at: 30, is_last: true, ..Case::default() }.quality(),
            Quality::Exact
        );
        assert_eq!(
            Case { book: RANGED, evidence_after: true, ..Case::default() }.decide(LoreChoice::Auto),
            Err(NoSnapshot)
        );
        // Asked for, it is as it is now, whole.
        let live = Case { book: RANGED, ..Case::default() }.decide(LoreChoice::Live).unwrap();
        assert_eq!(live.quality, Quality::Future);
    }
}
