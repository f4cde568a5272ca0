//! Follows every path of a kernel. Where a question about lengths or the counter's carry has two answers, the path
//! splits; loops over blocks are closed by induction (`crate::lanes::induction`); loops that process no blocks are
//! executed iteration by iteration.

mod ends;
mod paths;

use std::ops::Range;

use aesmith_isa::convention::Return;
use aesmith_isa::instructions::{Instruction, Instructions, Registers};
use aesmith_isa::lanes::Machine;

use ends::entry;

use crate::lanes::code::{Code, MOST_INSTRUCTIONS};
use crate::lanes::cover::{Cover, contains, forget, forget_vectors, frame_keeps_secret};
use crate::lanes::encodings::Encodings;
use crate::lanes::induction::{Head, Induction};
use crate::lanes::intern::FastMap;
use crate::lanes::liveness::{Liveness, everywhere};
use crate::lanes::merge::{merge, rebase};
use crate::lanes::scalar::{Base, Linear, Word};
use crate::lanes::state::Path;
use crate::lanes::streaming::unfenced;
use crate::lanes::symbolic::{Stop, Symbolic, refuse};

/// The most instructions that one proof may execute over all paths: a constant, and a number for each instruction of
/// the code. Twice the need of any generated kernel, so that the proof of a wrong one ends.
const STEPS: usize = 400_000;
const STEPS_EACH: usize = 500;
/// The most terms that one proof may make and examine: a constant, and a number for each instruction of the code, with
/// the same margin.
const WORK: u64 = 5_000_000;
const WORK_EACH: u64 = 20_000;
/// The most instructions and terms of one proof for code of any length: five times the need of the hardest generated
/// kernels.
const MOST_STEPS: usize = 4_000_000;
const MOST_WORK: u64 = 200_000_000;
/// The number of instructions from which on liveness at loops is computed: it takes as long as the proof of some
/// hundred instructions.
const LONG_CODE: usize = 1000;
/// The most visits of a loop that processes no blocks.
const MOST_VISITS: usize = 4096;

/// The most steps that a proof of code with `code` instructions may take.
pub fn most_steps(code: usize) -> usize {
    MOST_STEPS.min(STEPS + STEPS_EACH * code)
}

/// The most work that a proof of code with `code` instructions may take ([`crate::Prover::work`]).
pub fn most_work(code: usize) -> u64 {
    MOST_WORK.min(WORK + WORK_EACH * code as u64)
}

/// The registers of a path.
pub type State = Machine<Symbolic>;

/// A path to be followed.
struct Pending {
    ip: u64,
    machine: State,
    path: Path,
    /// True if it stopped within this instruction: a loop head is not entered anew.
    resumed: bool,
}

/// Findings of a proof besides the correctness of the kernel.
#[derive(Clone, Debug, Default)]
pub(crate) struct Findings {
    /// Paths followed to a return.
    pub paths: usize,
    /// Instructions executed.
    pub steps: usize,
    /// True if nothing secret is left behind.
    pub wiped: bool,
    /// Maximum stack use in bytes.
    pub frame_bytes: usize,
    /// The farthest access below the stack pointer, in bytes.
    pub red_zone_bytes: usize,
    /// Instructions of the kernel that were reached.
    pub reached: usize,
    /// True if all instructions that handled secrets are listed as data-independent.
    pub all_listed: bool,
}

/// The alignment of constants in bytes, relative to the kernel's first byte: a linker may place them apart from the
/// code, so nothing in between may matter.
const CONSTANTS_ALIGNMENT: usize = 64;

/// Explores kernels; keeps its memory between them.
pub(crate) struct Explorer {
    processor: Box<dyn Instructions<Symbolic>>,
    code: Code,
    encodings: Encodings,
    reached: Vec<bool>,
    work: Vec<Pending>,
    heads: Vec<Head>,
    /// Paths that came back to a head without processing blocks, and wait for similar ones.
    waiting: Vec<(usize, (State, Path))>,
    induction: Induction,
    /// Live registers where paths meet, by offset; `None` where they are not joined.
    meets: FastMap<u64, Option<Registers>>,
    liveness: Liveness,
    /// Live registers before each instruction, if the code is long and states are joined.
    live: Option<Vec<Registers>>,
    covers: Vec<Cover>,
    /// The registers that the instructions of a kernel with a hash write.
    written: Registers,
    /// True if anything was forgotten where paths meet: a failure may be due to that.
    forgot: bool,
    /// True if the proof was given up: following every path by itself would not take less.
    gave_up: bool,
    /// Findings of the current proof.
    pub findings: Findings,
    /// [`crate::lanes::terms::Terms::work`] before this proof.
    work_before: u64,
}

