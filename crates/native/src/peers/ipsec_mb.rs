//! Intel's Multi-Buffer Crypto for IPsec, version 1.3 (Debian's libipsec-mb1): its cipher burst for CTR and CBC, one
//! burst a call, its job interface for ECB, and its updates of messages for GCM.
//!
//! The manager and job structures are accessed at the offsets in that version's header (intel-ipsec-mb.h); other
//! versions are not used.

mod gcm;

use std::cell::RefCell;
use std::ffi::{CStr, c_char, c_int, c_void};
use std::rc::Rc;

use aesmith_cipher::problem::MOST_STREAMS;
use aesmith_cipher::{Direction, KeySize, Problem};
use libloading::Library;

use super::{Call, Peer, Session};
use crate::stage::Stream;

/// The version with these structures.
const VERSION: &str = "1.3.";

/// Offsets in `IMB_MGR` of the functions that are called.
mod manager {
    pub(crate) const GET_NEXT_JOB: usize = 64;
    pub(crate) const SUBMIT_JOB_NOCHECK: usize = 80;
    pub(crate) const FLUSH_JOB: usize = 96;
    pub(crate) const KEYEXP_128: usize = 112;
    pub(crate) const KEYEXP_192: usize = 120;
    pub(crate) const KEYEXP_256: usize = 128;
    pub(crate) const SUBMIT_CIPHER_BURST_NOCHECK: usize = 992;
}

/// `IMB_JOB`: the fields that a cipher needs, with padding between them.
#[repr(C)]
#[derive(Clone, Copy)]
struct Job {
    encryption_keys: *const u8,
    decryption_keys: *const u8,
    key_bytes: u64,
    source: *const u8,
    destination: *mut u8,
    source_offset: u64,
    cipher_bytes: u64,
    hash: [u64; 2],
    iv: *const u8,
    iv_bytes: u64,
    unused: [u64; 5],
    status: u32,
    mode: u32,
    direction: u32,
    hash_algorithm: u32,
    order: u32,
    more: [u32; 13],
}

/// Maximum bytes for its multi-buffer CBC encryption, which keeps lengths in 16 bits; longer messages are encrypted
/// wrongly.
const LONGEST_CBC: usize = (1 << 16) - 16;

/// Bytes of an `IMB_JOB`, which is the distance between jobs of a burst.
const JOB_BYTES: usize = 200;

const MODE_CBC: u32 = 1;
const MODE_CNTR: u32 = 2;
const MODE_ECB: u32 = 12;
/// The modes that are used.
const MODES: [(&str, u32); 3] = [("ECB", MODE_ECB), ("CBC", MODE_CBC), ("CTR", MODE_CNTR)];
const HASH_NULL: u32 = 8;
const ENCRYPT: u32 = 1;
const DECRYPT: u32 = 2;
const CIPHER_THEN_HASH: u32 = 1;

type NextJob = unsafe extern "C" fn(*mut u8) -> *mut u8;
type Burst = unsafe extern "C" fn(*mut u8, *mut u8, u32, u32, u32, u64) -> u32;
type Expand = unsafe extern "C" fn(*const u8, *mut u8, *mut u8);

/// The system's ipsec-mb, with one manager.
pub(crate) struct IpsecMb {
    library: &'static Library,
    manager: Rc<RefCell<*mut u8>>,
    version: String,
}

impl IpsecMb {
    /// Loads the library, if the known version is installed.
    pub fn find() -> Option<Self> {
        // SAFETY: the types are those of the library's header; it is never unloaded, and the
        // manager, allocated once, never freed.
        unsafe {
            let library: &'static Library = Box::leak(Box::new(Library::new("libIPSec_MB.so.1").ok()?));
            let version: unsafe extern "C" fn() -> *const c_char =
                *library.get(b"imb_get_version_str\0").ok()?;
            let version = CStr::from_ptr(version()).to_string_lossy().into_owned();
            if !version.starts_with(VERSION) {
                return None;
            }
            let allocate: unsafe extern "C" fn(u64) -> *mut u8 = *library.get(b"alloc_mb_mgr\0").ok()?;
            let init: unsafe extern "C" fn(*mut u8, *mut c_int) = *library.get(b"init_mb_mgr_auto\0").ok()?;
            let manager = allocate(0);
            if manager.is_null() {
                return None;
            }
            init(manager, std::ptr::null_mut());
            Some(IpsecMb { library, manager: Rc::new(RefCell::new(manager)), version })
        }
    }

