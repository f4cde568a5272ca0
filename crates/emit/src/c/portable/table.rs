//! T-tables in C (Daemen and Rijmen; layouts and last rounds after Bernstein and Schwabe 2008,
//! section 4). An entry of table `r` is what a byte in row `r` adds to its column after SubBytes and
//! MixColumns; table `r` is table 0 rotated by `r` rows.

use super::super::text::Text;
use super::{Core, decrypts};
use crate::EmitError;
use aesmith_arrange::{Dim, Variant};
use aesmith_cipher::block::{INV_MIX, INV_SBOX, MIX, SBOX, gf_mul};

/// Where the tables' entries stand.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Layout {
    /// Four tables of 1 KB.
    Four,
    /// One of 2 KB, each entry twice in 64 bits: a shift rotates it.
    Doubled,
    /// One of 1 KB, and rotations.
    One,
    /// T0 and T1, T2 and T3, entry beside entry.
    Interleaved,
    /// The same with the bytes of 64-bit entries 16 bits apart and scaled, as 0x0c60063006300a50.
    Padded,
}

/// How the last round, which has no MixColumns, looks up.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Last {
    /// In the S-box.
    Sbox,
    /// In tables with the S-box in one row and zeros in the others.
    Masked,
    /// In the T-tables, masking the row off that holds the S-box itself.
    Mask,
}

/// A byte of the state: its row, and the word that it stands in.
struct Byte<'a> {
    row: usize,
    word: &'a str,
}

pub(super) struct Table {
    layout: Layout,
    last: Last,
    inverse: bool,
    rounds: usize,
    group: usize,
    cached: usize,
}

impl Table {
    /// # Errors
    /// A last round that the tables of the inverse cipher have no entries for.
    pub fn new(variant: &Variant, inverse: bool) -> Result<Table, EmitError> {
        debug_assert_eq!(inverse, decrypts(variant.problem.task));
        let layouts = [Layout::Four, Layout::Doubled, Layout::One, Layout::Interleaved, Layout::Padded];
        let last = [Last::Sbox, Last::Masked, Last::Mask, Last::Mask][usize::from(variant.get(Dim::Last))];
        if last == Last::Mask && inverse {
            return Err(EmitError(
                "the entries of the inverse tables are products with 14, 9, 13 and 11, none of which is \
                 the S-box itself: last=sbox or last=masked works"
                    .into(),
            ));
        }
        let encrypts = matches!(variant.problem.task, aesmith_cipher::Task::CbcEncrypt { .. });
        Ok(Table {
            layout: layouts[usize::from(variant.get(Dim::Tables))],
            last,
            inverse,
            rounds: variant.problem.key.rounds(),
            group: if encrypts { 1 } else { usize::from(variant.get(Dim::Interleave)).max(1) },
            cached: usize::from(variant.get(Dim::Cached)),
        })
    }

    fn padded(&self) -> bool {
        self.layout == Layout::Padded
    }

