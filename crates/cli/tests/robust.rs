//! Full disks, devices, pipes, foreign files and foreign text give a sentence and an ordinary exit code.

use crate::support::{Place, Said, aesmith, has_aes};
use std::fs::{self, File};
use std::os::unix::process::ExitStatusExt;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

fn full() -> File {
    File::options().write(true).open("/dev/full").unwrap()
}

/// Runs a command; panics if it takes more than 30 seconds.
fn soon(mut command: Command) -> Said {
    let mut running =
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let since = Instant::now();
    while running.try_wait().unwrap().is_none() {
        if since.elapsed() > Duration::from_secs(30) {
            let _ = running.kill();
            panic!("{command:?} hangs");
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    running.wait_with_output().unwrap().into()
}

#[test]
fn full_streams_are_ordinary_failures() {
    let place = Place::new("full");
    for (arguments, code) in [
        ("verify absent.o", 1),
        ("wisdom list", 5),
        ("emit aes128-ctr", 2),
        ("nonsense", 2),
        ("emit aes128-ecb --as asm -o out", 0),
    ] {
        let status = place.command(arguments).stderr(full()).stdout(Stdio::null()).status().unwrap();
        assert_eq!((status.code(), status.signal()), (Some(code), None), "{arguments:?} with stderr full");
        let status = place.command(arguments).stderr(full()).stdout(full()).status().unwrap();
        let expected = if code == 0 { 1 } else { code };
        assert_eq!(status.code(), Some(expected), "{arguments:?} with both full");
    }
    for arguments in [
        "--help",
        "--version",
        "emit --help",
        "space aes128-ctr",
        "processors",
        "completions bash",
        "isa list",
        "doctor --json",
        "count aes128-ecb",
    ] {
        let said: Said = place.command(arguments).stdout(full()).output().unwrap().into();
        said.ended(1).warns("could not be written");
    }
}

#[test]
fn devices_pipes_and_large_files_are_refused() {
    let place = Place::new("devices");
    assert!(Command::new("mkfifo").arg(place.path("pipe")).status().unwrap().success());
    assert!(Command::new("mkfifo").arg(place.path("pipe.S")).status().unwrap().success());
    let large = File::create(place.path("large")).unwrap();
    large.set_len(64 << 20).unwrap();
    for (arguments, code, why) in [
        ("emit aes128-ctr --as asm -o out --variant /dev/zero", 1, "no regular file"),
        ("emit aes128-ctr --as asm -o out --variant pipe", 1, "no regular file"),
        ("emit aes128-ctr --as asm -o out --variant large", 1, "more than"),
        ("count pipe", 1, "no regular file"),
        ("verify pipe", 1, "no regular file"),
        ("verify pipe.S", 1, "no regular file"),
        ("verify /dev/zero", 1, "no regular file"),
        ("isa check ./pipe", 1, "no regular file"),
        ("wisdom import pipe", 1, "no regular file"),
        ("--wisdom pipe wisdom list", 5, "no regular file"),
        ("--wisdom /dev/zero wisdom list", 5, "no regular file"),
        ("--wisdom pipe tune aes128-ecb", 5, "no regular file"),
    ] {
        soon(place.command(arguments)).ended(code).warns(why);
    }
    let mut command = place.command("wisdom list");
    command.env("AESMITH_WISDOM", place.path("pipe"));
    assert_eq!(soon(command).code, 5);
    // A line without an end is not read without limit.
    place.write("line", vec![b'x'; 5 << 20]);
    soon(place.command("wisdom import line")).ended(5).warns("longer than");
}

#[test]
fn what_others_wrote_is_not_overwritten() {
    if !has_aes() {
        return;
    }
    let place = Place::new("foreign");
    let emit =
        |more: &[&str]| place.run(&[&["emit", "aes128-ecb", "--as", "package", "-o", "out"], more].concat());
    assert_eq!(emit(&[]).code, 0);
    assert_eq!(emit(&[]).code, 0, "the same again");
    // Another kernel of the same name, and files that were edited but are still marked as aesmith's.
    assert_eq!(emit(&["--only", "interleave=2"]).code, 0);
    for name in
        ["README.md", "Makefile", "aesmith_aes128_ecb.S", "selftest.c", "aesmith_aes128_ecb.certificate.json"]
    {
        let before = fs::read(place.path(format!("out/{name}"))).unwrap();
        place.write(format!("out/{name}"), "mine, of another program\n");
        emit(&["--only", "interleave=3"]).ended(1).warns(name).warns("--force");
        assert_eq!(place.read(format!("out/{name}")), "mine, of another program\n");
        place.write(format!("out/{name}"), before);
    }
    place.write("out/README.md", "mine\n");
    place.write("target", "kept\n");
    assert_eq!(emit(&["--force"]).code, 0);
    assert!(place.read("out/README.md").contains("written by aesmith"));
    fs::remove_file(place.path("out/Makefile")).unwrap();
    std::os::unix::fs::symlink("../target", place.path("out/Makefile")).unwrap();
    emit(&[]).ended(1).warns("no regular file");
    assert_eq!(place.read("target"), "kept\n");
    // A run reports this before it searches.
    fs::create_dir(place.path("tuned")).unwrap();
    place.write("tuned/report.html", "mine\n");
    place.refused("tune aes128-ecb -o tuned", 1, "report.html");
}

/// Every command that writes a file: its arguments, the file, and true if it is fast enough to run twice.
const WRITERS: &[(&[&str], &str, bool)] = &[
    (&["man", "pages"], "pages/aesmith-tune.1", true),
    (&["isa", "verilog", "smix3", "--sbox", "table", "--out", "unit"], "unit/smix3_unit.v", true),
    (&["isa", "verilog", "smix3", "--sbox", "table", "--out", "unit"], "unit/smix3_vectors.hex", true),
    (&["wisdom", "export", "-o", "kept/wisdom.jsonl"], "kept/wisdom.jsonl", true),
    (&["report", "--processor", "arm7tdmi", "-o", "page.html"], "page.html", true),
    (&["report", "aes128-ecb", "-o", "report.html"], "report.html", false),
    (&["bench", "aes128-ecb", "--markdown", "rows.md"], "rows.md", false),
    (&["bench", "--goals", "processors", "--markdown", "goals.md"], "goals.md", false),
    (&["bench", "--goals", "extensions", "--markdown", "more.md"], "more.md", false),
    (&["isa", "explore", "smix3", "--html", "explored.html"], "explored.html", false),
    (&["profile", "bytewise", "--c", "-o", "profile"], "profile/profile.json", false),
    (&["profile", "bytewise", "--processor", "picorv32", "-o", "also"], "also/profile.json", false),
    (&["tune", "aes128-ecb", "--processor", "arm7tdmi", "-o", "tuned"], "tuned/report.html", false),
];

#[test]
fn no_command_overwrites_what_others_wrote() {
    let place = Place::new("writers");
    let known = ["tune", "aes128-ecb", "--processor", "arm7tdmi", "--effort", "estimate", "--trials", "4"];
    place.ok(&[&known[..], &["-o", "known"]].concat());
    for &(arguments, name, quick) in WRITERS {
        let file = place.path(name);
        if quick {
            // The second time it replaces its own file.
            place.ok(arguments);
            place.ok(arguments);
            assert!(fs::metadata(&file).unwrap().len() > 0, "{name}");
        }
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(&file, "mine, of another program\n").unwrap();
        let said = place.ends(arguments, 1);
        let why = format!("{name} is there already and was not written by aesmith");
        assert!(said.err.contains(&why) && said.err.contains("--force"), "{arguments:?}: {}", said.err);
        assert_eq!(fs::read_to_string(&file).unwrap(), "mine, of another program\n", "{arguments:?}");
        if quick {
            place.ok(&[arguments, &["--force"]].concat());
            let text = fs::read_to_string(&file).unwrap();
            assert!(text.contains("aesmith"), "{arguments:?}: {text}");
        }
    }
    // No unfinished file is left, and a pipe is written directly.
    let left = |name: &str| fs::read_dir(place.path(name)).unwrap().count();
    assert_eq!(left("kept"), 1);
    let script = "mkfifo pipe; timeout 20 head -n 1 pipe & timeout 20 \"$1\" wisdom export -o pipe; wait; test -p pipe";
    let said = place.shell(script, &["sh", aesmith()]);
    assert_eq!(said.code, 0, "{}", said.err);
    assert!(said.out.contains("aesmith-wisdom"), "{}", said.err);
    place.refused("wisdom export -o kept", 1, "is a directory");
}

/// A tool that fails without a message, as on a full disk, is no verdict about code; nor is a missing folder.
#[test]
fn failures_around_code_are_no_verdicts() {
    let place = Place::new("no-verdict");
    if !has_aes() {
        return;
    }
    place.ok("emit aes128-ecb --as asm -o out");
    let verify = || place.command("verify out/aesmith_aes128_ecb.S");
    let said: Said = verify().env("CC", "false").output().unwrap().into();
    said.ended(1).warns("cannot be assembled").warns("TMPDIR");
    let said: Said = verify().env("TMPDIR", "/nonexistent").output().unwrap().into();
    said.ended(1).warns("cannot be made").warns("TMPDIR");
}

#[test]
fn budgets_that_could_not_be_kept_are_refused() {
    let place = Place::new("sizes");
    for (problem, size) in [("aes128-ecb", "1GiB"), ("aes128-cbc-x16", "1MiB")] {
        place.refused(&format!("tune {problem} --size {size} --time 1s --trials 2"), 2, "could not be kept");
    }
}

#[test]
fn foreign_text_does_not_reach_terminals_as_commands() {
    let place = Place::new("escapes");
    let (escape, c1) = ("a\u{1b}[2Jb", "\u{9b}31m\u{202e}");
    let name = format!("\"{escape}{c1}_aes128_ecb\"");
    let text =
        format!("\t.text\n\t.globl {name}\n\t.type {name}, @function\n{name}:\n\tret\n\t.size {name}, 1\n");
    place.write("odd.s", text);
    place.write("variants", format!("aes128-ecb {escape}={c1}\n"));
    for arguments in [
        "verify odd.s",
        "verify odd.s --json",
        "emit aes128-ecb --as asm -o out --variant variants",
        "count variants",
    ] {
        let said = place.run(arguments);
        assert_ne!(said.code, 0, "{arguments:?}");
        let all = said.all();
        assert!(all.contains("[2J"), "{arguments:?}: {all}");
        let acts = |c: &char| c.is_control() && *c != '\n' && *c != '\t' || *c == '\u{202e}';
        assert_eq!(all.chars().find(acts), None, "{arguments:?}: {all:?}");
    }
    // A store in which every text is hostile.
    let export = r#"{"kind":"aesmith-wisdom","version":1,"tool_version":"0.1.0","exported_ms":1}
{"kind":"processor","vendor":"GenuineIntel","family":6,"model":207,"stepping":2,"features":["aes","avx"],"name":"Xeon"}
{"kind":"run","key":"k","processor":"GenuineIntel/6/207/2/aes+avx","problem":"aes128-ctr","size":32768,"strategy":"X","seed":1,"options":"","judge":"native","tool_version":"0.1.0","session":"s","command":"c","state":"finished","started_ms":1,"finished_ms":2}
{"kind":"end","lines":3}
"#;
    let hostile =
        export.replace("\"Xeon\"", "\"Xe\\u001b[31mon\\u009b\"").replace("\"X\"", "\"ra\\u001b[31mn\\ndom\"");
    place.write("hostile.jsonl", hostile);
    place.ok("wisdom import hostile.jsonl");
    for arguments in ["wisdom list", "wisdom list --json"] {
        let said = place.ok(arguments).says("[31m");
        assert!(!said.out.chars().any(|c| c.is_control() && c != '\n'), "{:?}", said.out);
    }
}

#[test]
fn certificates_say_each_thing_once_and_nothing_else() {
    if !has_aes() {
        return;
    }
    let place = Place::new("fields");
    place.ok("emit aes128-ecb --as asm -o out");
    let path = place.path("out/aesmith_aes128_ecb.certificate.json");
    let good = fs::read_to_string(&path).unwrap();
    assert!(good.contains("streaming stores are fenced"), "the assumption about fences is listed: {good}");
    let verify = || place.run("verify out/aesmith_aes128_ecb.certificate.json");
    assert_eq!(verify().code, 0);
    let level = "\"level\": \"E3\",";
    for (change, why) in [
        (format!("{level}\n  \"level\": \"E3\","), "duplicate field"),
        (format!("{level}\n  \"also\": \"safe on any machine\","), "unknown field"),
    ] {
        fs::write(&path, good.replacen(level, &change, 1)).unwrap();
        verify().ended(3).warns(why);
        let said = place.run("verify out/aesmith_aes128_ecb.S");
        assert!(said.code == 3 && said.out.contains(why), "{}: {}", said.code, said.out);
    }
}

#[test]
fn what_is_here_is_not_listed_as_missing() {
    let place = Place::new("doctor");
    let said = place.json("doctor --json");
    let missing: Vec<&str> =
        said["packages_missing"].as_array().unwrap().iter().filter_map(|p| p.as_str()).collect();
    for tool in said["tools"].as_array().unwrap() {
        let package = tool["package"].as_str().unwrap();
        assert_eq!(missing.contains(&package), tool["found"].is_null(), "{package} in {missing:?}");
    }
    for package in missing {
        let asked = Command::new("dpkg-query").args(["-W", "-f=${Status}", package]).output();
        let installed = asked.is_ok_and(|said| said.stdout == b"install ok installed");
        let is_a_tool = said["tools"].as_array().unwrap().iter().any(|t| t["package"] == package);
        assert!(!installed || is_a_tool, "{package} is installed");
    }
}
