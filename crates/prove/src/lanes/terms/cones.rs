//! Cones: results of operations on a lane, kept as a function of that lane. A function is a lane over
//! [`Atom::Argument`], so each operation on it is done once for all of its arguments: for all blocks, all rounds and
//! all kernels. A round, which the specification names, gets its name when its function has it; other functions are
//! converted to bytes only on demand.
//!
//! Cones are used for the lanes on the way from input to output: those that hold a secret and change from block to
//! block.

mod bytes;

use crate::algebra::maps::{IDENTITY, MapNumber};
use crate::lanes::atoms::{Atom, Lane};
use crate::lanes::forms::Form;
use crate::lanes::intern::{FastSet, Memo};
use crate::lanes::rename::Renamed;
use crate::lanes::terms::{DEEPEST, Terms};

/// The number of lanes from which on lanes have no code as parts of a cone.
const MOST_LANES: u32 = 1 << 30;

/// The cones of one lane in a sum.
struct Group {
    of: Lane,
    /// The sum of their functions.
    sum: Lane,
    /// The numbers of the cones, each with its map of bits.
    members: Vec<(u32, MapNumber)>,
}

/// Memos of cones.
#[derive(Default)]
pub(crate) struct Cones {
    /// Lanes as functions of one lane.
    split: Memo<Lane, Option<(Lane, Lane)>>,
    /// Functions of lanes.
    images: Memo<(Lane, Lane), Lane>,
    /// Functions in the normal form in which they are compared.
    normal: Memo<Lane, Lane>,
    /// Lanes with several cones of one lane, with these joined.
    joined: Memo<Lane, Lane>,
    /// Lanes with the last rounds in their cones named.
    finished: Memo<Lane, Lane>,
    /// The bytes of cones, by number of the atom.
    bytes: Memo<u32, [Form; 16]>,
    /// Selections of bytes from functions.
    pub(crate) chosen: Memo<(Lane, u128), Lane>,
    /// All functions of cones.
    functions: FastSet<Lane>,
    /// The counts of cones.
    pub(crate) count: ConeCount,
}

/// The counts of cones in a prover's kernels.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ConeCount {
    /// Number of functions that were simplified.
    pub simplified: u64,
    /// Number of times that such a function occurred again, for another lane.
    pub again: u64,
}

impl ConeCount {
    /// The counts since an earlier one of the same prover.
    #[must_use]
    pub fn since(self, before: ConeCount) -> ConeCount {
        ConeCount { simplified: self.simplified - before.simplified, again: self.again - before.again }
    }
}

impl Cones {
    /// Calls [`Memo::check`], or [`Memo::check_again`], of all memos.
    pub(super) fn check_memos(&mut self, begin: bool) {
        self.split.check_if(begin);
        self.images.check_if(begin);
        self.normal.check_if(begin);
        self.joined.check_if(begin);
        self.finished.check_if(begin);
        self.bytes.check_if(begin);
        self.chosen.check_if(begin);
    }

    pub(super) fn clear(&mut self) {
        self.split.clear();
        self.images.clear();
        self.normal.clear();
        self.joined.clear();
        self.finished.clear();
        self.bytes.clear();
        self.chosen.clear();
        self.functions.clear();
    }
}

impl Terms {
    /// The argument of functions.
    fn argument(&mut self) -> Lane {
        self.atom(Atom::Argument)
    }

    /// True if a lane contains a cone.
    pub fn has_cones(&self, lane: Lane) -> bool {
        self.sums[lane.0 as usize].coned
    }

    /// A lane on the way from input to output as a function, and the argument of the function. `None` for other lanes.
    pub(crate) fn as_cone(&mut self, lane: Lane) -> Option<(Lane, Lane)> {
        if !self.short_cuts || lane.is_unknown() || self.summands(lane) == 0 {
            return None;
        }
        if let Some(known) = self.cones.split.get(&lane) {
            return known;
        }
        let split = self.split(lane);
        self.cones.split.insert(lane, split);
        split
    }

