//! Sources of processors from PyPI: packages of pinned version and content, which pip fetches into the cache, where
//! they are unpacked. None of them is installed, and no Python runs afterwards.

use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use super::{built, need, step};

/// A package of PyPI.
#[derive(Clone, Copy, Debug)]
pub struct Wheel {
    /// Its name.
    pub name: &'static str,
    /// Its version.
    pub version: &'static str,
    /// SHA-256 of the file, which pip checks.
    pub sha256: &'static str,
}

/// Fetches a package that is not in the cache yet, and returns the folder in which it is unpacked.
pub fn fetched(wheel: &Wheel) -> Result<PathBuf, String> {
    built(wheel.name, &[wheel.version.as_bytes(), wheel.sha256.as_bytes()], |work| {
        let python = need("python3", "python3-pip")?;
        let wanted = work.join("requirements.txt");
        let line = format!("{}=={} --hash=sha256:{}\n", wheel.name, wheel.version, wheel.sha256);
        std::fs::write(&wanted, line).map_err(|e| format!("{} cannot be written: {e}", wanted.display()))?;
        let fetch = [
            "-m",
            "pip",
            "--disable-pip-version-check",
            "download",
            "--quiet",
            "--no-deps",
            "--require-hashes",
        ];
        step(
            Command::new(&python).args(fetch).arg("-d").arg(work).arg("-r").arg(&wanted),
            Duration::from_secs(300),
        )
        .map_err(|why| {
            format!(
                "{} {} cannot be fetched from PyPI (is there a network, and python3-pip?): {why}",
                wheel.name, wheel.version
            )
        })?;
        let files = std::fs::read_dir(work).map_err(|e| e.to_string())?;
        let file = files
            .filter_map(|entry| Some(entry.ok()?.path()))
            .find(|path| path.extension().is_some_and(|e| e == "whl"))
            .ok_or_else(|| format!("pip fetched no wheel of {}", wheel.name))?;
        step(
            Command::new(&python).args(["-m", "zipfile", "-e"]).arg(&file).arg(work),
            Duration::from_secs(120),
        )?;
        std::fs::remove_file(&file).map_err(|e| format!("{} cannot be removed: {e}", file.display()))
    })
}
