//! Measures the machine: latency and reciprocal throughput of the kinds of instructions in kernels, alone and in mixes
//! that compete for units.
//!
//! Each figure is the difference between a long and a short run of a loop, so that entry and exit cancel: a chain
//! through one register for a latency, twelve registers in rotation for a throughput (twelve, for three cycles of
//! latency on up to four pipes).
//!
//! A disturbance of a core lasts for a while, so that consecutive measurements of one figure share it. All figures are
//! therefore measured in several short passes, one after the other.

mod rows;

use aesmith_processor::measured::{Features, Kind, MachineModel, Timing, UnitGroup};
use aesmith_processor::measured::{TimingClass as C, Vectors as V};
use aesmith_x86::features;
use aesmith_x86::table::form;
use iced_x86::{Code, IcedError, Instruction, MemoryOperand, Register};

use crate::assemble::Assembly;
use crate::buffer::Guarded;
use crate::clock::FINE;
use crate::fault::JudgeError;
use crate::native::Core;
use rows::{MIXES, ROWS, Row, Shape};

/// Registers that a throughput loop rotates through; 12 to 15 are sources.
const REGISTERS: u32 = 12;
/// Instructions in a loop iteration: a multiple of [`REGISTERS`].
const BODY: u32 = 96;
/// Iterations of the loop: long, short. The runs differ by 4800 instructions, so that two ticks of the counter are a
/// thousandth of the fastest form's time. Where the counter steps by more than [`FINE`] ticks, all are multiplied.
const TURNS: (u64, u64) = (60, 10);
/// Samples of each loop.
const SAMPLES: usize = 8;
/// Passes over all figures. The minimum of the undisturbed measurements counts: disturbances only slow the code down,
/// and a figure for a lower bound must not be too high.
const PASSES: usize = 5;

/// A mix competes for units if it takes at least this many times as long as its slower part alone; a smaller ratio is
/// imperfect packing (an AES round and two loads: 1.08).
const CROWDED: f64 = 1.15;

/// A figure over several measurements: the fastest long and the fastest short loop, so that one disturbed short loop
/// cannot make their difference too small.
#[derive(Clone, Copy)]
struct Figure {
    long: f64,
    short: f64,
    /// The greatest difference within one pass.
    high: f64,
    /// True if every pass so far was disturbed.
    doubted: bool,
}

impl Figure {
    const NONE: Figure = Figure { long: f64::INFINITY, short: f64::INFINITY, high: 0.0, doubted: true };

    /// Adds the loops of one more pass, in cycles.
    fn take(&mut self, long: f64, short: f64, clean: bool) {
        if clean && self.doubted {
            *self = Figure { doubted: false, ..Figure::NONE };
        }
        if clean || self.doubted {
            self.long = self.long.min(long);
            self.short = self.short.min(short);
            self.high = self.high.max(long - short);
        }
    }

    fn low(&self) -> f64 {
        self.long - self.short
    }
}

/// A loop to measure, and its figure.
struct Loop {
    code: Vec<u8>,
    /// Iterations of the long and of the short run.
    turns: (u64, u64),
    /// Difference in instructions between the long and the short run.
    instructions: f64,
    figure: Figure,
}

impl Loop {
    /// A loop for a counter that steps by `step` ticks.
    fn new(parts: &[(Row, u32)], registers: u32, step: u64) -> Result<Loop, JudgeError> {
        let code = assemble(parts, registers).map_err(|e| {
            JudgeError::Request(format!("a micro-benchmark of {:?} cannot be encoded: {e}", parts[0].0.0))
        })?;
        let round: u32 = parts.iter().map(|(_, count)| count).sum();
        let times = step.div_ceil(FINE).max(1);
        let turns = (times * TURNS.0, times * TURNS.1);
        let instructions = ((BODY / round * round) as u64 * (turns.0 - turns.1)) as f64;
        Ok(Loop { code, turns, instructions, figure: Figure::NONE })
    }

