//! Kernels of GCM for the text of a message: counter mode, and GHASH of the ciphertext.
//!
//! ```text
//! entry    counter and value of GHASH with their bytes reversed, round keys into registers
//! loop     groups of registers: key stream and text, while GHASH absorbs ciphertext that is known: when text is encrypted
//!          that of the group before, else that of the group itself. It is kept in registers, or read again
//! tail     registers one at a time, or groups of half as many, each once
//! last     less than a register: under a mask of EVEX; else a block, and byte by byte. Or, in place of both, all that is left in
//!          one group, whose last register is under a mask
//! leave    counter and value of GHASH for the next call
//! ```
//!
//! A group of n blocks X with the value Y before has the value (Y + X_1) H^n + X_2 H^(n-1) + ... + X_n H (SP 800-38D, 6.4, by
//! Horner's rule). The carry-less products of halves are summed over blocks and lanes before one reduction, by two products
//! with a constant of 64 bits (Gueron and Kounavis 2010).

mod counters;
mod groups;
mod products;
pub(super) mod table;
mod tail;

use crate::dimensions::Dim;
use crate::features;
use crate::kernels::asm::{Constant, If, Label};
use crate::kernels::body::{lane_numbers, reversal};
use crate::kernels::fixed::{Fixed, IV, LEN, in_register, on};
use crate::kernels::target::{Encoding, encoding};
use crate::kernels::vector::{Operation, Src, Vector, bytes};
use crate::kernels::{Parts, Unfit, fixed, frame};
use aesmith_arrange::Variant;
use aesmith_cipher::mode::Hashed;
use aesmith_order::Reg;
use aesmith_processor::measured::{Features, Lengths, Target};
use counters::Counting;
use groups::{Bank, Group};
use iced_x86::{Code, Register};
use products::Middle;

/// The number of blocks that are left, partial one included.
const LEFT: Register = Register::RAX;
const SCRATCH: Register = Register::R10;

/// Counters of the next blocks, one in each lane, with their bytes reversed.
const COUNTER: u8 = 0;
/// The value of GHASH with its bytes reversed, in the lowest lane.
const VALUE: u8 = 1;
/// The control that reverses bytes.
const REVERSE: u8 = 2;
/// The sums of the products of both lower halves, of both upper halves, and of mixed halves.
const LOW: u8 = 3;
const HIGH: u8 = 4;
const MIXED: u8 = 5;
/// Temporaries of GHASH.
const FIRST: u8 = 6;
const SECOND: u8 = 7;
/// A round key that is loaded where it is needed; a block on xmm registers, whose rounds take keys from memory.
const KEY_NOW: u8 = 8;

/// The registers whose rounds alternate: enough for the latency of a round, and the fewer, the earlier GHASH has the first of
/// them.
const AT_ONCE: usize = 4;

struct Writer {
    to: Fixed,
    rounds: u8,
    /// `None` in a set-up.
    hashed: Option<Hashed>,
    /// The first register of blocks.
    blocks: u8,
    bank: Bank,
    /// The first register of ciphertext to absorb, and whether it is read again into this one.
    absorbed: u8,
    reads: bool,
    /// How products of mixed halves are made where no sum of halves is kept.
    rest: Middle,
}

