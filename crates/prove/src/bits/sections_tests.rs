//! Compares symbolic addresses of sections with numbers: random sequences of operations, evaluated with the sections at
//! many places and the data at many values. All that a symbolic value claims must hold for the numbers everywhere.

use aesmith_isa::assemble::Part;
use aesmith_isa::image::Image;
use aesmith_isa::numbers::{binary, mask, signed};
use aesmith_isa::unplaced::Extent;
use aesmith_isa::values::{Binary, Shift, Values};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::bits::forms::{Bit, Node};
use crate::bits::halves::Kind;
use crate::bits::memory::ObjectId;
use crate::bits::sums::{Term, Where};
use crate::bits::symbols::{Symbols, Written};
use crate::bits::toy::ABOUT;
use crate::bits::value::{Value, Wide};

/// Sections at multiples of their alignments, and the values of data bits.
pub(super) struct World {
    bases: Vec<u64>,
    atoms: Vec<bool>,
}

const ALIGNMENTS: [u64; 4] = [4, 1, 256, 4096];
/// The address of the first section, which is the code, in the image.
pub(super) const CODE: u64 = 0x1_0000;
/// The number of atoms in the data.
pub(super) const ATOMS: usize = 8;

pub(super) fn image() -> Image {
    let section = |(k, &alignment): (usize, &u64)| Extent {
        name: format!("s{k}"),
        address: CODE + 0x1000 * k as u64,
        size: 0x800,
        alignment,
        code: k == 0,
    };
    Image { sections: ALIGNMENTS.iter().enumerate().map(section).collect(), ..Image::default() }
}

impl World {
    pub(super) fn random(rng: &mut ChaCha8Rng) -> World {
        // Half of the bases lie near borders of parts.
        let base = |rng: &mut ChaCha8Rng, alignment: u64| {
            let near = [0x7fff_f000u64, 0xffff, 0x1_0000, 0x800, 0xfff, 0x7_ffff, 0xffff_ffff, 0x8000]
                [rng.random_range(0..8)];
            let at = if rng.random() {
                rng.random::<u32>().into()
            } else {
                near.wrapping_add(rng.random_range(0..16))
            };
            (at & 0xffff_ffff) / alignment * alignment
        };
        World {
            bases: ALIGNMENTS.iter().map(|&a| base(rng, a)).collect(),
            atoms: (0..ATOMS).map(|_| rng.random()).collect(),
        }
    }

    fn bit(&self, domain: &Symbols, bit: Bit) -> Option<bool> {
        let of = |bit: Bit| self.bit(domain, bit);
        let plain = match domain.bits.nodes[(bit >> 1) as usize] {
            Node::Zero => false,
            Node::Linear(..) => {
                domain.bits.atoms_of(bit).iter().fold(false, |sum, &a| sum ^ self.atoms[a as usize])
            }
            Node::And(a, b) => of(a)? && of(b)?,
            Node::Xor(a, b) => of(a)? ^ of(b)?,
            _ => return None,
        };
        Some(plain ^ (bit & 1 == 1))
    }

    pub(super) fn bits(&self, domain: &Symbols, bits: &[Bit]) -> Option<u128> {
        bits.iter().rev().try_fold(0, |n, &b| Some(n << 1 | u128::from(self.bit(domain, b)?)))
    }

    /// The value of an address of 32 bits.
    pub(super) fn at(&self, object: ObjectId, offset: i64) -> u128 {
        u128::from(self.bases[usize::from(object)].wrapping_add_signed(offset)) & mask(32)
    }

    fn place(&self, place: Where) -> u128 {
        let minus = place.minus.map_or(0, |(o, at)| self.at(o, at));
        self.at(place.plus.0, place.plus.1).wrapping_sub(minus) & mask(32)
    }

