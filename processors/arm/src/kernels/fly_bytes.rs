//! A block with an S-box table and MixColumns in plain code, from the cipher key itself. Decryption is the
//! straightforward inverse cipher (FIPS-197, 5.3), whose round keys are those of encryption, after the schedule
//! has run to its end: InvMixColumns costs as much for a state as for a round key, so a T-table would gain
//! nothing.

use crate::dimensions;
use aesmith_cipher::problem::Direction;
use aesmith_isa::assemble::Section;

use super::expand::schedule;
use super::plan::{EVEN, KEY, LR, ODD, OUT, PC, SAVED, SP, TABLE, TEMPORARY, Tables, section};
use super::ring::Ring;
use super::substitute::{MIX, substituted};
use super::writer::Code;
use aesmith_arrange::Variant;

/// Temporaries of schedule steps; the third only if it holds no word.
const PLACES: &[i32] = &[TEMPORARY[0], TEMPORARY[1], KEY];

/// `void name(const void *cipher_key, const uint8_t in[16], uint8_t out[16])`
pub fn function(variant: &Variant, symbol: &str, direction: Direction) -> Section {
    let size = variant.problem.key;
    let encrypts = direction == Direction::Encrypt;
    let tables = Tables { mixed: None, substitution: Some(direction), schedule: !encrypts };
    let offset = if encrypts { 0 } else { tables.schedule_offset() };
    let places = if size.bytes() == 16 { PLACES } else { &PLACES[..2] };
    let ring = Ring { size, base: TABLE, offset, scale: 0, places, last: KEY };
    // Above the words of the key: a round constant if there is a loop, the address of the text if it is read
    // late, and the address of the output.
    let loops = variant.is(dimensions::Rounds::Looped);
    let aside = if encrypts { &[OUT][..] } else { &[TEMPORARY[0], OUT] };
    let mut before = Code::default();
    let saved: Vec<i32> = aside.iter().copied().chain(SAVED).chain([LR]).collect();
    before.several("stmdb_pre", SP, &saved);
    let mut code = Code::default();
    ring.load_cipher_key(&mut code);
    let above = size.bytes() as i32;
    if encrypts {
        let constant = &ODD[..usize::from(loops)];
        constant.iter().for_each(|&c| code.number(c, 1));
        ring.whiten(&mut code, constant);
        MIX.numbers(&mut code);
        encrypt(&mut code, ring, symbol, loops);
    } else {
        code.op_i("add", TABLE, TABLE, offset);
        schedule(&mut code, size, ring.registers(), |_, _| {});
        code.op_i("sub", TABLE, TABLE, offset);
        code.several("stmdb_pre", SP, ring.registers());
        code.memory("ldr", OUT, SP, above);
        code.several("ldmia", OUT, &EVEN);
        ring.load(&mut code, size.rounds(), ODD);
        for (s, k) in EVEN.into_iter().zip(ODD) {
            code.op("eor", s, s, k);
        }
        MIX.numbers(&mut code);
        decrypt(&mut code, ring);
    }
    let out = above + 4 * i32::from(loops) + 4 * (aside.len() as i32 - 1);
    code.memory("ldr", OUT, SP, out);
    code.several("stmia", OUT, &EVEN);
    code.op_i("add", SP, SP, out as u32 + 4);
    let back: Vec<i32> = SAVED.into_iter().chain([PC]).collect();
    code.several("ldmia_pre", SP, &back);
    section(symbol, tables, before, code)
}

/// Adds the round key in the even registers to the state in the odd ones; the sum is in the even ones.
fn add_key(code: &mut Code) {
    for (s, k) in ODD.into_iter().zip(EVEN) {
        code.op("eor", k, s, k);
    }
}

fn mix(code: &mut Code, direction: Direction, state: [i32; 4]) {
    state.into_iter().for_each(|w| MIX.column(code, direction, w, w));
}

fn encrypt(code: &mut Code, ring: Ring, symbol: &str, loops: bool) {
    let rounds = ring.size.rounds();
    if loops {
        let start = format!(".L{symbol}_rounds");
        code.label(&start);
        substituted(code, Direction::Encrypt);
        mix(code, Direction::Encrypt, ODD);
        let (place, c) = (ring.size.bytes() as i32, TEMPORARY[0]);
        ring.forwards_with(code, 1, EVEN, |code, k| {
            code.memory("ldr", c, SP, place);
            code.op("eor", k, k, c);
            // Doubles it in GF(2^8).
            code.put("mov_lsl", &[("rd", c), ("rm", c), ("sh", 1)]);
            code.put("tst_i", &[("rn", c), ("con", 0x100)]);
            code.put("mov_i", &[("cond", 1), ("rd", c), ("con", 0x1b)]);
            code.memory("str", c, SP, place);
            // The tenth constant is that of the last round.
            code.put("cmp_i", &[("rn", c), ("con", 0x36)]);
        });
        add_key(code);
        code.branch_if(1, &start);
    }
    for round in if loops { rounds..=rounds } else { 1..=rounds } {
        substituted(code, Direction::Encrypt);
        if round < rounds {
            mix(code, Direction::Encrypt, ODD);
        }
        ring.forwards(code, round, EVEN);
        add_key(code);
    }
}

fn decrypt(code: &mut Code, ring: Ring) {
    for round in (0..ring.size.rounds()).rev() {
        substituted(code, Direction::Decrypt);
        ring.backwards(code, round, EVEN);
        add_key(code);
        if round > 0 {
            mix(code, Direction::Decrypt, EVEN);
        }
    }
}
