//! The view of a certificate that does not depend on the proof engine: the parts that all published formats state, and its
//! comparison with a proof that is made now.

use crate::bits_certificate::BitsCertificate;
use crate::checked::{Stated, Verdict};
use crate::grid::certificate::GridCertificate;
use serde::Serialize;
use serde_json::Value;
use std::any::Any;

/// A certificate of any proof engine, in any published format.
pub trait Certificate: Any {
    /// The certified function.
    fn subject(&self) -> Subject<'_>;

    /// Its proved properties.
    fn claims(&self) -> Claims<'_>;

    /// Its text, with the verdict of the checker of proofs.
    ///
    /// # Errors
    /// It has no JSON form.
    fn stated(&self, verdict: &Verdict) -> Result<String, String>;
}

/// A certified function.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Subject<'c> {
    /// Its processor; `None` in the format that has none, which is of the processor that is measured where it is.
    pub processor: Option<&'c str>,
    /// The problem, by name.
    pub problem: &'c str,
    /// SHA-256 of its bytes, its assembled program or its text, in hexadecimal.
    pub sha256: &'c str,
}

/// Proved properties of a function.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Claims<'c> {
    /// `E3` or `proved`.
    pub level: &'c str,
    /// The class of its time: `CT2`, `CT1`, `CT` or `VT`.
    pub class: &'c str,
    /// True if no secret is left behind.
    pub wiped: bool,
}

impl Certificate for aesmith_prove::LanesCertificate {
    fn subject(&self) -> Subject<'_> {
        Subject { processor: None, problem: &self.problem, sha256: &self.sha256 }
    }

    fn claims(&self) -> Claims<'_> {
        Claims { level: &self.level, class: &self.constant_time, wiped: self.wiped }
    }

    fn stated(&self, verdict: &Verdict) -> Result<String, String> {
        stated(self, verdict)
    }
}

impl Certificate for BitsCertificate {
    fn subject(&self) -> Subject<'_> {
        Subject { processor: Some(&self.processor), problem: &self.problem, sha256: &self.sha256 }
    }

    fn claims(&self) -> Claims<'_> {
        Claims { level: &self.level, class: &self.class, wiped: self.proof.wiped() }
    }

    fn stated(&self, verdict: &Verdict) -> Result<String, String> {
        stated(self, verdict)
    }
}

impl Certificate for GridCertificate {
    fn subject(&self) -> Subject<'_> {
        Subject { processor: Some(&self.processor), problem: &self.problem, sha256: &self.sha256 }
    }

    fn claims(&self) -> Claims<'_> {
        // Registers and shared memory end with the launch; more than that has not been shown.
        Claims { level: &self.level, class: &self.class, wiped: false }
    }

    fn stated(&self, verdict: &Verdict) -> Result<String, String> {
        stated(self, verdict)
    }
}

fn stated(certificate: &impl Serialize, verdict: &Verdict) -> Result<String, String> {
    let text = serde_json::to_string_pretty(&Stated::new(certificate, verdict));
    text.map(|text| text + "\n").map_err(|e| format!("a certificate cannot be written: {e}"))
}

/// Differences of a certificate from a proof, one sentence each.
#[derive(Default)]
pub struct Differences(pub Vec<String>);

/// The length of two values from which a sentence does not quote them.
const LONG: usize = 200;

impl Differences {
    /// Compares a field.
    pub fn field(&mut self, name: &str, stated: impl Into<Value>, found: impl Into<Value>) {
        let (stated, found) = (stated.into(), found.into());
        if stated == found {
            return;
        }
        let (stated, found) = (stated.to_string(), found.to_string());
        self.0.push(if stated.len() + found.len() > LONG {
            format!("`{name}` is not the same in the certificate as in the proof")
        } else {
            format!("`{name}` is {stated} in the certificate, and the proof gives {found}")
        });
    }

    /// Compares the fields of two objects for which `is_claim` holds, given a field's name and both values. A missing field
    /// counts as null. The names begin with `prefix`.
    pub fn fields(
        &mut self,
        prefix: &str,
        (stated, found): (&Value, &Value),
        is_claim: impl Fn(&str, &Value, &Value) -> bool,
    ) {
        let names = |of: &Value| of.as_object().into_iter().flatten().map(|(name, _)| name.clone()).collect();
        let mut all: Vec<String> = names(found);
        all.extend(names(stated).into_iter().filter(|name| found.get(name).is_none()));
        for name in all {
            let (stated, found) = (&stated[&name], &found[&name]);
            if is_claim(&name, stated, found) {
                self.field(&format!("{prefix}{name}"), stated.clone(), found.clone());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn every_claim_is_compared_in_both_directions() {
        let (stated, found) =
            (json!({ "a": 1, "b": "x", "time": 5 }), json!({ "a": 2, "c": [0], "time": 6 }));
        let mut all = Differences::default();
        all.fields("proof.", (&stated, &found), |name, _, _| name != "time");
        assert_eq!(
            all.0,
            [
                "`proof.a` is 1 in the certificate, and the proof gives 2",
                "`proof.c` is null in the certificate, and the proof gives [0]",
                "`proof.b` is \"x\" in the certificate, and the proof gives null",
            ]
        );
        let mut all = Differences::default();
        all.field("a", "x".repeat(LONG), "y");
        assert_eq!(all.0, ["`a` is not the same in the certificate as in the proof"]);
    }
}