    /// The number that a value of `width` bits is, and how many of its lowest bits are certain; `None` if it claims
    /// nothing.
    pub(super) fn value(&self, domain: &Symbols, width: u8, value: &Value) -> Option<(u128, u8)> {
        let whole = |n: u128| Some((n & mask(width), width));
        let wide = |of: &Wide| {
            let plus = of.plus.map_or(0, |(o, at)| self.at(o, at));
            let less = of.complement.map_or(0, |(o, at)| !self.at(o, at) & mask(32));
            plus + less + u128::from(of.number)
        };
        match value {
            Value::Number(n) => whole(*n),
            Value::Bits(bits) => whole(self.bits(domain, bits)?),
            Value::Pointer(o, at) | Value::Extended(o, at) => whole(self.at(*o, *at)),
            Value::NotPointer(o, at) => whole(!self.at(*o, *at)),
            Value::Complement(o, at) => whole(!self.at(*o, *at)),
            Value::Part(o, at, low) => whole(self.at(*o, *at) >> low),
            Value::Either(o, at) => whole((self.at(*o, *at) | self.at(*o, *at) >> 8) & 255),
            Value::Carry(o, at, by) | Value::WideCarry(o, at, by) => {
                whole(u128::from((self.at(*o, *at) & 255) + u128::from(*by) > 255))
            }
            Value::Wide(of) => whole(wide(of)),
            Value::Joined(parts) => {
                let (mut at, mut n, mut sure) = (0, 0, true);
                let mut certain = 0;
                for (w, part) in parts.iter() {
                    match self.value(domain, *w, part) {
                        Some((of, bits)) if sure => {
                            n |= of << at;
                            certain += bits;
                            sure = bits == *w;
                        }
                        _ => sure = false,
                    }
                    at += w;
                }
                Some((n, certain))
            }
            Value::Sum(sum) => {
                let term = |term: &Term| match term {
                    Term::Base(o, shift) => self.at(*o, 0) >> shift,
                    Term::Less(o) => self.at(*o, 0).wrapping_neg(),
                    Term::Upper(place, bits) => self.place(*place) >> bits,
                    Term::High(place, bits) => self.place(*place) >> bits << bits,
                    Term::Signed(place, bits) => signed(*bits, self.place(*place) & mask(*bits)) as u128,
                };
                let terms =
                    sum.terms.iter().map(term).fold(i128::from(sum.number) as u128, u128::wrapping_add);
                let data = sum.bits.as_ref().map_or(Some(0), |bits| self.bits(domain, bits))?;
                let shift =
                    sum.terms.iter().map(|term| if let Term::Base(_, shift) = term { *shift } else { 0 });
                let shift = shift.max().unwrap_or_default();
                Some((terms.wrapping_add(data) & mask(width), width.min(32 - shift)))
            }
            Value::Byte(byte) => {
                let (p, data) = (self.at(byte.object, byte.offset), self.bits(domain, &byte.data)?);
                match byte.kind {
                    Kind::Upper => whole((p + data) >> 8),
                    Kind::Complement => whole(!(p + data)),
                    Kind::Carry(_) => whole(u128::from((p & 255) + data > 255)),
                    Kind::Negated(upper) => whole(p.wrapping_neg() >> if upper { 8 } else { 0 }),
                    Kind::Borrow(_) => whole(u128::from(data < p.wrapping_neg() & 255)),
                    // Terms claim nothing before all are there, and a difference without its borrow neither.
                    Kind::Terms(_) | Kind::BorrowTerms(_) | Kind::Less => None,
                }
            }
            Value::Terms(_) | Value::Unknown(_) | Value::Lost(..) => None,
        }
    }
}

/// A width, a value, and its number in each world.
type Held = (u8, Value, Vec<u128>);

fn pick<'a>(rng: &mut ChaCha8Rng, all: &'a [Held]) -> &'a Held {
    // The latest value is picked as often as all others together.
    if rng.random() { &all[all.len() - 1] } else { &all[rng.random_range(0..all.len())] }
}

