//! Where a kernel has the bytes that the S-box is applied to, for statements about bits.
//!
//! The code is followed from its entry, each instruction once. The bytes of the specification are known; a result of which
//! all bits are the same bit of such bytes is given to the checker as that bit of a group.

use aesmith_check::Certificate;
use aesmith_check::bits::{Basis, BitId, Mark, Plan};
use aesmith_check::check::{Run, State};
use aesmith_check::decode::{Instruction, Operand, decode};
use aesmith_check::linear::Linear;
use aesmith_check::spec::rounds;
use aesmith_check::symbolic::Symbolic;
use aesmith_check::terms::{LaneId, Part};
use aesmith_check::{claim, spec::Mode};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// The most blocks that are processed at once, twice.
const BLOCKS: i128 = 16;
/// The most instructions that are followed.
const FARTHEST: usize = 1 << 17;

/// A bit of a byte of the specification: the number of the byte, that of the bit, and if it is inverted.
type Place = (u32, u8, bool);

/// A group that is being found.
struct Group {
    /// The byte at each place of the first lane, if it is known.
    bytes: Vec<Option<u32>>,
    /// Offsets of the instructions that have given bits.
    marks: [Option<usize>; 8],
}

/// The finder.
struct Finder {
    known: HashMap<BitId, Place>,
    bytes: u32,
    blocks: i128,
    groups: Vec<Group>,
    constant: u8,
}

/// Adds the bytes of a block of the specification.
impl Finder {
    fn learn(&mut self, s: &mut Symbolic, block: &Linear) -> Option<()> {
        let contract = s.contract;
        let mut state = s.terms.part(Part::Text(block.clone()));
        if contract.mode == Mode::Ctr {
            state = claim::chain(s, block).ok()?;
        }
        let (round, last) = rounds(contract.is_inverse);
        let ones = s.terms.constant(u128::MAX);
        for number in 0..contract.rounds {
            let key = s.terms.part(Part::Key(number));
            state = s.terms.xor(state, key);
            let inverted = s.terms.xor(state, ones);
            for (lane, is_inverted) in [(state, false), (inverted, true)] {
                for (at, bit) in s.terms.bits_of(lane)?.into_iter().enumerate() {
                    let byte = self.bytes + at as u32 / 8;
                    self.known.entry(bit).or_insert((byte, at as u8 % 8, is_inverted));
                }
            }
            self.bytes += 16;
            state = s.terms.round(if number + 1 < contract.rounds { round } else { last }, state);
        }
        Some(())
    }

    /// The mark of a result, if it is a bit of bytes.
    fn mark(&mut self, s: &mut Symbolic, at: usize, lane: LaneId) -> Option<Mark> {
        // Functions have marks already.
        if s.terms.get_lane(lane).bits.is_empty() {
            return None;
        }
        let bits = s.terms.bits_of(lane)?;
        let places: Vec<Option<Place>> = bits.iter().map(|bit| self.known.get(bit).copied()).collect();
        let (_, bit, is_inverted) = places[0]?;
        // The bits of slices, or the lowest ones of bytes.
        let fits = |place: &Option<Place>| place.is_some_and(|(_, b, i)| (b, i) == (bit, is_inverted));
        let is_slice = places.iter().all(fits);
        if !is_slice && !places.iter().step_by(8).all(fits) || is_inverted != (self.constant >> bit & 1 == 1) {
            return None;
        }
        let step = if is_slice { 1 } else { 8 };
        let bytes: Vec<Option<u32>> =
            places.iter().enumerate().map(|(at, place)| place.filter(|_| at % step == 0).map(|p| p.0)).collect();
        let slot = usize::from(bit);
        let found = self.groups.iter().position(|group| group.bytes == bytes);
        let group = found.unwrap_or(self.groups.len());
        if found.is_none() {
            self.groups.push(Group { bytes, marks: [None; 8] });
        }
        let own = &mut self.groups[group].marks[slot];
        if own.is_some() {
            return None;
        }
        *own = Some(at);
        Some(Mark { group, basis: 0, first: slot, count: 1 })
    }
}

/// The vector register that an instruction writes.
fn written(instruction: &Instruction) -> Option<usize> {
    match instruction.operands[0] {
        Operand::Vector(number) => Some(usize::from(number)),
        _ => None,
    }
}

/// What a certificate without statements declares.
pub(crate) fn plan(certificate: &Certificate) -> Option<Plan> {
    let is_inverse = certificate.contract.has_inverse_boxes();
    // Circuits leave out the constant of the S-box, which is added to round keys.
    let constant = if is_inverse { 0x63 } else { 0 };
    let columns = core::array::from_fn(|k| 1 << k);
    let basis = Basis::new(false, is_inverse, columns, constant)?;
    let plan = Plan { bases: vec![basis], marks: BTreeMap::new() };
    let with = Certificate { bits: Some(plan.clone()), ..certificate.clone() };
    let mut run = Run::new(&with);
    let mut finder =
        Finder { known: HashMap::new(), bytes: 0, blocks: 0, groups: Vec::new(), constant };
    let everywhere: BTreeSet<usize> = (0..certificate.code.len()).collect();
    let (mut seen, mut waiting) = (BTreeSet::new(), vec![run.entry()]);
    let mut plan = plan;
    for _ in 0..FARTHEST {
        let Some(state) = waiting.pop() else { break };
        let at = state.at;
        if !seen.insert(at) {
            continue;
        }
        let Some(instruction) = certificate.code.get(at..).and_then(decode) else {
            if std::env::var("X").is_ok() { println!("no instruction at {at:x}"); }
            continue;
        };
        // Both sides, where the path splits.
        let mut sides = vec![state];
        while let Some(side) = sides.pop() {
            let mut state = match run.follow(side, &everywhere, &mut sides) {
                Ok((state, _)) => state,
                Err(stop) => {
                    if std::env::var("X").is_ok() { println!("stop at {at:x} {instruction:?} {stop:?}"); }
                    continue;
                }
            };
            if let Some(register) = written(&instruction) {
                finder.marks(&mut run, &mut state, at, (register, instruction.lanes()), &mut plan);
            }
            waiting.push(state);
        }
    }
    if std::env::var("X").is_ok() {
        println!("{} seen, {} known, {} groups {:?}", seen.len(), finder.known.len(), finder.groups.len(), finder.groups.iter().map(|g| g.marks.iter().filter(|m| m.is_some()).count()).collect::<Vec<_>>());
    }
    let whole = |mark: &Mark| finder.groups[mark.group].marks.iter().all(Option::is_some);
    plan.marks.retain(|_, mark| whole(mark));
    Some(plan)
}

impl Finder {
    /// Finds the marks of the lanes of a register.
    fn marks(
        &mut self,
        run: &mut Run,
        state: &mut State,
        at: usize,
        (register, lanes): (usize, usize),
        plan: &mut Plan,
    ) {
        let s = &mut run.symbolic;
        while self.blocks < BLOCKS * 2 {
            core::mem::swap(&mut s.path, &mut state.path);
            let learned = self.learn(s, &Linear::number(self.blocks));
            core::mem::swap(&mut s.path, &mut state.path);
            if learned.is_none() {
                return;
            }
            self.blocks += 1;
        }
        let all = &mut state.registers.vectors[register];
        let Some(mark) = self.mark(s, at, all[0]) else { return };
        for (number, lane) in all[..lanes].iter_mut().enumerate() {
            if let Some(marked) = s.terms.marked(&mark, number, *lane) {
                *lane = marked;
            }
        }
        plan.marks.insert(at, mark);
    }
}
