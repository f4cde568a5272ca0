//! The registers of a machine, as many of each kind as its processor has.

use std::ops::{Deref, DerefMut};

use super::Domain;

/// The most general-purpose registers of a processor: AArch64 has 31 and a stack pointer, which is the 32nd.
pub const MOST_GENERAL: usize = 32;
/// The most vector registers of a processor: AVX-512 and AArch64 have 32.
pub const MOST_VECTORS: usize = 32;
/// The most opmask registers of a processor: AVX-512 has 8.
pub const MOST_MASKS: usize = 8;

/// The number of registers of each kind that a processor has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Counts {
    /// General-purpose registers, with the stack pointer; at most [`MOST_GENERAL`].
    pub general: usize,
    /// Vector registers; at most [`MOST_VECTORS`].
    pub vector: usize,
    /// Opmask registers; at most [`MOST_MASKS`].
    pub mask: usize,
}

/// The registers of one kind: a slice of as many values as the processor has registers. An index of a register that
/// it does not have panics.
#[derive(Clone, Copy)]
pub struct Bank<T, const MOST: usize> {
    /// The registers, and behind them values that are never read.
    values: [T; MOST],
    count: usize,
}

impl<T: Copy, const MOST: usize> Bank<T, MOST> {
    /// `count` registers of this value.
    ///
    /// # Panics
    /// There are more than `MOST`.
    fn filled(count: usize, value: T) -> Self {
        assert!(count <= MOST, "{count} registers of a kind of which no processor has more than {MOST}");
        Bank { values: [value; MOST], count }
    }
}

impl<T, const MOST: usize> Deref for Bank<T, MOST> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.values[..self.count]
    }
}

impl<T, const MOST: usize> DerefMut for Bank<T, MOST> {
    fn deref_mut(&mut self) -> &mut [T] {
        &mut self.values[..self.count]
    }
}

/// The registers of a machine, as values of one domain, each kind indexed by the numbers of the encodings;
/// `vector[r][i]` is bits `128 i .. 128 i + 128` of vector register `r`. A processor with narrower vectors uses the
/// lowest lanes.
pub struct Machine<D: Domain + ?Sized> {
    /// General-purpose registers, 64 bits each.
    pub gpr: Bank<D::Word, MOST_GENERAL>,
    /// Vector registers, four lanes of 128 bits each.
    pub vector: Bank<[D::Lane; 4], MOST_VECTORS>,
    /// Opmask registers (k0 to k7 of AVX-512).
    pub mask: Bank<D::Mask, MOST_MASKS>,
    /// The status flags carry, parity, zero, sign and overflow, of which a processor uses those that it has: CF, PF, ZF,
    /// SF and OF; or Z, N, V and, for C, a carry that is the complement of C, since a subtraction of AArch64 clears C
    /// where it borrows. Then `adds` and `adcs` are `Sbb` of the complement of their second operand.
    pub flags: D::Flags,
}

impl<D: Domain + ?Sized> Machine<D> {
    /// A machine whose registers all have these values.
    ///
    /// # Panics
    /// There are more registers of a kind than any processor has.
    pub fn filled(counts: Counts, word: D::Word, lane: D::Lane, mask: D::Mask, flags: D::Flags) -> Self {
        Machine {
            gpr: Bank::filled(counts.general, word),
            vector: Bank::filled(counts.vector, [lane; 4]),
            mask: Bank::filled(counts.mask, mask),
            flags,
        }
    }
}

/// Derived, it would demand that the domain can be cloned, too.
impl<D: Domain + ?Sized> Clone for Machine<D> {
    fn clone(&self) -> Self {
        Machine { gpr: self.gpr, vector: self.vector, mask: self.mask, flags: self.flags }
    }
}
