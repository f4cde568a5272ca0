//! Kernels of GCM for the text of a message: counter mode, and GHASH of the ciphertext.
//!
//! ```text
//! entry    counter and value of GHASH with their bytes reversed, round keys into registers
//! loop     groups of registers: key stream and text, while GHASH absorbs ciphertext that is known: when text is encrypted
//!          that of the group before, else that of the group itself
//! tail     registers one at a time
//! last     less than a register: under a mask of EVEX; else a block, and byte by byte
//! leave    counter and value of GHASH for the next call
//! ```
//!
//! A group of n blocks X with the value Y before has the value (Y + X_1) H^n + X_2 H^(n-1) + ... + X_n H (SP 800-38D, 6.4, by
//! Horner's rule). The carry-less products of halves are summed over blocks and lanes before one reduction, by two products
//! with a constant of 64 bits (Gueron and Kounavis 2010).

mod counters;
mod products;
pub(super) mod table;

use crate::dimensions::Dim;
use crate::features;
use crate::kernels::asm::{Constant, If, Label, at, indexed};
use crate::kernels::body::{lane_numbers, reversal};
use crate::kernels::fixed::{Fixed, INPUT, IV, KEY, LEN, OUTPUT, Vectors, in_register, on};
use crate::kernels::forms::register;
use crate::kernels::target::{Encoding, encoding};
use crate::kernels::vector::{Operation, Src, Vector, bytes};
use crate::kernels::{Parts, Unfit, frame};
use aesmith_arrange::Variant;
use aesmith_cipher::contract::HASH_END;
use aesmith_cipher::mode::Hashed;
use aesmith_dataflow::Round;
use aesmith_order::Reg;
use aesmith_processor::measured::{Features, Lengths, Target};
use counters::Counting;
use iced_x86::{Code, Instruction, Register};
use products::Middle;
use std::ops::Range;

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

/// The main loop: groups of registers.
struct Main {
    registers: usize,
    counting: Counting,
    middle: Middle,
}

impl Main {
    /// The sums of halves of powers, which stay in registers.
    fn sums(&self, writer: &mut Writer) -> Vectors {
        match self.middle {
            Middle::Two => Vectors::new(),
            Middle::One(into) => writer.sums_of_powers(self.registers, into),
        }
    }
}

struct Writer {
    to: Fixed,
    rounds: u8,
    /// `None` in a set-up.
    hashed: Option<Hashed>,
    /// The first register of a group's blocks, behind which are those of the ciphertext to absorb.
    blocks: u8,
}

