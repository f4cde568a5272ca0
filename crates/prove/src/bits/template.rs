//! States of a loop in general: the contents of registers and memory, as functions of the key and of a *chain* of 128
//! bits, which is the counter in counter mode and the last cipher block in CBC. If an iteration has begun the blocks of
//! the next, they are also functions of the bytes that follow the counter's last byte, and of the text ([`Names`]). A
//! template is read off one state, holds for others, and is weakened where one differs.

use std::collections::BTreeSet;
use std::rc::Rc;

use crate::bits::cipher::State;
use crate::bits::forms::{Bit, Bits, Byte, ONE, ZERO};
use crate::bits::functions::Sum;
use crate::bits::lengths::moves;
use crate::bits::memory::{Cell, Object, Role};
use crate::bits::sections::with_data;
use crate::bits::symbols::Symbols;
use crate::bits::truth::Truth;
use crate::bits::value::Value;
use rustc_hash::FxHashMap as Map;

/// The names of the variables of templates, besides the key.
pub struct Names {
    /// The chain.
    pub chain: State,
    /// The bytes that follow its last byte, if that alone is counted.
    pub lasts: Vec<Byte>,
    /// The text of the blocks to come, as it stands in the input where a template is entered.
    pub text: Vec<State>,
}

/// The forms of these variables in some state.
pub struct Present<'p> {
    /// The chain.
    pub chain: &'p State,
    /// The bytes that follow its last byte.
    pub lasts: &'p [Byte],
    /// The text of the blocks to come.
    pub text: &'p [State],
}

impl Names {
    /// Each name, and the form that it stands for in a state.
    fn with<'n>(&'n self, present: &'n Present) -> impl Iterator<Item = (Bit, Bit)> + 'n {
        let bytes = |of: &'n [State]| of.iter().flatten();
        let names = self.chain.iter().chain(&self.lasts).chain(bytes(&self.text));
        let lasts = present.lasts.iter().take(self.lasts.len());
        assert_eq!((lasts.len(), present.text.len()), (self.lasts.len(), self.text.len()), "a name each");
        let forms = present.chain.iter().chain(lasts).chain(bytes(present.text));
        names.zip(forms).flat_map(|(names, forms)| names.iter().copied().zip(forms.iter().copied()))
    }
}

/// Forms of the present state, and their names in templates.
pub struct Chain<'s> {
    /// Each row: sorted atoms with a constant, the sum of names that they are, and the pivot, the last atom of the row,
    /// which is in no later row.
    rows: Vec<(Bit, Bit, u32)>,
    /// Bytes of the chain that the state fixes, which give no row: their values and names, by their places.
    fixed: Map<usize, (u128, Byte)>,
    /// Atoms that mean the same in all templates.
    stay: &'s BTreeSet<u32>,
    known: Map<u32, Option<Bit>>,
}

