//! Many chats at once: in the page each is a request, and who waits for one answer can ask the next
//! question meanwhile.

use std::future::{Future, poll_fn};
use std::task::Poll;

use crate::host::{Host, HostError};
use crate::tavern::place::ChatRef;

/// Opens all of these, and gives what came of each, in their order.
pub(super) async fn open_all<H: Host>(
    host: &H,
    chats: &[&ChatRef],
) -> Vec<Result<H::Chat, HostError>> {
    all(chats.iter().map(|chat| host.open(chat)).collect()).await
}

async fn all<F: Future>(futures: Vec<F>) -> Vec<F::Output> {
    let mut running: Vec<_> =
        futures.into_iter().map(|future| (Box::pin(future), None::<F::Output>)).collect();
    poll_fn(|context| {
        let mut is_waiting = false;
        for (future, done) in running.iter_mut().filter(|(_, done)| done.is_none()) {
            match future.as_mut().poll(context) {
                Poll::Ready(output) => *done = Some(output),
                Poll::Pending => is_waiting = true,
            }
        }
        if is_waiting { Poll::Pending } else { Poll::Ready(()) }
    })
    .await;
    running.into_iter().filter_map(|(_, done)| done).collect()
}
