//! The facts about an encoding's instructions that register allocation needs.

use super::Selection;
use crate::kernels::forms;
use crate::kernels::target::Encoding;
use crate::kernels::vector::{Operation, Src, Vector};
use aesmith_order::{Machine, Reg};
use iced_x86::Register;

impl Selection {
    fn at_slot(&self, slot: usize) -> Src {
        Src::Mem(Register::RSP, self.slots_at + slot as i32 * self.slot, false)
    }
}

impl Machine<Vector> for Selection {
    fn repeatable(&self, v: &Vector) -> bool {
        let loads = matches!(v.operation, Operation::Load | Operation::Broadcast | Operation::BroadcastDword);
        loads && matches!(v.b, Some(Src::Constant(_) | Src::Mem(_, _, false) | Src::Dword(..)))
    }

    fn repeat(&self, definition: &Vector, reg: u8) -> Vector {
        Vector { dst: Some(Reg::Fixed(reg)), ..*definition }
    }

    fn store(&self, definition: &Vector, reg: u8, slot: usize) -> Vector {
        Vector::store(Operation::Store, definition.lanes.into(), Reg::Fixed(reg), self.at_slot(slot))
    }

    fn load(&self, definition: &Vector, reg: u8, slot: usize) -> Vector {
        Vector::from(Operation::Load, definition.lanes.into(), Reg::Fixed(reg), self.at_slot(slot))
    }

    fn in_memory(
        &self,
        user: &Vector,
        value: Reg,
        definition: &Vector,
        slot: Option<usize>,
    ) -> Option<Vector> {
        use Operation::*;
        let last_alone = matches!(user.b, Some(Src::Reg(r)) if r == value)
            && user.a != Some(value)
            && user.c != Some(value);
        let takes_memory = matches!(
            user.operation,
            Aes(_)
                | InvMix
                | Xor
                | And
                | Or
                | AndNot
                | Add64
                | Add32
                | AddBytes
                | GreaterBytes
                | Shuffle
                | Ternary(_)
                | AlignBytes(_)
                | ShuffleDwords(_)
                | ShuffleLow(_)
                | ShuffleHigh(_)
                | Affine { .. }
                | Multiply
                | Interleave(..)
                | Rotate(..)
                | PermuteTwo
                | Select
                | Load
        );
        if !last_alone || !takes_memory {
            return None;
        }
        let legacy = self.encoding(user.lanes.into()) == Encoding::Legacy;
        let from = match (slot, definition.operation, definition.b) {
            (Some(slot), ..) => self.at_slot(slot),
            // The address is not known to be aligned.
            (None, Load, Some(Src::Mem(base, ..))) if legacy && base != Register::RSP => return None,
            (None, Load, Some(from)) if definition.lanes == user.lanes => from,
            (None, Broadcast, Some(from)) if user.lanes == 1 && !legacy => from,
            // The instruction broadcasts its operand.
            (None, BroadcastDword, Some(from @ Src::Dword(..)))
                if self.encoding(user.lanes.into()) == Encoding::Evex =>
            {
                /// `a ^ b`, independent of `c`.
                const SUM: u8 = 0x66;
                let operation = match user.operation {
                    Ternary(table) => Ternary(table),
                    Xor => Ternary(SUM),
                    _ => return None,
                };
                return Some(Vector { operation, b: Some(from), ..*user });
            }
            _ => return None,
        };
        Some(Vector { b: Some(from), ..*user })
    }

    fn shareable(&self, v: &Vector) -> [Option<Reg>; 3] {
        let b = match v.b {
            Some(Src::Reg(r)) => Some(r),
            _ => None,
        };
        match v.operation {
            Operation::Ternary(_) => [v.c, v.a, b],
            Operation::PermuteTwo => [v.c, None, None],
            _ if self.encoding(v.lanes.into()) == Encoding::Legacy => {
                if forms::commutes(v.operation) || v.a.is_none() { [v.a, b, None] } else { [v.a, None, None] }
            }
            _ => [v.a, b, v.c],
        }
    }
}
