//! `lorefork checkpoint` and `lorefork branch`.

use lorefork::error::Code;
use lorefork::error::report::{Policy, findings_json};
use lorefork::fork::{self, Created, Plan, Request, bindings};
use lorefork::memory::running::Running;
use lorefork::moment::Source;
use lorefork::tavern::chat::Header;
use lorefork::tavern::names::Kind;
use lorefork::tavern::names::timeline::refuse_separators;
use lorefork::tavern::place::{Owner, lorebook_file};
use lorefork_disk::DiskHost;
use serde_json::json;

use super::take_back;
use crate::args::{self, Branch, Globals};
use crate::error::{Exit, Failure};
use crate::output::style::GOOD;
use crate::output::{Answer, Page, Text, findings, value, words};

pub(super) fn checkpoint(globals: &Globals, args: &args::Fork) -> Result<Answer, Failure> {
    run(globals, args, Kind::Checkpoint, None)
}

pub(super) fn branch(globals: &Globals, args: &Branch) -> Result<Answer, Failure> {
    run(globals, &args.fork, Kind::Branch, args.swipe)
}

fn run(
    globals: &Globals,
    args: &args::Fork,
    kind: Kind,
    swipe: Option<usize>,
) -> Result<Answer, Failure> {
    if let Some(name) = &args.name {
        refuse_separators(name).map_err(|problem| {
            let message = format!("the new chat cannot have this name: {problem}");
            Failure::new(Code::BadName, message, "Choose a name without “/” and “\\”.")
        })?;
    }
    let place = globals.chat(&args.chat.name)?;
    let request = Request {
        at: args.at.message.map(|at| place.message(at)).transpose()?,
        swipe,
        name: args.name.clone(),
        policy: if args.strict.is_on { Policy::Strict } else { Policy::Standard },
        lore: args.lore.into(),
        drop_queue: args.drop_queue,
        link: !args.no_link,
        ..Request::new(kind, place.chat.clone())
    };
    if args.dry_run {
        let plan = pollster::block_on(fork::dry_run(&place.host, &request))?;
        return Ok(planned(&plan, &request));
    }
    let mut created = pollster::block_on(fork::create(&place.host, &request))?;
    let bound = copy_bound(&place.host, &mut created);
    let mut json = value(&created.json().done());
    json["id"] = json!(created.id);
    let mut page = page(&created, &bound.books, &request);
    if !bound.books.is_empty() {
        json["bound"] = json!(bound.books);
    }
    // The copies first: they changed the timeline that the fork made.
    for id in bound.id.iter().chain([&created.id]) {
        take_back(&mut page, globals, &place.host, id);
    }
    Ok(Answer { exit: Exit::Done, page, json })
}

/// Lorebooks that were copied besides, and the operation that did it.
#[derive(Default)]
struct Copies {
    books: Vec<String>,
    id: Option<String>,
}

/// Copies of the lorebooks that MemoryBooks binds to the chat besides its own. What cannot be copied
/// is warned of already.
fn copy_bound(host: &DiskHost, created: &mut Created) -> Copies {
    let has_any = created.warnings.iter().any(|warning| warning.code == Code::OtherBooksShared);
    let copied =
        has_any.then(|| pollster::block_on(bindings::copy_bound(host, &created.place, &[])));
    let Some(Ok(Some(copied))) = copied else { return Copies::default() };
    created.warnings.retain(|warning| warning.code != Code::OtherBooksShared);
    let books = copied.books.into_iter().map(|(_, copy)| copy).collect();
    Copies { books, id: Some(copied.done.id) }
}

