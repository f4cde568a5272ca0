//! The prover on a small 32-bit machine made for these tests: AES by tables, alone and in message modes, is proved, and
//! faulty programs are refuted.

use aesmith_cipher::block::{Block, encrypt, expand_key, xor};
use aesmith_cipher::firmware::Firmware;
use aesmith_cipher::{Direction, KeySize, Task};
use aesmith_isa::Isa;
use aesmith_isa::execute::{Machine, execute};
use aesmith_isa::image::Image;
use aesmith_isa::numbers::Numbers;
use aesmith_prove::bits::mutants::{in_a_row, mutants, sorted, wrong_constants};
use aesmith_prove::bits::{Proof, Refutation, prove};

use crate::machine::{CONVENTION, Code, by_tables, contract, messages, tables};

fn proved(code: &Code, contract: &Firmware) -> Result<Proof, Refutation> {
    let image = code.image(tables());
    prove(&code.isa, &CONVENTION, &image, image.symbol("f").expect("is there"), contract)
}

#[test]
fn tables_are_proved_and_described() {
    for size in KeySize::ALL {
        let proof = proved(&by_tables(size), &contract(size, Task::Ecb(Direction::Encrypt))).expect("is AES");
        assert!(!proof.constant_time);
        assert_eq!(proof.hangs.len(), 16 * size.rounds());
        assert_eq!(proof.stack_bytes, 8);
        assert_eq!(proof.tables, Some((0x20000, 0x20500)));
        let key = proof.reads.iter().find(|t| t.buffer == "the key").expect("is read");
        assert_eq!((key.from, key.until), (0, 16 * (size.rounds() as i64 + 1)));
        assert!(proof.secret_stack || !proof.secret_registers.is_empty(), "states stay in registers");
        println!("AES-{}: {} us", size.bits(), proof.microseconds);
    }
}

/// True if the program's answer for a key and a block is right; `None` if it does not return.
fn ran(isa: &Isa, image: &Image, seed: u8) -> Option<bool> {
    let size = KeySize::Aes128;
    let byte = |i: usize| (i as u8).wrapping_mul(167).wrapping_add(seed.wrapping_mul(91)) ^ (i as u8 >> 3);
    let keys = expand_key(size, &(0..16).map(byte).collect::<Vec<_>>());
    let text: [u8; 16] = std::array::from_fn(|i| byte(i + 40));
    let mut memory = Numbers::new(image, &isa.about, &[(0x40000, 0x1000)]);
    memory.bytes_mut(0x40000, 176).ok()?.copy_from_slice(&keys.concat());
    memory.bytes_mut(0x40200, 16).ok()?.copy_from_slice(&text);
    let mut machine = Machine::new(vec![0x1234_5678; 16], 0x10000);
    machine.registers[..3].copy_from_slice(&[0x40000, 0x40200, 0x40300]);
    machine.registers[13] = 0x40800;
    machine.registers[14] = 0x7000;
    for _ in 0..5000 {
        if machine.pc == 0x7000 {
            let kept = machine.registers[13] == 0x40800 && machine.registers[4..6] == [0x1234_5678; 2];
            return Some(kept && memory.bytes(0x40300, 16).ok()? == encrypt(&keys, text));
        }
        let insn = isa.decode_at(image, machine.pc).ok()?;
        execute(isa, &insn, &mut memory, &mut machine, || 4).ok()?;
    }
    None
}

#[test]
fn what_is_proved_of_faulty_programs_is_true() {
    let code = by_tables(KeySize::Aes128);
    let contract = contract(KeySize::Aes128, Task::Ecb(Direction::Encrypt));
    let image = code.image(tables());
    let start = image.symbol("f").expect("is there");
    let end = image.segments[0].end();
    let mut all = mutants(&code.isa, &image, &in_a_row(&code.isa, &image, start, end));
    all.extend(wrong_constants(&image, 0x20000, 0x20500));
    let all: Vec<_> = all.iter().step_by(61).collect();
    let count = all.len();
    assert!(count > 150, "{count} mutants");
    let outcome = sorted(
        &image,
        all,
        |image| prove(&code.isa, &CONVENTION, image, start, &contract).is_ok(),
        |image| (0..6).all(|seed| ran(&code.isa, image, seed) == Some(true)),
    );
    println!(
        "{} refuted, {} only by proof, {} no faults",
        outcome.refuted, outcome.refuted_only, outcome.proved
    );
    let missed: Vec<_> = outcome.missed.iter().map(ToString::to_string).collect();
    assert!(missed.is_empty(), "{missed:?}");
    assert!(outcome.refuted > count / 2);
}

