//! Writes functions to object files ([`write`]) and reads them back from objects, shared objects and archives. The
//! readers trust nothing in a file: they return the bytes that run under a name ([`contents`]), or the sections that a
//! linker joins ([`sections`], [`pieces`]), or the reason why the file does not determine them.

mod apart;
mod archive;
mod beside;
mod contents;
mod dynamic;
mod linked;
mod loaded;
mod optimized;
pub mod pieces;
mod program;
pub mod sections;
#[cfg(test)]
mod sections_tests;
pub mod symbols;
mod write;

pub(crate) use apart::constants_symbol;
pub use beside::{Beside, is_for_linkers};
pub use contents::{FoundBytes, contents, functions};
pub use program::{is_debug_data, is_program};
use std::collections::{BTreeSet, HashMap};
pub use write::object;

/// Maximum number of functions in a file whose names claim a problem.
const MOST_FUNCTIONS: usize = 4096;

/// The contents of a file; `F` is the reader's type of functions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Contents<F> {
    /// All symbols whose names claim a problem, in file order.
    pub functions: Vec<F>,
    /// Names of problems that the file calls but does not define.
    pub missing: BTreeSet<String>,
    /// Other names that calls from outside the file can be bound to, and sections that run though nothing calls them;
    /// nothing is proved of them.
    pub others: BTreeSet<String>,
    /// All names and sections beside the functions.
    pub beside: Beside,
    /// True if the file is linked and its own symbol names were stripped.
    pub stripped: bool,
}

impl<F> Default for Contents<F> {
    fn default() -> Contents<F> {
        Contents {
            functions: Vec::new(),
            missing: BTreeSet::new(),
            others: BTreeSet::new(),
            beside: Beside::default(),
            stripped: false,
        }
    }
}

/// The binding of a function whose name claims a problem.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Binding {
    /// Calls from other objects find it.
    Global,
    /// Only calls from its own object find it, and all linkers agree on that.
    Local,
    /// The object marks it as local, but in a form that linkers may read differently.
    Unclear,
}

/// Marks the local functions whose name belongs to a global function of another member. A call from another object
/// finds the global one, so the local one makes no claim. `all` gives each name with the number of its member and its
/// binding.
fn behind_others<'n>(all: impl Iterator<Item = (&'n str, usize, Binding)> + Clone) -> Vec<bool> {
    let global = all.clone().filter(|(.., binding)| *binding == Binding::Global);
    let global: HashMap<&str, usize> = global.map(|(name, member, _)| (name, member)).collect();
    let is_behind = |(name, member, binding)| {
        binding == Binding::Local && global.get(name).is_some_and(|other| *other != member)
    };
    all.map(is_behind).collect()
}

/// Lists a local function of a member among those of which nothing is proved.
fn local_to(name: &str, member: Option<&str>) -> String {
    format!("{name} (local to {})", member.unwrap_or("the file"))
}

/// A function with these bytes, of which nothing is known.
#[cfg(test)]
fn of_bytes(symbol: &str, bytes: Vec<u8>) -> crate::Function {
    let dialect = aesmith_processors::dialects().next().expect("x86-64");
    let code = aesmith_processor::dialect::MachineCode { dialect, bytes, places: vec![], variants: vec![] };
    crate::Function {
        symbol: symbol.into(),
        hidden: false,
        problem: "aes128-ecb".parse().expect("a problem"),
        code: crate::Code::Machine(code),
        facts: None,
    }
}
