//! Unicorn with hooked instructions against the interpreter, and its errors.

use super::*;
use crate::CORES;
use aesmith_extension::file::Extension;
use aesmith_extension::meaning::compute;
use aesmith_extension::program::Custom;
use aesmith_extension::sets;
use aesmith_extension::verilog::Unit;
use aesmith_isa::image::Segment;
use aesmith_judge::judge::Call;
use aesmith_processor::attach::{attach, attached};
use aesmith_processor::trial::kernels::{Checks, buildable};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Instructions that read two registers, one of which is also written, and registers that they do not name.
const TRIAL: &str = r#"
name = "hook-trial"
about = "instructions of each shape"
source = "a test"

[[instruction]]
name = "apart"
reads = ["a", "b"]
writes = "d"
selectors = { n = 2 }
meaning = "d = a ^ turn(mixed(sbox(byte(b, n))), n)"

[[instruction]]
name = "onto"
reads = ["d", "b"]
writes = "d"
selectors = { m = 1, n = 2 }
meaning = "d = d ^ ror(place(isbox(byte(b, n)), n), zx(m, 5))"

[[instruction]]
name = "wired"
reads = ["d"]
fixed = ["s0", "s1", "s2", "s3"]
writes = "d"
selectors = { n = 2 }
meaning = "d = d ^ s0 ^ ror(s1, 8) ^ ror(s2, 16) ^ turn(s3, n)"
"#;

const PUSH: u32 = 0xe92d_40f0; // push {r4-r7, lr}
const LOAD: u32 = 0xe891_00fc; // ldm r1, {r2-r7}
const STORE: [u32; 2] = [0xe480_2004, 0xe480_3004]; // str r2, [r0], #4; str r3, [r0], #4
const RETURN: u32 = 0xe8bd_80f0; // pop {r4-r7, pc}
const EQUAL: u32 = 0xe150_0000; // cmp r0, r0

fn trial() -> &'static Attached {
    let base = CORES.iter().find(|c| c.name == "arm7tdmi").expect("a base");
    let extension = Box::leak(Box::new(Extension::parse(TRIAL).expect("parses")));
    attached(base, base.port.expect("a port"), extension, Unit::default()).expect("attaches")
}

fn asked(judge: &dyn Emulator, code: &[u32], calls: Vec<Call>) -> Option<Result<Vec<Answer>, String>> {
    if let Err(why) = judge.present() {
        println!("skipped: {why}");
        return None;
    }
    let bytes = code.iter().flat_map(|w| w.to_le_bytes()).collect();
    let image =
        Image { segments: vec![Segment { address: 0x10000, bytes, writable: false }], ..Image::default() };
    Some(judge.answer(&Question { image: &image, function: 0x10000, calls, limit: 10_000 }))
}

/// The word of a custom instruction on r2 and r3; `writes` is the index of the written one.
fn word(attached: &Attached, custom: &Custom, writes: usize) -> u32 {
    let [writes, other] = [writes, 1 - writes].map(|p| 2 + p as i32);
    let insn = attached.insn(custom, writes, &[writes, other]);
    u32::from_le_bytes(attached.isa.encode(&insn).expect("encodes").try_into().expect("four bytes"))
}

#[test]
fn hooked_instructions_are_the_interpreters() {
    let attached = trial();
    let all: Vec<Custom> = attached
        .extension
        .instructions
        .iter()
        .enumerate()
        .flat_map(|(instruction, about)| {
            about.choices().map(move |selectors| Custom { instruction, words: Vec::new(), selectors })
        })
        .collect();
    // As many instructions as in a block.
    let steps: Vec<&Custom> = all.iter().cycle().take(160).collect();
    let mut code = vec![PUSH, LOAD];
    for (k, custom) in steps.iter().enumerate() {
        code.push(word(attached, custom, k % 2));
        code.extend_from_slice(if k % 8 == 7 { &STORE } else { &[] });
    }
    code.push(RETURN);
    let mut rng = ChaCha8Rng::seed_from_u64(6);
    let mut expected = Vec::new();
    let calls: Vec<Call> = (0..100)
        .map(|_| {
            let words: [u32; 6] = rng.random();
            let mut state = [words[0], words[1]];
            let mut stored = Vec::new();
            for (k, custom) in steps.iter().enumerate() {
                let instruction = &attached.extension.instructions[custom.instruction];
                let mut inputs = [state[k % 2], state[1 - k % 2]][..instruction.reads.len()].to_vec();
                inputs.extend(&words[2..2 + instruction.fixed.len()]);
                state[k % 2] =
                    compute(&attached.alone, instruction, &inputs, &custom.selectors).expect("computes");
                if k % 8 == 7 {
                    stored.extend(state.map(u32::to_le_bytes).concat());
                }
            }
            let reads = vec![(0x40000, stored.len())];
            expected.push(stored);
            let writes = vec![(0x41000, words.map(u32::to_le_bytes).concat())];
            Call { arguments: vec![0x40000, 0x41000], writes, reads }
        })
        .collect();
    let Some(answers) = asked(&Hooked(attached), &code, calls) else { return };
    let answers = answers.expect("answers");
    assert_eq!(answers.len(), expected.len());
    for (answer, expected) in answers.into_iter().zip(expected) {
        let expected = Answer { read: vec![expected], cycles: None, instructions: None, stack: Some(20) };
        assert_eq!(answer, expected);
    }
}

