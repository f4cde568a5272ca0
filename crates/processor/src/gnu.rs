//! What GNU's tools and C's preprocessor are told of a processor, and what they say of it: each family has its record.

use crate::core::Core;
use aesmith_isa::table::Row;

/// How GNU as and gcc are spoken to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gnu {
    /// What their names begin with: `avr-`.
    pub prefix: &'static str,
    /// The architecture of the processor, as gcc and as take it.
    pub flags: String,
    /// What else the linker is told.
    pub linker: String,
    /// The lines before the code.
    pub directives: String,
    /// Which builds the code is for, and which are refused.
    pub builds: Builds,
    /// What linkers make of a position-independent program with code that holds addresses of its tables, as a sentence;
    /// none where the tools make no such programs.
    pub pie: Option<&'static str>,
    /// The preprocessor's condition that what it compiles for has no data cache, as far as the compiler or
    /// the operating system says so.
    pub uncached: &'static str,
    /// Known parts without a data cache whose program memory does not take the same time at any address.
    pub uneven: &'static [KnownPart],
    /// What program memory its look-ups do not reach, if there may be any.
    pub reach: Option<Reach>,
    /// Instructions that not every processor has for which code may be built.
    pub optional: &'static [Optional],
    /// What a line of comment starts with.
    pub comment: &'static str,
    /// Line before a function's label.
    pub function: &'static str,
    /// The directive of an instruction given as a number of 32 bits.
    pub word: &'static str,
    /// Whether the printer chooses the lengths of branches, since the assembler's choice differs from ours.
    pub by_length: bool,
    /// What `.type` writes before `function`.
    pub type_mark: char,
    /// The Debian packages of assembler and compiler.
    pub packages: &'static str,
    /// Whether a gcc for it is in distributions; else packages are built by the assembler alone.
    pub compiler: bool,
    /// What runs a program for it: the emulator and what it is told before the program's name.
    pub emulator: Option<Emulator>,
    /// The architectures' names with Arduino, if Arduino has the processor.
    pub arduino: Option<&'static str>,
    /// PlatformIO's platforms with the processor; empty where it has none.
    pub platforms: &'static [Platform],
    /// Whether Zephyr runs on it.
    pub zephyr: bool,
}

/// The builds that assembly is for. What is compiled for another family gets the same functions in C; what is compiled
/// for this family in a form for which the assembly is wrong is refused by a sentence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Builds {
    /// The preprocessor's condition that the assembly is meant.
    pub meant: &'static str,
    /// What stood in place of `meant` in packages of earlier versions, if it was another condition.
    pub meant_earlier: Option<&'static str>,
    /// What compilers define for the builds that are right, as options behind `-D` have it: for a preprocessor that is
    /// none of theirs.
    pub defines: &'static [&'static str],
    /// What the assembly is for, as a part of a sentence.
    pub form: &'static str,
    /// The builds for the family that are refused.
    pub wrong: &'static [Wrong],
    /// The builds that are refused where the code holds addresses of its tables.
    pub wrong_with_addresses: &'static [Wrong],
}

/// A kind of build for which assembly is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wrong {
    /// The preprocessor's condition.
    pub when: &'static str,
    /// What such a build is for, as a part of a sentence.
    pub what: &'static str,
}

/// A kind of build for which assembly is wrong.
pub const fn wrong(when: &'static str, what: &'static str) -> Wrong {
    Wrong { when, what }
}

/// Objects of another format than ELF, and conventions of the systems that have them.
pub const NOT_ELF: Wrong =
    wrong("!defined(__ELF__)", "another object format and its convention (Windows, Mach-O or XCOFF)");

/// Programs and shared objects that are loaded at any address.
pub const SHARED: Wrong =
    wrong("defined(__PIC__) && !defined(__PIE__)", "shared objects (-fPIC), which are loaded at any address");

impl Builds {
    /// The conditions behind which C may stand beside the assembly: the present one, and those of earlier versions, each
    /// of which holds in no build that is right.
    pub fn elsewhere(&self) -> Vec<String> {
        let earlier = self.meant_earlier.unwrap_or(self.meant);
        [self.right(), earlier.to_owned()].map(|condition| format!("#if !({condition})")).to_vec()
    }

