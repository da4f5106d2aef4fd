//! The film of the lorebook, read as far as a question needs it, and asked.
//!
//! Read are the messages of this timeline from the last snapshot that is sure to be of its story, up
//! to the first behind the fork point; and all that others tell who use the lorebook, or did.

use super::Look;
use super::scenes::find_any;
use super::together::open_all;
use crate::error::Error;
use crate::host::{ChatView, Host, HostError, HostErrorKind, Step};
use crate::json::Json;
use crate::memory::entries::is_registry;
use crate::memory::ranges;
use crate::memory::recorded;
use crate::memory::scene::Completeness;
use crate::memory::scene::marks;
use crate::moment::film::tombstone::{self, Gone};
use crate::moment::film::{
    Answer, Extent, Film, Level, OfBook, Path, Teller, Why, is_a_swipe_of, is_same_message,
};
use crate::moment::foreign::Foreign;
use crate::moment::marks::{self, Mark};
use crate::moment::{LoreChoice, foreign, rebuild};
use crate::tavern::chat::{Header, Message};
use crate::tavern::lorebook::{Entry, Lorebook, empty_book};
use crate::tavern::names::same_lorebook;
use crate::tavern::place::ChatRef;
use crate::timeline::record;

/// A scene whose work takes longer was combined late, and may know what came after it.
const AT_ONCE: f64 = 600_000.0;

/// What the film says of the fork point.
#[derive(Debug, Clone)]
pub struct Filmed {
    /// The lorebook; `None` if it is the live one as it is.
    pub text: Option<String>,
    /// The message of the nearest snapshot.
    pub from: Option<usize>,
    /// How sure the least sure entry is.
    pub level: Level,
    /// Numbers of entries that are as recorded, and no more than that.
    pub recorded: Vec<String>,
    /// Entries that snapshots in these messages show though they never were this timeline's.
    pub foreign: Vec<Foreign>,
}

/// Everything that was read.
struct Told {
    tellers: Vec<Teller>,
    common: Vec<usize>,
    swipes: Vec<bool>,
    extent: Extent,
    has_strangers: bool,
    /// Until when deleted timelines wrote of which nothing more is told.
    untold_until: Option<f64>,
}

impl Told {
    /// Whether a memory is of this story, as far as the messages that it says it was made from are
    /// known; one without any is whoever's.
    fn is_own<C: ChatView>(&self, look: &Look<C>, entry: &Entry<'_>) -> Option<bool> {
        let (chat, end) = ranges::made_from(entry)?;
        if look.chats().iter().any(|told| told.chat == chat) {
            // Set back by the messages themselves.
            return Some(true);
        }
        let teller = self.tellers.iter().position(|teller| teller.name == chat)?;
        Some(end < self.common[teller].min(look.at + 1))
    }
}

