//! Kernels of GCM for the text of a message: proved for every length, compared with the standard on this CPU, and refused if
//! they are changed.

use aesmith_arrange::{Technique, Variant};
use aesmith_cipher::contract::HASH_OFFSET;
use aesmith_cipher::{Direction, KeySize, Problem, Task};
use aesmith_prove::Prover;
use aesmith_x86::dimensions::{Dim, plain};
use aesmith_x86::instructions::prover;
use aesmith_x86::kernels::{Kernel, Target, build};
use aesmith_x86::targets;
use iced_x86::{Decoder, DecoderOptions, Mnemonic, Register};

/// Registers of one, two and four blocks.
const WIDTHS: [u16; 3] = [0, 1, 2];

fn variant(key: KeySize, direction: Direction, width: u16, registers: u16) -> Variant {
    let problem = Problem::new(key, Task::Gcm(direction));
    plain(problem, Technique::Aes).with(Dim::Width, width).with(Dim::Interleave, registers)
}

/// The counters of a main loop, and its products.
const LOOPS: [(&str, [(Dim, u16); 2]); 4] = [
    ("numbers", [(Dim::Counter, 0), (Dim::Product, 0)]),
    ("additions", [(Dim::Counter, 1), (Dim::Product, 0)]),
    ("a table", [(Dim::Cached, 2), (Dim::Product, 0)]),
    ("additions, by Karatsuba", [(Dim::Counter, 1), (Dim::Product, 1)]),
];

fn looped(variant: Variant, [first, second]: [(Dim, u16); 2]) -> Variant {
    variant.with(first.0, first.1).with(second.0, second.1)
}

/// The variants that are kernels: with counters from numbers all, with others those of some numbers of registers.
fn variants() -> Vec<Variant> {
    let mut all = Vec::new();
    for key in KeySize::ALL {
        for direction in [Direction::Encrypt, Direction::Decrypt] {
            for width in WIDTHS {
                let of = |registers| variant(key, direction, width, registers);
                all.extend([1, 2, 3, 4, 6, 8].map(of));
                let read = |registers| of(registers).with(Dim::Absorb, 1);
                all.extend([1, 2, 3, 7, 8, 14, 15].map(read));
                for (n, (_, choices)) in LOOPS.into_iter().enumerate().skip(1) {
                    all.extend([1, 3, 8].map(|registers| looped(of(registers), choices)));
                    all.extend([4, 13].map(|registers| looped(read(registers), choices).with(Dim::Tail, 1)));
                    let tabled = looped(of(2 + n as u16), choices).with(Dim::Cached, 2);
                    all.push(tabled.with(Dim::Product, 1));
                }
            }
        }
    }
    all
}

/// The kernels of variants on CPUs, where they fit the registers.
fn kernels(sets: &[Target], wipes: bool) -> Vec<Kernel> {
    let mut all: Vec<Kernel> = Vec::new();
    for variant in variants() {
        let variant = variant.with(Dim::Wipe, u16::from(wipes));
        for kernel in sets.iter().filter_map(|target| build(&variant, target).ok()) {
            if all.last().is_none_or(|last| last.bytes != kernel.bytes) {
                all.push(kernel);
            }
        }
    }
    all
}

fn prove(prover: &mut Prover, variant: &Variant, bytes: &[u8]) -> Result<aesmith_prove::Proof, String> {
    prover.prove(variant.problem, bytes).map_err(|refutation| refutation.to_string())
}

#[test]
fn kernels_of_gcm_are_proved_for_every_length() {
    let mut prover = prover();
    // With masks and without, and with two operands.
    let sets = [targets::ALL, targets::VAES, targets::AESNI, targets::AESNI_SSE];
    let all: Vec<Kernel> = [false, true].into_iter().flat_map(|wipes| kernels(&sets, wipes)).collect();
    assert!(all.len() > 600, "{}", all.len());
    for kernel in all {
        let (variant, wipes) = (&kernel.variant, kernel.variant.on(Dim::Wipe));
        let proof =
            prove(&mut prover, variant, &kernel.bytes).unwrap_or_else(|why| panic!("{variant}: {why}"));
        assert_eq!((proof.constant_time(), proof.wiped), ("CT2", wipes), "{variant}");
    }
}

fn table_variants() -> impl Iterator<Item = Variant> {
    let of = |key| {
        (0..3).map(move |width| {
            plain(Problem::new(key, Task::GcmTable), Technique::Aes).with(Dim::Width, width)
        })
    };
    KeySize::ALL.into_iter().flat_map(of)
}

