//! A kernel, and calls of it that show whether a changed program still behaves the same.

use std::collections::{BTreeMap, HashSet};

use aesmith_extension::sets;
use aesmith_extension::verilog::Unit;
use aesmith_isa::Isa;
use aesmith_isa::convention::Convention;
use aesmith_isa::execute::Executed;
use aesmith_isa::image::Image;
use aesmith_processor::attach::attach;
use aesmith_processor::calls::{Expected, Layout, random_call};
use aesmith_processor::core::{Core, Kernel};
use aesmith_processor::interpreter::Interpreter;
use aesmith_prove::bits::mutants::{Mutant, mutants, wrong_constants};
use aesmith_prove::bits::{Proof, Refutation, prove};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::corpus::Source;

/// The number of calls that test a program.
const CALLS: usize = 48;

pub struct Subject {
    pub core: &'static Core,
    pub isa: &'static Isa,
    /// The convention for the proof.
    pub convention: Convention,
    pub text: String,
    pub kernel: Kernel,
    pub image: Image,
    pub function: u64,
    calls: Vec<Expected>,
    allowed: Vec<(u64, u64, bool)>,
    /// The executed instructions: address and number of bytes.
    executed: BTreeMap<u64, u8>,
    /// The number of instructions after which a call counts as endless.
    limit: u64,
}

/// Bytes of stack that a mutant may use: a frame that is larger than necessary is not a fault.
const STACK: u64 = 2048;

fn core(source: &Source) -> &'static Core {
    let core = aesmith_processors::core(source.core).expect("it is registered");
    if source.set.is_empty() {
        return core;
    }
    let extension = sets::included(source.set).expect("a set");
    attach(core, Box::leak(Box::new(extension)), Unit::default()).expect("attaches")
}

impl Subject {
    pub fn new(source: &Source) -> Subject {
        let core = core(source);
        let isa = (core.isa)();
        let (problem, choices) = source.variant.split_once(' ').unwrap_or((source.variant, ""));
        let problem = problem.parse().expect("a problem");
        let variant = core.table.read(problem, choices).expect("a variant");
        let kernel = (core.build)(&variant).unwrap_or_else(|e| panic!("{variant}: {e}"));
        let image = kernel.image(isa).expect("assembles");
        let function = image.symbol(&kernel.symbol).expect("has its symbol");
        let layout = Layout::new(core, &image, kernel.contract).expect("has room");
        let mut subject = Subject {
            core,
            isa,
            convention: *core.convention,
            text: variant.to_string(),
            calls: calls(&layout, &kernel),
            allowed: layout.allowed(core, &image, STACK),
            kernel,
            image,
            function,
            executed: BTreeMap::new(),
            limit: 1_000_000,
        };
        subject.follow();
        subject
    }

    /// Finds the executed instructions and the limit for a call.
    fn follow(&mut self) {
        let mut executed = BTreeMap::new();
        let mut most = 0;
        let mut interpreter = Interpreter::new(self.core);
        for expected in &self.calls {
            let mut watch = |e: &Executed, _: Option<(u64, u8, bool)>, _: u32| {
                executed.insert(e.pc, e.isa.of(e.insn).bytes());
            };
            let trace =
                interpreter.watched(&self.image, self.function, &expected.call, self.limit, &mut watch);
            let trace = trace.unwrap_or_else(|e| panic!("{}: {e}", self.text));
            most = most.max(trace.answer.and_then(|a| a.instructions).expect("counts"));
        }
        (self.executed, self.limit) = (executed, 2 * most + 100);
    }

    pub fn proved(&self, image: &Image) -> Result<Proof, Refutation> {
        prove(self.isa, &self.convention, image, self.function, &self.kernel.contract)
    }

    /// Checks that every call gives the cipher's result, keeps the caller's state and touches nothing else. `Err` says
    /// what is wrong.
    pub fn agrees(&self, image: &Image) -> Result<(), String> {
        let mut interpreter = Interpreter::new(self.core);
        interpreter.allowed = Some(self.allowed.clone());
        for expected in &self.calls {
            let trace = interpreter.trace(image, self.function, &expected.call, self.limit)?;
            let answer = trace.answer.ok_or("nothing was answered")?;
            if answer.read != expected.memory {
                return Err("the result is wrong".into());
            }
            // Arguments on the stack belong to the function.
            let above = expected.call.arguments.len().saturating_sub(self.core.convention.arguments.len());
            let end = self.core.stack_top - 4 * above as u64;
            if above == 0 && trace.written.iter().any(|&(_, until)| until > end + 1) {
                return Err("the caller's stack is written to".into());
            }
        }
        Ok(())
    }

    /// All faults: of each executed instruction, and of each other byte.
    pub fn mutants(&self) -> Vec<Mutant> {
        let places: Vec<u64> = self.executed.keys().copied().collect();
        let mut all = mutants(self.isa, &self.image, &places);
        let code: HashSet<u64> =
            self.executed.iter().flat_map(|(&at, &bytes)| at..at + u64::from(bytes)).collect();
        for segment in &self.image.segments {
            let wrong = wrong_constants(&self.image, segment.address, segment.end());
            all.extend(wrong.into_iter().filter(|m| !code.contains(&m.address)));
        }
        all
    }

    /// The name of the instruction at an address; empty if no instruction was executed there.
    pub fn mnemonic(&self, address: u64) -> &str {
        let insn = self.executed.get(&address).and_then(|_| self.isa.decode(self.image.at(address)));
        insn.map_or("", |insn| &self.isa.of(&insn).name)
    }

    /// The addresses of the first and the last `count` instructions.
    pub fn ends(&self, count: usize) -> HashSet<u64> {
        let places = self.executed.keys().copied();
        places.clone().take(count).chain(places.rev().take(count)).collect()
    }
}

/// Random calls. Counters carry over every number of bytes, in the first block or a few blocks later.
fn calls(layout: &Layout, kernel: &Kernel) -> Vec<Expected> {
    let mut random = ChaCha8Rng::seed_from_u64(13);
    let contract = kernel.contract;
    let one = |k: usize| {
        let count = if contract.problem.has_iv() { 1 + k * 7 % 11 } else { contract.blocks.into() };
        let count = count.min(layout.most.max(1));
        let mut given = random_call(&mut random, contract, count, count);
        given.in_place = k % 3 == 1;
        if !k.is_multiple_of(4) {
            given.iv[16 - k % 17..].fill(0xff);
            given.iv[15] = given.iv[15].wrapping_sub(random.random_range(0..4));
        }
        layout.call(&given)
    };
    (0..CALLS).map(one).collect()
}
