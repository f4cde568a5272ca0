//! Commands, one in each file, as thin layers over the stages that do the work; those of `aesmith-bench` in `developer`.

pub mod bench;
pub mod count;
pub mod developer;
mod doctor;
pub mod emit;
pub mod explain;
pub mod grids;
mod isa;
mod judge;
mod man;
mod pass_on;
mod processors;
mod profile;
mod replay;
pub mod report;
pub mod space;
pub mod tune;
pub mod verify;
mod wisdom;

use crate::arguments::{Arguments, Command};
use crate::failure::Failure;
use crate::output::Output;
use crate::schema::schema;
use pass_on::pass_on;

/// Runs a command of `aesmith`.
pub fn run(arguments: Arguments) -> Result<(), Failure> {
    let mut output = Output::new(arguments.shared.json, &schema(&arguments.command));
    let wisdom = arguments.shared.wisdom.as_deref();
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
        Command::Completions(options) => man::completions::<Arguments>(options.shell, &mut output),
        Command::Man(options) => man::pages::<Arguments>(&options, &mut output),
        Command::Tune(options) => tune::run(&options, wisdom, &mut output),
        Command::Emit(options) => emit::run(&options, wisdom, &mut output),
        Command::Bench(options) if options.is_for_developers() => pass_on(),
        Command::Bench(options) => bench::run(&options, wisdom, &mut output),
        Command::Explain(options) => explain::run(&options, wisdom, &mut output),
        Command::Report(options) => report::run(&options, wisdom, &mut output),
        Command::Replay(options) => replay::run(&options, |_| pass_on(), &mut output),
        Command::Reproduce(_) => pass_on(),
    };
    // Output before a failure is valid data.
    let flushed = output.flush();
    done.and(flushed)
}
