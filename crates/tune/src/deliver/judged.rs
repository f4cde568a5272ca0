//! Kernels that are delivered or remembered as best, with the verdict of the checker of proofs. If it refuses a proof of a
//! proved kernel, the proof is kept beside the wisdom, and the kernel rests on the prover alone.

use crate::deliver::Delivery;
use crate::request::Request;
use aesmith_processor::checked::{Claim, Refused, Verdict};
use aesmith_prove::certificate::sha256;
use std::path::Path;
use std::{fs, io};

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
    pub fn new(kernel: Delivery, wisdom: &Path) -> Judged {
        let verdict = kernel.claim().judge();
        if let Verdict::Refused(refused) = &verdict {
            // The proof is for those who develop the finder or the checker: nothing rests on it, and the wisdom may be
            // where nothing can be written.
            let _ = keep(refused, wisdom);
        }
        Judged { kernel, verdict }
    }
}

/// Lets the checker judge a claim if a request asks for kernels that it accepts.
///
/// # Errors
/// The sentence that the kernel rests on the prover alone.
pub(crate) fn as_asked(request: &Request, claim: &Claim) -> Result<(), String> {
    match request.checked.then(|| claim.judge()).and_then(|verdict| verdict.unchecked()) {
        Some(why) => Err(format!("{why}, and --checked allows only what the checker accepts")),
        None => Ok(()),
    }
}

/// The folder beside the wisdom with the proofs that the checker refused.
const FOLDER: &str = "disagreements";

/// Stores a refused proof beside the wisdom, once.
fn keep(refused: &Refused, wisdom: &Path) -> io::Result<()> {
    let folder = wisdom.with_file_name(FOLDER);
    let file = folder.join(format!("{}.proof", &sha256(refused.text.as_bytes())[..16]));
    let reason = refused.reason.replace(['\n', '\r'], " ");
    fs::create_dir_all(&folder)?;
    fs::write(&file, format!("{}# {} refuses it: {reason}\n", refused.text, aesmith_check::NAME))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refused_proofs_are_stored_once() {
        let place = std::env::temp_dir().join(format!("aesmith-disagreements-{}", std::process::id()));
        let wisdom = place.join("wisdom.sqlite");
        let of = |text: &str| Refused { reason: "entry: no\nmore".into(), text: text.into() };
        for (text, count) in [("one\n", 1), ("one\n", 1), ("two\n", 2)] {
            keep(&of(text), &wisdom).unwrap();
            assert_eq!(fs::read_dir(place.join(FOLDER)).unwrap().count(), count);
        }
        let file = place.join(FOLDER).join(format!("{}.proof", &sha256(b"two\n")[..16]));
        let text = fs::read_to_string(file).unwrap();
        assert!(text.starts_with("two\n# aesmith-check ") && text.ends_with("entry: no more\n"), "{text}");
        fs::remove_dir_all(&place).unwrap();
    }
}
