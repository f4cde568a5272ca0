//! C of kernels: the text that it is written to, and the record by which a family writes its kernels with the intrinsics of
//! its vector registers.

pub mod message;
mod text;

pub use text::Text;

use aesmith_arrange::Variant;
use aesmith_cipher::Problem;

/// The kernels of a C file.
#[derive(Clone, Copy, Debug)]
pub struct Contents<'a> {
    /// The problem.
    pub problem: Problem,
    /// Variants of the function over messages, each with the longest message that it is used for.
    pub choices: &'a [(Option<u64>, Variant)],
    /// The key schedule, if it is written with intrinsics.
    pub schedule: Option<&'a Variant>,
    /// True if the builder of the counter table is in the file.
    pub table: bool,
}

/// Names of a function that sets up a key.
#[derive(Clone, Copy, Debug)]
pub struct SetUp<'a> {
    /// The function.
    pub function: &'a str,
    /// The type of the key structure.
    pub structure: &'a str,
    /// The words in front of the definition, with a space at their end; may be empty.
    pub storage: &'a str,
}

/// Writers of kernels with the intrinsics of a processor.
#[derive(Debug)]
pub struct Intrinsics {
    /// The header that declares them.
    pub header: &'static str,
    /// Returns the variant itself, or the nearest one that has a C form.
    pub nearest: fn(&Variant) -> Variant,
    /// The CPU features that the functions of a file need.
    pub features: fn(Contents<'_>) -> Vec<&'static str>,
    /// Writes the helpers that the functions of a file call.
    pub helpers: fn(&mut Text, Contents<'_>),
    /// Writes the functions of a variant over messages; the last one's name is the given name and suffix. Fails for choices
    /// that do not fit together, with the reason.
    pub messages: fn(&mut Text, &Variant, &str, &str) -> Result<(), String>,
    /// Writes a key schedule.
    pub schedule: fn(&mut Text, &Variant, SetUp<'_>),
    /// Writes the builder of the counter table for a file.
    pub table: fn(&mut Text, Contents<'_>, SetUp<'_>),
}

/// `1 block`, `4 blocks`.
pub fn blocks(n: usize) -> String {
    if n == 1 { "1 block".into() } else { format!("{n} blocks") }
}
