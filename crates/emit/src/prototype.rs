//! Prototypes of functions in C, without the semicolon: over texts of any length, and over whole blocks.

use crate::part::Part;
use aesmith_cipher::{Problem, Task};
use aesmith_processor::core::Core;

/// Of a function over messages of any number of bytes, whose keys are the structure of `package`.
pub(crate) fn of_texts(problem: Problem, function: &str, package: &str) -> String {
    let streams = problem.streams();
    if streams > 1 {
        return format!(
            "void {function}(const {package}_key *const key[{streams}], uint8_t *const iv[{streams}],\n\
             \x20   const uint8_t *const in[{streams}], uint8_t *const out[{streams}], const size_t len[{streams}])"
        );
    }
    let iv = if problem.has_iv() { "uint8_t iv[16], " } else { "" };
    format!("void {function}(const {package}_key *key, {iv}const uint8_t *in, uint8_t *out,\n    size_t len)")
}

/// The same as the file in C has it, where `key` is a register's name.
pub(crate) fn of_texts_in_c(problem: Problem, function: &str, structure: &str) -> String {
    let n = problem.streams();
    if n > 1 {
        return format!(
            "void {function}(const {structure}_key *const key_structures[{n}], uint8_t *const iv[{n}],\n    \
             const uint8_t *const in[{n}], uint8_t *const out[{n}], const size_t len[{n}])"
        );
    }
    let iv = if problem.has_iv() { "uint8_t iv[16], " } else { "" };
    format!(
        "void {function}(const {structure}_key *key_structure, {iv}const uint8_t *in, uint8_t *out, size_t len)"
    )
}

/// Of a part of a package for firmware.
pub(crate) fn of_part(part: &Part<'_>) -> String {
    let contract = part.kernel.contract;
    of_blocks(part.symbol, contract.problem, count(part.core), contract.blocks)
}

/// Of a function over whole blocks, whose keys are plain bytes.
pub(crate) fn of_blocks(name: &str, problem: Problem, count: &str, blocks: u8) -> String {
    match problem.task {
        Task::KeySchedule(_) | Task::CtrTable => {
            format!("void {name}(void *key, const uint8_t cipher_key[{}])", problem.key.bytes())
        }
        Task::Ecb(_) => {
            let bytes = 16 * usize::from(blocks.max(1));
            format!("void {name}(const void *key, const uint8_t in[{bytes}], uint8_t out[{bytes}])")
        }
        _ => format!(
            "void {name}(const void *key, uint8_t iv[16], const uint8_t *in, uint8_t *out, {count} blocks)"
        ),
    }
}

/// The type that blocks are counted in.
pub(crate) fn count(core: &Core) -> &'static str {
    if (core.isa)().about.address < 32 { "uint16_t" } else { "uint32_t" }
}
