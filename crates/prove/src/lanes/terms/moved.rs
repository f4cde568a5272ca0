//! Lanes with their bits moved, and atoms of bytes opened as sums of moved atoms.

use super::{Terms, member};
use crate::algebra::maps::{IDENTITY, MapNumber, NOTHING};
use crate::lanes::atoms::{Atom, Lane, Order};
use crate::lanes::forms::{ByteAtom, Form};

impl Terms {
    /// A lane with its bits moved.
    pub fn moved(&mut self, map: MapNumber, lane: Lane) -> Lane {
        if lane.is_unknown() || map == IDENTITY {
            return lane;
        }
        if map == NOTHING {
            return Lane::ZERO;
        }
        let key = u64::from(map) << 32 | u64::from(lane.0);
        if let Some(known) = self.mapped.get(&key) {
            return known;
        }
        self.forms.work += 16 * (1 + self.summands(lane) as u64);
        let constant = self.maps.apply(map, self.constant_part(lane));
        let mut sum = self.constant(constant);
        for k in 0..self.summands(lane) {
            let (number, inner) = self.member(lane, k);
            let part = match self.opened(number) {
                Some(open) => {
                    let open = self.moved(inner, open);
                    self.moved(map, open)
                }
                None => {
                    let product = self.maps.product(map, inner);
                    self.summand(number, product)
                }
            };
            sum = self.xor(sum, part);
        }
        self.mapped.insert(key, sum);
        sum
    }

    /// A lane with all atoms that hold bytes of other lanes opened.
    pub(crate) fn opened_lane(&mut self, lane: Lane) -> Lane {
        let key = u64::from(u32::MAX) << 32 | u64::from(lane.0);
        if let Some(known) = self.mapped.get(&key) {
            return known;
        }
        let mut sum = lane;
        for k in 0..self.summands(lane) {
            let (number, map) = self.member(lane, k);
            let open = match self.atoms[number as usize] {
                Atom::Cone { function, of } => self.opened_cone(function, of),
                _ if map == IDENTITY => self.opened(number),
                _ => None,
            };
            if let Some(open) = open {
                let (closed, open) = (self.summand(number, map), self.moved(map, open));
                sum = self.xor_atoms(sum, closed);
                sum = self.xor_atoms(sum, open);
            }
        }
        self.mapped.insert(key, sum);
        sum
    }

    /// A cone whose function moves bits, as its argument with bits moved.
    fn opened_cone(&mut self, function: Lane, of: Lane) -> Option<Lane> {
        let open = self.opened_lane(function);
        let (number, map) = self.member(open, 0);
        if self.summands(open) != 1 || self.atoms[number as usize] != Atom::Argument {
            return None;
        }
        let of = self.opened_lane(of);
        let moved = self.moved(map, of);
        let constant = self.constant(self.constant_part(open));
        Some(self.xor_atoms(moved, constant))
    }

    pub(crate) fn summand(&mut self, atom: u32, map: MapNumber) -> Lane {
        self.scratch.clear();
        if map != NOTHING {
            self.scratch.push(member(atom, map));
        }
        self.intern(0)
    }

    /// An atom that holds bytes of other lanes, or a counter in another order, as a sum of moved lanes.
    fn opened(&mut self, number: u32) -> Option<Lane> {
        if let Some(known) = self.opened.get(&number) {
            return known;
        }
        let open = match self.atoms[number as usize] {
            Atom::Bytes { index } => self.open_bytes(self.bytes[index as usize]),
            Atom::Counter { index, order } if order != Order::MEMORY => {
                let memory = self.atom(Atom::Counter { index, order: Order::MEMORY });
                let map = self.maps.number(crate::algebra::maps::bytes(|i| Some(order.source(i))));
                let (memory, _) = self.member(memory, 0);
                Some(self.summand(memory, map))
            }
            _ => None,
        };
        self.opened.insert(number, open);
        open
    }

    fn open_bytes(&mut self, bytes: [Form; 16]) -> Option<Lane> {
        let constant = bytes.map(|form| self.forms.constant_part(form));
        let mut parts: Vec<(u32, crate::algebra::maps::Rows)> = Vec::new();
        for (i, &form) in bytes.iter().enumerate() {
            for (atom, coefficient) in self.forms.terms(form) {
                let ByteAtom::Lane { atom, index } = atom else { return None };
                let place = match parts.iter().position(|(other, _)| *other == atom) {
                    Some(place) => place,
                    None => {
                        parts.push((atom, [0; 128]));
                        parts.len() - 1
                    }
                };
                let rows = self.forms.matrices.get(coefficient).transposed().0.to_le_bytes();
                for (k, row) in rows.into_iter().enumerate() {
                    parts[place].1[8 * i + k] ^= u128::from(row) << (8 * index);
                }
            }
        }
        let mut sum = self.constant(u128::from_le_bytes(constant));
        for (atom, rows) in parts {
            let map = self.maps.number(rows);
            let part = self.summand(atom, map);
            sum = self.xor(sum, part);
        }
        Some(sum)
    }

    /// The bits of a lane that may be set.
    pub fn support(&self, lane: Lane) -> u128 {
        if lane.is_unknown() {
            return u128::MAX;
        }
        self.members(lane).fold(self.constant_part(lane), |support, (number, map)| {
            support
                | match (map, self.atoms[number as usize]) {
                    (IDENTITY, Atom::Bytes { index }) => {
                        let bytes = self.bytes[index as usize].map(|form| self.forms.support(form));
                        u128::from_le_bytes(bytes)
                    }
                    _ => self.maps.support(map),
                }
        })
    }
}
