//! Stored results of the kernels of an exploration. Figures of plain code do not depend on the extension and are shared
//! with tuning. Figures of an extended processor hold for one content of the extension's file and one unit.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard};

use aesmith_arrange::Variant;
use aesmith_cipher::Problem;
use aesmith_extension::file::{Extension, Lines};
use aesmith_extension::verilog::{Unit, wrapper};
use aesmith_processor::bits_certificate::BitsCertificate;
use aesmith_processor::core::Core;
use aesmith_tune::evaluate::costing::Point;
use aesmith_tune::evaluate::record::{Origin, Started};
use aesmith_tune::evaluate::stored;
use aesmith_wisdom::{Costed, Filter, Sample, Store, WisdomError};
use sha2::{Digest, Sha256};

/// The version that rows are stored with: this program's version, and a hash of the extension's content, its unit, and
/// the generated hardware that judges its kernels.
pub fn version(extension: Option<(&Extension, Unit)>) -> String {
    let program = env!("CARGO_PKG_VERSION");
    let Some((extension, unit)) = extension else { return program.into() };
    let mut content = extension.clone();
    // Descriptions and line numbers change no kernel.
    content.about.clear();
    content.source.clear();
    for instruction in &mut content.instructions {
        instruction.about.clear();
        instruction.lines = Lines::default();
    }
    let hardware = [wrapper::pcpi(&content, unit), wrapper::cfu(&content, unit)];
    let hash = Sha256::digest(format!("{content:?} {unit:?} {hardware:?}"));
    let hash: String = hash.iter().take(8).map(|b| format!("{b:02x}")).collect();
    format!("{program}+{hash}")
}

/// The store, with its rows of some processors.
pub struct Known<'s> {
    store: Mutex<&'s mut Store>,
    rows: Mutex<HashMap<String, Costed>>,
    /// Runs of this exploration, by processor, problem and version.
    runs: Mutex<HashMap<(String, String, String), Started>>,
}

/// Locks a mutex, even if a thread panicked while holding it.
fn hold<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

impl<'s> Known<'s> {
    /// Reads the rows of these processors.
    pub fn new(store: &'s mut Store, cores: &[&'static Core]) -> Result<Known<'s>, WisdomError> {
        let mut rows = HashMap::new();
        for core in cores {
            let filter = Filter { processor: Some(core.name.into()), ..Filter::default() };
            let known = store.costed(&filter, None, &|_, text| core.table.today(text).into_owned())?;
            rows.extend(known.into_iter().map(|row| (row.variant.clone(), row)));
        }
        Ok(Known { store: Mutex::new(store), rows: Mutex::new(rows), runs: Mutex::default() })
    }

    /// The stored row of a variant, if it has this version.
    pub fn row(&self, variant: &Variant, version: &str) -> Option<Costed> {
        let rows = hold(&self.rows);
        rows.get(&variant.to_string()).filter(|row| row.tool_version == version).cloned()
    }

    /// Stored variants that differ from one of `variants` only by a seed: other orders and allocations.
    pub fn seeded(&self, variants: &[Variant], version: &str) -> Vec<Variant> {
        let rows = hold(&self.rows);
        let mut found = Vec::new();
        for row in rows.values().filter(|row| row.tool_version == version && row.sha256.is_some()) {
            let Some((choices, seed)) = row.variant.rsplit_once(" seed=") else { continue };
            let plain = variants.iter().find(|v| v.to_string() == choices);
            found.extend(plain.zip(seed.parse().ok()).map(|(v, seed)| v.clone().seeded(seed)));
        }
        found
    }

    /// The run that stores the results of a problem on a processor; started on first use.
    fn run(
        &self,
        store: &mut Store,
        core: &Core,
        problem: Problem,
        version: &str,
    ) -> Result<Started, WisdomError> {
        let mut runs = hold(&self.runs);
        let key = (core.name.to_owned(), problem.to_string(), version.to_owned());
        if let Some(run) = runs.get(&key) {
            return Ok(run.clone());
        }
        let origin = Origin { strategy: "exploration", options: "", seed: 0, version };
        let run = stored::start(store, core, problem, origin)?;
        runs.insert(key, run.clone());
        Ok(run)
    }

    /// Stores the machine model's result for a variant; it replaces the older row.
    pub(crate) fn put_modelled(
        &self,
        core: &Core,
        variant: &Variant,
        version: &str,
        result: &Result<Point, String>,
    ) -> Result<(), WisdomError> {
        let mut store = hold(&self.store);
        let run = self.run(&mut store, core, variant.problem, version)?;
        let sample = stored::modelled(0, variant, result);
        store.record(run.id, std::slice::from_ref(&sample))?;
        let row = Costed::modelled(core.name, &variant.problem.to_string(), version, &sample);
        hold(&self.rows).insert(row.variant.clone(), row);
        Ok(())
    }

    /// Stores a judge's result for a variant: its cycles, or the reason of a refusal.
    pub(crate) fn put_judged(
        &self,
        core: &Core,
        version: &str,
        point: &Point,
        sample: &Sample,
    ) -> Result<(), WisdomError> {
        let mut store = hold(&self.store);
        let run = self.run(&mut store, core, point.variant.problem, version)?;
        store.record(run.id, std::slice::from_ref(sample))?;
        if let Some(row) = hold(&self.rows).get_mut(&sample.variant) {
            row.add_judged(sample);
        }
        Ok(())
    }

    /// Stores a kernel that is proved and tested.
    pub(crate) fn put_confirmed(
        &self,
        core: &Core,
        version: &str,
        point: &Point,
        certificate: &BitsCertificate,
    ) -> Result<(), WisdomError> {
        let mut store = hold(&self.store);
        let run = self.run(&mut store, core, point.variant.problem, version)?;
        let (best, sample) = stored::confirmation(&run, point, certificate, None);
        store.record(run.id, sample.as_slice())?;
        store.put_best(&best)?;
        if let Some(row) = hold(&self.rows).get_mut(&best.variant) {
            sample.iter().for_each(|sample| row.add_judged(sample));
            row.add_best(&best);
        }
        Ok(())
    }

    /// Forgets the results of a problem on a processor, because its code is built differently now.
    pub fn forget(&self, core: &Core, problem: Problem) -> Result<(), WisdomError> {
        let mut store = hold(&self.store);
        let filter =
            Filter { processor: Some(core.name.into()), problem: Some(problem), ..Filter::default() };
        store.forget(&filter)?;
        let name = problem.to_string();
        hold(&self.runs).retain(|(processor, problem, _), _| processor != core.name || *problem != name);
        hold(&self.rows).retain(|_, row| row.processor != core.name || row.problem != name);
        Ok(())
    }

    /// Stores that the runs have ended, with this state.
    pub fn end(&self, state: &str) -> Result<(), WisdomError> {
        let mut store = hold(&self.store);
        hold(&self.runs).values().try_for_each(|run| store.set_state(run.id, state))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use aesmith_extension::sets;

    #[test]
    fn a_version_is_of_what_instructions_do() {
        let parse = |text: &str| Extension::parse(text).unwrap();
        let text = sets::find("smix3").unwrap();
        let of = |text: &str, unit| version(Some((&parse(text), unit)));
        let plain = of(text, Unit::default());
        assert_eq!(of(&format!("# a comment\n{text}"), Unit::default()), plain);
        assert_ne!(of(&text.replace("sbox(", "isbox("), Unit::default()), plain);
        assert_ne!(of(text, Unit { sboxes: 1, ..Unit::default() }), plain);
        assert_ne!(version(None), plain);
    }
}
