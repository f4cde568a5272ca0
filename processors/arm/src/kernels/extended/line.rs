//! Straight-line code and its register allocation.

use aesmith_cipher::Shuffle;
use aesmith_cipher::problem::Direction;
use aesmith_extension::order::Order;
use aesmith_extension::program::{Program, Step};

use crate::kernels::mix::Mix;
use crate::kernels::plan::{OUT, SP, TABLE, Tables};
use crate::kernels::writer::Code;
use aesmith_processor::attach::Attached;

/// Registers in order of allocation: caller-saved registers come first.
const LIKED: [i32; 14] = [3, 12, 1, 0, 2, 4, 5, 6, 7, 8, 9, 10, 11, 14];

/// The registers in which the unit reads the state, if it is wired to it: see the port.
pub(crate) const WIRED: [i32; 4] = [4, 5, 6, 7];

/// Straight-line code in the making.
pub struct Line {
    pub(super) attached: &'static Attached,
    /// The code written so far.
    pub code: Code,
    pub(super) free: Vec<i32>,
    used: u32,
    pub(super) reduction: Option<[i32; 2]>,
    /// True if the output pointer is on the stack, above `room`.
    pub aside: bool,
    /// Stack bytes that it uses.
    pub room: u32,
    /// Its look-up tables.
    pub tables: Tables,
}

/// An input word of a program.
#[derive(Clone, Copy, Debug)]
pub struct Input {
    /// Its register.
    pub register: i32,
    /// True if it is live afterwards; otherwise the program may use its register.
    pub kept: bool,
}

/// True if a program has instructions that read the state in [`WIRED`].
pub(crate) fn is_wired(attached: &Attached, program: &Program) -> bool {
    program.steps.iter().any(|step| wired(attached, step))
}

pub(super) fn wired(attached: &Attached, step: &Step) -> bool {
    matches!(step, Step::Custom(c) if !attached.extension.instructions[c.instruction].fixed.is_empty())
}

impl Line {
    /// An empty line with these free registers.
    pub fn new(attached: &'static Attached, free: &[i32]) -> Line {
        let mut line = Line {
            attached,
            code: Code::default(),
            free: Vec::new(),
            used: 0,
            reduction: None,
            aside: false,
            room: 0,
            tables: Tables { mixed: None, substitution: None, schedule: false },
        };
        free.iter().for_each(|&r| line.give(r));
        line
    }

    /// The registers among these that were allocated.
    pub fn used(&self, among: &[i32]) -> Vec<i32> {
        among.iter().copied().filter(|r| self.used >> r & 1 == 1).collect()
    }

    /// Frees a register.
    pub fn give(&mut self, register: i32) {
        let rank = |r: i32| LIKED.iter().position(|&l| l == r);
        let place = self.free.iter().take_while(|&&r| rank(r) < rank(register)).count();
        self.free.insert(place, register);
    }

    /// Allocates a free register.
    pub fn take(&mut self) -> Result<i32, String> {
        let register = *self
            .free
            .first()
            .ok_or("the instructions of the extension need more registers than there are")?;
        self.claim(register);
        Ok(register)
    }

    /// Allocates this register, if it is free.
    pub fn claim(&mut self, register: i32) -> bool {
        let place = self.free.iter().position(|&r| r == register);
        place.map(|place| self.free.remove(place)).inspect(|r| self.used |= 1 << r).is_some()
    }

    /// Allocates this number of registers in ascending order, as LDM and STM need them.
    pub(crate) fn take_ascending(&mut self, count: usize) -> Result<Vec<i32>, String> {
        let mut registers = (0..count).map(|_| self.take()).collect::<Result<Vec<i32>, String>>()?;
        registers.sort_unstable();
        Ok(registers)
    }

    /// Loads the constants of plain MixColumns into two registers, for the rest of the line.
    pub fn reduce(&mut self) -> Result<(), String> {
        if self.reduction.is_some() {
            return Ok(());
        }
        let [high, low] = [self.take()?, self.take()?];
        Mix { high, low, changed: [high, low] }.numbers(&mut self.code);
        self.reduction = Some([high, low]);
        Ok(())
    }

    /// Uses a table of a direction's S-box, with its address in [`TABLE`] for the rest of the line.
    pub fn look_up(&mut self, direction: Direction) -> Result<(), String> {
        if !self.claim(TABLE) {
            return Err("the register of the S-box's address is taken".into());
        }
        self.tables.substitution = Some(direction);
        Ok(())
    }

    /// Loads the constants and tables that the rounds of these programs need throughout.
    pub(crate) fn provide(&mut self, programs: [&Program; 2], direction: Direction) -> Result<(), String> {
        if programs.iter().any(|program| program.looks() > 0) {
            self.look_up(direction)?;
        }
        if programs.iter().any(|program| program.mixes()) {
            self.reduce()?;
        }
        Ok(())
    }

