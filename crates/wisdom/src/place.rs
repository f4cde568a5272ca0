//! Location of the store: `$AESMITH_WISDOM`, or the XDG data directory.

use crate::WisdomError;
use std::ffi::OsString;
use std::path::PathBuf;

/// The path of the user's store, by the XDG Base Directory Specification 0.8: relative paths in `XDG_DATA_HOME` are
/// invalid and ignored.
pub fn default_path() -> Result<PathBuf, WisdomError> {
    path_from(|name| std::env::var_os(name))
}

fn path_from(variable: impl Fn(&str) -> Option<OsString>) -> Result<PathBuf, WisdomError> {
    let set = |name| variable(name).filter(|v| !v.is_empty()).map(PathBuf::from);
    if let Some(path) = set("AESMITH_WISDOM") {
        return Ok(path);
    }
    let data = set("XDG_DATA_HOME")
        .filter(|p| p.is_absolute())
        .or_else(|| set("HOME").map(|home| home.join(".local/share")))
        .ok_or(WisdomError::NoPlace)?;
    Ok(data.join("aesmith").join("wisdom.sqlite"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_variables_rank() {
        let place = |set: &[(&str, &str)]| {
            path_from(|name| set.iter().find(|(n, _)| *n == name).map(|(_, v)| v.into()))
        };
        let home = ("HOME", "/home/u");
        assert_eq!(place(&[home]).unwrap(), PathBuf::from("/home/u/.local/share/aesmith/wisdom.sqlite"));
        let xdg = ("XDG_DATA_HOME", "/data");
        assert_eq!(place(&[home, xdg]).unwrap(), PathBuf::from("/data/aesmith/wisdom.sqlite"));
        let relative = ("XDG_DATA_HOME", "data");
        assert_eq!(place(&[home, relative]).unwrap(), place(&[home]).unwrap());
        let own = ("AESMITH_WISDOM", "here.sqlite");
        assert_eq!(place(&[home, xdg, own]).unwrap(), PathBuf::from("here.sqlite"));
        assert!(matches!(place(&[("HOME", "")]), Err(WisdomError::NoPlace)));
    }
}