impl<'s> Chain<'s> {
    /// Relates the forms of a state to their names.
    pub fn new(bits: &mut Bits, present: &Present, names: &Names, stay: &'s BTreeSet<u32>) -> Chain<'s> {
        let number = |byte: &Byte| {
            let mut bits = byte.iter().rev();
            bits.try_fold(0, |all, &bit| [ZERO, ONE].contains(&bit).then_some(2 * all + u128::from(bit)))
        };
        let fixed = present.chain.iter().zip(&names.chain).enumerate();
        let fixed = fixed.filter_map(|(at, (form, name))| Some((at, (number(form)?, *name)))).collect();
        let mut made = Chain { rows: Vec::new(), fixed, stay, known: Map::default() };
        for (name, form) in names.with(present) {
            let (mut form, mut name) = (form, name);
            for &(row, of, pivot) in &made.rows {
                if bits.atoms_of(form).binary_search(&pivot).is_ok() {
                    form = bits.xor(form, row);
                    name = bits.xor(name, of);
                }
            }
            // Constants, where a case fixes bytes of the counter, define no name.
            if let Some(&pivot) = bits.atoms_of(form).last() {
                made.rows.push((form, name, pivot));
            }
        }
        made
    }

    /// A bit in terms of names and of atoms that stay; `None` if it has others.
    fn named(&mut self, bits: &mut Bits, bit: Bit) -> Option<Bit> {
        let sum = bits.resolve(bit)?;
        mapped(bits, sum, &mut |bits, form| self.form(bits, form))
    }

    fn form(&mut self, bits: &mut Bits, form: Bit) -> Option<Bit> {
        let (mut rest, mut name) = (form, ZERO);
        for &(row, of, pivot) in &self.rows {
            if bits.atoms_of(rest).binary_search(&pivot).is_ok() {
                rest = bits.xor(rest, row);
                name = bits.xor(name, of);
            }
        }
        let atoms = bits.atoms_of(rest).to_vec();
        name ^= rest & ONE;
        for atom in atoms {
            let of = self.atom(bits, atom)?;
            name = bits.xor(name, of);
        }
        Some(name)
    }

    fn atom(&mut self, bits: &mut Bits, atom: u32) -> Option<Bit> {
        if self.stay.contains(&atom) {
            return Some(bits.form(&[atom]));
        }
        if let Some(&known) = self.known.get(&atom) {
            return known;
        }
        let name = bits.atoms[atom as usize].output.and_then(|(basis, inverse, j)| {
            let input = bits.input_of(basis);
            let mut named = [ZERO; 8];
            for (to, from) in named.iter_mut().zip(input) {
                *to = self.named(bits, from)?;
            }
            Some(bits.sbox(named, inverse)?[usize::from(j)])
        });
        self.known.insert(atom, name);
        name
    }
}

/// A sum of functions of linear forms, with the forms replaced by their images.
fn mapped(bits: &mut Bits, sum: Sum, image: &mut impl FnMut(&mut Bits, Bit) -> Option<Bit>) -> Option<Bit> {
    let mut found = image(bits, sum.form)?;
    for (basis, t) in sum.parts {
        let mut forms = Vec::new();
        for form in bits.forms_of(basis) {
            let of = image(bits, form)?;
            forms.push(bits.settle(of)?);
        }
        let of = bits.function_of(&forms, &t)?;
        found = bits.xor(found, of);
    }
    Some(found)
}

/// Replaces names by the forms of a state.
pub struct Instance {
    names: Map<u32, Bit>,
    known: Map<u32, Option<Bit>>,
    /// True if the template keeps nothing of a place on the stack where a state has a secret.
    pub forgets_secret: bool,
}

impl Instance {
    /// The instance of these names for a state.
    pub fn new(bits: &Bits, names: &Names, present: &Present) -> Self {
        let names = names.with(present).map(|(name, form)| (bits.atoms_of(name)[0], form)).collect();
        Instance { names, known: Map::default(), forgets_secret: false }
    }

    /// A template's bit in this instance.
    fn bit(&mut self, bits: &mut Bits, bit: Bit) -> Option<Bit> {
        let sum = bits.resolve(bit)?;
        mapped(bits, sum, &mut |bits, form| self.form(bits, form))
    }

    fn form(&mut self, bits: &mut Bits, form: Bit) -> Option<Bit> {
        let mut sum = form & ONE;
        for atom in bits.atoms_of(form).to_vec() {
            let image = match self.names.get(&atom) {
                Some(&image) => Some(image),
                None => self.atom(bits, atom),
            }?;
            sum = bits.xor(sum, image);
        }
        Some(sum)
    }

    fn atom(&mut self, bits: &mut Bits, atom: u32) -> Option<Bit> {
        if let Some(&known) = self.known.get(&atom) {
            return known;
        }
        let image = match bits.atoms[atom as usize].output {
            None => Some(bits.form(&[atom])),
            Some((basis, inverse, j)) => {
                let input = bits.input_of(basis);
                let mut image = Some([ZERO; 8]);
                for (k, from) in input.into_iter().enumerate() {
                    let to = self.bit(bits, from);
                    image = image.zip(to).map(|(mut all, to)| {
                        all[k] = to;
                        all
                    });
                }
                image.and_then(|x| bits.sbox(x, inverse)).map(|out| out[usize::from(j)])
            }
        };
        self.known.insert(atom, image);
        image
    }

