//! The table of an instruction set: rows as text, and what is compiled from them.

use std::collections::HashMap;

use crate::language::{Macros, parse};
use crate::meaning::{Step, compile};
use crate::pattern::Pattern;

/// How an operand field is read and written. A set names its kinds once; rows use fields by the
/// kind's name, or by the name and a number (`rd` may be used as `rd`, a kind `r` as `r`, `r2`).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// A register: number `base + step * bits`.
    Register {
        /// The lowest.
        base: u8,
        /// Distance.
        step: u8,
    },
    /// A number: its bits, sign-extended if `signed`, as `width` bits in the language. Low bits that
    /// the encoding does not hold are zero.
    Number {
        /// Whether the highest bit is a sign.
        signed: bool,
        /// Its width in the language.
        width: u8,
    },
    /// A distance from the instruction's own address plus `bias`, as `width` bits, printed as a label.
    Relative {
        /// What the distance is counted from.
        bias: i8,
        /// Its width in the language.
        width: u8,
    },
    /// A number of `width` bits printed as a name.
    Names {
        /// Its width in the language.
        width: u8,
        /// The names, by value.
        names: &'static [&'static str],
    },
    /// A number of `width` bits that the encoding holds in another form (ARM's immediates of eight
    /// bits and a rotation; a shift by 32 held as 0).
    Coded {
        /// Its width in the language.
        width: u8,
        /// Whether it is a distance from the instruction's own address, printed as a label.
        label: bool,
        /// The form.
        coding: &'static Coding,
    },
}

/// How a number is held in an encoding.
#[derive(Debug)]
pub struct Coding {
    /// Its name.
    pub name: &'static str,
    /// The number that the field's bits stand for.
    pub number: fn(u64) -> i64,
    /// The field's bits for a number, as assemblers choose them; `None` if no bits stand for it.
    pub bits: fn(i64) -> Option<u64>,
}

impl PartialEq for Coding {
    fn eq(&self, other: &Coding) -> bool {
        self.name == other.name
    }
}

impl Eq for Coding {}

/// An instruction, as a line of text.
#[derive(Clone, Debug)]
pub struct Text {
    /// Its name in this table: unique, the mnemonic and, where one mnemonic has several forms, what
    /// tells them apart (`ldr_post`).
    pub name: String,
    /// In the assembler's notation, with `{field}` for operands, `{list:field}` for the registers
    /// whose bits are set, `{a-b+1}` for the size of the range of two fields, and `{field:[pc, #.]}`
    /// for a label if one is known, else what follows the colon with the number in place of the dot. Of a register, what
    /// follows the colon names a part: `{q:.l}` and `{r:_}` are `al` and `ax` where the register is `eax`. `{{` and `}}`
    /// are braces.
    pub syntax: String,
    /// See [`Pattern`].
    pub encoding: String,
    /// See [`crate::language`].
    pub meaning: String,
    /// Timing class: a name that the machine models know.
    pub class: String,
    /// The part of the architecture that some processors lack and that has this instruction, as a sentence
    /// names it ("the DSP extension"); empty where all processors of the table have it.
    pub extension: String,
}

impl Text {
    /// The line as one of a part of the architecture that not all processors have.
    #[must_use]
    pub fn in_extension(mut self, name: &str) -> Text {
        name.clone_into(&mut self.extension);
        self
    }
}

/// A line of a table.
pub fn row(name: &str, syntax: &str, encoding: &str, meaning: &str, class: &str) -> Text {
    let [name, syntax, encoding, meaning, class] =
        [name, syntax, encoding, meaning, class].map(str::to_owned);
    Text { name, syntax, encoding, meaning, class, extension: String::new() }
}

/// Which byte of a number stands first in memory, of code and of data.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum ByteOrder {
    /// The lowest.
    #[default]
    Little,
    /// The highest.
    Big,
}

impl From<object::Endianness> for ByteOrder {
    fn from(endian: object::Endianness) -> ByteOrder {
        match endian {
            object::Endianness::Little => ByteOrder::Little,
            object::Endianness::Big => ByteOrder::Big,
        }
    }
}

