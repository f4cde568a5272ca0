//! The extensions that are included with aesmith, one file each.

use aesmith_cipher::problem::nearest;

use crate::file::Extension;

/// The name and text of each.
pub const ALL: &[(&str, &str)] = &[
    ("bertoni-bytes", include_str!("sets/bertoni-bytes.toml")),
    ("bertoni-words", include_str!("sets/bertoni-words.toml")),
    ("bertoni-subword", include_str!("sets/bertoni-subword.toml")),
    ("bertoni-ksfw", include_str!("sets/bertoni-ksfw.toml")),
    ("bertoni", include_str!("sets/bertoni.toml")),
    ("smix3", include_str!("sets/smix3.toml")),
    ("packed", include_str!("sets/packed.toml")),
    ("mixcolumns", include_str!("sets/mixcolumns.toml")),
    ("pair", include_str!("sets/pair.toml")),
    ("zkn", include_str!("sets/zkn.toml")),
    ("v1", include_str!("sets/v1.toml")),
    ("v2", include_str!("sets/v2.toml")),
    ("v3", include_str!("sets/v3.toml")),
    ("v5", include_str!("sets/v5.toml")),
];

/// The text of the extension with this name.
pub fn find(name: &str) -> Option<&'static str> {
    ALL.iter().find(|(n, _)| *n == name).map(|(_, text)| *text)
}

/// The extension with this name; the error is a sentence with similar names.
pub fn included(name: &str) -> Result<Extension, String> {
    let text = find(name).ok_or_else(|| {
        let names: Vec<String> = ALL.iter().map(|(n, _)| (*n).to_owned()).collect();
        match nearest(name, &names, 3).as_slice() {
            [] => format!("no set '{name}' comes with aesmith; `aesmith isa list` lists them"),
            near => format!("no set '{name}' comes with aesmith; near it are: {}", near.join(", ")),
        }
    })?;
    Extension::parse(text).map_err(|m| format!("{name}.toml, {m}"))
}
