//! Places of the code that several others lead to.

use aesmith_check::decode::{Op, decode};
use std::collections::{BTreeMap, BTreeSet};

/// Offsets that more than one reachable instruction leads to. Each loop contains one, but for loops over the bytes of a
/// partial block, which are followed byte by byte.
pub(crate) fn meeting(code: &[u8]) -> BTreeSet<usize> {
    let mut before: BTreeMap<usize, usize> = BTreeMap::new();
    let (mut seen, mut waiting) = (BTreeSet::new(), vec![0]);
    let (mut stores, mut back) = (Vec::new(), Vec::new());
    while let Some(at) = waiting.pop() {
        if !seen.insert(at) {
            continue;
        }
        let Some(instruction) = code.get(at..).and_then(decode) else { continue };
        let next = at + instruction.length;
        let target = next.wrapping_add_signed(instruction.number as isize);
        if instruction.op == Op::Mov && instruction.bits == 8 {
            stores.push(at);
        }
        if matches!(instruction.op, Op::Jump | Op::JumpIf) && target < at {
            back.push((target, at));
        }
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
    // The innermost loop around a store of a byte.
    let around = |store: usize| {
        let loops = back.iter().filter(move |(from, to)| (*from..*to).contains(&store));
        loops.min_by_key(|(from, to)| to - from)
    };
    let bytes: BTreeSet<usize> = stores.into_iter().filter_map(around).map(|&(from, _)| from).collect();
    before.into_iter().filter(|(at, count)| *count > 1 && !bytes.contains(at)).map(|(at, _)| at).collect()
}
