//! Opmasks: what becomes one, and what is selected by one.

use aesmith_isa::lanes::Width;

use crate::lanes::scalar::Word;
use crate::lanes::symbolic::{Mask, Stop, Symbolic, refuse};
use crate::lanes::terms::Lane;
use crate::lanes::vectors::UNKNOWN_SIGN;

impl Symbolic {
    pub(super) fn signs_of_lanes(&mut self, element: Width, lanes: &[Lane]) -> Result<Mask, Stop> {
        let size = element.bytes();
        let mut signs = Vec::with_capacity(16 / size * lanes.len());
        for &lane in lanes {
            let bytes = self.terms.bytes(lane).unwrap_or([UNKNOWN_SIGN; 16]);
            signs.extend((size - 1..16).step_by(size).map(|i| bytes[i]));
        }
        let constant: Option<Vec<u8>> = signs.iter().map(|&s| self.terms.forms.as_constant(s)).collect();
        if let Some(values) = constant {
            let bits = values.iter().rev().fold(0, |bits, v| bits << 1 | u64::from(v >> 7));
            return Ok(Mask::Bits(bits));
        }
        Ok(Mask::Signs(self.signs_number(signs)))
    }

    pub(super) fn lane_select(
        &mut self,
        mask: Mask,
        first: u32,
        element: Width,
        new: Lane,
        old: Lane,
    ) -> Result<Lane, Stop> {
        // Two of which nothing is known are not the same: which it is may be a secret.
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
            Mask::Lowest(_) | Mask::Unknown => {
                self.blurred("a blend by a mask that is not a constant");
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