fn page(created: &Created, bound: &[String], request: &Request) -> Page {
    let mut page = Page::new();
    findings::healed(&mut page, &created.healed);
    let text = Text::new().styled(GOOD, "✓ ").plain(format!("Made the {} ", created.kind));
    page.hanging(0, 2, text.name(&created.chat).plain("."));
    page.blank();
    let mut fields = vec![
        ("copied", messages(created.at, request)),
        (
            "lorebook",
            lorebook(
                created.lorebook.as_deref().filter(|_| created.source != Source::Shared),
                created.entries,
                created.source,
            ),
        ),
    ];
    if created.lorebook.is_some() && created.source != Source::Shared {
        let lore = words::lore_from(created.source, created.quality, created.from, created.at);
        fields.push(("made from", lore.into()));
    }
    for (index, copy) in bound.iter().enumerate() {
        let label = if index == 0 { "also its own" } else { "" };
        fields.push((label, Text::new().name(copy)));
    }
    fields.push(("file", created.file.as_str().into()));
    page.fields(2, fields);
    findings::warnings(&mut page, &created.warnings);
    page.blank();
    let is_linked = !created.warnings.iter().any(|warning| warning.code == Code::LinkFailed);
    if request.link && is_linked {
        let text = Text::new().quiet("→ ").plain("Reload the SillyTavern tab if ");
        let text = text.name(&request.chat.name);
        page.hanging(0, 2, text.plain(" is open in it: its file has changed."));
    }
    page
}

/// What a dry run says.
fn planned(plan: &Plan, request: &Request) -> Answer {
    let kind = words::kind(plan.kind);
    let entries = plan.lorebook.as_ref().map_or(0, |book| book.entries);
    let mut page = Page::new();
    let text = Text::new().plain(format!("This would make the {kind} "));
    page.line(0, text.name(&plan.chat.name).plain(". Nothing was written."));
    page.blank();

    let mut fields =
        vec![("new chat", Text::from(plan.chat.file())), ("", messages(plan.at, request))];
    match plan.lorebook_name() {
        Some(name) => {
            fields.push(("new lorebook", lorebook_file(name).into()));
            let entries = words::count(entries, "entry", "entries");
            fields.push((
                "",
                Text::new().plain(entries).quiet("; the last four letters of its name vary"),
            ));
            fields.push(("made from", words::lore(&plan.moment, plan.at).into()));
        }
        None => fields.push(("lorebook", lorebook(None, 0, plan.moment.source))),
    }
    if let Some(version) = running_version(&plan.header) {
        fields.push(("running recap", format!("version {version} is the current one").into()));
    }
    fields.extend(parent_changes(plan, request));
    page.fields(2, fields);
    findings::warnings(&mut page, &plan.report.warnings);

    let json = json!({
        "dry_run": true,
        "kind": kind,
        "chat": plan.chat.name,
        "file": plan.chat.file(),
        "lorebook": plan.lorebook_name(),
        "at": plan.at,
        "source": plan.moment.source.word(),
        "from": plan.moment.from,
        "quality": plan.moment.quality.word(),
        "warnings": value(&findings_json(&plan.report.warnings)),
    });
    Answer { exit: Exit::Done, json, page }
}

fn parent_changes<'a>(plan: &Plan, request: &Request) -> Vec<(&'a str, Text)> {
    let mut fields = Vec::new();
    if let Owner::Group(_) = plan.parent.owner {
        fields.push(("group", "the new chat is added to its list of chats".into()));
    }
    if !request.link {
        fields.push(("parent", "stays as it is, without a link (--no-link)".into()));
        return fields;
    }
    let link = format!(
        ": message {} gets a link, the first line notes the new lorebook and gets a new save mark",
        plan.at
    );
    let tab = "If it is open in a SillyTavern tab, reload the tab afterwards: until then \
               SillyTavern asks before it saves. (--no-link leaves the parent alone.)";
    fields.push(("parent", Text::new().name(&plan.parent.name).plain(link)));
    fields.push(("", tab.into()));
    fields
}

fn messages(at: usize, request: &Request) -> Text {
    let range = if at == 0 { "message 0".to_owned() } else { format!("messages 0 to {at}") };
    let text = Text::new().plain(format!("{range} of ")).name(&request.chat.name);
    match request.swipe {
        Some(swipe) => text.plain(format!(", with swipe {swipe} of the last one")),
        None => text,
    }
}

fn lorebook(name: Option<&str>, entries: usize, source: Source) -> Text {
    match (name, source) {
        (Some(name), _) => {
            let entries = words::count(entries, "entry", "entries");
            Text::new().name(name).plain(format!(", {entries}"))
        }
        (None, Source::Shared) => "the same as its parent's, shared on purpose".into(),
        (None, _) => "none, as its parent".into(),
    }
}

fn running_version(header: &str) -> Option<i64> {
    let header = Header::read(header).ok()?;
    Running::of(&header)?.current()?.number
}
