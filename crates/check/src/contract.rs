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
}

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
    /// A contract by the name of its problem, such as `aes128-ecb-dec`, without wiping.
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
        let (mode, is_inverse) = match mode {
            "ecb" => (Mode::Ecb, false),
            "ecb-dec" => (Mode::Ecb, true),
            "cbc" => (Mode::Cbc, false),
            "cbc-dec" => (Mode::Cbc, true),
            "ctr" => (Mode::Ctr, false),
            "key" => (Mode::Keys, false),
            "key-dec" => (Mode::Keys, true),
            _ => return None,
        };
        Some(Contract { rounds, mode, is_inverse, streams: streams.unwrap_or(1), wipes: false })
    }

    /// The arguments in order.
    pub fn arguments(&self) -> &'static [Argument] {
        const ALL: [Argument; 5] = [
            Argument::Pointer(Region::Key),
            Argument::Pointer(Region::Iv),
            Argument::Pointer(Region::Input),
            Argument::Pointer(Region::Output),
            Argument::Length,
        ];
        const WITHOUT_IV: [Argument; 4] = [ALL[0], ALL[2], ALL[3], ALL[4]];
        /// The round keys that are computed, and the cipher key.
        const KEYS: [Argument; 2] = [ALL[3], ALL[2]];
        /// Arrays of these arguments.
        const fn array(number: u8) -> Argument {
            Argument::Pointer(Region::Array(number))
        }
        const STREAMS: [Argument; 5] = [array(0), array(1), array(2), array(3), array(4)];
        match self.mode {
            _ if self.streams > 1 => &STREAMS,
            Mode::Ecb => &WITHOUT_IV,
            Mode::Cbc | Mode::Ctr => &ALL,
            Mode::Keys => &KEYS,
        }
    }

    /// True if the inverse S-box is applied.
    pub fn has_inverse_boxes(&self) -> bool {
        self.is_inverse && self.mode != Mode::Keys
    }

    /// True if there is an IV.
    pub fn has_iv(&self) -> bool {
        matches!(self.mode, Mode::Cbc | Mode::Ctr)
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
        let mode = match self.mode {
            Mode::Ecb => "ecb",
            Mode::Cbc => "cbc",
            Mode::Ctr => "ctr",
            Mode::Keys => "key",
        };
        let bits = 32 * (i32::from(self.rounds) - 6);
        let inverse = if self.is_inverse { "-dec" } else { "" };
        write!(f, "aes{bits}-{mode}{inverse}")?;
        if self.streams > 1 {
            write!(f, "-x{}", self.streams)?;
        }
        write!(f, "{}", if self.wipes { ", wiped" } else { "" })
    }
}
