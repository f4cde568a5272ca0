//! The scale of a plot's axis.

use crate::html::count;
use std::fmt::Write;

/// A logarithmic scale from the least to the greatest value, with a margin, onto pixels.
pub(crate) struct Scale {
    low: f64,
    high: f64,
    from: f64,
    to: f64,
}

impl Scale {
    /// A scale for these values, onto the pixels from `from` to `to`.
    pub fn new(values: impl Iterator<Item = f64> + Clone, from: f64, to: f64) -> Scale {
        let low = values.clone().fold(f64::INFINITY, f64::min).max(1.0);
        let high = values.fold(1.0, f64::max).max(low * 1.2);
        let room = (high / low).powf(0.08);
        Scale { low: (low / room).ln(), high: (high * room).ln(), from, to }
    }

    /// The pixel of a value.
    pub fn at(&self, value: f64) -> f64 {
        self.from + (value.max(1.0).ln() - self.low) / (self.high - self.low) * (self.to - self.from)
    }

    /// Round numbers in range: 1, 2 and 5 times powers of ten; more multiples if there are fewer than three.
    pub fn ticks(&self) -> Vec<u64> {
        let within = |steps: &[u64]| -> Vec<u64> {
            let powers = (0..9).map(|p| 10u64.pow(p));
            let all = powers.flat_map(|p| steps.iter().map(move |s| s * p));
            let mut all: Vec<u64> =
                all.filter(|t| (self.low..=self.high).contains(&(*t as f64).ln())).collect();
            all.sort_unstable();
            all.dedup();
            all
        };
        let few = within(&[1, 2, 5]);
        if few.len() >= 3 { few } else { within(&[1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 14, 16, 18]) }
    }
}

/// Writes the lines and numbers at the ticks of a picture's two axes, as SVG.
pub(crate) fn grid(out: &mut String, x: &Scale, y: &Scale) {
    let (left, right, top, bottom) = (x.from, x.to, y.to, y.from);
    for tick in x.ticks() {
        let at = x.at(tick as f64);
        let _ = write!(
            out,
            "<line class=\"grid\" x1=\"{at:.1}\" x2=\"{at:.1}\" y1=\"{top}\" y2=\"{bottom:.1}\"/><text x=\"{at:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>",
            bottom + 18.0,
            count(tick)
        );
    }
    for tick in y.ticks() {
        let at = y.at(tick as f64);
        let _ = write!(
            out,
            "<line class=\"grid\" x1=\"{left}\" x2=\"{right:.1}\" y1=\"{at:.1}\" y2=\"{at:.1}\"/><text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
            left - 6.0,
            at + 4.0,
            count(tick)
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scales_have_ticks() {
        for (low, high) in [(1500.0, 1600.0), (600.0, 9000.0), (84.0, 84.0)] {
            let scale = Scale::new([low, high].into_iter(), 0.0, 100.0);
            assert!(scale.ticks().len() >= 2 || high < 2000.0, "{low} {high}: {:?}", scale.ticks());
            assert!(scale.at(low) >= 0.0 && scale.at(high) <= 100.0);
        }
    }
}
