//! A table from contents to small numbers: the hash-consing behind lanes, atoms and byte forms.
//! Open addressing, one cache line a look-up as a rule, emptied without giving memory back.

/// Mixes a word into a hash (the multiply-rotate hash of Firefox and rustc).
#[inline]
pub fn mix(hash: u64, word: u64) -> u64 {
    (hash.rotate_left(5) ^ word).wrapping_mul(0x517c_c1b7_2722_0a95)
}

/// A map of small keys.
pub type FastMap<K, V> = rustc_hash::FxHashMap<K, V>;

/// Numbers found by their hash; the contents lie with the caller.
pub struct Table {
    /// High half: the hash's high half; low half: the number plus one. Zero is free.
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
    pub fn find_or_insert(
        &mut self,
        hash: u64,
        fresh: u32,
        mut same: impl FnMut(u32) -> bool,
    ) -> (u32, bool) {
        if self.used * 2 >= self.slots.len() {
            self.grow();
        }
        let bits = self.slots.len() - 1;
        // One product leaves numbers that follow each other close together.
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
