//! Kernels of grids: the variant with the least static bound that a proof admits; and if this machine has a
//! card, the fastest of the best by that bound (`measured`).

mod held;
pub mod measured;
pub mod recorded;
pub mod remembered;

pub mod landscape;
pub mod page;

use std::ops::Range;

use aesmith_arrange::{Dimension, Place, Variant};
use aesmith_cipher::Problem;
use aesmith_cipher::firmware::Packing;
use aesmith_isa::grid::BARRIER;
use aesmith_processor::grid::certificate::{Evidence, ProvedGrid};
use aesmith_processor::grid::{Architecture, Counted, Executed, Gives, GridKernel, Grids, Turn};
use aesmith_processor::timing::Timing;

use crate::error::TuneError;
use crate::request::Request;

/// A variant with its bound on the reference architecture.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// The variant.
    pub variant: Variant,
    /// Its bound.
    pub counted: Counted,
    /// Bytes of shared memory.
    pub shared: u32,
    /// Bytes of code that a multiprocessor of that architecture caches.
    pub near: u32,
}

/// The result of a search.
#[derive(Clone, Debug)]
pub struct Found {
    /// The winner, proved.
    pub winner: ProvedGrid,
    /// The candidates counted by machine code, or by their text without a translator, sorted by cost.
    pub candidates: Vec<Candidate>,
    /// The other candidates, counted only by their text, since enough were translated.
    pub rest: Vec<Candidate>,
    /// Variants whose timing was proved to depend on secrets, where that is not allowed.
    pub variable: Vec<Variant>,
}

/// True if a kernel may be chosen; `constant` says that its time does not depend on secrets.
fn admits_time(timing: Timing, constant: bool) -> bool {
    timing == Timing::Variable || constant
}

/// True if a kernel with this evidence may be chosen.
fn admits(timing: Timing, evidence: &Evidence) -> bool {
    admits_time(timing, evidence.proof.constant_time)
}

/// Instruction counts of an iteration by the classes of the program's rows, for use without a translator.
/// Each row counts as an instruction.
fn by_text(grids: &Grids, kernel: &GridKernel, architecture: &Architecture) -> Counted {
    let (isa, insns) = ((grids.isa)(), &kernel.program.insns);
    let barrier = insns.iter().rposition(|insn| isa.of(insn).class == BARRIER).unwrap_or(0);
    let back = insns.iter().enumerate().skip(barrier).filter_map(|(at, insn)| {
        let distance = isa.operand(insn, "to").filter(|&distance| distance < 0)?;
        Some((at as i64 + i64::from(distance)) as usize..at + 1)
    });
    let all: Vec<Range<usize>> = back.collect();
    let is_within = |one: &Range<usize>, other: &Range<usize>| {
        one != other && other.start <= one.start && one.end <= other.end
    };
    // One loop for each kind of thread.
    let loops = all.iter().filter(|one| !all.iter().any(|other| is_within(one, other)));
    let mut loops: Vec<Range<usize>> = loops.cloned().collect();
    if loops.is_empty() {
        loops.push(barrier..insns.len());
    }
    let executed = |(turn, taken): (&Range<usize>, &Turn)| {
        let times = |at: usize| match all.iter().any(|one| is_within(one, turn) && one.contains(&at)) {
            true => taken.inner,
            false => 1,
        };
        let of = |class: &str| -> u32 {
            turn.clone().filter(|&at| isa.of(&insns[at]).class == class).map(times).sum()
        };
        Executed {
            blocks: taken.blocks,
            shared: of("shared"),
            logic: of("alu") + of("wide"),
            product: of("imad"),
            issued: turn.clone().map(times).sum(),
        }
    };
    let kinds: Vec<Executed> = loops.iter().zip(&kernel.turns).map(executed).collect();
    let counted = Counted {
        // Each row counts as an instruction of the length in machine code.
        code: architecture.instruction * loops.iter().map(|turn| turn.len() as u32).sum::<u32>(),
        ..Counted::of(&format!("{} by its text", architecture.name), &kernel.turns, &kinds)
    };
    counted.bounded(architecture, kernel.turns.first().map_or(0, |turn| turn.bytes))
}

/// True if a variant may be chosen by its bound: if its threads are of several kinds, the request must name
/// the choice that makes them so. No bound accounts for the cost of few resident warps.
fn is_named(grids: &Grids, built: &Built, request: &Request) -> bool {
    let without = |place: Place| {
        let dimension = grids.table.dimensions.iter().find(|dimension| dimension.place == place)?;
        let other = built.variant.clone().with(place, dimension.default).clamped();
        (grids.build)(&other).ok()
    };
    let decides = |place: Place| without(place).is_some_and(|other| !other.is_mixed());
    !built.kernel.is_mixed() || request.only.iter().any(|(place, _)| decides(*place))
}

/// A variant's kernel, and the newest architecture with enough memory.
struct Built {
    variant: Variant,
    kernel: GridKernel,
    architecture: &'static Architecture,
}

