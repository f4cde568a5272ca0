//! Prototypes of C functions, without the semicolon: over texts of any length, and over whole blocks.

use crate::part::Part;
use aesmith_cipher::Problem;
use aesmith_cipher::firmware::Firmware;
use aesmith_cipher::mode::Role;
use aesmith_processor::core::Core;

/// Prototype of a function over messages of any number of bytes; its keys are structures of `package`.
pub(crate) fn of_texts(problem: Problem, function: &str, package: &str) -> String {
    let streams = problem.streams();
    if streams > 1 {
        return format!(
            "void {function}(const {package}_key *const key[{streams}], uint8_t *const iv[{streams}],\n\
             \x20   const uint8_t *const in[{streams}], uint8_t *const out[{streams}], const size_t len[{streams}])"
        );
    }
    let iv = match problem.has_iv() {
        true => format!("uint8_t iv[{}], ", problem.mode().iv_bytes()),
        false => String::new(),
    };
    format!("void {function}(const {package}_key *key, {iv}const uint8_t *in, uint8_t *out,\n    size_t len)")
}

/// Prototype of a part of a package for firmware.
pub(crate) fn of_part(part: &Part<'_>) -> String {
    of_blocks(part.symbol, &part.kernel.contract, count(part.core))
}

/// Prototype of a function over whole blocks; its keys are plain bytes.
pub(crate) fn of_blocks(name: &str, contract: &Firmware, count: &str) -> String {
    let text = |name: &str| match contract.counts_blocks() {
        true => format!("*{name}"),
        false => format!("{name}[{}]", 16 * usize::from(contract.a_call())),
    };
    let parameters: Vec<String> = contract
        .arguments()
        .map(|argument| {
            let unchanged = if argument.written { "" } else { "const " };
            match argument.role {
                Role::Key => format!("{unchanged}void *key"),
                Role::Iv => format!("{unchanged}uint8_t iv[16]"),
                Role::Input => format!("{unchanged}uint8_t {}", text("in")),
                Role::Output => format!("{unchanged}uint8_t {}", text("out")),
                Role::Length => format!("{count} blocks"),
                Role::CipherKey => {
                    format!("{unchanged}uint8_t cipher_key[{}]", contract.problem.key.bytes())
                }
            }
        })
        .collect();
    format!("void {name}({})", parameters.join(", "))
}

/// The C type of a number of blocks.
pub(crate) fn count(core: &Core) -> &'static str {
    if (core.isa)().about.address < 32 { "uint16_t" } else { "uint32_t" }
}
