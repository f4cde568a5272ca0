//! Memory of a proof: the buffers of the contract and the stack, each an object of its own, and the
//! constants of the program. Whatever else is touched is refused.

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

/// What an object is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Role {
    /// Round keys, or what else the contract says.
    Key,
    /// The cipher key that a key schedule reads.
    CipherKey,
    /// The counter or chaining value.
    Iv,
    /// What is read.
    Input,
    /// What is written.
    Output,
    /// The stack: offset 0 is the stack pointer at entry.
    Stack,
    /// No memory: what a register held at entry.
    Entry(u8),
    /// No memory: the number of blocks.
    Count,
    /// No memory: where the function returns to. Where that is pushed, it counts words.
    Return,
    /// A section of the program, of this number: its cells are the image's bytes.
    Section(u16),
}

impl Role {
    /// What an argument of a contract points to; a length is a number of blocks.
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

    /// Its name in sentences.
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
            Role::Return => "the address of return".into(),
            Role::Section(n) => format!("section {n} of the program"),
        }
    }
}

/// A byte: byte `at` of a value of `bytes` bytes that was stored as one.
#[derive(Clone, Debug)]
pub struct Cell {
    /// The value.
    pub value: Value,
    /// Which byte.
    pub at: u8,
    /// Of how many.
    pub bytes: u8,
}

/// A piece of memory.
#[derive(Clone, Debug)]
pub struct Object {
    /// What it is.
    pub role: Role,
    /// Width of a pointer to it.
    pub width: u8,
    /// The lowest offset.
    pub low: i64,
    /// Its bytes from there on; nothing where nothing was written yet.
    pub cells: Vec<Option<Cell>>,
    /// How many of them are not its own, but stand beside its last in the same 16 bytes: they are read with it or not at
    /// all.
    pub beside: u8,
    /// Whether it may be written.
    pub writable: bool,
    /// Range of offsets read, if any: lowest, highest end.
    pub read: Option<(i64, i64)>,
    /// Range of offsets written.
    pub written: Option<(i64, i64)>,
    /// The largest power of two (up to 16) that all offsets touched are multiples of where accesses are
    /// of that size: what alignment the code makes use of.
    pub access: u8,
}

/// Bytes of stack that a proof has room for.
pub const STACK: i64 = 4096;

/// All memory.
#[derive(Clone)]
pub struct Memory<'a> {
    /// The program.
    pub image: &'a Image,
    /// Where data memory starts in the image.
    pub data: u64,
    /// The order of bytes.
    pub order: ByteOrder,
    /// The objects, by number.
    pub objects: Vec<Object>,
    /// Bytes of the program's tables that were read as data: lowest, highest end.
    pub tables: Option<(u64, u64)>,
    /// Addresses of all these bytes, on every way that was followed.
    pub constants: Rc<RefCell<FxHashSet<u64>>>,
    /// Whether any of them lies where it could be written.
    pub tables_writable: bool,
    /// The effect of an access at no multiple of its size.
    pub rule: Unaligned,
    /// How many accesses the instruction that is executed makes.
    pub accesses: u8,
    /// Buffers lie at multiples of so many bytes, and no more is promised of them.
    pub alignment: u8,
    /// The stack pointer at entry is a multiple of so many bytes.
    pub stack_alignment: u8,
    /// Whether anything was touched at no multiple of its size.
    pub unaligned: bool,
    /// Whether anything was read that stands beside a buffer in the same 16 bytes.
    pub beside: bool,
    /// How many stores there were.
    pub stores: u64,
    /// Offsets on the stack from here on belong to the caller.
    pub stack_end: i64,
    /// But those between these, which it leaves to the function.
    pub saves: (i64, i64),
    /// Offsets of input and output from here on are beyond the blocks that there are.
    pub limit: i64,
    /// The lowest offset on the stack that was touched since somebody cleared this.
    pub stack_touched: i64,
}

fn widen(range: &mut Option<(i64, i64)>, from: i64, until: i64) {
    *range = Some(match *range {
        Some((a, b)) => (a.min(from), b.max(until)),
        None => (from, until),
    });
}

impl<'a> Memory<'a> {
    /// Memory with the program only.
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

    /// Where bytes lie in an object.
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

    /// What the start of an object is a multiple of.
    pub fn start(&self, id: ObjectId) -> u8 {
        match self.objects[usize::from(id)].role {
            Role::Stack => self.stack_alignment,
            _ => self.alignment,
        }
    }

    /// Notes an access of so many bytes at an address that is known modulo so many others, and refuses it where it is
    /// at no multiple of its size and the processor does not do that. Processors with pointers of 16 bits access
    /// bytes only.
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

    /// The bytes there, in the order of their addresses; noted as read.
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

    /// Writes a value there.
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

    /// Constant bytes of a section, as a number. They stay what they are: no proof lets a store reach the program.
    pub fn constant_in(&mut self, section: &Extent, offset: i64, bytes: u8) -> Result<u128, String> {
        let address = self.touch_section(section, offset, bytes)?;
        if self.image.links_over(address, address + u64::from(bytes)).next().is_some() {
            return Err("what is read as data has bytes that a linker writes".into());
        }
        let found = self.image.at(address).get(..usize::from(bytes));
        let found =
            found.ok_or_else(|| format!("{bytes} bytes are read at {address:#x}, where nothing is"))?;
        Ok(self.order.wide_number(found))
    }

    /// Notes that bytes of a section are read, and says where the image has them.
    pub fn touch_section(&mut self, section: &Extent, offset: i64, bytes: u8) -> Result<u64, String> {
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

    /// Constant bytes of a program that was linked, as a number. They stay what they are: no proof
    /// lets a store reach the program.
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
