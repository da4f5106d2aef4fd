//! Names without case and accents, for asking whether one is still free.

/// Are these one name to SillyTavern's user? See [`fold`].
pub fn same_name(a: &str, b: &str) -> bool {
    a == b || fold(a) == fold(b)
}

/// A name without case and accents.
///
/// SillyTavern compares the names of lorebooks this way before it creates one,
/// and so do we for chats, since many disks ignore case. It takes a name apart
/// (normal form NFD), drops the accents U+0300 to U+036F, and lowers the rest.
/// That is no collation of a language: letters that do not come apart (ł, ø, ß)
/// stay what they are, Russian й is и, and the marks of Hindi, Thai or Arabic
/// still tell names apart.
///
/// Where we differ: what comes apart is looked up in a small table, because the
/// whole of Unicode's would be a third of what the extension may weigh. Latin,
/// Greek, Cyrillic, Arabic, Devanagari, Bengali, kana and Hangul are in it.
/// Other scripts and symbols are compared as they are written, and so is the
/// order of several marks on one letter. A name that is wrongly called free can
/// do no harm, as nothing is ever written over a file that exists.
pub fn fold(name: &str) -> String {
    let mut folded = String::with_capacity(name.len());
    // Of the whole text: a final sigma has its own small letter.
    for c in name.to_lowercase().chars() {
        match c {
            '\0'..='\u{bf}' => folded.push(c),
            '\u{300}'..='\u{36f}' => {}
            '\u{ac00}'..='\u{d7a3}' => folded.extend(jamo(c)),
            // Most of what is not Latin: spare it the search.
            '\u{4e00}'..='\u{9fff}' => folded.push(c),
            _ => match (without_accent(c), letter_and_mark(c)) {
                (Some(letter), _) => folded.push(letter),
                (_, Some((letter, mark))) => folded.extend([letter, mark]),
                _ => folded.push(c),
            },
        }
    }
    folded
}

/// A letter without an accent that is dropped.
fn without_accent(c: char) -> Option<char> {
    ACCENTED.iter().find(|(_, accented)| accented.contains(c)).map(|&(letter, _)| letter)
}

/// A letter and a mark that stays.
fn letter_and_mark(c: char) -> Option<(char, char)> {
    MARKED.iter().find_map(|&(mark, letters, marked)| {
        let place = marked.chars().position(|m| m == c)?;
        Some((letters.chars().nth(place)?, mark))
    })
}

/// A Hangul syllable in its two or three parts. macOS stores names so.
fn jamo(syllable: char) -> impl Iterator<Item = char> {
    const VOWELS: u32 = 21;
    const FINALS: u32 = 28;
    let index = u32::from(syllable) - 0xac00;
    let last = index % FINALS;
    [
        Some(0x1100 + index / (VOWELS * FINALS)),
        Some(0x1161 + index / FINALS % VOWELS),
        (last > 0).then_some(0x11a7 + last),
    ]
    .into_iter()
    .flatten()
    .filter_map(char::from_u32)
}

/// Small letters and what they are with accents.
#[rustfmt::skip]
const ACCENTED: &[(char, &str)] = &[
    ('a', "àáâãäåāăąǎǟǡǻȁȃȧḁạảấầẩẫậắằẳẵặ"),
    ('b', "ḃḅḇ"),
    ('c', "çćĉċčḉ"),
    ('d', "ďḋḍḏḑḓ"),
    ('e', "èéêëēĕėęěȅȇȩḕḗḙḛḝẹẻẽếềểễệ"),
    ('f', "ḟ"),
    ('g', "ĝğġģǧǵḡ"),
    ('h', "ĥȟḣḥḧḩḫẖ"),
    ('i', "ìíîïĩīĭįǐȉȋḭḯỉị"),
    ('j', "ĵǰ"),
    ('k', "ķǩḱḳḵ"),
    ('l', "ĺļľḷḹḻḽ"),
    ('m', "ḿṁṃ"),
    ('n', "ñńņňǹṅṇṉṋ"),
    ('o', "òóôõöōŏőơǒǫǭȍȏȫȭȯȱṍṏṑṓọỏốồổỗộớờởỡợ"),
    ('p', "ṕṗ"),
    ('r', "ŕŗřȑȓṙṛṝṟ"),
    ('s', "śŝşšșṡṣṥṧṩ"),
    ('t', "ţťțṫṭṯṱẗ"),
    ('u', "ùúûüũūŭůűųưǔǖǘǚǜȕȗṳṵṷṹṻụủứừửữự"),
    ('v', "ṽṿ"),
    ('w', "ŵẁẃẅẇẉẘ"),
    ('x', "ẋẍ"),
    ('y', "ýÿŷȳẏẙỳỵỷỹ"),
    ('z', "źżžẑẓẕ"),
    ('æ', "ǣǽ"),
    ('ø', "ǿ"),
    ('ſ', "ẛ"),
    ('ʒ', "ǯ"),
    ('α', "άἀἁἂἃἄἅἆἇὰάᾀᾁᾂᾃᾄᾅᾆᾇᾰᾱᾲᾳᾴᾶᾷ"),
    ('ε', "έἐἑἒἓἔἕὲέ"),
    ('η', "ήἠἡἢἣἤἥἦἧὴήᾐᾑᾒᾓᾔᾕᾖᾗῂῃῄῆῇ"),
    ('ι', "ΐίϊἰἱἲἳἴἵἶἷὶίιῐῑῒΐῖῗ"),
    ('ο', "όὀὁὂὃὄὅὸό"),
    ('ρ', "ῤῥ"),
    ('υ', "ΰϋύὐὑὒὓὔὕὖὗὺύῠῡῢΰῦῧ"),
    ('ω', "ώὠὡὢὣὤὥὦὧὼώᾠᾡᾢᾣᾤᾥᾦᾧῲῳῴῶῷ"),
    ('ϒ', "ϓϔ"),
    ('а', "ӑӓ"),
    ('г', "ѓ"),
    ('е', "ѐёӗ"),
    ('ж', "ӂӝ"),
    ('з', "ӟ"),
    ('и', "йѝӣӥ"),
    ('к', "ќ"),
    ('о', "ӧ"),
    ('у', "ўӯӱӳ"),
    ('ч', "ӵ"),
    ('ы', "ӹ"),
    ('э', "ӭ"),
    ('і', "ї"),
    ('ѵ', "ѷ"),
    ('ә', "ӛ"),
    ('ө', "ӫ"),
];

