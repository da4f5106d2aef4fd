//! Who is who in a folder: families, and who names which lorebook.

use crate::audit::facts::{Book, BookFacts, ChatFacts, First, Folder, HeaderFacts};
use crate::audit::problem::Problem;
use crate::sorted;
use crate::tavern::names;
use crate::tavern::place::{ChatRef, Owner};
use crate::tavern::settings::Link;

/// The facts of a folder, with what they say about each other.
pub(super) struct World<'f> {
    pub(super) folder: &'f Folder,
    /// Chats by place, for finding one.
    places: Vec<(&'f ChatRef, usize)>,
    /// For each chat, the first of its family.
    roots: Vec<usize>,
    parents: Vec<Option<usize>>,
    /// Lorebooks by the name of their file, and the chats that name them; also of files that are
    /// not there.
    users: Vec<(String, Vec<usize>)>,
}

impl<'f> World<'f> {
    pub(super) fn new(folder: &'f Folder) -> Self {
        let mut places: Vec<(&ChatRef, usize)> =
            folder.chats.iter().enumerate().map(|(index, facts)| (&facts.chat, index)).collect();
        sorted::sort(&mut places);
        let mut world =
            Self { folder, places, roots: Vec::new(), parents: Vec::new(), users: Vec::new() };
        world.parents = (0..folder.chats.len()).map(|chat| world.find_parent(chat)).collect();
        world.roots = (0..folder.chats.len()).map(|chat| world.find_root(chat)).collect();
        world.users = world.find_users();
        world
    }

    pub(super) fn chats(&self) -> impl Iterator<Item = (usize, &'f ChatFacts)> {
        self.folder.chats.iter().enumerate()
    }

    /// Chats whose header can be read.
    pub(super) fn headers(&self) -> impl Iterator<Item = (usize, &'f ChatFacts, &'f HeaderFacts)> {
        self.chats().filter_map(|(index, facts)| Some((index, facts, facts.header()?)))
    }

