//! Opmasks: conversion to them, and selection by them.

use aesmith_isa::lanes::Width;

use crate::lanes::scalar::{Linear, Word};
use crate::lanes::symbolic::{Mask, Stop, Symbolic, refuse};
use crate::lanes::terms::Lane;

impl Symbolic {
    pub(super) fn signs_of_lanes(&mut self, element: Width, lanes: &[Lane]) -> Result<Mask, Stop> {
        let size = element.bytes();
        let mut bits = 0;
        for (k, &lane) in lanes.iter().enumerate() {
            let bytes = match self.terms.has_cones(lane) {
                true => None,
                false => self.terms.bytes(lane),
            };
            for (i, at) in (size - 1..16).step_by(size).enumerate() {
                let Some(value) = bytes.and_then(|bytes| self.terms.forms.as_constant(bytes[at])) else {
                    return Ok(Mask::Signs(self.signs_number(element, lanes)));
                };
                bits |= u64::from(value >> 7) << (16 / size * k + i);
            }
        }
        Ok(Mask::Bits(bits))
    }

    pub(super) fn lane_select(
        &mut self,
        mask: Mask,
        first: u32,
        element: Width,
        new: Lane,
        old: Lane,
    ) -> Result<Lane, Stop> {
        // Two unknown values are not equal: which of them is selected may be a secret.
        if new == old && !(new == Lane::PUBLIC && mask.is_secret()) {
            return Ok(new);
        }
        let size = element.bytes();
        match mask {
            Mask::Bits(bits) => {
                let bits = bits >> first;
                let all = u64::MAX >> (64 - 16 / size);
                match bits & all {
                    0 => Ok(old),
                    set if set == all => Ok(new),
                    set if element == Width::B8 && old == Lane::ZERO && self.is_end_of_message(set) => {
                        Ok(self.partial(new))
                    }
                    _ => Ok(self.choose_bytes([old, new], |i| Some(((bits >> (i / size) & 1) as usize, i)))),
                }
            }
            Mask::Signs(number) if element == Width::B8 => {
                match self.select_by_signs(number, first, new, old) {
                    Some(lane) => Ok(lane),
                    None => {
                        self.blurred("a blend of bytes that depend on more than eight bits");
                        Ok(Lane::UNKNOWN)
                    }
                }
            }
            Mask::Signs(_) | Mask::Secret => Ok(Lane::UNKNOWN),
            Mask::Lowest(count) if element == Width::B8 && self.mode.hashed().is_some() => {
                self.select_lowest(count, i64::from(first), new, old)
            }
            Mask::Lowest(_) | Mask::Unknown => {
                self.blurred("a blend by a mask that is not a constant");
                Ok(self.terms.unknown(&[new, old]))
            }
        }
    }

    /// True if these bits are the mask of the bytes beyond whole blocks of a message with a hash, whose number is known.
    fn is_end_of_message(&self, bits: u64) -> bool {
        let tail = self.path.facts.lengths[0].tail.exact();
        self.mode.hashed().is_some() && tail.is_some_and(|bytes| bytes > 0 && bits == (1 << bytes) - 1)
    }

    /// Bytes of `new` up to a count of bytes from `first` bytes before the lane on, then those of `old`.
    fn select_lowest(&mut self, count: Linear, first: i64, new: Lane, old: Lane) -> Result<Lane, Stop> {
        let count = self.path.facts.resolve(count);
        let is_below = |this: &Self, at: i64| match this.path.facts.less(count, at) {
            Ok(less) => Ok(less),
            Err(Some(split)) => Err(Stop::Split(split)),
            Err(None) => refuse("a blend by a mask of an unknown number of bytes"),
        };
        if !is_below(self, first + 16)? {
            return Ok(new);
        }
        if is_below(self, first + 1)? {
            return Ok(old);
        }
        // The bytes beyond whole blocks, and no others: their number may be known.
        let tail = self.path.facts.resolve(Linear { tail: 1, count: 0, ..Linear::number(0) });
        match old == Lane::ZERO && count.minus(Linear::number(first)) == Some(tail) {
            true => Ok(self.partial(new)),
            false => {
                self.blurred("a blend by a mask that does not end with the message");
                Ok(self.terms.unknown(&[new, old]))
            }
        }
    }

    pub(super) fn mask_of_word(&mut self, width: Width, word: Word) -> Result<Mask, Stop> {
        Ok(match word {
            Word::Ones(count) => {
                let most = self.path.facts.range(&self.path.facts.resolve(count)).1;
                if width == Width::B64 || most <= i128::from(width.bits()) {
                    Mask::Lowest(count)
                } else {
                    Mask::Unknown
                }
            }
            _ => match word.as_number() {
                Some(bits) => Mask::Bits(bits & width.mask()),
                None if self.word_is_secret(word) => return refuse("an opmask that may depend on a secret"),
                None => Mask::Unknown,
            },
        })
    }

    pub(super) fn word_of_mask(&mut self, width: Width, mask: Mask) -> Result<Word, Stop> {
        Ok(match mask {
            Mask::Bits(bits) => Word::number(bits & width.mask()),
            Mask::Lowest(count) if width == Width::B64 => Word::Ones(count),
            Mask::Signs(_) | Mask::Secret => Word::Unknown,
            Mask::Lowest(_) | Mask::Unknown => Word::Public,
        })
    }
}
