//! The engine's JSON text as a value, to print it.

use lorefork::json::{Json, Kind};
use serde_json::Value;

/// More levels than anything of ours has; a stack is not endless.
const DEEPEST: usize = 100;

/// Half an emoji becomes U+FFFD, since a document in UTF-8 cannot hold it.
pub(crate) fn value(text: &str) -> Value {
    Json::parse(text).map_or(Value::Null, |json| of(json, 0))
}

fn of(json: Json<'_>, depth: usize) -> Value {
    if depth > DEEPEST {
        return Value::Null;
    }
    match json.kind() {
        Kind::Null => Value::Null,
        Kind::Bool => Value::Bool(json.truthy()),
        Kind::Number => serde_json::from_str(json.text()).unwrap_or(Value::Null),
        Kind::String => Value::String(json.str().unwrap_or_default().into_owned()),
        Kind::Array => json.items().into_iter().map(|item| of(item, depth + 1)).collect(),
        Kind::Object => json
            .members()
            .into_iter()
            .map(|member| {
                let key = member.key.str().unwrap_or_default().into_owned();
                (key, of(member.value, depth + 1))
            })
            .collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_serde_reads_reads_the_same() {
        let text = r#"{"b":[1,-2.5,1e5,"a\u00e9"],"a":{"x":null,"y":true}}"#;
        assert_eq!(value(text), serde_json::from_str::<Value>(text).unwrap());
        assert_eq!(value(r#""\ud83d""#), Value::String("\u{fffd}".into()));
    }
}
