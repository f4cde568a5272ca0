//! Names of earlier versions in text forms: a variant stays readable when a dimension or a value gets another name.

use std::borrow::Cow;

use crate::dimension::Dimension;
use crate::table::Table;
use crate::variant::{Variant, VariantError};
use aesmith_cipher::Problem;
use aesmith_dataflow::Technique;

/// A word of earlier text forms, and its meaning in words of today.
#[derive(Clone, Copy, Debug)]
pub struct Earlier {
    /// The earlier word: `name=value`.
    pub was: &'static str,
    /// The name of another dimension that only earlier text forms have. If there is one, `was` is an earlier word only in
    /// a text that names it, because the same word means something else today.
    pub beside: Option<&'static str>,
    /// Words of today, `name=value`. Several values, separated by commas, are left to the other words of the text; without
    /// one that decides, the first value counts.
    pub now: &'static [&'static str],
}

impl Earlier {
    /// A word that no text form has today.
    pub const fn new(was: &'static str, now: &'static [&'static str]) -> Earlier {
        Earlier { was, beside: None, now }
    }

    /// A word that has this meaning only in texts that also name the dimension `beside`.
    pub const fn beside(was: &'static str, beside: &'static str, now: &'static [&'static str]) -> Earlier {
        Earlier { was, beside: Some(beside), now }
    }
}

/// Dimensions and the values that words allow for them, the preferred value first.
pub type Allowed = Vec<(&'static Dimension, Vec<u16>)>;

/// Narrows `allowed` to the values that `further` allows too.
///
/// # Errors
/// A dimension that has no value left.
pub fn narrow(allowed: &mut Allowed, further: Allowed) -> Result<(), &'static Dimension> {
    for (dimension, values) in further {
        match allowed.iter_mut().find(|(known, _)| *known == dimension) {
            Some((_, known)) => known.retain(|value| values.contains(value)),
            None => allowed.push((dimension, values)),
        }
    }
    allowed.iter().find(|(_, values)| values.is_empty()).map_or(Ok(()), |(dimension, _)| Err(dimension))
}

/// The name of a word `name=value`.
fn name_of(word: &str) -> &str {
    word.split_once('=').map_or(word, |(name, _)| name)
}

impl Table {
    /// The earlier meaning of one of the `words` of a text form; `None` for a word of today.
    pub(crate) fn earlier(&self, word: &str, words: &[&str]) -> Option<&'static Earlier> {
        let named = |beside: Option<&str>| beside.is_none_or(|b| words.iter().any(|w| name_of(w) == b));
        let mut all = self.dimensions.iter().flat_map(|d| d.earlier);
        all.find(|earlier| earlier.was == word && named(earlier.beside))
    }

    /// The dimension that has the values of a dimension of an earlier version.
    pub(crate) fn renamed(&self, name: &str) -> Option<&'static Dimension> {
        let is_it = |d: &&Dimension| d.earlier.iter().any(|earlier| name_of(earlier.was) == name);
        self.dimensions.iter().find(is_it)
    }

    /// The dimensions and values that an earlier word means.
    fn meaning(
        &self,
        problem: Problem,
        technique: Technique,
        earlier: &Earlier,
    ) -> Result<Allowed, VariantError> {
        let read = |word: &&'static str| {
            let (name, values) = word.split_once('=').unwrap_or((word, ""));
            let dimension = self.find(problem, technique, name)?;
            // A list serves all processors of a family, of which some lack values.
            let values: Vec<u16> = values.split(',').filter_map(|text| dimension.read(text).ok()).collect();
            if values.is_empty() {
                let why = format!("`{}` is `{word}` today, which {} lacks", earlier.was, self.processor);
                return Err(VariantError(why));
            }
            Ok((dimension, values))
        };
        earlier.now.iter().map(read).collect()
    }

    /// The dimensions and values that a word `name=value` of a restriction means if it is of an earlier version; `None`
    /// for a word of today.
    ///
    /// # Errors
    /// The processor has none of the values.
    pub fn restricted(&self, problem: Problem, word: &str) -> Option<Result<Allowed, VariantError>> {
        self.earlier(word, &[word]).map(|earlier| self.meaning(problem, Technique::default(), earlier))
    }

    /// Narrows `allowed` to the values that an earlier word allows too.
    pub(crate) fn narrow(
        &self,
        (problem, technique): (Problem, Technique),
        allowed: &mut Allowed,
        earlier: &Earlier,
    ) -> Result<(), VariantError> {
        let meaning = self.meaning(problem, technique, earlier)?;
        narrow(allowed, meaning).map_err(|dimension| contradicts(dimension, earlier.was))
    }

    /// The text form of today for one of any version; a text that is no variant stays as it is.
    pub fn today<'t>(&'static self, text: &'t str) -> Cow<'t, str> {
        self.parse(text).map_or(Cow::Borrowed(text), |variant| Cow::Owned(variant.to_string()))
    }
}

