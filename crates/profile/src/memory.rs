//! Cycles that memory adds to a core's own cycles.
//!
//! | memory | fetches | loads | stores |
//! |---|---|---|---|
//! | local | 0 | 0 | 0 |
//! | cached | the time of a line on a miss | the same | 0: buffered write-through, no line is allocated |
//! | external | the time of a word each | the same | the same |
//!
//! The caches are the defaults of UG984 ("MicroBlaze Core Configurability"): 8 KiB for instructions and 8 KiB for data,
//! direct mapped, lines of four words, write-through. They are empty at the start. The latency of external memory is a
//! property of the board, not of the processor: [`FIRST`] and [`NEXT`] are assumed.

use serde::Serialize;

/// Cycles until the first word comes from external memory. Assumed.
pub const FIRST: u64 = 20;
/// Cycles for each further word of a line. Assumed.
pub const NEXT: u64 = 1;
/// Bytes of a cache: C_CACHE_BYTE_SIZE and C_DCACHE_BYTE_SIZE.
const SIZE: u64 = 8192;
/// Bytes of a cache line of four words: C_ICACHE_LINE_LEN and C_DCACHE_LINE_LEN.
const LINE: u64 = 16;

/// The memory of program and data.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Memory {
    /// In memory that answers in one cycle.
    Local,
    /// In external memory behind caches.
    Cached,
    /// In external memory without caches.
    External,
}

impl Memory {
    /// All three memories.
    pub const ALL: [Memory; 3] = [Memory::Local, Memory::Cached, Memory::External];

    /// The memory's name in tables.
    pub fn name(self) -> &'static str {
        match self {
            Memory::Local => "local",
            Memory::Cached => "cached",
            Memory::External => "external",
        }
    }
}

/// The tags of a direct-mapped cache: the line that each place holds.
struct Cache(Vec<Option<u64>>);

impl Cache {
    fn empty() -> Cache {
        Cache(vec![None; (SIZE / LINE) as usize])
    }

    /// True if `line` is cached. Afterwards it is.
    fn holds(&mut self, line: u64) -> bool {
        let places = self.0.len() as u64;
        self.0[(line % places) as usize].replace(line) == Some(line)
    }
}

/// The state of a memory: which lines its caches hold.
pub struct Accesses {
    memory: Memory,
    instructions: Cache,
    data: Cache,
}

impl Accesses {
    /// The state at the start: empty caches.
    pub fn new(memory: Memory) -> Accesses {
        Accesses { memory, instructions: Cache::empty(), data: Cache::empty() }
    }

    /// Cycles that an instruction's fetch and its data access (address, bytes, true for a write) add.
    pub fn added(&mut self, pc: u64, bytes: u8, access: Option<(u64, u8, bool)>) -> u64 {
        let words = || (pc / 4..(pc + u64::from(bytes)).div_ceil(4)).map(|word| 4 * word);
        match self.memory {
            Memory::Local => 0,
            Memory::External => (words().count() as u64 + u64::from(access.is_some())) * FIRST,
            Memory::Cached => {
                let missed = words().filter(|word| !self.instructions.holds(word / LINE)).count() as u64;
                let loaded = access.filter(|&(_, _, write)| !write);
                let missed = missed + loaded.map_or(0, |(at, _, _)| u64::from(!self.data.holds(at / LINE)));
                missed * (FIRST + (LINE / 4 - 1) * NEXT)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_fetched_once_and_evicted_by_others() {
        let line = FIRST + 3 * NEXT;
        let mut cached = Accesses::new(Memory::Cached);
        let mut fetch = |pc, bytes| cached.added(pc, bytes, None);
        assert_eq!([fetch(0, 4), fetch(4, 4), fetch(12, 8), fetch(16, 4)], [line, 0, line, 0]);
        assert_eq!([fetch(8192, 4), fetch(0, 4)], [line, line], "the same place");
        let mut data = |at, write| cached.added(0, 4, Some((at, 4, write)));
        assert_eq!([data(64, true), data(64, false), data(68, false), data(64, true)], [0, line, 0, 0]);
        assert_eq!(Accesses::new(Memory::External).added(0, 8, Some((64, 4, true))), 3 * FIRST);
        assert_eq!(Accesses::new(Memory::Local).added(0, 8, Some((64, 4, true))), 0);
    }
}
