//! CBC encryption of one or several independent streams.
//!
//! ```text
//! one stream        loop of unrolled blocks; single blocks for the rest, or alone for short messages only
//! several streams   keys gathered to the stack, a register's lanes from its streams; joint loop
//!                   while every stream has text; then the rest of each stream by itself
//! ```
//!
//! The chain between blocks limits the speed. With both XORs on it (`plain`) a block costs two XORs and the rounds;
//! with round key 0 premixed with the text (`modified`), one XOR and the rounds; with the next text and round key 0
//! folded into the last round key (`folded`), only the rounds.

mod joint;
mod maker;
mod streams;

use crate::dimensions::Dim;
use crate::kernels::asm::Assembler;
use crate::kernels::frame;
use crate::kernels::select::Selection;
use crate::kernels::target::Encoding;
use crate::kernels::vector::{Operation, Src, Vector, bytes};
use crate::kernels::{Parts, Unfit};
use aesmith_arrange::Variant;
use aesmith_cipher::problem::STREAMS;
use aesmith_order::{Reg, Spills, apply_moves};
use aesmith_processor::measured::{Lengths, Target};
use iced_x86::Register;
use maker::Maker;

const KEYS: Register = Register::RDI;
const IVS: Register = Register::RSI;
const INPUTS: Register = Register::RDX;
const OUTPUTS: Register = Register::RCX;
const LENGTHS: Register = Register::R8;
/// Bytes left in the shortest stream.
const LEFT: Register = Register::R10;
/// Eight times the number of the current stream.
const STREAM: Register = Register::R11;

/// The placement of a block's XORs relative to the chain.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    Plain,
    Modified,
    Folded,
}

/// The method of packing blocks of different streams into a register, and of unpacking them.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Gather {
    /// Block by block.
    Insert,
    /// Transposes as many blocks of each stream as a register has lanes.
    Transpose,
    /// Like `Transpose`, but each register transposes one block later than the previous register, which spreads the
    /// work; the blocks at both ends of a pass are inserted one by one.
    Staggered,
    /// Block by block from a buffer in the frame, to which a pass first copies its texts, stream by stream; the results
    /// take the same way back. Streams that begin at pages compete for the same few lines of a first-level cache: this
    /// way each line is touched once a pass, and few registers are needed.
    Buffered,
}

struct Writer<'v> {
    variant: &'v Variant,
    asm: Assembler,
    streams: usize,
    lanes: usize,
    /// Registers that hold the states of the streams.
    registers: usize,
    rounds: u8,
    select: Selection,
    /// Bytes of the frame for stack slots.
    slots: i32,
    /// Bytes of the slots for spilled round keys of one stream; with several streams the keys are in the frame
    /// anyway.
    spilled: i32,
    /// Offset in the frame of the buffer for a pass's texts, behind which that for its results lies.
    buffer: i32,
    fault: Option<Unfit>,
}

/// The shape of one joint loop.
struct Shape {
    unroll: usize,
    form: Form,
    together: bool,
    distance: usize,
    streaming: bool,
    /// The method of moving texts and results between streams and registers.
    gather: Gather,
    /// Kind (1 cache, 2 register), block and lead of a prefetch.
    prefetch: (u16, usize, usize),
    keys: u16,
}

/// The code of a joint loop, the keys in registers, and the spilled keys.
struct Loop {
    code: Vec<Vector>,
    keys: Vec<((usize, u8), u8)>,
    mask: u16,
    spilled: u16,
    movable: u16,
}

/// Writes the kernel of a variant of CBC encryption; with several streams it handles every length.
pub fn write(variant: &Variant, target: &Target, slots: usize, lengths: Lengths) -> Result<Parts, Unfit> {
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
        let fits = |fewer: &usize| fewer.is_multiple_of(lanes) && fewer / lanes < available;
        let fewer = STREAMS.iter().rev().map(|&fewer| usize::from(fewer)).find(fits).unwrap_or(lanes);
        return Err(Unfit::Shape(format!(
            "the states of {streams} streams fill {} vector registers of {available}, and their rounds need one \
             more; a wider width holds several streams a register where the CPU has it, and aes{}-cbc-x{fewer} \
             called {} times does the same",
            streams / lanes,
            variant.problem.key.bits(),
            streams.div_ceil(fewer),
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
        spilled: 0,
        buffer: 0,
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
            3 if lanes > 1 => Gather::Buffered,
            _ => Gather::Insert,
        },
        prefetch: (
            variant.get(Dim::Prefetch),
            usize::from(variant.get(Dim::Source)) - 1,
            usize::from(variant.get(Dim::Ahead)),
        ),
        keys: variant.get(Dim::Keys),
    };
    let whole = matches!(shape.gather, Gather::Transpose | Gather::Buffered);
    if whole && !shape.unroll.is_multiple_of(lanes) {
        return Err(Unfit::Shape(format!(
            "moving {lanes} blocks of a stream at once needs an unroll of their multiple"
        )));
    }
    if streams > 1 {
        let keys = (w.slot(w.registers, 0) + 63) & !63;
        w.buffer = keys;
        let buffered = if shape.gather == Gather::Buffered { 2 * shape.text() * streams as i32 } else { 0 };
        w.select.slots_at = (keys + buffered + 63) & !63;
    } else if variant.on(Dim::Overflow) {
        w.spilled = w.select.bytes_of(usize::from(w.rounds) + 1);
        w.select.slots_at = w.spilled;
    }
    let looped = streams > 1 || lengths.reach(shape.need() as u64);
    let main = w.fit(&shape, &variant.order)?;
    w.asm.name("entry");
    if streams == 1 {
        w.one_stream(&shape, looped.then_some(&main))?;
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
        keys_in_registers: if looped { main.mask } else { 0 },
        spills: w.select.spills,
        loop_instructions: if looped { main.movable } else { 0 },
        loop_blocks: blocks,
        without_cache: !looped,
    })
}

