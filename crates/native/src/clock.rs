//! Core cycles without performance counters: ticks of the time-stamp counter, times the ratio of the core's rate to the
//! counter's rate, which is measured by chains of dependent instructions with a known length in cycles.
//!
//! Two chains that use different units (register additions, one cycle each; multiplications, three) must agree within 1
//! %. If an instruction's latency is not the expected one, or the core is disturbed, they disagree, and the ratio is
//! rejected (`Chains::agreed`). An addition of an *immediate* would not do: some cores remove it at rename. The
//! multiplications are 32-bit: 64-bit ones take four to six cycles on some cores (Goldmont, Gracemont, Jaguar; Agner
//! Fog, "Instruction tables"). Each chain is run long and short and the difference taken, so that entry, loop exit and
//! the reading of the counter cancel.

use iced_x86::{Code, IcedError, Register};

use crate::assemble::Assembly;
use crate::code::CodeMemory;
use crate::enter::Entrance;
use crate::fault::JudgeError;
use crate::quiet::Chains;

/// Iterations of a chain's loop: long, short. Short enough (half a microsecond) to fall between two disturbances by
/// whatever shares the core; an error of 2 ticks of the counter is 0.3 %.
const TURNS: (u64, u64) = (10, 2);
/// Cycles an iteration takes: 132 additions of 1 cycle, or 44 multiplications of 3.
const CYCLES_PER_TURN: u64 = 132;
/// Runs of each chain in a calibration; the fastest counts.
const RUNS: usize = 12;
/// Attempts of a calibration without pause, and (only in the first calibration) with a pause: ten seconds in all.
const ATTEMPTS: (usize, usize) = (20, 500);

/// The core's clock, calibrated against the time-stamp counter.
pub struct Clock {
    /// Keeps the chains mapped.
    _code: CodeMemory,
    add: *const u8,
    multiply: *const u8,
    empty: *const u8,
    ratio: f64,
    overhead: u64,
    sure: bool,
}

impl Clock {
    /// Assembles the chains and calibrates for the first time.
    pub(crate) fn start(entrance: &mut Entrance) -> Result<Self, JudgeError> {
        let mut code = CodeMemory::new(4096)?;
        let encoding = |e: IcedError| JudgeError::Clock(format!("a chain cannot be encoded: {e}"));
        let add = chain(Code::Add_r64_rm64, [Register::RAX, Register::RSI], 132).map_err(encoding)?;
        let multiply = chain(Code::Imul_r32_rm32, [Register::EAX, Register::ESI], 44).map_err(encoding)?;
        let mut clock = Clock {
            add: code.load(&add, 0)?,
            multiply: code.load(&multiply, 1024)?,
            empty: code.load(&[0xc3], 2048)?,
            _code: code,
            ratio: 0.0,
            overhead: 0,
            sure: false,
        };
        let run = |entrance: &mut Entrance| {
            // SAFETY: the function is a single `ret`.
            unsafe { entrance.timed(clock.empty, [0; 5], 1) }.map_err(stopped)
        };
        let mut overhead = u64::MAX;
        for _ in 0..200 {
            overhead = overhead.min(run(entrance)?);
        }
        clock.overhead = overhead;
        clock.calibrate(entrance)?;
        Ok(clock)
    }

    /// Core cycles a tick of the time-stamp counter, as last calibrated.
    pub fn ratio(&self) -> f64 {
        self.ratio
    }

    /// True if the last calibration was accepted; if not, [`Clock::ratio`] is from an earlier one.
    pub(crate) fn is_sure(&self) -> bool {
        self.sure
    }

    /// Ticks that reading the counter takes around a call of an empty function; subtracted from each sample.
    pub fn overhead(&self) -> u64 {
        self.overhead
    }

    /// Core cycles of a sample of `ticks`.
    pub fn cycles(&self, ticks: u64) -> f64 {
        ticks as f64 * self.ratio
    }

