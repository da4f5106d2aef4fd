//! `cargo xtask docs`: pages that are made from the program, and the check that they still are what it says.
#![expect(clippy::print_stdout, reason = "says what it wrote")]

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail};

use crate::workspace::{Workspace, output};

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Write nothing; fail where a page is out of date
    #[arg(long)]
    check: bool,
}

pub(crate) struct Page {
    path: &'static str,
    write: fn(&Workspace) -> Result<String>,
}

const PAGES: &[Page] = &[
    Page { path: "docs/command.md", write: command_page },
    Page { path: "docs/problems/README.md", write: problems_page },
];

pub(crate) fn run(workspace: &Workspace, args: &Args) -> Result<()> {
    build(workspace)?;
    if args.check {
        return check(workspace);
    }
    for page in PAGES {
        let text = (page.write)(workspace)?;
        fs::write(workspace.root.join(page.path), text)
            .with_context(|| format!("cannot write {}", page.path))?;
        println!("wrote {}", page.path);
    }
    picture(workspace)
}

/// The demo as a picture for the README. Its ids differ from run to run, so it is not checked.
fn picture(workspace: &Workspace) -> Result<()> {
    const PICTURE: &str = "docs/demo.svg";
    let folder = workspace.target.join("picture");
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder)?;
    let mut lorefork = workspace.command(workspace.built("debug", "lorefork"));
    lorefork.current_dir(&folder).args(["demo", "lorefork-demo"]);
    lorefork.env("COLUMNS", "92").env("CLICOLOR_FORCE", "1").env_remove("NO_COLOR");
    let said = output(&mut lorefork)?;
    // What comes after names folders of this machine.
    let end = said.find("Try it").and_then(|at| said[..at].rfind('\n')).unwrap_or(said.len());
    let svg = anstyle_svg::Term::new().min_width_px(760).render_svg(&said[..end]);
    // Dim is meant to be read, on a screen in daylight too.
    let svg = svg.replace(".dimmed { opacity: 0.4; }", ".dimmed { opacity: 0.7; }");
    let svg = svg.replace("#000000", "#16161c").replace("#AAAAAA", "#d0d0d8");
    fs::write(workspace.root.join(PICTURE), svg)?;
    println!("wrote {PICTURE}");
    tree(workspace, &folder)
}

/// The tree of the demo's stories, row by row as they were played.
fn tree(workspace: &Workspace, folder: &Path) -> Result<()> {
    const PICTURE: &str = "docs/tree.svg";
    let said = [
        ("The Last Lamp - Branch #1", "she puts out the candle"),
        ("The Frozen Harbour - Branch #1", "Old Rime dies"),
    ];
    let lorefork = || {
        let mut lorefork = workspace.command(workspace.built("debug", "lorefork"));
        lorefork.current_dir(folder).args(["--root", "lorefork-demo"]);
        lorefork
    };
    for (chat, label) in said {
        output(lorefork().args(["label", chat, label]))?;
    }
    output(lorefork().args(["tree", "--svg", "tree.svg"]))?;
    let svg = fs::read_to_string(folder.join("tree.svg"))?;
    fs::write(workspace.root.join(PICTURE), row_by_row(&svg))?;
    println!("wrote {PICTURE}");
    Ok(())
}

/// The picture with rows that come one after the other, for who likes things to move.
fn row_by_row(svg: &str) -> String {
    const MOVES: &str = "@media(prefers-reduced-motion:no-preference){.row{animation:come .7s both}\
        @keyframes come{from{opacity:0;transform:translateY(-6px)}to{opacity:1}}}";
    let mut out = String::new();
    let mut rest = svg;
    let mut rows = 0;
    while let Some((before, after)) = rest.split_once("<g class=\"row\">") {
        let delay = f64::from(rows) * 0.6;
        out.push_str(before);
        out.push_str(&format!("<g class=\"row\" style=\"animation-delay:{delay}s\">"));
        (rest, rows) = (after, rows + 1);
    }
    out.push_str(rest);
    out.replacen("</style>", &format!("{MOVES}</style>"), 1)
}

pub(crate) fn build(workspace: &Workspace) -> Result<()> {
    workspace.build_programs()
}

