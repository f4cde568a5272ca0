//! The kernels of a processor, as commands work with them: the one place that asks how their cost is found. Each way
//! of finding it (measured on this machine, counted by exact judges, bounded by a translator) implements [`Kernels`].

mod counted;
mod measured;
mod translated;

use crate::arguments;
use crate::failure::Failure;
use crate::output::Output;
use aesmith_processor::core::Core;
use aesmith_tune::RunRequest;
use std::path::Path;

/// The path of the wisdom file that the user names.
pub type Named<'a> = Option<&'a Path>;

/// The end of a command.
pub type Done = Result<(), Failure>;

/// The commands on the kernels of one processor.
pub trait Kernels {
    /// The end of the names of its JSON forms, after the command: empty, `-processor` or `-grid`. Commands whose form
    /// is the same for all do not use it.
    fn form(&self) -> &'static str;

    /// The processor's part with exact judges.
    fn core(&self) -> Option<&'static Core> {
        None
    }

    /// `aesmith tune`.
    fn tune(
        &self,
        options: &arguments::Tune,
        wanted: RunRequest,
        named: Named<'_>,
        output: &mut Output,
    ) -> Done;

    /// `aesmith emit`.
    fn emit(&self, options: &arguments::Emit, named: Named<'_>, output: &mut Output) -> Done;

    /// `aesmith bench`.
    fn bench(&self, options: &arguments::Bench, named: Named<'_>, output: &mut Output) -> Done;

    /// `aesmith count` of a variant or a file.
    fn count(&self, what: &str, options: &arguments::Count, output: &mut Output) -> Done;

    /// `aesmith explain`.
    fn explain(&self, options: &arguments::Explain, named: Named<'_>, output: &mut Output) -> Done;

    /// `aesmith report`.
    fn report(&self, options: &arguments::Report, named: Named<'_>, output: &mut Output) -> Done;

    /// `aesmith space`.
    fn space(&self, options: &arguments::Space, output: &mut Output) -> Done;
}

/// The kernels of the named processor; without a name, those of this machine.
///
/// # Errors
/// No processor has this name.
pub fn kernels(name: Option<&str>) -> Result<Box<dyn Kernels>, Failure> {
    let Some(name) = name else { return Ok(Box::new(measured::OnThisMachine)) };
    let found = aesmith_processors::find(name).map_err(Failure::Usage)?;
    Ok(match (found.grids(), found.core()) {
        (Some(grids), _) => Box::new(translated::Translated(grids)),
        (None, Some(core)) => Box::new(counted::Counted(core)),
        (None, None) => Box::new(measured::OnThisMachine),
    })
}

/// The end of the names of JSON forms for the named processor; see [`Kernels::form`]. An unknown name is refused by the
/// command itself.
pub fn form(name: Option<&str>) -> &'static str {
    kernels(name).map_or("-processor", |kernels| kernels.form())
}
