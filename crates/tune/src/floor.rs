//! What the machine allows for one variant: the AES rounds that its dataflow really does, on the
//! registers that it really uses, through pipes and chains as measured. A time below that is noise.

use aesmith_arrange::{Dim, Technique, Variant};
use aesmith_cipher::Task;
use aesmith_processor::x86::table::{TimingClass, Vectors};
use aesmith_processor::x86::timing::{Kind, MachineModel};

/// A clock is accepted when its two chains agree within 1 % (see `aesmith_judge::clock`), so a true
/// time may read this much below a bound that was measured under another calibration.
pub const CLOCK: f64 = 0.99;

/// A lower bound on a call of `variant` with messages of `size` bytes a stream, in cycles; `None`
/// for key set-ups (calls overlap), for other techniques than AES instructions, and where the model
/// lacks the instruction.
pub fn floor_cycles(model: &MachineModel, variant: &Variant, size: usize) -> Option<f64> {
    let problem = variant.problem;
    // Without AES instructions there is no such floor: how few operations do is not known.
    if !problem.is_message() || variant.technique != Technique::Aes {
        return None;
    }
    let vectors = [Vectors::Xmm, Vectors::Ymm, Vectors::Zmm][usize::from(variant.get(Dim::Width))];
    let aes = model.timing(Kind { class: TimingClass::Aes, vectors })?;
    let rounds = problem.key.rounds() as f64;
    let blocks = (size / 16) as f64;
    if let Task::CbcEncrypt { streams } = problem.task {
        // Streams of several lanes use as many lanes as there are streams, at most.
        let lanes = vectors.lanes().min(usize::from(streams)) as f64;
        let pipes = rounds * blocks * f64::from(streams) / lanes * aes.reciprocal_throughput;
        return Some(pipes.max(rounds * blocks * aes.latency?));
    }
    let cached = if problem.task == Task::Ctr { f64::from(variant.get(Dim::Cached)) } else { 0.0 };
    Some((rounds - cached) * blocks / vectors.lanes() as f64 * aes.reciprocal_throughput)
}

/// What a judge may believe at least: the lower bound, less the clock's own uncertainty.
pub fn least_believable(model: &MachineModel, variant: &Variant, size: usize) -> Option<f64> {
    floor_cycles(model, variant, size).map(|c| c * CLOCK)
}

/// The lower bound for a byte of the message.
pub fn floor_per_byte(model: &MachineModel, variant: &Variant, size: usize) -> Option<f64> {
    let bytes = aesmith_judge::native::bytes_per_call(variant.problem, size).max(1);
    floor_cycles(model, variant, size).map(|c| c / bytes as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use aesmith_processor::x86::timing::Timing;

    #[test]
    fn floors_by_hand() {
        let aes = |vectors, reciprocal_throughput| Timing {
            kind: Kind { class: TimingClass::Aes, vectors },
            latency: Some(3.0),
            reciprocal_throughput,
        };
        let timings = vec![aes(Vectors::Xmm, 0.5), aes(Vectors::Ymm, 0.5), aes(Vectors::Zmm, 1.0)];
        let model = MachineModel { timings, ..MachineModel::default() };
        let floor = |text: &str, size| floor_per_byte(&model, &text.parse().unwrap(), size);
        assert_eq!(floor("aes128-ctr width=zmm", 4096), Some(10.0 / 64.0));
        assert_eq!(floor("aes128-ctr width=zmm cached=2", 4096), Some(8.0 / 64.0));
        assert_eq!(floor("aes128-ctr", 4096), Some(5.0 / 16.0));
        assert_eq!(floor("aes128-cbc", 4096), Some(30.0 / 16.0));
        assert_eq!(floor("aes128-cbc-x16 width=zmm", 4096), Some(10.0 / 64.0));
        assert_eq!(floor("aes128-cbc-x2 width=zmm", 4096), Some(30.0 / 32.0));
        assert_eq!(floor("aes128-key", 0), None);
    }
}
