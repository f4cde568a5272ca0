//! Cones: what operations make of a lane, kept as a function of that lane. A function is a lane over
//! [`Atom::Argument`], so that each operation on it is done once for all lanes that it is a function of: for all
//! blocks, all rounds and all kernels. What the specification has a name for, a round, gets its name when its function
//! has it; bytes are made of the rest only where they are asked for.
//!
//! It is the lanes on the way from input to output that are followed so: those that hold a secret and change from
//! block to block.

mod bytes;

use crate::algebra::maps::{IDENTITY, MapNumber};
use crate::lanes::atoms::{Atom, Lane};
use crate::lanes::forms::Form;
use crate::lanes::intern::{FastSet, Memo};
use crate::lanes::rename::Renamed;
use crate::lanes::terms::{DEEPEST, Terms};

/// Lanes above this have no code as parts of a cone.
const MOST_LANES: u32 = 1 << 30;

/// The cones of one lane that are in a sum.
struct Group {
    of: Lane,
    /// The sum of their functions.
    sum: Lane,
    /// Their numbers, and what each is moved by.
    members: Vec<(u32, MapNumber)>,
}

/// What is remembered of cones.
#[derive(Default)]
pub(crate) struct Cones {
    /// Lanes as a function of one lane.
    split: Memo<Lane, Option<(Lane, Lane)>>,
    /// Functions of lanes.
    images: Memo<(Lane, Lane), Lane>,
    /// Functions, each in the one form that it is compared in.
    normal: Memo<Lane, Lane>,
    /// Lanes with several cones of one lane: those as one.
    joined: Memo<Lane, Lane>,
    /// Lanes with the last rounds in their cones by their names.
    finished: Memo<Lane, Lane>,
    /// The bytes of cones, by number of the atom.
    bytes: Memo<u32, [Form; 16]>,
    /// Bytes chosen from functions.
    pub(crate) chosen: Memo<(Lane, u128), Lane>,
    /// The functions that lanes were.
    functions: FastSet<Lane>,
    /// How many there were.
    pub(crate) count: ConeCount,
}

/// How many cones there were in a prover's kernels.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ConeCount {
    /// Functions that were simplified.
    pub simplified: u64,
    /// How often one of them was found again, of another lane.
    pub again: u64,
}

impl ConeCount {
    /// Those since an earlier count of the same prover.
    #[must_use]
    pub fn since(self, before: ConeCount) -> ConeCount {
        ConeCount { simplified: self.simplified - before.simplified, again: self.again - before.again }
    }
}

impl Cones {
    /// Calls [`Memo::check`], or [`Memo::check_again`], of all.
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
    /// The lane that functions are of.
    fn argument(&mut self) -> Lane {
        self.atom(Atom::Argument)
    }

    /// Whether a cone is in a lane.
    pub fn has_cones(&self, lane: Lane) -> bool {
        self.sums[lane.0 as usize].coned
    }

    /// A lane on the way from input to output as a function, and what lane it is of. Nothing for others.
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

    /// Lanes as functions of one and the same lane; constants are functions of any.
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
        // Lanes of bits are written in another way.
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

    /// Whether several cones of one lane are in a lane.
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

    /// A lane in which there is no more than one cone of each lane.
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

    /// The one form in which functions are compared: rounds by their names, and the bytes of all else.
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
        let rest = self.from_bytes(bytes);
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
        // Constants stand beside cones, so that sums of them meet.
        let constant = u128::from_le_bytes(bytes.map(|form| self.forms.constant_part(form)));
        let plain = bytes.map(|form| self.forms.without_constant(form));
        let function = self.from_bytes(plain);
        // What a function of bytes leaves when its constant is gone may have another.
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

    /// The map of bits that a function without constants is, where it does more than move whole bytes: those are left
    /// where they are, for sums of many lanes whose bytes are moved would grow to no use.
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

    /// A linear function of a sum as the sum of it of each part, so that it meets what each part was made by.
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

    /// A function with a lane in its argument's place, worked out.
    fn substituted(&mut self, function: Lane, with: Lane) -> Lane {
        self.rename(function, &mut Renamed::default(), &mut |_, atom| {
            matches!(atom, Atom::Argument).then_some(with)
        })
    }

    /// A lane with the last rounds that are in its cones, and in what those and its rounds are of, by their names.
    pub(crate) fn finished(&mut self, lane: Lane) -> Lane {
        if !self.holds_bytes(lane) {
            return lane;
        }
        if let Some(known) = self.cones.finished.get(&lane) {
            return known;
        }
        let joined = self.joined_cones(lane);
        let mut sum = joined;
        // A block that is put together from several lanes was sliced: in those, SubBytes alone has the last round's form.
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
            terms.from_bytes(bytes)
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
