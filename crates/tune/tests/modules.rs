//! The modules of a run use only those before them: evaluation knows nothing of the decision, and what is delivered nothing of how it
//! was decided.

use std::path::{Path, PathBuf};

/// The modules, in order.
const ORDER: [&str; 4] = ["evaluate", "deliver", "decide", "run"];

/// All sources below a folder.
fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            sources(&path, found);
        } else {
            found.push(path);
        }
    }
}

/// The lines of a module's source that use a module after it.
fn wrong(module: &str, text: &str) -> Vec<String> {
    let own = ORDER.iter().position(|name| *name == module).expect("a module");
    let later = |line: &&str| ORDER[own + 1..].iter().any(|name| line.contains(&format!("crate::{name}::")));
    let code = text.lines().filter(|line| !line.trim_start().starts_with("//"));
    code.filter(later).map(str::to_owned).collect()
}

#[test]
fn a_module_uses_only_those_before_it() {
    for module in ORDER {
        let mut files = Vec::new();
        sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src").join(module), &mut files);
        assert!(files.len() > 3, "{module}");
        for file in files {
            let text = std::fs::read_to_string(&file).expect("a source");
            assert_eq!(wrong(module, &text), Vec::<String>::new(), "{}", file.display());
        }
    }
}

#[test]
fn a_use_of_a_later_module_is_found() {
    let text = "//! See crate::decide::race.\nuse crate::decide::race::Won;\nuse crate::evaluate::Plan;\n";
    assert_eq!(wrong("deliver", text), ["use crate::decide::race::Won;"]);
    assert_eq!(wrong("run", text), Vec::<String>::new());
}
