//! The description of a kernel above its code, in its header and in the README, one statement a line: of machine code,
//! and of kernels for firmware with their contract and costs.

use crate::package::sizes::{Sizes, constants};
use crate::part::{Part, Role};
use crate::prototype::of_part;
use crate::recipe::NOT_TUNED;
use crate::{CodeFacts, EmitError, Function};
use aesmith_cipher::firmware::Packing;
use aesmith_cipher::mode::Enters;
use aesmith_cipher::problem::Direction;
use aesmith_processor::bits_certificate::{BitsCertificate, InRegisters};
use aesmith_processor::checked::Verdict;
use aesmith_processor::core::Kernel;
use aesmith_prove::bits::ANY_BLOCKS;

/// The beginning of a line with a variant.
const VARIANT: &str = "variant ";

/// Returns the lines of the banner above machine code.
pub(crate) fn of_machine_code(function: &Function) -> Result<Vec<String>, EmitError> {
    let code = function.machine_code()?;
    let mut lines = vec![format!("{}: {}", function.symbol, function.problem.meaning()), String::new()];
    lines.push(format!("problem      {}", function.problem));
    lines.push(format!("technique    {}", function.technique()));
    lines.extend(function.recipe().map(|variant| format!("variant      {variant}")));
    lines.push(format!("bytes        {}, SHA-256 {}", code.bytes.len(), function.hash()?));
    match &function.facts {
        Some(c) => {
            lines.push(format!("certificate  {}, {}", c.level, level(&c.level)));
            lines.push(format!("timing       {}, {}", c.constant_time, level(&c.constant_time)));
        }
        None => lines.push("certificate  none: these bytes are not proved".into()),
    }
    lines.push(String::new());
    lines.extend((code.dialect.arguments)(function.problem));
    Ok(lines)
}

/// The meaning of a certificate's level or class.
fn level(name: &str) -> &'static str {
    match name {
        "E0" => "known answers",
        "E1" => "known answers, differential tests, guard pages, ABI",
        "E2" => "the block is proved",
        "E3" => "the mode is proved, for every key, text and length",
        "CT2" => {
            "no secret in an address, branch or shift count; instructions on secrets are on Intel's list of \
             data-independent timing (DOITM where there is one; AMD has no list)"
        }
        "CT1" => {
            "no secret in an address, branch or shift count; some instructions on secrets are on no list"
        }
        "VT" => "VARIABLE TIME: time depends on secrets",
        _ => "see the certificate",
    }
}

/// Describes what a function computes and requires, one sentence a line.
pub fn contract(part: &Part<'_>) -> Vec<String> {
    let contract = part.kernel.contract;
    let (bits, mode) = (contract.problem.key.bits(), contract.problem.mode());
    let way = match mode.direction {
        Direction::Encrypt => "encrypt",
        Direction::Decrypt => "decrypt",
    };
    let least = if part.facts.none { "0 or more" } else { "at least 1" };
    let what = match mode.rule {
        None => format!("AES-{bits}: the {}, for {way}ion.", mode.family),
        Some(rule) if rule.enters == Enters::Chain => {
            let family = mode.family;
            format!("AES-{bits} in {family}: `blocks` blocks, {least}, xored with the key stream.")
        }
        Some(_) if contract.counts_blocks() => {
            format!("AES-{bits} in {}: {way}s `blocks` blocks, {least}.", mode.family)
        }
        Some(_) => match contract.blocks {
            0 | 1 => format!("AES-{bits}: {way}s a block."),
            blocks => format!("AES-{bits}: {way}s {blocks} blocks."),
        },
    };
    let mut lines = vec![
        format!(
            "{} on {}, by aesmith {}.",
            what.trim_end_matches('.'),
            part.core.name,
            env!("CARGO_PKG_VERSION")
        ),
        format!("{};", of_part(part)),
    ];
    lines.push(match contract.packing {
        Packing::CipherKey => "`key` is the cipher key: round keys are made on the way.".to_owned(),
        packing => format!("`key` holds {} bytes: {}.", contract.key_size(), about_packing(packing)),
    });
    if part.role() == Role::Message {
        lines.push("`in` and `out` are the same or do not overlap.".to_owned());
    }
    if contract.problem.has_iv() {
        lines.push("`iv` is left as the next block would need it.".to_owned());
    }
    if part.facts.alignment > 1 && (part.core.isa)().about.address >= 32 {
        lines.push(format!("All buffers lie at multiples of {}.", part.facts.alignment));
    }
    lines.push(format!("Called by {}.", part.core.convention.source));
    lines
}

