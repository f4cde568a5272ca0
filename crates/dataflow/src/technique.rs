//! The register of techniques: the ways to compute a round. A technique is a file beside this one and a [`Record`]
//! here, which holds all that the other stages need.

use crate::program::Program;
use crate::steps::{self, Doubling};
use crate::{Round, bitsliced, byteslices, gfni, slices, vbmi, vperm};
use aesmith_cipher::problem::nearest;
use std::fmt;
use std::str::FromStr;

/// A method of computing a round.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub enum Technique {
    /// AES instructions.
    #[default]
    Aes,
    /// Affine maps over GF(2^8): the S-box is one instruction.
    Gfni,
    /// Nibble look-ups by vector permutes on a tower field (Hamburg, CHES 2009).
    Vperm,
    /// Look-ups of the whole S-box by vector permutes of 128 bytes.
    Vbmi,
    /// The S-box as a circuit over bits (Kaesper and Schwabe, CHES 2009).
    Bitsliced,
    /// T-tables: SubBytes, ShiftRows and MixColumns as 16 look-ups (Daemen and Rijmen).
    Table,
    /// The state as bytes, exactly as in FIPS-197.
    Bytewise,
}

/// The form of a technique's rounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// One instruction of the processor.
    Instruction,
    /// Operations on whole blocks in the lanes of a register: [`round`].
    Lanes,
    /// Look-ups of T-tables, on words of general registers, one block at a time.
    Tables,
    /// The steps of FIPS-197, on words of general registers, one block at a time.
    Steps,
}

/// The properties of a technique. No stage distinguishes techniques by anything else.
pub struct Record {
    /// The technique.
    pub technique: Technique,
    /// The name in variants, file names and reports.
    pub name: &'static str,
    /// A description in one sentence, for users.
    pub meaning: &'static str,
    /// The form of the rounds.
    pub form: Form,
    /// True if the technique looks up tables at secret-dependent addresses, so that a search leaves it out by default.
    /// The proof of a kernel determines its real behaviour.
    pub looks_up_secrets: bool,
    /// The common names of the technique on registers of one block, and on wider ones, if there are any, each with a
    /// description in one sentence.
    pub names_by_width: Option<[(&'static str, &'static str); 2]>,
    /// The register width in blocks, if the technique works on only one.
    pub only_lanes: Option<usize>,
    /// True if several blocks are interleaved, and counter mode can take rounds from a table.
    pub interleaves: bool,
    /// The maximum number of rounds taken from a table over the fast counter byte, on whole blocks. Rounds of several
    /// vector instructions produce a table of two rounds that the prover does not always recognise.
    pub cached: u16,
    /// True if the sliced layout also takes rounds from a table.
    pub caches_slices: bool,
    /// The dimensions of a variant that not all techniques have and that this one has.
    pub dimensions: &'static [&'static str],
    round: Option<fn(Choices, Round) -> Program>,
    inverse_mix_columns: Option<fn(Choices) -> Program>,
    sliced: Option<fn(Choices, usize, bool) -> Sliced>,
    counter: Option<fn(Choices) -> Counter>,
}

/// The usual values of a record's rarer fields.
const USUAL: Record = Record {
    technique: Technique::Aes,
    name: "",
    meaning: "",
    form: Form::Lanes,
    looks_up_secrets: false,
    names_by_width: None,
    only_lanes: None,
    interleaves: true,
    cached: 1,
    caches_slices: false,
    dimensions: &[],
    round: None,
    inverse_mix_columns: None,
    sliced: None,
    counter: None,
};

