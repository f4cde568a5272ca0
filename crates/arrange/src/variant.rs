//! A variant: one point of the search space, as plain data with a readable text form.

use crate::dimension::{Choice, Dimension, Place};
use crate::table::Table;
use aesmith_cipher::Problem;
use aesmith_dataflow::Technique;
use std::fmt;
use std::str::FromStr;

/// Maximum number of dimensions in a table.
pub const MOST_DIMENSIONS: usize = 40;

/// One move of an instruction within the main loop: the instruction at index `from` is removed and inserted at index
/// `to`. Moves apply in sequence to the order of the arrangement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Move {
    /// Index of the instruction that moves.
    pub from: u16,
    /// Its index afterwards.
    pub to: u16,
}

/// One point of the search space: a value for every dimension of its problem, and an order.
///
/// Text form: `aes256-ctr technique=gfni width=zmm keys=0x7fff interleave=4 ... order=12>5,30>2`, and for processors
/// other than x86-64 `aes128-ecb processor=avr sbox=flash ... seed=7`. Parsing rejects an unknown dimension or value by
/// name; a dimension that is not named has its default, and the default technique is AES instructions.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Variant {
    /// The problem that it solves.
    pub problem: Problem,
    /// The table of its processor's dimensions.
    pub table: &'static Table,
    /// The technique of a round.
    pub technique: Technique,
    values: [u16; MOST_DIMENSIONS],
    /// Moves of single instructions within the main loop.
    pub order: Vec<Move>,
    /// Number of the order and allocation that a processor's own scheduler finds, 0 for the first one
    /// (`aesmith_order::inorder`).
    pub seed: u32,
}

impl Variant {
    /// The variant of a table and a technique without any optimization: every dimension at its default.
    pub fn of(table: &'static Table, problem: Problem, technique: Technique) -> Variant {
        let values = std::array::from_fn(|i| table.dimensions.get(i).map_or(0, |d| d.default));
        let mut variant = Variant { problem, table, technique, values, order: Vec::new(), seed: 0 };
        variant.settle();
        variant
    }

    /// The value of a dimension.
    pub fn get(&self, place: impl Into<Place>) -> u16 {
        self.values[usize::from(place.into().0)]
    }

    /// Changes one value without a check: see [`Variant::check`].
    pub fn set(&mut self, place: impl Into<Place>, value: u16) {
        self.values[usize::from(place.into().0)] = value;
    }

    /// This variant with one value changed, without a check: see [`Variant::check`].
    pub fn with(mut self, place: impl Into<Place>, value: u16) -> Variant {
        self.set(place, value);
        self
    }

    /// This variant with another number of the order and allocation.
    pub fn seeded(self, seed: u32) -> Variant {
        Variant { seed, ..self }
    }

    /// True if its problem has a dimension with its technique.
    pub fn has(&self, place: impl Into<Place>) -> bool {
        let place = place.into();
        self.table.dimensions.get(usize::from(place.0)).is_some_and(|d| (d.has)(self.problem, self.technique))
    }

    /// True if a switch is on.
    pub fn on(&self, place: impl Into<Place>) -> bool {
        self.get(place) != 0
    }

    /// The value of a choice, if its processor has that choice.
    pub fn choice<C: Choice>(&self) -> Option<C> {
        let text = self.text_of(C::NAME)?;
        C::ALL.iter().copied().find(|value| value.text() == text)
    }

    /// True if a choice has this value.
    pub fn is<C: Choice>(&self, value: C) -> bool {
        self.text_of(C::NAME) == Some(value.text())
    }

    /// The name of a dimension's value, if its processor has that dimension with named values; for callers that do not
    /// know the processor's own types of choices.
    pub fn text_of(&self, name: &str) -> Option<&'static str> {
        let dimension = self.table.dimensions.iter().find(|d| d.name == name)?;
        match dimension.values {
            crate::Values::Named(names) => names.get(usize::from(self.get(dimension))).copied(),
            _ => None,
        }
    }

    /// This variant with one choice set; dimensions that then do not apply get their default.
    ///
    /// # Errors
    /// A sentence: its processor has no such choice or value.
    pub fn with_choice<C: Choice>(&self, value: C) -> Result<Variant, VariantError> {
        let dimension = self.table.find(self.problem, self.technique, C::NAME)?;
        Ok(self.clone().with(dimension, dimension.read(value.text())?).clamped())
    }

    /// The variants that differ in one dimension, and in dimensions that then do not apply.
    pub fn neighbours(&self) -> Vec<Variant> {
        let mut found = Vec::new();
        for dimension in self.dimensions() {
            for value in dimension.all() {
                let one = self.clone().with(dimension, value).clamped();
                if one != *self && !found.contains(&one) {
                    found.push(one);
                }
            }
        }
        found
    }

    /// Checks every value against its range, and the ranges that depend on other values.
    pub fn check(&self) -> Result<(), VariantError> {
        for d in self.dimensions() {
            let value = self.get(d);
            if !d.values.contains(value) {
                return Err(VariantError::bad_value(d, &value.to_string()));
            }
            if value != d.default && !(d.applies)(self) {
                return Err((self.table.idle)(self, d));
            }
        }
        (self.table.check)(self)
    }

    /// This variant with dependent values clamped to the ranges that the others allow.
    pub fn clamped(mut self) -> Variant {
        self.settle();
        self
    }

    fn settle(&mut self) {
        for d in self.table.dimensions {
            if self.get(d) != d.default && !(d.applies)(self) {
                self.set(d, d.default);
            }
        }
        (self.table.settle)(self);
        self.follow();
    }

    /// Sets the technique from the dimensions, if it follows from them.
    pub(crate) fn follow(&mut self) {
        if let Some(technique) = self.table.technique {
            self.technique = technique(self);
        }
    }

    /// The dimensions that it has, in table order.
    pub fn dimensions(&self) -> impl Iterator<Item = &'static Dimension> + use<> {
        self.table.dimensions(self.problem, self.technique)
    }
}

