//! C99 without intrinsics, for any processor with a C compiler: the modes of the same variants, with the round function
//! of a technique that needs only words.
//!
//! The code does not depend on byte order, alignment or type aliasing: bytes become words by shifts. A word holds a
//! column of the state, row 0 in its low byte; compilers for little-endian processors turn the shifts into plain loads
//! and stores.

mod bitsliced;
mod bytewise;
pub mod firmware;
mod helpers;
mod modes;
pub mod run_time;
mod schedule;
mod table;

use super::{Place, Program};
use crate::c::choices;
use crate::names::technique_symbol;
use crate::{EmitError, VARIABLE_TIME_SUFFIX};
use aesmith_arrange::{Dimension, Technique, Variant};
use aesmith_cipher::{Direction, Task, contract};
use aesmith_processor::c::{Text, message};
pub use bytewise::Steps;

/// A technique's part of a file: the cipher over words, which the modes call.
///
/// It defines in C the type `round_keys`, the function `prepare`, which fills one from the key structure, and for each
/// group size `cipher_<n>`, which encrypts or decrypts `n` blocks of four words.
trait Core {
    /// Blocks in an iteration of the main loop.
    fn group(&self) -> usize;

    /// Group sizes `n` for which `cipher_<n>` exists.
    fn sizes(&self) -> Vec<usize>;

    /// Rounds taken from the counter-mode cache, 0 to 2. If it is not 0, `common` fills the words that 256 counters
    /// share, `enter` turns them into a state, and `later_<n>` computes the remaining rounds.
    fn cached(&self) -> usize {
        0
    }

    /// Blocks of a larger group, for long messages of independent blocks. If there is one, `wide_prepare` fills a
    /// `wide_round_keys`, which `cipher_<n>` takes.
    fn wide(&self) -> Option<usize> {
        None
    }

    /// Type of the words that `enter` turns into a state.
    fn word(&self) -> &'static str {
        "uint32_t"
    }

    /// Writes tables, types and functions.
    fn define(&self, t: &mut Text);
}

/// Constructs a technique's part of the portable form.
type Form = fn(&Variant, bool, Steps) -> Result<Box<dyn Core>, EmitError>;

/// The techniques with a portable form; each has a file beside this one and an entry here.
const FORMS: &[(Technique, Form)] = &[
    (Technique::Table, |variant, inverse, _| Ok(Box::new(table::Table::new(variant, inverse)?))),
    (Technique::Bytewise, |variant, inverse, steps| {
        Ok(Box::new(bytewise::Bytewise::new(variant, inverse, steps)))
    }),
    (Technique::Bitsliced, |variant, inverse, _| Ok(Box::new(bitsliced::Bitsliced::new(variant, inverse)?))),
];

fn form(technique: Technique) -> Option<Form> {
    FORMS.iter().find(|(of, _)| *of == technique).map(|(_, form)| *form)
}

/// Returns the technique's part for a variant over messages.
fn core(variant: &Variant, steps: Steps) -> Result<Box<dyn Core>, EmitError> {
    let inverse = decrypts(variant.problem.task);
    match form(variant.technique) {
        Some(form) => form(variant, inverse, steps),
        None => Err(EmitError(format!(
            "technique={} has no portable form: its operations are instructions of some processors; \
             technique=bitsliced is constant time on any, technique=table and technique=bytewise are not",
            variant.technique
        ))),
    }
}

/// True if a task uses the inverse cipher.
fn decrypts(task: Task) -> bool {
    task.mode().direction == Direction::Decrypt
}

/// True for dimensions that the portable form of a technique follows. Other dimensions concern instructions and
/// registers, which the compiler chooses.
fn followed(dimension: &Dimension, technique: Technique) -> bool {
    match dimension.name {
        choices::RESTRICT | choices::LOOP | choices::WIPE => true,
        choices::TABLES
        | choices::LAST
        | choices::SUB_BYTES
        | choices::MIX_COLUMNS
        | choices::INLINE
        | choices::WORDS => true,
        choices::INTERLEAVE | choices::CACHED => technique.on_words(),
        choices::CIRCUIT => true,
        _ => false,
    }
}

/// Choices of a variant that its portable form does not follow, except defaults: `extract=memory`.
fn left_out(variant: &Variant) -> Vec<String> {
    variant
        .dimensions()
        .filter(|d| !followed(d, variant.technique) && variant.get(d.place) != d.default)
        .map(|d| format!("{}={}", d.name, d.show(variant.get(d.place))))
        .collect()
}

/// The prefix of all names of the interface: as in the other forms, but without a width.
pub fn name(program: &Program) -> String {
    let variants: Vec<&Variant> = program.variants().collect();
    let mut name = technique_symbol(program.problem, &variants);
    if variants.iter().any(|v| v.technique.looks_up_secrets()) {
        name.push_str(VARIABLE_TIME_SUFFIX);
    }
    program.naming.apply(&name)
}

/// Like [`name()`], for either place: in a package the name is independent of the form.
fn name_in(program: &Program, place: Place) -> String {
    match place {
        Place::Alone => name(program),
        Place::Package => program.name_in(place),
    }
}

