//! The programs `aesmith`, for users, and `aesmith-bench`, for developers: they read arguments, call the stages and print
//! results.

mod arguments;
mod commands;
mod deliver;
mod failure;
mod interrupt;
mod kernels;
mod output;
mod overwrite;
mod progress;
mod quantity;
mod refusal;
mod regular;
mod restrictions;
mod schema;
mod scratch;
mod sources;
mod stale;

use clap::Parser;
use failure::Failure;
use std::process::ExitCode;

/// Runs `aesmith`.
pub fn aesmith() -> ExitCode {
    program(commands::run)
}

/// Runs `aesmith-bench`.
pub fn aesmith_bench() -> ExitCode {
    program(commands::developer::run)
}

/// Runs a program: reads its arguments, runs its command, and reports a failure.
fn program<A: Parser>(run: fn(A) -> Result<(), Failure>) -> ExitCode {
    interrupt::leave_workers_alone();
    aesmith_native::worker::run_if_worker();
    let arguments = match A::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => return told(&error, &A::command()),
    };
    interrupt::listen();
    match run(arguments) {
        Ok(()) => ExitCode::SUCCESS,
        // The reader of the output has closed it, as `| head` does.
        Err(Failure::Output(error)) if error.kind() == std::io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(failure) => {
            if let Some(sentence) = failure.sentence() {
                output::say(format!("error: {sentence}"));
            }
            ExitCode::from(failure.code())
        }
    }
}

/// Prints the help, the version, or the mistake in the command line.
fn told(error: &clap::Error, program: &clap::Command) -> ExitCode {
    let code = u8::try_from(error.exit_code()).unwrap_or(2);
    if let Some(sentence) = refusal::sentence(error, program) {
        output::say(format!("error: {sentence}"));
        return ExitCode::from(code);
    }
    match error.print() {
        Err(e) if code == 0 && e.kind() != std::io::ErrorKind::BrokenPipe => {
            output::say(format!("error: {}", Failure::Output(e).sentence().unwrap_or_default()));
            ExitCode::from(1)
        }
        _ => ExitCode::from(code),
    }
}
