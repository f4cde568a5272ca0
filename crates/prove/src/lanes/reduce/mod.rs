//! Reduction of a kernel to a proved one: if both have the same normal form (`form.rs`), the proof of one is a proof of
//! the other. Most candidates of a search differ from an earlier kernel only in the order of instructions, in
//! registers, in the keys that stay in registers and in spills; none of these is in the form.
//!
//! Properties that the form does not show are checked for the new bytes: the encodings, the stack use, the registers
//! and the stack pointer at the return, secrets left behind, bounds of constants and round keys that are read, fences
//! behind streaming stores, and instructions with data-dependent time. If anything is unknown here, the kernel is not
//! reduced, and is proved like any other: giving up only costs time.

mod apart;
mod domain;
mod form;
mod frame;
mod free;
mod graph;
mod numbers;
mod state;

use std::rc::Rc;

use aesmith_cipher::Problem;
use aesmith_isa::convention::Return;
use aesmith_isa::instructions::{Instructions, Leads};

use crate::certificate::sha256;
use crate::lanes::code::Code;
use crate::lanes::coverage::Coverage;
use crate::lanes::encodings::Encodings;
use crate::lanes::intern::FastMap;
use crate::lanes::prover::Proof;
use crate::lanes::streaming::unfenced;
use form::{Followed, Follower};
pub use free::Free;
use free::{GaveUp, Kind, Value};
use numbers::Number;
use state::State;

/// The most values that are kept from one kernel to the next.
const MOST_VALUES: usize = 1 << 20;
/// The most forms that are kept.
const MOST_FORMS: usize = 1 << 12;

/// A kernel's form, and the blocks that a path of its proof executes.
struct Known {
    form: Vec<Number>,
    reached: Vec<bool>,
    /// The SHA-256 of the kernel that was proved by itself.
    proved: Box<str>,
}

/// Forms of proved kernels, by problem and bytes; `None` for a kernel without a form.
type Forms = FastMap<(Problem, Box<[u8]>), Option<Rc<Known>>>;

/// Reduces kernels to others.
pub(crate) struct Reducer {
    processor: Box<dyn Instructions<Free>>,
    code: Code,
    free: Free,
    known: Forms,
    encodings: Encodings,
}

impl Reducer {
    /// A reducer for kernels for this processor.
    pub fn new(processor: Box<dyn Instructions<Free>>) -> Reducer {
        Reducer {
            processor,
            code: Code::default(),
            free: Free::default(),
            known: Forms::default(),
            encodings: Encodings::default(),
        }
    }

    /// The proof of `code`, if it reduces to the kernel `to` with proof `proof`.
    pub fn reduce(&mut self, problem: Problem, code: &[u8], to: &[u8], proof: &Proof) -> Option<Proof> {
        // A key set-up reads data that it wrote, at the place of other kernels' round keys.
        if !problem.is_message() {
            return None;
        }
        if self.free.numbers.count() > MOST_VALUES || self.known.len() > MOST_FORMS {
            self.free.numbers.clear();
            self.known.clear();
        }
        let known = self.known(problem, to, proof)?;
        let followed = self.follow(problem, code).ok()?;
        if followed.form != known.form {
            return None;
        }
        self.checked(code, &followed, &known, proof).ok()
    }

    /// The form of a proved kernel.
    fn known(&mut self, problem: Problem, code: &[u8], proof: &Proof) -> Option<Rc<Known>> {
        let key = (problem, Box::from(code));
        if let Some(known) = self.known.get(&key) {
            return known.clone();
        }
        let known = self.follow(problem, code).ok().map(|followed| {
            let starts =
                followed.graph.blocks.iter().map(|block| self.code.list[block.first].offset as usize);
            let executed = |start: usize| proof.coverage.executed.iter().any(|range| range.contains(&start));
            let proved = proof.reduced_to.clone().unwrap_or_else(|| sha256(code).into());
            Rc::new(Known { reached: starts.map(executed).collect(), form: followed.form, proved })
        });
        self.known.insert(key, known.clone());
        known
    }

    fn follow(&mut self, problem: Problem, code: &[u8]) -> Result<Followed, GaveUp> {
        self.code.read(&mut *self.processor, code);
        Follower::new(&*self.processor, &self.code, &mut self.free)?.follow(problem, code)
    }

