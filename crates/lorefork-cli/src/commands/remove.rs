//! `lorefork delete` and `lorefork sweep`: to the trash.

use lorefork::error::report::findings_json;
use lorefork::removal::delete::{self, Deletion};
use lorefork::removal::sweep::{self, Orphan};
use lorefork_disk::DiskHost;
use serde_json::{Value, json};

use super::take_back;
use crate::args::{Delete, Globals, Sweep};
use crate::error::{Exit, Failure};
use crate::output::style::GOOD;
use crate::output::{Answer, Page, Text, again, findings, value, words};

pub(super) fn delete(globals: &Globals, args: &Delete) -> Result<Answer, Failure> {
    let place = globals.chat(&args.chat.name)?;
    let elsewhere = globals.named_elsewhere(&place.host)?;
    let mut page = Page::new();
    if !args.apply {
        let plan = pollster::block_on(delete::plan_deletion(&place.host, &place.chat, &elsewhere))?;
        let text = Text::new().plain("This would move ").name(&plan.chat.name);
        page.hanging(0, 2, text.plain(" to the trash. Nothing was written."));
        page.blank();
        page.fields(2, fields(&plan));
        findings::warnings(&mut page, &plan.warnings);
        page.blank();
        page.line(0, "To do it:");
        page.fixed(2, Text::new().code(again(&["--apply"])));
        return Ok(Answer { exit: Exit::Done, page, json: as_json(&plan, None) });
    }
    let deleted = pollster::block_on(delete::delete(&place.host, &place.chat, &elsewhere))?;
    findings::healed(&mut page, &deleted.healed);
    let text = Text::new().styled(GOOD, "✓ ").name(&deleted.plan.chat.name);
    page.hanging(0, 2, text.plain(" is in the trash."));
    page.blank();
    page.fields(2, fields(&deleted.plan));
    findings::warnings(&mut page, &deleted.plan.warnings);
    findings::warnings(&mut page, &deleted.done.warnings);
    page.blank();
    take_back(&mut page, globals, &place.host, &deleted.done.id);
    let json = as_json(&deleted.plan, Some(&deleted.done.id));
    Ok(Answer { exit: Exit::Done, page, json })
}

fn fields(plan: &Deletion) -> Vec<(&'static str, Text)> {
    let messages = words::count(plan.messages, "message", "messages");
    let mut fields =
        vec![("chat", Text::new().plain(plan.chat.file())), ("", Text::new().plain(messages))];
    if let Some(name) = &plan.lorebook {
        fields.push(("its lorebook", Text::new().name(name).plain(" goes with it")));
    }
    if let Some((name, by)) = &plan.stays {
        let text = Text::new().name(name).plain(format!(" stays, because of {by}"));
        fields.push(("its lorebook", text));
    }
    for (n, (chat, links)) in plan.linked.iter().enumerate() {
        let links = words::count(*links, "link", "links");
        let text = Text::new().name(&chat.name).plain(format!(" loses {links} to it"));
        fields.push((if n == 0 { "linked from" } else { "" }, text));
    }
    for (n, child) in plan.children.iter().enumerate() {
        let text = Text::new().name(&child.name).plain(" stays, without the chat it came from");
        fields.push((if n == 0 { "made from it" } else { "" }, text));
    }
    for (n, other) in plan.remembered.iter().enumerate() {
        let text = Text::new().name(&other.name).plain(" notes what it wrote to the lorebook");
        fields.push((if n == 0 { "remembered by" } else { "" }, text));
    }
    fields
}

fn as_json(plan: &Deletion, id: Option<&str>) -> Value {
    json!({
        "chat": plan.chat.name,
        "file": plan.chat.file(),
        "deleted": id.is_some(),
        "id": id,
        "lorebook": plan.lorebook,
        "lorebook_stays": plan.stays.as_ref().map(|(name, _)| name),
        "linked": plan.linked.iter().map(|(chat, _)| chat.to_string()).collect::<Vec<_>>(),
        "children": plan.children.iter().map(ToString::to_string).collect::<Vec<_>>(),
        "remembered": plan.remembered.iter().map(ToString::to_string).collect::<Vec<_>>(),
        "warnings": value(&findings_json(&plan.warnings)),
    })
}

