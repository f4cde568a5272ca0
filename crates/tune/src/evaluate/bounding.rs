//! Kernels of grids in a search: each variant is built, and bounded by the rows of its text. The best are translated, and
//! bounded by their machine code.

use std::convert::Infallible;
use std::ops::Range;

use aesmith_arrange::{Dimension, Space, Variant};
use aesmith_cipher::firmware::Packing;
use aesmith_isa::grid::BARRIER;
use aesmith_judge::judge::{Finding, Instrument, Judge, Kind, Outcome as JudgeOutcome, Refusal, Trial};
use aesmith_processor::cost::Cost;
use aesmith_processor::grid::{Architecture, Counted, Executed, Gives, GridKernel, Grids, Turn};
use aesmith_search::{Evaluate, Outcome, Verdict};

use crate::error::TuneError;
use crate::evaluate::told;
use crate::evaluate::visited::Visited;
use crate::front::{Budgets, Objective, front};
use crate::request::Request;
use serde::Serialize;

/// The excess of a kernel whose code a multiprocessor does not keep near it. No bound has the cost of that.
const MISSES: f64 = 0.5;

/// A variant with its bound on the architecture that kernels are compared by.
#[derive(Clone, Debug, Serialize)]
pub struct Candidate {
    /// The variant.
    #[serde(serialize_with = "as_text")]
    pub variant: Variant,
    /// Its bound.
    pub counted: Counted,
    /// Bytes of shared memory of a block of threads.
    pub shared: u32,
    /// Bytes of code that a multiprocessor of that architecture keeps near it.
    #[serde(skip)]
    pub near: u32,
    /// Blocks of text that a block of threads takes in an iteration.
    #[serde(skip)]
    a_turn: u64,
    /// Multiprocessors of a device of that architecture.
    #[serde(skip)]
    multiprocessors: u64,
}

fn as_text<S: serde::Serializer>(variant: &Variant, to: S) -> Result<S::Ok, S::Error> {
    to.collect_str(variant)
}

impl Candidate {
    /// A kernel with its bound.
    fn new(built: &Built, counted: Counted) -> Candidate {
        let (program, architecture) = (&built.kernel.program, built.architecture);
        let of_a_thread = built.kernel.turns.iter().map(|turn| turn.blocks).max().unwrap_or(1);
        Candidate {
            variant: built.variant.clone(),
            counted,
            shared: program.shared,
            near: architecture.code,
            a_turn: u64::from(program.threads) * u64::from(of_a_thread.max(1)),
            multiprocessors: architecture.device.multiprocessors.into(),
        }
    }

    /// Its costs: clocks of a multiprocessor for a block of text, bytes of code, of shared memory, and of spilled registers. In
    /// messages of some blocks the busiest multiprocessor decides; that estimate takes all threads to be of one kind,
    /// and leaves out the filling of shared memory. `Reach` says it exactly of a proved kernel.
    pub fn cost(&self, blocks: Option<u64>) -> Cost {
        let clocks = self.counted.clocks;
        let cycles = blocks.map_or(clocks, |blocks| {
            let iterations = blocks.div_ceil(self.a_turn).div_ceil(self.multiprocessors);
            let busiest = (iterations * self.a_turn) as f64 * clocks;
            busiest * self.multiprocessors as f64 / blocks as f64
        });
        Cost {
            cycles,
            once: 0.0,
            flash: self.counted.code.into(),
            ram: self.shared.into(),
            stack: self.counted.spilled.into(),
        }
    }
}

/// A kernel of a variant, and the newest architecture with enough shared memory for it.
pub(crate) struct Built {
    pub variant: Variant,
    pub kernel: GridKernel,
    pub architecture: &'static Architecture,
}

/// Builds a variant. `None` if its choices do not go together, it takes more than a device gives, or no architecture has
/// enough shared memory.
pub(crate) fn built(grids: &Grids, variant: &Variant, gives: Gives) -> Option<Built> {
    let kernel = (grids.build)(variant).ok().filter(|kernel| gives.is_enough(&kernel.program))?;
    let fits = |a: &&Architecture| kernel.program.shared <= a.memory;
    let architecture = grids.translator.architectures().iter().rev().find(fits)?;
    Some(Built { variant: variant.clone(), kernel, architecture })
}

/// Instructions of an iteration of a program, by the classes of its own rows: the figure without a translator. Each row
/// counts as an instruction.
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
    // A loop for each kind of threads.
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
        // An instruction a row, of the length that they have in machine code.
        code: architecture.instruction * loops.iter().map(|turn| turn.len() as u32).sum::<u32>(),
        ..Counted::of(&format!("{} by its text", architecture.name), &kernel.turns, &kinds)
    };
    counted.bounded(architecture, kernel.turns.first().map_or(0, |turn| turn.bytes))
}

/// A judge of kernels of grids by the rows of their text. Costs are clocks of a multiprocessor per block of text, a static bound.
struct ByText<'g>(&'g Grids);

impl Instrument for ByText<'_> {
    fn name(&self) -> String {
        format!("rows of the text of {}", self.0.language)
    }

    fn kind(&self) -> Kind {
        Kind::Static
    }
}

