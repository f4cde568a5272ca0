//! Terms have the values that are computed: random operations are executed over terms and over numbers, and each term is
//! evaluated for the numbers. Conditions that are not decided are assumed as they are for the numbers.

use crate::concrete::model::{entry, power, product, table_entry};
use crate::concrete::{Concrete, Random};
use aesmith_check::contract::Contract;
use aesmith_check::decode::{Op, Shift};
use aesmith_check::execute::Domain;
use aesmith_check::linear::{Facts, Linear};
use aesmith_check::spec::{Round, TABLE};
use aesmith_check::symbolic::{Bit, Stop, Symbolic};
use aesmith_check::terms::{Atom, LaneId, Part, Region, Terms};
use std::collections::BTreeMap;

/// Values of all that is unknown.
#[derive(Default)]
struct Values {
    atoms: BTreeMap<Atom, u128>,
    parts: BTreeMap<Part, u128>,
    hash_key: u128,
}

impl Values {
    fn form(&self, terms: &Terms, form: &Linear) -> i128 {
        let product = |&(atom, coefficient): &(u32, i128)| {
            coefficient.wrapping_mul(self.atom(terms, terms.get_atom(atom)) as i128)
        };
        form.terms.iter().map(product).fold(form.constant, i128::wrapping_add)
    }

    fn word(&self, terms: &Terms, word: &Linear) -> u64 {
        self.form(terms, word) as u64
    }

    fn atom(&self, terms: &Terms, atom: &Atom) -> u128 {
        if let Some(&value) = self.atoms.get(atom) {
            return value;
        }
        u128::from(match atom {
            Atom::Shifted(word, by) => self.word(terms, word) >> by,
            Atom::Swapped(word) => self.word(terms, word).swap_bytes(),
            Atom::Half(lane) => self.lane(terms, *lane) as u64,
            _ => panic!("{atom:?} has no value"),
        })
    }

    fn lane(&self, terms: &Terms, lane: LaneId) -> u128 {
        let lane = terms.get_lane(lane);
        let maps = lane.maps.iter().fold(lane.constant, |sum, &(part, matrix)| {
            sum ^ terms.get_matrix(matrix).apply(self.part(terms, terms.get_part(part)))
        });
        lane.parts.iter().fold(maps, |sum, &moved| sum ^ self.moved(terms, moved))
    }

    /// A part with its bytes moved.
    fn moved(&self, terms: &Terms, (part, mask): (u32, u32)) -> u128 {
        let bytes = self.part(terms, terms.get_part(part)).to_le_bytes();
        let moved = terms.get_mask(mask).map(|from| bytes.get(usize::from(from)).copied().unwrap_or(0));
        u128::from_le_bytes(moved)
    }

    fn part(&self, terms: &Terms, part: &Part) -> u128 {
        match part {
            Part::Word(word) => u128::from(self.word(terms, word)),
            Part::Round(round, lane) => round.apply(self.lane(terms, *lane)),
            Part::Product(one, other) => {
                let [a, b] = [one, other].map(|half| self.moved(terms, *half) as u64);
                (0..64).filter(|bit| b >> bit & 1 == 1).fold(0, |sum, bit| sum ^ u128::from(a) << bit)
            }
            Part::Power(exponent) => entry(power(self.hash_key, (*exponent).into())),
            Part::Multiple(half, is_high, exponent) => {
                let half = self.moved(terms, *half) << if *is_high { 64 } else { 0 };
                product(half.swap_bytes(), power(self.hash_key, (*exponent).into()))
            }
            _ => *self.parts.get(part).unwrap_or_else(|| panic!("{part:?} has no value")),
        }
    }
}

/// Words and lanes over terms, each with its value.
struct Pools {
    words: Vec<(Linear, u64)>,
    lanes: Vec<(LaneId, u128)>,
}

/// A number that is special with some chance.
fn number(random: &mut Random) -> u64 {
    match random.below(6) {
        0 => random.below(9),
        1 => random.below(9).wrapping_neg(),
        2 => (1 << random.below(64)) - 1,
        3 => !((1 << random.below(64)) - 1),
        4 => random.below(70) << random.below(8),
        _ => random.next(),
    }
}