    fn measure(&mut self, core: &mut Core, memory: &Guarded) -> Result<(), JudgeError> {
        let pointer = memory.at(0) as u64;
        let long = core.time_raw(&self.code, [self.turns.0, pointer, 0, 0, 0], SAMPLES)?;
        let short = core.time_raw(&self.code, [self.turns.1, pointer, 0, 0, 0], SAMPLES)?;
        self.figure.take(long.best(), short.best(), long.clean && short.clean);
        Ok(())
    }

    /// The minimum and maximum cycles per instruction.
    fn cycles(&self) -> (f64, f64) {
        (self.figure.low() / self.instructions, self.figure.high / self.instructions)
    }
}

/// Measures all kinds that this CPU has, or only those of some classes (and then no mixes).
pub fn measure(core: &mut Core, only: Option<&[C]>) -> Result<MachineModel, JudgeError> {
    let here = features::of_this_cpu();
    let memory = Guarded::new(4096)?;
    let step = core.clock().step();
    let mut measured: Vec<(Kind, Row)> = Vec::new();
    let mut loops: Vec<(Option<Loop>, Loop)> = Vec::new();
    for &row in ROWS {
        let Some(kind) = kind(row, here).filter(|k| only.is_none_or(|o| o.contains(&k.class))) else {
            continue;
        };
        if measured.iter().any(|(k, _)| *k == kind) {
            continue;
        }
        let chain = chains(row.1).then(|| Loop::new(&[(row, BODY)], 1, step)).transpose()?;
        loops.push((chain, Loop::new(&[(row, BODY)], REGISTERS, step)?));
        measured.push((kind, row));
    }
    core.calibrate()?;
    for _ in 0..PASSES {
        for (chain, independent) in &mut loops {
            if let Some(chain) = chain {
                chain.measure(core, &memory)?;
            }
            independent.measure(core, &memory)?;
        }
    }
    let mut model = MachineModel::default();
    for ((kind, (code, _)), (chain, independent)) in measured.iter().zip(&loops) {
        let (low, high) = independent.cycles();
        if *code == Code::Nopd {
            model.issue_width = Some(1.0 / low);
            continue;
        }
        let latency = chain.as_ref().map(Loop::cycles);
        model.timings.push(Timing {
            kind: *kind,
            latency: latency.map(|(low, _)| low),
            reciprocal_throughput: low,
            latency_high: latency.map(|(_, high)| high),
            throughput_high: Some(high),
            doubted: independent.figure.doubted || chain.as_ref().is_some_and(|c| c.figure.doubted),
        });
    }
    if only.is_none() {
        learn_mixes(core, &memory, &measured, &mut model)?;
    }
    Ok(model)
}

/// Measures mixes of the kinds that were measured alone.
fn learn_mixes(
    core: &mut Core,
    memory: &Guarded,
    measured: &[(Kind, Row)],
    model: &mut MachineModel,
) -> Result<(), JudgeError> {
    let step = core.clock().step();
    let mut mixes: Vec<(Kind, Kind, u32, Loop)> = Vec::new();
    for &(a, b, count) in MIXES {
        for vectors in [V::Scalar, V::Bits128, V::Bits256, V::Bits512] {
            let find = |class| measured.iter().find(|(k, _)| *k == Kind { class, vectors });
            let (Some(&(a, row_a)), Some(&(b, row_b))) = (find(a), find(b)) else { continue };
            mixes.push((a, b, count, Loop::new(&[(row_a, 1), (row_b, count)], REGISTERS, step)?));
        }
    }
    for _ in 0..PASSES {
        for (_, _, _, mix) in &mut mixes {
            mix.measure(core, memory)?;
        }
    }
    for (a, b, count, mix) in &mixes {
        let per_a = mix.cycles().0 * f64::from(1 + count);
        let alone = |kind| model.timing(kind).map_or(0.0, |t| t.reciprocal_throughput);
        if per_a > CROWDED * alone(*a).max(f64::from(*count) * alone(*b)) {
            learn_least(model, *a, *b, f64::from(*count), per_a);
        }
    }
    model.merge_groups();
    Ok(())
}

