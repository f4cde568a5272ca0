//! Code for every processor but x86-64, which is proved over bits: the choice of its processor, and its proof.

use super::checker::{Given, Judgement};
use super::code::{Claimed, Code, CodeResult, Inside, Proved, Provers, Said};
use super::promised::Promised;
use aesmith_emit::EmitError;
use aesmith_emit::evidence::{differences, evidence, program};
use aesmith_emit::objects::Contents;
use aesmith_emit::objects::sections::{FoundSections, contents};
use aesmith_extension::sets;
use aesmith_extension::verilog::Unit;
use aesmith_processor::attach::attach;
use aesmith_processor::bits_certificate::BitsCertificate;
use aesmith_processor::checked::BytesClaim;
use aesmith_processor::core::Core;
use aesmith_processors::machine_name;
use aesmith_prove::bits::ANY_BLOCKS;

struct Bits(FoundSections);

/// The contents of an object or archive.
pub fn inside(object: &[u8]) -> Result<Inside, EmitError> {
    let Contents { functions, missing, others, beside, .. } = contents(object)?;
    let claims = functions.into_iter().map(|f| Claimed {
        member: f.member.clone(),
        symbol: f.symbol.clone(),
        problem: f.problem,
        code: Box::new(Bits(f)),
    });
    Ok(Inside { claims: claims.collect(), missing, others, beside, ..Inside::default() })
}

/// A processor by name, with an optional extension after a plus sign: one in aesmith, or the given file.
fn core_of(name: &str, isa: Option<&str>) -> Result<&'static Core, String> {
    let (base, set) = name.split_once('+').map_or((name, None), |(base, set)| (base, Some(set)));
    let core = aesmith_processors::core(base)?;
    let extension = match (isa, set) {
        (None, None) => return Ok(core),
        (Some(file), _) => super::super::isa::read(file)
            .map_err(|failure| failure.sentence().unwrap_or_else(|| format!("{file} cannot be read")))?,
        (None, Some(set)) if sets::find(set).is_some() => Box::leak(Box::new(sets::included(set)?)),
        (None, Some(set)) => {
            return Err(format!(
                "it has instructions of the extension `{set}`, which does not come with aesmith: name its file \
                 with --isa"
            ));
        }
    };
    attach(core, extension, Unit::default()).map_err(|mistake| mistake.to_string())
}

/// The processor of code, and the source of this choice: the command line, else the certificate, else the file if only
/// one processor is possible.
pub fn processor(
    machine: Option<u16>,
    said: Option<&Said>,
    provers: &Provers,
) -> Result<(&'static Core, &'static str), String> {
    let isa = provers.isa.as_deref();
    if let Some(core) = provers.processor {
        return Ok((core_of(core.name, isa)?, "--processor"));
    }
    if let Some(said) = said.and_then(Said::by::<BitsCertificate>) {
        return Ok((core_of(&said.processor, isa)?, "the certificate"));
    }
    let names: Vec<&str> = aesmith_processors::cores()
        .filter(|core| machine.is_none_or(|machine| core.linking.head.number == machine))
        .map(|core| core.name)
        .collect();
    match names.as_slice() {
        [only] => Ok((core_of(only, isa)?, "the file")),
        _ => Err(format!(
            "no certificate says for which processor it is; name one with --processor{}: {}",
            machine.map_or(String::new(), |m| format!(" (the file is for {})", machine_name(m))),
            names.join(", ")
        )),
    }
}

impl Code for Bits {
    fn check(&self, claim: &Claimed, said: Option<&Said>, provers: &mut Provers) -> CodeResult {
        let mut checked = CodeResult {
            bytes: None,
            sha256: None,
            processor: None,
            beside: None,
            proof: Err(String::new()),
            differs: Vec::new(),
        };
        let (core, by) = match processor(Some(self.0.machine), said, provers) {
            Ok(found) => found,
            Err(why) => {
                checked.proof = Err(why);
                return checked;
            }
        };
        checked.processor = Some((core.name.to_owned(), by));
        let own = Said::of::<BitsCertificate>(said, claim, &mut checked.differs);
        match evidence(core, &self.0, own) {
            Err(why) => {
                if own.is_some() {
                    let why = "the certificate is over final bytes, and the function has none";
                    checked.differs.push(why.into());
                }
                checked.proof = Err(why);
            }
            Ok(found) => {
                if let Some(own) = own {
                    checked.differs.extend(differences(core, own, &found));
                    // Packages may add a prefix and the mark of variable time.
                    if own.symbol.is_empty() || !claim.symbol.contains(&own.symbol) {
                        checked.differs.push(format!(
                            "`symbol` is {} in the certificate, and the function is {}",
                            own.symbol, claim.symbol
                        ));
                    }
                }
                checked.bytes = usize::try_from(found.bytes).ok();
                checked.sha256 = Some(found.sha256);
                let beside = found.proof.as_ref().ok().and_then(|proved| proved.in_registers.as_ref());
                checked.beside = beside.map(|beside| format!("{}{}", claim.symbol, beside.suffix));
                checked.proof = found.proof.map(|proved| Proved {
                    conditions: proved.conditions(),
                    level: "proved".into(),
                    problem: proved.proof.problem.clone(),
                    constant_time: proved.class.into(),
                    wiped: proved.proof.wiped(),
                    // The proof refuses accesses below the stack pointer.
                    red_zone: (core.convention.red_zone == 0).then_some(0),
                    key: Some(proved.proof.packing.clone()),
                    promised: Promised::Blocks {
                        core,
                        contract: proved.contract,
                        alignment: proved.proof.alignment,
                        none: proved.proof.blocks == ANY_BLOCKS,
                        variable_time: proved.class == "VT",
                        uncached: !proved.proof.constant_time && proved.class != "VT",
                    },
                    callers: proved.proof.own_state.map(|by| {
                        format!(
                            "for callers in ARM state alone: it returns by `{by}`, and only `bx lr` returns to Thumb \
                             code on {}",
                            core.name
                        )
                    }),
                });
            }
        }
        checked
    }

    fn judge(
        &self,
        _: &Claimed,
        said: Option<&Said>,
        (found, given): (&CodeResult, Option<&Given>),
    ) -> Judgement {
        if let Ok(Proved { promised: Promised::Blocks { core, contract, .. }, wiped, .. }) = &found.proof
            && let Ok((function, image)) = program(core, &self.0)
        {
            let claim = BytesClaim { core, image: &image, function, contract: *contract, wiped: *wiped };
            if claim.is_known() {
                return Judgement::by(&|text| claim.judge_given(text), &|| claim.judge(), said, given);
            }
        }
        let name = found.processor.as_ref().map_or("another processor", |(name, _)| name);
        Judgement::of_other_processor(name, given)
    }
}