/// Writes the kernel of a variant of GCM.
pub(super) fn write(variant: &Variant, target: &Target, lengths: Lengths) -> Result<Parts, Unfit> {
    let lanes = variant.lanes();
    let encoding = encoding(target, lanes);
    let needed: &[Features] = match (lanes, encoding) {
        (1, _) => &[features::PCLMULQDQ],
        (_, Encoding::Evex) => &[features::VPCLMULQDQ, features::BMI2],
        _ => &[features::VPCLMULQDQ],
    };
    if !needed.iter().all(|needed| target.has(*needed)) {
        return Err(Unfit::Unsupported(
            "GCM needs PCLMULQDQ, and on ymm and zmm registers VPCLMULQDQ".to_owned(),
        ));
    }
    let is_masked = encoding == Encoding::Evex;
    let rounds = variant.problem.key.rounds() as u8;
    let registers = usize::from(variant.get(Dim::Interleave)).max(1);
    if registers * lanes > aesmith_cipher::contract::POWERS {
        return Err(Unfit::Shape(format!(
            "a group of {} blocks needs as many powers of the hash key, and there are {}",
            registers * lanes,
            aesmith_cipher::contract::POWERS
        )));
    }
    let register = bytes(lanes) as u64;
    let group = registers as u64 * register;
    let (looped, repeats) = (lengths.reach(group), lengths.reach(2 * group));
    let is_long = repeats && lengths.reach(counters::LONG as u64);
    let is_cached = variant.get(Dim::Cached) > 0 && is_long;
    let in_one = variant.get(Dim::Tail) == 2;
    if in_one && (!is_masked || variant.get(Dim::Absorb) == 1) {
        return Err(Unfit::Shape(
            "tail=group needs masks of EVEX, on ymm and zmm registers, and a register for each one that it absorbs".to_owned(),
        ));
    }
    if in_one && is_cached {
        // What is left of a message of 8 KiB matters little, and a proof takes twice the time.
        return Err(Unfit::Shape("tail=group is not for messages with a table (cached=2)".to_owned()));
    }
    let available = usize::from(fixed::available(encoding));
    let loads_keys = fixed::loads_keys(lanes, encoding);
    let blocks = usize::from(KEY_NOW) + usize::from(loads_keys);
    let (absorbed, bank) = match variant.get(Dim::Absorb) {
        0 => (blocks + registers, Bank { registers, at_once: AT_ONCE }),
        // One register of ciphertext. What is common to states of a table needs one, too.
        _ => {
            let bank = Bank::of(registers, available - blocks - 1 - usize::from(is_cached));
            (blocks + bank.registers, bank)
        }
    };
    let reads = variant.get(Dim::Absorb) == 1;
    let mut first_free = absorbed + if reads { 1 } else { registers };
    let mut take = |count: usize| {
        first_free += count;
        (first_free - count) as u8
    };
    let counting = match (is_cached, variant.get(Dim::Counter)) {
        _ if !repeats => Counting::Swapped,
        (true, _) => Counting::Cached(take(1)),
        // A shorter message has no table, and its counters come from numbers.
        _ if variant.get(Dim::Cached) > 0 => Counting::Swapped,
        (_, 0) => Counting::Swapped,
        _ => Counting::Added,
    };
    let rest = if variant.get(Dim::Product) == 0 { Middle::Two } else { Middle::One(None) };
    let middle = match rest {
        Middle::One(_) if looped && !reads => Middle::One(Some(take(Writer::halved(registers)))),
        other => other,
    };
    if first_free > available {
        return Err(Unfit::Registers { needed: first_free, available });
    }
    let mut to = Fixed::function(lanes, encoding);
    to.keep_keys(counting.first_round()..=rounds, first_free as u8..available as u8);
    let hashed = variant.problem.mode().hashed();
    let (blocks, absorbed) = (blocks as u8, absorbed as u8);
    let mut w = Writer { to, rounds, hashed, blocks, bank, absorbed, reads, rest };
    let (tail, last, leave) = (w.to.asm.label(), w.to.asm.label(), w.to.asm.label());
    if counting.is_cached() {
        frame::open(&mut w.to.asm, counters::FRAME);
    }
    w.entry();
    let main = Group { registers, counting, middle };
    match counting {
        _ if !looped => {}
        Counting::Swapped => w.turns(&main, tail, repeats, true),
        _ => w.counted_turns(&main, tail),
    }
    w.to.asm.bind(tail);
    if !in_one && lengths.reach(register) && (registers > 1 || !looped) {
        w.to.asm.name("tail");
        w.tail(variant, lengths, registers, looped);
    }
    w.to.asm.bind(last);
    if in_one {
        w.rest(registers, lengths, leave);
    } else if is_masked {
        w.last(leave);
    } else {
        w.last_bytes(variant, lengths.reach(16), leave);
    }
    w.to.asm.bind(leave);
    w.leave(variant, counting);
    let in_registers = w.to.kept_keys();
    let assembled = w.to.asm.finish().map_err(Unfit::Shape)?;
    Ok(Parts { without_cache: !is_long, ..Parts::plain(assembled, in_registers, registers * lanes) })
}

impl Writer {
    fn reversed(&self, dst: u8, of: u8) -> Vector {
        self.to.op(Operation::Shuffle, dst, of, in_register(REVERSE))
    }

    /// Numbers in the lowest doubleword of each lane.
    fn numbers(&mut self, count: u32) -> Constant {
        let lane: [u8; 16] = u128::from(count).to_le_bytes();
        self.to.asm.constant(&lane.repeat(self.to.lanes))
    }

