//! CUDA's driver interface, loaded at run time if present; nothing links to it. Names and types are those of
//! `cuda.h` of CUDA 13.0, whose macros select the version of a function (`cuMemAlloc` is `cuMemAlloc_v2`).

use std::error::Error;
use std::ffi::{CStr, OsStr, c_char, c_int, c_uint, c_void};

use libloading::Library;

/// Pointers to driver objects.
pub(super) type Handle = *mut c_void;

/// Declares the functions, and a method for each that converts the driver's error to a sentence.
macro_rules! functions {
    ($($method:ident = $symbol:literal ($($name:ident: $kind:ty),*);)*) => {
        /// The driver functions in use.
        pub(super) struct Driver {
            sentence: unsafe extern "C" fn(c_int, *mut *const c_char) -> c_int,
            $($method: unsafe extern "C" fn($($kind),*) -> c_int,)*
        }

        /// Their names in the library.
        #[cfg(test)]
        pub(super) const NAMES: &[&str] = &[$($symbol),*];

        impl Driver {
            /// Loads the library with a name or path, which is never unloaded.
            pub(super) fn load(library: &OsStr) -> Result<Driver, String> {
                let failed = |e: libloading::Error| {
                    let why = e.source().map_or_else(|| e.to_string(), ToString::to_string);
                    format!("CUDA's driver library {} cannot be loaded: {why}", library.display())
                };
                let lacks = |name: &str| {
                    format!("{} is no driver of CUDA, or too old: it lacks {name}", library.display())
                };
                // SAFETY: any program linked with the driver's library runs the same initializers; the library
                // is never unloaded, so its functions stay valid; their types are those of its header.
                unsafe {
                    let opened = Library::new(library).map_err(failed)?;
                    let opened: &'static Library = Box::leak(Box::new(opened));
                    Ok(Driver {
                        sentence: *opened
                            .get(b"cuGetErrorString\0")
                            .map_err(|_| lacks("cuGetErrorString"))?,
                        $($method: *opened
                            .get(concat!($symbol, "\0").as_bytes())
                            .map_err(|_| lacks($symbol))?,)*
                    })
                }
            }

            $(
                /// # Safety
                /// The requirements of the driver's manual for this function hold: pointers are valid for its reads and
                /// writes, handles are alive.
                #[allow(clippy::too_many_arguments, reason = "as many as the driver's function has")]
                pub(super) unsafe fn $method(&self, $($name: $kind),*) -> Result<(), String> {
                    // SAFETY: the caller fulfils the requirements of the manual.
                    let code = unsafe { (self.$method)($($name),*) };
                    self.said($symbol, code)
                }
            )*
        }
    };
}

