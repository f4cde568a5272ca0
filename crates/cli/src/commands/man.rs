//! `completions` and `man` of both programs, derived from the command line's definition.

use crate::arguments::Man;
use crate::deliver::write;
use crate::failure::Failure;
use crate::output::Output;
use aesmith_emit::package::File;
use clap::{Command, CommandFactory};
use serde_json::json;

/// Prints a shell's completion script.
pub fn completions<A: CommandFactory>(
    shell: clap_complete::Shell,
    output: &mut Output,
) -> Result<(), Failure> {
    let mut command = A::command();
    let name = command.get_name().to_owned();
    // The generator panics if a pipe is closed, so it writes into memory first.
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut command, &name, &mut script);
    let mut script = String::from_utf8_lossy(&script).into_owned();
    if shell == clap_complete::Shell::Bash {
        script.push_str(&without_space(&name));
    }
    if output.json {
        return output.object(&json!({ "shell": shell.to_string(), "script": script }));
    }
    output.line(script.trim_end())
}

/// The end of bash's script: a restriction, `--only keys=`, continues after the equals sign, so that no space may follow.
fn without_space(name: &str) -> String {
    // The name of the function that completes, as the generator makes it.
    let function = format!("_{}", name.replace('-', "__"));
    format!(
        r#"
{function}_without_space() {{
    {function} "$@"
    if [[ ${{#COMPREPLY[@]}} -eq 1 && ${{COMPREPLY[0]}} == *= ]]; then
        compopt -o nospace 2>/dev/null || true
    fi
}}
complete -F {function}_without_space -o bashdefault -o default {name}
"#
    )
}

/// Writes a man page for each command.
pub fn pages<A: CommandFactory>(options: &Man, output: &mut Output) -> Result<(), Failure> {
    let mut command = A::command().disable_help_subcommand(true);
    command.build();
    let mut files = Vec::new();
    page(&command, &mut files).map_err(|e| Failure::Other(format!("man pages cannot be made: {e}")))?;
    files.sort_by(|a, b| a.name.cmp(&b.name));
    let pages = write(&files, &options.directory, options.force)?;
    if output.json {
        return output.object(&json!({ "pages": pages }));
    }
    pages.iter().try_for_each(|page| output.line(page))
}

/// Renders the page of a command, after those of its subcommands.
fn page(command: &Command, files: &mut Vec<File>) -> std::io::Result<()> {
    for below in command.get_subcommands().filter(|c| !c.is_hide_set()) {
        page(below, files)?;
    }
    let man = clap_mangen::Man::new(command.clone());
    let mut text = format!(".\\\" Written by aesmith {}.\n", env!("CARGO_PKG_VERSION")).into_bytes();
    man.render(&mut text)?;
    let contents = String::from_utf8_lossy(&text).into_owned();
    files.push(File { name: man.get_filename(), contents });
    Ok(())
}
