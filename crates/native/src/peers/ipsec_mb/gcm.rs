//! GCM by ipsec-mb's functions for one message at a time (its manual, "direct API"): a key is made ready and a message begun
//! before, and a call is an update of the message; or a call is a whole message.

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

/// Endings of the names of functions, one for each set of instructions.
const LEVELS: [&str; 5] = ["_vaes_avx512", "_avx512", "_avx_gen4", "_avx_gen2", "_sse"];

/// Bytes of a manager that hold its functions; `IMB_MGR` is longer.
const FUNCTIONS_BYTES: usize = 1000;

/// True if a manager uses a function, as it chose for this CPU.
///
/// # Safety
/// The manager is initialised.
unsafe fn uses(manager: *const u8, function: *const c_void) -> bool {
    let words = manager.cast::<*const c_void>();
    // SAFETY: these bytes are a part of the manager.
    (0..FUNCTIONS_BYTES / 8).any(|word| unsafe { words.add(word).read_unaligned() } == function)
}

/// A session of GCM.
///
/// # Errors
/// The manager uses no function that is known.
pub(super) fn session(
    library: &'static Library,
    manager: *const u8,
    problem: Problem,
    hashed: Hashed,
    streams: &[Stream],
) -> Result<Box<dyn Session>, String> {
    let bits = problem.key.bits();
    let direction = match hashed {
        Hashed::Output => "enc",
        Hashed::Text => "dec",
    };
    // SAFETY: the types are those of the library's header, and the manager is initialised.
    let found = LEVELS.into_iter().find_map(|level| unsafe {
        let named = |name: String| format!("{name}{level}\0");
        let update: Update =
            *library.get(named(format!("aes_gcm_{direction}_{bits}_update")).as_bytes()).ok()?;
        let prepare: Prepare = *library.get(named(format!("aes_gcm_pre_{bits}")).as_bytes()).ok()?;
        let begin: Begin = *library.get(named(format!("aes_gcm_init_{bits}")).as_bytes()).ok()?;
        uses(manager, update as *const c_void).then_some((prepare, begin, update))
    });
    let (prepare, begin, update) =
        found.ok_or_else(|| format!("ipsec-mb chose no function that is known for {problem}"))?;
    let mut context =
        Box::new(Context { key: Key([0; KEY_BYTES]), state: State([0; STATE_BYTES]), update, begin });
    // SAFETY: the cipher key has the length of its size, and the key made of it has room.
    unsafe { prepare(streams[0].key.as_ptr(), &mut context.key) };
    let mut session = GcmSession { context };
    session.restart(streams);
    Ok(Box::new(session))
}

/// A session whose calls seal whole messages.
///
/// # Errors
/// The manager uses no function that is known.
pub(super) fn whole(
    library: &'static Library,
    manager: *const u8,
    problem: Problem,
    streams: &[Stream],
    data: &[u8],
) -> Result<Box<dyn Session>, String> {
    let bits = problem.key.bits();
    // SAFETY: the types are those of the library's header, and the manager is initialised.
    let found = LEVELS.into_iter().find_map(|level| unsafe {
        let seal: Seal = *library.get(format!("aes_gcm_enc_{bits}{level}\0").as_bytes()).ok()?;
        let prepare: Prepare = *library.get(format!("aes_gcm_pre_{bits}{level}\0").as_bytes()).ok()?;
        uses(manager, seal as *const c_void).then_some((prepare, seal))
    });
    let (prepare, seal) =
        found.ok_or_else(|| format!("ipsec-mb chose no function that is known for {problem}"))?;
    let mut context = Box::new(Message {
        key: Key([0; KEY_BYTES]),
        state: State([0; STATE_BYTES]),
        data: data.to_vec(),
        tag: [0; 16],
        seal,
    });
    // SAFETY: the cipher key has the length of its size, and the key made of it has room.
    unsafe { prepare(streams[0].key.as_ptr(), &mut context.key) };
    Ok(Box::new(MessageSession { context }))
}

/// Key, state, output, text and its length, nonce, additional data and its length, tag and its length.
type Seal = unsafe extern "C" fn(
    *const Key,
    *mut State,
    *mut u8,
    *const u8,
    u64,
    *const u8,
    *const u8,
    u64,
    *mut u8,
    u64,
);

struct Message {
    key: Key,
    state: State,
    data: Vec<u8>,
    tag: [u8; 16],
    seal: Seal,
}

struct MessageSession {
    context: Box<Message>,
}

unsafe extern "C" fn seal(
    context: *mut c_void,
    nonce: *const u8,
    input: *const u8,
    output: *mut u8,
    len: usize,
) {
    // SAFETY: `context` is the session's; the caller gives a nonce of 12 bytes and buffers of `len` bytes.
    unsafe {
        let Message { key, state, data, tag, seal } = &mut *context.cast::<Message>();
        let (tag, count) = (tag.as_mut_ptr(), data.len() as u64);
        seal(key, state, output, input, len as u64, nonce, data.as_ptr(), count, tag, 16);
    }
}

impl Session for MessageSession {
    fn entry(&mut self) -> (Call, *mut c_void) {
        (seal, (&raw mut *self.context).cast())
    }

    fn restart(&mut self, _streams: &[Stream]) {}
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
