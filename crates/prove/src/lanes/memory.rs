//! Loads and stores: every address must lie in an object of the contract, inside its bounds for
//! every length that the path allows; every block stored to the output is at once held against
//! the specification.

use std::ops::Range;

use aesmith_cipher::Direction;
use aesmith_cipher::mode::{KeyPart, Unit};

use aesmith_isa::lanes::Width;

use crate::lanes::forms::Form;
use crate::lanes::rename::Window;
use crate::lanes::scalar::{Base, Linear, Word};
use crate::lanes::schedule::Schedule;
use crate::lanes::state::{MOST_AHEAD, Slot, StackAlignment};
use crate::lanes::symbolic::{Mask, Stop, Symbolic, refuse};
use crate::lanes::terms::{Atom, Index, Lane};

/// Stack that a kernel may use.
const MOST_FRAME: i64 = 1 << 16;
/// Places are counted in 32 bits of blocks.
const FARTHEST: u64 = 1 << 34;

/// A place in an object.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Place {
    /// The object ...
    pub base: Base,
    /// ... its stream ...
    pub stream: u8,
    /// ... and the byte.
    pub offset: i64,
}

impl Place {
    /// Further on.
    pub fn plus(self, by: i64) -> Self {
        Place { offset: self.offset + by, ..self }
    }
}

/// Bytes `from .. from + count` of a block as a mask.
fn byte_mask(from: i64, count: i64) -> u16 {
    (((1u32 << count) - 1) << from) as u16
}

/// Whether all or none of a lane's mask bits are set.
fn lane_choice(element: Width, bits: u64, index: usize) -> Option<bool> {
    let count = 16 / element.bytes();
    let all = u64::MAX >> (64 - count);
    match bits >> (index * count) & all {
        0 => Some(false),
        set if set == all => Some(true),
        _ => None,
    }
}

fn nothing_written<T>(at: Place) -> Result<T, Stop> {
    refuse(format!("it reads {} where it wrote nothing", at.base.name()))
}

impl Symbolic {
    /// Where an address points.
    pub fn place(&self, address: Word) -> Result<Place, Stop> {
        let Word::Linear(linear) = address else {
            return refuse(match address {
                Word::Unknown | Word::Bytes(_) | Word::Quad { .. } | Word::Lookup { .. } => {
                    "the address is not public: it may depend on a key or a message"
                }
                _ => "the address is not known to lie in any object of the contract",
            });
        };
        let linear = self.path.facts.resolve(linear);
        if linear.base == Base::None {
            return refuse("the address is a number, not an address of the contract");
        }
        if !linear.is_fixed() {
            if linear.progress != 0 {
                return refuse("the address is not counted from the bytes processed so far");
            }
            let length = &self.path.facts.lengths[linear.count as usize];
            let halved = if linear.blocks == 0 && linear.groups == 0 {
                self.path.facts.halve_tail(linear.count)
            } else {
                self.path.facts.halve(linear.count)
            };
            return match halved {
                Some(split) if length.blocks.width() <= 256 || linear.blocks == 0 => Err(Stop::Split(split)),
                _ => refuse("the address depends on the length in a way that has no form here"),
            };
        }
        if linear.offset.unsigned_abs() > FARTHEST {
            return refuse("the address is more than 16 GiB from where blocks are counted from");
        }
        Ok(Place { base: linear.base, stream: linear.stream, offset: linear.offset })
    }

    fn is_setup(&self) -> bool {
        self.mode.writes.is_some()
    }

    /// Bytes of round keys.
    fn key_bytes(&self) -> i64 {
        KeyPart::RoundKeys.bytes(self.problem.key).end as i64
    }

    /// Whether all lengths of the path leave `end` bytes of the stream.
    fn within(&self, stream: u8, end: i64) -> bool {
        self.path.facts.less(Linear::remaining(stream), end) == Ok(false)
    }

    fn in_object(&self, at: Place, size: i64, object: i64, verb: &str) -> Result<(), Stop> {
        if at.offset < 0 || at.offset + size > object {
            return refuse(format!(
                "{verb} bytes {} to {} of {}, which has {object}",
                at.offset,
                at.offset + size,
                at.base.name()
            ));
        }
        Ok(())
    }

