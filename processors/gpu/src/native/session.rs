//! Proved kernels on a GPU: timed launches over a text in its memory, and streaming of text from host memory
//! and back.

use std::rc::Rc;
use std::time::Instant;

use aesmith_cipher::firmware::Firmware;
use aesmith_isa::grid::GridProgram;
use aesmith_processor::grid::card::{self, Given, Session, Streamed, Timed};
use aesmith_processor::grid::certificate::ProvedGrid;
use aesmith_processor::grid::launch::{Arguments, parameter_bytes};

use super::context::{Context, Event, Function, Memory, Module, Pinned, Stream};
use super::divided::Divided;
use super::rates::Clock;

/// The greatest size of a host buffer for streaming, in bytes.
const STREAMED: usize = 16 << 20;

/// A loaded kernel.
struct Loaded<'c> {
    function: Function<'c>,
    program: GridProgram,
    contract: Firmware,
    threads: u64,
    /// Blocks of text that a thread block processes per iteration.
    a_turn: u64,
    /// Threads per stream, if a launch has several.
    of_a_stream: Option<u64>,
}

/// The memory that a launch reads and writes: the same for both, or two that do not overlap, with equal numbers
/// of blocks.
struct Text<'a, 'c> {
    input: &'a Memory<'c>,
    output: &'a Memory<'c>,
    blocks: u64,
    /// The streams that the text consists of, for kernels of several streams.
    divided: Option<&'a Divided<'c>>,
}

impl<'c> Loaded<'c> {
    fn new(context: &'c Context<'c>, proved: &ProvedGrid) -> Result<Loaded<'c>, String> {
        let (kernel, proof) = (proved.kernel(), &proved.certificate().proof);
        let failed = |e| format!("`{}` cannot be loaded: {e}", kernel.variant);
        let module = Module::new(context, proved.text()).map_err(failed)?;
        let function =
            module.function(&kernel.program.symbol, proof.threads, proof.shared).map_err(failed)?;
        let a_turn = u64::from(proof.threads) * u64::from(proof.a_turn);
        Ok(Loaded {
            function,
            program: kernel.program.clone(),
            contract: kernel.contract,
            threads: proof.threads.into(),
            a_turn,
            of_a_stream: proof.of_a_stream.map(u64::from),
        })
    }

    /// Enqueues a launch on a stream, with as many thread blocks as the multiprocessors hold at once.
    ///
    /// # Safety
    /// The text's memory must live, and nothing else may use it, until the stream was waited for.
    unsafe fn launch(
        &self,
        multiprocessors: u32,
        stream: &Stream,
        text: &Text,
        given: &Given,
    ) -> Result<(), String> {
        let key = self.contract.key_bytes(given.key);
        let arguments = Arguments {
            key: &key,
            iv: given.iv,
            input: text.input.address,
            output: text.output.address,
            blocks: text.blocks,
            streams: text.divided.map(Divided::arrays),
        };
        let parameters = parameter_bytes(&self.program, &arguments)?;
        let groups = match (self.of_a_stream, text.divided) {
            // Each stream must have its threads.
            (Some(of_a_stream), Some(divided)) => {
                (divided.arrays().count * of_a_stream).div_ceil(self.threads).max(1) as u32
            }
            _ => {
                let most = u64::from(multiprocessors * self.function.resident);
                text.blocks.div_ceil(self.a_turn).clamp(1, most) as u32
            }
        };
        // SAFETY: it is proved that no thread of a grid of any size accesses anything except this many blocks
        // from these addresses on, or the blocks of streams that the arrays describe, and the memory has as
        // many; the caller keeps it alive.
        unsafe { self.function.launch(groups, stream, &parameters) }
    }
}

/// See [`Session`]. The stream is declared first: it is waited for and dropped before the memory that its work
/// uses.
pub(super) struct OnCard<'c> {
    stream: Stream<'c>,
    context: &'c Context<'c>,
    multiprocessors: u32,
    kernels: Vec<Loaded<'c>>,
    blocks: u64,
    input: Memory<'c>,
    output: Memory<'c>,
    streams: Vec<card::Stream>,
    divided: Option<Divided<'c>>,
    clock: Clock<'c>,
    events: [Event<'c>; 2],
}

impl<'c> OnCard<'c> {
    pub fn new(
        context: &'c Context<'c>,
        module: &Rc<Module<'c>>,
        multiprocessors: u32,
        kernels: &[ProvedGrid],
        blocks: usize,
    ) -> Result<OnCard<'c>, String> {
        let kernels = kernels.iter().map(|proved| Loaded::new(context, proved)).collect::<Result<_, _>>()?;
        Ok(OnCard {
            stream: Stream::new(context)?,
            context,
            multiprocessors,
            kernels,
            blocks: blocks as u64,
            input: Memory::new(context, 16 * blocks)?,
            output: Memory::new(context, 16 * blocks)?,
            streams: Vec::new(),
            divided: None,
            clock: Clock::new(context, module)?,
            events: [Event::new(context)?, Event::new(context)?],
        })
    }
}

