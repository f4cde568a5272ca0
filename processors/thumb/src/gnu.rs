//! Options of the GNU tools and conditions of the C preprocessor for a Cortex-M.

use crate::parts;
use aesmith_processor::core::Core;
use aesmith_processor::gnu::{Builds, Gnu, NOT_ELF, Optional, Platform, SHARED, Wrong, cpu, qemu, wrong};

const WRONG: &[Wrong] = &[
    wrong("defined(__ARMEB__) || defined(__ARM_BIG_ENDIAN)", "big-endian ARM"),
    NOT_ELF,
    wrong("defined(__arm__) && !defined(__ARM_EABI__)", "a convention before the AAPCS"),
];

const MOVED: &[Wrong] = &[
    SHARED,
    wrong(
        "defined(__ARM_ROPI) || defined(__ARM_RWPI) || defined(__FDPIC__)",
        "code and data that are moved at run time (-fropi, -frwpi, -mfdpic)",
    ),
];

const V6M: Builds = Builds {
    meant: "defined(__thumb__)",
    meant_earlier: None,
    defines: &["__arm__", "__thumb__", "__ELF__", "__ARM_EABI__"],
    form: "little-endian Thumb in ELF by the AAPCS",
    wrong: WRONG,
    wrong_with_addresses: MOVED,
};

const V7M: Builds = Builds {
    meant: "defined(__thumb2__)",
    defines: &["__arm__", "__thumb__", "__thumb2__", "__ELF__", "__ARM_EABI__"],
    form: "little-endian Thumb-2 in ELF by the AAPCS",
    ..V6M
};

/// A platform whose boards with this processor have no data cache, or whose compiler defines which have none.
const fn uncached(name: &'static str) -> Platform {
    Platform { name, uncached: true }
}

/// A platform that has boards with a data cache, or a cache before the flash, which the compiler does not
/// distinguish.
const fn mixed(name: &'static str) -> Platform {
    Platform { name, uncached: false }
}

/// Compilers define that ARMv6-M has no data cache; boards of the first platform with a cache or buffers before
/// the flash are known parts.
const OF_V6M: &[Platform] = &[
    uncached("atmelsam"),
    uncached("nordicnrf51"),
    uncached("ststm32"),
    uncached("raspberrypi"),
    mixed("nxplpc"),
    mixed("freescalekinetis"),
    mixed("teensy"),
    mixed("infineonxmc"),
    mixed("siliconlabsefm32"),
    mixed("wiznet7500"),
];

/// The platforms for ARMv7-M without DSP instructions, as for ARMv6-M.
const OF_M3: &[Platform] =
    &[uncached("ststm32"), uncached("atmelsam"), uncached("nxplpc"), mixed("siliconlabsefm32")];

/// Platforms with a Cortex-M4: other boards of these platforms have a Cortex-M7, or a cache before the flash.
const OF_M4: &[Platform] = &[
    uncached("nordicnrf52"),
    mixed("ststm32"),
    mixed("teensy"),
    mixed("atmelsam"),
    mixed("nxplpc"),
    mixed("freescalekinetis"),
    mixed("titiva"),
    mixed("infineonxmc"),
    mixed("siliconlabsefm32"),
];

/// The RP2350 has a Cortex-M33, and is a known part if tables lie in flash.
const OF_M33: &[Platform] = &[uncached("raspberrypi"), mixed("ststm32"), mixed("renesas-ra")];

const OF_M7: &[Platform] = &[mixed("ststm32"), mixed("teensy"), mixed("nxpimxrt"), mixed("atmelsam")];

/// The GNU tool settings of a processor.
pub fn gnu(core: &Core) -> Gnu {
    let cpu = cpu(core);
    let v6m = (core.isa)().find("movw").is_none();
    let builds = if v6m { V6M } else { V7M };
    Gnu {
        flags: format!("-mcpu={cpu} -mthumb"),
        directives: format!("    .syntax unified\n    .cpu {cpu}\n    .thumb\n"),
        uneven: parts::CORTEX_M,
        // ARMv6-M, ARMv7-M without DSP instructions and the baseline of ARMv8-M have no data cache. Of ARMv7-M
        // with DSP instructions, the Cortex-M4 has none and the Cortex-M7 has one; of ARMv8-M's mainline, the
        // Cortex-M33 has none and the STAR-MC1 may have one. The compiler does not distinguish them.
        uncached: "defined(__ARM_ARCH_6M__) || defined(__ARM_ARCH_7M__) || \
                   defined(__ARM_ARCH_8M_BASE__) || \
                   (defined(__ZEPHYR__) && !defined(CONFIG_CPU_HAS_DCACHE))",
        optional: &[Optional {
            has_row: |row| row.name == "uadd8",
            has: "defined(__ARM_FEATURE_DSP)",
            name: "the DSP extension",
        }],
        function: "    .thumb_func\n",
        type_mark: '%',
        word: ".inst",
        platforms: match cpu {
            _ if v6m => OF_V6M,
            "cortex-m3" => OF_M3,
            "cortex-m33" => OF_M33,
            "cortex-m7" => OF_M7,
            _ => OF_M4,
        },
        // Debian's qemu 7.2 does not run a Cortex-M in user mode; its default processor has all of their
        // instructions.
        emulator: qemu("qemu-arm"),
        arduino: Some("*"),
        zephyr: true,
        pie: Some(
            "In a position-independent program (`-pie`) the linker has the loader write these addresses into the code \
             (DT_TEXTREL), and without an operating system nothing does.",
        ),
        ..Gnu::plain("arm-none-eabi-", builds, "@", "binutils-arm-none-eabi gcc-arm-none-eabi")
    }
}
