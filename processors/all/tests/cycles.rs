//! The cycles of the machine models against a file: of the kernels that it names, run by the interpreter, and of random
//! instructions with random outcomes. AESMITH_BLESS=1 rewrites the file.

use std::fmt::Write;

use aesmith_arrange::Variant;
use aesmith_cipher::Problem;
use aesmith_cipher::problem::{Direction, KeySize, Task};
use aesmith_extension::sets;
use aesmith_extension::verilog::Unit;
use aesmith_isa::execute::Executed;
use aesmith_isa::{Guard, Insn, Isa, Kind};
use aesmith_processor::attach::attach;
use aesmith_processor::calls::{Given, Layout};
use aesmith_processor::core::Core;
use aesmith_processor::interpreter::Interpreter;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

const GOLDEN: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/cycles.txt");

/// The problems of the kernels; for each, a new file has the plain variant and one from the middle of all.
const PROBLEMS: [(KeySize, Task); 5] = [
    (KeySize::Aes128, Task::Ecb(Direction::Encrypt)),
    (KeySize::Aes128, Task::Ecb(Direction::Decrypt)),
    (KeySize::Aes256, Task::Ecb(Direction::Encrypt)),
    (KeySize::Aes128, Task::KeySchedule(Direction::Encrypt)),
    (KeySize::Aes128, Task::Ctr),
];

/// Cycles of a call of a kernel, by the interpreter.
fn run(core: &'static Core, variant: &Variant) -> Option<u64> {
    let kernel = (core.build)(variant).ok()?;
    let image = kernel.image((core.isa)()).expect("assembles");
    let layout = Layout::new(core, &image, kernel.contract).expect("it fits");
    let blocks = if variant.problem.has_iv() { 4 } else { usize::from(kernel.contract.blocks) };
    let key = (0..variant.problem.key.bytes() as u8).map(|k: u8| k.wrapping_mul(29)).collect();
    let input = (0..16 * blocks).map(|k| (k as u8).wrapping_mul(53)).collect();
    let given = Given { key, iv: [7; 16], input, in_place: false };
    let function = image.symbol(&kernel.symbol).expect("its function");
    let call = layout.call(&given).call;
    let trace = Interpreter::new(core).trace(&image, function, &call, 1_000_000).expect("it runs");
    trace.answer.expect("an answer").cycles
}

/// An instruction with random operands, often from few registers, so that they coincide.
fn insn(isa: &Isa, random: &mut ChaCha8Rng) -> Insn {
    let row = random.random_range(0..isa.rows.len());
    let mut insn = Insn { row: row as u16, fields: [0; 8] };
    let few = random.random_bool(0.7);
    for (place, field) in isa.rows[row].fields.iter().enumerate() {
        insn.fields[place] = match field.kind {
            Kind::Register { base, step } => {
                let most = (i32::from(isa.about.general) - i32::from(base) - 1) / i32::from(step).max(1);
                let most = if few { most.min(3) } else { most };
                i32::from(base) + i32::from(step) * random.random_range(0..=most)
            }
            Kind::Number { signed: false, .. } => random.random_range(0..0x1_0000),
            _ => random.random_range(-512..512),
        };
    }
    insn
}

/// True if an instruction may jump: by its semantics, or by writing the program counter.
fn may_jump(isa: &Isa, insn: &Insn) -> bool {
    let row = isa.of(insn);
    let counter = isa.about.counter.map_or(-1, |c| i32::from(c.register));
    let list = row.fields.iter().position(|f| f.name == "list");
    let listed = list.is_some_and(|f| counter >= 0 && insn.fields[f] >> counter & 1 == 1);
    let written = row.effects.written_fields.iter().any(|&(f, _)| insn.fields[usize::from(f)] == counter);
    row.effects.jumps || written || row.effects.loads && listed
}

