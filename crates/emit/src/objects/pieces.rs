//! The code of a function with the sections that it refers to, and the program that a linker makes of them.

use aesmith_isa::assemble::{Item, Part, Section, assemble_aligned};
use aesmith_isa::image::Image;
use aesmith_isa::{Isa, Kind};
use std::collections::HashMap;

use aesmith_processor::elf::{How, Layout, Memory};

/// A section, before it is linked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece {
    /// The memory that it is loaded into.
    pub memory: Memory,
    /// Its bytes, with the fields of relocations as in the file.
    pub bytes: Vec<u8>,
    /// Its alignment in bytes, a power of two.
    pub alignment: u64,
    /// Its relocations, sorted by offset.
    pub fixes: Vec<Fix>,
}

/// A relocation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fix {
    /// Its offset in the section.
    pub at: usize,
    /// The value that the linker writes.
    pub how: How,
    /// The number of the piece that it refers to.
    pub piece: usize,
    /// The offset from the beginning of that piece.
    pub addend: i64,
    /// For a distance: the piece and the offset from which it is counted. `None` for an address.
    pub less: Option<(usize, i64)>,
    /// True if the field holds a part of the addend.
    pub implicit: bool,
}

/// A function as an object stores it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Code {
    /// The sections; the function's own is the first.
    pub pieces: Vec<Piece>,
    /// Offset of the function in its section.
    pub entry: u64,
}

impl Code {
    /// The size of code and tables in bytes.
    pub fn bytes(&self) -> usize {
        self.pieces.iter().map(|p| p.bytes.len()).sum()
    }

    /// The size of the tables that are loaded into RAM, in bytes.
    pub fn ram(&self) -> usize {
        self.pieces.iter().filter(|p| p.memory == Memory::Ram).map(|p| p.bytes.len()).sum()
    }

    /// The section addresses that our own assembler chooses in a layout.
    pub fn own(&self, layout: Layout) -> Vec<u64> {
        // For each start address, the end of the sections placed there so far.
        let mut ends: HashMap<u64, u64> = HashMap::new();
        let place = |piece: &Piece| {
            let begins = match piece.memory {
                Memory::Code | Memory::Flash => layout.code,
                Memory::Constants => layout.constants,
                Memory::Ram => layout.ram,
            };
            let end = ends.entry(begins).or_insert(begins);
            let place = end.next_multiple_of(piece.alignment);
            *end = place + piece.bytes.len() as u64;
            place
        };
        self.pieces.iter().map(place).collect()
    }

    /// Links the program with its sections at these addresses.
    ///
    /// # Errors
    /// A relocation does not fit its instruction, or its value does not fit the field.
    pub fn image(&self, isa: &Isa, places: &[u64]) -> Result<Image, String> {
        let sections: Result<Vec<Section>, String> = self
            .pieces
            .iter()
            .zip(places)
            .enumerate()
            .map(|(number, (piece, &address))| {
                let writable = piece.memory == Memory::Ram;
                Ok(Section {
                    name: piece.memory.name(),
                    address,
                    writable,
                    items: items(isa, number, piece)?,
                })
            })
            .collect();
        assemble_aligned(isa, &sections?, |number, _| self.pieces[number].alignment)
    }
}

fn label(piece: usize) -> String {
    format!(".L{piece}")
}

/// Translates a piece into items for our assembler.
fn items(isa: &Isa, number: usize, piece: &Piece) -> Result<Vec<Item>, String> {
    let mut items = vec![Item::Label(label(number))];
    let mut done = 0;
    for fix in &piece.fixes {
        let outside =
            || format!("a relocation at {:#x} overlaps another, or reaches out of its section", fix.at);
        let before = piece.bytes.get(done..fix.at).ok_or_else(outside)?;
        items.push(Item::Bytes(before.to_vec()));
        let here = &piece.bytes[fix.at..];
        let (item, bytes) = match fix.how {
            // Modulo 2^32, as linkers add.
            How::Word => (Item::Word(Some(label(fix.piece)), fix.addend as u32), 4),
            How::Away | How::FromTable | How::AwayToTable => {
                let (from, place) = fix.less.ok_or_else(outside)?;
                let [plus, less] = [(label(fix.piece), fix.addend), (label(from), place)];
                (Item::Distance { plus, less }, 4)
            }
            How::Call(..) => return Err(format!("a call at {:#x} is not in two halves", fix.at)),
            How::Field(part, bits) => {
                let wrong = || {
                    format!("the relocation at {:#x} is of another instruction than the one there", fix.at)
                };
                let insn = isa.decode(here).ok_or_else(wrong)?;
                let row = isa.of(&insn);
                let is_number = |kind: &Kind| !matches!(kind, Kind::Register { .. } | Kind::Names { .. });
                let mut fields = row.fields.iter().filter(|f| is_number(&f.kind));
                let (Some(field), None) = (fields.next(), fields.next()) else { return Err(wrong()) };
                // A linker scales a distance by the unit of the field that the relocation type implies.
                let is_distance =
                    matches!(field.kind, Kind::Relative { .. } | Kind::Coded { label: true, .. });
                if part == Part::Distance && !is_distance {
                    return Err(wrong());
                }
                // Linkers write the bits that the relocation type implies, whatever instruction is there.
                let place = row.fields.iter().position(|f| f.name == field.name);
                if place.is_none_or(|place| row.pattern.put(place, u64::MAX) != bits) {
                    return Err(wrong());
                }
                // For these parts linkers write some bits of the field and keep the others.
                let narrow = matches!(part, Part::Upper44 | Part::Middle44 | Part::Lower44 | Part::Lower32);
                if narrow && isa.operand(&insn, &field.name) != Some(0) {
                    return Err(format!("the field that the relocation at {:#x} is of is not zero", fix.at));
                }
                // A relocation without an explicit addend has it in the field (ELF for the Arm Architecture, 5.6.1.1).
                let held = match part {
                    Part::Half(_) if fix.implicit => {
                        isa.operand(&insn, &field.name).unwrap_or(0) as i16 as i32
                    }
                    Part::Distance if fix.implicit => isa.operand(&insn, &field.name).unwrap_or(0),
                    _ => 0,
                };
                let (label, addend) = (label(fix.piece), fix.addend + i64::from(held));
                let item = Item::Linked { insn, field: field.name.clone(), label, addend, part };
                (item, usize::from(row.bytes()))
            }
        };
        if here.len() < bytes {
            return Err(outside());
        }
        items.push(item);
        done = fix.at + bytes;
    }
    items.push(Item::Bytes(piece.bytes[done..].to_vec()));
    Ok(items)
}

