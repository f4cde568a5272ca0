//! Kernels over independent blocks on this CPU against the oracle: lengths, carries, cuts into
//! calls, alignment, in place.

mod native;

use aesmith_arrange::{Dim, Space, Variant};
use aesmith_cipher::{Direction, KeySize, Problem, Task, modes};
use aesmith_kernel::{Target, Unfit, build};
use native::{Bytes, Code, key_structure};

fn random_variant(problem: Problem, bytes: &mut Bytes, lanes: usize) -> Variant {
    let space = Space::new(problem, lanes);
    let mut variant = Variant::baseline(problem);
    for axis in &space.axes {
        variant.set(axis.dimension.dim, axis.values[bytes.below(axis.values.len())]);
    }
    if bytes.below(2) == 0 {
        variant.set(Dim::Interval, 0);
    }
    if problem.task == Task::Ctr && bytes.below(2) == 0 {
        variant.set(Dim::Interleave, 1 << bytes.below(4));
    }
    variant.set(Dim::Wipe, bytes.below(2) as u16);
    variant.clamped()
}

/// Runs one kernel over a set of messages; true if it could be built.
fn check(variant: &Variant, bytes: &mut Bytes) -> bool {
    let kernel = match build(variant, &Target::native()) {
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
        // Counters just below each byte carry, now and then.
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
        // 64-byte aligned destination, so that streaming stores run half the time.
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

fn many(task: Task, seed: u64) {
    let lanes = Target::native().lanes();
    if lanes == 0 {
        println!("skipped: this CPU has no AES instructions");
        return;
    }
    let mut bytes = Bytes(seed);
    let mut built = 0;
    for trial in 0.. {
        let problem = Problem::new(KeySize::ALL[trial % 3], task);
        built += usize::from(check(&random_variant(problem, &mut bytes, lanes), &mut bytes));
        if built == 60 {
            break;
        }
        assert!(trial < 2000, "too few variants of {problem} fit: {built}");
    }
}

#[test]
fn ctr() {
    many(Task::Ctr, 1);
}

#[test]
fn ecb() {
    many(Task::Ecb(Direction::Encrypt), 2);
    many(Task::Ecb(Direction::Decrypt), 3);
}

#[test]
fn cbc_decryption() {
    many(Task::CbcDecrypt, 4);
}
