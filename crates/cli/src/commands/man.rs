//! `aesmith completions` and `aesmith man`: both derived from the command line's definition.

use crate::arguments::Arguments;
use crate::failure::Failure;
use crate::output::Output;
use clap::CommandFactory;
use serde_json::json;
use std::path::Path;

/// Prints a shell's completion script.
pub fn completions(shell: clap_complete::Shell, output: &mut Output) -> Result<(), Failure> {
    // Into memory first: the generator panics where a pipe is closed.
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Arguments::command(), "aesmith", &mut script);
    let mut script = String::from_utf8_lossy(&script).into_owned();
    if shell == clap_complete::Shell::Bash {
        script.push_str(BASH);
    }
    if output.json {
        return output.object(&json!({ "shell": shell.to_string(), "script": script }));
    }
    output.line(script.trim_end())
}

/// A restriction, `--only keys=`, goes on behind its sign of equality: no space is wanted there.
const BASH: &str = r#"
_aesmith_without_space() {
    _aesmith "$@"
    if [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *= ]]; then
        compopt -o nospace 2>/dev/null || true
    fi
}
complete -F _aesmith_without_space -o bashdefault -o default aesmith
"#;

/// Writes a man page for each command.
pub fn pages(directory: &Path, output: &mut Output) -> Result<(), Failure> {
    let cannot = |e| Failure::Other(format!("man pages cannot be written to {}: {e}", directory.display()));
    std::fs::create_dir_all(directory).map_err(cannot)?;
    clap_mangen::generate_to(Arguments::command(), directory).map_err(cannot)?;
    let mut pages: Vec<String> = std::fs::read_dir(directory)
        .map_err(cannot)?
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .filter(|name| name.starts_with("aesmith") && name.ends_with(".1"))
        .map(|name| directory.join(name).display().to_string())
        .collect();
    pages.sort();
    if output.json {
        return output.object(&json!({ "pages": pages }));
    }
    pages.iter().try_for_each(|page| output.line(page))
}
