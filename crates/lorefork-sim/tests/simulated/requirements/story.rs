//! The story, and short ways to ask about what a fork of it made.

use lorefork::error::Error;
use lorefork::error::report::Report;
use lorefork::fork::{Created, Request, assess, create};
use lorefork::json::{Json, quote};
use lorefork::tavern::names::Kind;
use lorefork::tavern::place::{ChatRef, Owner, lorebook_file};
use lorefork_sim::{Folder, SimHost, entry, header, message};

pub(crate) const BOOK: &str = "Lore";
pub(crate) const QUEUE: &str = "1763632438061";

pub(crate) fn main_chat() -> ChatRef {
    ChatRef::new(Owner::Character("Mira".into()), "Tale")
}

/// What the lorebook said after each scene: `(uid, comment, content)`.
const AFTER: [&[(u64, &str, &str)]; 3] = [
    &[
        (
            0,
            "_registry_character",
            "[Registry: character]\n- UID=1 | name: character-Dragon | aliases: — | synopsis: alive",
        ),
        (1, "character-Dragon", "alive"),
        (4, "character-Smith", "the smith"),
    ],
    &[
        (
            0,
            "_registry_character",
            "[Registry: character]\n- UID=1 | name: character-Dragon | aliases: — | synopsis: dead",
        ),
        (1, "character-Dragon", "dead"),
    ],
    &[
        (
            0,
            "_registry_character",
            "[Registry: character]\n- UID=1 | name: character-Dragon | aliases: — | synopsis: buried\n- UID=4 | name: character-Priest | aliases: — | synopsis: —",
        ),
        (1, "character-Dragon", "buried"),
        (4, "character-Priest", "the priest"),
    ],
];

const SCENES: [usize; 3] = [2, 5, 8];

