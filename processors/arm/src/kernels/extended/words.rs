//! The words of the key schedule (FIPS-197, 5.2) in registers, computed one from another, forwards or
//! backwards.

use aesmith_cipher::problem::{Direction, KeySize};
use aesmith_extension::program::{Goal, Look, Program, Step, Word};

use super::line::{Input, Line};
use aesmith_processor::attach::Attached;

/// Round constants (FIPS-197, 5.2).
const CONSTANTS: [u32; 10] = [1, 2, 4, 8, 0x10, 0x20, 0x40, 0x80, 0x1b, 0x36];

/// The total number of words of all round keys.
pub fn all(size: KeySize) -> usize {
    4 * (size.rounds() + 1)
}

/// Adds the difference between word `number` and the word one cipher key before it to a register, which
/// converts either into the other. It depends on the preceding word, in register `before`.
pub fn add(
    line: &mut Line,
    attached: &Attached,
    size: KeySize,
    number: usize,
    (to, before): (i32, i32),
) -> Result<(), String> {
    let count = size.bytes() / 4;
    let turned = number.is_multiple_of(count);
    if !turned && (count < 8 || number % 8 != 4) {
        line.code.op("eor", to, to, before);
        return Ok(());
    }
    let program = &sub_word(attached, turned);
    let inputs = [Input { register: before, kept: true }, Input { register: to, kept: false }];
    line.program(program, &inputs, Some(&[to]))?;
    if turned {
        line.code.op_i("eor", to, to, CONSTANTS[number / count - 1]);
    }
    Ok(())
}

/// The last words of the schedule, as many as the cipher key has; word n is in register n modulo their number.
pub struct Words {
    size: KeySize,
    /// Their registers.
    pub registers: Vec<i32>,
}

impl Words {
    /// The words of the cipher key, in these registers.
    pub fn new(size: KeySize, registers: Vec<i32>) -> Words {
        Words { size, registers }
    }

    /// The register of a word.
    pub fn at(&self, number: usize) -> i32 {
        self.registers[number % self.registers.len()]
    }

    /// The registers of a round key.
    pub fn round(&self, round: usize) -> [i32; 4] {
        std::array::from_fn(|k| self.at(4 * round + k))
    }

    /// Replaces the word one cipher key before by this word, or the reverse.
    pub fn step(&self, line: &mut Line, attached: &Attached, number: usize) -> Result<(), String> {
        add(line, attached, self.size, number, (self.at(number), self.at(number - 1)))
    }
}

/// SubWord of a word, or of its RotWord if `turned`, added to another: by the extension's instructions,
/// otherwise from a table ([`Line::look_up`]).
fn sub_word(attached: &Attached, turned: bool) -> Program {
    let looked = |_| {
        let mut program = Program { inputs: 2, ..Program::default() };
        let mut sum = Word::Input(1);
        for to in 0..4 {
            let look = Look { from: (to + u8::from(turned)) % 4, to, direction: Direction::Encrypt };
            program.steps.push(Step::Look(Word::Input(0), look));
            program.steps.push(Step::Xor(sum, Word::Step(program.steps.len() - 1)));
            sum = Word::Step(program.steps.len() - 1);
        }
        program.outputs.push(sum);
        program
    };
    attached.program(Goal::SubWord { turned }).cloned().unwrap_or_else(looked)
}

/// InvMixColumns of a word: by the extension's instructions, otherwise in plain code.
pub fn inverse_mix(attached: &Attached) -> Program {
    let plain = || Program {
        inputs: 1,
        steps: vec![Step::Mix(Word::Input(0), Direction::Decrypt)],
        outputs: vec![Word::Step(0)],
    };
    attached.program(Goal::InverseMix).cloned().unwrap_or_else(|_| plain())
}
