//! Compares the prover's vectors and opmasks with the simulator's: random instructions between registers, on constants,
//! public unknowns and secrets. A lane or mask that the prover claims to be a constant must be that constant; and a
//! value that it does not take for secret must be the same in a second run with other secrets. For lanes made of blocks
//! and round keys, each lane known at the end of a program, in any representation, must have the simulator's value.

use crate::sample;
use aesmith_cipher::block::{INV_SBOX, SBOX};
use aesmith_isa::lanes::{Access, Machine};
use aesmith_processor::measured::Vectors;
use aesmith_prove::lanes::explore::State;
use aesmith_prove::lanes::forms::{self, ByteAtom};
use aesmith_prove::lanes::rename::Renamed;
use aesmith_prove::lanes::scalar::Word;
use aesmith_prove::lanes::symbolic::{Flags, Mask, Stop, Symbolic};
use aesmith_prove::lanes::terms::{Atom, Lane};
use aesmith_x86::concrete::{Bytes, zeroed};
use aesmith_x86::instructions::SYSTEM_V;
use aesmith_x86::registers::COUNTS;
use aesmith_x86::semantics::execute;
use aesmith_x86::table::{Form, Operation, forms};
use iced_x86::{Decoder, DecoderOptions, Encoder, Formatter, GasFormatter, Instruction, OpKind};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::collections::HashMap;

const PROGRAMS: usize = 10_000;
const LENGTH: usize = 8;

