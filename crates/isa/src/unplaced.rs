//! Sections of a program that no linker has put anywhere yet: the bytes of an image stand at sample addresses then, and here
//! stands what a linker may choose otherwise, and what it writes into the bytes when it does.

use crate::assemble::{Part, part_of};
use crate::image::Image;
use crate::table::{Insn, Isa, Row};

/// A section.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Extent {
    /// Its name, for sentences.
    pub name: String,
    /// Where the image has it.
    pub address: u64,
    /// Its bytes.
    pub size: u64,
    /// A power of two, at a multiple of which linkers put it. Nothing else is known of its place.
    pub alignment: u64,
    /// Whether it holds instructions.
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
    /// The section's number.
    pub section: u16,
    /// From its beginning.
    pub offset: i64,
}

/// What a linker writes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Link {
    /// A word of 32 bits: an address.
    Word(Target),
    /// A word of 32 bits: an address less another, of two sections.
    Away(Target, Target),
    /// The field of this number in the instruction there, of so many bytes: a part of an address.
    Field(u8, u8, Part, Target),
}

impl Link {
    /// Bytes of the longest thing that a linker writes into.
    const LONGEST: u64 = 16;

    /// Bytes of what it writes into.
    fn bytes(&self) -> u64 {
        match self {
            Link::Word(_) | Link::Away(..) => 4,
            Link::Field(_, bytes, ..) => u64::from(*bytes),
        }
    }
}

impl Isa {
    /// Whether a field of an instruction is the word of 32 bits that begins at a byte of it.
    pub fn is_word(&self, insn: &Insn, place: usize, at: usize) -> bool {
        let row = self.of(insn);
        [0x0403_0201u64, 0xf0e0_d0c0, 0xffff_ffff].into_iter().all(|field| {
            let bytes = self.in_memory(row.pattern.put(place, field), row.bytes().into());
            let outside = |(i, byte): (usize, &u8)| (at..at + 4).contains(&i) || *byte == 0;
            bytes.iter().enumerate().all(outside)
                && bytes.get(at..at + 4) == Some(&self.about.order.bytes(field, 4)[..])
        })
    }

    /// Whether the image has in a field what the relocation of it writes.
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

    /// Whether an instruction may be another one, with something else in a field: that of a row before its own.
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
    /// The same program as one that was linked: it stands where it stands, and its addresses are numbers.
    pub fn placed(mut self) -> Image {
        self.sections.clear();
        self.links.clear();
        self
    }

    /// What linkers write into bytes between two addresses, with where it begins.
    pub fn links_over(&self, from: u64, until: u64) -> impl Iterator<Item = (u64, &Link)> {
        let near = self.links.range(from.saturating_sub(Link::LONGEST)..until.max(from));
        near.map(|(at, link)| (*at, link)).filter(move |(at, link)| at + link.bytes() > from)
    }

    /// The number of the section that an address lies in, or of none in a program that was linked.
    pub fn section_at(&self, address: u64) -> Option<u16> {
        let found = self.sections.iter().position(|s| (s.address..s.end()).contains(&address))?;
        u16::try_from(found).ok()
    }
}
