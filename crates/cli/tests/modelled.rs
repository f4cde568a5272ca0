//! Tuning by the machine model alone: on any machine, for a CPU that this one need not be.

use crate::support::Place;
use serde_json::Value;

#[test]
fn a_kernel_is_tuned_by_the_model_proved_and_delivered() {
    let place = Place::new("modelled");
    let tune = ["tune", "aes256-ctr", "--judge", "model", "--trials", "40", "--json", "-o", "k"];
    let said = place.ok(&tune);
    let found = said.object();
    assert_eq!(
        (&found["schema"], &found["judge"]),
        (&"aesmith.tune-model/1".into(), &"machine model".into())
    );
    assert_eq!(found["variants_tried"], 40);
    let number = |key: &str| found[key].as_f64().unwrap();
    // Fourteen rounds of four blocks, one each cycle: the least that this CPU's pipes allow without cached rounds.
    assert!((0.12..0.25).contains(&number("best_cycles_per_byte")), "{found}");
    assert!(number("bound_cycles_per_byte") <= number("best_cycles_per_byte"), "{found}");
    assert!(number("best_cycles_per_byte") <= number("baseline_cycles_per_byte"), "{found}");
    // The level of the model's CPU stands in names, since nothing says what this CPU has.
    assert!(place.path("k/aesmith_aes256_ctr_vaes.S").is_file(), "{found}");
    place.ok("verify k");
    // Costs are in wisdom, apart from those of CPUs that are measured, and the next run goes on from them.
    let again =
        place.ok(&["tune", "aes256-ctr", "--judge", "model", "--trials", "40", "--json", "-o", "again"]);
    assert!(again.err.contains("not modelled again"), "{}", again.err);
    assert_eq!(again.object()["best_cycles_per_byte"], found["best_cycles_per_byte"]);
    let (listed, name) = (place.ok("wisdom list --json"), "model/intel-6-207/vaes/");
    let runs = listed.objects_of("run");
    let is_apart =
        |run: &Value| run["processor"].as_str().unwrap().starts_with(name) && run["judge"] == "machine model";
    assert!(runs.len() == 2 && runs.iter().all(is_apart), "{runs:?}");
    let samples: Vec<u64> = runs.iter().map(|run| run["samples"].as_u64().unwrap()).collect();
    assert!(samples.contains(&40) && samples.iter().sum::<u64>() < 80, "{samples:?}");
    assert!(listed.objects_of("best").is_empty(), "nothing was measured: {}", listed.out);
    // For a lesser CPU, and for people.
    place
        .ok("tune aes128-ecb --judge model --cpu ssse3 --trials 10 -o small")
        .says("nothing is measured")
        .says("measured by aesmith");
    assert!(place.path("small/aesmith_aes128_ecb_ssse3.S").is_file());
}

#[test]
fn what_a_model_cannot_say_is_refused() {
    let place = Place::new("modelled-refused");
    for (arguments, why) in [
        ("tune aes128-key --judge model", "--judge native"),
        ("tune aes128-ecb --judge model --for cold", "none of cold calls"),
        ("tune aes128-ecb --judge model --processor avr", "leave --judge out"),
        ("tune aes128-ecb --judge model --figures 5s", "--figures is for measurements"),
        ("tune aes128-ecb --judge model --cpu sse9", "--cpu sse9"),
        ("tune aes128-ecb --judge model --technique gfni --cpu ssse3", "needs"),
    ] {
        place.refused(arguments, if why == "needs" { 4 } else { 2 }, why);
    }
}
