//! Tests of the units of all included extensions: simulated against the interpreter, and proved equal to their separate
//! instructions.

use std::path::{Path, PathBuf};
use std::process::Command;

use aesmith_extension::area;
use aesmith_extension::code::functions;
use aesmith_extension::file::Extension;
use aesmith_extension::sets;
use aesmith_extension::verilog::{SboxForm, Unit, apart, identifier, ports, testbench, unit, wired};

/// A folder that is removed on drop.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Scratch {
        let path = std::env::temp_dir().join(format!("aesmith-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&path).expect("a directory");
        Scratch(path)
    }

    fn write(&self, file: &str, text: &str) {
        std::fs::write(self.0.join(file), text).expect("writes");
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn there(program: &str) -> bool {
    let found = Command::new(program).arg("-V").output().is_ok();
    if !found {
        println!("skipped: {program} is not installed (package {program})");
    }
    found
}

fn run(directory: &Path, program: &str, arguments: &[&str]) -> (bool, String) {
    let output = Command::new(program).args(arguments).current_dir(directory).output().expect("starts");
    let text =
        String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    (output.status.success(), text)
}

fn extension(name: &str) -> Extension {
    Extension::parse(sets::find(name).expect("it is there")).expect("parses")
}

/// Writes a unit, its bench and its vectors; returns the line that the bench prints on success.
fn written(scratch: &Scratch, extension: &Extension, built: Unit) -> String {
    let name = identifier(&extension.name);
    let vectors = testbench::vectors(extension, 100).expect("computes");
    scratch.write(&format!("{name}.v"), &unit(extension, built).expect("has a unit"));
    scratch.write(&format!("{name}_tb.v"), &testbench::bench(extension, vectors.len()));
    scratch.write(&format!("{name}_vectors.hex"), &testbench::file(&vectors));
    format!("{name}: {} passed, 0 failed", vectors.len())
}

/// The units of every other set, or of all in a soak: what Verilator makes of them takes long to compile.
#[test]
fn units_are_right_under_verilator() {
    if !there("verilator") {
        return;
    }
    let scratch = Scratch::new("verilator");
    let mut expected = Vec::new();
    let (mut top, mut files) = (String::from("`timescale 1ns/1ns\nmodule all;\n"), Vec::new());
    let soak = std::env::var_os("AESMITH_SOAK").is_some();
    for (name, _) in sets::ALL.iter().step_by(if soak { 1 } else { 2 }) {
        let original = extension(name);
        let cycles = |sboxes| Unit { form: Some(SboxForm::Circuit), sboxes }.cycles(&original).expect("has");
        for sboxes in [4, 1] {
            // One S-box is tested with an instruction that takes longer with it: subword and its inverse.
            if sboxes == 1 && (cycles(1) == cycles(4) || name != &"v1") {
                continue;
            }
            let extension = Extension { name: format!("{name}-{sboxes}"), ..original.clone() };
            let built = Unit { form: Some(SboxForm::Circuit), sboxes };
            expected.push(written(&scratch, &extension, built));
            let name = identifier(&extension.name);
            top.push_str(&format!("  {name}_tb bench_{name}();\n"));
            files.extend([format!("{name}_tb.v"), format!("{name}.v")]);
        }
    }
    scratch.write("all.v", &(top + "endmodule\n"));
    // All units have the same S-box modules. The C++ code, with the part that comes from Verilator, is compiled without
    // optimisation, because it runs only for seconds.
    let options = ["--binary", "--timing", "-Wno-fatal", "-Wno-lint", "-Wno-MODDUP"];
    let options = options.into_iter().chain(["-MAKEFLAGS", "OPT_FAST=-O0 OPT_SLOW=-O0 OPT_GLOBAL=-O0"]);
    let arguments: Vec<&str> =
        options.chain(["--top-module", "all", "all.v"]).chain(files.iter().map(String::as_str)).collect();
    let (built, text) = run(&scratch.0, "verilator", &arguments);
    assert!(built, "{text}");
    let (passed, text) = run(&scratch.0, "obj_dir/Vall", &[]);
    for line in expected {
        assert!(passed && text.contains(&line), "'{line}' is not in: {text}");
    }
}

/// The output of a bench under Icarus Verilog.
fn icarus(scratch: &Scratch, name: &str) -> (bool, String) {
    let (unit, bench) = (format!("{name}.v"), format!("{name}_tb.v"));
    let (built, text) = run(&scratch.0, "iverilog", &["-g2012", "-o", "bench", &unit, &bench]);
    assert!(built, "{text}");
    run(&scratch.0, "./bench", &[])
}

#[test]
fn tables_and_any_number_of_s_boxes_are_right_under_icarus() {
    if !there("iverilog") {
        return;
    }
    let scratch = Scratch::new("iverilog");
    let (table, circuit) = (Some(SboxForm::Table), Some(SboxForm::Circuit));
    for (name, form, sboxes) in
        [("smix3", table, 4), ("zkn", table, 4), ("v1", circuit, 2), ("v1", circuit, 3), ("v1", table, 1)]
    {
        let line = written(&scratch, &extension(name), Unit { form, sboxes });
        let (passed, text) = icarus(&scratch, name);
        assert!(passed && text.contains(&line), "{name} with {sboxes}: {text}");
    }
}

/// An extension with an instruction of one S-box and one that applies it twice.
const TWICE: &str = r#"
name = "twice"
about = "two\nlines"
[[instruction]]
name = "once"
reads = ["a"]
writes = "d"
meaning = "d = zx(sbox(a[7:0]), 32)"
latency = 2
[[instruction]]
name = "twice"
reads = ["a"]
writes = "d"
meaning = "d = zx(sbox(sbox(a[7:0])), 32)"
"#;

#[test]
fn units_that_cannot_be_built_are_refused_with_the_instruction() {
    let extension = Extension::parse(TWICE).expect("parses");
    let one = Unit { form: Some(SboxForm::Circuit), sboxes: 1 };
    let refused = "line 14: twice: an S-box is applied to what another gives: the unit needs all 2 at once, 1 are too few";
    assert_eq!(one.timed(&extension).expect_err("is refused").to_string(), refused);
    assert_eq!(unit(&extension, one).expect_err("is refused").to_string(), refused);
    let two = Unit { sboxes: 2, ..one };
    assert_eq!(two.cycles(&extension), Ok(vec![2, 1]));
    if !there("iverilog") {
        return;
    }
    let scratch = Scratch::new("twice");
    let line = written(&scratch, &extension, two);
    let (passed, text) = icarus(&scratch, "twice");
    assert!(passed && text.contains(&line), "{text}");
}

#[test]
fn a_changed_unit_is_found() {
    if !there("iverilog") {
        return;
    }
    let scratch = Scratch::new("changed");
    let extension = extension("smix3");
    let built = Unit { form: Some(SboxForm::Circuit), sboxes: 4 };
    written(&scratch, &extension, built);
    let right = unit(&extension, built).expect("has a unit");
    // The faults are one gate of the S-box, and one bit of the selector's position.
    for (from, to) in [("wire t2 = y12 & y15;", "wire t2 = y12 | y15;"), ("operation[1:0]", "operation[2:1]")]
    {
        assert!(right.contains(from), "{from} is in the unit");
        scratch.write("smix3.v", &right.replacen(from, to, 1));
        let (passed, text) = icarus(&scratch, "smix3");
        assert!(!passed && !text.contains(", 0 failed"), "{from} as {to}: {text}");
    }
}

/// Both units, and a module whose output is 1 where they differ for a valid function code.
fn difference(extension: &Extension, shared: &str) -> String {
    let name = identifier(&extension.name);
    let names = ["a", "b", "c"][..ports(extension)].iter().map(|p| (*p).to_owned());
    let names: Vec<String> = names.chain((0..wired(extension).len()).map(|k| format!("s{k}"))).collect();
    let inputs: String = names.iter().map(|n| format!(", input [31:0] {n}")).collect();
    let connections: String = names.iter().map(|n| format!(", .{n}({n})")).collect();
    let count: u32 = functions(extension).expect("fit").iter().map(|f| 1 << f.selector_bits).sum();
    let apart = apart(extension, SboxForm::Table).expect("has a unit");
    let apart = apart.replace("aes_", "apart_").replace(&format!("{name}_unit"), "apart");
    format!(
        "{shared}\n{apart}\nmodule difference(input [9:0] operation{inputs}, output found);
  wire [31:0] x, y;
  {name}_unit shared(.clk(1'b0), .reset(1'b0), .valid(1'b1), .operation(operation){connections}, .ready(), .result(x));
  apart apart(.clk(1'b0), .reset(1'b0), .valid(1'b1), .operation(operation){connections}, .ready(), .result(y));
  assign found = operation < {count} && x != y;
endmodule
"
    )
}

/// The sets whose units SAT decides in seconds. MixColumns of words whose bytes come from four S-boxes is too hard:
/// those units are only compared with the interpreter.
const PROVED: [&str; 4] = ["smix3", "zkn", "pair", "bertoni-bytes"];

/// The yosys script that searches for a difference with SAT.
const PROOF: &str = "hierarchy -top difference; proc; flatten; opt; memory; techmap; opt; sat -verify -timeout 100 -prove found 0 difference";

#[test]
fn shared_units_are_proved_to_be_the_instructions_one_by_one() {
    if !there("yosys") {
        return;
    }
    let built = Unit { form: Some(SboxForm::Circuit), sboxes: 4 };
    for name in PROVED {
        let extension = extension(name);
        let shared = unit(&extension, built).expect("has a unit");
        let printed = area::yosys(&difference(&extension, &shared), PROOF).expect(name);
        assert!(printed.contains("SAT proof finished - no model found: SUCCESS!"), "{name}: {printed}");
    }
    let extension = extension("smix3");
    let changed =
        unit(&extension, built).expect("has a unit").replacen("t2 = y12 & y15;", "t2 = y12 | y15;", 1);
    assert!(area::yosys(&difference(&extension, &changed), PROOF).is_err(), "a changed gate is found");
}

#[test]
fn the_ratified_set_is_no_larger_than_published() {
    if !there("yosys") {
        return;
    }
    // The published area is 1,149 gate equivalents (Marshall et al., TCHES 2021(1), V3).
    let zkn = area::area(&extension("zkn"), Unit::default()).expect("measures");
    assert!(zkn.gate_equivalents <= 1149.0 && zkn.flip_flops == 0, "{zkn:?}");
    let points = area::curve(&extension("v1")).expect("measures");
    let of =
        |sboxes| points.iter().find(|p| p.sboxes == sboxes && p.form == SboxForm::Circuit).expect("is there");
    assert!(of(1).area.gate_equivalents < of(2).area.gate_equivalents);
    assert!(of(2).area.gate_equivalents < of(4).area.gate_equivalents);
    assert!(of(1).cycles.contains(&4) && of(2).cycles.contains(&2) && of(4).cycles.iter().all(|&c| c == 1));
}