impl fmt::Display for Variant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.problem)?;
        if self.table.named {
            write!(f, " processor={}", self.table.processor)?;
        }
        if self.table.technique.is_none() && self.technique != Technique::default() {
            write!(f, " technique={}", self.technique)?;
        }
        for d in self.dimensions().filter(|d| !d.quiet || self.get(*d) != d.default) {
            write!(f, " {}={}", d.name, d.show(self.get(d)))?;
        }
        for (i, m) in self.order.iter().enumerate() {
            write!(f, "{}{}>{}", if i == 0 { " order=" } else { "," }, m.from, m.to)?;
        }
        if self.seed > 0 { write!(f, " seed={}", self.seed) } else { Ok(()) }
    }
}

/// The reason why a text is not a variant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VariantError(pub String);

impl VariantError {
    pub(crate) fn bad_value(d: &Dimension, value: &str) -> Self {
        VariantError(format!("`{value}` is no value of `{}`, which is {}", d.name, d.range()))
    }
}

impl fmt::Display for VariantError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for VariantError {}

impl From<VariantError> for String {
    fn from(error: VariantError) -> String {
        error.0
    }
}

/// A text form that names no processor belongs to the table of kernels over vector registers.
impl FromStr for Variant {
    type Err = VariantError;

    fn from_str(text: &str) -> Result<Variant, VariantError> {
        crate::vectors::TABLE.parse(text)
    }
}

pub(crate) fn read_order(text: &str) -> Result<Vec<Move>, VariantError> {
    text.split(',').map(read_move).collect()
}

fn read_move(text: &str) -> Result<Move, VariantError> {
    let bad = || VariantError(format!("`{text}` is no move of an instruction, which is written FROM>TO"));
    let (from, to) = text.split_once('>').ok_or_else(bad)?;
    Ok(Move { from: from.parse().map_err(|_| bad())?, to: to.parse().map_err(|_| bad())? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_round_trips() {
        for problem in Problem::all() {
            for technique in Technique::ALL {
                let mut v = Variant::plain(problem, technique);
                v.order = vec![Move { from: 3, to: 1 }, Move { from: 7, to: 9 }];
                assert_eq!(v.to_string().parse(), Ok(v));
            }
        }
    }

    #[test]
    fn unknown_names_are_refused_by_name() {
        let error = "aes128-ctr interlave=3".parse::<Variant>().unwrap_err();
        assert!(error.0.contains("interlave") && error.0.contains("interleave"), "{error}");
        let error = "aes128-ctr width=wmm".parse::<Variant>().unwrap_err();
        assert!(error.0.contains("xmm | ymm | zmm"), "{error}");
        let error = "aes128-ctr technique=tabel".parse::<Variant>().unwrap_err();
        assert!(error.0.contains("did you mean table"), "{error}");
        let error = "aes128-ctr technique=gfni layout=sliced interleave=2".parse::<Variant>().unwrap_err();
        assert!(error.0.contains("layout=blocks"), "{error}");
        let error =
            "aes128-ctr technique=table tables=padded extract=registers".parse::<Variant>().unwrap_err();
        assert!(error.0.contains("extract=shift"), "{error}");
        let error = "aes128-ecb-dec technique=table last=bytes".parse::<Variant>().unwrap_err();
        assert!(error.0.contains("last=masked"), "{error}");
        let error = "aes128-ctr technique=vperm cached=2".parse::<Variant>().unwrap_err();
        assert!(error.0.contains("cached=1"), "{error}");
        let error = "aes128-ctr technique=gfni layout=sliced cached=1".parse::<Variant>().unwrap_err();
        assert!(error.0.contains("cached=2"), "{error}");
        assert!("aes128-ctr technique=table width=zmm".parse::<Variant>().is_err());
        let error = "aes128-ctr seed=5".parse::<Variant>().unwrap_err();
        assert!(error.0.contains("no dimension `seed`"), "{error}");
        assert_eq!("  aes128-ctr width=zmm".parse::<Variant>(), "aes128-ctr width=zmm".parse());
        assert!("aes128-ctr prefetch=cache interleave=2 source=3".parse::<Variant>().is_err());
    }
}