    /// Measures the ratio anew by both chains (about 15 us).
    ///
    /// # Errors
    /// The chains still differ by more than 1 % after several attempts.
    pub(crate) fn calibrate(&mut self, entrance: &mut Entrance) -> Result<f64, JudgeError> {
        let mut chains = Chains { additions: 0.0, multiplications: 0.0 };
        self.sure = false;
        // Once there is a ratio, do not wait: measurements in the meantime are marked instead.
        let patient = if self.ratio == 0.0 { ATTEMPTS.1 } else { 0 };
        for attempt in 0..ATTEMPTS.0 + patient {
            chains = self.look(entrance)?;
            if let Some(ratio) = chains.agreed() {
                self.ratio = ratio;
                self.sure = true;
                return Ok(ratio);
            }
            if attempt >= ATTEMPTS.0 {
                // The clock is moving, or something shares the core: let it settle.
                std::thread::sleep(std::time::Duration::from_millis(20));
            }
        }
        Err(JudgeError::Clock(format!(
            "a chain of additions says {:.4} core cycles a tick, one of multiplications {:.4}; \
             close what else runs on this CPU, or choose another one",
            chains.additions, chains.multiplications
        )))
    }

    /// The current ratio by each chain (about 15 us).
    pub(crate) fn look(&self, entrance: &mut Entrance) -> Result<Chains, JudgeError> {
        let [additions, multiplications] = ratios(entrance, [self.add, self.multiply], RUNS)?;
        Ok(Chains { additions, multiplications })
    }

    /// Does scalar work for `cycles` core cycles, as a program does between rare messages.
    pub(crate) fn work(&self, entrance: &mut Entrance, cycles: u64) -> Result<(), JudgeError> {
        // SAFETY: as in `ratios`.
        unsafe { entrance.timed(self.add, [cycles / CYCLES_PER_TURN + 1, 3, 0, 0, 0], 1) }
            .map(|_| ())
            .map_err(stopped)
    }

    /// The current ratio by one chain (about 3 us), for interleaving with measurements: a clock that moved shows as a
    /// difference from [`Clock::ratio`].
    pub(crate) fn glance(&self, entrance: &mut Entrance) -> Result<f64, JudgeError> {
        ratios(entrance, [self.add], 3).map(|[ratio]| ratio)
    }
}

/// A loop of `edi` iterations over `length` dependent instructions of `code` on two registers.
fn chain(code: Code, [a, s]: [Register; 2], length: usize) -> Result<Vec<u8>, IcedError> {
    let mut made = Assembly::default();
    let top = made.here();
    for _ in 0..length {
        made.rr(code, a, s)?;
    }
    made.r(Code::Dec_rm32, Register::EDI)?;
    made.branch(Code::Jne_rel32_64, top)?;
    made.plain(Code::Retnq)?;
    Ok(made.finish())
}

/// Core cycles a tick by each chain; runs of the chains alternate, so that all measure the same clock.
fn ratios<const N: usize>(
    entrance: &mut Entrance,
    chains: [*const u8; N],
    runs: usize,
) -> Result<[f64; N], JudgeError> {
    let mut best = [(u64::MAX, u64::MAX); N];
    for _ in 0..runs {
        for (chain, best) in chains.iter().zip(&mut best) {
            // SAFETY: the chain is a leaf function that touches rax, edi and flags only.
            let (long, short) = unsafe {
                (
                    entrance.timed(*chain, [TURNS.0, 3, 0, 0, 0], 1).map_err(stopped)?,
                    entrance.timed(*chain, [TURNS.1, 3, 0, 0, 0], 1).map_err(stopped)?,
                )
            };
            *best = (best.0.min(long), best.1.min(short));
        }
    }
    let cycles = (TURNS.0 - TURNS.1) * CYCLES_PER_TURN;
    Ok(best.map(|(long, short)| cycles as f64 / long.saturating_sub(short).max(1) as f64))
}

fn stopped(stop: crate::enter::Stopped) -> JudgeError {
    JudgeError::Clock(format!("a calibration chain was stopped by signal {}", stop.signal))
}

#[cfg(all(test, target_arch = "x86_64"))]
mod tests {
    use super::*;

    #[test]
    fn two_chains_agree_and_the_clock_holds_still() {
        let _one_at_a_time = crate::one_entrance();
        let mut entrance = Entrance::new().unwrap();
        let mut clock = Clock::start(&mut entrance).unwrap();
        let first = clock.ratio();
        // Cores and counters differ, but not by a factor of ten.
        assert!((0.1..10.0).contains(&first), "{first} cycles a tick");
        clock.calibrate(&mut entrance).unwrap();
        assert!(clock.glance(&mut entrance).unwrap() > 0.0);
    }
}
