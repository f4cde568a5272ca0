//! 128-bit lanes in canonical form: a constant xored with a set of *atoms* (a round key, an input
//! block, a counter block, a round function of a lane ...). Two lanes with the same number are
//! equal for every key and message. Where an operation goes by bytes, an atom holds 16
//! [`Forms`]; [`Terms::same`] expands both sides to bytes before it calls two lanes different.

use aesmith_cipher::block::{INV_MIX, INV_SHIFT_ROWS, MIX, SHIFT_ROWS};
use aesmith_processor::domain::AesRound;

use crate::forms::{ByteAtom, Form, Forms};
use crate::intern::{FastMap, Table, mix};

/// Rounds within rounds that are followed: 64 chained blocks are 896. What nests deeper is unknown,
/// so that bytes that are no kernel cannot exhaust the stack.
const DEEPEST: u32 = 1500;

/// A lane, by number.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Lane(pub u32);

impl Lane {
    /// All zero.
    pub const ZERO: Lane = Lane(0);
    /// Nothing is known of it, but that no secret is in it.
    pub const PUBLIC: Lane = Lane(1);
    /// Nothing is known of it.
    pub const UNKNOWN: Lane = Lane(2);

    /// Whether nothing is known of its value.
    pub fn is_unknown(self) -> bool {
        self == Lane::PUBLIC || self == Lane::UNKNOWN
    }
}

/// Which counter block: counted from the bytes processed so far, or from the message's end.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Index {
    /// The counter of block `n / 16 + i`, where `n` bytes are processed.
    At(i32),
    /// The counter `i` after the message's last one, partial block included.
    End(i32),
}

impl Index {
    /// The index `by` further on, if that is not too far for an index.
    pub fn plus(self, by: i32) -> Option<Self> {
        let further = |i: i32| i.checked_add(by).filter(|i| i.unsigned_abs() < 1 << 28);
        match self {
            Index::At(i) => further(i).map(Index::At),
            Index::End(i) => further(i).map(Index::End),
        }
    }
}

/// Byte orders in which a counter block lies in a lane. As numbers, composition is XOR.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Order(pub u8);

impl Order {
    /// As in memory: big-endian.
    pub const MEMORY: Order = Order(0);
    /// The two 64-bit halves exchanged.
    pub const SWAPPED_HALVES: Order = Order(1);
    /// The bytes of each 64-bit half reversed.
    pub const SWAPPED_BYTES: Order = Order(2);
    /// All 16 bytes reversed: a little-endian 128-bit integer.
    pub const REVERSED: Order = Order(3);

    /// Where byte `i` of a lane in this order lies in memory order.
    pub fn source(self, i: usize) -> usize {
        i ^ if self.0 & 1 != 0 { 8 } else { 0 } ^ if self.0 & 2 != 0 { 7 } else { 0 }
    }
}

/// What lanes are sums of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Atom {
    /// Round key `round` of a stream.
    Key {
        /// Stream.
        stream: u8,
        /// Round, in order of use.
        round: u8,
    },
    /// Input block, counted from the bytes processed so far.
    Input {
        /// Stream.
        stream: u8,
        /// Block.
        block: i32,
    },
    /// A counter block.
    Counter {
        /// Which.
        index: Index,
        /// Its byte order.
        order: Order,
    },
    /// CBC encryption: the ciphertext block before the next one (at first the IV).
    Chain {
        /// Stream.
        stream: u8,
    },
    /// A round function, without the key addition, of a lane.
    Round {
        /// Which one.
        round: AesRound,
        /// Its argument.
        of: Lane,
    },
    /// InvMixColumns of a lane.
    InvMix {
        /// Its argument.
        of: Lane,
    },
    /// 16 bytes of the cipher key, from byte `16 part`.
    CipherKey {
        /// Which 16.
        part: u8,
    },
    /// What the counter table leaves of the state after so many rounds: the state of counter
    /// `index` without what its last byte contributes ([`crate::cache`]).
    Rest {
        /// Rounds in the table.
        rounds: u8,
        /// Which table: 0 is that of the key structure.
        table: u8,
        /// A counter of the 256 that share all other bytes.
        index: i32,
    },
    /// 16 byte forms, number `index` of the list of such.
    Bytes {
        /// Number.
        index: u32,
    },
}