/// Asks the film, where the live book is not simply the answer. One that is missing is asked for by
/// whoever wants it back from what the chat recorded.
pub(super) async fn ask<H: Host>(
    host: &H,
    look: &Look<H::Chat>,
    choice: LoreChoice,
    live: Option<&Lorebook<'_>>,
) -> Result<Option<Filmed>, Error> {
    let Some(seen) = &look.lorebook else { return Ok(None) };
    let wants = if look.is_missing() { LoreChoice::Snapshot } else { LoreChoice::Auto };
    if choice != wants {
        return Ok(None);
    }
    let header = look.header();
    let gone = tombstone::read(&header);
    if look.is_simply_live() && gone.is_empty() {
        return Ok(None);
    }
    let there = live;
    let empty = empty_book();
    let empty = Lorebook::read(&empty).map_err(|problem| super::unreadable(look, &problem))?;
    let live = there.unwrap_or(&empty);
    let listed = foreign::listed(&header);
    let apart = live.ours().and_then(|ours| ours.get("apart")).and_then(Json::number);
    let left = record::shared(&header, &look.view.chat().name).map(|(_, until)| until as f64);
    let until = listed.iter().map(|one| one.until).chain(apart).chain(left);
    let until = until.chain(foreign::mixed_until(&header)).reduce(f64::max);
    let Some(told) = read(host, look, (&seen.name, live), gone, until).await? else {
        return Ok(None);
    };
    let film = Film::new(&told.tellers, there, told.extent);
    if film.is_empty() {
        return Ok(None);
    }
    let until = until.into_iter().chain(told.untold_until).reduce(f64::max);
    let path = Path {
        teller: 0,
        at: look.at,
        common: &told.common,
        swipes: &told.swipes,
        superseded: look.scenes.last().and_then(|scene| scene.superseded),
        strangers_until: if told.has_strangers { Some(f64::INFINITY) } else { until },
    };
    let mut answer = film.ask(&path);
    let (since, end) = (told.extent.since, told.tellers[0].last_picture());
    let end = end.filter(|_| told.extent.is_cut);
    let has_parted = look
        .partings
        .iter()
        .any(|time| since.is_none_or(|since| since < *time) && end.is_none_or(|end| *time < end));
    for known in &mut answer.all {
        if has_parted {
            known.level = known.level.max(Level::Recorded);
        }
        let life = &film.lives.all[known.life];
        let shown = life.shows[film.live()];
        let text = shown.map(|version| life.versions[version].text.as_str());
        let json = text.and_then(|text| Json::parse(text).ok());
        // Memories go by their ranges.
        let entry = json.map(|json| Entry::new(Vec::new(), json));
        if let Some(entry) = entry.filter(ranges::is_memory) {
            let is_own = told.is_own(look, &entry);
            (known.version, known.built) = (shown.filter(|_| is_own != Some(false)), None);
            known.level = if is_own.is_some() { Level::Certain } else { Level::Recorded };
        }
        // It was noted whose it is; one of that name and number that came later is another.
        let is_it = |one: &foreign::Foreign| {
            one.uid == life.uid
                && one.name == life.comment
                && !film.is_shown_after(known.life, one.until)
        };
        if listed.iter().any(is_it) && shown.is_none() {
            (known.version, known.level) = (None, Level::Recorded);
            known.built = None;
        }
        // Registries follow the entries they list.
        if life.is_registry {
            let last = life.shows.iter().rev().find_map(|shown| *shown);
            (known.version, known.level) = (shown.or(last), Level::Certain);
            known.built = None;
        }
    }
    // Numbers are only given anew where a lorebook is made of another.
    if !look.partings.is_empty() || until.is_some() {
        film.tell_renumbered(&mut answer);
    }
    let mut filmed = filmed(look, &film, &path, &answer, live)?;
    if has_parted {
        filmed.level = filmed.level.max(Level::Recorded);
    }
    if there.is_none() {
        // What was written since the last picture is gone with it.
        filmed.level = filmed.level.max(Level::Recorded);
        let text = filmed.text.as_deref().unwrap_or(empty.text);
        let text = rebuild::with_queue(text, host.now().ms);
        filmed.text = Some(text.map_err(|problem| super::unreadable(look, &problem))?);
    }
    Ok(Some(filmed))
}

fn filmed<C: ChatView>(
    look: &Look<C>,
    film: &Film<'_>,
    path: &Path<'_>,
    answer: &Answer,
    live: &Lorebook<'_>,
) -> Result<Filmed, Error> {
    let nearest = film.nearest(path);
    let is_live = answer.all.iter().all(|known| {
        let life = &film.lives.all[known.life];
        known.built.is_none() && known.version == life.shows[film.live()]
    });
    let bytes = nearest.map(|(picture, _)| picture).filter(|_| !look.is_last && !is_live);
    let unmade = |problem: &dyn std::fmt::Display| super::unreadable(look, problem);
    let made = film.book(live, answer, bytes).map_err(|problem| unmade(&problem))?;
    let mut recorded = Vec::new();
    let mut undecided = Vec::new();
    let kept = answer.all.iter().filter(|known| known.version.is_some());
    for (known, place) in kept.zip(&made.placed) {
        let name = &film.lives.all[known.life].comment;
        match known.level {
            Level::Certain => {}
            Level::Recorded => recorded.push(place.uid.clone()),
            Level::Undecided => undecided.push(Mark {
                uid: &place.uid,
                name,
                with: &[],
                why: match known.why {
                    Some(Why::MadeBySomebody) => "nothing recorded says when it was made",
                    Some(Why::RemovedBySomebody) => "nothing recorded says when it was removed",
                    Some(Why::ChangedByBoth) => "this timeline and another both wrote to it",
                    _ => "nothing recorded says when it was changed",
                },
            }),
        }
    }
    let text = marks::add(&made.text, &undecided).map_err(|problem| unmade(&problem))?;
    // Whoever asks again when this timeline has its own lorebook no longer hears the others.
    let never = answer.all.iter().filter(|known| !known.was_own && look.is_shared());
    let never = never.filter(|known| film.is_shown_to(path, known.life));
    let foreign = never.map(|known| &film.lives.all[known.life]).filter(|life| !life.is_registry);
    let foreign = foreign.map(|life| Foreign {
        uid: life.uid.clone(),
        name: life.comment.clone(),
        until: look.now.ms as f64,
    });
    Ok(Filmed {
        text: (text != live.text).then_some(text),
        from: nearest.map(|(_, at)| at),
        level: answer.level(),
        recorded,
        foreign: foreign.collect(),
    })
}

