//! The whole repair, as one: look, untangle, mend, look again.
//!
//! Everything is planned on the folder as it will be, round after round, until a look at it finds
//! nothing more that can be done: untangling shows what was hidden, and one repair may be in
//! another's way. What would still be found after its repair is not touched, and left to the user.
//! So the preview is all that will be done, one change set does it, and doing it twice changes
//! nothing. Then the folder itself is looked at once more: only what is really gone is mended.

use crate::operation::title;
use crate::say;
use crate::sentence::Sentence;
use crate::sorted::{self, Index};

use super::{Missing, Outcome, apart, mend_all};
use crate::audit;
use crate::audit::facts::Folder;
use crate::audit::problem::{Action, Problem};
use crate::audit::untangle;
use crate::error::{Code, Error};
use crate::host::Host;
use crate::operation::What;
use crate::operation::ahead::Ahead;
use crate::operation::change::{self, Done, FileChange};
use crate::operation::recover::{self, Healed};
use crate::tavern::place::ChatRef;

/// So often is looked again at what will be. Two are the rule; more are needed where repairs make
/// room for others.
const ROUNDS: usize = 8;
/// So often is planned anew without what cannot be cured.
const TRIES: usize = 8;

/// How to look at the folder that is to be repaired, and what somebody wants repaired there.
#[expect(async_fn_in_trait, reason = "as in hosts: futures are neither sent nor boxed")]
pub trait Look {
    /// What the files say now.
    async fn folder(&self) -> Result<Folder, Error>;
    /// What is wrong, as far as it is asked about here.
    fn problems(&self, folder: &Folder) -> Vec<Problem>;
    /// Whether this one is to be repaired.
    fn is_asked(&self, problem: &Problem) -> bool;
}

/// What became of a problem, or would.
#[derive(Debug, Clone)]
pub struct Step {
    /// What was found.
    pub problem: Problem,
    /// Whether it is cured, or would be.
    pub outcome: Outcome,
    /// How a shared lorebook comes apart.
    pub untangling: Option<untangle::Plan>,
    /// Whether the repairs of others cure it.
    goes_along: bool,
}

impl Step {
    fn goes_along(&mut self) {
        self.outcome = Outcome::Mended;
        self.goes_along = true;
        self.problem.fix.says = GOES_ALONG;
    }
}

/// What a repair would do.
#[derive(Debug, Clone)]
pub struct Plan {
    /// One for each problem, in the order in which they are repaired.
    pub steps: Vec<Step>,
    /// One for each file.
    pub changes: Vec<FileChange>,
}

/// A repair that was made.
#[derive(Debug, Clone)]
pub struct Repaired {
    /// With what was found when it was looked at again.
    pub plan: Plan,
    /// `None` if nothing had to be changed.
    pub done: Option<Done>,
}

/// What would be done about the problems of a folder that was looked at. Reads only.
pub async fn plan<H: Host>(
    host: &Ahead<'_, H>,
    look: &impl Look,
    folder: &Folder,
    missing: Missing,
) -> Result<Plan, Error> {
    let mut hopeless: Vec<String> = Vec::new();
    let mut tries = 0;
    loop {
        let (mut plan, uncured) = attempt(host, look, folder.clone(), missing, &hopeless).await?;
        tries += 1;
        if uncured.is_empty() {
            return Ok(plan);
        }
        if tries == TRIES {
            for step in &mut plan.steps {
                if is_in(&uncured, &step.problem) {
                    step.outcome = Outcome::NotCured(NO_CURE);
                }
            }
            return Ok(plan);
        }
        for identity in uncured {
            sorted::insert(&mut hopeless, identity);
        }
    }
}

