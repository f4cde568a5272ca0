//! Kernels measured on a card, from the command line: with a stand-in for CUDA's driver, about which the figures here
//! say nothing.

use crate::support::{Place, Said, root};
use serde_json::Value;
use std::path::Path;
use std::process::Command;

/// Runs a command with that driver and a fault. PATH is empty, so that no machine code is counted, which would take
/// most of the time.
fn run(place: &Place, library: &Path, fault: &str, command: &str) -> Said {
    let mut command = place.command(command);
    command.env("AESMITH_CUDA_DRIVER", library).env("CUDA_STAND_IN", fault).env("PATH", "");
    command.output().expect("runs").into()
}

/// Four kernels; the bound puts those of 256 threads first. On the stand-in thread blocks of 128 threads are the
/// fastest.
const SOME: &str = "--processor gpu --only threads=128,256 --only tables=4 --only replicas=32";
/// One kernel.
const ONE: &str = "--processor gpu --only tables=4 --only replicas=32 --only threads=128 --only blocks=1 --only loads=own \
                   --only width=16 --effort estimate";
const NOWHERE: &str = "/nowhere/libcuda.so";

#[test]
fn the_fastest_on_a_card_is_delivered_and_remembered_for_it() {
    let place = Place::new("card");
    let Some(library) = place.stand_in_of_cuda() else { return };
    let object = run(&place, &library, "", &format!("tune aes128-ecb -o t --json {SOME}")).ended(0).object();
    let (measured, winner) = (&object["measured"], object["certificate"]["variant"].as_str().unwrap());
    assert_eq!(measured["card"]["name"], "Stand-in of a card");
    assert_eq!(object["no_card"], Value::Null);
    let kernels = measured["kernels"].as_array().expect("kernels");
    // The others differ from the bound's winner in choices that no bound covers: loads ahead or not, of three widths.
    assert_eq!(kernels.len(), 4 + 5, "{kernels:?}");
    let ahead = |kernel: &&Value| {
        kernel["variant"].as_str().unwrap().contains("threads=256 counter=each blocks=2 loads=ahead")
    };
    assert_eq!(kernels.iter().filter(ahead).count(), 3, "{kernels:?}");
    assert!(winner.contains("threads=128") && kernels[0]["variant"] == winner, "{winner}");
    let by_bound = object["candidates"][0]["variant"].as_str().unwrap();
    assert!(!by_bound.contains("threads=128"), "not by the bound");
    // The stand-in's events and clocks give 128 bits in 5.5 clock cycles.
    let bits = kernels[0]["bits"].as_f64().unwrap();
    assert!((bits - 128.0 / 5.5).abs() < 0.01, "{bits}");
    assert!((kernels[3]["times"].as_f64().unwrap() - 5.75 / 5.5).abs() < 0.001, "{:?}", kernels[3]);
    assert!(kernels[3]["evidence"] == true && kernels[0]["evidence"] == false);
    assert!(measured["streamed_gbps"].as_f64() > Some(0.0));
    let logic = measured["rates"]["logic"].as_f64().unwrap();
    assert!((logic - 64.0).abs() < 0.1, "{logic}");
    // The same request on such a card returns the winner; elsewhere the static bounds decide.
    let emit = format!("emit aes128-ecb --as ptx {SOME}");
    run(&place, &library, "", &format!("{emit} -o here"))
        .ended(0)
        .warns("measured on Stand-in of a card: 23.27 bits");
    run(&place, Path::new(NOWHERE), "", &format!("{emit} -o elsewhere")).ended(0);
    let text = |folder: &str| place.read(format!("{folder}/aesmith_aes128_ecb.ptx"));
    assert_eq!(text("here"), text("t"), "what was measured");
    assert_ne!(text("elsewhere"), text("t"), "what was not");
    let restriction = "tables=4 replicas=32 threads=256,128";
    place.ok("wisdom list").says("gpu/Stand-in-of-a-card/sm_86/3/13.0").says(restriction);
    // Without the restriction there is no stored result: the bounds decide.
    let free = "emit aes128-ecb --as ptx --processor gpu --only threads=128 -o free";
    let said = run(&place, &library, "", free).ended(0);
    assert!(!said.err.contains("measured on"), "{}", said.err);
    // An export can be imported.
    place.ok("wisdom export -o x.jsonl");
    place.ok("--wisdom another.sqlite wisdom import x.jsonl").says("imported 9 samples and 9 bests");
}

