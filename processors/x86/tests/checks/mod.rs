//! Kernels on this CPU against the oracle: messages of many lengths, carries, splits, alignments, in place;
//! streams of different lengths; key structures.

use crate::native::{Bytes, Code, key_structure};
use aesmith_arrange::Variant;
use aesmith_cipher::{Problem, Task, contract, modes};
use aesmith_x86::kernels::{Target, Unfit, build};

/// Runs one kernel over a set of messages; true if it could be built.
pub fn messages(variant: &Variant, target: &Target, bytes: &mut Bytes) -> bool {
    let kernel = match build(variant, target) {
        Ok(kernel) => kernel,
        Err(Unfit::Registers { .. } | Unfit::Shape(_)) => return false,
        Err(error) => panic!("{variant}: {error}"),
    };
    let problem = variant.problem;
    let code = Code::new(&kernel.bytes);
    let key = bytes.take(problem.key.bytes());
    let structure = key_structure(problem, &key);
    let group = kernel.loop_blocks * 16;
    let mut lengths = vec![0, 1, 15, 16, 17, 31, 32, 33, 63, 64, 65, 100, 127, 128, 255, 256, 257];
    lengths.extend((0..6).map(|_| bytes.below(4 * group + 64)));
    lengths.extend([group - 1, group, group + 1, 2 * group, 8 * group + 16, 8 * group + bytes.below(group)]);
    lengths.push(9000 + bytes.below(3000));
    for length in lengths {
        let length = if problem.task == Task::Ctr { length } else { length & !15 };
        let mut iv: [u8; 16] = bytes.take(16).try_into().unwrap();
        // Half the time, counters just below a byte carry.
        if bytes.below(2) == 0 {
            let from = 15 - bytes.below(16);
            iv[from..].fill(0xff);
            iv[15] = 0xff - bytes.below(32) as u8;
        }
        let input = bytes.take(length + 64);
        let (skew_in, skew_out) = (bytes.below(64), bytes.below(64) * bytes.below(2));
        let (expected, expected_iv) = modes::message(problem, &key, iv, &input[..length]);
        let mut source = vec![0xa5u8; length + 256];
        source[skew_in..skew_in + length].copy_from_slice(&input[..length]);
        // A destination aligned to 64 bytes, so that streaming stores run half the time.
        let mut target = vec![0x5au8; length + 256];
        let aligned = target.as_ptr().align_offset(64);
        let in_place = bytes.below(3) == 0;
        let cut = if bytes.below(2) == 0 { length } else { bytes.below(length / 16 + 1) * 16 };
        let mut got_iv = iv;
        let output = if in_place {
            // SAFETY: offset within the allocation.
            unsafe { source.as_mut_ptr().add(skew_in) }
        } else {
            // SAFETY: as above.
            unsafe { target.as_mut_ptr().add(aligned + skew_out) }
        };
        // SAFETY: as above.
        let from = unsafe { source.as_ptr().add(skew_in) };
        // SAFETY: a kernel of this problem, whole buffers around the texts.
        unsafe {
            code.message(problem, &structure, &mut got_iv, from, output, cut);
            code.message(problem, &structure, &mut got_iv, from.add(cut), output.add(cut), length - cut);
        }
        // SAFETY: the output lies in one of the two buffers.
        let got = unsafe { std::slice::from_raw_parts(output, length) };
        let bad = got.iter().zip(&expected).position(|(a, b)| a != b);
        assert_eq!(bad, None, "{variant}\nlength {length}, cut {cut}, in place {in_place}, iv {iv:02x?}");
        if problem.has_iv() {
            assert_eq!(got_iv, expected_iv, "IV of {variant}, length {length}");
        }
        let around = if in_place { &source } else { &target };
        let canary = if in_place { 0xa5 } else { 0x5a };
        let start = if in_place { skew_in } else { aligned + skew_out };
        assert!(around[..start].iter().chain(&around[start + length..]).all(|b| *b == canary), "{variant}");
    }
    true
}

struct Stream {
    key: Vec<u8>,
    structure: Vec<u8>,
    iv: [u8; 16],
    input: Vec<u8>,
    output: Vec<u8>,
}

/// Runs one kernel of CBC encryption over sets of streams; true if it could be built.
pub fn streams(variant: &Variant, target: &Target, bytes: &mut Bytes) -> bool {
    let kernel = match build(variant, target) {
        Ok(kernel) => kernel,
        Err(Unfit::Registers { .. } | Unfit::Shape(_)) => return false,
        Err(error) => panic!("{variant}: {error}"),
    };
    streams_of(variant.problem, &kernel.bytes, &variant.to_string(), bytes);
    true
}

/// Runs the code of one kernel of CBC encryption over sets of streams.
pub fn streams_of(problem: Problem, code: &[u8], name: &str, bytes: &mut Bytes) {
    let code = Code::new(code);
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
            let context = format!("{name}\nstream {i}, lengths {lengths:?}, in place {in_place}");
            assert_eq!(s.output[..whole].iter().zip(&expected).position(|(a, b)| a != b), None, "{context}");
            assert_eq!(s.iv, chain, "IV: {context}");
            let rest = if in_place { &input[whole..] } else { &[0x5a; 16][..input.len() - whole] };
            assert_eq!(&s.output[whole..input.len()], rest, "{context}");
            assert_eq!(s.output[input.len()..], [0x5a; 16], "{context}");
        }
    }
}

/// Runs one kernel of a key set-up on some keys; true if it could be built.
pub fn keys(variant: &Variant, target: &Target, bytes: &mut Bytes) -> bool {
    let kernel = match build(variant, target) {
        Ok(kernel) => kernel,
        Err(Unfit::Registers { .. } | Unfit::Shape(_)) => return false,
        Err(error) => panic!("{variant}: {error}"),
    };
    let code = Code::new(&kernel.bytes);
    let problem = variant.problem;
    for _ in 0..8 {
        let key = bytes.take(problem.key.bytes());
        let expected = key_structure(problem, &key);
        if problem.task == Task::CtrTable {
            let mut structure = expected.clone();
            structure[contract::TABLE_OFFSET..].fill(0);
            // SAFETY: the table's kernel and a whole key structure.
            unsafe { code.key(structure.as_mut_ptr(), std::ptr::null()) };
            assert!(structure == expected, "{variant}");
        } else {
            let mut structure = vec![0x5a; 256];
            // SAFETY: a key schedule's kernel and room for its result.
            unsafe { code.key(structure.as_mut_ptr(), key.as_ptr()) };
            let end = 16 * (problem.key.rounds() + 1);
            assert_eq!(structure[..end], expected[..end], "{variant}");
            assert!(structure[end..].iter().all(|b| *b == 0x5a), "{variant}");
        }
    }
    true
}
