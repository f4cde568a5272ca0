//! Tuning by the machine model alone: on any machine, for a CPU that this one need not be.

mod support;

use support::Place;

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
