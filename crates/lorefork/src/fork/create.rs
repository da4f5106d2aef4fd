//! Creating: the one flow that makes a checkpoint or a branch.

use super::look::{Look, Shelf, look};
use super::plan::{Plan, choice_of, family_id, plan};
use super::request::Request;
use super::steps::{make_lorebook, same_content, still_there};
use crate::error::report::{Finding, Report, findings_json};
use crate::error::{Code, Error, LOOK_AGAIN};
use crate::host::{ChatView, Host, Stamp, Step, Written};
use crate::json::Object;
use crate::moment::live::RECORD_VERSION;
use crate::moment::{Quality, Source};
use crate::operation::link;
use crate::operation::recover::{self, Healed};
use crate::operation::{Intent, LinkIntent, NewFile, What, hash};
use crate::say;
use crate::tavern::group::Group;
use crate::tavern::names::Kind;
use crate::tavern::place::{ChatRef, Owner};
use crate::tavern::slug;
use crate::timeline::record;

/// A fork that stands.
#[derive(Debug, Clone)]
pub struct Created {
    /// As answers have it: `checkpoint` or `branch`.
    pub kind: &'static str,
    /// The new timeline's name.
    pub chat: String,
    /// Relative to the user folder.
    pub file: String,
    /// The lorebook it got, or shares; none if it has none.
    pub lorebook: Option<String>,
    /// The fork point, which is its last message.
    pub at: usize,
    /// Where its lorebook was taken from.
    pub source: Source,
    /// The message whose snapshot that is.
    pub from: Option<usize>,
    /// How sure it is that it is the lorebook of that message.
    pub quality: Quality,
    /// What the user should know though nothing forbids it.
    pub warnings: Vec<Finding>,
    /// The same with its owner, for further calls.
    pub place: ChatRef,
    /// The operation, for undoing.
    pub id: String,
    /// Entries of the new lorebook besides its queue.
    pub entries: usize,
    /// The name of the newest scene at or before N.
    pub scene: Option<String>,
    /// The running recap's version in the new timeline.
    pub recap_version: Option<i64>,
    /// Numbers of entries that are as recorded, and of those of which nobody can tell; `None` if the
    /// quality says it of all.
    pub doubts: Option<(Vec<String>, Vec<String>)>,
    /// Whether it is a copy of an untouched checkpoint's.
    pub is_from_checkpoint: bool,
    /// Earlier operations that were healed first.
    pub healed: Vec<Healed>,
}

impl Created {
    /// What is asked of an answer; a host may add to it.
    pub fn json(&self) -> Object {
        let mut object = Object::new();
        object
            .text("kind", self.kind)
            .text("chat", &self.chat)
            .text("file", &self.file)
            .text_or_null("lorebook", self.lorebook.as_deref())
            .count("at", self.at)
            .text("source", self.source.word())
            .count_or_null("from", self.from)
            .text("quality", self.quality.word())
            .raw("warnings", &findings_json(&self.warnings));
        object
    }
}

/// May it be forked here? Reads only.
pub async fn assess<H: Host>(host: &H, request: &Request) -> Result<Report, Error> {
    match dry_run(host, request).await {
        Ok(plan) => Ok(plan.report),
        Err(mut error) => error.report.take().map(|report| *report).ok_or(error),
    }
}

/// The name that a fork would get, for somebody to change it. Refused as the fork would be: nobody
/// should think of a name for what cannot be made. Reads only.
pub async fn suggest<H: Host>(host: &H, request: &Request) -> Result<String, Error> {
    let plan = dry_run(host, request).await?;
    match plan.report.question(&request.ask) {
        Some(question) => Err(question),
        None => Ok(plan.chat.name),
    }
}

/// The plan of a fork that would be made. Reads only.
pub async fn dry_run<H: Host>(host: &H, request: &Request) -> Result<Plan, Error> {
    Ok(look_and_plan(host, request).await?.1)
}

async fn look_and_plan<H: Host>(
    host: &H,
    request: &Request,
) -> Result<(Look<H::Chat>, Plan), Error> {
    let (chat, shelf) = (&request.chat, Shelf::default());
    let (look, live) = look(host, chat, request.at, request.swipe, &shelf, &|look, live| {
        choice_of(look, request, live)
    })
    .await?;
    let plan = plan(&look, request, live.as_ref())?;
    Ok((look, plan))
}

/// Makes a checkpoint or branch.
pub async fn create<H: Host>(host: &H, request: &Request) -> Result<Created, Error> {
    let what = match request.kind {
        Kind::Checkpoint => "a checkpoint",
        Kind::Branch => "a branch",
    };
    let _claim = host.claim(&format!("making {what} of {}", request.chat)).await?;
    let healed = recover::heal(host).await?;
    host.progress(Step::Validating);
    host.settle(&request.chat).await?;
    // Once more from the beginning if somebody wrote to the lorebook or took the name meanwhile.
    let mut retried = false;
    loop {
        let (look, plan) = look_and_plan(host, request).await?;
        if let Some(question) = plan.report.question(&request.ask) {
            return Err(question);
        }
        match (Fork { host, look: &look, plan: &plan, request }).make().await {
            Ok(warnings) => return Ok(created(plan, warnings, healed)),
            Err(error) if error.code == Code::ChangedMeanwhile && !retried => retried = true,
            Err(error) if error.code == Code::NameTaken && request.name.is_none() && !retried => {
                retried = true;
            }
            Err(error) => return Err(error),
        }
    }
}

