//! The choices of kernels that portable C has, by the names of their dimensions.

macro_rules! names {
    ($($name:ident $text:literal,)*) => {
        $(pub(super) const $name: &str = $text;)*
        #[cfg(test)]
        const ALL: &[&str] = &[$($name),*];
    };
}

names! {
    INTERLEAVE "interleave",
    RESTRICT "restrict",
    CACHED "cached",
    LOOP "loop",
    CIRCUIT "circuit",
    TABLES "tables",
    LAST "last",
    SUB_BYTES "subbytes",
    MIX_COLUMNS "mixcolumns",
    INLINE "inline",
    WORDS "words",
    WIPE "wipe",
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
