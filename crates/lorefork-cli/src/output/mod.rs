//! What the command says. Everything it prints passes through here.

mod again;
pub(crate) mod choices;
pub(crate) mod drawing;
mod escape;
pub(crate) mod family;
pub(crate) mod findings;
pub(crate) mod fit;
mod page;
pub(crate) mod progress;
pub(crate) mod rows;
pub(crate) mod style;
mod text;
pub(crate) mod tree;
mod value;
pub(crate) mod words;
mod wrap;

pub(crate) use again::again;
pub(crate) use page::Page;
pub(crate) use text::Text;
pub(crate) use value::value;

use std::io::{self, Write};

use serde_json::Value;

use crate::error::Exit;

/// Lines are not broken earlier than this, and on wide terminals not much later: long lines are
/// hard to read.
const NARROWEST: usize = 40;
const WIDEST: usize = 100;

/// What a command answers: for machines, for people, and as an exit code.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) exit: Exit,
    pub(crate) json: Value,
    pub(crate) page: Page,
}

/// Where the lines of a terminal end.
fn width(size: Option<(terminal_size::Width, terminal_size::Height)>) -> usize {
    let columns = match size {
        Some((width, _)) => Some(usize::from(width.0)),
        None => std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok()),
    };
    columns.unwrap_or(80).clamp(NARROWEST, WIDEST)
}

/// How wide pages on the standard output are, and whether they have styles.
pub(crate) fn screen() -> (usize, bool) {
    let is_styled = anstream::AutoStream::choice(&io::stdout()) != anstream::ColorChoice::Never;
    (width(terminal_size::terminal_size_of(io::stdout())), is_styled)
}

/// Prints a page on the standard output.
pub(crate) fn print_page(page: &Page) -> io::Result<()> {
    let (width, is_styled) = screen();
    let text = page.render(width, is_styled);
    let written = match is_styled {
        true => anstream::stdout().lock().write_all(text.as_bytes()),
        // As a whole: stripped while it is written, each line would be a write of its own.
        false => io::stdout().lock().write_all(text.as_bytes()),
    };
    read_to_the_end(written)
}

/// Prints a page on the standard error. If that is closed, there is nobody to tell.
pub(crate) fn print_error_page(page: &Page) {
    let text = page.render(width(terminal_size::terminal_size_of(io::stderr())), true);
    let _ = anstream::stderr().lock().write_all(text.as_bytes());
}

/// Prints the one JSON document.
pub(crate) fn print_json(json: &Value) -> io::Result<()> {
    // JSON may hold control characters beyond ASCII as they are; a terminal would act on them.
    let mut text = String::new();
    for c in format!("{json:#}").chars() {
        match c {
            '\u{7f}'..='\u{9f}' => text.push_str(&format!("\\u{:04x}", u32::from(c))),
            c => text.push(c),
        }
    }
    read_to_the_end(writeln!(io::stdout().lock(), "{text}"))
}

/// Prints text that is not for people: completions, a manual page.
pub(crate) fn print_raw(bytes: &[u8]) -> io::Result<()> {
    read_to_the_end(io::stdout().lock().write_all(bytes))
}

/// Whoever reads may have enough, as `head` does. That is no error.
fn read_to_the_end(written: io::Result<()>) -> io::Result<()> {
    match written.and_then(|()| io::stdout().flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        written => written,
    }
}
