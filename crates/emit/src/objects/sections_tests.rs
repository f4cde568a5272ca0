//! Objects that differ in one place from an object that is read: linkers may make something else of them, and they are
//! refused.

use aesmith_processor::core::IN_REGISTERS;
use object::write::{Comdat, Object, Relocation, SectionId, Symbol, SymbolId, SymbolSection};
use object::{
    Architecture, BinaryFormat, ComdatKind, Endianness, File, FileFlags, ObjectSection, RelocationFlags,
    SectionFlags, SectionKind, SymbolFlags, SymbolKind, SymbolScope, elf,
};

use super::pieces::Code;
use super::sections::contents;
use crate::{EmitError, shared_table};

const NAME: &str = "aesmith_aes128_encrypt";
/// Bytes of the table.
const TABLE: [u8; 32] = [7; 32];

/// An object that is made: a function of four instructions, with a label at its beginning, and a table.
struct Made {
    object: Object<'static>,
    text: SectionId,
    data: SectionId,
    label: SymbolId,
    table: SymbolId,
}

fn symbol(object: &mut Object, name: &str, section: SectionId, value: u64, scope: SymbolScope) -> SymbolId {
    let is_function = name.starts_with(NAME);
    object.add_symbol(Symbol {
        name: name.as_bytes().to_vec(),
        value,
        size: if is_function { 16 - value } else { 0 },
        kind: if is_function { SymbolKind::Text } else { SymbolKind::Data },
        scope,
        weak: false,
        section: SymbolSection::Section(section),
        flags: SymbolFlags::None,
    })
}

impl Made {
    fn new(architecture: Architecture, order: Endianness) -> Made {
        let mut object = Object::new(BinaryFormat::Elf, architecture, order);
        let text = object.add_section(vec![], b".text".to_vec(), SectionKind::Text);
        let data = object.add_section(vec![], b".rodata".to_vec(), SectionKind::ReadOnlyData);
        object.append_section_data(text, &[0; 16], 4);
        object.append_section_data(data, &TABLE, 16);
        symbol(&mut object, NAME, text, 0, SymbolScope::Linkage);
        let label = symbol(&mut object, "label", text, 0, SymbolScope::Compilation);
        let table = symbol(&mut object, "table", data, 0, SymbolScope::Compilation);
        Made { object, text, data, label, table }
    }

    /// An object for RISC-V whose two instructions are halves of the distance to the table.
    fn rv32() -> Made {
        let mut made = Made::new(Architecture::Riscv32, Endianness::Little);
        made.upper(made.table, 0);
        made
    }

    fn symbol(&mut self, name: &str, section: SectionId, value: u64, scope: SymbolScope) -> SymbolId {
        symbol(&mut self.object, name, section, value, scope)
    }

    fn relocation(&mut self, section: SectionId, offset: u64, kind: u32, symbol: SymbolId, addend: i64) {
        let flags = RelocationFlags::Elf { r_type: kind };
        self.object.add_relocation(section, Relocation { offset, symbol, addend, flags }).unwrap();
    }

    /// The upper half of the distance to a place, in the first instruction.
    fn upper(&mut self, symbol: SymbolId, addend: i64) {
        self.relocation(self.text, 0, elf::R_RISCV_PCREL_HI20, symbol, addend);
    }

    /// The lower half, in the second instruction.
    fn lower(&mut self, symbol: SymbolId, addend: i64) {
        self.relocation(self.text, 4, elf::R_RISCV_PCREL_LO12_I, symbol, addend);
    }

    fn file(&self) -> Vec<u8> {
        self.object.write().unwrap()
    }

    fn read(&self) -> Result<Code, EmitError> {
        read(&self.file())
    }
}

fn read(file: &[u8]) -> Result<Code, EmitError> {
    contents(file)?.functions.remove(0).code
}

fn refused(what: &str, found: Result<Code, EmitError>, because: &str) {
    match found {
        Ok(_) => panic!("{what} is read"),
        Err(EmitError(why)) => assert!(why.contains(because), "{what}: {why}"),
    }
}

