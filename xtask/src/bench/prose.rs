//! What people and models write in the chats of the benchmark: text as it stands between the quotes of a JSON string.

use super::random::Random;

const LATIN: &[&str] = &[
    "*She turns the lantern down until only the wick glows.* \\\"You were followed. Don't look back.\\\"",
    "The ferry creaked against the pier while gulls fought over something silver in the reeds.",
    "He counted the coins twice, then pushed three of them back across the table without a word.",
    "\\\"Nobody opens that door before sunrise,\\\" Ilse said, and the whole kitchen went quiet.",
    "Rain came down the valley in long grey ropes, and with it the smell of wet slate and smoke.",
    "Vor dem Fenster lag der Garten im Nebel; die Brücke über den Fluß war kaum zu sehen.",
    "« Tu n'aurais pas dû revenir », murmura-t-il en refermant le vieux cahier à la couverture déchirée.",
    "A **map**, two letters, and a key that fit nothing in the house: that was all he had left her.",
    "They had agreed on a sign - one candle for danger, two for supper - and tonight there were none.",
    "The clockmaker's path ran C:\\\\old\\\\mill by way of the quarry, or so the note claimed.",
    "Mañana, quizá. El capitán sonrió, pero sus ojos seguían puestos en el horizonte.",
    "`[Time: 21:40 | Place: harbour office | Mood: wary]`",
];

const CHINESE: &[&str] = &[
    "她把灯芯拨低,屋里只剩下一点橘色的光。“有人跟着你,”她轻声说,“别回头。”",
    "渡船轻轻撞着码头,芦苇丛里有一只白鹭忽然飞起。",
    "雨从山谷那边一路下过来,带着湿石板和炊烟的味道。",
    "他把铜钱数了两遍,又默默推回去三枚。",
    "“天亮之前谁也不许开那扇门。”掌柜的话音一落,厨房里静了下来。",
    "地图、两封信,还有一把什么也打不开的钥匙——这就是他留下的全部东西。",
];

const JAPANESE: &[&str] = &[
    "彼女はランプの芯をそっと下げた。「つけられているわ。振り向かないで」",
    "渡し舟が桟橋にこつんと当たり、葦の間から白い鳥が飛び立った。",
    "雨は谷の向こうから、濡れた石と煙の匂いを連れてやって来た。",
    "「夜明け前にあの扉を開けてはならない」と老人は言い、台所は静まり返った。",
    "残されたのは地図と手紙が二通、それからどの錠にも合わない鍵だけだった。",
    "カチ、カチ、カチ……時計の音だけが、やけに大きく聞こえる。",
];

const RUSSIAN: &[&str] = &[
    "Она убавила фитиль, и в комнате остался только слабый рыжий свет. — За тобой шли. Не оборачивайся.",
    "Паром скрипел у причала, а в камышах чайки дрались из-за чего-то серебристого.",
    "Дождь шёл по долине длинными серыми нитями и пах мокрым камнем и дымом.",
    "Он дважды пересчитал монеты и молча отодвинул три из них обратно.",
    "— До рассвета эту дверь никто не откроет, — сказала хозяйка, и на кухне стало тихо.",
    "Карта, два письма и ключ, который ничего не отпирал, — вот и всё, что от него осталось.",
];

const EMOJI: &[&str] = &[
    "😀🎉 ok!!",
    "🕯️🕯️ … 🌧️",
    "👩‍👩‍👧‍👦 🏳️‍🌈 ❤️‍🔥",
    "🐉⚔️🛡️ *rolls a natural 20* 🎲",
    // What is left of an emoji that was cut in two.
    "\\ud83d",
];

/// Appends about `size` bytes of paragraphs, mostly of one script.
pub(crate) fn write(out: &mut Vec<u8>, size: usize, random: &mut Random) {
    let end = out.len() + size;
    while out.len() < end {
        let script = match random.below(20) {
            0..=9 => LATIN,
            10..=12 => CHINESE,
            13..=15 => JAPANESE,
            16..=18 => RUSSIAN,
            _ => EMOJI,
        };
        for _ in 0..2 + random.below(5) {
            out.extend_from_slice(random.pick(script).as_bytes());
            out.push(b' ');
        }
        out.extend_from_slice(b"\\n\\n");
    }
    out.truncate(out.len() - b" \\n\\n".len());
}

/// One sentence, as a value rather than as JSON text.
pub(crate) fn sentence(random: &mut Random) -> &'static str {
    let script = random.pick(&[CHINESE, JAPANESE, RUSSIAN]);
    random.pick(script)
}