fn round_code(round: AesRound) -> u64 {
    round as u64
}

impl Atom {
    fn code(self) -> u64 {
        let index = |i: Index| match i {
            Index::At(i) => u64::from(i as u32),
            Index::End(i) => 1 << 32 | u64::from(i as u32),
        };
        match self {
            Atom::Key { stream, round } => 1 << 56 | u64::from(stream) << 40 | u64::from(round),
            Atom::Input { stream, block } => 2 << 56 | u64::from(stream) << 40 | u64::from(block as u32),
            Atom::Counter { index: i, order } => 3 << 56 | u64::from(order.0) << 40 | index(i),
            Atom::Chain { stream } => 4 << 56 | u64::from(stream),
            Atom::Round { round, of } => 5 << 56 | round_code(round) << 40 | u64::from(of.0),
            Atom::InvMix { of } => 6 << 56 | u64::from(of.0),
            Atom::CipherKey { part } => 7 << 56 | u64::from(part),
            Atom::Bytes { index } => 8 << 56 | u64::from(index),
            Atom::Rest { rounds, table, index } => {
                9 << 56 | u64::from(table) << 48 | u64::from(rounds) << 40 | u64::from(index as u32)
            }
        }
    }
}

#[derive(Clone, Copy)]
struct Sum {
    start: u32,
    atoms: u32,
    constant: u128,
}

/// All lanes of one or several proofs.
pub struct Terms {
    /// The byte forms that lanes expand to.
    pub forms: Forms,
    sums: Vec<Sum>,
    /// Atom numbers, ascending within a sum.
    members: Vec<u32>,
    sum_table: Table,
    atoms: Vec<Atom>,
    atom_codes: Vec<u64>,
    /// The lane that is one atom.
    singles: Vec<Lane>,
    secret_atoms: Vec<bool>,
    /// How deep rounds nest in an atom.
    depths: Vec<u32>,
    atom_table: Table,
    bytes: Vec<[Form; 16]>,
    bytes_of: FastMap<[Form; 16], u32>,
    expanded_atoms: FastMap<u32, [Form; 16]>,
    expanded_forms: FastMap<Form, Form>,
    scratch: Vec<u32>,
}

impl Terms {
    /// Only zero and the two unknowns.
    pub fn new() -> Self {
        let mut terms = Terms {
            forms: Forms::new(),
            sums: Vec::new(),
            members: Vec::new(),
            sum_table: Table::new(1 << 12),
            atoms: Vec::new(),
            atom_codes: Vec::new(),
            singles: Vec::new(),
            secret_atoms: Vec::new(),
            depths: Vec::new(),
            atom_table: Table::new(1 << 12),
            bytes: Vec::new(),
            bytes_of: FastMap::default(),
            expanded_atoms: FastMap::default(),
            expanded_forms: FastMap::default(),
            scratch: Vec::new(),
        };
        terms.clear();
        terms
    }

    /// Forgets everything but zero and the unknowns.
    pub fn clear(&mut self) {
        self.forms.clear();
        self.sums.clear();
        self.members.clear();
        self.sum_table.clear();
        self.atoms.clear();
        self.atom_codes.clear();
        self.singles.clear();
        self.secret_atoms.clear();
        self.depths.clear();
        self.atom_table.clear();
        self.bytes.clear();
        self.bytes_of.clear();
        self.expanded_atoms.clear();
        self.expanded_forms.clear();
        self.scratch.clear();
        self.intern(0);
        // The unknowns are no sums; their places are taken so that no sum gets their numbers.
        for _ in 0..2 {
            self.sums.push(Sum { start: 0, atoms: u32::MAX, constant: 0 });
        }
    }