fn scene_extra(index: usize) -> String {
    let entries: Vec<String> = AFTER[index]
        .iter()
        .map(|(uid, comment, content)| {
            format!(r#"{{"uid":{uid},"comment":{},"content":{},"world":"{BOOK}","key":[],"keysecondary":[],"strategy":"normal"}}"#, quote(comment), quote(content))
        })
        .collect();
    let (at, time) = (SCENES[index], 1000 * (index + 1));
    let listed = AFTER[index].iter().filter(|(_, comment, _)| !comment.starts_with('_'));
    let listed: Vec<String> = listed.map(|(uid, ..)| format!("\"{uid}\"")).collect();
    format!(
        r#"{{"auto_recap_memory":{{"scene_break":true,"scene_break_name":"Scene {index}","scene_recap_memory":"recap {index}","scene_recap_current_index":0,"scene_recap_metadata":{{"0":{{"timestamp":{time},"endIdx":{at},"chatLorebookName":"{BOOK}","created_entry_uids":[{}],"allEntries":[{}]}}}}}}}}"#,
        listed.join(","),
        entries.join(",")
    )
}

pub(crate) fn messages() -> Vec<String> {
    (0..11)
        .map(|index| {
            let extra = SCENES
                .iter()
                .position(|at| *at == index)
                .map_or_else(|| "{}".to_owned(), scene_extra);
            message("Mira", &format!("message {index}"), &extra)
        })
        .collect()
}

/// The message with more swipes; its own text and `extra` are the first.
pub(crate) fn with_swipes(line: &str, texts: &[&str], extras: &[&str]) -> String {
    let json = Json::parse(line).unwrap();
    let raw = |key: &str| json.get(key).unwrap().text().to_owned();
    let texts = std::iter::once(raw("mes")).chain(texts.iter().map(|text| quote(text)));
    let extras = std::iter::once(raw("extra")).chain(extras.iter().map(|&extra| extra.to_owned()));
    let infos: Vec<String> = extras.map(|extra| format!(r#"{{"extra":{extra}}}"#)).collect();
    format!(
        r#"{},"swipe_id":0,"swipes":[{}],"swipe_info":[{}]}}"#,
        line.strip_suffix('}').unwrap(),
        texts.collect::<Vec<_>>().join(","),
        infos.join(",")
    )
}

pub(crate) const METADATA: &str = r#"{"integrity":"slug-main","world_info":"Lore","variables":{"gold":3},"lastInContextMessageId":7,"auto_recap_running_scene_recaps":{"chat_id":"Tale","current_version":2,"versions":[{"version":0,"timestamp":1001,"content":"one","scene_count":1,"new_scene_index":2},{"version":1,"timestamp":2001,"content":"two","scene_count":2,"new_scene_index":5},{"version":2,"timestamp":3001,"content":"three","scene_count":3,"new_scene_index":8}]},"auto_lorebooks":{"lorebookName":"Lore","attachedAt":1,"registry":{"index":{"1":{"uid":1,"name":"character-Dragon","synopsis":"buried"},"4":{"uid":4,"name":"character-Priest"}},"counters":{"x":1}}},"autoLorebooks":{"pendingOps":{"entry_1":{"stage":"x"}}},"auto_recap":{"combined_recap":{"chat_id":"Tale","content":"all","message_count":6,"timestamp":9}}}"#;

pub(crate) fn queue_entry(operations: &str) -> String {
    entry(
        QUEUE.parse().unwrap(),
        "__operation_queue",
        &format!("{{\n  \"queue\": [{operations}],\n  \"version\": 1\n}}"),
    )
}

pub(crate) fn live_entries() -> Vec<(&'static str, String)> {
    let keys = ["0", "1", "4"];
    let mut entries: Vec<_> = AFTER[2]
        .iter()
        .zip(keys)
        .map(|((uid, comment, content), key)| (key, entry(*uid, comment, content)))
        .collect();
    entries.push((QUEUE, queue_entry("")));
    entries
}

/// The story as SillyTavern and Auto-Recap left it.
pub(crate) fn folder() -> Folder {
    let mut folder = Folder::new()
        .with_chat(&main_chat(), &header(METADATA), &messages())
        .with_lorebook(BOOK, &live_entries());
    folder.put("settings.json", r#"{"currentVersion":"1.19.0"}"#);
    folder
}

/// The same with the metadata changed.
pub(crate) fn folder_with(metadata: &str) -> Folder {
    folder().with_chat(&main_chat(), &header(metadata), &messages())
}

pub(crate) fn request(kind: Kind, at: usize) -> Request {
    let mut request = Request::new(kind, main_chat());
    request.at = Some(at);
    request
}

/// A host and what a fork on it gave.
pub(crate) struct Forked {
    pub(crate) host: SimHost,
    pub(crate) result: Result<Created, Error>,
}

impl Forked {
    pub(crate) fn made(&self) -> &Created {
        self.result.as_ref().unwrap()
    }

    pub(crate) fn text(&self, file: &str) -> String {
        self.host.folder().text(file).unwrap().to_owned()
    }

    /// A value of the new timeline's metadata.
    pub(crate) fn meta(&self, path: &[&str]) -> Option<String> {
        meta(&self.text(&self.made().file), path)
    }

    pub(crate) fn parent_meta(&self, path: &[&str]) -> Option<String> {
        meta(&self.text(&main_chat().file()), path)
    }

    /// Comments and contents of the new lorebook, by key.
    pub(crate) fn lore(&self) -> Vec<(String, String, String)> {
        lore(&self.text(&lorebook_file(self.made().lorebook.as_ref().unwrap())))
    }
}

pub(crate) fn meta(chat: &str, path: &[&str]) -> Option<String> {
    let header = chat.lines().next().unwrap();
    let metadata = Json::parse(header).unwrap().get("chat_metadata").unwrap();
    metadata
        .at(path)
        .map(|value| value.str().map_or_else(|| value.text().to_owned(), |text| text.into_owned()))
}

pub(crate) fn lore(book: &str) -> Vec<(String, String, String)> {
    let text = |json: Json<'_>, key: &str| {
        json.get(key).and_then(Json::str).unwrap_or_default().into_owned()
    };
    let entries = Json::parse(book).unwrap().get("entries").unwrap();
    let entries = entries.members().into_iter();
    entries
        .map(|member| {
            (
                member.key.str().unwrap().into_owned(),
                text(member.value, "comment"),
                text(member.value, "content"),
            )
        })
        .collect()
}

pub(crate) fn fork_on(host: SimHost, request: &Request) -> Forked {
    let result = host.run(create(&host, request)).returned().unwrap();
    Forked { host, result }
}

pub(crate) fn fork(folder: Folder, request: &Request) -> Forked {
    fork_on(SimHost::new(folder), request)
}

pub(crate) fn checkpoint_at(at: usize) -> Forked {
    fork(folder(), &request(Kind::Checkpoint, at))
}

pub(crate) fn report(folder: Folder, request: &Request) -> Report {
    report_on(&SimHost::new(folder), request)
}

pub(crate) fn report_on(host: &SimHost, request: &Request) -> Report {
    host.run(assess(host, request)).returned().unwrap().unwrap()
}

pub(crate) fn codes(findings: &[lorefork::error::report::Finding]) -> Vec<String> {
    findings.iter().map(|finding| finding.code.to_string()).collect()
}
