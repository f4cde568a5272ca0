//! The delivered kernel: the best known from wisdom, or the known-good starting point. If several variants
//! win, each at its lengths, a dispatcher compares the message's length with measured crossovers.

use crate::deliver::Delivery;
use crate::deliver::join::joined;
use crate::deliver::lengths;
use crate::error::TuneError;
use crate::key_life::{self, Price};
use crate::request::Request;
use crate::seeds::seeds;
use crate::starts::{Patience, plainest};
use crate::workplace::Workplace;
use aesmith_arrange::{Technique, Variant};
use aesmith_cipher::Problem;
use aesmith_processor::measured::Target;
use aesmith_prove::Prover;
use aesmith_wisdom::{Best, Filter, Merits, Store, preferred};
use std::collections::HashSet;

/// A request for a problem: the best kernel that satisfies it is delivered.
#[derive(Clone, Copy, Debug)]
pub struct KernelRequest<'a> {
    /// The problem.
    pub problem: Problem,
    /// Bytes of the messages; 0 for key set-ups.
    pub size: usize,
    /// Features that kernels may use.
    pub target: &'a Target,
    /// The kernels that may be delivered.
    pub request: &'a Request,
}

impl<'a> KernelRequest<'a> {
    /// A request for messages of `size` bytes; for key set-ups, which have none, of any.
    pub fn new(problem: Problem, size: usize, target: &'a Target, request: &'a Request) -> KernelRequest<'a> {
        let size = if problem.is_message() { size } else { 0 };
        KernelRequest { problem, size, target, request }
    }
}

/// The best known kernel for a processor: the confirmed kernel admitted by the request that [`standing`] puts
/// first, or a dispatcher by length if one was measured. Without a `store`, the first known-good starting
/// point that the target can run. The kernel is proved again.
///
/// # Errors
/// The store failed, or there is no kernel.
pub fn best_known(
    store: Option<&Store>,
    processor: &str,
    wanted: KernelRequest,
    prover: &mut Prover,
) -> Result<Delivery, TuneError> {
    let KernelRequest { problem, size, target, request } = wanted;
    let techniques = request.techniques(target)?;
    let mut notes = Vec::new();
    let bests = store.map_or(Ok(Vec::new()), |store| standing(store, processor, wanted))?;
    for Admitted { variant, best, before_faster, .. } in bests {
        match Delivery::of_variant(&variant, target, request, prover) {
            Ok(mut kernel) => {
                notes.extend(before_faster);
                if kernel.certificate.sha256 == best.sha256 {
                    kernel.cost = Some(best.median);
                } else {
                    notes.push(format!(
                        "this version of aesmith writes the best in wisdom in other bytes than those that were \
                         measured; `aesmith tune {problem}` measures again"
                    ));
                }
                if problem.is_message()
                    && best.size == size as u64
                    && let Some(store) = store
                    && let Some(plan) = lengths::plan(store, processor, problem, request, (size, &variant))?
                {
                    match joined(&plan, target, request, prover) {
                        Ok(several) => {
                            notes.extend(several.notes.iter().cloned());
                            kernel = Delivery { cost: kernel.cost, ..several };
                        }
                        Err(error) => notes.push(format!(
                            "the choice among {} kernels by message length is left out: {error}",
                            plan.len()
                        )),
                    }
                }
                let confirmed = confirmed(store, (processor, target), &kernel)?;
                return Ok(Delivery {
                    notes,
                    confirmed,
                    hint: tune_command(store, problem, target),
                    ..kernel
                });
            }
            Err(error) => notes.push(format!("a kernel in wisdom is left out: {error}")),
        }
    }
    let hint = tune_command(store, problem, target);
    if problem.is_tuned() {
        let of = if store.is_some_and(|store| store.calls().is_cold()) { " in cold calls" } else { "" };
        notes.push(format!(
            "wisdom has no best of {problem}{of} for this processor that can be used: this is a known-good \
             starting point; `{hint}` finds better"
        ));
    }
    let mut refused = "no starting point satisfies what is asked for".to_owned();
    let order = (target.processor.by_known_speed)(problem, size, techniques);
    // Known points of every technique come before a search of a space for a match, whose length is limited for all
    // techniques together.
    let mut patience = Patience::new();
    for is_searched in [false, true] {
        for &technique in &order {
            let points = match is_searched {
                false => known_points(wanted, technique)?,
                true => starting_points(wanted, technique, &mut patience)?,
            };
            for variant in points {
                match Delivery::of_variant(&variant, target, request, prover) {
                    Ok(kernel) => return Ok(Delivery { notes, hint, ..kernel }),
                    Err(error) => refused = error.to_string(),
                }
            }
        }
    }
    Err(TuneError::Unsupported(format!(
        "there is no kernel of {problem} for the CPU set {target}: {refused}"
    )))
}

