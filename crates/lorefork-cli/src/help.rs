//! What stands at the end of the help pages: examples and exit codes.

pub(crate) const EXAMPLES: &str = "\
Examples:
  lorefork demo                                   see what it does, on sample data
  lorefork check                                  is anything wrong?
  lorefork status                                 which chats share a lorebook?
  lorefork checkpoint \"The Last Lamp\" --at 13     a checkpoint at message 13
  lorefork branch Tamsin/\"The Last Lamp\"          a branch at the last message

“lorefork COMMAND --help” says more about each command.";

pub(crate) const LONG: &str = "\
How a chat is named:
  chats/Tamsin/The Last Lamp.jsonl      its file, from here, the user's folder or the data folder
  \"Tamsin/The Last Lamp\"                character and chat
  \"The Last Lamp\"                       the chat alone, if only one is called so
  lamp                                  a part of its name, if nothing is called so and only one
                                        has it
  \"alice/Tamsin/The Last Lamp\"          of one of several users
  \"group:The Night Watch\"               the chat a group has open
  \"group:The Night Watch/Chat name\"     another chat of the group

Exit codes:
  0    done; yes; nothing found
  1    the answer is no: a requirement is not met, verify found a difference, check a problem
  2    it could not be done: wrong input or usage, a damaged file, a disk error
  3    somebody else is writing: another lorefork, or a file that keeps changing
  130  interrupted with Ctrl-C; the next command that writes cleans up

Examples:
  lorefork demo                                   see what it does, on sample data
  lorefork check                                  is anything wrong?
  lorefork status                                 which chats share a lorebook?
  lorefork checkpoint \"The Last Lamp\" --at 13     a checkpoint at message 13
  lorefork branch Tamsin/\"The Last Lamp\"          a branch at the last message

“lorefork COMMAND --help” says more about each command.";

pub(crate) const REWIND: &str = "\
Examples:
  lorefork rewind \"The Last Lamp\" --at 13            show what would be done
  lorefork rewind \"The Last Lamp\" --at 13 --apply
  lorefork rewind \"The Last Lamp\" --at -3           to the last message but two";

pub(crate) const DECIDE: &str = "\
Examples:
  lorefork decide \"The Last Lamp - Branch #2\"        list what is open
  lorefork decide \"The Last Lamp - Branch #2\" 12 drop        show what would be done
  lorefork decide \"The Last Lamp - Branch #2\" 12 drop --apply
  lorefork decide \"The Last Lamp - Branch #2\" \"item-Frost heart\" keep --apply";

pub(crate) const DELETE: &str = "\
Examples:
  lorefork delete \"The Last Lamp - Branch #2\"        show what would be done
  lorefork delete \"The Last Lamp - Branch #2\" --apply";

pub(crate) const SWEEP: &str = "\
Examples:
  lorefork sweep                                     show them
  lorefork sweep --older-than 30 --apply";

pub(crate) const LOG: &str = "\
Examples:
  lorefork log
  lorefork log -n 10 --oneline                       the last ten, on a line each
  lorefork log \"The Last Lamp\"                      what was done to this chat
  lorefork log --empty-trash --older-than 30 --apply";

pub(crate) const UNDO: &str = "\
Examples:
  lorefork undo                                      show what would be taken back
  lorefork undo --apply                              the newest
  lorefork undo k3f9 --apply                         the one with that id

Exit code 1: it cannot be taken back, because a file has changed since.";

pub(crate) const ASSESS: &str = "\
Examples:
  lorefork assess \"The Last Lamp\"                  at the last message
  lorefork assess \"The Last Lamp\" --at 13 --strict
  lorefork assess \"The Last Lamp\" --json           for scripts

Exit code 0: yes, 1: no.";

pub(crate) const CHECKPOINT: &str = "\
The link to the new checkpoint changes the original chat's file. If that chat is open in a
SillyTavern tab, reload the tab afterwards. --no-link leaves the original chat alone.

Examples:
  lorefork checkpoint \"The Last Lamp\" --at 13 --dry-run      show what would be done
  lorefork checkpoint \"The Last Lamp\" --at 13
  lorefork checkpoint \"The Last Lamp\" --at 13 --name \"Before the storm\"";

pub(crate) const BRANCH: &str = "\
The link to the new branch changes the original chat's file. If that chat is open in a
SillyTavern tab, reload the tab afterwards. --no-link leaves the original chat alone.

