//! Entries through all pictures of the lorebook: which is the same entry, and how it was when.

use super::value::{canonical, comment, is_same};
use crate::json::{Json, quote, set};
use crate::memory::entries::{is_queue, is_registry};
use crate::sorted;
use crate::tavern::entry::uid_text;
use crate::tavern::lorebook::{Entry, Lorebook};

/// Instead of a number: the place of an entry whose number another one has.
const AT: &str = "at ";

/// One entry through the whole film.
#[derive(Debug, Clone)]
pub struct Life {
    /// Its number.
    pub uid: String,
    /// As it is called in the last picture that shows it.
    pub comment: String,
    /// Whether it lists other entries, and is made anew of what they are.
    pub is_registry: bool,
    /// Its key in the live book.
    pub live_key: Option<Vec<u16>>,
    /// Which version of it each picture shows; the last is the live book.
    pub shows: Vec<Option<usize>>,
    /// Whether each picture is sure to show how it was: one that lacks something may lack it.
    pub(super) is_sure: Vec<bool>,
    /// All the ways it has been.
    pub versions: Vec<Version>,
}

/// One of the ways an entry has been.
#[derive(Debug, Clone)]
pub struct Version {
    canonical: String,
    /// As the newest picture that shows it has it.
    pub text: String,
}

impl Version {
    /// What it says, and in a form in which equal means the same, all that it says besides.
    pub(super) fn content(&self) -> String {
        let json = Json::parse(&self.text).ok();
        let content =
            json.and_then(|json| json.get("content")?.str().map(|text| text.into_owned()));
        content.unwrap_or_default()
    }

    /// All that it says, in a form in which equal means the same.
    pub(super) fn said(&self) -> String {
        self.canonical.clone()
    }

    /// The same of a text.
    pub(super) fn said_by(text: &str) -> String {
        Json::parse(text).map(canonical).unwrap_or_default()
    }

    /// What it is called and known by; `None` without keys.
    pub(super) fn name_and_keys(&self) -> Option<String> {
        let lines = self.canonical.lines();
        let said: Vec<&str> = lines.filter(|line| is_name_or_key(line)).collect();
        said.iter().any(|line| line.starts_with("key:")).then(|| said.join("\n"))
    }

    pub(super) fn is_disabled(&self) -> bool {
        let json = Json::parse(&self.text).ok();
        json.and_then(|json| json.get("disable")).is_some_and(Json::truthy)
    }

    /// Fields in which another one differs.
    pub(super) fn differing(&self, other: &Self) -> Vec<String> {
        let (own, others) = (self.canonical.lines(), other.canonical.lines());
        let own = own.filter(|line| !other.canonical.lines().any(|other| other == *line));
        let others = others.filter(|line| !self.canonical.lines().any(|other| other == *line));
        let field = |line: &str| line.split_once(':').map(|(field, _)| field.to_owned());
        let mut fields: Vec<String> = own.chain(others).filter_map(field).collect();
        fields.sort_unstable();
        fields.dedup();
        fields
    }

    /// What it says besides these fields.
    pub(super) fn besides(&self, fields: &[&str]) -> Vec<&str> {
        let is_other = |line: &&str| {
            let field = line.split_once(':').map_or(*line, |(field, _)| field);
            !fields.contains(&field)
        };
        self.canonical.lines().filter(is_other).collect()
    }
}

/// All entries, with what registries said.
#[derive(Debug, Default)]
pub struct Lives {
    /// In the order in which the pictures show them first.
    pub all: Vec<Life>,
    /// Content of registries by picture: `(picture, life, content)`.
    pub registries: Vec<(usize, usize, String)>,
    /// Which pictures lack something.
    partial: Vec<bool>,
    /// Where lives stand, in the order of their numbers.
    by_uid: Vec<usize>,
}

impl Life {
    pub(super) fn version_of(&self, canonical: &str) -> Option<usize> {
        self.versions.iter().position(|version| version.canonical == canonical)
    }

    /// The place of a version that may have been in no picture: like another, but for its text, and for
    /// whether it is switched off.
    pub(super) fn with_text(&mut self, like: usize, text: &str, disabled: bool) -> Option<usize> {
        let version = &self.versions[like];
        let mut json = version.text.clone();
        if version.is_disabled() != disabled {
            json = set(&json, &["disable"], if disabled { "true" } else { "false" }).ok()?;
        }
        if version.content() != text {
            json = set(&json, &["content"], &quote(text)).ok()?;
        }
        let text = json;
        let canonical = canonical(Json::parse(&text).ok()?);
        let known = self.version_of(&canonical);
        Some(known.unwrap_or_else(|| {
            self.versions.push(Version { canonical, text });
            self.versions.len() - 1
        }))
    }
}

