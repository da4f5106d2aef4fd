//! Where Lorefork is on the web. `packaging/addresses.json` is the only file that says so.

use std::fs;

use anyhow::{Context, Result, bail};
use serde::Deserialize;

use crate::workspace::Workspace;

pub(crate) const FILE: &str = "packaging/addresses.json";
/// Never anybody's (RFC 2606): what ends so does not exist yet.
const PLACEHOLDER: &str = ".invalid";

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Addresses {
    source: String,
    extension: String,
    home: String,
}

impl Addresses {
    pub(crate) fn read(workspace: &Workspace) -> Result<Self> {
        let text = fs::read_to_string(workspace.root.join(FILE))
            .with_context(|| format!("cannot read {FILE}"))?;
        serde_json::from_str(&text).with_context(|| FILE.to_owned())
    }

    /// The repository of the sources, if there is one yet.
    pub(crate) fn source(&self) -> Option<&str> {
        real(&self.source)
    }

    /// The repository that holds the built extension: what one types into “Install extension”.
    pub(crate) fn extension(&self) -> Option<&str> {
        real(&self.extension)
    }

    pub(crate) fn home(&self) -> Option<&str> {
        real(&self.home)
    }

    /// Whatever is released must say where it comes from.
    pub(crate) fn check(&self) -> Result<()> {
        let all =
            [("source", self.source()), ("extension", self.extension()), ("home", self.home())];
        let missing: Vec<&str> =
            all.iter().filter(|(_, address)| address.is_none()).map(|(name, _)| *name).collect();
        if !missing.is_empty() {
            bail!("{FILE} has no real address yet for: {}", missing.join(", "));
        }
        Ok(())
    }
}

fn real(address: &str) -> Option<&str> {
    let host = address.strip_prefix("https://")?.split('/').next()?;
    (host.contains('.') && !host.ends_with(PLACEHOLDER)).then_some(address)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placeholders_are_no_addresses() {
        assert_eq!(real("https://example.org/lorefork"), Some("https://example.org/lorefork"));
        for none in ["https://lorefork.invalid/source", "https://lorefork.invalid", "", "here"] {
            assert_eq!(real(none), None, "{none}");
        }
        let addresses = Addresses {
            source: "https://example.org/a".into(),
            extension: "https://lorefork.invalid".into(),
            home: String::new(),
        };
        let refused = addresses.check().unwrap_err().to_string();
        assert!(refused.ends_with("extension, home"), "{refused}");
    }
}
