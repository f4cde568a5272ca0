//! The prover's flags against the simulator's, which the processor's own tests hold against the CPU: random
//! general-purpose instructions on numbers, public unknowns and secrets. After each, every condition is
//! asked. What the prover decides must be what the simulator finds; and what it does not refuse must be the same
//! in a second run with other secrets.

#[path = "../../processor/tests/sample/mod.rs"]
mod sample;

use aesmith_processor::domain::{Condition, Decision, Domain, FlagSet, Machine};
use aesmith_processor::x86::concrete::{Bytes, Flags as Known, zeroed};
use aesmith_processor::x86::semantics::execute;
use aesmith_processor::x86::table::{Form, Operation, Vectors, form, forms};
use aesmith_prove::explore::State;
use aesmith_prove::scalar::Word;
use aesmith_prove::symbolic::{Flags, Mask, Stop, Symbolic};
use aesmith_prove::terms::Lane;
use iced_x86::{Decoder, DecoderOptions, Encoder, Formatter, GasFormatter, Instruction};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

const PROGRAMS: usize = 20_000;
const LENGTH: usize = 6;

const CONDITIONS: [Condition; 16] = [
    Condition::Overflow,
    Condition::NoOverflow,
    Condition::Below,
    Condition::AboveEqual,
    Condition::Equal,
    Condition::NotEqual,
    Condition::BelowEqual,
    Condition::Above,
    Condition::Sign,
    Condition::NoSign,
    Condition::Parity,
    Condition::NoParity,
    Condition::Less,
    Condition::GreaterEqual,
    Condition::LessEqual,
    Condition::Greater,
];

/// Edges, where carries, signs and overflows change.
fn value(rng: &mut impl Rng) -> u64 {
    let edges = [0, 1, 0x7f, 0x80, 0xff, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff, 1 << 63, (1 << 63) - 1];
    match rng.random_range(0..4) {
        0 => rng.random(),
        1 => u64::MAX - rng.random_range(0..3u64),
        _ => edges[rng.random_range(0..edges.len())],
    }
}

