//! qemu's user mode as a judge of outputs of ARM and Thumb programs.

use aesmith_isa::ByteOrder;
use aesmith_isa::elf::Head;
use std::path::PathBuf;

use super::need;
use super::qemu::Machine;

/// The head of ELF files for 32-bit ARM, in ARM and in Thumb state.
pub const HEAD: Head =
    Head { number: object::elf::EM_ARM, name: "32-bit ARM", bits: 32, order: ByteOrder::Little };

fn assembler() -> Result<PathBuf, String> {
    need("arm-none-eabi-as", "binutils-arm-none-eabi")
}

/// ARM7TDMI and ARM9TDMI: qemu's ARM925T has the same architecture, ARMv4T.
pub const ARMV4T: Machine = machine(&["ti925t"], false);
/// Like [`ARMV4T`], but functions are called from Thumb code, to which they must return.
pub const ARMV4T_FROM_THUMB: Machine =
    Machine { harness: include_str!("../../judges/qemu/thumb_v4t.S"), ..ARMV4T };
/// StrongARM: the SA-1110, ARMv4.
pub const STRONGARM: Machine = machine(&["sa1110"], false);
/// Cortex-M0, else ARMv6 with the same Thumb instructions and no Thumb-2.
pub const CORTEX_M0: Machine = machine(&["cortex-m0", "arm1136"], true);
/// Cortex-M3, else Thumb-2 on a Cortex-A7.
pub const CORTEX_M3: Machine = machine(&["cortex-m3", "cortex-a7"], true);
/// Cortex-M4, else Thumb-2 on a Cortex-A7.
pub const CORTEX_M4: Machine = machine(&["cortex-m4", "cortex-a7"], true);
/// Cortex-M7, else Thumb-2 on a Cortex-A7.
pub const CORTEX_M7: Machine = machine(&["cortex-m7", "cortex-a7"], true);
/// Cortex-M33, else Thumb-2 on a Cortex-A7.
pub const CORTEX_M33: Machine = machine(&["cortex-m33", "cortex-a7"], true);

