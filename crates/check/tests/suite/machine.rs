//! Calls of code for AVR over numbers, by the checker's own rows.

use crate::concrete::Random;
use crate::concrete::model::{inverse_key_schedule, key_schedule, message};
use aesmith_check::avr::ROWS;
use aesmith_check::avr::execute::execute;
use aesmith_check::bytes::claim::Keys;
use aesmith_check::bytes::{Link, Proof};
use aesmith_check::rows::{Bytes, Flow, Registers, Rows};
use aesmith_check::spec::Mode;

/// Memories in which numbers are executed.
pub struct Machine {
    /// The memory of data.
    pub data: Vec<u8>,
    /// The memory of the program.
    pub program: Vec<u8>,
    /// Addresses of data that may be accessed.
    pub allowed: std::ops::Range<usize>,
}

/// The number of two bytes.
pub fn address([low, high]: [u8; 2]) -> usize {
    usize::from(u16::from_le_bytes([low, high]))
}

impl Bytes for Machine {
    type Byte = u8;
    type Stop = String;

    fn number(&mut self, value: u8) -> u8 {
        value
    }
    fn xor(&mut self, a: u8, b: u8) -> u8 {
        a ^ b
    }
    fn and(&mut self, a: u8, b: u8) -> u8 {
        a & b
    }
    fn mapped(&mut self, a: u8, columns: [u8; 8]) -> u8 {
        (0..8).filter(|bit| a >> bit & 1 == 1).fold(0, |sum, bit| sum ^ columns[bit])
    }
    fn sum(&mut self, a: u8, b: u8, c: u8) -> u8 {
        a.wrapping_add(b).wrapping_add(c)
    }
    fn carry(&mut self, a: u8, b: u8, c: u8, bits: u8) -> u8 {
        let low = |value: u8| u32::from(value) % (1 << bits);
        u8::from(low(a) + low(b) + u32::from(c) >= 1 << bits)
    }
    fn is_zero(&mut self, a: u8) -> u8 {
        u8::from(a == 0)
    }
    fn load(&mut self, at: [u8; 2], of_program: bool) -> Result<u8, String> {
        let at = address(at);
        if of_program {
            return self.program.get(at).copied().ok_or_else(|| format!("program {at:#x}"));
        }
        if self.allowed.contains(&at) { Ok(self.data[at]) } else { Err(format!("a load from {at:#x}")) }
    }
    fn store(&mut self, at: [u8; 2], value: u8) -> Result<(), String> {
        let at = address(at);
        if !self.allowed.contains(&at) {
            return Err(format!("a store to {at:#x}"));
        }
        self.data[at] = value;
        Ok(())
    }
    fn unknown(&self) -> String {
        "a row without a meaning".into()
    }
}

/// The rows of the checker.
pub fn rows() -> Rows {
    Rows::read(ROWS).expect("rows")
}

/// The offset of the next instruction, or none behind the return to address 0.
pub fn step(
    machine: &mut Machine,
    registers: &mut Registers<u8>,
    rows: &Rows,
    at: usize,
) -> Result<usize, String> {
    let decode = |machine: &Machine, at: usize| {
        machine
            .program
            .get(at..)
            .and_then(|code| rows.decode(code))
            .ok_or_else(|| format!("no instruction at {at:#x}"))
    };
    let i = decode(machine, at)?;
    let flow = execute(machine, registers, &rows.0[i.row], &i, None)?;
    let next = at + i.length;
    let word = |at: usize| usize::from(u16::from_le_bytes([machine.program[at], machine.program[at + 1]]));
    let target = |distance: Option<i32>| match distance {
        Some(words) => next.wrapping_add_signed(2 * words as isize) & 0x7fff,
        // The upper bits are zero.
        None => 2 * word(at + 2),
    };
    Ok(match flow {
        Flow::Next | Flow::Jump(Some(0), _) | Flow::Skip(0) => next,
        Flow::Jump(_, distance) => target(distance),
        Flow::Skip(_) => next + decode(machine, next)?.length,
        Flow::Call(distance) => {
            let target = target(distance);
            let pointer = address(registers.pointer);
            machine.store((pointer as u16).to_le_bytes(), (next / 2) as u8)?;
            machine.store((pointer as u16 - 1).to_le_bytes(), (next / 512) as u8)?;
            registers.pointer = (pointer as u16 - 2).to_le_bytes();
            target
        }
        Flow::Return => {
            let pointer = address(registers.pointer) as u16 + 2;
            registers.pointer = pointer.to_le_bytes();
            let (high, low) = (
                machine.load((pointer - 1).to_le_bytes(), false)?,
                machine.load(pointer.to_le_bytes(), false)?,
            );
            2 * address([low, high])
        }
    })
}

/// Places of the objects of a call.
const CODE: usize = 0x600;
const OBJECTS: [usize; 4] = [0x1000, 0x2000, 0x3000, 0x4000];
const STACK: usize = 0x7000;

