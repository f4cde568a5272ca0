//! What a technique does for a block, by class of operation, before any processor comes in: the
//! accounting of Bernstein and Schwabe ("New AES software speed records", Indocrypt 2008).

use crate::Round;
use crate::program::{Node, Program, Word};
use crate::table::Tables;
use crate::technique::{self, Choices, Sliced, Technique};
use aesmith_cipher::KeySize;
use std::ops::AddAssign;

/// Operations by class. Constants are not counted: they are kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Blocks that this is for.
    pub blocks: usize,
    /// Words of text, round keys and tables read.
    pub loads: usize,
    /// Words of text written.
    pub stores: usize,
    /// AND, OR, XOR, NOT of two words, and masks of signs.
    pub logic: usize,
    /// Shifts and rotations.
    pub shifts: usize,
    /// Shifts and masks more because a table's entries are larger than a byte; none where loads
    /// scale their index.
    pub scalings: usize,
    /// Bytes moved about in a word, or between two.
    pub shuffles: usize,
    /// Look-ups of tables kept in registers.
    pub look_ups: usize,
    /// Affine maps and products in GF(2^8).
    pub maps: usize,
    /// Rounds of AES that are one instruction.
    pub aes_rounds: usize,
}

impl Counts {
    /// All operations.
    pub fn total(&self) -> usize {
        self.loads + self.stores + self.computing()
    }

    /// Operations that are neither loads nor stores.
    pub fn computing(&self) -> usize {
        self.logic + self.shifts + self.scalings + self.shuffles + self.look_ups + self.maps + self.aes_rounds
    }

    /// `of` for one block.
    pub fn per_block(&self, of: impl Fn(&Counts) -> usize) -> f64 {
        of(self) as f64 / self.blocks as f64
    }
}

impl AddAssign for Counts {
    fn add_assign(&mut self, other: Counts) {
        self.blocks += other.blocks;
        self.loads += other.loads;
        self.stores += other.stores;
        self.logic += other.logic;
        self.shifts += other.shifts;
        self.scalings += other.scalings;
        self.shuffles += other.shuffles;
        self.look_ups += other.look_ups;
        self.maps += other.maps;
        self.aes_rounds += other.aes_rounds;
    }
}

/// The operations of a program alone: no loads of its inputs, no stores of its outputs, no blocks.
pub fn count(program: &Program) -> Counts {
    let mut counts = Counts::default();
    for node in &program.nodes {
        match *node {
            Node::Input(_) | Node::Constant(_) => {}
            Node::Xor(..)
            | Node::And(..)
            | Node::Or(..)
            | Node::AndNot(..)
            | Node::Not(_)
            | Node::Sign(_) => {
                counts.logic += 1;
            }
            Node::ShiftLeft(..) | Node::ShiftRight(..) | Node::RotateRight(..) => counts.shifts += 1,
            Node::Bytes(..) | Node::Interleave { .. } => counts.shuffles += 1,
            Node::Nibble(..) | Node::Substitute(..) => counts.look_ups += 1,
            Node::Affine { .. } | Node::Multiply(..) => counts.maps += 1,
            Node::Byte(_, place) => extraction(&mut counts, program.word, 8, place),
            Node::Half(_, place) => extraction(&mut counts, program.word, 16, place),
            Node::Load { index, scale, .. } => {
                counts.loads += 1;
                counts.scalings += usize::from(scale > 1 && scales(program, index.0));
            }
        }
    }
    counts
}

/// The lowest part of a word is a mask, the highest a shift, others are both.
fn extraction(counts: &mut Counts, word: Word, bits: u32, place: u8) {
    let shift = u32::from(place) * bits;
    counts.shifts += usize::from(shift > 0);
    counts.logic += usize::from(shift + bits < word.bits());
}

/// Whether scaling this index is an operation of its own: for a part amid a word it comes with
/// the shift and the mask that there are.
fn scales(program: &Program, index: u16) -> bool {
    let amid = |bits, place: u8| place > 0 && (u32::from(place) + 1) * bits < program.word.bits();
    match program.nodes[usize::from(index)] {
        Node::Byte(_, place) => !amid(8, place),
        Node::Half(_, place) => !amid(16, place),
        _ => true,
    }
}

/// A block of programs in turn, whose text and keys are so many words each.
fn run<'a>(programs: impl IntoIterator<Item = &'a Program>, texts: usize, keys: usize) -> Counts {
    let mut counts = Counts { loads: texts + keys, stores: texts, ..Counts::default() };
    programs.into_iter().for_each(|program| counts += count(program));
    counts
}

