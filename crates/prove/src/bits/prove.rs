//! The proof of a function that takes whole blocks, or a key: one run, after which the buffers are compared with
//! FIPS-197.

use std::collections::BTreeSet;
use std::time::Instant;

use aesmith_cipher::firmware::{Firmware, Packing, sum_of};
use aesmith_isa::Isa;
use aesmith_isa::convention::Convention;
use aesmith_isa::image::Image;

use crate::bits::cipher::{self, State};
use crate::bits::forms::{Bit, Byte};
use crate::bits::memory::{Cell, ObjectId, Role};
use crate::bits::proof::{NO_END, Place, Product, Proof, Refutation, Touched};
use crate::bits::run::{Run, Stop};
use crate::bits::symbols::Symbols;
use crate::bits::value::Value;

/// Proves that the function at an address keeps a contract.
///
/// # Errors
/// The function is wrong, or the proof cannot follow it.
pub fn prove(
    isa: &Isa,
    convention: &Convention,
    image: &Image,
    function: u64,
    contract: &Firmware,
) -> Result<Proof, Refutation> {
    let started = Instant::now();
    let mut run = Run::new(isa, convention, image, function);
    if !Firmware::is_offered(contract.problem) {
        return Err(general(&format!(
            "{} is no problem of small processors; nothing was run",
            contract.problem
        )));
    }
    let mut proof = if contract.problem.is_key_set_up() {
        key_schedule(&mut run, contract)?
    } else if contract.counts_blocks() {
        match crate::bits::messages::prove(&mut run, contract, 0) {
            Err((_, true)) => {
                run = Run::new(isa, convention, image, function);
                crate::bits::messages::prove(&mut run, contract, 1).map_err(|(refutation, _)| refutation)?
            }
            proved => proved.map_err(|(refutation, _)| refutation)?,
        }
    } else {
        blocks(&mut run, contract)?
    };
    run.read_no_code()?;
    proof.microseconds = started.elapsed().as_micros() as u64;
    Ok(proof)
}

/// A refutation that names no instruction.
pub(crate) fn general(sentence: &str) -> Refutation {
    Refutation { address: 0, instruction: String::new(), sentence: sentence.into() }
}

/// Makes a buffer with the given bytes.
pub(crate) fn buffer(run: &mut Run, role: Role, content: &[Byte], writable: bool) -> ObjectId {
    let width = run.pointer_width();
    let memory = &mut run.domain.memory;
    let object = memory.object(role, width, 0, content.len(), writable);
    fill(&mut run.domain, object, 0, content);
    object
}

/// Writes bytes into a buffer.
pub(crate) fn fill(domain: &mut Symbols, object: ObjectId, at: usize, content: &[Byte]) {
    for (i, byte) in content.iter().enumerate() {
        let value = domain.value(byte.to_vec());
        domain.memory.objects[usize::from(object)].cells[at + i] = Some(Cell { value, at: 0, bytes: 1 });
    }
}

/// Makes an empty buffer that the function writes.
pub(crate) fn empty(run: &mut Run, role: Role, bytes: usize) -> ObjectId {
    let width = run.pointer_width();
    run.domain.memory.object(role, width, 0, bytes, true)
}

/// The key of a contract: its round keys as bits, and its bytes in memory.
pub(crate) fn key(run: &mut Run, contract: &Firmware) -> Result<(Vec<State>, Vec<Byte>), String> {
    let size = contract.problem.key;
    let bits = &mut run.domain.bits;
    if contract.packing == Packing::CipherKey {
        let raw = bits.bytes(size.bytes(), true);
        let keys = cipher::round_keys(bits, contract, &raw)?;
        return Ok((keys, raw));
    }
    let mut raw = bits.bytes(16 * (size.rounds() + 1), true);
    if contract.packing.is_expanded() {
        for word in 0..raw.len() / 4 {
            let Some([a, b]) = sum_of(contract.problem, word) else { continue };
            for byte in 0..4 {
                raw[4 * word + byte] = cipher::add(bits, raw[4 * a + byte], raw[4 * b + byte]);
            }
        }
    }
    let keys: Vec<State> = raw.chunks(16).map(|c| std::array::from_fn(|i| c[i])).collect();
    let matrix = cipher::packing(contract.packing, keys.len())?;
    let packed = cipher::pack(bits, &matrix, &keys);
    Ok((keys, packed))
}

/// Passes the arguments of the contract; their objects must exist.
pub(crate) fn pass_arguments(run: &mut Run, contract: &Firmware) -> Result<(), Refutation> {
    for (number, argument) in contract.arguments().enumerate() {
        let object = run.domain.memory.find(Role::of(argument.role)).expect("an object for each argument");
        run.argument(number, object).map_err(|e| general(&e))?;
    }
    Ok(())
}

/// The bytes of a block as a state.
pub(crate) fn state(bytes: &[Byte]) -> State {
    std::array::from_fn(|i| bytes[i])
}

