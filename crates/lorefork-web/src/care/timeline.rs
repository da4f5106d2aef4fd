//! One timeline: its lore goes back to a moment, or all of it goes.

use lorefork::error::Error;
use lorefork::error::report::findings_json;
use lorefork::fork::rebind::IsolationPlan;
use lorefork::fork::rewind as rewinding;
use lorefork::fork::undecided::{self as open, Open, Said, Verdict};
use lorefork::json::{Object, array, array_of_texts, sentence_json};
use lorefork::operation::ahead::Ahead;
use lorefork::removal::delete::{self as deleting, Deletion};
use wasm_bindgen::prelude::*;

use crate::answer::{self, answer};
use crate::ask;
use crate::host::WebHost;
use crate::page::Page;

/// What rewinding a timeline to message `at` would do. Reads only.
#[wasm_bindgen(js_name = "planRewind")]
pub async fn plan_rewind(page: Page, chat: String, at: u32, lore: Option<String>) -> String {
    let plan = async {
        let (chat, lore) = (ask::chat(&chat)?, ask::lore(lore.as_deref()));
        rewinding::plan_rewind(&Ahead::new(&WebHost::new(page)), &chat, at as usize, lore).await
    };
    answer(plan.await.map(|plan| rewind_text(&plan).done()))
}

/// Sets the lore of a timeline back to message `at`.
#[wasm_bindgen]
pub async fn rewind(page: Page, chat: String, at: u32, lore: Option<String>) -> String {
    let rewound = async {
        let (chat, lore) = (ask::chat(&chat)?, ask::lore(lore.as_deref()));
        rewinding::rewind(&Ahead::new(&WebHost::new(page)), &chat, at as usize, lore).await
    };
    answer(rewound.await.map(|rewound| {
        rewind_text(&rewound.plan)
            .text("id", &rewound.done.id)
            .raw("healed", &answer::healed(&rewound.healed))
            .done()
    }))
}

fn rewind_text(plan: &IsolationPlan) -> Object {
    let others: Vec<String> = plan.others.iter().map(|chat| chat.name.clone()).collect();
    let mut text = Object::new();
    text.text("chat", &plan.chat.name)
        .count("at", plan.at)
        .text("lorebook", &plan.lorebook.name)
        .text("from", &plan.lorebook.from)
        .count("entries", plan.lorebook.entries)
        .flag("inPlace", plan.is_in_place())
        .text("quality", plan.moment.quality.word())
        .raw("others", &array_of_texts(&others))
        .raw("warnings", &findings_json(&plan.report.warnings));
    text
}

/// What deleting a timeline would do. Reads only.
#[wasm_bindgen(js_name = "planDeletion")]
pub async fn plan_deletion(page: Page, chat: String) -> String {
    let plan = async {
        deleting::plan_deletion(&Ahead::new(&WebHost::new(page)), &ask::chat(&chat)?, NOBODY_ELSE)
            .await
    };
    answer(plan.await.map(|plan| deletion_text(&plan).done()))
}

/// Deletes a timeline with the lorebook that only it uses.
#[wasm_bindgen]
pub async fn remove(page: Page, chat: String) -> String {
    let deleted: Result<_, Error> = async {
        deleting::delete(&Ahead::new(&WebHost::new(page)), &ask::chat(&chat)?, NOBODY_ELSE).await
    }
    .await;
    answer(deleted.map(|deleted| {
        deletion_text(&deleted.plan)
            .text("id", &deleted.done.id)
            .raw("healed", &answer::healed(&deleted.healed))
            .done()
    }))
}

/// The entries of a timeline of which nobody can tell. Reads only.
#[wasm_bindgen]
pub async fn undecided(page: Page, chat: String) -> String {
    let listed =
        async { open::undecided(&Ahead::new(&WebHost::new(page)), &ask::chat(&chat)?).await };
    let entry = |open: &Open| {
        let mut text = Object::new();
        text.text("uid", &open.uid).text("name", &open.name).text("content", &open.content);
        text.raw("with", &array_of_texts(&open.with)).done()
    };
    answer(listed.await.map(|listed| {
        let all: Vec<String> = listed.all.iter().map(entry).collect();
        Object::new()
            .text("lorebook", &listed.lorebook)
            .raw("all", &array(&all))
            .raw("warnings", &findings_json(&listed.warnings))
            .done()
    }))
}

/// Decides about entries of a timeline: those to keep and those to drop, by their numbers.
#[wasm_bindgen]
pub async fn decide(page: Page, chat: String, keep: String, drop: String) -> String {
    let (keep, drop) = (ask::strings(&keep), ask::strings(&drop));
    let said = |entry, verdict| Said { entry, verdict };
    let kept = keep.iter().map(|entry| said(entry.as_str(), Verdict::Keep));
    let dropped = drop.iter().map(|entry| said(entry.as_str(), Verdict::Drop));
    let all: Vec<Said<'_>> = kept.chain(dropped).collect();
    let decided =
        async { open::decide(&Ahead::new(&WebHost::new(page)), &ask::chat(&chat)?, &all).await };
    answer(decided.await.map(|decided| {
        Object::new()
            .text("chat", &decided.plan.chat.name)
            .count("left", decided.plan.left)
            .text("id", &decided.done.id)
            .raw("warnings", &findings_json(&decided.plan.warnings))
            .raw("healed", &answer::healed(&decided.healed))
            .done()
    }))
}

/// Lorebooks of one user are not those of another: each has a folder of their own, which the page
/// of others cannot see.
const NOBODY_ELSE: &[String] = &[];

fn deletion_text(plan: &Deletion) -> Object {
    let children: Vec<String> = plan.children.iter().map(|chat| chat.name.clone()).collect();
    let linked: Vec<String> = plan.linked.iter().map(|(chat, _)| chat.name.clone()).collect();
    let mut text = Object::new();
    text.text("chat", &plan.chat.name)
        .count("messages", plan.messages)
        .text_or_null("lorebook", plan.lorebook.as_deref())
        .text_or_null("stays", plan.stays.as_ref().map(|(name, _)| name.as_str()))
        .raw("because", &plan.stays.as_ref().map_or("null".to_owned(), |(_, by)| sentence_json(by)))
        .raw("linked", &array_of_texts(&linked))
        .raw("children", &array_of_texts(&children))
        .count("remembered", plan.remembered.len());
    text
}
