//! Compares the prover's scalars and flags with those of the simulator, which the processor's own tests compare with
//! the CPU: random general-purpose instructions on numbers, lengths, addresses, public unknowns and secrets. After each
//! instruction, every condition is tested. What the prover decides must agree with the simulator; what it does not
//! refuse must be the same in a second run with other secrets; and what it says of a register must be the simulator's
//! value.

use crate::sample;
use aesmith_isa::lanes::{Condition, Decision, Domain, FlagSet, Machine};
use aesmith_processor::measured::Vectors;
use aesmith_prove::lanes::explore::State;
use aesmith_prove::lanes::scalar::{Base, Linear, Quantity, Split, Word};
use aesmith_prove::lanes::symbolic::{Flags, Mask, Stop, Symbolic};
use aesmith_prove::lanes::terms::Lane;
use aesmith_x86::concrete::{Bytes, Flags as Known, zeroed};
use aesmith_x86::instructions::SYSTEM_V;
use aesmith_x86::registers::COUNTS;
use aesmith_x86::semantics::execute;
use aesmith_x86::table::{Form, Operation, form, forms};
use iced_x86::{Decoder, DecoderOptions, Encoder, Formatter, GasFormatter, Instruction};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

const PROGRAMS: usize = 40_000;
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

/// A random value, often at an edge where carries, signs and overflows change.
fn value(rng: &mut impl Rng) -> u64 {
    let edges = [0, 1, 0x7f, 0x80, 0xff, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff, 1 << 63, (1 << 63) - 1];
    match rng.random_range(0..4) {
        0 => rng.random(),
        1 => u64::MAX - rng.random_range(0..3u64),
        _ => edges[rng.random_range(0..edges.len())],
    }
}