    fn entry(&mut self) {
        self.to.asm.name("entry");
        let control = reversal(&mut self.to.asm, self.to.lanes);
        let mut code = vec![
            self.to.load(REVERSE, Src::Constant(control)),
            Vector::from(Operation::Broadcast, self.to.lanes, Reg::Fixed(COUNTER), Src::Mem(IV, 0, false)),
            self.reversed(COUNTER, COUNTER),
            Vector::from(Operation::Load, 1, Reg::Fixed(VALUE), Src::Mem(IV, 16, false)),
            on(1, Operation::Shuffle, VALUE, VALUE, in_register(REVERSE)),
        ];
        if self.to.lanes > 1 {
            let numbers = Src::Constant(lane_numbers(&mut self.to.asm, self.to.lanes));
            code.push(self.to.op(Operation::Add32, COUNTER, COUNTER, numbers));
        }
        code.extend(self.to.load_keys());
        self.to.write(code);
    }

    /// Groups of registers as long as there is text for one, which is once at most unless `repeats`. The main loop has names.
    fn turns(&mut self, group: &Group, after: Label, repeats: bool, is_main: bool) {
        let size = group.registers as i32 * bytes(self.to.lanes);
        let drain = self.to.asm.label();
        let lags = self.lags();
        self.to.asm.cmp(LEN, size);
        self.to.asm.jump(If::Below, after);
        let sums = self.kept_sums(group);
        self.to.write(sums);
        if lags {
            self.first_group(group);
            self.to.advance(size);
            if repeats {
                self.to.asm.jump(If::Below, drain);
            }
        }
        if repeats || !lags {
            self.turn(group, repeats, is_main);
        }
        self.to.asm.bind(drain);
        if lags {
            let absorbed = self.absorb_group(group);
            self.to.write(absorbed);
        }
    }

    /// One group, again and again if it `repeats`.
    fn turn(&mut self, group: &Group, repeats: bool, is_main: bool) {
        let size = group.registers as i32 * bytes(self.to.lanes);
        let again = self.to.asm.label();
        self.to.asm.align(64);
        self.to.asm.bind(again);
        if is_main {
            self.to.asm.name("body");
        }
        let parts = self.parts(group);
        self.to.write(parts);
        self.to.advance(size);
        if repeats {
            self.to.asm.jump(If::AboveEqual, again);
        }
        if is_main {
            self.to.asm.name("body end");
        }
    }

    /// Groups of fewer registers than those of the main loop, for what it leaves, or for all if no length reaches it.
    fn tail(&mut self, variant: &Variant, lengths: Lengths, registers: usize, looped: bool) {
        let register = bytes(self.to.lanes) as u64;
        let halves = variant.get(Dim::Tail) == 1;
        let mut left = registers;
        loop {
            // A group may be all that is left, or the first of two, where the main loop is left out for its length.
            left = if halves { left.div_ceil(2) } else { 1 };
            let after = self.to.asm.label();
            if lengths.reach(left as u64 * register) {
                let repeats = !halves && lengths.reach(2 * register) && (registers != 2 || !looped);
                let group = self.fewer(left);
                self.turns(&group, after, repeats, false);
            }
            self.to.asm.bind(after);
            if left == 1 {
                return;
            }
        }
    }

    fn leave(&mut self, variant: &Variant, counting: Counting) {
        self.to.asm.name("leave");
        for (value, at) in [(COUNTER, 0), (VALUE, 16)] {
            self.to.push(on(1, Operation::Shuffle, value, value, in_register(REVERSE)));
            self.to.push(Vector::store(Operation::Store, 1, Reg::Fixed(value), Src::Mem(IV, at, false)));
        }
        if variant.on(Dim::Wipe) && counting != Counting::Swapped {
            // A byte of the counter, or what the caller left there: one value on all paths, so that it is seen to be no secret.
            self.to.asm.two(Code::Xor_r32_rm32, Register::EAX, Register::EAX);
        }
        if counting.is_cached() {
            if variant.on(Dim::Wipe) {
                self.wipe_table();
            }
            frame::close(&mut self.to.asm);
        }
        crate::kernels::leave(&mut self.to.asm, variant, self.to.lanes, self.to.encoding);
    }
}
