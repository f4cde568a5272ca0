//! Tables in RAM of which a program needs one copy, however many functions have them. Linkers merge equal constants by
//! themselves, but some refuse to merge what may be written. So such a table stands in a group of its own (COMDAT), of which
//! linkers keep one by its name, and the name has the hash of the table's bytes: one table is as good as another of its name.

use sha2::{Digest, Sha256};
use std::fmt::Write;

/// What the name of each begins with.
pub const PREFIX: &str = "aesmith_table_";

/// The name of a table's symbol and group: its alignment, which a linker takes from the one that it keeps, and its bytes.
pub fn name(alignment: u64, bytes: &[u8]) -> String {
    let mut name = format!("{PREFIX}{alignment}_");
    for byte in Sha256::digest(bytes) {
        let _ = write!(name, "{byte:02x}");
    }
    name
}

/// True for the name of a table, whose bytes that name says.
pub fn is_name(symbol: &str) -> bool {
    symbol.starts_with(PREFIX)
}
