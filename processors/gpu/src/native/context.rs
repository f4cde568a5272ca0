//! Driver objects as values that are released on drop: a context, memory, streams, events, functions. Errors
//! during release are ignored, since nothing could be done about them.

use std::ffi::{CString, c_int, c_void};
use std::ptr::null_mut;
use std::rc::Rc;

use super::driver::{Driver, Handle, number};

/// The primary context of a device, current on this thread.
pub(super) struct Context<'d> {
    pub driver: &'d Driver,
    device: c_int,
}

impl<'d> Context<'d> {
    pub fn new(driver: &'d Driver, device: c_int) -> Result<Context<'d>, String> {
        let mut handle: Handle = null_mut();
        // SAFETY: a pointer to a handle; the device is one that the driver has named.
        unsafe { driver.context_retain(&mut handle, device)? };
        let context = Context { driver, device };
        // SAFETY: the context is alive as long as this value is.
        unsafe { driver.context_set(handle)? };
        Ok(context)
    }

    /// The number of free bytes of memory.
    pub fn free(&self) -> Result<usize, String> {
        let (mut free, mut total) = (0, 0);
        // SAFETY: pointers to two numbers.
        unsafe { self.driver.memory_info(&mut free, &mut total)? };
        Ok(free)
    }
}

impl Drop for Context<'_> {
    fn drop(&mut self) {
        // SAFETY: it was retained once, and all values made in it borrow it, so they have been dropped.
        let _ = unsafe { self.driver.context_release(self.device) };
    }
}

/// Memory of the GPU.
pub(super) struct Memory<'c> {
    context: &'c Context<'c>,
    pub address: u64,
    bytes: usize,
}

impl<'c> Memory<'c> {
    pub fn new(context: &'c Context<'c>, bytes: usize) -> Result<Memory<'c>, String> {
        let mut address = 0;
        // SAFETY: a pointer to a number.
        unsafe { context.driver.memory_take(&mut address, bytes)? };
        Ok(Memory { context, address, bytes })
    }

    pub fn fill(&self, byte: u8) -> Result<(), String> {
        // SAFETY: the memory has this many bytes.
        unsafe { self.context.driver.memory_fill(self.address, byte, self.bytes) }
    }

    pub fn write(&self, bytes: &[u8]) -> Result<(), String> {
        assert!(bytes.len() <= self.bytes, "more is written than memory was taken");
        // SAFETY: both have the same number of bytes, by the line above.
        unsafe { self.context.driver.copy_in(self.address, bytes.as_ptr().cast(), bytes.len()) }
    }

    pub fn read(&self, at: usize, bytes: &mut [u8]) -> Result<(), String> {
        assert!(at + bytes.len() <= self.bytes, "more is read than memory was taken");
        let from = self.address + at as u64;
        // SAFETY: both have the same number of bytes, by the lines above.
        unsafe { self.context.driver.copy_out(bytes.as_mut_ptr().cast(), from, bytes.len()) }
    }
}

impl Drop for Memory<'_> {
    fn drop(&mut self) {
        // SAFETY: it was allocated once, and work that uses it has been waited for, or the driver waits for it.
        let _ = unsafe { self.context.driver.memory_free(self.address) };
    }
}

/// Pinned host memory, which the GPU copies from and to directly.
pub(super) struct Pinned<'c> {
    context: &'c Context<'c>,
    place: *mut u8,
    bytes: usize,
}

impl<'c> Pinned<'c> {
    pub fn new(context: &'c Context<'c>, bytes: usize) -> Result<Pinned<'c>, String> {
        let mut place: Handle = null_mut();
        // SAFETY: a pointer to a pointer.
        unsafe { context.driver.host_take(&mut place, bytes)? };
        // SAFETY: the driver allocated this many bytes for us alone; they may never have been written.
        unsafe { place.cast::<u8>().write_bytes(0, bytes) };
        Ok(Pinned { context, place: place.cast(), bytes })
    }

    /// Its bytes. No copy is in progress: code that started one on a stream has waited for it.
    pub fn bytes(&mut self) -> &mut [u8] {
        // SAFETY: this many bytes were allocated and written, and the slice borrows the whole value.
        unsafe { std::slice::from_raw_parts_mut(self.place, self.bytes) }
    }
}