#[test]
fn faults_of_a_card_are_refused_and_nothing_is_delivered() {
    let place = Place::new("card-faults");
    let Some(library) = place.stand_in_of_cuda() else { return };
    for (fault, why) in [
        ("wrong=1", "another result than the cipher in block 8191 of 8192, before timing"),
        ("wrong=20", "another result than the cipher in block 8191 of 8192, after timing"),
        ("garbled=30", "another result than the cipher in block 0, when text is streamed from the host"),
        ("fail=cuLaunchKernel:60", "CUDA's driver refuses cuLaunchKernel: out of memory (2)"),
        ("word=0", "nothing is measured on Stand-in of a card: aesmith_rate_logic stores another word"),
        ("fail=cuDeviceGetName", "CUDA's driver refuses cuDeviceGetName"),
    ] {
        run(&place, &library, fault, &format!("tune aes128-ecb -o t {ONE}")).ended(1).warns(why);
        assert!(!place.path("t").exists(), "{fault}: nothing is delivered");
    }
    // Decryption uses the keys of the equivalent inverse cipher.
    run(&place, &library, "", &format!("tune aes256-ecb-dec -o d {ONE}")).ended(0);
    assert!(place.path("d/aesmith_aes256_ecb_dec.ptx").is_file());
    // Each of several streams has its own key, and in CBC its own initial vector.
    let streams = format!("tune aes128-ecb -o g {ONE} --only keys=group");
    run(&place, &library, "wrong=1", &streams).ended(1).warns("in block 8191 of 8192, before timing");
    for (tune, file) in [
        (streams, "g/aesmith_aes128_ecb.ptx"),
        (format!("tune aes128-cbc -o c {SOME} --effort estimate"), "c/aesmith_aes128_cbc.ptx"),
        (format!("tune aes128-ctr -o n {ONE} --only keys=group"), "n/aesmith_aes128_ctr.ptx"),
    ] {
        run(&place, &library, "", &tune).ended(0).says("measured on Stand-in of a card");
        assert!(place.path(file).is_file(), "{file}");
    }
    // A card with little shared memory gets kernels that fit.
    let few = "--only threads=128 --only replicas=32 --processor gpu --effort estimate";
    let small = format!("tune aes128-ecb -o s --json {few}");
    let object = run(&place, &library, "shared=65536", &small).ended(0).object();
    assert_eq!(object["certificate"]["proof"]["shared"], 65536, "{}", object["certificate"]["variant"]);
}

#[test]
fn where_no_card_is_the_static_bounds_decide() {
    let place = Place::new("no-card");
    run(&place, Path::new(NOWHERE), "", &format!("tune aes128-ecb -o t {SOME}"))
        .ended(0)
        .says("nothing is measured. no GPU here: CUDA's driver library /nowhere/libcuda.so");
    assert!(place.path("t/aesmith_aes128_ecb.ptx").is_file());
}

/// Bitsliced kernels take round keys as masks.
#[test]
fn bit_slices_are_measured_with_their_masks() {
    let place = Place::new("card-slices");
    let Some(library) = place.stand_in_of_cuda() else { return };
    let tune = "tune aes128-ecb --processor gpu -o t --effort estimate --trials 1 --only technique=bitsliced \
                --only warps=1 --only counter=each --only registers=any --only rounds=looped --only width=16";
    run(&place, &library, "", tune).ended(0).says("measured on Stand-in of a card");
    run(&place, &library, "wrong=1", &format!("{tune} --force"))
        .ended(1)
        .warns("in block 8191 of 8192, before timing");
}

