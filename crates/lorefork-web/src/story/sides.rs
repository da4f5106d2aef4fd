//! Two timelines beside each other, and entries that go over.

use lorefork::family::{self, Chosen, Decision};
use lorefork::json::{Json, Object};
use lorefork::operation::ahead::Ahead;
use wasm_bindgen::prelude::*;

use crate::answer::{self, answer};
use crate::ask;
use crate::host::WebHost;
use crate::page::Page;

/// What one timeline knows that another does not. Reads only.
#[wasm_bindgen(js_name = "compareTimelines")]
pub async fn compare_timelines(page: Page, here: String, there: String) -> String {
    let host = WebHost::new(page);
    let found = async {
        family::compare(&Ahead::new(&host), &ask::chat(&here)?, &ask::chat(&there)?).await
    };
    answer(found.await.map(|found| found.json()))
}

/// What carrying entries over would do: `[{ uid, decision? }]`, with `keep`, `replace` or `both` for
/// one that is there and says something else. Reads only.
#[wasm_bindgen(js_name = "planCarry")]
pub async fn plan_carry(page: Page, from: String, to: String, chosen: String) -> String {
    let host = WebHost::new(page);
    let (from, to, chosen) = (ask::chat(&from), ask::chat(&to), read(&chosen));
    let plan = async { family::plan_carry(&Ahead::new(&host), &from?, &to?, &chosen).await };
    answer(plan.await.map(|plan| plan.json(None)))
}

/// Carries entries over.
#[wasm_bindgen]
pub async fn carry(page: Page, from: String, to: String, chosen: String) -> String {
    let host = WebHost::new(page);
    let (from, to, chosen) = (ask::chat(&from), ask::chat(&to), read(&chosen));
    let carried = async { family::carry(&Ahead::new(&host), &from?, &to?, &chosen).await };
    answer(carried.await.map(|carried| {
        let id = carried.done.as_ref().map(|done| done.id.as_str());
        Object::new()
            .raw("plan", &carried.plan.json(id))
            .text_or_null("id", id)
            .raw("healed", &answer::healed(&carried.healed))
            .done()
    }))
}

fn read(text: &str) -> Vec<Chosen> {
    let items = Json::parse(text).map(Json::items).unwrap_or_default();
    let one = |item: Json<'_>| {
        let decision = match item.get("decision").and_then(Json::str).as_deref() {
            Some("keep") => Some(Decision::Keep),
            Some("replace") => Some(Decision::Replace),
            Some("both") => Some(Decision::Both),
            _ => None,
        };
        Some(Chosen { uid: item.get("uid")?.str()?.into_owned(), decision })
    };
    items.into_iter().filter_map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_chosen_each_with_its_decision() {
        let chosen = read(r#"[{"uid":"3"},{"uid":"4","decision":"both"},{"no":1}]"#);
        let expected = [("3", None), ("4", Some(Decision::Both))];
        assert_eq!(chosen.len(), expected.len());
        for (one, (uid, decision)) in chosen.iter().zip(expected) {
            assert_eq!((one.uid.as_str(), one.decision), (uid, decision));
        }
    }
}