/// The register, in the order of [`Technique`].
static RECORDS: [Record; 7] = [
    Record {
        technique: Technique::Aes,
        name: "aes",
        meaning: "AES instructions, on registers of any width",
        form: Form::Instruction,
        names_by_width: Some([
            ("aesni", "AES instructions on xmm registers"),
            ("vaes", "AES instructions on ymm and zmm registers"),
        ]),
        cached: 2,
        dimensions: &["schedule"],
        ..USUAL
    },
    Record {
        technique: Technique::Gfni,
        name: "gfni",
        meaning: "Galois-field instructions: the S-box is one instruction",
        caches_slices: true,
        dimensions: &["layout", "multiples"],
        round: Some(gfni::round),
        inverse_mix_columns: Some(gfni::inverse_mix_columns),
        sliced: Some(byteslices::sliced),
        ..USUAL
    },
    Record {
        technique: Technique::Vperm,
        name: "vperm",
        meaning: "Nibble look-ups by vector permutes (from SSSE3 on)",
        dimensions: &["layout", "shiftrows", "spread"],
        round: Some(|_, round| vperm::round(round)),
        inverse_mix_columns: Some(|_| steps::inverse_mix_columns(Doubling::Lookup)),
        sliced: Some(vperm::sliced),
        counter: Some(vperm::counter),
        ..USUAL
    },
    Record {
        technique: Technique::Vbmi,
        name: "vbmi",
        meaning: "Look-ups of the whole S-box by vector permutes (AVX-512 VBMI)",
        // The look-ups need registers of 64 bytes.
        only_lanes: Some(4),
        dimensions: &["multiples"],
        round: Some(vbmi::round),
        inverse_mix_columns: Some(|choices| steps::inverse_mix_columns(vbmi::doubling(choices))),
        ..USUAL
    },
    Record {
        technique: Technique::Bitsliced,
        name: "bitsliced",
        meaning: "The S-box as a circuit over bits: any CPU, constant time",
        dimensions: &["layout", "circuit", "shiftrows", "spread"],
        round: Some(bitsliced::round),
        inverse_mix_columns: Some(|choices| steps::inverse_mix_columns(bitsliced::doubling(choices))),
        sliced: Some(slices::sliced),
        ..USUAL
    },
    Record {
        technique: Technique::Table,
        name: "table",
        meaning: "T-tables: look-ups at secret addresses, of variable time",
        form: Form::Tables,
        looks_up_secrets: true,
        cached: 2,
        dimensions: &["tables", "last", "roundkeys", "extract", "loadxor", "index"],
        ..USUAL
    },
    Record {
        technique: Technique::Bytewise,
        name: "bytewise",
        meaning: "FIPS-197 byte by byte: look-ups at secret addresses, of variable time",
        form: Form::Steps,
        looks_up_secrets: true,
        interleaves: false,
        dimensions: &["subbytes", "mixcolumns", "inline", "words"],
        ..USUAL
    },
];

impl Technique {
    /// All techniques.
    pub const ALL: [Technique; 7] = [
        Technique::Aes,
        Technique::Gfni,
        Technique::Vperm,
        Technique::Vbmi,
        Technique::Bitsliced,
        Technique::Table,
        Technique::Bytewise,
    ];

    /// The record of this technique.
    pub fn record(self) -> &'static Record {
        &RECORDS[self as usize]
    }

    /// The name in variants, file names and reports.
    pub fn name(self) -> &'static str {
        self.record().name
    }

    /// A description in one sentence, for users.
    pub fn meaning(self) -> &'static str {
        self.record().meaning
    }

    /// True if a round is one instruction of the processor.
    pub fn is_instruction(self) -> bool {
        self.record().form == Form::Instruction
    }

    /// True if it computes on words of general registers, one block at a time.
    pub fn on_words(self) -> bool {
        matches!(self.record().form, Form::Tables | Form::Steps)
    }

    /// True if it looks up tables at secret-dependent addresses: see [`Record::looks_up_secrets`].
    pub fn looks_up_secrets(self) -> bool {
        self.record().looks_up_secrets
    }

    /// True if it has a dimension that not all techniques have.
    pub fn has_own(self, dimension: &str) -> bool {
        self.record().dimensions.contains(&dimension)
    }
}

impl fmt::Display for Technique {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The error for a name that is no technique, with the nearest valid name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownTechnique(pub String);

impl fmt::Display for UnknownTechnique {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<String> = Technique::ALL.iter().map(Technique::to_string).collect();
        let near = nearest(&self.0, &names, 1);
        write!(
            f,
            "there is no technique `{}`; did you mean {}? There are {}.",
            self.0,
            near[0],
            names.join(", ")
        )
    }
}

impl std::error::Error for UnknownTechnique {}

impl FromStr for Technique {
    type Err = UnknownTechnique;

