//! Register assignment during rounds with look-ups, and the place of tables: before the function, at a distance
//! that one instruction can subtract from the program counter.

use aesmith_cipher::block::{INV_MIX, INV_SBOX, MIX, SBOX, gf_mul};
use aesmith_cipher::problem::Direction;
use aesmith_isa::assemble::{Item, Section};

use super::writer::Code;

/// The address of round keys, read upwards; a third temporary after the last of them.
pub const KEY: i32 = 0;
/// The address of the output.
pub const OUT: i32 = 2;
/// Values between extraction and use.
pub(crate) const TEMPORARY: [i32; 2] = [1, 3];
/// The address of the look-up table.
pub const TABLE: i32 = 12;
/// The state's columns in even rounds, ascending so that LDM and STM move them.
pub const EVEN: [i32; 4] = [4, 5, 6, 7];
/// The state's columns in odd rounds.
pub const ODD: [i32; 4] = [8, 9, 10, 11];
/// The condition "not equal".
pub(crate) const NE: i32 = 1;
/// The stack pointer.
pub const SP: i32 = 13;
/// The link register.
pub const LR: i32 = 14;
/// The program counter.
pub const PC: i32 = 15;
/// Callee-saved registers among those above.
pub const SAVED: [i32; 8] = [4, 5, 6, 7, 8, 9, 10, 11];

/// Tables of a kernel.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Tables {
    /// The direction of the T-table, if there is one.
    pub mixed: Option<Direction>,
    /// The direction of the S-box after it, if there is one.
    pub substitution: Option<Direction>,
    /// True if the S-box of encryption follows, for the key schedule of a cipher that uses another one.
    pub schedule: bool,
}

/// The rotation of a T-table entry for row 0, in bits towards the low bits. For encryption the S-box is then in
/// byte 0, so that byte loads from the same table implement the last round.
pub fn turned(direction: Direction) -> i32 {
    if direction == Direction::Encrypt { 8 } else { 0 }
}

/// The S-box of a direction.
pub fn substitution(direction: Direction) -> &'static [u8; 256] {
    if direction == Direction::Encrypt { &SBOX } else { &INV_SBOX }
}

impl Tables {
    /// True if the S-box is stored below the address in [`TABLE`] in reverse: the entry of x at the address
    /// minus x, so that one register addresses both tables. The entry of 0 is the first byte of the T-table of
    /// encryption, which is equal.
    pub fn below(self) -> bool {
        (self.mixed, self.substitution) == (Some(Direction::Encrypt), Some(Direction::Encrypt))
    }

    /// The bytes of the tables, and the number of bytes before the address in [`TABLE`].
    pub fn contents(self) -> (Vec<u8>, usize) {
        let mut bytes = Vec::new();
        if self.below() {
            bytes.push(0);
            bytes.extend(SBOX[1..].iter().rev());
        }
        let before = bytes.len();
        if let Some(direction) = self.mixed {
            let row = if direction == Direction::Encrypt { MIX } else { INV_MIX };
            for s in substitution(direction) {
                // Row k of the first column of the matrix is coefficient -k of its first row.
                let column: [u8; 4] = std::array::from_fn(|k| gf_mul(row[(4 - k) % 4], *s));
                let word = u32::from_le_bytes(column).rotate_right(turned(direction) as u32);
                bytes.extend(word.to_le_bytes());
            }
        }
        if let Some(direction) = self.substitution.filter(|_| !self.below()) {
            bytes.extend(substitution(direction));
        }
        if self.schedule {
            bytes.extend(SBOX);
        }
        (bytes, before)
    }

    /// The offset of the S-box, if it is stored above the T-table.
    pub fn offset(self) -> u32 {
        if self.mixed.is_some() { 1024 } else { 0 }
    }

    /// The offset of the key schedule's S-box, which is the last of the tables above the address.
    pub(crate) fn schedule_offset(self) -> u32 {
        let (bytes, below) = self.contents();
        (bytes.len() - below - SBOX.len()) as u32
    }
}

/// The start of a message function: returns if the number of blocks, the fifth argument, is zero.
pub(crate) fn unless_none(symbol: &str) -> Code {
    let mut code = Code::default();
    let some = format!(".L{symbol}_some");
    code.memory("ldr", TABLE, SP, 0);
    code.put("cmp_i", &[("rn", TABLE), ("con", 0)]);
    code.branch_if(NE, &some);
    code.mov(PC, LR);
    code.label(&some);
    code
}

/// The code of a kernel: tables, then the function. `before` is the code before the instruction that computes
/// the tables' address, `rest` the code after it.
pub fn section(symbol: &str, tables: Tables, before: Code, rest: Code) -> Section {
    let (contents, below) = tables.contents();
    let mut items = vec![Item::Align(16)];
    if !contents.is_empty() {
        items.push(Item::Label(format!(".L{symbol}_tables")));
    }
    let size = (contents.len() - below) as u32;
    items.push(Item::Bytes(contents));
    // The distance must be eight bits rotated by an even number: below 4096, a multiple of 16.
    let insns =
        before.items.iter().filter(|item| matches!(item, Item::Insn(_) | Item::Linked { .. })).count();
    let until = 4 * insns as u32 + 8;
    let padding = until.next_multiple_of(16) - until;
    if size > 0 && padding > 0 {
        items.push(Item::Bytes(vec![0; padding as usize]));
    }
    items.push(Item::Label(symbol.to_owned()));
    items.extend(before.items);
    if size > 0 {
        let mut address = Code::default();
        address.op_i("sub", TABLE, PC, size + padding + until);
        items.extend(address.items);
    }
    items.extend(rest.items);
    // The T-table at a multiple of its size, which a linker need not preserve: then sums of addresses do not
    // carry, and proofs are short.
    let address = if below > 0 { 0x10400 - below as u64 } else { 0x10000 };
    Section { name: ".text", address, writable: false, items }
}
