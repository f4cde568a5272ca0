//! Sets of registers.

/// A set of register numbers, any `u8`.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct RegisterSet([u64; 4]);

impl RegisterSet {
    /// All registers.
    pub const ALL: RegisterSet = RegisterSet([u64::MAX; 4]);

    /// The set of one register.
    pub fn one(r: u8) -> RegisterSet {
        let mut set = RegisterSet::default();
        set.insert(r);
        set
    }

    /// Adds a register.
    pub fn insert(&mut self, r: u8) {
        self.0[usize::from(r / 64)] |= 1 << (r % 64);
    }

    /// True if the set contains a register.
    pub fn contains(&self, r: u8) -> bool {
        self.0[usize::from(r / 64)] >> (r % 64) & 1 == 1
    }

    /// The number of registers in the set.
    pub fn count(&self) -> u32 {
        self.0.iter().map(|word| word.count_ones()).sum()
    }

    /// The only register of a set with one element.
    pub fn only(&self) -> Option<u8> {
        let (at, word) = self.0.iter().enumerate().find(|(_, word)| **word != 0)?;
        (self.count() == 1).then(|| 64 * at as u8 + word.trailing_zeros() as u8)
    }

    /// True if the set is a subset of another.
    pub fn is_within(&self, other: &RegisterSet) -> bool {
        self.0.iter().zip(&other.0).all(|(a, b)| a & !b == 0)
    }

    /// The intersection.
    #[must_use]
    pub fn and(&self, other: &RegisterSet) -> RegisterSet {
        RegisterSet(std::array::from_fn(|at| self.0[at] & other.0[at]))
    }
}

impl FromIterator<u8> for RegisterSet {
    fn from_iter<T: IntoIterator<Item = u8>>(registers: T) -> RegisterSet {
        let mut set = RegisterSet::default();
        registers.into_iter().for_each(|r| set.insert(r));
        set
    }
}
