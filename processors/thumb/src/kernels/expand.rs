//! The key schedule (FIPS-197, 5.2), unrolled. For the equivalent inverse cipher (5.3.5): InvMixColumns is
//! linear, so the recurrence also holds for mixed words. Only the S-box outputs and the cipher key itself are
//! mixed. The registers suffice for both forms if the key has four words; longer keys are mixed in a second
//! pass.

use aesmith_cipher::problem::{Direction, KeySize};
use aesmith_dataflow::memory::{self, Memory};
use aesmith_isa::assemble::{Item, Section};

use super::tables;
use super::writer::{FREE, How, LR, Line, SAVED, TEXT, branch, function, section};

/// Round constants (FIPS-197, 5.2).
const CONSTANTS: [u32; 10] = [1, 2, 4, 8, 0x10, 0x20, 0x40, 0x80, 0x1b, 0x36];

/// `sum ^= SubWord(word)`, with the word rotated by a byte if `rotate`.
pub fn substituted(line: &mut Line, table: (i32, i32), sum: i32, word: i32, rotate: bool) -> i32 {
    let indices: [i32; 4] = std::array::from_fn(|row| line.byte(word, row as i32));
    let found = indices.map(|i| line.entry("ldrb", table.0, i, table.1));
    found.into_iter().enumerate().fold(sum, |sum, (row, v)| {
        let to = if rotate { (row + 3) % 4 } else { row };
        line.op_by("eor", sum, v, "lsl", 8 * to as i32)
    })
}

/// Four bytes times x: bytes whose highest bit is set are reduced.
pub fn doubled(line: &mut Line, word: i32) -> i32 {
    let high = line.op_number("and", word, 0x8080_8080);
    let rest = line.op_number("bic", word, 0x8080_8080);
    // 0x80 minus 0x01 is 0x7f; masked with 0x1b it is the reduction.
    let low = line.made("sub.lsr", &[("rn", high), ("rm", high), ("right", 7)]);
    let reduction = line.op_number("and", low, 0x1b1b_1b1b);
    line.op_by("eor", reduction, rest, "lsl", 1)
}

/// InvMixColumns of a column: 14, 9, 13, 11 times its bytes, from its multiples by 2, 4 and 8.
fn inverse_mixed(line: &mut Line, w: i32) -> i32 {
    let two = doubled(line, w);
    let four = doubled(line, two);
    let eight = doubled(line, four);
    let six = line.op("eor", two, four);
    let fourteen = line.op("eor", six, eight);
    let nine = line.op("eor", eight, w);
    // Row r of the result contains 11 times the byte of row r + 1, 13 times that of r + 2, 9 times that of r +
    // 3.
    let mut sum = fourteen;
    for (rows, others) in [(1, Some(two)), (2, Some(four)), (3, None)] {
        let product = others.map_or(nine, |other| line.op("eor", nine, other));
        sum = line.op_by("eor", sum, product, "ror", 8 * rows);
    }
    sum
}

