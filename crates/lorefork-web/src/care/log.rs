//! What was done, and taking it back.

use lorefork::diary::{Back, Names, Row, new_name, rows};
use lorefork::error::Error;
use lorefork::error::report::findings_json;
use lorefork::host::Trashed;
use lorefork::json::{Object, array, array_of_texts};
use lorefork::json::{sentence_json, sentences_json};
use lorefork::operation::ahead::Ahead;
use lorefork::operation::log::{self as diary, Log};
use lorefork::operation::salvage::save_beside as save_state_beside;
use lorefork::operation::{trash, undo as undoing};
use lorefork::sentence::Sentence;
use wasm_bindgen::prelude::*;

use super::files;
use crate::answer::{self, answer};
use crate::host::WebHost;
use crate::page::Page;

/// Everything that was done, newest first, and how much the trash holds. Reads only.
#[wasm_bindgen]
pub async fn log(page: Page) -> String {
    let tab = WebHost::new(page);
    let host = Ahead::new(&tab);
    let read = async {
        let log = diary::read(&host).await?;
        let trash = trash::older_than(&host, 0).await?;
        let names = Names::read(&host, log.operations.iter()).await;
        let rows = rows(&log);
        let operations = (1..=rows.len()).map(|n| row_text(&log, &names, &trash, &rows[..n]));
        let operations: Vec<String> = operations.collect();
        let bytes: u64 = trash.iter().map(|file| file.bytes).sum();
        let unreadable: Vec<Sentence> = log.unreadable.iter().map(|(_, why)| why.clone()).collect();
        let trash =
            Object::new().count("files", trash.len()).raw("bytes", &bytes.to_string()).done();
        Ok::<_, Error>(
            Object::new()
                .raw("operations", &array(&operations))
                .raw("unreadable", &sentences_json(&unreadable))
                .raw("trash", &trash)
                .done(),
        )
    };
    answer(read.await)
}

/// The last of these rows, which are newest first.
fn row_text(log: &Log, names: &Names, trash: &[Trashed], rows: &[Row<'_>]) -> String {
    let Some(row) = rows.last() else { return "null".to_owned() };
    let operation = row.operation;
    let renamed = new_name(rows).map(|(chat, former)| {
        Object::new().raw("chat", &chat.json()).text("former", &former).done()
    });
    let back = match row.back(log, trash) {
        Back::Maybe => "maybe",
        Back::Undone => "undone",
        Back::WithItsName => "name",
        Back::NotInTrash => "emptied",
    };
    let earlier: Vec<String> = row.earlier.iter().map(|earlier| earlier.id.clone()).collect();
    Object::new()
        .text("id", &operation.id)
        .raw("earlier", &array_of_texts(&earlier))
        .text("what", operation.what.name())
        .raw("title", &sentence_json(&names.title(operation)))
        .raw("time", &operation.time.to_string())
        .text_or_null("undoes", operation.undoes.as_deref())
        .flag("undone", log.is_undone(&operation.id))
        .text("back", back)
        .raw("renamed", renamed.as_deref().unwrap_or("null"))
        .raw("files", &files::touched(row.files().into_iter()))
        .done()
}

/// What taking an operation back would do; without an id, the newest that stands. Reads only.
#[wasm_bindgen(js_name = "planUndo")]
pub async fn plan_undo(page: Page, id: Option<String>) -> String {
    let tab = WebHost::new(page);
    let host = Ahead::new(&tab);
    let plan = async {
        let plan = undoing::plan_undo(&host, id.as_deref()).await?;
        let names = Names::read(&host, [&plan.operation].into_iter()).await;
        Ok::<_, Error>((plan, names))
    };
    answer(plan.await.map(|(plan, names)| {
        let passed_over: Vec<Sentence> =
            plan.passed_over.iter().map(|error| error.message.clone()).collect();
        Object::new()
            .text("id", &plan.operation.id)
            .text("what", plan.operation.what.name())
            .raw("title", &sentence_json(&names.title(&plan.operation)))
            .raw("files", &files::planned(&plan.changes))
            .raw("passedOver", &sentences_json(&passed_over))
            .done()
    }))
}

/// Takes an operation back.
#[wasm_bindgen]
pub async fn undo(page: Page, id: Option<String>) -> String {
    let tab = WebHost::new(page);
    let host = Ahead::new(&tab);
    let undone = async {
        let undone = undoing::undo(&host, id.as_deref()).await?;
        let names = Names::read(&host, [&undone.operation].into_iter()).await;
        Ok::<_, Error>((undone, names))
    };
    answer(undone.await.map(|(undone, names)| {
        Object::new()
            .text("id", &undone.done.id)
            .text("undid", &undone.operation.id)
            .text("what", undone.operation.what.name())
            .raw("title", &sentence_json(&names.title(&undone.operation)))
            .raw("files", &files::touched(undone.operation.files.iter()))
            .raw("warnings", &findings_json(&undone.done.warnings))
            .raw("healed", &answer::healed(&undone.healed))
            .done()
    }))
}

/// Saves lorebooks and chats from before an operation under other names; without an id, of the
/// newest that stands.
#[wasm_bindgen(js_name = "saveBeside")]
pub async fn save_beside(page: Page, id: Option<String>) -> String {
    let tab = WebHost::new(page);
    let host = Ahead::new(&tab);
    let saved = async {
        let newest = || async {
            let log = diary::read(&host).await?;
            Ok::<_, Error>(log.newest().map(|newest| newest.id.clone()).unwrap_or_default())
        };
        let id = match id {
            Some(id) => id,
            None => newest().await?,
        };
        save_state_beside(&host, &id).await
    };
    answer(saved.await.map(|saved| {
        Object::new()
            .raw("lorebooks", &array_of_texts(&saved.lorebooks))
            .raw("chats", &array_of_texts(&saved.chats))
            .done()
    }))
}
