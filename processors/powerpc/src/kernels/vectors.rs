//! AltiVec as a machine of vector kernels.

use aesmith_isa::assemble::{Item, Part};
use aesmith_isa::timing::Timing;
use aesmith_isa::{Insn, Isa};
use aesmith_order::function::Target;
use aesmith_order::inorder::Block;
use aesmith_vectors::function::CONSTANTS;
use aesmith_vectors::lower::Constants;
use aesmith_vectors::machine::{Flag, Machine, VectorTarget, columns_rotated};

use super::target::{self, PowerPc, SP, branch, insn};
use crate::table::{CR0, V0};

/// The first callee-saved vector register.
const SAVED: u8 = 20;
/// The number of index registers that are kept, for offsets of 16 bytes, 32 and so on.
const INDICES: usize = 14;
/// A temporary for frames and counts: no address can name it.
const SCRATCH: i32 = 0;

/// A PowerPC with AltiVec. VRSAVE is not updated with the registers in use: systems that rely on it do not
/// follow this convention.
pub struct AltiVec {
    /// The processor.
    pub processor: PowerPc,
    /// True if the permutation unit rotates columns.
    pub permutes_columns: bool,
    /// One of this many lower nibbles is extracted by that unit, too; 0 for none.
    pub permutes_nibbles: usize,
}

/// Caller-saved and callee-saved registers, vector registers before general ones.
static VOLATILE: std::sync::LazyLock<Vec<u8>> = std::sync::LazyLock::new(|| {
    let general = target::VOLATILE.iter().copied().filter(|&r| i32::from(r) != SCRATCH);
    (V0..V0 + SAVED).chain(general).collect()
});
static KEPT: std::sync::LazyLock<Vec<u8>> =
    std::sync::LazyLock::new(|| (V0 + SAVED..V0 + 32).chain(target::SAVED.iter().copied()).collect());

/// True for a vector register.
fn is_vector(register: u8) -> bool {
    (V0..V0 + 32).contains(&register)
}

impl Target for AltiVec {
    fn isa(&self) -> &'static Isa {
        self.processor.isa()
    }

    fn timing(&self) -> &'static Timing {
        self.processor.timing()
    }

    fn volatile(&self) -> &'static [u8] {
        &VOLATILE
    }

    fn saved(&self) -> &'static [u8] {
        &KEPT
    }

    fn stack_pointer(&self) -> i32 {
        SP
    }

    fn frame_header(&self) -> i32 {
        self.processor.frame_header()
    }

    fn frame(&self, bytes: i32, make: bool) -> Vec<Item> {
        self.processor.frame(bytes, make)
    }

    /// A spill of a vector register would take one more instruction: none is spilled.
    fn spill(&self, _: i32, _: i32, _: bool) -> Option<Insn> {
        None
    }

    fn room(&self, register: u8) -> i32 {
        if is_vector(register) { 16 } else { self.slot() }
    }

    fn save(&self, register: u8, at: i32, store: bool) -> Vec<Insn> {
        let r = i32::from(register);
        if !is_vector(register) {
            return self.processor.spill(r, at, store).into_iter().collect();
        }
        let name = if store { "stvx" } else { "lvx" };
        vec![
            insn("li", &[("rt", SCRATCH), ("si", at)]),
            insn(name, &[("vt", r), ("ra", SP), ("rb", SCRATCH)]),
        ]
    }

    fn jump(&self, label: &str) -> Item {
        self.processor.jump(label)
    }

    fn leave(&self) -> Vec<Item> {
        self.processor.leave()
    }

    fn arguments(&self) -> &'static [u8] {
        self.processor.arguments()
    }
}

impl VectorTarget for AltiVec {
    fn writer(&self, kept: &[u8]) -> Box<dyn Machine> {
        Box::new(Writer {
            block: Block::default(),
            kept: kept.to_vec(),
            permutes_columns: self.permutes_columns,
            permutes_nibbles: self.permutes_nibbles,
            nibbles: 0,
        })
    }

    fn keeps(&self) -> usize {
        1 + INDICES
    }

