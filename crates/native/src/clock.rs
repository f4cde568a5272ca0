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
use crate::timing::fastest;

/// The least iterations of a chain's short run, and of the difference between the long and the short run, which grows until
/// it takes [`STEPS`] steps of the counter. Half a microsecond to five, to fall between two disturbances by whatever shares
/// the core.
const TURNS: (u64, u64) = (2, 8);
/// Steps of the counter in the difference between the long and the short run: an error of one is 0.4 %.
const STEPS: u64 = 256;
/// Cycles an iteration takes: 132 additions of 1 cycle, or 44 multiplications of 3.
const CYCLES_PER_TURN: u64 = 132;
/// Runs of each chain in a calibration; the fastest count.
const RUNS: usize = 12;
/// Readings of the counter around each of two functions, to find its step.
const READINGS: u64 = 200;
/// Iterations of the chain that first shows how many ticks one takes.
const PILOT: u64 = 50;
/// Ticks by which a fine counter steps at most: such a step is a thousandth of a sample.
pub(crate) const FINE: u64 = 4;
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
    overhead: f64,
    step: u64,
    /// Iterations of the chains' long and short runs.
    turns: [u64; 2],
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
            overhead: 0.0,
            step: 1,
            turns: [TURNS.0 + TURNS.1, TURNS.0],
            sure: false,
        };
        let mut runs = |of, number, turns: fn(u64) -> u64| -> Result<Vec<u64>, JudgeError> {
            // SAFETY: the function is a single `ret`, or a chain as in `ratios`.
            let run = |n| unsafe { entrance.timed(of, [turns(n), 3, 0, 0, 0], 1) }.map_err(stopped);
            (0..number).map(run).collect()
        };
        let empty = runs(clock.empty, READINGS, |_| 0)?;
        let chains = runs(clock.add, READINGS, |n| 1 + n % PILOT)?;
        let pilot = runs(clock.add, RUNS as u64, |_| PILOT)?;
        clock.step = empty.iter().chain(&chains).copied().fold(0, greatest_common_divisor).max(1);
        clock.overhead = fastest(empty.into_iter(), clock.step);
        let difference = (STEPS * clock.step * PILOT) as f64 / fastest(pilot.into_iter(), clock.step);
        clock.turns[0] = TURNS.0 + TURNS.1.max(difference.ceil() as u64);
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
    pub fn overhead(&self) -> f64 {
        self.overhead
    }

    /// Ticks by which the time-stamp counter steps: 1 or 2 on Intel's processors, tens on AMD's. Samples are multiples
    /// of it.
    pub fn step(&self) -> u64 {
        self.step
    }

    /// Core cycles of a sample of `ticks`.
    pub fn cycles(&self, ticks: f64) -> f64 {
        ticks * self.ratio
    }

    /// Measures the ratio anew by both chains (15 us, or 100 where the counter steps by tens of ticks).
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

    /// The current ratio by each chain.
    pub(crate) fn look(&self, entrance: &mut Entrance) -> Result<Chains, JudgeError> {
        let [additions, multiplications] = self.ratios(entrance, [self.add, self.multiply], RUNS)?;
        Ok(Chains { additions, multiplications })
    }

    /// Does scalar work for `cycles` core cycles, as a program does between rare messages.
    pub(crate) fn work(&self, entrance: &mut Entrance, cycles: u64) -> Result<(), JudgeError> {
        // SAFETY: as in `ratios`.
        unsafe { entrance.timed(self.add, [cycles / CYCLES_PER_TURN + 1, 3, 0, 0, 0], 1) }
            .map(|_| ())
            .map_err(stopped)
    }

    /// The current ratio by one chain (3 us, or 15), for interleaving with measurements: a clock that moved shows as a
    /// difference from [`Clock::ratio`].
    pub(crate) fn glance(&self, entrance: &mut Entrance) -> Result<f64, JudgeError> {
        self.ratios(entrance, [self.add], 3).map(|[ratio]| ratio)
    }

    /// Core cycles a tick by each chain; runs of the chains alternate, so that all measure the same clock.
    fn ratios<const N: usize>(
        &self,
        entrance: &mut Entrance,
        chains: [*const u8; N],
        runs: usize,
    ) -> Result<[f64; N], JudgeError> {
        let mut ticks = [(); N].map(|()| [Vec::with_capacity(runs), Vec::with_capacity(runs)]);
        for _ in 0..runs {
            for (chain, of_chain) in chains.iter().zip(&mut ticks) {
                for (turns, ticks) in self.turns.iter().zip(of_chain) {
                    // SAFETY: the chain is a leaf function that touches rax, edi and flags only.
                    ticks.push(unsafe { entrance.timed(*chain, [*turns, 3, 0, 0, 0], 1) }.map_err(stopped)?);
                }
            }
        }
        let cycles = ((self.turns[0] - self.turns[1]) * CYCLES_PER_TURN) as f64;
        Ok(ticks.map(|of_chain| {
            let [long, short] = of_chain.map(|ticks| fastest(ticks.into_iter(), self.step));
            cycles / (long - short).max(1.0)
        }))
    }
}

/// The greatest number that divides both; the other one, if one is 0.
fn greatest_common_divisor(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { greatest_common_divisor(b, a % b) }
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
        // The chains take at least 256 steps of the counter.
        assert!((clock.turns[0] - clock.turns[1]) as f64 * 132.0 / first > 250.0 * clock.step() as f64);
        clock.calibrate(&mut entrance).unwrap();
        assert!(clock.glance(&mut entrance).unwrap() > 0.0);
    }
}
