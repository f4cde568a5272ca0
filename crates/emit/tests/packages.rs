//! Packages build with only make and a compiler, pass their own self-test, link as the README says, and their header is
//! valid C++.

use crate::built::{
    assembly_package, builds_and_passes, certified, code, files, function, has_aes, run, scratch, there_is,
};
use aesmith_arrange::Technique;
use aesmith_cipher::{Problem, Task};
use aesmith_emit::c::Program;
use aesmith_emit::package::{Form, FunctionSet, Package};
use aesmith_emit::{CodeFacts, Function, Naming, assembly, objects, problem_of_symbol};
use aesmith_x86::dimensions::{self, Dim};
use aesmith_x86::kernels::{build, dispatch};
use aesmith_x86::targets;
use std::path::Path;

#[test]
fn assembly_packages() {
    if !there_is("make") || !there_is("cc") || !has_aes() {
        return;
    }
    for name in ["aes128-ecb", "aes256-ecb-dec", "aes192-cbc", "aes128-cbc-x4", "aes192-cbc-dec"] {
        let problem: Problem = name.parse().unwrap();
        let package = assembly_package(problem, function(&dimensions::baseline(problem))).unwrap();
        builds_and_passes(name, &files(&package).unwrap());
    }
    for name in ["aes256-key", "aes192-key-dec"] {
        let problem: Problem = name.parse().unwrap();
        let package = assembly_package(problem, None).unwrap();
        builds_and_passes(name, &files(&package).unwrap());
    }
}

#[test]
fn c_packages() {
    if !there_is("make") || !there_is("cc") || !has_aes() {
        return;
    }
    let width = targets::here().lanes().ilog2() as u16;
    for name in ["aes256-ctr", "aes128-ecb-dec", "aes192-cbc-x4", "aes256-key-dec"] {
        let problem: Problem = name.parse().unwrap();
        let schedule = dimensions::baseline(problem.key_schedule()).with(Dim::Schedule, 1);
        let mut program = Program {
            problem,
            choices: vec![],
            schedule: Some(schedule),
            table: false,
            naming: Naming::default(),
        };
        let plain = dimensions::baseline(problem);
        let wide = plain.clone().with(Dim::Width, width).with(Dim::Interleave, 4);
        if problem.task == Task::Ctr {
            program.table = true;
            program.choices = vec![
                (Some(200), plain),
                (Some(5000), wide.clone().with(Dim::Cached, 1)),
                (None, wide.with(Dim::Cached, 2).with(Dim::Restrict, 1).with(Dim::Streaming, 1)),
            ];
        } else if problem.is_message() {
            program.choices = vec![(None, wide)];
        }
        let folder =
            builds_and_passes(&format!("c-{name}"), &Package::of_c(&program).unwrap().files(Form::Package));
        if problem.streams() > 1 && there_is("clang") {
            run(&folder, "make", &["-s", "clean"]);
            run(&folder, "make", &["-s", "check", "CC=clang", "CFLAGS=-O2 -Werror"]);
        }
        program.schedule = None;
        assert!(Package::of_c(&program).unwrap_err().0.contains("needs its kernel"));
    }
}

/// C for any processor, with its own support and no query of CPU features.
#[test]
fn portable_packages() {
    if !there_is("make") || !there_is("cc") {
        return;
    }
    for (name, technique) in [
        ("aes128-ctr", Technique::Table),
        ("aes192-cbc-x2", Technique::Bytewise),
        ("aes256-cbc-dec", Technique::Bitsliced),
        ("aes192-key-dec", Technique::Bitsliced),
    ] {
        let problem: Problem = name.parse().unwrap();
        let schedule = Some(dimensions::plain(problem.key_schedule(), technique));
        let message = problem.is_message().then(|| (None, dimensions::plain(problem, technique)));
        let program = Program {
            problem,
            choices: message.into_iter().collect(),
            schedule,
            table: false,
            naming: Naming::default(),
        };
        let files = Package::of_portable_c(&program).unwrap().files(Form::Package);
        let text: String = files.iter().map(|f| f.contents.as_str()).collect();
        let variable_time = technique.looks_up_secrets();
        assert_eq!(text.contains("VARIABLE TIME"), variable_time);
        for file in files.iter().filter(|f| f.name.starts_with("aesmith_")) {
            assert_eq!(file.name.contains("_vt"), variable_time, "{}", file.name);
        }
        assert!(!text.contains("cpuid.h") && !text.contains("__asm__"), "{name} is not portable");
        builds_and_passes(&format!("portable-{name}"), &files);
    }
}

/// Kernels of variable time have it in their names, and are not printed without a certificate.
#[test]
fn variable_time_is_in_every_name() {
    let Some(mut function) = function(&dimensions::baseline("aes128-ecb".parse().unwrap())) else {
        println!("skipped: no AES instructions");
        return;
    };
    // The bytes do not matter here: the class comes from the certificate alone.
    code(&mut function).variants = vec![(None, dimensions::plain(function.problem, Technique::Table))];
    let facts = function.facts.take().unwrap();
    assert!(assembly::file(&[function.clone()]).unwrap_err().0.contains("without a certificate"));
    let slow = CodeFacts { constant_time: "VT".into(), ..facts };
    let unnamed = Function { facts: Some(slow.clone()), ..function.clone() };
    assert!(objects::object(&[unnamed]).unwrap_err().0.contains("_vt"));
    let function = function.with_facts(slow);
    assert_eq!(function.symbol, "aesmith_aes128_ecb_vt");
    let problem: Problem = "aes128-ecb".parse().unwrap();
    let files = files(&assembly_package(problem, Some(function)).unwrap()).unwrap();
    for file in files.iter().filter(|f| f.name.starts_with("aesmith_")) {
        assert!(file.name.contains("_vt"), "{}", file.name);
    }
    for name in ["aesmith_aes128_ecb_vt.S", "aesmith_aes128_ecb_vt.h", "README.md"] {
        let text = &files.iter().find(|f| f.name == name).unwrap().contents;
        assert!(text.to_uppercase().contains("VARIABLE TIME"), "{name}");
    }
}

