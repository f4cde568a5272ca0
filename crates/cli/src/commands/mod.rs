//! Commands, one in each file, as thin layers over the stages that do the work.

pub mod bench;
pub mod count;
mod doctor;
pub mod emit;
pub mod explain;
pub mod grids;
mod isa;
mod judge;
mod man;
mod processors;
mod profile;
mod replay;
pub mod report;
mod reproduce;
pub mod space;
pub mod tune;
pub mod verify;
mod wisdom;

use crate::arguments::{Arguments, Command};
use crate::failure::Failure;
use crate::output::Output;

/// Runs a command.
pub fn run(arguments: Arguments) -> Result<(), Failure> {
    let mut output = Output::new(arguments.json, &arguments.command);
    let wisdom = arguments.wisdom.as_deref();
    let done = match arguments.command {
        Command::Space(options) => space::run(&options, &mut output),
        Command::Verify(options) => verify::run(&options, &mut output),
        Command::Wisdom(options) => wisdom::run(&options, wisdom, &mut output),
        Command::Profile(options) => profile::run(&options, wisdom, &mut output),
        Command::Count(options) => count::run(&options, &mut output),
        Command::Processors => processors::run(&mut output),
        Command::Judge(options) => judge::run(&options, &mut output),
        Command::Isa(options) => isa::run(&options, wisdom, &mut output),
        Command::Doctor => doctor::run(wisdom, &mut output),
        Command::Completions { shell } => man::completions(shell, &mut output),
        Command::Man { directory, force } => man::pages(&directory, force, &mut output),
        Command::Tune(options) => tune::run(&options, wisdom, &mut output),
        Command::Emit(options) => emit::run(&options, wisdom, &mut output),
        Command::Bench(options) => bench::run(&options, wisdom, &mut output),
        Command::Explain(options) => explain::run(&options, wisdom, &mut output),
        Command::Report(options) => report::run(&options, wisdom, &mut output),
        Command::Replay(options) => replay::run(&options, wisdom, &mut output),
        Command::Reproduce(options) => reproduce::run(&options, wisdom, &mut output),
    };
    // Output before a failure is valid data.
    let flushed = output.flush();
    done.and(flushed)
}
