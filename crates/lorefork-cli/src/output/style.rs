//! The few styles there are. `anstream` drops them for pipes and for `NO_COLOR`.

use anstyle::{AnsiColor, Style};

pub(crate) const PLAIN: Style = Style::new();
/// Headings and names.
pub(crate) const STRONG: Style = Style::new().bold();
/// Labels and what can be skipped.
pub(crate) const QUIET: Style = Style::new().dimmed();
pub(crate) const GOOD: Style = AnsiColor::Green.on_default();
pub(crate) const CARE: Style = AnsiColor::Yellow.on_default();
pub(crate) const BAD: Style = AnsiColor::Red.on_default().bold();
/// Commands to type.
pub(crate) const CODE: Style = AnsiColor::Cyan.on_default();