    /// The preprocessor's condition that the assembly is built: then nothing stands in its place.
    pub fn right(&self) -> String {
        let wrong = self.wrong.iter().map(|wrong| format!(" && !({})", wrong.when));
        format!("({}){}", self.meant, wrong.collect::<String>())
    }
}

/// Instructions that a processor may lack.
#[derive(Clone, Copy, Debug)]
pub struct Optional {
    /// The rows of the table that are among them.
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
    /// Whether the processor has no data cache on any of its boards, nor a cache or a serial interface before the
    /// program memory.
    pub uncached: bool,
}

/// An emulator in which a package's self-test runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Emulator {
    /// The program and its options.
    pub command: &'static str,
    /// The Debian package that has it.
    pub package: &'static str,
    /// What the linker is told: programs for Linux's system calls have no run-time library.
    pub linker: &'static str,
}

/// Runs programs for Linux; the self-test brings its own entry and makes one system call.
pub const fn qemu(command: &'static str) -> Option<Emulator> {
    Some(Emulator { command, package: "qemu-user", linker: "-nostdlib -static -Wl,--no-relax" })
}

/// How much of the program memory look-ups reach where addresses of data have fewer bits than those of code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reach {
    /// The preprocessor's condition that there is more.
    pub more: &'static str,
    /// The instruction that looks up.
    pub by: &'static str,
    /// Bytes that it reaches.
    pub bytes: u64,
    /// The relocation that names a symbol and changes nothing.
    pub nothing: &'static str,
}

impl Reach {
    /// What Arduino's users must know before they take a library: it brings no linker script.
    pub fn on_arduino(&self) -> String {
        format!(
            "With its tables in flash (`--max-ram 0`) it is not for boards with more than {} KiB of flash, such as the Mega \
             2560: the tables must lie in the lower {0} KiB, and no library of Arduino can add the linker script that holds \
             them there. With its tables in RAM it is for these boards, too.",
            self.bytes >> 10
        )
    }
}

/// What linkers make of position-independent programs for Linux, where compilers make them unless they are told otherwise.
pub const TEXT_RELOCATIONS: &str = "In a position-independent program, which Debian's gcc makes where it is not told `-no-pie`, the \
                                    linker has the loader write these addresses into the code (DT_TEXTREL), which hardened \
                                    systems refuse.";

/// Zephyr knows of each processor whether it has a data cache.
pub const ZEPHYR_UNCACHED: &str = "defined(__ZEPHYR__) && !defined(CONFIG_CPU_HAS_DCACHE)";

/// A known part, or a series of parts, on which a load from program memory does not take the same time at any address,
/// though its processor has no data cache: look-ups at secret addresses are refused there unless the build says that the
/// tables lie elsewhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KnownPart {
    /// Its name.
    pub name: &'static str,
    /// The preprocessor's condition that code is compiled for it: what its SDK, Arduino, PlatformIO or Zephyr define.
    pub defined: &'static str,
    /// What stands before its program memory.
    pub why: &'static str,
    /// The document and section that says so.
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

/// A chip of which the builder chooses the processors: it has both families.
pub const RP2350: KnownPart = part(
    "the RP2350",
    "defined(PICO_RP2350) || defined(CONFIG_SOC_SERIES_RP2350)",
    "a cache stands before its serial flash",
    "RP2350 Datasheet, 4.4",
);

impl Gnu {
    /// Options of a preprocessor that is none of the processor's own: what compilers define for it, with all instructions
    /// that it may have.
    pub fn defines(&self) -> Vec<String> {
        let optional = self
            .optional
            .iter()
            .filter_map(|optional| optional.has.split(['(', ')']).find(|s| s.starts_with("__")));
        self.builds.defines.iter().copied().chain(optional).map(|name| format!("-D{name}")).collect()
    }

    /// A record with what most processors have: the tools' prefix, the builds, how comments begin, the Debian packages.
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
            emulator: None,
            arduino: None,
            platforms: &[],
            zephyr: false,
        }
    }
}

/// The name with GNU's tools of a processor without what an extension adds: its instructions are macros.
pub fn cpu(core: &Core) -> &'static str {
    core.cpu.unwrap_or_else(|| core.name.split_once('+').map_or(core.name, |(base, _)| base))
}

/// True if an extension adds instructions to the processor.
pub fn is_extended(core: &Core) -> bool {
    core.name.contains('+')
}
