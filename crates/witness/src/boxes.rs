//! Where a kernel has the bytes that the S-box is applied to, for statements about bits.
//!
//! The code is followed from its entry, each instruction once. The bytes of the specification are known; a result whose bits
//! are given bits of such bytes, by some basis, is declared to be that. Of the bases the one is taken with which most of
//! the code can be followed.

use aesmith_check::Certificate;
use aesmith_check::bits::{Basis, BitId, Mark, Plan};
use aesmith_check::check::{Run, State};
use aesmith_check::claim;
use aesmith_check::decode::{Instruction, Operand, decode};
use aesmith_check::linear::Linear;
use aesmith_check::spec::{Mode, product, rounds};
use aesmith_check::symbolic::Symbolic;
use aesmith_check::terms::{Atom, LaneId, Part};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

/// The number of groups that a sum may belong to, the last ones first.
const NEAR: usize = 6;
/// The most instructions that are followed.
const FARTHEST: usize = 1 << 17;

/// A given bit of a byte of the specification: the number of the byte, and that of the bit.
type Place = (u32, usize);

/// A group that is being found.
struct Group {
    /// The byte at each place of the first lane, if it is known.
    bytes: Vec<Option<u32>>,
    /// The given bits that have a mark.
    marked: u8,
    /// Lanes that are functions of the group.
    lanes: Vec<LaneId>,
}

/// The finder.
struct Finder {
    basis: Basis,
    /// Given bits that are in one lane.
    step: usize,
    /// The given bits for each byte.
    given: [u8; 256],
    known: HashMap<BitId, Place>,
    /// The given bits of all bytes.
    bytes: Vec<[BitId; 8]>,
    /// Blocks that are known.
    learned: HashSet<LaneId>,
    groups: Vec<Group>,
    /// Groups that a new one replaces.
    replaced: Vec<usize>,
    plan: Plan,
}

/// The tower field of kernels with look-ups of nibbles: the byte for each pair of nibbles, by powers of an element of
/// order 15, and an element outside of the field of 16 elements.
fn tower() -> [u8; 8] {
    let power = |x: u8, n: usize| (1..n).fold(x, |y, _| product(y, x));
    let generators = (2..=255).map(|x| power(x, 17));
    let found = generators.into_iter().find(|&g| power(g, 3) != 1 && power(g, 5) != 1);
    let generator = found.unwrap_or(1);
    let t = (2..=255).find(|&t| power(t, 16) == t ^ 1).unwrap_or(1);
    // An element is i t + j (t + 1), with i in the high nibble, and i + j in the low one.
    core::array::from_fn(|k| {
        let element = power(generator, k % 4 + 1);
        product(element, t ^ 1) ^ if k < 4 { 0 } else { product(element, t) }
    })
}

/// The bases that kernels have, with the number of given bits that are in one lane.
fn bases(is_inverse: bool) -> Vec<(usize, Basis)> {
    let same: [u8; 8] = core::array::from_fn(|k| 1 << k);
    let affine = |x: u8| (0..5).fold(0, |sum, k| sum ^ x.rotate_left(k));
    // Circuits leave out the constant of the S-box, which is added to round keys. Look-ups of the inverse S-box are those
    // of inverses in the field.
    let constant = if is_inverse { 0x63 } else { 0 };
    let tower = if is_inverse { tower().map(affine) } else { tower() };
    let all = [(false, same, constant), (true, tower, constant), (true, same, 0)];
    let all = all.into_iter().map(|(is_bytes, columns, constant)| {
        let step = if !is_bytes {
            1
        } else if columns == same {
            8
        } else {
            4
        };
        Some((step, Basis::new(is_bytes, is_inverse, columns, constant)?))
    });
    all.flatten().collect()
}

/// Declarations of a certificate without statements.
pub(crate) fn plan(certificate: &Certificate) -> Option<Plan> {
    let all = bases(certificate.contract.has_inverse_boxes()).into_iter();
    let plans = all.map(|(step, basis)| plan_by(certificate, step, basis));
    let mut best: Option<(Progress, Plan)> = None;
    for (progress, plan) in plans {
        if best.as_ref().is_none_or(|best| progress > best.0) {
            best = Some((progress, plan));
        }
        if progress.0.0 == 0 {
            break;
        }
    }
    best.map(|best| best.1)
}

/// The number of places where the code cannot be followed on, of which fewer are better, and of instructions that were.
type Progress = (Reverse<usize>, usize);

