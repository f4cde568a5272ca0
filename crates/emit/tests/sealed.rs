//! Whole messages of GCM by packages, against OpenSSL and the reference: every length, data of up to 64 bytes, nonces of 1 to
//! 128 bytes, tags of each size, in place and apart; tags with a wrong bit.

// This test runs kernels.
#![cfg(target_arch = "x86_64")]

use crate::built::{builds_and_passes, level, run, there_is};
use aesmith_cipher::{Direction, KeySize, Problem, Task, modes::gcm};
use aesmith_emit::Naming;
use aesmith_emit::package::{Form, FunctionSet, Package};
use aesmith_x86::requirements::REQUIREMENTS;
use aesmith_x86::targets;
use libloading::{Library, Symbol};
use std::ffi::{c_int, c_void};
use std::path::Path;

/// The sizes of tags that the standard has (SP 800-38D, 5.2.1.2).
const TAGS: [usize; 7] = [16, 12, 4, 15, 8, 13, 14];

/// True if the CPU runs kernels of a level, and tools can build a package.
pub(crate) fn can_run(name: &str) -> bool {
    let has = targets::here().has(REQUIREMENTS.level(name).expect("a level"));
    if !has {
        println!("skipped: this CPU lacks instructions of the level {name}");
    }
    has && there_is("make") && there_is("cc")
}

fn set(size: KeySize, direction: Direction, name: &str) -> Vec<FunctionSet> {
    vec![level(Problem::new(size, Task::Gcm(direction)), &Naming::default(), name, false)]
}

#[test]
fn packages_of_one_direction_pass_their_tests() {
    for (size, direction, name) in
        [(KeySize::Aes192, Direction::Encrypt, "vaes"), (KeySize::Aes128, Direction::Decrypt, "vaes")]
    {
        if !can_run(name) {
            continue;
        }
        let package = Package::of_problems(&[set(size, direction, name)]).unwrap();
        builds_and_passes(&format!("gcm-{}", size.bits()), &package.files(Form::Package));
    }
}

type Seal = unsafe extern "C" fn(
    *const c_void,
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

type Start = unsafe extern "C" fn(*mut c_void, *const c_void, *const u8, usize) -> c_int;
type Update = unsafe extern "C" fn(*mut c_void, *const c_void, *const u8, *mut u8, usize) -> c_int;

/// The functions of one direction for messages in pieces.
struct Pieces<'l> {
    update: Symbol<'l, Update>,
    finish: Symbol<'l, unsafe extern "C" fn(*mut c_void, *const c_void, *mut u8, usize) -> c_int>,
}

/// A package's functions with a key.
pub(crate) struct Own<'l> {
    key: Vec<u64>,
    seal: Symbol<'l, Seal>,
    open: Symbol<'l, Seal>,
    start: Symbol<'l, Start>,
    data: Symbol<'l, Start>,
    /// First the functions that encrypt, then the others.
    pieces: [Pieces<'l>; 2],
}

