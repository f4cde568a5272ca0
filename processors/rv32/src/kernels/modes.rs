//! Kernels of messages: a block, counter mode and chaining.

use aesmith_cipher::problem::{Direction, Task};

use super::function::{Function, Target};
use super::lookup::{Bases, Technique};
use super::rounds::{Plan, Shape};
use super::writer::register::{A0, SP};
use super::writer::{Writer, region};

const KEY: u8 = A0;

/// Loads four words.
fn words(w: &mut Writer, base: u8, regions: u16) -> [i32; 4] {
    let base = w.lasting(base);
    std::array::from_fn(|k| w.load("lw", base, 4 * k as i32, Some(regions + k as u16)))
}

fn put(w: &mut Writer, base: u8, regions: u16, values: [i32; 4]) {
    let base = w.lasting(base);
    for (k, &v) in values.iter().enumerate() {
        w.store(v, base, 4 * k as i32, regions + k as u16);
    }
}

fn added(w: &mut Writer, a: [i32; 4], b: [i32; 4]) -> [i32; 4] {
    std::array::from_fn(|k| w.xor(a[k], b[k]))
}

/// `key, in, out`.
pub fn ecb(target: Target, symbol: &str, plan: &Plan, saved: usize) -> Result<Function, String> {
    const IN: u8 = A0 + 1;
    const OUT: u8 = A0 + 2;
    let alone = plan.shape == Shape::Unrolled;
    let lasting = if alone { Vec::new() } else { [&[KEY, IN, OUT][..], &plan.lasting()].concat() };
    let mut f = Function::new(target, symbol, &lasting, saved);
    if !alone {
        plan.set_up(&mut f, &[KEY, IN, OUT])?;
    }
    plan.cipher(&mut f, alone, |w| words(w, IN, region::TEXT), |w, out| put(w, OUT, region::TEXT, out))?;
    Ok(f)
}

/// The arguments of the modes.
const IV: u8 = A0 + 1;
const IN: u8 = A0 + 2;
const OUT: u8 = A0 + 3;
const COUNT: u8 = A0 + 4;
const ARGUMENTS: [u8; 5] = [KEY, IV, IN, OUT, COUNT];

/// `key, iv, in, out, blocks`, by the problem's task.
pub fn mode(
    target: Target,
    symbol: &str,
    plan: &Plan,
    task: Task,
    cached: bool,
    saved: usize,
) -> Result<Function, String> {
    let lasting = [&ARGUMENTS[..], &plan.lasting()].concat();
    let mut f = Function::new(target, symbol, &lasting, saved);
    plan.set_up(&mut f, &ARGUMENTS)?;
    match task {
        Task::Ctr if cached => counted_from_caches(&mut f, plan)?,
        Task::Ctr => {
            f.label("block");
            plan.cipher(&mut f, false, |w| words(w, IV, region::IV), counted)?;
            next(&mut f, "block", Some("check"));
        }
        Task::CbcDecrypt => {
            f.label("block");
            plan.cipher(
                &mut f,
                false,
                |w| words(w, IN, region::TEXT),
                |w, out| {
                    let chain = words(w, IV, region::IV);
                    let text = words(w, IN, region::TEXT);
                    let plain = added(w, out, chain);
                    put(w, IV, region::IV, text);
                    put(w, OUT, region::TEXT, plain);
                },
            )?;
            next(&mut f, "block", None);
        }
        _ => {
            f.label("block");
            plan.cipher(
                &mut f,
                false,
                |w| {
                    let (text, chain) = (words(w, IN, region::TEXT), words(w, IV, region::IV));
                    added(w, text, chain)
                },
                |w, out| {
                    put(w, IV, region::IV, out);
                    put(w, OUT, region::TEXT, out);
                },
            )?;
            next(&mut f, "block", None);
        }
    }
    Ok(f)
}

/// Adds the key stream to the text.
fn counted(w: &mut Writer, stream: [i32; 4]) {
    let text = words(w, IN, region::TEXT);
    let sum = added(w, text, stream);
    put(w, OUT, region::TEXT, sum);
}

