//! Instruction selection: rounds that are not a single instruction become the technique's instructions, and
//! virtual registers become machine registers and stack slots, as an encoding allows.

use crate::features;
use crate::kernels::Unfit;
use crate::kernels::asm::{Assembler, Constant};
use crate::kernels::forms;
use crate::kernels::target::{Encoding, encoding};
use crate::kernels::translate::{Template, translate};
use crate::kernels::vector::{Operation, Src, Vector, bytes};
use aesmith_arrange::{Choices, Variant};
use aesmith_dataflow::program::{Node, Program, Word};
use aesmith_dataflow::{Round, Technique, technique};
use aesmith_order::{Pressure, Reg, Spills, TooFew, allocate, allocate_spilling};
use aesmith_processor::measured::Target;
use lowered::Lowered;

mod lowered;
mod machine;

/// The purpose of a template.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Purpose {
    Round(Round),
    InverseMix,
    /// Reversal of the bytes of a lane.
    Reversal,
}

/// Choices of the vector instructions of one kernel.
pub struct Selection {
    technique: Technique,
    choices: Choices,
    target: Target,
    /// Encoding of single lanes.
    narrow: Encoding,
    templates: Vec<(Purpose, usize, Template)>,
    /// Displacement of the stack slots from the stack pointer, in bytes.
    pub slots_at: i32,
    /// Size of a stack slot, in bytes.
    slot: i32,
    /// The spills that allocation has added so far, for all code of the kernel.
    pub spills: Spills,
}

impl Selection {
    /// A selection for a variant whose registers have `lanes` lanes. Single lanes use VEX beside wider
    /// registers, or the encoding of the wider ones if `uniform`.
    pub fn new(variant: &Variant, target: &Target, lanes: usize, uniform: bool) -> Selection {
        let wide = encoding(target, lanes);
        let shuffles = target.has(features::SSSE3);
        Selection {
            technique: variant.technique,
            choices: Choices { byte_shuffle: shuffles, ..variant.choices() },
            target: *target,
            narrow: if uniform { wide } else { encoding(target, 1) },
            templates: Vec::new(),
            slots_at: 0,
            slot: bytes(lanes),
            spills: Spills::default(),
        }
    }

    /// The encoding of registers with this number of lanes.
    pub fn encoding(&self, lanes: usize) -> Encoding {
        if lanes == 1 { self.narrow } else { encoding(&self.target, lanes) }
    }

    /// True if every operation is an instruction already.
    fn direct(&self) -> bool {
        self.technique.is_instruction() && self.narrow != Encoding::Legacy
    }

    /// True if byte shuffles exist.
    pub fn shuffles(&self) -> bool {
        self.choices.byte_shuffle
    }

    /// The stack size of this number of slots, in bytes.
    pub fn bytes_of(&self, slots: usize) -> i32 {
        (slots as i32 * self.slot + 63) & !63
    }

    /// The purpose of the template for an operation, if it needs one.
    fn purpose(&self, v: &Vector, reversal: Option<Constant>) -> Option<Purpose> {
        match (v.operation, v.b) {
            (Operation::Aes(round), _) if !self.technique.is_instruction() => Some(Purpose::Round(round)),
            (Operation::InvMix, _) if !self.technique.is_instruction() => Some(Purpose::InverseMix),
            (Operation::Shuffle, Some(Src::Constant(c))) if !self.shuffles() && Some(c) == reversal => {
                Some(Purpose::Reversal)
            }
            _ => None,
        }
    }

    /// The choices of the variant and of the target's instructions for registers with this number of lanes.
    pub fn choices(&self, lanes: usize) -> Choices {
        Choices { three_input: self.encoding(lanes) == Encoding::Evex, ..self.choices }
    }

    fn program(&self, purpose: Purpose, lanes: usize) -> Program {
        let choices = self.choices(lanes);
        match purpose {
            Purpose::Round(round) => technique::round(self.technique, choices, round),
            Purpose::InverseMix => technique::inverse_mix_columns(self.technique, choices),
            Purpose::Reversal => {
                let mut program = Program::new(Word::Lane, 1);
                let x = program.input(0);
                let out = program.push(Node::Bytes(x, std::array::from_fn(|i| 15 - i as u8)));
                program.outputs.push(out);
                Some(program)
            }
        }
        .expect("techniques on vectors have programs of rounds")
    }

    fn template(&mut self, asm: &mut Assembler, purpose: Purpose, lanes: usize) -> usize {
        let known = self.templates.iter().position(|(p, l, _)| *p == purpose && *l == lanes);
        known.unwrap_or_else(|| {
            let program = self.program(purpose, lanes);
            let template = translate(&program, asm, lanes, self.encoding(lanes), &self.target);
            self.templates.push((purpose, lanes, template));
            self.templates.len() - 1
        })
    }

