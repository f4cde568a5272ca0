//! Sums, differences and comparisons of vectors.

use aesmith_isa::lanes::{Shift, Width};

use crate::lanes::symbolic::{Stop, Symbolic};
use crate::lanes::terms::Lane;

impl Symbolic {
    pub(super) fn lane_sum(&mut self, element: Width, a: Lane, b: Lane) -> Result<Lane, Stop> {
        if let (Some(x), Some(y)) = (self.terms.as_constant(a), self.terms.as_constant(b)) {
            let sum = Self::add_constants(element, x, y, false);
            return Ok(self.terms.constant(sum));
        }
        for (lane, constant) in [(a, b), (b, a)] {
            let Some(constant) = self.terms.as_constant(constant) else { continue };
            if constant == 0 {
                return Ok(lane);
            }
            if element == Width::B32
                && let Some(next) = self.advance_counter32(lane, constant)
            {
                return Ok(next);
            }
            // If bytes are reversed without a byte shuffle, a counter is the sum of its odd and its even bytes.
            let lane = if self.terms.is_secret(lane) { lane } else { self.terms.coarse(lane) };
            if let Some(next) = self.advance_last_byte(lane, constant) {
                return Ok(next);
            }
            if let Some(sum) = self.add_to_bytes(element, lane, constant) {
                return Ok(sum);
            }
            if element == Width::B64
                && let Some(next) = self.advance_counter(lane, constant)
            {
                return Ok(next);
            }
        }
        if a == b && !a.is_unknown() {
            return Ok(self.lane_shift(Shift::Left, element, a, 1));
        }
        let why = "a vector addition to a counter that may overflow, or to no counter";
        if element == Width::B8 {
            return Ok(self.byte_function_or_unknown(a, b, why, u8::wrapping_add));
        }
        self.blurred(why);
        Ok(self.terms.unknown(&[a, b]))
    }

    pub(super) fn lane_difference(&mut self, element: Width, a: Lane, b: Lane) -> Result<Lane, Stop> {
        if let Some(y) = self.terms.as_constant(b) {
            let negative = Self::add_constants(element, 0, y, true);
            let negative = self.terms.constant(negative);
            return self.lane_sum(element, a, negative);
        }
        let why = "a vector subtraction of no constant";
        if element == Width::B8 {
            return Ok(self.byte_function_or_unknown(a, b, why, u8::wrapping_sub));
        }
        self.blurred(why);
        Ok(self.terms.unknown(&[a, b]))
    }

    pub(super) fn lane_equal(&mut self, element: Width, a: Lane, b: Lane) -> Result<Lane, Stop> {
        match (self.terms.as_constant(a), self.terms.as_constant(b)) {
            (Some(x), Some(y)) => {
                let bits = element.bits();
                let mask = u128::from(element.mask());
                let value = (0..128 / bits).fold(0, |v, i| {
                    v | if (x ^ y) >> (i * bits) & mask == 0 { mask << (i * bits) } else { 0 }
                });
                Ok(self.terms.constant(value))
            }
            _ => {
                let why = "a comparison of vectors that are not constants";
                if element == Width::B8 {
                    let equal = |x, y| if x == y { 0xff } else { 0 };
                    return Ok(self.byte_function_or_unknown(a, b, why, equal));
                }
                self.blurred(why);
                Ok(self.terms.unknown(&[a, b]))
            }
        }
    }

    pub(super) fn lane_greater(&mut self, element: Width, a: Lane, b: Lane) -> Result<Lane, Stop> {
        // Less than zero: the highest bit at every position.
        if a == Lane::ZERO {
            let map = self.terms.maps.of_signs(element);
            return Ok(self.terms.moved(map, b));
        }
        let why = "a comparison of vectors that are not bytes";
        if element == Width::B8 {
            let greater = |x: u8, y: u8| if x.cast_signed() > y.cast_signed() { 0xff } else { 0 };
            return Ok(self.byte_function_or_unknown(a, b, why, greater));
        }
        self.blurred(why);
        Ok(self.terms.unknown(&[a, b]))
    }
}
