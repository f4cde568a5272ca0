//! The memory that each row reads and writes, against the decoder library: the simulator must succeed if
//! exactly these bytes are mapped, and fail if one of them is not.

use crate::sample;
use aesmith_x86::concrete::{Bytes, zeroed};
use aesmith_x86::registers::gpr_number;
use aesmith_x86::semantics::execute;
use aesmith_x86::table::{Operation, form, forms};
use iced_x86::{
    Decoder, DecoderOptions, Encoder, Instruction, InstructionInfoFactory, OpAccess, OpKind, Register,
};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

const SAMPLES: usize = 12;
const TARGET: u64 = 0x10_0000;

/// Runs an instruction whose memory operand is at [`TARGET`], with only these bytes mapped.
fn run(i: &Instruction, from: u64, count: usize, writable: bool) -> Result<(), String> {
    let mut machine = zeroed();
    machine.mask.fill(u64::MAX);
    if let Some((base, _)) = gpr_number(i.memory_base()) {
        machine.gpr[base] = TARGET.wrapping_sub(i.memory_displacement64());
    }
    let mut memory = Bytes::default();
    memory.map(from, vec![0; count], writable);
    execute(&mut machine, &mut memory, i).map(|_| ()).map_err(|e| e.to_string())
}

#[test]
fn every_row_accesses_what_its_instruction_accesses() {
    let mut rng = ChaCha8Rng::seed_from_u64(0xacce55);
    let mut info = InstructionInfoFactory::new();
    let (mut checked, mut computed) = (0, 0);
    for row in forms() {
        for _ in 0..SAMPLES {
            let targets = sample::Targets { data: TARGET, code: 64 };
            let mut encoder = Encoder::new(64);
            encoder.encode(&sample::sample(row, true, targets, &mut rng), 0).expect("it encodes");
            let i = Decoder::with_ip(64, &encoder.take_buffer(), 0, DecoderOptions::NONE).decode();
            if !(0..i.op_count()).any(|k| i.op_kind(k) == OpKind::Memory) {
                continue;
            }
            let name = format!("{:?}", form(i.code()).unwrap().code);
            if matches!(row.operation, Operation::LoadAddress | Operation::Nop | Operation::Prefetch) {
                run(&i, 0, 0, false).unwrap_or_else(|e| panic!("{name} accesses no memory: {e}"));
                computed += 1;
                continue;
            }
            let used = info.info(&i).used_memory();
            assert_eq!(used.len(), 1, "{name}");
            let size = used[0].memory_size().size();
            let reads_only = matches!(used[0].access(), OpAccess::Read | OpAccess::CondRead);
            run(&i, TARGET, size, !reads_only).unwrap_or_else(|e| panic!("{name}, {size} bytes: {e}"));
            if !reads_only {
                assert!(run(&i, TARGET, size, false).is_err(), "{name} does not write");
            }
            for (from, count) in [(TARGET, size - 1), (TARGET + 1, size)] {
                assert!(run(&i, from, count, true).is_err(), "{name} does not access all of {size} bytes");
            }
            if i.op_mask() == Register::None {
                checked += 1;
            }
        }
    }
    println!("{checked} unmasked accesses, {computed} addresses that are only computed with");
    assert!(checked > 2000 && computed > 50, "{checked}, {computed}");
}
