//! The register of processors, one line per family.
//!
//! ```
//! let avr = aesmith_processors::core("avr").unwrap();
//! let plain = avr.table.plain("aes128-ecb".parse().unwrap());
//! let kernel = (avr.build)(&plain).unwrap();
//! assert!(kernel.flash((avr.isa)()) > 0, "bytes of flash of the AVR kernel with no choice made");
//! ```

use aesmith_cipher::problem::nearest;

use aesmith_isa::image::Image;
use aesmith_processor::core::{Chips, Core, InChip};
use aesmith_processor::dialect::Dialect;
use aesmith_processor::elf::Linking;
use aesmith_processor::grid::Grids;
use aesmith_processor::measured::Measured;
use aesmith_processor::processor::Processor;
use std::sync::OnceLock;

/// All processors.
pub fn all() -> impl Iterator<Item = &'static dyn Processor> {
    let measured = measured().map(|processor| processor as &dyn Processor);
    let grids = grids().map(|grids| grids as &dyn Processor);
    measured.chain(cores().map(|core| core as &dyn Processor)).chain(grids)
}

/// The processor with a name.
///
/// # Errors
/// No processor has this name; the sentence suggests the nearest one.
pub fn find(name: &str) -> Result<&'static dyn Processor, String> {
    all().find(|processor| processor.name() == name).ok_or_else(|| {
        match in_chip(name) {
            Some(InChip::Is(core)) => {
                return format!("{name} is a chip with the core `{core}`: name that, --processor {core}");
            }
            Some(InChip::Lacks(core)) => {
                return format!(
                    "{name} lacks some instructions of the core `{core}`, which no proof here notices: see that its \
                     assembler takes the kernel, and name --processor {core}"
                );
            }
            Some(InChip::Another) => {
                return format!(
                    "{name} has a core that no processor here is, or several; `aesmith processors` lists those here"
                );
            }
            None => {}
        }
        let names: Vec<String> = all().map(|processor| processor.name().to_owned()).collect();
        match nearest(name, &names, 3).as_slice() {
            [] => format!("there is no processor '{name}'; `aesmith processors` lists them"),
            near => format!(
                "there is no processor '{name}'; did you mean {}? `aesmith processors` lists all",
                near.join(", ")
            ),
        }
    })
}

/// The text form of today for a variant's text form of any version; a text that no processor reads stays as it is.
pub fn today(processor: &str, text: &str) -> String {
    let found = all().find(|known| known.name() == processor);
    found.map_or_else(|| text.to_owned(), |known| known.table().today(text).into_owned())
}

/// The names of chips with their cores.
fn chips() -> impl Iterator<Item = (InChip, &'static str)> {
    let families: [&'static Chips; 5] = [
        aesmith_avr::CHIPS,
        aesmith_thumb::CHIPS,
        aesmith_arm::CHIPS,
        aesmith_rv32::CHIPS,
        aesmith_powerpc::CHIPS,
    ];
    let groups = families.into_iter().flatten();
    groups.flat_map(|&(of, names)| names.split_whitespace().map(move |name| (of, name)))
}

/// The core of a chip with this name, if it is known.
fn in_chip(name: &str) -> Option<InChip> {
    let name = name.to_ascii_lowercase().replace(['-', '_'], "");
    let fits = |known: &str| match known.strip_suffix('*') {
        Some(start) => name.starts_with(start),
        None => name == known,
    };
    chips()
        .filter(|(_, known)| fits(known))
        .max_by_key(|(_, known)| (!known.ends_with('*'), known.len()))
        .map(|(of, _)| of)
}

/// The name of the processor in a chip, such as `avr` for `atmega328p`; `None` for names of processors and their beginnings, for
/// chips with a core that no processor here is or that lacks instructions, and for unknown names.
pub fn core_of_chip(name: &str) -> Option<&'static str> {
    // A beginning of a processor's name may be a slip, and gets the error that suggests it.
    if all().any(|processor| processor.name().starts_with(name)) {
        return None;
    }
    match in_chip(name)? {
        InChip::Is(core) => Some(core),
        InChip::Lacks(_) | InChip::Another => None,
    }
}

/// The processors whose cycles a timing table predicts.
pub fn cores() -> impl Iterator<Item = &'static Core> {
    [
        aesmith_avr::CORES,
        aesmith_thumb::CORES,
        aesmith_arm::CORES,
        aesmith_rv32::CORES,
        aesmith_microblaze::CORES,
        aesmith_powerpc::CORES,
        aesmith_sparc::CORES,
        aesmith_spu::CORES,
        aesmith_i386::CORES,
    ]
    .into_iter()
    .flatten()
}

