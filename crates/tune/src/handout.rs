//! A kernel to be handed out: chosen, built, proved.

use crate::error::TuneError;
use aesmith_arrange::Variant;
use aesmith_cipher::Problem;
use aesmith_kernel::{Kernel, Target};
use aesmith_prove::{Certificate, Prover};

/// A proved kernel under its name, ready to be printed.
#[derive(Clone, Debug)]
pub struct HandOut {
    /// What it computes.
    pub problem: Problem,
    /// Its name: technique, width, and the start of its hash.
    pub name: String,
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// Named places in the code.
    pub places: Vec<(String, usize)>,
    /// The variants in it, each with the longest message (bytes) that it is chosen for; one without
    /// limit for a kernel that is no dispatcher.
    pub variants: Vec<(Option<usize>, Variant)>,
    /// How rounds are computed: `aesni`, `vaes`, or another technique's name.
    pub technique: String,
    /// What is proved of the bytes.
    pub certificate: Certificate,
    /// What the person should know of how it was chosen.
    pub notes: Vec<String>,
}

impl HandOut {
    /// Builds and proves one variant.
    ///
    /// # Errors
    /// No kernel, or not proved.
    pub fn of_variant(variant: &Variant, target: &Target, prover: &mut Prover) -> Result<HandOut, TuneError> {
        let kernel = aesmith_kernel::build(variant, target)
            .map_err(|e| TuneError::Unsupported(format!("`{variant}` is no kernel here: {e}")))?;
        HandOut::of_kernel(&kernel, prover)
    }

    /// Proves a kernel that was built.
    ///
    /// # Errors
    /// If it is not proved.
    pub fn of_kernel(kernel: &Kernel, prover: &mut Prover) -> Result<HandOut, TuneError> {
        let problem = kernel.variant.problem;
        let name = kernel_name(kernel);
        let certificate = prover
            .certify(problem, &name, &kernel.bytes)
            .map_err(|r| TuneError::NotProved(format!("`{}` is not proved: {r}", kernel.variant)))?;
        if certificate.constant_time == "VT" && !kernel.variant.technique.looks_up_secrets() {
            return Err(TuneError::NotProved(format!(
                "`{}` was to be of constant time, and its proof found addresses that depend on secrets",
                kernel.variant
            )));
        }
        Ok(HandOut {
            problem,
            name,
            bytes: kernel.bytes.clone(),
            places: kernel.places.iter().map(|(n, at)| (n.to_string(), *at)).collect(),
            variants: vec![(None, kernel.variant.clone())],
            technique: kernel.variant.technique_name().to_owned(),
            certificate,
            notes: Vec::new(),
        })
    }
}

/// The registers that a variant computes in.
pub fn registers(variant: &Variant) -> &'static str {
    if variant.technique.on_words() { "gpr" } else { ["xmm", "ymm", "", "zmm"][variant.lanes() - 1] }
}

/// The name of a kernel: `vaes-zmm-1a2b3c4d`.
pub fn kernel_name(kernel: &Kernel) -> String {
    named(kernel.variant.technique_name(), registers(&kernel.variant), &kernel.bytes)
}

/// Technique, what it is, and the start of its bytes' hash.
pub(crate) fn named(technique: &str, what: &str, bytes: &[u8]) -> String {
    format!("{technique}-{what}-{}", &aesmith_prove::certificate::sha256(bytes)[..8])
}
