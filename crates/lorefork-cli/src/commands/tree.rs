//! `lorefork tree`: where the timelines of a story part.

use std::path::Path;

use lorefork::error::Code;
use lorefork::family::{self as engine, Books, Family, Gone, Trace, Tree, View, plain, tree};
use lorefork::host::Host as _;
use lorefork::json::Json;
use lorefork::tavern::chat::Header;
use lorefork::tavern::group::Group;
use lorefork::tavern::lorebook::Lorebook;
use lorefork::tavern::names;
use lorefork::tavern::place::{ChatRef, Owner};
use lorefork_disk::DiskHost;
use serde_json::{Value, json};

use super::owner_name;
use crate::args::{self, Globals};
use crate::code::Own;
use crate::error::{Exit, Failure};
use crate::output::drawing::{self, Section};
use crate::output::style::GOOD;
use crate::output::{self, Answer, Page, Text, family, value, words};
use crate::place::Place;

/// The families of a character or group.
pub(crate) struct Shown {
    pub(crate) name: String,
    pub(crate) is_group: bool,
    pub(crate) families: Vec<(Family, View)>,
    /// Chats that belong to no family, and are left out.
    pub(crate) alone: usize,
}

pub(super) fn run(globals: &Globals, args: &args::Tree) -> Result<Answer, Failure> {
    let all = asked(globals, args)?;
    if globals.json || args.html.is_some() || args.svg.is_some() {
        return answer(globals, args, all);
    }
    let mut page = Page::new();
    for (n, one) in all.into_iter().enumerate() {
        if n > 0 {
            page.blank();
        }
        if let Some(handle) = &one.handle {
            page.heading(handle);
            page.blank();
        }
        page.rendered(one.drawn()?);
    }
    Ok(Answer { exit: Exit::Done, page, json: json!({}) })
}

/// For machines, and as files.
fn answer(globals: &Globals, args: &args::Tree, asked: Vec<Asked>) -> Result<Answer, Failure> {
    let mut all: Vec<OfUser> = Vec::new();
    for one in asked {
        let shown = one.shown()?;
        all.push((one.handle, shown));
    }
    let mut written = Vec::new();
    for (path, is_page) in [(&args.html, true), (&args.svg, false)] {
        if let Some(path) = path {
            let sections = sections(&all);
            let text = if is_page { drawing::html(&sections) } else { drawing::svg(&sections) };
            write(path, &text)?;
            written.push(path.display().to_string());
        }
    }
    let mut page = Page::new();
    for file in &written {
        page.hanging(0, 2, Text::new().styled(GOOD, "✓ ").plain("Written: ").plain(file));
    }
    // Of a thousand timelines it costs as much as all that went before.
    all.retain(|_| globals.json);
    let user = |(handle, shown): &OfUser| json!({ "user": handle, "owners": as_json(shown) });
    let users: Vec<Value> = all.iter().map(user).collect();
    Ok(Answer { exit: Exit::Done, page, json: json!({ "users": users, "written": written }) })
}

fn sections(all: &[OfUser]) -> Vec<Section<'_>> {
    let all = all.iter().flat_map(|(_, shown)| shown).filter(|shown| !shown.families.is_empty());
    all.map(section).collect()
}

fn section(shown: &Shown) -> Section<'_> {
    let families = shown.families.iter().map(|(family, view)| (family, *view)).collect();
    Section { name: &shown.name, families }
}

/// Writes a file that is new, or that an earlier tree wrote: a chat must not be lost by a slip.
fn write(path: &Path, text: &str) -> Result<(), Failure> {
    let shown = path.display();
    if let Ok(before) = std::fs::read(path) {
        let start = String::from_utf8_lossy(&before[..before.len().min(400)]).into_owned();
        if !start.contains(drawing::MARK) {
            let message = format!("{shown} is there already, and is no tree");
            return Err(Failure::new(Own::Exists, message, "Choose another name for the file."));
        }
    }
    std::fs::write(path, text).map_err(|error| {
        let message = format!("{shown} could not be written: {error}");
        Failure::new(Code::WriteFailed, message, "Choose another place for the file.")
    })
}

type OfUser = (Option<String>, Vec<Shown>);

