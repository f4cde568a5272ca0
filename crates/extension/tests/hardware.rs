//! The units of all extensions that come along, simulated and held against the interpreter.

use std::path::Path;
use std::process::Command;

use aesmith_extension::file::Extension;
use aesmith_extension::sets;
use aesmith_extension::verilog::{SboxForm, Unit, identifier, testbench, unit};

fn run(directory: &Path, program: &str, arguments: &[&str]) -> (bool, String) {
    let output = Command::new(program).args(arguments).current_dir(directory).output().expect("starts");
    let text =
        String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    (output.status.success(), text)
}

fn bench(directory: &Path, extension: &Extension, built: Unit) {
    let name = identifier(&extension.name);
    let vectors = testbench::vectors(extension, 200).expect("computes");
    let (module, bench) = (format!("{name}.v"), format!("{name}_tb.v"));
    let write = |file: &str, text: &str| std::fs::write(directory.join(file), text).expect("writes");
    write(&module, &unit(extension, built).expect("has a unit"));
    write(&bench, &testbench::bench(extension, vectors.len()));
    write(&format!("{name}_vectors.hex"), &testbench::file(&vectors));
    let (built, text) = run(directory, "iverilog", &["-g2012", "-Wall", "-o", "bench", &module, &bench]);
    assert!(built, "{text}");
    let (passed, text) = run(directory, "./bench", &[]);
    assert!(passed && text.contains(&format!("{} passed, 0 failed", vectors.len())), "{name}: {text}");
    // The bench can fail: a result that is changed is found.
    let mut wrong = vectors.clone();
    wrong[7].result ^= 1;
    write(&format!("{name}_vectors.hex"), &testbench::file(&wrong));
    let (_, text) = run(directory, "./bench", &[]);
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
            let built = Unit { form: Some(form), ..Unit::default() };
            bench(&directory, &Extension::parse(text).expect("parses"), built);
            std::fs::remove_dir_all(&directory).expect("removed");
        }
    }
}
