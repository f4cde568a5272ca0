//! Linear-scan register allocation for straight-line code.

use crate::{Instruction, Reg};

/// The error for code that needs more registers at once than it was given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pressure {
    /// The maximum number of virtual registers that are live at once.
    pub needed: usize,
    /// The number of registers in the pool.
    pub available: usize,
}

/// Assigns a register of `pool` to each virtual register, in order of appearance, from its first write to its last
/// mention. The register of a last read is free again for the same instruction's result, since x86 instructions read
/// before they write.
pub fn allocate<I: Instruction>(code: &mut [I], virtuals: usize, pool: &[u8]) -> Result<(), Pressure> {
    const NONE: usize = usize::MAX;
    let mut last = vec![NONE; virtuals];
    for (i, instruction) in code.iter().enumerate() {
        let effects = instruction.effects();
        for reg in effects.reads.into_iter().flatten().chain(effects.writes) {
            if let Reg::Virtual(v) = reg {
                last[v as usize] = i;
            }
        }
    }
    let mut given: Vec<Option<u8>> = vec![None; virtuals];
    let mut free: Vec<u8> = pool.iter().rev().copied().collect();
    let (mut live, mut worst) = (0usize, 0usize);
    for (i, instruction) in code.iter_mut().enumerate() {
        let effects = instruction.effects();
        let mut ends = [None; 3];
        for (slot, reg) in ends.iter_mut().zip(effects.reads) {
            if let Some(Reg::Virtual(v)) = reg
                && last[v as usize] == i
                && effects.writes != reg
                && let Some(reg) = given[v as usize].take()
            {
                *slot = Some((v, reg));
                free.push(reg);
                live -= 1;
            }
        }
        if let Some(Reg::Virtual(v)) = effects.writes
            && given[v as usize].is_none()
        {
            live += 1;
            worst = worst.max(live);
            // When the pool is empty, the count goes on with numbers that are never used.
            given[v as usize] = Some(free.pop().unwrap_or(u8::MAX));
        }
        instruction.rename(|reg| match reg {
            Reg::Virtual(v) => {
                let ended = ends.iter().flatten().find(|(e, _)| *e == v).map(|(_, r)| *r);
                Reg::Fixed(ended.or(given[v as usize]).unwrap_or(u8::MAX))
            }
            fixed => fixed,
        });
        if let Some(Reg::Virtual(v)) = effects.writes
            && last[v as usize] == i
            && let Some(reg) = given[v as usize].take()
        {
            free.push(reg);
            live -= 1;
        }
    }
    if worst > pool.len() { Err(Pressure { needed: worst, available: pool.len() }) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Effects, apply_moves};
    use proptest::prelude::*;

    /// The instruction `write = f(reads)` on numbers: enough of a machine to run code before and after allocation.
    #[derive(Clone, Debug)]
    struct Toy {
        reads: [Option<Reg>; 3],
        write: Reg,
        id: u64,
    }

    impl Instruction for Toy {
        fn effects(&self) -> Effects {
            Effects { reads: self.reads, writes: Some(self.write), text: None }
        }
        fn rename(&mut self, mut map: impl FnMut(Reg) -> Reg) {
            self.reads = self.reads.map(|r| r.map(&mut map));
            self.write = map(self.write);
        }
    }

    fn run(code: &[Toy]) -> Vec<u64> {
        let mut registers = std::collections::HashMap::new();
        let mut trace = vec![0; code.len()];
        for toy in code {
            let value =
                toy.reads.iter().flatten().fold(toy.id.wrapping_mul(0x9e37_79b9_7f4a_7c15), |h, r| {
                    (h ^ registers.get(r).copied().unwrap_or(7)).wrapping_mul(0x100_0000_01b3).rotate_left(9)
                });
            registers.insert(toy.write, value);
            trace[toy.id as usize] = value;
        }
        trace
    }

    fn programs() -> impl Strategy<Value = Vec<Toy>> {
        proptest::collection::vec((any::<u16>(), any::<u16>(), any::<bool>()), 1..60).prop_map(|seeds| {
            let mut code: Vec<Toy> = Vec::new();
            for (i, (a, b, fresh)) in seeds.into_iter().enumerate() {
                let pick = |s: u16| (i > 0).then(|| code[s as usize % i].write);
                let write = match pick(b) {
                    Some(old) if !fresh => old,
                    _ => Reg::Virtual(i as u16),
                };
                code.push(Toy { reads: [pick(a), pick(b), Some(Reg::Fixed(40))], write, id: i as u64 });
            }
            code
        })
    }

    proptest! {
        #[test]
        fn moves_and_registers_keep_the_meaning(
            code in programs(), moves in proptest::collection::vec((0usize..70, 0usize..70), 0..20)
        ) {
            let expected = run(&code);
            let mut moved = code.clone();
            apply_moves(&mut moved, moves);
            prop_assert_eq!(run(&moved), expected.clone());
            let pool: Vec<u8> = (0..32).collect();
            let virtuals = code.len();
            match allocate(&mut moved, virtuals, &pool) {
                Ok(()) => prop_assert_eq!(run(&moved), expected),
                Err(p) => prop_assert!(p.needed > 32),
            }
        }
    }

    #[test]
    fn pressure_is_told() {
        let make = |i: u16| Toy { reads: [None; 3], write: Reg::Virtual(i), id: u64::from(i) };
        let mut code: Vec<Toy> = (0..4).map(make).collect();
        code.push(Toy {
            reads: [Some(Reg::Virtual(0)), Some(Reg::Virtual(1)), Some(Reg::Virtual(2))],
            ..make(4)
        });
        code.push(Toy { reads: [Some(Reg::Virtual(3)), None, None], ..make(5) });
        assert_eq!(allocate(&mut code, 6, &[0, 1]), Err(Pressure { needed: 4, available: 2 }));
    }
}
