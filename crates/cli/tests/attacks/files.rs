//! Attacks that are files: each folder here contains scripts, `NAME.refuse` and `NAME.accept`, all of which are run. A
//! script makes a file from the package's kernel with the available tools. Its first lines state its subject, a part of
//! the message by which it is refused, and the file to verify.

use super::N;
use crate::support::{Place, check_all, of_tests, sorted};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A script, with the data of its first lines.
struct Script {
    path: PathBuf,
    text: String,
    refused: bool,
}

impl Script {
    fn read(path: PathBuf) -> Script {
        let text = fs::read_to_string(&path).unwrap();
        let refused = path.extension().is_some_and(|e| e == "refuse");
        assert!(refused || path.extension().is_some_and(|e| e == "accept"), "{}", path.display());
        assert!(text.starts_with("# "), "{}: it says nothing of itself", path.display());
        Script { path, text, refused }
    }

    fn line(&self, key: &str) -> Option<&str> {
        self.text.lines().take_while(|line| line.starts_with('#')).find_map(|line| line.strip_prefix(key))
    }

    fn name(&self) -> String {
        let group = self.path.parent().and_then(Path::file_name).unwrap();
        format!("{}-{}", group.display(), self.path.file_name().unwrap().display())
    }

    /// A required tool that is missing.
    fn missing(&self) -> Option<&str> {
        let needed = self.line("# needs: ").unwrap_or_default().split(' ').filter(|tool| !tool.is_empty());
        needed.into_iter().find(|tool| !has(tool))
    }
}

fn has(tool: &str) -> bool {
    let paths = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&paths).any(|folder| folder.join(tool).is_file())
}

/// The scripts of all folders.
fn scripts(root: &Path) -> Vec<Script> {
    let folders = sorted(root).into_iter().filter(|path| path.is_dir());
    let files = folders.flat_map(|folder| sorted(&folder));
    files.filter(|p| p.extension().is_some_and(|e| e != "pyc")).map(Script::read).collect()
}

/// The mistake in a case, if there is one.
fn mismatch(place: &Place, root: &Path, script: &Script) -> Option<String> {
    let name = script.name();
    let folder = place.path(&name);
    fs::create_dir(&folder).unwrap();
    super::tool(&folder, "cp", &["-r", "../base/.", "."]);
    let prelude = fs::read_to_string(root.join("prelude.sh")).unwrap();
    fs::write(folder.join("script.sh"), format!("{prelude}\n{}", script.text)).unwrap();
    let made = Command::new("bash")
        .arg("script.sh")
        .current_dir(&folder)
        .env("N", N)
        .env("PYTHONPATH", root)
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .output()
        .unwrap();
    if !made.status.success() {
        return Some(format!("{name} is not made: {}", String::from_utf8_lossy(&made.stderr)));
    }
    let file = script.line("# verify: ").unwrap_or_else(|| panic!("{name} does not say what to verify"));
    let said = place.run(&["verify", &format!("{name}/{file}")]);
    let text = said.all();
    let as_expected = if script.refused {
        let says = script.line("# says: ").unwrap_or_else(|| panic!("{name} does not say why"));
        said.code == 3 && text.contains(says)
    } else {
        said.code == 0 && said.out.contains("proved E3")
    };
    fs::remove_dir_all(&folder).unwrap();
    (!as_expected).then(|| format!("{name}: exit code {}: {text}", said.code))
}

/// Checks that every case has the verdict of its name, and that each attack has an accepted control.
pub fn check(place: &Place, text: &str) {
    if !["python3", "objcopy", "strip", "gcc"].iter().all(|tool| has(tool)) {
        println!("skipped: there is no python3, or no binutils");
        return;
    }
    let root = of_tests("attacks/files");
    let base = place.path("base");
    fs::create_dir(&base).unwrap();
    fs::copy(place.path(format!("of/{N}.h")), base.join(format!("{N}.h"))).unwrap();
    fs::copy(place.path(format!("of/{N}_support.c")), base.join("support.c")).unwrap();
    let certificates = base.join("certificates-of");
    fs::create_dir(&certificates).unwrap();
    for name in [format!("{N}.certificate.json"), format!("{N}_schedule.certificate.json")] {
        fs::copy(place.path(format!("of/{name}")), certificates.join(name)).unwrap();
    }
    fs::write(base.join("kernel.S"), text).unwrap();
    fs::write(base.join("bad.S"), text.replacen("\tvaesenclast", "\tvaesenc", 1)).unwrap();
    for (from, to) in [("kernel.S", "good.o"), ("bad.S", "bad.o"), ("support.c", "support.o")] {
        super::tool(&base, "cc", &["-O2", "-fPIC", "-fcf-protection", "-c", "-o", to, from]);
    }
    super::tool(&base, "cc", &["-shared", "-o", "good.so", "good.o", "support.o"]);
    let all = scripts(&root);
    let names: Vec<String> = all.iter().map(Script::name).collect();
    for name in names.iter().filter_map(|name| name.strip_suffix(".refuse")) {
        assert!(names.contains(&format!("{name}.accept")), "{name}: nothing beside it is accepted");
    }
    let (run, skipped): (Vec<_>, Vec<_>) = all.iter().partition(|script| script.missing().is_none());
    skipped.iter().for_each(|s| println!("skipped: {}: no {}", s.name(), s.missing().unwrap_or_default()));
    assert!(run.len() >= 150, "{} cases", run.len());
    check_all(&run, |script| mismatch(place, &root, script).into_iter().collect());
}
