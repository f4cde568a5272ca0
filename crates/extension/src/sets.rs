//! The extensions that come with aesmith, a file each.

/// Name and text of each.
pub const ALL: &[(&str, &str)] = &[
    ("bertoni-bytes", include_str!("sets/bertoni-bytes.toml")),
    ("smix3", include_str!("sets/smix3.toml")),
    ("zkn", include_str!("sets/zkn.toml")),
];

/// The text of the extension of a name.
pub fn find(name: &str) -> Option<&'static str> {
    ALL.iter().find(|(n, _)| *n == name).map(|(_, text)| *text)
}
