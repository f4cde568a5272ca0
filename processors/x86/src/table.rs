//! The instruction table: one row per form, from which all other properties of the form are derived.

use aesmith_isa::lanes::{Access, AesRound, Binary, Condition, FlagSet, Half, Logic, Shift, Unary, Width};
use aesmith_processor::measured::{Features, TimingClass, Vectors};
use iced_x86::{Code, Instruction, OpKind};

mod element;
pub mod independent;
mod legacy;
mod scalar;
mod vector;

/// One form of an instruction: a mnemonic with its operand kinds and encoding.
#[derive(Debug)]
pub struct Form {
    /// The form's identity: mnemonic, operand kinds, encoding.
    pub code: Code,
    /// The computation.
    pub operation: Operation,
    /// Width of its vectors, or [`Vectors::Scalar`].
    pub vectors: Vectors,
    /// Scalars: the operand width. Vectors: the unit of one opmask bit or an embedded broadcast.
    pub element: Width,
    /// Timing class of its register form; memory operands add loads and stores ([`Form::work`]).
    pub timing: TimingClass,
    /// CPU features that it needs.
    pub features: Features,
    /// True for an SSE encoding of a vector instruction. Then operand 0 is also the first source where AVX has
    /// one more operand, bits above 127 of the destination are unchanged, and whole vectors in memory must be
    /// aligned to 16 bytes, except those of movdqu (Intel SDM volume 1, 14.9 and 15.7).
    pub legacy: bool,
}

