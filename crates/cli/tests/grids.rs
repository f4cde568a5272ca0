//! Kernels for GPUs, from the command line to files and back.

mod support;

use support::Place;

/// A small set of variants: no test here depends on the winner.
const SOME: [&str; 4] = ["--processor", "gpu", "--only", "threads=128"];

#[test]
fn what_is_emitted_is_proved_again_and_what_is_changed_is_not() {
    let place = Place::new("grids");
    let emit = ["emit", "aes128-ecb", "--as", "ptx", "-o", "k"];
    let said = place.run(&[&emit[..], &SOME].concat());
    assert_eq!(said.code, 0, "{}", said.err);
    let (text, certificate) = ("k/aesmith_aes128_ecb.ptx", "k/aesmith_aes128_ecb.certificate.json");
    for file in [text, certificate, "k"] {
        let said = place.run(&["verify", file]);
        assert_eq!(said.code, 0, "{file}: {}{}", said.out, said.err);
        assert!(said.out.contains("proved to be aes128-ecb, CT"), "{}", said.out);
        assert!(said.out.contains("says the same"), "{}", said.out);
    }
    let written = std::fs::read_to_string(place.path(text)).unwrap();
    assert!(written.contains("not measured") || written.contains("variant"), "{written}");
    for (from, to, why) in [
        ("+65664];", "+65536];", "is not what FIPS-197 says"),
        ("bar.sync 0;", "", "hangs on the launch"),
        (".reqntid 128, 1, 1", ".reqntid 256, 1, 1", "NOT PROVED"),
        ("ret;", "exit;", "is no instruction that the table PTX has"),
    ] {
        std::fs::write(place.path(text), written.replacen(from, to, 1)).unwrap();
        let said = place.run(&["verify", text]);
        assert_eq!(said.code, 3, "{from} -> {to}: {}", said.out);
        assert!(format!("{}{}", said.out, said.err).contains(why), "{}{}", said.out, said.err);
    }
    // The proof succeeds, but for another kernel than the certificate's.
    std::fs::write(place.path(text), written.replacen("bytes: 131072", "bytes: 131088", 1)).unwrap();
    let said = place.run(&["verify", text]);
    assert_eq!(said.code, 3, "{}", said.out);
    assert!(said.out.contains("DIFFERS") && said.out.contains("SHA-256"), "{}", said.out);
}

/// The kernel in OpenCL C lies beside the proved text, and says which part is not proved.
#[test]
fn a_kernel_in_opencl_tells_what_is_proved_and_who_executed_it() {
    let place = Place::new("grids-opencl");
    let emit = ["emit", "aes128-ctr", "--as", "opencl", "-o", "k"];
    let said = place.run(&[&emit[..], &SOME].concat());
    assert_eq!(said.code, 0, "{}", said.err);
    let read = |name: &str| std::fs::read_to_string(place.path(name)).unwrap();
    let text = read("k/aesmith_aes128_ctr.cl");
    let certificate: serde_json::Value =
        serde_json::from_str(&read("k/aesmith_aes128_ctr.certificate.json")).unwrap();
    let restated = &certificate["restated"];
    let begin = text.find("/*").expect("comments above it end");
    assert_eq!(restated["sha256"], aesmith_prove::certificate::sha256(&text.as_bytes()[begin..]));
    let executed = restated["executed"].as_array().unwrap();
    match executed.is_empty() {
        true => assert!(said.err.contains("nobody has executed"), "{}", said.err),
        false => assert!(executed.iter().all(|by| by["blocks"].as_u64() > Some(100)), "{executed:?}"),
    }
    assert!(text.contains("proved of the ptx") && text.contains("not proved, executed rightly by"), "{text}");
    let said = place.run(&["verify", "k"]);
    assert_eq!(said.code, 0, "{}{}", said.out, said.err);
    assert!(said.out.contains("says the same"), "{}", said.out);
    // The host code contains the same text, each line as a string.
    for ending in [".h", ".c", "_test.c"] {
        assert!(!read(&format!("k/aesmith_aes128_ctr{ending}")).contains('@'), "{ending}");
    }
    let host = read("k/aesmith_aes128_ctr.c");
    let held = text[begin..]
        .lines()
        .map(|line| format!("\"{}\\n\"", line.replace('\\', "\\\\").replace('"', "\\\"")));
    assert!(host.contains(&held.collect::<Vec<_>>().join("\n    ")), "{host}");
    assert!(place.path("k/Makefile").is_file() && place.path("k/CMakeLists.txt").is_file());
}

