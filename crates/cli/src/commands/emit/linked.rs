//! Memory that a package takes in a program, as the processor's stock tools link it: its assembly, and its C if it is
//! compiled for the processor.

use crate::commands::verify::assemble::assemble;
use crate::failure::Failure;
use crate::output::say;
use crate::scratch::Scratch;
use aesmith_emit::gnu::assembly::NO_DATA_CACHE;
use aesmith_emit::package::sizes::{Sizes, of_program};
use aesmith_emit::package::{Form, Package, write};
use aesmith_judge::outside::{binutils, find, step};
use aesmith_processor::core::Core;
use aesmith_processor::gnu::Gnu;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// The time limit of a tool.
const PATIENCE: Duration = Duration::from_secs(60);

/// Flash, RAM and stack in bytes of a program with the whole package. `None` if the tools are not installed, or if they
/// fail, which is reported.
pub fn sizes(core: &Core, package: &Package) -> Result<Option<Sizes>, Failure> {
    let gnu = core.gnu();
    let compiler = find(&format!("{}gcc", gnu.prefix));
    let linker = match (&compiler, gnu.compiler) {
        (Some(compiler), true) => Some(compiler.clone()),
        // The compiled C is part of the program, so that a linker alone is not enough.
        (None, true) => None,
        (_, false) => binutils(&format!("{}ld", gnu.prefix)),
    };
    let Some(linker) = linker else { return Ok(None) };
    let place = Scratch::new("linked")?;
    write(&package.files(Form::Package), place.path())
        .map_err(|e| Failure::Other(format!("{} cannot be written: {e}", place.path().display())))?;
    match added(core, &gnu, &linker, place.path()) {
        Ok((flash, ram)) => {
            let stack = package.sizes().map_or(0, |sizes| sizes.stack);
            Ok(Some(Sizes { flash, ram, stack }))
        }
        Err(why) => {
            say(format!("{} is not linked, and its sizes are by the model: {why}", package.name()));
            Ok(None)
        }
    }
}

/// The rest of the program, linked before the package: code, constants and data whose ends are not aligned for tables.
/// The fill up to the alignment of the package's first sections counts as the package's memory.
const NEIGHBOUR: &str =
    ".text\n.byte 0, 0, 0, 0\n.section .rodata, \"a\"\n.balign 4\n.byte 1, 0, 0, 0\n.data\n.byte 1\n";

/// The increase of flash and RAM by the package: some linkers add a stack to any program.
fn added(core: &Core, gnu: &Gnu, linker: &Path, place: &Path) -> Result<(u64, u64), String> {
    let sizes = |objects: &[PathBuf]| {
        let program = link(gnu, linker, objects, place)?;
        of_program(&program).map_err(|e| e.to_string())
    };
    let source = place.join("neighbour.S");
    std::fs::write(&source, NEIGHBOUR).map_err(|e| e.to_string())?;
    let neighbour = object(&source, core)?;
    let none = sizes(std::slice::from_ref(&neighbour))?;
    let all: Vec<PathBuf> = [neighbour].into_iter().chain(objects(core, gnu, place)?).collect();
    let all = sizes(&all)?;
    Ok((all.flash.saturating_sub(none.flash), all.ram.saturating_sub(none.ram)))
}

/// Assembles a file into an object beside it.
fn object(source: &Path, core: &Core) -> Result<PathBuf, String> {
    let object = source.with_extension("o");
    let bytes = assemble(source, Some(core)).map_err(|e| e.sentence().unwrap_or_default())?;
    std::fs::write(&object, bytes).map_err(|e| e.to_string())?;
    Ok(object)
}

/// The objects of all sources, built as in the package's Makefile.
fn objects(core: &Core, gnu: &Gnu, place: &Path) -> Result<Vec<PathBuf>, String> {
    let folder = place.join("src");
    let entries = std::fs::read_dir(&folder).map_err(|e| e.to_string())?;
    let sources: Result<Vec<PathBuf>, _> = entries.map(|entry| entry.map(|e| e.path())).collect();
    let mut sources = sources.map_err(|e| e.to_string())?;
    // The fill between sections depends on their order.
    sources.sort();
    let mut objects = Vec::new();
    for source in sources {
        match source.extension().and_then(|e| e.to_str()) {
            Some("S") => objects.push(object(&source, core)?),
            Some("c") if gnu.compiler => {
                let object = source.with_extension("o");
                let mut compiler = Command::new(format!("{}gcc", gnu.prefix));
                compiler.args(gnu.flags.split_whitespace()).arg(format!("-D{NO_DATA_CACHE}"));
                compiler.args(["-Os", "-std=c99", "-ffreestanding", "-c", "-o"]).arg(&object).arg(&source);
                step(&mut compiler, PATIENCE)?;
                objects.push(object);
            }
            _ => {}
        }
    }
    Ok(objects)
}

/// Links a program of all objects, whether they are called or not.
fn link(gnu: &Gnu, linker: &Path, objects: &[PathBuf], place: &Path) -> Result<Vec<u8>, String> {
    let program = place.join("program.elf");
    let mut command = Command::new(linker);
    if gnu.compiler {
        command.args(gnu.flags.split_whitespace());
        command.args(["-nostdlib", "-nostartfiles", "-Wl,-e,0", "-Wl,--unresolved-symbols=ignore-all"]);
        command.arg("-o").arg(&program).args(objects).arg("-lgcc");
    } else {
        command.args(gnu.linker.split_whitespace()).args(["-e", "0", "-o"]).arg(&program).args(objects);
    }
    step(&mut command, PATIENCE)?;
    std::fs::read(&program).map_err(|e| e.to_string())
}
