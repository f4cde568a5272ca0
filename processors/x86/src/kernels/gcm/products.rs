//! Products of GHASH: the halves of blocks by those of powers of the hash key, their sums, and the reduction.

use super::counters::Counting;
use super::groups::Group;
use super::{FIRST, HIGH, LOW, MIXED, SECOND, VALUE, Writer};
use crate::kernels::fixed::{KEY, Vectors, in_register, on, xor_both};
use crate::kernels::target::Encoding;
use crate::kernels::vector::{Operation, Src, Vector, bytes};
use aesmith_cipher::contract::HASH_END;
use aesmith_dataflow::program::Element;
use aesmith_order::Reg;
use iced_x86::Register;

/// Both halves of products, as the immediate of PCLMULQDQ: the lower one or the upper one of the blocks, and of the powers.
pub(super) const LOW_LOW: u8 = 0x00;
pub(super) const HIGH_LOW: u8 = 0x01;
pub(super) const LOW_HIGH: u8 = 0x10;
pub(super) const HIGH_HIGH: u8 = 0x11;

/// Exchanges the halves of a lane.
const SWAPPED: Operation = Operation::ShuffleDwords(0x4e);

/// The reduced sums of products, in each lane. The lowest 64 bits are multiplied by what x^128 = x^7 + x^2 + x + 1 makes of
/// them, bits 57, 62 and 63, and exchange their halves with the next ones; then these. The sums of mixed halves are such
/// next ones as they stand.
pub(super) fn reduced(lanes: usize, encoding: Encoding, dst: u8, polynomial: Src) -> Vectors {
    let mut code = Vectors::new();
    for (of, onto, sum) in [(LOW, MIXED, MIXED), (MIXED, HIGH, dst)] {
        code.extend([
            on(lanes, Operation::Carryless(LOW_LOW), FIRST, of, polynomial),
            Vector::from(SWAPPED, lanes, Reg::Fixed(of), in_register(of)),
        ]);
        if lanes > 1 && encoding == Encoding::Evex {
            code.extend(xor_both(lanes, encoding, onto, of, FIRST));
            let moved = || Vector::from(Operation::Load, lanes, Reg::Fixed(sum), in_register(onto));
            code.extend((sum != onto).then(moved));
        } else {
            code.push(on(lanes, Operation::Xor, of, of, in_register(FIRST)));
            code.push(on(lanes, Operation::Xor, sum, onto, in_register(of)));
        }
    }
    code
}

/// How the products of mixed halves are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Middle {
    /// Two products for each register.
    Two,
    /// One product of the sums of both halves, less those of the lower and of the upper ones (Karatsuba). From the register on,
    /// if there is one, each holds the sums of the halves of two registers of powers; else they are computed when needed.
    One(Option<u8>),
}

impl Writer {
    /// The registers that hold the sums of halves of the powers for a group, two in each.
    pub(super) fn halved(registers: usize) -> usize {
        registers.div_ceil(2)
    }

    /// The place of the powers for a register of a group of this many in the main loop.
    fn power(&self, registers: usize, k: usize) -> Src {
        Src::Mem(KEY, HASH_END as i32 - bytes(self.to.lanes) * (registers - k) as i32, false)
    }

    /// The sum of both halves of each lane, in both halves. The last operand is no register that it writes.
    fn sum_of_halves(&self, dst: u8, of: u8) -> Vectors {
        let swapped = Vector::from(SWAPPED, self.to.lanes, Reg::Fixed(dst), in_register(of));
        vec![swapped, self.to.xor(dst, dst, of)]
    }

    /// The sums of halves of a group's powers: those of each second register of powers in the upper halves.
    pub(super) fn sums_of_powers(&mut self, registers: usize, into: u8) -> Vectors {
        let mut code = Vectors::new();
        for pair in 0..Self::halved(registers) {
            let sums = into + pair as u8;
            code.push(self.to.load(FIRST, self.power(registers, 2 * pair)));
            code.extend(self.sum_of_halves(sums, FIRST));
            if 2 * pair + 1 < registers {
                code.push(self.to.load(FIRST, self.power(registers, 2 * pair + 1)));
                code.extend(self.sum_of_halves(SECOND, FIRST));
                let both = Operation::Interleave(Element::B64, false);
                code.push(self.to.op(both, sums, sums, in_register(SECOND)));
            }
        }
        code
    }

