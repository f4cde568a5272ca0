//! The prover's view of x86-64: its instructions as [`Instructions`], System V as the calling convention.

use aesmith_isa::convention::{Convention, Return};
use aesmith_isa::instructions::{Flow, Instruction, Instructions, Leads, Registers, Role, Uses};
use aesmith_isa::lanes::{Access, Counts, Domain, Machine};
use aesmith_prove::Prover;
use iced_x86::{
    Code, Decoder, DecoderOptions, FlowControl, Formatter, GasFormatter, InstructionInfoFactory, Mnemonic,
    OpAccess, OpKind,
};

use crate::encoding;
use crate::registers::{COUNTS, gpr_number, vector_number};
use crate::semantics::execute;
use crate::table::{DataTiming, Operation, form};

/// System V AMD64, by the numbers of general-purpose registers. No vector register and no opmask is callee-saved.
pub static SYSTEM_V: Convention = Convention {
    name: "System V AMD64",
    source: "System V Application Binary Interface, AMD64 Architecture Processor Supplement, 3.2",
    arguments: &[&[7], &[6], &[2], &[1], &[8], &[9]],
    stack_pointer: 4,
    stack_arguments: 8,
    alignment: 16,
    red_zone: 128,
    saves: (0, 0),
    returns: Return::Pushed(8),
    saved: &[3, 5, 12, 13, 14, 15],
    fixed: &[],
    windows: None,
    stack_alignment: 8,
    held_alignment: 8,
    back_chain: false,
    callers_by_fours: false,
    slot: 0,
    reserved: &[],
    halves: None,
    buffers: 1,
};

const NAMES: [&str; 16] = [
    "rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi", "r8", "r9", "r10", "r11", "r12", "r13", "r14",
    "r15",
];

/// A prover for x86-64 kernels.
pub fn prover() -> Prover {
    Prover::new::<Decoded>()
}

/// The instructions of a kernel, by number.
#[derive(Default)]
pub struct Decoded {
    list: Vec<iced_x86::Instruction>,
    factory: Option<InstructionInfoFactory>,
}

impl Decoded {
    fn at(&self, number: u32) -> &iced_x86::Instruction {
        &self.list[number as usize]
    }
}

impl<D: Domain> Instructions<D> for Decoded {
    fn convention(&self) -> &'static Convention {
        &SYSTEM_V
    }

    fn registers(&self) -> Counts {
        COUNTS
    }

    fn listing(&self) -> &'static str {
        "Each is on Intel's list of Data Operand Independent Timing Instructions, as transcribed in July 2024, or \
         among BSWAP, ROR and RORX, which its update of 23 February 2026 is reported to add. Intel promises it on \
         processors without the mode DOITM, and with it while the system has set it. AMD publishes no such list."
    }

    fn general_name(&self, number: u8) -> &'static str {
        NAMES[usize::from(number)]
    }

    fn clear(&mut self) {
        self.list.clear();
    }

    fn decode(&mut self, code: &[u8], from: u64, more: &mut dyn FnMut(Instruction) -> bool) {
        let mut decoder = Decoder::with_ip(64, code, from, DecoderOptions::NONE);
        if decoder.set_position(from as usize).is_err() {
            return;
        }
        while decoder.can_decode() {
            let instruction = decoder.decode();
            let number = self.list.len() as u32;
            self.list.push(instruction);
            if !more(plainly(&instruction, number)) {
                return;
            }
        }
    }

    fn execute(&self, number: u32, machine: &mut Machine<D>, domain: &mut D) -> Result<Flow, D::Error> {
        execute(machine, domain, self.at(number))
    }

    fn check_encoding(&self, number: u32, bytes: &[u8]) -> Result<(), String> {
        encoding::check(self.at(number), bytes)
    }

    fn operands(&self, number: u32) -> Option<Registers> {
        let instruction = self.at(number);
        let mut named = Registers::NONE;
        for k in (0..instruction.op_count()).filter(|&k| instruction.op_kind(k) == OpKind::Register) {
            let register = instruction.op_register(k);
            match (gpr_number(register), vector_number(register)) {
                (Some((number, _)), _) => named.general |= 1 << number,
                (_, Some(number)) => named.vector |= 1 << number,
                _ => return None,
            }
        }
        Some(named)
    }

    fn uses(&mut self, number: u32) -> Uses {
        let factory = self.factory.get_or_insert_with(InstructionInfoFactory::new);
        uses(factory, &self.list[number as usize])
    }

    fn text(&self, number: u32) -> String {
        let mut text = String::new();
        GasFormatter::new().format(self.at(number), &mut text);
        text
    }
}

