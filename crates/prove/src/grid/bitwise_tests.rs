//! Tests of logic on words against numbers: each statement of the domain about a bit must hold for random values of the
//! atoms, and a bit that it calls public must not change with the secrets.

use aesmith_cipher::block::{INV_SBOX, SBOX};
use aesmith_dataflow::circuits::Gates;
use aesmith_isa::image::Image;
use aesmith_isa::numbers;
use aesmith_isa::values::{Binary, Shift, Values};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rustc_hash::FxHashMap as Map;

use crate::bits::forms::{Bit, Bits, Node, ONE};
use crate::bits::functions::Sum;
use crate::bits::toy::ABOUT;
use crate::grid::bitwise::{Bitwise, PLACES};
use crate::grid::domain::tests::empty;
use crate::grid::domain::{Domain, Value};

/// Number of random assignments of values to all atoms. Each public atom has the same value in both cases of a pair.
const CASES: usize = 64;

/// The values of a bit, one per case.
type Cases = u64;

/// A word as the domain represents it, and its value in each case.
#[derive(Clone)]
struct Known {
    value: Value,
    numbers: [u32; CASES],
}

struct Harness<'a> {
    domain: Domain<'a>,
    rng: ChaCha8Rng,
    atoms: Map<u32, Option<Cases>>,
    nodes: Map<u32, Option<Cases>>,
    /// Numbers of bits that the domain knows, and of words that are functions of other words.
    count: [usize; 2],
}

