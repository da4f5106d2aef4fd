//! Titles: to what an operation was done, as the log tells it. Records keep them, so all that there
//! are stand here, and none is ever changed: it would be another one.

use crate::json::{Json, Object, sentence_json};
use crate::sentence::{Sentence, Value};

macro_rules! titles {
    ($($name:ident = $says:literal;)*) => {
        $(pub(crate) const $name: &str = $says;)*
        const ALL: &[&str] = &[$($says),*];
    };
}

titles! {
    JUST = "{0}";
    CHAT_RENAMED = "{0}, which was called “{1}”";
    CHAT_DELETED = "the deletion of {0}";
    CHATS_DELETED = "the deletion of {0} chats";
    LOREBOOK_RENAMED = "the lorebook “{0}”, which was called “{1}”";
    LOREBOOK_DELETED = "the deletion of the lorebook “{0}”";
    REWOUND = "{0} to message {1}";
    BEFORE = "what was before: {0}";
    MISSING_LOREBOOK = "the missing lorebook of {0}";
    USED_BY_OTHERS = "{0}, which others used, too";
    SHARED = "{0}, shared by {1} timelines";
    PROBLEM = "{0} problem";
    PROBLEMS = "{0} problems";
    SWEPT_ONE = "{0} lorebook without a timeline";
    SWEPT = "{0} lorebooks without a timeline";
    KEPT = "“{0}” stays in {1}";
    DROPPED = "“{0}” is not of {1}";
    DECIDED = "Open entries of {0} that were decided about: {1}";
    CARRIED_ONE = "{0} entry from {1} to {2}";
    CARRIED = "{0} entries from {1} to {2}";
}

/// As a record keeps it: in English for whoever reads the file, and as a sentence.
pub(super) fn write(title: &Sentence, record: &mut Object) {
    record.text("title", &title.to_string());
    if title.says != JUST {
        record.raw("titled", &sentence_json(title));
    }
}

/// The title of a record. Those of old have only the English text; of one that a newer Lorefork made
/// up, that is all we know, too.
pub(super) fn read(record: Json<'_>) -> Option<Sentence> {
    let titled = record.some("titled").and_then(sentence);
    titled.or_else(|| Some(Sentence::quoted(record.get("title")?.str()?)))
}

fn sentence(json: Json<'_>) -> Option<Sentence> {
    let says = json.get("says")?.str()?;
    let says = ALL.iter().find(|known| **known == says)?;
    let with: Option<Vec<Value>> = json.get("with")?.items().into_iter().map(value).collect();
    Some(Sentence { says, with: with? })
}

fn value(json: Json<'_>) -> Option<Value> {
    if let Some(name) = json.str() {
        return Some(Value::Name(name.into_owned()));
    }
    if let Some(number) = json.integer() {
        return Some(Value::Number(number));
    }
    let all: Option<Vec<Sentence>> = json.items().into_iter().map(sentence).collect();
    Some(Value::Said(all?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(title: &Sentence) -> Sentence {
        let mut record = Object::new();
        write(title, &mut record);
        read(Json::parse(&record.done()).unwrap()).unwrap()
    }

    #[test]
    fn a_record_keeps_its_title() {
        let renamed = Sentence { says: CHAT_RENAMED, with: vec!["Mia/b".into(), "a".into()] };
        let before = Sentence { says: BEFORE, with: vec![(&renamed).into()] };
        let swept = Sentence { says: SWEPT, with: vec![2_usize.into()] };
        for title in [renamed, before, swept, Sentence::quoted("Mia/a")] {
            assert_eq!(kept(&title), title);
        }
    }

    #[test]
    fn a_title_that_nobody_knows_is_told_in_english() {
        let odd = r#"{"title":"3 dragons","titled":{"says":"{0} dragons","with":[3]}}"#;
        assert_eq!(read(Json::parse(odd).unwrap()), Some(Sentence::quoted("3 dragons")));
        let old = r#"{"title":"the deletion of Mia/a"}"#;
        let told = Sentence::quoted("the deletion of Mia/a");
        assert_eq!(read(Json::parse(old).unwrap()), Some(told));
    }
}
