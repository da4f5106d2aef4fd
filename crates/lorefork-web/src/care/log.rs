//! What was done, and taking it back.

use lorefork::error::Error;
use lorefork::json::{Object, array, array_of_texts};
use lorefork::operation::beside::save_beside as save_state_beside;
use lorefork::operation::log::{self as diary, Log};
use lorefork::operation::record::Operation;
use lorefork::operation::{trash, undo as undoing};
use wasm_bindgen::prelude::*;

use super::files;
use crate::answer::{self, answer};
use crate::host::WebHost;
use crate::page::Page;

/// Everything that was done, newest first, and how much the trash holds. Reads only.
#[wasm_bindgen]
pub async fn log(page: Page) -> String {
    let host = WebHost::new(page);
    let read = async {
        let log = diary::read(&host).await?;
        let trash = trash::older_than(&host, 0).await?;
        let operations: Vec<String> =
            log.operations.iter().rev().map(|operation| operation_text(&log, operation)).collect();
        let bytes: u64 = trash.iter().map(|file| file.bytes).sum();
        let unreadable: Vec<String> = log.unreadable.iter().map(|(_, why)| why.clone()).collect();
        let trash =
            Object::new().count("files", trash.len()).raw("bytes", &bytes.to_string()).done();
        Ok::<_, Error>(
            Object::new()
                .raw("operations", &array(&operations))
                .raw("unreadable", &array_of_texts(&unreadable))
                .raw("trash", &trash)
                .done(),
        )
    };
    answer(read.await)
}

fn operation_text(log: &Log, operation: &Operation) -> String {
    Object::new()
        .text("id", &operation.id)
        .text("what", operation.what.name())
        .text("title", &operation.title)
        .raw("time", &operation.time.to_string())
        .text_or_null("undoes", operation.undoes.as_deref())
        .flag("undone", log.is_undone(&operation.id))
        .raw("files", &files::touched(&operation.files))
        .done()
}

/// What taking an operation back would do; without an id, the newest that stands. Reads only.
#[wasm_bindgen(js_name = "planUndo")]
pub async fn plan_undo(page: Page, id: Option<String>) -> String {
    let host = WebHost::new(page);
    let plan = undoing::plan_undo(&host, id.as_deref()).await;
    answer(plan.map(|plan| {
        let passed_over: Vec<String> =
            plan.passed_over.iter().map(|error| error.message.clone()).collect();
        Object::new()
            .text("id", &plan.operation.id)
            .text("what", plan.operation.what.name())
            .text("title", &plan.operation.title)
            .raw("files", &files::planned(&plan.changes))
            .raw("passedOver", &array_of_texts(&passed_over))
            .done()
    }))
}

/// Takes an operation back.
#[wasm_bindgen]
pub async fn undo(page: Page, id: Option<String>) -> String {
    let host = WebHost::new(page);
    let undone = undoing::undo(&host, id.as_deref()).await;
    answer(undone.map(|undone| {
        Object::new()
            .text("id", &undone.done.id)
            .text("undid", &undone.operation.id)
            .text("what", undone.operation.what.name())
            .text("title", &undone.operation.title)
            .raw("files", &files::touched(&undone.operation.files))
            .raw("warnings", &answer::warnings(&undone.done.warnings))
            .raw("healed", &answer::healed(&undone.healed))
            .done()
    }))
}

/// Saves lorebooks and chats from before an operation under other names; without an id, of the
/// newest that stands.
#[wasm_bindgen(js_name = "saveBeside")]
pub async fn save_beside(page: Page, id: Option<String>) -> String {
    let host = WebHost::new(page);
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