fn created(plan: Plan, late: Vec<Finding>, healed: Vec<Healed>) -> Created {
    let mut warnings = plan.report.warnings;
    warnings.extend(late);
    Created {
        kind: record::Kind::from(plan.kind).word(),
        chat: plan.chat.name.clone(),
        file: plan.chat.file(),
        entries: plan.lorebook.as_ref().map_or(0, |book| book.entries),
        lorebook: plan.lorebook.map(|book| book.name).or(plan.shares),
        is_from_checkpoint: plan.moment.checkpoint.is_some(),
        doubts: plan.doubts,
        at: plan.at,
        source: plan.moment.source,
        from: plan.moment.from,
        quality: plan.moment.quality,
        warnings,
        place: plan.chat,
        id: plan.id,
        scene: plan.scene,
        recap_version: plan.recap_version,
        healed,
    }
}

/// One attempt.
struct Fork<'f, H: Host> {
    host: &'f H,
    look: &'f Look<H::Chat>,
    plan: &'f Plan,
    request: &'f Request,
}

impl<H: Host> Fork<'_, H> {
    /// Writes everything, in the order that leaves nothing half-made: lorebook, timeline, group,
    /// link. Returns warnings about what came after the fork stood.
    async fn make(&self) -> Result<Vec<Finding>, Error> {
        let intent = self.intent()?;
        self.host.progress(Step::Lorebook);
        self.host.note(&intent.id, &intent.text()).await?;
        if let Err(error) = make_lorebook(self.host, self.look, self.plan.lorebook.as_ref()).await {
            return Err(self.take_back(&intent, None, error).await);
        }
        self.host.progress(Step::Recording);
        if let Err(error) = self.still_there().await {
            return Err(self.take_back(&intent, None, error).await);
        }
        self.host.progress(Step::Creating);
        let stamp = match self.make_chat().await {
            Ok(stamp) => stamp,
            Err(error) => return Err(self.take_back(&intent, None, error).await),
        };
        if let Some(group) = &intent.group {
            let listed = match self.still_there().await {
                Ok(()) => link::list_in_group(self.host, group, &self.plan.chat.name).await,
                Err(error) => Err(error),
            };
            if let Err(error) = listed {
                return Err(self.take_back(&intent, Some(&stamp), error).await);
            }
        } else if let Err(error) = self.still_there().await {
            return Err(self.take_back(&intent, Some(&stamp), error).await);
        }
        Ok(link::round_off(self.host, &intent, &self.look.view, Some(stamp)).await)
    }

    fn group(&self) -> Option<Group<'_>> {
        self.look.group.as_ref().and_then(|found| Group::read(&found.text).ok())
    }

    /// Whether the group lists the new timeline before it is there: one that had its name is gone.
    fn is_listed(&self) -> bool {
        self.group().is_some_and(|group| group.lists(&self.plan.chat.name))
    }

    fn intent(&self) -> Result<Intent, Error> {
        let plan = self.plan;
        let parent = self.look.view.chat();
        let mut intent = Intent {
            v: RECORD_VERSION,
            id: plan.id.clone(),
            what: What::from(plan.kind),
            time: self.look.now.ms,
            chat: plan.chat.clone(),
            slug: plan.slug.clone(),
            at: plan.at,
            lorebook: plan.lorebook.as_ref().map(|book| NewFile::new(&book.name, &book.text)),
            group: match &parent.owner {
                Owner::Group(id) => Some(id.clone()).filter(|_| !self.is_listed()),
                Owner::Character(_) => None,
            },
            bare_list: self.group().and_then(|group| group.bare_list()),
            link: None,
            changes: Vec::new(),
            done: false,
        };
        if self.request.link {
            let line = self.look.view.line(plan.at)?;
            let link = LinkIntent {
                parent: parent.clone(),
                slug: self.host.is_outside().then(|| slug::slug(self.look.parent_slug)),
                id: family_id(self.look),
                message: hash(&line),
            };
            link::intend(&mut intent, link, &self.look.view, &line);
        }
        Ok(intent)
    }

    async fn still_there(&self) -> Result<(), Error> {
        still_there(self.host, self.look).await
    }

    async fn make_chat(&self) -> Result<Stamp, Error> {
        let mut pieces = self.plan.pieces(&self.look.view);
        match self
            .host
            .create_chat(&self.plan.chat, &self.plan.header, &mut pieces, &self.look.view)
            .await
        {
            Written::Done(stamp) => Ok(stamp),
            Written::Refused(error) => Err(error.into()),
            Written::Unknown(error) => {
                self.host.pause().await;
                match self.host.open(&self.plan.chat).await {
                    Ok(view)
                        if view.header() == self.plan.header
                            || same_content(view.header(), &self.plan.header) =>
                    {
                        Ok(view.stamp().clone())
                    }
                    _ => Err(Error::answer_lost(&error)),
                }
            }
        }
    }

    /// Removes what was made, last first, and says why. After a lost answer nothing is removed: it
    /// may still arrive.
    async fn take_back(&self, intent: &Intent, chat: Option<&Stamp>, error: Error) -> Error {
        if error.code == Code::AnswerLost {
            return error;
        }
        if let Some(stamp) = chat
            && let Written::Refused(undo) | Written::Unknown(undo) =
                self.host.remove_chat(&self.plan.chat, stamp).await
        {
            // The intent stays, and the timeline is complete: the next operation finishes it.
            let message =
                say!("{0}; and the new timeline could not be taken back: {1}", &error, &undo);
            return Error::new(Code::NotTakenBack, message, LOOK_AGAIN);
        }
        if recover::remove_unnamed_lorebook(self.host, intent).await.is_ok() {
            // If it cannot be forgotten, healing finds nothing left to undo.
            let _ = self.host.forget(&intent.id).await;
        }
        error
    }
}
