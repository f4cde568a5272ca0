//! A variant: one point of the search space, as plain data with a readable text form.

use crate::dimensions::{DIMENSIONS, Dim, Dimension, Values, dimensions};
use aesmith_cipher::{Direction, Problem, Task, problem::nearest};
use aesmith_dataflow::{Choices, Technique};
use std::fmt;
use std::str::FromStr;

/// One move of an instruction within the main loop: the instruction at index `from` is taken out
/// and put in at index `to`. Moves apply in sequence to the order that the arrangement gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Move {
    /// Index of the instruction that moves.
    pub from: u16,
    /// Its index afterwards.
    pub to: u16,
}

/// One point of the search space: a value for every dimension of its problem, and an order.
///
/// Text form: `aes256-ctr technique=gfni width=zmm keys=0x7fff interleave=4 ... order=12>5,30>2`.
/// Parsing refuses an unknown dimension or value by name; a dimension that is not named has its
/// default, and without a technique it is that of AES instructions.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Variant {
    /// What it computes.
    pub problem: Problem,
    /// How a round is computed.
    pub technique: Technique,
    values: [u16; DIMENSIONS.len()],
    /// Moves of single instructions within the main loop.
    pub order: Vec<Move>,
}

impl Variant {
    /// The variant of AES instructions without any optimization.
    pub fn baseline(problem: Problem) -> Variant {
        Variant::plain(problem, Technique::default())
    }

    /// The variant of a technique without any optimization: every dimension at its default.
    pub fn plain(problem: Problem, technique: Technique) -> Variant {
        let values = std::array::from_fn(|i| DIMENSIONS[i].default);
        let mut variant = Variant { problem, technique, values, order: Vec::new() };
        variant.keep_width();
        variant
    }

    /// The value of a dimension.
    pub fn get(&self, dim: Dim) -> u16 {
        self.values[dim as usize]
    }

    /// Whether its problem has a dimension with its technique.
    pub fn has(&self, dim: Dim) -> bool {
        DIMENSIONS[dim as usize].applies(self.problem.task, self.technique)
    }

    /// Sets the width of a technique that works on registers of one width only.
    fn keep_width(&mut self) {
        if let Some(lanes) = self.technique.record().only_lanes
            && self.has(Dim::Width)
        {
            self.set(Dim::Width, lanes.ilog2() as u16);
        }
    }

    /// Whether a switch is on.
    pub fn on(&self, dim: Dim) -> bool {
        self.get(dim) != 0
    }

    /// This variant with one value changed. The value is not checked: see [`Variant::check`].
    pub fn with(mut self, dim: Dim, value: u16) -> Variant {
        self.set(dim, value);
        self
    }

    /// Changes one value. It is not checked: see [`Variant::check`].
    pub fn set(&mut self, dim: Dim, value: u16) {
        self.values[dim as usize] = value;
    }

    /// Blocks in a vector register: 1, 2 or 4.
    pub fn lanes(&self) -> usize {
        1 << self.get(Dim::Width)
    }

    /// The technique's name in files and reports: `aesni` on xmm and `vaes` on ymm and zmm for AES
    /// instructions, its own for the others.
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

    /// Whether its main loop works on a transposed group of blocks.
    pub fn sliced(&self) -> bool {
        self.on(Dim::Layout)
    }

    /// What its values choose within the technique; what the processor decides is left open.
    pub fn choices(&self) -> Choices {
        Choices {
            circuit: self.get(Dim::Circuit) as u8,
            fixsliced: self.on(Dim::ShiftRows),
            multiples: self.get(Dim::Multiples) as u8,
            spread: self.get(Dim::Spread) as u8,
            ..Choices::default()
        }
    }

    /// What the dependent dimensions `source` and `ahead` count: interleaved registers, or
    /// unrolled blocks; at least 1.
    pub fn factor(&self) -> u16 {
        self.get(Dim::Interleave).max(self.get(Dim::Unroll)).max(1)
    }

