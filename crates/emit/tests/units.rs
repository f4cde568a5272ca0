//! Data units of XTS by packages, against OpenSSL and the reference: every length, in place and apart; what is no unit.

// This test runs kernels.
#![cfg(target_arch = "x86_64")]

use crate::built::{builds_and_passes, level, run};
use crate::sealed::{OpenSsl, builds_and_passes_several, bytes, can_run};
use aesmith_cipher::{Direction, KeySize, Problem, Task, modes::xts};
use aesmith_emit::Naming;
use aesmith_emit::package::{Form, FunctionSet, Package};
use libloading::{Library, Symbol};
use std::ffi::{c_int, c_void};
use std::path::Path;

/// The level of the kernels.
const LEVEL: &str = "avx-aesni";

fn set(size: KeySize, direction: Direction) -> Vec<FunctionSet> {
    vec![level(Problem::new(size, Task::Xts(direction)), &Naming::default(), LEVEL, false)]
}

/// Without the function that encrypts there is none for units that decrypts.
#[test]
fn packages_of_one_direction_pass_their_tests() {
    if !can_run(LEVEL) {
        return;
    }
    for (size, direction) in [(KeySize::Aes256, Direction::Encrypt), (KeySize::Aes128, Direction::Decrypt)] {
        let package = Package::of_problems(&[set(size, direction)]).unwrap();
        let files = package.files(Form::Package);
        let header = files.iter().find(|file| file.name.ends_with(".h")).expect("a header");
        let has_units = header.contents.contains("_unit(const ");
        assert_eq!(has_units, direction == Direction::Encrypt);
        builds_and_passes(&format!("xts-{}", size.bits()), &files);
    }
}

type Unit = unsafe extern "C" fn(*const u64, *const u64, *const u8, *const u8, *mut u8, usize) -> c_int;

/// A package's function for data units, with its keys.
pub(crate) struct Own<'l> {
    keys: [Vec<u64>; 2],
    unit: Symbol<'l, Unit>,
}

impl<'l> Own<'l> {
    /// # Safety
    /// The library is a package of both directions.
    pub(crate) unsafe fn new(
        library: &'l Library,
        size: KeySize,
        direction: Direction,
        keys: [&[u8]; 2],
    ) -> Own<'l> {
        let stem = format!("aesmith_aes{}", size.bits());
        let suffix = if direction == Direction::Encrypt { "" } else { "_dec" };
        let structure = |stem: &str, key: &[u8]| {
            let mut structure = vec![0u64; 64];
            // SAFETY: the type is that of the package's header; the structure is large enough.
            unsafe {
                let init: Symbol<'_, unsafe extern "C" fn(*mut u64, *const u8)> =
                    library.get(format!("{stem}_init\0").as_bytes()).unwrap();
                init(structure.as_mut_ptr(), key.as_ptr());
            }
            structure
        };
        // SAFETY: the type is that of the package's header.
        let unit = unsafe { library.get(format!("{stem}_xts{suffix}_unit\0").as_bytes()) }.unwrap();
        Own { keys: [structure(&format!("{stem}{suffix}"), keys[0]), structure(&stem, keys[1])], unit }
    }

    /// A unit, in place or not; the result, and what the function returned.
    pub(crate) fn call(&self, number: &[u8; 16], text: &[u8], in_place: bool) -> (Vec<u8>, c_int) {
        let mut output = if in_place { text.to_vec() } else { vec![0xee; text.len()] };
        let input = if in_place { output.as_ptr() } else { text.as_ptr() };
        let [key, tweak_key] = [0, 1].map(|k: usize| self.keys[k].as_ptr());
        // SAFETY: the length is that of the buffers.
        let said =
            unsafe { (self.unit)(key, tweak_key, number.as_ptr(), input, output.as_mut_ptr(), text.len()) };
        (output, said)
    }
}

