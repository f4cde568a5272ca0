//! The proof of a function on a block in registers, which no calling convention describes: the registers of the key
//! address, the block and the result are declared and proved, and the registers that it changes are found.

use aesmith_cipher::firmware::Firmware;
use aesmith_isa::Isa;
use aesmith_isa::convention::Convention;
use aesmith_isa::image::Image;
use aesmith_isa::values::Values;

use crate::bits::cipher;
use crate::bits::memory::Role;
use crate::bits::proof::Refutation;
use crate::bits::prove::{buffer, general, key, state};
use crate::bits::run::{Run, Stop};
use crate::bits::value::Value;

/// The registers in which a function takes and returns a block, by number.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Places {
    /// The address of the key, its lowest part first.
    pub key: Vec<u8>,
    /// The block, its first byte first.
    pub block: Vec<u8>,
    /// The result.
    pub result: Vec<u8>,
}

/// The changes that such a function makes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Changes {
    /// Registers that do not hold their entry values at return, including those of the result.
    pub registers: Vec<u8>,
    /// Bytes of stack, including the return address.
    pub stack_bytes: u64,
}

/// Proves that the function at an address turns the block in its registers into the result of the contract, for all
/// values of the other registers.
///
/// # Errors
/// The function is wrong, or the proof cannot follow it.
pub fn in_registers(
    isa: &Isa,
    convention: &Convention,
    image: &Image,
    function: u64,
    contract: &Firmware,
    places: &Places,
) -> Result<Changes, Refutation> {
    let mut run = Run::new(isa, convention, image, function);
    if contract.counts_blocks() || contract.problem.is_key_set_up() || contract.blocks > 1 {
        return Err(general(&format!("{} does not take a block in registers", contract.problem)));
    }
    if places.block.len() != 16 || places.result.len() != 16 {
        return Err(general("a block is 16 registers"));
    }
    let (keys, packed) = key(&mut run, contract).map_err(|e| general(&e))?;
    let text = run.domain.bits.bytes(16, true);
    let wanted = cipher::block(&mut run.domain.bits, contract, &keys, &state(&text));
    let wanted = wanted.map_err(|e| general(&e))?;
    // The promises of the C convention do not hold here.
    for &(r, _) in convention.fixed {
        if let Some(entry) = run.domain.memory.find(Role::Entry(r)) {
            run.machine.registers[usize::from(r)] = Value::Pointer(entry, 0);
        }
    }
    let pointer = Value::Pointer(buffer(&mut run, Role::Key, &packed, false), 0);
    let (width, mut low) = (run.pointer_width(), 0);
    for &r in &places.key {
        let bits = isa.about.registers[usize::from(r)].1;
        let part = run.domain.slice(width, &pointer, low, bits);
        run.machine.registers[usize::from(r)] = part.map_err(|_| general("an address has no such part"))?;
        low += bits;
    }
    for (byte, &r) in text.iter().zip(&places.block) {
        run.machine.registers[usize::from(r)] = run.domain.value(byte.to_vec());
    }
    run.enter();
    run.domain.memory.saves = (0, 0);
    loop {
        match run.step()? {
            Stop::Went => {}
            Stop::Returned => break,
            Stop::Asks(_) => return Err(run.refuse("control hangs on what a register held at entry")),
        }
    }
    let pushed = convention.pushed();
    if run.in_use() != Some(pushed + i64::from(pushed > 0)) {
        return Err(run.refuse("it returns with another stack pointer than it was called with"));
    }
    for (i, (&r, must)) in places.result.iter().zip(&wanted).enumerate() {
        let name = isa.about.registers[usize::from(r)].0;
        let value = run.machine.registers[usize::from(r)].clone();
        let found = run.domain.bits_of(8, &value);
        let found = found.ok_or_else(|| general(&format!("{name} holds no byte {i} of the result")))?;
        for (&bit, &must) in found.iter().zip(must) {
            if run.domain.bits.settle(bit) != Some(must) {
                return Err(general(&format!("{name} is not byte {i} of what FIPS-197 says")));
            }
        }
    }
    run.read_no_code()?;
    Ok(Changes { registers: run.changed(), stack_bytes: (-run.lowest) as u64 + pushed as u64 })
}