impl Variant {
    /// Sets the values that earlier words allow. A dimension among `named` has the value of a word of today, which must be
    /// one of them.
    pub(crate) fn take(
        &mut self,
        allowed: &[(&Dimension, Vec<u16>)],
        named: &[&Dimension],
    ) -> Result<(), VariantError> {
        for (dimension, values) in allowed {
            if !named.iter().any(|d| d.place == dimension.place) {
                self.set(*dimension, values[0]);
            } else if !values.contains(&self.get(*dimension)) {
                return Err(contradicts(dimension, &dimension.show(self.get(*dimension))));
            }
        }
        Ok(())
    }
}

fn contradicts(dimension: &Dimension, word: &str) -> VariantError {
    VariantError(format!("`{word}` contradicts another word on `{}`", dimension.name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dimension::{Choice, numbered};

    crate::choices! {
        Kind "kind" { Table "table", Bytes "bytes", Slices "slices" }
        Tables "tables" { Four "4", One "1" }
    }

    /// Earlier versions had two dimensions: `state=bytes|slices`, and `kind=tables|table|bytes` for bytes.
    static DIMENSIONS: &[Dimension] = &numbered([
        Dimension::of::<Kind>("how rounds are computed", |_| true).formerly(&[
            Earlier::new("state=bytes", &["kind=table,bytes"]),
            Earlier::new("state=slices", &["kind=slices"]),
            Earlier::new("kind=tables", &["kind=table,slices", "tables=4"]),
            Earlier::beside("kind=table", "state", &["kind=table", "tables=1"]),
            Earlier::new("kind=lost", &["kind=absent"]),
        ]),
        Dimension::of::<Tables>("the number of tables", |v| v.is(Kind::Table)),
    ]);

    static TABLE: Table = Table::new("none", DIMENSIONS, |_| Technique::Table);

    fn read(text: &str) -> Result<String, VariantError> {
        TABLE.parse(&format!("aes128-ecb {text}")).map(|v| v.to_string())
    }

    #[test]
    fn earlier_words_are_read_in_any_order() {
        for (was, now) in [
            ("", "kind=table tables=4"),
            ("state=bytes", "kind=table tables=4"),
            ("state=bytes kind=tables", "kind=table tables=4"),
            ("kind=tables state=slices", "kind=slices tables=4"),
            ("state=slices kind=tables", "kind=slices tables=4"),
            ("state=bytes kind=bytes", "kind=bytes tables=4"),
            ("state=bytes kind=table", "kind=table tables=1"),
            ("kind=table state=bytes", "kind=table tables=1"),
            // Without the earlier dimension it is the word of today.
            ("kind=table", "kind=table tables=4"),
        ] {
            assert_eq!(read(was), Ok(format!("aes128-ecb processor=none {now}")), "{was}");
        }
        for wrong in ["state=slices state=bytes", "state=bytes kind=slices", "kind=lost", "state=none"] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn earlier_words_are_read_as_restrictions() {
        let problem = "aes128-ecb".parse().expect("a problem");
        let read = |word: &str| {
            let allowed = TABLE.restricted(problem, word)?.expect("has values");
            Some(allowed.into_iter().map(|(d, values)| (d.name, values)).collect::<Vec<_>>())
        };
        assert_eq!(read("state=bytes"), Some(vec![(Kind::NAME, vec![0, 1])]));
        assert_eq!(read("kind=tables"), Some(vec![(Kind::NAME, vec![0, 2]), (Tables::NAME, vec![0])]));
        assert_eq!(read("kind=table"), None);
        assert!(TABLE.restricted(problem, "kind=lost").is_some_and(|allowed| allowed.is_err()));
    }

    #[test]
    fn dimensions_are_found_by_earlier_names() {
        let problem = "aes128-ecb".parse().expect("a problem");
        let found = TABLE.find(problem, Technique::default(), "state").expect("has a name today");
        assert_eq!(found.name, Kind::NAME);
        let text = "aes128-ecb state=slices";
        assert_eq!(TABLE.today(text), "aes128-ecb processor=none kind=slices tables=4");
        assert_eq!(TABLE.today("no variant"), "no variant");
    }
}
