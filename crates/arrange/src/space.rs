//! A space: the dimensions of one problem, each with its allowed values.

use crate::dimension::Dimension;
use crate::variant::{Variant, VariantError};
use std::ops::ControlFlow;

/// The search space of one problem: dimensions, each with its allowed values.
#[derive(Clone, Debug)]
pub struct Space {
    /// The variant without any optimization; its problem, table and technique are those of the space.
    pub plain: Variant,
    /// The dimensions and the allowed values of each, in table order. A dimension with one value is fixed.
    pub axes: Vec<Axis>,
}

/// One dimension and its allowed values in a space.
#[derive(Clone, Debug)]
pub struct Axis {
    /// The dimension.
    pub dimension: &'static Dimension,
    /// The allowed values, ascending.
    pub values: Vec<u16>,
    /// Relative frequency with which a strategy should propose to change it: the dimension's own weight, unless
    /// [`Space::weigh`] changed it.
    pub weight: u32,
}

impl Axis {
    /// A dimension with some of its values, and its own weight.
    pub fn new(dimension: &'static Dimension, values: Vec<u16>) -> Axis {
        Axis { dimension, values, weight: dimension.weight }
    }

    /// The value without optimization, or the nearest allowed one: every search starts there.
    pub fn plainest(&self) -> u16 {
        match self.values.first() {
            Some(&first) if !self.values.contains(&self.dimension.default) => first,
            _ => self.dimension.default,
        }
    }
}

impl Space {
    /// Sets how frequently strategies change a dimension. With weight 0 every strategy leaves it unchanged: it keeps
    /// the value without optimization, or the nearest allowed one.
    ///
    /// # Errors
    /// The space has no such dimension; the message lists similar names.
    pub fn weigh(&mut self, name: &str, weight: u32) -> Result<(), VariantError> {
        let plain = &self.plain;
        let dimension = plain.table.find(plain.problem, plain.technique, name)?;
        for axis in self.axes.iter_mut().filter(|axis| axis.dimension.place == dimension.place) {
            axis.weight = weight;
            if weight == 0 {
                axis.values = vec![axis.plainest()];
            }
        }
        Ok(())
    }

    /// The exact number of variants, not counting orders of instructions: the number that [`Space::each`] visits.
    pub fn count(&self) -> u128 {
        if let Some(count) = self.plain.table.count {
            return count(self);
        }
        let mut all = 0;
        self.each(|_| {
            all += 1;
            ControlFlow::Continue(())
        });
        all
    }

    /// All variants, in the order of [`Space::each`]; for spaces that fit into memory.
    pub fn variants(&self) -> Vec<Variant> {
        let mut all = Vec::new();
        self.each(|variant| {
            all.push(variant);
            ControlFlow::Continue(())
        });
        all
    }

    /// True if every value of a variant is allowed here.
    pub fn allows(&self, variant: &Variant) -> bool {
        self.axes.iter().all(|a| a.values.binary_search(&variant.get(a.dimension)).is_ok())
    }

    /// Calls `visit` with each variant, in a fixed order, until it breaks.
    pub fn each(&self, mut visit: impl FnMut(Variant) -> ControlFlow<()>) {
        let mut digits = vec![0usize; self.axes.len()];
        loop {
            let mut variant = self.plain.clone();
            for (axis, &digit) in self.axes.iter().zip(&digits) {
                variant.set(axis.dimension, axis.values[digit]);
            }
            variant.follow();
            if variant.check().is_ok() && visit(variant).is_break() {
                return;
            }
            let Some(place) = (0..digits.len()).rev().find(|&i| digits[i] + 1 < self.axes[i].values.len())
            else {
                return;
            };
            digits[place] += 1;
            digits[place + 1..].fill(0);
        }
    }
}
