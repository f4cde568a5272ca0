//! Register assignment of the main loop.

use super::Writer;
use crate::dimensions::Dim;
use crate::kernels::Unfit;
use crate::kernels::body::{Body, Context, Counter};
use crate::kernels::vector::{Src, Vector, bytes};
use aesmith_arrange::Pipeline;
use aesmith_order::{Reg, Spills, apply_moves};

/// Machine registers of the main loop that keep their meaning across passes.
pub(super) struct Plan {
    pub(super) keys: [Option<u8>; 15],
    /// Spilled round keys, and the displacements of their stack slots.
    pub(super) spilled: Vec<(u8, i32)>,
    pub(super) reverse: Option<u8>,
    pub(super) step: Option<u8>,
    pub(super) pool: Vec<u8>,
    pub(super) code: Vec<Vector>,
    pub(super) movable: u16,
}

impl Writer<'_> {
    /// Chooses registers for the main loop: first those that it requires, then the constants of the counter,
    /// then as many round keys of the variant's mask as fit, in order; the other keys of the mask are spilled
    /// if the variant says so.
    pub(super) fn plan(&mut self, context: &mut Context, pipeline: &Pipeline) -> Result<Plan, Unfit> {
        let pinned = u8::from(context.counter != Counter::None || context.chain.is_some());
        let pinned = pinned.max(1);
        let state = ((pipeline.stages - 1) * pipeline.registers).min(200) as u8;
        let total = self.count();
        let swap = matches!(context.counter, Counter::Swap(_));
        let mask = self.variant.get(Dim::Keys);
        let cached =
            if matches!(context.counter, Counter::Cached(..)) { self.variant.get(Dim::Cached) } else { 0 };
        // The refresh of the counter after each 256 blocks needs one more register.
        let refreshed =
            matches!(context.counter, Counter::Add(_) | Counter::Precomputed(_) | Counter::Cached(..));
        let first = if cached > 0 { cached as u8 + 1 } else { 0 };
        let mut wanted: Vec<u8> = (first..=self.rounds).filter(|&r| mask >> r & 1 == 1).collect();
        let mut spilled: Vec<(u8, i32)> = Vec::new();
        // Without byte shuffles a reversal is not a single instruction with a control operand.
        let mut constants = if swap && self.select.shuffles() { 2 } else { 0 };
        let (reverse, step) = (context.reverse, context.step);
        loop {
            let taken = usize::from(pinned) + usize::from(state) + constants + wanted.len();
            let needed = match usize::from(total).checked_sub(taken) {
                Some(_) => {
                    let mut next = pinned + state;
                    let mut give = || {
                        next += 1;
                        next - 1
                    };
                    let constant = [(constants > 0).then(&mut give), (constants > 1).then(&mut give)];
                    context.reverse = constant[0].map_or(reverse, |r| Src::Reg(Reg::Fixed(r)));
                    context.step = constant[1].map_or(step, |r| Src::Reg(Reg::Fixed(r)));
                    context.keys = [None; 15];
                    for &r in &wanted {
                        context.keys[r as usize] = Some(give());
                    }
                    let pool: Vec<u8> = (next..total).collect();
                    let body = Body::pass(context, &mut self.asm, pipeline.body.iter(), |s| -i32::from(s));
                    let (code, mut virtuals) = (body.code, body.virtuals);
                    let mut code = self.select.lower(&mut self.asm, code, &mut virtuals)?;
                    let movable = code.len() as u16;
                    let moves = self.variant.order.iter().map(|m| (m.from.into(), m.to.into()));
                    apply_moves(&mut code, moves);
                    match self.select.allocate(&mut code, virtuals, &pool) {
                        Ok(_) if pool.is_empty() && refreshed => usize::from(total) + 1,
                        // Values that need no register give up theirs before others are spilled.
                        Ok(spills) if spills.slots > 0 && wanted.len() + constants > 0 => {
                            self.select.spills = Spills::default();
                            usize::from(total) + spills.slots
                        }
                        Ok(_) => {
                            let [reverse, step] = constant;
                            return Ok(Plan {
                                keys: context.keys,
                                spilled,
                                reverse,
                                step,
                                pool,
                                code,
                                movable,
                            });
                        }
                        Err(pressure) => taken + pressure.needed,
                    }
                }
                None => taken + 1,
            };
            let excess = needed - usize::from(total);
            if wanted.is_empty() && constants == 0 {
                return Err(Unfit::Registers { needed, available: total.into() });
            }
            // Keys cost less in memory than the counter's constants, but both can be memory operands.
            let drop = excess.min(wanted.len());
            let dropped = wanted.split_off(wanted.len() - drop);
            if self.variant.on(Dim::Overflow) {
                for r in dropped {
                    let slot = self.spilled_at + i32::from(r) * bytes(self.lanes);
                    context.spilled[usize::from(r)] = Some(slot);
                    spilled.push((r, slot));
                }
            }
            if drop == 0 {
                constants -= 1;
            }
        }
    }
}
