//! Looking: everything a fork is judged and planned by, read once and frozen.

mod beside;
mod book;
mod checkpoint;
mod film;
mod others;
mod parting;
mod scenes;
mod sound;
mod together;

use crate::say;
use crate::sorted;
use crate::timeline::header::header;
use book::{has_left, named_by, unreadable};
use checkpoint::{Child, child_of};
use others::{Others, others};
use scenes::{first_evidence, scenes};
use sound::{check, fork_point, group_of};

pub(crate) use book::SeenLorebook;
pub(super) use book::Shelf;
pub(crate) use checkpoint::Untouched;
pub(crate) use film::{Filmed, in_common, same_beginning};
pub(crate) use scenes::{find_any, messages_naming};

use crate::error::{Code, Error};
use crate::host::{ChatView, Damage, Document, HeaderOf, Host, HostErrorKind, Now};
use crate::memory::parting::Identities;
use crate::memory::ranges::Told;
use crate::memory::running::Running;
use crate::memory::scene::{Scene, superseded};
use crate::moment::LoreChoice;
use crate::moment::evidence::Evidence;
use crate::naming;
use crate::operation::order::next_number;
use crate::tavern::card::Card;
use crate::tavern::chat::{Header, with_swipe};
use crate::tavern::group::Group;
use crate::tavern::lorebook::Lorebook;
use crate::tavern::place::{ChatRef, Owner};
use crate::tavern::settings::Settings;

/// What was seen of a chat, its lorebook and its surroundings.
#[derive(Debug)]
pub struct Look<C> {
    /// The chat, frozen.
    pub view: C,
    /// The fork point N.
    pub at: usize,
    /// Whether the fork point is the chat's last message.
    pub is_last: bool,
    /// Message N as the new timeline will hold it.
    pub line: String,
    /// Whether another swipe than the shown one was asked for.
    pub is_swiped: bool,
    /// Scenes up to N, as the new timeline will hold them.
    pub scenes: Vec<Scene>,
    /// Whether these are all, not only those that can still matter.
    pub has_all_scenes: bool,
    /// Messages up to N that may name the lorebook.
    pub naming: Vec<usize>,
    /// Whether evidence lies after N.
    pub evidence_after: bool,
    /// When the next scene after N was first recapped, if known.
    pub recapped_after: Option<f64>,
    /// A damaged message after N.
    pub damage_after: Option<Damage>,
    /// The chat's lorebook, if its file is there.
    pub lorebook: Option<SeenLorebook>,
    /// The last message that its parent tells, too; `None` if nobody knows.
    parting: Option<i64>,
    /// Other timelines that name the lorebook.
    pub others: Vec<ChatRef>,
    /// When other timelines wrote to that lorebook.
    pub others_evidence: Vec<Evidence>,
    /// Those of them that were opened.
    opened: Vec<C>,
    /// Headers of those that have its identity, too.
    pub alike: Vec<String>,
    /// Timelines that used it, and have their own by now.
    pub witnesses: Vec<HeaderOf>,
    /// When other lorebooks parted from it, in milliseconds.
    partings: Vec<f64>,
    /// What the film of the lorebook says, where the live one is not simply the answer.
    pub film: Option<Filmed>,
    /// Timelines we made from this one at or before N, newest fork point first.
    children: Vec<Child>,
    /// The one of them that serves as snapshot, if one is needed and there is one.
    pub checkpoint: Option<Untouched>,
    /// SillyTavern's settings, where the host knows them.
    pub settings: Option<String>,
    /// Whether they are there and cannot be read.
    pub settings_are_unreadable: bool,
    /// Cards of the characters in the chat.
    pub cards: Vec<(String, Card)>,
    /// The group's record, for a chat of a group.
    pub group: Option<Document>,
    /// All chats of the owner: names that are taken.
    pub chat_names: Vec<String>,
    /// Whether a reply is being written.
    pub is_generating: bool,
    /// Whether changes come from outside of SillyTavern.
    pub is_outside: bool,
    /// Whether an earlier operation was interrupted and not yet healed.
    pub is_interrupted: bool,
    /// The time, asked once, so that all of one fork says the same.
    pub now: Now,
    /// For the id of the operation.
    pub id: [u8; 16],
    /// Of the operation.
    pub number: u64,
    /// For the new timeline's slug.
    pub slug: [u8; 16],
    /// For the parent, whose slug changes when it is linked from outside.
    pub parent_slug: [u8; 16],
    /// For the id of the family, if it has none yet.
    pub parent_id: [u8; 16],
}

