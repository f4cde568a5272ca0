//! Proves functions that were read back from objects again and compares them with their certificates. Only the form of
//! the key is taken from a certificate; the proof confirms it or fails.

use crate::VARIABLE_TIME_SUFFIX;
use aesmith_cipher::Problem;
use aesmith_cipher::firmware::{Firmware, Packing};
use aesmith_cipher::problem::Direction;
use aesmith_isa::image::Image;
use aesmith_isa::table::LowestBit;
use aesmith_processor::bits_certificate::{BitsCertificate, FORMAT, InRegisters, proved_in_registers};
use aesmith_processor::certificate::Differences;
use aesmith_processor::core::Core;
use aesmith_processor::cost::sha256;
use aesmith_processor::timing::{about, class};
use aesmith_prove::bits::{ANY_BLOCKS, Proof, SOME_BLOCKS, prove};

use crate::objects::pieces::Code as Program;
use crate::objects::sections::FoundSections;
use aesmith_processor::elf::{Flagged, Layout, Linking, Memory};
use aesmith_processors::{linking, machine_name};

/// The findings about a function's bytes.
#[derive(Clone, Debug)]
pub struct Evidence {
    /// The proof, or the reason why there is none.
    pub proof: Result<Proved, String>,
    /// The size of code and tables in bytes.
    pub bytes: u64,
    /// The part of it that is tables in RAM, in bytes.
    pub ram: u64,
    /// SHA-256 of the program that our assembler would make.
    pub sha256: String,
}

/// The facts that were proved.
#[derive(Clone, Debug)]
pub struct Proved {
    /// The proof of the program as our assembler would place it.
    pub proof: Proof,
    /// The problem, the form of the key, and the number of blocks in a call.
    pub contract: Firmware,
    /// The class of its time: `CT` or `VT`.
    pub class: &'static str,
    /// The reason for the class.
    pub about: String,
    /// The function on a block in registers that the certificate claims, proved again.
    pub in_registers: Option<InRegisters>,
}

/// The condition of a function whose number of blocks is an argument, and that is not proved for none.
const AT_LEAST_ONE: &str = "A call has at least 1 block: what it does without one was not proved.";

impl Proved {
    /// Conditions of the proof and of the class of its time that not every function has, one sentence each.
    pub fn conditions(&self) -> Vec<String> {
        let time = (self.class == "CT" && !self.proof.constant_time).then(|| self.about.clone() + ".");
        let some = (self.proof.blocks == SOME_BLOCKS).then(|| AT_LEAST_ONE.to_owned());
        let mut all = self.proof.conditions.clone();
        all.extend(some);
        all.extend(time.map(crate::banner::capitalised));
        all
    }
}

/// Returns the contract of a certificate.
fn said_contract(said: &BitsCertificate, problem: Problem) -> Result<Firmware, String> {
    let name = &said.proof.packing;
    let packing = PACKINGS.into_iter().chain(Packing::instructed()).find(|p| p.name() == name);
    let packing =
        packing.ok_or_else(|| format!("the certificate names an unknown form of the key, `{name}`"))?;
    Ok(Firmware { problem, packing, blocks: said.proof.blocks_a_call() })
}

/// Returns the possible contracts of a certificate: for a function with a number of blocks, it does not state how many
/// it processes in parallel.
fn said_contracts(core: &Core, said: &BitsCertificate, problem: Problem) -> Result<Vec<Firmware>, String> {
    let one = said_contract(said, problem)?;
    let mut all = vec![one];
    if one.counts_blocks() {
        let others = contracts(core, problem).into_iter().filter(|c| c.packing == one.packing && *c != one);
        all.extend(others);
        // Its assumptions state that number, in bytes.
        let turn = said.proof.assumptions.iter().find_map(|sentence| {
            sentence.split_once("those of each ")?.1.split(' ').next()?.parse::<usize>().ok()
        });
        all.sort_by_key(|contract| turn.is_some_and(|bytes| bytes != 16 * usize::from(contract.at_once())));
    }
    Ok(all)
}

/// Forms of keys, the most likely first. Those for custom instructions ([`Packing::instructed`]) are known only from
/// certificates.
const PACKINGS: [Packing; 11] = [
    Packing::RoundKeys,
    Packing::CipherKey,
    Packing::Tiles,
    Packing::ForwardKeys,
    Packing::Fixsliced,
    Packing::FixslicedUnshifted,
    Packing::Padded(4),
    Packing::Padded(3),
    Packing::Expanded,
    Packing::PaddedExpanded(4),
    Packing::PaddedExpanded(3),
];

