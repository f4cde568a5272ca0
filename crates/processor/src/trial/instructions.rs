//! Random instructions, and their meanings in the interpreter held against those in a judge.

use aesmith_isa::assemble::{Item, Section, assemble};
use aesmith_isa::execute::Executed;
use aesmith_isa::table::Stands;
use aesmith_isa::{Insn, Isa, Kind};
use aesmith_judge::judge::{Call, Emulator, Question};
use aesmith_judge::outside::gnu::at_corner;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::is_soak;
use crate::core::Core;
use crate::interpreter::Interpreter;

/// A random instruction of a row, with fields at corners, and often one register in all fields; `None` if the bits belong to
/// another row, are undefined, or are not the canonical encoding of the instruction.
pub fn attempt(isa: &Isa, row: u16, rng: &mut ChaCha8Rng) -> Option<Insn> {
    let of = &isa.rows[usize::from(row)];
    let register = rng.random::<u64>();
    let together = rng.random_bool(0.3);
    let mut code = of.pattern.value;
    for (place, field) in of.fields.iter().enumerate() {
        let held = of.pattern.held(place);
        let is_register = matches!(field.kind, Kind::Register { .. });
        let bits = if is_register && together { register } else { at_corner(held, rng.random()) };
        code |= of.pattern.put(place, bits & held);
    }
    let bytes = isa.bytes_of(code, row);
    let insn = isa.decode(&bytes).filter(|insn| insn.row == row)?;
    let is_defined = (isa.undefined)(isa, &insn, Stands::default()).is_none();
    let is_canonical = isa.encode(&insn).is_ok_and(|again| again == bytes);
    (is_defined && is_canonical && isa.lacking(&insn).is_none()).then_some(insn)
}

/// A random instruction of a row for which `fits` holds; rows without fields have only one.
///
/// # Panics
/// The row has none, or hardly any.
pub fn random(isa: &Isa, row: u16, rng: &mut ChaCha8Rng, fits: impl Fn(&Insn) -> bool) -> Insn {
    let of = &isa.rows[usize::from(row)];
    if of.fields.is_empty() {
        return isa.insn(&of.name, &[]);
    }
    let found = (0..10_000).find_map(|_| attempt(isa, row, rng).filter(&fits));
    found.unwrap_or_else(|| panic!("{}: no instruction fits", of.name))
}

/// A random word; one in four is at a corner: 0, 1, all bits, or only the highest bit.
pub fn word(rng: &mut ChaCha8Rng) -> u32 {
    match rng.random_range(0..4) {
        0 => [0, 1, u32::MAX, 1 << 31][rng.random_range(0..4)],
        _ => rng.random(),
    }
}

/// Random bytes.
pub fn bytes(count: usize, rng: &mut ChaCha8Rng) -> Vec<u8> {
    (0..count).map(|_| rng.random()).collect()
}

/// A function that loads an instruction's operands, executes the instruction and stores its results.
#[derive(Debug)]
pub struct Around {
    /// The function.
    pub items: Vec<Item>,
    /// The place of the instruction in it.
    pub at: usize,
}

/// An instruction in a program.
#[derive(Clone, Copy, Debug)]
pub struct Placed {
    /// The instruction.
    pub insn: Insn,
    /// Its address.
    pub address: u64,
    /// The address of the function around it, which a call passes to the program's first instructions.
    pub function: u64,
}

/// A comparison of the interpreter with a judge, row by row.
///
/// The functions of many rows are one program, so that the judge is started once for all of them.
pub struct Meanings<'a> {
    /// The processor.
    pub core: &'static Core,
    /// The judge.
    pub judge: &'a dyn Emulator,
    /// The address of the program.
    pub start: u64,
    /// The first items of the program: a jump to the function whose address is an argument of the call.
    pub enter: Vec<Item>,
    /// True if some instructions leave bits undefined; bits that depend on these are not compared.
    pub open: bool,
    /// Number of functions for each row; ten times as many in a soak.
    pub times: usize,
    /// Number of calls of each function.
    pub calls: usize,
    /// A function for a row, which begins at an address; `None` for rows that are not compared.
    pub around: fn(row: u16, address: u64, rng: &mut ChaCha8Rng) -> Option<Around>,
    /// A call of a function.
    pub call: fn(&Placed, &mut ChaCha8Rng) -> Call,
}

