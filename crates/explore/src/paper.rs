//! Table 1 of Bertoni, Breveglieri, Farina and Regazzoni, "Speeding Up AES By Extending a 32 bit
//! Processor Instruction Set" (ASAP 2006): AES-128 encryption on an ARM core in a simulator, compiled C.

use serde::Serialize;

use crate::part::Kind;

/// A row of the table, in cycles.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Line {
    /// The names of the instructions.
    pub instructions: &'static str,
    /// The set of instructions in aesmith with this content, if there is one.
    pub set: Option<&'static str>,
    /// Encryption of one block with round keys from memory.
    pub cipher: u32,
    /// The key schedule.
    pub key_schedule: u32,
    /// Encryption of one block from the cipher key.
    pub on_the_fly: u32,
}

impl Line {
    /// The cycles of a kind of kernel.
    pub fn cycles(&self, kind: Kind) -> u32 {
        match kind {
            Kind::KeySchedule => self.key_schedule,
            Kind::Cipher => self.cipher,
            Kind::OnTheFly => self.on_the_fly,
        }
    }

    /// The speed-up over the paper's original.
    pub fn speed_up(&self, kind: Kind) -> f64 {
        f64::from(TABLE_1[0].cycles(kind)) / f64::from(self.cycles(kind))
    }
}

const fn line(instructions: &'static str, set: Option<&'static str>, cycles: [u32; 3]) -> Line {
    let [cipher, key_schedule, on_the_fly] = cycles;
    Line { instructions, set, cipher, key_schedule, on_the_fly }
}

/// The table. Its first row is the original, S-box tables after Gladman.
pub const TABLE_1: [Line; 5] = [
    line("none (the original)", None, [1474, 783, 1771]),
    line("SBox, SMix", Some("bertoni-bytes"), [451, 563, 727]),
    line("SMixW, SubWord", Some("bertoni-subword"), [311, 533, 577]),
    line("KSFw", Some("bertoni-ksfw"), [1474, 703, 1691]),
    line("SMixW, SubWord, KSFw", Some("bertoni-words"), [311, 443, 497]),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_set_beside_the_original() {
        assert_eq!(TABLE_1[0].speed_up(Kind::Cipher), 1.0);
        // The ratio 1474 / 451.
        assert!((TABLE_1[1].speed_up(Kind::Cipher) - 3.268).abs() < 0.001);
        assert!((TABLE_1[4].speed_up(Kind::Cipher) - 4.740).abs() < 0.001);
        assert!((TABLE_1[4].speed_up(Kind::OnTheFly) - 3.563).abs() < 0.001);
    }
}
