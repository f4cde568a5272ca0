//! Bitwise logic on whole words. A bit-sliced program applies one function at each bit position (place) of its words:
//! the bit of a result at a place is that function of the operands' bits at the same place. The function is computed
//! once, over names for the operands, and substituted at a place only where single bits are needed. The substitution
//! keeps equal functions equal.
//!
//! A function is a [`Bit`] of its own [`Bits`], whose atoms are of two kinds: names of words, about which nothing is
//! known there, and outputs of the S-box, which at each place are the S-box outputs of the input at that place.

use std::rc::Rc;

use aesmith_isa::values::Binary;
use rustc_hash::{FxHashMap as Map, FxHashSet as Set};

use crate::bits::forms::{Bit, Bits, Byte, ONE, ZERO};
use crate::bits::functions::difference;
use crate::bits::truth::{Truth, sbox_output};
use crate::bits::value::Value as Data;
use crate::grid::domain::{Domain, Value};

/// Width of a word in bits.
pub const PLACES: usize = 32;

/// The bits of a word, the lowest first.
type Word = [Bit; PLACES];

/// The places at which words are compared first.
const SAMPLE: [usize; 4] = [0, 9, 18, 27];

/// Sums (over GF(2)) in echelon form, each with its function.
#[derive(Default)]
struct Echelon {
    /// The rows by their highest part.
    rows: Map<u64, (Vec<u64>, Bit)>,
}

impl Echelon {
    /// Reduces a sum by the rows; returns the rest and the functions of the rows that were used.
    fn reduced(&self, mut sum: Vec<u64>) -> (Vec<u64>, Vec<Bit>) {
        let mut functions = Vec::new();
        while let Some((row, function)) = sum.last().and_then(|part| self.rows.get(part)) {
            sum = difference(&sum, row);
            functions.push(*function);
        }
        (sum, functions)
    }
}

/// The sums that a circuit combines, while the circuit is examined.
#[derive(Default)]
struct Circuit {
    /// The sums, as functions.
    sums: Vec<Bit>,
    /// The number of sums evaluated at each place, and the echelon form of the results.
    at: Map<usize, (usize, Echelon)>,
}

/// Functions of the bits at one place, the same at all places.
pub struct Bitwise {
    functions: Bits,
    /// The word that each atom stands for.
    atoms: Vec<Word>,
    /// The functions of known words. The key is the word without the constant of its lowest bit.
    named: Map<Word, Bit>,
    /// Echelon form of the named words at sampled places, up to a constant.
    names: Echelon,
    /// All atoms, as the sums of one circuit.
    whole: Circuit,
    /// The place at which an S-box was found last.
    found_at: usize,
    /// Words that were computed, by the function without its constant.
    words: Map<Bit, Rc<Word>>,
}

impl Bitwise {
    /// Creates an instance without words.
    pub fn new() -> Bitwise {
        Bitwise {
            functions: Bits::left_alone(),
            atoms: Vec::new(),
            named: Map::default(),
            names: Echelon::default(),
            whole: Circuit::default(),
            found_at: 0,
            words: Map::default(),
        }
    }

    /// True if any word has a name.
    pub fn is_used(&self) -> bool {
        !self.atoms.is_empty()
    }

    /// True if a function depends on a secret.
    pub fn is_secret(&self, function: Bit) -> bool {
        self.functions.is_secret(function)
    }

