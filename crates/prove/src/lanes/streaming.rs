//! Streaming stores are weakly ordered: without a fence behind them, what the caller stores next may be
//! seen before them. Each needs one on every way to the return.

use aesmith_isa::instructions::{Leads, Role};

use crate::lanes::code::{Code, ways};

/// A streaming store, by its offset, from which a return is reached without a fence between. Ways go along
/// the instructions that were reached, whether or not one path takes all of a way: that refuses too much at
/// most.
pub fn unfenced(code: &Code, reached: &[bool]) -> Option<u64> {
    let streams = |place: usize| code.list[place].role == Role::StreamingStore;
    // One walk from all of them: where it comes to a return, the walk from each finds which.
    let stores: Vec<usize> = (0..code.list.len()).filter(|&k| reached[k] && streams(k)).collect();
    match !stores.is_empty() && returns(code, reached, &stores) {
        true => stores.iter().find(|&&k| returns(code, reached, &[k])).map(|&k| code.list[k].offset),
        false => None,
    }
}

/// Whether a return is reached from behind some of these without a fence between.
fn returns(code: &Code, reached: &[bool], from: &[usize]) -> bool {
    let mut seen = vec![false; code.list.len()];
    let mut work = from.to_vec();
    while let Some(place) = work.pop() {
        let instruction = &code.list[place];
        if instruction.leads == Leads::Return {
            return true;
        }
        for offset in ways(instruction).into_iter().flatten() {
            let Some(place) = code.place(offset) else { continue };
            let fence = code.list[place].role == Role::Fence;
            if reached[place] && !seen[place] && !fence {
                seen[place] = true;
                work.push(place);
            }
        }
    }
    false
}