/// Advances to the next block, at `start`. For a counter, increments the last byte; if it wraps, also the
/// others, and then branches to `carried`: `check`, which tests for more blocks, or code that leads there.
fn next(f: &mut Function, start: &str, carried: Option<&str>) {
    // Temporary registers: no value of a block is live here.
    const BYTE: u8 = 5;
    const AT: u8 = 6;
    f.with("addi", COUNT, COUNT, -1);
    f.with("addi", IN, IN, 16);
    f.with("addi", OUT, OUT, 16);
    let Some(carried) = carried else {
        f.branch("beq", COUNT, 0, "done");
        f.jump(start);
        f.label("done");
        return;
    };
    f.with("lbu", BYTE, IV, 15);
    f.with("addi", BYTE, BYTE, 1);
    f.store_byte(BYTE, IV, 15);
    f.with("andi", BYTE, BYTE, 255);
    f.branch("beq", BYTE, 0, "carry");
    f.label("check");
    f.branch("beq", COUNT, 0, "done");
    f.jump(start);
    // Once per 256 blocks: from byte 14 upwards, until a byte does not become zero.
    f.label("carry");
    f.with("addi", AT, IV, 14);
    f.label("byte");
    f.with("lbu", BYTE, AT, 0);
    f.with("addi", BYTE, BYTE, 1);
    f.store_byte(BYTE, AT, 0);
    f.with("andi", BYTE, BYTE, 255);
    f.with("addi", AT, AT, -1);
    f.branch("bne", BYTE, 0, "carried");
    f.with("addi", BYTE, AT, 1);
    f.branch("bne", BYTE, IV, "byte");
    f.label("carried");
    f.jump(carried);
    f.label("done");
}

/// Counter-mode caching (Bernstein and Schwabe, INDOCRYPT 2008): while only the counter's last byte changes, it
/// affects one column of the first round, and one byte of each column of the second.
fn counted_from_caches(f: &mut Function, plan: &Plan) -> Result<(), String> {
    let lookup = plan.lookup;
    let bases = Bases::fixed();
    debug_assert!(lookup.direction == Direction::Encrypt && lookup.technique != Technique::Sbox);
    if let Technique::Custom(instructions) = lookup.technique
        && (0..4).any(|row| instructions.share(row).is_none())
    {
        return Err(format!("{instructions:?} add no single byte to a column: counters have no caches"));
    }
    f.scratch = 32;
    let key = |w: &mut Writer, round: usize, column: usize| {
        w.load("lw", i32::from(KEY), (16 * round + 4 * column) as i32, None)
    };
    // The column of the first round that byte 15 moves to: column 0, as byte 3 of word 3.
    f.label("caches");
    f.block(false, |w| {
        let text = words(w, IV, region::IV);
        let state: [i32; 4] = std::array::from_fn(|column| {
            let key = key(w, 0, column);
            w.xor(text[column], key)
        });
        let column =
            |w: &mut Writer, state: &[i32; 4], round: usize, column: usize, without: Option<usize>| {
                let start = key(w, round, column);
                (0..4)
                    .filter(|row| Some(*row) != without)
                    .fold(start, |sum, row| lookup.add(w, &bases, sum, state[lookup.from(column, row)], row))
            };
        let first = column(w, &state, 1, 0, Some(3));
        w.store(first, i32::from(SP), 0, region::STACK);
        let after: [i32; 4] =
            std::array::from_fn(|k| if k == 0 { first } else { column(w, &state, 1, k, None) });
        for k in 0..4 {
            // Word 0 is the changing one; this is its byte that moves to the column.
            let row = (4 - k) % 4;
            let kept = column(w, &after, 2, k, Some(row));
            w.store(kept, i32::from(SP), 4 + 4 * k as i32, region::STACK + 1 + k as u16);
        }
    })?;
    f.jump("check");
    f.label("counter");
    f.block(false, |w| {
        let kept = |w: &mut Writer, k: usize| {
            w.load("lw", i32::from(SP), 4 * k as i32, Some(region::STACK + k as u16))
        };
        let text = w.load("lw", i32::from(IV), 12, Some(region::IV + 3));
        let white = key(w, 0, 3);
        let changed = w.xor(text, white);
        let first = kept(w, 0);
        let first = lookup.add(w, &bases, first, changed, 3);
        let state = std::array::from_fn(|k| {
            let column = kept(w, 1 + k);
            lookup.add(w, &bases, column, first, (4 - k) % 4)
        });
        let mut source = plan.source(w, bases);
        let stream = plan.rest(w, &bases, 3, state, &mut source);
        counted(w, stream);
    })?;
    next(f, "counter", Some("caches"));
    Ok(())
}