/// The processor with a name whose cycles a timing table predicts.
///
/// # Errors
/// There is none, or its cycles are measured.
pub fn core(name: &str) -> Result<&'static Core, String> {
    let found = find(name)?;
    found.core().ok_or_else(|| match found.grids() {
        Some(_) => format!(
            "cycles of {name} are not predicted: its kernels are text, which `aesmith tune`, `emit`, `verify`, `count`, \
             `explain` and `space` know with --processor {name}"
        ),
        None => format!(
            "cycles of {name} are measured where the program runs; what is asked for needs a processor whose \
             instructions have a table of timing, which `aesmith processors` lists with their judges"
        ),
    })
}

/// The processors whose time is measured by running on them.
pub fn measured() -> impl Iterator<Item = &'static Measured> {
    [&aesmith_x86::processor::X86_64].into_iter()
}

/// The processors that execute grids of threads, from text.
pub fn grids() -> impl Iterator<Item = &'static Grids> {
    [&aesmith_gpu::GPU].into_iter()
}

/// The processor that the program runs on. On a machine outside the register, the first whose time is measured
/// where it is: its kernels can be made, proved and modelled there without naming it ([`Measured::is_here`] tells the
/// difference).
///
/// # Panics
/// The register has no such processor.
pub fn this_machine() -> &'static Measured {
    static FOUND: OnceLock<&'static Measured> = OnceLock::new();
    FOUND.get_or_init(|| {
        let matching = measured().find(|processor| processor.is_here());
        matching.or_else(|| measured().next()).expect("the register has a processor that is measured")
    })
}

/// The file formats of machine code, for the processors whose kernels are machine code.
pub fn dialects() -> impl Iterator<Item = &'static Dialect> {
    measured().map(|processor| processor.dialect)
}

/// Objects of the machine with this number in ELF, as linkers treat them.
///
/// # Errors
/// No processor of the register has such objects.
pub fn linking(machine: u16) -> Result<&'static Linking, String> {
    static ALL: OnceLock<Vec<Linking>> = OnceLock::new();
    let all = ALL.get_or_init(|| {
        let mut all: Vec<Linking> = Vec::new();
        for of in cores().map(|core| core.linking) {
            match all.iter_mut().find(|known| known.head.number == of.head.number) {
                Some(known) => *known = known.with(of),
                None => all.push(*of),
            }
        }
        all
    });
    all.iter()
        .find(|known| known.head.number == machine)
        .ok_or_else(|| format!("the file is for {}, of which nothing can be verified", machine_name(machine)))
}

/// The name of a machine that no processor of the register is of.
fn foreign(machine: u16) -> String {
    match machine {
        8 => "MIPS".into(),
        183 => "64-bit ARM".into(),
        258 => "LoongArch".into(),
        _ => format!("machine number {machine}"),
    }
}

/// The relocation of a machine by which a function runs as a program starts, and gives what is written (`R_*_IRELATIVE` of
/// the System V ABI's supplements); `None` for machines without one, by their numbers in ELF.
pub fn by_a_function(machine: u16) -> Option<u32> {
    Some(match machine {
        62 => 37,
        3 => 42,
        40 => 160,
        183 => 1032,
        243 => 58,
        20 | 21 => 248,
        2 | 18 | 43 => 249,
        _ => return None,
    })
}

/// The name in a sentence of the machine with this number in ELF.
pub fn machine_name(machine: u16) -> String {
    let bytes = dialects().map(|dialect| dialect.elf.head);
    let mut heads = cores().map(|core| core.linking.head).chain(bytes);
    heads.find(|head| head.number == machine).map_or_else(|| foreign(machine), |head| head.name.into())
}

/// Reads a program for a processor from an ELF file.
///
/// # Errors
/// The file is damaged, is no executable, or is for another machine, which is named.
pub fn program(core: &Core, bytes: &[u8]) -> Result<Image, String> {
    let head = &core.linking.head;
    Image::from_elf(bytes, head).map_err(|why| match aesmith_isa::elf::machine(bytes) {
        Some(found) if found != head.number => {
            format!("it is a program for {}, not for {}", machine_name(found), head.name)
        }
        _ => why,
    })
}

