//! Character cards: where the character's JSON stands in a picture.
//!
//! The text stands in chunks behind the picture. We walk over the chunks and never decode the picture:
//! a folder may hold thousands of cards.
//!
//! A card is read if and only if SillyTavern's server reads it. It demands an intact checksum of every
//! chunk but the last, and is generous about base64.

use base64::Engine as _;
use base64::alphabet;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use lorefork::json::JsonError;
use lorefork::tavern::card::Card;

/// Why SillyTavern would not read a card, either.
#[derive(Debug, thiserror::Error)]
pub enum CardError {
    /// It does not begin as a PNG file does.
    #[error("not a PNG picture")]
    NotPng,
    /// It begins as one, and its chunks are broken: how, in words.
    #[error("the PNG is damaged: {0}")]
    Damaged(&'static str),
    /// A picture, and no character in it.
    #[error("the picture holds no character data")]
    NoData,
    /// The character's JSON is none.
    #[error("the character data is not readable: {0}")]
    Unreadable(#[from] JsonError),
}

/// Reads the bytes of a card's file.
pub fn read(png: &[u8]) -> Result<Card, CardError> {
    Ok(Card::from_json(&card_json(png)?)?)
}

/// The JSON text in a card's file.
fn card_json(png: &[u8]) -> Result<String, CardError> {
    let mut chara = None;
    let mut ccv3 = None;
    for chunk in chunks(png)? {
        let (kind, data) = chunk?;
        if kind != b"tEXt" {
            continue;
        }
        let zero = memchr::memchr(0, data).unwrap_or(data.len());
        let (keyword, text) = (&data[..zero], data.get(zero + 1..).unwrap_or_default());
        if memchr::memchr(0, text).is_some() {
            return Err(CardError::Damaged("a zero byte within text"));
        }
        let place = match keyword {
            _ if keyword.eq_ignore_ascii_case(b"ccv3") => &mut ccv3,
            _ if keyword.eq_ignore_ascii_case(b"chara") => &mut chara,
            _ => continue,
        };
        // The first of a keyword counts.
        place.get_or_insert(text);
    }
    let text = ccv3.or(chara).ok_or(CardError::NoData)?;
    Ok(String::from_utf8_lossy(&decoded(text)).into_owned())
}

type Chunk<'a> = (&'a [u8], &'a [u8]);

/// Kind and data of the chunks up to the last.
fn chunks(png: &[u8]) -> Result<impl Iterator<Item = Result<Chunk<'_>, CardError>>, CardError> {
    let mut rest = png.strip_prefix(b"\x89PNG\r\n\x1a\n").ok_or(CardError::NotPng)?;
    let mut first = true;
    let mut done = false;
    Ok(std::iter::from_fn(move || {
        if done {
            return None;
        }
        let chunk = next_chunk(&mut rest, std::mem::take(&mut first)).transpose();
        // Nothing is looked for behind an error.
        done = !matches!(chunk, Some(Ok(_)));
        chunk
    }))
}

fn next_chunk<'a>(rest: &mut &'a [u8], first: bool) -> Result<Option<Chunk<'a>>, CardError> {
    const CUT: CardError = CardError::Damaged("it ends too early");

    let (length, after) = rest.split_first_chunk::<4>().ok_or(CUT)?;
    let length = usize::try_from(u32::from_be_bytes(*length)).map_err(|_| CUT)?;
    let kind = after.get(..4).ok_or(CUT)?;
    if first && kind != b"IHDR" {
        return Err(CardError::Damaged("it does not begin with a header"));
    }
    if kind == b"IEND" {
        return Ok(None);
    }
    let (checked, after) =
        length.checked_add(4).and_then(|n| after.split_at_checked(n)).ok_or(CUT)?;
    let (checksum, after) = after.split_first_chunk::<4>().ok_or(CUT)?;
    if crc32fast::hash(checked) != u32::from_be_bytes(*checksum) {
        return Err(CardError::Damaged("a checksum is wrong"));
    }
    *rest = after;
    Ok(Some((kind, &checked[4..])))
}

