//! The units of all extensions under Verilator, held against the interpreter; and their area.

use std::path::Path;
use std::process::Command;

use aesmith_extension::file::Extension;
use aesmith_extension::verilog::{SboxForm, identifier, testbench, unit};
use aesmith_extension::{meaning, sets};

fn bench(directory: &Path, extension: &Extension, form: SboxForm) {
    let isa = meaning::table(extension).expect("compiles");
    let name = identifier(&extension.name);
    let vectors = testbench::vectors(extension, &isa, 1000).expect("computes");
    std::fs::write(directory.join(format!("{name}.v")), unit(extension, &isa, form).expect("has a unit"))
        .expect("writes");
    std::fs::write(directory.join(format!("{name}_tb.v")), testbench::bench(extension, vectors.len()))
        .expect("writes");
    std::fs::write(directory.join(format!("{name}_vectors.hex")), testbench::vectors_file(&vectors))
        .expect("writes");
    let run = |program: &str, arguments: &[&str]| {
        let output = Command::new(program).args(arguments).current_dir(directory).output().expect("starts");
        (
            output.status.success(),
            String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr),
        )
    };
    let (unit, bench) = (format!("{name}.v"), format!("{name}_tb.v"));
    let (built, text) = run("iverilog", &["-g2005-sv", "-Wall", "-o", "bench", &unit, &bench]);
    assert!(built, "{text}");
    let (passed, text) = run("./bench", &[]);
    assert!(passed && text.contains(&format!("{} passed, 0 failed", vectors.len())), "{name}: {text}");
    // The bench can fail: a result that is changed is found.
    let mut wrong = vectors.clone();
    wrong[7][5] ^= 1;
    std::fs::write(directory.join(format!("{name}_vectors.hex")), testbench::vectors_file(&wrong))
        .expect("writes");
    let (_, text) = run("./bench", &[]);
    assert!(text.contains("1 failed"), "{text}");
}

#[test]
fn units_compute_what_their_instructions_mean() {
    if Command::new("iverilog").arg("-V").output().is_err() {
        println!("skipped: iverilog is not installed (package iverilog)");
        return;
    }
    for (name, text) in sets::ALL {
        for form in [SboxForm::Table, SboxForm::Circuit] {
            let directory =
                std::env::temp_dir().join(format!("aesmith-{}-{name}-{form:?}", std::process::id()));
            std::fs::create_dir_all(&directory).expect("a directory");
            bench(&directory, &Extension::parse(text).expect("parses"), form);
            std::fs::remove_dir_all(&directory).expect("removed");
        }
    }
}
