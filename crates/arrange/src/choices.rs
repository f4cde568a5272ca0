//! The variant of a described processor: a problem, and a value for each of the dimensions that the
//! processor's kernels have. Plain data: `aes128-ecb processor=avr tables=ram rounds=unrolled`.

use std::fmt;

use aesmith_cipher::Problem;
use aesmith_cipher::problem::nearest;

/// A choice that a processor's kernels have.
#[derive(Debug)]
pub struct Dimension {
    /// Its name.
    pub name: &'static str,
    /// Its values; the first is taken where none is given.
    pub values: &'static [&'static str],
    /// A sentence on what it chooses.
    pub about: &'static str,
    /// Whether it means anything for this problem and the choices of the dimensions before it; where
    /// it does not, the first value stands.
    pub applies: fn(&Variant) -> bool,
}

/// A point of a described processor's space.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Variant {
    /// What is computed.
    pub problem: Problem,
    /// The processor's name.
    pub processor: &'static str,
    /// Name and value of each dimension, in the processor's order.
    pub choices: Vec<(&'static str, &'static str)>,
    /// Number of the order and allocation that local search has found, 0 for the list scheduler's;
    /// see `aesmith_order::inorder`.
    pub seed: u32,
}

impl Variant {
    /// The value of a dimension, empty if the processor has no such dimension.
    pub fn get(&self, name: &str) -> &'static str {
        self.choices.iter().find(|(n, _)| *n == name).map_or("", |(_, v)| v)
    }

    /// Whether a dimension has a value.
    pub fn is(&self, name: &str, value: &str) -> bool {
        self.get(name) == value
    }

    /// The variant with the first value of every dimension.
    pub fn plain(problem: Problem, processor: &'static str, dimensions: &'static [Dimension]) -> Variant {
        let choices = dimensions.iter().map(|d| (d.name, d.values[0])).collect();
        Variant { problem, processor, choices, seed: 0 }
    }

    /// The variant with one more dimension set, or a sentence; dimensions that do not apply then get
    /// their first value.
    pub fn with(&self, dimensions: &'static [Dimension], name: &str, value: &str) -> Result<Variant, String> {
        let names: Vec<String> = dimensions.iter().map(|d| d.name.to_owned()).collect();
        let place = dimensions.iter().position(|d| d.name == name).ok_or_else(|| {
            format!(
                "{} has no dimension '{name}'; near it: {}",
                self.processor,
                nearest(name, &names, 3).join(", ")
            )
        })?;
        let value =
            dimensions[place].values.iter().find(|v| **v == value).ok_or_else(|| {
                format!("'{name}' is {}, not '{value}'", dimensions[place].values.join(" or "))
            })?;
        let mut variant = self.clone();
        variant.choices[place].1 = value;
        variant.settle(dimensions);
        Ok(variant)
    }

    fn settle(&mut self, dimensions: &'static [Dimension]) {
        for (place, dimension) in dimensions.iter().enumerate() {
            if !(dimension.applies)(self) {
                self.choices[place].1 = dimension.values[0];
            }
        }
    }

    /// All variants of a problem, with seed 0.
    pub fn all(problem: Problem, processor: &'static str, dimensions: &'static [Dimension]) -> Vec<Variant> {
        let mut found = vec![Variant::plain(problem, processor, dimensions)];
        for (place, dimension) in dimensions.iter().enumerate() {
            let mut wider = Vec::new();
            for variant in &found {
                if !(dimension.applies)(variant) {
                    wider.push(variant.clone());
                    continue;
                }
                for value in dimension.values {
                    let mut one = variant.clone();
                    one.choices[place].1 = value;
                    wider.push(one);
                }
            }
            found = wider;
        }
        found
    }

    /// The variant of a line of text without its problem and processor: `name=value ...`.
    pub fn parse(
        problem: Problem,
        processor: &'static str,
        dimensions: &'static [Dimension],
        text: &str,
    ) -> Result<Variant, String> {
        let mut variant = Variant::plain(problem, processor, dimensions);
        for word in text.split_whitespace() {
            let (name, value) =
                word.split_once('=').ok_or_else(|| format!("'{word}' is not written as name=value"))?;
            if name == "seed" {
                variant.seed = value.parse().map_err(|_| format!("'{value}' is not the number of a seed"))?;
            } else {
                variant = variant.with(dimensions, name, value)?;
            }
        }
        Ok(variant)
    }
}

impl fmt::Display for Variant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} processor={}", self.problem, self.processor)?;
        for (name, value) in &self.choices {
            write!(f, " {name}={value}")?;
        }
        if self.seed > 0 { write!(f, " seed={}", self.seed) } else { Ok(()) }
    }
}