impl ByteOrder {
    /// The lowest so many bytes of a number, as they stand in memory.
    pub fn bytes(self, number: impl Into<u128>, count: usize) -> Vec<u8> {
        let number: u128 = number.into();
        match self {
            ByteOrder::Little => number.to_le_bytes()[..count].to_vec(),
            ByteOrder::Big => number.to_be_bytes()[16 - count..].to_vec(),
        }
    }

    /// The number that bytes in memory are, at most eight.
    pub fn number(self, bytes: &[u8]) -> u64 {
        self.wide_number(bytes) as u64
    }

    /// The number that bytes in memory are, at most sixteen.
    pub fn wide_number(self, bytes: &[u8]) -> u128 {
        let more = |number: u128, byte: &u8| number << 8 | u128::from(*byte);
        match self {
            ByteOrder::Little => bytes.iter().rev().fold(0, more),
            ByteOrder::Big => bytes.iter().fold(0, more),
        }
    }

    /// Byte so many of a value of `bytes` bytes, the lowest first, that stands at this place from the value's first
    /// address; and the place at which a byte stands.
    pub fn place(self, at: u8, bytes: u8) -> u8 {
        match self {
            ByteOrder::Little => at,
            ByteOrder::Big => bytes - 1 - at,
        }
    }

    /// Its name in a sentence.
    pub fn name(self) -> &'static str {
        match self {
            ByteOrder::Little => "little-endian",
            ByteOrder::Big => "big-endian",
        }
    }
}

/// When instructions are executed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Guard {
    /// Always.
    None,
    /// If the condition in this field holds (ARM).
    Field(&'static str),
    /// As the register says that an `it` before it has set (Thumb-2): bits 7 to 4 are the condition
    /// while bits 3 to 0 are not zero, and bits 4 to 0 move up by one at each instruction.
    Block(&'static str),
}

/// The effect of an access to data at no multiple of its size. Sources name document and section.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unaligned {
    /// It works as at any other address.
    Works {
        /// The source, and the state of the processor that it holds in.
        source: &'static str,
    },
    /// It works for instructions that access memory once. Of those that access it more than once, such as loads of
    /// several registers, each access must be at a multiple of its size.
    Single {
        /// What the others do, as in "is a fault".
        others: &'static str,
        /// The source.
        source: &'static str,
    },
    /// It never works.
    Never {
        /// What happens, as in "is a fault".
        is: &'static str,
        /// The source.
        source: &'static str,
    },
}

impl Unaligned {
    /// Where an access of an instruction that makes so many of them does not work: what happens, and the source.
    pub const fn refused(self, accesses: u8) -> Option<(&'static str, &'static str)> {
        match self {
            Unaligned::Works { .. } => None,
            Unaligned::Single { others, source } if accesses > 1 => Some((others, source)),
            Unaligned::Single { .. } => None,
            Unaligned::Never { is, source } => Some((is, source)),
        }
    }

    /// The source.
    pub const fn source(self) -> &'static str {
        match self {
            Unaligned::Works { source }
            | Unaligned::Single { source, .. }
            | Unaligned::Never { source, .. } => source,
        }
    }
}

