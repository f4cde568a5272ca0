//! Merges values of several instructions: only one instruction is executed in any cycle, so common computations are
//! built once, with multiplexed operands. Bytes times different constants are one multiplication with a selected
//! constant; a word that is not rotated is rotated by zero.

use std::collections::HashMap;
use std::mem::discriminant;

use crate::verilog::node::{Id, Net, Node, Set, Term};

/// Values, each with the instructions that need it.
pub type Wanted = Vec<(Set, Id)>;

/// The values that are already merged.
#[derive(Default)]
pub(crate) struct Merger {
    known: HashMap<Wanted, Id>,
}

/// All instructions that need a value.
fn all(wanted: &Wanted) -> Set {
    wanted.iter().fold(0, |sum, (set, _)| sum | set)
}

impl Merger {
    /// A value that equals each of these for its instructions.
    pub fn merge(&mut self, net: &mut Net, wanted: Wanted) -> Id {
        let mut once: Wanted = Vec::new();
        for (set, id) in wanted {
            let id = net.in_order(id);
            match once.iter_mut().find(|(_, other)| *other == id) {
                Some((known, _)) => *known |= set,
                None => once.push((set, id)),
            }
        }
        if let Some(&id) = self.known.get(&once) {
            return id;
        }
        let made = self.made(net, &once);
        self.known.insert(once, made);
        made
    }

    fn made(&mut self, net: &mut Net, wanted: &Wanted) -> Id {
        let width = net.width(wanted[0].1);
        let sums = wanted.iter().filter(|(_, id)| matches!(net.node(*id), Node::Sum(_))).count();
        if sums > 0 {
            return self.sum(net, wanted, width);
        }
        let turned = |id: Id| matches!(net.node(id), Node::Turn(..));
        let bytes = |id: Id| net.is_bytes(id) || net.number(id).is_some();
        if wanted.iter().any(|&(_, id)| turned(id)) && wanted.iter().all(|&(_, id)| turned(id) || bytes(id)) {
            return self.turn(net, wanted);
        }
        if wanted.iter().any(|&(_, id)| net.is_bytes(id)) && wanted.iter().all(|&(_, id)| bytes(id)) {
            return self.linear(net, wanted);
        }
        let mut choices: Wanted = Vec::new();
        for class in classes(net, wanted) {
            choices.push((all(&class), self.same(net, &class)));
        }
        match choices.as_slice() {
            [(_, one)] => *one,
            _ => net.make(Node::Choice(choices), width),
        }
    }

    /// Merges sums: similar summands are merged; an instruction without one adds zero.
    fn sum(&mut self, net: &mut Net, wanted: &Wanted, width: u8) -> Id {
        let mut columns: Vec<Wanted> = Vec::new();
        for &(set, id) in wanted {
            let mut left = match net.node(id) {
                Node::Sum(of) => of.clone(),
                _ if net.number(id) == Some(0) => Vec::new(),
                _ => vec![id],
            };
            let mut free: Vec<usize> = (0..columns.len()).collect();
            for exact in [true, false] {
                left.retain(|&part| {
                    let fits = |&k: &usize| {
                        columns[k]
                            .iter()
                            .any(|&(_, other)| other == part || !exact && kind(net, other) == kind(net, part))
                    };
                    let Some(place) = free.iter().position(fits) else { return true };
                    columns[free.remove(place)].push((set, part));
                    false
                });
            }
            columns.extend(left.into_iter().map(|part| vec![(set, part)]));
        }
        let care = all(wanted);
        let zero = net.constant(width, 0);
        let parts: Vec<Id> = columns
            .into_iter()
            .map(|mut column| {
                let missing = care & !all(&column);
                if missing != 0 {
                    column.push((missing, zero));
                }
                self.merge(net, column)
            })
            .collect();
        net.sum(&parts, width)
    }

