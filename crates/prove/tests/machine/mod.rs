//! A 32-bit machine with a few instructions, and AES for it.

use aesmith_cipher::block::{SBOX, gf_mul};
use aesmith_cipher::firmware::{Firmware, Packing};
use aesmith_cipher::{KeySize, Problem, Task};
use aesmith_isa::assemble::{Item, Part, Section, assemble};
use aesmith_isa::convention::{Convention, Return};
use aesmith_isa::image::Image;
use aesmith_isa::{Description, Isa, Kind, row};

/// The machine: registers r0 to r15, with r13 the stack pointer and r14 the link register, and a flag that lets interrupts
/// happen.
pub fn isa() -> Isa {
    let about = Description {
        name: "toy",
        registers: &[
            ("r0", 32),
            ("r1", 32),
            ("r2", 32),
            ("r3", 32),
            ("r4", 32),
            ("r5", 32),
            ("r6", 32),
            ("r7", 32),
            ("r8", 32),
            ("r9", 32),
            ("r10", 32),
            ("r11", 32),
            ("r12", 32),
            ("sp", 32),
            ("lr", 32),
            ("r15", 32),
            ("on", 1),
        ],
        general: 16,
        kinds: &[
            ("d", Kind::Register { base: 0, step: 1 }),
            ("a", Kind::Register { base: 0, step: 1 }),
            ("b", Kind::Register { base: 0, step: 1 }),
            ("k", Kind::Number { signed: false, width: 32 }),
            ("n", Kind::Number { signed: false, width: 8 }),
            ("s", Kind::Number { signed: true, width: 32 }),
            ("to", Kind::Relative { bias: 0, width: 32 }),
        ],
        ..Description::PLAIN
    };
    let three = |name: &str, op: u8, meaning: &str| {
        let encoding = format!("{op:08b} d[3:0] a[3:0] b[3:0] 000000000000");
        row(name, &format!("{name} {{d}}, {{a}}, {{b}}"), &encoding, meaning, "alu")
    };
    let two = |name: &str, op: u8, meaning: &str, class: &str| {
        let encoding = format!("{op:08b} d[3:0] a[3:0] s[15:0]");
        row(name, &format!("{name} {{d}}, {{a}}, {{s}}"), &encoding, meaning, class)
    };
    let shift = |name: &str, op: u8, meaning: &str| {
        let encoding = format!("{op:08b} d[3:0] a[3:0] n[7:0] 00000000");
        row(name, &format!("{name} {{d}}, {{a}}, {{n}}"), &encoding, meaning, "alu")
    };
    Isa::new(
        about,
        &[
            three("add", 1, "d = a + b"),
            three("sub", 2, "d = a - b"),
            three("xor", 3, "d = a ^ b"),
            three("and", 4, "d = a & b"),
            three("or", 5, "d = a | b"),
            three("mul", 6, "d = a * b"),
            shift("shl", 7, "d = a << n"),
            shift("shr", 8, "d = a >> n"),
            shift("ror", 9, "d = ror(a, n)"),
            two("addi", 10, "d = a + s", "alu"),
            two("lw", 11, "d = m32[a + s]", "load"),
            two("lb", 12, "d = zx(m8[a + s], 32)", "load"),
            two("sw", 13, "m32[a + s] = d", "store"),
            two("sb", 14, "m8[a + s] = d[7:0]", "store"),
            two("swu", 24, "at := a + s; m32[at] = d; a = at", "store"),
            row("li", "li {d}, {k}", "00001111 d[3:0] 0000 k[15:0]", "d = k", "alu"),
            row("lui", "lui {d}, {k}", "00010000 d[3:0] 0000 k[31:16]", "d = k", "alu"),
            row("bnz", "bnz {d}, {to}", "00010001 d[3:0] 0000 to[15:0]", "if d != 0 { jump pc + to }", "b"),
            row(
                "bnb",
                "bnb {d}, {to}",
                "00010011 d[3:0] 0000 to[15:0]",
                "if d[7:0] != 0 { jump pc + to }",
                "b",
            ),
            row("blo", "blo {d}, {to}", "00010100 d[3:0] 0000 to[15:0]", "if d <u 3 { jump pc + to }", "b"),
            row("bad", "bad {d}, {to}", "00010101 d[3:0] 0000 to[15:0]", "if d != 0 { jumpd pc + to }", "b"),
            three("div", 22, "d = divu(a, b)"),
            row("on", "on", "00011001 000000000000000000000000", "on = 1", "alu"),
            row("off", "off", "00011010 000000000000000000000000", "on = 0", "alu"),
            row("get", "get {d}", "00011011 d[3:0] 00000000000000000000", "d = cat(d[31:1], on)", "alu"),
            row("put", "put {d}", "00011100 d[3:0] 00000000000000000000", "on = d[0]", "alu"),
            row("ret", "ret", "00010010 000000000000000000000000", "jump lr", "b"),
        ],
    )
    .expect("the table is right")
}

