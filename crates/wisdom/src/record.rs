//! The stored records, as plain data that is equal in the database and in an export.

use aesmith_arrange::{Table, Technique};
use aesmith_cipher::{Calls, Problem};
use serde::{Deserialize, Serialize};

/// A processor, as the key of the store. Costs are never averaged across processors.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "crate::earlier::ProcessorLine")]
pub struct Processor {
    /// The key of all results. For a CPU, [`Cpu`] forms it; for others it is their name: `avr`; for the GPU of this
    /// machine the name of its processor, followed by card, architecture, multiprocessors and driver.
    pub key: String,
    /// The brand string of a CPU, a sentence about others; not part of the key.
    pub name: String,
    /// Further properties: for a CPU, the fields of [`Cpu`]; for a GPU, those that its driver reports; for others
    /// none.
    pub attributes: Attributes,
}

/// Attributes by their names.
pub type Attributes = serde_json::Map<String, serde_json::Value>;

/// The properties of a CPU that results depend on, as it reports them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cpu {
    /// `GenuineIntel`, `AuthenticAMD`, ...
    pub vendor: String,
    /// Family.
    pub family: u32,
    /// Model.
    pub model: u32,
    /// Stepping.
    pub stepping: u32,
    /// Features that kernels depend on.
    pub features: Vec<String>,
}

impl Cpu {
    /// The processor with the key `vendor/family/model/stepping/features`, the features sorted and joined
    /// by `+`.
    pub fn processor(&self, name: &str) -> Processor {
        let mut cpu = self.clone();
        cpu.features.sort();
        cpu.features.dedup();
        let Cpu { vendor, family, model, stepping, features } = &cpu;
        let key = format!("{vendor}/{family}/{model}/{stepping}/{}", features.join("+"));
        let attributes = match serde_json::to_value(&cpu) {
            Ok(serde_json::Value::Object(attributes)) => attributes,
            _ => unreachable!("a record has the form of an object"),
        };
        Processor { key, name: name.to_owned(), attributes }
    }

    pub(crate) fn check(&self) -> Result<(), String> {
        let plain = |s: &str| !s.is_empty() && !s.contains(['/', '+', '\n']);
        if !plain(&self.vendor) || !self.features.iter().all(|f| plain(f)) {
            return Err("a processor's vendor and features must be words without `/` and `+`".into());
        }
        Ok(())
    }
}

impl Processor {
    /// A processor that is identified by its name alone.
    pub fn named(key: &str, about: &str) -> Processor {
        Processor { key: key.into(), name: about.into(), attributes: Attributes::new() }
    }

    /// The properties, if it is a CPU.
    pub fn cpu(&self) -> Option<Cpu> {
        serde_json::from_value(serde_json::Value::Object(self.attributes.clone())).ok()
    }

    pub(crate) fn check(&self) -> Result<(), String> {
        if self.key.is_empty() || self.key.contains([' ', '\n']) {
            return Err(format!("`{}` is no key of a processor, which is a word", self.key));
        }
        Ok(())
    }
}

/// A measured machine model of a processor.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MachineModel {
    /// Key of the processor.
    pub processor: String,
    /// Time of the measurement, in milliseconds since 1970.
    pub made_ms: u64,
    /// Version of the tool that measured it.
    pub tool_version: String,
    /// The model.
    pub model: serde_json::Value,
}

/// A search or a benchmark: the common properties of its samples.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Run {
    /// Globally unique, so that importing a run twice does not duplicate it.
    pub key: String,
    /// Key of the processor.
    pub processor: String,
    /// Name of the problem.
    pub problem: String,
    /// Bytes of a message.
    pub size: u64,
    /// Name of the strategy, or of the benchmark.
    pub strategy: String,
    /// Its seed.
    pub seed: u64,
    /// Its options.
    pub options: String,
    /// Name of the judge.
    pub judge: String,
    /// The unit of costs, one of [`UNITS`]; in a line of an older export it follows from the problem.
    #[serde(default)]
    pub unit: String,
    /// The name of the calls that were measured ([`Calls`]); in a line of an older export it is that of steady ones.
    #[serde(default)]
    pub calls: String,
    /// The times of the parts of its search, a JSON object, if they are known.
    #[serde(default)]
    pub search: Option<serde_json::Value>,
    /// Version of the tool.
    pub tool_version: String,
    /// The process and boot that it was a part of.
    pub session: String,
    /// The command line.
    pub command: String,
    /// `running`, `finished` or `interrupted`; a killed run stays `running`.
    pub state: String,
    /// Start in milliseconds since 1970.
    pub started_ms: u64,
    /// End, if it has one.
    pub finished_ms: Option<u64>,
}

/// The states of a run.
pub(crate) const STATES: &[&str] = &["running", "finished", "interrupted"];
/// The purposes of samples.
pub(crate) const PHASES: &[&str] = &["screen", "duel", "confirm", "bench", "model", "judge"];
/// The units of costs: for messages if calls of many lengths are measured; for messages if every block costs the same;
/// for key schedules.
pub const UNITS: &[&str] = &[
    "cycles per byte",
    "cycles per block",
    "cycles per key",
    "static cycles per block",
    "static cycles per key",
];
/// The verdicts on variants.
pub const VERDICTS: &[&str] = &["measured", "does-not-fit", "refuted", "fault", "unsupported"];

