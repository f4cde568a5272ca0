//! Options of the GNU tools and conditions of the C preprocessor for SPARC.

use aesmith_processor::core::Core;
use aesmith_processor::gnu::{Builds, Gnu, NOT_ELF, SHARED, TEXT_RELOCATIONS, qemu, wrong};

const BUILDS: Builds = Builds {
    meant: "defined(__sparc__)",
    meant_earlier: Some("defined(__sparc__) && defined(__arch64__)"),
    defines: &["__sparc__", "__arch64__", "__ELF__"],
    form: "SPARC V9 of 64 bits in ELF",
    wrong: &[
        wrong("!defined(__arch64__)", "SPARC of 32 bits"),
        wrong("defined(__BYTE_ORDER__) && __BYTE_ORDER__ != __ORDER_BIG_ENDIAN__", "little-endian SPARC"),
        NOT_ELF,
    ],
    wrong_with_addresses: &[SHARED],
};

/// The GNU tool settings of a processor.
pub fn gnu(_: &Core) -> Gnu {
    Gnu {
        directives: "    .register %g2, #scratch\n    .register %g3, #scratch\n".into(),
        emulator: qemu("qemu-sparc64"),
        pie: Some(TEXT_RELOCATIONS),
        ..Gnu::plain("sparc64-linux-gnu-", BUILDS, "!", "binutils-sparc64-linux-gnu gcc-sparc64-linux-gnu")
    }
}
