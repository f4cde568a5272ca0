//! AES from two libraries that share no code with this project: OpenSSL's libcrypto, if the system has it, and
//! the RustCrypto crates.

use aes::cipher::{Array, BlockModeDecrypt, BlockModeEncrypt, KeyInit, KeyIvInit, StreamCipher};
use aesmith_cipher::{Direction, KeySize, Problem, Task};
use libloading::Library;
use std::ffi::{c_char, c_int, c_void};
use std::ptr::null_mut;

/// The available libraries.
pub struct Libraries {
    openssl: Option<OpenSsl>,
}

impl Libraries {
    /// Loads libcrypto 3; prints a note if it is missing.
    pub fn new() -> Libraries {
        let openssl = OpenSsl::load();
        if openssl.is_none() {
            println!("skipped: comparison with OpenSSL, as there is no libcrypto.so.3 here (apt: libssl3)");
        }
        Libraries { openssl }
    }

    /// The output of one stream of `problem` for a message, from every library; they must agree.
    pub fn message(&self, problem: Problem, key: &[u8], iv: &[u8; 16], input: &[u8]) -> Vec<u8> {
        let expected = rustcrypto(problem, key, iv, input);
        if let Some(openssl) = &self.openssl {
            assert!(
                openssl.message(problem, key, iv, input) == expected,
                "the libraries disagree on {problem}"
            );
        }
        expected
    }
}

fn rustcrypto(problem: Problem, key: &[u8], iv: &[u8; 16], input: &[u8]) -> Vec<u8> {
    let mut text = input.to_vec();
    macro_rules! mode {
        ($aes:ty) => {
            match problem.task {
                Task::Ecb(Direction::Encrypt) => {
                    ecb::Encryptor::<$aes>::new_from_slice(key).unwrap().encrypt_blocks(blocks(&mut text));
                }
                Task::Ecb(Direction::Decrypt) => {
                    ecb::Decryptor::<$aes>::new_from_slice(key).unwrap().decrypt_blocks(blocks(&mut text));
                }
                Task::CbcEncrypt { .. } => {
                    let mut mode = cbc::Encryptor::<$aes>::new_from_slices(key, iv).unwrap();
                    mode.encrypt_blocks(blocks(&mut text));
                }
                Task::CbcDecrypt => {
                    let mut mode = cbc::Decryptor::<$aes>::new_from_slices(key, iv).unwrap();
                    mode.decrypt_blocks(blocks(&mut text));
                }
                _ => ctr::Ctr128BE::<$aes>::new_from_slices(key, iv).unwrap().apply_keystream(&mut text),
            }
        };
    }
    match problem.key {
        KeySize::Aes128 => mode!(aes::Aes128),
        KeySize::Aes192 => mode!(aes::Aes192),
        KeySize::Aes256 => mode!(aes::Aes256),
    }
    text
}

fn blocks(text: &mut [u8]) -> &mut [Array<u8, aes::cipher::consts::U16>] {
    let (blocks, rest) = Array::slice_as_chunks_mut(text);
    assert!(rest.is_empty(), "the message is not of whole blocks");
    blocks
}

type Init =
    unsafe extern "C" fn(*mut c_void, *const c_void, *mut c_void, *const u8, *const u8, c_int) -> c_int;

/// The EVP functions of libcrypto that are used, as openssl/evp.h declares them.
struct OpenSsl {
    cipher_by_name: unsafe extern "C" fn(*const c_char) -> *const c_void,
    new: unsafe extern "C" fn() -> *mut c_void,
    free: unsafe extern "C" fn(*mut c_void),
    init: Init,
    set_padding: unsafe extern "C" fn(*mut c_void, c_int) -> c_int,
    update: unsafe extern "C" fn(*mut c_void, *mut u8, *mut c_int, *const u8, c_int) -> c_int,
}

impl OpenSsl {
    fn load() -> Option<OpenSsl> {
        // SAFETY: loading runs the same code of libcrypto as in any program; it is never unloaded, so the
        // functions stay valid; their types are those of its header.
        unsafe {
            let library: &'static Library = Box::leak(Box::new(Library::new("libcrypto.so.3").ok()?));
            Some(OpenSsl {
                cipher_by_name: *library.get(b"EVP_get_cipherbyname\0").ok()?,
                new: *library.get(b"EVP_CIPHER_CTX_new\0").ok()?,
                free: *library.get(b"EVP_CIPHER_CTX_free\0").ok()?,
                init: *library.get(b"EVP_CipherInit_ex\0").ok()?,
                set_padding: *library.get(b"EVP_CIPHER_CTX_set_padding\0").ok()?,
                update: *library.get(b"EVP_CipherUpdate\0").ok()?,
            })
        }
    }

    fn message(&self, problem: Problem, key: &[u8], iv: &[u8; 16], input: &[u8]) -> Vec<u8> {
        let (mode, encrypt) = match problem.task {
            Task::Ecb(direction) => ("ECB", direction == Direction::Encrypt),
            Task::CbcEncrypt { .. } => ("CBC", true),
            Task::CbcDecrypt => ("CBC", false),
            _ => ("CTR", true),
        };
        let name = format!("AES-{}-{mode}\0", problem.key.bits());
        // Without padding, decryption also outputs each block at once.
        let mut output = vec![0; input.len()];
        let mut written = 0;
        let length = c_int::try_from(input.len()).expect("a test's message is short");
        // SAFETY: a NUL-terminated name, a context that is freed here, key and IV of the cipher's
        // lengths, and an output as long as the input.
        unsafe {
            let (cipher, context) = ((self.cipher_by_name)(name.as_ptr().cast()), (self.new)());
            assert!(!cipher.is_null() && !context.is_null(), "libcrypto has no {name}");
            let direction = c_int::from(encrypt);
            let keyed = (self.init)(context, cipher, null_mut(), key.as_ptr(), iv.as_ptr(), direction);
            assert_eq!((keyed, (self.set_padding)(context, 0)), (1, 1), "libcrypto refused the key");
            let done = (self.update)(context, output.as_mut_ptr(), &mut written, input.as_ptr(), length);
            assert_eq!((done, written), (1, length), "libcrypto did not take the whole message");
            (self.free)(context);
        }
        output
    }
}
