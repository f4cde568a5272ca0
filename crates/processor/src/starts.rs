//! Known-good starting points: published and measured variants, so that short runs end with good results.
//!
//! A text has sections. The head of a section has no indentation: a technique, a colon and tasks, as `table: ecb ctr`. The
//! indented lines below have the values of a variant each, best guess first. Lines that begin with `#` are comments.

use aesmith_arrange::Technique;
use aesmith_cipher::{Direction, Problem, Task};

/// True if a section is for a task.
fn is_for(section: &str, task: Task) -> bool {
    section.split(' ').any(|name| match name {
        "messages" => matches!(task, Task::Ctr | Task::Ecb(_) | Task::CbcDecrypt | Task::CbcEncrypt { .. }),
        "independent" => matches!(task, Task::Ctr | Task::Ecb(_) | Task::CbcDecrypt),
        "ctr" => task == Task::Ctr,
        "ctr-table" => task == Task::CtrTable,
        "gcm" => matches!(task, Task::Gcm(_)),
        "gcm-table" => task == Task::GcmTable,
        "xts" => matches!(task, Task::Xts(_)),
        "ecb" => matches!(task, Task::Ecb(_)),
        "ecb-enc" => task == Task::Ecb(Direction::Encrypt),
        "ecb-dec" => task == Task::Ecb(Direction::Decrypt),
        "cbc" => matches!(task, Task::CbcEncrypt { .. }),
        "cbc-streams" => matches!(task, Task::CbcEncrypt { streams } if streams > 1),
        "cbc-dec" => task == Task::CbcDecrypt,
        "key" => matches!(task, Task::KeySchedule(_)),
        "key-enc" => task == Task::KeySchedule(Direction::Encrypt),
        "key-dec" => task == Task::KeySchedule(Direction::Decrypt),
        _ => match name.strip_prefix("cbc-x").map(str::parse) {
            Some(Ok(streams)) => task == Task::CbcEncrypt { streams },
            _ => unreachable!("a section is for `{name}`, which is no task"),
        },
    })
}

/// The variants in a text that are for a problem with a technique, each as its values; for tasks without a section none.
pub fn starts(text: &str, problem: Problem, technique: Technique) -> Vec<&str> {
    let mut applies = false;
    let mut found = Vec::new();
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        if let Some((of, tasks)) = line.split_once(": ") {
            applies = of == technique.name() && is_for(tasks, problem.task);
        } else if applies {
            found.push(line.trim_start());
        }
    }
    found
}

/// The variants of a text that are for none of some problems, in their order.
pub fn unused<'a>(text: &'a str, problems: &[Problem]) -> Vec<&'a str> {
    let used: Vec<&str> = (Technique::ALL.iter())
        .flat_map(|&technique| problems.iter().flat_map(move |&problem| starts(text, problem, technique)))
        .collect();
    let lines = text.lines().filter_map(|line| line.strip_prefix("    "));
    lines.filter(|line| !used.iter().any(|used| std::ptr::eq(*used, *line))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sections_are_for_their_tasks_and_techniques() {
        let text = "# a comment\ntable: ecb-enc ctr\n    a=1\n    a=2\nbitsliced: ecb\n    a=3\n";
        let of = |problem: &str, technique| starts(text, problem.parse().unwrap(), technique);
        assert_eq!(of("aes128-ecb", Technique::Table), ["a=1", "a=2"]);
        assert_eq!(of("aes256-ctr", Technique::Table), ["a=1", "a=2"]);
        assert_eq!(of("aes128-ecb-dec", Technique::Table), Vec::<&str>::new());
        assert_eq!(of("aes128-ecb-dec", Technique::Bitsliced), ["a=3"]);
        assert_eq!(unused(text, &["aes128-ecb-dec".parse().unwrap()]), ["a=1", "a=2"]);
        assert_eq!(unused(text, &Problem::all()), Vec::<&str>::new());
    }
}
