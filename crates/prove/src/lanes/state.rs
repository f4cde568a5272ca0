//! State of a path through a kernel besides its registers: memory that the kernel may write, progress of the output,
//! and facts about lengths, alignments and the counter.

use std::rc::Rc;

use aesmith_cipher::problem::{MOST_STREAMS, StreamSet};
use aesmith_isa::convention::Convention;

use crate::lanes::scalar::{Base, Facts, Length, Word};
use crate::lanes::tables::KnownTable;
use crate::lanes::terms::{Index, Lane};

/// Eight bytes of the stack or of a key structure being written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Slot {
    /// Never written by the kernel.
    Untouched,
    /// Its value.
    Holds(Word),
    /// Written on some paths only: it may not be read.
    Perhaps {
        /// True if it may hold a secret.
        secret: bool,
    },
}

/// Memory in eight-byte slots, shared between paths until one writes.
#[derive(Clone, Debug, Default)]
pub struct Slots(Rc<Vec<Slot>>);

impl Slots {
    /// The slot, untouched if never written.
    pub fn get(&self, index: usize) -> Slot {
        self.0.get(index).copied().unwrap_or(Slot::Untouched)
    }

    /// Writes a slot.
    pub fn set(&mut self, index: usize, value: Slot) {
        let slots = Rc::make_mut(&mut self.0);
        if slots.len() <= index {
            slots.resize(index + 1, Slot::Untouched);
        }
        slots[index] = value;
    }

    /// Forgets all slots but the first `kept`.
    pub fn truncate(&mut self, kept: usize) {
        if kept < self.0.len() {
            self.0 = Rc::new(self.0[..kept].to_vec());
        }
    }

    /// The number of slots up to the last written one.
    pub fn count(&self) -> usize {
        self.0.len()
    }
}

/// The most blocks ahead of the first unwritten one that are tracked: those of the largest group.
pub(crate) const MOST_AHEAD: i64 = 128;

/// The progress of a stream's output, counted from the bytes processed so far.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Written {
    /// All blocks below this one are written.
    pub blocks: i64,
    /// Bit `i` is set if block `blocks + 1 + i` is written.
    pub ahead: u128,
    /// Mask of the written bytes of block `blocks`.
    pub bytes: u16,
    /// True if everything up to the length is written.
    pub to_end: bool,
}

impl Written {
    /// Marks a whole block as written; false if it is too far ahead to be tracked.
    pub(crate) fn mark_block(&mut self, block: i64) -> bool {
        if block == self.blocks {
            self.bytes = 0;
            self.blocks += 1;
            while self.ahead & 1 == 1 {
                self.ahead >>= 1;
                self.blocks += 1;
            }
            self.ahead >>= 1;
            true
        } else if block > self.blocks {
            let bit = block - self.blocks - 1;
            if bit < MOST_AHEAD {
                self.ahead |= 1 << bit;
            }
            bit < MOST_AHEAD
        } else {
            true
        }
    }

    /// Marks some bytes of a block as written; false if another block is begun and not full.
    pub(crate) fn mark_bytes(&mut self, block: i64, mask: u16) -> bool {
        if mask == u16::MAX {
            return self.mark_block(block);
        }
        if block < self.blocks {
            return true;
        }
        if block > self.blocks {
            return false;
        }
        self.bytes |= mask;
        if self.bytes == u16::MAX { self.mark_block(block) } else { true }
    }

    /// True if any of these bytes of a block is written.
    pub fn touches(&self, block: i64, mask: u16) -> bool {
        if block < self.blocks || self.to_end {
            return true;
        }
        if block == self.blocks {
            return self.bytes & mask != 0;
        }
        let bit = block - self.blocks - 1;
        bit < MOST_AHEAD && self.ahead >> bit & 1 == 1
    }

    /// True if a whole block is written that is not before those the state is counted from: of these, it is not known that the
    /// output has them.
    pub(crate) fn has(&self, block: i64) -> bool {
        let ahead = block - self.blocks - 1;
        (0..self.blocks).contains(&block) || (0..MOST_AHEAD).contains(&ahead) && self.ahead >> ahead & 1 == 1
    }

    /// The progress counted from `by` blocks further on.
    pub(crate) fn seen_from(self, by: i64) -> Self {
        Written { blocks: self.blocks - by, ..self }
    }
}

/// A known alignment of an address.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Alignment {
    /// The address's base.
    pub base: Base,
    /// Its stream.
    pub stream: u8,
    /// Its offset.
    pub offset: i64,
    /// A power of two in bytes that divides the address.
    pub multiple: i64,
}

