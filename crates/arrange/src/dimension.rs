//! A dimension: one choice in the kernels of a processor, its values, and the variants to which it applies.

use std::str::FromStr;

use crate::earlier::Earlier;
use crate::table::Table;
use crate::variant::{Variant, VariantError};
use aesmith_cipher::Problem;
use aesmith_dataflow::Technique;

/// The values that a dimension takes. A value is stored as its index or number in a `u16`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Values {
    /// Every number from the first to the last, both included.
    Range(u16, u16),
    /// Named choices; the value is the index.
    Named(&'static [&'static str]),
    /// A set of this many bits; bit `i` is element `i`.
    Mask(u32),
}

impl Values {
    /// The number of values.
    pub const fn count(self) -> u64 {
        match self {
            Values::Range(first, last) => (last - first) as u64 + 1,
            Values::Named(names) => names.len() as u64,
            Values::Mask(bits) => 1 << bits,
        }
    }

    /// The value at `index` in `0..count()`.
    pub const fn at(self, index: u64) -> u16 {
        match self {
            Values::Range(first, _) => first + index as u16,
            Values::Named(_) | Values::Mask(_) => index as u16,
        }
    }

    /// True if `value` is one of these.
    pub const fn contains(self, value: u16) -> bool {
        match self {
            Values::Range(first, last) => first <= value && value <= last,
            Values::Named(names) => (value as usize) < names.len(),
            Values::Mask(bits) => (value as u64) < 1 << bits,
        }
    }
}

/// Index of a dimension in its table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Place(pub u8);

/// A way to name a dimension, whose value is read or changed: its index, its record, its role or its name.
pub trait Handle: Copy {
    /// The index of the dimension in a table; `None` if the table has no such dimension.
    fn place(self, table: &Table) -> Option<Place>;
}

impl Handle for Place {
    fn place(self, _: &Table) -> Option<Place> {
        Some(self)
    }
}

impl Handle for &Dimension {
    fn place(self, _: &Table) -> Option<Place> {
        Some(self.place)
    }
}

impl Handle for Role {
    fn place(self, table: &Table) -> Option<Place> {
        table.dimensions.iter().find(|d| d.role == Some(self)).map(|d| d.place)
    }
}

impl Handle for &str {
    fn place(self, table: &Table) -> Option<Place> {
        table.dimensions.iter().find(|d| d.name == self).map(|d| d.place)
    }
}

/// The meaning of a dimension that stages ask for without knowing the processor. A table has at most one dimension of
/// each role.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// Register width: value `n` stands for registers of 2^n blocks.
    Width,
    /// Registers of independent blocks in flight in one iteration; 0 and 1 both mean one.
    Interleave,
    /// The round keys that stay in registers, as a mask.
    Keys,
    /// Rounds of counter mode that are taken from a table.
    CachedRounds,
    /// A switch: registers and stack are cleared of key material before the return.
    Wipe,
}

/// How searches treat a dimension.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Search {
    /// The values that remain when a space is reduced to a size that can be searched exhaustively.
    pub exhaustive: Exhaustive,
    /// The kernels that are guessed to be alike if variants differ only in this dimension.
    pub likeness: Likeness,
    /// True if searches keep the default, and other values are used only on request.
    pub on_request: bool,
    /// True if values that a space lacks cannot be built; otherwise they are only left out of searches, and may be
    /// requested.
    pub firm: bool,
    /// Length of messages in bytes from which searches try other values than the default.
    pub least_size: usize,
}

impl Search {
    /// The treatment of most dimensions.
    pub const PLAIN: Search = Search {
        exhaustive: Exhaustive::Default,
        likeness: Likeness::None,
        on_request: false,
        firm: false,
        least_size: 0,
    };
}

/// The values of a dimension in an exhaustive search of a reduced space.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exhaustive {
    /// The default, because the influence of the dimension is small.
    Default,
    /// All values of the space.
    All,
    /// The largest value of the space; in modes that chain blocks all values, because streams may not fill the widest
    /// registers.
    Widest,
    /// These values.
    Some(&'static [u16]),
}

/// The values of a dimension whose kernels may differ only in the order of instructions and in registers. It is a guess,
/// which saves time if it is right; a proof decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Likeness {
    /// None: each value makes another kernel.
    None,
    /// All values except 0.
    Nonzero,
    /// All values.
    All,
}

/// One dimension of a space.
#[derive(Clone, Copy, Debug)]
pub struct Dimension {
    /// Its index in its table, set by [`numbered`].
    pub place: Place,
    /// Its name in text forms and messages.
    pub name: &'static str,
    /// Its values.
    pub values: Values,
    /// Relative frequency with which a strategy should propose to change it (the paper's argument weights: heavy for
    /// keys in registers and interleaving, light for switches).
    pub weight: u32,
    /// Its value in the variant without any optimization, at which every search starts.
    pub default: u16,
    /// The problems and techniques with this dimension; only there does it appear in the text form.
    pub has: fn(Problem, Technique) -> bool,
    /// True if text forms name it only if it is not at its default, so that texts from before it existed stay
    /// unchanged.
    pub quiet: bool,
    /// True if it has an effect with the values of the other dimensions; otherwise it keeps its default. It may depend
    /// on dimensions that precede it, and on its own value, if a problem lacks some values.
    pub applies: fn(&Variant) -> bool,
    /// Number of meaningful bits of a mask for a problem, from the lowest; 0 for other values.
    pub bits: fn(Problem) -> u16,
    /// Its meaning for stages that do not know the processor, if it has one.
    pub role: Option<Role>,
    /// The treatment by searches.
    pub search: Search,
    /// A one-sentence description for users.
    pub meaning: &'static str,
    /// Words of earlier text forms that mean one of its values.
    pub earlier: &'static [Earlier],
}

