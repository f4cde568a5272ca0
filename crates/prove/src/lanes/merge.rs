//! Joining paths. If streams are finished one after the other, each may or may not have had blocks left: without
//! joining there would be 2^n paths for n streams. States are first counted from the blocks written so far
//! (`rebase`), then joined to their common facts ([`merge`]).

use aesmith_cipher::problem::MOST_STREAMS;

use crate::lanes::explore::State;
use crate::lanes::rename::Renamed;
use crate::lanes::scalar::{Length, Linear, NO_COUNT, Word};
use crate::lanes::state::{Path, Slot, Slots};
use crate::lanes::symbolic::{Mask, Symbolic};
use crate::lanes::terms::{Atom, Lane, Terms};

/// Counts the state of a multi-stream call from the blocks written so far; only values without a form from there are
/// lost.
pub(crate) fn rebase(symbolic: &mut Symbolic, machine: &mut State) {
    // Facts about counters and their tables are not moved here.
    debug_assert!(!symbolic.mode.counts(), "a counter mode with several streams");
    let streams = symbolic.problem.streams();
    let mut by = [0i64; MOST_STREAMS];
    for (stream, written) in symbolic.path.written.iter().enumerate().take(streams) {
        if written.bytes != 0 || written.ahead != 0 || written.to_end {
            return;
        }
        by[stream] = written.blocks;
    }
    if by.iter().all(|&b| b == 0) {
        return;
    }
    let lengths = symbolic.path.facts.lengths.clone();
    symbolic.path.begun = symbolic.path.nonempty();
    let of_length = |number: usize| -> Option<i64> {
        let members = lengths[number].streams;
        let first = by[members.trailing_zeros() as usize];
        (0..MOST_STREAMS).filter(|s| members >> s & 1 == 1).all(|s| by[s] == first).then_some(first)
    };
    let mut memo = Renamed::default();
    for (stream, &by) in by.iter().enumerate().take(streams) {
        if by > 0 && symbolic.mode.is_serial() {
            let last = symbolic.output(stream as u8, by as i32 - 1);
            memo.lanes.insert(last, symbolic.chain(stream as u8));
        }
    }
    let mut move_lane = |symbolic: &mut Symbolic, lane: Lane| -> Lane {
        let lane = symbolic.terms.coarse(lane);
        symbolic.terms.rename(lane, &mut memo, &mut |terms: &mut Terms, atom| match atom {
            Atom::Input { stream, block } => {
                let block = block - by[stream as usize] as i32;
                Some(terms.atom(Atom::Input { stream, block }))
            }
            // The ciphertext before the last blocks has no name from there.
            Atom::Chain { stream } if by[stream as usize] != 0 => Some(Lane::UNKNOWN),
            _ => None,
        })
    };
    let move_linear = |linear: Linear| -> Option<Linear> {
        if linear.count != NO_COUNT {
            of_length(linear.count as usize)?;
        }
        linear.seen_from(&|number| of_length(number as usize).unwrap_or(0), 0)
    };
    let mut move_word = |symbolic: &mut Symbolic, word: Word| match word {
        Word::Linear(linear) => move_linear(linear).map_or(Word::Public, Word::Linear),
        Word::Quad { lane, high, swapped } => match move_lane(symbolic, lane) {
            unknown if unknown.is_unknown() => Word::Unknown,
            lane => Word::Quad { lane, high, swapped },
        },
        Word::Initial(_) | Word::ReturnAddress | Word::Public | Word::Unknown => word,
        Word::Bytes(_) if symbolic.word_is_fixed(word) => word,
        _ => symbolic.unknown_word(&[word]),
    };
    for word in machine.gpr.iter_mut() {
        *word = move_word(symbolic, *word);
    }
    let mut frames =
        [std::mem::take(&mut symbolic.path.frame), std::mem::take(&mut symbolic.path.aligned_frame)];
    for slots in &mut frames {
        for index in 0..slots.count() {
            let Slot::Holds(old) = slots.get(index) else { continue };
            let new = move_word(symbolic, old);
            if new != old {
                slots.set(index, Slot::Holds(new));
            }
        }
    }
    let [frame, aligned_frame] = frames;
    symbolic.path.frame = frame;
    symbolic.path.aligned_frame = aligned_frame;
    for lane in machine.vector.iter_mut().flatten() {
        *lane = move_lane(symbolic, *lane);
    }
    for mask in machine.mask.iter_mut() {
        *mask = mask.forgotten();
    }
    for (stream, &by) in by.iter().enumerate().take(streams) {
        let iv = symbolic.path.iv[stream];
        symbolic.path.iv[stream] = move_lane(symbolic, iv);
        symbolic.path.written[stream] = symbolic.path.written[stream].seen_from(by);
        symbolic.path.apart[stream] = symbolic.path.apart[stream].map(|apart| apart + by);
    }
    for (number, length) in symbolic.path.facts.lengths.iter_mut().enumerate() {
        *length = match of_length(number) {
            Some(by) => length.seen_from(by),
            None => Length::any(length.streams),
        };
    }
    symbolic.path.aligned.retain(|a| {
        !matches!(a.base, crate::lanes::scalar::Base::Input | crate::lanes::scalar::Base::Output)
    });
}