/// Writes the kernel of a variant of GCM.
pub(super) fn write(variant: &Variant, target: &Target, lengths: Lengths) -> Result<Parts, Unfit> {
    let lanes = variant.lanes();
    let encoding = if lanes == 1 { Encoding::Vex } else { encoding(target, lanes) };
    let has = |needed: &[Features]| needed.iter().all(|needed| target.has(*needed));
    let is_able = match (lanes, encoding) {
        (1, _) => has(&[features::AVX, features::PCLMULQDQ]),
        (_, Encoding::Evex) => has(&[features::VPCLMULQDQ, features::BMI2]),
        (_, encoding) => encoding == Encoding::Vex && has(&[features::VPCLMULQDQ]),
    };
    if !is_able {
        return Err(Unfit::Unsupported(
            "GCM needs AVX and PCLMULQDQ; on ymm and zmm registers VPCLMULQDQ".to_owned(),
        ));
    }
    let (is_masked, available) = if encoding == Encoding::Evex { (true, 32) } else { (false, 16) };
    let hashed = variant.problem.mode().hashed();
    let rounds = variant.problem.key.rounds() as u8;
    let registers = usize::from(variant.get(Dim::Interleave)).max(1);
    let group = registers as i32 * bytes(lanes);
    let (looped, repeats) = (lengths.reach(group as u64), lengths.reach(2 * group as u64));
    let is_long = repeats && lengths.reach(counters::LONG as u64);
    let blocks = if lanes == 1 { KEY_NOW } else { KEY_NOW + 1 };
    let mut first_free = usize::from(blocks) + 2 * registers;
    let mut take = |count: usize| {
        first_free += count;
        (first_free - count) as u8
    };
    let counting = match (variant.get(Dim::Cached), variant.get(Dim::Counter)) {
        _ if !repeats => Counting::Swapped,
        (0, 0) => Counting::Swapped,
        (0, _) => Counting::Added,
        _ if !is_long => Counting::Swapped,
        _ => Counting::Cached(take(1)),
    };
    let middle = match variant.get(Dim::Product) {
        _ if !looped => Middle::Two,
        0 => Middle::Two,
        _ => Middle::One(take(Writer::halved(registers))),
    };
    if first_free > available {
        return Err(Unfit::Registers { needed: first_free, available });
    }
    if registers * lanes > aesmith_cipher::contract::POWERS {
        return Err(Unfit::Shape(format!(
            "a group of {} blocks needs as many powers of the hash key, and there are {}",
            registers * lanes,
            aesmith_cipher::contract::POWERS
        )));
    }
    let main = Main { registers, counting, middle };
    let mut to = Fixed::function(lanes, encoding);
    to.keep_keys(counting.first_round()..=rounds, first_free as u8..available as u8);
    let mut w = Writer { to, rounds, hashed, blocks };
    let (tail, last, leave) = (w.to.asm.label(), w.to.asm.label(), w.to.asm.label());
    if counting.is_cached() {
        frame::open(&mut w.to.asm, counters::FRAME);
    }
    w.entry();
    match counting {
        _ if !looped => {}
        Counting::Swapped => w.turns(&main, tail, repeats, true),
        _ => w.counted_turns(&main, tail),
    }
    w.to.asm.bind(tail);
    let register = bytes(lanes) as u64;
    if lengths.reach(register) && (registers > 1 || !looped) {
        w.to.asm.name("tail");
        let one = Main { registers: 1, counting: Counting::Swapped, middle: Middle::Two };
        w.turns(&one, last, lengths.reach(2 * register) && (registers != 2 || !looped), false);
    }
    w.to.asm.bind(last);
    if is_masked {
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

/// Two pieces of code that share no register that either writes, evenly mixed.
fn mixed(a: Vectors, b: Vectors) -> Vectors {
    let (total, mut code) = (a.len() + b.len(), Vectors::new());
    let (mut a, mut b) = (a.into_iter(), b.into_iter());
    let part = a.len();
    for k in 0..total {
        let is_first = (k + 1) * part / total > k * part / total;
        let next = if is_first { a.next().or_else(|| b.next()) } else { b.next().or_else(|| a.next()) };
        code.extend(next);
    }
    code
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
    fn turns(&mut self, main: &Main, after: Label, repeats: bool, is_main: bool) {
        let group = main.registers as i32 * bytes(self.to.lanes);
        let drain = self.to.asm.label();
        let lags = self.hashed == Some(Hashed::Output);
        self.to.asm.cmp(LEN, group);
        self.to.asm.jump(If::Below, after);
        let sums = main.sums(self);
        self.to.write(sums);
        if lags {
            let (cipher, kept) = (self.group(main.registers, main.counting), self.kept(main.registers));
            self.to.write([cipher, kept].concat());
            self.to.advance(group);
            if repeats {
                self.to.asm.jump(If::Below, drain);
            }
        }
        if repeats || !lags {
            self.turn(main, lags, repeats, is_main);
        }
        self.to.asm.bind(drain);
        if lags {
            let absorbed = self.absorb_group(main);
            self.to.write(absorbed);
        }
    }

    /// One group, again and again if it `repeats`.
    fn turn(&mut self, main: &Main, lags: bool, repeats: bool, is_main: bool) {
        let group = main.registers as i32 * bytes(self.to.lanes);
        let again = self.to.asm.label();
        self.to.asm.align(64);
        self.to.asm.bind(again);
        if is_main {
            self.to.asm.name("body");
        }
        let parts = self.parts(main, main.counting, lags);
        self.to.write(parts);
        self.to.advance(group);
        if repeats {
            self.to.asm.jump(If::AboveEqual, again);
        }
        if is_main {
            self.to.asm.name("body end");
        }
    }

    /// The output of one group, mixed with products of that before if they lag, else of its own ciphertext.
    fn parts(&mut self, main: &Main, counting: Counting, lags: bool) -> Vectors {
        let (cipher, kept) = (self.group(main.registers, counting), self.kept(main.registers));
        let absorbed = self.absorb_group(main);
        if lags { [mixed(cipher, absorbed), kept].concat() } else { [kept, mixed(cipher, absorbed)].concat() }
    }

    /// Absorbs a group of the main loop.
    fn absorb_group(&mut self, main: &Main) -> Vectors {
        self.absorb(main.registers, main.middle, |left| (KEY, HASH_END as i32 - left))
    }

    /// The key stream of some registers of a group, in those of the blocks.
    fn stream(&mut self, registers: Range<usize>, counting: Counting, advances: bool) -> Vectors {
        let blocks = self.blocks + registers.start as u8..self.blocks + registers.end as u8;
        let mut code = Vectors::new();
        match counting {
            Counting::Swapped => {
                let step = Src::Constant(self.numbers(self.to.lanes as u32));
                for block in blocks.clone() {
                    code.push(self.reversed(block, COUNTER));
                    code.extend(advances.then(|| self.to.op(Operation::Add32, COUNTER, COUNTER, step)));
                }
            }
            Counting::Added => {}
            Counting::Cached(common) => {
                let state =
                    |k| self.to.op(Operation::Xor, self.blocks + k as u8, common, self.entry_of_states(k));
                code.extend(registers.clone().map(state));
            }
        }
        for round in counting.first_round()..=self.rounds {
            let key = self.to.round_key(round, KEY_NOW, &mut code);
            let operation = match round {
                0 => Operation::Xor,
                _ if round == self.rounds => Operation::Aes(Round::EncryptLast),
                _ => Operation::Aes(Round::Encrypt),
            };
            code.extend(blocks.clone().map(|block| self.to.op(operation, block, block, key)));
        }
        code
    }

    /// The output of one group, in the registers of its blocks, and stored.
    fn group(&mut self, registers: usize, counting: Counting) -> Vectors {
        let mut code = self.counters(registers, counting);
        for begin in (0..registers).step_by(AT_ONCE) {
            let part = begin..registers.min(begin + AT_ONCE);
            code.extend(self.stream(part.clone(), counting, true));
            for k in part {
                let (block, at) = (self.blocks + k as u8, k as i32 * bytes(self.to.lanes));
                code.push(self.to.op(Operation::Xor, block, block, Src::Mem(INPUT, at, true)));
                let to = Src::Mem(OUTPUT, at, true);
                code.push(Vector::store(Operation::Store, self.to.lanes, Reg::Fixed(block), to));
            }
        }
        code
    }

    /// The ciphertext of a group with its bytes reversed, in the registers to absorb.
    fn kept(&self, registers: usize) -> Vectors {
        let blocks = (0..registers as u8).map(|k| (self.blocks + k, self.absorbed_first(registers) + k));
        match self.hashed {
            Some(Hashed::Output) => blocks.map(|(block, to)| self.reversed(to, block)).collect(),
            _ => {
                let text = |(block, to): (u8, u8)| {
                    let from = Src::Mem(INPUT, i32::from(block - self.blocks) * bytes(self.to.lanes), true);
                    [self.to.load(to, from), self.reversed(to, to)]
                };
                blocks.flat_map(text).collect()
            }
        }
    }

    fn absorbed_first(&self, registers: usize) -> u8 {
        self.blocks + registers as u8
    }

    /// Less than a register of text: loaded and stored under a mask, and absorbed with zeros behind it.
    fn last(&mut self, leave: Label) {
        self.to.asm.name("last");
        self.to.asm.two(Code::Test_rm64_r64, LEN, LEN);
        self.to.asm.jump(If::Zero, leave);
        self.to.asm.lea(LEFT, at(LEN, 15));
        self.to.asm.shift(Code::Shr_rm64_imm8, LEFT, 4);
        self.to.asm.mov(SCRATCH, LEFT);
        self.to.asm.shift(Code::Shl_rm64_imm8, SCRATCH, 4);
        self.to.asm.one(Code::Neg_rm64, SCRATCH);
        self.to.asm.two(Code::Add_r64_rm64, SCRATCH, KEY);
        let stream = self.stream(0..1, Counting::Swapped, false);
        self.to.write(stream);
        let text = self.blocks + 1;
        self.to.asm.made(Instruction::with2(Code::Mov_rm64_imm32, Register::R11, -1));
        self.to.asm.made(Instruction::with3(Code::VEX_Bzhi_r64_rm64_r64, Register::R11, Register::R11, LEN));
        self.to.asm.two(Code::VEX_Kmovq_kr_r64, Register::K1, Register::R11);
        let (load, store) = match self.to.lanes {
            2 => (Code::EVEX_Vmovdqu8_ymm_k1z_ymmm256, Code::EVEX_Vmovdqu8_ymmm256_k1z_ymm),
            _ => (Code::EVEX_Vmovdqu8_zmm_k1z_zmmm512, Code::EVEX_Vmovdqu8_zmmm512_k1z_zmm),
        };
        let masked = |instruction: Result<Instruction, iced_x86::IcedError>, zeroing| {
            instruction.map(|mut masked| {
                masked.set_op_mask(Register::K1);
                masked.set_zeroing_masking(zeroing);
                masked
            })
        };
        let [block, text_register] = [self.blocks, text].map(|r| register(self.to.lanes, r));
        self.to.asm.made(masked(Instruction::with2(load, text_register, at(INPUT, 0)), true));
        self.to.push(self.to.xor(self.blocks, self.blocks, text));
        self.to.asm.made(masked(Instruction::with2(store, at(OUTPUT, 0), block), false));
        let cipher = if self.hashed == Some(Hashed::Output) { block } else { text_register };
        self.to.asm.made(masked(Instruction::with2(load, text_register, cipher), true));
        self.to.push(self.reversed(text, text));
        let absorbed = self.absorb(1, Middle::Two, |_| (SCRATCH, HASH_END as i32));
        self.to.write(absorbed);
        self.to.asm.two(Code::VEX_Vmovd_xmm_rm32, register(1, FIRST), Register::EAX);
        self.to.push(on(1, Operation::Add32, COUNTER, COUNTER, in_register(FIRST)));
    }

    /// Less than a register of text without masks: a whole block, and bytes one after another. They enter the block to absorb
    /// at its lowest byte, so that the first comes to stand highest.
    fn last_bytes(&mut self, variant: &Variant, has_block: bool, leave: Label) {
        let lanes = std::mem::replace(&mut self.to.lanes, 1);
        if lanes > 1 && has_block {
            let after = self.to.asm.label();
            let one = Main { registers: 1, counting: Counting::Swapped, middle: Middle::Two };
            self.turns(&one, after, false, false);
            self.to.asm.bind(after);
        }
        self.to.asm.name("last");
        self.to.asm.two(Code::Test_rm64_r64, LEN, LEN);
        self.to.asm.jump(If::Zero, leave);
        let (stream, absorbed) = (self.blocks, self.absorbed_first(1));
        let mut code = self.stream(0..1, Counting::Swapped, true);
        code.push(self.to.xor(absorbed, absorbed, absorbed));
        self.to.write(code);
        let byte = |base| indexed(base, LEFT, 1, 0);
        let (text, key_byte) = (SCRATCH, Register::R11);
        let up = Vector::of(Operation::BytesLeft(1), 1, Reg::Fixed(absorbed), Reg::Fixed(absorbed));
        let (again, pad) = (self.to.asm.label(), self.to.asm.label());
        self.to.asm.two(Code::Xor_r32_rm32, LEFT.full_register32(), LEFT.full_register32());
        self.to.asm.bind(again);
        self.to.asm.two(Code::VEX_Vmovd_rm32_xmm, key_byte.full_register32(), register(1, stream));
        self.to.push(Vector::of(Operation::BytesRight(1), 1, Reg::Fixed(stream), Reg::Fixed(stream)));
        self.to.push(up);
        self.to.asm.made(Instruction::with2(Code::Movzx_r32_rm8, SCRATCH.full_register32(), byte(INPUT)));
        self.to.asm.two(Code::Xor_r32_rm32, key_byte.full_register32(), text.full_register32());
        self.to.asm.made(Instruction::with2(Code::Mov_rm8_r8, byte(OUTPUT), Register::R11L));
        if self.hashed == Some(Hashed::Output) {
            self.to.asm.two(Code::Movzx_r32_rm8, text.full_register32(), Register::R11L);
        }
        self.to.asm.two(Code::VEX_Vmovd_xmm_rm32, register(1, FIRST), text.full_register32());
        self.to.push(self.to.xor(absorbed, absorbed, FIRST));
        self.to.asm.add(LEFT, 1);
        self.to.asm.two(Code::Cmp_r64_rm64, LEFT, LEN);
        self.to.asm.jump(If::Below, again);
        self.to.asm.bind(pad);
        self.to.push(up);
        self.to.asm.add(LEFT, 1);
        self.to.asm.cmp(LEFT, 16);
        self.to.asm.jump(If::Below, pad);
        let absorbed = self.absorb(1, Middle::Two, |left| (KEY, HASH_END as i32 - left));
        self.to.write(absorbed);
        if variant.on(Dim::Wipe) {
            for secret in [text, key_byte].map(Register::full_register32) {
                self.to.asm.two(Code::Xor_r32_rm32, secret, secret);
            }
        }
        self.to.lanes = lanes;
    }

    fn leave(&mut self, variant: &Variant, counting: Counting) {
        self.to.asm.name("leave");
        for (value, at) in [(COUNTER, 0), (VALUE, 16)] {
            self.to.push(on(1, Operation::Shuffle, value, value, in_register(REVERSE)));
            self.to.push(Vector::store(Operation::Store, 1, Reg::Fixed(value), Src::Mem(IV, at, false)));
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
