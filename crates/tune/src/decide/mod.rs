//! The decision among evaluated kernels. A noisy judge needs a race: rounds in which all contenders are measured, then a
//! confirmation in new processes ([`race`], [`contest`]). Where a judge is exact, one round decides ([`exact`]); static bounds need
//! none ([`grids`]), unless a card measures the best by them ([`card`]).

pub mod by_size;
pub mod card;
pub mod choose;
pub mod contest;
pub mod crossover;
pub mod exact;
pub mod grids;
mod held;
pub mod quick;
pub mod race;
pub mod set_up;
