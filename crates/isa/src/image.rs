//! A program as memory holds it: bytes at addresses, and symbols. The interpreter, the prover and the checkers run it;
//! it is read from an ELF file or made by the built-in assembler.

use std::collections::BTreeMap;

use crate::elf::Head;
use crate::table::ByteOrder;
use crate::unplaced::{Extent, Link};
use object::read::elf::{FileHeader, ProgramHeader};
use object::{Endianness, Object, ObjectSymbol, elf};

/// Bytes at an address.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Segment {
    /// The start address.
    pub address: u64,
    /// The bytes at reset.
    pub bytes: Vec<u8>,
    /// True if the program may write there. Every proof treats read-only bytes as constant.
    pub writable: bool,
}

impl Segment {
    /// The first address after the segment.
    pub fn end(&self) -> u64 {
        self.address + self.bytes.len() as u64
    }
}

/// A program. On processors with two memories (AVR), data memory is at [`Image::DATA`] and above, as in GNU binutils.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Image {
    /// The segments, without overlaps, in ascending order of addresses.
    pub segments: Vec<Segment>,
    /// Addresses of functions and tables.
    pub symbols: BTreeMap<String, u64>,
    /// The sections of a program that is not yet linked; empty if it was linked.
    pub sections: Vec<Extent>,
    /// The values that a linker writes, by start address: for a field, the address of its instruction.
    pub links: BTreeMap<u64, Link>,
}

impl Image {
    /// The address that GNU binutils give the data memory of an AVR.
    pub const DATA: u64 = 0x80_0000;

    /// The address of a symbol; the error is a sentence with the nearest names.
    pub fn symbol(&self, name: &str) -> Result<u64, String> {
        self.symbols.get(name).copied().ok_or_else(|| {
            let names: Vec<String> = self.symbols.keys().cloned().collect();
            match aesmith_cipher::problem::nearest(name, &names, 3).as_slice() {
                [] if names.is_empty() => {
                    format!("the program has no symbols, so none named '{name}'; link it without -s")
                }
                [] => format!("the program has no symbol '{name}'; `nm` lists those it has"),
                near => format!("the program has no symbol '{name}'; near it are: {}", near.join(", ")),
            }
        })
    }

    /// The bytes from an address to the end of its segment; empty if no segment contains it.
    pub fn at(&self, address: u64) -> &[u8] {
        self.segments
            .iter()
            .find(|s| (s.address..s.end()).contains(&address))
            .map_or(&[], |s| &s.bytes[(address - s.address) as usize..])
    }

    /// An ELF executable with this head: its loaded segments at their virtual addresses, and the names of its functions and
    /// objects.
    ///
    /// # Errors
    /// The file is damaged, is no executable, or is for another machine.
    pub fn from_elf(bytes: &[u8], head: &Head) -> Result<Image, String> {
        match head.bits {
            64 => Image::from_elf_of::<elf::FileHeader64<Endianness>>(bytes, head),
            _ => Image::from_elf_of::<elf::FileHeader32<Endianness>>(bytes, head),
        }
    }

    fn from_elf_of<H: FileHeader<Endian = Endianness>>(bytes: &[u8], head: &Head) -> Result<Image, String> {
        let unreadable = |e: object::Error| format!("it is not an ELF file that can be read: {e}");
        let header = H::parse(bytes).map_err(|e| match object::FileKind::parse(bytes) {
            Ok(kind) => format!("it is {kind:?}, not a {}-bit ELF executable", head.bits),
            Err(_) => unreadable(e),
        })?;
        let endian = header.endian().map_err(unreadable)?;
        let found = header.e_machine(endian);
        if found != head.number {
            return Err(format!(
                "it is a program for another machine (number {found} in ELF), not for {}",
                head.name
            ));
        }
        let (found, order) = (ByteOrder::from(endian), head.order);
        if found != order {
            return Err(format!("it is a {} program; this processor is {}", found.name(), order.name()));
        }
        let mut image = Image::default();
        for segment in header.program_headers(endian, bytes).map_err(unreadable)? {
            if segment.p_type(endian) != elf::PT_LOAD {
                continue;
            }
            let data = segment
                .data(endian, bytes)
                .map_err(|()| "a segment of it lies outside the file: the file is cut short".to_owned())?;
            let size: u64 = segment.p_memsz(endian).into();
            if size == 0 {
                continue;
            }
            if size > 64 << 20 || data.len() as u64 > size {
                return Err(format!("a segment of it claims {size} bytes, which no such program has"));
            }
            let address: u64 = segment.p_vaddr(endian).into();
            if address.checked_add(size).is_none() {
                return Err(format!("a segment of it at {address:#x} reaches beyond the last address"));
            }
            let mut contents = data.to_vec();
            contents.resize(size as usize, 0);
            image.segments.push(Segment {
                address,
                bytes: contents,
                writable: segment.p_flags(endian) & elf::PF_W != 0,
            });
        }
        if image.segments.is_empty() {
            return Err("it has no loaded segments: an object file, perhaps; link it first".into());
        }
        image.segments.sort_by_key(|s| s.address);
        if image.segments.windows(2).any(|w| w[0].end() > w[1].address) {
            return Err("segments of it overlap".into());
        }
        let file = object::read::elf::ElfFile::<H>::parse(bytes).map_err(unreadable)?;
        for symbol in file.symbols() {
            let Ok(name) = symbol.name() else { continue };
            // Labels of assembly have no type. Assemblers generate names that start with `$` or `.L` (ELF for the Arm
            // Architecture, section 5.5.5).
            let made_up = name.is_empty() || name.starts_with('$') || name.starts_with(".L");
            let kind = symbol.kind();
            let other = matches!(kind, object::SymbolKind::File | object::SymbolKind::Section);
            if made_up || other || symbol.is_undefined() {
                continue;
            }
            // A global symbol wins over local symbols of the same name.
            if symbol.is_global() || !image.symbols.contains_key(name) {
                image.symbols.insert(name.to_owned(), symbol.address());
            }
        }
        Ok(image)
    }
}
