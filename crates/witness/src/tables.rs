//! Tables of counter mode on the stack: the shares of the lowest byte of the counter in two rounds.

use aesmith_check::counters::{TABLE_BYTES, TOP, Table};
use aesmith_check::spec::Mode;
use aesmith_check::symbolic::{Place, Symbolic};
use std::collections::BTreeMap;

/// The name of what the blocks of a table have in common.
pub(crate) const REST: &str = "rest";

/// The expression of a block: two rounds of the column that the lowest byte of a counter, its byte 5, and bytes 2 and 7
/// of the upper half are in; in GCM the lowest byte and three bytes that do not count.
pub(crate) fn entry(mode: Mode) -> String {
    let only = |bytes: &[(usize, u8)]| {
        let mut mask = [0x80; 16];
        bytes.iter().for_each(|&(at, from)| mask[at] = from);
        mask.iter().map(|from| format!("{from:02x}")).collect::<String>()
    };
    let column = only(&[(0, 0), (1, 1), (2, 2), (3, 3)]);
    let upper = format!("words(shr(counter.0, {TOP}), 0)");
    let fixed = match mode.is_gcm() {
        true => vec![("nonce", only(&[(0, 0), (5, 5), (10, 10)]))],
        false => vec![("words(counter.1, 0)", only(&[(0, 7), (5, 2)])), (&*upper, only(&[(10, 0)]))],
    };
    let pieces = [("k0", only(&[(0, 0), (5, 5), (10, 10), (15, 15)])), ("words(z, 0)", only(&[(15, 0)]))];
    let pieces = pieces.into_iter().chain(fixed);
    let sum: Vec<String> = pieces.map(|(word, mask)| format!("shuffle({word}, #{mask})")).collect();
    let sum = sum.join(" ^ ");
    format!("enc(shuffle(enc({sum}), #{column}) ^ shuffle(k1, #{column}))")
}

/// The table on the stack, if there is one.
pub(crate) fn found(s: &mut Symbolic) -> Option<Table> {
    if s.splits != 2 {
        return None;
    }
    let held = s.path.table.as_ref().map(|table| table.at);
    let entry = entry(s.contract.mode);
    let table_at = |s: &mut Symbolic, at: Place| {
        Some(Table { at, entry: entry.clone(), rest: s.rest_of(at, &entry).ok()? })
    };
    if let Some(table) = held.and_then(|at| table_at(s, at)) {
        return Some(table);
    }
    // The number of words in a row that begin at each place.
    let mut rows: BTreeMap<Place, i128> = BTreeMap::new();
    for &(region, at) in s.path.cells.keys().rev() {
        let behind = rows.get(&(region, at + 8)).copied().unwrap_or_default();
        rows.insert((region, at), behind + 1);
    }
    let mut places = rows.into_iter().filter(|(_, words)| *words >= TABLE_BYTES / 8);
    places.find_map(|(at, _)| table_at(s, at))
}