impl Judge for ByText<'_> {
    type Kernel = Built;
    type Facts = Counted;
    type Error = Infallible;

    fn measure(&mut self, trials: &[Trial<'_, Built>]) -> Result<Vec<JudgeOutcome<Counted>>, Infallible> {
        let one = |trial: &Trial<'_, Built>| {
            let counted = by_text(self.0, &trial.kernel.kernel, trial.kernel.architecture);
            Ok(Finding::of(counted.clocks, counted))
        };
        Ok(trials.iter().map(one).collect())
    }
}

/// A judge of kernels of grids by the machine code that a translator makes. Costs are clocks of a multiprocessor per block of text,
/// a static bound.
struct ByMachineCode<'g>(&'g Grids);

impl Instrument for ByMachineCode<'_> {
    fn name(&self) -> String {
        self.0.translator.name()
    }

    fn beneath(&self) -> Option<&dyn Instrument> {
        Some(self.0.translator)
    }

    fn kind(&self) -> Kind {
        self.0.translator.kind()
    }
}

impl Judge for ByMachineCode<'_> {
    type Kernel = Built;
    type Facts = Counted;
    type Error = Infallible;

    fn measure(&mut self, trials: &[Trial<'_, Built>]) -> Result<Vec<JudgeOutcome<Counted>>, Infallible> {
        let one = |trial: &Trial<'_, Built>| {
            let Built { kernel, architecture, .. } = trial.kernel;
            let text = (self.0.print)(&kernel.program);
            let counted = self.0.translator.count(&text, architecture, &kernel.turns);
            counted.map(|counted| Finding::of(counted.clocks, counted)).map_err(Refusal::from)
        };
        Ok(trials.iter().map(one).collect())
    }
}

/// True if a variant may be taken for its bound. Where its threads are of several kinds, the choice that makes them so must be
/// named: no bound has the cost of the few warps that a multiprocessor has room for then.
fn is_named(grids: &Grids, built: &Built, request: &Request) -> bool {
    let without = |dimension: &Dimension| {
        let other = built.variant.clone().with(dimension, dimension.default).clamped();
        (grids.build)(&other).ok()
    };
    let decides = |dimension: &Dimension| without(dimension).is_some_and(|other| !other.is_mixed());
    !built.kernel.is_mixed() || request.only.iter().any(|(dimension, _)| decides(dimension))
}

/// The part of a space that static bounds tell apart: choices that only a card tells apart have their defaults, unless others
/// are asked for.
pub(crate) fn told_apart(grids: &Grids, mut space: Space) -> Space {
    for axis in &mut space.axes {
        let d = axis.dimension;
        if grids.on_card.contains(&d.name) && axis.values.contains(&d.default) {
            axis.values = vec![d.default];
        }
    }
    space
}

/// The key of a kernel: kernels of several streams, with round keys or with cipher keys, are other functions, and are taken only
/// if there are no others.
fn kind(kernel: &GridKernel) -> u8 {
    match kernel.key_of_a_stream() {
        None => 0,
        Some(Packing::CipherKey) => 2,
        Some(_) => 1,
    }
}

/// The evaluator of a search over kernels of grids.
pub(crate) struct Bounding<'a> {
    grids: &'a Grids,
    request: &'a Request,
    gives: Gives,
    /// Blocks of text of the messages that kernels are compared at; a long message if not given.
    blocks: Option<u64>,
    /// Variants that were costed; without a point if they cannot be built or may not be taken.
    visited: Visited<(Built, Candidate)>,
    /// Variants that cannot be built.
    pub unfit: u64,
}

