//! Coverage over all paths of a proof: the executed instructions, and the bytes of the kernel's constants and of the
//! key structure that are read. Other code and data are dead: they use cache, and a key set-up that fills them takes
//! time.

use std::ops::Range;

use aesmith_cipher::contract::{TABLE_BYTES, TABLE_OFFSET};
use aesmith_isa::instructions::{Instructions, Role};
use aesmith_isa::lanes::Domain;

/// Code and data that some path executes or reads, as ascending ranges that do not touch. An over-approximation: a
/// proof follows all paths that its facts about lengths and counters do not exclude.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Coverage {
    /// Bytes of the kernel that are executed.
    pub executed: Vec<Range<usize>>,
    /// Bytes of the kernel that are read as constants.
    pub constants: Vec<Range<usize>>,
    /// Bytes of the key structure that are read and were not written by the kernel itself.
    pub key: Vec<Range<usize>>,
}

impl Coverage {
    /// Number of bytes of the key structure that are read.
    pub fn key_bytes(&self) -> usize {
        self.key.iter().map(Range::len).sum()
    }

    /// True if the key's table is read: bytes of the key structure behind the round keys.
    pub fn reads_table(&self) -> bool {
        let table = TABLE_OFFSET..TABLE_OFFSET + TABLE_BYTES;
        self.key.iter().any(|bytes| bytes.start < table.end && bytes.end > table.start)
    }

    /// The instructions in `code`, ranges of a kernel's bytes that hold instructions and no constants, that no path
    /// executes. Padding between instructions is excluded.
    pub fn unreached<D: Domain>(
        &self,
        processor: &mut dyn Instructions<D>,
        kernel: &[u8],
        code: &[Range<usize>],
    ) -> Vec<Range<usize>> {
        let gaps = code.iter().flat_map(|range| self.gaps(range.clone()));
        gaps.filter_map(|gap| without_padding(processor, kernel, gap)).collect()
    }

    /// The parts of a range that are not executed.
    fn gaps(&self, within: Range<usize>) -> Vec<Range<usize>> {
        let mut gaps = Vec::new();
        let mut from = within.start;
        for executed in self.executed.iter().filter(|e| e.end > within.start && e.start < within.end) {
            if from < executed.start {
                gaps.push(from..executed.start);
            }
            from = executed.end;
        }
        if from < within.end {
            gaps.push(from..within.end);
        }
        gaps
    }
}

/// The part of a range from the first to the last instruction that is not padding; `None` if all is padding.
fn without_padding<D: Domain>(
    processor: &mut dyn Instructions<D>,
    kernel: &[u8],
    range: Range<usize>,
) -> Option<Range<usize>> {
    let mut found: Option<Range<usize>> = None;
    processor.clear();
    processor.decode(&kernel[..range.end], range.start as u64, &mut |i| {
        if i.role != Role::Padding {
            let start = found.as_ref().map_or(i.offset as usize, |f| f.start);
            found = Some(start..i.end as usize);
        }
        true
    });
    found
}

/// A set of bytes by their offsets.
#[derive(Clone, Debug, Default)]
pub struct ByteSet {
    words: Vec<u64>,
}

impl ByteSet {
    /// Makes the set empty.
    pub fn clear(&mut self) {
        self.words.clear();
    }

    /// Adds `count` bytes from `from` on.
    pub fn insert(&mut self, from: usize, count: usize) {
        let end = from + count;
        if self.words.len() * 64 < end {
            self.words.resize(end.div_ceil(64), 0);
        }
        let mut at = from;
        while at < end {
            let here = (64 - at % 64).min(end - at);
            self.words[at / 64] |= (u64::MAX >> (64 - here)) << (at % 64);
            at += here;
        }
    }

    /// The set as ascending ranges that do not touch.
    pub fn ranges(&self) -> Vec<Range<usize>> {
        let mut ranges: Vec<Range<usize>> = Vec::new();
        for (i, &word) in self.words.iter().enumerate() {
            let mut rest = word;
            while rest != 0 {
                let from = rest.trailing_zeros();
                let count = (rest >> from).trailing_ones();
                let start = 64 * i + from as usize;
                match ranges.last_mut() {
                    Some(last) if last.end == start => last.end = start + count as usize,
                    _ => ranges.push(start..start + count as usize),
                }
                let done = u64::MAX.checked_shr(64 - from - count).unwrap_or(0);
                rest &= !done;
            }
        }
        ranges
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(range: Range<usize>) -> Vec<Range<usize>> {
        Vec::from_iter([range])
    }

    #[test]
    fn bytes_that_touch_are_one_range() {
        let mut set = ByteSet::default();
        for (from, count) in [(60, 8), (0, 1), (68, 60), (200, 56), (255, 2), (300, 64)] {
            set.insert(from, count);
        }
        assert_eq!(set.ranges(), [0..1, 60..128, 200..257, 300..364]);
        set.clear();
        set.insert(64, 64);
        assert_eq!(set.ranges(), one(64..128));
    }
}
