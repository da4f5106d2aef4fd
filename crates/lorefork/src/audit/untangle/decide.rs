//! Which entries a timeline keeps, and how they were.
//!
//! The film of the lorebook is run for each timeline on its own. A change that all who can have made
//! it share with this timeline is its own; one that none of them does is somebody else's and does
//! not happen here; for the rest nobody knows, and then nothing is dropped.

use super::history::{History, Holders, Life, Picture};

/// What happens to the entries of one timeline.
#[derive(Debug, Clone, Default)]
pub(super) struct Decision {
    pub kept: Vec<Kept>,
    pub left_out: Vec<LeftOut>,
    /// Entries that were never this timeline's, though its snapshots may show them.
    pub foreign: Vec<usize>,
}

/// An entry the timeline keeps.
#[derive(Debug, Clone)]
pub(super) struct Kept {
    pub life: usize,
    pub version: usize,
    pub doubt: Option<Doubt>,
}

/// Why an entry is kept though nobody knows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Doubt {
    pub why: Why,
    /// Other timelines that it may belong to.
    pub with: Holders,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Why {
    /// Nothing recorded says who made it.
    MadeBySomebody,
    /// Nothing recorded says who changed it.
    ChangedBySomebody,
    /// This timeline and another changed it.
    ChangedByBoth,
    /// It is gone from the shared book, and nothing recorded says who removed it.
    RemovedBySomebody,
    /// No timeline can be shown to have written what the book says now.
    WrittenByNobody,
}

/// An entry of the live book that is not this timeline's.
#[derive(Debug, Clone)]
pub(super) struct LeftOut {
    pub life: usize,
    /// Whose it is.
    pub of: Holders,
    /// The message whose scene made it, if one did.
    pub at: Option<usize>,
}

enum Verdict {
    Own,
    Foreign,
    Unknown,
}

fn verdict(timeline: usize, holders: &[&Holders]) -> Verdict {
    let own = holders.iter().filter(|holders| holders[timeline]).count();
    match own {
        0 if !holders.is_empty() => Verdict::Foreign,
        own if own == holders.len() && own > 0 => Verdict::Own,
        _ => Verdict::Unknown,
    }
}

/// Decides for every timeline; `keeper` is the one that keeps the book's name. `is_elsewhere` says
/// whether a timeline that has its own book already has an entry there.
pub(super) fn decide(
    history: &History,
    timelines: usize,
    shares: &[bool],
    keeper: usize,
    is_elsewhere: &dyn Fn(&Life, usize) -> bool,
) -> Vec<Decision> {
    let mut decisions = vec![Decision::default(); timelines];
    let candidates: Vec<Vec<&Holders>> =
        (0..=history.live()).map(|number| history.candidates(number)).collect();
    for (index, life) in history.lives.iter().enumerate() {
        for timeline in (0..timelines).filter(|timeline| shares[*timeline]) {
            run(history, &candidates, timeline, (index, life), &mut decisions[timeline]);
        }
        // What the book says now must stay somewhere.
        if let Some(version) = life.shows[history.live()] {
            let is_kept = decisions.iter().any(|decision| {
                // Those of this entry came last.
                let mut kept = decision.kept.iter().rev().take_while(|kept| kept.life == index);
                kept.any(|kept| kept.version == version)
            });
            if !is_kept && !is_elsewhere(life, version) {
                let with = vec![false; timelines];
                decisions[keeper].kept.push(Kept {
                    life: index,
                    version,
                    doubt: Some(Doubt { why: Why::WrittenByNobody, with }),
                });
                decisions[keeper].left_out.pop_if(|left| left.life == index);
                decisions[keeper].foreign.pop_if(|foreign| *foreign == index);
            }
        }
    }
    decisions
}

/// Runs the film of one entry for one timeline.
fn run(
    history: &History,
    candidates: &[Vec<&Holders>],
    timeline: usize,
    (index, life): (usize, &Life),
    decision: &mut Decision,
) {
    let mut own: Option<usize> = None;
    let mut doubt: Option<Doubt> = None;
    let mut foreign: Option<(Holders, Option<usize>)> = None;
    let mut before = None;
    let mut was_own = false;
    for (number, shown) in life.shows.iter().copied().enumerate() {
        if shown == before {
            continue;
        }
        let is_new = before.is_none();
        let writers = shown.map(|_| history.writers(number, life, is_new));
        let who = writers.as_ref().map_or(&candidates[number], |writers| &writers.who);
        match verdict(timeline, who) {
            Verdict::Own if shown.is_none() => (own, doubt) = (None, None),
            Verdict::Own => {
                // Built on what somebody else had written: then it holds that, too.
                if own != before {
                    let with = foreign
                        .as_ref()
                        .map_or_else(|| others(timeline, who), |(of, _)| of.clone());
                    doubt = Some(Doubt { why: Why::ChangedByBoth, with });
                }
                own = shown;
            }
            Verdict::Foreign => {
                if shown.is_some() {
                    let is_recorded = writers.as_ref().is_some_and(|writers| writers.is_recorded);
                    let at = history.pictures.get(number).filter(|_| is_recorded);
                    foreign = Some((union(who), at.map(|picture| picture.at)));
                }
            }
            Verdict::Unknown => {
                let with = others(timeline, who);
                match shown {
                    None if own.is_some() => {
                        doubt = Some(Doubt { why: Why::RemovedBySomebody, with });
                    }
                    None => {}
                    Some(_) if own == before => {
                        let why = if is_new { Why::MadeBySomebody } else { Why::ChangedBySomebody };
                        (own, doubt) = (shown, Some(Doubt { why, with }));
                    }
                    // Another one's version was changed, by whom is unknown; its own stays.
                    Some(_) if own.is_some() => {
                        doubt = Some(Doubt { why: Why::ChangedBySomebody, with });
                    }
                    Some(_) => {
                        (own, doubt) = (shown, Some(Doubt { why: Why::ChangedBySomebody, with }));
                    }
                }
            }
        }
        before = shown;
        was_own |= own.is_some();
    }
    let is_seen =
        |picture: &Picture, shown: &Option<usize>| shown.is_some() && picture.holders[timeline];
    if !was_own
        && !life.is_registry
        && history.pictures.iter().zip(&life.shows).any(|(picture, shown)| is_seen(picture, shown))
    {
        decision.foreign.push(index);
    }
    match own {
        Some(version) => decision.kept.push(Kept { life: index, version, doubt }),
        None if before.is_some() => {
            let (of, at) = foreign.unwrap_or_default();
            decision.left_out.push(LeftOut { life: index, of, at });
        }
        None => {}
    }
}

fn union(holders: &[&Holders]) -> Holders {
    let len = holders.first().map_or(0, |holders| holders.len());
    (0..len).map(|index| holders.iter().any(|holders| holders[index])).collect()
}

fn others(timeline: usize, holders: &[&Holders]) -> Holders {
    let mut union =
        union(&holders.iter().copied().filter(|holders| !holders[timeline]).collect::<Vec<_>>());
    if let Some(own) = union.get_mut(timeline) {
        *own = false;
    }
    union
}
