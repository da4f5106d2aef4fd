//! Work in pieces, on all processors.

use std::io;
use std::num::NonZero;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;

/// More would only wait for the disk.
const MOST_THREADS: usize = 4;

/// Does `work` for 0..`count` and returns the results in order. Each thread has a `state` of its
/// own, for its buffer. `progress` hears, in the calling thread, how many pieces were begun.
pub(crate) fn spread<S, T: Send>(
    count: usize,
    state: impl Fn() -> S + Sync,
    work: impl Fn(&mut S, usize) -> io::Result<T> + Sync,
    progress: &dyn Fn(usize),
) -> io::Result<Vec<T>> {
    let next = AtomicUsize::new(0);
    let stop = AtomicBool::new(false);
    let run = |progress: &dyn Fn(usize)| -> io::Result<Vec<(usize, T)>> {
        let mut state = state();
        let mut done = Vec::new();
        while !stop.load(Ordering::Relaxed) {
            let piece = next.fetch_add(1, Ordering::Relaxed);
            if piece >= count {
                break;
            }
            progress(piece);
            match work(&mut state, piece) {
                Ok(result) => done.push((piece, result)),
                Err(error) => {
                    stop.store(true, Ordering::Relaxed);
                    return Err(error);
                }
            }
        }
        Ok(done)
    };

    let threads = thread::available_parallelism().map_or(1, NonZero::get).min(MOST_THREADS);
    let mut all = thread::scope(|scope| {
        let helpers: Vec<_> =
            (1..threads.min(count)).map(|_| scope.spawn(|| run(&|_| ()))).collect();
        let mut all = run(progress);
        for helper in helpers {
            let theirs = helper.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            match (&mut all, theirs) {
                (Ok(all), Ok(theirs)) => all.extend(theirs),
                (Ok(_), Err(error)) => all = Err(error),
                (Err(_), _) => {}
            }
        }
        all
    })?;
    all.sort_unstable_by_key(|(piece, _)| *piece);
    Ok(all.into_iter().map(|(_, result)| result).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_come_in_order_and_an_error_comes_out() {
        let double = |_: &mut (), n: usize| Ok(n * 2);
        let all = spread(1000, || (), double, &|_| ()).unwrap();
        assert_eq!(all, (0..1000).map(|n| n * 2).collect::<Vec<_>>());
        assert_eq!(spread(0, || (), double, &|_| ()).unwrap(), Vec::<usize>::new());

        let fails =
            |_: &mut (), n: usize| if n == 7 { Err(io::ErrorKind::Other.into()) } else { Ok(n) };
        assert!(spread(1000, || (), fails, &|_| ()).is_err());
    }
}