    /// The block `index` of a readable object.
    fn block(&mut self, at: Place, index: i64) -> Lane {
        let stream = at.stream;
        match at.base {
            Base::Key => self.terms.atom(Atom::Key { stream, round: index as u8 }),
            Base::Input => self.terms.atom(Atom::Input { stream, block: index as i32 }),
            Base::CipherKey => self.terms.atom(Atom::CipherKey { part: index as u8 }),
            Base::Iv => self.path.iv[stream as usize],
            _ => unreachable!("only objects of whole blocks"),
        }
    }

    /// Refuses to read outside of objects of blocks, and input whose place in the output is
    /// already written: input and output may be the same memory.
    fn may_read(&mut self, at: Place, size: i64) -> Result<(), Stop> {
        match at.base {
            Base::Key => {
                self.in_object(at, size, self.key_bytes(), "it reads")?;
                self.key_read.insert(at.offset as usize, size as usize);
                Ok(())
            }
            Base::CipherKey => self.in_object(at, size, self.problem.key.bytes() as i64, "it reads"),
            Base::Iv => {
                self.in_object(at, size, 16, "it reads")?;
                let lane = self.path.iv[at.stream as usize];
                if self.keeps_stale && self.terms.holds_stale(lane) {
                    return refuse("it reads an IV of which it wrote a part, and the rest is not known");
                }
                Ok(())
            }
            Base::Input => {
                let stream = at.stream;
                if at.offset < 0 || !self.within(stream, at.offset + size) {
                    return refuse(format!(
                        "it may read outside of the input: bytes {} to {} from those processed so far, where {}",
                        at.offset,
                        at.offset + size,
                        self.remaining_text(stream)
                    ));
                }
                self.not_overwritten(at, size)
            }
            _ => refuse(format!("it reads {}", at.base.name())),
        }
    }

    fn not_overwritten(&self, at: Place, size: i64) -> Result<(), Stop> {
        let written = self.path.written[at.stream as usize];
        for block in at.offset.div_euclid(16)..=(at.offset + size - 1).div_euclid(16) {
            let from = (at.offset - 16 * block).max(0);
            let until = (at.offset + size - 16 * block).min(16);
            if written.touches(block, byte_mask(from, until - from)) {
                return refuse(format!(
                    "it reads input block {block} after output block {block} was written: in place, that is the output"
                ));
            }
        }
        Ok(())
    }

    /// What a path knows of what remains.
    pub fn remaining_text(&self, stream: u8) -> String {
        let bytes = self.path.facts.lengths[stream as usize].bytes;
        match (bytes.low, bytes.exact()) {
            (_, Some(exact)) => format!("exactly {exact} bytes remain"),
            (low, None) if bytes.high > i64::MAX / 2 => format!("at least {low} bytes remain"),
            (low, None) => format!("{low} to {} bytes remain", bytes.high),
        }
    }

    /// Bytes of an object of blocks.
    fn bytes_at(&mut self, at: Place, size: i64) -> Result<[Form; 16], Stop> {
        self.may_read(at, size)?;
        let mut bytes = [Form(0); 16];
        let mut done = 0;
        while done < size {
            let here = at.plus(done);
            let index = here.offset.div_euclid(16);
            let lane = self.block(here, index);
            let from = here.offset.rem_euclid(16);
            let count = (16 - from).min(size - done);
            for i in 0..count {
                let Some(form) = self.terms.byte(lane, (from + i) as usize) else {
                    return refuse("it reads a value that is not known");
                };
                bytes[(done + i) as usize] = form;
            }
            done += count;
        }
        Ok(bytes)
    }

    /// 16 bytes of memory.
    pub fn load_lane(&mut self, at: Place) -> Result<Lane, Stop> {
        match at.base {
            Base::Code => {
                let bytes = self.constant_bytes(at.offset, 16)?.try_into().expect("16 were asked for");
                Ok(self.terms.constant(u128::from_le_bytes(bytes)))
            }
            Base::Frame | Base::AlignedFrame => {
                let (low, high) = (self.load_slot(at)?, self.load_slot(at.plus(8))?);
                Ok(self.pair(low, high))
            }
            Base::Key if self.is_setup() && !self.reads_round_keys(at) => {
                let (low, high) = (self.load_slot(at)?, self.load_slot(at.plus(8))?);
                Ok(self.pair(low, high))
            }
            Base::Key | Base::Input | Base::CipherKey | Base::Iv if at.offset % 16 == 0 => {
                self.may_read(at, 16)?;
                Ok(self.block(at, at.offset / 16))
            }
            _ => {
                let bytes = self.bytes_at(at, 16)?;
                Ok(self.terms.from_bytes(bytes))
            }
        }
    }