/// A shuffle that moves each byte anywhere, or a reversal.
fn shuffle(random: &mut Random) -> [u8; 16] {
    match random.below(3) {
        0 => std::array::from_fn(|k| 15 - k as u8),
        1 => std::array::from_fn(|k| if k < 8 { 7 - k as u8 } else { 0x80 }),
        _ => std::array::from_fn(|_| [random.below(16) as u8, 0, 0x80][random.below(3) as usize]),
    }
}

/// A lane with some bytes.
fn bytes(random: &mut Random) -> u128 {
    let byte = |k: u64, random: &mut Random| match random.below(3) {
        0 => u128::from([1, 2, 3, 0xff, random.next() as u8][random.below(5) as usize]) << (8 * k),
        _ => 0,
    };
    let step = [1, 4, 5][random.below(3) as usize];
    (0..16).step_by(step).fold(0, |all, k| all | byte(15 - k, random))
}

/// The unknowns of counter mode, with values, and the first words and lanes.
fn begin<'a>(contract: Contract, random: &mut Random) -> (Symbolic<'a>, Values, Pools) {
    let (mut s, _) = Symbolic::entry(Terms::default(), contract, &[], 0..0);
    s.splits = random.below(3) as u8;
    let mut values = Values::default();
    let mut pools = Pools { words: Vec::new(), lanes: Vec::new() };
    let low = if random.below(2) == 0 { random.below(300).wrapping_neg() } else { random.next() };
    let block = random.below(300);
    let carry = (u128::from(low) + u128::from(block)) >> 64;
    for (atom, value) in [
        (Atom::Counter(0), u128::from(low)),
        (Atom::Counter(1), u128::from(random.next())),
        (Atom::Length, u128::from(random.next() >> (1 + random.below(60)))),
        (Atom::Variable(0), u128::from(block)),
        (Atom::Variable(1), carry),
        (Atom::Base(Region::Key), u128::from(random.next())),
        (Atom::Base(Region::Code), u128::from(random.next() & !63)),
        (Atom::Base(Region::Stack), u128::from(random.next() & !15 | 8)),
        (Atom::Entry(9), u128::from(random.next())),
    ] {
        pools.words.push((s.terms.word(atom.clone()), value as u64));
        values.atoms.insert(atom, value);
    }
    for part in [Part::Key(0), Part::Key(1), Part::Text(Linear::default()), Part::Entry(3, 1)] {
        let value = u128::from(random.next()) << 64 | u128::from(random.next());
        pools.lanes.push((s.terms.part(part.clone()), value));
        values.parts.insert(part, value);
    }
    // As a head states what is done, and the carry.
    let [done, carry] = [0, 1].map(|number| s.terms.word(Atom::Variable(number)));
    let sum = pools.words[0].0.plus(&done);
    s.path.texts[0].done = Linear::default().checked(&done, 16).expect("a small number");
    let rest = sum.checked(&carry, -(1 << 64)).expect("a small number");
    s.path.facts.add(Linear::number((1 << 64) - 1).checked(&rest, -1).expect("a small number"));
    s.path.facts.add(rest);
    s.path.carry = carry;
    pools.words.push((sum.clone(), low.wrapping_add(block)));
    // The bits from 40 on may be known to be those of the first counter.
    if low >> 40 == low.wrapping_add(block + 20) >> 40 {
        let first = pools.words[0].0.clone();
        let both = s.bitwise(Op::Xor, &first, &sum.offset(20)).expect("a sum of two words");
        let top = s.shifted(&both, Shift::Right, 40);
        let zero = s.is_zero(&top);
        s.assume(&zero, true);
    }
    (s, values, pools)
}

/// Decides a condition, or assumes what it is for the numbers.
fn decide(s: &mut Symbolic, bit: &Bit, value: Option<bool>) {
    let Some(value) = value else { return };
    match s.decide(bit) {
        Ok(decided) => assert_eq!(decided, value, "{bit:?}"),
        Err(Stop::Split(bit)) => s.assume(&bit, value),
        Err(Stop::Refused(_)) => {}
    }
}

