//! A package's recipe gives the same bytes in later versions: READMEs as earlier versions wrote them, whose hashes must
//! still match. A change of a generator that changes a variant's meaning fails here and needs a new name.

use aesmith_cipher::Problem;
use aesmith_emit::recipe::{Given, Recipe, prefix, problems};
use aesmith_processor::cost::BuiltKernel;
use aesmith_prove::certificate::sha256;
use aesmith_x86::kernels::build;
use aesmith_x86::requirements::REQUIREMENTS;
use aesmith_x86::targets;

#[test]
fn recipes_of_earlier_versions_make_the_same_bytes() {
    let text = include_str!("recipes/several-0.1.0.md");
    assert_eq!(prefix(text), Some("mylib"));
    let of_package: Vec<Problem> = problems(text).unwrap();
    assert_eq!(of_package.len(), 4);
    for problem in of_package {
        for part in Recipe::parse(text, problem).unwrap().parts {
            let level = part.level.unwrap();
            let line = format!("Kernel of {problem} of the level {level}: ");
            let line = text.lines().find_map(|l| l.strip_prefix(&line)).unwrap();
            let (_, hash) = line.split_once("SHA-256 ").unwrap();
            let target = targets::of(REQUIREMENTS.level(&level).unwrap());
            let (_, variant) = &part.message[0];
            let kernel = build(variant, &target).unwrap_or_else(|e| panic!("{variant}: {e}"));
            assert_eq!(sha256(&kernel.bytes), hash, "{level}: {variant}");
        }
    }
}

/// The header's recipe of a firmware package is wrapped as its other comments, and is that of the README.
#[test]
fn recipes_of_earlier_versions_for_firmware_make_the_same_bytes() {
    let readme = include_str!("../../cli/tests/last_release/packages/cortex-m3/README.md");
    let header =
        include_str!("../../cli/tests/last_release/packages/cortex-m3/src/aesmith_aes128_ecb_cortex_m3.h");
    let given = Given::parse(readme).unwrap();
    assert_eq!(Given::parse(header).unwrap(), given);
    assert_eq!(given.variants.len(), 2);
    let core = aesmith_processors::core("cortex-m3").unwrap();
    for (problem, variant) in given.variants {
        // The README has the hash below the variant of each function.
        let hash = format!("variant {variant}  \nsha256 ");
        let (_, hash) = readme.split_once(&hash).unwrap_or_else(|| panic!("{problem}"));
        let kernel = (core.build)(&core.table.parse(&variant).unwrap()).unwrap();
        let built = BuiltKernel::new(core, kernel).unwrap();
        assert_eq!(Some(built.sha256.as_str()), hash.split_whitespace().next(), "{problem}: {variant}");
    }
}
