//! `aesmith isa`: custom instructions, with a file for each subcommand.

mod check;
mod explore;
mod list;
mod page;
mod verilog;

use crate::arguments::isa::Isa;
use crate::failure::Failure;
use crate::output::Output;
use aesmith_cipher::problem::nearest;
use aesmith_extension::file::Extension;
use aesmith_extension::sets;
use aesmith_processor::attach::codes_are_free;
use aesmith_processor::core::Core;
use std::path::Path;

/// Runs a subcommand.
pub fn run(options: &Isa, wisdom: Option<&Path>, output: &mut Output) -> Result<(), Failure> {
    match options {
        Isa::List => list::run(output),
        Isa::Check(options) => check::run(options, output),
        Isa::Explore(options) => explore::run(options, wisdom, output),
        Isa::Verilog(options) => verilog::run(options, output),
    }
}

/// The extension in a file, or the set of this name in aesmith. It lives until the program ends, as tables do.
pub fn read(what: &str) -> Result<&'static Extension, Failure> {
    let text = match (sets::find(what), Path::new(what).exists()) {
        (Some(text), false) => text.to_owned(),
        (None, false) if !what.contains(['.', '/']) => {
            let names: Vec<String> = sets::ALL.iter().map(|(name, _)| (*name).to_owned()).collect();
            let near = nearest(what, &names, 3).join(", ");
            return Err(Failure::Other(format!(
                "there is no file '{what}' and no set of that name; near it are: {near}; `aesmith isa list` lists all"
            )));
        }
        _ => crate::regular::read_text(Path::new(what))?,
    };
    let extension = Extension::parse(&text).map_err(|m| Failure::Other(format!("{what}, {m}")))?;
    Ok(Box::leak(Box::new(extension)))
}

/// The named processors, on which the extension's encodings must be free.
fn bases(names: &[String], file: &str, extension: &Extension) -> Result<Vec<&'static Core>, Failure> {
    let base = |name: &String| {
        let core = aesmith_processors::core(name).map_err(Failure::Usage)?;
        codes_are_free(core, extension).map_err(|m| Failure::Usage(format!("{file}, {m}")))?;
        Ok(core)
    };
    names.iter().map(base).collect()
}
