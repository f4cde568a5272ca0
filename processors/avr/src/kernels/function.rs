//! C functions around a block in registers, and register allocation.

use crate::dimensions;
use aesmith_cipher::problem::Task;

use super::block::{Block, Rounds};
use super::column::{Columns, Doubling};
use super::writer::{self, Reg, SCRATCH, Writer, XH, XL, YH, YL, ZH, ZL};
use aesmith_arrange::Variant;
use aesmith_processor::core::IN_REGISTERS;
use aesmith_prove::bits::Places;

/// The implementation of doubling that the variant selects.
pub fn doubling(variant: &Variant) -> Result<Doubling, String> {
    match variant.choice() {
        Some(dimensions::Doubling::Table) => Ok(Doubling::Table),
        Some(dimensions::Doubling::Branch) => Ok(Doubling::Branch),
        Some(dimensions::Doubling::Mask) => Ok(Doubling::Mask),
        None => Err(format!("{variant} says no way of doubling")),
    }
}

/// The form of the block function that the variant selects.
pub fn block(variant: &Variant) -> Result<Block, String> {
    let direction = variant.problem.mode().direction;
    let doubling = doubling(variant)?;
    let count = variant.problem.key.rounds() as u8;
    let rounds = match variant.choice() {
        Some(dimensions::Rounds::Unrolled) => Rounds::Unrolled,
        Some(dimensions::Rounds::Looped) => Rounds::Looped(1),
        Some(dimensions::Rounds::Threes) => Rounds::Looped(3),
        Some(dimensions::Rounds::Steps) => Rounds::Steps,
        Some(dimensions::Rounds::Joined) => Rounds::Joined,
        Some(dimensions::Rounds::Compact) | None => {
            return Err("rounds=compact is not for blocks in registers".into());
        }
    };
    if let Rounds::Looped(of) = rounds
        && !(count - 1).is_multiple_of(of)
    {
        return Err(format!("rounds=threes asks for inner rounds in threes; there are {}", count - 1));
    }
    let joined = rounds == Rounds::Joined;
    let forward = variant.is(dimensions::Keys::Forward);
    if joined && (doubling == Doubling::Table || forward || !matches!(variant.problem.task, Task::Ecb(_))) {
        return Err(
            "rounds=joined is for one block with keys of its own; it doubles by branch or by mask".into()
        );
    }
    let mut free = pool(doubling, joined);
    // `ldi` takes only r16 and above.
    let mut take = |upper: bool| {
        let place = free.iter().rposition(|r| !upper || (16..26).contains(r) && SCRATCH.contains(r));
        place.map(|p| free.remove(p)).ok_or_else(|| "registers run out".to_owned())
    };
    let looped = rounds != Rounds::Unrolled;
    let reduction = if doubling == Doubling::Table { ZL } else { take(true)? };
    let counter = if looped { take(true)? } else { ZL };
    let mut wants = Columns::wants(direction, doubling, looped);
    if variant.is(dimensions::Counter::Cached) {
        // A byte in flight, its double and its triple.
        wants = wants.max(3);
    }
    if free.len() < 16 + wants {
        return Err("registers run out".into());
    }
    let spare = free.split_off(16 + wants);
    let temporary = free.split_off(16);
    Ok(Block {
        columns: Columns {
            direction,
            doubling,
            flash: variant.is(dimensions::Sbox::Flash),
            reduction,
            free: temporary,
            keys_before: forward,
        },
        state: std::array::from_fn(|i| free[i]),
        // Moves take the last register, so the registers that need not be saved are put there.
        spare: spare.into_iter().rev().collect(),
        counter,
        rounds,
        count,
    })
}

/// Registers in the order of allocation: those that need not be saved first.
fn pool(doubling: Doubling, joined: bool) -> Vec<Reg> {
    let mut pool = SCRATCH.to_vec();
    if joined {
        // Y points to the keys.
        pool.extend([XL, XH]);
    }
    pool.extend(1..=17);
    if doubling != Doubling::Table && !joined {
        pool.extend([YL, YH]);
    }
    pool
}

/// `void name(const void *key, const uint8_t in[16], uint8_t out[16])`.
pub fn ecb(variant: &Variant, name: &str) -> Result<Writer, String> {
    let block = block(variant)?;
    let mut code = Writer::default();
    let inner = format!("{name}{IN_REGISTERS}");
    let outside = variant.is(dimensions::Convention::Registers);
    code.one("push", 20);
    code.one("push", 21);
    // The pointer to the round keys, and the pointer that is free when the result is stored.
    let (key, (low, high, store)) = match block.rounds {
        Rounds::Joined => (YL, (ZL, ZH, "st_z_inc")),
        _ => (XL, (XL, XH, "st_x_inc")),
    };
    code.movw(key, 24);
    code.movw(ZL, 22);
    for r in block.state {
        code.one("ld_z_inc", r);
    }
    let mut core = Writer::default();
    block.pages(&mut core);
    let out = block.rounds(&mut core)?;
    if outside {
        code.jump("rcall", &inner);
    } else {
        code.items.append(&mut core.items);
    }
    code.one("pop", high);
    code.one("pop", low);
    for r in out {
        code.one(store, r);
    }
    let after = code.items.len();
    if outside {
        let pointer = if key == XL { "X" } else { "Y" };
        code.comment(&format!("The round keys at {pointer}; the block in {}.", names(&block.state)));
        code.comment(&format!("The result is in {}.", names(&out)));
        code.label(&inner);
        code.items.append(&mut core.items);
        code.plain("ret");
    }
    Ok(writer::function(name, code, after))
}

/// The input and output registers of the function on a block in registers: unrolled rounds leave bytes in any free
/// register.
pub fn places(variant: &Variant) -> Result<Places, String> {
    let block = block(variant)?;
    let out = block.rounds(&mut Writer::default())?;
    let key = if block.rounds == Rounds::Joined { vec![YL, YH] } else { vec![XL, XH] };
    Ok(Places { key, block: block.state.to_vec(), result: out.to_vec() })
}

fn names(registers: &[Reg]) -> String {
    registers.iter().map(|r| format!("r{r}")).collect::<Vec<_>>().join(" ")
}
