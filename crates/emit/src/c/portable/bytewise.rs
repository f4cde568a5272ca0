//! FIPS-197 to the letter in C: the state as bytes (or, optionally, as words), and the four steps of a round as
//! functions. The four source-level optimizations of "Optimization of AES in Software" are switches: SubBytes unrolled,
//! products of MixColumns looked up, steps inlined, 32-bit words.

use super::{Core, table};
use crate::c::choices;
use aesmith_arrange::Variant;
use aesmith_cipher::block::{INV_MIX, INV_SHIFT_ROWS, MIX, SHIFT_ROWS, gf_mul};
use aesmith_processor::c::Text;

/// The way in which the steps of a round are called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Steps {
    /// Steps are functions.
    Plain,
    /// Through the macro `STEP(number, call)`, which the including file defines; the numbers are 0 AddRoundKey, 1
    /// SubBytes, 2 ShiftRows, 3 MixColumns.
    Traced,
}

pub(super) struct Bytewise {
    unrolled: bool,
    looked_up: bool,
    inlined: bool,
    words: bool,
    inverse: bool,
    rounds: usize,
    steps: Steps,
}

impl Bytewise {
    pub fn new(variant: &Variant, inverse: bool, steps: Steps) -> Bytewise {
        Bytewise {
            unrolled: variant.on(choices::SUB_BYTES),
            looked_up: variant.on(choices::MIX_COLUMNS),
            inlined: variant.on(choices::INLINE),
            words: variant.on(choices::WORDS),
            inverse,
            rounds: variant.problem.key.rounds(),
            steps,
        }
    }

