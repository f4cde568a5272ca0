//! Blocks step by step, exactly as in FIPS-197: the state is 16 bytes of the stack frame, each step of a round
//! is inlined or written once, and rounds are a loop.

use super::Writer;
use super::homes::{COUNTERS, Var};
use super::select::{Place, Set, r8, r32, r64};
use crate::dimensions::Dim;
use crate::kernels::Unfit;
use crate::kernels::asm::{If, at};
use aesmith_arrange::Variant;
use aesmith_cipher::{Direction, Task};
use aesmith_dataflow::bytewise::{Bytewise, Step};
use aesmith_dataflow::memory;
use aesmith_dataflow::program::Program;
use iced_x86::{Code, Instruction, Register};

/// Address of the state.
const STATE: u8 = 5;
/// Address of the current round key.
const ROUND_KEY: u8 = 8;
/// Number of rounds left.
const LEFT: u8 = 7;
/// SubBytes as a loop: the address of the current part, and the number of parts left.
const PART: u8 = 6;
const PARTS: u8 = 3;
/// Registers that no program may write.
const KEPT: Set = 1 << STATE | 1 << ROUND_KEY | 1 << LEFT;

/// The implementation of the steps.
pub(super) struct Steps {
    way: Bytewise,
    looped: bool,
    /// True if every step is written once and jumped to.
    once: bool,
}

/// The four steps of a round.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Which {
    SubBytes,
    ShiftRows,
    MixColumns,
    AddRoundKey,
}

const ALL: [Which; 4] = [Which::SubBytes, Which::ShiftRows, Which::MixColumns, Which::AddRoundKey];

impl Steps {
    /// The choices of a variant.
    pub fn new(variant: &Variant) -> Steps {
        let inverse = matches!(variant.problem.task, Task::Ecb(Direction::Decrypt) | Task::CbcDecrypt);
        Steps {
            way: Bytewise {
                words: variant.on(Dim::Words),
                by_table: variant.on(Dim::MixColumns),
                direction: if inverse { memory::Direction::Inverse } else { memory::Direction::Forward },
            },
            looped: !variant.on(Dim::SubBytes),
            once: !variant.on(Dim::Inline),
        }
    }
}