/// Runs one sequence, and returns how many of its values claim something about a section.
fn sequence(seed: u64) -> usize {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let image = image();
    let mut domain = Symbols::new(&image, &ABOUT);
    domain.enter_sections(&image, 32, 32);
    let worlds: Vec<World> = (0..24).map(|_| World::random(&mut rng)).collect();
    let data: Vec<Bit> = (0..ATOMS).map(|_| domain.bits.atom(true)).collect();
    let mut all: Vec<Held> = Vec::new();
    for o in 0..ALIGNMENTS.len() as ObjectId {
        let at = rng.random_range(0..16) * [1, 4][rng.random_range(0..2)];
        all.push((32, Value::Pointer(o, at), worlds.iter().map(|w| w.at(o, at)).collect()));
        let pc = CODE + 4 * rng.random_range(0..8);
        domain.pc = pc;
        let from = (0, (pc - CODE) as i64);
        let near = at + rng.random_range(0..2) * 4;
        let place = |plus: i64, minus| Where { plus: (o, plus), minus };
        for (part, n) in [
            (
                Part::High20,
                Box::new(|w: &World| w.place(place(at + 0x800, None)) >> 12) as Box<dyn Fn(&World) -> u128>,
            ),
            (Part::Low12, Box::new(|w: &World| signed(12, w.at(o, near) & 0xfff) as u128)),
            (Part::HighAdjusted, Box::new(|w: &World| w.at(o, at + 0x8000) >> 16)),
            (Part::LowSigned, Box::new(|w: &World| signed(16, w.at(o, near) & 0xffff) as u128)),
            (Part::Half(0), Box::new(|w: &World| w.at(o, near) & 0xffff)),
            (Part::Half(1), Box::new(|w: &World| w.at(o, at) >> 16)),
            (Part::AwayHigh20, Box::new(|w: &World| w.place(place(at + 0x800, Some(from))) >> 12)),
            (
                Part::AwayLow12(0),
                Box::new(|w: &World| signed(12, w.place(place(at, Some(from))) & 0xfff) as u128),
            ),
            (Part::Distance, Box::new(|w: &World| w.place(place(at, Some(from))))),
        ] {
            if rng.random_range(0..3) > 0 {
                continue;
            }
            let offset =
                if matches!(part, Part::Low12 | Part::LowSigned | Part::Half(0)) { near } else { at };
            let written = Written::Part(part, o, offset);
            let value = domain.linked_field(pc, 32, written).expect("a part");
            all.push((32, value, worlds.iter().map(|w| n(w) & mask(32)).collect()));
        }
        // The distance from a place in any section.
        let other = (rng.random_range(0..ALIGNMENTS.len() as ObjectId), rng.random_range(-8..64));
        let value = domain.linked_field(pc, 32, Written::Away((o, at), other)).expect("a distance");
        all.push((32, value, worlds.iter().map(|w| w.place(place(at, Some(other)))).collect()));
        let here = domain.address(32, pc);
        all.push((32, here, worlds.iter().map(|w| w.at(0, from.1)).collect()));
    }
    for n in [0u128, 1, 4, 0xff, 0xffff_fffc, 0xffff_ff00, 0x800, 0x1000, u128::from(rng.random::<u32>())] {
        all.push((32, Value::Number(n), vec![n; worlds.len()]));
    }
    let places: Vec<Bit> = {
        let low = rng.random_range(0..4);
        (0..32).map(|i| if (low..low + ATOMS).contains(&i) { data[i - low] } else { 0 }).collect()
    };
    let held = worlds.iter().map(|w| w.bits(&domain, &places).expect("linear")).collect();
    all.push((32, Value::Bits(places.into()), held));
    let mut told = 0;
    for step in 0..24 {
        domain.pc = step;
        let (width, a, x) = pick(&mut rng, &all).clone();
        let (other, b, y) = pick(&mut rng, &all).clone();
        let each = |f: &mut dyn FnMut(u128, u128) -> u128| {
            x.iter().zip(&y).map(|(&x, &y)| f(x, y)).collect::<Vec<u128>>()
        };
        let before = width;
        let (width, value, numbers) = match rng.random_range(0..10) {
            kind @ 0..=5 if width == other => {
                let op =
                    [Binary::Add, Binary::Add, Binary::Subtract, Binary::And, Binary::Or, Binary::Xor][kind];
                let value = domain.binary(op, width, &a, &b).expect("a value");
                (width, value, each(&mut |x, y| binary(op, width, x, y)))
            }
            6 => {
                let op = [Shift::Left, Shift::Right, Shift::Rotate][rng.random_range(0..3)];
                let n: u128 = [1, 4, 8, 12, 16, 20][rng.random_range(0..6)];
                if n >= u128::from(width) {
                    continue;
                }
                let value = domain.shift(op, width, &a, 8, &Value::Number(n)).expect("a value");
                (
                    width,
                    value,
                    each(&mut |x, _| match op {
                        Shift::Left => x << n & mask(width),
                        Shift::Right => x >> n,
                        _ => (x >> n | x << (u128::from(width) - n)) & mask(width),
                    }),
                )
            }
            7 if width > 1 => {
                let low = rng.random_range(0..width);
                let low = if rng.random() { low & 0x18 } else { low };
                let count =
                    if rng.random() && width - low >= 8 { 8 } else { rng.random_range(1..=width - low) };
                let value = domain.slice(width, &a, low, count).expect("a value");
                (count, value, each(&mut |x, _| x >> low & mask(count)))
            }
            8 if width + other <= 33 => {
                let value = domain.join((width, &a), (other, &b)).expect("a value");
                (width + other, value, each(&mut |x, y| x << other | y))
            }
            9 if width < 33 => {
                let (sign, to) = (rng.random(), if rng.random() { 32 } else { 33 }.max(width));
                let value = domain.extend(sign, width, to, &a).expect("a value");
                (to, value, each(&mut |x, _| if sign { signed(width, x) as u128 & mask(to) } else { x }))
            }
            _ => {
                let value = domain.not(width, &a).expect("a value");
                (width, value, each(&mut |x, _| !x & mask(width)))
            }
        };
        if let Value::Bits(bits) = &value {
            assert_eq!(bits.len(), usize::from(width), "seed {seed}, step {step}: of {a:?} and {b:?}");
        }
        for (world, n) in worlds.iter().zip(&numbers) {
            let found = world.value(&domain, width, &value).filter(|(_, sure)| *sure > 0);
            let Some((found, sure)) = found else { continue };
            assert_eq!(
                found & mask(sure),
                n & mask(sure),
                "seed {seed}, step {step}: {width} bits, {sure} certain, {value:?} of {a:?} and {b:?}, bases {:x?}",
                world.bases
            );
        }
        let known = worlds[0].value(&domain, width, &value).is_some_and(|(_, sure)| sure > 0);
        told += usize::from(known && domain.is_of_section(&value));
        // A comparison with a known outcome is right, too.
        if before == other {
            let equal = domain.binary(Binary::Equal, before, &a, &b).expect("a value");
            if let Value::Number(n) = equal {
                assert!(
                    x.iter().zip(&y).all(|(x, y)| u128::from(x == y) == n),
                    "seed {seed}: {a:?} == {b:?}"
                );
            }
        }
        // Compares places in one section, in worlds in which no section wraps.
        if before == other
            && let Value::Number(n) = domain.binary(Binary::Below, before, &a, &b).expect("a value")
        {
            for ((world, x), y) in worlds.iter().zip(&x).zip(&y) {
                let whole = world.bases.iter().all(|base| base + 0x800 <= 1 << 32);
                assert!(!whole || u128::from(x < y) == n, "seed {seed}: {a:?} < {b:?}");
            }
        }
        all.push((width, value, numbers));
    }
    told
}