/// Returns the key schedule. Beside a message, a schedule that needs instructions is replaced by one with the message's
/// technique.
fn schedule_of(program: &Program) -> Option<Variant> {
    let wanted = program.schedule.as_ref()?;
    match program.choices.first() {
        Some((_, message)) if form(wanted.technique).is_none() => {
            let plain = message.table.plain_by(wanted.problem, message.technique);
            Some(plain.with(choices::WIPE, wanted.get(choices::WIPE)))
        }
        _ => Some(wanted.clone()),
    }
}

/// Returns a program's portable C file.
///
/// # Errors
/// A technique that needs instructions, or the reason why choices do not fit together.
pub fn file(program: &Program, place: Place) -> Result<String, EmitError> {
    file_with(program, place, Steps::Plain)
}

/// Like [`file()`], with the given calls of byte-wise steps.
///
/// # Errors
/// Like [`file()`].
pub fn file_with(program: &Program, place: Place, steps: Steps) -> Result<String, EmitError> {
    program.check()?;
    let mut body = Text::default();
    let name = name_in(program, place);
    for (i, (_, variant)) in program.choices.iter().enumerate() {
        if i > 0 {
            return Err(EmitError(
                "a portable file holds one variant: the tables of several would stand in each other's way"
                    .into(),
            ));
        }
        body.blank();
        let core = core(variant, steps)?;
        core.define(&mut body);
        modes::write(&mut body, variant, core.as_ref(), &name);
    }
    if let Some(variant) = &schedule_of(program) {
        if form(variant.technique).is_none() {
            return Err(EmitError(format!(
                "the key schedule by technique={} has no portable form; technique=bitsliced is constant time \
                 on any processor",
                variant.technique
            )));
        }
        if variant.has(choices::CIRCUIT) {
            bitsliced::check_circuit(variant)?;
        }
        let hidden = if place == Place::Package { "HIDDEN " } else { "" };
        let function = program.schedule_name(&name, place);
        schedule::write(&mut body, variant, &function, &format!("{name}_key"), hidden);
    }
    if program.table {
        return Err(EmitError(
            "the counter table is of AES instructions; portable C caches rounds by itself".into(),
        ));
    }
    let body = body.finish();
    let mut t = Text::default();
    banner(program, &mut t, &name);
    declarations(program, &mut t, place);
    t.raw(&helpers::used_in(&body));
    t.raw(&body);
    Ok(t.finish())
}

/// Writes a key schedule without AES instructions into a file with intrinsics: the S-box is a circuit, unless the
/// technique looks it up anyway.
pub(super) fn schedule_beside(
    t: &mut Text,
    variant: &Variant,
    function: &str,
    structure: &str,
    storage: &str,
) -> Result<(), EmitError> {
    if variant.has(choices::CIRCUIT) {
        bitsliced::check_circuit(variant)?;
    }
    let mut body = Text::default();
    schedule::write(&mut body, variant, function, structure, storage);
    let body = body.finish();
    t.raw(&helpers::used_in(&body.replace("wipe(", "")));
    t.raw(&body);
    Ok(())
}

fn banner(program: &Program, t: &mut Text, name: &str) {
    let schedule = schedule_of(program);
    let variants = || program.choices.iter().map(|(_, v)| v).chain(&schedule);
    t.line(&format!("/* SPDX-License-Identifier: {} */", env!("CARGO_PKG_LICENSE")));
    t.line("/*");
    t.line(&format!(" * {name}: {}.", program.problem.meaning()));
    t.line(&format!(" * Written by aesmith {}: C99 for any processor.", env!("CARGO_PKG_VERSION")));
    t.line(" *");
    for variant in variants() {
        t.line(&format!(" * {variant}"));
        let left = left_out(variant);
        if !left.is_empty() {
            t.line(&format!(" *   left to the compiler: {}", left.join(" ")));
        }
    }
    t.line(" *");
    if variants().any(|v| v.technique.looks_up_secrets()) {
        t.line(" * VARIABLE TIME: tables are read at addresses that depend on key and text, so whoever can");
        t.line(" * watch the data cache may learn them. technique=bitsliced is constant time.");
    } else {
        t.line(" * Constant time as written: no address, branch or shift count depends on key or text.");
    }
    t.line(" * The proofs of aesmith are over machine code. What a compiler makes of this is not proved.");
    t.line(" */");
}

fn declarations(program: &Program, t: &mut Text, place: Place) {
    let name = name_in(program, place);
    if place == Place::Package {
        t.line(&format!("#include \"{name}.h\""));
        t.blank();
        t.line("#if defined(__GNUC__)");
        t.line("#define HIDDEN __attribute__((visibility(\"hidden\")))");
        t.line("#else");
        t.line("#define HIDDEN");
        t.line("#endif");
        t.blank();
        if program.schedule.is_some() {
            let function = program.schedule_name(&name, place);
            t.line(&format!("HIDDEN void {function}({name}_key *key, const uint8_t *key_bytes);"));
            t.blank();
        }
        return;
    }
    t.raw("#include <stddef.h>\n#include <stdint.h>\n\n");
    t.line(&format!("typedef struct {name}_key {{"));
    t.line(&format!("    uint8_t bytes[{}];", contract::TABLE_OFFSET));
    t.line(&format!("}} {name}_key;"));
    t.blank();
    if !program.choices.is_empty() {
        t.line(&format!("{};", message::prototype(program.problem, &name, &name)));
    }
    if program.schedule.is_some() {
        let function = program.schedule_name(&name, place);
        t.line(&format!("void {function}({name}_key *key, const uint8_t *key_bytes);"));
    }
    t.blank();
}
