//! Assigns the S-box calls of instructions to slots, which all instructions share. The calls of one instruction are
//! assigned so that a slot's operands and the use of its results differ little between instructions.

use std::collections::HashMap;

use crate::verilog::merge::Wanted;
use crate::verilog::node::{Id, Net, Node, Set};

/// A slot: one use of an S-box in a cycle.
#[derive(Clone, Default, Debug)]
pub struct Slot {
    /// The input for each instruction.
    pub inputs: Wanted,
    /// The instructions that use the inverse.
    pub inverse: Set,
    /// The coefficients of its result, by instruction.
    places: Vec<[u8; 4]>,
}

impl Slot {
    /// The instructions that use it.
    pub fn users(&self) -> Set {
        self.inputs.iter().fold(0, |sum, (set, _)| sum | set)
    }
}

/// The computation of instructions from slots.
pub struct Plan {
    /// The slots.
    pub slots: Vec<Slot>,
    /// The results, by instruction.
    pub results: Wanted,
}

/// The operands of a node.
fn operands(node: &Node) -> Vec<Id> {
    match node {
        Node::Not(a) | Node::Slice(a, _) | Node::Times(_, a) | Node::Sbox(_, a) => vec![*a],
        Node::Binary(_, a, b) | Node::Shift(_, a, b) | Node::Turn(a, b) => vec![*a, *b],
        Node::Select(a, b, c) => vec![*a, *b, *c],
        Node::Join(of) | Node::Sum(of) => of.clone(),
        Node::At(index, items) => [vec![*index], items.clone()].concat(),
        Node::Choice(of) => of.iter().map(|(_, id)| *id).collect(),
        Node::Linear(terms) => terms.iter().map(|t| t.atom).collect(),
        Node::Constant(_) | Node::Register(_) | Node::Selector(_) | Node::Slot(_) => Vec::new(),
    }
}

/// The S-boxes that a value depends on, each after its own dependences.
pub fn boxes(net: &Net, result: Id) -> Vec<Id> {
    fn visit(net: &Net, id: Id, seen: &mut Vec<bool>, found: &mut Vec<Id>) {
        if std::mem::replace(&mut seen[id], true) {
            return;
        }
        for operand in operands(net.node(id)) {
            visit(net, operand, seen, found);
        }
        if matches!(net.node(id), Node::Sbox(..)) {
            found.push(id);
        }
    }
    let mut found = Vec::new();
    visit(net, result, &mut vec![false; net.nodes.len()], &mut found);
    found
}

/// True if an S-box is applied to the output of another.
pub fn chained(net: &Net, result: Id) -> bool {
    boxes(net, result).iter().any(|&call| boxes(net, call).len() > 1)
}

/// Plans the slots for the instructions' results.
pub fn plan(net: &mut Net, results: &[Id]) -> Plan {
    let mut plan = Plan { slots: Vec::new(), results: Vec::new() };
    for (number, &result) in results.iter().enumerate() {
        let set = 1 << number;
        let calls = boxes(net, result);
        let mut places = HashMap::new();
        products(net, result, &mut places);
        let places: Vec<[u8; 4]> = calls.iter().map(|c| places.get(c).copied().unwrap_or_default()).collect();
        while plan.slots.len() < calls.len() {
            plan.slots.push(Slot::default());
        }
        let inputs: Vec<Id> = calls
            .iter()
            .map(|&c| match *net.node(c) {
                Node::Sbox(_, input) => net.in_order(input),
                _ => c,
            })
            .collect();
        // Calls that depend on each other stay in their order.
        let orders = if chained(net, result) || calls.len() > 5 {
            vec![(0..calls.len()).collect()]
        } else {
            orders(calls.len())
        };
        let cost = |order: &Vec<usize>| -> u32 {
            let one = |(k, &slot): (usize, &usize)| change(net, &plan.slots[slot], inputs[k], places[k]);
            order.iter().enumerate().map(one).sum()
        };
        let order = orders.into_iter().min_by_key(cost).unwrap_or_default();
        let mut put: HashMap<Id, Id> = HashMap::new();
        for (k, &call) in calls.iter().enumerate() {
            let Node::Sbox(inverse, input) = *net.node(call) else { continue };
            let input = rebuilt(net, input, &mut put);
            let slot = &mut plan.slots[order[k]];
            slot.inputs.push((set, input));
            slot.places.push(places[k]);
            slot.inverse |= if inverse { set } else { 0 };
            let out = net.make(Node::Slot(order[k]), 8);
            put.insert(call, out);
        }
        let result = rebuilt(net, result, &mut put);
        plan.results.push((set, result));
    }
    plan
}

