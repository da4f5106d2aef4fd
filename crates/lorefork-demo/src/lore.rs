//! A lorebook that learns scene by scene, as Auto-Recap keeps it: registries, content entries,
//! queue.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::Hashes;
use super::chat::{USER, object};

/// Entity types in the order Auto-Recap makes their registries, which is why they have the uids 0
/// to 8.
pub(super) const KINDS: [&str; 9] =
    ["recap", "character", "location", "item", "faction", "lore", "event", "document", "rule"];

/// What a recap says about one entity.
pub(super) struct Entity {
    pub(super) kind: &'static str,
    pub(super) name: &'static str,
    pub(super) keywords: &'static [&'static str],
    /// All that is known; the first is the synopsis in the registry.
    pub(super) facts: &'static [&'static str],
}

impl Entity {
    pub(super) fn comment(&self) -> String {
        format!("{}-{}", self.kind, self.name)
    }
}

/// A lorebook at one moment of the story.
#[derive(Clone)]
pub(super) struct Book {
    pub(super) name: &'static str,
    /// Made when the book was attached; the uid of the queue entry is that time in milliseconds.
    pub(super) attached_at: i64,
    known: BTreeMap<u64, &'static Entity>,
}

impl Book {
    pub(super) fn new(name: &'static str, attached_at: i64) -> Self {
        Self { name, attached_at, known: BTreeMap::new() }
    }

    /// Writes an entity down: over the entry of that name, else under the lowest free uid, as
    /// SillyTavern does.
    pub(super) fn learn(&mut self, entity: &'static Entity) -> u64 {
        let uid = self.uid_of(&entity.comment()).unwrap_or_else(|| {
            let first = KINDS.len() as u64;
            (first..).find(|uid| !self.known.contains_key(uid)).expect("uids do not run out")
        });
        self.known.insert(uid, entity);
        uid
    }

    /// Removes the entry of that name, as Auto-Recap does with the later of two entries about the
    /// same thing.
    pub(super) fn forget(&mut self, comment: &str) {
        let uid = self.uid_of(comment).expect("only what is known can be forgotten");
        self.known.remove(&uid);
    }

    pub(super) fn uid_of(&self, comment: &str) -> Option<u64> {
        self.known.iter().find(|(_, entity)| entity.comment() == comment).map(|(uid, _)| *uid)
    }

    /// Registries and content entries with all fields, by uid; without the queue.
    pub(super) fn entries(&self) -> Vec<Map<String, Value>> {
        let registries =
            KINDS.iter().enumerate().map(|(uid, kind)| self.registry(uid as u64, kind));
        let contents = self.known.iter().map(|(uid, entity)| content(*uid, entity));
        let mut entries: Vec<_> = registries.chain(contents).collect();

        // Auto-Recap orders a book by its titles at each combine, counting down from the queue at
        // 1000.
        let mut by_title: Vec<usize> = (0..entries.len()).collect();
        by_title.sort_by_key(|&index| text(&entries[index], "comment").to_lowercase());
        for (place, index) in by_title.into_iter().enumerate() {
            entries[index].insert("order".into(), json!(999 - place));
        }
        entries
    }

    fn registry(&self, uid: u64, kind: &str) -> Map<String, Value> {
        let mut members: Vec<_> =
            self.known.iter().filter(|(_, entity)| entity.kind == kind).collect();
        members.sort_by_key(|(_, entity)| entity.name.to_lowercase());
        let mut lines = vec![format!("[Registry: {kind}]")];
        lines.extend(members.iter().map(|(uid, entity)| {
            let aliases = entity.keywords.join("; ");
            format!(
                "- UID={uid} | name: {} | aliases: {aliases} | synopsis: {}",
                entity.comment(),
                entity.facts[0]
            )
        }));

        let mut entry = blank(uid, &format!("_registry_{kind}"), &[], &lines.join("\n"));
        entry["disable"] = json!(true);
        entry["ignoreBudget"] = json!(true);
        entry["preventRecursion"] = json!(true);
        // Auto-Recap clears this flag when it rewrites a registry.
        entry["useProbability"] = json!(members.is_empty());
        entry.insert("tags".into(), json!(["auto_lorebooks_registry"]));
        entry
    }

