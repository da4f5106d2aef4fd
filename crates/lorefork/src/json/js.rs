//! Printing as JavaScript's `JSON.stringify(JSON.parse(text))` does.
//!
//! SillyTavern reads and prints lorebooks that way on every save, so two texts hold the same
//! thing exactly when they print the same here. New lorebooks are written in this form to begin
//! with, so that the first save by SillyTavern changes nothing.

use super::layout::Style;
use super::read::{Json, JsonError, Kind, Member};
use super::string::quote_units;
use crate::limits::DEEPEST;
use crate::sorted;

/// Reads `json` as JavaScript would and prints it in `style`.
pub fn stringify(json: Json<'_>, style: Style) -> Result<String, JsonError> {
    let mut out = String::with_capacity(json.text().len());
    print(&mut out, json, style, 0)?;
    Ok(out)
}

/// The same on one line, at the end of `out`.
pub fn push(out: &mut String, json: Json<'_>) -> Result<(), JsonError> {
    print(out, json, Style::Compact, 0)
}

/// Whether JavaScript holds members in the order in which they stand, each once.
pub(crate) fn are_in_order(found: &[Member<'_>]) -> bool {
    let is_plain = |member: &Member<'_>| {
        let key = member.key.text();
        !key.contains('\\') && !key[1..].starts_with(|c: char| c.is_ascii_digit())
    };
    if !found.iter().all(is_plain) {
        return false;
    }
    let mut keys: Vec<&str> = found.iter().map(|member| member.key.text()).collect();
    sorted::sort(&mut keys);
    keys.windows(2).all(|pair| pair[0] != pair[1])
}

/// An object's members as JavaScript holds them: of duplicates the first place and the last
/// value; keys that look like array indexes first, ascending.
pub(crate) fn ordered(json: Json<'_>) -> Vec<(Vec<u16>, Json<'_>)> {
    in_order(&json.members())
}

