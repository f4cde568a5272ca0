//! Kernels whose cycles exact judges count and a table of timing predicts.

use super::{Done, Kernels, Named};
use crate::arguments;
use crate::commands::{bench, count, emit, explain, report, space, tune};
use crate::output::Output;
use aesmith_processor::core::Core;
use aesmith_tune::RunRequest;

/// The kernels of a processor with exact judges.
pub struct Counted(pub &'static Core);

impl Kernels for Counted {
    fn form(&self) -> &'static str {
        "-processor"
    }

    fn core(&self) -> Option<&'static Core> {
        Some(self.0)
    }

    fn tune(
        &self,
        options: &arguments::Tune,
        wanted: RunRequest,
        named: Named<'_>,
        output: &mut Output,
    ) -> Done {
        tune::has_one_judge(self.0.name, options)?;
        tune::through(tune::exam::Exam::new(self.0, options, wanted, named)?, output)
    }

    fn emit(&self, options: &arguments::Emit, named: Named<'_>, output: &mut Output) -> Done {
        if options.form.is_of_grids() {
            return Err(emit::not_of_grids());
        }
        emit::firmware::run(self.0, options, named, output)
    }

    fn bench(&self, options: &arguments::Bench, named: Named<'_>, output: &mut Output) -> Done {
        bench::exact::run(self.0, options, named, output)
    }

    fn count(&self, what: &str, options: &arguments::Count, output: &mut Output) -> Done {
        count::counted(self.0, what, options, output)
    }

    fn explain(&self, options: &arguments::Explain, named: Named<'_>, output: &mut Output) -> Done {
        explain::counted(self.0, options, named, output)
    }

    fn report(&self, options: &arguments::Report, named: Named<'_>, output: &mut Output) -> Done {
        report::front::run(self.0, options, named, output)
    }

    fn space(&self, options: &arguments::Space, output: &mut Output) -> Done {
        space::of_table(self.0, options, output)
    }
}