impl Explorer {
    /// An explorer of kernels for this processor.
    pub fn new(processor: Box<dyn Instructions<Symbolic>>) -> Self {
        Explorer {
            processor,
            code: Code::default(),
            encodings: Encodings::default(),
            reached: Vec::new(),
            work: Vec::new(),
            heads: Vec::new(),
            waiting: Vec::new(),
            induction: Induction::default(),
            meets: FastMap::default(),
            liveness: Liveness::default(),
            live: None,
            covers: Vec::new(),
            written: Registers::NONE,
            forgot: false,
            gave_up: false,
            findings: Findings::default(),
            work_before: 0,
        }
    }

    /// True if something was forgotten in this proof and a failure may be due to that. Giving up does not count.
    pub(crate) fn has_forgotten(&self) -> bool {
        !self.gave_up && (self.forgot || self.induction.forgot)
    }

    /// The processor.
    pub fn processor(&mut self) -> &mut dyn Instructions<Symbolic> {
        &mut *self.processor
    }

    /// Proves the kernel that `symbolic` has begun. With `join`, states are made equal where paths meet, so that the
    /// following code is proved once; a proof may fail only because of that.
    ///
    /// # Errors
    /// The offset of the instruction at which it fails, and the reason.
    pub fn prove(&mut self, symbolic: &mut Symbolic, join: bool) -> Result<(), (u64, String)> {
        self.work_before = symbolic.terms.work();
        self.sweep(&symbolic.code);
        if let Some(last) = self.code.list.last()
            && self.code.is_cut()
        {
            let why = format!("more than {MOST_INSTRUCTIONS} instructions, which no kernel has");
            return Err((last.offset, why));
        }
        symbolic.constants_from = (self.code.end() as usize).next_multiple_of(CONSTANTS_ALIGNMENT);
        self.covers.clear();
        self.meets.clear();
        self.forgot = false;
        self.gave_up = false;
        self.induction.forgets = join && symbolic.terms.short_cuts;
        self.induction.forgot = false;
        if !join || !symbolic.problem.is_message() || symbolic.problem.streams() > 1 {
            self.code.part_ways();
        } else if symbolic.mode.hashed().is_some() {
            // Following code with products again takes longer than comparing states.
            self.code.meets_at_single_jumps();
            let uses = self.code.list.iter().map(|instruction| self.processor.uses(instruction.number));
            self.written = uses.fold(Registers::NONE, |all, uses| all.or(uses.written));
        }
        let long = self.code.list.len() >= LONG_CODE;
        self.live = (join && long).then(|| everywhere(&mut *self.processor, &self.code));
        self.work.clear();
        self.heads.clear();
        self.waiting.clear();
        self.findings = Findings { wiped: true, all_listed: true, ..Findings::default() };
        let machine = entry(symbolic, self.processor.registers());
        let path = symbolic.path.clone();
        self.work.push(Pending { ip: 0, machine, path, resumed: false });
        while let Some(pending) = self.next(symbolic) {
            // Loop heads of finished paths do not dominate this path: drop them from the stack.
            while self.heads.last().is_some_and(|h| h.height > self.work.len()) {
                self.heads.pop();
            }
            symbolic.path = pending.path;
            if let Err(stop) = self.follow(symbolic, pending.ip, pending.machine, pending.resumed) {
                let why = match stop {
                    Stop::Refused(why) => why,
                    Stop::Split(_) | Stop::Overflow(..) => "a question that cannot be asked here".to_owned(),
                };
                return Err((symbolic.ip, why));
            }
        }
        if let Some(store) = unfenced(&self.code, &self.reached) {
            let why = "a streaming store that a return is reached from without an sfence between: what is \
                       stored after the call may be seen before it";
            return Err((store, why.to_owned()));
        }
        self.findings.wiped &= !symbolic.left_secret;
        self.findings.frame_bytes = self.findings.frame_bytes.max(symbolic.deepest);
        self.findings.red_zone_bytes = self.findings.red_zone_bytes.max(symbolic.below);
        self.findings.reached = self.reached.iter().filter(|&&r| r).count();
        Ok(())
    }

    /// The next path to follow: the one that split last, or, when all paths of a loop's iteration are done, the paths
    /// that wait at its head, joined.
    fn next(&mut self, symbolic: &Symbolic) -> Option<Pending> {
        if let Some(place) = self.waiting.iter().map(|(head, _)| *head).max()
            && self.heads[place].height == self.work.len()
        {
            let mut joined: Vec<(State, Path)> = Vec::new();
            for (_, state) in self.waiting.extract_if(.., |(head, _)| *head == place) {
                match joined.pop() {
                    Some(last) => {
                        let kept = (last.0.clone(), last.1.clone());
                        match merge(symbolic, last, &state) {
                            Some(both) => joined.push(both),
                            None => joined.extend([kept, state]),
                        }
                    }
                    None => joined.push(state),
                }
            }
            self.heads.truncate(place + 1);
            let ip = self.heads[place].ip;
            for (machine, path) in joined {
                self.work.push(Pending { ip, machine, path, resumed: true });
            }
        }
        for cover in &mut self.covers {
            cover.done |= self.work.len() <= cover.state.height
                && self.waiting.iter().all(|(head, _)| *head < cover.open);
        }
        self.work.pop()
    }