    /// Lanes as functions of a common lane; constants are functions of any.
    pub(crate) fn as_cones<const N: usize>(&mut self, lanes: [Lane; N]) -> Option<([Lane; N], Lane)> {
        let mut common = None;
        let mut functions = lanes;
        for function in &mut functions {
            if self.as_constant(*function).is_some() {
                continue;
            }
            let (of_it, of) = self.as_cone(*function)?;
            if common.is_some_and(|other| other != of) {
                return None;
            }
            (*function, common) = (of_it, Some(of));
        }
        Some((functions, common?))
    }

    fn split(&mut self, lane: Lane) -> Option<(Lane, Lane)> {
        let facts = self.lane_facts(lane);
        if facts.argument || !facts.secret || facts.fixed || self.holds_stale(lane) {
            return None;
        }
        // Bit-sliced lanes have another representation.
        let sliced = |atom: Atom| matches!(atom, Atom::Table { .. } | Atom::Sliced { .. });
        if self.atoms(lane).any(sliced) {
            return None;
        }
        let constant = self.constant(self.constant_part(lane));
        let (_, map) = self.member(lane, 0);
        let (function, of) = if self.members(lane).all(|(_, other)| other == map) {
            let argument = self.argument();
            let moved = self.moved(map, argument);
            let mut base = Lane::ZERO;
            for k in 0..self.summands(lane) {
                let (number, _) = self.member(lane, k);
                base = self.xor(base, self.single(number));
            }
            match self.as_atom(base) {
                Some(Atom::Cone { function, of }) => (self.moved(map, function), of),
                _ => (moved, base),
            }
        } else {
            let joined = self.joined_cones(lane);
            if joined != lane {
                return self.as_cone(joined);
            }
            (self.argument(), self.xor(lane, constant))
        };
        Some((self.xor(function, constant), of))
    }

    /// True if a lane contains several cones of one lane.
    fn cones_meet(&self, lane: Lane) -> bool {
        let of = |(number, _): (u32, MapNumber)| match self.atoms[number as usize] {
            Atom::Cone { of, .. } => Some(of),
            _ => None,
        };
        (1..self.summands(lane)).any(|k| {
            let this = of(self.member(lane, k));
            this.is_some() && (0..k).any(|i| of(self.member(lane, i)) == this)
        })
    }

    /// A lane with at most one cone of each lane.
    pub(super) fn joined_cones(&mut self, lane: Lane) -> Lane {
        if !self.cones_meet(lane) {
            return lane;
        }
        if let Some(known) = self.cones.joined.get(&lane) {
            return known;
        }
        let mut sum = self.constant(self.constant_part(lane));
        let mut groups: Vec<Group> = Vec::new();
        for k in 0..self.summands(lane) {
            let (number, map) = self.member(lane, k);
            match self.atoms[number as usize] {
                Atom::Cone { function, of } => {
                    let moved = self.moved(map, function);
                    match groups.iter_mut().find(|group| group.of == of) {
                        Some(group) => {
                            group.sum = self.xor(group.sum, moved);
                            group.members.push((number, map));
                        }
                        None => groups.push(Group { of, sum: moved, members: vec![(number, map)] }),
                    }
                }
                _ => {
                    let part = self.summand(number, map);
                    sum = self.xor_atoms(sum, part);
                }
            }
        }
        for Group { of, sum: function, members } in groups {
            let part = match members[..] {
                [(number, map)] => self.summand(number, map),
                _ => self.image(function, of),
            };
            sum = self.xor_atoms(sum, part);
        }
        self.cones.joined.insert(lane, sum);
        sum
    }

    /// The normal form in which functions are compared: rounds by name, and everything else as bytes.
    fn normal(&mut self, function: Lane) -> Lane {
        let by_bytes = |atom: Atom| matches!(atom, Atom::Bytes { .. });
        let by_name = |atom: Atom| !by_bytes(atom) && atom != Atom::Argument;
        let apart = self.atoms(function).filter(|&atom| !by_name(atom)).count() < 2;
        if function.is_unknown() || apart && !self.is_by_bits(function) {
            return function;
        }
        if let Some(known) = self.cones.normal.get(&function) {
            return known;
        }
        let mut named = Lane::ZERO;
        for k in 0..self.summands(function) {
            let (number, map) = self.member(function, k);
            if map == IDENTITY && by_name(self.atoms[number as usize]) {
                named = self.xor(named, self.single(number));
            }
        }
        let rest = self.xor(function, named);
        let bytes = self.plain_bytes(rest);
        let rest = self.lane_of_bytes(bytes);
        let normal = self.xor(named, rest);
        self.cones.normal.insert(function, normal);
        normal
    }