    /// Checks every value against its range, and the ranges that depend on other values.
    pub fn check(&self) -> Result<(), VariantError> {
        for d in dimensions(self.problem, self.technique) {
            let value = self.get(d.dim);
            if !d.values.contains(value) {
                return Err(VariantError::bad_value(d, value.to_string()));
            }
            if d.dim.idle_in(self.technique, self.sliced()) && value != d.default {
                let (what, here, there) = match self.sliced() {
                    true => ("registers of whole blocks", "sliced", "blocks"),
                    false => ("a transposed group of blocks", "blocks", "sliced"),
                };
                return Err(VariantError(format!(
                    "{}={} is about {what} and does not go with layout={here}; layout={there} has it",
                    d.name,
                    d.show(value)
                )));
            }
        }
        if let Some(only) = self.technique.record().only_lanes
            && self.has(Dim::Width)
            && self.lanes() != only
        {
            let width = &DIMENSIONS[Dim::Width as usize];
            return Err(VariantError(format!(
                "technique={} works on {} bytes at a time: width={} is its only width",
                self.technique,
                16 * only,
                width.show(only.ilog2() as u16)
            )));
        }
        self.check_tables()?;
        self.check_cached()?;
        let (source, ahead) = (self.get(Dim::Source), self.get(Dim::Ahead));
        let most = if self.get(Dim::Prefetch) == 0 { 1 } else { self.factor() };
        if source > most || ahead >= most {
            return Err(VariantError(format!(
                "source={source} ahead={ahead} do not go with a factor of {most}: source is 1 to the \
                 factor and ahead 0 to the factor less 1 (both fixed at 1 and 0 without prefetch)"
            )));
        }
        Ok(())
    }

    /// Which options of the tables exclude each other.
    fn check_tables(&self) -> Result<(), VariantError> {
        if !self.has(Dim::Tables) {
            return Ok(());
        }
        let name = |dim: Dim| DIMENSIONS[dim as usize].show(self.get(dim));
        let (tables, last) = (self.get(Dim::Tables), self.get(Dim::Last));
        let excluded = |what: Dim, why: &str| {
            let text = format!(
                "{}={} does not go with tables={}: {why}",
                DIMENSIONS[what as usize].name,
                name(what),
                name(Dim::Tables)
            );
            Err(VariantError(text))
        };
        let inverse = matches!(self.problem.task, Task::Ecb(Direction::Decrypt) | Task::CbcDecrypt);
        if inverse && last >= 2 {
            return Err(VariantError(format!(
                "last={} does not go with decryption: no entry of its tables holds the inverse S-box \
                 itself, so last=sbox or last=masked works",
                name(Dim::Last)
            )));
        }
        const PADDED: u16 = 4;
        if tables == PADDED && self.get(Dim::Extract) != 0 {
            return excluded(
                Dim::Extract,
                "bytes that stand 16 bits apart are taken by shifts, so extract=shift works",
            );
        }
        if tables == PADDED && self.get(Dim::RoundKeys) == 2 {
            return excluded(
                Dim::RoundKeys,
                "a padded round key is a word of memory, so roundkeys=memory works",
            );
        }
        if tables == PADDED && last != 0 {
            return excluded(Dim::Last, "a padded entry has no byte by itself in place, so last=sbox works");
        }
        Ok(())
    }

    /// Whether the rounds that it takes from a table are of a kind that is made: see [`most_cached`].
    fn check_cached(&self) -> Result<(), VariantError> {
        let (cached, sliced) = (self.get(Dim::Cached), self.sliced());
        if sliced && cached == 1 {
            return Err(VariantError(
                "cached=1 does not go with layout=sliced, which caches both rounds or none: cached=2 has it"
                    .into(),
            ));
        }
        if cached > most_cached(self.technique, sliced) {
            return Err(VariantError(format!(
                "cached={cached} does not go with technique={} and layout=blocks: its table of two rounds is not \
                 always proved; cached=1 is{}",
                self.technique,
                if self.technique.record().caches_slices { ", and layout=sliced has cached=2" } else { "" }
            )));
        }
        Ok(())
    }

