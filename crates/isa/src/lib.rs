//! Instruction tables as data. A row says mnemonic, encoding, operands, meaning and timing class of
//! an instruction, as text; from it come encoder, decoder, printer, the interpretation over numbers
//! and over symbols, and what instructions read and write.

pub mod assemble;
pub mod code;
pub mod convention;
pub mod cycles;
pub mod execute;
pub mod image;
pub mod language;
pub mod meaning;
pub mod numbers;
pub mod pattern;
pub mod table;
pub mod values;

pub use table::{Description, Guard, Insn, Isa, Kind, row};
