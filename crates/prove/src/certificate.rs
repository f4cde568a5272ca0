//! The results of a proof: a certificate over a kernel's bytes, or a refutation that says what differs and where.

use std::fmt;

use aesmith_cipher::Problem;
use aesmith_cipher::mode::{KeyPart, Role};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// Evidence for one kernel's bytes. The field names are stable, since certificates are stored and delivered.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LanesCertificate {
    /// Version of this format.
    pub format: u32,
    /// The problem, by name.
    pub problem: String,
    /// The kernel's name, given by the caller.
    pub kernel: String,
    /// SHA-256 of the kernel's bytes, code and constants, in hexadecimal.
    pub sha256: String,
    /// Number of these bytes.
    pub bytes: usize,
    /// `E3`: mode and every length proved (the levels are in docs/SOUNDNESS.md).
    pub level: String,
    /// `CT2`: no secret in an address, a branch or a shift count, and every instruction that handles a secret is on a
    /// list of instructions with data-independent timing; `CT1`: some of these instructions are on no such list
    /// (VPERMI2B is not); `VT`: table look-ups at addresses that depend on the key and the message, so the time varies.
    pub constant_time: String,
    /// Number of instructions that load from secret-dependent addresses.
    #[serde(default)]
    pub secret_loads: usize,
    /// True if nothing that depends on a key or message stays in registers or on the stack.
    pub wiped: bool,
    /// Stack that the kernel writes, in bytes below the return address.
    pub frame_bytes: usize,
    /// Reach of reads and writes below the stack pointer, in bytes: 0 if the kernel leaves the red zone alone, as code
    /// must if interrupts write to its stack. Absent in certificates of older versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub red_zone_bytes: Option<usize>,
    /// Number of reachable instructions of the kernel.
    pub instructions: usize,
    /// Number of paths followed to their end.
    pub paths: usize,
    /// Bytes of a key structure that some path reads; key set-up fills the rest for other kernels. Absent in
    /// certificates of older versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key_bytes_read: Option<usize>,
    /// The SHA-256 of the kernel whose proof this is: the two kernels differ only in the order of instructions, in
    /// registers and in the stack. Absent if the kernel was proved by itself, as `verify` does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reduced_to: Option<String>,
    /// The assumptions of the proof.
    pub assumptions: Vec<String>,
    /// The version of the tool.
    pub tool: String,
}

/// The version of the certificate's format.
pub const FORMAT: u32 = 1;

/// SHA-256 in hexadecimal.
pub fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|b| format!("{b:02x}")).collect()
}

/// The assumptions of every proof of a problem, by the timing class of the kernel, the name of its calling convention,
/// and the source of the list of constant-time instructions.
pub fn assumptions(problem: Problem, class: &str, convention: &str, listing: &str) -> Vec<String> {
    let called = format!("The kernel is called as {convention} says, with the arguments of its contract.");
    let listed = format!(
        "CT2: instructions that handle something secret take a time that does not depend on their data. {listing}"
    );
    let mut list = vec![
        "The instruction semantics of aesmith-processor are those of the CPU.",
        called.as_str(),
        "Its first byte lies at a multiple of 64, and its bytes are not changed, but that its constants, which begin at the first multiple of 64 behind its code, may stand at another multiple of 64 where every instruction that addresses them finds them.",
    ];
    list.push(match class {
        "VT" => "VT: nobody who can tell which of the kernel's constants are read, by the state of a cache or by the time of a call, may be near: the addresses depend on the key and the message. Nothing else does: no branch, mask or shift count.",
        "CT2" => listed.as_str(),
        _ => "CT1: instructions that handle something secret take a time that does not depend on their data, though some are on no vendor's list of such instructions.",
    });
    let mode = problem.mode();
    if mode.takes(Role::CipherKey) {
        list.push("The cipher key does not overlap the key structure.");
    }
    if problem.is_message() {
        list.extend([
            "Lengths are below 2^63 bytes.",
            "Nobody else reads the output or changes the input during the call: the order of stores within it is not modelled, and streaming stores are fenced before the return.",
            "Input and output are the same memory or do not overlap; they overlap neither keys, IVs, arguments nor the stack.",
            "The key structure holds the round keys of its key set-up, which is proved apart.",
            "The objects of one stream overlap none of another.",
            "No object lies within 4096 bytes of address 0 or of 2^63.",
        ]);
    }
    if mode.may_read(KeyPart::CounterTable) {
        list.push("If the kernel reads the key structure's counter table, that is as aesmith_cipher::contract says; its set-up is proved apart.");
    }
    if mode.may_read(KeyPart::HashTable) {
        list.extend([
            "The key structure holds the powers of the hash key and the zeros behind them, as aesmith_cipher::contract says; their set-up is proved apart.",
            "The counter block is public: for nonces of other sizes than 96 bits it is a hash under the key.",
        ]);
    }
    if problem.is_key_set_up() && mode.may_read(KeyPart::RoundKeys) {
        list.push("The key structure holds the round keys of its key set-up, which is proved apart.");
    }
    list.into_iter().map(str::to_owned).collect()
}

/// The reason why a certificate does not hold for some bytes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Mismatch(pub String);

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Mismatch {}

impl LanesCertificate {
    /// True if its time depends on secrets, by look-ups in tables.
    pub fn is_variable_time(&self) -> bool {
        self.constant_time == "VT"
    }

    /// Checks that this is a certificate over these bytes. It repeats no proof: to repeat it, prove the bytes and
    /// compare.
    ///
    /// # Errors
    /// A sentence on what differs.
    pub fn check(&self, bytes: &[u8]) -> Result<(), Mismatch> {
        if self.format != FORMAT {
            return Err(Mismatch(format!(
                "the certificate has format {}, this tool reads format {FORMAT}: prove the kernel again",
                self.format
            )));
        }
        if self.bytes != bytes.len() {
            return Err(Mismatch(format!(
                "the certificate is over {} bytes, the kernel has {}",
                self.bytes,
                bytes.len()
            )));
        }
        let found = sha256(bytes);
        if found != self.sha256 {
            return Err(Mismatch(format!(
                "the kernel's bytes have SHA-256 {found}, the certificate is over {}",
                self.sha256
            )));
        }
        Ok(())
    }
}

/// The reason why a kernel was not proved.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Refutation {
    /// The problem, by name.
    pub problem: String,
    /// Offset of the instruction that shows it, in bytes.
    pub offset: u64,
    /// The instruction.
    pub instruction: String,
    /// The fault, in a sentence.
    pub reason: String,
}

impl fmt::Display for Refutation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "not proved to be {}: at offset {:#x}, `{}`: {}",
            self.problem, self.offset, self.instruction, self.reason
        )
    }
}

impl std::error::Error for Refutation {}
