//! Key set-up: the key schedules of FIPS-197 for both directions, and the counter table.
//!
//! SubWord comes from AESKEYGENASSIST or, several times faster on most cores, from AESENCLAST of a word
//! broadcast to all columns: ShiftRows does not change equal columns, so the instruction is SubBytes and an
//! XOR, which also adds the round constant.

use crate::dimensions::Dim;
use crate::kernels::asm::{Assembler, Constant, If, at};
use crate::kernels::select::Selection;
use crate::kernels::vector::{Operation, Src, Vector, bytes};
use crate::kernels::{Parts, Unfit, frame};
use aesmith_arrange::Variant;
use aesmith_cipher::{Direction, KeySize, Task, block, contract};
use aesmith_dataflow::Round;
use aesmith_dataflow::program::Element;
use aesmith_order::Reg;
use aesmith_processor::measured::Target;
use iced_x86::{Code, Instruction, Register};

const KEY: Register = Register::RDI;
const KEY_BYTES: Register = Register::RSI;

/// Registers: two parts of the key, temporaries, and the rotation and doubling round constant.
const LOW: u8 = 0;
const HIGH: u8 = 1;
const WORD: u8 = 2;
const SHIFTED: u8 = 3;
const OUT: u8 = 4;

/// The selection of SubWord's argument from the last word of the key part.
#[derive(Clone, Copy)]
struct Pick {
    /// The index of the 32-bit word.
    word: u8,
    /// True if RotWord is applied and the round constant added.
    rotate: bool,
}

struct Writer<'v> {
    variant: &'v Variant,
    asm: Assembler,
    direction: Direction,
    rounds: usize,
    by_keygenassist: bool,
    rcon: u8,
    select: Selection,
    fault: Option<Unfit>,
}

/// Writes the kernel of a key schedule.
pub fn write(variant: &Variant, target: &Target, slots: usize) -> Result<Parts, Unfit> {
    let Task::KeySchedule(direction) = variant.problem.task else {
        return Err(Unfit::Shape(format!("{} is no key schedule", variant.problem)));
    };
    let key = variant.problem.key;
    let mut w = Writer {
        variant,
        asm: Assembler::function(),
        direction,
        rounds: key.rounds(),
        by_keygenassist: variant.has(Dim::Schedule) && variant.get(Dim::Schedule) == 0,
        rcon: 1,
        select: Selection::new(variant, target, 1, false),
        fault: None,
    };
    let frame = w.select.bytes_of(slots);
    w.asm.name("entry");
    if frame > 0 {
        frame::open(&mut w.asm, frame);
    }
    w.load(LOW, 0);
    match key {
        KeySize::Aes128 => w.aes128(),
        KeySize::Aes192 => w.aes192(),
        KeySize::Aes256 => w.aes256(),
    }
    w.asm.name("leave");
    w.close(frame);
    w.finish(1)
}