/// Builds a variant's kernel; `None` if its choices do not fit together, it exceeds the resources of a
/// device, or no architecture has enough shared memory.
fn built(grids: &Grids, variant: &Variant, gives: Gives) -> Option<Built> {
    let kernel = (grids.build)(variant).ok().filter(|kernel| gives.is_enough(&kernel.program))?;
    let fits = |a: &&Architecture| kernel.program.shared <= a.memory;
    let architecture = grids.translator.architectures().iter().rev().find(fits)?;
    Some(Built { variant: variant.clone(), kernel, architecture })
}

/// The requested variants to count: choices that no static bound distinguishes keep their defaults, if the
/// request admits these.
fn counted(grids: &Grids, problem: Problem, request: &Request) -> Vec<Variant> {
    let mut space = grids.table.space(problem);
    for axis in &mut space.axes {
        let d = axis.dimension;
        for (_, values) in request.only.iter().filter(|(place, _)| *place == d.place) {
            axis.values.retain(|value| values.contains(value));
        }
        if grids.on_card.contains(&d.name) && axis.values.contains(&d.default) {
            axis.values = vec![d.default];
        }
    }
    // The request may name a value that the problem lacks.
    if space.axes.iter().any(|axis| axis.values.is_empty()) {
        return Vec::new();
    }
    space.variants().into_iter().filter(|variant| request.names(variant)).collect()
}

/// Requested variants that share the count of `first`.
fn alike(grids: &Grids, first: &Variant, request: &Request) -> Vec<Variant> {
    let mut all = vec![first.clone()];
    let is_plain = |d: &&Dimension| grids.on_card.contains(&d.name) && first.get(*d) == d.default;
    for d in first.dimensions().filter(is_plain) {
        all = all.iter().flat_map(|variant| d.all().map(|value| variant.clone().with(d, value))).collect();
    }
    let is_alike = |variant: &Variant| variant != first && variant.check().is_ok() && request.names(variant);
    all.into_iter().filter(is_alike).collect()
}

/// Sorts by cost; ties keep the variant with fewer choices.
fn in_order(candidates: &mut [Candidate]) {
    // No bound accounts for the cost of spills and of fetching uncached code.
    let misses = |c: &Candidate| (c.counted.spilled > 0, c.counted.code > c.near);
    candidates.sort_by(|a, b| misses(a).cmp(&misses(b)).then(a.counted.clocks.total_cmp(&b.counted.clocks)));
}

/// Selects, from candidates sorted by their text, the indices to translate, in order.
type Chosen<'a> = dyn Fn(&[Candidate]) -> Vec<usize> + 'a;

/// Selection of the kernels to translate.
struct Which<'a> {
    /// Resources of the device.
    gives: Gives,
    /// Choice among the kernels that fit.
    chosen: &'a Chosen<'a>,
}

/// Counts all requested variants by their text, and chosen ones by machine code while `goes_on` permits.
/// Returns those counted by machine code, and the rest. Without a translator, all are counted by their text.
fn candidates(
    grids: &Grids,
    problem: Problem,
    request: &Request,
    which: &Which,
    goes_on: &mut dyn FnMut() -> bool,
) -> Result<(Vec<Candidate>, Vec<Candidate>), TuneError> {
    let all: Vec<Built> = counted(grids, problem, request)
        .iter()
        .filter_map(|variant| built(grids, variant, which.gives))
        .collect();
    // Streams with a key each are another function, and with cipher keys a third one: they are used only if
    // the request leaves nothing else.
    let kind = all.iter().map(|built| built.kernel.key_of_a_stream()).min_by_key(|of| match of {
        None => 0,
        Some(Packing::CipherKey) => 2,
        Some(_) => 1,
    });
    let all: Vec<Built> = all
        .into_iter()
        .filter(|built| Some(built.kernel.key_of_a_stream()) == kind && is_named(grids, built, request))
        .collect();
    let by_its_text = |built: &Built| Candidate {
        variant: built.variant.clone(),
        counted: by_text(grids, &built.kernel, built.architecture),
        shared: built.kernel.program.shared,
        near: built.architecture.code,
    };
    let mut found: Vec<Candidate> = all.iter().map(by_its_text).collect();
    in_order(&mut found);
    if grids.translator.present().is_err() {
        return Ok((found, Vec::new()));
    }
    let mut translated = Vec::new();
    for at in (which.chosen)(&found) {
        if !translated.is_empty() && !goes_on() {
            break;
        }
        let mut candidate = found[at].clone();
        let Some(built) = all.iter().find(|built| built.variant == candidate.variant) else { continue };
        let text = (grids.print)(&built.kernel.program);
        let counted = grids.translator.count(&text, built.architecture, &built.kernel.turns);
        candidate.counted = counted.map_err(TuneError::NoResult)?;
        translated.push(candidate);
    }
    in_order(&mut translated);
    found.retain(|candidate| translated.iter().all(|other| other.variant != candidate.variant));
    Ok((translated, found))
}

