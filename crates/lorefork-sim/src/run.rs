//! Running a flow until it returns or the program "ends".
//!
//! A crash is a call that never answers: the flow is then dropped where it stands. So exactly
//! what happens in a crash happens here. No line of the flow runs any more, no undo, no message;
//! what is in memory is gone; the claim is released, as the system releases a lock; and the
//! folder stays as the last write left it. Errors for all later calls would have let the flow
//! clean up "after its death", and a panic would have run through code that must not panic.

use std::future::Future;
use std::pin::pin;
use std::task::{Context, Poll, Waker};

use crate::host::SimHost;

/// How a run ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ended<T> {
    Returned(T),
    Crashed,
}

impl<T> Ended<T> {
    /// What the flow returned, if it lived to.
    pub fn returned(self) -> Option<T> {
        match self {
            Self::Returned(value) => Some(value),
            Self::Crashed => None,
        }
    }
}

impl SimHost {
    /// Runs a flow over this host.
    ///
    /// # Panics
    /// If the flow waits for something that is not this host: nothing would ever wake it.
    pub fn run<T>(&self, flow: impl Future<Output = T>) -> Ended<T> {
        let mut flow = pin!(flow);
        let polled = flow.as_mut().poll(&mut Context::from_waker(Waker::noop()));
        match polled {
            // A crash inside a read that does not wait shows only here; its answer never was.
            _ if self.has_crashed() => Ended::Crashed,
            Poll::Ready(value) => Ended::Returned(value),
            Poll::Pending => panic!("the flow waits for something that is not its host"),
        }
    }
}