/// What a set of instructions has in common.
#[derive(Clone, Debug)]
pub struct Description {
    /// Its name.
    pub name: &'static str,
    /// Width of an address in the language, in bits.
    pub address: u8,
    /// The order of bytes in units of encodings and in data.
    pub order: ByteOrder,
    /// Size of the units that encodings are stored in, in bytes, each in [`Description::order`]: an encoding of
    /// 32 bits on a set of units of 2 has its high half first.
    pub unit: u8,
    /// Registers and flags: name, width. The first [`Description::general`] are those that fields of
    /// [`Kind::Register`] number.
    pub registers: &'static [(&'static str, u8)],
    /// How many registers fields can name.
    pub general: u8,
    /// The effect of an access at no multiple of its size on the processors that have this table.
    pub unaligned: Unaligned,
    /// Names of pairs of registers: name, high, low.
    pub pairs: &'static [(&'static str, &'static str, &'static str)],
    /// A register that reads as zero and forgets what is written.
    pub zero: Option<u8>,
    /// A register that reads as an address near the instruction's; writing it jumps.
    pub counter: Option<Counter>,
    /// Kinds of fields, by name.
    pub kinds: &'static [(&'static str, Kind)],
    /// Macros of the language.
    pub macros: &'static [(&'static str, &'static str)],
    /// When instructions are executed.
    pub guard: Guard,
    /// Conditions of the guard, by number, as expressions.
    pub conditions: &'static [&'static str],
    /// Where data memory starts in an [`crate::image::Image`].
    pub data: u64,
}

/// A program counter among the registers that fields number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Counter {
    /// Its number.
    pub register: u8,
    /// How much more than the instruction's own address it reads as.
    pub ahead: u8,
    /// What the lowest bit of an address says that control goes to.
    pub lowest_bit: LowestBit,
}

/// What the lowest bit of an address says where control goes to it from a register or from memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LowestBit {
    /// Nothing: instructions are at even addresses, and the bit is zero or ignored.
    Nothing,
    /// One, that the code there is Thumb, which this table is of too; zero leaves that state, which is a fault on
    /// processors that have no other (Arm DDI 0403, A2.3.1 and the pseudocode of BXWritePC).
    Thumb,
    /// The same on processors with both states, of which the table is of the other one: the bit of an address of return
    /// is the caller's, and only a branch that exchanges the state (`bx`) goes there. What is written to the program
    /// counter leaves the state as it is (ARMv4T; Arm DDI 0100, A2.4.3 and A4.1.10).
    Caller,
}

impl Description {
    /// Nothing out of the ordinary: addresses of 32 bits, units of 4 bytes, the lowest byte first. A table for a
    /// test, or of few instructions, says what it has besides; that of a processor says all.
    pub const PLAIN: Description = Description {
        name: "plain",
        address: 32,
        order: ByteOrder::Little,
        unit: 4,
        registers: &[],
        general: 0,
        unaligned: Unaligned::Works { source: "nothing is said of it" },
        pairs: &[],
        zero: None,
        counter: None,
        kinds: &[],
        macros: &[],
        guard: Guard::None,
        conditions: &[],
        data: 0,
    };

    /// What the lowest bit of an address says.
    pub fn lowest_bit(&self) -> LowestBit {
        self.counter.map_or(LowestBit::Nothing, |counter| counter.lowest_bit)
    }

    /// Whether some of its registers hold a block of AES.
    pub fn holds_blocks(&self) -> bool {
        self.registers.iter().any(|&(_, width)| width >= 128)
    }

    /// The lowest bit of an address of return, as a caller gives it.
    pub fn mark(&self) -> u64 {
        u64::from(self.lowest_bit() == LowestBit::Thumb)
    }
}

/// A field of a row.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Field {
    /// Its name.
    pub name: String,
    /// How it is read.
    pub kind: Kind,
}

/// What an instruction may read and write, from its meaning.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Effects {
    /// Fields whose register is read; with `true`, the next register too.
    pub read_fields: Vec<(u8, bool)>,
    /// Fields whose register is written.
    pub written_fields: Vec<(u8, bool)>,
    /// Fixed registers and flags that are read.
    pub reads: Vec<u8>,
    /// Fixed registers and flags that are written.
    pub writes: Vec<u8>,
    /// Whether data memory is read.
    pub loads: bool,
    /// Whether data memory is written.
    pub stores: bool,
    /// Whether control may go elsewhere than to the next instruction.
    pub jumps: bool,
    /// Whether writes depend on a condition, so that what was there before may stay.
    pub conditional: bool,
    /// How many accesses to memory its steps have; one of a list of registers counts as several.
    pub accesses: u8,
    /// Fields that are lists of registers which are loaded.
    pub loaded_lists: Vec<u8>,
    /// Fields that are lists of registers which are stored.
    pub stored_lists: Vec<u8>,
    /// Whether it multiplies.
    pub multiplies: bool,
}

