//! Spaces of lanes: finding and extending them, and expressing lanes over them.

use super::{Space, pair};
use crate::algebra::maps::stir;
use crate::lanes::terms::{Lane, Terms};

impl Terms {
    /// A space that contains these tables and lanes.
    pub(super) fn space_of(&mut self, tables: &[u32], lanes: &[Lane]) -> Option<u32> {
        let spaces: Vec<u32> = tables.iter().map(|&t| self.bitwise.tables[t as usize].0).collect();
        let largest = spaces.iter().copied().max_by_key(|&s| self.bitwise.spaces[s as usize].count);
        let mut needed: Vec<Lane> = lanes.to_vec();
        for &space in &spaces {
            if Some(space) != largest {
                let Space { lanes, count, .. } = self.bitwise.spaces[space as usize];
                needed.extend(&lanes[..count]);
            }
        }
        let start = match largest {
            Some(space) => space,
            None => self.space([Lane::ZERO; 8], 0, [(0, 0); 8]),
        };
        self.grown(start, &needed)
    }

    /// A space that contains another one and these lanes.
    pub(super) fn grown(&mut self, start: u32, lanes: &[Lane]) -> Option<u32> {
        if lanes.iter().all(|&lane| self.express(start, lane).is_some()) {
            return Some(start);
        }
        // Most likely it is one of the S-boxes in progress.
        let Space { lanes: first, count, .. } = self.bitwise.spaces[start as usize];
        for i in 0..self.bitwise.recent.len() {
            let recent = self.bitwise.recent[i];
            if first[..count].iter().chain(lanes).all(|&lane| self.express(recent, lane).is_some()) {
                self.bitwise.used(recent);
                return Some(recent);
            }
        }
        lanes.iter().try_fold(start, |space, &lane| self.extended(space, lane))
    }

    /// A space with one more lane.
    pub(super) fn extended(&mut self, space: u32, lane: Lane) -> Option<u32> {
        if self.express(space, lane).is_some() {
            return Some(space);
        }
        let key = pair(space, lane.0);
        if let Some(known) = self.bitwise.extended.get(&key) {
            return known;
        }
        let Space { mut lanes, count, mut echelon } = self.bitwise.spaces[space as usize];
        let hash = self.lane_hash(lane);
        let (rest, mask) = reduce(&echelon[..count], hash);
        let extended = if count == 8 || rest == 0 {
            None
        } else {
            lanes[count] = self.without_complement(lane);
            echelon[count] = (rest, mask | 1 << count);
            Some(self.space(lanes, count + 1, echelon))
        };
        if let Some(space) = extended
            && count == 7
        {
            self.bitwise.used(space);
        }
        self.bitwise.extended.insert(key, extended);
        extended
    }

    pub(super) fn space(&mut self, lanes: [Lane; 8], count: usize, echelon: [(u64, u8); 8]) -> u32 {
        let fresh = self.bitwise.spaces.len() as u32;
        let number = *self.bitwise.spaces_of.entry(lanes).or_insert(fresh);
        if number == fresh {
            self.bitwise.spaces.push(Space { lanes, count, echelon });
        }
        number
    }

    pub(super) fn without_complement(&mut self, lane: Lane) -> Lane {
        if self.constant_part(lane) & 1 == 0 {
            return lane;
        }
        let ones = self.constant(u128::MAX);
        self.xor_atoms(lane, ones)
    }

    /// A lane without tables as a sum of a space's lanes: the mask of the summands, and true for the complement.
    pub(super) fn express(&mut self, space: u32, lane: Lane) -> Option<(u8, bool)> {
        let key = pair(space, lane.0);
        if let Some(known) = self.bitwise.expressed.get(&key) {
            return known;
        }
        let hash = self.lane_hash(lane);
        let Space { lanes, count, echelon } = self.bitwise.spaces[space as usize];
        let (rest, mask) = reduce(&echelon[..count], hash);
        let mut found = None;
        if rest == 0 {
            // The hash is only a guess; the lanes decide.
            let mut difference = lane;
            for (i, &other) in lanes.iter().enumerate() {
                if mask >> i & 1 == 1 {
                    difference = self.xor_atoms(difference, other);
                }
            }
            found = match self.as_constant(difference) {
                Some(0) => Some((mask, false)),
                Some(u128::MAX) => Some((mask, true)),
                _ => None,
            };
        }
        self.bitwise.expressed.insert(key, found);
        found
    }

    /// The hash of a lane. It is linear: the hash of a sum is the XOR of the hashes. Complements have the same hash.
    pub(super) fn lane_hash(&mut self, lane: Lane) -> u64 {
        if let Some(known) = self.bitwise.hashes.get(&lane) {
            return known;
        }
        let constant = match self.constant_part(lane) {
            odd if odd & 1 == 1 => !odd,
            even => even,
        };
        let mut hash = stir(constant as u64, u64::MAX) ^ stir((constant >> 64) as u64, u64::MAX - 1);
        for (atom, map) in self.members(lane) {
            hash ^= stir(self.maps.hash(map), u64::from(atom));
        }
        self.bitwise.hashes.insert(lane, hash);
        hash
    }
}

/// Reduces a hash by an echelon form; returns the rest and the mask of the lanes in the sums that were used.
fn reduce(echelon: &[(u64, u8)], mut hash: u64) -> (u64, u8) {
    let mut mask = 0;
    for &(row, lanes) in echelon {
        let leading = 63 - row.leading_zeros();
        if hash >> leading & 1 == 1 {
            hash ^= row;
            mask ^= lanes;
        }
    }
    (hash, mask)
}
