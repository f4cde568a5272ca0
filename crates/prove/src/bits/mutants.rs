//! Single faults in programs, to test the prover: a faulty program that it still proves must compute the same.
//!
//! The faults are made from the instruction table alone, so they exist for any processor with a table: [`Fault`] lists
//! them. Each is applied in place, so that no other instruction moves.

use std::collections::BTreeSet;
use std::fmt;

use aesmith_isa::execute::{Machine, execute};
use aesmith_isa::image::Image;
use aesmith_isa::meaning::Step;
use aesmith_isa::numbers::Numbers;
use aesmith_isa::table::{Guard, Row};
use aesmith_isa::{Insn, Isa, Kind};

/// A kind of fault.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Fault {
    /// An instruction is replaced by one that does nothing.
    Dropped,
    /// Two neighbouring instructions are exchanged.
    Exchanged,
    /// An operand is another register.
    Register,
    /// An immediate differs by a bit, by one, or by four.
    Immediate,
    /// A number in an instruction that accesses memory differs likewise.
    Offset,
    /// A jump leads to another instruction.
    Target,
    /// A condition is its opposite, or another one.
    Condition,
    /// The mnemonic is another one, with the same operands.
    Mnemonic,
    /// A byte that is not part of an instruction differs in a bit.
    Constant,
}

impl Fault {
    /// All kinds of faults.
    pub const ALL: [Fault; 9] = [
        Fault::Dropped,
        Fault::Exchanged,
        Fault::Register,
        Fault::Immediate,
        Fault::Offset,
        Fault::Target,
        Fault::Condition,
        Fault::Mnemonic,
        Fault::Constant,
    ];
}

/// A fault in one place of a program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Mutant {
    /// The address of the fault.
    pub address: u64,
    /// The kind of fault.
    pub fault: Fault,
    /// A description.
    pub what: String,
    /// The bytes at that address.
    pub bytes: Vec<u8>,
}

impl fmt::Display for Mutant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:#x}: {}", self.address, self.what)
    }
}

impl Mutant {
    /// The program with the fault.
    pub fn applied(&self, image: &Image) -> Option<Image> {
        let mut image = image.clone();
        let segment = image.segments.iter_mut().find(|s| (s.address..s.end()).contains(&self.address))?;
        let place = (self.address - segment.address) as usize;
        segment.bytes.get_mut(place..place + self.bytes.len())?.copy_from_slice(&self.bytes);
        Some(image)
    }
}

/// The addresses of consecutive instructions from one address up to another.
pub fn in_a_row(isa: &Isa, image: &Image, from: u64, until: u64) -> Vec<u64> {
    let next = |&at: &u64| Some(at + u64::from(isa.of(&isa.decode(image.at(at))?).bytes()));
    std::iter::successors(Some(from), next).take_while(|&at| at < until).collect()
}

/// The faults of the instructions at these addresses, in this order.
pub fn mutants(isa: &Isa, image: &Image, places: &[u64]) -> Vec<Mutant> {
    let mut maker = Maker { isa, image, idle: Vec::new(), found: Vec::new() };
    for size in [2, 4] {
        maker.idle.extend(idle(isa, size));
    }
    for &at in places {
        if let Some(insn) = isa.decode(image.at(at)) {
            maker.instruction(at, &insn);
        }
    }
    maker.found
}

/// Faults in constants: one flipped bit in each byte of a range.
pub fn wrong_constants(image: &Image, from: u64, until: u64) -> Vec<Mutant> {
    let wrong = (from..until).filter_map(|at| {
        let byte = *image.at(at).first()?;
        let bit = spread(at) % 8;
        let what = format!("bit {bit} of the byte {byte:#x} differs");
        Some(Mutant { address: at, fault: Fault::Constant, what, bytes: vec![byte ^ 1 << bit] })
    });
    wrong.collect()
}

/// A hash of an address, for arbitrary choices.
fn spread(at: u64) -> u64 {
    at.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40
}

/// The most other rows of the same shape that are tried.
const ROWS: usize = 3;

struct Maker<'a> {
    isa: &'a Isa,
    image: &'a Image,
    /// Instructions that do nothing, by their bytes.
    idle: Vec<Vec<u8>>,
    found: Vec<Mutant>,
}

