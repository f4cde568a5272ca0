//! Loads and stores: every address must lie in an object of the contract, within its bounds for every length that the
//! path allows; every block stored to the output is compared with the specification at once.

mod masked;
mod output;
mod stack;

use aesmith_cipher::Direction;
use aesmith_cipher::contract::{HASH_END, HASH_OFFSET};
use aesmith_cipher::mode::KeyPart;

use aesmith_isa::lanes::Width;

use crate::lanes::forms::Form;
use crate::lanes::scalar::{Base, Linear, Split, Word};
use crate::lanes::schedule::Schedule;
use crate::lanes::symbolic::{Stop, Symbolic, refuse};
use crate::lanes::terms::{Atom, Lane};

/// The most bytes of stack that a kernel may use.
const MOST_FRAME: i64 = 1 << 16;
/// The largest distance in bytes: places are counted in 32 bits of blocks.
const FARTHEST: u64 = 1 << 34;

/// A place in an object.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Place {
    /// The object.
    pub base: Base,
    /// Its stream.
    pub stream: u8,
    /// The offset in bytes.
    pub offset: i64,
}

impl Place {
    /// The place `by` bytes further on.
    pub fn plus(self, by: i64) -> Self {
        Place { offset: self.offset + by, ..self }
    }
}

/// Bytes `from .. from + count` of a block as a mask.
fn byte_mask(from: i64, count: i64) -> u16 {
    (((1u32 << count) - 1) << from) as u16
}

/// True if all of a lane's mask bits are set, false if none is; `None` otherwise.
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
    /// The place that an address points to.
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
            let halved = if linear.blocks == 0 && linear.groups == 0 && linear.tail == 0 {
                Some(Split::by_partial(linear.count))
            } else if linear.blocks == 0 && linear.groups == 0 {
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

    /// Size of the round keys in bytes.
    fn key_bytes(&self) -> i64 {
        KeyPart::RoundKeys.bytes(self.problem.key).end as i64
    }

    /// True if all lengths of the path leave `end` bytes of the stream.
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
            Base::Key if index >= HASH_OFFSET as i64 / 16 => {
                let exponent = HASH_END as i64 / 16 - index;
                match u16::try_from(exponent) {
                    Ok(power) if power > 0 => self.terms.atom(Atom::HashKey { power }),
                    _ => Lane::ZERO,
                }
            }
            Base::Key => self.terms.atom(Atom::Key { stream, round: index as u8 }),
            Base::Input => self.terms.atom(Atom::Input { stream, block: index as i32 }),
            Base::CipherKey => self.terms.atom(Atom::CipherKey { part: index as u8 }),
            Base::Iv if index > 0 => self.path.hash,
            Base::Iv => self.path.iv[stream as usize],
            _ => unreachable!("only objects of whole blocks"),
        }
    }

    /// Refuses to read outside of objects of blocks, and to read input whose place in the output is already written:
    /// input and output may be the same memory.
    fn may_read(&mut self, at: Place, size: i64) -> Result<(), Stop> {
        match at.base {
            Base::Key => {
                let powers = KeyPart::HashTable.bytes(self.problem.key);
                let is_power = at.offset >= powers.start as i64 && at.offset + size <= powers.end as i64;
                if !(is_power && self.mode.may_read(KeyPart::HashTable)) {
                    self.in_object(at, size, self.key_bytes(), "it reads")?;
                }
                self.key_read.insert(at.offset as usize, size as usize);
                Ok(())
            }
            Base::CipherKey => self.in_object(at, size, self.problem.key.bytes() as i64, "it reads"),
            Base::Iv => {
                self.in_object(at, size, self.mode.iv_bytes() as i64, "it reads")?;
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

    /// The path's facts about the remaining bytes, as text.
    pub(crate) fn remaining_text(&self, stream: u8) -> String {
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
    pub(crate) fn load_lane(&mut self, at: Place) -> Result<Lane, Stop> {
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
            Base::Output if at.offset % 16 == 0 => self.read_output(at.stream, at.offset / 16),
            _ => {
                let bytes = self.bytes_at(at, 16)?;
                Ok(self.terms.lane_of_bytes(bytes))
            }
        }
    }

    /// Building the counter table reads the round keys and writes behind them.
    fn reads_round_keys(&self, at: Place) -> bool {
        let from = self.problem.written_key().start as i64;
        self.mode.may_read(KeyPart::RoundKeys) && at.offset < from
    }

    /// A scalar, zero-extended.
    pub(crate) fn load_scalar(&mut self, at: Place, size: i64) -> Result<Word, Stop> {
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

    /// True if two lanes are equal for every message and every key, using the key schedule if necessary.
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

    /// The contents of the key structure of a message problem.
    pub(crate) fn schedule(&self) -> Schedule {
        let inverse = self.mode.direction == Direction::Decrypt;
        let key = self.problem.key;
        Schedule { words: key.bytes() / 4, rounds: key.rounds(), inverse }
    }
}
