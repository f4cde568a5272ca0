//! Stores to the output, the IV and the key structure, compared with the specification at once.

use aesmith_cipher::Direction;
use aesmith_cipher::mode::{KeyPart, Unit};

use super::{Place, byte_mask};
use crate::lanes::forms::Form;
use crate::lanes::rename::Window;
use crate::lanes::scalar::{Base, Word};
use crate::lanes::state::{MOST_AHEAD, Slot};
use crate::lanes::symbolic::{Stop, Symbolic, refuse};
use crate::lanes::terms::{Index, Lane};

impl Symbolic {
    /// Stores 16 bytes.
    pub(crate) fn store_lane(&mut self, at: Place, lane: Lane) -> Result<(), Stop> {
        match at.base {
            Base::Output if at.offset % 16 == 0 => self.store_block(at, lane),
            Base::Iv if at.offset == 0 => {
                self.path.iv[at.stream as usize] = lane;
                Ok(())
            }
            Base::Iv if at.offset == 16 && self.mode.hashed().is_some() => {
                self.path.hash = lane;
                Ok(())
            }
            Base::Frame | Base::AlignedFrame if at.offset % 8 == 0 => {
                let (low, high) = (self.half(lane, false), self.half(lane, true));
                self.store_to_slot(at, 8, low)?;
                self.store_to_slot(at.plus(8), 8, high)
            }
            Base::Key if self.is_setup() => {
                let (low, high) = (self.half(lane, false), self.half(lane, true));
                self.store_to_slot(at, 8, low)?;
                self.store_to_slot(at.plus(8), 8, high)
            }
            Base::Output => refuse("it stores a vector to the output that begins inside a block"),
            _ => refuse(format!("it writes {}", at.base.name())),
        }
    }

    pub(super) fn store_block(&mut self, at: Place, lane: Lane) -> Result<(), Stop> {
        let (stream, block) = (at.stream, at.offset / 16);
        if at.offset < 0 || !self.within(stream, at.offset + 16) {
            return refuse(format!(
                "it may write outside of the output: block {block} from those processed so far, where {}",
                self.remaining_text(stream)
            ));
        }
        self.holds(stream, block, lane)?;
        if !self.path.written[stream as usize].mark_block(block) {
            return refuse(format!(
                "it stores output block {block} more than {MOST_AHEAD} blocks ahead of the others"
            ));
        }
        Ok(())
    }

    /// Refuses blocks far ahead of the written ones: they are not tracked, and the specification of chained blocks
    /// nests as deep as their number.
    pub(super) fn is_near(&self, stream: u8, block: i64) -> Result<(), Stop> {
        const MOST_CHAINED: i64 = 64;
        let most = if self.mode.is_serial() { MOST_CHAINED } else { MOST_AHEAD };
        if block - self.path.written[stream as usize].blocks <= most {
            return Ok(());
        }
        refuse(format!("it stores output block {block} more than {most} blocks ahead of the others"))
    }

    /// The specification's output block. One that is too far on to have a form is refused: an unknown block is not equal to it.
    fn specified(&mut self, stream: u8, block: i64) -> Result<Lane, Stop> {
        match self.output(stream, block as i32) {
            unknown if unknown.is_unknown() => refuse(format!(
                "output block {block} is too far from the last head of a loop to be specified"
            )),
            known => Ok(known),
        }
    }

    /// Reads an output block that this path has written: it is the specification's, with which it was compared.
    pub(super) fn read_output(&mut self, stream: u8, block: i64) -> Result<Lane, Stop> {
        if !self.path.written[stream as usize].has(block) {
            return refuse(format!("it reads output block {block}, which it has not written"));
        }
        self.specified(stream, block)
    }

    /// Compares a lane with the specification's output block.
    pub(super) fn holds(&mut self, stream: u8, block: i64, lane: Lane) -> Result<(), Stop> {
        self.is_near(stream, block)?;
        let expected = self.specified(stream, block)?;
        if lane == expected
            || self.terms.has_cones(lane) && self.terms.same_anywhere(lane, expected)
            || self.is_block_in_window(lane, expected, block)
            || self.same_lane(lane, expected)
        {
            return Ok(());
        }
        let mut text = format!(
            "output block {block}{} is {}, not {}",
            if stream > 0 { format!(" of stream {stream}") } else { String::new() },
            self.terms.describe(lane, 20),
            self.terms.describe(expected, 20)
        );
        if let Some((ip, why)) = self.blur {
            text.push_str(&format!(" (first inexact value: at {ip:#x}, {why})"));
        }
        refuse(text)
    }