/// The command that searches for the best kernel of a problem within what `target` may use.
pub(crate) fn tune_command(store: Option<&Store>, problem: Problem, target: &Target) -> String {
    let cold = if store.is_some_and(|store| store.calls().is_cold()) { " --for cold" } else { "" };
    let here = Target::here(target.processor);
    // A result for the machine counts for its level.
    let level = target.cpu();
    let cpu = if level == here.cpu() { String::new() } else { format!(" --cpu {level}") };
    format!("aesmith tune {problem}{cpu}{cold}")
}

/// Confirmations on a processor of a kernel's variants at the lengths that each serves, in ascending order. A recipe has
/// variants as they are written for their lengths: without a cache, for example, that none of them reaches. What was
/// confirmed counts if it is written so, too.
///
/// # Errors
/// The store failed.
pub fn confirmed(
    store: Option<&Store>,
    (processor, target): (&str, &Target),
    kernel: &Delivery,
) -> Result<Vec<Best>, TuneError> {
    let filter = Filter { processor: Some(processor.to_owned()), problem: Some(kernel.problem), size: None };
    let mut all = store.map_or(Ok(Vec::new()), |store| store.bests(&filter))?;
    let alone = kernel.variants.len() == 1;
    let limits = || kernel.variants.iter().map(|(limit, _)| limit.map(|limit| limit as u64));
    let is_written = |best: &Best| {
        let Some(place) = limits().position(|limit| limit.is_none_or(|limit| best.size <= limit)) else {
            return false;
        };
        if kernel.variants[place].1.to_string() == best.variant {
            return true;
        }
        let Ok(variant) = target.processor.table.parse(&best.variant) else { return false };
        let mut parts: Vec<&Variant> = kernel.written.iter().collect();
        parts[place] = &variant;
        let wanted: Vec<_> = limits().zip(parts).collect();
        target.parts(&wanted).is_ok_and(|kernels| kernels[place].variant == kernel.written[place])
    };
    all.retain(|best| match alone {
        true => kernel.variants[0].1.to_string() == best.variant && best.sha256 == kernel.certificate.sha256,
        false => is_written(best),
    });
    all.sort_by_key(|best| (best.size, std::cmp::Reverse(best.confirmed_ms)));
    all.dedup_by_key(|best| best.size);
    Ok(all)
}

/// The bytes of the smallest known kernel: of those confirmed on these processors and of the known-good starting points.
///
/// # Errors
/// The store failed.
pub fn fewest_bytes<'a>(
    store: Option<&Store>,
    processors: impl Iterator<Item = &'a str>,
    wanted: KernelRequest,
) -> Result<Option<u64>, TuneError> {
    let KernelRequest { target, request, .. } = wanted;
    let mut known: Vec<Variant> = Vec::new();
    for processor in processors {
        let bests = store.map_or(Ok(Vec::new()), |store| standing(store, processor, wanted))?;
        known.extend(bests.into_iter().map(|known| known.variant));
    }
    for technique in request.techniques(target)? {
        known.extend(known_points(wanted, technique)?);
    }
    Ok(known.iter().filter_map(|v| target.build(v).ok()).map(|kernel| kernel.bytes.len() as u64).min())
}

/// The known-good starting points that a request admits.
fn known_points(wanted: KernelRequest, technique: Technique) -> Result<Vec<Variant>, TuneError> {
    let KernelRequest { problem, size, target, request } = wanted;
    let space = request.space(problem, technique, target, size)?;
    let known = seeds(problem, technique, target)
        .into_iter()
        .chain([target.processor.table.plain_by(problem, technique)]);
    Ok(known.filter_map(|variant| request.bring(&variant, &space)).collect())
}

/// The known-good starting points that a request admits, and the plainest variant.
pub(crate) fn starting_points(
    wanted: KernelRequest,
    technique: Technique,
    patience: &mut Patience,
) -> Result<Vec<Variant>, TuneError> {
    let KernelRequest { problem, size, target, request } = wanted;
    let space = request.space(problem, technique, target, size)?;
    let mut all = known_points(wanted, technique)?;
    all.extend(plainest(&space, target, patience).filter(|variant| request.admits(variant)));
    let mut seen = HashSet::new();
    all.retain(|variant| seen.insert(variant.clone()));
    Ok(all)
}

