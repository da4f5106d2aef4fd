//! The plan, as people read it.

use std::fmt;

use super::plan::{LeftOut, OwnBook, Plan, Undecided};
use crate::words::count;

impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let timelines = count(self.timelines.len(), "timeline uses", "timelines share");
        writeln!(f, "{timelines} the lorebook “{}”.", self.lorebook)?;
        for own in &self.timelines {
            write!(f, "\n{own}")?;
        }
        Ok(())
    }
}

impl fmt::Display for OwnBook {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let entries = count(self.entries, "entry", "entries");
        let keeps = if self.keeps_name { "keeps" } else { "gets" };
        writeln!(f, "{}\n  {keeps} “{}” with {entries}", self.chat.name, self.lorebook)?;
        for name in &self.restored {
            writeln!(f, "  as it was here: {name}")?;
        }
        for left in &self.left_out {
            writeln!(f, "  left out: {left}")?;
        }
        if self.memories_left_out > 0 {
            let memories = count(self.memories_left_out, "memory", "memories");
            writeln!(f, "  left out: {memories} of other timelines' messages")?;
        }
        for undecided in &self.undecided {
            writeln!(f, "  undecided, kept: {undecided}")?;
        }
        if self.waiting > 0 {
            writeln!(
                f,
                "  {} waiting here",
                count(self.waiting, "operation goes on", "operations go on")
            )?;
        }
        Ok(())
    }
}

impl fmt::Display for LeftOut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.name, self.uid)?;
        if !self.of.is_empty() {
            write!(f, ", of “{}”", self.of.join("”, “"))?;
        }
        match self.at {
            Some(at) => write!(f, ", scene at message {at}"),
            None => Ok(()),
        }
    }
}

impl fmt::Display for Undecided {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({}): {}", self.name, self.uid, self.why)?;
        if !self.with.is_empty() {
            write!(f, "; perhaps “{}”", self.with.join("”, “"))?;
        }
        match &self.former {
            Some(former) => write!(f, "; its number was {former}"),
            None => Ok(()),
        }
    }
}
