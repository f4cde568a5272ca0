//! Decides if a kernel's time depends on secrets on a processor, and which dependences are allowed.

use crate::core::Core;
use aesmith_prove::bits::{Product, Proof};
use serde::Serialize;

/// The allowed dependences of time on secrets.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Timing {
    /// None, on any memory: no secret determines an address, a branch or a shift count. Look-ups are allowed only if
    /// every chip of the kind takes equal time for them ([`aesmith_isa::timing::Timing::even`]).
    Proved,
    /// None on this processor: if it has no data cache, look-ups at secret addresses take equal time at all addresses.
    #[default]
    Constant,
    /// Any.
    Variable,
}

impl Timing {
    /// True if a kernel with this proof may be chosen.
    pub fn admits(self, core: &Core, proof: &Proof) -> bool {
        match self {
            Timing::Proved => (proof.constant_time || self.looks_up(core)) && !is_variable(core, proof),
            Timing::Constant => !is_variable(core, proof),
            Timing::Variable => true,
        }
    }

    /// True if addresses of look-ups may depend on secrets.
    pub fn looks_up(self, core: &Core) -> bool {
        match self {
            Timing::Proved => core.timing.even.is_some(),
            Timing::Constant => !core.cached,
            Timing::Variable => true,
        }
    }

    /// True if a kernel may be acceptable although two calls of it with different data had different paths, which is
    /// seen before the proof.
    pub fn needs_no_path(self, core: &Core) -> bool {
        self != Timing::Proved || self.looks_up(core)
    }

    /// The allowed dependences and the reason, in a sentence.
    pub fn about(self, core: &Core) -> String {
        if let (Timing::Proved | Timing::Constant, Some(even)) = (self, core.timing.even) {
            return format!("look-ups at secret addresses are allowed, branches on secrets are not: {even}");
        }
        match (self, core.cached) {
            (Timing::Proved, _) | (Timing::Constant, true) => {
                "only kernels whose time is proved not to depend on secrets".into()
            }
            (Timing::Constant, false) => format!(
                "look-ups at secret addresses are allowed: {} has no data cache, so that a load takes the \
                 same time at any address of SRAM, and of flash that nothing buffers (--constant-time allows none)",
                core.name
            ),
            (Timing::Variable, true) => format!(
                "look-ups at secret addresses and branches on secrets are allowed, as asked for: {} has a \
                 data cache",
                core.name
            ),
            (Timing::Variable, false) => {
                "branches on secrets are allowed, as asked for: the time may depend on them".into()
            }
        }
    }
}

/// True if the time of a proved kernel may depend on secrets on this processor: dependences other than addresses count
/// everywhere, an address only if there is a data cache, and a multiplication if the multiplier may end early.
pub fn is_variable(core: &Core, proof: &Proof) -> bool {
    let decides = proof.hangs.iter().any(|place| place.what != "address");
    !proof.constant_time && (core.cached || decides) || early(core, proof).is_some()
}

/// A multiplication of secrets that the processor's multiplier may end early, and the source.
fn early<'p>(core: &Core, proof: &'p Proof) -> Option<(&'p Product, &'static str)> {
    proof.products.iter().find_map(|product| {
        let varies = core.timing.of(&product.class).varies?;
        // Fixed registers have no field name, so it is unknown which factor is secret.
        let unknown = varies.by.is_empty() || product.factors.is_empty();
        let decides = unknown || product.factors.iter().any(|factor| varies.by.contains(&factor.as_str()));
        decides.then_some((product, varies.source))
    })
}

/// The class of a kernel's time: `CT`, or `VT` if it may depend on secrets.
pub fn class(core: &Core, proof: &Proof) -> &'static str {
    if is_variable(core, proof) { "VT" } else { "CT" }
}

/// The memory in which a look-up takes equal time at all addresses, as the end of a sentence about a processor without
/// a data cache.
pub(crate) fn where_tables_lie(proof: &Proof) -> &'static str {
    match proof.tables_in_ram {
        true => "as long as its tables lie in memory inside the chip (SRAM), not in external memory",
        false => {
            "as long as its tables lie in memory whose access time does not depend on the address: SRAM inside the \
             chip, or flash without a cache, buffers or a serial interface before it, not external memory"
        }
    }
}

/// `proved`, or the reason for the time and why it matters or does not, in a sentence.
pub fn about(core: &Core, proof: &Proof) -> String {
    // Dependences other than addresses matter without a cache, too.
    let worst = proof.hangs.iter().find(|place| place.what != "address").or(proof.hangs.first());
    let only_addresses = worst.is_none_or(|place| place.what == "address");
    if let Some((product, source)) = early(core, proof).filter(|_| only_addresses) {
        return format!(
            "variable time: a factor of `{}` at {:#x} depends on secrets, and the time may with it ({source})",
            product.instruction, product.address
        );
    }
    let Some(place) = worst.filter(|_| !proof.constant_time) else {
        return if proof.constant_time { "proved" } else { "variable time" }.into();
    };
    let decided =
        format!("the {} of `{}` at {:#x} depends on secrets", place.what, place.instruction, place.address);
    if let (true, Some(even)) = (place.what == "address", core.timing.even) {
        return format!("constant time on {}: {decided}, and {even}", core.name);
    }
    match (place.what == "address", core.cached) {
        (true, false) => format!(
            "constant time on {}: {decided}, and a load takes the same time at any address on a processor \
             without a data cache {}",
            core.name,
            where_tables_lie(proof)
        ),
        (true, true) => format!("variable time: {decided}, and there is a data cache"),
        (false, _) => format!("variable time: {decided}, and the time may with it"),
    }
}
