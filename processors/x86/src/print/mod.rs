//! x86-64 in files: assembly text with its call frames, features and how C asks for them, and where constants stand.

mod assembly;
mod distances;
mod frame;
mod listing;
mod needs;
mod question;

use crate::kernels::{Dispatch, Kernel, Target};
use crate::levels::Level;
use aesmith_processor::dialect::{Dialect, Elf, MachineCode};
use object::{Architecture, elf};

/// Alignment of a function: one cache line, which its constants and loops count on.
const ALIGNMENT: u64 = 64;

/// x86-64 with System V's calling convention.
pub static DIALECT: Dialect = Dialect {
    name: "x86-64",
    convention: "System V",
    elf: Elf {
        machine: elf::EM_X86_64,
        architecture: Architecture::X86_64,
        sections: &[elf::SHT_X86_64_UNWIND],
        distance: elf::R_X86_64_PC32,
        written: &[
            (elf::R_X86_64_NONE, 0),
            (elf::R_X86_64_PC32, 4),
            (elf::R_X86_64_PLT32, 4),
            (elf::R_X86_64_32, 4),
            (elf::R_X86_64_32S, 4),
            (elf::R_X86_64_64, 8),
            (elf::R_X86_64_PC64, 8),
        ],
        // Functions begin with endbr64 and only return: see `assembly`.
        property: (
            elf::GNU_PROPERTY_X86_FEATURE_1_AND,
            elf::GNU_PROPERTY_X86_FEATURE_1_IBT | elf::GNU_PROPERTY_X86_FEATURE_1_SHSTK,
        ),
    },
    alignment: ALIGNMENT,
    constants_alignment: listing::CONSTANTS_ALIGNMENT,
    padding: listing::PADDING,
    features: &FEATURES,
    levels: &LEVELS,
    header: "cpuid.h",
    protection: "-fcf-protection",
    arguments: assembly::arguments,
    assembly: assembly::file,
    split: distances::split,
    fields: distances::fields,
    linked: distances::linked,
    needed: |bytes| Ok(needs::needed(bytes)?.iter().map(|feature| feature.name).collect()),
    attributes: Target::attributes,
    question: question::question,
};

const FEATURES: [&str; needs::FEATURES.len()] = {
    let mut names = [""; needs::FEATURES.len()];
    let mut i = 0;
    while i < names.len() {
        names[i] = needs::FEATURES[i].name;
        i += 1;
    }
    names
};

const LEVELS: [&str; Level::ALL.len()] = {
    let mut names = [""; Level::ALL.len()];
    let mut i = 0;
    while i < names.len() {
        names[i] = Level::ALL[i].name;
        i += 1;
    }
    names
};

impl From<&Kernel> for MachineCode {
    fn from(kernel: &Kernel) -> MachineCode {
        MachineCode {
            dialect: &DIALECT,
            bytes: kernel.bytes.clone(),
            places: kernel.places.iter().map(|(name, at)| (name.to_string(), *at)).collect(),
            variants: vec![(None, kernel.variant.clone())],
        }
    }
}

impl Dispatch {
    /// The choice and the kernels behind it.
    ///
    /// # Panics
    /// If `kernels` are not those that this joins, or there are none.
    pub fn machine_code(&self, kernels: &[&Kernel]) -> MachineCode {
        assert_eq!(self.parts.len(), kernels.len(), "a dispatch names its kernels");
        let (mut places, mut variants) = (Vec::new(), Vec::new());
        for ((start, limit), kernel) in self.parts.iter().zip(kernels) {
            let of = limit.map_or("any length".to_owned(), |limit| format!("up to {limit} bytes"));
            places.push((of, *start));
            places.extend(kernel.places.iter().map(|(name, at)| (name.to_string(), start + at)));
            variants.push((*limit, kernel.variant.clone()));
        }
        MachineCode { dialect: &DIALECT, bytes: self.bytes.clone(), places, variants }
    }
}