impl Harness<'_> {
    fn bits(&mut self) -> &mut Bits {
        &mut self.domain.symbols.bits
    }

    fn atom(&mut self, secret: bool) -> Bit {
        let bit = self.bits().atom(secret);
        let random: u64 = self.rng.random();
        let even = random & 0x5555_5555_5555_5555;
        let value = if secret { random } else { even | even << 1 };
        let atom = self.bits().atoms_of(bit)[0];
        self.atoms.insert(atom, Some(value));
        bit
    }

    /// The value of an atom in each case; `None` if a bit that it depends on is not known.
    fn atom_value(&mut self, atom: u32) -> Option<Cases> {
        if let Some(&known) = self.atoms.get(&atom) {
            return known;
        }
        let (basis, inverse, j) = self.bits().atoms[atom as usize].output.expect("an output of an S-box");
        let of: Option<Vec<Cases>> =
            self.bits().input_of(basis).into_iter().map(|bit| self.told(bit)).collect();
        let table = if inverse { &INV_SBOX } else { &SBOX };
        let value = of.map(|of| through(&of, |x| table[x] >> j & 1 == 1));
        self.atoms.insert(atom, value);
        value
    }

    fn sum(&mut self, sum: &Sum) -> Option<Cases> {
        sum.parts.iter().try_fold(self.told(sum.form)?, |all, (&basis, table)| {
            let of: Vec<Bit> = self.bits().forms_of(basis);
            let of: Option<Vec<Cases>> = of.into_iter().map(|bit| self.told(bit)).collect();
            Some(all ^ through(&of?, |x| table[x >> 6] >> (x & 63) & 1 == 1))
        })
    }

    /// The value of a bit in each case, as the domain describes it.
    fn told(&mut self, bit: Bit) -> Option<Cases> {
        let (node, known) = (bit >> 1, self.nodes.get(&(bit >> 1)).copied());
        let plain = known.unwrap_or_else(|| match self.bits().nodes[node as usize] {
            Node::Zero => Some(0),
            Node::Linear(..) => {
                let atoms = self.bits().atoms_of(bit).to_vec();
                atoms.into_iter().try_fold(0, |sum, atom| Some(sum ^ self.atom_value(atom)?))
            }
            Node::And(a, b) => self.told(a).zip(self.told(b)).map(|(a, b)| a & b),
            Node::Xor(a, b) => self.told(a).zip(self.told(b)).map(|(a, b)| a ^ b),
            Node::Function => self.bits().resolve(bit & !1).and_then(|sum| self.sum(&sum)),
            Node::Opaque => None,
        });
        self.nodes.insert(node, plain);
        plain.map(|value| if bit & 1 == 1 { !value } else { value })
    }

    /// Compares a word with its numbers.
    fn check(&mut self, known: &Known) {
        let value = if let Value::Bitwise(function) = known.value {
            self.count[1] += 1;
            let changes = known.numbers.chunks(2).any(|pair| pair[0] != pair[1]);
            let bitwise = self.domain.bitwise.as_ref().expect("functions");
            assert!(!changes || bitwise.is_secret(function), "a secret changes what is public");
            self.domain.word(function)
        } else {
            known.value.clone()
        };
        let Value::Data(data) = value else { panic!("a word has bits") };
        let word = self.domain.symbols.bits_of(PLACES as u8, &data).expect("bits");
        for (place, &bit) in word.iter().enumerate() {
            let each = (0..).zip(&known.numbers);
            let wanted = each.fold(0, |all, (case, n)| all | u64::from(n >> place & 1) << case);
            let changes = (wanted ^ wanted >> 1) & 0x5555_5555_5555_5555 != 0;
            assert!(!changes || self.bits().is_secret(bit), "a secret changes a public bit {place}");
            let (settled, sum) = (self.bits().settle(bit), self.bits().resolve(bit));
            let settled_told = settled.and_then(|bit| self.told(bit));
            for told in [self.told(bit), settled_told, sum.and_then(|sum| self.sum(&sum))] {
                assert!(told.is_none_or(|told| told == wanted), "bit {place} is something else");
            }
            self.count[0] += usize::from(settled.is_some());
        }
    }

    fn of_bits(&mut self, word: &[Bit]) -> Known {
        let mut numbers = [0; CASES];
        for (place, &bit) in word.iter().enumerate() {
            let value = self.told(bit).expect("a sum of atoms");
            (0..CASES).for_each(|case| numbers[case] |= ((value >> case & 1) as u32) << place);
        }
        Known { value: Value::Data(self.domain.symbols.value(word.to_vec())), numbers }
    }

    fn binary(&mut self, op: Binary, a: &Known, b: &Known) -> Known {
        let value = self.domain.binary(op, 32, &a.value, &b.value).expect("is followed");
        let of = |k: usize| numbers::binary(op, 32, a.numbers[k].into(), b.numbers[k].into()) as u32;
        Known { value, numbers: std::array::from_fn(of) }
    }

    fn not(&mut self, a: &Known) -> Known {
        Known { value: self.domain.not(32, &a.value).expect("is followed"), numbers: a.numbers.map(|n| !n) }
    }

    /// A rotation, either as a shift or, by 16, as the two halves swapped.
    fn rotate(&mut self, a: &Known, by: u32) -> Known {
        let domain = &mut self.domain;
        let value = if by == 16 {
            let [low, high] = [0, 16].map(|low| domain.slice(32, &a.value, low, 16).expect("is followed"));
            domain.join((16, &low), (16, &high))
        } else {
            domain.shift(Shift::Rotate, 32, &a.value, 5, &Value::number(by.into()))
        };
        Known { value: value.expect("is followed"), numbers: a.numbers.map(|n| n.rotate_right(by)) }
    }

    /// A circuit of the S-box, gate by gate.
    fn circuit(&mut self, gates: &Gates, inputs: [Known; 8]) -> Vec<Known> {
        let mut wires: Vec<Known> = inputs.into_iter().rev().collect();
        for gate in &gates.gates {
            let [a, b, _] = gate.arguments.map(|wire| wires[wire].clone());
            let op = [(0x88, Binary::And), (0x66, Binary::Xor), (0x99, Binary::Xor), (0xee, Binary::Or)];
            let (table, op) = op.into_iter().find(|(table, _)| *table == gate.table).expect("a gate of two");
            let made = self.binary(op, &a, &b);
            wires.push(if table == 0x99 { self.not(&made) } else { made });
        }
        gates.outputs.iter().rev().map(|&wire| wires[wire].clone()).collect()
    }

    /// A word related to others, made of sums of atoms.
    fn another(&mut self, atoms: &[Bit], words: &[Vec<Bit>]) -> Vec<Bit> {
        let kind = self.rng.random_range(0..8);
        let [x, y] = [(); 2].map(|()| self.rng.random_range(0..words.len()));
        let first = &words[x];
        let (mask, by) = (self.rng.random::<u32>(), self.rng.random_range(1..PLACES));
        let bit = |k: usize| {
            let (bit, flip) = (first[k], mask >> k & 1);
            let any = atoms[self.rng.random_range(0..atoms.len())];
            let sum = self.domain.symbols.bits.xor(bit, words[y][k]);
            match kind {
                0 => any,
                1 => first[(k + by) % PLACES],
                2 => bit ^ flip,
                3 => sum,
                // A sum at all places but one.
                4 => sum ^ u32::from(k == by),
                5 if k != by => sum,
                // Constants at some places.
                6 if flip == 0 => bit,
                6 => ONE,
                _ => atoms[x % atoms.len()],
            }
        };
        (0..PLACES).map(bit).collect()
    }

    /// A random program on a few words.
    fn logic(&mut self, atoms: usize) {
        let atoms: Vec<Bit> = (0..atoms).map(|k| self.atom(k % 3 != 1)).collect();
        let mut words = vec![atoms.iter().copied().cycle().take(PLACES).collect()];
        for _ in 1..12 {
            let word = self.another(&atoms, &words);
            words.push(word);
        }
        let mut all: Vec<Known> = words.iter().map(|word| self.of_bits(word)).collect();
        for _ in 0..60 {
            let [a, b] = [(); 2].map(|()| all[self.rng.random_range(0..all.len())].clone());
            let mask = [u32::MAX, 0, 0xffff, self.rng.random()][self.rng.random_range(0..4)];
            let mask = Known { value: Value::number(mask.into()), numbers: [mask; CASES] };
            let made = match self.rng.random_range(0..16) {
                0..5 => self.binary(Binary::And, &a, &b),
                5..8 => self.binary(Binary::Or, &a, &b),
                8..11 => self.binary(Binary::Xor, &a, &b),
                11 => self.not(&a),
                12..14 => self.rotate(&a, 7 + 9 * (mask.numbers[0] & 1)),
                14 => self.binary(Binary::Xor, &mask, &a),
                _ => self.binary(Binary::And, &a, &mask),
            };
            if self.rng.random_range(0..4) == 0 {
                self.check(&made);
            }
            all.push(made);
        }
        all.iter().for_each(|word| self.check(word));
    }

    /// Two S-boxes in sequence, on words that may depend on each other, with the specification's S-boxes named at some
    /// places.
    fn sboxes(&mut self, inverse: bool) {
        let atoms: Vec<Bit> = (0..400).map(|k| self.atom(k % 2 == 0)).collect();
        let mut words: Vec<Vec<Bit>> = (0..8).map(|k| atoms[PLACES * k..][..PLACES].to_vec()).collect();
        for _ in 0..self.rng.random_range(0..3) {
            let (k, word) = (self.rng.random_range(0..8), self.another(&atoms[256..], &words));
            words[k] = word;
        }
        // The specification has been named before, at some places.
        let keys: Vec<Vec<Bit>> = (0..8).map(|k| atoms[256 + k..][..PLACES].to_vec()).collect();
        for place in (0..PLACES).filter(|place| place % 5 != 0) {
            let input = std::array::from_fn(|k| words[k][place]);
            let Some(output) = self.bits().sbox(input, inverse) else { continue };
            let next = std::array::from_fn(|k| self.bits().xor(output[k], keys[k][place]));
            self.bits().sbox(next, inverse);
        }
        let gates = Gates::of(0, inverse);
        let mut state: Vec<Known> = words.iter().map(|word| self.of_bits(word)).collect();
        for _ in 0..2 {
            state = self.circuit(gates, std::array::from_fn(|k| state[k].clone()));
            state.iter().for_each(|word| self.check(word));
            for (word, key) in state.iter_mut().zip(&keys) {
                let key = self.of_bits(key);
                *word = self.binary(Binary::Xor, word, &key);
            }
        }
        let both = self.binary(Binary::And, &state[0], &state[1]);
        self.check(&both);
    }
}

