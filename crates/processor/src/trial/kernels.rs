//! The checks of a family's kernels: in the interpreter, against their bounds, in the prover, and in independent judges.

use std::sync::atomic::{AtomicUsize, Ordering};

use aesmith_arrange::Variant;
use aesmith_cipher::problem::{KeySize, Problem};
use aesmith_judge::judge::{Answer, Emulator, Kind};
use aesmith_prove::bits::Proof;

use super::{built, judged, part};
use crate::core::{Core, Kernel};
use crate::interpreter::Interpreter;
use crate::timing::class;

/// The problems that a core has kernels for.
pub fn problems(core: &Core) -> impl Iterator<Item = Problem> {
    let solves = core.solves;
    Problem::all().into_iter().filter(move |&problem| solves(problem))
}

/// The core of a family by its name.
pub fn core(cores: &'static [Core], name: &str) -> &'static Core {
    cores.iter().find(|core| core.name == name).expect("a core of this family")
}

/// Variants as texts: a problem and choices.
pub fn variants(core: &'static Core, texts: &[&str]) -> Vec<Variant> {
    texts.iter().map(|text| core.table.parse(text).unwrap_or_else(|e| panic!("{text}: {e}"))).collect()
}

/// Every third variant of each problem; all in a soak.
pub fn thirds(core: &'static Core) -> Vec<Variant> {
    problems(core).flat_map(|problem| part(core.table.all(problem), 3).collect::<Vec<_>>()).collect()
}

/// For every problem the variants with the choices of each of `bases`, as far as they can be combined, and all that differ from
/// one of them in one choice: every `short`-th of them for AES-128, every `long`-th for longer keys, and all in a soak.
pub fn near(core: &'static Core, bases: &[&str], [short, long]: [usize; 2]) -> Vec<Variant> {
    let sample = |problem: Problem| {
        let mut all: Vec<Variant> = Vec::new();
        for base in bases {
            let add = |chosen: String, choice| match format!("{chosen} {choice}") {
                more if core.table.read(problem, &more).is_ok() => more,
                _ => chosen,
            };
            let chosen = base.split_whitespace().fold(String::new(), add);
            let base = core.table.read(problem, &chosen).expect("the choices were read before");
            let near = base.neighbours();
            let one = std::iter::once(base).chain(near).filter(|v| v.check().is_ok());
            one.for_each(|v| {
                if !all.contains(&v) {
                    all.push(v)
                }
            });
        }
        part(all, if problem.key == KeySize::Aes128 { short } else { long })
    };
    problems(core).flat_map(sample).collect()
}

/// The variants that can be built; the others' reasons are printed.
pub fn buildable(core: &'static Core, mut variants: Vec<Variant>) -> Vec<Variant> {
    variants.retain(|v| built(core, v).inspect_err(|why| println!("{v}: {why}")).is_ok());
    assert!(!variants.is_empty(), "{}: no variant can be built", core.name);
    variants
}

/// The checks of a list of kernels. A check of one kernel in `n` begins with the first kernel; with 0 there is none.
pub struct Checks {
    /// Number of calls in the interpreter.
    pub calls: usize,
    /// True if every kernel has a bound on its cycles.
    pub bounded: bool,
    /// True if the bound of a message holds for calls with one block, too; otherwise the longest call is compared with it.
    pub bounds_one_block: bool,
    /// One kernel in `proved` is proved.
    pub proved: usize,
    /// True if the proof's bytes of stack equal the calls'.
    pub stack_proved: bool,
    /// The expected result of the proof, if it is known: true if no time depends on secrets.
    pub constant: fn(&Variant) -> Option<bool>,
    /// One kernel in `judged` runs in the independent judges.
    pub judged: usize,
    /// Number of calls there.
    pub judged_calls: usize,
    /// True if the judges see exactly the interpreter's bytes of stack; otherwise they may see fewer, as some bytes of a
    /// frame are not written.
    pub same_stack: bool,
    /// Largest relative error of the model's cycles, where a judge counts cycles and the core has no cache.
    pub error: f64,
}

impl Checks {
    /// All kernels are proved, and none is run by a judge.
    pub const PROVED: Checks = Checks {
        calls: 5,
        bounded: true,
        bounds_one_block: true,
        proved: 1,
        stack_proved: false,
        constant: |_| None,
        judged: 0,
        judged_calls: 20,
        same_stack: false,
        error: 0.0,
    };

    /// Checks the kernels of these variants, on all CPUs.
    ///
    /// # Panics
    /// A kernel cannot be built, or a check fails.
    pub fn of(&self, core: &'static Core, variants: &[Variant]) {
        let next = AtomicUsize::new(0);
        let worker = || {
            loop {
                let number = next.fetch_add(1, Ordering::Relaxed);
                let Some(variant) = variants.get(number) else { break };
                let kernel = built(core, variant).unwrap_or_else(|e| panic!("{} {variant}: {e}", core.name));
                self.kernel(core, number, &kernel);
            }
        };
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        std::thread::scope(|scope| (0..threads).for_each(|_| drop(scope.spawn(worker))));
    }

    fn kernel(&self, core: &'static Core, number: usize, kernel: &Kernel) {
        let variant = &format!("{} {}", core.name, kernel.variant);
        let ours = judged(core, kernel, &Interpreter::new(core), self.calls);
        let cycles = ours[0].cycles.expect("counted");
        let (flash, ram) = (kernel.flash((core.isa)()), kernel.ram((core.isa)()));
        let bound = (core.bound)(&kernel.variant).map(|(bound, _)| bound);
        println!(
            "{variant}: {cycles} cycles, bound {bound:?}, {flash} bytes, {ram} of RAM, stack {:?}",
            ours[0].stack
        );
        assert!(bound.is_some() || !self.bounded, "{variant}: no bound");
        let costs = ours.iter().filter_map(|a| a.cycles);
        let is_least = self.bounds_one_block || !kernel.contract.counts_blocks();
        let cost = if is_least { costs.min() } else { costs.max() };
        assert!(cost.map(|c| c as f64) >= bound, "{variant}: {cost:?} cycles are below the bound");
        let mut is_constant = (self.constant)(&kernel.variant) == Some(true);
        let is_one_in = |count: usize| count > 0 && number.is_multiple_of(count);
        if is_one_in(self.proved) {
            let proof = proved(core, kernel);
            if self.stack_proved {
                assert_eq!(Some(proof.stack_bytes), most(&ours), "{variant}: stack");
            }
            if let Some(constant) = (self.constant)(&kernel.variant) {
                assert_eq!(proof.constant_time, constant, "{variant}: {:?}", proof.hangs);
            }
            assert!(!core.cached || (class(core, &proof) == "CT") == proof.constant_time, "{variant}");
            is_constant |= proof.constant_time;
        }
        // The cycles of messages depend on their lengths.
        if is_constant && !kernel.contract.counts_blocks() {
            assert!(ours.iter().all(|a| a.cycles == ours[0].cycles), "{variant}: cycles depend on data");
        }
        if is_one_in(self.judged) {
            for judge in (core.judges)() {
                self.judge(core, kernel, &*judge);
            }
        }
    }

    fn judge(&self, core: &'static Core, kernel: &Kernel, judge: &dyn Emulator) {
        if let Err(why) = judge.present() {
            return println!("skipped: {}: {why}", judge.name());
        }
        let variant = &kernel.variant;
        let theirs = judged(core, kernel, judge, self.judged_calls);
        let ours = judged(core, kernel, &Interpreter::new(core), self.judged_calls.min(40));
        let same = self.judged_calls <= 40;
        if self.same_stack && same {
            assert_eq!(most(&theirs), most(&ours), "{variant}: stack in {}", judge.name());
        }
        assert!(most(&theirs) <= most(&ours), "{variant}: stack in {}", judge.name());
        if judge.kind() == Kind::Exact && same && !core.cached {
            for (ours, theirs) in ours.iter().zip(&theirs) {
                let [ours, theirs] = [ours, theirs].map(|a| a.cycles.expect("counted") as f64);
                let error = (ours / theirs - 1.0).abs();
                assert!(error <= self.error, "{variant}: {theirs} cycles in {}, model {ours}", judge.name());
            }
        }
    }
}

/// The most bytes of stack of any call.
fn most(answers: &[Answer]) -> Option<u64> {
    answers.iter().map(|a| a.stack).max().flatten()
}

/// The proof of a kernel.
///
/// # Panics
/// It is refuted.
pub fn proved(core: &Core, kernel: &Kernel) -> Proof {
    refuted_or_proved(core, kernel).unwrap_or_else(|e| panic!("{} {}: {e}", core.name, kernel.variant))
}

/// The proof of a kernel, or the reason why there is none.
///
/// # Errors
/// It is refuted.
pub fn refuted_or_proved(core: &Core, kernel: &Kernel) -> Result<Proof, String> {
    let isa = (core.isa)();
    let image = kernel.image(isa).expect("assembles");
    let function = image.symbol(&kernel.symbol).expect("has its symbol");
    aesmith_prove::bits::prove(isa, core.convention, &image, function, &kernel.contract)
        .map_err(|e| e.to_string())
}

/// Checks that calls of a kernel with random keys and texts all take the same cycles and stack in a judge; returns them.
pub fn steady(core: &'static Core, variant: &Variant, judge: &dyn Emulator, calls: usize) -> Answer {
    let kernel = built(core, variant).unwrap_or_else(|e| panic!("{variant}: {e}"));
    let answers = judged(core, &kernel, judge, calls);
    let cost = |a: &Answer| (a.cycles, a.stack);
    assert!(answers.iter().all(|a| cost(a) == cost(&answers[0])), "{variant}: cycles depend on data");
    answers[0].clone()
}