impl<C: ChatView> Look<C> {
    /// The chat's header, read.
    pub fn header(&self) -> Header<'_> {
        // Read once before, so it can be read again.
        Header::read(self.view.header())
            .unwrap_or_else(|_| unreachable!("the header was read when looking"))
    }

    /// The chat's running recap.
    pub fn running(&self) -> Option<Running> {
        Running::of(&self.header())
    }

    /// Whether the running recap tells of later messages.
    fn running_is_beyond(&self) -> bool {
        running_is_beyond(&self.header(), self.at)
    }

    /// Whether others use the lorebook, or did.
    pub(super) fn is_shared(&self) -> bool {
        !self.others.is_empty() || !self.witnesses.is_empty()
    }

    /// Whether the chat names a lorebook that is not there.
    fn is_missing(&self) -> bool {
        self.lorebook.as_ref().is_some_and(|seen| seen.document.is_none())
    }

    /// Whether the lorebook as it is now is all there is to know: nobody else uses it or did, and
    /// nothing came later.
    fn is_simply_live(&self) -> bool {
        !self.is_missing()
            && !self.is_shared()
            && self.is_last
            && !self.evidence_after
            && !self.running_is_beyond()
    }

    /// Whether the film of the lorebook has an answer, as far as it can be told without asking it.
    pub(super) fn has_film(&self, choice: LoreChoice) -> bool {
        let is_there = self.lorebook.as_ref().is_some_and(|seen| seen.document.is_some());
        let is_recorded = self.evidence_after
            || !self.others_evidence.is_empty()
            || self.scenes.iter().any(|scene| scene.is_evidence);
        is_there && choice == LoreChoice::Auto && is_recorded && !self.is_simply_live()
    }

    /// Chats whose memories are this one's: itself, and its parent up to where they part.
    pub fn chats(&self) -> Vec<Told> {
        let parent = self.header().main_chat().zip(self.parting);
        let parent = parent.map(|(chat, until)| Told { chat, until });
        [Told::own(&self.view.chat().name)].into_iter().chain(parent).collect()
    }
}

/// Which lorebook is wanted, of who has seen that much, and read the lorebook.
type Choose<'c, C> = dyn Fn(&Look<C>, Option<&Lorebook<'_>>) -> LoreChoice + 'c;

/// Looks at `chat` for a fork at `at`: all there is to see, and the lorebook, read, which stays on
/// the shelf. What is wanted of it is chosen when it is known.
pub(super) async fn look<'s, H: Host>(
    host: &H,
    chat: &ChatRef,
    at: Option<usize>,
    swipe: Option<usize>,
    shelf: &'s Shelf,
    choose: &Choose<'_, H::Chat>,
) -> Result<(Look<H::Chat>, Option<Lorebook<'s>>), Error> {
    let mut look = look_since(host, chat, at, swipe, 0).await?;
    let live = shelf.read(look.lorebook.as_ref())?;
    let choice = choose(&look, live.as_ref());
    // Each asks what was found before it.
    look.parting = parting::find_parting(host, &look, live.as_ref()).await;
    look.film = film::ask(host, &look, choice, live.as_ref()).await?;
    look.checkpoint = checkpoint::find_nearest(host, &look, choice, live.as_ref()).await?;
    Ok((look, live))
}