/// The computation of an instruction. Operands are numbered in Intel's order, destination first; if a
/// [`Form::legacy`] row lacks operand 1 below, operand 0 takes its place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Operation {
    /// `0 = round(1) ^ 2`
    Aes(AesRound),
    /// `0 = InvMixColumns(1)`
    InvMixColumns,
    /// `0 = keygenassist(1, imm)`
    KeyGenerationAssist,
    /// `0 = 1 ^ 2`
    Xor,
    /// `0 = 1 op 2`
    Bitwise(Logic),
    /// `0 = table imm of (0, 1, 2)`
    Ternary,
    /// `0 = 1 + 2` by elements
    Add(Width),
    /// `0 = 1 - 2` by elements
    Subtract(Width),
    /// `0 = (1 == 2)` by elements
    CompareEqual(Width),
    /// `0 = (1 > 2)` by signed elements
    CompareGreater(Width),
    /// Elements of 1 shifted or rotated by imm bits.
    ShiftBits(Shift, Width),
    /// Elements of 1 rotated by imm bits towards the high bits.
    RotateBitsLeft(Width),
    /// Bytes of 1, or their inverses, times the matrices 2, plus imm.
    Affine {
        /// True to invert in GF(2^8) first.
        inverse: bool,
    },
    /// `0 = 1 * 2` by bytes in GF(2^8)
    Multiply,
    /// The carry-less product of the halves of 1 and 2 that bits 0 and 4 of imm choose.
    CarrylessProduct,
    /// Bytes of 1 in the order 2.
    ShuffleBytes,
    /// `1:2` shifted down by imm bytes
    AlignBytes,
    /// That half of 1, followed by that half of 2.
    UnpackQwords(Half),
    /// Alternating elements of that half of 1 and of 2.
    Interleave(Width, Half),
    /// Words of that half of 1 in the order imm.
    ShuffleWords(Half),
    /// Words of 1 or 2 by imm, the same in each lane.
    BlendWords,
    /// Bytes of 2 where the opmask is set, elsewhere of 1 or, when zeroing, zero.
    BlendMasked,
    /// Bytes of the vector 2 in the order 1.
    PermuteBytes,
    /// Bytes of `2:1` in the order 0.
    PermuteBytesByOld,
    /// Bytes of `2:0` in the order 1.
    PermuteBytesOfOld,
    /// Opmask 0 from the highest bits of the elements of 1.
    SignBits(Width),
    /// All-ones elements where opmask 1 is set, zeros elsewhere.
    MaskToElements(Width),
    /// The lowest bytes of 1, each zero-extended to a dword.
    WidenBytes,
    /// Dwords of 1 or 2 by imm.
    BlendDwords,
    /// Dwords of 1 in the order imm.
    ShuffleDwords,
    /// 1 shifted up by imm bytes.
    ShiftBytesLeft,
    /// 1 shifted down by imm bytes.
    ShiftBytesRight,
    /// `1:2` shifted down by imm qwords, across lanes
    AlignQwords,
    /// Qwords of 1 in the order imm within 256 bits.
    PermuteQwords,
    /// Lanes chosen by imm, the low half from 1, the high half from 2.
    ShuffleLanes,
    /// Two lanes of `2:1` chosen by imm, or zero.
    PermuteLanes,
    /// 1 with this number of lanes replaced by 2 at position imm.
    InsertLanes(usize),
    /// This number of lanes of 1 from position imm.
    ExtractLanes(usize),
    /// This number of lanes of memory, repeated.
    BroadcastLanes(usize),
    /// Lowest element of 1, repeated.
    BroadcastElement(Width),
    /// `0 = 1`, whole vectors
    Move(Access),
    /// Lowest element of 0 from 1, zeros above.
    ElementToVector(Width),
    /// 0 from the lowest element of 1.
    ElementFromVector(Width),
    /// 1 with element imm replaced by 2.
    InsertElement(Width),
    /// 0 from element imm of 1.
    ExtractElement(Width),
    /// Zeros above bit 127 of registers 0 to 15.
    ZeroUpper,
    /// Zeros in registers 0 to 15.
    ZeroAll,
    /// Opmask 0 from scalar 1.
    MaskFromScalar,
    /// Scalar 0 from opmask 1.
    MaskToScalar,
    /// Between opmasks, or an opmask and memory.
    MaskMove,
    /// All ones: kxnor of one register with itself, the only supported use.
    MaskOnes,
    /// Zero: kxor of one register with itself, the only supported use.
    MaskZero,
    /// `0 = 1`
    ScalarMove,
    /// `0 = 1` from that width
    ZeroExtend(Width),
    /// `0 = 1` with its bytes reversed
    ByteSwapMove,
    /// Pushes 0.
    Push,
    /// Pops 0.
    Pop,
    /// `0 =` the address of memory operand 1
    LoadAddress,
    /// `0 = 0 op 1`, and flags
    Combine(Binary),
    /// Flags of `0 op 1`.
    Compare(Binary),
    /// `0 = op 0`, and flags
    Modify(Unary),
    /// `0 = 0 shifted by imm`, and flags
    ShiftBy(Shift),
    /// `0 = 1 rotated by imm towards the low bits`, no flags
    RotateMove,
    /// `0 = 1 op 2`, and flags
    ThreeOperand(Binary),
    /// `0 = 1` if the condition holds
    ConditionalMove(Condition),
    /// `0 =` 1 or 0
    SetByte(Condition),
    /// Jump if the condition holds.
    Branch(Condition),
    /// Jump.
    Jump,
    /// Returns to the caller.
    Return,
    /// A hint to the caches about an address.
    Prefetch,
    /// No visible effect.
    Nop,
    /// Orders earlier streaming stores before later stores.
    Fence,
}

/// The dependence of an instruction's time on its data, from the list of [`independent`], by mnemonic.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum DataTiming {
    /// The time does not depend on the data.
    Listed,
    /// No such guarantee exists: the data must not be secret.
    Unlisted,
    /// The instruction does not compute on data.
    NoData,
}

/// The work of one instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Work {
    /// The computing part; `None` for pure loads and stores.
    pub compute: Option<TimingClass>,
    /// True if memory is read.
    pub load: bool,
    /// The store, if memory is written.
    pub store: Option<TimingClass>,
}

impl Form {
    /// The unit of an embedded broadcast. The matrices of vgf2p8affineqb are qwords, although its opmask covers
    /// bytes.
    pub const fn broadcast(&self) -> Width {
        match self.operation {
            Operation::Affine { .. } => Width::B64,
            _ => self.element,
        }
    }

    /// The dependence of its time on its data.
    pub(crate) fn data_timing(&self) -> DataTiming {
        use Operation::{Branch, Fence, Jump, Nop, Prefetch, Return};
        match self.operation {
            Branch(_) | Fence | Jump | Nop | Prefetch | Return => DataTiming::NoData,
            _ if independent::source(self.code.mnemonic()).is_some() => DataTiming::Listed,
            _ => DataTiming::Unlisted,
        }
    }