/// Calls the code of a proof on random data, and compares with the specification.
pub fn call(proof: &Proof, random: &mut Random, rows: &Rows) -> Result<(), String> {
    let contract = proof.contract;
    let mut machine =
        Machine { data: random.bytes(0x10000), program: random.bytes(0x8000), allowed: 0x100..0x10000 };
    let mut code = proof.code.clone();
    let mut pages = Vec::new();
    for (number, table) in proof.tables.iter().enumerate() {
        let page = 0x5000 + 0x400 * number;
        let memory = if table.is_flash { &mut machine.program } else { &mut machine.data };
        memory[page..page + table.bytes.len()].copy_from_slice(&table.bytes);
        pages.push(page);
    }
    for (&at, link) in &proof.links {
        match *link {
            Link::Table(table, half) => {
                let byte = (pages[table] >> (8 * half)) as u8;
                code[at] |= byte & 15;
                code[at + 1] |= byte >> 4;
            }
            Link::Part(..) | Link::Word(..) => return Err("it is no link of AVR".into()),
            Link::Place(place) => {
                code[at + 2..at + 4].copy_from_slice(&(((CODE + place) / 2) as u16).to_le_bytes());
            }
        }
    }
    machine.program[CODE..CODE + code.len()].copy_from_slice(&code);
    let [key_at, iv_at, in_at, mut out_at] = OBJECTS.map(|at| at + random.below(0x300) as usize);
    if random.below(2) == 0 {
        out_at = in_at;
    }
    let blocks = match contract.mode {
        Mode::Ecb => 1,
        _ => random.below(5) as usize,
    };
    let key = random.bytes(4 * (usize::from(contract.rounds) - 6));
    let keys = if contract.is_inverse { inverse_key_schedule(&key) } else { key_schedule(&key) };
    let memory: Vec<u8> = match proof.keys {
        Keys::Round | Keys::Expanded => keys.iter().flat_map(|key| key.to_le_bytes()).collect(),
        Keys::Forward => key_schedule(&key).iter().flat_map(|key| key.to_le_bytes()).collect(),
        Keys::Cipher => key.clone(),
        Keys::Sliced | Keys::Unshifted => return Err("AVR has no slices".into()),
    };
    let mut iv = random.bytes(16);
    if contract.mode == Mode::Ctr && random.below(2) == 0 {
        // With a carry.
        iv[15 - random.below(16) as usize..].fill(255);
    }
    let text = random.bytes(16 * blocks);
    for (at, bytes) in [(key_at, &memory), (iv_at, &iv), (in_at, &text)] {
        machine.data[at..at + bytes.len()].copy_from_slice(bytes);
    }
    let mut registers = Registers {
        general: std::array::from_fn(|_| random.next() as u8),
        flags: std::array::from_fn(|_| random.below(2) as u8),
        pointer: ((STACK - 2) as u16).to_le_bytes(),
    };
    registers.general[1] = 0;
    let arguments = match contract.mode {
        Mode::Ecb => vec![key_at, in_at, out_at],
        _ => vec![key_at, iv_at, in_at, out_at, blocks],
    };
    for (place, argument) in arguments.iter().enumerate() {
        registers.general[24 - 2 * place..26 - 2 * place].copy_from_slice(&(*argument as u16).to_le_bytes());
    }
    // The return address is 0.
    machine.data[STACK - 1..=STACK].fill(0);
    let (before, old) = (registers.clone(), machine.data.clone());
    let mut at = CODE;
    for _ in 0..100_000 {
        if at == 0 {
            break;
        }
        at = step(&mut machine, &mut registers, rows, at)?;
    }
    let number = iv.iter().rev().fold(0, |value, &byte| value << 8 | u128::from(byte));
    let (out, chain) = message(contract.mode, contract.is_inverse, &keys, number, &text);
    let mut expected = old.clone();
    expected[out_at..out_at + out.len()].copy_from_slice(&out);
    if contract.mode != Mode::Ecb {
        expected[iv_at..iv_at + 16].copy_from_slice(&chain.to_le_bytes());
    }
    let is_stack = |at: usize| (STACK - 1026..STACK - 1).contains(&at);
    if let Some(at) = (0..0x10000).find(|&at| machine.data[at] != expected[at] && !is_stack(at)) {
        return Err(format!("wrong at {at:#x}"));
    }
    let kept = (1..18).chain([28, 29]);
    if at != 0 || kept.into_iter().any(|r| registers.general[r] != before.general[r]) {
        return Err("what belongs to the caller is changed, or it does not return".into());
    }
    if registers.flags[7] != before.flags[7] || registers.pointer != (STACK as u16).to_le_bytes() {
        return Err("interrupts or the stack pointer are changed".into());
    }
    Ok(())
}
