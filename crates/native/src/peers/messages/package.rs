//! A package of aesmith, by its shared library.

use std::ffi::{c_int, c_void};
use std::path::Path;

use aesmith_cipher::Problem;
use libloading::Library;

use super::super::{Call, Peer, Session};
use super::{Around, NONCE_BYTES, TAG_BYTES, seals};
use crate::stage::Stream;

/// Bytes for a key: more than the header's structure has.
const KEY_BYTES: usize = 8192;

#[repr(C, align(64))]
struct Key([u8; KEY_BYTES]);

type Seal = unsafe extern "C" fn(
    *const Key,
    *const u8,
    usize,
    *const u8,
    usize,
    *const u8,
    *mut u8,
    usize,
    *mut u8,
    usize,
) -> c_int;

/// The package's library, or why it is not there.
pub(super) struct Package {
    library: Result<&'static Library, String>,
}

impl Package {
    pub(super) fn new(path: &Path) -> Package {
        // SAFETY: packages have no initialisers; the library is never unloaded.
        let library = unsafe { Library::new(path) };
        let library = library.map(|library| &*Box::leak(Box::new(library)));
        Package { library: library.map_err(|error| format!("{}: {error}", path.display())) }
    }
}

impl Peer for Package {
    fn name(&self) -> &'static str {
        "aesmith"
    }

    fn version(&self) -> String {
        "a package".into()
    }

    fn supports(&self, problem: Problem) -> bool {
        seals(problem)
    }

    fn session(&self, problem: Problem, streams: &[Stream]) -> Result<Box<dyn Session>, String> {
        let library = self.library.clone()?;
        let stem = format!("aesmith_aes{}_gcm", problem.key.bits());
        let missing = |error| format!("the package has no {problem}: {error}");
        // SAFETY: the types are those of the package's header.
        let (init, seal) = unsafe {
            let init: unsafe extern "C" fn(*mut Key, *const u8) =
                *library.get(format!("{stem}_init\0").as_bytes()).map_err(missing)?;
            let seal: Seal = *library.get(format!("{stem}_seal\0").as_bytes()).map_err(missing)?;
            (init, seal)
        };
        let mut context = Box::new(Context { key: Key([0; KEY_BYTES]), around: Around::new()?, seal });
        // SAFETY: the key has the length of its size, and its structure has room.
        unsafe { init(&mut context.key, streams[0].key.as_ptr()) };
        Ok(Box::new(Sealing { context }))
    }
}

struct Context {
    key: Key,
    around: Around,
    seal: Seal,
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
    // SAFETY: `context` is the session's; the caller gives a nonce and buffers of `len` bytes.
    unsafe {
        let Context { key, around, seal } = &mut *context.cast::<Context>();
        let (data, tag) = (around.data.as_ptr(), around.tag.as_mut_ptr());
        seal(key, nonce, NONCE_BYTES, data, around.count, input, output, len, tag, TAG_BYTES);
    }
}

impl Session for Sealing {
    fn entry(&mut self) -> (Call, *mut c_void) {
        (call, (&raw mut *self.context).cast())
    }

    fn restart(&mut self, _streams: &[Stream]) {}
}