    /// Building the counter table reads the round keys and writes behind them.
    fn reads_round_keys(&self, at: Place) -> bool {
        let from = self.problem.written_key().start as i64;
        self.mode.may_read(KeyPart::RoundKeys) && at.offset < from
    }

    /// A scalar, zero-extended.
    pub fn load_scalar(&mut self, at: Place, size: i64) -> Result<Word, Stop> {
        match at.base {
            Base::Code => {
                let bytes = self.constant_bytes(at.offset, size as usize)?;
                let value = bytes.iter().rev().fold(0u64, |v, &b| v << 8 | u64::from(b));
                Ok(Word::number(value))
            }
            Base::Keys | Base::Ivs | Base::Inputs | Base::Outputs | Base::Lengths => {
                self.load_argument(at, size)
            }
            Base::Frame | Base::AlignedFrame => self.load_from_slot(at, size),
            Base::Key if self.is_setup() && !self.reads_round_keys(at) => self.load_from_slot(at, size),
            Base::Key | Base::Input | Base::CipherKey | Base::Iv if size == 8 && at.offset % 8 == 0 => {
                self.may_read(at, 8)?;
                let lane = self.block(at, at.offset.div_euclid(16));
                Ok(self.half(lane, at.offset % 16 != 0))
            }
            _ => {
                let bytes = self.bytes_at(at, size)?;
                Ok(self.word_of_bytes(std::array::from_fn(|i| bytes[i])))
            }
        }
    }

    fn load_argument(&mut self, at: Place, size: i64) -> Result<Word, Stop> {
        let streams = self.problem.streams() as i64;
        self.in_object(at, size, 8 * streams, "it reads")?;
        if size != 8 || at.offset % 8 != 0 {
            return refuse("it reads a part of an argument");
        }
        let stream = (at.offset / 8) as u8;
        let address = |base| Word::Linear(Linear::address(base, stream, 0));
        match at.base {
            Base::Keys => return Ok(address(Base::Key)),
            Base::Ivs => return Ok(address(Base::Iv)),
            _ => {}
        }
        // The others are as at entry; here they are counted from the blocks processed since.
        let Some(apart) = self.path.apart[stream as usize] else {
            return refuse("it reads an argument again after an unknown number of blocks of its stream");
        };
        self.start_uses += 1;
        let since =
            Linear { progress: if self.path.at_start { 0 } else { 16 }, ..Linear::number(16 * apart) };
        let linear = match at.base {
            Base::Inputs => Linear::address(Base::Input, stream, 0).minus(since),
            Base::Outputs => Linear::address(Base::Output, stream, 0).minus(since),
            _ => Linear::remaining(stream).plus(since),
        };
        Ok(linear.map_or(Word::Public, Word::Linear))
    }

    // Slots: the stack, and the key structure of a key set-up.

    fn slot_index(&self, at: Place) -> Result<usize, Stop> {
        match at.base {
            Base::Key => Ok((at.offset / 8) as usize),
            _ => {
                // Slots are counted downwards from the first byte that is not the frame's.
                let end = match (at.base, self.path.alignment) {
                    (Base::AlignedFrame, Some(alignment)) if alignment.dead => {
                        return refuse(
                            "it reaches the aligned stack after the stack pointer went back above it",
                        );
                    }
                    (Base::AlignedFrame, Some(alignment)) => alignment.room(),
                    _ => 0,
                };
                if at.offset >= end || at.offset < -MOST_FRAME {
                    return refuse(format!(
                        "it reaches byte {} of the stack, which is not its own",
                        at.offset
                    ));
                }
                Ok((end - at.offset - 1) as usize / 8)
            }
        }
    }

    fn slot(&self, at: Place) -> Result<Slot, Stop> {
        let index = self.slot_index(at)?;
        Ok(match at.base {
            Base::Key => self.path.key.get(index),
            Base::Frame => self.path.frame.get(index),
            _ => self.path.aligned_frame.get(index),
        })
    }

