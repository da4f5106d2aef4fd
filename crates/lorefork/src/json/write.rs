//! Writing: new objects and arrays, as text.

use super::string::quote;
use crate::sentence::{Sentence, Value};

/// An object in the making. Compact; [`super::laid_out`] spreads it.
#[derive(Debug, Default)]
pub struct Object(String);

impl Object {
    /// Without keys; they come in the order in which they are added.
    pub fn new() -> Self {
        Self::default()
    }

    /// A member whose value is JSON text.
    pub fn raw(&mut self, key: &str, value: &str) -> &mut Self {
        self.0.push(if self.0.is_empty() { '{' } else { ',' });
        self.0.push_str(&quote(key));
        self.0.push(':');
        self.0.push_str(value);
        self
    }

    /// A text, which is quoted.
    pub fn text(&mut self, key: &str, value: &str) -> &mut Self {
        self.raw(key, &quote(value))
    }

    /// A text, or `null`: the key is there in any case.
    pub fn text_or_null(&mut self, key: &str, value: Option<&str>) -> &mut Self {
        self.raw(key, &text_or_null(value))
    }

    /// A whole number.
    pub fn number(&mut self, key: &str, value: i64) -> &mut Self {
        self.raw(key, &value.to_string())
    }

    /// A whole number, or `null`: the key is there in any case.
    pub fn number_or_null(&mut self, key: &str, value: Option<i64>) -> &mut Self {
        match value {
            Some(value) => self.number(key, value),
            None => self.raw(key, "null"),
        }
    }

    /// A message's number, or how many there are of something.
    pub fn count(&mut self, key: &str, value: usize) -> &mut Self {
        self.raw(key, &value.to_string())
    }

    /// A count, or `null`: the key is there in any case.
    pub fn count_or_null(&mut self, key: &str, value: Option<usize>) -> &mut Self {
        match value {
            Some(value) => self.count(key, value),
            None => self.raw(key, "null"),
        }
    }

    /// `true` or `false`.
    pub fn flag(&mut self, key: &str, value: bool) -> &mut Self {
        self.raw(key, if value { "true" } else { "false" })
    }

    /// `true`, `false`, or `null` for what nobody knows.
    pub(crate) fn flag_or_null(&mut self, key: &str, value: Option<bool>) -> &mut Self {
        match value {
            Some(value) => self.flag(key, value),
            None => self.raw(key, "null"),
        }
    }

    /// What is said: in English under `key`, and as `says` and `with` for whoever speaks another
    /// language.
    pub fn sentence(&mut self, key: &str, sentence: &Sentence) -> &mut Self {
        self.text(key, &sentence.to_string())
            .text("says", sentence.says)
            .raw("with", &values(&sentence.with))
    }

    /// What can be done about it: in English under `key`, and as a sentence under `advice`.
    pub fn advice(&mut self, key: &str, sentence: Option<&Sentence>) -> &mut Self {
        let text = sentence.map(Sentence::to_string).unwrap_or_default();
        self.text(key, &text)
            .raw("advice", &sentence.map_or_else(|| "null".to_owned(), sentence_json))
    }

    /// The object as text. What comes after begins a new one.
    pub fn done(&mut self) -> String {
        if self.0.is_empty() {
            self.0.push('{');
        }
        self.0.push('}');
        std::mem::take(&mut self.0)
    }
}

/// A sentence as `{ says, with }`.
pub fn sentence_json(sentence: &Sentence) -> String {
    Object::new().text("says", sentence.says).raw("with", &values(&sentence.with)).done()
}

/// Names as strings, numbers as numbers, sentences as lists of them.
fn values(values: &[Value]) -> String {
    let value = |value: &Value| match value {
        Value::Name(name) => quote(name),
        Value::Number(number) => number.to_string(),
        Value::Said(all) => sentences_json(all),
    };
    array(&values.iter().map(value).collect::<Vec<_>>())
}

/// A list of sentences.
pub fn sentences_json(all: &[Sentence]) -> String {
    array(&all.iter().map(sentence_json).collect::<Vec<_>>())
}

/// A string, or `null`.
pub fn text_or_null(value: Option<&str>) -> String {
    value.map_or_else(|| "null".to_owned(), quote)
}

/// An array of JSON texts.
pub fn array(items: &[String]) -> String {
    let mut out = String::from("[");
    for (index, item) in items.iter().enumerate() {
        if index > 0 {
            out.push(',');
        }
        out.push_str(item);
    }
    out.push(']');
    out
}

/// An array of strings.
pub fn array_of_texts(items: &[String]) -> String {
    array(&items.iter().map(|item| quote(item)).collect::<Vec<_>>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objects_and_arrays() {
        assert_eq!(Object::new().done(), "{}");
        assert_eq!(
            Object::new()
                .text("a\"", "b\n")
                .text_or_null("c", None)
                .number_or_null("d", Some(-1))
                .flag("e", true)
                .raw("f", &array(&["1".to_owned(), "{}".to_owned()]))
                .raw("g", &array_of_texts(&[]))
                .done(),
            r#"{"a\"":"b\n","c":null,"d":-1,"e":true,"f":[1,{}],"g":[]}"#
        );
    }
}