    /// A function of a lane.
    pub(crate) fn image(&mut self, function: Lane, of: Lane) -> Lane {
        self.forms.work += 1;
        if let Some(known) = self.cones.images.get(&(function, of)) {
            return known;
        }
        match self.cones.functions.insert(function) {
            true => self.cones.count.simplified += 1,
            false => self.cones.count.again += 1,
        }
        let image = self.image_anew(function, of);
        self.cones.images.insert((function, of), image);
        image
    }

    fn image_anew(&mut self, function: Lane, of: Lane) -> Lane {
        let function = self.normal(function);
        if function.is_unknown() || of.is_unknown() {
            return self.unknown(&[of]);
        }
        if self.summands(of) == 0 {
            return self.substituted(function, of);
        }
        if self.constant_part(of) != 0 {
            let constant = self.constant(self.constant_part(of));
            let argument = self.argument();
            let shifted = self.xor(argument, constant);
            let function = self.substituted(function, shifted);
            let of = self.xor(of, constant);
            return self.image(function, of);
        }
        let mut sum = self.constant(self.constant_part(function));
        for k in 0..self.summands(function) {
            let (number, map) = self.member(function, k);
            let part = match self.atoms[number as usize] {
                Atom::Argument => of,
                Atom::Round { round, of: inner } => {
                    let inner = self.image(inner, of);
                    self.round(round, inner)
                }
                Atom::Bytes { index } => self.image_of_bytes(self.bytes[index as usize], of),
                _ => self.substituted(self.single(number), of),
            };
            let part = self.moved(map, part);
            sum = self.xor(sum, part);
        }
        sum
    }

    fn image_of_bytes(&mut self, bytes: [Form; 16], of: Lane) -> Lane {
        // Constants are kept outside of cones, so that they meet in sums.
        let constant = u128::from_le_bytes(bytes.map(|form| self.forms.constant_part(form)));
        let plain = bytes.map(|form| self.forms.without_constant(form));
        let function = self.lane_of_bytes(plain);
        // A function of bytes without its constant may have another constant.
        let left = plain.iter().any(|&form| self.forms.constant_part(form) != 0);
        let image = match self.as_atom(function) {
            Some(Atom::Bytes { .. }) => match self.as_atom(of) {
                _ if left => self.cone(function, of),
                Some(Atom::Cone { function: inner, of }) => {
                    let composed = self.substituted(function, inner);
                    self.image(composed, of)
                }
                None if self.has_cones(of) => match self.linear(function) {
                    Some(map) => self.distributed(map, function, of),
                    None => self.cone(function, of),
                },
                _ => self.cone(function, of),
            },
            _ => self.image(function, of),
        };
        let constant = self.constant(constant);
        self.xor(image, constant)
    }

    fn cone(&mut self, function: Lane, of: Lane) -> Lane {
        let too_deep = self.depth(function).saturating_add(self.depth(of)) >= DEEPEST;
        if too_deep || function.0.max(of.0) >= MOST_LANES {
            return self.unknown(&[of]);
        }
        self.atom(Atom::Cone { function, of })
    }

    /// The map of bits that a function without constants is, if it does more than move whole bytes. Moves of whole
    /// bytes stay functions: sums of many lanes with moved bytes would grow for nothing.
    fn linear(&mut self, function: Lane) -> Option<MapNumber> {
        let Some(Atom::Bytes { index }) = self.as_atom(function) else { return None };
        let moves = |form: &Form| {
            let mut terms = self.forms.terms(*form);
            matches!((terms.next(), terms.len()), (None, _) | (Some((_, 1)), 0))
        };
        if self.bytes[index as usize].iter().all(moves) {
            return None;
        }
        let open = self.opened_lane(function);
        let (number, map) = self.member(open, 0);
        let alone = self.summands(open) == 1 && self.atoms[number as usize] == Atom::Argument;
        alone.then_some(map)
    }

