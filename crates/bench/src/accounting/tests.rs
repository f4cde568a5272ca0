use super::*;
use aesmith_processor::cost::BuiltKernel;
use aesmith_tune::count::{executed_on, waterfall_on};
use std::sync::OnceLock;

/// The accounting, counted once for all tests.
fn all() -> &'static Accounting {
    static ALL: OnceLock<Accounting> = OnceLock::new();
    ALL.get_or_init(|| accounting().unwrap_or_else(|e| panic!("{e}")))
}

fn near(a: Mix, b: Mix) -> bool {
    let rest = a.minus(b);
    [rest.instructions, rest.loads, rest.stores, rest.integer].iter().all(|n| n.abs() < 1e-9)
}

/// 320 shifts and masks, 16 masks, 164 sums and four of counter mode are 504 of the 508 integer instructions.
#[test]
fn the_plain_program_is_the_published_baseline_but_for_four() {
    let Accounting { parts, baseline, .. } = all();
    assert!(near(sum(parts), *baseline));
    assert_eq!((baseline.loads, baseline.stores, baseline.integer), (208.0, 4.0, 508.0));
    let counts: Vec<f64> = parts.iter().map(|part| part.instructions).collect();
    assert_eq!(counts, [160.0, 44.0, 4.0, 4.0, 320.0, 164.0, 16.0, 4.0, 4.0]);
}

/// Savings computed from the plain program equal the published ones.
#[test]
fn what_the_program_alone_tells_is_as_published() {
    let plain = Plain::new();
    let computed = TECHNIQUES.iter().filter_map(|t| Some((t.published?, t.spares?(&plain))));
    let computed: Vec<_> =
        computed.map(|(published, spared)| (published as f64, spared.instructions)).collect();
    assert_eq!(computed.len(), 5);
    for (published, spared) in computed {
        assert_eq!(published, spared);
    }
}

#[test]
fn every_processor_has_a_word_on_every_technique() {
    for line in lines() {
        let mut keys: Vec<&str> = line.techniques.iter().map(|(key, _)| *key).collect();
        let mut known: Vec<&str> = TECHNIQUES.iter().map(|technique| technique.key).collect();
        keys.sort_unstable();
        known.sort_unstable();
        assert_eq!(keys, known, "{}", line.name);
    }
}

#[test]
fn every_account_adds_up_from_the_baseline_to_what_remains() {
    assert_eq!(all().targets.len(), 6);
    for account in &all().targets {
        let mut left = BASELINE;
        for row in account.rows.iter().filter(|row| row.standing != Standing::NotChosen) {
            if let Some(saved) = row.saved {
                left = left.minus(saved);
                assert!(near(left, row.left.expect("a step leaves something")), "{}: {row:?}", account.name);
            }
        }
        assert!(near(left, account.remains), "{}: {left:?}, {:?}", account.name, account.remains);
        let (sum, whole) =
            (account.remains.rows().iter().map(|(_, n)| n).sum::<f64>(), account.remains.instructions);
        assert!((sum - whole).abs() < 1e-9, "{}", account.name);
        // Fewer instructions than Bernstein and Schwabe, wherever they give a total.
        assert!(
            account.published.is_none_or(|published| whole < published as f64),
            "{}: {whole}",
            account.name
        );
    }
}

/// Only techniques in the kernel leave a remainder; choices that are not made and absent techniques do not.
#[test]
fn only_what_is_in_the_kernel_is_a_step() {
    for row in all().targets.iter().flat_map(|account| &account.rows) {
        let inside = matches!(row.standing, Standing::Chosen | Standing::Always);
        assert_eq!(row.left.is_some(), inside && row.saved.is_some(), "{row:?}");
        assert_eq!(row.by.is_some(), row.saved.is_some(), "{row:?}");
        let choice = matches!(row.standing, Standing::Chosen | Standing::NotChosen);
        assert!(row.technique == "kernel" || row.choice.is_empty() != choice, "{row:?}");
        assert!(inside || row.standing == Standing::Missing || !row.why.is_empty(), "{row:?} has no reason");
    }
}

/// Counts equal those of `aesmith count --processor`: the kernel, and the end of its waterfall.
#[test]
fn counts_are_those_of_the_processors_kernels() {
    for account in all().targets.iter().filter(|account| account.level.is_none()) {
        let core = aesmith_processors::core(account.processor).expect("it is there");
        let variant =
            core.table.parse(&account.variant).unwrap_or_else(|e| panic!("{}: {e}", account.variant));
        let made =
            (core.build)(&variant).and_then(|kernel| BuiltKernel::new(core, kernel)).expect("is built");
        let counted = executed_on(core, &made).expect("runs").steady;
        assert!(near(Mix::of(&counted), account.remains), "{}", account.name);
        let fall = waterfall_on(core, &variant).expect("runs");
        assert_eq!(fall.steps.last().expect("choices").1.instructions, account.remains.instructions);
    }
}

#[test]
fn a_choice_that_nobody_has_is_named() {
    let line = Line {
        name: "nobody",
        key: "nobody",
        architecture: "",
        code: Code::Table("pentium4"),
        published: None,
        about: "",
        start: "index=scaled",
        besides: "",
        techniques: &[],
    };
    let error =
        account(&line, &Plain::new(), &Known::default()).expect_err("i386 has no such choice").to_string();
    assert!(error.contains("nobody") && error.contains("index"), "{error}");
    let chosen =
        Line { start: "", techniques: &[("scaled-index", Stance::Chosen("index=scaled", ""))], ..line };
    let error = account(&chosen, &Plain::new(), &Known::default()).expect_err("nor here").to_string();
    assert!(error.contains("`index=scaled` is no choice of `aes128-ctr processor=pentium4"), "{error}");
}

/// A choice that depends on a later one is refused instead of being counted alone.
#[test]
fn a_choice_that_does_not_stand_alone_is_refused() {
    let line = Line {
        start: "words=scaled",
        techniques: &[
            ("padded", Stance::Chosen("words=padded", "")),
            ("byte-loads", Stance::Chosen("last=parts", "")),
        ],
        ..sparc()
    };
    let error =
        account(&line, &Plain::new(), &Known::default()).expect_err("masks are for words").to_string();
    assert!(error.contains("`words=padded` does not stand alone on UltraSPARC III"), "{error}");
}

fn sparc() -> Line {
    *lines().iter().find(|line| line.key == "ultrasparc3").expect("it is there")
}

#[test]
fn the_document_has_every_row() {
    let text = document(all());
    for account in &all().targets {
        assert!(text.contains(&format!("\n## {}\n", account.name)));
        for row in &account.rows {
            assert!(text.contains(&reason(row)), "{row:?}");
        }
    }
    assert_eq!(text.matches("| **remains** |").count(), 6);
    assert_eq!(page(all(), "today").accounts.len(), 6);
}