    fn fits(&self, register: u8, vector: bool) -> bool {
        is_vector(register) == vector
    }

    fn is_roomy(&self) -> bool {
        false
    }

    fn last_byte(&self, register: u8, address: u8) -> Vec<Item> {
        let fields = [("rt", register.into()), ("ra", address.into()), ("d", 15)];
        vec![Item::Insn(insn("lbz", &fields))]
    }

    fn branch(&self, flag: Flag, below: bool, label: &str) -> Item {
        branch(if below { "blt" } else { "bge" }, &[("cr", field(flag))], label)
    }
}

/// The condition register field for a flag, which is never callee-saved.
fn field(flag: Flag) -> i32 {
    let number = match flag {
        Flag::Blocks => 0,
        Flag::Wraps => 1,
    };
    i32::from(CR0) + number
}

/// Writes a block.
struct Writer {
    block: Block,
    /// The register of the constants' address, and those of the numbers 16, 32 and so on, if they are kept.
    kept: Vec<u8>,
    /// See [`AltiVec::permutes_columns`].
    permutes_columns: bool,
    /// See [`AltiVec::permutes_nibbles`].
    permutes_nibbles: usize,
    /// The number of lower nibbles extracted so far.
    nibbles: usize,
}

impl Writer {
    fn put_insn(&mut self, name: &str, fields: &[(&str, i32)], region: Option<u16>) {
        self.block.item(Item::Insn(insn(name, fields)), region);
    }

    fn op(&mut self, name: &str, fields: &[(&str, i32)]) -> i32 {
        let vt = self.block.fresh();
        let all: Vec<(&str, i32)> = fields.iter().copied().chain([("vt", vt)]).collect();
        self.put_insn(name, &all, None);
        vt
    }

    fn two(&mut self, name: &str, a: i32, b: i32) -> i32 {
        self.op(name, &[("va", a), ("vb", b)])
    }

    fn constants_address(&mut self, register: i32) {
        let mut linked = |name: &str, fields: &[(&str, i32)], part: Part| {
            let (insn, field, label) = (insn(name, fields), "si".to_owned(), CONSTANTS.to_owned());
            self.block.item(Item::Linked { insn, field, label, addend: 0, part }, None);
        };
        linked("lis", &[("rt", register)], Part::HighAdjusted);
        linked("addi", &[("rt", register), ("ra", register)], Part::LowSigned);
    }

    /// Loads or stores 16 bytes at an address plus an offset.
    fn access(&mut self, name: &str, vt: i32, base: i32, offset: i32, region: Option<u16>) {
        if offset == 0 {
            return self.put_insn(&format!("{name}_absolute"), &[("vt", vt), ("rb", base)], region);
        }
        let index = match self.kept.get((offset / 16) as usize) {
            Some(&kept) if offset > 0 => i32::from(kept),
            _ => {
                let index = self.block.fresh();
                self.put_insn("li", &[("rt", index), ("si", offset)], None);
                index
            }
        };
        self.put_insn(name, &[("vt", vt), ("ra", base), ("rb", index)], region);
    }
}

impl Machine for Writer {
    fn block(&mut self) -> &mut Block {
        &mut self.block
    }

    fn xor(&mut self, a: i32, b: i32) -> i32 {
        self.two("vxor", a, b)
    }

    fn and(&mut self, a: i32, b: i32) -> i32 {
        self.two("vand", a, b)
    }

    fn and_byte(&mut self, constants: &mut Constants, a: i32, byte: u8) -> i32 {
        self.nibbles += usize::from(byte == 0x0f);
        if byte == 0x0f && self.permutes_nibbles > 0 && self.nibbles.is_multiple_of(self.permutes_nibbles) {
            // Entry `i` of the table is `i`, and both halves are equal, so a look-up returns the lowest four bits.
            let same = constants.get(self, std::array::from_fn(|i| i as u8));
            return self.shuffle(same, same, a);
        }
        let byte = constants.byte(self, byte);
        self.two("vand", a, byte)
    }

    fn xor_byte(&mut self, constants: &mut Constants, a: i32, byte: u8) -> i32 {
        let byte = constants.byte(self, byte);
        self.two("vxor", a, byte)
    }

