//! The flow of secrets from operands to results. Some kinds of instructions have a rule of their own: those that clear,
//! that move bytes, that work on bits in place, and that insert an element into a vector or extract one.

use super::{Interpreter, Touched, is_legacy, ones, reads, writes};
use iced_x86::{Instruction, Mnemonic, OpKind, Register};

/// The kind of an instruction, by its name.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Moves,
    Bits,
    And,
    Inserts,
    Extracts,
    Other,
}

fn kind(instruction: &Instruction) -> Kind {
    let name = format!("{:?}", instruction.mnemonic()).to_lowercase();
    let plain = name.strip_prefix('v').unwrap_or(&name);
    let moves = ["movdq", "movup", "movap", "movnt", "lddqu", "movq", "movd"];
    let bits = ["pxor", "por", "xorp", "orp", "pandn", "andnp", "pternlog"];
    if matches!(instruction.mnemonic(), Mnemonic::Mov | Mnemonic::Movzx | Mnemonic::Movbe)
        || moves.iter().any(|start| plain.starts_with(start)) && !plain.starts_with("movdd")
    {
        return if instruction.mnemonic() == Mnemonic::Movbe { Kind::Other } else { Kind::Moves };
    }
    if name == "and" || name == "test" || plain == "pand" || plain == "pandd" || plain == "pandq" {
        return Kind::And;
    }
    if name == "or" || name == "xor" || bits.iter().any(|start| plain.starts_with(start)) {
        return Kind::Bits;
    }
    match plain {
        _ if plain.starts_with("pinsr") || plain.starts_with("insert") && plain != "insertps" => {
            Kind::Inserts
        }
        _ if plain.starts_with("pextr") || plain.starts_with("extract") && plain != "extractps" => {
            Kind::Extracts
        }
        _ => Kind::Other,
    }
}

/// True if the result does not depend on the operands, since they are the same register.
fn ignores_operands(instruction: &Instruction) -> bool {
    let name = format!("{:?}", instruction.mnemonic()).to_lowercase();
    let plain = name.strip_prefix('v').unwrap_or(&name);
    let zero = ["pxor", "xor", "psub", "sub", "pcmpeq", "pcmpgt", "pandn", "kxor", "kandn"];
    let count = instruction.op_count();
    let last = |k: u32| (instruction.op_kind(k) == OpKind::Register).then(|| instruction.op_register(k));
    zero.iter().any(|start| plain.starts_with(start))
        && count >= 2
        && instruction.op_mask() == Register::None
        && last(count - 1).is_some()
        && last(count - 1) == last(count - 2)
}

