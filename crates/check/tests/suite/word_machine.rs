//! Calls of code for processors of 32-bit words over numbers, by the checker's own rows.

use crate::concrete::Random;
use crate::concrete::model::{inverse_key_schedule, key_schedule, message};
use aesmith_check::bytes::claim::Keys;
use aesmith_check::bytes::run::Machine;
use aesmith_check::bytes::{Link, Proof};
use aesmith_check::rows::{Instruction, Row, Rows};
use aesmith_check::spec::Mode;
use aesmith_check::words::execute::{Domain, Flow, Move, REGISTERS, execute};
use aesmith_check::words::{FAMILIES, Family, Words};

/// Memory, in objects that are far apart.
pub struct Memory {
    /// Addresses and contents.
    pub objects: Vec<(u32, Vec<u8>)>,
    /// True if words must be at multiples of their length.
    pub is_aligned: bool,
}

impl Memory {
    fn place(&mut self, address: u32, bytes: usize) -> Result<&mut [u8], String> {
        let found = self.objects.iter_mut().find_map(|(base, data)| {
            let at = usize::try_from(address.checked_sub(*base)?).ok()?;
            data.get_mut(at..at + bytes)
        });
        let found = found.filter(|_| !self.is_aligned || address.is_multiple_of(bytes as u32));
        found.ok_or_else(|| format!("{bytes} bytes at {address:#x}"))
    }
}

impl Domain for Memory {
    type Word = u32;
    type Stop = String;

    fn number(&mut self, value: u32) -> u32 {
        value
    }
    fn sum(&mut self, a: u32, b: u32) -> u32 {
        a.wrapping_add(b)
    }
    fn carry(&mut self, a: u32, b: u32, bit: u32) -> u32 {
        u32::from(u64::from(a) + u64::from(b) + u64::from(bit) > u64::from(u32::MAX))
    }
    fn difference(&mut self, a: u32, b: u32) -> u32 {
        a.wrapping_sub(b)
    }
    fn product(&mut self, a: u32, b: u32) -> u32 {
        a.wrapping_mul(b)
    }
    fn xor(&mut self, a: u32, b: u32) -> u32 {
        a ^ b
    }
    fn and(&mut self, a: u32, b: u32) -> u32 {
        a & b
    }
    fn moved(&mut self, a: u32, by: u32, how: Move) -> Result<u32, String> {
        match how {
            _ if by > 31 => Err(format!("bits are moved by {by}")),
            Move::Up => Ok(a << by),
            Move::Down => Ok(a >> by),
            Move::Signed => Ok((a as i32 >> by) as u32),
            Move::Circle => Ok(a.rotate_right(by)),
            Move::Swap => Ok(a.swap_bytes()),
        }
    }
    fn decided(&mut self, bit: u32) -> Result<bool, String> {
        if bit > 1 { Err("a condition is no bit".into()) } else { Ok(bit == 1) }
    }
    fn count(&mut self, a: u32, _: bool) -> Result<u32, String> {
        Ok(a & 255)
    }
    fn needs_public(&mut self, _: u32) -> Result<(), String> {
        Ok(())
    }
    fn is_less(&mut self, a: u32, b: u32, is_signed: bool) -> u32 {
        u32::from(if is_signed { (a as i32) < b as i32 } else { a < b })
    }
    fn is_equal(&mut self, a: u32, b: u32) -> u32 {
        u32::from(a == b)
    }
    fn code(&mut self, at: usize) -> u32 {
        at as u32
    }
    fn load(&mut self, address: u32, bytes: usize) -> Result<u32, String> {
        let own = self.place(address, bytes)?;
        Ok(own.iter().rev().fold(0, |value, &byte| value << 8 | u32::from(byte)))
    }
    fn store(&mut self, address: u32, bytes: usize, value: u32) -> Result<(), String> {
        self.place(address, bytes)?.copy_from_slice(&value.to_le_bytes()[..bytes]);
        Ok(())
    }
    fn unknown(&self) -> String {
        "a row without a meaning".into()
    }
}

/// The family of a proof.
pub fn family(name: &str) -> &'static Family {
    FAMILIES.iter().find(|family| family.name == name).expect("a family")
}

/// The processor of a test: its family, rows, and its code with the address of that.
#[derive(Clone, Copy)]
pub struct Processor<'a> {
    pub family: &'a Family,
    pub rows: &'a Rows,
    pub code: &'a [u8],
    pub begin: u32,
}

