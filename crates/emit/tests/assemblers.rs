//! Assembles emitted text with GNU as and clang; the result is exactly the kernel's bytes.

use aesmith_arrange::Technique;
use aesmith_cipher::Problem;
use aesmith_emit::{CodeFacts, Function, assembly, objects};
use aesmith_x86::dimensions::{self, Dim};
use aesmith_x86::kernels::build;
use aesmith_x86::requirements::REQUIREMENTS;
use aesmith_x86::targets;
use std::path::PathBuf;
use std::process::Command;

/// The assemblers, as commands that take an output and an input.
const ASSEMBLERS: &[&[&str]] =
    &[&["as", "--64"], &["clang", "-c", "-x", "assembler", "--target=x86_64-linux-gnu"]];

fn scratch(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

fn bytes(function: &Function) -> &[u8] {
    &function.machine_code().unwrap().bytes
}

/// Every value of every dimension on every width, one at a time from a plain and from a rich variant, for each target.
/// Each gives a function.
fn functions() -> Vec<Function> {
    let targets = [targets::AESNI, targets::VAES, targets::ALL];
    let mut functions: Vec<Function> = Vec::new();
    let problems = Problem::all().into_iter().filter(|p| p.key.bits() == 128);
    for problem in problems {
        let rich = dimensions::baseline(problem)
            .with(Dim::Keys, 0x7fff)
            .with(Dim::Interleave, 4)
            .with(Dim::Unroll, 4)
            .with(Dim::Align, 2);
        for base in [dimensions::baseline(problem), rich] {
            for width in 0..3 {
                for dimension in dimensions::TABLE.dimensions(problem, aesmith_arrange::Technique::Aes) {
                    for i in 0..dimension.values.count().min(18) {
                        let value = dimension.values.at(i);
                        let mut variant = base.clone().with(Dim::Width, width);
                        if matches!(Dim::of(dimension), Dim::Source | Dim::Ahead) {
                            variant.set(Dim::Prefetch, 2);
                        }
                        let variant = variant.with(dimension.place, value).clamped();
                        for target in &targets {
                            let Ok(kernel) = build(&variant, target) else { continue };
                            let mut function = Function::new(&kernel);
                            if functions.iter().all(|f| bytes(f) != bytes(&function)) {
                                function.symbol = format!("f{}_{}", functions.len(), function.symbol);
                                functions.push(function);
                            }
                        }
                    }
                }
            }
        }
    }
    other_techniques(&mut functions);
    functions
}

/// Like [`functions`], for the other techniques, from their plain variants, for a CPU of each encoding.
fn other_techniques(functions: &mut Vec<Function>) {
    let sse = targets::of(REQUIREMENTS.level("gfni-sse").unwrap());
    let problems = ["aes128-ctr", "aes128-ecb-dec", "aes128-cbc", "aes128-key", "aes128-key-dec"];
    for technique in Technique::ALL.into_iter().filter(|t| *t != Technique::Aes) {
        for problem in problems {
            let plain = dimensions::plain(problem.parse().unwrap(), technique);
            for dimension in dimensions::TABLE.dimensions(plain.problem, technique) {
                for i in 0..dimension.values.count().min(4) {
                    let variant = plain.clone().with(dimension.place, dimension.values.at(i)).clamped();
                    for target in [sse, targets::AESNI, targets::ALL] {
                        let Ok(kernel) = build(&variant, &target) else { continue };
                        if functions.iter().any(|f| bytes(f) == kernel.bytes) {
                            continue;
                        }
                        // The assembler's output does not depend on the result of a proof.
                        let class = if technique.looks_up_secrets() { "VT" } else { "CT2" };
                        let mut function = Function::new(&kernel);
                        let facts = CodeFacts {
                            level: "E3".into(),
                            constant_time: class.into(),
                            sha256: function.hash().unwrap(),
                            wiped: true,
                            json: "{}".into(),
                            ..CodeFacts::default()
                        };
                        function.symbol = format!("f{}_{technique}", functions.len());
                        functions.push(function.with_facts(facts));
                    }
                }
            }
        }
    }
}

#[test]
fn assemblers_give_the_same_bytes() {
    let functions = functions();
    assert!(functions.len() > 300, "only {} kernels", functions.len());
    let folder = scratch("assemblers");
    let source = folder.join("all.s");
    std::fs::write(&source, assembly::file(&functions).unwrap()).unwrap();
    let mut ran = 0;
    for (n, assembler) in ASSEMBLERS.iter().enumerate() {
        let object = folder.join(format!("all{n}.o"));
        let mut command = Command::new(assembler[0]);
        command.args(&assembler[1..]).arg("-o").arg(&object).arg(&source);
        let Ok(output) = command.output() else {
            println!("skipped: there is no {}", assembler[0]);
            continue;
        };
        let messages = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success() && messages.is_empty(), "{}: {messages}", assembler[0]);
        let read = objects::functions(&std::fs::read(&object).unwrap()).unwrap();
        assert_eq!(read.len(), functions.len());
        for (function, (symbol, made)) in functions.iter().zip(&read) {
            assert_eq!(&function.symbol, symbol);
            let own = bytes(function);
            if own != made {
                let at = own.iter().zip(made).position(|(a, b)| a != b);
                let at = at.unwrap_or(own.len().min(made.len()));
                let show = |b: &[u8]| b[at.saturating_sub(8)..(at + 16).min(b.len())].to_vec();
                panic!(
                    "{}: {} differs at {at:#x} of {}:\n{:02x?}\n{:02x?}",
                    assembler[0],
                    symbol,
                    function.recipe().collect::<Vec<_>>().join("; "),
                    show(own),
                    show(made)
                );
            }
        }
        ran += 1;
    }
    println!("{} kernels through {ran} assemblers", functions.len());
}

/// A directly written object is read back as the same bytes.
#[test]
fn objects_give_the_same_bytes() {
    let functions = functions();
    let read = objects::functions(&objects::object(&functions).unwrap()).unwrap();
    let written: Vec<_> = functions.iter().map(|f| (f.symbol.clone(), bytes(f).to_vec())).collect();
    assert!(written == read);
}