    fn upper_nibbles(&mut self, constants: &mut Constants, a: i32) -> i32 {
        let four = constants.byte(self, 4);
        self.two("vsrb", a, four)
    }

    fn clears_above_nibbles(&self) -> bool {
        true
    }

    fn twice(&mut self, _: &mut Constants, a: i32) -> i32 {
        self.two("vaddubm", a, a)
    }

    /// Bit 4 of an index selects the second register.
    fn nowhere(&self) -> u8 {
        0x10
    }

    fn look_up(&mut self, constants: &mut Constants, table: i32, index: i32) -> i32 {
        let zero = constants.byte(self, 0);
        self.shuffle(table, zero, index)
    }

    fn where_positive(&mut self, constants: &mut Constants, byte: u8, a: i32) -> i32 {
        let seven = constants.byte(self, 7);
        let signs = self.two("vsrab", a, seven);
        let byte = constants.byte(self, byte);
        self.two("vandc", byte, signs)
    }

    fn shuffle(&mut self, a: i32, b: i32, control: i32) -> i32 {
        self.op("vperm", &[("va", a), ("vb", b), ("vc", control)])
    }

    fn rotate_words(&mut self, constants: &mut Constants, a: i32, bytes: u8) -> i32 {
        if self.permutes_columns {
            let control = constants.get(self, columns_rotated(bytes));
            return self.shuffle(a, a, control);
        }
        let by = constants.byte(self, 8 * bytes);
        self.two("vrlw", a, by)
    }

    fn add_words(&mut self, a: i32, b: i32) -> i32 {
        self.two("vadduwm", a, b)
    }

    fn add_words_to(&mut self, into: i32, a: i32) {
        self.put_insn("vadduwm", &[("vt", into), ("va", into), ("vb", a)], None);
    }

    fn carry_words(&mut self, a: i32, b: i32) -> i32 {
        self.two("vaddcuw", a, b)
    }

    fn words_before(&mut self, constants: &mut Constants, a: i32) -> i32 {
        let zero = constants.byte(self, 0);
        self.op("vsldoi", &[("va", a), ("vb", zero), ("shb", 4)])
    }

    fn constant(&mut self, place: usize) -> i32 {
        let base = match self.kept.first() {
            Some(&kept) => i32::from(kept),
            None => {
                let base = self.block.fresh();
                self.constants_address(base);
                base
            }
        };
        self.load(base, 16 * place as i32, None)
    }

    fn load(&mut self, base: i32, offset: i32, region: Option<u16>) -> i32 {
        let vt = self.block.fresh();
        self.access("lvx", vt, base, offset, region);
        vt
    }

    fn store(&mut self, value: i32, base: i32, offset: i32, region: u16) {
        self.access("stvx", value, base, offset, Some(region));
    }

    fn put(&mut self, into: i32, a: i32) {
        self.put_insn("vor", &[("vt", into), ("va", a), ("vb", a)], None);
    }

    fn advance(&mut self, register: i32, by: i32) {
        self.put_near(register, register, by);
    }

    fn count(&mut self, _: &mut Constants, register: i32, by: i32) {
        self.advance(register, by);
    }

    fn count_byte(&mut self, _: &mut Constants, register: i32, by: i32) {
        self.advance(register, by);
        let fields = [("ra", register), ("rs", register), ("sh", 0), ("mb", 24), ("me", 31)];
        self.put_insn("rlwinm", &fields, None);
    }

    fn put_near(&mut self, register: i32, base: i32, distance: i32) {
        self.put_insn("addi", &[("rt", register), ("ra", base), ("si", distance)], None);
    }

    fn compare(&mut self, register: i32, number: i32, flag: Flag) {
        self.put_insn("cmplwi", &[("cr", field(flag)), ("ra", register), ("ui", number)], None);
    }

    fn put_kept(&mut self, kept: &[u8]) {
        self.constants_address(kept[0].into());
        for (number, &register) in kept.iter().enumerate().skip(1) {
            self.put_insn("li", &[("rt", register.into()), ("si", 16 * number as i32)], None);
        }
    }
}