impl Workplace {
    /// The request for a problem in this workplace.
    pub fn wanted(&self, problem: Problem, size: usize) -> KernelRequest<'_> {
        KernelRequest::new(problem, size, &self.target, &self.settings.request)
    }

    /// The cost of a key's table per byte of messages of a size.
    ///
    /// # Errors
    /// The store failed.
    pub fn price(&self, problem: Problem, size: usize) -> Result<Price, TuneError> {
        key_life::price(&self.store, &self.key, problem, &self.settings.request, size)
    }

    /// The confirmed kernel that [`best_known`] delivers for messages of exactly this size.
    ///
    /// # Errors
    /// The store failed.
    pub fn best_at(&mut self, problem: Problem, size: usize) -> Result<Option<Best>, TuneError> {
        let Workplace { store, key, target, prover, settings, .. } = self;
        let request = &settings.request;
        let wanted = KernelRequest::new(problem, size, target, request);
        let bests = standing(store, key, wanted)?;
        let mut here = bests.into_iter().filter(|known| known.best.size == wanted.size as u64);
        let found = here.find(|known| Delivery::of_variant(&known.variant, target, request, prover).is_ok());
        Ok(found.map(|known| known.best))
    }
}

/// A confirmed kernel that a request admits.
#[derive(Clone, Debug, PartialEq)]
pub struct Admitted {
    /// The variant.
    pub variant: Variant,
    /// Its confirmation.
    pub best: Best,
    /// Its cost, including its share of the key set-up.
    pub cost: f64,
    /// Why it precedes a faster kernel, if it does.
    pub before_faster: Option<String>,
}

/// The confirmed kernels that a request admits, sorted; the first is to be delivered. Unless something is
/// restricted now, kernels of unrestricted runs come first; then those confirmed at the size nearest to the
/// requested one; then the lowest cost, including the share of the key set-up, by each kernel's last
/// confirmation. A kernel whose proof the checker accepts precedes one that rests on the prover alone, and one with clearly
/// less code precedes the fastest if their costs differ by less than the noise ([`preferred()`]).
///
/// A tuning run confirms its winner beside every kernel that would precede it ([`crate::decide::race`]), so costs
/// at the head of this list were measured under comparable conditions.
///
/// # Errors
/// The store failed.
pub fn standing(store: &Store, processor: &str, wanted: KernelRequest) -> Result<Vec<Admitted>, TuneError> {
    let KernelRequest { problem, size, request, target } = wanted;
    let table = target.processor.table;
    let filter = Filter { processor: Some(processor.to_owned()), problem: Some(problem), size: None };
    let restricted = !request.restriction().is_empty();
    let price = key_life::price(store, processor, problem, request, size)?;
    let admitted = |best: Best| {
        let variant = table.parse(&best.variant).ok().filter(|variant| request.admits(variant))?;
        let cost = best.median + price.of(&variant);
        Some(Admitted { variant, best, cost, before_faster: None })
    };
    let mut all: Vec<Admitted> = store.bests(&filter)?.into_iter().filter_map(admitted).collect();
    if restricted {
        // The latest confirmation of a kernel best represents its current cost.
        all.sort_by_key(|known| std::cmp::Reverse(known.best.confirmed_ms));
        let mut seen = HashSet::new();
        all.retain(|known| seen.insert((known.variant.clone(), known.best.size)));
    }
    let far = |best: &Best| ((best.size.max(1) as f64).log2() - (size.max(1) as f64).log2()).abs();
    let group = |a: &Admitted, b: &Admitted| {
        let last = |known: &Admitted| !restricted && !known.best.restriction.is_empty();
        last(a).cmp(&last(b)).then(far(&a.best).total_cmp(&far(&b.best)))
    };
    all.sort_by(|a, b| group(a, b).then(a.cost.total_cmp(&b.cost)));
    let head = all.iter().take_while(|known| group(known, &all[0]).is_eq()).count();
    if let Some(at) = preferred(&all[..head], |known| Merits { cost: known.cost, ..known.best.merits() })
        .filter(|at| *at > 0)
    {
        all[at].before_faster = Some(before_faster(&all[at], &all[0]));
        all[..=at].rotate_right(1);
    }
    Ok(all)
}

/// The sentence that explains why a kernel precedes the fastest.
fn before_faster(chosen: &Admitted, fastest: &Admitted) -> String {
    let is_faster = || (chosen.cost / fastest.cost - 1.0) * 100.0;
    if chosen.best.is_accepted() && !fastest.best.is_accepted() {
        return format!(
            "chosen since the checker accepts its proof: `{}` is faster by {:.2} %, and rests on the prover alone",
            fastest.variant,
            is_faster()
        );
    }
    let code = |known: &Admitted| known.best.code.unwrap_or_default();
    let noise = chosen.best.noise.unwrap_or_default().max(fastest.best.noise.unwrap_or_default());
    format!(
        "chosen for its size: {} bytes of code and constants, where the fastest takes {} and is faster by {:.2} %, within \
         the noise of {:.2} %",
        code(chosen),
        code(fastest),
        is_faster(),
        noise * 100.0
    )
}
