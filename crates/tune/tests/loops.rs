//! The loop of every problem and technique in the machine model: all of it is shown, and within one
//! iteration.

use aesmith_cipher::Problem;
use aesmith_processor::measured::{Kind, MachineModel, Timing, UnitGroup};
use aesmith_processor::measured::{TimingClass, Vectors};
use aesmith_report::LoopChart;
use aesmith_tune::anatomy::{Anatomy, UNITS};
use aesmith_tune::loops::{loop_chart, mix};
use aesmith_tune::schedule::Schedule;
use aesmith_tune::seeds::seeds;
use aesmith_x86::dimensions;
use aesmith_x86::kernels::{Kernel, build};
use aesmith_x86::targets;
use std::sync::OnceLock;

/// Roughly a Golden Cove core. Kinds that are left out cost nothing, as in a model that lacks them.
fn model() -> MachineModel {
    use TimingClass::*;
    let kind = |class, vectors| Kind { class, vectors };
    let mut timings = Vec::new();
    for vectors in [Vectors::Bits128, Vectors::Bits256, Vectors::Bits512] {
        let wide: f64 = if vectors == Vectors::Bits512 { 1.0 } else { 0.5 };
        for (class, latency, each) in [
            (Aes, 3.0, wide),
            (GaloisAffine, 3.0, wide),
            (Logic, 1.0, wide.max(0.34)),
            (VectorAdd, 1.0, 0.5),
            (VectorShift, 1.0, wide),
            (Shuffle, 1.0, wide),
            (BytePermute, 3.0, 1.0),
            (Load, 7.0, 0.5),
            (Store, 0.0, 1.0),
        ] {
            let latency = (latency > 0.0).then_some(latency);
            timings.push(Timing::new(kind(class, vectors), latency, each));
        }
    }
    for (class, latency, each) in
        [(ScalarAlu, 1.0, 0.2), (Load, 5.0, 0.34), (Lea, 1.0, 0.5), (Branch, 0.0, 0.5)]
    {
        let latency = (latency > 0.0).then_some(latency);
        timings.push(Timing::new(kind(class, Vectors::Scalar), latency, each));
    }
    let members = vec![(kind(Aes, Vectors::Bits512), 0.5), (kind(Logic, Vectors::Bits512), 0.5)];
    MachineModel { timings, groups: vec![UnitGroup { members }], issue_width: Some(6.0) }
}

fn kernel(text: &str) -> Kernel {
    build(&dimensions::variant(text).unwrap(), &targets::ALL).unwrap()
}

fn chart(text: &str) -> LoopChart {
    let kernel = kernel(text);
    loop_chart(&model(), &Anatomy::of(&kernel).unwrap(), &kernel.variant)
}

/// Starting points, plain variants and random variants of every problem and technique.
fn kernels() -> &'static [Kernel] {
    static ALL: OnceLock<Vec<Kernel>> = OnceLock::new();
    ALL.get_or_init(|| {
        let mut random = 0x9e37_79b9_7f4a_7c15_u64;
        let mut all = Vec::new();
        for problem in Problem::all() {
            for technique in targets::ALL.techniques() {
                let mut variants = vec![dimensions::plain(problem, technique)];
                variants.extend(seeds(problem, technique, &targets::ALL).into_iter().take(2));
                let space = dimensions::TABLE.space_by(problem, technique, targets::ALL.lanes_of(technique));
                for _ in 0..3 {
                    let mut variant = dimensions::plain(problem, technique);
                    for axis in &space.axes {
                        random = random.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                        let value = axis.values[(random >> 33) as usize % axis.values.len()];
                        variant.set(axis.dimension.place, value);
                    }
                    variants.extend(Some(variant.clamped()).filter(|v| v.check().is_ok()));
                }
                all.extend(variants.iter().filter_map(|v| build(v, &targets::ALL).ok()));
            }
        }
        all
    })
}

#[test]
fn every_instruction_of_every_loop_is_on_the_axis() {
    let model = model();
    let kernels = kernels();
    assert!(kernels.len() > 300, "{} kernels", kernels.len());
    for kernel in kernels {
        let name = &kernel.variant;
        let anatomy = Anatomy::of(kernel).unwrap_or_else(|| panic!("{name}: the table lacks an instruction"));
        let chart = loop_chart(&model, &anatomy, name);
        assert_eq!(chart.instructions.len(), anatomy.lines.len(), "{name}");
        let end = chart.cycles_per_iteration;
        assert!(end > 0.0 && end.is_finite(), "{name}: {end} cycles");
        for slot in &chart.instructions {
            assert!(
                slot.start >= 0.0 && slot.start < end,
                "{name}: `{}` at {} of {end}",
                slot.text,
                slot.start
            );
            assert!(slot.unit < chart.units.len() && chart.pipes[slot.unit] > 0, "{name}: `{}`", slot.text);
        }
        let counted: u64 = mix(&model, &anatomy).iter().map(|part| part.count).sum();
        assert_eq!(counted, anatomy.lines.len() as u64, "{name}: the mix counts each instruction once");
    }
}

/// The loop excludes the set-up, the tail and the path for single blocks.
#[test]
fn the_loop_of_a_message_ends_with_its_jump_back() {
    for kernel in kernels().iter().filter(|k| k.variant.problem.is_message()) {
        let anatomy = Anatomy::of(kernel).unwrap();
        let last = anatomy.lines.last().unwrap();
        let target =
            last.leads.target().unwrap_or_else(|| panic!("the loop ends with `{}`", last.text)) as usize;
        let first = anatomy.lines[0].offset;
        assert!(target <= last.offset && target >= first, "{}: it ends with `{}`", kernel.variant, last.text);
        assert!(anatomy.bytes > 0, "{}", kernel.variant);
    }
}

#[test]
fn the_rounds_of_a_counter_loop_are_shown() {
    let chart = chart("aes256-ctr width=zmm interleave=4 keys=0x7fff cached=2 counter=precomputed ii=3");
    let aes = chart.instructions.iter().filter(|s| s.text.contains("aesenc")).collect::<Vec<_>>();
    assert_eq!(aes.len(), 48, "twelve rounds of four registers");
    assert!((48.0..50.0).contains(&chart.cycles_per_iteration), "{}", chart.cycles_per_iteration);
    assert!(aes.iter().any(|s| s.start == 0.0), "the axis begins with the busiest unit's work");
    let ahead = |s: &&aesmith_report::Slot| s.iteration > 0;
    assert!(chart.instructions.iter().any(|s| ahead(&s)), "loads run ahead of the rounds");
}

#[test]
fn a_schedule_reaches_the_pipes_bound_or_the_chain() {
    let cycles = |text: &str| Schedule::of(&Anatomy::of(&kernel(text)).unwrap(), &model()).cycles;
    let full = cycles("aes128-ecb width=zmm interleave=8");
    assert!((79.5..84.0).contains(&full), "80 rounds on one pipe: {full}");
    let alone = cycles("aes128-cbc xor=plain");
    assert!(alone >= 30.0, "ten rounds of three cycles wait for each other: {alone}");
}

#[test]
fn no_unit_works_for_longer_than_the_iteration_takes() {
    let model = model();
    for text in ["aes128-ctr", "aes128-ctr technique=gfni", "aes256-cbc-x4", "aes192-ecb technique=bitsliced"]
    {
        let anatomy = Anatomy::of(&kernel(text)).unwrap();
        let schedule = Schedule::of(&anatomy, &model);
        for (unit, taken) in UNITS.iter().zip(schedule.taken) {
            assert!(taken.is_none_or(|t| t < 1.01), "{text}: {unit} {taken:?}");
        }
    }
}