impl Processor<'_> {
    fn decode(&self, at: u32) -> Result<(Instruction, &Row), String> {
        let bytes = at.checked_sub(self.begin).and_then(|offset| self.code.get(offset as usize..));
        let i = bytes.and_then(|bytes| self.rows.decode(bytes));
        let i = i.ok_or_else(|| format!("no instruction at {at:#x}"))?;
        Ok((i, &self.rows.0[i.row]))
    }

    /// Executes an instruction with its prefix: its flow, its row, and the address behind it.
    fn one(
        &self,
        memory: &mut Memory,
        registers: &mut [u32; REGISTERS],
        mut at: u32,
    ) -> Result<(Flow<u32>, &Row, u32), String> {
        let (mut i, mut row) = self.decode(at)?;
        let mut given = None;
        if let Some(upper) = row.prefix(&i) {
            at += i.length as u32;
            (i, row) = self.decode(at)?;
            given = Some(upper + row.lower(&i));
        }
        let next = at + i.length as u32;
        let flow = execute(memory, registers, row, &i, next as usize, given)?;
        if let Some(zero) = self.family.zero {
            registers[usize::from(zero)] = 0;
        }
        Ok((flow, row, next))
    }

    /// The address of the next instruction.
    pub fn step(
        &self,
        memory: &mut Memory,
        registers: &mut [u32; REGISTERS],
        at: u32,
    ) -> Result<u32, String> {
        let (flow, row, next) = self.one(memory, registers, at)?;
        let target = match flow {
            Flow::Next | Flow::Jump(Some(0), _) => None,
            Flow::Jump(_, distance) => Some(at.wrapping_add_signed(distance)),
            Flow::To(address) => Some(address.wrapping_sub(self.family.mark as u32)),
        };
        if !row.has_slot() {
            return Ok(target.unwrap_or(next));
        }
        self.one(memory, registers, next)?;
        Ok(target.unwrap_or(next + 4))
    }
}

const CODE: u32 = 0x10_0000;
const BACK: u32 = 0xde_ad00;
/// Key, IV, text, output and stack, then tables.
const OBJECTS: [u32; 5] = [0x100_0000, 0x200_0000, 0x300_0000, 0x400_0000, 0x500_0000];

/// A round key as slices for two equal blocks.
fn slices(key: &[u8; 16], is_big: bool) -> Vec<u8> {
    let word = |word: usize| {
        key.iter().enumerate().fold(0_u32, |all, (i, byte)| {
            all | (u32::from(byte >> (7 - word) & 1) * 3) << (8 * (i % 4) + 2 * (i / 4))
        })
    };
    let bytes = |word: u32| if is_big { word.to_be_bytes() } else { word.to_le_bytes() };
    (0..8).flat_map(|number| bytes(word(number))).collect()
}

/// Round key n with ShiftRows undone n times, and 0x63 added but to the first.
fn unshifted(key: &[u8; 16], number: usize) -> [u8; 16] {
    let mut all = *key;
    for _ in 0..number {
        let old = all;
        for row in 1..4 {
            for column in 0..4 {
                all[4 * ((column + row) % 4) + row] = old[4 * column + row];
            }
        }
    }
    all.map(|byte| if number > 0 { byte ^ 0x63 } else { byte })
}