#[test]
fn a_package_for_cuda_has_the_proved_text_beside_its_host_code() {
    let place = Place::new("grids-cuda");
    for (problem, symbol, function, only) in [
        (
            "aes256-ecb-dec",
            "aesmith_aes256_ecb_dec",
            "decrypt_host(aesmith_aes256_ecb_dec_kernel *kernel, uint8_t *out",
            &[][..],
        ),
        // A kernel for several streams.
        ("aes128-cbc", "aesmith_aes128_cbc", "encrypt_streams_host(aesmith_aes128_cbc_kernel *kernel,", &[]),
        (
            "aes192-ctr",
            "aesmith_aes192_ctr",
            "encrypt_streams_host(aesmith_aes192_ctr_kernel *kernel,",
            &["--only", "keys=group"],
        ),
        // A kernel for many keys.
        (
            "aes128-key-dec",
            "aesmith_aes128_key_dec",
            "expand_host(aesmith_aes128_key_dec_kernel *kernel,",
            &[],
        ),
    ] {
        let emit = ["emit", problem, "--as", "cuda", "-o", problem];
        let said = place.run(&[&emit[..], only, &SOME].concat());
        assert_eq!(said.code, 0, "{}", said.err);
        for ending in [".h", ".cu", "_test.cu", ".ptx", ".certificate.json"] {
            assert!(place.path(format!("{problem}/{symbol}{ending}")).is_file(), "{ending}");
        }
        for file in ["Makefile", "CMakeLists.txt"] {
            assert!(place.path(format!("{problem}/{file}")).is_file(), "{file}");
        }
        let header = std::fs::read_to_string(place.path(format!("{problem}/{symbol}.h"))).unwrap();
        assert!(!header.contains('@') && header.contains(function), "{header}");
        let said = place.run(&["verify", problem]);
        assert_eq!(said.code, 0, "{}{}", said.out, said.err);
    }
}

/// Files that `make` leaves in the folder of a package are not kernels, unless they have the name of one.
#[test]
fn a_package_that_was_built_in_its_folder_is_verified_and_a_kernel_slipped_in_is_not() {
    let place = Place::new("grids-built");
    let of = |tool: &str| std::process::Command::new(tool);
    if let Some(tool) = ["make", "g++", "gcc"].iter().find(|tool| of(tool).arg("--version").output().is_err())
    {
        return println!("skipped: there is no {tool}");
    }
    let said = place.run(&[&["emit", "aes128-ecb", "--as", "cuda", "-o", "k"][..], &SOME].concat());
    assert_eq!(said.code, 0, "{}", said.err);
    let headers = format!("CPPFLAGS=-I{}/../emit/tests/cuda", env!("CARGO_MANIFEST_DIR"));
    let all = ["-s", &headers, "all", "aesmith_aes128_ecb_test.o"];
    let made = of("make").args(all).current_dir(place.path("k")).output().unwrap();
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    let said = place.run(&["verify", "k"]);
    assert_eq!(said.code, 0, "{}{}", said.out, said.err);
    assert_eq!(said.out.matches("says the same").count(), 1, "{}", said.out);
    for file in ["aesmith_aes128_ecb.o", "libaesmith_aes128_ecb.a", "aesmith_aes128_ecb_test.o"] {
        assert!(
            said.out.contains(&format!("{file}: nothing is proved of the C around the kernels")),
            "{}",
            said.out
        );
    }
    // Texts with a function that is named for a problem, or with a call of one.
    for text in [
        "void aesmith_aes128_ecb(void) {}",
        "void aesmith_aes256_ctr_gfni_zmm(void) {}",
        "void aesmith_aes128_cbc(void); void f(void) { aesmith_aes128_cbc(); }",
    ] {
        std::fs::write(place.path("k/other.c"), text).unwrap();
        let compiled =
            of("gcc").args(["-c", "other.c", "-o", "other.o"]).current_dir(place.path("k")).status();
        assert!(compiled.unwrap().success(), "{text}");
        let said = place.run(&["verify", "k"]);
        assert_eq!(said.code, 3, "{text}: {}{}", said.out, said.err);
        std::fs::remove_file(place.path("k/other.o")).unwrap();
        assert_eq!(place.run(&["verify", "k"]).code, 0);
    }
}

