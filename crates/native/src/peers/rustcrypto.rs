//! RustCrypto's crates: aes under ecb, cbc and ctr, which can write to a separate output.

use std::ffi::c_void;

use aes::cipher::{Array, BlockModeDecrypt, BlockModeEncrypt, KeyInit, KeyIvInit, StreamCipher};
use aes::{Aes128, Aes192, Aes256};
use aesmith_cipher::{Direction, KeySize, Problem, Task};

use super::{Call, Peer, Session};
use crate::stage::Stream;

/// The crates, compiled in.
pub struct RustCrypto;

impl Peer for RustCrypto {
    fn name(&self) -> &'static str {
        "rustcrypto"
    }

    fn version(&self) -> String {
        "aes 0.9".into()
    }

    fn supports(&self, problem: Problem) -> bool {
        problem.is_message() && problem.streams() == 1 && problem.mode().is_plain()
    }

    fn session(&self, problem: Problem, streams: &[Stream]) -> Result<Box<dyn Session>, String> {
        let s = &streams[0];
        macro_rules! modes {
            ($aes:ty) => {
                match problem.task {
                    Task::Ecb(Direction::Encrypt) => {
                        let make = |s: &Stream| ecb::Encryptor::<$aes>::new_from_slice(&s.key);
                        boxed(s, move |s| make(s).ok(), encrypt_blocks)
                    }
                    Task::Ecb(Direction::Decrypt) => {
                        let make = |s: &Stream| ecb::Decryptor::<$aes>::new_from_slice(&s.key);
                        boxed(s, move |s| make(s).ok(), decrypt_blocks)
                    }
                    Task::CbcEncrypt { .. } => {
                        let make = |s: &Stream| cbc::Encryptor::<$aes>::new_from_slices(&s.key, &s.iv[..16]);
                        boxed(s, move |s| make(s).ok(), encrypt_blocks)
                    }
                    Task::CbcDecrypt => {
                        let make = |s: &Stream| cbc::Decryptor::<$aes>::new_from_slices(&s.key, &s.iv[..16]);
                        boxed(s, move |s| make(s).ok(), decrypt_blocks)
                    }
                    _ => {
                        let make = |s: &Stream| ctr::Ctr128BE::<$aes>::new_from_slices(&s.key, &s.iv[..16]);
                        boxed(s, move |s| make(s).ok(), key_stream)
                    }
                }
            };
        }
        let session = match problem.key {
            KeySize::Aes128 => modes!(Aes128),
            KeySize::Aes192 => modes!(Aes192),
            KeySize::Aes256 => modes!(Aes256),
        };
        session.ok_or_else(|| format!("RustCrypto refused the key of {problem}"))
    }
}

/// A mode under one key, a function that creates it, and the function that calls it.
struct ModeSession<M, F> {
    mode: M,
    make: F,
    call: unsafe extern "C" fn(*mut M, *const u8, *const u8, *mut u8, usize),
}

fn boxed<M: 'static, F: Fn(&Stream) -> Option<M> + 'static>(
    stream: &Stream,
    make: F,
    call: unsafe extern "C" fn(*mut M, *const u8, *const u8, *mut u8, usize),
) -> Option<Box<dyn Session>> {
    let mode = make(stream)?;
    Some(Box::new(ModeSession { mode, make, call }))
}

impl<M, F: Fn(&Stream) -> Option<M>> Session for ModeSession<M, F> {
    fn entry(&mut self) -> (Call, *mut c_void) {
        // SAFETY: the function types differ only in what the first pointer points to.
        let call = unsafe {
            std::mem::transmute::<unsafe extern "C" fn(*mut M, *const u8, *const u8, *mut u8, usize), Call>(
                self.call,
            )
        };
        (call, (&raw mut self.mode).cast())
    }

    fn restart(&mut self, streams: &[Stream]) {
        if let Some(mode) = (self.make)(&streams[0]) {
            self.mode = mode;
        }
    }
}

type Block = Array<u8, aes::cipher::consts::U16>;

/// Blocks of a message's input and output. The input is `None` if `input == output`, where there would be two
/// overlapping borrows.
unsafe fn blocks<'a>(
    input: *const u8,
    output: *mut u8,
    len: usize,
) -> (Option<&'a [Block]>, &'a mut [Block]) {
    // SAFETY: the caller gives buffers of `len` bytes, the same or apart; blocks have alignment 1.
    unsafe {
        let out = std::slice::from_raw_parts_mut(output.cast(), len / 16);
        let apart = input != output.cast_const();
        (apart.then(|| std::slice::from_raw_parts(input.cast(), len / 16)), out)
    }
}

unsafe extern "C" fn encrypt_blocks<M: BlockModeEncrypt<BlockSize = aes::cipher::consts::U16>>(
    mode: *mut M,
    _iv: *const u8,
    input: *const u8,
    output: *mut u8,
    len: usize,
) {
    // SAFETY: `mode` is the session's; the caller gives buffers of `len` bytes.
    match unsafe { (&mut *mode, blocks(input, output, len)) } {
        (mode, (Some(input), output)) => {
            let _ = mode.encrypt_blocks_b2b(input, output);
        }
        (mode, (None, both)) => mode.encrypt_blocks(both),
    }
}

unsafe extern "C" fn decrypt_blocks<M: BlockModeDecrypt<BlockSize = aes::cipher::consts::U16>>(
    mode: *mut M,
    _iv: *const u8,
    input: *const u8,
    output: *mut u8,
    len: usize,
) {
    // SAFETY: `mode` is the session's; the caller gives buffers of `len` bytes.
    match unsafe { (&mut *mode, blocks(input, output, len)) } {
        (mode, (Some(input), output)) => {
            let _ = mode.decrypt_blocks_b2b(input, output);
        }
        (mode, (None, both)) => mode.decrypt_blocks(both),
    }
}

unsafe extern "C" fn key_stream<M: StreamCipher>(
    mode: *mut M,
    _iv: *const u8,
    input: *const u8,
    output: *mut u8,
    len: usize,
) {
    // SAFETY: `mode` is the session's; the caller gives buffers of `len` bytes, the same or apart.
    unsafe {
        let out = std::slice::from_raw_parts_mut(output, len);
        if input == output.cast_const() {
            (*mode).apply_keystream(out);
        } else {
            (*mode).apply_keystream_b2b(std::slice::from_raw_parts(input, len), out);
        }
    }
}