    /// True if a lane is the output block, made of bytes that counters share.
    pub(super) fn is_block_in_window(&mut self, lane: Lane, expected: Lane, block: i64) -> bool {
        if !self.mode.counts() || lane.is_unknown() {
            return false;
        }
        let coarse = self.terms.coarse(lane);
        if coarse == expected || self.absorbed(coarse) == expected {
            return true;
        }
        if !self.terms.holds_bytes(coarse) {
            return false;
        }
        let window = self.window_of(block as i32);
        self.terms.lane_in_window(coarse, window) == expected
    }

    /// Stores a scalar's low bytes.
    pub(crate) fn store_scalar(&mut self, at: Place, size: i64, word: Word) -> Result<(), Stop> {
        match at.base {
            Base::Frame | Base::AlignedFrame => self.store_to_slot(at, size, word),
            Base::Key if self.is_setup() => self.store_to_slot(at, size, word),
            Base::Iv => {
                self.in_object(at, size, 16, "it writes")?;
                let old = self.path.iv[at.stream as usize];
                if size != 8 || at.offset % 8 != 0 || old.is_unknown() {
                    self.path.iv[at.stream as usize] = self.with_bytes(old, at.offset, size, word)?;
                    return Ok(());
                }
                let lane = if at.offset == 0 {
                    let high = self.half(old, true);
                    self.pair(word, high)
                } else {
                    let low = self.half(old, false);
                    self.pair(low, word)
                };
                self.path.iv[at.stream as usize] = lane;
                Ok(())
            }
            Base::Output => self.store_output_bytes(at, size, word),
            _ => refuse(format!("it writes {}", at.base.name())),
        }
    }

    /// The bytes that counters share with the counter of a block.
    pub(super) fn window_of(&self, sought: i32) -> Window {
        let shares = |i: i32| {
            let (held, sought) = (Index::At(sought - 64 + i), Index::At(sought));
            self.path.same_high_half(held, sought, sought)
        };
        let high = (0..128).fold(0, |mask, i| mask | u128::from(shares(i)) << i);
        Window { sought: Some(sought), high, ..Window::still(self.path.low_byte) }
    }

    /// True if bytes for a block are equal because counters share all bytes but the last, or their high halves.
    pub(super) fn same_by_counters(&mut self, a: Form, b: Form, block: i64) -> bool {
        if !self.mode.counts() {
            return self.same_by_schedule(a, b, None);
        }
        let window = Some(self.window_of(block as i32));
        if self.window_memo.window != window {
            self.window_memo.clear();
            self.window_memo.window = window;
        }
        self.terms.same_byte_in_window(a, b, &mut self.window_memo) || self.same_by_schedule(a, b, window)
    }

    /// True if bytes are equal because round keys are sums of others.
    pub(super) fn same_by_schedule(&mut self, a: Form, b: Form, window: Option<Window>) -> bool {
        let schedule = Some(self.schedule());
        let memo = &mut self.schedule_memo;
        if (memo.window, memo.schedule) != (window, schedule) {
            memo.clear();
            (memo.window, memo.schedule) = (window, schedule);
        }
        self.terms.same_byte_in_window(a, b, &mut self.schedule_memo)
    }

    /// A lane with some of its bytes replaced.
    pub(super) fn with_bytes(
        &mut self,
        lane: Lane,
        offset: i64,
        size: i64,
        word: Word,
    ) -> Result<Lane, Stop> {
        let Some(new) = self.word_bytes(word) else { return Ok(Lane::UNKNOWN) };
        let mut bytes = match self.terms.bytes(lane) {
            Some(bytes) => bytes,
            None => {
                self.keeps_stale = true;
                [self.terms.stale(self.terms.is_secret(lane)); 16]
            }
        };
        let (from, count) = (offset as usize, size as usize);
        bytes[from..from + count].copy_from_slice(&new[..count]);
        Ok(self.terms.lane_of_bytes(bytes))
    }

