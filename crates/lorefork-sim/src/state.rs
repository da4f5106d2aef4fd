//! The folder, the script and the record of calls, shared by a host and the chats it opened.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;

use lorefork::host::{HostError, HostErrorKind, Stamp, Written};
use lorefork::tavern::place::{ChatRef, Owner};

use crate::folder::Folder;
use crate::others;
use crate::script::{Call, Fault, Reach, Script};

/// More calls than any flow makes: one that asks forever must fail, not hang.
const MOST_CALLS: usize = 100_000;

/// Earlier bytes of files that other tabs changed, oldest first.
pub(crate) type Earlier = BTreeMap<String, Vec<Vec<u8>>>;

#[derive(Debug, Default)]
pub(crate) struct State {
    pub(crate) folder: RefCell<Folder>,
    /// The folder as it would be without us: the beginning, and what other tabs did. What the
    /// checker compares with, so it need not be told who changed what.
    pub(crate) unaided: RefCell<Folder>,
    pub(crate) earlier: RefCell<Earlier>,
    pub(crate) script: Script,
    pub(crate) trace: RefCell<Vec<Call>>,
    pub(crate) crashed: Cell<bool>,
    /// Where the user is; `None` until the first flow says where it works.
    pub(crate) open_chat: RefCell<Option<ChatRef>>,
    /// Whether an interrupted write leaves half a file behind, as on disk.
    pub(crate) leaves_halves: Cell<bool>,
}

pub(crate) fn stamp_of(bytes: &[u8]) -> Stamp {
    Stamp(blake3::hash(bytes).to_hex().to_string())
}

impl State {
    /// Records a call and gives it its number. What must come before it comes now.
    fn begin(&self, name: &'static str, file: &str, reach: Reach) -> usize {
        let mut trace = self.trace.borrow_mut();
        let n = trace.len() + 1;
        assert!(n < MOST_CALLS, "the flow does not end");
        trace.push(Call { n, name, file: file.to_owned(), reach });
        drop(trace);
        if reach == Reach::Create && self.script.faults(n).contains(&Fault::TakeName) {
            self.meanwhile(file, |folder| others::take_name(folder, file));
        }
        n
    }

    /// What strikes the call itself; the first of several.
    fn strike(&self, n: usize) -> Option<&Fault> {
        self.script.faults(n).iter().find(|fault| {
            matches!(fault, Fault::Refuse | Fault::LoseAnswer { .. } | Fault::Crash { .. })
        })
    }

    /// What others do once the call is over.
    fn end(&self, n: usize) {
        for fault in self.script.faults(n) {
            match fault {
                Fault::SwitchChat => {
                    let elsewhere = Owner::Character("Somebody else".to_owned());
                    let elsewhere = ChatRef::new(elsewhere, "Another chat");
                    *self.open_chat.borrow_mut() = Some(elsewhere);
                }
                Fault::ChangeLorebook { name } => {
                    let file = lorefork::tavern::place::lorebook_file(name);
                    self.meanwhile(&file, |folder| others::change_lorebook(folder, name));
                }
                Fault::ChangeChat { chat } => {
                    let file = chat.file();
                    self.meanwhile(&file, |folder| others::change_chat(folder, &file));
                }
                Fault::Refuse
                | Fault::LoseAnswer { .. }
                | Fault::Crash { .. }
                | Fault::TakeName => {}
            }
        }
    }

    /// Another tab changes `file`, here and in the folder that knows nothing of us.
    fn meanwhile(&self, file: &str, change: impl Fn(&mut Folder)) {
        let mut unaided = self.unaided.borrow_mut();
        if let Some(bytes) = unaided.get(file) {
            self.earlier.borrow_mut().entry(file.to_owned()).or_default().push(bytes.to_vec());
        }
        change(&mut unaided);
        change(&mut self.folder.borrow_mut());
    }

    /// A numbered read. Those of a frozen chat cannot wait, so a crash in one shows at the next
    /// call that can: nothing is written in between.
    pub(crate) fn read<T>(
        &self,
        name: &'static str,
        file: &str,
        act: impl FnOnce(&Folder) -> Result<T, HostError>,
    ) -> Result<T, HostError> {
        if self.crashed.get() {
            return act(&self.folder.borrow());
        }
        let n = self.begin(name, file, Reach::Read);
        let answer = match self.strike(n) {
            Some(Fault::Crash { .. }) => {
                self.crashed.set(true);
                act(&self.folder.borrow())
            }
            Some(_) => Err(error(HostErrorKind::ReadFailed, file, "could not be read")),
            None => act(&self.folder.borrow()),
        };
        self.end(n);
        answer
    }

    /// A numbered read that ends with the program, if the program ends here.
    pub(crate) async fn ask<T>(
        &self,
        name: &'static str,
        file: &str,
        act: impl FnOnce(&Folder) -> Result<T, HostError>,
    ) -> Result<T, HostError> {
        self.alive().await;
        let answer = self.read(name, file, act);
        self.alive().await;
        answer
    }

    /// A numbered write.
    pub(crate) async fn write(
        &self,
        name: &'static str,
        file: &str,
        reach: Reach,
        act: impl FnOnce(&mut Folder) -> Result<Stamp, HostError>,
    ) -> Written {
        self.alive().await;
        let n = self.begin(name, file, reach);
        let act = || act(&mut self.folder.borrow_mut());
        let written = match self.strike(n) {
            None => match act() {
                Ok(stamp) => Written::Done(stamp),
                Err(error) => Written::Refused(error),
            },
            Some(Fault::LoseAnswer { happened }) => {
                if *happened {
                    // Whether it went well is what nobody gets to know.
                    let _ = act();
                }
                Written::Unknown(unwritten(file, "the answer got lost"))
            }
            Some(Fault::Crash { happened }) => {
                if *happened {
                    let _ = act();
                } else {
                    self.leave_half(n, file);
                }
                self.crashed.set(true);
                Written::Unknown(unwritten(file, "the program ended"))
            }
            Some(_) => Written::Refused(unwritten(file, "the server says no")),
        };
        self.end(n);
        self.alive().await;
        written
    }

    /// Never returns once the program has ended.
    async fn alive(&self) {
        if self.crashed.get() {
            std::future::pending::<()>().await;
        }
    }

    /// A crash before a file gets its name leaves the temporary one beside it. Not in our own
    /// room, where the host has to look after itself.
    fn leave_half(&self, n: usize, file: &str) {
        let Some((folder, _)) = file.rsplit_once('/') else { return };
        if self.leaves_halves.get() && !file.starts_with("lorefork/") {
            self.folder.borrow_mut().put(format!("{folder}/.lorefork-{n}.tmp"), "{\"half");
        }
    }
}

pub(crate) fn unwritten(file: &str, message: &str) -> HostError {
    error(HostErrorKind::WriteFailed, file, message)
}

pub(crate) fn error(kind: HostErrorKind, file: &str, message: &str) -> HostError {
    match file {
        "" => HostError::of_none(kind, message),
        file => HostError::new(kind, file, message),
    }
}