    /// A session whose calls seal whole messages of GCM with this additional data.
    ///
    /// # Errors
    /// The manager uses no function that is known.
    pub(super) fn whole_messages(
        &self,
        problem: Problem,
        streams: &[Stream],
        data: &[u8],
    ) -> Result<Box<dyn Session>, String> {
        let manager = *self.manager.borrow();
        gcm::whole(self.library, manager, problem, streams, data)
    }
}

impl Peer for IpsecMb {
    fn name(&self) -> &'static str {
        "ipsec-mb"
    }

    fn version(&self) -> String {
        self.version.clone()
    }

    fn supports(&self, problem: Problem) -> bool {
        let is_known = MODES.iter().any(|(family, _)| *family == problem.mode().family);
        problem.is_message() && (is_known || problem.mode().hashed().is_some())
    }

    fn session(&self, problem: Problem, streams: &[Stream]) -> Result<Box<dyn Session>, String> {
        if let Some(hashed) = problem.mode().hashed() {
            let manager = *self.manager.borrow();
            return gcm::session(self.library, manager, problem, hashed, streams);
        }
        let known = MODES.iter().find(|(family, _)| *family == problem.mode().family);
        let Some(&(_, mode)) = known else { return Err(format!("ipsec-mb has no {problem}")) };
        let direction = match problem.mode().direction {
            Direction::Encrypt => ENCRYPT,
            Direction::Decrypt => DECRYPT,
        };
        let longest = streams.iter().map(|s| s.input.len()).max().unwrap_or(0);
        if (mode, direction) == (MODE_CBC, ENCRYPT) && longest > LONGEST_CBC {
            return Err(format!("it encrypts CBC messages of at most {LONGEST_CBC} bytes"));
        }
        let expand = match problem.key {
            KeySize::Aes128 => manager::KEYEXP_128,
            KeySize::Aes192 => manager::KEYEXP_192,
            KeySize::Aes256 => manager::KEYEXP_256,
        };
        let manager = *self.manager.borrow();
        let mut context = Box::new(Context {
            keys: [[[0; 240]; 2]; MOST_STREAMS],
            jobs: [0; JOB_BYTES * MOST_STREAMS],
            manager,
            streams: streams.len(),
            mode,
            direction,
            key_bytes: problem.key.bytes() as u64,
        });
        let Context { keys, jobs, .. } = &mut *context;
        for (i, (stream, [encryption, decryption])) in streams.iter().zip(keys).enumerate() {
            // SAFETY: an initialised manager has this function at this offset; both schedules have room.
            unsafe {
                let expand: Expand = function(manager, expand);
                expand(stream.key.as_ptr(), encryption.as_mut_ptr(), decryption.as_mut_ptr());
            }
            let job = Job {
                encryption_keys: encryption.as_ptr(),
                decryption_keys: decryption.as_ptr(),
                key_bytes: problem.key.bytes() as u64,
                source: std::ptr::null(),
                destination: std::ptr::null_mut(),
                source_offset: 0,
                cipher_bytes: 0,
                hash: [0; 2],
                iv: std::ptr::null(),
                iv_bytes: if problem.has_iv() { 16 } else { 0 },
                unused: [0; 5],
                status: 0,
                mode,
                direction,
                hash_algorithm: HASH_NULL,
                order: CIPHER_THEN_HASH,
                more: [0; 13],
            };
            let bytes = &mut jobs[i * JOB_BYTES..(i + 1) * JOB_BYTES];
            // SAFETY: `Job` is at least as long as the job's bytes, all of it initialised.
            unsafe { std::ptr::copy_nonoverlapping((&raw const job).cast(), bytes.as_mut_ptr(), JOB_BYTES) };
        }
        Ok(Box::new(ImbSession { context, _manager: self.manager.clone() }))
    }
}

