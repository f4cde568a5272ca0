//! Kernels of described processors for firmware: GNU assembly with its header ([`assembly`],
//! [`header`]), the same interface in portable C ([`portable`]), and packages of both ([`package`]).

pub mod assembly;
pub mod gnu;
pub mod header;
pub mod macros;
pub mod package;
pub mod part;
pub mod portable;

pub use package::{Form, Package};
pub use part::{Part, Role};