/// A block of the counter table is read; its value, if that is allowed.
fn table(
    s: &mut Symbolic,
    values: &Values,
    word: &(Linear, u64),
    random: &mut Random,
) -> Option<(LaneId, u128)> {
    let distance = if random.below(2) == 0 { random.below(5) } else { random.below(300) };
    let upper = s.shifted(&word.0, Shift::Right, 8);
    let base = s.terms.word(Atom::Base(Region::Key));
    let place = base.combine(&word.0, 16).combine(&upper, -4096);
    let place = place.offset(TABLE.start + 16 * i128::from(distance));
    let found = s.load_lane(&place).ok()?;
    let index = (word.1 & 255) + distance;
    assert!(index < 256, "a block behind the table is read: {index}");
    Some((found, table_entry(values.parts[&Part::Key(0)], index as u8)))
}

/// One operation on words or lanes that are there.
fn operate(s: &mut Symbolic, values: &Values, pools: &mut Pools, random: &mut Random) -> Option<()> {
    let mut c = Concrete { objects: Vec::new(), seen: Vec::new() };
    let (words, lanes) = (&pools.words, &pools.lanes);
    // Counters are wanted more than others.
    let word = |random: &mut Random| {
        let at = if random.below(3) == 0 { 9 } else { random.below(words.len() as u64) as usize };
        words[at].clone()
    };
    let (a, b) = (word(random), word(random));
    let lane = |random: &mut Random| lanes[random.below(lanes.len() as u64) as usize];
    let (x, y) = (lane(random), lane(random));
    let (n, mask, constant) = (number(random), shuffle(random), bytes(random));
    let by = if random.below(2) == 0 { 8 } else { 1 + random.below(63) as u8 };
    let fixed = s.lane(constant);
    let one = s.number(n);
    match random.below(20) {
        18 => pools.lanes.push((s.again(x.0), x.1)),
        0 => pools.words.push((s.combine(&a.0, &b.0, n as i64), c.combine(&a.1, &b.1, n as i64))),
        1 | 2 => {
            let small = random.below(20);
            pools.words.push((a.0.offset(i128::from(small)), a.1.wrapping_add(small)));
        }
        3 => pools.words.push((s.shifted(&a.0, Shift::Right, by), a.1 >> by)),
        4 => pools.words.push((s.bitwise(Op::And, &a.0, &one).ok()?, a.1 & n)),
        5 => pools.words.push((s.bitwise(Op::Xor, &a.0, &b.0).ok()?, a.1 ^ b.1)),
        6 => pools.words.push((s.swapped(&a.0), a.1.swap_bytes())),
        7 => pools.lanes.push((s.words(&a.0, &b.0), c.words(&a.1, &b.1))),
        8 => pools.words.push((s.half(&x.0, by & 1), c.half(&x.1, by & 1))),
        9 | 10 => pools.lanes.push((s.shuffled(&x.0, &mask), c.shuffled(&x.1, &mask))),
        11 => pools.lanes.push((s.xor(&x.0, &y.0), x.1 ^ y.1)),
        12 => pools.lanes.push((s.xor(&x.0, &fixed), x.1 ^ constant)),
        13 => {
            let whole = u128::from_le_bytes(constant.to_le_bytes().map(|b| if b == 0 { 0 } else { 0xff }));
            let fixed = s.lane(whole);
            pools.lanes.push((s.logic(0x88, [&x.0, &x.0, &fixed]).ok()?, x.1 & whole));
        }
        14 => {
            let sum = s.add_doubles(&x.0, &fixed).ok()?;
            pools.lanes.push((sum, c.add_doubles(&x.1, &constant).ok()?));
        }
        15 => {
            let (round, _) = Round::ALL[random.below(5) as usize];
            pools.lanes.push((s.round(round, &x.0), round.apply(x.1)));
        }
        16 => pools.lanes.push(table(s, values, &a, random)?),
        17 => {
            let (below, carries) = (s.is_below(&a.0, &b.0), s.carries(&a.0, &b.0, by & 1 == 1));
            let sum = c.carries(&a.1, &b.1, by & 1 == 1);
            decide(s, &below, Some(a.1 < b.1));
            decide(s, &carries, sum);
        }
        _ => {
            let low = (1 << (1 + by % 8)) - 1;
            let (zero, disjoint) = (s.is_zero(&a.0), s.disjoint(&a.0, low));
            decide(s, &zero, Some(a.1 == 0));
            decide(s, &disjoint, Some(a.1 & low == 0));
        }
    }
    Some(())
}

