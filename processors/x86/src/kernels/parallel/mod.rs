//! Kernels over independent blocks: ECB, CBC decryption and CTR.
//!
//! ```text
//! entry    IV and counter bookkeeping; short messages go to the tail
//! head     CTR with a tracked low byte: steps until the counter is aligned to the group
//! set-up   keys and constants into registers, the table of the cache
//! refresh  once per 256 blocks: values that depend on the upper counter bytes
//! loop     the groups, interleaved and pipelined as the variant says
//! tail     the rest: half as many registers each time or one by one, then the last bytes
//! single   block by block, correct for every counter carry
//! ```
//!
//! A kernel for short messages only has no head, set-up and loop, and only the reachable parts of the tail.

mod counter;
mod epoch;
mod plan;
mod sliced;
mod tail;

use crate::dimensions::{self, Dim};
use crate::kernels::asm::{Assembler, If, Label};
use crate::kernels::body::{Arguments, Body, Context, Counter, Prefetch, low_quadword, reversal};
use crate::kernels::left::Left;
use crate::kernels::select::Selection;
use crate::kernels::target::{Encoding, encoding};
use crate::kernels::vector::{Operation, Src, Vector, bytes};
use crate::kernels::{Parts, Unfit, frame};
use aesmith_arrange::{Pipeline, Slot, Variant};
use aesmith_cipher::{Task, contract};
use aesmith_dataflow::{Dataflow, Op, Value, aes};
use aesmith_order::Reg;
use aesmith_processor::measured::Lengths;
use aesmith_processor::measured::Target;
use iced_x86::{Code, Instruction, Register};
use plan::Plan;
use sliced::Group;

/// The lower half of the counter as a native integer; its low byte is tracked.
const LOW: Register = Register::R9;
/// The upper half.
const HIGH: Register = Register::R10;
/// The counter half at the end of the message, then the pointer into the table of the cache.
const TABLE: Register = Register::R11;
const SCRATCH: Register = Register::RAX;
/// A vector register that is free outside the main loop.
const SPARE: u8 = 15;
/// Size of the two-round cache table on the stack, in bytes.
const FRAME: i32 = contract::TABLE_BYTES as i32;

struct Writer<'v> {
    variant: &'v Variant,
    asm: Assembler,
    arguments: Arguments,
    lanes: usize,
    evex: bool,
    select: Selection,
    /// Registers that a single instruction may use as temporaries.
    scratch: Vec<u8>,
    /// Displacement of the slots of spilled round keys.
    spilled_at: i32,
    /// Size of a frame that is open throughout, in bytes; 0 without one.
    frame: i32,
    fault: Option<Unfit>,
    rounds: u8,
    tail: Label,
    single: Label,
    leave: Label,
}

