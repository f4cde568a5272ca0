//! What an instruction adds to which byte.

use aesmith_cipher::block::{INV_MIX, MIX};
use aesmith_cipher::problem::Direction;

/// The matrix of MixColumns (FIPS-197, 5.1.3) or of its inverse (5.3.3).
pub fn matrix(direction: Direction) -> [[u8; 4]; 4] {
    let first = match direction {
        Direction::Encrypt => MIX,
        Direction::Decrypt => INV_MIX,
    };
    std::array::from_fn(|row| std::array::from_fn(|k| first[(k + 4 - row) % 4]))
}
