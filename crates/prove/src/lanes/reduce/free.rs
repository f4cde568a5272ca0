//! The domain of the free algebra: instructions are executed with the usual semantics, over numbers of values.
//!
//! The sum of an address and a constant is a value with a separate constant, so that equal addresses are equal however
//! they were computed. Memory is one value: a store makes a new one, a load is a function of it, and a load moves
//! across a store to other bytes with the same base. Constants of the kernel are numbers. Round keys are the same at
//! all times, since no correct kernel writes them.

use aesmith_cipher::Problem;
use aesmith_cipher::mode::{KeyPart, Role};
use aesmith_isa::convention::Convention;
use aesmith_isa::instructions::Registers;
use aesmith_isa::lanes::{Condition, Machine, Unsupported};

use super::apart::Addresses;
use super::frame::{Slot, Stack};
use super::numbers::{Made, Number, Numbers, Traits};
use crate::lanes::coverage::ByteSet;

/// The reason why a kernel is not reduced. It does not imply that the kernel is wrong.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct GaveUp(pub &'static str);

impl From<Unsupported> for GaveUp {
    fn from(_: Unsupported) -> Self {
        GaveUp("an instruction without meaning")
    }
}

/// A scalar: a value plus a constant, modulo 2^64.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Value {
    /// The value; [`NONE`] for a number.
    pub root: Number,
    /// The constant.
    pub offset: i64,
}

impl Value {
    /// A number.
    pub const fn constant(value: u64) -> Value {
        Value { root: NONE, offset: value.cast_signed() }
    }

    /// The value as a number, if it has no root.
    pub fn as_constant(self) -> Option<u64> {
        (self.root == NONE).then_some(self.offset.cast_unsigned())
    }

    /// This value plus a constant.
    pub fn plus(self, by: i64) -> Value {
        Value { offset: self.offset.wrapping_add(by), ..self }
    }
}

/// The value zero, the root of numbers: the first that is made.
pub const NONE: Number = 0;
/// The address of the kernel's first byte: the second.
const CODE: Number = 1;

/// Kinds of registers, in [`Made::Initial`].
#[derive(Clone, Copy)]
pub enum Kind {
    /// General-purpose.
    General,
    /// A lane of a vector register: register number times four plus lane.
    Lane,
    /// An opmask.
    Mask,
    /// The flags.
    Flags,
}

/// The largest distance of an access from its base, so that no two accesses overlap by wrapping around the end of
/// memory.
const FARTHEST: u64 = 1 << 40;
/// The most stores that a load is moved across.
const MOST_PASSED: usize = 64;

/// The values, and the effects of a kernel's instructions on memory on the path that is followed.
#[derive(Default)]
pub struct Free {
    /// All values.
    pub numbers: Numbers,
    /// The kernel.
    pub code: Vec<u8>,
    /// The offset at which its constants begin.
    pub constants_from: usize,
    /// The register with the key structure, if that is only read: its value at entry, and the size of the round keys in
    /// bytes.
    key: Option<(Number, i64)>,
    /// Facts about addresses.
    pub addresses: Addresses,
    /// Values at entry that point to public data.
    public: Vec<Number>,
    /// Memory except for the kernel's stack.
    pub memory: Number,
    /// The stack.
    pub stack: Option<Stack>,
    /// The stack pointer before the current instruction.
    pub pointer: Option<Value>,
    /// Size in bytes of the red zone below the stack pointer.
    pub red_zone: i64,
    /// The lowest stack address that the current instruction reads or writes.
    pub accessed: Option<Value>,
    /// Size in bytes of the return address above the stack pointer at entry.
    pushed: i64,
    /// Values of aligned stack pointers, each with the value that was aligned and the alignment in bytes.
    pub aligned: Vec<(Number, Value, i64)>,
    /// Reads of memory, and accesses that must be aligned, since this was last emptied.
    pub reads: Vec<Number>,
    /// The last branch.
    pub branch: Option<(Condition, Number)>,
    /// True if the current instruction loads constants at an address that may be secret.
    pub looks_up: bool,
    /// True if any load used an address computed from one of the code: then all constants matter.
    pub indexes_constants: bool,
    /// Bytes of constants that were read.
    pub constants_read: ByteSet,
    /// Bytes of round keys that were read.
    pub key_read: ByteSet,
}

