//! The technique of AES instructions: one operation a round.

use crate::{Dataflow, Op, Round, Value};
use aesmith_cipher::{Direction, Problem, Task};

/// The choices that change what a block computes (the rest only changes when).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// CTR: rounds taken from the counter-mode cache, 0 to 2.
    pub cached: u8,
    /// CTR: round key 0 comes with the counter (precomputed counters).
    pub keyed: bool,
    /// CTR and CBC decryption: the final XOR is folded into the last round key.
    pub fold: bool,
}

/// The dataflow of one block of a mode whose blocks are independent: ECB, CTR, CBC decryption.
///
/// # Panics
/// If the blocks of `problem` depend on each other, or it is a key set-up.
pub fn block(problem: Problem, options: Options) -> Dataflow {
    let rounds = problem.key.rounds() as u8;
    let mut flow = Dataflow::default();
    let (first, mut state) = match problem.task {
        Task::Ctr if options.cached > 0 => (options.cached + 1, flow.push(Op::CachedState(options.cached))),
        Task::Ctr if options.keyed => (1, flow.push(Op::KeyedCounter)),
        Task::Ctr => {
            let counter = flow.push(Op::Counter);
            let key = flow.push(Op::RoundKey(0));
            (1, flow.push(Op::Xor(counter, key)))
        }
        Task::Ecb(_) | Task::CbcDecrypt => {
            let key = flow.push(Op::RoundKey(0));
            let source = flow.push(Op::Source);
            (1, flow.push(Op::Xor(key, source)))
        }
        _ => panic!("the blocks of {problem} are not independent"),
    };
    let (middle, last) = match problem.task {
        Task::Ecb(Direction::Decrypt) | Task::CbcDecrypt => (Round::Decrypt, Round::DecryptLast),
        _ => (Round::Encrypt, Round::EncryptLast),
    };
    for r in first..rounds {
        let key = flow.push(Op::RoundKey(r));
        state = flow.push(Op::Aes(middle, state, key));
    }
    let text = |flow: &mut Dataflow| -> Option<Value> {
        match problem.task {
            Task::Ctr => Some(flow.push(Op::Source)),
            Task::CbcDecrypt => Some(flow.push(Op::PreviousSource)),
            _ => None,
        }
    };
    let mut key = flow.push(Op::RoundKey(rounds));
    if options.fold
        && let Some(text) = text(&mut flow)
    {
        key = flow.push(Op::Xor(key, text));
        state = flow.push(Op::Aes(last, state, key));
    } else {
        state = flow.push(Op::Aes(last, state, key));
        if let Some(text) = text(&mut flow) {
            state = flow.push(Op::Xor(state, text));
        }
    }
    flow.push(Op::Store(state));
    flow
}

#[cfg(test)]
mod tests {
    use super::*;
    use aesmith_cipher::KeySize;

    #[test]
    fn rounds_are_counted() {
        for key in KeySize::ALL {
            let ctr = Problem::new(key, Task::Ctr);
            for cached in 0..3 {
                for fold in [false, true] {
                    let flow = block(ctr, Options { cached, keyed: false, fold });
                    assert_eq!(flow.aes_rounds(), key.rounds() - cached as usize);
                    for (i, op) in flow.ops.iter().enumerate() {
                        assert!(op.arguments().all(|v| (v.0 as usize) < i), "{op:?} precedes its argument");
                    }
                }
            }
        }
    }
}
