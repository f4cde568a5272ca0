//! A function that is handed out: a kernel under a name, with what was proved of it.

use crate::names::{VARIABLE_TIME_SUFFIX, symbol_of, symbol_of_blocks};
use crate::package::sizes::Sizes;
use crate::{banner, recipe};
use aesmith_arrange::{Dim, Variant};
use aesmith_cipher::Problem;
use aesmith_processor::core::{Core, Kernel};
use aesmith_processor::dialect::MachineCode;
use std::fmt;

/// A kernel to be printed, with what is said of it in banners.
#[derive(Clone, Debug)]
pub struct Function {
    /// Its global symbol.
    pub symbol: String,
    /// Whether only code in the same shared object may name it.
    pub hidden: bool,
    /// What it computes.
    pub problem: Problem,
    /// Its code and constants.
    pub code: Code,
    /// What was proved of the code, if anything.
    pub certificate: Option<Certificate>,
}

/// The code of a function, as its processor's generator makes it.
#[derive(Clone, Debug)]
pub enum Code {
    /// Bytes, which every printer keeps.
    Machine(MachineCode),
    /// Sections of instructions and tables, of which assembler and linker make a program.
    Sections {
        /// The processor.
        core: &'static Core,
        /// The kernel.
        kernel: Kernel,
    },
}

/// What was proved or tested of a function's code.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Certificate {
    /// `E0` to `E3`, or `proved`.
    pub level: String,
    /// The class of its time: `CT2`, `CT1`, `CT` or `VT`.
    pub constant_time: String,
    /// Whether its time is constant for the reason alone that its processor has no data cache.
    pub uncached: bool,
    /// Whether what it looks up lies in memory that is not written: flash.
    pub in_flash: bool,
    /// SHA-256 of the bytes that it is over, in hexadecimal.
    pub sha256: String,
    /// Whether nothing that depends on a key or message stays in registers or on the stack.
    pub wiped: bool,
    /// Whether it may be given no block at all, where it is given their number.
    pub none: bool,
    /// At multiples of so many bytes all buffers must lie; 0 where they may lie anywhere.
    pub alignment: u8,
    /// What it takes of memory, where that is known.
    pub sizes: Option<Sizes>,
    /// How much of that are constants, of machine code.
    pub constants: u64,
    /// How far below the stack pointer it reads or writes, in bytes, where that is known.
    pub red_zone: Option<u64>,
    /// What it costs, and who says so, a line a sentence.
    pub costs: Vec<String>,
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
    ///
    /// # Panics
    /// If the code is of no variant.
    pub fn new(code: impl Into<MachineCode>) -> Function {
        let code = code.into();
        let variants: Vec<&Variant> = code.variants.iter().map(|(_, variant)| variant).collect();
        let problem = variants.last().expect("code is made of a variant").problem;
        let symbol = symbol_of(problem, &variants, false);
        Function { symbol, hidden: false, problem, code: Code::Machine(code), certificate: None }
    }

    /// The function of a kernel for firmware, under its public symbol, with its certificate.
    ///
    /// # Errors
    /// A certificate that cannot be written.
    pub fn of_firmware(
        core: &'static Core,
        kernel: Kernel,
        certificate: &aesmith_processor::certificate::Certificate,
    ) -> Result<Function, EmitError> {
        let problem = kernel.contract.problem;
        let certificate = banner::stated(certificate, problem)?;
        let function = Function {
            symbol: symbol_of_blocks(problem),
            hidden: false,
            problem,
            code: Code::Sections { core, kernel },
            certificate: None,
        };
        Ok(function.certified(certificate))
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

    /// Its code, where that is bytes.
    ///
    /// # Errors
    /// Code that is sections.
    pub fn machine_code(&self) -> Result<&MachineCode, EmitError> {
        match &self.code {
            Code::Machine(code) => Ok(code),
            Code::Sections { core, .. } => Err(EmitError(format!(
                "`{}` is sections of instructions for {}, and bytes are asked for",
                self.symbol, core.name
            ))),
        }
    }

    /// The variants of its machine code, each with the longest message that it is for.
    pub fn variants(&self) -> &[(Option<u64>, Variant)] {
        match &self.code {
            Code::Machine(code) => &code.variants,
            Code::Sections { .. } => &[],
        }
    }

    /// Its variants as text, a line each.
    pub fn recipe(&self) -> impl Iterator<Item = String> {
        self.variants().iter().map(|(limit, variant)| recipe::limited(*limit, variant))
    }

    /// How a round is computed: `aesni`, `vaes`, `aesni+table`.
    pub fn technique(&self) -> String {
        let mut techniques: Vec<&str> = Vec::new();
        for (_, variant) in self.variants() {
            if !techniques.contains(&variant.technique_name()) {
                techniques.push(variant.technique_name());
            }
        }
        techniques.join("+")
    }

    /// What a printer of machine code asks first: whether the certificate is over these bytes, and name and variants
    /// promise no more than it says.
    pub(crate) fn check_promises(&self) -> Result<(), EmitError> {
        let variants = self.variants();
        let Some(certificate) = &self.certificate else {
            if variants.iter().any(|(_, variant)| variant.technique.looks_up_secrets()) {
                return Err(EmitError(format!(
                    "`{}` is by technique {}, which looks tables up, and without a certificate nobody knows \
                     whether its time depends on secrets: prove it first",
                    self.symbol,
                    self.technique()
                )));
            }
            return Ok(());
        };
        let hash = self.hash()?;
        if certificate.sha256 != hash {
            return Err(EmitError(format!(
                "the certificate of `{}` is over bytes with SHA-256 {}, and its bytes have {hash}: prove it again",
                self.symbol, certificate.sha256,
            )));
        }
        if certificate.is_variable_time() && !self.symbol.contains(VARIABLE_TIME_SUFFIX) {
            return Err(EmitError(format!(
                "`{}` is of variable time by its certificate, and its name must end in {VARIABLE_TIME_SUFFIX}",
                self.symbol
            )));
        }
        if !certificate.wiped && variants.iter().all(|(_, v)| v.on(Dim::Wipe)) && !variants.is_empty() {
            return Err(EmitError(format!(
                "`{}` is to leave nothing secret behind (wipe=yes), and by its certificate it does",
                self.symbol
            )));
        }
        Ok(())
    }

    /// The SHA-256 of its bytes, in hexadecimal.
    ///
    /// # Errors
    /// Code that is sections, whose program stands nowhere yet.
    pub fn hash(&self) -> Result<String, EmitError> {
        use sha2::{Digest, Sha256};
        let bytes = &self.machine_code()?.bytes;
        Ok(Sha256::digest(bytes).iter().map(|b| format!("{b:02x}")).collect())
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
