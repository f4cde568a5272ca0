//! A table from contents to small numbers: the hash-consing behind lanes, atoms and byte forms. It uses open
//! addressing, usually one cache line per look-up, and keeps its memory when cleared.

/// Mixes a word into a hash (the multiply-rotate hash of Firefox and rustc).
#[inline]
pub fn mix(hash: u64, word: u64) -> u64 {
    (hash.rotate_left(5) ^ word).wrapping_mul(0x517c_c1b7_2722_0a95)
}

/// A map of small keys.
pub type FastMap<K, V> = rustc_hash::FxHashMap<K, V>;

/// A set of small keys.
pub(crate) type FastSet<K> = rustc_hash::FxHashSet<K>;

/// Numbers found by their hash; the caller stores the contents.
pub struct Table {
    /// High half: the hash's high half; low half: the number plus one. Zero marks a free slot.
    slots: Vec<u64>,
    used: usize,
}

impl Table {
    /// An empty table with room for `capacity` slots, a power of two.
    pub fn new(capacity: usize) -> Self {
        Table { slots: vec![0; capacity.next_power_of_two()], used: 0 }
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        if self.used != 0 {
            self.slots.fill(0);
            self.used = 0;
        }
    }

    /// The number whose contents `same` confirms, or `fresh` entered under this hash.
    #[inline]
    pub(crate) fn find_or_insert(
        &mut self,
        hash: u64,
        fresh: u32,
        mut same: impl FnMut(u32) -> bool,
    ) -> (u32, bool) {
        if self.used * 2 >= self.slots.len() {
            self.grow();
        }
        let bits = self.slots.len() - 1;
        // One product would leave consecutive numbers close together.
        let hash = (hash ^ (hash >> 32)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let tag = hash & 0xffff_ffff_0000_0000;
        let mut at = (hash >> 32) as usize & bits;
        loop {
            let slot = self.slots[at];
            if slot == 0 {
                self.slots[at] = tag | (u64::from(fresh) + 1);
                self.used += 1;
                return (fresh, true);
            }
            if slot & 0xffff_ffff_0000_0000 == tag {
                let number = (slot as u32).wrapping_sub(1);
                if same(number) {
                    return (number, false);
                }
            }
            at = (at + 1) & bits;
        }
    }

    fn grow(&mut self) {
        let bigger = self.slots.len() * 2;
        let old = std::mem::replace(&mut self.slots, vec![0; bigger]);
        for slot in old.into_iter().filter(|&s| s != 0) {
            let mut at = (slot >> 32) as usize & (bigger - 1);
            while self.slots[at] != 0 {
                at = (at + 1) & (bigger - 1);
            }
            self.slots[at] = slot;
        }
    }
}

/// Distinct values by number.
#[derive(Debug)]
pub struct Numbered<T> {
    list: Vec<T>,
    numbers: FastMap<T, u32>,
}

impl<T> Default for Numbered<T> {
    fn default() -> Self {
        Numbered { list: Vec::new(), numbers: FastMap::default() }
    }
}

impl<T: Clone + Eq + std::hash::Hash> Numbered<T> {
    /// The number of a value; a new one if it has none.
    pub fn number(&mut self, thing: T) -> u32 {
        if let Some(&known) = self.numbers.get(&thing) {
            return known;
        }
        let fresh = self.list.len() as u32;
        self.list.push(thing.clone());
        self.numbers.insert(thing, fresh);
        fresh
    }

    /// The value with a number.
    pub fn get(&self, number: u32) -> &T {
        &self.list[number as usize]
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.list.clear();
        self.numbers.clear();
    }
}

/// Results by their inputs. A key must hold everything that the result depends on. This can be checked: then a
/// remembered result is computed again when it is first requested in each proof, and both must be equal.
#[derive(Debug)]
pub struct Memo<K, V> {
    known: FastMap<K, V>,
    /// Keys whose results have been computed again in this proof, if that is checked.
    checked: Option<FastSet<K>>,
}

impl<K, V> Default for Memo<K, V> {
    fn default() -> Self {
        Memo { known: FastMap::default(), checked: None }
    }
}

impl<K: Copy + Eq + std::hash::Hash + std::fmt::Debug, V: Copy + PartialEq + std::fmt::Debug> Memo<K, V> {
    /// The remembered result; `None` if it must be computed again.
    #[inline]
    pub fn get(&mut self, key: &K) -> Option<V> {
        let known = self.known.get(key).copied()?;
        if let Some(checked) = &mut self.checked
            && checked.insert(*key)
        {
            return None;
        }
        Some(known)
    }

    /// Remembers a result.
    ///
    /// # Panics
    /// If a different one was remembered under the same key, and that is checked.
    #[inline]
    pub fn insert(&mut self, key: K, value: V) {
        let before = self.known.insert(key, value);
        if self.checked.is_some()
            && let Some(before) = before
        {
            let name = std::any::type_name::<Self>();
            assert_eq!(before, value, "{name}: {key:?} is remembered as another result");
        }
    }

    /// Remembers a result that may be written in several ways. Returns a different earlier result under the same key if
    /// that is checked; the caller must verify that both are equal.
    #[inline]
    pub(crate) fn insert_alike(&mut self, key: K, value: V) -> Option<V> {
        match &self.checked {
            None => {
                self.known.insert(key, value);
                None
            }
            Some(_) => Some(*self.known.entry(key).or_insert(value)).filter(|before| *before != value),
        }
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.known.clear();
        self.check_again();
    }

    /// The number of remembered results.
    pub fn count(&self) -> usize {
        self.known.len()
    }

    /// True if results are computed again and compared.
    pub(crate) fn is_checked(&self) -> bool {
        self.checked.is_some()
    }

    /// Makes results be computed again from now on.
    pub fn check(&mut self) {
        self.checked = Some(FastSet::default());
    }

    /// [`Memo::check`] at the beginning, then [`Memo::check_again`].
    pub(crate) fn check_if(&mut self, begin: bool) {
        match begin {
            true => self.check(),
            false => self.check_again(),
        }
    }

    /// Begins another proof, in which results are computed again.
    pub(crate) fn check_again(&mut self) {
        if let Some(checked) = &mut self.checked {
            checked.clear();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_checked_is_made_anew_once_a_proof() {
        let mut memo = Memo::<u32, u32>::default();
        memo.insert(1, 10);
        assert_eq!((memo.get(&1), memo.get(&2)), (Some(10), None));
        memo.check();
        assert_eq!((memo.get(&1), memo.get(&1)), (None, Some(10)));
        memo.insert(1, 10);
        memo.check_again();
        assert_eq!((memo.get(&1), memo.get(&1)), (None, Some(10)));
        assert_eq!((memo.insert_alike(1, 11), memo.get(&1)), (Some(10), Some(10)));
    }

    #[test]
    #[should_panic(expected = "remembered as another result")]
    fn a_key_that_holds_too_little_is_found() {
        let mut memo = Memo::<u32, u32>::default();
        memo.check();
        memo.insert(1, 10);
        memo.insert(1, 11);
    }
}
