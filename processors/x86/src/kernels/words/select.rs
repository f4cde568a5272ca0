//! Instruction selection for a program over words: chooses operands, extracts bytes from words, and allocates
//! registers in one pass. It never spills: a program that needs more registers than there are is unfit.

use crate::kernels::Unfit;
use crate::kernels::asm::{Assembler, at, indexed};
use aesmith_dataflow::memory::Memory;
use aesmith_dataflow::program::{Element, Node, Program, Value};
use iced_x86::{Code, Instruction, MemoryOperand, Register};

/// A set of general registers by number (the order of the encoding).
pub(super) type Set = u16;

/// rax, rcx, rdx, rbx: the registers whose second byte has a name.
pub(super) const WITH_SECOND_BYTE: Set = 0x000f;
/// Registers that an instruction naming a second byte can write: those that need no REX prefix.
pub(super) const WITHOUT_REX: Set = 0x00ef;

/// The method of extracting bytes from a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Extract {
    /// A copy, shifted and masked.
    Shift,
    /// al and ah, then a shift by 16, then al and ah again.
    Registers,
    /// A store of the word and loads of its bytes.
    Memory,
}

/// Options of instruction selection.
#[derive(Clone, Copy, Debug)]
pub(super) struct Options {
    pub extract: Extract,
    /// True to fold loads into the XORs that use them.
    pub combined: bool,
    /// True to multiply indices by the addressing mode.
    pub scaled: bool,
}

/// The location of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// In a general register.
    Register(u8),
    /// Memory at base + displacement, with this size in bytes.
    Memory(Register, i32, u8),
    /// A 32-bit element of a vector register.
    Vector(u8, u8),
    /// A constant.
    Immediate(u32),
    /// An entry of read-only memory: index, scale, displacement, bytes.
    Entry(Value, u8, i32, u8),
}

/// The read-only memory of a kernel: consecutive pieces after one base register.
#[derive(Clone, Debug, Default)]
pub(super) struct Regions(Vec<Memory>);

impl Regions {
    /// The offset of a piece, which is appended if it is missing.
    pub fn offset(&mut self, memory: Memory) -> i32 {
        let place = self.0.iter().position(|&m| m == memory).unwrap_or_else(|| {
            self.0.push(memory);
            self.0.len() - 1
        });
        self.0[..place].iter().map(|m| m.size() as i32).sum()
    }

    /// All pieces.
    pub fn contents(&self) -> Vec<u8> {
        self.0.iter().flat_map(|m| m.contents().iter().copied()).collect()
    }
}

/// The resources that instructions may use besides a program's inputs.
pub(super) struct Machine<'a> {
    pub asm: &'a mut Assembler,
    pub regions: &'a mut Regions,
    /// Registers that may be written.
    pub free: Set,
    /// Base of the read-only memory.
    pub table: Register,
    /// Start of the writable words of the stack frame, 8 bytes each.
    pub scratch: i32,
    /// The number of these words that were used.
    pub scratch_used: &'a mut u32,
    pub options: Options,
}

pub(super) fn r64(number: u8) -> Register {
    Register::RAX + u32::from(number)
}

pub(super) fn r32(number: u8) -> Register {
    Register::EAX + u32::from(number)
}

pub(super) fn r16(number: u8) -> Register {
    Register::AX + u32::from(number)
}

pub(super) fn r8(number: u8) -> Register {
    // iced numbers al to bl, ah to bh, spl to dil, then r8b and on.
    if number < 4 { Register::AL + u32::from(number) } else { Register::SPL + u32::from(number - 4) }
}

pub(super) fn xmm(number: u8) -> Register {
    Register::XMM0 + u32::from(number)
}

/// The register of a set to take first: one that other classes do not need.
fn pick(set: Set) -> Option<u8> {
    [0xff00, 0x00e0, 0x000f]
        .iter()
        .map(|class| set & class)
        .find(|&s| s != 0)
        .map(|s| s.trailing_zeros() as u8)
}

pub(super) struct Selector<'m, 'a, 'p> {
    pub(super) m: &'m mut Machine<'a>,
    pub(super) program: &'p Program,
    pub(super) place: Vec<Option<Place>>,
    /// Number of bits by which a value's register was shifted down.
    pub(super) shifted: Vec<u8>,
    /// Number of bits by which an index was already shifted up.
    pub(super) scaled: Vec<u8>,
    /// Remaining uses.
    pub(super) uses: Vec<u32>,
    /// Preferred registers for a value, if one of them is free.
    wishes: Vec<Set>,
    /// The nodes that use a value, in order.
    users: Vec<Vec<u16>>,
    pub(super) free: Set,
    slots: u64,
}