/// A choice by length, the counter table, and the objects read back as the original bytes.
#[test]
fn a_dispatched_counter_package() {
    if !there_is("make") || !there_is("cc") || !has_aes() {
        return;
    }
    let problem: Problem = "aes256-ctr".parse().unwrap();
    let width = targets::here().lanes().ilog2() as u16;
    let base = dimensions::baseline(problem).with(Dim::Width, width).with(Dim::Interleave, 4);
    let kernels = [
        build(&dimensions::baseline(problem), &targets::here()).unwrap(),
        build(&base.clone().with(Dim::Cached, 1), &targets::here()).unwrap(),
        build(&base.with(Dim::Cached, 2).with(Dim::Wipe, 1), &targets::here()).unwrap(),
    ];
    let joined =
        dispatch(&[(Some(64), &kernels[0]), (Some(4096), &kernels[1]), (None, &kernels[2])]).unwrap();
    let message = Function::new(joined.machine_code(&[&kernels[0], &kernels[1], &kernels[2]]));
    let message = certified(message, false);
    let package = assembly_package(problem, Some(message)).unwrap();
    let folder = builds_and_passes("dispatched", &files(&package).unwrap());
    let read = objects::functions(&std::fs::read(folder.join("aesmith_aes256_ctr.o")).unwrap()).unwrap();
    let wanted = [package.message.as_ref(), Some(&package.schedule), package.table.as_ref()];
    assert_eq!(read.len(), 3);
    for ((symbol, bytes), function) in read.iter().zip(wanted.into_iter().flatten()) {
        assert!(*bytes == function.machine_code().unwrap().bytes, "{symbol} changed");
        assert_eq!(problem_of_symbol(symbol), Some(function.problem));
    }
    installs(&folder, "aesmith_aes256_ctr");
}

/// Installs a package with the usual variables: the file for pkg-config names the folders of each installation, and a
/// program finds the shared library by its soname.
fn installs(folder: &Path, name: &str) {
    run(folder, "make", &["-s"]);
    let root = scratch("installed");
    let destination = format!("DESTDIR={}", root.display());
    run(folder, "make", &["-s", "install", "PREFIX=/opt/aes", &destination]);
    run(
        folder,
        "make",
        &["-s", "install", "PREFIX=/usr", "LIBDIR=/usr/lib64", "INCLUDEDIR=/srv/h", &destination],
    );
    for (file, lines) in [
        ("opt/aes/lib", ["prefix=/opt/aes", "libdir=${prefix}/lib", "includedir=${prefix}/include"]),
        ("usr/lib64", ["prefix=/usr", "libdir=${prefix}/lib64", "includedir=/srv/h"]),
    ] {
        let path = root.join(file).join(format!("pkgconfig/{name}.pc"));
        let pc = std::fs::read_to_string(&path).unwrap();
        assert!(lines.iter().all(|line| pc.lines().any(|l| l == *line)), "{}: {pc}", path.display());
    }
    // Options with blanks in a folder's name are whole for the shell that a build passes them through.
    run(folder, "make", &["-s", "install", "PREFIX=/opt/a b", &destination]);
    let pc = std::fs::read_to_string(root.join(format!("opt/a b/lib/pkgconfig/{name}.pc"))).unwrap();
    for line in
        [&*format!("Libs: -L\"${{libdir}}\" -l{name}"), "Cflags: -I\"${includedir}\"", "prefix=/opt/a b"]
    {
        assert!(pc.lines().any(|l| l == line), "{line}: {pc}");
    }
    let shared = std::fs::read_link(root.join(format!("usr/lib64/lib{name}.so"))).unwrap();
    let shared = shared.display().to_string();
    let bytes = std::fs::read(root.join("usr/lib64").join(&shared)).unwrap();
    let carried = format!("\0{shared}\0").into_bytes();
    assert!(bytes.windows(carried.len()).any(|w| w == carried), "{shared} does not carry its name");
    assert!(shared.starts_with(&format!("lib{name}.so.0.")), "{shared}");
    for file in ["README.md", "LICENSE-APACHE", "LICENSE-MIT"] {
        assert!(root.join(format!("usr/share/doc/{name}/{file}")).is_file(), "{file}");
    }
    assert!(
        root.join(format!("srv/h/{name}.h")).is_file()
            && root.join(format!("usr/lib64/lib{name}.a")).is_file()
    );
}

#[test]
fn parts_that_do_not_belong_together_are_refused() {
    let Some(ecb) = function(&dimensions::baseline("aes128-ecb".parse().unwrap())) else {
        println!("skipped: no AES instructions");
        return;
    };
    let problem: Problem = "aes128-ctr".parse().unwrap();
    let package = assembly_package(problem, Some(ecb)).unwrap();
    assert!(files(&package).unwrap_err().0.contains("aes128-ecb was given"));
    let cached = function(&dimensions::baseline(problem).with(Dim::Cached, 1)).unwrap();
    let package = FunctionSet { table: None, ..assembly_package(problem, Some(cached)).unwrap() };
    assert!(files(&package).unwrap_err().0.contains("reads the key's table"));
    let package = assembly_package(problem, None).unwrap();
    assert!(files(&package).unwrap_err().0.contains("needs its kernel"));
}
