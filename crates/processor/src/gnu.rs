//! Settings of GNU's tools and C's preprocessor for a processor, and the preprocessor conditions that identify it; each
//! family has a record.

use crate::core::Core;
use aesmith_isa::table::Row;

/// The settings for GNU as and gcc.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gnu {
    /// Prefix of the tools' names: `avr-`.
    pub prefix: &'static str,
    /// Options for the processor's architecture, for gcc and as.
    pub flags: String,
    /// Further options of the linker.
    pub linker: String,
    /// The lines before the code.
    pub directives: String,
    /// Builds that the code is for, and builds that are refused.
    pub builds: Builds,
    /// A sentence about text relocations: the linker's result for a position-independent program with code that holds
    /// addresses of its tables; `None` if the tools make no such programs.
    pub pie: Option<&'static str>,
    /// The preprocessor's condition that the target has no data cache, as far as the compiler or the operating system
    /// defines it.
    pub uncached: &'static str,
    /// Known parts without a data cache whose program memory does not have equal access time for all addresses.
    pub uneven: &'static [KnownPart],
    /// The limit on the program memory that its look-ups reach, if there may be more.
    pub reach: Option<Reach>,
    /// Instructions that some of the processors lack for which the code may be built.
    pub optional: &'static [Optional],
    /// The start of a comment line.
    pub comment: &'static str,
    /// Line before a function's label.
    pub function: &'static str,
    /// The directive for an instruction given as a 32-bit number.
    pub word: &'static str,
    /// True if the printer chooses the lengths of branches, since the assembler's choice differs from ours.
    pub by_length: bool,
    /// The character that `.type` needs before `function`.
    pub type_mark: char,
    /// The Debian packages of assembler and compiler.
    pub packages: &'static str,
    /// True if distributions have a gcc for it; otherwise packages are built by the assembler alone.
    pub compiler: bool,
    /// The compiler that programs for it are built by where distributions have none, as a part of a sentence.
    pub compiled_by: &'static str,
    /// The emulator that runs a program for it, with its options.
    pub emulator: Option<Emulator>,
    /// The architectures' names in Arduino, if Arduino supports the processor.
    pub arduino: Option<&'static str>,
    /// PlatformIO's platforms with the processor; empty if there are none.
    pub platforms: &'static [Platform],
    /// True if Zephyr runs on it.
    pub zephyr: bool,
}

/// The builds that assembly is for. Builds for another family get the same functions in C; builds for this family for
/// which the assembly is wrong are refused with a sentence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Builds {
    /// The preprocessor's condition that the assembly is meant.
    pub meant: &'static str,
    /// The condition in place of `meant` in packages of earlier versions, if it differed.
    pub meant_earlier: Option<&'static str>,
    /// The macros that compilers define for the right builds, in the form of `-D` options: for a preprocessor that does
    /// not belong to them.
    pub defines: &'static [&'static str],
    /// The target of the assembly, as a part of a sentence.
    pub form: &'static str,
    /// The builds for the family that are refused.
    pub wrong: &'static [Wrong],
    /// Further builds that are refused if the code holds addresses of its tables.
    pub wrong_with_addresses: &'static [Wrong],
}

/// A kind of build for which the assembly is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wrong {
    /// The preprocessor's condition.
    pub when: &'static str,
    /// The target of such a build, as a part of a sentence.
    pub what: &'static str,
}

/// A kind of build for which the assembly is wrong.
pub const fn wrong(when: &'static str, what: &'static str) -> Wrong {
    Wrong { when, what }
}

/// Object formats other than ELF, and the conventions of their systems.
pub const NOT_ELF: Wrong =
    wrong("!defined(__ELF__)", "another object format and its convention (Windows, Mach-O or XCOFF)");

/// Shared objects, which are loaded at any address.
pub const SHARED: Wrong =
    wrong("defined(__PIC__) && !defined(__PIE__)", "shared objects (-fPIC), which are loaded at any address");

impl Builds {
    /// The conditions that guard C beside the assembly: the present one, and those of earlier versions, each of which
    /// is false in every right build.
    pub fn elsewhere(&self) -> Vec<String> {
        let earlier = self.meant_earlier.unwrap_or(self.meant);
        [self.right(), earlier.to_owned()].map(|condition| format!("#if !({condition})")).to_vec()
    }

    /// The preprocessor's condition that the assembly is built; then no C replaces it.
    pub fn right(&self) -> String {
        let wrong = self.wrong.iter().map(|wrong| format!(" && !({})", wrong.when));
        format!("({}){}", self.meant, wrong.collect::<String>())
    }
}

/// Instructions that a processor may lack.
#[derive(Clone, Copy, Debug)]
pub struct Optional {
    /// Predicate for the rows of the table with these instructions.
    pub has_row: fn(&Row) -> bool,
    /// The preprocessor's condition that the processor has them.
    pub has: &'static str,
    /// Their name in a sentence.
    pub name: &'static str,
}

