//! AES-128 encryption by the steps of FIPS-197, each a function on the state in memory, for the profile of
//! "Optimization of AES in Software" on its own processor: there is no compiler for it here, so the four
//! optimizations of that work are written in the processor's own instructions.
//!
//! `aes128_bytewise_expand(key, cipher key)` and `aes128_bytewise(key, in, out)` are the entry points. Inlined
//! steps begin with a label of the step's name and a number, and end with a label of the enclosing function, so
//! that every instruction belongs to a name.

use aesmith_cipher::{Direction, KeySize, Problem, Task};
use aesmith_isa::assemble::{Item, Part as Linked, Section};

use super::super::table::isa;
use super::function::{Function, Part};
use super::tables::Table;
use super::writer::{SP, Shape, Writer, region};
use super::{CODE, TABLES};
use crate::{CORES, dimensions};
use aesmith_isa::timing::Timing;
use aesmith_processor::core::Core;

/// The four optimizations.
#[derive(Clone, Copy, Debug)]
pub struct Choices {
    /// SubBytes unrolled instead of a loop.
    pub unrolled: bool,
    /// Products in MixColumns looked up instead of computed.
    pub looked_up: bool,
    /// Steps inlined instead of called.
    pub inlined: bool,
    /// The state in 32-bit words instead of bytes.
    pub words: bool,
}

/// The names of the entry points.
pub const EXPAND: &str = "aes128_bytewise_expand";
/// See [`EXPAND`].
pub const ENCRYPT: &str = "aes128_bytewise";

const SHAPE: Shape = Shape { barrel: true, extract_by_memory: false, join_by_stores: false };
const SBOX: Table = Table::Bytes(Direction::Encrypt);
/// The registers of the state, the round key, and the counter of a step's loop.
const STATE: i32 = 5;
const KEY: i32 = 6;
const LEFT: i32 = 7;
/// The driver's registers: round key, output, number of rounds left.
const ROUND_KEY: i32 = 19;
const OUTPUT: i32 = 20;
const ROUNDS: i32 = 21;
/// The driver's frame: return address, space for arguments of callees, the state, saved registers.
const STATE_AT: i32 = 28;
const SAVED_AT: i32 = 44;
/// Number of saved registers that steps may use: called steps save them themselves, inlined ones with the
/// driver.
const SAVED: usize = 8;

/// True if a processor is of this family, so that it runs these programs.
pub fn writes_for(core: &Core) -> bool {
    CORES.iter().any(|own| own.name == core.name)
}

/// The program of some choices for a processor of this family.
pub fn program(choices: Choices, core: &'static Core) -> Result<Vec<Section>, String> {
    let problem = Problem::new(KeySize::Aes128, Task::KeySchedule(Direction::Encrypt));
    let schedule = core.table.plain(problem).with_choice(dimensions::Rounds::Looped)?;
    let timing = core.timing;
    let expand = super::keys::schedule(&schedule, SHAPE, Direction::Encrypt);
    let mut items = vec![Item::Label(EXPAND.into())];
    items.extend(expand.finish(super::function::SAVED.len(), 0, timing)?);
    let mut driver = Driver { choices, timing, items, copies: 0 };
    driver.encrypt()?;
    if !choices.inlined {
        for step in STEPS {
            driver.items.push(Item::Label(step.into()));
            let function = || step_function(choices, step, "");
            // Registers are saved if otherwise values would be spilled to the stack.
            let enough = function().arranged(0, 0, timing)?.saves == 0;
            driver.items.extend(function().finish(if enough { 0 } else { SAVED }, 0, timing)?);
        }
    }
    let mut tables = vec![SBOX, Table::Constants];
    if choices.looked_up {
        tables.extend([Table::Times(2), Table::Times(3)]);
    }
    let contents = tables.iter().flat_map(|t| t.items()).collect();
    Ok(vec![
        Section { name: ".text", address: CODE, writable: false, items: driver.items },
        Section { name: ".rodata", address: TABLES, writable: false, items: contents },
    ])
}

const STEPS: [&str; 4] = ["add_round_key", "sub_bytes", "shift_rows", "mix_columns"];

struct Driver {
    choices: Choices,
    timing: &'static Timing,
    items: Vec<Item>,
    copies: usize,
}

impl Driver {
    fn put(&mut self, name: &str, fields: &[(&str, i32)]) {
        self.items.push(Item::Insn(isa().insn(name, fields)));
    }

    fn memory(&mut self, name: &str, rd: i32, ra: i32, imm: i32) {
        self.put(name, &[("rd", rd), ("ra", ra), ("imm", imm)]);
    }

    fn linked(&mut self, name: &str, fields: &[(&str, i32)], label: &str) {
        let (insn, field) = (isa().insn(name, fields), "off".to_owned());
        let label = label.to_owned();
        self.items.push(Item::Linked { insn, field, label, addend: 0, part: Linked::Distance });
    }