/// Cycles of random instructions, in hundreds.
fn soup(core: &Core) -> Vec<u64> {
    let isa = (core.isa)();
    let mut random = ChaCha8Rng::seed_from_u64(4);
    let mut model = core.timing.model();
    let mut sums = Vec::new();
    for part in 0..60 {
        if part % 3 == 0 {
            model.start();
        }
        let hundred = |_| {
            let insn = insn(isa, &mut random);
            let row = isa.of(&insn);
            let skips = row.class == "skip";
            let executed = Executed {
                isa,
                insn: &insn,
                pc: 0x100,
                ran: isa.about.guard == Guard::None || random.random_bool(0.9),
                jumped: may_jump(isa, &insn) && random.random_bool(0.3),
                skipped: if skips { random.random_range(0..3) * isa.about.unit } else { 0 },
                target: 0x80,
                by_register: false,
            };
            u64::from(model.step(&executed))
        };
        sums.push((0..100).map(hundred).sum());
    }
    sums
}

/// Every processor, and one with custom instructions for each that supports them.
fn cores() -> Vec<&'static Core> {
    let mut cores: Vec<&'static Core> = aesmith_processors::cores().collect();
    for base in cores.clone().into_iter().filter(|c| c.port.is_some()) {
        for set in ["smix3", "v2", "v3"] {
            let extension = Box::leak(Box::new(sets::included(set).expect("it parses")));
            let unit = Unit { sboxes: 1, ..Unit::default() };
            cores.extend(attach(base, extension, unit));
        }
    }
    cores
}

#[test]
fn timing_tables_name_what_there_is() {
    for core in cores() {
        core.timing.check((core.isa)()).unwrap_or_else(|why| panic!("{}: {why}", core.name));
    }
}

/// The kernels of a new file.
fn sample(core: &'static Core) -> Vec<Variant> {
    // For processors with custom instructions, only encryption.
    let registered = aesmith_processors::core(core.name).is_ok_and(|c| std::ptr::eq(c, core));
    let problems = if registered { &PROBLEMS[..] } else { &PROBLEMS[..1] };
    let of_problem = |&(key, task)| {
        let problem = Problem::new(key, task);
        let all = core.table.all(problem);
        let middle = all.iter().skip(all.len() / 2).find(|v| (core.build)(v).is_ok()).cloned();
        [Some(core.table.plain(problem)), middle]
    };
    problems.iter().flat_map(of_problem).flatten().collect()
}

/// The kernels that a file names for a core.
fn named(core: &'static Core, file: &str) -> Vec<Variant> {
    let words = file.lines().filter_map(|line| line.trim_start().split_once(' ')?.1.split_once(' '));
    let texts = words.filter(|(name, _)| *name == core.name).map(|(_, text)| text);
    texts.map(|text| core.table.parse(text).unwrap_or_else(|why| panic!("{text}: {why}"))).collect()
}

#[test]
fn models_count_the_cycles_that_they_have_counted() {
    let is_new = std::env::var_os("AESMITH_BLESS").is_some();
    let before = std::fs::read_to_string(GOLDEN).unwrap_or_default();
    let mut found = String::new();
    for core in cores() {
        let variants = if is_new { sample(core) } else { named(core, &before) };
        assert!(!variants.is_empty(), "{} has no line in {GOLDEN}", core.name);
        for variant in variants {
            let Some(cycles) = run(core, &variant) else { continue };
            writeln!(found, "{cycles:>7} {} {variant}", core.name).expect("text grows");
        }
        writeln!(found, "{} random: {:?}", core.name, soup(core)).expect("text grows");
    }
    if is_new {
        std::fs::write(GOLDEN, &found).expect("the file can be written");
    }
    let wanted = std::fs::read_to_string(GOLDEN).expect("the file is there");
    for (found, wanted) in found.lines().zip(wanted.lines()) {
        assert_eq!(found, wanted);
    }
    assert_eq!(found.lines().count(), wanted.lines().count());
}
