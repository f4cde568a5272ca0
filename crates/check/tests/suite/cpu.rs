//! The meaning of instructions is that of the CPU: random encodings on random operands.

use crate::concrete::{Concrete, Random};
use aesmith_check::decode::{Base, Coding, Instruction, Op, Operand, decode};
use aesmith_check::execute::{Flags, Flow, Registers, step};
use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Registers, and where to go.
#[repr(C, align(64))]
struct State {
    general: [u64; 16],
    flags: u64,
    code: u64,
    stack: u64,
    /// 1 if vectors are loaded and stored.
    has_vectors: u64,
    unused: [u64; 4],
    vectors: [[u64; 8]; 32],
}

static mut STATE: State = State {
    general: [0; 16],
    flags: 0,
    code: 0,
    stack: 0,
    has_vectors: 0,
    unused: [0; 4],
    vectors: [[0; 8]; 32],
};

/// Lines for each register of a kind.
macro_rules! lines {
    ($($line:literal),*) => { concat!($($line, "\n"),*) };
}

macro_rules! vectors {
    ($make:ident) => {
        concat!(
            $make!("0"),
            $make!("1"),
            $make!("2"),
            $make!("3"),
            $make!("4"),
            $make!("5"),
            $make!("6"),
            $make!("7"),
            $make!("8"),
            $make!("9"),
            $make!("10"),
            $make!("11"),
            $make!("12"),
            $make!("13"),
            $make!("14"),
            $make!("15"),
            $make!("16"),
            $make!("17"),
            $make!("18"),
            $make!("19"),
            $make!("20"),
            $make!("21"),
            $make!("22"),
            $make!("23"),
            $make!("24"),
            $make!("25"),
            $make!("26"),
            $make!("27"),
            $make!("28"),
            $make!("29"),
            $make!("30"),
            $make!("31")
        )
    };
}

macro_rules! load_vector {
    ($n:literal) => {
        concat!("vmovdqu64 zmm", $n, ", [rip + {state} + 192 + 64*", $n, "]\n")
    };
}

macro_rules! store_vector {
    ($n:literal) => {
        concat!("vmovdqu64 [rip + {state} + 192 + 64*", $n, "], zmm", $n, "\n")
    };
}

macro_rules! generals {
    ($make:ident) => {
        concat!(
            $make!("rax", "0"),
            $make!("rcx", "1"),
            $make!("rdx", "2"),
            $make!("rbx", "3"),
            $make!("rsp", "4"),
            $make!("rbp", "5"),
            $make!("rsi", "6"),
            $make!("rdi", "7"),
            $make!("r8", "8"),
            $make!("r9", "9"),
            $make!("r10", "10"),
            $make!("r11", "11"),
            $make!("r12", "12"),
            $make!("r13", "13"),
            $make!("r14", "14"),
            $make!("r15", "15")
        )
    };
}

macro_rules! load_general {
    ($name:literal, $n:literal) => {
        concat!("mov ", $name, ", [rip + {state} + 8*", $n, "]\n")
    };
}

macro_rules! store_general {
    ($name:literal, $n:literal) => {
        concat!("mov [rip + {state} + 8*", $n, "], ", $name, "\n")
    };
}

std::arch::global_asm!(
    lines!(
        ".globl aesmith_check_enter", ".globl aesmith_check_back", "aesmith_check_enter:",
        "push rbx", "push rbp", "push r12", "push r13", "push r14", "push r15",
        "mov [rip + {state} + 144], rsp", "cmp qword ptr [rip + {state} + 152], 0", "je 2f"
    ),
    vectors!(load_vector),
    lines!("2:", "push qword ptr [rip + {state} + 128]", "popfq"),
    generals!(load_general),
    lines!("jmp qword ptr [rip + {state} + 136]", "aesmith_check_back:"),
    generals!(store_general),
    lines!(
        "mov rsp, [rip + {state} + 144]", "pushfq", "pop qword ptr [rip + {state} + 128]",
        "cmp qword ptr [rip + {state} + 152], 0", "je 3f"
    ),
    vectors!(store_vector),
    lines!("vzeroupper", "3:"),
    lines!(
        "pop r15", "pop r14", "pop r13", "pop r12", "pop rbp", "pop rbx", "cld", "ret"
    ),
    state = sym STATE,
);

