//! Kernels for grids of threads: text, whose machine code bounds their time, and which a GPU in this machine measures.

use super::{Done, Kernels, Named};
use crate::arguments;
use crate::commands::{explain, grids, space, tune};
use crate::failure::Failure;
use crate::output::Output;
use aesmith_processor::grid::Grids;
use aesmith_tune::RunRequest;

/// The kernels of a processor of grids.
pub struct Translated(pub &'static Grids);

impl Kernels for Translated {
    fn form(&self) -> &'static str {
        "-grid"
    }

    fn tune(
        &self,
        options: &arguments::Tune,
        wanted: RunRequest,
        named: Named<'_>,
        output: &mut Output,
    ) -> Done {
        tune::has_one_judge(self.0.name, options)?;
        tune::through(tune::bounds::Bounds::new(self.0, options, wanted, named)?, output)
    }

    fn emit(&self, options: &arguments::Emit, named: Named<'_>, output: &mut Output) -> Done {
        if options.prefix.is_some() {
            return Err(Failure::Usage(
                "--prefix names functions in C, and kernels for GPUs are named by their problem: leave it out".into(),
            ));
        }
        grids::emit(self.0, options, named, output)
    }

    fn bench(&self, _: &arguments::Bench, _: Named<'_>, _: &mut Output) -> Done {
        Err(Failure::Usage(format!(
            "kernels for {0} are text for grids of threads, which `aesmith bench` does not compare with others yet: \
             `aesmith tune` and `explain` show their time beside its bound, and `aesmith bench --goals gpu` the table of \
             goals",
            self.0.name
        )))
    }

    fn count(&self, what: &str, options: &arguments::Count, output: &mut Output) -> Done {
        grids::count(self.0, what, options, output)
    }

    fn explain(&self, options: &arguments::Explain, _: Named<'_>, output: &mut Output) -> Done {
        explain::bounded(self.0, options, output)
    }

    fn report(&self, options: &arguments::Report, _: Named<'_>, output: &mut Output) -> Done {
        grids::report(self.0, options, output)
    }

    fn space(&self, options: &arguments::Space, output: &mut Output) -> Done {
        space::of_table(self.0, options, output)
    }
}
