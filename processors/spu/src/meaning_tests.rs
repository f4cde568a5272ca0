//! The semantics of every row against the architecture's definition, written a second time for this test over
//! arrays of bytes, whose first is the highest as in the definition: no free program runs an SPU.

use aesmith_isa::execute::{Machine, execute};
use aesmith_isa::image::Image;
use aesmith_isa::numbers::Numbers;
use aesmith_isa::{Insn, Kind};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::table::isa;

type Quad = [u8; 16];

/// Registers of the instruction under test.
const RT: usize = 3;
const RA: usize = 4;
const RB: usize = 5;
const RC: usize = 6;
/// Its address, and the local store around its accesses.
const PC: u64 = 0x1000;
const STORE: u64 = 0x2000;

/// The inputs of an instruction: registers before it, its immediate if it has one, memory.
struct Given {
    rt: Quad,
    ra: Quad,
    rb: Quad,
    rc: Quad,
    number: i32,
    /// The 16 bytes that a load reads.
    memory: Quad,
}

fn words(q: Quad) -> [u32; 4] {
    std::array::from_fn(|k| u32::from_be_bytes([q[4 * k], q[4 * k + 1], q[4 * k + 2], q[4 * k + 3]]))
}

fn halves(q: Quad) -> [u16; 8] {
    std::array::from_fn(|k| u16::from_be_bytes([q[2 * k], q[2 * k + 1]]))
}

fn of_words(f: impl Fn(usize) -> u32) -> Quad {
    let bytes: Vec<u8> = (0..4).flat_map(|k| f(k).to_be_bytes()).collect();
    bytes.try_into().expect("16 bytes")
}

fn of_halves(f: impl Fn(usize) -> u16) -> Quad {
    let bytes: Vec<u8> = (0..8).flat_map(|k| f(k).to_be_bytes()).collect();
    bytes.try_into().expect("16 bytes")
}

/// Bit `k` of a register, where the highest is 0.
fn bit(q: Quad, k: usize) -> u8 {
    q[k / 8] >> (7 - k % 8) & 1
}

fn of_bits(f: impl Fn(usize) -> u8) -> Quad {
    std::array::from_fn(|byte| (0..8).fold(0, |sum, k| sum << 1 | f(8 * byte + k)))
}

fn yes8(holds: bool) -> u8 {
    if holds { 0xff } else { 0 }
}

fn yes32(holds: bool) -> u32 {
    if holds { u32::MAX } else { 0 }
}