unsafe extern "C" {
    fn aesmith_check_enter();
    fn aesmith_check_back();
}

/// Bytes of memory that instructions access.
const ROOM: usize = 4096;

/// A page of code, and memory. There is one state of registers, which one test at a time uses.
struct Machine {
    page: *mut u8,
    memory: *mut u8,
    _alone: MutexGuard<'static, ()>,
}

static ALONE: Mutex<()> = Mutex::new(());

impl Machine {
    fn new() -> Machine {
        let map = |protection| {
            let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
            // SAFETY: new memory, which nothing else uses.
            let page = unsafe { libc::mmap(std::ptr::null_mut(), ROOM, protection, flags, -1, 0) };
            assert_ne!(page, libc::MAP_FAILED);
            page.cast::<u8>()
        };
        let page = map(libc::PROT_READ | libc::PROT_WRITE | libc::PROT_EXEC);
        let alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
        Machine { page, memory: map(libc::PROT_READ | libc::PROT_WRITE), _alone: alone }
    }

    /// Executes an instruction between the states.
    fn execute(&mut self, bytes: &[u8]) {
        let mut code = bytes.to_vec();
        // A jump through the address behind it.
        code.extend([0xff, 0x25, 0, 0, 0, 0]);
        code.extend((aesmith_check_back as *const () as u64).to_le_bytes());
        // SAFETY: the page is writable and large enough; the instruction accesses only memory that is there, and jumps
        // back. This machine alone uses the state.
        unsafe {
            std::ptr::copy_nonoverlapping(code.as_ptr(), self.page, code.len());
            (&raw mut STATE.code).write(self.page as u64);
            aesmith_check_enter();
        }
    }

    fn memory(&mut self) -> &mut [u8] {
        // SAFETY: as long as the page, and only this uses it.
        unsafe { std::slice::from_raw_parts_mut(self.memory, ROOM) }
    }
}

/// Bytes that may be an instruction.
fn candidate(random: &mut Random) -> Vec<u8> {
    let pick = |random: &mut Random, all: &[u8]| all[random.below(all.len() as u64) as usize];
    let mut bytes = Vec::new();
    let any = random.next() as u8;
    match random.below(4) {
        0 | 1 => {
            bytes.extend(Some(pick(random, &[0, 0x66, 0xf3, 0xf2])).filter(|&prefix| prefix != 0));
            bytes.extend((random.below(2) == 0).then_some(0x40 | any & 15));
            bytes.extend_from_slice(
                [&[][..], &[0x0f], &[0x0f, 0x38], &[0x0f, 0x3a]][random.below(4) as usize],
            );
        }
        2 if any & 1 == 0 => bytes.extend([0xc5, random.next() as u8]),
        2 => bytes.extend([0xc4, any & 0xe0 | (1 + random.below(3) as u8), random.next() as u8]),
        _ => {
            let second = any & 0xf0 | (1 + random.below(3) as u8);
            bytes.extend([0x62, second, random.next() as u8 | 4, (random.below(3) as u8) << 5 | any & 8]);
        }
    }
    // Many forms have no operand in vvvv.
    let prefix = bytes.len();
    if prefix > 1 && [0xc4, 0xc5].contains(&bytes[0]) && random.below(2) == 0 {
        bytes[prefix - 1] |= 0x78;
    }
    if prefix == 4 && bytes[0] == 0x62 && random.below(2) == 0 {
        bytes[2] |= 0x78;
        bytes[3] |= 8;
    }
    bytes.extend(random.bytes(10));
    bytes
}

