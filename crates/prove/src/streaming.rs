//! Streaming stores are weakly ordered: without a fence behind them, what the caller stores next may be
//! seen before them. Each needs one on every way to the return.

use aesmith_isa::lanes::Access;
use aesmith_x86::table::{Operation, form};
use iced_x86::{FlowControl, Instruction, OpKind};

/// A streaming store, by its offset, from which a return is reached without a fence between. Ways go along
/// the instructions that were reached, whether or not one path takes all of a way: that refuses too much at
/// most. `at` is each instruction's place in `code` by its offset.
pub fn unfenced(code: &[Instruction], at: &[u32], reached: &[bool]) -> Option<u64> {
    let streams = |i: &Instruction| {
        form(i.code()).is_some_and(|f| f.operation == Operation::Move(Access::Streaming))
            && i.op0_kind() == OpKind::Memory
    };
    // One walk from all of them: where it comes to a return, the walk from each finds which.
    let stores: Vec<usize> = (0..code.len()).filter(|&k| reached[k] && streams(&code[k])).collect();
    match returns(code, at, reached, &stores) {
        true => stores.iter().find(|&&k| returns(code, at, reached, &[k])).map(|&k| code[k].ip()),
        false => None,
    }
}

/// Whether a return is reached from behind some of these without a fence between.
fn returns(code: &[Instruction], at: &[u32], reached: &[bool], from: &[usize]) -> bool {
    let mut seen = vec![false; code.len()];
    let mut work = from.to_vec();
    while let Some(place) = work.pop() {
        let instruction = &code[place];
        let flow = instruction.flow_control();
        let next = match flow {
            FlowControl::Return => return true,
            FlowControl::UnconditionalBranch => [None, Some(instruction.near_branch_target())],
            FlowControl::ConditionalBranch => {
                [Some(instruction.next_ip()), Some(instruction.near_branch_target())]
            }
            _ => [Some(instruction.next_ip()), None],
        };
        for ip in next.into_iter().flatten() {
            let Some(&index) = at.get(ip as usize) else { continue };
            let Some(was_seen) = seen.get_mut(index as usize) else { continue };
            let fence = form(code[index as usize].code()).is_some_and(|f| f.operation == Operation::Fence);
            if reached[index as usize] && !*was_seen && !fence {
                *was_seen = true;
                work.push(index as usize);
            }
        }
    }
    false
}