/// Heals what was interrupted, repairs, and looks again; as one operation.
pub async fn repair<H: Host>(
    host: &Ahead<'_, H>,
    look: &impl Look,
    missing: Missing,
) -> Result<Repaired, Error> {
    let _claim = host.claim("repairing").await?;
    let (mut healing, unhealed) = heal(host, look).await?;
    let mut retried = false;
    let (mut plan, done) = loop {
        let folder = look.folder().await?;
        let plan = plan(host, look, &folder, missing).await?;
        if plan.changes.is_empty() {
            break (plan, None);
        }
        let (what, title) = title(&plan);
        match change::apply(host, what, title, plan.changes.clone()).await {
            Ok(done) => break (plan, Some(done)),
            Err(error) if error.code == Code::ChangedMeanwhile && !retried => retried = true,
            Err(error) => return Err(error),
        }
    };
    if done.is_some() {
        let found = look.problems(&look.folder().await?);
        plan.steps = look_again(plan.steps, found, look);
    }
    // What is interrupted still could not be healed.
    for step in plan.steps.iter_mut().filter(|step| step.problem.fix.action == Action::Heal) {
        step.outcome = Outcome::Left(unhealed.clone().unwrap_or(NO_CURE));
    }
    healing.append(&mut plan.steps);
    plan.steps = healing;
    Ok(Repaired { plan, done })
}

/// What was interrupted is healed before anything is looked at, whether it was asked for or not.
/// With what was healed comes why something was left, if anything was.
async fn heal<H: Host>(host: &H, look: &impl Look) -> Result<(Vec<Step>, Option<Sentence>), Error> {
    let unfinished = host.unfinished().await?;
    if unfinished.is_empty() {
        return Ok((Vec::new(), None));
    }
    let mut found = look.problems(&Folder { unfinished, ..Folder::default() });
    found.retain(|problem| look.is_asked(problem));
    for healed in recover::heal(host).await? {
        if let Healed::Left(why) = healed {
            // It is found again.
            return Ok((Vec::new(), Some(why)));
        }
    }
    let mended =
        |problem| Step { problem, outcome: Outcome::Mended, untangling: None, goes_along: false };
    Ok((found.into_iter().map(mended).collect(), None))
}

/// Plans without what is known to be hopeless. With the plan comes what would still be found.
async fn attempt<H: Host>(
    host: &Ahead<'_, H>,
    look: &impl Look,
    mut folder: Folder,
    missing: Missing,
    hopeless: &[String],
) -> Result<(Plan, Vec<String>), Error> {
    let planning = host.planning();
    let mut steps = Steps::default();
    let mut found = look.problems(&folder);
    let asked: Vec<Problem> =
        found.iter().filter(|problem| look.is_asked(problem)).cloned().collect();
    // What the later rounds did: one repair may undo another's, round after round.
    let mut endless: Vec<String> = Vec::new();
    for round in 1..=ROUNDS {
        let mut last: Vec<String> = Vec::new();
        found.retain(|problem| look.is_asked(problem) || steps.has(problem));
        let (left, asked): (Vec<_>, Vec<_>) =
            found.into_iter().partition(|problem| is_in(hopeless, problem));
        for problem in left {
            steps.put(problem, Outcome::Left(NO_CURE), None);
        }
        let (shared, rest): (Vec<_>, Vec<_>) =
            asked.into_iter().partition(|problem| apart::sharing(problem).is_some());
        for problem in shared {
            match apart::plan(host, &problem).await {
                Ok(plan) => {
                    folder.lay(&plan.changes());
                    planning.add(plan.changes());
                    last.push(problem.identity());
                    steps.put(problem, Outcome::Mended, Some(plan));
                }
                // Other families can still be helped.
                Err(why) => steps.put(problem, Outcome::Left(why), None),
            }
        }
        // Untangling cures more than it was asked for, and shows more: that is looked at first.
        if last.is_empty() {
            let mended = mend_all(host, &folder, &rest, missing).await?;
            for (problem, outcome) in rest.into_iter().zip(mended.outcomes) {
                if outcome == Outcome::Mended && !mended.changes.is_empty() {
                    last.push(problem.identity());
                }
                if problem.fix.action == Action::Heal {
                    folder.unfinished.clear();
                }
                steps.put(problem, outcome, None);
            }
            folder.lay(&mended.changes);
            planning.add(mended.changes);
        }
        found = look.problems(&folder);
        if last.is_empty() {
            endless.clear();
            break;
        }
        if round > ROUNDS / 2 {
            for identity in last {
                sorted::insert(&mut endless, identity);
            }
        }
    }
    let left: Vec<_> = found.iter().map(about).collect();
    let mut found: Vec<String> = found.iter().map(Problem::identity).collect();
    sorted::sort(&mut found);
    let mut uncured = endless;
    for step in &mut steps.all {
        let is_found = is_in(&found, &step.problem);
        match step.outcome {
            Outcome::Mended if is_found => {
                sorted::insert(&mut uncured, step.problem.identity());
            }
            Outcome::Left(_) if !is_found => step.goes_along(),
            _ => {}
        }
    }
    // What was gone before its turn came. It may have come back with another lorebook.
    let told = steps.all.iter().map(|step| about(&step.problem)).chain(left);
    let mut told: Vec<(audit::Code, Option<ChatRef>)> = told.collect();
    sorted::sort(&mut told);
    for problem in asked {
        if told.binary_search(&about(&problem)).is_ok() {
            continue;
        }
        steps.put(problem, Outcome::Mended, None);
        steps.all.last_mut().into_iter().for_each(Step::goes_along);
    }
    Ok((Plan { steps: steps.all, changes: planning.into_changes() }, uncured))
}

