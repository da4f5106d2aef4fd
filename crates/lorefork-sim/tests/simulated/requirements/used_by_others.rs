//! A lorebook that anything besides the timeline uses stays as it is when the timeline goes back.

use lorefork::fork::rewind::{Rewound, rewind};
use lorefork::moment::LoreChoice;
use lorefork::tavern::card::Card;
use lorefork::tavern::place::lorebook_file;
use lorefork_sim::{Folder, SimHost, header};

use crate::requirements::story::*;

fn rewound(host: &SimHost) -> Rewound {
    host.run(rewind(host, &main_chat(), 6, LoreChoice::Auto)).returned().unwrap().unwrap()
}

fn book(host: &SimHost) -> String {
    host.folder().text(&lorebook_file(BOOK)).unwrap().to_owned()
}

fn stays_for_others(host: &SimHost) {
    let before = book(host);
    let done = rewound(host);
    assert!(!done.plan.is_in_place());
    assert!(
        codes(&done.plan.report.warnings).contains(&"NAMED_ELSEWHERE".to_owned()),
        "it is said"
    );
    assert_eq!(book(host), before, "what others use stays");
    let own = lorebook_file(&done.plan.lorebook.name);
    let keys: Vec<String> =
        lore(host.folder().text(&own).unwrap()).into_iter().map(|(key, _, _)| key).collect();
    assert_eq!(keys, ["0", "1", QUEUE], "its own is that of the message");
}

fn with_settings(settings: &str) -> Folder {
    let mut folder = folder();
    folder.put("settings.json", settings);
    folder
}

#[test]
fn a_lorebook_of_its_own_is_rewound_in_place() {
    let host = SimHost::new(folder());
    assert!(rewound(&host).plan.is_in_place());
    assert!(!book(&host).contains("buried"));
}

#[test]
fn one_that_memorybooks_binds_to_another_chat_stays() {
    let metadata = r#"{"integrity":"other","STMemoryBooks":{"manualLorebook":"Lore"}}"#;
    let bound =
        folder().with_chat(&main_chat().sibling("Bound"), &header(metadata), &messages()[..2]);
    stays_for_others(&SimHost::new(bound));
}

#[test]
fn a_global_one_stays() {
    stays_for_others(&SimHost::new(with_settings(
        r#"{"currentVersion":"1.19.0","world_info_settings":{"world_info":{"globalSelect":["Lore"]}}}"#,
    )));
}

#[test]
fn that_of_a_character_stays() {
    let card = Card { name: "Mira".into(), chat: None, lorebook: Some(BOOK.to_owned()) };
    stays_for_others(&SimHost::new(folder()).with_card("Mira", card));
}
