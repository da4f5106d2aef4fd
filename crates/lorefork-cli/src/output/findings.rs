//! Findings of a report: what is wrong, and what can be done about it.

use lorefork::fork::report::Finding;

use super::style::{BAD, CARE};
use super::{Page, Text};

/// Warnings after a result, each with what to do.
pub(crate) fn warnings(page: &mut Page, warnings: &[Finding]) {
    for finding in warnings {
        page.blank();
        page.hanging(0, 2, Text::new().styled(CARE, "! ").plain(&finding.message));
        action(page, 2, &finding.action);
    }
}

/// Everything that speaks against something, numbered: what blocks, then what does not.
pub(crate) fn numbered(page: &mut Page, errors: &[Finding], warnings: &[Finding]) {
    let all = errors.iter().map(|error| (BAD, "✗", error));
    let all = all.chain(warnings.iter().map(|warning| (CARE, "!", warning)));
    for (index, (style, symbol, finding)) in all.enumerate() {
        let number = format!("{:>2}. ", index + 1);
        let hang = number.len() + 2;
        let text = Text::new().quiet(number).styled(style, symbol).plain(" ");
        page.hanging(0, hang, text.plain(&finding.message).quiet(format!(" [{}]", finding.code)));
        action(page, hang, &finding.action);
    }
}

/// What a person can do.
pub(crate) fn action(page: &mut Page, indent: usize, action: &str) {
    if !action.is_empty() {
        page.hanging(indent, 2, Text::new().quiet("→ ").plain(action));
    }
}
