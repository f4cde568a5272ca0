//! Sections of a program that is not linked yet. The bytes of the image stand at sample addresses; this module
//! describes what a linker may choose instead, and the values that it then writes into the bytes.

use crate::assemble::{Part, part_of};
use crate::image::Image;
use crate::table::{Insn, Isa, Row};

/// A section.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Extent {
    /// The name, for messages.
    pub name: String,
    /// Its address in the image.
    pub address: u64,
    /// The size in bytes.
    pub size: u64,
    /// The alignment that linkers give it, a power of two. Nothing else is known of its address.
    pub alignment: u64,
    /// True if it holds instructions.
    pub code: bool,
}

impl Extent {
    /// The first address after it.
    pub fn end(&self) -> u64 {
        self.address + self.size
    }
}

/// A place in a section.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Target {
    /// The index of the section.
    pub section: u16,
    /// The offset in bytes from the section's start.
    pub offset: i64,
}

/// A value that a linker writes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Link {
    /// A word of 32 bits: an address.
    Word(Target),
    /// A 32-bit word: the difference of two addresses in two sections.
    Away(Target, Target),
    /// A part of an address in a field of an instruction: the field's place, the instruction's size in bytes, the part,
    /// the target.
    Field(u8, u8, Part, Target),
}

impl Link {
    /// Size in bytes of the longest item that a linker writes into.
    const LONGEST: u64 = 16;

    /// Size in bytes of the item that it is written into.
    fn bytes(&self) -> u64 {
        match self {
            Link::Word(_) | Link::Away(..) => 4,
            Link::Field(_, bytes, ..) => u64::from(*bytes),
        }
    }
}

impl Isa {
    /// True if a field of an instruction is the 32-bit word that begins at this byte of it.
    pub fn is_word(&self, insn: &Insn, place: usize, at: usize) -> bool {
        let row = self.of(insn);
        [0x0403_0201u64, 0xf0e0_d0c0, 0xffff_ffff].into_iter().all(|field| {
            let bytes = self.in_memory(row.pattern.put(place, field), row.bytes().into());
            let outside = |(i, byte): (usize, &u8)| (at..at + 4).contains(&i) || *byte == 0;
            bytes.iter().enumerate().all(outside)
                && bytes.get(at..at + 4) == Some(&self.about.order.bytes(field, 4)[..])
        })
    }

    /// True if the image holds in a field the value that its relocation writes.
    pub fn holds_link(
        &self,
        image: &Image,
        (at, insn): (u64, &Insn),
        place: usize,
        part: Part,
        target: Target,
    ) -> bool {
        let row = self.of(insn);
        let (Some(section), Some(_)) =
            (image.sections.get(usize::from(target.section)), row.fields.get(place))
        else {
            return false;
        };
        let value = part_of(self, part, at, section.address.wrapping_add_signed(target.offset));
        let bits = |value: i32| self.bits(row, place, value).ok();
        bits(value).is_some() && bits(value) == bits(insn.fields[place])
    }

    /// True if another value of the field may turn the instruction into one of an earlier row.
    pub fn may_be_another(&self, insn: &Insn, place: usize) -> bool {
        let row = self.of(insn);
        let free = row.pattern.put(place, row.pattern.held(place));
        let Some(code) = (0..row.fields.len()).try_fold(row.pattern.value, |code, place| {
            Some(code | row.pattern.put(place, self.bits(row, place, insn.fields[place]).ok()?))
        }) else {
            return true;
        };
        let hidden = row.hidden.iter().any(|(of, _)| usize::from(*of) == place);
        let is_before = |other: &Row| {
            let fixed = other.pattern.mask;
            other.bytes() == row.bytes()
                && fixed & free != 0
                && (code ^ other.pattern.value) & fixed & !free == 0
        };
        hidden || self.rows[..usize::from(insn.row)].iter().any(is_before)
    }
}

impl Image {
    /// The program as a linked one: its addresses are fixed numbers.
    pub fn placed(mut self) -> Image {
        self.sections.clear();
        self.links.clear();
        self
    }

    /// The values that linkers write into the bytes between two addresses, with their start addresses.
    pub fn links_over(&self, from: u64, until: u64) -> impl Iterator<Item = (u64, &Link)> {
        let near = self.links.range(from.saturating_sub(Link::LONGEST)..until.max(from));
        near.map(|(at, link)| (*at, link)).filter(move |(at, link)| at + link.bytes() > from)
    }

    /// The index of the section that contains an address; `None` in a linked program.
    pub fn section_at(&self, address: u64) -> Option<u16> {
        let found = self.sections.iter().position(|s| (s.address..s.end()).contains(&address))?;
        u16::try_from(found).ok()
    }
}
