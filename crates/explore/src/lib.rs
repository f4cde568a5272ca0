//! The gain of custom instructions: an extension on some processors. Each of its kernels is compared with plain code,
//! proved, examined and counted; the area and depth of its unit are synthesized.

pub mod hardware;
pub mod kernel;
pub mod known;
pub mod paper;
pub mod part;

use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::time::Instant;

use aesmith_cipher::Direction;
use aesmith_extension::file::Extension;
use aesmith_extension::verilog::Unit;
use aesmith_processor::attach::fitted;
use aesmith_processor::core::Core;
use aesmith_wisdom::{Store, WisdomError};
use serde::Serialize;

use aesmith_tune::Event;
use hardware::Hardware;
use kernel::{Failed, Figures, Finder};
use known::{Known, version};
use part::{Column, Part};

/// A request for an exploration.
#[derive(Clone)]
pub struct ExploreRequest {
    /// The extension.
    pub extension: &'static Extension,
    /// The form of its unit.
    pub unit: Unit,
    /// The processors that it is added to.
    pub bases: Vec<&'static Core>,
    /// The kernels to be found.
    pub parts: Vec<Part>,
    /// True to compute area, depth and their trade-off against cycles.
    pub hardware: bool,
    /// The number of orders and allocations tried for each promising variant of an extended processor.
    pub seeds: u32,
    /// Set to stop the exploration.
    pub interrupted: Arc<AtomicBool>,
}

/// A result, or the reason why there is none.
pub type Outcome<T> = Result<T, String>;

/// A kernel with custom instructions beside plain ones.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    /// The processor.
    pub base: &'static str,
    /// The kind of kernel.
    pub part: Part,
    /// Figures with the extension.
    #[serde(serialize_with = "outcome")]
    pub extended: Outcome<Figures>,
    /// Figures of the fastest plain code.
    #[serde(serialize_with = "outcome")]
    pub plain: Outcome<Figures>,
    /// Figures of S-box tables and MixColumns in plain code, the kind of baseline that the paper uses.
    #[serde(serialize_with = "outcome")]
    pub baseline: Outcome<Figures>,
}

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, {}: ", self.base, self.part)?;
        match (&self.extended, &self.plain, self.over_plain()) {
            (Ok(extended), Ok(plain), Some(times)) => write!(
                f,
                "{:.0} cycles with the custom instructions, {:.0} without, {times:.2} times as fast",
                extended.cycles, plain.cycles
            ),
            (Ok(extended), ..) => write!(f, "{:.0} cycles with the custom instructions", extended.cycles),
            (Err(reason), Ok(plain), _) => {
                write!(f, "{:.0} cycles without them; with them {reason}", plain.cycles)
            }
            (Err(reason), Err(_), _) => f.write_str(reason),
        }
    }
}

impl Row {
    /// The speed-up over the fastest plain code.
    pub fn over_plain(&self) -> Option<f64> {
        ratio(&self.plain, &self.extended)
    }

    /// The speed-up over the paper's kind of baseline.
    pub fn over_baseline(&self) -> Option<f64> {
        ratio(&self.baseline, &self.extended)
    }
}

/// The ratio of two figures of the same kind: both counted by judges, else both modelled.
fn ratio(slow: &Outcome<Figures>, fast: &Outcome<Figures>) -> Option<f64> {
    let (slow, fast) = (slow.as_ref().ok()?, fast.as_ref().ok()?);
    Some(if slow.counted && fast.counted { slow.cycles / fast.cycles } else { slow.modelled / fast.modelled })
}

/// Serializes an outcome: the value, or an object with only the reason.
fn outcome<T: Serialize, S: serde::Serializer>(outcome: &Outcome<T>, to: S) -> Result<S::Ok, S::Error> {
    match outcome {
        Ok(value) => value.serialize(to),
        Err(reason) => serde_json::json!({ "reason": reason }).serialize(to),
    }
}

/// A processor, and the extension's state on it.
#[derive(Clone, Serialize)]
pub struct Base {
    /// The processor.
    pub name: &'static str,
    /// A description of the processor.
    pub about: &'static str,
    /// A description of its cycle model.
    pub model: &'static str,
    /// The interface through which instructions are added to it.
    pub port: &'static str,
    /// The reason why the extension cannot be added, if it cannot.
    pub refused: Option<String>,
    /// Reasons why rounds need other instructions besides the extension's: at most one sentence for each direction.
    pub beside: Vec<String>,
    /// The processor with the extension.
    #[serde(skip)]
    pub extended: Option<&'static Core>,
}

