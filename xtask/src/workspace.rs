//! Where things are, and how commands are run there.

use std::env;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

/// Plain text, for a log.
const LOOKS: [(&str, &str); 3] =
    [("CARGO_TERM_COLOR", "never"), ("CARGO_TERM_PROGRESS_WHEN", "never"), ("NO_COLOR", "1")];

/// A folder in memory, on Linux.
const MEMORY: &str = "/dev/shm";

pub(crate) struct Workspace {
    pub(crate) root: PathBuf,
    /// Cargo's target folder, where everything that can be made again is kept.
    pub(crate) target: PathBuf,
    /// Nobody is looking at a terminal.
    pub(crate) ci: bool,
}

impl Workspace {
    pub(crate) fn find() -> Result<Self> {
        // Cargo says where the package is now; the compiled-in path is where it was when it was built.
        let package = env::var_os("CARGO_MANIFEST_DIR")
            .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")), PathBuf::from);
        let root = package.parent().context("xtask is not inside a workspace")?.to_owned();
        let target = match env::var_os("CARGO_TARGET_DIR") {
            Some(dir) => std::path::absolute(dir)?,
            None => root.join("target"),
        };
        let ci = env::var_os("CI").is_some_and(|ci| !ci.is_empty() && ci != "false");
        Ok(Self { root, target, ci })
    }

    /// A command that runs in the root of the workspace.
    pub(crate) fn command(&self, program: impl AsRef<OsStr>) -> Command {
        let mut command = Command::new(program);
        command.current_dir(&self.root).stdin(Stdio::null());
        if self.ci {
            command.envs(LOOKS);
        }
        command
    }

    pub(crate) fn cargo_command(&self) -> Command {
        // The cargo that started us, and with it the same toolchain.
        self.command(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
    }

    pub(crate) fn cargo<'a>(&self, args: impl IntoIterator<Item = &'a str>) -> Result<()> {
        let mut cargo = self.cargo_command();
        cargo.args(args);
        run(&mut cargo)
    }

    /// Cargo, for tests that write and sync thousands of small files: in memory where there is room
    /// for that, because waiting for the disk was most of their time.
    pub(crate) fn cargo_in_memory<'a>(
        &self,
        args: impl IntoIterator<Item = &'a str>,
    ) -> Result<()> {
        let mut cargo = self.cargo_command();
        run(self.in_memory(cargo.args(args)))
    }

    /// The same for any command.
    pub(crate) fn in_memory<'c>(&self, command: &'c mut Command) -> &'c mut Command {
        if env::var_os("TMPDIR").is_none() && works(Command::new("test").args(["-w", MEMORY])) {
            command.env("TMPDIR", MEMORY);
        }
        command
    }

    /// Builds the command and the oracle. Of the whole workspace and with an example, so that cargo
    /// chooses the same features as for its tests, and does not build everything a second time.
    pub(crate) fn build_programs(&self) -> Result<()> {
        self.cargo(["build", "--workspace", "--bin", "lorefork", "--example", "oracle"])
    }

    /// The commit that the files here are, if they are one: none with changes, and without git.
    pub(crate) fn commit(&self) -> Option<String> {
        let git = |args: &[&str]| output(self.command("git").args(args)).ok();
        let is_clean = git(&["status", "--porcelain"])?.is_empty();
        git(&["rev-parse", "HEAD"]).filter(|_| is_clean)
    }

    /// The path of something cargo built: `built("release", "lorefork")`.
    pub(crate) fn built(&self, profile: &str, name: &str) -> PathBuf {
        let mut path = self.target.join(profile).join(name);
        path.as_mut_os_string().push(env::consts::EXE_SUFFIX);
        path
    }
}

/// Shows a command and runs it; an error names it as one would type it.
#[expect(clippy::print_stdout, reason = "shows what is run")]
pub(crate) fn run(command: &mut Command) -> Result<()> {
    let shown = show(command);
    println!("$ {shown}");
    let status = command.status().with_context(|| format!("cannot start `{shown}`"))?;
    if !status.success() {
        bail!("`{shown}` failed ({status})");
    }
    Ok(())
}

/// What a command prints, without the line end.
pub(crate) fn output(command: &mut Command) -> Result<String> {
    let shown = show(command);
    let output = command
        .stderr(Stdio::inherit())
        .output()
        .with_context(|| format!("cannot start `{shown}`"))?;
    if !output.status.success() {
        bail!("`{shown}` failed ({})", output.status);
    }
    let text = String::from_utf8(output.stdout)
        .with_context(|| format!("`{shown}` printed something that is not text"))?;
    Ok(text.trim_end().to_owned())
}

/// Whether a command starts and succeeds; what it prints is of no interest.
pub(crate) fn works(command: &mut Command) -> bool {
    command
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}

/// A command as one would type it, to run it again.
fn show(command: &Command) -> String {
    let mut words = Vec::new();
    for (name, value) in command.get_envs() {
        // How things look is of no interest.
        if let Some(value) = value.filter(|_| !LOOKS.iter().any(|(look, _)| name == *look)) {
            words.push(format!("{}={}", name.display(), quote(value)));
        }
    }
    let program = Path::new(command.get_program());
    words.push(quote(program.file_stem().unwrap_or(program.as_os_str())));
    words.extend(command.get_args().map(quote));
    words.join(" ")
}

fn quote(word: &OsStr) -> String {
    let word = word.to_string_lossy();
    if word.is_empty() || word.contains([' ', '"', '\'', '$', '*', '&', '>']) {
        format!("'{word}'")
    } else {
        word.into_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_shown_as_one_types_them() {
        let mut command = Command::new("/somewhere/bin/cargo");
        command.args(["doc", "a b"]).env("NO_COLOR", "1");
        command.env("RUSTDOCFLAGS", "-D warnings");
        let wanted = "RUSTDOCFLAGS='-D warnings' cargo doc 'a b'";
        assert_eq!(show(&command), wanted);
    }
}
