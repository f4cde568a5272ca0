//! Kernels of RV32 processors: from a variant to code and tables.

pub mod compress;
pub mod custom;
pub mod expand;
pub mod function;
pub mod lookup;
mod machine;
pub mod modes;
pub mod order;
pub mod rounds;
pub mod schedule;
mod shared;
pub mod sliced;
pub mod sliced_messages;
mod target;
pub mod writer;

use crate::dimensions;
use aesmith_cipher::firmware::{Firmware, Packing};
use aesmith_cipher::problem::Task;
use aesmith_extension::order::Order;
use aesmith_isa::Isa;
use aesmith_isa::assemble::{Item, Part, Section};
use aesmith_isa::timing::Timing;

use aesmith_arrange::{Choice, Variant};
use aesmith_order::inorder::Search;
use aesmith_processor::attach::Attached;
use aesmith_processor::core::Kernel;
use custom::Instructions;
use function::{Function, Target};
use lookup::{Last, Lookup, TABLES, Technique};
use rounds::{Plan, Shape};
use writer::register;

/// The address of code.
const CODE: u64 = 0x1_0000;
/// The address of tables: not at the start of a piece of memory as large as a small data cache (4 KiB), where
/// key and text lie when kernels are judged. Of four tables, these conflict with the last one, which no last
/// round reads.
const DATA: u64 = 0x2_0400;
/// The number of order changes that a seed tries.
const MOVES: u32 = 60_000;
/// The reasoning of a bound.
const FLOOR: &str = "each instruction of the unrolled dataflow as if it never waited, without return, saved registers and loops";
/// The numbers of callee-saved registers that are tried.
const LADDER: [usize; 5] = [0, 2, 4, 8, 12];

fn technique(variant: &Variant, instructions: Option<&'static Attached>) -> Result<Technique, String> {
    let direction = variant.problem.mode().direction;
    let schedule = matches!(variant.problem.task, Task::KeySchedule(_));
    let chosen = variant.choice();
    let found = variant.is(dimensions::Layout::Found);
    Ok(match (chosen, instructions) {
        (Some(dimensions::Technique::Aes), Some(attached)) if schedule => {
            Technique::Custom(Instructions::of_schedules(attached, direction, found)?)
        }
        _ if schedule && variant.is(dimensions::Sbox::Circuit) => Technique::Circuit,
        _ if schedule => Technique::Sbox,
        (Some(dimensions::Technique::Aes), Some(attached)) => {
            Technique::Custom(Instructions::of_messages(attached, direction, found)?)
        }
        (Some(dimensions::Technique::Bytewise), _) => Technique::Sbox,
        _ if variant.is(dimensions::Tables::Two) => Technique::Two,
        _ if variant.is(dimensions::Tables::One) => Technique::One,
        _ if variant.is(dimensions::Bytes::Tables) => Technique::Four(Last::Tables),
        _ if variant.is(dimensions::Last::Words) => Technique::Four(Last::Words),
        _ => Technique::Four(Last::Bytes),
    })
}

fn shape(variant: &Variant) -> Shape {
    match variant.choice() {
        Some(dimensions::Rounds::Paired) => Shape::Paired,
        Some(dimensions::Rounds::Looped) => Shape::Looped,
        Some(dimensions::Rounds::Unrolled) | None => Shape::Unrolled,
    }
}

/// The function of a variant that uses this number of callee-saved registers, and its tables.
fn function(
    variant: &Variant,
    target: Target,
    symbol: &str,
    saved: usize,
) -> Result<(Function, Vec<Item>), String> {
    let problem = variant.problem;
    let (direction, shape) = (problem.mode().direction, shape(variant));
    if let Task::KeySchedule(_) = problem.task {
        let technique = technique(variant, target.instructions)?;
        let sliced = variant.is(dimensions::Keys::Sliced);
        let order = if sliced { Order::default() } else { Lookup { technique, direction }.order() };
        let expansion = expand::Expansion { size: problem.key, direction, technique, shape, sliced, order };
        return Ok((expansion.function(target, symbol, saved)?, expansion.tables()));
    }
    if variant.is(dimensions::Technique::Bitsliced) && problem.has_iv() {
        let of = (problem.key, problem.task);
        return Ok((sliced_messages::message(target, symbol, of, shape)?, Vec::new()));
    }
    if variant.is(dimensions::Technique::Bitsliced) {
        return Ok((sliced::ecb(target, symbol, problem.key, direction, shape)?, Vec::new()));
    }
    let lookup = Lookup { technique: technique(variant, target.instructions)?, direction };
    let fly = variant.is(dimensions::Schedule::Fly);
    let plan = Plan { size: problem.key, lookup, shape, fly };
    let f = match problem.task {
        Task::Ecb(_) => modes::ecb(target, symbol, &plan, saved)?,
        task => modes::mode(target, symbol, &plan, task, variant.is(dimensions::Counter::Cached), saved)?,
    };
    Ok((f, plan.tables()))
}