impl<'a> Bounding<'a> {
    /// Over no variant yet.
    pub fn new(grids: &'a Grids, request: &'a Request, gives: Gives, size: Option<usize>) -> Bounding<'a> {
        let blocks = size.map(|bytes| (bytes as u64).div_ceil(16).max(1));
        Bounding { grids, request, gives, blocks, visited: Visited::default(), unfit: 0 }
    }

    /// Blocks of text of the messages that kernels are compared at.
    pub fn blocks(&self) -> Option<u64> {
        self.blocks
    }

    /// Costs a variant by its text.
    pub fn cost(&mut self, variant: &Variant) {
        if self.visited.contains(variant) {
            return;
        }
        let found = built(self.grids, variant, self.gives);
        self.unfit += u64::from(found.is_none());
        let found = found.filter(|built| is_named(self.grids, built, self.request));
        let point = found.and_then(|built| {
            let Ok(outcome) = ByText(self.grids).measure_one(&built);
            let candidate = Candidate::new(&built, outcome.ok()?.facts);
            Some((built, candidate))
        });
        self.visited.take(variant.clone(), point);
    }

    /// The order of kernels, the lowest first.
    fn key(&self, candidate: &Candidate) -> (bool, bool, [f64; 2]) {
        let [first, second, ..] = self.request.objective.key(&candidate.cost(self.blocks));
        // Of equal bounds the one with fewer choices is taken: bytes of shared memory that are saved cost conflicts of banks, which
        // no bound has.
        let key = [first, if self.request.objective.is_speed() { 0.0 } else { second }];
        (candidate.counted.spilled > 0, candidate.counted.code > candidate.near, key)
    }

    /// Sorted by bound; ties keep the variant with fewer choices, which stands first.
    fn in_order(&self, candidates: &mut [Candidate]) {
        let order = |a: &Candidate, b: &Candidate| self.key(a).partial_cmp(&self.key(b));
        candidates.sort_by(|a, b| order(a, b).unwrap_or(std::cmp::Ordering::Equal));
    }

    /// Candidates within the limits, and of a Pareto front those that are on it.
    fn wanted(&self, mut candidates: Vec<Candidate>) -> Vec<Candidate> {
        candidates.retain(|candidate| self.request.budgets.hold(&candidate.cost(self.blocks)));
        if self.request.objective == Objective::Pareto {
            let costs: Vec<(Cost, bool)> = candidates.iter().map(|c| (c.cost(self.blocks), true)).collect();
            let on = front(&costs);
            candidates = on.into_iter().map(|at| candidates[at].clone()).collect();
        }
        self.in_order(&mut candidates);
        candidates
    }

    /// All kernels that were costed and may win, by their text, the best first.
    pub fn candidates(&self) -> Vec<Candidate> {
        let points = self.visited.points();
        let least = points.iter().map(|(built, _)| kind(&built.kernel)).min();
        let of_kind = points.iter().filter(|(built, _)| Some(kind(&built.kernel)) == least);
        // In the order of the space, in which fewer choices stand first.
        let mut all: Vec<Candidate> = of_kind.map(|(_, candidate)| candidate.clone()).collect();
        let dimensions = self.grids.table.dimensions;
        all.sort_by_cached_key(|c| dimensions.iter().map(|d| c.variant.get(d)).collect::<Vec<u16>>());
        if self.grids.translator.present().is_err() {
            return self.wanted(all);
        }
        // Bytes of code and spilled registers are known of machine code alone: kernels that keep the limits by their text are
        // translated first.
        let limits = Budgets { ram: self.request.budgets.ram, ..Budgets::default() };
        all.retain(|candidate| limits.hold(&candidate.cost(self.blocks)));
        self.in_order(&mut all);
        all.sort_by_key(|candidate| !self.request.budgets.hold(&candidate.cost(self.blocks)));
        all
    }

    /// The costs of the kernel that is least above the limits.
    pub fn nearest(&self) -> Option<Cost> {
        let costs = self.visited.points().iter().map(|(_, candidate)| candidate.cost(self.blocks));
        let excess = |cost: &Cost| self.request.budgets.excess(cost);
        costs.min_by(|a, b| excess(a).total_cmp(&excess(b)))
    }

    /// Translates those of the candidates that `chosen` names, as long as `goes_on` says so before each after the first. Gives the
    /// candidates bounded by machine code, and the others. Without a translator, all are bounded by their text.
    ///
    /// # Errors
    /// The translator refuses a text.
    pub fn translated(
        &self,
        chosen: &dyn Fn(&[Candidate]) -> Vec<usize>,
        goes_on: &mut dyn FnMut() -> bool,
    ) -> Result<(Vec<Candidate>, Vec<Candidate>), TuneError> {
        let mut found = self.candidates();
        let mut translator = ByMachineCode(self.grids);
        if translator.present().is_err() {
            return Ok((found, Vec::new()));
        }
        let mut translated = Vec::new();
        for at in chosen(&found) {
            if !translated.is_empty() && !goes_on() {
                break;
            }
            let Some((built, _)) = self.visited.of(&found[at].variant) else { continue };
            let Ok(outcome) = translator.measure_one(built);
            let counted = outcome.map_err(|refusal| TuneError::NoResult(refusal.why))?.facts;
            translated.push(Candidate::new(built, counted));
        }
        found.retain(|candidate| translated.iter().all(|other| other.variant != candidate.variant));
        Ok((self.wanted(translated), found))
    }

    /// The outcome that a strategy is told of a variant that was costed.
    fn outcome(&self, (built, candidate): &(Built, Candidate)) -> Outcome {
        let cost = candidate.cost(self.blocks);
        let (_, misses, [first, second]) = self.key(candidate);
        let over = self.request.budgets.excess(&cost);
        let over = if over > 0.0 { 1.0 + over } else { 0.0 } + f64::from(kind(&built.kernel));
        let misses = if misses { MISSES } else { 0.0 };
        Outcome {
            cost: Some(told([first, second], misses + over)),
            verdict: Verdict::Measured,
            kernel_hash: None,
            instructions_in_loop: 0,
        }
    }
}

impl Evaluate for Bounding<'_> {
    fn evaluate(&mut self, batch: &[Variant]) -> Vec<Outcome> {
        batch.iter().filter(|variant| self.request.names(variant)).for_each(|variant| self.cost(variant));
        self.visited.outcomes(batch, self.request, |point| self.outcome(point))
    }
}
