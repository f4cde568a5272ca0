//! Placement of the messages of a call: in their buffers, and of its streams relative to each other.
//!
//! Buffers begin at page boundaries, so only an address's distance from a page boundary matters.

use aesmith_cipher::Problem;

const PAGE: usize = 4096;

/// Placement of a call's messages in their buffers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// Input and output end where a guard page begins.
    End,
    /// Input and output begin where a guard page ends.
    Start,
    /// In place; the message ends where a guard page begins.
    InPlaceEnd,
    /// In place, at this byte offset from a page boundary.
    InPlace(u16),
    /// Separate input and output, at these byte offsets from page boundaries.
    Apart(u16, u16),
}

impl Place {
    /// True if results replace the message.
    pub(crate) fn is_in_place(self) -> bool {
        matches!(self, Place::InPlace(_) | Place::InPlaceEnd)
    }

    /// Offsets of stream `i`'s input and output in their buffers. `room` is the number of bytes of each buffer that the
    /// message leaves free.
    pub(crate) fn offsets(self, spacing: Spacing, i: usize, room: (usize, usize)) -> (usize, usize) {
        let at = |offset: u16| spacing.offset(i).map_or(0, |own| (usize::from(offset) + own) % PAGE);
        match self {
            Place::End | Place::InPlaceEnd => room,
            Place::Start => (0, 0),
            Place::InPlace(offset) => (at(offset), at(offset)),
            Place::Apart(input, output) => (at(input), at(output)),
        }
    }
}

/// Placement of a call's streams relative to each other. Calls on several streams are measured at each of these, and
/// the slowest counts: callers have buffers of whole pages, records one after the other, and whatever a heap returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spacing {
    /// Each message begins at a page boundary, inputs and outputs alike: the current lines of all streams fall into one
    /// set of a cache whose ways have the size of a page.
    Pages,
    /// At odd distances: no two streams are at the same offset in a block of 16 bytes.
    Odd,
    /// Scattered over pages, at multiples of 16 bytes.
    Scattered,
}

impl Spacing {
    /// All spacings, in the order in which samples are taken.
    pub const ALL: [Spacing; 3] = [Spacing::Pages, Spacing::Odd, Spacing::Scattered];

    /// The spacings at which calls of a problem are measured. With one stream, spacing has no meaning.
    pub fn of(problem: Problem) -> &'static [Spacing] {
        if problem.streams() > 1 { &Spacing::ALL } else { &[Spacing::Scattered] }
    }

    /// Bytes by which stream `i` is farther from a page boundary than the first; `None` if each stream begins at one.
    fn offset(self, i: usize) -> Option<usize> {
        match self {
            Spacing::Pages => None,
            Spacing::Odd => Some(i * 1093),
            // Multiplicative hashing (Knuth, "The Art of Computer Programming", 6.4), to 256 slots.
            Spacing::Scattered => Some(16 * ((i as u32).wrapping_mul(2_654_435_769) >> 24) as usize),
        }
    }
}

/// The layouts that successive measurements use. Screening uses the first: everything aligned, with half a page between
/// input and output, because equal low 12 bits make loads wait for unrelated stores (Intel optimization manual, 4-KByte
/// aliasing).
pub(crate) const LAYOUTS: [Place; 6] = [
    Place::Apart(0, 2048 + 64),
    Place::Apart(16, 2048),
    Place::Apart(64, 1024 + 16),
    Place::Apart(0, 3072 + 32),
    Place::Apart(8, 2048 + 4),
    Place::InPlace(0),
];

#[cfg(test)]
mod tests {
    use super::*;

    /// Offsets in a page of the inputs and outputs of 16 streams.
    fn streams(spacing: Spacing, place: Place) -> Vec<(usize, usize)> {
        (0..16).map(|i| place.offsets(spacing, i, (PAGE, PAGE))).collect()
    }

    /// Largest number of first lines that share a set, of 64 sets as in a cache whose ways have the size of a page.
    fn most_in_a_set(offsets: &[(usize, usize)]) -> usize {
        let sets: Vec<usize> = offsets.iter().flat_map(|(i, o)| [i / 64 % 64, o / 64 % 64]).collect();
        sets.iter().map(|set| sets.iter().filter(|s| *s == set).count()).max().unwrap_or(0)
    }

    #[test]
    fn streams_lie_as_callers_have_them() {
        for place in LAYOUTS {
            assert!(streams(Spacing::Pages, place).iter().all(|at| *at == (0, 0)), "{place:?}");
            let odd = streams(Spacing::Odd, place);
            assert!(odd.windows(2).all(|w| w[0].0 % 2 != w[1].0 % 2), "{place:?}: {odd:?}");
            let mut rests: Vec<usize> = odd.iter().map(|(input, _)| input % 16).collect();
            rests.sort_unstable();
            rests.dedup();
            assert_eq!(rests.len(), 16, "{place:?}: every offset in a block");
            let scattered = streams(Spacing::Scattered, place);
            assert!(scattered.iter().all(|(i, _)| i % 16 == scattered[0].0 % 16), "{place:?}");
            assert!(most_in_a_set(&scattered) <= 4, "{place:?}: {scattered:?}");
        }
        assert_eq!(most_in_a_set(&streams(Spacing::Pages, LAYOUTS[0])), 32);
    }

    #[test]
    fn one_stream_lies_where_the_layout_says() {
        let ecb: Problem = "aes128-ecb".parse().unwrap();
        let [only] = Spacing::of(ecb) else { panic!("one stream is measured in one way") };
        assert_eq!(Place::Apart(16, 2048).offsets(*only, 0, (PAGE, PAGE)), (16, 2048));
        assert_eq!(Spacing::of("aes128-cbc-x2".parse().unwrap()), Spacing::ALL);
    }
}
