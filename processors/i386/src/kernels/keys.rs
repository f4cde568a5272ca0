//! Key schedules (FIPS-197, 5.2 and 5.3.5).

use aesmith_cipher::block::xtime;
use aesmith_cipher::{Direction, KeySize};

use super::code::{Code, Memory};
use super::rounds::KEYS;
use super::tables::{Contents, Tables};
use crate::table::{EAX, EBX, ECX, EDI, EDX};

/// The cipher key.
const CIPHER_KEY: i32 = EDI;
/// An index into a table.
const INDEX: i32 = ECX;

/// SubWord of a word into another register, starting with the byte of row `rotated`.
fn sub_word(code: &mut Code, tables: Tables, word: i32, rotated: usize, into: i32) {
    for from in 0..4 {
        if from == 2 {
            code.shift(word, 16);
        }
        code.byte(INDEX, word, from);
        let how = if from == 0 { "mov_r" } else { "xor_r" };
        let entry = tables.entry(Contents::Bytes(Direction::Encrypt), (from + 4 - rotated) % 4);
        code.memory(how, Memory::Entry(entry, INDEX), &[("r", into)]);
    }
}

/// InvMixColumns of a word into another register: the inverse's table of columns applies it after the inverse
/// S-box, which the S-box cancels.
fn unmixed(code: &mut Code, tables: Tables, word: i32, into: i32) {
    for row in 0..4 {
        if row == 2 {
            code.shift(word, 16);
        }
        code.byte(INDEX, word, row);
        code.load_byte(INDEX, Memory::Entry(tables.byte(Direction::Encrypt), INDEX));
        let how = if row == 0 { "mov_r" } else { "xor_r" };
        let entry = tables.entry(Contents::Columns(Direction::Decrypt), row);
        code.memory(how, Memory::Entry(entry, INDEX), &[("r", into)]);
    }
}

/// A key schedule. Arguments: key structure, cipher key. For decryption, whose round keys are in reverse order,
/// the words of the encryption round keys stay in the frame, and the decryption keys are computed from them.
pub fn schedule(symbol: &str, size: KeySize, direction: Direction, tables: Tables) -> Code {
    let (count, rounds) = (size.bits() / 32, size.rounds());
    let words = 4 * (rounds + 1);
    let decrypts = direction == Direction::Decrypt;
    let mut code = Code::new(symbol, if decrypts { words as i32 } else { 0 });
    let key = |i: usize| Memory::At(KEYS, 4 * i as i32);
    let made = |i: usize| if decrypts { Memory::Own(i as i32) } else { key(i) };
    code.load(KEYS, Memory::Argument(0));
    code.load(CIPHER_KEY, Memory::Argument(1));
    let (mut before, mut other) = (EAX, EDX);
    for i in 0..words {
        if i < count {
            code.load(before, Memory::At(CIPHER_KEY, 4 * i as i32));
        } else {
            let starts = i.is_multiple_of(count);
            if starts || count == 8 && i % 8 == 4 {
                sub_word(&mut code, tables, before, usize::from(starts), other);
                std::mem::swap(&mut before, &mut other);
            }
            if starts {
                let constant = (1..i / count).fold(1, |c, _| xtime(c));
                code.number("xor", before, constant.into());
            }
            code.xor(before, made(i - count));
        }
        code.store(before, made(i));
        if decrypts {
            let round = i / 4;
            let at = key(4 * (rounds - round) + i % 4);
            if round == 0 || round == rounds {
                code.store(before, at);
            } else {
                // The word is loaded again, as it is needed for the next one.
                unmixed(&mut code, tables, before, EBX);
                code.store(EBX, at);
                code.load(before, made(i));
            }
        }
    }
    code.leave();
    code
}

/// The tables that it reads.
pub fn contents(direction: Direction) -> &'static [Contents] {
    match direction {
        Direction::Encrypt => &[Contents::Bytes(Direction::Encrypt)],
        Direction::Decrypt => &[Contents::Bytes(Direction::Encrypt), Contents::Columns(Direction::Decrypt)],
    }
}