/// The result in `rt`, by the definition of the instruction; `None` for instructions that write no register.
fn defined(name: &str, g: &Given) -> Option<Quad> {
    let (a, b, t) = (words(g.ra), words(g.rb), words(g.rt));
    let (ah, bh) = (halves(g.ra), halves(g.rb));
    let n = g.number;
    let (n8, n16, n32) = (n as u8, n as u16, n as u32);
    let bytes = |f: &dyn Fn(u8, u8) -> u8| -> Quad { std::array::from_fn(|k| f(g.ra[k], g.rb[k])) };
    Some(match name {
        "xor" => bytes(&|a, b| a ^ b),
        "and" => bytes(&|a, b| a & b),
        "andc" => bytes(&|a, b| a & !b),
        "or" => bytes(&|a, b| a | b),
        "orc" => bytes(&|a, b| a | !b),
        "nor" => bytes(&|a, b| !(a | b)),
        "nand" => bytes(&|a, b| !(a & b)),
        "eqv" => bytes(&|a, b| !(a ^ b)),
        "a" => of_words(|k| a[k].wrapping_add(b[k])),
        "ah" => of_halves(|k| ah[k].wrapping_add(bh[k])),
        "sf" => of_words(|k| b[k].wrapping_sub(a[k])),
        "sfh" => of_halves(|k| bh[k].wrapping_sub(ah[k])),
        "cgtb" => bytes(&|a, b| yes8(a as i8 > b as i8)),
        "clgtb" => bytes(&|a, b| yes8(a > b)),
        "ceqb" => bytes(&|a, b| yes8(a == b)),
        "cgt" => of_words(|k| yes32(a[k] as i32 > b[k] as i32)),
        "clgt" => of_words(|k| yes32(a[k] > b[k])),
        "ceq" => of_words(|k| yes32(a[k] == b[k])),
        "cg" => of_words(|k| u32::from(a[k].checked_add(b[k]).is_none())),
        "addx" => of_words(|k| a[k].wrapping_add(b[k]).wrapping_add(t[k] & 1)),
        "andbi" => bytes(&|a, _| a & n8),
        "orbi" => bytes(&|a, _| a | n8),
        "xorbi" => bytes(&|a, _| a ^ n8),
        "andi" => of_words(|k| a[k] & n32),
        "ori" => of_words(|k| a[k] | n32),
        "xori" => of_words(|k| a[k] ^ n32),
        "ai" => of_words(|k| a[k].wrapping_add(n32)),
        "ahi" => of_halves(|k| ah[k].wrapping_add(n16)),
        "cgtbi" => bytes(&|a, _| yes8(a as i8 > n8 as i8)),
        "clgtbi" => bytes(&|a, _| yes8(a > n8)),
        "cgti" => of_words(|k| yes32(a[k] as i32 > n32 as i32)),
        "clgti" => of_words(|k| yes32(a[k] > n32)),
        "ceqbi" => bytes(&|a, _| yes8(a == n8)),
        "ceqi" => of_words(|k| yes32(a[k] == n32)),
        "selb" => of_bits(|k| if bit(g.rc, k) == 1 { bit(g.rb, k) } else { bit(g.ra, k) }),
        "il" => of_words(|_| n32),
        "ilh" => of_halves(|_| n16),
        "ilhu" => of_words(|_| n32 << 16),
        "iohl" => of_words(|k| t[k] | n32 & 0xffff),
        "ila" => of_words(|_| n32 & 0x3_ffff),
        "shli" => of_words(|k| a[k].checked_shl(n32 & 0x3f).unwrap_or(0)),
        "shlhi" => of_halves(|k| ah[k].checked_shl(n32 & 0x1f).unwrap_or(0)),
        "roti" => of_words(|k| a[k].rotate_left(n32 & 0x1f)),
        "rothi" => of_halves(|k| ah[k].rotate_left(n32 & 0xf)),
        "rotmi" => of_words(|k| a[k].checked_shr(n.wrapping_neg() as u32 & 0x3f).unwrap_or(0)),
        "rothmi" => of_halves(|k| ah[k].checked_shr(n.wrapping_neg() as u32 & 0x1f).unwrap_or(0)),
        "shlqbyi" => {
            let by = (n & 0x1f) as usize;
            std::array::from_fn(|k| g.ra.get(k + by).copied().unwrap_or(0))
        }
        "shlqbii" => {
            of_bits(|k| if k + ((n & 7) as usize) < 128 { bit(g.ra, k + (n & 7) as usize) } else { 0 })
        }
        "rotqbyi" => std::array::from_fn(|k| g.ra[(k + (n & 0xf) as usize) % 16]),
        "rotqbii" => of_bits(|k| bit(g.ra, (k + (n & 7) as usize) % 128)),
        "rotqmbyi" => {
            let by = (n.wrapping_neg() & 0x1f) as usize;
            std::array::from_fn(|k| k.checked_sub(by).map_or(0, |k| g.ra[k]))
        }
        "rotqmbii" => {
            let by = (n.wrapping_neg() & 7) as usize;
            of_bits(|k| k.checked_sub(by).map_or(0, |k| bit(g.ra, k)))
        }
        "shufb" => std::array::from_fn(|k| match g.rc[k] {
            c if c & 0xc0 == 0x80 => 0,
            c if c & 0xe0 == 0xc0 => 0xff,
            c if c & 0xe0 == 0xe0 => 0x80,
            c if c & 0x10 == 0 => g.ra[usize::from(c & 0xf)],
            c => g.rb[usize::from(c & 0xf)],
        }),
        "lqd" | "lqx" | "lqr" | "lqa" => g.memory,
        _ => return None,
    })
}

/// The address of a load or store.
fn accessed(name: &str, g: &Given) -> u64 {
    let (a, b) = (words(g.ra)[0], words(g.rb)[0]);
    let at = match name {
        "lqd" | "stqd" => a.wrapping_add(g.number as u32),
        "lqx" | "stqx" => a.wrapping_add(b),
        "lqr" | "stqr" => (PC as u32).wrapping_add(g.number as u32),
        _ => g.number as u32,
    };
    u64::from(at & !15)
}

