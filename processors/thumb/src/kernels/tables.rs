//! Tables in SRAM or flash: the T-table of 1 KB, followed by the inverse S-box for decryption.

use aesmith_cipher::problem::Direction;
use aesmith_dataflow::memory::{self as table, Layout, Memory as Contents};
use aesmith_isa::assemble::{Item, Section};

use crate::dimensions::Memory;

/// Their link addresses; in flash, after any code.
const RAM: u64 = 0x2_0000;
const FLASH: u64 = 0x1_8000;

/// The T-table; for encryption rotated such that byte 0 is the S-box (see [`super::rounds::turn`]).
fn mixed(direction: Direction) -> Vec<u8> {
    let of = match direction {
        Direction::Encrypt => table::Direction::Forward,
        Direction::Decrypt => table::Direction::Inverse,
    };
    let table = Contents::Mixed(Layout::Rotated, of).contents();
    let turned = |entry: &[u8]| match direction {
        Direction::Encrypt => [entry[1], entry[2], entry[3], entry[0]],
        Direction::Decrypt => [entry[0], entry[1], entry[2], entry[3]],
    };
    table.chunks(4).flat_map(turned).collect()
}

/// The section of tables under a label.
pub fn section(label: &str, contents: Vec<u8>, memory: Memory) -> Section {
    let items = vec![Item::Align(4), Item::Label(label.to_owned()), Item::Bytes(contents)];
    match memory {
        Memory::Ram => Section { name: ".data", address: RAM, writable: true, items },
        Memory::Flash => Section { name: ".rodata", address: FLASH, writable: false, items },
    }
}

/// The S-box of a direction.
pub fn bytes(label: &str, direction: Direction, memory: Memory) -> Section {
    let of = match direction {
        Direction::Encrypt => table::Direction::Forward,
        Direction::Decrypt => table::Direction::Inverse,
    };
    section(label, Contents::Substitution(of).contents().to_vec(), memory)
}

/// The tables of a direction's rounds, including the last round.
pub fn rounds(label: &str, direction: Direction, memory: Memory) -> Section {
    let mut contents = mixed(direction);
    if direction == Direction::Decrypt {
        contents.extend(Contents::Substitution(table::Direction::Inverse).contents());
    }
    section(label, contents, memory)
}