#[test]
fn terms_have_the_values_that_are_computed() {
    let is_soak = std::env::var_os("AESMITH_SOAK").is_some();
    let contract = Contract::named("aes128-ctr").expect("a contract");
    let mut random = Random(43);
    let mut done = 0;
    for program in 0..if is_soak { 200_000 } else { 3000 } {
        let (mut s, values, mut pools) = begin(contract, &mut random);
        for step in 0..50 {
            let before = (pools.words.len(), pools.lanes.len());
            done += usize::from(operate(&mut s, &values, &mut pools, &mut random).is_some());
            let what = format!("program {program}, step {step}");
            if pools.words.len() > before.0 {
                let (word, value) = pools.words.last_mut().expect("it is there");
                let found = values.word(&s.terms, word);
                assert_eq!(found, *value, "{what}: {word:?}");
            }
            if pools.lanes.len() > before.1 {
                let &(lane, value) = pools.lanes.last().expect("it is there");
                assert_eq!(values.lane(&s.terms, lane), value, "{what}: {:?}", s.terms.get_lane(lane));
            }
            for fact in s.path.facts.all() {
                assert!(values.form(&s.terms, fact) >= 0, "{what}: {fact:?}");
            }
        }
    }
    println!("{done} operations");
    assert!(done > 50_000, "{done}");
}

/// One operation on lanes of GCM or XTS that are there.
fn multiply(s: &mut Symbolic, pools: &mut Pools, random: &mut Random) -> Option<()> {
    let mut c = Concrete { objects: Vec::new(), seen: Vec::new() };
    let lanes = &pools.lanes;
    let lane = |random: &mut Random| lanes[random.below(lanes.len() as u64) as usize];
    let ((a, x), (b, y)) = (lane(random), lane(random));
    let halves = (random.below(2) as u8, random.below(2) as u8);
    let constant = [0xc2 << 56, 0x87, u128::from(random.next()) << 64, 0][random.below(4) as usize];
    let fixed = s.lane(constant);
    let by = 1 + random.below(63) as u8;
    let shift = [Shift::Left, Shift::Right][random.below(2) as usize];
    let from = std::array::from_fn(|at| match (shift, at % 64) {
        (Shift::Left, bit) if bit >= by.into() => at as u8 - by,
        (Shift::Right, bit) if bit + usize::from(by) < 64 => at as u8 + by,
        _ => 128,
    });
    let swap = std::array::from_fn(|k| (k as u8 + 8) % 16);
    let reversal = std::array::from_fn(|k| 15 - k as u8);
    pools.lanes.push(match random.below(9) {
        0..3 => {
            (s.product((&a, halves.0), (&b, halves.1)).ok()?, c.product((&x, halves.0), (&y, halves.1)).ok()?)
        }
        3 => (s.product((&a, halves.0), (&fixed, 0)).ok()?, c.product((&x, halves.0), (&constant, 0)).ok()?),
        4 => (s.moved(&a, &from).ok()?, c.moved(&x, &from).ok()?),
        5 => {
            let low = std::array::from_fn(|k| if k < 8 { k as u8 } else { 0x80 });
            let mask = [swap, low][random.below(2) as usize];
            (s.shuffled(&a, &mask), c.shuffled(&x, &mask))
        }
        6 => (s.shuffled(&a, &reversal), c.shuffled(&x, &reversal)),
        7 => (s.again(a), x),
        _ => (s.xor(&a, &b), x ^ y),
    });
    Some(())
}

