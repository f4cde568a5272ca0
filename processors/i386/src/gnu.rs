//! Options of the GNU tools and conditions of the C preprocessor for 32-bit x86 code.

use aesmith_processor::core::Core;
use aesmith_processor::gnu::{Builds, Gnu, NOT_ELF, SHARED, TEXT_RELOCATIONS, qemu, wrong};

const BUILDS: Builds = Builds {
    meant: "defined(__i386__) || defined(__x86_64__)",
    meant_earlier: Some("defined(__i386__)"),
    defines: &["__i386__", "__ELF__"],
    form: "i386 in ELF with arguments on the stack",
    wrong: &[
        wrong("defined(__x86_64__) && defined(__ILP32__)", "x86-64 with pointers of 32 bits (x32)"),
        wrong("defined(__x86_64__)", "x86-64"),
        NOT_ELF,
        wrong("defined(__iamcu__)", "the convention of Intel's MCUs, which passes arguments in registers"),
    ],
    wrong_with_addresses: &[SHARED],
};

/// The GNU tool settings of a processor.
pub fn gnu(_: &Core) -> Gnu {
    Gnu {
        emulator: qemu("qemu-i386"),
        pie: Some(TEXT_RELOCATIONS),
        ..Gnu::plain("i686-linux-gnu-", BUILDS, "#", "binutils-i686-linux-gnu gcc-i686-linux-gnu")
    }
}
