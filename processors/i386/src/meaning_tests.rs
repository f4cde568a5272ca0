//! The semantics of every row against qemu, on random operands: each instruction is between loads of its operands and stores
//! of its results.

use aesmith_isa::assemble::Item;
use aesmith_isa::{Insn, Kind};
use aesmith_judge::judge::Call;
use aesmith_processor::trial::instructions::{Around, Meanings, Placed};
use rand::Rng;
use rand_chacha::ChaCha8Rng;

use super::CORES;
use super::judge::QEMU;
use super::table::{EAX, EBP, EBX, ECX, EDI, ESI, ESP, isa};

/// The operands and results of the instruction.
const OPERANDS: i32 = 0x40000;
const RESULTS: i32 = 0x48000;
/// The address that holds the stack pointer in between.
const SAVED: i32 = 0x3fff0;
/// Memory that instructions access, within the stack but far from its used part.
const WINDOW: i32 = 0x7f000;
/// The number of its words.
const WORDS: i32 = 16;
/// The stack pointer, in the middle of the window.
const STACK: i32 = WINDOW + 2 * WORDS;
/// Number of bytes of the next instruction, which jumps skip.
const BEHIND: i32 = 10;

/// Offsets in an instruction's operands: eight registers, two numbers whose sum sets the flags, the window.
const SUMMED: i32 = 32;
const FILLED: i32 = 40;
/// Offsets in its results: eight registers, the flags, a mark of whether the next instruction was executed, the
/// window.
const FLAGS: i32 = 32;
const PASSED: i32 = 48;
const LEFT: i32 = 52;

fn item(name: &str, fields: &[(&str, i32)]) -> Item {
    Item::Insn(isa().insn(name, fields))
}

fn load(register: i32, at: i32) -> Item {
    item("mov_r_at", &[("r", register), ("d", at)])
}

fn store(register: i32, at: i32) -> Item {
    item("mov_m_at", &[("r", register), ("d", at)])
}

/// An instruction with random operands. Numbers of four bytes in the field `d` are set after the registers.
fn drawn(row: u16, rng: &mut ChaCha8Rng) -> Insn {
    let isa = isa();
    let mut insn = Insn { row, fields: [0; 8] };
    let row = &isa.rows[usize::from(row)];
    for (place, field) in row.fields.iter().enumerate() {
        let bits = u32::from(row.pattern.width(place));
        insn.fields[place] = match (field.kind, field.name.as_str()) {
            // The stack pointer can only be a base; the sum of a base and an index must be known.
            (Kind::Register { .. }, "b") => [EAX, EBX, ESP, EBP, ESI][rng.random_range(0..5)],
            (Kind::Register { .. }, "i") => [ECX, EDI][rng.random_range(0..2)],
            (Kind::Register { .. }, _) if bits == 2 => rng.random_range(0..4),
            (Kind::Register { .. }, _) => [0, 1, 2, 3, 5, 6, 7][rng.random_range(0..7)],
            // Skips the next instruction.
            (Kind::Relative { .. }, _) => i32::from(row.bytes()) + BEHIND,
            (_, "c") => {
                if rng.random_bool(0.3) {
                    1
                } else {
                    rng.random_range(2..32)
                }
            }
            (Kind::Names { .. }, _) => rng.random_range(0..4),
            _ if bits == 8 => i32::from(rng.random::<i8>()),
            _ => rng.random(),
        };
    }
    insn
}

/// The value of an index: for an address without a base, it is known when `d` is set.
fn index(insn: &Insn) -> i32 {
    i32::from(insn.row % 16) - 8
}

/// Sets registers such that the address of an instruction's operand is `address`, if it has one. With `own`, a
/// 32-bit field `d` is set first, for forms that registers alone cannot set.
fn reached(insn: &mut Insn, own: bool, address: i32, registers: &mut [i32; 8]) {
    let isa = isa();
    let row = isa.of(insn);
    let field = |name: &str| isa.operand(insn, name);
    let stack = row.name.contains("_stack").then_some(ESP);
    let (base, index) = (field("b").or(stack), field("i"));
    let scaled = index.map_or(0, |i| registers[i as usize].wrapping_shl(field("s").unwrap_or(0) as u32));
    let place = row.fields.iter().position(|f| f.name == "d");
    let wide = place.is_some_and(|place| row.pattern.width(place) == 32);
    if let (Some(place), true, true) = (place, wide, own) {
        let based = base.map_or(0, |b| registers[b as usize]);
        insn.fields[place] = address.wrapping_sub(based).wrapping_sub(scaled);
    }
    if let Some(base) = base {
        let distance = place.map_or(0, |place| insn.fields[place]);
        registers[base as usize] = address.wrapping_sub(distance).wrapping_sub(scaled);
    }
}

/// True for instructions that also use the stack.
fn is_stack(name: &str) -> bool {
    name.starts_with("push") || name.starts_with("pop") || name.starts_with("call") || name.starts_with("ret")
}

