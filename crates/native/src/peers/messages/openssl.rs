//! OpenSSL's libcrypto through EVP, as programs seal many messages under a key: one context, which is given the next nonce.

use std::ffi::{c_int, c_void};
use std::ptr::{null, null_mut};

use aesmith_cipher::Problem;

use super::super::openssl::Functions;
use super::super::{Call, Peer, Session};
use super::{Around, TAG_BYTES, seals};
use crate::stage::Stream;

/// `EVP_CTRL_AEAD_GET_TAG`.
const GET_TAG: c_int = 0x10;
/// The direction of `EVP_CipherInit_ex`.
const ENCRYPT: c_int = 1;

/// The system's libcrypto.
pub(super) struct OpenSsl {
    functions: Functions,
}

impl OpenSsl {
    /// Loads libcrypto 3, if it is installed.
    pub(super) fn find() -> Option<Self> {
        Functions::find().map(|functions| OpenSsl { functions })
    }
}

impl Peer for OpenSsl {
    fn name(&self) -> &'static str {
        "openssl"
    }

    fn version(&self) -> String {
        self.functions.version()
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
                || (functions.init)(evp, cipher, null_mut(), key, null(), ENCRYPT) != 1
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
        (functions.init)(*evp, null(), null_mut(), null(), nonce, ENCRYPT);
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