    /// A template's value in this instance.
    pub fn value(&mut self, domain: &mut Symbols, value: &Value) -> Value {
        match value {
            Value::Bits(of) => {
                let mut images = Vec::with_capacity(of.len());
                for &bit in of.iter() {
                    // Questions about addresses and counts are the same in all instances, and unknown bits stay
                    // unknown.
                    let image = match domain.question_later(bit, 0) {
                        Some(question) => Some(question),
                        None if Bits::is_opaque(bit) => Some(bit),
                        None => self.bit(&mut domain.bits, bit),
                    };
                    let Some(image) = image else { return Value::Unknown(true) };
                    images.push(image);
                }
                domain.value(images)
            }
            Value::Joined(parts) => {
                Value::Joined(parts.iter().map(|(w, part)| (*w, self.value(domain, part))).collect())
            }
            Value::Sum(sum) => with_data(domain, sum, |domain, data| self.value(domain, data)),
            other => other.clone(),
        }
    }
}

/// A set of states of a loop.
#[derive(Clone)]
pub struct Template {
    /// Registers.
    pub registers: Vec<Value>,
    /// Cells of the counter or chaining value and of the stack, by object; `None` where no code may read.
    pub objects: Vec<Object>,
    /// The least number of blocks still to be done.
    pub left: u64,
    /// The possible values of the chain's last byte, a bit each.
    pub lasts: Truth,
    /// The number of blocks done in the states that it holds for, as long as it is the same in all of them.
    pub done: Option<i64>,
}

/// An address or a count after `blocks` blocks, relative to those of the next iteration.
fn moved(domain: &mut Symbols, value: &Value, blocks: i64) -> Value {
    let by = |domain: &Symbols, object: u16| moves(domain.memory.objects[usize::from(object)].role, blocks);
    match value {
        // Offsets are modulo the size of memory, so that equal addresses have equal ones.
        Value::Pointer(o, at) => domain.pointer(*o, at.wrapping_add(by(domain, *o))),
        Value::NotPointer(o, at) => domain.complement(*o, at.wrapping_add(by(domain, *o))),
        Value::Part(o, at, low) => domain.part(*o, at.wrapping_add(by(domain, *o)), *low),
        Value::Joined(parts) => {
            Value::Joined(parts.iter().map(|(w, part)| (*w, moved(domain, part, blocks))).collect())
        }
        Value::Bits(of) => {
            Value::Bits(of.iter().map(|&b| domain.question_later(b, blocks).unwrap_or(b)).collect())
        }
        Value::Sum(sum) => with_data(domain, sum, |domain, data| moved(domain, data, blocks)),
        Value::Number(_) | Value::Unknown(_) => value.clone(),
        Value::Lost(_, secret) => Value::Unknown(*secret),
        Value::Byte(_) => Value::Unknown(domain.is_secret(value)),
        // Values derived from addresses are computed again where they are needed.
        _ => Value::Unknown(false),
    }
}

/// A state from which a template is read, or with which it is compared.
pub struct Arrival<'a> {
    /// Registers.
    pub registers: &'a [Value],
    /// Their widths in bits.
    pub widths: &'a [u8],
    /// Blocks done since the last template.
    pub blocks: i64,
    /// The least number of blocks left.
    pub left: u64,
    /// The lowest offset on the stack in use.
    pub in_use: i64,
    /// The possible values of the chain's last byte.
    pub lasts: Truth,
    /// The path from the last template, or from entry.
    pub from: From,
}

/// The beginning of a path to a state.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum From {
    /// Entry.
    Entry,
    /// The template with which the state is compared.
    Itself,
    /// Another template.
    Another,
}

