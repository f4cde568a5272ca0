//! Certificates: the search for those of a file, and their contents.

use super::checker::Statement;
use super::code::Said;
use super::files;
use crate::deliver::CERTIFICATE;
use crate::failure::Failure;
use crate::regular;
use aesmith_processor::bits_certificate::BitsCertificate;
use aesmith_processor::grid::certificate::GridCertificate;
use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::Value;
use std::collections::BTreeSet;
use std::fmt;
use std::path::{Path, PathBuf};

/// The path of a certificate, and its contents.
pub type Read = (PathBuf, Result<Said, Failure>);

/// The function of a certificate beside code, by the certificate's file name.
pub fn symbol_of(file: &Path) -> Option<&str> {
    file.file_name()?.to_str()?.strip_suffix(CERTIFICATE)
}

/// The certificates of a file: beside it, and in the certificates folder of its package.
pub fn certificates_by(file: &Path) -> Vec<Read> {
    let folders = folders(file);
    let all = folders.iter().flat_map(|folder| files(folder));
    all.filter(|path| symbol_of(path).is_some() && path.file_name() != file.file_name())
        .map(|path| (path.clone(), read_certificate(&path)))
        .collect()
}

/// The folders of the certificates and proofs of a file.
pub fn folders(file: &Path) -> [PathBuf; 3] {
    let here = file.parent().filter(|d| !d.as_os_str().is_empty()).unwrap_or(Path::new("."));
    // The certificates folder lies beside the folder of a package's sources.
    let above = if here.file_name().is_some() {
        here.with_file_name("certificates")
    } else {
        "../certificates".into()
    };
    [here.to_path_buf(), here.join("certificates"), above]
}

/// The certificate of a function in a file: one with the file's name is preferred to one with the function's.
pub fn certificate_of<'c>(file: &Path, symbol: &str, all: &'c [Read]) -> Option<&'c Read> {
    certificates_of(file, symbol, all).first().copied()
}

/// All certificates of a function in a file: those of the first folder first.
pub fn certificates_of<'c>(file: &Path, symbol: &str, all: &'c [Read]) -> Vec<&'c Read> {
    let stem = file.file_stem().and_then(|s| s.to_str()).filter(|s| s.starts_with(symbol));
    let of = |name: &str| all.iter().filter(|(path, _)| symbol_of(path) == Some(name)).collect::<Vec<_>>();
    let own = stem.map(of).unwrap_or_default();
    if own.is_empty() { of(symbol) } else { own }
}

pub fn read_certificate(file: &Path) -> Result<Said, Failure> {
    let text = regular::read(file, regular::TEXT)?;
    let wrong =
        |e: serde_json::Error| Failure::NotProved(format!("{} is no certificate: {e}", file.display()));
    serde_json::from_slice::<Once>(&text).map_err(wrong)?;
    let mut value: Value = serde_json::from_slice(&text).map_err(wrong)?;
    let checker = stated(&mut value).map_err(wrong)?;
    // A certificate with a processor is not for x86-64.
    if value.get("processor").is_none() {
        let proved: aesmith_prove::LanesCertificate = serde_json::from_value(value).map_err(wrong)?;
        return Ok(Said::new(proved, checker));
    }
    if matches!(checker, Statement::Accepted(_)) && !knows(&value["processor"]) {
        return Err(Failure::NotProved(format!(
            "{} is no certificate: it says that the checker of proofs accepts a kernel for a processor that it does not know",
            file.display()
        )));
    }
    // Stored certificates may have other versions, but one that is verified must be understood completely.
    let understood = |read: serde_json::Result<Value>| match unread(&value, &read.map_err(wrong)?) {
        None => Ok(()),
        Some(field) => {
            Err(Failure::NotProved(format!("{} is no certificate: unknown field `{field}`", file.display())))
        }
    };
    if value.get("language").is_some() {
        let certificate: GridCertificate = serde_json::from_slice(&text).map_err(wrong)?;
        understood(serde_json::to_value(&certificate))?;
        return Ok(Said::new(certificate, checker));
    }
    let certificate: BitsCertificate = serde_json::from_slice(&text).map_err(wrong)?;
    understood(serde_json::to_value(&certificate))?;
    Ok(Said::new(certificate, checker))
}

/// A text in which no field of an object stands twice: readers may take the first one or the last.
struct Once;

impl<'de> Deserialize<'de> for Once {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Once, D::Error> {
        from.deserialize_any(Once)
    }
}

impl<'de> Visitor<'de> for Once {
    type Value = Once;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value of JSON")
    }

    fn visit_bool<E: Error>(self, _: bool) -> Result<Once, E> {
        Ok(self)
    }

    fn visit_i64<E: Error>(self, _: i64) -> Result<Once, E> {
        Ok(self)
    }

    fn visit_u64<E: Error>(self, _: u64) -> Result<Once, E> {
        Ok(self)
    }

    fn visit_f64<E: Error>(self, _: f64) -> Result<Once, E> {
        Ok(self)
    }

    fn visit_str<E: Error>(self, _: &str) -> Result<Once, E> {
        Ok(self)
    }

    fn visit_unit<E: Error>(self) -> Result<Once, E> {
        Ok(self)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut all: A) -> Result<Once, A::Error> {
        while all.next_element::<Once>()?.is_some() {}
        Ok(self)
    }

    fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Once, M::Error> {
        let mut seen = BTreeSet::new();
        while let Some((field, _)) = map.next_entry::<String, Once>()? {
            if let Some(again) = seen.replace(field) {
                return Err(M::Error::custom(format!("duplicate field `{again}`")));
            }
        }
        Ok(self)
    }
}

/// True if the checker of proofs knows the instructions of a processor.
fn knows(processor: &Value) -> bool {
    let is_named = |name: &str| processor.as_str() == Some(name);
    aesmith_processors::all().any(|known| is_named(known.name()) && known.record().checked.is_some())
}

/// Takes the statement about the checker of proofs out of a certificate.
fn stated(value: &mut Value) -> serde_json::Result<Statement> {
    let Some(fields) = value.as_object_mut() else { return Ok(Statement::Nothing) };
    // The sentence is for readers.
    let why_not = fields.remove("unchecked").filter(|why| !why.is_null());
    let checked = fields.remove("checked").map(serde_json::from_value::<Option<_>>).transpose()?;
    match (checked, why_not) {
        (Some(Some(_)), Some(_)) => Err(serde_json::Error::custom(
            "it says that the checker of proofs accepts a proof, and why there is none",
        )),
        (None, _) => Ok(Statement::Nothing),
        (Some(checked), _) => Ok(checked.map_or(Statement::ProverAlone, Statement::Accepted)),
    }
}

/// A field of `value` that is missing in `read`.
fn unread(value: &Value, read: &Value) -> Option<String> {
    match (value, read) {
        (Value::Object(value), Value::Object(read)) => {
            value.iter().find_map(|(field, inner)| match read.get(field) {
                None => Some(field.clone()),
                Some(read) => unread(inner, read),
            })
        }
        (Value::Array(value), Value::Array(read)) => {
            value.iter().zip(read).find_map(|(inner, read)| unread(inner, read))
        }
        _ => None,
    }
}