/// Writes the kernel of a variant of ECB, CBC decryption or CTR.
pub fn write(variant: &Variant, target: &Target, slots: usize, lengths: Lengths) -> Result<Parts, Unfit> {
    let problem = variant.problem;
    let ctr = problem.task == Task::Ctr;
    let lanes = variant.lanes();
    let arguments = if problem.has_iv() {
        Arguments {
            key: Register::RDI,
            iv: Register::RSI,
            input: Register::RDX,
            output: Register::RCX,
            len: Register::R8,
        }
    } else {
        Arguments {
            key: Register::RDI,
            iv: Register::None,
            input: Register::RSI,
            output: Register::RDX,
            len: Register::RCX,
        }
    };
    let mut asm = Assembler::function();
    let (tail, single, leave) = (asm.label(), asm.label(), asm.label());
    let rounds = problem.key.rounds() as u8;
    let evex = encoding(target, lanes) == Encoding::Evex;
    let mut select = Selection::new(variant, target, lanes, false);
    let sliced = if variant.sliced() { Some(Group::new(variant, &select, lanes)?) } else { None };
    let registers = match &sliced {
        Some(group) => group.texts(),
        None => usize::from(variant.get(Dim::Interleave)).max(1),
    };
    let group = registers * lanes;
    let tracked = ctr && (variant.get(Dim::Cached) > 0 || variant.get(Dim::Counter) > 0);
    if tracked && !group.is_power_of_two() {
        return Err(Unfit::Shape(format!(
            "a tracked low counter byte needs a power of two of blocks in a group, not {group}"
        )));
    }
    // A sliced loop has its own cache.
    let cached = if variant.sliced() { 0 } else { variant.get(Dim::Cached) as u8 };
    let options = aes::Options {
        cached,
        keyed: ctr && cached == 0 && variant.get(Dim::Counter) == 2,
        fold: variant.on(Dim::Fold),
    };
    let flow = aes::block(problem, options);
    let pipeline = Pipeline::new(&flow, dimensions::interleaving(variant));
    let need = group as i32 * 16 * pipeline.stages as i32;
    let looped = lengths.reach(need as u64);
    let (cached, sliced) = if looped { (cached, sliced) } else { (0, None) };
    // A frame starts with the cache table or the prepared keys, followed by spilled keys, then the stack slots.
    let table = match &sliced {
        Some(group) => group.size,
        None if cached == 2 => FRAME,
        None => 0,
    };
    let spilled =
        if looped && variant.on(Dim::Overflow) { select.bytes_of(usize::from(rounds) + 1) } else { 0 };
    select.slots_at = table + spilled;
    let kept = table + spilled + select.bytes_of(slots);
    let frame = if slots > 0 || sliced.is_some() || spilled > 0 { kept } else { 0 };
    let scratch = (8..if evex { 32 } else { 16 }).collect();
    let fault = None;
    let mut w = Writer {
        variant,
        asm,
        arguments,
        lanes,
        evex,
        select,
        scratch,
        spilled_at: table,
        frame,
        fault,
        rounds,
        tail,
        single,
        leave,
    };

    let mut plan = if looped { Some(w.planned(&flow, &pipeline, &sliced)?) } else { None };
    if slots == 0 && sliced.is_none() && plan.as_ref().is_some_and(|(_, plan)| plan.spilled.is_empty()) {
        w.frame = 0;
    }
    if w.frame > 0 {
        frame::open(&mut w.asm, w.frame);
    }
    let carry = w.entry(cached);
    if let Some((context, plan)) = &mut plan {
        w.asm.cmp(arguments.len, need);
        w.asm.jump(If::Below, w.tail);
        if tracked {
            w.head(group, need);
        }
        w.looped(context, &pipeline, plan, tracked, &sliced, cached)?;
    }
    // After the loop, less than one iteration's input is left.
    let most = if looped { Some(need as u64 - 1) } else { lengths.most };
    let mut left = Left::of(Lengths { least: if looped { 0 } else { lengths.least }, most });
    w.tail(group / lanes, &mut left);
    w.single_blocks(&left);
    w.leave();
    if let Some(carry) = carry {
        w.carry(carry);
    }
    let plan = plan.map(|(_, plan)| plan);
    let keys = plan.iter().flat_map(|plan| plan.keys.iter().enumerate());
    let keys = keys.fold(0, |mask, (r, k)| mask | u16::from(k.is_some()) << r);
    if let Some(fault) = w.fault {
        return Err(fault);
    }
    let assembled = w.asm.finish().map_err(Unfit::Shape)?;
    Ok(Parts {
        assembled,
        keys_in_registers: keys,
        loop_instructions: plan.map_or(0, |plan| plan.movable),
        loop_blocks: group,
        spills: w.select.spills,
        without_cache: !looped,
    })
}

/// The low byte of a 64-bit register.
fn low(register: Register) -> Register {
    match register {
        Register::RAX => Register::AL,
        Register::RCX => Register::CL,
        Register::RDX => Register::DL,
        Register::R9 => Register::R9L,
        other => panic!("{other:?} has no low byte that kernels use"),
    }
}

