//! The prover: takes a kernel's bytes and returns a certificate or a refutation. It trusts nothing else.

use std::ops::Range;

use aesmith_cipher::Problem;
use aesmith_isa::instructions::Instructions;

use crate::certificate::{FORMAT, LanesCertificate, Refutation, assumptions, sha256};
use crate::lanes::coverage::Coverage;
use crate::lanes::explore::Explorer;
use crate::lanes::intern::{FastMap, mix};
use crate::lanes::reduce::{Free, Reducer};
use crate::lanes::symbolic::Symbolic;
use crate::lanes::terms::ConeCount;

/// The facts about a correct kernel: all of a certificate that does not depend on its name, and cheap to make.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Proof {
    /// True if every instruction is listed as data-independent.
    pub all_listed: bool,
    /// Number of instructions that load from the kernel's constants at addresses that depend on a key or a message:
    /// with any, the kernel takes variable time.
    pub secret_loads: usize,
    /// True if nothing secret is left behind.
    pub wiped: bool,
    /// Stack written, in bytes.
    pub frame_bytes: usize,
    /// The largest distance below the stack pointer at which it reads or writes, in bytes: its use of the red zone.
    pub red_zone_bytes: usize,
    /// Instructions reached.
    pub instructions: usize,
    /// Paths followed to a return.
    pub paths: usize,
    /// Instructions executed over all paths.
    pub steps: usize,
    /// Code and data that are executed and read, on all paths together.
    pub coverage: Coverage,
    /// The SHA-256 of the kernel that this one was reduced to, if it was proved in this way: its proof is the proof of
    /// that kernel ([`crate::lanes::reduce`]).
    pub reduced_to: Option<Box<str>>,
}

impl Proof {
    /// The class: `CT2`, `CT1` or `VT` ([`LanesCertificate::constant_time`]).
    pub fn constant_time(&self) -> &'static str {
        match (self.secret_loads, self.all_listed) {
            (0, true) => "CT2",
            (0, false) => "CT1",
            _ => "VT",
        }
    }

    /// True if addresses depend on a key or a message.
    pub fn is_variable_time(&self) -> bool {
        self.secret_loads > 0
    }
}

/// A kernel with the result of its proof.
type Known = (Problem, Box<[u8]>, Result<Proof, Box<Refutation>>);

/// The most kernels whose results a prover remembers.
const MOST_REMEMBERED: usize = 1 << 16;

/// Proves kernels one after another and keeps its memory between them.
pub struct Prover {
    symbolic: Symbolic,
    explorer: Explorer,
    reducer: Reducer,
    /// Results by a hash of problem and bytes; the bytes themselves are compared.
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

    /// Computes memoized values again, once in each proof, and compares: slow, for tests. It panics if a key of a memo
    /// does not hold everything that the value depends on.
    #[must_use]
    pub fn checking_memos(mut self) -> Self {
        self.symbolic.check_memos(true);
        self
    }

    /// Proves without the short cuts that save work: cones, blocks that are equal at any position, and forgetting
    /// inside S-boxes. Slow, for tests: the verdicts must be the same.
    #[must_use]
    pub fn without_short_cuts(mut self) -> Self {
        self.symbolic.terms.short_cuts = false;
        self
    }

    /// Proves that `code` (a function at offset 0, its constants behind it) computes `problem` for every key, IV,
    /// message and length. The same bytes are proved once.
    ///
    /// # Errors
    /// The place and the reason if it is not proved.
    pub fn prove(&mut self, problem: Problem, code: &[u8]) -> Result<Proof, Box<Refutation>> {
        self.prove_like(problem, code, &[])
    }

    /// Like [`Prover::prove`], where `like` may be a kernel that this prover has proved and that differs from `code` in
    /// the order of instructions, in registers or in spills: then its proof is the proof of `like`. This is decided
    /// from the bytes of both; otherwise `code` is proved by itself.
    ///
    /// # Errors
    /// The place and the reason if it is not proved.
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

    /// The number of cones that were simplified in this prover's proofs, and of their reuses. Cones are parts of rounds
    /// as functions of the lane that they are computed from.
    pub fn cones(&self) -> ConeCount {
        self.symbolic.terms.cones()
    }

    /// Work of this prover so far, in terms made and examined; the limit for giving up a proof is in this unit.
    pub fn work(&self) -> u64 {
        self.symbolic.terms.work()
    }

    /// The proof of `code` if it differs from `like`, which this prover proved, only in the order of instructions,
    /// registers and stack; `None` otherwise.
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

    /// Like [`Prover::prove`], ignoring remembered results.
    ///
    /// # Errors
    /// The place and the reason if it is not proved.
    pub fn prove_anew(&mut self, problem: Problem, code: &[u8]) -> Result<Proof, Box<Refutation>> {
        self.symbolic.begin(problem, code);
        let mut result = self.explorer.prove(&mut self.symbolic, true);
        if result.is_err() && self.explorer.has_forgotten() {
            // Perhaps a necessary fact was forgotten: follow every path by itself.
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
    /// The place and the reason if it is not proved.
    pub fn certify(
        &mut self,
        problem: Problem,
        kernel: &str,
        code: &[u8],
    ) -> Result<LanesCertificate, Box<Refutation>> {
        let proof = self.prove(problem, code)?;
        Ok(LanesCertificate {
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

    /// The assumptions of every proof of a problem, by the class of the kernel's timing.
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
