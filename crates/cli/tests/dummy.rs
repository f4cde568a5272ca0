//! A processor is a folder and a line: the crate in `tests/dummy` becomes a processor of aesmith when it is copied to
//! `processors` and its line is added to the register. The line of the manifest is what Rust requires of a dependency.

use crate::support::{Place, Said};
use aesmith_processor::trial::is_soak;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The files outside of its folder that the addition changes.
const REGISTER: &str = "processors/all/src/lib.rs";
const MANIFEST: &str = "processors/all/Cargo.toml";
/// The folder of the addition.
const FOLDER: &str = "processors/dummy";

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the workspace")
}

/// The files below a folder, by their paths from `root`.
fn files(root: &Path, folder: &Path, all: &mut BTreeMap<PathBuf, Vec<u8>>) {
    for entry in std::fs::read_dir(root.join(folder)).expect("a folder") {
        let entry = entry.expect("an entry");
        let path = folder.join(entry.file_name());
        if entry.file_type().expect("a type").is_dir() {
            files(root, &path, all);
        } else {
            all.insert(path, std::fs::read(entry.path()).expect("a file"));
        }
    }
}

/// The text of the register with the line of the dummy after the last family.
fn registered(text: &str) -> String {
    let is_family = |line: &&str| {
        let path = line.trim().strip_suffix("::CORES,").and_then(|line| line.strip_prefix("aesmith_"));
        path.is_some_and(|name| name.chars().all(|c| c.is_ascii_alphanumeric()))
    };
    let families: Vec<&str> = text.lines().filter(is_family).collect();
    let place = format!("{}\n", families.join("\n"));
    assert!(families.len() > 5, "{families:?}");
    assert_eq!(text.matches(&place).count(), 1, "the register has one list of families");
    text.replace(&place, &format!("{place}        aesmith_dummy::CORES,\n"))
}

/// The text of the register's manifest with the dependency.
fn depending(text: &str) -> String {
    let place = "[dependencies]\n";
    assert_eq!(text.matches(place).count(), 1, "the manifest has one list of dependencies");
    text.replace(place, &format!("{place}aesmith-dummy = {{ path = \"../dummy\" }}\n"))
}

/// The files of the workspace with the dummy.
fn workspace() -> BTreeMap<PathBuf, Vec<u8>> {
    let root = root();
    let mut all = BTreeMap::new();
    for file in ["Cargo.toml", "LICENSE-APACHE", "LICENSE-MIT"] {
        all.insert(file.into(), std::fs::read(root.join(file)).expect("a file"));
    }
    for folder in ["crates", "processors"] {
        files(&root, Path::new(folder), &mut all);
    }
    let mut dummy = BTreeMap::new();
    files(&root.join("crates/cli/tests/dummy"), Path::new(""), &mut dummy);
    all.extend(dummy.into_iter().map(|(path, text)| (Path::new(FOLDER).join(path), text)));
    for (file, edit) in [(REGISTER, registered as fn(&str) -> String), (MANIFEST, depending)] {
        let text = all.get_mut(Path::new(file)).expect("the file");
        *text = edit(std::str::from_utf8(text).expect("a text")).into();
    }
    all
}

#[test]
fn an_addition_is_a_folder_and_a_line() {
    let (root, with) = (root(), workspace());
    let before = |path: &Path| std::fs::read(root.join(path)).ok();
    let outside = |path: &&PathBuf| !path.starts_with(FOLDER);
    let changed: Vec<&PathBuf> =
        with.keys().filter(outside).filter(|path| before(path).as_ref() != with.get(*path)).collect();
    assert_eq!(changed, [Path::new(MANIFEST), Path::new(REGISTER)]);
    for path in changed {
        let lines = |text: &[u8]| text.iter().filter(|&&c| c == b'\n').count();
        assert_eq!(lines(&with[path]), lines(&before(path).expect("a file")) + 1, "{}", path.display());
    }
    let folder: Vec<&PathBuf> = with.keys().filter(|path| path.starts_with(FOLDER)).collect();
    assert!(folder.contains(&&Path::new(FOLDER).join("src/lib.rs")), "{folder:?}");
}

/// Writes the workspace with the dummy to a folder. Files that are right already stay, so that Cargo builds only what
/// depends on a change.
fn write(tree: &Path) {
    let with = workspace();
    for (path, text) in &with {
        let path = tree.join(path);
        if std::fs::read(&path).ok().as_ref() != Some(text) {
            std::fs::create_dir_all(path.parent().expect("a folder")).expect("it is made");
            std::fs::write(path, text).expect("it is written");
        }
    }
    let mut there = BTreeMap::new();
    for folder in ["crates", "processors"] {
        files(tree, Path::new(folder), &mut there);
    }
    for path in there.keys().filter(|path| !with.contains_key(*path)) {
        std::fs::remove_file(tree.join(path)).expect("it is removed");
    }
    // Cargo adds the dummy to this file.
    let [own, copy] = [root(), tree.to_owned()].map(|folder| folder.join("Cargo.lock"));
    let time = |path: &Path| path.metadata().and_then(|file| file.modified()).ok();
    if time(&copy).is_none_or(|written| time(&own).is_some_and(|changed| changed > written)) {
        std::fs::copy(own, copy).expect("it is copied");
    }
}