    /// The sums of halves of a group's powers, if registers keep them.
    pub(super) fn kept_sums(&mut self, group: &Group) -> Vectors {
        match group.middle {
            Middle::One(Some(into)) => self.sums_of_powers(group.registers, into),
            Middle::One(None) | Middle::Two => Vectors::new(),
        }
    }

    /// Absorbs a group of ciphertext.
    pub(super) fn absorb_group(&mut self, group: &Group) -> Vectors {
        let mut code = if self.reads {
            self.products_of_read(group)
        } else {
            self.products(group, |left| (KEY, HASH_END as i32 - left))
        };
        code.extend(self.finish(group.middle));
        code
    }

    /// Absorbs the last registers; `power` is the place of the powers for the last bytes of text, as many as it is given.
    pub(super) fn absorb_last(
        &mut self,
        registers: usize,
        power: impl Fn(i32) -> (Register, i32),
    ) -> Vectors {
        let middle = if registers == 1 { Middle::Two } else { self.rest };
        let group = Group { registers, counting: Counting::Swapped, middle };
        let mut code = self.products(&group, power);
        code.extend(self.finish(group.middle));
        code
    }

    /// The sums of products of a group whose ciphertext is kept. The first register, which the value before is added to, is the
    /// last one multiplied.
    fn products(&mut self, group: &Group, powers: impl Fn(i32) -> (Register, i32)) -> Vectors {
        let registers = group.registers;
        let product = |this: &Self, half, dst, k: usize| {
            let (base, at) = powers(bytes(this.to.lanes) * (registers - k) as i32);
            this.to.op(Operation::Carryless(half), dst, this.absorbed(k), Src::Mem(base, at, false))
        };
        let of_sums = |this: &Self, dst, k: usize| match group.middle {
            Middle::One(Some(sums)) => {
                let half = if k.is_multiple_of(2) { LOW_LOW } else { LOW_HIGH };
                let sums = in_register(sums + k as u8 / 2);
                let mut code = this.sum_of_halves(dst, this.absorbed(k));
                code.push(this.to.op(Operation::Carryless(half), dst, dst, sums));
                code
            }
            _ => {
                let (base, at) = powers(bytes(this.to.lanes) * (registers - k) as i32);
                let (powers, text) = (Src::Mem(base, at, false), this.absorbed(k));
                let mut code = this.sum_of_halves(dst, text);
                code.push(Vector::from(SWAPPED, this.to.lanes, Reg::Fixed(text), powers));
                code.push(this.to.op(Operation::Xor, text, text, powers));
                code.push(this.to.op(Operation::Carryless(LOW_LOW), dst, dst, in_register(text)));
                code
            }
        };
        let mut code = Vectors::new();
        let order: Vec<usize> = (1..registers).chain([0]).collect();
        let (begin, others) = order.split_first().expect("a group has a register");
        let add_value = |this: &Self| this.to.xor(this.absorbed(0), this.absorbed(0), VALUE);
        code.extend((registers == 1).then(|| add_value(self)));
        code.extend([(LOW_LOW, LOW), (HIGH_HIGH, HIGH)].map(|(half, dst)| product(self, half, dst, *begin)));
        match group.middle {
            Middle::Two => {
                code.push(product(self, HIGH_LOW, MIXED, *begin));
                code.push(product(self, LOW_HIGH, FIRST, *begin));
                code.push(self.to.xor(MIXED, MIXED, FIRST));
            }
            Middle::One(_) => code.extend(of_sums(self, MIXED, *begin)),
        }
        for some in others.chunks(2) {
            code.extend(some.contains(&0).then(|| add_value(self)));
            let added = |this: &Self, sum| match some.len() {
                1 => vec![this.to.xor(sum, sum, FIRST)],
                _ => this.to.xor_both(sum, FIRST, SECOND),
            };
            for (half, sum) in [(LOW_LOW, LOW), (HIGH_HIGH, HIGH)] {
                for (k, dst) in some.iter().zip([FIRST, SECOND]) {
                    code.push(product(self, half, dst, *k));
                }
                code.extend(added(self, sum));
            }
            match group.middle {
                Middle::Two => {
                    for k in some {
                        code.push(product(self, HIGH_LOW, FIRST, *k));
                        code.push(product(self, LOW_HIGH, SECOND, *k));
                        code.extend(self.to.xor_both(MIXED, FIRST, SECOND));
                    }
                }
                Middle::One(_) => {
                    for (k, dst) in some.iter().zip([FIRST, SECOND]) {
                        code.extend(of_sums(self, dst, *k));
                    }
                    code.extend(added(self, MIXED));
                }
            }
        }
        code
    }

