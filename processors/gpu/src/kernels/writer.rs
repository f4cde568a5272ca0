//! Code on any number of virtual registers, which are allocated at the end.

use std::collections::{BTreeMap, BTreeSet};

use aesmith_isa::Insn;
use aesmith_isa::table::Kind;

use crate::table::{DOUBLES, PREDICATES, WORDS, isa};

/// A piece of code.
enum Piece {
    Insn(Insn),
    /// A branch to a label, which goes to the instruction's field `to`.
    Branch(Insn, &'static str),
    Label(&'static str),
}

/// Writes a program.
pub struct Writer {
    pieces: Vec<Piece>,
    fresh: i32,
    /// Width of a text load or store, in bytes.
    pub width: i32,
}

impl Writer {
    /// An empty program, whose instructions will load or store `width` bytes of text.
    pub fn new(width: i32) -> Writer {
        Writer { pieces: Vec::new(), fresh: 0, width }
    }

    /// A new register.
    pub fn fresh(&mut self) -> i32 {
        self.fresh += 1;
        Insn::VIRTUAL + self.fresh
    }

    /// New registers.
    pub fn several<const N: usize>(&mut self) -> [i32; N] {
        std::array::from_fn(|_| self.fresh())
    }

    /// Appends an instruction.
    pub fn put(&mut self, name: &str, fields: &[(&str, i32)]) {
        self.pieces.push(Piece::Insn(isa().insn(name, fields)));
    }

    /// An instruction whose result, a word in field `d`, is in a fresh register.
    pub fn word(&mut self, name: &str, fields: &[(&str, i32)]) -> i32 {
        self.into("d", name, fields)
    }

    /// Like [`Writer::word`], for a double in field `x`.
    pub fn double(&mut self, name: &str, fields: &[(&str, i32)]) -> i32 {
        self.into("x", name, fields)
    }

    /// Like [`Writer::word`], for a predicate in field `p`.
    pub(crate) fn predicate(&mut self, name: &str, fields: &[(&str, i32)]) -> i32 {
        self.into("p", name, fields)
    }

    fn into(&mut self, field: &str, name: &str, fields: &[(&str, i32)]) -> i32 {
        let result = self.fresh();
        let all: Vec<(&str, i32)> = fields.iter().copied().chain([(field, result)]).collect();
        self.put(name, &all);
        result
    }

    /// Binds a label here.
    pub fn label(&mut self, name: &'static str) {
        self.pieces.push(Piece::Label(name));
    }

    /// A jump to a label if a predicate holds.
    pub fn branch_if(&mut self, predicate: i32, label: &'static str) {
        self.pieces.push(Piece::Branch(isa().insn("bra_if", &[("p", predicate)]), label));
    }

    /// A jump to a label if a predicate does not hold.
    pub(crate) fn branch_unless(&mut self, predicate: i32, label: &'static str) {
        self.pieces.push(Piece::Branch(isa().insn("bra_unless", &[("p", predicate)]), label));
    }

    /// The program, or a sentence if it needs more registers than there are.
    pub fn finish(self) -> Result<Vec<Insn>, String> {
        let mut labels: BTreeMap<&str, i32> = BTreeMap::new();
        let mut insns: Vec<Insn> = Vec::new();
        let mut branches: Vec<(usize, &str)> = Vec::new();
        for piece in self.pieces {
            match piece {
                Piece::Label(name) => {
                    labels.insert(name, insns.len() as i32);
                }
                Piece::Insn(insn) => insns.push(insn),
                Piece::Branch(insn, label) => {
                    branches.push((insns.len(), label));
                    insns.push(insn);
                }
            }
        }
        let mut loops: Vec<(usize, usize)> = Vec::new();
        for (at, label) in branches {
            let to = *labels.get(label).ok_or_else(|| format!("there is no label {label}"))?;
            let place = isa().of(&insns[at]).fields.iter().position(|field| field.name == "to");
            insns[at].fields[place.ok_or("a branch names its target")?] = to - at as i32;
            loops.extend((to as usize <= at).then_some((to as usize, at)));
        }
        place(&mut insns, &loops)?;
        Ok(insns)
    }
}

/// The virtual registers of an instruction: indices of their fields, and the first register of their kind.
fn registers(insn: &Insn) -> impl Iterator<Item = (usize, u8)> {
    let fields = isa().of(insn).fields.iter().enumerate();
    let insn = *insn;
    fields.filter_map(move |(place, field)| match field.kind {
        Kind::Register { base, .. } if insn.fields[place] >= Insn::VIRTUAL => Some((place, base)),
        _ => None,
    })
}

/// Allocates registers: a live range extends from first to last use, and to the end of each loop that uses the
/// register and starts after its definition.
fn place(insns: &mut [Insn], loops: &[(usize, usize)]) -> Result<(), String> {
    let mut lives: BTreeMap<i32, (usize, usize, u8)> = BTreeMap::new();
    for (at, insn) in insns.iter().enumerate() {
        for (place, base) in registers(insn) {
            lives.entry(insn.fields[place]).or_insert((at, at, base)).1 = at;
        }
    }
    for (begin, end, _) in lives.values_mut() {
        // Inner loops come before outer ones, as they end first.
        for &(head, back) in loops {
            if *begin < head && (head..=back).contains(end) {
                *end = back;
            }
        }
    }
    let count = |base: u8| match base {
        0 => WORDS,
        WORDS => DOUBLES,
        _ => PREDICATES,
    };
    let mut order: Vec<(i32, (usize, usize, u8))> = lives.into_iter().collect();
    order.sort_by_key(|&(register, (begin, ..))| (begin, register));
    let mut free: BTreeMap<u8, BTreeSet<u8>> = BTreeMap::new();
    for base in [0, WORDS, WORDS + DOUBLES] {
        free.insert(base, (0..count(base)).map(|k| base + k).collect());
    }
    let mut used: Vec<(usize, u8, u8)> = Vec::new();
    let mut given: BTreeMap<i32, i32> = BTreeMap::new();
    for (register, (begin, end, base)) in order {
        used.retain(|&(until, base, taken)| {
            let over = until < begin;
            if over {
                free.entry(base).or_default().insert(taken);
            }
            !over
        });
        let taken = free.get_mut(&base).and_then(BTreeSet::pop_first);
        let taken = taken.ok_or_else(|| format!("more than {} registers are alive at once", count(base)))?;
        used.push((end, base, taken));
        given.insert(register, taken.into());
    }
    for insn in insns.iter_mut() {
        for (place, _) in registers(insn).collect::<Vec<_>>() {
            insn.fields[place] = given[&insn.fields[place]];
        }
    }
    Ok(())
}