fn blocks(run: &mut Run, contract: &Firmware) -> Result<Proof, Refutation> {
    let (keys, packed) = key(run, contract).map_err(|e| general(&e))?;
    let count = usize::from(contract.blocks.max(1));
    let text = run.domain.bits.bytes(16 * count, true);
    let mut wanted: Vec<Byte> = Vec::new();
    for block in text.chunks(16) {
        let out = cipher::block(&mut run.domain.bits, contract, &keys, &state(block));
        wanted.extend(out.map_err(|e| general(&e))?);
    }
    buffer(run, Role::Key, &packed, false);
    buffer(run, Role::Input, &text, false);
    let output = empty(run, Role::Output, text.len());
    pass_arguments(run, contract)?;
    finish(run)?;
    compare(run, output, 0, &wanted, "block")?;
    Ok(evidence(run, contract, &[output], &format!("{count} a call")))
}

fn key_schedule(run: &mut Run, contract: &Firmware) -> Result<Proof, Refutation> {
    if contract.packing == Packing::CipherKey {
        return Err(general("a key schedule writes round keys; its contract says the cipher key"));
    }
    let size = contract.problem.key;
    let raw = run.domain.bits.bytes(size.bytes(), true);
    let bits = &mut run.domain.bits;
    let keys = cipher::round_keys(bits, contract, &raw).map_err(|e| general(&e))?;
    let matrix = cipher::packing(contract.packing, keys.len()).map_err(|e| general(&e))?;
    let wanted = cipher::pack(bits, &matrix, &keys);
    let output = empty(run, Role::Key, wanted.len());
    // Kernels that hold a block in a register read memory 16 bytes at a time: they also read the bytes that follow a
    // key in the last 16, which may be anything.
    let mut readable = raw;
    let beside = readable.len().next_multiple_of(16) - readable.len();
    readable.extend(run.domain.bits.bytes(beside, true));
    let cipher_key = buffer(run, Role::CipherKey, &readable, false);
    run.domain.memory.objects[usize::from(cipher_key)].beside = beside as u8;
    pass_arguments(run, contract)?;
    finish(run)?;
    compare(run, output, 0, &wanted, "round key")?;
    Ok(evidence(run, contract, &[output], "none"))
}

/// Runs until the return.
fn finish(run: &mut Run) -> Result<(), Refutation> {
    run.enter();
    loop {
        match run.step()? {
            Stop::Went => {}
            Stop::Returned => return run.returned_well(),
            Stop::Asks(_) => return Err(run.refuse("control hangs on data that is no secret")),
        }
    }
}

/// Compares bytes of a buffer with the wanted ones.
pub(crate) fn compare(
    run: &mut Run,
    object: ObjectId,
    at: usize,
    wanted: &[Byte],
    unit: &str,
) -> Result<(), Refutation> {
    let role = run.domain.memory.objects[usize::from(object)].role;
    for (i, byte) in wanted.iter().enumerate() {
        let place = format!("byte {} of {unit} {} of {}", i % 16, (at + i) / 16, role.name());
        let Some(cell) = run.domain.memory.objects[usize::from(object)].cells[at + i].clone() else {
            return Err(general(&format!("{place} is not written")));
        };
        let value = crate::bits::access::byte_of(&mut run.domain, &cell);
        let Some(found) = value.as_ref().and_then(|value| run.domain.bits_of(8, value)) else {
            let why = value.map_or_else(String::new, |value| run.domain.told(&value));
            return Err(general(&format!("{place} is something that the proof cannot tell{why}")));
        };
        for (j, (&bit, &must)) in found.iter().zip(byte).enumerate() {
            match run.domain.bits.settle(bit) {
                Some(form) if form == must => {}
                Some(form) => {
                    let sum = run.domain.bits.xor(form, must);
                    let differ = match run.domain.bits.atoms_of(sum).len() {
                        0 => "is the complement of what FIPS-197 says".to_owned(),
                        n => format!("differs from what FIPS-197 says by a sum of {n} bits"),
                    };
                    return Err(general(&format!("bit {j} of {place} {differ}")));
                }
                None => {
                    return Err(general(&format!(
                        "bit {j} of {place} is a function that the proof does not recognise"
                    )));
                }
            }
        }
    }
    Ok(())
}

impl Run<'_> {
    fn product(&mut self, address: u64, factors: BTreeSet<String>) -> Product {
        self.domain.pc = address;
        let instruction = self.refuse("").instruction;
        let class = self.isa.decode_at(self.image, address).map(|insn| self.isa.of(&insn).class.clone());
        Product {
            address,
            instruction,
            class: class.unwrap_or_default(),
            factors: factors.into_iter().collect(),
        }
    }

    /// The condition that a function uses registers which some platforms reserve.
    fn borrows(&self, number: usize) -> String {
        let reserved = &self.convention.reserved[number];
        let name = |&r: &u8| self.isa.about.registers[usize::from(r)].0;
        let names = match reserved.registers {
            [first, .., last] if reserved.registers.len() > 2 => format!("{} to {}", name(first), name(last)),
            few => few.iter().map(name).collect::<Vec<_>>().join(" and "),
        };
        format!(
            "A function may use {names}: not so in {} ({}).",
            reserved.only.unwrap_or_default(),
            reserved.source
        )
    }
}

