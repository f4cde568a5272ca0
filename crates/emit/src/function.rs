//! A function to be emitted: a kernel with a name and the facts proved of it.

use crate::names::{VARIABLE_TIME_SUFFIX, symbol_of, symbol_of_blocks};
use crate::package::sizes::Sizes;
use crate::{banner, recipe};
use aesmith_arrange::{Role, Variant};
use aesmith_cipher::Problem;
use aesmith_processor::certificate::{Certificate, Claims, Subject};
use aesmith_processor::checked::{Verdict, of_kernel};
use aesmith_processor::core::{Core, Kernel};
use aesmith_processor::dialect::MachineCode;
use std::fmt;

/// A kernel to be printed, with the data for its banner.
#[derive(Clone, Debug)]
pub struct Function {
    /// Its global symbol.
    pub symbol: String,
    /// True if only code in the same shared object may refer to it.
    pub hidden: bool,
    /// The problem that it computes.
    pub problem: Problem,
    /// Its code and constants.
    pub code: Code,
    /// The facts of the code from its certificate, if it has one.
    pub facts: Option<CodeFacts>,
}

/// The code of a function, as its processor's generator produces it.
#[derive(Clone, Debug)]
pub enum Code {
    /// Final bytes, which every printer keeps.
    Machine(MachineCode),
    /// Sections of instructions and tables, which an assembler and a linker turn into a program.
    Sections {
        /// The processor.
        core: &'static Core,
        /// The kernel.
        kernel: Kernel,
    },
}

/// The facts proved or tested of a function's code.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CodeFacts {
    /// Its level: `E0` to `E3`, or `proved`.
    pub level: String,
    /// The class of its time: `CT2`, `CT1`, `CT` or `VT`.
    pub constant_time: String,
    /// True if its time is constant only because its processor has no data cache.
    pub uncached: bool,
    /// True if its look-ups read memory that is not written: flash.
    pub in_flash: bool,
    /// SHA-256 of the certified bytes, in hexadecimal.
    pub sha256: String,
    /// True if no data that depends on a key or message remains in registers or on the stack.
    pub wiped: bool,
    /// True if a function with a number of blocks accepts 0.
    pub none: bool,
    /// Required alignment of all buffers in bytes; 0 if there is no requirement.
    pub alignment: u8,
    /// Its memory use, if known.
    pub sizes: Option<Sizes>,
    /// The part of it that is constants, in bytes; only for machine code.
    pub constants: u64,
    /// The number of bytes below the stack pointer that it reads or writes, if known.
    pub red_zone: Option<u64>,
    /// Its costs and their sources, one sentence a line.
    pub costs: Vec<String>,
    /// True if a search found the kernel, false if it is the best of some variants; `None` if its variant was given, or
    /// if its costs say so.
    pub tuned: Option<bool>,
    /// The certificate itself.
    pub json: String,
    /// The text of the proof that the checker of proofs accepts, if it accepts one.
    pub proof: Option<String>,
}

impl CodeFacts {
    /// The facts that the certificates of all engines state, with the certificate and its verdict as text.
    ///
    /// # Errors
    /// The certificate cannot be written.
    pub fn new(certificate: &dyn Certificate, verdict: &Verdict) -> Result<CodeFacts, EmitError> {
        let (Subject { sha256, .. }, Claims { level, class, wiped }) =
            (certificate.subject(), certificate.claims());
        Ok(CodeFacts {
            level: level.into(),
            constant_time: class.into(),
            sha256: sha256.into(),
            wiped,
            json: certificate.stated(verdict).map_err(EmitError)?,
            proof: verdict.proof().map(Into::into),
            ..CodeFacts::default()
        })
    }

    /// True if its time depends on secrets.
    pub fn is_variable_time(&self) -> bool {
        self.constant_time == "VT"
    }
}

impl Function {
    /// Wraps a kernel as a function with its public symbol.
    ///
    /// # Panics
    /// If the code was made from no variant.
    pub fn new(code: impl Into<MachineCode>) -> Function {
        let code = code.into();
        let variants: Vec<&Variant> = code.variants.iter().map(|(_, variant)| variant).collect();
        let problem = variants.last().expect("code is made of a variant").problem;
        let symbol = symbol_of(problem, &variants, false);
        Function { symbol, hidden: false, problem, code: Code::Machine(code), facts: None }
    }

