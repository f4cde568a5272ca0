//! The prover: a kernel's bytes in, a certificate or a refutation out. Nothing else is trusted.

use std::ops::Range;

use aesmith_cipher::Problem;
use aesmith_isa::instructions::Instructions;

use crate::certificate::{Certificate, FORMAT, Refutation, assumptions, sha256};
use crate::lanes::coverage::Coverage;
use crate::lanes::explore::Explorer;
use crate::lanes::intern::{FastMap, mix};
use crate::lanes::reduce::{Free, Reducer};
use crate::lanes::symbolic::Symbolic;
use crate::lanes::terms::ConeCount;

/// What is known of a kernel that is right: all of a certificate that does not depend on its
/// name, and cheap to make.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Proof {
    /// Whether every instruction is listed as data-independent.
    pub all_listed: bool,
    /// Instructions that load from the kernel's constants at addresses that depend on a key or a
    /// message: with any, the kernel takes variable time.
    pub secret_loads: usize,
    /// Whether nothing secret stays behind.
    pub wiped: bool,
    /// Stack written, in bytes.
    pub frame_bytes: usize,
    /// How far below the stack pointer it reads or writes, in bytes: its use of the red zone.
    pub red_zone_bytes: usize,
    /// Instructions reached.
    pub instructions: usize,
    /// Paths followed to a return.
    pub paths: usize,
    /// Instructions executed over all paths.
    pub steps: usize,
    /// What is executed and read on all paths together.
    pub coverage: Coverage,
    /// The SHA-256 of the kernel that this one was reduced to, and whose proof is its proof, if that is how it was
    /// proved ([`crate::lanes::reduce`]).
    pub reduced_to: Option<Box<str>>,
}

impl Proof {
    /// The class: `CT2`, `CT1` or `VT` ([`Certificate::constant_time`]).
    pub fn constant_time(&self) -> &'static str {
        match (self.secret_loads, self.all_listed) {
            (0, true) => "CT2",
            (0, false) => "CT1",
            _ => "VT",
        }
    }

    /// Whether addresses depend on a key or a message.
    pub fn is_variable_time(&self) -> bool {
        self.secret_loads > 0
    }
}

/// A kernel, and what was found of it.
type Known = (Problem, Box<[u8]>, Result<Proof, Box<Refutation>>);

/// Kernels of which a prover remembers the result.
const MOST_REMEMBERED: usize = 1 << 16;

/// Proves kernels one after another and keeps its memory between them.
pub struct Prover {
    symbolic: Symbolic,
    explorer: Explorer,
    reducer: Reducer,
    /// By a hash of problem and bytes: the bytes themselves decide.
    known: FastMap<u64, Vec<Known>>,
    remembered: usize,
}