    fn queue(&self) -> Value {
        let empty = json!({
            "queue": [],
            "current_operation_id": null,
            "paused": false,
            "version": 1,
            "queueVersion": 0,
        });
        json!({
            "uid": self.attached_at,
            "key": [],
            "keysecondary": [],
            "content": serde_json::to_string_pretty(&empty).expect("values print"),
            "comment": "__operation_queue",
            "constant": false,
            "disable": true,
            "excludeRecursion": true,
            "order": 1000,
            "position": 0,
            "depth": 4,
            "selectiveLogic": 0,
            "addMemo": false,
            "displayIndex": self.attached_at,
            "probability": 100,
            "useProbability": true,
        })
    }

    /// The whole lorebook, as the file holds it.
    pub(super) fn document(&self) -> Value {
        let mut entries: Map<String, Value> = self
            .entries()
            .into_iter()
            .map(|entry| (entry["uid"].to_string(), Value::Object(entry)))
            .collect();
        entries.insert(self.attached_at.to_string(), self.queue());
        json!({ "entries": entries })
    }

    /// What a scene break records of all entries: 27 fields each, without the queue.
    pub(super) fn snapshot(&self) -> Vec<Value> {
        self.entries().iter().map(|entry| self.recorded(entry, &SNAPSHOT_FIELDS)).collect()
    }

    /// What a scene break records of the entries whose keywords occur in the scene: 13 fields each.
    pub(super) fn activated(&self, scene: &str) -> Vec<Value> {
        let scene = scene.to_lowercase();
        let mut active: Vec<_> = self
            .entries()
            .into_iter()
            .filter(|entry| {
                let keys = entry["key"].as_array().into_iter().flatten();
                keys.filter_map(Value::as_str).any(|key| scene.contains(key))
            })
            .collect();
        active.sort_by_key(|entry| std::cmp::Reverse(entry["order"].as_u64()));
        active
            .iter()
            .map(|entry| {
                let mut recorded = self.recorded(entry, &ACTIVATED_FIELDS);
                recorded["content"] = json!(self.wrapped(entry));
                recorded
            })
            .collect()
    }

    fn recorded(&self, entry: &Map<String, Value>, fields: &[&str]) -> Value {
        let field = |name: &&str| {
            let value = match *name {
                "world" => json!(self.name),
                "strategy" => json!("normal"),
                "tags" => entry.get("tags").cloned().unwrap_or_else(|| json!([])),
                kept => entry[kept].clone(),
            };
            ((*name).to_owned(), value)
        };
        Value::Object(fields.iter().map(field).collect())
    }

