//! Kernels over independent blocks: ECB, CBC decryption and CTR.
//!
//! ```text
//! entry    IV and counter bookkeeping; short messages go to the tail
//! head     CTR with a tracked low byte: single blocks until the counter is aligned to the group
//! set-up   keys and constants into registers, the cache's table
//! refresh  once in 256 blocks: what depends on the upper counter bytes
//! loop     the groups, interleaved and pipelined as the variant says
//! tail     what is left: half as many registers each time or one by one, then the last bytes
//! single   block by block, right for every counter carry
//! ```

use crate::asm::{Assembler, Constant, If, Label, at, indexed};
use crate::body::{
    Arguments, Body, Context, Counter, Prefetch, lane_numbers, low_byte, low_quadword, reversal,
};
use crate::target::Target;
use crate::vector::{self, Operation, Src, Vector, bytes, register};
use crate::{Parts, Unfit};
use aesmith_arrange::{Dim, Pipeline, Slot, Variant};
use aesmith_cipher::{Task, contract};
use aesmith_dataflow::{Dataflow, Op, Value, aes};
use aesmith_order::{Reg, allocate, apply_moves};
use iced_x86::{Code, Instruction, Register};

/// The lower half of the counter as a native integer; its low byte is tracked.
const LOW: Register = Register::R9;
/// The upper half.
const HIGH: Register = Register::R10;
/// The counter half that the message ends at, then the pointer into the cache's table.
const TABLE: Register = Register::R11;
const SCRATCH: Register = Register::RAX;
/// Bytes of the cache's table for two rounds, on the stack.
const FRAME: i32 = contract::TABLE_BYTES as i32;

struct Writer<'v> {
    variant: &'v Variant,
    asm: Assembler,
    arguments: Arguments,
    lanes: usize,
    evex: bool,
    rounds: u8,
    tail: Label,
    single: Label,
    leave: Label,
}

/// Machine registers of the main loop that keep their meaning across passes.
struct Plan {
    keys: [Option<u8>; 15],
    reverse: Option<u8>,
    step: Option<u8>,
    pool: Vec<u8>,
    code: Vec<Vector>,
    movable: u16,
}

/// Writes the kernel of a variant of ECB, CBC decryption or CTR.
pub fn write(variant: &Variant, target: &Target) -> Result<Parts, Unfit> {
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
    let mut asm = Assembler::new();
    let (tail, single, leave) = (asm.label(), asm.label(), asm.label());
    let rounds = problem.key.rounds() as u8;
    let evex = target.evex(lanes);
    let mut w = Writer { variant, asm, arguments, lanes, evex, rounds, tail, single, leave };
    let cached = variant.get(Dim::Cached) as u8;
    let tracked = ctr && (cached > 0 || variant.get(Dim::Counter) > 0);
    let group = usize::from(variant.get(Dim::Interleave)).max(1) * lanes;
    if tracked && !group.is_power_of_two() {
        return Err(Unfit::Shape(format!(
            "a tracked low counter byte needs a power of two of blocks in a group, not {group}"
        )));
    }
    let options = aes::Options {
        cached,
        keyed: ctr && cached == 0 && variant.get(Dim::Counter) == 2,
        fold: variant.on(Dim::Fold),
    };
    let flow = aes::block(problem, options);
    let pipeline = Pipeline::new(&flow, variant);
    let mut context = w.context(&flow, &pipeline);
    let plan = w.plan(&mut context, &pipeline)?;

    let carry = w.entry(cached);
    let group_bytes = group as i32 * 16;
    let need = group_bytes * pipeline.stages as i32;
    w.asm.cmp(arguments.len, need);
    w.asm.jump(If::Below, w.tail);
    if tracked {
        w.head(group, need);
    }
    w.asm.name("set-up");
    if cached == 2 {
        w.asm.one(Code::Push_r64, Register::RBP);
        w.asm.mov(Register::RBP, Register::RSP);
        w.asm.sub(Register::RSP, FRAME);
        w.asm.immediate(Code::And_rm64_imm8, Code::And_rm64_imm32, Register::RSP, -64);
        w.build_table();
    }
    w.set_up(&plan);
    if variant.on(Dim::Streaming) {
        let (plain, done) = (w.asm.label(), w.asm.label());
        let unaligned = bytes(lanes) - 1;
        w.asm.made(Instruction::with2(Code::Test_rm8_imm8, low(arguments.output), unaligned as u32));
        w.asm.jump(If::NotZero, plain);
        context.streaming = true;
        let streaming = streaming(&plan.code);
        w.main_loop(&context, &pipeline, &plan, &streaming, tracked)?;
        w.asm.push(&Instruction::with(Code::Sfence));
        w.asm.jump(If::Always, done);
        w.asm.bind(plain);
        context.streaming = false;
        w.main_loop(&context, &pipeline, &plan, &plan.code, tracked)?;
        w.asm.bind(done);
    } else {
        w.asm.name("loop");
        w.main_loop(&context, &pipeline, &plan, &plan.code, tracked)?;
    }
    if cached == 2 {
        if variant.on(Dim::Wipe) {
            w.wipe_frame();
        }
        w.asm.mov(Register::RSP, Register::RBP);
        w.asm.one(Code::Pop_r64, Register::RBP);
    }
    w.tail(group / lanes)?;
    w.single_blocks()?;
    w.leave();
    if let Some(carry) = carry {
        w.carry(carry);
    }
    let keys = plan.keys.iter().enumerate().fold(0, |mask, (r, k)| mask | u16::from(k.is_some()) << r);
    let assembled = w.asm.finish().map_err(Unfit::Shape)?;
    Ok(Parts { assembled, keys_in_registers: keys, loop_instructions: plan.movable, loop_blocks: group })
}