/// A reversed block times an entry, reduced as kernels do it.
fn reduced(
    s: &mut Symbolic,
    (block, x): (LaneId, u128),
    (entry, y): (LaneId, u128),
) -> Option<(LaneId, u128)> {
    let mut c = Concrete { objects: Vec::new(), seen: Vec::new() };
    let mut of = |s: &mut Symbolic, a, b| {
        Some((s.product((&block, a), (&entry, b)).ok()?, c.product((&x, a), (&y, b)).ok()?))
    };
    let (low, high) = (of(s, 0, 0)?, of(s, 1, 1)?);
    let (one, other) = (of(s, 0, 1)?, of(s, 1, 0)?);
    let mixed = (s.xor(&one.0, &other.0), one.1 ^ other.1);
    let swap = std::array::from_fn(|k| (k as u8 + 8) % 16);
    let polynomial = (s.lane(0xc2 << 56), 0xc2_u128 << 56);
    let mut onto = |s: &mut Symbolic, from: (LaneId, u128), onto: (LaneId, u128)| {
        let first = s.product((&from.0, 0), (&polynomial.0, 0)).ok()?;
        let swapped = s.shuffled(&from.0, &swap);
        let sum = s.xor(&swapped, &first);
        let value = c.shuffled(&from.1, &swap) ^ c.product((&from.1, 0), (&polynomial.1, 0)).ok()?;
        Some((s.xor(&onto.0, &sum), onto.1 ^ value))
    };
    let mixed = onto(s, low, mixed)?;
    onto(s, mixed, high)
}

/// Products and sums of them have the values that are computed, whichever of them are products in the field.
#[test]
fn products_have_the_values_that_are_computed() {
    let is_soak = std::env::var_os("AESMITH_SOAK").is_some();
    let mut random = Random(61);
    let (mut done, mut multiples) = (0, 0);
    for program in 0..if is_soak { 20_000 } else { 300 } {
        let name = ["aes128-gcm", "aes128-xts"][program % 2];
        let contract = Contract::named(name).expect("a contract");
        let (mut s, _) = Symbolic::entry(Terms::default(), contract, &[], 0..0);
        let number = |random: &mut Random| u128::from(random.next()) << 64 | u128::from(random.next());
        let mut values = Values { hash_key: number(&mut random), ..Values::default() };
        let mut pools = Pools { words: Vec::new(), lanes: Vec::new() };
        let parts =
            [Part::Text(Linear::number(0)), Part::Text(Linear::number(1)), Part::Hash(Linear::number(0))];
        for part in parts {
            let value = number(&mut random);
            pools.lanes.push((s.terms.part(part.clone()), value));
            values.parts.insert(part, value);
        }
        for exponent in [1, 2, 5] {
            pools
                .lanes
                .push((s.terms.part(Part::Power(exponent)), entry(power(values.hash_key, exponent.into()))));
        }
        // A tweak, doubled some times.
        let tweak = number(&mut random);
        values.parts.insert(Part::Chain(Linear::number(0)), tweak);
        let matrix = s.terms.doubling(program % 200);
        let lane = s.terms.mapped(Part::Chain(Linear::number(0)), matrix);
        pools.lanes.push((lane, s.terms.get_matrix(matrix).apply(tweak)));
        for step in 0..40 {
            let before = pools.lanes.len();
            if random.below(3) == 0 {
                let pick = |random: &mut Random| random.below(before as u64) as usize;
                let (block, power) = (pools.lanes[pick(&mut random)], pools.lanes[3 + pick(&mut random) % 3]);
                pools.lanes.extend(reduced(&mut s, block, power));
            } else {
                let _ = multiply(&mut s, &mut pools, &mut random);
            }
            for &(lane, value) in &pools.lanes[before..] {
                done += 1;
                let what = format!("program {program}, step {step}");
                assert_eq!(values.lane(&s.terms, lane), value, "{what}: {:?}", s.terms.get_lane(lane));
                let folded = s.terms.folded(lane);
                assert_eq!(values.lane(&s.terms, folded), value, "{what}: {:?}", s.terms.get_lane(folded));
                let parts = &s.terms.get_lane(folded).parts;
                multiples +=
                    parts.iter().filter(|p| matches!(s.terms.get_part(p.0), Part::Multiple(..))).count();
            }
            // Sums of sums grow without end.
            pools.lanes.retain(|(lane, _)| {
                s.terms.get_lane(*lane).maps.len() + s.terms.get_lane(*lane).parts.len() < 40
            });
        }
    }
    println!("{done} operations, {multiples} products in the field");
    assert!(done > 5000 && multiples > 500, "{done} {multiples}");
}