/// A register-only instruction of a row that computes on general-purpose registers.
fn instruction(rows: &[&'static Form], rng: &mut ChaCha8Rng) -> Instruction {
    let form = rows[rng.random_range(0..rows.len())];
    let targets = sample::Targets { data: 0, code: 64 };
    let mut encoder = Encoder::new(64);
    encoder.encode(&sample::sample(form, false, targets, rng), 0).expect("it encodes");
    Decoder::with_ip(64, &encoder.take_buffer(), 0, DecoderOptions::NONE).decode()
}

fn text(i: &Instruction) -> String {
    let mut text = "\n    ".to_owned();
    GasFormatter::new().format(i, &mut text);
    text
}

/// What the manual leaves undefined holds anything: here, what the secrets say.
fn scrambled(flags: Known, which: FlagSet, rng: &mut ChaCha8Rng) -> Known {
    let mut one = |is: bool, undefined: bool| if undefined { rng.random() } else { is };
    Known {
        carry: one(flags.carry, which.carry),
        parity: one(flags.parity, which.parity),
        zero: one(flags.zero, which.zero),
        sign: one(flags.sign, which.sign),
        overflow: one(flags.overflow, which.overflow),
    }
}

struct Runs {
    symbolic: Symbolic,
    machine: State,
    /// With the same numbers and public values, and each with secrets of its own.
    known: [Machine<Bytes>; 2],
    public: Known,
}

impl Runs {
    fn new(rng: &mut ChaCha8Rng) -> Runs {
        let mut symbolic = Symbolic::new("aes128-ecb".parse().unwrap());
        symbolic.begin("aes128-ecb".parse().unwrap(), &[]);
        let mut machine = State {
            gpr: [Word::Public; 16],
            vector: [[Lane::PUBLIC; 4]; 32],
            mask: [Mask::Unknown; 8],
            flags: Flags::Unknown { secret: false },
        };
        let mut known = [zeroed(), zeroed()];
        for n in 0..16 {
            let kind = rng.random_range(0..5);
            let (a, b) = (value(rng), value(rng));
            machine.gpr[n] = match kind {
                0..3 => Word::number(a),
                3 => Word::Public,
                _ => Word::Unknown,
            };
            known[0].gpr[n] = a;
            known[1].gpr[n] = if kind == 4 { b } else { a };
        }
        let all = FlagSet { carry: true, parity: true, zero: true, sign: true, overflow: true };
        let public = scrambled(Known::default(), all, rng);
        known.iter_mut().for_each(|k| k.flags = public);
        Runs { symbolic, machine, known, public }
    }

    /// Whether the prover executed it.
    fn step(&mut self, i: &Instruction, rng: &mut ChaCha8Rng) -> bool {
        match execute(&mut self.machine, &mut self.symbolic, i) {
            Ok(_) => {}
            Err(Stop::Refused(_)) => return false,
            Err(_) => panic!("no lengths are about here: {i}"),
        }
        let undefined = form(i.code()).unwrap().undefined_flags(i);
        for known in &mut self.known {
            execute(known, &mut Bytes::default(), i).unwrap();
            known.flags = scrambled(known.flags, undefined, rng);
        }
        true
    }

    /// How many conditions were decided, and how many refused.
    fn ask(&mut self, trace: &str) -> (usize, usize) {
        let (mut decided, mut refused) = (0, 0);
        for condition in CONDITIONS {
            let said = match self.symbolic.branch(condition, self.machine.flags) {
                Ok(said) => said,
                Err(Stop::Refused(_)) => {
                    refused += 1;
                    continue;
                }
                Err(_) => panic!("no lengths are about here:{trace}"),
            };
            let found = [0, 1].map(|k| Bytes::default().branch(condition, self.known[k].flags).unwrap());
            assert_eq!(found[0], found[1], "{condition:?} depends on secrets and is not refused:{trace}");
            if said != Decision::Both {
                assert_eq!(said, found[0], "{condition:?}, from {:?}:{trace}", self.public);
                decided += 1;
            }
        }
        // Registers that are numbers hold those numbers.
        for (n, word) in self.machine.gpr.iter().enumerate() {
            if let Some(number) = word.as_number() {
                assert_eq!(number, self.known[0].gpr[n], "register {n}:{trace}");
            }
            if !self.symbolic.word_is_secret(*word) {
                assert_eq!(self.known[0].gpr[n], self.known[1].gpr[n], "register {n} is secret:{trace}");
            }
        }
        (decided, refused)
    }
}

#[test]
fn flags_are_those_of_the_simulator() {
    let mut rng = ChaCha8Rng::seed_from_u64(0xf1a6);
    use Operation::*;
    let computes = |f: &&Form| {
        let moves = matches!(f.operation, ScalarMove | ZeroExtend(_));
        let sets = matches!(f.operation, Combine(_) | Compare(_) | Modify(_) | ShiftBy(_) | ThreeOperand(_));
        let chooses = matches!(f.operation, ConditionalMove(_) | SetByte(_) | RotateMove);
        f.vectors == Vectors::Scalar && (moves || sets || chooses)
    };
    let rows: Vec<&Form> = forms().filter(computes).collect();
    assert!(rows.len() > 150, "{} rows", rows.len());
    let (mut decided, mut refused, mut executed) = (0, 0, 0);
    for _ in 0..PROGRAMS {
        let mut runs = Runs::new(&mut rng);
        let mut trace = String::new();
        for _ in 0..LENGTH {
            let i = instruction(&rows, &mut rng);
            trace.push_str(&text(&i));
            if !runs.step(&i, &mut rng) {
                break;
            }
            executed += 1;
            let (d, r) = runs.ask(&trace);
            decided += d;
            refused += r;
        }
    }
    println!(
        "{executed} instructions; {decided} conditions decided as the simulator does, {refused} refused"
    );
    assert!(executed > 2 * PROGRAMS && decided > PROGRAMS && refused > PROGRAMS);
}
