//! B of the requirements: what is asked of a fork point, all of it collected.

use lorefork::error::report::Policy;
use lorefork::fork::suggest;
use lorefork::tavern::card::Card;
use lorefork::tavern::names::Kind;
use lorefork_sim::{SimHost, header};

use crate::requirements::story::*;

fn with_queue(operations: &str) -> lorefork_sim::Folder {
    let mut entries = live_entries();
    entries.pop();
    entries.push((QUEUE, queue_entry(operations)));
    folder().with_lorebook(BOOK, &entries)
}

#[test]
fn r013_a_message_that_is_not_there() {
    let report = report(folder(), &request(Kind::Checkpoint, 11));
    assert_eq!(
        (report.valid, codes(&report.errors)),
        (false, vec!["MESSAGE_NOT_FOUND".to_owned()])
    );
    assert!(
        report.errors[0].message.to_string().contains("0 to 10"),
        "{}",
        report.errors[0].message
    );
}

#[test]
fn r014_r015_r030_waiting_work_blocks_and_is_listed() {
    for status in ["pending", "in_progress", "retrying"] {
        let folder = with_queue(&format!(
            r#"{{"type":"merge_lorebook_entry","status":"{status}","metadata":{{"entry_comment":"character-Dragon"}}}}"#
        ));
        let report = report(folder.clone(), &request(Kind::Branch, 10));
        assert_eq!(codes(&report.errors), ["QUEUE_NOT_EMPTY"]);
        assert!(!report.state.queue_empty);
        let details: serde_json::Value =
            serde_json::from_str(report.errors[0].details.as_deref().unwrap()).unwrap();
        assert_eq!(details["count"], 1);
        assert_eq!(details["operations"][0]["target"], "character-Dragon");
        let forked = fork(folder.clone(), &request(Kind::Branch, 10));
        assert!(forked.result.is_err() && forked.host.folder() == folder);
    }
    let harmless =
        with_queue(r#"{"status":"failed"},{"status":"cancelled"},{"status":"completed"}"#);
    assert!(report(harmless, &request(Kind::Branch, 10)).valid);
}

#[test]
fn r098_r128_r130_r150_without_the_waiting_work_the_parent_keeps_it() {
    let busy = with_queue(r#"{"type":"x","status":"pending","params":{"index":9}}"#);
    let mut request = request(Kind::Branch, 10);
    request.drop_queue = true;
    let forked = fork(busy.clone(), &request);
    let (_, _, content) =
        forked.lore().into_iter().find(|(_, name, _)| name == "__operation_queue").unwrap();
    assert_eq!(content, "{\n  \"queue\": [],\n  \"version\": 1\n}");
    assert_eq!(forked.text("worlds/Lore.json"), busy.text("worlds/Lore.json").unwrap());
}

#[test]
fn a_queue_that_cannot_be_read_is_not_taken_for_empty() {
    let mut entries = live_entries();
    entries.pop();
    entries.push((QUEUE, lorefork_sim::entry(7, "__operation_queue", "garbage")));
    let report = report(folder().with_lorebook(BOOK, &entries), &request(Kind::Branch, 10));
    assert_eq!(codes(&report.errors), ["QUEUE_UNREADABLE"]);
}

#[test]
fn r016_r017_r018_r019_r020_warn_by_default_and_block_when_strict() {
    // Scene 8 lost its recap's place in the running recap, and message 9 ends no scene.
    let metadata = METADATA.replace(r#","new_scene_index":8}"#, r#","new_scene_index":5}"#);
    let mut strict = request(Kind::Checkpoint, 9);
    let standard = report(folder_with(&metadata), &strict);
    assert!(standard.valid);
    assert_eq!(
        codes(&standard.warnings),
        ["NO_SCENE_BREAK", "NOT_IN_RUNNING_RECAP", "NOT_REWOUND"]
    );
    strict.policy = Policy::Strict;
    let refused = report(folder_with(&metadata), &strict);
    assert_eq!(codes(&refused.errors), ["NO_SCENE_BREAK", "NOT_IN_RUNNING_RECAP"]);
    assert_eq!(report(folder(), &Request8::strict()).errors, []);
}

struct Request8;

impl Request8 {
    /// A finished scene, asked for strictly.
    fn strict() -> lorefork::fork::Request {
        let mut request = request(Kind::Checkpoint, 8);
        request.policy = Policy::Strict;
        request
    }
}

#[test]
fn r017_r018_r019_each_missing_part_has_its_code() {
    let without = |from: &str, to: &str| {
        let lines: Vec<String> = messages().iter().map(|line| line.replace(from, to)).collect();
        let folder = folder().with_chat(&main_chat(), &header(METADATA), &lines);
        codes(&report(folder, &Request8::strict()).errors)
    };
    assert_eq!(
        without(r#""scene_recap_memory":"recap 2""#, r#""scene_recap_memory":"  ""#),
        ["NO_SCENE_RECAP"]
    );
    assert!(without(r#""timestamp":3000,"endIdx":8,"chatLorebookName":"Lore","created_entry_uids":["1","4"],"allEntries":"#, r#""old":"#).contains(&"SCENE_WITHOUT_SNAPSHOT".to_owned()));
    let no_running = METADATA.replace("auto_recap_running_scene_recaps", "other");
    assert_eq!(
        codes(&report(folder_with(&no_running), &Request8::strict()).errors),
        ["NO_RUNNING_RECAP"]
    );
}

#[test]
fn r016_a_hidden_break_does_not_end_a_scene() {
    let lines: Vec<String> = messages()
        .iter()
        .map(|line| {
            line.replace(
                r#""scene_break":true,"scene_break_name":"Scene 2""#,
                r#""scene_break":true,"scene_break_visible":false"#,
            )
        })
        .collect();
    let folder = folder().with_chat(&main_chat(), &header(METADATA), &lines);
    assert!(!report(folder, &request(Kind::Checkpoint, 8)).state.has_scene_break);
}

#[test]
fn r021_the_current_version_is_found_by_its_number() {
    let metadata = METADATA.replace(r#""current_version":2"#, r#""current_version":7"#);
    assert!(!report(folder_with(&metadata), &request(Kind::Checkpoint, 8)).state.has_running_recap);
}

#[test]
fn r022_r023_r024_r025_all_errors_at_once_each_with_what_to_do() {
    let host = SimHost::new(with_queue(r#"{"type":"x","status":"pending"}"#));
    host.set_generating(true);
    let mut strict = request(Kind::Checkpoint, 1);
    strict.policy = Policy::Strict;
    let report = report_on(&host, &strict);
    assert_eq!(
        codes(&report.errors),
        ["GENERATING", "QUEUE_NOT_EMPTY", "NO_SCENE_BREAK", "NO_RUNNING_RECAP"]
    );
    assert!(
        report
            .errors
            .iter()
            .all(|finding| !finding.message.says.is_empty() && finding.action.is_some())
    );
    let json = serde_json::from_str::<serde_json::Value>(&report.json().done()).unwrap();
    assert_eq!(json["valid"], false);
    assert_eq!(
        json["state"],
        serde_json::json!({ "queueEmpty": false, "hasSceneBreak": false, "hasSceneRecap": false, "hasRunningRecap": false, "messageIndex": 1 })
    );
    assert_eq!(json["errors"][1]["code"], "QUEUE_NOT_EMPTY");
}

#[test]
fn r027_branches_pass_the_same_validation() {
    let folder = with_queue(r#"{"status":"pending"}"#);
    for kind in [Kind::Checkpoint, Kind::Branch] {
        assert_eq!(codes(&report(folder.clone(), &request(kind, 10)).errors), ["QUEUE_NOT_EMPTY"]);
    }
}

#[test]
fn a_chat_without_memory_data_has_no_recap_requirements() {
    let plain: Vec<String> =
        (0..3).map(|i| lorefork_sim::message("Mira", &format!("{i}"), "{}")).collect();
    let folder = folder().with_chat(&main_chat(), &header(r#"{"world_info":"Lore"}"#), &plain);
    let mut strict = request(Kind::Checkpoint, 2);
    strict.policy = Policy::Strict;
    let report = report(folder, &strict);
    assert!(report.valid && report.warnings.is_empty(), "{report:?}");
}

#[test]
fn trap10_a_lorebook_that_also_acts_elsewhere_is_said_before() {
    let mut global = folder();
    global.put(
        "settings.json",
        r#"{"world_info_settings":{"world_info":{"globalSelect":["Lore"]}}}"#,
    );
    assert!(
        codes(&report(global, &request(Kind::Branch, 10)).warnings)
            .contains(&"LOREBOOK_ALSO_GLOBAL".to_owned())
    );
    let card = Card { name: "Mira".into(), chat: None, lorebook: Some(BOOK.into()) };
    let host = SimHost::new(folder()).with_card("Mira", card);
    assert!(
        codes(&report_on(&host, &request(Kind::Branch, 10)).warnings)
            .contains(&"LOREBOOK_ALSO_GLOBAL".to_owned())
    );
    assert!(
        !codes(&report(folder(), &request(Kind::Branch, 10)).warnings)
            .contains(&"LOREBOOK_ALSO_GLOBAL".to_owned())
    );
}

#[test]
fn group_chats_of_114_are_refused_with_how_to_migrate() {
    let mut request = request(Kind::Branch, 0);
    request.chat = lorefork::tavern::place::ChatRef::new(
        lorefork::tavern::place::Owner::Group("7".into()),
        "Crew 1",
    );
    let mut old = lorefork_sim::Folder::new().with_group("7", &["Crew 1"]);
    old.put(request.chat.file(), messages().join("\n"));
    let error = fork(old, &request).result.unwrap_err();
    assert_eq!(error.code.to_string(), "GROUP_TOO_OLD");
    assert!(error.hint.as_ref().unwrap().to_string().contains("1.16"));
    let mut metadata = lorefork_sim::Folder::new();
    metadata.put("groups/7.json", r#"{"chats":["Crew 1"],"past_metadata":{}}"#);
    metadata.put(request.chat.file(), format!("{}\n{}", header("{}"), messages()[0]));
    assert_eq!(fork(metadata, &request).result.unwrap_err().code.to_string(), "GROUP_TOO_OLD");
}

/// Before a name is asked for: whoever names a checkpoint gets it.
#[test]
fn a_name_is_not_suggested_for_what_would_be_refused() {
    let waiting = with_queue(r#"{"type":"x","status":"pending"}"#);
    for (folder, code) in [(folder(), None), (waiting, Some("QUEUE_NOT_EMPTY"))] {
        let host = SimHost::new(folder);
        let suggested = host.run(suggest(&host, &request(Kind::Checkpoint, 10)));
        let refused = suggested.returned().unwrap().err().map(|error| error.code.word());
        assert_eq!(refused, code);
    }
}