/// Whether a problem is one of these, which are in their order.
fn is_in(identities: &[String], problem: &Problem) -> bool {
    identities.binary_search(&problem.identity()).is_ok()
}

/// What is wrong, and with which chat.
fn about(problem: &Problem) -> (audit::Code, Option<ChatRef>) {
    (problem.code, problem.chat.clone())
}

const NO_CURE: Sentence =
    say!("Lorefork has no repair that would cure this, so nothing is changed.");
const GOES_ALONG: Sentence = say!("It goes with the other repairs.");

/// What became of each problem so far.
#[derive(Default)]
struct Steps {
    all: Vec<Step>,
    places: Index<String, usize>,
}

impl Steps {
    fn of(all: Vec<Step>) -> Self {
        let mut places = Index::default();
        for (at, step) in all.iter().enumerate() {
            *places.or_insert(step.problem.identity(), at) = at;
        }
        Self { places, all }
    }

    fn has(&self, problem: &Problem) -> bool {
        self.places.get(&problem.identity()).is_some()
    }

    /// Of a problem that was met before, what counts is how it ended.
    fn put(&mut self, problem: Problem, outcome: Outcome, untangling: Option<untangle::Plan>) {
        match self.places.get(&problem.identity()) {
            Some(at) => {
                let step = &mut self.all[*at];
                step.problem.fix = problem.fix;
                step.outcome = outcome;
                step.untangling = untangling.or(step.untangling.take());
            }
            None => {
                self.places.or_insert(problem.identity(), self.all.len());
                self.all.push(Step { problem, outcome, untangling, goes_along: false });
            }
        }
    }
}

/// Says of what is still there that it is, and adds what nobody could foresee.
fn look_again(steps: Vec<Step>, found: Vec<Problem>, look: &impl Look) -> Vec<Step> {
    let mut steps = Steps::of(steps);
    for problem in found {
        match steps.places.get(&problem.identity()).map(|at| &mut steps.all[*at]) {
            Some(step) if step.outcome == Outcome::Mended => {
                step.outcome = Outcome::NotCured(STILL_THERE);
            }
            Some(_) => {}
            None if look.is_asked(&problem) => {
                steps.put(problem, Outcome::NotCured(NEW), None);
            }
            None => {}
        }
    }
    steps.all
}

const STILL_THERE: Sentence =
    say!("It was repaired, and is found all the same. Undo brings back what was before.");
const NEW: Sentence = say!("It came up with the repairs, or meanwhile. Check again.");

/// What `log` calls it. What goes along with other repairs counts, as it does for whoever is told.
fn title(plan: &Plan) -> (What, Sentence) {
    let is_mended = |step: &&Step| step.outcome == Outcome::Mended;
    let mended: Vec<&Step> = plan.steps.iter().filter(is_mended).collect();
    let own: Vec<&Step> = mended.iter().copied().filter(|step| !step.goes_along).collect();
    match own[..] {
        [Step { untangling: Some(untangling), .. }] => (What::Untangle, untangling.title()),
        _ => {
            let says = if mended.len() == 1 { title::PROBLEM } else { title::PROBLEMS };
            (What::Fix, Sentence { says, with: vec![mended.len().into()] })
        }
    }
}