/// Appends the instructions of `program` on these inputs and returns the registers of its outputs. Input
/// registers are not in the machine's free set; they become free after their last use.
pub(super) fn select(m: &mut Machine, program: &Program, inputs: &[Place]) -> Result<Vec<u8>, Unfit> {
    let count = program.nodes.len();
    let mut s = Selector {
        free: m.free,
        wishes: wishes(program, inputs, m.options.extract),
        m,
        program,
        place: vec![None; count],
        shifted: vec![0; count],
        scaled: vec![0; count],
        uses: vec![0; count],
        users: vec![Vec::new(); count],
        slots: 0,
    };
    for (i, node) in program.nodes.iter().enumerate() {
        for a in node.arguments() {
            s.uses[usize::from(a.0)] += 1;
            s.users[usize::from(a.0)].push(i as u16);
        }
    }
    for out in &program.outputs {
        s.uses[usize::from(out.0)] += 1;
    }
    for i in 0..count {
        let v = Value(i as u16);
        match program.nodes[i] {
            Node::Input(k) => s.place[i] = Some(inputs[usize::from(k)]),
            node => s.node(v, node)?,
        }
    }
    let mut outputs = Vec::with_capacity(program.outputs.len());
    for &out in &program.outputs {
        let register = s.in_register(out)?;
        if s.uses[usize::from(out.0)] > 1 {
            // Two outputs are the same value.
            let copy = s.allocate(out)?;
            s.copy(copy, register, s.width(out));
            s.uses[usize::from(out.0)] -= 1;
            outputs.push(copy);
        } else {
            outputs.push(register);
        }
    }
    Ok(outputs)
}

/// The preferred registers for each value.
fn wishes(program: &Program, inputs: &[Place], extract: Extract) -> Vec<Set> {
    let mut wish = vec![Set::MAX; program.nodes.len()];
    let stored = |v: Value| match program.nodes[usize::from(v.0)] {
        Node::Input(k) => matches!(inputs[usize::from(k)], Place::Memory(..)),
        _ => false,
    };
    for (i, node) in program.nodes.iter().enumerate().rev() {
        let own = wish[i];
        match *node {
            Node::Byte(a, k) if extract == Extract::Registers && k % 2 == 1 && !stored(a) => {
                wish[usize::from(a.0)] &= WITH_SECOND_BYTE;
                wish[i] &= WITHOUT_REX;
            }
            Node::Xor(a, _)
            | Node::And(a, _)
            | Node::Or(a, _)
            | Node::ShiftLeft(_, a, _)
            | Node::ShiftRight(_, a, _)
            | Node::RotateRight(_, a, _) => wish[usize::from(a.0)] &= own,
            _ => {}
        }
    }
    wish
}

