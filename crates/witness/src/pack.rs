//! Packed certificates: blocks of LZ4 in base64. docs/CERTIFICATES.md describes them.

/// Digits of a line.
const LINE: usize = 480;
/// The least bytes of a copy.
const LEAST: usize = 4;
/// The farthest that a copy reaches back.
const FARTHEST: usize = 65535;
/// The bytes at the end of a block that are no copy, and those in which no copy begins, as the format asks for.
const LAST: (usize, usize) = (5, 12);
/// The most places that are compared, for each byte.
const TRIES: usize = 64;
/// The longest copy.
const LONGEST: usize = 1 << 12;

/// Adds the lines of packed bytes, each with a word before it.
pub(crate) fn lines(all: &mut String, word: &str, bytes: &[u8]) {
    for line in base64(&block(bytes)).as_bytes().chunks(LINE) {
        all.extend([word, " "]);
        all.extend(line.iter().map(|&digit| char::from(digit)));
        all.push('\n');
    }
}

/// Bytes as base64 without padding (RFC 4648, 4).
fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut all = String::new();
    for three in bytes.chunks(3) {
        let bits = (0..3).fold(0, |bits, k| bits << 8 | usize::from(three.get(k).copied().unwrap_or(0)));
        all.extend((0..=three.len()).map(|k| char::from(DIGITS[bits >> (18 - 6 * k) & 63])));
    }
    all
}

/// A block of LZ4 of the bytes, with copies that make it short.
fn block(bytes: &[u8]) -> Vec<u8> {
    let copies = copies(bytes);
    let (mut all, mut begin, mut at) = (Vec::new(), 0, 0);
    while at < bytes.len() {
        let (count, distance) = copies[at];
        if count == 0 {
            at += 1;
            continue;
        }
        sequence(&mut all, &bytes[begin..at], Some((count, distance)));
        at += count;
        begin = at;
    }
    sequence(&mut all, &bytes[begin..], None);
    all
}

/// Bytes as they stand, and a copy behind them.
fn sequence(all: &mut Vec<u8>, own: &[u8], copy: Option<(usize, usize)>) {
    let more = copy.map_or(0, |(count, _)| count - LEAST);
    all.push((own.len().min(15) << 4 | more.min(15)) as u8);
    length(all, own.len());
    all.extend_from_slice(own);
    if let Some((_, distance)) = copy {
        all.extend_from_slice(&(distance as u16).to_le_bytes());
        length(all, more);
    }
}

/// The bytes of a length that does not fit into four bits.
fn length(all: &mut Vec<u8>, length: usize) {
    if let Some(rest) = length.checked_sub(15) {
        all.extend(std::iter::repeat_n(255, rest / 255));
        all.push((rest % 255) as u8);
    }
}

/// For each byte the copy with which the rest of the block is shortest, as its length and distance; its length is 0 if
/// none is better than the byte as it stands.
fn copies(bytes: &[u8]) -> Vec<(usize, usize)> {
    let before = before(bytes);
    let (mut all, mut costs) = (vec![(0, 0); bytes.len()], vec![0; bytes.len() + 1]);
    for at in (0..bytes.len()).rev() {
        costs[at] = costs[at + 1] + 1;
        if at + LAST.1 > bytes.len() {
            continue;
        }
        let most = (bytes.len() - LAST.0 - at).min(LONGEST);
        let mut known = LEAST - 1;
        let places = std::iter::successors(before[at], |&place| before[place]);
        for place in places.take_while(|place| at - place <= FARTHEST).take(TRIES) {
            // Only a longer copy than the known ones is of use.
            if known >= most || bytes[place + known] != bytes[at + known] {
                continue;
            }
            let count = (0..most).take_while(|&k| bytes[place + k] == bytes[at + k]).count();
            // Places nearer by have all shorter copies.
            for count in known + 1..=count {
                let cost = 3 + (count + 255 - LEAST - 15) / 255 + costs[at + count];
                if cost < costs[at] {
                    (costs[at], all[at]) = (cost, (count, at - place));
                }
            }
            known = known.max(count);
        }
    }
    all
}

/// For each place the last one before it with the same bytes, as many as the shortest copy has.
fn before(bytes: &[u8]) -> Vec<Option<usize>> {
    let mut last = std::collections::HashMap::new();
    let mut all: Vec<Option<usize>> =
        bytes.windows(LEAST).enumerate().map(|(at, key)| last.insert(key, at)).collect();
    all.resize(bytes.len(), None);
    all
}

#[cfg(test)]
mod tests {
    use super::{base64, block};

    #[test]
    fn digits_are_those_of_the_standard() {
        // RFC 4648, 10, without padding.
        for (bytes, digits) in [("", ""), ("f", "Zg"), ("fo", "Zm8"), ("foo", "Zm9v"), ("foobar", "Zm9vYmFy")]
        {
            assert_eq!(base64(bytes.as_bytes()), digits);
        }
    }

    #[test]
    fn repeated_bytes_are_copies() {
        assert_eq!(block(b""), [0]);
        assert_eq!(block(b"abc"), *b"\x30abc");
        // One byte and copies of it up to the last five.
        assert_eq!(block(&[7; 40]), [0x1f, 7, 1, 0, 15, 0x50, 7, 7, 7, 7, 7]);
    }
}
