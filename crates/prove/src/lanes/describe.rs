//! Descriptions of lanes for refutations.

use aesmith_isa::lanes::AesRound;

use crate::algebra::maps::IDENTITY;
use crate::lanes::terms::{Atom, Index, Lane, Terms};

/// The most summands of a lane that are named.
const MOST_DESCRIBED: usize = 12;
/// The most atoms that a description names in all.
const MOST_NAMES: usize = 60;

impl Terms {
    /// A short description of a lane, for a refutation.
    pub fn describe(&self, lane: Lane, depth: usize) -> String {
        self.describe_within(lane, depth, &mut { MOST_NAMES })
    }

    fn describe_within(&self, lane: Lane, depth: usize, left: &mut usize) -> String {
        if lane.is_unknown() {
            return "unknown".to_owned();
        }
        let summands = self.summands(lane);
        let mut parts: Vec<String> = self
            .members(lane)
            .take(MOST_DESCRIBED)
            .map(|(number, map)| {
                let text = self.describe_atom(self.atoms[number as usize], depth, left);
                if map == IDENTITY { text } else { format!("{text} with its bits moved") }
            })
            .collect();
        if summands > MOST_DESCRIBED {
            parts.push(format!("{} more", summands - MOST_DESCRIBED));
        }
        let constant = self.constant_part(lane);
        if constant != 0 || parts.is_empty() {
            parts.push(format!("{constant:#x}"));
        }
        parts.join(" ^ ")
    }

    fn describe_atom(&self, atom: Atom, depth: usize, left: &mut usize) -> String {
        // Rounds of a shared state are named again at each occurrence.
        let depth = if *left == 0 { 0 } else { depth };
        *left = left.saturating_sub(1);
        match atom {
            Atom::Key { stream: 0, round } => format!("key {round}"),
            Atom::Key { stream, round } => format!("key {round} of stream {stream}"),
            Atom::Input { stream: 0, block } => format!("in[{block}]"),
            Atom::Input { stream, block } => format!("in[{block}] of stream {stream}"),
            Atom::Counter { index, order } => {
                let index = match index {
                    Index::At(i) => format!("{i}"),
                    Index::End(i) => format!("end{i:+}"),
                };
                let orders = ["", " (halves exchanged)", " (halves reversed)", " (reversed)"];
                format!("counter[{index}]{}", orders[order.0 as usize])
            }
            Atom::Chain { stream } => format!("chain of stream {stream}"),
            Atom::Round { round, of } => {
                let name = match round {
                    AesRound::Encrypt => "round",
                    AesRound::EncryptLast => "last round",
                    AesRound::Decrypt => "inverse round",
                    AesRound::DecryptLast => "last inverse round",
                };
                if depth == 0 {
                    format!("{name}(..)")
                } else {
                    format!("{name}({})", self.describe_within(of, depth - 1, left))
                }
            }
            Atom::InvMix { .. } if depth == 0 => "InvMixColumns(..)".to_owned(),
            Atom::InvMix { of } => {
                format!("InvMixColumns({})", self.describe_within(of, depth - 1, left))
            }
            Atom::Hash => "the value of GHASH".to_owned(),
            Atom::Cipher { block } => format!("out[{block}]"),
            Atom::HashBlock => "the hash key".to_owned(),
            Atom::HashKey { power } => format!("entry {power} of the hash key"),
            Atom::Power { of, power } => {
                format!("({}) H^{power}", self.describe_within(of, depth.saturating_sub(1).min(1), left))
            }
            Atom::Product { power, .. } => format!("halves of a product with H^{power}"),
            Atom::Partial { of } => {
                format!("the first bytes of {}", self.describe_within(of, depth.saturating_sub(1), left))
            }
            Atom::Stale { .. } => "what was there before".to_owned(),
            Atom::CipherKey { part } => format!("key bytes {}..", 16 * part),
            Atom::Rest { rounds, index, .. } => {
                format!("rest of {rounds} cached rounds at counter[{index}]")
            }
            Atom::Bytes { .. } | Atom::Cone { .. } => "bytes".to_owned(),
            Atom::Argument => "any lane".to_owned(),
            Atom::Table { .. } => "bits in the midst of an S-box".to_owned(),
            Atom::Sliced { bit, .. } => format!("bit {bit} of sliced S-boxes"),
        }
    }
}