/// Returns every contract that a function of this problem may have on a processor.
fn contracts(core: &Core, problem: Problem) -> Vec<Firmware> {
    let schedule = !problem.is_message();
    let decrypts = problem.mode().direction == Direction::Decrypt;
    let mut all = Vec::new();
    for packing in PACKINGS {
        let sliced = matches!(packing, Packing::Fixsliced | Packing::FixslicedUnshifted);
        let written = packing != Packing::CipherKey && packing == packing.written();
        if schedule && !written || packing == Packing::ForwardKeys && !decrypts {
            continue;
        }
        // If registers can hold a block, functions on blocks may take several, or process several in parallel.
        let several = (core.isa)().about.holds_blocks() && !schedule;
        let blocks: &[u8] = match (sliced && !schedule, several) {
            (true, _) => &[2, 1],
            (_, true) if problem.has_iv() => &[1, 4],
            (_, true) => &[16, 8, 4, 1],
            _ => &[1],
        };
        all.extend(blocks.iter().map(|&blocks| Firmware { problem, packing, blocks }));
    }
    all
}

/// Proves a function on a processor: with a certificate for the form of the key that it names, otherwise for any form
/// that can be proved.
///
/// # Errors
/// The reason why the file does not determine which bytes run.
pub fn evidence(
    core: &'static Core,
    found: &FoundSections,
    said: Option<&BitsCertificate>,
) -> Result<Evidence, String> {
    let code = found.code.as_ref().map_err(ToString::to_string)?;
    if core.linking.head.number != found.machine {
        return Err(format!(
            "the file is for {}, and {} is not such a processor",
            machine_name(found.machine),
            core.name
        ));
    }
    let state = (core.isa)().about.lowest_bit();
    let runs_thumb = state == LowestBit::Thumb;
    if state != LowestBit::Nothing && runs_thumb != found.is_marked {
        let code = |thumb| if thumb { "Thumb code" } else { "ARM code" };
        return Err(format!(
            "`{}` is {}, and {} runs {}",
            found.symbol,
            code(found.is_marked),
            core.name,
            code(runs_thumb)
        ));
    }
    let machine = linking(core.linking.head.number)?;
    let isa = (core.isa)();
    let shortest = u64::from(isa.shortest());
    let loose = code.pieces.iter().find(|piece| piece.memory == Memory::Code && piece.alignment < shortest);
    if let (Some(piece), false) = (loose, machine.calls_are_checked) {
        return Err(format!(
            "its section is aligned to {}, so that linkers may put it where no instruction can stand: align it to {shortest}",
            piece.alignment
        ));
    }
    let mut programs = Vec::new();
    for &layout in machine.layouts {
        let (function, image) = placed(core, code, layout)?;
        programs.push((function, sha256(&image), image));
    }
    // Only if the file's own symbol is at the place that is proved.
    let beside = said
        .and_then(|said| said.in_registers.as_ref())
        .filter(|beside| found.in_registers == Some(beside.at));
    let same = said.and_then(|said| programs.iter().position(|(_, sha, _)| *sha == said.sha256));
    let (function, sha256, image) = programs.swap_remove(same.unwrap_or(0));
    let proof = said
        .map_or_else(|| Ok(contracts(core, found.problem)), |said| said_contracts(core, said, found.problem))
        .and_then(|contracts| proved(core, (&image, function), &contracts, said.map(|said| &said.proof)))
        .and_then(|(contract, proof)| {
            flagged(core, machine, found.flags, (&image, function), &contract).map(|()| (contract, proof))
        })
        .and_then(|(contract, proof)| named(core, &found.symbol, contract, proof))
        .and_then(|mut proved| {
            if let (Some(beside), Some(said)) = (beside, said) {
                let contract = said_contract(said, found.problem)?;
                let at = (&image, function + beside.at);
                let made = proved_in_registers(core, at, &contract, &beside.places(isa)?)?;
                // Cycles are not a claim about the bytes.
                proved.in_registers = Some(InRegisters { at: beside.at, cycles: beside.cycles, ..made });
            }
            Ok(proved)
        });
    Ok(Evidence { proof, bytes: code.bytes() as u64, ram: code.ram() as u64, sha256 })
}

/// Proves a function on the variant of a processor that the file's flags name, if they name one.
fn flagged(
    core: &Core,
    machine: &Linking,
    flags: u32,
    (image, function): (&Image, u64),
    contract: &Firmware,
) -> Result<(), String> {
    let named = |of: &&Flagged| flags & of.flags.0 == of.flags.1;
    let Some(any) = machine.flagged.iter().find(named) else { return Ok(()) };
    let what = any.flags.2;
    let own = machine.flagged.iter().filter(named).find(|of| of.core == core.name);
    let own = own.ok_or_else(|| format!("the file is for {what}, and such a {} is not known", core.name))?;
    let proof = prove((own.isa)(), own.convention, image, function, contract);
    proof.map(|_| ()).map_err(|why| format!("the file is for {what}: there {why}"))
}

