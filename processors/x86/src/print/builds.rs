//! The builds that x86-64 assembly is for: all others are refused with one sentence, and nothing is assembled
//! after it.

use aesmith_processor::gnu::{Builds, NOT_ELF, wrong};
use std::fmt::Write;

const BUILDS: Builds = Builds {
    meant: "defined(__x86_64__)",
    meant_earlier: None,
    defines: &["__x86_64__", "__ELF__"],
    form: "x86-64 in ELF by the System V ABI",
    wrong: &[wrong("defined(__ILP32__)", "x86-64 with pointers of 32 bits (x32)"), NOT_ELF],
    wrong_with_addresses: &[],
};

/// Code within the preprocessor's guard, which says where to turn to: C, if there is a form `in_c`.
pub(super) fn guarded(name: &str, in_c: bool, code: &str) -> String {
    let form = BUILDS.form;
    let instead =
        if in_c { "emit it in C (--source c, or --portable)" } else { "there is no other form of it yet" };
    let refused = |what: &str| {
        format!("#error \"{name}: it is for {form}, and this build is for {what}: {instead}\"\n")
    };
    let mut out = format!("#if !({})\n{}", BUILDS.meant, refused("another processor"));
    for wrong in BUILDS.wrong {
        let _ = write!(out, "#elif {}\n{}", wrong.when, refused(wrong.what));
    }
    format!("{out}#else\n{code}#endif\n")
}

/// A probe of the assembler in a section that linkers leave out: an assembler that encodes SSE as AVX
/// (`-msse2avx`) makes bytes other than the proved ones, which CPUs without AVX cannot run.
pub(super) fn keeps_sse(name: &str) -> String {
    format!(
        "\n\t.pushsection .discard.aesmith, \"e\", @progbits\n\
         .L{name}_probe:\n\
         \tpxor        %xmm0, %xmm8\n\
         \t.if . - .L{name}_probe != 5\n\
         \t.error \"{name}: the assembler encodes SSE as AVX (-msse2avx), which are not the bytes that were proved: \
         assemble it without\"\n\
         \t.endif\n\
         \t.popsection\n"
    )
}

/// Behind a function, the place where the proved bytes end. Assemblers that insert bytes are past it, and move no place
/// backwards: they stop at this line.
pub(super) fn keeps_length(symbol: &str, bytes: usize) -> String {
    format!(
        "\t/* An error here: the code is longer than the code that was proved. Either it was edited (then leave this line out),\n\
         \t   or the assembler has inserted bytes: assemble it without -mbranches-within-32B-boundaries, -malign-branch,\n\
         \t   -mlfence-after-load and -mlfence-before-ret. */\n\
         \t.org {symbol} + {bytes}\n"
    )
}
