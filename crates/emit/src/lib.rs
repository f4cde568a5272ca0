//! Printers over a finished kernel: assembly text, C, object files, packages.
//!
//! Each printer is a pure function of its arguments and needs no tool: no assembler, no compiler.
//!
//! ```
//! use aesmith_emit::{Function, assembly, problem_of_symbol, symbol};
//! use aesmith_x86::kernels::{Target, build};
//!
//! let kernel = build(&"aes128-ecb width=xmm".parse().unwrap(), &Target::ALL).unwrap();
//! let text = assembly::file(&[Function::new(&kernel)]).unwrap();
//! assert!(text.contains("aesmith_aes128_ecb:") && text.contains("aesenc"));
//! let problem = "aes256-ctr".parse().unwrap();
//! assert_eq!(problem_of_symbol(&symbol(problem)), Some(problem), "a name says what a function claims to be");
//! ```

pub mod assembly;
mod banner;
pub mod c;
pub mod evidence;
pub mod features;
mod frame;
pub mod gnu;
pub mod listing;
mod names;
pub mod objects;
pub mod package;
pub mod part;
mod prototype;
pub mod recipe;

use aesmith_arrange::Dim;
use aesmith_cipher::Problem;
pub use names::{
    NATIVE, Naming, SCHEDULE_SUFFIX, TABLE_SUFFIX, VARIABLE_TIME_SUFFIX, chooses_among, problem_of_symbol,
    symbol, symbol_of,
};
use std::fmt;

/// A kernel to be printed, with what is said of it in banners.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Function {
    /// Its global symbol.
    pub symbol: String,
    /// Whether only code in the same shared object may name it.
    pub hidden: bool,
    /// What it computes.
    pub problem: Problem,
    /// Machine code, entry first, and its constants: exactly what is emitted.
    pub bytes: Vec<u8>,
    /// Named places in the code.
    pub places: Vec<(String, usize)>,
    /// The variant's text form; one a line where a dispatcher chooses among several, as
    /// [`recipe::limited`] writes it.
    pub variant: String,
    /// How a round is computed: `aesni`, `vaes`.
    pub technique: String,
    /// What was proved of the bytes, if anything.
    pub certificate: Option<Certificate>,
}

/// What was proved or tested of a function's bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Certificate {
    /// `E0` to `E3`.
    pub level: String,
    /// `CT2`, `CT1` or `VT`.
    pub constant_time: String,
    /// SHA-256 of the bytes that it is over, in hexadecimal.
    pub sha256: String,
    /// Whether nothing that depends on a key or message stays in registers or on the stack.
    pub wiped: bool,
    /// The certificate itself.
    pub json: String,
}

impl Certificate {
    /// Whether time depends on secrets.
    pub fn is_variable_time(&self) -> bool {
        self.constant_time == "VT"
    }
}

impl Function {
    /// The function of a kernel, under its public symbol.
    pub fn new(kernel: &aesmith_x86::kernels::Kernel) -> Function {
        Function {
            symbol: symbol_of(kernel.variant.problem, &[&kernel.variant], false),
            hidden: false,
            problem: kernel.variant.problem,
            bytes: kernel.bytes.clone(),
            places: kernel.places.iter().map(|(name, at)| (name.to_string(), *at)).collect(),
            variant: kernel.variant.to_string(),
            technique: kernel.variant.technique_name().to_owned(),
            certificate: None,
        }
    }

    /// The function of several kernels behind a choice by length.
    ///
    /// # Panics
    /// If `kernels` are not those that `dispatch` joined, or there are none.
    pub fn dispatched(
        dispatch: &aesmith_x86::kernels::Dispatch,
        kernels: &[&aesmith_x86::kernels::Kernel],
    ) -> Function {
        assert_eq!(dispatch.parts.len(), kernels.len(), "a dispatch names its kernels");
        let mut function = Function::new(kernels[kernels.len() - 1]);
        function.bytes = dispatch.bytes.clone();
        function.places.clear();
        let mut lines = Vec::new();
        let mut techniques = Vec::new();
        for ((start, limit), kernel) in dispatch.parts.iter().zip(kernels) {
            lines.push(recipe::limited(*limit, &kernel.variant));
            let limit = limit.map_or("any length".to_owned(), |limit| format!("up to {limit} bytes"));
            function.places.push((limit, *start));
            function.places.extend(kernel.places.iter().map(|(name, at)| (name.to_string(), start + at)));
            let technique = kernel.variant.technique_name();
            if !techniques.contains(&technique) {
                techniques.push(technique);
            }
        }
        let variants: Vec<&aesmith_arrange::Variant> = kernels.iter().map(|k| &k.variant).collect();
        function.symbol = symbol_of(function.problem, &variants, false);
        function.variant = lines.join("\n");
        function.technique = techniques.join("+");
        function
    }

    /// The same with its certificate, which says whether its time depends on secrets: then its
    /// symbol says so too.
    pub fn certified(mut self, certificate: Certificate) -> Function {
        if certificate.is_variable_time() && !self.symbol.ends_with(VARIABLE_TIME_SUFFIX) {
            self.symbol.push_str(VARIABLE_TIME_SUFFIX);
        }
        self.certificate = Some(certificate);
        self
    }

    /// Whether its certificate says that its time depends on secrets.
    pub fn is_variable_time(&self) -> bool {
        self.certificate.as_ref().is_some_and(Certificate::is_variable_time)
    }

    /// What a printer asks first: whether the certificate is over these bytes, and name and recipe
    /// promise no more than it says.
    fn check_promises(&self) -> Result<(), EmitError> {
        let Some(certificate) = &self.certificate else {
            let looks_up = |t: aesmith_arrange::Technique| t.looks_up_secrets();
            if self.technique.split('+').filter_map(|t| t.parse().ok()).any(looks_up) {
                return Err(EmitError(format!(
                    "`{}` is by technique {}, which looks tables up, and without a certificate nobody knows \
                     whether its time depends on secrets: prove it first",
                    self.symbol, self.technique
                )));
            }
            return Ok(());
        };
        if certificate.sha256 != self.hash() {
            return Err(EmitError(format!(
                "the certificate of `{}` is over bytes with SHA-256 {}, and its bytes have {}: prove it again",
                self.symbol,
                certificate.sha256,
                self.hash()
            )));
        }
        if certificate.is_variable_time() && !self.symbol.contains(VARIABLE_TIME_SUFFIX) {
            return Err(EmitError(format!(
                "`{}` is of variable time by its certificate, and its name must end in {VARIABLE_TIME_SUFFIX}",
                self.symbol
            )));
        }
        let variants = recipe::variants_of(self)?;
        if !certificate.wiped && variants.iter().all(|(_, v)| v.on(Dim::Wipe)) && !variants.is_empty() {
            return Err(EmitError(format!(
                "`{}` is to leave nothing secret behind (wipe=yes), and by its certificate it does",
                self.symbol
            )));
        }
        Ok(())
    }

    /// The SHA-256 of the bytes, in hexadecimal.
    pub fn hash(&self) -> String {
        use sha2::{Digest, Sha256};
        Sha256::digest(&self.bytes).iter().map(|b| format!("{b:02x}")).collect()
    }
}

/// Why something cannot be emitted or read back: a sentence for the person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EmitError(pub String);

impl fmt::Display for EmitError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for EmitError {}