impl Template {
    /// Reads the template off a state.
    pub fn read(domain: &mut Symbols, arrival: &Arrival, chain: &mut Chain) -> Template {
        let fixed = std::mem::take(&mut chain.fixed);
        let mut name = |domain: &mut Symbols, value: &Value| {
            let value = moved(domain, value, arrival.blocks);
            named(domain, chain, &value)
        };
        let registers = arrival.registers.iter().map(|v| name(domain, v)).collect();
        let mut objects = domain.memory.objects.clone();
        for object in &mut objects {
            let low = object.low;
            match object.role {
                Role::Iv | Role::Stack => {}
                _ => continue,
            }
            let is_stack = object.role == Role::Stack;
            for (i, place) in object.cells.iter_mut().enumerate() {
                if is_stack && low + (i as i64) < arrival.in_use {
                    *place = None;
                } else if let Some(cell) = place {
                    // The chain in memory is the chain in all states, also if this one fixes some of its bytes.
                    let fixed = fixed.get(&i).filter(|_| !is_stack && low == 0 && cell.bytes == 1);
                    cell.value = match (fixed, &cell.value) {
                        (Some((value, name)), Value::Number(number)) if value == number => {
                            Value::Bits((*name).into())
                        }
                        (_, value) => name(domain, &value.clone()),
                    };
                }
            }
        }
        let done = (arrival.from == From::Entry).then_some(arrival.blocks);
        Template { registers, objects, left: arrival.left, lasts: arrival.lasts, done }
    }

    /// Checks that a state is an instance; if it is not, weakens the template and returns false.
    pub fn holds(&mut self, domain: &mut Symbols, arrival: &Arrival, instance: &mut Instance) -> bool {
        let mut held = true;
        let done = self.done;
        // The template is only of this number of blocks done if every state is.
        self.done = done.filter(|done| arrival.from == From::Entry && *done == arrival.blocks);
        let registers = self.registers.iter_mut().zip(arrival.registers).zip(arrival.widths);
        for ((mine, theirs), &width) in registers {
            let theirs = moved(domain, theirs, arrival.blocks);
            held &= follows(domain, arrival, done, width, mine, &theirs)
                .unwrap_or_else(|| fits(domain, instance, mine, &theirs));
        }
        for number in 0..self.objects.len() {
            let role = self.objects[number].role;
            if !matches!(role, Role::Iv | Role::Stack) {
                continue;
            }
            let actual = domain.memory.objects[number].cells.clone();
            for (mine, theirs) in self.objects[number].cells.iter_mut().zip(&actual) {
                let is_secret = |cell: &Cell| role == Role::Stack && domain.is_secret(&cell.value);
                let Some(cell) = mine else {
                    instance.forgets_secret |= theirs.as_ref().is_some_and(is_secret);
                    continue;
                };
                let same_shape = theirs.as_ref().filter(|c| (c.at, c.bytes) == (cell.at, cell.bytes));
                let Some(theirs) = same_shape else {
                    // Bytes stored in other pieces become unknown, byte by byte.
                    let known = matches!(cell.value, Value::Unknown(_)) && cell.bytes == 1;
                    if theirs.is_none() {
                        instance.forgets_secret |= is_secret(cell);
                        *mine = None;
                        held = false;
                    } else if !known {
                        (cell.value, cell.at, cell.bytes) = (Value::Unknown(true), 0, 1);
                        held = false;
                    }
                    continue;
                };
                let theirs = moved(domain, &theirs.value, arrival.blocks);
                let width = cell.bytes.saturating_mul(8);
                held &= follows(domain, arrival, done, width, &mut cell.value, &theirs)
                    .unwrap_or_else(|| fits(domain, instance, &mut cell.value, &theirs));
            }
        }
        if arrival.left < self.left {
            self.left = arrival.left;
            held = false;
        }
        let lasts: Truth = std::array::from_fn(|i| self.lasts[i] | arrival.lasts[i]);
        held &= lasts == self.lasts;
        self.lasts = lasts;
        held
    }
}