impl Writer<'_> {
    fn push(&mut self, v: Vector) {
        /// Registers that no writer here uses by name.
        const SCRATCH: [u8; 9] = [7, 8, 9, 10, 11, 12, 13, 14, 15];
        if let Err(fault) = self.select.one(&mut self.asm, v, &SCRATCH) {
            self.fault.get_or_insert(fault);
        }
    }

    /// Clears and closes the frame.
    fn close(&mut self, frame: i32) {
        if frame == 0 {
            return;
        }
        if self.variant.on(Dim::Wipe) {
            self.xor(0, 0, 0);
            for offset in (0..frame).step_by(16) {
                let to = Src::Mem(Register::RSP, offset, false);
                self.push(Vector::store(Operation::Store, 1, Reg::Fixed(0), to));
            }
        }
        frame::close(&mut self.asm);
    }

    fn finish(mut self, lanes: usize) -> Result<Parts, Unfit> {
        crate::kernels::leave(&mut self.asm, self.variant, lanes, self.select.encoding(lanes));
        if let Some(fault) = self.fault {
            return Err(fault);
        }
        let assembled = self.asm.finish().map_err(Unfit::Shape)?;
        let spills = self.select.spills;
        Ok(Parts { spills, ..Parts::plain(assembled, 0, 0) })
    }

    fn load(&mut self, into: u8, offset: i32) {
        self.push(Vector::from(Operation::Load, 1, Reg::Fixed(into), Src::Mem(KEY_BYTES, offset, false)));
    }

    fn xor(&mut self, dst: u8, a: u8, b: u8) {
        self.push(Vector::new(Operation::Xor, 1, Reg::Fixed(dst), Reg::Fixed(a), Src::Reg(Reg::Fixed(b))));
    }

    /// `dst = operation(a)`.
    fn of(&mut self, operation: Operation, dst: u8, a: u8) {
        self.push(Vector::of(operation, 1, Reg::Fixed(dst), Reg::Fixed(a)));
    }

    /// `dst = operation(b)`.
    fn from(&mut self, operation: Operation, dst: u8, b: u8) {
        self.push(Vector::from(operation, 1, Reg::Fixed(dst), Src::Reg(Reg::Fixed(b))));
    }

    /// `dst = operation(a, b)`.
    fn two(&mut self, operation: Operation, dst: u8, a: u8, b: u8) {
        self.push(Vector::new(operation, 1, Reg::Fixed(dst), Reg::Fixed(a), Src::Reg(Reg::Fixed(b))));
    }

    /// Stores round key `r` from register `from`, after InvMixColumns for the inner rounds of the equivalent
    /// inverse cipher.
    fn put(&mut self, r: usize, from: u8) {
        let inverse = self.direction == Direction::Decrypt;
        let place = if inverse { self.rounds - r } else { r };
        let mut from = from;
        if inverse && r > 0 && r < self.rounds {
            self.push(Vector::from(Operation::InvMix, 1, Reg::Fixed(OUT), Src::Reg(Reg::Fixed(from))));
            from = OUT;
        }
        let to = Src::Mem(KEY, 16 * place as i32, false);
        self.push(Vector::store(Operation::Store, 1, Reg::Fixed(from), to));
    }

    fn constant(&mut self, words: [u8; 4]) -> Constant {
        self.asm.constant(&words.repeat(4))
    }

    /// SubWord of the selected word of `from`, in every word of [`WORD`].
    fn sub_word(&mut self, from: u8, pick: Pick) {
        let rcon = if pick.rotate { self.rcon } else { 0 };
        if pick.rotate {
            self.rcon = block::xtime(self.rcon);
        }
        if self.by_keygenassist {
            // Words 1 and 3 of the result are rotated and include the constant; 0 and 2 are not and do not.
            let result = pick.word - u8::from(!pick.rotate);
            self.from(Operation::KeyAssist(rcon), WORD, from);
            self.from(Operation::ShuffleDwords(result * 0x55), WORD, WORD);
            return;
        }
        let first = 4 * pick.word;
        let turn = u8::from(pick.rotate);
        let control: [u8; 4] = std::array::from_fn(|i| first + (i as u8 + turn) % 4);
        let word = Reg::Fixed(WORD);
        if self.select.shuffles() {
            let control = self.constant(control);
            self.push(Vector::new(Operation::Shuffle, 1, word, Reg::Fixed(from), Src::Constant(control)));
        } else {
            self.from(Operation::ShuffleDwords(pick.word * 0x55), WORD, from);
            if pick.rotate {
                self.of(Operation::ShiftRight(Element::B32, 8), SHIFTED, WORD);
                self.of(Operation::ShiftLeft(Element::B32, 24), WORD, WORD);
                self.two(Operation::Or, WORD, WORD, SHIFTED);
            }
        }
        let rcon = self.constant([rcon, 0, 0, 0]);
        let last = Operation::Aes(Round::EncryptLast);
        self.push(Vector::new(last, 1, word, word, Src::Constant(rcon)));
    }

    /// Replaces each word of `part` by the XOR of itself, all earlier words, and [`WORD`].
    fn spread(&mut self, part: u8) {
        for shift in [4, 8] {
            self.of(Operation::BytesLeft(shift), SHIFTED, part);
            self.xor(part, part, SHIFTED);
        }
        self.xor(part, part, WORD);
    }

    fn aes128(&mut self) {
        self.put(0, LOW);
        for r in 1..=10 {
            self.sub_word(LOW, Pick { word: 3, rotate: true });
            self.spread(LOW);
            self.put(r, LOW);
        }
    }

    fn aes256(&mut self) {
        self.load(HIGH, 16);
        self.put(0, LOW);
        self.put(1, HIGH);
        for r in 2..=14 {
            let (from, part) = if r % 2 == 0 { (HIGH, LOW) } else { (LOW, HIGH) };
            self.sub_word(from, Pick { word: 3, rotate: r % 2 == 0 });
            self.spread(part);
            self.put(r, part);
        }
    }

    /// The schedule with six words at a time: four in [`LOW`], two in the lower half of [`HIGH`]. Two rounds of six
    /// words make three round keys.
    fn aes192(&mut self) {
        let last = Src::Mem(KEY_BYTES, 16, false);
        self.push(Vector::from(Operation::LoadLow, 1, Reg::Fixed(HIGH), last));
        self.put(0, LOW);
        const JOINED: u8 = 5;
        for half in 1..=8 {
            self.sub_word(HIGH, Pick { word: 1, rotate: true });
            let odd = half % 2 == 1;
            self.spread(LOW);
            if odd {
                // The two pending words, then the first two of these four.
                self.two(Operation::Interleave(Element::B64, false), JOINED, HIGH, LOW);
                self.put(half / 2 * 3 + 1, JOINED);
            } else {
                self.put(half / 2 * 3, LOW);
            }
            if half == 8 {
                break;
            }
            self.of(Operation::BytesLeft(4), SHIFTED, HIGH);
            self.xor(HIGH, HIGH, SHIFTED);
            self.from(Operation::ShuffleDwords(0xff), SHIFTED, LOW);
            self.xor(HIGH, HIGH, SHIFTED);
            if odd {
                // The last two of these four, then the two that follow.
                if self.select.shuffles() {
                    self.two(Operation::AlignBytes(8), JOINED, HIGH, LOW);
                } else {
                    self.of(Operation::BytesRight(8), JOINED, LOW);
                    self.two(Operation::Interleave(Element::B64, false), JOINED, JOINED, HIGH);
                }
                self.put(half / 2 * 3 + 2, JOINED);
            }
        }
    }
}

