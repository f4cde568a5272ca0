//! The intrinsics of each register width.

use crate::EmitError;
use aesmith_arrange::{Choices, Dim, Technique, Variant};
use aesmith_cipher::Direction;
use aesmith_dataflow::program::Program;
use aesmith_dataflow::technique::Sliced;
use aesmith_dataflow::{Round, technique};
use aesmith_processor::dialect::Dialect;

/// The processor whose intrinsics these are.
pub(crate) fn dialect() -> &'static Dialect {
    aesmith_processors::dialects().next().expect("a processor has machine code")
}

/// The vocabulary of one width.
#[derive(Clone, Copy, Debug)]
pub(super) struct Words {
    /// 128-bit lanes of a register: 1, 2 or 4.
    pub lanes: usize,
    /// Its bits: suffix of the helpers.
    pub bits: usize,
    /// The vector type.
    pub vec: &'static str,
    /// Prefix of most intrinsics.
    prefix: &'static str,
    /// Suffix of the AES intrinsics.
    aes: &'static str,
    /// Suffix of the bitwise intrinsics.
    bitwise: &'static str,
    /// The features in target attributes, beside those of the technique.
    target: &'static [&'static str],
    /// How a round is computed.
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
            target: &["aes", "ssse3"],
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
            target: &["aes", "ssse3", "avx", "avx2", "vaes"],
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
            target: &["aes", "ssse3", "avx", "avx2", "vaes", "avx512f", "avx512bw", "avx512vl"],
            technique,
            choices,
        },
    }
}

impl Words {
    /// The vocabulary for so many lanes, with the rounds of a variant's technique.
    pub fn new(variant: &Variant, lanes: usize) -> Words {
        // C has byte shuffles at every width: SSSE3 is the least that it is written for.
        let choices = Choices { byte_shuffle: true, ..variant.choices() };
        width(lanes, variant.technique, choices)
    }

    /// The vocabulary for so many lanes, of AES instructions.
    pub fn plain(lanes: usize) -> Words {
        width(lanes, Technique::default(), Choices::default())
    }

    /// The same of another width.
    pub fn lanes(&self, lanes: usize) -> Words {
        width(lanes, self.technique, self.choices)
    }

    /// Bytes of a register.
    pub fn bytes(&self) -> usize {
        16 * self.lanes
    }

    /// Features that functions of this width need.
    pub fn features(&self) -> Vec<&'static str> {
        let aes = self.technique.is_instruction();
        let mut features: Vec<&str> =
            self.target.iter().copied().filter(|f| aes || !["aes", "vaes"].contains(f)).collect();
        for feature in (dialect().attributes)(self.technique) {
            if !features.contains(feature) {
                features.push(feature);
            }
        }
        features
    }

    /// The technique's form on transposed groups.
    ///
    /// # Errors
    /// There is none, or one with a choice that only machine code has.
    pub fn sliced(&self, variant: &Variant) -> Result<Sliced, EmitError> {
        let problem = variant.problem;
        if variant.get(Dim::Cached) > 0 {
            return Err(EmitError(
                "the cached rounds of layout=sliced are written as machine code only: cached=0 has a C form"
                    .into(),
            ));
        }
        let inverse = problem.mode().direction == Direction::Decrypt;
        technique::sliced(self.technique, self.choices, problem.key.rounds(), inverse)
            .ok_or_else(|| EmitError(format!("technique={} has no layout=sliced", self.technique)))
    }

    /// The technique's rounds at this width, where they are no instructions: name and program.
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
        // What the variants of a file may differ in.
        let number = self.choices.circuit + 4 * self.choices.multiples;
        format!("{}{number}_{name}{}", self.technique, self.bits)
    }

    /// `static` and the attributes of a function that is its own unit.
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

    /// Sums of 64-bit or 32-bit elements.
    pub fn add(&self, element: usize, a: &str, b: &str) -> String {
        format!("{}_add_epi{element}({a}, {b})", self.prefix)
    }

    /// Bytes picked by a control.
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
    pub fn fast_byte(&self, n: usize) -> String {
        format!("fast_byte{}({n})", self.bits)
    }

    /// An intrinsic of this width.
    pub fn intrinsic(&self, name: &str) -> String {
        format!("{}_{name}", self.prefix)
    }

    /// A bitwise intrinsic of this width: `and`, `or`, `andnot`.
    pub fn bitwise(&self, name: &str) -> String {
        format!("{}_{name}_{}", self.prefix, self.bitwise)
    }

    /// An expression of a block, in every lane.
    pub fn every_lane(&self, block: &str) -> String {
        match self.lanes {
            1 => block.to_owned(),
            2 => format!("both256({block})"),
            _ => format!("all512({block})"),
        }
    }

    /// The C that the rest is written with, for functions with these features.
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
    "INLINE128 __m128i load128(const uint8_t *p)
{
    return _mm_loadu_si128((const __m128i *)p);
}

INLINE128 void store128(uint8_t *p, __m128i v)
{
    _mm_storeu_si128((__m128i *)p, v);
}

INLINE128 void stream128(uint8_t *p, __m128i v)
{
    _mm_stream_si128((__m128i *)p, v);
}

INLINE128 __m128i round_key128(const uint8_t *key, int r)
{
    return load128(key + 16 * r);
}

/* Reverses the bytes of a block. */
INLINE128 __m128i reversal128(void)
{
    return _mm_set_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
}

