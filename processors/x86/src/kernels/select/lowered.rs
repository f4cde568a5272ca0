//! Code on virtual registers in the making, one template after another.

use crate::kernels::asm::Constant;
use crate::kernels::translate::Template;
use crate::kernels::vector::{Operation, Src, Vector};
use aesmith_order::{Instruction, Reg};

pub(super) struct Lowered<'v> {
    pub(super) code: Vec<Vector>,
    pub(super) virtuals: &'v mut usize,
    /// Constants that have a register in this piece of code.
    constants: Vec<(Constant, Reg)>,
}

impl<'v> Lowered<'v> {
    /// Starts with `code`, to which more is appended.
    pub(super) fn after(code: Vec<Vector>, virtuals: &'v mut usize) -> Lowered<'v> {
        Lowered { code, virtuals, constants: Vec::new() }
    }

    pub(super) fn fresh(&mut self) -> Reg {
        *self.virtuals += 1;
        Reg::Virtual(*self.virtuals as u16 - 1)
    }

    pub(super) fn load(&mut self, lanes: usize, from: Src) -> Reg {
        let reg = self.fresh();
        self.code.push(Vector::from(Operation::Load, lanes, reg, from));
        reg
    }

    fn constant(&mut self, lanes: usize, constant: Constant) -> Reg {
        match self.constants.iter().find(|(c, _)| *c == constant) {
            Some((_, reg)) => *reg,
            None => {
                let reg = self.load(lanes, Src::Constant(constant));
                self.constants.push((constant, reg));
                reg
            }
        }
    }

    /// Appends the template's instructions from these inputs to these results.
    pub(super) fn instantiate(
        &mut self,
        template: &Template,
        lanes: usize,
        inputs: impl Iterator<Item = Src>,
        outputs: &[Reg],
    ) {
        let mut map: Vec<Option<Reg>> = vec![None; usize::from(template.virtuals)];
        for (i, input) in inputs.enumerate() {
            map[i] = Some(match input {
                Src::Reg(reg) => reg,
                memory => self.load(lanes, memory),
            });
        }
        for (v, constant, lanes) in &template.constants {
            map[usize::from(*v)] = Some(self.constant(*lanes, *constant));
        }
        // Results are written to their final registers at once if the old values there have no more readers.
        let mut copies = Vec::new();
        for (&v, &wanted) in template.outputs.iter().zip(outputs) {
            let writes = template.code.iter().position(|i| i.dst == Some(Reg::Virtual(v)));
            let reads = |i: &Vector| {
                let read = i.effects().reads;
                read.into_iter().flatten().any(|r| match r {
                    Reg::Virtual(n) => map[usize::from(n)] == Some(wanted),
                    Reg::Fixed(_) => false,
                })
            };
            let free = writes.is_some_and(|w| !template.code[w + 1..].iter().any(reads));
            if free && map[usize::from(v)].is_none() {
                map[usize::from(v)] = Some(wanted);
            } else {
                copies.push((v, wanted));
            }
        }
        for v in &template.code {
            let mut v = *v;
            v.rename(|reg| match reg {
                Reg::Virtual(n) => *map[usize::from(n)].get_or_insert_with(|| {
                    *self.virtuals += 1;
                    Reg::Virtual(*self.virtuals as u16 - 1)
                }),
                fixed => fixed,
            });
            self.code.push(v);
        }
        for (v, wanted) in copies {
            let from = Src::Reg(map[usize::from(v)].expect("a result is computed"));
            self.code.push(Vector::from(Operation::Load, lanes, wanted, from));
        }
    }
}
