//! Memory of a proof: the buffers of the contract and the stack, each an object of its own, and the constants of the
//! program. All other accesses are refused.

use std::cell::RefCell;
use std::rc::Rc;

use aesmith_cipher::mode;
use aesmith_isa::image::{Image, Segment};
use aesmith_isa::unplaced::Extent;
use aesmith_isa::{ByteOrder, Description, Unaligned};
use rustc_hash::FxHashSet;

use crate::bits::value::Value;

/// Number of an object.
pub type ObjectId = u16;

/// The role of an object.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Role {
    /// The round keys, or the form of the key that the contract asks for.
    Key,
    /// The cipher key that a key schedule reads.
    CipherKey,
    /// The counter or chaining value.
    Iv,
    /// The input buffer.
    Input,
    /// The output buffer.
    Output,
    /// The stack: offset 0 is the stack pointer at entry.
    Stack,
    /// Not memory: the value of a register at entry.
    Entry(u8),
    /// Not memory: the number of blocks.
    Count,
    /// Not memory: 16 for each block left.
    Length,
    /// Not memory: the number of blocks done before those left.
    Done,
    /// Not memory: 16 for each of them.
    DoneLength,
    /// Not memory: the number of blocks at entry.
    Total,
    /// Not memory: 16 for each of them.
    TotalLength,
    /// Not a buffer of its own: the end of the input, or with `true` of the output.
    End(bool),
    /// Not a buffer of its own: the beginning of the input, or with `true` of the output, as it was passed.
    First(bool),
    /// Not memory: the return address. Where calls push it, it counts words.
    Return,
    /// The section of the program with this number; its cells are the image's bytes.
    Section(u16),
}

impl Role {
    /// The role of the object that an argument points to; a length is a number of blocks.
    pub fn of(argument: mode::Role) -> Role {
        match argument {
            mode::Role::Key => Role::Key,
            mode::Role::CipherKey => Role::CipherKey,
            mode::Role::Iv => Role::Iv,
            mode::Role::Input => Role::Input,
            mode::Role::Output => Role::Output,
            mode::Role::Length => Role::Count,
        }
    }

    /// The name in messages.
    pub fn name(self) -> String {
        match self {
            Role::Key => "the key".into(),
            Role::CipherKey => "the cipher key".into(),
            Role::Iv => "the counter or chaining value".into(),
            Role::Input => "the input".into(),
            Role::Output => "the output".into(),
            Role::Stack => "the stack".into(),
            Role::Entry(r) => format!("what register {r} held at entry"),
            Role::Count => "the number of blocks".into(),
            Role::Length => "the number of bytes left".into(),
            Role::Done | Role::DoneLength => "the number of blocks done".into(),
            Role::Total | Role::TotalLength => "the number of all blocks".into(),
            Role::End(false) => "the end of the input".into(),
            Role::End(true) => "the end of the output".into(),
            Role::First(false) => "the first block of the input".into(),
            Role::First(true) => "the first block of the output".into(),
            Role::Return => "the address of return".into(),
            Role::Section(n) => format!("section {n} of the program"),
        }
    }
}

/// A byte of memory: byte `at` of a value of `bytes` bytes that was stored as a whole.
#[derive(Clone, Debug)]
pub struct Cell {
    /// The value.
    pub value: Value,
    /// The index of the byte in the value, lowest first.
    pub at: u8,
    /// The size of the value, in bytes.
    pub bytes: u8,
}

/// An object in memory.
#[derive(Clone, Debug)]
pub struct Object {
    /// The role.
    pub role: Role,
    /// The width of a pointer to it, in bits.
    pub width: u8,
    /// The lowest offset, in bytes.
    pub low: i64,
    /// The bytes from there on; `None` for bytes that were not written yet.
    pub cells: Vec<Option<Cell>>,
    /// The number of last cells that are not the object's own, but stand beside its last byte in the same 16 bytes:
    /// they are read together with it or not at all.
    pub beside: u8,
    /// True if it may be written.
    pub writable: bool,
    /// The range of offsets read, if any: lowest and end.
    pub read: Option<(i64, i64)>,
    /// The range of offsets written, if any.
    pub written: Option<(i64, i64)>,
    /// The alignment that the code makes use of, in bytes (a power of two up to 16): the largest access, or the largest
    /// alignment to which an address is rounded down.
    pub access: u8,
}

/// Bytes of stack in a proof.
pub const STACK: i64 = 4096;

