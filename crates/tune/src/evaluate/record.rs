//! Records of runs and of what judges find, as the store keeps them.

use aesmith_arrange::Variant;
use aesmith_cipher::Calls;
use aesmith_judge::judge::{Finding, Outcome};
use aesmith_processor::certificate::{Certificate, Subject};
use aesmith_processor::checked::Verdict;
use aesmith_search::racing::Quartiles;
use aesmith_wisdom::write::now_ms;
use aesmith_wisdom::{Best, Processor, Run, RunId, Sample, Store, WisdomError};

/// A run in the store.
#[derive(Clone, Debug)]
pub struct Started {
    /// Its identifier in this store.
    pub id: RunId,
    /// Its key.
    pub key: String,
}

/// The origin of a run.
#[derive(Clone, Copy, Debug)]
pub struct Origin<'a> {
    /// Name of the strategy.
    pub strategy: &'a str,
    /// The options in words.
    pub options: &'a str,
    /// Its seed.
    pub seed: u64,
    /// The version of the tool; for extended processors also that of the extension.
    pub version: &'a str,
}

/// The subject of a run, and its judge.
pub(crate) struct RunSubject<'a> {
    /// The processor.
    pub processor: &'a Processor,
    /// The problem's name.
    pub problem: String,
    /// Bytes of a message; 0 if costs are per block.
    pub size: u64,
    /// The judge's name.
    pub judge: String,
    /// The unit of costs.
    pub unit: String,
    /// The kind of calls.
    pub calls: Calls,
    /// The command line.
    pub command: String,
}

/// Starts a run in the store.
pub(crate) fn start(
    store: &mut Store,
    subject: RunSubject<'_>,
    origin: Origin<'_>,
) -> Result<Started, WisdomError> {
    let RunSubject { processor, problem, size, judge, unit, calls, command } = subject;
    let key = run_key();
    let run = Run {
        key: key.clone(),
        processor: store.put_processor(processor)?,
        problem,
        size,
        strategy: origin.strategy.into(),
        seed: origin.seed,
        options: origin.options.into(),
        judge,
        unit,
        calls: calls.name().into(),
        search: None,
        tool_version: origin.version.into(),
        session: session(),
        command,
        state: "running".into(),
        started_ms: now_ms(),
        finished_ms: None,
    };
    Ok(Started { id: store.start_run(&run)?, key })
}

/// The command line of this process.
pub(crate) fn command() -> String {
    std::env::args().collect::<Vec<_>>().join(" ")
}

/// A unique key of a run: processes that start runs in the same nanosecond differ by their number.
fn run_key() -> String {
    let nanoseconds =
        std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).map_or(0, |d| d.as_nanos());
    format!("{nanoseconds:x}-{:x}", std::process::id())
}

/// The process and the current boot.
fn session() -> String {
    let boot = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
    format!("{} boot {}", std::process::id(), boot.trim())
}

/// A sample of a variant that is measured at a size, without a cost yet.
pub(crate) fn sample(phase: &str, variant: &Variant, size: usize) -> Sample {
    Sample {
        phase: phase.into(),
        size: size as u64,
        variant: variant.to_string(),
        technique: variant.technique.name().into(),
        verdict: "measured".into(),
        time_ms: now_ms(),
        ..Sample::default()
    }
}

/// A sample with the finding of a judge.
pub(crate) fn judged<F>(sample: Sample, outcome: &Outcome<F>) -> Sample {
    match outcome {
        Ok(finding) => Sample {
            cost: finding.cost,
            cycles: finding.cycles.clone(),
            ticks: finding.ticks.clone(),
            ..sample
        },
        Err(refusal) => Sample { verdict: "fault".into(), message: refusal.why.clone(), ..sample },
    }
}

/// The findings of all rounds as one: their median, and all raw values.
pub(crate) fn together<F>(rounds: Vec<Finding<F>>) -> Finding<()> {
    let costs: Vec<f64> = rounds.iter().filter_map(|round| round.cost).collect();
    let median = Quartiles::of(&costs).map(|quartiles| quartiles.median);
    let mut all = Finding {
        cost: median.filter(|cost| cost.is_finite() && *cost > 0.0),
        cycles: Vec::new(),
        ticks: Vec::new(),
        facts: (),
    };
    for round in rounds {
        all.cycles.extend(round.cycles);
        all.ticks.extend(round.ticks);
    }
    all
}

/// A confirmed kernel: the run with this key gave the variant this cost on the processor with this key.
pub(crate) fn best(
    (run, processor): (&str, &str),
    variant: &Variant,
    (certificate, verdict): (&dyn Certificate, &Verdict),
    cost: Quartiles,
) -> Best {
    let Subject { problem, sha256, .. } = certificate.subject();
    let stated =
        certificate.stated(verdict).and_then(|text| serde_json::from_str(&text).map_err(|e| e.to_string()));
    Best {
        processor: processor.into(),
        problem: problem.into(),
        run: run.into(),
        confirmed_ms: now_ms(),
        variant: variant.to_string(),
        technique: variant.technique.name().into(),
        sha256: sha256.into(),
        certificate: stated.expect("a certificate has a JSON form"),
        low: cost.low,
        median: cost.median,
        high: cost.high,
        ..Best::default()
    }
}