/// Reads what this timeline tells, first, and what all others do. `None` if nobody recorded anything.
async fn read<H: Host>(
    host: &H,
    look: &Look<H::Chat>,
    (book, live): (&str, &Lorebook<'_>),
    mut gone: Vec<Gone>,
    shared_until: Option<f64>,
) -> Result<Option<Told>, Error> {
    let chats = look.others.iter().cloned();
    let chats = chats.chain(look.witnesses.iter().map(|other| other.chat.clone()));
    let is_open = |chat: &ChatRef| look.opened.iter().any(|view| view.chat() == chat);
    let (mut opened, mut has_strangers) = (Vec::new(), false);
    let chats: Vec<ChatRef> = chats.filter(|chat| !is_open(chat)).collect();
    if !chats.is_empty() {
        host.progress(Step::Others(chats.len()));
    }
    for view in open_all(host, &chats.iter().collect::<Vec<_>>()).await {
        match view {
            Ok(view) => opened.push(view),
            // Deleted since its header was read: it will not write any more.
            Err(error) if error.kind == HostErrorKind::Absent => {}
            // What cannot be read may have written at any time.
            Err(_) => has_strangers = true,
        }
    }
    let views: Vec<&H::Chat> = look.opened.iter().chain(&opened).collect();
    let books = match views.is_empty() || !host.is_outside() {
        true => Vec::new(),
        false => host.lorebook_names().await?,
    };
    let is_other = |name: &str| {
        !same_lorebook(name, book) && books.iter().any(|other| same_lorebook(other, name))
    };
    let has_registries = live.entries.iter().any(|entry| is_registry(&entry.comment()));
    let (mut common, mut swipes) = (vec![look.view.len()], vec![false]);
    for view in &views {
        let same = in_common(&look.view, *view)?;
        let is_swipe = same < look.view.len().min(view.len())
            && is_a_swipe_of(&view.line(same)?, &look.view.line(same)?);
        common.push(same);
        swipes.push(is_swipe);
        // Who was deleted while this one was not there to be told.
        let others = Header::read(view.header()).map(|header| tombstone::read(&header));
        for other in others.unwrap_or_default() {
            let is_it = |known: &Gone| known.teller.name == other.teller.name;
            if !gone.iter().any(is_it) {
                gone.push(Gone { same: other.same.min(same), ..other });
            }
        }
    }
    let is_alone = views.is_empty() && gone.is_empty();
    let gone_since = gone.iter().map(|one| one.same.min(look.view.len()));
    let never = |_: Option<f64>| false;
    let own = OfBook { has_registries, shares: true, is_other: &is_other, was_shared: &never };
    let trunk = common.iter().copied().chain(gone_since.clone()).min();
    let trunk = trunk.unwrap_or_default().min(look.at + 1);
    let (mut tellers, extent) = {
        let (teller, extent) = read_own(look, &own, trunk, is_alone, shared_until)?;
        (vec![teller], extent)
    };
    for (view, same) in views.iter().zip(&common[1..]) {
        let header = Header::read(view.header()).ok();
        let left = header.and_then(|header| record::shared(&header, &view.chat().name));
        let until = left.filter(|(left, _)| same_lorebook(left, book)).map(|(_, at)| at as f64);
        let was_shared =
            |time: Option<f64>| until.zip(time).is_some_and(|(until, time)| time < until);
        let shares = look.others.contains(view.chat());
        let of = OfBook { has_registries, shares, is_other: &is_other, was_shared: &was_shared };
        let until = until.filter(|_| !shares);
        let teller = read_other(look, *view, *same, &of, until, &tellers[0])?;
        tellers.push(teller);
    }
    let untold_until = gone.iter().filter_map(|one| one.untold_until).reduce(f64::max);
    common.extend(gone_since);
    swipes.extend(gone.iter().map(|_| false));
    tellers.extend(gone.into_iter().map(|one| one.teller));
    Ok(Some(Told { tellers, common, swipes, extent, has_strangers, untold_until }))
}

/// What this timeline tells: from the newest snapshot before `trunk` that is sure to be of its story
/// alone. If nobody else tells anything, up to the first behind the fork point that was taken when
/// nobody else used the lorebook any more.
fn read_own<C: ChatView>(
    look: &Look<C>,
    book: &OfBook<'_>,
    trunk: usize,
    is_alone: bool,
    shared_until: Option<f64>,
) -> Result<(Teller, Extent), HostError> {
    let (view, len) = (&look.view, look.view.len());
    let line = |at: usize| if at == look.at { Ok(look.line.clone()) } else { view.line(at) };
    let mut teller = Teller::new(&view.chat().name, view.header());
    let scenes = find_any(view, &marks(|marks| marks.scenes), 0..len)?;
    let mut extent = Extent::default();
    let mut start = 0;
    for at in scenes.iter().rev().filter(|at| **at < trunk) {
        let next = if *at + 1 < len { date(&line(*at + 1)?) } else { None };
        let later = look.scenes.iter().filter(|scene| scene.at > *at);
        let later = later.filter_map(|scene| scene.first_time).chain(look.recapped_after);
        let next = later.chain(next).reduce(f64::min);
        if let Some(taken) = sure_snapshot(&line(*at)?, next, book) {
            (extent.since, start) = (Some(taken), *at);
            break;
        }
    }
    if !is_alone && extent.since.is_some() && !is_claimed(look, &scenes, start, book)? {
        (extent.since, start) = (None, 0);
    }
    let mut end = len;
    for at in scenes {
        let is_late = |time: Option<f64>| time.zip(extent.since).is_none_or(|(t, s)| t > s);
        let known = look.scenes.iter().find(|scene| scene.at == at);
        if at < start && known.is_some_and(|scene| !is_late(scene.time)) {
            continue;
        }
        let text = line(at)?;
        teller.read_scene(at, &text, book);
        // Whatever comes after it is not of this story, unless one of its scenes was recapped anew.
        let is_whole = || {
            let taken = sure_snapshot(&text, None, book);
            taken.is_some_and(|taken| {
                shared_until.is_none_or(|until| until < taken)
                    && !teller.was_recapped_after(look.at, taken)
            })
        };
        if at > look.at && is_alone && is_whole() {
            (extent.is_cut, end) = (true, at + 1);
            break;
        }
    }
    for at in start..end {
        teller.read_date(at, &line(at)?, None);
    }
    teller.check_dates();
    Ok((teller, extent))
}

/// Whether all that the snapshot at `start` shows of scenes' own making is claimed by a scene up to
/// there. If not, a timeline has written to the lorebook that was deleted since.
fn is_claimed<C: ChatView>(
    look: &Look<C>,
    scenes: &[usize],
    start: usize,
    book: &OfBook<'_>,
) -> Result<bool, HostError> {
    let mut teller = Teller::default();
    let mut shown = String::new();
    for at in scenes.iter().filter(|at| **at <= start) {
        shown = if *at == look.at { look.line.clone() } else { look.view.line(*at)? };
        teller.read_claims(&shown, book);
    }
    Ok(teller.claims_all(&shown))
}

fn read_other<C: ChatView>(
    look: &Look<C>,
    view: &C,
    same: usize,
    book: &OfBook<'_>,
    until: Option<f64>,
    own: &Teller,
) -> Result<Teller, HostError> {
    let mut teller = Teller::new(&view.chat().name, view.header());
    for at in find_any(view, &marks(|marks| marks.scenes), 0..view.len())? {
        let line = view.line(at)?;
        if at < same && line == look.view.line(at)? {
            teller.same_as(own, at);
        } else {
            teller.read_scene(at, &line, book);
        }
    }
    for at in same..view.len() {
        teller.read_date(at, &view.line(at)?, until);
    }
    teller.check_dates();
    Ok(teller)
}

/// When a scene's snapshot was taken, if it is whole, and was taken at once: before the next message.
fn sure_snapshot(line: &str, next: Option<f64>, book: &OfBook<'_>) -> Option<f64> {
    let message = Message::read(line).ok()?;
    let all = recorded::all(message.json).into_iter().filter_map(|record| {
        let (made, taken) = (record.made?, record.taken?);
        let facts = record.snapshot.as_ref()?.facts();
        let is_whole = facts.completeness(book.has_registries) == Completeness::Complete;
        let is_at_once = (taken - made).abs() < AT_ONCE && next.is_none_or(|next| taken < next);
        (is_whole && is_at_once).then_some(taken)
    });
    all.reduce(f64::max)
}

fn date(line: &str) -> Option<f64> {
    let mut teller = Teller::default();
    teller.read_date(0, line, None);
    teller.first_written()
}

/// How many messages two timelines have in common. Messages before the fork are the same in both
/// and none after it is, so the border is found by halving.
pub(crate) fn in_common<C: ChatView>(a: &C, b: &C) -> Result<usize, HostError> {
    same_beginning(a.len().min(b.len()), |at| Ok(is_same_message(&a.line(at)?, &b.line(at)?)))
}

/// The same, where one of them is no longer a file.
pub(crate) fn same_beginning(
    len: usize,
    is_same: impl Fn(usize) -> Result<bool, HostError>,
) -> Result<usize, HostError> {
    let (mut same, mut other) = (0, len + 1);
    while other - same > 1 {
        let middle = usize::midpoint(same, other);
        if is_same(middle - 1)? {
            same = middle;
        } else {
            other = middle;
        }
    }
    Ok(same)
}