/* n in the last byte: the fast byte of a big-endian counter. */
INLINE128 __m128i fast_byte128(unsigned int n)
{
    return _mm_set_epi32((int)(n << 24), 0, 0, 0);
}

/* The next counter, its bytes reversed. */
INLINE128 __m128i counters128(uint64_t high, uint64_t low)
{
    return _mm_set_epi64x((long long)high, (long long)low);
}

/* n in the low half. */
INLINE128 __m128i low_half128(int n)
{
    return _mm_set_epi32(0, 0, 0, n);
}

/* Eight bytes as a big-endian number. */
INLINE128 uint64_t load_number(const uint8_t *p)
{
    uint64_t n;
    memcpy(&n, p, 8);
    return __builtin_bswap64(n);
}

INLINE128 void store_number(uint8_t *p, uint64_t n)
{
    n = __builtin_bswap64(n);
    memcpy(p, &n, 8);
}

/* Zeros that the compiler believes to be used. */
INLINE128 void wipe(void *p, size_t n)
{
    memset(p, 0, n);
    __asm__ __volatile__(\"\" : : \"r\"(p) : \"memory\");
}

",
    "INLINE256 __m256i load256(const uint8_t *p)
{
    return _mm256_loadu_si256((const __m256i *)p);
}

INLINE256 void store256(uint8_t *p, __m256i v)
{
    _mm256_storeu_si256((__m256i *)p, v);
}

INLINE256 void stream256(uint8_t *p, __m256i v)
{
    _mm256_stream_si256((__m256i *)p, v);
}

/* One block in both lanes. */
INLINE256 __m256i both256(__m128i block)
{
    return _mm256_broadcastsi128_si256(block);
}

INLINE256 __m256i join256(__m128i a, __m128i b)
{
    return _mm256_inserti128_si256(_mm256_castsi128_si256(a), b, 1);
}

INLINE256 __m256i round_key256(const uint8_t *key, int r)
{
    return both256(load128(key + 16 * r));
}

INLINE256 __m256i reversal256(void)
{
    return both256(reversal128());
}

INLINE256 __m256i fast_byte256(unsigned int n)
{
    return both256(fast_byte128(n));
}

/* The next two counters, their bytes reversed. */
INLINE256 __m256i counters256(uint64_t high, uint64_t low)
{
    return _mm256_add_epi64(both256(counters128(high, low)), _mm256_set_epi64x(0, 1, 0, 0));
}

INLINE256 __m256i low_half256(int n)
{
    return both256(low_half128(n));
}

/* The blocks before those of b, where a holds the blocks before. */
INLINE256 __m256i previous256(__m256i a, __m256i b)
{
    return _mm256_permute2x128_si256(a, b, 0x21);
}

/* Two rows of two blocks become columns. */
INLINE256 void transpose256(__m256i *a, __m256i *b)
{
    __m256i x = _mm256_permute2x128_si256(*a, *b, 0x20);
    *b = _mm256_permute2x128_si256(*a, *b, 0x31);
    *a = x;
}

",
    "INLINE512 __m512i load512(const uint8_t *p)
{
    return _mm512_loadu_si512((const void *)p);
}

INLINE512 void store512(uint8_t *p, __m512i v)
{
    _mm512_storeu_si512((void *)p, v);
}

INLINE512 void stream512(uint8_t *p, __m512i v)
{
    _mm512_stream_si512((void *)p, v);
}

/* One block in all four lanes. */
INLINE512 __m512i all512(__m128i block)
{
    return _mm512_broadcast_i32x4(block);
}

INLINE512 __m512i join512(__m128i a, __m128i b, __m128i c, __m128i d)
{
    __m512i v = _mm512_castsi128_si512(a);
    v = _mm512_inserti32x4(v, b, 1);
    v = _mm512_inserti32x4(v, c, 2);
    return _mm512_inserti32x4(v, d, 3);
}

INLINE512 __m512i round_key512(const uint8_t *key, int r)
{
    return all512(load128(key + 16 * r));
}

INLINE512 __m512i reversal512(void)
{
    return all512(reversal128());
}

INLINE512 __m512i fast_byte512(unsigned int n)
{
    return all512(fast_byte128(n));
}

/* The next four counters, their bytes reversed. */
INLINE512 __m512i counters512(uint64_t high, uint64_t low)
{
    return _mm512_add_epi64(all512(counters128(high, low)), _mm512_set_epi64(0, 3, 0, 2, 0, 1, 0, 0));
}

INLINE512 __m512i low_half512(int n)
{
    return all512(low_half128(n));
}

/* The blocks before those of b, where a holds the blocks before. */
INLINE512 __m512i previous512(__m512i a, __m512i b)
{
    return _mm512_alignr_epi64(b, a, 6);
}

/* Four rows of four blocks become columns. */
INLINE512 void transpose512(__m512i *a, __m512i *b, __m512i *c, __m512i *d)
{
    __m512i ab = _mm512_shuffle_i32x4(*a, *b, 0x44), cd = _mm512_shuffle_i32x4(*c, *d, 0x44);
    __m512i AB = _mm512_shuffle_i32x4(*a, *b, 0xee), CD = _mm512_shuffle_i32x4(*c, *d, 0xee);
    *a = _mm512_shuffle_i32x4(ab, cd, 0x88);
    *b = _mm512_shuffle_i32x4(ab, cd, 0xdd);
    *c = _mm512_shuffle_i32x4(AB, CD, 0x88);
    *d = _mm512_shuffle_i32x4(AB, CD, 0xdd);
}

",
];