impl Writer<'_> {
    fn steps(&self) -> &Steps {
        self.steps.as_ref().expect("a kernel by steps")
    }

    /// The cipher on the state in the frame.
    pub(super) fn rounds(&mut self) -> Result<(), Unfit> {
        self.asm.lea(r64(STATE), at(Register::RSP, COUNTERS));
        let key = self.get(Var::Key, ROUND_KEY);
        if key != r64(ROUND_KEY) {
            self.asm.mov(r64(ROUND_KEY), key);
        }
        let rounds = self.cipher.rounds as i32;
        let (again, add) = (self.asm.label(), self.asm.label());
        if self.steps().once {
            self.asm.made(Instruction::with2(Code::Mov_r32_imm32, r32(LEFT), rounds));
            self.asm.jump(If::Always, add);
            self.asm.bind(again);
            self.step(Which::SubBytes)?;
            self.step(Which::ShiftRows)?;
            self.asm.one(Code::Dec_rm32, r32(LEFT));
            // The last round has no MixColumns.
            self.asm.jump(If::Zero, add);
            self.step(Which::MixColumns)?;
            self.asm.bind(add);
            self.step(Which::AddRoundKey)?;
            self.asm.two(Code::Test_rm32_r32, r32(LEFT), r32(LEFT));
            self.asm.jump(If::NotZero, again);
            return Ok(());
        }
        self.step(Which::AddRoundKey)?;
        self.asm.made(Instruction::with2(Code::Mov_r32_imm32, r32(LEFT), rounds - 1));
        self.asm.bind(again);
        for which in ALL {
            self.step(which)?;
        }
        self.asm.one(Code::Dec_rm32, r32(LEFT));
        self.asm.jump(If::NotZero, again);
        for which in [Which::SubBytes, Which::ShiftRows, Which::AddRoundKey] {
            self.step(which)?;
        }
        Ok(())
    }

    /// Writes every step once, to check that the registers suffice.
    pub(super) fn try_steps(&mut self) -> Result<(), Unfit> {
        ALL.iter().try_for_each(|&which| self.step(which))
    }

    fn step(&mut self, which: Which) -> Result<(), Unfit> {
        let way = self.steps().way;
        let size = 16 / way.parts() as i32;
        match which {
            Which::SubBytes if self.steps().looped => {
                self.asm.mov(r64(PART), r64(STATE));
                self.asm.made(Instruction::with2(Code::Mov_r32_imm32, r32(PARTS), way.parts() as i32));
                let again = self.asm.label();
                self.asm.bind(again);
                let part = Place::Memory(r64(PART), 0, size as u8);
                self.on_parts(&way.sub_bytes(), &[part], &[part], KEPT | 1 << PART | 1 << PARTS)?;
                self.asm.add(r64(PART), size);
                self.asm.one(Code::Dec_rm32, r32(PARTS));
                self.asm.jump(If::NotZero, again);
                Ok(())
            }
            Which::SubBytes => {
                let program = way.sub_bytes();
                let step = (0..way.parts()).map(|i| (vec![i], program.clone())).collect();
                self.on_state(&step, size)
            }
            Which::ShiftRows => self.on_state(&way.shift_rows(), size),
            Which::MixColumns => self.on_state(&way.mix_columns(), size),
            Which::AddRoundKey => {
                let program = way.add_round_key();
                for i in 0..way.parts() as i32 {
                    let [part, key] =
                        [STATE, ROUND_KEY].map(|base| Place::Memory(r64(base), size * i, size as u8));
                    self.on_parts(&program, &[part, key], &[part], KEPT)?;
                }
                self.asm.add(r64(ROUND_KEY), 16);
                Ok(())
            }
        }
    }

    fn on_state(&mut self, step: &Step, size: i32) -> Result<(), Unfit> {
        for (parts, program) in step {
            let places: Vec<Place> =
                parts.iter().map(|&i| Place::Memory(r64(STATE), size * i as i32, size as u8)).collect();
            self.on_parts(program, &places, &places, KEPT)?;
        }
        Ok(())
    }

    /// A program from memory to memory.
    fn on_parts(&mut self, program: &Program, from: &[Place], to: &[Place], kept: Set) -> Result<(), Unfit> {
        let results = self.run_program(program, from, kept)?;
        for (r, to) in results.into_iter().zip(to) {
            let &Place::Memory(base, displacement, size) = to else { unreachable!("parts stand in memory") };
            let (code, register) =
                if size == 1 { (Code::Mov_rm8_r8, r8(r)) } else { (Code::Mov_rm32_r32, r32(r)) };
            self.asm.made(Instruction::with2(code, at(base, displacement), register));
        }
        Ok(())
    }

    /// Processes one block from its text or counter to its result, and advances.
    pub(super) fn one_by_steps(&mut self) -> Result<(), Unfit> {
        let task = self.cipher.task;
        let frame = |offset: i32| at(Register::RSP, offset);
        let (text, other) = (Register::RAX, Register::RBX);
        if self.ctr() {
            self.counters(1);
        } else {
            let input = self.get(Var::Input, LEFT);
            let chain = matches!(task, Task::CbcEncrypt { .. }).then(|| self.get(Var::Iv, PART));
            for half in [0, 8] {
                self.asm.load(text, at(input, half));
                if let Some(chain) = chain {
                    self.asm.made(Instruction::with2(Code::Xor_r64_rm64, text, at(chain, half)));
                }
                self.asm.store(frame(COUNTERS + half), text);
            }
        }
        self.rounds()?;
        let (input, output) = (self.get(Var::Input, PART), self.get(Var::Output, LEFT));
        // The caller's IV holds the chaining value.
        let chained = self.variant.problem.has_iv() && !self.ctr();
        let chain = chained.then(|| self.get(Var::Iv, STATE));
        for half in [0, 8] {
            self.asm.load(text, frame(COUNTERS + half));
            match (task, chain) {
                (Task::Ctr, _) => {
                    self.asm.made(Instruction::with2(Code::Xor_r64_rm64, text, at(input, half)));
                }
                (Task::CbcEncrypt { .. }, Some(chain)) => self.asm.store(at(chain, half), text),
                (Task::CbcDecrypt, Some(chain)) => {
                    self.asm.made(Instruction::with2(Code::Xor_r64_rm64, text, at(chain, half)));
                    self.asm.load(other, at(input, half));
                    self.asm.store(at(chain, half), other);
                }
                _ => {}
            }
            self.asm.store(at(output, half), text);
        }
        self.advance(1, false);
        Ok(())
    }
}