/// What is seen before the lorebook is read, and nobody else is asked: enough for whoever asks
/// about no message before `first`, and about many. Of the scenes before it only those are read
/// that can still matter: a long chat has hundreds, each with a whole lorebook.
pub(super) async fn look_since<H: Host>(
    host: &H,
    chat: &ChatRef,
    at: Option<usize>,
    swipe: Option<usize>,
    first: usize,
) -> Result<Look<H::Chat>, Error> {
    let view = host.open(chat).await?;
    let group = group_of(host, chat).await?;
    let header = header(&view, chat)?;
    let at = fork_point(&view, at)?;
    check(&view, at, chat)?;
    let damage_after = view.check(at + 1..view.len())?;

    let mut line = view.line(at)?;
    let mut recapped_elsewhere = None;
    let mut is_swiped = false;
    if let Some(swipe) = swipe {
        let chosen = with_swipe(&line, swipe).map_err(|problem| {
            Error::new(
                Code::NoSuchSwipe,
                say!("{0}: message {1} has no swipe {2}: {3}", chat.file(), &at, &swipe, &problem),
                say!("Swipes are counted from 0; choose one that the message has."),
            )
        })?;
        // The line was checked, so it reads.
        recapped_elsewhere = superseded(&line, &chosen).ok().flatten();
        is_swiped = chosen != line;
        line = chosen;
    }
    let mut scenes = scenes(&view, at, &line, first)?;
    if let Some(scene) = scenes.last_mut().filter(|scene| scene.at == at) {
        scene.superseded = recapped_elsewhere;
    }
    let next = first_evidence(&view, at + 1)?;
    let evidence_after = damage_after.is_some() || recapped_elsewhere.is_some() || next.is_some();
    let lorebook = named_by(host, &header).await?;
    let parting = parting::recorded(&header, chat);
    let naming = match &lorebook {
        Some(book) => messages_naming(&view, &book.name, first, at)?,
        None => Vec::new(),
    };

    let identities = Identities::of(&header);
    let is_alike = |other: &HeaderOf| identities.are_in(&other.header);
    let wanted = |other: &HeaderOf| {
        other.chat != *chat
            && (lorebook.as_ref().is_some_and(|book| naming::names(&other.header, &book.name))
                || is_alike(other)
                || has_left(&lorebook, other)
                || (other.chat.owner == chat.owner && beside::is_made(other))
                || child_of(chat, &header, other).is_some())
    };
    let headers = host.headers(&wanted).await?;
    let partings = lorebook
        .as_ref()
        .map_or_else(Vec::new, |book| beside::partings(&book.name, (chat, &header), &headers));
    let witnesses = headers.iter().filter(|other| has_left(&lorebook, other)).cloned().collect();
    let alike = headers.iter().filter(|other| is_alike(other));
    let alike = alike.map(|other| other.header.clone()).collect();
    // What this timeline itself knows of later decides; then nobody else's need be read. On disk
    // that costs little, and tells what else a snapshot shows; in the page it is a request for each.
    let is_later = evidence_after || running_is_beyond(&header, at);
    let with_messages = !is_later || host.is_outside();
    let others = match &lorebook {
        Some(book) => others(host, book, &headers, with_messages).await?,
        None => Others::default(),
    };
    let mut children: Vec<Child> =
        headers.iter().filter_map(|other| child_of(chat, &header, other)).collect();
    children.retain(|child| child.record.at <= at);
    sorted::by_key(&mut children, |child| std::cmp::Reverse(child.record.at));
    let cards = cards(host, chat, group.as_ref()).await?;
    let settings = match host.settings().await {
        Err(error) if error.kind == HostErrorKind::Damaged => Some(String::new()),
        settings => settings?,
    };
    let settings_are_unreadable =
        settings.as_deref().is_some_and(|text| Settings::read(text).is_err());
    Ok(Look {
        at,
        is_last: at + 1 == view.len(),
        line,
        is_swiped,
        scenes,
        has_all_scenes: first == 0,
        naming,
        evidence_after,
        recapped_after: next.and_then(|evidence| evidence.first_time),
        damage_after,
        lorebook,
        parting: Some(parting),
        others: others.chats,
        others_evidence: others.evidence,
        opened: others.opened,
        alike,
        witnesses,
        partings,
        film: None,
        children,
        checkpoint: None,
        settings,
        settings_are_unreadable,
        cards,
        group,
        chat_names: host.chat_names(&chat.owner).await?,
        is_generating: host.is_generating(),
        is_outside: host.is_outside(),
        is_interrupted: !host.unfinished().await?.is_empty(),
        now: host.now(),
        id: host.id(),
        number: next_number(host).await?,
        slug: host.id(),
        parent_slug: host.id(),
        parent_id: host.id(),
        view,
    })
}

fn running_is_beyond(header: &Header<'_>, at: usize) -> bool {
    let at = i64::try_from(at).unwrap_or(i64::MAX);
    let running = Running::of(header);
    running.is_some_and(|running| running.versions.iter().any(|version| version.scene > at))
}

async fn cards<H: Host>(
    host: &H,
    chat: &ChatRef,
    group: Option<&Document>,
) -> Result<Vec<(String, Card)>, Error> {
    let characters = match &chat.owner {
        Owner::Character(folder) => vec![folder.clone()],
        Owner::Group(_) => group
            .and_then(|document| Group::read(&document.text).ok().map(|group| group.members()))
            .unwrap_or_default(),
    };
    let mut cards = Vec::new();
    for character in characters {
        let card = host.card(&character).await?;
        cards.extend(card.map(|card| (character, card)));
    }
    Ok(cards)
}