    /// A measure of the memory in use: terms of all kinds.
    pub fn size(&self) -> usize {
        self.sums.len() + self.atoms.len() + self.forms.count()
    }

    /// The lane of a constant, byte 0 lowest.
    pub fn constant(&mut self, value: u128) -> Lane {
        self.scratch.clear();
        self.intern(value)
    }

    /// The value of a constant lane.
    pub fn as_constant(&self, lane: Lane) -> Option<u128> {
        let sum = self.sums[lane.0 as usize];
        (sum.atoms == 0).then_some(sum.constant)
    }

    /// The lane that is one atom.
    pub fn atom(&mut self, atom: Atom) -> Lane {
        let code = atom.code();
        let fresh = self.atoms.len() as u32;
        let codes = &self.atom_codes;
        let (number, new) =
            self.atom_table.find_or_insert(mix(7, code), fresh, |n| codes[n as usize] == code);
        if new {
            let secret = match atom {
                Atom::Key { .. } | Atom::Input { .. } | Atom::CipherKey { .. } | Atom::Rest { .. } => true,
                Atom::Counter { .. } | Atom::Chain { .. } => false,
                Atom::Round { of, .. } | Atom::InvMix { of } => self.is_secret(of),
                Atom::Bytes { index } => {
                    let bytes = self.bytes[index as usize];
                    bytes.iter().any(|&f| self.form_is_secret(f))
                }
            };
            let depth = match atom {
                Atom::Round { of, .. } | Atom::InvMix { of } => self.depth(of) + 1,
                Atom::Bytes { index } => {
                    let lanes = self.bytes[index as usize];
                    lanes.iter().map(|&form| self.form_depth(form)).max().unwrap_or(0)
                }
                _ => 0,
            };
            self.depths.push(depth);
            self.atoms.push(atom);
            self.atom_codes.push(code);
            self.secret_atoms.push(secret);
            self.scratch.clear();
            self.scratch.push(number);
            let single = self.intern(0);
            self.singles.push(single);
        }
        self.singles[number as usize]
    }

    /// The atom of a lane that is exactly one.
    pub fn as_atom(&self, lane: Lane) -> Option<Atom> {
        let sum = self.sums[lane.0 as usize];
        (sum.atoms == 1 && sum.constant == 0).then(|| self.atoms[self.members[sum.start as usize] as usize])
    }

    /// The lane that is the atom of this number.
    pub fn single(&self, atom: u32) -> Lane {
        self.singles[atom as usize]
    }

    /// The constant of a lane; zero for the unknowns.
    pub fn constant_part(&self, lane: Lane) -> u128 {
        self.sums[lane.0 as usize].constant
    }

    fn members(&self, lane: Lane) -> &[u32] {
        let sum = self.sums[lane.0 as usize];
        if sum.atoms == u32::MAX {
            return &[];
        }
        &self.members[sum.start as usize..(sum.start + sum.atoms) as usize]
    }

