//! Round keys that do not fit in registers: operands in memory, or spilled to the stack as compilers do.

use aesmith_x86::dimensions;
use aesmith_x86::kernels::build;
use aesmith_x86::targets;
use std::collections::HashSet;

/// The number of distinct kernels with the first 0 to 15 round keys in registers.
fn kernels(text: &str) -> usize {
    let of = |keys: u32| {
        let variant = dimensions::variant(&format!("{text} keys={:#06x}", (1u32 << keys) - 1)).unwrap();
        build(&variant, &targets::ALL).unwrap().bytes
    };
    (0..16).map(of).collect::<HashSet<_>>().len()
}

#[test]
fn with_spilled_keys_each_number_of_keys_is_a_kernel_of_its_own() {
    for text in [
        "aes256-ctr ii=9",
        "aes256-cbc-dec interleave=8",
        "aes256-cbc-x4 together=yes",
        "aes256-cbc-dec interleave=4 ii=9",
    ] {
        assert_eq!(kernels(&format!("{text} overflow=spill")), 16, "{text}");
    }
    // Without spilling, keys beyond the registers change nothing.
    assert!(kernels("aes256-ctr interleave=8") < 10);
    assert_eq!(kernels("aes256-cbc-x4 together=yes"), 3);
}

#[test]
fn what_finds_a_register_is_not_spilled() {
    let both = ["memory", "spill"].map(|overflow| {
        let text = format!("aes256-ctr width=zmm interleave=4 keys=0x7fff overflow={overflow}");
        build(&dimensions::variant(&text).unwrap(), &targets::ALL).unwrap().bytes
    });
    assert_eq!(both[0], both[1]);
}

#[test]
fn a_text_names_the_choice_only_where_it_was_made() {
    let text = dimensions::variant("aes256-ctr keys=0x00ff").unwrap().to_string();
    assert!(!text.contains("overflow"), "{text}");
    let text = dimensions::variant("aes256-ctr keys=0x00ff overflow=spill").unwrap().to_string();
    assert!(text.contains("overflow=spill"), "{text}");
}