Examples:
  lorefork branch \"The Last Lamp\"                            at the last message
  lorefork branch \"The Last Lamp\" --at 41 --dry-run          show what would be done
  lorefork branch \"The Last Lamp\" --at 60 --swipe 0          continue from the first swipe";

pub(crate) const ISOLATE: &str = "\
Examples:
  lorefork status                                 which chats share a lorebook?
  lorefork isolate \"The Last Lamp - Branch #1\"     show what would be done
  lorefork isolate \"The Last Lamp - Branch #1\" --apply";

pub(crate) const VERIFY: &str = "\
Examples:
  lorefork verify \"The Last Lamp - Checkpoint #1\"
  lorefork verify \"The Last Lamp - Checkpoint #1\" --json

Exit code 0: untouched or continued, 1: differs, damaged, or not made by Lorefork.";

pub(crate) const STATUS: &str = "\
Examples:
  lorefork status                                 all chats
  lorefork status \"The Last Lamp - Branch #1\"
  lorefork status --user alice --json";

pub(crate) const TREE: &str = "\
Examples:
  lorefork tree                                   every story that has parted
  lorefork tree \"The Last Lamp - Branch #1\"     the path to this one, and what leaves it
  lorefork tree \"The Last Lamp\" --all            its whole family
  lorefork tree --html tree.html                  a page for a browser, in one file
  lorefork tree --json                            for scripts

Signs: ● main chat, ○ branch, ⚑ checkpoint, ◉ open in SillyTavern, ★ canon, ◌ gone";

pub(crate) const DIFF: &str = "\
Examples:
  lorefork diff \"The Last Lamp\" \"The Last Lamp - Branch #1\"
  lorefork diff lamp \"Branch #1\" --json          for scripts

Exit code 0: they say the same, 1: they differ.";

pub(crate) const CARRY: &str = "\
Examples:
  lorefork carry \"The Last Lamp\" \"Branch #1\" Osk           show what would be done
  lorefork carry \"The Last Lamp\" \"Branch #1\" Osk --apply
  lorefork carry \"The Last Lamp\" \"Branch #1\" 12 14 Tern --conflict both --apply

Exit code 1: somebody has to decide about an entry that is there already.";

pub(crate) const LABEL: &str = "\
Examples:
  lorefork label \"The Last Lamp - Branch #1\" \"spares the dragon\"
  lorefork label \"The Last Lamp\" --canon --colour gold
  lorefork label \"The Last Lamp - Branch #2\" --archived
  lorefork label \"The Last Lamp - Branch #1\" \"\"    take the label away";

pub(crate) const RENAME: &str = "\
Examples:
  lorefork rename \"The Last Lamp - Branch #1\" \"The dragon lives\"           show what would be done
  lorefork rename \"The Last Lamp - Branch #1\" \"The dragon lives\" --apply";

pub(crate) const CHECK: &str = "\
Examples:
  lorefork check                                  everything, of all users
  lorefork check \"The Last Lamp\"                 what concerns this chat
  lorefork check --user alice --json              for scripts

Exit code 0: nothing found, 1: problems.";

pub(crate) const FIX: &str = "\
Examples:
  lorefork fix                                    show what would be done
  lorefork fix --apply
  lorefork fix --only SHARED_LOREBOOK --apply     one kind of problem
  lorefork fix --missing empty \"The Last Lamp\"    a new lorebook for a missing one

Exit code 0: nothing is left to do, 1: something is.";

pub(crate) const EXPLAIN: &str = "\
Examples:
  lorefork explain SHARED_LOREBOOK
  lorefork explain recap-from-the-future";

pub(crate) const DEMO: &str = "\
Examples:
  lorefork demo                                   writes ./lorefork-demo
  lorefork demo /tmp/lamp

SillyTavern opens the folder: node server.js --dataRoot lorefork-demo";

pub(crate) const COMPLETIONS: &str = "\
Examples:
  lorefork completions bash > ~/.local/share/bash-completion/completions/lorefork
  lorefork completions fish > ~/.config/fish/completions/lorefork.fish
  lorefork completions zsh > ~/.zfunc/_lorefork";

pub(crate) const MAN: &str = "\
Examples:
  lorefork man > lorefork.1
  lorefork man checkpoint > lorefork-checkpoint.1
  man ./lorefork.1";
