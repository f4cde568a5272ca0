//! Judges against the documents of the cores.

use super::*;
use aesmith_isa::image::{Image, Segment};
use aesmith_judge::judge::Call;

fn program(code: &[u32]) -> Image {
    let bytes = code.iter().flat_map(|w| w.to_le_bytes()).collect();
    let counter = Segment { address: 0x20000, bytes: vec![5, 0, 0, 0], writable: true };
    Image {
        segments: vec![Segment { address: 0x10000, bytes, writable: false }, counter],
        ..Image::default()
    }
}

fn asked(judge: &dyn Emulator, code: &[u32], calls: Vec<Call>) -> Option<Result<Vec<Answer>, String>> {
    if let Err(why) = judge.present() {
        println!("skipped: {why}");
        return None;
    }
    let image = program(code);
    Some(judge.answer(&Question { image: &image, function: 0x10000, calls, limit: 10_000 }))
}

/// `out[0] = sum of n words + ninth argument + counter++`, with four bytes of stack written.
const LOOP: [u32; 17] = [
    0xffc10113, // addi sp, sp, -4
    0x00812023, // sw s0, 0(sp)
    0x00412403, // lw s0, 4(sp)
    0x0006a303, // lw t1, 0(a3)
    0x00640433, // add s0, s0, t1
    0x00130313, // addi t1, t1, 1
    0x0066a023, // sw t1, 0(a3)
    0x0005a303, // lw t1, 0(a1)
    0x00640433, // add s0, s0, t1
    0x00458593, // addi a1, a1, 4
    0xfff60613, // addi a2, a2, -1
    0xfe0618e3, // bnez a2, -16
    0x00852023, // sw s0, 0(a0)
    0x00012403, // lw s0, 0(sp)
    0x00410113, // addi sp, sp, 4
    0x00008067, // ret
    0,
];
const N: u32 = 8;

fn check(judge: &dyn Emulator, cycles: Option<u64>) {
    let words: Vec<u8> = (0..N).flat_map(|i| (i + 1).to_le_bytes()).collect();
    let call = |i: u32| Call {
        arguments: vec![0x40000, 0x40100, N, 0x20000, 0, 0, 0, 0, i],
        writes: vec![(0x40100, words.clone())],
        reads: vec![(0x40000, 4), (0x20000, 4)],
    };
    let Some(answers) = asked(judge, &LOOP, (0..200).map(call).collect()) else { return };
    let answers = answers.unwrap();
    assert_eq!(answers.len(), 200);
    for (i, answer) in (0..).zip(&answers) {
        let sum = N * (N + 1) / 2 + 5 + i;
        let expected = Answer {
            read: vec![sum.to_le_bytes().to_vec(), 6u32.to_le_bytes().to_vec()],
            cycles,
            instructions: cycles.map(|_| 7 + 5 * u64::from(N) + 4),
            stack: Some(4),
        };
        assert_eq!(answer, &expected, "{}", judge.name());
    }
}

#[test]
fn picorv32_costs_what_its_readme_says() {
    // README, "Cycles per Instruction Performance": 3 for arithmetic and branches not taken, 5
    // for loads, stores and taken branches, 6 for an indirect jump.
    let n = u64::from(N);
    check(&PICORV32, Some(3 * 3 + 4 * 5 + n * (5 + 3 * 3 + 5) - 2 + 2 * 5 + 3 + 6));
}

#[test]
fn ibex_costs_what_its_manual_says() {
    // Ibex documentation, "Pipeline Details": 2 for loads, stores and jumps, 3 for taken branches; with
    // write-back stage and branch-target ALU 1 for loads and stores, 2 for taken branches, plus one cycle if a
    // load's result is needed at once.
    let n = u64::from(N);
    check(&IBEX, Some(3 + 4 * 2 + n * (2 + 3 + 3) - 2 + 2 * 2 + 1 + 2));
    check(&IBEX_WRITEBACK, Some(7 + 1 + n * (5 + 1 + 1) - 1 + 4 + 1));
}

#[test]
fn vexriscv_costs_what_five_stages_do() {
    // Two cycles between a load and its use, one for a predicted jump, two for a misprediction; no cache
    // misses.
    let n = u64::from(N);
    check(&VEXRISCV, Some(11 + 5 * n + 2 * (1 + n) + (n - 1) + 2 + 1));
}

#[test]
fn qemu_computes() {
    check(&QEMU, None);
}

#[test]
fn qemu_has_the_aes_instructions() {
    // lw a1, 0(a0); aes32esmi a1, x0, a1, 0; sw a1, 0(a0); ret
    let code = [0x00052583, 0x26b005b3, 0x00b52023, 0x00008067];
    let call =
        Call { arguments: vec![0x40000], writes: vec![(0x40000, vec![0; 4])], reads: vec![(0x40000, 4)] };
    let Some(answers) = asked(&QEMU, &code, vec![call]) else { return };
    // MixColumns of the column (S-box of 0, 0, 0, 0).
    assert_eq!(answers.unwrap()[0].read, [[0xc6, 0x63, 0x63, 0xa5]]);
}

#[test]
fn the_global_pointer_is_the_programs() {
    // sw gp, 0(a0); ret
    let mut image = program(&[0x00352023, 0x00008067]);
    image.symbols.insert(runner::GLOBAL_POINTER.into(), 0x20800);
    for judge in [&PICORV32 as &dyn Emulator, &QEMU] {
        if let Err(why) = judge.present() {
            println!("skipped: {why}");
            continue;
        }
        let call = Call { arguments: vec![0x40000], writes: vec![], reads: vec![(0x40000, 4)] };
        let question = Question { image: &image, function: 0x10000, calls: vec![call], limit: 100 };
        assert_eq!(judge.answer(&question).unwrap()[0].read, [0x20800u32.to_le_bytes()]);
    }
}

#[test]
fn faults_are_sentences() {
    let cases: [(&[u32], &str); 5] = [
        (&[0x0000006f], "did not return"),
        (&[0x00000413, 0x00008067], "changed, which belongs to its caller"),
        (&[0x00052583, 0x00008067], "the function "),
        (&[0x00008023, 0x00008067], "the function "),
        (&[0x00000000], "does not have"),
    ];
    for judge in [&PICORV32 as &dyn Emulator, &IBEX, &VEXRISCV, &QEMU] {
        for (code, part) in cases {
            let call = Call { arguments: vec![0x4000_0000], ..Call::default() };
            let Some(answers) = asked(judge, code, vec![call]) else { break };
            let error = answers.unwrap_err();
            assert!(error.contains(part), "{} {code:x?}: {error}", judge.name());
        }
    }
}