    /// A step: a call, or its body.
    fn step(&mut self, step: &str) -> Result<(), String> {
        if !self.choices.inlined {
            if step == "add_round_key" {
                self.put("addk", &[("rd", KEY), ("ra", ROUND_KEY), ("rb", 0)]);
            }
            self.linked("brlid", &[("rd", 15)], step);
            // Computes the state's address, in the delay slot.
            self.memory("addik", STATE, SP, STATE_AT);
            return Ok(());
        }
        self.copies += 1;
        let copy = format!(".{}", self.copies);
        self.items.push(Item::Label(format!("{step}{copy}")));
        if step == "add_round_key" {
            self.put("addk", &[("rd", KEY), ("ra", ROUND_KEY), ("rb", 0)]);
        }
        let timing = self.timing;
        let mut function = step_function(self.choices, step, &copy);
        function.fixed.extend([ROUND_KEY, OUTPUT, ROUNDS].map(|r| r as u8));
        let body = function.arranged(SAVED, 0, timing)?;
        if body.saves > 0 {
            return Err(format!("{step} has too few registers to be inlined"));
        }
        self.items.extend(body.items);
        self.items.push(Item::Label(format!("{ENCRYPT}{copy}")));
        Ok(())
    }

    fn encrypt(&mut self) -> Result<(), String> {
        // Registers from r19 on: the driver's three, and those of inlined steps.
        let saved = if self.choices.inlined { SAVED as i32 } else { 3 };
        let frame = SAVED_AT + 4 * saved;
        self.items.push(Item::Label(ENCRYPT.into()));
        self.memory("addik", SP, SP, -frame);
        self.memory("swi", 15, SP, 0);
        for k in 0..saved {
            self.memory("swi", ROUND_KEY + k, SP, SAVED_AT + 4 * k);
        }
        let words = [8, 9, 10, 11];
        for (k, r) in (0..).zip(words) {
            self.memory("lwi", r, 6, 4 * k);
        }
        for (k, r) in (0..).zip(words) {
            self.memory("swi", r, SP, STATE_AT + 4 * k);
        }
        self.put("addk", &[("rd", ROUND_KEY), ("ra", 5), ("rb", 0)]);
        self.put("addk", &[("rd", OUTPUT), ("ra", 7), ("rb", 0)]);
        self.memory("addik", ROUNDS, 0, 9);
        self.memory("addik", STATE, SP, STATE_AT);
        self.step("add_round_key")?;
        self.items.push(Item::Label(".Lround".into()));
        self.step("sub_bytes")?;
        self.step("shift_rows")?;
        self.step("mix_columns")?;
        self.memory("addik", ROUND_KEY, ROUND_KEY, 16);
        self.step("add_round_key")?;
        self.memory("addik", ROUNDS, ROUNDS, -1);
        self.linked("bnei", &[("ra", ROUNDS)], ".Lround");
        self.step("sub_bytes")?;
        self.step("shift_rows")?;
        self.memory("addik", ROUND_KEY, ROUND_KEY, 16);
        self.step("add_round_key")?;
        for (k, r) in (0..).zip(words) {
            self.memory("lwi", r, SP, STATE_AT + 4 * k);
        }
        for (k, r) in (0..).zip(words) {
            self.memory("swi", r, OUTPUT, 4 * k);
        }
        self.memory("lwi", 15, SP, 0);
        for k in 0..saved {
            self.memory("lwi", ROUND_KEY + k, SP, SAVED_AT + 4 * k);
        }
        self.put("rtsd", &[("ra", 15), ("imm", 8)]);
        self.memory("addik", SP, SP, frame);
        Ok(())
    }
}

/// A step on the state at r5, with the round key at r6; `copy` makes its labels unique.
fn step_function(choices: Choices, step: &str, copy: &str) -> Function {
    let mut parts = Vec::new();
    match step {
        "add_round_key" => add_round_key(choices, copy, &mut parts),
        "sub_bytes" => sub_bytes(choices, copy, &mut parts),
        "shift_rows" => parts.push(Part::Block(shift_rows(choices).block)),
        _ => mix_columns(choices, copy, &mut parts),
    }
    let fixed = vec![STATE as u8, KEY as u8, LEFT as u8, BASE as u8, SECOND as u8];
    Function { parts, tables: Vec::new(), fixed, scratch: false, behind: Vec::new() }
}

/// Registers for the addresses of tables within a step's loop.
const BASE: i32 = 8;
const SECOND: i32 = 9;

/// `for (r7 = 16; r7 != 0; ) { r7 -= step; ... }`, with the code before it.
fn looped(
    parts: &mut Vec<Part>,
    mut before: Writer,
    label: String,
    step: i32,
    body: impl FnOnce(&mut Writer),
) {
    before.offset_in(LEFT, 0, 16);
    parts.push(Part::Block(before.block));
    parts.push(Part::Items(vec![Item::Label(label.clone())]));
    let mut w = Writer::new(SHAPE);
    w.advance(LEFT, -step);
    body(&mut w);
    parts.push(Part::Block(w.block));
    parts.push(Part::Branch { name: "bneid", register: LEFT, label, slot: None });
}