impl Interpreter<'_> {
    /// The mask of an operand's secret bytes, and its size in bytes.
    fn operand(&self, instruction: &Instruction, k: u32, touched: &[Touched]) -> (u64, usize) {
        match instruction.op_kind(k) {
            OpKind::Register => {
                let register = instruction.op_register(k);
                (self.taint.register(register), register.size())
            }
            OpKind::Memory => {
                let bytes = touched.first().map_or(&[][..], |touched| &touched.bytes);
                let secret = bytes.iter().enumerate().fold(0, |secret, (i, byte)| {
                    secret | u64::from(self.taint.memory.contains(byte)) << (i % 64)
                });
                (secret, bytes.len())
            }
            _ => (0, 8),
        }
    }

    /// The mask of an operand's zero bytes, which AND clears.
    fn zero_bytes(&self, instruction: &Instruction, k: u32) -> u64 {
        let value = match instruction.op_kind(k) {
            OpKind::Register => match self.value(instruction.op_register(k)) {
                Some(value) => value,
                None => return 0,
            },
            OpKind::Memory => return 0,
            _ => instruction.immediate(k),
        };
        (0..8).fold(0, |zero, i| zero | u64::from(value >> (8 * i) & 0xff == 0) << i)
    }

    /// Propagates secrets through an instruction.
    pub(super) fn follow(&mut self, instruction: &Instruction, touched: &[Touched]) {
        let info = self.factory.info(instruction);
        let registers = info.used_registers().to_vec();
        let access: Vec<_> = (0..instruction.op_count()).map(|k| info.op_access(k)).collect();
        match instruction.mnemonic() {
            Mnemonic::Vzeroall => {
                self.taint.vector[..16].fill(0);
                return;
            }
            Mnemonic::Vzeroupper => {
                for bytes in &mut self.taint.vector[..16] {
                    *bytes &= ones(16);
                }
                return;
            }
            _ => {}
        }
        let unmasked = instruction.op_mask() == Register::None;
        let kind = if unmasked && !instruction.is_broadcast() { kind(instruction) } else { Kind::Other };
        let idle = ignores_operands(instruction);
        // Any secret that is read makes everything that is written secret.
        let mut any = self.taint.flags & instruction.rflags_read() != 0;
        for used in registers.iter().filter(|used| reads(used.access())) {
            any |= self.taint.register(used.register()) != 0;
        }
        for touched in touched.iter().filter(|touched| touched.read) {
            any |= touched.bytes.iter().any(|byte| self.taint.memory.contains(byte));
        }
        any &= !idle;
        let all = if any { u64::MAX } else { 0 };
        let last = instruction.op_count().saturating_sub(1);
        let secret = match kind {
            _ if idle => 0,
            Kind::Moves => {
                let size =
                    match format!("{:?}", instruction.mnemonic()).to_lowercase().trim_start_matches('v') {
                        "movd" => 4,
                        "movq" => 8,
                        _ => 64,
                    };
                self.operand(instruction, last, touched).0 & ones(size)
            }
            Kind::Bits | Kind::And => {
                let operands: Vec<u64> =
                    (0..=last).map(|k| self.operand(instruction, k, touched).0).collect();
                // The destination is an input of instructions with two operands, and of ternary logic.
                let from = usize::from(operands.len() == 3);
                let union = operands[from..].iter().fold(0, |union, bytes| union | bytes);
                let zero = match (kind, operands.len()) {
                    (Kind::And, 2) => (0..2)
                        .map(|k| self.zero_bytes(instruction, k) & !operands[k as usize])
                        .fold(0, |zero, bytes| zero | bytes),
                    _ => 0,
                };
                union & !zero
            }
            Kind::Inserts => {
                let source = last - 1;
                let into = if source == 2 { 1 } else { 0 };
                let size = match instruction.op_kind(source) {
                    OpKind::Memory => touched.first().map_or(1, |touched| touched.bytes.len()),
                    _ if instruction.op_register(source).is_gpr() => {
                        let name = format!("{:?}", instruction.mnemonic());
                        match name.as_bytes().last() {
                            Some(b'b') => 1,
                            Some(b'w') => 2,
                            Some(b'd') => 4,
                            _ => 8,
                        }
                    }
                    _ => instruction.op_register(source).size(),
                };
                let whole = instruction.op_register(0).size();
                let at = instruction.immediate(last) as usize * size % whole;
                let old = self.operand(instruction, into, touched).0;
                let new = self.operand(instruction, source, touched).0 & ones(size);
                old & !(ones(size) << at) | new << at
            }
            Kind::Extracts => {
                let name = format!("{:?}", instruction.mnemonic());
                let size = match name.as_bytes().last() {
                    Some(b'b') => 1,
                    Some(b'w') => 2,
                    Some(b'd') => 4,
                    Some(b'q') => 8,
                    _ if instruction.op_kind(0) == OpKind::Memory => {
                        touched.first().map_or(1, |touched| touched.bytes.len())
                    }
                    _ => instruction.op_register(0).size(),
                };
                let (from, whole) = self.operand(instruction, 1, touched);
                let at = instruction.immediate(last) as usize * size % whole;
                from >> at & ones(size)
            }
            Kind::Other => all,
        };
        let legacy = is_legacy(instruction);
        let mut named = Vec::new();
        for k in (0..instruction.op_count()).filter(|&k| instruction.op_kind(k) == OpKind::Register) {
            let register = instruction.op_register(k);
            named.push(register.full_register());
            if writes(access[k as usize]) {
                self.taint.set_register(register, secret, legacy);
            }
        }
        // Other registers that are written; the stack pointer only moves by constants, so it is public.
        for used in registers.iter().filter(|used| writes(used.access())) {
            let register = used.register();
            if register.full_register() != Register::RSP && !named.contains(&register.full_register()) {
                self.taint.set_register(register, all, legacy);
            }
        }
        for touched in touched.iter().filter(|touched| touched.written) {
            for (i, byte) in touched.bytes.iter().enumerate() {
                match secret >> (i % 64) & 1 == 1 {
                    true => drop(self.taint.memory.insert(*byte)),
                    false => drop(self.taint.memory.remove(byte)),
                }
            }
        }
        let result = match kind {
            _ if idle => false,
            Kind::Bits | Kind::And => {
                let size = self.operand(instruction, 0, touched).1;
                secret & ones(size) != 0
            }
            _ => any,
        };
        let (written, set) = (
            instruction.rflags_written() | instruction.rflags_undefined(),
            instruction.rflags_cleared() | instruction.rflags_set(),
        );
        self.taint.flags &= !(written | set);
        if result {
            self.taint.flags |= written;
        }
    }
}