fn named(domain: &mut Symbols, chain: &mut Chain, value: &Value) -> Value {
    match value {
        Value::Bits(of) => {
            let names: Option<Vec<Bit>> = of
                .iter()
                .map(|&b| match domain.question_later(b, 0) {
                    Some(question) => Some(question),
                    None => chain.named(&mut domain.bits, b),
                })
                .collect();
            match names {
                Some(names) => domain.value(names),
                None => constants(domain, of),
            }
        }
        Value::Joined(parts) => {
            Value::Joined(parts.iter().map(|(w, part)| (*w, named(domain, chain, part))).collect())
        }
        Value::Sum(sum) => with_data(domain, sum, |domain, data| named(domain, chain, data)),
        other => other.clone(),
    }
}

/// Keeps the constants among the bits of a secret; all other bits become unknown. So a pointer into a table, in which
/// only the index changes, stays a pointer.
fn constants(domain: &mut Symbols, of: &[Bit]) -> Value {
    if !of.iter().any(|&b| domain.bits.is_secret(b)) {
        // A comparison may have several results, of which one is a question and the others are not known.
        let one = |b: Bit| if domain.question_later(b, 0).is_some() { b } else { Bits::opaque(false) };
        let kept: Vec<Bit> = of.iter().copied().map(one).collect();
        return domain.value(kept);
    }
    domain.value(of.iter().map(|&b| if b <= ONE { b } else { Bits::opaque(true) }).collect())
}

/// The constants that two secrets of one width have in common. Public values, such as the counter and its remains after
/// a wrap, have other constants in each case, and giving these up one by one would take one pass over the loop each.
fn in_common(domain: &Symbols, a: &Value, b: &Value) -> Option<Value> {
    let width = match (a, b) {
        (Value::Bits(bits), _) | (_, Value::Bits(bits)) => bits.len() as u8,
        _ => return None,
    };
    let (x, y) = (domain.bits_of(width, a)?, domain.bits_of(width, b)?);
    if !domain.is_secret(a) && !domain.is_secret(b) {
        let is_asked = |bit: Bit| domain.questions.iter().any(|(asked, _)| *asked == bit & !ONE);
        let one = |(&x, &y): (&Bit, &Bit)| if x == y && is_asked(x) { x } else { Bits::opaque(false) };
        let kept: Vec<Bit> = x.iter().zip(y.iter()).map(one).collect();
        return Some(domain.value(kept)).filter(|kept| matches!(kept, Value::Bits(_)));
    }
    if !domain.is_secret(a) || !domain.is_secret(b) {
        return None;
    }
    let one = |(&x, &y): (&Bit, &Bit)| if x == y && x <= ONE { x } else { Bits::opaque(true) };
    Some(domain.value(x.iter().zip(y.iter()).map(one).collect()))
}

/// An unknown value that depends on a secret if either of these does.
fn nothing(domain: &Symbols, a: &Value, b: &Value) -> Value {
    Value::Unknown(domain.is_secret(a) || domain.is_secret(b))
}

/// Compares values that count blocks done. At entry none is done, so the number is known. A value that differs from that
/// of a template for one number of blocks is taken to grow with each block: the next pass over the loop shows if it does.
/// `None` for all other values.
fn follows(
    domain: &Symbols,
    arrival: &Arrival,
    done: Option<i64>,
    width: u8,
    mine: &mut Value,
    theirs: &Value,
) -> Option<bool> {
    domain.memory.find(Role::Count).filter(|count| domain.width_of(*count) == width)?;
    if arrival.from == From::Entry {
        return domain
            .with_done(width, mine, arrival.blocks)
            .filter(|known| known.same(theirs))
            .map(|_| true);
    }
    if arrival.from != From::Itself || mine.same(theirs) {
        return None;
    }
    *mine = domain.growing(width, mine, theirs, done?, arrival.blocks)?;
    Some(false)
}

