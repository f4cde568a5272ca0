//! Runs kernels and measures their time.
//!
//! [`native`] is the measuring core; [`worker`] wraps it in a guarded process, which [`NativeJudge`] communicates with;
//! [`model`] measures the machine itself, and [`bounds`] derives lower bounds on the time of a problem from that;
//! [`mod@bench`] compares kernels with other libraries ([`peers`]).
//!
//! ```
//! use aesmith_native::timing::quantile;
//!
//! // Noisy samples are summarised by medians and quartiles, never by the minimum.
//! assert_eq!(quantile(&mut [3.0, 1.0, 2.0, 90.0, 2.5], 0.5), 2.5);
//! ```

pub mod assemble;
pub mod bench;
pub mod bounds;
pub mod buffer;
mod calls;
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
pub use calls::Calls;
pub use clock::Clock;
pub use fault::{Fault, FaultClass, JudgeError};
pub use judge::{Config, Duel, NativeJudge};
pub use native::{Candidate, Core, Screening, Turns};
pub use timing::{Comparison, Quantity, Samples, Screen, Timing, Verdict};

/// Signal handlers are global to the process, so tests that enter generated code run one at a time.
#[cfg(all(test, target_arch = "x86_64"))]
pub(crate) fn one_entrance() -> std::sync::MutexGuard<'static, ()> {
    static TURN: std::sync::Mutex<()> = std::sync::Mutex::new(());
    TURN.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}