impl Meanings<'_> {
    /// Compares the memory after the calls, and also cycles and stack if the judge counts cycles. Returns the number of
    /// functions, which is 0 if the judge is missing.
    ///
    /// # Panics
    /// They differ, or a program cannot be assembled or run.
    pub fn compare(&self, seed: u64) -> usize {
        if let Err(why) = self.judge.present() {
            println!("skipped: {why}");
            return 0;
        }
        let times = self.times * if is_soak() { 10 } else { 1 };
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let rows = (self.core.isa)().rows.len() as u16;
        let all: Vec<u16> = (0..rows).flat_map(|row| std::iter::repeat_n(row, times)).collect();
        let found = all.chunks(64).map(|rows| self.program(rows, &mut rng));
        let [count, undefined] = found.fold([0; 2], |sum, [a, b]| [sum[0] + a, sum[1] + b]);
        println!("{count} instructions of {rows} rows, {undefined} bytes with undefined bits");
        assert!(!self.open || undefined > 0, "no bits are undefined");
        count
    }

    /// Compares a program with functions for some rows: the number of functions, and of bytes with undefined bits.
    fn program(&self, rows: &[u16], rng: &mut ChaCha8Rng) -> [usize; 2] {
        let mut undefined = 0;
        let isa = (self.core.isa)();
        let mut whole =
            Section { name: ".text", address: self.start, writable: false, items: self.enter.clone() };
        let mut all = Vec::new();
        for &row in rows {
            let function = self.start + whole.size(isa);
            let Some(Around { items, at }) = (self.around)(row, function, rng) else { continue };
            let Item::Insn(insn) = items[at] else {
                panic!("{}: not at its place", isa.rows[row as usize].name)
            };
            let before = items[..at].to_vec();
            let before = Section { address: function, items: before, ..whole.clone() }.size(isa);
            all.push(Placed { insn, address: function + before, function });
            whole.items.extend(items);
        }
        let image = assemble(isa, &[whole]).unwrap_or_else(|e| panic!("rows {rows:?}: {e}"));
        let calls = all.iter().flat_map(|placed| (0..self.calls).map(move |_| placed));
        let calls: Vec<Call> = calls.map(|placed| (self.call)(placed, rng)).collect();
        for (placed, call) in all.iter().zip(calls.chunks(self.calls).map(|calls| &calls[0])) {
            let mut is_reached = false;
            let mut watch =
                |executed: &Executed, _: Option<_>, _: u32| is_reached |= executed.pc == placed.address;
            let _ = Interpreter::new(self.core).watched(&image, self.start, call, 1000, &mut watch);
            assert!(is_reached, "{}: the call does not reach it", isa.print(&placed.insn, |_| None));
        }
        let question = Question { image: &image, function: self.start, calls, limit: 1000 };
        let answers = |judge: &dyn Emulator| {
            judge.answer(&question).unwrap_or_else(|e| panic!("{}, rows {rows:?}: {e}", judge.name()))
        };
        let interpreted = |open| {
            let mut interpreter = Interpreter::new(self.core);
            interpreter.open = open;
            answers(&interpreter)
        };
        let (ours, mut theirs) = (interpreted(0), answers(self.judge));
        if self.open {
            // Bits that depend on undefined ones differ where these have other values.
            for ((a, other), b) in ours.iter().zip(interpreted(u128::MAX)).zip(&mut theirs) {
                let bytes = a.read.iter().zip(&other.read).zip(&mut b.read);
                for ((a, other), b) in bytes.flat_map(|((a, other), b)| a.iter().zip(other).zip(b)) {
                    *b = *b & !(a ^ other) | a & (a ^ other);
                    undefined += usize::from(a != other);
                }
            }
        }
        for (k, (a, b)) in ours.iter().zip(&theirs).enumerate() {
            let shown = || {
                let insn = isa.print(&all[k / self.calls].insn, |_| None);
                format!("{insn} on {:02x?}", question.calls[k].writes[0].1)
            };
            assert_eq!(a.read, b.read, "{}", shown());
            if self.judge.counts_cycles() {
                assert_eq!(a, b, "{}", shown());
            }
        }
        [all.len(), undefined]
    }
}
