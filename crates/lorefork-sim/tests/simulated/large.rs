//! Lorebooks of many entries: whatever looks for each of them among all would take hours here.
#![expect(clippy::unwrap_used, reason = "helpers of tests")]

use std::fmt::Write as _;

use lorefork::audit::facts::BookFacts;
use lorefork::audit::fix::{Missing, Outcome, repair};
use lorefork::audit::untangle::{Family, plan};
use lorefork::audit::{Code, Folder as Facts, judge};
use lorefork::memory::registries;
use lorefork::operation::ahead::Ahead;
use lorefork::tavern::lorebook::Lorebook;
use lorefork::tavern::place::{ChatRef, Owner};
use lorefork_sim::{Everything, Folder, SimHost, entry, header, message};

const ENTRIES: u64 = 20_000;

/// Some entries and the registry that lists them.
fn entries(count: u64) -> Vec<String> {
    let mut all: Vec<String> = (0..count)
        .map(|uid| entry(uid, &format!("character-Name {uid}"), &format!("Fact {uid}.")))
        .collect();
    let mut lines = vec!["[Registry: character]".to_owned()];
    lines.extend((0..count).map(|uid| format!("- UID={uid} | name: Name {uid} | synopsis: x")));
    all.push(entry(1_000_000, "_registry_character", &lines.join("\n")));
    all
}

fn book(entries: &[String]) -> String {
    let mut text = r#"{"entries":{"#.to_owned();
    for (nth, entry) in entries.iter().enumerate() {
        let key = if nth + 1 == entries.len() { 1_000_000 } else { nth };
        let comma = if nth == 0 { "" } else { "," };
        write!(text, r#"{comma}"{key}":{entry}"#).unwrap();
    }
    text.push_str("}}");
    text
}

#[test]
fn untangling_does_not_compare_all_with_all() {
    // Half of what a scene recorded is gone from the shared book, and nobody knows by whom.
    let recorded = entries(ENTRIES).join(",");
    let live = book(&entries(ENTRIES / 2));
    let scene = format!(
        r#"{{"auto_recap_memory":{{"scene_break":true,"scene_break_visible":true,"scene_break_name":"S","scene_recap_versions":["","r"],"scene_recap_current_index":1,"scene_recap_memory":"r","scene_recap_metadata":{{"1":{{"timestamp":1794769391322,"startIdx":0,"endIdx":1,"totalActivatedEntries":2,"chatLorebookName":"Lore","combined_at":1794769391322,"entries":[],"allEntries":[{recorded}]}}}}}}}}"#
    );
    let chat = |name: &str| ChatRef::new(Owner::Character("Mia".into()), name);
    let messages: Vec<String> = (0..5)
        .map(|at| {
            message("Mia", &format!("Message {at}"), if at == 1 { scene.as_str() } else { "{}" })
        })
        .collect();
    let mut folder = Folder::new()
        .with_chat(&chat("main"), &header(r#"{"world_info":"Lore"}"#), &messages)
        .with_chat(
            &chat("branch"),
            &header(r#"{"world_info":"Lore","main_chat":"main"}"#),
            &[&messages[..3], &[message("Mia", "Another way", "{}")]].concat(),
        );
    folder.put("worlds/Lore.json", live.clone());
    let family = Family { lorebook: "Lore".to_owned(), chats: vec![chat("main"), chat("branch")] };
    let host = SimHost::new(folder).outside();
    let plan = host.run(plan(&host, &family)).returned().unwrap().unwrap();
    assert_eq!(plan.timelines.len(), 2);
    for own in plan.timelines {
        let text = own.book.unwrap_or_else(|| live.clone());
        let book = Lorebook::read(&text).unwrap();
        let registry = book.entries.iter().find(|entry| entry.uid() == Some(1_000_000)).unwrap();
        let lines = registry.content().lines().count();
        // The registry itself is an entry, and has a line above the others.
        assert_eq!(lines, book.entries.len());
        assert!(lines as u64 > ENTRIES / 2);
    }
}

#[test]
fn judging_registries_does_not_compare_all_with_all() {
    let mut folder = Facts::default();
    folder.lorebooks.push(BookFacts::read("Lore", book(&entries(10 * ENTRIES)).as_bytes()));
    let codes: Vec<_> = judge(&folder).into_iter().map(|problem| problem.code).collect();
    // Nobody uses it; all else is in order.
    assert_eq!(codes, [Code::OrphanedLorebook]);
}

/// Whatever is wrong with all lines of a registry, or of a chat's index of it.
#[test]
fn mending_registries_does_not_compare_all_with_all() {
    let names: Vec<(i64, String)> =
        (0..ENTRIES as i64).map(|uid| (uid, format!("character-Name {uid}"))).collect();
    let index: Vec<String> = (0..ENTRIES)
        .map(|uid| format!(r#""{uid}":{{"uid":{uid},"comment":"character-Other {uid}"}}"#))
        .collect();
    let index = index.join(",");
    let metadata = format!(
        r#"{{"world_info":"Lore","auto_lorebooks":{{"registry":{{"index":{{{index}}}}}}}}}"#
    );
    let chat = ChatRef::new(Owner::Character("Mia".into()), "main");
    // Nothing is listed; all lines lead to nobody; all lead to one of another name.
    let leads: [&dyn Fn(u64) -> Option<u64>; 3] =
        [&|_| None, &|uid| Some(uid + ENTRIES), &|uid| Some((uid + 1) % ENTRIES)];
    for lead in leads {
        let mut all = entries(ENTRIES);
        let lines = (0..ENTRIES).filter_map(|uid| {
            Some(format!("- UID={} | name: character-Name {uid} | synopsis: x", lead(uid)?))
        });
        let lines: Vec<String> =
            ["[Registry: character]".to_owned()].into_iter().chain(lines).collect();
        *all.last_mut().unwrap() = entry(1_000_000, "_registry_character", &lines.join("\n"));
        let mut folder =
            Folder::new().with_chat(&chat, &header(&metadata), &[message("Mia", "Hello", "{}")]);
        folder.put("worlds/Lore.json", book(&all));
        let host = SimHost::new(folder).outside();
        let done = host.run(repair(&Ahead::new(&host), &Everything(&host), Missing::default()));
        let steps = done.returned().unwrap().unwrap().plan.steps;
        assert!(steps.len() >= 2 && steps.iter().all(|step| step.outcome == Outcome::Mended));
        let folder = host.folder();
        let text = folder.text("worlds/Lore.json").unwrap();
        let mut items: Vec<(i64, String)> = registries::items(&Lorebook::read(text).unwrap())
            .into_iter()
            .map(|item| (item.uid, item.name))
            .collect();
        items.sort();
        assert!(items == names, "each entry is listed once");
    }
}

#[test]
fn keys_in_any_order_are_put_in_order_without_moving_all_for_each() {
    let count = 50 * ENTRIES;
    let mut text = r#"{"entries":{"#.to_owned();
    for nth in (0..count).rev() {
        write!(text, r#""k{nth:07}":{{}},"#).unwrap();
    }
    text.push_str(r#""k0000000":{"uid":1}}}"#);
    let book = Lorebook::read(&text).unwrap();
    assert_eq!(book.entries.len() as u64, count);
    assert_eq!(book.entries.last().unwrap().uid(), Some(1));
    assert_eq!(lorefork::memory::fingerprint::fingerprint(&book).unwrap().len(), 64);
}
