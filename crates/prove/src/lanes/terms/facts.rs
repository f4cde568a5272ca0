//! Facts about a lane besides its value: secrecy, equality at every position of the message, and nesting depth of
//! rounds.

use super::{DEEPEST, Terms};
use crate::lanes::atoms::{Atom, Index, Lane};
use crate::lanes::forms::{ByteAtom, Facts, Form};

impl Terms {
    pub(super) fn facts_of(&self, atom: Atom) -> Facts {
        let plain = |secret, fixed| Facts { secret, fixed, ..Facts::NONE };
        let of_lanes =
            |lanes: &[Lane]| lanes.iter().map(|&lane| self.lane_facts(lane)).fold(Facts::NONE, Facts::and);
        match atom {
            Atom::Key { .. } | Atom::CipherKey { .. } => plain(true, true),
            Atom::Stale { secret } => plain(secret, true),
            Atom::Input { block, .. } => Facts { first: block, ..plain(true, false) },
            // The chain is the IV at first, and then a result that the kernel computed from key and message.
            Atom::Chain { .. } => Facts { bound: true, ..plain(true, false) },
            Atom::HashBlock | Atom::HashKey { .. } => plain(true, true),
            Atom::Hash | Atom::Cipher { .. } => Facts { bound: true, ..plain(true, false) },
            Atom::Power { of, .. } | Atom::Product { of, .. } | Atom::Partial { of } => {
                Facts { secret: true, fixed: false, bound: true, ..of_lanes(&[of]).within() }
            }
            Atom::Rest { .. } => Facts { rest: true, bound: true, ..plain(true, false) },
            Atom::Counter { index: Index::At(first), .. } => Facts { first, ..plain(false, false) },
            Atom::Counter { .. } => plain(false, false),
            Atom::Round { of, .. } | Atom::InvMix { of } => of_lanes(&[of]).within(),
            Atom::Bytes { index } => {
                let bytes = self.bytes[index as usize];
                bytes.iter().map(|&form| self.forms.facts(form)).fold(Facts::NONE, Facts::and)
            }
            Atom::Argument => Facts { argument: true, ..plain(true, false) },
            Atom::Cone { function, of } => {
                let (function, of) = (self.lane_facts(function), self.lane_facts(of));
                Facts { depth: function.depth.saturating_add(of.depth).saturating_add(1), ..of }
            }
            Atom::Table { index } => of_lanes(self.bitwise.lanes(index)),
            Atom::Sliced { instance, .. } => {
                of_lanes(&self.bitwise.instances[instance as usize].lanes).within()
            }
        }
    }

    pub(super) fn lane_facts(&self, lane: Lane) -> Facts {
        match lane {
            Lane::UNKNOWN => Facts { secret: true, fixed: false, bound: true, ..Facts::NONE },
            Lane::PUBLIC => Facts { secret: false, fixed: false, bound: true, ..Facts::NONE },
            _ => self.members(lane).fold(Facts::NONE, |facts, (n, _)| facts.and(self.facts[n as usize])),
        }
    }

    /// A byte that was never written, or that is unknown.
    pub(crate) fn stale(&mut self, secret: bool) -> Form {
        let lane = self.atom(Atom::Stale { secret });
        let (atom, _) = self.member(lane, 0);
        self.forms.atom(ByteAtom::Lane { atom, index: 0 })
    }

    /// True if a byte is such a byte.
    pub(crate) fn is_stale(&mut self, form: Form) -> bool {
        form == self.stale(false) || form == self.stale(true)
    }

    /// True if a lane contains such a byte.
    pub(crate) fn holds_stale(&self, lane: Lane) -> bool {
        self.atoms(lane).any(|atom| match atom {
            Atom::Bytes { index } => self.bytes[index as usize].iter().any(|&form| {
                self.forms.terms(form).any(|(atom, _)| match atom {
                    ByteAtom::Lane { atom, .. } => {
                        matches!(self.atoms[atom as usize], Atom::Stale { .. })
                    }
                    _ => false,
                })
            }),
            atom => matches!(atom, Atom::Stale { .. }),
        })
    }

    /// True if a lane may contain a key or message byte.
    pub fn is_secret(&self, lane: Lane) -> bool {
        lane == Lane::UNKNOWN || self.members(lane).any(|(n, _)| self.facts[n as usize].secret)
    }

    /// True if a lane is the same at every position of the message.
    pub fn is_fixed(&self, lane: Lane) -> bool {
        !lane.is_unknown() && self.members(lane).all(|(n, _)| self.facts[n as usize].fixed)
    }

    /// True if a form contains a key or message byte.
    pub(crate) fn form_is_secret(&self, form: Form) -> bool {
        self.forms.facts(form).secret
    }

    /// True if a form is the same at every position of the message.
    pub(crate) fn form_is_fixed(&self, form: Form) -> bool {
        self.forms.facts(form).fixed
    }

    /// True if a lane contains the rest of a counter table.
    pub(crate) fn holds_rest(&self, lane: Lane) -> bool {
        self.lane_facts(lane).rest
    }

    /// True if bytes are in a lane, or in the argument of its rounds.
    pub(crate) fn holds_bytes(&self, lane: Lane) -> bool {
        self.is_by_bits(lane) || self.members(lane).any(|(n, _)| self.has_bytes[n as usize])
    }

    /// The unknown lane that results from an operation on these.
    pub fn unknown(&self, of: &[Lane]) -> Lane {
        if of.iter().any(|&l| self.is_secret(l)) { Lane::UNKNOWN } else { Lane::PUBLIC }
    }

    pub(super) fn depth(&self, lane: Lane) -> u32 {
        self.members(lane).map(|(n, _)| self.facts[n as usize].depth).max().unwrap_or(0)
    }

    /// True if rounds, S-boxes and functions nest too deep in a byte to be followed.
    pub(crate) fn form_is_too_deep(&self, form: Form) -> bool {
        self.forms.facts(form).depth >= DEEPEST
    }

    /// True if rounds nest too deep in a lane to be followed.
    pub(crate) fn is_too_deep(&self, lane: Lane) -> bool {
        self.depth(lane) >= DEEPEST
    }
}