    /// Refuses bytes of the stack that are neither the kernel's own nor its return address.
    fn own_stack(&self, at: Place, size: i64) -> Result<(), Stop> {
        let end = match (at.base, self.path.alignment) {
            (Base::Frame, _) => self.convention.pushed(),
            (Base::AlignedFrame, Some(alignment)) => alignment.room(),
            _ => return Ok(()),
        };
        if at.offset + size > end {
            return refuse(format!(
                "it reaches byte {} of the stack, which is not its own",
                at.offset + size - 1
            ));
        }
        Ok(())
    }

    /// Eight bytes of a slot.
    pub fn load_slot(&mut self, at: Place) -> Result<Word, Stop> {
        if at.offset % 8 != 0 {
            return self.load_from_slot(at, 8);
        }
        self.own_stack(at, 8)?;
        let word = self.partial_slot(at)?;
        if self.keeps_stale
            && (0..8).any(|i| self.word_byte(word, i).is_some_and(|form| self.terms.is_stale(form)))
        {
            return nothing_written(at);
        }
        Ok(word)
    }

    /// Eight bytes of a slot, of which some may never have been written.
    fn partial_slot(&mut self, at: Place) -> Result<Word, Stop> {
        if at.base == Base::Frame && at.offset == 0 {
            return Ok(Word::ReturnAddress);
        }
        match self.slot(at)? {
            Slot::Holds(word) => Ok(word),
            Slot::Untouched | Slot::Perhaps { .. } => nothing_written(at),
        }
    }

    /// Bytes of slots: known if all of them are, else as secret as any slot that they are of.
    fn load_from_slot(&mut self, at: Place, size: i64) -> Result<Word, Stop> {
        if size == 8 && at.offset % 8 == 0 {
            return self.load_slot(at);
        }
        self.own_stack(at, size)?;
        let mut bytes = Some([Form(0); 8]);
        let mut of = [Word::Public; 8];
        for i in 0..size {
            let here = at.plus(i);
            let slot = here.plus(-here.offset.rem_euclid(8));
            let word = self.partial_slot(slot)?;
            of[i as usize] = word;
            let form = self.word_byte(word, here.offset.rem_euclid(8) as usize);
            if self.keeps_stale && form.is_some_and(|form| self.terms.is_stale(form)) {
                return nothing_written(here);
            }
            match (&mut bytes, form) {
                (Some(bytes), Some(form)) => bytes[i as usize] = form,
                _ => bytes = None,
            }
        }
        Ok(match bytes {
            Some(bytes) => self.word_of_bytes(bytes),
            None => self.unknown_word(&of),
        })
    }

    fn may_write_slot(&mut self, at: Place, size: i64) -> Result<(), Stop> {
        match at.base {
            Base::Key => {
                let Range { start, end } = self.problem.written_key();
                let (from, until) = (start as i64, end as i64);
                if at.offset < from || at.offset + size > until {
                    return refuse(format!(
                        "it writes bytes {} to {} of the key structure, not within {from} to {until}",
                        at.offset,
                        at.offset + size
                    ));
                }
                Ok(())
            }
            _ => {
                let (from, until) = match (at.base, self.path.alignment) {
                    (Base::Frame, Some(StackAlignment { dead: true, .. })) => (-MOST_FRAME, 0),
                    // Once aligned, the new frame lies anywhere below what was in use.
                    (Base::Frame, Some(alignment)) => (alignment.floor, 0),
                    (_, Some(alignment)) => (-MOST_FRAME, alignment.room()),
                    (_, None) => (-MOST_FRAME, 0),
                };
                if at.offset < from || at.offset + size > until {
                    return refuse(format!(
                        "it writes byte {} of the stack, which is not its own",
                        at.offset
                    ));
                }
                if self.path.table.is_some_and(|(base, ..)| base == at.base) {
                    self.path.table = None;
                }
                Ok(())
            }
        }
    }

    /// Whether a key or message byte may be in a slot.
    pub fn slot_is_secret(&self, slot: Slot) -> bool {
        match slot {
            Slot::Holds(word) => self.word_is_secret(word),
            Slot::Perhaps { secret } => secret,
            Slot::Untouched => false,
        }
    }

