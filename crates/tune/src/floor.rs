//! Lower bound of the machine for one variant with AES instructions: from the rounds of its dataflow and the
//! registers it uses, with throughput and latency as measured.

use aesmith_arrange::{Role, Variant};
use aesmith_native::bounds::{Allowed, bound};
use aesmith_processor::measured::MachineModel;

/// A clock is accepted when its two chains agree within 1 % (see `aesmith_native::clock`), so a true time may
/// read lower than a bound from another calibration by this factor.
pub const CLOCK: f64 = 0.99;

/// The resources that a variant uses.
pub(crate) fn allowed_of(variant: &Variant) -> Allowed {
    Allowed { lanes: variant.lanes(), cached_rounds: usize::from(variant.get(Role::CachedRounds)) }
}

/// A lower bound on a call of `variant` with messages of `size` bytes for each stream, in cycles; `None` for
/// techniques other than AES instructions, or if the model lacks the instruction.
pub(crate) fn floor_cycles(model: &MachineModel, variant: &Variant, size: usize) -> Option<f64> {
    // Without AES instructions there is no such floor: the least number of operations is not known.
    if !variant.technique.is_instruction() {
        return None;
    }
    bound(model, variant.problem, size, allowed_of(variant)).map(|b| b.cycles)
}

/// The lower bound less the clock's uncertainty, in cycles; a judge measures again below it.
pub(crate) fn least_believable(model: &MachineModel, variant: &Variant, size: usize) -> Option<f64> {
    floor_cycles(model, variant, size).map(|c| c * CLOCK)
}

/// The lower bound in cycles per byte of the message; per call for a key set-up.
pub fn floor_per_byte(model: &MachineModel, variant: &Variant, size: usize) -> Option<f64> {
    let bytes = aesmith_native::native::bytes_per_call(variant.problem, size).max(1);
    floor_cycles(model, variant, size).map(|c| c / bytes as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use aesmith_processor::measured::{Kind, Timing};
    use aesmith_processor::measured::{TimingClass, Vectors};
    use aesmith_x86::dimensions;

    #[test]
    fn floors_by_hand() {
        let aes = |vectors, reciprocal_throughput| {
            Timing::new(Kind { class: TimingClass::Aes, vectors }, Some(3.0), reciprocal_throughput)
        };
        let timings =
            vec![aes(Vectors::Bits128, 0.5), aes(Vectors::Bits256, 0.5), aes(Vectors::Bits512, 1.0)];
        let model = MachineModel { timings, ..MachineModel::default() };
        let floor = |text: &str, size| floor_per_byte(&model, &dimensions::variant(text).unwrap(), size);
        assert_eq!(floor("aes128-ctr width=zmm", 4096), Some(10.0 / 64.0));
        // The table of two rounds pays off from 8 KiB on; a kernel may do without it in shorter messages.
        assert_eq!(floor("aes128-ctr width=zmm cached=2", 4096), Some(9.0 / 64.0));
        assert_eq!(floor("aes128-ctr width=zmm cached=2", 1 << 20), Some((8.0 + 512.0 / 65536.0) / 64.0));
        assert_eq!(floor("aes128-ctr", 4096), Some(5.0 / 16.0));
        assert_eq!(floor("aes128-cbc", 8192), Some(30.0 / 16.0));
        assert_eq!(floor("aes128-cbc-x16 width=zmm", 4096), Some(10.0 / 64.0));
        assert_eq!(floor("aes128-cbc-x2 width=zmm", 4096), Some(30.0 / 32.0));
        assert_eq!(floor("aes128-ctr technique=gfni", 4096), None);
    }
}