/// Two dimensions of one table are equal if their indices are.
impl PartialEq for Dimension {
    fn eq(&self, other: &Dimension) -> bool {
        (self.place, self.name) == (other.place, other.name)
    }
}

impl Eq for Dimension {}

impl Dimension {
    /// A choice of all problems of its processor, limited to variants for which `applies` is true; the first value is
    /// the default.
    pub const fn of<C: Choice>(meaning: &'static str, applies: fn(&Variant) -> bool) -> Dimension {
        let (name, values) = (C::NAME, Values::Named(C::NAMES));
        Dimension {
            place: Place(0),
            name,
            values,
            weight: 1,
            default: 0,
            has: |_, _| true,
            quiet: false,
            applies,
            bits: |_| 0,
            role: None,
            search: Search::PLAIN,
            meaning,
            earlier: &[],
        }
    }

    /// This dimension with fewer values.
    pub const fn among(mut self, values: &'static [&'static str]) -> Dimension {
        self.values = Values::Named(values);
        self
    }

    /// This dimension with words of earlier text forms for its values.
    pub const fn formerly(mut self, earlier: &'static [Earlier]) -> Dimension {
        self.earlier = earlier;
        self
    }

    /// The text form of one of its values.
    pub fn show(&self, value: u16) -> String {
        match self.values {
            Values::Range(..) => value.to_string(),
            Values::Named(names) => names.get(value as usize).map_or(value.to_string(), |n| n.to_string()),
            Values::Mask(_) => format!("{value:#06x}"),
        }
    }

    /// Reads a value's text form.
    pub fn read(&self, text: &str) -> Result<u16, VariantError> {
        let value = match self.values {
            Values::Named(names) => names.iter().position(|n| *n == text).map(|i| i as u16),
            Values::Mask(_) if text.starts_with("0x") => u16::from_str_radix(&text[2..], 16).ok(),
            _ => text.parse().ok(),
        };
        value.filter(|v| self.values.contains(*v)).ok_or_else(|| VariantError::bad_value(self, text))
    }

    /// Its values, for users: `0 to 15`, `none | cache | register`, `15-bit mask`.
    pub fn range(&self) -> String {
        match self.values {
            Values::Range(first, last) => format!("{first} to {last}"),
            Values::Named(names) => names.join(" | "),
            Values::Mask(bits) => format!("{bits}-bit mask"),
        }
    }

    /// All its values, in their order.
    pub fn all(&self) -> impl Iterator<Item = u16> {
        let values = self.values;
        (0..values.count()).map(move |index| values.at(index))
    }
}

/// Sets the indices of the dimensions of a table.
pub const fn numbered<const N: usize>(mut dimensions: [Dimension; N]) -> [Dimension; N] {
    let mut place = 0;
    while place < N {
        dimensions[place].place = Place(place as u8);
        place += 1;
    }
    dimensions
}

/// A dimension whose values are a type, so that a mistyped name does not compile: see [`choices!`](crate::choices).
pub trait Choice: Copy + 'static {
    /// The name of its dimension.
    const NAME: &'static str;
    /// All its values on any processor of a family.
    const ALL: &'static [Self];
    /// Their names in text forms.
    const NAMES: &'static [&'static str];
    /// The value's name in text forms.
    fn text(self) -> &'static str;

    /// The number in the value's name.
    ///
    /// # Panics
    /// The name is not a number of this type.
    fn number<N: FromStr>(self) -> N {
        let number = self.text().parse().ok();
        number.unwrap_or_else(|| panic!("{}={} names no such number", Self::NAME, self.text()))
    }
}

/// Declares types for dimensions with named values, each a [`Choice`]:
/// `choices! { Rounds "rounds" { Unrolled "unrolled", Looped "looped" } }`.
#[macro_export]
macro_rules! choices {
    ($($name:ident $dimension:literal { $($value:ident $text:literal),* $(,)? })*) => { $(
        #[doc = concat!("The values of the dimension `", $dimension, "`.")]
        #[allow(missing_docs)]
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub enum $name { $($value),* }

        impl $crate::Choice for $name {
            const NAME: &'static str = $dimension;
            const ALL: &'static [Self] = &[$(Self::$value),*];
            const NAMES: &'static [&'static str] = &[$($text),*];
            fn text(self) -> &'static str {
                <Self as $crate::Choice>::NAMES[self as usize]
            }
        }
    )* };
}