/// Calls the code of a proof on random data, and compares with the specification.
pub fn call(proof: &Proof, random: &mut Random) -> Result<(), String> {
    let (contract, family) = (&proof.contract, family(proof.processor));
    let rows = Words(family).rows()?;
    let blocks = if contract.mode == Mode::Ecb { proof.blocks.into() } else { random.below(5) as usize };
    let key = random.bytes(4 * (usize::from(contract.rounds) - 6));
    let forward = key_schedule(&key);
    let keys = if contract.is_inverse { inverse_key_schedule(&key) } else { forward.clone() };
    let flat = |keys: &[u128]| keys.iter().flat_map(|key| key.to_le_bytes()).collect::<Vec<u8>>();
    let memory = match proof.keys {
        Keys::Round | Keys::Expanded => flat(&keys),
        Keys::Forward => flat(&forward),
        Keys::Cipher => key,
        Keys::Sliced => keys.iter().flat_map(|key| slices(&key.to_le_bytes(), family.is_big)).collect(),
        Keys::Unshifted => {
            let of = |(n, key): (usize, &u128)| slices(&unshifted(&key.to_le_bytes(), n), family.is_big);
            (0..).zip(&keys).flat_map(of).collect()
        }
    };
    let mut iv = random.bytes(16);
    if contract.mode == Mode::Ctr && random.below(2) == 0 {
        // With a carry.
        iv[15 - random.below(16) as usize..].fill(255);
        iv[15] = 255 - random.below(3) as u8;
    }
    let text = random.bytes(16 * blocks);
    let [key_at, iv_at, in_at, mut out_at, stack] = OBJECTS.map(|at| at + 16 * random.below(0x1000) as u32);
    let mut arguments = match contract.mode {
        Mode::Ecb => vec![key_at, in_at],
        _ => vec![key_at, iv_at, in_at],
    };
    let mut objects = vec![(key_at, memory), (in_at, text.clone())];
    if random.below(2) == 0 {
        out_at = in_at;
    } else {
        objects.push((out_at, random.bytes(16 * blocks)));
    }
    objects.extend((contract.mode != Mode::Ecb).then(|| (iv_at, iv.clone())));
    let mut code = proof.code.clone();
    let tables: Vec<u32> = (0..)
        .zip(&proof.tables)
        .map(|(number, table)| {
            0x600_0000 + 0x10_0000 * number + (table.alignment * random.below(16) as usize) as u32
        })
        .collect();
    objects.extend(tables.iter().zip(&proof.tables).map(|(&at, table)| (at, table.bytes.clone())));
    for (&at, link) in &proof.links {
        let address = |table: usize, add: i128| tables[table].wrapping_add(add as u32);
        let field = match *link {
            Link::Part(table, is_high, add) => {
                let (address, low) = (address(table, add), 1 << family.low);
                let parts = if family.has_prefix { 0 } else { low / 2 };
                let field = if is_high { address.wrapping_add(parts) >> family.low } else { address % low };
                // The field is at the end of a code, but for RV32, where it is at the beginning.
                match (family.name, is_high) {
                    ("rv32", true) => field << 12,
                    ("rv32", false) => field << 20,
                    _ => field,
                }
            }
            Link::Word(table, add) => address(table, add),
            Link::Table(..) | Link::Place(_) => return Err("another link".into()),
        };
        let field = if family.is_big { field.to_be_bytes() } else { field.to_le_bytes() };
        let bytes = code.get_mut(at..at + 4).ok_or("a link behind the code")?;
        for (byte, part) in bytes.iter_mut().zip(field) {
            *byte |= part;
        }
    }
    // Behind the general registers are bits, and others that a call does not need.
    let mut registers: [u32; REGISTERS] =
        std::array::from_fn(|k| random.next() as u32 >> if k < 32 { 0 } else { 31 });
    if let Some(zero) = family.zero {
        registers[usize::from(zero)] = 0;
    }
    registers[usize::from(family.link)] = BACK - family.back + family.mark as u32;
    registers[usize::from(family.stack)] = stack;
    for &flag in family.flags {
        registers[usize::from(flag)] &= 1;
    }
    arguments.push(out_at);
    arguments.extend((contract.mode != Mode::Ecb).then_some(blocks as u32));
    for (&register, &argument) in family.arguments.iter().zip(&arguments) {
        registers[usize::from(register)] = argument;
    }
    // Arguments on the stack are the callee's.
    let above = arguments.get(family.arguments.len()..).unwrap_or_default();
    let mut own = random.bytes(4096);
    own.extend(above.iter().flat_map(|argument| argument.to_le_bytes()));
    objects.push((stack - 4096, own));
    // The code is read, but not written.
    objects.push((CODE, code.clone()));
    let (before, mut expected) = (registers, objects.clone());
    let mut memory = Memory { objects, is_aligned: true };
    let processor = Processor { family, rows: &rows, code: &code, begin: CODE };
    let mut at = CODE + proof.first as u32;
    for _ in 0..100_000 {
        if at == BACK {
            break;
        }
        at = processor.step(&mut memory, &mut registers, at)?;
    }
    let number = iv.iter().rev().fold(0, |value, &byte| value << 8 | u128::from(byte));
    let (out, chain) = message(contract.mode, contract.is_inverse, &keys, number, &text);
    for (base, data) in &mut expected {
        if *base == out_at {
            data.clone_from(&out);
        } else if *base == iv_at {
            data.copy_from_slice(&chain.to_le_bytes());
        }
    }
    let mut both = memory.objects.iter().zip(&expected);
    if both.any(|(own, expected)| own != expected && own.0 != stack - 4096) {
        return Err("wrong output, or another object is changed".into());
    }
    let is_kept = |&register: &u8| registers[usize::from(register)] == before[usize::from(register)];
    if at != BACK || !family.saved.iter().all(is_kept) {
        return Err("what belongs to the caller is changed, or it does not return".into());
    }
    Ok(())
}
