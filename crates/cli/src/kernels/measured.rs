//! Kernels that run, and are measured, on this machine.

use super::{Done, Kernels, Named};
use crate::arguments;
use crate::commands::{bench, count, emit, explain, report, space, tune};
use crate::output::Output;
use crate::sources::chosen_by_cycles;
use aesmith_tune::RunRequest;

/// The kernels of this machine.
pub struct OnThisMachine;

impl Kernels for OnThisMachine {
    fn form(&self) -> &'static str {
        ""
    }

    fn tune(
        &self,
        options: &arguments::Tune,
        wanted: RunRequest,
        named: Named<'_>,
        output: &mut Output,
    ) -> Done {
        tune::searched(options)?;
        chosen_by_cycles(&options.sought)?;
        tune::here(options, wanted, named, output)
    }

    fn emit(&self, options: &arguments::Emit, named: Named<'_>, output: &mut Output) -> Done {
        if options.form.is_of_grids() {
            return Err(emit::not_of_grids());
        }
        chosen_by_cycles(&options.sought)?;
        emit::measured(options, named, output)
    }

    fn bench(&self, options: &arguments::Bench, named: Named<'_>, output: &mut Output) -> Done {
        bench::measured(options, named, output)
    }

    fn count(&self, what: &str, options: &arguments::Count, output: &mut Output) -> Done {
        count::measured(what, options, output)
    }

    fn explain(&self, options: &arguments::Explain, named: Named<'_>, output: &mut Output) -> Done {
        explain::measured(options, named, output)
    }

    fn report(&self, options: &arguments::Report, named: Named<'_>, output: &mut Output) -> Done {
        report::measured(options, named, output)
    }

    fn space(&self, options: &arguments::Space, output: &mut Output) -> Done {
        space::measured(options, output)
    }
}
