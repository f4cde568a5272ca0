//! Tables in RAM that a program needs once, however many functions use them. Linkers merge equal constants, but some
//! refuse to merge writable data. So each such table is a COMDAT group, of which linkers keep one copy by name; the
//! name contains a hash of the table's bytes, so copies of one name are interchangeable.

use sha2::{Digest, Sha256};
use std::fmt::Write;

/// Prefix of all names of shared tables.
pub const PREFIX: &str = "aesmith_table_";

/// Returns the name of a table's symbol and group: it contains the alignment, which a linker takes from the copy that
/// it keeps, and a hash of the bytes.
pub fn name(alignment: u64, bytes: &[u8]) -> String {
    let mut name = format!("{PREFIX}{alignment}_");
    for byte in Sha256::digest(bytes) {
        let _ = write!(name, "{byte:02x}");
    }
    name
}

/// True for the name of a shared table.
pub fn is_name(symbol: &str) -> bool {
    symbol.starts_with(PREFIX)
}
