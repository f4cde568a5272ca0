//! Extensions that a port supports, and those that are refused.

use aesmith_extension::file::Extension;
use aesmith_extension::verilog::Unit;
use aesmith_processor::attach::attached;

use aesmith_extension::sets;

/// The error for an extension on a base.
fn mistake(base: &str, extension: Extension) -> String {
    let base = aesmith_processors::core(base).expect("it is registered");
    let port = base.port.expect("it has one");
    let extension = Box::leak(Box::new(extension));
    attached(base, port, extension, Unit::default()).map(|a| a.isa.rows.len()).unwrap_err().to_string()
}

fn extension(reads: &str, meaning: &str, more: &str) -> Extension {
    let text = format!(
        "name = \"x\"\n[[instruction]]\nname = \"f\"\nreads = {reads}\nwrites = \"d\"\nmeaning = \"{meaning}\"\n{more}"
    );
    Extension::parse(&text).unwrap_or_else(|m| panic!("{m}"))
}

#[test]
fn what_a_port_cannot_carry_is_said_with_the_nearest_that_it_can() {
    let words = sets::included("bertoni-words").expect("parses");
    let line = words.instructions[0].lines.fixed;
    assert_eq!(
        mistake("picorv32", words),
        format!(
            "line {line}: smixw: it is wired to 4 registers, and PCPI of picorv32 has no registers wired to the unit; the nearest that fits is smix of the set smix3, which does the same to a byte"
        )
    );
    let sum = "d = d ^ mixed(sbox(a[7:0])) ^ ror(mixed(sbox(b[15:8])), 24)";
    assert_eq!(
        mistake("arm7tdmi", extension("[\"d\", \"a\", \"b\"]", sum, "")),
        "line 4: f: it reads 3 registers, and the coprocessor space of arm7tdmi hands over 2; the nearest that fits is smixw of the set bertoni-words, which does the same to 4 bytes"
    );
    assert_eq!(
        mistake("picorv32", extension("[\"d\", \"a\", \"b\"]", "d = d & a & b", "")),
        "line 4: f: it reads 3 registers, and PCPI of picorv32 hands over 2; no instruction of the sets that come along does the same with fewer"
    );
}

#[test]
fn encodings_that_the_processor_has_are_refused() {
    let of = |encoding: &str| {
        let more = format!("encoding = {{ rv32 = \"{encoding}\" }}");
        extension("[\"a\", \"b\"]", "d = a ^ b", &more)
    };
    assert_eq!(
        mistake("picorv32", of("0000000 b[4:0] a[4:0] 100 d[4:0] 0110011")),
        "line 7: on picorv32: f: its encoding has codes in common with that of xor; change it, or leave it out and one is chosen"
    );
    let mut named = of("0000000 b[4:0] a[4:0] 100 d[4:0] 0001011");
    named.instructions[0].name = "xor".into();
    assert_eq!(
        mistake("picorv32", named),
        "line 3: on picorv32: xor is an instruction of the processor itself; rename it"
    );
    // On ARM a mnemonic includes a condition.
    for name in ["bne", "moveq", "mov", "b", "ldrb"] {
        let mut named = extension("[\"a\", \"b\"]", "d = a ^ b", "");
        named.instructions[0].name = name.into();
        assert_eq!(
            mistake("arm7tdmi", named),
            format!("line 3: on arm7tdmi: {name} is an instruction of the processor itself; rename it")
        );
    }
}

/// A local name, an operand and a macro may have any name, including one from a processor's table.
#[test]
fn names_of_a_file_are_never_those_of_a_processor() {
    let base = aesmith_processors::core("arm7tdmi").expect("it is registered");
    let port = base.port.expect("it has one");
    let effects = |meaning: &str| {
        let extension = Box::leak(Box::new(extension("[\"a\", \"b\"]", meaning, "")));
        let attached = attached(base, port, extension, Unit::default()).unwrap_or_else(|m| panic!("{m}"));
        let row = &attached.isa.rows[usize::from(attached.isa.find("f").expect("it is there"))];
        (row.steps.clone(), row.effects.clone())
    };
    let plain = effects("t := ror(b, 8); u := t ^ b; d = a ^ u");
    for name in ["xa", "xb", "r4", "z", "cond", "two0"] {
        assert_eq!(effects(&format!("{name} := ror (b, 8); u := {name} ^ b; d = a ^ u")), plain, "{name}");
    }
}

#[test]
fn every_set_fits_the_processors_whose_ports_are_wide_enough() {
    for (name, _) in sets::ALL {
        let wired = sets::included(name).is_ok_and(|e| e.instructions.iter().any(|i| !i.fixed.is_empty()));
        for base in ["arm7tdmi", "picorv32", "vexriscv"] {
            if wired && base != "arm7tdmi" {
                continue;
            }
            let extension = Box::leak(Box::new(sets::included(name).expect("parses")));
            let base = aesmith_processors::core(base).expect("it is registered");
            let port = base.port.expect("it has one");
            if let Err(mistake) = attached(base, port, extension, Unit::default()) {
                panic!("{name} on {}: {mistake}", base.name);
            }
        }
    }
}
