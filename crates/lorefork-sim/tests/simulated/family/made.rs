//! Families that are made up, of which it is known who comes from whom and where.

use lorefork::family::{Finders, Lore, Place, Trace, Tree, tree};
use lorefork::tavern::place::{ChatRef, Owner};
use lorefork_sim::Chance;

pub(crate) fn owner() -> Owner {
    Owner::Character("Mia".into())
}

pub(crate) fn chat(name: &str) -> ChatRef {
    ChatRef::new(owner(), name)
}

/// Less than `limit`.
pub(crate) fn below(chance: &mut Chance, limit: usize) -> usize {
    chance.between(0, limit - 1)
}

/// A message that is the same one wherever it is copied to.
pub(crate) fn message(id: usize, is_user: bool, extra: &str) -> String {
    let name = if is_user { "You" } else { "Mia" };
    format!(
        r#"{{"name":"{name}","is_user":{is_user},"is_system":false,"send_date":"2026-11-15T00:00:00.{id:06}Z","mes":"message {id}","extra":{{{extra}}}}}"#
    )
}

/// One timeline as it was made up.
#[derive(Debug, Clone)]
pub(crate) struct Made {
    pub(crate) name: String,
    pub(crate) parent: Option<usize>,
    pub(crate) shared: usize,
    pub(crate) ids: Vec<usize>,
}

/// How a family is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Known {
    Records,
    Links,
    Content,
    /// Each otherwise.
    Mixed,
}

/// Some families, by chance.
pub(crate) fn families(chance: &mut Chance, timelines: usize) -> Vec<Made> {
    let mut made: Vec<Made> = Vec::new();
    let mut next = 0;
    let mut fresh = |count: usize| {
        next += count;
        (next - count..next).collect::<Vec<usize>>()
    };
    for n in 0..timelines {
        let is_root = n == 0 || chance.percent(10);
        if is_root {
            let ids = fresh(2 + below(chance, 30));
            made.push(Made { name: format!("Story {n}"), parent: None, shared: 0, ids });
            continue;
        }
        let parent = below(chance, made.len());
        let from = made[parent].clone();
        // Something of the user is in it: a greeting alone is no family.
        let shared = 2 + below(chance, from.ids.len() - 1);
        let mut ids = from.ids[..shared].to_vec();
        ids.extend(fresh(below(chance, 12)));
        let name = format!("{} - Branch #{n}", from.name);
        made.push(Made { name, parent: Some(parent), shared, ids });
    }
    made
}

/// What the files of families say.
pub(crate) fn traces(made: &[Made], known: Known, chance: &mut Chance) -> Vec<Trace> {
    let how: Vec<Known> = made
        .iter()
        .map(|_| match known {
            Known::Mixed => match below(chance, 3) {
                0 => Known::Records,
                1 => Known::Links,
                _ => Known::Content,
            },
            known => known,
        })
        .collect();
    let trace = |n: usize| {
        let one = &made[n];
        let mut metadata = format!(r#""integrity":"s{n}""#);
        let id = format!("id-{n}");
        match (one.parent, how[n]) {
            (Some(parent), Known::Records) => {
                let (chat, at) = (&made[parent].name, one.shared - 1);
                metadata.push_str(&format!(
                    r#","main_chat":"{chat}","lorefork":{{"v":1,"id":"{id}","kind":"branch","chat":"{}","slug":"s{n}","parent":{{"chat":"{chat}","slug":null,"id":"id-{parent}"}},"at":{at},"base":null,"lore":{{"source":"live","quality":"exact","from":null,"of":null,"hash":null}}}}"#,
                    one.name
                ));
            }
            (Some(parent), Known::Links) => {
                metadata.push_str(&format!(r#","main_chat":"{}""#, made[parent].name));
            }
            _ if known == Known::Records => metadata.push_str(&format!(
                r#","lorefork":{{"v":1,"id":"{id}","kind":"main","chat":"{}","slug":"s{n}"}}"#,
                one.name
            )),
            _ => {}
        }
        let mut lines = Vec::new();
        let own: Vec<(usize, &Made)> = made
            .iter()
            .enumerate()
            .filter(|(m, other)| other.parent == Some(n) && how[*m] == Known::Links)
            .collect();
        for (at, id) in one.ids.iter().enumerate() {
            let here = own.iter().filter(|(_, other)| other.shared == at + 1);
            let links: Vec<String> =
                here.map(|(_, other)| format!(r#""{}""#, other.name)).collect();
            let extra = match links.is_empty() {
                true => String::new(),
                false => format!(r#""branches":[{}]"#, links.join(",")),
            };
            lines.push(message(*id, id % 2 == 1 || at == 1, &extra));
        }
        read(&one.name, &format!(r#"{{"chat_metadata":{{{metadata}}}}}"#), &lines)
    };
    (0..made.len()).map(trace).collect()
}

/// What a file with these lines says.
pub(crate) fn read(name: &str, header: &str, lines: &[String]) -> Trace {
    let mut trace = Trace::new(chat(name), Place::Here);
    trace.add_header(header);
    let finders = Finders::default();
    for line in lines {
        trace.add_message(line.as_bytes(), 0, &finders);
    }
    trace
}

pub(crate) fn tree_of(traces: &[Trace]) -> Tree {
    tree(&owner(), traces, |_| Lore::Own)
}
