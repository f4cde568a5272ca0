//! Blocks in constant time on ARMv6-M: two blocks as eight words, each of which holds one bit of their bytes
//! ([`aesmith_cipher::firmware::slice`]); the S-box is a circuit of gates, without look-ups. Messages are
//! processed one block at a time, which takes both places. Between rounds the state is in the frame.

use aesmith_cipher::problem::{Direction, KeySize};
use aesmith_dataflow::circuits::{AND, Gates, XNOR};
use aesmith_isa::assemble::Section;

use super::SP;
use super::rounds::KEY;
use super::straight::Straight;
use super::writer::Code;
use crate::kernels::writer::section;

/// Stack words for spilled values; above them the state, the address of the round key before the next one, that
/// of the last but one, and masks and rotation counts.
const SLOTS: i32 = 24;
const STATE: i32 = 4 * SLOTS;
const AT_KEY: i32 = STATE + 32;
const AT_END: i32 = AT_KEY + 4;
const MASKS: i32 = AT_END + 4;
const FRAME: i32 = MASKS + 4 * (3 + 4 + 2);

/// A number made from a byte: the byte, repeated at each of these distances in bits in turn, and then shifted
/// up.
struct Number(i32, &'static [i32], i32);

/// Masks of transpositions, in every byte.
const TRANSPOSING: [Number; 3] =
    [Number(0x55, &[8, 16], 0), Number(0x33, &[8, 16], 0), Number(0x0f, &[8, 16], 0)];
/// Masks of ShiftRows: rows 2 and 3, lower halves; rows 1 and 3, lower columns; the highest column of these
/// rows; rows 0 and 2.
const SHIFTING: [Number; 4] =
    [Number(0x0f, &[8], 16), Number(0x3f, &[16], 8), Number(0xc0, &[16], 8), Number(0xff, &[16], 0)];
/// Rotation counts for rows, in bits.
const TURNING: [Number; 2] = [Number(8, &[], 0), Number(16, &[], 0)];

/// Stores numbers in the frame, using two registers.
fn numbers(code: &mut Code, numbers: &[Number], at: i32, (r, other): (i32, i32)) {
    for (k, &Number(byte, repeated, up)) in numbers.iter().enumerate() {
        code.number(r, byte);
        for &by in repeated {
            code.lsl(other, r, by);
            code.op("orrs", r, other);
        }
        if up > 0 {
            code.lsl(r, r, up);
        }
        code.memory("str", r, SP, at + 4 * k as i32);
    }
}

/// Stores the masks of transpositions in a frame, using two registers.
fn transposing(code: &mut Code, at: i32, registers: (i32, i32)) {
    numbers(code, &TRANSPOSING, at, registers);
}

/// Converts eight words of bytes to eight words of bits, or back: bit b of each byte in word j moves to bit j
/// in word b. The masks are at an offset in the frame.
fn transposed(line: &mut Straight, words: [usize; 8], masks: i32) -> [usize; 8] {
    let mut words = words;
    for (k, by) in [1, 2, 4].into_iter().enumerate() {
        let mask = line.kept(masks + 4 * k as i32);
        for j in (0..8).filter(|j| j & by == 0) {
            let (high, low) = (words[j], words[j + by]);
            let down = line.down(high, by as i32);
            let differ = line.two("eors", down, low);
            let swap = line.two("ands", differ, mask);
            words[j + by] = line.two("eors", low, swap);
            let up = line.up(swap, by as i32);
            words[j] = line.two("eors", high, up);
        }
    }
    words
}

/// The bit-sliced words of bytes, highest bit first.
fn sliced(line: &mut Straight, words: [usize; 8], masks: i32) -> [usize; 8] {
    let mut words = transposed(line, words, masks);
    words.reverse();
    words
}

/// SubBytes, or its inverse.
fn substituted(line: &mut Straight, state: [usize; 8], direction: Direction) -> [usize; 8] {
    Gates::of(0, direction == Direction::Decrypt).write(state, |table, a, b| match table {
        AND => line.two("ands", a, b),
        XNOR => {
            let sum = line.two("eors", a, b);
            line.not(sum)
        }
        _ => line.two("eors", a, b),
    })
}

/// ShiftRows, or its inverse: row r is byte r, and its columns are pairs of bits.
fn shifted(line: &mut Straight, state: [usize; 8], direction: Direction) -> [usize; 8] {
    let [halves, lower, highest, others] =
        std::array::from_fn(|k| line.kept(MASKS + 4 * (TRANSPOSING.len() + k) as i32));
    state.map(|x| {
        // Moves rows 2 and 3 by two columns: exchanges halves.
        let down = line.down(x, 4);
        let differ = line.two("eors", down, x);
        let swap = line.two("ands", differ, halves);
        let low = line.two("eors", x, swap);
        let up = line.up(swap, 4);
        let x = line.two("eors", up, low);
        // Moves rows 1 and 3 by one more column, down or up.
        let (a, b) = if direction == Direction::Encrypt {
            let down = line.down(x, 2);
            let down = line.two("ands", down, lower);
            let up = line.up(x, 6);
            (down, line.two("ands", up, highest))
        } else {
            let up = line.two("ands", x, lower);
            let up = line.up(up, 2);
            let down = line.two("ands", x, highest);
            (up, line.down(down, 6))
        };
        let moved = line.two("eors", a, b);
        let kept = line.two("ands", x, others);
        line.two("eors", moved, kept)
    })
}

/// Doubling (FIPS-197, 4.2.1): each bit from the next lower one; the highest bit is added to bits 0, 1, 3, 4.
fn doubled(line: &mut Straight, words: [usize; 8]) -> [usize; 8] {
    std::array::from_fn(|k| {
        let next = words[(k + 1) % 8];
        if matches!(k, 3 | 4 | 6) { line.two("eors", next, words[0]) } else { next }
    })
}

/// MixColumns, or its inverse, which is MixColumns times circ(5, 0, 4, 0).
fn mixed(line: &mut Straight, state: [usize; 8], direction: Direction) -> [usize; 8] {
    let at = MASKS + 4 * (TRANSPOSING.len() + SHIFTING.len()) as i32;
    let (row, half) = (line.kept(at), line.kept(at + 4));
    let mut state = state;
    if direction == Direction::Decrypt {
        let sums = state.map(|x| {
            let turned = line.by("rors", x, half);
            line.two("eors", turned, x)
        });
        let twice = doubled(line, sums);
        let four = doubled(line, twice);
        state = std::array::from_fn(|k| line.two("eors", state[k], four[k]));
    }
    let next = state.map(|x| line.by("rors", x, row));
    let pairs: [usize; 8] = std::array::from_fn(|k| line.two("eors", state[k], next[k]));
    let twice = doubled(line, pairs);
    std::array::from_fn(|k| {
        let others = line.by("rors", pairs[k], half);
        let sum = line.two("eors", others, next[k]);
        line.two("eors", sum, twice[k])
    })
}

/// Adds the round key at `offset` bytes after the previous one to the state.
fn keyed(line: &mut Straight, state: [usize; 8], offset: i32) -> [usize; 8] {
    let key = line.kept(AT_KEY);
    std::array::from_fn(|k| {
        let word = line.loaded(key, offset + 4 * k as i32);
        line.two("eors", word, state[k])
    })
}

fn entered(line: &mut Straight) -> [usize; 8] {
    std::array::from_fn(|k| line.kept(STATE + 4 * k as i32))
}

fn left(line: &mut Straight, state: [usize; 8]) {
    for (k, v) in state.into_iter().enumerate() {
        line.keep(v, STATE + 4 * k as i32);
    }
}

/// Size of a sliced round key, in bytes.
const SLICE: i32 = 32;

/// Stores the values that rounds need in the frame; `key` is the register with the address of the round keys,
/// and `registers` are changed.
fn set_up(code: &mut Code, key: i32, registers: (i32, i32), rounds: i32) {
    let (r, other) = registers;
    code.memory("str", key, SP, AT_KEY);
    code.number(r, rounds - 1);
    code.lsl(r, r, 5);
    code.put("adds_reg", &[("rd", r), ("rn", r), ("rm", key)]);
    code.memory("str", r, SP, AT_END);
    let mut at = MASKS;
    for group in [&TRANSPOSING[..], &SHIFTING, &TURNING] {
        numbers(code, group, at, (r, other));
        at += 4 * group.len() as i32;
    }
}

/// Computes the state of a text, and adds the first round key.
fn begin(code: &mut Code, mut line: Straight, text: [usize; 8]) -> Result<(), String> {
    let state = sliced(&mut line, text, MASKS);
    let state = keyed(&mut line, state, 0);
    left(&mut line, state);
    line.write_within(code, SLOTS)
}

/// Rounds from the first to the last; the words of the result are passed on.
fn rounds(
    code: &mut Code,
    name: &str,
    direction: Direction,
    end: impl FnOnce(&mut Straight, [usize; 8]),
) -> Result<(), String> {
    let [again, done] = ["round", "rounds"].map(|what| format!(".L{name}_{what}"));
    code.label(&again);
    let before = code.items.len();
    let mut line = Straight::of(&[]);
    let state = entered(&mut line);
    let state = substituted(&mut line, state, direction);
    let state = shifted(&mut line, state, direction);
    let state = mixed(&mut line, state, direction);
    let state = keyed(&mut line, state, SLICE);
    left(&mut line, state);
    line.write_within(code, SLOTS)?;
    code.memory("ldr", 0, SP, AT_KEY);
    code.add(0, SLICE);
    code.memory("str", 0, SP, AT_KEY);
    code.memory("ldr", 1, SP, AT_END);
    code.put("cmp_reg", &[("rn", 0), ("rm", 1)]);
    code.branch("beq", &done);
    // `b` reaches 2,048 bytes; `bl` changes a register that has been saved.
    let far = 2 * (code.items.len() - before) > 2000;
    code.branch(if far { "bl" } else { "b" }, &again);
    code.label(&done);
    let mut line = Straight::of(&[]);
    let state = entered(&mut line);
    let state = substituted(&mut line, state, direction);
    let state = shifted(&mut line, state, direction);
    let mut state = keyed(&mut line, state, SLICE);
    state.reverse();
    let words = transposed(&mut line, state, MASKS);
    end(&mut line, words);
    line.write_within(code, SLOTS)
}

/// The offset of word `j` of two blocks: column j / 2 of block j % 2.
fn place(j: usize) -> i32 {
    4 * (4 * (j % 2) + j / 2) as i32
}

/// `void name(const void *key, const uint8_t in[32], uint8_t out[32])`
pub fn function(size: KeySize, symbol: &str, direction: Direction) -> Result<Vec<Section>, String> {
    let mut code = Code::new();
    code.save();
    code.put("push", &[("list", 4)]);
    code.put("sp_down", &[("imm", FRAME)]);
    set_up(&mut code, 0, (2, 3), size.rounds() as i32);
    let mut line = Straight::of(&[1]);
    let text = std::array::from_fn(|j| line.loaded(0, place(j)));
    begin(&mut code, line, text)?;
    rounds(&mut code, symbol, direction, |line, words| {
        let to = line.kept(FRAME);
        for (j, word) in words.into_iter().enumerate() {
            line.store(word, to, place(j));
        }
    })?;
    code.put("sp_up", &[("imm", FRAME + 4)]);
    code.back();
    Ok(vec![section(code.isa, symbol, code.items, &[])])
}

/// All rounds of one block: r0 to r3 in place, with the address of the round keys in [`KEY`]; `name` makes
/// labels unique.
pub fn all(code: &mut Code, name: &str, direction: Direction, count: usize) -> Result<(), String> {
    code.put("sp_down", &[("imm", FRAME)]);
    code.mov(4, KEY);
    set_up(code, 4, (5, 6), count as i32);
    begin(code, Straight::of(&[0, 1, 2, 3]), std::array::from_fn(|j| j / 2))?;
    rounds(code, name, direction, |line, words| {
        for w in 0..4 {
            line.keep(words[2 * w], STATE + 4 * w as i32);
        }
    })?;
    for w in 0..4 {
        code.memory("ldr", w, SP, STATE + 4 * w);
    }
    code.put("sp_up", &[("imm", FRAME)]);
    Ok(())
}

/// Size of the frame for slicing round keys, in bytes.
pub(crate) const KEYS_FRAME: i32 = 4 * KEYS_SLOTS + 24;
const KEYS_SLOTS: i32 = 8;

/// Converts `count` round keys at the address in `from` to slices at the address in `to`, starting with the
/// first. Uses a frame of `KEYS_FRAME` bytes.
pub fn keys(code: &mut Code, name: &str, (to, from): (i32, i32), count: i32) -> Result<(), String> {
    // Spilled values; masks; the addresses of the slices and of the round keys; the number of remaining keys.
    const MASKS: i32 = 4 * KEYS_SLOTS;
    const AT_TO: i32 = MASKS + 12;
    const AT_FROM: i32 = AT_TO + 4;
    const AT_LEFT: i32 = AT_TO + 8;
    let again = format!(".L{name}_slices");
    code.memory("str", to, SP, AT_TO);
    code.memory("str", from, SP, AT_FROM);
    code.number(to, count);
    code.memory("str", to, SP, AT_LEFT);
    transposing(code, MASKS, (to, from));
    code.label(&again);
    let mut line = Straight::of(&[]);
    let (to, from) = (line.kept(AT_TO), line.kept(AT_FROM));
    let words: [usize; 4] = std::array::from_fn(|w| line.loaded(from, 4 * w as i32));
    let slices = sliced(&mut line, std::array::from_fn(|j| words[j / 2]), MASKS);
    for (k, word) in slices.into_iter().enumerate() {
        line.store(word, to, 4 * k as i32);
    }
    line.write_within(code, KEYS_SLOTS)?;
    for (at, by) in [(AT_TO, SLICE), (AT_FROM, 16), (AT_LEFT, -1)] {
        code.memory("ldr", 0, SP, at);
        code.add(0, by);
        code.memory("str", 0, SP, at);
    }
    code.put("cmp_imm", &[("rn", 0), ("imm", 0)]);
    let done = format!(".L{name}_sliced");
    code.branch("beq", &done);
    code.branch("b", &again);
    code.label(&done);
    Ok(())
}
