//! Relocations: parts of addresses in the fields of instructions, and words in tables. Also loads from sections.

use std::rc::Rc;

use aesmith_isa::assemble::Part;
use aesmith_isa::table::{Insn, Isa, Kind};
use aesmith_isa::unplaced::{Extent, Link, Target};
use aesmith_isa::values::{Binary, Space, Values};

use crate::bits::forms::{Bit, ONE, ZERO};
use crate::bits::halves::Byte;
use crate::bits::memory::{Cell, ObjectId};
use crate::bits::sections::offset;
use crate::bits::sums::{Sum, Term, Where};
use crate::bits::symbols::{Symbols, Trouble, Written};
use crate::bits::value::Value;

/// The refusal of a relocation that contradicts the instruction at its place.
const OTHER: &str = "a relocation is of something else than what the instruction there holds";

impl Symbols<'_> {
    /// Notes the relocation of an instruction that is executed.
    pub(crate) fn note_links(&mut self, isa: &Isa, at: u64, insn: &Insn) -> Result<(), String> {
        let Some((code, base)) = self.code_at(at) else { return self.no_section(at) };
        let row = isa.of(insn);
        let bytes = u64::from(row.bytes());
        if !self.section(code).is_some_and(|s| s.address <= at && at + bytes <= s.end()) {
            return self.no_section(at);
        }
        let mut over = self.memory.image.links_over(at, at + bytes);
        let Some((from, link)) = over.next() else { return Ok(()) };
        if over.next().is_some() {
            return Err("two relocations are of one instruction".into());
        }
        let link = *link;
        let word = || {
            let is_word = |place: &usize| isa.is_word(insn, *place, (from - at) as usize);
            let place = (0..row.fields.len()).find(is_word);
            place.ok_or("a relocation is of no field of the instruction there")
        };
        let is_within = from >= at && from + 4 <= at + bytes;
        let (place, part, target) = match link {
            Link::Field(place, of, part, target) if from == at && u64::from(of) == bytes => {
                (usize::from(place), part, target)
            }
            Link::Word(target) if is_within => (word()?, Part::Whole, target),
            Link::Away(plus, less) if is_within => {
                let place = word()?;
                self.plain_field(isa, insn, place)?;
                let written = self.distance(from, plus, less, row.fields[place].kind)?;
                self.links.insert(at, (place as u8, written));
                return Ok(());
            }
            _ => return Err("a relocation lies across the borders of an instruction".into()),
        };
        if !isa.holds_link(self.memory.image, (at, insn), place, part, target) {
            return Err(OTHER.into());
        }
        let held = row.pattern.held(place);
        let kind = row.fields[place].kind;
        self.plain_field(isa, insn, place)?;
        let object = self.object_of(target)?;
        // Bits that the encoding does not hold must be zero, wherever sections are placed.
        if matches!(part, Part::Whole | Part::Distance) {
            let unit = 1i64 << held.trailing_zeros().min(16);
            let (from, of) = match part {
                Part::Distance => (at.wrapping_sub(base) as i64, code),
                _ => (0, object),
            };
            let aligned = |o: ObjectId| self.section(o).is_some_and(|s| s.alignment >= unit as u64);
            if (target.offset - from) % unit != 0 || !aligned(object) || !aligned(of) {
                return Err(format!(
                    "the address that a linker writes here need be no multiple of {unit}: its section promises less"
                ));
            }
        }
        // The field is unsigned, so it holds the lowest 16 bits zero-extended.
        let part = match (part, kind) {
            (Part::LowSigned, Kind::Number { signed: false, .. }) => Part::Half(0),
            _ => part,
        };
        // Linkers use only the lowest 32 bits of these addresses.
        self.low_addresses |= matches!(part, Part::Upper32 | Part::Lower32);
        self.links.insert(at, (place as u8, Written::Part(part, object, target.offset)));
        Ok(())
    }

    /// Refuses a field that is not a number, or that turns the instruction into another for some addresses.
    fn plain_field(&self, isa: &Isa, insn: &Insn, place: usize) -> Result<(), String> {
        if matches!(isa.of(insn).fields[place].kind, Kind::Register { .. } | Kind::Names { .. }) {
            return Err("a relocation is of a field that is no number".into());
        }
        match isa.may_be_another(insn, place) {
            true => Err("with some addresses that a linker may write it is another instruction".into()),
            false => Ok(()),
        }
    }

    /// The value of the word at an address of the image, in a field of this kind, where the word is the distance
    /// between two places.
    fn distance(&self, from: u64, plus: Target, less: Target, kind: Kind) -> Result<Written, String> {
        let image = self.memory.image;
        let address = |of: Target| {
            let section = image.sections.get(usize::from(of.section));
            section.map(|section| section.address.wrapping_add_signed(of.offset))
        };
        let expected =
            address(plus).zip(address(less)).map(|(to, from)| (to as u32).wrapping_sub(from as u32));
        let held = image.at(from).get(..4).map(|word| self.memory.order.number(word) as u32);
        if held.is_none() || held != expected {
            return Err(OTHER.into());
        }
        let bias = match kind {
            Kind::Number { width: 32, .. } => 0,
            Kind::Relative { bias, width: 32 } => i64::from(bias),
            _ => return Err("a distance is in a field that does not hold all its bits".into()),
        };
        let offset = plus.offset.wrapping_add(bias);
        Ok(Written::Away((self.object_of(plus)?, offset), (self.object_of(less)?, less.offset)))
    }

    /// A linked program has no sections; in other programs, execution stays in sections of code.
    fn no_section(&self, at: u64) -> Result<(), String> {
        match self.sections.is_empty() {
            true => Ok(()),
            false => {
                Err(format!("execution reaches {at:#x}, outside of the section that the function is in"))
            }
        }
    }

    /// True if control that passes from an instruction to the address after it leaves the section.
    pub(crate) fn falls_out(&self, from: u64, next: u64) -> bool {
        !self.sections.is_empty() && self.code_at(from) != self.code_at(next)
    }

    fn object_of(&self, target: Target) -> Result<ObjectId, String> {
        let object = self.sections.get(usize::from(target.section)).copied();
        object.ok_or_else(|| "a relocation leads to no section".into())
    }

    /// The value of a relocated field of an instruction.
    pub(crate) fn linked_field(&mut self, pc: u64, width: u8, written: Written) -> Result<Value, Trouble> {
        let (part, object, at) = match written {
            Written::Part(part, object, at) => (part, object, at),
            Written::Away((object, at), (from, place)) => {
                let fits = [object, from].iter().all(|&object| self.width_of(object) == width);
                if !fits {
                    return Err("a distance is of places in two memories".to_owned().into());
                }
                let terms = vec![Term::Base(object, 0), Term::Less(from)];
                let sum = Sum { terms, ..Sum::plain(width, at.wrapping_sub(place), None) };
                return Ok(Value::Sum(Rc::new(sum)));
            }
        };
        let whole = self.pointer(object, at);
        let address = self.width_of(object);
        let place = Where { plus: (object, at), minus: None };
        let single = |term: Term, number: i64| Ok(Value::Sum(Rc::new(Sum::of(width, term, number))));
        // `count` bits of the address from bit `low` on, zero-extended.
        let mut bits = |low: u8, count: u8| -> Result<Value, Trouble> {
            let found = self.slice(address, &whole, low, count.min(width))?;
            if count < width { self.extend(false, count, width, &found) } else { Ok(found) }
        };
        match part {
            Part::Whole if width == address => Ok(whole),
            Part::Byte(k) => bits(8 * k, 8),
            Part::Negated(k) if width == 8 => Ok(Byte::negated(object, at, k > 0)),
            Part::Half(k) => bits(16 * k, 16),
            Part::Upper44 => bits(22, 22),
            Part::Middle44 => bits(12, 10),
            Part::Lower44 => bits(0, 12),
            Part::Upper32 => bits(10, 22),
            Part::Lower32 => bits(0, 10),
            Part::High20 => {
                single(Term::Upper(Where { plus: (object, at.wrapping_add(0x800)), ..place }, 12), 0)
            }
            Part::Low12 => single(Term::Signed(place, 12), 0),
            Part::HighAdjusted => {
                single(Term::Upper(Where { plus: (object, at.wrapping_add(0x8000)), ..place }, 16), 0)
            }
            Part::LowSigned => single(Term::Signed(place, 16), 0),
            Part::AwayHigh20 | Part::AwayLow12(_) => {
                let Some((code, base)) = self.code_at(pc) else { return Ok(whole) };
                let from = |before: i64| (code, pc.wrapping_sub(base) as i64 - before);
                match part {
                    Part::AwayLow12(before) => {
                        single(Term::Signed(Where { minus: Some(from(before.into())), ..place }, 12), 0)
                    }
                    _ => {
                        let plus = (object, at.wrapping_add(0x800));
                        single(Term::Upper(Where { plus, minus: Some(from(0)) }, 12), 0)
                    }
                }
            }
            Part::Distance if width == address => {
                let here = self.address(width, pc);
                let distance = self.binary(Binary::Subtract, width, &whole, &here)?;
                Ok(distance)
            }
            _ => Err("a relocation is of a field that holds another part of an address".to_owned().into()),
        }
    }

    /// Loads from a program whose sections are placed by a linker.
    pub(crate) fn load_from_sections(
        &mut self,
        space: Space,
        bytes: u8,
        width: u8,
        address: &Value,
    ) -> Result<Value, Trouble> {
        let (width, address) = self.unwrapped(width, address);
        let apart =
            |section: &Extent, data: u64| data == 0 || (section.address >= data) == (space == Space::Data);
        let elsewhere = || Err("a table of another memory is read".to_owned().into());
        let data = self.memory.data;
        match &address {
            Value::Pointer(o, at) if width == self.width_of(*o) => match self.section(*o) {
                Some(section) if apart(section, data) => self.read(*o, *at, bytes),
                _ => elsewhere(),
            },
            Value::Sum(sum) if sum.base().is_some_and(|(o, shift)| shift == 0 && width == self.width_of(o)) => {
                let Some((object, _)) = sum.base() else { return elsewhere() };
                if !self.section(object).is_some_and(|section| apart(section, data)) {
                    return elsewhere();
                }
                self.look_up_in(object, &Rc::clone(sum), bytes)
            }
            Value::Number(at) => Err(format!(
                "memory is read at the address {at:#x}, a number: a linker puts tables where it likes, so name them by a \
                 label"
            )
            .into()),
            Value::Bits(_) => Err("memory is read at an address that data alone decide, which is of no table"
                .to_owned()
                .into()),
            other => Err(format!("memory is read at an address that is not known{}", self.told(other)).into()),
        }
    }

    fn look_up_in(&mut self, object: ObjectId, sum: &Sum, bytes: u8) -> Result<Value, Trouble> {
        let Some(bits) = &sum.bits else { return self.read(object, sum.number, bytes) };
        let bits = Rc::clone(bits);
        self.note_secret_address(bytes, &bits);
        let Some(section) = self.section(object) else { return Err("it is no section".to_owned().into()) };
        let memory = &mut self.memory;
        let width = sum.width;
        // Constant bits of the data are moved into the number, so that a table has one name however it is addressed.
        // Nothing carries, as the remaining data is zero in these bits.
        let constant = bits.iter().take(64).enumerate().fold(0, |a, (i, &b)| a | u64::from(b == ONE) << i);
        let number = offset(width, sum.number.wrapping_add(constant as i64));
        let varying: Vec<Bit> = bits.iter().map(|&b| if b == ONE { ZERO } else { b }).collect();
        let found = self.bits.look_up(&varying, bytes, (object + 2, number), |at| {
            memory.constant_in(section, offset(width, number.wrapping_add(at as i64)), bytes)
        })?;
        match found {
            Some(loaded) => Ok(self.value(loaded)),
            None => Err("memory is read at an address that more than eight bits decide".to_owned().into()),
        }
    }

    /// Reads bytes of a section, including words that a linker writes.
    fn read(&mut self, object: ObjectId, at: i64, bytes: u8) -> Result<Value, Trouble> {
        let Some(section) = self.section(object) else { return Err("it is no section".to_owned().into()) };
        let address = section.address.wrapping_add_signed(at);
        let end = address.wrapping_add(bytes.into());
        let image = self.memory.image;
        let words: Option<Vec<(u64, Target)>> = image
            .links_over(address, end)
            .map(|(from, link)| match link {
                Link::Word(target) => Some((from, *target)),
                Link::Field(..) | Link::Away(..) => None,
            })
            .collect();
        let words = match words {
            Some(words) if !words.is_empty() => words,
            // Plain data; other relocations are refused.
            _ => return Ok(Value::Number(self.memory.constant_in(section, at, bytes)?)),
        };
        self.memory.touch_section(section, at, bytes)?;
        let mut cells = Vec::new();
        for here in address..end {
            let word = words.iter().find(|(from, _)| (*from..from + 4).contains(&here));
            let cell = match word {
                Some((from, target)) => {
                    let to = image.sections.get(usize::from(target.section)).map_or(0, |s| s.address);
                    let to = to.wrapping_add_signed(target.offset) as u32;
                    if image.at(*from).get(..4).map(|word| self.memory.order.number(word)) != Some(to.into())
                    {
                        return Err("a relocation is of another word than the section holds"
                            .to_owned()
                            .into());
                    }
                    let value = self.pointer(self.object_of(*target)?, target.offset);
                    let at = self.memory.order.place((here - from) as u8, 4);
                    Cell { value, at, bytes: 4 }
                }
                None => {
                    let byte = image.at(here).first().copied().unwrap_or_default();
                    Cell { value: Value::Number(byte.into()), at: 0, bytes: 1 }
                }
            };
            cells.push(cell);
        }
        self.of_cells(cells, bytes)
    }
}