    /// Type of an element of the state.
    fn element(&self) -> &'static str {
        if self.words { "uint32_t" } else { "uint8_t" }
    }

    fn function(&self, t: &mut Text, head: &str) {
        t.open(&format!("STEPS void {head}"));
    }

    fn matrix(&self) -> [u8; 4] {
        if self.inverse { INV_MIX } else { MIX }
    }

    /// The distinct factors of the matrix that are more than 1.
    fn factors(&self) -> Vec<u8> {
        let mut factors: Vec<u8> = self.matrix().into_iter().filter(|f| *f > 1).collect();
        factors.sort_unstable();
        factors
    }

    fn add_round_key(&self, t: &mut Text) {
        let (element, n) = (self.element(), if self.words { 4 } else { 16 });
        self.function(t, &format!("add_round_key({element} *s, const {element} *key)"));
        t.line("int i;");
        t.open_bare(&format!("for (i = 0; i < {n}; i++)"));
        let xor = if self.words { "s[i] ^= key[i];" } else { "s[i] = (uint8_t)(s[i] ^ key[i]);" };
        t.line(xor);
        t.close();
        t.close();
        t.blank();
    }

    fn sub_bytes(&self, t: &mut Text) {
        self.function(t, &format!("sub_bytes({} *s)", self.element()));
        let n = if self.words { 4 } else { 16 };
        let sub = |i: &str| {
            if !self.words {
                return format!("s[{i}] = sbox[s[{i}]];");
            }
            format!(
                "s[{i}] = (uint32_t)sbox[s[{i}] & 255] | (uint32_t)sbox[s[{i}] >> 8 & 255] << 8\n        \
                 | (uint32_t)sbox[s[{i}] >> 16 & 255] << 16 | (uint32_t)sbox[s[{i}] >> 24] << 24;"
            )
        };
        if self.unrolled {
            for i in 0..n {
                t.line(&sub(&i.to_string()));
            }
        } else {
            t.line("int i;");
            t.open_bare(&format!("for (i = 0; i < {n}; i++)"));
            t.line(&sub("i"));
            t.close();
        }
        t.close();
        t.blank();
    }

    fn shift_rows(&self, t: &mut Text) {
        self.function(t, &format!("shift_rows({} *s)", self.element()));
        if self.words {
            t.line("const uint32_t a = s[0], b = s[1], c = s[2], d = s[3];");
            let names = ["a", "b", "c", "d"];
            for column in 0..4 {
                let terms: Vec<String> = (0..4)
                    .map(|row| {
                        let from = if self.inverse { column + 4 - row } else { column + row } % 4;
                        format!("({} & {:#010x}u)", names[from], 0xffu32 << (8 * row))
                    })
                    .collect();
                t.line(&format!("s[{column}] = {};", terms.join(" | ")));
            }
        } else {
            t.line("uint8_t first;");
            let from = if self.inverse { &INV_SHIFT_ROWS } else { &SHIFT_ROWS };
            let mut done = [false; 16];
            for start in 0..16 {
                if done[start] || from[start] == start {
                    continue;
                }
                // Rotates each cycle of the permutation.
                t.line(&format!("first = s[{start}];"));
                let mut at = start;
                loop {
                    done[at] = true;
                    if from[at] == start {
                        t.line(&format!("s[{at}] = first;"));
                        break;
                    }
                    t.line(&format!("s[{at}] = s[{}];", from[at]));
                    at = from[at];
                }
            }
        }
        t.close();
        t.blank();
    }

    fn mix_columns(&self, t: &mut Text) {
        self.function(t, &format!("mix_columns({} *s)", self.element()));
        t.line("int i;");
        t.open_bare(&format!(
            "for (i = 0; i < {}; i{})",
            if self.words { 4 } else { 16 },
            if self.words { "++" } else { " += 4" }
        ));
        match (self.words, self.looked_up) {
            (true, false) => {
                let w = if self.inverse { "inverse_mix(s[i])" } else { "mix(s[i])" };
                t.line(&format!("s[i] = {w};"));
            }
            (words, looked_up) => {
                for row in 0..4 {
                    let byte = match (words, row) {
                        (false, _) => format!("s[i + {row}]"),
                        (true, 0) => "s[i] & 255".into(),
                        (true, 3) => "s[i] >> 24".into(),
                        (true, _) => format!("s[i] >> {} & 255", 8 * row),
                    };
                    let byte = if words { format!("(uint8_t)({byte})") } else { byte };
                    t.line(&format!("const uint8_t a{row} = {byte};"));
                }
                if looked_up { self.products(t) } else { self.sums(t) }
            }
        }
        t.close();
        t.close();
        t.blank();
    }

    /// Multiplies a column by look-ups in tables of products.
    fn products(&self, t: &mut Text) {
        for row in 0..4 {
            let terms: Vec<String> = (0..4)
                .map(|k| match self.matrix()[(k + 4 - row) % 4] {
                    1 => format!("a{k}"),
                    by => format!("times{by}[a{k}]"),
                })
                .collect();
            let sum = terms.join(" ^ ");
            match (self.words, row) {
                (false, _) => t.line(&format!("s[i + {row}] = (uint8_t)({sum});")),
                (true, 0) => t.line(&format!("s[i] = (uint32_t)({sum});")),
                (true, _) => t.line(&format!("s[i] |= (uint32_t)({sum}) << {};", 8 * row)),
            }
        }
    }

    /// Multiplies a column of bytes by doublings: the sum of all four, and twice the sum of two neighbours.
    fn sums(&self, t: &mut Text) {
        if self.inverse {
            // The inverse matrix is the matrix times that of 4 (a + the row after next) + a.
            t.line("const uint8_t even = xtime(xtime((uint8_t)(a0 ^ a2)));");
            t.line("const uint8_t odd = xtime(xtime((uint8_t)(a1 ^ a3)));");
            for row in 0..4 {
                let u = ["even", "odd"][row % 2];
                t.line(&format!("const uint8_t b{row} = (uint8_t)(a{row} ^ {u});"));
            }
        }
        let a = if self.inverse { "b" } else { "a" };
        t.line(&format!("const uint8_t all = (uint8_t)({a}0 ^ {a}1 ^ {a}2 ^ {a}3);"));
        for row in 0..4 {
            let next = (row + 1) % 4;
            t.line(&format!(
                "s[i + {row}] = (uint8_t)({a}{row} ^ all ^ xtime((uint8_t)({a}{row} ^ {a}{next})));"
            ));
        }
    }

    /// Defines the tables or functions of MixColumns.
    fn products_defined(&self, t: &mut Text) {
        if self.looked_up {
            for by in self.factors() {
                table::bytes(t, &format!("times{by}"), |x| gf_mul(x, by));
            }
        } else if !self.words {
            t.line("/* Times 2 in GF(2^8). */");
            t.open("static inline uint8_t xtime(uint8_t a)");
            t.line("return (uint8_t)(a << 1 ^ (a >> 7) * 0x1b);");
            t.close();
        } else if !self.inverse {
            t.line("/* MixColumns of a column. */");
            t.open("static inline uint32_t mix(uint32_t w)");
            t.line("const uint32_t next = rotate(w, 8), u = w ^ next;");
            t.line("return double_bytes(u) ^ next ^ rotate(u, 16);");
            t.close();
        }
        t.blank();
    }

    /// Prints one step of the block.
    fn step(&self, t: &mut Text, number: usize, name: &str, key: Option<&str>) {
        let state = if self.words { "s" } else { "b" };
        let key = key.map_or(String::new(), |k| format!(", k->{}", self.key(k)));
        let call = format!("{name}({state}{key})");
        match self.steps {
            Steps::Plain => t.line(&format!("{call};")),
            Steps::Traced => t.line(&format!("STEP({number}, {call});")),
        }
    }

    /// The expression for prepared round key `r`.
    fn key(&self, r: &str) -> String {
        let size = if self.words { 4 } else { 16 };
        match r.parse::<usize>() {
            Ok(0) => "words".into(),
            Ok(r) => format!("words + {}", size * r),
            Err(_) => format!("words + {size} * {r}"),
        }
    }

    fn cipher(&self, t: &mut Text) {
        t.line("/* 1 block through the cipher. */");
        t.open("static void cipher_1(const round_keys *k, uint32_t *s)");
        if !self.words {
            t.line("uint8_t b[16];");
        }
        t.line("int r;");
        if !self.words {
            for i in 0..4 {
                t.line(&format!("store32(b + {}, s[{i}]);", 4 * i));
            }
        }
        let last = self.rounds.to_string();
        self.step(t, 0, "add_round_key", Some("0"));
        t.open_bare(&format!("for (r = 1; r < {}; r++)", self.rounds));
        self.step(t, 1, "sub_bytes", None);
        self.step(t, 2, "shift_rows", None);
        self.step(t, 3, "mix_columns", None);
        self.step(t, 0, "add_round_key", Some("r"));
        t.close();
        self.step(t, 1, "sub_bytes", None);
        self.step(t, 2, "shift_rows", None);
        self.step(t, 0, "add_round_key", Some(&last));
        if !self.words {
            for i in 0..4 {
                t.line(&format!("s[{i}] = load32(b + {});", 4 * i));
            }
        }
        t.close();
        t.blank();
    }
}