    /// True if an instruction of this form accesses its memory operand. Some only compute with its address,
    /// prefetch it or ignore it.
    pub fn accesses(&self, instruction: &Instruction) -> bool {
        use Operation::{Fence, LoadAddress, Nop, Prefetch};
        !matches!(self.operation, Fence | LoadAddress | Nop | Prefetch)
            && (0..instruction.op_count()).any(|k| instruction.op_kind(k) == OpKind::Memory)
    }

    /// The count of a shift or rotation by a constant after the CPU's truncation to 5 or 6 bits (Intel SDM
    /// volume 2, SAL/SAR/SHL/SHR and RCL/RCR/ROL/ROR). With a count of 0 it changes no flag.
    pub(crate) fn shift_count(&self, instruction: &Instruction) -> u8 {
        let count = instruction.immediate(instruction.op_count() - 1) as u8;
        count & if matches!(self.element, Width::B64) { 63 } else { 31 }
    }

    /// The flags that an instruction of this form leaves undefined (Intel SDM volume 2: BZHI; SAL/SAR/SHL/SHR;
    /// RCL/RCR/ROL/ROR; logical operations leave only AF undefined, which is not modelled).
    pub fn undefined_flags(&self, instruction: &Instruction) -> FlagSet {
        match self.operation {
            Operation::ThreeOperand(Binary::Bzhi) => FlagSet { parity: true, ..FlagSet::NONE },
            Operation::ShiftBy(shift) => match self.shift_count(instruction) {
                0 => FlagSet::NONE,
                count => FlagSet {
                    overflow: count != 1,
                    carry: !matches!(shift, Shift::RotateRight) && u32::from(count) >= self.element.bits(),
                    ..FlagSet::NONE
                },
            },
            _ => FlagSet::NONE,
        }
    }

    /// The units that an instruction of this form occupies.
    pub fn work(&self, instruction: &Instruction) -> Work {
        use Operation::*;
        let memory = |k| instruction.op_kind(k) == OpKind::Memory;
        let stored = instruction.op_count() > 0 && memory(0);
        let loaded = (1..instruction.op_count()).any(memory);
        let moves = matches!(
            self.operation,
            Move(_) | ScalarMove | BroadcastLanes(_) | ElementToVector(_) | ElementFromVector(_)
        ) || matches!(self.operation, ZeroExtend(_) | BroadcastElement(Width::B32 | Width::B64));
        let updates = matches!(self.operation, Combine(_) | Modify(_) | ShiftBy(_));
        match self.operation {
            Push => Work { compute: None, load: false, store: Some(TimingClass::Store) },
            Pop => Work { compute: None, load: true, store: None },
            Fence | LoadAddress | Nop | Prefetch => {
                Work { compute: Some(self.timing), load: false, store: None }
            }
            Compare(_) => Work { compute: Some(self.timing), load: stored || loaded, store: None },
            _ => Work {
                compute: if moves && (stored || loaded) { None } else { Some(self.timing) },
                load: loaded || (stored && updates),
                store: match self.operation {
                    Move(Access::Streaming) => Some(TimingClass::StreamingStore),
                    _ if stored => Some(TimingClass::Store),
                    _ => None,
                },
            },
        }
    }
}

/// Converts rows to an array of [`Form`]s. Columns: code, operation, vector width and element, timing class,
/// features. SSE encodings are inside `legacy { }`.
macro_rules! rows {
    (legacy { $($rows:tt)* }) => { super::rows! { @ true $($rows)* } };
    (@ $legacy:literal $($code:ident: $operation:expr, $vectors:ident $element:ident, $timing:ident, [$($feature:ident)*];)*) => {
        pub(super) static FORMS: &[super::Form] = {
            #[allow(unused_imports, reason = "each file of rows uses some")]
            use super::{Operation::*, Vectors::{Scalar as scalar, Bits128 as x, Bits256 as y, Bits512 as z}};
            #[allow(unused_imports, reason = "each file of rows uses some")]
            use aesmith_isa::lanes::{Access, Width::*};
            &[$(super::Form {
                code: iced_x86::Code::$code,
                operation: $operation,
                vectors: $vectors,
                element: $element,
                timing: super::TimingClass::$timing,
                features: aesmith_processor::measured::Features::NONE$(.and(crate::features::$feature))*,
                legacy: $legacy,
            }),*]
        };
    };
    ($($rows:tt)*) => { super::rows! { @ false $($rows)* } };
}
use rows;