/// The proof of a run that ended well, whose `results` are public to the caller.
pub(crate) fn evidence(run: &mut Run, contract: &Firmware, results: &[ObjectId], blocks: &str) -> Proof {
    let places = run.places();
    let hangs: Vec<Place> = places
        .into_iter()
        .map(|(address, what)| {
            run.domain.pc = address;
            let instruction = run.refuse("").instruction;
            Place { address, instruction, what: what.into() }
        })
        .collect();
    // A function with several returns has evidence for each; the last has all products.
    let products = run.products.clone();
    let products: Vec<Product> = products.into_iter().map(|(at, factors)| run.product(at, factors)).collect();
    let result_bits: BTreeSet<Bit> = results
        .iter()
        .flat_map(|&o| run.domain.memory.objects[usize::from(o)].cells.clone())
        .flatten()
        .filter_map(|cell| match cell.value {
            Value::Bits(bits) => Some(bits.to_vec()),
            _ => None,
        })
        .flatten()
        .map(|b| b & !1)
        .collect();
    // Results that the caller gets anyway are not secrets left behind.
    let left = |value: &Value| match value {
        Value::Bits(bits) => {
            bits.iter().any(|&b| run.domain.bits.is_secret(b) && !result_bits.contains(&(b & !1)))
        }
        other => run.domain.is_secret(other),
    };
    let secret_registers = run
        .machine
        .registers
        .iter()
        .enumerate()
        .filter(|(_, value)| left(value))
        .map(|(r, _)| run.isa.about.registers[r].0.to_owned())
        .collect();
    let memory = &run.domain.memory;
    let secret_stack =
        memory.objects[usize::from(run.stack)].cells.iter().flatten().any(|cell| left(&cell.value))
            || run.left_on_stack.iter().any(left);
    let ranges = |of: fn(&crate::bits::memory::Object) -> Option<(i64, i64)>| {
        let touched = memory.objects.iter().filter(|o| o.role != Role::Stack);
        touched
            .filter_map(|o| of(o).map(|(from, until)| Touched { buffer: o.role.name(), from, until }))
            .collect()
    };
    let mut assumptions = vec![
        format!("The meanings in the table {} are those of the processor.", run.isa.about.name),
        format!("It is called as this says: {}.", run.convention.source),
        "The program is in memory as it was linked, and the buffers do not overlap it.".into(),
        "The input and the output are the same or do not overlap; no other buffers overlap.".into(),
        NO_END.into(),
    ];
    if contract.packing.is_expanded() {
        assumptions.push("The round keys are those that FIPS-197 makes of a cipher key.".into());
    }
    if run.convention.slot > 0 {
        assumptions.push("Memory does not end before the program and the buffers: addresses beyond its end do not begin again.".into());
    }
    if memory.beside {
        assumptions.push("What stands beside a buffer in the same 16 bytes may be read with it.".into());
    }
    if memory.tables_writable {
        assumptions.push("Tables in RAM hold what was loaded there at reset.".into());
    }
    let mut conditions: Vec<String> = run.borrowed.iter().map(|&number| run.borrows(number)).collect();
    if memory.unaligned {
        conditions.push(format!(
            "The processor reads and writes words at any address: not all are at multiples of their size ({}).",
            memory.rule.source()
        ));
    }
    if !products.is_empty() {
        conditions.push("Products take the same time whatever the factors: some of these are secret.".into());
    }
    if run.domain.low_addresses {
        conditions.push(
            "Addresses of the program are below 4 GiB: linkers write their lowest 32 bits into it, whatever stands above."
                .into(),
        );
    }
    let pushed = run.convention.pushed() as u64;
    let buffers = memory.objects.iter().filter(|o| o.role != Role::Stack);
    let alignment = buffers.map(|o| o.access).max().unwrap_or(1).min(memory.alignment);
    Proof {
        problem: contract.problem.to_string(),
        packing: contract.packing.name().into(),
        blocks: blocks.into(),
        constant_time: hangs.is_empty(),
        hangs,
        products,
        stack_bytes: (-run.lowest) as u64 + pushed,
        reads: ranges(|o| o.read),
        writes: ranges(|o| o.written),
        tables: memory.tables,
        tables_in_ram: memory.tables_writable,
        alignment,
        instructions: run.instructions,
        secret_registers,
        secret_stack,
        own_state: run.own_state.clone(),
        assumptions,
        conditions,
        microseconds: 0,
    }
}
