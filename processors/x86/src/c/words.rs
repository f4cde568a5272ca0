//! The intrinsics of each register width.

use crate::dimensions::Dim;
use crate::kernels::target::attributes;
use aesmith_arrange::{Choices, Technique, Variant};
use aesmith_cipher::Direction;
use aesmith_dataflow::program::Program;
use aesmith_dataflow::technique::Sliced;
use aesmith_dataflow::{Round, technique};

/// The vocabulary of one width.
#[derive(Clone, Copy, Debug)]
pub(super) struct Words {
    /// 128-bit lanes of a register: 1, 2 or 4.
    pub lanes: usize,
    /// Its bits, used as the suffix of the helpers.
    pub bits: usize,
    /// The vector type.
    pub vec: &'static str,
    /// Prefix of most intrinsics.
    prefix: &'static str,
    /// Suffix of the AES intrinsics.
    aes: &'static str,
    /// Suffix of the bitwise intrinsics.
    bitwise: &'static str,
    /// The technique of a round.
    technique: Technique,
    choices: Choices,
}

/// The vocabulary of a width.
fn width(lanes: usize, technique: Technique, choices: Choices) -> Words {
    match lanes {
        1 => Words {
            lanes: 1,
            bits: 128,
            vec: "__m128i",
            prefix: "_mm",
            aes: "si128",
            bitwise: "si128",
            technique,
            choices,
        },
        2 => Words {
            lanes: 2,
            bits: 256,
            vec: "__m256i",
            prefix: "_mm256",
            aes: "epi128",
            bitwise: "si256",
            technique,
            choices,
        },
        _ => Words {
            lanes: 4,
            bits: 512,
            vec: "__m512i",
            prefix: "_mm512",
            aes: "epi128",
            bitwise: "si512",
            technique,
            choices,
        },
    }
}

impl Words {
    /// The vocabulary for `lanes` lanes, with the rounds of a variant's technique.
    pub fn new(variant: &Variant, lanes: usize) -> Words {
        // C uses byte shuffles at every width, so it needs at least SSSE3.
        let choices = Choices { byte_shuffle: true, ..variant.choices() };
        width(lanes, variant.technique, choices)
    }

    /// The vocabulary for `lanes` lanes, with AES instructions.
    pub fn plain(lanes: usize) -> Words {
        width(lanes, Technique::default(), Choices::default())
    }

    /// The vocabulary for another width.
    pub fn lanes(&self, lanes: usize) -> Words {
        width(lanes, self.technique, self.choices)
    }

    /// Bytes of a register.
    pub fn bytes(&self) -> usize {
        16 * self.lanes
    }