/// Greater than every `Code` of the pinned iced; a larger one fails the build below.
const CODES: usize = 5120;

static BY_CODE: [Option<&'static Form>; CODES] = {
    let mut by_code: [Option<&'static Form>; CODES] = [None; CODES];
    let tables = [vector::FORMS, element::FORMS, legacy::FORMS, scalar::FORMS];
    let mut t = 0;
    while t < tables.len() {
        let mut i = 0;
        while i < tables[t].len() {
            let slot = tables[t][i].code as usize;
            assert!(by_code[slot].is_none(), "two rows for one code");
            by_code[slot] = Some(&tables[t][i]);
            i += 1;
        }
        t += 1;
    }
    by_code
};

/// The row of a code; `None` if the table lacks it.
#[inline]
pub fn form(code: Code) -> Option<&'static Form> {
    BY_CODE.get(code as usize).copied().flatten()
}

/// All rows.
pub fn forms() -> impl Iterator<Item = &'static Form> {
    [vector::FORMS, element::FORMS, legacy::FORMS, scalar::FORMS].into_iter().flatten()
}

#[cfg(test)]
mod tests {
    use super::*;
    use iced_x86::Decoder;

    fn work(code: &[u8]) -> Work {
        let instruction = Decoder::new(64, code, 0).decode();
        form(instruction.code()).unwrap_or_else(|| panic!("no row: {instruction}")).work(&instruction)
    }

    #[test]
    fn work_follows_from_the_operands() {
        let some = |compute, load, store| Work { compute, load, store };
        use TimingClass::*;
        for (code, expected) in [
            (&[0x48, 0x01, 0xd8][..], some(Some(ScalarAlu), false, None)), // add rax, rbx
            (&[0x48, 0x01, 0x18], some(Some(ScalarAlu), true, Some(Store))), // add [rax], rbx
            (&[0x48, 0x03, 0x18], some(Some(ScalarAlu), true, None)),      // add rbx, [rax]
            (&[0x48, 0x39, 0x18], some(Some(ScalarAlu), true, None)),      // cmp [rax], rbx
            (&[0x48, 0x8b, 0x18], some(None, true, None)),                 // mov rbx, [rax]
            (&[0x48, 0x89, 0x18], some(None, false, Some(Store))),         // mov [rax], rbx
            (&[0x48, 0x8d, 0x18], some(Some(Lea), false, None)),           // lea rbx, [rax]
            (&[0x53], some(None, false, Some(Store))),                     // push rbx
            (&[0xc5, 0xfe, 0x6f, 0x08], some(None, true, None)),           // vmovdqu ymm1, [rax]
            (&[0xc5, 0xfd, 0xe7, 0x08], some(None, false, Some(StreamingStore))), // vmovntdq [rax], ymm1
            (&[0xc4, 0xe2, 0x69, 0xdc, 0x08], some(Some(Aes), true, None)), // vaesenc xmm1, xmm2, [rax]
            (&[0x66, 0x0f, 0xef, 0x08], some(Some(Logic), true, None)),    // pxor xmm1, [rax]
            (&[0xf3, 0x0f, 0x7f, 0x08], some(None, false, Some(Store))),   // movdqu [rax], xmm1
            (&[0x66, 0x0f, 0x73, 0xd1, 0x04], some(Some(VectorShift), false, None)), // psrlq xmm1, 4
            (&[0xc4, 0xe2, 0x79, 0x78, 0x08], some(Some(Broadcast), true, None)), // vpbroadcastb xmm1, [rax]
            (&[0x0f, 0x18, 0x08], some(Some(Prefetch), false, None)),      // prefetcht0 [rax]
        ] {
            assert_eq!(work(code), expected, "{code:02x?}");
        }
    }
}