/// A unit encrypted by OpenSSL.
fn by_openssl(openssl: &OpenSsl, keys: [&[u8]; 2], number: &[u8; 16], text: &[u8]) -> Vec<u8> {
    type Init =
        unsafe extern "C" fn(*mut c_void, *const c_void, *const c_void, *const u8, *const u8) -> c_int;
    type Update = unsafe extern "C" fn(*mut c_void, *mut u8, *mut c_int, *const u8, c_int) -> c_int;
    let cipher = format!("EVP_aes_{}_xts\0", 8 * keys[0].len());
    let (mut output, mut written, key) = (vec![0; text.len()], 0, keys.concat());
    // SAFETY: the functions are called as their manual pages say, with a context that is freed behind the last call.
    unsafe {
        let cipher = openssl.get::<unsafe extern "C" fn() -> *const c_void>(&cipher)();
        let context = openssl.get::<unsafe extern "C" fn() -> *mut c_void>("EVP_CIPHER_CTX_new\0")();
        let init = openssl.get::<Init>("EVP_EncryptInit_ex\0");
        let update = openssl.get::<Update>("EVP_EncryptUpdate\0");
        let good = init(context, cipher, std::ptr::null(), key.as_ptr(), number.as_ptr()) == 1
            && update(context, output.as_mut_ptr(), &mut written, text.as_ptr(), text.len() as c_int) == 1;
        assert!(good, "OpenSSL refuses a unit");
        openssl.get::<unsafe extern "C" fn(*mut c_void)>("EVP_CIPHER_CTX_free\0")(context);
    }
    output
}

fn holds(folder: &Path, size: KeySize) {
    let openssl = OpenSsl::find();
    if openssl.is_none() {
        println!("skipped: comparison with OpenSSL, as there is no libcrypto.so.3 here (apt: libssl3)");
    }
    let keys = [1, 2].map(|seed| bytes(seed * size.bits(), size.bytes()));
    let keys = [&keys[0][..], &keys[1]];
    // SAFETY: the package of this test, which has no initialisers.
    let library = unsafe { Library::new(folder.join("libaesmith_aes.so")) }.unwrap();
    // SAFETY: it is a package of both directions.
    let [encrypt, decrypt] = [Direction::Encrypt, Direction::Decrypt]
        .map(|direction| unsafe { Own::new(&library, size, direction, keys) });
    let problem = Problem::new(size, Task::Xts(Direction::Encrypt));
    for len in (0..=1100).chain([4096, 4097, 32_768 + 15]) {
        let text = bytes(len + 3, len);
        let number: [u8; 16] = bytes(len + 1, 16).try_into().unwrap();
        if len < 16 {
            for own in [&encrypt, &decrypt] {
                assert_eq!(own.call(&number, &text, false), (vec![0xee; len], -1));
            }
            continue;
        }
        let cipher = xts(problem, keys, number, &text);
        if let Some(openssl) = &openssl {
            assert_eq!(by_openssl(openssl, keys, &number, &text), cipher, "{len} bytes");
        }
        for in_place in [false, true] {
            assert_eq!(encrypt.call(&number, &text, in_place), (cipher.clone(), 0), "{len} bytes");
            assert_eq!(decrypt.call(&number, &cipher, in_place), (text.clone(), 0), "{len} bytes");
        }
    }
    // SAFETY: it is a package of both directions.
    let equal = [Direction::Encrypt, Direction::Decrypt]
        .map(|direction| unsafe { Own::new(&library, size, direction, [keys[0], keys[0]]) });
    for own in equal {
        assert_eq!(own.call(&[0; 16], &[1; 40], false), (vec![0xee; 40], -1));
    }
}

#[test]
fn data_units_are_those_of_other_libraries() {
    if !can_run(LEVEL) {
        return;
    }
    for size in [KeySize::Aes128, KeySize::Aes256] {
        let package = [Direction::Encrypt, Direction::Decrypt].map(|direction| set(size, direction));
        let package = Package::of_problems(&package).unwrap();
        let folder = builds_and_passes_several(&format!("xts-both-{}", size.bits()), &package, 2);
        run(&folder, "make", &["-s", "shared"]);
        holds(&folder, size);
    }
}
