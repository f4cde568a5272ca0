//! The kernel that is handed out: the best known from wisdom, or the known-good starting point; in
//! counter mode, several behind compares of the message's length, with measured crossovers.

use crate::crossover;
use crate::error::TuneError;
use crate::handout::{HandOut, kernel_name, named};
use crate::options::DEFAULT_SIZE;
use crate::seeds::seeds;
use aesmith_arrange::Variant;
use aesmith_cipher::{Problem, Task};
use aesmith_kernel::{Kernel, Target, build};
use aesmith_prove::Prover;
use aesmith_wisdom::{Filter, Store};

/// The best known kernel of a problem for a processor. `store` may be absent: then the first
/// known-good starting point that the target can run is taken. A kernel handed out is proved anew.
///
/// # Errors
/// Trouble with the store, or no kernel.
pub fn best_known(
    store: Option<&Store>,
    processor: &str,
    problem: Problem,
    target: &Target,
    prover: &mut Prover,
) -> Result<HandOut, TuneError> {
    let mut notes = Vec::new();
    if let Some(store) = store {
        if problem.task == Task::Ctr
            && let Some(plan) = crossover::plan(store, processor, problem)?
        {
            match joined(&plan, target, prover) {
                Ok(kernel) => return Ok(kernel),
                Err(error) => notes.push(format!(
                    "the choice among {} kernels by message length is left out: {error}",
                    plan.len()
                )),
            }
        }
        if let Some(variant) = best_variant(store, processor, problem)? {
            match HandOut::of_variant(&variant, target, prover) {
                Ok(kernel) => return Ok(HandOut { notes, ..kernel }),
                Err(error) => notes.push(format!("the best in wisdom is left out: {error}")),
            }
        }
    }
    notes.push(format!(
        "wisdom has no best of {problem} for this processor that can be used: this is a known-good \
         starting point; `aesmith tune {problem}` finds better"
    ));
    let mut refused = String::new();
    for variant in seeds(problem, target.lanes()).into_iter().chain([Variant::baseline(problem)]) {
        match HandOut::of_variant(&variant, target, prover) {
            Ok(kernel) => return Ok(HandOut { notes, ..kernel }),
            Err(error @ TuneError::NotProved(_)) => return Err(error),
            Err(error) => refused = error.to_string(),
        }
    }
    Err(TuneError::Unsupported(format!("there is no kernel of {problem} for {target}: {refused}")))
}

/// The best at the size nearest to the usual one.
fn best_variant(store: &Store, processor: &str, problem: Problem) -> Result<Option<Variant>, TuneError> {
    let filter = Filter { processor: Some(processor.to_owned()), problem: Some(problem), size: None };
    let far = |size: u64| ((size.max(1) as f64).log2() - (DEFAULT_SIZE as f64).log2()).abs();
    let bests = store.bests(&filter)?;
    let nearest = bests.iter().min_by(|a, b| far(a.size).total_cmp(&far(b.size)));
    Ok(nearest.and_then(|b| b.variant.parse().ok()))
}

/// Several kernels behind a choice by length, proved as a whole.
fn joined(
    plan: &[(Option<usize>, Variant)],
    target: &Target,
    prover: &mut Prover,
) -> Result<HandOut, TuneError> {
    if let [(_, variant)] = plan {
        return HandOut::of_variant(variant, target, prover);
    }
    let kernels: Vec<Kernel> = plan
        .iter()
        .map(|(_, v)| build(v, target).map_err(|e| TuneError::Unsupported(format!("`{v}`: {e}"))))
        .collect::<Result<_, _>>()?;
    let parts: Vec<(Option<u64>, &Kernel)> =
        plan.iter().zip(&kernels).map(|((limit, _), k)| (limit.map(|l| l as u64), k)).collect();
    let joined = aesmith_kernel::dispatch(&parts).map_err(|e| TuneError::Unsupported(e.to_string()))?;
    let last = kernels.last().expect("a plan has a kernel");
    let problem = last.variant.problem;
    let technique = last.variant.technique_name();
    let name = named(technique, &format!("by-length-{}", plan.len()), &joined.bytes);
    let certificate = prover
        .certify(problem, &name, &joined.bytes)
        .map_err(|r| TuneError::NotProved(format!("the kernels joined are not proved: {r}")))?;
    let mut places = vec![("choice by length".to_owned(), 0)];
    for (kernel, (start, limit)) in kernels.iter().zip(&joined.parts) {
        let range = limit.map_or("every other length".to_owned(), |l| format!("up to {l} bytes"));
        places.push((format!("{}, {range}", kernel_name(kernel)), *start));
        places.extend(kernel.places.iter().map(|(name, at)| ((*name).to_owned(), start + at)));
    }
    Ok(HandOut {
        problem,
        name,
        bytes: joined.bytes,
        places,
        variants: plan.to_vec(),
        technique: technique.to_owned(),
        certificate,
        notes: Vec::new(),
    })
}
