//! The contract of a kernel: its arguments, the memory that it may access, and what it must compute and keep.

use crate::spec::Mode;
use crate::terms::Region;
use alloc::format;
use core::fmt;

/// A contract by its name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Contract {
    /// The number of rounds: 10, 12 or 14.
    pub rounds: u8,
    /// The mode of operation.
    pub mode: Mode,
    /// True if the equivalent inverse cipher is computed, with its round keys.
    pub is_inverse: bool,
    /// The number of streams: 1, or in CBC encryption up to 16, each with its key, IV and text.
    pub streams: u8,
    /// True if registers, flags and stack hold no secret of the call afterwards.
    pub wipes: bool,
    /// True if addresses in the kernel's own constants may depend on secrets.
    pub lookups: bool,
}

/// Modes by their names in those of problems, with true if the inverse cipher is computed.
const MODES: [(&str, Mode, bool); 12] = [
    ("ecb", Mode::Ecb, false),
    ("ecb-dec", Mode::Ecb, true),
    ("cbc", Mode::Cbc, false),
    ("cbc-dec", Mode::Cbc, true),
    ("ctr", Mode::Ctr, false),
    ("gcm", Mode::Gcm { hashes_text: false }, false),
    ("gcm-dec", Mode::Gcm { hashes_text: true }, false),
    ("xts", Mode::Xts, false),
    ("xts-dec", Mode::Xts, true),
    ("key", Mode::Keys, false),
    ("key-dec", Mode::Keys, true),
    ("ctr-table", Mode::Table, false),
];

/// An argument of a call, in order of the registers of [`ARGUMENTS`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Argument {
    /// A pointer to a region.
    Pointer(Region),
    /// The length of the text in bytes.
    Length,
}

/// Registers of integer arguments in order: rdi, rsi, rdx, rcx, r8 (System V AMD64, 3.2.3).
pub const ARGUMENTS: [u8; 5] = [7, 6, 2, 1, 8];
/// Registers that belong to the caller: rbx, rbp, r12 to r15. The stack pointer does, too.
pub const SAVED: [u8; 6] = [3, 5, 12, 13, 14, 15];
/// The stack pointer's number.
pub const STACK: u8 = 4;
/// The most stack that a kernel may use, in bytes.
pub const STACK_BYTES: i128 = 65536;

impl Contract {
    /// A contract by the name of its problem, such as `aes128-ecb-dec`, without wiping or look-ups.
    pub fn named(name: &str) -> Option<Contract> {
        let (key, mode) = name.split_once('-')?;
        let streams = [2, 3, 4, 8, 16].into_iter().find(|streams| mode == format!("cbc-x{streams}"));
        let mode = if streams.is_some() { "cbc" } else { mode };
        let rounds = match key {
            "aes128" => 10,
            "aes192" => 12,
            "aes256" => 14,
            _ => return None,
        };
        let (_, mode, is_inverse) = MODES.into_iter().find(|(name, ..)| *name == mode)?;
        let (streams, wipes, lookups) = (streams.unwrap_or(1), false, false);
        Some(Contract { rounds, mode, is_inverse, streams, wipes, lookups })
    }

    /// The arguments in order.
    pub fn arguments(&self) -> &'static [Argument] {
        use Argument::{Length, Pointer};
        use Region::{Array, Input, Iv, Key, Output};
        match self.mode {
            _ if self.streams > 1 => &[
                Pointer(Array(0)),
                Pointer(Array(1)),
                Pointer(Array(2)),
                Pointer(Array(3)),
                Pointer(Array(4)),
            ],
            Mode::Ecb => &[Pointer(Key), Pointer(Input), Pointer(Output), Length],
            Mode::Cbc | Mode::Ctr | Mode::Gcm { .. } | Mode::Xts => {
                &[Pointer(Key), Pointer(Iv), Pointer(Input), Pointer(Output), Length]
            }
            // The round keys that are computed, and the cipher key.
            Mode::Keys => &[Pointer(Output), Pointer(Input)],
            // The table stands behind the round keys.
            Mode::Table => &[Pointer(Key)],
        }
    }

    /// True if the inverse S-box is applied.
    pub fn has_inverse_boxes(&self) -> bool {
        self.is_inverse && self.mode != Mode::Keys
    }

    /// True if there is an IV.
    pub fn has_iv(&self) -> bool {
        self.mode.is_of_text() && self.mode != Mode::Ecb
    }

    /// The bytes of the cipher key.
    pub fn cipher_key_bytes(&self) -> i128 {
        4 * (i128::from(self.rounds) - 6)
    }

    /// The bytes of the round keys.
    pub fn key_bytes(&self) -> i128 {
        16 * (i128::from(self.rounds) + 1)
    }
}

impl fmt::Display for Contract {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let is_own = |mode: &(&str, Mode, bool)| (mode.1, mode.2) == (self.mode, self.is_inverse);
        let name = MODES.into_iter().find(is_own).map_or("", |mode| mode.0);
        write!(f, "aes{}-{name}", 32 * (i32::from(self.rounds) - 6))?;
        if self.streams > 1 {
            write!(f, "-x{}", self.streams)?;
        }
        let (wiped, lookups) = (self.wipes, self.lookups);
        write!(f, "{}{}", if wiped { ", wiped" } else { "" }, if lookups { ", look-ups" } else { "" })
    }
}
