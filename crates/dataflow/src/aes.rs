//! The technique with AES instructions: one operation per round.

use crate::{Dataflow, Op, Round, Value};
use aesmith_cipher::mode::{Added, Enters};
use aesmith_cipher::{Direction, Problem};

/// The options that change the computation of a block; all others change only the schedule.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// CTR: the number of rounds taken from the counter-mode cache, 0 to 2.
    pub cached: u8,
    /// CTR: true if the counter comes with round key 0 already added (precomputed counters).
    pub keyed: bool,
    /// CTR and CBC decryption: true if the final XOR is folded into the last round key.
    pub fold: bool,
}

/// The dataflow of one block of a mode whose blocks are independent: ECB, CTR, CBC decryption.
///
/// # Panics
/// If the blocks of `problem` depend on each other, or it is a key set-up.
pub fn block(problem: Problem, options: Options) -> Dataflow {
    let rounds = problem.key.rounds() as u8;
    let mut flow = Dataflow::default();
    let mode = problem.mode();
    let Some(rule) = mode.rule.filter(|_| !mode.is_serial()) else {
        panic!("the blocks of {problem} are not independent")
    };
    let chain = if mode.counts() { Op::Counter } else { Op::PreviousSource };
    let (first, mut state) = match rule.enters {
        Enters::Chain if options.cached > 0 => {
            (options.cached + 1, flow.push(Op::CachedState(options.cached)))
        }
        Enters::Chain if options.keyed => (1, flow.push(Op::KeyedCounter)),
        Enters::Chain => {
            let before = flow.push(chain);
            let key = flow.push(Op::RoundKey(0));
            (1, flow.push(Op::Xor(before, key)))
        }
        Enters::Text => {
            let key = flow.push(Op::RoundKey(0));
            let source = flow.push(Op::Source);
            (1, flow.push(Op::Xor(key, source)))
        }
        Enters::Both => panic!("no operation adds text and chain value before the cipher"),
    };
    let (middle, last) = match mode.direction {
        Direction::Decrypt => (Round::Decrypt, Round::DecryptLast),
        Direction::Encrypt => (Round::Encrypt, Round::EncryptLast),
    };
    for r in first..rounds {
        let key = flow.push(Op::RoundKey(r));
        state = flow.push(Op::Aes(middle, state, key));
    }
    let text = |flow: &mut Dataflow| -> Option<Value> {
        match rule.added {
            Added::Nothing => None,
            Added::Text => Some(flow.push(Op::Source)),
            Added::Chain => Some(flow.push(chain)),
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
    use aesmith_cipher::{KeySize, Task};

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
