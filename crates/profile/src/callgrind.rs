//! Instructions of each step from callgrind's output: by function where a step is called, and by source line (from
//! debug information) where it is inlined.

use crate::Step;
use std::collections::BTreeMap;

/// Instruction and call counts.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Instructions by step, in the order of [`Step::ALL`].
    pub steps: [u64; 5],
    /// Instructions of the whole program.
    pub whole: u64,
    /// Calls by function name.
    pub calls: BTreeMap<String, u64>,
}

/// Functions that make up each step. Those of ExpandKey end in `_schedule`.
const FUNCTIONS: &[(&str, Step)] = &[
    ("add_round_key", Step::AddRoundKey),
    ("sub_bytes", Step::SubBytes),
    ("shift_rows", Step::ShiftRows),
    ("mix_columns", Step::MixColumns),
    ("sub_word", Step::ExpandKey),
    (aesmith_microblaze::bytewise::EXPAND, Step::ExpandKey),
];

/// Functions that are inlined both into MixColumns and into the key schedule.
const SHARED: &[&str] = &["xtime", "mix", "double_bytes", "rotate"];

/// The step that `function` implements. A compiler may have added a suffix to the name.
pub(crate) fn step_of(function: &str) -> Option<Step> {
    let name = function.split('.').next().unwrap_or(function);
    let step = FUNCTIONS.iter().find(|(known, _)| *known == name).map(|(_, step)| *step);
    step.or_else(|| name.ends_with("_schedule").then_some(Step::ExpandKey))
}

/// True if `function` belongs to MixColumns unless another step is named.
pub fn is_shared(function: &str) -> bool {
    SHARED.contains(&function)
}

/// The function that contains each line of a C file; lines count from 1.
pub(crate) fn functions_by_line(source: &str) -> Vec<Option<String>> {
    let mut lines = vec![None];
    let mut current = None;
    for line in source.lines() {
        let head = line.ends_with(')') && !line.starts_with([' ', '#', '/', '}']);
        if head && let Some(name) = line.split('(').next().and_then(|head| head.split([' ', '*']).next_back())
        {
            current = Some(name.to_owned());
        }
        lines.push(current.clone());
        if line == "}" {
            current = None;
        }
    }
    lines
}

/// Reads callgrind's output (without compression of names and positions) for a program whose
/// source is `source`, in the file `file`.
pub fn read(output: &str, file: &str, source: &str) -> Counts {
    let lines = functions_by_line(source);
    let mut counts = Counts::default();
    let (mut function, mut called) = (String::new(), String::new());
    let (mut own_file, mut inclusive) = (false, false);
    for line in output.lines() {
        if let Some((key, value)) = line.split_once('=') {
            match key {
                "fn" => function = value.to_owned(),
                "fl" | "fi" | "fe" => own_file = value.ends_with(file),
                "cfn" => called = value.to_owned(),
                "calls" => {
                    let number = value.split(' ').next().and_then(|n| n.parse::<u64>().ok());
                    let name = called.split('.').next().unwrap_or(&called).to_owned();
                    *counts.calls.entry(name).or_default() += number.unwrap_or(0);
                    // The next line is the cost of the call, callees included.
                    inclusive = true;
                }
                _ => {}
            }
            continue;
        }
        let mut numbers = line.split(' ').map(str::parse::<u64>);
        let (Some(Ok(at)), Some(Ok(cost))) = (numbers.next(), numbers.next()) else { continue };
        if std::mem::take(&mut inclusive) {
            continue;
        }
        counts.whole += cost;
        let inlined = lines.get(at as usize).and_then(Option::as_ref).filter(|_| own_file);
        let step = step_of(&function).or_else(|| {
            let inlined = inlined?;
            let shared = SHARED.contains(&inlined.as_str());
            step_of(inlined).or_else(|| shared.then_some(Step::MixColumns))
        });
        if let Some(step) = step {
            counts.steps[step as usize] += cost;
        }
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn costs_go_to_their_steps() {
        let source = "static uint8_t xtime(uint8_t a)\n{\n    return a;\n}\n\nSTEPS void sub_bytes(uint8_t *s)\n{\n\
                      \x20   s[0] = 1;\n}\n\nstatic void cipher_1(void)\n{\n    sub_bytes(s);\n}\n";
        let output = "positions: line\nevents: Ir\n\nfl=/tmp/x.c\nfn=cipher_1\n3 5\n8 7\n13 2\ncfn=sub_bytes\n\
                      calls=4 6\n13 100\n\nfn=sub_bytes.isra.0\n8 100\nfi=/usr/include/y.h\n8 1\n\
                      fe=/tmp/x.c\nfn=aesmith_x_schedule\n3 11\n\ntotals: 126\n";
        let counts = read(output, "x.c", source);
        // Inlined at line 8, in its own function, and from a header within its own function.
        assert_eq!(counts.steps, [11, 0, 7 + 100 + 1, 0, 5]);
        assert_eq!(counts.whole, 126);
        assert_eq!(counts.calls["sub_bytes"], 4);
    }
}
