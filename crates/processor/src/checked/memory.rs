//! The memory of verdicts: several parts of a run ask for the verdict on the kernel that is delivered, and finding a proof may
//! take seconds.

use super::Verdict;
use aesmith_prove::certificate::sha256;
use std::collections::HashMap;
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};

/// The most verdicts that are kept: each may hold the text of a proof, of up to 200 KiB.
const MOST: usize = 256;

/// The verdicts of this process by the hash of their questions.
static KNOWN: LazyLock<Mutex<HashMap<String, Verdict>>> = LazyLock::new(Mutex::default);

fn all() -> MutexGuard<'static, HashMap<String, Verdict>> {
    // A thread that stopped left whole verdicts.
    KNOWN.lock().unwrap_or_else(PoisonError::into_inner)
}

fn name(question: &[&[u8]]) -> String {
    let parts = question.iter().flat_map(|part| [&part.len().to_le_bytes()[..], part].concat());
    sha256(&parts.collect::<Vec<u8>>())
}

/// The verdict on a question, which is all that the verdict depends on: it is judged once in a process.
pub(super) fn once(question: &[&[u8]], judge: impl FnOnce() -> Verdict) -> Verdict {
    let name = name(question);
    if let Some(verdict) = all().get(&name) {
        return verdict.clone();
    }
    let verdict = judge();
    let mut all = all();
    if all.len() >= MOST {
        all.clear();
    }
    all.insert(name, verdict.clone());
    verdict
}

/// The verdict on a question that was judged before.
pub(super) fn known(question: &[&[u8]]) -> Option<Verdict> {
    all().get(&name(question)).cloned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_is_judged_once_and_others_are_apart() {
        let mut count = 0;
        let mut ask = |question: &[&[u8]]| {
            once(question, || {
                count += 1;
                Verdict::ProverAlone(format!("question {count}"))
            })
        };
        assert_eq!(known(&[b"a test", b"ab", b"c"]), None);
        let first = ask(&[b"a test", b"ab", b"c"]);
        assert_eq!(known(&[b"a test", b"ab", b"c"]).as_ref(), Some(&first));
        assert_eq!(ask(&[b"a test", b"ab", b"c"]), first);
        // Parts that are divided elsewhere are another question.
        assert_ne!(ask(&[b"a test", b"a", b"bc"]), first);
        assert_eq!(count, 2);
    }
}
