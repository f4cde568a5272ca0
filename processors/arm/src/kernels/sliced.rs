//! Blocks in constant time: two blocks as eight words, each of which holds one bit of their bytes
//! ([`aesmith_cipher::firmware::slice`]); the S-box is a circuit of 113 gates, without look-ups. Rows of the
//! state are bytes of words, so that MixColumns uses the free rotations of the barrel shifter.

use crate::dimensions;
use std::collections::HashMap;
use std::sync::{LazyLock, Mutex};

use aesmith_cipher::problem::Direction;
use aesmith_dataflow::circuits::{AND, Gates, XNOR};
use aesmith_isa::Insn;
use aesmith_isa::assemble::{Item, Section};

use super::plan::{SAVED, SP, Tables, section};
use super::writer::Code;
use crate::cycles::ARM9TDMI;
use crate::table::{insn, isa};
use aesmith_arrange::Variant;
use aesmith_order::inorder::{Block, Constraints, Search, Spill, arrange};

/// The register with the address of the round keys.
pub const KEY: i32 = 0;
const IN: i32 = 1;
const OUT: i32 = 2;
const MASK: i32 = 12;
const LR: i32 = 14;
const PC: i32 = 15;
/// Stack slots for spilled values; above them the state between rounds, the end of the round keys for a loop,
/// and the address of the result.
const SLOTS: usize = 20;
const STATE: i32 = 4 * SLOTS as i32;
const END: i32 = STATE + 32;
const RESULT: i32 = END + 4;
/// Size of the stack frame, in bytes.
pub const FRAME: u32 = END as u32 + 8;

/// The register of word `w`, which holds bit `7 - w` of each byte.
fn word(w: usize) -> i32 {
    SAVED[7 - w]
}

/// Exchanges bits `mask << by` of one register with bits `mask` of another; the mask is in its register.
fn exchange(code: &mut Code, high: i32, low: i32, by: i32) {
    code.op_sh("eor", LR, low, high, "lsr", by);
    code.op("and", LR, LR, MASK);
    code.op("eor", low, low, LR);
    code.op_sh("eor", high, high, LR, "lsl", by);
}

/// Converts eight words of bytes to eight words of bits, or back: bit b of each byte in word j moves to bit j
/// in word b.
pub fn transpose(code: &mut Code) {
    for (by, mask) in [(1, 0x55), (2, 0x33), (4, 0x0f)] {
        code.number(MASK, mask);
        code.op_sh("orr", MASK, MASK, MASK, "lsl", 8);
        code.op_sh("orr", MASK, MASK, MASK, "lsl", 16);
        for j in (0..8).filter(|j| j & by == 0) {
            exchange(code, SAVED[j], SAVED[j + by], by as i32);
        }
    }
}

/// Straight-line code over virtual registers.
pub struct Lines(pub Block);

impl Lines {
    pub fn put(&mut self, name: &str, fields: &[(&str, i32)]) {
        self.0.push(insn(name, fields));
    }

    /// A new value from two others, the second rotated.
    pub fn op(&mut self, name: &str, a: i32, b: i32, ror: i32) -> i32 {
        let d = self.0.fresh();
        match ror {
            0 => self.put(name, &[("rd", d), ("rn", a), ("rm", b)]),
            _ => self.put(&format!("{name}_ror"), &[("rd", d), ("rn", a), ("rm", b), ("sh", ror)]),
        }
        d
    }

    /// A value from two others, the second shifted.
    pub fn shifted(&mut self, name: &str, a: i32, b: i32, shift: &str, by: i32) -> i32 {
        let d = self.0.fresh();
        self.put(&format!("{name}_{shift}"), &[("rd", d), ("rn", a), ("rm", b), ("sh", by)]);
        d
    }

    /// A mask, from two immediates.
    fn mask(&mut self, high: u32, low: u32) -> i32 {
        let (h, d) = (self.0.fresh(), self.0.fresh());
        self.put("mov_i", &[("rd", h), ("con", high as i32)]);
        self.put("orr_i", &[("rd", d), ("rn", h), ("con", low as i32)]);
        d
    }

    /// Loads or stores a word of the state between rounds, which has a memory region of its own.
    fn state(&mut self, name: &str, v: i32, w: usize) {
        self.0.push_in(insn(name, &[("rd", v), ("rn", SP), ("imm", STATE + 4 * w as i32)]), 1);
    }

    /// AddRoundKey of the state in memory.
    fn add_key(&mut self) -> [i32; 8] {
        std::array::from_fn(|w| {
            let (s, k) = (self.0.fresh(), self.0.fresh());
            self.state("ldr", s, w);
            self.0.push_in(insn("ldr", &[("rd", k), ("rn", KEY), ("imm", 4 * w as i32)]), 2);
            self.op("eor", s, k, 0)
        })
    }

    /// SubBytes, or its inverse; the circuit's inputs and outputs are in the order of words.
    fn substitute(&mut self, s: [i32; 8], direction: Direction) -> [i32; 8] {
        self.gates(s, direction, true)
    }