    /// Handles a point where paths meet: true if the following code is already proved from here.
    fn met(&mut self, symbolic: &mut Symbolic, ip: u64, machine: &mut State) -> bool {
        let (liveness, code, processor) = (&mut self.liveness, &self.code, &mut *self.processor);
        let live = *self.meets.entry(ip).or_insert_with(|| {
            let live = code.place(ip).and_then(|place| liveness.before(processor, code, place));
            symbolic.terms.forms.work += liveness.looked_at() as u64;
            live
        });
        let Some(live) = live else { return false };
        self.forgot = true;
        forget(symbolic, machine, live, self.written);
        fold(symbolic, machine);
        let induction = &mut self.induction;
        let mut covers = self.covers.iter().filter(|c| c.done && c.state.ip == ip);
        if let Some(cover) = covers.find(|cover| contains(induction, symbolic, cover, machine)) {
            self.findings.wiped &= !frame_keeps_secret(symbolic, cover);
            self.note_frame(&symbolic.path);
            return true;
        }
        let state =
            Head::new(ip, machine.clone(), symbolic.path.clone(), self.work.len(), symbolic.start_uses);
        self.covers.push(Cover { state, open: self.heads.len(), done: false });
        false
    }

    /// The text of the instruction at an offset.
    pub fn text(&self, offset: u64) -> String {
        match self.code.place(offset) {
            Some(place) => self.processor.text(self.code.list[place].number),
            None => "no instruction".to_owned(),
        }
    }

    /// Decodes the kernel, and collects the numbers that its loops compare with.
    fn sweep(&mut self, bytes: &[u8]) {
        self.code.read(&mut *self.processor, bytes);
        self.reached.clear();
        self.reached.resize(self.code.list.len(), false);
        let compared = &mut self.induction.compared;
        compared.clear();
        compared.extend(self.code.list.iter().filter_map(|i| i.compared).filter(|&c| c > 0));
        compared.sort_unstable();
        compared.dedup();
    }

    /// The bytes of the instructions that were reached.
    pub fn executed(&self) -> Vec<Range<usize>> {
        self.code.bytes(&self.reached)
    }

    /// Refuses a proof that takes more than any correct kernel of this size: a proof ends soon for any bytes.
    fn within_budget(&mut self, symbolic: &Symbolic) -> Result<(), Stop> {
        let (steps, code) = (self.findings.steps, self.code.list.len());
        let work = symbolic.terms.work() - self.work_before;
        if steps <= most_steps(code) && work <= most_work(code) {
            return Ok(());
        }
        self.gave_up = true;
        refuse(format!(
            "the proof was given up after {steps} steps, more than {code} instructions should take"
        ))
    }

    /// Handles a loop's head: true to go on, possibly from a weaker state.
    fn enter_head(&mut self, symbolic: &mut Symbolic, ip: u64, machine: &mut State) -> Result<bool, Stop> {
        fold(symbolic, machine);
        if let (Some(live), Some(place)) = (&self.live, self.code.place(ip)) {
            // Registers that no iteration reads again need not be compared between iterations.
            forget_vectors(symbolic, machine, live[place]);
            self.forgot = true;
        }
        let Some(place) = self.heads.iter().rposition(|h| h.ip == ip) else {
            machine.flags = symbolic.unknown_flags(&[machine.flags]);
            self.heads.push(Head::new(
                ip,
                machine.clone(),
                symbolic.path.clone(),
                self.work.len(),
                symbolic.start_uses,
            ));
            return Ok(true);
        };
        // A cover in progress within this loop, or one that relies on it, is not yet a proof.
        self.covers.retain(|cover| cover.done || cover.open <= place);
        let several = symbolic.problem.streams() > 1;
        let progress = self.induction.has_progress(&self.heads[place], &symbolic.path);
        if !progress || (several && self.induction.is_turn(&self.heads[place], machine)) {
            if several {
                rebase(symbolic, machine);
                // The flags refer to lengths as they were counted before.
                machine.flags = symbolic.unknown_flags(&[machine.flags]);
            }
            self.heads[place].visits += 1;
            if self.heads[place].visits > MOST_VISITS {
                return refuse(format!(
                    "a loop that writes no output and has more than {MOST_VISITS} iterations"
                ));
            }
            let others_wait = self.waiting.iter().any(|(head, _)| *head >= place);
            if self.work.len() > self.heads[place].height || others_wait {
                // Other paths of this iteration are still in progress: wait for them.
                machine.flags = symbolic.unknown_flags(&[machine.flags]);
                self.waiting.push((place, (machine.clone(), symbolic.path.clone())));
                return Ok(false);
            }
            // Loops nested in the last iteration are done.
            self.heads.truncate(place + 1);
            return Ok(true);
        }
        let changed = self.induction.weaken(symbolic, &mut self.heads[place], machine)?
            | self.induction.weaken_leftovers(symbolic, &mut self.heads[place], machine);
        let height = self.heads[place].height;
        if !changed {
            // Waiting paths were reached from the head: blocks may have been processed by then.
            if self.induction.alike != 0 {
                for pending in &mut self.work[height..] {
                    pending.path.at_start = false;
                }
                for (_, (_, path)) in self.waiting.iter_mut().filter(|(head, _)| *head >= place) {
                    path.at_start = false;
                }
                self.heads[place].path.at_start = false;
            }
            return Ok(false);
        }
        self.work.truncate(height);
        self.heads.truncate(place + 1);
        self.waiting.retain(|(head, _)| *head < place);
        let head = &mut self.heads[place];
        head.visits = 0;
        head.start_uses = symbolic.start_uses;
        *machine = head.machine.clone();
        symbolic.path = head.path.clone();
        Ok(true)
    }

