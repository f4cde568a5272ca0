//! Key set-up in C: the key schedules of FIPS-197 for both directions, and the counter table.

use super::words::Words;
use crate::dimensions::Dim;
use aesmith_arrange::Variant;
use aesmith_cipher::block::INV_SBOX;
use aesmith_cipher::{Direction, KeySize, block, contract};
use aesmith_dataflow::Round;
use aesmith_processor::c::{SetUp, Text};

struct Writer<'t> {
    t: &'t mut Text,
    by_keygenassist: bool,
    inverse: bool,
    rounds: usize,
    rcon: u8,
}

/// Writes the key schedule of a variant.
pub(super) fn schedule(t: &mut Text, variant: &Variant, names: SetUp<'_>) {
    let SetUp { function, structure, storage } = names;
    let key = variant.problem.key;
    let by_keygenassist = variant.get(Dim::Schedule) == 0;
    let inverse = variant.problem.mode().direction == Direction::Decrypt;
    t.blank();
    t.line(&format!("/* {variant} */"));
    if !by_keygenassist {
        t.line("/* SubWord of a word in every column: ShiftRows does not change equal columns. */");
        t.open(
            "INLINE128 __m128i sub_words(__m128i v, int first, int second, int third, int fourth, int rcon)",
        );
        t.line("const char a = (char)first, b = (char)second, c = (char)third, d = (char)fourth;");
        t.line("v = _mm_shuffle_epi8(v, _mm_set_epi8(d, c, b, a, d, c, b, a, d, c, b, a, d, c, b, a));");
        t.line("return _mm_aesenclast_si128(v, _mm_set1_epi32(rcon));");
        t.close();
        t.blank();
    }
    t.line("/* Each word becomes the XOR of itself, the words before it, and the word t. */");
    t.open("INLINE128 __m128i spread(__m128i v, __m128i t)");
    t.line("v = _mm_xor_si128(v, _mm_slli_si128(v, 4));");
    t.line("v = _mm_xor_si128(v, _mm_slli_si128(v, 8));");
    t.line("return _mm_xor_si128(v, t);");
    t.close();
    t.blank();
    t.open(&format!(
        "{storage}TARGET128 void {function}({structure} *key_structure, const uint8_t *key_bytes)"
    ));
    t.line("uint8_t *const key = key_structure->bytes;");
    let mut w = Writer { t, by_keygenassist, inverse, rounds: key.rounds(), rcon: 1 };
    match key {
        KeySize::Aes128 => w.aes128(),
        KeySize::Aes192 => w.aes192(),
        KeySize::Aes256 => w.aes256(),
    }
    t.close();
}

impl Writer<'_> {
    /// Stores round key `r` at its place; in the inverse, inner rounds go through InvMixColumns.
    fn put(&mut self, r: usize, value: &str) {
        let place = if self.inverse { self.rounds - r } else { r };
        let value = if self.inverse && r > 0 && r < self.rounds {
            format!("_mm_aesimc_si128({value})")
        } else {
            value.to_owned()
        };
        self.t.line(&format!("store128(key + {}, {value});", 16 * place));
    }

    /// SubWord of word `word` of `from`, in every word.
    fn sub_word(&mut self, from: &str, word: usize, rotate: bool) -> String {
        let rcon = if rotate { self.rcon } else { 0 };
        if rotate {
            self.rcon = block::xtime(self.rcon);
        }
        if self.by_keygenassist {
            // Words 1 and 3 of the result are rotated and have the constant; 0 and 2 do not.
            let result = word - usize::from(!rotate);
            return format!(
                "_mm_shuffle_epi32(_mm_aeskeygenassist_si128({from}, {rcon:#04x}), {:#04x})",
                result * 0x55
            );
        }
        let byte = |i: usize| 4 * word + (i + usize::from(rotate)) % 4;
        format!("sub_words({from}, {}, {}, {}, {}, {rcon:#04x})", byte(0), byte(1), byte(2), byte(3))
    }

    fn aes128(&mut self) {
        self.t.line("__m128i a = load128(key_bytes);");
        self.put(0, "a");
        for r in 1..=10 {
            let word = self.sub_word("a", 3, true);
            self.t.line(&format!("a = spread(a, {word});"));
            self.put(r, "a");
        }
    }

    fn aes256(&mut self) {
        self.t.line("__m128i a = load128(key_bytes), b = load128(key_bytes + 16);");
        self.put(0, "a");
        self.put(1, "b");
        for r in 2..=14 {
            let (from, part) = if r % 2 == 0 { ("b", "a") } else { ("a", "b") };
            let word = self.sub_word(from, 3, r % 2 == 0);
            self.t.line(&format!("{part} = spread({part}, {word});"));
            self.put(r, part);
        }
    }

    /// Processes six words at a time: four in a, two in the lower half of b. Two steps of six words give three round
    /// keys.
    fn aes192(&mut self) {
        self.t.line("__m128i a = load128(key_bytes);");
        self.t.line("__m128i b = _mm_loadl_epi64((const __m128i *)(key_bytes + 16));");
        self.put(0, "a");
        for half in 1..=8 {
            let word = self.sub_word("b", 1, true);
            self.t.line(&format!("a = spread(a, {word});"));
            let odd = half % 2 == 1;
            if odd {
                self.put(half / 2 * 3 + 1, "_mm_unpacklo_epi64(b, a)");
            } else {
                self.put(half / 2 * 3, "a");
            }
            if half == 8 {
                break;
            }
            self.t.line("b = _mm_xor_si128(b, _mm_slli_si128(b, 4));");
            self.t.line("b = _mm_xor_si128(b, _mm_shuffle_epi32(a, 0xff));");
            if odd {
                self.put(half / 2 * 3 + 2, "_mm_alignr_epi8(b, a, 8)");
            }
        }
    }
}

/// Writes the builder of the counter table (see [`contract::table_entry`]): an AES round of a block whose last byte is
/// the counter byte XOR round key 0 and whose other bytes are those that the S-box maps to zero.
pub(super) fn table(t: &mut Text, words: &Words, names: SetUp<'_>) {
    let SetUp { function, structure, storage } = names;
    t.blank();
    t.line(
        "/* What the fast counter byte adds to the state after the first round, for each of its values. */",
    );
    t.line(&format!("{storage}void {function}({structure} *key_structure);"));
    t.open(&format!("{storage}TARGET128 void {function}({structure} *key_structure)"));
    t.line(&format!("uint8_t *const row = key_structure->bytes + {};", contract::TABLE_OFFSET));
    t.line("const int last = key_structure->bytes[15];");
    t.line("int n;");
    t.open_bare("for (n = 0; n < 256; n++)");
    t.line(&format!("__m128i s = _mm_set1_epi8({:#04x});", INV_SBOX[0]));
    t.line("s = _mm_insert_epi16(s, ((n ^ last) << 8) | (_mm_extract_epi16(s, 7) & 255), 7);");
    let round = words.round(Round::Encrypt, "s", "_mm_setzero_si128()");
    t.line(&format!("store128(row + 16 * n, {round});"));
    t.close();
    t.close();
}
