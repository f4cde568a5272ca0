//! Kernels of described processors for firmware: GNU assembly with its header ([`assembly`],
//! [`header`]), the same interface in portable C ([`portable`]), and packages of both ([`package`]). What was
//! emitted is read back ([`objects`]), linked ([`pieces`]) and proved again ([`verify`]).
//!
//! ```
//! use aesmith_emit::firmware::part::symbol;
//! use aesmith_emit::firmware::{assembly, gnu};
//! use aesmith_processors as register;
//! use aesmith_arrange::choices::Variant;
//!
//! let core = aesmith_processors::find("rv32i").unwrap();
//! let problem = "aes128-ecb".parse().unwrap();
//! let kernel = (core.build)(&Variant::plain(problem, core.name, core.dimensions)).unwrap();
//! let text = assembly::code(core, &gnu::gnu(core).unwrap(), &kernel, &symbol(problem));
//! assert!(text.contains("aes128_encrypt:"));
//! ```

pub mod assembly;
pub mod gnu;
pub mod header;
pub mod machines;
pub mod macros;
pub mod objects;
pub mod package;
pub mod part;
pub mod pieces;
pub mod portable;
pub mod verify;

pub use package::{Form, Package};
pub use part::{Part, Role};
