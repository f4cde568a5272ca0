//! Lanes of bits as sums of parts whose bytes are mapped and moved.

use aesmith_check::terms::{PartId, Terms, ZERO};
use std::collections::BTreeMap;

/// The most summands of a lane that has an expression.
const MOST: usize = 24;

/// A map of a byte.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Map {
    /// The byte itself.
    Same,
    /// A bit of it, eight times.
    Spread(usize),
    /// Another linear map.
    Other,
}

/// A summand: bytes of a part are mapped by columns, and moved.
pub(crate) struct Moved {
    pub(crate) part: PartId,
    pub(crate) map: Map,
    pub(crate) columns: [u8; 8],
    pub(crate) mask: [u8; 16],
}

/// The summands of a lane's bits; the constant is added to `constant`. None if there are too many.
pub(crate) fn moved(terms: &Terms, bits: &[u32], constant: &mut u128) -> Option<Vec<Moved>> {
    // For each part and pair of bytes, its and the lane's, the map.
    let mut maps: BTreeMap<(PartId, usize, usize), [u8; 8]> = BTreeMap::new();
    for (at, &bit) in bits.iter().enumerate() {
        let (summands, is_one) = terms.summands(bit);
        *constant ^= u128::from(is_one) << at;
        for (part, from) in summands {
            maps.entry((part, from / 8, at / 8)).or_default()[from % 8] ^= 1 << (at % 8);
        }
        if maps.len() > 16 * MOST {
            return None;
        }
    }
    let mut all = Vec::<Moved>::new();
    for ((part, from, to), columns) in maps {
        let is_room =
            |moved: &&mut Moved| (moved.part, moved.columns) == (part, columns) && moved.mask[to] == ZERO;
        let place = match all.iter_mut().find(is_room) {
            Some(found) => found,
            None => {
                let set: Vec<usize> = (0..8).filter(|&k| columns[k] != 0).collect();
                let map = match set[..] {
                    _ if columns == core::array::from_fn(|k| 1 << k) => Map::Same,
                    [bit] if columns[bit] == 0xff => Map::Spread(bit),
                    _ => Map::Other,
                };
                all.push(Moved { part, map, columns, mask: [ZERO; 16] });
                all.last_mut()?
            }
        };
        place.mask[to] = from as u8;
    }
    (all.len() <= MOST).then_some(all)
}
