//! Progress, for people who wait.

use std::cell::RefCell;
use std::io::IsTerminal as _;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use lorefork::host::Step;
use lorefork_disk::Progress;

use super::words::count;
use super::{Page, Text, print_error_page};

/// What takes no longer needs no bar.
const PATIENCE: Duration = Duration::from_secs(1);

/// Listens to a disk host. Says for whom it waits; draws a bar on a terminal once something takes
/// longer than a second. Unless it shall be silent, for `--json` and `--quiet`.
pub(crate) fn watcher(is_silent: bool) -> impl Fn(Progress<'_>) + 'static {
    let bar = (!is_silent && std::io::stderr().is_terminal()).then(Bar::new);
    let bar = RefCell::new(bar);
    move |progress| {
        if let Progress::Waiting { for_whom } = progress
            && !is_silent
        {
            let mut page = Page::new();
            page.line(0, Text::new().quiet("Waiting for ").plain(for_whom).quiet(" …"));
            print_error_page(&page);
        }
        if let Some(bar) = bar.borrow_mut().as_mut() {
            bar.hear(progress);
        }
    }
}

struct Bar {
    bar: ProgressBar,
    start: Instant,
}

impl Bar {
    fn new() -> Self {
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden());
        let style = "{msg:<24} {bar:30} {bytes:>10} of {total_bytes}";
        // The template is ours; without it the bar looks as it does by default.
        let style = ProgressStyle::with_template(style)
            .unwrap_or_else(|_| ProgressStyle::default_bar())
            .progress_chars("━╸─");
        bar.set_style(style);
        Self { bar, start: Instant::now() }
    }

    fn hear(&mut self, progress: Progress<'_>) {
        match progress {
            Progress::Step(step) => self.bar.set_message(words(step)),
            Progress::Reading { done, total } | Progress::Writing { done, total } => {
                if self.bar.is_hidden() && self.start.elapsed() > PATIENCE {
                    self.bar.set_draw_target(ProgressDrawTarget::stderr());
                }
                self.bar.set_length(total);
                self.bar.set_position(done);
            }
            Progress::Checking { done, total } => {
                if self.bar.is_hidden() && self.start.elapsed() > PATIENCE {
                    let style = "{msg:<24} {bar:30} {pos:>7} of {len} files";
                    if let Ok(style) = ProgressStyle::with_template(style) {
                        self.bar.set_style(style.progress_chars("━╸─"));
                    }
                    self.bar.set_message("checking");
                    self.bar.set_draw_target(ProgressDrawTarget::stderr());
                }
                self.bar.set_length(total as u64);
                self.bar.set_position(done as u64);
            }
            Progress::Waiting { .. } => self.start = Instant::now(),
        }
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

fn words(step: Step) -> String {
    match step {
        Step::Validating => "looking at the chat".into(),
        Step::Others(others) => count(others, "more chat is read", "more chats are read"),
        Step::Lorebook => "writing the lorebook".into(),
        Step::Recording => "recording".into(),
        Step::Creating => "writing the chat".into(),
    }
}