/// The best kernel of a problem: requested variants are counted, then proved from the best on until one may
/// be chosen. `goes_on` decides before each further translation.
///
/// # Errors
/// The problem has no kernels, none satisfies the request, or one is not proved.
pub fn best(
    grids: &Grids,
    problem: Problem,
    request: &Request,
    symbol: &dyn Fn(Problem, bool) -> String,
    goes_on: &mut dyn FnMut() -> bool,
) -> Result<Found, TuneError> {
    best_of(grids, problem, request, symbol, &Which { gives: Gives::ANYTHING, chosen: &all_of }, goes_on)
}

/// The best kernel within the resources of a device.
///
/// # Errors
/// See [`best`].
pub fn best_within(
    grids: &Grids,
    problem: Problem,
    request: &Request,
    gives: Gives,
    symbol: &dyn Fn(Problem, bool) -> String,
    goes_on: &mut dyn FnMut() -> bool,
) -> Result<Found, TuneError> {
    best_of(grids, problem, request, symbol, &Which { gives, chosen: &all_of }, goes_on)
}

/// Indices of all candidates.
fn all_of(candidates: &[Candidate]) -> Vec<usize> {
    (0..candidates.len()).collect()
}

/// The best kernel among the chosen candidates.
fn best_of(
    grids: &Grids,
    problem: Problem,
    request: &Request,
    symbol: &dyn Fn(Problem, bool) -> String,
    which: &Which,
    goes_on: &mut dyn FnMut() -> bool,
) -> Result<Found, TuneError> {
    if !(grids.solves)(problem) {
        return Err(TuneError::Usage(crate::exact::not_solved(grids, problem)));
    }
    let (candidates, rest) = candidates(grids, problem, request, which, goes_on)?;
    let mut variable = Vec::new();
    for candidate in &candidates {
        let kernel = (grids.build)(&candidate.variant).map_err(TuneError::NoResult)?;
        let refuted = |why| TuneError::NotProved(format!("`{}` is not proved: {why}", candidate.variant));
        let evidence = Evidence::of(grids, &kernel).map_err(refuted)?;
        if !admits(request.timing, &evidence) {
            variable.push(candidate.variant.clone());
            continue;
        }
        let winner = ProvedGrid::new(grids, kernel, &symbol(problem, !evidence.proof.constant_time));
        let winner = winner.map_err(refuted)?;
        return Ok(Found { winner, candidates, rest, variable });
    }
    Err(TuneError::NoResult(if candidates.is_empty() {
        format!("no variant of {problem} on {} is as asked for", grids.name)
    } else {
        format!(
            "all {} variants of {problem} that are as asked for are of variable time on {}; --allow-variable-time allows them",
            variable.len(),
            grids.name
        )
    }))
}

/// The kernels to measure on a card: the winner by the static bound and admissible kernels with the next
/// bounds, `most` in all; then variants that share the winner's count, up to twice `most` in all. Each is
/// proved. `goes_on` decides before each further kernel.
///
/// # Errors
/// A kernel is not proved.
pub fn finalists(
    grids: &Grids,
    found: &Found,
    request: &Request,
    most: usize,
    symbol: &dyn Fn(Problem, bool) -> String,
    goes_on: &mut dyn FnMut() -> bool,
) -> Result<Vec<ProvedGrid>, TuneError> {
    let first = &found.winner.kernel().variant;
    let others = found.candidates.iter().map(|candidate| candidate.variant.clone());
    let others = others.filter(|variant| variant != first && !found.variable.contains(variant));
    let mut finalists = vec![found.winner.clone()];
    for (variants, most) in
        [(others.collect::<Vec<_>>(), most), (alike(grids, first, request), most.saturating_mul(2))]
    {
        for variant in variants {
            if finalists.len() >= most || !goes_on() {
                break;
            }
            let kernel = (grids.build)(&variant).map_err(TuneError::NoResult)?;
            let refuted = |why| TuneError::NotProved(format!("`{variant}` is not proved: {why}"));
            let evidence = Evidence::of(grids, &kernel).map_err(refuted)?;
            if admits(request.timing, &evidence) {
                let name = symbol(variant.problem, !evidence.proof.constant_time);
                finalists.push(ProvedGrid::new(grids, kernel, &name).map_err(refuted)?);
            }
        }
    }
    Ok(finalists)
}

/// The kernel of a given variant, if it may be delivered.
///
/// # Errors
/// Its choices do not fit together, it is not proved, or its timing depends on secrets where that is not
/// allowed.
pub fn given(
    grids: &Grids,
    variant: &Variant,
    timing: Timing,
    symbol: &dyn Fn(Problem, bool) -> String,
) -> Result<ProvedGrid, TuneError> {
    let kernel = (grids.build)(variant).map_err(TuneError::Usage)?;
    let refuted = |why| TuneError::NotProved(format!("`{variant}` is not proved: {why}"));
    let evidence = Evidence::of(grids, &kernel).map_err(refuted)?;
    if !admits(timing, &evidence) {
        return Err(TuneError::Usage(format!(
            "`{variant}` is of {}; constant time is asked for, and --allow-variable-time allows it",
            evidence.about
        )));
    }
    ProvedGrid::new(grids, kernel, &symbol(variant.problem, !evidence.proof.constant_time)).map_err(refuted)
}