impl Core for Bytewise {
    fn group(&self) -> usize {
        1
    }

    fn sizes(&self) -> Vec<usize> {
        vec![1]
    }

    fn define(&self, t: &mut Text) {
        table::sbox(t, "sbox", self.inverse);
        t.blank();
        self.products_defined(t);
        let (storage, attribute) =
            if self.inlined { ("static inline", "always_inline") } else { ("static", "noinline") };
        t.line("#if defined(__GNUC__)");
        t.line(&format!("#define STEPS {storage} __attribute__(({attribute}))"));
        t.line("#else");
        t.line(&format!("#define STEPS {storage}"));
        t.line("#endif");
        t.blank();
        let (element, n) = (self.element(), if self.words { 4 } else { 16 } * (self.rounds + 1));
        t.line("typedef struct {");
        t.line(&format!("    {element} words[{n}];"));
        t.line("} round_keys;");
        t.blank();
        t.open("static void prepare(round_keys *k, const uint8_t *key)");
        t.line("int i;");
        t.open_bare(&format!("for (i = 0; i < {n}; i++)"));
        t.line(if self.words { "k->words[i] = load32(key + 4 * i);" } else { "k->words[i] = key[i];" });
        t.close();
        t.close();
        t.blank();
        self.add_round_key(t);
        self.sub_bytes(t);
        self.shift_rows(t);
        self.mix_columns(t);
        self.cipher(t);
    }
}