#[test]
fn meanings_are_those_of_the_architecture() {
    let isa = isa();
    let mut rng = ChaCha8Rng::seed_from_u64(3);
    for (number, row) in isa.rows.iter().enumerate() {
        for _ in 0..200 {
            let mut g = Given {
                rt: rng.random(),
                ra: rng.random(),
                rb: rng.random(),
                rc: rng.random(),
                number: 0,
                memory: rng.random(),
            };
            if rng.random_bool(0.2) {
                g.rb = g.ra;
            }
            if rng.random_bool(0.3) {
                g.rt[..4].fill(0);
            }
            let mut insn = Insn { row: number as u16, fields: [0; 8] };
            let memory = row.effects.loads || row.effects.stores;
            for (place, field) in row.fields.iter().enumerate() {
                let bits = row.pattern.width(place);
                let drawn = rng.random::<u32>() & row.pattern.held(place) as u32;
                insn.fields[place] = match (field.kind, field.name.as_str()) {
                    (Kind::Register { .. }, "rt") => RT as i32,
                    (Kind::Register { .. }, "ra") => RA as i32,
                    (Kind::Register { .. }, "rb") => RB as i32,
                    (Kind::Register { .. }, _) => RC as i32,
                    (_, "quads") => 16 * rng.random_range(-4..4),
                    (_, "off") if memory => (STORE - PC) as i32 + 4 * rng.random_range(-16..16),
                    (_, "at") => STORE as i32 + 4 * rng.random_range(-16..16),
                    (Kind::Number { signed: true, .. } | Kind::Relative { .. }, _) => {
                        ((drawn << (32 - bits)) as i32) >> (32 - bits)
                    }
                    _ => drawn as i32,
                };
                if !matches!(field.kind, Kind::Register { .. }) {
                    g.number = insn.fields[place];
                }
            }
            if memory {
                let base = STORE as u32 + rng.random_range(0..16u32);
                let index = if row.name.ends_with('x') { 16 * rng.random_range(0..4u32) } else { 0 };
                g.ra[..4].copy_from_slice(&(base - index).to_be_bytes());
                g.rb[..4].copy_from_slice(&index.to_be_bytes());
            }
            let at = accessed(&row.name, &g);
            let mut domain = Numbers::new(&Image::default(), &isa.about, &[(0, 1 << 18)]);
            if memory {
                domain.bytes_mut(at, 16).expect("memory").copy_from_slice(&g.memory);
            }
            let mut machine = Machine::new(vec![0u128; 128], PC);
            for (r, q) in [(RT, g.rt), (RA, g.ra), (RB, g.rb), (RC, g.rc)] {
                machine.registers[r] = u128::from_be_bytes(q);
            }
            let before = machine.registers.clone();
            execute(isa, &insn, &mut domain, &mut machine, || 4).expect("is executed");
            let shown = isa.print(&insn, |_| None);
            let mut expected = before;
            if let Some(q) = defined(&row.name, &g) {
                expected[RT] = u128::from_be_bytes(q);
            }
            assert_eq!(machine.registers, expected, "{shown}");
            if row.effects.stores {
                assert_eq!(domain.bytes(at, 16).expect("memory"), g.rt, "{shown}");
            }
            let zero = words(g.rt)[0] == 0;
            let next = match row.name.as_str() {
                "br" => PC.wrapping_add_signed(g.number.into()),
                "brz" if zero => PC.wrapping_add_signed(g.number.into()),
                "brnz" if !zero => PC.wrapping_add_signed(g.number.into()),
                "bi" => u64::from(words(g.ra)[0] & !3),
                _ => PC + 4,
            };
            assert_eq!(machine.pc & 0xffff_ffff, next & 0xffff_ffff, "{shown}");
            let defines = defined(&row.name, &g).is_some();
            assert!(
                defines
                    || row.effects.stores
                    || matches!(row.class.as_str(), "branch" | "hint" | "nop" | "lnop"),
                "{shown}"
            );
        }
    }
}