/// What somebody wants to see of one user.
struct Asked {
    /// Whose it is, where there are several.
    handle: Option<String>,
    host: DiskHost,
    chat: Option<ChatRef>,
    all: bool,
}

fn asked(globals: &Globals, args: &args::Tree) -> Result<Vec<Asked>, Failure> {
    let all = args.all;
    if let Some(selector) = &args.chat {
        let Place { host, chat } = globals.chat(selector)?;
        return Ok(vec![Asked { handle: None, host, chat: Some(chat), all }]);
    }
    let hosts = globals.hosts()?;
    let several = hosts.len() > 1;
    let hosts = hosts.into_iter();
    let asked = hosts.map(|(user, host)| Asked {
        handle: several.then_some(user.handle),
        host,
        chat: None,
        all,
    });
    Ok(asked.collect())
}

impl Asked {
    fn shown(&self) -> Result<Vec<Shown>, Failure> {
        let owner = self.chat.as_ref().map(|chat| &chat.owner);
        pollster::block_on(of(&self.host, owner, self.chat.as_ref(), self.all))
    }

    /// As text for this screen. Of a thousand timelines that is most of the work, so it is kept.
    fn drawn(self) -> Result<String, Failure> {
        let (width, is_styled) = output::screen();
        let how = (width, is_styled, words::program());
        let question = format!("tree {:?} {} {how:?}", self.chat, self.all);
        if let Some(text) = self.host.kept_answer(&question) {
            return Ok(text);
        }
        let noting = Self { host: self.host.noting(), ..self };
        let mut page = Page::new();
        draw(&mut page, &noting.shown()?, noting.chat.is_some());
        let text = page.render(width, is_styled);
        noting.host.keep_answer(&question, &text);
        Ok(text)
    }
}

/// What is to be seen of an owner's chats, or of all; of the family of one chat, its path.
pub(crate) async fn of(
    host: &DiskHost,
    owner: Option<&Owner>,
    focus: Option<&ChatRef>,
    all: bool,
) -> Result<Vec<Shown>, Failure> {
    let mut traces = host.traces(owner)?;
    let books = books_of(host, owner.is_some(), &traces.all).await?;
    let mut has_read = false;
    let mut shown = Vec::new();
    for traces in traces.all.chunk_by_mut(|a, b| a.chat.owner == b.chat.owner) {
        let owner = &traces[0].chat.owner.clone();
        let Tree { families, .. } = tree(owner, traces, |book| books.lore(book));
        let mut alone = 0;
        let mut kept: Vec<(Family, View)> = Vec::new();
        for mut family in families {
            let at = focus.map(|chat| family.find(chat));
            let is_wanted = match at {
                Some(at) => at.is_some(),
                None => all || family.timelines.len() > 1,
            };
            if !is_wanted {
                alone += usize::from(focus.is_none());
                continue;
            }
            has_read |= tell(host, &mut family, traces);
            let canon = family.timelines.iter().position(|one| one.words.is_canon);
            let at = at.flatten();
            let view =
                View { focus: at.or(canon), is_path: at.is_some() && !all, with_archived: all };
            kept.push((family, view));
        }
        if kept.is_empty() && alone == 0 {
            continue;
        }
        if let Some(open) = open_chat(host, owner, kept.is_empty()).await {
            for (family, _) in &mut kept {
                if let Some(at) = family.find(&ChatRef::new(owner.clone(), open.clone())) {
                    family.timelines[at].is_open = true;
                }
            }
        }
        shown.push(Shown {
            name: owner_name(host, owner).await,
            is_group: matches!(owner, Owner::Group(_)),
            families: kept,
            alone,
        });
    }
    if has_read || !traces.is_kept {
        host.keep_traces(&traces);
    }
    Ok(shown)
}

