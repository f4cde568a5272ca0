//! Kernels against the cipher, in the interpreter of grids, run from the emitted text.

use aesmith_processor::grid::machine::{Call, Ran, Stream, run};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::table::{LAUNCH, isa};
use crate::{TABLE, kernels, text};

/// The text of a variant's kernel.
fn printed(variant: &str) -> String {
    let variant = TABLE.parse(variant).expect("a variant");
    let kernel = kernels::build(&variant).expect("is built");
    let text = text::print(&kernel.program);
    assert_eq!(text::read(&text), Ok(kernel.program), "what is printed is read");
    text
}

/// A launch of a text on random data, checked against the cipher.
pub(crate) fn launched(text: &str, variant: &str, blocks: u32, count: usize, random: &mut ChaCha8Rng) -> Ran {
    let iv = random.random();
    launched_from(iv, text, variant, (blocks, count), random)
}

/// Like [`launched`], from a given counter.
fn launched_from(
    iv: [u8; 16],
    text: &str,
    variant: &str,
    (blocks, count): (u32, usize),
    random: &mut ChaCha8Rng,
) -> Ran {
    let variant_read = TABLE.parse(variant).expect("a variant");
    let contract = kernels::build(&variant_read).expect("is built").contract;
    let problem = contract.problem;
    let program = text::read(text).expect("is read");
    let mut bytes = |count: usize| -> Vec<u8> { (0..count).map(|_| random.random()).collect() };
    let (key, input) = (bytes(problem.key.bytes()), bytes(contract.elements()[0] * count));
    let packed = contract.key_bytes(&key);
    let in_place = random.random::<bool>() && problem.mode().is_in_place_by_threads();
    let call = Call {
        blocks,
        key: &packed,
        iv,
        input: &input,
        elements: contract.elements(),
        streams: &[],
        in_place,
    };
    let ran =
        run(isa(), &LAUNCH, &program, &call).unwrap_or_else(|e| panic!("{variant}, {count} blocks: {e}"));
    assert!(ran.output == contract.results(&key, iv, &input), "{variant}: {count} blocks in {blocks}");
    assert_eq!(ran.races, Vec::<String>::new(), "{variant}");
    ran
}

const SMALL: &str = "threads=128";

#[test]
fn every_length_is_enciphered() {
    let mut random = ChaCha8Rng::seed_from_u64(1);
    let variant = format!("aes128-ecb {SMALL}");
    let text = printed(&variant);
    for count in [0, 1, 128, 129, 300] {
        let ran = launched(&text, &variant, 1, count, &mut random);
        assert_eq!(ran.most_words, count.min(1) as u32, "each lane has a bank of its own");
    }
}

#[test]
fn every_choice_is_the_cipher() {
    let mut random = ChaCha8Rng::seed_from_u64(2);
    for variant in [
        "aes128-ecb tables=2",
        "aes192-ecb blocks=2",
        "aes256-ecb tables=2 replicas=16",
        "aes128-ecb-dec",
        "aes128-ctr blocks=2",
        "aes256-ctr counter=cached",
        "aes192-ctr counter=cached tables=2 replicas=16",
        "aes256-ecb-dec tables=2 blocks=2 replicas=8",
        "aes128-cbc-dec tables=1",
        "aes128-ctr counter=cached tables=1",
        "aes256-ecb tables=1 blocks=2 replicas=4",
        "aes192-cbc-dec tables=2 blocks=2",
        "aes128-ecb-dec replicas=2",
        "aes128-ctr replicas=1",
        "aes192-ecb tables=2 replicas=1",
        "aes256-ecb-dec tables=1 replicas=1",
        "aes128-ctr tables=1 replicas=2",
    ] {
        let variant = format!("{variant} {SMALL}");
        let ran = launched(&printed(&variant), &variant, 2, 300, &mut random);
        assert_eq!(ran.most_words > 1, variant.contains("replicas"), "{variant}: {}", ran.most_words);
    }
}

#[test]
fn counters_carry_as_far_as_they_go() {
    let mut random = ChaCha8Rng::seed_from_u64(4);
    for variant in ["threads=128", "counter=cached threads=128", "technique=bitsliced counter=cached warps=1"]
    {
        let variant = format!("aes128-ctr {variant}");
        let text = printed(&variant);
        for full in [0, 1, 8, 9, 16] {
            // The trailing bytes are 255, except the last one: the carry occurs within the message.
            let mut iv: [u8; 16] = std::array::from_fn(|i| if i < 16 - full { 0x37 } else { 0xff });
            iv[15] = iv[15].wrapping_sub(9);
            launched_from(iv, &text, &variant, (1, 40), &mut random);
        }
    }
}

