//! Kernels for GPUs, from the command line to files and back.

use crate::support;
use crate::support::{Place, Said};
use serde_json::Value;

/// A small set of variants: no test here depends on the winner.
const SOME: &str = "--processor gpu --only threads=128 --only loads=own --only registers=any";

#[test]
fn what_is_emitted_is_proved_again_and_what_is_changed_is_not() {
    let place = Place::new("grids");
    place.ok(&format!("emit aes128-ecb --as ptx -o k {SOME}"));
    let (text, certificate) = ("k/aesmith_aes128_ecb.ptx", "k/aesmith_aes128_ecb.certificate.json");
    for file in [text, certificate, "k"] {
        place.ok(&format!("verify {file}")).says("proved to be aes128-ecb, CT").says("says the same");
    }
    // Whoever launches the kernel has to keep the conditions, of which the text says nothing.
    for (problem, apart) in [("aes128-ecb", false), ("aes128-cbc-dec", true)] {
        let file = format!("{}/aesmith_{}.ptx", if apart { "c" } else { "k" }, problem.replace('-', "_"));
        if apart {
            place.ok(&format!("emit {problem} --as ptx -o c {SOME}"));
        }
        let conditions = place.json(&format!("verify {file} --json"))["conditions"].to_string();
        assert!(conditions.contains("bytes of shared memory"), "{conditions}");
        assert_eq!(conditions.contains("are not the same memory"), apart, "{conditions}");
        assert_eq!(conditions.contains("are the same memory or do not overlap"), !apart, "{conditions}");
    }
    let written = place.read(text);
    assert!(written.contains("not measured") || written.contains("variant"), "{written}");
    for (from, to, why) in [
        ("+65664];", "+65536];", "is not what FIPS-197 says"),
        ("bar.sync 0;", "", "hangs on the launch"),
        (".reqntid 128, 1, 1", ".reqntid 256, 1, 1", "NOT PROVED"),
        ("ret;", "exit;", "is no instruction that the table PTX has"),
    ] {
        place.write(text, written.replacen(from, to, 1));
        let said = place.ends(&format!("verify {text}"), 3);
        assert!(said.all().contains(why), "{}{}", said.out, said.err);
    }
    // The proof succeeds, but for another kernel than the certificate's.
    place.write(text, written.replacen("bytes: 131072", "bytes: 131088", 1));
    place.ends(&format!("verify {text}"), 3).says("DIFFERS").says("SHA-256");
}

/// The kernel in OpenCL C lies beside the proved text, and says which part is not proved.
#[test]
fn a_kernel_in_opencl_tells_what_is_proved_and_who_executed_it() {
    let place = Place::new("grids-opencl");
    let said = place.ok(&format!("emit aes128-ctr --as opencl -o k {SOME}"));
    let read = |name: &str| place.read(name);
    let text = read("k/aesmith_aes128_ctr.cl");
    let certificate = place.read_json("k/aesmith_aes128_ctr.certificate.json");
    let restated = &certificate["restated"];
    let begin = text.find("/*").expect("comments above it end");
    assert_eq!(restated["sha256"], aesmith_prove::certificate::sha256(&text.as_bytes()[begin..]));
    let executed = restated["executed"].as_array().unwrap();
    match executed.is_empty() {
        true => assert!(said.err.contains("no program has executed"), "{}", said.err),
        false => assert!(executed.iter().all(|by| by["blocks"].as_u64() > Some(100)), "{executed:?}"),
    }
    assert!(text.contains("proved of the ptx") && text.contains("not proved, executed rightly by"), "{text}");
    place.ok("verify k").says("says the same");
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
    let all = [
        ("aes256-ecb-dec", "decrypt_host", " uint8_t *out", ""),
        // Kernels for several streams.
        ("aes192-ctr", "encrypt_streams_host", "", "--only keys=group"),
        // A kernel for many keys.
        ("aes128-key-dec", "expand_host", "", ""),
        ("aes128-cbc", "encrypt_streams_host", "", ""),
    ];
    // Texts and host code of all kinds are compared in `crates/emit` and `processors/gpu`.
    let few = if aesmith_processor::trial::is_soak() { all.len() } else { 2 };
    for (problem, function, arguments, only) in all.into_iter().take(few) {
        let symbol = format!("aesmith_{}", problem.replace('-', "_"));
        let function = format!("{function}({symbol}_kernel *kernel,{arguments}");
        place.ok(&format!("emit {problem} --as cuda -o {problem} {only} {SOME}"));
        for ending in [".h", ".cu", "_test.cu", ".ptx", ".certificate.json"] {
            assert!(place.path(format!("{problem}/{symbol}{ending}")).is_file(), "{ending}");
        }
        for file in ["Makefile", "CMakeLists.txt"] {
            assert!(place.path(format!("{problem}/{file}")).is_file(), "{file}");
        }
        let header = place.read(format!("{problem}/{symbol}.h"));
        assert!(!header.contains('@') && header.contains(&function), "{header}");
        place.ok(&format!("verify {problem}"));
    }
}

