//! A piece of AES as straight-line code over words, with an extension's instructions and plain ones: the result of
//! [`crate::cover`] and the input of kernel writers.

use aesmith_cipher::Shuffle;
use aesmith_cipher::problem::Direction;
use aesmith_isa::Isa;

use crate::file::Extension;
use crate::form::Via;
use crate::meaning::compute;

/// A word.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Word {
    /// Zero.
    Zero,
    /// An input of the program.
    Input(usize),
    /// The result of a step.
    Step(usize),
}

/// A step.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Step {
    /// An instruction of the extension.
    Custom(Custom),
    /// The XOR of two words.
    Xor(Word, Word),
    /// A word, rotated by this number of bytes towards the high bits.
    Turn(Word, u8),
    /// The bytes whose bit is set in the mask; the others are zero.
    Keep(Word, u8),
    /// MixColumns of a column in plain code, or its inverse.
    Mix(Word, Direction),
    /// A byte from a table of 256 bytes.
    Look(Word, Look),
}

/// A look-up of a byte of a word in the table of the S-box.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Look {
    /// The index of the byte, counted from the lowest.
    pub from: u8,
    /// The position of the result in a word of zeros.
    pub to: u8,
    /// The cipher's S-box, or the inverse cipher's.
    pub direction: Direction,
}

/// An instruction of the extension and its operands.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Custom {
    /// The index in the extension.
    pub instruction: usize,
    /// The words that it computes from: in the order of its reads, then the registers that it is wired to, which are
    /// inputs 0 to 3.
    pub words: Vec<Word>,
    /// Its selectors.
    pub selectors: Vec<u8>,
}

/// Straight-line code over words.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Program {
    /// The number of input words.
    pub inputs: usize,
    /// The steps.
    pub steps: Vec<Step>,
    /// The results.
    pub outputs: Vec<Word>,
}

/// The function that a program computes.
///
/// | goal | inputs | outputs |
/// |---|---|---|
/// | a round | four words of the state, four of the round key | four words |
/// | the last round | the same | four words |
/// | SubWord | a word, and one that is added | a word |
/// | InvMixColumns | a column | a column |
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Goal {
    /// A round but the last, of the cipher or the equivalent inverse cipher (FIPS-197, 5.3.5).
    Round(Direction),
    /// The last round.
    Last(Direction),
    /// SubWord (FIPS-197, 5.2), after RotWord if `turned`.
    SubWord {
        /// True if RotWord comes first.
        turned: bool,
    },
    /// InvMixColumns of a column, which converts round keys for the equivalent inverse cipher.
    InverseMix,
}

impl Goal {
    /// All goals.
    pub const ALL: [Goal; 7] = [
        Goal::Round(Direction::Encrypt),
        Goal::Last(Direction::Encrypt),
        Goal::Round(Direction::Decrypt),
        Goal::Last(Direction::Decrypt),
        Goal::SubWord { turned: true },
        Goal::SubWord { turned: false },
        Goal::InverseMix,
    ];

    /// The name in messages.
    pub fn describe(self) -> &'static str {
        match self {
            Goal::Round(Direction::Encrypt) => "a round of encryption",
            Goal::Round(Direction::Decrypt) => "a round of decryption",
            Goal::Last(Direction::Encrypt) => "the last round of encryption",
            Goal::Last(Direction::Decrypt) => "the last round of decryption",
            Goal::SubWord { turned: true } => "SubWord of RotWord",
            Goal::SubWord { turned: false } => "SubWord",
            Goal::InverseMix => "InvMixColumns of a round key",
        }
    }
}

impl Program {
    /// Runs the program on numbers; tests compare the results with the cipher.
    pub fn run(&self, extension: &Extension, isa: &Isa, inputs: &[u32]) -> Result<Vec<u32>, String> {
        let mut made: Vec<u32> = Vec::new();
        let of = |made: &[u32], word: Word| match word {
            Word::Zero => 0,
            Word::Input(k) => inputs[k],
            Word::Step(k) => made[k],
        };
        for step in &self.steps {
            let value = match step {
                Step::Custom(custom) => {
                    let words: Vec<u32> = custom.words.iter().map(|&w| of(&made, w)).collect();
                    compute(isa, &extension.instructions[custom.instruction], &words, &custom.selectors)?
                }
                Step::Xor(a, b) => of(&made, *a) ^ of(&made, *b),
                Step::Turn(a, bytes) => of(&made, *a).rotate_left(8 * u32::from(*bytes)),
                Step::Keep(a, mask) => {
                    let bytes = of(&made, *a).to_le_bytes();
                    u32::from_le_bytes(std::array::from_fn(|k| if mask >> k & 1 == 1 { bytes[k] } else { 0 }))
                }
                Step::Mix(a, direction) => {
                    let matrix = crate::form::matrix(*direction);
                    let bytes = of(&made, *a).to_le_bytes();
                    let row = |r: usize| {
                        (0..4).fold(0, |sum, k| sum ^ aesmith_cipher::block::gf_mul(matrix[r][k], bytes[k]))
                    };
                    u32::from_le_bytes(std::array::from_fn(row))
                }
                Step::Look(a, look) => {
                    let byte = of(&made, *a).to_le_bytes()[usize::from(look.from)];
                    u32::from(Via::substitution(look.direction).of(byte)) << (8 * look.to)
                }
            };
            made.push(value);
        }
        Ok(self.outputs.iter().map(|&w| of(&made, w)).collect())
    }

    /// A program that reorders the bytes of a word.
    pub fn shuffling(bytes: Shuffle) -> Program {
        let mut program = Program { inputs: 1, ..Program::default() };
        let mut step = |step: Step| {
            program.steps.push(step);
            Word::Step(program.steps.len() - 1)
        };
        let parts = bytes.parts();
        let mut sum: Option<Word> = None;
        for &(by, mask) in &parts {
            let turned = if by == 0 { Word::Input(0) } else { step(Step::Turn(Word::Input(0), by)) };
            let part = if parts.len() == 1 { turned } else { step(Step::Keep(turned, mask)) };
            sum = Some(sum.map_or(part, |sum| step(Step::Xor(sum, part))));
        }
        program.outputs.extend(sum);
        program
    }

    /// The number of steps that are instructions of the extension.
    pub fn customs(&self) -> usize {
        self.steps.iter().filter(|s| matches!(s, Step::Custom(_))).count()
    }

    /// The number of steps that are look-ups in a table.
    pub fn looks(&self) -> usize {
        self.steps.iter().filter(|s| matches!(s, Step::Look(..))).count()
    }

    /// True if it has MixColumns in plain code.
    pub fn mixes(&self) -> bool {
        self.steps.iter().any(|s| matches!(s, Step::Mix(..)))
    }
}

impl Step {
    /// The words that it reads.
    pub fn words(&self) -> Vec<Word> {
        match self {
            Step::Custom(custom) => custom.words.clone(),
            Step::Xor(a, b) => vec![*a, *b],
            Step::Turn(a, _) | Step::Keep(a, _) | Step::Mix(a, _) | Step::Look(a, _) => vec![*a],
        }
    }
}
