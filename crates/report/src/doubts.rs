//! Contradictions among the three costs of a kernel, as sentences.

use crate::data::Distance;
use crate::html::percent;

/// A cost above this share of the bound may lie on it: a clock is accepted when two chains agree within 1 %.
const BELOW: f64 = 0.99;
/// A model below this share of the bound lacks something. The part of a call outside its loop costs a few per cent at
/// the usual length.
const LACKING: f64 = 0.95;
/// From this ratio on the model is far from the measurement. Set-up, tail and cache misses cost a well-modelled loop a
/// few per cent at the usual length.
const FAR: f64 = 1.15;

/// Sentences on contradictory costs; none if the bound is below the model, and the model near the measurement.
pub(crate) fn doubts(d: &Distance) -> Vec<String> {
    let measured = d.measured.map(|m| m.median).filter(|m| m.is_finite());
    let model = d.model.filter(|m| m.is_finite() && *m > 0.0);
    let mut all = Vec::new();
    let mut say = |sentence: String| all.push(format!("{}: {sentence}", d.name));
    if let Some(model) = model
        && model < BELOW * d.bound
    {
        let lack = match model < LACKING * d.bound {
            true => "It omits something that the machine needs, so it does not explain this kernel.",
            false => {
                "It covers only the loop, while the bound includes the rest of the call, so it does not explain \
                 the last few per cent."
            }
        };
        say(format!("the model is {} below the bound. {lack}", percent(1.0 - model / d.bound)));
    }
    if let Some(measured) = measured
        && measured < BELOW * d.bound
    {
        say(format!(
            "the measurement is {} below the bound, so the bound is wrong: it was calibrated at another clock, \
             or it omits a method that this kernel uses.",
            percent(1.0 - measured / d.bound)
        ));
    }
    match measured.zip(model).map(|(measured, model)| measured / model) {
        Some(r) if r > FAR => say(format!(
            "the measurement is {} above the model, which ignores caches, mispredicted branches and all code \
             outside the loop. The model does not explain this kernel.",
            percent(r - 1.0)
        )),
        Some(r) if r < 1.0 / FAR => say(format!(
            "the measurement is {} below the model, so the model is slower than the machine and does not \
             explain this kernel.",
            percent(1.0 - r)
        )),
        _ => {}
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Cost;

    fn of(bound: f64, model: f64, measured: f64) -> String {
        let measured = Some(Cost { median: measured, low: measured, high: measured });
        let name = "best".into();
        doubts(&Distance { name, bound, limit: String::new(), model: Some(model), measured }).join(" ")
    }

    #[test]
    fn a_model_below_the_bound_or_far_from_the_measurement_is_said() {
        assert_eq!(of(0.1875, 0.1931, 0.1972), "");
        assert!(of(0.3132, 0.2825, 0.3150).contains("model is 9.8\u{202f}% below the bound"));
        assert!(
            of(0.1281, 0.1250, 0.1325)
                .contains("model is 2.4\u{202f}% below the bound. It covers only the loop")
        );
        assert!(of(0.3132, 0.3200, 0.4096).contains("28.0\u{202f}% above the model"));
        assert!(of(0.1000, 0.3200, 0.2000).contains("37.5\u{202f}% below the model"));
        assert!(of(0.2000, 0.2000, 0.1900).contains("5.0\u{202f}% below the bound, so the bound is wrong"));
    }
}
