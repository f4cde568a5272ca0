//! Compiles a timing table for the rows of an instruction table.

use crate::Isa;
use crate::table::{FIELDS, Row};

use super::{Several, Timing, Written, is_in};

/// A place that stands for no field.
const NONE: u8 = u8::MAX;

/// The data that the model needs for a row of an instruction table.
#[derive(Clone, Debug)]
pub struct Compiled {
    pub cycles: u32,
    /// Cycles from the issue until the result can be used, for an instruction of one register.
    pub latency: u32,
    pub taken: u32,
    pub after_slot: u32,
    pub prefixes: u32,
    /// Places of the fields whose registers are read; the highest bit means the next register.
    pub reads: Reads,
    /// Fixed registers that are read.
    pub fixed: Box<[u8]>,
    /// Places of the fields, and fixed registers, that get the result.
    pub results: Box<[u8]>,
    pub fixed_results: Box<[u8]>,
    /// The list field whose highest register gets the result.
    pub last: Option<u8>,
    /// The list field of the registers that are stored.
    pub stored: Option<u8>,
    /// True if the row has any of the rules that few rows have.
    pub special: bool,
    /// The list field (or none, for a constant number), and the rule.
    pub several: Option<(Option<u8>, Several)>,
    pub predicted: Option<(u8, u32)>,
    /// The runs that it starts, as bits, and the place of its result.
    pub leads: u8,
    pub led: u8,
    /// The runs that it can follow.
    pub runs: Box<[Following]>,
    /// The distances that it starts, as bits, and those that it keeps.
    pub starts: u64,
    pub keeps: u64,
    /// The units that can execute it, as bits, and cycles.
    pub uses: Box<[(u64, u32)]>,
    /// Bypasses from it, as bits.
    pub from: u64,
    /// Bypasses to it: the bit, the places of its operands as bits, and the latency.
    pub to: Box<[(u64, u8, u32)]>,
    /// The longest latency to any reader, in cycles.
    pub longest: u32,
    /// The pairs in which it is the first and the second, as bits.
    pub first: u64,
    pub second: u64,
    pub begins: bool,
    pub ends: bool,
    pub beside: bool,
    /// The places of the two distances of a hint.
    pub hint: Option<(u8, u8)>,
}

/// A run that an instruction can follow.
#[derive(Clone, Debug)]
pub struct Following {
    pub bit: u8,
    /// Places of the fields whose register must differ from the previous result.
    pub address: Box<[u8]>,
    pub cycles: u32,
}

/// Places of the fields of a row that are read.
#[derive(Clone, Copy, Debug, Default)]
pub struct Reads {
    places: [u8; FIELDS],
    count: u8,
}

impl Reads {
    pub fn iter(&self) -> impl Iterator<Item = u8> + '_ {
        self.places[..usize::from(self.count).min(FIELDS)].iter().copied()
    }
}

fn place(row: &Row, name: &str) -> Option<u8> {
    row.fields.iter().position(|f| f.name == name).map(|at| at as u8)
}

/// A bit mask of the rules that name a class.
fn bits<T>(rules: &[T], names: impl Fn(&T) -> bool) -> u64 {
    rules.iter().enumerate().filter(|(_, rule)| names(rule)).fold(0, |bits, (k, _)| bits | 1 << k)
}