impl Drop for Pinned<'_> {
    fn drop(&mut self) {
        // SAFETY: it was allocated once; the stream that copies from or to it is declared before it, so it was
        // waited for.
        let _ = unsafe { self.context.driver.host_free(self.place.cast()) };
    }
}

/// A stream of work.
pub(super) struct Stream<'c> {
    context: &'c Context<'c>,
    handle: Handle,
}

impl<'c> Stream<'c> {
    pub fn new(context: &'c Context<'c>) -> Result<Stream<'c>, String> {
        let mut handle: Handle = null_mut();
        // SAFETY: a pointer to a handle.
        unsafe { context.driver.stream_make(&mut handle, number::BLOCKING)? };
        Ok(Stream { context, handle })
    }

    pub fn wait(&self) -> Result<(), String> {
        // SAFETY: the stream is alive.
        unsafe { self.context.driver.stream_wait(self.handle) }
    }

    /// Enqueues a copy to the GPU on the stream.
    ///
    /// # Safety
    /// Both must live, and nothing else may use `from`, until the stream was waited for.
    pub(crate) unsafe fn copy_in(&self, to: &Memory, from: &Pinned) -> Result<(), String> {
        assert!(to.bytes == from.bytes, "a buffer of the host is as long as that of the card");
        // SAFETY: both have the same number of bytes; the caller keeps them alive.
        unsafe { self.context.driver.copy_in_behind(to.address, from.place.cast(), to.bytes, self.handle) }
    }

    /// Enqueues a copy from the GPU on the stream.
    ///
    /// # Safety
    /// Same requirements as [`Stream::copy_in`], with `to` in place of `from`.
    pub(crate) unsafe fn copy_out(&self, to: &Pinned, from: &Memory) -> Result<(), String> {
        assert!(to.bytes == from.bytes, "a buffer of the host is as long as that of the card");
        // SAFETY: both have the same number of bytes; the caller keeps them alive.
        unsafe { self.context.driver.copy_out_behind(to.place.cast(), from.address, to.bytes, self.handle) }
    }
}

impl Drop for Stream<'_> {
    fn drop(&mut self) {
        let _ = self.wait();
        // SAFETY: it was made once.
        let _ = unsafe { self.context.driver.stream_free(self.handle) };
    }
}

/// A point in a stream, with its time.
pub(super) struct Event<'c> {
    context: &'c Context<'c>,
    handle: Handle,
}

impl<'c> Event<'c> {
    pub fn new(context: &'c Context<'c>) -> Result<Event<'c>, String> {
        let mut handle: Handle = null_mut();
        // SAFETY: a pointer to a handle.
        unsafe { context.driver.event_make(&mut handle, 0)? };
        Ok(Event { context, handle })
    }

    pub fn record(&self, stream: &Stream) -> Result<(), String> {
        // SAFETY: both are alive.
        unsafe { self.context.driver.event_record(self.handle, stream.handle) }
    }

    /// The time from an event to this one in milliseconds; waits until this one has occurred.
    pub fn since(&self, from: &Event) -> Result<f64, String> {
        let mut milliseconds = 0.0f32;
        // SAFETY: both are alive and recorded; a pointer to a number.
        unsafe {
            self.context.driver.event_wait(self.handle)?;
            self.context.driver.event_between(&mut milliseconds, from.handle, self.handle)?;
        }
        Ok(milliseconds.into())
    }
}

impl Drop for Event<'_> {
    fn drop(&mut self) {
        // SAFETY: it was made once.
        let _ = unsafe { self.context.driver.event_free(self.handle) };
    }
}

/// A PTX module, compiled by the driver.
pub(super) struct Module<'c> {
    context: &'c Context<'c>,
    handle: Handle,
}

/// Size of the compiler's log, in bytes.
const LOG: usize = 4096;

