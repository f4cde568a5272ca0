//! Sums of many bits in few gates, with shared common subexpressions. The most frequent pair is extracted repeatedly
//! (Paar, "Optimized arithmetic for Reed-Solomon encoders", ISIT 1997); the best of several runs with different
//! tie-breaking is kept.

use std::collections::BTreeSet;

/// XOR gates over numbered wires.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Sums {
    /// The operands of each gate; the gate's own wire is the number of inputs plus its index.
    pub gates: Vec<[usize; 2]>,
    /// The wire of each sum; `None` for an empty sum.
    pub outputs: Vec<Option<usize>>,
}

/// The number of runs with different tie-breaking.
const RUNS: usize = 24;

/// The gates that compute the given sums of inputs.
pub fn sums(inputs: usize, wanted: &[Vec<usize>]) -> Sums {
    let mut state = 0x2545_f491_4f6c_dd1du64;
    let mut best: Option<Sums> = None;
    for _ in 0..RUNS {
        let found = run(inputs, wanted, &mut state);
        if best.as_ref().is_none_or(|b| found.gates.len() < b.gates.len()) {
            best = Some(found);
        }
    }
    best.unwrap_or(Sums { gates: Vec::new(), outputs: Vec::new() })
}

fn run(inputs: usize, wanted: &[Vec<usize>], state: &mut u64) -> Sums {
    let mut rows: Vec<BTreeSet<usize>> = wanted.iter().map(|w| w.iter().copied().collect()).collect();
    let mut gates: Vec<[usize; 2]> = Vec::new();
    loop {
        let wires = inputs + gates.len();
        let mut counts = vec![0u16; wires * wires];
        let mut most = 0;
        for row in &rows {
            let row: Vec<usize> = row.iter().copied().collect();
            for (k, &a) in row.iter().enumerate() {
                for &b in &row[k + 1..] {
                    counts[a * wires + b] += 1;
                    most = most.max(counts[a * wires + b]);
                }
            }
        }
        if most == 0 {
            break;
        }
        let pairs: Vec<usize> = (0..counts.len()).filter(|&k| counts[k] == most).collect();
        *state ^= *state << 13;
        *state ^= *state >> 7;
        *state ^= *state << 17;
        let pair = pairs[(*state >> 33) as usize % pairs.len()];
        let (a, b) = (pair / wires, pair % wires);
        gates.push([a, b]);
        for row in &mut rows {
            if row.contains(&a) && row.contains(&b) {
                row.remove(&a);
                row.remove(&b);
                row.insert(wires);
            }
        }
    }
    Sums { gates, outputs: rows.iter().map(|row| row.first().copied()).collect() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn common_pairs_are_added_once() {
        let wanted = vec![vec![0, 1, 2], vec![0, 1, 3], vec![0, 1], vec![], vec![2]];
        let found = sums(4, &wanted);
        assert_eq!(found.gates.len(), 3);
        let mut values: Vec<u32> = (0..4).map(|k| 1 << k).collect();
        for [a, b] in &found.gates {
            values.push(values[*a] ^ values[*b]);
        }
        let of: Vec<Option<u32>> = found.outputs.iter().map(|o| o.map(|w| values[w])).collect();
        assert_eq!(of, [Some(7), Some(11), Some(3), None, Some(4)]);
    }
}
