//! Kernels that are delivered: chosen, built, proved. On this machine a [`Delivery`] is the best known kernel, or several joined
//! by length; for in-order processors see [`firmware`] and [`package`], for grids [`grids`].

pub mod dispatch;
mod entries;
pub mod firmware;
pub mod grids;
pub mod join;
pub mod judged;
pub mod lengths;
pub mod package;
pub mod remembered;
pub mod source;
mod together;

use crate::deliver::judged::as_asked;
use crate::error::TuneError;
use crate::evaluate::keeps_promises;
use crate::request::Request;
use aesmith_arrange::Variant;
use aesmith_cipher::Problem;
use aesmith_processor::checked::Claim;
use aesmith_processor::measured::{Kernel, Measured, Target};
use aesmith_prove::{Coverage, LanesCertificate, Prover};
use aesmith_wisdom::Best;

/// A proved and named kernel, ready to be printed.
#[derive(Clone, Debug, PartialEq)]
pub struct Delivery {
    /// The processor that it runs on.
    pub processor: &'static Measured,
    /// The problem.
    pub problem: Problem,
    /// Its name: technique, register width, and the start of its hash.
    pub name: String,
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// Named places in the code.
    pub places: Vec<(String, usize)>,
    /// Its variants, each with its longest message in bytes; no limit for the last, or for a kernel that is
    /// not a dispatcher.
    pub variants: Vec<(Option<usize>, Variant)>,
    /// The variants as implemented: without a cache if none of their lengths reaches the loop that reads it.
    pub written: Vec<Variant>,
    /// Implementation of the rounds: `aesni`, `vaes`, or the name of another technique.
    pub technique: String,
    /// The facts proved for the bytes.
    pub certificate: LanesCertificate,
    /// The bytes that the proof saw executed and read.
    pub coverage: Coverage,
    /// Notes for the user on how it was chosen.
    pub notes: Vec<String>,
    /// Confirmations of its variants at the lengths that each serves, in ascending order; none for a starting
    /// point.
    pub confirmed: Vec<Best>,
    /// The cost that it was chosen by, in the unit of its problem.
    pub cost: Option<f64>,
    /// The command that searches for a better kernel.
    pub hint: String,
}

impl Delivery {
    /// Builds and proves one variant that a request admits.
    ///
    /// # Errors
    /// The variant is not admitted, is not a kernel, is not proved, its proof breaks the variant's
    /// promises, or the checker has to accept it and does not.
    pub fn of_variant(
        variant: &Variant,
        target: &Target,
        request: &Request,
        prover: &mut Prover,
    ) -> Result<Delivery, TuneError> {
        if !request.admits(variant) {
            return Err(TuneError::Usage(format!("`{variant}` is not among what is asked for")));
        }
        let kernel = target
            .build(variant)
            .map_err(|e| TuneError::Unsupported(format!("`{variant}` is no kernel here: {e}")))?;
        let delivery = Delivery::of_kernel(&kernel, prover)?;
        let unchecked = |why| TuneError::NoResult(format!("`{variant}` is proved, but {why}"));
        as_asked(request, &delivery.claim()).map_err(unchecked)?;
        Ok(delivery)
    }