/// Declarations by a basis, and how far the code can be followed with them.
fn plan_by(certificate: &Certificate, step: usize, basis: Basis) -> (Progress, Plan) {
    let plan = Plan { bases: vec![basis.clone()], marks: BTreeMap::new() };
    let with = Certificate { bits: Some(plan.clone()), ..certificate.clone() };
    let mut run = Run::new(&with);
    let (columns, constant) = basis.map();
    let mut given = [0; 256];
    for v in 0..=255 {
        let set = (0..8).filter(|k| v >> k & 1 == 1);
        given[usize::from(set.fold(constant, |x, k| x ^ columns[k]))] = v;
    }
    let (known, learned, groups, replaced) = (HashMap::new(), HashSet::new(), Vec::new(), Vec::new());
    let mut finder = Finder { basis, step, given, known, bytes: Vec::new(), learned, groups, replaced, plan };
    if certificate.contract.mode == Mode::Keys {
        finder.learn_schedule(&mut run.symbolic);
    }
    let everywhere: BTreeSet<usize> = (0..certificate.code.len()).collect();
    let (mut seen, mut waiting, mut stops) = (BTreeSet::new(), vec![run.entry()], 0);
    for _ in 0..FARTHEST {
        let Some(state) = waiting.pop() else { break };
        let at = state.at;
        let instruction = certificate.code[..certificate.constants].get(at..).and_then(decode);
        if !seen.insert(at) {
            continue;
        }
        let Some(instruction) = instruction else {
            stops += 1;
            continue;
        };
        // Both sides, where the path splits.
        let mut sides = vec![state];
        while let Some(side) = sides.pop() {
            let Ok((mut state, _)) = run.follow(side, &everywhere, &mut sides) else {
                stops += 1;
                continue;
            };
            finder.result(&mut run, &mut state, at, &instruction);
            waiting.push(state);
        }
    }
    // Only groups of which all bits are given.
    let Finder { groups, mut plan, .. } = finder;
    plan.marks.retain(|_, mark| groups[mark.group].marked == 0xff);
    ((Reverse(stops), seen.len()), plan)
}

impl Finder {
    /// Looks at the result of an instruction.
    fn result(&mut self, run: &mut Run, state: &mut State, at: usize, instruction: &Instruction) {
        let Operand::Vector(register) = instruction.operands[0] else { return };
        let s = &mut run.symbolic;
        let lanes = &mut state.registers.vectors[usize::from(register)][..instruction.lanes()];
        core::mem::swap(&mut s.path, &mut state.path);
        for lane in lanes.iter() {
            self.learn(s, *lane);
        }
        let Some(mark) = self.mark(s, lanes[0]) else {
            core::mem::swap(&mut s.path, &mut state.path);
            return;
        };
        let mut all = Vec::new();
        for (number, lane) in lanes.iter_mut().enumerate() {
            if let Some(marked) = s.terms.marked(&mark, number, *lane) {
                *lane = marked;
                all.push(marked);
            }
        }
        self.groups[mark.group].lanes.extend(all);
        self.plan.marks.insert(at, mark);
        // What belonged to a group that another one replaces is bits again.
        for group in core::mem::take(&mut self.replaced) {
            self.plan.marks.retain(|_, mark| mark.group != group);
            let old = core::mem::take(&mut self.groups[group].lanes);
            for lane in state.registers.vectors.iter_mut().flatten().filter(|lane| old.contains(lane)) {
                *lane = s.terms.plain(*lane);
            }
        }
        core::mem::swap(&mut s.path, &mut state.path);
    }

    /// The bytes of a block of the specification become known when a lane has the block.
    fn learn(&mut self, s: &mut Symbolic, lane: LaneId) {
        let bits = &s.terms.get_lane(lane).bits;
        let Some(&bit) = bits.get(64) else { return };
        let (summands, _) = s.terms.summands(bit);
        if summands.len() > 2 {
            return;
        }
        let low = s.terms.word(Atom::Counter(0));
        for (part, _) in summands {
            let state = match s.terms.get_part(part).clone() {
                Part::Text(block) if s.contract.mode == Mode::Cbc && !s.contract.is_inverse => {
                    let Ok(chain) = claim::chain(s, &block) else { continue };
                    let text = s.terms.part(Part::Text(block));
                    s.terms.xor(text, chain)
                }
                Part::Text(block) if matches!(s.contract.mode, Mode::Ecb | Mode::Cbc) => {
                    s.terms.part(Part::Text(block))
                }
                Part::Word(word) if s.contract.mode == Mode::Ctr => {
                    let block = word.minus(&low);
                    if block.as_number().is_none() {
                        continue;
                    }
                    let Ok(state) = claim::chain(s, &block) else { continue };
                    state
                }
                _ => continue,
            };
            if self.learned.insert(state) {
                self.learn_rounds(s, state);
            }
        }
    }

    fn learn_rounds(&mut self, s: &mut Symbolic, mut state: LaneId) {
        let contract = s.contract;
        let (round, last) = rounds(contract.is_inverse);
        for number in 0..contract.rounds {
            let key = s.terms.part(Part::Key(number.into()));
            state = s.terms.xor(state, key);
            self.learn_bytes(s, state);
            state = s.terms.round(if number + 1 < contract.rounds { round } else { last }, state);
        }
    }

