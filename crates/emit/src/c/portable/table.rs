//! T-tables in C. The computations and the tables come from programs of the dataflow stage, printed as C. Tables are
//! arrays of words, and the programs' loads become shifts, so the code does not depend on the byte order.

use super::super::statements;
use super::{Core, decrypts};
use crate::EmitError;
use crate::c::choices;
use aesmith_arrange::Variant;
use aesmith_dataflow::Round;
use aesmith_dataflow::memory::{Direction, Layout, Memory};
use aesmith_dataflow::program::{Program, Value, Word};
use aesmith_dataflow::table::{ALL, Last, SLOW, Shape, Tables};
use aesmith_processor::c::Text;

pub(super) struct Table {
    tables: Tables,
    rounds: usize,
    group: usize,
    cached: usize,
}

impl Table {
    /// # Errors
    /// A last round for which the tables of the inverse cipher have no entries.
    pub fn new(variant: &Variant, inverse: bool) -> Result<Table, EmitError> {
        debug_assert_eq!(inverse, decrypts(variant.problem.task));
        let last = Last::ALL[usize::from(variant.get(choices::LAST))];
        if matches!(last, Last::Bytes | Last::TwoBytes) && inverse {
            return Err(EmitError(
                "the entries of the inverse tables are products with 14, 9, 13 and 11, none of which is \
                 the S-box itself: last=sbox or last=masked works"
                    .into(),
            ));
        }
        let encrypts = variant.problem.mode().is_serial();
        Ok(Table {
            tables: Tables {
                layout: Layout::ALL[usize::from(variant.get(choices::TABLES))],
                last,
                direction: if inverse { Direction::Inverse } else { Direction::Forward },
            },
            rounds: variant.problem.key.rounds(),
            group: if encrypts { 1 } else { usize::from(variant.get(choices::INTERLEAVE)).max(1) },
            cached: usize::from(variant.get(choices::CACHED)),
        })
    }

    fn padded(&self) -> bool {
        self.tables.padded()
    }

    /// The type of state words between rounds.
    fn type_of_word(&self) -> Word {
        if self.padded() { Word::U64 } else { Word::U32 }
    }

