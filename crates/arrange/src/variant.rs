//! A variant: one point of the search space, as plain data with a readable text form.

use crate::dimension::{Choice, Dimension, Handle, Place, Role};
use crate::table::Table;
use aesmith_cipher::Problem;
use aesmith_dataflow::{Choices, Technique};
use std::fmt;

/// Maximum number of dimensions in a table.
pub(crate) const MOST_DIMENSIONS: usize = 40;

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

    fn place(&self, dimension: impl Handle) -> Option<Place> {
        dimension.place(self.table)
    }

    /// The value of a dimension; 0 if its processor has no such dimension.
    pub fn get(&self, dimension: impl Handle) -> u16 {
        self.place(dimension).map_or(0, |place| self.values[usize::from(place.0)])
    }

    /// Changes one value without a check: see [`Variant::check`].
    ///
    /// # Panics
    /// Its processor has no such dimension.
    pub fn set(&mut self, dimension: impl Handle, value: u16) {
        let place = self.place(dimension).unwrap_or_else(|| panic!("{:?} has no such dimension", self.table));
        self.values[usize::from(place.0)] = value;
    }

    /// This variant with one value changed, without a check: see [`Variant::check`].
    ///
    /// # Panics
    /// Its processor has no such dimension.
    pub fn with(mut self, dimension: impl Handle, value: u16) -> Variant {
        self.set(dimension, value);
        self
    }

    /// This variant with another number of the order and allocation.
    pub fn seeded(self, seed: u32) -> Variant {
        Variant { seed, ..self }
    }

    /// True if its problem has a dimension with its technique.
    pub fn has(&self, dimension: impl Handle) -> bool {
        let dimension =
            self.place(dimension).and_then(|place| self.table.dimensions.get(usize::from(place.0)));
        dimension.is_some_and(|d| (d.has)(self.problem, self.technique))
    }

    /// True if a switch is on.
    pub fn on(&self, dimension: impl Handle) -> bool {
        self.get(dimension) != 0
    }

    /// Blocks in a vector register: 1, 2 or 4; 1 if the processor has no such choice.
    pub fn lanes(&self) -> usize {
        1 << self.get(Role::Width)
    }

    /// The technique's name in files and reports: its own, or for techniques that are named by the width of registers
    /// the name for registers of one block or of several.
    pub fn technique_name(&self) -> &'static str {
        match self.technique.record().names_by_width {
            Some([(narrow, _), (wide, _)]) => {
                if self.lanes() == 1 {
                    narrow
                } else {
                    wide
                }
            }
            None => self.technique.name(),
        }
    }

    /// True if its main loop works on a group of blocks in another form than the cipher's.
    pub fn sliced(&self) -> bool {
        (self.table.sliced)(self)
    }

    /// The choices that its values make within the technique; choices that the processor makes are left open.
    pub fn choices(&self) -> Choices {
        (self.table.choices)(self)
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

pub(crate) fn read_order(text: &str) -> Result<Vec<Move>, VariantError> {
    text.split(',').map(read_move).collect()
}

fn read_move(text: &str) -> Result<Move, VariantError> {
    let bad = || VariantError(format!("`{text}` is no move of an instruction, which is written FROM>TO"));
    let (from, to) = text.split_once('>').ok_or_else(bad)?;
    Ok(Move { from: from.parse().map_err(|_| bad())?, to: to.parse().map_err(|_| bad())? })
}
