//! A chat as the engine probes it.

use std::cell::OnceCell;
use std::ops::Range;

use lorefork::host::{ChatView, Damage, HostError, Stamp};
use lorefork::say;
use lorefork::tavern::place::ChatRef;

use crate::intercept::Sent;
use crate::page::Frozen;

/// A frozen chat: of the page or the server, or one that is on its way to the server.
pub(crate) enum View {
    Frozen { chat: ChatRef, header: String, stamp: OnceCell<Stamp>, texts: Frozen },
    Sent(Sent),
}

impl View {
    pub(crate) fn frozen(chat: &ChatRef, texts: Frozen) -> Self {
        let header = texts.header();
        // Made of all lines, so only when somebody asks.
        Self::Frozen { chat: chat.clone(), header, stamp: OnceCell::new(), texts }
    }
}

fn range(range: Range<usize>) -> (u32, u32) {
    // JavaScript's arrays are not longer.
    let number = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
    (number(range.start), number(range.end))
}

impl ChatView for View {
    fn chat(&self) -> &ChatRef {
        match self {
            Self::Frozen { chat, .. } => chat,
            Self::Sent(sent) => sent.chat(),
        }
    }

    fn header(&self) -> &str {
        match self {
            Self::Frozen { header, .. } => header,
            Self::Sent(sent) => sent.header(),
        }
    }

    fn len(&self) -> usize {
        match self {
            Self::Frozen { texts, .. } => texts.count() as usize,
            Self::Sent(sent) => sent.len(),
        }
    }

    fn stamp(&self) -> &Stamp {
        match self {
            Self::Frozen { stamp, texts, .. } => stamp.get_or_init(|| Stamp(texts.stamp())),
            Self::Sent(sent) => sent.stamp(),
        }
    }

    fn find(&self, key: &str, within: Range<usize>) -> Result<Vec<usize>, HostError> {
        let needle = format!("\"{key}\"");
        Ok(match self {
            Self::Frozen { texts, .. } => {
                let (start, end) = range(within);
                texts.find(&needle, start, end).into_iter().map(|index| index as usize).collect()
            }
            Self::Sent(sent) => within.filter(|&i| sent.line(i).contains(&needle)).collect(),
        })
    }

    fn line(&self, message: usize) -> Result<String, HostError> {
        Ok(match self {
            Self::Frozen { texts, .. } => texts.line(range(message..message).0),
            Self::Sent(sent) => sent.line(message).to_owned(),
        })
    }

    fn check(&self, within: Range<usize>) -> Result<Option<Damage>, HostError> {
        // JavaScript made these texts, so they are JSON; but anything may stand in an array.
        let odd = match self {
            Self::Frozen { texts, .. } => {
                let (start, end) = range(within);
                texts.unlike("{", start, end).map(|index| index as usize)
            }
            Self::Sent(sent) => within.into_iter().find(|&i| !sent.line(i).starts_with('{')),
        };
        Ok(odd.map(|message| Damage {
            message,
            line: message + 2,
            problem: say!("it is not a JSON object"),
        }))
    }
}
