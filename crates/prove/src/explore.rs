//! Follows every path of a kernel. Where a question about lengths or the counter's carry has two
//! answers, the path parts; loops over blocks are closed by induction ([`crate::induction`]);
//! loops that process no blocks are followed as often as they run.

use std::ops::Range;

use aesmith_cipher::Task;
use aesmith_isa::lanes::{Condition, Decision, Machine};
use aesmith_x86::encoding;
use aesmith_x86::registers::{gpr_number, vector_number};
use aesmith_x86::semantics::{Flow, execute};
use aesmith_x86::table::{DataTiming, form};
use iced_x86::{Decoder, DecoderOptions, FlowControl, Instruction, Mnemonic, OpKind};

use crate::cover::{Cover, contains, forget, frame_keeps_secret};
use crate::coverage::ByteSet;
use crate::induction::{Head, Induction};
use crate::intern::FastMap;
use crate::liveness::{Liveness, Set};
use crate::merge::{merge, rebase};
use crate::scalar::{Base, Linear, Word};
use crate::state::{Carry, Path};
use crate::streaming::unfenced;
use crate::symbolic::{Flags, Mask, Stop, Symbolic, refuse};
use crate::terms::{Atom, Index, Lane, Order};

/// Instructions that one proof may execute over all paths, and for each instruction of the code: twice
/// what any kernel that is generated needs, so that a wrong one ends.
const STEPS: usize = 400_000;
const STEPS_EACH: usize = 500;
/// Terms that one proof may make and look at, and for each instruction of the code: likewise.
const WORK: u64 = 5_000_000;
const WORK_EACH: u64 = 5_000;
/// Visits of a loop that processes no blocks.
const MOST_VISITS: usize = 4096;

/// The stack pointer's number.
pub const RSP: usize = 4;

/// The registers of a path.
pub type State = Machine<Symbolic>;

/// A copy: all parts are plain values.
pub fn copy(machine: &State) -> State {
    Machine { gpr: machine.gpr, vector: machine.vector, mask: machine.mask, flags: machine.flags }
}

/// A path to be followed.
struct Pending {
    ip: u64,
    machine: State,
    path: Path,
    /// Whether it stopped in the midst of this instruction: a loop head is not entered anew.
    resumed: bool,
}

/// What was seen on the way, beside that the kernel is right.
#[derive(Clone, Debug, Default)]
pub struct Findings {
    /// Paths followed to a return.
    pub paths: usize,
    /// Instructions executed.
    pub steps: usize,
    /// Whether nothing secret is left behind.
    pub wiped: bool,
    /// Most stack used.
    pub frame_bytes: usize,
    /// Instructions of the kernel that were reached.
    pub reached: usize,
    /// Whether all that had to do with something secret are listed as data-independent.
    pub all_listed: bool,
}

/// What constants are aligned to, relative to the kernel's first byte: where a linker puts them apart
/// from the code, nothing of what lies between them may matter.
const CONSTANTS_ALIGNMENT: usize = 64;

/// Explores kernels; keeps its memory between them.
#[derive(Default)]
pub struct Explorer {
    code: Vec<Instruction>,
    /// Instruction at an offset, as a place in `code`; `NONE` inside one.
    at: Vec<u32>,
    /// Whether a loop begins here, by offset.
    head: Vec<bool>,
    reached: Vec<bool>,
    /// Whether an instruction is none of those whose time does not depend on their data.
    unlisted: Vec<bool>,
    work: Vec<Pending>,
    heads: Vec<Head>,
    /// Paths that came round to a head without processing blocks, and wait for their like.
    waiting: Vec<(usize, (State, Path))>,
    induction: Induction,
    /// Forward jumps to an offset.
    jumped_to: Vec<u8>,
    /// What is live where paths meet, by offset; `None` where they are not joined.
    meets: FastMap<u64, Option<Set>>,
    liveness: Liveness,
    covers: Vec<Cover>,
    /// Whether anything was forgotten where paths meet: a failure may be due to that.
    pub forgot: bool,
    /// What was found.
    pub findings: Findings,
    /// [`crate::terms::Terms::work`] before this proof.
    work_before: u64,
}

const NONE: u32 = u32::MAX;

