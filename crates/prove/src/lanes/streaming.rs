//! Streaming stores are weakly ordered: without a fence behind them, later stores of the caller may become visible
//! before them. Each needs a fence on every path to the return.

use aesmith_isa::instructions::{Leads, Role};

use crate::lanes::code::{Code, ways};

/// The offset of a streaming store from which a return is reached without a fence in between. All edges between reached
/// instructions count, even if no single path takes them all: this can only refuse too much.
pub(crate) fn unfenced(code: &Code, reached: &[bool]) -> Option<u64> {
    let streams = |place: usize| code.list[place].role == Role::StreamingStore;
    // One walk from all stores first; only if it reaches a return, a walk from each finds the store.
    let stores: Vec<usize> = (0..code.list.len()).filter(|&k| reached[k] && streams(k)).collect();
    match !stores.is_empty() && returns(code, reached, &stores) {
        true => stores.iter().find(|&&k| returns(code, reached, &[k])).map(|&k| code.list[k].offset),
        false => None,
    }
}

/// True if a return is reached from one of these instructions without a fence in between.
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
