//! Cycles and instructions of kernels against the limits in a file.

use aesmith_processor::interpreter::Interpreter;
use aesmith_processor::trial::kernels::variants;
use aesmith_processor::trial::{built, judged, of_a_block};

const LIMITS: &str = include_str!("figures.txt");

fn check(line: &str) {
    let mut words = line.splitn(4, ' ').map(str::trim);
    let mut word = || words.next().expect("four columns");
    let core = aesmith_processors::core(word()).expect("it is registered");
    let mut limit = || match word() {
        "-" => f64::INFINITY,
        number => number.parse().expect("a number"),
    };
    let limits = (limit(), limit());
    let variant = &variants(core, &[word()])[0];
    let found = if variant.problem.has_iv() {
        of_a_block(core, variant).unwrap_or_else(|| panic!("{variant} is built"))
    } else {
        let kernel = built(core, variant).unwrap_or_else(|e| panic!("{variant}: {e}"));
        let answer = &judged(core, &kernel, &Interpreter::new(core), 4)[0];
        let [cycles, instructions] = [answer.cycles, answer.instructions].map(|n| n.expect("counted") as f64);
        (cycles, instructions)
    };
    println!("{} {variant}: {found:?} cycles and instructions", core.name);
    assert!(found.0 <= limits.0 && found.1 <= limits.1, "{line}: {found:?}");
}

#[test]
fn kernels_take_no_more_than_the_file_allows() {
    let rows = LIMITS.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    let single = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
    let rows: Vec<String> = rows.map(single).collect();
    assert!(rows.len() > 40, "{} rows", rows.len());
    rows.iter().for_each(|line| check(line));
}
