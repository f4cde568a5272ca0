//! Bit slicing in C: each 64-bit word holds one bit of many bytes of four or sixteen blocks, and the S-box is a
//! circuit. It is constant time. The computations are programs of the dataflow stage, printed as C.

use super::super::statements;
use super::Core;
use crate::EmitError;
use aesmith_arrange::Variant;
use aesmith_dataflow::circuits::{CIRCUITS, Gates};
use aesmith_dataflow::program::{Program, Word};
use aesmith_dataflow::technique::Sliced;
use aesmith_dataflow::{quads, slices};
use aesmith_processor::c::Text;

/// Processes four blocks at a time, and sixteen in long messages of independent blocks.
pub(super) struct Bitsliced {
    quads: Form,
    wide: Option<Form>,
}

impl Bitsliced {
    /// # Errors
    /// There is no such circuit.
    pub fn new(variant: &Variant, inverse: bool) -> Result<Bitsliced, EmitError> {
        check_circuit(variant)?;
        let (choices, rounds) = (variant.choices(), variant.problem.key.rounds());
        let chained = variant.problem.mode().is_serial();
        let quads = Form { sliced: quads::sliced(choices, rounds, inverse), name: "" };
        let wide = || Form { sliced: slices::sliced_on_words(choices, rounds, inverse), name: "wide_" };
        Ok(Bitsliced { quads, wide: (!chained).then(wide) })
    }
}

/// A sliced form in C, and the prefix of its types and functions.
struct Form {
    sliced: Sliced,
    name: &'static str,
}

/// # Errors
/// There is no such circuit.
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

/// Expressions for the halves of blocks, in order, from the words in `s`.
fn halves(blocks: usize) -> Vec<String> {
    (0..2 * blocks).map(|h| format!("((uint64_t)s[{}] << 32 | s[{}])", 2 * h + 1, 2 * h)).collect()
}

impl Core for Bitsliced {
    fn group(&self) -> usize {
        self.quads.sliced.texts
    }

    fn sizes(&self) -> Vec<usize> {
        vec![self.group()]
    }

    fn wide(&self) -> Option<usize> {
        self.wide.as_ref().map(|form| form.sliced.texts)
    }

    fn define(&self, t: &mut Text) {
        for form in [Some(&self.quads), self.wide.as_ref()].into_iter().flatten() {
            form.keys(t);
            let rounds = form.rounds(t);
            form.cipher(t, &rounds);
        }
    }
}

impl Form {
    /// Defines the type of prepared round keys, and the function that fills one.
    fn keys(&self, t: &mut Text) {
        let (n, keys, name) = (self.sliced.words, self.sliced.keys.len(), self.name);
        t.line("typedef struct {");
        t.line(&format!("    uint64_t slices[{keys}][{n}];"));
        t.line(&format!("}} {name}round_keys;"));
        t.blank();
        let functions = distinct(&self.sliced.keys, &format!("{name}key_slices"));
        for (program, function) in &functions {
            t.line("/* A round key as slices, the same for every block. */");
            t.open(&format!("static void {function}(uint64_t *k, const uint32_t *s)"));
            assigned(t, program, &halves(1), "k", "v");
            t.close();
            t.blank();
        }
        t.open(&format!("static void {name}prepare({name}round_keys *k, const uint8_t *key)"));
        t.line("uint32_t s[4];");
        for (r, program) in self.sliced.keys.iter().enumerate() {
            t.line(&format!("load_block(s, key + {});", 16 * r));
            t.line(&format!("{}(k->slices[{r}], s);", name_of(&functions, program)));
        }
        t.close();
        t.blank();
    }

    /// Defines a function for each program of a round.
    fn rounds(&self, t: &mut Text) -> Functions<'_> {
        let n = self.sliced.words;
        let functions = distinct(&self.sliced.rounds, &format!("{}round", self.name));
        for (program, function) in &functions {
            t.line("/* A round of every block. */");
            t.open(&format!("static void {function}(uint64_t *q, const uint64_t *k)"));
            assigned(t, program, &[names("q", n), names("k", n)].concat(), "q", "v");
            t.close();
            t.blank();
        }
        functions
    }

    fn cipher(&self, t: &mut Text, rounds: &Functions<'_>) {
        let (n, blocks) = (self.sliced.words, self.sliced.texts);
        t.line(&format!("/* {} through the cipher. */", aesmith_processor::c::blocks(blocks)));
        t.open(&format!("static void cipher_{blocks}(const {}round_keys *k, uint32_t *s)", self.name));
        t.line(&format!("uint64_t q[{n}];"));
        t.line("{");
        let packed = statements::words(t, &self.sliced.pack, &halves(blocks), "p", 64);
        assigned(t, &self.sliced.whiten, &[packed, names("k->slices[0]", n)].concat(), "q", "w");
        t.line("}");
        for (r, program) in self.sliced.rounds.iter().enumerate() {
            t.line(&format!("{}(q, k->slices[{}]);", name_of(rounds, program), r + 1));
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

/// Programs, each with the name of its function.
type Functions<'p> = Vec<(&'p Program, String)>;

/// Names each distinct program once.
fn distinct<'p>(programs: &'p [Program], name: &str) -> Functions<'p> {
    let mut functions: Functions<'p> = Vec::new();
    for program in programs {
        if functions.iter().all(|(p, _)| *p != program) {
            functions.push((program, format!("{name}_{}", functions.len())));
        }
    }
    functions
}

fn name_of<'f>(functions: &'f Functions<'_>, program: &Program) -> &'f str {
    let (_, function) = functions.iter().find(|(p, _)| *p == program).expect("it was printed");
    function
}

/// Prints the statements of a program and assigns its outputs to the words of `array`.
fn assigned(t: &mut Text, program: &Program, inputs: &[String], array: &str, prefix: &str) {
    for (i, output) in statements::words(t, program, inputs, prefix, 64).iter().enumerate() {
        t.line(&format!("{array}[{i}] = {output};"));
    }
}
