//! Bit slices in C: 64-bit words with one bit of every byte of four blocks, the S-box as a circuit.
//! Constant time; what the technique computes is a program of the dataflow stage, printed.

use super::super::statements;
use super::super::text::Text;
use super::Core;
use crate::EmitError;
use aesmith_arrange::Variant;
use aesmith_dataflow::circuits::{CIRCUITS, Gates};
use aesmith_dataflow::program::{Program, Word};
use aesmith_dataflow::quads;
use aesmith_dataflow::technique::Sliced;

pub(super) struct Bitsliced {
    sliced: Sliced,
    rounds: usize,
}

impl Bitsliced {
    /// # Errors
    /// A circuit that there is not.
    pub fn new(variant: &Variant, inverse: bool) -> Result<Bitsliced, EmitError> {
        check_circuit(variant)?;
        let rounds = variant.problem.key.rounds();
        Ok(Bitsliced { sliced: quads::sliced(variant.choices(), rounds, inverse), rounds })
    }

    fn slices(&self) -> usize {
        self.sliced.words
    }
}

/// # Errors
/// A circuit that there is not.
pub(super) fn check_circuit(variant: &Variant) -> Result<(), EmitError> {
    let number = usize::from(variant.choices().circuit);
    if number < CIRCUITS.len() {
        return Ok(());
    }
    Err(EmitError(format!("there is no circuit={number}: circuits are numbered 0 to {}", CIRCUITS.len() - 1)))
}

/// The S-box of one byte in eight bits, without its constant 0x63.
pub(super) fn sbox_circuit(variant: &Variant) -> Program {
    let mut p = Program::new(Word::U32, 8);
    let bits = std::array::from_fn(|i| p.input(i));
    p.outputs = Gates::of(variant.choices().circuit, false).append(&mut p, bits).to_vec();
    p
}

fn names(prefix: &str, n: usize) -> Vec<String> {
    (0..n).map(|i| format!("{prefix}[{i}]")).collect()
}

/// Halves of blocks in order, of the words in `s`.
fn halves(blocks: usize) -> Vec<String> {
    (0..2 * blocks).map(|h| format!("((uint64_t)s[{}] << 32 | s[{}])", 2 * h + 1, 2 * h)).collect()
}

impl Core for Bitsliced {
    fn group(&self) -> usize {
        self.sliced.texts
    }

    fn sizes(&self) -> Vec<usize> {
        vec![self.group()]
    }

    fn define(&self, t: &mut Text) {
        let (n, keys) = (self.slices(), self.rounds + 1);
        t.line("typedef struct {");
        t.line(&format!("    uint64_t slices[{keys}][{n}];"));
        t.line("} round_keys;");
        t.blank();
        // Programs that are the same are printed once.
        let mut printed: Vec<(&Program, String)> = Vec::new();
        for program in &self.sliced.keys {
            if printed.iter().any(|(p, _)| *p == program) {
                continue;
            }
            let function = format!("key_slices_{}", printed.len());
            t.line("/* A round key as slices, the same for every block. */");
            t.open(&format!("static void {function}(uint64_t *k, const uint32_t *s)"));
            let outputs = statements::words(t, program, &halves(1), "v", 64);
            for (i, output) in outputs.iter().enumerate() {
                t.line(&format!("k[{i}] = {output};"));
            }
            t.close();
            t.blank();
            printed.push((program, function));
        }
        t.open("static void prepare(round_keys *k, const uint8_t *key)");
        t.line("uint32_t s[4];");
        for (r, program) in self.sliced.keys.iter().enumerate() {
            let (_, function) = printed.iter().find(|(p, _)| *p == program).expect("it was printed");
            t.line(&format!("load_block(s, key + {});", 16 * r));
            t.line(&format!("{function}(k->slices[{r}], s);"));
        }
        t.close();
        t.blank();
        let mut rounds: Vec<(&Program, String)> = Vec::new();
        for program in &self.sliced.rounds {
            if rounds.iter().any(|(p, _)| *p == program) {
                continue;
            }
            let function = format!("round_{}", rounds.len());
            t.line("/* A round of every block. */");
            t.open(&format!("static void {function}(uint64_t *q, const uint64_t *k)"));
            let inputs = [names("q", n), names("k", n)].concat();
            let outputs = statements::words(t, program, &inputs, "v", 64);
            for (i, output) in outputs.iter().enumerate() {
                t.line(&format!("q[{i}] = {output};"));
            }
            t.close();
            t.blank();
            rounds.push((program, function));
        }
        let blocks = self.group();
        t.line(&format!("/* {} through the cipher. */", super::super::blocks(blocks)));
        t.open(&format!("static void cipher_{blocks}(const round_keys *k, uint32_t *s)"));
        t.line(&format!("uint64_t q[{n}];"));
        t.line("{");
        let packed = statements::words(t, &self.sliced.pack, &halves(blocks), "p", 64);
        let inputs = [packed, names("k->slices[0]", n)].concat();
        let whitened = statements::words(t, &self.sliced.whiten, &inputs, "w", 64);
        for (i, value) in whitened.iter().enumerate() {
            t.line(&format!("q[{i}] = {value};"));
        }
        t.line("}");
        for (r, program) in self.sliced.rounds.iter().enumerate() {
            let (_, function) = rounds.iter().find(|(p, _)| *p == program).expect("it was printed");
            t.line(&format!("{function}(q, k->slices[{}]);", r + 1));
        }
        t.line("{");
        let halves = statements::words(t, &self.sliced.unpack, &names("q", n), "u", 64);
        for (i, half) in halves.iter().enumerate() {
            t.line(&format!("s[{}] = (uint32_t)({half});", 2 * i));
            t.line(&format!("s[{}] = (uint32_t)({half} >> 32);", 2 * i + 1));
        }
        t.line("}");
        t.close();
        t.blank();
    }
}
