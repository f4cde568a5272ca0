//! Places of the code that several others lead to.

use aesmith_check::decode::{Op, decode};
use std::collections::{BTreeMap, BTreeSet};

/// Offsets that more than one reachable instruction leads to. Each loop contains one.
pub(crate) fn meeting(code: &[u8]) -> BTreeSet<usize> {
    let mut before: BTreeMap<usize, usize> = BTreeMap::new();
    let (mut seen, mut waiting) = (BTreeSet::new(), vec![0]);
    while let Some(at) = waiting.pop() {
        if !seen.insert(at) {
            continue;
        }
        let Some(instruction) = code.get(at..).and_then(decode) else { continue };
        let next = at + instruction.length;
        let target = next.wrapping_add_signed(instruction.number as isize);
        let successors = match instruction.op {
            Op::Return => vec![],
            Op::Jump => vec![target],
            Op::JumpIf => vec![next, target],
            _ => vec![next],
        };
        for successor in successors {
            *before.entry(successor).or_default() += 1;
            waiting.push(successor);
        }
    }
    before.into_iter().filter(|&(_, count)| count > 1).map(|(at, _)| at).collect()
}