    /// Type of a word of state between rounds.
    fn word(&self) -> &'static str {
        if self.padded() { "uint64_t" } else { "uint32_t" }
    }

    /// The value of a byte as an index.
    fn index(&self, byte: &Byte<'_>) -> String {
        let Byte { row, word } = byte;
        match (self.padded(), row) {
            // A byte stands in bits 4 to 11 of its 16.
            (true, _) => format!("{word} >> {} & 255", 16 * row + 4),
            (false, 0) => format!("{word} & 255"),
            (false, 3) => format!("{word} >> 24"),
            (false, _) => format!("{word} >> {} & 255", 8 * row),
        }
    }

    /// Entry `index` of table `row`.
    fn entry(&self, row: usize, index: &str) -> String {
        match self.layout {
            Layout::Four => format!("table{row}[{index}]"),
            Layout::Doubled => format!("(uint32_t)(table[{index}] >> {})", 32 - 8 * row),
            Layout::One if row == 0 => format!("table[{index}]"),
            Layout::One => format!("rotate(table[{index}], {})", 32 - 8 * row),
            Layout::Interleaved | Layout::Padded => {
                let pair = ["table01", "table23"][row / 2];
                format!("{pair}[{index}][{}]", row % 2)
            }
        }
    }

    /// What a byte adds to its word of the last round.
    fn last_entry(&self, byte: &Byte<'_>) -> String {
        let (row, index) = (byte.row, self.index(byte));
        match self.last {
            Last::Sbox if row == 0 => format!("(uint32_t)sbox[{index}]"),
            Last::Sbox => format!("(uint32_t)sbox[{index}] << {}", 8 * row),
            Last::Masked => format!("masked{row}[{index}]"),
            // Rows 1 and 2 of table 0 are the S-box itself.
            Last::Mask => {
                let entry = self.entry((row + 3) % 4, &index);
                format!("({entry} & {:#010x}u)", 0xffu32 << (8 * row))
            }
        }
    }

    /// The column that ShiftRows takes row `row` of column `column` from.
    fn source(&self, column: usize, row: usize) -> usize {
        if self.inverse { (column + 4 - row) % 4 } else { (column + row) % 4 }
    }

    /// Rounds `first` to the last of some blocks, whose states stand in `a<b>_<c>`.
    fn rounds(&self, t: &mut Text, first: usize, blocks: usize) {
        let mut names = ["a", "b"];
        for round in first..self.rounds {
            for b in 0..blocks {
                for c in 0..4 {
                    let words: Vec<String> =
                        (0..4).map(|r| format!("{}{b}_{}", names[0], self.source(c, r))).collect();
                    let terms: Vec<String> = (0..4)
                        .map(|r| self.entry(r, &self.index(&Byte { row: r, word: &words[r] })))
                        .collect();
                    let key = format!("k->words[{}]", 4 * round + c);
                    t.line(&format!("{}{b}_{c} = {} ^ {key};", names[1], terms.join(" ^ ")));
                }
            }
            names.swap(0, 1);
        }
        for b in 0..blocks {
            for c in 0..4 {
                let words: Vec<String> =
                    (0..4).map(|r| format!("{}{b}_{}", names[0], self.source(c, r))).collect();
                let terms: Vec<String> =
                    (0..4).map(|r| self.last_entry(&Byte { row: r, word: &words[r] })).collect();
                let key = match self.padded() {
                    true => format!("k->last[{c}]"),
                    false => format!("k->words[{}]", 4 * self.rounds + c),
                };
                t.line(&format!("s[{}] = ({}) ^ {key};", 4 * b + c, terms.join(" | ")));
            }
        }
    }

    /// Declares the states of so many blocks before and after a round.
    fn states(&self, t: &mut Text, blocks: usize) {
        for b in 0..blocks {
            let names: Vec<String> =
                ["a", "b"].iter().flat_map(|n| (0..4).map(move |c| format!("{n}{b}_{c}"))).collect();
            t.line(&format!("{} {};", self.word(), names.join(", ")));
        }
    }

    /// The tables' rows of an entry, from row 0 down.
    fn rows(&self, x: u8) -> [u8; 4] {
        let (s, mix) =
            if self.inverse { (INV_SBOX[usize::from(x)], INV_MIX) } else { (SBOX[usize::from(x)], MIX) };
        // Column 0 of the matrix, top to bottom.
        std::array::from_fn(|row| gf_mul(mix[(4 - row) % 4], s))
    }

    fn tables(&self, t: &mut Text) {
        let entry = |x: u8, by: usize| {
            let mut rows = self.rows(x);
            rows.rotate_right(by);
            u32::from_le_bytes(rows)
        };
        let short = |w: u32| format!("{w:#010x}u");
        let pair = |first: usize, x: u8| {
            let both = [entry(x, first), entry(x, first + 1)];
            let both = both.map(|w| if self.padded() { long(spread(w)) } else { short(w) });
            format!("{{{}}}", both.join(", "))
        };
        match self.layout {
            Layout::Four => {
                for r in 0..4 {
                    array(t, &format!("static const uint32_t table{r}[256]"), 6, |x| short(entry(x, r)));
                }
            }
            Layout::Doubled => array(t, "static const uint64_t table[256]", 4, |x| {
                let w = u64::from(entry(x, 0));
                long(w << 32 | w)
            }),
            Layout::One => array(t, "static const uint32_t table[256]", 6, |x| short(entry(x, 0))),
            Layout::Interleaved | Layout::Padded => {
                let (word, across) = (self.word(), if self.padded() { 2 } else { 3 });
                array(t, &format!("static const {word} table01[256][2]"), across, |x| pair(0, x));
                array(t, &format!("static const {word} table23[256][2]"), across, |x| pair(2, x));
            }
        }
        match self.last {
            Last::Sbox => sbox(t, "sbox", self.inverse),
            Last::Masked => {
                let s = if self.inverse { &INV_SBOX } else { &SBOX };
                for r in 0..4 {
                    array(t, &format!("static const uint32_t masked{r}[256]"), 6, |x| {
                        short(u32::from(s[usize::from(x)]) << (8 * r))
                    });
                }
            }
            Last::Mask => {}
        }
    }

    /// Round keys as words.
    fn keys(&self, t: &mut Text) {
        let words = 4 * (self.rounds + 1);
        t.line("typedef struct {");
        t.line(&format!("    {} words[{words}];", self.word()));
        if self.padded() {
            t.line("    uint32_t last[4];");
        }
        t.line("} round_keys;");
        t.blank();
        if self.padded() {
            t.line("/* The bytes of a word 16 bits apart, times 16. */");
            t.open("static inline uint64_t padded(uint64_t w)");
            t.line("w = (w | w << 16) & 0x0000ffff0000ffffu;");
            t.line("w = (w | w << 8) & 0x00ff00ff00ff00ffu;");
            t.line("return w << 4;");
            t.close();
            t.blank();
        }
        t.open("static void prepare(round_keys *k, const uint8_t *key)");
        t.line("size_t i;");
        t.open_bare(&format!("for (i = 0; i < {words}; i++)"));
        let word = "load32(key + 4 * i)";
        t.line(&format!(
            "k->words[i] = {};",
            if self.padded() { format!("padded({word})") } else { word.into() }
        ));
        t.close();
        if self.padded() {
            t.line(&format!("load_block(k->last, key + {});", 16 * self.rounds));
        }
        t.close();
        t.blank();
    }

    fn cipher(&self, t: &mut Text, blocks: usize) {
        t.line(&format!("/* {} through the cipher. */", super::super::blocks(blocks)));
        t.open(&format!("static void cipher_{blocks}(const round_keys *k, uint32_t *s)"));
        self.states(t, blocks);
        for b in 0..blocks {
            for c in 0..4 {
                let word = format!("s[{}]", 4 * b + c);
                let word = if self.padded() { format!("padded({word})") } else { word };
                t.line(&format!("a{b}_{c} = {word} ^ k->words[{c}];"));
            }
        }
        self.rounds(t, 1, blocks);
        t.close();
        t.blank();
    }

    /// Counter-mode caching (Bernstein and Schwabe 2008, section 4): of 256 counters only the last
    /// byte differs, which round 1 takes to row 3 of column 0, so that all but one look-up of round
    /// 1 and, with the other three columns known, all but four of round 2 are theirs in common.
    fn cache(&self, t: &mut Text) {
        let (word, cached) = (self.word(), self.cached);
        let look = |row: usize, word: &str| self.entry(row, &self.index(&Byte { row, word }));
        t.line(&format!(
            "/* What the states after round {cached} of these 256 counters have in common{}. */",
            if cached == 2 { ", behind column 0 after round 1" } else { "" }
        ));
        t.line(&format!("typedef {word} shared_words[{}];", if cached == 2 { 5 } else { 4 }));
        t.blank();
        t.open("static void common(const round_keys *k, shared_words c, uint64_t high, uint64_t low)");
        t.line("uint32_t s[4];");
        let columns = |n: &str| (0..4).map(|c| format!("{n}{c}")).collect::<Vec<_>>().join(", ");
        t.line(&format!("{word} {}, {};", columns("a"), columns("b")));
        t.line("counter_block(s, high, low);");
        for c in 0..4 {
            let word = if self.padded() { format!("padded(s[{c}])") } else { format!("s[{c}]") };
            t.line(&format!("a{c} = {word} ^ k->words[{c}];"));
        }
        for c in 0..4 {
            let mut terms: Vec<String> =
                (0..4).filter(|r| (c, *r) != (0, 3)).map(|r| look(r, &format!("a{}", (c + r) % 4))).collect();
            terms.push(format!("k->words[{}]", 4 + c));
            t.line(&format!("b{c} = {};", terms.join(" ^ ")));
        }
        if cached == 1 {
            for c in 0..4 {
                t.line(&format!("c[{c}] = b{c};"));
            }
        } else {
            t.line("c[4] = b0;");
            for c in 0..4 {
                // Column 0 stands in row (4 - c) % 4 of column c.
                let mut terms: Vec<String> = (0..4)
                    .filter(|r| (c + r) % 4 != 0)
                    .map(|r| look(r, &format!("b{}", (c + r) % 4)))
                    .collect();
                terms.push(format!("k->words[{}]", 8 + c));
                t.line(&format!("c[{c}] = {};", terms.join(" ^ ")));
            }
        }
        t.close();
        t.blank();
        t.line(&format!("/* The state after round {cached} of a counter whose last byte is `last`. */"));
        t.open(&format!(
            "static inline void enter(const round_keys *k, const {word} *c, uint32_t last, {word} *s)"
        ));
        let index = match self.padded() {
            true => "last ^ (k->words[3] >> 52 & 255)",
            false => "last ^ k->words[3] >> 24",
        };
        let fast = self.entry(3, index);
        if cached == 1 {
            t.line(&format!("s[0] = c[0] ^ {fast};"));
            for c in 1..4 {
                t.line(&format!("s[{c}] = c[{c}];"));
            }
        } else {
            t.line(&format!("const {word} first = c[4] ^ {fast};"));
            for c in 0..4 {
                t.line(&format!("s[{c}] = c[{c}] ^ {};", look((4 - c) % 4, "first")));
            }
        }
        t.close();
        t.blank();
        self.later(t);
    }

    /// The rounds behind the cached ones.
    fn later(&self, t: &mut Text) {
        let blocks = self.group;
        t.open(&format!(
            "static void later_{blocks}(const round_keys *k, const {} *a, uint32_t *s)",
            self.word()
        ));
        self.states(t, blocks);
        for b in 0..blocks {
            for c in 0..4 {
                t.line(&format!("a{b}_{c} = a[{}];", 4 * b + c));
            }
        }
        self.rounds(t, self.cached + 1, blocks);
        t.close();
        t.blank();
    }
}

