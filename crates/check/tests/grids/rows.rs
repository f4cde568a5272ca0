//! Rows against the model: over numbers, and over terms, whose values are computed for random values of their atoms.

use crate::{model, text};
use aesmith_check::bytes::terms::{Atom, ByteId};
use aesmith_check::grid::Proof;
use aesmith_check::grid::module::Module;
use aesmith_check::grid::rows::{Instruction, Operand, Registers, Row, execute, rows};
use aesmith_check::grid::run::Run;
use aesmith_check::grid::setup::{Base, Thread};
use aesmith_check::grid::symbols::{Function, HIGH, LOW, Symbols, Value};
use aesmith_check::linear::Linear;
use std::collections::{BTreeMap, BTreeSet};

/// Random numbers (xorshift).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        for (left, by) in [(true, 13), (false, 7), (true, 17)] {
            self.0 ^= if left { self.0 << by } else { self.0 >> by };
        }
        self.0
    }

    /// A number of which bounds are as likely as all others together.
    fn number(&mut self) -> u64 {
        let near = [
            0,
            1,
            2,
            7,
            8,
            31,
            32,
            33,
            63,
            64,
            65,
            255,
            256,
            0x3210,
            0xffff_ffff,
            1 << 31,
            1 << 32,
            u64::MAX,
        ];
        match self.next() % 4 {
            0 | 1 => near[(self.next() % near.len() as u64) as usize],
            2 => self.next() % 300,
            _ => self.next(),
        }
    }
}

/// The name of a row in the model.
fn name(row: &Row) -> String {
    let braces = row.syntax.iter().position(|word| word == "{");
    match braces {
        Some(0) => "unpack".into(),
        Some(_) => "pack".into(),
        None => row.name.clone(),
    }
}

/// Rows that compute: with registers and numbers only.
fn computing() -> Vec<(usize, Row)> {
    let is_computing = |row: &Row| {
        row.kinds.iter().all(|kind| !matches!(kind.letter, b'm' | b's' | b'L'))
            && !row.kinds.is_empty()
            && row.name != "bar.sync"
    };
    rows().expect("the rows are read").into_iter().enumerate().filter(|(_, row)| is_computing(row)).collect()
}

/// An instruction of a row whose registers are 0, 1... of their file, and its sources.
fn instruction(row: usize, of: &Row, random: &mut Random) -> (Instruction, Vec<u64>) {
    let mut operands = Vec::new();
    let mut sources = Vec::new();
    for (place, kind) in of.kinds.iter().enumerate() {
        let number = random.number();
        let number = match kind.bits {
            0 => number & 255,
            1 => number & 1,
            32 => number & 0xffff_ffff,
            _ => number,
        };
        operands.push(if kind.bits == 0 { Operand::Number(number) } else { Operand::Register(place) });
        if !kind.is_written() {
            sources.push(number);
        }
    }
    (Instruction { guard: None, row, operands, line: 0 }, sources)
}

#[test]
fn rows_do_over_numbers_what_the_manual_says() {
    let proof = Proof::read(&text("ecb")).expect("a proof");
    let (all, mut random) = (computing(), Random(0x9e37_79b9_7f4a_7c15));
    assert!(all.len() >= 45, "{}", all.len());
    for (number, row) in &all {
        for _ in 0..400 {
            let (instruction, sources) = instruction(*number, row, &mut random);
            let carry = random.next() & 1 == 1;
            let mut thread = Thread { module: &proof.module, number: 0, shared: Vec::new() };
            let known = |value: u64| Some((Base::Zero, value));
            let mut registers = Registers {
                words: [vec![None; 8], vec![None; 8]],
                predicates: vec![None; 8],
                carry: Some(known(carry.into())),
            };
            let mut rest = sources.iter();
            for (place, kind) in row.kinds.iter().enumerate().filter(|(_, kind)| !kind.is_written()) {
                let value = *rest.next().expect("a source");
                match kind.bits {
                    0 => {}
                    1 => registers.predicates[place] = Some(value == 1),
                    bits => registers.file(bits)[place] = known(value),
                }
            }
            let result = execute(&mut thread, row, &instruction, &mut registers);
            result.unwrap_or_else(|error| panic!("{}: {error}", row.name));
            let (expected, carry) = model::execute(&name(row), &sources, carry);
            let written: Vec<u64> = row
                .kinds
                .iter()
                .enumerate()
                .filter(|(_, kind)| kind.is_written())
                .map(|(place, kind)| match kind.bits {
                    1 => registers.predicates[place].expect("a predicate").into(),
                    bits => registers.file(bits)[place].expect("a number").1,
                })
                .collect();
            assert_eq!(written, expected, "{} of {sources:x?}", row.name);
            assert_eq!(registers.carry, Some(known(carry.into())), "{} of {sources:x?}", row.name);
        }
    }
}

/// Values of atoms, in numbers.
struct Valuation {
    bytes: BTreeMap<u8, u8>,
    words: BTreeMap<u32, u64>,
}

impl Valuation {
    fn form(&self, symbols: &Symbols<'_>, form: &Linear) -> i128 {
        let atom = |atom: u32| match symbols.functions.get(atom.wrapping_sub(32) as usize) {
            Some(Function::Quotient(form, by)) => self.form(symbols, form) >> by,
            Some(Function::Carry(form)) => i128::from(self.form(symbols, form) >= 1 << 64),
            None => self.words[&atom].into(),
        };
        form.terms.iter().fold(form.constant, |sum, term| sum.wrapping_add(term.1.wrapping_mul(atom(term.0))))
    }

