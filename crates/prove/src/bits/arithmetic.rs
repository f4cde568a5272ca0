//! Sums, products and comparisons of values whose bits are forms.

use aesmith_isa::values::Binary;

use crate::bits::forms::{Bit, Bits, ONE, ZERO};
use crate::bits::symbols::Symbols;
use crate::bits::value::Value;

impl Symbols<'_> {
    /// The bits of a sum or difference.
    pub(crate) fn sum(&mut self, op: Binary, a: &[Bit], b: &[Bit]) -> Value {
        if a == b && !a.iter().any(|&bit| Bits::is_opaque(bit)) {
            return match op {
                Binary::Add => {
                    let doubled = std::iter::once(ZERO).chain(a[..a.len() - 1].iter().copied());
                    self.value(doubled.collect())
                }
                _ => Value::Number(0),
            };
        }
        let (mut sum, _) = self.bits.add(a, b, ZERO, op == Binary::Subtract);
        // Public bits are settled at once: counters get the names of their successors before they are used.
        for bit in &mut sum {
            if !self.bits.is_secret(*bit) {
                *bit = self.bits.settle(*bit).unwrap_or(*bit);
            }
        }
        self.value(sum)
    }

    pub(crate) fn compare(&mut self, op: Binary, a: &[Bit], b: &[Bit]) -> Value {
        let bits = match op {
            Binary::Equal => {
                let mut different: Vec<Bit> = a.iter().zip(b).map(|(&x, &y)| self.bits.xor(x, y)).collect();
                // Comparisons test whether counters wrap, so it pays to settle their bits.
                for bit in &mut different {
                    if !self.bits.is_secret(*bit) {
                        *bit = self.bits.settle(*bit).unwrap_or(*bit);
                    }
                }
                if different.contains(&ONE) {
                    return Value::Number(0);
                }
                different.sort_unstable();
                different.dedup();
                let open: Vec<Bit> = different.into_iter().filter(|&d| d != ZERO).collect();
                let public = open.iter().all(|&d| !self.bits.is_secret(d));
                match open.as_slice() {
                    [] => return Value::Number(1),
                    [one] => vec![one ^ 1],
                    many if public && many.len() <= 16 => {
                        let all = many.iter().fold(ONE, |all, &d| self.bits.and(all, d ^ 1));
                        vec![all]
                    }
                    // The zero flag of a secret; it is rarely read.
                    many => vec![Bits::opaque(many.iter().any(|&d| self.bits.is_secret(d)))],
                }
            }
            _ => {
                let (mut a, mut b) = (a.to_vec(), b.to_vec());
                if op == Binary::Less
                    && let (Some(x), Some(y)) = (a.last_mut(), b.last_mut())
                {
                    *x ^= 1;
                    *y ^= 1;
                }
                vec![self.bits.add(&a, &b, ZERO, true).1]
            }
        };
        self.value(bits)
    }

    pub(crate) fn product(&mut self, width: u8, a: &Value, b: &Value) -> Value {
        let (bits, by) = match (a, b) {
            (Value::Bits(bits), Value::Number(n)) | (Value::Number(n), Value::Bits(bits)) => (bits, *n),
            _ => return self.unknown(&[a, b]),
        };
        let mut sum = vec![ZERO; usize::from(width)];
        for k in (0..width).filter(|k| by >> k & 1 == 1) {
            let k = usize::from(k);
            let shifted: Vec<Bit> =
                std::iter::repeat_n(ZERO, k).chain(bits[..bits.len() - k].iter().copied()).collect();
            sum = self.bits.add(&sum, &shifted, ZERO, false).0;
        }
        self.value(sum)
    }
}