/// Other halves, other distances of shifts, and other places in the key structure.
#[test]
fn changed_tables_of_powers_are_refused() {
    let (mut prover, mut refused) = (prover(), 0);
    for variant in table_variants().take(3) {
        let kernel = build(&variant, &targets::ALL).expect("a kernel");
        let proof = prove(&mut prover, &variant, &kernel.bytes).expect("proved");
        let mut changed: Vec<(usize, u8)> = Vec::new();
        let code = &kernel.bytes[..kernel.code_end];
        let mut decoder = Decoder::with_ip(64, code, 0, DecoderOptions::NONE);
        while decoder.can_decode() {
            let instruction = decoder.decode();
            let offsets = decoder.get_constant_offsets(&instruction);
            let (from, end) = (instruction.ip() as usize, instruction.next_ip() as usize);
            let is_branch = instruction.is_jcc_short_or_near() || instruction.is_invalid();
            if is_branch || !proof.coverage.executed.iter().any(|range| range.contains(&from)) {
                continue;
            }
            match instruction.mnemonic() {
                Mnemonic::Vpclmulqdq => {
                    let others = [0x00, 0x01, 0x10, 0x11].into_iter().filter(|c| *c != kernel.bytes[end - 1]);
                    changed.extend(others.map(|choice| (end - 1, choice)));
                }
                // vaesdec and vaesdeclast.
                Mnemonic::Vaesenc | Mnemonic::Vaesenclast => {
                    let opcode = opcode_at(&kernel.bytes, from);
                    changed.push((opcode, kernel.bytes[opcode] + 2));
                }
                Mnemonic::Vpsrlq | Mnemonic::Vpsllq | Mnemonic::Vpslldq | Mnemonic::Vpsrldq => {
                    changed.push((end - 1, kernel.bytes[end - 1] ^ 2));
                }
                _ if instruction.memory_base() == Register::RDI && offsets.has_displacement() => {
                    let at = from + offsets.displacement_offset();
                    let by = if offsets.displacement_size() == 1 && end - from > 7 { 1 } else { 16 };
                    changed.push((at, kernel.bytes[at] ^ by));
                }
                _ => {}
            }
        }
        // The upper half of the polynomial's constant is of no product.
        for at in proof.coverage.constants.iter().flat_map(|range| range.clone()) {
            if kernel.bytes[at] != 0 || !is_polynomial(&kernel.bytes, at) {
                changed.push((at, kernel.bytes[at] ^ 1));
            }
        }
        for (at, value) in changed {
            let mut bytes = kernel.bytes.clone();
            bytes[at] = value;
            assert!(
                prove(&mut prover, &variant, &bytes).is_err(),
                "{variant}: {value:#x} at {at:#x} is accepted"
            );
            refused += 1;
        }
        // Rounds of another key.
        let other = Problem::new(KeySize::Aes256, Task::GcmTable);
        assert!(prover.prove(other, &kernel.bytes).is_err(), "{variant}");
    }
    println!("{refused} changed tables are refused");
    assert!(refused > 100, "{refused}");
}

#[test]
fn tables_of_powers_are_proved() {
    let mut prover = prover();
    for variant in table_variants() {
        let wiped = variant.clone().with(Dim::Wipe, 1);
        for (variant, wipes) in [(variant, false), (wiped, true)] {
            let kernel = build(&variant, &targets::ALL).expect("a kernel");
            let proof =
                prove(&mut prover, &variant, &kernel.bytes).unwrap_or_else(|why| panic!("{variant}: {why}"));
            assert_eq!((proof.constant_time(), proof.wiped), ("CT2", wipes), "{variant}");
        }
    }
}

