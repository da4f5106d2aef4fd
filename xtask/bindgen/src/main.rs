//! `xtask-bindgen MODULE FOLDER`: the module as a page loads it, and the JavaScript that does so.

use std::env;

use anyhow::{Context, Result};
use wasm_bindgen_cli_support::Bindgen;

fn main() -> Result<()> {
    let mut args = env::args_os().skip(1);
    let (module, folder) =
        args.next().zip(args.next()).context("usage: xtask-bindgen MODULE FOLDER")?;
    let mut bindgen = Bindgen::new();
    bindgen.input_path(module).web(true)?.typescript(false);
    bindgen.remove_name_section(true).remove_producers_section(true);
    bindgen.generate(folder)
}