/// A fact about the 64-bit carry of the counter.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Carry {
    /// The first counter.
    pub from: i32,
    /// The last counter.
    pub to: Index,
    /// True if the low half overflows between them, false if it does not.
    pub overflows: bool,
}

/// The alignment of the stack pointer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct StackAlignment {
    /// The alignment in bytes.
    pub to: i64,
    /// The frame offset of the pointer before; now it is there, or up to `to` bytes below.
    pub top: i64,
    /// The frame offset from which on bytes were in use; the aligned frame stays below.
    pub floor: i64,
    /// True if the stack pointer has gone back above it.
    pub dead: bool,
}

impl StackAlignment {
    /// Number of bytes above the aligned pointer that are certainly free.
    pub fn room(&self) -> i64 {
        self.floor - self.top
    }
}

/// Facts about the last bytes of counters; each counter is its predecessor plus one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LowByte {
    /// The counter whose last byte is a multiple.
    pub at: i32,
    /// The power of two that divides it.
    pub multiple: i32,
    /// The counter after which no last byte is zero.
    pub since: i32,
    /// The last counter for which this is known.
    pub reach: i32,
    /// The counter of the last query.
    pub asked: i32,
}

impl Default for LowByte {
    fn default() -> Self {
        LowByte { at: 0, multiple: 1, since: 0, reach: 0, asked: 0 }
    }
}

impl LowByte {
    /// True if two counters are known to differ only in the last byte.
    pub(crate) fn same_window(&self, a: i32, b: i32) -> bool {
        let (low, high) = (a.min(b), a.max(b));
        // The byte can only be zero where it is a multiple.
        let first = low + 1 + (self.at - (low + 1)).rem_euclid(self.multiple);
        let last = high - (high - self.at).rem_euclid(self.multiple);
        first > last || (self.since < first && last <= self.reach)
    }

    /// Learns that the last byte of a counter is not zero.
    pub(crate) fn not_zero(&mut self, index: i32) {
        if self.since < index && index <= self.reach {
            return;
        }
        if !self.same_window(self.reach, index - 1) || index < self.reach {
            self.since = index - 1;
        }
        self.reach = index;
    }

    /// Learns that the last byte of a counter is at most this number: none of the counters behind it up to 255 has a last byte
    /// of zero.
    pub(crate) fn at_most(&mut self, index: i32, most: i32) {
        let until = index + 255 - most;
        self.asked = until;
        if self.since <= index && until <= self.reach {
            return;
        }
        let meets =
            if index > self.reach { self.same_window(self.reach, index) } else { self.since <= index };
        if !meets {
            self.since = index;
        }
        self.reach = until;
    }

    /// Learns that the last byte of a counter is a multiple.
    pub fn multiple(&mut self, index: i32, multiple: i32) {
        if multiple >= self.multiple {
            (self.at, self.multiple) = (index, multiple);
        }
        if multiple == 256 {
            (self.since, self.reach) = (index, index);
        }
    }

    /// True if the last byte of a counter is known to be zero, false if known to be nonzero.
    pub fn is_zero(&self, index: i32) -> Option<bool> {
        if self.multiple == 256 && (index - self.at) % 256 == 0 {
            return Some(true);
        }
        self.same_window(index - 1, index).then_some(false)
    }

    /// A common representative of all counters that are known to differ from `index` only in the last byte.
    pub(crate) fn representative(&self, index: i32) -> i32 {
        if self.same_window(index, self.reach) { self.reach } else { index }
    }

    /// True if all facts of `other` are known here.
    pub(crate) fn implies(&self, other: &LowByte) -> bool {
        self.multiple % other.multiple == 0
            && (self.at - other.at).rem_euclid(other.multiple) == 0
            && (other.since >= other.reach
                || (self.window().0 <= other.since && other.reach <= self.window().1))
    }

    /// The window of counters, extended by the multiple: after the first and up to the second, the byte is not zero.
    fn window(&self) -> (i32, i32) {
        let below = self.since - (self.since - self.at).rem_euclid(self.multiple);
        let above = self.reach + self.multiple - (self.reach - self.at).rem_euclid(self.multiple);
        (below, above - 1)
    }

    /// The facts that both know.
    pub fn join(&self, other: &LowByte) -> Self {
        let mut multiple = self.multiple.min(other.multiple);
        while (self.at - other.at) % multiple != 0 {
            multiple /= 2;
        }
        let ((a, b), (c, d)) = (self.window(), other.window());
        let (since, reach) = (a.max(c), b.min(d).min(self.asked));
        LowByte { multiple, since: since.min(reach), reach, ..*self }
    }

