//! Options of the GNU tools and conditions of the C preprocessor for a processor in ARM state.

use aesmith_processor::core::Core;
use aesmith_processor::gnu::{Builds, Gnu, NOT_ELF, SHARED, cpu, is_extended, qemu, wrong};

const BUILDS: Builds = Builds {
    meant: "defined(__arm__) && !defined(__thumb2__)",
    meant_earlier: None,
    defines: &["__arm__", "__ELF__", "__ARM_EABI__"],
    form: "little-endian ARM in ELF by the AAPCS",
    wrong: &[
        wrong("defined(__ARMEB__) || defined(__ARM_BIG_ENDIAN)", "big-endian ARM"),
        NOT_ELF,
        wrong("defined(__arm__) && !defined(__ARM_EABI__)", "a convention before the AAPCS"),
    ],
    wrong_with_addresses: &[
        SHARED,
        wrong(
            "defined(__ARM_ROPI) || defined(__ARM_RWPI) || defined(__FDPIC__)",
            "code and data that are moved at run time (-fropi, -frwpi, -mfdpic)",
        ),
    ],
};

/// The GNU tool settings of a processor.
pub fn gnu(core: &Core) -> Gnu {
    let cpu = cpu(core);
    Gnu {
        flags: format!("-mcpu={cpu} -marm"),
        directives: format!("    .syntax unified\n    .cpu {cpu}\n    .arm\n"),
        type_mark: '%',
        word: ".inst",
        emulator: if is_extended(core) { None } else { qemu("qemu-arm") },
        pie: Some(
            "In a position-independent program (`-pie`) the linker has the loader write these addresses into the code \
             (DT_TEXTREL), and without an operating system nothing does.",
        ),
        ..Gnu::plain("arm-none-eabi-", BUILDS, "@", "binutils-arm-none-eabi gcc-arm-none-eabi")
    }
}