impl Prover {
    /// A prover of kernels for this processor that knows nothing yet.
    pub fn new<P: Instructions<Symbolic> + Instructions<Free> + Default + 'static>() -> Self {
        let processor: Box<dyn Instructions<Symbolic>> = Box::new(P::default());
        let any = Problem::all()[0];
        Prover {
            symbolic: Symbolic::new(any, processor.convention()),
            explorer: Explorer::new(processor),
            reducer: Reducer::new(Box::new(P::default())),
            known: FastMap::default(),
            remembered: 0,
        }
    }

    /// Makes anew what it remembers, once in each proof, and compares: slow, for tests. It panics where
    /// something is remembered by less than it depends on.
    #[must_use]
    pub fn checking_memos(mut self) -> Self {
        self.symbolic.check_memos(true);
        self
    }

    /// Proves without what saves work: cones, blocks that are equal wherever they lie, and what is forgotten in the midst
    /// of S-boxes. Slow, for tests: it must come to the same verdicts.
    #[must_use]
    pub fn without_short_cuts(mut self) -> Self {
        self.symbolic.terms.short_cuts = false;
        self
    }

    /// Proves that `code` (a function at offset 0, its constants behind it) computes `problem`
    /// for every key, IV, message and length. The same bytes are proved once.
    ///
    /// # Errors
    /// Where and why it was not proved.
    pub fn prove(&mut self, problem: Problem, code: &[u8]) -> Result<Proof, Box<Refutation>> {
        self.prove_like(problem, code, &[])
    }

    /// As [`Prover::prove`], where `like` is perhaps a kernel that was proved by this prover, from which `code` differs
    /// in the order of instructions, in registers or in spills: then its proof is that of `like`. That is found from
    /// the bytes of both; where it is not so, `code` is proved by itself.
    ///
    /// # Errors
    /// Where and why it was not proved.
    pub fn prove_like(
        &mut self,
        problem: Problem,
        code: &[u8],
        like: &[u8],
    ) -> Result<Proof, Box<Refutation>> {
        if let Some(result) = self.remembered(problem, code) {
            return result.clone();
        }
        let result = match self.reduce(problem, code, like) {
            Some(proof) => Ok(proof),
            None => self.prove_anew(problem, code),
        };
        self.remember(problem, code, result.clone());
        result
    }

    /// How many cones were simplified in this prover's proofs, and how often they were found again: parts of rounds as
    /// functions of the lane that they are computed from.
    pub fn cones(&self) -> ConeCount {
        self.symbolic.terms.cones()
    }

    /// Work of this prover so far, in terms made and looked at, by which it gives proofs up.
    pub fn work(&self) -> u64 {
        self.symbolic.terms.work()
    }

    /// What is proved of `code` because it differs from `like`, which this prover proved, in nothing but the order of
    /// instructions, registers and stack; nothing where that is not found.
    pub fn reduce(&mut self, problem: Problem, code: &[u8], like: &[u8]) -> Option<Proof> {
        let proof = self.remembered(problem, like)?.clone().ok()?;
        self.reducer.reduce(problem, code, like, &proof)
    }

    fn remembered(&self, problem: Problem, code: &[u8]) -> Option<&Result<Proof, Box<Refutation>>> {
        let entries = self.known.get(&hash(problem, code))?;
        entries.iter().find(|(p, c, _)| *p == problem && c[..] == *code).map(|(_, _, result)| result)
    }

    fn remember(&mut self, problem: Problem, code: &[u8], result: Result<Proof, Box<Refutation>>) {
        if self.remembered >= MOST_REMEMBERED {
            self.known.clear();
            self.remembered = 0;
        }
        self.remembered += 1;
        self.known.entry(hash(problem, code)).or_default().push((problem, code.into(), result));
    }

    /// As [`Prover::prove`], whatever is remembered.
    ///
    /// # Errors
    /// Where and why it was not proved.
    pub fn prove_anew(&mut self, problem: Problem, code: &[u8]) -> Result<Proof, Box<Refutation>> {
        self.symbolic.begin(problem, code);
        let mut result = self.explorer.prove(&mut self.symbolic, true);
        if result.is_err() && self.explorer.has_forgotten() {
            // Perhaps something was forgotten that is needed: every path by itself.
            self.symbolic.begin(problem, code);
            result = self.explorer.prove(&mut self.symbolic, false);
        }
        match result {
            Ok(()) => {
                let found = &self.explorer.findings;
                Ok(Proof {
                    all_listed: found.all_listed,
                    secret_loads: self.symbolic.secret_loads.len(),
                    wiped: found.wiped,
                    frame_bytes: found.frame_bytes,
                    red_zone_bytes: found.red_zone_bytes,
                    instructions: found.reached,
                    paths: found.paths,
                    steps: found.steps,
                    coverage: Coverage {
                        executed: self.explorer.executed(),
                        constants: self.symbolic.constants_read.ranges(),
                        key: self.symbolic.key_read.ranges(),
                    },
                    reduced_to: None,
                })
            }
            Err((offset, reason)) => Err(Box::new(Refutation {
                problem: problem.to_string(),
                offset,
                instruction: self.explorer.text(offset),
                reason,
            })),
        }
    }

    /// Proves a kernel and writes its certificate.
    ///
    /// # Errors
    /// Where and why it was not proved.
    pub fn certify(
        &mut self,
        problem: Problem,
        kernel: &str,
        code: &[u8],
    ) -> Result<Certificate, Box<Refutation>> {
        let proof = self.prove(problem, code)?;
        Ok(Certificate {
            format: FORMAT,
            problem: problem.to_string(),
            kernel: kernel.to_owned(),
            sha256: sha256(code),
            bytes: code.len(),
            level: "E3".to_owned(),
            constant_time: proof.constant_time().to_owned(),
            secret_loads: proof.secret_loads,
            wiped: proof.wiped,
            frame_bytes: proof.frame_bytes,
            red_zone_bytes: Some(proof.red_zone_bytes),
            instructions: proof.instructions,
            paths: proof.paths,
            key_bytes_read: Some(proof.coverage.key_bytes()),
            reduced_to: proof.reduced_to.as_deref().map(str::to_owned),
            assumptions: self.assumptions(problem, proof.constant_time()),
            tool: concat!("aesmith ", env!("CARGO_PKG_VERSION")).to_owned(),
        })
    }

    /// What every proof of a problem rests on, by the class of the kernel's timing.
    fn assumptions(&mut self, problem: Problem, class: &str) -> Vec<String> {
        let processor = self.explorer.processor();
        assumptions(problem, class, processor.convention().name, processor.listing())
    }

    /// [`Coverage::unreached`] of a kernel that was proved.
    pub fn unreached(&mut self, seen: &Coverage, kernel: &[u8], code: &[Range<usize>]) -> Vec<Range<usize>> {
        seen.unreached(self.explorer.processor(), kernel, code)
    }
}

fn hash(problem: Problem, code: &[u8]) -> u64 {
    let seed = problem.to_string().bytes().fold(11, |h, b| mix(h, u64::from(b)));
    code.chunks(8).fold(seed, |h, chunk| {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        mix(h, u64::from_le_bytes(word))
    })
}