/// Blocks of AES-128 with bundled sets, one of them wired to registers: the cipher's result, and the same stack
/// use as in our interpreter.
#[test]
fn kernels_compute_the_cipher() {
    for set in ["smix3", "bertoni-bytes", "bertoni-words"] {
        let extension = Extension::parse(sets::find(set).expect("it is there")).expect("parses");
        let core = attach(&CORES[0], Box::leak(Box::new(extension)), Unit::default()).expect("attaches");
        let all = buildable(core, core.table.all("aes128-ecb".parse().expect("a problem")));
        let (proved, judged, same_stack) = (0, 1, true);
        Checks { bounded: false, proved, judged, same_stack, ..Checks::PROVED }.of(core, &all);
    }
}

#[test]
fn conditions_hold_for_hooked_instructions() {
    let attached = trial();
    let custom = Custom { instruction: 0, words: Vec::new(), selectors: vec![0] };
    let if_not_equal = word(attached, &custom, 0) & 0x0fff_ffff | 1 << 28;
    let if_equal = word(attached, &custom, 1) & 0x0fff_ffff;
    let code = [PUSH, LOAD, EQUAL, if_not_equal, if_equal, STORE[0], STORE[1], RETURN];
    let words = [0x0123_4567u32, 0x89ab_cdef, 0, 0, 0, 0];
    let call = Call {
        arguments: vec![0x40000, 0x41000],
        writes: vec![(0x41000, words.map(u32::to_le_bytes).concat())],
        reads: vec![(0x40000, 8)],
    };
    let Some(answers) = asked(&Hooked(attached), &code, vec![call]) else { return };
    let instruction = &attached.extension.instructions[0];
    let second = compute(&attached.alone, instruction, &[words[1], words[0]], &[0]).expect("computes");
    let expected = [words[0], second].map(u32::to_le_bytes).concat();
    assert_eq!(answers.expect("answers")[0].read, [expected]);
}

#[test]
fn memory_is_as_loaded_in_every_call() {
    // ldr r2, [r1]; ldr r3, [sp]; add r2, r2, r3; str r2, [r1]; str r2, [r0]; mov pc, lr
    let code = [0xe591_2000, 0xe59d_3000, 0xe082_2003, 0xe581_2000, 0xe580_2000, 0xe1a0_f00e];
    let bytes = code.iter().flat_map(|w: &u32| w.to_le_bytes()).collect();
    let segment = |address, bytes, writable| Segment { address, bytes, writable };
    let segments = vec![segment(0x10000, bytes, false), segment(0x20000, vec![5, 0, 0, 0], true)];
    let image = Image { segments, ..Image::default() };
    let judge = Hooked(trial());
    if let Err(why) = judge.present() {
        return println!("skipped: {why}");
    }
    let call = |i| Call {
        arguments: vec![0x40000, 0x20000, 0, 0, i],
        writes: Vec::new(),
        reads: vec![(0x40000, 4), (0x20000, 4)],
    };
    let calls = (0..3).map(call).collect();
    let question = Question { image: &image, function: 0x10000, calls, limit: 100 };
    for (i, answer) in (0..).zip(judge.answer(&question).expect("answers")) {
        let sum = (5u32 + i).to_le_bytes().to_vec();
        assert_eq!((answer.read, answer.stack), (vec![sum.clone(), sum], Some(0)));
    }
}

#[test]
fn faults_are_sentences() {
    let attached = trial();
    let cases: [(&[u32], &str); 7] = [
        (&[0xeaff_fffe], "call 1: the function did not return within 10000 instructions; it was at 0x10000"),
        (&[0xe3a0_4000, 0xe1a0_f00e], "returned with r4 changed, which belongs to its caller"),
        (&[0xe24d_d004, 0xe1a0_f00e], "returned with the stack pointer changed"),
        // ldr r0, [r0]; str r0, [pc]
        (&[0xe590_0000, 0xe1a0_f00e], "accessed memory that is not there"),
        (&[0xe58f_0000, 0xe1a0_f00e], "wrote where it may only read"),
        // cdp p7, 15, c15, c15, c15, 7: not a function of the extension.
        (
            &[0xeeff_f7ef, 0xe1a0_f00e],
            "call 1: Unicorn met an instruction that arm7tdmi does not have, 0xeefff7ef",
        ),
        (&[0xef00_0000, 0xe1a0_f00e], "met an instruction that a function cannot execute"),
    ];
    for (code, part) in cases {
        let call = Call { arguments: vec![0x1000_0000], ..Call::default() };
        let Some(answers) = asked(&Hooked(attached), code, vec![call]) else { return };
        let error = answers.expect_err(part);
        assert!(error.contains(part), "{code:x?}: {error}");
    }
}
