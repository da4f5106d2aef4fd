//! Work that waits in the lorebook.

use crate::choice::Choice;
use crate::error::Code;
use crate::error::report::{Finding, Report};
use crate::fork::request::{Doing, Request};
use crate::json::{Object, array};
use crate::memory::entries::is_queue;
use crate::memory::queues::{self, Queue};
use crate::tavern::lorebook::Lorebook;
use crate::{say, say_count};

/// Queues of the lorebook, in the order in which they are found.
pub(in crate::fork) fn queues(book: Option<&Lorebook<'_>>) -> Vec<Queue> {
    let entries = book.map(|book| book.entries.as_slice()).unwrap_or_default();
    entries.iter().filter(|entry| is_queue(&entry.comment())).map(Queue::read).collect()
}

pub(super) fn queue_is_empty(report: &mut Report, queues: &[Queue], request: &Request) {
    let waiting: Vec<_> = queues.iter().flat_map(Queue::blocking).collect();
    let unreadable = queues.contains(&Queue::Unreadable);
    if !waiting.is_empty() {
        let operations: Vec<String> = waiting.iter().map(|operation| operation.json()).collect();
        let finding = Finding::new(
            Code::QueueNotEmpty,
            say_count!(
                waiting.len(),
                "{0} operation of {1} is still waiting in the lorebook's queue.",
                "{0} operations of {1} are still waiting in the lorebook's queue.",
                queues::keeper()
            ),
            match request.doing {
                Doing::Fork => {
                    say!(
                        "Wait until {0} is done, then try again. Or go ahead without the waiting \
                         work: the parent keeps it, the new timeline starts with an empty queue.",
                        queues::keeper()
                    )
                }
                Doing::Isolate => {
                    say!(
                        "It stays in the lorebook that the others use; the timeline's own starts \
                         with an empty queue. To keep it here, wait until {0} is done, then try \
                         again.",
                        queues::keeper()
                    )
                }
                Doing::Rewind => {
                    say!(
                        "It is dropped: the lorebook goes back with an empty queue. To keep it, \
                         wait until {0} is done, then try again.",
                        queues::keeper()
                    )
                }
            },
        )
        .with(Object::new().count("count", waiting.len()).raw("operations", &array(&operations)));
        if request.drop_queue {
            report.warning(finding);
        } else {
            report.error(finding.or(Choice::Wait).or(Choice::DropQueue));
        }
    }
    if unreadable {
        let finding = Finding::new(
            Code::QueueUnreadable,
            say!(
                "The lorebook's work queue cannot be read, so nobody knows whether work is waiting \
                 in it."
            ),
            match request.doing {
                Doing::Fork => {
                    say!(
                        "Open the chat in SillyTavern once with {0} on, which resets it. Or go \
                         ahead without it.",
                        queues::keeper()
                    )
                }
                Doing::Isolate | Doing::Rewind => say!("The timeline goes on with an empty queue."),
            },
        );
        if request.drop_queue {
            report.warning(finding);
        } else {
            report.error(finding.or(Choice::DropQueue));
        }
    }
    if queues.len() > 1 {
        report.warning(Finding::new(
            Code::DuplicateQueue,
            say!(
                "The lorebook has {0} work queues; {1} uses the first.",
                queues.len(),
                queues::keeper()
            ),
            match request.doing {
                Doing::Fork => {
                    say!(
                        "Nothing to do: the new lorebook gets one queue, the parent keeps all of \
                         its own."
                    )
                }
                Doing::Isolate | Doing::Rewind => {
                    say!("Nothing to do: the timeline goes on with one.")
                }
            },
        ));
    }
}
