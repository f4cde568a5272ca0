//! Recordings of whole spaces: every variant proved and screened on this machine, with its samples, for
//! `aesmith replay`.

use aesmith_arrange::{Space, Variant};
use aesmith_search::recording::{Answer, Header, KIND, RecordedKernel, VERSION, axes, write};
use aesmith_search::{Budget, Outcome, Stop, Verdict};
use aesmith_tune::TuneError;
use aesmith_tune::evaluate::Plan;
use aesmith_tune::evaluate::exploration::Exploration;
use aesmith_tune::key_life::Price;
use aesmith_tune::machine;
use aesmith_tune::options::Event;
use aesmith_tune::workplace::{TOOL_VERSION, Workplace};
use aesmith_wisdom::Filter;
use std::collections::HashMap;

/// The options of such runs in wisdom; the next run continues from them.
const LABEL: &str = "recording of a whole space";
/// Largest number of variants in a recording.
const MOST: u128 = 1 << 20;

/// Results of all runs of a recording so far.
#[derive(Default)]
struct Answers {
    answers: HashMap<Variant, Answer>,
    kernels: HashMap<String, RecordedKernel>,
    /// Per variant: the movable instructions of the main loop, and the hash by which strategies distinguish
    /// code.
    outcomes: Vec<(Variant, Outcome)>,
}

/// Records a space for messages of `size` bytes. Returns the file's content, or `None` if time ran out;
/// measurements are in wisdom, and the next call continues from there.
///
/// # Errors
/// The space is too large, or the store or the judge failed.
pub fn record(
    place: &mut Workplace,
    space: &Space,
    size: usize,
    budget: Budget,
    commit: Option<&str>,
    observer: &mut dyn FnMut(Event),
) -> Result<Option<Vec<u8>>, TuneError> {
    let variants = space.count();
    if variants > MOST {
        return Err(TuneError::Usage(format!(
            "{variants} variants are too many to be recorded, of which the most is {MOST}: --paper and --only choose \
             a part of them"
        )));
    }
    let recalled = found(place, space, size)?.outcomes;
    if !recalled.is_empty() {
        observer(Event::Note(&format!("{} of {variants} variants were recorded before", recalled.len())));
    }
    observer(Event::Stage(&format!("recording {variants} variants of {}", space.plain.problem)));
    let plan = Plan {
        space: space.clone(),
        strategy: "exhaustive".into(),
        starts: Vec::new(),
        recalled,
        budget,
        seed: 1,
    };
    let explored = Exploration { plan, size, label: LABEL, price: Price::default() }.run(place, observer)?;
    let whole = explored.found.stop == Stop::Finished;
    place.store.set_state(explored.run, if whole { "finished" } else { "interrupted" })?;
    if !whole {
        return Ok(None);
    }
    let Answers { answers, kernels, .. } = found(place, space, size)?;
    let quiet = place.judge.quiet()?;
    let header = Header {
        kind: KIND.into(),
        version: VERSION,
        problem: space.plain.problem.to_string(),
        technique: space.plain.technique.name().into(),
        size: size as u64,
        unit: "cycles per byte".into(),
        processor: place.key.clone(),
        machine: machine::processor(place),
        clock: format!("calibrated core cycles; at the end the machine was {quiet}"),
        made: machine::now(),
        by: format!("aesmith {TOOL_VERSION}, commit {}", commit.unwrap_or("unknown")),
        axes: axes(space),
        variants: variants as u64,
    };
    let answer =
        |variant: &Variant| answers.get(variant).cloned().unwrap_or(Answer::Without(Verdict::NotRecorded));
    let mut bytes = Vec::new();
    write(&mut bytes, &header, space, &kernels, &answer)
        .map_err(|why| TuneError::NoResult(format!("the recording could not be packed: {why}")))?;
    Ok(Some(bytes))
}

fn found(place: &Workplace, space: &Space, size: usize) -> Result<Answers, TuneError> {
    let filter = Filter::exactly(&place.key, space.plain.problem, size as u64);
    let mut found = Answers::default();
    for row in place.store.runs(&filter)?.iter().filter(|row| row.run.options == LABEL) {
        place.store.each_sample(row.id, |_, sample| {
            let Ok(variant) = place.table().parse(&sample.variant) else { return Ok(()) };
            if sample.phase != "screen" || !space.allows(&variant) || found.answers.contains_key(&variant) {
                return Ok(());
            }
            let outcome = Outcome::recorded(
                &sample.verdict,
                &sample.message,
                sample.cost,
                sample.sha256.as_deref(),
                sample.instructions,
            );
            let Ok(outcome) = outcome else { return Ok(()) };
            let answer = match (sample.cost, sample.sha256) {
                (Some(cost), Some(hash)) => {
                    let kernel = found.kernels.entry(hash.clone());
                    let kernel = kernel.or_insert(RecordedKernel { cost, samples: Vec::new() });
                    // Variants with equal bytes were measured once.
                    if kernel.samples.is_empty() {
                        kernel.samples = sample.cycles;
                    }
                    Answer::Kernel(hash)
                }
                _ => Answer::Without(outcome.verdict.clone()),
            };
            found.answers.insert(variant.clone(), answer);
            // Variants that could not be built or proved are tried again, as a newer version may succeed.
            if outcome.cost.is_some() {
                found.outcomes.push((variant, outcome));
            }
            Ok(())
        })?;
    }
    Ok(found)
}