/// Writes the kernel that builds the counter table after the round keys (see [`contract::table_entry`]): an AES
/// round of a block whose byte 15 is the counter byte XOR round key 0 and whose other bytes are the zero of the
/// S-box.
pub(crate) fn write_table(variant: &Variant, target: &Target, slots: usize) -> Result<Parts, Unfit> {
    const UNROLL: i32 = 4;
    let Task::CtrTable = variant.problem.task else {
        return Err(Unfit::Shape(format!("{} is no counter table", variant.problem)));
    };
    let lanes = variant.lanes();
    let mut w = Writer {
        variant,
        asm: Assembler::function(),
        direction: Direction::Encrypt,
        rounds: variant.problem.key.rounds(),
        by_keygenassist: false,
        rcon: 1,
        select: Selection::new(variant, target, lanes, false),
        fault: None,
    };
    let frame = w.select.bytes_of(slots);
    let zero_of_sbox = block::INV_SBOX[0];
    let mut only_last = [0u8; 16];
    only_last[15] = 0xff;
    let mut others = [zero_of_sbox; 16];
    others[15] = 0;
    let others = w.asm.constant(&others.repeat(lanes));
    let only_last = w.asm.constant(&only_last.repeat(lanes));
    let numbers: Vec<u8> = (0..lanes as u128).flat_map(|lane| (lane << 120).to_le_bytes()).collect();
    let numbers = w.asm.constant(&numbers);
    let step = crate::kernels::body::low_byte(&mut w.asm, lanes, lanes);
    let r = Reg::Fixed;
    let (base, value, zero) = (0, 1, 2);
    w.asm.name("entry");
    if frame > 0 {
        frame::open(&mut w.asm, frame);
    }
    w.push(Vector::from(Operation::Broadcast, lanes, r(base), Src::Mem(KEY, 0, false)));
    w.push(Vector::new(Operation::And, lanes, r(base), r(base), Src::Constant(only_last)));
    w.push(Vector::new(Operation::Xor, lanes, r(base), r(base), Src::Constant(others)));
    w.push(Vector::from(Operation::Load, lanes, r(value), Src::Constant(numbers)));
    w.push(Vector::new(Operation::Xor, lanes, r(zero), r(zero), Src::Reg(r(zero))));
    let again = w.asm.label();
    w.asm.lea(Register::RSI, at(KEY, contract::TABLE_OFFSET as i32));
    let passes = 256 / (lanes as i32 * UNROLL);
    w.asm.made(Instruction::with2(Code::Mov_r32_imm32, Register::EAX, passes));
    w.asm.align(32);
    w.asm.bind(again);
    for i in 0..UNROLL as u8 {
        w.push(Vector::new(Operation::Xor, lanes, r(3 + i), r(base), Src::Reg(r(value))));
        w.push(Vector::new(Operation::Add32, lanes, r(value), r(value), Src::Constant(step)));
    }
    for i in 0..UNROLL as u8 {
        let round = Operation::Aes(Round::Encrypt);
        w.push(Vector::new(round, lanes, r(3 + i), r(3 + i), Src::Reg(r(zero))));
    }
    for i in 0..UNROLL {
        let to = Src::Mem(Register::RSI, i * bytes(lanes), false);
        w.push(Vector::store(Operation::Store, lanes, r(3 + i as u8), to));
    }
    w.asm.add(Register::RSI, UNROLL * bytes(lanes));
    w.asm.one(Code::Dec_rm32, Register::EAX);
    w.asm.jump(If::NotZero, again);
    w.asm.name("leave");
    w.close(frame);
    w.finish(lanes)
}
