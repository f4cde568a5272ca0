//! The order of techniques by the known speed of their starting points, which are in `starts.txt`.

use aesmith_arrange::Technique;
use aesmith_cipher::{Problem, Task};

/// Message size in bytes from which bit slices are faster than vector permutes: some groups of the widest
/// registers.
const SLICED: usize = 1024;

/// Moves bit slices ahead of vector permutes where their starting point is faster. For independent blocks bit
/// slices take 7.5 cycles/byte at SSSE3, and vector permutes 10.7 (family 6 model 207); for chained blocks
/// and short messages permutes are faster.
pub(crate) fn by_known_speed(
    problem: Problem,
    size: usize,
    mut techniques: Vec<Technique>,
) -> Vec<Technique> {
    let place = |wanted: Technique| techniques.iter().position(|t| *t == wanted);
    if let (Some(permutes), Some(slices)) = (place(Technique::Vperm), place(Technique::Bitsliced))
        && permutes < slices
        && independent(problem.task)
        && size >= SLICED
    {
        techniques.remove(slices);
        techniques.insert(permutes, Technique::Bitsliced);
    }
    techniques
}

/// True for tasks with independent blocks.
fn independent(task: Task) -> bool {
    matches!(task, Task::Ctr | Task::Ecb(_) | Task::CbcDecrypt)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slices_stand_before_permutes_where_they_are_faster() {
        let order = |problem: &str, size| {
            let all = vec![Technique::Vperm, Technique::Bitsliced, Technique::Table];
            by_known_speed(problem.parse().unwrap(), size, all)[0]
        };
        assert_eq!(order("aes128-ctr", 32768), Technique::Bitsliced);
        assert_eq!(order("aes128-ecb-dec", 4096), Technique::Bitsliced);
        assert_eq!(order("aes128-ctr", 64), Technique::Vperm);
        assert_eq!(order("aes128-cbc", 32768), Technique::Vperm);
        assert_eq!(order("aes128-key", 0), Technique::Vperm);
    }
}