impl Maker<'_> {
    fn offer(&mut self, at: u64, fault: Fault, what: String, bytes: Vec<u8>) {
        if !self.image.at(at).starts_with(&bytes) {
            self.found.push(Mutant { address: at, fault, what, bytes });
        }
    }

    fn print(&self, insn: &Insn) -> String {
        self.isa.print(insn, |_| None)
    }

    /// Replaces an instruction by another, if that can be encoded.
    fn replace(&mut self, at: u64, fault: Fault, old: &Insn, new: &Insn) {
        let Ok(bytes) = self.isa.encode(new) else { return };
        let Some(found) = self.isa.decode(&bytes) else { return };
        let what = format!("`{}` is `{}`", self.print(old), self.print(&found));
        self.offer(at, fault, what, bytes);
    }

    fn instruction(&mut self, at: u64, insn: &Insn) {
        self.dropped(at, insn);
        self.exchanged(at, insn);
        for field in 0..self.isa.of(insn).fields.len() {
            self.field(at, insn, field);
        }
        self.rows(at, insn);
    }

    fn dropped(&mut self, at: u64, insn: &Insn) {
        let size = usize::from(self.isa.of(insn).bytes());
        let one = self.idle.iter().find(|bytes| bytes.len() == size);
        let two = self.idle.iter().find(|bytes| bytes.len() * 2 == size);
        let bytes = one.cloned().or_else(|| two.map(|half| half.repeat(2)));
        if let Some(bytes) = bytes {
            self.offer(at, Fault::Dropped, format!("`{}` is not there", self.print(insn)), bytes);
        }
    }

    fn exchanged(&mut self, at: u64, insn: &Insn) {
        let size = usize::from(self.isa.of(insn).bytes());
        let here = self.image.at(at);
        let Some(next) = here.get(size..).and_then(|bytes| self.isa.decode(bytes)) else { return };
        let after = usize::from(self.isa.of(&next).bytes());
        let bytes = [&here[size..size + after], &here[..size]].concat();
        let what = format!("`{}` stands before `{}`", self.print(&next), self.print(insn));
        self.offer(at, Fault::Exchanged, what, bytes);
    }

    /// Faults that change the value of a field.
    fn field(&mut self, at: u64, insn: &Insn, field: usize) {
        let row = self.isa.of(insn);
        let (value, kind) = (insn.fields[field], row.fields[field].kind);
        let guards = matches!(self.isa.about.guard, Guard::Field(name) if row.fields[field].name == name);
        let chosen = spread(at) as i32;
        let bit = 1 << (chosen as u32 % u32::from(row.pattern.width(field)).max(1));
        let (fault, values) = match kind {
            Kind::Register { step, .. } => {
                let step = i32::from(step);
                let far = chosen % i32::from(self.isa.about.general);
                (Fault::Register, vec![value + step, value - step, far])
            }
            Kind::Relative { .. } | Kind::Coded { label: true, .. } => {
                let unit = i32::from(self.isa.about.unit);
                (Fault::Target, vec![value + unit, value - unit, value + 2 * unit])
            }
            Kind::Names { names, .. } => {
                let others = names.len() as i32;
                (Fault::Condition, vec![value ^ 1, chosen % others])
            }
            Kind::Number { .. } | Kind::Coded { .. } => {
                let accesses = row.effects.loads || row.effects.stores || multiple(row);
                let fault = if accesses { Fault::Offset } else { Fault::Immediate };
                (fault, vec![value + 1, value - 1, value ^ bit, value + 4])
            }
        };
        let values: BTreeSet<i32> = values.into_iter().filter(|&other| other != value).collect();
        for other in values {
            // Beyond the conditions, the instruction is always executed.
            if guards && value.max(other) as usize >= self.isa.conditions.len().max(1) {
                continue;
            }
            let mut new = *insn;
            new.fields[field] = other;
            self.replace(at, fault, insn, &new);
        }
    }

    /// Faults that use other rows with the same operands; rows with the opposite condition come first.
    fn rows(&mut self, at: u64, insn: &Insn) {
        let isa = self.isa;
        let row = isa.of(insn);
        let (this, count) = (usize::from(insn.row), isa.rows.len());
        let start = if row.effects.jumps { 0 } else { spread(at) as usize % count };
        let alike: Vec<usize> = (0..count)
            .map(|k| (start + k) % count)
            .filter(|&other| other != this && same_shape(row, &isa.rows[other]))
            .collect();
        let opposite = alike.iter().copied().filter(|&other| opposes(row, &isa.rows[other]));
        let others: Vec<usize> = opposite.chain(alike.iter().copied()).collect();
        let mut done = BTreeSet::new();
        for other in others {
            if done.len() == ROWS {
                break;
            }
            if !done.insert(other) {
                continue;
            }
            let both = row.effects.jumps && isa.rows[other].effects.jumps;
            let fault = if both { Fault::Condition } else { Fault::Mnemonic };
            let new = Insn { row: other as u16, fields: insn.fields };
            self.replace(at, fault, insn, &new);
        }
    }
}

/// True if an instruction moves several words.
fn multiple(row: &Row) -> bool {
    row.steps.iter().any(|step| matches!(step, Step::Multiple(..)))
}