fn instruction(rows: &[&'static Form], rng: &mut ChaCha8Rng) -> Instruction {
    loop {
        let form = rows[rng.random_range(0..rows.len())];
        let targets = sample::Targets { data: 0, code: 64 };
        let mut encoder = Encoder::new(64);
        encoder.encode(&sample::sample(form, false, targets, rng), 0).expect("it encodes");
        let i = Decoder::with_ip(64, &encoder.take_buffer(), 0, DecoderOptions::NONE).decode();
        if (0..i.op_count()).all(|k| i.op_kind(k) != OpKind::Memory) {
            return i;
        }
    }
}

/// Random bytes, often zeros, ones or small numbers.
fn lane(rng: &mut ChaCha8Rng) -> [u8; 16] {
    match rng.random_range(0..5) {
        0 => [0; 16],
        1 => [0xff; 16],
        2 => std::array::from_fn(|_| rng.random_range(0..16)),
        _ => rng.random(),
    }
}

struct Runs {
    symbolic: Symbolic,
    machine: State,
    known: [Machine<Bytes>; 2],
}

impl Runs {
    fn new(rng: &mut ChaCha8Rng) -> Runs {
        let problem = "aes128-ecb".parse().unwrap();
        let mut symbolic = Symbolic::new(problem, &SYSTEM_V);
        symbolic.begin(problem, &[]);
        let flags = Flags::Unknown { secret: false };
        let mut machine = State::filled(COUNTS, Word::Public, Lane::PUBLIC, Mask::Unknown, flags);
        let mut known = [zeroed(), zeroed()];
        // Round keys, different in each run.
        let keys: [[[u8; 16]; 2]; 4] = std::array::from_fn(|_| [lane(rng), lane(rng)]);
        for n in 0..32 {
            for (k, &key) in keys.iter().enumerate() {
                let (a, b, kind) = (lane(rng), lane(rng), rng.random_range(0..7));
                machine.vector[n][k] = match kind {
                    0..3 => symbolic.terms.constant(u128::from_le_bytes(a)),
                    3 => Lane::PUBLIC,
                    4 => Lane::UNKNOWN,
                    _ => symbolic.terms.atom(Atom::Key { stream: 0, round: k as u8 }),
                };
                [known[0].vector[n][k], known[1].vector[n][k]] = match kind {
                    0..4 => [a, a],
                    4 => [a, b],
                    _ => key,
                };
            }
        }
        for n in 0..8 {
            let (a, b, kind) = (rng.random(), rng.random(), rng.random_range(0..4));
            machine.mask[n] = match kind {
                0..2 => Mask::Bits(a),
                2 => Mask::Unknown,
                _ => Mask::Secret,
            };
            known[0].mask[n] = a;
            known[1].mask[n] = if kind == 3 { b } else { a };
        }
        for n in 0..16 {
            let (a, b, kind) = (rng.random(), rng.random(), rng.random_range(0..4));
            machine.gpr[n] = match kind {
                0..2 => Word::number(a),
                2 => Word::Public,
                _ => Word::Unknown,
            };
            known[0].gpr[n] = a;
            known[1].gpr[n] = if kind == 3 { b } else { a };
        }
        Runs { symbolic, machine, known }
    }

    fn step(&mut self, i: &Instruction) -> bool {
        match execute(&mut self.machine, &mut self.symbolic, i) {
            Ok(_) => {}
            Err(Stop::Refused(_)) => return false,
            Err(_) => panic!("neither lengths nor counters are about here"),
        }
        for known in &mut self.known {
            execute(known, &mut Bytes::default(), i).unwrap();
        }
        true
    }

    /// Checks all values, and returns the number of known lanes.
    fn held(&mut self, trace: &str) -> usize {
        let mut constants = 0;
        let [a, b] = &self.known;
        for n in 0..32 {
            for k in 0..4 {
                let lane = self.machine.vector[n][k];
                if let Some(constant) = self.symbolic.terms.as_constant(lane) {
                    assert_eq!(constant.to_le_bytes(), a.vector[n][k], "vector {n}, lane {k}:{trace}");
                    constants += 1;
                }
                if !self.symbolic.terms.is_secret(lane) {
                    assert_eq!(a.vector[n][k], b.vector[n][k], "vector {n}, lane {k} is secret:{trace}");
                }
            }
        }
        for (n, mask) in self.machine.mask.iter().enumerate() {
            if let Mask::Bits(bits) = mask {
                assert_eq!(*bits, a.mask[n], "opmask {n}:{trace}");
            }
            if !mask.is_secret() {
                assert_eq!(a.mask[n], b.mask[n], "opmask {n} is secret:{trace}");
            }
        }
        for (n, word) in self.machine.gpr.iter().enumerate() {
            if let Some(number) = word.as_number() {
                assert_eq!(number, a.gpr[n], "register {n}:{trace}");
            }
            if !self.symbolic.word_is_secret(*word) {
                assert_eq!(a.gpr[n], b.gpr[n], "register {n} is secret:{trace}");
            }
        }
        constants
    }
}

#[test]
fn lanes_are_those_of_the_simulator() {
    use Operation::*;
    let mut rng = ChaCha8Rng::seed_from_u64(0x1a9e5);
    let rows: Vec<&Form> = forms()
        .filter(|f| {
            let masks = matches!(f.operation, MaskFromScalar | MaskToScalar | MaskMove | MaskOnes | MaskZero);
            let moves = f.vectors != Vectors::Scalar || masks;
            // Rows with an operand that is always memory.
            let memory = matches!(f.operation, BroadcastLanes(_) | Move(Access::Streaming));
            moves && !memory
        })
        .filter(|f| {
            !format!("{:?}", f.code).contains("_m64_kr") && !format!("{:?}", f.code).contains("_kr_m")
        })
        .collect();
    assert!(rows.len() > 400, "{} rows", rows.len());
    let (mut executed, mut constants) = (0, 0);
    for _ in 0..PROGRAMS {
        let mut runs = Runs::new(&mut rng);
        let mut trace = String::new();
        for _ in 0..LENGTH {
            let i = instruction(&rows, &mut rng);
            trace.push_str("\n    ");
            GasFormatter::new().format(&i, &mut trace);
            if runs.step(&i) {
                executed += 1;
                constants += runs.held(&trace);
            } else {
                break;
            }
        }
    }
    println!("{executed} instructions; {constants} lanes are the simulator's");
    assert!(executed > 4 * PROGRAMS && constants > 40 * executed, "{executed}, {constants}");
}

/// The values of bytes of blocks and keys, and thereby of forms over them.
#[derive(Default)]
struct Evaluation {
    known: HashMap<forms::Form, Option<u8>>,
}

impl Evaluation {
    fn set(&mut self, symbolic: &mut Symbolic, atom: Atom, value: [u8; 16]) -> Lane {
        let lane = symbolic.terms.atom(atom);
        let bytes = symbolic.terms.bytes(lane).unwrap();
        self.known.extend(bytes.into_iter().zip(value.map(Some)));
        lane
    }

    /// The value of a form; `None` if it contains other atoms.
    fn of(&mut self, symbolic: &mut Symbolic, form: forms::Form) -> Option<u8> {
        if let Some(&known) = self.known.get(&form) {
            return known;
        }
        let value = self.of_terms(symbolic, form);
        self.known.insert(form, value);
        value
    }

    fn of_terms(&mut self, symbolic: &mut Symbolic, form: forms::Form) -> Option<u8> {
        let mut value = symbolic.terms.forms.constant_part(form);
        let terms: Vec<_> = symbolic.terms.forms.terms(form).collect();
        for (atom, coefficient) in terms {
            let of_it = symbolic.terms.forms.atom(atom);
            let part = match atom {
                ByteAtom::Lane { .. } => self.known.get(&of_it).copied()??,
                ByteAtom::Sbox { inverse, of } => {
                    let of = self.of(symbolic, of)?;
                    if inverse { INV_SBOX[of as usize] } else { SBOX[of as usize] }
                }
                ByteAtom::Function { .. } => {
                    let (of, values) = symbolic.terms.forms.as_function(of_it)?;
                    values[self.of(symbolic, of)? as usize]
                }
            };
            value ^= symbolic.terms.forms.matrices.apply(coefficient, part);
        }
        Some(value)
    }
}

#[test]
fn functions_of_blocks_are_those_of_the_simulator() {
    use Operation::*;
    let mut rng = ChaCha8Rng::seed_from_u64(0xc04e5);
    // The operations that kernels apply to a state.
    let rows: Vec<&Form> = forms()
        .filter(|f| f.vectors != Vectors::Scalar)
        .filter(|f| {
            !matches!(f.operation, BroadcastLanes(_) | Move(_) | MaskFromScalar | MaskToScalar | MaskMove)
                && !format!("{:?}", f.code).contains("_k")
        })
        .collect();
    let (mut held, mut functions) = (0, 0);
    for _ in 0..PROGRAMS {
        let problem = "aes128-ecb".parse().unwrap();
        let mut runs = Runs::new(&mut rng);
        runs.symbolic.begin(problem, &[]);
        let mut evaluation = Evaluation::default();
        let atoms: Vec<(Lane, [u8; 16])> = (0..4)
            .map(|k| {
                let value = lane(&mut rng);
                let atom = match k {
                    0..3 => Atom::Input { stream: 0, block: k },
                    _ => Atom::Key { stream: 0, round: 1 },
                };
                (evaluation.set(&mut runs.symbolic, atom, value), value)
            })
            .collect();
        // In the second run, block 0 is block 1 plus a constant.
        let change = lane(&mut rng);
        let renamed = runs.symbolic.terms.constant(u128::from_le_bytes(change));
        let renamed = runs.symbolic.terms.xor(atoms[1].0, renamed);
        for n in 0..32 {
            for k in 0..4 {
                let (symbol, values) = match rng.random_range(0..7) {
                    0..3 => {
                        let value = lane(&mut rng);
                        (runs.symbolic.terms.constant(u128::from_le_bytes(value)), [value; 2])
                    }
                    3 => (atoms[0].0, [atoms[0].1, std::array::from_fn(|i| atoms[1].1[i] ^ change[i])]),
                    other => (atoms[other - 3].0, [atoms[other - 3].1; 2]),
                };
                runs.machine.vector[n][k] = symbol;
                [runs.known[0].vector[n][k], runs.known[1].vector[n][k]] = values;
            }
        }
        for n in 0..8 {
            runs.machine.mask[n] = Mask::Bits(runs.known[0].mask[n]);
            runs.known[1].mask[n] = runs.known[0].mask[n];
        }
        let mut trace = String::new();
        for _ in 0..3 * LENGTH {
            let i = instruction(&rows, &mut rng);
            trace.push_str("\n    ");
            GasFormatter::new().format(&i, &mut trace);
            if !runs.step(&i) {
                break;
            }
        }
        let mut memo = Renamed::default();
        for n in 0..32 {
            for k in 0..4 {
                let symbol = runs.machine.vector[n][k];
                if symbol.is_unknown() {
                    continue;
                }
                let terms = &mut runs.symbolic.terms;
                let opened = terms.expand(symbol);
                let Some(closed) = terms.bytes(symbol) else { continue };
                let named = terms.coarse(symbol);
                let named = terms.expand(named);
                let second = terms.rename(symbol, &mut memo, &mut |_, atom| {
                    matches!(atom, Atom::Input { block: 0, .. }).then_some(renamed)
                });
                let mut forms = vec![(opened, 0), (closed, 0), (named, 0)];
                if !second.is_unknown() {
                    forms.push((terms.expand(second), 1));
                }
                for (bytes, run) in forms {
                    let expected = runs.known[run].vector[n][k];
                    let value: Option<Vec<u8>> =
                        bytes.iter().map(|&form| evaluation.of(&mut runs.symbolic, form)).collect();
                    if let Some(value) = value {
                        assert_eq!(value, expected, "vector {n}, lane {k}, run {run}:{trace}");
                        held += 1;
                    }
                }
                functions += usize::from(runs.symbolic.terms.has_cones(symbol));
            }
        }
    }
    println!("{held} values are the simulator's; {functions} lanes are functions");
    assert!(functions > PROGRAMS && held > 100 * PROGRAMS, "{held}, {functions}");
}