functions! {
    init = "cuInit"(flags: c_uint);
    driver_version = "cuDriverGetVersion"(version: *mut c_int);
    device_count = "cuDeviceGetCount"(count: *mut c_int);
    device = "cuDeviceGet"(device: *mut c_int, ordinal: c_int);
    device_name = "cuDeviceGetName"(name: *mut c_char, length: c_int, device: c_int);
    device_uuid = "cuDeviceGetUuid_v2"(uuid: *mut [u8; 16], device: c_int);
    device_memory = "cuDeviceTotalMem_v2"(bytes: *mut usize, device: c_int);
    device_attribute = "cuDeviceGetAttribute"(value: *mut c_int, attribute: c_int, device: c_int);
    context_retain = "cuDevicePrimaryCtxRetain"(context: *mut Handle, device: c_int);
    context_release = "cuDevicePrimaryCtxRelease_v2"(device: c_int);
    context_set = "cuCtxSetCurrent"(context: Handle);
    module_load = "cuModuleLoadDataEx"(
        module: *mut Handle,
        image: *const c_void,
        options: c_uint,
        names: *mut c_int,
        values: *mut *mut c_void
    );
    module_unload = "cuModuleUnload"(module: Handle);
    module_function = "cuModuleGetFunction"(function: *mut Handle, module: Handle, name: *const c_char);
    function_set = "cuFuncSetAttribute"(function: Handle, attribute: c_int, value: c_int);
    occupancy = "cuOccupancyMaxActiveBlocksPerMultiprocessor"(
        blocks: *mut c_int,
        function: Handle,
        threads: c_int,
        shared: usize
    );
    memory_info = "cuMemGetInfo_v2"(free: *mut usize, total: *mut usize);
    memory_take = "cuMemAlloc_v2"(pointer: *mut u64, bytes: usize);
    memory_free = "cuMemFree_v2"(pointer: u64);
    memory_fill = "cuMemsetD8_v2"(pointer: u64, byte: u8, bytes: usize);
    host_take = "cuMemAllocHost_v2"(pointer: *mut Handle, bytes: usize);
    host_free = "cuMemFreeHost"(pointer: Handle);
    copy_in = "cuMemcpyHtoD_v2"(to: u64, from: *const c_void, bytes: usize);
    copy_out = "cuMemcpyDtoH_v2"(to: *mut c_void, from: u64, bytes: usize);
    copy_in_behind = "cuMemcpyHtoDAsync_v2"(to: u64, from: *const c_void, bytes: usize, stream: Handle);
    copy_out_behind = "cuMemcpyDtoHAsync_v2"(to: *mut c_void, from: u64, bytes: usize, stream: Handle);
    stream_make = "cuStreamCreate"(stream: *mut Handle, flags: c_uint);
    stream_wait = "cuStreamSynchronize"(stream: Handle);
    stream_free = "cuStreamDestroy_v2"(stream: Handle);
    event_make = "cuEventCreate"(event: *mut Handle, flags: c_uint);
    event_record = "cuEventRecord"(event: Handle, stream: Handle);
    event_wait = "cuEventSynchronize"(event: Handle);
    event_between = "cuEventElapsedTime"(milliseconds: *mut f32, from: Handle, to: Handle);
    event_free = "cuEventDestroy_v2"(event: Handle);
    launch = "cuLaunchKernel"(
        function: Handle,
        x: c_uint,
        y: c_uint,
        z: c_uint,
        threads_x: c_uint,
        threads_y: c_uint,
        threads_z: c_uint,
        shared: c_uint,
        stream: Handle,
        parameters: *mut *mut c_void,
        extra: *mut *mut c_void
    );
}

impl Driver {
    /// A sentence for an error code of the driver.
    fn said(&self, function: &str, code: c_int) -> Result<(), String> {
        if code == 0 {
            return Ok(());
        }
        let mut text: *const c_char = std::ptr::null();
        // SAFETY: a pointer to a pointer, which the function sets to a static text, or to null.
        let known = unsafe { (self.sentence)(code, &mut text) } == 0 && !text.is_null();
        let text = match known {
            // SAFETY: the function has set it to a text that ends in 0.
            true => unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned(),
            false => "an error that it has no text for".to_owned(),
        };
        let more = match code {
            number::UNSUPPORTED_PTX_VERSION => {
                "; the driver is older than the text: install one of CUDA 11.8 or newer (520 on Linux), of 12.1 (530) for kernels of keys \
                 by value"
            }
            _ => "",
        };
        Err(format!("CUDA's driver refuses {function}: {text} ({code}){more}"))
    }
}

/// Attributes of devices and functions, compilation options and flags (`cuda.h`, CUDA 13.0).
pub(super) mod number {
    use std::ffi::{c_int, c_uint};

    /// `CUDA_ERROR_UNSUPPORTED_PTX_VERSION`.
    pub(crate) const UNSUPPORTED_PTX_VERSION: c_int = 222;
    /// `CU_DEVICE_ATTRIBUTE_CLOCK_RATE`, in kHz.
    pub const CLOCK: c_int = 13;
    /// `CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT`.
    pub(crate) const MULTIPROCESSORS: c_int = 16;
    /// `CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR` and `_MINOR`.
    pub const CAPABILITY: [c_int; 2] = [75, 76];
    /// `CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN`.
    pub const SHARED: c_int = 97;
    /// `CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES`.
    pub(crate) const SHARED_OF_FUNCTION: c_int = 8;
    /// `CU_JIT_ERROR_LOG_BUFFER` and `_SIZE_BYTES`.
    pub(crate) const ERROR_LOG: [c_int; 2] = [5, 6];
    /// `CU_STREAM_DEFAULT`: work waits for copies and fills that were started without a stream.
    pub(crate) const BLOCKING: c_uint = 0;
}
