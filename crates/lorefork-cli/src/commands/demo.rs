//! `lorefork demo`: a sample data folder, and the whole story on it.

use std::path::Path;

use lorefork::error::Code;
use lorefork_demo::WriteError;

use crate::args::Demo;
use crate::code::Own;
use crate::demo;
use crate::error::Failure;
use crate::output::Answer;

pub(super) fn run(args: &Demo) -> Result<Answer, Failure> {
    lorefork_demo::write(&args.folder, !args.data_only)
        .map_err(|error| not_written(&args.folder, &error))?;
    if args.data_only {
        return Ok(demo::screen::written(&args.folder));
    }
    let told = demo::tell::tell(&args.folder)?;
    Ok(demo::screen::answer(&args.folder, &told))
}

fn not_written(folder: &Path, error: &WriteError) -> Failure {
    let folder = folder.display();
    match error {
        WriteError::NotOurs(what) => Failure::new(
            Own::Exists,
            format!("{folder}: {what}"),
            "Give another folder: lorefork demo DIR",
        ),
        WriteError::Disk(error) => Failure::new(
            Code::WriteFailed,
            format!("{folder}: the sample folder could not be written: {error}"),
            "Give a folder you may write to: lorefork demo DIR",
        ),
    }
}
