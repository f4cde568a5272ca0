//! Recognition of rounds: 16 bytes that are sums of S-boxes as in MixColumns become the atom of an AES instruction. So
//! a technique's result has the specification's name, and the next round starts from short forms.

use aesmith_cipher::block::{INV_MIX, INV_SHIFT_ROWS, MIX, SHIFT_ROWS};
use aesmith_isa::lanes::AesRound;

use crate::lanes::forms::{ByteAtom, Form};
use crate::lanes::terms::{Atom, Lane, Terms};

impl Terms {
    /// Bytes as a round plus a sum without S-boxes, if they are that. Last rounds are tried only with `last`: SubBytes
    /// inside a round looks like one.
    pub(crate) fn recognised(&mut self, bytes: &[Form; 16], last: bool) -> Option<Lane> {
        let (inverse, whole) = self.round_kind(bytes[0])?;
        if !whole && !last {
            return None;
        }
        let (shift, matrix, round) = match (inverse, whole) {
            (false, true) => (&SHIFT_ROWS, MIX, AesRound::Encrypt),
            (false, false) => (&SHIFT_ROWS, MIX, AesRound::EncryptLast),
            (true, true) => (&INV_SHIFT_ROWS, INV_MIX, AesRound::Decrypt),
            (true, false) => (&INV_SHIFT_ROWS, INV_MIX, AesRound::DecryptLast),
        };
        // A byte's own S-box has the first coefficient of the matrix.
        let own = if whole { u32::from(matrix[0]) } else { 1 };
        let mut arguments = [Form(0); 16];
        for (i, &byte) in bytes.iter().enumerate() {
            if self.round_kind(byte) != Some((inverse, whole)) {
                return None;
            }
            arguments[shift[i]] = self.forms.terms(byte).find_map(|(atom, n)| match atom {
                ByteAtom::Sbox { of, .. } if n == own => Some(of),
                _ => None,
            })?;
        }
        let mut state = std::array::from_fn(|i| self.forms.sbox(inverse, arguments[shift[i]]));
        if whole {
            state = self.mix_columns(state, matrix);
        }
        let mut rest = [Form(0); 16];
        for i in 0..16 {
            rest[i] = self.forms.add(bytes[i], state[i]);
            if self.forms.terms(rest[i]).any(|(atom, _)| matches!(atom, ByteAtom::Sbox { .. })) {
                return None;
            }
        }
        // No SubBytes alone precedes a whole round: a state that looks like a last round is one.
        let of = self.lane_of_bytes(arguments);
        let of = self.coarse(of);
        let round = self.round(round, of);
        if round.is_unknown() {
            return None;
        }
        let rest = self.lane_of_bytes(rest);
        Some(self.xor(round, rest))
    }

    /// The kind of a byte with as many S-boxes as in a round: true for inverse ones, and true for four of them.
    fn round_kind(&self, byte: Form) -> Option<(bool, bool)> {
        let (mut count, mut coefficients, mut kind) = (0, 0, None);
        for (atom, n) in self.forms.terms(byte) {
            let ByteAtom::Sbox { inverse, .. } = atom else { continue };
            count += 1;
            coefficients ^= n;
            if kind.is_some_and(|other| other != inverse) {
                return None;
            }
            kind = Some(inverse);
        }
        // Sums of the coefficients: 2 + 3 + 1 + 1 and 14 + 11 + 13 + 9 are 1 (by XOR).
        match (count, coefficients) {
            (4, 1) => Some((kind?, true)),
            (1, 1) => Some((kind?, false)),
            _ => None,
        }
    }

    /// A lane of several atoms of bytes, or of bytes that contain rounds, with the rounds named.
    pub(crate) fn settled(&mut self, lane: Lane) -> Lane {
        self.named(lane, false, false)
    }

    /// A lane with its parts named as in the specification, where they have such names.
    pub fn coarse(&mut self, lane: Lane) -> Lane {
        self.named(lane, true, true)
    }

    /// A lane with its rounds named: with `last` including last rounds, with `bits` also if bits are moved.
    pub(crate) fn named(&mut self, lane: Lane, last: bool, bits: bool) -> Lane {
        let by_bytes = |atom: Atom| matches!(atom, Atom::Bytes { .. } | Atom::Cone { .. });
        // Rounds are named when cones become rounds; last rounds only here.
        if self.has_cones(lane) && !bits {
            return lane;
        }
        let lane = if last { self.finished(lane) } else { lane };
        let by_bits = bits && self.is_by_bits(lane) && !self.is_tabled(lane);
        if lane.is_unknown() || !(by_bits || self.atoms(lane).any(by_bytes)) {
            return lane;
        }
        let key = (lane, last, bits);
        if let Some(known) = self.named_lanes.get(&key) {
            return known;
        }
        let bytes = self.plain_bytes(lane);
        let named = match self.recognised(&bytes, last) {
            Some(round) => round,
            None if last => self.lane_of_bytes(bytes),
            None => lane,
        };
        self.named_lanes.insert(key, named);
        named
    }
}