    /// Checks the properties that the form does not show.
    fn checked(
        &mut self,
        code: &[u8],
        followed: &Followed,
        known: &Known,
        proof: &Proof,
    ) -> Result<Proof, GaveUp> {
        let convention = self.processor.convention();
        let sp = usize::from(convention.stack_pointer);
        let mut executed = vec![false; self.code.list.len()];
        let mut all_listed = true;
        let mut secret_loads = 0;
        let mut wiped = true;
        let (mut deepest, mut below) = (0, 0);
        for (k, block) in followed.graph.blocks.iter().enumerate().filter(|(k, _)| known.reached[*k]) {
            executed[block.first..=block.last].fill(true);
            all_listed &= !followed.done[k].unlisted;
            secret_loads += followed.done[k].look_ups;
            let after = followed.after[k].as_ref().ok_or(GaveUp("a block that was not followed"))?;
            deepest = deepest.max(after.stack.deepest).max(after.stack.depth());
            below = below.max(after.stack.below);
            if self.code.list[block.last].leads != Leads::Return {
                continue;
            }
            let entry = self.free.initial(Kind::General, sp as u64);
            if after.machine.gpr[sp] != (Value { root: entry, offset: convention.pushed() }) {
                return Err(GaveUp("a stack pointer that is not what it was"));
            }
            let link = match convention.returns {
                Return::Register(link, _) => Some(link),
                Return::Pushed(_) => None,
            };
            for number in convention.saved.iter().copied().chain(link) {
                let entry = self.free.initial(Kind::General, number.into());
                if after.machine.gpr[usize::from(number)] != (Value { root: entry, offset: 0 }) {
                    return Err(GaveUp("a register that is not what it was"));
                }
            }
            wiped &= !self.leaves_secret(after);
        }
        for place in (0..executed.len()).filter(|&place| executed[place]) {
            let instruction = self.code.list[place];
            let checked = self.encodings.check(&*self.processor, &instruction, code);
            checked.map_err(|_| GaveUp("bytes that are not the encoding of their instruction"))?;
        }
        if unfenced(&self.code, &executed).is_some() {
            return Err(GaveUp("a streaming store without a fence"));
        }
        Ok(Proof {
            all_listed,
            // Look-ups into a table on the stack are not counted here, but take variable time, too.
            secret_loads: if proof.secret_loads == 0 { 0 } else { secret_loads.max(1) },
            wiped,
            frame_bytes: deepest as usize,
            red_zone_bytes: below as usize,
            instructions: executed.iter().filter(|&&is| is).count(),
            paths: proof.paths,
            steps: proof.steps,
            coverage: Coverage {
                executed: self.code.bytes(&executed),
                constants: self.constants_read(proof),
                key: self.key_read(proof),
            },
            reduced_to: Some(known.proved.clone()),
        })
    }

    /// Bytes of the key structure that are read: round keys here, and the other parts that the other kernel reads.
    fn key_read(&self, proof: &Proof) -> Vec<std::ops::Range<usize>> {
        let mut all = self.free.key_read.clone();
        for range in proof.coverage.key.iter().filter(|range| range.start >= self.free.round_key_bytes()) {
            all.insert(range.start, range.len());
        }
        all.ranges()
    }

    /// Constants that are read; with look-ups at variable addresses, also those that the other kernel reads, which has
    /// the same ones at the same places.
    fn constants_read(&self, proof: &Proof) -> Vec<std::ops::Range<usize>> {
        let mut all = self.free.constants_read.clone();
        for range in proof.coverage.constants.iter().filter(|_| self.free.indexes_constants) {
            all.insert(range.start, range.len());
        }
        all.ranges()
    }

    /// True if registers or stack may hold a secret.
    fn leaves_secret(&self, state: &State) -> bool {
        let (numbers, machine) = (&self.free.numbers, &state.machine);
        machine.vector.iter().flatten().any(|&lane| numbers.is_secret(lane))
            || machine.gpr.iter().any(|value| numbers.is_secret(value.root))
            || machine.mask.iter().any(|&mask| numbers.is_secret(mask))
            || numbers.is_secret(machine.flags)
            || state.stack.holds_secret(numbers)
    }
}
