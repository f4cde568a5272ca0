//! Key schedules (FIPS-197, 5.2): `void name(void *key, const uint8_t *cipher_key)`. AES-128 and AES-192 with the key
//! in registers, unrolled; AES-128 with the key in registers in a loop; or any key size in a loop over memory. For
//! decryption a second pass reverses the round keys and applies InvMixColumns (5.3.5) to the inner ones.

use crate::dimensions;
use aesmith_cipher::problem::{Direction, KeySize, Task};

use super::block::{SBOX, XTIME};
use super::column::{Columns, Doubling, Form};
use super::function;
use super::writer::{self, Reg, SCRATCH, Writer, XL, YH, YL, ZH, ZL};
use aesmith_arrange::Variant;

fn look_up(code: &mut Writer, flash: bool, to: Reg) {
    match flash {
        true => code.one("lpm", to),
        false => code.displaced("ldd_z", to, 0),
    }
}

/// The function of a variant.
pub fn expand(variant: &Variant, name: &str) -> Result<Writer, String> {
    let key = variant.problem.key;
    let flash = variant.is(dimensions::Sbox::Flash);
    let inverse = variant.problem.task == Task::KeySchedule(Direction::Decrypt);
    let unrolled = variant.is(dimensions::Rounds::Unrolled);
    let looped = variant.is(dimensions::Rounds::Looped);
    let blocks = [dimensions::Rounds::Threes, dimensions::Rounds::Steps, dimensions::Rounds::Joined];
    if blocks.into_iter().any(|of_blocks| variant.is(of_blocks)) {
        return Err("a key schedule is unrolled, looped or compact".into());
    }
    if looped && key != KeySize::Aes128 {
        return Err("rounds=looped keeps a key of AES-128 in registers; take rounds=compact".into());
    }
    if unrolled && key == KeySize::Aes256 {
        return Err(
            "a key of AES-256 leaves no registers for an unrolled key schedule; take rounds=compact".into()
        );
    }
    let mut code = Writer::default();
    if inverse {
        code.one("push", 24);
        code.one("push", 25);
    }
    if unrolled {
        in_registers(&mut code, key, flash);
    } else if looped {
        in_a_loop(&mut code, flash);
    } else {
        in_memory(&mut code, key, flash);
    }
    if inverse {
        turn_round(&mut code, key, function::doubling(variant)?);
    }
    let after = code.items.len();
    Ok(writer::function(name, code, after))
}

/// Loads the cipher key into registers and stores it as the first round key words; X points past it.
fn copied(code: &mut Writer, k: &[Reg]) {
    code.movw(XL, 24);
    code.movw(ZL, 22);
    for &r in k {
        code.one("ld_z_inc", r);
        code.one("st_x_inc", r);
    }
}

/// Keeps the last `nk` words in registers and stores each new one at once.
fn in_registers(code: &mut Writer, key: KeySize, flash: bool) {
    let nk = key.bytes() / 4;
    // r25 holds the round constant, as `ldi` must reach it.
    let (constant, through) = (25, 24);
    let mut pool: Vec<Reg> = SCRATCH[..7].to_vec();
    pool.extend(1..=17);
    let k: Vec<Reg> = pool.into_iter().take(4 * nk).collect();
    copied(code, &k);
    code.address(ZH, SBOX, 1);
    let mut rcon = 1;
    for word in nk..4 * (key.rounds() + 1) {
        let j = word % nk;
        for b in 0..4 {
            if j == 0 {
                code.mov(ZL, k[4 * (nk - 1) + (b + 1) % 4]);
                look_up(code, flash, through);
                code.eor(k[b], through);
                if b == 0 {
                    code.constant("ldi", constant, rcon);
                    code.eor(k[0], constant);
                    rcon = aesmith_cipher::block::xtime(rcon);
                }
            } else {
                code.eor(k[4 * j + b], k[4 * (j - 1) + b]);
            }
            code.one("st_x_inc", k[4 * j + b]);
        }
    }
}

/// Keeps the AES-128 round key in registers; a loop computes and stores the next one.
fn in_a_loop(code: &mut Writer, flash: bool) {
    let (through, constant, counter) = (0, 25, 24);
    // Registers that need not be saved come first; r1 is cleared at the end.
    let k: Vec<Reg> = (18..=23).chain(1..=10).collect();
    copied(code, &k);
    code.address(ZH, SBOX, 1);
    code.constant("ldi", constant, 1);
    code.constant("ldi", counter, KeySize::Aes128.rounds() as u8);
    let again = code.fresh("again");
    code.label(&again);
    for b in 0..4 {
        code.mov(ZL, k[12 + (b + 1) % 4]);
        look_up(code, flash, through);
        code.eor(k[b], through);
        if b == 0 {
            code.eor(k[0], constant);
        }
        code.one("st_x_inc", k[b]);
    }
    code.two("add", constant, constant);
    code.over_one("brcc");
    code.constant("ldi", constant, 0x1b);
    for i in 4..16 {
        code.eor(k[i], k[i - 4]);
        code.one("st_x_inc", k[i]);
    }
    code.one("dec", counter);
    code.jump("brne", &again);
}