/// Files that `make` leaves in the folder of a package are not kernels, unless they have the name of one.
#[test]
fn a_package_that_was_built_in_its_folder_is_verified_and_a_kernel_slipped_in_is_not() {
    let place = Place::new("grids-built");
    if !support::has(&["make", "g++", "gcc"]) {
        return;
    }
    place.ok(&format!("emit aes128-ecb --as cuda -o k {SOME}"));
    let headers = format!("CPPFLAGS=-I{}/../emit/tests/cuda", env!("CARGO_MANIFEST_DIR"));
    place.shell("make -s -C k \"$0\" all aesmith_aes128_ecb_test.o", &[&headers]).ended(0);
    let said = place.ok("verify k");
    assert_eq!(said.out.matches("says the same").count(), 1, "{}", said.out);
    for file in ["aesmith_aes128_ecb.o", "libaesmith_aes128_ecb.a", "aesmith_aes128_ecb_test.o"] {
        let unproved = format!("{file}: nothing is proved of the C around the kernels");
        assert!(said.out.contains(&unproved), "{}", said.out);
    }
    // Texts with a function that is named for a problem, or with a call of one.
    for text in [
        "void aesmith_aes128_ecb(void) {}",
        "void aesmith_aes256_ctr_gfni_zmm(void) {}",
        "void aesmith_aes128_cbc(void); void f(void) { aesmith_aes128_cbc(); }",
    ] {
        place.write("k/other.c", text);
        place.shell("gcc -c k/other.c -o k/other.o", &[]).ended(0);
        place.ends("verify k", 3);
        std::fs::remove_file(place.path("k/other.o")).unwrap();
        place.ok("verify k");
    }
}

/// The texts of the files in a folder, without certificates, which have the duration of their proof.
fn texts(place: &Place, folder: &str) -> Vec<(String, String)> {
    let is_certificate = |path: &std::path::PathBuf| path.to_str().unwrap().ends_with(".certificate.json");
    let files = support::sorted(&place.path(folder)).into_iter().filter(|path| !is_certificate(path));
    files.map(|path| (path.file_name().unwrap().to_str().unwrap().to_owned(), place.read(path))).collect()
}

/// The README's command makes the package again, byte for byte, with its prefix and its time.
#[test]
fn a_package_is_made_again_by_the_command_of_its_readme() {
    let place = Place::new("grids-recipe");
    for (number, (problem, options)) in [
        ("aes128-ecb", "--as cuda --prefix mine"),
        ("aes256-ecb", "--as opencl --only replicas=16 --only blocks=1 --allow-variable-time"),
    ]
    .into_iter()
    .enumerate()
    {
        let (first, again) = (format!("first-{number}"), format!("again-{number}"));
        place.ok(&format!("emit {problem} {options} -o {first} {SOME}"));
        let readme = place.read(format!("{first}/README.md"));
        let command = readme.lines().find_map(|line| line.strip_prefix("aesmith emit ")).expect("a command");
        let command = command.replace("README.md", &format!("{first}/README.md")).replace("FOLDER", &again);
        place.ok(&format!("emit {command}"));
        assert_eq!(texts(&place, &again), texts(&place, &first), "{command}");
        place.ok(&format!("verify {again}"));
    }
    assert!(place.path("again-0/mine_aes128_ecb.cu").is_file());
    let readme = "first-0/README.md";
    place.refused(
        &format!("emit aes256-ctr --processor gpu --as cuda --variant {readme} -o x"),
        2,
        "no variant of aes256-ctr",
    );
    // An earlier version's README has the variant among other words.
    let old = support::of_tests("last_release/packages/gpu");
    let from = old.join("README.md").display().to_string();
    place.ok(&["emit", "aes128-key", "--processor", "gpu", "--as", "ptx", "-o", "old", "--variant", &from]);
    let name = "aesmith_aes128_key.certificate.json";
    assert_eq!(place.read_json(format!("old/{name}"))["sha256"], place.read_json(old.join(name))["sha256"]);
}

/// Two packages of one problem go into one program under two prefixes, and not under one.
#[test]
fn packages_with_prefixes_are_linked_together() {
    let place = Place::new("grids-prefix");
    if !support::has(&["make", "g++", "gcc", "ld"]) {
        return;
    }
    let headers = format!("CPPFLAGS=-I{}/../emit/tests/cuda", env!("CARGO_MANIFEST_DIR"));
    for (folder, prefix) in [("one", "--prefix one"), ("two", "--prefix two"), ("a", "")] {
        place.ok(&format!("emit aes128-ecb --as cuda -o {folder} {prefix} {SOME}"));
        place.ok(&format!("verify {folder}"));
        place.shell(&format!("make -s -C {folder} \"$0\""), &[&headers]).ended(0);
    }
    place.shell("cp -r a b", &[]).ended(0);
    let link = |folders: &str| {
        place.shell(&format!("ld -r --whole-archive {folders} -o all.o && nm -g --defined-only all.o"), &[])
    };
    let said = link("one/lib*.a two/lib*.a").ended(0);
    for symbol in ["one_aes128_ecb_open", "two_aes128_ecb_open"] {
        assert!(said.out.contains(symbol), "{}", said.out);
    }
    let said = link("a/lib*.a b/lib*.a");
    assert!(said.code != 0 && said.err.contains("multiple definition"), "{}", said.err);
    place.refused(&format!("emit aes128-ecb --as cuda -o x --prefix 1st {SOME}"), 2, "cannot be a prefix");
}

