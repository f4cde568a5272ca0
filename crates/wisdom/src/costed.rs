//! Results of exact judges. They are reproducible, so the last result of a variant over all runs is the valid one, and
//! nothing is computed again.

use crate::read::Filter;
use crate::record::{Best, Costs, Sample};
use crate::{Store, WisdomError};
use std::collections::HashMap;

/// The known results of a variant that a machine model has costed.
#[derive(Clone, Debug, PartialEq)]
pub struct Costed {
    /// Key of the processor.
    pub processor: String,
    /// Name of the problem.
    pub problem: String,
    /// The variant in text form.
    pub variant: String,
    /// Version of aesmith; for an extended processor, also that of the extension.
    pub tool_version: String,
    /// SHA-256 of the assembled program, if there is one.
    pub sha256: Option<String>,
    /// The reason why it does not fit or is refuted; empty otherwise.
    pub message: String,
    /// True if it was refuted.
    pub refuted: bool,
    /// Cycles of a block, or of a key, by the machine model.
    pub cycles: Option<f64>,
    /// Its other costs by the machine model.
    pub costs: Option<Costs>,
    /// Its certificate, an object, once it is proved.
    pub certificate: Option<serde_json::Value>,
    /// The independent judge that has counted or confirmed it.
    pub judge: Option<String>,
    /// Cycles of a block, or of a key, by that judge, if it counts cycles.
    pub judged: Option<f64>,
    /// Time of the last result, in milliseconds since 1970.
    pub time_ms: u64,
}

impl Costed {
    /// The machine model's result for a variant: its costs, or the reason why it does not fit.
    pub fn modelled(processor: &str, problem: &str, tool_version: &str, sample: &Sample) -> Costed {
        Costed {
            processor: processor.into(),
            problem: problem.into(),
            variant: sample.variant.clone(),
            tool_version: tool_version.into(),
            sha256: sample.sha256.clone(),
            message: sample.message.clone(),
            refuted: false,
            cycles: sample.cost,
            costs: sample.costs,
            certificate: None,
            judge: None,
            judged: None,
            time_ms: sample.time_ms,
        }
    }

    /// Adds a judge's result for the same program.
    pub fn add_judged(&mut self, sample: &Sample) {
        if self.sha256 != sample.sha256 {
            return;
        }
        self.time_ms = sample.time_ms;
        if sample.verdict == "refuted" {
            self.refuted = true;
            self.message.clone_from(&sample.message);
        } else {
            self.judge = Some(sample.judge.clone()).filter(|judge| !judge.is_empty());
            self.judged = sample.cost;
        }
    }

    /// Adds the certificate of the same program, unless the program has been refuted since.
    pub fn add_best(&mut self, best: &Best) {
        if self.sha256.as_ref() != Some(&best.sha256) || (self.refuted && self.time_ms > best.confirmed_ms) {
            return;
        }
        self.refuted = false;
        self.message.clear();
        self.time_ms = self.time_ms.max(best.confirmed_ms);
        self.certificate = Some(best.certificate.clone());
        self.judge = Some(best.judge.clone()).filter(|judge| !judge.is_empty()).or(self.judge.take());
    }

    /// Its verdict: `does-not-fit`, `modelled`, `refuted`, `proved` or `confirmed`.
    pub fn verdict(&self) -> &'static str {
        match (&self.certificate, &self.judge) {
            _ if self.refuted => "refuted",
            (Some(_), Some(_)) => "confirmed",
            (Some(_), None) => "proved",
            _ if self.cycles.is_some() => "modelled",
            _ => "does-not-fit",
        }
    }
}