    /// Wraps a kernel for firmware as a function with its public symbol and its certificate.
    ///
    /// # Errors
    /// The certificate cannot be written.
    pub fn of_firmware(
        core: &'static Core,
        kernel: Kernel,
        certificate: &aesmith_processor::bits_certificate::BitsCertificate,
    ) -> Result<Function, EmitError> {
        let problem = kernel.contract.problem;
        let verdict = of_kernel(core, &kernel, certificate);
        let facts = banner::stated(certificate, &kernel, &verdict)?;
        let function = Function {
            symbol: symbol_of_blocks(problem),
            hidden: false,
            problem,
            code: Code::Sections { core, kernel },
            facts: None,
        };
        Ok(function.with_facts(facts))
    }

    /// Adds the facts of its certificate. If its time depends on secrets, the symbol gets a suffix that says so.
    pub fn with_facts(mut self, facts: CodeFacts) -> Function {
        if facts.is_variable_time() && !self.symbol.ends_with(VARIABLE_TIME_SUFFIX) {
            self.symbol.push_str(VARIABLE_TIME_SUFFIX);
        }
        self.facts = Some(facts);
        self
    }

    /// States whether a search found the kernel; without one the files around it give the command of a search.
    pub fn found(mut self, tuned: bool, search: &str) -> Function {
        if let Some(facts) = &mut self.facts {
            facts.tuned = Some(tuned);
            if !tuned {
                banner::not_tuned(&mut facts.costs, search);
            }
        }
        self
    }

    /// True if its certificate says that its time depends on secrets.
    pub fn is_variable_time(&self) -> bool {
        self.facts.as_ref().is_some_and(CodeFacts::is_variable_time)
    }

    /// Returns its machine code.
    ///
    /// # Errors
    /// The code consists of sections.
    pub fn machine_code(&self) -> Result<&MachineCode, EmitError> {
        match &self.code {
            Code::Machine(code) => Ok(code),
            Code::Sections { core, .. } => Err(EmitError(format!(
                "`{}` is sections of instructions for {}, and bytes are asked for",
                self.symbol, core.name
            ))),
        }
    }

    /// The variants of its machine code, each with the longest message that it is used for.
    pub fn variants(&self) -> &[(Option<u64>, Variant)] {
        match &self.code {
            Code::Machine(code) => &code.variants,
            Code::Sections { .. } => &[],
        }
    }

    /// Its variants as text, one a line.
    pub fn recipe(&self) -> impl Iterator<Item = String> {
        self.variants().iter().map(|(limit, variant)| recipe::limited(*limit, variant))
    }

    /// The technique of a round: `aesni`, `vaes`, `aesni+table`.
    pub fn technique(&self) -> String {
        let mut techniques: Vec<&str> = Vec::new();
        for (_, variant) in self.variants() {
            if !techniques.contains(&variant.technique_name()) {
                techniques.push(variant.technique_name());
            }
        }
        techniques.join("+")
    }

    /// Checks, before machine code is printed, that the certificate covers these bytes and that name and variants
    /// promise no more than it states.
    pub(crate) fn check_promises(&self) -> Result<(), EmitError> {
        let variants = self.variants();
        let Some(facts) = &self.facts else {
            if variants.iter().any(|(_, variant)| variant.technique.looks_up_secrets()) {
                return Err(EmitError(format!(
                    "`{}` is by technique {}, which looks tables up, and without a certificate it is unknown \
                     whether its time depends on secrets: prove it first",
                    self.symbol,
                    self.technique()
                )));
            }
            return Ok(());
        };
        let hash = self.hash()?;
        if facts.sha256 != hash {
            return Err(EmitError(format!(
                "the certificate of `{}` is over bytes with SHA-256 {}, and its bytes have {hash}: prove it again",
                self.symbol, facts.sha256,
            )));
        }
        if facts.is_variable_time() && !self.symbol.contains(VARIABLE_TIME_SUFFIX) {
            return Err(EmitError(format!(
                "`{}` is of variable time by its certificate, and its name must end in {VARIABLE_TIME_SUFFIX}",
                self.symbol
            )));
        }
        if !facts.wiped && variants.iter().all(|(_, v)| v.on(Role::Wipe)) && !variants.is_empty() {
            return Err(EmitError(format!(
                "`{}` is to leave nothing secret behind (wipe=yes), and by its certificate it does",
                self.symbol
            )));
        }
        Ok(())
    }

    /// Returns the SHA-256 of its bytes, in hexadecimal.
    ///
    /// # Errors
    /// The code consists of sections, which have no addresses yet.
    pub fn hash(&self) -> Result<String, EmitError> {
        use sha2::{Digest, Sha256};
        let bytes = &self.machine_code()?.bytes;
        Ok(Sha256::digest(bytes).iter().map(|b| format!("{b:02x}")).collect())
    }
}

/// The reason why something cannot be emitted or read back: a sentence for the user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EmitError(pub String);

impl fmt::Display for EmitError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for EmitError {}