/// The results of an exploration.
#[derive(Clone, Serialize)]
pub struct Exploration {
    /// The name of the extension.
    pub extension: String,
    /// The extension's description.
    pub about: String,
    /// The source of the extension.
    pub source: String,
    /// Its instructions: names and descriptions.
    pub instructions: Vec<(String, String)>,
    /// The processors.
    pub bases: Vec<Base>,
    /// The kernels, by processor.
    pub rows: Vec<Row>,
    /// The unit.
    pub hardware: Hardware,
    /// The duration in seconds.
    pub seconds: f64,
    /// The number of kernels that were already known.
    pub known: usize,
    /// True if the exploration was interrupted.
    pub interrupted: bool,
}

/// The reason why there is no exploration.
#[derive(Debug)]
pub enum ExploreError {
    /// The extension helps none of the requested kernels.
    Nothing(String),
    /// The store failed.
    Wisdom(WisdomError),
}

impl fmt::Display for ExploreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ExploreError::Nothing(s) => f.write_str(s),
            ExploreError::Wisdom(e) => e.fmt(f),
        }
    }
}

impl std::error::Error for ExploreError {}

impl From<WisdomError> for ExploreError {
    fn from(error: WisdomError) -> ExploreError {
        ExploreError::Wisdom(error)
    }
}

/// A kernel to be found.
struct Job {
    base: usize,
    on: &'static Core,
    core: &'static Core,
    part: Part,
    column: Column,
}

/// Explores an extension: finds all requested kernels and synthesizes the unit.
///
/// # Errors
/// The extension helps no kernel, or the store failed.
pub fn explore(
    asked: &ExploreRequest,
    store: &mut Store,
    observer: &mut dyn FnMut(Event),
) -> Result<Exploration, ExploreError> {
    let started = Instant::now();
    let extension = asked.extension;
    let mut bases = Vec::new();
    let mut jobs = Vec::new();
    for (number, &base) in asked.bases.iter().enumerate() {
        let attached = fitted(base, extension, asked.unit).map_err(|mistake| mistake.to_string());
        let directions = [Direction::Encrypt, Direction::Decrypt];
        let beside = attached.iter().flat_map(|a| directions.iter().filter_map(|&d| a.beside(d)));
        let beside = beside.collect();
        let attached = attached.map(|attached| attached.core());
        bases.push(Base {
            name: base.name,
            about: base.about,
            model: base.model_about,
            port: base.port.map_or("none", |p| p.name),
            refused: attached.as_ref().err().cloned(),
            beside,
            extended: attached.as_ref().ok().copied(),
        });
        let Ok(extended) = attached else { continue };
        for &part in &asked.parts {
            let columns = [(Column::Extended, extended), (Column::Plain, base), (Column::Baseline, base)];
            jobs.extend(columns.map(|(column, core)| Job { base: number, on: base, core, part, column }));
        }
    }
    if let Some(reason) = bases.iter().all(|b| b.refused.is_some()).then(|| refusals(&bases)) {
        return Err(ExploreError::Nothing(reason));
    }
    // AES-128 first, because most users look for it. Plain before baseline: its variants contain the baseline's.
    jobs.sort_by_key(|job| (job.part.key, job.part.direction, job.column != Column::Plain));
    let own = version(Some((extension, asked.unit)));
    let mut cores: Vec<&'static Core> = jobs.iter().map(|job| job.core).collect();
    cores.sort_unstable_by_key(|core| core.name);
    cores.dedup_by_key(|core| core.name);
    let finder = Finder {
        known: Known::new(store, &cores)?,
        versions: [own, version(None)],
        seeds: asked.seeds,
        interrupted: &asked.interrupted,
        remembered: AtomicUsize::new(0),
    };
    observer(Event::Stage(&format!("exploring {}: {} kernels", extension.name, jobs.len())));
    let found = std::thread::scope(|scope| {
        let hardware = scope.spawn(|| match asked.hardware {
            true => hardware::hardware(asked),
            false => Hardware::none("it was not asked for"),
        });
        let found = all(&finder, &jobs, observer);
        observer(Event::Stage("synthesizing the unit"));
        let hardware = hardware.join().unwrap_or_else(|_| Hardware::none("its synthesis broke off"));
        found.map(|found| (found, hardware))
    });
    let interrupted = asked.interrupted.load(Ordering::Relaxed);
    finder.known.end(if interrupted { "interrupted" } else { "finished" })?;
    let (found, hardware) = found?;
    let mut rows = Vec::new();
    for (number, base) in bases.iter().enumerate().filter(|(_, b)| b.refused.is_none()) {
        for &part in &asked.parts {
            let all = columns(&jobs, &found, number, part);
            let [extended, plain, baseline] = all.map(|one| one.unwrap_or_else(|| Err(INTERRUPTED.into())));
            rows.push(Row { base: base.name, part, extended, plain, baseline });
        }
    }
    if !interrupted && let Some(reason) = nothing(&rows) {
        return Err(ExploreError::Nothing(format!("{} does nothing for AES here: {reason}", extension.name)));
    }
    Ok(Exploration {
        extension: extension.name.clone(),
        about: extension.about.clone(),
        source: extension.source.clone(),
        instructions: extension.instructions.iter().map(|i| (i.name.clone(), i.about.clone())).collect(),
        bases,
        rows,
        hardware,
        seconds: started.elapsed().as_secs_f64(),
        known: finder.remembered.load(Ordering::Relaxed),
        interrupted,
    })
}

