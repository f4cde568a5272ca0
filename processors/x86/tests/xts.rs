//! Kernels of XTS for whole blocks: proved for every length, compared with the standard on this CPU, and refused if they are
//! changed.

use crate::gcm::opcode_at;
use aesmith_arrange::{Technique, Variant};
use aesmith_cipher::{Direction, KeySize, Problem, Task};
use aesmith_prove::Prover;
use aesmith_x86::dimensions::{Dim, plain};
use aesmith_x86::instructions::prover;
use aesmith_x86::kernels::build;
use aesmith_x86::targets;
use iced_x86::{Decoder, DecoderOptions, Mnemonic, Register};

const KEYS: [KeySize; 2] = [KeySize::Aes128, KeySize::Aes256];
const DIRECTIONS: [Direction; 2] = [Direction::Encrypt, Direction::Decrypt];

fn variant(key: KeySize, direction: Direction, width: u16, registers: u16) -> Variant {
    let problem = Problem::new(key, Task::Xts(direction));
    plain(problem, Technique::Aes).with(Dim::Width, width).with(Dim::Interleave, registers)
}

/// The variants that are kernels, on registers of one, two and four blocks.
fn variants() -> Vec<Variant> {
    let mut all = Vec::new();
    for (key, direction) in KEYS.into_iter().flat_map(|key| DIRECTIONS.map(|direction| (key, direction))) {
        for (width, most) in [(0, 6), (1, 13), (2, 13)] {
            all.extend(
                [1, 2, 3, 5, 6, 8, 13]
                    .iter()
                    .filter(|count| **count <= most)
                    .map(|&count| variant(key, direction, width, count)),
            );
        }
    }
    all
}

fn prove(prover: &mut Prover, variant: &Variant, bytes: &[u8]) -> Result<aesmith_prove::Proof, String> {
    prover.prove(variant.problem, bytes).map_err(|refutation| refutation.to_string())
}

#[test]
fn kernels_of_xts_are_proved_for_every_length() {
    let mut prover = prover();
    for variant in variants() {
        for (wipes, target) in [false, true]
            .into_iter()
            .flat_map(|wipes| [targets::ALL, targets::AESNI_SSE].map(|set| (wipes, set)))
        {
            let variant = variant.clone().with(Dim::Wipe, u16::from(wipes));
            if variant.lanes() > target.lanes() {
                continue;
            }
            let kernel = build(&variant, &target).expect("a kernel");
            let proof =
                prove(&mut prover, &variant, &kernel.bytes).unwrap_or_else(|why| panic!("{variant}: {why}"));
            // Tweaks are secret.
            assert_eq!((proof.constant_time(), proof.wiped), ("CT2", wipes), "{variant}");
        }
    }
}

