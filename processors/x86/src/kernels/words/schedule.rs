//! Key set-up on words: the key schedules of FIPS-197 for both directions with look-ups of the S-box, and the
//! counter table.

use super::Writer;
use super::homes::{PADDED, TABLE};
use super::select::{Place, Set, r32, r64};
use crate::kernels::Unfit;
use crate::kernels::asm::{If, at, indexed};
use aesmith_cipher::{Direction, Task, block, contract};
use aesmith_dataflow::bytewise::{Bytewise, schedule_word};
use aesmith_dataflow::memory::{self, Layout, Memory};
use aesmith_dataflow::program::{Program, Word};
use aesmith_dataflow::table;
use aesmith_dataflow::technique::Form;
use iced_x86::{Code, Instruction, Register};

/// Round keys (output).
const KEY: Register = Register::RDI;
/// The cipher key.
const KEY_BYTES: Register = Register::RSI;
/// Registers that no program may write: these two.
const KEPT: Set = 1 << 7 | 1 << 6;
/// Words of the longest expanded key.
pub(super) const MOST_WORDS: i32 = 60;

impl Writer<'_> {
    /// A key schedule, or the counter table.
    pub(super) fn set_up(&mut self) -> Result<(), Unfit> {
        // A first run finds the tables that are needed, the second writes the code.
        self.settle(Writer::set_up_itself)?;
        self.entry();
        self.set_up_itself()?;
        self.leave();
        Ok(())
    }

    fn set_up_itself(&mut self) -> Result<(), Unfit> {
        self.level = 0;
        match self.variant.problem.task {
            Task::KeySchedule(direction) => self.schedule(direction),
            _ => self.counter_table(),
        }
    }

    /// The location in which word `i` of the expanded key is computed: its final place, or the frame if the
    /// keys are to be reversed for decryption.
    fn word(&self, direction: Direction, i: usize) -> (Register, i32) {
        match direction {
            Direction::Encrypt => (KEY, 4 * i as i32),
            Direction::Decrypt => (Register::RSP, PADDED + 4 * i as i32),
        }
    }

    fn schedule(&mut self, direction: Direction) -> Result<(), Unfit> {
        let key_words = self.variant.problem.key.bytes() / 4;
        let count = 4 * (self.cipher.rounds + 1);
        let mut constant = 1;
        // The previous word stays in a register if it needs no look-up.
        let last = Register::EAX;
        for i in 0..count {
            let (base, place) = self.word(direction, i);
            if i < key_words {
                self.asm.made(Instruction::with2(Code::Mov_r32_rm32, last, at(KEY_BYTES, 4 * i as i32)));
                self.asm.made(Instruction::with2(Code::Mov_rm32_r32, at(base, place), last));
                continue;
            }
            let earlier = self.word(direction, i - key_words);
            let with_look_up = if i % key_words == 0 {
                let program = schedule_word(Some(constant));
                constant = block::xtime(constant);
                Some(program)
            } else {
                (key_words == 8 && i % 8 == 4).then(|| schedule_word(None))
            };
            match with_look_up {
                Some(program) => {
                    let before = self.word(direction, i - 1);
                    let inputs = [before, earlier].map(|(base, place)| Place::Memory(base, place, 4));
                    let result = self.run_program(&program, &inputs, KEPT)?[0];
                    self.asm.two(Code::Mov_r32_rm32, last, r32(result));
                }
                None => {
                    let from = at(earlier.0, earlier.1);
                    self.asm.made(Instruction::with2(Code::Xor_r32_rm32, last, from));
                }
            }
            self.asm.made(Instruction::with2(Code::Mov_rm32_r32, at(base, place), last));
        }
        if direction == Direction::Decrypt {
            self.turn_round()?;
        }
        Ok(())
    }

    /// Stores round keys from the frame in the order of the inverse cipher, the inner ones after InvMixColumns.
    fn turn_round(&mut self) -> Result<(), Unfit> {
        let copy = || {
            let mut p = Program::new(Word::U32, 1);
            p.outputs.push(p.input(0));
            p
        };
        let mixed = match self.variant.technique.record().form {
            Form::Steps => {
                let way = Bytewise { words: true, by_table: false, direction: memory::Direction::Inverse };
                way.mix_columns()[0].1.clone()
            }
            _ => table::inverse_mix_columns(),
        };
        let rounds = self.cipher.rounds;
        for round in 0..=rounds {
            let program = if round == 0 || round == rounds { copy() } else { mixed.clone() };
            for w in 0..4 {
                let (base, place) = self.word(Direction::Decrypt, 4 * (rounds - round) + w);
                let result = self.run_program(&program, &[Place::Memory(base, place, 4)], KEPT)?[0];
                let to = at(KEY, (16 * round + 4 * w) as i32);
                self.asm.made(Instruction::with2(Code::Mov_rm32_r32, to, r32(result)));
            }
        }
        Ok(())
    }

    /// The table of first-round contributions of the fast counter byte (see [`contract::table_entry`]): an
    /// entry of T3 and zeros for each of its values.
    fn counter_table(&mut self) -> Result<(), Unfit> {
        let tables = Memory::Mixed(Layout::Separate, memory::Direction::Forward);
        let place = tables.place(3);
        let offset = self.regions.offset(tables) + i32::from(place.offset);
        let (value, index, entry, to) = (Register::RCX, Register::RAX, Register::RDX, Register::RBX);
        let base = r64(TABLE);
        self.asm.two(Code::Xor_r32_rm32, Register::ECX, Register::ECX);
        self.asm.lea(to, at(KEY, contract::TABLE_OFFSET as i32));
        let again = self.asm.label();
        self.asm.bind(again);
        self.asm.made(Instruction::with2(Code::Movzx_r32_rm8, Register::EAX, at(KEY, 15)));
        self.asm.two(Code::Xor_r32_rm32, Register::EAX, Register::ECX);
        let from = indexed(base, index, place.scale.into(), offset);
        self.asm.made(Instruction::with2(Code::Mov_r32_rm32, Register::EDX, from));
        self.asm.store(at(to, 0), entry);
        self.asm.made(Instruction::with2(Code::Mov_rm64_imm32, at(to, 8), 0));
        self.asm.add(to, 16);
        self.asm.add(value, 1);
        self.asm.cmp(value, 256);
        self.asm.jump(If::Below, again);
        Ok(())
    }
}