impl Writer<'_> {
    /// Block `block` of a stream's text, relative to the pointers of the streams.
    fn text(&self, array: Register, stream: usize, block: usize) -> Src {
        let displacement = 16 * block as i32;
        match self.streams {
            1 => Src::Mem(array, displacement, true),
            _ => Src::Stream(array, stream as u8, displacement),
        }
    }

    /// Block `block` of a stream in the buffer of texts (`which` 0) or results (1) of a pass.
    fn buffered(&self, shape: &Shape, which: usize, (stream, block): (usize, usize)) -> Src {
        let offset = shape.text() * (which * self.streams + stream) as i32 + 16 * block as i32;
        Src::Mem(Register::RSP, self.buffer + offset, false)
    }

    fn key_memory(&self, register: usize, r: u8) -> Src {
        match self.streams {
            1 => Src::Mem(KEYS, 16 * i32::from(r), false),
            _ => Src::Mem(Register::RSP, self.slot(register, r), false),
        }
    }

    /// The slot of round key `r` of a register in the frame, gathered from several streams or spilled.
    fn slot(&self, register: usize, r: u8) -> i32 {
        (register as i32 * (i32::from(self.rounds) + 1) + i32::from(r)) * bytes(self.lanes)
    }

    fn count(&self) -> u8 {
        if self.select.encoding(self.lanes) == Encoding::Evex { 32 } else { 16 }
    }

    /// The code of a joint loop with as many of the requested keys in registers as fit.
    fn fit(&mut self, shape: &Shape, moves: &[aesmith_arrange::Move]) -> Result<Loop, Unfit> {
        let mut wanted: Vec<u8> = (0..=self.rounds).filter(|&r| shape.keys >> r & 1 == 1).collect();
        let mut spilled = 0u16;
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
                let (code, mut virtuals) = self.make(shape, &keys, spilled);
                let mut code = self.select.lower(&mut self.asm, code, &mut virtuals)?;
                let movable = code.len() as u16;
                apply_moves(&mut code, moves.iter().map(|m| (m.from.into(), m.to.into())));
                match self.select.allocate(&mut code, virtuals, &pool) {
                    // Round keys give up their registers before other values are spilled.
                    Ok(spills) if spills.slots > 0 && !wanted.is_empty() => {
                        self.select.spills = Spills::default();
                        needed = total + spills.slots;
                    }
                    Ok(_) => {
                        let mask = wanted.iter().fold(0, |mask, r| mask | 1 << r);
                        return Ok(Loop { code, keys, mask, spilled, movable });
                    }
                    Err(pressure) => needed = taken + pressure.needed,
                }
            }
            if wanted.is_empty() {
                return Err(Unfit::Registers { needed, available: total });
            }
            let drop = needed.saturating_sub(total).div_ceil(self.registers).clamp(1, wanted.len());
            let dropped = wanted.split_off(wanted.len() - drop);
            if self.variant.on(Dim::Overflow) {
                spilled |= dropped.iter().fold(0, |mask, r| mask | 1 << r);
            }
        }
    }

    fn make(&self, shape: &Shape, keys: &[((usize, u8), u8)], spilled: u16) -> (Vec<Vector>, usize) {
        let state = (0..self.registers as u8).map(Reg::Fixed).collect();
        let mut maker = Maker::new(self, shape, keys, state);
        maker.spilled = spilled;
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

    /// Appends a single instruction. Otherwise only registers 0 and 1 are in use here.
    fn push(&mut self, v: Vector) {
        /// Registers that it may use as temporaries.
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

    /// The code for one stream, without a main loop if no length reaches it.
    fn one_stream(&mut self, shape: &Shape, main: Option<&Loop>) -> Result<(), Unfit> {
        let chain = Reg::Fixed(0);
        let spills = main.is_some_and(|main| main.spilled != 0);
        let frame = if spills || self.slots > 0 { self.spilled + self.slots } else { 0 };
        if frame > 0 {
            frame::open(&mut self.asm, frame);
        }
        self.push(Vector::from(Operation::Load, 1, chain, Src::Mem(IVS, 0, false)));
        if let Some(main) = main {
            self.spill_keys(main.spilled);
            self.load_keys(&main.keys);
            self.main(shape, main, LENGTHS)?;
        }
        if main.is_none() || shape.leaves_blocks() {
            let single = Shape::single(Form::Modified);
            let rest = self.fit(&single, &[])?;
            self.asm.name("single");
            self.joint(&single, &rest.code, &[], LENGTHS)?;
        }
        self.push(Vector::store(Operation::Store, 1, chain, Src::Mem(IVS, 0, false)));
        self.asm.name("leave");
        if frame > 0 {
            self.wipe(frame);
            frame::close(&mut self.asm);
        }
        crate::kernels::leave(&mut self.asm, self.variant, self.lanes, self.select.encoding(self.lanes));
        Ok(())
    }

    /// Clears the frame if the variant asks for it.
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
}

impl Shape {
    /// Bytes of a stream that a pass processes.
    fn text(&self) -> i32 {
        16 * self.unroll as i32
    }

    /// Bytes that a pass needs: the folded form also reads the text of the next block.
    fn need(&self) -> i32 {
        self.text() + if self.form == Form::Folded { 16 } else { 0 }
    }

    /// True if a loop of this shape leaves whole blocks: with one block per pass it leaves none, except the one that
    /// the folded form holds back.
    fn leaves_blocks(&self) -> bool {
        self.unroll > 1 || self.form == Form::Folded
    }

    /// One block of each stream per pass, keys from memory.
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
