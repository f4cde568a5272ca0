//! The techniques of Bernstein and Schwabe, "New AES software speed records" (Indocrypt 2008; most of them,
//! with fewer figures, at cr.yp.to/aes-speed.html), in the paper's order, and the published saving of each
//! for a block of AES-128.

use super::Mix;
use super::plain::{Class, Plain};

/// The paper's count before any saving (section 2): a block of AES-128 in counter mode.
pub const BASELINE: Mix = Mix { instructions: 720.0, loads: 208.0, stores: 4.0, integer: 508.0 };

/// Source of figures that name no other.
pub const SOURCE: &str =
    "Bernstein and Schwabe, New AES software speed records, Indocrypt 2008, sections 3 and 4";

/// A technique.
#[derive(Clone, Copy)]
pub struct Technique {
    /// Key in data.
    pub key: &'static str,
    /// Display name.
    pub name: &'static str,
    /// Published saving in instructions per block; `None` if the technique saves something else.
    pub published: Option<u64>,
    /// Qualifier of that figure: `about`, `up to`; empty if it is exact.
    pub meant: &'static str,
    /// Choices of processors that implement this technique, with the published saving of each.
    pub choices: &'static [(&'static str, u64)],
    /// Saving in the plain program, where the program alone determines it.
    pub spares: Option<fn(&Plain) -> Mix>,
}

impl Technique {
    const fn new(key: &'static str, name: &'static str, published: Option<u64>) -> Technique {
        Technique { key, name, published, meant: "", choices: &[], spares: None }
    }

    const fn meant(self, meant: &'static str) -> Technique {
        Technique { meant, ..self }
    }

    const fn chosen(self, choices: &'static [(&'static str, u64)]) -> Technique {
        Technique { choices, ..self }
    }

    const fn sparing(self, spares: fn(&Plain) -> Mix) -> Technique {
        Technique { spares: Some(spares), ..self }
    }
}

/// All techniques.
pub static TECHNIQUES: &[Technique] = &[
    Technique::new("byte-order", "native byte order", None),
    Technique::new("layout", "table layout", None),
    Technique::new("shift-and-mask", "shift and mask in one instruction", Some(160))
        .sparing(|plain| Class::Integer.of(plain.extractions() - plain.look_ups())),
    Technique::new("scaled-index", "loads with a scaled index", Some(80))
        .chosen(&[("index=scaled", 80)])
        .sparing(|plain| Class::Integer.of(plain.scalings())),
    Technique::new("scaled-tables", "table entries rotated by the scale", Some(40)),
    Technique::new("second-byte", "second byte of a word in one instruction", Some(40))
        .chosen(&[("extract=registers", 40)])
        .sparing(|plain| Class::Integer.of(plain.second_bytes())),
    Technique::new("padded", "words padded to 64 bits", Some(80))
        .chosen(&[("words=padded", 80), ("tables=padded", 80)]),
    Technique::new("narrow-shift", "32-bit shift of a padded word", Some(40))
        .chosen(&[("words=narrow", 120)]),
    Technique::new("through-memory", "bytes extracted through memory", None),
    Technique::new("byte-loads", "byte loads in the last round", Some(4)).chosen(&[("last=bytes", 4)]),
    Technique::new("two-byte-loads", "two-byte loads in the last round", Some(4))
        .meant("another")
        .chosen(&[("last=two-bytes", 8)]),
    Technique::new("masked-tables", "masked tables for the last round", Some(16))
        .chosen(&[("last=masked", 16)])
        .sparing(|plain| Class::Integer.of(plain.last_look_ups())),
    Technique::new("load-xor", "load and XOR in one instruction", Some(160))
        .meant("about")
        .chosen(&[("loadxor=combined", 160)])
        .sparing(|plain| Class::Loads.of(plain.sums())),
    Technique::new("key-recomputation", "round keys recomputed: 30 XORs for 30 loads", Some(0))
        .chosen(&[("roundkeys=recomputed", 0)]),
    Technique::new("key-caching", "round keys kept in registers", Some(44)).meant("up to"),
    Technique::new("counter-caching", "values shared by 256 counters, computed once", Some(100))
        .meant("about")
        .chosen(&[("cached=2", 100), ("counter=cached", 100)]),
    Technique::new("few-registers", "all bytes of a word extracted before its look-ups", None),
];

/// The published saving of a variant's choice, given as text (`last=masked`).
pub fn published_of(choice: &str) -> Option<u64> {
    let mut choices = TECHNIQUES.iter().flat_map(|technique| technique.choices);
    choices.find(|(text, _)| *text == choice).map(|(_, saved)| *saved)
}
