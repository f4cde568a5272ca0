//! Kernels of processors whose instructions the checker of proofs has as rows (AVR, RV32, ARM and Thumb, MicroBlaze, PowerPC) as claims
//! that it judges.

use super::{Accepted, Verdict, accepted, text_by, verdict_on};
use crate::bits_certificate::BitsCertificate;
use crate::core::{Core, Kernel};
use aesmith_check::bytes::claim::Keys;
use aesmith_check::bytes::{Link, Proof, Table, check};
use aesmith_check::contract::Contract;
use aesmith_check::words::FAMILIES;
use aesmith_cipher::firmware::{Firmware, Packing};
use aesmith_isa::assemble::Part;
use aesmith_isa::image::Image;
use aesmith_isa::unplaced::{Link as Linked, Target};
use aesmith_witness::bytes::INDEXED;
use std::collections::BTreeMap;
use std::time::Instant;

/// The checker's verdict on a kernel that is proved.
pub fn of_kernel(core: &'static Core, kernel: &Kernel, certificate: &BitsCertificate) -> Verdict {
    if core.checked.is_none() {
        return Verdict::of_other_processor(core.name);
    }
    let program = kernel.image((core.isa)()).and_then(|image| Ok((image.symbol(&kernel.symbol)?, image)));
    match program {
        Err(why) => Verdict::ProverAlone(why),
        Ok((function, image)) => {
            let (contract, wiped) = (kernel.contract, certificate.proof.wiped());
            BytesClaim { core, image: &image, function, contract, wiped }.judge()
        }
    }
}

/// A function that is not linked yet, with its contract.
#[derive(Clone, Copy, Debug)]
pub struct BytesClaim<'a> {
    /// The processor.
    pub core: &'static Core,
    /// The program.
    pub image: &'a Image,
    /// The address of the function.
    pub function: u64,
    /// The computed function.
    pub contract: Firmware,
    /// True if no secret is left behind.
    pub wiped: bool,
}

impl BytesClaim<'_> {
    /// True if the checker knows the processor's instructions.
    pub fn is_known(&self) -> bool {
        self.core.checked.is_some()
    }

    /// Finds a proof and lets the checker judge it.
    pub fn judge(&self) -> Verdict {
        if !self.is_known() {
            return Verdict::of_other_processor(self.core.name);
        }
        if self.wiped {
            return Verdict::ProverAlone(
                "the checker of proofs does not know wiping on this processor".into(),
            );
        }
        match self.claim() {
            Err(why) => Verdict::ProverAlone(why),
            Ok(claim) => {
                let find =
                    || aesmith_witness::bytes::find(&claim).map(|proof| aesmith_witness::bytes::text(&proof));
                verdict_on(text_by(find), |text| self.judge_given(text))
            }
        }
    }

    /// Lets the checker judge a given proof, which must be about this function.
    ///
    /// # Errors
    /// The reason why the proof is refused.
    pub fn judge_given(&self, text: &str) -> Result<Accepted, String> {
        let begin = Instant::now();
        if !self.is_known() {
            return Err(format!("it is no proof of code for {}", self.core.name));
        }
        if self.wiped {
            return Err("it does not claim that the kernel is wiped, which the prover found".into());
        }
        let (proof, claim) = (Proof::read(text)?, self.claim()?);
        if proof.processor != claim.processor {
            return Err(format!("it is a proof about {}", proof.processor));
        }
        if (&proof.code, proof.first, &proof.tables, &proof.links)
            != (&claim.code, claim.first, &claim.tables, &claim.links)
        {
            return Err("it is about other bytes".into());
        }
        let of = |proof: &Proof| (proof.contract, proof.blocks, proof.keys);
        if of(&proof) != of(&claim) {
            return Err(format!("it is a proof of {}", proof.claim()));
        }
        accepted(text, proof.claim(), || check(&proof), begin)
    }

    /// The claim without a proof.
    fn claim(&self) -> Result<Proof, String> {
        let processor = self.core.checked.ok_or("the checker of proofs does not know the processor")?;
        let problem = self.contract.problem;
        let contract = Contract::named(&problem.to_string())
            .filter(aesmith_check::bytes::has_rules)
            .ok_or_else(|| format!("the checker of proofs does not know the contract of {problem}"))?;
        let keys = match self.contract.packing {
            Packing::CipherKey => Keys::Cipher,
            Packing::RoundKeys => Keys::Round,
            Packing::ForwardKeys => Keys::Forward,
            Packing::Expanded => Keys::Expanded,
            Packing::Fixsliced => Keys::Sliced,
            Packing::FixslicedUnshifted => Keys::Unshifted,
            _ => return Err("the checker of proofs does not know this form of the key".into()),
        };
        let own = self.image.section_at(self.function).ok_or("the function is in no section")?;
        let section = &self.image.sections[usize::from(own)];
        // Code for ARM reads constants before it.
        let begin = if reads_code(processor) { section.address } else { self.function };
        let first = usize::try_from(self.function - begin).unwrap_or(usize::MAX);
        if reads_code(processor) && section.alignment < 4 {
            return Err(format!("the code in {} is not at a multiple of 4", section.name));
        }
        let size = usize::try_from(section.end() - begin).unwrap_or(0);
        let mut code = self.image.at(begin).get(..size).ok_or("the function has no end")?.to_vec();
        let (mut tables, mut links) = (Tables::default(), BTreeMap::new());
        let is_fixed = |link: &Linked| matches!(link, Linked::Field(_, _, Part::Distance | Part::Ahead(_), to) if to.section == own);
        let all = self.image.links_over(begin, section.end());
        for (at, link) in all.filter(|(_, link)| !is_fixed(link)) {
            let at = usize::try_from(at - begin).unwrap_or(usize::MAX);
            let bytes = code.get_mut(at..at.saturating_add(4)).ok_or("a linker writes behind the code")?;
            let (part, target) = match link {
                Linked::Field(_, _, part, target) => (part, target),
                Linked::Word(target) if reads_code(processor) => {
                    bytes.fill(0);
                    let alignment = self.image.sections[usize::from(target.section)].alignment;
                    let table = tables.whole(self.image, *target, usize::try_from(alignment).unwrap_or(4))?;
                    links.insert(at, Link::Word(table, target.offset.into()));
                    continue;
                }
                _ => return Err("a linker writes data into the code".into()),
            };
            let link = match part {
                Part::Byte(half @ (0 | 1)) => {
                    (bytes[0], bytes[1]) = (bytes[0] & 0xf0, bytes[1] & 0xf0);
                    Link::Table(tables.number(self.image, *target)?, *half)
                }
                // The numbers of lui, and of instructions with 12 bits of a number at the end.
                Part::High20 => {
                    bytes[1] &= 0x0f;
                    bytes[2..].fill(0);
                    tables.part(self.image, *target, true)?
                }
                Part::Low12 => {
                    bytes[2] &= 0x0f;
                    bytes[3] = 0;
                    tables.part(self.image, *target, false)?
                }
                // An address in two halves, in an `imm` and the instruction behind it.
                Part::Whole if target.section != own => {
                    bytes[..2].fill(0);
                    let lower = code.get_mut(at + 4..at + 6).ok_or("a linker writes behind the code")?;
                    lower.fill(0);
                    links.insert(at + 4, tables.part(self.image, *target, false)?);
                    tables.part(self.image, *target, true)?
                }
                // The last 16 bits of an instruction whose highest byte is first.
                Part::HighAdjusted | Part::LowSigned => {
                    bytes[2..].fill(0);
                    tables.part(self.image, *target, matches!(part, Part::HighAdjusted))?
                }
                Part::Whole => {
                    let place = section.address.wrapping_add_signed(target.offset).wrapping_sub(begin);
                    (bytes[0], bytes[1]) = (bytes[0] & 0x0e, bytes[1] & 0xfe);
                    bytes[2..].fill(0);
                    Link::Place(usize::try_from(place).unwrap_or(usize::MAX))
                }
                _ => return Err("a linker writes another part of an address".into()),
            };
            links.insert(at, link);
        }
        let (entry, heads) = (Vec::new(), Vec::new());
        let tables = tables.all;
        let blocks = self.contract.a_call();
        Ok(Proof {
            processor,
            contract,
            blocks,
            keys,
            lookups: false,
            skips: false,
            code,
            first,
            tables,
            links,
            entry,
            heads,
        })
    }
}