/// The memory of a proof.
#[derive(Clone)]
pub struct Memory<'a> {
    /// The program.
    pub image: &'a Image,
    /// The start of data memory in the image.
    pub data: u64,
    /// The byte order.
    pub order: ByteOrder,
    /// The objects, by number.
    pub objects: Vec<Object>,
    /// The range of the program's bytes that were read as data: lowest address and end.
    pub tables: Option<(u64, u64)>,
    /// The addresses of all these bytes, on every path that was followed.
    pub constants: Rc<RefCell<FxHashSet<u64>>>,
    /// True if any of them lies where it could be written.
    pub tables_writable: bool,
    /// The effect of an access that is not aligned to its size.
    pub rule: Unaligned,
    /// The number of accesses of the current instruction.
    pub accesses: u8,
    /// The alignment promised for buffers, in bytes.
    pub alignment: u8,
    /// The alignment of the stack pointer at entry, in bytes.
    pub stack_alignment: u8,
    /// True if any access was not aligned to its size.
    pub unaligned: bool,
    /// True if anything was read that stands beside a buffer in the same 16 bytes.
    pub beside: bool,
    /// The number of stores.
    pub stores: u64,
    /// Offsets on the stack from here on belong to the caller.
    pub stack_end: i64,
    /// The range of the caller's offsets that the convention leaves to the function.
    pub saves: (i64, i64),
    /// Offsets of input and output from here on are beyond the last block.
    pub limit: i64,
    /// The lowest offset on the stack that was touched since this field was last reset.
    pub stack_touched: i64,
}

fn widen(range: &mut Option<(i64, i64)>, from: i64, until: i64) {
    *range = Some(match *range {
        Some((a, b)) => (a.min(from), b.max(until)),
        None => (from, until),
    });
}