pub const CONVENTION: Convention = Convention {
    name: "toy",
    source: "the toy's convention",
    arguments: &[&[0], &[1], &[2], &[3]],
    stack_pointer: 13,
    stack_arguments: 0,
    alignment: 4,
    red_zone: 0,
    saves: (0, 0),
    returns: Return::Register(14, 0),
    saved: &[4, 5],
    fixed: &[],
    windows: None,
    stack_alignment: 4,
    held_alignment: 4,
    back_chain: false,
    callers_by_fours: true,
    slot: 0,
    reserved: &[],
    halves: None,
    buffers: 4,
};

pub struct Code {
    pub isa: Isa,
    pub items: Vec<Item>,
}

impl Code {
    pub fn new() -> Code {
        Code { isa: isa(), items: vec![Item::Label("f".into())] }
    }
    pub fn push(&mut self, name: &str, fields: &[(&str, i32)]) {
        self.items.push(Item::Insn(self.isa.insn(name, fields)));
    }
    pub fn three(&mut self, name: &str, d: i32, a: i32, b: i32) {
        self.push(name, &[("d", d), ("a", a), ("b", b)]);
    }
    pub fn two(&mut self, name: &str, d: i32, a: i32, s: i32) {
        self.push(name, &[("d", d), ("a", a), ("s", s)]);
    }
    pub fn shift(&mut self, name: &str, d: i32, a: i32, n: i32) {
        self.push(name, &[("d", d), ("a", a), ("n", n)]);
    }
    pub fn image(&self, table: Vec<u8>) -> Image {
        let text = Section { name: ".text", address: 0x10000, writable: false, items: self.items.clone() };
        let data =
            Section { name: ".data", address: 0x20000, writable: true, items: vec![Item::Bytes(table)] };
        // The image is as a linker placed it: its addresses are numbers.
        assemble(&self.isa, &[text, data]).expect("assembles").placed()
    }
}

pub fn contract(key: KeySize, task: Task) -> Firmware {
    Firmware { problem: Problem::new(key, task), packing: Packing::RoundKeys, blocks: 1 }
}

/// Te0 as 1024 bytes, then the S-box.
pub fn tables() -> Vec<u8> {
    let words = SBOX.iter().flat_map(|&s| [gf_mul(2, s), s, s, gf_mul(3, s)]);
    words.chain(SBOX).collect()
}

/// AES by one table and rotations, unrolled; r4 and r5 are saved on the stack.
pub fn by_tables(size: KeySize) -> Code {
    let mut c = Code::new();
    c.two("addi", 13, 13, -8);
    c.two("sw", 4, 13, 0);
    c.two("sw", 5, 13, 4);
    c.push("lui", &[("d", 15), ("k", 0x20000)]);
    for w in 0..4 {
        c.two("lw", 4 + w, 1, 4 * w);
        c.two("lw", 3, 0, 4 * w);
        c.three("xor", 4 + w, 4 + w, 3);
    }
    rounds(&mut c, size);
    for w in 0..4 {
        c.two("sw", 4 + w, 2, 4 * w);
    }
    c.two("lw", 4, 13, 0);
    c.two("lw", 5, 13, 4);
    c.two("addi", 13, 13, 8);
    c.push("ret", &[]);
    c
}

