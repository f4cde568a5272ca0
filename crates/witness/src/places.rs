//! Places of the code that several others lead to.

use aesmith_check::contract::STACK;
use aesmith_check::decode::{Base, Instruction, Op, Operand, decode};
use std::collections::{BTreeMap, BTreeSet};

/// The instructions behind an instruction at an offset.
fn successors(at: usize, instruction: &Instruction) -> Vec<usize> {
    let next = at + instruction.length;
    let target = next.wrapping_add_signed(instruction.number as isize);
    match instruction.op {
        Op::Return => vec![],
        Op::Jump => vec![target],
        Op::JumpIf => vec![next, target],
        _ => vec![next],
    }
}

/// The numbers that the code compares with, at any offset, and 0.
pub(crate) fn compared(code: &[u8]) -> BTreeSet<i128> {
    let number = |at: usize| match decode(&code[at..]) {
        Some(Instruction { op: Op::Cmp, operands: [_, Operand::Number(number), _], .. }) => {
            Some(number.into())
        }
        _ => None,
    };
    (0..code.len()).filter_map(number).chain([0]).collect()
}

/// The offsets of conditional jumps, at any offset.
pub(crate) fn conditions(code: &[u8]) -> BTreeSet<usize> {
    let is_jump = |&at: &usize| decode(&code[at..]).is_some_and(|i| i.op == Op::JumpIf);
    (0..code.len()).filter(is_jump).collect()
}

/// The place that the code aligns its stack pointer from, by the words pushed before, and the alignment.
pub(crate) fn frame(code: &[u8]) -> Option<(i128, i128)> {
    let (mut seen, mut waiting) = (BTreeSet::new(), vec![(0, 0)]);
    while let Some((at, pushed)) = waiting.pop() {
        let Some(instruction) = code.get(at..).and_then(decode).filter(|_| seen.insert(at)) else { continue };
        let pushed = match (instruction.op, instruction.operands) {
            (Op::And, [Operand::General(STACK), Operand::Number(mask), _]) => {
                return Some((-8 * pushed, -i128::from(mask)));
            }
            (Op::Push, _) => pushed + 1,
            (Op::Pop, _) => pushed - 1,
            _ => pushed,
        };
        waiting.extend(successors(at, &instruction).into_iter().map(|next| (next, pushed)));
    }
    None
}

/// Offsets that more than one reachable instruction leads to. Each loop contains one, but for loops over the bytes of a
/// partial block, which are followed byte by byte. Places from which it is not far to a return are none.
/// With several streams, so are those behind conditional moves: lengths are compared one after the other. Loops over bytes
/// are short if `is_short`.
pub(crate) fn meeting(code: &[u8], has_streams: bool, is_short: bool) -> BTreeSet<usize> {
    let mut before: BTreeMap<usize, usize> = BTreeMap::new();
    let (mut seen, mut waiting) = (BTreeSet::new(), vec![0]);
    let (mut stores, mut back, mut moved) = (Vec::new(), Vec::new(), BTreeSet::new());
    while let Some(at) = waiting.pop() {
        if !seen.insert(at) {
            continue;
        }
        let Some(instruction) = code.get(at..).and_then(decode) else { continue };
        let target = (at + instruction.length).wrapping_add_signed(instruction.number as isize);
        if instruction.op == Op::Mov && instruction.bits == 8 {
            stores.push(at);
        }
        if matches!(instruction.op, Op::Jump | Op::JumpIf) && target < at {
            back.push((target, at));
        }
        if instruction.op == Op::MoveIf && has_streams {
            moved.insert(at + instruction.length);
        }
        for successor in successors(at, &instruction) {
            *before.entry(successor).or_default() += 1;
            waiting.push(successor);
        }
    }
    // The innermost loop around a store of a byte.
    let around = |store: usize| {
        let is_around =
            |from: usize, to: usize| (from..to).contains(&store) && !(is_short && to - from > FEW);
        let loops = back.iter().filter(move |(from, to)| is_around(*from, *to));
        loops.min_by_key(|(from, to)| to - from)
    };
    let bytes: BTreeSet<usize> = stores.into_iter().filter_map(around).map(|&(from, _)| from).collect();
    // A loop without access to memory does not process text: it is executed a known number of times.
    let idle: BTreeSet<usize> =
        back.iter().filter(|(from, to)| !has_memory(code, *from, *to)).map(|&(from, _)| from).collect();
    let is_place = |&at: &usize| !bytes.contains(&at) && !idle.contains(&at) && !is_end(code, at);
    let met = before.into_iter().filter(|&(_, count)| count > 1).map(|(at, _)| at).filter(is_place);
    met.chain(moved).collect()
}

/// True if an instruction between two places accesses memory.
fn has_memory(code: &[u8], from: usize, to: usize) -> bool {
    let mut at = from;
    while let Some(instruction) = code.get(at..).and_then(decode).filter(|_| at < to) {
        if instruction.operands.iter().any(|operand| matches!(operand, Operand::Memory(_))) {
            return true;
        }
        at += instruction.length;
    }
    at < to
}

/// The most bytes of code of a loop over the bytes of a partial block.
const FEW: usize = 64;

/// The places behind loops that are executed a known number of times: those that begin at places that are left out.
pub(crate) fn behind(code: &[u8], all: &BTreeSet<usize>, kept: &BTreeSet<usize>) -> BTreeSet<usize> {
    let next = |at: usize| {
        let instruction = decode(&code[at..]).filter(|instruction| instruction.op == Op::JumpIf)?;
        let [next, target] = successors(at, &instruction)[..] else { return None };
        (target < at && all.contains(&target) && !kept.contains(&target)).then_some(next)
    };
    conditions(code).into_iter().filter_map(next).collect()
}

