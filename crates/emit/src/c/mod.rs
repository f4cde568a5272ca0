//! Readable C99, written from the variant itself: with intrinsics, which the family of the processor writes, or portable. It
//! has the dataflow and the loop order of the machine code, so that the paper's method can be measured beside the direct one.
//!
//! The functions carry target attributes, so gcc and clang need no `-m` flags. The compiler decides what only machine
//! code can fix: registers, the alignment of the loop, the order of single instructions (`order`), and whether a loop
//! tests its condition at its top or bottom.

mod choices;
pub mod portable;
mod statements;

use crate::{EmitError, Naming, SCHEDULE_SUFFIX, TABLE_SUFFIX, VARIABLE_TIME_SUFFIX, symbol, symbol_of};
use aesmith_arrange::Variant;
use aesmith_cipher::mode::KeyPart;
use aesmith_cipher::{Problem, contract};
use aesmith_processor::c::{Contents, Intrinsics, SetUp, Text, message};
use aesmith_processors::this_machine;

/// The contents of a C file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// The problem.
    pub problem: Problem,
    /// Variants of the function over messages, each with the longest message that it is used for, ascending; the last
    /// has no limit. Empty for a key set-up.
    pub choices: Vec<(Option<u64>, Variant)>,
    /// The key schedule, if it is requested.
    pub schedule: Option<Variant>,
    /// True if the builder of the counter table is requested.
    pub table: bool,
    /// The prefix and the level of its names.
    pub naming: Naming,
}

/// The writers of C with intrinsics.
fn intrinsics() -> &'static Intrinsics {
    this_machine().intrinsics
}

/// Returns the variant itself, or the nearest one with a C form.
pub fn with_c_form(variant: &Variant) -> Variant {
    (intrinsics().nearest)(variant)
}

/// The place of a C file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// Standalone: it declares the key structure, and every function is visible.
    Alone,
    /// In a package: it includes the header, and key set-up is hidden behind `_init`.
    Package,
}

/// Refuses problems that are written as assembly only.
pub(crate) fn has_c_form(problem: Problem) -> Result<(), EmitError> {
    let parts = problem.key_table().and_then(|table| table.mode().writes);
    match parts {
        None if !problem.mode().is_plain() => Err(EmitError(format!(
            "there is no C form of {problem} yet: nothing in C makes its tweaks. Emit assembly, or a package of it"
        ))),
        Some(part @ KeyPart::HashTable) => Err(EmitError(format!(
            "there is no C form of {problem} yet: nothing in C makes or uses the {}. Emit assembly, or a package of it",
            part.name()
        ))),
        _ => Ok(()),
    }
}

impl Program {
    /// A program with one variant: of messages, or of a key set-up.
    pub fn of(variant: &Variant) -> Program {
        let problem = variant.problem;
        let mut program =
            Program { problem, choices: vec![], schedule: None, table: false, naming: Naming::default() };
        match problem.mode().writes {
            Some(KeyPart::RoundKeys) => program.schedule = Some(variant.clone()),
            Some(KeyPart::CounterTable | KeyPart::HashTable) => program.table = true,
            None => program.choices.push((None, variant.clone())),
        }
        program
    }

    /// Returns the C file.
    ///
    /// # Errors
    /// The reason why a variant's choices do not fit together; limits that do not ascend.
    pub fn file(&self, place: Place) -> Result<String, EmitError> {
        if self.is_portable() {
            return portable::file(self, place);
        }
        self.check()?;
        let mut t = Text::default();
        let name = self.name_in(place);
        self.banner(&mut t, &name);
        self.declarations(&mut t, place);
        (intrinsics().helpers)(&mut t, self.contents());
        for (i, (_, variant)) in self.choices.iter().enumerate() {
            let suffix = if self.choices.len() == 1 { String::new() } else { format!("_{i}") };
            t.blank();
            t.line(&format!("/* {variant} */"));
            (intrinsics().messages)(&mut t, variant, &name, &suffix).map_err(EmitError)?;
        }
        self.entry(&mut t, &name);
        let hidden = if place == Place::Package { "__attribute__((visibility(\"hidden\"))) " } else { "" };
        let structure = format!("{name}_key");
        if let Some(schedule) = &self.schedule {
            let function = self.schedule_name(&name, place);
            if schedule.technique.is_instruction() {
                let names = SetUp { function: &function, structure: &structure, storage: hidden };
                (intrinsics().schedule)(&mut t, schedule, names);
            } else {
                portable::schedule_beside(&mut t, schedule, &function, &structure, hidden)?;
            }
        }
        if self.table {
            let own = self.problem.mode().writes == Some(KeyPart::CounterTable);
            let function = if own { name.clone() } else { format!("{name}{TABLE_SUFFIX}") };
            let names = SetUp { function: &function, structure: &structure, storage: hidden };
            (intrinsics().table)(&mut t, self.contents(), names);
        }
        Ok(t.finish())
    }

    /// True if its technique computes on words, so that its C is the portable form.
    pub(crate) fn is_portable(&self) -> bool {
        self.variants().all(|v| v.technique.on_words()) && !self.table
    }

