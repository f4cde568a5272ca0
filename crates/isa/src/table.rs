//! The table of an instruction set: rows as text, and their compiled form.

use std::collections::HashMap;

use crate::language::{Macros, parse};
use crate::meaning::{Step, compile};
use crate::pattern::Pattern;

/// The reading and writing of an operand field. A set names its kinds once; rows use fields by the kind's name, or by
/// the name and a number (a kind `rd` may be used as `rd`, a kind `r` as `r`, `r2`).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// A register: number `base + step * bits`.
    Register {
        /// The lowest register number.
        base: u8,
        /// The distance between register numbers.
        step: u8,
    },
    /// A number: the field's bits, sign-extended if `signed`, as `width` bits in the language. Low bits that the
    /// encoding does not hold are zero.
    Number {
        /// True if the highest bit is a sign.
        signed: bool,
        /// Its width in the language.
        width: u8,
    },
    /// A distance from the instruction's own address plus `bias`, as `width` bits, printed as a label.
    Relative {
        /// The offset in bytes from the instruction's own address at which the distance starts.
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
    /// A number of `width` bits that the encoding holds in another form (ARM's immediates of eight bits and a rotation;
    /// a shift by 32 encoded as 0).
    Coded {
        /// Its width in the language.
        width: u8,
        /// True if it is a distance from the instruction's own address, printed as a label.
        label: bool,
        /// The encoded form.
        coding: &'static Coding,
    },
}

/// An encoded form of numbers.
#[derive(Debug)]
pub struct Coding {
    /// Its name.
    pub name: &'static str,
    /// The number that the field's bits encode.
    pub number: fn(u64) -> i64,
    /// The field's bits for a number, as assemblers choose them; `None` if the number cannot be encoded.
    pub bits: fn(i64) -> Option<u64>,
}

impl PartialEq for Coding {
    fn eq(&self, other: &Coding) -> bool {
        self.name == other.name
    }
}

impl Eq for Coding {}

/// An instruction as text, a line of a table.
#[derive(Clone, Debug)]
pub struct Text {
    /// Its name, unique in this table: the mnemonic, with a suffix where one mnemonic has several forms (`ldr_post`).
    pub name: String,
    /// The assembler's notation, with `{field}` for operands, `{list:field}` for the registers whose bits are set,
    /// `{a-b+1}` for the size of the range of two fields, and `{field:[pc, #.]}` for a label if one is known, otherwise
    /// the text after the colon with the number in place of the dot. For a register, the text after the colon names a
    /// part: `{q:.l}` and `{r:_}` are `al` and `ax` where the register is `eax`. `{{` and `}}` are braces.
    pub syntax: String,
    /// See [`Pattern`].
    pub encoding: String,
    /// See [`crate::language`].
    pub meaning: String,
    /// The timing class: a name in the machine models.
    pub class: String,
    /// The part of the architecture that has this instruction and that some processors lack, named as in a sentence
    /// ("the DSP extension"); empty if all processors of the table have it.
    pub extension: String,
}

/// Builds a line of a table.
pub fn row(name: &str, syntax: &str, encoding: &str, meaning: &str, class: &str) -> Text {
    let [name, syntax, encoding, meaning, class] =
        [name, syntax, encoding, meaning, class].map(str::to_owned);
    Text { name, syntax, encoding, meaning, class, extension: String::new() }
}