/// The function pointer at `offset` of a manager.
///
/// # Safety
/// The manager is initialised, and `F` is the type of the function pointer there.
unsafe fn function<F: Copy>(manager: *mut u8, offset: usize) -> F {
    // SAFETY: guaranteed by the caller.
    unsafe { *manager.add(offset).cast::<F>() }
}

#[repr(C, align(64))]
struct Context {
    /// Each stream's schedules, for encryption and decryption.
    keys: [[[u8; 240]; 2]; MOST_STREAMS],
    jobs: [u8; JOB_BYTES * MOST_STREAMS],
    manager: *mut u8,
    streams: usize,
    mode: u32,
    direction: u32,
    key_bytes: u64,
}

struct ImbSession {
    context: Box<Context>,
    _manager: Rc<RefCell<*mut u8>>,
}

impl Context {
    /// Sets the addresses and length of job `i`.
    ///
    /// # Safety
    /// `i` is below the number of streams.
    unsafe fn aim(&mut self, i: usize, iv: *const u8, input: *const u8, output: *mut u8, len: usize) {
        // SAFETY: inside the jobs; the fields lie as in `Job`, whose alignment they keep (200 = 25 x 8).
        unsafe {
            let job = self.jobs.as_mut_ptr().add(i * JOB_BYTES).cast::<Job>();
            (&raw mut (*job).source).write_unaligned(input);
            (&raw mut (*job).destination).write_unaligned(output);
            (&raw mut (*job).cipher_bytes).write_unaligned(len as u64);
            (&raw mut (*job).iv).write_unaligned(iv);
            (&raw mut (*job).status).write_unaligned(0);
        }
    }

    /// Submits the prepared jobs.
    ///
    /// # Safety
    /// The addresses of all jobs are valid.
    unsafe fn submit(&mut self) {
        let manager = self.manager;
        // SAFETY: the manager's own functions, called as its header documents.
        unsafe {
            if self.mode != MODE_ECB {
                let burst: Burst = function(manager, manager::SUBMIT_CIPHER_BURST_NOCHECK);
                let jobs = self.jobs.as_mut_ptr();
                burst(manager, jobs, self.streams as u32, self.mode, self.direction, self.key_bytes);
                return;
            }
            let next: NextJob = function(manager, manager::GET_NEXT_JOB);
            let submit: NextJob = function(manager, manager::SUBMIT_JOB_NOCHECK);
            let flush: NextJob = function(manager, manager::FLUSH_JOB);
            let job = next(manager);
            std::ptr::copy_nonoverlapping(self.jobs.as_ptr(), job, JOB_BYTES);
            if submit(manager).is_null() {
                while !flush(manager).is_null() {}
            }
        }
    }
}

unsafe extern "C" fn call_one(
    context: *mut c_void,
    iv: *const u8,
    input: *const u8,
    output: *mut u8,
    len: usize,
) {
    // SAFETY: `context` is the session's; the caller gives valid buffers.
    unsafe {
        let context = &mut *context.cast::<Context>();
        context.aim(0, iv, input, output, len);
        context.submit();
    }
}

unsafe extern "C" fn call_many(
    context: *mut c_void,
    iv: *const u8,
    input: *const u8,
    output: *mut u8,
    len: usize,
) {
    // SAFETY: `context` is the session's; the caller gives arrays with an entry for each stream.
    unsafe {
        let context = &mut *context.cast::<Context>();
        let (ivs, inputs) = (iv.cast::<*const u8>(), input.cast::<*const u8>());
        let (outputs, lens) = (output.cast::<*mut u8>(), len as *const usize);
        for i in 0..context.streams {
            context.aim(i, *ivs.add(i), *inputs.add(i), *outputs.add(i), *lens.add(i));
        }
        context.submit();
    }
}

impl Session for ImbSession {
    fn entry(&mut self) -> (Call, *mut c_void) {
        let call: Call = if self.context.streams == 1 { call_one } else { call_many };
        (call, (&raw mut *self.context).cast())
    }

    fn restart(&mut self, _streams: &[Stream]) {
        // Each job takes the IV from memory.
    }
}
