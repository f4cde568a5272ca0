//! The saving of each choice of a variant: from a plain variant to another, one choice at a time.

use super::{Classes, executed, executed_on};
use crate::error::TuneError;
use aesmith_arrange::{Dimension, Place, Variant};
use aesmith_processor::core::Core;
use aesmith_processor::cost::BuiltKernel;
use aesmith_processor::measured::Target;
use serde::Serialize;

/// Instruction counts from the plain variant of a technique to a variant, one choice at a time.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Waterfall {
    /// Instructions per block of the plain variant.
    pub plain: Classes,
    /// Each choice (`cached=2`) with the instructions per block that remain after it.
    pub steps: Vec<(String, Classes)>,
}

/// The saving of each choice of a variant. A choice that depends on the next is counted together with it.
///
/// # Errors
/// The variant itself is not a kernel for this target.
pub fn waterfall(variant: &Variant, target: &Target) -> Result<Waterfall, TuneError> {
    let plain = variant.table.plain_by(variant.problem, variant.technique);
    fall(plain, variant, variant.dimensions(), counting(target))
}

/// The saving of each choice on a processor whose instructions stand in a table.
///
/// # Errors
/// The variant itself is not a kernel there.
pub fn waterfall_on(core: &'static Core, variant: &Variant) -> Result<Waterfall, TuneError> {
    fall(core.table.plain(variant.problem), variant, core.table.dimensions.iter(), counting_on(core))
}

/// Counts kernels for a target: instructions per block of a variant.
pub fn counting(target: &Target) -> impl Fn(&Variant) -> Result<Classes, TuneError> + use<'_> {
    |variant| {
        let kernel = target
            .build(variant)
            .map_err(|e| TuneError::Unsupported(format!("`{variant}` is no kernel here: {e}")))?;
        Ok(executed(target.processor, variant.problem, &kernel.bytes)?.steady)
    }
}

/// Counts kernels of a processor whose instructions stand in a table: instructions per block of a variant.
pub fn counting_on(core: &'static Core) -> impl Fn(&Variant) -> Result<Classes, TuneError> {
    move |variant| {
        let made = (core.build)(variant).and_then(|kernel| BuiltKernel::new(core, kernel));
        let made = made
            .map_err(|e| TuneError::Unsupported(format!("`{variant}` is no kernel of {}: {e}", core.name)))?;
        Ok(executed_on(core, &made)?.steady)
    }
}

/// A step of a waterfall.
pub struct Step {
    /// Display name.
    pub name: String,
    /// The values that it sets, by dimension.
    pub values: Vec<(Place, u16)>,
}

/// Goes from a plain variant to another, one choice at a time, in the order of these dimensions.
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

/// Goes from a variant step by step. A step that depends on the next is counted together with it.
///
/// # Errors
/// The first or the last variant cannot be counted.
pub fn descend(
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
    use aesmith_x86::{dimensions, targets};

    #[test]
    fn a_waterfall_ends_at_its_variant() {
        let variant = dimensions::variant("aes128-ctr keys=0x07ff interleave=8 counter=precomputed").unwrap();
        let fall = waterfall(&variant, &targets::ALL).unwrap();
        let kernel = targets::ALL.build(&variant).unwrap();
        let whole = executed(kernel.processor, variant.problem, &kernel.bytes).unwrap().steady.instructions;
        assert_eq!(fall.steps.len(), 3);
        assert_eq!(fall.steps[2].1.instructions, whole);
        assert!(fall.plain.instructions > whole);
    }
}
