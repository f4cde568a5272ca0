//! Runs kernels and says how long they took.
//!
//! [`native`] is the measuring core; [`worker`] wraps it into a guarded process of its own, which
//! [`NativeJudge`] talks to; [`model`] measures the machine itself and [`bounds`] derives from that how
//! fast a problem can be at all; [`mod@bench`] holds kernels against other people's ([`peers`]).
//!
//! ```
//! use aesmith_native::timing::quantile;
//!
//! // What is said of noisy samples are medians and quartiles, never the luckiest.
//! assert_eq!(quantile(&mut [3.0, 1.0, 2.0, 90.0, 2.5], 0.5), 2.5);
//! ```

pub mod assemble;
pub mod bench;
pub mod bounds;
pub mod buffer;
pub mod clock;
pub mod code;
mod enter;
pub mod fault;
mod judge;
mod measuring;
pub mod model;
pub mod native;
pub mod peers;
pub mod place;
mod probe;
pub mod quiet;
pub mod reference;
mod rounds;
pub mod stage;
pub mod timing;
pub mod worker;

pub use bench::{Bench, BenchRow, Contender};
pub use clock::Clock;
pub use fault::{Fault, FaultClass, JudgeError};
pub use judge::{Config, Duel, NativeJudge};
pub use native::{Candidate, Core, Screening, Turns};
pub use timing::{Comparison, Quantity, Samples, Screen, Timing, Verdict};

/// Signals belong to the process: tests that enter code take turns.
#[cfg(all(test, target_arch = "x86_64"))]
pub(crate) fn one_entrance() -> std::sync::MutexGuard<'static, ()> {
    static TURN: std::sync::Mutex<()> = std::sync::Mutex::new(());
    TURN.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}
