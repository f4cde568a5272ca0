//! The techniques of Bernstein and Schwabe, "New AES software speed records" (Indocrypt 2008; most of them,
//! with fewer figures, at cr.yp.to/aes-speed.html), in the paper's order, and the published saving of each
//! for a block of AES-128.

use super::plain::{Class, Plain};
use aesmith_tune::count::Mix;

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
    /// Saving in the plain program, where the program alone determines it.
    pub spares: Option<fn(&Plain) -> Mix>,
}

impl Technique {
    const fn new(key: &'static str, name: &'static str, published: Option<u64>) -> Technique {
        Technique { key, name, published, meant: "", spares: None }
    }

    const fn meant(self, meant: &'static str) -> Technique {
        Technique { meant, ..self }
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
        .sparing(|plain| Class::Integer.of(plain.scalings())),
    Technique::new("scaled-tables", "table entries rotated by the scale", Some(40)),
    Technique::new("second-byte", "second byte of a word in one instruction", Some(40))
        .sparing(|plain| Class::Integer.of(plain.second_bytes())),
    Technique::new("padded", "words padded to 64 bits", Some(80)),
    Technique::new("narrow-shift", "32-bit shift of a padded word", Some(40)),
    Technique::new("through-memory", "bytes extracted through memory", None),
    Technique::new("byte-loads", "byte loads in the last round", Some(4)),
    Technique::new("two-byte-loads", "two-byte loads in the last round", Some(4)).meant("another"),
    Technique::new("masked-tables", "masked tables for the last round", Some(16))
        .sparing(|plain| Class::Integer.of(plain.last_look_ups())),
    Technique::new("load-xor", "load and XOR in one instruction", Some(160))
        .meant("about")
        .sparing(|plain| Class::Loads.of(plain.sums())),
    Technique::new("key-recomputation", "round keys recomputed: 30 XORs for 30 loads", Some(0)),
    Technique::new("key-caching", "round keys kept in registers", Some(44)).meant("up to"),
    Technique::new("counter-caching", "values shared by 256 counters, computed once", Some(100))
        .meant("about"),
    Technique::new("few-registers", "all bytes of a word extracted before its look-ups", None),
];
