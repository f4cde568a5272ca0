//! The kernels of AES-128-ECB and of its key schedule: unrolled rounds with look-ups in tables of words, in the
//! operations that processors share.

use aesmith_arrange::Variant;
use aesmith_cipher::firmware::{Firmware, Packing};
use aesmith_cipher::{Direction, Problem, Task};
use aesmith_isa::assemble::{Item, Part};
use aesmith_isa::timing::Timing;
use aesmith_isa::{Insn, Isa};
use aesmith_order::function::Target;
use aesmith_order::inorder::{Block, Search};
use aesmith_processor::core::Kernel;
use aesmith_words::function::{self, Function};
use aesmith_words::keys::Schedule;
use aesmith_words::machine::{LookedUp, Machine, Size, WordTarget};
use aesmith_words::modes::{self, Choices};
use aesmith_words::rounds;
use aesmith_words::tables::{Form, Table};

use crate::table::isa;
use crate::{Last, TIMING, Tables};

/// The address of code.
const CODE: u64 = 0x1_0000;
/// The address of tables.
const DATA: u64 = 0x2_0000;
/// The number of order changes that a seed stands for.
const MOVES: u32 = 1_000;
/// Registers of the calling convention.
const ZERO: i32 = 0;
const RA: i32 = 1;
const SP: i32 = 2;
/// Caller-saved registers; those that are no arguments of the function come first.
const VOLATILE: &[u8] = &[5, 6, 7, 28, 29, 30, 31, 17, 16, 15, 14, 13, 12, 11, 10];
/// Callee-saved registers.
const SAVED: &[u8] = &[8, 9, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27];

/// True for AES-128-ECB and the key schedule that a package of it contains.
pub fn solves(problem: Problem) -> bool {
    let (block, schedule) = (Task::Ecb(Direction::Encrypt), Task::KeySchedule(Direction::Encrypt));
    problem.key.rounds() == 10 && (problem.task == block || problem.task == schedule)
}

fn written(
    variant: &Variant,
    search: Option<Search>,
    finish: impl FnOnce(Function<'_>, &[Table]),
) -> Result<(), String> {
    let problem = variant.problem;
    if !solves(problem) {
        return Err(format!("the dummy has no kernels for {problem}"));
    }
    let form = Form::apart(if variant.is(Tables::One) { 1 } else { 4 });
    let choices = Choices {
        form,
        last: if variant.is(Last::Parts) { rounds::Last::Parts } else { rounds::Last::Bytes },
        cached: false,
        ahead: false,
        side_by_side: false,
        kept: 0,
        remade: 0,
        pointers: 0,
    };
    let schedule = Schedule { form, bytes: true, padded: None };
    let mut function = Function::new(&Dummy, &Firmware::name(problem), search);
    let tables = modes::function(&mut function, problem, schedule, choices)?;
    finish(function, &tables);
    Ok(())
}

/// The kernel of a variant.
pub fn build(variant: &Variant) -> Result<Kernel, String> {
    let search = Search { seed: variant.seed, moves: if variant.seed > 0 { MOVES } else { 0 } };
    let mut sections = Vec::new();
    written(variant, Some(search), |function, tables| {
        sections = function::finish(function, tables, CODE, DATA);
    })?;
    let problem = variant.problem;
    let contract = Firmware { problem, packing: Packing::RoundKeys, blocks: 1 };
    let symbol = Firmware::name(problem);
    Ok(Kernel { variant: variant.clone(), contract, symbol, sections, table_alignment: 4 })
}

/// Cycles of a variant's dataflow without stalls.
pub fn bound(variant: &Variant) -> Option<(f64, &'static str)> {
    let mut cycles = 0.0;
    written(variant, None, |function, _| cycles = function.bound()).ok()?;
    Some((cycles, "each instruction of the dataflow takes a cycle"))
}

fn insn(name: &str, fields: &[(&str, i32)]) -> Insn {
    isa().insn(name, fields)
}

/// The processor as a target of word kernels.
struct Dummy;

impl Target for Dummy {
    fn isa(&self) -> &'static Isa {
        isa()
    }

    fn timing(&self) -> &'static Timing {
        &TIMING
    }

    fn volatile(&self) -> &'static [u8] {
        VOLATILE
    }

    fn saved(&self) -> &'static [u8] {
        SAVED
    }

    fn stack_pointer(&self) -> i32 {
        SP
    }

    fn frame_header(&self) -> i32 {
        0
    }

    fn frame(&self, bytes: i32, make: bool) -> Vec<Item> {
        let by = if make { -bytes } else { bytes };
        vec![Item::Insn(insn("addi", &[("rd", SP), ("rs1", SP), ("imm", by)]))]
    }

    fn spill(&self, register: i32, at: i32, store: bool) -> Option<Insn> {
        let (name, field) = if store { ("sw", "rs2") } else { ("lw", "rd") };
        Some(insn(name, &[(field, register), ("rs1", SP), ("imm", at)]))
    }

    fn jump(&self, _: &str) -> Item {
        unreachable!("its functions have no loop")
    }

    fn leave(&self) -> Vec<Item> {
        vec![Item::Insn(insn("jalr", &[("rd", ZERO), ("rs1", RA)]))]
    }

    fn arguments(&self) -> &'static [u8] {
        &[10, 11, 12, 13, 14, 15, 16, 17]
    }
}

impl WordTarget for Dummy {
    fn writer(&self) -> Box<dyn Machine> {
        Box::new(Writer(Block::default()))
    }

    fn reach(&self) -> i32 {
        2048
    }

    fn if_zero(&self, _: u8, _: &str) -> Vec<Item> {
        unreachable!("its functions have no loop")
    }

