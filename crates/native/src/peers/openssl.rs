//! OpenSSL's libcrypto through EVP: a context set up once, one update a message, no padding. In GCM a call is an update of
//! a message that was begun before. In XTS a call is a whole data unit: it makes the first tweak, too, which a kernel is
//! given, by one more block of AES.

use std::ffi::{CStr, c_char, c_int, c_void};

use aesmith_cipher::block::{decrypt, expand_key_inverse};
use aesmith_cipher::mode::{Hashed, Next};
use aesmith_cipher::{Direction, Problem};
use libloading::Library;

use super::{Call, Peer, Session};
use crate::stage::Stream;

/// A cipher of EVP.
type Cipher = *const c_void;
type Init = unsafe extern "C" fn(*mut c_void, Cipher, *mut c_void, *const u8, *const u8, c_int) -> c_int;
type Update = unsafe extern "C" fn(*mut c_void, *mut u8, *mut c_int, *const u8, c_int) -> c_int;

/// The functions that are called (openssl/evp.h, openssl/crypto.h).
#[derive(Clone, Copy)]
pub(super) struct Functions {
    version: unsafe extern "C" fn(c_int) -> *const c_char,
    pub(super) cipher_by_name: unsafe extern "C" fn(*const c_char) -> Cipher,
    pub(super) new: unsafe extern "C" fn() -> *mut c_void,
    pub(super) free: unsafe extern "C" fn(*mut c_void),
    pub(super) init: Init,
    pub(super) update: Update,
    pub(super) finish: unsafe extern "C" fn(*mut c_void, *mut u8, *mut c_int) -> c_int,
    pub(super) control: unsafe extern "C" fn(*mut c_void, c_int, c_int, *mut c_void) -> c_int,
    set_padding: unsafe extern "C" fn(*mut c_void, c_int) -> c_int,
}

impl Functions {
    /// Loads libcrypto 3, if it is installed.
    pub(super) fn find() -> Option<Self> {
        // SAFETY: libcrypto's initialisers are the ones that any program linked with it runs; the library is never
        // unloaded, so the functions stay valid; their types are those of its headers.
        unsafe {
            let library: &'static Library = Box::leak(Box::new(Library::new("libcrypto.so.3").ok()?));
            Some(Functions {
                version: *library.get(b"OpenSSL_version\0").ok()?,
                cipher_by_name: *library.get(b"EVP_get_cipherbyname\0").ok()?,
                new: *library.get(b"EVP_CIPHER_CTX_new\0").ok()?,
                free: *library.get(b"EVP_CIPHER_CTX_free\0").ok()?,
                init: *library.get(b"EVP_CipherInit_ex\0").ok()?,
                update: *library.get(b"EVP_CipherUpdate\0").ok()?,
                finish: *library.get(b"EVP_CipherFinal_ex\0").ok()?,
                control: *library.get(b"EVP_CIPHER_CTX_ctrl\0").ok()?,
                set_padding: *library.get(b"EVP_CIPHER_CTX_set_padding\0").ok()?,
            })
        }
    }

    /// The library's version.
    pub(super) fn version(&self) -> String {
        // SAFETY: selector 0 (OPENSSL_VERSION) gives a static NUL-terminated text.
        unsafe { CStr::from_ptr((self.version)(0)) }.to_string_lossy().into_owned()
    }
}

/// The system's libcrypto.
pub struct OpenSsl {
    functions: Functions,
}

impl OpenSsl {
    /// Loads libcrypto 3, if it is installed.
    pub fn find() -> Option<Self> {
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
        problem.is_message() && problem.streams() == 1
    }

    fn session(&self, problem: Problem, streams: &[Stream]) -> Result<Box<dyn Session>, String> {
        let mode = problem.mode();
        // GCM uses the cipher forward in both directions.
        let encrypt = match mode.hashed() {
            Some(hashed) => hashed == Hashed::Output,
            None => mode.direction == Direction::Encrypt,
        };
        let parameters = Parameters::of(problem, &streams[0]);
        let name = format!("AES-{}-{}\0", problem.key.bits(), mode.family);
        let f = self.functions;
        let refused = |what: &str| format!("libcrypto refused {what} of {problem}");
        // SAFETY: a NUL-terminated name; a fresh context, freed by the session; the key has the
        // cipher's length.
        unsafe {
            let cipher = (f.cipher_by_name)(name.as_ptr().cast());
            let context = (f.new)();
            if cipher.is_null() || context.is_null() {
                return Err(refused("the cipher"));
            }
            let context_of = Context { evp: context, update: f.update };
            let session = EvpSession { context: context_of, functions: f, problem };
            let (key, iv) = (parameters.key.as_ptr(), parameters.iv.as_ptr());
            if (f.init)(context, cipher, std::ptr::null_mut(), key, iv, c_int::from(encrypt)) != 1
                || (f.set_padding)(context, 0) != 1
            {
                return Err(refused("the key"));
            }
            Ok(Box::new(session))
        }
    }
}

/// The key and IV that EVP takes.
struct Parameters {
    key: Vec<u8>,
    iv: [u8; 16],
}

impl Parameters {
    /// The key and IV of a stream. In XTS the key has a second half, under which the cipher of the IV is the first tweak.
    fn of(problem: Problem, stream: &Stream) -> Self {
        let mut key = stream.key.clone();
        let mut iv: [u8; 16] = stream.iv[..16].try_into().expect("an IV has 16 bytes");
        if problem.mode().next() == Next::Doubled {
            // EVP refuses equal halves.
            let half: Vec<u8> = key.iter().map(|byte| !byte).collect();
            iv = decrypt(&expand_key_inverse(problem.key, &half), iv);
            key.extend(half);
        }
        Parameters { key, iv }
    }
}

#[repr(C)]
struct Context {
    evp: *mut c_void,
    update: Update,
}

struct EvpSession {
    context: Context,
    functions: Functions,
    problem: Problem,
}

/// Maximum bytes of an update: EVP's lengths are C ints. Longer messages would take several updates; no measured
/// message is that long.
const LONGEST_UPDATE: usize = 1 << 30;

unsafe extern "C" fn call(
    context: *mut c_void,
    _iv: *const u8,
    mut input: *const u8,
    mut output: *mut u8,
    mut len: usize,
) {
    // SAFETY: `context` is the session's; the caller gives buffers of `len` bytes.
    unsafe {
        let context = &*context.cast::<Context>();
        loop {
            let part = len.min(LONGEST_UPDATE);
            let mut written = 0;
            (context.update)(context.evp, output, &mut written, input, part as c_int);
            len -= part;
            if len == 0 {
                break;
            }
            input = input.add(part);
            output = output.add(part);
        }
    }
}

impl Session for EvpSession {
    fn entry(&mut self) -> (Call, *mut c_void) {
        (call, (&raw mut self.context).cast())
    }

    fn restart(&mut self, streams: &[Stream]) {
        let (null, no_key) = (std::ptr::null_mut(), std::ptr::null());
        let iv = Parameters::of(self.problem, &streams[0]).iv;
        // SAFETY: null keeps the cipher and the key; the IV has 16 bytes; -1 keeps the direction.
        unsafe { (self.functions.init)(self.context.evp, null, null, no_key, iv.as_ptr(), -1) };
    }
}

impl Drop for EvpSession {
    fn drop(&mut self) {
        // SAFETY: `self` owns the context, which is not used afterwards.
        unsafe { (self.functions.free)(self.context.evp) };
    }
}