    /// Auto-Recap shows active entries to the model in this form, with the macros filled in, and
    /// records that.
    fn wrapped(&self, entry: &Map<String, Value>) -> String {
        let keys: Vec<&str> =
            entry["key"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        format!(
            "<setting_lore name=\"{}\" uid=\"{}\" world=\"{}\" position=\"0\" \
             order=\"{}\" depth=\"4\" role=\"0\" keys=\"{}\">\n{}\n</setting_lore>",
            text(entry, "comment"),
            entry["uid"],
            self.name,
            entry["order"],
            keys.join("|"),
            text(entry, "content").replace("{{user}}", USER),
        )
    }

    /// The copy of the registries that Auto-Recap keeps in the chat's metadata.
    pub(super) fn index(&self) -> Value {
        let record = |(uid, entity): (&u64, &&Entity)| {
            let comment = entity.comment();
            let record = json!({
                "uid": uid,
                "id": uid.to_string(),
                "type": entity.kind,
                "name": comment,
                "comment": comment,
                "synopsis": entity.facts[0],
                "aliases": entity.keywords,
            });
            (uid.to_string(), record)
        };
        Value::Object(self.known.iter().map(record).collect())
    }
}

/// Fields of `allEntries`, in the order Auto-Recap writes them.
pub(super) const SNAPSHOT_FIELDS: [&str; 27] = [
    "comment",
    "uid",
    "world",
    "key",
    "keysecondary",
    "content",
    "position",
    "depth",
    "order",
    "role",
    "constant",
    "vectorized",
    "selective",
    "selectiveLogic",
    "sticky",
    "disable",
    "addMemo",
    "excludeRecursion",
    "preventRecursion",
    "ignoreBudget",
    "probability",
    "useProbability",
    "group",
    "groupOverride",
    "groupWeight",
    "tags",
    "strategy",
];

/// Fields of `entries`, in the order Auto-Recap writes them.
const ACTIVATED_FIELDS: [&str; 13] = [
    "comment",
    "uid",
    "world",
    "key",
    "position",
    "depth",
    "order",
    "role",
    "constant",
    "vectorized",
    "sticky",
    "strategy",
    "content",
];

/// A new entry of SillyTavern 1.19, all fields in its order.
const TEMPLATE: &str = r#"{
    "uid": 0, "key": [], "keysecondary": [], "comment": "", "content": "",
    "constant": false, "vectorized": false, "selective": true, "selectiveLogic": 0,
    "addMemo": false, "order": 100, "position": 0, "disable": false, "ignoreBudget": false,
    "excludeRecursion": false, "preventRecursion": false,
    "matchPersonaDescription": false, "matchCharacterDescription": false,
    "matchCharacterPersonality": false, "matchCharacterDepthPrompt": false,
    "matchScenario": false, "matchCreatorNotes": false,
    "delayUntilRecursion": 0, "probability": 100, "useProbability": true, "depth": 4,
    "outletName": "", "group": "", "groupOverride": false, "groupWeight": 100,
    "scanDepth": null, "caseSensitive": null, "matchWholeWords": null, "useGroupScoring": null,
    "automationId": "", "role": 0, "sticky": null, "cooldown": null, "delay": null, "triggers": []
}"#;

/// An entry with SillyTavern's defaults.
pub(super) fn blank(uid: u64, comment: &str, keys: &[&str], content: &str) -> Map<String, Value> {
    let mut entry = object(serde_json::from_str(TEMPLATE).expect("the template is JSON"));
    entry["uid"] = json!(uid);
    entry["key"] = json!(keys);
    entry["comment"] = json!(comment);
    entry["content"] = json!(content);
    entry
}

fn content(uid: u64, entity: &Entity) -> Map<String, Value> {
    let mut entry = blank(uid, &entity.comment(), entity.keywords, &entity.facts.join("\n"));
    entry["ignoreBudget"] = json!(true);
    entry["sticky"] = json!(4);
    entry
}

/// The sticky effect of an entry of a lorebook that was active when `count` messages were sent to
/// the model.
pub(super) fn sticky(
    book: &str,
    entry: &Map<String, Value>,
    count: usize,
    hashes: Hashes,
) -> (String, Value) {
    // SillyTavern hashes the entry as it stands in its scan: world after uid, decorators at the
    // end.
    let mut scanned = entry.clone();
    scanned.shift_insert(1, "world".into(), json!(book));
    scanned.insert("decorators".into(), json!([]));
    let effect = json!({
        "hash": (hashes.string)(&Value::Object(scanned).to_string()),
        "start": count,
        "end": count as u64 + entry["sticky"].as_u64().unwrap_or_default(),
        "protected": false,
    });
    (format!("{book}.{}", entry["uid"]), effect)
}

/// Prints a lorebook (or group, or settings) as SillyTavern does: four spaces, no newline at the
/// end.
pub(super) fn pretty(value: &Value) -> Vec<u8> {
    let mut bytes = Vec::new();
    let four = serde_json::ser::PrettyFormatter::with_indent(b"    ");
    let mut printer = serde_json::Serializer::with_formatter(&mut bytes, four);
    serde::Serialize::serialize(value, &mut printer).expect("values print");
    bytes
}

fn text<'a>(entry: &'a Map<String, Value>, field: &str) -> &'a str {
    entry[field].as_str().unwrap_or_default()
}
