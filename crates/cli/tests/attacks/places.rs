//! Attacks by the places of code and constants, by relocations, and by neighbouring code and data.

use super::case::*;

pub const CASES: &[Case] = &[
    Case {
        what: "a function that is not at a multiple of 64",
        made: BuiltKernel::Object,
        attack: |t| with(t, "\t.p2align 6\n", "\t.p2align 6\n\t.fill 32, 1, 0xcc\n"),
        control: |t| with(t, "\t.p2align 6\n", "\t.p2align 6\n\t.fill 64, 1, 0xcc\n"),
        why: "not at a multiple of 64",
    },
    Case {
        what: "a section that is not at a multiple of 64",
        made: BuiltKernel::Object,
        attack: |t| with(t, "\t.p2align 6\n", "\t.section .text.kernel, \"ax\", @progbits\n\t.p2align 5\n"),
        control: |t| with(t, "\t.p2align 6\n", "\t.section .text.kernel, \"ax\", @progbits\n\t.p2align 7\n"),
        why: "not at a multiple of 64",
    },
    Case {
        what: "constants that are not at a multiple of 64",
        made: BuiltKernel::Object,
        attack: |t| constants(t, "\t.p2align 6\n", "\t.p2align 6\n\t.fill 32\n"),
        control: |t| constants(t, "\t.p2align 6\n", "\t.p2align 6\n\t.fill 64\n"),
        why: "not at a multiple of 64",
    },
    Case {
        what: "a relocation that begins before the function and changes its first bytes",
        made: BuiltKernel::Object,
        attack: |t| behind(t, 2, "R_X86_64_PC32"),
        control: |t| behind(t, 4, "R_X86_64_PC32"),
        why: "has relocations",
    },
    Case {
        what: "a long relocation that changes the first byte alone",
        made: BuiltKernel::Object,
        attack: |t| behind(t, 7, "R_X86_64_64"),
        control: |t| behind(t, 8, "R_X86_64_64"),
        why: "has relocations",
    },
    Case {
        what: "a relocation behind the function by which linkers change instructions before it",
        made: BuiltKernel::Object,
        attack: |t| before(t, "R_X86_64_REX_GOTPCRELX"),
        control: |t| before(t, "R_X86_64_PC32"),
        why: "has relocations",
    },
    Case {
        what: "a relocation of code",
        made: BuiltKernel::Object,
        attack: |t| with(t, "\tvaesenclast", "\t.reloc ., R_X86_64_PC32, other\n\tvaesenclast"),
        control: |t| and(t, "\t.globl user\nuser:\n\tcall other@PLT\n\tret"),
        why: "has relocations",
    },
    Case {
        what: "a relocation of constants",
        made: BuiltKernel::Object,
        attack: |t| {
            let label = format!("{N}_constants:\n");
            with(t, &label, &format!("{label}\t.reloc ., R_X86_64_32, other\n"))
        },
        control: |t| and(t, "\t.section .data.rel.ro, \"aw\"\n\t.quad other"),
        why: "not final",
    },
    Case {
        what: "constants that another definition may take the place of",
        made: BuiltKernel::Object,
        attack: |t| and(t, &format!("\t.globl {N}_constants")),
        control: |t| and(t, &format!("\t.globl other\n\t.set other, {N}_constants")),
        why: "not local",
    },
    Case {
        what: "constants that may be written",
        made: BuiltKernel::Object,
        attack: |t| constants(t, "\t.section .rodata\n", "\t.data\n"),
        control: |t| constants(t, "\t.section .rodata\n", "\t.section .rodata.kernel, \"a\", @progbits\n"),
        why: "may be written",
    },
    Case {
        what: "constants that linkers merge",
        made: BuiltKernel::Object,
        attack: |t| constants(t, "\t.section .rodata\n", "\t.section .rodata.cst16, \"aM\", @progbits, 16\n"),
        control: |t| constants(t, "\t.section .rodata\n", "\t.section .rodata.kernel, \"a\", @progbits\n"),
        why: "merge",
    },
    Case {
        what: "constants whose symbol is too small",
        made: BuiltKernel::Object,
        attack: |t| {
            with(
                t,
                &format!("\t.size {N}_constants, . - {N}_constants\n"),
                &format!("\t.size {N}_constants, 16\n"),
            )
        },
        control: same,
        why: "outside",
    },
    Case {
        what: "two symbols of one name in an archive",
        made: BuiltKernel::Twice,
        attack: same,
        // The control's copy defines no name of a problem.
        control: |t| t.replace(N, "x_other"),
        why: "stands for two functions",
    },
    Case {
        what: "one address under two claims",
        made: BuiltKernel::Object,
        attack: |t| {
            and(
                t,
                &format!(
                    "\t.globl x_aes256_ctr\n\t.type x_aes256_ctr, @function\n\t.set x_aes256_ctr, {N}\n\t.size x_aes256_ctr, 64"
                ),
            )
        },
        control: |t| {
            and(
                t,
                &format!(
                    "\t.globl x_alias\n\t.type x_alias, @function\n\t.set x_alias, {N}\n\t.size x_alias, 64"
                ),
            )
        },
        why: "shares code",
    },
    Case {
        what: "a function inside another",
        made: BuiltKernel::Object,
        attack: |t| {
            and(
                t,
                &format!(
                    "\t.globl x_aes128_ctr\n\t.type x_aes128_ctr, @function\n\t.set x_aes128_ctr, {N} + 64\n\t.size x_aes128_ctr, 32"
                ),
            )
        },
        control: |t| {
            and(
                t,
                &format!(
                    "\t.globl x_place\n\t.type x_place, @function\n\t.set x_place, {N} + 64\n\t.size x_place, 32"
                ),
            )
        },
        why: "shares code",
    },
    Case {
        what: "a size that does not cover the code",
        made: BuiltKernel::Object,
        attack: |t| with(t, &size_line(), &format!("\t.size {N}, 32\n")),
        control: same,
        why: "leaves the kernel",
    },
    Case {
        what: "a size beyond the section",
        made: BuiltKernel::Object,
        attack: |t| {
            let size = format!("\t.size {N}_schedule, . - {N}_schedule\n");
            with(t, &size, &format!("\t.size {N}_schedule, 100000\n"))
        },
        control: same,
        why: "reaches out of its section",
    },
    Case {
        what: "code for optimization when linking",
        made: BuiltKernel::Object,
        attack: |t| and(t, "\t.section .gnu.lto_x, \"e\", @progbits\n\t.byte 0"),
        control: |t| and(t, "\t.section .comment\n\t.byte 0"),
        why: "LTO",
    },
    Case {
        what: "a section of a kind of its own",
        made: BuiltKernel::Object,
        attack: |t| and(t, "\t.section .odd, \"\", @0x60000001\n\t.byte 0"),
        control: |t| and(t, "\t.section .odd, \"\", @progbits\n\t.byte 0"),
        why: "meaning of their own",
    },
    Case {
        what: "text relocations",
        made: BuiltKernel::Shared("-Wl,-z,notext"),
        attack: |t| and(t, "\t.quad other"),
        control: |t| and(t, "\t.data\n\t.quad other"),
        why: "text relocations",
    },
    Case {
        what: "a shared object whose code may be written",
        made: BuiltKernel::Shared("-Wl,--omagic"),
        attack: same,
        control: |_| String::new(),
        why: "whole pages",
    },
    Case {
        what: "a header declares what is not there",
        made: BuiltKernel::Package,
        attack: |t| t.replace(&format!("{N}_schedule"), "x_schedule").replace(N, "x_other"),
        control: same,
        why: "nothing to verify",
    },
    Case {
        what: "a header declares a function that is data elsewhere",
        made: BuiltKernel::Package,
        attack: |t| {
            t.replace(&format!("\t.globl {N}\n"), "")
                .replace(&format!("{N}:"), "x_other:")
                .replace(&type_line(), "")
                .replace(&size_line(), "")
        },
        control: same,
        why: "the header",
    },
    Case {
        what: "a certificate of what is not there",
        made: BuiltKernel::Package,
        attack: |t| {
            // Only the message function remains: the schedule has another name.
            t.replace(&format!("{N}_schedule"), "x_other")
        },
        control: same,
        why: "which calls it",
    },
];