    /// Merges rotations, and words that are not rotated.
    fn turn(&mut self, net: &mut Net, wanted: &Wanted) -> Id {
        let none = net.constant(5, 0);
        let (mut words, mut counts) = (Vec::new(), Vec::new());
        for &(set, id) in wanted {
            let (word, count) = match *net.node(id) {
                Node::Turn(word, count) => (word, count),
                _ => (id, none),
            };
            words.push((set, word));
            // Zero is invariant under rotation.
            if net.number(word) != Some(0) {
                counts.push((set, count));
            }
        }
        let (word, count) = (self.merge(net, words), self.merge(net, counts));
        net.turn(word, count)
    }

    /// Merges words of bytes, which are sums of bytes times constants.
    fn linear(&mut self, net: &mut Net, wanted: &Wanted) -> Id {
        // A column has at most one added byte of each instruction.
        let mut columns: Vec<Vec<(Set, Id, [u8; 4])>> = Vec::new();
        for &(set, id) in wanted {
            let mut atoms: Vec<(Id, [u8; 4])> = Vec::new();
            for lane in 0..4 {
                let byte = net.slice(id, 8 * lane, 8);
                for (k, atom) in net.terms(byte) {
                    let atom = net.in_order(atom);
                    match atoms.iter_mut().find(|(a, _)| *a == atom) {
                        Some((_, places)) => places[usize::from(lane)] ^= k,
                        None => {
                            let mut places = [0; 4];
                            places[usize::from(lane)] = k;
                            atoms.push((atom, places));
                        }
                    }
                }
            }
            let mut free: Vec<usize> = (0..columns.len()).collect();
            atoms.retain(|&(atom, places)| {
                let same = |k: &usize| columns[*k].iter().any(|(_, other, _)| *other == atom);
                let Some(place) = free.iter().position(same) else { return true };
                columns[free.remove(place)].push((set, atom, places));
                false
            });
            for (atom, places) in atoms {
                // The best column is the one with the nearest constants, if they are near enough to multiplex its byte.
                let far = |k: usize| {
                    let differ = |(_, other, p): &(Set, Id, [u8; 4])| {
                        let one = net.number(*other).is_some() || net.number(atom).is_some();
                        let bits: u32 = (0..4).map(|l| (p[l] ^ places[l]).count_ones()).sum();
                        bits + if one { 100 } else { 0 }
                    };
                    columns[k].iter().map(differ).min().unwrap_or(100)
                };
                let near = free.iter().enumerate().map(|(at, &k)| (far(k), at)).min();
                match near.filter(|(bits, _)| *bits <= NEAR) {
                    Some((_, at)) => columns[free.remove(at)].push((set, atom, places)),
                    None => columns.push(vec![(set, atom, places)]),
                }
            }
        }
        let care = all(wanted);
        let terms = columns
            .into_iter()
            .map(|column| {
                let mut places: Vec<(Set, [u8; 4])> = column.iter().map(|&(set, _, p)| (set, p)).collect();
                let missing = care & !places.iter().fold(0, |sum, (set, _)| sum | set);
                if missing != 0 {
                    places.push((missing, [0; 4]));
                }
                let atom = self.merge(net, column.into_iter().map(|(set, atom, _)| (set, atom)).collect());
                Term { atom, places }
            })
            .collect();
        net.make(Node::Linear(terms), 32)
    }