/// Builds aesmith with the dummy, and returns its path.
fn build() -> PathBuf {
    let place = Path::new(env!("CARGO_TARGET_TMPDIR")).join("dummy");
    let (tree, target) = (place.join("tree"), place.join("target"));
    write(&tree);
    let mut cargo = Command::new(std::env::var("CARGO").unwrap_or_else(|_| "cargo".into()));
    cargo.args(["build", "--quiet", "--offline", "--profile", "ci", "--package", "aesmith-cli"]);
    let said = cargo.arg("--target-dir").arg(&target).current_dir(&tree).output().expect("cargo runs");
    assert!(said.status.success(), "{}", String::from_utf8_lossy(&said.stderr));
    target.join("ci/aesmith")
}

/// The program with the dummy, in a directory of its own.
struct Dummy {
    program: PathBuf,
    place: Place,
}

impl Dummy {
    fn run(&self, command: &str) -> Said {
        let mut run = Command::new(&self.program);
        run.args(command.split_whitespace()).current_dir(self.place.path("")).env("NO_COLOR", "1");
        run.env("AESMITH_WISDOM", self.place.path("wisdom.sqlite")).output().expect("it runs").into()
    }

    /// The output of a command that succeeds.
    fn out(&self, command: &str) -> String {
        let said = self.run(command);
        assert_eq!(said.code, 0, "{command}: {}{}", said.out, said.err);
        said.out
    }

    /// The lines of JSON of a command that succeeds.
    fn json(&self, command: &str) -> Vec<Value> {
        let out = self.out(&format!("{command} --json"));
        out.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
    }
}

/// This builds the whole program once more; `make soak` runs it.
#[test]
fn a_processor_is_tuned_proved_emitted_verified_and_reported() {
    if !is_soak() {
        return println!("skipped: `make soak` runs aesmith with a processor that is a folder and a line");
    }
    let dummy = Dummy { program: build(), place: Place::new("dummy") };
    let ecb = "aes128-ecb --processor dummy";

    let all = dummy.json("processors");
    let own = all.iter().find(|processor| processor["processor"] == "dummy").expect("it is listed");
    assert_eq!(own["data_cache"], false);
    assert!(dummy.out("processors").contains("eleven instructions"));

    let space = dummy.out(&format!("space {ecb}"));
    assert!(space.contains("tables") && space.contains("last"), "{space}");
    assert!(dummy.run("space aes128-ctr --processor dummy").code != 0, "it has no kernel for a counter");

    let tuned = &dummy.json(&format!("tune {ecb} --effort estimate -o tuned"))[0];
    let certificate = &tuned["winners"][0]["certificate"];
    assert_eq!((&certificate["level"], &certificate["processor"]), (&"proved".into(), &"dummy".into()));
    let winner = certificate["variant"].as_str().expect("a variant");
    assert!(winner.contains("tables=4"), "{winner}");
    assert!(tuned["tried"].as_u64().is_some_and(|tried| tried >= 3), "{tuned}");

    dummy.out(&format!("emit {ecb} --as package -o package"));
    let said = dummy.out("verify package");
    assert!(said.matches("says the same").count() >= 2, "{said}");
    dummy.out(&format!("report {ecb} -o report.html"));
    let page = std::fs::read_to_string(dummy.place.path("report.html")).expect("a page");
    let choices = winner.strip_prefix("aes128-ecb processor=dummy ").expect("the choices come last");
    assert!(page.contains("dummy") && page.contains(choices), "the report is of the winner");
    let count = &dummy.json(&format!("count {ecb}"))[0];
    assert!(count["steady"]["loads"].as_f64().is_some_and(|loads| loads >= 200.0), "{count}");

    let source = "package/src/aesmith_aes128_encrypt.S";
    let text = std::fs::read_to_string(dummy.place.path(source)).expect("the source");
    let changed = text.replacen("0x63,0x7c", "0x63,0x7d", 1);
    assert_ne!(text, changed, "the S-box is there");
    std::fs::write(dummy.place.path(source), &changed).expect("it is written");
    let said = dummy.run("verify package");
    assert_eq!(said.code, 3, "{}{}", said.out, said.err);
    std::fs::write(dummy.place.path(source), &text).expect("it is written");
    objects(&dummy);
}

/// The archive that the package's Makefile builds is verified, and is refused after a byte of its code has changed.
fn objects(dummy: &Dummy) {
    let compiler = "riscv64-unknown-elf-gcc";
    if dummy.place.shell(&format!("command -v {compiler} && make -C package"), &[]).code != 0 {
        return println!("skipped: {compiler} is not installed");
    }
    let archive = dummy.place.shell("ls package/*.a", &[]).out.trim().to_owned();
    let said = dummy.out(&format!("verify {archive}"));
    assert!(said.contains("aesmith_aes128_encrypt"), "{said}");
    let path = dummy.place.path(&archive);
    let mut bytes = std::fs::read(&path).expect("the archive");
    // The return, which becomes a jump to another register.
    let back = [0x67, 0x80, 0x00, 0x00];
    let at = bytes.windows(4).position(|window| window == back).expect("a return");
    bytes[at + 1] = 0;
    std::fs::write(&path, bytes).expect("it is written");
    let said = dummy.run(&format!("verify {archive}"));
    assert_eq!(said.code, 3, "{}{}", said.out, said.err);
}
