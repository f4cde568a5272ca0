//! Kernels that are handed out or remembered as best, with the verdict of the checker of proofs. If it refuses a proof of a
//! proved kernel, the proof is kept beside the wisdom, and the kernel rests on the prover alone.

use crate::deliver::Delivery;
use crate::error::TuneError;
use aesmith_processor::checked::{Claim, Disagreement, Stated, Verdict};
use aesmith_prove::Certificate;
use aesmith_prove::certificate::sha256;
use std::path::Path;

/// A delivery, and the checker's verdict on its bytes.
#[derive(Clone, Debug, PartialEq)]
pub struct Judged {
    /// The kernel.
    pub kernel: Delivery,
    /// The checker's verdict.
    pub verdict: Verdict,
}

impl Judged {
    /// Asks the checker about a kernel. `wisdom` is the path of the wisdom.
    ///
    /// # Errors
    /// None today; a checker that decides will refuse here.
    pub fn new(kernel: Delivery, wisdom: &Path) -> Result<Judged, TuneError> {
        let claim = Claim {
            dialect: kernel.processor.dialect,
            problem: kernel.problem,
            wiped: kernel.certificate.wiped,
            bytes: &kernel.bytes,
        };
        match claim.judge() {
            Ok(verdict) => Ok(Judged { kernel, verdict }),
            Err(no) => {
                // The finder is not trusted, and may have found a wrong proof of a right kernel. The proof is kept for
                // those who develop either.
                kept(&no, wisdom);
                Ok(Judged { kernel, verdict: Verdict::ProverAlone(no.to_string()) })
            }
        }
    }

    /// The certificate as it is written.
    pub fn certificate(&self) -> Stated<'_, Certificate> {
        Stated::new(&self.kernel.certificate, &self.verdict)
    }
}

/// The folder beside the wisdom with the proofs that the checker refused.
const FOLDER: &str = "disagreements";

/// Stores a disagreement beside the wisdom, and returns a sentence with the number of those that are stored.
pub fn kept(no: &Disagreement, wisdom: &Path) -> String {
    let folder = wisdom.with_file_name(FOLDER);
    let file = folder.join(format!("{}.proof", &sha256(no.text.as_bytes())[..16]));
    let reason = no.reason.replace(['\n', '\r'], " ");
    let contents = format!("{}# {} refuses it: {reason}\n", no.text, aesmith_check::NAME);
    let stored = std::fs::create_dir_all(&folder).and_then(|()| std::fs::write(&file, contents));
    let count = || {
        let entries = std::fs::read_dir(&folder).into_iter().flatten().filter_map(Result::ok);
        entries.filter(|entry| entry.path().extension().is_some_and(|e| e == "proof")).count()
    };
    match stored {
        Ok(()) => format!("{no}; the proof is kept as {}, one of {} there", file.display(), count()),
        Err(why) => format!("{no}; the proof cannot be kept as {}: {why}", file.display()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn disagreements_are_counted_and_stored() {
        let place = std::env::temp_dir().join(format!("aesmith-disagreements-{}", std::process::id()));
        let wisdom = place.join("wisdom.sqlite");
        let of = |text: &str| Disagreement { reason: "entry: no\nmore".into(), text: text.into() };
        for (text, count) in
            [("one\n", "one of 1 there"), ("one\n", "one of 1 there"), ("two\n", "one of 2 there")]
        {
            let sentence = kept(&of(text), &wisdom);
            assert!(sentence.contains("refuses the proof") && sentence.ends_with(count), "{sentence}");
        }
        let file = place.join(FOLDER).join(format!("{}.proof", &sha256(b"two\n")[..16]));
        let text = std::fs::read_to_string(file).unwrap();
        assert!(text.starts_with("two\n# aesmith-check ") && text.ends_with("entry: no more\n"), "{text}");
        std::fs::remove_dir_all(&place).unwrap();
    }
}
