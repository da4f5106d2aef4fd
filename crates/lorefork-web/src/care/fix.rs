//! Putting it right: what would become of the files, and doing it, as one operation.

use lorefork::audit::fix::{self, Look, Missing, Outcome, Step};
use lorefork::audit::untangle::OwnBook;
use lorefork::audit::{Folder, Problem, family};
use lorefork::error::Error;
use lorefork::error::report::findings_json;
use lorefork::host::Host as _;
use lorefork::json::sentence_json;
use lorefork::json::{Object, array, array_of_texts};
use lorefork::operation::ahead::Ahead;
use lorefork::tavern::place::ChatRef;
use wasm_bindgen::prelude::*;

use super::check::{key, of_family, text};
use super::facts::look;
use super::files;
use crate::answer::answer;
use crate::ask;
use crate::host::WebHost;
use crate::page::Page;

/// The family of a chat, and which of its problems the page has chosen.
struct Asked<'h> {
    host: &'h Ahead<'h, WebHost>,
    chat: ChatRef,
    /// Lorebooks that are shared on purpose.
    shared: Vec<String>,
    /// Keys of problems; none for all that can be repaired.
    keys: Vec<String>,
}

impl Asked<'_> {
    fn new<'h>(
        host: &'h Ahead<'h, WebHost>,
        chat: &str,
        shared: &str,
        keys: &str,
    ) -> Result<Asked<'h>, Error> {
        let (shared, keys) = (ask::strings(shared), ask::strings(keys));
        Ok(Asked { host, chat: ask::chat(chat)?, shared, keys })
    }
}

impl Look for Asked<'_> {
    async fn folder(&self) -> Result<Folder, Error> {
        Ok(look(self.host, &self.chat, &self.shared).await?.folder)
    }

    fn problems(&self, folder: &Folder) -> Vec<Problem> {
        of_family(folder, &family(folder, &self.chat))
    }

    fn is_asked(&self, problem: &Problem) -> bool {
        match self.keys.is_empty() {
            true => problem.fix.is_automatic(),
            false => self.keys.contains(&key(problem)),
        }
    }
}

/// What repairing the problems with these keys, or all that can be repaired, would do. Reads only.
#[wasm_bindgen(js_name = "planFix")]
pub async fn plan_fix(
    page: Page,
    chat: String,
    shared: String,
    keys: String,
    missing: Option<String>,
) -> String {
    let planned = async {
        let tab = WebHost::new(page);
        let host = Ahead::new(&tab);
        let asked = Asked::new(&host, &chat, &shared, &keys)?;
        let folder = asked.folder().await?;
        let plan = fix::plan(&host, &asked, &folder, choice(missing.as_deref())).await?;
        Ok::<_, Error>(fixed_text(&plan).done())
    };
    answer(planned.await)
}

/// Repairs the problems with these keys, or all that can be repaired.
#[wasm_bindgen]
pub async fn fix(
    page: Page,
    chat: String,
    shared: String,
    keys: String,
    missing: Option<String>,
) -> String {
    let fixed = async {
        let tab = WebHost::new(page);
        let host = Ahead::new(&tab);
        let asked = Asked::new(&host, &chat, &shared, &keys)?;
        host.settle(&asked.chat).await?;
        let repaired = fix::repair(&host, &asked, choice(missing.as_deref())).await?;
        let plan = &repaired.plan;
        let mended = plan.steps.iter().filter(|step| step.outcome == Outcome::Mended).count();
        let id: Vec<String> = repaired.done.iter().map(|done| done.id.clone()).collect();
        let warnings = repaired.done.map(|done| done.warnings).unwrap_or_default();
        Ok::<_, Error>(
            fixed_text(plan)
                .count("mended", mended)
                .raw("operations", &array_of_texts(&id))
                .raw("warnings", &findings_json(&warnings))
                .done(),
        )
    };
    answer(fixed.await)
}

pub(super) fn choice(text: Option<&str>) -> Missing {
    match text {
        Some("parent") => Missing::Parent,
        Some("empty") => Missing::Empty,
        Some("detach") => Missing::Detach,
        Some("leave") => Missing::Leave,
        _ => Missing::Rebuild,
    }
}

fn fixed_text(plan: &fix::Plan) -> Object {
    let steps: Vec<String> = plan.steps.iter().map(step_text).collect();
    let mut text = Object::new();
    text.raw("steps", &array(&steps)).raw("files", &files::planned(&plan.changes));
    text
}

fn step_text(step: &Step) -> String {
    let own = step.untangling.iter().flat_map(|plan| &plan.timelines);
    let timelines: Vec<String> = own.map(timeline_text).collect();
    let (left, is_tried) = match &step.outcome {
        Outcome::Mended => (None, true),
        Outcome::Left(why) => (Some(why), false),
        Outcome::NotCured(why) => (Some(why), true),
    };
    text(&step.problem)
        .raw("left", &left.map_or_else(|| "null".to_owned(), sentence_json))
        .flag("tried", is_tried)
        .raw("timelines", &array(&timelines))
        .done()
}

fn timeline_text(own: &OwnBook) -> String {
    let left_out: Vec<String> = own.left_out.iter().map(|left| left.name.clone()).collect();
    let undecided: Vec<String> = own
        .undecided
        .iter()
        .map(|kept| Object::new().text("name", &kept.name).sentence("why", &kept.why).done())
        .collect();
    Object::new()
        .text("chat", &own.chat.name)
        .text("lorebook", &own.lorebook)
        .flag("keepsName", own.keeps_name)
        .count("entries", own.entries)
        .raw("restored", &array_of_texts(&own.restored))
        .raw("leftOut", &array_of_texts(&left_out))
        .raw("undecided", &array(&undecided))
        .count("memoriesLeftOut", own.memories_left_out)
        .count("waiting", own.waiting)
        .done()
}