/// `void name(void *key, const uint8_t *cipher_key)`; with `sliced`, for [`super::sliced`].
pub fn unrolled(
    size: KeySize,
    symbol: &str,
    direction: Direction,
    sliced: bool,
    how: &How,
) -> Result<Vec<Section>, String> {
    let (label, pool) = (format!("{symbol}_sbox"), format!(".L{symbol}_sbox"));
    let backwards = direction == Direction::Decrypt;
    let inverse = backwards && size == KeySize::Aes128;
    let (length, rounds) = (size.bytes() / 4, size.rounds());
    let all = 4 * (rounds + 1);
    // Keys that are sliced afterwards are stored in the upper half, where the slices never overtake the reads.
    let start = if sliced { 16 * (rounds as i32 + 1) } else { 0 };
    let mut line = Line::new();
    let (key, input) = (line.block.enter(0), line.block.enter(1));
    let mut table = line.literal(&pool);
    let mut plain: Vec<i32> = (0..length).map(|w| line.load_in(input, 4 * w as i32, TEXT)).collect();
    let mut mixed: Vec<i32> = Vec::new();
    if inverse {
        mixed = plain.clone().into_iter().map(|w| inverse_mixed(&mut line, w)).collect();
    }
    for i in 0..all {
        let (k, round) = (i % length, i / 4);
        if i >= length {
            let before = plain[(i - 1) % length];
            let first = k == 0;
            if first || (length == 8 && k == 4) {
                if inverse {
                    // Its register is needed between look-ups.
                    table = line.literal(&pool);
                }
                // The S-box output is mixed separately if a mixed word depends on it.
                let wanted = inverse && round < rounds;
                let sum = match (wanted, first) {
                    (false, true) => line.op_number("eor", plain[k], CONSTANTS[i / length - 1]),
                    (false, false) => plain[k],
                    (true, true) => line.made("movw", &[("imm", CONSTANTS[i / length - 1] as i32)]),
                    (true, false) => line.made("movw", &[("imm", 0)]),
                };
                let t = substituted(&mut line, (table, 1), sum, before, first);
                if wanted {
                    plain[k] = line.op("eor", plain[k], t);
                    let t = inverse_mixed(&mut line, t);
                    mixed[k] = line.op("eor", mixed[k], t);
                } else {
                    plain[k] = t;
                }
            } else {
                plain[k] = line.op("eor", plain[k], before);
                if inverse && round < rounds {
                    mixed[k] = line.op("eor", mixed[k], mixed[k - 1]);
                }
            }
        }
        let outer = round == 0 || round == rounds;
        let place = if backwards { rounds - round } else { round };
        let word = if inverse && !outer { mixed[k] } else { plain[k] };
        line.store(word, key, start + 16 * place as i32 + 4 * (i % 4) as i32, TEXT);
    }
    let second = backwards && !inverse;
    if second || sliced {
        line.block.leave(key, Some(0));
    }
    let (mut items, mut used) = line.arranged_frugally(how)?;
    if second {
        let pointer =
            |name: &str, by: i32| Item::Insn(line.isa.insn(name, &[("rd", 0), ("rn", 0), ("imm", by)]));
        if sliced {
            items.push(pointer("addw", start));
        }
        mixed_in_place(rounds as i32 - 1, symbol, how, &mut items, &mut used)?;
        if sliced {
            items.push(pointer("subw", start + moved_by_mixing(rounds as i32 - 1)));
        }
    }
    let mut frame = 0;
    if sliced {
        items.push(Item::Insn(line.isa.insn("addw", &[("rd", 1), ("rn", 0), ("imm", start)])));
        let (more, needed) = super::sliced_keys::slices(rounds as i32, direction, symbol)?;
        items.extend(more);
        used = [&SAVED[..], &[LR]].concat();
        frame = needed;
    }
    let items = function(line.isa, &[], &used, (frame, frame), items);
    let sbox = Memory::Substitution(memory::Direction::Forward).contents().to_vec();
    Ok(vec![
        section(line.isa, symbol, items, &[(&pool, &label)]),
        tables::section(&label, sbox, crate::dimensions::Memory::Ram),
    ])
}

/// The distance in bytes by which [`mixed_in_place`] moves its pointer.
pub(crate) fn moved_by_mixing(count: i32) -> i32 {
    16 * count + 12
}

/// Applies InvMixColumns in place to round keys after the first one.
pub(crate) fn mixed_in_place(
    count: i32,
    symbol: &str,
    how: &How,
    items: &mut Vec<Item>,
    used: &mut Vec<i32>,
) -> Result<(), String> {
    const COUNT: i32 = 1;
    let again = format!(".L{symbol}_mix");
    let mut line = Line::new();
    let key = line.block.enter(0);
    for _ in 0..4 {
        let rt = line.block.fresh();
        let insn = line.isa.insn("ldr.pre_up", &[("rt", rt), ("rn", key), ("imm", 4)]);
        line.block.push_in(insn, TEXT);
        let word = inverse_mixed(&mut line, rt);
        line.store(word, key, 0, TEXT);
    }
    line.block.leave(key, Some(0));
    let free: Vec<u8> = FREE.into_iter().filter(|&r| i32::from(r) != COUNT).collect();
    let (body, more) = line.arranged(how, &free)?;
    items.push(Item::Insn(line.isa.insn("add.imm", &[("rd", 0), ("rn", 0), ("const", 12)])));
    items.push(Item::Insn(line.isa.insn("movs_imm", &[("rd", COUNT), ("imm", count)])));
    items.push(Item::Label(again.clone()));
    items.extend(body);
    items.push(Item::Insn(line.isa.insn("subs_imm8", &[("rd", COUNT), ("imm", 1)])));
    items.push(branch(line.isa, "bne.w", &again));
    used.extend(more);
    Ok(())
}