/// Keeps the last word in registers; loads the word `nk` words back from memory.
fn in_memory(code: &mut Writer, key: KeySize, flash: bool) {
    let nk = key.bytes() / 4;
    let t = [18, 19, 20, 21];
    let (through, constant, reduction, counter) = (0, 23, 24, 25);
    code.movw(XL, 24);
    code.movw(YL, 24);
    code.movw(ZL, 22);
    code.constant("ldi", counter, nk as u8);
    let copy = code.fresh("copy");
    code.label(&copy);
    for r in t {
        code.one("ld_z_inc", r);
        code.one("st_x_inc", r);
    }
    code.one("dec", counter);
    code.jump("brne", &copy);
    code.address(ZH, SBOX, 1);
    code.constant("ldi", constant, 1);
    code.constant("ldi", reduction, 0x1b);
    let words = 4 * (key.rounds() + 1) - nk;
    code.constant("ldi", counter, words.div_ceil(nk) as u8);
    let (group, end) = (code.fresh("group"), code.fresh("end"));
    code.label(&group);
    code.mov(ZL, t[0]);
    look_up(code, flash, through);
    for b in 0..3 {
        code.mov(ZL, t[b + 1]);
        look_up(code, flash, t[b]);
    }
    code.mov(t[3], through);
    code.eor(t[0], constant);
    code.two("add", constant, constant);
    code.over_one("brcc");
    code.eor(constant, reduction);
    let word = |code: &mut Writer| {
        for r in t {
            code.one("ld_y_inc", through);
            code.eor(r, through);
            code.one("st_x_inc", r);
        }
    };
    // Only four words of the last group are needed, for every key size.
    (0..4).for_each(|_| word(code));
    code.one("dec", counter);
    code.jump("breq", &end);
    if nk > 4 {
        for j in 4..nk {
            if nk == 8 && j == 4 {
                for r in t {
                    code.mov(ZL, r);
                    look_up(code, flash, r);
                }
            }
            word(code);
        }
    }
    code.jump("rjmp", &group);
    code.label(&end);
}

/// Converts encryption round keys to those of the equivalent inverse cipher in place: reverses them and applies
/// InvMixColumns to the inner ones. The address of the key has been pushed.
fn turn_round(code: &mut Writer, key: KeySize, doubling: Doubling) {
    let rounds = key.rounds() as u8;
    let (low, high, pairs, bytes) = (0, 18, 19, 20);
    code.one("pop", ZH);
    code.one("pop", ZL);
    code.movw(XL, ZL);
    code.movw(YL, ZL);
    // Moves Y up by 16 bytes per round: at most 224.
    code.constant("subi", YL, (16 * rounds).wrapping_neg());
    code.constant("sbci", YH, 0xff);
    code.constant("ldi", pairs, rounds / 2);
    let (pair, byte) = (code.fresh("pair"), code.fresh("byte"));
    code.label(&pair);
    code.constant("ldi", bytes, 16);
    code.label(&byte);
    code.displaced("ldd_z", low, 0);
    code.displaced("ldd_y", high, 0);
    code.one("st_y_inc", low);
    code.one("st_z_inc", high);
    code.one("dec", bytes);
    code.jump("brne", &byte);
    code.word("sbiw", YL, 32);
    code.one("dec", pairs);
    code.jump("brne", &pair);
    // The inner columns.
    let (s, counter) = ([18, 19, 20, 21], 22);
    let wants = Columns::wants(Direction::Decrypt, doubling, true);
    let free = [0, 23, 24, 2, 3][..wants].to_vec();
    let columns = Columns {
        direction: Direction::Decrypt,
        doubling,
        flash: false,
        reduction: 25,
        free,
        keys_before: false,
    };
    code.movw(ZL, XL);
    code.word("adiw", ZL, 16);
    if doubling == Doubling::Table {
        code.address(YH, XTIME, 1);
    } else {
        code.constant("ldi", columns.reduction, 0x1b);
    }
    code.constant("ldi", counter, 4 * (rounds - 1));
    let column = code.fresh("column");
    code.label(&column);
    for (b, r) in s.into_iter().enumerate() {
        code.displaced("ldd_z", r, b as u8);
    }
    let rows = columns.mix(code, s, Form::Apart);
    for terms in rows.terms {
        for &term in &terms[1..] {
            code.eor(terms[0], term);
        }
        code.one("st_z_inc", terms[0]);
    }
    code.one("dec", counter);
    code.jump("brne", &column);
}