impl<'c> OnCard<'c> {
    /// The streams of the start of a text in other memory, if kernels take several.
    fn divided(&self, blocks: u64, input: u64, output: u64) -> Result<Option<Divided<'c>>, String> {
        let mut contracts = self.kernels.iter().filter(|kernel| kernel.of_a_stream.is_some());
        let Some(first) = contracts.next().map(|kernel| kernel.contract) else { return Ok(None) };
        if contracts.any(|kernel| kernel.contract.packing != first.packing) {
            return Err("kernels take keys of streams in different forms".into());
        }
        Divided::new(self.context, &first, &self.streams, blocks, (input, output)).map(Some)
    }
}

impl Session for OnCard<'_> {
    fn write(&mut self, text: &[u8]) -> Result<(), String> {
        self.input.write(text)
    }

    fn divide(&mut self, streams: &[card::Stream]) -> Result<(), String> {
        self.streams = streams.to_vec();
        self.divided = self.divided(self.blocks, self.input.address, self.output.address)?;
        Ok(())
    }

    fn clear(&mut self, byte: u8) -> Result<(), String> {
        self.output.fill(byte)
    }

    fn launch(&mut self, kernel: usize, times: u32, given: &Given) -> Result<Timed, String> {
        let divided = self.divided.as_ref();
        let text = Text { input: &self.input, output: &self.output, blocks: self.blocks, divided };
        self.clock.look(0, &self.stream)?;
        self.events[0].record(&self.stream)?;
        for _ in 0..times {
            // SAFETY: both live as long as this value, nothing else uses them, and the stream is waited for
            // below.
            unsafe { self.kernels[kernel].launch(self.multiprocessors, &self.stream, &text, given)? };
        }
        self.events[1].record(&self.stream)?;
        self.clock.look(1, &self.stream)?;
        self.stream.wait()?;
        let milliseconds = self.events[1].since(&self.events[0])? / f64::from(times);
        Ok(Timed { milliseconds, mhz: (self.clock.seen(0)? + self.clock.seen(1)?) / 2.0 })
    }

    fn read(&mut self, at: usize, bytes: &mut [u8]) -> Result<(), String> {
        self.output.read(at, bytes)
    }

    fn streamed(
        &mut self,
        kernel: usize,
        times: u32,
        text: &[u8],
        given: &Given,
    ) -> Result<Streamed, String> {
        let bytes = text.len().min(STREAMED) / 16 * 16;
        let blocks = bytes as u64 / 16;
        let in_place = self.kernels[kernel].contract.problem.mode().is_in_place_by_threads();
        let slot = || -> Result<Slot, String> {
            let (mut input, mut output) =
                (Pinned::new(self.context, bytes)?, Pinned::new(self.context, bytes)?);
            input.bytes().copy_from_slice(&text[..bytes]);
            output.bytes().fill(0xa5);
            let (device, stream) = (Memory::new(self.context, bytes)?, Stream::new(self.context)?);
            let result = (!in_place).then(|| Memory::new(self.context, bytes)).transpose()?;
            let made = result.as_ref().unwrap_or(&device).address;
            let divided = self.divided(blocks, device.address, made)?;
            Ok(Slot { stream, input, output, device, result, divided, before: 0 })
        };
        let mut slots = [slot()?, slot()?];
        let begun = Instant::now();
        for time in 0..u64::from(times) {
            let slot = &mut slots[time as usize % 2];
            // The earlier work of the slot is complete: its buffers are free.
            slot.stream.wait()?;
            // Streams have their own counters, which lie in memory and restart each time.
            slot.before = if slot.divided.is_some() { 0 } else { time * blocks };
            let iv = u128::from_be_bytes(given.iv).wrapping_add(slot.before.into()).to_be_bytes();
            let result = slot.result.as_ref().unwrap_or(&slot.device);
            let divided = slot.divided.as_ref();
            let here = Text { input: &slot.device, output: result, blocks, divided };
            // SAFETY: all memory belongs to the slot, whose stream is waited for before it is used again and
            // before it is dropped.
            unsafe {
                slot.stream.copy_in(&slot.device, &slot.input)?;
                let given = Given { iv, ..*given };
                self.kernels[kernel].launch(self.multiprocessors, &slot.stream, &here, &given)?;
                slot.stream.copy_out(&slot.output, result)?;
            }
        }
        slots.iter().try_for_each(|slot| slot.stream.wait())?;
        let seconds = begun.elapsed().as_secs_f64();
        let last = slots.iter_mut().map(|slot| (slot.before, slot.output.bytes().to_vec())).collect();
        Ok(Streamed { seconds, last })
    }
}

/// A buffer that text is streamed through. The stream is declared first: it is waited for and dropped before
/// the memory that it copies.
struct Slot<'c> {
    stream: Stream<'c>,
    input: Pinned<'c>,
    output: Pinned<'c>,
    device: Memory<'c>,
    /// Memory for the result, if it may not overwrite the text.
    result: Option<Memory<'c>>,
    /// The streams that the text consists of, for kernels of several streams.
    divided: Option<Divided<'c>>,
    /// Number of blocks of text before its content.
    before: u64,
}