impl Free {
    /// Begins a kernel.
    pub fn begin(&mut self, problem: Problem, convention: &'static Convention, code: &[u8]) {
        self.numbers.begin();
        let none = self.numbers.made(Made::Constant, [0, 0], &[]);
        let of_code = Traits { of_code: true, ..Traits::default() };
        let code_start = self.numbers.entered(Made::Initial, [u64::MAX, 0], &[], of_code);
        assert_eq!((none, code_start), (NONE, CODE), "the first values have their numbers");
        self.code.clear();
        self.code.extend_from_slice(code);
        self.memory = self.numbers.made(Made::Memory, [0, 0], &[]);
        let of_stack = Traits { of_stack: true, ..Traits::default() };
        let constants = [Kind::General as u64, convention.stack_pointer.into()];
        let pointer = self.numbers.entered(Made::Initial, constants, &[], of_stack);
        self.stack = Some(Stack::new(pointer));
        self.red_zone = convention.red_zone.into();
        self.pushed = convention.pushed();
        self.aligned.clear();
        self.reads.clear();
        self.branch = None;
        self.indexes_constants = false;
        self.constants_read.clear();
        self.key_read.clear();
        let mode = problem.mode();
        let several = problem.streams() > 1;
        let number = |role| {
            let place = mode.arguments.iter().position(|argument| argument.role == role)?;
            Some(u64::from(convention.arguments[place][0]))
        };
        // With several streams, the arguments point to arrays of addresses and lengths.
        self.key = match (number(Role::Key), several || mode.writes.is_some()) {
            (Some(register), false) => {
                let keys = KeyPart::RoundKeys.bytes(problem.key).end as i64;
                Some((self.initial(Kind::General, register), keys))
            }
            _ => None,
        };
        self.addresses.clear();
        for role in [Role::Iv, Role::Input, Role::Output] {
            if let Some(register) = number(role).filter(|_| !several) {
                let pointer = self.initial(Kind::General, register);
                self.addresses.pointers.push((pointer, role));
            }
        }
        self.public.clear();
        if several {
            for registers in convention.arguments {
                let pointer = self.initial(Kind::General, registers[0].into());
                self.public.push(pointer);
            }
        } else if mode.counts()
            && let Some(register) = number(Role::Iv)
        {
            let counter = self.initial(Kind::General, register);
            self.public.push(counter);
        }
    }

    /// The value of a register at entry.
    pub fn initial(&mut self, kind: Kind, number: u64) -> Number {
        self.numbers.made(Made::Initial, [kind as u64, number], &[])
    }

    /// The number of a scalar.
    pub fn number(&mut self, value: Value) -> Number {
        match (value.root, value.offset) {
            (NONE, constant) => self.numbers.made(Made::Constant, [constant.cast_unsigned(), 0], &[]),
            (root, 0) => root,
            (root, by) => {
                let traits = self.numbers.traits(root);
                self.numbers.quietly(Made::Plus, [by.cast_unsigned(), 0], &[root], traits)
            }
        }
    }

    /// The result of an operation on values; `constants` identify the operation and hold its immediates.
    pub fn operation(&mut self, constants: [u64; 2], of: &[Number]) -> Number {
        self.numbers.made(Made::Operation, constants, of)
    }

    /// True if an address is on the stack.
    pub(super) fn on_stack(&self, at: Value) -> bool {
        self.stack.as_ref().is_some_and(|stack| stack.entry.root == at.root)
            || self.aligned.iter().any(|(root, ..)| *root == at.root)
    }

    /// Checks that an access is aligned, or notes that it must be.
    pub(super) fn must_be_aligned(&mut self, at: Value, size: i64) -> Result<(), GaveUp> {
        if at.root == CODE {
            return match size <= 64 && at.offset % size == 0 {
                true => Ok(()),
                false => Err(GaveUp("constants that are not aligned")),
            };
        }
        if let Some((_, _, multiple)) = self.aligned.iter().find(|(root, ..)| *root == at.root) {
            return match multiple % size == 0 && at.offset % size == 0 {
                true => Ok(()),
                false => Err(GaveUp("a place of the stack that is not aligned")),
            };
        }
        if self.on_stack(at) {
            // The return address was pushed from a multiple of 16.
            return match 16 % size == 0 && (at.offset - 8) % size == 0 {
                true => Ok(()),
                false => Err(GaveUp("a place of the stack that is not aligned")),
            };
        }
        let constants = [size.cast_unsigned(), at.offset.cast_unsigned()];
        let access = self.numbers.made(Made::Aligned, constants, &[at.root]);
        self.reads.push(access);
        Ok(())
    }

    fn near(at: Value) -> Result<(), GaveUp> {
        match at.offset.unsigned_abs() < FARTHEST {
            true => Ok(()),
            false => Err(GaveUp("an access far from its base")),
        }
    }

