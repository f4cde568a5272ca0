//! The `aesmith` command: reads arguments, calls the stages, prints.

mod arguments;
mod commands;
mod failure;
mod handout;
mod interrupt;
mod output;
mod progress;
mod quantity;
mod sources;

use clap::Parser;
use failure::Failure;
use std::process::ExitCode;

fn main() -> ExitCode {
    interrupt::leave_workers_alone();
    aesmith_judge::worker::run_if_worker();
    let arguments = arguments::Arguments::parse();
    match commands::run(arguments) {
        Ok(()) => ExitCode::SUCCESS,
        // Whoever read the output has seen enough, as with `| head`.
        Err(Failure::Output(error)) if error.kind() == std::io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(failure) => {
            if let Some(sentence) = failure.sentence() {
                eprintln!("aesmith: {sentence}");
            }
            ExitCode::from(failure.code())
        }
    }
}