    /// Merges values of one kind by merging their operands.
    fn same(&mut self, net: &mut Net, wanted: &Wanted) -> Id {
        let (first, width) = (wanted[0].1, net.width(wanted[0].1));
        let node = net.node(first).clone();
        let operands = |net: &mut Net, id: Id| -> Vec<Id> {
            match net.node(id).clone() {
                Node::Not(a) | Node::Slice(a, _) | Node::Times(_, a) | Node::Sbox(_, a) => vec![a],
                Node::Binary(_, a, b) | Node::Shift(_, a, b) | Node::Turn(a, b) => vec![a, b],
                Node::Select(a, b, c) => vec![a, b, c],
                Node::Join(of) => of,
                Node::At(index, items) => [vec![index], items].concat(),
                // The value is one of a look-up's items.
                _ => Vec::new(),
            }
        };
        let count = operands(net, first).len();
        if count == 0 {
            return first;
        }
        let rows: Vec<(Set, Vec<Id>)> = wanted
            .iter()
            .map(|&(set, id)| {
                let found = match (&node, net.node(id)) {
                    (Node::At(index, items), other) if !matches!(other, Node::At(..)) => {
                        let at = items.iter().position(|&i| i == id).unwrap_or_default();
                        let index = net.constant(net.width(*index), at as u64);
                        [vec![index], items.clone()].concat()
                    }
                    _ => operands(net, id),
                };
                (set, found)
            })
            .collect();
        let merged: Vec<Id> = (0..count)
            .map(|k| {
                let column = rows.iter().map(|(set, of)| (*set, of[k])).collect();
                self.merge(net, column)
            })
            .collect();
        match node {
            Node::At(..) => net.at(merged[0], merged[1..].to_vec()),
            Node::Join(_) => net.join(&merged),
            Node::Not(_) => net.make(Node::Not(merged[0]), width),
            Node::Slice(_, low) => net.slice(merged[0], low, width),
            Node::Times(k, _) => net.times(k, merged[0]),
            Node::Sbox(inverse, _) => net.make(Node::Sbox(inverse, merged[0]), width),
            Node::Binary(op, ..) => net.make(Node::Binary(op, merged[0], merged[1]), width),
            Node::Shift(op, ..) => net.make(Node::Shift(op, merged[0], merged[1]), width),
            Node::Turn(..) => net.turn(merged[0], merged[1]),
            Node::Select(..) => net.select(merged[0], merged[1], merged[2]),
            _ => first,
        }
    }
}

/// The maximum number of differing constant bits for two bytes of different instructions in one column.
const NEAR: u32 = 8;

/// The kind of a summand: for a rotated word, that of the word.
fn kind(net: &Net, id: Id) -> (std::mem::Discriminant<Node>, u8) {
    match net.node(id) {
        Node::Turn(word, _) => kind(net, *word),
        node => (discriminant(node), net.width(id)),
    }
}

/// Groups values that can be merged by merging their operands.
fn classes(net: &Net, wanted: &Wanted) -> Vec<Wanted> {
    let mut classes: Vec<Wanted> = Vec::new();
    // Look-ups come first, because other values may be among their items.
    let look_up = |id: Id| !matches!(net.node(id), Node::At(..));
    let mut order = wanted.clone();
    order.sort_by_key(|&(_, id)| look_up(id));
    for (set, id) in order {
        let fits = |class: &&mut Wanted| fits(net, class[0].1, id);
        match classes.iter_mut().find(fits) {
            Some(class) => class.push((set, id)),
            None => classes.push(vec![(set, id)]),
        }
    }
    classes
}

/// True if two values can be merged.
fn fits(net: &Net, one: Id, other: Id) -> bool {
    let widths = |a: &[Id], b: &[Id]| {
        a.len() == b.len() && a.iter().zip(b).all(|(&x, &y)| net.width(x) == net.width(y))
    };
    match (net.node(one), net.node(other)) {
        // At least half of the items are equal, so few of them need multiplexers.
        (Node::At(a, x), Node::At(b, y)) => {
            let common = x.iter().zip(y).filter(|(x, y)| x == y).count();
            net.width(*a) == net.width(*b) && widths(x, y) && 2 * common >= x.len()
        }
        (Node::At(_, items), _) => items.contains(&other),
        (Node::Not(_), Node::Not(_)) => true,
        (Node::Times(a, _), Node::Times(b, _)) => a == b,
        (Node::Sbox(a, _), Node::Sbox(b, _)) => a == b,
        (Node::Binary(p, a, b), Node::Binary(q, c, d)) => p == q && widths(&[*a, *b], &[*c, *d]),
        (Node::Shift(p, a, b), Node::Shift(q, c, d)) => p == q && widths(&[*a, *b], &[*c, *d]),
        (Node::Turn(..), Node::Turn(..)) | (Node::Select(..), Node::Select(..)) => true,
        (Node::Join(x), Node::Join(y)) => widths(x, y),
        _ => false,
    }
}