    /// A linear function of a sum as the sum over its parts, so that it meets the function that made each part.
    fn distributed(&mut self, map: MapNumber, function: Lane, of: Lane) -> Lane {
        let (mut sum, mut fixed, mut rest) = (Lane::ZERO, Lane::ZERO, Lane::ZERO);
        for k in 0..self.summands(of) {
            let (number, inner) = self.member(of, k);
            if let Atom::Cone { function, of } = self.atoms[number as usize] {
                let moved = self.moved(inner, function);
                let moved = self.moved(map, moved);
                let part = self.image(moved, of);
                sum = self.xor(sum, part);
                continue;
            }
            let part = self.summand(number, inner);
            let to = if self.facts[number as usize].fixed { &mut fixed } else { &mut rest };
            *to = self.xor_atoms(*to, part);
        }
        if fixed != Lane::ZERO {
            let fixed = self.substituted(function, fixed);
            sum = self.xor(sum, fixed);
        }
        if rest != Lane::ZERO {
            let rest = self.image(function, rest);
            sum = self.xor(sum, rest);
        }
        sum
    }

    /// A function with a lane substituted for its argument.
    fn substituted(&mut self, function: Lane, with: Lane) -> Lane {
        self.rename(function, &mut Renamed::default(), &mut |_, atom| {
            matches!(atom, Atom::Argument).then_some(with)
        })
    }

    /// A lane with the last rounds named that are in its cones, and in the arguments of its cones and rounds.
    pub(crate) fn finished(&mut self, lane: Lane) -> Lane {
        if !self.holds_bytes(lane) {
            return lane;
        }
        if let Some(known) = self.cones.finished.get(&lane) {
            return known;
        }
        let joined = self.joined_cones(lane);
        let mut sum = joined;
        // A block that is assembled from several lanes was sliced: there, SubBytes alone looks like a last round.
        let sliced = self.atoms(joined).filter(|atom| matches!(atom, Atom::Cone { .. })).count() > 1;
        for k in 0..if sliced { 0 } else { self.summands(joined) } {
            let (number, map) = self.member(joined, k);
            let old = self.single(number);
            let named = match self.atoms[number as usize] {
                Atom::Cone { function, of } => {
                    let named = self.named(function, true, true);
                    let of = self.finished(of);
                    self.image(named, of)
                }
                Atom::Round { round, of } => {
                    let of = self.finished(of);
                    self.round(round, of)
                }
                _ => continue,
            };
            if named != old {
                let (old, new) = (self.moved(map, old), self.moved(map, named));
                sum = self.xor(sum, old);
                sum = self.xor(sum, new);
            }
        }
        self.cones.finished.insert(lane, sum);
        sum
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use aesmith_isa::lanes::AesRound;

    #[test]
    fn a_function_of_a_lane_beside_a_constant_is_of_both() {
        let mut terms = Terms::new();
        let input = terms.atom(Atom::Input { stream: 0, block: 0 });
        let constant = terms.constant(0x0f0e_0d0c_0b0a_0908_0706_0504_0302_0100);
        let both = terms.xor(input, constant);
        let argument = terms.argument();
        let boxes = |terms: &mut Terms, lane: Lane| {
            let bytes = terms.bytes(lane).expect("a lane that has bytes");
            let bytes = bytes.map(|form| terms.forms.sbox(false, form));
            terms.lane_of_bytes(bytes)
        };
        let substituted = boxes(&mut terms, argument);
        let round = terms.round(AesRound::Encrypt, argument);
        let (boxes_of_both, round_of_both) = (boxes(&mut terms, both), terms.round(AesRound::Encrypt, both));
        for (function, direct) in [(substituted, boxes_of_both), (round, round_of_both)] {
            let image = terms.image(function, both);
            assert!(terms.same(image, direct));
            let without = terms.image(function, input);
            assert!(!terms.same(without, direct));
        }
    }
}
