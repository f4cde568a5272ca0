//! The published vectors of `tests/vectors`, as messages for each task.

// Each test program compiles this module for itself and uses its own part of it.
#![allow(dead_code)]

use aesmith_cipher::{Direction, KeySize, Task};
use std::collections::BTreeMap;

/// A block of 16 bytes.
pub type Block = [u8; 16];

/// One line of a file: what goes in under a key and an IV, and what comes out.
#[derive(Clone, Debug)]
pub struct Vector {
    /// `ecb`, `ecb-dec`, `cbc`, `cbc-dec` or `ctr`.
    pub mode: String,
    /// The cipher key.
    pub key: Vec<u8>,
    /// The IV or first counter; zero in ECB.
    pub iv: Block,
    /// The text given.
    pub input: Vec<u8>,
    /// The text that comes of it.
    pub output: Vec<u8>,
}

/// Files of known answers.
pub const KNOWN: [&str; 6] =
    ["cavs.txt", "acvp.txt", "nessie.txt", "rfc3686.txt", "rustcrypto-ctr.txt", "wycheproof.txt"];
/// Files of Monte-Carlo tests.
pub const MONTE_CARLO: [&str; 2] = ["acvp-monte-carlo.txt", "cavs-monte-carlo.txt"];

/// The vectors of one file in `tests/vectors`. The format is in that folder's README.
pub fn read(file: &str) -> Vec<Vector> {
    let vectors = lines(file).into_iter().map(|(mode, fields)| vector(mode, fields));
    vectors.collect::<Option<_>>().unwrap_or_else(|| panic!("{file} has a vector of another kind"))
}

/// The lines of one file: modes and fields.
pub fn lines(file: &str) -> Vec<(String, Vec<Vec<u8>>)> {
    let path = format!("{}/../../tests/vectors/{file}", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    let parse = |line: &str| {
        let (mode, words) = line.split_once(' ')?;
        Some((mode.to_owned(), words.split(' ').map(field).collect::<Option<_>>()?))
    };
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    lines.map(|line| parse(line).unwrap_or_else(|| panic!("{path}: {line}"))).collect()
}

fn vector(mode: String, fields: Vec<Vec<u8>>) -> Option<Vector> {
    let [key, iv, input, output] = fields.try_into().ok()?;
    let iv = if iv.is_empty() { [0; 16] } else { iv.try_into().ok()? };
    (input.len() == output.len()).then_some(Vector { mode, key, iv, input, output })
}

/// `hex`, or `hexxN` for N bytes of which the last one written is repeated, or `-` for none.
fn field(word: &str) -> Option<Vec<u8>> {
    if word == "-" {
        return Some(Vec::new());
    }
    let (hex, length) = match word.split_once('x') {
        Some((hex, length)) => (hex, Some(length.parse().ok()?)),
        None => (word, None),
    };
    let byte = |i| u8::from_str_radix(hex.get(i..i + 2)?, 16).ok();
    let mut bytes: Vec<u8> = (0..hex.len()).step_by(2).map(byte).collect::<Option<_>>()?;
    bytes.resize(length.unwrap_or(bytes.len()), *bytes.last()?);
    Some(bytes)
}

/// A plain block and the cipher block that it becomes.
pub type Pair = (Block, Block);

/// What the files of known answers say of one key size.
pub struct Answers {
    /// Every plain block whose cipher block is published, by key.
    pub blocks: BTreeMap<Vec<u8>, Vec<Pair>>,
    /// Published messages in CBC, encrypting.
    pub cbc: Vec<Vector>,
    /// Published messages in CTR.
    pub ctr: Vec<Vector>,
}

impl Answers {
    /// Reads them.
    pub fn new(size: KeySize) -> Answers {
        let mut answers = Answers { blocks: BTreeMap::new(), cbc: Vec::new(), ctr: Vec::new() };
        let all = KNOWN.iter().flat_map(|file| read(file));
        for vector in all.filter(|v| v.key.len() == size.bytes()) {
            match vector.mode.as_str() {
                "ecb" => {
                    let to_blocks = |text: &[u8]| -> Vec<Block> { text.as_chunks::<16>().0.to_vec() };
                    let pairs = to_blocks(&vector.input).into_iter().zip(to_blocks(&vector.output));
                    answers.blocks.entry(vector.key).or_default().extend(pairs);
                }
                "cbc" => answers.cbc.push(vector),
                "ctr" => answers.ctr.push(vector),
                mode => panic!("no known answers are kept for {mode}"),
            }
        }
        answers
    }

    /// Messages with published answers for a task over whole blocks: the published ones, and for
    /// each key one of `least` blocks or more, made of its published blocks. In CBC the chaining
    /// is taken out of the input, or put into the output, with an XOR.
    pub fn messages(&self, task: Task, least: usize) -> Vec<Vector> {
        let of_blocks = self.blocks.iter().map(|(key, pairs)| {
            // Whole rounds through the key's blocks, and then one block: no power of two.
            let count = least.next_multiple_of(pairs.len()) + 1;
            let pairs: Vec<Pair> = pairs.iter().cycle().take(count).copied().collect();
            from_pairs(task, key, &pairs)
        });
        let mut messages: Vec<Vector> = of_blocks.collect();
        match task {
            Task::CbcEncrypt { .. } => messages.extend(self.cbc.iter().cloned()),
            Task::CbcDecrypt => messages.extend(self.cbc.iter().cloned().map(reversed)),
            _ => {}
        }
        messages
    }
}

fn reversed(vector: Vector) -> Vector {
    Vector { input: vector.output, output: vector.input, ..vector }
}

/// The message of a task whose blocks are these.
fn from_pairs(task: Task, key: &[u8], pairs: &[Pair]) -> Vector {
    let (plain, cipher): (Vec<Block>, Vec<Block>) = pairs.iter().copied().unzip();
    // The IV of the chained ones: any will do, and a published block is at hand.
    let iv = pairs[0].1;
    let previous = std::iter::once(&iv).chain(&cipher);
    let chained: Vec<Block> =
        plain.iter().zip(previous).map(|(p, c)| std::array::from_fn(|i| p[i] ^ c[i])).collect();
    let forward = match task {
        Task::Ecb(_) => Vector {
            mode: "ecb".into(),
            key: key.to_vec(),
            iv,
            input: plain.concat(),
            output: cipher.concat(),
        },
        Task::CbcEncrypt { .. } | Task::CbcDecrypt => Vector {
            mode: "cbc".into(),
            key: key.to_vec(),
            iv,
            input: chained.concat(),
            output: cipher.concat(),
        },
        task => panic!("{task:?} is not made of whole blocks"),
    };
    match task {
        Task::Ecb(Direction::Decrypt) | Task::CbcDecrypt => reversed(forward),
        _ => forward,
    }
}