/// True if a message of three blocks is right; `None` if the program does not return.
fn message_ran(isa: &Isa, image: &Image, task: Task, iv: Block) -> Option<bool> {
    let byte = |i: usize| (i as u8).wrapping_mul(29) ^ (i as u8 >> 2);
    let keys = expand_key(KeySize::Aes128, &(0..16).map(byte).collect::<Vec<_>>());
    let text: Vec<u8> = (0..48).map(|i| byte(i + 70)).collect();
    let mut memory = Numbers::new(image, &isa.about, &[(0x40000, 0x1000)]);
    memory.bytes_mut(0x40000, 176).ok()?.copy_from_slice(&keys.concat());
    memory.bytes_mut(0x40100, 16).ok()?.copy_from_slice(&iv);
    memory.bytes_mut(0x40200, 48).ok()?.copy_from_slice(&text);
    memory.bytes_mut(0x40800, 4).ok()?.copy_from_slice(&[3, 0, 0, 0]);
    let mut machine = Machine::new(vec![0x1234_5678; 16], 0x10000);
    machine.registers[..4].copy_from_slice(&[0x40000, 0x40100, 0x40200, 0x40300]);
    machine.registers[13] = 0x40800;
    machine.registers[14] = 0x7000;
    let (mut chain, mut wanted) = (iv, Vec::new());
    for block in text.chunks(16) {
        let block: Block = block.try_into().ok()?;
        if task == Task::Ctr {
            wanted.extend(xor(block, encrypt(&keys, chain)));
            chain = u128::from_be_bytes(chain).wrapping_add(1).to_be_bytes();
        } else {
            chain = encrypt(&keys, xor(block, chain));
            wanted.extend(chain);
        }
    }
    for _ in 0..9000 {
        if machine.pc == 0x7000 {
            let kept = machine.registers[13] == 0x40800 && machine.registers[4..6] == [0x1234_5678; 2];
            let right = memory.bytes(0x40300, 48).ok()? == wanted && memory.bytes(0x40100, 16).ok()? == chain;
            return Some(kept && right && memory.bytes(0x40330, 16).ok()? == [0; 16]);
        }
        let insn = isa.decode_at(image, machine.pc).ok()?;
        execute(isa, &insn, &mut memory, &mut machine, || 4).ok()?;
    }
    None
}

#[test]
fn messages_are_proved_for_any_number_of_blocks() {
    for task in [Task::Ctr, Task::CbcEncrypt { streams: 1 }] {
        let code = messages(task);
        let image = code.image(tables());
        let start = image.symbol("f").expect("is there");
        let contract = contract(KeySize::Aes128, task);
        let proof = prove(&code.isa, &CONVENTION, &image, start, &contract).expect("is the mode");
        assert_eq!((proof.blocks.as_str(), proof.stack_bytes), ("1 and more", 32));
        println!("{task:?}: {} us", proof.microseconds);
        // The code after the rounds: output, pointers, counter, loop.
        let end = image.segments[0].end();
        let tail = end - 4 * if task == Task::Ctr { 90 } else { 29 };
        let faults = mutants(&code.isa, &image, &in_a_row(&code.isa, &image, tail, end));
        assert!(faults.len() > 200);
        let mut ivs = vec![[0x5a; 16], [0xff; 16]];
        ivs.extend((1..16).map(|n| {
            let mut iv = [0xff; 16];
            iv[16 - n - 1] = 0x7f;
            iv[15] = 0xfe;
            iv
        }));
        let outcome = sorted(
            &image,
            faults.iter().step_by(23),
            |image| prove(&code.isa, &CONVENTION, image, start, &contract).is_ok(),
            |image| ivs.iter().all(|&iv| message_ran(&code.isa, image, task, iv) == Some(true)),
        );
        println!(
            "{} refuted, {} only by proof, {} no faults",
            outcome.refuted, outcome.refuted_only, outcome.proved
        );
        let missed: Vec<_> = outcome.missed.iter().map(ToString::to_string).collect();
        assert!(missed.is_empty(), "{missed:?}");
        assert!(outcome.refuted > 3);
    }
}
