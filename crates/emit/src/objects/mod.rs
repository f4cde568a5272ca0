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
pub use write::{ALIGNMENT, object};
