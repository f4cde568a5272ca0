//! The prover on a small 32-bit machine of its own: AES by tables, bytes and bits is proved, and
//! what is not AES is refuted.

use aesmith_cipher::block::{SBOX, encrypt, expand_key, gf_mul};
use aesmith_cipher::firmware::{Firmware, Packing};
use aesmith_cipher::{Direction, KeySize, Problem, Task};
use aesmith_isa::assemble::{Item, Section, assemble};
use aesmith_isa::convention::{Convention, Return};
use aesmith_isa::execute::{Machine, execute};
use aesmith_isa::image::Image;
use aesmith_isa::numbers::Numbers;
use aesmith_isa::{Description, Guard, Isa, Kind, row};
use aesmith_prove_cores::mutants::{mutants, sorted, wrong_constants};
use aesmith_prove_cores::{Proof, Refutation, prove};

/// Registers: r0 to r15, r13 the stack pointer, r14 the link register.
fn isa() -> Isa {
    let about = Description {
        name: "toy",
        address: 32,
        unit: 4,
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
        ],
        general: 16,
        pairs: &[],
        zero: None,
        counter: None,
        kinds: &[
            ("d", Kind::Register { base: 0, step: 1 }),
            ("a", Kind::Register { base: 0, step: 1 }),
            ("b", Kind::Register { base: 0, step: 1 }),
            ("k", Kind::Number { signed: false, width: 32 }),
            ("n", Kind::Number { signed: false, width: 8 }),
            ("s", Kind::Number { signed: true, width: 32 }),
            ("to", Kind::Relative { bias: 0, width: 32 }),
        ],
        macros: &[],
        guard: Guard::None,
        conditions: &[],
        data: 0,
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
            row("li", "li {d}, {k}", "00001111 d[3:0] 0000 k[15:0]", "d = k", "alu"),
            row("lui", "lui {d}, {k}", "00010000 d[3:0] 0000 k[31:16]", "d = k", "alu"),
            row("bnz", "bnz {d}, {to}", "00010001 d[3:0] 0000 to[15:0]", "if d != 0 { jump pc + to }", "b"),
            row("ret", "ret", "00010010 000000000000000000000000", "jump lr", "b"),
        ],
    )
    .expect("the table is right")
}

const CONVENTION: Convention = Convention {
    source: "the toy's convention",
    arguments: &[&[0], &[1], &[2], &[3]],
    stack_pointer: 13,
    stack_arguments: 0,
    returns: Return::Register(14, 0),
    saved: &[4, 5],
    fixed: &[],
};

struct Code {
    isa: Isa,
    items: Vec<Item>,
}

impl Code {
    fn new() -> Code {
        Code { isa: isa(), items: vec![Item::Label("f".into())] }
    }
    fn push(&mut self, name: &str, fields: &[(&str, i32)]) {
        self.items.push(Item::Insn(self.isa.insn(name, fields)));
    }
    fn three(&mut self, name: &str, d: i32, a: i32, b: i32) {
        self.push(name, &[("d", d), ("a", a), ("b", b)]);
    }
    fn two(&mut self, name: &str, d: i32, a: i32, s: i32) {
        self.push(name, &[("d", d), ("a", a), ("s", s)]);
    }
    fn shift(&mut self, name: &str, d: i32, a: i32, n: i32) {
        self.push(name, &[("d", d), ("a", a), ("n", n)]);
    }
    fn image(&self, table: Vec<u8>) -> Image {
        let text = Section { name: ".text", address: 0x10000, writable: false, items: self.items.clone() };
        let data =
            Section { name: ".data", address: 0x20000, writable: true, items: vec![Item::Bytes(table)] };
        assemble(&self.isa, &[text, data]).expect("assembles")
    }
}

fn contract(key: KeySize, direction: Direction) -> Firmware {
    Firmware { problem: Problem::new(key, Task::Ecb(direction)), packing: Packing::RoundKeys, blocks: 1 }
}

/// Te0 as 1024 bytes, then the S-box.
fn tables() -> Vec<u8> {
    let words = SBOX.iter().flat_map(|&s| [gf_mul(2, s), s, s, gf_mul(3, s)]);
    words.chain(SBOX).collect()
}

