//! Functions in files: objects are written ([`write`]), and objects, shared objects and archives read back. A
//! reader of files believes nothing: it gives the bytes that run under a name ([`contents`]), or the sections that
//! a linker puts together ([`sections`], [`pieces`]), or says why nobody can tell which those are.

mod apart;
mod contents;
mod loaded;
pub mod machines;
pub mod pieces;
pub mod sections;
pub mod symbols;
mod write;

pub(crate) use apart::constants_symbol;
pub use contents::{Contents, Found, contents, functions};
pub use write::object;

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
