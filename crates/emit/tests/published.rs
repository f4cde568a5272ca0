//! Messages of GCM and units of XTS that others have published, by packages: those of NIST and of Wycheproof, with what is to
//! be refused.

// This test runs kernels.
#![cfg(target_arch = "x86_64")]

#[path = "../../../tests/vectors/mod.rs"]
mod vectors;

use crate::built::{level, run};
use crate::sealed::{self, Message, builds_and_passes_several, can_run};
use crate::units;
use aesmith_cipher::{Direction, KeySize, Problem, Task};
use aesmith_emit::Naming;
use aesmith_emit::package::Package;
use libloading::Library;

/// A level whose kernels compute GCM; the widest that this CPU runs.
fn widest() -> Option<&'static str> {
    ["vaes", "avx-aesni"].into_iter().find(|name| can_run(name))
}

/// The library of a package of both directions.
fn library(task: fn(Direction) -> Task, size: KeySize, name: &str) -> Library {
    let set = |direction| vec![level(Problem::new(size, task(direction)), &Naming::default(), name, false)];
    let package = Package::of_problems(&[Direction::Encrypt, Direction::Decrypt].map(set)).unwrap();
    let family = Problem::new(size, task(Direction::Encrypt)).to_string();
    let folder = builds_and_passes_several(&format!("published-{family}"), &package, 2);
    run(&folder, "make", &["-s", "shared"]);
    // SAFETY: the package of this test, which has no initialisers.
    unsafe { Library::new(folder.join("libaesmith_aes.so")) }.unwrap()
}

#[test]
fn messages_are_sealed_and_opened_as_published() {
    let Some(name) = widest() else { return };
    let lines: Vec<_> = ["cavs-gcm.txt", "wycheproof-gcm.txt"].into_iter().flat_map(vectors::lines).collect();
    let (mut sealed, mut refused) = (0, 0);
    for size in [KeySize::Aes128, KeySize::Aes192, KeySize::Aes256] {
        let library = library(Task::Gcm, size, name);
        for (mode, fields) in lines.iter().filter(|(_, fields)| fields[0].len() == size.bytes()) {
            let [key, nonce, data, texts @ .., tag] = &fields[..] else { panic!("{mode}: {fields:x?}") };
            // SAFETY: it is a package of both directions.
            let own = unsafe { sealed::Own::new(&library, size, key) };
            let message =
                Message { key: key.clone(), nonce: nonce.clone(), data: data.clone(), text: Vec::new() };
            for in_place in [false, true] {
                let open = |cipher: &[u8]| own.call(&message, cipher, &mut tag.clone(), in_place, true);
                match (mode.as_str(), texts) {
                    ("gcm", [text, cipher]) => {
                        let mut made = vec![0; tag.len()];
                        assert_eq!(own.call(&message, text, &mut made, in_place, false), (cipher.clone(), 0));
                        assert_eq!(&made, tag, "{fields:x?}");
                        assert_eq!(open(cipher), (text.clone(), 0), "{fields:x?}");
                        sealed += 1;
                    }
                    ("gcm-refused", [cipher]) => {
                        assert_eq!(open(cipher).1, -1, "{fields:x?}");
                        refused += 1;
                    }
                    _ => panic!("{mode}: {fields:x?}"),
                }
            }
        }
    }
    // Each in place and apart.
    assert_eq!((sealed, refused), (2 * 544, 2 * 636));
}

#[test]
fn units_are_those_published() {
    let Some(name) = widest() else { return };
    let lines = ["cavs-xts.txt", "wycheproof-xts.txt"].into_iter().flat_map(vectors::read);
    let mut lines: Vec<_> = lines.collect();
    for size in [KeySize::Aes128, KeySize::Aes256] {
        let library = library(Task::Xts, size, name);
        for vector in lines.extract_if(.., |vector| vector.key.len() == 2 * size.bytes()) {
            let (first, second) = vector.key.split_at(size.bytes());
            // SAFETY: it is a package of both directions.
            let [encrypt, decrypt] = [Direction::Encrypt, Direction::Decrypt]
                .map(|direction| unsafe { units::Own::new(&library, size, direction, [first, second]) });
            for in_place in [false, true] {
                let encrypted = encrypt.call(&vector.iv, &vector.input, in_place);
                assert_eq!(encrypted, (vector.output.clone(), 0), "{vector:x?}");
                let decrypted = decrypt.call(&vector.iv, &vector.output, in_place);
                assert_eq!(decrypted, (vector.input.clone(), 0), "{vector:x?}");
            }
        }
    }
    assert!(lines.is_empty(), "{lines:x?}");
}
