//! Options of the GNU tools and conditions of the C preprocessor for PowerPC.

use aesmith_processor::core::Core;
use aesmith_processor::gnu::{Builds, Gnu, NOT_ELF, SHARED, TEXT_RELOCATIONS, cpu, qemu, wrong};

const BUILDS: Builds = Builds {
    meant: "defined(__powerpc__)",
    meant_earlier: Some("defined(__powerpc__) && !defined(__powerpc64__)"),
    defines: &["__powerpc__", "__ELF__"],
    form: "big-endian PowerPC of 32 bits in ELF by the System V ABI",
    wrong: &[
        wrong("defined(__powerpc64__)", "PowerPC of 64 bits"),
        wrong("defined(__LITTLE_ENDIAN__)", "little-endian PowerPC"),
        NOT_ELF,
    ],
    wrong_with_addresses: &[SHARED],
};

/// The GNU tool settings of a processor.
pub fn gnu(core: &Core) -> Gnu {
    let cpu = cpu(core);
    Gnu {
        // The assembler does not accept AltiVec by default.
        directives: format!("    .machine \"{cpu}\"\n"),
        // qemu's default processor has no AltiVec.
        emulator: qemu(if cpu == "7450" { "qemu-ppc -cpu 7450" } else { "qemu-ppc -cpu 7400" }),
        pie: Some(TEXT_RELOCATIONS),
        ..Gnu::plain("powerpc-linux-gnu-", BUILDS, "#", "binutils-powerpc-linux-gnu gcc-powerpc-linux-gnu")
    }
}
