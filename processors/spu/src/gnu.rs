//! Options of the GNU tools and conditions of the C preprocessor for the SPU.

use aesmith_processor::core::Core;
use aesmith_processor::gnu::{Builds, Gnu};

/// SPUs have one byte order, one width and one object format, and the code uses only relative addresses.
const BUILDS: Builds = Builds {
    meant: "defined(__SPU__)",
    meant_earlier: None,
    defines: &["__SPU__"],
    form: "the Cell's SPU",
    wrong: &[],
    wrong_with_addresses: &[],
};

/// The GNU tool settings of the processor.
pub fn gnu(_: &Core) -> Gnu {
    Gnu {
        compiler: false,
        compiled_by: "the compiler of the Cell's development kit (`spu-gcc`)",
        ..Gnu::plain("spu-elf-", BUILDS, "#", "binutils-source, built by scripts/need.sh")
    }
}