    /// This variant with the values that depend on others brought into the ranges that those allow.
    pub fn clamped(mut self) -> Variant {
        for d in DIMENSIONS {
            if d.dim.idle_in(self.technique, self.sliced()) {
                self.set(d.dim, d.default);
            }
        }
        self.keep_width();
        if self.check_tables().is_err() {
            for dim in [Dim::Extract, Dim::RoundKeys, Dim::Last] {
                self.set(dim, 0);
            }
        }
        if self.check_cached().is_err() {
            self.set(Dim::Cached, if self.sliced() { 2 } else { 1 });
        }
        let most = if self.get(Dim::Prefetch) == 0 { 1 } else { self.factor() };
        self.set(Dim::Source, self.get(Dim::Source).clamp(1, most));
        self.set(Dim::Ahead, self.get(Dim::Ahead).min(most - 1));
        self
    }
}

/// The most rounds that a layout of a technique takes from a table over the fast counter byte.
pub(crate) fn most_cached(technique: Technique, sliced: bool) -> u16 {
    if sliced { 2 } else { technique.record().cached }
}

impl fmt::Display for Variant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.problem)?;
        if self.technique != Technique::default() {
            write!(f, " technique={}", self.technique)?;
        }
        for d in dimensions(self.problem, self.technique) {
            write!(f, " {}={}", d.name, d.show(self.get(d.dim)))?;
        }
        for (i, m) in self.order.iter().enumerate() {
            write!(f, "{}{}>{}", if i == 0 { " order=" } else { "," }, m.from, m.to)?;
        }
        Ok(())
    }
}

impl Dimension {
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
        value.filter(|v| self.values.contains(*v)).ok_or_else(|| VariantError::bad_value(self, text.into()))
    }

    /// What it can be, for people: `0 to 15`, `none | cache | register`, `15-bit mask`.
    pub fn range(&self) -> String {
        match self.values {
            Values::Range(first, last) => format!("{first} to {last}"),
            Values::Named(names) => names.join(" | "),
            Values::Mask(bits) => format!("{bits}-bit mask"),
        }
    }
}

/// Why a text is no variant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VariantError(pub String);

impl VariantError {
    fn bad_value(d: &Dimension, value: String) -> Self {
        VariantError(format!("`{value}` is no value of `{}`, which is {}", d.name, d.range()))
    }
}

impl fmt::Display for VariantError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for VariantError {}

impl FromStr for Variant {
    type Err = VariantError;

    fn from_str(text: &str) -> Result<Variant, VariantError> {
        let mut words = text.split_whitespace();
        let name = words.next().ok_or_else(|| VariantError("an empty text is no variant".into()))?;
        let problem: Problem = name.parse().map_err(|e| VariantError(format!("{e}")))?;
        let technique = text.split_whitespace().find_map(|word| word.strip_prefix("technique="));
        let technique = technique.map_or(Ok(Technique::default()), str::parse);
        let technique = technique.map_err(|e| VariantError(e.to_string()))?;
        let mut variant = Variant::plain(problem, technique);
        for word in words {
            let (name, value) = word
                .split_once('=')
                .ok_or_else(|| VariantError(format!("`{word}` is not of the form name=value")))?;
            if name == "technique" {
                continue;
            }
            if name == "order" {
                variant.order = value.split(',').map(read_move).collect::<Result<_, _>>()?;
                continue;
            }
            let Some(d) = dimensions(problem, technique).find(|d| d.name == name) else {
                let names: Vec<String> = dimensions(problem, technique).map(|d| d.name.to_owned()).collect();
                return Err(VariantError(format!(
                    "{problem} by technique {technique} has no dimension `{name}`; did you mean {}?",
                    nearest(name, &names, 2).join(", ")
                )));
            };
            variant.set(d.dim, d.read(value)?);
        }
        variant.check()?;
        Ok(variant)
    }
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
        assert!("aes128-ctr prefetch=cache interleave=2 source=3".parse::<Variant>().is_err());
    }
}
