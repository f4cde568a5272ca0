//! A block with expanded round keys: they are loaded into the registers that become the next state, two of them
//! with one LDM if registers suffice.

use crate::dimensions;
use aesmith_cipher::problem::Direction;
use aesmith_extension::order::Order;
use aesmith_extension::program::Program;
use aesmith_isa::assemble::Section;

use super::frame;
use super::line::{Input, Line, WIRED, is_wired};
use super::rounds;
use crate::kernels::plan::{KEY, LR, OUT, SAVED};
use aesmith_arrange::Variant;
use aesmith_processor::attach::Attached;

/// The address of the text.
const IN: i32 = 1;

/// `void name(const void *key, const uint8_t in[16], uint8_t out[16])`
pub fn function(
    attached: &'static Attached,
    variant: &Variant,
    symbol: &str,
    direction: Direction,
) -> Result<Section, String> {
    let most = if variant.is(dimensions::Keys::One) { 1 } else { 2 };
    let programs = rounds(attached, variant, direction)?;
    let mut found = Err(String::new());
    for keys in (1..=most).rev() {
        found = block(attached, variant.problem.key.rounds(), direction, keys, programs);
        if found.is_ok() {
            break;
        }
    }
    frame::function(attached, variant, symbol, found?)
}

/// All rounds, with `at_once` round keys loaded at once. These are stored in the order of the state.
fn block(
    attached: &'static Attached,
    count: usize,
    direction: Direction,
    at_once: usize,
    (order, [round, last]): (Order, [&'static Program; 2]),
) -> Result<Line, String> {
    let free: Vec<i32> = [3, 12].into_iter().chain(SAVED).chain([LR]).collect();
    let mut line = Line::new(attached, &free);
    let wired = [round, last].map(|p| is_wired(attached, p));
    line.provide([round, last], direction)?;
    let mut keys: Vec<i32> = Vec::new();
    // The text's pointer is free after the text is loaded, and may hold a word of it.
    let mut state: Vec<i32> = if wired[0] {
        WIRED.into_iter().for_each(|r| assert!(line.claim(r), "nothing is held yet"));
        WIRED.to_vec()
    } else {
        line.give(IN);
        line.take_ascending(4)?
    };
    line.code.several("ldmia", IN, &state);
    if wired[0] {
        line.give(IN);
    }
    state = line.laid_out(order, &state, false)?;
    for round_key in 0..=count {
        if keys.is_empty() {
            let words = 4 * at_once.min(count + 1 - round_key);
            keys = line.take_ascending(words)?;
            line.code.several("ldmia_pre", KEY, &keys);
        }
        let key: Vec<i32> = keys.drain(..4).collect();
        let key: Vec<i32> = (0..4).map(|word| key[order.in_memory(word)]).collect();
        if round_key == 0 {
            for (s, k) in state.iter().zip(&key) {
                line.code.op("eor", *s, *s, *k);
                line.give(*k);
            }
            continue;
        }
        let inputs: Vec<Input> =
            state.iter().chain(&key).map(|&register| Input { register, kept: false }).collect();
        let (program, next_is_wired) = if round_key < count {
            (round, wired[usize::from(round_key + 1 == count)])
        } else {
            (last, false)
        };
        state = line.program(program, &inputs, next_is_wired.then_some(&WIRED))?;
    }
    let state = line.columns(order, &state)?;
    store(&mut line, &state, OUT);
    Ok(line)
}

/// Stores the result, with one STM if its registers ascend.
pub fn store(line: &mut Line, state: &[i32], out: i32) {
    if state.is_sorted() {
        line.code.several("stmia", out, state);
    } else {
        for (k, &register) in state.iter().enumerate() {
            line.code.memory("str", register, out, 4 * k as i32);
        }
    }
}