impl<'l> Own<'l> {
    /// # Safety
    /// The library is a package of both directions.
    pub(crate) unsafe fn new(library: &'l Library, size: KeySize, key: &[u8]) -> Own<'l> {
        let name = |suffix: &str| format!("aesmith_aes{}_gcm{suffix}\0", size.bits());
        // SAFETY: the types are those of the package's header; the structure is large enough.
        unsafe {
            let init: Symbol<'_, unsafe extern "C" fn(*mut u64, *const u8)> =
                library.get(name("_init").as_bytes()).unwrap();
            let mut structure = vec![0u64; 1024];
            init(structure.as_mut_ptr(), key.as_ptr());
            let seal = library.get(name("_seal").as_bytes()).unwrap();
            let open = library.get(name("_dec_open").as_bytes()).unwrap();
            let [start, data] =
                ["_start", "_data"].map(|suffix| library.get(name(suffix).as_bytes()).unwrap());
            let pieces = ["", "_dec"].map(|direction| Pieces {
                update: library.get(name(&format!("{direction}_update")).as_bytes()).unwrap(),
                finish: library.get(name(&format!("{direction}_finish")).as_bytes()).unwrap(),
            });
            Own { key: structure, seal, open, start, data, pieces }
        }
    }

    /// The result for a message of which data and text come in two pieces each, cut behind this many bytes, and what the last
    /// function returned.
    fn in_two(
        &self,
        message: &Message,
        text: &[u8],
        tag: &mut [u8],
        cut: usize,
        opens: bool,
    ) -> (Vec<u8>, c_int) {
        let (mut context, mut output) = ([0u64; 32], vec![0xee; text.len()]);
        let (context, key) = (context.as_mut_ptr().cast(), self.key.as_ptr().cast());
        let Pieces { update, finish } = &self.pieces[usize::from(opens)];
        let nonce = &message.nonce;
        // SAFETY: all lengths are those of the buffers, and the context is larger than the header's.
        let said = unsafe {
            let mut good = (self.start)(context, key, nonce.as_ptr(), nonce.len()) == 0;
            let (first, second) = message.data.split_at(cut.min(message.data.len()));
            for piece in [first, second] {
                good &= (self.data)(context, key, piece.as_ptr(), piece.len()) == 0;
            }
            for piece in [0..cut, cut..text.len()] {
                let (from, to) = (text[piece.clone()].as_ptr(), output[piece.clone()].as_mut_ptr());
                good &= update(context, key, from, to, piece.len()) == 0;
            }
            assert!(good, "a piece is refused");
            finish(context, key, tag.as_mut_ptr(), tag.len())
        };
        (output, said)
    }

    /// Seals or opens a message, in place or not; the result, and what the function returned.
    pub(crate) fn call(
        &self,
        message: &Message,
        text: &[u8],
        tag: &mut [u8],
        in_place: bool,
        opens: bool,
    ) -> (Vec<u8>, c_int) {
        let function = if opens { &self.open } else { &self.seal };
        let mut output = if in_place { text.to_vec() } else { vec![0xee; text.len()] };
        let input = if in_place { output.as_ptr() } else { text.as_ptr() };
        // SAFETY: all lengths are those of the buffers.
        let said = unsafe {
            function(
                self.key.as_ptr().cast(),
                message.nonce.as_ptr(),
                message.nonce.len(),
                message.data.as_ptr(),
                message.data.len(),
                input,
                output.as_mut_ptr(),
                text.len(),
                tag.as_mut_ptr(),
                tag.len(),
            )
        };
        (output, said)
    }
}

pub(crate) struct Message {
    pub key: Vec<u8>,
    pub nonce: Vec<u8>,
    pub data: Vec<u8>,
    pub text: Vec<u8>,
}

/// OpenSSL's libcrypto.
pub(crate) struct OpenSsl(Library);

impl OpenSsl {
    pub(crate) fn find() -> Option<OpenSsl> {
        // SAFETY: its initialisers are those that any program linked with it runs.
        unsafe { Library::new("libcrypto.so.3") }.ok().map(OpenSsl)
    }

    pub(crate) fn get<F>(&self, name: &str) -> Symbol<'_, F> {
        // SAFETY: callers give the types of openssl/evp.h.
        unsafe { self.0.get(name.as_bytes()) }.unwrap()
    }

    /// Ciphertext and tag of 16 bytes.
    fn sealed(&self, message: &Message) -> (Vec<u8>, Vec<u8>) {
        const SET_NONCE_BYTES: c_int = 0x9;
        const GET_TAG: c_int = 0x10;
        type Init =
            unsafe extern "C" fn(*mut c_void, *const c_void, *const c_void, *const u8, *const u8) -> c_int;
        type Update = unsafe extern "C" fn(*mut c_void, *mut u8, *mut c_int, *const u8, c_int) -> c_int;
        type Control = unsafe extern "C" fn(*mut c_void, c_int, c_int, *mut c_void) -> c_int;
        let cipher = format!("EVP_aes_{}_gcm\0", 8 * message.key.len());
        let Message { key, nonce, data, text } = message;
        let (mut output, mut tag, mut written) = (vec![0; text.len()], vec![0; 16], 0);
        // SAFETY: the functions are called as their manual pages say, with a context that is freed behind the last call.
        unsafe {
            let cipher = self.get::<unsafe extern "C" fn() -> *const c_void>(&cipher)();
            let context = self.get::<unsafe extern "C" fn() -> *mut c_void>("EVP_CIPHER_CTX_new\0")();
            let init = self.get::<Init>("EVP_EncryptInit_ex\0");
            let update = self.get::<Update>("EVP_EncryptUpdate\0");
            let control = self.get::<Control>("EVP_CIPHER_CTX_ctrl\0");
            let finish = self.get::<unsafe extern "C" fn(*mut c_void, *mut u8, *mut c_int) -> c_int>(
                "EVP_EncryptFinal_ex\0",
            );
            let null = std::ptr::null();
            let mut good = init(context, cipher, null, null.cast(), null.cast()) == 1;
            good &= control(context, SET_NONCE_BYTES, nonce.len() as c_int, std::ptr::null_mut()) == 1;
            good &= init(context, null, null, key.as_ptr(), nonce.as_ptr()) == 1;
            good &=
                update(context, std::ptr::null_mut(), &mut written, data.as_ptr(), data.len() as c_int) == 1;
            good &=
                update(context, output.as_mut_ptr(), &mut written, text.as_ptr(), text.len() as c_int) == 1;
            good &= finish(context, [0u8; 16].as_mut_ptr(), &mut written) == 1;
            good &= control(context, GET_TAG, 16, tag.as_mut_ptr().cast()) == 1;
            assert!(good, "OpenSSL refuses a message");
            self.get::<unsafe extern "C" fn(*mut c_void)>("EVP_CIPHER_CTX_free\0")(context);
        }
        (output, tag)
    }
}

