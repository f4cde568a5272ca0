//! GCM by ipsec-mb's functions for one message at a time (its manual, "direct API"): a key is made ready and a message begun
//! before, and a call is an update of the message.

use std::ffi::c_void;

use aesmith_cipher::Problem;
use aesmith_cipher::mode::Hashed;
use libloading::Library;

use crate::peers::{Call, Session};
use crate::stage::Stream;

/// Bytes of a key and of a message's state: at least those of `gcm_key_data` and `gcm_context_data`.
const KEY_BYTES: usize = 4096;
const STATE_BYTES: usize = 512;

type Prepare = unsafe extern "C" fn(*const u8, *mut Key);
type Begin = unsafe extern "C" fn(*const Key, *mut State, *const u8, *const u8, u64);
type Update = unsafe extern "C" fn(*const Key, *mut State, *mut u8, *const u8, u64);

#[repr(C, align(64))]
struct Key([u8; KEY_BYTES]);

#[repr(C, align(64))]
struct State([u8; STATE_BYTES]);

/// The ending of names of functions for this CPU.
fn level() -> &'static str {
    #[cfg(target_arch = "x86_64")]
    {
        let wide = is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512bw");
        if wide && is_x86_feature_detected!("vaes") && is_x86_feature_detected!("vpclmulqdq") {
            return "vaes_avx512";
        }
        if wide {
            return "avx512";
        }
        if is_x86_feature_detected!("avx2") {
            return "avx_gen4";
        }
    }
    "sse"
}

/// A session of GCM.
///
/// # Errors
/// The library has no such function.
pub(super) fn session(
    library: &'static Library,
    problem: Problem,
    hashed: Hashed,
    streams: &[Stream],
) -> Result<Box<dyn Session>, String> {
    let (bits, level) = (problem.key.bits(), level());
    let direction = match hashed {
        Hashed::Output => "enc",
        Hashed::Text => "dec",
    };
    let named = |name: String| format!("{name}_{level}\0");
    let lacks = |name: &str| format!("ipsec-mb has no function {}", name.trim_end_matches('\0'));
    let names = [
        named(format!("aes_gcm_pre_{bits}")),
        named(format!("aes_gcm_init_{bits}")),
        named(format!("aes_gcm_{direction}_{bits}_update")),
    ];
    // SAFETY: the types are those of the library's header.
    let (prepare, begin, update) = unsafe {
        (
            *library.get::<Prepare>(names[0].as_bytes()).map_err(|_| lacks(&names[0]))?,
            *library.get::<Begin>(names[1].as_bytes()).map_err(|_| lacks(&names[1]))?,
            *library.get::<Update>(names[2].as_bytes()).map_err(|_| lacks(&names[2]))?,
        )
    };
    let mut context =
        Box::new(Context { key: Key([0; KEY_BYTES]), state: State([0; STATE_BYTES]), update, begin });
    // SAFETY: the cipher key has the length of its size, and the key made of it has room.
    unsafe { prepare(streams[0].key.as_ptr(), &mut context.key) };
    let mut session = GcmSession { context };
    session.restart(streams);
    Ok(Box::new(session))
}

struct Context {
    key: Key,
    state: State,
    update: Update,
    begin: Begin,
}

struct GcmSession {
    context: Box<Context>,
}

unsafe extern "C" fn call(
    context: *mut c_void,
    _iv: *const u8,
    input: *const u8,
    output: *mut u8,
    len: usize,
) {
    // SAFETY: `context` is the session's; the caller gives buffers of `len` bytes.
    unsafe {
        let context = &mut *context.cast::<Context>();
        (context.update)(&context.key, &mut context.state, output, input, len as u64);
    }
}

impl Session for GcmSession {
    fn entry(&mut self) -> (Call, *mut c_void) {
        (call, (&raw mut *self.context).cast())
    }

    fn restart(&mut self, streams: &[Stream]) {
        let Context { key, state, begin, .. } = &mut *self.context;
        // SAFETY: the nonce has 12 bytes, and there is no additional data.
        unsafe { begin(key, state, streams[0].iv.as_ptr(), std::ptr::null(), 0) };
    }
}