/// The byte order in memory, for code and for data.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum ByteOrder {
    /// The lowest byte first.
    #[default]
    Little,
    /// The highest byte first.
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
    /// The lowest `count` bytes of a number in memory order.
    pub fn bytes(self, number: impl Into<u128>, count: usize) -> Vec<u8> {
        let number: u128 = number.into();
        match self {
            ByteOrder::Little => number.to_le_bytes()[..count].to_vec(),
            ByteOrder::Big => number.to_be_bytes()[16 - count..].to_vec(),
        }
    }

    /// The number that at most eight bytes in memory represent.
    pub fn number(self, bytes: &[u8]) -> u64 {
        self.wide_number(bytes) as u64
    }

    /// The number that at most sixteen bytes in memory represent.
    pub fn wide_number(self, bytes: &[u8]) -> u128 {
        let more = |number: u128, byte: &u8| number << 8 | u128::from(*byte);
        match self {
            ByteOrder::Little => bytes.iter().rev().fold(0, more),
            ByteOrder::Big => bytes.iter().fold(0, more),
        }
    }

    /// Converts between the significance of a byte in a value of `bytes` bytes, 0 for the lowest, and its offset from
    /// the value's first address. The function is its own inverse.
    pub fn place(self, at: u8, bytes: u8) -> u8 {
        match self {
            ByteOrder::Little => at,
            ByteOrder::Big => bytes - 1 - at,
        }
    }

    /// The name for messages.
    pub fn name(self) -> &'static str {
        match self {
            ByteOrder::Little => "little-endian",
            ByteOrder::Big => "big-endian",
        }
    }
}

/// The condition under which instructions are executed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Guard {
    /// None: instructions are always executed.
    None,
    /// The condition in this field (ARM).
    Field(&'static str),
    /// The state in this register, which a preceding `it` has set (Thumb-2): bits 7 to 4 are the condition while bits 3
    /// to 0 are not zero, and bits 4 to 0 move up by one at each instruction.
    Block(&'static str),
}

/// The effect of a misaligned data access. Sources name document and section.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unaligned {
    /// It works as an aligned access does.
    Works {
        /// The source, and the processor state in which it holds.
        source: &'static str,
    },
    /// It works for instructions that access memory once. Each access of other instructions, such as loads of several
    /// registers, must be aligned to its size.
    Single {
        /// The effect on the others, as in "is a fault".
        others: &'static str,
        /// The source.
        source: &'static str,
    },
    /// It never works.
    Never {
        /// The effect, as in "is a fault".
        is: &'static str,
        /// The source.
        source: &'static str,
    },
}

impl Unaligned {
    /// The effect and the source where a misaligned instruction with this many accesses does not work.
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

/// The common properties of an instruction set.
#[derive(Clone, Debug)]
pub struct Description {
    /// The name of the set.
    pub name: &'static str,
    /// Width of an address in the language, in bits.
    pub address: u8,
    /// The byte order of encoding units and of data.
    pub order: ByteOrder,
    /// Size in bytes of the units that encodings are stored in, each in [`Description::order`]: with units of 2 bytes,
    /// a 32-bit encoding has its high half first.
    pub unit: u8,
    /// Registers and flags: name, width in bits. Fields of [`Kind::Register`] number the first
    /// [`Description::general`].
    pub registers: &'static [(&'static str, u8)],
    /// The number of registers that fields can name.
    pub general: u8,
    /// The effect of a misaligned access on the processors of this table.
    pub unaligned: Unaligned,
    /// Names of pairs of registers: name, high, low.
    pub pairs: &'static [(&'static str, &'static str, &'static str)],
    /// The register that reads as zero and ignores writes.
    pub zero: Option<u8>,
    /// The program counter, if it is a register that fields can name: it reads as an address near the instruction's,
    /// and a write jumps.
    pub counter: Option<Counter>,
    /// Kinds of fields, by name.
    pub kinds: &'static [(&'static str, Kind)],
    /// Macros of the language.
    pub macros: &'static [(&'static str, &'static str)],
    /// The condition under which instructions are executed.
    pub guard: Guard,
    /// The conditions of the guard, by number, as expressions.
    pub conditions: &'static [&'static str],
    /// The start address of data memory in an [`crate::image::Image`].
    pub data: u64,
}

/// A program counter that is one of the registers that fields number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Counter {
    /// Its register number.
    pub register: u8,
    /// The difference in bytes between the value that it reads as and the instruction's own address.
    pub ahead: u8,
    /// The meaning of the lowest bit of a jump's target address.
    pub lowest_bit: LowestBit,
}

