//! Functions that a package's files promise beside its code: those that its header declares, and those with
//! certificates. None may be missing in the code.

use super::code::problem_of;
use crate::deliver::CERTIFICATE;
use crate::regular;
use aesmith_emit::{SCHEDULE_SUFFIX, chooses_among, owner, prefix_of_package};
use std::collections::BTreeMap;
use std::path::Path;

/// The package's name, from the name of its library, assembly or object; true for a library.
fn package_of(file: &Path) -> Option<(String, bool)> {
    let name = file.file_name()?.to_str()?;
    let library = name.strip_prefix("lib").and_then(|rest| {
        let end = rest.find(".so").or_else(|| rest.strip_suffix(".a").map(str::len))?;
        Some((rest[..end].to_owned(), true))
    });
    library.or_else(|| Some((file.file_stem()?.to_str()?.to_owned(), false)))
}

/// Names that a header declares as functions.
pub fn declared(header: &str) -> impl Iterator<Item = &str> {
    header.match_indices('(').filter_map(|(at, _)| {
        let before = header[..at].trim_end();
        let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let start = before
            .rfind(|c: char| !word(c))
            .map_or(0, |last| last + before[last..].chars().next().map_or(1, char::len_utf8));
        (start < before.len()).then(|| &before[start..])
    })
}

/// The promised functions that are missing in `found`, all names in the file; each with the source of the promise.
pub fn missing(file: &Path, found: &[&str], certified: &[&str]) -> BTreeMap<String, String> {
    let mut missing = BTreeMap::new();
    let Some((package, library)) = package_of(file) else { return missing };
    let name = format!("{package}.h");
    // Packages for firmware keep it in a folder of sources, and libraries are built beside that folder.
    let places = [file.with_file_name(&name), file.with_file_name("src").join(&name)];
    let header = places.iter().find(|path| path.exists()).unwrap_or(&places[0]).clone();
    let header =
        if header.exists() { regular::read_text(&header).unwrap_or_default() } else { String::new() };
    // A package of several problems contains all names with its prefix.
    let prefix = prefix_of_package(&package);
    let of_several = |symbol: &str| prefix.is_some_and(|prefix| symbol.starts_with(prefix));
    let mut want = |symbol: &str, who: String| {
        if problem_of(symbol).is_some() && !found.contains(&symbol) {
            missing.entry(symbol.to_owned()).or_insert(who);
        }
    };
    for symbol in declared(&header) {
        want(symbol, format!("the header {name} declares it"));
        // The C function that prepares keys calls the key schedule of the package or of each level.
        if let Some(stem) = symbol.strip_suffix("_init").filter(|stem| *stem == package || of_several(stem)) {
            let who = format!("the header {name} declares `{symbol}`, which calls it");
            let of_levels = |symbol: &&&str| chooses_among(stem, &[owner(symbol)]);
            let mut levels = found.iter().filter(of_levels).peekable();
            if levels.peek().is_none() {
                want(&format!("{stem}{SCHEDULE_SUFFIX}"), who);
            } else {
                levels.for_each(|level| want(&format!("{}{SCHEDULE_SUFFIX}", owner(level)), who.clone()));
            }
        }
    }
    let levels = library && header.contains(" of the level ");
    for symbol in certified {
        let own = owner(symbol) == package || (library && of_several(symbol));
        if own || (levels && chooses_among(&package, &[owner(symbol)])) {
            want(symbol, format!("the certificate {symbol}{CERTIFICATE} is of it"));
        }
    }
    missing
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packages_are_named_by_their_files() {
        let name = |file: &str| package_of(Path::new(file));
        assert_eq!(name("a/libx_aes128_ctr.a"), Some(("x_aes128_ctr".into(), true)));
        assert_eq!(name("libx_aes128_ctr.so.1"), Some(("x_aes128_ctr".into(), true)));
        assert_eq!(name("x_aes128_ctr.S"), Some(("x_aes128_ctr".into(), false)));
    }

    #[test]
    fn prototypes_are_found() {
        let text = "/* (so) */\nvoid a_init(a_key *key);\nvoid a\n    (const a_key *key);";
        assert_eq!(declared(text).collect::<Vec<_>>(), ["a_init", "a"]);
        assert_eq!(declared("é(").count(), 0);
    }
}
