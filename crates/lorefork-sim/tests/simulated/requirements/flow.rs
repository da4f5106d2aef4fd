//! I, J and N of the requirements: order, links, naming, one at a time.

use lorefork::error::Code;
use lorefork::fork::{create, isolate};
use lorefork::host::Step;
use lorefork::moment::{LoreChoice, Quality};
use lorefork::tavern::names::Kind;
use lorefork::tavern::place::{ChatRef, Owner};
use lorefork::timeline::status::status;
use lorefork::timeline::verify::{Answer, verify};
use lorefork_sim::{Fault, Script, SimHost, header};

use crate::requirements::story::*;

#[test]
fn r081_r082_r092_r093_lorebook_then_timeline_then_link() {
    let names: Vec<String> =
        checkpoint_at(6).host.trace().iter().map(|call| call.name.to_string()).collect();
    let at = |what: &str| {
        names.iter().position(|name| name == what).unwrap_or_else(|| panic!("{what} in {names:?}"))
    };
    assert!(at("note") < at("create_lorebook") && at("create_lorebook") < at("create_chat"));
    assert!(at("create_chat") < at("edit_chat") && at("edit_chat") < at("forget"));
}

#[test]
fn r083_r084_r126_nothing_of_the_parent_changes_before_the_link() {
    let calm = checkpoint_at(6);
    let link = calm.host.trace().iter().position(|call| call.name == "edit_chat").unwrap();
    for n in 1..=link {
        let host = SimHost::new(folder())
            .with_script(Script::calm().at(n, Fault::Crash { happened: true }));
        let _ = host.run(create(&host, &request(Kind::Checkpoint, 6)));
        assert_eq!(
            host.folder().text(&main_chat().file()),
            folder().text(&main_chat().file()),
            "call {n}"
        );
    }
}