impl Store {
    /// The results of the variants that machine models have costed, by one version, or by the last version for each
    /// variant; sorted by processor, problem and variant. `today` gives the text form of today for the name of a
    /// processor and a variant's text form of any version, so that each variant has one result.
    pub fn costed(
        &self,
        filter: &Filter,
        tool_version: Option<&str>,
        today: &dyn Fn(&str, &str) -> String,
    ) -> Result<Vec<Costed>, WisdomError> {
        let (clause, mut values) = filter.clause();
        let mut by = String::new();
        if let Some(version) = tool_version {
            values.push(rusqlite::types::Value::Text(version.into()));
            by = format!(" AND run.tool_version = ?{}", values.len());
        }
        let sql = format!(
            "SELECT {}, processor.key, run.problem, run.tool_version FROM sample JOIN run ON run.id = sample.run
             JOIN processor ON processor.id = run.processor
             WHERE phase IN ('model', 'judge') AND {clause}{by} ORDER BY sample.time_ms, run.id, number",
            crate::rows::SAMPLE_COLUMNS
        );
        let mut known: HashMap<(String, String), Costed> = HashMap::new();
        self.each_row(&sql, &values, |row| {
            let mut sample = crate::rows::read_sample(row)?;
            let at = crate::rows::SAMPLE_WIDTH;
            let (processor, problem, version): (String, String, String) =
                (row.get(at)?, row.get(at + 1)?, row.get(at + 2)?);
            sample.variant = today(&processor, &sample.variant);
            let key = (processor, sample.variant.clone());
            if sample.phase == "model" {
                let costed = Costed::modelled(&key.0, &problem, &version, &sample);
                known.insert(key, costed);
            } else if let Some(costed) = known.get_mut(&key).filter(|known| known.tool_version == version) {
                costed.add_judged(&sample);
            }
            Ok(())
        })?;
        let runs: HashMap<String, String> =
            self.all_runs(filter)?.into_iter().map(|row| (row.run.key, row.run.tool_version)).collect();
        for best in self.all_best_history(filter)? {
            let key = (best.processor.clone(), today(&best.processor, &best.variant));
            let version = runs.get(&best.run);
            if let Some(costed) = known.get_mut(&key).filter(|known| version == Some(&known.tool_version)) {
                costed.add_best(&best);
            }
        }
        let mut all: Vec<Costed> = known.into_values().collect();
        let order = |c: &Costed| (c.processor.clone(), c.problem.clone(), c.variant.clone());
        all.sort_by_cached_key(order);
        Ok(all)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::earlier::VariantLine;
    use crate::{Processor, RunId};
    use serde_json::json;

    fn line(time_ms: u64) -> VariantLine {
        VariantLine {
            processor: "avr".into(),
            problem: "aes128-ecb".into(),
            variant: "aes128-ecb processor=avr tables=ram".into(),
            tool_version: "0.1.0".into(),
            sha256: Some("0".repeat(64)),
            verdict: "modelled".into(),
            cycles: Some(1570.0),
            once: Some(0.0),
            flash: 2254,
            ram: 512,
            blocks: 1,
            time_ms,
            ..VariantLine::default()
        }
    }

    fn started(store: &mut Store, key: &str, tool_version: &str) -> RunId {
        store.put_processor(&Processor::named("avr", "8 bits")).unwrap();
        let run = VariantLine { tool_version: tool_version.into(), ..line(1) }.run(key.into(), 1);
        store.start_run(&run).unwrap()
    }

    fn known(store: &Store, version: Option<&str>) -> Costed {
        all(store, &Filter::default(), version).remove(0)
    }

    fn all(store: &Store, filter: &Filter, version: Option<&str>) -> Vec<Costed> {
        store.costed(filter, version, &|_, text| text.replace("lut=", "tables=")).unwrap()
    }

    #[test]
    fn the_last_word_on_a_program_counts() {
        let folder = tempfile::TempDir::new().unwrap();
        let mut store = Store::open(&folder.path().join("a.sqlite")).unwrap();
        let run = started(&mut store, "r", "0.1.0");
        let put = |store: &mut Store, line: &VariantLine| {
            store.record(run, &line.samples()).unwrap();
            line.best("r").iter().for_each(|best| store.put_best(best).unwrap());
        };
        put(&mut store, &line(1));
        assert_eq!(known(&store, None).verdict(), "modelled");
        let confirmed = VariantLine {
            certificate: Some(json!({ "level": "proved" })),
            judge: Some("simavr 1.6".into()),
            judged: Some(1577.25),
            ..line(3)
        };
        put(&mut store, &confirmed);
        let found = known(&store, None);
        assert_eq!((found.verdict(), found.judged), ("confirmed", Some(1577.25)));
        assert_eq!(store.bests(&Filter::default()).unwrap()[0].median, 1577.25);
        // A variant that is costed again stays confirmed, because the program is the same.
        put(&mut store, &line(4));
        assert_eq!(known(&store, None).certificate, confirmed.certificate);
        put(&mut store, &VariantLine { verdict: "refuted".into(), message: "wrong".into(), ..line(5) });
        let found = known(&store, None);
        assert_eq!((found.verdict(), &*found.message, found.certificate), ("refuted", "wrong", None));
        // Another program is neither refuted nor confirmed.
        put(&mut store, &VariantLine { sha256: Some("1".repeat(64)), ..line(6) });
        assert_eq!(known(&store, None).verdict(), "modelled");
        assert_eq!(store.verdicts(run).unwrap(), [("measured".into(), 5)]);
    }

    #[test]
    fn a_variant_has_one_result_under_all_its_names() {
        let folder = tempfile::TempDir::new().unwrap();
        let mut store = Store::open(&folder.path().join("a.sqlite")).unwrap();
        let run = started(&mut store, "r", "0.1.0");
        let earlier = VariantLine {
            variant: "aes128-ecb processor=avr lut=ram".into(),
            certificate: Some(json!({ "level": "proved" })),
            ..line(3)
        };
        store.record(run, &earlier.samples()).unwrap();
        store.put_best(&earlier.best("r").unwrap()).unwrap();
        store.record(run, &line(4).samples()).unwrap();
        let found = all(&store, &Filter::default(), None);
        assert_eq!(found.len(), 1);
        assert_eq!((&found[0].variant, found[0].verdict()), (&line(4).variant, "proved"));
    }

    #[test]
    fn versions_are_told_apart_and_forgotten_together() {
        let folder = tempfile::TempDir::new().unwrap();
        let mut store = Store::open(&folder.path().join("a.sqlite")).unwrap();
        for (key, version, cycles) in [("new", "0.2.0", 1500.0), ("old", "0.1.0", 1600.0)] {
            let run = started(&mut store, key, version);
            let time = if key == "new" { 9 } else { 5 };
            let line = VariantLine { cycles: Some(cycles), ..line(time) };
            store.record(run, &line.samples()).unwrap();
        }
        assert_eq!(known(&store, Some("0.1.0")).cycles, Some(1600.0));
        assert_eq!(known(&store, None).cycles, Some(1500.0), "the last, in whichever order it came");
        let of = |name: &str| Filter { processor: Some(name.into()), ..Filter::default() };
        assert!(all(&store, &of("cortex-m3"), None).is_empty());
        let ecb = Filter { problem: "aes128-ecb".parse().ok(), ..of("avr") };
        assert_eq!(store.forget(&ecb).unwrap(), 2);
        assert!(all(&store, &of("avr"), None).is_empty());
        assert_eq!(store.processors().unwrap(), [Processor::named("avr", "8 bits")]);
    }
}