fn programs(size: KeySize, inverse: bool, of: impl Fn(usize, Round) -> Program) -> Vec<Program> {
    let [inner, last] =
        if inverse { [Round::Decrypt, Round::DecryptLast] } else { [Round::Encrypt, Round::EncryptLast] };
    (1..=size.rounds()).map(|r| of(r, if r == size.rounds() { last } else { inner })).collect()
}

/// One block (ECB) on a lane, of a technique that works on whole blocks; none for the others.
pub fn block(technique: Technique, choices: Choices, size: KeySize, inverse: bool) -> Option<Counts> {
    let keys = size.rounds() + 1;
    let mut counts = if technique.is_instruction() {
        Counts { loads: 1 + keys, stores: 1, aes_rounds: size.rounds(), ..Counts::default() }
    } else {
        technique::round(technique, choices, Round::Encrypt)?;
        let round = |_, which| technique::round(technique, choices, which).expect("as the first");
        run(&programs(size, inverse, round), 1, keys)
    };
    counts.blocks = 1;
    counts.logic += 1;
    Some(counts)
}

/// A group of blocks (ECB) in sliced form. Key words are loaded as they were prepared; preparing
/// them is not counted.
pub fn group(form: &Sliced) -> Counts {
    let programs = [&form.pack, &form.whiten, &form.unpack].into_iter().chain(&form.rounds);
    let keys = form.keys.iter().map(|key| key.outputs.len()).sum();
    let mut counts = run(programs, form.pack.outputs.len(), keys);
    counts.blocks = form.texts;
    counts
}

/// One block (ECB) by T-tables.
///
/// Bernstein and Schwabe's baseline of AES-128 has the same 208 loads and 4 stores, and 508 other
/// operations where this has 484 with masked tables: a shift, a mask and a sum for each of 160 look-ups,
/// and 4 sums before them. 16 more are the masks of a last round without masked tables
/// (cr.yp.to/aes-speed.html, "Masked loads"). What the last 8 are was not found itemised. 4 would be
/// the sums of key stream and text, for the 4 loads and 4 stores of text are those of counter mode;
/// they are not added here, since they are not of a block in ECB.
pub fn tables(tables: Tables, size: KeySize, inverse: bool) -> Counts {
    let programs = programs(size, inverse, |r, which| tables.round(which, r == 1));
    let mut counts = run(&programs, 4, 4 * (size.rounds() + 1));
    counts.blocks = 1;
    counts.logic += 4;
    counts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::{Direction, Layout};
    use crate::table::Last;

    /// Bernstein and Schwabe: 208 loads, of them 160 of tables, 44 of keys, 4 of
    /// the text, and 4 stores; scaled indices save 80 operations of AES-128, a second table of
    /// masked words 16 masks.
    #[test]
    fn tables_are_as_published() {
        let of = |last| {
            let tables = Tables { layout: Layout::Separate, last, direction: Direction::Forward };
            super::tables(tables, KeySize::Aes128, false)
        };
        let masked = of(Last::Masked);
        assert_eq!((masked.loads, masked.stores, masked.scalings), (208, 4, 80));
        // A round: a shift, a mask and a sum for each of 16 bytes; before it, 4 sums. Published are
        // 508, of which 16 are masks that masked tables save; 8 are not accounted for: see `tables`.
        assert_eq!(masked.computing(), 10 * 48 + 4);
    }

    #[test]
    fn a_block_of_each_technique_is_counted() {
        let total = |technique| {
            let counts = block(technique, Choices::default(), KeySize::Aes128, false);
            counts.map(|c| (c.blocks, c.loads, c.stores, c.computing()))
        };
        assert_eq!(total(Technique::Aes), Some((1, 12, 1, 11)));
        // 9 rounds of 33, the last of 25 (no MixColumns), and the sum before.
        assert_eq!(total(Technique::Vperm), Some((1, 12, 1, 9 * 33 + 25 + 1)));
        assert_eq!(total(Technique::Table), None);
    }

    #[test]
    fn groups_are_counted_by_block() {
        let form = technique::sliced(Technique::Gfni, Choices::default(), 10, false).expect("gfni is sliced");
        let counts = group(&form);
        assert_eq!((counts.blocks, counts.stores, counts.loads), (16, 16, 16 + 11 * 16));
        assert_eq!((counts.maps, counts.shuffles), (9 * 32 + 16, 2 * 64));
        assert_eq!(counts.per_block(|c| c.maps), 19.0);
    }
}
