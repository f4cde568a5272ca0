//! OpenSSL's libcrypto through EVP, as programs seal many messages under a key: one context, which is given the next nonce.

use std::ffi::{CStr, c_char, c_int, c_void};
use std::ptr::{null, null_mut};

use aesmith_cipher::Problem;
use libloading::Library;

use super::super::{Call, Peer, Session};
use super::{Around, TAG_BYTES, seals};
use crate::stage::Stream;

type Cipher = *const c_void;

/// The functions that are called (openssl/evp.h, openssl/crypto.h).
#[derive(Clone, Copy)]
struct Functions {
    version: unsafe extern "C" fn(c_int) -> *const c_char,
    cipher_by_name: unsafe extern "C" fn(*const c_char) -> Cipher,
    new: unsafe extern "C" fn() -> *mut c_void,
    free: unsafe extern "C" fn(*mut c_void),
    init: unsafe extern "C" fn(*mut c_void, Cipher, *mut c_void, *const u8, *const u8) -> c_int,
    update: unsafe extern "C" fn(*mut c_void, *mut u8, *mut c_int, *const u8, c_int) -> c_int,
    finish: unsafe extern "C" fn(*mut c_void, *mut u8, *mut c_int) -> c_int,
    control: unsafe extern "C" fn(*mut c_void, c_int, c_int, *mut c_void) -> c_int,
}

/// `EVP_CTRL_AEAD_GET_TAG`.
const GET_TAG: c_int = 0x10;

/// The system's libcrypto.
pub(super) struct OpenSsl {
    functions: Functions,
}

impl OpenSsl {
    /// Loads libcrypto 3, if it is installed.
    pub(super) fn find() -> Option<Self> {
        // SAFETY: libcrypto's initialisers are those that any program linked with it runs; the library is never unloaded,
        // so the functions stay valid; their types are those of its headers.
        let functions = unsafe {
            let library: &'static Library = Box::leak(Box::new(Library::new("libcrypto.so.3").ok()?));
            Functions {
                version: *library.get(b"OpenSSL_version\0").ok()?,
                cipher_by_name: *library.get(b"EVP_get_cipherbyname\0").ok()?,
                new: *library.get(b"EVP_CIPHER_CTX_new\0").ok()?,
                free: *library.get(b"EVP_CIPHER_CTX_free\0").ok()?,
                init: *library.get(b"EVP_EncryptInit_ex\0").ok()?,
                update: *library.get(b"EVP_EncryptUpdate\0").ok()?,
                finish: *library.get(b"EVP_EncryptFinal_ex\0").ok()?,
                control: *library.get(b"EVP_CIPHER_CTX_ctrl\0").ok()?,
            }
        };
        Some(OpenSsl { functions })
    }
}

impl Peer for OpenSsl {
    fn name(&self) -> &'static str {
        "openssl"
    }

    fn version(&self) -> String {
        // SAFETY: selector 0 (OPENSSL_VERSION) gives a static NUL-terminated text.
        unsafe { CStr::from_ptr((self.functions.version)(0)) }.to_string_lossy().into_owned()
    }

    fn is_held(&self) -> bool {
        true
    }

    fn supports(&self, problem: Problem) -> bool {
        seals(problem)
    }

    fn session(&self, problem: Problem, streams: &[Stream]) -> Result<Box<dyn Session>, String> {
        let functions = self.functions;
        let around = Around::new()?;
        let name = format!("AES-{}-GCM\0", problem.key.bits());
        // SAFETY: a NUL-terminated name; a fresh context, freed by the session; the key has the cipher's length.
        unsafe {
            let evp = (functions.new)();
            let session = Sealing { context: Box::new(Context { evp, functions, around }) };
            let cipher = (functions.cipher_by_name)(name.as_ptr().cast());
            let key = streams[0].key.as_ptr();
            if evp.is_null()
                || cipher.is_null()
                || (functions.init)(evp, cipher, null_mut(), key, null()) != 1
            {
                return Err(format!("libcrypto refused the key of {problem}"));
            }
            Ok(Box::new(session))
        }
    }
}

struct Context {
    evp: *mut c_void,
    functions: Functions,
    around: Around,
}

struct Sealing {
    context: Box<Context>,
}

unsafe extern "C" fn call(
    context: *mut c_void,
    nonce: *const u8,
    input: *const u8,
    output: *mut u8,
    len: usize,
) {
    // SAFETY: `context` is the session's; the caller gives a nonce and buffers of `len` bytes; no measured message has more
    // bytes than a C int.
    unsafe {
        let Context { evp, functions, around } = &mut *context.cast::<Context>();
        let mut written = 0;
        (functions.init)(*evp, null(), null_mut(), null(), nonce);
        if around.count > 0 {
            (functions.update)(*evp, null_mut(), &mut written, around.data.as_ptr(), around.count as c_int);
        }
        (functions.update)(*evp, output, &mut written, input, len as c_int);
        (functions.finish)(*evp, output.add(len), &mut written);
        (functions.control)(*evp, GET_TAG, TAG_BYTES as c_int, around.tag.as_mut_ptr().cast());
    }
}

impl Session for Sealing {
    fn entry(&mut self) -> (Call, *mut c_void) {
        (call, (&raw mut *self.context).cast())
    }

    fn restart(&mut self, _streams: &[Stream]) {}
}

impl Drop for Sealing {
    fn drop(&mut self) {
        // SAFETY: `self` owns the context, which is not used afterwards; a null one is ignored.
        unsafe { (self.context.functions.free)(self.context.evp) };
    }
}
