//! A probe for disturbance. A virtual CPU's core may be shared with another tenant, whose work takes execution ports
//! and reorder-buffer entries without slowing the clock, so that a dependent chain does not notice; a loop bound by the
//! AES pipes' throughput does.

use aesmith_x86::features;
use iced_x86::{Code, IcedError, Register};

use crate::assemble::Assembly;
use crate::clock::Clock;
use crate::code::CodeMemory;
use crate::enter::Entrance;
use crate::fault::JudgeError;

/// Maximum ratio of a probe to the best one so far.
pub(crate) const TOLERANCE: f64 = 1.03;
/// Iterations of the loop: 12 independent chains, 4 rounds each an iteration; about 1000 cycles. More where the counter's
/// steps are not small beside that.
const TURNS: u64 = 42;
/// Steps of the counter that the loop takes at least, as far as an iteration takes 24 cycles: two of them, one in the best
/// probe and one in this one, are less than half of [`TOLERANCE`].
const STEPS: u64 = 150;

/// The probe, and its best time so far.
pub(crate) struct Probe {
    _code: CodeMemory,
    function: *const u8,
    best: f64,
}

impl Probe {
    /// Assembles the probe with the widest AES instruction of this CPU, or with additions if it has none.
    pub fn new() -> Result<Self, JudgeError> {
        let assembled =
            assemble().map_err(|e| JudgeError::Clock(format!("the probe cannot be encoded: {e}")))?;
        let mut code = CodeMemory::new(4096)?;
        let function = code.load(&assembled, 0)?;
        Ok(Probe { _code: code, function, best: f64::INFINITY })
    }

    /// True if nothing else uses the core at this moment, compared with the best probe so far. Takes half a
    /// microsecond.
    pub(crate) fn is_clear(&mut self, entrance: &mut Entrance, clock: &Clock) -> Result<bool, JudgeError> {
        let cycles = clock.cycles(self.ticks(entrance, clock)?);
        self.best = self.best.min(cycles);
        Ok(cycles <= self.best * TOLERANCE)
    }

    /// Ticks of the time-stamp counter that the loop currently takes.
    pub fn ticks(&self, entrance: &mut Entrance, clock: &Clock) -> Result<f64, JudgeError> {
        let turns = TURNS.max((STEPS * clock.step()) * clock.ratio().ceil() as u64 / 24);
        // SAFETY: a leaf function that touches vector registers, edi and flags only.
        let ticks = unsafe { entrance.timed(self.function, [turns, 0, 0, 0, 0], 1) }
            .map_err(|s| JudgeError::Clock(format!("the probe was stopped by signal {}", s.signal)))?;
        Ok((ticks as f64 - clock.overhead()).max(0.0))
    }
}

fn assemble() -> Result<Vec<u8>, IcedError> {
    let here = features::of_this_cpu();
    let vaes = here.has(features::VAES.and(features::AVX2));
    let aes = here.has(features::AES);
    let mut a = Assembly::default();
    // Zeroed, because a register last written by floating-point arithmetic would slow the probe down.
    for i in 0..16 {
        let x = Register::XMM0 + i;
        if vaes {
            a.rrr(Code::VEX_Vpxor_xmm_xmm_xmmm128, x, x, x)?;
        } else {
            a.rr(Code::Pxor_xmm_xmmm128, x, x)?;
        }
    }
    let top = a.here();
    for _ in 0..4 {
        for i in 0..12 {
            let (x, y) = (Register::XMM0 + i, Register::YMM0 + i);
            if vaes {
                a.rrr(Code::VEX_Vaesenc_ymm_ymm_ymmm256, y, y, Register::YMM15)?;
            } else if aes {
                a.rr(Code::Aesenc_xmm_xmmm128, x, Register::XMM15)?;
            } else {
                a.rr(Code::Paddq_xmm_xmmm128, x, Register::XMM15)?;
            }
        }
    }
    a.r(Code::Dec_rm32, Register::EDI)?;
    a.branch(Code::Jne_rel32_64, top)?;
    a.plain(Code::Retnq)?;
    Ok(a.finish())
}