#[cfg(test)]
mod tests {
    use super::*;
    use object::elf;

    /// True if a relocation of the lower part of an address can be linked into this instruction.
    fn linked(core: &str, relocation: u32, (name, fields): (&str, &[(&str, i32)])) -> bool {
        let core = aesmith_processors::core(core).expect("a processor");
        let (isa, how) = ((core.isa)(), core.linking.how(relocation).expect("a relocation"));
        let bytes = isa.encode(&isa.insn(name, fields)).expect("an instruction");
        let fix = Fix { at: 0, how, piece: 1, addend: 0, less: None, implicit: false };
        let code = Piece { memory: Memory::Code, bytes, alignment: 4, fixes: vec![fix] };
        let table = Piece { memory: Memory::Flash, bytes: vec![0; 8], alignment: 256, fixes: vec![] };
        Code { pieces: vec![code, table], entry: 0 }.image(isa, &[0, 0x100]).is_ok()
    }

    /// Linkers write the bits that a relocation type implies, whether or not the instruction there has its immediate in
    /// them.
    #[test]
    fn a_relocation_is_of_instructions_that_have_its_bits() {
        let load = ("lw", &[("rd", 5), ("rs1", 6), ("imm", 0)][..]);
        let store = ("sw", &[("rs2", 5), ("rs1", 6), ("imm", 0)][..]);
        let of = |relocation, insn| linked("rv32i", relocation, insn);
        assert!(of(elf::R_RISCV_LO12_I, load) && of(elf::R_RISCV_LO12_S, store));
        assert!(!of(elf::R_RISCV_LO12_S, load) && !of(elf::R_RISCV_LO12_I, store));
        let of = |insn| linked("avr", elf::R_AVR_LO8_LDI, insn);
        assert!(of(("ldi", &[("hd", 30), ("k", 0)])));
        assert!(!of(("adiw", &[("wd", 30), ("q", 0)])));
    }
    /// A store has its number in the bits in which a branch has its distance.
    #[test]
    fn a_distance_is_of_a_branch() {
        let branch = ("beq", &[("rs1", 5), ("rs2", 6), ("off", 0)][..]);
        let store = ("sw", &[("rs2", 5), ("rs1", 6), ("imm", 0)][..]);
        assert!(linked("rv32i", elf::R_RISCV_BRANCH, branch));
        assert!(!linked("rv32i", elf::R_RISCV_BRANCH, store));
    }

    /// Linkers for SPARC keep the highest bits of a field.
    #[test]
    fn a_field_of_which_linkers_keep_bits_is_zero() {
        for (relocation, number) in [elf::R_SPARC_L44, elf::R_SPARC_M44, elf::R_SPARC_LO10]
            .into_iter()
            .flat_map(|relocation| [0, 1, 0x400, -0x1000].map(|number| (relocation, number)))
        {
            let or = ("or_i", &[("rs1", 8), ("simm", number), ("rd", 9)][..]);
            assert_eq!(linked("ultrasparc3", relocation, or), number == 0, "{relocation} and {number:#x}");
        }
    }

    /// A word that a linker writes is within its section, and no other is in it.
    #[test]
    fn words_are_whole_and_apart() {
        let words = |places: &[usize]| {
            let isa = (aesmith_processors::core("rv32i").expect("a processor").isa)();
            let fix =
                |&at: &usize| Fix { at, how: How::Word, piece: 0, addend: 0, less: None, implicit: false };
            let fixes = places.iter().map(fix).collect();
            let table = Piece { memory: Memory::Constants, bytes: vec![0; 12], alignment: 4, fixes };
            Code { pieces: vec![table], entry: 0 }.image(isa, &[0x100])
        };
        assert!(words(&[]).is_ok() && words(&[0, 4, 8]).is_ok() && words(&[2, 8]).is_ok());
        for places in [&[9][..], &[11], &[0, 2], &[4, 4], &[0, 10]] {
            assert!(words(places).is_err(), "{places:?}");
        }
    }
}