    /// The sums of products of a group whose ciphertext is read again, register by register. In place, text is read before the
    /// output is written there, so that the first register, which waits for the value before, comes third.
    fn products_of_read(&mut self, group: &Group) -> Vectors {
        let registers = group.registers;
        let order = (1..registers.min(3)).chain([0]).chain(3..registers);
        let text = self.absorbed;
        let product =
            |this: &Self, half, dst| this.to.op(Operation::Carryless(half), dst, text, in_register(SECOND));
        let mut code = Vectors::new();
        for (n, k) in order.enumerate() {
            code.extend(self.read_again(group, k));
            code.extend((k == 0).then(|| self.to.xor(text, text, VALUE)));
            code.push(self.to.load(SECOND, self.power(registers, k)));
            for (half, sum) in [(LOW_LOW, LOW), (HIGH_HIGH, HIGH)] {
                let dst = if n == 0 { sum } else { FIRST };
                code.push(product(self, half, dst));
                code.extend((n > 0).then(|| self.to.xor(sum, sum, FIRST)));
            }
            let mixed = if n == 0 { MIXED } else { FIRST };
            if group.middle == Middle::Two {
                code.push(product(self, HIGH_LOW, mixed));
                code.push(product(self, LOW_HIGH, text));
                code.extend(match n {
                    0 => vec![self.to.xor(MIXED, MIXED, text)],
                    _ => self.to.xor_both(MIXED, FIRST, text),
                });
            } else {
                code.extend(self.sum_of_halves(mixed, text));
                code.extend(self.sum_of_halves(text, SECOND));
                code.push(self.to.op(Operation::Carryless(LOW_LOW), mixed, mixed, in_register(text)));
                code.extend((n > 0).then(|| self.to.xor(MIXED, MIXED, FIRST)));
            }
        }
        code
    }

    /// The value of GHASH after a group, whose products are summed.
    pub(super) fn finish(&mut self, middle: Middle) -> Vectors {
        let mut code = Vectors::new();
        if let Middle::One(_) = middle {
            code.extend(self.to.xor_both(MIXED, LOW, HIGH));
        }
        code.extend(self.reduce());
        code
    }

    /// The value of GHASH from the sums of products.
    fn reduce(&mut self) -> Vectors {
        let polynomial = self.polynomial(self.to.lanes);
        let sum = if self.to.lanes == 1 { VALUE } else { HIGH };
        let mut code = reduced(self.to.lanes, self.to.encoding, sum, polynomial);
        // The sum over lanes, in the lowest one.
        let swaps: &[u8] = match self.to.lanes {
            1 => &[],
            2 => &[0x01],
            _ => &[0x4e, 0xb1],
        };
        for (k, &order) in swaps.iter().enumerate() {
            code.push(self.to.op(Operation::Lanes(order), FIRST, HIGH, in_register(HIGH)));
            code.push(match k + 1 == swaps.len() {
                true => on(1, Operation::Xor, VALUE, HIGH, in_register(FIRST)),
                false => self.to.xor(HIGH, HIGH, FIRST),
            });
        }
        code
    }

    /// The constant of the reduction, in each lane.
    pub(super) fn polynomial(&mut self, lanes: usize) -> Src {
        Src::Constant(self.to.asm.constant(&(0xc2u128 << 56).to_le_bytes().repeat(lanes)))
    }
}