    /// Bytes of constants.
    pub(super) fn constants(&mut self, offset: i64, size: usize) -> Result<&[u8], GaveUp> {
        let from = usize::try_from(offset).map_err(|_| GaveUp("a constant before the code"))?;
        if from < self.constants_from || from + size > self.code.len() {
            return Err(GaveUp("a constant outside of the constants"));
        }
        self.constants_read.insert(from, size);
        Ok(&self.code[from..from + size])
    }

    /// The offset of an address in the kernel's code, if it is known to be there.
    pub(super) fn in_code(at: Value) -> Option<i64> {
        (at.root == CODE).then_some(at.offset)
    }

    /// The address of a byte of the code.
    pub(super) fn code_at(offset: u64) -> Value {
        Value { root: CODE, offset: offset.cast_signed() }
    }

    /// Loads from memory other than the stack and the kernel's constants.
    pub(super) fn loaded(&mut self, at: Value, size: i64) -> Result<Number, GaveUp> {
        Self::near(at)?;
        if at.root == NONE {
            return Err(GaveUp("a load from a number"));
        }
        if self.numbers.traits(at.root).of_stack {
            return self.loaded_of_stack(at, size);
        }
        let mut constants = [size.cast_unsigned(), at.offset.cast_unsigned()];
        if let Some((key, bytes)) = self.key
            && at.root == key
            && at.offset >= 0
            && at.offset + size <= bytes
        {
            self.key_read.insert(at.offset as usize, size as usize);
            return Ok(self.numbers.entered(Made::Key, constants, &[], Traits::SECRET));
        }
        let memory = self.before_others(at, size);
        let secret = !self.public.contains(&at.root) || memory != self.first_memory();
        let traits = self.addressed(at).or(Traits { secret, ..Traits::default() });
        // The target of a pointer depends on the problem: data that is public in one is secret in another.
        constants[0] |= traits.bits() << 8;
        let loaded = self.numbers.entered(Made::Loaded, constants, &[memory, at.root], traits);
        self.reads.push(loaded);
        Ok(loaded)
    }

    /// Loads from the stack at an address that is not a constant offset from its pointer. The result depends on the
    /// whole stack and its location: two kernels with the same stack read the same value there.
    fn loaded_of_stack(&mut self, at: Value, size: i64) -> Result<Number, GaveUp> {
        let pointer = self.pointer.ok_or(GaveUp("a stack without a pointer"))?;
        let mut of = vec![at.root, self.number(pointer)];
        let mut traits = Traits::default();
        let stack = self.stack.clone().expect("begun");
        for frame in [Some(&stack.entry), stack.aligned.as_ref()].into_iter().flatten() {
            of.extend([frame.root, self.number(Value::constant(frame.top.cast_unsigned()))]);
            for slot in frame.slots.iter() {
                let (kind, number) = match *slot {
                    // It holds a value on each path, but these values would not be in the form.
                    Slot::Lost { .. } => {
                        return Err(GaveUp("a load from stack that was written on some ways"));
                    }
                    Slot::Untouched => (0, NONE),
                    Slot::Word(value) => (1, self.number(value)),
                    Slot::Half(lane, high) => (2 + u64::from(high), lane),
                };
                traits = traits.or(self.numbers.traits(number));
                of.extend([self.number(Value::constant(kind)), number]);
            }
        }
        let constants = [size.cast_unsigned(), at.offset.cast_unsigned()];
        // A load from a secret place is secret; a loaded address may be any address that is on the stack.
        traits.secret |= self.numbers.is_secret(at.root);
        let loaded = self.numbers.entered(Made::OfStack, constants, &of, traits);
        self.reads.push(loaded);
        Ok(loaded)
    }

    /// Notes an address that is not a constant offset in the code; returns its traits.
    pub(super) fn addressed(&mut self, at: Value) -> Traits {
        let traits = self.numbers.traits(at.root);
        self.looks_up |= traits.secret;
        self.indexes_constants |= traits.of_code;
        traits
    }

    fn first_memory(&mut self) -> Number {
        self.numbers.made(Made::Memory, [0, 0], &[])
    }

    /// Memory before those stores that do not overlap a place.
    fn before_others(&self, at: Value, size: i64) -> Number {
        let mut memory = self.memory;
        for _ in 0..MOST_PASSED {
            match self.store_at(memory) {
                Some((before, root, from, until))
                    if self.addresses.apart(&self.numbers, at, size, root, (from, until)) =>
                {
                    memory = before;
                }
                _ => break,
            }
        }
        memory
    }