impl Explorer {
    /// Proves the kernel that `symbolic` has begun. With `join`, states are made alike where paths
    /// meet, so that what follows is proved once; a proof may fail for that alone.
    ///
    /// # Errors
    /// The offset of the instruction at which it fails, and why.
    pub fn prove(&mut self, symbolic: &mut Symbolic, join: bool) -> Result<(), (u64, String)> {
        self.work_before = symbolic.terms.work();
        self.sweep(&symbolic.code);
        let end = self.code.iter().map(Instruction::next_ip).max().unwrap_or(0);
        symbolic.constants_from = (end as usize).next_multiple_of(CONSTANTS_ALIGNMENT);
        self.covers.clear();
        self.meets.clear();
        self.forgot = false;
        if !join || !symbolic.problem.is_message() || symbolic.problem.streams() > 1 {
            self.jumped_to.fill(0);
        }
        self.work.clear();
        self.heads.clear();
        self.waiting.clear();
        self.findings = Findings { wiped: true, all_listed: true, ..Findings::default() };
        let machine = entry(symbolic);
        let path = symbolic.path.clone();
        self.work.push(Pending { ip: 0, machine, path, resumed: false });
        while let Some(pending) = self.next(symbolic) {
            // Heads entered by paths that are done are no ancestors of this one.
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
        if let Some(store) = unfenced(&self.code, &self.at, &self.reached) {
            let why = "a streaming store that a return is reached from without an sfence between: what is \
                       stored after the call may be seen before it";
            return Err((store, why.to_owned()));
        }
        self.findings.wiped &= !symbolic.left_secret;
        self.findings.frame_bytes = self.findings.frame_bytes.max(symbolic.deepest);
        self.findings.reached = self.reached.iter().filter(|&&r| r).count();
        Ok(())
    }

    /// The path to follow next: one that parted last, or, when all of a loop's turn are done,
    /// what waits at its head, joined.
    fn next(&mut self, symbolic: &Symbolic) -> Option<Pending> {
        if let Some(place) = self.waiting.iter().map(|(head, _)| *head).max()
            && self.heads[place].height == self.work.len()
        {
            let mut joined: Vec<(State, Path)> = Vec::new();
            for (_, state) in self.waiting.extract_if(.., |(head, _)| *head == place) {
                match joined.pop() {
                    Some(last) => {
                        let kept = (copy(&last.0), last.1.clone());
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

    /// Where paths meet: whether what follows is proved from here already.
    fn met(&mut self, symbolic: &mut Symbolic, ip: u64, machine: &mut State) -> bool {
        let index = self.at[ip as usize] as usize;
        let (liveness, code, at) = (&mut self.liveness, &self.code, &self.at);
        let live = *self.meets.entry(ip).or_insert_with(|| {
            let live = liveness.before(code, at, index);
            symbolic.terms.forms.work += liveness.looked_at() as u64;
            live
        });
        let Some(live) = live else { return false };
        self.forgot = true;
        forget(symbolic, machine, live);
        let induction = &mut self.induction;
        let mut covers = self.covers.iter().filter(|c| c.done && c.state.ip == ip);
        if let Some(cover) = covers.find(|cover| contains(induction, symbolic, cover, machine)) {
            self.findings.wiped &= !frame_keeps_secret(symbolic, cover);
            self.note_frame(&symbolic.path);
            return true;
        }
        let state = Head::new(ip, copy(machine), symbolic.path.clone(), self.work.len(), symbolic.start_uses);
        self.covers.push(Cover { state, open: self.heads.len(), done: false });
        false
    }

    /// The instruction at an offset, in GNU notation.
    pub fn text(&self, offset: u64) -> String {
        use iced_x86::Formatter;
        let mut text = String::new();
        match self.at.get(offset as usize) {
            Some(&index) if index != NONE => {
                iced_x86::GasFormatter::new().format(&self.code[index as usize], &mut text);
            }
            _ => text.push_str("no instruction"),
        }
        text
    }

    /// Decodes what jumps lead to from the first byte on, and finds where loops begin. Constants and
    /// padding between instructions are not decoded.
    fn sweep(&mut self, bytes: &[u8]) {
        self.code.clear();
        self.at.clear();
        self.at.resize(bytes.len(), NONE);
        self.head.clear();
        self.head.resize(bytes.len(), false);
        self.jumped_to.clear();
        self.jumped_to.resize(bytes.len(), 0);
        self.decode(bytes);
        for instruction in &self.code {
            if !jumps(instruction) {
                continue;
            }
            let target = instruction.near_branch_target();
            if let Some(count) = self.jumped_to.get_mut(target as usize) {
                if target <= instruction.ip() {
                    self.head[target as usize] = true;
                } else {
                    *count = count.saturating_add(1);
                }
            }
        }
        self.reached.clear();
        self.reached.resize(self.code.len(), false);
        let unlisted =
            |i: &Instruction| form(i.code()).is_none_or(|f| f.data_timing() == DataTiming::Unlisted);
        self.unlisted.clear();
        self.unlisted.extend(self.code.iter().map(unlisted));
        let compared = self.code.iter().filter(|i| {
            i.mnemonic() == Mnemonic::Cmp
                && matches!(i.op1_kind(), OpKind::Immediate8to64 | OpKind::Immediate32to64)
        });
        self.induction.compared.clear();
        self.induction.compared.extend(compared.map(|i| i.immediate(1) as i64).filter(|&c| c > 0));
        self.induction.compared.sort_unstable();
        self.induction.compared.dedup();
    }

    /// The instructions that jumps lead to from the first byte on, in the order of their offsets.
    fn decode(&mut self, bytes: &[u8]) {
        let mut decoder = Decoder::with_ip(64, bytes, 0, DecoderOptions::NONE);
        let mut starts = vec![0];
        while let Some(start) = starts.pop() {
            if self.at.get(start as usize) != Some(&NONE) {
                continue;
            }
            decoder.set_position(start as usize).expect("an offset within the bytes");
            decoder.set_ip(start);
            while self.at.get(decoder.ip() as usize) == Some(&NONE) {
                let instruction = decoder.decode();
                self.at[instruction.ip() as usize] = 0;
                self.code.push(instruction);
                if jumps(&instruction) {
                    starts.push(instruction.near_branch_target());
                }
                let ends = [FlowControl::Return, FlowControl::UnconditionalBranch];
                if instruction.is_invalid() || ends.contains(&instruction.flow_control()) {
                    break;
                }
            }
        }
        self.code.sort_unstable_by_key(Instruction::ip);
        for (index, instruction) in self.code.iter().enumerate() {
            self.at[instruction.ip() as usize] = index as u32;
        }
    }

    /// The bytes of the instructions that were reached.
    pub fn executed(&self) -> Vec<Range<usize>> {
        let mut bytes = ByteSet::default();
        for (instruction, _) in self.code.iter().zip(&self.reached).filter(|(_, reached)| **reached) {
            bytes.insert(instruction.ip() as usize, instruction.len());
        }
        bytes.ranges()
    }

    /// Refuses what takes more than any right kernel of as much code: a proof ends soon, whatever the bytes.
    fn within_budget(&self, symbolic: &Symbolic) -> Result<(), Stop> {
        let (steps, code) = (self.findings.steps, self.code.len());
        let work = symbolic.terms.work() - self.work_before;
        if steps <= STEPS + STEPS_EACH * code && work <= WORK + WORK_EACH * code as u64 {
            return Ok(());
        }
        refuse(format!(
            "the proof was given up after {steps} steps, more than {code} instructions should take"
        ))
    }

    /// Follows one path until it returns, parts, or closes a loop.
    fn follow(
        &mut self,
        symbolic: &mut Symbolic,
        mut ip: u64,
        mut machine: State,
        mut resumed: bool,
    ) -> Result<(), Stop> {
        loop {
            symbolic.ip = ip;
            let Some(index) = self.at.get(ip as usize).copied().filter(|&i| i != NONE) else {
                return refuse("execution leaves the kernel's instructions");
            };
            if self.jumped_to[ip as usize] > 1 && !resumed && self.met(symbolic, ip, &mut machine) {
                return Ok(());
            }
            if self.head[ip as usize] && !resumed && !self.enter_head(symbolic, ip, &mut machine)? {
                return Ok(());
            }
            resumed = false;
            self.findings.steps += 1;
            self.within_budget(symbolic)?;
            let instruction = self.code[index as usize];
            if !self.reached[index as usize] {
                let bytes = symbolic.code.get(ip as usize..ip as usize + instruction.len());
                if let Err(why) = encoding::check(&instruction, bytes.unwrap_or_default()) {
                    return refuse(why);
                }
            }
            self.reached[index as usize] = true;
            symbolic.stack_pointer = machine.gpr[RSP];
            let (gpr, flags) = (machine.gpr, machine.flags);
            // Before it too: what it overwrites, it read.
            let unlisted = self.unlisted[index as usize] && self.findings.all_listed;
            let read_secret = unlisted && carries_secret(symbolic, &machine, &instruction);
            let flow = execute(&mut machine, symbolic, &instruction);
            if flow.is_ok() {
                if machine.gpr[RSP] != gpr[RSP] {
                    symbolic.stack_moved(machine.gpr[RSP])?;
                }
                if unlisted {
                    let secret = read_secret || carries_secret(symbolic, &machine, &instruction);
                    self.findings.all_listed = !secret;
                }
            }
            match flow {
                Ok(Flow::Next) => ip = instruction.next_ip(),
                Ok(Flow::Jump(target)) => ip = target,
                Ok(Flow::Branch { target, decision }) => {
                    ip = match decision {
                        Decision::Taken => target,
                        Decision::NotTaken => instruction.next_ip(),
                        Decision::Both => self.part(symbolic, &machine, &instruction, target),
                    }
                }
                Ok(Flow::Return) => {
                    // A question at the return is answered and asked again from here.
                    let Err(stop) = self.check_return(symbolic, &machine) else {
                        self.findings.paths += 1;
                        return Ok(());
                    };
                    machine.gpr = gpr;
                    return self.split(symbolic, machine, &instruction, stop);
                }
                Err(stop) => {
                    machine.gpr = gpr;
                    machine.flags = flags;
                    return self.split(symbolic, machine, &instruction, stop);
                }
            }
        }
    }

    /// Both ways of a branch of which nothing is known: the nearer goes on, the other waits.
    fn part(&mut self, symbolic: &mut Symbolic, machine: &State, branch: &Instruction, target: u64) -> u64 {
        let next = branch.next_ip();
        let (condition, flags) = symbolic.undecided.take().expect("set where a branch is not decided");
        let back = target <= branch.ip();
        let mut other = symbolic.path.clone();
        let here = std::mem::replace(&mut symbolic.path, other);
        symbolic.learn(condition, flags, !back);
        other = std::mem::replace(&mut symbolic.path, here);
        symbolic.learn(condition, flags, back);
        let (first, second) = if back { (target, next) } else { (next, target) };
        self.work.push(Pending { ip: second, machine: copy(machine), path: other, resumed: false });
        first
    }

    /// Both answers to the question at which an instruction stopped.
    fn split(
        &mut self,
        symbolic: &mut Symbolic,
        machine: State,
        instruction: &Instruction,
        stop: Stop,
    ) -> Result<(), Stop> {
        let mut sides: Vec<Path> = Vec::with_capacity(2);
        match stop {
            Stop::Refused(_) => return Err(stop),
            Stop::Split(split) => {
                for less in [true, false] {
                    let mut path = symbolic.path.clone();
                    if path.facts.assume(split, less) {
                        sides.push(path);
                    }
                }
            }
            Stop::Overflow(from, to) => {
                for overflows in [true, false] {
                    let mut path = symbolic.path.clone();
                    path.carry = Some(Carry { from, to, overflows });
                    sides.push(path);
                }
            }
        }
        // The way around a loop first: it shows what the loop changes, before the ways out of it
        // are followed in vain.
        if instruction.flow_control() == FlowControl::ConditionalBranch && sides.len() == 2 {
            let back = instruction.near_branch_target() <= instruction.ip();
            let wanted = if back { Decision::Taken } else { Decision::NotTaken };
            let condition = condition_of(instruction);
            std::mem::swap(&mut symbolic.path, &mut sides[0]);
            let leads =
                condition.is_some_and(|c| symbolic.decide(c, machine.flags).is_ok_and(|d| d == wanted));
            std::mem::swap(&mut symbolic.path, &mut sides[0]);
            // The side that is pushed last is followed first.
            if leads {
                sides.swap(0, 1);
            }
        }
        for path in sides {
            let machine = copy(&machine);
            self.work.push(Pending { ip: instruction.ip(), machine, path, resumed: true });
        }
        Ok(())
    }

    /// At a loop's head: whether to go on, perhaps from a weaker state.
    fn enter_head(&mut self, symbolic: &mut Symbolic, ip: u64, machine: &mut State) -> Result<bool, Stop> {
        let Some(place) = self.heads.iter().rposition(|h| h.ip == ip) else {
            machine.flags = symbolic.unknown_flags(&[machine.flags]);
            self.heads.push(Head::new(
                ip,
                copy(machine),
                symbolic.path.clone(),
                self.work.len(),
                symbolic.start_uses,
            ));
            return Ok(true);
        };
        // What is under way within this loop, or leans on it, is no proof by itself.
        self.covers.retain(|cover| cover.done || cover.open <= place);
        let several = symbolic.problem.streams() > 1;
        let progress = self.induction.has_progress(&self.heads[place], &symbolic.path);
        if !progress || (several && self.induction.is_turn(&self.heads[place], machine)) {
            if several {
                rebase(symbolic, machine);
                // They speak of lengths as they were counted before.
                machine.flags = symbolic.unknown_flags(&[machine.flags]);
            }
            self.heads[place].visits += 1;
            if self.heads[place].visits > MOST_VISITS {
                return refuse(format!(
                    "a loop that writes no output and goes round more than {MOST_VISITS} times"
                ));
            }
            let others_wait = self.waiting.iter().any(|(head, _)| *head >= place);
            if self.work.len() > self.heads[place].height || others_wait {
                // Other paths of this turn are still under way: wait for them.
                machine.flags = symbolic.unknown_flags(&[machine.flags]);
                self.waiting.push((place, (copy(machine), symbolic.path.clone())));
                return Ok(false);
            }
            // Loops within the last turn are done.
            self.heads.truncate(place + 1);
            return Ok(true);
        }
        let changed = self.induction.weaken(symbolic, &mut self.heads[place], machine)?
            | self.induction.weaken_leftovers(symbolic, &mut self.heads[place], machine);
        let height = self.heads[place].height;
        if !changed {
            // What waits was reached from the head: blocks may have been processed by then.
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
        *machine = copy(&head.machine);
        symbolic.path = head.path.clone();
        Ok(true)
    }

    /// What must hold at a return.
    fn check_return(&mut self, symbolic: &mut Symbolic, machine: &State) -> Result<(), Stop> {
        if machine.gpr[RSP] != Word::Linear(Linear::address(Base::Frame, 0, 8)) {
            return refuse("the stack pointer is not what it was at entry");
        }
        for (number, name) in [(3, "rbx"), (5, "rbp"), (12, "r12"), (13, "r13"), (14, "r14"), (15, "r15")] {
            if machine.gpr[number] != Word::Initial(number as u8) {
                return refuse(format!(
                    "{name} does not hold what it held at entry, as System V AMD64 demands"
                ));
            }
        }
        if symbolic.problem.is_message() {
            for stream in 0..symbolic.problem.streams() as u8 {
                symbolic.check_written(stream)?;
                symbolic.check_chain(stream)?;
            }
        } else {
            symbolic.check_setup()?;
        }
        self.note_leftovers(symbolic, machine);
        Ok(())
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

impl Symbolic {
    /// Whether all of a stream's output is written.
    fn check_written(&mut self, stream: u8) -> Result<(), Stop> {
        let (length, written) =
            (self.path.facts.lengths[stream as usize], self.path.written[stream as usize]);
        let whole = if self.problem.task == Task::Ctr {
            let tail_done = match length.tail.exact() {
                Some(tail) => {
                    length.blocks.exact() == Some(written.blocks)
                        && i64::from(written.bytes) == (1 << tail) - 1
                }
                None => false,
            };
            written.to_end || length.bytes.high <= 16 * written.blocks || tail_done
        } else {
            length.blocks.high <= written.blocks
        };
        if whole {
            return Ok(());
        }
        refuse(format!(
            "it returns with only {} blocks{} of the output written, where {}",
            written.blocks,
            if stream > 0 { format!(" of stream {stream}") } else { String::new() },
            self.remaining_text(stream)
        ))
    }

    /// Whether the IV memory holds what the next call continues from.
    fn check_chain(&mut self, stream: u8) -> Result<(), Stop> {
        let found = self.path.iv[stream as usize];
        let length = self.path.facts.lengths[stream as usize];
        let expected = match self.problem.task {
            Task::Ctr => {
                let index = match self.terms.as_atom(found) {
                    Some(Atom::Counter { index, order: Order::MEMORY }) => Some(self.settled_index(index)),
                    _ => None,
                };
                let end = self.settled_index(Index::End(0));
                if index == Some(end) {
                    return Ok(());
                }
                if let (Index::End(_), Some(Index::At(_))) = (end, index)
                    && let Some(split) = self.path.facts.halve(stream)
                {
                    return Err(Stop::Split(split));
                }
                self.counter(end, Order::MEMORY)
            }
            Task::CbcEncrypt { .. } | Task::CbcDecrypt => {
                let Some(blocks) = length.blocks.exact() else {
                    return match self.path.facts.halve(stream) {
                        Some(split) if length.blocks.width() > 1 => Err(Stop::Split(split)),
                        _ => refuse("it returns without having processed every block"),
                    };
                };
                match (blocks, self.problem.task) {
                    (0, _) => self.chain(stream),
                    (_, Task::CbcDecrypt) => {
                        self.terms.atom(Atom::Input { stream, block: blocks as i32 - 1 })
                    }
                    _ => self.output(stream, blocks as i32 - 1),
                }
            }
            _ => return Ok(()),
        };
        if self.same_lane(found, expected) {
            return Ok(());
        }
        let what = if self.problem.task == Task::Ctr { "counter" } else { "IV" };
        refuse(format!(
            "it leaves {} in the {what}, not {}",
            self.terms.describe(found, 1),
            self.terms.describe(expected, 1)
        ))
    }
}

/// Whether a register that an instruction names holds something secret.
fn carries_secret(symbolic: &Symbolic, machine: &State, instruction: &Instruction) -> bool {
    (0..instruction.op_count()).filter(|&k| instruction.op_kind(k) == OpKind::Register).any(|k| {
        let register = instruction.op_register(k);
        match (gpr_number(register), vector_number(register)) {
            (Some((number, _)), _) => symbolic.word_is_secret(machine.gpr[number]),
            (_, Some(number)) => machine.vector[number].iter().any(|&lane| symbolic.terms.is_secret(lane)),
            _ => true,
        }
    })
}

/// Whether an instruction jumps to a place that it says.
fn jumps(instruction: &Instruction) -> bool {
    let flow = instruction.flow_control();
    matches!(flow, FlowControl::ConditionalBranch | FlowControl::UnconditionalBranch)
}

/// The condition of a conditional branch.
fn condition_of(instruction: &Instruction) -> Option<Condition> {
    use aesmith_x86::table::Operation;
    match form(instruction.code())?.operation {
        Operation::Branch(condition) => Some(condition),
        _ => None,
    }
}

/// The registers at entry, by the contract.
fn entry(symbolic: &mut Symbolic) -> State {
    let mut gpr: [Word; 16] = std::array::from_fn(|i| Word::Initial(i as u8));
    let address = |base| Word::Linear(Linear::address(base, 0, 0));
    gpr[RSP] = address(Base::Frame);
    let remaining = Word::Linear(Linear::remaining(0));
    let arguments: &[Word] = &match symbolic.problem.task {
        Task::Ecb(_) => vec![address(Base::Key), address(Base::Input), address(Base::Output), remaining],
        Task::CbcEncrypt { streams } if streams > 1 => {
            vec![
                address(Base::Keys),
                address(Base::Ivs),
                address(Base::Inputs),
                address(Base::Outputs),
                address(Base::Lengths),
            ]
        }
        Task::CbcEncrypt { .. } | Task::CbcDecrypt | Task::Ctr => {
            vec![
                address(Base::Key),
                address(Base::Iv),
                address(Base::Input),
                address(Base::Output),
                remaining,
            ]
        }
        Task::KeySchedule(_) => vec![address(Base::Key), address(Base::CipherKey)],
        Task::CtrTable => vec![address(Base::Key)],
    };
    // rdi, rsi, rdx, rcx, r8
    for (&register, &argument) in [7, 6, 2, 1, 8].iter().zip(arguments) {
        gpr[register] = argument;
    }
    Machine {
        gpr,
        vector: [[Lane::PUBLIC; 4]; 32],
        mask: [Mask::Unknown; 8],
        flags: Flags::Unknown { secret: false },
    }
}
