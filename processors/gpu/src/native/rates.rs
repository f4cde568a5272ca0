//! Rates of a GPU's multiprocessors per clock, measured by micro-kernels, and measurements of their clock.

use std::rc::Rc;

use aesmith_processor::grid::card::Rates;

use super::context::{Context, Event, Function, Memory, Module, Stream};
use super::micro::{self, A_TURN, CLOCKS, SHARED, THREADS, UNITS, Unit};

/// Duration of a clock measurement in nanoseconds: a hundred steps of a nanosecond counter that steps every
/// microsecond.
const LOOK: u64 = 100_000;
/// Launches of each micro-kernel; the first is not counted.
const LAUNCHES: usize = 4;
/// Stride of the threads whose words are compared with the expected ones.
const APART: u32 = 31;
/// The most bytes that the memory micro-kernel copies.
const COPIED: usize = 128 << 20;

/// Measures the clock.
pub(super) struct Clock<'c> {
    function: Function<'c>,
    results: [Memory<'c>; 2],
}

impl<'c> Clock<'c> {
    pub fn new(context: &'c Context<'c>, module: &Rc<Module<'c>>) -> Result<Clock<'c>, String> {
        let results = [Memory::new(context, 16)?, Memory::new(context, 16)?];
        Ok(Clock { function: module.function("aesmith_clock", 1, 0)?, results })
    }

    /// Enqueues a measurement on a stream; `which` is 0 or 1.
    pub fn look(&self, which: usize, stream: &Stream) -> Result<(), String> {
        let parameters = [self.results[which].address, LOOK].map(|number| number.to_le_bytes().to_vec());
        // SAFETY: it stores 16 bytes at its first parameter, which live as long as this value; nothing else
        // uses them.
        unsafe { self.function.launch(1, stream, &parameters) }
    }

    /// The measured clock in MHz, once the stream was waited for.
    pub fn seen(&self, which: usize) -> Result<f64, String> {
        let [clocks, nanoseconds] = numbers::<2>(&self.results[which])?;
        if clocks == 0 || nanoseconds < LOOK {
            return Err(format!(
                "the clocks of the card do not run: {clocks} clocks in {nanoseconds} ns, where at least {LOOK} ns were waited for; without them nothing can be measured on it"
            ));
        }
        Ok(clocks as f64 / nanoseconds as f64 * 1000.0)
    }
}

/// 64-bit numbers from GPU memory.
fn numbers<const N: usize>(memory: &Memory) -> Result<[u64; N], String> {
    let mut bytes = vec![0; 8 * N];
    memory.read(0, &mut bytes)?;
    Ok(std::array::from_fn(|k| number(&bytes[8 * k..8 * k + 8])))
}

fn number(bytes: &[u8]) -> u64 {
    u64::from_le_bytes(std::array::from_fn(|k| bytes[k]))
}

/// Clocks of a thread block, from the first warp that begins to the last that ends.
fn clocks_of(block: &[u8]) -> f64 {
    let clocks = |from: usize| block[from..].chunks(16).map(|bytes| number(&bytes[..8]));
    let (begun, ended) = (clocks(0).min().unwrap_or(0), clocks(8).max().unwrap_or(0));
    ended.saturating_sub(begun) as f64
}

/// The median.
fn median(mut figures: Vec<f64>) -> f64 {
    figures.sort_by(f64::total_cmp);
    figures[figures.len() / 2]
}

/// A GPU whose rates are measured.
struct Bench<'c> {
    context: &'c Context<'c>,
    module: &'c Rc<Module<'c>>,
    stream: Stream<'c>,
    multiprocessors: u32,
    /// Shared memory in bytes that leaves room for only one thread block per multiprocessor.
    alone: u32,
    turns: u32,
}