    /// Writes a slot.
    pub fn set_slot(&mut self, at: Place, word: Word) -> Result<(), Stop> {
        let index = self.slot_index(at)?;
        let slots = match at.base {
            Base::Key => &mut self.path.key,
            Base::Frame => &mut self.path.frame,
            _ => &mut self.path.aligned_frame,
        };
        slots.set(index, Slot::Holds(word));
        Ok(())
    }

    /// Stores a scalar's low bytes to a slot.
    fn store_to_slot(&mut self, at: Place, size: i64, word: Word) -> Result<(), Stop> {
        self.may_write_slot(at, size)?;
        if size == 8 && at.offset % 8 == 0 {
            return self.set_slot(at, word);
        }
        let Some(forms) = self.word_bytes(word) else {
            return refuse("it stores a part of an address, or of a value that is not known, to memory");
        };
        for i in 0..size {
            let here = at.plus(i);
            let slot = here.plus(-here.offset.rem_euclid(8));
            let old = match self.slot(slot)? {
                Slot::Holds(word) => self.word_bytes(word).ok_or(word),
                Slot::Untouched | Slot::Perhaps { secret: false } => Err(Word::Public),
                Slot::Perhaps { secret: true } => Err(Word::Unknown),
            };
            // What is left of an address, or of what is not known, may not be read.
            let mut bytes = old.unwrap_or_else(|word| {
                let secret = self.word_is_secret(word);
                self.keeps_stale = true;
                [self.terms.stale(secret); 8]
            });
            bytes[here.offset.rem_euclid(8) as usize] = forms[i as usize];
            let new = self.word_of_bytes(bytes);
            self.set_slot(slot, new)?;
        }
        Ok(())
    }

    // Stores.

