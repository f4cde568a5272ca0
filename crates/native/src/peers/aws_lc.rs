//! AWS-LC through the crate aws-lc-rs, whose raw ciphers work in place: a message with a separate output is copied
//! first, and its time includes the copy, as it would for any user of the crate.

use std::ffi::c_void;

use aesmith_cipher::{Direction, KeySize, Problem, Task};
use aws_lc_rs::cipher::{AES_128, AES_192, AES_256, EncryptingKey, EncryptionContext, UnboundCipherKey};
use aws_lc_rs::iv::FixedLength;

use super::{Call, Peer, Session};
use crate::stage::Stream;

/// The crate, compiled in.
pub(crate) struct AwsLc;

impl Peer for AwsLc {
    fn name(&self) -> &'static str {
        "aws-lc"
    }

    fn version(&self) -> String {
        "aws-lc-rs 1.19".into()
    }

    /// Its code is OpenSSL's, and reads the same environment variable.
    fn is_held(&self) -> bool {
        true
    }

    /// The crate offers CBC only with padding.
    fn supports(&self, problem: Problem) -> bool {
        matches!(problem.task, Task::Ctr | Task::Ecb(Direction::Encrypt))
    }

    fn session(&self, problem: Problem, streams: &[Stream]) -> Result<Box<dyn Session>, String> {
        let algorithm = match problem.key {
            KeySize::Aes128 => &AES_128,
            KeySize::Aes192 => &AES_192,
            KeySize::Aes256 => &AES_256,
        };
        let counter = problem.mode().counts();
        let key = UnboundCipherKey::new(algorithm, &streams[0].key)
            .and_then(|key| if counter { EncryptingKey::ctr(key) } else { EncryptingKey::ecb(key) })
            .map_err(|_| format!("AWS-LC refused the key of {problem}"))?;
        Ok(Box::new(KeySession { key, counter }))
    }
}

struct KeySession {
    key: EncryptingKey,
    counter: bool,
}

unsafe extern "C" fn call(
    session: *mut c_void,
    iv: *const u8,
    input: *const u8,
    output: *mut u8,
    len: usize,
) {
    // SAFETY: `session` is the session; the caller gives 16 bytes of IV and buffers of `len` bytes,
    // the same or apart.
    unsafe {
        let session = &*session.cast::<KeySession>();
        if input != output.cast_const() {
            std::ptr::copy_nonoverlapping(input, output, len);
        }
        let both = std::slice::from_raw_parts_mut(output, len);
        let context = if session.counter {
            EncryptionContext::Iv128(FixedLength::from(*iv.cast::<[u8; 16]>()))
        } else {
            EncryptionContext::None
        };
        let _ = session.key.less_safe_encrypt(both, context);
    }
}

impl Session for KeySession {
    fn entry(&mut self) -> (Call, *mut c_void) {
        (call, (&raw mut *self).cast())
    }

    fn restart(&mut self, _streams: &[Stream]) {
        // Each call takes the IV from memory.
    }
}
