//! Truth tables of functions of a byte, and their decomposition into sums of known functions.

use std::sync::LazyLock;

use aesmith_cipher::block::{INV_SBOX, SBOX};

/// A function of eight bits: one bit for each argument.
pub type Truth = [u64; 4];

/// A function after elimination, its pivot, and the set of functions whose sum it is.
pub(crate) type Row = (Truth, usize, u64);

/// `1`, the eight bits of `x`, of `S(x)` and of its inverse, eliminated in this order: table, pivot, and the subset of
/// the 25 functions whose sum the row is.
static ROWS: LazyLock<Vec<Row>> = LazyLock::new(|| {
    let function = |k: usize| -> Truth {
        truth(|x| match k {
            0 => true,
            1..=8 => x >> (k - 1) & 1 == 1,
            9..=16 => SBOX[x] >> (k - 9) & 1 == 1,
            _ => INV_SBOX[x] >> (k - 17) & 1 == 1,
        })
    };
    let mut rows: Vec<Row> = Vec::new();
    for k in 0..25 {
        let (rest, of) = eliminated(&rows, function(k));
        let pivot = first(&rest).expect("the S-box, its inverse and affine functions are independent");
        rows.push((rest, pivot, of ^ 1 << k));
    }
    rows
});

/// The eight bits of the argument, as functions.
pub(crate) const PLACES: [Truth; 8] = {
    let mut places = [[0u64; 4]; 8];
    let mut x = 0;
    while x < 256 {
        let mut j = 0;
        while j < 8 {
            places[j][x >> 6] |= ((x >> j & 1) as u64) << (x & 63);
            j += 1;
        }
        x += 1;
    }
    places
};

/// The table of a function.
pub(crate) fn truth(f: impl Fn(usize) -> bool) -> Truth {
    let mut t = [0; 4];
    for x in 0..256 {
        t[x >> 6] |= u64::from(f(x)) << (x & 63);
    }
    t
}

/// An output bit of the S-box, or of its inverse.
pub(crate) fn sbox_output(bit: usize, inverse: bool) -> Truth {
    let table = if inverse { &INV_SBOX } else { &SBOX };
    truth(|x| table[x] >> bit & 1 == 1)
}

/// The first argument at which a function is 1.
pub(crate) fn first(t: &Truth) -> Option<usize> {
    t.iter().position(|&w| w != 0).map(|i| 64 * i + t[i].trailing_zeros() as usize)
}

/// The remainder of a function after elimination, and the set of functions that were added.
pub(crate) fn eliminated(rows: &[Row], mut t: Truth) -> (Truth, u64) {
    let mut of = 0;
    for (row, pivot, sum) in rows {
        if t[pivot >> 6] >> (pivot & 63) & 1 == 1 {
            t = plus(&t, row);
            of ^= sum;
        }
    }
    (t, of)
}

/// The composition of functions; the first inner function gives the lowest bit of the outer function's argument.
pub(crate) fn composed(inner: &[Truth], outer: &Truth) -> Truth {
    // All arguments are computed at once; each inner function halves the number of candidates.
    let all = |x: usize| (outer[x >> 6] >> (x & 63) & 1).wrapping_neg();
    let Some((lowest, others)) = inner.split_first() else { return [all(0); 4] };
    let chosen = |t: u64, zero: u64, one: u64| zero ^ (t & (zero ^ one));
    let mut left = [[0u64; 4]; 128];
    let mut count = 1 << others.len();
    for (k, of) in left[..count].iter_mut().enumerate() {
        let (zero, one) = (all(2 * k), all(2 * k + 1));
        *of = lowest.map(|t| chosen(t, zero, one));
    }
    for t in others {
        count /= 2;
        for k in 0..count {
            let (zero, one) = (left[2 * k], left[2 * k + 1]);
            left[k] = std::array::from_fn(|i| chosen(t[i], zero[i], one[i]));
        }
    }
    left[0]
}

/// XOR.
pub(crate) fn plus(a: &Truth, b: &Truth) -> Truth {
    std::array::from_fn(|i| a[i] ^ b[i])
}

/// The subset of the 25 functions whose sum a table is: of the affine functions only, or of all.
pub(crate) fn fold(t: Truth, all: bool) -> Option<u64> {
    let (rest, of) = eliminated(&ROWS[..if all { 25 } else { 9 }], t);
    (rest == [0; 4]).then_some(of)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{Rng, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    /// At each argument, the composition has the value of the outer function at the values of the inner ones.
    #[test]
    fn composed_functions_are_what_each_argument_gives() {
        let mut random = ChaCha8Rng::seed_from_u64(3);
        let at = |t: &Truth, x: usize| t[x >> 6] >> (x & 63) & 1 == 1;
        for count in (0..=8).flat_map(|count| [count; 8]) {
            let outer: Truth = random.random();
            let inner: Vec<Truth> = (0..count).map(|_| random.random()).collect();
            let index = |x| inner.iter().enumerate().fold(0, |y, (j, t)| y | usize::from(at(t, x)) << j);
            assert_eq!(composed(&inner, &outer), truth(|x| at(&outer, index(x))), "{count}");
        }
    }
}
