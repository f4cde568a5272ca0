//! Disassembly of machine code for charts, counts and models of a loop.

use crate::instructions::leads;
use crate::registers::vector_number;
use crate::table::form;
use aesmith_processor::measured::{Kind, Line, Register, TimingClass};
use iced_x86::{
    Decoder, DecoderOptions, Formatter, GasFormatter, Instruction, InstructionInfoFactory, OpAccess,
};

/// The instructions of code, one after another.
pub fn lines(code: &[u8]) -> Vec<Line> {
    let mut taker = Taker::new();
    Decoder::with_ip(64, code, 0, DecoderOptions::NONE).into_iter().map(|i| taker.line(&i)).collect()
}

/// Disassembles instructions one after another.
pub(crate) struct Taker {
    formatter: GasFormatter,
    factory: InstructionInfoFactory,
}

impl Taker {
    /// A disassembler for any code.
    pub(crate) fn new() -> Taker {
        Taker { formatter: GasFormatter::new(), factory: InstructionInfoFactory::new() }
    }

    /// The properties of an instruction for charts and counts.
    pub(crate) fn line(&mut self, instruction: &Instruction) -> Line {
        let mut text = String::new();
        self.formatter.format(instruction, &mut text);
        let work = form(instruction.code()).map(|form| (form.work(instruction), form.vectors));
        let parts = work.map_or_else(Vec::new, |(work, vectors)| {
            let load = work.load.then_some(TimingClass::Load);
            let classes = [work.compute, load, work.store].into_iter().flatten();
            classes.map(|class| Kind { class, vectors }).collect()
        });
        let (mut reads, mut writes) = (Vec::new(), Vec::new());
        for used in self.factory.info(instruction).used_registers() {
            let whole = used.register().full_register();
            let register = match vector_number(whole) {
                Some(number) => Register::Vector(number as u16),
                None => Register::Other(whole as u16),
            };
            if read(used.access()) {
                reads.push(register);
            }
            if written(used.access()) {
                writes.push(register);
            }
        }
        Line {
            text,
            offset: instruction.ip() as usize,
            end: instruction.next_ip() as usize,
            leads: leads(instruction),
            parts,
            computes: work.is_some_and(|(work, _)| work.compute.is_some()),
            reads,
            writes,
        }
    }
}

fn read(access: OpAccess) -> bool {
    matches!(access, OpAccess::Read | OpAccess::CondRead | OpAccess::ReadWrite | OpAccess::ReadCondWrite)
}

fn written(access: OpAccess) -> bool {
    matches!(access, OpAccess::Write | OpAccess::CondWrite | OpAccess::ReadWrite | OpAccess::ReadCondWrite)
}

#[cfg(test)]
mod tests {
    use super::*;
    use aesmith_processor::measured::{Counts, Vectors};

    fn counts(code: &[u8]) -> Counts {
        let mut counts = Counts::default();
        lines(code).iter().for_each(|line| counts.add(line));
        counts
    }

    #[test]
    fn a_branch_that_may_be_fused_takes_no_slot_of_the_front_end() {
        let counts = counts(&[0xff, 0xcf, 0x75, 0xfc]); // dec edi; jne
        assert_eq!((counts.instructions, counts.slots()), (2.0, 1.0));
    }

    #[test]
    fn a_memory_operand_counts_as_a_load() {
        let counts = counts(&[0x62, 0xf2, 0x7d, 0x48, 0xdc, 0x0f]); // vaesenc zmm1, zmm0, [rdi]
        let kind = |class| Kind { class, vectors: Vectors::Bits512 };
        let each = [(kind(TimingClass::Aes), 1.0), (kind(TimingClass::Load), 1.0)];
        assert_eq!(counts.kinds.into_iter().collect::<Vec<_>>(), each);
    }

    #[test]
    fn what_is_read_and_written_is_whole_registers() {
        let line = &lines(&[0x62, 0xf2, 0x7d, 0x48, 0xdc, 0x0f])[0];
        assert_eq!(line.writes, [Register::Vector(1)]);
        assert!(line.reads.contains(&Register::Vector(0)) && line.computes, "{line:?}");
    }
}