#[test]
fn r085_r089_the_name_that_is_returned_is_the_one_on_disk() {
    let mut named = request(Kind::Checkpoint, 6);
    named.name = Some("Before: the end?".into());
    let forked = fork(folder(), &named);
    assert_eq!(forked.made().chat, "Before the end");
    assert!(forked.host.folder().has("chats/Mira/Before the end.jsonl"));
    assert!(forked.text(&main_chat().file()).contains(r#""bookmark_link":"Before the end""#));
}

#[test]
fn r086_n3_links_are_saved_in_the_parent() {
    let checkpoint = checkpoint_at(6);
    let branch = fork(checkpoint.host.folder(), &request(Kind::Branch, 6));
    let parent = branch.text(&main_chat().file());
    let line = parent.lines().nth(7).unwrap();
    assert!(line.contains(&format!("\"bookmark_link\":\"{}\"", checkpoint.made().chat)));
    assert!(line.contains(&format!("\"branches\":[\"{}\"]", branch.made().chat)));
    // The rest of the parent is as it was.
    for (index, (now, before)) in parent.lines().skip(1).zip(messages()).enumerate() {
        assert!(index == 6 || now == before, "message {index}");
    }
}

#[test]
fn r088_r111_the_map_is_the_parents_and_is_not_inherited() {
    let forked = checkpoint_at(6);
    let book = forked.made().lorebook.clone().unwrap();
    assert_eq!(
        forked
            .parent_meta(&["auto_recap", "checkpoint_lorebook_map", &forked.made().chat])
            .unwrap(),
        book
    );
    let second = fork(forked.host.folder(), &request(Kind::Branch, 10));
    assert_eq!(second.meta(&["auto_recap", "checkpoint_lorebook_map"]), None);
    // The family's id: the parent's own, and named by both children.
    let id = second.parent_meta(&["lorefork", "id"]).unwrap();
    assert_eq!(second.meta(&["lorefork", "parent", "id"]).unwrap(), id);
    assert_eq!(second.parent_meta(&["lorefork", "kind"]).unwrap(), "main");
}

#[test]
fn r090_a_timeline_that_cannot_be_written_takes_its_lorebook_with_it() {
    let calm = checkpoint_at(6);
    let n = calm.host.trace().iter().position(|call| call.name == "create_chat").unwrap() + 1;
    let host = SimHost::new(folder()).with_script(Script::calm().at(n, Fault::Refuse));
    let forked = fork_on(host, &request(Kind::Checkpoint, 6));
    assert!(forked.result.is_err());
    assert_eq!(forked.host.folder().lorebooks().count(), 1);
}

#[test]
fn r096_r119_one_at_a_time() {
    let host = SimHost::new(folder());
    host.run(async {
        let _running = lorefork::host::Host::claim(&host, "another").await.unwrap();
        let error = create(&host, &request(Kind::Branch, 6)).await.unwrap_err();
        assert_eq!(error.code, Code::Busy);
    });
    // R-120: released at the end, also of a refusal.
    assert!(!checkpoint_at(1).host.is_claimed());
    assert!(!checkpoint_at(6).host.is_claimed());
}

#[test]
fn r121_leaving_the_chat_aborts_with_nothing_written() {
    let page = || SimHost::new(folder()).in_chat(&main_chat());
    let calm = fork_on(page(), &request(Kind::Branch, 6)).host.trace();
    // Up to the last time that it is asked; from then on the fork stands.
    let last = calm.iter().rposition(|call| call.name == "still_there").unwrap();
    assert!(calm[..last].iter().any(|call| call.name == "create_chat"));
    for n in 1..=last {
        let host = page().with_script(Script::calm().at(n, Fault::SwitchChat));
        let forked = fork_on(host, &request(Kind::Branch, 6));
        let about = format!("after call {n}, {}", calm[n - 1].name);
        assert_eq!(forked.result.as_ref().unwrap_err().code, Code::ChatSwitched, "{about}");
        let left = forked.host.folder();
        assert_eq!((left.lorebooks().count(), left.chats().count()), (1, 1), "{about}");
    }
}

#[test]
fn r122_a_lorebook_that_changes_once_is_read_again_twice_is_refused() {
    let calm = checkpoint_at(10);
    let note = calm.host.trace().iter().position(|call| call.name == "note").unwrap() + 1;
    let change = || Fault::ChangeLorebook { name: BOOK.into() };
    let once = SimHost::new(folder()).with_script(Script::calm().at(note, change()));
    let forked = fork_on(once, &request(Kind::Checkpoint, 10));
    // The copy is the whole new book, never a mixture.
    assert_eq!(forked.lore().len(), lore(&forked.text("worlds/Lore.json")).len());
    let mut script = Script::calm();
    for n in 1..200 {
        script = script.at(n, change());
    }
    let forked =
        fork_on(SimHost::new(folder()).with_script(script), &request(Kind::Checkpoint, 10));
    assert_eq!(forked.result.unwrap_err().code, Code::ChangedMeanwhile);
}

#[test]
fn r134_who_forks_from_a_shared_lorebook_hears_how_many_chats_are_read() {
    let mut tangled = folder();
    for n in 1..=3 {
        let chat = main_chat().sibling(format!("Tale - Branch #{n}"));
        let metadata = METADATA.replace("slug-main", &format!("other {n}"));
        tangled = tangled.with_chat(&chat, &header(&metadata), &messages()[..7]);
    }
    let steps = fork(tangled, &request(Kind::Checkpoint, 6)).host.steps();
    assert_eq!(steps[..3], [Step::Validating, Step::Others(3), Step::Lorebook]);
}

#[test]
fn r134_four_steps_are_told() {
    assert_eq!(
        checkpoint_at(6).host.steps(),
        [Step::Validating, Step::Lorebook, Step::Recording, Step::Creating]
    );
}

#[test]
fn r010_names_are_sillytaverns() {
    let first = fork(folder(), &request(Kind::Branch, 6));
    let second = fork(first.host.folder(), &request(Kind::Branch, 6));
    assert_eq!(
        (first.made().chat.as_str(), second.made().chat.as_str()),
        ("Tale - Branch #1", "Tale - Branch #2")
    );
    let mut taken = request(Kind::Checkpoint, 6);
    taken.name = Some("tale - branch #1".into());
    assert_eq!(fork(second.host.folder(), &taken).result.unwrap_err().code, Code::NameTaken);
}

#[test]
fn r095_r151_group_chats_are_listed_in_their_group() {
    let chat = ChatRef::new(Owner::Group("7".into()), "Crew 1");
    let mut folder = folder().with_group("7", &["Crew 1"]);
    folder.put(
        chat.file(),
        format!(
            "{}\n{}",
            header(r#"{"world_info":"Lore","integrity":"g"}"#),
            messages().join("\n")
        ),
    );
    let mut request = request(Kind::Branch, 10);
    request.chat = chat;
    let forked = fork(folder, &request);
    assert_eq!(forked.made().file, "group chats/Crew 1 - Branch #1.jsonl");
    assert!(forked.text("groups/7.json").contains("\"Crew 1 - Branch #1\""));
    // Which chat the group opens is the user's business.
    assert!(forked.text("groups/7.json").contains("\"chat_id\": \"Crew 1\""));
}

#[test]
fn r099_a_timeline_that_shares_gets_its_own_as_of_its_last_message() {
    let branch = main_chat().sibling("Tale - Branch #1");
    let mut lines = messages();
    lines.truncate(7);
    let metadata = METADATA
        .replace("slug-main", "other")
        .replace("\"world_info\"", "\"main_chat\":\"Tale\",\"world_info\"");
    let tangled = folder().with_chat(&branch, &header(&metadata), &lines);
    let host = SimHost::new(tangled.clone());
    let isolated = host.run(isolate(&host, &branch, LoreChoice::Auto)).returned().unwrap().unwrap();
    assert_eq!((isolated.quality, isolated.from), (Some(Quality::Snapshot), Some(5)));
    let after = host.folder();
    let text = after.text(&branch.file()).unwrap();
    assert_eq!(meta(text, &["world_info"]), isolated.lorebook);
    assert_eq!(meta(text, &["auto_recap_running_scene_recaps", "current_version"]).unwrap(), "1");
    // Inside SillyTavern the slug stays, and main is not touched at all.
    assert_eq!(meta(text, &["integrity"]).unwrap(), "other");
    assert_eq!(after.text(&main_chat().file()), tangled.text(&main_chat().file()));
    // Now nobody shares, and asking again changes nothing.
    let again = host.run(isolate(&host, &branch, LoreChoice::Auto)).returned().unwrap().unwrap();
    assert!(!again.changed && host.folder() == after);
}

#[test]
fn r066_r100_verify_and_status_tell_what_became_of_it() {
    let forked = checkpoint_at(6);
    let (host, chat) = (&forked.host, &forked.made().place);
    let answer = || host.run(verify(host, chat)).returned().unwrap().unwrap();
    assert_eq!(answer().state, Answer::Untouched, "{:?}", answer());
    let status = host.run(status(host, chat)).returned().unwrap().unwrap();
    assert!(
        status.is_checkpoint
            && status.lorebook_match == Some(true)
            && status.running_recap_version_match == Some(true)
    );

    let with = |file: String, text: String| {
        let mut folder = host.folder();
        folder.put(file, text);
        let host = SimHost::new(folder);
        host.run(verify(&host, chat)).returned().unwrap().unwrap().state
    };
    let text = forked.text(&chat.file());
    assert_eq!(with(chat.file(), format!("{text}\n{}", messages()[9])), Answer::Continued);
    let book = lorefork::tavern::place::lorebook_file(forked.made().lorebook.as_ref().unwrap());
    assert_eq!(with(book.clone(), forked.text(&book).replace("dead", "alive")), Answer::Differs);
    assert_eq!(with(book, "{}".into()), Answer::Damaged);
    assert_eq!(
        with(chat.file(), text.replace(r#""content":"two""#, r#""content":"2""#)),
        Answer::Differs
    );
}

#[test]
fn r148_main_may_detach_its_book_and_the_checkpoint_stays_as_it_is() {
    let forked = checkpoint_at(6);
    let mut folder = forked.host.folder();
    let detached = folder
        .text(&main_chat().file())
        .unwrap()
        .replace("\"world_info\":\"Lore\"", "\"world_info\":null");
    folder.put(main_chat().file(), detached);
    folder.remove("worlds/Lore.json");
    let host = SimHost::new(folder);
    let found = host.run(verify(&host, &forked.made().place)).returned().unwrap().unwrap();
    assert_eq!(found.state, Answer::Untouched);
}