impl<'c> Module<'c> {
    pub fn new(context: &'c Context<'c>, text: &str) -> Result<Rc<Module<'c>>, String> {
        let image = CString::new(text).map_err(|_| "the text has a byte 0, which ends it for the driver")?;
        let mut handle: Handle = null_mut();
        let mut log = vec![0u8; LOG];
        let mut names = number::ERROR_LOG;
        // The driver takes a size as a pointer value.
        let mut values: [*mut c_void; 2] = [log.as_mut_ptr().cast(), std::ptr::without_provenance_mut(LOG)];
        // SAFETY: a text that ends in 0, the stated number of options, and a log of the stated size.
        let loaded = unsafe {
            context.driver.module_load(
                &mut handle,
                image.as_ptr().cast(),
                names.len() as u32,
                names.as_mut_ptr(),
                values.as_mut_ptr(),
            )
        };
        let said = log.split(|byte| *byte == 0).next().unwrap_or_default();
        let said = String::from_utf8_lossy(said).trim().to_owned();
        loaded.map_err(|e| if said.is_empty() { e } else { format!("{e}: {said}") })?;
        Ok(Rc::new(Module { context, handle }))
    }

    /// A function of it, for launches of thread blocks with this many threads and bytes of shared memory.
    pub fn function(self: &Rc<Self>, name: &str, threads: u32, shared: u32) -> Result<Function<'c>, String> {
        let symbol = CString::new(name).map_err(|_| "a name has a byte 0")?;
        let (mut handle, mut resident): (Handle, c_int) = (null_mut(), 0);
        // SAFETY: the module is alive; a name that ends in 0; pointers to a handle and to a number.
        unsafe {
            self.context.driver.module_function(&mut handle, self.handle, symbol.as_ptr())?;
            self.context.driver.function_set(handle, number::SHARED_OF_FUNCTION, shared as c_int)?;
            self.context.driver.occupancy(&mut resident, handle, threads as c_int, shared as usize)?;
        }
        if resident < 1 {
            return Err(format!(
                "{name} does not fit on a multiprocessor of the card, with {threads} threads and {shared} bytes of shared memory a block"
            ));
        }
        Ok(Function { module: self.clone(), handle, threads, shared, resident: resident as u32 })
    }
}

impl Drop for Module<'_> {
    fn drop(&mut self) {
        // SAFETY: it was loaded once; its functions share it and have been dropped.
        let _ = unsafe { self.context.driver.module_unload(self.handle) };
    }
}

/// A function of a module.
pub(super) struct Function<'c> {
    module: Rc<Module<'c>>,
    handle: Handle,
    threads: u32,
    shared: u32,
    /// Thread blocks that a multiprocessor holds at once.
    pub resident: u32,
}

impl Function<'_> {
    /// Enqueues a launch of this many thread blocks on the stream. The parameters are copied before it returns.
    ///
    /// # Safety
    /// With these parameters the function must access only GPU memory that lives, and that nothing else uses,
    /// until the stream was waited for.
    pub unsafe fn launch(&self, groups: u32, stream: &Stream, parameters: &[Vec<u8>]) -> Result<(), String> {
        // Aligned to 16 bytes, as the widest parameter requires.
        let mut aligned: Vec<Vec<u128>> = parameters.iter().map(|bytes| words(bytes)).collect();
        let mut places: Vec<*mut c_void> = aligned.iter_mut().map(|p| p.as_mut_ptr().cast()).collect();
        // SAFETY: function and stream are alive, each parameter has its bytes; the caller guarantees the rest.
        unsafe {
            self.module.context.driver.launch(
                self.handle,
                groups,
                1,
                1,
                self.threads,
                1,
                1,
                self.shared,
                stream.handle,
                places.as_mut_ptr(),
                null_mut(),
            )
        }
    }
}

/// Bytes as 16-byte words; the last one is padded.
fn words(bytes: &[u8]) -> Vec<u128> {
    let word =
        |chunk: &[u8]| u128::from_le_bytes(std::array::from_fn(|k| chunk.get(k).copied().unwrap_or(0)));
    bytes.chunks(16).map(word).collect()
}
