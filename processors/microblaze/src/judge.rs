//! qemu's user mode as the judge of the outputs of MicroBlaze programs. No free judge counts the cycles of a
//! MicroBlaze: those are modelled.

use std::path::PathBuf;

use aesmith_judge::outside;
use aesmith_judge::outside::qemu::Machine;

/// A program of GNU binutils for MicroBlaze (`as`, `ld`, `objdump`, `objcopy`, `nm`), from PATH or from the
/// folder in which the script builds them.
pub fn binutils(program: &str) -> Result<PathBuf, String> {
    let name = format!("microblazeel-elf-{program}");
    outside::binutils(&name).ok_or_else(|| {
        format!(
            "'{name}' is not there, and no Debian package has it; `apt-get install binutils-source gcc make bison flex` and build it with `scripts/judges/binutils.sh microblazeel-elf MicroBlaze` (under two minutes)"
        )
    })
}

fn assembler() -> Result<PathBuf, String> {
    binutils("as")
}

/// qemu-microblazeel, which has barrel shifter, multiplier and pattern comparison.
pub(crate) const QEMU: Machine = Machine {
    program: "qemu-microblazeel",
    cpus: &["any"],
    names_cpu: false,
    packages: &["qemu-user", "binutils-source", "gcc", "make", "bison", "flex"],
    assembler,
    options: &[],
    harness: include_str!("../judges/qemu/microblaze.S"),
    head: crate::elf::HEAD,
    flags: 0,
    // MicroBlaze Processor Reference Guide (UG984), chapter 4, "Stack Convention": the caller keeps a
    // word for the return address and six for the arguments in registers.
    in_registers: 6,
    home: 28,
    kept: &["r19", "r20", "r21", "r22", "r23", "r24", "r25", "r26", "r27", "r28", "r29", "r30", "r31"],
    calls: [3, 4, 1, 104],
    thumb: false,
    pushed: 0,
};

#[cfg(test)]
mod tests {
    use super::*;
    use aesmith_isa::image::{Image, Segment};
    use aesmith_judge::judge::{Answer, Call, Emulator, Instrument, Question};

    fn asked(code: &[u32], calls: Vec<Call>) -> Option<Result<Vec<Answer>, String>> {
        if let Err(why) = QEMU.present() {
            println!("skipped: {why}");
            return None;
        }
        let bytes = code.iter().flat_map(|w| w.to_le_bytes()).collect();
        let image = Image {
            segments: vec![
                Segment { address: 0x10000, bytes, writable: false },
                Segment { address: 0x20000, bytes: vec![5, 0, 0, 0], writable: true },
            ],
            ..Image::default()
        };
        Some(QEMU.answer(&Question { image: &image, function: 0x10000, calls, limit: 100_000 }))
    }

    #[test]
    fn arguments_memory_and_stack() {
        // out[0] = in[0] rotated by a barrel shift + seventh argument + counter++
        let code = [
            0x3021fff8, // addik r1, r1, -8
            0xfa610004, // swi r19, r1, 4
            0xea660000, // lwi r19, r6, 0
            0x66730408, // bslli r19, r19, 8
            0xe8670000, // lwi r3, r7, 0
            0x02731800, // add r19, r19, r3
            0x30630001, // addik r3, r3, 1
            0xf8670000, // swi r3, r7, 0
            0xe8610024, // lwi r3, r1, 36
            0x02731800, // add r19, r19, r3
            0xfa650000, // swi r19, r5, 0
            0xea610004, // lwi r19, r1, 4
            0xb60f0008, // rtsd r15, 8
            0x30210008, // addik r1, r1, 8
        ];
        let call = |i: u32| Call {
            arguments: vec![0x40000, 0x40010, 0x20000, 0, 0, 0, 7 * i],
            writes: vec![(0x40010, i.to_le_bytes().to_vec())],
            reads: vec![(0x40000, 4), (0x20000, 4)],
        };
        let Some(answers) = asked(&code, (0..1000).map(call).collect()) else { return };
        let answers = answers.unwrap();
        assert_eq!(answers.len(), 1000);
        for (i, answer) in (0..).zip(&answers) {
            let result: u32 = (i << 8) + 5 + 7 * i;
            let expected = Answer {
                read: vec![result.to_le_bytes().to_vec(), vec![6, 0, 0, 0]],
                cycles: None,
                instructions: None,
                stack: Some(4),
            };
            assert_eq!(answer, &expected);
        }
    }

    #[test]
    fn faults_are_sentences() {
        let cases: [(&[u32], &str); 4] = [
            (&[0xb8000000], "did not return"),
            (&[0x32600000, 0xb60f0008, 0x80000000], "r19 changed"),
            (&[0xe8600000, 0xb60f0008, 0x80000000], "accessed memory"),
            (&[0xf8af0000, 0xb60f0008, 0x80000000], "accessed memory"),
        ];
        for (code, part) in cases {
            let Some(answers) = asked(code, vec![Call::default()]) else { return };
            let error = answers.unwrap_err();
            assert!(error.contains(part), "{code:x?}: {error}");
        }
    }
}
