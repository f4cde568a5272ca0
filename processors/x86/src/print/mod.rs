//! x86-64 in files: assembly text with its call frames, features and their checks in C, and the place of
//! constants.

mod assembly;
mod builds;
mod distances;
mod frame;
mod listing;
pub(crate) mod needs;
mod question;

use aesmith_isa::ByteOrder;
use aesmith_isa::elf::Head;
use aesmith_processor::dialect::{Dialect, Elf, Loading};
use object::{Architecture, elf};

/// Alignment of a function: one cache line, which its constants and loops rely on.
const ALIGNMENT: u64 = 64;

/// x86-64 with the System V calling convention.
pub static DIALECT: Dialect = Dialect {
    name: "x86-64",
    convention: "System V",
    elf: Elf {
        head: Head { number: elf::EM_X86_64, name: "x86-64", bits: 64, order: ByteOrder::Little },
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
        loading: Loading {
            words: &[
                elf::R_X86_64_64,
                elf::R_X86_64_GLOB_DAT,
                elf::R_X86_64_JUMP_SLOT,
                elf::R_X86_64_RELATIVE,
                elf::R_X86_64_DTPMOD64,
                elf::R_X86_64_DTPOFF64,
                elf::R_X86_64_TPOFF64,
                elf::R_X86_64_IRELATIVE,
            ],
            copy: elf::R_X86_64_COPY,
        },
        // Functions begin with endbr64 and only return: see `assembly`.
        property: (
            elf::GNU_PROPERTY_X86_FEATURE_1_AND,
            elf::GNU_PROPERTY_X86_FEATURE_1_IBT | elf::GNU_PROPERTY_X86_FEATURE_1_SHSTK,
        ),
    },
    alignment: ALIGNMENT,
    constants_alignment: listing::CONSTANTS_ALIGNMENT,
    checked: true,
    padding: listing::PADDING,
    features: &FEATURES,
    levels: &LEVEL_NAMES,
    header: "cpuid.h",
    protection: "-fcf-protection",
    arguments: assembly::arguments,
    assembly: assembly::file,
    split: distances::split,
    addressed: distances::addressed,
    linked: distances::linked,
    needed: |bytes| Ok(needs::needed(bytes)?.iter().map(|feature| feature.name).collect()),
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

const LEVEL_NAMES: [&str; crate::levels::LEVELS.len()] = {
    let mut names = [""; crate::levels::LEVELS.len()];
    let mut i = 0;
    while i < names.len() {
        names[i] = crate::levels::LEVELS[i].name;
        i += 1;
    }
    names
};