impl Bench<'_> {
    /// The number of threads per clock of a multiprocessor that execute an instruction of a unit.
    fn unit(&self, unit: Unit) -> Result<f64, String> {
        let groups = self.multiprocessors as usize;
        let clocks = Memory::new(self.context, CLOCKS * groups)?;
        let words = Memory::new(self.context, 4 * THREADS as usize * groups)?;
        let function = self.module.function(unit.name(), THREADS, self.alone)?;
        let pointers = [clocks.address, words.address].map(|address| address.to_le_bytes().to_vec());
        let numbers = [self.turns, micro::selector()].map(|number| number.to_le_bytes().to_vec());
        let parameters: Vec<Vec<u8>> = pointers.into_iter().chain(numbers).collect();
        let mut rates = Vec::new();
        for launched in 0..LAUNCHES {
            clocks.fill(0)?;
            words.fill(0xa5)?;
            // SAFETY: a thread block stores two numbers for each warp in the first memory and a word for each
            // thread in the second, and both have that size; its shared memory is at least what it accesses.
            unsafe { function.launch(self.multiprocessors, &self.stream, &parameters)? };
            self.stream.wait()?;
            let mut taken = vec![0; CLOCKS * groups];
            clocks.read(0, &mut taken)?;
            if launched == 0 {
                self.held(unit, &words)?;
                continue;
            }
            let done = f64::from(THREADS) * f64::from(A_TURN) * f64::from(self.turns);
            rates.extend(taken.chunks_exact(CLOCKS).map(|block| done / clocks_of(block)));
        }
        let rate = median(rates);
        // No multiprocessor issues for more than four warps; and a loop that takes too long has not run alone.
        if !(1.0..=4.0 * 32.0 * 1.05).contains(&rate) {
            return Err(format!(
                "{} says that {rate:.2} threads execute an instruction in a clock of a multiprocessor, which cannot be: this \
                 card's clocks cannot be relied on",
                unit.name()
            ));
        }
        Ok(rate)
    }

    /// Compares the words of threads with the expected ones.
    fn held(&self, unit: Unit, words: &Memory) -> Result<(), String> {
        let mut bytes = vec![0; 4 * (THREADS * self.multiprocessors) as usize];
        words.read(0, &mut bytes)?;
        let block = 4 * THREADS as usize;
        let word = |thread: u32| &bytes[4 * thread as usize..4 * thread as usize + 4];
        let wrong = (0..THREADS)
            .step_by(APART as usize)
            .find(|&thread| word(thread) != unit.word(thread, self.turns).to_le_bytes());
        if let Some(thread) = wrong {
            return Err(format!(
                "{} stores another word in thread {thread} than it computes: the card, its driver or its translator is at fault, and nothing is measured on it",
                unit.name()
            ));
        }
        match bytes.chunks_exact(block).position(|other| *other != bytes[..block]) {
            Some(other) => Err(format!(
                "{} has other words in block {other} than in block 0, where all are the same: the card is at fault, and nothing \
                 is measured on it",
                unit.name()
            )),
            None => Ok(()),
        }
    }

    /// Bytes that a copy reads and writes per clock of a multiprocessor, and the clock.
    fn memory(&self, clock: &Clock) -> Result<(f64, f64), String> {
        let blocks = COPIED.min(self.context.free()? / 8) / 16;
        let (from, to) = (Memory::new(self.context, 16 * blocks)?, Memory::new(self.context, 16 * blocks)?);
        let function = self.module.function("aesmith_rate_memory", 1024, 0)?;
        let numbers = [from.address, to.address, blocks as u64];
        let parameters: Vec<Vec<u8>> = numbers.iter().map(|number| number.to_le_bytes().to_vec()).collect();
        let events = [Event::new(self.context)?, Event::new(self.context)?];
        let groups = self.multiprocessors * function.resident;
        let mut found = Vec::new();
        from.fill(0x5c)?;
        to.fill(0)?;
        for _ in 0..LAUNCHES {
            clock.look(0, &self.stream)?;
            events[0].record(&self.stream)?;
            // SAFETY: it reads and writes this many blocks of 16 bytes from both addresses on, and the memory
            // has as many.
            unsafe { function.launch(groups, &self.stream, &parameters)? };
            events[1].record(&self.stream)?;
            self.stream.wait()?;
            let (mhz, milliseconds) = (clock.seen(0)?, events[1].since(&events[0])?);
            let clocks = milliseconds * mhz * 1000.0 * f64::from(self.multiprocessors);
            if !(clocks.is_finite() && clocks > 0.0) {
                return Err(format!(
                    "a copy of {} bytes took {milliseconds} ms by the card's events",
                    16 * blocks
                ));
            }
            found.push((32.0 * blocks as f64 / clocks, mhz));
        }
        for at in [0, 16 * blocks - 1] {
            let mut byte = [0];
            to.read(at, &mut byte)?;
            if byte != [0x5c] {
                return Err(format!("a copy on the card has lost its byte {at}; nothing is measured on it"));
            }
        }
        Ok((median(found.iter().skip(1).map(|f| f.0).collect()), median(found.iter().map(|f| f.1).collect())))
    }
}

/// Measures all rates.
pub(super) fn measured<'c>(
    context: &'c Context<'c>,
    module: &'c Rc<Module<'c>>,
    (multiprocessors, shared): (u32, u32),
    turns: u32,
) -> Result<Rates, String> {
    let alone = shared.max(SHARED);
    let bench = Bench { context, module, stream: Stream::new(context)?, multiprocessors, alone, turns };
    let clock = Clock::new(context, module)?;
    let mut units = [0.0; UNITS.len()];
    for (rate, unit) in units.iter_mut().zip(UNITS) {
        *rate = bench.unit(unit)?;
    }
    let [logic, permutation, product, issued, shared] = units;
    let (memory, mhz) = bench.memory(&clock)?;
    Ok(Rates { shared, logic, permutation, product, issued, memory, mhz })
}
