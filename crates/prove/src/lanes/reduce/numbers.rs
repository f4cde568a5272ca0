//! The free algebra: every operation is a function of which nothing is known but its name, so that two values are
//! the same only if they are made by the same operations of the same values. A value is a number; equal values
//! have equal numbers, in all kernels that share these tables.

use crate::lanes::intern::{Table, mix};

/// A value's number.
pub type Number = u32;

/// What a value is made by.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Made {
    /// A constant: its bits.
    Constant,
    /// What a register held at entry: kind and number.
    Initial,
    /// A number or address plus a constant.
    Plus,
    /// `base + index * scale`.
    Indexed,
    /// Memory as it was at entry.
    Memory,
    /// Memory after a store: size and offset, of memory, the address's base and what was stored.
    Stored,
    /// Memory after a store under a mask.
    StoredMasked,
    /// What memory holds: size and offset, of memory and the address's base.
    Loaded,
    /// What memory holds under a mask, and what stays of the old value elsewhere.
    LoadedMasked,
    /// What lies on the stack at an address that is no constant apart from its pointer: size and offset, of the
    /// address's base, the stack pointer and all that is on the stack.
    OfStack,
    /// A round key's bytes, or a part.
    Key,
    /// The values that lead to one place where paths meet.
    Met,
    /// What changes from one turn of a loop to the next.
    Turns,
    /// An access that must be aligned.
    Aligned,
    /// A vector, a scalar, a mask or flags, by an operation and what it is told beside its operands.
    Operation,
}

/// What may be said of a value: never less than is so.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Traits {
    /// A key or message byte may be in it.
    pub secret: bool,
    /// The address of the kernel's code may be in it.
    pub of_code: bool,
    /// The address of the stack may be in it.
    pub of_stack: bool,
}

impl Traits {
    /// A secret's.
    pub const SECRET: Traits = Traits { secret: true, of_code: false, of_stack: false };

    /// What may be said of either.
    pub const fn or(self, other: Traits) -> Traits {
        Traits {
            secret: self.secret || other.secret,
            of_code: self.of_code || other.of_code,
            of_stack: self.of_stack || other.of_stack,
        }
    }

    /// As a number below eight.
    pub const fn bits(self) -> u64 {
        self.secret as u64 | (self.of_code as u64) << 1 | (self.of_stack as u64) << 2
    }

    /// From that.
    pub const fn from_bits(bits: u64) -> Traits {
        Traits { secret: bits & 1 == 1, of_code: bits & 2 == 2, of_stack: bits & 4 == 4 }
    }
}

/// All values.
pub struct Numbers {
    table: Table,
    /// `words[starts[n] .. starts[n + 1]]`: what made it, beside which constants, of which values.
    words: Vec<u64>,
    starts: Vec<u32>,
    /// What is known of each.
    traits: Vec<Traits>,
    /// In which run a value that changes with a loop's turns was last an operand.
    used: Vec<u32>,
    run: u32,
    /// What was made quietly in this run.
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
    /// How many there are.
    pub fn count(&self) -> usize {
        self.traits.len()
    }

    /// Forgets all of them: what was said of them means nothing any more.
    pub fn clear(&mut self) {
        self.table.clear();
        self.words.clear();
        self.starts.truncate(1);
        self.traits.clear();
        self.used.clear();
        self.quiet.clear();
    }

    /// Begins another kernel, of which nothing was used yet.
    pub fn begin(&mut self) {
        self.run += 1;
        self.quiet.clear();
    }

    /// The value that is made so. What may be said of a part may be said of it.
    pub fn made(&mut self, by: Made, constants: [u64; 2], of: &[Number]) -> Number {
        let traits = self.traits_of(of);
        self.entered(by, constants, of, traits)
    }

    /// What may be said of any of these.
    pub fn traits_of(&self, of: &[Number]) -> Traits {
        of.iter().fold(Traits::default(), |all, &n| all.or(self.traits[n as usize]))
    }

    /// The value that is made so, where it is known otherwise what may be said of it. Whoever asks says the same
    /// of the same value each time.
    pub fn entered(&mut self, by: Made, constants: [u64; 2], of: &[Number], traits: Traits) -> Number {
        for &n in of {
            self.used[n as usize] = self.run;
        }
        self.find(by, constants, of, traits)
    }

    /// The same for what may be nobody's business: its parts are used only if it is ([`Numbers::use_whole`]).
    pub fn quietly(&mut self, by: Made, constants: [u64; 2], of: &[Number], traits: Traits) -> Number {
        let number = self.find(by, constants, of, traits);
        self.quiet.push(number);
        number
    }

    /// That a value is used, and what it is made of where that was made quietly.
    pub fn use_whole(&mut self, number: Number) {
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

    /// That of all that was made quietly and is used since, the parts are used.
    pub fn use_quiet(&mut self) {
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

    /// Whether a key or message byte may be in it.
    pub fn is_secret(&self, number: Number) -> bool {
        self.traits[number as usize].secret
    }

    /// What may be said of it.
    pub fn traits(&self, number: Number) -> Traits {
        self.traits[number as usize]
    }

    /// Whether it was an operand of anything in this run.
    pub fn is_used(&self, number: Number) -> bool {
        self.used[number as usize] == self.run
    }

    /// What it is made by, beside which constants.
    pub fn made_by(&self, number: Number) -> (u8, [u64; 2]) {
        let start = self.starts[number as usize] as usize;
        (self.words[start] as u8, [self.words[start + 1], self.words[start + 2]])
    }

    /// What it is made of.
    pub fn parts(&self, number: Number) -> impl Iterator<Item = Number> + '_ {
        let (start, end) = (self.starts[number as usize] as usize, self.starts[number as usize + 1] as usize);
        self.words[start + 3..end].iter().map(|&n| n as Number)
    }
}