    fn from_str(name: &str) -> Result<Technique, UnknownTechnique> {
        let found = Technique::ALL.into_iter().find(|t| t.name() == name);
        found.ok_or_else(|| UnknownTechnique(name.to_owned()))
    }
}

/// The choices within techniques that change the computation. Each technique reads its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct Choices {
    /// bitsliced: the S-box circuit, by its number in [`crate::circuits::CIRCUITS`].
    pub circuit: u8,
    /// bitsliced and vperm, sliced layout: true if ShiftRows is left out and compensated in MixColumns (fixslicing,
    /// Adomnicai and Peyrin, TCHES 2021).
    pub fixsliced: bool,
    /// gfni: 0 computes twice the S-box by a second affine map of the state; 1 by a product. Sliced decryption: 0 uses
    /// the smallest known number of maps; 1 a separate map for each of the four multiples. vbmi: 0 doubles with a mask
    /// of the signs; 1 with a look-up of the sign.
    pub multiples: u8,
    /// bitsliced, sliced layout: 0, 1, 2 spread a bit of the state over 1, 2 or 4 lanes; each lane adds 8 blocks to a
    /// group. vperm: the same number of blocks side by side.
    pub spread: u8,
    /// vperm, sliced layout, encryption: true if the round key is added before MixColumns, which then consists of two
    /// nested rotations: one operation fewer per round, and five more per round key.
    pub early_key: bool,
    /// bitsliced: true if bytes can be shuffled freely (pshufb), not only words and double words.
    pub byte_shuffle: bool,
    /// bitsliced: true if any three-input logic is one operation (vpternlog).
    pub three_input: bool,
}

/// A round on whole blocks in a lane: inputs are the state and the round key (AddRoundKey comes last, in the order of
/// [`Round`]), the output is the state. `None` for techniques that are one instruction, or that work on words.
pub fn round(technique: Technique, choices: Choices, round: Round) -> Option<Program> {
    technique.record().round.map(|program| program(choices, round))
}

/// InvMixColumns of a lane: one input, one output.
pub fn inverse_mix_columns(technique: Technique, choices: Choices) -> Option<Program> {
    technique.record().inverse_mix_columns.map(|program| program(choices))
}

/// A technique on a transposed group: the state is spread over `words` lanes, each of which holds a part of every block
/// of the group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sliced {
    /// The number of lanes of state.
    pub words: usize,
    /// The number of blocks of a group in one 128-bit lane: text lanes that are packed and unpacked.
    pub texts: usize,
    /// Packs `texts` blocks into `words` lanes of state.
    pub pack: Program,
    /// For each round key, in order of use, a program whose only input is that round key and whose outputs are the
    /// lanes that AddRoundKey needs: one for each word, or fewer.
    pub keys: Vec<Program>,
    /// The memory format of the outputs of [`Sliced::keys`].
    pub key_form: KeyForm,
    /// AddRoundKey of round key 0: inputs are the state, then its key lanes; outputs are the state.
    pub whiten: Program,
    /// Rounds 1 to the last: inputs are the state, then the round's key lanes.
    pub rounds: Vec<Program>,
    /// Unpacks `words` lanes of state into `texts` blocks.
    pub unpack: Program,
}

/// Two rounds of encryption, in parts, for counters that differ only in the last byte. After the first round four bytes
/// depend on the last one, one in each row; after the second, each byte depends on one of these. Rows are numbered as
/// in the state, bytes as in the lane. State and keys are in the form of [`Sliced`], with [`Choices::early_key`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counter {
    /// ShiftRows of a state, if it is not left out.
    pub enter: Program,
    /// SubBytes of a state, and twice SubBytes.
    pub substitute: Program,
    /// The rest of the first round and of the second; inputs are both outputs of `substitute`, and the round key.
    pub mix: [Program; 2],
    /// The place of the last byte before MixColumns of the first round.
    pub place: usize,
    /// The bytes that depend on it after MixColumns, by row.
    pub first: [usize; 4],
    /// The places of these bytes before MixColumns of the second round.
    pub before: [usize; 4],
    /// For each byte after the second round, the row in `before` of the byte that it depends on.
    pub second: [usize; 16],
}