    /// The C name of this type.
    fn word(&self) -> &'static str {
        if self.padded() { "uint64_t" } else { "uint32_t" }
    }

    /// A round of one block; `number` counts from 1.
    fn round(&self, number: usize) -> Program {
        let [inner, last] = match self.tables.direction {
            Direction::Forward => [Round::Encrypt, Round::EncryptLast],
            Direction::Inverse => [Round::Decrypt, Round::DecryptLast],
        };
        self.tables.round(if number == self.rounds { last } else { inner }, number == 1)
    }

    /// Returns expressions for a program's outputs; values that are used once are nested.
    fn printed(&self, t: &mut Text, program: &Program, inputs: &[String], prefix: &str) -> Vec<String> {
        statements::nested(t, program, inputs, prefix, program.word.bits())
    }

    /// Prints rounds `first` to the last of some blocks, whose states are in `a<b>_<c>`.
    fn rounds(&self, t: &mut Text, first: usize, blocks: usize) {
        let mut names = ["a", "b"];
        for number in first..=self.rounds {
            let program = self.round(number);
            for b in 0..blocks {
                let state = (0..4).map(|c| format!("{}{b}_{c}", names[0]));
                let inputs: Vec<String> = state.chain(keys(number)).collect();
                for (c, value) in self.printed(t, &program, &inputs, "v").iter().enumerate() {
                    match (number == self.rounds, self.padded()) {
                        (false, _) => t.line(&format!("{}{b}_{c} = {value};", names[1])),
                        (true, false) => t.line(&format!("s[{}] = {value};", 4 * b + c)),
                        (true, true) => t.line(&format!("s[{}] = (uint32_t)({value});", 4 * b + c)),
                    }
                }
            }
            names.swap(0, 1);
        }
    }

    /// Declares the states of `blocks` blocks before and after a round.
    fn states(&self, t: &mut Text, blocks: usize) {
        for b in 0..blocks {
            let names: Vec<String> =
                ["a", "b"].iter().flat_map(|n| (0..4).map(move |c| format!("{n}{b}_{c}"))).collect();
            t.line(&format!("{} {};", self.word(), names.join(", ")));
        }
    }

    /// Defines the tables that the rounds look up.
    fn tables(&self, t: &mut Text) {
        let Tables { layout, direction, .. } = self.tables;
        let last = match self.tables.last {
            Last::Substitution => Some(Memory::Substitution(direction)),
            Last::Masked => Some(Memory::Masked(layout, direction)),
            Last::Bytes | Last::TwoBytes => None,
        };
        for from in [Some(Memory::Mixed(layout, direction)), last].into_iter().flatten() {
            memory(t, statements::array(from).0, from);
        }
    }

    /// Defines the round keys as words; with padded words, the first and last round keys are not padded, because texts
    /// are not.
    fn keys(&self, t: &mut Text) {
        let words = 4 * (self.rounds + 1);
        t.line("typedef struct {");
        t.line(&format!("    {} words[{words}];", self.word()));
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
        if self.padded() {
            t.line("const uint32_t word = load32(key + 4 * i);");
            t.line(&format!("k->words[i] = i < 4 || i >= {} ? word : padded(word);", words - 4));
        } else {
            t.line("k->words[i] = load32(key + 4 * i);");
        }
        t.close();
        t.close();
        t.blank();
    }

    fn cipher(&self, t: &mut Text, blocks: usize) {
        t.line(&format!("/* {} through the cipher. */", aesmith_processor::c::blocks(blocks)));
        t.open(&format!("static void cipher_{blocks}(const round_keys *k, uint32_t *s)"));
        self.states(t, blocks);
        for b in 0..blocks {
            for c in 0..4 {
                t.line(&format!("a{b}_{c} = s[{}] ^ k->words[{c}];", 4 * b + c));
            }
        }
        self.rounds(t, 1, blocks);
        t.close();
        t.blank();
    }

    /// The part that 256 counters share: inputs are the keyed counter and round keys 1 and 2. With two cached rounds,
    /// column 0 after round 1 follows the four columns.
    fn shared(&self) -> Program {
        let mut p = Program::new(self.type_of_word(), if self.cached == 2 { 12 } else { 8 });
        let words = |p: &Program, from: usize| -> [Value; 4] { std::array::from_fn(|i| p.input(from + i)) };
        let (state, key) = (words(&p, 0), words(&p, 4));
        let shape = Shape { plain: true, last: false };
        let one = self.tables.columns(&mut p, state.map(Some), key, shape, SLOW);
        p.outputs = one.to_vec();
        if self.cached == 2 {
            let (shape, key) = (Shape { plain: false, ..shape }, words(&p, 8));
            let state = [None, Some(one[1]), Some(one[2]), Some(one[3])];
            p.outputs = self.tables.columns(&mut p, state, key, shape, ALL).to_vec();
            p.outputs.push(one[0]);
        }
        p
    }

    /// The state of a counter: inputs are its last byte XOR the round key, and the outputs of [`Table::shared`].
    fn entered(&self) -> Program {
        let mut p = Program::new(self.type_of_word(), if self.cached == 2 { 6 } else { 5 });
        let shared: [Value; 4] = std::array::from_fn(|i| p.input(1 + i));
        let (byte, first) = (p.input(0), p.input(if self.cached == 2 { 5 } else { 1 }));
        let first = self.tables.fast(&mut p, first, byte);
        p.outputs = if self.cached == 2 {
            let shape = Shape { plain: false, last: false };
            self.tables.columns(&mut p, [Some(first), None, None, None], shared, shape, ALL).to_vec()
        } else {
            vec![first, shared[1], shared[2], shared[3]]
        };
        p
    }

    /// Writes counter-mode caching (Bernstein and Schwabe 2008, section 4): 256 counters differ only in the last byte,
    /// which round 1 moves to row 3 of column 0. So they share all but one look-up of round 1 and, because the other
    /// three columns are known, all but four of round 2.
    fn cache(&self, t: &mut Text) {
        let (word, cached) = (self.word(), self.cached);
        let words = if cached == 2 { 5 } else { 4 };
        t.line(&format!(
            "/* What the states after round {cached} of these 256 counters have in common{}. */",
            if cached == 2 { ", behind column 0 after round 1" } else { "" }
        ));
        t.line(&format!("typedef {word} shared_words[{words}];"));
        t.blank();
        t.open("static void common(const round_keys *k, shared_words c, uint64_t high, uint64_t low)");
        t.line("uint32_t s[4];");
        t.line(&format!("{word} a0, a1, a2, a3;"));
        t.line("counter_block(s, high, low);");
        for c in 0..4 {
            t.line(&format!("a{c} = s[{c}] ^ k->words[{c}];"));
        }
        t.line("{");
        let state = (0..4).map(|c| format!("a{c}"));
        let inputs: Vec<String> = state.chain(keys(1)).chain(keys(2)).collect();
        for (i, value) in self.printed(t, &self.shared(), &inputs, "b").iter().enumerate() {
            t.line(&format!("c[{i}] = {value};"));
        }
        t.line("}");
        t.close();
        t.blank();
        t.line(&format!("/* The state after round {cached} of a counter whose last byte is `last`. */"));
        t.open(&format!(
            "static inline void enter(const round_keys *k, const {word} *c, uint32_t last, {word} *s)"
        ));
        t.line(&format!("const {word} byte = last ^ k->words[3] >> 24;"));
        let shared = (0..words).map(|i| format!("c[{i}]"));
        let inputs: Vec<String> = std::iter::once("byte".into()).chain(shared).collect();
        for (i, value) in self.printed(t, &self.entered(), &inputs, "first").iter().enumerate() {
            t.line(&format!("s[{i}] = {value};"));
        }
        t.close();
        t.blank();
        self.later(t);
    }

    /// Prints the rounds after the cached ones.
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
        // With the cache, only single blocks need the whole cipher.
        if self.group == 1 || self.cached > 0 { vec![1] } else { vec![self.group, 1] }
    }

    fn cached(&self) -> usize {
        self.cached
    }

    fn word(&self) -> &'static str {
        Table::word(self)
    }

    fn define(&self, t: &mut Text) {
        Table::tables(self, t);
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

/// The words of a round key.
fn keys(round: usize) -> impl Iterator<Item = String> {
    (0..4).map(move |c| format!("k->words[{}]", 4 * round + c))
}

/// Prints read-only memory as an array of words.
fn memory(t: &mut Text, name: &str, of: Memory) {
    let (_, bytes) = statements::array(of);
    let words: Vec<u64> = of
        .contents()
        .chunks(bytes)
        .map(|word| word.iter().rev().fold(0, |sum, byte| sum << 8 | u64::from(*byte)))
        .collect();
    let head = format!("static const uint{}_t {name}[{}]", 8 * bytes, words.len());
    let (across, suffix) = ([12, 6, 4][bytes / 4], if bytes == 1 { "" } else { "u" });
    array(t, &head, across, &words, |w| format!("{w:#0width$x}{suffix}", width = 2 * bytes + 2));
}

/// Prints the S-box, or its inverse, as an array of bytes.
pub(super) fn sbox(t: &mut Text, name: &str, inverse: bool) {
    let direction = if inverse { Direction::Inverse } else { Direction::Forward };
    memory(t, name, Memory::Substitution(direction));
}

/// Prints a table of 256 bytes.
pub(super) fn bytes(t: &mut Text, name: &str, entry: impl Fn(u8) -> u8) {
    let of: Vec<u8> = (0..=255).map(entry).collect();
    array(t, &format!("static const uint8_t {name}[256]"), 12, &of, |x| format!("{x:#04x}"));
}

/// Prints `head = {...};` with `across` entries a line.
fn array<T: Copy>(t: &mut Text, head: &str, across: usize, of: &[T], entry: impl Fn(T) -> String) {
    t.line(&format!("{head} = {{"));
    let entries: Vec<String> = of.iter().map(|x| entry(*x)).collect();
    for line in entries.chunks(across) {
        t.line(&format!("    {},", line.join(", ")));
    }
    t.line("};");
}