/// Other distances of tweaks, another polynomial, rounds of the other direction, a lane in another place: each is refused.
#[test]
fn changed_kernels_of_xts_are_refused() {
    for (direction, width, registers) in
        [(Direction::Encrypt, 2, 2), (Direction::Decrypt, 1, 3), (Direction::Encrypt, 0, 4)]
    {
        let variant = variant(KeySize::Aes128, direction, width, registers);
        let kernel = build(&variant, &targets::ALL).expect("a kernel");
        let mut own = prover();
        let proof = prove(&mut own, &variant, &kernel.bytes).expect("proved");
        let mut changed: Vec<(usize, u8, String)> = Vec::new();
        let mut decoder = Decoder::with_ip(64, &kernel.bytes[..kernel.code_end], 0, DecoderOptions::NONE);
        while decoder.can_decode() {
            let instruction = decoder.decode();
            let offsets = decoder.get_constant_offsets(&instruction);
            let (from, end) = (instruction.ip() as usize, instruction.next_ip() as usize);
            if !proof.coverage.executed.iter().any(|range| range.contains(&from)) {
                continue;
            }
            let text = format!("{instruction} at {from:#x}");
            let last = kernel.bytes[end - 1];
            match instruction.mnemonic() {
                Mnemonic::Vpclmulqdq => {
                    let others = [0x00, 0x01, 0x10, 0x11].into_iter().filter(|choice| *choice != last);
                    changed.extend(others.map(|choice| (end - 1, choice, text.clone())));
                }
                Mnemonic::Vpsrlq | Mnemonic::Vpsllq | Mnemonic::Vpslldq | Mnemonic::Vpsrldq => {
                    changed.extend([1, 2, 8].map(|bits| (end - 1, last ^ bits, text.clone())));
                }
                Mnemonic::Vinserti32x4 | Mnemonic::Vinserti128 => {
                    changed.push((end - 1, last ^ 1, text.clone()))
                }
                Mnemonic::Vaesenc | Mnemonic::Vaesenclast | Mnemonic::Vaesdec | Mnemonic::Vaesdeclast => {
                    let opcode = opcode_at(&kernel.bytes, from);
                    changed.push((opcode, kernel.bytes[opcode] ^ 2, text.clone()));
                }
                _ => {}
            }
            if matches!(instruction.memory_base(), Register::RDI | Register::RDX | Register::RCX)
                && offsets.has_displacement()
            {
                let at = from + offsets.displacement_offset();
                changed.push((at, kernel.bytes[at] ^ 16, text));
            }
        }
        for at in proof.coverage.constants.iter().flat_map(|range| range.clone()) {
            // The upper half of the polynomial's constant is of no product.
            if at % 16 < 8 {
                changed.push((at, kernel.bytes[at] ^ 1, format!("constant at {at:#x}")));
            }
        }
        let (mut refused, mut harmless) = (0, Vec::new());
        for (at, value, text) in changed {
            let mut bytes = kernel.bytes.clone();
            bytes[at] = value;
            match prove(&mut own, &variant, &bytes) {
                Ok(_) => harmless.push(format!("{text}: {value:#x}")),
                Err(_) => refused += 1,
            }
        }
        println!("{variant}: {refused} refused");
        assert!(harmless.is_empty(), "{variant}: {harmless:#?}");
        assert!(refused > 60, "{refused}");
        let other = Problem::new(KeySize::Aes256, Task::Xts(direction));
        assert!(own.prove(other, &kernel.bytes).is_err(), "rounds of another key");
        let ecb = Problem::new(KeySize::Aes128, Task::Ecb(direction));
        assert!(own.prove(ecb, &kernel.bytes).is_err(), "another mode");
    }
}

#[cfg(target_arch = "x86_64")]
#[test]
fn kernels_of_xts_do_what_the_standard_says() {
    use crate::native::{Bytes, Code};
    use aesmith_cipher::block::{Block, expand_key, expand_key_inverse};
    use aesmith_cipher::modes::message;
    let here = targets::here();
    let (mut random, mut prover, mut built) = (Bytes(61), prover(), 0);
    for variant in variants() {
        // A CPU may lack the instructions.
        let Ok(kernel) = build(&variant, &here) else { continue };
        prove(&mut prover, &variant, &kernel.bytes).expect("proved before it runs");
        built += 1;
        let code = Code::new(&kernel.bytes);
        let (problem, key) = (variant.problem, variant.problem.key);
        let cipher_key = random.take(key.bytes());
        let keys = match problem.mode().direction {
            Direction::Encrypt => expand_key(key, &cipher_key),
            Direction::Decrypt => expand_key_inverse(key, &cipher_key),
        };
        let step = 1 + random.below(29);
        for len in (0..1300).step_by(step).chain([4096, 8200]) {
            let text = random.take(len);
            let tweak: Block = random.take(16).try_into().expect("16 bytes");
            let (wanted, next) = message(problem, &cipher_key, tweak, &text);
            for in_place in [false, true] {
                let (mut now, mut output) = (tweak, vec![0xee; len + 64]);
                if in_place {
                    output[..len].copy_from_slice(&text);
                }
                let input = if in_place { output.as_ptr() } else { text.as_ptr() };
                let rest = output[wanted.len()..].to_vec();
                // SAFETY: the kernel is proved, and its buffers have the sizes of its contract.
                unsafe { code.message(problem, &keys.concat(), &mut now, input, output.as_mut_ptr(), len) };
                assert_eq!(output[..wanted.len()], wanted[..], "{variant}, {len} bytes");
                assert_eq!(output[wanted.len()..], rest[..], "{variant}, {len} bytes");
                assert_eq!(now, next, "{variant}, {len} bytes");
            }
        }
    }
    println!("{built} kernels");
}
