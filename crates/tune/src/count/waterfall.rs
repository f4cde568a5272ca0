//! What each choice of a variant saves: from a plain variant to another, a choice at a time.

use super::{Classes, executed, executed_on};
use crate::error::TuneError;
use aesmith_arrange::{Dimension, Place, Variant, dimensions};
use aesmith_processor::core::Core;
use aesmith_processor::cost::BuiltKernel;
use aesmith_processor::measured::Target;
use serde::Serialize;

/// From the plain variant of a technique to a variant, a choice at a time.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Waterfall {
    /// Instructions a block of the plain variant.
    pub plain: Classes,
    /// Each choice (`cached=2`), with the instructions a block that are left behind it.
    pub steps: Vec<(String, Classes)>,
}

/// What each choice of a variant saves. A choice that does not stand without the next is told
/// together with it.
///
/// # Errors
/// The variant itself is no kernel for this target.
pub fn waterfall(variant: &Variant, target: &Target) -> Result<Waterfall, TuneError> {
    let plain = Variant::plain(variant.problem, variant.technique);
    fall(plain, variant, dimensions(variant.problem, variant.technique), counting(target))
}

/// The same on a processor whose instructions stand in a table.
///
/// # Errors
/// The variant itself is no kernel there.
pub fn waterfall_on(core: &'static Core, variant: &Variant) -> Result<Waterfall, TuneError> {
    fall(core.table.plain(variant.problem), variant, core.table.dimensions.iter(), counting_on(core))
}

/// How kernels for a target are counted.
pub(crate) fn counting(target: &Target) -> impl Fn(&Variant) -> Result<Classes, TuneError> + use<'_> {
    |variant| {
        let kernel = target
            .build(variant)
            .map_err(|e| TuneError::Unsupported(format!("`{variant}` is no kernel here: {e}")))?;
        Ok(executed(target.processor, variant.problem, &kernel.bytes)?.steady)
    }
}

/// How kernels of a processor are counted whose instructions stand in a table.
pub(crate) fn counting_on(core: &'static Core) -> impl Fn(&Variant) -> Result<Classes, TuneError> {
    move |variant| {
        let made = (core.build)(variant).and_then(|kernel| BuiltKernel::new(core, kernel));
        let made = made
            .map_err(|e| TuneError::Unsupported(format!("`{variant}` is no kernel of {}: {e}", core.name)))?;
        Ok(executed_on(core, &made)?.steady)
    }
}

/// A step of a waterfall.
pub(crate) struct Step {
    /// What it is called.
    pub name: String,
    /// The values that it gives to dimensions.
    pub values: Vec<(Place, u16)>,
}

/// From a plain variant to another, a choice at a time, in the order of these dimensions.
fn fall<'d>(
    plain: Variant,
    variant: &Variant,
    dimensions: impl Iterator<Item = &'d Dimension>,
    count: impl Fn(&Variant) -> Result<Classes, TuneError>,
) -> Result<Waterfall, TuneError> {
    let changed = dimensions.filter(|d| variant.get(d.place) != plain.get(d.place));
    let steps = changed.map(|d| {
        let value = variant.get(d.place);
        Step { name: format!("{}={}", d.name, d.show(value)), values: vec![(d.place, value)] }
    });
    descend(plain.clone(), steps.collect(), count)
}

/// From a variant on, a step at a time. A step that does not stand without the next is told together with it.
pub(crate) fn descend(
    mut current: Variant,
    steps: Vec<Step>,
    count: impl Fn(&Variant) -> Result<Classes, TuneError>,
) -> Result<Waterfall, TuneError> {
    let mut fall = Waterfall { plain: count(&current)?, steps: Vec::new() };
    let mut names: Vec<String> = Vec::new();
    let mut left = steps.len();
    for step in steps {
        step.values.into_iter().for_each(|(place, value)| current.set(place, value));
        names.push(step.name);
        left -= 1;
        let counted =
            current.check().map_err(|e| TuneError::Usage(e.to_string())).and_then(|()| count(&current));
        match counted {
            Ok(counted) => fall.steps.push((std::mem::take(&mut names).join(" "), counted)),
            Err(error) if left == 0 => return Err(error),
            Err(_) => {}
        }
    }
    Ok(fall)
}

#[cfg(test)]
mod tests {
    use super::*;
    use aesmith_x86::targets;

    #[test]
    fn a_waterfall_ends_at_its_variant() {
        let variant: Variant = "aes128-ctr keys=0x07ff interleave=8 counter=precomputed".parse().unwrap();
        let fall = waterfall(&variant, &targets::ALL).unwrap();
        let kernel = targets::ALL.build(&variant).unwrap();
        let whole = executed(kernel.processor, variant.problem, &kernel.bytes).unwrap().steady.instructions;
        assert_eq!(fall.steps.len(), 3);
        assert_eq!(fall.steps[2].1.instructions, whole);
        assert!(fall.plain.instructions > whole);
    }
}
