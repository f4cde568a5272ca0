//! Conversion of lanes to bytes and back. In closed form rounds stay atoms; in expanded form every round and every
//! sliced S-box is opened down to S-boxes of key and message bytes. Two lanes are equal if their expansions are.

use aesmith_cipher::block::{INV_MIX, INV_SHIFT_ROWS, MIX, SHIFT_ROWS};
use aesmith_isa::lanes::AesRound;

use crate::algebra::maps::{IDENTITY, bits};
use crate::algebra::matrices::{Coefficient, Matrix};
use crate::lanes::forms::{ByteAtom, Form};
use crate::lanes::terms::{Atom, Lane, Order, Terms};

/// Flag in a group's key: byte `key & 0xff` is of a sliced S-box, not of an atom.
const SLICED: u64 = 1 << 63;

impl Terms {
    /// The bytes of a lane, its atoms left closed; `None` for the unknowns.
    pub fn bytes(&mut self, lane: Lane) -> Option<[Form; 16]> {
        if lane.is_unknown() {
            return None;
        }
        let lane = self.settled(lane);
        Some(self.plain_bytes(lane))
    }

    /// The bytes of a known lane, with its atoms as they are.
    pub(crate) fn plain_bytes(&mut self, lane: Lane) -> [Form; 16] {
        if self.is_by_bits(lane) {
            if let Some(known) = self.closed_lanes.get(&lane) {
                return known;
            }
            let bytes = std::array::from_fn(|i| self.gather_byte(lane, i));
            self.closed_lanes.insert(lane, bytes);
            return bytes;
        }
        let several = self.summands(lane) > 1;
        if several && let Some(known) = self.closed_lanes.get(&lane) {
            return known;
        }
        let mut bytes = constant_bytes(self.constant_part(lane));
        for k in 0..self.summands(lane) {
            let (number, _) = self.member(lane, k);
            for (i, byte) in bytes.iter_mut().enumerate() {
                let part = self.atom_byte(number, i);
                *byte = self.forms.add(*byte, part);
            }
        }
        if several {
            self.closed_lanes.insert(lane, bytes);
        }
        bytes
    }

    /// One byte of a lane, as in [`Terms::bytes`].
    pub fn byte(&mut self, lane: Lane, i: usize) -> Option<Form> {
        if lane.is_unknown() {
            return None;
        }
        if self.is_by_bits(lane) {
            return Some(match self.closed_lanes.get(&lane) {
                Some(known) => known[i],
                None => self.gather_byte(lane, i),
            });
        }
        let mut byte = Form(u32::from(self.constant_part(lane).to_le_bytes()[i]));
        for k in 0..self.summands(lane) {
            let (number, _) = self.member(lane, k);
            let part = self.atom_byte(number, i);
            byte = self.forms.add(byte, part);
        }
        Some(byte)
    }

    /// Byte `i` of an atom.
    fn atom_byte(&mut self, number: u32, i: usize) -> Form {
        match self.atoms[number as usize] {
            Atom::Bytes { index } => self.bytes[index as usize][i],
            Atom::Cone { .. } => self.cone_bytes(number)[i],
            Atom::Counter { index, order } if order != Order::MEMORY => {
                let memory = self.atom(Atom::Counter { index, order: Order::MEMORY });
                let (number, _) = self.member(memory, 0);
                self.forms.atom(ByteAtom::Lane { atom: number, index: order.source(i) as u8 })
            }
            _ => self.forms.atom(ByteAtom::Lane { atom: number, index: i as u8 }),
        }
    }

    fn gather_byte(&mut self, lane: Lane, i: usize) -> Form {
        self.gather(std::array::from_fn(|k| (lane, (8 * i + k) as u8)))
    }

    /// The byte whose bit `k` is the bit at position `from[k].1` of lane `from[k].0`.
    pub(crate) fn gather(&mut self, from: [(Lane, u8); 8]) -> Form {
        let mut groups: Vec<(u64, u64)> = Vec::with_capacity(16);
        let mut constant = 0u8;
        for (k, (lane, place)) in from.into_iter().enumerate() {
            constant |= ((self.constant_part(lane) >> place) as u8 & 1) << k;
            for (number, map) in self.members(lane) {
                let row = if map == IDENTITY { 1 << place } else { self.maps.rows(map)[place as usize] };
                let sliced = match self.atoms[number as usize] {
                    Atom::Sliced { instance, bit } => Some((instance, bit)),
                    _ => None,
                };
                for q in bits(row) {
                    let (key, column) = match sliced {
                        Some((instance, bit)) => {
                            (SLICED | u64::from(instance) << 8 | q as u64, usize::from(bit))
                        }
                        None => (u64::from(number) << 8 | (q / 8) as u64, q % 8),
                    };
                    let bit = 1u64 << (8 * column + k);
                    match groups.iter_mut().find(|(other, _)| *other == key) {
                        Some((_, matrix)) => *matrix ^= bit,
                        None => groups.push((key, bit)),
                    }
                }
            }
        }
        self.forms.work += 8 + groups.len() as u64;
        let mut parts: Vec<(Form, Coefficient)> = Vec::with_capacity(groups.len() + 1);
        parts.push((Form(u32::from(constant)), 1));
        for (key, matrix) in groups {
            let form = match key & SLICED {
                0 => self.atom_byte((key >> 8) as u32, (key & 0xff) as usize),
                _ => self.sliced_byte((key >> 8) as u32, (key & 0xff) as u8),
            };
            parts.push((form, self.forms.matrices.number(Matrix(matrix))));
        }
        self.forms.combine(&parts)
    }