#[test]
fn variable_time_is_chosen_only_where_it_is_allowed() {
    let place = Place::new("grids-time");
    let some =
        ["emit", "aes128-ecb", "--as", "ptx", "-o", "k", "--only", "replicas=16", "--only", "blocks=1"];
    let said = place.run(&[&some[..], &SOME].concat());
    assert_eq!(said.code, 1, "{}", said.err);
    assert!(said.err.contains("are of variable time"), "{}", said.err);
    let said = place.run(&[&some[..], &SOME, &["--allow-variable-time"]].concat());
    assert_eq!(said.code, 0, "{}", said.err);
    let written = std::fs::read_to_string(place.path("k/aesmith_aes128_ecb_vt.ptx")).unwrap();
    assert!(written.contains("VT, variable time: the bank of"), "{written}");
}

/// The report for `SOME` with two values of `replicas`, as JSON and as a page.
fn reported(place: &Place, environment: Option<(&str, &str)>) -> (serde_json::Value, String) {
    let report =
        ["report", "aes128-ecb", "--only", "tables=2", "--only", "blocks=1", "--only", "replicas=32,8"];
    let mut command = place.command(&[&report[..], &SOME, &["--json", "--force"]].concat());
    command.envs(environment);
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let said: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let page = std::fs::read_to_string(place.path(said["report"].as_str().unwrap())).unwrap();
    (said, page)
}

#[test]
fn a_page_tells_what_bounds_the_winner_with_a_translator_and_without() {
    let place = Place::new("grids-report");
    // Without any program in PATH there is no translator.
    let (said, page) = reported(&place, Some(("PATH", "/nonexistent")));
    assert_eq!(said["report"], "aesmith-aes128-ecb-gpu.html");
    assert_eq!((&said["problem"], &said["processor"]), (&"aes128-ecb".into(), &"gpu".into()));
    for told in ["no machine code was counted", "by its text", "sm_90 - not measured", "Registers", "of 64"] {
        assert!(page.to_lowercase().contains(&told.to_lowercase()), "{told}: {page}");
    }
    // One of the two cells has constant time; both are shown, and both are the best available.
    let holds = |page: &str| {
        assert_eq!(page.matches("<td class=\"h").count(), 2, "{page}");
        assert_eq!(page.matches("<span>variable time, not allowed</span>").count(), 1, "{page}");
        assert_eq!(page.matches("<strong>winner</strong>").count(), 1, "{page}");
        assert!(
            page.contains("on 132 multiprocessors") && page.contains("takes 512 clocks of that memory"),
            "{page}"
        );
        assert!(!page.contains("<script") && !page.contains("url("), "{page}");
    };
    holds(&page);
    let (_, page) = reported(&place, None);
    holds(&page);
    if page.contains("no machine code was counted") {
        return println!("skipped: NVIDIA's ptxas is not in the cache, and PyPI cannot be reached");
    }
    for architecture in ["sm_75", "sm_80", "sm_90"] {
        assert!(
            page.contains(&format!("static bound, {architecture} - not measured")),
            "{architecture}: {page}"
        );
    }
    assert!(!page.contains("by its text"), "{page}");
}

