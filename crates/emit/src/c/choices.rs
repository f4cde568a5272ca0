//! The choices of kernels that C has, by the names of their dimensions.

use aesmith_arrange::{Interleaving, Variant};

macro_rules! names {
    ($($name:ident $text:literal,)*) => {
        $(pub(super) const $name: &str = $text;)*
        #[cfg(test)]
        const ALL: &[&str] = &[$($name),*];
    };
}

names! {
    KEYS "keys",
    INTERLEAVE "interleave",
    UNROLL "unroll",
    TOGETHER "together",
    DISTANCE "distance",
    INTERVAL "ii",
    PREFETCH "prefetch",
    SOURCE "source",
    AHEAD "ahead",
    RESTRICT "restrict",
    STREAMING "streaming",
    CACHED "cached",
    COUNTER "counter",
    FOLD "fold",
    XOR "xor",
    GATHER "gather",
    LOOP "loop",
    TAIL "tail",
    SCHEDULE "schedule",
    CIRCUIT "circuit",
    TABLES "tables",
    LAST "last",
    SUB_BYTES "subbytes",
    MIX_COLUMNS "mixcolumns",
    INLINE "inline",
    WORDS "words",
    WIPE "wipe",
}

/// The order of independent blocks that a variant's values describe.
pub(super) fn interleaving(variant: &Variant) -> Interleaving {
    Interleaving {
        registers: variant.get(INTERLEAVE),
        distance: variant.get(DISTANCE),
        interval: variant.get(INTERVAL),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use aesmith_processors::this_machine;

    #[test]
    fn every_name_is_a_dimension() {
        for name in ALL {
            assert!(this_machine().table.dimensions.iter().any(|d| d.name == *name), "{name}");
        }
    }
}