/// The rounds: the state is in r4 to r7, the key at r0, the tables at r15.
fn rounds(c: &mut Code, size: KeySize) {
    let rounds = size.rounds() as i32;
    for r in 1..=rounds {
        for w in 0..4 {
            let to = 8 + w;
            c.two("lw", to, 0, 16 * r + 4 * w);
            for row in 0..4 {
                let from = 4 + (w + row) % 4;
                c.shift("shr", 3, from, 8 * row);
                c.push("li", &[("d", 12), ("k", 255)]);
                c.three("and", 3, 3, 12);
                if r < rounds {
                    c.shift("shl", 3, 3, 2);
                }
                c.three("add", 3, 3, 15);
                if r < rounds {
                    c.two("lw", 3, 3, 0);
                    c.shift("ror", 3, 3, (32 - 8 * row) % 32);
                } else {
                    c.two("lb", 3, 3, 1024);
                    c.shift("shl", 3, 3, 8 * row);
                }
                c.three("xor", to, to, 3);
            }
        }
        for w in 0..4 {
            c.two("addi", 4 + w, 8 + w, 0);
        }
    }
}

/// Counter mode or CBC encryption, one block after another; the state of the call is on the stack.
pub fn messages(task: Task) -> Code {
    let mut c = Code::new();
    c.two("addi", 13, 13, -32);
    for (register, place) in [(4, 0), (5, 4), (2, 8), (3, 12), (1, 16)] {
        c.two("sw", register, 13, place);
    }
    c.two("lw", 3, 13, 32);
    c.two("sw", 3, 13, 20);
    c.push("lui", &[("d", 15), ("k", 0x20000)]);
    c.items.push(Item::Label(".Lloop".into()));
    c.two("lw", 1, 13, 16);
    c.two("lw", 2, 13, 8);
    for w in 0..4 {
        c.two("lw", 4 + w, 1, 4 * w);
        if task != Task::Ctr {
            c.two("lw", 3, 2, 4 * w);
            c.three("xor", 4 + w, 4 + w, 3);
        }
        c.two("lw", 3, 0, 4 * w);
        c.three("xor", 4 + w, 4 + w, 3);
    }
    rounds(&mut c, KeySize::Aes128);
    c.two("lw", 1, 13, 12);
    for w in 0..4 {
        if task == Task::Ctr {
            c.two("lw", 3, 2, 4 * w);
            c.three("xor", 4 + w, 4 + w, 3);
        }
        c.two("sw", 4 + w, 1, 4 * w);
    }
    c.two("addi", 2, 2, 16);
    c.two("sw", 2, 13, 8);
    c.two("addi", 1, 1, 16);
    c.two("sw", 1, 13, 12);
    c.two("lw", 1, 13, 16);
    if task == Task::Ctr {
        // Adds one to the last byte, and the carry to all others.
        c.push("li", &[("d", 3), ("k", 1)]);
        for i in (0..16).rev() {
            c.two("lb", 12, 1, i);
            c.three("add", 12, 12, 3);
            c.two("sb", 12, 1, i);
            c.shift("shr", 3, 12, 8);
        }
    } else {
        for w in 0..4 {
            c.two("sw", 4 + w, 1, 4 * w);
        }
    }
    c.two("lw", 3, 13, 20);
    c.two("addi", 3, 3, -1);
    c.two("sw", 3, 13, 20);
    c.items.push(Item::Linked {
        insn: c.isa.insn("bnz", &[("d", 3)]),
        field: "to".into(),
        label: ".Lloop".into(),
        addend: 0,
        part: Part::Distance,
    });
    c.two("lw", 4, 13, 0);
    c.two("lw", 5, 13, 4);
    c.two("addi", 13, 13, 32);
    c.push("ret", &[]);
    c
}