/// Bits of the ELF files of the machine with this number; 32 if no processor of the register has it.
pub fn bits_of(machine: u16) -> u8 {
    cores().map(|core| core.linking.head).find(|head| head.number == machine).map_or(32, |head| head.bits)
}

/// Levels of CPUs, which names of functions and recipes may carry.
pub fn levels() -> impl Iterator<Item = &'static str> {
    dialects().flat_map(|dialect| dialect.levels.iter().copied())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Chips by the core that their data sheets name; an empty name stands for another core, and a dash before a name for
    /// a core with fewer instructions.
    const CORES_OF_CHIPS: [(&str, &str); 22] = [
        ("avr", "ATmega328P atmega16 atmega162 atmega32u4 atmega1284p atmega2560 at90can128 arduino-uno"),
        ("avrxt", "atmega4809 atmega808 attiny1614 attiny212 attiny824 attiny3227 avr128da48 AVR64DD32"),
        ("-avr", "attiny85 attiny13 attiny2313 attiny828 attiny841 attiny1634 atmega8 atmega48 atmega88p"),
        (
            "",
            "attiny4 attiny5 attiny9 attiny10 attiny20 attiny40 attiny102 attiny22 attiny26 at90s2313 atmega103",
        ),
        ("", "attiny11 attiny12 attiny15 attiny28 at90s1200 atxmega128a1"),
        ("cortex-m0", "lpc1114 lpc11u24 nrf51822 stm32f030"),
        ("cortex-m0plus", "lpc11u68 rp2040 samd21 samd11 STM32G071 stm32l053"),
        ("cortex-m3", "lpc1768 sam3x8e stm32f103 stm32f207 stm32l152"),
        ("cortex-m4", "nrf52840 nrf52832 samd51 stm32f303 STM32F407 stm32g474 stm32l476"),
        ("cortex-m33", "imxrt685 imxrt595 nrf5340 nrf9160 rp2350 stm32h563 stm32l552 stm32u575"),
        ("cortex-m7", "imxrt1011 imxrt1062 stm32f746 stm32h743 stm32h750"),
        ("", "imxrt1176 imxrt1189 stm32h745 stm32h757"),
        ("arm7tdmi", "arm7tdmi-s at91sam7s256 lpc2148"),
        ("arm9tdmi", "arm920t arm922t"),
        ("strongarm", "SA-1110 sa110"),
        ("", "arm710t arm720t arm740t arm7500fe arm926ej-s arm946e-s"),
        ("rv32imc", "ch32v203 ch32v307 esp32-c3 esp32c6 esp32h2 gd32vf103"),
        ("fe310", "fe310-g002"),
        ("", "ch32v003 esp32 esp32s3 esp32p4"),
        ("ppc7410", "mpc7410"),
        ("ppc7450", "mpc7450 g4"),
        ("unknown", "avrr arduinodue attiny850 arm samd9 g474 gd32vw553 mpc8548"),
    ];

    #[test]
    fn chips_are_told_by_their_cores() {
        for (core, chips) in CORES_OF_CHIPS {
            for chip in chips.split(' ') {
                let (is, words) = match core.strip_prefix('-') {
                    Some(core) => (None, format!("lacks some instructions of the core `{core}`")),
                    None if core.is_empty() => (None, "a core that no processor here is".to_owned()),
                    None if core == "unknown" => (None, format!("there is no processor '{chip}'")),
                    None => (Some(core), format!("--processor {core}")),
                };
                assert_eq!(core_of_chip(chip), is, "{chip}");
                let said = find(chip).err().unwrap();
                assert!(said.contains(chip) && said.contains(&words), "{said}");
            }
        }
        assert_eq!(["avr", "gpu"].map(core_of_chip), [None; 2]);
        assert!(find("avrr").err().unwrap().contains("did you mean avr"));
    }

    /// Every core of the lists is a processor, and no name stands in two of them.
    #[test]
    fn lists_of_chips_name_processors_and_no_chip_twice() {
        for (of, name) in chips() {
            if let InChip::Is(core) | InChip::Lacks(core) = of {
                assert!(find(core).is_ok(), "{name} has {core}, which is no processor here");
            }
        }
        let mut known: Vec<&str> = chips().map(|(_, name)| name).collect();
        let all = known.len();
        known.sort_unstable();
        known.dedup();
        assert_eq!(known.len(), all);
        let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
        assert!(known.iter().all(|name| name.strip_suffix('*').unwrap_or(name).chars().all(plain)));
    }
}
