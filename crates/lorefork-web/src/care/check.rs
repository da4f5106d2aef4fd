//! What is wrong with the open chat's family.

use lorefork::audit::{Code, Folder, Problem, Severity, concerns, judge};
use lorefork::error::Error;
use lorefork::json::{Object, array, array_of_texts};
use lorefork::operation::ahead::Ahead;
use lorefork::say;
use lorefork::sentence::Sentence;
use lorefork::tavern::place::ChatRef;
use wasm_bindgen::prelude::*;

use super::facts::{Looked, look};
use crate::answer::answer;
use crate::ask;
use crate::host::WebHost;
use crate::page::Page;

/// Looks at the family of a chat. `shared` is a list of lorebooks that are shared on purpose.
/// Reads only.
#[wasm_bindgen]
pub async fn check(page: Page, chat: String, shared: String) -> String {
    let checked = async {
        let tab = WebHost::new(page);
        let host = Ahead::new(&tab);
        let (looked, problems) = problems(&host, &ask::chat(&chat)?, &shared).await?;
        let chats = looked.family.len();
        let problems: Vec<String> = problems.iter().map(|problem| text(problem).done()).collect();
        Ok::<_, Error>(
            Object::new().count("timelines", chats).raw("problems", &array(&problems)).done(),
        )
    };
    answer(checked.await)
}

/// The problems of a chat's family, and what they were judged by.
async fn problems(
    host: &Ahead<'_, WebHost>,
    chat: &ChatRef,
    shared: &str,
) -> Result<(Looked, Vec<Problem>), Error> {
    let looked = look(host, chat, &ask::strings(shared)).await?;
    let problems = of_family(&looked.folder, &looked.family);
    Ok((looked, problems))
}

/// The problems of these chats.
pub(super) fn of_family(folder: &Folder, family: &[ChatRef]) -> Vec<Problem> {
    let mut problems = judge(folder);
    problems.retain(|problem| {
        // Whether anything else names a lorebook is not known here.
        problem.code != Code::OrphanedLorebook && concerns(folder, family, problem)
    });
    problems
}

/// Tells one problem from another, from one look to the next.
pub(super) fn key(problem: &Problem) -> String {
    let chat = problem.chat.as_ref().map(ChatRef::file).unwrap_or_default();
    let at = problem.message.or(problem.line).map(|at| at.to_string()).unwrap_or_default();
    let book = problem.lorebook.as_deref().unwrap_or_default();
    let says = lorefork::operation::hash(&problem.says.to_string());
    format!("{} {chat} {book} {at} {says}", problem.code)
}

pub(super) fn text(problem: &Problem) -> Object {
    let others: Vec<String> = problem.others.iter().map(|chat| chat.name.clone()).collect();
    let mut text = Object::new();
    text.text("key", &key(problem))
        .text("code", problem.code.name())
        .text("severity", problem.severity.name())
        .text_or_null("chat", problem.chat.as_ref().map(|chat| chat.name.as_str()))
        .text_or_null("lorebook", problem.lorebook.as_deref())
        .raw("others", &array_of_texts(&others))
        .count_or_null("at", problem.message)
        .count_or_null("line", problem.line)
        .sentence("message", &problem.says)
        .advice("fix", Some(&fix_words(problem)))
        .flag("automatic", problem.fix.is_automatic());
    text
}

/// What would be done. Where that is the user's to do, the page says where it is done here.
fn fix_words(problem: &Problem) -> Sentence {
    match (problem.code, problem.severity) {
        (Code::SharedLorebook, Severity::Note) => say!(
            "If it is, add the lorebook to those shared on purpose, in Lorefork's settings. If \
             not, open the chat that should have its own and use /lorefork-isolate."
        ),
        _ => problem.fix.says.clone(),
    }
}
