//! The status flags as literals.

use crate::bits;
use crate::graph::{FALSE, Graph, Literal};
use aesmith_isa::lanes::Condition;

/// The flags CF, ZF, SF, OF and PF.
pub type Flags = [Literal; 5];

/// A literal that is true if a condition holds.
pub fn holds(
    graph: &mut Graph,
    condition: Condition,
    [carry, zero, sign, overflow, parity]: Flags,
) -> Literal {
    let number = condition as u32;
    let less = graph.xor(sign, overflow);
    let holds = match number >> 1 {
        0 => overflow,
        1 => carry,
        2 => zero,
        3 => graph.or(carry, zero),
        4 => sign,
        5 => parity,
        6 => less,
        _ => graph.or(zero, less),
    };
    // Each condition with an odd number is the complement of the one before.
    holds ^ (number & 1)
}

/// The flags of a result with this carry and overflow.
pub fn of_result(graph: &mut Graph, value: &[Literal], carry: Literal, overflow: Literal) -> Flags {
    let zero = bits::is_zero(graph, value);
    let odd = value[..8].iter().fold(FALSE, |odd, bit| graph.xor(odd, *bit));
    [carry, zero, value[value.len() - 1], overflow, odd ^ 1]
}
