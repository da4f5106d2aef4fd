//! The picture of a family, as data: rows from the beginning of the story downwards, lanes from left
//! to right. Whoever draws it, draws these rows.
//!
//! A row is where something happens: the story begins, a timeline leaves another, a timeline ends. On
//! a row in lane n the lanes left of it pass by, so nothing crosses. What leaves a lane is drawn,
//! with all that comes from it, before the lane goes on.

use super::tree::Family;
use crate::sorted;

/// More lanes than this, and each goes on with whoever has most below it, instead of with the
/// timeline it belongs to. Then there are never more than the logarithm of the timelines.
const MOST_LANES: usize = 6;

/// What is to be seen.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct View {
    /// The timeline whose path goes straight down.
    pub focus: Option<usize>,
    /// Only that path, and what leaves it.
    pub is_path: bool,
    /// Archived ones, too.
    pub with_archived: bool,
}

/// A family's rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Picture {
    /// From the beginning of the story down.
    pub rows: Vec<Row>,
    /// How many are needed side by side.
    pub lanes: usize,
}

/// One row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// What happens in it.
    pub stands: Stands,
    /// Whose row it is.
    pub timeline: usize,
    /// The lane it stands in, from 0.
    pub lane: usize,
    /// The lane that it leaves here.
    pub from: Option<usize>,
    /// How many messages of the story lie before.
    pub after: usize,
    /// Messages between this row and the one before on the same line.
    pub run: Option<Run>,
    /// How many timelines come from it that are not shown.
    pub hidden: usize,
    /// Whether it lies on the path of the focus.
    pub is_on_path: bool,
}

/// What a row stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stands {
    /// The story begins.
    Start,
    /// A timeline leaves another, and others leave it further down.
    Fork,
    /// A timeline leaves another, and that is all of it.
    Leaf,
    /// A timeline ends.
    Tip,
    /// Archived timelines that leave here: so many are hidden.
    Folded,
}

impl Stands {
    /// As it stands in answers.
    pub fn word(self) -> &'static str {
        match self {
            Self::Start => "start",
            Self::Fork => "fork",
            Self::Leaf => "leaf",
            Self::Tip => "tip",
            Self::Folded => "folded",
        }
    }
}

/// Messages that are not drawn one by one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Run {
    /// The lane they are drawn in.
    pub lane: usize,
    /// How many there are.
    pub messages: usize,
    /// Names of the scenes that end in it.
    pub scenes: Vec<String>,
}

impl Family {
    /// The rows of this family.
    pub fn picture(&self, view: View) -> Picture {
        let mut drawing = Drawing::new(self, view);
        let is_alone = drawing.children[0].is_empty();
        let (stands, from) = (if is_alone { Stands::Leaf } else { Stands::Start }, None);
        drawing.push(stands, 0, 0, from, 0, None, 0);
        drawing.rows[0].is_on_path = view.focus.is_some();
        if !is_alone {
            drawing.lane(0, 0, 0);
        }
        let lanes = drawing.rows.iter().map(|row| row.lane + 1).max().unwrap_or(0);
        Picture { rows: drawing.rows, lanes }
    }
}

struct Drawing<'f> {
    family: &'f Family,
    view: View,
    children: Vec<Vec<usize>>,
    /// How many timelines there are from each on.
    weight: Vec<usize>,
    /// Whether the focus comes from it, or is it.
    on_path: Vec<bool>,
    /// Whether it and all that comes from it are archived.
    is_away: Vec<bool>,
    is_deep: bool,
    rows: Vec<Row>,
}

impl<'f> Drawing<'f> {
    fn new(family: &'f Family, view: View) -> Self {
        let timelines = &family.timelines;
        let (mut weight, mut depth) = (vec![1; timelines.len()], vec![0; timelines.len()]);
        let mut is_away: Vec<bool> = timelines
            .iter()
            .map(|one| one.words.is_archived && one.parent.is_some() && !view.with_archived)
            .collect();
        let leaves = leaves(family);
        let mut children = vec![Vec::new(); timelines.len()];
        // Each stands behind its parent.
        for (n, parent) in leaves.iter().enumerate() {
            depth[n] = parent.map_or(0, |parent| depth[parent] + 1);
            if let Some(parent) = parent {
                children[*parent].push(n);
            }
        }
        for all in &mut children {
            sorted::by_key(all, |n: &usize| (timelines[*n].shared, *n));
        }
        for (n, parent) in leaves.iter().enumerate().rev() {
            if let Some(parent) = *parent {
                weight[parent] += weight[n];
                is_away[parent] &= is_away[n];
            }
        }
        let mut on_path = vec![false; timelines.len()];
        let mut at = view.focus;
        while let Some(n) = at {
            on_path[n] = true;
            is_away[n] = false;
            at = leaves[n];
        }
        let is_deep = depth.into_iter().max().unwrap_or(0) >= MOST_LANES;
        Self { family, view, children, weight, on_path, is_away, is_deep, rows: Vec::new() }
    }