    /// The function that equals this word; `None` unless all its bits are sums, because only sums are cheap to
    /// identify.
    pub(crate) fn of_word(&mut self, bits: &mut Bits, word: &[Bit]) -> Option<Bit> {
        let mut word: Word = word.try_into().ok()?;
        for bit in &mut word {
            *bit = bits.known(*bit);
            if !bits.is_linear(*bit) {
                return None;
            }
        }
        let constant = word[0] & 1;
        word.iter_mut().for_each(|bit| *bit ^= constant);
        if word == [ZERO; PLACES] {
            return Some(constant);
        }
        if let Some(&known) = self.named.get(&word) {
            return Some(known ^ constant);
        }
        self.follow_atoms(bits);
        // The word may be a sum of words that have names; it is one if it is that sum at every place.
        let sampled = (0..).zip(SAMPLE).flat_map(|(k, place)| {
            bits.atoms_of(word[place]).iter().map(move |&atom| k << 32 | u64::from(atom))
        });
        let (rest, of) = self.names.reduced(sampled.collect());
        let sum = self.functions.sum(of);
        let sum = sum ^ self.at(bits, sum, 0) & 1;
        let known = rest.is_empty() && (0..PLACES).all(|place| self.at(bits, sum, place) == word[place]);
        let function = if known {
            sum
        } else {
            let secret = word.iter().any(|&bit| bits.is_secret(bit));
            let name = self.functions.atom(secret);
            self.atoms.push(word);
            if let Some(&highest) = rest.last() {
                let row = self.functions.xor(sum & !1, name);
                self.names.rows.insert(highest, (rest, row));
            }
            name
        };
        self.named.insert(word, function);
        Some(function ^ constant)
    }

    /// The word that a function stands for.
    pub fn word(&mut self, bits: &mut Bits, function: Bit) -> Word {
        let constant = function & 1;
        if let Some(known) = self.words.get(&(function ^ constant)) {
            return known.map(|bit| bit ^ constant);
        }
        self.look_into(bits, function);
        let sum = self.functions.resolve(function ^ constant);
        self.follow_atoms(bits);
        let word: Word = match sum {
            None => [Bits::opaque(self.is_secret(function)); PLACES],
            Some(sum) => std::array::from_fn(|place| {
                let mut bit = self.at(bits, sum.form, place);
                for (&basis, table) in &sum.parts {
                    let forms = self.functions.forms_of(basis);
                    let forms: Vec<Bit> = forms.iter().map(|&form| self.at(bits, form, place)).collect();
                    let part = function_of(bits, &forms, table);
                    bit = bits.xor(bit, part);
                }
                bit
            }),
        };
        self.words.insert(function ^ constant, Rc::new(word));
        word.map(|bit| bit ^ constant)
    }

    /// AND of functions.
    pub fn and(&mut self, bits: &mut Bits, a: Bit, b: Bit) -> Bit {
        let made = self.functions.and(a, b);
        self.kept_shallow(bits, made)
    }

    /// OR of functions.
    pub fn or(&mut self, bits: &mut Bits, a: Bit, b: Bit) -> Bit {
        self.and(bits, a ^ 1, b ^ 1) ^ 1
    }

    /// XOR of functions.
    pub fn xor(&mut self, bits: &mut Bits, a: Bit, b: Bit) -> Bit {
        let made = self.functions.xor(a, b);
        self.kept_shallow(bits, made)
    }

    fn kept_shallow(&mut self, bits: &mut Bits, function: Bit) -> Bit {
        if self.functions.is_deep(function) {
            self.look_into(bits, function);
        }
        self.functions.known(function)
    }

    /// Resolves a function, after the functions that it is made of: when two sums are combined by a nonlinear gate,
    /// both are known, and so is the S-box that they may be part of.
    fn look_into(&mut self, bits: &mut Bits, function: Bit) {
        if self.functions.open_gate(function).is_none() {
            return;
        }
        let (mut circuit, mut seen, mut open) = (Circuit::default(), Set::default(), vec![function]);
        while let Some(function) = open.pop() {
            match self.functions.open_gate(function) {
                _ if !seen.insert(function & !1) => {}
                Some((_, a, b)) => open.extend([a, b]),
                None => circuit.sums.extend(self.functions.forms_in(function)),
            }
        }
        self.look_further(bits, &mut circuit, function);
    }

    fn look_further(&mut self, bits: &mut Bits, circuit: &mut Circuit, function: Bit) {
        let Some((and, a, b)) = self.functions.open_gate(function) else { return };
        self.look_further(bits, circuit, a);
        self.look_further(bits, circuit, b);
        if and {
            self.name_sbox(bits, circuit, a, b);
        }
        if let Some(sum) = self.functions.settle(function) {
            circuit.sums.push(sum);
        }
    }

