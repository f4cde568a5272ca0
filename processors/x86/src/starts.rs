//! Known-good starting points: published and measured structures, so that short runs end with good results.

use aesmith_arrange::Technique;
use aesmith_cipher::{Direction, Problem, Task};

/// The sections of the file, each with its technique, its tasks and its structures.
const TABLE: &str = include_str!("starts.txt");

/// True if a section is for a task.
fn is_for(section: &str, task: Task) -> bool {
    section.split(' ').any(|name| match name {
        "messages" => !matches!(task, Task::KeySchedule(_) | Task::CtrTable),
        "independent" => independent(task),
        "ctr" => task == Task::Ctr,
        "ctr-table" => task == Task::CtrTable,
        "ecb" => matches!(task, Task::Ecb(_)),
        "ecb-enc" => task == Task::Ecb(Direction::Encrypt),
        "cbc" => matches!(task, Task::CbcEncrypt { .. }),
        "cbc-streams" => matches!(task, Task::CbcEncrypt { streams } if streams > 1),
        "cbc-x16" => task == Task::CbcEncrypt { streams: 16 },
        "cbc-dec" => task == Task::CbcDecrypt,
        "key" => matches!(task, Task::KeySchedule(_)),
        _ => unreachable!("a section is for `{name}`, which is no task"),
    })
}

/// Structures of a problem with a technique, best guess first, each as the values of a variant; for tasks without a section
/// none.
pub(crate) fn starts(problem: Problem, technique: Technique) -> Vec<&'static str> {
    let mut applies = false;
    let mut found = Vec::new();
    for line in TABLE.lines().filter(|line| !line.starts_with('#')) {
        if let Some((of, tasks)) = line.split_once(": ") {
            applies = of == technique.name() && is_for(tasks, problem.task);
        } else if applies {
            found.push(line.trim_start());
        }
    }
    found
}

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
    fn every_section_is_used() {
        let problems: Vec<Problem> = Problem::all();
        let used = |text: &str| {
            let of = |technique| problems.iter().any(|p| starts(*p, technique).contains(&text));
            Technique::ALL.into_iter().any(of)
        };
        let structures: Vec<&str> = TABLE.lines().filter_map(|line| line.strip_prefix("    ")).collect();
        assert!(structures.len() > 80 && structures.into_iter().all(used));
    }

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