/// Reads the first and the last message that are a timeline's own. Says whether it had to.
fn tell(host: &DiskHost, family: &mut Family, traces: &mut [Trace]) -> bool {
    let mut has_read = false;
    for one in &mut family.timelines {
        let Some(trace) = one.trace.and_then(|n| traces.get_mut(n)) else { continue };
        let Some(last) = one.messages.checked_sub(1) else { continue };
        let first = if one.parent.is_none() { 0 } else { one.shared };
        let wanted = [first, last];
        let has = |at: &usize| trace.words.iter().any(|(known, _)| known == at);
        if !wanted.iter().all(has) {
            // A message that cannot be read has no words.
            let Ok(lines) = host.messages(trace, &wanted) else { continue };
            let words = wanted.iter().zip(lines).filter_map(|(at, line)| {
                let line = line?;
                Some((*at, plain(&Json::parse(&line).ok()?.get("mes")?.str()?)))
            });
            trace.words = words.collect();
            has_read = true;
        }
        let words = |at: usize| {
            let mut words = trace.words.iter();
            words.find(|(known, _)| *known == at).map(|(_, words)| words.clone())
        };
        one.said.first = words(first).filter(|_| one.own() > 0);
        one.said.last = words(last);
    }
    has_read
}

/// The chat that SillyTavern opens with its character or group.
async fn open_chat(host: &DiskHost, owner: &Owner, nobody_asks: bool) -> Option<String> {
    if nobody_asks {
        return None;
    }
    match owner {
        Owner::Character(folder) => host.card(folder).await.ok()??.chat,
        Owner::Group(id) => {
            let document = host.group(id).await.ok()??;
            names::chat_name(&Group::read(&document.text).ok()?.current()?)
        }
    }
}

/// How lorebooks are used, as headers tell.
async fn books_of(host: &DiskHost, is_part: bool, traces: &[Trace]) -> Result<Books, Failure> {
    let mut books = Books::new(host.lorebook_names().await?);
    if is_part {
        for other in host.headers(&|_| true).await? {
            let lorebook = Header::read(&other.header).ok().and_then(|header| header.lorebook());
            books.count(lorebook.as_deref());
        }
    } else {
        let here = traces.iter().filter(|trace| trace.place == engine::Place::Here);
        here.filter_map(|trace| trace.head.as_ref().ok())
            .for_each(|head| books.count(head.lorebook.as_deref()));
    }
    for book in books.shared() {
        let document = host.lorebook(&book).await.ok().flatten();
        let is_meant = document.is_some_and(|document| {
            Lorebook::read(&document.text).is_ok_and(|book| book.is_shared_on_purpose())
        });
        if is_meant {
            books.mean(&book);
        }
    }
    Ok(books)
}

/// All families on a page.
pub(crate) fn draw(page: &mut Page, all: &[Shown], is_one: bool) {
    let mut alone = 0;
    let mut is_first = true;
    for shown in all {
        alone += shown.alone;
        if shown.families.is_empty() {
            continue;
        }
        if !is_first {
            page.blank();
        }
        is_first = false;
        if !is_one {
            let group = if shown.is_group { "  group" } else { "" };
            page.hanging(0, 2, Text::new().strong(&shown.name).quiet(group));
        }
        for (n, (one, view)) in shown.families.iter().enumerate() {
            if n > 0 {
                page.blank();
            }
            family::draw(page, one, *view, if is_one { 0 } else { 2 });
        }
    }
    if is_first {
        page.line(0, "No story has parted yet: there are no checkpoints or branches.");
    }
    if alone > 0 {
        let chats = words::count(alone, "chat stands", "chats stand");
        page.blank();
        page.line(0, Text::new().quiet(format!("{chats} alone (--all shows them).")));
    }
    let gone = all.iter().flat_map(|shown| &shown.families).flat_map(|(one, _)| &one.timelines);
    let in_trash = gone.filter(|one| matches!(one.gone, Some(Gone::Trash(_)))).count();
    if in_trash > 0 {
        let count = words::count(in_trash, "deleted timeline is", "deleted timelines are");
        let log = format!("“{} log”", words::program());
        let text = format!("{count} in the trash: {log} shows how to bring them back.");
        page.blank();
        page.line(0, Text::new().quiet(text));
    }
}

fn as_json(all: &[Shown]) -> Value {
    let owner = |shown: &Shown| {
        let families: Vec<Value> = shown
            .families
            .iter()
            .map(|(family, view)| value(&family.json(&family.picture(*view))))
            .collect();
        json!({
            "name": shown.name,
            "group": shown.is_group,
            "families": families,
            "alone": shown.alone,
        })
    };
    all.iter().map(owner).collect()
}
