//! `aesmith processors`: which processors there are, and who can judge it here.

use crate::failure::Failure;
use crate::output::{Output, Table, wrap};
use aesmith_processor::core::Core;
use serde::Serialize;

/// A judge of a processor, as it stands here.
#[derive(Clone, Debug, Serialize)]
pub struct Standing {
    /// Its name.
    pub name: String,
    /// Whether the cycles it gives are the processor's.
    pub counts_cycles: bool,
    /// Packages that it needs.
    pub needs: Vec<&'static str>,
    /// Why it cannot be used; nothing where it can.
    pub missing: Option<String>,
}

/// The judges of a processor.
pub fn judges(core: &Core) -> Vec<Standing> {
    let standing = |judge: Box<dyn aesmith_judge::judge::Judge>| {
        let missing = judge.present().err();
        Standing {
            name: judge.name(),
            counts_cycles: judge.counts_cycles(),
            needs: judge.needs().to_vec(),
            missing,
        }
    };
    (core.judges)().into_iter().map(standing).collect()
}

/// Prints every processor with its model and its judges.
pub fn run(output: &mut Output) -> Result<(), Failure> {
    if output.json {
        for core in aesmith_processors::all() {
            output.object(&serde_json::json!({
                "processor": core.name,
                "about": core.about,
                "model": core.model_about,
                "data_cache": core.cached,
                "judges": judges(core),
            }))?;
        }
        return Ok(());
    }
    let mut table = Table::new(&["processor", "judge", "gives", "here", "packages"]);
    let mut notes = Vec::new();
    for core in aesmith_processors::all() {
        table.row([core.name, "machine model", "cycles (modelled)", "yes", ""]);
        for judge in judges(core) {
            let gives = if judge.counts_cycles { "cycles, outputs" } else { "outputs" };
            let here = if judge.missing.is_none() { "yes" } else { "MISSING" };
            let packages = judge.needs.join(" ");
            table.row(["", &judge.name, gives, here, &packages]);
        }
        notes.push((core.name, core.about, core.model_about));
    }
    output.table(&table)?;
    for (name, about, model) in notes {
        output.line("")?;
        output.line(name)?;
        for text in [about, model] {
            wrap(text, "    ", 100).iter().try_for_each(|l| output.line(l))?;
        }
    }
    Ok(())
}