pub(crate) fn bytes(seed: usize, count: usize) -> Vec<u8> {
    let mut state = (seed as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 24) as u8
    };
    (0..count).map(|_| next()).collect()
}

fn holds(folder: &Path, size: KeySize) {
    let openssl = OpenSsl::find();
    if openssl.is_none() {
        println!("skipped: comparison with OpenSSL, as there is no libcrypto.so.3 here (apt: libssl3)");
    }
    let key = bytes(size.bits(), size.bytes());
    // SAFETY: the package of this test, which has no initialisers.
    let library = unsafe { Library::new(folder.join("libaesmith_aes.so")) }.unwrap();
    // SAFETY: it is a package of both directions.
    let own = unsafe { Own::new(&library, size, &key) };
    let problem = Problem::new(size, Task::Gcm(Direction::Encrypt));
    for len in (0..=1100).chain([4096, 5000, 32_768 + 9]) {
        let nonce = if len % 3 == 0 { 1 + len % 128 } else { 12 };
        let (nonce, data) = (bytes(len + 1, nonce), bytes(len + 2, len * 13 % 65));
        let message = Message { key: key.clone(), nonce, data, text: bytes(len + 3, len) };
        let (cipher, tag) = gcm(problem, &key, &message.nonce, &message.data, &message.text);
        if let Some(openssl) = &openssl {
            assert_eq!(openssl.sealed(&message), (cipher.clone(), tag.to_vec()), "{len} bytes");
        }
        let count = TAGS[len % TAGS.len()];
        for in_place in [false, true] {
            let mut found = vec![0; count];
            let (output, said) = own.call(&message, &message.text, &mut found, in_place, false);
            assert_eq!((said, &output, &found[..]), (0, &cipher, &tag[..count]), "{len} bytes");
            let (output, said) = own.call(&message, &cipher, &mut found, in_place, true);
            assert_eq!((said, &output), (0, &message.text), "{len} bytes");
            if len <= 70 && !in_place {
                for cut in 0..=len {
                    let (output, said) = own.in_two(&message, &message.text, &mut found, cut, false);
                    assert_eq!(
                        (said, &output, &found[..]),
                        (0, &cipher, &tag[..count]),
                        "{len} bytes, {cut}"
                    );
                    let (output, said) = own.in_two(&message, &cipher, &mut found, cut, true);
                    assert_eq!((said, &output), (0, &message.text), "{len} bytes, {cut}");
                    found[cut % count] ^= 1;
                    assert_eq!(
                        own.in_two(&message, &cipher, &mut found, cut, true).1,
                        -1,
                        "{len} bytes, {cut}"
                    );
                    found[cut % count] ^= 1;
                }
            }
            found[len % count] ^= 1 << (len % 8);
            let (output, said) = own.call(&message, &cipher, &mut found, in_place, true);
            assert_eq!((said, output), (-1, vec![0; len]), "{len} bytes");
        }
    }
}

#[test]
fn whole_messages_are_those_of_other_libraries() {
    for (size, name) in [(KeySize::Aes128, "vaes"), (KeySize::Aes256, "avx-aesni")] {
        if !can_run(name) {
            continue;
        }
        let package = [Direction::Encrypt, Direction::Decrypt].map(|direction| set(size, direction, name));
        let package = Package::of_problems(&package).unwrap();
        let folder = builds_and_passes_several(&format!("gcm-both-{}", size.bits()), &package, 2);
        run(&folder, "make", &["-s", "shared"]);
        holds(&folder, size);
    }
}

/// Builds a package of several problems and runs its tests.
pub(crate) fn builds_and_passes_several(name: &str, package: &Package, tests: usize) -> std::path::PathBuf {
    let folder = crate::built::scratch(name);
    aesmith_emit::package::write(&package.files(Form::Package), &folder).unwrap();
    let said = run(&folder, "make", &["-s", "check", "CFLAGS=-O2 -Werror"]);
    assert_eq!(said.matches(" passed, 0 failed").count(), tests, "{said}");
    folder
}