fn is_name_or_key(line: &str) -> bool {
    line.starts_with("comment:") || line.starts_with("key:")
}

impl Lives {
    /// Adds what a picture shows. In a partial one, what is missing stays as it was.
    pub(super) fn show(&mut self, number: usize, entries: &[(String, String)], is_partial: bool) {
        self.partial.push(is_partial);
        for life in &mut self.all {
            let before = life.shows.last().copied().flatten();
            life.shows.push(before.filter(|_| is_partial));
            life.is_sure.push(!is_partial);
        }
        let entries = entries.iter().filter_map(|(uid, text)| {
            let json = Json::parse(text).ok()?;
            let name = comment(json);
            (!is_queue(&name)).then_some((uid, json, name))
        });
        let entries: Vec<_> = entries.collect();
        let firsts = sorted::firsts(&entries, |(uid, ..)| uid.as_str());
        let by_uid = std::mem::take(&mut self.by_uid);
        for ((uid, json, name), is_first) in entries.into_iter().zip(firsts) {
            if !is_first {
                continue;
            }
            let owners = sorted::at(&by_uid, &self.all, |life| life.uid.as_str(), &uid.as_str());
            let life = self.life_of(number, uid, json, name, owners);
            if self.all[life].is_registry {
                let content = json.get("content").and_then(Json::str).unwrap_or_default();
                self.registries.push((number, life, content.into_owned()));
            }
            // A partial picture may carry the number's former owner along.
            for former in owners.iter().filter(|other| **other != life) {
                self.all[*former].shows[number] = None;
                self.all[*former].is_sure[number] = true;
            }
        }
        self.by_uid = sorted::places(&self.all, |life| life.uid.as_str());
    }

    /// Places of all lives that ever had this number.
    pub fn owners(&self, uid: &str) -> &[usize] {
        sorted::at(&self.by_uid, &self.all, |life| life.uid.as_str(), &uid)
    }

    /// The last picture.
    pub(super) fn show_live(&mut self, number: usize, live: &Lorebook<'_>) {
        let all = live.entries.iter().filter(|entry| !is_queue(&entry.comment()));
        let all: Vec<(String, &Entry<'_>)> = all
            .map(|entry| {
                let key = || String::from_utf16_lossy(&entry.key);
                (entry.some("uid").map_or_else(key, uid_text), entry)
            })
            .collect();
        // Two entries that claim one number: the second is known by its place.
        let firsts = sorted::firsts(&all, |(uid, _)| uid.as_str());
        let entries: Vec<(String, String)> = all
            .iter()
            .zip(firsts)
            .map(|((uid, entry), is_first)| {
                let is_own = is_first && !uid.starts_with(AT);
                let place = || format!("{AT}{}", String::from_utf16_lossy(&entry.key));
                (if is_own { uid.clone() } else { place() }, entry.json.text().to_owned())
            })
            .collect();
        self.show(number, &entries, false);
        for ((uid, _), (_, entry)) in entries.iter().zip(&all) {
            let shown =
                self.owners(uid).iter().find(|life| self.all[**life].shows[number].is_some());
            if let Some(life) = shown.copied() {
                self.all[life].live_key = Some(entry.key.clone());
            }
        }
    }

    /// The life that an entry of picture `number` belongs to, with its version noted.
    /// `owners` had its number before.
    fn life_of(
        &mut self,
        number: usize,
        uid: &str,
        json: Json<'_>,
        name: String,
        owners: &[usize],
    ) -> usize {
        let is_it = |life: &&usize| {
            let last = self.all[**life].versions.last();
            last.and_then(|version| Json::parse(&version.text).ok())
                .is_some_and(|last| is_same(last, json))
        };
        // The newest: a number can have had several owners.
        let found = owners.iter().rev().find(is_it).copied();
        let life = found.unwrap_or_else(|| {
            self.all.push(Life {
                uid: uid.to_owned(),
                comment: name.clone(),
                is_registry: is_registry(&name),
                live_key: None,
                shows: vec![None; number + 1],
                is_sure: self.partial.iter().map(|is_partial| !is_partial).collect(),
                versions: Vec::new(),
            });
            self.all.len() - 1
        });
        let own = &mut self.all[life];
        own.comment = name;
        let canonical = canonical(json);
        let version = own.versions.iter().position(|version| version.canonical == canonical);
        let version = version.unwrap_or_else(|| {
            own.versions.push(Version { canonical, text: String::new() });
            own.versions.len() - 1
        });
        own.versions[version].text = json.text().to_owned();
        own.shows[number] = Some(version);
        own.is_sure[number] = true;
        life
    }
}
