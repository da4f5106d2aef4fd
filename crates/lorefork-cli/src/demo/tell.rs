//! Forks the sample chat, mends the tangled one, and reads back, from the files, what each timeline
//! knows.

use std::path::Path;

use lorefork::error::Code;
use lorefork::fork::{self, Created, Request};
use lorefork::host::{ChatView as _, Host as _};
use lorefork::memory::entries::is_queue;
use lorefork::tavern::chat::Header;
use lorefork::tavern::lorebook::Lorebook;
use lorefork::tavern::names::Kind;
use lorefork::tavern::place::{ChatRef, Owner};
use lorefork::timeline::verify::{Answer as State, verify};
use lorefork_demo::{CHAT, SCENE_ENDS, SWIPED};
use lorefork_disk::{DiskHost, Root};

use super::mend::{Mended, mend};
use crate::commands::tree;
use crate::error::Failure;

/// Where the checkpoint is made: the end of the first scene.
pub(crate) const EARLY: usize = SCENE_ENDS[0];
/// Where the branch is made, and from which swipe.
pub(crate) const LATE: usize = SWIPED;
pub(crate) const SWIPE: usize = 0;

/// An entry: what to call it, and its comment.
pub(crate) type Fact = (&'static str, &'static str);

/// Entries that say different things at different times.
pub(crate) const FACTS: [Fact; 4] = [
    ("the dragon", "character-Ashkeel"),
    ("Jory", "character-Jory"),
    ("the whistle", "item-Bone whistle"),
    ("Pinch", "character-Pinch"),
];

/// What happened.
pub(crate) struct Told {
    /// The main chat, its checkpoint and its branch.
    pub(crate) timelines: [Knows; 3],
    pub(crate) made: [Created; 2],
    pub(crate) mended: Mended,
    /// The family that was forked.
    pub(crate) tree: Vec<tree::Shown>,
}

/// What a timeline knows, as its files say.
pub(crate) struct Knows {
    pub(crate) chat: String,
    pub(crate) last: usize,
    pub(crate) lorebook: String,
    pub(crate) entries: usize,
    /// What its lorebook says of each fact it was asked about.
    pub(crate) facts: Vec<Option<String>>,
    /// How many other timelines use its lorebook.
    pub(crate) shared_with: usize,
    /// Whether it is as it was made; nobody made the main chat.
    pub(crate) state: Option<State>,
}

/// Forks one chat in the folder twice, mends another family, and looks at the results.
pub(crate) fn tell(folder: &Path) -> Result<Told, Failure> {
    let cwd = std::env::current_dir().unwrap_or_default();
    let root = Root::find(Some(folder), &cwd)?;
    let user = root.users().first().ok_or_else(|| unexpected("the folder has no user"))?;
    let host = DiskHost::new(user)?;
    pollster::block_on(tell_on(&host))
}

async fn tell_on(host: &DiskHost) -> Result<Told, Failure> {
    let main = ChatRef::new(Owner::Character("Tamsin".into()), CHAT);
    let early = Request { at: Some(EARLY), ..Request::new(Kind::Checkpoint, main.clone()) };
    let late =
        Request { at: Some(LATE), swipe: Some(SWIPE), ..Request::new(Kind::Branch, main.clone()) };
    let checkpoint = fork::create(host, &early).await?;
    let branch = fork::create(host, &late).await?;
    Ok(Told {
        timelines: [
            knows(host, &main, &FACTS).await?,
            knows(host, &checkpoint.place, &FACTS).await?,
            knows(host, &branch.place, &FACTS).await?,
        ],
        made: [checkpoint, branch],
        mended: mend(host).await?,
        tree: tree::of(host, Some(&main.owner), Some(&main), true).await?,
    })
}

pub(crate) async fn knows(
    host: &DiskHost,
    chat: &ChatRef,
    facts: &[Fact],
) -> Result<Knows, Failure> {
    let status = lorefork::timeline::status::status(host, chat).await?;
    let state = match verify(host, chat).await {
        Ok(verified) => Some(verified.state),
        Err(error) if error.code == Code::NoRecord => None,
        Err(error) => return Err(error.into()),
    };
    let view = host.open(chat).await?;
    let header = Header::read(view.header()).map_err(|problem| unexpected(&problem.to_string()))?;
    let lorebook = header.lorebook().ok_or_else(|| unexpected("a chat has no lorebook"))?;
    let document = host.lorebook(&lorebook).await?;
    let document = document.ok_or_else(|| unexpected("a lorebook is gone"))?;
    let book =
        Lorebook::read(&document.text).map_err(|problem| unexpected(&problem.to_string()))?;
    let says = |comment: &str| {
        let entry = book.entries.iter().find(|entry| entry.comment() == comment)?;
        Some(first_words(&entry.content()))
    };
    Ok(Knows {
        chat: chat.name.clone(),
        last: view.len().saturating_sub(1),
        entries: book.entries.iter().filter(|entry| !is_queue(&entry.comment())).count(),
        facts: facts.iter().map(|(_, comment)| says(comment)).collect(),
        lorebook,
        shared_with: status.shared_with.len(),
        state,
    })
}

/// The first thing an entry says.
fn first_words(content: &str) -> String {
    let line = content.lines().next().unwrap_or_default().trim_start_matches("- ");
    let words = line.split(';').next().unwrap_or_default();
    words.replace("{{user}}", "you")
}

/// The sample data is ours, so this does not happen.
pub(crate) fn unexpected(problem: &str) -> Failure {
    let message = format!("the sample data is not as it should be: {problem}");
    Failure::new(Code::ReadFailed, message, "Run the demo again, in another folder.")
}
