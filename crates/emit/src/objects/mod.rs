//! Functions in files: objects are written ([`write`]), and objects, shared objects and archives read back. A
//! reader of files believes nothing: it gives the bytes that run under a name ([`contents`]), or the sections that
//! a linker puts together ([`sections`], [`pieces`]), or says why nobody can tell which those are.

mod apart;
mod archive;
mod contents;
mod dynamic;
mod linked;
mod loaded;
mod optimized;
pub mod pieces;
pub mod sections;
pub mod symbols;
mod write;

pub(crate) use apart::constants_symbol;
pub use contents::{FoundBytes, contents, functions};
use std::collections::{BTreeSet, HashMap};
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

/// The binding of a function whose name claims a problem.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Binding {
    /// Calls from other objects find it.
    Global,
    /// Calls from its own object alone find it, by a table of symbols that all linkers read alike.
    Local,
    /// Its object says that it is local, in a form that linkers may read otherwise.
    Unclear,
}

/// Marks local functions whose name belongs to a global function of another member. A call from another object finds that one,
/// so that the local one promises nothing to anybody: `all` are names with the number of their member.
fn behind_others<'n>(all: impl Iterator<Item = (&'n str, usize, Binding)> + Clone) -> Vec<bool> {
    let global = all.clone().filter(|(.., binding)| *binding == Binding::Global);
    let global: HashMap<&str, usize> = global.map(|(name, member, _)| (name, member)).collect();
    let is_behind = |(name, member, binding)| {
        binding == Binding::Local && global.get(name).is_some_and(|other| *other != member)
    };
    all.map(is_behind).collect()
}

/// A local function of a member in the list of those of which nothing is proved.
fn local_to(name: &str, member: Option<&str>) -> String {
    format!("{name} (local to {})", member.unwrap_or("the file"))
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