impl Selector<'_, '_, '_> {
    pub(super) fn place(&self, v: Value) -> Place {
        self.place[usize::from(v.0)].expect("a value is made before it is used")
    }

    /// Size of a value in bytes: 4 or 8.
    fn width(&self, v: Value) -> u8 {
        match self.program.nodes[usize::from(v.0)] {
            Node::Input(_) => match self.place(v) {
                Place::Memory(_, _, 8) => 8,
                _ => 4,
            },
            Node::Load { bytes: 8, .. } => 8,
            Node::Xor(a, b) | Node::And(a, b) | Node::Or(a, b) => self.width(a).max(self.width(b)),
            _ => 4,
        }
    }

    /// A register for `v`.
    pub(super) fn allocate(&mut self, v: Value) -> Result<u8, Unfit> {
        let wished = self.free & self.wishes[usize::from(v.0)];
        self.take(if wished == 0 { self.free } else { wished })
    }

    /// Takes a register of a set of free registers.
    pub(super) fn take(&mut self, set: Set) -> Result<u8, Unfit> {
        let register = pick(set).ok_or(Unfit::Registers { needed: 16, available: 15 })?;
        self.free &= !(1 << register);
        Ok(register)
    }

    /// True if `register` suits `v` as well as any free register does.
    fn suits(&self, v: Value, register: u8) -> bool {
        let wish = self.wishes[usize::from(v.0)];
        wish >> register & 1 == 1 || self.free & wish == 0
    }

    /// Records one use of `v`; its register or frame word becomes free after the last.
    pub(super) fn used(&mut self, v: Value) {
        let left = &mut self.uses[usize::from(v.0)];
        *left -= 1;
        if *left > 0 {
            return;
        }
        match self.place(v) {
            Place::Register(r) => self.free |= 1 << r,
            Place::Memory(Register::RSP, displacement, _) => {
                let slot = (displacement - self.m.scratch) / 8;
                if (0..64).contains(&slot) {
                    self.slots &= !(1 << slot);
                }
            }
            Place::Entry(index, ..) => self.used(index),
            _ => {}
        }
    }

    pub(super) fn two(&mut self, code: Code, a: Register, b: Register) {
        self.m.asm.two(code, a, b);
    }

    pub(super) fn immediate(&mut self, code: Code, r: Register, value: u32) {
        self.m.asm.made(Instruction::with2(code, r, value));
    }

    pub(super) fn copy(&mut self, to: u8, from: u8, width: u8) {
        match width {
            8 => self.two(Code::Mov_r64_rm64, r64(to), r64(from)),
            _ => self.two(Code::Mov_r32_rm32, r32(to), r32(from)),
        }
    }

    pub(super) fn shift_right(&mut self, r: u8, by: u8) {
        if by > 0 {
            self.immediate(Code::Shr_rm32_imm8, r32(r), by.into());
        }
    }

    pub(super) fn shift_left(&mut self, r: u8, by: u8) {
        if by > 0 {
            self.immediate(Code::Shl_rm32_imm8, r32(r), by.into());
        }
    }

    pub(super) fn entry(&self, index: Value, scale: u8, displacement: i32) -> MemoryOperand {
        let Place::Register(index) = self.place(index) else { panic!("an index stands in a register") };
        indexed(self.m.table, r64(index), scale.into(), displacement)
    }

    /// Loads the value at a place into a register.
    fn load(&mut self, to: u8, from: Place, width: u8) {
        let (code, memory) = match from {
            Place::Register(r) => {
                if r != to {
                    self.copy(to, r, width);
                }
                return;
            }
            Place::Immediate(value) => {
                return self.m.asm.made(Instruction::with2(Code::Mov_r32_imm32, r32(to), value));
            }
            Place::Vector(v, 0) => return self.two(Code::Movd_rm32_xmm, r32(to), xmm(v)),
            Place::Vector(v, element) => {
                let code = Code::Pextrd_rm32_xmm_imm8;
                return self.m.asm.made(Instruction::with3(code, r32(to), xmm(v), u32::from(element)));
            }
            Place::Memory(base, displacement, bytes) => (load_code(bytes), at(base, displacement)),
            Place::Entry(index, scale, displacement, bytes) => {
                (load_code(bytes), self.entry(index, scale, displacement))
            }
        };
        let to = if width == 8 { r64(to) } else { r32(to) };
        self.m.asm.made(Instruction::with2(code, to, memory));
    }

    /// The register of a value, after a load if the value is elsewhere.
    pub(super) fn in_register(&mut self, v: Value) -> Result<u8, Unfit> {
        let place = self.place(v);
        if let Place::Register(r) = place {
            return Ok(r);
        }
        let to = self.allocate(v)?;
        self.load(to, place, self.width(v));
        if let Place::Entry(index, ..) = place {
            self.used(index);
        }
        self.place[usize::from(v.0)] = Some(Place::Register(to));
        Ok(to)
    }

    /// A register that holds the value of `a` and may be overwritten, for the result `v`.
    fn destination(&mut self, v: Value, a: Value) -> Result<u8, Unfit> {
        if let Place::Register(r) = self.place(a)
            && self.uses[usize::from(a.0)] == 1
            && self.suits(v, r)
        {
            self.uses[usize::from(a.0)] -= 1;
            return Ok(r);
        }
        let place = self.place(a);
        let width = self.width(a);
        let to = match place {
            // The register of the index may receive the entry.
            Place::Entry(index, ..) if self.uses[usize::from(index.0)] == 1 => {
                let Place::Register(r) = self.place(index) else { panic!("an index stands in a register") };
                if self.suits(v, r) { r } else { self.allocate(v)? }
            }
            _ => self.allocate(v)?,
        };
        self.load(to, place, width);
        self.used(a);
        self.free &= !(1 << to);
        Ok(to)
    }

    pub(super) fn make(&mut self, v: Value, register: u8) {
        self.place[usize::from(v.0)] = Some(Place::Register(register));
    }

    fn node(&mut self, v: Value, node: Node) -> Result<(), Unfit> {
        match node {
            Node::Constant(bytes) => {
                let word = u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
                self.place[usize::from(v.0)] = Some(Place::Immediate(word));
            }
            Node::Byte(a, k) => self.byte(v, a, k)?,
            Node::Half(a, k) => self.half(v, a, k)?,
            Node::Load { from, index, scale, offset, bytes } => {
                let displacement = self.m.regions.offset(from) + i32::from(offset);
                self.lookup(v, index, scale, displacement, bytes)?;
            }
            Node::Xor(a, b) => {
                self.combine(v, a, b, [Code::Xor_r32_rm32, Code::Xor_r64_rm64], Code::Xor_rm32_imm32)?
            }
            Node::And(a, b) => {
                self.combine(v, a, b, [Code::And_r32_rm32, Code::And_r64_rm64], Code::And_rm32_imm32)?
            }
            Node::Or(a, b) => {
                self.combine(v, a, b, [Code::Or_r32_rm32, Code::Or_r64_rm64], Code::Or_rm32_imm32)?
            }
            Node::ShiftLeft(Element::B32, a, by) => self.shift(v, a, by, Code::Shl_rm32_imm8)?,
            Node::ShiftRight(Element::B32, a, by) => self.shift(v, a, by, Code::Shr_rm32_imm8)?,
            Node::RotateRight(Element::B32, a, by) => self.shift(v, a, by, Code::Ror_rm32_imm8)?,
            other => return Err(Unfit::Shape(format!("{other:?} is no operation of words"))),
        }
        Ok(())
    }

    fn shift(&mut self, v: Value, a: Value, by: u8, code: Code) -> Result<(), Unfit> {
        let to = self.destination(v, a)?;
        self.immediate(code, r32(to), by.into());
        self.make(v, to);
        Ok(())
    }

    fn combine(&mut self, v: Value, a: Value, b: Value, codes: [Code; 2], imm: Code) -> Result<(), Unfit> {
        let last = |s: &Self, v: Value| s.uses[usize::from(v.0)] == 1;
        let takes = |s: &Self, of: Value| match s.place(of) {
            Place::Register(r) => last(s, of) && s.suits(v, r),
            _ => false,
        };
        // The operand that can be overwritten comes first.
        let (a, b) = if !takes(self, a) && takes(self, b) { (b, a) } else { (a, b) };
        let width = self.width(a).max(self.width(b));
        let to = self.destination(v, a)?;
        let (code, dst) = if width == 8 { (codes[1], r64(to)) } else { (codes[0], r32(to)) };
        match self.place(b) {
            Place::Register(r) => {
                let src = if width == 8 { r64(r) } else { r32(r) };
                self.two(code, dst, src);
            }
            Place::Memory(base, displacement, bytes) if bytes == width => {
                self.m.asm.made(Instruction::with2(code, dst, at(base, displacement)));
            }
            Place::Entry(index, scale, displacement, _) => {
                let memory = self.entry(index, scale, displacement);
                self.m.asm.made(Instruction::with2(code, dst, memory));
            }
            Place::Immediate(value) => self.immediate(imm, r32(to), value),
            from @ (Place::Vector(..) | Place::Memory(..)) => {
                let spare = self.take(self.free)?;
                self.load(spare, from, self.width(b));
                let src = if width == 8 { r64(spare) } else { r32(spare) };
                self.two(code, dst, src);
                self.free |= 1 << spare;
            }
        }
        self.used(b);
        self.make(v, to);
        let in_bytes = self.users(v).all(|n| matches!(n, Node::Byte(..)));
        if self.m.options.extract == Extract::Memory && in_bytes && !self.program.outputs.contains(&v) {
            self.store(v)?;
        }
        Ok(())
    }

    /// Stores `v` to a word of the stack frame, which is then its place.
    pub(super) fn store(&mut self, v: Value) -> Result<(), Unfit> {
        let register = self.in_register(v)?;
        let slot = (!self.slots).trailing_zeros();
        self.slots |= 1 << slot;
        *self.m.scratch_used = (*self.m.scratch_used).max(slot + 1);
        let to = self.m.scratch + 8 * slot as i32;
        let width = self.width(v);
        let (code, from) = match width {
            8 => (Code::Mov_rm64_r64, r64(register)),
            _ => (Code::Mov_rm32_r32, r32(register)),
        };
        self.m.asm.made(Instruction::with2(code, at(Register::RSP, to), from));
        self.free |= 1 << register;
        self.place[usize::from(v.0)] = Some(Place::Memory(Register::RSP, to, width));
        Ok(())
    }

    pub(super) fn users(&self, v: Value) -> impl Iterator<Item = &Node> {
        self.users[usize::from(v.0)].iter().map(|&i| &self.program.nodes[usize::from(i)])
    }
}

/// A load of this many bytes, zero-extended.
pub(super) fn load_code(bytes: u8) -> Code {
    match bytes {
        1 => Code::Movzx_r32_rm8,
        2 => Code::Movzx_r32_rm16,
        4 => Code::Mov_r32_rm32,
        _ => Code::Mov_r64_rm64,
    }
}
