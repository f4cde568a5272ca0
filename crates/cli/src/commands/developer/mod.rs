//! Commands of `aesmith-bench`.

mod accounting;
mod goals;
mod record;
mod reproduce;

use super::{man, replay};
use crate::arguments::developer::{Arguments, Command};
use crate::failure::Failure;
use crate::output::Output;
use crate::schema::developer_schema;

/// Runs a command of `aesmith-bench`.
pub fn run(arguments: Arguments) -> Result<(), Failure> {
    let mut output = Output::new(arguments.shared.json, developer_schema(&arguments.command));
    let wisdom = arguments.shared.wisdom.as_deref();
    let done = match arguments.command {
        Command::Goals(options) => goals::run(&options.into(), wisdom, &mut output),
        Command::Reproduce(options) => reproduce::run(&options, wisdom, &mut output),
        Command::Accounting(options) => accounting::run(&options, &mut output),
        Command::Replay(options) => {
            replay::run(&options, |file| record::run(&options, file, wisdom), &mut output)
        }
        Command::Completions(options) => man::completions::<Arguments>(options.shell, &mut output),
        Command::Man(options) => man::pages::<Arguments>(&options, &mut output),
        Command::Bench(options) if options.is_for_developers() => goals::run(&options, wisdom, &mut output),
        Command::Count(options) if options.accounting => accounting::run(&options.into(), &mut output),
        Command::Bench(_) | Command::Count(_) => {
            Err(Failure::Usage("`aesmith`, the program for users, has this command".into()))
        }
    };
    // Output before a failure is valid data.
    let flushed = output.flush();
    done.and(flushed)
}