    /// The value of a byte, if no atom in it is unknown.
    fn byte(&self, symbols: &Symbols<'_>, byte: ByteId) -> Option<u8> {
        let byte = symbols.terms.get(byte);
        byte.parts.iter().try_fold(byte.constant, |sum, (atom, columns)| {
            let value = match symbols.terms.get_atom(*atom) {
                Atom::Key(k) => self.bytes[k],
                Atom::Half(form, k) => (self.form(symbols, form).rem_euclid(1 << 64) >> (8 * k)) as u8,
                _ => return None,
            };
            Some((0..8).filter(|bit| value >> bit & 1 == 1).fold(sum, |sum, bit| sum ^ columns[bit]))
        })
    }

    fn value(&self, symbols: &mut Symbols<'_>, value: &Value, bits: u32) -> Option<u64> {
        let cut = |value: u64| if bits == 64 { value } else { value & 0xffff_ffff };
        match value {
            Value::Form(form) => Some(cut(self.form(symbols, form).rem_euclid(1 << 64) as u64)),
            Value::Bytes(bytes) => {
                assert_eq!(bytes.len(), bits as usize / 8, "a register has its bytes");
                bytes
                    .iter()
                    .rev()
                    .try_fold(0, |all, &byte| Some(all << 8 | u64::from(self.byte(symbols, byte)?)))
            }
            Value::Indexed(..) => None,
        }
    }
}

/// Sources over terms: numbers, public words, secret bytes, and sums of these; with their values.
fn source(
    symbols: &mut Symbols<'_>,
    valuation: &Valuation,
    bits: u32,
    random: &mut Random,
    number: u64,
) -> (Value, u64) {
    let atom = [LOW, HIGH, 5, 16, 17, 20][(random.next() % 6) as usize];
    let form = Linear {
        constant: i128::from(random.next() as u8),
        terms: [(atom, 1 << (random.next() % 9))].into(),
    };
    let value = match random.next() % 4 {
        0 => Value::Form(form),
        1 => {
            let form = Value::Form(form);
            Value::Bytes(symbols.bytes(&form, bits))
        }
        2 => {
            let first = (random.next() % 8) as usize;
            Value::Bytes((first..first + bits as usize / 8).map(|k| symbols.key[k]).collect())
        }
        _ => Value::Form(Linear::number(number.into())),
    };
    let number = valuation.value(symbols, &value, bits).expect("all atoms have values");
    (value, number)
}

#[test]
fn rows_do_over_terms_what_they_do_over_numbers() {
    let proof = Proof::read(&text("ecb")).expect("a proof");
    let mut run = Run::new(&proof).expect("a run");
    let symbols = &mut run.symbols;
    let mut random = Random(0x0123_4567_89ab_cdef);
    let (mut known, mut names) = (0, BTreeSet::new());
    for round in 0..40 {
        let mut words = BTreeMap::from([
            (LOW, random.number()),
            (HIGH, random.number()),
            (6, 1 << 20),
            (5, random.next() % (1 << 20)),
        ]);
        words.extend((16..26).map(|bit| (bit, if bit < 23 { random.next() & 1 } else { 0 })));
        let valuation = Valuation { bytes: (0..176).map(|k| (k, random.next() as u8)).collect(), words };
        for (number, row) in computing() {
            for _ in 0..4 {
                // A path of its own: what defines quotients is known on it.
                symbols.path = aesmith_check::grid::memory::Path::entry(128, Linear::default());
                let (instruction, numbers) = instruction(number, &row, &mut random);
                let (carry, mut sources) = (random.next() & 1, Vec::new());
                let mut registers = Registers {
                    words: [vec![Value::Form(Linear::default()); 8], vec![Value::Form(Linear::default()); 8]],
                    predicates: vec![None; 8],
                    carry: Some(Value::Form(Linear::number(carry.into()))),
                };
                let mut rest = numbers.iter();
                for (place, kind) in row.kinds.iter().enumerate().filter(|(_, kind)| !kind.is_written()) {
                    let number = *rest.next().expect("a source");
                    match kind.bits {
                        0 => sources.push(number),
                        1 => {
                            registers.predicates[place] = Some(number == 1);
                            sources.push(number);
                        }
                        bits => {
                            let (value, number) = source(symbols, &valuation, bits, &mut random, number);
                            registers.file(bits)[place] = value;
                            sources.push(number);
                        }
                    }
                }
                // A refusal, or a condition that is open, is no result.
                if execute(symbols, &row, &instruction, &mut registers).is_err() {
                    continue;
                }
                let (expected, _) = model::execute(&name(&row), &sources, carry == 1);
                let written = row.kinds.iter().enumerate().filter(|(_, kind)| kind.is_written());
                for ((place, kind), expected) in written.zip(expected) {
                    let found = match kind.bits {
                        1 => registers.predicates[place].map(u64::from),
                        bits => {
                            let value = registers.file(bits)[place].clone();
                            valuation.value(symbols, &value, bits)
                        }
                    };
                    if let Some(found) = found {
                        assert_eq!(found, expected, "round {round}: {} of {sources:x?}", row.name);
                        known += 1;
                        names.insert(row.name.clone());
                    }
                }
            }
        }
    }
    println!("{known} results of {} instructions are known", names.len());
    assert!(
        known > 4_000
            && names.len() + 1
                >= computing().iter().map(|row| row.1.name.clone()).collect::<BTreeSet<_>>().len(),
        "{known}, {names:?}"
    );
}

#[test]
fn addresses_and_special_registers_are_their_own() {
    let module = Module::read(text("ecb").split_once("\nmodule\n").expect("a module").1).expect("is read");
    let number = |row: &str| module.code.iter().filter(|i| module.rows[i.row].name == row).count();
    assert_eq!((number("bar.sync"), number("ret"), number("ld.shared.b32")), (1, 1, 160));
    assert_eq!((module.threads, module.shared, module.constants.len()), (128, 131_072, 1024));
}
