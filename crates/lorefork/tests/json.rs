//! Every promise rests on this: what is not edited stays, byte for byte.
//!
//! The texts here are as odd as JSON allows: numbers in every spelling, duplicate keys, escapes
//! that nobody needs, halves of emoji, white space anywhere. `cargo xtask test` runs this with many
//! more cases (PROPTEST_CASES) than a plain `cargo test`.

#![expect(clippy::unwrap_used, reason = "helpers of tests")]

use lorefork::json::{Json, Kind, Member, Splices, Style, js, laid_out, quote, remove, set};
use proptest::prelude::*;

/// White space between tokens; mostly none.
fn space() -> impl Strategy<Value = String> {
    prop_oneof![6 => Just(String::new()), 1 => "[ \t\r\n]{1,3}"]
}

fn number() -> impl Strategy<Value = String> {
    prop_oneof![
        "-?(0|[1-9][0-9]{0,3})",
        "-?(0|[1-9][0-9]{0,3})\\.[0-9]{1,4}",
        "-?(0|[1-9][0-9]{0,2})(\\.[0-9]{1,3})?[eE][+-]?[0-9]{1,3}",
        "[1-9][0-9]{15,30}",
        Just("-0".to_owned()),
    ]
}

fn string() -> impl Strategy<Value = String> {
    let part = prop_oneof![
        4 => "[a-z0-9_]{1,6}",
        1 => Just("日本語".to_owned()),
        1 => Just("😀".to_owned()),
        1 => Just("\u{2028}".to_owned()),
        1 => Just("\\ud83d".to_owned()),
        1 => Just("\\uDE00".to_owned()),
        1 => Just("\\u0041".to_owned()),
        1 => Just("\\/\\b\\f\\n\\r\\t\\\\\\\"".to_owned()),
        1 => Just("{[,:]}".to_owned()),
    ];
    proptest::collection::vec(part, 0..4).prop_map(|parts| format!("\"{}\"", parts.concat()))
}

/// Keys that collide now and then, and some that JavaScript sorts first.
fn key() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => "[ab]".prop_map(|key| format!("\"{key}\"")),
        2 => "(0|[1-9][0-9]{0,2})".prop_map(|key| format!("\"{key}\"")),
        1 => Just("\"1763632438061\"".to_owned()),
        2 => string(),
    ]
}

fn json() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        number(),
        string(),
        Just("true".to_owned()),
        Just("false".to_owned()),
        Just("null".to_owned())
    ];
    leaf.prop_recursive(5, 60, 6, |inner| {
        let item =
            (space(), inner.clone(), space()).prop_map(|(a, value, b)| format!("{a}{value}{b}"));
        let member = (space(), key(), space(), space(), inner, space())
            .prop_map(|(a, key, b, c, value, d)| format!("{a}{key}{b}:{c}{value}{d}"));
        prop_oneof![
            proptest::collection::vec(item, 0..5)
                .prop_map(|items| format!("[{}]", items.join(","))),
            (proptest::collection::vec(member, 1..6))
                .prop_map(|members| format!("{{{}}}", members.join(","))),
            space().prop_map(|inside| format!("{{{inside}}}")),
        ]
    })
}

fn object() -> impl Strategy<Value = String> {
    let member = (space(), key(), space(), space(), json(), space())
        .prop_map(|(a, key, b, c, value, d)| format!("{a}{key}{b}:{c}{value}{d}"));
    prop_oneof![
        5 => proptest::collection::vec(member, 1..5).prop_map(|members| format!("{{{}}}", members.join(","))),
        1 => space().prop_map(|inside| format!("{{{inside}}}")),
    ]
}