/// A function of bits; `of[0]` is the lowest bit of its argument.
fn through(of: &[Cases], function: impl Fn(usize) -> bool) -> Cases {
    (0..CASES).fold(0, |all, case| {
        let x = of.iter().enumerate().fold(0, |x, (k, bit)| x | ((bit >> case & 1) as usize) << k);
        all | u64::from(function(x)) << case
    })
}

/// Counts what the domain knows about a program, with functions of words or without.
fn counted(seed: u64, by_words: bool, run: impl Fn(&mut Harness)) -> [usize; 2] {
    let (program, launch) = empty();
    let image = Image::default();
    let mut domain = Domain::new(&program, &launch, &image, &ABOUT);
    domain.bitwise = by_words.then(Bitwise::new);
    let rng = ChaCha8Rng::seed_from_u64(seed);
    let mut harness = Harness { domain, rng, atoms: Map::default(), nodes: Map::default(), count: [0; 2] };
    run(&mut harness);
    harness.count
}

#[test]
fn logic_on_words_is_that_of_numbers() {
    let mut functions = 0;
    for seed in 0..60 {
        let run = |harness: &mut Harness| harness.logic(2 + seed as usize % 40);
        functions += counted(seed, true, run)[1];
        assert_eq!(counted(seed, false, run)[1], 0);
    }
    assert!(functions > 500, "{functions} words are functions of others");
}

#[test]
fn circuits_on_words_are_sboxes() {
    let mut known = [0; 2];
    for seed in 0..60 {
        let run = |harness: &mut Harness| harness.sboxes(seed % 2 == 1);
        known[0] += counted(seed, true, run)[0];
        known[1] += counted(seed, false, run)[0];
    }
    assert!(known[0] >= known[1] && known[1] > 1000, "{known:?} bits are known");
}