/// Registers, and words of the window, for an instruction that is followed by `next`.
fn operands(insn: &Insn, next: i32, rng: &mut ChaCha8Rng) -> Vec<i32> {
    let isa = isa();
    let row = isa.of(insn);
    let mut any = || match rng.random_range(0..4) {
        0 => [0, 1, -1, i32::MIN, i32::MAX][rng.random_range(0..5)],
        _ => rng.random(),
    };
    let mut registers: [i32; 8] = std::array::from_fn(|_| any());
    registers[ESP as usize] = STACK;
    let mut window: Vec<i32> = (0..WORDS).map(|_| any()).collect();
    let summed = [any(), any()];
    if rng.random_bool(0.3) {
        registers[ECX as usize] = rng.random_range(0..40);
    }
    if rng.random_bool(0.2) {
        registers[EBX as usize] = registers[EAX as usize];
        registers[EDI as usize] = registers[ECX as usize];
    }
    match row.name.as_str() {
        "leave" => registers[EBP as usize] = WINDOW + 12,
        "ret" | "ret_repeated" => window[WORDS as usize / 2] = next,
        "jmp_register" | "call_register" => {
            let to = isa.operand(insn, "m").expect("a register");
            registers[to as usize] = next;
        }
        _ => {}
    }
    let mut insn = *insn;
    if let Some(register) = isa.operand(&insn, "i") {
        registers[register as usize] = index(&insn);
    }
    // Within the window for every size and alignment; pushed words do not overlap it.
    let address = WINDOW + if is_stack(&row.name) { 40 } else { rng.random_range(4..56) };
    let is_wide = row.fields.iter().position(|f| f.name == "d").is_some_and(|p| row.pattern.width(p) == 32);
    let is_based = isa.operand(&insn, "b").is_some() || row.name.contains("_stack");
    if !is_wide || is_based {
        reached(&mut insn, false, address, &mut registers);
    }
    [&registers[..], &summed, &window].concat()
}

/// A function around an instruction.
fn around(row: u16, _: u64, rng: &mut ChaCha8Rng) -> Option<Around> {
    let isa = isa();
    let insn = loop {
        let mut insn = drawn(row, rng);
        let mut registers = [index(&insn); 8];
        registers[ESP as usize] = STACK;
        let address = WINDOW + if is_stack(&isa.of(&insn).name) { 40 } else { 20 };
        reached(&mut insn, true, address, &mut registers);
        if isa.encode(&insn).is_ok() {
            break insn;
        }
    };
    let saved = [EBX, EBP, ESI, EDI];
    let mut items: Vec<Item> = saved.iter().map(|&r| item("push", &[("r", r)])).collect();
    for k in 0..WORDS {
        items.extend([load(EBX, OPERANDS + FILLED + 4 * k), store(EBX, WINDOW + 4 * k)]);
    }
    items.extend([store(ESP, SAVED), load(EAX, OPERANDS + SUMMED)]);
    items.push(item("add_r_at", &[("r", EAX), ("d", OPERANDS + SUMMED + 4)]));
    items.extend((0..8).map(|r| load(r, OPERANDS + 4 * r)));
    let at = items.len();
    items.push(Item::Insn(insn));
    items.push(item("mov_m_n32_at", &[("d", RESULTS + PASSED), ("n", 1)]));
    items.extend((0..8).map(|r| store(r, RESULTS + 4 * r)));
    items.push(load(ESP, SAVED));
    for (k, name) in ["setb", "sete", "sets", "seto"].into_iter().enumerate() {
        items.extend([item(name, &[("q", EAX)]), store(EAX, RESULTS + FLAGS + 4 * k as i32)]);
    }
    for k in 0..WORDS {
        items.extend([load(EBX, WINDOW + 4 * k), store(EBX, RESULTS + LEFT + 4 * k)]);
    }
    items.extend(saved.iter().rev().map(|&r| item("pop", &[("r", r)])));
    items.push(item("ret", &[]));
    Some(Around { items, at })
}

fn call(placed: &Placed, rng: &mut ChaCha8Rng) -> Call {
    let next = placed.address as i32 + i32::from(isa().of(&placed.insn).bytes()) + BEHIND;
    let words = operands(&placed.insn, next, rng);
    let results = (LEFT + 4 * WORDS) as usize;
    Call {
        arguments: vec![placed.function as u32],
        writes: vec![
            (OPERANDS as u64, words.iter().flat_map(|w| w.to_le_bytes()).collect()),
            (RESULTS as u64, vec![0; results]),
            (SAVED as u64, vec![0; 4]),
        ],
        reads: vec![(RESULTS as u64, results)],
    }
}

/// The manual leaves flags of multiplications and shifts undefined.
#[test]
fn meanings_are_those_of_qemu() {
    let argument = item("mov_r_stack8", &[("r", EAX), ("d", 4)]);
    let enter = vec![argument, item("jmp_register", &[("m", EAX)])];
    let (core, judge) = (&CORES[0], &QEMU);
    Meanings { core, judge, start: 0x10000, enter, open: true, times: 2, calls: 25, around, call }.compare(5);
}