/// The outcomes of a row's columns so far: extended, plain and baseline.
fn columns(
    jobs: &[Job],
    found: &[Option<Outcome<Figures>>],
    base: usize,
    part: Part,
) -> [Option<Outcome<Figures>>; 3] {
    [Column::Extended, Column::Plain, Column::Baseline].map(|column| {
        let place = jobs.iter().position(|j| j.base == base && j.part == part && j.column == column);
        place.and_then(|k| found[k].clone())
    })
}

fn refusals(bases: &[Base]) -> String {
    let mut reasons: Vec<&str> = bases.iter().filter_map(|b| b.refused.as_deref()).collect();
    reasons.dedup();
    reasons.join("\n")
}

/// The reason, if no kernel with the extension's instructions was found.
fn nothing(rows: &[Row]) -> Option<String> {
    if rows.iter().any(|row| row.extended.is_ok()) {
        return None;
    }
    let reason = rows.iter().find_map(|row| row.extended.as_ref().err());
    Some(reason.cloned().unwrap_or_else(|| "no kernel executes any of its instructions".into()))
}

/// Runs all jobs on all CPUs of this machine. Outcomes are in the order of the jobs; `None` for jobs that were not run
/// because of an interruption.
fn all(
    finder: &Finder,
    jobs: &[Job],
    observer: &mut dyn FnMut(Event),
) -> Result<Vec<Option<Outcome<Figures>>>, WisdomError> {
    let next = Mutex::new(jobs.iter().enumerate());
    let mut found: Vec<Option<Outcome<Figures>>> = vec![None; jobs.len()];
    let threads = std::thread::available_parallelism().map_or(1, usize::from).min(jobs.len());
    std::thread::scope(|scope| {
        let (said, heard) = mpsc::channel();
        for _ in 0..threads {
            let said = said.clone();
            let next = &next;
            scope.spawn(move || {
                while let Some((place, job)) = next.lock().ok().and_then(|mut n| n.next()) {
                    let outcome = finder.find(job.on, job.core, job.part, job.column);
                    let stops = matches!(outcome, Err(Failed::Wisdom(_) | Failed::Interrupted));
                    if said.send((place, outcome)).is_err() || stops {
                        return;
                    }
                }
            });
        }
        drop(said);
        let mut failed = None;
        for (done, (place, outcome)) in (1..).zip(heard) {
            observer(Event::Step(done, jobs.len() as u64));
            found[place] = match outcome {
                Ok(figures) => Some(Ok(figures)),
                Err(Failed::Reason(reason)) => Some(Err(reason)),
                Err(Failed::Interrupted) => None,
                Err(Failed::Wisdom(error)) => {
                    failed = Some(error);
                    None
                }
            };
            let Job { base, on, part, .. } = jobs[place];
            if let [Some(extended), Some(plain), Some(baseline)] = columns(jobs, &found, base, part) {
                let row = Row { base: on.name, part, extended, plain, baseline };
                observer(Event::Note(&row.to_string()));
            }
        }
        failed.map_or(Ok(()), Err)
    })?;
    Ok(found)
}

