//! Codes of answers: the engine's, and those that only the command has.

use lorefork::error::Code;

/// What an answer can be known by. Every one of them can be asked about with `lorefork explain`.
pub(crate) trait Word {
    fn word(self) -> &'static str;
}

impl Word for Code {
    fn word(self) -> &'static str {
        Code::word(self)
    }
}

macro_rules! own {
    ($($variant:ident $word:literal $means:literal,)*) => {
        /// What only the command answers with.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(crate) enum Own { $($variant,)* }

        impl Own {
            pub(crate) const ALL: &'static [Self] = &[$(Self::$variant,)*];

            /// In one sentence.
            pub(crate) fn means(self) -> &'static str {
                match self { $(Self::$variant => $means,)* }
            }
        }

        impl Word for Own {
            fn word(self) -> &'static str {
                match self { $(Self::$variant => $word,)* }
            }
        }
    };
}

own! {
    AmbiguousChat "AMBIGUOUS_CHAT" "Several chats can be meant; the answer lists them.",
    Exists "EXISTS"
        "Something is there already that Lorefork did not write, so it was left alone.",
    NoDataFolder "NO_DATA_FOLDER"
        "No SillyTavern data was found. Say where it is, with --root DIR.",
    NoSuchEntry "NO_SUCH_ENTRY"
        "No entry of the lorebook is called so, or several are; the answer lists them.",
    UnknownCode "UNKNOWN_CODE" "There is no such code.",
    UnknownUser "UNKNOWN_USER" "SillyTavern has no user of that handle.",
    Usage "USAGE"
        "The command line cannot be understood. “lorefork --help” shows how it is meant.",
    WhichUser "WHICH_USER"
        "SillyTavern has several users. Say whose data you mean, with --user HANDLE.",
}