/// The instructions that are reached from the entry: those behind each, and those before each.
fn graphs(code: &[u8]) -> (Graph, Graph) {
    let (mut after, mut before) = (Graph::new(), Graph::new());
    let mut waiting = vec![0];
    while let Some(at) = waiting.pop() {
        let Some(instruction) = code.get(at..).and_then(decode) else { continue };
        if after.contains_key(&at) {
            continue;
        }
        let next = successors(at, &instruction);
        next.iter().for_each(|next| before.entry(*next).or_default().push(at));
        waiting.extend(&next);
        after.insert(at, next);
    }
    (after, before)
}

/// The beginnings of several kernels, if the code chooses one of them by comparing the length with numbers, and they have no
/// instruction in common.
pub(crate) fn choices(code: &[u8]) -> Option<BTreeSet<usize>> {
    let (mut at, mut all, mut is_compared) = (0, BTreeSet::new(), false);
    while let Some(instruction) = code.get(at..).and_then(decode) {
        match (instruction.op, instruction.operands) {
            (Op::Nothing, _) => {}
            (Op::Cmp, [Operand::General(_), Operand::Number(_), _]) => is_compared = true,
            (Op::JumpIf, _) if is_compared => all.extend(successors(at, &instruction).get(1)),
            _ => break,
        }
        at += instruction.length;
    }
    all.insert(at);
    let (after, _) = graphs(code);
    let mut seen = BTreeSet::new();
    let is_apart = |&begin: &usize| {
        let own = reached(&after, begin, &BTreeSet::new()).into_iter().chain([begin]);
        own.into_iter().collect::<BTreeSet<_>>().into_iter().all(|at| seen.insert(at))
    };
    (all.len() > 1 && all.iter().all(is_apart)).then_some(all)
}

/// Places where paths meet: those that are in no loop, and one in each loop around a condition that splits paths: other
/// loops are executed a known number of times.
pub(crate) fn outer(code: &[u8], places: &BTreeSet<usize>, split: &BTreeSet<usize>) -> BTreeSet<usize> {
    let (after, before) = graphs(code);
    // All that is in a loop with a place, without others.
    let around = |at: usize, without: &BTreeSet<usize>| -> BTreeSet<usize> {
        let behind = reached(&before, at, without);
        reached(&after, at, without).intersection(&behind).copied().collect()
    };
    let mut all = BTreeSet::new();
    for &jump in split {
        loop {
            let inside = around(jump, &all);
            let is_entered = |at: &&usize| {
                let mut before = before.get(*at).into_iter().flatten();
                places.contains(at) && before.any(|from| !inside.contains(from))
            };
            match inside.iter().find(is_entered) {
                Some(&first) => all.insert(first),
                None => break,
            };
        }
    }
    let is_apart = |at: &&usize| !around(**at, &BTreeSet::new()).contains(*at);
    all.extend(places.iter().filter(is_apart));
    all
}

/// The neighbours of each instruction on one side.
type Graph = BTreeMap<usize, Vec<usize>>;

/// All that is reached from a place, without going through some others.
fn reached(graph: &Graph, from: usize, without: &BTreeSet<usize>) -> BTreeSet<usize> {
    let (mut all, mut waiting) = (BTreeSet::new(), vec![from]);
    while let Some(at) = waiting.pop() {
        let next = graph.get(&at).into_iter().flatten();
        waiting.extend(next.filter(|next| !without.contains(next) && all.insert(**next)));
    }
    all
}

/// The most instructions to a return.
const NEAR: usize = 40;

/// True if only a return follows.
fn is_end(code: &[u8], at: usize) -> bool {
    ends(code, at, NEAR) || wipes(code, at)
}

/// True if a return follows after a number of instructions at most, without a jump.
fn ends(code: &[u8], mut at: usize, most: usize) -> bool {
    for _ in 0..most {
        let Some(instruction) = code.get(at..).and_then(decode) else { return false };
        match instruction.op {
            Op::Return => return true,
            Op::Jump | Op::JumpIf => return false,
            _ => at += instruction.length,
        }
    }
    false
}

/// The most instructions that wipe a table.
const WIPING: usize = 400;

/// True if a table is wiped, or not, before a return: one condition follows, and nothing but stores to the stack is skipped.
fn wipes(code: &[u8], mut at: usize) -> bool {
    for _ in 0..NEAR {
        let Some(instruction) = code.get(at..).and_then(decode) else { return false };
        let next = at + instruction.length;
        match instruction.op {
            Op::Return | Op::Jump => return false,
            Op::JumpIf => {
                let target = next.wrapping_add_signed(instruction.number as isize);
                let is_stack = |operand: &Operand| match operand {
                    Operand::Memory(memory) => memory.base == Base::Register(STACK),
                    _ => true,
                };
                let mut skipped = next;
                while skipped < target {
                    let Some(instruction) = code.get(skipped..).and_then(decode) else { return false };
                    if matches!(instruction.op, Op::Jump | Op::JumpIf | Op::Return)
                        || !instruction.operands.iter().all(is_stack)
                    {
                        return false;
                    }
                    skipped += instruction.length;
                }
                return target > next && ends(code, target, WIPING);
            }
            _ => at = next,
        }
    }
    false
}