#[test]
fn values_of_sections_are_what_numbers_are_wherever_they_stand() {
    let told: usize =
        (0..if std::env::var_os("AESMITH_SOAK").is_some() { 200_000 } else { 4_000 }).map(sequence).sum();
    assert!(told > 4_000, "of {told} values something is known");
}

/// An address of 44 bits is built from three parts, as in code for SPARC, and used for a look-up.
#[test]
fn three_parts_are_an_address() {
    let image = image();
    let mut domain = Symbols::new(&image, &ABOUT);
    domain.enter_sections(&image, 64, 64);
    // In the last section, all bits of the lower part are known.
    (0..4).for_each(|object| from_three_parts(&mut domain, object));
}

fn from_three_parts(domain: &mut Symbols, object: ObjectId) {
    let mut part = |part| domain.linked_field(CODE, 64, Written::Part(part, object, 8)).expect("a part");
    let [upper, middle, lower] = [Part::Upper44, Part::Middle44, Part::Lower44].map(&mut part);
    let shifted = domain.shift(Shift::Left, 64, &upper, 8, &Value::Number(10)).expect("a value");
    let above = domain.binary(Binary::Or, 64, &shifted, &middle).expect("a value");
    let above = domain.shift(Shift::Left, 64, &above, 8, &Value::Number(12)).expect("a value");
    for op in [Binary::Or, Binary::Add] {
        let whole = domain.binary(op, 64, &above, &lower).expect("a value");
        assert!(matches!(whole, Value::Pointer(o, 8) if o == object), "{whole:?} of {above:?} and {lower:?}");
    }
    let whole = domain.binary(Binary::Or, 64, &above, &lower).expect("a value");
    let index: Vec<Bit> =
        (0..64).map(|k| if (3..11).contains(&k) { domain.bits.atom(true) } else { 0 }).collect();
    let place = domain.binary(Binary::Add, 64, &whole, &Value::Bits(index.into())).expect("a value");
    let further = domain.binary(Binary::Add, 64, &place, &Value::Number(mask(64) - 7)).expect("a value");
    for place in [place, further] {
        let Value::Sum(sum) = &place else { panic!("{place:?}") };
        assert_eq!(sum.base(), Some((object, 0)), "{sum:?}");
        let found = domain.load(aesmith_isa::values::Space::Data, 8, 64, &place);
        assert!(
            matches!(found, Err(crate::bits::symbols::Trouble::Sentence(s)) if s.contains("where nothing is"))
        );
    }
    let twice = domain.binary(Binary::Add, 64, &above, &above).expect("a value");
    assert!(!matches!(twice, Value::Pointer(..)), "{twice:?}");
}

