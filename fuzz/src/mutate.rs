//! Mutations of inputs by a seeded generator: the same seed and number give the same input.

use rand::Rng;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

/// The longest input, in bytes.
const LONGEST: usize = 1 << 16;

/// Input `number` of a seed: one of the corpus, changed in one or more places.
pub fn input(corpus: &[Vec<u8>], seed: u64, number: u64) -> Vec<u8> {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    random.set_stream(number);
    let mut bytes = corpus[random.random_range(0..corpus.len())].clone();
    for _ in 0..1 << random.random_range(0..6) {
        change(&mut bytes, corpus, &mut random);
    }
    bytes.truncate(LONGEST);
    bytes
}

/// A random range of at most `most` bytes.
fn stretch(of: &[u8], most: usize, random: &mut ChaCha8Rng) -> std::ops::Range<usize> {
    let length = random.random_range(0..=most.min(of.len()));
    let from = random.random_range(0..=of.len() - length);
    from..from + length
}

fn change(bytes: &mut Vec<u8>, corpus: &[Vec<u8>], random: &mut ChaCha8Rng) {
    let at = random.random_range(0..=bytes.len());
    match random.random_range(0..9) {
        0 if at < bytes.len() => bytes[at] ^= 1 << random.random_range(0..8),
        1 if at < bytes.len() => bytes[at] = random.random(),
        // An extreme number, which upsets lengths and counts.
        2 if at + 4 <= bytes.len() => {
            let edges = [0, 1, 0x7f, 0xff, 0x7fff, 0xffff, 0x7fff_ffff, 0x8000_0000, u32::MAX];
            bytes[at..at + 4].copy_from_slice(&edges[random.random_range(0..edges.len())].to_le_bytes());
        }
        3 => drop(bytes.drain(stretch(bytes, 16, random))),
        4 => bytes.truncate(at),
        // Digits, signs and brackets have a meaning in every text format.
        5 => {
            let signs = b"0123456789=,:;.-+*()[]{}\"' \n_xaeuz";
            bytes.insert(at, signs[random.random_range(0..signs.len())]);
        }
        6 => {
            let again = bytes[stretch(bytes, 64, random)].to_vec();
            bytes.splice(at..at, again);
        }
        7 => {
            let other = &corpus[random.random_range(0..corpus.len())];
            let piece = other[stretch(other, 64, random)].to_vec();
            bytes.splice(at..at, piece);
        }
        8 => {
            let other = &corpus[random.random_range(0..corpus.len())];
            let tail = other[random.random_range(0..=other.len())..].to_vec();
            bytes.truncate(at);
            bytes.extend(tail);
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_number_gives_the_same_input() {
        let corpus = [b"one".to_vec(), b"another".to_vec(), Vec::new()];
        let all: Vec<Vec<u8>> = (0..1000).map(|n| input(&corpus, 7, n)).collect();
        assert!((0..1000).all(|n| input(&corpus, 7, n) == all[n as usize]));
        let different: std::collections::BTreeSet<_> = all.iter().collect();
        assert!(different.len() > 500, "{}", different.len());
    }
}