    /// SubBytes or its inverse; without `complements`, SubBytes plus 0x63.
    pub fn gates(&mut self, s: [i32; 8], direction: Direction, complements: bool) -> [i32; 8] {
        Gates::of(0, direction == Direction::Decrypt).write(s, |table, a, b| {
            let value = self.op(if table == AND { "and" } else { "eor" }, a, b, 0);
            // The complement of a sum.
            if complements && table == XNOR {
                let d = self.0.fresh();
                self.put("mvn", &[("rd", d), ("rm", value)]);
                return d;
            }
            value
        })
    }

    /// ShiftRows: row r is byte r, and its columns are pairs of bits, which rotate down by r pairs: by two in
    /// rows 2 and 3, where halves are exchanged, and by one in rows 1 and 3; up in the inverse.
    fn shift_rows(&mut self, s: [i32; 8], direction: Direction) -> [i32; 8] {
        let halves = self.mask(0x0f00_0000, 0x000f_0000);
        let s = s.map(|x| {
            let t = self.shifted("eor", x, x, "lsr", 4);
            let t = self.op("and", t, halves, 0);
            let x = self.op("eor", x, t, 0);
            self.shifted("eor", x, t, "lsl", 4)
        });
        let (far, near, upper, lowest) = match direction {
            Direction::Encrypt => (("lsr", 2), ("lsl", 6), 0x3f, 0xc0u32),
            Direction::Decrypt => (("lsl", 2), ("lsr", 6), 0xfc, 0x03),
        };
        let upper: i32 = self.mask(upper << 24, upper << 8);
        let lowest = self.mask(lowest << 24, lowest << 8);
        let others = self.mask(0x00ff_0000, 0x00ff);
        s.map(|x| {
            let down = self.shifted("and", upper, x, far.0, far.1);
            let round = self.shifted("and", lowest, x, near.0, near.1);
            let kept = self.op("and", x, others, 0);
            let moved = self.op("orr", down, round, 0);
            self.op("orr", moved, kept, 0)
        })
    }

    /// Doubling (FIPS-197, 4.2.1): takes the next lower bit; the highest bit is added to bits 0, 1, 3 and 4.
    fn doubled(&mut self, s: [i32; 8]) -> [i32; 8] {
        std::array::from_fn(|w| {
            let next = s[(w + 1) % 8];
            if matches!(w, 3 | 4 | 6) { self.op("eor", next, s[0], 0) } else { next }
        })
    }

    /// InvMixColumns: the inverse matrix is that of MixColumns times circ(5, 0, 4, 0).
    fn unmix(&mut self, s: [i32; 8]) -> [i32; 8] {
        let sums = s.map(|a| self.op("eor", a, a, 16));
        let twice = self.doubled(sums);
        let four = self.doubled(twice);
        let s = std::array::from_fn(|w| self.op("eor", s[w], four[w], 0));
        self.mix(s)
    }

    /// MixColumns: 2 (a + a') + a' + (a + a')'', where a prime means the next row (FIPS-197, 5.1.3).
    fn mix(&mut self, s: [i32; 8]) -> [i32; 8] {
        let t: [i32; 8] = s.map(|a| self.op("eor", a, a, 8));
        std::array::from_fn(|w| {
            let u = self.op("eor", s[w], t[w], 8);
            // Doubling: takes the next lower bit; the highest bit is added to bits 0, 1, 3 and 4.
            let mut v = self.op("eor", t[(w + 1) % 8], u, 8);
            if matches!(w, 3 | 4 | 6) {
                v = self.op("eor", v, t[0], 0);
            }
            v
        })
    }
}

/// Arranged rounds, by MixColumns or not, direction and seed.
type Rounds = HashMap<(bool, bool, u32), Vec<Item>>;

/// An arranged round with registers; without `mixes`, the last one.
fn round(mixes: bool, direction: Direction, search: Search) -> Result<Vec<Item>, String> {
    static KNOWN: LazyLock<Mutex<Rounds>> = LazyLock::new(Mutex::default);
    let mut known = KNOWN.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    let which = (mixes, direction == Direction::Encrypt, search.seed);
    if let Some(items) = known.get(&which) {
        return Ok(items.clone());
    }
    let mut lines = Lines(Block::default());
    let added = lines.add_key();
    let substituted = lines.substitute(added, direction);
    let shifted = lines.shift_rows(substituted, direction);
    let leaves = match (mixes, direction) {
        (false, _) => shifted,
        (true, Direction::Encrypt) => lines.mix(shifted),
        (true, Direction::Decrypt) => lines.unmix(shifted),
    };
    for (w, v) in leaves.into_iter().enumerate() {
        lines.state("str", v, w);
    }
    let items = arranged(&lines, SLOTS, search)?;
    known.insert(which, items.clone());
    Ok(items)
}