impl<'a> Memory<'a> {
    /// Memory with only the program.
    pub fn new(image: &'a Image, about: &Description) -> Memory<'a> {
        Memory {
            image,
            data: about.data,
            order: about.order,
            objects: Vec::new(),
            tables: None,
            constants: Rc::default(),
            tables_writable: false,
            rule: about.unaligned,
            accesses: 1,
            alignment: 1,
            stack_alignment: 1,
            unaligned: false,
            beside: false,
            stores: 0,
            stack_end: i64::MAX,
            saves: (0, 0),
            limit: i64::MAX,
            stack_touched: i64::MAX,
        }
    }

    /// Adds an object.
    pub fn object(&mut self, role: Role, width: u8, low: i64, bytes: usize, writable: bool) -> ObjectId {
        let cells = vec![None; bytes];
        let (read, written) = (None, None);
        self.objects.push(Object { role, width, low, cells, beside: 0, writable, read, written, access: 1 });
        self.objects.len() as u16 - 1
    }

    /// The number of the object in a role.
    pub fn find(&self, role: Role) -> Option<ObjectId> {
        self.objects.iter().position(|o| o.role == role).map(|i| i as u16)
    }

    /// The index of bytes in an object's cells. Refuses bytes that it does not have.
    fn place(&self, id: ObjectId, offset: i64, bytes: u8, verb: &str) -> Result<usize, String> {
        let object = &self.objects[id as usize];
        let (name, from) = (object.role.name(), offset - object.low);
        let own = (object.cells.len() - usize::from(object.beside)) as i64;
        let end =
            if verb == "read" && bytes == 16 && offset % 16 == 0 { object.cells.len() as i64 } else { own };
        if matches!(object.role, Role::Input | Role::Output) && offset + i64::from(bytes) > self.limit {
            return Err(format!("offset {offset} of {name} is {verb}, beyond the last block"));
        }
        if from < 0 || from + i64::from(bytes) > end {
            let end = object.low + own;
            return Err(if object.cells.is_empty() {
                format!("{bytes} bytes are {verb} at an address that is {name}, which is no buffer")
            } else {
                format!(
                    "{bytes} bytes are {verb} at offset {offset} of {name}, which has offsets {} to {}",
                    object.low,
                    end - 1
                )
            });
        }
        Ok(from as usize)
    }

    /// The alignment of an object's start, in bytes.
    pub fn start(&self, id: ObjectId) -> u8 {
        match self.objects[usize::from(id)].role {
            Role::Stack => self.stack_alignment,
            _ => self.alignment,
        }
    }

    /// Notes an access of `bytes` bytes at an offset from an address aligned to `start` bytes, and refuses one that is
    /// not aligned to its size if the processor does not support that. Processors with pointers of 16 bits access bytes
    /// only.
    fn aligned(&mut self, start: u8, offset: i64, bytes: u8) -> Result<(), String> {
        if bytes <= start && offset.rem_euclid(i64::from(bytes.max(1))) == 0 {
            return Ok(());
        }
        if let Some((is, source)) = self.rule.refused(self.accesses) {
            return Err(format!(
                "{bytes} bytes are accessed at an address that may be no multiple of {bytes}, which {is} ({source})"
            ));
        }
        self.unaligned = true;
        Ok(())
    }

    /// Loads bytes, in the order of their addresses, and notes the read.
    pub fn load(&mut self, id: ObjectId, offset: i64, bytes: u8) -> Result<&[Option<Cell>], String> {
        let from = self.place(id, offset, bytes, "read")?;
        self.aligned(self.start(id), offset, bytes)?;
        let overlapped = match self.objects[id as usize].role {
            Role::Input => self.find(Role::Output),
            _ => None,
        };
        if let Some(output) = overlapped {
            let output = &self.objects[output as usize];
            let at = (offset - output.low) as usize;
            let after = output.cells.iter().skip(at).take(usize::from(bytes)).any(Option::is_some);
            if after {
                return Err(format!(
                    "the input is read at offset {offset} after the output was written there, \
                     which is wrong where they are the same"
                ));
            }
        }
        if self.objects[id as usize].role == Role::Stack {
            self.stack_touched = self.stack_touched.min(offset);
        }
        let object = &mut self.objects[id as usize];
        self.beside |= from + usize::from(bytes) > object.cells.len() - usize::from(object.beside);
        widen(&mut object.read, offset, offset + i64::from(bytes));
        object.access = object.access.max(bytes);
        let cells = &object.cells[from..from + usize::from(bytes)];
        if cells.iter().any(Option::is_none) {
            return Err(format!(
                "{bytes} bytes are read at offset {offset} of {}, where nothing was written",
                object.role.name()
            ));
        }
        Ok(cells)
    }

    /// Stores a value.
    pub fn store(&mut self, id: ObjectId, offset: i64, bytes: u8, value: &Value) -> Result<(), String> {
        let from = self.place(id, offset, bytes, "written")?;
        self.aligned(self.start(id), offset, bytes)?;
        let object = &mut self.objects[id as usize];
        if !object.writable {
            return Err(format!("offset {offset} of {} is written, which is only read", object.role.name()));
        }
        if object.role == Role::Stack {
            self.stack_touched = self.stack_touched.min(offset);
            let end = offset + i64::from(bytes);
            let is_left = self.saves.0 <= offset && end <= self.saves.1;
            if end > self.stack_end && !is_left {
                return Err("the caller's part of the stack is written".into());
            }
        }
        widen(&mut object.written, offset, offset + i64::from(bytes));
        object.access = object.access.max(bytes);
        for at in 0..bytes {
            let place = from + usize::from(self.order.place(at, bytes));
            object.cells[place] = Some(Cell { value: value.clone(), at, bytes });
        }
        self.stores += 1;
        Ok(())
    }

    /// Reads constant bytes of a section, as a number. They never change: no proof lets a store reach the program.
    pub(crate) fn constant_in(&mut self, section: &Extent, offset: i64, bytes: u8) -> Result<u128, String> {
        let address = self.touch_section(section, offset, bytes)?;
        if self.image.links_over(address, address + u64::from(bytes)).next().is_some() {
            return Err("what is read as data has bytes that a linker writes".into());
        }
        let found = self.image.at(address).get(..usize::from(bytes));
        let found =
            found.ok_or_else(|| format!("{bytes} bytes are read at {address:#x}, where nothing is"))?;
        Ok(self.order.wide_number(found))
    }

    /// Notes a read of bytes of a section, and returns their address in the image.
    pub(crate) fn touch_section(&mut self, section: &Extent, offset: i64, bytes: u8) -> Result<u64, String> {
        let from = u64::try_from(offset)
            .ok()
            .filter(|at| at.checked_add(bytes.into()).is_some_and(|end| end <= section.size));
        let Some(from) = from else {
            return Err(format!(
                "{bytes} bytes are read at offset {offset} of the section `{}`, which has {} bytes: what a linker puts \
                 beside it is its choice",
                section.name, section.size
            ));
        };
        let (address, size) = (section.address + from, u64::from(bytes));
        self.tables = Some(match self.tables {
            Some((a, b)) => (a.min(address), b.max(address + size)),
            None => (address, address + size),
        });
        self.constants.borrow_mut().extend(address..address + size);
        let writable = |s: &Segment| s.address <= address && address < s.end() && s.writable;
        self.tables_writable |= self.image.segments.iter().any(writable);
        if self.data == 0 {
            self.aligned(section.alignment.min(1 << 7) as u8, offset, bytes)?;
        }
        Ok(address)
    }

    /// Reads constant bytes of a linked program, as a number. They never change: no proof lets a store reach the
    /// program.
    pub fn constant(&mut self, address: u64, bytes: u8) -> Result<u128, String> {
        let segment = self
            .image
            .segments
            .iter()
            .find(|s| {
                s.address <= address
                    && s.end() - s.address >= u64::from(bytes)
                    && address <= s.end() - u64::from(bytes)
            })
            .ok_or_else(|| {
                format!("{bytes} bytes are read at {address:#x}, which is in no declared buffer or table")
            })?;
        let at = (address - segment.address) as usize;
        let end = address + u64::from(bytes);
        self.tables = Some(match self.tables {
            Some((a, b)) => (a.min(address), b.max(end)),
            None => (address, end),
        });
        self.constants.borrow_mut().extend(address..end);
        self.tables_writable |= segment.writable;
        self.aligned(u8::MAX, address as i64, bytes)?;
        Ok(self.order.wide_number(&segment.bytes[at..at + usize::from(bytes)]))
    }
}