    /// The value of a sum of atoms at a place.
    fn at(&self, bits: &mut Bits, sum: Bit, place: usize) -> Bit {
        let atoms = self.functions.atoms_of(sum);
        bits.sum(atoms.iter().map(|&atom| self.atoms[atom as usize][place])) ^ sum & 1
    }

    /// Computes the words of atoms that were added: outputs of S-boxes whose inputs are known.
    fn follow_atoms(&mut self, bits: &mut Bits) {
        while let Some(&atom) = self.functions.atoms.get(self.atoms.len()) {
            let Some((basis, inverse, _)) = atom.output else {
                unreachable!("a name is noted with its word")
            };
            let input = self.functions.input_of(basis);
            let outputs: [Byte; PLACES] = std::array::from_fn(|place| {
                let input = input.map(|form| self.at(bits, form, place));
                bits.sbox(input, inverse).unwrap_or_else(|| {
                    // Some bits of the input depend on each other.
                    std::array::from_fn(|j| function_of(bits, &input, &sbox_output(j, inverse)))
                })
            });
            for j in 0..8 {
                self.atoms.push(outputs.map(|output| output[j]));
            }
        }
    }

    /// Names the input of an S-box in whose circuit the sums `a` and `b` are combined. The input is a function of the
    /// sums that the circuit begins with. The specification tells its bits at a place; this only decides where to look
    /// for the function, and is sound for any function, since any input has an S-box.
    fn name_sbox(&mut self, bits: &mut Bits, circuit: &mut Circuit, a: Bit, b: Bit) {
        let (a, b) = (self.functions.known(a), self.functions.known(b));
        let linear = [a, b].iter().all(|&sum| sum > ONE && self.functions.is_linear(sum));
        if !linear || self.functions.candidates(a).iter().any(|&basis| self.functions.spans_both(basis, a, b))
        {
            return;
        }
        self.follow_atoms(bits);
        // Bits that a program does not need may be anything, at some places of a word as elsewhere; then another place
        // gives the answer.
        let from = self.found_at;
        let mut places = (0..PLACES).map(|more| (from + more) % PLACES);
        if let Some(place) = places.find(|&place| self.name_sbox_at(bits, circuit, (a, b), place)) {
            self.found_at = place;
            return;
        }
        // Part of the circuit may be elsewhere.
        let mut whole = std::mem::take(&mut self.whole);
        for atom in whole.sums.len()..self.atoms.len() {
            whole.sums.push(self.functions.form(&[atom as u32]));
        }
        let mut places = (0..PLACES).map(|more| (from + more) % PLACES);
        if let Some(place) = places.find(|&place| self.name_sbox_at(bits, &mut whole, (a, b), place)) {
            self.found_at = place;
        }
        self.whole = whole;
    }

    fn name_sbox_at(
        &mut self,
        bits: &mut Bits,
        circuit: &mut Circuit,
        (a, b): (Bit, Bit),
        place: usize,
    ) -> bool {
        let (x, y) = (self.at(bits, a, place), self.at(bits, b, place));
        let inputs = bits
            .candidates(x)
            .into_iter()
            .filter(|&basis| bits.is_full(basis) && bits.spans_both(basis, x, y));
        let inputs: Vec<u32> = inputs.collect();
        if inputs.is_empty() {
            return false;
        }
        let (done, here) = circuit.at.entry(place).or_default();
        while let Some(&function) = circuit.sums.get(*done) {
            *done += 1;
            let sum = self.at(bits, function, place);
            let (rest, mut of) = here.reduced(wide(bits.atoms_of(sum)));
            if let Some(&highest) = rest.last() {
                of.push(function);
                here.rows.insert(highest, (rest, self.functions.sum(of)));
            }
        }
        // Inputs that differ by a constant, as counters do, can only be distinguished by the circuit.
        let mut is_found = false;
        for basis in inputs {
            let input = bits.input_of(basis);
            let found: Option<Vec<Bit>> = input
                .iter()
                .map(|&sum| {
                    let (rest, of) = here.reduced(wide(bits.atoms_of(sum)));
                    let function = self.functions.sum(of);
                    rest.is_empty().then(|| function ^ (self.at(bits, function, place) ^ sum) & 1)
                })
                .collect();
            let Some(named) = found.and_then(|input| self.functions.basis(&input)) else { continue };
            if self.functions.spans_both(named, a, b) {
                for inverse in [false, true].into_iter().filter(|&inverse| bits.has_outputs(basis, inverse)) {
                    self.functions.outputs(named, inverse);
                }
                is_found = true;
            }
        }
        is_found
    }
}

