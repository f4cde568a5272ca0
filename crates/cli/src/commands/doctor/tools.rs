//! Optional programs and libraries, and the packages that provide them.

use serde::Serialize;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Programs and libraries: kind and name, alternative programs or names of the shared library, the Debian and Ubuntu
/// package, and the purpose.
const WANTED: &str = include_str!("tools.txt");

/// Directories that the dynamic linker searches on most systems, besides those of [`of_architecture`].
const LIBRARY_DIRECTORIES: &[&str] = &["/lib64", "/usr/lib64", "/lib", "/usr/lib", "/usr/local/lib"];

/// The result of a search for a program or library.
#[derive(Serialize)]
pub(super) struct Tool {
    pub name: &'static str,
    pub found: Option<String>,
    pub package: &'static str,
    pub purpose: &'static str,
}

/// Searches for all of them.
pub(super) fn all() -> Vec<Tool> {
    WANTED.lines().filter_map(look_for).collect()
}

/// True if dpkg reports a package as installed.
pub(super) fn installed(package: &str) -> bool {
    let asked =
        Command::new("dpkg-query").args(["-W", "-f=${Status}", package]).stdin(Stdio::null()).output();
    asked.is_ok_and(|said| said.stdout == b"install ok installed")
}

fn look_for(line: &'static str) -> Option<Tool> {
    let columns: Vec<&str> = line.split('|').map(str::trim).collect();
    let [kind, any_of, package, purpose] = columns[..] else { return None };
    let (kind, name) = kind.split_once(' ')?;
    let any_of: Vec<&str> = any_of.split(' ').collect();
    let found = if kind == "library" { library(&any_of) } else { program(&any_of) };
    Some(Tool { name, found, package, purpose })
}

fn library(names: &[&str]) -> Option<String> {
    let extra = std::env::var_os("LD_LIBRARY_PATH").unwrap_or_default();
    let mut directories: Vec<PathBuf> = std::env::split_paths(&extra).filter(|p| p.is_absolute()).collect();
    directories.extend(of_architecture());
    directories.extend(LIBRARY_DIRECTORIES.iter().map(PathBuf::from));
    let mut places = names.iter().flat_map(|n| directories.iter().map(move |d| d.join(n)));
    places.find(|p| p.exists()).map(|p| p.display().to_string())
}

/// Directories that the dynamic linker searches on Debian and Ubuntu, which keep libraries by architecture.
fn of_architecture() -> [PathBuf; 2] {
    ["/lib", "/usr/lib"].map(|folder| Path::new(folder).join(format!("{}-linux-gnu", std::env::consts::ARCH)))
}

/// The first line of the `--version` output of the first program that runs.
fn program(names: &[&str]) -> Option<String> {
    names.iter().find_map(|name| {
        let asked =
            Command::new(name).arg("--version").stdin(Stdio::null()).stderr(Stdio::null()).output().ok()?;
        let text = String::from_utf8_lossy(&asked.stdout);
        Some(text.lines().next().unwrap_or(name).chars().take(60).collect())
    })
}