/// A word of the header of a section in an ELF file of 32 bits.
fn put(file: &mut [u8], section: &str, at: usize, word: u32) {
    let headers = u32::from_le_bytes(file[32..36].try_into().unwrap()) as usize;
    let index = {
        let read = File::parse(&*file).unwrap();
        object::Object::section_by_name(&read, section).expect("is there").index().0
    };
    let place = headers + 40 * index + at;
    file[place..place + 4].copy_from_slice(&word.to_le_bytes());
}

/// Offsets of words in such a header.
const ALIGNMENT: usize = 32;
const ENTRY: usize = 36;

#[test]
fn halves_of_a_distance_name_each_other() {
    let lower = |place: u64, addend: i64| {
        let mut made = Made::rv32();
        let label = made.symbol("another", made.text, place, SymbolScope::Compilation);
        made.lower(label, addend);
        made.read()
    };
    assert_eq!(lower(0, 0).map(|code| code.pieces.len()), Ok(2));
    for addend in [-4, 1, 4] {
        refused("half of a distance and a number", lower(0, addend), "something added to its other half");
    }
    refused("half of no distance", lower(4, 0), "other half is nowhere");
    let mut made = Made::rv32();
    let other = made.object.add_section(vec![], b".text.other".to_vec(), SectionKind::Text);
    made.object.append_section_data(other, &[0; 16], 4);
    let label = made.symbol("another", other, 0, SymbolScope::Compilation);
    made.lower(label, 0);
    refused("half of a distance in another section", made.read(), "other half is nowhere");
}

type Change = fn(&mut Shared);

/// A table that other objects may have, too, as a test changes it.
struct Shared {
    made: Made,
    /// The sections of its group, if there is any.
    members: Vec<SectionId>,
    name: String,
    /// The place of its symbol in its section.
    place: u64,
}

/// Linkers keep one of several tables of a name, so that the name has to say all of what they keep.
#[test]
fn a_shared_table_is_all_of_its_group() {
    let read = |change: Change| {
        let made = Made::new(Architecture::Riscv32, Endianness::Little);
        let (members, name) = (vec![made.data], shared_table::name(16, &TABLE));
        let mut shared = Shared { made, members, name, place: 0 };
        change(&mut shared);
        let Shared { mut made, members, name, place } = shared;
        let table = made.symbol(&name, made.data, place, SymbolScope::Linkage);
        made.relocation(made.text, 0, elf::R_RISCV_HI20, table, 0);
        for member in &members {
            let sh_flags = u64::from(elf::SHF_ALLOC | elf::SHF_GROUP);
            made.object.section_mut(*member).flags = SectionFlags::Elf { sh_flags };
        }
        if !members.is_empty() {
            made.object.add_comdat(Comdat { kind: ComdatKind::Any, symbol: table, sections: members });
        }
        made.read()
    };
    assert_eq!(read(|_| {}).map(|code| code.pieces.len()), Ok(2));
    let changes: [(&str, Change); 6] = [
        ("a table without a group", |of| of.members.clear()),
        ("a table in a group of two", |of| {
            let name = b".rodata.more".to_vec();
            let more = of.made.object.add_section(vec![], name, SectionKind::ReadOnlyData);
            of.made.object.append_section_data(more, &TABLE, 16);
            of.members.push(more);
        }),
        ("a table with a relocation", |of| {
            of.made.relocation(of.made.data, 4, elf::R_RISCV_32, of.made.label, 0);
        }),
        ("a place in a table", |of| of.place = 4),
        ("a table of other bytes", |of| of.name = shared_table::name(16, &TABLE[1..])),
        ("a table of another alignment", |of| of.name = shared_table::name(8, &TABLE)),
    ];
    for (what, change) in changes {
        refused(what, read(change), "is not the table that its name says");
    }
}