pub(crate) fn about_packing(packing: Packing) -> &'static str {
    match packing {
        Packing::CipherKey => "the cipher key",
        Packing::RoundKeys => "round keys in order of use",
        Packing::ForwardKeys => "the round keys of encryption",
        Packing::Tiles => "round keys in tiles of two rows and two columns",
        Packing::Rows => "round keys in order of use, of each row 0 of all columns, then row 1 and so on",
        Packing::Shuffled { tiles, bytes } => bytes.about(tiles),
        Packing::Expanded => "round keys of a cipher key in order of use",
        Packing::Padded(_) | Packing::PaddedExpanded(_) => {
            "round keys in order of use, a word in 64 bits; in those between the first and the last each byte has 16 bits"
        }
        Packing::Fixsliced => "round keys in eight bit slices each",
        Packing::FixslicedUnshifted => "round keys in eight bit slices each, ShiftRows undone",
        Packing::Masks(1) => {
            "round keys in order of use: the first and the last as they are, of those between them each bit, the lowest of a byte first, as four bytes of ones or of zeros"
        }
        Packing::WordsAndMasks(1) => {
            "round keys in order of use, and behind them those between the first and the last once more, of which each bit, the lowest of a byte first, is four bytes of ones or of zeros"
        }
        Packing::WordsAndMasks(_) => {
            "round keys in order of use, and behind them those between the third and the last once more, of which each bit, the lowest of a byte first, is four bytes of ones or of zeros"
        }
        Packing::Masks(_) => {
            "round keys in order of use: the first three and the last as they are, of those between them each bit, the lowest of a byte first, as four bytes of ones or of zeros"
        }
    }
}

/// Returns the data that printers state of a kernel for firmware.
///
/// # Errors
/// The certificate cannot be written.
pub fn stated(
    certificate: &BitsCertificate,
    kernel: &Kernel,
    verdict: &Verdict,
) -> Result<CodeFacts, EmitError> {
    Ok(CodeFacts {
        constants: constants(kernel),
        uncached: !certificate.is_constant_time() && !certificate.is_variable_time(),
        in_flash: !certificate.proof.tables_in_ram,
        none: certificate.proof.blocks == ANY_BLOCKS,
        alignment: certificate.proof.alignment,
        sizes: Some(Sizes::from(&certificate.cost)),
        costs: costs(certificate, kernel),
        ..CodeFacts::new(certificate, verdict)?
    })
}

