//! The Japanese chat: one recapped scene, and names outside ASCII everywhere a path or key can hold
//! one.

use serde_json::Map;

use super::chat::{self, Chat};
use super::lore::{self, Book, Entity};
use super::recap::{self, Scene};
use super::script;
use super::{File, Hashes};

/// The chat with 凪: "A night at Evening Isle".
pub const CHAT: &str = "宵待島の夜";
/// Its lorebook.
pub(crate) const BOOK: &str = "z-AutoLB-凪-宵待島の夜";

/// 2026-04-02T12:00:00Z.
const START: i64 = 1_775_131_200_000;
const SLUG: &str = "c1d7e2a4-93b8-4f0e-8a66-70b2f4e5d913";
pub(super) const TEXT: &str = include_str!("text/evening-isle.txt");

pub(super) fn files(hashes: Hashes) -> Vec<File> {
    let lines = script::read(TEXT);
    let times = chat::times(START, &lines);
    let messages = lines.iter().zip(&times).enumerate().map(|(index, (line, sent))| match index {
        0 => chat::greeting(line, *sent),
        _ => chat::message(line, *sent),
    });
    let mut chat = Chat { metadata: chat::metadata(SLUG), messages: messages.collect() };
    let mut book = Book::new(BOOK, times[4] + 40_000);
    let versions = recap::play(&SCENES, &lines, &times, &mut chat, &mut book, hashes);
    recap::attach(&mut chat, CHAT, &book, &versions, &Map::new());
    vec![
        (format!("chats/凪/{CHAT}.jsonl"), chat.bytes()),
        (format!("worlds/{BOOK}.json"), lore::pretty(&book.document())),
    ]
}

const SCENES: [Scene; 1] = [Scene {
    name: "消えた島",
    extracted: &["海図から消えた島", "満月の夜、島の影が見える"],
    outcomes: &["凪の祖母が宵待島を海図から消したことがわかった。", "満月の海に島の影が現れた。"],
    open: &["祖母はなぜ島を消したのか。"],
    state: &["千鳥号の甲板、満月の夜。"],
    resolved: &[],
    learned: &[
        Entity {
            kind: "character",
            name: "凪",
            keywords: &["凪", "航海士"],
            facts: &["千鳥号の航海士", "祖母から宵待島の話を教わった"],
        },
        Entity {
            kind: "location",
            name: "宵待島",
            keywords: &["宵待島", "消えた島"],
            facts: &["満月の夜にだけ浮かぶ島", "海図には描かれていない"],
        },
        Entity {
            kind: "item",
            name: "祖母の海図",
            keywords: &["海図", "星図"],
            facts: &["島がひとつ消されている。消したのは凪の祖母"],
        },
        Entity {
            kind: "location",
            name: "千鳥号",
            keywords: &["千鳥号"],
            facts: &["メロービーへ向かう帆船"],
        },
    ],
    dropped: &[],
    running: "DEVELOPMENTS:\n\
        凪の祖母が宵待島を海図から消した\n\
        \n\
        OPEN:\n\
        祖母はなぜ島を消したのか\n\
        \n\
        STATE:\n\
        満月の夜、千鳥号の甲板から島の影が見える",
}];
