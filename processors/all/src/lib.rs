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
use aesmith_processor::core::Core;
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
        if let Some((core, chip)) = core_of(name) {
            return match core {
                "" => format!("{chip} has a core that no processor here is; `aesmith processors` lists them"),
                core => format!("{chip} is a chip with the core `{core}`: name that, --processor {core}"),
            };
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

/// The processor in a chip, by the prefix of the chip's name, and the name as given.
fn core_of(name: &str) -> Option<(&'static str, &str)> {
    let lower = name.to_ascii_lowercase().replace(['-', '_'], "");
    let families = [
        aesmith_avr::CHIPS,
        aesmith_thumb::CHIPS,
        aesmith_arm::CHIPS,
        aesmith_rv32::CHIPS,
        aesmith_powerpc::CHIPS,
    ];
    let fits = families.into_iter().flatten().filter(|(start, _)| lower.starts_with(start));
    fits.max_by_key(|(start, _)| start.len()).map(|(_, core)| (*core, name))
}

/// The name of the processor in a chip, such as `avr` for `attiny85`; `None` for names of processors and their beginnings, for
/// chips with a core that no processor here is, and for unknown names.
pub fn core_of_chip(name: &str) -> Option<&'static str> {
    // A beginning of a processor's name may be a slip, and gets the error that suggests it.
    let is_processor = all().any(|processor| processor.name().starts_with(name));
    let (core, _) = core_of(name).filter(|_| !is_processor)?;
    Some(core).filter(|core| !core.is_empty())
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

    #[test]
    fn chips_are_told_by_their_cores() {
        for (chip, core) in [
            ("attiny85", "avr"),
            ("ATmega328P", "avr"),
            ("atmega4809", "avrxt"),
            ("attiny1614", "avrxt"),
            ("attiny1634", "avr"),
            ("STM32F407", "cortex-m4"),
            ("nrf52840", "cortex-m4"),
            ("esp32c3", "rv32imc"),
            ("mpc7410", "ppc7410"),
        ] {
            assert_eq!(core_of_chip(chip), Some(core));
            let said = find(chip).err().unwrap();
            assert!(said.contains(chip) && said.ends_with(&format!("--processor {core}")), "{said}");
        }
        assert_eq!(["attiny10", "avrr", "avr", "gpu"].map(core_of_chip), [None; 4]);
        assert!(find("attiny10").err().unwrap().contains("a core that no processor here is"));
        assert!(find("avrr").err().unwrap().contains("did you mean avr"));
        let families = [
            aesmith_avr::CHIPS,
            aesmith_thumb::CHIPS,
            aesmith_arm::CHIPS,
            aesmith_rv32::CHIPS,
            aesmith_powerpc::CHIPS,
        ];
        for (start, name) in families.into_iter().flatten() {
            assert!(name.is_empty() || find(name).is_ok(), "{start} has {name}, which is no processor here");
        }
    }
}