/// The common facts of two states; `None` if they differ in something that cannot be forgotten.
pub fn merge(symbolic: &Symbolic, mut a: (State, Path), b: &(State, Path)) -> Option<(State, Path)> {
    let (x, y) = (&mut a.1, &b.1);
    // Least lengths are numbered as they occur: the same number must belong to the same streams.
    let lengths = |path: &Path| path.facts.lengths.iter().map(|l| l.streams).collect::<Vec<_>>();
    if x.written != y.written || x.alignment != y.alignment || lengths(x) != lengths(y) {
        return None;
    }
    let word = |p: Word, q: Word| if p == q { p } else { symbolic.unknown_word(&[p, q]) };
    let lane = |p: Lane, q: Lane| if p == q { p } else { symbolic.terms.unknown(&[p, q]) };
    for (p, &q) in a.0.gpr.iter_mut().zip(b.0.gpr.iter()) {
        *p = word(*p, q);
    }
    for (p, &q) in a.0.vector.iter_mut().flatten().zip(b.0.vector.iter().flatten()) {
        *p = lane(*p, q);
    }
    for (p, &q) in a.0.mask.iter_mut().zip(b.0.mask.iter()) {
        if *p != q {
            *p = if q.is_secret() { Mask::Secret } else { p.forgotten() };
        }
    }
    a.0.flags = symbolic.unknown_flags(&[a.0.flags, b.0.flags]);
    let slots = |x: &mut Slots, y: &Slots| {
        for index in 0..x.count().max(y.count()) {
            let (p, q) = (x.get(index), y.get(index));
            if p != q {
                x.set(
                    index,
                    match (p, q) {
                        (Slot::Holds(p), Slot::Holds(q)) => Slot::Holds(word(p, q)),
                        _ => {
                            Slot::Perhaps { secret: symbolic.slot_is_secret(p) || symbolic.slot_is_secret(q) }
                        }
                    },
                );
            }
        }
    };
    slots(&mut x.frame, &y.frame);
    slots(&mut x.aligned_frame, &y.aligned_frame);
    slots(&mut x.key, &y.key);
    for (p, &q) in x.iv.iter_mut().zip(&y.iv) {
        *p = lane(*p, q);
    }
    x.hash = lane(x.hash, y.hash);
    x.begun = x.nonempty() & y.nonempty();
    for (p, q) in x.facts.lengths.iter_mut().zip(&y.facts.lengths) {
        *p = p.join(q);
    }
    if x.carry != y.carry {
        x.carry = None;
    }
    if x.table != y.table {
        x.table = None;
    }
    x.known_tables.retain(|table| y.known_tables.contains(table));
    x.low_byte = x.low_byte.join(&y.low_byte);
    x.upper_fixed = x.upper_fixed.zip(y.upper_fixed).map(|(from, other)| from.max(other));
    x.at_start &= y.at_start;
    for (p, q) in x.apart.iter_mut().zip(&y.apart) {
        if p != q {
            *p = None;
        }
    }
    x.aligned.retain(|alignment| y.aligned.contains(alignment));
    Some(a)
}