/// The same for members that were found already.
pub(crate) fn in_order<'a>(found: &[Member<'a>]) -> Vec<(Vec<u16>, Json<'a>)> {
    let mut members: Vec<(Vec<u16>, Json<'a>)> =
        found.iter().map(|member| (member.key.units().unwrap_or_default(), member.value)).collect();
    let mut places = sorted::places(&members, |(key, _)| key.as_slice());
    let mut stay = vec![true; members.len()];
    while let Some(last) = places.pop() {
        // Of several with one key the last was popped first; what it says, the first one says.
        if let Some(&before) = places.last()
            && members[before].0 == members[last].0
        {
            members[before].1 = members[last].1;
            stay[last] = false;
        }
    }
    let mut stays = stay.into_iter();
    members.retain(|_| stays.next() == Some(true));
    sorted::by_key(&mut members, |(key, _)| array_index(key).unwrap_or(u32::MAX));
    members
}

/// The number a key stands for if JavaScript treats it as an array index: 0 to 2^32 - 2, spelled
/// the plain way. A millisecond time is not one.
fn array_index(key: &[u16]) -> Option<u32> {
    if key.len() > 10 || (key.len() > 1 && key[0] == u16::from(b'0')) {
        return None;
    }
    let digits: Option<String> = key
        .iter()
        .map(|&unit| u8::try_from(unit).ok().filter(u8::is_ascii_digit).map(char::from))
        .collect();
    digits?.parse().ok().filter(|&index| index != u32::MAX)
}

/// The same for a key as text.
pub fn index(key: &str) -> Option<u32> {
    array_index(&key.encode_utf16().collect::<Vec<_>>())
}

/// A number as JavaScript prints it.
pub fn number(json: Json<'_>) -> String {
    number_text(json.number().unwrap_or(f64::NAN))
}

/// The same for a number that was read before.
pub(crate) fn number_text(number: f64) -> String {
    if number.is_finite() {
        ryu_js::Buffer::new().format(number).to_owned()
    } else {
        // 1e400 is Infinity to JavaScript, which JSON cannot say.
        "null".to_owned()
    }
}

fn print(out: &mut String, json: Json<'_>, style: Style, depth: usize) -> Result<(), JsonError> {
    if depth > DEEPEST {
        return Err(JsonError::TooDeep);
    }
    match json.kind() {
        Kind::Null | Kind::Bool => out.push_str(json.text()),
        Kind::Number => out.push_str(&number(json)),
        // Without escapes it is spelled as JavaScript would.
        Kind::String if !json.text().contains('\\') => out.push_str(json.text()),
        Kind::String => out.push_str(&quote_units(&json.units().unwrap_or_default())),
        Kind::Array => {
            let items = json.items();
            print_block(out, ('[', ']'), items.len(), style, depth, |out, index| {
                print(out, items[index], style, depth + 1)
            })?;
        }
        Kind::Object => {
            let members = ordered(json);
            print_block(out, ('{', '}'), members.len(), style, depth, |out, index| {
                let (key, value) = &members[index];
                out.push_str(&quote_units(key));
                out.push_str(style.colon());
                print(out, *value, style, depth + 1)
            })?;
        }
    }
    Ok(())
}

fn print_block(
    out: &mut String,
    (open, close): (char, char),
    len: usize,
    style: Style,
    depth: usize,
    mut item: impl FnMut(&mut String, usize) -> Result<(), JsonError>,
) -> Result<(), JsonError> {
    out.push(open);
    for index in 0..len {
        if index > 0 {
            out.push(',');
        }
        out.push_str(&style.newline(depth + 1));
        item(out, index)?;
    }
    if len > 0 {
        out.push_str(&style.newline(depth));
    }
    out.push(close);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn compact(text: &str) -> String {
        stringify(Json::parse(text).unwrap(), Style::Compact).unwrap()
    }

    #[test]
    fn whoever_is_in_order_needs_no_ordering() {
        for (text, expected) in [
            (r#"{"uid":1,"key":[],"a b":2}"#, true),
            (r#"{"b":1,"10":2}"#, false),
            (r#"{"a":1,"b":2,"a":3}"#, false),
            (r#"{"\u0031":1,"a":2}"#, false),
            ("{}", true),
        ] {
            let members = Json::parse(text).unwrap().members();
            assert_eq!(are_in_order(&members), expected, "{text}");
            let values: Vec<_> = in_order(&members).into_iter().map(|(_, value)| value).collect();
            let same = values.iter().eq(members.iter().map(|member| &member.value));
            assert!(same || !expected, "{text}");
        }
    }

    #[test]
    fn order_numbers_and_escapes_are_javascripts() {
        assert_eq!(
            compact(
                r#"{"b":1,"10":2,"2":3,"1763632438061":4,"01":5,"4294967295":6,"4294967294":7}"#
            ),
            r#"{"2":3,"10":2,"4294967294":7,"b":1,"1763632438061":4,"01":5,"4294967295":6}"#
        );
        assert_eq!(
            compact("[1.0,1E5,1e21,-0,1e400,0.1,123456789012345678901]"),
            "[1,100000,1e+21,0,null,0.1,123456789012345680000]"
        );
        assert_eq!(compact(r#"["\u00e9\/\ud83d\u001f"]"#), r#"["é/\ud83d\u001f"]"#);
        assert_eq!(compact(r#"{"a":1,"b":2,"a":3}"#), r#"{"a":3,"b":2}"#);
    }

    #[test]
    fn a_tower_of_brackets_is_refused_not_crashed_on() {
        let tower = |levels: usize| format!("{}{}", "[".repeat(levels), "]".repeat(levels));
        assert_eq!(compact(&tower(DEEPEST)), tower(DEEPEST));
        assert_eq!(Json::parse(&tower(DEEPEST + 1)), Err(JsonError::TooDeep));
    }
}