/// The meaning of the lowest bit of a target address from a register or from memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LowestBit {
    /// None: instructions are at even addresses, and the bit is zero or ignored.
    Nothing,
    /// One means Thumb code, as in this table; zero leaves the Thumb state, which is a fault on processors that have no
    /// other (Arm DDI 0403, A2.3.1 and the pseudocode of BXWritePC).
    Thumb,
    /// One means Thumb code, on processors with both states; this table is for the other state. The bit of a return
    /// address comes from the caller, and only a branch that exchanges the state (`bx`) may jump there. A write to the
    /// program counter keeps the state (ARMv4T; Arm DDI 0100, A2.4.3 and A4.1.10).
    Caller,
}

impl Description {
    /// The defaults: addresses of 32 bits, units of 4 bytes, the lowest byte first, and none of the parts that only some
    /// tables have. Registers and macros may also come from a text ([`crate::sheet`]).
    pub const PLAIN: Description = Description {
        name: "plain",
        address: 32,
        order: ByteOrder::Little,
        unit: 4,
        registers: &[],
        general: 0,
        unaligned: Unaligned::Works { source: "not stated" },
        pairs: &[],
        zero: None,
        counter: None,
        kinds: &[],
        macros: &[],
        guard: Guard::None,
        conditions: &[],
        data: 0,
    };

    /// The meaning of the lowest bit of a target address.
    pub fn lowest_bit(&self) -> LowestBit {
        self.counter.map_or(LowestBit::Nothing, |counter| counter.lowest_bit)
    }

    /// True if some of its registers hold a block of AES.
    pub fn holds_blocks(&self) -> bool {
        self.registers.iter().any(|&(_, width)| width >= 128)
    }

    /// The lowest bit of a return address, as a caller passes it.
    pub fn mark(&self) -> u64 {
        u64::from(self.lowest_bit() == LowestBit::Thumb)
    }
}

/// A field of a row.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Field {
    /// Its name.
    pub name: String,
    /// The kind.
    pub kind: Kind,
}

/// The possible reads and writes of an instruction, derived from its meaning.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Effects {
    /// Fields whose register is read; with `true`, the next register, too.
    pub read_fields: Vec<(u8, bool)>,
    /// Fields whose register is written; with `true`, the next register, too.
    pub written_fields: Vec<(u8, bool)>,
    /// Fixed registers and flags that are read.
    pub reads: Vec<u8>,
    /// Fixed registers and flags that are written.
    pub writes: Vec<u8>,
    /// True if data memory is read.
    pub loads: bool,
    /// True if data memory is written.
    pub stores: bool,
    /// True if control may go elsewhere than to the next instruction.
    pub jumps: bool,
    /// True if writes depend on a condition, so that old values may remain.
    pub conditional: bool,
    /// The number of memory accesses; a list of registers counts as several.
    pub accesses: u8,
    /// Fields that are lists of loaded registers.
    pub loaded_lists: Vec<u8>,
    /// Fields that are lists of stored registers.
    pub stored_lists: Vec<u8>,
    /// True if it multiplies.
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
    /// The compiled meaning.
    pub steps: Vec<Step>,
    /// The number of locals in the steps.
    pub locals: u8,
    /// See [`Text::class`].
    pub class: String,
    /// See [`Text::extension`].
    pub extension: String,
    /// Its reads and writes.
    pub effects: Effects,
    /// Pairs of a field's place and a value for which the encoding is that of a more special row, such as a field of 0
    /// that names no register.
    pub hidden: Vec<(u8, u64)>,
}

impl Row {
    /// Its size in bytes.
    pub fn bytes(&self) -> u8 {
        self.pattern.bits / 8
    }
}

/// The maximum number of fields of a row.
pub const FIELDS: usize = 8;