    /// Takes memory after a store apart: memory before it, the store's base, and its first and end offset.
    fn store_at(&self, memory: Number) -> Option<(Number, Number, i64, i64)> {
        let (by, [size, offset]) = self.numbers.made_by(memory);
        if by != Made::Stored as u8 {
            return None;
        }
        let mut parts = self.numbers.parts(memory);
        let (before, root) = (parts.next()?, parts.next()?);
        let offset = offset.cast_signed();
        Some((before, root, offset, offset + size.cast_signed()))
    }

    /// Stores a value to memory other than the stack. Of adjacent stores with the same base, the lower counts as first.
    pub(super) fn stored(&mut self, at: Value, size: i64, value: Number) -> Result<(), GaveUp> {
        Self::near(at)?;
        let traits = self.numbers.traits(at.root);
        if at.root == NONE || traits.of_code || traits.of_stack {
            return Err(GaveUp("a store to a number, to code, or to an unknown place of the stack"));
        }
        self.may_be_stored(value)?;
        let mut later: Vec<(u64, i64, Number)> = Vec::new();
        let mut memory = self.memory;
        while let Some((before, root, from, until)) = self.store_at(memory) {
            if root != at.root || from < at.offset + size || later.len() == MOST_PASSED {
                break;
            }
            let stored = self.numbers.parts(memory).nth(2).expect("what was stored");
            later.push(((until - from).cast_unsigned(), from, stored));
            memory = before;
        }
        let mut put = |numbers: &mut Numbers, size: u64, offset: i64, value| {
            let constants = [size, offset.cast_unsigned()];
            memory = numbers.entered(Made::Stored, constants, &[memory, at.root, value], Traits::default());
        };
        put(&mut self.numbers, size.cast_unsigned(), at.offset, value);
        for (size, offset, value) in later.into_iter().rev() {
            put(&mut self.numbers, size, offset, value);
        }
        self.memory = memory;
        Ok(())
    }

    /// Refuses to store addresses of stack or code: for a value loaded from memory it is unknown if it is one.
    pub(super) fn may_be_stored(&self, value: Number) -> Result<(), GaveUp> {
        let traits = self.numbers.traits(value);
        match traits.of_stack || traits.of_code {
            true => Err(GaveUp("an address of the stack or of code that is stored")),
            false => Ok(()),
        }
    }

    /// Refuses loads and stores of elements under a mask to stack or code.
    pub(super) fn may_be_masked(&self, at: Value) -> Result<(), GaveUp> {
        Self::near(at)?;
        let traits = self.numbers.traits(at.root);
        match traits.of_stack || traits.of_code || at.root == NONE {
            true => Err(GaveUp("an access under a mask of stack or constants")),
            false => Ok(()),
        }
    }

    fn note(&mut self, at: Value) {
        if self.accessed.is_none_or(|lowest| at.offset < lowest.offset) {
            self.accessed = Some(at);
        }
    }

    /// Eight bytes of the stack.
    pub(super) fn slot(&mut self, at: Value) -> Result<Slot, GaveUp> {
        self.note(at);
        let pointer = self.pointer.ok_or(GaveUp("a stack without a pointer"))?;
        self.stack.as_ref().expect("begun").read(pointer, self.red_zone, at)
    }

    /// Writes eight bytes of the stack.
    pub(super) fn set_slot(&mut self, at: Value, slot: Slot) -> Result<(), GaveUp> {
        self.note(at);
        let pointer = self.pointer.ok_or(GaveUp("a stack without a pointer"))?;
        self.stack.as_mut().expect("begun").write(pointer, self.red_zone, at, slot)
    }

    /// Handles a change of the stack pointer.
    pub(crate) fn stack_moved(&mut self, to: Value) -> Result<(), GaveUp> {
        let aligned = self.aligned.iter().find(|(root, ..)| *root == to.root);
        let aligned = aligned.map(|&(_, of, multiple)| (of, multiple));
        let stack = self.stack.as_mut().expect("begun");
        stack.moved(to, aligned, (self.red_zone, self.pushed), &self.numbers)
    }

    /// True if one of these registers may hold a secret.
    pub(crate) fn hold_secret(&self, machine: &Machine<Free>, registers: Registers) -> bool {
        let general = (0..machine.gpr.len()).filter(|k| registers.general >> k & 1 == 1);
        let mut vector = (0..machine.vector.len()).filter(|k| registers.vector >> k & 1 == 1);
        general.into_iter().any(|k| self.numbers.is_secret(machine.gpr[k].root))
            || vector.any(|k| machine.vector[k].iter().any(|&lane| self.numbers.is_secret(lane)))
    }

    /// Size of the round keys in bytes, if they are only read.
    pub(crate) fn round_key_bytes(&self) -> usize {
        self.key.map_or(0, |(_, bytes)| bytes as usize)
    }
}
