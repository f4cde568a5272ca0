//! The kernel that is handed out: the best known from wisdom, or the known-good starting point; in
//! counter mode, several behind compares of the message's length, with measured crossovers.

use crate::crossover;
use crate::error::TuneError;
use crate::handout::{HandOut, kernel_name, named};
use crate::options::DEFAULT_SIZE;
use crate::scope::Scope;
use crate::seeds::seeds;
use crate::workplace::Workplace;
use aesmith_arrange::Variant;
use aesmith_cipher::{Problem, Task};
use aesmith_kernel::{Kernel, Target, build};
use aesmith_prove::Prover;
use aesmith_wisdom::{Best, Filter, Store};

/// The best known kernel of a problem for a processor. `store` may be absent: then the first
/// known-good starting point that the target can run is taken. Only what `scope` admits is handed
/// out, and it is proved anew.
///
/// # Errors
/// Trouble with the store, or no kernel.
pub fn best_known(
    store: Option<&Store>,
    processor: &str,
    problem: Problem,
    target: &Target,
    scope: Scope,
    prover: &mut Prover,
) -> Result<HandOut, TuneError> {
    let scope = scope.for_keys(problem);
    let techniques = scope.techniques(target)?;
    let mut notes = Vec::new();
    if let Some(store) = store {
        let best = best_variant(store, processor, problem, scope)?;
        if problem.task == Task::Ctr
            && let Some(best) = &best
            && let Some(plan) = crossover::plan(store, processor, problem, best.technique)?
            && plan.iter().all(|(_, variant)| scope.admits(variant))
        {
            match joined(&plan, target, prover) {
                Ok(kernel) => return Ok(kernel),
                Err(error) => notes.push(format!(
                    "the choice among {} kernels by message length is left out: {error}",
                    plan.len()
                )),
            }
        }
        if let Some(variant) = best {
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
    let known_good = techniques.iter().flat_map(|&technique| {
        seeds(problem, technique, target).into_iter().chain([Variant::plain(problem, technique)])
    });
    for variant in known_good.filter(|v| scope.admits(v)) {
        match HandOut::of_variant(&variant, target, prover) {
            Ok(kernel) => return Ok(HandOut { notes, ..kernel }),
            Err(error @ TuneError::NotProved(_)) => return Err(error),
            Err(error) => refused = error.to_string(),
        }
    }
    Err(TuneError::Unsupported(format!("there is no kernel of {problem} for {target}: {refused}")))
}

impl Workplace {
    /// The best known kernel of a problem that may be chosen here: see [`best_known`].
    ///
    /// # Errors
    /// As [`best_known`].
    pub fn best_known(&mut self, problem: Problem) -> Result<HandOut, TuneError> {
        let Workplace { store, key, target, prover, settings, .. } = self;
        best_known(Some(store), key, problem, target, settings.scope, prover)
    }

    /// The lowest of the current bests at a size that may be chosen here.
    ///
    /// # Errors
    /// Trouble with the store.
    pub fn best_at(&self, problem: Problem, size: usize) -> Result<Option<Best>, TuneError> {
        let bests = self.store.bests(&Filter::exactly(&self.key, problem, size as u64))?;
        let bests = admitted(bests, self.settings.scope.for_keys(problem));
        Ok(bests.into_iter().map(|(_, best)| best).min_by(|a, b| a.median.total_cmp(&b.median)))
    }
}

/// The best that a scope admits at the size nearest to the usual one.
fn best_variant(
    store: &Store,
    processor: &str,
    problem: Problem,
    scope: Scope,
) -> Result<Option<Variant>, TuneError> {
    let filter = Filter { processor: Some(processor.to_owned()), problem: Some(problem), size: None };
    let far = |size: u64| ((size.max(1) as f64).log2() - (DEFAULT_SIZE as f64).log2()).abs();
    let bests = admitted(store.bests(&filter)?, scope);
    let order = |a: &Best, b: &Best| far(a.size).total_cmp(&far(b.size)).then(a.median.total_cmp(&b.median));
    Ok(bests.into_iter().min_by(|a, b| order(&a.1, &b.1)).map(|(variant, _)| variant))
}

/// Those of some bests that a scope admits, with their variants.
pub fn admitted(bests: Vec<Best>, scope: Scope) -> Vec<(Variant, Best)> {
    let parsed = bests.into_iter().filter_map(|best| Some((best.variant.parse().ok()?, best)));
    parsed.filter(|(variant, _)| scope.admits(variant)).collect()
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