/// The reason why a kernel has no figures if the exploration ended early.
pub const INTERRUPTED: &str = "not explored: the time was over, or it was interrupted";

#[cfg(test)]
mod tests {
    use super::*;
    use aesmith_extension::sets;
    use part::Kind;

    fn asked(text: &str, base: &str) -> ExploreRequest {
        ExploreRequest {
            extension: Box::leak(Box::new(Extension::parse(text).unwrap())),
            unit: Unit::default(),
            bases: vec![aesmith_processors::core(base).unwrap()],
            parts: vec![Part::encrypt128(Kind::Cipher)],
            hardware: false,
            seeds: 0,
            interrupted: Arc::default(),
        }
    }

    /// Calls `run` with a store of its own.
    fn with_store(name: &str, run: impl FnOnce(&mut Store)) {
        let folder = std::env::temp_dir().join(format!("aesmith-explore-{name}-{}", std::process::id()));
        run(&mut Store::open(&folder.join("wisdom.sqlite")).unwrap());
        std::fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn a_second_exploration_does_nothing_again() {
        with_store("again", |store| {
            let asked = asked(sets::find("smix3").unwrap(), "rv32i");
            let first = explore(&asked, store, &mut |_| ()).unwrap();
            let row = &first.rows[0];
            let figures = row.extended.as_ref().unwrap();
            // One instruction for each byte of the state, in each of ten rounds.
            assert_eq!((figures.custom, figures.tables), (160, 0));
            assert!(figures.constant_time && figures.tested > 1000);
            assert!(row.over_plain() > Some(2.0) && row.over_baseline() > row.over_plain());
            let second = explore(&asked, store, &mut |_| ()).unwrap();
            assert_eq!((first.known, second.known), (0, 3));
            assert_eq!(second.rows[0].extended, row.extended);
        });
    }

    #[test]
    fn what_can_do_nothing_is_an_error_with_the_reason() {
        let text = |reads: &str, meaning: &str| {
            format!(
                "name = \"x\"\n[[instruction]]\nname = \"f\"\nreads = {reads}\nwrites = \"d\"\nmeaning = \"{meaning}\"\n"
            )
        };
        with_store("nothing", |store| {
            let mut error = |text: String| match explore(&asked(&text, "rv32i"), store, &mut |_| ()) {
                Err(ExploreError::Nothing(reason)) => reason,
                _ => panic!("it is explored"),
            };
            let reason = error(text("[\"a\", \"b\"]", "d = a ^ b"));
            assert!(reason.contains("x cannot compute a round of encryption"), "{reason}");
            let reason = error(text("[\"a\", \"b\", \"c\"]", "d = a ^ b ^ c"));
            assert!(reason.starts_with("line 4: ") && reason.contains("reads 3 registers"), "{reason}");
        });
    }

    #[test]
    fn rows_are_told_as_they_are_found_aes_128_first_and_stay_when_it_is_interrupted() {
        with_store("rows", |store| {
            let larger = Part { key: aesmith_cipher::KeySize::Aes256, ..Part::encrypt128(Kind::Cipher) };
            let smaller = Part::encrypt128(Kind::KeySchedule);
            let parts = vec![larger, smaller];
            let asked = ExploreRequest { parts, ..asked(sets::find("smix3").unwrap(), "rv32i") };
            let mut told = Vec::new();
            let found = explore(&asked, store, &mut |event| {
                if let Event::Note(note) = event {
                    told.push(note.to_owned());
                    asked.interrupted.store(true, Ordering::Relaxed);
                }
            });
            let found = found.unwrap();
            assert!(told[0].starts_with("rv32i, AES-128 encrypt, key schedule: "), "{told:?}");
            assert!(found.interrupted);
            assert_eq!(found.rows.iter().map(|row| row.part).collect::<Vec<_>>(), [larger, smaller]);
            assert!(found.rows[1].plain.is_ok());
            assert_eq!(told.len(), 1 + usize::from(found.rows[0].extended.is_ok()));
        });
    }

    #[test]
    fn what_is_interrupted_says_so() {
        with_store("interrupted", |store| {
            let asked = asked(sets::find("smix3").unwrap(), "rv32i");
            asked.interrupted.store(true, Ordering::Relaxed);
            let found = explore(&asked, store, &mut |_| ()).unwrap();
            assert!(found.interrupted);
            assert_eq!(found.rows[0].extended.as_ref().unwrap_err(), INTERRUPTED);
        });
    }
}