/// Products of other halves, other powers, another polynomial, another order of bytes, another counter: each is refused.
#[test]
fn changed_kernels_of_gcm_are_refused() {
    let directions = [Direction::Encrypt, Direction::Decrypt];
    let masked = directions.iter().flat_map(|d| LOOPS.map(|of| (*d, of, 2, targets::ALL, 0)));
    // Without masks the last bytes come one after another.
    let others = [
        (Direction::Encrypt, LOOPS[0], 1, targets::VAES, 0),
        (Direction::Decrypt, LOOPS[1], 0, targets::AESNI, 0),
        (Direction::Encrypt, LOOPS[2], 0, targets::AESNI, 0),
        (Direction::Encrypt, LOOPS[0], 0, targets::AESNI, 1),
        (Direction::Decrypt, LOOPS[3], 0, targets::AESNI, 1),
    ];
    for (direction, (name, choices), width, target, absorb) in masked.chain(others) {
        let variant = variant(KeySize::Aes128, direction, width, 2).with(Dim::Absorb, absorb);
        let variant = looped(variant, choices);
        let kernel = build(&variant, &target).expect("a kernel");
        let (mut own, mut refused) = (prover(), 0);
        let mut refuse = |bytes: &[u8], what: &str| {
            let verdict = prove(&mut own, &variant, bytes);
            assert!(verdict.is_err(), "{variant}: {what}");
            refused += 1;
        };
        let proof = prover().prove(variant.problem, &kernel.bytes).expect("the kernel");
        let is_reached = |at: usize| proof.coverage.executed.iter().any(|range| range.contains(&at));
        let code = &kernel.bytes[..kernel.code_end];
        let (mut powers, mut chains, mut read) = (0, 0, 0);
        let place = |sought| kernel.places.iter().find(|(name, _)| *name == sought).expect("a place").1;
        let body = place("body")..place("body end");
        let mut decoder = Decoder::with_ip(64, code, 0, DecoderOptions::NONE);
        while decoder.can_decode() {
            let instruction = decoder.decode();
            let displacement = decoder.get_constant_offsets(&instruction);
            let at = instruction.ip() as usize + displacement.displacement_offset();
            let (from, end) = (instruction.ip() as usize, instruction.next_ip() as usize);
            if !is_reached(from) {
                continue;
            }
            let text = format!("{instruction} at {from:#x}");
            let changed = |at: usize, value: u8| {
                let mut bytes = kernel.bytes.clone();
                bytes[at] = value;
                bytes
            };
            // Places in memory.
            match (instruction.mnemonic(), instruction.memory_base(), displacement.displacement_size()) {
                // Other powers of the hash key. In EVEX a displacement of eight bits counts registers.
                (Mnemonic::Vpclmulqdq, Register::RDI | Register::R10, size) => {
                    assert!(instruction.memory_displacement32() >= HASH_OFFSET as u32, "{text}");
                    let by = if size == 1 { 1 } else { 16u8 };
                    refuse(&changed(at, kernel.bytes[at].wrapping_add(by)), &text);
                    powers += 1;
                }
                (Mnemonic::Vmovdqu, Register::RDI, 4) => {
                    assert!(instruction.memory_displacement32() >= HASH_OFFSET as u32, "{text}");
                    refuse(&changed(at, kernel.bytes[at].wrapping_add(16)), &text);
                    powers += 1;
                }
                // Ciphertext of another block, read again: before the output it is not known to be any.
                (Mnemonic::Vmovdqu, Register::RCX, 1)
                    if instruction.op0_kind() == iced_x86::OpKind::Register =>
                {
                    refuse(&changed(at, kernel.bytes[at].wrapping_add(16)), &text);
                    refuse(&changed(at, kernel.bytes[at].wrapping_sub(16)), &text);
                    read += 1;
                }
                // The counter in place of the value of GHASH, and a byte before the counter's last.
                (mnemonic, Register::RSI, 1) => {
                    let is_byte = mnemonic == Mnemonic::Movzx;
                    assert_eq!(kernel.bytes[at], if is_byte { 15 } else { 16 }, "{text}");
                    refuse(&changed(at, if is_byte { 14 } else { 0 }), &text);
                    chains += u32::from(!is_byte);
                }
                // Other entries of the table of states.
                (_, Register::R11, 1) => refuse(&changed(at, kernel.bytes[at].wrapping_add(1)), &text),
                // One block less, or one more.
                (Mnemonic::Lea, _, 1) if kernel.bytes[at] == 15 => {
                    refuse(&changed(at, 14), &text);
                    refuse(&changed(at, 31), &text);
                }
                _ => {}
            }
            match (instruction.mnemonic(), instruction.op0_register()) {
                // A group in which the last byte wraps, and counters before or behind the next ones.
                (Mnemonic::Cmp, Register::AL) => refuse(&changed(end - 1, kernel.bytes[end - 1] + 1), &text),
                (Mnemonic::Add, Register::AL) => {
                    refuse(&changed(end - 1, kernel.bytes[end - 1] + 1), &text);
                    refuse(&changed(end - 1, kernel.bytes[end - 1] - 1), &text);
                }
                (Mnemonic::Shl, Register::R11) => {
                    refuse(&changed(end - 1, 3), &text);
                    refuse(&changed(end - 1, 5), &text);
                }
                // A table that was not made.
                (Mnemonic::Mov, Register::R9D) if kernel.bytes[end - 4] == 0 => {
                    refuse(&changed(end - 4, 1), &text)
                }
                _ => {}
            }
            match instruction.mnemonic() {
                Mnemonic::Vpclmulqdq => {
                    let choices =
                        [0x00, 0x01, 0x10, 0x11].into_iter().filter(|c| *c != kernel.bytes[end - 1]);
                    // Both halves of a sum of halves are that sum. Sums for two registers of powers share one.
                    let is_of_sums = instruction.op0_register() == instruction.op1_register();
                    let share = absorb == 0 && body.contains(&from);
                    let own = kernel.bytes[end - 1];
                    for choice in choices.filter(|choice| !is_of_sums || share && choice ^ own != 1) {
                        // The upper half of the constant is zero: each choice of it is another product.
                        refuse(&changed(end - 1, choice), &text);
                    }
                }
                // Of four lanes and their sum; the order of the lanes does not matter where all are equal.
                Mnemonic::Vpslldq | Mnemonic::Vpsrldq | Mnemonic::Vpshufd => {
                    for choice in [0u8, 7, 9] {
                        refuse(&changed(end - 1, choice), &text);
                    }
                }
                // Sums of 64 bits would carry into the nonce, and differences count down.
                Mnemonic::Vpaddd | Mnemonic::Vaesenc | Mnemonic::Vaesenclast => {
                    let is_evex = instruction.code().encoding() == iced_x86::EncodingKind::EVEX;
                    let at = opcode_at(&kernel.bytes, from);
                    let others: &[(u8, bool)] = match kernel.bytes[at] {
                        0xfe => &[(0xfa, false), (0xd4, is_evex)],
                        0xdc => &[(0xde, false)],
                        0xdd => &[(0xdf, false)],
                        other => panic!("{other:#x}: {text}"),
                    };
                    // Sums of 64 bits carry nothing out of a counter's last byte, in memory order.
                    let is_last_byte = instruction.is_ip_rel_memory_operand()
                        && (0..15)
                            .all(|k| kernel.bytes[instruction.ip_rel_memory_address() as usize + k] == 0);
                    let narrow = |other: &&(u8, bool)| !(other.0 == 0xd4 && is_last_byte);
                    for &(opcode, is_wide) in others.iter().filter(narrow) {
                        let mut bytes = kernel.bytes.clone();
                        bytes[at] = opcode;
                        bytes[from + 2] |= if is_wide { 0x80 } else { 0 };
                        refuse(&bytes, &text);
                    }
                }
                _ => {}
            }
        }
        // What GHASH absorbs is the ciphertext.
        let other = if direction == Direction::Encrypt { Direction::Decrypt } else { Direction::Encrypt };
        let swapped = self::variant(KeySize::Aes128, other, 2, 2);
        assert!(prove(&mut prover(), &swapped, &kernel.bytes).is_err());
        // Constants: one bit of each byte that is read.
        for at in proof.coverage.constants.iter().flat_map(|range| range.clone()) {
            let mut bytes = kernel.bytes.clone();
            bytes[at] ^= 1;
            let is_upper_half_of_polynomial = kernel.bytes[at] == 0 && is_polynomial(&kernel.bytes, at);
            // On one lane: of the blocks that a table of states is made of, only bytes 0, 5, 10 and 15 must be the counter's.
            let block = &kernel.bytes[at / 16 * 16..at / 16 * 16 + 16];
            let is_of_table = [&(u128::MAX >> 8).to_le_bytes()[..], &[0; 16]].contains(&block);
            let is_free = width == 0 && is_of_table && ![0, 5, 10, 15].contains(&(at % 16));
            if !is_upper_half_of_polynomial && !is_free {
                refuse(&bytes, &format!("constant at {at:#x}"));
            }
        }
        println!("{name}: {refused} refused: {powers} powers, {chains} values, {read} read again");
        assert!(
            refused > 200 && powers > [8, 4][usize::from(absorb)] && chains == 2,
            "{refused}, {powers}, {chains}"
        );
        assert_eq!(read > 0, absorb == 1 && direction == Direction::Encrypt, "{read}");
    }
}