/// Describes the cost of a function and its source, one sentence a line.
fn costs(c: &BitsCertificate, kernel: &Kernel) -> Vec<String> {
    let unit = if kernel.contract.problem.is_message() { "a block" } else { "a key" };
    let cost = aesmith_processors::core(&c.processor).map_or("cycles", |core| core.timing.unit);
    let by = match (c.judged_cycles, c.independent) {
        (Some(_), _) => match c.judged_range {
            None => format!("counted by {}", c.judge),
            Some([least, most]) => format!(
                "counted by {}: the mean of 1,000 random calls, which took from {} to {}",
                c.judge,
                number(least),
                number(most)
            ),
        },
        (None, true) => format!("by the machine model ({}); outputs confirmed by {}", c.model, c.judge),
        (None, false) => format!("by the machine model ({}); no independent judge was available", c.model),
    };
    let once =
        if c.cost.once.abs() > 0.005 { format!(", and {:.0} a message", c.cost.once) } else { String::new() };
    let constants = constants(kernel);
    let mut lines = vec![
        format!("{} {cost} {unit}{once}, {by}.", number(c.cycles())),
        format!(
            "{} bytes of flash with all tables: {} of code and {constants} of constants; {} bytes of RAM for tables, {} \
             bytes of stack.",
            c.cost.flash,
            c.cost.flash.saturating_sub(constants),
            c.cost.ram,
            c.cost.stack
        ),
        "Proved to be AES for every key and text.".to_owned(),
        time(c),
        match c.proof.wiped() {
            true => "Leaves no secret in registers or on the stack.",
            false => "May leave secrets in registers or on the stack.",
        }
        .to_owned(),
    ];
    lines.extend(c.proof.conditions.iter().cloned());
    lines.push(format!(
        "{} calls answered rightly: published vectors, a Monte-Carlo chain, random data.",
        c.tested_calls
    ));
    lines.extend(c.in_registers.as_ref().map(of_registers));
    lines.push(format!("{VARIANT}{}", c.variant));
    lines.push(format!("sha256 {}", c.sha256));
    lines
}

/// Adds the sentence that no search chose the kernel, before its variant: recipes are read in this order.
pub(crate) fn not_tuned(costs: &mut Vec<String>, command: &str) {
    let at = costs.iter().position(|line| line.starts_with(VARIANT)).unwrap_or(costs.len());
    costs.insert(at, format!("{NOT_TUNED}: the best of some variants; `{command}` looks at all."));
}

/// Describes the function on a block in registers, which has no prototype.
fn of_registers(f: &InRegisters) -> String {
    let list = |registers: &[String]| registers.join(" ");
    let address: Vec<&str> = f.key.iter().rev().map(String::as_str).collect();
    format!(
        "The function whose name ends with `{}` is not a C function and has no prototype: it takes the address of `key` \
         in {} and the block in {}, first byte first, and returns the result in {}, first byte first. It changes only {} \
         and the flags. It takes {} cycles by the machine model, including its return, and {} bytes of stack. Proved to \
         be AES for every key and block.",
        f.suffix,
        address.join(":"),
        list(&f.block),
        list(&f.result),
        list(&f.changed),
        f.cycles,
        f.stack
    )
}

/// Describes how its time depends on secrets.
fn time(c: &BitsCertificate) -> String {
    match (c.is_constant_time(), c.is_variable_time(), c.constant_time.split_once(": ")) {
        (true, ..) => "Proved that its time does not depend on secrets.".to_owned(),
        (false, true, Some((_, why))) => format!(
            "VARIABLE TIME, hence _vt in its name: {why}. Anyone who can measure the time may learn key and text."
        ),
        (false, true, None) => "VARIABLE TIME, hence _vt in its name.".to_owned(),
        (false, false, _) => capitalised(c.constant_time.clone() + "."),
    }
}

/// Capitalises the first letter of a sentence.
pub(crate) fn capitalised(mut sentence: String) -> String {
    sentence[..1].make_ascii_uppercase();
    sentence
}

/// Wraps a sentence into lines of a C comment of at most 100 columns. A variant is a line of the recipe, which is read
/// line by line.
pub fn comment(sentence: &str) -> String {
    if sentence.starts_with(VARIANT) {
        return format!(" * {sentence}\n");
    }
    let (mut out, mut line) = (String::new(), String::from(" *"));
    for word in sentence.split_whitespace() {
        if line.len() + word.len() >= 100 && line.len() > 4 {
            out.push_str(&line);
            out.push('\n');
            line = " *  ".into();
        }
        line.push(' ');
        line.push_str(word);
    }
    out + &line + "\n"
}

fn number(value: f64) -> String {
    if value.fract().abs() < 0.005 { format!("{value:.0}") } else { format!("{value:.2}") }
}
