//! Custom instructions: an extension is a file that a user writes. Its instructions have one definition, in the
//! language of [`aesmith_isa::language`], from which the rows of instruction tables and the functional unit in Verilog
//! are derived. The file does not say how to compute AES with them; this crate finds it: [`form`] determines the
//! contribution of each byte, [`cover`] composes a round from instructions.
//!
//! ```
//! use aesmith_extension::file::Extension;
//! use aesmith_extension::form::{Form, Via};
//! use aesmith_extension::meaning;
//!
//! let text = r#"
//! name = "mine"
//! [[instruction]]
//! name = "sub"
//! reads = ["a", "b"]
//! writes = "d"
//! meaning = "d = a ^ zx(sbox(byte(b, zx(0, 2))), 32)"
//! "#;
//! let extension = Extension::parse(text).unwrap();
//! let table = meaning::table(&extension).unwrap();
//! let form = Form::find(&table, &extension.instructions[0], &[]).unwrap().unwrap();
//! assert_eq!(form.inputs[1][0].via, Via::Sbox, "what it adds to which byte is found, not said");
//! ```

pub mod area;
pub mod code;
pub mod cover;
pub mod encoding;
pub mod file;
pub mod form;
pub mod meaning;
mod names;
pub mod nearest;
pub mod order;
pub mod program;
mod read;
pub mod sets;
pub mod value;
pub mod verilog;
