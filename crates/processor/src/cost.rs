//! Costs of a kernel: cycles by the machine model, flash and RAM of the assembled program, stack.

use std::convert::Infallible;

use crate::core::{Core, Kernel};
use crate::interpreter::Interpreter;
use aesmith_isa::image::Image;
use aesmith_judge::judge::{
    Call, Emulator, Finding, Instrument, Judge, Kind, Outcome, Question, Refusal, Trial,
};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::calls::{Layout, random_call};

/// A kernel's costs.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct Cost {
    /// Cycles per block: for key schedules and block functions those of a call, divided by its blocks; for modes those
    /// of one additional block of a long message.
    pub cycles: f64,
    /// Fixed cycles of a message, independent of its length; 0 if there are no messages.
    pub once: f64,
    /// Bytes of flash: code, tables, and the initial contents of tables in RAM.
    pub flash: u64,
    /// Bytes of RAM for tables.
    pub ram: u64,
    /// Bytes of stack.
    pub stack: u64,
}

impl Cost {
    /// The costs with the cycles of a block in a message of `size` bytes, including its share of the message's fixed
    /// cycles; without a size, the cycles of one additional block of a long message.
    pub fn at(&self, size: Option<usize>) -> Cost {
        let spread = size.map_or(0.0, |bytes| self.once * 16.0 / bytes.max(16) as f64);
        Cost { cycles: self.cycles + spread, ..*self }
    }
}

/// A built kernel, and the layout of its data.
pub struct BuiltKernel {
    /// The kernel.
    pub kernel: Kernel,
    /// The program.
    pub image: Image,
    /// Its function.
    pub function: u64,
    /// The buffers of its call.
    pub layout: Layout,
    /// SHA-256 of the contents of memory, in hexadecimal.
    pub sha256: String,
}

/// Instructions after which a kernel's call is aborted: hundreds of times the number that any kernel needs.
pub const LIMIT: u64 = 5_000_000;

/// SHA-256 of the contents of memory, in hexadecimal.
pub fn sha256(image: &Image) -> String {
    let mut hash = Sha256::new();
    for segment in &image.segments {
        hash.update(segment.address.to_le_bytes());
        hash.update(&segment.bytes);
    }
    hash.finalize().iter().map(|b| format!("{b:02x}")).collect()
}

impl BuiltKernel {
    /// Builds and assembles a variant.
    pub fn new(core: &Core, kernel: Kernel) -> Result<BuiltKernel, String> {
        let image = kernel.image((core.isa)())?;
        let function = image.symbol(&kernel.symbol)? & !(core.isa)().about.mark();
        let layout = Layout::new(core, &image, kernel.contract)?;
        let sha256 = sha256(&image);
        Ok(BuiltKernel { kernel, image, function, layout, sha256 })
    }

    /// The calls whose cycles are counted: one, or for messages a short and a long one.
    pub fn timed(&self, seed: u64) -> Vec<(usize, Call)> {
        let contract = self.kernel.contract;
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let long = self.layout.most;
        let lengths = if contract.counts_blocks() { vec![long / 2, long] } else { vec![long] };
        let call = |blocks: usize| {
            let mut given = random_call(&mut random, contract, blocks, blocks);
            // Avoid a carry beyond the counter's last byte: it is rare, and not part of a block's cost.
            given.iv[15] = 0;
            // Use equal buffers each time, because paths of several calls are compared.
            given.in_place = false;
            (blocks, self.layout.call(&given).call)
        };
        lengths.into_iter().map(call).collect()
    }

    /// The question to a judge.
    pub fn question(&self, calls: Vec<Call>) -> Question<'_> {
        Question { image: &self.image, function: self.function, calls, limit: LIMIT }
    }

    /// Cycles per block, and fixed cycles, from the timed calls.
    pub fn per_block(&self, timed: &[(usize, f64)]) -> (f64, f64) {
        match *timed {
            [(short, a), (long, b)] => {
                let each = (b - a) / (long - short) as f64;
                (each, b - each * long as f64)
            }
            [(blocks, cycles), ..] if self.kernel.contract.problem.is_message() => {
                (cycles / blocks as f64, 0.0)
            }
            [(_, cycles), ..] => (cycles, 0.0),
            [] => (f64::NAN, 0.0),
        }
    }

    /// The costs by the machine model, and true if two calls with different data had equal paths, which indicates
    /// constant time without a proof.
    pub fn cost(&self, core: &'static Core) -> Result<(Cost, bool), String> {
        let mut interpreter = Interpreter::new(core);
        interpreter.allowed = Some(self.layout.allowed(core, &self.image, 1024));
        let mut timed = Vec::new();
        let mut paths = Vec::new();
        let mut stack = 0;
        for seed in [1, 2] {
            for (blocks, call) in self.timed(seed) {
                let trace = interpreter.trace(&self.image, self.function, &call, LIMIT)?;
                let answer = trace.answer.ok_or("the interpreter gave no answer")?;
                paths.push(trace.path);
                stack = stack.max(answer.stack.unwrap_or(0));
                if seed == 1 {
                    timed.push((blocks, answer.cycles.ok_or("the machine model gave no cycles")? as f64));
                }
            }
        }
        let (first, second) = paths.split_at(paths.len() / 2);
        let (cycles, once) = self.per_block(&timed);
        let size = |writable: bool| {
            let of = self.image.segments.iter().filter(|s| s.writable || !writable);
            of.map(|s| s.bytes.len() as u64).sum()
        };
        Ok((Cost { cycles, once, flash: size(false), ram: size(true), stack }, first == second))
    }

    /// Cycles per block, and fixed cycles, by an independent judge.
    pub fn judged(&self, judge: &dyn Emulator) -> Result<(f64, f64), String> {
        let timed = self.timed(1);
        let answers = judge.answer(&self.question(timed.iter().map(|(_, c)| c.clone()).collect()))?;
        let cycles = timed.iter().zip(&answers).map(|((blocks, _), a)| Some((*blocks, a.cycles? as f64)));
        let cycles: Vec<_> =
            cycles.collect::<Option<_>>().ok_or_else(|| format!("{} counts no cycles", judge.name()))?;
        Ok(self.per_block(&cycles))
    }
}

/// The table of timing of a processor as a judge. Costs are in cycles per block or key.
#[derive(Clone, Copy, Debug)]
pub struct Model(pub &'static Core);

/// The facts of a kernel by a table of timing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Modelled {
    /// All costs.
    pub cost: Cost,
    /// True if runs on different data took the same path.
    pub same_path: bool,
}

impl Instrument for Model {
    fn name(&self) -> String {
        "machine model".into()
    }

    fn kind(&self) -> Kind {
        Kind::Static
    }
}

impl Judge for Model {
    type Kernel = BuiltKernel;
    type Facts = Modelled;
    type Error = Infallible;

    fn measure(&mut self, trials: &[Trial<'_, BuiltKernel>]) -> Result<Vec<Outcome<Modelled>>, Infallible> {
        let one = |trial: &Trial<'_, BuiltKernel>| {
            let (cost, same_path) = trial.kernel.cost(self.0).map_err(Refusal::from)?;
            Ok(Finding::of(cost.cycles, Modelled { cost, same_path }))
        };
        Ok(trials.iter().map(one).collect())
    }
}
