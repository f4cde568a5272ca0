//! `aesmith processors`: all processors, and the judges available here.

use crate::failure::Failure;
use crate::output::{Output, Table};
use aesmith_judge::judge::{Instrument, Kind};
use aesmith_native::{Config, NativeJudge};
use aesmith_processor::processor::Processor;
use serde::{Serialize, Serializer};

/// The state of a judge on this machine.
#[derive(Clone, Debug, Serialize)]
pub struct Standing {
    /// Its name.
    pub name: String,
    /// True if its cycles are the processor's.
    pub counts_cycles: bool,
    /// The kind of its cycles.
    #[serde(serialize_with = "named")]
    pub cycles: Kind,
    /// True if it counts instructions and runs nothing.
    #[serde(skip)]
    pub translates: bool,
    /// Packages that it needs.
    pub needs: Vec<&'static str>,
    /// The reason why it cannot be used; `None` if it can.
    pub missing: Option<String>,
}

/// Serializes the kind of cycles by its name.
fn named<S: Serializer>(cycles: &Kind, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(match cycles {
        Kind::Exact => "exact",
        Kind::Noisy => "measured",
        Kind::Static => "none",
    })
}

/// The judges of a processor.
pub fn judges(processor: &'static dyn Processor) -> Vec<Standing> {
    let standing = |judge: &dyn Instrument| Standing {
        name: judge.name(),
        counts_cycles: judge.counts_cycles(),
        cycles: judge.kind(),
        translates: false,
        needs: judge.needs().to_vec(),
        missing: judge.present().err(),
    };
    let mut all = Vec::new();
    if processor.measured().is_some() {
        all.push(standing(&NativeJudge::new(Config::default())));
    }
    if let Some(core) = processor.core() {
        all.extend((core.judges)().iter().map(|judge| standing(&**judge)));
    }
    if let Some(grids) = processor.grids() {
        let executors = grids.others.iter().flat_map(|other| other.executors);
        all.push(Standing { translates: true, ..standing(grids.translator) });
        all.push(standing(grids.cards));
        all.extend(executors.map(|executor| standing(*executor)));
    }
    all
}

/// Prints every processor with its model and judges.
pub fn run(output: &mut Output) -> Result<(), Failure> {
    if output.json {
        for processor in aesmith_processors::all() {
            output.object(&serde_json::json!({
                "processor": processor.name(),
                "about": processor.record().about,
                "model": processor.record().model_about,
                "data_cache": processor.record().cached,
                "judges": judges(processor),
            }))?;
        }
        return Ok(());
    }
    let mut table = Table::new("processor|judge|gives|here|packages");
    for processor in aesmith_processors::all() {
        let mut name = processor.name();
        if let Some(core) = processor.core() {
            let gives = format!("{} (modelled)", core.timing.unit);
            table.row([std::mem::take(&mut name), "machine model", &gives, "yes", ""]);
        }
        for judge in judges(processor) {
            let gives = match judge.cycles {
                _ if judge.translates => "instructions (static bound)",
                Kind::Exact => "cycles, outputs",
                Kind::Noisy => "cycles (measured), outputs",
                Kind::Static => "outputs",
            };
            let here = if judge.missing.is_none() { "yes" } else { "MISSING" };
            let packages = judge.needs.join(" ");
            table.row([std::mem::take(&mut name), &judge.name, gives, here, &packages]);
        }
    }
    output.table(&table)?;
    for processor in aesmith_processors::all() {
        output.line("")?;
        let record = processor.record();
        output.line(record.name)?;
        for text in [record.about, record.model_about] {
            output.sentence(text, "    ")?;
        }
    }
    Ok(())
}
