//! What an answer can be known by: one table, of which all that is said about codes is made.

use std::fmt;

/// What kind of “no” it is; the command line makes its exit code of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ErrorKind {
    /// The answer is no: a requirement is not met.
    No,
    /// It could not be done: input, usage, disk.
    CouldNot,
    /// Somebody else is writing.
    SomebodyElse,
}

macro_rules! codes {
    ($($variant:ident $word:literal $kind:ident $means:literal,)*) => {
        /// Everything that can be said of a fork, as a stable code.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Code { $(#[doc = $means] $variant,)* }

        impl Code {
            /// Every code, in the order of the table.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)*];

            /// As reports and scripts know it.
            pub fn word(self) -> &'static str {
                match self { $(Self::$variant => $word,)* }
            }

            /// What kind of “no” an error with this code is.
            pub fn kind(self) -> ErrorKind {
                match self { $(Self::$variant => ErrorKind::$kind,)* }
            }

            /// What it means, in one sentence or two, for whoever meets it in an answer.
            pub fn means(self) -> &'static str {
                match self { $(Self::$variant => $means,)* }
            }
        }
    };
}

codes! {
    // Requirements.
    MessageNotFound "MESSAGE_NOT_FOUND" CouldNot
        "The message that was asked for does not exist in this chat.",
    QueueNotEmpty "QUEUE_NOT_EMPTY" No
        "Auto-Recap still has work waiting for this lorebook. Let it finish, or make the \
         timeline without that work.",
    QueueUnreadable "QUEUE_UNREADABLE" No
        "The lorebook's entry with waiting work cannot be read, so nobody knows whether any \
         is waiting.",
    Generating "GENERATING" No
        "A reply is being written. Wait until it is done, or stop it.",
    MissingLorebook "MISSING_LOREBOOK" CouldNot
        "The chat names a lorebook whose file is not there.",
    NoSnapshot "NO_SNAPSHOT" No
        "The lorebook has changed since that message, and no scene up to it recorded it. \
         Choose the lorebook as it is now, or an empty one.",
    NameTaken "NAME_TAKEN" No
        "A chat of that name exists already.",
    NoSceneBreak "NO_SCENE_BREAK" No
        "No scene ends at this message; only the strict policy asks for it.",
    NoSceneRecap "NO_SCENE_RECAP" No
        "The scene at this message has no recap; only the strict policy asks for it.",
    SceneWithoutSnapshot "SCENE_WITHOUT_SNAPSHOT" No
        "The scene at this message recorded no lorebook; only the strict policy asks for it.",
    NoRunningRecap "NO_RUNNING_RECAP" No
        "The chat has no running recap; only the strict policy asks for it.",
    NotInRunningRecap "NOT_IN_RUNNING_RECAP" No
        "The running recap does not have the newest scene yet; only the strict policy asks \
         for it.",
    // Warnings.
    LorebookAlsoGlobal "LOREBOOK_ALSO_GLOBAL" CouldNot
        "The lorebook also acts globally, through the character or the persona, beside the \
         timeline's own copy.",
    LoreMayBeNewer "LORE_MAY_BE_NEWER" CouldNot
        "Nothing recorded tells whether the lorebook changed after this message, so it was \
         taken as it is now.",
    PartialSnapshot "PARTIAL_SNAPSHOT" CouldNot
        "The lorebook comes from a record that is known to lack something.",
    KnowsTheFuture "KNOWS_THE_FUTURE" CouldNot
        "The timeline's lorebook holds what happens after its last message, because that was \
         asked for.",
    NotRewound "NOT_REWOUND" CouldNot
        "Something in the chat has no history in SillyTavern and is as it is now.",
    ReplacesCheckpoint "REPLACES_CHECKPOINT" CouldNot
        "The message had a checkpoint; it links to the new one now. The old one still exists.",
    SettingsNotCopied "SETTINGS_NOT_COPIED" CouldNot
        "Auto-Recap keeps some settings by the chat's name; the new timeline has the \
         defaults.",
    OtherBooksShared "OTHER_BOOKS_SHARED" CouldNot
        "MemoryBooks has bound further lorebooks to the chat, and they stay shared.",
    NamedElsewhere "NAMED_ELSEWHERE" CouldNot
        "Somebody else uses the lorebook as well, so it is left as it is.",
    SharedOnPurpose "SHARED_ON_PURPOSE" No
        "The lorebook is marked as shared on purpose, so it is left whole.",
    OthersWroteToo "OTHERS_WROTE_TOO" CouldNot
        "Another timeline has written to this lorebook, and what it added is in the copy.",
    SettingsUnreadable "SETTINGS_UNREADABLE" CouldNot
        "SillyTavern's settings.json cannot be read, so nobody knows which lorebooks it uses.",
    DanglingRegistryUid "DANGLING_REGISTRY_UID" CouldNot
        "A registry lists an entry that the lorebook does not have.",
    DuplicateQueue "DUPLICATE_QUEUE" CouldNot
        "The lorebook has more than one entry for waiting work; the new one has one.",
    CombinedRecapDropped "COMBINED_RECAP_DROPPED" CouldNot
        "The combined recap tells of messages that the timeline does not have, so it was left \
         out.",
    DamagedLater "DAMAGED_LATER" CouldNot
        "A line after that message is damaged. The timeline does not have it, but it may have \
         been evidence.",
    InterruptedOperation "INTERRUPTED_OPERATION" CouldNot
        "An earlier operation was cut short. The next command that writes finishes it or \
         takes it back.",
    ReloadSillytavern "RELOAD_SILLYTAVERN" CouldNot
        "An open tab still holds the old state. Reload it before you write there.",
    LinkFailed "LINK_FAILED" CouldNot
        "The timeline is made, but its parent could not be linked to it. “lorefork fix” does \
         that later.",
    // Errors.
    ChatNotFound "CHAT_NOT_FOUND" CouldNot
        "There is no such chat.",
    DamagedChat "DAMAGED_CHAT" CouldNot
        "A line of the chat is not what SillyTavern writes. Lorefork names it and changes \
         nothing.",
    EmptyChat "EMPTY_CHAT" CouldNot
        "The chat has no messages.",
    ByteOrderMark "BYTE_ORDER_MARK" CouldNot
        "The file begins with an invisible mark that SillyTavern cannot read.",
    MissingHeader "MISSING_HEADER" CouldNot
        "The chat's first line, with its data, is missing.",
    CorruptLorebook "CORRUPT_LOREBOOK" CouldNot
        "The lorebook's file cannot be read as a lorebook.",
    CorruptGroup "CORRUPT_GROUP" CouldNot
        "The group's file cannot be read as a group.",
    CorruptCard "CORRUPT_CARD" CouldNot
        "The character's card cannot be read.",
    CorruptRecord "CORRUPT_RECORD" CouldNot
        "A record of Lorefork cannot be read.",
    GroupTooOld "GROUP_TOO_OLD" CouldNot
        "The group is in the format of an old SillyTavern. Open it once in SillyTavern 1.15 \
         or newer.",
    NoSuchSwipe "NO_SUCH_SWIPE" CouldNot
        "The message has no such swipe.",
    NoSuchEntry "NO_SUCH_ENTRY" CouldNot
        "No open entry of the lorebook has that number or name.",
    BadName "BAD_NAME" CouldNot
        "A chat cannot have that name.",
    NewerRecord "NEWER_RECORD" CouldNot
        "A newer Lorefork has written to this file. Update Lorefork.",
    NoRecord "NO_RECORD" No
        "The timeline has no record of Lorefork, so there is nothing to compare it with.",
    Busy "BUSY" SomebodyElse
        "Another operation is under way in this user's folder.",
    ChangedMeanwhile "CHANGED_MEANWHILE" SomebodyElse
        "Somebody else changed a file while it was being worked on. Nothing was changed; try \
         again.",
    ChatSwitched "CHAT_SWITCHED" SomebodyElse
        "Another chat was opened while it was being worked on. Nothing was changed; try \
         again.",
    AnswerLost "ANSWER_LOST" CouldNot
        "SillyTavern's answer got lost, so nobody knows yet whether it wrote. The next start \
         finds out.",
    NotTakenBack "NOT_TAKEN_BACK" CouldNot
        "Something failed, and what was done before could not be taken back at once. The next \
         command tries again.",
    NotInTrash "NOT_IN_TRASH" CouldNot
        "The former state is no longer in the trash, which was emptied.",
    ChangedSince "CHANGED_SINCE" No
        "A file has changed since the operation, so undoing would lose that change.",
    Continued "CONTINUED" No
        "The timeline was continued since it was made, so it is not simply removed.",
    NothingToUndo "NOTHING_TO_UNDO" No
        "Nothing stands that could be undone, or it is undone already.",
    UnknownOperation "UNKNOWN_OPERATION" CouldNot
        "The log has no operation of that id.",
    InUse "IN_USE" No
        "Something else uses the lorebook, so it is not removed.",
    OutsideRoot "OUTSIDE_ROOT" CouldNot
        "A link leads out of the data folder, and Lorefork does not follow it.",
    WriteFailed "WRITE_FAILED" CouldNot
        "A file could not be written.",
    ReadFailed "READ_FAILED" CouldNot
        "A file could not be read.",
}

impl Code {
    /// By its word, however it is spelled.
    pub fn named(word: &str) -> Option<Self> {
        let word = word.trim().replace(['-', ' '], "_").to_ascii_uppercase();
        Self::ALL.iter().copied().find(|code| code.word() == word)
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_is_found_by_its_word_and_means_something() {
        for code in Code::ALL.iter().copied() {
            let spelled = format!("{code:?}").to_ascii_uppercase();
            assert_eq!(code.word().replace('_', ""), spelled, "is called as it is written");
            assert_eq!(Code::named(&code.word().to_lowercase().replace('_', "-")), Some(code));
            assert!(code.means().ends_with('.'), "{code}");
        }
        assert_eq!(Code::named("NOTHING_LIKE_IT"), None);
    }
}