    /// Checks the conditions at a return.
    fn check_return(&mut self, symbolic: &mut Symbolic, machine: &State) -> Result<(), Stop> {
        let convention = symbolic.convention;
        let above = Linear::address(Base::Frame, 0, convention.pushed());
        if machine.gpr[usize::from(convention.stack_pointer)] != Word::Linear(above) {
            return refuse("the stack pointer is not what it was at entry");
        }
        if let Return::Register(link, _) = convention.returns
            && machine.gpr[usize::from(link)] != Word::Initial(link)
        {
            let name = self.processor.general_name(link);
            return refuse(format!("{name} does not hold the return address that it held at entry"));
        }
        for &number in convention.saved {
            if machine.gpr[usize::from(number)] != Word::Initial(number) {
                return refuse(format!(
                    "{} does not hold what it held at entry, as {} demands",
                    self.processor.general_name(number),
                    convention.name
                ));
            }
        }
        if symbolic.problem.is_message() {
            for stream in 0..symbolic.problem.streams() as u8 {
                symbolic.check_written(stream)?;
                symbolic.check_chain(stream)?;
            }
            symbolic.check_hash()?;
        } else {
            symbolic.check_setup()?;
        }
        self.note_leftovers(symbolic, machine);
        Ok(())
    }

    /// True if a register that an instruction names holds a secret.
    fn handles_secret(&self, symbolic: &Symbolic, machine: &State, instruction: &Instruction) -> bool {
        let named = self.processor.operands(instruction.number);
        named.is_none_or(|registers| carries_secret(symbolic, machine, registers))
    }

    fn note_leftovers(&mut self, symbolic: &Symbolic, machine: &State) {
        let path = &symbolic.path;
        let frames = [&path.frame, &path.aligned_frame];
        let secret = machine.vector.iter().flatten().any(|&lane| symbolic.terms.is_secret(lane))
            || machine.gpr.iter().any(|&word| symbolic.word_is_secret(word))
            || machine.mask.iter().any(|mask| mask.is_secret())
            || frames.iter().any(|slots| (0..slots.count()).any(|i| symbolic.slot_is_secret(slots.get(i))))
            || symbolic.flags_are_secret(machine.flags);
        self.findings.wiped &= !secret;
        self.note_frame(path);
    }

    fn note_frame(&mut self, path: &Path) {
        self.findings.frame_bytes = self.findings.frame_bytes.max(path.depth());
    }
}

/// Writes products in vector registers as products in GHASH's field, where they are complete.
fn fold(symbolic: &mut Symbolic, machine: &mut State) {
    if symbolic.mode.hashed().is_none() {
        return;
    }
    for lane in machine.vector.iter_mut().flatten() {
        *lane = symbolic.terms.in_field(*lane).unwrap_or(*lane);
    }
}

/// True if one of these registers holds a secret.
fn carries_secret(symbolic: &Symbolic, machine: &State, registers: Registers) -> bool {
    let holds = |number: usize, set: u128| set >> number & 1 == 1;
    let general = machine.gpr.iter().enumerate().filter(|(k, _)| holds(*k, registers.general.into()));
    let vector = machine.vector.iter().enumerate().filter(|(k, _)| holds(*k, registers.vector));
    general.into_iter().any(|(_, &word)| symbolic.word_is_secret(word))
        || vector.flat_map(|(_, lanes)| lanes).any(|&lane| symbolic.terms.is_secret(lane))
}