    /// Features that functions of this width need.
    pub fn features(&self) -> Vec<&'static str> {
        attributes(self.technique, self.lanes)
    }

    /// Returns the technique's form on transposed groups.
    ///
    /// # Errors
    /// There is none, or the variant has a choice that exists only as machine code.
    pub fn sliced(&self, variant: &Variant) -> Result<Sliced, String> {
        let problem = variant.problem;
        if variant.get(Dim::Cached) > 0 {
            return Err(
                "the cached rounds of layout=sliced are written as machine code only: cached=0 has a C form"
                    .into(),
            );
        }
        let inverse = problem.mode().direction == Direction::Decrypt;
        technique::sliced(self.technique, self.choices, problem.key.rounds(), inverse)
            .ok_or_else(|| format!("technique={} has no layout=sliced", self.technique))
    }

    /// The technique's rounds at this width, if they are not instructions: name and program.
    pub fn rounds(&self, inverse: bool) -> Vec<(String, Program)> {
        let both =
            if inverse { [Round::Decrypt, Round::DecryptLast] } else { [Round::Encrypt, Round::EncryptLast] };
        let program = |round| technique::round(self.technique, self.choices, round);
        both.into_iter().filter_map(|round| Some((self.round_name(round), program(round)?))).collect()
    }

    fn round_name(&self, round: Round) -> String {
        let name = match round {
            Round::Encrypt => "encrypt",
            Round::EncryptLast => "encrypt_last",
            Round::Decrypt => "decrypt",
            Round::DecryptLast => "decrypt_last",
        };
        // The number distinguishes the variants of a file.
        let number = self.choices.circuit + 4 * self.choices.multiples;
        format!("{}{number}_{name}{}", self.technique, self.bits)
    }

    /// `static` and the attributes of a non-inlined function.
    pub fn function(&self) -> String {
        format!("static TARGET{}", self.bits)
    }

    /// `a ^ b`.
    pub fn xor(&self, a: &str, b: &str) -> String {
        format!("{}_xor_{}({a}, {b})", self.prefix, self.bitwise)
    }

    /// An AES round.
    pub fn round(&self, round: Round, state: &str, key: &str) -> String {
        if !self.technique.is_instruction() {
            return format!("{}({state}, {key})", self.round_name(round));
        }
        let name = match round {
            Round::Encrypt => "aesenc",
            Round::EncryptLast => "aesenclast",
            Round::Decrypt => "aesdec",
            Round::DecryptLast => "aesdeclast",
        };
        format!("{}_{name}_{}({state}, {key})", self.prefix, self.aes)
    }

    /// Adds 64-bit or 32-bit elements.
    pub fn add(&self, element: usize, a: &str, b: &str) -> String {
        format!("{}_add_epi{element}({a}, {b})", self.prefix)
    }

    /// Shuffles bytes by a control vector.
    pub fn shuffle(&self, a: &str, control: &str) -> String {
        format!("{}_shuffle_epi8({a}, {control})", self.prefix)
    }

    /// A load.
    pub fn load(&self, pointer: &str) -> String {
        format!("load{}({pointer})", self.bits)
    }

    /// Round key `r` of `key` in every lane.
    pub fn round_key(&self, key: &str, r: u8) -> String {
        format!("round_key{}({key}, {r})", self.bits)
    }

    /// A store, past the caches if `streaming`.
    pub fn store(&self, pointer: &str, value: &str, streaming: bool) -> String {
        format!("{}{}({pointer}, {value});", if streaming { "stream" } else { "store" }, self.bits)
    }

    /// `n` in the last byte of each lane, the fast byte of a big-endian counter.
    pub(crate) fn fast_byte(&self, n: usize) -> String {
        format!("fast_byte{}({n})", self.bits)
    }

    /// An intrinsic of this width.
    pub(crate) fn intrinsic(&self, name: &str) -> String {
        format!("{}_{name}", self.prefix)
    }

    /// A bitwise intrinsic of this width: `and`, `or`, `andnot`.
    pub fn bitwise(&self, name: &str) -> String {
        format!("{}_{name}_{}", self.prefix, self.bitwise)
    }

    /// Copies a block into every lane.
    pub(crate) fn every_lane(&self, block: &str) -> String {
        match self.lanes {
            1 => block.to_owned(),
            2 => format!("both256({block})"),
            _ => format!("all512({block})"),
        }
    }

    /// A lane as a block.
    pub fn lane(&self, v: &str, lane: usize) -> String {
        match (self.lanes, lane) {
            (1, _) => v.to_owned(),
            (2, 0) => format!("_mm256_castsi256_si128({v})"),
            (2, _) => format!("_mm256_extracti128_si256({v}, {lane})"),
            (_, 0) => format!("_mm512_castsi512_si128({v})"),
            _ => format!("_mm512_extracti32x4_epi32({v}, {lane})"),
        }
    }

    /// The last lane as a block.
    pub(crate) fn last_lane(&self, v: &str) -> String {
        self.lane(v, self.lanes - 1)
    }

    /// The helpers for functions with these features.
    pub fn helpers(&self, features: &[&str]) -> String {
        format!(
            "#define TARGET{bits} __attribute__((target(\"{}\")))\n#define INLINE{bits} static inline \
             TARGET{bits} __attribute__((always_inline, unused))\n\n{}",
            features.join(","),
            TEMPLATES[self.lanes.ilog2() as usize],
            bits = self.bits,
        )
    }
}

/// Helpers of each width: loads and stores of any alignment, keys, counters.
const TEMPLATES: [&str; 3] = [
    include_str!("template/helpers128.c"),
    include_str!("template/helpers256.c"),
    include_str!("template/helpers512.c"),
];