impl Core for Table {
    fn group(&self) -> usize {
        self.group
    }

    fn sizes(&self) -> Vec<usize> {
        // Behind the cache only single blocks need the whole cipher.
        if self.group == 1 || self.cached > 0 { vec![1] } else { vec![self.group, 1] }
    }

    fn cached(&self) -> usize {
        self.cached
    }

    fn word(&self) -> &'static str {
        Table::word(self)
    }

    fn define(&self, t: &mut Text) {
        self.tables(t);
        t.blank();
        self.keys(t);
        for size in self.sizes() {
            self.cipher(t, size);
        }
        if self.cached > 0 {
            self.cache(t);
        }
    }
}

/// The S-box, or its inverse, as an array of bytes.
pub(super) fn sbox(t: &mut Text, name: &str, inverse: bool) {
    let table = if inverse { &INV_SBOX } else { &SBOX };
    bytes(t, name, |x| table[usize::from(x)]);
}

/// A table of 256 bytes.
pub(super) fn bytes(t: &mut Text, name: &str, entry: impl Fn(u8) -> u8) {
    array(t, &format!("static const uint8_t {name}[256]"), 12, |x| format!("{:#04x}", entry(x)));
}

/// `head = {...};`, so many entries a line.
fn array(t: &mut Text, head: &str, across: usize, entry: impl Fn(u8) -> String) {
    t.line(&format!("{head} = {{"));
    let entries: Vec<String> = (0..=255).map(entry).collect();
    for line in entries.chunks(across) {
        t.line(&format!("    {},", line.join(", ")));
    }
    t.line("};");
}

/// The bytes of a word 16 bits apart, times 16.
fn spread(w: u32) -> u64 {
    w.to_le_bytes().iter().enumerate().fold(0, |sum, (i, b)| sum | u64::from(*b) << (16 * i + 4))
}

fn long(w: u64) -> String {
    format!("{w:#018x}u")
}