    /// Stores 16 bytes.
    pub fn store_lane(&mut self, at: Place, lane: Lane) -> Result<(), Stop> {
        match at.base {
            Base::Output if at.offset % 16 == 0 => self.store_block(at, lane),
            Base::Iv if at.offset == 0 => {
                self.path.iv[at.stream as usize] = lane;
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

    fn store_block(&mut self, at: Place, lane: Lane) -> Result<(), Stop> {
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

    /// Refuses blocks far ahead of those written: nobody keeps account of them, and the
    /// specification of chained ones nests as deep as they are many.
    fn is_near(&self, stream: u8, block: i64) -> Result<(), Stop> {
        const MOST_CHAINED: i64 = 64;
        let most = if self.mode.is_serial() { MOST_CHAINED } else { MOST_AHEAD };
        if block - self.path.written[stream as usize].blocks <= most {
            return Ok(());
        }
        refuse(format!("it stores output block {block} more than {most} blocks ahead of the others"))
    }

    /// Holds a lane against the specification's output block.
    fn holds(&mut self, stream: u8, block: i64, lane: Lane) -> Result<(), Stop> {
        self.is_near(stream, block)?;
        let expected = self.output(stream, block as i32);
        if lane == expected
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

    /// Whether a lane is the output block, made of bytes of counters that share them.
    fn is_block_in_window(&mut self, lane: Lane, expected: Lane, block: i64) -> bool {
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
    pub fn store_scalar(&mut self, at: Place, size: i64, word: Word) -> Result<(), Stop> {
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

    /// What counters share with that of a block.
    fn window_of(&self, sought: i32) -> Window {
        let shares = |i: i32| {
            let (held, sought) = (Index::At(sought - 64 + i), Index::At(sought));
            self.path.same_high_half(held, sought, sought)
        };
        let high = (0..128).fold(0, |mask, i| mask | u128::from(shares(i)) << i);
        Window { sought: Some(sought), high, ..Window::still(self.path.low_byte) }
    }

    /// Whether bytes for a block are the same because counters share all bytes but the last, or
    /// their high halves.
    fn same_by_counters(&mut self, a: Form, b: Form, block: i64) -> bool {
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

    /// Whether two lanes are equal for every message and every key, by the key schedule if need be.
    pub(crate) fn same_lane(&mut self, a: Lane, b: Lane) -> bool {
        if self.terms.same(a, b) {
            return true;
        }
        if !self.terms.holds_bytes(a) && !self.terms.holds_bytes(b) {
            return false;
        }
        match (self.terms.bytes(a), self.terms.bytes(b)) {
            (Some(x), Some(y)) => (0..16).all(|i| self.same_by_schedule(x[i], y[i], None)),
            _ => false,
        }
    }

    /// What the key structure of a message problem holds.
    pub(crate) fn schedule(&self) -> Schedule {
        let inverse = self.mode.direction == Direction::Decrypt;
        let key = self.problem.key;
        Schedule { words: key.bytes() / 4, rounds: key.rounds(), inverse }
    }

    /// Whether bytes are the same because round keys are sums of others.
    fn same_by_schedule(&mut self, a: Form, b: Form, window: Option<Window>) -> bool {
        let schedule = Some(self.schedule());
        let memo = &mut self.schedule_memo;
        if (memo.window, memo.schedule) != (window, schedule) {
            memo.clear();
            (memo.window, memo.schedule) = (window, schedule);
        }
        self.terms.same_byte_in_window(a, b, &mut self.schedule_memo)
    }

    /// A lane with some of its bytes replaced.
    fn with_bytes(&mut self, lane: Lane, offset: i64, size: i64, word: Word) -> Result<Lane, Stop> {
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
        Ok(self.terms.from_bytes(bytes))
    }

    fn store_output_bytes(&mut self, at: Place, size: i64, word: Word) -> Result<(), Stop> {
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
        let expected = self.output(stream, block as i32);
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

    // Masked vectors of bytes, for the bytes beyond the last whole vector.

    /// How many bytes from `at` on a mask lets through: as a length relative to the processed
    /// bytes, the mask ends at `end`.
    fn masked_end(&self, at: Place, mask: Mask) -> Result<Linear, Stop> {
        let count = match mask {
            Mask::Lowest(count) => self.path.facts.resolve(count),
            Mask::Bits(bits) if bits & bits.wrapping_add(1) == 0 => {
                Linear::number(i64::from(bits.count_ones()))
            }
            _ => return refuse("the opmask of a memory access is not a run of low ones"),
        };
        count.plus(Linear::number(at.offset)).ok_or_else(|| Stop::Refused("the opmask has no end".to_owned()))
    }

    /// Whether `end <= remaining`, for byte counts of one stream.
    fn ends_within(&self, end: Linear, stream: u8) -> bool {
        Linear::remaining(stream).minus(end).is_some_and(|left| self.path.facts.less(left, 0) == Ok(false))
    }

    /// A load of the bytes under a mask of low ones, zeros in the others' places.
    pub fn load_lanes_masked(&mut self, at: Place, mask: Mask, lanes: &mut [Lane]) -> Result<(), Stop> {
        let end = self.masked_end(at, mask)?;
        if at.base != Base::Input || at.offset < 0 || at.offset % 16 != 0 {
            return refuse("only whole blocks of the input are loaded under a mask");
        }
        if !self.ends_within(end, at.stream) {
            return refuse(format!(
                "it may read outside of the input under a mask, where {}",
                self.remaining_text(at.stream)
            ));
        }
        let size = 16 * lanes.len() as i64;
        self.not_overwritten(at, size)?;
        for (i, lane) in lanes.iter_mut().enumerate() {
            if *lane != Lane::ZERO {
                return refuse("a masked load must zero what it does not load");
            }
            // The bytes beyond the mask are zero here, not the input's. They are beyond what
            // remains, so no store can write what comes of them: a block that is stored whole is
            // known to lie within what remains, and then the mask covered it.
            let start = at.offset + 16 * i as i64;
            let begins = Linear::number(start).minus(end);
            let outside = begins.is_none_or(|d| self.path.facts.less(d, 0) == Ok(false));
            let covers_all = self.mask_reaches_end(end, at.stream);
            *lane = if outside {
                Lane::ZERO
            } else if covers_all {
                self.terms.atom(Atom::Input { stream: at.stream, block: (start / 16) as i32 })
            } else {
                return refuse("a mask that does not reach the end of the input");
            };
        }
        Ok(())
    }

    /// Whether a mask's end is exactly what remains (then bytes beyond it do not exist).
    fn mask_reaches_end(&self, end: Linear, stream: u8) -> bool {
        let remaining = self.path.facts.resolve(Linear::remaining(stream));
        self.path.facts.resolve(end) == remaining
    }

    /// A load of the lanes of which all mask bits are set; the others are kept. Constant masks
    /// choose lanes, to gather them from several streams.
    pub fn load_lanes_chosen(
        &mut self,
        at: Place,
        element: Width,
        bits: u64,
        lanes: &mut [Lane],
    ) -> Result<(), Stop> {
        for (i, lane) in lanes.iter_mut().enumerate() {
            match lane_choice(element, bits, i) {
                Some(true) => *lane = self.load_lane(at.plus(16 * i as i64))?,
                Some(false) => {}
                None => *lane = self.load_part(at.plus(16 * i as i64), element, bits, i, *lane)?,
            }
        }
        Ok(())
    }

    /// A lane of which some elements are loaded.
    fn load_part(
        &mut self,
        at: Place,
        element: Width,
        bits: u64,
        index: usize,
        old: Lane,
    ) -> Result<Lane, Stop> {
        let size = element.bytes();
        let Some(mut bytes) = self.terms.bytes(old) else {
            return refuse("a masked load into a value that is not known");
        };
        for k in 0..16 / size {
            if bits >> (index * (16 / size) + k) & 1 == 1 {
                let word = self.load_scalar(at.plus((k * size) as i64), size as i64)?;
                let Some(forms) = self.word_bytes(word) else {
                    return refuse("a masked load of a value that is not known");
                };
                bytes[k * size..][..size].copy_from_slice(&forms[..size]);
            }
        }
        Ok(self.terms.from_bytes(bytes))
    }

    /// A store of the lanes of which all mask bits are set.
    pub fn store_lanes_chosen(
        &mut self,
        at: Place,
        element: Width,
        bits: u64,
        lanes: &[Lane],
    ) -> Result<(), Stop> {
        let size = element.bytes();
        for (i, &lane) in lanes.iter().enumerate() {
            let here = at.plus(16 * i as i64);
            match lane_choice(element, bits, i) {
                Some(true) => self.store_lane(here, lane)?,
                Some(false) => {}
                None => {
                    let Some(forms) = self.terms.bytes(lane) else {
                        return refuse("a masked store of a value that is not known");
                    };
                    for k in (0..16 / size).filter(|k| bits >> (i * (16 / size) + k) & 1 == 1) {
                        let word = self.word_of_bytes(std::array::from_fn(|b| {
                            if b < size { forms[k * size + b] } else { Form(0) }
                        }));
                        self.store_scalar(here.plus((k * size) as i64), size as i64, word)?;
                    }
                }
            }
        }
        Ok(())
    }

    /// A store of the bytes under a mask of low ones.
    pub fn store_lanes_masked(&mut self, at: Place, mask: Mask, lanes: &[Lane]) -> Result<(), Stop> {
        let end = self.masked_end(at, mask)?;
        let stream = at.stream;
        if at.base != Base::Output || at.offset < 0 || at.offset % 16 != 0 {
            return refuse("only whole blocks of the output are stored under a mask");
        }
        if self.mode.unit == Unit::Block {
            return refuse("only counter mode has partial blocks");
        }
        if !self.ends_within(end, stream) || !self.mask_reaches_end(end, stream) {
            return refuse(format!(
                "the opmask of a store does not end where the output ends, where {}",
                self.remaining_text(stream)
            ));
        }
        let size = 16 * lanes.len() as i64;
        if self.path.facts.less(Linear::remaining(stream), at.offset + size + 1) != Ok(true) {
            return refuse("a store under a mask may leave bytes behind it unwritten");
        }
        for (i, &lane) in lanes.iter().enumerate() {
            let start = at.offset + 16 * i as i64;
            let outside = self.path.facts.less(Linear::remaining(stream), start + 1) == Ok(true);
            if !outside {
                self.holds(stream, start / 16, lane)?;
            }
        }
        if self.path.written[stream as usize].blocks != at.offset / 16 {
            return refuse("the last, partial store begins where the output is not yet written up to");
        }
        self.path.written[stream as usize].to_end = true;
        Ok(())
    }

    /// What a key set-up must have written.
    pub fn check_setup(&mut self) -> Result<(), Stop> {
        let direction = self.mode.direction;
        let (what, expected) = match (self.mode.writes, direction) {
            (Some(KeyPart::CounterTable), _) => {
                ("table entry", (0..=255).map(|v| self.table_entry(v)).collect())
            }
            (_, Direction::Encrypt) => ("round key", self.round_keys(direction)),
            (_, Direction::Decrypt) => ("inverse round key", self.round_keys(direction)),
        };
        let first = self.problem.written_key().start as i64;
        for (i, expected) in expected.into_iter().enumerate() {
            let at = Place { base: Base::Key, stream: 0, offset: first + 16 * i as i64 };
            let written = |slot| matches!(slot, Slot::Holds(_));
            if !written(self.slot(at)?) || !written(self.slot(at.plus(8))?) {
                return refuse(format!("{what} {i} is not written"));
            }
            let lane = self.load_stored(at)?;
            let expected = self.terms.from_bytes(expected);
            if !self.terms.same(lane, expected) {
                return refuse(format!("{what} {i} is wrong: {}", self.terms.describe(lane, 2)));
            }
        }
        Ok(())
    }

    fn load_stored(&mut self, at: Place) -> Result<Lane, Stop> {
        let (low, high) = (self.load_slot(at)?, self.load_slot(at.plus(8))?);
        Ok(self.pair(low, high))
    }

    /// After the stack pointer moved: it must lie in the kernel's own stack, and what is more than
    /// the red zone below it is gone, whether or not it is lowered again: a signal handler may
    /// have written there.
    pub fn stack_moved(&mut self, to: Word) -> Result<(), Stop> {
        let Word::Linear(rsp) = to else { return refuse("the stack pointer is not known") };
        let most = match (rsp.base, self.path.alignment) {
            // Past the return address, after a return.
            (Base::Frame, _) => self.convention.pushed(),
            (Base::AlignedFrame, Some(alignment)) if !alignment.dead => alignment.room(),
            _ => return refuse("the stack pointer leaves the stack"),
        };
        if !rsp.is_fixed() || rsp.offset > most {
            return refuse("the stack pointer leaves the kernel's own stack");
        }
        // Where an aligned frame lies is known up to the alignment.
        let above = match (rsp.base, self.path.alignment) {
            (Base::AlignedFrame, Some(alignment)) => alignment.to - alignment.top,
            _ => 0,
        };
        if above.saturating_sub(rsp.offset) > MOST_FRAME {
            return refuse(format!("the stack pointer is lowered by more than {MOST_FRAME} bytes"));
        }
        let depth = self.path.depth();
        self.deepest = self.deepest.max(depth);
        let red_zone = i64::from(self.convention.red_zone);
        let kept = |end: i64| ((end - rsp.offset + red_zone) / 8).max(0) as usize;
        let (slots, kept) = match (rsp.base, &mut self.path.alignment) {
            (Base::Frame, alignment) => {
                if let Some(alignment) = alignment {
                    alignment.dead = true;
                    if self.path.table.is_some_and(|(base, ..)| base == Base::AlignedFrame) {
                        self.path.table = None;
                    }
                }
                (&self.path.frame, kept(0))
            }
            _ => (&self.path.aligned_frame, kept(most)),
        };
        if kept >= slots.count() {
            return Ok(());
        }
        let secret = (kept..slots.count()).any(|i| self.slot_is_secret(slots.get(i)));
        self.left_secret |= secret;
        if self.path.table.is_some_and(|(base, ..)| base == rsp.base) {
            self.path.table = None;
        }
        match rsp.base {
            Base::Frame => self.path.frame.truncate(kept),
            _ => self.path.aligned_frame.truncate(kept),
        }
        Ok(())
    }

    /// Refuses stack accesses that a signal handler may overwrite.
    pub fn above_red_zone(&self, at: Place, stack_pointer: Word) -> Result<(), Stop> {
        if !matches!(at.base, Base::Frame | Base::AlignedFrame) {
            return Ok(());
        }
        match stack_pointer {
            Word::Linear(rsp) if rsp.is_fixed() && rsp.base == at.base => {
                let red_zone = self.convention.red_zone;
                if at.offset < rsp.offset - i64::from(red_zone) {
                    return refuse(format!(
                        "it uses the stack more than {red_zone} bytes below the stack pointer"
                    ));
                }
                Ok(())
            }
            Word::Linear(rsp)
                if rsp.is_fixed() && at.base == Base::Frame && rsp.base == Base::AlignedFrame =>
            {
                Ok(())
            }
            _ => refuse("the stack pointer is not known"),
        }
    }
}
