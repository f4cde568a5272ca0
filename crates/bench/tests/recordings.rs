//! Recorded runs of `scripts/card.sh` can be read, and docs/GPU.md states their results. With AESMITH_BLESS
//! set, it is written.

use std::path::{Path, PathBuf};

use aesmith_bench::card::Recorded;

const BEGIN: &str =
    "<!-- From here on made from recordings/card-*.jsonl by crates/bench/tests/recordings.rs. -->\n";
const END: &str = "<!-- Until here. -->";

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// All recordings, sorted by name.
fn recorded() -> Vec<Recorded> {
    let folder = root().join("recordings");
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(folder).expect("is there").map(|entry| entry.expect("a file").path()).collect();
    files.retain(|file| {
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        name.starts_with("card-") && name.ends_with(".jsonl")
    });
    files.sort();
    let read = |file: &PathBuf| {
        let text = std::fs::read_to_string(file).expect("is text");
        Recorded::read(&text).unwrap_or_else(|why| panic!("{}: {why}", file.display()))
    };
    files.iter().map(read).collect()
}

#[test]
fn the_document_says_what_cards_have_measured() {
    let runs: Vec<String> = recorded().iter().map(Recorded::markdown).collect();
    let wanted = match runs.is_empty() {
        true => "Nothing was measured.\n".to_owned(),
        false => runs.join("\n"),
    };
    let path = root().join("docs/GPU.md");
    let text = std::fs::read_to_string(&path).expect("is there");
    let (before, rest) = text.split_once(BEGIN).expect("the part has a beginning");
    let (stands, after) = rest.split_once(END).expect("the part has an end");
    let wanted = format!("\n{wanted}\n");
    if std::env::var_os("AESMITH_BLESS").is_some() {
        std::fs::write(&path, format!("{before}{BEGIN}{wanted}{END}{after}")).expect("is written");
        return;
    }
    assert_eq!(
        stands, wanted,
        "docs/GPU.md is not what the recordings say: run this test with AESMITH_BLESS=1 and look at the difference"
    );
}

/// The table of bounds includes one of the runs, which it names and ends with. With AESMITH_BLESS set, its
/// end is written.
#[test]
fn the_table_of_bounds_has_a_run() {
    let path = root().join("docs/GPU-BOUNDS.md");
    let text = std::fs::read_to_string(&path).expect("is there");
    let runs = recorded();
    if runs.is_empty() {
        return assert!(text.contains("**No throughput in this table is measured.**"));
    }
    let is_named = |run: &&Recorded| text.contains(&format!("measured on {}", run.who()));
    let run = runs
        .iter()
        .find(is_named)
        .expect("run `aesmith-bench goals gpu --card FILE --markdown docs/GPU-BOUNDS.md`");
    let (before, _) =
        text.split_once(&format!("\nMeasured on {}", run.who())).expect("has the run at its end");
    let wanted = format!("{before}\n{}", run.markdown());
    if std::env::var_os("AESMITH_BLESS").is_some() {
        std::fs::write(&path, wanted).expect("is written");
        return;
    }
    assert!(text == wanted, "{} does not end with what the run says", path.display());
}

#[test]
fn what_was_measured_can_be_and_says_who_measured() {
    for run in recorded() {
        let who = run.who();
        assert!(!run.machine.card.is_empty() && !run.machine.driver.is_empty(), "{who}");
        assert!(run.machine.date.len() == 10 && run.machine.date.starts_with("20"), "{who}");
        assert!(!run.tunes.is_empty() && !run.tests.is_empty(), "{who}");
        for tuned in &run.tunes {
            let on_card = &tuned.on_card;
            assert!(on_card.card.uuid.is_empty(), "{who}: the card's own number is left out");
            assert_eq!(on_card.card.name, run.machine.card, "{who}");
            for kernel in &on_card.kernels {
                let (low, high) = (kernel.low, kernel.high);
                assert!(low <= kernel.bits && kernel.bits <= high, "{who}: {}", kernel.variant);
                assert!(
                    kernel.of_bound.is_none_or(|part| part > 0.0 && part < 1.02),
                    "{who}: {}",
                    kernel.variant
                );
            }
        }
    }
}
