//! What GNU's tools are told of each instruction set: the prefix of their names, the directives that an
//! assembly file begins with, and how C code knows that it is compiled for it.

pub mod assembly;
mod macros;
pub mod parts;
pub mod reach;

use crate::EmitError;
use aesmith_processor::core::Core;
use parts::KnownPart;

use object::elf::{EM_386, EM_ARM, EM_AVR, EM_MICROBLAZE, EM_PPC, EM_RISCV, EM_SPARCV9, EM_SPU};

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
    /// The preprocessor's condition that code is for it.
    pub guard: &'static str,
    /// The preprocessor's condition that what it compiles for has no data cache, as far as the compiler or
    /// the operating system says so.
    pub uncached: &'static str,
    /// Known parts without a data cache whose program memory does not take the same time at any address.
    pub uneven: &'static [KnownPart],
    /// What program memory its look-ups do not reach, if there may be any.
    pub reach: Option<Reach>,
    /// Instructions that not every processor has which its guard lets through.
    pub optional: Option<Optional>,
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
    /// The platforms' names with PlatformIO; none that has the processor, where there are none.
    pub platforms: &'static [&'static str],
    /// Whether Zephyr runs on it.
    pub zephyr: bool,
}

impl Gnu {
    /// What the compiler defines for the processor: the first name in the guard.
    pub fn defined(&self) -> Option<&'static str> {
        self.guard.split(['(', ')']).nth(1)
    }
}

