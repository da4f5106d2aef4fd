//! Families and their pictures as JSON, for the page and for scripts.

use super::layout::{Picture, Row, Run};
use super::proposed::{first_words, proposed};
use super::tree::{Family, Gone, Lore, Timeline};
use crate::json::{Object, array, array_of_texts};

impl Family {
    /// Its timelines, and the rows of one picture of them.
    pub fn json(&self, picture: &Picture) -> String {
        let all = 0..self.timelines.len();
        let timelines: Vec<String> = all.map(|n| self.timeline_json(n)).collect();
        Object::new().raw("timelines", &array(&timelines)).raw("picture", &picture.json()).done()
    }

    fn timeline_json(&self, n: usize) -> String {
        let one = &self.timelines[n];
        let mut object = Object::new();
        object
            .text("chat", &one.chat.name)
            .text("file", &one.chat.file())
            .text("name", self.short_name(n))
            .text("kind", one.kind.word())
            .raw("gone", &gone(one))
            .count_or_null("parent", one.parent)
            .text("how", one.how.word())
            .count_or_null("at", one.at())
            .count("messages", one.messages)
            .count_or_null("own", one.is_seen.then(|| one.own()))
            .text_or_null("id", one.id.as_deref())
            .text_or_null("lorebook", one.lorebook.as_deref())
            .text("lore", one.lore.word())
            .count_or_null("sharedWith", shared_with(one))
            .text_or_null("quality", one.quality.map(|quality| quality.word()))
            .flag("open", one.is_open)
            .flag("well", one.is_well());
        let words = &one.words;
        object
            .text_or_null("label", words.label.as_deref())
            .text_or_null("proposed", one.said.first.as_deref().and_then(proposed).as_deref())
            .text_or_null("colour", words.colour.as_deref())
            .text_or_null("note", words.note.as_deref())
            .flag("canon", words.is_canon)
            .flag("archived", words.is_archived)
            .text_or_null("first", one.said.first.as_deref().and_then(first_words).as_deref())
            .text_or_null("last", one.said.last.as_deref().and_then(first_words).as_deref());
        let marks: Vec<String> = one
            .marks
            .iter()
            .map(|mark| {
                let said = mark.sentence();
                let message = said.to_string();
                Object::new()
                    .text("code", mark.word())
                    .text("message", &message)
                    .raw("said", &crate::json::sentence_json(&said))
                    .done()
            })
            .collect();
        object.raw("marks", &array(&marks)).done()
    }
}

fn gone(one: &Timeline) -> String {
    match &one.gone {
        None => "null".to_owned(),
        Some(Gone::Named) => Object::new().text("known", "named").done(),
        Some(Gone::Trash(id)) => Object::new().text("known", "trash").text("id", id).done(),
    }
}

fn shared_with(one: &Timeline) -> Option<usize> {
    match one.lore {
        Lore::Shared(others) => Some(others),
        _ => None,
    }
}

impl Picture {
    /// As answers have it.
    pub fn json(&self) -> String {
        let rows: Vec<String> = self.rows.iter().map(row).collect();
        Object::new().count("lanes", self.lanes).raw("rows", &array(&rows)).done()
    }
}

fn row(row: &Row) -> String {
    let run = row.run.as_ref().map_or_else(|| "null".to_owned(), run);
    Object::new()
        .text("stands", row.stands.word())
        .count("timeline", row.timeline)
        .count("lane", row.lane)
        .count_or_null("from", row.from)
        .count("after", row.after)
        .raw("run", &run)
        .count("hidden", row.hidden)
        .flag("path", row.is_on_path)
        .done()
}

fn run(run: &Run) -> String {
    Object::new()
        .count("lane", run.lane)
        .count("messages", run.messages)
        .raw("scenes", &array_of_texts(&run.scenes))
        .done()
}
