//! Functions in files: objects are written ([`write`]), and objects, shared objects and archives read back. A
//! reader of files believes nothing: it gives the bytes that run under a name ([`contents`]), or the sections that
//! a linker puts together ([`sections`], [`pieces`]), or says why nobody can tell which those are.

mod apart;
mod archive;
mod contents;
mod dynamic;
mod linked;
mod loaded;
pub mod machines;
mod optimized;
pub mod pieces;
pub mod sections;
pub mod symbols;
mod write;

pub(crate) use apart::constants_symbol;
pub use contents::{FoundBytes, contents, functions};
use std::collections::BTreeSet;
pub use write::object;

/// Most functions of a file whose names claim a problem.
const MOST_FUNCTIONS: usize = 4096;

/// What is in a file, with functions as its reader gives them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Contents<F> {
    /// Whatever bears a name that claims a problem, in file order.
    pub functions: Vec<F>,
    /// Names of problems that something in the file calls and nothing in it defines.
    pub missing: BTreeSet<String>,
    /// Other functions that can be called from outside: nothing is known of them.
    pub others: BTreeSet<String>,
    /// Whether the file is linked and the names of its own functions were taken out of it.
    pub stripped: bool,
}

impl<F> Default for Contents<F> {
    fn default() -> Contents<F> {
        Contents { functions: Vec::new(), missing: BTreeSet::new(), others: BTreeSet::new(), stripped: false }
    }
}

/// A function of these bytes, of which nothing is known.
#[cfg(test)]
fn of_bytes(symbol: &str, bytes: Vec<u8>) -> crate::Function {
    let dialect = aesmith_processors::dialects().next().expect("x86-64");
    let code = aesmith_processor::dialect::MachineCode { dialect, bytes, places: vec![], variants: vec![] };
    crate::Function {
        symbol: symbol.into(),
        hidden: false,
        problem: "aes128-ecb".parse().expect("a problem"),
        code: crate::Code::Machine(code),
        certificate: None,
    }
}