    /// The low halves of two words in one, then the high ones; kept words are unchanged.
    fn exchanged(&mut self, a: i32, b: i32, kept: bool) -> Result<[i32; 2], String> {
        let t = self.take()?;
        let to = if kept { [self.take()?, t] } else { [a, b] };
        let code = &mut self.code;
        code.op_sh("eor", t, b, a, "lsr", 16);
        code.put("mov_lsl", &[("rd", t), ("rm", t), ("sh", 16)]);
        code.op("eor", to[0], a, t);
        code.op_sh("eor", to[1], b, t, "lsr", 16);
        if !kept {
            self.give(t);
        }
        Ok(to)
    }

    /// Converts two columns of rows, or two rows of columns: the even bytes of two words in one, and the odd
    /// ones, in the same registers.
    fn rows(&mut self, [a, b]: [i32; 2]) -> Result<[i32; 2], String> {
        let t = self.take()?;
        let code = &mut self.code;
        code.op_sh("eor", t, b, a, "lsr", 8);
        code.op_i("bic", t, t, 0xff00_0000);
        code.op_i("bic", t, t, 0x0000_ff00);
        code.op("eor", b, b, t);
        code.op_sh("eor", a, a, t, "lsl", 8);
        self.give(t);
        Ok([a, b])
    }

    /// Transposes rows of four columns, or columns of four rows.
    fn transposed(&mut self, [a, b, c, d]: [i32; 4], kept: bool) -> Result<[i32; 4], String> {
        let [low, high] = self.exchanged(a, c, kept)?;
        let [other, upper] = self.exchanged(b, d, kept)?;
        let [[a, b], [c, d]] = [self.rows([low, other])?, self.rows([high, upper])?];
        Ok([a, b, c, d])
    }

    /// Columns in an order of the state. Words that are not kept stay in their registers.
    pub(crate) fn laid_out(&mut self, order: Order, columns: &[i32], kept: bool) -> Result<Vec<i32>, String> {
        let mut words = Vec::new();
        for some in columns.chunks(order.together()) {
            words.extend(self.keyed(order, some, kept)?);
        }
        Ok((0..4).map(|word| words[order.in_memory(word)]).collect())
    }

    /// Adjacent columns as words in an order ([`Order::together`] of them); for tiles the upper rows, then the
    /// lower ones, with the higher column in the low half.
    pub fn keyed(&mut self, order: Order, columns: &[i32], kept: bool) -> Result<Vec<i32>, String> {
        match *columns {
            [a, b] => {
                let words = self.exchanged(b, a, kept)?;
                self.shuffled(order.bytes, &words, false)
            }
            [a, b, c, d] => self.transposed([a, b, c, d], kept).map(|rows| rows.to_vec()),
            _ => self.shuffled(order.bytes, columns, kept),
        }
    }

    /// Words with permuted bytes, in the same registers unless they are kept.
    fn shuffled(&mut self, bytes: Shuffle, words: &[i32], kept: bool) -> Result<Vec<i32>, String> {
        if bytes == Shuffle::NOTHING {
            return Ok(words.to_vec());
        }
        let program = Program::shuffling(bytes);
        let mut made = Vec::new();
        for &register in words {
            let place = [register];
            let places = (!kept).then_some(&place[..]);
            made.extend(self.program(&program, &[Input { register, kept }], places)?);
        }
        Ok(made)
    }

    /// Converts words in an order back to columns.
    pub fn columns(&mut self, order: Order, words: &[i32]) -> Result<Vec<i32>, String> {
        let mut together = words.to_vec();
        (0..words.len()).for_each(|word| together[order.in_memory(word)] = words[word]);
        let mut columns = Vec::new();
        for some in together.chunks(order.together()) {
            let words = self.shuffled(order.bytes.undone(), some, false)?;
            columns.extend(match words[..] {
                [a, b] => {
                    let [b, a] = self.exchanged(a, b, false)?;
                    vec![a, b]
                }
                [a, b, c, d] => self.transposed([a, b, c, d], false)?.to_vec(),
                _ => words,
            });
        }
        Ok(columns)
    }

    /// Saves the output pointer on the stack, so that its register is free.
    pub(crate) fn put_aside(&mut self) {
        self.aside = true;
        self.give(OUT);
    }

    /// The register of the output pointer, after a load if necessary.
    pub fn out(&mut self) -> Result<i32, String> {
        if !self.aside {
            return Ok(OUT);
        }
        let out = self.take()?;
        self.code.memory("ldr", out, SP, self.room as i32);
        Ok(out)
    }
}
