//! The set-up of the powers of GCM's hash key, behind the round keys ([`aesmith_cipher::contract`]).
//!
//! The hash key is the cipher of a block of zeros. A register holds a power in each lane, the highest in the lowest lane, with
//! its bytes reversed. Its product with the entry of the power that has as many factors as there are lanes is the next register.

use super::groups::Bank;
use super::products::{HIGH_HIGH, HIGH_LOW, LOW_HIGH, LOW_LOW, Middle, reduced};
use super::{FIRST, HIGH, KEY_NOW, LOW, MIXED, REVERSE, SECOND, Writer};
use crate::features;
use crate::kernels::asm::{If, at};
use crate::kernels::body::reversal;
use crate::kernels::fixed::{Fixed, IV, KEY, Vectors, in_register, on};
use crate::kernels::target::encoding;
use crate::kernels::vector::{Operation, Src, Vector, bytes};
use crate::kernels::{Parts, Unfit};
use aesmith_arrange::Variant;
use aesmith_cipher::contract::{HASH_END, HASH_ZEROS, POWERS};
use aesmith_dataflow::Round;
use aesmith_dataflow::program::Element;
use aesmith_order::Reg;
use aesmith_processor::measured::Target;
use iced_x86::{Code, Instruction, Register};

/// The powers of the next entries.
const NOW: u8 = 0;
/// The entry that leads to the next powers, in each lane.
const STEP: u8 = 1;
/// The first powers, one a register.
const POWER: u8 = 8;
/// The place of the next entries: no kernel of a set-up has an IV.
const PLACE: Register = IV;
const LEFT: Register = Register::EAX;

/// Writes the kernel that fills the table of powers.
pub(in crate::kernels) fn write(variant: &Variant, target: &Target) -> Result<Parts, Unfit> {
    let lanes = variant.lanes();
    let encoding = encoding(target, lanes);
    let needed = if lanes == 1 { features::PCLMULQDQ } else { features::VPCLMULQDQ };
    if !target.has(needed) {
        return Err(Unfit::Unsupported(
            "the powers of a hash key need PCLMULQDQ, and on ymm and zmm registers VPCLMULQDQ".to_owned(),
        ));
    }
    let rounds = variant.problem.key.rounds() as u8;
    let to = Fixed::function(lanes, encoding);
    let bank = Bank { registers: 1, at_once: 1 };
    let (absorbed, reads, rest) = (KEY_NOW, false, Middle::Two);
    let mut w = Writer { to, rounds, hashed: None, blocks: KEY_NOW, bank, absorbed, reads, rest };
    w.first_powers();
    w.entries();
    w.to.asm.name("leave");
    crate::kernels::leave(&mut w.to.asm, variant, lanes, encoding);
    Ok(Parts::plain(w.to.asm.finish().map_err(Unfit::Shape)?, 0, 0))
}

impl Writer {
    /// The first powers, into the lanes of a register, and the entry of the highest of them.
    fn first_powers(&mut self) {
        self.to.asm.name("entry");
        let control = Src::Constant(reversal(&mut self.to.asm, 1));
        let mut code = vec![
            Vector::from(Operation::Load, 1, Reg::Fixed(REVERSE), control),
            Vector::from(Operation::Load, 1, Reg::Fixed(NOW), Src::Mem(KEY, 0, false)),
        ];
        for round in 1..=self.rounds {
            let kind = if round == self.rounds { Round::EncryptLast } else { Round::Encrypt };
            let key = Src::Mem(KEY, 16 * i32::from(round), false);
            code.push(on(1, Operation::Aes(kind), NOW, NOW, key));
        }
        code.push(on(1, Operation::Shuffle, POWER, NOW, in_register(REVERSE)));
        code.extend(self.entry_of(1, STEP, POWER));
        let highest = POWER + self.to.lanes as u8 - 1;
        for power in POWER..highest {
            code.extend(self.product(1, power + 1, power, STEP));
        }
        code.push(Vector::from(Operation::Load, 1, Reg::Fixed(NOW), in_register(highest)));
        if self.to.lanes > 1 {
            code.extend(self.entry_of(1, STEP, highest));
            code.push(self.to.op(Operation::Lanes(0), STEP, STEP, in_register(STEP)));
        }
        for lane in 1..self.to.lanes as u8 {
            code.push(self.to.op(Operation::Insert(lane), NOW, NOW, in_register(highest - lane)));
        }
        self.to.write(code);
    }

    /// All entries, the lowest powers first, and the zeros behind them.
    fn entries(&mut self) {
        let size = bytes(self.to.lanes);
        let again = self.to.asm.label();
        self.to.asm.lea(PLACE, at(KEY, HASH_END as i32 - size));
        self.to.asm.made(Instruction::with2(Code::Mov_r32_imm32, LEFT, (POWERS / self.to.lanes) as i32));
        self.to.asm.align(32);
        self.to.asm.bind(again);
        let to = Src::Mem(PLACE, 0, false);
        let mut code = self.entry_of(self.to.lanes, LOW, NOW);
        code.push(Vector::store(Operation::Store, self.to.lanes, Reg::Fixed(LOW), to));
        code.extend(self.product(self.to.lanes, NOW, NOW, STEP));
        self.to.write(code);
        self.to.asm.sub(PLACE, size);
        self.to.asm.one(Code::Dec_rm32, LEFT);
        self.to.asm.jump(If::NotZero, again);
        self.to.push(on(1, Operation::Xor, FIRST, FIRST, in_register(FIRST)));
        for zeros in (0..HASH_ZEROS).step_by(16) {
            let to = Src::Mem(KEY, (HASH_END + zeros) as i32, false);
            self.to.push(Vector::store(Operation::Store, 1, Reg::Fixed(FIRST), to));
        }
    }

    /// The entries of powers whose bytes are reversed: the powers divided by x, which is a shift, and where a bit leaves it,
    /// the bits 0, 121, 126 and 127.
    fn entry_of(&mut self, lanes: usize, dst: u8, of: u8) -> Vectors {
        let polynomial = self.polynomial(lanes);
        let shifted = |operation, dst, of| Vector::of(operation, lanes, Reg::Fixed(dst), Reg::Fixed(of));
        vec![
            shifted(Operation::ShiftRight(Element::B64, 63), FIRST, of),
            on(lanes, Operation::Carryless(HIGH_LOW), SECOND, FIRST, polynomial),
            on(lanes, Operation::Xor, SECOND, SECOND, in_register(FIRST)),
            shifted(Operation::BytesLeft(8), SECOND, SECOND),
            shifted(Operation::BytesRight(8), FIRST, FIRST),
            on(lanes, Operation::Xor, SECOND, SECOND, in_register(FIRST)),
            shifted(Operation::ShiftLeft(Element::B64, 1), dst, of),
            on(lanes, Operation::Xor, dst, dst, in_register(SECOND)),
        ]
    }

    /// The products of powers, whose bytes are reversed, with entries.
    fn product(&mut self, lanes: usize, dst: u8, powers: u8, entries: u8) -> Vectors {
        let polynomial = self.polynomial(lanes);
        let halves = [(LOW_LOW, LOW), (HIGH_HIGH, HIGH), (HIGH_LOW, MIXED), (LOW_HIGH, FIRST)];
        let product = |(half, to)| on(lanes, Operation::Carryless(half), to, powers, in_register(entries));
        let mut code: Vectors = halves.into_iter().map(product).collect();
        code.push(on(lanes, Operation::Xor, MIXED, MIXED, in_register(FIRST)));
        code.extend(reduced(lanes, self.to.encoding, dst, polynomial));
        code
    }
}