    /// The facts counted from `by` blocks further on.
    pub(crate) fn seen_from(self, by: i32) -> Self {
        LowByte {
            at: self.at - by,
            since: self.since - by,
            reach: self.reach - by,
            asked: self.asked - by,
            ..self
        }
    }
}

/// The whole state. It is cloned where paths split.
#[derive(Clone, Debug)]
pub struct Path {
    /// The calling convention.
    pub convention: &'static Convention,
    /// Lengths.
    pub facts: Facts,
    /// The last fact learnt about the counter's carry.
    pub carry: Option<Carry>,
    /// Slot `i` holds the bytes from `-8 (i + 1)` at the entry's stack pointer.
    pub frame: Slots,
    /// Slots below the aligned stack pointer, likewise.
    pub aligned_frame: Slots,
    /// The alignment of the stack pointer, once it was aligned.
    pub alignment: Option<StackAlignment>,
    /// The proved table of two rounds on the stack: base and offset of its start, and its number.
    pub table: Option<(Base, i64, u16)>,
    /// The blocks of tables that were proved, as far as they are known here.
    pub known_tables: Vec<KnownTable>,
    /// Facts about the counter's last byte.
    pub low_byte: LowByte,
    /// The counter from which on all counters of the message share bytes 0 to 10.
    pub upper_fixed: Option<i32>,
    /// The number of blocks that each stream advanced beyond the common advance; `None` if unknown.
    pub apart: [Option<i64>; MOST_STREAMS],
    /// Slot `i` holds the bytes from `8 i` of the key structure that a key set-up writes.
    pub key: Slots,
    /// IV memory of each stream.
    pub iv: [Lane; MOST_STREAMS],
    /// The memory of the value of GHASH.
    pub hash: Lane,
    /// Progress of the output of each stream.
    pub written: [Written; MOST_STREAMS],
    /// Alignments of the caller's addresses.
    pub aligned: Vec<Alignment>,
    /// True if no blocks were processed by all streams alike yet.
    pub at_start: bool,
    /// Streams whose message is known to have a byte, from what was processed of it.
    pub begun: StreamSet,
}

impl Path {
    /// The state at entry, with this many streams.
    pub fn new(streams: usize, iv: [Lane; MOST_STREAMS], convention: &'static Convention) -> Self {
        Path {
            convention,
            facts: Facts { lengths: (0..streams).map(|s| Length::any(1 << s)).collect() },
            carry: None,
            frame: Slots::default(),
            aligned_frame: Slots::default(),
            alignment: None,
            table: None,
            known_tables: Vec::new(),
            low_byte: LowByte::default(),
            upper_fixed: None,
            apart: [Some(0); MOST_STREAMS],
            key: Slots::default(),
            iv,
            hash: Lane::ZERO,
            written: [Written::default(); MOST_STREAMS],
            aligned: Vec::new(),
            at_start: true,
            begun: 0,
        }
    }

    /// Streams whose message has a byte: some was processed, or remains.
    pub fn nonempty(&self) -> StreamSet {
        let remaining = self.facts.lengths.iter().filter(|length| length.bytes.low > 0);
        remaining.fold(self.begun, |all, length| all | length.streams)
    }

    /// An upper bound of the stack use in bytes.
    pub fn depth(&self) -> usize {
        self.frame.count() * 8 + self.alignment.map_or(0, |a| a.to as usize) + self.aligned_frame.count() * 8
    }

    /// True if the address is known to be a multiple of `multiple`.
    pub(crate) fn is_aligned(&self, base: Base, stream: u8, offset: i64, multiple: i64) -> bool {
        match base {
            Base::AlignedFrame => {
                self.alignment.is_some_and(|a| a.to % multiple == 0) && offset % multiple == 0
            }
            Base::Frame => {
                let arguments = i64::from(self.convention.stack_arguments);
                multiple <= i64::from(self.convention.alignment)
                    && (offset - arguments).rem_euclid(multiple) == 0
            }
            // The loader guarantees the alignment of the pool: kernels begin at a multiple of 64.
            Base::Code => multiple <= 64 && offset % multiple == 0,
            _ => self.aligned.iter().any(|a| {
                a.base == base
                    && a.stream == stream
                    && a.multiple % multiple == 0
                    && (offset - a.offset).rem_euclid(multiple) == 0
            }),
        }
    }