/// The pipeline stage of the step that reads `text`, itself or folded into its key; 0 if no step does.
fn stage_of(text: Op, flow: &Dataflow, pipeline: &Pipeline) -> u8 {
    let op = |v: Value| flow.ops[v.0 as usize];
    let reads = |slot: &&Slot| match flow.ops[slot.op as usize] {
        Op::Xor(_, b) => op(b) == text,
        Op::Aes(_, _, key) => op(key).arguments().any(|v| op(v) == text),
        _ => false,
    };
    pipeline.body.iter().find(reads).map_or(0, |slot| slot.stage)
}

/// The code with its stores replaced by streaming stores.
fn streaming(code: &[Vector]) -> Vec<Vector> {
    let stream = |v: &Vector| match v.operation {
        Operation::Store => Vector { operation: Operation::Stream, ..*v },
        _ => *v,
    };
    code.iter().map(stream).collect()
}

impl Writer<'_> {
    fn ctr(&self) -> bool {
        self.variant.problem.task == Task::Ctr
    }

    fn chained(&self) -> bool {
        self.variant.problem.task == Task::CbcDecrypt
    }

    fn count(&self) -> u8 {
        if self.evex { 32 } else { 16 }
    }

    fn context<'f>(&mut self, flow: &'f Dataflow, pipeline: &Pipeline) -> Context<'f> {
        let v = self.variant;
        let pinned = Reg::Fixed(0);
        let counter = match (self.ctr(), v.get(Dim::Cached), v.get(Dim::Counter)) {
            (false, ..) => Counter::None,
            (true, 0, 0) => Counter::Swap(pinned),
            (true, 0, 1) => Counter::Add(pinned),
            (true, 0, _) => Counter::Precomputed(pinned),
            (true, ..) => Counter::Cached(pinned, TABLE),
        };
        let (source, ahead) = (usize::from(v.get(Dim::Source)) - 1, usize::from(v.get(Dim::Ahead)));
        Context {
            flow,
            lanes: self.lanes,
            registers: pipeline.registers,
            stages: pipeline.stages,
            source_stage: stage_of(Op::Source, flow, pipeline),
            chain_stage: stage_of(Op::PreviousSource, flow, pipeline),
            arguments: self.arguments,
            keys: [None; 15],
            spilled: [None; 15],
            counter,
            reverse: Src::Constant(reversal(&mut self.asm, self.lanes)),
            step: Src::Constant(low_quadword(&mut self.asm, self.lanes, self.lanes as u64)),
            chain: self.chained().then_some(pinned),
            pipeline: 1,
            streaming: false,
            prefetch: match v.get(Dim::Prefetch) {
                1 => Prefetch::Cache(source, ahead),
                2 => Prefetch::Register(source, source.saturating_sub(ahead)),
                _ => Prefetch::Off,
            },
        }
    }

    fn push(&mut self, v: Vector) {
        let narrow = self.select.encoding(v.lanes.into()) != Encoding::Evex;
        let scratch = if narrow { self.scratch.iter().position(|r| *r >= 16) } else { None };
        let scratch = &self.scratch[..scratch.unwrap_or(self.scratch.len())];
        if let Err(fault) = self.select.one(&mut self.asm, v, scratch) {
            self.fault.get_or_insert(fault);
        }
    }

    /// Advances texts, length and counter.
    fn advance(&mut self, text: i32, blocks: i32) {
        let a = self.arguments;
        self.asm.add(a.input, text);
        self.asm.add(a.output, text);
        if self.ctr() {
            self.asm.add(LOW, blocks);
        }
        self.asm.sub(a.len, text);
    }

    /// Loads the loop's registers: pinned constants and keys.
    fn set_up(&mut self, plan: &Plan) {
        let lanes = self.lanes;
        if matches!(self.variant.get(Dim::Counter), 0) && self.ctr() && self.variant.get(Dim::Cached) == 0 {
            self.vector_counter(SPARE);
        }
        for &(r, slot) in &plan.spilled {
            self.key_into(SPARE, r);
            let to = Src::Mem(Register::RSP, slot, false);
            self.push(Vector::store(Operation::Store, lanes, Reg::Fixed(SPARE), to));
        }
        let constants = [
            (plan.reverse, reversal(&mut self.asm, lanes)),
            (plan.step, low_quadword(&mut self.asm, lanes, lanes as u64)),
        ];
        for (reg, constant) in constants {
            if let Some(reg) = reg {
                self.push(Vector::from(Operation::Load, lanes, Reg::Fixed(reg), Src::Constant(constant)));
            }
        }
        for (r, reg) in plan.keys.iter().enumerate() {
            if let Some(reg) = *reg {
                self.key_into(reg, r as u8);
            }
        }
    }

    fn key_into(&mut self, reg: u8, r: u8) {
        let key = Src::Mem(self.arguments.key, 16 * i32::from(r), false);
        self.push(Vector::from(Operation::Broadcast, self.lanes, Reg::Fixed(reg), key));
    }

    /// The main loop over groups of whole registers, or over transposed groups.
    fn the_loop(
        &mut self,
        context: &Context,
        pipeline: &Pipeline,
        plan: &Plan,
        code: &[Vector],
        tracked: bool,
        sliced: &Option<Group>,
    ) -> Result<(), Unfit> {
        match sliced {
            Some(group) if group.cached() => self.epochs(group, plan, code),
            Some(group) => self.sliced_loop(group, code),
            None => self.main_loop(context, pipeline, plan, code, tracked)?,
        }
        Ok(())
    }

    /// The registers and the instruction order of the loop.
    fn planned<'f>(
        &mut self,
        flow: &'f Dataflow,
        pipeline: &Pipeline,
        sliced: &Option<Group>,
    ) -> Result<(Context<'f>, Plan), Unfit> {
        let mut context = self.context(flow, pipeline);
        let plan = match sliced {
            Some(group) => self.sliced_plan(group)?,
            None => self.plan(&mut context, pipeline)?,
        };
        Ok((context, plan))
    }

    /// Set-up and loop; two loops if the variant uses streaming stores when the output is aligned.
    fn looped(
        &mut self,
        context: &mut Context,
        pipeline: &Pipeline,
        plan: &Plan,
        tracked: bool,
        sliced: &Option<Group>,
        cached: u8,
    ) -> Result<(), Unfit> {
        self.asm.name("set-up");
        if cached == 2 {
            if self.frame == 0 {
                frame::open(&mut self.asm, FRAME);
            }
            self.build_table();
        }
        match sliced {
            Some(group) => self.sliced_set_up(group)?,
            None => self.set_up(plan),
        }
        if self.variant.on(Dim::Streaming) {
            let (plain, done) = (self.asm.label(), self.asm.label());
            let unaligned = bytes(self.lanes) - 1;
            let output = low(self.arguments.output);
            self.asm.made(Instruction::with2(Code::Test_rm8_imm8, output, unaligned as u32));
            self.asm.jump(If::NotZero, plain);
            context.streaming = true;
            let streaming = streaming(&plan.code);
            self.the_loop(context, pipeline, plan, &streaming, tracked, sliced)?;
            self.asm.push(&Instruction::with(Code::Sfence));
            self.asm.jump(If::Always, done);
            self.asm.bind(plain);
            context.streaming = false;
            self.the_loop(context, pipeline, plan, &plan.code, tracked, sliced)?;
            self.asm.bind(done);
        } else {
            self.asm.name("loop");
            self.the_loop(context, pipeline, plan, &plan.code, tracked, sliced)?;
        }
        if cached == 2 && self.frame == 0 {
            if self.variant.on(Dim::Wipe) {
                self.wipe_frame(FRAME);
            }
            frame::close(&mut self.asm);
        }
        Ok(())
    }

    /// The prologue, loop and epilogue of the pipeline.
    fn main_loop(
        &mut self,
        context: &Context,
        pipeline: &Pipeline,
        plan: &Plan,
        code: &[Vector],
        tracked: bool,
    ) -> Result<(), Unfit> {
        let len = self.arguments.len;
        let group = pipeline.registers * self.lanes;
        let group_bytes = 16 * group as i32;
        let (refresh, again, drain) = (self.asm.label(), self.asm.label(), self.asm.label());
        let top = self.variant.on(Dim::Loop);
        if pipeline.stages > 1 && tracked {
            self.refresh(context, plan);
        }
        for pass in 0..pipeline.stages - 1 {
            let slots: Vec<_> = pipeline.fill(pass).copied().collect();
            self.pass(context, plan, &slots, |stage| -i32::from(stage))?;
            self.advance(group_bytes, group as i32);
            if tracked {
                // Advances the counter within its 256 blocks, or refreshes it.
                let same = self.asm.label();
                self.asm.two(Code::Test_rm8_r8, low(LOW), low(LOW));
                self.asm.jump(If::NotZero, same);
                self.refresh(context, plan);
                let next = self.asm.label();
                self.asm.jump(If::Always, next);
                self.asm.bind(same);
                self.step_on(context, group);
                self.asm.bind(next);
            }
        }
        if tracked && pipeline.stages == 1 {
            self.asm.bind(refresh);
            if top {
                self.asm.cmp(len, group_bytes);
                self.asm.jump(If::Below, drain);
            }
            self.refresh(context, plan);
        }
        let over = self.asm.label();
        let into = self.asm.label();
        if tracked && pipeline.stages > 1 {
            self.asm.jump(If::Always, into);
            self.asm.bind(refresh);
            self.refresh(context, plan);
            self.asm.bind(into);
        }
        self.asm.align([1, 16, 32, 64][usize::from(self.variant.get(Dim::Align))]);
        self.asm.bind(again);
        if top {
            self.asm.cmp(len, group_bytes);
            self.asm.jump(If::Below, drain);
        }
        self.asm.name("body");
        for v in code {
            self.select.push(&mut self.asm, v);
        }
        self.asm.name("body end");
        self.advance(group_bytes, group as i32);
        if tracked {
            self.asm.two(Code::Test_rm8_r8, low(LOW), low(LOW));
            self.asm.jump(If::Zero, if top && pipeline.stages == 1 { refresh } else { over });
            self.step_on(context, group);
        }
        if top {
            self.asm.jump(If::Always, again);
        } else {
            self.asm.cmp(len, group_bytes);
            self.asm.jump(If::AboveEqual, again);
        }
        if tracked && !(top && pipeline.stages == 1) {
            if !top {
                self.asm.jump(If::Always, drain);
            }
            self.asm.bind(over);
            self.asm.cmp(len, group_bytes);
            self.asm.jump(If::AboveEqual, refresh);
        } else {
            self.asm.bind(over);
        }
        self.asm.bind(drain);
        for pass in 1..pipeline.stages {
            let slots: Vec<_> = pipeline.drain(pass).copied().collect();
            self.pass(context, plan, &slots, |stage| pass as i32 - 1 - i32::from(stage))?;
        }
        Ok(())
    }

    fn pass(
        &mut self,
        context: &Context,
        plan: &Plan,
        slots: &[Slot],
        group: impl Fn(u8) -> i32,
    ) -> Result<(), Unfit> {
        let body = Body::pass(context, &mut self.asm, slots.iter(), group);
        let (code, virtuals) = (body.code, body.virtuals);
        self.select.write(&mut self.asm, code, virtuals, &plan.pool).map_err(|unfit| match unfit {
            // Counted with the registers that the loop keeps.
            Unfit::Registers { needed, available } => Unfit::Registers {
                needed: needed + usize::from(self.count()) - available,
                available: self.count().into(),
            },
            other => other,
        })
    }
}
