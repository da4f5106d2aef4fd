//! Timed effects: how SillyTavern recognises the entry that is sticky or
//! cooling down.

/// `getStringHash` of SillyTavern, which is cyrb53 with seed 0: 53 bits over
/// UTF-16 code units.
///
/// A timed effect in `chat_metadata.timedWorldInfo.{sticky,cooldown}` is stored
/// under `<lorebook>.<uid>` and *found again by its `hash`*, which is this one
/// over the following text. Nobody but SillyTavern can say whether it is right,
/// so it must be right to the last character:
///
/// 1. The entry as JavaScript has parsed it from the lorebook's file: doubled
///    keys once (place of the first, value of the last), keys that are array
///    indices first in ascending order, numbers as JavaScript prints them.
/// 2. `uid` moved to the front (left out if there is none), then `world` with
///    the lorebook's name, then the other keys in their order. An entry that
///    has a `world` of its own, which it should not, keeps that value there.
/// 3. `content` (what counts as false in JavaScript as `""`) without its
///    decorators, in its place. `decorators`, an array of strings, in its place
///    if the file has that key, else at the end; an entry without `content`
///    gets it behind `decorators`. A `hash` in the file is hashed along.
/// 4. `JSON.stringify` of that without indentation: half an emoji as `\udxxx`
///    in small letters, everything else beyond ASCII as it is, `/` plain.
///
/// Decorators exist only if the content begins with `@@`. Its lines (by `\n`)
/// are looked at up to the first that does not begin with `@@`; from that one on
/// it is the content. If there is no such line the content stays whole. A line
/// that begins with `@@activate` or `@@dont_activate` is a decorator, whole. A
/// line with `@@@` counts, one `@` shorter, only if the last line that counted was
/// an unknown one; otherwise it is skipped.
///
/// A truthy `content` that is no string makes SillyTavern fail for all lorebooks.
pub fn string_hash(units: impl Iterator<Item = u16>) -> u64 {
    let (mut h1, mut h2) = (0xdead_beef_u32, 0x41c6_ce57_u32);
    for unit in units {
        h1 = (h1 ^ u32::from(unit)).wrapping_mul(0x9e37_79b1);
        h2 = (h2 ^ u32::from(unit)).wrapping_mul(0x5f35_6495);
    }
    let mixed = |a: u32, b: u32| {
        (a ^ (a >> 16)).wrapping_mul(0x85eb_ca6b) ^ (b ^ (b >> 13)).wrapping_mul(0xc2b2_ae35)
    };
    h1 = mixed(h1, h2);
    h2 = mixed(h2, h1);
    // A JavaScript number holds 53 bits: 21 of one half, all of the other.
    u64::from(h2 & 0x1f_ffff) << 32 | u64::from(h1)
}

#[cfg(test)]
mod tests {
    use super::*;

    // The expected numbers were printed by SillyTavern's own function in Node.
    #[test]
    fn hashes_as_sillytavern_does() {
        let cases: [(&[u16], u64); 4] = [
            (&[], 3338908027751811),
            (&[0x61, 0x62, 0x63], 5059922895146125),
            (&[0xe9, 0xd83d, 0xde00], 402108947828814),
            (&[0xd83d], 7125247004975830),
        ];
        for (units, hash) in cases {
            assert_eq!(string_hash(units.iter().copied()), hash, "{units:?}");
        }
        assert_eq!(string_hash("The story so far.".encode_utf16()), 2839199297571764);
    }
}
