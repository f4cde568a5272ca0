//! Loads and stores under opmasks: those at the end of a message, and those of selected elements.

use aesmith_cipher::mode::Unit;

use aesmith_isa::lanes::Width;

use super::{Place, lane_choice};
use crate::lanes::forms::Form;
use crate::lanes::scalar::{Base, Linear};
use crate::lanes::symbolic::{Mask, Stop, Symbolic, refuse};
use crate::lanes::terms::{Atom, Lane};

impl Symbolic {
    /// The end of the bytes from `at` on that a mask selects, as a length relative to the processed bytes.
    pub(super) fn masked_end(&self, at: Place, mask: Mask) -> Result<Linear, Stop> {
        let count = match mask {
            Mask::Lowest(count) => self.path.facts.resolve(count),
            Mask::Bits(bits) if bits & bits.wrapping_add(1) == 0 => {
                Linear::number(i64::from(bits.count_ones()))
            }
            _ => return refuse("the opmask of a memory access is not a run of low ones"),
        };
        count.plus(Linear::number(at.offset)).ok_or_else(|| Stop::Refused("the opmask has no end".to_owned()))
    }

    /// True if `end <= remaining`, for byte counts of one stream.
    pub(super) fn ends_within(&self, end: Linear, stream: u8) -> bool {
        Linear::remaining(stream).minus(end).is_some_and(|left| self.path.facts.less(left, 0) == Ok(false))
    }

    /// Loads the bytes under a mask of low ones, with zeros elsewhere.
    pub(crate) fn load_lanes_masked(
        &mut self,
        at: Place,
        mask: Mask,
        lanes: &mut [Lane],
    ) -> Result<(), Stop> {
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
            // The bytes beyond the mask are zero, as those of the atom beyond the end of the message are: any other
            // load of them would be refused.
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

    /// True if a mask ends exactly at the remaining bytes; then bytes beyond it do not exist.
    pub(super) fn mask_reaches_end(&self, end: Linear, stream: u8) -> bool {
        let remaining = self.path.facts.resolve(Linear::remaining(stream));
        self.path.facts.resolve(end) == remaining
    }

    /// Loads the lanes whose mask bits are all set; the others are kept. Constant masks select lanes, to gather them
    /// from several streams.
    pub(crate) fn load_lanes_chosen(
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

    /// A lane some of whose elements are loaded.
    pub(super) fn load_part(
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
        Ok(self.terms.lane_of_bytes(bytes))
    }

    /// Stores the lanes whose mask bits are all set.
    pub(crate) fn store_lanes_chosen(
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

    /// Stores the bytes under a mask of low ones.
    pub(crate) fn store_lanes_masked(&mut self, at: Place, mask: Mask, lanes: &[Lane]) -> Result<(), Stop> {
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
}