    pub(super) fn store_output_bytes(&mut self, at: Place, size: i64, word: Word) -> Result<(), Stop> {
        let (stream, block, from) = (at.stream, at.offset.div_euclid(16), at.offset.rem_euclid(16));
        if at.offset < 0 || !self.within(stream, at.offset + size) {
            return refuse(format!(
                "it may write outside of the output: bytes {} to {} from those processed so far, where {}",
                at.offset,
                at.offset + size,
                self.remaining_text(stream)
            ));
        }
        // Only counter mode has partial blocks.
        if self.mode.unit == Unit::Block && self.path.facts.lengths[stream as usize].blocks.low <= block {
            return refuse("it writes a part of a block beyond the last whole one");
        }
        if from + size > 16 {
            return refuse("it stores a scalar across two output blocks");
        }
        self.is_near(stream, block)?;
        let expected = self.specified(stream, block)?;
        let Some(bytes) = self.word_bytes(word) else {
            return refuse("it stores a scalar to the output that is not known");
        };
        for (i, &byte) in bytes.iter().enumerate().take(size as usize) {
            let expected = self.terms.byte(expected, from as usize + i).expect("the specification is known");
            if !self.terms.same_byte(byte, expected) && !self.same_by_counters(byte, expected, block) {
                return refuse(format!(
                    "byte {} of output block {block} is not what it should be",
                    from as usize + i
                ));
            }
        }
        if !self.path.written[stream as usize].mark_bytes(block, byte_mask(from, size)) {
            return refuse("it stores parts of two output blocks before either is full");
        }
        Ok(())
    }

    /// Checks what a key set-up must have written.
    pub(crate) fn check_setup(&mut self) -> Result<(), Stop> {
        let direction = self.mode.direction;
        let (what, expected) = match (self.mode.writes, direction) {
            (Some(KeyPart::HashTable), _) => ("entry of the hash key", self.hash_entries()),
            (Some(KeyPart::CounterTable), _) => {
                let entries: Vec<_> = (0..=255).map(|v| self.table_entry(v)).collect();
                ("table entry", self.lanes_of(entries))
            }
            (_, Direction::Encrypt) => {
                let keys = self.round_keys(direction);
                ("round key", self.lanes_of(keys))
            }
            (_, Direction::Decrypt) => {
                let keys = self.round_keys(direction);
                ("inverse round key", self.lanes_of(keys))
            }
        };
        let first = self.problem.written_key().start as i64;
        for (i, expected) in expected.into_iter().enumerate() {
            let at = Place { base: Base::Key, stream: 0, offset: first + 16 * i as i64 };
            let written = |slot| matches!(slot, Slot::Holds(_));
            if !written(self.slot(at)?) || !written(self.slot(at.plus(8))?) {
                return refuse(format!("{what} {i} is not written"));
            }
            let lane = self.load_stored(at)?;
            let lane = self.named(lane).unwrap_or(lane);
            if !self.terms.same(lane, expected) {
                return refuse(format!("{what} {i} is wrong: {}", self.terms.describe(lane, 2)));
            }
        }
        Ok(())
    }

    fn lanes_of(&mut self, blocks: Vec<[Form; 16]>) -> Vec<Lane> {
        blocks.into_iter().map(|bytes| self.terms.lane_of_bytes(bytes)).collect()
    }

    pub(super) fn load_stored(&mut self, at: Place) -> Result<Lane, Stop> {
        let (low, high) = (self.load_slot(at)?, self.load_slot(at.plus(8))?);
        Ok(self.pair(low, high))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A block that the specification does not know, and one that the kernel does not, are not equal.
    #[test]
    fn an_unknown_block_is_no_output() {
        let mut symbolic = Symbolic::new("aes128-xts".parse().unwrap(), &crate::TOY);
        symbolic.begin("aes128-xts".parse().unwrap(), &[]);
        symbolic.path.written[0].blocks = 1020;
        for lane in [Lane::UNKNOWN, Lane::PUBLIC] {
            for block in [1023, 1024, 1025, 1040] {
                assert!(symbolic.holds(0, block, lane).is_err(), "{block}");
            }
        }
        let known = symbolic.output(0, 1024);
        assert!(symbolic.holds(0, 1024, known).is_ok());
        assert!(symbolic.output(0, 1025).is_unknown());
        let at = Place { base: Base::Output, stream: 0, offset: 16 * 1025 };
        assert!(symbolic.store_output_bytes(at, 8, Word::Unknown).is_err());
    }
}