/// A section is merged as a whole if it is one entry; its end is then that of any entry beside it.
#[test]
fn places_are_within_their_sections() {
    let at = |place: u64, addend: i64| {
        let mut made = Made::new(Architecture::Riscv32, Endianness::Little);
        let label = made.symbol("place", made.data, place, SymbolScope::Compilation);
        made.upper(label, addend);
        made.lower(made.label, 0);
        made
    };
    let merged = |place: u64, entry: u32| {
        let mut made = at(place, 0);
        made.object.section_mut(made.data).flags =
            SectionFlags::Elf { sh_flags: (elf::SHF_ALLOC | elf::SHF_MERGE).into() };
        let mut file = made.file();
        put(&mut file, ".rodata", ENTRY, entry);
        read(&file)
    };
    for (place, addend) in [(0, 0), (31, 0), (32, 0), (0, 4), (16, -16)] {
        let found = at(place, addend).read();
        assert!(found.is_ok(), "{place} and {addend}: {found:?}");
    }
    for (place, addend) in [(33, 0), (36, 0), (40, 0)] {
        refused("a place behind a section", at(place, addend).read(), "outside of the section");
    }
    assert!(merged(0, 32).is_ok() && merged(31, 32).is_ok());
    refused("the end of an entry", merged(32, 32), "the end of a section that linkers merge");
    for entry in [1, 16] {
        refused("one of several entries", merged(0, entry), "that linkers merge");
    }
}

#[test]
fn sections_are_at_alignments_that_linkers_keep() {
    let aligned = |alignment: u32| {
        let mut made = Made::rv32();
        made.lower(made.label, 0);
        let mut file = made.file();
        put(&mut file, ".rodata", ALIGNMENT, alignment);
        read(&file)
    };
    for alignment in [0, 1, 4, 4096] {
        let found = aligned(alignment);
        assert_eq!(found.map(|code| code.pieces[1].alignment), Ok(u64::from(alignment.max(1))));
    }
    for alignment in [3, 24, 8192] {
        refused("another alignment", aligned(alignment), &format!("whose alignment is {alignment}"));
    }
}

/// The place of a relocation of PowerPC's halves is the half, not the instruction.
#[test]
fn relocations_are_of_whole_instructions() {
    let at = |place: u64| {
        let mut made = Made::new(Architecture::PowerPc, Endianness::Big);
        made.relocation(made.text, place, elf::R_PPC_ADDR16_LO, made.table, 0);
        made.read()
    };
    for place in [2, 6, 14] {
        assert_eq!(at(place).map(|code| code.pieces[0].fixes[0].at as u64), Ok(place - 2));
    }
    for place in [0, 1, 3, 4, 5] {
        refused("the midst of an instruction", at(place), "in the midst of an instruction");
    }
}

#[test]
fn names_that_others_may_define_are_not_followed() {
    let table = |scope: SymbolScope, weak: bool| {
        let mut made = Made::new(Architecture::Riscv32, Endianness::Little);
        let table = made.symbol("another", made.data, 0, scope);
        made.object.symbol_mut(table).weak = weak;
        made.upper(table, 0);
        made.lower(made.label, 0);
        made.read()
    };
    assert!(table(SymbolScope::Compilation, false).is_ok());
    for weak in [false, true] {
        refused("a global table", table(SymbolScope::Linkage, weak), "which is not local");
        refused("a hidden table", table(SymbolScope::Dynamic, weak), "which is not local");
    }
}

#[test]
fn flags_of_other_processors_are_refused_beside_any_others() {
    let with = |flags: u32| {
        let mut made = Made::rv32();
        made.lower(made.label, 0);
        made.object.flags = FileFlags::Elf { os_abi: 0, abi_version: 0, e_flags: flags };
        made.read()
    };
    assert!(with(0).is_ok() && with(elf::EF_RISCV_RVC).is_ok());
    for flags in [elf::EF_RISCV_RVE, elf::EF_RISCV_RVE | elf::EF_RISCV_RVC] {
        refused("flags of RV32E", with(flags), "RV32E");
    }
}

#[test]
fn a_function_on_a_block_in_registers_is_beside_the_other() {
    let name = format!("{NAME}{IN_REGISTERS}");
    let found = |scope: SymbolScope, is_beside: bool| {
        let mut made = Made::rv32();
        made.lower(made.label, 0);
        let other = made.object.add_section(vec![], b".text.other".to_vec(), SectionKind::Text);
        made.object.append_section_data(other, &[0; 16], 4);
        made.symbol(&name, if is_beside { made.text } else { other }, 8, scope);
        contents(&made.file()).unwrap().functions.remove(0).in_registers
    };
    assert_eq!(found(SymbolScope::Linkage, true), Some(8));
    assert_eq!(found(SymbolScope::Linkage, false), None, "in another section");
    assert_eq!(found(SymbolScope::Compilation, true), None, "local");
}