/// True if code of a processor reads constants beside it.
fn reads_code(processor: &str) -> bool {
    FAMILIES.iter().any(|family| family.name == processor && family.reads_code)
}

/// Tables that the code names.
#[derive(Default)]
struct Tables {
    all: Vec<Table>,
    places: Vec<Target>,
}

impl Tables {
    /// The link of a part of an address in a section of constants.
    fn part(&mut self, image: &Image, target: Target, is_high: bool) -> Result<Link, String> {
        let alignment = image.sections[usize::from(target.section)].alignment;
        // Only larger alignments are of use, for indices that are inserted into addresses.
        let alignment =
            usize::try_from(alignment).ok().filter(|&alignment| alignment >= INDEXED).unwrap_or(4);
        Ok(Link::Part(self.whole(image, target, alignment)?, is_high, target.offset.into()))
    }

    /// The number of the table that is a section of constants, of which an alignment is used.
    fn whole(&mut self, image: &Image, target: Target, alignment: usize) -> Result<usize, String> {
        let section = &image.sections[usize::from(target.section)];
        if section.code || section.alignment < 4 {
            return Err(format!("a table in {} is not at a multiple of 4", section.name));
        }
        let begin = Target { offset: 0, ..target };
        if let Some(number) = self.places.iter().position(|place| *place == begin) {
            return Ok(number);
        }
        let size = usize::try_from(section.end() - section.address).unwrap_or(0);
        let bytes = image.at(section.address).get(..size).ok_or("a table has no end")?.to_vec();
        let name = format!("t{}", self.all.len());
        let alignment = if alignment < 8 { 4 } else { alignment.min(1 << 16) };
        self.all.push(Table { name, is_flash: false, alignment, bytes });
        self.places.push(begin);
        Ok(self.all.len() - 1)
    }

    /// The number of the table at a place.
    fn number(&mut self, image: &Image, target: Target) -> Result<usize, String> {
        if let Some(number) = self.places.iter().position(|place| *place == target) {
            return Ok(number);
        }
        let section = &image.sections[usize::from(target.section)];
        if section.code || section.alignment < 256 || target.offset % 256 != 0 {
            return Err(format!("a table in {} is not at a multiple of 256", section.name));
        }
        let address = section.address.wrapping_add_signed(target.offset);
        // A table is a page: the code names each by itself.
        let bytes = image.at(address).get(..256).ok_or("a table is shorter than a page")?.to_vec();
        let name = format!("t{}", self.all.len());
        self.all.push(Table { name, is_flash: address < Image::DATA, alignment: 256, bytes });
        self.places.push(target);
        Ok(self.all.len() - 1)
    }
}