/// The place of an instruction's opcode, behind a prefix of VEX or EVEX.
pub(crate) fn opcode_at(bytes: &[u8], from: usize) -> usize {
    from + match bytes[from] {
        0xc5 => 2,
        0xc4 => 3,
        _ => 4,
    }
}

/// True if a byte is in the upper half of the constant of the reduction, which nothing depends on.
fn is_polynomial(bytes: &[u8], at: usize) -> bool {
    let begin = at / 16 * 16;
    bytes[begin..begin + 16] == (0xc2u128 << 56).to_le_bytes() && at % 16 >= 8
}

#[cfg(target_arch = "x86_64")]
mod on_this_cpu {
    use super::*;
    use crate::native::{Bytes, Code};
    use aesmith_cipher::block::{Block, encrypt, expand_key};
    use aesmith_cipher::contract::{HASH_END, HASH_ZEROS, hash_table};
    use aesmith_cipher::modes::gcm_text;

    /// The key structure.
    fn structure(key: KeySize, cipher_key: &[u8]) -> Vec<u8> {
        let keys = expand_key(key, cipher_key);
        let hash_key = encrypt(&keys, [0; 16]);
        let mut all = vec![0x5a; HASH_END + HASH_ZEROS];
        let keys = keys.concat();
        all[..keys.len()].copy_from_slice(&keys);
        all[HASH_OFFSET..].copy_from_slice(&hash_table(hash_key));
        all
    }

