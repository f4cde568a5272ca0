//! The state as four tiles of two rows and two columns ([`Layout::Tiles`]), from columns and back:
//! halves of words change places. Round keys lie in memory pair by pair
//! ([`aesmith_cipher::firmware::Packing::Tiles`]).
//!
//! [`Layout::Tiles`]: aesmith_extension::file::Layout::Tiles

use super::writer::Writer;

/// The lower halves of two words as one, and the upper.
fn halves(w: &mut Writer, [a, b]: [i32; 2]) -> [i32; 2] {
    let down = w.shift("srli", a, 16);
    let other = w.xor(down, b);
    let up = w.shift("slli", other, 16);
    let low = w.xor(a, up);
    let rest = w.shift("srli", up, 16);
    [low, w.xor(b, rest)]
}

/// The tiles of two columns: rows 0 and 1, then rows 2 and 3. The second column is low.
pub fn tiled(w: &mut Writer, [a, b]: [i32; 2]) -> [i32; 2] {
    halves(w, [b, a])
}

/// The columns of two tiles.
pub fn untiled(w: &mut Writer, tiles: [i32; 2]) -> [i32; 2] {
    let [b, a] = halves(w, tiles);
    [a, b]
}

/// Where a tile lies among the words of a round key.
pub fn place(tile: usize) -> usize {
    2 * (tile % 2) + tile / 2
}

/// Columns as tiles.
pub fn tiles(w: &mut Writer, columns: [i32; 4]) -> [i32; 4] {
    let [left, right] = [[columns[0], columns[1]], [columns[2], columns[3]]].map(|pair| tiled(w, pair));
    [left[0], right[0], left[1], right[1]]
}

/// Tiles as columns.
pub fn columns(w: &mut Writer, tiles: [i32; 4]) -> [i32; 4] {
    let [left, right] = [[tiles[0], tiles[2]], [tiles[1], tiles[3]]].map(|pair| untiled(w, pair));
    [left[0], left[1], right[0], right[1]]
}