/// An instruction: a row, and the values of its fields in the row's order. Registers are given by number; from
/// [`Insn::VIRTUAL`] on they are virtual, before allocation.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Insn {
    /// The number of the row.
    pub row: u16,
    /// The values of the fields.
    pub fields: [i32; FIELDS],
}

impl Insn {
    /// The number of the first virtual register.
    pub const VIRTUAL: i32 = 0x1_0000;
}

/// The context of an instruction, besides its address.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Stands {
    /// True in a delay slot.
    pub in_slot: bool,
    /// True in a block of conditional instructions.
    pub in_block: bool,
}

/// The reason why the effect of an instruction is unknown in its context: the manual leaves it undefined, or it changes
/// a processor state that the table does not describe. `None` if its row gives the effect.
pub type Undefined = fn(&Isa, &Insn, Stands) -> Option<&'static str>;

/// A set of instructions.
#[derive(Clone, Debug)]
pub struct Isa {
    /// The common properties of the rows.
    pub about: Description,
    /// The rows.
    pub rows: Vec<Row>,
    /// The conditions of the guard.
    pub conditions: Vec<crate::meaning::Formula>,
    /// The check for instructions that have an encoding and an undefined effect.
    pub undefined: Undefined,
    /// The processor of this table, if it lacks some of the rows: see [`Isa::without`].
    pub processor: &'static str,
    /// The parts of the architecture that the processor lacks.
    pub lacks: &'static [&'static str],
    names: HashMap<String, u16>,
    registers: HashMap<String, u8>,
    pub(crate) shortest: u8,
    /// The result of [`Isa::told_apart`]: the byte that decoding reads first, and the rows by its value.
    pub(crate) first: (usize, Vec<Vec<u16>>),
}

impl Isa {
    /// Compiles a table; the error is a sentence with the row's name.
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

    /// Sets the check for instructions that the architecture leaves undefined.
    pub fn leaving(mut self, undefined: Undefined) -> Isa {
        self.undefined = undefined;
        self
    }

    /// Restricts the table to a processor (named with its article, as in a sentence) that lacks parts of the
    /// architecture. The rows of these parts keep their numbers; reading a program refuses them by name.
    pub fn without(mut self, processor: &'static str, lacks: &'static [&'static str]) -> Isa {
        (self.processor, self.lacks) = (processor, lacks);
        self
    }

    /// A sentence if the processor lacks the instruction.
    pub fn lacking(&self, insn: &Insn) -> Option<String> {
        let extension = self.of(insn).extension.as_str();
        (!extension.is_empty() && self.lacks.contains(&extension)).then(|| {
            let text = self.print(insn, |_| None);
            format!("`{text}` is an instruction of {extension}, which {} does not have", self.processor)
        })
    }

    /// Adds a row, as an extension does for its instructions.
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
                // A more special pattern may come before a more general one.
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

    /// True if the same bytes may begin with either encoding: the sizes are equal, or instructions start at any byte,
    /// so that only their first bytes determine the size.
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

    /// Size in bytes of the shortest instruction, which is the alignment of all instructions.
    pub fn shortest(&self) -> u8 {
        self.shortest
    }

    /// The number of a register or flag.
    pub fn register(&self, name: &str) -> Option<u8> {
        self.registers.get(name).copied()
    }

    /// The row with this name. Panics if there is none: the caller's names are constants.
    pub fn row(&self, name: &str) -> u16 {
        *self.names.get(name).unwrap_or_else(|| panic!("the table {} has no row '{name}'", self.about.name))
    }

    /// The row with this name, if there is one.
    pub fn find(&self, name: &str) -> Option<u16> {
        self.names.get(name).copied()
    }

    /// Builds an instruction with these fields; the others are zero. Panics on names that the row lacks.
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

    /// The value of an instruction's field with this name, if it has one.
    pub fn operand(&self, insn: &Insn, name: &str) -> Option<i32> {
        self.of(insn).fields.iter().position(|f| f.name == name).map(|place| insn.fields[place])
    }
}
