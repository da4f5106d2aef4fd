//! Random user folders: everything odd that real ones hold.
//!
//! A strategy makes small plans, and code that is the same on every run spells them out as text
//! by hand, so that spellings no printer would choose are among them. Plans shrink well.

mod book;
mod head;
mod messages;
mod recap;
mod words;

use proptest::prelude::*;

use lorefork::tavern::place::{ChatRef, Owner};

use crate::folder::Folder;
use crate::make::{header, message};
pub use book::{BookPlan, Queue};
pub use head::{HeadPlan, Layout};
pub use messages::{MessagePlan, Oddity};
pub use recap::{Era, ScenePlan, VersionPlan};

/// A user folder, and what a test wants to know about it.
#[derive(Debug, Clone)]
pub struct Story {
    pub folder: Folder,
    /// The chat to fork.
    pub parent: ChatRef,
    /// A chat of the same owner that names the same lorebook, if there is one.
    pub sibling: Option<ChatRef>,
    /// The lorebook the parent names.
    pub lorebook: Option<String>,
    /// How many messages the parent has, at least one.
    pub messages: usize,
    /// Messages that end a scene.
    pub scenes: Vec<usize>,
    /// The queue of the lorebook.
    pub queue: Queue,
    /// What it was made from, for who reads a failing test.
    pub plan: Plan,
}

/// Everything that was drawn.
#[derive(Debug, Clone)]
pub struct Plan {
    pub in_group: bool,
    pub has_sibling: bool,
    pub messages: Vec<MessagePlan>,
    pub scenes: Vec<(usize, ScenePlan)>,
    pub versions: Vec<VersionPlan>,
    pub book: Option<BookPlan>,
    pub head: HeadPlan,
}

/// Any story: with and without memory data, lorebook, sibling and group.
pub fn story() -> impl Strategy<Value = Story> {
    plan().prop_map(Story::from_plan)
}

/// Stories with a lorebook, recapped scenes and no work waiting: those that can be forked from
/// their first complete snapshot on.
pub fn remembered() -> impl Strategy<Value = Story> {
    let fits = |plan: &Plan| {
        let book = plan.book.as_ref();
        plan.head.layout != Layout::Bare
            && book.is_some_and(|book| book.queue != Queue::Waiting)
            && plan.scenes.iter().any(|(_, scene)| scene.era == Era::D)
    };
    plan()
        .prop_map(|mut plan| {
            // Most plans lack little; giving it to them is quicker than drawing again.
            plan.book = plan.book.take().or_else(|| Some(BookPlan::small()));
            if plan.scenes.is_empty() {
                plan.scenes.push((0, ScenePlan::plain()));
            }
            for (_, scene) in &mut plan.scenes {
                scene.era = Era::D;
                scene.in_swipe = false;
            }
            if plan.head.layout == Layout::Bare {
                plan.head.layout = Layout::New;
            }
            plan
        })
        .prop_filter("work is waiting", fits)
        .prop_map(Story::from_plan)
}

fn plan() -> impl Strategy<Value = Plan> {
    let flags = (prop::bool::weighted(0.25), any::<bool>());
    let messages = prop::collection::vec(messages::plan(), 1..=40);
    let scenes = prop_oneof![
        1 => Just(Vec::new()),
        3 => prop::collection::vec((any::<prop::sample::Index>(), recap::scene()), 0..=4),
    ];
    let versions = prop::collection::vec(recap::version(), 0..=5);
    let book = prop::option::weighted(0.85, book::plan());
    (flags, messages, scenes, versions, book, head::plan()).prop_map(
        |((in_group, has_sibling), messages, scenes, versions, book, head)| {
            let places = scenes.into_iter().map(|(at, scene)| (at.index(messages.len()), scene));
            let mut scenes: Vec<(usize, ScenePlan)> = places.collect();
            scenes.sort_by_key(|(at, _)| *at);
            scenes.dedup_by_key(|(at, _)| *at);
            Plan { in_group, has_sibling, messages, scenes, versions, book, head }
        },
    )
}

impl Story {
    /// Spells a plan out. The same plan gives the same bytes.
    pub fn from_plan(plan: Plan) -> Self {
        let owner = if plan.in_group {
            Owner::Group("1794771257676".to_owned())
        } else {
            Owner::Character("Mira".to_owned())
        };
        let parent = ChatRef::new(owner, "Mira - 2026-11-15@19h05m18s246ms");
        let name = plan.book.as_ref().filter(|_| plan.head.layout != Layout::Bare);
        let name = name.map(|book| book.name().to_owned());
        let mut folder = Folder::new();
        folder.put(parent.file(), chat_text(&plan, &parent, name.as_deref()));
        if let Some(book) = &plan.book {
            folder.put(format!("worlds/{}.json", book.name()), book.text(plan.scenes.len()));
        }
        let sibling =
            name.as_ref().filter(|_| plan.has_sibling).map(|_| parent.sibling("Zweig – 枝"));
        if let (Some(sibling), Some(name)) = (&sibling, &name) {
            let head = format!(r#"{{"integrity":"b-slug","world_info":"{name}"}}"#);
            let line = message("Mira", "Elsewhere.", "{}");
            folder = folder.with_chat(sibling, &header(&head), &[line]);
        }
        folder = bystanders(folder, &plan, &parent, sibling.as_ref());
        Self {
            folder,
            parent,
            sibling,
            lorebook: name,
            messages: plan.messages.len(),
            scenes: plan.scenes.iter().map(|(at, _)| *at).collect(),
            queue: plan.book.as_ref().map_or(Queue::None, |book| book.queue),
            plan,
        }
    }
}

fn chat_text(plan: &Plan, parent: &ChatRef, lorebook: Option<&str>) -> String {
    let mut lines = vec![plan.head.line(plan, parent, lorebook)];
    for (index, message) in plan.messages.iter().enumerate() {
        let scene = plan.scenes.iter().position(|(at, _)| *at == index);
        let memory = scene.map(|nth| recap::memory(plan, nth, lorebook));
        let in_swipe = scene.is_some_and(|nth| plan.scenes[nth].1.in_swipe);
        lines.push(message.line(index, memory.as_deref(), in_swipe, lorebook));
    }
    plan.head.joined(&lines)
}

/// Files that have nothing to do with it, and must stay as they are.
fn bystanders(
    mut folder: Folder,
    plan: &Plan,
    parent: &ChatRef,
    sibling: Option<&ChatRef>,
) -> Folder {
    folder.put("settings.json", "{\n    \"currentVersion\": \"1.19.0\",\n    \"odd\": 1e5\n}");
    folder.put("characters/Mira.png", [0x89, b'P', b'N', b'G', 0xff]);
    folder = folder.with_lorebook("Other", &[]);
    let mut chats: Vec<&str> = Vec::new();
    if plan.in_group {
        chats.push(&parent.name);
        chats.extend(sibling.map(|sibling| sibling.name.as_str()));
    } else {
        let crew = ChatRef::new(Owner::Group(String::new()), "Crew");
        let head = header(r#"{"integrity":"c-slug","world_info":"Other"}"#);
        folder = folder.with_chat(&crew, &head, &[message("Orrin", "Rowing.", "{}")]);
        chats.push("Crew");
    }
    folder.with_group("1794771257676", &chats)
}