    fn count(&self, _: u8, _: i32) -> Vec<Item> {
        unreachable!("its functions have no loop")
    }

    fn again(&self, _: u8, _: &str) -> Vec<Item> {
        unreachable!("its functions have no loop")
    }
}

/// Word operations as instructions. Row 0 of a column is the lowest byte of a word.
struct Writer(Block);

impl Writer {
    fn put(&mut self, name: &str, fields: &[(&str, i32)], region: Option<u16>) {
        self.0.item(Item::Insn(insn(name, fields)), region);
    }

    /// An operation on a register and a number.
    fn with(&mut self, name: &str, a: i32, field: &str, number: i32) -> i32 {
        let rd = self.0.fresh();
        self.put(name, &[("rd", rd), ("rs1", a), (field, number)], None);
        rd
    }

    /// A word shifted up by this many bits, or down if negative.
    fn moved(&mut self, word: i32, up: i32) -> i32 {
        match up {
            0 => word,
            1.. => self.with("slli", word, "shamt", up),
            _ => self.with("srli", word, "shamt", -up),
        }
    }

    /// The byte from bit `low` on, multiplied by `1 << scale`.
    fn byte(&mut self, word: i32, low: i32, scale: i32) -> i32 {
        let moved = self.moved(word, scale - low);
        if low == 24 && scale == 0 { moved } else { self.with("andi", moved, "imm", 0xff << scale) }
    }

    fn linked(&mut self, name: &str, fields: &[(&str, i32)], field: &str, label: &str, part: Part, by: i32) {
        let (insn, field, label) = (insn(name, fields), field.to_owned(), label.to_owned());
        self.0.item(Item::Linked { insn, field, label, addend: by.into(), part }, None);
    }
}

impl Machine for Writer {
    fn block(&mut self) -> &mut Block {
        &mut self.0
    }

    fn xor_to(&mut self, into: i32, a: i32, b: i32) {
        self.put("xor", &[("rd", into), ("rs1", a), ("rs2", b)], None);
    }

    fn load_to(&mut self, into: i32, size: Size, base: i32, offset: i32, region: Option<u16>) {
        let name = if size == Size::Byte { "lbu" } else { "lw" };
        self.put(name, &[("rd", into), ("rs1", base), ("imm", offset)], region);
    }

    fn store(&mut self, _: Size, value: i32, base: i32, offset: i32, region: u16) {
        self.put("sw", &[("rs2", value), ("rs1", base), ("imm", offset)], Some(region));
    }

    fn load_next(&mut self, base: i32, by: i32, region: Option<u16>) -> i32 {
        self.advance(base, by);
        self.load(Size::Word, base, 0, region)
    }

    fn store_next(&mut self, value: i32, base: i32, by: i32, region: u16) {
        self.advance(base, by);
        self.store(Size::Word, value, base, 0, region);
    }

    fn low_bit(&self, row: usize) -> u8 {
        8 * row as u8
    }

    fn index(&mut self, word: i32, row: usize, scale: u8) -> i32 {
        self.byte(word, 8 * row as i32, scale.into())
    }

    fn entry(&mut self, size: Size, base: i32, index: i32) -> i32 {
        self.entry_near(size, base, 0, index)
    }

    fn entry_near(&mut self, size: Size, base: i32, offset: i32, index: i32) -> i32 {
        let at = self.0.fresh();
        self.put("add", &[("rd", at), ("rs1", base), ("rs2", index)], None);
        self.load(size, at, offset, None)
    }

    fn placed(&mut self, found: LookedUp, row: usize) -> i32 {
        let (from, to) = (i32::from(found.low), 8 * row as i32);
        let byte = if found.alone { found.value } else { self.byte(found.value, from, 0) };
        self.moved(byte, if found.alone { to - from } else { to })
    }

    fn turned(&mut self, word: i32, rows: usize) -> i32 {
        let by = 8 * rows as i32;
        let (up, down) = (self.moved(word, by), self.moved(word, by - 32));
        self.xor(up, down)
    }

    fn sum(&mut self, a: i32, by: i32) -> i32 {
        self.with("addi", a, "imm", by)
    }

    fn advance(&mut self, register: i32, by: i32) {
        self.put("addi", &[("rd", register), ("rs1", register), ("imm", by)], None);
    }

    fn advance_and_test(&mut self, register: i32, by: i32) {
        self.advance(register, by);
    }

    fn with_constant(&mut self, word: i32, constant: u8) -> i32 {
        let number = self.with("addi", ZERO, "imm", constant.into());
        self.xor(word, number)
    }

    fn put_address(&mut self, register: i32, label: &str) {
        self.put_address_after(register, label, 0);
    }

    fn put_address_after(&mut self, register: i32, label: &str, distance: i32) {
        let high = self.0.fresh();
        self.linked("lui", &[("rd", high)], "uimm", label, Part::High20, distance);
        let fields = [("rd", register), ("rs1", high)];
        self.linked("addi", &fields, "imm", label, Part::Low12, distance);
    }

    fn put_near(&mut self, register: i32, base: i32, distance: i32) {
        let first = distance.clamp(-2048, 2047);
        self.put("addi", &[("rd", register), ("rs1", base), ("imm", first)], None);
        if first != distance {
            self.put_near(register, register, distance - first);
        }
    }

    fn increment(&mut self, _: i32, _: u8) {
        unreachable!("its functions have no counter")
    }

    fn store_byte_of(&mut self, _: i32, _: u8, _: i32, _: i32, _: u16) {
        unreachable!("its functions have no counter")
    }
}
