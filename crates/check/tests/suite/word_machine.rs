//! Calls of code for processors of 32-bit words over numbers, by the checker's own rows.

use crate::concrete::Random;
use crate::concrete::model::{inverse_key_schedule, key_schedule, message};
use aesmith_check::bytes::claim::Keys;
use aesmith_check::bytes::{Link, Proof};
use aesmith_check::rows::Rows;
use aesmith_check::spec::Mode;
use aesmith_check::words::execute::{Domain, Flow, Move, execute};
use aesmith_check::words::{FAMILIES, Family};

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
        }
    }
    fn carry(&mut self, a: u32, b: u32, c: u32) -> u32 {
        u32::from(u64::from(a) + u64::from(b) + u64::from(c) > u64::from(u32::MAX))
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

/// The address of the next instruction.
pub fn step(
    memory: &mut Memory,
    registers: &mut [u32; 32],
    (family, rows): (&Family, &Rows),
    code: &[u8],
    begin: u32,
    at: u32,
) -> Result<u32, String> {
    let bytes = at.checked_sub(begin).and_then(|offset| code.get(offset as usize..));
    let i = bytes.and_then(|bytes| rows.decode(bytes)).ok_or_else(|| format!("no instruction at {at:#x}"))?;
    let next = at + i.length as u32;
    let flow = execute(memory, registers, &rows.0[i.row], &i, next as usize, None)?;
    registers[usize::from(family.zero)] = 0;
    Ok(match flow {
        Flow::Next | Flow::Jump(Some(0), _) => next,
        Flow::Jump(_, distance) => at.wrapping_add_signed(distance),
        Flow::To(address) => address.wrapping_sub(family.mark as u32),
    })
}

const CODE: u32 = 0x10_0000;
const BACK: u32 = 0xde_ad00;
/// Key, IV, text, output and stack, then tables.
const OBJECTS: [u32; 5] = [0x100_0000, 0x200_0000, 0x300_0000, 0x400_0000, 0x500_0000];

/// A round key as slices for two equal blocks.
fn slices(key: &[u8; 16]) -> Vec<u8> {
    let word = |word: usize| {
        key.iter().enumerate().fold(0_u32, |all, (i, byte)| {
            all | (u32::from(byte >> (7 - word) & 1) * 3) << (8 * (i % 4) + 2 * (i / 4))
        })
    };
    (0..8).flat_map(|number| word(number).to_le_bytes()).collect()
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
    let rows = if family.has_halves { Rows::read(family.rows)? } else { Rows::read_words(family.rows)? };
    let blocks = if contract.mode == Mode::Ecb { proof.blocks.into() } else { random.below(5) as usize };
    let key = random.bytes(4 * (usize::from(contract.rounds) - 6));
    let forward = key_schedule(&key);
    let keys = if contract.is_inverse { inverse_key_schedule(&key) } else { forward.clone() };
    let flat = |keys: &[u128]| keys.iter().flat_map(|key| key.to_le_bytes()).collect::<Vec<u8>>();
    let memory = match proof.keys {
        Keys::Round | Keys::Expanded => flat(&keys),
        Keys::Forward => flat(&forward),
        Keys::Cipher => key,
        Keys::Sliced => keys.iter().flat_map(|key| slices(&key.to_le_bytes())).collect(),
        Keys::Unshifted => {
            (0..).zip(&keys).flat_map(|(n, key)| slices(&unshifted(&key.to_le_bytes(), n))).collect()
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
    let tables: Vec<u32> = (0..proof.tables.len() as u32)
        .map(|number| {
            let alignment = proof.tables[number as usize].alignment as u32;
            0x600_0000 + 0x10_0000 * number + alignment * random.below(0x1000 / u64::from(alignment)) as u32
        })
        .collect();
    objects.extend(tables.iter().zip(&proof.tables).map(|(&at, table)| (at, table.bytes.clone())));
    for (&at, link) in &proof.links {
        let address = |table: usize, add: i128| tables[table].wrapping_add(add as u32);
        let field = match *link {
            Link::Part(table, true, add) => address(table, add).wrapping_add(0x800) & 0xffff_f000,
            Link::Part(table, false, add) => address(table, add) << 20,
            Link::Word(table, add) => address(table, add),
            Link::Table(..) | Link::Place(_) => return Err("another link".into()),
        };
        let bytes = code.get_mut(at..at + 4).ok_or("a link behind the code")?;
        for (byte, part) in bytes.iter_mut().zip(field.to_le_bytes()) {
            *byte |= part;
        }
    }
    let mut registers: [u32; 32] = std::array::from_fn(|_| random.next() as u32);
    registers[usize::from(family.zero)] = 0;
    registers[usize::from(family.link)] = BACK + family.mark as u32;
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
    let mut at = CODE + proof.first as u32;
    for _ in 0..100_000 {
        if at == BACK {
            break;
        }
        at = step(&mut memory, &mut registers, (family, &rows), &code, CODE, at)?;
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
