//! What wisdom knows of kernels that an exploration looks at. Plain code's figures do not depend on the
//! extension, and are those of tuning; those of an extended processor hold for one content of the
//! extension's file and one unit.

use std::collections::HashMap;
use std::sync::Mutex;

use aesmith_arrange::choices::Variant;
use aesmith_cipher::Problem;
use aesmith_extension::file::{Extension, Lines};
use aesmith_extension::verilog::{Unit, wrapper};
use aesmith_processor::core::Core;
use aesmith_wisdom::{Described, Filter, Store, WisdomError};
use sha2::{Digest, Sha256};

/// The version that rows are stored with: of this program, and of the extension's content and unit,
/// with the hardware that is made of it and judges its kernels.
pub fn version(extension: Option<(&Extension, Unit)>) -> String {
    let program = env!("CARGO_PKG_VERSION");
    let Some((extension, unit)) = extension else { return program.into() };
    let mut content = extension.clone();
    // What is said, and where it stands, changes no kernel.
    content.about.clear();
    content.source.clear();
    for instruction in &mut content.instructions {
        instruction.about.clear();
        instruction.lines = Lines::default();
    }
    let hardware = [wrapper::pcpi(&content, unit), wrapper::cfu(&content, unit)];
    let hash = Sha256::digest(format!("{content:?} {unit:?} {hardware:?}"));
    let hash: String = hash.iter().take(8).map(|b| format!("{b:02x}")).collect();
    format!("{program}+{hash}")
}

/// The store, with what it knew of some processors.
pub struct Known<'s> {
    store: Mutex<&'s mut Store>,
    rows: Mutex<HashMap<String, Described>>,
}

impl<'s> Known<'s> {
    /// What is known of processors of these names.
    pub fn new(store: &'s mut Store, processors: &[&str]) -> Result<Known<'s>, WisdomError> {
        let mut rows = HashMap::new();
        for processor in processors {
            let filter = Filter { processor: Some((*processor).into()), ..Filter::default() };
            rows.extend(store.described(&filter)?.into_iter().map(|row| (row.variant.clone(), row)));
        }
        Ok(Known { store: Mutex::new(store), rows: Mutex::new(rows) })
    }

    /// What is known of a variant, by a version.
    pub fn row(&self, variant: &Variant, version: &str) -> Option<Described> {
        let rows = self.rows.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        rows.get(&variant.to_string()).filter(|row| row.tool_version == version).cloned()
    }

    /// Other orders and allocations of some variants that are known.
    pub fn seeded(&self, variants: &[Variant], version: &str) -> Vec<Variant> {
        let rows = self.rows.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        let mut found = Vec::new();
        for row in rows.values().filter(|row| row.tool_version == version && row.sha256.is_some()) {
            let Some((choices, seed)) = row.variant.rsplit_once(" seed=") else { continue };
            let plain = variants.iter().find(|v| v.to_string() == choices);
            found.extend(plain.zip(seed.parse().ok()).map(|(v, seed)| Variant { seed, ..v.clone() }));
        }
        found
    }

    /// Stores what is known of a variant.
    pub fn put(&self, row: Described) -> Result<(), WisdomError> {
        let mut store = self.store.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        store.put_described(std::slice::from_ref(&row))?;
        let mut rows = self.rows.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        rows.insert(row.variant.clone(), row);
        Ok(())
    }

    /// Forgets what is known of a problem on a processor: its code is made otherwise now.
    pub fn forget(&self, core: &Core, problem: Problem) -> Result<(), WisdomError> {
        let mut store = self.store.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        store.forget_described(core.name, problem)?;
        let mut rows = self.rows.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        let start = format!("{problem} processor={} ", core.name);
        rows.retain(|variant, _| !format!("{variant} ").starts_with(&start));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use aesmith_extension::sets;

    #[test]
    fn a_version_is_of_what_instructions_do() {
        let parse = |text: &str| Extension::parse(text).unwrap();
        let text = sets::find("smix3").unwrap();
        let of = |text: &str, unit| version(Some((&parse(text), unit)));
        let plain = of(text, Unit::default());
        assert_eq!(of(&format!("# a comment\n{text}"), Unit::default()), plain);
        assert_ne!(of(&text.replace("sbox(", "isbox("), Unit::default()), plain);
        assert_ne!(of(text, Unit { sboxes: 1, ..Unit::default() }), plain);
        assert_ne!(version(None), plain);
    }
}