/// Compares one instruction. False if it cannot be tried.
fn compare(
    machine: &mut Machine,
    random: &mut Random,
    i: &Instruction,
    bytes: &[u8],
    has_vectors: bool,
) -> bool {
    // Opmasks are not compared.
    let has_mask = matches!(
        i.op,
        Op::ToMask | Op::MaskXor | Op::MoveBytes | Op::SignsToMask | Op::MaskToBytes | Op::Blend
    );
    if has_mask || matches!(i.op, Op::Jump | Op::JumpIf | Op::Return) {
        return false;
    }
    let mut general: [u64; 16] = std::array::from_fn(|_| random.next() >> (random.below(4) * 16));
    let center = machine.memory as u64 + 2048;
    general[4] = center;
    let mut vectors: [[u64; 8]; 32] = std::array::from_fn(|_| std::array::from_fn(|_| random.next()));
    for operand in &i.operands {
        let Operand::Memory(memory) = operand else { continue };
        let Base::Register(base) = memory.base else { return false };
        let mut at = center + random.below(512);
        if random.below(2) == 0 {
            at &= !63;
        }
        if let Some((index, scale)) = memory.index {
            if index == base {
                return false;
            }
            general[usize::from(index)] = random.below(64);
            at = at.wrapping_sub(general[usize::from(index)] << scale);
        }
        general[usize::from(base)] = at.wrapping_sub(i64::from(memory.displacement) as u64);
        // Other operands may be the same registers, which is as good.
    }
    if random.below(4) == 0 {
        vectors[7] = vectors[1];
    }
    // Only comparisons with zero have a meaning.
    if let (Op::GreaterBytes, [_, Operand::Vector(zero), _]) = (i.op, i.operands) {
        vectors[usize::from(zero)] = [0; 8];
    }
    // Only sums of equal bytes have one, in whichever registers they are.
    if let (Op::AddBytes, [_, Operand::Vector(one), Operand::Vector(other)]) = (i.op, i.operands)
        && random.below(4) > 0
    {
        vectors[usize::from(other)] = vectors[usize::from(one)];
    }
    let data = random.bytes(ROOM);
    machine.memory().copy_from_slice(&data);
    let (carry, zero) = (random.below(2) == 1, random.below(2) == 1);
    let mut domain = Concrete {
        objects: vec![(0, Vec::new()), (1, Vec::new()), (machine.memory as u64, data)],
        seen: Vec::new(),
    };
    let lanes =
        |all: [u64; 8]| std::array::from_fn(|k| u128::from(all[2 * k + 1]) << 64 | u128::from(all[2 * k]));
    let flags = Flags { carry: Some(carry), zero: Some(zero), is_secret: false };
    let masks = [0; 8];
    let mut registers =
        Registers { general, vectors: vectors.map(lanes), masks, signs: Default::default(), flags };
    match step(&mut domain, &mut registers, i, 0) {
        Ok(flow) => assert_eq!(flow, Flow::Next),
        // Unaligned operands, or kinds of operands that are not supported.
        Err(_) => return false,
    }
    // SAFETY: one thread uses the state.
    unsafe {
        (&raw mut STATE.has_vectors).write(u64::from(has_vectors));
        (&raw mut STATE.general).write(general);
        (&raw mut STATE.vectors).write(vectors);
        (&raw mut STATE.flags).write(2 | u64::from(carry) | u64::from(zero) << 6);
    }
    machine.execute(bytes);
    // SAFETY: as above.
    let (general, flags, vectors) = unsafe {
        (
            (&raw const STATE.general).read(),
            (&raw const STATE.flags).read(),
            (&raw const STATE.vectors).read(),
        )
    };
    assert_eq!(registers.general, general, "{bytes:02x?} {i:?}");
    assert_eq!(registers.vectors, vectors.map(lanes), "{bytes:02x?} {i:?}");
    for (bit, value) in [(registers.flags.carry, flags & 1), (registers.flags.zero, flags >> 6 & 1)] {
        assert!(bit.is_none_or(|bit| bit == (value == 1)), "{bytes:02x?} {i:?}: flags {flags:x}");
    }
    assert_eq!(domain.objects[2].1, machine.memory(), "{bytes:02x?} {i:?}");
    true
}