    #[test]
    fn tables_of_powers_are_those_of_the_contract() {
        let here = targets::here();
        let mut random = Bytes(46);
        let (mut prover, mut built) = (prover(), 0);
        for variant in table_variants() {
            // A CPU may lack the instructions.
            let Ok(kernel) = build(&variant, &here) else { continue };
            prove(&mut prover, &variant, &kernel.bytes).expect("proved before it runs");
            let key = variant.problem.key;
            let cipher_key = random.take(key.bytes());
            let wanted = structure(key, &cipher_key);
            let mut found = wanted.clone();
            found[HASH_OFFSET..].fill(0xa5);
            found.extend([0xa5; 64]);
            // SAFETY: the kernel is proved, and the structure has the size of its contract.
            unsafe { Code::new(&kernel.bytes).key(found.as_mut_ptr(), cipher_key.as_ptr()) };
            assert_eq!(found[..wanted.len()], wanted[..], "{variant}");
            assert_eq!(found[wanted.len()..], [0xa5; 64], "{variant}");
            built += 1;
        }
        println!("{built} tables");
    }

    #[test]
    fn kernels_of_gcm_do_what_the_standard_says() {
        let here = targets::here();
        let (mut random, mut prover) = (Bytes(45), prover());
        // A CPU may lack the instructions.
        let others = [targets::VAES, targets::AESNI, targets::AESNI_SSE]
            .into_iter()
            .filter(|set| here.has(set.features));
        let sets: Vec<Target> = [here].into_iter().chain(others).collect();
        for kernel in kernels(&sets, false) {
            let variant = &kernel.variant;
            prove(&mut prover, variant, &kernel.bytes).expect("proved before it runs");
            let code = Code::new(&kernel.bytes);
            let (problem, key) = (variant.problem, variant.problem.key);
            let cipher_key = random.take(key.bytes());
            let structure = structure(key, &cipher_key);
            let step = 1 + random.below(23);
            for len in (0..1100).step_by(step).chain([4096, 9008, 32768 + 15]) {
                let text = random.take(len);
                let mut state: [u8; 32] = random.take(32).try_into().unwrap();
                // The counter wraps within the message.
                if len % 2 == 0 {
                    state[12..16].copy_from_slice(&(0u32.wrapping_sub(1 + (len / 32) as u32)).to_be_bytes());
                }
                let [counter, value] = [0, 16].map(|at| Block::try_from(&state[at..at + 16]).unwrap());
                let wanted = gcm_text(problem, &cipher_key, counter, value, &text);
                for in_place in [false, true] {
                    let (mut now, mut output) = (state, vec![0xee; len + 64]);
                    if in_place {
                        output[..len].copy_from_slice(&text);
                    }
                    let input = if in_place { output.as_ptr() } else { text.as_ptr() };
                    // SAFETY: the kernel is proved, and its buffers have the sizes of its contract.
                    unsafe { code.gcm(&structure, &mut now, input, output.as_mut_ptr(), len) };
                    assert_eq!(output[..len], wanted.0[..], "{variant}, {len} bytes");
                    assert!(output[len..].iter().all(|byte| *byte == 0xee), "{variant}, {len} bytes");
                    assert_eq!(now[..16], wanted.1, "{variant}, {len} bytes");
                    assert_eq!(now[16..], wanted.2, "{variant}, {len} bytes");
                }
            }
        }
    }
}
