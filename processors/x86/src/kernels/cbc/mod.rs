//! CBC encryption of one or several independent streams.
//!
//! ```text
//! one stream        loop of unrolled blocks; single blocks for the rest
//! several streams   keys gathered to the stack, a register's lanes from its streams; joint loop
//!                   while every stream has text; then what each stream has left, by itself
//! ```
//!
//! The chain between blocks is what bounds the speed. With both XORs on it (`plain`) a block costs
//! two XORs and the rounds; with round key 0 premixed with the text (`modified`), one XOR; with the
//! next text and round key 0 folded into the last round key (`folded`), the rounds alone.

mod maker;

use crate::kernels::asm::{Assembler, If, at, indexed};
use crate::kernels::frame;
use crate::kernels::select::Selection;
use crate::kernels::target::Encoding;
use crate::kernels::vector::{Operation, POSITION, Src, Vector, bytes};
use crate::kernels::{Parts, Unfit};
use aesmith_arrange::{Dim, Variant};
use aesmith_dataflow::Round;
use aesmith_order::{Reg, Spills, apply_moves};
use aesmith_processor::measured::Target;
use iced_x86::{Code, Instruction, Register};
use maker::Maker;

const KEYS: Register = Register::RDI;
const IVS: Register = Register::RSI;
const INPUTS: Register = Register::RDX;
const OUTPUTS: Register = Register::RCX;
const LENGTHS: Register = Register::R8;
/// What the shortest stream has left.
const LEFT: Register = Register::R10;
/// Eight times the stream at hand.
const STREAM: Register = Register::R11;

/// How the XORs of a block meet the chain.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    Plain,
    Modified,
    Folded,
}

/// How blocks of different streams come to share a register, and part again.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Gather {
    /// Block by block.
    Insert,
    /// As many blocks of each stream as a register has lanes, transposed.
    Transpose,
    /// The same, but each register does so a block after the one before, which spreads the work;
    /// what is left at both ends of a pass goes block by block.
    Staggered,
}

struct Writer<'v> {
    variant: &'v Variant,
    asm: Assembler,
    streams: usize,
    lanes: usize,
    /// Registers that hold the streams' states.
    registers: usize,
    rounds: u8,
    select: Selection,
    /// Bytes of the frame that stack slots need.
    slots: i32,
    fault: Option<Unfit>,
}

/// The shape of one joint loop.
struct Shape {
    unroll: usize,
    form: Form,
    together: bool,
    distance: usize,
    streaming: bool,
    /// How texts and results travel between streams and registers.
    gather: Gather,
    /// Kind (1 cache, 2 register), block and lead of a prefetch.
    prefetch: (u16, usize, usize),
    keys: u16,
}

/// A joint loop's code and the keys that found registers.
struct Loop {
    code: Vec<Vector>,
    keys: Vec<((usize, u8), u8)>,
    mask: u16,
    movable: u16,
}

/// Writes the kernel of a variant of CBC encryption.
pub fn write(variant: &Variant, target: &Target, slots: usize) -> Result<Parts, Unfit> {
    let (streams, lanes) = (variant.problem.streams(), variant.lanes());
    if streams % lanes != 0 {
        return Err(Unfit::Shape(format!("{streams} streams do not fill registers of {lanes} blocks")));
    }
    if lanes > 1 && variant.on(Dim::Streaming) {
        return Err(Unfit::Shape(
            "streams of several blocks a register are stored block by block, which \
                                 streaming stores would send to memory a quarter of a line at a time"
                .into(),
        ));
    }
    let select = Selection::new(variant, target, lanes, true);
    let available = if select.encoding(lanes) == Encoding::Evex { 32 } else { 16 };
    if streams / lanes >= available {
        return Err(Unfit::Shape(format!(
            "the states of {streams} streams fill {} of {available} vector registers, and their rounds need one \
             more; a wider width holds several streams a register where the CPU has it, and aes{}-cbc-x8 called \
             twice does the same",
            streams / lanes,
            variant.problem.key.bits(),
        )));
    }
    let mut w = Writer {
        variant,
        asm: Assembler::function(),
        streams,
        lanes,
        registers: streams / lanes,
        rounds: variant.problem.key.rounds() as u8,
        slots: select.bytes_of(slots),
        select,
        fault: None,
    };
    let shape = Shape {
        unroll: usize::from(variant.get(Dim::Unroll)).max(1),
        form: [Form::Plain, Form::Modified, Form::Folded][usize::from(variant.get(Dim::Xor))],
        together: variant.on(Dim::Streams),
        distance: usize::from(variant.get(Dim::Distance)),
        streaming: variant.on(Dim::Streaming),
        gather: match variant.get(Dim::Gather) {
            1 if lanes > 1 => Gather::Transpose,
            2 if lanes > 1 => Gather::Staggered,
            _ => Gather::Insert,
        },
        prefetch: (
            variant.get(Dim::Prefetch),
            usize::from(variant.get(Dim::Source)) - 1,
            usize::from(variant.get(Dim::Ahead)),
        ),
        keys: variant.get(Dim::Keys),
    };
    if shape.gather == Gather::Transpose && !shape.unroll.is_multiple_of(lanes) {
        return Err(Unfit::Shape(format!(
            "transposing {lanes} blocks of a stream needs an unroll of their multiple"
        )));
    }
    if streams > 1 {
        w.select.slots_at = (w.slot(w.registers, 0) + 63) & !63;
    }
    let main = w.fit(&shape, &variant.order)?;
    w.asm.name("entry");
    if streams == 1 {
        w.one_stream(&shape, &main)?;
    } else {
        w.several_streams(&shape, &main)?;
    }
    if let Some(fault) = w.fault {
        return Err(fault);
    }
    let assembled = w.asm.finish().map_err(Unfit::Shape)?;
    let blocks = shape.unroll * streams;
    Ok(Parts {
        assembled,
        keys_in_registers: main.mask,
        spills: w.select.spills,
        loop_instructions: main.movable,
        loop_blocks: blocks,
        without_loop: false,
    })
}