/// AES by one table and rotations, unrolled, r4 and r5 kept on the stack.
fn by_tables(size: KeySize) -> Code {
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
    for w in 0..4 {
        c.two("sw", 4 + w, 2, 4 * w);
    }
    c.two("lw", 4, 13, 0);
    c.two("lw", 5, 13, 4);
    c.two("addi", 13, 13, 8);
    c.push("ret", &[]);
    c
}

fn proved(code: &Code, contract: &Firmware) -> Result<Proof, Refutation> {
    let image = code.image(tables());
    prove(&code.isa, &CONVENTION, &image, image.symbol("f").expect("is there"), contract)
}

#[test]
fn tables_are_proved_and_described() {
    for size in KeySize::ALL {
        let proof = proved(&by_tables(size), &contract(size, Direction::Encrypt)).expect("is AES");
        assert!(!proof.constant_time);
        assert_eq!(proof.hangs.len(), 16 * size.rounds());
        assert_eq!(proof.stack_bytes, 8);
        assert_eq!(proof.tables, Some((0x20000, 0x20500)));
        let key = proof.reads.iter().find(|t| t.buffer == "the key").expect("is read");
        assert_eq!((key.from, key.until), (0, 16 * (size.rounds() as i64 + 1)));
        assert!(proof.secret_stack || !proof.secret_registers.is_empty(), "states stay in registers");
        println!("AES-{}: {} us", size.bits(), proof.microseconds);
    }
}

/// The program's answer to a key and a block, if it returns one.
fn ran(isa: &Isa, image: &Image, seed: u8) -> Option<bool> {
    let size = KeySize::Aes128;
    let byte = |i: usize| (i as u8).wrapping_mul(167).wrapping_add(seed.wrapping_mul(91)) ^ (i as u8 >> 3);
    let keys = expand_key(size, &(0..16).map(byte).collect::<Vec<_>>());
    let text: [u8; 16] = std::array::from_fn(|i| byte(i + 40));
    let mut memory = Numbers::new(image, 0, &[(0x40000, 0x1000)]);
    memory.bytes_mut(0x40000, 176).ok()?.copy_from_slice(&keys.concat());
    memory.bytes_mut(0x40200, 16).ok()?.copy_from_slice(&text);
    let mut machine = Machine { registers: vec![0x1234_5678; 16], pc: 0x10000, delayed: None };
    machine.registers[..3].copy_from_slice(&[0x40000, 0x40200, 0x40300]);
    machine.registers[13] = 0x40800;
    machine.registers[14] = 0x7000;
    for _ in 0..5000 {
        if machine.pc == 0x7000 {
            let kept = machine.registers[13] == 0x40800 && machine.registers[4..6] == [0x1234_5678; 2];
            return Some(kept && memory.bytes(0x40300, 16).ok()? == encrypt(&keys, text));
        }
        let insn = isa.decode_at(image, machine.pc).ok()?;
        execute(isa, &insn, &mut memory, &mut machine, || 4).ok()?;
    }
    None
}

#[test]
fn what_is_proved_of_faulty_programs_is_true() {
    let code = by_tables(KeySize::Aes128);
    let contract = contract(KeySize::Aes128, Direction::Encrypt);
    let image = code.image(tables());
    let start = image.symbol("f").expect("is there");
    let end = image.segments[0].end();
    let mut all = mutants(&code.isa, &image, start, end, 37);
    all.extend(wrong_constants(&image, 0x20000, 0x20500, 61));
    let count = all.len();
    assert!(count > 150, "{count} mutants");
    let outcome = sorted(
        all,
        |image| prove(&code.isa, &CONVENTION, image, start, &contract).is_ok(),
        |image| (0..6).all(|seed| ran(&code.isa, image, seed) == Some(true)),
    );
    println!(
        "{} refuted, {} only by proof, {} no faults",
        outcome.refuted, outcome.refuted_only, outcome.proved
    );
    let missed: Vec<_> = outcome.missed.iter().map(|m| format!("{:#x}: {}", m.address, m.fault)).collect();
    assert!(missed.is_empty(), "{missed:?}");
    assert!(outcome.refuted > count / 2);
}