    /// The atoms of a lane.
    pub fn atoms(&self, lane: Lane) -> impl ExactSizeIterator<Item = Atom> + '_ {
        self.members(lane).iter().map(|&n| self.atoms[n as usize])
    }

    /// Whether a key or message byte may be in it.
    pub fn is_secret(&self, lane: Lane) -> bool {
        lane == Lane::UNKNOWN || self.members(lane).iter().any(|&n| self.secret_atoms[n as usize])
    }

    /// Whether a key or message byte is in the form.
    pub fn form_is_secret(&self, form: Form) -> bool {
        self.forms.terms(form).any(|(atom, _)| match atom {
            ByteAtom::Lane { atom, .. } => self.secret_atoms[atom as usize],
            ByteAtom::Sbox { of, .. } => self.form_is_secret(of),
        })
    }

    /// `a ^ b`
    #[inline]
    pub fn xor(&mut self, a: Lane, b: Lane) -> Lane {
        if a.0 < 3 || b.0 < 3 {
            return self.xor_special(a, b);
        }
        let (x, y) = (self.sums[a.0 as usize], self.sums[b.0 as usize]);
        let (mut i, mut j) = (x.start as usize, y.start as usize);
        let (i_end, j_end) = (i + x.atoms as usize, j + y.atoms as usize);
        self.scratch.clear();
        while i < i_end && j < j_end {
            let (m, n) = (self.members[i], self.members[j]);
            if m != n {
                self.scratch.push(m.min(n));
            }
            i += usize::from(m <= n);
            j += usize::from(n <= m);
        }
        self.scratch.extend_from_slice(&self.members[i..i_end]);
        self.scratch.extend_from_slice(&self.members[j..j_end]);
        self.intern(x.constant ^ y.constant)
    }

    fn xor_special(&self, a: Lane, b: Lane) -> Lane {
        match (a, b) {
            (Lane::ZERO, other) | (other, Lane::ZERO) => other,
            (Lane::UNKNOWN, _) | (_, Lane::UNKNOWN) => Lane::UNKNOWN,
            (Lane::PUBLIC, other) | (other, _) if self.is_secret(other) => Lane::UNKNOWN,
            _ => Lane::PUBLIC,
        }
    }

    /// The unknown that an operation on these gives when nothing more can be said.
    pub fn unknown(&self, of: &[Lane]) -> Lane {
        if of.iter().any(|&l| self.is_secret(l)) { Lane::UNKNOWN } else { Lane::PUBLIC }
    }

    /// A round function without its key addition.
    #[inline]
    pub fn round(&mut self, round: AesRound, of: Lane) -> Lane {
        if of.is_unknown() {
            return of;
        }
        if self.depth(of) >= DEEPEST {
            return self.unknown(&[of]);
        }
        self.atom(Atom::Round { round, of })
    }

    fn depth(&self, lane: Lane) -> u32 {
        self.members(lane).iter().map(|&n| self.depths[n as usize]).max().unwrap_or(0)
    }

    /// How deep rounds nest in the lanes of a byte; S-boxes beside count for themselves.
    fn form_depth(&self, form: Form) -> u32 {
        let depth = |(atom, _)| match atom {
            ByteAtom::Lane { atom, .. } => self.depths[atom as usize],
            ByteAtom::Sbox { .. } => 0,
        };
        self.forms.terms(form).map(depth).max().unwrap_or(0)
    }

    /// The lane whose atoms lie in `scratch`.
    #[inline]
    fn intern(&mut self, constant: u128) -> Lane {
        let seed = mix(mix(3, constant as u64), (constant >> 64) as u64);
        let hash = self.scratch.iter().fold(seed, |h, &n| mix(h, u64::from(n)));
        let (sums, members, scratch) = (&self.sums, &self.members, &self.scratch);
        let (number, fresh) = self.sum_table.find_or_insert(hash, sums.len() as u32, |n| {
            let sum = sums[n as usize];
            sum.constant == constant
                && sum.atoms as usize == scratch.len()
                // Sums are short: comparing in place beats a call.
                && members[sum.start as usize..].iter().zip(scratch).all(|(m, n)| m == n)
        });
        if fresh {
            let (start, atoms) = (self.members.len() as u32, self.scratch.len() as u32);
            self.sums.push(Sum { start, atoms, constant });
            self.members.extend_from_slice(&self.scratch);
        }
        Lane(number)
    }

    // Bytes.

    /// The bytes of a lane, its atoms left closed; `None` for the unknowns.
    pub fn bytes(&mut self, lane: Lane) -> Option<[Form; 16]> {
        if lane.is_unknown() {
            return None;
        }
        let mut bytes = constant_bytes(self.constant_part(lane));
        for k in 0..self.members(lane).len() {
            let number = self.members(lane)[k];
            let part = match self.atoms[number as usize] {
                Atom::Bytes { index } => self.bytes[index as usize],
                Atom::Counter { index, order } if order != Order::MEMORY => {
                    let memory = self.atom(Atom::Counter { index, order: Order::MEMORY });
                    let number = self.members(memory)[0];
                    let forms = &mut self.forms;
                    std::array::from_fn(|i| {
                        forms.atom(ByteAtom::Lane { atom: number, index: order.source(i) as u8 })
                    })
                }
                _ => {
                    let forms = &mut self.forms;
                    std::array::from_fn(|i| forms.atom(ByteAtom::Lane { atom: number, index: i as u8 }))
                }
            };
            for i in 0..16 {
                bytes[i] = self.forms.add(bytes[i], part[i]);
            }
        }
        Some(bytes)
    }

    /// One byte of a lane, as in [`Terms::bytes`].
    pub fn byte(&mut self, lane: Lane, i: usize) -> Option<Form> {
        if lane.is_unknown() {
            return None;
        }
        let mut byte = Form(u32::from(self.constant_part(lane).to_le_bytes()[i]));
        for k in 0..self.members(lane).len() {
            let number = self.members(lane)[k];
            let part = match self.atoms[number as usize] {
                Atom::Bytes { index } => self.bytes[index as usize][i],
                Atom::Counter { index, order } if order != Order::MEMORY => {
                    let memory = self.atom(Atom::Counter { index, order: Order::MEMORY });
                    let number = self.members(memory)[0];
                    self.forms.atom(ByteAtom::Lane { atom: number, index: order.source(i) as u8 })
                }
                _ => self.forms.atom(ByteAtom::Lane { atom: number, index: i as u8 }),
            };
            byte = self.forms.add(byte, part);
        }
        Some(byte)
    }

    /// The lane of 16 bytes, in its coarsest form.
    pub fn from_bytes(&mut self, bytes: [Form; 16]) -> Lane {
        let constant = std::array::from_fn(|i| self.forms.constant_part(bytes[i]));
        let constant = u128::from_le_bytes(constant);
        if let Some(order) = self.aligned_order(&bytes) {
            let numbers: Vec<u32> = self
                .forms
                .terms(bytes[0])
                .map(|(atom, _)| match atom {
                    ByteAtom::Lane { atom, .. } => atom,
                    ByteAtom::Sbox { .. } => unreachable!("aligned bytes are bytes of lanes"),
                })
                .collect();
            let mut sum = self.constant(constant);
            for number in numbers {
                let part = match self.atoms[number as usize] {
                    Atom::Counter { index, .. } => self.atom(Atom::Counter { index, order }),
                    _ => self.singles[number as usize],
                };
                sum = self.xor(sum, part);
            }
            return sum;
        }
        let fresh = self.bytes.len() as u32;
        let index = *self.bytes_of.entry(bytes).or_insert(fresh);
        if index == fresh {
            self.bytes.push(bytes);
        }
        self.atom(Atom::Bytes { index })
    }

    /// The order in which the bytes are those of the same atoms; other than memory order only for
    /// counters.
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
        let mut bytes = constant_bytes(self.constant_part(lane));
        for k in 0..self.members(lane).len() {
            let number = self.members(lane)[k];
            let part = self.expand_atom(number);
            for i in 0..16 {
                bytes[i] = self.forms.add(bytes[i], part[i]);
            }
        }
        bytes
    }

    fn expand_atom(&mut self, number: u32) -> [Form; 16] {
        if let Some(&bytes) = self.expanded_atoms.get(&number) {
            return bytes;
        }
        let bytes = match self.atoms[number as usize] {
            Atom::Bytes { index } => {
                let closed = self.bytes[index as usize];
                closed.map(|form| self.expand_form(form))
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
            Atom::Counter { index, order } if order != Order::MEMORY => {
                let memory = self.atom(Atom::Counter { index, order: Order::MEMORY });
                let number = self.members(memory)[0];
                std::array::from_fn(|i| {
                    self.forms.atom(ByteAtom::Lane { atom: number, index: order.source(i) as u8 })
                })
            }
            _ => std::array::from_fn(|i| self.forms.atom(ByteAtom::Lane { atom: number, index: i as u8 })),
        };
        self.expanded_atoms.insert(number, bytes);
        bytes
    }

    fn expand_form(&mut self, form: Form) -> Form {
        if self.forms.as_constant(form).is_some() {
            return form;
        }
        if let Some(&expanded) = self.expanded_forms.get(&form) {
            return expanded;
        }
        let terms: Vec<(ByteAtom, u8)> = self.forms.terms(form).collect();
        let mut parts = vec![(self.forms.constant(self.forms.constant_part(form)), 1)];
        for (atom, coefficient) in terms {
            let part = match atom {
                ByteAtom::Lane { atom, index } => self.expand_atom(atom)[index as usize],
                ByteAtom::Sbox { inverse, of } => {
                    let of = self.expand_form(of);
                    self.forms.sbox(inverse, of)
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
            let parts: [(Form, u8); 4] =
                std::array::from_fn(|k| (state[column + k], matrix[(k + 4 - row) % 4]));
            self.forms.combine(&parts)
        })
    }

    /// Whether two lanes are equal for every key and message.
    pub fn same(&mut self, a: Lane, b: Lane) -> bool {
        if a.is_unknown() || b.is_unknown() {
            return false;
        }
        a == b || self.may_expand(a, b) && self.expand(a) == self.expand(b)
    }

    /// Lanes that hold no bytes and no round on one side only can differ in no other way than
    /// coarsely: distinct atoms of inputs are independent.
    fn may_expand(&self, a: Lane, b: Lane) -> bool {
        self.holds_bytes(a) || self.holds_bytes(b)
    }

    fn holds_bytes(&self, lane: Lane) -> bool {
        self.atoms(lane).any(|atom| match atom {
            Atom::Bytes { .. } | Atom::InvMix { .. } => true,
            Atom::Round { of, .. } => self.holds_bytes(of),
            _ => false,
        })
    }

    /// Whether two bytes are equal for every key and message.
    pub fn same_byte(&mut self, a: Form, b: Form) -> bool {
        a == b || self.expand_form(a) == self.expand_form(b)
    }

    // Renaming: what a lane becomes when its atoms are seen from another point of the message.

    /// `lane` with each atom of `rename`'s choice replaced. `memo` is for one renaming.
    pub fn rename(
        &mut self,
        lane: Lane,
        memo: &mut FastMap<Lane, Lane>,
        rename: &mut dyn FnMut(&mut Terms, Atom) -> Option<Lane>,
    ) -> Lane {
        if lane.is_unknown() || self.members(lane).is_empty() {
            return lane;
        }
        if let Some(&known) = memo.get(&lane) {
            return known;
        }
        let mut sum = self.constant(self.constant_part(lane));
        for k in 0..self.members(lane).len() {
            let number = self.members(lane)[k];
            let atom = self.atoms[number as usize];
            let part = match rename(self, atom) {
                Some(part) => part,
                None => match atom {
                    Atom::Round { round, of } => {
                        let of = self.rename(of, memo, rename);
                        self.round(round, of)
                    }
                    // A shuffled value that is carried around a loop: no kernel needs more than
                    // that it is unknown.
                    Atom::Bytes { .. } => self.unknown(&[lane]),
                    Atom::InvMix { of } => {
                        let of = self.rename(of, memo, rename);
                        if of.is_unknown() { of } else { self.atom(Atom::InvMix { of }) }
                    }
                    _ => self.singles[number as usize],
                },
            };
            sum = self.xor(sum, part);
        }
        memo.insert(lane, sum);
        sum
    }

    /// A few words on a lane, for a refutation.
    pub fn describe(&self, lane: Lane, depth: usize) -> String {
        if lane.is_unknown() {
            return "unknown".to_owned();
        }
        let mut parts: Vec<String> = self
            .atoms(lane)
            .map(|atom| match atom {
                Atom::Key { stream: 0, round } => format!("key {round}"),
                Atom::Key { stream, round } => format!("key {round} of stream {stream}"),
                Atom::Input { stream: 0, block } => format!("in[{block}]"),
                Atom::Input { stream, block } => format!("in[{block}] of stream {stream}"),
                Atom::Counter { index, order } => {
                    let index = match index {
                        Index::At(i) => format!("{i}"),
                        Index::End(i) => format!("end{i:+}"),
                    };
                    let orders = ["", " (halves exchanged)", " (halves reversed)", " (reversed)"];
                    format!("counter[{index}]{}", orders[order.0 as usize])
                }
                Atom::Chain { stream } => format!("chain of stream {stream}"),
                Atom::Round { round, of } => {
                    let name = match round {
                        AesRound::Encrypt => "round",
                        AesRound::EncryptLast => "last round",
                        AesRound::Decrypt => "inverse round",
                        AesRound::DecryptLast => "last inverse round",
                    };
                    if depth == 0 {
                        format!("{name}(..)")
                    } else {
                        format!("{name}({})", self.describe(of, depth - 1))
                    }
                }
                Atom::InvMix { of } => {
                    format!("InvMixColumns({})", self.describe(of, depth.saturating_sub(1)))
                }
                Atom::CipherKey { part } => format!("key bytes {}..", 16 * part),
                Atom::Rest { rounds, index, .. } => {
                    format!("rest of {rounds} cached rounds at counter[{index}]")
                }
                Atom::Bytes { .. } => "shuffled bytes".to_owned(),
            })
            .collect();
        let constant = self.constant_part(lane);
        if constant != 0 || parts.is_empty() {
            parts.push(format!("{constant:#x}"));
        }
        parts.join(" ^ ")
    }
}

fn constant_bytes(value: u128) -> [Form; 16] {
    value.to_le_bytes().map(|b| Form(u32::from(b)))
}

impl Default for Terms {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn xor_is_a_symmetric_difference() {
        let mut terms = Terms::new();
        let (a, b) = (terms.atom(Atom::CipherKey { part: 0 }), terms.atom(Atom::CipherKey { part: 1 }));
        let ab = terms.xor(a, b);
        assert_eq!(terms.xor(ab, a), b);
        assert_eq!(terms.xor(ab, ab), Lane::ZERO);
        assert_eq!(terms.xor(Lane::PUBLIC, Lane::PUBLIC), Lane::PUBLIC);
        assert_eq!(terms.xor(Lane::PUBLIC, a), Lane::UNKNOWN);
    }

    #[test]
    fn bytes_collapse_to_the_lane_they_came_from() {
        let mut terms = Terms::new();
        let a = terms.atom(Atom::CipherKey { part: 0 });
        let c = terms.constant(77);
        let counter = terms.atom(Atom::Counter { index: Index::At(2), order: Order::REVERSED });
        for lane in [a, c, counter, terms.xor(a, c)] {
            let bytes = terms.bytes(lane).unwrap();
            assert_eq!(terms.from_bytes(bytes), lane);
        }
        let mut bytes = terms.bytes(counter).unwrap();
        bytes.reverse();
        let memory = terms.atom(Atom::Counter { index: Index::At(2), order: Order::MEMORY });
        assert_eq!(terms.from_bytes(bytes), memory);
    }

    #[test]
    fn a_round_opens_to_its_bytes() {
        let mut terms = Terms::new();
        let a = terms.atom(Atom::CipherKey { part: 0 });
        let round = terms.round(AesRound::EncryptLast, a);
        let bytes = terms.bytes(a).unwrap();
        let by_hand = std::array::from_fn(|i| terms.forms.sbox(false, bytes[SHIFT_ROWS[i]]));
        let by_hand = terms.from_bytes(by_hand);
        assert_ne!(round, by_hand);
        assert!(terms.same(round, by_hand));
        let twisted = terms.xor(by_hand, a);
        assert!(!terms.same(round, twisted));
    }
}