impl Writer<'_> {
    /// Block `block` of a stream's text, relative to where the streams are.
    fn text(&self, array: Register, stream: usize, block: usize) -> Src {
        let displacement = 16 * block as i32;
        match self.streams {
            1 => Src::Mem(array, displacement, true),
            _ => Src::Stream(array, stream as u8, displacement),
        }
    }

    fn key_memory(&self, register: usize, r: u8) -> Src {
        match self.streams {
            1 => Src::Mem(KEYS, 16 * i32::from(r), false),
            _ => Src::Mem(Register::RSP, self.slot(register, r), false),
        }
    }

    /// Where the gathered round key `r` of a register stands in the frame.
    fn slot(&self, register: usize, r: u8) -> i32 {
        (register as i32 * (i32::from(self.rounds) + 1) + i32::from(r)) * bytes(self.lanes)
    }

    fn count(&self) -> u8 {
        if self.select.encoding(self.lanes) == Encoding::Evex { 32 } else { 16 }
    }

    /// The code of a joint loop with as many of the wanted keys in registers as fit.
    fn fit(&mut self, shape: &Shape, moves: &[aesmith_arrange::Move]) -> Result<Loop, Unfit> {
        let mut wanted: Vec<u8> = (0..=self.rounds).filter(|&r| shape.keys >> r & 1 == 1).collect();
        let total = usize::from(self.count());
        loop {
            let taken = self.registers * (1 + wanted.len());
            let mut needed = taken + 1;
            if taken < total {
                let keys: Vec<((usize, u8), u8)> = wanted
                    .iter()
                    .flat_map(|&r| (0..self.registers).map(move |g| (g, r)))
                    .zip(self.registers as u8..)
                    .collect();
                let pool: Vec<u8> = (taken as u8..total as u8).collect();
                let (code, mut virtuals) = self.make(shape, &keys);
                let mut code = self.select.lower(&mut self.asm, code, &mut virtuals)?;
                let movable = code.len() as u16;
                apply_moves(&mut code, moves.iter().map(|m| (m.from.into(), m.to.into())));
                match self.select.allocate(&mut code, virtuals, &pool) {
                    // Round keys make room before anything is spilled.
                    Ok(spills) if spills.slots > 0 && !wanted.is_empty() => {
                        self.select.spills = Spills::default();
                        needed = total + spills.slots;
                    }
                    Ok(_) => {
                        let mask = wanted.iter().fold(0, |mask, r| mask | 1 << r);
                        return Ok(Loop { code, keys, mask, movable });
                    }
                    Err(pressure) => needed = taken + pressure.needed,
                }
            }
            if wanted.is_empty() {
                return Err(Unfit::Registers { needed, available: total });
            }
            let drop = needed.saturating_sub(total).div_ceil(self.registers).clamp(1, wanted.len());
            wanted.truncate(wanted.len() - drop);
        }
    }

    fn make(&self, shape: &Shape, keys: &[((usize, u8), u8)]) -> (Vec<Vector>, usize) {
        let state = (0..self.registers as u8).map(Reg::Fixed).collect();
        let mut maker = Maker::new(self, shape, keys, state);
        for block in 0..shape.unroll {
            maker.prefetch(block);
            let mut steps: Vec<(usize, usize, u8)> = (0..self.registers)
                .flat_map(|register| {
                    (0..=self.rounds + 1).map(move |row| {
                        let lag = if shape.together { register * shape.distance } else { register * 64 };
                        (usize::from(row) + lag, register, row)
                    })
                })
                .collect();
            steps.sort_unstable();
            for (_, register, row) in steps {
                maker.step(register, block, row);
            }
        }
        (maker.code, maker.virtuals)
    }

    /// Appends an instruction by itself. Beside those only registers 0 and 1 are in use.
    fn push(&mut self, v: Vector) {
        /// Registers that it may take besides.
        const SCRATCH: [u8; 14] = [2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15];
        if let Err(fault) = self.select.one(&mut self.asm, v, &SCRATCH) {
            self.fault.get_or_insert(fault);
        }
    }

    fn push_all(&mut self, code: &[Vector]) {
        for v in code {
            self.select.push(&mut self.asm, v);
        }
    }

    /// Folded form: the state with the next text and round key 0 in it, or back without them.
    fn fold(&mut self, keys: &[((usize, u8), u8)]) -> Result<(), Unfit> {
        let shape = Shape::single(Form::Modified);
        let state = (0..self.registers as u8).map(Reg::Fixed).collect();
        let mut maker = Maker::new(self, &shape, keys, state);
        for register in 0..maker.w.registers {
            let mixed = maker.mixed(register, 0);
            let chain = Reg::Fixed(register as u8);
            maker.code.push(Vector::new(Operation::Xor, maker.w.lanes, chain, chain, Src::Reg(mixed)));
        }
        let (code, virtuals) = (maker.code, maker.virtuals);
        let pool: Vec<u8> = ((self.registers + keys.len()) as u8..self.count()).collect();
        let total = usize::from(self.count());
        self.select.write(&mut self.asm, code, virtuals, &pool).map_err(|unfit| match unfit {
            Unfit::Registers { needed, available } => {
                Unfit::Registers { needed: needed + total - available, available: total }
            }
            other => other,
        })
    }

    /// A joint loop over `LEFT` or the length: run while it has the blocks that a pass needs.
    fn joint(
        &mut self,
        shape: &Shape,
        code: &[Vector],
        keys: &[((usize, u8), u8)],
        left: Register,
    ) -> Result<(), Unfit> {
        let text = 16 * shape.unroll as i32;
        let need = text + if shape.form == Form::Folded { 16 } else { 0 };
        let (again, skip, leave) = (self.asm.label(), self.asm.label(), self.asm.label());
        self.asm.cmp(left, need);
        self.asm.jump(If::Below, skip);
        if shape.form == Form::Folded {
            self.fold(keys)?;
        }
        self.asm.align([1, 16, 32, 64][usize::from(self.variant.get(Dim::Align))]);
        self.asm.bind(again);
        let top = self.variant.on(Dim::Loop);
        if top {
            self.asm.cmp(left, need);
            self.asm.jump(If::Below, leave);
        }
        self.asm.name("body");
        self.push_all(code);
        self.asm.name("body end");
        self.advance(text, left);
        if top {
            self.asm.jump(If::Always, again);
        } else {
            self.asm.cmp(left, need);
            self.asm.jump(If::AboveEqual, again);
        }
        self.asm.bind(leave);
        if shape.form == Form::Folded {
            self.fold(keys)?;
        }
        self.asm.bind(skip);
        Ok(())
    }

    fn advance(&mut self, text: i32, left: Register) {
        if self.streams == 1 {
            self.asm.add(INPUTS, text);
            self.asm.add(OUTPUTS, text);
        } else {
            self.asm.add(POSITION, text);
        }
        self.asm.sub(left, text);
    }

    fn load_keys(&mut self, keys: &[((usize, u8), u8)]) {
        for &((register, r), reg) in keys {
            let from = self.key_memory(register, r);
            self.push(Vector::from(Operation::Load, self.lanes, Reg::Fixed(reg), from));
        }
    }

    /// The main loop, in a streaming form where the variant asks for it and the output is aligned.
    fn main(&mut self, shape: &Shape, main: &Loop, left: Register) -> Result<(), Unfit> {
        self.asm.name("loop");
        if !shape.streaming {
            return self.joint(shape, &main.code, &main.keys, left);
        }
        let (plain, done) = (self.asm.label(), self.asm.label());
        if self.streams == 1 {
            self.asm.made(Instruction::with2(Code::Test_rm8_imm8, Register::CL, 15));
            self.asm.jump(If::NotZero, plain);
        } else {
            for stream in 0..self.streams as i32 {
                self.asm.load(Register::RAX, at(OUTPUTS, 8 * stream));
                self.asm.made(Instruction::with2(Code::Test_rm8_imm8, Register::AL, 15));
                self.asm.jump(If::NotZero, plain);
            }
        }
        self.joint(shape, &main.code, &main.keys, left)?;
        self.asm.push(&Instruction::with(Code::Sfence));
        self.asm.jump(If::Always, done);
        self.asm.bind(plain);
        let stored: Vec<Vector> = main
            .code
            .iter()
            .map(|v| match v.operation {
                Operation::Stream => Vector { operation: Operation::Store, ..*v },
                _ => *v,
            })
            .collect();
        self.joint(shape, &stored, &main.keys, left)?;
        self.asm.bind(done);
        Ok(())
    }

    fn one_stream(&mut self, shape: &Shape, main: &Loop) -> Result<(), Unfit> {
        let chain = Reg::Fixed(0);
        if self.slots > 0 {
            frame::open(&mut self.asm, self.slots);
        }
        self.push(Vector::from(Operation::Load, 1, chain, Src::Mem(IVS, 0, false)));
        self.load_keys(&main.keys);
        self.main(shape, main, LENGTHS)?;
        if shape.leaves_blocks() {
            let single = Shape::single(Form::Modified);
            let rest = self.fit(&single, &[])?;
            self.asm.name("single");
            self.joint(&single, &rest.code, &[], LENGTHS)?;
        }
        self.push(Vector::store(Operation::Store, 1, chain, Src::Mem(IVS, 0, false)));
        self.asm.name("leave");
        if self.slots > 0 {
            self.wipe(self.slots);
            frame::close(&mut self.asm);
        }
        crate::kernels::leave(&mut self.asm, self.variant, self.lanes, self.select.encoding(self.lanes));
        Ok(())
    }

    /// Clears the frame, if the variant asks for it.
    fn wipe(&mut self, frame: i32) {
        if !self.variant.on(Dim::Wipe) {
            return;
        }
        let zero = Reg::Fixed(0);
        self.push(Vector::new(Operation::Xor, self.lanes, zero, zero, Src::Reg(zero)));
        for offset in (0..frame).step_by(16 * self.lanes) {
            let to = Src::Mem(Register::RSP, offset, false);
            self.push(Vector::store(Operation::Store, self.lanes, zero, to));
        }
    }

    fn several_streams(&mut self, shape: &Shape, main: &Loop) -> Result<(), Unfit> {
        const SAVED: [Register; 4] = [Register::RBX, Register::R12, Register::R13, Register::RBP];
        for register in SAVED {
            self.asm.one(Code::Push_r64, register);
        }
        let frame = self.select.slots_at + self.slots;
        frame::open_behind_saved(&mut self.asm, frame);
        self.asm.load(LEFT, at(LENGTHS, 0));
        for stream in 1..self.streams as i32 {
            self.asm.load(Register::RAX, at(LENGTHS, 8 * stream));
            self.asm.two(Code::Cmp_r64_rm64, Register::RAX, LEFT);
            self.asm.two(Code::Cmovb_r64_rm64, LEFT, Register::RAX);
        }
        self.asm.two(Code::Xor_r32_rm32, Register::R9D, Register::R9D);
        let alone = self.asm.label();
        self.asm.cmp(LEFT, 16);
        self.asm.jump(If::Below, alone);
        self.gather();
        self.load_keys(&main.keys);
        self.main(shape, main, LEFT)?;
        if shape.leaves_blocks() {
            let single = Shape { together: true, ..Shape::single(Form::Modified) };
            let rest = self.fit(&single, &[])?;
            self.asm.name("joint rest");
            self.joint(&single, &rest.code, &[], LEFT)?;
        }
        self.chains_out();
        self.asm.bind(alone);
        self.alone();
        self.wipe(frame);
        self.asm.name("leave");
        self.asm.mov(Register::RSP, Register::RBP);
        for register in SAVED.into_iter().rev() {
            self.asm.one(Code::Pop_r64, register);
        }
        crate::kernels::leave(&mut self.asm, self.variant, self.lanes, self.select.encoding(self.lanes));
        Ok(())
    }

    /// Round keys of the streams side by side into the frame, and the IVs into the states.
    fn gather(&mut self) {
        const POINTERS: [Register; 4] = [Register::RAX, Register::RBX, Register::R12, Register::R13];
        self.asm.name("gather");
        for group in 0..self.registers {
            let pointers = &POINTERS[..self.lanes];
            let (gathered, state) = (Reg::Fixed(self.registers as u8), Reg::Fixed(group as u8));
            for array in [IVS, KEYS] {
                for (lane, &pointer) in pointers.iter().enumerate() {
                    self.asm.load(pointer, at(array, 8 * (group * self.lanes + lane) as i32));
                }
                let (into, last) = if array == IVS { (state, 0) } else { (gathered, self.rounds) };
                for r in 0..=last {
                    for (lane, &pointer) in pointers.iter().enumerate() {
                        let from = Src::Mem(pointer, 16 * i32::from(r), false);
                        self.push(match lane {
                            0 => Vector::from(Operation::Load, 1, into, from),
                            _ => Vector::new(Operation::Insert(lane as u8), self.lanes, into, into, from),
                        });
                    }
                    if array == KEYS {
                        let to = Src::Mem(Register::RSP, self.slot(group, r), false);
                        self.push(Vector::store(Operation::Store, self.lanes, gathered, to));
                    }
                }
            }
        }
    }

    /// The states back to the IVs.
    fn chains_out(&mut self) {
        for group in 0..self.registers {
            for lane in 0..self.lanes {
                self.asm.load(Register::RAX, at(IVS, 8 * (group * self.lanes + lane) as i32));
                let to = Src::Mem(Register::RAX, 0, false);
                let state = Reg::Fixed(group as u8);
                self.push(match lane {
                    0 => Vector::store(Operation::Store, 1, state, to),
                    _ => Vector::store(Operation::Extract(lane as u8), self.lanes, state, to),
                });
            }
        }
    }

    /// What each stream has left once the shortest has ended, one stream after the other.
    fn alone(&mut self) {
        let (key, input, output, left) = (Register::RBX, Register::R12, Register::R13, Register::RAX);
        let (next, again, done) = (self.asm.label(), self.asm.label(), self.asm.label());
        let pointer = |array| indexed(array, STREAM, 1, 0);
        let chain = Reg::Fixed(0);
        let text = Reg::Fixed(1);
        self.asm.name("alone");
        self.asm.two(Code::Xor_r32_rm32, Register::R11D, Register::R11D);
        self.asm.bind(next);
        self.asm.load(left, pointer(LENGTHS));
        self.asm.two(Code::Sub_r64_rm64, left, POSITION);
        self.asm.cmp(left, 16);
        self.asm.jump(If::Below, done);
        self.asm.load(key, pointer(KEYS));
        for (register, array) in [(input, INPUTS), (output, OUTPUTS)] {
            self.asm.load(register, pointer(array));
            self.asm.two(Code::Add_r64_rm64, register, POSITION);
        }
        self.asm.load(LEFT, pointer(IVS));
        self.push(Vector::from(Operation::Load, 1, chain, Src::Mem(LEFT, 0, false)));
        self.asm.bind(again);
        self.push(Vector::from(Operation::Load, 1, text, Src::Mem(input, 0, true)));
        self.push(Vector::new(Operation::Xor, 1, text, text, Src::Mem(key, 0, false)));
        self.push(Vector::new(Operation::Xor, 1, chain, chain, Src::Reg(text)));
        for r in 1..=self.rounds {
            let round = if r == self.rounds { Round::EncryptLast } else { Round::Encrypt };
            let from = Src::Mem(key, 16 * i32::from(r), false);
            self.push(Vector::new(Operation::Aes(round), 1, chain, chain, from));
        }
        self.push(Vector::store(Operation::Store, 1, chain, Src::Mem(output, 0, true)));
        self.asm.add(input, 16);
        self.asm.add(output, 16);
        self.asm.sub(left, 16);
        self.asm.cmp(left, 16);
        self.asm.jump(If::AboveEqual, again);
        self.push(Vector::store(Operation::Store, 1, chain, Src::Mem(LEFT, 0, false)));
        self.asm.bind(done);
        self.asm.add(STREAM, 8);
        self.asm.cmp(STREAM, 8 * self.streams as i32);
        self.asm.jump(If::Below, next);
    }
}

impl Shape {
    /// Whether a loop of this shape leaves whole blocks: with one a pass none, but the one that the
    /// folded form holds back.
    fn leaves_blocks(&self) -> bool {
        self.unroll > 1 || self.form == Form::Folded
    }

    /// One block of each stream a pass, keys from memory.
    fn single(form: Form) -> Shape {
        Shape {
            unroll: 1,
            form,
            together: true,
            distance: 0,
            streaming: false,
            gather: Gather::Insert,
            prefetch: (0, 0, 0),
            keys: 0,
        }
    }
}