#[test]
fn bit_slices_are_the_cipher() {
    let mut random = ChaCha8Rng::seed_from_u64(6);
    for (variant, count) in [
        ("aes128-ecb", 1057),
        ("aes256-ecb-dec", 1),
        ("aes192-ctr", 300),
        ("aes128-ctr counter=cached", 1400),
        ("aes256-ctr counter=cached", 33),
        ("aes128-ctr counter=cached rounds=unrolled", 40),
        ("aes128-cbc-dec", 100),
    ] {
        let variant = format!("{variant} technique=bitsliced warps=1");
        let ran = launched(&printed(&variant), &variant, 1, count, &mut random);
        assert_eq!(ran.shared, 0, "{variant}");
    }
}

#[test]
fn streams_have_keys_of_their_own() {
    let mut random = ChaCha8Rng::seed_from_u64(7);
    for variant in [
        "aes128-ecb keys=group threads=128",
        "aes256-ecb-dec keys=group threads=128 tables=2 blocks=2",
        "aes192-ecb keys=thread threads=128 tables=2 replicas=4",
        "aes128-cbc threads=128 tables=1",
        "aes256-cbc threads=128",
        "aes128-ecb keys=group schedule=once threads=128",
        "aes192-ecb keys=group schedule=fly threads=128 blocks=2 tables=2",
        "aes256-ecb keys=thread schedule=fly threads=128",
        "aes192-cbc schedule=once threads=128 tables=1",
        "aes128-ctr keys=group threads=128",
        "aes256-ctr keys=thread schedule=fly threads=128 tables=2",
        "aes192-ctr keys=group blocks=2 threads=128 tables=1",
        "aes128-cbc-dec keys=group threads=128",
        "aes256-cbc-dec keys=thread blocks=2 threads=128 tables=1",
        "aes128-ecb keys=group loads=ahead blocks=2 threads=128",
        "aes128-ctr keys=thread loads=ahead width=4 threads=128",
        "aes128-cbc loads=ahead width=8 threads=128",
    ] {
        let kernel = kernels::build(&TABLE.parse(variant).expect("a variant")).expect("is built");
        let program = text::read(&printed(variant)).expect("is read");
        let problem = kernel.contract.problem;
        // Empty streams, streams of different lengths, and fewer streams than the threads could process.
        let blocks = (0..11).map(|_| random.random_range(0..40)).chain([0, 1]).collect::<Vec<u64>>();
        let streams: Vec<Stream> =
            blocks.into_iter().map(|blocks| Stream { blocks, iv: random.random() }).collect();
        let (mut keys, mut input, mut wanted) = (Vec::new(), Vec::new(), Vec::new());
        for &Stream { blocks, iv } in &streams {
            let mut bytes = |count: usize| -> Vec<u8> { (0..count).map(|_| random.random()).collect() };
            let (key, text) = (bytes(problem.key.bytes()), bytes(16 * blocks as usize));
            keys.extend(kernel.contract.key_bytes(&key));
            wanted.extend(kernel.contract.results(&key, iv, &text));
            input.extend(text);
        }
        let in_place = random.random::<bool>() && problem.mode().is_in_place_by_threads();
        let call = Call {
            blocks: 2,
            key: &keys,
            iv: [0; 16],
            input: &input,
            elements: kernel.contract.elements(),
            streams: &streams,
            in_place,
        };
        let ran = run(isa(), &LAUNCH, &program, &call).unwrap_or_else(|e| panic!("{variant}: {e}"));
        assert!(ran.output == wanted, "{variant}");
        let proof = aesmith_prove::grid::prove(isa(), &LAUNCH, &program, &kernel.contract);
        let proof = proof.unwrap_or_else(|e| panic!("{variant}: {e}"));
        assert_eq!(proof.of_a_stream, Some(if variant.contains("group") { 16 } else { 1 }), "{variant}");
        assert_eq!(proof.constant_time, !variant.contains("replicas"), "{variant}");
    }
}
