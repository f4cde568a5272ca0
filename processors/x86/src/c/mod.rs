//! Readable C99 with intrinsics, written from the variant itself: it has the dataflow and the loop order of the machine
//! code.

mod body;
mod cbc;
mod parallel;
mod rounds;
mod schedule;
mod sliced;
mod words;

use crate::dimensions::{Dim, TABLE};
use crate::print::DIALECT;
use aesmith_arrange::Variant;
use aesmith_cipher::Direction;
use aesmith_dataflow::program::Program;
use aesmith_processor::c::{Contents, Intrinsics, Text, message};
use words::Words;

/// Kernels as functions of the intrinsics of vector registers.
pub(crate) static INTRINSICS: Intrinsics = Intrinsics {
    header: "immintrin.h",
    nearest,
    features,
    helpers,
    messages,
    schedule: schedule::schedule,
    table: |t, contents, names| {
        let words = words_of(contents).next().expect("a table belongs to a variant").lanes(1);
        schedule::table(t, &words, names);
    },
};

/// Cached rounds of transposed groups exist only as machine code.
fn nearest(variant: &Variant) -> Variant {
    let cached = if variant.sliced() { 0 } else { variant.get(Dim::Cached) };
    variant.clone().with(Dim::Cached, cached)
}

fn features(contents: Contents<'_>) -> Vec<&'static str> {
    let mut names = features_of(contents, 1);
    for words in words_of(contents) {
        names.extend(features_of(contents, words.lanes));
    }
    DIALECT.features.iter().copied().filter(|f| names.contains(f)).collect()
}

/// The vocabulary of each variant.
fn words_of(contents: Contents<'_>) -> impl Iterator<Item = Words> {
    let own = TABLE.plain(contents.problem);
    let table = (contents.choices.is_empty() && contents.table).then(|| Words::new(&own, 1));
    contents.choices.iter().map(|(_, v)| Words::new(v, v.lanes())).chain(table)
}

/// Features of functions on `lanes` lanes: those that any variant needs there, because all share the helpers.
fn features_of(contents: Contents<'_>, lanes: usize) -> Vec<&'static str> {
    let key_set_up = contents.schedule.map(|s| Words::new(s, 1));
    let mut features: Vec<&str> = Vec::new();
    for words in words_of(contents).chain(key_set_up) {
        for feature in words.lanes(lanes).features() {
            if !features.contains(&feature) {
                features.push(feature);
            }
        }
    }
    features
}

/// Writes the helpers of every width, and rounds that are not instructions.
fn helpers(t: &mut Text, contents: Contents<'_>) {
    let mut widths: Vec<usize> = words_of(contents).map(|w| w.lanes).collect();
    widths.push(1);
    widths.extend(contents.choices.iter().filter_map(|(_, v)| v.technique.record().only_lanes));
    widths.sort_unstable();
    widths.dedup();
    for &lanes in &widths {
        let words = Words::plain(lanes);
        t.raw(&words.helpers(&features_of(contents, lanes)));
    }
    let problem = contents.problem;
    let inverse = problem.is_message() && problem.mode().direction == Direction::Decrypt;
    let mut rounds: Vec<(Words, String, Program)> = Vec::new();
    for words in words_of(contents) {
        for lanes in [1, words.lanes] {
            let words = words.lanes(lanes);
            for (name, program) in words.rounds(inverse) {
                if !rounds.iter().any(|(_, known, _)| *known == name) {
                    rounds.push((words, name, program));
                }
            }
        }
    }
    let programs: Vec<_> = rounds.iter().map(|(_, _, program)| program.clone()).collect();
    rounds::look_ups(t, &programs, &widths);
    for (words, name, program) in &rounds {
        rounds::function(t, words, name, program);
    }
}

/// The mode decides between the two loops: blocks are serial or independent.
fn messages(t: &mut Text, variant: &Variant, name: &str, suffix: &str) -> Result<(), String> {
    let write = if variant.problem.mode().is_serial() { cbc::write } else { parallel::write };
    write(t, variant, name, suffix)
}

/// Opens a variant's function `name` + `suffix`; with a suffix it is static.
fn open_entry(t: &mut Text, variant: &Variant, words: &Words, name: &str, suffix: &str) {
    let storage = if suffix.is_empty() { "" } else { "static " };
    if variant.on(Dim::Wipe) {
        t.raw("#if defined(__has_attribute)\n#if __has_attribute(zero_call_used_regs)\n");
        t.line("__attribute__((zero_call_used_regs(\"all\")))");
        t.raw("#endif\n#endif\n");
    }
    let prototype = message::prototype(variant.problem, &format!("{name}{suffix}"), name);
    t.open(&format!("{storage}TARGET{} {prototype}", words.bits));
}