/// An instruction of a table.
#[derive(Clone, Debug)]
pub struct Row {
    /// See [`Text::name`].
    pub name: String,
    /// See [`Text::syntax`].
    pub syntax: String,
    /// Its encoding.
    pub pattern: Pattern,
    /// Its fields, in the encoding's order.
    pub fields: Vec<Field>,
    /// What it does.
    pub steps: Vec<Step>,
    /// How many local names the steps have.
    pub locals: u8,
    /// See [`Text::class`].
    pub class: String,
    /// See [`Text::extension`].
    pub extension: String,
    /// What it reads and writes.
    pub effects: Effects,
    /// Bits of fields, by place, with which its encoding is that of a more special row: a field of 0 that names no
    /// register, say.
    pub hidden: Vec<(u8, u64)>,
}

impl Row {
    /// Its size in bytes.
    pub fn bytes(&self) -> u8 {
        self.pattern.bits / 8
    }
}

/// Most fields that a row has.
pub const FIELDS: usize = 8;

/// An instruction: a row, and values of its fields in the row's order. Registers stand as their
/// numbers; from [`Insn::VIRTUAL`] on they are virtual, before allocation.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Insn {
    /// Number of the row.
    pub row: u16,
    /// Values of the fields.
    pub fields: [i32; FIELDS],
}

impl Insn {
    /// The first number of a virtual register.
    pub const VIRTUAL: i32 = 0x1_0000;
}

/// Where an instruction stands, besides its address.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Stands {
    /// In a delay slot.
    pub in_slot: bool,
    /// In a block of conditional instructions.
    pub in_block: bool,
}

/// Why nobody can say what an instruction does there: what manuals leave undefined, and what changes a
/// state of the processor that the table does not describe. `None` if its row says what it does.
pub type Undefined = fn(&Isa, &Insn, Stands) -> Option<&'static str>;

/// A set of instructions.
#[derive(Clone, Debug)]
pub struct Isa {
    /// What rows have in common.
    pub about: Description,
    /// The rows.
    pub rows: Vec<Row>,
    /// The conditions of the guard.
    pub conditions: Vec<crate::meaning::Expression>,
    /// What is encoded, and not defined.
    pub undefined: Undefined,
    /// The processor whose table it is, where it lacks some of the rows: see [`Isa::without`].
    pub processor: &'static str,
    /// The parts of the architecture that it lacks.
    pub lacks: &'static [&'static str],
    names: HashMap<String, u16>,
    registers: HashMap<String, u8>,
    pub(crate) shortest: u8,
    /// See [`Isa::told_apart`]: where to look first, and the rows by what stands there.
    pub(crate) first: (usize, Vec<Vec<u16>>),
}

impl Isa {
    /// Compiles a table; a mistake is a sentence with the row's name.
    pub fn new(about: Description, texts: &[Text]) -> Result<Isa, String> {
        let registers =
            about.registers.iter().enumerate().map(|(i, (n, _))| ((*n).to_owned(), i as u8)).collect();
        let mut isa = Isa {
            about,
            rows: Vec::new(),
            conditions: Vec::new(),
            undefined: |_, _, _| None,
            processor: "",
            lacks: &[],
            names: HashMap::new(),
            registers,
            shortest: 8,
            first: Default::default(),
        };
        for condition in isa.about.conditions {
            let steps = crate::meaning::condition(&isa, condition)
                .map_err(|m| format!("the condition '{condition}': {} (at byte {})", m.what, m.at))?;
            isa.conditions.push(steps);
        }
        for text in texts {
            isa.put(text)?;
        }
        isa.first = isa.told_apart();
        Ok(isa)
    }