/// The possible successors of an instruction.
pub(crate) fn leads(instruction: &iced_x86::Instruction) -> Leads {
    let target = || instruction.near_branch_target();
    match instruction.flow_control() {
        _ if instruction.is_invalid() => Leads::Nowhere,
        FlowControl::Next => Leads::Next,
        FlowControl::UnconditionalBranch => Leads::Jump(target()),
        FlowControl::ConditionalBranch => {
            let condition = match form(instruction.code()).map(|form| form.operation) {
                Some(Operation::Branch(condition)) => Some(condition),
                _ => None,
            };
            Leads::Branch { target: target(), condition }
        }
        FlowControl::Return => Leads::Return,
        _ => Leads::Elsewhere,
    }
}

/// An instruction in the architecture-independent form.
fn plainly(instruction: &iced_x86::Instruction, number: u32) -> Instruction {
    let form = form(instruction.code());
    let operation = form.map(|f| f.operation);
    let role = match operation {
        Some(Operation::Fence) => Role::Fence,
        Some(Operation::Move(Access::Streaming)) if instruction.op0_kind() == OpKind::Memory => {
            Role::StreamingStore
        }
        _ if matches!(instruction.mnemonic(), Mnemonic::Nop | Mnemonic::Int3) => Role::Padding,
        _ => Role::Plain,
    };
    let compares = instruction.mnemonic() == Mnemonic::Cmp
        && matches!(instruction.op1_kind(), OpKind::Immediate8to64 | OpKind::Immediate32to64);
    Instruction {
        number,
        offset: instruction.ip(),
        end: instruction.next_ip(),
        leads: leads(instruction),
        role,
        unlisted: form.is_none_or(|f| f.data_timing() == DataTiming::Unlisted),
        compared: compares.then(|| instruction.immediate(1) as i64),
    }
}

/// The registers and flags that an instruction reads, and those that it overwrites completely.
fn uses(factory: &mut InstructionInfoFactory, instruction: &iced_x86::Instruction) -> Uses {
    let mut uses = Uses::default();
    match instruction.code() {
        // Clearing a register does not use its old value.
        Code::VEX_Vzeroupper => return uses,
        Code::VEX_Vzeroall => {
            uses.written.vector = 0xffff;
            return uses;
        }
        _ => {}
    }
    uses.read.flags = instruction.rflags_read() != 0;
    // INC and DEC leave the carry flag unchanged.
    let keeps_carry = matches!(instruction.mnemonic(), Mnemonic::Inc | Mnemonic::Dec);
    uses.written.flags = instruction.rflags_modified() != 0 && !keeps_carry;
    for used in factory.info(instruction).used_registers() {
        let register = used.register();
        let mut bit = Registers::NONE;
        let mut whole = true;
        if register.is_gpr() {
            whole = register.size() >= 4;
            bit.general = 1 << register.full_register().number();
        } else if register.is_vector_register() {
            bit.vector = 1 << register.number();
        } else if register.is_k() {
            bit.mask = 1 << register.number();
        } else {
            continue;
        }
        match used.access() {
            OpAccess::Write if whole => uses.written = uses.written.or(bit),
            OpAccess::NoMemAccess | OpAccess::None => {}
            _ => uses.read = uses.read.or(bit),
        }
    }
    uses
}
