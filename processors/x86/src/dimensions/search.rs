//! The roles of the dimensions, and how searches treat them.

use super::Dim;
use aesmith_arrange::{Exhaustive, Likeness, Role, Search};

/// Length of messages in bytes from which they exceed the second-level caches of today's processors.
const BEYOND_CACHES: usize = 8 << 20;

impl Dim {
    /// Its meaning for stages that do not know x86-64.
    pub(super) const fn role(self) -> Option<Role> {
        match self {
            Dim::Width => Some(Role::Width),
            Dim::Interleave => Some(Role::Interleave),
            Dim::Keys => Some(Role::Keys),
            Dim::Cached => Some(Role::CachedRounds),
            Dim::Wipe => Some(Role::Wipe),
            _ => None,
        }
    }

    /// Its treatment by searches.
    pub(super) const fn search(self) -> Search {
        Search {
            exhaustive: self.exhaustive(),
            likeness: match self {
                Dim::Keys => Likeness::Nonzero,
                Dim::Align => Likeness::All,
                _ => Likeness::None,
            },
            // Spilled round keys are no faster than memory operands wherever both were measured.
            on_request: matches!(self, Dim::Overflow | Dim::Wipe),
            firm: matches!(self, Dim::Width | Dim::Interleave),
            least_size: match self {
                // Streaming stores pay off where the output exceeds the caches. In shorter messages they are at best
                // equally fast, and many times slower if the output is soon read or overwritten; a kernel chosen at
                // one length is delivered for every length.
                Dim::Streaming => BEYOND_CACHES,
                _ => 0,
            },
        }
    }

    /// Its values in an exhaustive search, which then takes minutes: the widest registers, only prefixes of the round
    /// keys in registers, and defaults for the least influential switches.
    const fn exhaustive(self) -> Exhaustive {
        match self {
            Dim::Width => Exhaustive::Widest,
            Dim::Unroll
            | Dim::Interleave
            | Dim::Cached
            | Dim::Counter
            | Dim::Xor
            | Dim::Schedule
            | Dim::Streams
            | Dim::Product
            | Dim::Absorb
            | Dim::Tail
            | Dim::Fold => Exhaustive::All,
            Dim::Keys => Exhaustive::Some(&[0, 0x1f, 0x3ff, 0x7fff]),
            Dim::Distance => Exhaustive::Some(&[0, 1, 2, 4, 17]),
            Dim::Interval => Exhaustive::Some(&[0, 2, 4, 8]),
            _ => Exhaustive::Default,
        }
    }
}
