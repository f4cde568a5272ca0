//! Compares sums of a table's address and a byte of data, which are made byte by byte with carries and borrows, with
//! numbers, with the sections at many places and the data at many values. In some sequences an operand differs from that
//! of a right sum: what a value claims then must hold, too.

use aesmith_isa::assemble::Part;
use aesmith_isa::image::Image;
use aesmith_isa::numbers::{binary, mask};
use aesmith_isa::values::{Binary, Values};
use rand::seq::SliceRandom;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::bits::forms::Bit;
use crate::bits::memory::ObjectId;
use crate::bits::sections_tests::{ATOMS, CODE, World, image};
use crate::bits::symbols::{Symbols, Written};
use crate::bits::toy::ABOUT;
use crate::bits::value::Value;

/// A value of some bits, and its number in each world.
#[derive(Clone)]
struct Held {
    width: u8,
    value: Value,
    numbers: Vec<u128>,
}

/// A machine of bytes with addresses of 16 bits.
struct Machine<'a> {
    seed: u64,
    rng: ChaCha8Rng,
    domain: Symbols<'a>,
    worlds: Vec<World>,
    data: Vec<Bit>,
}

impl<'a> Machine<'a> {
    fn new(image: &'a Image, seed: u64) -> Machine<'a> {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut domain = Symbols::new(image, &ABOUT);
        domain.enter_sections(image, 16, 16);
        domain.pc = CODE;
        let worlds = (0..32).map(|_| World::random(&mut rng)).collect();
        let data = (0..ATOMS).map(|_| domain.bits.atom(true)).collect();
        Machine { seed, rng, domain, worlds, data }
    }

    /// Compares what a value claims with its numbers.
    fn held(&self, width: u8, value: Value, numbers: Vec<u128>) -> Held {
        for (world, n) in self.worlds.iter().zip(&numbers) {
            let claimed = world.value(&self.domain, width, &value).filter(|(_, sure)| *sure > 0);
            if let Some((found, sure)) = claimed {
                let at = format!("seed {}: {width} bits, {sure} certain, {value:?}", self.seed);
                assert_eq!(found & mask(sure), n & mask(sure), "{at}");
            }
        }
        Held { width, value, numbers }
    }

    fn binary(&mut self, op: Binary, a: &Held, b: &Held) -> Held {
        let value = self.domain.binary(op, a.width, &a.value, &b.value).expect("a value");
        let numbers = a.numbers.iter().zip(&b.numbers).map(|(&x, &y)| binary(op, a.width, x, y)).collect();
        self.held(a.width, value, numbers)
    }

    /// The result of an operation whose operands may stand in either order.
    fn either(&mut self, op: Binary, a: &Held, b: &Held) -> Held {
        if self.rng.random() { self.binary(op, a, b) } else { self.binary(op, b, a) }
    }

    fn not(&mut self, a: &Held) -> Held {
        let value = self.domain.not(a.width, &a.value).expect("a value");
        self.held(a.width, value, a.numbers.iter().map(|n| !n & mask(a.width)).collect())
    }

    fn slice(&mut self, a: &Held, low: u8, width: u8) -> Held {
        let value = self.domain.slice(a.width, &a.value, low, width).expect("a value");
        self.held(width, value, a.numbers.iter().map(|n| n >> low & mask(width)).collect())
    }

    fn join(&mut self, high: &Held, low: &Held) -> Held {
        let value = self.domain.join((high.width, &high.value), (low.width, &low.value)).expect("a value");
        let numbers = high.numbers.iter().zip(&low.numbers).map(|(h, l)| h << low.width | l).collect();
        self.held(high.width + low.width, value, numbers)
    }

    /// The highest bit of a byte as a byte.
    fn highest(&mut self, a: &Held) -> Held {
        let bit = self.slice(a, 7, 1);
        let value = self.domain.extend(false, 1, 8, &bit.value).expect("a value");
        self.held(8, value, bit.numbers)
    }

    fn number(&self, n: u128) -> Held {
        self.held(8, Value::Number(n & 0xff), vec![n & 0xff; self.worlds.len()])
    }

    /// A byte of data: eight unknown bits in some order, some of them, or a number.
    fn any_data(&mut self) -> Held {
        let mut bits = self.data.clone();
        match self.rng.random_range(0..10) {
            0 => return self.number(self.seed.into()),
            5 => return self.number(0),
            6 => return self.number(0xff),
            1 => bits.iter_mut().skip(4).for_each(|bit| *bit = 0),
            2 => bits.iter_mut().take(2).for_each(|bit| *bit = 0),
            3 => bits.iter_mut().for_each(|bit| *bit ^= 1),
            _ => bits.shuffle(&mut self.rng),
        }
        let numbers = self.worlds.iter().map(|world| world.bits(&self.domain, &bits).expect("linear"));
        let numbers = numbers.collect();
        self.held(8, Value::Bits(bits.into()), numbers)
    }

    fn address(&self, (object, at): (ObjectId, i64)) -> Held {
        let numbers = self.worlds.iter().map(|world| world.at(object, at) & mask(16)).collect();
        self.held(16, Value::Pointer(object, at), numbers)
    }

    /// A byte of a negated address.
    fn negated(&mut self, (object, at): (ObjectId, i64), byte: u8) -> Held {
        let written = Written::Part(Part::Negated(byte), object, at);
        let value = self.domain.linked_field(CODE, 8, written).expect("a part");
        let number = |world: &World| world.at(object, at).wrapping_neg() >> (8 * byte) & 0xff;
        self.held(8, value, self.worlds.iter().map(number).collect())
    }

    /// True if this operand is to differ from the right one.
    fn is_other(&mut self) -> bool {
        self.rng.random_ratio(1, 16)
    }

    /// A place, or rarely another: beside it, in the next page, or in another section.
    fn near(&mut self, (object, at): (ObjectId, i64)) -> (ObjectId, i64) {
        match self.rng.random_range(0..72) {
            0 => (object, at + 1),
            1 => (object, at + 0x100),
            2 => ((object + 1) % 4, at),
            _ => (object, at),
        }
    }

    /// Data, or rarely other data.
    fn data(&mut self, data: &Held) -> Held {
        if self.is_other() { self.any_data() } else { data.clone() }
    }

    /// The OR of three terms in any order, rarely with one of them twice and another not at all.
    fn majority(&mut self, mut terms: [Held; 3]) -> Held {
        if self.is_other() {
            terms[0] = terms[1].clone();
        }
        terms.shuffle(&mut self.rng);
        let two = self.either(Binary::Or, &terms[0], &terms[1]);
        self.either(Binary::Or, &two, &terms[2])
    }

    /// The sum of an address and data, by the carry of the lowest bytes.
    fn sum(&mut self, place: (ObjectId, i64), data: &Held) -> Held {
        let low = |machine: &mut Self| {
            let of = machine.near(place);
            let address = machine.address(of);
            machine.slice(&address, 0, 8)
        };
        let (first, second, third) = (low(self), low(self), low(self));
        let (one, two, three) = (self.data(data), self.data(data), self.data(data));
        let q = self.either(Binary::Add, &first, &one);
        let complement = |machine: &mut Self| {
            let of = if machine.is_other() { machine.either(Binary::Add, &second, &two) } else { q.clone() };
            if machine.is_other() { of } else { machine.not(&of) }
        };
        let (not_q, other) = (complement(self), complement(self));
        let terms = [
            self.either(Binary::And, &second, &two),
            self.either(Binary::And, &three, &not_q),
            self.either(Binary::And, &other, &third),
        ];
        let whole = self.majority(terms);
        let carry = self.highest(&whole);
        let of = self.near(place);
        let of = self.address(of);
        let high = self.slice(&of, 8, 8);
        let high = self.either(Binary::Add, &high, &carry);
        let other = self.data(data);
        let low = self.either(Binary::Add, &first, &other);
        self.join(&high, &low)
    }

    /// The difference of data and a negated address, by the borrow of the lowest bytes.
    fn difference(&mut self, place: (ObjectId, i64), data: &Held) -> Held {
        let low = |machine: &mut Self| {
            let of = machine.near(place);
            machine.negated(of, 0)
        };
        let (first, second, third) = (low(self), low(self), low(self));
        let (one, two, three) = (self.data(data), self.data(data), self.data(data));
        let q = self.binary(Binary::Subtract, &one, &first);
        let result = |machine: &mut Self| {
            if machine.is_other() { machine.binary(Binary::Subtract, &two, &second) } else { q.clone() }
        };
        let (r, s) = (result(self), result(self));
        let complement = |machine: &mut Self, of: &Held| match machine.is_other() {
            true if machine.rng.random() => machine.number(0),
            true => of.clone(),
            false => machine.not(of),
        };
        let (not_two, not_three) = (complement(self, &two), complement(self, &three));
        let terms = [
            self.either(Binary::And, &not_two, &second),
            self.either(Binary::And, &third, &r),
            self.either(Binary::And, &s, &not_three),
        ];
        let whole = self.majority(terms);
        let borrow = self.highest(&whole);
        let of = self.near(place);
        let above = self.rng.random_range(0..3);
        let (above, high) = (self.number(above), self.negated(of, 1));
        let less = self.binary(Binary::Subtract, &above, &high);
        let high = self.binary(Binary::Subtract, &less, &borrow);
        let other = self.data(data);
        let low = self.binary(Binary::Subtract, &other, &first);
        self.join(&high, &low)
    }
}

/// Makes a sum, and returns true if it is known to be the address of a byte in the section.
fn is_known(seed: u64, by_borrow: bool) -> bool {
    let image = image();
    let mut machine = Machine::new(&image, seed);
    let place = (machine.rng.random_range(0..4), machine.rng.random_range(0..0x400));
    let data = machine.any_data();
    let made = if by_borrow { machine.difference(place, &data) } else { machine.sum(place, &data) };
    // Its bytes are those that it was made of, and with a number added it is another place.
    let (low, high) = (machine.slice(&made, 0, 8), machine.slice(&made, 8, 8));
    machine.join(&high, &low);
    let by = machine.held(16, Value::Number(0x1f4), vec![0x1f4; machine.worlds.len()]);
    let further = machine.binary(Binary::Add, &made, &by);
    let (low, high) = (machine.slice(&further, 0, 8), machine.slice(&further, 8, 8));
    let again = machine.join(&high, &low);
    matches!(again.value, Value::Sum(_) | Value::Pointer(..))
}

#[test]
fn addresses_that_are_made_by_bytes_are_what_numbers_are() {
    for by_borrow in [false, true] {
        let known = (0..6000).filter(|&seed| is_known(seed, by_borrow)).count();
        assert!(known > 1000, "with borrows {by_borrow}: {known} are known");
    }
}

/// Data of 16 bits may be added to an address as a whole; its upper byte is one of data of eight bits only if nothing is
/// in the others.
#[test]
fn the_upper_byte_of_a_wide_sum_is_no_byte_of_data() {
    let image = image();
    for (wide, seed) in (8..16).flat_map(|wide| (0..20).map(move |seed| (wide, seed))) {
        let mut machine = Machine::new(&image, seed);
        let mut bits = vec![0; 16];
        bits[..8].copy_from_slice(&machine.data);
        bits.swap(wide - 1, 7);
        let numbers = machine.worlds.iter().map(|world| world.bits(&machine.domain, &bits).expect("linear"));
        let numbers = numbers.collect();
        let data = machine.held(16, Value::Bits(bits.into()), numbers);
        // Of sections at multiples of 256 the upper byte is known, whatever is added.
        let address = machine.address((seed as ObjectId % 2, 0x40 + seed as i64));
        let sum = machine.binary(Binary::Add, &address, &data);
        let (low, high) = (machine.slice(&sum, 0, 8), machine.slice(&sum, 8, 8));
        let whole = machine.join(&high, &low);
        let is_known = matches!(whole.value, Value::Sum(_));
        assert!(wide == 8 || !is_known, "{wide}: {:?}", whole.value);
        assert!(wide > 8 || is_known, "{wide}: {:?}", whole.value);
    }
}