/// Lines with an order and registers, of all except r0 and the stack pointer, and with `slots` stack slots.
pub(super) fn arranged(lines: &Lines, slots: usize, search: Search) -> Result<Vec<Item>, String> {
    let at = |name: &str, slot: usize, r: i32| -> Insn {
        insn(name, &[("rd", r), ("rn", SP), ("imm", 4 * slot as i32)])
    };
    let (store, load) = (|slot, r| at("str", slot, r), |slot, r| at("ldr", slot, r));
    let constraints = Constraints {
        free: &[1, 2, 3, 12, 14, 4, 5, 6, 7, 8, 9, 10, 11],
        spill: Some(Spill { store: &store, load: &load, slots }),
        ..Constraints::default()
    };
    Ok(arrange(isa(), &lines.0, &constraints, &ARM9TDMI, search)?.items)
}

/// Loads or stores the words of blocks in registers, in the order of their moves.
pub fn text(code: &mut Code, name: &str, base: i32) {
    for (j, register) in SAVED.into_iter().enumerate() {
        code.memory(name, register, base, 16 * (j as i32 % 2) + 4 * (j as i32 / 2));
    }
}

/// All rounds on the words of two blocks in registers, in place; the key's register holds the address of the
/// round keys. The code uses [`FRAME`] bytes of the stack except the uppermost word.
pub fn rounds(code: &mut Code, variant: &Variant, symbol: &str) -> Result<(), String> {
    let rounds = variant.problem.key.rounds();
    let search = Search { seed: variant.seed, moves: if variant.seed > 0 { 20_000 } else { 0 } };
    let direction = variant.problem.mode().direction;
    let (middle, last) = (round(true, direction, search)?, round(false, direction, search)?);
    transpose(code);
    for w in 0..8 {
        code.memory("str", word(w), SP, STATE + 4 * w as i32);
    }
    let again = |code: &mut Code| {
        code.items.extend(middle.iter().cloned());
        code.op_i("add", KEY, KEY, 32);
    };
    if variant.is(dimensions::Rounds::Looped) {
        let start = format!(".L{symbol}_rounds");
        code.op_i("add", LR, KEY, 32 * (rounds as u32 - 1));
        code.memory("str", LR, SP, END);
        code.label(&start);
        again(code);
        code.memory("ldr", LR, SP, END);
        code.put("cmp", &[("rn", KEY), ("rm", LR)]);
        // Not equal.
        code.branch_if(1, &start);
    } else {
        (1..rounds).for_each(|_| again(code));
    }
    code.items.extend(last);
    for w in 0..8 {
        code.memory("ldr", word(w), SP, STATE + 4 * w as i32);
        code.memory("ldr", [1, 2, 3, MASK][w % 4], KEY, 32 + 4 * w as i32);
        if w % 4 == 3 {
            for (k, from) in [1, 2, 3, MASK].into_iter().enumerate() {
                code.op("eor", word(w - 3 + k), word(w - 3 + k), from);
            }
        }
    }
    transpose(code);
    Ok(())
}

/// A function that saves nine registers, with `size` bytes of stack below them, after `entry`.
pub fn framed(
    symbol: &str,
    entry: Code,
    frame: u32,
    body: impl FnOnce(&mut Code) -> Result<(), String>,
) -> Result<Section, String> {
    let mut before = entry;
    let saved: Vec<i32> = SAVED.into_iter().chain([LR]).collect();
    before.several("stmdb_pre", SP, &saved);
    let mut code = Code::default();
    code.op_i("sub", SP, SP, frame);
    body(&mut code)?;
    code.op_i("add", SP, SP, frame);
    let back: Vec<i32> = SAVED.into_iter().chain([PC]).collect();
    code.several("ldmia_pre", SP, &back);
    Ok(section(symbol, Tables { mixed: None, substitution: None, schedule: false }, before, code))
}

/// `void name(const void *key, const uint8_t in[32], uint8_t out[32])`
pub fn function(variant: &Variant, symbol: &str) -> Result<Section, String> {
    framed(symbol, Code::default(), FRAME, |code| {
        code.memory("str", OUT, SP, RESULT);
        text(code, "ldr", IN);
        rounds(code, variant, symbol)?;
        code.memory("ldr", OUT, SP, RESULT);
        text(code, "str", OUT);
        Ok(())
    })
}

/// Converts round keys, which are stored one after another at the end of the space for slices, to slices from
/// its start, beginning with the first: none is overwritten before it is read. The key's register holds the
/// start.
pub(crate) fn slice_keys(code: &mut Code, rounds: usize, symbol: &str) {
    let start = format!(".L{symbol}_slices");
    let bytes = 16 * (rounds as u32 + 1);
    code.op_i("add", IN, KEY, bytes);
    code.op_i("add", 3, IN, bytes);
    code.label(&start);
    for (j, register) in SAVED.into_iter().enumerate() {
        if j % 2 == 0 {
            code.memory("ldr", register, IN, 2 * j as i32);
        } else {
            code.mov(register, SAVED[j - 1]);
        }
    }
    transpose(code);
    for w in 0..8 {
        code.memory("str", word(w), KEY, 4 * w as i32);
    }
    code.op_i("add", KEY, KEY, 32);
    code.op_i("add", IN, IN, 16);
    code.put("cmp", &[("rn", IN), ("rm", 3)]);
    // Not equal.
    code.branch_if(1, &start);
}