#[test]
fn what_there_is_not_is_refused_with_a_sentence() {
    let place = Place::new("grids-refused");
    for (arguments, why) in [
        (&["emit", "aes128-ecb", "--as", "asm", "-o", "k", "--processor", "gpu"][..], "--as ptx"),
        (&["emit", "aes128-ecb", "--as", "ptx", "-o", "k"], "--processor gpu"),
        (&["emit", "aes128-ecb", "--as", "ptx", "-o", "k", "--processor", "avr"], "--processor gpu"),
        (&["emit", "aes128-ecb", "--as", "opencl", "-o", "k"], "--processor gpu"),
        (&["emit", "aes128-ecb", "--as", "cuda", "-o", "k", "--processor", "avr"], "--processor gpu"),
        (
            &["emit", "aes128-cbc-x4", "--as", "ptx", "-o", "k", "--processor", "gpu"],
            "there are no kernels of aes128-cbc-x4",
        ),
        (&["tune", "aes128-key", "--processor", "gpu", "--size", "16B"], "expands a key"),
        (&["tune", "aes128-ecb", "--processor", "gpu", "--size", "17B"], "whole blocks of 16 bytes, not 17"),
        (&["tune", "aes128-ecb", "--processor", "gpu", "--alone"], "--alone means nothing on gpu"),
        (&["tune", "aes128-ecb", "--processor", "gpu", "--weight", "repliccas=2"], "did you mean replicas"),
        (&["tune", "aes128-ecb", "--processor", "gpu", "--strategy", "anealing"], "annealing"),
        (&["bench", "aes128-ecb", "--processor", "gpu"], "does not compare with others yet"),
        (&["report", "--processor", "gpu"], "name one, as in `aesmith report aes128-ctr --processor gpu`"),
        (&["report", "aes128-ecb", "--processor", "gpu", "--for", "cold"], "--for means nothing on gpu"),
        (&["report", "aes128-ecb", "--processor", "gpu", "--size", "16B"], "does not go with"),
        (&["report", "aes128-cbc-x4", "--processor", "gpu"], "there are no kernels of aes128-cbc-x4"),
        (
            &["count", "aes128-ecb replicas=4 threads=1024", "--processor", "gpu"],
            "threads=1024 means nothing",
        ),
    ] {
        let said = place.run(arguments);
        assert_eq!(said.code, 2, "{arguments:?}: {}", said.err);
        assert!(said.err.contains(why), "{arguments:?}: {}", said.err);
    }
}

/// A GPU is tuned as other processors are: by any strategy, with weights, trials, a length of message and limits.
#[test]
fn strategies_trials_sizes_and_limits_hold() {
    let place = Place::new("grids-tuned");
    let tune = |more: &[&str]| {
        let some = [
            "tune",
            "aes128-ecb",
            "--processor",
            "gpu",
            "--json",
            "--force",
            "-o",
            "k",
            "--only",
            "technique=table",
        ];
        let said = place.run(&[&some[..], more].concat());
        let found: serde_json::Value = serde_json::from_str(&said.out).unwrap_or_default();
        (said, found)
    };
    let number = |found: &serde_json::Value, key: &str| found[key].as_u64().unwrap_or_default();
    let (said, found) =
        tune(&["--strategy", "annealing", "--trials", "12", "--seed", "7", "--weight", "tables=0"]);
    assert_eq!(said.code, 0, "{}", said.err);
    assert_eq!(
        (&found["strategy"], number(&found, "seed"), number(&found, "tried")),
        (&"annealing".into(), 7, 12)
    );
    let variants = found["candidates"].as_array().unwrap().iter().map(|c| c["variant"].as_str().unwrap());
    assert!(variants.clone().count() > 0 && variants.clone().all(|v| v.contains("tables=4")), "{found}");
    // Shared memory is what a block of threads has of RAM.
    let (said, found) = tune(&["--max-ram", "8KiB", "--allow-variable-time", "--effort", "estimate"]);
    assert_eq!(said.code, 0, "{}", said.err);
    let shared = found["candidates"].as_array().unwrap().iter().map(|c| number(c, "shared"));
    assert!(shared.clone().count() > 0 && shared.clone().all(|bytes| bytes <= 8192), "{found}");
    assert!(found["certificate"]["proof"]["shared"].as_u64() <= Some(8192), "{found}");
    let (said, _) = tune(&["--max-ram", "100"]);
    assert_eq!(said.code, 1, "{}", said.out);
    assert!(said.err.contains("Does not fit") && said.err.contains("100 allowed"), "{}", said.err);
    let (said, found) = tune(&["--objective", "ram", "--allow-variable-time", "--effort", "estimate"]);
    assert_eq!(said.code, 0, "{}", said.err);
    let shared: Vec<u64> =
        found["candidates"].as_array().unwrap().iter().map(|c| number(c, "shared")).collect();
    assert!(shared.is_sorted(), "{shared:?}");
    // Of a message of one block, large blocks of threads are of no use.
    let (said, found) = tune(&["--size", "16B", "--effort", "estimate", "--only", "threads=128,1024"]);
    assert_eq!(said.code, 0, "{}", said.err);
    assert!(found["certificate"]["variant"].as_str().unwrap().contains("threads=128"), "{found}");
}
