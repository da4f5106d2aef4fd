//! The codes of problems: one table, of which all that is said about them is made. They are stable:
//! scripts and pages refer to them.

use std::fmt;

/// How bad a problem is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// Something is lost, or will be.
    Error,
    /// Something is not as it should be.
    Warning,
    /// Worth knowing; nothing happens if it stays.
    Note,
}

impl Severity {
    /// As answers and pages have it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Note => "note",
        }
    }
}

macro_rules! codes {
    ($($variant:ident $name:literal,)*) => {
        /// What can be wrong. In the order in which it is repaired: files first, then lorebooks,
        /// then what refers to them.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
        pub enum Code {
            $(#[doc = concat!("Told in `docs/problems/", $name, ".md`.")] $variant,)*
        }

        impl Code {
            /// Every code, in the order of the table.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)*];

            /// As answers, scripts and the command line know it.
            pub fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }

            /// Its page, in Markdown: what it is and how bad, an example, the cause and the cure.
            pub fn page(self) -> &'static str {
                match self { $(Self::$variant => page!($name),)* }
            }
        }
    };
}

/// A code without its page does not compile.
macro_rules! page {
    ($name:literal) => {
        include_str!(concat!("../../../../docs/problems/", $name, ".md"))
    };
}

codes! {
    InterruptedOperation "INTERRUPTED_OPERATION",
    ByteOrderMark "BYTE_ORDER_MARK",
    MissingHeader "MISSING_HEADER",
    CorruptLine "CORRUPT_LINE",
    CorruptGroup "CORRUPT_GROUP",
    CorruptSettings "CORRUPT_SETTINGS",
    NameCollision "NAME_COLLISION",
    UnlistedGroupChat "UNLISTED_GROUP_CHAT",
    SharedLorebook "SHARED_LOREBOOK",
    CorruptLorebook "CORRUPT_LOREBOOK",
    MissingLorebook "MISSING_LOREBOOK",
    LorebookMismatch "LOREBOOK_MISMATCH",
    LorebookAlsoGlobal "LOREBOOK_ALSO_GLOBAL",
    OrphanedLorebook "ORPHANED_LOREBOOK",
    UidKeyMismatch "UID_KEY_MISMATCH",
    DuplicateQueue "DUPLICATE_QUEUE",
    QueueUnreadable "QUEUE_UNREADABLE",
    QueueForeignOperation "QUEUE_FOREIGN_OPERATION",
    LoreFromTheFuture "LORE_FROM_THE_FUTURE",
    DanglingRegistryUid "DANGLING_REGISTRY_UID",
    RegistryWrongEntry "REGISTRY_WRONG_ENTRY",
    UnregisteredEntry "UNREGISTERED_ENTRY",
    StaleRegistryIndex "STALE_REGISTRY_INDEX",
    RecapChatIdMismatch "RECAP_CHAT_ID_MISMATCH",
    RecapFromTheFuture "RECAP_FROM_THE_FUTURE",
    RecapVersionMissing "RECAP_VERSION_MISSING",
    CombinedRecapMismatch "COMBINED_RECAP_MISMATCH",
    MissingParent "MISSING_PARENT",
    LegacyTimeline "LEGACY_TIMELINE",
    SharedSlug "SHARED_SLUG",
    MissingTombstone "MISSING_TOMBSTONE",
    DeadCheckpointLink "DEAD_CHECKPOINT_LINK",
    DeadBranchLink "DEAD_BRANCH_LINK",
    UnlinkedTimeline "UNLINKED_TIMELINE",
    StaleMapping "STALE_MAPPING",
}

impl Code {
    /// The code of this name, however it is written.
    pub fn named(name: &str) -> Option<Self> {
        let name = name.trim().replace(['-', ' '], "_").to_ascii_uppercase();
        Self::ALL.iter().copied().find(|code| code.name() == name)
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