    /// The CPU features that the file's functions need.
    pub fn features(&self) -> Vec<&'static str> {
        (intrinsics().features)(self.contents())
    }

    /// The parts that are written with intrinsics.
    fn contents(&self) -> Contents<'_> {
        let schedule = self.schedule.as_ref().filter(|schedule| schedule.technique.is_instruction());
        Contents { problem: self.problem, choices: &self.choices, schedule, table: self.table }
    }

    /// The prefix of all names of the interface, in a standalone file.
    pub fn name(&self) -> String {
        let variants: Vec<&Variant> = self.variants().collect();
        self.naming.apply(&symbol_of(self.problem, &variants, self.looks_up()))
    }

    /// The prefix of all names in either place: in a package it does not contain the technique, so that a program stays
    /// unchanged when the best kernel changes.
    pub(crate) fn name_in(&self, place: Place) -> String {
        match place {
            Place::Alone => self.name(),
            Place::Package => {
                let marked = if self.looks_up() { VARIABLE_TIME_SUFFIX } else { "" };
                self.naming.apply(&(symbol(self.problem) + marked))
            }
        }
    }

    fn looks_up(&self) -> bool {
        self.variants().any(|v| v.technique.looks_up_secrets())
    }

    /// The variants that name the file: of messages, or of the key set-up.
    fn variants(&self) -> impl Iterator<Item = &Variant> {
        let schedule = self.schedule.iter().filter(|_| self.choices.is_empty());
        self.choices.iter().map(|(_, v)| v).chain(schedule)
    }

    fn schedule_name(&self, name: &str, place: Place) -> String {
        let own = self.problem.mode().writes == Some(KeyPart::RoundKeys);
        if own && place == Place::Alone { name.to_owned() } else { format!("{name}{SCHEDULE_SUFFIX}") }
    }

    fn check(&self) -> Result<(), EmitError> {
        has_c_form(self.problem)?;
        let limits: Vec<Option<u64>> = self.choices.iter().map(|(limit, _)| *limit).collect();
        let ascend = limits.windows(2).all(|w| w[0].is_some() && (w[1].is_none() || w[0] < w[1]));
        if !ascend || limits.last().is_some_and(Option::is_some) {
            return Err(EmitError(
                "limits of length must ascend, and the last variant takes every length".into(),
            ));
        }
        if let Some((_, v)) = self.choices.iter().find(|(_, v)| v.problem != self.problem) {
            return Err(EmitError(format!("{} cannot stand in for {}", v.problem, self.problem)));
        }
        Ok(())
    }

    fn banner(&self, t: &mut Text, name: &str) {
        t.line(&format!("/* SPDX-License-Identifier: {} */", env!("CARGO_PKG_LICENSE")));
        t.line("/*");
        t.line(&format!(" * {name}: {}.", self.problem.meaning()));
        t.line(&format!(" * Written by aesmith {}: C99 with intrinsics.", env!("CARGO_PKG_VERSION")));
        t.line(" *");
        for (limit, variant) in &self.choices {
            let limit = limit.map_or(String::new(), |limit| format!("up to {limit} bytes: "));
            t.line(&format!(" * {limit}{variant}"));
        }
        t.line(
            " * The proofs of aesmith are over machine code. What a compiler makes of this is not proved.",
        );
        t.line(" */");
    }

    fn declarations(&self, t: &mut Text, place: Place) {
        let name = self.name_in(place);
        if place == Place::Package {
            t.line(&format!("#include \"{name}.h\""));
            t.blank();
        }
        t.line(&format!("#include <{}>", intrinsics().header));
        t.raw("#include <stddef.h>\n#include <stdint.h>\n#include <string.h>\n\n");
        if place == Place::Package {
            return;
        }
        let table = self.table || self.choices.iter().any(|(_, v)| v.get(choices::CACHED) == 1);
        let bytes = contract::TABLE_OFFSET + if table { contract::TABLE_BYTES } else { 0 };
        t.line(&format!("typedef struct {name}_key {{"));
        t.line(&format!("    uint8_t bytes[{bytes}];"));
        t.line(&format!("}} {name}_key;"));
        t.blank();
        if !self.choices.is_empty() {
            t.line(&format!("{};", self.signature(&name)));
        }
        if self.schedule.is_some() {
            let function = self.schedule_name(&name, place);
            t.line(&format!("void {function}({name}_key *key, const uint8_t *key_bytes);"));
        }
        t.blank();
    }

    /// The public prototype, spelled as in the header.
    fn signature(&self, name: &str) -> String {
        message::prototype(self.problem, name, name)
    }

    /// Writes the public function, if it chooses by length.
    fn entry(&self, t: &mut Text, name: &str) {
        if self.choices.len() < 2 {
            return;
        }
        t.blank();
        t.open(&self.signature(name));
        let iv = if self.problem.has_iv() { "iv, " } else { "" };
        // With several streams, the first one's length decides, as in machine code.
        let (keys, len) = match self.problem.streams() {
            1 => ("key_structure", "len"),
            _ => ("key_structures", "len[0]"),
        };
        let case = |(i, (limit, _)): (usize, &(Option<u64>, Variant))| {
            let condition = limit.map_or(String::new(), |limit| format!("{len} <= {limit}u"));
            (condition, format!("{name}_{i}({keys}, {iv}in, out, len);"))
        };
        t.cases(&self.choices.iter().enumerate().map(case).collect::<Vec<_>>());
        t.close();
    }
}