/// The address of a function, and the program with its sections at the places of a layout.
fn placed(core: &Core, code: &Program, layout: Layout) -> Result<(u64, Image), String> {
    let places = code.own(layout);
    Ok((places[0] + code.entry, code.image((core.isa)(), &places)?))
}

/// A function that was found, as a program that is not linked yet: its address, and the program.
///
/// # Errors
/// The reason why the file does not determine which bytes run.
pub fn program(core: &Core, found: &FoundSections) -> Result<(u64, Image), String> {
    let code = found.code.as_ref().map_err(ToString::to_string)?;
    let layouts = linking(core.linking.head.number)?.layouts;
    placed(core, code, *layouts.first().ok_or("nothing is known of its sections' places")?)
}

fn run(core: &Core, image: &Image, function: u64, contract: &Firmware) -> Result<Proof, String> {
    prove((core.isa)(), core.convention, image, function, contract)
        .map_err(|refutation| refutation.to_string())
}

/// Proves one of the contracts: the first whose proof has the assumptions of the certificate, otherwise the first that
/// holds.
fn proved(
    core: &Core,
    (image, function): (&Image, u64),
    contracts: &[Firmware],
    said: Option<&Proof>,
) -> Result<(Firmware, Proof), String> {
    let (mut first, mut refused) = (None, None);
    for contract in contracts {
        match run(core, image, function, contract) {
            Ok(proof) if said.is_none_or(|said| said.assumptions == proof.assumptions) => {
                return Ok((*contract, proof));
            }
            Ok(proof) => {
                first.get_or_insert((*contract, proof));
            }
            Err(why) => {
                refused.get_or_insert((contract, why));
            }
        }
    }
    if let Some(proof) = first {
        return Ok(proof);
    }
    let Some((contract, why)) = refused else { return Err("there is no contract that it could keep".into()) };
    Err(match contracts {
        [_] => why,
        _ => format!(
            "it computes {} with no form of the key that kernels take; with {}: {why}",
            contract.problem,
            contract.packing.name()
        ),
    })
}

/// Checks that a function of variable time has `_vt` in its name.
fn named(core: &Core, symbol: &str, contract: Firmware, proof: Proof) -> Result<Proved, String> {
    let (class, about) = (class(core, &proof), about(core, &proof));
    if class == "VT" && !symbol.ends_with(VARIABLE_TIME_SUFFIX) {
        return Err(format!(
            "it computes {}, and `{symbol}` does not end in `{VARIABLE_TIME_SUFFIX}`: {about}",
            proof.problem
        ));
    }
    Ok(Proved { proof, contract, class, about, in_registers: None })
}

/// Returns the differences between a certificate and the bytes with their proof, one sentence each. Judges, models and
/// costs in cycles are not claims about the bytes.
pub fn differences(core: &Core, said: &BitsCertificate, found: &Evidence) -> Vec<String> {
    let mut all = Differences::default();
    all.field("sha256", &*said.sha256, &*found.sha256);
    all.field("processor", &*said.processor, core.name);
    all.field("convention", &*said.convention, core.convention.source);
    all.field("flash", said.cost.flash, found.bytes);
    all.field("ram", said.cost.ram, found.ram);
    all.field("level", &*said.level, "proved");
    let Ok(proved) = &found.proof else { return all.0 };
    all.field("problem", &*said.problem, &*proved.proof.problem);
    // Older versions did not state the class.
    if !said.class.is_empty() {
        all.field("class", &*said.class, proved.class);
    }
    // Older versions did not state conditions either; `verify` prints them, whatever the certificate says.
    let says_conditions = said.format >= FORMAT;
    if says_conditions {
        all.field("constant_time", &*said.constant_time, &*proved.about);
    }
    let beside = |function: &Option<InRegisters>| serde_json::to_value(function).unwrap_or_default();
    all.field("in_registers", beside(&said.in_registers), beside(&proved.in_registers));
    let fields = |proof: &Proof| serde_json::to_value(proof).unwrap_or_default();
    let (stated, made) = (fields(&said.proof), fields(&proved.proof));
    // A proof for any number of blocks covers the older one for at least one block. Where the case of no block ends at
    // once, the older proof saw one instruction less.
    let is_of_more = stated["blocks"] == SOME_BLOCKS && made["blocks"] == ANY_BLOCKS;
    all.fields("proof.", (&stated, &made), |field, said, found| match field {
        // The duration of the proof is not a claim.
        "microseconds" => false,
        "conditions" => says_conditions,
        "blocks" => !is_of_more,
        "instructions" => !(is_of_more && said.as_u64() <= found.as_u64() && said.is_u64()),
        _ => true,
    });
    all.0
}