    /// The claim that the checker of proofs judges.
    pub fn claim(&self) -> Claim<'_> {
        Claim {
            dialect: self.processor.dialect,
            problem: self.problem,
            wiped: self.certificate.wiped,
            lookups: self.certificate.is_variable_time(),
            bytes: &self.bytes,
        }
    }

    /// Checks its certificate against the restrictions that only a proof can tell.
    ///
    /// # Errors
    /// It uses the red zone, or its certificate does not tell, and the request forbids it.
    pub fn keeps_to(&self, request: &Request) -> Result<(), TuneError> {
        let uses = match self.certificate.red_zone_bytes {
            _ if !request.no_red_zone => return Ok(()),
            Some(0) => return Ok(()),
            Some(bytes) => format!("uses {bytes} bytes below the stack pointer"),
            None => "may use memory below the stack pointer".to_owned(),
        };
        Err(TuneError::NoResult(format!("`{}` {uses}, and --no-red-zone allows none", self.name)))
    }

    /// Proves a kernel.
    ///
    /// # Errors
    /// It is not proved, or its proof breaks the variant's promises.
    pub fn of_kernel(kernel: &Kernel, prover: &mut Prover) -> Result<Delivery, TuneError> {
        let problem = kernel.variant.problem;
        let name = kernel_name(kernel);
        let refuted = |r| TuneError::NotProved(format!("`{}` is not proved: {r}", kernel.variant));
        let certificate = prover.certify(problem, &name, &kernel.bytes).map_err(refuted)?;
        let coverage = prover.prove(problem, &kernel.bytes).map_err(refuted)?.coverage;
        let variable_time = certificate.is_variable_time();
        keeps_promises(&kernel.variant, variable_time, certificate.wiped).map_err(TuneError::NotProved)?;
        Ok(Delivery {
            processor: kernel.processor,
            problem,
            name,
            bytes: kernel.bytes.clone(),
            places: kernel.places.iter().map(|(n, at)| (n.to_string(), *at)).collect(),
            variants: vec![(None, kernel.variant.clone())],
            written: vec![kernel.variant.clone()],
            technique: kernel.variant.technique_name().to_owned(),
            certificate,
            coverage,
            notes: Vec::new(),
            confirmed: Vec::new(),
            cost: None,
            hint: String::new(),
        })
    }
}

/// The variant that a kernel runs on messages of a size.
pub fn chosen(kernel: &Delivery, size: usize) -> &Variant {
    let fits = |limit: &Option<usize>| limit.is_none_or(|l| size <= l);
    let found = kernel.variants.iter().find(|(limit, _)| fits(limit)).or(kernel.variants.last());
    &found.expect("a kernel delivered has a variant").1
}

/// The registers that a variant computes in.
pub fn registers(processor: &Measured, variant: &Variant) -> &'static str {
    if variant.technique.on_words() { "gpr" } else { processor.requirements.width(variant.lanes()) }
}

/// The name of a kernel: `vaes-zmm-1a2b3c4d`.
pub(crate) fn kernel_name(kernel: &Kernel) -> String {
    named(kernel.variant.technique_name(), registers(kernel.processor, &kernel.variant), &kernel.bytes)
}

/// Technique, registers or kind, and the start of the bytes' hash.
pub(crate) fn named(technique: &str, what: &str, bytes: &[u8]) -> String {
    format!("{technique}-{what}-{}", &aesmith_prove::certificate::sha256(bytes)[..8])
}

#[cfg(test)]
mod tests {
    use super::*;
    use aesmith_x86::dimensions::variant;
    use aesmith_x86::instructions::prover;
    use aesmith_x86::targets;

    /// A store 16 bytes below the stack pointer before a kernel is proved, and not delivered where that is forbidden.
    #[test]
    fn what_uses_the_red_zone_is_delivered_only_where_it_may() {
        let kernel = aesmith_x86::kernels::build(&variant("aes128-ecb").unwrap(), &targets::AESNI).unwrap();
        let store = [0x48, 0x89, 0x7c, 0x24, 0xf0];
        let below = Kernel { bytes: [&store[..], &kernel.bytes].concat(), ..kernel.clone() };
        let deliver = |kernel: &Kernel| Delivery::of_kernel(kernel, &mut prover()).unwrap();
        let (own, below) = (deliver(&kernel), deliver(&below));
        let forbidden = Request { no_red_zone: true, ..Request::default() };
        assert_eq!(
            (own.keeps_to(&forbidden).is_ok(), below.keeps_to(&Request::default()).is_ok()),
            (true, true)
        );
        let why = below.keeps_to(&forbidden).unwrap_err().to_string();
        assert!(
            why.contains("uses 16 bytes below the stack pointer, and --no-red-zone allows none"),
            "{why}"
        );
        let mut old = own;
        old.certificate.red_zone_bytes = None;
        assert!(old.keeps_to(&forbidden).is_err(), "an old certificate does not tell");
    }
}
