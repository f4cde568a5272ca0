//! Forms of instructions: an operation, a width and an encoding choose an entry of one table; a form that overwrites
//! a live source gets a move before it.

use crate::kernels::asm::{Assembler, Constant, at, constant_operand, indexed};
use crate::kernels::target::Encoding;
use crate::kernels::vector::{Operation, POINTER, POSITION, Src, Vector};
use aesmith_order::Reg;
use iced_x86::{Code, Instruction, MemoryOperand, Register};
use table::code;

mod table;

/// The machine register with this number and number of lanes.
pub fn register(lanes: usize, number: u8) -> Register {
    let first = match lanes {
        1 => Register::XMM0,
        2 => Register::YMM0,
        _ => Register::ZMM0,
    };
    first + u32::from(number)
}

/// The opmask that receives the sign bits of bytes; K1 is the mask of a message's last bytes.
pub const SIGNS: Register = Register::K2;

/// The column of [`code`] for registers with this number of lanes.
fn column(lanes: usize, encoding: Encoding) -> usize {
    let width = lanes.ilog2() as usize;
    match encoding {
        Encoding::Legacy => width,
        Encoding::Vex => 1 + width,
        Encoding::Evex => 3 + width,
    }
}

/// True if an operation has a form in this encoding for registers with this number of lanes.
pub fn exists(operation: Operation, lanes: usize, encoding: Encoding) -> bool {
    code(operation, false)[column(lanes, encoding)] != Code::INVALID
}

/// The immediate byte of an operation, in its form `code`.
fn immediate(operation: Operation, code: Code, lanes: usize) -> Option<u32> {
    use Operation::*;
    Some(match operation {
        // VPERM2I128 numbers the lanes of both operands together, with four bits per choice.
        Lanes(pick) if code == Code::VEX_Vperm2i128_ymm_ymm_ymmm256_imm8 => {
            u32::from(pick & 1) | u32::from(2 + (pick >> 1 & 1)) << 4
        }
        // The low half comes from the high half of the first operand, the high half from the low half of the second.
        Previous if code == Code::VEX_Vperm2i128_ymm_ymm_ymmm256_imm8 => 0x21,
        // The concatenation b:a shifted right by all quadwords of a except the last two.
        Previous if lanes > 1 => 2 * lanes as u32 - 2,
        Lanes(n)
        | Insert(n)
        | Extract(n)
        | Ternary(n)
        | Carryless(n)
        | ShiftLeft(_, n)
        | ShiftRight(_, n)
        | Rotate(_, n) => n.into(),
        BytesLeft(n) | BytesRight(n) | AlignBytes(n) | ShuffleDwords(n) | ShuffleLow(n) | ShuffleHigh(n) => {
            n.into()
        }
        Affine { constant: n, .. } | KeyAssist(n) => n.into(),
        _ => return None,
    })
}

/// An operand of an instruction in the making.
#[derive(Clone, Copy)]
enum Operand {
    Register(Register),
    Memory(MemoryOperand),
}

fn made(
    code: Code,
    operands: &[Operand],
    immediate: Option<u32>,
) -> Result<Instruction, iced_x86::IcedError> {
    use Operand::{Memory as M, Register as R};
    match (operands, immediate) {
        (&[M(m)], None) => Instruction::with1(code, m),
        (&[R(a)], Some(i)) => Instruction::with2(code, a, i),
        (&[R(a), R(b)], None) => Instruction::with2(code, a, b),
        (&[R(a), M(m)], None) => Instruction::with2(code, a, m),
        (&[M(m), R(a)], None) => Instruction::with2(code, m, a),
        (&[R(a), R(b)], Some(i)) => Instruction::with3(code, a, b, i),
        (&[R(a), M(m)], Some(i)) => Instruction::with3(code, a, m, i),
        (&[M(m), R(a)], Some(i)) => Instruction::with3(code, m, a, i),
        (&[R(a), R(b), R(c)], None) => Instruction::with3(code, a, b, c),
        (&[R(a), R(b), M(m)], None) => Instruction::with3(code, a, b, m),
        (&[R(a), R(b), R(c)], Some(i)) => Instruction::with4(code, a, b, c, i),
        (&[R(a), R(b), M(m)], Some(i)) => Instruction::with4(code, a, b, m, i),
        _ => panic!("no form of {code:?} has {} operands", operands.len()),
    }
}

/// True if `a` and `b` may be exchanged.
pub(crate) fn commutes(operation: Operation) -> bool {
    use Operation::*;
    matches!(operation, Xor | And | Or | Add64 | Add32 | AddBytes | Multiply)
}

/// A function of three bits with its arguments renamed: argument `i` of the new function is argument `from[i]` of the
/// old one, where 0 is the lowest bit of the index.
pub fn renamed(table: u8, from: [usize; 3]) -> u8 {
    (0..8u8).fold(0, |new, index| {
        let old = (0..3).fold(0, |old, i| old | (index >> i & 1) << from[i]);
        new | (table >> old & 1) << index
    })
}

