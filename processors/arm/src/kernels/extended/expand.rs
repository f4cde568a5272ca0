//! The key schedule: round keys are stored as they are computed; for decryption from the last place downwards,
//! those of the middle rounds after InvMixColumns (FIPS-197, 5.3.5).

use aesmith_cipher::problem::{Direction, KeySize};
use aesmith_extension::order::Order;
use aesmith_extension::program::{Goal, Program};
use aesmith_isa::assemble::Section;

use super::frame;
use super::line::{Input, Line};
use super::order;
use super::words::{Words, all, inverse_mix};
use crate::kernels::plan::{KEY, LR, SAVED};
use aesmith_arrange::Variant;
use aesmith_processor::attach::Attached;

/// The address of the cipher key.
const FROM: i32 = 1;

/// `void name(void *key, const uint8_t *cipher_key)`
pub fn function(
    attached: &'static Attached,
    variant: &Variant,
    symbol: &str,
    direction: Direction,
) -> Result<Section, String> {
    let size = variant.problem.key;
    // AES-128 has no SubWord without the rotation.
    let turned = attached.program(Goal::SubWord { turned: true });
    let plain = attached.program(Goal::SubWord { turned: false });
    let substitutes = turned.is_ok() && (size < KeySize::Aes256 || plain.is_ok());
    let inverts = direction == Direction::Decrypt && inverse_mix(attached).customs() > 0;
    let order = order(attached, variant, direction)?;
    if !substitutes && !inverts && order == Order::default() {
        return crate::kernels::expand::function(variant, symbol, direction);
    }
    let free: Vec<i32> = [2, 3, 12, FROM].into_iter().chain(SAVED).chain([LR]).collect();
    let mut line = Line::new(attached, &free);
    if !substitutes {
        line.look_up(Direction::Encrypt)?;
    }
    let registers = line.take_ascending(size.bytes() / 4)?;
    line.code.several("ldmia", FROM, &registers);
    let words = Words::new(size, registers);
    if order != Order::default() {
        in_order(attached, &mut line, size, &words, (direction, order))?;
        return frame::function(attached, variant, symbol, line);
    }
    match direction {
        Direction::Encrypt => upwards(attached, &mut line, size, &words)?,
        Direction::Decrypt => downwards(attached, &mut line, size, &words)?,
    }
    frame::function(attached, variant, symbol, line)
}

/// Stores as many words at once as the cipher key has.
fn upwards(attached: &Attached, line: &mut Line, size: KeySize, words: &Words) -> Result<(), String> {
    let count = words.registers.len();
    for start in (0..all(size)).step_by(count) {
        let until = all(size).min(start + count);
        for number in start.max(count)..until {
            words.step(line, attached, number)?;
        }
        line.code.several("stmia_pre", KEY, &words.registers[..until - start]);
    }
    Ok(())
}

/// If a cipher key is not a whole number of round keys, or registers do not suffice, words are stored one by
/// one.
fn downwards(attached: &Attached, line: &mut Line, size: KeySize, words: &Words) -> Result<(), String> {
    let inverse = inverse_mix(attached);
    let rounds = size.rounds();
    if inverse.mixes() {
        line.reduce()?;
    }
    if size == KeySize::Aes128 {
        line.code.op_i("add", KEY, KEY, 16 * (rounds as u32 + 1));
    }
    for round in 0..=rounds {
        let numbers = (4 * round..4 * round + 4).filter(|&n| n >= words.registers.len());
        for number in numbers {
            words.step(line, attached, number)?;
        }
        let outer = round == 0 || round == rounds;
        let key = words.round(round);
        if size == KeySize::Aes128 {
            if outer {
                line.code.several("stmdb_pre", KEY, &key);
                continue;
            }
            let places = line.take_ascending(4)?;
            for (&register, &place) in key.iter().zip(&places) {
                line.give(place);
                mixed(line, &inverse, register, Some(place))?;
            }
            line.code.several("stmdb_pre", KEY, &places);
            places.into_iter().for_each(|place| line.give(place));
        } else {
            for (k, &register) in key.iter().enumerate() {
                let at = 16 * (rounds - round) as i32 + 4 * k as i32;
                if outer {
                    line.code.memory("str", register, KEY, at);
                } else {
                    let made = mixed(line, &inverse, register, None)?;
                    line.code.memory("str", made, KEY, at);
                    line.give(made);
                }
            }
        }
    }
    Ok(())
}

/// Round keys in an order of the state: words are stored one by one, tiles in pairs.
fn in_order(
    attached: &Attached,
    line: &mut Line,
    size: KeySize,
    words: &Words,
    (direction, order): (Direction, Order),
) -> Result<(), String> {
    let inverse = inverse_mix(attached);
    let rounds = size.rounds();
    if direction == Direction::Decrypt && inverse.mixes() {
        line.reduce()?;
    }
    for first in (0..all(size)).step_by(order.together()) {
        let numbers = first..first + order.together();
        for number in numbers.clone().filter(|&n| n >= words.registers.len()) {
            words.step(line, attached, number)?;
        }
        let round = first / 4;
        let columns: Vec<i32> = numbers.map(|number| words.at(number)).collect();
        let made = if direction == Direction::Encrypt || round == 0 || round == rounds {
            line.keyed(order, &columns, true)?
        } else {
            let of = |&register: &i32| mixed(line, &inverse, register, None);
            let columns = columns.iter().map(of).collect::<Result<Vec<i32>, String>>()?;
            line.keyed(order, &columns, false)?
        };
        let used = if direction == Direction::Encrypt { round } else { rounds - round };
        for (k, register) in made.into_iter().enumerate() {
            line.code.memory("str", register, KEY, (16 * used + 4 * (first % 4 + k)) as i32);
            line.give(register);
        }
    }
    Ok(())
}

/// InvMixColumns of a word that stays live.
fn mixed(line: &mut Line, inverse: &Program, register: i32, place: Option<i32>) -> Result<i32, String> {
    let places = place.map(|p| [p]);
    let inputs = [Input { register, kept: true }];
    let made = line.program(inverse, &inputs, places.as_ref().map(|p| &p[..]))?;
    made.first().copied().ok_or_else(|| "InvMixColumns has no result".to_owned())
}