fn add_round_key(choices: Choices, copy: &str, parts: &mut Vec<Part>) {
    let (load, store, step) = if choices.words { ("lw", "sw", 4) } else { ("lbu", "sb", 1) };
    looped(parts, Writer::new(SHAPE), format!(".Ladd{copy}"), step, |w| {
        let a = w.two_in(load, STATE, LEFT, Some(region::TEXT));
        let b = w.two(load, KEY, LEFT);
        let sum = w.xor(a, b);
        w.store_at(store, sum, STATE, LEFT, region::TEXT);
    });
}

/// The S-box on a word of the state, or on a byte.
fn substituted(w: &mut Writer, words: bool, at: Result<i32, i32>) {
    let (load, store) = if words { ("lw", "sw") } else { ("lbu", "sb") };
    // Different offsets do not overlap.
    let place = |offset: i32| region::KEY_WORDS + offset as u16;
    let value = match at {
        Ok(offset) => w.load(&format!("{load}i"), STATE, offset, Some(place(offset))),
        Err(index) => w.two_in(load, STATE, index, Some(region::TEXT)),
    };
    let found = if words {
        w.substituted(BASE, std::array::from_fn(|k| (value, k)))
    } else {
        w.two("lbu", BASE, value)
    };
    match at {
        Ok(offset) => w.store(&format!("{store}i"), found, STATE, offset, place(offset)),
        Err(index) => w.store_at(store, found, STATE, index, region::TEXT),
    }
}

fn sub_bytes(choices: Choices, copy: &str, parts: &mut Vec<Part>) {
    let mut w = Writer::new(SHAPE);
    w.address_in(BASE, SBOX);
    let step = if choices.words { 4 } else { 1 };
    if choices.unrolled {
        for at in (0..16).step_by(step as usize) {
            substituted(&mut w, choices.words, Ok(at));
        }
        parts.push(Part::Block(w.block));
        return;
    }
    looped(parts, w, format!(".Lsub{copy}"), step, |w| substituted(w, choices.words, Err(LEFT)));
}

fn shift_rows(choices: Choices) -> Writer {
    let mut w = Writer::new(SHAPE);
    let text = Some(region::TEXT);
    if choices.words {
        let s: [i32; 4] = std::array::from_fn(|j| w.load("lwi", STATE, 4 * j as i32, text));
        let masks = [0xffu32, 0xff00, 0xff_0000, 0xff00_0000].map(|m| w.constant(m));
        for j in 0..4 {
            let parts: [i32; 4] = std::array::from_fn(|k| w.two("and", s[(j + k) % 4], masks[k]));
            let word = parts[1..].iter().fold(parts[0], |word, &p| w.two("or", word, p));
            w.store("swi", word, STATE, 4 * j as i32, region::TEXT);
        }
        return w;
    }
    for row in 1..4 {
        let place = region::KEY_WORDS + row as u16;
        let bytes: [i32; 4] = std::array::from_fn(|j| w.load("lbui", STATE, 4 * j as i32 + row, Some(place)));
        for j in 0..4 {
            w.store("sbi", bytes[(j + row as usize) % 4], STATE, 4 * j as i32 + row, place);
        }
    }
    w
}

fn mix_columns(choices: Choices, copy: &str, parts: &mut Vec<Part>) {
    let mut before = Writer::new(SHAPE);
    if choices.looked_up {
        before.address_in(BASE, Table::Times(2));
        before.address_in(SECOND, Table::Times(3));
    }
    looped(parts, before, format!(".Lmix{copy}"), 4, |w| {
        let text = Some(region::TEXT);
        if choices.words && !choices.looked_up {
            let word = w.two_in("lw", STATE, LEFT, text);
            let mixed = w.mixed(word);
            w.store_at("sw", mixed, STATE, LEFT, region::TEXT);
            return;
        }
        let column = w.two("addk", STATE, LEFT);
        let word = choices.words.then(|| w.load("lwi", column, 0, text));
        let a: [i32; 4] = std::array::from_fn(|k| match word {
            Some(word) => w.byte(word, k),
            None => w.load("lbui", column, k as i32, text),
        });
        let mixed: [i32; 4] = std::array::from_fn(|k| {
            let next = a[(k + 1) % 4];
            let rest = w.xor(a[(k + 2) % 4], a[(k + 3) % 4]);
            if choices.looked_up {
                let (twice, thrice) = (w.two("lbu", BASE, a[k]), w.two("lbu", SECOND, next));
                let both = w.xor(twice, thrice);
                return w.xor(both, rest);
            }
            // Twice the sum of two neighbors; bits shifted out of the byte are not stored.
            let sum = w.xor(a[k], next);
            let twice = w.two("addk", sum, sum);
            let high = w.shift("bsrli", sum, 7);
            let reduction = w.number("muli", high, 0x1b);
            let product = w.xor(twice, reduction);
            let others = w.xor(next, rest);
            w.xor(product, others)
        });
        if choices.words {
            let word = w.join(mixed);
            w.store("swi", word, column, 0, region::TEXT);
        } else {
            for (k, byte) in mixed.into_iter().enumerate() {
                w.store("sbi", byte, column, k as i32, region::TEXT);
            }
        }
    });
}
