//! Certificates: the search for those of a file, and their contents.

use super::code::Said;
use super::files;
use crate::failure::Failure;
use crate::handout::CERTIFICATE;
use crate::regular;
use std::path::{Path, PathBuf};

/// The path of a certificate, and its contents.
pub type Read = (PathBuf, Result<Said, Failure>);

/// The function of a certificate beside code, by the certificate's file name.
pub fn symbol_of(file: &Path) -> Option<&str> {
    file.file_name()?.to_str()?.strip_suffix(CERTIFICATE)
}

/// The certificates of a file: beside it, and in the certificates folder of its package.
pub fn certificates_by(file: &Path) -> Vec<Read> {
    let here = file.parent().filter(|d| !d.as_os_str().is_empty()).unwrap_or(Path::new("."));
    // The certificates folder lies beside the folder of a package's sources.
    let above = if here.file_name().is_some() {
        here.with_file_name("certificates")
    } else {
        "../certificates".into()
    };
    let folders = [here.to_path_buf(), here.join("certificates"), above];
    let all = folders.iter().flat_map(|folder| files(folder));
    all.filter(|path| symbol_of(path).is_some() && path.file_name() != file.file_name())
        .map(|path| (path.clone(), read_certificate(&path)))
        .collect()
}

/// The certificate of a function in a file: one with the file's name is preferred to one with the function's.
pub fn certificate_of<'c>(file: &Path, symbol: &str, all: &'c [Read]) -> Option<&'c Read> {
    let stem = file.file_stem().and_then(|s| s.to_str()).filter(|s| s.starts_with(symbol));
    let of = |name: &str| all.iter().find(|(path, _)| symbol_of(path) == Some(name));
    stem.and_then(of).or_else(|| of(symbol))
}

pub fn read_certificate(file: &Path) -> Result<Said, Failure> {
    let text = regular::read(file, regular::TEXT)?;
    let wrong =
        |e: serde_json::Error| Failure::NotProved(format!("{} is no certificate: {e}", file.display()));
    let value: serde_json::Value = serde_json::from_slice(&text).map_err(wrong)?;
    // A certificate with a processor is not for x86-64.
    if value.get("processor").is_none() {
        return serde_json::from_slice(&text).map(|c| Said::Lanes(Box::new(c))).map_err(wrong);
    }
    if value.get("language").is_some() {
        return serde_json::from_slice(&text).map(|c| Said::Grid(Box::new(c))).map_err(wrong);
    }
    let certificate = serde_json::from_slice(&text).map_err(wrong)?;
    // Stored certificates may have other versions, but one that is verified must be understood completely.
    let read = serde_json::to_value(&certificate).map_err(wrong)?;
    if let Some(field) = unread(&value, &read) {
        return Err(Failure::NotProved(format!(
            "{} is no certificate: unknown field `{field}`",
            file.display()
        )));
    }
    Ok(Said::Bits(Box::new(certificate)))
}

/// A field of `value` that is missing in `read`.
fn unread(value: &serde_json::Value, read: &serde_json::Value) -> Option<String> {
    match (value, read) {
        (serde_json::Value::Object(value), serde_json::Value::Object(read)) => {
            value.iter().find_map(|(field, inner)| match read.get(field) {
                None => Some(field.clone()),
                Some(read) => unread(inner, read),
            })
        }
        (serde_json::Value::Array(value), serde_json::Value::Array(read)) => {
            value.iter().zip(read).find_map(|(inner, read)| unread(inner, read))
        }
        _ => None,
    }
}