/// Every value in a document, outside in.
fn all(root: Json<'_>) -> Vec<Json<'_>> {
    let mut found = vec![root];
    let mut at = 0;
    while at < found.len() {
        let value = found[at];
        found.extend(value.members().iter().map(|member| member.value));
        found.extend(value.items());
        at += 1;
    }
    found
}

/// A key of an object; one with half an emoji has no name in UTF-8.
fn some_key(object: Json<'_>, pick: &prop::sample::Index) -> Option<String> {
    let keys: Vec<String> =
        object.members().iter().map(|member| member.key.str().unwrap().into_owned()).collect();
    let named: Vec<&String> = keys.iter().filter(|key| !key.contains('\u{fffd}')).collect();
    (!named.is_empty()).then(|| named[pick.index(named.len())].clone())
}

proptest! {
    #[test]
    fn reading_points_at_the_very_bytes(text in json(), around in "[ \n]{0,3}") {
        let document = format!("{around}{text}{around}");
        let root = Json::parse(&document).unwrap();
        prop_assert_eq!(root.text(), &text);
        for value in all(root) {
            // Each part is well-formed by itself and of the kind it says.
            let again = Json::parse(value.text()).unwrap();
            prop_assert_eq!(again.kind(), value.kind());
            let parsed: Result<serde_json::Value, _> = serde_json::from_str(value.text());
            if let Ok(parsed) = parsed {
                prop_assert_eq!(parsed.is_object(), value.kind() == Kind::Object);
                prop_assert_eq!(parsed.is_string(), value.kind() == Kind::String);
            }
        }
    }

    #[test]
    fn members_found_on_the_way_are_the_members(text in json(), cut in any::<prop::sample::Index>(), around in "[ \n,}]{0,3}") {
        // Whole, cut short, and with something behind it.
        let short = &text[..text.floor_char_boundary(cut.index(text.len() + 1))];
        for document in [text.clone(), short.to_owned(), format!("{text}{around}")] {
            match (Json::parse(&document), Json::parse_members(&document)) {
                (Ok(json), Ok((same, members))) => {
                    prop_assert_eq!(json.text(), same.text());
                    let texts = |members: Vec<Member<'_>>| -> Vec<String> {
                        members.iter().map(|m| format!("{}:{}", m.key.text(), m.value.text())).collect()
                    };
                    prop_assert_eq!(texts(json.members()), texts(members));
                }
                (Err(problem), Err(same)) => prop_assert_eq!(problem, same),
                other => prop_assert!(false, "{document}: {other:?}"),
            }
        }
    }

    #[test]
    fn replacing_one_value_leaves_all_other_bytes(text in json(), new in json(), pick in any::<prop::sample::Index>()) {
        let root = Json::parse(&text).unwrap();
        let values = all(root);
        let old = values[pick.index(values.len())];
        let at = old.text().as_ptr() as usize - text.as_ptr() as usize;
        let mut splices = Splices::new(&text);
        splices.replace(old, new.clone());
        let edited = splices.apply();
        prop_assert_eq!(&edited[..at], &text[..at]);
        prop_assert_eq!(&edited[at..at + new.len()], &new);
        prop_assert_eq!(&edited[at + new.len()..], &text[at + old.text().len()..]);
        prop_assert!(Json::parse(&edited).is_ok());
        // And back.
        let there = &edited[at..at + new.len()];
        let back = format!("{}{}{}", &edited[..at], old.text(), &edited[at + there.len()..]);
        prop_assert_eq!(back, text);
    }

    #[test]
    fn setting_a_key_and_setting_it_back_is_nothing(text in object(), pick in any::<prop::sample::Index>(), new in number()) {
        let root = Json::parse(&text).unwrap();
        let Some(key) = some_key(root, &pick) else { return Ok(()) };
        let old = root.get(&key).unwrap().text();
        let edited = set(&text, &[&key], &new).unwrap();
        prop_assert_eq!(Json::parse(&edited).unwrap().get(&key).unwrap().text(), &new);
        prop_assert_eq!(edited.len() + old.len(), text.len() + new.len());
        let mut splices = Splices::new(&edited);
        splices.replace(Json::parse(&edited).unwrap().get(&key).unwrap(), old);
        prop_assert_eq!(splices.apply(), text);
    }

    #[test]
    fn adding_a_key_and_taking_it_out_is_nothing(text in object(), value in json()) {
        let edited = set(&text, &["never used"], &value).unwrap();
        prop_assert!(Json::parse(&edited).unwrap().get("never used").is_some());
        prop_assert_eq!(remove(&edited, &["never used"]).unwrap(), text);
    }

    #[test]
    fn removing_a_key_leaves_the_others(text in object(), pick in any::<prop::sample::Index>()) {
        let root = Json::parse(&text).unwrap();
        let members = root.members();
        let Some(gone) = some_key(root, &pick) else { return Ok(()) };
        let left: Vec<&str> = members.iter().filter(|m| !m.is(&gone)).flat_map(|m| [m.key.text(), m.value.text()]).collect();
        let edited = remove(&text, &[&gone]).unwrap();
        let after: Vec<&str> = Json::parse(&edited).unwrap().members().iter().flat_map(|m| [m.key.text(), m.value.text()]).collect();
        prop_assert_eq!(after, left);
    }

    #[test]
    fn layout_changes_white_space_only(text in json(), width in 0usize..5) {
        let compact = laid_out(&text, Style::Compact, 0).unwrap();
        let pretty = laid_out(&text, Style::Indented(width), 0).unwrap();
        prop_assert_eq!(laid_out(&pretty, Style::Compact, 0).unwrap(), compact);
        let tokens = |root: Json<'_>| all(root).iter().filter(|v| !matches!(v.kind(), Kind::Object | Kind::Array)).map(|v| v.text().to_owned()).collect::<Vec<_>>();
        prop_assert_eq!(tokens(Json::parse(&text).unwrap()), tokens(Json::parse(&pretty).unwrap()));
    }

    #[test]
    fn printing_as_javascript_is_stable(text in json()) {
        let once = js::stringify(Json::parse(&text).unwrap(), Style::TAVERN).unwrap();
        prop_assert_eq!(js::stringify(Json::parse(&once).unwrap(), Style::TAVERN).unwrap(), once);
    }

    #[test]
    fn strings_survive(text in any::<String>()) {
        let quoted = quote(&text);
        let json = Json::parse(&quoted).unwrap();
        prop_assert_eq!(json.str().unwrap(), text.as_str());
        prop_assert!(json.says(&text));
    }

    #[test]
    fn nothing_panics_on_anything(text in "\\PC{0,40}", path in "[a-z\"\\\\]{0,3}") {
        let _ = Json::parse(&text).map(|json| (json.members(), json.items(), json.str().map(|s| s.len()), json.truthy()));
        let _ = set(&text, &[&path, "x"], "1");
        let _ = remove(&text, &[&path]);
        let _ = laid_out(&text, Style::TAVERN, 3);
    }

    #[test]
    fn cut_short_is_refused_wherever(text in json(), pick in any::<prop::sample::Index>()) {
        let at = pick.index(text.len() + 1);
        if let Some(text) = text.get(..at) {
            let ours = Json::parse(text).err().map(|problem| problem.to_string());
            let theirs = serde_json::from_str::<serde::de::IgnoredAny>(text).err();
            prop_assert_eq!(ours, theirs.map(|problem| format!("not valid JSON: {problem}")));
        }
    }

    #[test]
    fn broken_json_is_refused_everywhere(text in json(), pick in any::<prop::sample::Index>(), with in "[\\x00-\\x1f{}\\[\\]\",:\\\\x]") {
        // One byte replaced: either still JSON to serde, or refused by us, and never a panic.
        let mut bytes = text.into_bytes();
        let at = pick.index(bytes.len());
        bytes[at] = with.as_bytes()[0];
        if let Ok(text) = String::from_utf8(bytes) {
            let ours = Json::parse(&text).err().map(|problem| problem.to_string());
            let theirs = serde_json::from_str::<serde::de::IgnoredAny>(&text).err();
            prop_assert_eq!(ours, theirs.map(|problem| format!("not valid JSON: {problem}")));
            let _ = set(&text, &["a", "b"], "1");
        }
    }
}