/// One measurement of one variant, with all raw values.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sample {
    /// Number of the trial in the search, from 1; 0 outside a search.
    pub trial: u64,
    /// One of `PHASES`.
    pub phase: String,
    /// Bytes of a message; 0 if the cost is per block.
    pub size: u64,
    /// The variant in text form.
    pub variant: String,
    /// Name of its technique, if variants of its processor name one; in a line of an older export it follows from the
    /// variant.
    #[serde(default)]
    pub technique: String,
    /// SHA-256 of the kernel's bytes, 64 hexadecimal digits, if there is a kernel.
    pub sha256: Option<String>,
    /// One of [`VERDICTS`].
    pub verdict: String,
    /// The reason why there is no cost; empty if there is one.
    #[serde(default)]
    pub message: String,
    /// Number of movable instructions of the main loop.
    pub instructions: u16,
    /// The cost, in the unit of the run; in core cycles if those are calibrated.
    pub cost: Option<f64>,
    /// The other costs of the kernel, if the processor's machine model counts them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub costs: Option<Costs>,
    /// Name of the judge, if it is not the run's judge.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub judge: String,
    /// Calibrated core cycles of each call.
    pub cycles: Vec<f64>,
    /// Ticks of the time-stamp counter of each call.
    pub ticks: Vec<u64>,
    /// Time, in milliseconds since 1970.
    pub time_ms: u64,
}

/// Costs of a kernel other than its cycles per block or key.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Costs {
    /// Cycles of a message in addition to those of its blocks.
    pub once: f64,
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
}

/// A kernel that a run has confirmed: its winner, or one that the winner was compared with.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Best {
    /// Key of the processor.
    pub processor: String,
    /// Name of the problem.
    pub problem: String,
    /// Bytes of a message.
    pub size: u64,
    /// Key of the run that confirmed it.
    pub run: String,
    /// Time, in milliseconds since 1970.
    pub confirmed_ms: u64,
    /// The variant in text form.
    pub variant: String,
    /// Name of its technique, as a sample has it.
    #[serde(default)]
    pub technique: String,
    /// SHA-256 of its kernel's bytes.
    pub sha256: String,
    /// Its certificate, an object.
    pub certificate: serde_json::Value,
    /// Name of the judge that confirmed it, if it is not the run's judge.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub judge: String,
    /// First quartile of the confirmed cost, in the unit of the run.
    pub low: f64,
    /// Median.
    pub median: f64,
    /// Third quartile.
    pub high: f64,
    /// Median of the baseline in the same confirmation, if it had one.
    pub baseline: Option<f64>,
    /// Bound of its dataflow.
    pub bound: Option<f64>,
    /// The restriction of its run, in words; empty for a run without restriction.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub restriction: String,
    /// Bytes of its code and constants, if the judge is noisy.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<u64>,
    /// Noise floor of its confirmation: minimum significant distance of a ratio from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub noise: Option<f64>,
}

impl Run {
    pub(crate) fn check(&self) -> Result<(), String> {
        self.problem.parse::<Problem>().map_err(|e| e.to_string())?;
        one_of("state", &self.state, STATES)?;
        one_of("unit", &self.unit, UNITS)?;
        self.calls.parse::<Calls>()?;
        if self.search.as_ref().is_some_and(|search| !search.is_object()) {
            return Err("where the time of a search went must be a JSON object".into());
        }
        if self.key.is_empty() {
            return Err("a run needs a key".into());
        }
        whole("size", self.size)?;
        whole("started_ms", self.started_ms)?;
        self.finished_ms.map_or(Ok(()), |t| whole("finished_ms", t))
    }
}

impl Sample {
    /// Checks everything but the variant's text, which [`Sample::check_variant`] parses: the tool's own samples are
    /// sound, but an import could contain anything.
    pub(crate) fn check(&self) -> Result<(), String> {
        one_of("phase", &self.phase, PHASES)?;
        one_of("verdict", &self.verdict, VERDICTS)?;
        if let Some(hash) = &self.sha256 {
            hexadecimal(hash)?;
        }
        if let Some(cost) = self.cost {
            positive("cost", cost)?;
        }
        if self.cost.is_some() != (self.verdict == "measured") {
            return Err("a sample has a cost exactly if its verdict is `measured`".into());
        }
        if let Some(costs) = &self.costs {
            if !costs.once.is_finite() {
                return Err("a cost is not a number".into());
            }
            [costs.flash, costs.ram, costs.stack].into_iter().try_for_each(|bytes| whole("costs", bytes))?;
        }
        self.cycles.iter().try_for_each(|c| positive("cycles", *c))?;
        self.ticks.iter().try_for_each(|t| whole("ticks", *t))?;
        whole("trial", self.trial)?;
        whole("size", self.size)?;
        whole("time_ms", self.time_ms)
    }

    /// The whole sample as a line of text, unique to it.
    pub(crate) fn text(&self) -> String {
        serde_json::to_string(self).expect("a sample has a text form")
    }