    /// `code` with rounds that are not an instruction replaced by the technique's instructions, and with loads
    /// of the operands that an encoding cannot have in memory. `virtuals` counts its virtual registers.
    pub fn lower(
        &mut self,
        asm: &mut Assembler,
        code: Vec<Vector>,
        virtuals: &mut usize,
    ) -> Result<Vec<Vector>, Unfit> {
        if self.direct() {
            return Ok(code);
        }
        let reversal = (!self.shuffles()).then(|| crate::kernels::body::reversal(asm, 1));
        let mut lowered = Lowered::after(Vec::with_capacity(8 * code.len()), virtuals);
        for v in code {
            let lanes = v.lanes as usize;
            if let Some(purpose) = self.purpose(&v, reversal) {
                let index = self.template(asm, purpose, lanes);
                let template = &self.templates[index].2;
                let dst = v.dst.expect("a round has a result");
                let inputs = match purpose {
                    Purpose::Round(_) => [v.a.map(Src::Reg), v.b],
                    Purpose::InverseMix => [v.b, None],
                    Purpose::Reversal => [v.a.map(Src::Reg), None],
                };
                lowered.instantiate(template, lanes, inputs.into_iter().flatten(), &[dst]);
            } else {
                let loads = self.encoding(lanes) == Encoding::Legacy && !may_be_unaligned(v.operation);
                let b = match v.b {
                    Some(from @ (Src::Mem(..) | Src::Stream(..))) if loads => {
                        Some(Src::Reg(lowered.load(lanes, from)))
                    }
                    b => b,
                };
                lowered.code.push(Vector { b, ..v });
            }
            // Register numbers have sixteen bits.
            if *lowered.virtuals > 60_000 {
                return Err(Unfit::Shape(format!(
                    "one pass of a loop of this shape computes more than {} values by technique {}; fewer \
                     blocks in a pass (interleave, unroll) have fewer",
                    60_000, self.technique
                )));
            }
        }
        Ok(lowered.code)
    }

    /// Appends the instructions of a sliced program to `code`.
    pub fn append(
        &mut self,
        template: &Template,
        lanes: usize,
        inputs: &[Src],
        code: &mut Vec<Vector>,
        virtuals: &mut usize,
    ) -> Vec<Reg> {
        let mut lowered = Lowered::after(std::mem::take(code), virtuals);
        let outputs: Vec<Reg> = template.outputs.iter().map(|_| lowered.fresh()).collect();
        lowered.instantiate(template, lanes, inputs.iter().copied(), &outputs);
        *code = lowered.code;
        outputs
    }

    /// The instructions of a program, for [`Selection::append`].
    pub fn translate(&self, asm: &mut Assembler, program: &Program, lanes: usize) -> Template {
        translate(program, asm, lanes, self.encoding(lanes), &self.target)
    }

    /// Allocates machine registers of `pool` for lowered code, and stack slots if these do not suffice.
    pub fn allocate(
        &mut self,
        code: &mut Vec<Vector>,
        virtuals: usize,
        pool: &[u8],
    ) -> Result<Spills, Pressure> {
        if self.direct() {
            return allocate(code, virtuals, pool).map(|()| Spills::default());
        }
        match allocate_spilling(code, virtuals, pool, self) {
            Ok((allocated, spills)) => {
                *code = allocated;
                self.spills = self.spills.and(spills);
                Ok(spills)
            }
            Err(TooFew(available)) => Err(Pressure { needed: available + 1, available }),
        }
    }

    /// Lowers, allocates and appends a piece of code.
    pub fn write(
        &mut self,
        asm: &mut Assembler,
        code: Vec<Vector>,
        mut virtuals: usize,
        pool: &[u8],
    ) -> Result<(), Unfit> {
        let mut code = self.lower(asm, code, &mut virtuals)?;
        self.allocate(&mut code, virtuals, pool)
            .map_err(|p| Unfit::Registers { needed: p.needed, available: p.available })?;
        code.iter().for_each(|v| self.push(asm, v));
        Ok(())
    }

    /// Appends an instruction whose registers are fixed; `scratch` are temporaries that it may use if it is a
    /// round of many instructions.
    pub fn one(&mut self, asm: &mut Assembler, v: Vector, scratch: &[u8]) -> Result<(), Unfit> {
        if self.direct() {
            self.push(asm, &v);
            return Ok(());
        }
        self.write(asm, vec![v], 0, scratch)
    }

    /// Appends an instruction that has its registers.
    pub fn push(&self, asm: &mut Assembler, v: &Vector) {
        forms::push(asm, v, self.encoding(v.lanes as usize));
    }
}

/// True for operations whose memory operand may be unaligned even in legacy encodings.
pub(super) fn may_be_unaligned(operation: Operation) -> bool {
    use Operation::*;
    matches!(operation, Load | Broadcast | Store | Stream | StoreDword | Prefetch | LoadLow)
}