    /// The S-box's output at one bit position of eight lanes.
    fn sliced_byte(&mut self, instance: u32, place: u8) -> Form {
        let key = u64::from(instance) << 8 | u64::from(place);
        if let Some(known) = self.bitwise.sliced_bytes.get(&key) {
            return known;
        }
        let of = self.bitwise.instances[instance as usize];
        let argument = self.gather(of.lanes.map(|lane| (lane, place)));
        let byte = self.forms.sbox(of.inverse, argument);
        self.bitwise.sliced_bytes.insert(key, byte);
        byte
    }

    /// The lane of 16 bytes, in its coarsest form.
    pub(crate) fn lane_of_bytes(&mut self, bytes: [Form; 16]) -> Lane {
        if let Some(order) = self.aligned_order(&bytes) {
            let constant = bytes.map(|form| self.forms.constant_part(form));
            let numbers: Vec<u32> = self
                .forms
                .terms(bytes[0])
                .map(|(atom, _)| match atom {
                    ByteAtom::Lane { atom, .. } => atom,
                    _ => unreachable!("aligned bytes are bytes of lanes"),
                })
                .collect();
            let mut sum = self.constant(u128::from_le_bytes(constant));
            for number in numbers {
                let part = match self.atoms[number as usize] {
                    Atom::Counter { index, .. } => self.atom(Atom::Counter { index, order }),
                    _ => self.single(number),
                };
                sum = self.xor(sum, part);
            }
            return sum;
        }
        if let Some(&known) = self.bytes_of.get(&bytes) {
            return known;
        }
        let lane = match self.recognised(&bytes, false) {
            Some(round) => round,
            None if bytes.iter().any(|&form| self.form_is_too_deep(form)) => {
                match bytes.iter().any(|&form| self.form_is_secret(form)) {
                    true => Lane::UNKNOWN,
                    false => Lane::PUBLIC,
                }
            }
            None => {
                let index = self.bytes.len() as u32;
                self.bytes.push(bytes);
                self.atom(Atom::Bytes { index })
            }
        };
        self.bytes_of.insert(bytes, lane);
        lane
    }

    /// The byte order in which the bytes are those of the same atoms; other than memory order only for counters.
    fn aligned_order(&self, bytes: &[Form; 16]) -> Option<Order> {
        let count = self.forms.terms(bytes[0]).len();
        let mut order = None;
        for (atom, coefficient) in self.forms.terms(bytes[0]) {
            let ByteAtom::Lane { atom, index } = atom else { return None };
            let found = match index {
                0 => Order::MEMORY,
                8 => Order::SWAPPED_HALVES,
                7 => Order::SWAPPED_BYTES,
                15 => Order::REVERSED,
                _ => return None,
            };
            let counter = matches!(self.atoms[atom as usize], Atom::Counter { .. });
            if coefficient != 1
                || (found != Order::MEMORY && !counter)
                || order.is_some_and(|other| other != found)
            {
                return None;
            }
            order = Some(found);
        }
        let order = order.unwrap_or(Order::MEMORY);
        let aligned = (1..16).all(|i| {
            self.forms.terms(bytes[i]).len() == count
                && self.forms.terms(bytes[0]).zip(self.forms.terms(bytes[i])).all(|pair| match pair {
                    ((ByteAtom::Lane { atom: a, .. }, _), (ByteAtom::Lane { atom: b, index }, 1)) => {
                        a == b && index as usize == order.source(i)
                    }
                    _ => false,
                })
        });
        aligned.then_some(order)
    }

