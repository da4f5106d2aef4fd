//! Every code in one sentence, for whoever meets it in an answer.

use super::Code;

impl Code {
    pub const ALL: [Self; 60] = [
        Self::MessageNotFound,
        Self::QueueNotEmpty,
        Self::QueueUnreadable,
        Self::Generating,
        Self::MissingLorebook,
        Self::NoSnapshot,
        Self::NameTaken,
        Self::NoSceneBreak,
        Self::NoSceneRecap,
        Self::SceneWithoutSnapshot,
        Self::NoRunningRecap,
        Self::NotInRunningRecap,
        Self::LorebookAlsoGlobal,
        Self::LoreMayBeNewer,
        Self::PartialSnapshot,
        Self::KnowsTheFuture,
        Self::NotRewound,
        Self::ReplacesCheckpoint,
        Self::SettingsNotCopied,
        Self::OtherBooksShared,
        Self::NamedElsewhere,
        Self::SharedOnPurpose,
        Self::OthersWroteToo,
        Self::SettingsUnreadable,
        Self::DanglingRegistryUid,
        Self::DuplicateQueue,
        Self::CombinedRecapDropped,
        Self::DamagedLater,
        Self::InterruptedOperation,
        Self::ReloadSillytavern,
        Self::LinkFailed,
        Self::ChatNotFound,
        Self::DamagedChat,
        Self::EmptyChat,
        Self::ByteOrderMark,
        Self::MissingHeader,
        Self::CorruptLorebook,
        Self::CorruptGroup,
        Self::CorruptCard,
        Self::CorruptRecord,
        Self::GroupTooOld,
        Self::NoSuchSwipe,
        Self::NoSuchEntry,
        Self::BadName,
        Self::NewerRecord,
        Self::NoRecord,
        Self::Busy,
        Self::ChangedMeanwhile,
        Self::ChatSwitched,
        Self::AnswerLost,
        Self::NotTakenBack,
        Self::NotInTrash,
        Self::ChangedSince,
        Self::Continued,
        Self::NothingToUndo,
        Self::UnknownOperation,
        Self::InUse,
        Self::OutsideRoot,
        Self::WriteFailed,
        Self::ReadFailed,
    ];

    /// By its word, however it is spelled.
    pub fn named(word: &str) -> Option<Self> {
        let word = word.trim().replace(['-', ' '], "_").to_ascii_uppercase();
        Self::ALL.into_iter().find(|code| code.word() == word)
    }