const fn machine(cpus: &'static [&'static str], thumb: bool) -> Machine {
    Machine {
        program: "qemu-arm",
        cpus,
        names_cpu: true,
        packages: &["qemu-user", "binutils-arm-none-eabi"],
        assembler,
        options: &[],
        harness: if thumb {
            include_str!("../../judges/qemu/thumb.S")
        } else {
            include_str!("../../judges/qemu/arm.S")
        },
        // EF_ARM_EABI_VER5: system calls are numbered by r7.
        head: HEAD,
        flags: object::elf::EF_ARM_EABI_VER5,
        // Procedure Call Standard for the Arm Architecture, sections 6.1.1 and 6.4.
        in_registers: 4,
        home: 0,
        kept: &["r4", "r5", "r6", "r7", "r8", "r9", "r10", "r11"],
        calls: [3, 4, 1, 104],
        thumb,
        pushed: 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge::{Answer, Call, Emulator, Instrument, Question};
    use aesmith_isa::image::{Image, Segment};

    fn program(code: &[u8]) -> Image {
        let segment = |address, bytes: &[u8], writable| Segment { address, bytes: bytes.to_vec(), writable };
        Image {
            segments: vec![segment(0x10000, code, false), segment(0x20000, &[5, 0, 0, 0], true)],
            ..Image::default()
        }
    }

    fn halves(code: &[u16]) -> Vec<u8> {
        code.iter().flat_map(|c| c.to_le_bytes()).collect()
    }

    fn words(code: &[u32]) -> Vec<u8> {
        code.iter().flat_map(|c| c.to_le_bytes()).collect()
    }

    fn asked(judge: &Machine, code: &[u8], calls: Vec<Call>) -> Option<Result<Vec<Answer>, String>> {
        if let Err(why) = judge.present() {
            println!("skipped: {why}");
            return None;
        }
        let image = program(code);
        Some(judge.answer(&Question { image: &image, function: 0x10000, calls, limit: 100_000 }))
    }

    /// `out[0] = a + b + fifth + counter++`, with eight bytes of stack.
    fn calls() -> Vec<Call> {
        let call = |i: u32| Call {
            arguments: vec![0x40000, 0x20000, 0x40010, 0, i],
            writes: vec![(0x40010, words(&[30 * i]))],
            reads: vec![(0x40000, 4), (0x20000, 4)],
        };
        (0..1000).map(call).collect()
    }

    fn check(answers: &[Answer]) {
        for (i, answer) in (0..).zip(answers) {
            let expected = Answer {
                read: vec![words(&[5 + 31 * i]), words(&[6])],
                cycles: None,
                instructions: None,
                stack: Some(8),
            };
            assert_eq!(answer, &expected);
        }
        assert_eq!(answers.len(), 1000);
    }

    #[test]
    fn thumb_on_every_cortex_m() {
        // push {r4,lr}; ldr r3,[r1]; adds r4,r3,#1; str r4,[r1]; ldr r4,[r2]; adds r3,r3,r4;
        // ldr r4,[sp,#8]; adds r3,r3,r4; str r3,[r0]; pop {r4,pc}
        let code = [0xb510, 0x680b, 0x1c5c, 0x600c, 0x6814, 0x191b, 0x9c02, 0x191b, 0x6003, 0xbd10];
        for judge in [CORTEX_M0, CORTEX_M3, CORTEX_M4] {
            let Some(answers) = asked(&judge, &halves(&code), calls()) else { return };
            check(&answers.unwrap());
        }
    }

    #[test]
    fn arm_state_without_thumb() {
        // push {r4,lr}; ldr r3,[r1]; add r4,r3,#1; str r4,[r1]; ldr r4,[r2]; add r3,r3,r4;
        // ldr r4,[sp,#8]; add r3,r3,r4; str r3,[r0]; pop {r4,pc}
        let code = [
            0xe92d4010, 0xe5913000, 0xe2834001, 0xe5814000, 0xe5924000, 0xe0833004, 0xe59d4008, 0xe0833004,
            0xe5803000, 0xe8bd8010,
        ];
        for judge in [ARMV4T, STRONGARM] {
            let Some(answers) = asked(&judge, &words(&code), calls()) else { return };
            check(&answers.unwrap());
        }
    }

    /// `bx` returns to Thumb code, but a load into the program counter does not.
    #[test]
    fn arm_state_from_thumb() {
        let mut code = [
            0xe92d4010, 0xe5913000, 0xe2834001, 0xe5814000, 0xe5924000, 0xe0833004, 0xe59d4008, 0xe0833004,
            0xe5803000, 0xe8bd4010, 0xe12fff1e,
        ];
        let Some(answers) = asked(&ARMV4T_FROM_THUMB, &words(&code), calls()) else { return };
        check(&answers.unwrap());
        code[9] = 0xe8bd8010;
        let answers = asked(&ARMV4T_FROM_THUMB, &words(&code), calls()).unwrap();
        assert!(answers.is_err(), "{answers:?}");
    }

    #[test]
    fn faults_are_sentences() {
        let cases: [(&[u16], &str); 5] = [
            (&[0xe7fe], "did not return"),
            (&[0x2400, 0x4770], "r4 changed"),
            (&[0x2100, 0x6008, 0x4770], "accessed memory"),
            (&[0x4679, 0x6008, 0x4770], "accessed memory"),
            (&[0xde00], "does not have"),
        ];
        for (code, part) in cases {
            let call = Call { arguments: vec![0x40000], ..Call::default() };
            let Some(answers) = asked(&CORTEX_M3, &halves(code), vec![call]) else { return };
            let error = answers.unwrap_err();
            assert!(error.contains(part), "{code:x?}: {error}");
        }
    }

    #[test]
    fn a_program_over_the_harness_is_refused() {
        let judge = CORTEX_M3;
        if let Err(why) = judge.present() {
            return println!("skipped: {why}");
        }
        let mut image = program(&halves(&[0x4770]));
        image.segments[1].address = 0xf_0ffc;
        let question = Question { image: &image, function: 0x10000, calls: vec![], limit: 1 };
        assert!(judge.answer(&question).unwrap_err().contains("link the program elsewhere"));
    }
}