    /// The table, with what it holds and the architecture leaves undefined.
    pub fn leaving(mut self, undefined: Undefined) -> Isa {
        self.undefined = undefined;
        self
    }

    /// The table of a processor (with its article, as in a sentence) that lacks parts of the architecture: their rows keep
    /// their numbers, and are refused by name where a program is read.
    pub fn without(mut self, processor: &'static str, lacks: &'static [&'static str]) -> Isa {
        (self.processor, self.lacks) = (processor, lacks);
        self
    }

    /// A sentence if the processor lacks an instruction.
    pub fn lacking(&self, insn: &Insn) -> Option<String> {
        let extension = self.of(insn).extension.as_str();
        (!extension.is_empty() && self.lacks.contains(&extension)).then(|| {
            let text = self.print(insn, |_| None);
            format!("`{text}` is an instruction of {extension}, which {} does not have", self.processor)
        })
    }

    /// Adds a row: how an extension adds an instruction.
    pub fn add(&mut self, text: &Text) -> Result<(), String> {
        self.put(text)?;
        self.first = self.told_apart();
        Ok(())
    }

    fn put(&mut self, text: &Text) -> Result<(), String> {
        let wrong = |what: String| format!("{}: {what}", text.name);
        let pattern = Pattern::parse(&text.encoding).map_err(wrong)?;
        let (bits, unit) = (pattern.bits, 8 * self.about.unit);
        if bits % unit != 0 && 2 * bits != unit {
            return Err(wrong(format!(
                "an encoding has units of {unit} bits, or half of one, this one has {bits} bits"
            )));
        }
        if pattern.fields.len() > FIELDS {
            return Err(wrong(format!(
                "it has {} fields, at most {FIELDS} are possible",
                pattern.fields.len()
            )));
        }
        let mut fields = Vec::new();
        for (name, _) in &pattern.fields {
            let kind = name.trim_end_matches(|c: char| c.is_ascii_digit());
            let find = |n: &str| self.about.kinds.iter().find(|(k, _)| *k == n).map(|(_, kind)| *kind);
            let kind = find(name)
                .or_else(|| find(kind))
                .ok_or_else(|| wrong(format!("no kind of field is named '{name}'")))?;
            if let Kind::Register { base, step } = kind {
                let width = |r: usize| self.about.registers.get(r).map(|(_, width)| *width);
                let codes = 0..1usize << pattern.width(fields.len());
                let named = codes.map(|code| usize::from(base) + usize::from(step) * code);
                let general = named.filter(|&r| r < usize::from(self.about.general));
                if general.map(width).any(|w| w != width(usize::from(base))) {
                    return Err(wrong(format!("'{name}' names registers of several widths")));
                }
            }
            fields.push(Field { name: name.clone(), kind });
        }
        let (mask, value) = pattern.begins();
        let clash = self.rows.iter().filter(|_| pattern.is_encoded()).find(|r| {
            let (earlier, is) = r.pattern.begins();
            let common = earlier & mask;
            self.is_one_or_other(&r.pattern, &pattern) && is & common == value & common
                // A more special pattern may stand before a more general one.
                && earlier & !mask == 0
        });
        if let Some(clash) = clash {
            return Err(wrong(format!(
                "its encoding is hidden by that of {}, which stands before it",
                clash.name
            )));
        }
        let macros = Macros::new(self.about.macros);
        let lines =
            parse(&text.meaning, &macros).map_err(|m| wrong(format!("{} (at byte {})", m.what, m.at)))?;
        let meaning = compile(self, &fields, &lines).map_err(wrong)?;
        if self.names.insert(text.name.clone(), self.rows.len() as u16).is_some() {
            return Err(wrong("there are two rows of this name".into()));
        }
        self.shortest = self.shortest.min(pattern.bits / 8);
        let hidden = self.hidden(&pattern);
        self.rows.push(Row {
            name: text.name.clone(),
            syntax: text.syntax.clone(),
            pattern,
            fields,
            steps: meaning.steps,
            locals: meaning.locals,
            class: text.class.clone(),
            extension: text.extension.clone(),
            effects: meaning.effects,
            hidden,
        });
        Ok(())
    }

    /// Whether the same bytes may begin with either encoding: those of one size, and where sizes are told apart by nothing
    /// but what instructions begin with, those of any.
    fn is_one_or_other(&self, a: &Pattern, b: &Pattern) -> bool {
        a.bits == b.bits || self.about.unit == 1
    }

    /// See [`Row::hidden`].
    fn hidden(&self, pattern: &Pattern) -> Vec<(u8, u64)> {
        if !pattern.is_encoded() {
            return Vec::new();
        }
        let (mask, value) = pattern.begins();
        let of_row = |special: &Row| {
            let (special_mask, special_value) = special.pattern.begins();
            let common = special_mask & mask;
            let more = special_mask & !mask;
            let is_special = self.is_one_or_other(&special.pattern, pattern)
                && (special_value ^ value) & common == 0
                && mask & !special_mask == 0;
            let place = (0..pattern.fields.len()).find(|&place| more == pattern.begin_of(place))?;
            is_special.then(|| (place as u8, pattern.begin_value(place, special_value)))
        };
        self.rows.iter().filter_map(of_row).collect()
    }

    /// Bytes of the shortest instruction: every instruction is at a multiple.
    pub fn shortest(&self) -> u8 {
        self.shortest
    }

    /// Number of a register or flag.
    pub fn register(&self, name: &str) -> Option<u8> {
        self.registers.get(name).copied()
    }

    /// The row of a name. Names in our own code are known; panics on others.
    pub fn row(&self, name: &str) -> u16 {
        *self.names.get(name).unwrap_or_else(|| panic!("the table {} has no row '{name}'", self.about.name))
    }

    /// The row of a name, if there is one.
    pub fn find(&self, name: &str) -> Option<u16> {
        self.names.get(name).copied()
    }

    /// An instruction with these fields; the others are zero. Panics on names that the row lacks.
    pub fn insn(&self, name: &str, fields: &[(&str, i32)]) -> Insn {
        let row = self.row(name);
        let mut insn = Insn { row, fields: [0; FIELDS] };
        for (field, value) in fields {
            let place = self.rows[row as usize].fields.iter().position(|f| f.name == *field);
            insn.fields[place.unwrap_or_else(|| panic!("{name} has no field '{field}'"))] = *value;
        }
        insn
    }

    /// Registers and flags that an instruction may write.
    pub fn registers_written(&self, insn: &Insn) -> Vec<u8> {
        let effects = &self.of(insn).effects;
        self.named(insn, &effects.written_fields, &effects.writes, &effects.loaded_lists)
    }

    /// Registers and flags that an instruction may read.
    pub fn registers_read(&self, insn: &Insn) -> Vec<u8> {
        let effects = &self.of(insn).effects;
        self.named(insn, &effects.read_fields, &effects.reads, &effects.stored_lists)
    }

    fn named(&self, insn: &Insn, fields: &[(u8, bool)], fixed: &[u8], lists: &[u8]) -> Vec<u8> {
        let of_field = |&(f, next): &(u8, bool)| insn.fields[usize::from(f)] as u8 + u8::from(next);
        let of_list = |&f: &u8| {
            let list = insn.fields[usize::from(f)];
            (0..16).filter(move |r| list >> r & 1 == 1)
        };
        let mut all: Vec<u8> = fields.iter().map(of_field).chain(fixed.iter().copied()).collect();
        all.extend(lists.iter().flat_map(of_list));
        all.retain(|&r| self.about.zero != Some(r));
        all
    }

    /// The row of an instruction.
    pub fn of(&self, insn: &Insn) -> &Row {
        &self.rows[insn.row as usize]
    }

    /// The value of an instruction's field, if it has one of this name.
    pub fn operand(&self, insn: &Insn, name: &str) -> Option<i32> {
        self.of(insn).fields.iter().position(|f| f.name == name).map(|place| insn.fields[place])
    }
}
