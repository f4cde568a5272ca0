//! Optional programs and libraries, and the packages that provide them.

use serde::Serialize;
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// An optional program or library.
struct Needed {
    name: &'static str,
    /// Alternative programs, or the names of a shared library.
    any_of: &'static [&'static str],
    library: bool,
    package: &'static str,
    purpose: &'static str,
}

/// Programs and libraries, the Debian and Ubuntu package of each, and its purpose.
const WANTED: &[Needed] = &[
    Needed {
        name: "as",
        any_of: &["as"],
        library: false,
        package: "binutils",
        purpose: "`verify` of .S files; tests of the encodings",
    },
    Needed {
        name: "objdump",
        any_of: &["objdump"],
        library: false,
        package: "binutils",
        purpose: "tests of the encodings",
    },
    Needed {
        name: "valgrind",
        any_of: &["valgrind"],
        library: false,
        package: "valgrind",
        purpose: "`profile`; a second opinion on constant time, in tests",
    },
    Needed {
        name: "abc",
        any_of: &["berkeley-abc", "abc"],
        library: false,
        package: "berkeley-abc",
        purpose: "a second opinion on proofs of bit slices, in tests",
    },
    Needed {
        name: "gcc",
        any_of: &["gcc"],
        library: false,
        package: "gcc",
        purpose: "building packages; measuring the C form",
    },
    Needed {
        name: "g++",
        any_of: &["g++"],
        library: false,
        package: "g++",
        purpose: "tests of the header in C++",
    },
    Needed {
        name: "clang",
        any_of: &["clang", "clang-19", "clang-18", "clang-17", "clang-16", "clang-15", "clang-14"],
        library: false,
        package: "clang",
        purpose: "measuring the C form",
    },
    Needed { name: "make", any_of: &["make"], library: false, package: "make", purpose: "building packages" },
    Needed {
        name: "chromium",
        any_of: &["chromium", "chromium-browser", "google-chrome"],
        library: false,
        package: "chromium",
        purpose: "tests of the report",
    },
    Needed {
        name: "libcrypto",
        any_of: &["libcrypto.so.3", "libcrypto.so.1.1"],
        library: true,
        package: "libssl3",
        purpose: "OpenSSL, the peer that `tune` and `bench` measure",
    },
    Needed {
        name: "libipsec_mb",
        any_of: &["libIPSec_MB.so.1", "libIPSec_MB.so.2"],
        library: true,
        package: "libipsec-mb1",
        purpose: "Intel's multi-buffer library, a peer in `bench`",
    },
];

/// Directories that the dynamic linker searches on Debian, Ubuntu and most other systems.
const LIBRARY_DIRECTORIES: &[&str] = &[
    "/lib/x86_64-linux-gnu",
    "/usr/lib/x86_64-linux-gnu",
    "/lib64",
    "/usr/lib64",
    "/lib",
    "/usr/lib",
    "/usr/local/lib",
];

/// The result of a search for a program or library.
#[derive(Serialize)]
pub(super) struct Found {
    pub name: &'static str,
    pub found: Option<String>,
    pub package: &'static str,
    pub purpose: &'static str,
}

/// Searches for all of them.
pub(super) fn all() -> Vec<Found> {
    WANTED.iter().map(look_for).collect()
}

/// True if dpkg reports a package as installed.
pub(super) fn installed(package: &str) -> bool {
    let asked =
        Command::new("dpkg-query").args(["-W", "-f=${Status}", package]).stdin(Stdio::null()).output();
    asked.is_ok_and(|said| said.stdout == b"install ok installed")
}

fn look_for(wanted: &Needed) -> Found {
    let found = if wanted.library { library(wanted.any_of) } else { program(wanted.any_of) };
    Found { name: wanted.name, found, package: wanted.package, purpose: wanted.purpose }
}

fn library(names: &[&str]) -> Option<String> {
    let extra = std::env::var_os("LD_LIBRARY_PATH").unwrap_or_default();
    let mut directories: Vec<PathBuf> = std::env::split_paths(&extra).filter(|p| p.is_absolute()).collect();
    directories.extend(LIBRARY_DIRECTORIES.iter().map(PathBuf::from));
    let mut places = names.iter().flat_map(|n| directories.iter().map(move |d| d.join(n)));
    places.find(|p| p.exists()).map(|p| p.display().to_string())
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