/// Base64 as Node reads it: both alphabets, up to the first `=`, skipping what
/// belongs to neither. Node knows no broken base64; what comes out is broken.
fn decoded(text: &[u8]) -> Vec<u8> {
    const CONFIG: GeneralPurposeConfig = GeneralPurposeConfig::new()
        .with_decode_padding_mode(DecodePaddingMode::RequireNone)
        .with_decode_allow_trailing_bits(true);
    const BASE64: GeneralPurpose = GeneralPurpose::new(&alphabet::STANDARD, CONFIG);

    let mut digits: Vec<u8> = text
        .iter()
        .take_while(|&&b| b != b'=')
        .filter_map(|&b| match b {
            b'-' => Some(b'+'),
            b'_' => Some(b'/'),
            b'+' | b'/' => Some(b),
            _ => b.is_ascii_alphanumeric().then_some(b),
        })
        .collect();
    if digits.len() % 4 == 1 {
        // Six bits make no byte.
        digits.pop();
    }
    // Only digits are left, and none too many.
    BASE64.decode(digits).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use base64::prelude::{BASE64_STANDARD, BASE64_URL_SAFE_NO_PAD};
    use proptest::prelude::*;

    fn chunk(kind: &[u8; 4], data: &[u8]) -> Vec<u8> {
        let checked = [kind, data].concat();
        let length = u32::try_from(data.len()).unwrap().to_be_bytes();
        [&length[..], &checked, &crc32fast::hash(&checked).to_be_bytes()].concat()
    }

    fn text(keyword: &str, base64: &str) -> Vec<u8> {
        chunk(b"tEXt", format!("{keyword}\0{base64}").as_bytes())
    }

    fn png(texts: &[Vec<u8>]) -> Vec<u8> {
        [
            b"\x89PNG\r\n\x1a\n".to_vec(),
            chunk(b"IHDR", &[0, 0, 0, 1, 0, 0, 0, 1, 8, 0, 0, 0, 0]),
            chunk(b"IDAT", b"a picture that nobody decodes"),
            texts.concat(),
            chunk(b"IEND", b""),
        ]
        .concat()
    }

    fn card_of(keyword: &str, json: &str) -> Vec<u8> {
        text(keyword, &BASE64_STANDARD.encode(json))
    }

    const V3: &str = r#"{"spec":"chara_card_v3","name":"old","chat":"Mia - 2026","data":{"name":"Mia","extensions":{"world":"Mias lore"}}}"#;

    fn mia() -> Card {
        Card {
            name: "Mia".into(),
            chat: Some("Mia - 2026".into()),
            lorebook: Some("Mias lore".into()),
        }
    }

    #[test]
    fn r002_reads_name_chat_and_lorebook() {
        assert_eq!(read(&png(&[card_of("ccv3", V3)])).unwrap(), mia());
        assert_eq!(read(&png(&[card_of("CHARA", V3)])).unwrap(), mia());
    }

    #[test]
    fn ccv3_wins_over_chara_and_the_first_of_each() {
        let other = V3.replace("Mia", "Eve");
        for texts in [
            [card_of("chara", &other), card_of("ccv3", V3)],
            [card_of("ccv3", V3), card_of("chara", &other)],
            [card_of("chara", V3), card_of("chara", &other)],
            [card_of("comment", "x"), card_of("chara", V3)],
        ] {
            assert_eq!(read(&png(&texts)).unwrap(), mia());
        }
    }

    #[test]
    fn base64_is_read_as_node_reads_it() {
        let encoded = BASE64_STANDARD.encode(V3);
        let (a, b) = encoded.split_at(30);
        for spelled in [
            format!("{a}\n {b}"),
            format!("{a}!é{b}"),
            format!("{encoded}=garbage"),
            encoded.trim_end_matches('=').to_owned(),
            BASE64_URL_SAFE_NO_PAD.encode(V3),
        ] {
            assert_eq!(read(&png(&[text("chara", &spelled)])).unwrap(), mia(), "{spelled}");
        }
    }

    #[test]
    fn what_is_no_card_says_why() {
        assert!(matches!(read(b""), Err(CardError::NotPng)));
        assert!(matches!(read(b"GIF89a"), Err(CardError::NotPng)));
        assert!(matches!(read(&png(&[])), Err(CardError::NoData)));
        assert!(matches!(read(&png(&[card_of("comment", V3)])), Err(CardError::NoData)));
        assert!(matches!(read(&png(&[text("chara", "!!!!")])), Err(CardError::Unreadable(_))));
        assert!(matches!(
            read(&png(&[card_of("chara", "{\"name\":")])),
            Err(CardError::Unreadable(_))
        ));
        assert!(matches!(read(&png(&[card_of("chara", "[]")])), Err(CardError::Unreadable(_))));
        // SillyTavern does not fall back to a readable `chara`.
        assert!(matches!(
            read(&png(&[card_of("ccv3", "x"), card_of("chara", V3)])),
            Err(CardError::Unreadable(_))
        ));
        assert!(matches!(
            read(&png(&[chunk(b"tEXt", b"a\0b\0c"), card_of("chara", V3)])),
            Err(CardError::Damaged(_))
        ));
    }

    #[test]
    fn a_wrong_checksum_is_damage() {
        let good = png(&[card_of("chara", V3)]);
        for at in [20, 45, 100] {
            let mut bad = good.clone();
            bad[at] ^= 1;
            assert!(matches!(read(&bad), Err(CardError::Damaged(_))), "{at}");
        }
    }

    #[test]
    fn a_truncated_file_is_an_error_wherever_it_ends() {
        let good = png(&[card_of("chara", V3)]);
        // The checksum of the last chunk may be missing: nothing reads it.
        for end in 0..good.len() - 4 {
            assert!(read(&good[..end]).is_err(), "{end}");
        }
        assert_eq!(read(&good[..good.len() - 4]).unwrap(), mia());
    }

    proptest! {
        #[test]
        fn no_bytes_make_it_panic(bytes: Vec<u8>, at in 8..300_usize, byte: u8, base64: Vec<u8>) {
            let _ = read(&bytes);
            let mut card = png(&[card_of("chara", V3)]);
            if let Some(place) = card.get_mut(at) {
                *place = byte;
            }
            let _ = read(&card);
            let _ = decoded(&base64);
        }
    }
}
