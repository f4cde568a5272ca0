//! AES as gates, from the cipher's tables: S-boxes are multiplexers over their 256 entries, which no bit-sliced kernel
//! has.

use crate::bits::{self, Byte};
use crate::graph::{FALSE, Graph};
use aesmith_cipher::block::{MIX, SBOX, SHIFT_ROWS, gf_mul};
use std::array::from_fn;

fn xor(graph: &mut Graph, a: Byte, b: Byte) -> Byte {
    from_fn(|i| graph.xor(a[i], b[i]))
}

/// A byte times a constant of GF(2^8).
fn times(graph: &mut Graph, factor: u8, a: Byte) -> Byte {
    from_fn(|i| {
        (0..8).fold(FALSE, |sum, k| match gf_mul(factor, 1 << k) >> i & 1 {
            1 => graph.xor(sum, a[k]),
            _ => sum,
        })
    })
}

/// The cipher (FIPS-197, 5.1) of one block under these round keys.
pub fn encrypt(graph: &mut Graph, keys: &[[Byte; 16]], block: [Byte; 16]) -> [Byte; 16] {
    let sbox: Vec<Byte> =
        SBOX.iter().map(|entry| bits::constant(u64::from(*entry), 8).try_into().unwrap()).collect();
    let mut state: [Byte; 16] = from_fn(|i| xor(graph, block[i], keys[0][i]));
    for (round, key) in keys.iter().enumerate().skip(1) {
        let shifted: [Byte; 16] = from_fn(|i| state[SHIFT_ROWS[i]]);
        let mut next: [Byte; 16] = from_fn(|i| bits::look_up(graph, &sbox, &shifted[i]));
        if round + 1 < keys.len() {
            let column = next;
            next = from_fn(|i| {
                (0..4).fold([FALSE; 8], |sum, k| {
                    let product = times(graph, MIX[(k + 4 - i % 4) % 4], column[i / 4 * 4 + k]);
                    xor(graph, sum, product)
                })
            });
        }
        state = from_fn(|i| xor(graph, next[i], key[i]));
    }
    state
}