#[test]
fn variable_time_is_chosen_only_where_it_is_allowed() {
    let place = Place::new("grids-time");
    let emit = format!("emit aes128-ecb --as ptx -o k --only replicas=16 --only blocks=1 {SOME}");
    place.refused(&emit, 1, "are of variable time");
    place.ok(&format!("{emit} --allow-variable-time"));
    let written = place.read("k/aesmith_aes128_ecb_vt.ptx");
    assert!(written.contains("VT, variable time: the bank of"), "{written}");
}

/// The report for `SOME` with two values of `replicas`, as JSON and as a page.
fn reported(place: &Place, environment: Option<(&str, &str)>) -> (Value, String) {
    let report = "report aes128-ecb --only tables=2 --only blocks=1 --only replicas=32,8 --json --force";
    let mut command = place.command(&format!("{report} {SOME}"));
    let said = Said::from(command.envs(environment).output().unwrap()).ended(0).object();
    let page = place.read(said["report"].as_str().unwrap());
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
        ("emit aes128-ecb --as asm -o k --processor gpu", "--as ptx"),
        ("emit aes128-ecb --as ptx -o k", "--processor gpu"),
        ("emit aes128-ecb --as ptx -o k --processor avr", "--processor gpu"),
        ("emit aes128-ecb --as opencl -o k", "--processor gpu"),
        ("emit aes128-ecb --as cuda -o k --processor avr", "--processor gpu"),
        ("emit aes128-cbc-x4 --as ptx -o k --processor gpu", "there are no kernels of aes128-cbc-x4"),
        ("tune aes128-key --processor gpu --size 16B", "expands a key"),
        ("tune aes128-ecb --processor gpu --size 17B", "whole blocks of 16 bytes, not 17"),
        ("tune aes128-ecb --processor gpu --alone", "--alone means nothing on gpu"),
        ("tune aes128-ecb --processor gpu --weight repliccas=2", "did you mean replicas"),
        ("tune aes128-ecb --processor gpu --strategy anealing", "annealing"),
        ("bench aes128-ecb --processor gpu", "does not compare with others yet"),
        ("report --processor gpu", "name one, as in `aesmith report aes128-ctr --processor gpu`"),
        ("report aes128-ecb --processor gpu --for cold", "--for means nothing on gpu"),
        ("report aes128-ecb --processor gpu --size 16B", "does not go with"),
        ("report aes128-cbc-x4 --processor gpu", "there are no kernels of aes128-cbc-x4"),
        ("count 'aes128-ecb replicas=4 threads=1024' --processor gpu", "threads=1024 means nothing"),
    ] {
        place.refused(arguments, 2, why);
    }
}

/// A GPU is tuned as other processors are: by any strategy, with weights, trials, a length of message and limits.
#[test]
fn strategies_trials_sizes_and_limits_hold() {
    let place = Place::new("grids-tuned");
    let tune = "tune aes128-ecb --processor gpu --json --force -o k --only technique=table";
    let found = |more: &str| place.json(&format!("{tune} {more}"));
    let number = |found: &Value, key: &str| found[key].as_u64().unwrap_or_default();
    let candidates = |found: &Value| found["candidates"].as_array().unwrap().clone();
    let shared = |found: &Value| candidates(found).iter().map(|c| number(c, "shared")).collect::<Vec<_>>();
    let annealed = found("--strategy annealing --trials 12 --seed 7 --weight tables=0");
    assert_eq!(annealed["strategy"], "annealing");
    assert_eq!((number(&annealed, "seed"), number(&annealed, "tried")), (7, 12));
    let variants = candidates(&annealed);
    let has_tables = |c: &Value| c["variant"].as_str().unwrap().contains("tables=4");
    assert!(!variants.is_empty() && variants.iter().all(has_tables), "{annealed}");
    // Shared memory is what a block of threads has of RAM.
    let small = found("--max-ram 8KiB --allow-variable-time --effort estimate");
    let bytes = shared(&small);
    assert!(!bytes.is_empty() && bytes.iter().all(|bytes| *bytes <= 8192), "{small}");
    assert!(small["certificate"]["proof"]["shared"].as_u64() <= Some(8192), "{small}");
    place.refused(&format!("{tune} --max-ram 100"), 1, "Does not fit").warns("100 allowed");
    let bytes = shared(&found("--objective ram --allow-variable-time --effort estimate"));
    assert!(bytes.is_sorted(), "{bytes:?}");
    // Of a message of one block, large blocks of threads are of no use.
    let short = found("--size 16B --effort estimate --only threads=128,1024");
    assert!(short["certificate"]["variant"].as_str().unwrap().contains("threads=128"), "{short}");
}
