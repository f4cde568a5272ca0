//! The free algebra: every operation is an uninterpreted function, so two values are equal only if they are made by the
//! same operations on the same values. A value is a number; equal values have equal numbers, in all kernels that share
//! these tables.

use crate::lanes::intern::{Table, mix};

/// A value's number.
pub type Number = u32;

/// The operation that makes a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Made {
    /// A constant: its bits.
    Constant,
    /// The value of a register at entry: kind and number.
    Initial,
    /// A number or address plus a constant.
    Plus,
    /// `base + index * scale`.
    Indexed,
    /// Memory as it was at entry.
    Memory,
    /// Memory after a store: size and offset; memory, the address's base and the stored value.
    Stored,
    /// Memory after a store under a mask.
    StoredMasked,
    /// A load from memory: size and offset; memory and the address's base.
    Loaded,
    /// A load under a mask, with the old value elsewhere.
    LoadedMasked,
    /// A load from the stack at an address that is not a constant offset from its pointer: size and offset; the
    /// address's base, the stack pointer and the contents of the stack.
    OfStack,
    /// The bytes of a round key, or a part.
    Key,
    /// The values at one place where paths meet, one for each path.
    Met,
    /// A value that changes between iterations of a loop.
    Turns,
    /// An access that must be aligned.
    Aligned,
    /// A vector, scalar, mask or flags: an operation and its immediates, on operands.
    Operation,
}

/// Possible properties of a value, over-approximated.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Traits {
    /// True if it may contain a key or message byte.
    pub secret: bool,
    /// True if it may contain the address of the kernel's code.
    pub of_code: bool,
    /// True if it may contain the address of the stack.
    pub of_stack: bool,
}

impl Traits {
    /// The traits of a secret.
    pub(crate) const SECRET: Traits = Traits { secret: true, of_code: false, of_stack: false };

    /// The union of the traits.
    pub const fn or(self, other: Traits) -> Traits {
        Traits {
            secret: self.secret || other.secret,
            of_code: self.of_code || other.of_code,
            of_stack: self.of_stack || other.of_stack,
        }
    }

    /// The traits as a number below eight.
    pub const fn bits(self) -> u64 {
        self.secret as u64 | (self.of_code as u64) << 1 | (self.of_stack as u64) << 2
    }

    /// The traits of such a number.
    pub(crate) const fn from_bits(bits: u64) -> Traits {
        Traits { secret: bits & 1 == 1, of_code: bits & 2 == 2, of_stack: bits & 4 == 4 }
    }
}

/// All values.
pub struct Numbers {
    table: Table,
    /// `words[starts[n] .. starts[n + 1]]`: the operation of value `n`, its constants, and its operands.
    words: Vec<u64>,
    starts: Vec<u32>,
    /// The traits of each value.
    traits: Vec<Traits>,
    /// The run in which each value was last an operand; needed for values that change with a loop's iterations.
    used: Vec<u32>,
    run: u32,
    /// The values that were made quietly in this run.
    quiet: Vec<Number>,
    scratch: Vec<u64>,
}

impl Default for Numbers {
    fn default() -> Self {
        Numbers {
            table: Table::new(1 << 12),
            words: Vec::new(),
            starts: vec![0],
            traits: Vec::new(),
            used: Vec::new(),
            run: 0,
            quiet: Vec::new(),
            scratch: Vec::new(),
        }
    }
}

impl Numbers {
    /// The number of values.
    pub fn count(&self) -> usize {
        self.traits.len()
    }

    /// Forgets all values; their numbers become invalid.
    pub fn clear(&mut self) {
        self.table.clear();
        self.words.clear();
        self.starts.truncate(1);
        self.traits.clear();
        self.used.clear();
        self.quiet.clear();
    }

    /// Begins another kernel, in which nothing is used yet.
    pub fn begin(&mut self) {
        self.run += 1;
        self.quiet.clear();
    }

