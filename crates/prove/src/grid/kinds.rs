//! Kinds of threads: where control flow depends on a bit of the thread's number, the threads of a block with the bit
//! set and those with the bit clear are followed separately. Each kind has a loop of its own and takes blocks of text
//! of its own.

use std::collections::BTreeMap;

use crate::bits::Refutation;
use crate::bits::forms::{Bit, ONE, ZERO};
use crate::bits::value::Value as Data;
use crate::grid::cover::is_whole;
use crate::grid::domain::{Path, Phase, Value};
use crate::grid::index::{Form, Symbol};
use crate::grid::proof::{GridKind, Part};
use crate::grid::setup::Thread;

/// Threads whose numbers have these bits, by place: all threads if there are none.
#[derive(Clone, Default, Debug)]
pub struct Kind(BTreeMap<u8, bool>);

/// The share of the text that the threads of a kind take.
pub struct Share {
    /// Number of threads of this kind in a block of threads.
    pub threads: u32,
    /// The blocks of text of an iteration.
    pub taken: Vec<Form>,
    /// The end of the blocks of all iterations; `None` for the end of the text.
    pub end: Option<Form>,
    /// The largest number of iterations of a loop nested in an iteration.
    pub inner: u32,
    /// The number of bits that distinguish the threads of a stream, where there are several streams.
    pub lanes: Option<u8>,
}

impl Kind {
    /// The bits, among the lowest `bits`, that distinguish the threads of this kind.
    pub fn bits(&self, bits: u8) -> Vec<u8> {
        (0..bits).filter(|bit| !self.0.contains_key(bit)).collect()
    }

    fn with(&self, bit: u8, is_set: bool) -> Kind {
        let mut fixed = self.0.clone();
        fixed.insert(bit, is_set);
        Kind(fixed)
    }

    /// The number of any thread of this kind.
    fn number(&self, thread: &mut Thread) -> Value {
        let atoms = thread.domain.thread.clone();
        let bits = &mut thread.domain.symbols.bits;
        let bit = |(place, &atom): (u8, &u32)| match self.0.get(&place) {
            Some(true) => ONE,
            Some(false) => ZERO,
            None => bits.form(&[atom]),
        };
        let mut number: Vec<Bit> = (0..).zip(&atoms).map(bit).collect();
        number.resize(32, ZERO);
        Value::Data(Data::Bits(number.into()))
    }

    /// Begins with the threads of this kind, without facts from others; returns the number of any of them.
    pub fn begin(&self, thread: &mut Thread) -> Value {
        let domain = &mut thread.domain;
        (domain.phase, domain.path) = (Phase::Before, Path::default());
        (domain.turns, domain.end, domain.divides) = (None, None, None);
        // An error common to all kinds may have ended the last attempt within a sketch, or within an access that
        // depends on a block.
        (domain.sketches, domain.assumed) = (false, None);
        thread.inner = 1;
        self.number(thread)
    }
}

/// Follows the threads of a block, kind by kind; returns the share of each kind.
///
/// # Errors
/// A kind is refused, or kinds share a warp.
pub fn shares(
    thread: &mut Thread,
    follow: &mut dyn FnMut(&mut Thread, &Kind) -> Result<Share, Refutation>,
) -> Result<Vec<Share>, Refutation> {
    let lanes = thread.launch.warp.trailing_zeros() as u8;
    let (mut open, mut found) = (vec![Kind::default()], Vec::new());
    while let Some(kind) = open.pop() {
        match follow(thread, &kind) {
            Ok(share) => found.push(share),
            // Threads of a warp take the same branch.
            Err(refutation) => match thread.domain.divides {
                Some(bit) if bit >= lanes && !thread.program.has_streams() => {
                    open.extend([true, false].map(|is_set| kind.with(bit, is_set)));
                }
                _ => return Err(refutation),
            },
        }
    }
    Ok(found)
}

impl Share {
    /// The start of the blocks of text of all iterations.
    pub fn begin(&self) -> Form {
        self.taken.first().map_or(Form::default(), Form::part)
    }
}

/// Checks that the shares of kinds are the whole text, each block once.
///
/// # Errors
/// They are not the whole text once; the message says why.
pub(crate) fn is_all_text(shares: &[Share]) -> Result<(), String> {
    let counted_from = |share: &Share| share.taken.first().map(|number| number.factor(Symbol::Low));
    if shares.windows(2).any(|pair| counted_from(&pair[0]) != counted_from(&pair[1])) {
        return Err("threads of two kinds count blocks of text from different places".into());
    }
    is_whole(&shares.iter().map(|share| (share.begin(), share.end.clone())).collect::<Vec<_>>())
}

/// The kinds as a proof lists them; none where all threads are alike.
pub fn told(shares: &[Share]) -> Vec<GridKind> {
    if shares.len() == 1 {
        return Vec::new();
    }
    let part = |form: &Form| match form.terms().next() {
        Some((Symbol::Part(shift), times)) => Some(Part { shift, times }),
        _ => None,
    };
    let kind = |share: &Share| GridKind {
        threads: share.threads,
        a_turn: share.taken.len() as u32,
        inner: share.inner,
        from: part(&share.begin()),
        until: share.end.as_ref().and_then(part),
    };
    shares.iter().map(kind).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers are counted from the first block by all kinds, or from the multiple of 256 before it by all.
    #[test]
    fn kinds_count_from_one_place() {
        let part = Form::of(Symbol::Part(13), 768);
        let share = |from: &Form, end: Option<&Form>, low: u64| Share {
            threads: 128,
            taken: vec![from.plus(&Form::of(Symbol::Low, low), 1)],
            end: end.cloned(),
            inner: 1,
            lanes: None,
        };
        let first = Form::default();
        for (lows, is_right) in [([0, 0], true), ([u64::MAX; 2], true), ([u64::MAX, 0], false)] {
            let shares = [share(&first, Some(&part), lows[0]), share(&part, None, lows[1])];
            assert_eq!(is_all_text(&shares).is_ok(), is_right, "{lows:?}");
        }
    }
}
