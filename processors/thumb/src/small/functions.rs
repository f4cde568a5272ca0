//! Functions of ARMv6-M: a block, and messages by blocks.

use aesmith_cipher::problem::{Direction, KeySize, Task};
use aesmith_dataflow::memory::{self, Layout, Memory};
use aesmith_isa::assemble::{Item, Section};

use super::SP;
use super::rounds::{KEY, TABLE};
use super::writer::Code;
use super::{bytes, rounds, sliced};
use crate::dimensions::{self, Technique};
use crate::kernels::tables;
use crate::kernels::writer::section;

/// The form of the rounds, and the memory of their table.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    /// The technique of a round.
    pub technique: Technique,
    /// True for rounds in a loop.
    pub looped: bool,
    /// The memory of the table.
    pub memory: dimensions::Memory,
}

impl Shape {
    /// True for bit slices, which have no table.
    pub fn is_sliced(self) -> bool {
        self.technique == Technique::Bitsliced
    }

    /// The table, at a fixed distance after a multiple of 32: the S-box, or the T-table followed by the S-box.
    fn tables(self, label: &str, direction: Direction) -> Section {
        let of = match direction {
            Direction::Encrypt => memory::Direction::Forward,
            Direction::Decrypt => memory::Direction::Inverse,
        };
        let mut bytes = Memory::Substitution(of).contents().to_vec();
        let turn = match self.technique {
            Technique::Bytewise => bytes::TURN,
            Technique::Table | Technique::Bitsliced => {
                bytes.splice(0..0, Memory::Mixed(Layout::Rotated, of).contents().iter().copied());
                rounds::TURN
            }
        };
        let mut section = tables::section(label, bytes, self.memory);
        section.items.splice(0..1, [Item::Align(32), Item::Bytes(vec![0; turn])]);
        section
    }

    /// All rounds of r0 to r3 in place.
    fn all(self, code: &mut Code, name: &str, direction: Direction, rounds: usize) -> Result<(), String> {
        match self.technique {
            Technique::Bitsliced => sliced::all(code, name, direction, rounds)?,
            Technique::Bytewise => bytes::all(code, name, direction, rounds, self.looped),
            Technique::Table => {
                rounds::mask(code);
                rounds::all(code, name, direction, rounds, self.looped);
            }
        }
        Ok(())
    }

    /// The sections of a function, which follows the word with the address of its table.
    fn sections(self, symbol: &str, direction: Direction, code: Code) -> Vec<Section> {
        if self.is_sliced() {
            return vec![section(code.isa, symbol, code.items, &[])];
        }
        let label = format!("{symbol}_tables");
        vec![behind_word(symbol, &label, code), self.tables(&label, direction)]
    }
}

/// Loads the address that is stored in a word before the function into a register. Literal loads reach only
/// forward, and only 1020 bytes, which unrolled rounds exceed; so this computes the word's own address first,
/// at a place `behind` bytes after the word.
fn before(code: &mut Code, to: i32, behind: i32) {
    // The program counter reads as four bytes ahead.
    code.mov(to, 15);
    code.add(to, -(behind + 4));
    code.memory("ldr", to, to, 0);
}

/// A function preceded by the word that holds its table's address.
fn behind_word(symbol: &str, label: &str, code: Code) -> Section {
    let mut section = section(code.isa, symbol, code.items, &[]);
    let word = [Item::Align(4), Item::Word(Some(label.to_owned()), 0)];
    section.items.splice(0..1, word);
    section
}

/// `void name(const void *key, const uint8_t in[16], uint8_t out[16])`
pub fn block(
    size: KeySize,
    symbol: &str,
    direction: Direction,
    shape: Shape,
) -> Result<Vec<Section>, String> {
    let mut code = Code::new();
    code.save();
    code.put("push", &[("list", 4)]);
    // The word, and seven instructions of two bytes each so far.
    before(&mut code, TABLE, 4 + 14);
    code.mov(KEY, 0);
    code.mov(6, 1);
    code.four("ldm", 6, 0);
    shape.all(&mut code, symbol, direction, size.rounds())?;
    code.put("pop", &[("list", 0x10)]);
    code.four("stm", 4, 0);
    code.back();
    Ok(shape.sections(symbol, direction, code))
}

/// Stack offsets in message functions: the number of remaining blocks, the chaining value of decryption, a
/// saved word, then the arguments in order; above them eight saved registers and lr, and the number of blocks.
const LEFT: i32 = 0;
const CHAIN: i32 = 4;
const KEYS: i32 = 24;
const VECTOR: i32 = KEYS + 4;
const INPUT: i32 = KEYS + 8;
const OUTPUT: i32 = KEYS + 12;
const BLOCKS: i32 = KEYS + 16 + 36;

