//! CBC encryption of one and several streams on this CPU against the oracle.

mod native;

use aesmith_arrange::{Dim, Space, Variant};
use aesmith_cipher::{KeySize, Problem, Task, modes, problem::STREAMS};
use aesmith_kernel::{Target, Unfit, build};
use native::{Bytes, Code, key_structure};

struct Stream {
    key: Vec<u8>,
    structure: Vec<u8>,
    iv: [u8; 16],
    input: Vec<u8>,
    output: Vec<u8>,
}

fn check(variant: &Variant, bytes: &mut Bytes) -> bool {
    let kernel = match build(variant, &Target::native()) {
        Ok(kernel) => kernel,
        Err(Unfit::Registers { .. } | Unfit::Shape(_)) => return false,
        Err(error) => panic!("{variant}: {error}"),
    };
    let problem = variant.problem;
    let code = Code::new(&kernel.bytes);
    for trial in 0..12 {
        let most = [16, 64, 256, 1200, 3000][trial % 5];
        let equal = bytes.below(2) == 0;
        let common = bytes.below(most + 1);
        let mut streams: Vec<Stream> = (0..problem.streams())
            .map(|_| {
                let key = bytes.take(problem.key.bytes());
                let length = if equal { common } else { bytes.below(most + 1) };
                let iv = bytes.take(16).try_into().unwrap();
                let input = bytes.take(length);
                Stream {
                    structure: key_structure(problem, &key),
                    key,
                    iv,
                    output: vec![0x5a; length + 16],
                    input,
                }
            })
            .collect();
        let in_place = bytes.below(3) == 0;
        let before: Vec<([u8; 16], Vec<u8>)> = streams.iter().map(|s| (s.iv, s.input.clone())).collect();
        if in_place {
            for s in &mut streams {
                let length = s.input.len();
                s.output[..length].copy_from_slice(&s.input);
            }
        }
        let keys: Vec<_> = streams.iter().map(|s| s.structure.as_ptr()).collect();
        let ivs: Vec<_> = streams.iter_mut().map(|s| s.iv.as_mut_ptr()).collect();
        let outputs: Vec<_> = streams.iter_mut().map(|s| s.output.as_mut_ptr()).collect();
        let inputs: Vec<*const u8> = if in_place {
            outputs.iter().map(|p| p.cast_const()).collect()
        } else {
            streams.iter().map(|s| s.input.as_ptr()).collect()
        };
        let lengths: Vec<_> = streams.iter().map(|s| s.input.len()).collect();
        // SAFETY: a kernel of this problem, whole buffers.
        unsafe {
            if problem.streams() == 1 {
                let iv = &mut *ivs[0].cast::<[u8; 16]>();
                code.message(problem, &streams[0].structure, iv, inputs[0], outputs[0], lengths[0]);
            } else {
                code.streams(&keys, &ivs, &inputs, &outputs, &lengths);
            }
        }
        for (i, (s, (iv, input))) in streams.iter().zip(before).enumerate() {
            let (expected, chain) = modes::message(problem, &s.key, iv, &input);
            let whole = expected.len();
            let context = format!("{variant}\nstream {i}, lengths {lengths:?}, in place {in_place}");
            assert_eq!(s.output[..whole].iter().zip(&expected).position(|(a, b)| a != b), None, "{context}");
            assert_eq!(s.iv, chain, "IV: {context}");
            let rest = if in_place { &input[whole..] } else { &[0x5a; 16][..input.len() - whole] };
            assert_eq!(&s.output[whole..input.len()], rest, "{context}");
            assert_eq!(s.output[input.len()..], [0x5a; 16], "{context}");
        }
    }
    true
}

#[test]
fn every_number_of_streams() {
    let lanes = Target::native().lanes();
    if lanes == 0 {
        println!("skipped: this CPU has no AES instructions");
        return;
    }
    let mut bytes = Bytes(7);
    for streams in STREAMS {
        let mut built = 0;
        for trial in 0.. {
            let problem = Problem::new(KeySize::ALL[trial % 3], Task::CbcEncrypt { streams });
            let mut variant = Variant::baseline(problem);
            for axis in &Space::new(problem, lanes).axes {
                variant.set(axis.dimension.dim, axis.values[bytes.below(axis.values.len())]);
            }
            if bytes.below(2) == 0 {
                variant.set(Dim::Prefetch, 0);
            }
            variant.set(Dim::Wipe, bytes.below(2) as u16);
            built += usize::from(check(&variant.clamped(), &mut bytes));
            if built == 25 {
                break;
            }
            assert!(trial < 2000, "too few variants of {problem} fit: {built}");
        }
    }
}