/// True if a model has every kind that [`measure`] would measure on this CPU; a model from an earlier version may lack
/// some.
pub fn is_complete(model: &MachineModel) -> bool {
    let here = features::of_this_cpu();
    let timed = ROWS.iter().filter(|(code, _)| *code != Code::Nopd);
    timed.filter_map(|row| kind(*row, here)).all(|kind| model.timing(kind).is_some())
}

/// The kind that a row measures, if the CPU has its form.
fn kind((code, shape): Row, here: Features) -> Option<Kind> {
    let form = form(code).filter(|f| here.has(f.features))?;
    let class = match shape {
        // A vector load or store, or a scalar one, counts as a load or store, not as a move between registers.
        Shape::Load if form.timing != C::BroadcastLoad => C::Load,
        Shape::Store => C::Store,
        _ => form.timing,
    };
    Some(Kind { class, vectors: form.vectors })
}

/// Learns a mix, and keeps, of all mixes of the same two kinds, the one with the least competition: imperfect packing
/// can only add to a mix's time, and the model must be a lower bound.
fn learn_least(model: &mut MachineModel, a: Kind, b: Kind, count: f64, cycles: f64) {
    model.learn_mix(a, b, count, cycles);
    let occupied = |g: &UnitGroup| match g.members[..] {
        [(x, cycles), (y, _)] if (x, y) == (a, b) => Some(cycles),
        _ => None,
    };
    let least = model.groups.iter().filter_map(occupied).fold(f64::INFINITY, f64::min);
    model.groups.retain(|g| occupied(g).is_none_or(|cycles| cycles <= least));
}

/// True if a form's result feeds the next one's operand.
fn chains(shape: Shape) -> bool {
    use Shape::*;
    match shape {
        Three | Masked | ThreeImmediate | TwoImmediate | Two | One | Address => true,
        Update | UpdateImmediate | UpdateThreeImmediate => true,
        Convert(_) | Repeat | ToMask | OfMask | Load | Store | ToVector | FromVector | Nothing => false,
    }
}

/// Assembles a loop of `parts`, each row repeated by its count, over `registers`.
fn assemble(parts: &[(Row, u32)], registers: u32) -> Result<Vec<u8>, IcedError> {
    let mut a = Assembly::default();
    // A register that was last written by a floating-point operation delays each integer operation that reads it,
    // however much later (seen here: vpaddq 1.67 instead of 1, vaesenc zmm 5 instead of 3), and compiled floating-point
    // code leaves such registers behind. Zeroing them prevents the delay.
    let avx = features::of_this_cpu().has(features::AVX);
    for x in (0..16).map(|i| Register::XMM0 + i) {
        match avx {
            true => a.rrr(Code::VEX_Vpxor_xmm_xmm_xmmm128, x, x, x)?,
            false => a.rr(Code::Pxor_xmm_xmmm128, x, x)?,
        }
    }
    let top = a.here();
    let round: u32 = parts.iter().map(|(_, count)| count).sum();
    let mut next = 0;
    for _ in 0..BODY / round {
        for &((code, shape), count) in parts {
            for _ in 0..count {
                a.push(instance(code, shape, next % registers)?)?;
                next += 1;
            }
        }
    }
    a.r(Code::Dec_rm32, Register::EDI)?;
    a.branch(Code::Jne_rel32_64, top)?;
    a.plain(Code::Retnq)?;
    Ok(a.finish())
}

/// General-purpose registers that a loop may write: caller-saved, neither counter nor pointer.
const SCALARS: [Register; 7] =
    [Register::RAX, Register::RCX, Register::RDX, Register::R8, Register::R9, Register::R10, Register::R11];