    /// The bytes of a key schedule, among which are those of the words that SubWord is applied to. Round keys for
    /// decryption are computed from those for encryption.
    fn learn_schedule(&mut self, s: &mut Symbolic) {
        let contract = s.contract;
        s.contract.is_inverse = false;
        for number in 0..=contract.rounds {
            let block = Linear::number(number.into());
            if let Ok(key) = claim::output_with(s, &block, &Linear::default()) {
                self.learn_bytes(s, key);
            }
        }
        s.contract = contract;
        s.keys.clear();
    }

    /// The given bits of the bytes of a state become known.
    fn learn_bytes(&mut self, s: &mut Symbolic, state: LaneId) {
        let given = s.terms.applied(state, &self.given).and_then(|lane| s.terms.bits_of(lane));
        for byte in given.unwrap_or_default().chunks_exact(8) {
            let byte: [BitId; 8] = core::array::from_fn(|k| byte[k]);
            for (k, bit) in byte.into_iter().enumerate() {
                self.known.insert(bit, (self.bytes.len() as u32, k));
            }
            self.bytes.push(byte);
        }
    }

    /// The mark of a result, if it has given bits of bytes.
    fn mark(&mut self, s: &mut Symbolic, lane: LaneId) -> Option<Mark> {
        // Functions have marks already.
        let bits = s.terms.get_lane(lane).bits.clone();
        let Some(&(_, first)) = self.known.get(bits.first()?) else { return self.mark_of_sum(s, &bits) };
        let place = |at: usize| self.known.get(&bits[at]).copied();
        let (count, bytes): (usize, Vec<Option<u32>>) = if self.basis.is_bytes {
            let count = (0..8).take_while(|&k| place(k).is_some_and(|p| p.1 == first + k)).count();
            let is_given = |at: usize| match (at % 8, place(at)) {
                (k, Some(p)) if k < count => p.1 == first + k && place(at - k).is_some_and(|q| q.0 == p.0),
                (k, _) => k >= count && bits[at] == 0,
            };
            if count != self.step || first % count != 0 || !(0..128).all(is_given) {
                return None;
            }
            (count, (0..16).map(|k| place(8 * k).map(|p| p.0)).collect())
        } else {
            // The bits of slices, or the lowest ones of bytes.
            let fits = |at: &usize| place(*at).is_some_and(|p| p.1 == first);
            let step = if (0..128).all(|at| fits(&at)) { 1 } else { 8 };
            if !(0..128).step_by(step).all(|at| fits(&at)) {
                return None;
            }
            (1, (0..128).map(|at| place(at).filter(|_| at % step == 0).map(|p| p.0)).collect())
        };
        let own = (0xff_u32 >> (8 - count) << first) as u8;
        // Other paths may have the same bytes at other places.
        let is_open = |group: &Group| group.bytes == bytes && group.marked & own == 0;
        let found = self.groups.iter().rposition(is_open);
        let group = found.unwrap_or(self.groups.len());
        if found.is_none() {
            // Bits that are given again before a group has all of them are those that count.
            let is_replaced = |&(_, group): &(usize, &Group)| group.bytes == bytes && group.marked != 0xff;
            let replaced = self.groups.iter().enumerate().filter(is_replaced).map(|(number, _)| number);
            self.replaced = replaced.collect();
            self.groups.push(Group { bytes, marked: 0, lanes: Vec::new() });
        }
        self.groups[group].marked |= own;
        Some(Mark { group, basis: 0, first, count, others: 0 })
    }

    /// The mark of a result that is the sum of a given bit and others that are known already.
    fn mark_of_sum(&mut self, s: &mut Symbolic, bits: &[BitId]) -> Option<Mark> {
        if self.basis.is_bytes || bits[0] < 2 {
            return None;
        }
        let open = self.groups.iter().enumerate().rev();
        let open = open.filter(|(_, group)| !matches!(group.marked, 0 | 0xff)).take(NEAR);
        for (number, group) in open {
            let Some(byte) = group.bytes[0] else { continue };
            let sets = (1..512_u16).filter(|set| {
                let own = *set as u8;
                own & !group.marked == 0 && own.count_ones() <= 5
            });
            for others in sets {
                let rest = |s: &mut Symbolic, at: usize, byte: u32| {
                    let own = &self.bytes[byte as usize];
                    let known = (0..8).filter(|k| others >> k & 1 == 1).map(|k| own[k]);
                    s.terms.sum_of(known.chain([bits[at], BitId::from(others >> 8)]))
                };
                let Some(&(found, first)) = self.known.get(&rest(s, 0, byte)) else { continue };
                if found != byte || group.marked >> first & 1 == 1 {
                    continue;
                }
                let mut all = group.bytes.iter().enumerate();
                let is_all = all.all(|(at, byte)| {
                    byte.is_none_or(|byte| self.known.get(&rest(s, at, byte)) == Some(&(byte, first)))
                });
                if is_all {
                    self.groups[number].marked |= 1 << first;
                    return Some(Mark { group: number, basis: 0, first, count: 1, others });
                }
            }
        }
        None
    }
}