impl PartialEq for Optional {
    fn eq(&self, other: &Optional) -> bool {
        (self.has, self.name) == (other.has, other.name)
    }
}

impl Eq for Optional {}

/// A platform of PlatformIO.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Platform {
    /// Its name.
    pub name: &'static str,
    /// True if the processor has no data cache on any of its boards, nor a cache or a serial interface in front of the
    /// program memory.
    pub uncached: bool,
}

/// An emulator that runs a package's self-test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Emulator {
    /// The program and its options.
    pub command: &'static str,
    /// The Debian package that has it.
    pub package: &'static str,
    /// Options of the linker: programs that use Linux's system calls have no run-time library.
    pub linker: &'static str,
}

/// qemu's user mode, which runs Linux programs; the self-test has its own entry and makes one system call.
pub const fn qemu(command: &'static str) -> Option<Emulator> {
    Some(Emulator { command, package: "qemu-user", linker: "-nostdlib -static -Wl,--no-relax" })
}

/// The part of program memory that look-ups reach if addresses of data have fewer bits than those of code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reach {
    /// The preprocessor's condition that there is more program memory.
    pub more: &'static str,
    /// The look-up instruction.
    pub by: &'static str,
    /// Number of bytes that it reaches.
    pub bytes: u64,
    /// The relocation that names a symbol without changing any bytes.
    pub nothing: &'static str,
}

impl Reach {
    /// A note for Arduino users, whose libraries cannot bring a linker script.
    pub fn on_arduino(&self) -> String {
        format!(
            "With its tables in flash (`--max-ram 0`) it is not for boards with more than {} KiB of flash, such as the Mega \
             2560: the tables must lie in the lower {0} KiB, and no library of Arduino can add the linker script that holds \
             them there. With its tables in RAM it is for these boards, too.",
            self.bytes >> 10
        )
    }
}

/// The linker's result for position-independent Linux programs, which compilers make by default.
pub const TEXT_RELOCATIONS: &str = "In a position-independent program, which Debian's gcc makes where it is not told `-no-pie`, the \
                                    linker has the loader write these addresses into the code (DT_TEXTREL), which hardened \
                                    systems refuse.";

/// Zephyr defines for each processor if it has a data cache.
pub(crate) const ZEPHYR_UNCACHED: &str = "defined(__ZEPHYR__) && !defined(CONFIG_CPU_HAS_DCACHE)";

/// A known part, or a series of parts, without a data cache but with program memory whose access time depends on the
/// address: look-ups at secret addresses are refused there unless the build declares that the tables lie elsewhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KnownPart {
    /// Its name.
    pub name: &'static str,
    /// The preprocessor's condition for a build for it: a macro of its SDK, Arduino, PlatformIO or Zephyr.
    pub defined: &'static str,
    /// The cache or interface in front of its program memory.
    pub why: &'static str,
    /// The document and section that states it.
    pub source: &'static str,
}

/// A known part.
pub const fn part(
    name: &'static str,
    defined: &'static str,
    why: &'static str,
    source: &'static str,
) -> KnownPart {
    KnownPart { name, defined, why, source }
}

/// A chip with processors of both families, among which the builder chooses.
pub const RP2350: KnownPart = part(
    "the RP2350",
    "defined(PICO_RP2350) || defined(CONFIG_SOC_SERIES_RP2350)",
    "a cache stands before its serial flash",
    "RP2350 Datasheet, 4.4",
);

impl Gnu {
    /// Options for a preprocessor that does not belong to the processor's compiler: the macros that compilers define
    /// for it, with all optional instructions.
    pub fn defines(&self) -> Vec<String> {
        let optional = self
            .optional
            .iter()
            .filter_map(|optional| optional.has.split(['(', ')']).find(|s| s.starts_with("__")));
        self.builds.defines.iter().copied().chain(optional).map(|name| format!("-D{name}")).collect()
    }

    /// A record with defaults that suit most processors, from the tools' prefix, the builds, the start of comments, and
    /// the Debian packages.
    pub fn plain(prefix: &'static str, builds: Builds, comment: &'static str, packages: &'static str) -> Gnu {
        Gnu {
            prefix,
            flags: String::new(),
            linker: String::new(),
            directives: String::new(),
            builds,
            pie: None,
            uncached: ZEPHYR_UNCACHED,
            uneven: &[],
            reach: None,
            optional: &[],
            comment,
            function: "",
            word: ".4byte",
            by_length: false,
            type_mark: '@',
            packages,
            compiler: true,
            compiled_by: "GNU's compiler",
            emulator: None,
            arduino: None,
            platforms: &[],
            zephyr: false,
        }
    }
}

/// A processor's name in GNU's tools, without its extension, whose instructions are macros.
pub fn cpu(core: &Core) -> &'static str {
    core.cpu.unwrap_or_else(|| core.name.split_once('+').map_or(core.name, |(base, _)| base))
}

/// True if an extension adds instructions to the processor.
pub fn is_extended(core: &Core) -> bool {
    core.name.contains('+')
}