/// Appends a vector instruction whose registers are all fixed. If its form overwrites a source other than the result,
/// a move comes first.
///
/// # Panics
/// If a register is still virtual, or the operation has no such form.
pub fn push(asm: &mut Assembler, v: &Vector, encoding: Encoding) {
    let v = &placed(asm, *v, encoding);
    let lanes = v.lanes as usize;
    let fixed = |r: Reg| match r {
        Reg::Fixed(number) => register(lanes, number),
        Reg::Virtual(n) => panic!("virtual register {n} was never given a machine register"),
    };
    let code = code(v.operation, v.dst.is_none())[column(lanes, encoding)];
    let code = match (code, v.b) {
        (Code::Movdqu_xmm_xmmm128, Some(Src::Reg(_))) => Code::Movdqa_xmm_xmmm128,
        _ => code,
    };
    assert!(code != Code::INVALID, "{:?} has no form for {lanes} lanes in {encoding:?}", v.operation);
    let mut constant: Option<Constant> = None;
    let b = v.b.map(|b| match b {
        Src::Reg(Reg::Fixed(number)) => Operand::Register(match v.operation {
            // The source is the lowest element, or lane, of an xmm register.
            Operation::BroadcastDword | Operation::Insert(_) => register(1, number),
            _ => register(lanes, number),
        }),
        Src::Reg(r) => Operand::Register(fixed(r)),
        Src::Mem(base, displacement, _) => Operand::Memory(at(base, displacement)),
        Src::Dword(base, displacement) => Operand::Memory(MemoryOperand {
            is_broadcast: v.operation != Operation::BroadcastDword,
            ..at(base, displacement)
        }),
        Src::Stream(pointers, stream, displacement) => {
            asm.load(POINTER, at(pointers, 8 * i32::from(stream)));
            Operand::Memory(indexed(POINTER, POSITION, 1, displacement))
        }
        Src::Constant(c) => {
            constant = Some(c);
            Operand::Memory(constant_operand())
        }
    });
    let (dst, a) = (v.dst.map(|r| Operand::Register(fixed(r))), v.a.map(|r| Operand::Register(fixed(r))));
    let tied = encoding == Encoding::Legacy && v.dst.is_some() && v.operation != Operation::Previous;
    let operands = match v.operation {
        Operation::Store | Operation::Stream | Operation::StoreDword | Operation::Extract(_) => [b, a, None],
        Operation::Previous if lanes == 1 => [dst, a, None],
        // VALIGNQ takes the high half of the concatenation first.
        Operation::Previous if encoding == Encoding::Evex => [dst, b, a],
        Operation::Select | Operation::Sign => {
            let (masks, signs) = match lanes {
                1 => (Code::EVEX_Vpmovb2m_kr_xmm, v.c),
                2 => (Code::EVEX_Vpmovb2m_kr_ymm, v.c),
                _ => (Code::EVEX_Vpmovb2m_kr_zmm, v.c),
            };
            let signs = signs.map(fixed).or(match b {
                Some(Operand::Register(r)) => Some(r),
                _ => None,
            });
            asm.two(masks, SIGNS, signs.expect("signs are taken of a register"));
            match v.operation {
                Operation::Select => [dst, a, b],
                _ => [dst, Some(Operand::Register(SIGNS)), None],
            }
        }
        _ if tied && v.a.is_some() => [dst, b, None],
        _ => [dst, a, b],
    };
    let mut list = [Operand::Register(Register::None); 3];
    let mut count = 0;
    for operand in operands.into_iter().flatten() {
        list[count] = operand;
        count += 1;
    }
    let immediate = immediate(v.operation, code, lanes);
    let instruction = made(code, &list[..count], immediate).map(|mut instruction| {
        if v.operation == Operation::Select {
            instruction.set_op_mask(SIGNS);
        }
        instruction
    });
    match (instruction, constant) {
        (Ok(instruction), Some(c)) => asm.push_constant(&instruction, c),
        (made, _) => asm.made(made),
    }
}

/// The instruction with the source that its form overwrites in the result's register: by exchanging operands if
/// possible, otherwise by a preceding move.
fn placed(asm: &mut Assembler, v: Vector, encoding: Encoding) -> Vector {
    let Some(dst) = v.dst else { return v };
    let b = match v.b {
        Some(Src::Reg(r)) => Some(r),
        _ => None,
    };
    let copied = |asm: &mut Assembler, from: Reg| {
        assert!(b != Some(dst), "{v:?} overwrites its last operand before it is read");
        push(asm, &Vector::from(Operation::Load, v.lanes.into(), dst, Src::Reg(from)), encoding);
    };
    match v.operation {
        Operation::Ternary(table) => {
            let Some(c) = v.c else { return v };
            if c == dst {
                v
            } else if v.a == Some(dst) {
                Vector { operation: Operation::Ternary(renamed(table, [0, 2, 1])), a: v.c, c: v.a, ..v }
            } else if b == Some(dst) {
                let operation = Operation::Ternary(renamed(table, [2, 1, 0]));
                Vector { operation, b: Some(Src::Reg(c)), c: b, ..v }
            } else {
                copied(asm, c);
                Vector { c: Some(dst), ..v }
            }
        }
        Operation::PermuteTwo => {
            if let Some(c) = v.c.filter(|c| *c != dst) {
                assert!(v.a != Some(dst), "{v:?} overwrites a table before it is read");
                copied(asm, c);
            }
            Vector { c: Some(dst), ..v }
        }
        Operation::Previous => v,
        _ if encoding == Encoding::Legacy => match v.a {
            Some(a) if a != dst => {
                if b == Some(dst) && commutes(v.operation) {
                    return Vector { a: b, b: Some(Src::Reg(a)), ..v };
                }
                copied(asm, a);
                Vector { a: Some(dst), ..v }
            }
            _ => v,
        },
        _ => v,
    }
}
