//! Bit-sliced S-boxes fold back into S-box outputs: whole ciphers computed gate by gate have the forms of the
//! specification.

use aesmith_cipher::block::{INV_SHIFT_ROWS, SBOX, SHIFT_ROWS};
use aesmith_cipher::firmware::{Firmware, Packing};
use aesmith_cipher::{Direction, KeySize, Problem, Task};
use aesmith_dataflow::circuits::Gates;
use aesmith_prove::bits::cipher::{State, add_key, block, xtime};
use aesmith_prove::bits::forms::{Bit, Bits, Byte};

/// Evaluates a circuit over bits; every gate of at most three inputs is given by its table.
fn by_gates(bits: &mut Bits, gates: &Gates, x: Byte) -> Byte {
    let mut wires: Vec<Bit> = x.iter().rev().copied().collect();
    for gate in &gates.gates {
        let of = gate.arguments.map(|w| wires[w]);
        // A multiplexer tree with the last input at the root.
        let mut leaves: Vec<Bit> = (0..8).map(|i| u32::from(gate.table >> i & 1)).collect();
        for input in of {
            leaves = leaves.chunks(2).map(|c| bits.select(input, c[1], c[0])).collect();
        }
        wires.push(leaves[0]);
    }
    let mut out = gates.outputs.map(|w| wires[w]);
    out.reverse();
    out
}

fn cipher(bits: &mut Bits, keys: &[State], text: &State, inverse: bool, circuit: u8) -> State {
    let last = keys.len() - 1;
    let mut s = add_key(bits, text, &keys[0]);
    let rows = if inverse { INV_SHIFT_ROWS } else { SHIFT_ROWS };
    for (r, key) in keys.iter().enumerate().skip(1) {
        let boxed = s.map(|b| by_gates(bits, Gates::of(circuit, inverse), b));
        let moved: State = std::array::from_fn(|i| boxed[rows[i]]);
        s = if r == last {
            moved
        } else {
            std::array::from_fn(|i| {
                let (row, column) = (i % 4, i / 4 * 4);
                let matrix: [u8; 4] = if inverse { [14, 11, 13, 9] } else { [2, 3, 1, 1] };
                let mut sum = [0; 8];
                for k in 0..4 {
                    let mut x = moved[column + k];
                    for j in 0..4 {
                        if matrix[(k + 4 - row) % 4] >> j & 1 == 1 {
                            sum = std::array::from_fn(|b| bits.xor(sum[b], x[b]));
                        }
                        x = xtime(bits, x);
                    }
                }
                sum
            })
        };
        s = add_key(bits, &s, key);
    }
    s
}

#[test]
fn circuits_are_the_cipher() {
    for (direction, circuit) in [(Direction::Encrypt, 0), (Direction::Encrypt, 1), (Direction::Decrypt, 0)] {
        let started = std::time::Instant::now();
        let mut bits = Bits::new();
        let raw = bits.bytes(176, true);
        let keys: Vec<State> = raw.chunks(16).map(|c| std::array::from_fn(|i| c[i])).collect();
        let text: State = bits.bytes(16, true).try_into().expect("16 bytes");
        let contract = Firmware {
            problem: Problem::new(KeySize::Aes128, Task::Ecb(direction)),
            packing: Packing::RoundKeys,
            blocks: 1,
        };
        let wanted = block(&mut bits, &contract, &keys, &text).expect("is specified");
        let found = cipher(&mut bits, &keys, &text, direction == Direction::Decrypt, circuit);
        for (f, w) in found.iter().flatten().zip(wanted.iter().flatten()) {
            assert_eq!(bits.settle(*f), Some(*w), "{direction:?}");
        }
        println!("{direction:?} by circuit {circuit}: {:?}", started.elapsed());
    }
}

#[test]
fn a_wrong_gate_is_seen() {
    let mut bits = Bits::new();
    let x: Byte = std::array::from_fn(|_| bits.atom(true));
    let wanted = bits.sbox(x, false).expect("is independent");
    let gates = Gates::of(0, false);
    let mut seen = 0;
    for at in 0..gates.gates.len() {
        let mut wrong = gates.clone();
        wrong.gates[at].table ^= 0x88;
        let is_sbox = (0..256).all(|x| by_numbers(&wrong, x) == SBOX[x]);
        let found = by_gates(&mut bits, &wrong, x);
        let same = found.iter().zip(&wanted).all(|(&f, &w)| bits.settle(f) == Some(w));
        assert_eq!(same, is_sbox, "gate {at}");
        seen += usize::from(!same);
    }
    assert!(seen > 100);
}

fn by_numbers(gates: &Gates, x: usize) -> u8 {
    let mut wires: Vec<u8> = (0..8).map(|k| (x >> (7 - k) & 1) as u8).collect();
    for gate in &gates.gates {
        let [a, b, c] = gate.arguments.map(|w| wires[w]);
        wires.push(gate.table >> (a + 2 * b + 4 * c) & 1);
    }
    gates.outputs.iter().fold(0, |y, &w| y << 1 | wires[w])
}