/// Two parts make an address of 32 bits, but not one of 44 bits, as they say nothing about the bits above.
#[test]
fn two_parts_are_an_address_where_it_has_no_more_bits() {
    let image = image();
    for (low, object) in [false, true].into_iter().flat_map(|low| (0..4).map(move |object| (low, object))) {
        let mut domain = Symbols::new(&image, &ABOUT);
        domain.enter_sections(&image, 64, 64);
        domain.low_addresses = low;
        let mut part =
            |part, at| domain.linked_field(CODE, 64, Written::Part(part, object, at)).expect("a part");
        let (upper, lower, other) =
            (part(Part::Upper32, 8), part(Part::Lower32, 8), part(Part::Lower32, 0x408));
        let above = domain.shift(Shift::Left, 64, &upper, 8, &Value::Number(10)).expect("a value");
        for op in [Binary::Or, Binary::Add] {
            let whole = domain.binary(op, 64, &above, &lower).expect("a value");
            let is_address = matches!(whole, Value::Pointer(o, 8) if o == object);
            assert_eq!(is_address, low, "{whole:?} of {above:?} and {lower:?}");
            let whole = domain.binary(op, 64, &above, &other).expect("a value");
            assert!(!matches!(whole, Value::Pointer(_, 0x408)), "{whole:?}");
        }
    }
}
