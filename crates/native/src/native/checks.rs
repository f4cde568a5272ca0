//! Correctness checks of the measuring core, before and after kernels are timed: outputs, placements and guard pages.

use super::{Core, Failure, POOL, wrong};
use crate::enter::Stopped;
use crate::fault::FaultClass;
use crate::place::{Place, Spacing};
use crate::stage::{Prepared, Stream};
use aesmith_cipher::Problem;
use rand::Rng;
use rand::rngs::SmallRng;

impl Core {
    /// Makes one call and checks that it wrote the right results and left everything else alone.
    pub(crate) fn check(
        &mut self,
        problem: Problem,
        function: *const u8,
        streams: &[Stream],
        prepared: &Prepared,
    ) -> Result<(), Failure> {
        self.checked_call(function, prepared.arguments)?;
        self.stage.verify(problem, streams, prepared).map_err(wrong)
    }

    /// Like `check`, for a peer, which keeps its IV elsewhere.
    pub(crate) fn check_peer(
        &mut self,
        problem: Problem,
        function: *const u8,
        arguments: [u64; 5],
        streams: &[Stream],
        prepared: &Prepared,
    ) -> Result<(), Failure> {
        self.checked_call(function, arguments)?;
        self.stage.verify_but_iv(problem, streams, prepared, true).map_err(wrong)
    }

    fn checked_call(&mut self, function: *const u8, arguments: [u64; 5]) -> Result<(), Failure> {
        // SAFETY: candidates run in a process that they may destroy, peers are sound; the arguments are valid.
        let changed = unsafe { self.entrance.checked(function, arguments) }.map_err(|s| self.blame(s))?;
        if changed.is_empty() {
            return Ok(());
        }
        Err(Failure::Candidate(FaultClass::Abi, format!("not preserved: {}", changed.join(", "))))
    }

    /// Checks short messages at guard pages and in place.
    pub(super) fn check_short(
        &mut self,
        problem: Problem,
        function: *const u8,
        count: usize,
        random: &mut SmallRng,
    ) -> Result<(), Failure> {
        if !problem.is_message() {
            return Ok(());
        }
        for i in 0..count {
            let place = match i % 4 {
                0 => Place::End,
                1 => Place::Start,
                2 => Place::InPlaceEnd,
                _ => Place::InPlace(random.random_range(0..4096)),
            };
            let most = if i % 2 == 0 { 1024 } else { 80 };
            // In counter mode, every other message crosses a carry of random length.
            let ones =
                if problem.mode().has_counter() && i % 2 == 0 { random.random_range(0..16) } else { 0 };
            let streams: Vec<Stream> = (0..problem.streams())
                .map(|_| {
                    let len = random.random_range(0..=most);
                    let mut stream = self.stream(problem, len, random);
                    stream.iv[16 - ones..16].fill(0xff);
                    stream
                })
                .collect();
            let prepared = self.stage.prepare(problem, &streams, place, Spacing::Scattered)?;
            self.check(problem, function, &streams, &prepared).map_err(|failure| match failure {
                Failure::Candidate(class, detail) => {
                    let lens: Vec<usize> = streams.iter().map(|s| s.input.len()).collect();
                    Failure::Candidate(class, format!("message of {lens:?} bytes, {place:?}: {detail}"))
                }
                other => other,
            })?;
        }
        Ok(())
    }

    pub(crate) fn streams(&self, problem: Problem, size: usize, random: &mut SmallRng) -> Vec<Stream> {
        let size = if problem.is_message() { size } else { 0 };
        (0..problem.streams()).map(|_| self.stream(problem, size, random)).collect()
    }

    pub(super) fn stream(&self, problem: Problem, len: usize, random: &mut SmallRng) -> Stream {
        let key: [u8; 32] = random.random();
        let mut input = Vec::with_capacity(len);
        let start = random.random_range(0..POOL / 2);
        while input.len() < len {
            let at = (start + input.len()) % POOL;
            input.extend_from_slice(&self.pool[at..POOL.min(at + len - input.len())]);
        }
        Stream::new(problem, key[..problem.key.bytes()].to_vec(), random.random(), input)
    }

    pub(crate) fn blame(&self, stopped: Stopped) -> Failure {
        let beyond = stopped.page_fault.then(|| self.stage.beyond(stopped.address)).flatten();
        let (class, what) = match (stopped.signal, beyond) {
            (libc::SIGPROF, _) => (FaultClass::TimeOut, "did not return in the CPU time allowed".into()),
            (_, Some(place)) if stopped.write => (FaultClass::OverWrite, format!("wrote {place}")),
            (_, Some(place)) => (FaultClass::OverRead, format!("read {place}")),
            (libc::SIGSEGV, None) if stopped.page_fault => {
                (FaultClass::Trap, format!("touched {:#x}, which belongs to no buffer", stopped.address))
            }
            (libc::SIGSEGV, None) => (
                FaultClass::Trap,
                "general protection: a misaligned operand or an address that cannot be".into(),
            ),
            (libc::SIGILL, None) => (FaultClass::Trap, "an instruction that this CPU does not have".into()),
            (signal, None) => (FaultClass::Trap, format!("signal {signal}")),
        };
        Failure::Candidate(class, format!("{what} (instruction at {:#x})", stopped.instruction))
    }
}