/// The best of the functions with different numbers of callee-saved registers.
fn best(variant: &Variant, target: Target, symbol: &str) -> Result<(Function, Vec<Item>), String> {
    let mut best: Option<(Function, Vec<Item>)> = None;
    let mut why = String::new();
    let mut worse = 0;
    for saved in LADDER {
        let found = match function(variant, target, symbol, saved) {
            Ok(found) => found,
            Err(e) => {
                why = e;
                continue;
            }
        };
        let idle = found.0.cycles == found.0.floor;
        if best.as_ref().is_none_or(|(b, _)| found.0.cost() < b.cost()) {
            best = Some(found);
            worse = 0;
        } else {
            worse += 1;
        }
        // More registers do not help code without stalls.
        if idle || worse == 2 {
            break;
        }
    }
    best.ok_or(why)
}

/// The processor that kernels are written for.
#[derive(Clone, Copy)]
pub struct Base {
    /// Its instruction table.
    pub isa: &'static aesmith_isa::Isa,
    /// Its timing.
    pub timing: &'static Timing,
    /// The processor's custom instructions for AES.
    pub instructions: Option<&'static Attached>,
}

/// The kernel of a variant for a processor.
pub fn build(variant: &Variant, base: Base) -> Result<Kernel, String> {
    let problem = variant.problem;
    if !Firmware::is_offered(problem) {
        return Err(format!("{problem} has no kernels on RV32 processors"));
    }
    let symbol = Firmware::name(problem);
    let Base { isa, timing, instructions } = base;
    let moves = if variant.seed == 0 { 0 } else { MOVES };
    let target = Target { isa, timing, instructions, search: Search { seed: variant.seed, moves } };
    if shared::is_of_words(variant) {
        return of_words(variant, base, target.search);
    }
    let (f, tables) = best(variant, target, &symbol)?;
    let mut items = f.finish();
    if variant.is(dimensions::Code::Compressed) {
        items = compress::compressed(isa, items);
    }
    let mut sections = vec![Section { name: ".text", address: CODE, writable: false, items }];
    if !tables.is_empty() {
        let items = [vec![Item::Align(4), Item::Label(TABLES.into())], tables].concat();
        sections.push(Section { name: ".rodata", address: DATA, writable: false, items });
    }
    let sliced = variant.is(dimensions::Technique::Bitsliced);
    let packing = if variant.is(dimensions::Schedule::Fly) {
        Packing::CipherKey
    } else if sliced || variant.is(dimensions::Keys::Sliced) {
        Packing::Fixsliced
    } else {
        let direction = problem.mode().direction;
        Lookup { technique: technique(variant, instructions)?, direction }.order().packing()
    };
    let two = sliced && matches!(problem.task, Task::Ecb(_));
    let contract = Firmware { problem, packing, blocks: if two { 2 } else { 1 } };
    let kernel = Kernel { variant: variant.clone(), contract, symbol, sections, table_alignment: 4 };
    Ok(kernel.returning_without_blocks(|some| entry(isa, some)))
}

/// The start of a message function: returns if there are no blocks. It has eight bytes, which preserve the
/// alignment of loops.
fn entry(isa: &Isa, some: &str) -> Vec<Item> {
    let [blocks, zero, back] = [register::A0 + 4, register::ZERO, register::RA].map(i32::from);
    let asks = isa.insn("bne", &[("rs1", blocks), ("rs2", zero)]);
    vec![
        Item::Linked {
            insn: asks,
            field: "off".into(),
            label: some.to_owned(),
            addend: 0,
            part: Part::Distance,
        },
        Item::Insn(isa.insn("jalr", &[("rd", zero), ("rs1", back), ("imm", 0)])),
    ]
}

/// The kernel of a variant that is written in the word operations which processors share.
fn of_words(variant: &Variant, base: Base, search: Search) -> Result<Kernel, String> {
    let mut sections = shared::sections(variant, base, search)?;
    let items = std::mem::take(&mut sections[0].items);
    let items = function::near(base.isa, items);
    let compressed = variant.is(dimensions::Code::Compressed);
    sections[0].items = if compressed { compress::compressed(base.isa, items) } else { items };
    let problem = variant.problem;
    let contract = Firmware { problem, packing: shared::packing(variant), blocks: 1 };
    let symbol = Firmware::name(problem);
    let kernel = Kernel { variant: variant.clone(), contract, symbol, sections, table_alignment: 4 };
    Ok(kernel.returning_without_blocks(|some| entry(base.isa, some)))
}

/// A lower bound on the cycles of kernels with a variant's dataflow; for modes, of a call with one block.
pub fn bound(variant: &Variant, base: Base) -> Option<(f64, &'static str)> {
    if !Firmware::is_offered(variant.problem) {
        return None;
    }
    if variant.is(dimensions::Technique::Bitsliced) && variant.problem.has_iv() {
        // A call with one block includes the work that two blocks share.
        return None;
    }
    if shared::is_of_words(variant) {
        return Some((shared::floor(variant, base)?, FLOOR));
    }
    let rounds = variant.table.find(variant.problem, variant.technique, dimensions::Rounds::NAME).ok()?;
    let unrolled = rounds.read(dimensions::Rounds::Unrolled.text()).ok()?;
    // Choices that apply only to loops stay: the dataflow is that of the loop.
    let flat = variant.clone().with(rounds, unrolled);
    let Base { isa, timing, instructions } = base;
    let target = Target { isa, timing, instructions, search: Search::default() };
    let symbol = Firmware::name(variant.problem);
    let f = LADDER.iter().find_map(|&saved| function(&flat, target, &symbol, saved).ok())?.0;
    Some((f.floor as f64, FLOOR))
}