    /// The bytes of a lane with every round opened down to S-boxes of key and message bytes.
    pub fn expand(&mut self, lane: Lane) -> [Form; 16] {
        if let Some(known) = self.expanded_lanes.get(&lane) {
            return known;
        }
        let mut bytes = constant_bytes(self.constant_part(lane));
        if self.is_by_bits(lane) {
            let closed = self.plain_bytes(lane);
            bytes = closed.map(|form| self.expand_form(form));
        } else {
            for k in 0..self.summands(lane) {
                let (number, _) = self.member(lane, k);
                let part = self.expand_atom(number);
                for i in 0..16 {
                    bytes[i] = self.forms.add(bytes[i], part[i]);
                }
            }
        }
        self.expanded_lanes.insert(lane, bytes);
        bytes
    }

    fn expand_atom(&mut self, number: u32) -> [Form; 16] {
        if let Some(bytes) = self.expanded_atoms.get(&number) {
            return bytes;
        }
        let bytes = match self.atoms[number as usize] {
            Atom::Bytes { index } => {
                let closed = self.bytes[index as usize];
                closed.map(|form| self.expand_form(form))
            }
            Atom::Cone { .. } => {
                let bytes = self.cone_bytes(number);
                if self.is_closed_cone(number) { bytes } else { bytes.map(|form| self.expand_form(form)) }
            }
            Atom::Round { round, of } => {
                let of = self.expand(of);
                let (shift, inverse) = match round {
                    AesRound::Encrypt | AesRound::EncryptLast => (&SHIFT_ROWS, false),
                    AesRound::Decrypt | AesRound::DecryptLast => (&INV_SHIFT_ROWS, true),
                };
                let state = std::array::from_fn(|i| self.forms.sbox(inverse, of[shift[i]]));
                match round {
                    AesRound::Encrypt => self.mix_columns(state, MIX),
                    AesRound::Decrypt => self.mix_columns(state, INV_MIX),
                    AesRound::EncryptLast | AesRound::DecryptLast => state,
                }
            }
            Atom::InvMix { of } => {
                let of = self.expand(of);
                self.mix_columns(of, INV_MIX)
            }
            _ => std::array::from_fn(|i| self.atom_byte(number, i)),
        };
        self.expanded_atoms.insert(number, bytes);
        bytes
    }

    pub(crate) fn expand_form(&mut self, form: Form) -> Form {
        if self.forms.as_constant(form).is_some() {
            return form;
        }
        if let Some(expanded) = self.expanded_forms.get(&form) {
            return expanded;
        }
        let terms: Vec<(ByteAtom, Coefficient)> = self.forms.terms(form).collect();
        let mut parts = vec![(self.forms.constant(self.forms.constant_part(form)), 1)];
        for (atom, coefficient) in terms {
            let part = match atom {
                ByteAtom::Lane { atom, index } => self.expand_atom(atom)[index as usize],
                ByteAtom::Sbox { inverse, of } => {
                    let of = self.expand_form(of);
                    self.forms.sbox(inverse, of)
                }
                ByteAtom::Function { number } => {
                    let function = self.forms.functions[number as usize].clone();
                    let of = self.expand_form(function.of);
                    self.forms.function(of, &function.values)
                }
            };
            parts.push((part, coefficient));
        }
        let expanded = self.forms.combine(&parts);
        self.expanded_forms.insert(form, expanded);
        expanded
    }

    /// MixColumns, or InvMixColumns, of bytes.
    pub fn mix_columns(&mut self, state: [Form; 16], matrix: [u8; 4]) -> [Form; 16] {
        std::array::from_fn(|i| {
            let (row, column) = (i % 4, i / 4 * 4);
            let parts: [(Form, Coefficient); 4] =
                std::array::from_fn(|k| (state[column + k], u32::from(matrix[(k + 4 - row) % 4])));
            self.forms.combine(&parts)
        })
    }

    /// True if two lanes are equal for every key and message.
    pub fn same(&mut self, a: Lane, b: Lane) -> bool {
        if a.is_unknown() || b.is_unknown() {
            return false;
        }
        if a == b {
            return true;
        }
        let (a, b) = (self.coarse(a), self.coarse(b));
        a == b || self.may_expand(a, b) && self.expand(a) == self.expand(b)
    }

    /// False if neither lane holds bytes: such lanes are equal only if their coarse forms are, because distinct atoms
    /// of inputs are independent.
    fn may_expand(&self, a: Lane, b: Lane) -> bool {
        self.holds_bytes(a) || self.holds_bytes(b)
    }

    /// True if two bytes are equal for every key and message.
    pub(crate) fn same_byte(&mut self, a: Form, b: Form) -> bool {
        a == b || self.expand_form(a) == self.expand_form(b)
    }
}

fn constant_bytes(value: u128) -> [Form; 16] {
    value.to_le_bytes().map(|b| Form(u32::from(b)))
}