/// A random instruction that computes on general-purpose registers and accesses no memory.
fn instruction(rows: &[&'static Form], rng: &mut ChaCha8Rng) -> Instruction {
    let form = rows[rng.random_range(0..rows.len())];
    let targets = sample::Targets { data: 0, code: 64 };
    loop {
        let mut encoder = Encoder::new(64);
        encoder.encode(&sample::sample(form, false, targets, rng), 0).expect("it encodes");
        let i = Decoder::with_ip(64, &encoder.take_buffer(), 0, DecoderOptions::NONE).decode();
        if !i.is_ip_rel_memory_operand() {
            return i;
        }
    }
}

fn text(i: &Instruction) -> String {
    let mut text = "\n    ".to_owned();
    GasFormatter::new().format(i, &mut text);
    text
}

/// Flags that the manual leaves undefined may hold anything, even secrets: here, they are random.
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

/// The values of the symbols in both runs.
#[derive(Clone, Copy, Debug)]
struct Meant {
    /// The remaining length.
    length: u64,
    input: u64,
    key: u64,
}

impl Meant {
    fn new(rng: &mut ChaCha8Rng) -> Meant {
        let bits = rng.random_range(0..46);
        let edge = (1u64 << bits) + rng.random_range(0..3) - 1;
        let lengths =
            [rng.random_range(0..300), edge, 16 * rng.random_range(0..40), rng.random::<u64>() >> 18];
        let mut place = || 0x5000_0000_0000 + (rng.random::<u64>() >> 20);
        let (input, key) = (place(), place());
        Meant { length: lengths[rng.random_range(0..lengths.len())], input, key }
    }

    fn linear(&self, linear: Linear) -> u64 {
        let (blocks, tail) = (self.length / 16, self.length % 16);
        let base = match linear.base {
            Base::None => 0,
            Base::Input => self.input,
            Base::Key => self.key,
            other => panic!("no {other:?} is about here"),
        };
        assert_eq!(linear.progress, 0);
        let times = |factor: i64, value: u64| value.wrapping_mul(factor as u64);
        base.wrapping_add(linear.offset as u64)
            .wrapping_add(times(linear.blocks.into(), blocks))
            .wrapping_add(times(linear.tail.into(), tail))
            .wrapping_add(times(linear.partial.into(), u64::from(tail > 0)))
            .wrapping_add(times(linear.groups.into(), blocks >> linear.group_shift))
    }

    /// The value of a scalar, if it has a known meaning.
    fn value(&self, word: Word) -> Option<u64> {
        Some(match word {
            Word::Linear(linear) => self.linear(linear),
            Word::Ones(count) => 1u64.checked_shl(self.linear(count) as u32).map_or(u64::MAX, |bit| bit - 1),
            Word::LowBits { address, mask } => self.linear(address) & u64::from(mask),
            _ => return None,
        })
    }

    /// True if the quantity in a question is below its bound.
    fn answer(&self, split: Split) -> bool {
        let quantity = match split.quantity {
            Quantity::Bytes => self.length,
            Quantity::Blocks => self.length / 16,
            Quantity::Tail => self.length % 16,
        };
        (quantity as i128) < i128::from(split.at)
    }
}

struct Runs {
    meant: Meant,
    symbolic: Symbolic,
    machine: State,
    /// Two runs with the same numbers and public values, and with different secrets.
    known: [Machine<Bytes>; 2],
    public: Known,
}

impl Runs {
    fn new(rng: &mut ChaCha8Rng) -> Runs {
        let mut symbolic = Symbolic::new("aes128-ecb".parse().unwrap(), &SYSTEM_V);
        symbolic.begin("aes128-ecb".parse().unwrap(), &[]);
        let flags = Flags::Unknown { secret: false };
        let mut machine = State::filled(COUNTS, Word::Public, Lane::PUBLIC, Mask::Unknown, flags);
        let meant = Meant::new(rng);
        let mut known = [zeroed(), zeroed()];
        for n in 0..16 {
            let kind = rng.random_range(0..8);
            let (a, b) = (value(rng), value(rng));
            machine.gpr[n] = match kind {
                0..2 => Word::number(a),
                2 => Word::number(a & 31),
                3 => Word::Linear(Linear::remaining(0)),
                4 => Word::Linear(Linear::address(Base::Input, 0, 0)),
                5 => Word::Linear(Linear::address(Base::Key, 0, 16)),
                6 => Word::Public,
                _ => Word::Unknown,
            };
            let a = meant.value(machine.gpr[n]).unwrap_or(a);
            known[0].gpr[n] = a;
            known[1].gpr[n] = if kind == 7 { b } else { a };
        }
        let all = FlagSet { carry: true, parity: true, zero: true, sign: true, overflow: true };
        let public = scrambled(Known::default(), all, rng);
        known.iter_mut().for_each(|k| k.flags = public);
        Runs { meant, symbolic, machine, known, public }
    }

    /// True if the prover executed the instruction.
    fn step(&mut self, i: &Instruction, rng: &mut ChaCha8Rng) -> bool {
        loop {
            let before = self.machine.clone();
            match execute(&mut self.machine, &mut self.symbolic, i) {
                Ok(_) => break,
                Err(Stop::Refused(_)) => return false,
                Err(stop) => self.answer(stop),
            }
            self.machine = before;
        }
        let undefined = form(i.code()).unwrap().undefined_flags(i);
        for known in &mut self.known {
            execute(known, &mut Bytes::default(), i).unwrap();
            known.flags = scrambled(known.flags, undefined, rng);
        }
        true
    }

    /// Answers a question about the length according to its value.
    fn answer(&mut self, stop: Stop) {
        let Stop::Split(split) = stop else { panic!("no counter is about here") };
        let possible = self.symbolic.path.facts.assume(split, self.meant.answer(split));
        assert!(possible, "{:?} is ruled out by {split:?}", self.meant);
    }

    /// The numbers of conditions decided and refused.
    fn ask(&mut self, trace: &str) -> (usize, usize) {
        let (mut decided, mut refused) = (0, 0);
        for condition in CONDITIONS {
            let said = loop {
                match self.symbolic.branch(condition, self.machine.flags) {
                    Ok(said) => break Some(said),
                    Err(Stop::Refused(_)) => break None,
                    Err(stop) => self.answer(stop),
                }
            };
            let Some(said) = said else {
                refused += 1;
                continue;
            };
            let found = [0, 1].map(|k| Bytes::default().branch(condition, self.known[k].flags).unwrap());
            assert_eq!(found[0], found[1], "{condition:?} depends on secrets and is not refused:{trace}");
            if said != Decision::Both {
                assert_eq!(said, found[0], "{condition:?}, from {:?}, {:?}:{trace}", self.public, self.meant);
                decided += 1;
            }
        }
        for (n, word) in self.machine.gpr.iter().enumerate() {
            if let Some(value) = self.meant.value(*word) {
                assert_eq!(value, self.known[0].gpr[n], "register {n} is {word:?}, {:?}:{trace}", self.meant);
            }
            if !self.symbolic.word_is_secret(*word) {
                assert_eq!(self.known[0].gpr[n], self.known[1].gpr[n], "register {n} is secret:{trace}");
            }
        }
        (decided, refused)
    }
}

#[test]
fn scalars_and_flags_are_those_of_the_simulator() {
    let mut rng = ChaCha8Rng::seed_from_u64(0xf1a6);
    use Operation::*;
    let computes = |f: &&Form| {
        let moves = matches!(f.operation, ScalarMove | ZeroExtend(_) | LoadAddress);
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