/// Atoms as parts of sums.
fn wide(atoms: &[u32]) -> Vec<u64> {
    atoms.iter().map(|&atom| atom.into()).collect()
}

/// A function of bits; unknown unless the bits are sums.
fn function_of(bits: &mut Bits, of: &[Bit], table: &Truth) -> Bit {
    let linear = of.iter().all(|&bit| bits.is_linear(bit));
    let found = if linear { bits.function_of(of, table) } else { None };
    found.unwrap_or_else(|| Bits::opaque(of.iter().any(|&bit| bits.is_secret(bit))))
}

impl Domain<'_> {
    /// AND, OR or XOR of words as functions of their places; `None` if an operand is not tracked in this way. Tracking
    /// begins where two words of unknown bits are combined by AND or OR, as in circuits.
    pub(super) fn bitwise(&mut self, op: Binary, width: u8, a: &Value, b: &Value) -> Option<Value> {
        let is_function = |value: &Value| matches!(value, Value::Bitwise(_));
        // Words masked to disjoint bits are only concatenated.
        let meet = |a: &Value, b: &Value| match (a, b) {
            (Value::Data(Data::Bits(a)), Value::Data(Data::Bits(b))) => {
                a.iter().zip(b.iter()).any(|(&a, &b)| a > ONE && b > ONE)
            }
            _ => false,
        };
        let circuit = matches!(op, Binary::And | Binary::Or) && meet(a, b);
        if usize::from(width) != PLACES || !(is_function(a) || is_function(b) || circuit) {
            return None;
        }
        let logic = matches!(op, Binary::And | Binary::Or | Binary::Xor);
        if logic && [a, b].iter().any(|value| matches!(value, Value::Data(Data::Unknown(_)))) {
            // An unknown operand makes the result unknown, so the function of the other is not computed.
            return Some(self.unknown(&[a, b]));
        }
        let bits = &mut self.symbols.bits;
        let known = self.bitwise.as_mut()?;
        let mut function = |value: &Value| match value {
            Value::Bitwise(function) => Some(*function),
            Value::Data(Data::Bits(word)) => known.of_word(bits, word),
            Value::Data(Data::Number(0)) => Some(ZERO),
            Value::Data(Data::Number(n)) => (*n == u32::MAX.into()).then_some(ONE),
            _ => None,
        };
        let (a, b) = (function(a)?, function(b)?);
        let of = match op {
            Binary::And => known.and(bits, a, b),
            Binary::Or => known.or(bits, a, b),
            Binary::Xor => known.xor(bits, a, b),
            _ => return None,
        };
        Some(match of {
            ZERO => Value::number(0),
            ONE => Value::number(u32::MAX.into()),
            _ if Bits::is_opaque(of) => Value::unknown(known.is_secret(of)),
            _ => Value::Bitwise(of),
        })
    }

    /// The word of a function, with each bit tracked by itself from here on.
    pub(super) fn word(&mut self, function: Bit) -> Value {
        match &mut self.bitwise {
            Some(known) => {
                let word = known.word(&mut self.symbols.bits, function);
                Value::Data(self.symbols.value(word.to_vec()))
            }
            None => Value::unknown(true),
        }
    }

    /// Two operands as words with each bit tracked by itself; `None` if both are so already.
    pub(super) fn as_bits(&mut self, a: &Value, b: &Value) -> Option<(Value, Value)> {
        if !matches!((a, b), (Value::Bitwise(_), _) | (_, Value::Bitwise(_))) {
            return None;
        }
        let mut plain = |value: &Value| match value {
            Value::Bitwise(function) => self.word(*function),
            _ => value.clone(),
        };
        Some((plain(a), plain(b)))
    }
}
