//! Names of techniques: one on all processors, and earlier names that are still read.

use aesmith_arrange::{Technique, Variant};
use aesmith_cipher::Problem;
use aesmith_processor::core::Core;

const PROBLEMS: [&str; 5] =
    ["aes128-ecb", "aes256-ecb-dec", "aes128-ctr", "aes192-cbc-dec", "aes128-key-dec"];

/// Variants that differ from the plain one in up to two choices, of each problem.
fn variants(core: &'static Core) -> Vec<Variant> {
    let problems = PROBLEMS.map(|text| text.parse::<Problem>().expect("a problem"));
    let near = |problem| {
        let plain = core.table.plain(problem);
        let near = plain.neighbours();
        let more: Vec<Variant> = near.iter().flat_map(Variant::neighbours).collect();
        [vec![plain], near, more].concat()
    };
    problems.into_iter().filter(|problem| (core.solves)(*problem)).flat_map(near).collect()
}

/// The families with other names in version 0.1.0.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Family {
    Avr,
    V6M,
    V7M,
    Arm,
    MicroBlaze,
    Rv32,
    Vectors,
}

fn family(core: &Core) -> Option<Family> {
    let has = |name: &str| core.table.dimensions.iter().any(|d| d.name == name);
    match core.name {
        name if name.starts_with("avr") => Some(Family::Avr),
        name if name.starts_with("cortex-m0") => Some(Family::V6M),
        name if name.starts_with("cortex-") => Some(Family::V7M),
        name if name.starts_with("arm") || name == "strongarm" => Some(Family::Arm),
        _ if has("barrel") => Some(Family::MicroBlaze),
        _ if has("inverse") => Some(Family::Rv32),
        _ if has("shiftrows") => Some(Family::Vectors),
        _ => None,
    }
}

/// The words of version 0.1.0 for a word of today.
fn earlier(family: Family, variant: &Variant, word: &str) -> String {
    let plain = variant.table.plain(variant.problem);
    let first = plain.text_of("technique").unwrap_or_default();
    let words = match (family, word) {
        (Family::Avr, "counter=each") => "caching=none",
        (Family::Avr, "counter=cached") => "caching=first",
        (Family::Avr | Family::MicroBlaze, "schedule=fly") => "schedule=onthefly",
        (Family::MicroBlaze, "schedule=before") => "schedule=stored",
        (Family::MicroBlaze, "technique=bytewise") => "technique=sbox",
        (Family::MicroBlaze, "technique=bitsliced") => "technique=sliced",
        (Family::V6M | Family::V7M, "technique=table") => "technique=tables entries=columns",
        (Family::V6M | Family::V7M, "technique=bytewise") => "technique=tables entries=bytes",
        (Family::V6M, "technique=bitsliced") => "technique=sliced entries=columns",
        (Family::V7M, "technique=bitsliced") => "technique=fixsliced entries=columns",
        (Family::Arm, "technique=table") => "state=bytes technique=table",
        (Family::Arm, "technique=bytewise") => "state=bytes technique=sbox",
        (Family::Arm, "technique=bitsliced") => "state=sliced technique=table",
        (Family::Rv32, "technique=table") => match variant.text_of("tables") {
            Some("1") => "state=bytes technique=table",
            Some("2") => "state=bytes technique=halves",
            _ => "state=bytes technique=tables",
        },
        (Family::Rv32, "technique=bytewise") => "state=bytes technique=sbox",
        (Family::Rv32, "technique=aes") => "state=bytes technique=aes",
        (Family::Rv32, "technique=bitsliced") if first == "aes" => "state=sliced technique=aes",
        (Family::Rv32, "technique=bitsliced") => "state=sliced technique=tables",
        (Family::Rv32, "tables=4" | "tables=2" | "tables=1") => "",
        (Family::Rv32, "counter=each") => "counter=plain",
        (Family::Vectors, "shiftrows=fixsliced") => "rows=fixed",
        (Family::Vectors, "shiftrows=shuffled") => "rows=shifted",
        _ => word,
    };
    words.to_owned()
}

#[test]
fn text_forms_of_earlier_versions_are_read() {
    let mut read = 0;
    for core in aesmith_processors::cores() {
        let Some(family) = family(core) else { continue };
        for variant in variants(core) {
            let now = variant.to_string();
            let words: Vec<String> = now.split(' ').map(|word| earlier(family, &variant, word)).collect();
            let text = words.join(" ");
            assert!(text != now, "{text}");
            assert_eq!(core.table.parse(&text), Ok(variant), "{text}");
            assert_eq!(aesmith_processors::today(core.name, &text), now);
            read += 1;
        }
    }
    assert!(read > 1000, "{read}");
}

/// Lines of earlier wisdom files and packages, some of which name few choices.
#[test]
fn stored_lines_are_read() {
    for (was, now) in [
        (
            "aes128-key processor=cortex-m3 technique=fixsliced rounds=unrolled counter=cached seed=1",
            "technique=bitsliced",
        ),
        ("aes128-key processor=cortex-m3 technique=tables rounds=unrolled counter=cached", "technique=table"),
        ("aes128-ecb processor=cortex-m0 entries=bytes rounds=looped technique=tables", "technique=bytewise"),
        ("aes128-ctr processor=arm7tdmi state=sliced rounds=looped", "technique=bitsliced"),
        ("aes128-ecb processor=arm7tdmi technique=sbox schedule=fly", "technique=bytewise"),
        (
            "aes128-ecb processor=rv32i state=bytes technique=table rounds=unrolled",
            "technique=table tables=1",
        ),
        ("aes128-ecb processor=rv32i technique=halves", "technique=table tables=2"),
        ("aes128-ecb processor=rv32-zkn state=sliced technique=aes code=compressed", "technique=bitsliced"),
        ("aes128-ecb processor=microblaze-5 technique=sliced", "technique=bitsliced"),
        ("aes128-cbc processor=spu rows=fixed", "shiftrows=fixsliced"),
    ] {
        let processor = was.split(' ').find_map(|word| word.strip_prefix("processor=")).expect("names it");
        let text = aesmith_processors::today(processor, was);
        assert!(text.contains(now) && text != was, "{was}: {text}");
    }
}

#[test]
fn a_technique_has_one_name_on_all_processors() {
    // Two techniques at once, for warps of two kinds.
    const MIXED: &str = "mixed";
    for processor in aesmith_processors::all() {
        let dimension = processor.table().dimensions.iter().find(|d| d.name == "technique");
        for name in dimension.into_iter().flat_map(|d| d.all().map(|value| d.show(value))) {
            assert!(name == MIXED || name.parse::<Technique>().is_ok(), "{}: {name}", processor.name());
        }
    }
    for core in aesmith_processors::cores() {
        for variant in variants(core) {
            let named = variant.text_of("technique");
            assert!(named.is_none_or(|name| name == variant.technique.name()), "{variant}");
        }
    }
}

/// A choice that processors share has one name on all of them.
#[test]
fn choices_that_processors_share_have_one_name() {
    for core in aesmith_processors::cores() {
        for dimension in core.table.dimensions {
            let values: Vec<String> = dimension.all().map(|value| dimension.show(value)).collect();
            let among = |names: &[&str]| values.iter().all(|value| names.contains(&value.as_str()));
            let fits = match dimension.name {
                "shiftrows" => among(&["shuffled", "fixsliced"]),
                "schedule" => among(&["before", "fly"]),
                "counter" => among(&["each", "cached", "copied"]),
                "state" | "entries" | "rows" | "caching" => false,
                _ => true,
            };
            assert!(fits, "{}: {} is {}", core.name, dimension.name, dimension.range());
        }
    }
}
