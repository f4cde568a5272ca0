//! Unicorn as the judge of ARM programs with an extension's instructions: the rows of the attached table
//! compute these, and Unicorn all others.

use std::time::Duration;

use aesmith_isa::cycles;
use aesmith_isa::execute::{Machine, execute};
use aesmith_isa::image::Image;
use aesmith_isa::numbers::Numbers;

use super::table::ALWAYS;
use aesmith_judge::judge::{Answer, Emulator, Instrument, Kind, Question};
use aesmith_judge::outside::unicorn::{self, REGISTERS};
use aesmith_processor::attach::Attached;

/// Unicorn with the instructions of an extension.
struct Hooked(&'static Attached);

/// The judge of an ARM processor with an extension.
pub(crate) fn hooked(attached: &'static Attached) -> Box<dyn Emulator> {
    Box::new(Hooked(attached))
}

impl Hooked {
    /// Applies a custom instruction to registers; a sentence if the word is not one.
    fn custom(
        &self,
        domain: &mut Numbers,
        word: u32,
        registers: &mut [u32; REGISTERS],
    ) -> Result<(), String> {
        let isa = self.0.isa;
        let mut insn = isa
            .decode(&word.to_le_bytes())
            .filter(|insn| cycles::custom(&isa.of(insn).class).is_some())
            .ok_or_else(|| {
                format!("Unicorn met an instruction that {} does not have, {word:#010x}", self.0.base.name)
            })?;
        // Unicorn evaluates the condition: it calls only if the condition holds.
        if let Some(place) = isa.of(&insn).fields.iter().position(|f| f.name == "cond") {
            insn.fields[place] = ALWAYS;
        }
        let mut machine = Machine::new(vec![0; isa.about.registers.len()], 0);
        for (into, from) in machine.registers.iter_mut().zip(registers.iter()) {
            *into = u128::from(*from);
        }
        execute(isa, &insn, domain, &mut machine, || 0)?;
        for (into, from) in registers.iter_mut().zip(&machine.registers) {
            *into = *from as u32;
        }
        Ok(())
    }
}

impl Instrument for Hooked {
    fn name(&self) -> String {
        format!("Unicorn {}, instructions of {} hooked", unicorn::WHEEL.version, self.0.extension.name)
    }

    fn needs(&self) -> &'static [&'static str] {
        &["python3", "python3-pip"]
    }

    fn present(&self) -> Result<(), String> {
        unicorn::present()
    }

    fn kind(&self) -> Kind {
        Kind::Static
    }
}

impl Emulator for Hooked {
    fn answer(&self, question: &Question) -> Result<Vec<Answer>, String> {
        let mut domain = Numbers::new(&Image::default(), &self.0.isa.about, &[]);
        // At least ten thousand instructions per second, if all of them are hooked.
        let work = question.limit.saturating_mul(question.calls.len() as u64) / 10_000;
        let patience = Duration::from_secs(work.saturating_add(120).min(3600));
        unicorn::answers(question, patience, &mut |word, registers| self.custom(&mut domain, word, registers))
    }
}

#[cfg(test)]
mod tests;