/// The coefficient with which MixColumns adds a byte of row `from` to the byte of row `to` in its column.
pub fn multiple(to: usize, from: usize) -> u8 {
    [2, 3, 1, 1][(from + 4 - to) % 4]
}

/// The parts of [`Counter`], for techniques that have them.
pub fn counter(technique: Technique, choices: Choices) -> Option<Counter> {
    technique.record().counter.map(|parts| parts(choices))
}

/// The memory format of a prepared key lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyForm {
    /// 16 bytes, the same for every 128-bit lane of a register.
    Lane,
    /// One repeated byte, of which 4 copies are kept, for every double word of a register.
    Byte,
}

/// The sliced form of a technique for `rounds` rounds of the cipher, or of the equivalent inverse cipher.
pub fn sliced(technique: Technique, choices: Choices, rounds: usize, inverse: bool) -> Option<Sliced> {
    technique.record().sliced.map(|form| form(choices, rounds, inverse))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::circuits;
    use aesmith_cipher::Direction;
    use aesmith_cipher::block::{INV_MIX, INV_SBOX, INV_SHIFT_ROWS, MIX, SBOX, SHIFT_ROWS, gf_mul};

    fn mix(state: [u8; 16], matrix: [u8; 4]) -> [u8; 16] {
        std::array::from_fn(|i| {
            (0..4).fold(0, |s, k| s ^ gf_mul(matrix[(k + 4 - i % 4) % 4], state[i / 4 * 4 + k]))
        })
    }

    fn expected(round: Round, state: [u8; 16], key: u128) -> u128 {
        let direction = match round {
            Round::Encrypt | Round::EncryptLast => Direction::Encrypt,
            Round::Decrypt | Round::DecryptLast => Direction::Decrypt,
        };
        let (sbox, shift, matrix) = match direction {
            Direction::Encrypt => (&SBOX, &SHIFT_ROWS, MIX),
            Direction::Decrypt => (&INV_SBOX, &INV_SHIFT_ROWS, INV_MIX),
        };
        let after = std::array::from_fn(|i| sbox[usize::from(state[shift[i]])]);
        let after = if matches!(round, Round::Encrypt | Round::Decrypt) { mix(after, matrix) } else { after };
        u128::from_le_bytes(after) ^ key
    }

    fn all_choices() -> Vec<Choices> {
        let mut all = Vec::new();
        for circuit in 0..circuits::CIRCUITS.len() as u8 {
            for byte_shuffle in [false, true] {
                for multiples in 0..2 {
                    all.push(Choices { circuit, multiples, byte_shuffle, ..Choices::default() });
                }
            }
        }
        all
    }

    #[test]
    fn the_register_is_in_order() {
        for (place, technique) in Technique::ALL.into_iter().enumerate() {
            assert_eq!((technique as usize, technique.record().technique), (place, technique));
        }
        assert_eq!(RECORDS.len(), Technique::ALL.len());
    }

    #[test]
    fn every_round_of_every_technique_is_fips_197() {
        let mut programs = 0;
        for technique in Technique::ALL {
            for choices in all_choices() {
                for which in [Round::Encrypt, Round::EncryptLast, Round::Decrypt, Round::DecryptLast] {
                    let Some(program) = round(technique, choices, which) else { continue };
                    programs += 1;
                    for base in 0..16u8 {
                        // All 256 values occur in every place.
                        let state: [u8; 16] =
                            std::array::from_fn(|i| base.wrapping_mul(16) ^ (i as u8).wrapping_mul(17));
                        let key = u128::from(base) << 77 | 0x0123_4567_89ab_cdef;
                        let found = program.run(&[u128::from_le_bytes(state), key]);
                        assert_eq!(found, [expected(which, state, key)], "{technique} {choices:?} {which:?}");
                    }
                }
                if let Some(program) = inverse_mix_columns(technique, choices) {
                    let x: [u8; 16] = std::array::from_fn(|i| (i * 29 + 3) as u8);
                    let found = program.run(&[u128::from_le_bytes(x)]);
                    assert_eq!(found, [u128::from_le_bytes(mix(x, INV_MIX))], "{technique} {choices:?}");
                }
            }
        }
        assert!(programs > 0);
    }
}
