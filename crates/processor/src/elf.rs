//! Contents of objects that can be proved: kinds of sections, relocations, and the placement of code and tables by our own
//! assembler. Each family has its record; anything else in an object is refused.

use aesmith_isa::Isa;
use aesmith_isa::assemble::Part;
use aesmith_isa::convention::Convention;
use aesmith_isa::elf::Head;

/// The value that a linker writes for a relocation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum How {
    /// A word of 32 bits: the address and the addend.
    Word,
    /// A word of 32 bits: the address and the addend, less the word's own address.
    Away,
    /// A word of 32 bits: the address and the addend, less the address of the global offset table.
    FromTable,
    /// A word of 32 bits: the address of the global offset table and the addend, less the word's own address.
    AwayToTable,
    /// Two instructions of four bytes that make an address of the distance from the first, which get its upper and its
    /// lower part. The masks are of the bits that linkers write into each.
    Call(u128, u128),
    /// The field of an instruction that is no register. The mask has the bits that linkers write, whatever instruction stands
    /// there.
    Field(Part, u128),
}

/// Memory that a section is placed in.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Memory {
    /// Instructions, and constants between them.
    Code,
    /// Constants behind the code, in program memory (AVR).
    Flash,
    /// Read-only constants.
    Constants,
    /// Tables that a program loads into RAM.
    Ram,
}

impl Memory {
    /// The assembler's name for such a section.
    pub fn name(self) -> &'static str {
        match self {
            Memory::Code => ".text",
            Memory::Flash => ".progmem.data",
            Memory::Constants => ".rodata",
            Memory::Ram => ".data",
        }
    }
}

/// The beginning of code and tables; sections with the same beginning follow each other.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Layout {
    /// Instructions, and on AVR constants behind them.
    pub code: u64,
    /// Read-only constants.
    pub constants: u64,
    /// Tables in RAM.
    pub ram: u64,
}

impl Layout {
    /// Code at one address, and all tables at another.
    pub const fn of(code: u64, tables: u64) -> Layout {
        Layout { code, constants: tables, ram: tables }
    }
}

/// A relocation that leaves an instruction as it is: its number, and mask and value of the words on which it does so.
pub type Unchanging = (u32, u32, u32);

/// Fields of a file's flags that another processor or convention has: mask, value, and its name in a sentence.
pub type RefusedFlags = (u32, u32, &'static str);

/// Files of a variant of a processor that differs in what the function's code may see of it. The function is proved there,
/// too.
#[derive(Clone, Copy, Debug)]
pub struct Flagged {
    /// The fields of the file's flags.
    pub flags: RefusedFlags,
    /// The processor that it is a variant of.
    pub core: &'static str,
    /// Its instruction table.
    pub isa: fn() -> &'static Isa,
    /// Its calling convention.
    pub convention: &'static Convention,
}

/// Objects of a machine, as linkers treat them.
#[derive(Clone, Copy, Debug)]
pub struct Linking {
    /// The head of its files.
    pub head: Head,
    /// Multiple of bytes at which instructions begin, for relocations that name a place inside of one; 1 where none does.
    pub instructions: u64,
    /// Offset of that place in an instruction, in bytes.
    pub place: u64,
    /// True if linkers refuse calls of code that stands at no multiple of an instruction, wherever sections come to stand
    /// (the relocation `R_AVR_CALL` and those beside it hold words, not bytes).
    pub calls_are_checked: bool,
    /// Flags of files that are refused.
    pub refused_flags: &'static [RefusedFlags],
    /// Flags of files for variants of the processors.
    pub flagged: &'static [Flagged],
    /// Kinds of sections (`SHT_*`) besides those of all machines that change no other section.
    pub sections: &'static [u32],
    /// Bits of a function's symbol that are not part of its address.
    pub mark: u64,
    /// Relocations by their numbers. Bits of instructions are as in [`aesmith_isa::pattern`].
    pub relocations: &'static [(u32, How)],
    /// Relocations at which linkers may remove or move instructions, and what to do about them.
    pub moving: Option<(&'static [u32], &'static str)>,
    /// Relocations that change nothing.
    pub unchanging: &'static [Unchanging],
    /// Placements by our assembler: the first, or another for some kernels. A certificate is of a program at one of these.
    pub layouts: &'static [Layout],
    /// Registers that hold the address of a symbol, if the program has it: register, symbol.
    pub anchors: &'static [(&'static str, &'static str)],
}

/// The relocation of every machine that changes nothing (`R_AVR_NONE`, `R_ARM_NONE`, ...).
pub const NOTHING: u32 = 0;

/// The number of the section of attributes that ARM's and RISC-V's supplements of ELF define.
pub const ATTRIBUTES: u32 = object::elf::SHT_LOPROC + 3;

/// The placement of most kernels: code, and tables behind it.
pub(crate) const PLACED: &[Layout] = &[Layout::of(0x1_0000, 0x2_0000)];

impl Linking {
    /// A record without relocations.
    pub const fn plain(head: Head) -> Linking {
        Linking {
            head,
            instructions: 1,
            place: 0,
            calls_are_checked: false,
            refused_flags: &[],
            flagged: &[],
            sections: &[],
            mark: 0,
            relocations: &[],
            moving: None,
            unchanging: &[],
            layouts: PLACED,
            anchors: &[],
        }
    }

    /// The value that a linker writes for a relocation, if it is known.
    pub fn how(&self, relocation: u32) -> Option<How> {
        self.relocations.iter().find(|(number, _)| *number == relocation).map(|(_, how)| *how)
    }

    /// True if a relocation changes nothing of the word on which it stands, of which `None` stands for one outside of its
    /// section.
    pub fn is_unchanging(&self, relocation: u32, word: Option<u32>) -> bool {
        let holds = |(number, mask, value): &Unchanging| {
            *number == relocation && word.is_some_and(|word| word & mask == *value)
        };
        relocation == NOTHING || self.unchanging.iter().any(holds)
    }

    /// Two families' records of one machine as one: whatever either has. The placement of the first stands first.
    #[must_use]
    pub fn with(self, other: &Linking) -> Linking {
        fn both<T: Copy + PartialEq + 'static>(a: &'static [T], b: &[T]) -> &'static [T] {
            let more: Vec<T> = b.iter().filter(|x| !a.contains(x)).copied().collect();
            if more.is_empty() { a } else { [a, &more].concat().leak() }
        }
        assert_eq!(
            (self.head, self.instructions, self.place, self.mark, self.calls_are_checked),
            (other.head, other.instructions, other.place, other.mark, other.calls_are_checked),
            "two families know the objects of one machine differently"
        );
        Linking {
            refused_flags: both(self.refused_flags, other.refused_flags),
            flagged: match other.flagged {
                [] => self.flagged,
                more => [self.flagged, more].concat().leak(),
            },
            sections: both(self.sections, other.sections),
            relocations: both(self.relocations, other.relocations),
            unchanging: both(self.unchanging, other.unchanging),
            layouts: both(self.layouts, other.layouts),
            anchors: both(self.anchors, other.anchors),
            ..self
        }
    }
}