fn fits(domain: &mut Symbols, instance: &mut Instance, mine: &mut Value, theirs: &Value) -> bool {
    if let Value::Unknown(secret) = mine {
        // A place that turns out to be secret in one state is secret in general.
        let grown = !*secret && domain.is_secret(theirs);
        *secret |= grown;
        return !grown;
    }
    if matches!(mine, Value::Bits(bits) if bits.iter().any(|&b| Bits::is_opaque(b))) {
        let weaker = in_common(domain, mine, theirs).unwrap_or_else(|| nothing(domain, mine, theirs));
        // Unknown bits count as equal here, though their values may differ.
        let held = matches!((&weaker, &*mine), (Value::Bits(after), Value::Bits(before)) if after == before);
        *mine = weaker;
        return held;
    }
    if let (Value::Joined(parts), Value::Joined(others)) = (&*mine, theirs)
        && parts.iter().map(|(width, _)| width).eq(others.iter().map(|(width, _)| width))
    {
        let mut parts = parts.to_vec();
        let mut held = true;
        for ((_, part), (_, other)) in parts.iter_mut().zip(others.iter()) {
            held &= fits(domain, instance, part, other);
        }
        *mine = Value::Joined(parts.into());
        return held;
    }
    // Data that is added to the beginning of one table.
    if let (Value::Sum(sum), Value::Sum(other)) = (&*mine, theirs)
        && (&sum.terms, sum.number, sum.width) == (&other.terms, other.number, other.width)
        && let (Some(data), Some(others)) = (&sum.bits, &other.bits)
    {
        let (sum, mut data) = (Rc::clone(sum), Value::Bits(Rc::clone(data)));
        let held = fits(domain, instance, &mut data, &Value::Bits(Rc::clone(others)));
        *mine = with_data(domain, &sum, |_, _| data);
        return held;
    }
    let image = instance.value(domain, mine);
    let same = image.same(theirs)
        || match (&image, theirs) {
            (Value::Bits(a), Value::Bits(b)) => {
                a.len() == b.len()
                    && a.iter().zip(b.iter()).all(|(&x, &y)| {
                        let sum = domain.bits.xor(x, y);
                        domain.bits.settle(sum) == Some(ZERO)
                    })
            }
            (Value::Bits(a), Value::Number(n)) | (Value::Number(n), Value::Bits(a)) => {
                a.iter().enumerate().all(|(i, &x)| domain.bits.settle(x) == Some((n >> i & 1) as Bit))
            }
            _ => false,
        };
    if !same {
        // This weakens the template, not its instance: a constant for this chain need not be one for earlier chains.
        let weaker = in_common(domain, mine, theirs);
        *mine = weaker.unwrap_or_else(|| nothing(domain, mine, theirs));
    }
    same
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bits::toy::ABOUT;
    use aesmith_isa::image::Image;

    /// A name that is 1 for this chain was something else for earlier chains of the template.
    #[test]
    fn what_is_constant_for_one_chain_is_no_constant_of_the_template() {
        let image = Image::default();
        let mut domain = Symbols::new(&image, &ABOUT);
        let chain = std::array::from_fn(|_| std::array::from_fn(|_| domain.bits.atom(false)));
        let names = Names { chain, lasts: Vec::new(), text: Vec::new() };
        let [secret, other] = [(); 2].map(|()| domain.bits.atom(true));
        let chain = |bit: Bit| {
            let mut chain = names.chain;
            chain[0][0] = bit;
            chain
        };
        let instance = |domain: &Symbols, bit: Bit| {
            Instance::new(&domain.bits, &names, &Present { chain: &chain(bit), lasts: &[], text: &[] })
        };
        let mut template = Value::Bits([names.chain[0][0], ONE, secret].into());
        let mut instance_of_one = instance(&domain, ONE);
        let theirs = Value::Bits([ONE, ONE, other].into());
        assert!(!fits(&mut domain, &mut instance_of_one, &mut template, &theirs));
        let Value::Bits(left) = &template else { panic!("{template:?}") };
        assert!(Bits::is_opaque(left[0]) && left[1] == ONE && Bits::is_opaque(left[2]), "{template:?}");
        // It holds now for this chain and others, but not where a constant differs.
        let mut instance = instance(&domain, ZERO);
        assert!(fits(&mut domain, &mut instance, &mut template, &Value::Bits([ZERO, ONE, secret].into())));
        assert!(!fits(&mut domain, &mut instance, &mut template, &Value::Bits([ZERO, ZERO, secret].into())));
        assert!(matches!(template, Value::Unknown(true)), "{template:?}");
    }

    /// A template of one byte on the stack, and a state that it is compared with.
    struct Compared<'i> {
        domain: Symbols<'i>,
        template: Template,
    }

    impl<'i> Compared<'i> {
        fn new(image: &'i Image, byte: impl Fn(&mut Symbols) -> Value) -> Self {
            let mut domain = Symbols::new(image, &ABOUT);
            let stack = domain.memory.object(Role::Stack, 32, -1, 1, true);
            let cell = Cell { value: byte(&mut domain), at: 0, bytes: 1 };
            domain.memory.objects[usize::from(stack)].cells[0] = Some(cell);
            let objects = domain.memory.objects.clone();
            let template = Template { registers: Vec::new(), objects, left: 2, lasts: [0; 4], done: None };
            Compared { domain, template }
        }

        /// True if a state holds, with this byte there, or none, and this number of blocks left.
        fn holds(&mut self, byte: Option<&Value>, left: u64) -> bool {
            self.domain.memory.objects[0].cells[0] =
                byte.map(|value| Cell { value: value.clone(), at: 0, bytes: 1 });
            let lasts = self.template.lasts;
            let arrival = Arrival {
                registers: &[],
                widths: &[],
                blocks: 1,
                left,
                in_use: -1,
                lasts,
                from: From::Another,
            };
            let mut instance =
                Instance { names: Map::default(), known: Map::default(), forgets_secret: false };
            self.template.holds(&mut self.domain, &arrival, &mut instance)
        }

        fn byte(&self) -> Option<&Value> {
            self.template.objects[0].cells[0].as_ref().map(|cell| &cell.value)
        }
    }

    /// Each state that differs weakens the template once, and holds after that.
    #[test]
    fn a_template_is_weakened_by_what_differs_from_it() {
        let image = Image::default();
        let secret = |domain: &mut Symbols| {
            let bits: [Bit; 8] = std::array::from_fn(|_| domain.bits.atom(true));
            Value::Bits(bits.into())
        };
        let seven = Value::Number(7);

        let mut number = Compared::new(&image, |_| seven.clone());
        assert!(number.holds(Some(&seven), 2), "the state itself");
        assert!(!number.holds(Some(&Value::Number(8)), 2), "another number in memory");
        assert!(matches!(number.byte(), Some(Value::Unknown(false))), "{:?}", number.byte());
        assert!(number.holds(Some(&seven), 2) && number.holds(Some(&Value::Number(8)), 2));

        let bits = secret(&mut number.domain);
        assert!(!number.holds(Some(&bits), 2), "a secret where none was");
        assert!(matches!(number.byte(), Some(Value::Unknown(true))), "{:?}", number.byte());
        assert!(number.holds(Some(&bits), 2) && number.holds(Some(&seven), 2));

        assert!(!number.holds(None, 2), "a byte that was not written");
        assert!(number.byte().is_none(), "{:?}", number.byte());
        assert!(number.holds(None, 2) && number.holds(Some(&seven), 2));

        let mut fewer = Compared::new(&image, |_| seven.clone());
        assert!(fewer.holds(Some(&seven), 3), "more blocks left");
        assert!(!fewer.holds(Some(&seven), 1), "fewer blocks left");
        assert_eq!(fewer.template.left, 1);
        assert!(fewer.holds(Some(&seven), 1) && fewer.holds(Some(&seven), 2));
    }
}
