//! Auto-Recap's data: scenes with snapshots, and the running recap.

use proptest::prelude::*;

use super::Plan;
use super::words::text;

/// Which version of Auto-Recap wrote a scene's data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Era {
    /// A break without a recap.
    Unrecapped,
    /// Recapped by hand: an empty snapshot with a positive count.
    Hollow,
    /// No snapshot at all, only the activated entries.
    A,
    /// A snapshot, but without a list of what was created.
    B,
    /// As it is today.
    D,
}

#[derive(Debug, Clone)]
pub struct ScenePlan {
    pub era: Era,
    pub is_visible: bool,
    /// A first version that only holds stage 1, as is normal.
    pub has_placeholder: bool,
    /// The data stands in a swipe that is not shown.
    pub in_swipe: bool,
}

/// A version of the running recap.
#[derive(Debug, Clone)]
pub struct VersionPlan {
    pub number: usize,
    /// Which scene it ends with; beyond the last, it speaks of a scene that was deleted.
    pub scene: usize,
    pub words: usize,
}

impl ScenePlan {
    pub fn plain() -> Self {
        Self { era: Era::D, is_visible: true, has_placeholder: true, in_swipe: false }
    }
}

pub(super) fn scene() -> impl Strategy<Value = ScenePlan> {
    let era = prop_oneof![
        1 => Just(Era::Unrecapped),
        1 => Just(Era::Hollow),
        1 => Just(Era::A),
        1 => Just(Era::B),
        6 => Just(Era::D),
    ];
    (era, any::<bool>(), any::<bool>(), prop::bool::weighted(0.1)).prop_map(
        |(era, is_visible, has_placeholder, in_swipe)| ScenePlan {
            era,
            is_visible,
            has_placeholder,
            in_swipe,
        },
    )
}

/// Numbers are drawn from few, so that there are holes, duplicates and every order.
pub(super) fn version() -> impl Strategy<Value = VersionPlan> {
    (0usize..6, 0usize..6, 0usize..64).prop_map(|(number, scene, words)| VersionPlan {
        number,
        scene,
        words,
    })
}

/// `auto_recap_memory` of the `nth` scene.
pub(super) fn memory(plan: &Plan, nth: usize, lorebook: Option<&str>) -> String {
    let (at, scene) = &plan.scenes[nth];
    let visible = scene.is_visible;
    if scene.era == Era::Unrecapped {
        return format!(
            r#"{{"scene_break":true,"scene_break_visible":{visible},"scene_recap_versions":[""]}}"#
        );
    }
    let recap =
        r#"{\"scene_name\":\"Dock\",\"stage4\":{\"entities\":[{\"name\":\"N\",\"uid\":\"2\"}]}}"#;
    let (key, versions) = if scene.has_placeholder {
        (1, format!(r#""{{\"stage1\":{{}}}}","{recap}""#))
    } else {
        (0, format!("\"{recap}\""))
    };
    let metadata = snapshot(plan, nth, *at, lorebook);
    format!(
        r#"{{"scene_break":true,"scene_break_visible":{visible},"scene_break_name":"Dock {nth}","scene_recap_versions":[{versions}],"scene_recap_current_index":{key},"scene_recap_memory":"{recap}","scene_recap_hash":"1x2y3z","scene_recap_metadata":{{"{key}":{metadata}}},"auto_scene_break_checked":true}}"#
    )
}

fn snapshot(plan: &Plan, nth: usize, at: usize, lorebook: Option<&str>) -> String {
    let (_, scene) = &plan.scenes[nth];
    let time = time_of(nth);
    let start = nth.checked_sub(1).map_or(0, |previous| plan.scenes[previous].0 + 1);
    let (Some(name), Some(book)) = (lorebook, &plan.book) else {
        return format!(r#"{{"timestamp":{time},"startIdx":{start},"endIdx":{at}}}"#);
    };
    let head = format!(
        r#""timestamp":{time},"startIdx":{start},"endIdx":{at},"totalActivatedEntries":2,"chatLorebookName":"{name}""#
    );
    let active = format!(
        r#"[{{"uid":2,"world":"{name}","content":"<setting_lore uid=\"2\">…</setting_lore>"}}]"#
    );
    let all = book.snapshot(nth, name);
    match scene.era {
        Era::Unrecapped | Era::Hollow => format!(r#"{{{head},"allEntries":[],"entries":[]}}"#),
        Era::A => format!(r#"{{{head},"entries":{active},"entryNames":["N2"]}}"#),
        Era::B => format!(r#"{{{head},"entries":{active},"allEntries":{all}}}"#),
        Era::D => format!(
            r#"{{{head},"created_entry_uids":["2"],"combined_at":{time},"entries":{active},"allEntries":{all}}}"#
        ),
    }
}

fn time_of(nth: usize) -> usize {
    1_794_000_000_000 + nth * 100_000
}

/// The running recap, as a member of the metadata.
pub(super) fn running(plan: &Plan, chat: &str) -> Option<String> {
    if plan.scenes.is_empty() {
        return None;
    }
    let versions: Vec<String> = plan.versions.iter().map(|version| version.text(plan)).collect();
    let current = plan.versions.last().map_or(0, |version| version.number);
    Some(format!(
        r#""auto_recap_running_scene_recaps":{{"chat_id":"{chat}","current_version":{current},"versions":[{}]}}"#,
        versions.join(",")
    ))
}

impl VersionPlan {
    fn text(&self, plan: &Plan) -> String {
        let place = plan.scenes.get(self.scene).map_or(plan.messages.len() + 3, |(at, _)| *at);
        let (number, words) = (self.number, text(self.words));
        let time = time_of(self.scene) + 50_000 + number;
        // Versions edited by hand spell one key differently and lack another.
        let tail = if self.words.is_multiple_of(3) {
            r#""exclude_count":1"#
        } else {
            r#""excluded_count":1,"event_keys":[]"#
        };
        format!(
            r#"{{"version":{number},"timestamp":{time},"content":"{words}","scene_count":1,"prev_scene_index":0,"new_scene_index":{place},{tail}}}"#
        )
    }
}
