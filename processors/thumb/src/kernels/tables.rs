//! Tables in SRAM: the T-table of 1 KB, and the inverse S-box behind that of decryption.

use aesmith_cipher::problem::Direction;
use aesmith_dataflow::memory::{self, Layout, Memory};
use aesmith_isa::assemble::{Item, Section};

/// Where they are linked.
const RAM: u64 = 0x2_0000;

/// The T-table: for encryption turned so that byte 0 is the S-box's (see [`super::rounds::turn`]).
fn mixed(direction: Direction) -> Vec<u8> {
    let of = match direction {
        Direction::Encrypt => memory::Direction::Forward,
        Direction::Decrypt => memory::Direction::Inverse,
    };
    let table = Memory::Mixed(Layout::Rotated, of).contents();
    let turned = |entry: &[u8]| match direction {
        Direction::Encrypt => [entry[1], entry[2], entry[3], entry[0]],
        Direction::Decrypt => [entry[0], entry[1], entry[2], entry[3]],
    };
    table.chunks(4).flat_map(turned).collect()
}

/// The section of tables under a label.
pub fn section(label: &str, contents: Vec<u8>) -> Section {
    Section {
        name: ".data",
        address: RAM,
        writable: true,
        items: vec![Item::Align(4), Item::Label(label.to_owned()), Item::Bytes(contents)],
    }
}

/// The S-box of a direction.
pub fn bytes(label: &str, direction: Direction) -> Section {
    let of = match direction {
        Direction::Encrypt => memory::Direction::Forward,
        Direction::Decrypt => memory::Direction::Inverse,
    };
    section(label, Memory::Substitution(of).contents().to_vec())
}

/// The tables of a direction's rounds, the last round's included.
pub fn rounds(label: &str, direction: Direction) -> Section {
    let mut contents = mixed(direction);
    if direction == Direction::Decrypt {
        contents.extend(Memory::Substitution(memory::Direction::Inverse).contents());
    }
    section(label, contents)
}
