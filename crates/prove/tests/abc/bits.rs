//! Arithmetic on vectors of literals, the lowest bit first.

use crate::graph::{FALSE, Graph, Literal, TRUE};
use aesmith_isa::lanes::Shift;
use std::array::from_fn;

/// The bits of a byte, the lowest first.
pub type Byte = [Literal; 8];

/// A sum's bits, the carry out of the highest, and the carry into it.
pub struct Sum {
    pub bits: Vec<Literal>,
    pub carry: Literal,
    pub into_top: Literal,
}

/// The bits of an integer.
pub fn constant(value: u64, width: usize) -> Vec<Literal> {
    (0..width).map(|i| if value >> i & 1 == 1 { TRUE } else { FALSE }).collect()
}

/// The integer of these bits, if all are constants.
pub fn known(bits: &[Literal]) -> Option<u64> {
    bits.iter().rev().try_fold(0, |value, bit| (*bit <= TRUE).then(|| value << 1 | u64::from(*bit)))
}

/// The sum `a + b + carry`.
pub fn add(graph: &mut Graph, a: &[Literal], b: &[Literal], mut carry: Literal) -> Sum {
    let (mut bits, mut into_top) = (Vec::with_capacity(a.len()), carry);
    for (a, b) in a.iter().zip(b) {
        into_top = carry;
        let half = graph.xor(*a, *b);
        bits.push(graph.xor(half, carry));
        let (both, passed) = (graph.and(*a, *b), graph.and(half, carry));
        carry = graph.or(both, passed);
    }
    Sum { bits, carry, into_top }
}

/// The difference `a - b - borrow`; its carries are the complements of borrows.
pub fn subtract(graph: &mut Graph, a: &[Literal], b: &[Literal], borrow: Literal) -> Sum {
    let inverted: Vec<Literal> = b.iter().map(|bit| bit ^ 1).collect();
    add(graph, a, &inverted, borrow ^ 1)
}

/// A literal that is true if no bit is set.
pub fn is_zero(graph: &mut Graph, bits: &[Literal]) -> Literal {
    bits.iter().fold(TRUE, |none, bit| graph.and(none, bit ^ 1))
}

/// The entry of `table` that the bits of `index` select, by multiplexers.
pub fn look_up(graph: &mut Graph, table: &[Byte], index: &[Literal]) -> Byte {
    let Some((top, rest)) = index.split_last() else { return table[0] };
    let (low, high) = table.split_at(table.len() / 2);
    match *top {
        FALSE => look_up(graph, low, rest),
        TRUE => look_up(graph, high, rest),
        top => {
            let (no, yes) = (look_up(graph, low, rest), look_up(graph, high, rest));
            from_fn(|i| graph.choose(top, yes[i], no[i]))
        }
    }
}

/// Bit `i` of the result is bit `source(i)`, or 0.
pub fn moved<const N: usize>(a: [Literal; N], source: impl Fn(usize) -> Option<usize>) -> [Literal; N] {
    from_fn(|i| source(i).map_or(FALSE, |k| a[k]))
}

/// Each element of `width` bits shifted or rotated.
pub fn shifted<const N: usize>(op: Shift, width: usize, a: [Literal; N], count: usize) -> [Literal; N] {
    moved(a, |i| {
        let (start, bit) = (i / width * width, i % width);
        match op {
            Shift::Left => bit.checked_sub(count).map(|k| start + k),
            Shift::Right => (bit + count < width).then_some(i + count),
            Shift::RotateRight => Some(start + (bit + count) % width),
        }
    })
}

/// A scalar with these low bits, and zeros above.
pub fn widened(bits: &[Literal]) -> [Literal; 64] {
    from_fn(|i| bits.get(i).copied().unwrap_or(FALSE))
}