    pub(super) fn chat(&self, index: usize) -> &'f ChatFacts {
        &self.folder.chats[index]
    }

    pub(super) fn find(&self, owner: &Owner, name: &str) -> Option<usize> {
        // Names in chats are as they were typed, files are not.
        let name = names::chat_name(name)?;
        let place = ChatRef::new(owner.clone(), name);
        let at = self.places.binary_search_by(|(other, _)| (*other).cmp(&place)).ok()?;
        Some(self.places[at].1)
    }

    /// Whether there is such a chat for SillyTavern; groups have all their chats in one folder.
    pub(super) fn exists(&self, owner: &Owner, name: &str) -> bool {
        match owner {
            Owner::Character(_) => self.find(owner, name).is_some(),
            Owner::Group(_) => names::chat_name(name).is_some_and(|name| {
                self.folder.chats.iter().any(|other| {
                    matches!(other.chat.owner, Owner::Group(_)) && other.chat.name == name
                })
            }),
        }
    }

    fn find_parent(&self, chat: usize) -> Option<usize> {
        let facts = self.chat(chat);
        let header = facts.header()?;
        let recorded = header.record.as_ref().and_then(|record| record.parent.as_ref());
        let by_id = || {
            let id = recorded?.id.as_ref()?;
            self.only_other(chat, |header| header.id.as_ref() == Some(id))
        };
        let by_name = || {
            let named = self.find(&facts.chat.owner, header.main_chat.as_deref()?);
            named.filter(|parent| *parent != chat)
        };
        let by_slug = || {
            let slug = recorded?.slug.as_ref()?;
            self.only_other(chat, |header| header.slug.as_ref() == Some(slug))
        };
        // A name may be given to another chat, the id may not.
        by_id().or_else(by_name).or_else(by_slug)
    }

    /// The one chat besides this one, of the same character or group, that is so.
    fn only_other(&self, chat: usize, is: impl Fn(&HeaderFacts) -> bool) -> Option<usize> {
        let owner = &self.chat(chat).chat.owner;
        let mut all = self.headers().filter(|(index, other, header)| {
            *index != chat && is(header) && other.chat.owner == *owner
        });
        let first = all.next()?;
        all.next().is_none().then_some(first.0)
    }

    fn find_root(&self, chat: usize) -> usize {
        let mut way = vec![chat];
        let mut root = chat;
        while let Some(parent) = self.parents[root] {
            if way.contains(&parent) {
                // A circle: whoever is met first stands for it.
                return way.into_iter().chain([parent]).min().unwrap_or(chat);
            }
            way.push(parent);
            root = parent;
        }
        root
    }

    fn find_users(&self) -> Vec<(String, Vec<usize>)> {
        let mut all: Vec<(String, usize)> = self
            .headers()
            .filter_map(|(index, _, header)| Some((book_file(header)?, index)))
            .collect();
        sorted::sort(&mut all);
        let mut users: Vec<(String, Vec<usize>)> = Vec::new();
        for (book, chat) in all {
            match users.last_mut() {
                Some((last, chats)) if *last == book => chats.push(chat),
                _ => users.push((book, vec![chat])),
            }
        }
        users
    }

    pub(super) fn parent(&self, chat: usize) -> Option<usize> {
        self.parents[chat]
    }

    /// The parent of a timeline, and the last message that both tell: the one that links to it, or
    /// that it was forked at by us. `None` if nobody knows: messages may have been deleted since, so
    /// its length tells nothing.
    pub(super) fn parting(&self, chat: usize) -> Option<(&'f ChatFacts, usize)> {
        let (own, parent) = (self.chat(chat), self.chat(self.parent(chat)?));
        let linked = self.linked_at(chat);
        let record = own.header().and_then(|header| header.record.as_ref());
        let forked = record.filter(|record| record.is_forked()).map(|record| record.at);
        let at = linked.max(forked)?;
        // A link may have been to an earlier timeline of this name.
        let in_both = parent.scenes.iter().filter(|scene| own.scenes.contains(scene));
        Some((parent, in_both.map(|scene| scene.at).fold(at, usize::max)))
    }

    /// The last message of its parent that links to a timeline.
    pub(super) fn linked_at(&self, chat: usize) -> Option<usize> {
        let (own, parent) = (self.chat(chat), self.chat(self.parent(chat)?));
        let is_it = |name: &str| names::chat_name(name).as_ref() == Some(&own.chat.name);
        parent.links.iter().filter(|mark| is_it(&mark.name)).map(|mark| mark.at).max()
    }

    pub(super) fn root(&self, chat: usize) -> usize {
        self.roots[chat]
    }

    pub(super) fn family(&self, chat: usize) -> Vec<usize> {
        (0..self.roots.len()).filter(|other| self.roots[*other] == self.roots[chat]).collect()
    }

    pub(super) fn depth(&self, chat: usize) -> usize {
        let mut depth = 0;
        let mut at = chat;
        while let Some(parent) = self.parents[at].filter(|_| depth < self.roots.len()) {
            at = parent;
            depth += 1;
        }
        depth
    }

    pub(super) fn books(&self) -> &[(String, Vec<usize>)] {
        &self.users
    }

    pub(super) fn users_of(&self, book: &str) -> &[usize] {
        let at = self.users.binary_search_by(|(name, _)| name.as_str().cmp(book));
        at.map_or(&[], |at| &self.users[at].1)
    }

    pub(super) fn facts_of(&self, book: &str) -> Option<&'f BookFacts> {
        self.folder.lorebooks.iter().find(|facts| facts.name == book)
    }

    pub(super) fn book(&self, name: &str) -> Option<&'f Book> {
        self.facts_of(name)?.book.as_ref().ok()
    }

    /// Whether a lorebook is there, and cannot be read: what it would say is not known.
    pub(super) fn is_damaged(&self, book: &str) -> bool {
        self.facts_of(book).is_some_and(|facts| facts.book.is_err())
    }

    pub(super) fn has_damaged_group(&self) -> bool {
        !self.folder.damaged_groups.is_empty()
    }

    /// Whether a chat whose header cannot be read may be one of a lorebook's.
    pub(super) fn may_have_more_users(&self, book: &str) -> bool {
        self.chats().any(|(_, facts)| match &facts.first {
            First::Damaged(text) => text.contains(book),
            _ => facts.is_header_lost() && facts.trouble.is_some(),
        })
    }

    /// How a lorebook acts on a chat besides being the chat's.
    pub(super) fn links_of(&self, book: &str, owner: &Owner) -> Vec<&'f Link> {
        let characters = match owner {
            Owner::Character(name) => std::slice::from_ref(name),
            Owner::Group(id) => {
                let group = self.folder.groups.iter().find(|group| group.id == *id);
                group.map_or(&[][..], |group| &group.members)
            }
        };
        let concerns = |link: &Link| match link {
            Link::Character(name) | Link::Auxiliary(name) => characters.contains(name),
            Link::Global | Link::Persona => true,
        };
        let mut links: Vec<&Link> = Vec::new();
        for linked in &self.folder.links {
            let is_it = names::same_lorebook(&linked.name, book) && concerns(&linked.link);
            if is_it && !links.contains(&&linked.link) {
                links.push(&linked.link);
            }
        }
        links
    }

    /// Whether several timelines of one family use the chat's lorebook, and not on purpose.
    pub(super) fn is_shared_in_family(&self, chat: usize) -> bool {
        let Some(book) = self.chat(chat).header().and_then(book_file) else { return false };
        !self.is_shared_on_purpose(&book)
            && self.book(&book).is_some()
            && self
                .sharing(&book)
                .iter()
                .any(|other| *other != chat && self.root(*other) == self.root(chat))
            && self.sharing(&book).contains(&chat)
    }

    /// Chats that use a lorebook and were not made to share it.
    pub(super) fn sharing(&self, book: &str) -> Vec<usize> {
        let shares = |chat: &usize| {
            let record = self.chat(*chat).header().and_then(|header| header.record.as_ref());
            !record.is_some_and(|record| record.is_shared)
        };
        self.users_of(book).iter().copied().filter(shares).collect()
    }

    pub(super) fn is_shared_on_purpose(&self, book: &str) -> bool {
        self.book(book).is_some_and(|book| book.is_shared_on_purpose)
    }

    /// Where a problem stands in the report: families in the order of their first chats.
    pub(super) fn place_of(
        &self,
        problem: &Problem,
    ) -> (u8, Option<&'f ChatRef>, usize, Option<&'f ChatRef>) {
        let chat = problem.chat.as_ref().and_then(|chat| {
            let at = self.places.binary_search_by(|(other, _)| (*other).cmp(chat)).ok()?;
            Some(self.places[at].1)
        });
        let chat = chat.or_else(|| {
            let book = problem.lorebook.as_deref()?;
            self.users_of(book).iter().copied().min_by_key(|chat| (self.depth(*chat), *chat))
        });
        match chat {
            Some(chat) => {
                let root = &self.chat(self.root(chat)).chat;
                (0, Some(root), self.depth(chat), Some(&self.chat(chat).chat))
            }
            None => (1, None, 0, None),
        }
    }
}

/// The file of the lorebook that a header names.
pub(super) fn book_file(header: &HeaderFacts) -> Option<String> {
    let name = header.lorebook.as_ref()?;
    Some(names::lorebook_name(name).unwrap_or_else(|| name.clone()))
}
