//! Generated folders are what they say, and can be read.

use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;

use lorefork::host::{ChatView, Host};
use lorefork::json::Json;
use lorefork_sim::story::{Story, remembered, story};
use lorefork_sim::{Expectation, SimHost, check};

/// Everything a fork reads can be read.
#[expect(clippy::unwrap_used, reason = "a test, called by several")]
fn is_sound(story: &Story) {
    let host = SimHost::new(story.folder.clone());
    let flow = async {
        let chat = host.open(&story.parent).await.unwrap();
        assert_eq!(chat.len(), story.messages);
        assert_eq!(chat.check(0..chat.len()).unwrap(), None);
        let header = Json::parse(chat.header()).unwrap();
        let named = header.at(&["chat_metadata", "world_info"]).and_then(Json::str);
        assert_eq!(named.as_deref(), story.lorebook.as_deref());
        for scene in &story.scenes {
            assert!(chat.line(*scene).unwrap().contains("\"auto_recap_memory\""));
        }
        if let Some(name) = &story.lorebook {
            let book = host.lorebook(name).await.unwrap().unwrap();
            let entries = Json::parse(&book.text).unwrap().get("entries").unwrap().members();
            for entry in &entries {
                let uid = entry.value.get("uid").unwrap().integer().unwrap();
                assert!(entry.is(&uid.to_string()));
                let same = entries.iter().filter(|other| other.is(&uid.to_string())).count();
                assert_eq!(same, 1, "two entries {uid}");
            }
        }
        if let Some(sibling) = &story.sibling {
            host.open(sibling).await.unwrap();
        }
    };
    host.run(flow).returned().unwrap();
    let still = Expectation::fork(&story.parent, 0).recovered();
    assert_eq!(check(&story.folder, &story.folder, &still), Ok(()));
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(64) })]

    #[test]
    fn stories_are_sound(story in story()) {
        is_sound(&story);
        prop_assert_eq!(&Story::from_plan(story.plan.clone()).folder, &story.folder);
    }

    #[test]
    fn remembered_stories_can_be_forked(story in remembered()) {
        is_sound(&story);
        prop_assert!(story.lorebook.is_some() && !story.scenes.is_empty());
    }
}

/// What the generator promises really turns up.
#[test]
fn every_odd_thing_turns_up() {
    let mut runner = TestRunner::deterministic();
    let mut seen: Vec<&str> = vec![
        "\r\n",
        "\n\n",
        "\\ud83d",
        "1e5",
        "\"mes\":\"灯",
        "swipe_info",
        "\"allEntries\":[{",
        "\"allEntries\":[]",
        "entryNames",
        "exclude_count",
        "1763632438061",
        "1763632438068",
        "\\\"status\\\":\\\"pending\\\"",
        "_registry_character",
        "originalData",
        "main_chat",
        "\"title\":\"\",\"title\"",
        "Zweig",
        "group chats/Mira",
        "\"create_date\"",
        " ,  ",
    ];
    for _ in 0..300 {
        let story = story().new_tree(&mut runner).unwrap().current();
        let all: String = story
            .folder
            .files()
            .map(|(file, bytes)| format!("{file}{}", String::from_utf8_lossy(bytes)))
            .collect();
        seen.retain(|needle| !all.contains(needle));
    }
    assert!(seen.is_empty(), "never seen: {seen:?}");
}