/// Compiles a row.
pub fn compile(timing: &Timing, isa: &Isa, row: &Row) -> Compiled {
    let name = row.class.as_str();
    let class = timing.of(name);
    let effects = &row.effects;
    let counts = |r: u8| isa.about.zero != Some(r) && isa.about.counter.is_none_or(|c| c.register != r);
    let fields = |list: &[(u8, bool)]| -> Vec<u8> {
        // A pair of registers is two reads of one field.
        list.iter().flat_map(|&(f, next)| [Some(f), next.then_some(f | NEXT)]).flatten().collect()
    };
    let mut reads = Reads::default();
    // A meaning may name a field several times.
    for f in fields(&effects.read_fields) {
        if !reads.iter().any(|known| known == f) {
            assert!(
                usize::from(reads.count) < FIELDS,
                "{} reads more registers than it has fields",
                row.name
            );
            reads.places[usize::from(reads.count)] = f;
            reads.count += 1;
        }
    }
    let (results, fixed_results) = match class.result {
        Written::All => {
            let fixed = effects.writes.iter().copied().filter(|&r| counts(r)).collect();
            (fields(&effects.written_fields), fixed)
        }
        Written::Field(name) => (place(row, name).into_iter().collect(), Vec::new()),
        Written::Last(_) => (Vec::new(), Vec::new()),
    };
    let last = match class.result {
        Written::Last(name) => place(row, name),
        _ => None,
    };
    let several = class.several.map(|s| {
        let list = s.place(row).map(|f| f as u8);
        (list, s)
    });
    let stored = several.and_then(|(list, _)| list).filter(|_| effects.stores);
    let predicted = class.predicted.and_then(|p| Some((place(row, p.field)?, p.wrong)));
    let leading = |r: &&super::Run| is_in(name, r.after) && place(row, r.result).is_some();
    let led = timing.runs.iter().find(leading).and_then(|r| place(row, r.result)).unwrap_or(NONE);
    let leads = if led == NONE { 0 } else { bits(timing.runs, |r| is_in(name, r.after)) as u8 };
    let following = timing.runs.iter().enumerate().filter(|(_, r)| is_in(name, r.classes));
    let runs: Box<[Following]> = following
        .map(|(k, r)| Following {
            bit: 1 << k,
            address: r.address.iter().filter_map(|n| place(row, n)).collect(),
            cycles: r.cycles,
        })
        .collect();
    let starts = bits(timing.distances, |d| is_in(name, d.after));
    let keeps = bits(timing.distances, |d| is_in(name, d.classes));
    let uses: Box<[(u64, u32)]> =
        class.uses.iter().map(|u| (bits(timing.units, |unit| u.any_of.contains(unit)), u.cycles)).collect();
    let from = bits(timing.bypasses, |b| is_in(name, b.from));
    let leaving = timing.bypasses.iter().filter(|b| is_in(name, b.from)).map(|b| b.latency);
    let longest = leaving.fold(class.latency(), u32::max);
    let mut to = Vec::new();
    for (k, bypass) in timing.bypasses.iter().enumerate().filter(|(_, b)| is_in(name, b.to)) {
        let named = bypass.operands.iter().filter_map(|n| place(row, n)).fold(0u8, |bits, f| bits | 1 << f);
        to.push((1 << k, if bypass.operands.is_empty() { u8::MAX } else { named }, bypass.latency));
    }
    let pairs = timing.issue.together;
    Compiled {
        cycles: class.cycles,
        latency: class.latency(),
        taken: class.taken,
        after_slot: class.taken_after_slot,
        prefixes: timing.prefixes(row.bytes()),
        reads,
        fixed: effects.reads.iter().copied().filter(|&r| counts(r)).collect(),
        results: results.into(),
        fixed_results: fixed_results.into(),
        last,
        stored,
        special: several.is_some() || predicted.is_some() || !runs.is_empty(),
        several,
        predicted,
        leads,
        led,
        runs,
        starts,
        keeps,
        uses,
        from,
        to: to.into(),
        longest,
        first: bits(pairs, |p| is_in(name, p.first)),
        second: bits(pairs, |p| is_in(name, p.second)),
        begins: class.begins,
        ends: class.ends,
        beside: class.beside,
        hint: timing.hint.filter(|hint| hint.class == name).and_then(|hint| {
            let [branch, to] = [hint.branch, hint.to].map(|field| place(row, field));
            branch.zip(to)
        }),
    }
}

/// The flag in a place of [`Reads`] that means the register after the field's.
pub const NEXT: u8 = 0x80;
