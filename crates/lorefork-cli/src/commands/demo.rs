//! `lorefork demo`: a sample data folder, and the whole story on it.

use crate::args::Demo;
use crate::demo;
use crate::error::Failure;
use crate::output::Answer;

pub(super) fn run(args: &Demo) -> Result<Answer, Failure> {
    demo::folder::write(&args.folder, !args.data_only)?;
    if args.data_only {
        return Ok(demo::screen::written(&args.folder));
    }
    let told = demo::tell::tell(&args.folder)?;
    Ok(demo::screen::answer(&args.folder, &told))
}
