//! The effect of each table row on a [`Machine`], written once over an abstract [`Domain`]. This file
//! dispatches and reads operands; vectors, moves between their lanes, and scalars have a file each.

use super::registers::{gpr_number, mask_number, second_byte_number, vector_number};
use super::table::{Form, Operation, form};
use aesmith_isa::instructions::Flow;
use aesmith_isa::lanes::{Domain, Machine, Unsupported, Width};
use iced_x86::{Instruction, OpKind, Register};

mod lanes;
mod scalar;
mod vector;

/// Executes one instruction. After an error the machine may be partly changed: give up.
///
/// # Errors
/// The domain's refusals, and [`Unsupported`] for instructions outside the table.
#[inline]
pub fn execute<D: Domain>(
    machine: &mut Machine<D>,
    domain: &mut D,
    instruction: &Instruction,
) -> Result<Flow, D::Error> {
    let Some(form) = form(instruction.code()) else {
        return Err(refuse(instruction, format!("no row for {:?}", instruction.code())));
    };
    if instruction.has_lock_prefix() || matches!(instruction.segment_prefix(), Register::FS | Register::GS) {
        return Err(refuse(instruction, "lock and segment prefixes have no semantics here".to_owned()));
    }
    let mut step = Step { machine, domain, instruction, form, addressed: false };
    // Memory that the CPU accesses is accessed here, even if the row does not use it.
    let accesses = form.accesses(instruction);
    if accesses
        && mask_number(instruction.op_mask()).is_some()
        && !matches!(form.operation, Operation::Move(_))
    {
        // For other forms, the form decides whether memory under a clear bit may fault (Intel SDM volume 2,
        // 2.8: exception classes E4, E5, E6 and their NF kinds).
        return step.refused("a memory operand under an opmask, of another form than a move of vectors");
    }
    let flow = if form.vectors.lanes() > 0 {
        step.vector()?;
        Flow::Next
    } else {
        step.scalar()?
    };
    if accesses && !step.addressed {
        return step.refused("the row leaves its memory operand alone, and the CPU accesses it");
    }
    Ok(flow)
}

fn refuse<E: From<Unsupported>>(instruction: &Instruction, what: String) -> E {
    Unsupported { ip: instruction.ip(), what }.into()
}

/// One instruction in execution.
struct Step<'a, D: Domain> {
    machine: &'a mut Machine<D>,
    domain: &'a mut D,
    instruction: &'a Instruction,
    form: &'static Form,
    /// True if the address of the memory operand was computed; rows do so only to access it, to compute with it
    /// or to prefetch.
    addressed: bool,
}

impl<D: Domain> Step<'_, D> {
    #[cold]
    fn refused<T>(&self, what: &str) -> Result<T, D::Error> {
        Err(refuse(self.instruction, format!("{:?}: {what}", self.instruction.code())))
    }

    fn is_memory(&self, operand: u32) -> bool {
        self.instruction.op_kind(operand) == OpKind::Memory
    }

    /// The instruction's immediate byte, always its last operand.
    fn immediate_byte(&self) -> u8 {
        self.instruction.immediate(self.instruction.op_count() - 1) as u8
    }

    fn vector_register(&self, operand: u32) -> Result<usize, D::Error> {
        match vector_number(self.instruction.op_register(operand)) {
            Some(number) => Ok(number),
            None => self.refused("an operand is not a vector register"),
        }
    }

    fn mask_register(&self, operand: u32) -> Result<usize, D::Error> {
        match mask_number(self.instruction.op_register(operand)) {
            Some(number) => Ok(number),
            None => self.refused("an operand is not an opmask register"),
        }
    }

    fn general_register(&self, register: Register) -> Result<(usize, Width), D::Error> {
        match gpr_number(register) {
            Some(number) => Ok(number),
            None => self.refused("an operand is not a general-purpose register that kernels may use"),
        }
    }

    /// The address of the memory operand.
    fn address(&mut self) -> Result<D::Word, D::Error> {
        let i = self.instruction;
        self.addressed = true;
        if i.is_ip_rel_memory_operand() {
            if i.memory_base() != Register::RIP {
                return self.refused("32-bit addresses have no semantics here");
            }
            return Ok(self.domain.code_address(i.ip_rel_memory_address()));
        }
        let part = |register| -> Result<Option<D::Word>, D::Error> {
            match gpr_number(register) {
                None if register == Register::None => Ok(None),
                Some((number, Width::B64)) => Ok(Some(self.machine.gpr[number])),
                _ => self.refused("addresses are made of 64-bit registers only"),
            }
        };
        let base = part(i.memory_base())?;
        let index = part(i.memory_index())?.map(|word| (word, i.memory_index_scale() as u8));
        self.domain.address(base, index, i.memory_displacement64() as i64)
    }

    /// A scalar operand. The bits above its width are those of the register.
    fn word(&mut self, operand: u32, width: Width) -> Result<D::Word, D::Error> {
        match self.instruction.op_kind(operand) {
            OpKind::Register => {
                let register = self.instruction.op_register(operand);
                if let Some(number) = second_byte_number(register) {
                    return self.domain.second_byte(self.machine.gpr[number]);
                }
                let (number, _) = self.general_register(register)?;
                Ok(self.machine.gpr[number])
            }
            OpKind::Memory => {
                let address = self.address()?;
                self.domain.load_word(width, address)
            }
            _ => Ok(self.domain.word(self.instruction.immediate(operand) & width.mask())),
        }
    }

    /// Writes a value whose bits above the register's width are zero: 32-bit registers clear the upper half,
    /// narrower ones keep the bits above (Intel SDM volume 1, 3.4.1.1).
    fn set_register(&mut self, register: Register, value: D::Word) -> Result<(), D::Error> {
        let (number, width) = self.general_register(register)?;
        self.machine.gpr[number] = match width {
            Width::B64 | Width::B32 => value,
            _ => self.domain.replace_low(width, self.machine.gpr[number], value)?,
        };
        Ok(())
    }

    fn set_word(&mut self, operand: u32, width: Width, value: D::Word) -> Result<(), D::Error> {
        if self.is_memory(operand) {
            let address = self.address()?;
            self.domain.store_word(width, address, value)
        } else {
            self.set_register(self.instruction.op_register(operand), value)
        }
    }
}
