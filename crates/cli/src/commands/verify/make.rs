//! Environments in which make runs a package's Makefile as it is written. `verify` uses the variables of the build; any
//! other variable that changes what make does is refused.

use super::assemble::split;
use crate::failure::Failure;
use std::collections::BTreeMap;

/// Variables that make reads beside the Makefile, with what they do.
const REFUSED: &[(&str, &str)] = &[
    ("MAKEFILES", "names files that make reads before the package's Makefile"),
    ("GNUMAKEFLAGS", "gives make other options than its command line"),
    ("VPATH", "names other folders in which make looks for the package's files"),
    ("GPATH", "names other folders in which make looks for the package's files"),
];
/// Letters of options that change neither the commands that make runs nor their order: jobs and load with their numbers,
/// going on after errors, printing, and no rules of its own.
const LETTERS: &str = "jlkrRsSw0123456789.";
/// Long names of such options.
const LONG: &[&str] = &[
    "",
    "jobs",
    "jobserver-auth",
    "jobserver-fds",
    "jobserver-style",
    "keep-going",
    "load-average",
    "max-load",
    "no-builtin-rules",
    "no-builtin-variables",
    "no-keep-going",
    "no-print-directory",
    "no-silent",
    "output-sync",
    "print-directory",
    "quiet",
    "silent",
    "stop",
    "sync-mutex",
];
/// Variables of packages' Makefiles that a command line may set: `verify` uses the first five, and the others change no
/// object.
const SET: &[&str] = &[
    "CC",
    "CFLAGS",
    "CPPFLAGS",
    "CROSS",
    "TARGET",
    "AR",
    "DATADIR",
    "DESTDIR",
    "INCLUDEDIR",
    "LDFLAGS",
    "LIBDIR",
    "PREFIX",
];

/// Refuses an environment that changes what make does in a way that the variables of the build do not show.
pub(super) fn no_other() -> Result<(), Failure> {
    let text = |text: std::ffi::OsString| text.to_string_lossy().into_owned();
    let all: BTreeMap<String, String> =
        std::env::vars_os().map(|(name, value)| (text(name), text(value))).collect();
    wrong(&all)
        .map_or(Ok(()), |why| Err(Failure::NotProved(format!("nothing is assembled: {why}; unset it"))))
}

/// The reason why make may not run a Makefile as it is written, if there is one.
fn wrong(all: &BTreeMap<String, String>) -> Option<String> {
    let has = |name: &str| all.get(name).is_some_and(|value| !value.is_empty());
    if let Some((name, why)) = REFUSED.iter().find(|(name, _)| has(name)) {
        return Some(format!("{name} {why}"));
    }
    // No shell makes a variable of such a name.
    if let Some(name) = all.keys().find(|name| name.starts_with('.')) {
        return Some(format!("{name} is a variable of make's own, which changes how it runs commands"));
    }
    let sets = |name: &str, value: &str| SET.contains(&name) && all.get(name).is_some_and(|own| own == value);
    let is_known = |word: &String| match (word.strip_prefix("--"), word.split_once('=')) {
        (Some(long), _) => LONG.contains(&long.split('=').next().unwrap_or_default()),
        (None, Some((name, value))) => sets(name, value),
        (None, None) => word.trim_start_matches('-').chars().all(|letter| LETTERS.contains(letter)),
    };
    let words = split(all.get("MAKEFLAGS").map_or("", String::as_str));
    let word = words.iter().find(|word| !is_known(word))?;
    Some(match word.split_once('=') {
        Some((name, _)) if !name.starts_with('-') => {
            "MAKEFLAGS sets variables for make that the environment has not".to_owned()
        }
        _ => format!("MAKEFLAGS has `{word}`, which may change what make builds"),
    })
}

#[cfg(test)]
mod tests {
    use super::wrong;

    fn of(variables: &[(&str, &str)]) -> Option<String> {
        wrong(&variables.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect())
    }

    #[test]
    fn usual_environments_are_taken() {
        for flags in [
            "",
            "j4",
            "-j 4",
            "kw -j4 --jobserver-auth=3,4",
            "rR --no-print-directory",
            "s -l2.5 --output-sync=target -- CC=gcc",
            " -j8 --jobserver-auth=fifo:/tmp/GMfifo1 -- PREFIX=/usr",
        ] {
            let all =
                [("CC", "gcc"), ("PREFIX", "/usr"), ("MAKEFLAGS", flags), ("MAKELEVEL", "1"), ("VPATH", "")];
            assert_eq!(of(&all), None, "{flags}");
        }
    }

    #[test]
    fn what_changes_a_build_is_refused() {
        for (name, value, why) in [
            ("MAKEFILES", "a.mk", "before the package's Makefile"),
            ("GNUMAKEFLAGS", "-j4", "other options"),
            ("VPATH", "/tmp", "other folders"),
            ("GPATH", "/tmp", "other folders"),
            (".SHELLFLAGS", "-c :;", "make's own"),
            (".EXTRA_PREREQS", "a", "make's own"),
            ("MAKEFLAGS", "e", "`e`"),
            ("MAKEFLAGS", "kwe", "`kwe`"),
            ("MAKEFLAGS", "-Einclude\\ evil.mk", "`-Einclude evil.mk`"),
            ("MAKEFLAGS", "--eval=CC:=evil", "`--eval=CC:=evil`"),
            ("MAKEFLAGS", "-I/tmp", "`-I/tmp`"),
            ("MAKEFLAGS", "-- CC=clang", "sets variables"),
            ("MAKEFLAGS", "-- OBJECTS=evil.o", "sets variables"),
            ("MAKEFLAGS", "-- CFLAGS+=-DA", "sets variables"),
        ] {
            let said = of(&[("CC", "gcc"), ("OBJECTS", "evil.o"), (name, value)]).unwrap_or_default();
            assert!(said.contains(why), "{name}={value}: {said}");
        }
    }
}