    /// The value of an operation; its traits are the union of its operands' traits.
    pub fn made(&mut self, by: Made, constants: [u64; 2], of: &[Number]) -> Number {
        let traits = self.traits_of(of);
        self.entered(by, constants, of, traits)
    }

    /// The union of the traits of these values.
    pub(crate) fn traits_of(&self, of: &[Number]) -> Traits {
        of.iter().fold(Traits::default(), |all, &n| all.or(self.traits[n as usize]))
    }

    /// The value of an operation with given traits. A caller must give the same traits for the same value each time.
    pub fn entered(&mut self, by: Made, constants: [u64; 2], of: &[Number], traits: Traits) -> Number {
        for &n in of {
            self.used[n as usize] = self.run;
        }
        self.find(by, constants, of, traits)
    }

    /// Like [`Numbers::entered`], for a value that may never be used: its operands count as used only if it is
    /// ([`Numbers::use_whole`]).
    pub(crate) fn quietly(&mut self, by: Made, constants: [u64; 2], of: &[Number], traits: Traits) -> Number {
        let number = self.find(by, constants, of, traits);
        self.quiet.push(number);
        number
    }

    /// Marks a value as used, and its operands if it was made quietly.
    pub(crate) fn use_whole(&mut self, number: Number) {
        let mut open = vec![number];
        while let Some(number) = open.pop() {
            let number = number as usize;
            self.used[number] = self.run;
            let by = self.words[self.starts[number] as usize] as u8;
            if [Made::Met as u8, Made::Turns as u8, Made::Plus as u8].contains(&by) {
                let parts = self.starts[number] as usize + 3..self.starts[number + 1] as usize;
                let parts = self.words[parts].iter().map(|&part| part as Number);
                open.extend(parts.filter(|&part| self.used[part as usize] != self.run));
            }
        }
    }

    /// Marks the operands of all quietly made values that were used since as used.
    pub(crate) fn use_quiet(&mut self) {
        let quiet = std::mem::take(&mut self.quiet);
        for &number in &quiet {
            if self.is_used(number) {
                self.use_whole(number);
            }
        }
        self.quiet = quiet;
    }

    fn find(&mut self, by: Made, constants: [u64; 2], of: &[Number], traits: Traits) -> Number {
        self.scratch.clear();
        self.scratch.extend([(of.len() as u64) << 8 | by as u64, constants[0], constants[1]]);
        self.scratch.extend(of.iter().map(|&n| u64::from(n)));
        let hash = self.scratch.iter().fold(17, |hash, &word| mix(hash, word));
        let (words, starts, scratch) = (&self.words, &self.starts, &self.scratch);
        let fresh = self.traits.len() as u32;
        let (number, new) = self.table.find_or_insert(hash, fresh, |n| {
            words[starts[n as usize] as usize..starts[n as usize + 1] as usize] == scratch[..]
        });
        if new {
            self.words.extend_from_slice(&self.scratch);
            self.starts.push(self.words.len() as u32);
            self.traits.push(traits);
            self.used.push(0);
        }
        number
    }

    /// True if a value may contain a key or message byte.
    pub fn is_secret(&self, number: Number) -> bool {
        self.traits[number as usize].secret
    }

    /// The traits of a value.
    pub(crate) fn traits(&self, number: Number) -> Traits {
        self.traits[number as usize]
    }

    /// True if a value was an operand in this run.
    pub fn is_used(&self, number: Number) -> bool {
        self.used[number as usize] == self.run
    }

    /// The operation of a value, and its constants.
    pub(crate) fn made_by(&self, number: Number) -> (u8, [u64; 2]) {
        let start = self.starts[number as usize] as usize;
        (self.words[start] as u8, [self.words[start + 1], self.words[start + 2]])
    }

    /// The operands of a value.
    pub fn parts(&self, number: Number) -> impl Iterator<Item = Number> + '_ {
        let (start, end) = (self.starts[number as usize] as usize, self.starts[number as usize + 1] as usize);
        self.words[start + 3..end].iter().map(|&n| n as Number)
    }
}
