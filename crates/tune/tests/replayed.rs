//! Machines replayed from numbers: models and costs that were measured once, as data. Independently of new
//! measurements, the bound of a problem is at most that of each of its variants, and neither is above a
//! confirmed cost. Nothing runs here.

use aesmith_arrange::{Technique, Variant};
use aesmith_cipher::Problem;
use aesmith_native::bounds::{self, Allowed, MOST_CACHED_ROUNDS};
use aesmith_native::native::bytes_per_call;
use aesmith_processor::measured::MachineModel;
use aesmith_search::Neighbourhood;
use aesmith_tune::bound::{lower, of_variant};
use aesmith_tune::seeds::seeds;
use aesmith_x86::dimensions;
use aesmith_x86::kernels::Target;
use aesmith_x86::targets;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use serde::Deserialize;

/// A measured machine.
#[derive(Deserialize)]
struct Machine {
    cpu: String,
    source: String,
    /// True if every kind of instruction was timed.
    complete: bool,
    model: MachineModel,
    /// Confirmed costs: variant, bytes of a message, cycles per byte or per call of a key set-up.
    #[serde(default)]
    measured: Vec<(String, usize, f64)>,
    /// The least measured cost for a problem, if the variant is not known.
    #[serde(default)]
    best: Vec<(String, usize, f64)>,
}

fn machines() -> Vec<Machine> {
    let texts = [include_str!("machines/intel-6-207.json"), include_str!("machines/amd-25-17.json")];
    let machines: Vec<Machine> = texts.iter().map(|text| serde_json::from_str(text).unwrap()).collect();
    assert!(machines.iter().all(|m| !m.source.is_empty() && m.measured.len() + m.best.len() > 10));
    machines
}

const TARGET: Target = targets::ALL;
const WHOLE: Allowed = Allowed { lanes: 4, cached_rounds: MOST_CACHED_ROUNDS };
const SIZES: [usize; 6] = [16, 48, 256, 4096, 32 << 10, 1 << 20];
/// Number of random variants of each technique and problem, besides the known-good ones.
const DRAWN: usize = 24;
/// Number of random variants for techniques whose variants are built and simulated for their bound.
const DRAWN_AND_RUN: usize = 1;
/// One of this many problems is examined with each of these techniques.
const EACH: usize = 4;

fn of_problem(model: &MachineModel, problem: Problem, size: usize) -> f64 {
    let bound = bounds::bound(model, problem, size, WHOLE).unwrap();
    assert!(bound.cycles.is_finite() && bound.cycles > 0.0, "{problem} at {size}: {bound:?}");
    bound.cycles_per_byte
}

/// A sample of a technique's variants for a problem.
fn sample(problem: Problem, technique: Technique, drawn: usize) -> Vec<Variant> {
    let space = dimensions::TABLE.space_by(problem, technique, TARGET.lanes_of(technique));
    let around = Neighbourhood::new(&space);
    let mut random = ChaCha8Rng::seed_from_u64(197);
    let mut all = seeds(problem, technique, &TARGET);
    if technique.is_instruction() {
        all.push(around.start());
    } else {
        all.truncate(1);
    }
    all.extend((0..drawn).map(|_| around.random(&mut random)));
    all
}

/// Checks a variant's bound against its problem's; false if it has none.
fn hold(machine: &Machine, variant: &Variant, size: usize) -> bool {
    let Some(own) = of_variant(&machine.model, &TARGET, variant, size) else { return false };
    let whole = of_problem(&machine.model, variant.problem, size);
    let holds = own.is_finite() && own > 0.0 && whole <= own;
    assert!(holds, "{}, {size} bytes: {whole} for the problem, {own} for {variant}", machine.cpu);
    true
}

#[test]
fn the_bound_of_a_problem_is_at_most_that_of_every_variant_with_its_instructions() {
    let mut looked_at = 0;
    for machine in machines() {
        for problem in Problem::all() {
            let sizes = if problem.is_message() { &SIZES[..] } else { &[0] };
            for variant in sample(problem, Technique::Aes, DRAWN) {
                for &size in sizes {
                    looked_at += usize::from(hold(&machine, &variant, size));
                }
            }
        }
    }
    assert!(looked_at > 5000, "{looked_at}");
}

/// Without AES instructions, a variant's bound is that of its units; a machine with AES instructions
/// processes a block faster with them.
#[test]
fn the_bound_of_a_problem_is_at_most_that_of_every_other_technique() {
    let mut looked_at = 0;
    for machine in machines().iter().filter(|machine| machine.complete) {
        for technique in Technique::ALL.into_iter().filter(|technique| !technique.is_instruction()) {
            // Building and simulating a variant takes a while: each technique has different problems, of one
            // stream.
            let one = |problem: &Problem| problem.is_message() && problem.streams() == 1;
            let problems = Problem::all().into_iter().filter(one);
            let own = problems.enumerate().filter(|(i, _)| (i + technique as usize).is_multiple_of(EACH));
            let variants = own.flat_map(|(_, problem)| sample(problem, technique, DRAWN_AND_RUN));
            let bounded = variants.filter(|variant| hold(machine, variant, 4096)).count();
            assert!(bounded > 0, "{technique} has no variant that can be bounded");
            looked_at += bounded;
        }
    }
    assert!(looked_at > 20, "{looked_at}");
}

/// A confirmed cost is above its bound, or the bound is lowered to it, as in a run; afterwards all bounds are
/// consistent again.
#[test]
fn no_bound_is_above_what_was_confirmed() {
    for mut machine in machines() {
        let before = machine.model.clone();
        let mut beaten = Vec::new();
        for (text, size, cost) in &machine.measured {
            let variant = dimensions::variant(text).unwrap();
            beaten
                .extend(lower(&mut machine.model, &TARGET, &variant, *size, *cost).map(|bound| cost / bound));
        }
        for (text, size, cost) in &machine.best {
            let problem: Problem = text.parse().unwrap();
            let bound = of_problem(&machine.model, problem, *size);
            if *cost < bound {
                let cycles = cost * bytes_per_call(problem, *size).max(1) as f64 * (1.0 - 1e-9);
                bounds::lower(&mut machine.model, problem, *size, WHOLE, cycles);
                beaten.push(cost / bound);
            }
        }
        let cpu = &machine.cpu;
        assert!(beaten.iter().all(|part| *part > 0.97), "{cpu}: bounds that are far off: {beaten:?}");
        assert_eq!(beaten.is_empty(), before == machine.model, "{cpu}");
        for (text, size, cost) in &machine.measured {
            let variant = dimensions::variant(text).unwrap();
            let bound = of_variant(&machine.model, &TARGET, &variant, *size).unwrap_or_default();
            assert!(bound <= *cost, "{cpu}: {bound} above {cost} of {text}");
            let whole = of_problem(&machine.model, variant.problem, *size);
            assert!(whole <= *cost, "{cpu}: {whole} above {cost} of {text}");
        }
        for (text, size, cost) in &machine.best {
            let whole = of_problem(&machine.model, text.parse().unwrap(), *size);
            assert!(
                whole <= *cost && *cost < 12.0 * whole,
                "{cpu}: {whole} beside {cost} of {text} at {size}"
            );
        }
        for problem in Problem::all() {
            let size = if problem.is_message() { 4096 } else { 0 };
            for variant in sample(problem, Technique::Aes, 4) {
                assert!(hold(&machine, &variant, size), "after what was confirmed: {variant} has no bound");
            }
        }
    }
}