/// The script for a machine with a card, run with the stand-in and only the tools listed here. Its results can be read.
#[test]
fn the_script_for_a_card_leaves_what_can_be_read() {
    let place = Place::new("card-script");
    let Some(library) = place.stand_in_of_cuda() else { return };
    // There is no python3, which counts machine code, and no make or compilers, which build packages.
    let tools = place.path("tools");
    std::fs::create_dir(&tools).expect("a folder");
    let missing: Vec<&str> = "bash sh env tar gzip sed awk grep cut tail head tr date uname nproc flock timeout mktemp rm mkdir cat tee \
         basename dirname readlink ls wc sleep ldd find"
        .split_whitespace()
        .filter(|tool| {
            let found = std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default())
                .map(|folder| folder.join(tool))
                .find(|path| path.is_file());
            found.is_none_or(|path| std::os::unix::fs::symlink(path, tools.join(tool)).is_err())
        })
        .collect();
    if !missing.is_empty() {
        return println!("skipped: there is no {}", missing.join(", "));
    }
    let root = root();
    let card = place.path("card");
    std::fs::create_dir(&card).expect("a folder");
    std::fs::copy(root.join("scripts/card.sh"), card.join("card.sh")).expect("is copied");
    // The archive that `prepare` packs, without NVIDIA's translator and the packages.
    std::fs::create_dir_all(place.path("packed/cache/aesmith/judges")).expect("a folder");
    std::fs::copy(env!("CARGO_BIN_EXE_aesmith"), place.path("packed/aesmith")).expect("is copied");
    let mut pack = Command::new("tar");
    pack.arg("-C").arg(place.path("packed")).arg("-czf").arg(card.join("card.tar.gz")).arg(".");
    assert!(pack.status().expect("runs").success());
    // The card's name from the driver, for the lock file by which runs wait for each other.
    let smi = "#!/bin/sh\necho 'Stand-in of a card, 1.2.3, 700.00 W, 1980 MHz, GPU-abababab-abab-abab-abab-abababababab'\n";
    std::fs::write(tools.join("nvidia-smi"), smi).expect("is written");
    let executable = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(tools.join("nvidia-smi"), executable).expect("is set");
    let said = Command::new("bash")
        .arg(card.join("card.sh"))
        .args(["run", "out", "machine", "tune", "cuda", "opencl", "bus"])
        .current_dir(place.path("."))
        .env("PATH", &tools)
        .env("CUDA_PATH", "/nowhere")
        .env("AESMITH_CUDA_DRIVER", &library)
        .env("ONLY", "^ctr cuda|^ctr opencl|^aes128-ecb-dec estimate --only technique=table")
        .env("MORE", "--only threads=128 --only tables=4 --only blocks=1 --only loads=own --only width=16")
        .output()
        .expect("runs");
    let text = std::fs::read_to_string(place.path("out/card.jsonl"));
    let text = text.unwrap_or_else(|e| panic!("{e}: {}", String::from_utf8_lossy(&said.stderr)));
    let run = aesmith_bench::card::Recorded::read(&text).expect("is read");
    assert_eq!((run.machine.card.as_str(), run.machine.driver.as_str()), ("Stand-in of a card", "1.2.3"));
    let [tuned] = &run.tunes[..] else { panic!("one task: {text}") };
    assert_eq!((tuned.problem.as_str(), tuned.on_card.card.uuid.as_str()), ("aes128-ecb-dec", ""));
    assert!(!text.contains("candidates"), "what is long and not read is left out");
    // Skipped parts are reported with their reasons.
    let skipped = |part: &str| {
        let test = run.tests.iter().find(|test| test.part == part).expect("is named");
        assert_eq!(test.came, aesmith_bench::card::Came::NotRun, "{text}");
        test.said.clone()
    };
    assert!(skipped("cuda").contains("no C++ compiler"), "{text}");
    assert!(!skipped("opencl").is_empty());
    assert!(run.copies.is_empty() && text.contains(r#"{"part":"bus","name":"all","skipped":"#), "{text}");
}