pub(crate) fn check(workspace: &Workspace) -> Result<()> {
    for page in PAGES {
        let path = page.path;
        let found = fs::read_to_string(workspace.root.join(path)).unwrap_or_default();
        // A checkout on Windows may have other line ends.
        if found.replace("\r\n", "\n") != (page.write)(workspace)? {
            bail!("{path} is out of date: run `cargo xtask docs`");
        }
        println!("{path} is up to date");
    }
    Ok(())
}

/// The help of the command and of everything below it.
fn command_page(workspace: &Workspace) -> Result<String> {
    let help = help(workspace, &[])?;
    let mut page = format!(
        "# The command\n\n\
         <!-- Written by `cargo xtask docs`. -->\n\n\
         ```text\n{help}\n```\n"
    );
    for name in commands(&help) {
        let help = self::help(workspace, &[name])?;
        page.push_str(&format!("\n## {name}\n\n```text\n{help}\n```\n"));
    }
    Ok(page)
}

/// The list of all problems: the first sentence of each of their pages, and how bad it is.
fn problems_page(workspace: &Workspace) -> Result<String> {
    let mut rows = Vec::new();
    for file in fs::read_dir(workspace.root.join("docs/problems"))? {
        let path = file?.path();
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        if name == "README" {
            continue;
        }
        // Asked of the program, which refuses what is no code of it.
        let mut lorefork = workspace.command(workspace.built("debug", "lorefork"));
        let told = output(lorefork.args(["explain", &name, "--json"]))?;
        let told: serde_json::Value = serde_json::from_str(&told)?;
        rows.push(problem_row(&name, told["page"].as_str().unwrap_or_default())?);
    }
    rows.sort();
    Ok(format!(
        "# Problems\n\n\
         <!-- Written by `cargo xtask docs`, of the pages it lists. -->\n\n\
         `lorefork check` finds these; `lorefork explain CODE` prints the page; `lorefork fix` \
         repairs what can be repaired without you.\n\n\
         | code | severity | what |\n|---|---|---|\n{}\n",
        rows.join("\n")
    ))
}

fn problem_row(name: &str, page: &str) -> Result<String> {
    let (what, severity) = page
        .lines()
        .nth(2)
        .and_then(|line| line.trim_end().strip_suffix('.')?.split_once(" Severity: "))
        .with_context(|| format!("{name}.md does not say in its third line what it is"))?;
    Ok(format!("| [{name}]({name}.md) | {severity} | {what} |"))
}

fn help(workspace: &Workspace, command: &[&str]) -> Result<String> {
    let mut lorefork = workspace.command(workspace.built("debug", "lorefork"));
    // The same width and defaults for everybody.
    lorefork.env("COLUMNS", "100").env("NO_COLOR", "1");
    lorefork.env_remove("LOREFORK_ROOT");
    let help = output(lorefork.args(command).arg("--help"))?;
    let lines: Vec<_> = help.lines().map(str::trim_end).collect();
    Ok(lines.join("\n"))
}

/// The commands that a help text lists.
pub(crate) fn commands(help: &str) -> Vec<&str> {
    let list = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    list.take_while(|line| !line.is_empty())
        // Deeper indented lines go on with the description of the one before.
        .filter(|line| line.starts_with("  ") && !line.starts_with("   "))
        .filter_map(|line| line.split_whitespace().next())
        .filter(|name| *name != "help")
        .collect()
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_problem_is_listed_by_the_first_sentence_of_its_page() {
        let page = "# NO_LAMP\n\nThe lamp is out. It is dark. Severity: note.\n\n## Example\n";
        let row = super::problem_row("NO_LAMP", page).unwrap();
        assert_eq!(row, "| [NO_LAMP](NO_LAMP.md) | note | The lamp is out. It is dark. |");
        assert!(super::problem_row("NO_LAMP", "# NO_LAMP\n\nThe lamp is out.\n").is_err());
    }

    #[test]
    fn commands_are_found_in_a_help_text() {
        let help = "Forks\n\nUsage: lorefork\n\nCommands:\n  check  find\n         problems\n  \
                    tree   show\n  help   this\n\nOptions:\n  --root  where\n";
        assert_eq!(super::commands(help), ["check", "tree"]);
    }
}
