//! Paths that meet. Where several forward jumps lead to code without a way back, paths from a state that is contained
//! in one already proved there need no proof of their own.
//!
//! A cover is a state at an address from which every path has been followed to its return without relying on a loop
//! that was still open: every execution that reaches the address in such a state is correct.

use aesmith_isa::instructions::Registers;

use crate::lanes::explore::State;
use crate::lanes::induction::{Head, Induction};
use crate::lanes::scalar::Word;
use crate::lanes::state::LowByte;
use crate::lanes::symbolic::{Flags, Symbolic};
use crate::lanes::terms::{Index, Lane};

/// A state at an address, proved or in progress.
pub struct Cover {
    /// The state, in the form of a loop's head.
    pub state: Head,
    /// Number of loops that were open when it was entered.
    pub open: usize,
    /// True if all of its paths are done.
    pub done: bool,
}

/// Forgets dead registers, and facts that only matter to dead registers, so that states with the same relevant parts
/// are equal. Only weakens. `written` are all registers that a kernel with a hash writes.
pub fn forget(symbolic: &mut Symbolic, machine: &mut State, live: Registers, written: Registers) {
    for number in 0..machine.gpr.len() {
        if live.general >> number & 1 == 0 {
            let secret = symbolic.word_is_secret(machine.gpr[number]);
            machine.gpr[number] = if secret { Word::Unknown } else { Word::Public };
        }
    }
    forget_vectors(symbolic, machine, live);
    if symbolic.mode.hashed().is_some() {
        // Code that was skipped leaves secrets in registers that hold none yet, in the lanes that the kernel works on: in
        // those, a live register holds something.
        let holds = |lane: Lane| lane != Lane::ZERO && !lane.is_unknown();
        let left = written.without(live);
        for lane in 0..4 {
            let registers = || 0..machine.vector.len();
            let is_used = registers().any(|n| live.vector >> n & 1 == 1 && holds(machine.vector[n][lane]));
            for number in registers().filter(|n| is_used && left.vector >> n & 1 == 1) {
                machine.vector[number][lane] = Lane::UNKNOWN;
            }
        }
    }
    for number in 0..machine.mask.len() {
        if live.mask >> number & 1 == 0 {
            machine.mask[number] = machine.mask[number].forgotten();
        }
    }
    if !live.flags {
        machine.flags = symbolic.unknown_flags(&[machine.flags]);
    }
    // Renames the counter's high half after the next counter, as long as they are equal.
    let now = Index::At(symbolic.path.written[0].blocks as i32);
    for number in 0..machine.gpr.len() {
        if let Some((index, false)) = symbolic.counter_half(machine.gpr[number])
            && index != now
            && symbolic.same_high_half(index, now)
        {
            machine.gpr[number] = symbolic.counter_word(now, false);
        }
    }
    if symbolic.mode.hashed().is_some() && live.vector != 0 {
        // Such kernels have read both, unless they have not begun, and write both before they return. A path that has
        // processed more blocks has the same ones there still.
        let (iv, hash) = (symbolic.path.iv[0], symbolic.path.hash);
        symbolic.path.iv[0] = symbolic.terms.unknown(&[iv]);
        symbolic.path.hash = symbolic.terms.unknown(&[hash]);
    }
    // What is left of a message behind the loops that count the last byte, or may read a table.
    let is_rest = symbolic.mode.hashed().is_some()
        && !machine.gpr.iter().any(|&word| symbolic.last_byte_in(word).is_some());
    let path = &mut symbolic.path;
    path.at_start = false;
    if live.vector == 0 || is_rest {
        // No counters are left that are distinguished by their last bytes only.
        path.low_byte = LowByte::default();
        path.table = None;
        path.known_tables.clear();
        path.upper_fixed = None;
    }
    if let Some(carry) = &mut path.carry {
        let now = path.written[0].blocks as i32;
        if !carry.overflows && carry.from < now {
            carry.from = now;
        }
    }
}

/// Forgets dead vector registers, except for their secrecy. Only weakens.
pub(crate) fn forget_vectors(symbolic: &Symbolic, machine: &mut State, live: Registers) {
    for number in 0..machine.vector.len() {
        if live.vector >> number & 1 == 0 {
            machine.vector[number] =
                machine.vector[number].map(|lane| match symbolic.terms.is_secret(lane) {
                    true => Lane::UNKNOWN,
                    false => Lane::PUBLIC,
                });
        }
    }
}

/// True if the current state is contained in a cover's state.
pub fn contains(induction: &mut Induction, symbolic: &mut Symbolic, cover: &Cover, machine: &State) -> bool {
    let mut state = Head::new(
        cover.state.ip,
        cover.state.machine.clone(),
        cover.state.path.clone(),
        0,
        symbolic.start_uses,
    );
    let known = &state.path;
    let here = &symbolic.path;
    let aligned = known.aligned.iter().all(|a| here.aligned.contains(a));
    let same = aligned
        && known.alignment == here.alignment
        && match state.machine.flags {
            Flags::Unknown { secret } => secret || !symbolic.flags_are_secret(machine.flags),
            _ => false,
        };
    // The ciphertext before the first blocks has no name.
    let back = here.written[0].blocks < known.written[0].blocks;
    if !same || back && symbolic.mode.is_serial() {
        return false;
    }
    induction.has_progress(&state, &symbolic.path);
    if induction.recedes() {
        return false;
    }
    induction.weaken(symbolic, &mut state, machine).is_ok_and(|changed| !changed)
}

/// True if the stack holds a secret in a slot that was not secret when the cover's paths began: they need not have
/// cleared it.
pub(crate) fn frame_keeps_secret(symbolic: &Symbolic, cover: &Cover) -> bool {
    let (here, known) = (&symbolic.path, &cover.state.path);
    let secret = |slot| symbolic.slot_is_secret(slot);
    [(&here.frame, &known.frame), (&here.aligned_frame, &known.aligned_frame)]
        .into_iter()
        .any(|(slots, cleared)| (0..slots.count()).any(|i| secret(slots.get(i)) && !secret(cleared.get(i))))
}