/// A mark, letters, and the same letters with it.
#[rustfmt::skip]
const MARKED: &[(char, &str, &str)] = &[
    ('\u{3099}', "うかきくけこさしすせそたちつてとはひふへほゝ", "ゔがぎぐげござじずぜぞだぢづでどばびぶべぼゞ"),
    ('\u{3099}', "ウカキクケコサシスセソタチツテトハヒフヘホワヰヱヲヽ", "ヴガギグゲゴザジズゼゾダヂヅデドバビブベボヷヸヹヺヾ"),
    ('\u{309a}', "はひふへほハヒフヘホ", "ぱぴぷぺぽパピプペポ"),
    ('\u{653}', "ا", "آ"),
    ('\u{654}', "اويہےە", "أؤئۂۓۀ"),
    ('\u{655}', "ا", "إ"),
    // As escapes: an editor may take these letters apart.
    ('\u{93c}', "कखगजडढनफयरळ", "\u{958}\u{959}\u{95a}\u{95b}\u{95c}\u{95d}\u{929}\u{95e}\u{95f}\u{931}\u{934}"),
    ('\u{9bc}', "ডঢয", "\u{9dc}\u{9dd}\u{9df}"),
    ('\u{9be}', "\u{9c7}", "\u{9cb}"),
    ('\u{9d7}', "\u{9c7}", "\u{9cc}"),
];

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use unicode_normalization::UnicodeNormalization;

    fn as_sillytavern(name: &str) -> String {
        let bare: String = name.nfd().filter(|c| !('\u{300}'..='\u{36f}').contains(c)).collect();
        bare.to_lowercase()
    }

    #[test]
    fn same_name_ignores_case_and_accents() {
        for (a, b) in [
            ("Élan", "elan"),
            ("E\u{301}lan", "Élan"),
            ("ΟΔΟΣ", "οδος"),
            ("Άλφα", "αλφα"),
            ("İstanbul", "istanbul"),
            ("Việt Nam", "viet nam"),
            ("ガ", "カ\u{3099}"),
            ("각", "\u{1100}\u{1161}\u{11a8}"),
            ("\u{958}", "क\u{93c}"),
        ] {
            assert!(same_name(a, b), "{a} {b}");
        }
        // Straße, Łódź; and words of Hindi and Thai that differ by a mark only.
        for (a, b) in
            [("Straße", "Strasse"), ("Łódź", "Lodz"), ("कि", "की"), ("มา", "ม้า"), ("か", "が")]
        {
            assert!(!same_name(a, b), "{a} {b}");
        }
    }

    #[test]
    fn every_letter_folds_as_sillytavern_folds_it() {
        // Nothing in use comes apart beyond.
        for c in '\0'..='\u{ffff}' {
            // What the comment of `fold` leaves out.
            let left_out = matches!(
                c,
                // Symbols.
                '\u{37e}' | '\u{374}' | '\u{385}' | '\u{387}' | '\u{1fbf}'..='\u{1fc1}' | '\u{1fcd}'..='\u{1fcf}'
                | '\u{1fdd}'..='\u{1fdf}' | '\u{1fed}'..='\u{1fef}' | '\u{1ffd}' | '\u{2000}' | '\u{2001}'
                | '\u{2190}'..='\u{2aff}'
                // Further scripts of India and its neighbours.
                | '\u{a00}'..='\u{109f}' | '\u{1b00}'..='\u{1b7f}'
                // Ideographs and Hebrew kept for compatibility.
                | '\u{f900}'..='\u{fb4f}'
            );
            if !left_out {
                let c = c.to_string();
                assert_eq!(fold(&c), as_sillytavern(&c), "{c:?} {}", c.escape_unicode());
            }
        }
    }

    proptest! {
        #[test]
        fn names_fold_as_sillytavern_folds_them(name in "[ -~À-ͯΑ-Ͽа-ӿḀ-ỿἀ-ᾯあ-ヾ一-丿가-깋ΣİK\u{345}]{0,20}") {
            prop_assert_eq!(fold(&name), as_sillytavern(&name));
        }
    }
}