#[test]
fn instructions_do_what_the_cpu_does() {
    let has = ["avx512f", "avx512vl", "avx512bw", "avx512vbmi", "gfni", "vaes", "vpclmulqdq", "avx2", "aes"];
    let all = [
        is_x86_feature_detected!("vpclmulqdq"),
        is_x86_feature_detected!("avx512f"),
        is_x86_feature_detected!("avx512vl"),
        is_x86_feature_detected!("avx512bw"),
        is_x86_feature_detected!("avx512vbmi"),
        is_x86_feature_detected!("gfni"),
        is_x86_feature_detected!("vaes"),
        is_x86_feature_detected!("avx2"),
        is_x86_feature_detected!("aes"),
    ];
    if all.contains(&false) {
        println!("skipped: this CPU lacks one of {has:?}, which the comparison runs");
        return;
    }
    let (mut machine, mut random) = (Machine::new(), Random(3));
    let mut tried: BTreeMap<String, usize> = BTreeMap::new();
    for _ in 0..6_000_000 {
        let bytes = candidate(&mut random);
        let Some(i) = decode(&bytes) else { continue };
        let count = tried.entry(format!("{:?} {:?}", i.op, i.coding)).or_default();
        if *count < 400 && compare(&mut machine, &mut random, &i, &bytes[..i.length], true) {
            *count += 1;
        }
    }
    let total: usize = tried.values().sum();
    println!("{total} instructions of {} kinds: {tried:?}", tried.len());
    assert!(tried.len() > 92 && total > 16_000, "{total} of {} kinds", tried.len());
}

/// Opcodes without operands in vector registers, and half of them with small numbers behind.
fn general_candidate(random: &mut Random) -> Vec<u8> {
    let (any, rex) = (random.next() as u8, random.next() as u8 & 15);
    let mut bytes = Vec::new();
    bytes.extend((random.below(2) == 0).then_some(0x40 | rex));
    match random.below(4) {
        0 => bytes.extend([0x0f, [any, 0xb6, 0xb7, 0xc8][random.below(4) as usize]]),
        1 => bytes.push([0xc1, 0xd1][random.below(2) as usize]),
        _ => bytes.push(any),
    }
    bytes.push(random.next() as u8);
    let mask = if random.below(2) == 0 { 0xff } else { 0x1f };
    bytes.extend(random.bytes(10).iter().map(|byte| byte & mask));
    bytes
}

/// Instructions that need no vectors, so that each CPU compares them.
#[test]
fn instructions_on_general_registers_do_what_the_cpu_does() {
    let (mut machine, mut random) = (Machine::new(), Random(5));
    let mut tried: BTreeMap<String, usize> = BTreeMap::new();
    for _ in 0..600_000 {
        let bytes = general_candidate(&mut random);
        let Some(i) = decode(&bytes).filter(|i| i.coding == Coding::Legacy) else { continue };
        let is_general = |operand: &Operand| !matches!(operand, Operand::Vector(_) | Operand::Mask(_));
        if !i.operands.iter().all(is_general) {
            continue;
        }
        // With and without the second bytes of registers, by the number of bits.
        let is_high = i.operands.iter().any(|operand| matches!(operand, Operand::High(_)));
        let count =
            tried.entry(format!("{:?} {}{}", i.op, i.bits, if is_high { "h" } else { "" })).or_default();
        if *count < 300 && compare(&mut machine, &mut random, &i, &bytes[..i.length], false) {
            *count += 1;
        }
    }
    let total: usize = tried.values().sum();
    println!("{total} instructions of {} kinds: {tried:?}", tried.len());
    for kind in ["MovZeroExtended 8h", "MovZeroExtended 16", "Mov 8h", "Ror 32", "Ror 64", "Shl 32", "Xor 64"]
    {
        assert!(tried.get(kind).is_some_and(|count| *count > 50), "{kind}: {:?}", tried.get(kind));
    }
}