/// Adds four words of memory at a pointer on the stack, which advances, to four registers.
fn next_text(code: &mut Code, words: i32, by: i32) {
    code.memory("ldr", by, SP, INPUT);
    code.four("ldm", by, words);
    code.memory("str", by, SP, INPUT);
}

/// `void name(const void *key, uint8_t iv[16], const uint8_t *in, uint8_t *out, uint32_t blocks)`
pub fn message(size: KeySize, task: Task, symbol: &str, shape: Shape) -> Result<Vec<Section>, String> {
    let direction = task.mode().direction;
    let local = |what: &str| format!(".L{symbol}_{what}");
    let mut code = Code::new();
    code.save();
    code.put("push", &[("list", 0xf)]);
    code.put("sp_down", &[("imm", KEYS)]);
    code.memory("ldr", 6, SP, BLOCKS);
    code.memory("str", 6, SP, LEFT);
    if task == Task::CbcDecrypt {
        code.four("ldm", 1, 4);
        store_chain(&mut code);
    }
    code.label(&local("block"));
    // A block overwrites the table's register. The return of a call without blocks precedes this code.
    let entry = crate::kernels::writer::entry(code.isa, "");
    let so_far = entry.iter().chain(&code.items).filter(|i| !matches!(i, Item::Label(_))).count() as i32;
    if !shape.is_sliced() {
        before(&mut code, TABLE, 4 + 2 * so_far);
    }
    code.memory("ldr", 6, SP, KEYS);
    code.mov(KEY, 6);
    match task {
        Task::Ctr => {
            code.memory("ldr", 6, SP, VECTOR);
            code.four("ldm", 6, 0);
        }
        Task::CbcDecrypt => {
            code.memory("ldr", 6, SP, INPUT);
            code.four("ldm", 6, 0);
        }
        _ => {
            // Loads the text into r0 to r3, and adds the chaining value one word at a time.
            next_text(&mut code, 0, 6);
            code.memory("ldr", 6, SP, VECTOR);
            for w in 0..4 {
                code.memory("ldr", 7, 6, 4 * w);
                code.op("eors", w, 7);
            }
        }
    }
    shape.all(&mut code, symbol, direction, size.rounds())?;
    match task {
        Task::Ctr => {
            // The pointer needs a register: the last word is kept in a high one.
            code.mov(8, 3);
            next_text(&mut code, 4, 3);
            code.mov(3, 8);
            for w in 0..4 {
                code.op("eors", w, 4 + w);
            }
        }
        Task::CbcDecrypt => {
            code.put("add_sp", &[("rd", 7), ("imm", CHAIN)]);
            for w in 0..4 {
                code.memory("ldr", 6, 7, 4 * w);
                code.op("eors", w, 6);
            }
            // The output may overlap the input: the next chaining value is read first.
            code.mov(8, 3);
            next_text(&mut code, 4, 3);
            store_chain(&mut code);
            code.mov(3, 8);
        }
        _ => {
            code.memory("ldr", 6, SP, VECTOR);
            code.four("stm", 6, 0);
        }
    }
    code.memory("ldr", 6, SP, OUTPUT);
    code.four("stm", 6, 0);
    code.memory("str", 6, SP, OUTPUT);
    if task == Task::Ctr {
        // Adds one to the bytes of the counter from the last one on, until a byte does not become zero.
        code.memory("ldr", 6, SP, VECTOR);
        code.number(7, 15);
        code.label(&local("next"));
        code.indexed("ldrb", 5, 6, 7);
        code.add(5, 1);
        code.indexed("strb", 5, 6, 7);
        code.lsr(5, 5, 8);
        code.branch("beq", &local("carried"));
        code.add(7, -1);
        code.branch("bpl", &local("next"));
        code.label(&local("carried"));
    }
    code.memory("ldr", 6, SP, LEFT);
    code.add(6, -1);
    code.memory("str", 6, SP, LEFT);
    code.branch("beq", &local("done"));
    // Out of the range of a conditional branch, and of any branch but a call's.
    code.branch(if shape.looped && !shape.is_sliced() { "b" } else { "bl" }, &local("block"));
    code.label(&local("done"));
    if task == Task::CbcDecrypt {
        code.put("add_sp", &[("rd", 6), ("imm", CHAIN)]);
        code.four("ldm", 6, 0);
        code.memory("ldr", 6, SP, VECTOR);
        code.four("stm", 6, 0);
    }
    code.put("sp_up", &[("imm", KEYS + 16)]);
    code.back();
    Ok(shape.sections(symbol, direction, code))
}

/// Stores r4 to r7 to the chaining value on the stack; r3 is changed.
fn store_chain(code: &mut Code) {
    code.put("add_sp", &[("rd", 3), ("imm", CHAIN)]);
    code.four("stm", 3, 4);
}