    /// Draws a timeline from its child `next` on down to its end, with all that leaves it.
    fn lane(&mut self, timeline: usize, next: usize, lane: usize) {
        let (mut timeline, mut next) = (timeline, next);
        let mut done = self.rows.last().map_or(0, |row| row.after);
        loop {
            let Some(first) = self.children[timeline].get(next).copied() else {
                let end = self.family.timelines[timeline].messages.max(done);
                let run = self.run(timeline, lane, done, end);
                self.push(Stands::Tip, timeline, lane, None, end, run, 0);
                return;
            };
            let at = self.family.timelines[first].shared;
            let all = &self.children[timeline];
            let until = all[next..].iter().take_while(|n| self.family.timelines[**n].shared == at);
            let until = next + until.count();
            let here: Vec<usize> = all[next..until].to_vec();
            let rest = Side { timeline, next: until };
            let heir = self.heir(rest, &here);
            let mut run = self.run(timeline, lane, done, at.max(done));
            done = at.max(done);
            let mut away = Vec::new();
            if heir != timeline {
                self.side(rest, lane, done, &mut run);
            }
            for child in here.into_iter().filter(|child| *child != heir) {
                if self.is_away[child] {
                    away.push(child);
                } else {
                    self.side(Side { timeline: child, next: 0 }, lane, done, &mut run);
                }
            }
            if let Some(first) = away.first() {
                let hidden = away.iter().map(|child| self.weight[*child]).sum();
                let from = Some(lane);
                self.push(Stands::Folded, *first, lane + 1, from, done, run.take(), hidden);
            }
            next = if heir == timeline { until } else { 0 };
            timeline = heir;
        }
    }

    /// Draws what leaves a lane.
    fn side(&mut self, side: Side, lane: usize, done: usize, run: &mut Option<Run>) {
        let Side { timeline, next } = side;
        let further = self.further(side);
        let from = Some(lane);
        let is_on_path = self.is_on_path(side);
        let is_all = further == 0 || (self.view.is_path && !is_on_path);
        let (stands, hidden) = if is_all { (Stands::Leaf, further) } else { (Stands::Fork, 0) };
        let at = self.rows.len();
        self.push(stands, timeline, lane + 1, from, done, run.take(), hidden);
        self.rows[at].is_on_path = is_on_path;
        if !is_all {
            self.lane(timeline, next, lane + 1);
        }
    }

    /// How many timelines leave this one from here on.
    fn further(&self, side: Side) -> usize {
        self.children[side.timeline][side.next..].iter().map(|child| self.weight[*child]).sum()
    }

    fn is_on_path(&self, side: Side) -> bool {
        let further = &self.children[side.timeline][side.next..];
        self.view.focus == Some(side.timeline) || further.iter().any(|child| self.on_path[*child])
    }

    /// Who goes on in the lane.
    fn heir(&self, rest: Side, children: &[usize]) -> usize {
        if let Some(child) = children.iter().find(|child| self.on_path[**child]) {
            return *child;
        }
        if !self.is_deep || self.is_on_path(rest) {
            return rest.timeline;
        }
        let heaviest =
            children.iter().max_by_key(|child| (self.weight[**child], usize::MAX - **child));
        match heaviest {
            Some(child) if self.weight[*child] > self.further(rest) + 1 => *child,
            _ => rest.timeline,
        }
    }

    fn run(&self, timeline: usize, lane: usize, from: usize, to: usize) -> Option<Run> {
        let scenes = self.family.timelines[timeline].scenes.iter();
        let scenes = scenes.filter(|(at, _)| (from..to).contains(at)).map(|(_, name)| name.clone());
        (to > from).then(|| Run { lane, messages: to - from, scenes: scenes.collect() })
    }

    #[expect(clippy::too_many_arguments, reason = "a row, spelled out once")]
    fn push(
        &mut self,
        stands: Stands,
        timeline: usize,
        lane: usize,
        from: Option<usize>,
        after: usize,
        run: Option<Run>,
        hidden: usize,
    ) {
        let is_on_path = stands == Stands::Tip && self.view.focus == Some(timeline);
        self.rows.push(Row { stands, timeline, lane, from, after, run, hidden, is_on_path });
    }
}

/// Whose line each timeline leaves: its parent's, or that of an elder if it parts before its parent
/// itself begins.
fn leaves(family: &Family) -> Vec<Option<usize>> {
    let mut leaves: Vec<Option<usize>> = Vec::new();
    for one in &family.timelines {
        let mut from = one.parent;
        while let Some(parent) = from
            && let Some(elder) = leaves[parent]
            && one.shared <= family.timelines[parent].shared
        {
            from = Some(elder);
        }
        leaves.push(from);
    }
    leaves
}

/// A timeline from one of its children on.
#[derive(Debug, Clone, Copy)]
struct Side {
    timeline: usize,
    next: usize,
}
