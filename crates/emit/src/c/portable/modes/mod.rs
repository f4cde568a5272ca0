//! The modes in portable C around any technique's cipher: whole groups of blocks, then the remaining blocks, and the
//! last bytes of CTR.

mod chain;
mod entry;
mod groups;

use super::Core;
use crate::c::choices;
use aesmith_arrange::Variant;
use aesmith_cipher::mode::Next;
use aesmith_processor::c::Text;
use aesmith_processor::c::message;

struct Writer<'a> {
    variant: &'a Variant,
    core: &'a dyn Core,
}

/// Writes the function `name` over messages, and the functions that it calls.
pub(super) fn write(t: &mut Text, variant: &Variant, core: &dyn Core, name: &str) {
    let w = Writer { variant, core };
    if variant.problem.mode().is_serial() {
        w.chain(t);
    } else {
        w.message(t);
        if core.sizes().contains(&1) && core.group() > 1 {
            w.blocks(t, 1, false, "blocks_1", false);
        }
        let groups = [core.wide().map(|blocks| (blocks, "wide_")), Some((core.group(), ""))];
        for (group, form) in groups.into_iter().flatten() {
            let cached = core.cached() > 0;
            if variant.on(choices::RESTRICT) {
                w.blocks(t, group, cached, &format!("{form}groups_apart"), true);
            }
            w.blocks(t, group, cached, &format!("{form}groups"), false);
        }
        if !core.sizes().contains(&1) {
            w.partial(t);
        }
    }
    w.entry(t, name);
}

impl Writer<'_> {
    fn ctr(&self) -> bool {
        self.variant.problem.mode().counts()
    }

    fn chained(&self) -> bool {
        self.variant.problem.mode().next() == Next::Text
    }

    fn wipes(&self) -> bool {
        self.variant.on(choices::WIPE)
    }

    fn message(&self, t: &mut Text) {
        let mut more = Vec::new();
        if self.ctr() {
            more.push("uint64_t high, low; /* the counter of the next block */");
        }
        if self.chained() {
            more.push("uint32_t chain[4]; /* the ciphertext block before */");
        }
        message::structure(t, "What is left of a message.", "message", &more);
    }
}