    /// Checks that the kernel is for the run's problem and processor, or is a key set-up for such a kernel. Variants
    /// that name no processor are read by `table`.
    pub(crate) fn check_variant(
        &self,
        problem: &str,
        processor: &str,
        table: &'static Table,
    ) -> Result<(), String> {
        let parsed = (table.parse(&self.variant), problem.parse::<Problem>());
        if let (Ok(variant), Ok(problem)) = parsed
            && (variant.problem == problem.key_schedule() || Some(variant.problem) == problem.key_table())
        {
            return Ok(());
        }
        variant_of(&self.variant, problem, processor, table)
    }
}

impl Best {
    /// Checks everything but the values of the variant: see [`Best::check_variant`].
    pub(crate) fn check(&self) -> Result<(), String> {
        of_problem(&self.variant, &self.problem, &self.processor)?;
        hexadecimal(&self.sha256)?;
        let costs = [("low", self.low), ("median", self.median), ("high", self.high)];
        costs.iter().try_for_each(|(name, c)| positive(name, *c))?;
        let beside = [("baseline", self.baseline), ("bound", self.bound)];
        beside.iter().try_for_each(|(name, c)| c.map_or(Ok(()), |c| positive(name, c)))?;
        if self.noise.is_some_and(|noise| !noise.is_finite() || noise < 0.0) {
            return Err("a noise floor is a number from 0 on".into());
        }
        self.code.map_or(Ok(()), |bytes| whole("code", bytes))?;
        if !(self.low <= self.median && self.median <= self.high) {
            return Err("low, median and high must ascend".into());
        }
        if !self.certificate.is_object() {
            return Err("a certificate must be a JSON object".into());
        }
        whole("size", self.size)?;
        whole("confirmed_ms", self.confirmed_ms)
    }

    /// Checks the variant; one that names no processor is read by `table`.
    pub(crate) fn check_variant(&self, table: &'static Table) -> Result<(), String> {
        variant_of(&self.variant, &self.problem, &self.processor, table)
    }
}

/// Checks that a variant's text is for a problem and a processor, as far as they can be told without the processor's
/// dimensions. The key of a GPU begins with the name of its processor: `gpu/...`.
pub(crate) fn of_problem(text: &str, problem: &str, processor: &str) -> Result<(), String> {
    let named = processor_of(text).is_none_or(|named| processor.split('/').next() == Some(named));
    if text.split(' ').next() == Some(problem) && named && !text.contains('\n') {
        return Ok(());
    }
    Err(format!("`{text}` is no variant of {problem} on {processor}"))
}

/// Checks that a variant is for a problem and a processor. Variants that name no processor are read by `table`.
fn variant_of(text: &str, problem: &str, processor: &str, table: &'static Table) -> Result<(), String> {
    if processor_of(text).is_some() {
        return of_problem(text, problem, processor);
    }
    let variant = table.parse(text).map_err(|e| format!("variant: {e}"))?;
    if variant.problem.to_string() != problem {
        return Err(format!("a variant of {} in a run of {problem}", variant.problem));
    }
    Ok(())
}

/// The processor that a variant's text names.
pub(crate) fn processor_of(text: &str) -> Option<&str> {
    text.split(' ').nth(1)?.strip_prefix("processor=")
}

/// The technique of a variant from its text, for records from versions that did not store it; empty if variants of its
/// processor name none.
pub(crate) fn technique_of(text: &str) -> String {
    let mut words = text.split_whitespace();
    let problem = words.next().is_some_and(|word| word.parse::<Problem>().is_ok());
    if !problem || processor_of(text).is_some() {
        return String::new();
    }
    let technique = match words.find_map(|word| word.strip_prefix("technique=")) {
        Some(name) => name.parse().ok(),
        None => Some(Technique::default()),
    };
    technique.map_or_else(String::new, |technique: Technique| technique.name().to_owned())
}

/// The unit of a problem's costs in versions that did not store it.
pub(crate) fn unit_of(problem: &str) -> &'static str {
    let message = problem.parse::<Problem>().is_ok_and(|p| p.is_message());
    if message { "cycles per byte" } else { "cycles per key" }
}

fn one_of(what: &str, value: &str, all: &[&str]) -> Result<(), String> {
    if all.contains(&value) {
        return Ok(());
    }
    Err(format!("`{value}` is no {what}, which is one of {}", all.join(", ")))
}

fn positive(what: &str, value: f64) -> Result<(), String> {
    if value.is_finite() && value > 0.0 {
        return Ok(());
    }
    Err(format!("`{value}` in {what} is not a positive number"))
}

/// SQLite's integers end at 2^63 - 1.
fn whole(what: &str, value: u64) -> Result<(), String> {
    if value <= i64::MAX as u64 {
        return Ok(());
    }
    Err(format!("`{value}` in {what} is 2^63 or more"))
}

fn hexadecimal(hash: &str) -> Result<(), String> {
    if hash.len() == 64 && hash.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f')) {
        return Ok(());
    }
    Err(format!("`{hash}` is no SHA-256, which is 64 hexadecimal digits in lower case"))
}