/// The low byte register of a 64-bit one.
fn low(register: Register) -> Register {
    match register {
        Register::RAX => Register::AL,
        Register::RCX => Register::CL,
        Register::RDX => Register::DL,
        Register::R9 => Register::R9L,
        other => panic!("{other:?} has no low byte that kernels use"),
    }
}

/// The pipeline stage of the step that reads `text`, itself or folded into its key; 0 if none does.
fn stage_of(text: Op, flow: &Dataflow, pipeline: &Pipeline) -> u8 {
    let op = |v: Value| flow.ops[v.0 as usize];
    let reads = |slot: &&Slot| match flow.ops[slot.op as usize] {
        Op::Xor(_, b) => op(b) == text,
        Op::Aes(_, _, key) => op(key).arguments().any(|v| op(v) == text),
        _ => false,
    };
    pipeline.body.iter().find(reads).map_or(0, |slot| slot.stage)
}

/// The code with its stores made streaming ones.
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

    /// Chooses registers for the main loop: what must be there, then the constants of the counter,
    /// then the round keys of the variant's mask from the first on, as many as fit.
    fn plan(&mut self, context: &mut Context, pipeline: &Pipeline) -> Result<Plan, Unfit> {
        let pinned = u8::from(context.counter != Counter::None || context.chain.is_some());
        let pinned = pinned.max(1);
        let state = ((pipeline.stages - 1) * pipeline.registers).min(200) as u8;
        let total = self.count();
        let swap = matches!(context.counter, Counter::Swap(_));
        let mask = self.variant.get(Dim::Keys);
        let cached =
            if matches!(context.counter, Counter::Cached(..)) { self.variant.get(Dim::Cached) } else { 0 };
        let first = if cached > 0 { cached as u8 + 1 } else { 0 };
        let mut wanted: Vec<u8> = (first..=self.rounds).filter(|&r| mask >> r & 1 == 1).collect();
        let mut constants = if swap { 2 } else { 0 };
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
                    let (mut code, virtuals) = (body.code, body.virtuals);
                    let movable = code.len() as u16;
                    let moves = self.variant.order.iter().map(|m| (m.from.into(), m.to.into()));
                    apply_moves(&mut code, moves);
                    match allocate(&mut code, virtuals, &pool) {
                        // `refresh` needs a register besides.
                        Ok(()) if pool.is_empty() && matches!(context.counter, Counter::Cached(..)) => {
                            usize::from(total) + 1
                        }
                        Ok(()) => {
                            let [reverse, step] = constant;
                            return Ok(Plan { keys: context.keys, reverse, step, pool, code, movable });
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
            // Keys are cheaper to lose than the counter's constants, but both can be memory.
            let drop = excess.min(wanted.len());
            wanted.truncate(wanted.len() - drop);
            if drop == 0 {
                constants -= 1;
            }
        }
    }

    fn push(&mut self, v: Vector) {
        vector::push(&mut self.asm, &v, self.evex && v.lanes > 1);
    }

    /// The entry: nothing to do for an empty message; CTR updates the counter block at once, since
    /// it depends on lengths only. Returns the label of the carry out of the counter's lower half.
    fn entry(&mut self, cached: u8) -> Option<Label> {
        let a = self.arguments;
        self.asm.name("entry");
        if !self.ctr() {
            if self.chained() {
                let iv =
                    Vector::from(Operation::Broadcast, self.lanes, Reg::Fixed(0), Src::Mem(a.iv, 0, false));
                self.push(iv);
            }
            return None;
        }
        let carry = self.asm.label();
        self.asm.two(Code::Test_rm64_r64, a.len, a.len);
        self.asm.jump(If::Zero, self.leave);
        self.asm.load(LOW, at(a.iv, 8));
        self.asm.load(HIGH, at(a.iv, 0));
        self.asm.one(Code::Bswap_r64, LOW);
        self.asm.one(Code::Bswap_r64, HIGH);
        self.asm.lea(SCRATCH, at(a.len, 15));
        self.asm.shift(Code::Shr_rm64_imm8, SCRATCH, 4);
        self.asm.mov(TABLE, LOW);
        self.asm.two(Code::Add_r64_rm64, TABLE, SCRATCH);
        self.asm.jump(If::Below, carry);
        if cached == 2 {
            self.asm.mov(SCRATCH, LOW);
            self.asm.two(Code::Xor_r64_rm64, SCRATCH, TABLE);
        }
        self.asm.one(Code::Bswap_r64, TABLE);
        self.asm.store(at(a.iv, 8), TABLE);
        if cached == 2 {
            // The table holds while the three bytes that column 0 of round 1 shares with the fast
            // one stay: byte 10 is bits 40 to 47 of the lower half.
            self.asm.shift(Code::Shr_rm64_imm8, SCRATCH, 40);
            self.asm.jump(If::NotZero, self.single);
        }
        Some(carry)
    }

    /// The counter leaves its lower half within this message: its new value, then block by block.
    fn carry(&mut self, label: Label) {
        let iv = self.arguments.iv;
        self.asm.bind(label);
        self.asm.name("carry");
        self.asm.one(Code::Bswap_r64, TABLE);
        self.asm.store(at(iv, 8), TABLE);
        self.asm.lea(SCRATCH, at(HIGH, 1));
        self.asm.one(Code::Bswap_r64, SCRATCH);
        self.asm.store(at(iv, 0), SCRATCH);
        self.asm.jump(If::Always, self.single);
    }

    /// Single blocks until the counter's low byte is a multiple of the group.
    fn head(&mut self, group: usize, need: i32) {
        let (again, aligned) = (self.asm.label(), self.asm.label());
        self.asm.name("head");
        self.asm.bind(again);
        self.asm.made(Instruction::with2(Code::Test_rm8_imm8, low(LOW), group as u32 - 1));
        self.asm.jump(If::Zero, aligned);
        self.scalar_counter();
        self.one_block(Some(1));
        self.advance(16, 1);
        self.asm.cmp(self.arguments.len, need);
        self.asm.jump(If::AboveEqual, again);
        self.asm.jump(If::Always, self.tail);
        self.asm.bind(aligned);
    }

    /// Moves texts, length and counter on.
    fn advance(&mut self, text: i32, blocks: i32) {
        let a = self.arguments;
        self.asm.add(a.input, text);
        self.asm.add(a.output, text);
        if self.ctr() {
            self.asm.add(LOW, blocks);
        }
        self.asm.sub(a.len, text);
    }

    /// The counter block into xmm1, from its two halves.
    fn scalar_counter(&mut self) {
        let counter = Register::XMM1;
        self.asm.two(Code::VEX_Vmovq_xmm_rm64, counter, LOW);
        self.asm.made(Instruction::with4(Code::VEX_Vpinsrq_xmm_xmm_rm64_imm8, counter, counter, HIGH, 1));
        let control = reversal(&mut self.asm, 1);
        let swap = Vector::new(Operation::Shuffle, 1, Reg::Fixed(1), Reg::Fixed(1), Src::Constant(control));
        self.push(swap);
    }

    /// One block on xmm, keys from memory; the counter, if any, stands in `counter`.
    fn one_block(&mut self, counter: Option<u8>) {
        let problem = self.variant.problem;
        let plain = aes::block(problem, aes::Options { fold: true, ..Default::default() });
        let base = Variant::baseline(problem);
        let pipeline = Pipeline::new(&plain, &base);
        let mut context = self.context(&plain, &pipeline);
        context.lanes = 1;
        context.prefetch = Prefetch::Off;
        context.counter = counter.map_or(Counter::None, |c| Counter::Given(Reg::Fixed(c)));
        let body = Body::pass(&context, &mut self.asm, pipeline.body.iter(), |_| 0);
        let (mut code, virtuals) = (body.code, body.virtuals);
        let pool: Vec<u8> = (2..16).collect();
        allocate(&mut code, virtuals, &pool).expect("one block needs fewer than 14 registers");
        for v in code {
            self.push(v);
        }
    }

    /// The loop's registers: pinned constants and keys.
    fn set_up(&mut self, plan: &Plan) {
        let lanes = self.lanes;
        if matches!(self.variant.get(Dim::Counter), 0) && self.ctr() && self.variant.get(Dim::Cached) == 0 {
            self.vector_counter();
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

    /// Byte-swapped counters of the next blocks, one a lane, into register 0.
    fn vector_counter(&mut self) {
        let counter = Register::XMM0;
        self.asm.two(Code::VEX_Vmovq_xmm_rm64, counter, LOW);
        self.asm.made(Instruction::with4(Code::VEX_Vpinsrq_xmm_xmm_rm64_imm8, counter, counter, HIGH, 1));
        match self.lanes {
            1 => return,
            2 => {
                let wide = Register::YMM0;
                let code = Code::VEX_Vinserti128_ymm_ymm_xmmm128_imm8;
                self.asm.made(Instruction::with4(code, wide, wide, counter, 1));
            }
            _ => {
                let wide = Register::ZMM0;
                let code = Code::EVEX_Vshufi32x4_zmm_k1z_zmm_zmmm512b32_imm8;
                self.asm.made(Instruction::with4(code, wide, wide, wide, 0));
            }
        }
        let numbers = lane_numbers(&mut self.asm, self.lanes);
        let zero = Reg::Fixed(0);
        self.push(Vector::new(Operation::Add64, self.lanes, zero, zero, Src::Constant(numbers)));
    }

    /// Big-endian counters of the next blocks, one a lane, into register 0.
    fn big_endian_counter(&mut self) {
        self.vector_counter();
        let control = reversal(&mut self.asm, self.lanes);
        let zero = Reg::Fixed(0);
        self.push(Vector::new(Operation::Shuffle, self.lanes, zero, zero, Src::Constant(control)));
    }

    /// The table of states after two rounds, over the low counter byte with the other bytes as
    /// they are now. Register 0: counters with the byte cleared and round key 0 added; 1: the
    /// byte's values; 2 and 3: round keys 1 and 2; 4 and 5: states.
    fn build_table(&mut self) {
        let lanes = self.lanes;
        let r = Reg::Fixed;
        self.asm.name("table");
        // Lower half with its low byte cleared, in a register that the refresh rebuilds.
        self.asm.mov(TABLE, LOW);
        self.asm.immediate(Code::And_rm64_imm8, Code::And_rm64_imm32, LOW, -256);
        self.big_endian_counter();
        self.asm.mov(LOW, TABLE);
        for (reg, key) in [(4, 0), (2, 1), (3, 2)] {
            self.key_into(reg, key);
        }
        self.push(Vector::new(Operation::Xor, lanes, r(0), r(0), Src::Reg(r(4))));
        let step = low_byte(&mut self.asm, lanes, lanes);
        const UNROLL: i32 = 4;
        let again = self.asm.label();
        self.push(Vector::new(Operation::Xor, lanes, r(1), r(1), Src::Reg(r(1))));
        self.asm.mov(TABLE, Register::RSP);
        self.asm.made(Instruction::with2(Code::Mov_r32_imm32, Register::EAX, 256 / (lanes as i32 * UNROLL)));
        self.asm.align(32);
        self.asm.bind(again);
        for i in 0..UNROLL {
            let state = r(4 + i as u8);
            self.push(Vector::new(Operation::Xor, lanes, state, r(0), Src::Reg(r(1))));
            self.push(Vector::new(Operation::Add32, lanes, r(1), r(1), Src::Constant(step)));
        }
        for key in [2, 3] {
            for i in 0..UNROLL {
                let state = r(4 + i as u8);
                let round = Operation::Aes(aesmith_dataflow::Round::Encrypt);
                self.push(Vector::new(round, lanes, state, state, Src::Reg(r(key))));
            }
        }
        for i in 0..UNROLL {
            let to = Src::Mem(TABLE, i * bytes(lanes), false);
            self.push(Vector::store(Operation::Store, lanes, r(4 + i as u8), to));
        }
        self.asm.add(TABLE, UNROLL * bytes(lanes));
        self.asm.one(Code::Dec_rm32, Register::EAX);
        self.asm.jump(If::NotZero, again);
    }

    fn wipe_frame(&mut self) {
        let zero = Reg::Fixed(0);
        self.push(Vector::new(Operation::Xor, self.lanes, zero, zero, Src::Reg(zero)));
        for i in 0..FRAME / bytes(self.lanes) {
            let to = Src::Mem(Register::RSP, i * bytes(self.lanes), false);
            self.push(Vector::store(Operation::Store, self.lanes, zero, to));
        }
    }

    /// What depends on the upper counter bytes, at the start and after each 256 blocks: the
    /// counter itself, or the constant of the cache and its table pointer.
    fn refresh(&mut self, context: &Context, plan: &Plan) {
        self.big_endian_counter();
        let lanes = self.lanes;
        let base = Reg::Fixed(0);
        let cached = match context.counter {
            Counter::Cached(..) => self.variant.get(Dim::Cached) as u8,
            _ => return,
        };
        self.asm.two(Code::Movzx_r32_rm8, Register::R11D, low(LOW));
        self.asm.shift(Code::Shl_rm64_imm8, TABLE, 4);
        let frame = if cached == 1 { self.arguments.key } else { Register::RSP };
        if cached == 1 {
            self.asm.lea(TABLE, indexed(frame, TABLE, 1, contract::TABLE_OFFSET as i32));
        } else {
            self.asm.two(Code::Add_r64_rm64, TABLE, frame);
        }
        // A register of the pool: nothing of a pass is live between passes.
        let spare = plan.pool[0];
        for r in 0..=cached {
            let key = if lanes == 1 {
                Src::Mem(self.arguments.key, 16 * i32::from(r), false)
            } else {
                self.key_into(spare, r);
                Src::Reg(Reg::Fixed(spare))
            };
            let operation =
                if r == 0 { Operation::Xor } else { Operation::Aes(aesmith_dataflow::Round::Encrypt) };
            self.push(Vector::new(operation, lanes, base, base, key));
        }
        self.push(Vector::new(Operation::Xor, lanes, base, base, Src::Mem(TABLE, 0, false)));
    }

    /// Filling, the loop, draining.
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
                // The counter moves on within its 256 blocks, or is made anew.
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
            self.push(*v);
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

    /// Within 256 blocks: the counter or the table pointer moves on by a group.
    fn step_on(&mut self, context: &Context, group: usize) {
        if matches!(context.counter, Counter::Cached(..)) {
            self.asm.add(TABLE, 16 * group as i32);
        } else {
            let step: Constant = low_byte(&mut self.asm, self.lanes, group);
            let zero = Reg::Fixed(0);
            self.push(Vector::new(Operation::Add32, self.lanes, zero, zero, Src::Constant(step)));
        }
    }

    fn pass(
        &mut self,
        context: &Context,
        plan: &Plan,
        slots: &[Slot],
        group: impl Fn(u8) -> i32,
    ) -> Result<(), Unfit> {
        let body = Body::pass(context, &mut self.asm, slots.iter(), group);
        let (mut code, virtuals) = (body.code, body.virtuals);
        allocate(&mut code, virtuals, &plan.pool).map_err(|p| Unfit::Registers {
            needed: p.needed + usize::from(self.count()) - p.available,
            available: self.count().into(),
        })?;
        for v in code {
            self.push(v);
        }
        Ok(())
    }

    /// What the main loop leaves: registers of whole blocks, then a masked last one where there are
    /// masks; the rest is left to the single blocks.
    fn tail(&mut self, registers: usize) -> Result<(), Unfit> {
        let a = self.arguments;
        self.asm.bind(self.tail);
        self.asm.name("tail");
        let masked = self.ctr() && self.evex;
        if self.lanes == 1 && (registers < 4 || self.variant.get(Dim::Tail) == 0) {
            return Ok(());
        }
        if self.ctr() {
            self.asm.two(Code::Test_rm64_r64, a.len, a.len);
            self.asm.jump(If::Zero, self.leave);
            self.vector_counter();
        }
        if self.variant.get(Dim::Tail) == 1 {
            let mut half = registers.next_power_of_two().min(16) / 2;
            while half >= 2 {
                let skip = self.asm.label();
                let text = half as i32 * bytes(self.lanes);
                self.asm.cmp(a.len, text);
                self.asm.jump(If::Below, skip);
                self.group_of(half);
                self.advance(text, text / 16);
                self.asm.bind(skip);
                half /= 2;
            }
        }
        if self.lanes > 1 {
            let (again, rest) = (self.asm.label(), self.asm.label());
            let text = bytes(self.lanes);
            self.asm.bind(again);
            self.asm.cmp(a.len, text);
            self.asm.jump(If::Below, rest);
            self.group_of(1);
            self.advance(text, text / 16);
            self.asm.jump(If::Always, again);
            self.asm.bind(rest);
        }
        if masked {
            self.asm.two(Code::Test_rm64_r64, a.len, a.len);
            self.asm.jump(If::Zero, self.leave);
            self.masked_last();
            self.asm.jump(If::Always, self.leave);
        } else if self.chained() && self.lanes > 1 {
            // The last ciphertext block, from the last lane to xmm0.
            let (wide, code) = match (self.lanes, self.evex) {
                (2, false) => (Register::YMM0, Code::VEX_Vextracti128_xmmm128_ymm_imm8),
                (2, true) => (Register::YMM0, Code::EVEX_Vextracti32x4_xmmm128_k1z_ymm_imm8),
                _ => (Register::ZMM0, Code::EVEX_Vextracti32x4_xmmm128_k1z_zmm_imm8),
            };
            self.asm.made(Instruction::with3(code, Register::XMM0, wide, self.lanes as i32 - 1));
        }
        Ok(())
    }

    /// `registers` registers of whole blocks, in lock-step, keys broadcast from memory.
    fn group_of(&mut self, registers: usize) {
        let problem = self.variant.problem;
        let flow = aes::block(problem, aes::Options { fold: true, ..Default::default() });
        let base = Variant::baseline(problem).with(Dim::Interleave, registers as u16);
        let pipeline = Pipeline::new(&flow, &base);
        let mut context = self.context(&flow, &pipeline);
        context.prefetch = Prefetch::Off;
        if self.ctr() {
            context.counter = Counter::Swap(Reg::Fixed(0));
        }
        let body = Body::pass(&context, &mut self.asm, pipeline.body.iter(), |_| 0);
        let (mut code, virtuals) = (body.code, body.virtuals);
        let pool: Vec<u8> = (1..self.count()).collect();
        allocate(&mut code, virtuals, &pool).expect("eight registers of blocks need at most eleven");
        for v in code {
            self.push(v);
        }
    }

    /// The last bytes of a CTR message, fewer than a register: loaded and stored under a mask.
    /// Register 0 holds byte-swapped counters; 1 the state, 2 a round key, 3 the text.
    fn masked_last(&mut self) {
        let a = self.arguments;
        let lanes = self.lanes;
        let r = Reg::Fixed;
        self.asm.made(Instruction::with2(Code::Mov_rm64_imm32, SCRATCH, -1));
        self.asm.made(Instruction::with3(Code::VEX_Bzhi_r64_rm64_r64, SCRATCH, SCRATCH, a.len));
        self.asm.two(Code::VEX_Kmovq_kr_r64, Register::K1, SCRATCH);
        let control = reversal(&mut self.asm, lanes);
        self.push(Vector::new(Operation::Shuffle, lanes, r(1), r(0), Src::Constant(control)));
        for round in 0..=self.rounds {
            self.key_into(2, round);
            let operation = match round {
                0 => Operation::Xor,
                n if n == self.rounds => Operation::Aes(aesmith_dataflow::Round::EncryptLast),
                _ => Operation::Aes(aesmith_dataflow::Round::Encrypt),
            };
            self.push(Vector::new(operation, lanes, r(1), r(1), Src::Reg(r(2))));
        }
        let (load, store) = match lanes {
            2 => (Code::EVEX_Vmovdqu8_ymm_k1z_ymmm256, Code::EVEX_Vmovdqu8_ymmm256_k1z_ymm),
            _ => (Code::EVEX_Vmovdqu8_zmm_k1z_zmmm512, Code::EVEX_Vmovdqu8_zmmm512_k1z_zmm),
        };
        if let Ok(mut masked) = Instruction::with2(load, register(lanes, 3), at(a.input, 0)) {
            masked.set_op_mask(Register::K1);
            masked.set_zeroing_masking(true);
            self.asm.push(&masked);
        }
        self.push(Vector::new(Operation::Xor, lanes, r(1), r(1), Src::Reg(r(3))));
        if let Ok(mut masked) = Instruction::with2(store, at(a.output, 0), register(lanes, 1)) {
            masked.set_op_mask(Register::K1);
            self.asm.push(&masked);
        }
    }

    /// Block by block to the end, with full carries; CTR's last bytes one at a time.
    fn single_blocks(&mut self) -> Result<(), Unfit> {
        let a = self.arguments;
        let (again, rest) = (self.asm.label(), self.asm.label());
        self.asm.bind(self.single);
        self.asm.name("single");
        self.asm.bind(again);
        self.asm.cmp(a.len, 16);
        self.asm.jump(If::Below, rest);
        if self.ctr() {
            self.scalar_counter();
            self.one_block(Some(1));
            self.asm.add(a.input, 16);
            self.asm.add(a.output, 16);
            self.asm.sub(a.len, 16);
            self.asm.add(LOW, 1);
            self.asm.immediate(Code::Adc_rm64_imm8, Code::Adc_rm64_imm32, HIGH, 0);
        } else {
            self.one_block(None);
            self.advance(16, 1);
        }
        self.asm.jump(If::Always, again);
        self.asm.bind(rest);
        if self.ctr() {
            self.asm.two(Code::Test_rm64_r64, a.len, a.len);
            self.asm.jump(If::Zero, self.leave);
            self.scalar_counter();
            self.last_bytes();
        } else if self.chained() {
            let iv = Src::Mem(a.iv, 0, false);
            self.push(Vector::store(Operation::Store, 1, Reg::Fixed(0), iv));
        }
        Ok(())
    }

    /// 1 to 15 bytes under the counter in xmm1: its key stream through the red zone, byte by byte.
    fn last_bytes(&mut self) {
        let a = self.arguments;
        let state = Reg::Fixed(1);
        for round in 0..=self.rounds {
            let operation = match round {
                0 => Operation::Xor,
                n if n == self.rounds => Operation::Aes(aesmith_dataflow::Round::EncryptLast),
                _ => Operation::Aes(aesmith_dataflow::Round::Encrypt),
            };
            let key = Src::Mem(a.key, 16 * i32::from(round), false);
            self.push(Vector::new(operation, 1, state, state, key));
        }
        let zone = Src::Mem(Register::RSP, -16, false);
        self.push(Vector::store(Operation::Store, 1, state, zone));
        let again = self.asm.label();
        self.asm.two(Code::Xor_r32_rm32, Register::EAX, Register::EAX);
        self.asm.bind(again);
        let byte = |base, d| indexed(base, Register::RAX, 1, d);
        self.asm.made(Instruction::with2(Code::Movzx_r32_rm8, Register::R11D, byte(a.input, 0)));
        self.asm.made(Instruction::with2(Code::Xor_r8_rm8, Register::R11L, byte(Register::RSP, -16)));
        self.asm.made(Instruction::with2(Code::Mov_rm8_r8, byte(a.output, 0), Register::R11L));
        self.asm.add(Register::RAX, 1);
        self.asm.two(Code::Cmp_r64_rm64, Register::RAX, a.len);
        self.asm.jump(If::Below, again);
        if self.variant.on(Dim::Wipe) {
            self.push(Vector::new(Operation::Xor, 1, state, state, Src::Reg(state)));
            self.push(Vector::store(Operation::Store, 1, state, zone));
            self.asm.two(Code::Xor_r32_rm32, Register::R11D, Register::R11D);
        }
    }

    fn leave(&mut self) {
        self.asm.bind(self.leave);
        self.asm.name("leave");
        crate::leave(&mut self.asm, self.variant, self.lanes, self.evex);
    }
}
