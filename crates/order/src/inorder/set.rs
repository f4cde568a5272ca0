//! Sets of registers.

/// Registers by number, of all that a `u8` can name.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct RegisterSet([u64; 4]);

impl RegisterSet {
    /// Every register.
    pub const ALL: RegisterSet = RegisterSet([u64::MAX; 4]);

    /// One register.
    pub fn one(r: u8) -> RegisterSet {
        let mut set = RegisterSet::default();
        set.insert(r);
        set
    }

    /// Adds a register.
    pub fn insert(&mut self, r: u8) {
        self.0[usize::from(r / 64)] |= 1 << (r % 64);
    }

    /// Whether a register is in it.
    pub fn contains(&self, r: u8) -> bool {
        self.0[usize::from(r / 64)] >> (r % 64) & 1 == 1
    }

    /// How many registers are in it.
    pub fn count(&self) -> u32 {
        self.0.iter().map(|word| word.count_ones()).sum()
    }

    /// Its only register, if it has just one.
    pub fn only(&self) -> Option<u8> {
        let (at, word) = self.0.iter().enumerate().find(|(_, word)| **word != 0)?;
        (self.count() == 1).then(|| 64 * at as u8 + word.trailing_zeros() as u8)
    }

    /// Whether all of it is in another.
    pub fn is_within(&self, other: &RegisterSet) -> bool {
        self.0.iter().zip(&other.0).all(|(a, b)| a & !b == 0)
    }

    /// Those in both.
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