fn instance(code: Code, shape: Shape, i: u32) -> Result<Instruction, IcedError> {
    let vectors = form(code).map_or(V::Scalar, |f| f.vectors);
    let register = |width: V, i: u32| match width {
        V::Scalar => SCALARS[i as usize % SCALARS.len()],
        V::Bits128 => Register::XMM0 + i,
        V::Bits256 => Register::YMM0 + i,
        V::Bits512 => Register::ZMM0 + i,
    };
    let d = register(vectors, i);
    let s = register(vectors, if vectors == V::Scalar { i } else { 12 + i % 4 });
    let memory = MemoryOperand::with_base_displ(Register::RSI, 64 * i64::from(i));
    match shape {
        Shape::Three => Instruction::with3(code, d, d, s),
        Shape::Masked => {
            let mut blend = Instruction::with3(code, d, d, s)?;
            blend.set_op_mask(Register::K1);
            Ok(blend)
        }
        Shape::ThreeImmediate => Instruction::with4(code, d, d, s, 1),
        Shape::TwoImmediate => Instruction::with3(code, d, d, 1),
        Shape::Two => Instruction::with2(code, d, d),
        Shape::Update => Instruction::with2(code, d, s),
        Shape::One => Instruction::with1(code, d),
        Shape::UpdateImmediate => Instruction::with2(code, d, 1),
        Shape::UpdateThreeImmediate => Instruction::with3(code, d, s, 1),
        Shape::Address => Instruction::with2(code, d, MemoryOperand::with_base_displ(d, 8)),
        // The other operand is a source register as an xmm; results are never read.
        Shape::Convert(true) => Instruction::with4(code, d, s, register(V::Bits128, 12 + i % 4), 1),
        Shape::Convert(false) => Instruction::with3(code, register(V::Bits128, i), s, 1),
        Shape::Repeat => Instruction::with2(code, d, register(V::Bits128, 12 + i % 4)),
        Shape::ToMask => Instruction::with2(code, Register::K0 + i % 8, s),
        Shape::OfMask => Instruction::with2(code, d, Register::K0 + i % 8),
        Shape::Load => Instruction::with2(code, d, memory),
        Shape::Store => Instruction::with2(code, memory, s),
        Shape::ToVector => Instruction::with2(code, register(V::Bits128, i), Register::R8),
        Shape::FromVector => Instruction::with2(code, SCALARS[i as usize % 7], register(V::Bits128, 12)),
        Shape::Nothing => Ok(Instruction::with(code)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A disturbed short loop, or a pass that was disturbed as a whole, does not lower a figure.
    #[test]
    fn a_figure_is_the_least_of_its_passes_and_keeps_the_greatest() {
        let mut figure = Figure::NONE;
        figure.take(4500.0, 900.0, false);
        assert!(figure.doubted && figure.low() == 3600.0);
        for (long, short) in [(4810.0, 800.0), (4800.0, 830.0), (4850.0, 805.0)] {
            figure.take(long, short, true);
        }
        figure.take(4000.0, 790.0, false);
        assert_eq!((figure.low(), figure.high, figure.doubted), (4000.0, 4045.0, false));
    }

    /// Properties that hold on every CPU; this test times no figures.
    #[cfg(target_arch = "x86_64")]
    #[test]
    fn the_model_is_complete_and_consistent() {
        let _one_at_a_time = crate::one_entrance();
        let mut core = Core::start(3, 1.0).unwrap();
        let model = measure(&mut core, None).unwrap();
        let scalar = |class| Kind { class, vectors: V::Scalar };
        let add = model.timing(scalar(C::ScalarAlu)).unwrap();
        assert!(add.latency.unwrap() > 0.5 && add.reciprocal_throughput > 0.0);
        assert!(model.issue_width.unwrap() > 0.9);
        let here = features::of_this_cpu();
        for &(code, shape) in ROWS {
            let row = form(code).unwrap_or_else(|| panic!("{code:?} is not in the instruction table"));
            if here.has(row.features) && code != Code::Nopd && shape != Shape::Store && shape != Shape::Load {
                let kind = Kind { class: row.timing, vectors: row.vectors };
                assert!(model.timing(kind).is_some(), "{kind:?}");
            }
        }
    }
}
