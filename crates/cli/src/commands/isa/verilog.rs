//! `aesmith isa verilog`: an extension's functional unit as Verilog, with a test bench whose vectors come from the
//! interpreter, and wrappers for the ports of cores.

use std::path::{Path, PathBuf};

use aesmith_emit::package::File;
use aesmith_extension::file::{Extension, Mistake};
use aesmith_extension::verilog::{identifier, testbench, unit, wrapper};
use aesmith_processor::core::Core;
use aesmith_processors::cores;
use serde_json::json;

use crate::arguments::isa::{Verilog, Wrapper};
use crate::deliver::write;
use crate::failure::Failure;
use crate::output::Output;

/// Random input words for each instruction in a test bench, besides all byte values and selectors.
const RANDOM: usize = 1000;

/// Writes the unit, its test bench and its wrappers.
pub fn run(options: &Verilog, output: &mut Output) -> Result<(), Failure> {
    let extension = super::read(&options.extension)?;
    let built = options.unit.unit();
    let name = identifier(&extension.name);
    let fail = |m: Mistake| Failure::Other(format!("{}, {m}", options.extension));
    let directory = match &options.output {
        Some(path) => path.clone(),
        None => PathBuf::from(format!("{}-verilog", extension.name)),
    };
    type Make = fn(&Extension, aesmith_extension::verilog::Unit) -> Result<String, Mistake>;
    let wrappers: [(Wrapper, &str, Make, &str); 2] = [
        (Wrapper::Pcpi, "pcpi", wrapper::pcpi, "the unit on PicoRV32's PCPI"),
        (Wrapper::Cfu, "cfu", wrapper::cfu, "the unit on VexRiscv's CFU"),
    ];
    let asked = |which: &Wrapper| [*which, Wrapper::All].contains(&options.wrapper);
    // A core that decodes an encoding itself never uses the unit; this is refused before anything is made.
    let ends: Vec<&str> =
        wrappers.iter().filter(|(which, ..)| asked(which)).map(|(_, end, ..)| *end).collect();
    let has = |core: &&Core| core.port.and_then(|port| port.wrapper).is_some_and(|end| ends.contains(&end));
    let cores: Vec<String> = cores().filter(has).map(|core| core.name.to_owned()).collect();
    super::bases(&cores, &options.extension, extension)?;
    let mut files = Vec::new();
    let mut file = |name: &str, text: &str, what: &str| {
        let contents =
            format!("// {name}: {what}, written by aesmith {}.\n{text}", env!("CARGO_PKG_VERSION"));
        files.push((File { name: name.to_owned(), contents }, what.to_owned()));
    };
    let vectors = testbench::vectors(extension, RANDOM).map_err(fail)?;
    file(&format!("{name}_unit.v"), &unit(extension, built).map_err(fail)?, "the unit");
    file(&format!("{name}_tb.v"), &testbench::bench(extension, vectors.len()), "its test bench");
    let about = format!("{} vectors of the interpreter", vectors.len());
    file(&format!("{name}_vectors.hex"), &testbench::file(&vectors), &about);
    let mut left = Vec::new();
    for (which, end, make, about) in wrappers.into_iter().filter(|(which, ..)| asked(which)) {
        match make(extension, built) {
            Ok(text) => file(&format!("{name}_{end}.v"), &text, &format!("{about}, all modules")),
            // A wrapper that was named must be possible.
            Err(mistake) if options.wrapper == which => return Err(fail(mistake)),
            Err(mistake) => left.push((format!("{name}_{end}.v"), mistake)),
        }
    }
    let (files, abouts): (Vec<File>, Vec<String>) = files.into_iter().unzip();
    let written: Vec<_> = write(&files, &directory, options.force)?.into_iter().zip(abouts).collect();
    if output.json {
        return output.object(&json!({
            "extension": extension.name,
            "files": written.iter().map(|(file, what)| json!({ "file": file, "about": what })).collect::<Vec<_>>(),
            "left": left.iter().map(|(file, m)| json!({ "file": file, "line": m.line, "error": m.what })).collect::<Vec<_>>(),
            "bench": command(&directory, &name),
        }));
    }
    written.iter().try_for_each(|(file, what)| output.line(format!("{file}: {what}")))?;
    left.iter().try_for_each(|(file, why)| output.line(format!("{file} is not written: {why}")))?;
    output.line(format!("run the bench: {}", command(&directory, &name)))
}

/// The command that runs the test bench.
fn command(directory: &Path, name: &str) -> String {
    let directory = directory.display();
    format!(
        "(cd {directory} && verilator --binary --timing -Wno-fatal --top-module {name}_tb {name}_tb.v {name}_unit.v && \
         obj_dir/V{name}_tb), or with iverilog -g2012 -o bench {name}_tb.v {name}_unit.v && ./bench"
    )
}
