//! Adopting: a fork that somebody else makes gets, as it is saved, all that ours get: its own
//! lorebook, a record of where it comes from, and a parent that links to it.

use super::create::Created;
use super::look::{Look, Shelf, look};
use super::plan::{doubts, family_id, newest_scene, recap_version};
use super::rebind::{self, Isolation, IsolationPlan, Purpose};
use super::steps::{make_lorebook, still_there};
use crate::error::{Code, Error};
use crate::host::{ChatView, Host, Stamp, Step, Written};
use crate::moment::LoreChoice;
use crate::moment::live::RECORD_VERSION;
use crate::operation::link::{self, Edited};
use crate::operation::recover::{self, Healed};
use crate::operation::{Intent, LinkIntent, NewFile, What, hash};
use crate::tavern::chat::Header;
use crate::tavern::names;
use crate::tavern::place::{ChatRef, Owner};
use crate::tavern::slug;
use crate::timeline::record::{self, Parent, own_id};

/// Gives the timeline that somebody else is about to save what it would have as one of ours. `None`
/// if it is no new one, or shares its lorebook on purpose; then nothing was written.
pub async fn adopt<H: Host>(
    host: &H,
    chat: &ChatRef,
    lore: LoreChoice,
) -> Result<Option<Created>, Error> {
    let _claim = host.claim(&format!("making {chat}")).await?;
    let healed = recover::heal(host).await?;
    host.progress(Step::Validating);
    host.settle(chat).await?;
    // Once more from the beginning if somebody wrote to the lorebook meanwhile.
    let mut retried = false;
    loop {
        let shelf = Shelf::default();
        let (look, live) = look(host, chat, None, None, &shelf, &|_, _| lore).await?;
        let origin = Origin::find(host, &look).await;
        let purpose = Purpose::Adopt(&origin.parent);
        let plan = rebind::plan(host, &look, live.as_ref(), lore, purpose).await?;
        let Isolation::Planned(plan) = plan else { return Ok(None) };
        let intent = intent(host, &look, &plan, &origin)?;
        match write(host, &look, &plan, &intent).await {
            Ok((_, stamp)) => {
                let view = origin.view.as_ref().unwrap_or(&look.view);
                let late = link::round_off(host, &intent, view, stamp.map(Stamp)).await;
                let mut created = created(&look, *plan, healed);
                created.warnings.extend(late);
                return Ok(Some(created));
            }
            Err(error) if error.code == Code::ChangedMeanwhile && !retried => retried = true,
            Err(error) => return Err(error),
        }
    }
}

/// The timeline it comes from.
struct Origin<C> {
    parent: Parent,
    /// `None` if it cannot be read: then it is not linked.
    view: Option<C>,
}

impl<C: ChatView> Origin<C> {
    async fn find<H: Host<Chat = C>>(host: &H, look: &Look<C>) -> Self {
        let name = look.header().main_chat().unwrap_or_default();
        let unknown = Parent { chat: name.clone(), slug: None, id: None };
        let Some(file) = names::chat_name(&name) else {
            return Self { parent: unknown, view: None };
        };
        let view = host.open(&look.view.chat().sibling(file)).await.ok();
        let parent = view.as_ref().and_then(|view| {
            let header = Header::read(view.header()).ok()?;
            let slug = match look.is_outside {
                true => Some(slug::slug(look.parent_slug)),
                false => header.slug(),
            };
            let chat = view.chat().name.clone();
            let id = own_id(&header, &chat).unwrap_or_else(|| family_id(look));
            Some(Parent { chat, slug, id: Some(id) })
        });
        match parent {
            Some(parent) => Self { parent, view },
            None => Self { parent: unknown, view: None },
        }
    }
}

fn intent<H: Host>(
    host: &H,
    look: &Look<H::Chat>,
    plan: &IsolationPlan,
    origin: &Origin<H::Chat>,
) -> Result<Intent, Error> {
    let mut intent = Intent {
        v: RECORD_VERSION,
        id: plan.id.clone(),
        what: What::from(plan.kind),
        time: look.now.ms,
        chat: plan.chat.clone(),
        slug: plan.slug.clone(),
        at: plan.at,
        lorebook: Some(NewFile::new(&plan.lorebook.name, &plan.lorebook.text)),
        // Whoever makes it has listed it before it is saved.
        group: match &plan.chat.owner {
            Owner::Group(id) => Some(id.clone()),
            Owner::Character(_) => None,
        },
        bare_list: None,
        link: None,
        changes: Vec::new(),
        done: false,
    };
    let view = origin.view.as_ref().filter(|view| plan.at < view.len());
    if let (Some(view), Some(id)) = (view, &origin.parent.id) {
        let line = view.line(plan.at)?;
        let link = LinkIntent {
            parent: view.chat().clone(),
            slug: origin.parent.slug.clone().filter(|_| host.is_outside()),
            id: id.clone(),
            message: hash(&line),
        };
        link::intend(&mut intent, link, view, &line);
    }
    Ok(intent)
}

fn created<C: ChatView>(look: &Look<C>, plan: IsolationPlan, healed: Vec<Healed>) -> Created {
    Created {
        kind: record::Kind::from(plan.kind).word(),
        chat: plan.chat.name.clone(),
        file: plan.chat.file(),
        entries: plan.lorebook.entries,
        is_from_checkpoint: plan.moment.checkpoint.is_some(),
        doubts: doubts(look, &plan.moment, Some(&plan.lorebook)),
        lorebook: Some(plan.lorebook.name),
        at: plan.at,
        source: plan.moment.source,
        from: plan.moment.from,
        quality: plan.moment.quality,
        scene: newest_scene(look),
        recap_version: plan.edits.first().and_then(|header| recap_version(&header.text)),
        warnings: plan.report.warnings,
        place: plan.chat,
        id: plan.id,
        healed,
    }
}

/// Writes lorebook and timeline, or nothing.
async fn write<H: Host>(
    host: &H,
    look: &Look<H::Chat>,
    plan: &IsolationPlan,
    intent: &Intent,
) -> Result<Edited, Error> {
    host.progress(Step::Lorebook);
    host.note(&intent.id, &intent.text()).await?;
    let made = async {
        make_lorebook(host, look, Some(&plan.lorebook)).await?;
        host.progress(Step::Recording);
        still_there(host, look).await?;
        host.progress(Step::Creating);
        write_chat(host, look, plan).await
    };
    let made = made.await;
    if let Err(error) = &made {
        // After a lost answer nothing is removed: it may still arrive.
        if error.code != Code::AnswerLost
            && recover::remove_unnamed_lorebook(host, intent).await.is_ok()
        {
            let _ = host.forget(&intent.id).await;
        }
    }
    made
}

async fn write_chat<H: Host>(
    host: &H,
    look: &Look<H::Chat>,
    plan: &IsolationPlan,
) -> Result<Edited, Error> {
    match host.edit_chat(&look.view, &plan.edits).await {
        Written::Done(stamp) => Ok((Some(look.view.stamp().0.clone()), Some(stamp.0))),
        Written::Refused(error) => Err(error.into()),
        Written::Unknown(error) => {
            host.pause().await;
            let now = host.open(&plan.chat).await.ok();
            let names = now.and_then(|view| {
                Header::read(view.header()).ok().and_then(|header| header.lorebook())
            });
            if names.as_deref() == Some(&plan.lorebook.name) {
                Ok((None, None))
            } else {
                Err(Error::answer_lost(&error))
            }
        }
    }
}
