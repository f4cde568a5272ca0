//! Weights of dimensions set by the user: how often a strategy proposes to change each.

use crate::error::TuneError;
use aesmith_arrange::Space;
use std::collections::BTreeMap;
use std::fmt;

/// The greatest weight: sums over all dimensions stay far below overflow.
const MOST: u32 = 1_000_000;

/// Weights that differ from those of the processor's table, by name of their dimension.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Weights(pub BTreeMap<String, u32>);

impl Weights {
    /// Reads texts of the form `NAME=WEIGHT`.
    ///
    /// # Errors
    /// A text is not of that form, or weighs a dimension a second time.
    pub fn read<T: AsRef<str>>(texts: &[T]) -> Result<Weights, TuneError> {
        let mut all = BTreeMap::new();
        for text in texts.iter().map(AsRef::as_ref) {
            let usage = |why: &str| TuneError::Usage(format!("--weight {text}: {why}"));
            let (name, weight) =
                text.split_once('=').ok_or_else(|| usage("it is not of the form NAME=WEIGHT"))?;
            let weight =
                weight.parse().ok().filter(|w| *w <= MOST).ok_or_else(|| {
                    usage(&format!("a weight is a whole number from 0, for never, to {MOST}"))
                })?;
            if all.insert(name.to_owned(), weight).is_some() {
                return Err(usage(&format!("`{name}` is weighed twice")));
            }
        }
        Ok(Weights(all))
    }

    /// Makes strategies draw the dimensions of a space by these weights.
    ///
    /// # Errors
    /// The space has no such dimension: the message names similar ones.
    pub fn apply(&self, space: &mut Space) -> Result<(), TuneError> {
        for (name, weight) in &self.0 {
            space
                .weigh(name, *weight)
                .map_err(|why| TuneError::Usage(format!("--weight {name}={weight}: {why}")))?;
        }
        Ok(())
    }

    /// True if all weights are those of the table.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// `keys=40 interleave=2`, a canonical text.
impl fmt::Display for Weights {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, (name, weight)) in self.0.iter().enumerate() {
            write!(f, "{}{name}={weight}", if place == 0 { "" } else { " " })?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_are_read_and_applied_and_what_is_wrong_is_named() {
        let weights = Weights::read(&["keys=40", "ii=0"]).unwrap();
        assert_eq!(weights.to_string(), "ii=0 keys=40");
        let mut space = aesmith_x86::dimensions::space("aes256-ctr".parse().unwrap(), 1);
        weights.apply(&mut space).unwrap();
        let axis = |name| space.axes.iter().find(|a| a.dimension.name == name).unwrap();
        assert_eq!((axis("keys").weight, axis("ii").values.len(), axis("fold").weight), (40, 1, 2));
        for (texts, named) in [
            (&["keys"][..], "NAME=WEIGHT"),
            (&["keys=often"], "whole number"),
            (&["keys=-1"], "whole number"),
            (&["keys=1000001"], "1000000"),
            (&["keys=1", "keys=2"], "twice"),
        ] {
            let error = Weights::read(texts).unwrap_err().to_string();
            assert!(error.contains(named) && error.contains(texts.last().unwrap()), "{error}");
        }
        let of = |text| Weights::read(&[text]).unwrap().apply(&mut space.clone()).unwrap_err().to_string();
        assert!(of("kyes=1").contains("did you mean keys"), "{}", of("kyes=1"));
        assert!(of("xor=1").contains("no dimension `xor`"), "counter mode has no such choice");
    }
}