/// A half of a product in the field, multiplied once more, is not the whole one.
#[test]
fn half_of_a_product_is_not_all_of_it() {
    let contract = Contract::named("aes128-gcm").expect("a contract");
    let (mut s, _) = Symbolic::entry(Terms::default(), contract, &[], 0..0);
    let text = s.terms.part(Part::Text(Linear::number(0)));
    let [one, two] = [1, 2].map(|exponent| (s.terms.part(Part::Power(exponent)), 0));
    let inner = reduced(&mut s, (text, 0), one).expect("a product").0;
    let inner = s.terms.folded(inner);
    let low = s.terms.shuffled(inner, &std::array::from_fn(|k| if k < 8 { k as u8 } else { 0x80 }));
    let [whole, half] = [inner, low].map(|lane| {
        let product = reduced(&mut s, (lane, 0), two).expect("a product").0;
        s.terms.folded(product)
    });
    let has_maps = |lane: LaneId| !s.terms.get_lane(lane).maps.is_empty();
    assert!(!has_maps(whole) && !has_maps(half) && whole != half);
}

/// A coefficient: small, or near a power of two.
fn coefficient(random: &mut Random) -> i128 {
    let sign = if random.below(2) == 0 { 1 } else { -1 };
    sign * match random.below(8) {
        0..3 => 0,
        3..6 => i128::from(random.below(20)),
        6 => 1 << [4, 8, 31, 32, 63, 64, 65, 95, 99][random.below(9) as usize],
        _ => (1 << random.below(66)) + i128::from(random.below(3)) - 1,
    }
}

/// Implications of facts that hold for some numbers hold for these.
#[test]
fn what_is_implied_is_true() {
    let is_soak = std::env::var_os("AESMITH_SOAK").is_some();
    let mut random = Random(47);
    let (mut implied, trials) = (0, if is_soak { 20_000_000 } else { 60_000 });
    for _ in 0..trials {
        let count = 1 + random.below(4) as usize;
        // Even atoms are words, the others are natural numbers.
        let range = |atom: u32| atom.is_multiple_of(2).then_some((1 << 64) - 1);
        let numbers: Vec<i128> = (0..count)
            .map(|_| match random.below(4) {
                0 => 0,
                1 => i128::from(random.below(4)),
                2 => i128::from(u64::MAX) - i128::from(random.below(3)),
                _ => i128::from(random.next() >> random.below(64)),
            })
            .collect();
        // A form with a value for these numbers; none if it is too large.
        let form = |value: i128, random: &mut Random| {
            let terms = (0..count as u32).map(|atom| (atom, coefficient(random))).filter(|term| term.1 != 0);
            let terms: Vec<(u32, i128)> = terms.collect();
            let sum = terms.iter().try_fold(0_i128, |sum, &(atom, coefficient)| {
                sum.checked_add(coefficient.checked_mul(numbers[atom as usize])?)
            });
            let constant = value.checked_sub(sum?)?;
            Linear { constant: 0, terms }.offset_checked(constant)
        };
        let mut facts = Facts::default();
        for _ in 0..random.below(6) {
            let slack = i128::from([0, 0, 1, random.below(99), random.next()][random.below(5) as usize]);
            form(slack, &mut random).into_iter().for_each(|fact| facts.add(fact));
        }
        for _ in 0..4 {
            let below = -1 - i128::from([0, 0, random.below(99), random.next()][random.below(4) as usize]);
            if let Some(goal) = form(below, &mut random) {
                assert!(!facts.imply(&goal, &range), "{goal:?} of {facts:?} for {numbers:?}");
            }
            // The same goal, so much greater that it holds.
            if let Some(goal) = form(i128::from(random.below(3)), &mut random) {
                implied += usize::from(facts.imply(&goal, &range));
            }
        }
    }
    println!("{implied} implied of {}", 4 * trials);
    assert!(implied > trials / 100, "{implied}");
}
