//! Instruction tables as data. A row gives an instruction's mnemonic, encoding, operands, meaning and timing class as
//! text. The crate derives the encoder, decoder, printer, concrete and symbolic interpreters, and the sets of registers
//! that an instruction reads and writes. [`sheet`] reads tables from text files.
//!
//! ```
//! use aesmith_isa::{ByteOrder, Description, Guard, Isa, Kind, Unaligned, row};
//!
//! let about = Description {
//!     name: "toy",
//!     address: 16,
//!     order: ByteOrder::Little,
//!     unit: 2,
//!     registers: &[("a", 8), ("b", 8)],
//!     general: 2,
//!     unaligned: Unaligned::Works { source: "the example" },
//!     pairs: &[],
//!     zero: None,
//!     counter: None,
//!     kinds: &[("r", Kind::Register { base: 0, step: 1 })],
//!     macros: &[],
//!     guard: Guard::None,
//!     conditions: &[],
//!     data: 0x1000,
//! };
//! let add = row("add", "add {r}, {r2}", "101000 r2[0] r[0] 00000000", "r = r + r2", "alu");
//! let isa = Isa::new(about, &[add]).unwrap();
//! assert_eq!(isa.find("add"), Some(0));
//! ```

pub mod assemble;
pub mod code;
pub mod convention;
pub mod cycles;
pub mod elf;
pub mod execute;
pub mod grid;
pub mod image;
pub mod instructions;
pub mod lanes;
pub mod language;
pub mod meaning;
mod notation;
pub mod numbers;
pub mod pattern;
pub mod sheet;
pub mod table;
pub mod timing;
pub mod unplaced;
pub mod values;

pub use table::{ByteOrder, Description, Guard, Insn, Isa, Kind, Stands, Unaligned, row};