/// All permutations of `count` items.
fn orders(count: usize) -> Vec<Vec<usize>> {
    let mut all = vec![Vec::new()];
    for k in 0..count {
        all = all
            .iter()
            .flat_map(|order| {
                (0..=order.len()).map(move |at| {
                    let mut order: Vec<usize> = order.clone();
                    order.insert(at, k);
                    order
                })
            })
            .collect();
    }
    all
}

/// An estimate in gates of the cost of assigning a call to a slot: multiplexing its input, and the bits of its
/// products.
fn change(net: &Net, slot: &Slot, input: Id, places: [u8; 4]) -> u32 {
    let chosen = |&(_, other): &(Set, Id)| match (net.node(input), net.node(other)) {
        _ if other == input => 0,
        (Node::At(_, a), Node::At(_, b)) if a == b => 4,
        (Node::At(_, a), _) if a.contains(&other) => 4,
        (_, Node::At(_, b)) if b.contains(&input) => 4,
        _ => 24,
    };
    let bits = |p: &[u8; 4]| (0..4).map(|l| (p[l] ^ places[l]).count_ones()).sum::<u32>();
    slot.inputs.iter().map(chosen).min().unwrap_or(0) + 3 * slot.places.iter().map(bits).min().unwrap_or(0)
}

/// The coefficients of the S-boxes in a word of sums of bytes.
fn products(net: &mut Net, id: Id, found: &mut HashMap<Id, [u8; 4]>) {
    match net.node(id).clone() {
        Node::Sum(of) => of.into_iter().for_each(|x| products(net, x, found)),
        Node::Turn(of, _) => products(net, of, found),
        _ if net.is_bytes(id) => {
            for lane in 0..4u8 {
                let byte = net.slice(id, 8 * lane, 8);
                for (k, atom) in net.terms(byte) {
                    found.entry(atom).or_default()[usize::from(lane)] ^= k;
                }
            }
        }
        _ => {}
    }
}

/// A value with some of its operands replaced.
fn rebuilt(net: &mut Net, id: Id, put: &mut HashMap<Id, Id>) -> Id {
    if let Some(&other) = put.get(&id) {
        return other;
    }
    let width = net.width(id);
    let node = net.node(id).clone();
    let new: Vec<Id> = operands(&node).into_iter().map(|x| rebuilt(net, x, put)).collect();
    let made = match node {
        Node::Not(_) => net.make(Node::Not(new[0]), width),
        Node::Slice(_, low) => net.slice(new[0], low, width),
        Node::Times(k, _) => net.times(k, new[0]),
        Node::Sbox(inverse, _) => net.make(Node::Sbox(inverse, new[0]), width),
        Node::Binary(op, ..) => net.make(Node::Binary(op, new[0], new[1]), width),
        Node::Shift(op, ..) => net.make(Node::Shift(op, new[0], new[1]), width),
        Node::Turn(..) => net.turn(new[0], new[1]),
        Node::Select(..) => net.select(new[0], new[1], new[2]),
        Node::Join(_) => net.join(&new),
        Node::Sum(_) => net.sum(&new, width),
        Node::At(..) => net.at(new[0], new[1..].to_vec()),
        Node::Choice(_) | Node::Linear(_) => id,
        Node::Constant(_) | Node::Register(_) | Node::Selector(_) | Node::Slot(_) => id,
    };
    put.insert(id, made);
    made
}
