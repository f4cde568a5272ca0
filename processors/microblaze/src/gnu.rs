//! Options of the GNU tools and conditions of the C preprocessor for MicroBlaze.

use aesmith_processor::core::Core;
use aesmith_processor::gnu::{Builds, Gnu, SHARED, wrong};

const BUILDS: Builds = Builds {
    meant: "defined(__MICROBLAZE__)",
    meant_earlier: None,
    defines: &["__MICROBLAZE__"],
    form: "little-endian MicroBlaze of 32 bits",
    wrong: &[
        wrong(
            "defined(__MICROBLAZEEB__) || defined(__BIG_ENDIAN__) || \
             (defined(__BYTE_ORDER__) && __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__)",
            "big-endian MicroBlaze",
        ),
        wrong("defined(__arch64__) || defined(__LP64__)", "MicroBlaze of 64 bits"),
    ],
    wrong_with_addresses: &[SHARED],
};

/// The GNU tool settings of a processor.
pub fn gnu(_: &Core) -> Gnu {
    Gnu {
        flags: "-mlittle-endian".into(),
        pie: Some(
            "Linkers for programs without an operating system make none that is position-independent (`-pie`).",
        ),
        compiler: false,
        compiled_by: "the compiler of its board's tools (`mb-gcc` of Vitis)",
        ..Gnu::plain("microblazeel-elf-", BUILDS, "#", "binutils-source, built by scripts/need.sh")
    }
}