/// Instructions that a processor may lack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Optional {
    /// A row of the table without which none of them is of use.
    pub row: &'static str,
    /// The preprocessor's condition that they are there.
    pub has: &'static str,
    /// What they are called.
    pub name: &'static str,
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
const fn qemu(command: &'static str) -> Option<Emulator> {
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

/// Zephyr knows of each processor whether it has a data cache.
const ZEPHYR_UNCACHED: &str = "defined(__ZEPHYR__) && !defined(CONFIG_CPU_HAS_DCACHE)";

/// PlatformIO's platforms on whose processors our code for them meets no data cache, nor any before their flash memory:
/// others have a Cortex-M7, or serial or cached flash memory, too.
pub const UNCACHED_PLATFORMS: &[&str] = &["nordicnrf52"];

/// For a processor, or a sentence.
pub fn gnu(core: &Core) -> Result<Gnu, EmitError> {
    let thumb = (core.isa)().about.unit == 2;
    // What an extension adds is macros: the tools are told of the base.
    let (name, extended) = core.name.split_once('+').map_or((core.name, false), |(base, _)| (base, true));
    let cpu = core.cpu.unwrap_or(name);
    let own = |prefix, guard, comment, packages| Gnu {
        prefix,
        flags: String::new(),
        linker: String::new(),
        directives: String::new(),
        guard,
        uncached: ZEPHYR_UNCACHED,
        uneven: &[],
        reach: None,
        optional: None,
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
    };
    // AVR's flags name a device, or an architecture, for which its tools have no start-up code.
    let architecture = cpu.starts_with("avr");
    let found = match core.machine {
        EM_AVR => Gnu {
            flags: format!("-mmcu={cpu}"),
            // Its linker takes devices' objects as they are, and is told of architectures.
            linker: if architecture { format!("-m{cpu}") } else { String::new() },
            // No AVR has one.
            uncached: "1",
            // Compilers define it where there are more than 64 KiB of flash.
            reach: Some(Reach {
                more: "defined(__AVR_HAVE_ELPM__)",
                by: "lpm",
                bytes: 1 << 16,
                nothing: "R_AVR_NONE",
            }),
            // simavr has devices, and an ATmega328P among them; architectures stand for AVRxt here.
            emulator: (!architecture).then_some(Emulator {
                command: "simavr -m atmega328p -f 16000000",
                package: "simavr",
                linker: "",
            }),
            arduino: Some(if architecture { "megaavr" } else { "avr" }),
            platforms: if architecture { &["atmelmegaavr"] } else { &["atmelavr"] },
            ..own("avr-", "defined(__AVR__)", ";", "binutils-avr gcc-avr avr-libc")
        },
        EM_ARM => {
            let state = if thumb { "-mthumb" } else { "-marm" };
            let v6m = (core.isa)().find("movw").is_none();
            let mut arm = own(
                "arm-none-eabi-",
                match (thumb, v6m) {
                    (true, true) => "defined(__thumb__)",
                    (true, false) => "defined(__thumb2__)",
                    (false, _) => "defined(__arm__) && !defined(__thumb2__)",
                },
                "@",
                "binutils-arm-none-eabi gcc-arm-none-eabi",
            );
            arm.flags = format!("-mcpu={cpu} {state}");
            arm.directives = format!(
                "    .syntax unified\n    .cpu {cpu}\n    {}\n",
                if thumb { ".thumb" } else { ".arm" }
            );
            if thumb {
                arm.uneven = parts::CORTEX_M;
                // ARMv6-M, ARMv7-M without DSP instructions and the baseline of ARMv8-M have none. Of ARMv7-M with
                // them the Cortex-M4 has none and the Cortex-M7 has one, of ARMv8-M's mainline the Cortex-M33 has
                // none and the STAR-MC1 may have one, and the compiler does not tell them apart.
                arm.uncached = "defined(__ARM_ARCH_6M__) || defined(__ARM_ARCH_7M__) || \
                                defined(__ARM_ARCH_8M_BASE__) || \
                                (defined(__ZEPHYR__) && !defined(CONFIG_CPU_HAS_DCACHE))";
            }
            arm.optional = thumb.then_some(Optional {
                row: "uadd8",
                has: "defined(__ARM_FEATURE_DSP)",
                name: "the DSP extension",
            });
            arm.function = if thumb { "    .thumb_func\n" } else { "" };
            arm.type_mark = '%';
            arm.word = ".inst";
            arm.platforms = if thumb { &["ststm32", "nordicnrf52", "raspberrypi", "teensy"] } else { &[] };
            // Debian's qemu 7.2 runs no Cortex-M in user mode; its default has all of their instructions.
            arm.emulator = if extended { None } else { qemu("qemu-arm") };
            arm.arduino = thumb.then_some("*");
            arm.zephyr = thumb;
            arm
        }
        EM_RISCV => {
            let mut riscv = own(
                "riscv64-unknown-elf-",
                "defined(__riscv) && __riscv_xlen == 32",
                "#",
                "binutils-riscv64-unknown-elf gcc-riscv64-unknown-elf",
            );
            let sets = ["rori", "aes32esi", "c.addi", "c_addi", "mul"];
            let [bits, aes, c, c2, m] = sets.map(|row| (core.isa)().find(row).is_some());
            let mut march = format!("rv32i{}{}", if m { "m" } else { "" }, if c || c2 { "c" } else { "" });
            if bits {
                march.push_str("_zbkb");
            }
            if aes && !extended {
                march.push_str("_zkne_zknd");
            }
            riscv.flags = format!("-march={march} -mabi=ilp32");
            riscv.linker = "-melf32lriscv".into();
            riscv.by_length = true;
            // Relaxation would move code that loops are aligned in.
            riscv.directives = "    .option norelax\n".into();
            riscv.platforms = &["sifive", "espressif32"];
            riscv.emulator = match (extended, bits) {
                (true, _) => None,
                (false, true) => qemu("qemu-riscv32 -cpu rv32,zbkb=true,zkne=true,zknd=true"),
                (false, false) => qemu("qemu-riscv32"),
            };
            riscv.uneven = parts::RISC_V;
            riscv.arduino = Some("*");
            riscv.zephyr = true;
            riscv
        }
        EM_MICROBLAZE => Gnu {
            flags: "-mlittle-endian".into(),
            compiler: false,
            ..own(
                "microblazeel-elf-",
                "defined(__MICROBLAZE__)",
                "#",
                "binutils-source, built by scripts/need.sh",
            )
        },
        EM_PPC => Gnu {
            // AltiVec is nothing that the assembler has by itself.
            directives: format!("    .machine \"{cpu}\"\n"),
            // Its own choice of a processor has no AltiVec.
            emulator: qemu(if cpu == "7450" { "qemu-ppc -cpu 7450" } else { "qemu-ppc -cpu 7400" }),
            ..own(
                "powerpc-linux-gnu-",
                "defined(__powerpc__) && !defined(__powerpc64__)",
                "#",
                "binutils-powerpc-linux-gnu gcc-powerpc-linux-gnu",
            )
        },
        EM_SPARCV9 => Gnu {
            directives: "    .register %g2, #scratch\n    .register %g3, #scratch\n".into(),
            emulator: qemu("qemu-sparc64"),
            ..own(
                "sparc64-linux-gnu-",
                "defined(__sparc__) && defined(__arch64__)",
                "!",
                "binutils-sparc64-linux-gnu gcc-sparc64-linux-gnu",
            )
        },
        EM_SPU => Gnu {
            compiler: false,
            ..own("spu-elf-", "defined(__SPU__)", "#", "binutils-source, built by scripts/need.sh")
        },
        EM_386 => Gnu {
            emulator: qemu("qemu-i386"),
            ..own("i686-linux-gnu-", "defined(__i386__)", "#", "binutils-i686-linux-gnu gcc-i686-linux-gnu")
        },
        other => {
            return Err(EmitError(format!(
                "{} is a processor (ELF machine {other}) whose GNU tools are not known here: no code is printed",
                core.name
            )));
        }
    };
    Ok(found)
}
