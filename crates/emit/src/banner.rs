//! What is said of a kernel for firmware above its code, in its header and in the README: contract and costs, a
//! line a sentence.

use aesmith_cipher::Task;
use aesmith_cipher::firmware::Packing;
use aesmith_cipher::problem::Direction;
use aesmith_processor::certificate::Certificate;
use aesmith_processor::core::Core;

use crate::part::{Part, Role};
use crate::prototype::of_part;

/// What a function computes and asks for, a line a sentence.
pub fn contract(core: &Core, part: &Part) -> Vec<String> {
    let contract = part.made.kernel.contract;
    let bits = contract.problem.key.bits();
    let what = match contract.problem.task {
        Task::Ecb(Direction::Encrypt) => format!("AES-{bits}: encrypts a block."),
        Task::Ecb(Direction::Decrypt) => format!("AES-{bits}: decrypts a block."),
        Task::CbcEncrypt { .. } => format!("AES-{bits} in CBC: encrypts `blocks` blocks, at least 1."),
        Task::CbcDecrypt => format!("AES-{bits} in CBC: decrypts `blocks` blocks, at least 1."),
        Task::Ctr | Task::CtrTable => {
            format!("AES-{bits} in CTR: `blocks` blocks, at least 1, xored with the key stream.")
        }
        Task::KeySchedule(Direction::Encrypt) => format!("AES-{bits}: the key schedule, for encryption."),
        Task::KeySchedule(Direction::Decrypt) => format!("AES-{bits}: the key schedule, for decryption."),
    };
    let what = match (contract.problem.task, contract.blocks) {
        (Task::Ecb(_), 2..) => what.replace("a block", &format!("{} blocks", contract.blocks)),
        _ => what,
    };
    let mut lines = vec![
        format!("{} on {}, by aesmith {}.", what.trim_end_matches('.'), core.name, env!("CARGO_PKG_VERSION")),
        format!("{};", of_part(core, part)),
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
    if part.certificate.proof.alignment > 1 && (core.isa)().about.address >= 32 {
        lines.push(format!("All buffers lie at multiples of {}.", part.certificate.proof.alignment));
    }
    lines.push(format!("Called by {}.", core.convention.source));
    lines
}

fn about_packing(packing: Packing) -> &'static str {
    match packing {
        Packing::CipherKey => "the cipher key",
        Packing::RoundKeys => "round keys in order of use",
        Packing::ForwardKeys => "the round keys of encryption",
        Packing::Tiles => "round keys in tiles of two rows and two columns",
        Packing::Fixsliced => "round keys in eight bit slices each",
        Packing::FixslicedUnshifted => "round keys in eight bit slices each, ShiftRows undone",
    }
}

/// What a function costs, and who says so, a line a sentence.
pub fn costs(part: &Part) -> Vec<String> {
    let c = &part.certificate;
    let unit = if part.role() == Role::Message { "a block" } else { "a key" };
    let by = match (c.judged_cycles, c.independent) {
        (Some(_), _) => format!("counted by {}", c.judge),
        (None, true) => format!("by the machine model ({}); outputs confirmed by {}", c.model, c.judge),
        (None, false) => format!("by the machine model ({}); no independent judge was there", c.model),
    };
    let once =
        if c.cost.once.abs() > 0.005 { format!(", and {:.0} a message", c.cost.once) } else { String::new() };
    let mut lines = vec![
        format!("{} cycles {unit}{once}, {by}.", number(c.cycles())),
        format!(
            "{} bytes of flash with all tables, {} bytes of RAM for tables, {} bytes of stack.",
            c.cost.flash, c.cost.ram, c.cost.stack
        ),
        "Proved to be AES for every key and text.".to_owned(),
        time(c),
    ];
    lines.push(format!(
        "{} calls answered rightly: published vectors, a Monte-Carlo chain, random data.",
        c.tested_calls
    ));
    lines.push(format!("variant {}", c.variant));
    lines.push(format!("sha256 {}", c.sha256));
    lines
}

/// What is known of how its time depends on secrets.
fn time(c: &Certificate) -> String {
    match (c.is_constant_time(), c.is_variable_time(), c.constant_time.split_once(": ")) {
        (true, ..) => "Proved that its time does not depend on secrets.".to_owned(),
        (false, true, Some((_, why))) => format!(
            "VARIABLE TIME, so that _vt stands in its name: {why}. Whoever can measure the time may learn key and text."
        ),
        (false, true, None) => "VARIABLE TIME, so that _vt stands in its name.".to_owned(),
        (false, false, _) => {
            let mut sentence = c.constant_time.clone();
            sentence[..1].make_ascii_uppercase();
            sentence + "."
        }
    }
}

/// A sentence as lines of a comment in C, of at most 100 columns.
pub fn comment(sentence: &str) -> String {
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
