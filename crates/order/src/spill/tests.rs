//! Tests of spilling against an interpreter: allocated code computes the same numbers.

use super::*;
use crate::Effects;
use proptest::prelude::*;
use std::collections::HashMap;

/// The place of a number on the machine of these tests.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Place {
    Reg(Reg),
    Slot(usize),
    /// Memory that does not change.
    Fixed(u32),
}

#[derive(Clone, Copy, Debug)]
enum Kind {
    /// A hash of the sources and of this number, which distinguishes the instruction.
    Make(u32),
    /// The first source.
    Copy,
}

/// `dst = kind(sources)`; the last source may be memory.
#[derive(Clone, Copy, Debug)]
struct Toy {
    kind: Kind,
    dst: Place,
    sources: [Option<Place>; 2],
    /// True if the result must not share a register with the last source.
    apart: bool,
}

impl Instruction for Toy {
    fn effects(&self) -> Effects {
        let reg = |place: Option<Place>| match place {
            Some(Place::Reg(r)) => Some(r),
            _ => None,
        };
        Effects {
            reads: [reg(self.sources[0]), reg(self.sources[1]), None],
            writes: reg(Some(self.dst)),
            text: None,
        }
    }
    fn rename(&mut self, mut map: impl FnMut(Reg) -> Reg) {
        let mut renamed = |place: Place| match place {
            Place::Reg(r) => Place::Reg(map(r)),
            other => other,
        };
        self.sources = self.sources.map(|s| s.map(&mut renamed));
        self.dst = renamed(self.dst);
    }
}

struct Tester;

impl Machine<Toy> for Tester {
    fn repeatable(&self, i: &Toy) -> bool {
        matches!((i.kind, i.sources), (Kind::Copy, [Some(Place::Fixed(_)), None]))
    }
    fn repeat(&self, i: &Toy, reg: u8) -> Toy {
        Toy { dst: Place::Reg(Reg::Fixed(reg)), ..*i }
    }
    fn store(&self, _: &Toy, reg: u8, slot: usize) -> Toy {
        let from = Some(Place::Reg(Reg::Fixed(reg)));
        Toy { kind: Kind::Copy, dst: Place::Slot(slot), sources: [from, None], apart: false }
    }
    fn load(&self, _: &Toy, reg: u8, slot: usize) -> Toy {
        let dst = Place::Reg(Reg::Fixed(reg));
        Toy { kind: Kind::Copy, dst, sources: [Some(Place::Slot(slot)), None], apart: false }
    }
    fn in_memory(&self, user: &Toy, value: Reg, of: &Toy, slot: Option<usize>) -> Option<Toy> {
        let value = Some(Place::Reg(value));
        if user.sources[1] != value || user.sources[0] == value {
            return None;
        }
        let from = slot.map_or(of.sources[0], |slot| Some(Place::Slot(slot)));
        Some(Toy { sources: [user.sources[0], from], ..*user })
    }
    fn shareable(&self, i: &Toy) -> [Option<Reg>; 3] {
        let [a, b, _] = i.effects().reads;
        [a, b.filter(|_| !i.apart), None]
    }
}

/// The numbers that the code produces, in order.
fn run(code: &[Toy]) -> Vec<u64> {
    let mut places: HashMap<Place, u64> = HashMap::new();
    let mut made = Vec::new();
    for toy in code {
        let value = |place: Place| match place {
            Place::Fixed(n) => u64::from(n) + 100,
            place => places.get(&place).copied().unwrap_or(7),
        };
        let number = match toy.kind {
            Kind::Copy => value(toy.sources[0].expect("a copy is of something")),
            Kind::Make(id) => toy.sources.iter().flatten().fold(u64::from(id), |h, s| {
                (h ^ value(*s)).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(9)
            }),
        };
        places.insert(toy.dst, number);
        if matches!(toy.kind, Kind::Make(_)) {
            made.push(number);
        }
    }
    made
}

fn programs() -> impl Strategy<Value = Vec<Toy>> {
    let seeds = (any::<u16>(), any::<u16>(), 0..8u8, any::<bool>());
    proptest::collection::vec(seeds, 1..80).prop_map(|seeds| {
        let mut code: Vec<Toy> = Vec::new();
        for (i, (a, b, kind, apart)) in seeds.into_iter().enumerate() {
            let pick = |s: u16| (i > 0).then(|| code[s as usize % i].dst);
            let fresh = Place::Reg(Reg::Virtual(i as u16));
            code.push(match kind {
                0 | 1 => {
                    let from = Some(Place::Fixed(u32::from(a % 5)));
                    Toy { kind: Kind::Copy, dst: fresh, sources: [from, None], apart }
                }
                // A value is sometimes written again.
                2 => Toy {
                    kind: Kind::Make(i as u32),
                    dst: pick(b).unwrap_or(fresh),
                    sources: [pick(a), None],
                    apart: false,
                },
                _ => Toy {
                    kind: Kind::Make(i as u32),
                    dst: fresh,
                    sources: [pick(a), pick(b)],
                    apart: apart && pick(a) != pick(b),
                },
            });
        }
        code
    })
}

proptest! {
    #[test]
    fn few_registers_keep_the_meaning(code in programs(), registers in 3u8..12) {
        let pool: Vec<u8> = (0..registers).collect();
        let (allocated, spills) = allocate_spilling(&code, code.len(), &pool, &Tester).unwrap();
        prop_assert_eq!(run(&allocated), run(&code));
        for toy in &allocated {
            if let (true, Place::Reg(dst)) = (toy.apart, toy.dst) {
                prop_assert!(toy.sources[1] != Some(Place::Reg(dst)));
            }
        }
        let stores = allocated.iter().filter(|t| matches!(t.dst, Place::Slot(_))).count();
        prop_assert_eq!(spills.stores, stores);
    }
}

#[test]
fn one_instruction_can_be_too_much() {
    let reg = |n| Place::Reg(Reg::Virtual(n));
    let make = |n: u16, sources| Toy { kind: Kind::Make(n.into()), dst: reg(n), sources, apart: false };
    let code = [
        make(0, [None; 2]),
        make(1, [None; 2]),
        make(2, [Some(reg(0)), Some(reg(1))]),
        make(3, [Some(reg(1)), Some(reg(0))]),
    ];
    assert!(allocate_spilling(&code, 4, &[0, 1], &Tester).is_ok());
    assert_eq!(allocate_spilling(&code, 4, &[0], &Tester).unwrap_err(), TooFew(1));
}