    /// True if the low half is known not to overflow between these counters, as far as they are counters of the
    /// message.
    ///
    /// A lane or half that is called counter `i` certainly has its low half; it has its high half if `i` is not beyond
    /// the end. No more is needed: a counter beyond the end is neither used for a block of the output nor stored as the
    /// next one. A conclusion for counter `i` must therefore follow from counters that are not beyond `i`, or that are
    /// certainly not beyond the end.
    pub(crate) fn no_overflow(&self, from: i32, to: Index) -> bool {
        self.carry.is_some_and(|known| {
            !known.overflows
                && known.from <= from
                && match (to, known.to) {
                    (Index::At(to), Index::At(limit)) => known.from <= to && to <= limit,
                    (Index::At(to), Index::End(beyond)) => known.from <= to && beyond >= 0,
                    (Index::End(to), Index::End(limit)) => to <= limit,
                    (Index::End(_), Index::At(_)) => false,
                }
        })
    }

    /// Like [`Path::no_overflow`], but also for counters that may not be in the message.
    pub(crate) fn surely_no_overflow(&self, from: i32, to: Index) -> bool {
        self.no_overflow(from, to)
            && match (to, self.carry.map(|known| known.to)) {
                (Index::At(to), Some(Index::End(beyond))) => {
                    i64::from(to) <= self.facts.counters() + i64::from(beyond)
                }
                _ => true,
            }
    }

    /// True if the high half of counter `held` is also that of counter `sought`, for a conclusion about counter
    /// `concluded`.
    pub(crate) fn same_high_half(&self, held: Index, sought: Index, concluded: Index) -> bool {
        let Some(known) = self.carry else { return false };
        let covered = |i: Index| match i {
            Index::At(from) => self.no_overflow(from, i),
            Index::End(_) => self.no_overflow(known.from, i),
        };
        let not_beyond = |i: Index| match (i, concluded) {
            (Index::At(i), Index::At(concluded)) if i <= concluded => true,
            _ => self.surely_no_overflow(known.from, i),
        };
        covered(held) && covered(sought) && not_beyond(held) && not_beyond(sought)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_accounted_in_any_order() {
        let mut written = Written::default();
        assert!(written.mark_block(2));
        assert!(written.mark_block(1));
        assert!(written.touches(1, 1) && !written.touches(0, u16::MAX));
        assert_eq!(
            [-1, 0, 1, 2, 3, 200].map(|block| written.has(block)),
            [false, false, true, true, false, false]
        );
        assert!(written.mark_bytes(0, 0x0fff) && written.blocks == 0);
        assert!(written.mark_bytes(0, 0xf000));
        assert_eq!(written, Written { blocks: 3, ..Written::default() });
        assert!(!written.mark_block(200));
    }

    /// Facts from comparisons of the last byte meet where they adjoin, and never reach further than they say.
    #[test]
    fn a_comparison_tells_how_many_counters_share_the_other_bytes() {
        let mut known = LowByte::default();
        known.at_most(0, 224);
        assert!(known.same_window(0, 31) && !known.same_window(0, 32) && !known.same_window(-1, 0));
        // The next counter's last byte may be zero.
        let mut next = known;
        next.at_most(32, 224);
        assert!(next.same_window(32, 63) && !next.same_window(31, 32) && !next.same_window(32, 64));
        // It is not.
        known.not_zero(32);
        known.at_most(32, 224);
        assert!(known.same_window(0, 63) && !known.same_window(0, 64));
        // What is known already is not forgotten.
        known.at_most(40, 250);
        assert!(known.same_window(0, 63) && !known.same_window(0, 64));
        known.at_most(100, 100);
        assert!(known.same_window(100, 255) && !known.same_window(99, 100) && !known.same_window(0, 1));
        for byte in 0..=255u32 {
            for most in byte..=255 {
                let mut known = LowByte::default();
                known.at_most(0, most as i32);
                let shares = |by: u32| byte + by < 256;
                assert!((0..300).all(|by| !known.same_window(0, by as i32) || shares(by)), "{byte} {most}");
            }
        }
    }

    /// Counters beyond the end may have overflowed, so nothing may be concluded from them.
    #[test]
    fn nothing_follows_from_counters_beyond_the_end() {
        let mut path = Path::new(1, [Lane::ZERO; MOST_STREAMS], &crate::TOY);
        path.carry = Some(Carry { from: 0, to: Index::End(0), overflows: false });
        let (one, two) = (Index::At(1), Index::At(2));
        // One more block may have another high half; the block before has the high half of a later block.
        assert!(path.same_high_half(one, two, two));
        assert!(!path.same_high_half(two, one, one));
        assert!(!path.surely_no_overflow(0, one));
        // With 17 bytes left, two counters are used.
        path.facts.lengths[0].bytes.low = 17;
        assert!(path.same_high_half(two, one, one));
        assert!(path.surely_no_overflow(0, two));
        assert!(!path.surely_no_overflow(0, Index::At(3)));
        assert!(path.surely_no_overflow(0, Index::End(0)));
        assert!(!path.no_overflow(0, Index::End(1)));
    }
}