    /// What it means.
    pub fn means(self) -> &'static str {
        match self {
            Self::MessageNotFound => "The message that was asked for does not exist in this chat.",
            Self::QueueNotEmpty => {
                "Auto-Recap still has work waiting for this lorebook. Let it \
                 finish, or make the timeline without that work."
            }
            Self::QueueUnreadable => {
                "The lorebook's entry with waiting work cannot be read, so nobody \
                 knows whether any is waiting."
            }
            Self::Generating => "A reply is being written. Wait until it is done, or stop it.",
            Self::MissingLorebook => "The chat names a lorebook whose file is not there.",
            Self::NoSnapshot => {
                "The lorebook has changed since that message, and no scene up to it \
                 recorded it. Choose the lorebook as it is now, or an empty one."
            }
            Self::NameTaken => "A chat of that name exists already.",
            Self::NoSceneBreak => {
                "No scene ends at this message; only the strict policy asks for it."
            }
            Self::NoSceneRecap => {
                "The scene at this message has no recap; only the strict policy \
                 asks for it."
            }
            Self::SceneWithoutSnapshot => {
                "The scene at this message recorded no lorebook; only the strict \
                 policy asks for it."
            }
            Self::NoRunningRecap => {
                "The chat has no running recap; only the strict policy asks for it."
            }
            Self::NotInRunningRecap => {
                "The running recap does not have the newest scene yet; only the \
                 strict policy asks for it."
            }
            Self::LorebookAlsoGlobal => {
                "The lorebook also acts globally, through the character or the \
                 persona, beside the timeline's own copy."
            }
            Self::LoreMayBeNewer => {
                "Nothing recorded tells whether the lorebook changed after this \
                 message, so it was taken as it is now."
            }
            Self::PartialSnapshot => {
                "The lorebook comes from a record that is known to lack something."
            }
            Self::KnowsTheFuture => {
                "The timeline's lorebook holds what happens after its last message, \
                 because that was asked for."
            }
            Self::NotRewound => {
                "Something in the chat has no history in SillyTavern and is as it \
                 is now."
            }
            Self::ReplacesCheckpoint => {
                "The message had a checkpoint; it links to the new one now. The old \
                 one still exists."
            }
            Self::SettingsNotCopied => {
                "Auto-Recap keeps some settings by the chat's name; the new \
                 timeline has the defaults."
            }
            Self::OtherBooksShared => {
                "MemoryBooks has bound further lorebooks to the chat, and they stay \
                 shared."
            }
            Self::NamedElsewhere => {
                "Somebody else uses the lorebook as well, so it is left as it is."
            }
            Self::SharedOnPurpose => {
                "The lorebook is marked as shared on purpose, so it is left whole."
            }
            Self::OthersWroteToo => {
                "Another timeline has written to this lorebook, and what it added \
                 is in the copy."
            }
            Self::SettingsUnreadable => {
                "SillyTavern's settings.json cannot be read, so nobody knows which \
                 lorebooks it uses."
            }
            Self::DanglingRegistryUid => {
                "A registry lists an entry that the lorebook does not have."
            }
            Self::DuplicateQueue => {
                "The lorebook has more than one entry for waiting work; the new one \
                 has one."
            }
            Self::CombinedRecapDropped => {
                "The combined recap tells of messages that the timeline does not \
                 have, so it was left out."
            }
            Self::DamagedLater => {
                "A line after that message is damaged. The timeline does not have \
                 it, but it may have been evidence."
            }
            Self::InterruptedOperation => {
                "An earlier operation was cut short. The next command that writes \
                 finishes it or takes it back."
            }
            Self::ReloadSillytavern => {
                "An open tab still holds the old state. Reload it before you write \
                 there."
            }
            Self::LinkFailed => {
                "The timeline is made, but its parent could not be linked to it. \
                 “lorefork fix” does that later."
            }
            Self::ChatNotFound => "There is no such chat.",
            Self::DamagedChat => {
                "A line of the chat is not what SillyTavern writes. Lorefork names \
                 it and changes nothing."
            }
            Self::EmptyChat => "The chat has no messages.",
            Self::ByteOrderMark => {
                "The file begins with an invisible mark that SillyTavern cannot read."
            }
            Self::MissingHeader => "The chat's first line, with its data, is missing.",
            Self::CorruptLorebook => "The lorebook's file cannot be read as a lorebook.",
            Self::CorruptGroup => "The group's file cannot be read as a group.",
            Self::CorruptCard => "The character's card cannot be read.",
            Self::CorruptRecord => "A record of Lorefork cannot be read.",
            Self::GroupTooOld => {
                "The group is in the format of an old SillyTavern. Open it once in \
                 SillyTavern 1.15 or newer."
            }
            Self::NoSuchEntry => "No open entry of the lorebook has that number or name.",
            Self::NoSuchSwipe => "The message has no such swipe.",
            Self::BadName => "A chat cannot have that name.",
            Self::NewerRecord => "A newer Lorefork has written to this file. Update Lorefork.",
            Self::NoRecord => {
                "The timeline has no record of Lorefork, so there is nothing to \
                 compare it with."
            }
            Self::Busy => "Another operation is under way in this user's folder.",
            Self::ChangedMeanwhile => {
                "Somebody else changed a file while it was being worked on. Nothing \
                 was changed; try again."
            }
            Self::ChatSwitched => {
                "Another chat was opened while it was being worked on. Nothing was \
                 changed; try again."
            }
            Self::AnswerLost => {
                "SillyTavern's answer got lost, so nobody knows yet whether it \
                 wrote. The next start finds out."
            }
            Self::NotTakenBack => {
                "Something failed, and what was done before could not be taken back \
                 at once. The next command tries again."
            }
            Self::NotInTrash => "The former state is no longer in the trash, which was emptied.",
            Self::ChangedSince => {
                "A file has changed since the operation, so undoing would lose that \
                 change."
            }
            Self::Continued => {
                "The timeline was continued since it was made, so it is not simply \
                 removed."
            }
            Self::NothingToUndo => "Nothing stands that could be undone, or it is undone already.",
            Self::UnknownOperation => "The log has no operation of that id.",
            Self::InUse => "Something else uses the lorebook, so it is not removed.",
            Self::OutsideRoot => {
                "A link leads out of the data folder, and Lorefork does not follow it."
            }
            Self::WriteFailed => "A file could not be written.",
            Self::ReadFailed => "A file could not be read.",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_code_is_left_out() {
        for (nth, code) in Code::ALL.into_iter().enumerate() {
            assert_eq!(code as usize, nth, "{code}: in the order of the codes, without a gap");
        }
        assert_eq!(Code::ReadFailed as usize + 1, Code::ALL.len(), "and to the end");
    }

    #[test]
    fn every_code_is_found_by_its_word_and_means_something() {
        for code in Code::ALL {
            assert_eq!(Code::named(&code.word().to_lowercase().replace('_', "-")), Some(code));
            assert!(code.means().ends_with('.'), "{code}");
        }
        assert_eq!(Code::named("NOTHING_LIKE_IT"), None);
    }
}