/// True if two rows have operands of the same kinds in the same places.
fn same_shape(a: &Row, b: &Row) -> bool {
    let pieces = |r: &Row| r.pattern.fields.iter().map(|(_, pieces)| pieces.clone()).collect::<Vec<_>>();
    let kinds = |r: &Row| r.fields.iter().map(|f| std::mem::discriminant(&f.kind)).collect::<Vec<_>>();
    a.pattern.bits == b.pattern.bits && kinds(a) == kinds(b) && pieces(a) == pieces(b)
}

/// True if the condition of one row is the complement of the other's.
fn opposes(a: &Row, b: &Row) -> bool {
    use aesmith_isa::meaning::Expression::Not;
    let (Some(Step::If(x, ..)), Some(Step::If(y, ..))) = (a.steps.first(), b.steps.first()) else {
        return false;
    };
    let is_not = |whole: &_, part: &_| matches!(whole, Not(1, inner) if **inner == *part);
    is_not(x.tree(), y.tree()) || is_not(y.tree(), x.tree())
}

/// An instruction of `size` bytes that does nothing, found by running instructions that write neither memory nor flags.
fn idle(isa: &Isa, size: u8) -> Option<Vec<u8>> {
    let plain = |row: &Row| {
        let effects = &row.effects;
        let still = !effects.jumps && !effects.loads && !effects.stores && !multiple(row);
        row.bytes() == size && still && effects.writes.is_empty()
    };
    let rows = isa.rows.iter().enumerate().filter(|(_, row)| plain(row));
    let always = isa.conditions.len().saturating_sub(1) as i32;
    for (number, row) in rows {
        for register in [0, 16] {
            let mut insn = Insn { row: number as u16, fields: [0; aesmith_isa::table::FIELDS] };
            for (value, field) in insn.fields.iter_mut().zip(&row.fields) {
                *value = match field.kind {
                    Kind::Register { .. } => register,
                    Kind::Names { .. } => always,
                    _ => 0,
                };
            }
            let Ok(bytes) = isa.encode(&insn) else { continue };
            if isa.decode(&bytes) == Some(insn) && (1..9).all(|seed| changes_nothing(isa, &insn, seed)) {
                return Some(bytes);
            }
        }
    }
    None
}

fn changes_nothing(isa: &Isa, insn: &Insn, seed: u64) -> bool {
    let mut memory = Numbers::new(&Image::default(), &isa.about, &[]);
    let widths = isa.about.registers.iter().map(|(_, width)| u128::MAX >> (128 - width));
    let mut registers: Vec<u128> = widths
        .enumerate()
        .map(|(r, ones)| u128::from(spread(seed * 97 + r as u64) * 0x1_0001) & ones)
        .collect();
    if let Guard::Block(name) = isa.about.guard
        && let Some(state) = isa.register(name)
    {
        registers[usize::from(state)] = 0;
    }
    let mut machine = Machine::new(registers.clone(), 0x100);
    let ran = execute(isa, insn, &mut memory, &mut machine, || 0).is_ok();
    ran && machine.registers == registers && machine.pc == 0x100 + u64::from(isa.of(insn).bytes())
}

/// The outcomes of mutants.
#[derive(Clone, Default, Debug)]
pub struct Outcome {
    /// Mutants refuted that are also wrong when run.
    pub refuted: usize,
    /// Mutants refuted that run right on the samples: they break a rule that samples do not show, or the proof does not
    /// follow them.
    pub refuted_only: usize,
    /// Mutants proved that are right when run: they are not faults.
    pub proved: usize,
    /// Mutants proved that are wrong when run: each is a fault of the prover.
    pub missed: Vec<Mutant>,
}

impl Outcome {
    /// The number of mutants.
    pub fn all(&self) -> usize {
        self.refuted + self.refuted_only + self.proved + self.missed.len()
    }

    /// Adds other outcomes.
    pub fn add(&mut self, other: Outcome) {
        self.refuted += other.refuted;
        self.refuted_only += other.refuted_only;
        self.proved += other.proved;
        self.missed.extend(other.missed);
    }
}

/// Compares proofs with runs: `proves` asks the prover, `agrees` runs the program on samples.
pub fn sorted<'a>(
    image: &Image,
    mutants: impl IntoIterator<Item = &'a Mutant>,
    mut proves: impl FnMut(&Image) -> bool,
    mut agrees: impl FnMut(&Image) -> bool,
) -> Outcome {
    let mut outcome = Outcome::default();
    for mutant in mutants {
        let Some(wrong) = mutant.applied(image) else { continue };
        match (proves(&wrong), agrees(&wrong)) {
            (true, true) => outcome.proved += 1,
            (true, false) => outcome.missed.push(mutant.clone()),
            (false, true) => outcome.refuted_only += 1,
            (false, false) => outcome.refuted += 1,
        }
    }
    outcome
}