pub(super) fn sweep(globals: &Globals, args: &Sweep) -> Result<Answer, Failure> {
    let hosts = globals.hosts()?;
    let mut page = Page::new();
    let (mut all, mut ids) = (Vec::new(), Vec::new());
    for (user, host) in &hosts {
        if hosts.len() > 1 {
            page.heading(&user.handle);
        }
        let elsewhere = globals.named_elsewhere(host)?;
        let (orphans, id) = sweep_one(globals, host, args, &elsewhere, &mut page)?;
        all.extend(orphans.iter().map(|orphan| {
            let mut json = orphan_json(orphan);
            json["user"] = json!(user.handle);
            json
        }));
        ids.extend(id);
    }
    let json = json!({ "swept": !ids.is_empty(), "id": ids.last(), "ids": ids, "orphans": all });
    Ok(Answer { exit: Exit::Done, page, json })
}

/// What one user has, and the operation that swept it up.
fn sweep_one(
    globals: &Globals,
    host: &DiskHost,
    args: &Sweep,
    elsewhere: &[String],
    page: &mut Page,
) -> Result<(Vec<Orphan>, Option<String>), Failure> {
    let days = args.older_than;
    let (orphans, id) = if args.apply {
        let swept = pollster::block_on(sweep::sweep(host, days, elsewhere))?;
        findings::healed(page, &swept.healed);
        (swept.orphans, swept.done.map(|done| done.id))
    } else {
        (pollster::block_on(sweep::orphans(host, days, elsewhere))?, None)
    };
    let going = orphans.iter().filter(|orphan| orphan.goes).count();
    let books = words::count(going, "lorebook", "lorebooks");
    if orphans.is_empty() {
        let text = "No lorebook that Lorefork made is without a chat.";
        page.hanging(0, 2, Text::new().styled(GOOD, "✓ ").plain(text));
    } else if let Some(id) = &id {
        let text = format!("{books} moved to the trash.");
        page.hanging(0, 2, Text::new().styled(GOOD, "✓ ").plain(text));
        list(page, &orphans, days);
        take_back(page, globals, host, id);
    } else {
        page.line(0, format!("This would move {books} to the trash. Nothing was written."));
        list(page, &orphans, days);
        if going > 0 && !args.apply {
            page.line(0, "To do it:");
            page.fixed(2, Text::new().code(again(&["--apply"])));
        }
    }
    Ok((orphans, id))
}

fn list(page: &mut Page, orphans: &[Orphan], days: u64) {
    page.blank();
    for orphan in orphans {
        page.hanging(2, 2, Text::new().quiet("– ").name(&orphan.name));
        let at = orphan.at.map_or(String::new(), |at| format!(" at message {at}"));
        let origin = format!("made of “{}” for “{}”{at}", orphan.from, orphan.timeline);
        page.hanging(4, 2, Text::new().plain(origin));
        let age = orphan.days.map_or("of unknown age".to_owned(), |days| match days {
            0 => "written today".to_owned(),
            days => format!("{} old", words::count(days as usize, "day", "days")),
        });
        let stays = if orphan.goes { String::new() } else { format!("; stays for {days} days") };
        let text = format!("{}, {age}{stays}", words::size(orphan.bytes));
        page.hanging(4, 2, Text::new().quiet(text));
    }
    page.blank();
}

fn orphan_json(orphan: &Orphan) -> Value {
    json!({
        "lorebook": orphan.name,
        "bytes": orphan.bytes,
        "days": orphan.days,
        "timeline": orphan.timeline,
        "from": orphan.from,
        "at": orphan.at,
        "goes": orphan.goes,
    })
}
