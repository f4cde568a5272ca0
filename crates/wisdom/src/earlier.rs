//! Parses lines of exports of earlier versions and converts them to current records; no current version writes such
//! lines.

use crate::record::{Attributes, Best, Costs, Cpu, Processor, Run, Sample, of_problem, processor_of};
use aesmith_cipher::Calls;
use serde::{Deserialize, Serialize};

/// The line of a processor in either form: the current one, or the fields that all processors had when this machine was
/// the only kind.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ProcessorLine {
    name: String,
    key: Option<String>,
    attributes: Option<Attributes>,
    vendor: Option<String>,
    family: Option<u32>,
    model: Option<u32>,
    stepping: Option<u32>,
    features: Option<Vec<String>>,
}

impl TryFrom<ProcessorLine> for Processor {
    type Error = String;

    fn try_from(line: ProcessorLine) -> Result<Processor, String> {
        let ProcessorLine { name, key, attributes, vendor, family, model, stepping, features } = line;
        match (key, attributes, vendor, family, model, stepping, features) {
            (Some(key), Some(attributes), None, None, None, None, None) => {
                Ok(Processor { key, name, attributes })
            }
            (None, None, Some(vendor), Some(family), Some(model), Some(stepping), Some(features)) => {
                let cpu = Cpu { vendor, family, model, stepping, features };
                cpu.check()?;
                Ok(cpu.processor(&name))
            }
            _ => {
                Err("a processor has `key`, `name` and `attributes`; of older versions, `vendor`, `family`, \
                      `model`, `stepping`, `features` and `name`"
                    .into())
            }
        }
    }
}

/// The command of runs that hold the records of versions without runs of exact judges.
pub(crate) const COMMAND: &str = "by an earlier version";
/// The judge of such runs.
pub(crate) const JUDGE: &str = "machine model";
/// The strategy of such runs.
pub(crate) const STRATEGY: &str = "descent";

/// The verdicts in such lines.
const VERDICTS: &[&str] = &["does-not-fit", "modelled", "refuted", "proved", "confirmed"];

/// A line `described`: an earlier version's record about a variant of a processor with exact judges.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct VariantLine {
    /// Key of the processor.
    pub processor: String,
    /// Name of the problem.
    pub problem: String,
    /// The variant in text form.
    pub variant: String,
    /// Version of the tool.
    pub tool_version: String,
    /// SHA-256 of the assembled program, if there is one.
    pub sha256: Option<String>,
    /// `does-not-fit`, `modelled`, `refuted`, `proved` or `confirmed`.
    pub verdict: String,
    /// The reason why it got no further; empty if it did.
    #[serde(default)]
    pub message: String,
    /// Cycles of a block, or of a key, by the machine model.
    pub cycles: Option<f64>,
    /// Cycles of a message in addition to those of its blocks, by the machine model.
    pub once: Option<f64>,
    /// Bytes of flash.
    pub flash: u64,
    /// Bytes of RAM for its tables.
    pub ram: u64,
    /// Bytes of stack.
    pub stack: u64,
    /// True if calls with different data had equal sequences of instructions and memory addresses.
    pub same_path: bool,
    /// Number of blocks that a call of a block function processes.
    pub blocks: u8,
    /// Its certificate, an object, once it is proved.
    pub certificate: Option<serde_json::Value>,
    /// The independent judge that has confirmed it.
    pub judge: Option<String>,
    /// Cycles of a block, or of a key, by that judge, if it counts cycles.
    pub judged: Option<f64>,
    /// Time, in milliseconds since 1970.
    pub time_ms: u64,
}

impl VariantLine {
    pub(crate) fn check(&self) -> Result<(), String> {
        if !VERDICTS.contains(&&*self.verdict) {
            return Err(format!("`{}` is no verdict, which is one of {}", self.verdict, VERDICTS.join(", ")));
        }
        if processor_of(&self.variant).is_none() {
            return Err(format!("`{}` names no processor", self.variant));
        }
        of_problem(&self.variant, &self.problem, &self.processor)?;
        if self.certificate.is_some() && (self.sha256.is_none() || self.cycles.is_none()) {
            return Err("what has a certificate has a SHA-256 and cycles".into());
        }
        self.run("earlier".into(), 0).check()?;
        self.samples().iter().try_for_each(Sample::check)?;
        self.best("").map_or(Ok(()), |best| best.check())
    }

    /// The run that holds a file's records about the variant's problem.
    pub(crate) fn run(&self, key: String, time_ms: u64) -> Run {
        let message = crate::record::unit_of(&self.problem) == "cycles per byte";
        Run {
            key,
            processor: self.processor.clone(),
            problem: self.problem.clone(),
            strategy: STRATEGY.into(),
            judge: JUDGE.into(),
            unit: if message { "cycles per block" } else { "cycles per key" }.into(),
            calls: Calls::Steady.name().into(),
            tool_version: self.tool_version.clone(),
            command: COMMAND.into(),
            state: "finished".into(),
            started_ms: time_ms,
            finished_ms: Some(time_ms),
            ..Run::default()
        }
    }

    /// The machine model's result, and the judge's result or the reason of refutation.
    pub(crate) fn samples(&self) -> Vec<Sample> {
        let model = Sample {
            phase: "model".into(),
            variant: self.variant.clone(),
            sha256: self.sha256.clone(),
            verdict: if self.cycles.is_some() { "measured" } else { "does-not-fit" }.into(),
            message: if self.cycles.is_some() { String::new() } else { self.message.clone() },
            cost: self.cycles,
            costs: self.cycles.map(|_| Costs {
                once: self.once.unwrap_or(0.0),
                flash: self.flash,
                ram: self.ram,
                stack: self.stack,
                same_path: self.same_path,
                blocks: self.blocks,
            }),
            time_ms: self.time_ms,
            ..Sample::default()
        };
        let refuted = self.verdict == "refuted";
        let judged = (refuted || self.judged.is_some()).then(|| Sample {
            phase: "judge".into(),
            verdict: if refuted { "refuted" } else { "measured" }.into(),
            message: if refuted { self.message.clone() } else { String::new() },
            cost: self.judged.filter(|_| !refuted),
            costs: None,
            judge: self.judge.clone().unwrap_or_default(),
            ..model.clone()
        });
        [model].into_iter().chain(judged).collect()
    }

    /// The confirmed kernel, if it is confirmed.
    pub(crate) fn best(&self, run: &str) -> Option<Best> {
        let cost = self.judged.or(self.cycles)?;
        Some(Best {
            processor: self.processor.clone(),
            problem: self.problem.clone(),
            run: run.into(),
            confirmed_ms: self.time_ms,
            variant: self.variant.clone(),
            sha256: self.sha256.clone()?,
            certificate: self.certificate.clone()?,
            judge: self.judge.clone().unwrap_or_default(),
            low: cost,
            median: cost,
            high: cost,
            ..Best::default()
        })
    }
}
