//! Execution over numbers: a second domain of the checker's own meaning of instructions.

use aesmith_check::Certificate;
use aesmith_check::contract::{ARGUMENTS, Argument, SAVED};
use aesmith_check::decode::{Op, Shift, decode};
use aesmith_check::execute::{Domain, Flags, Flow, Registers, step};
use aesmith_check::spec::{Mode, Round, TABLE};
use aesmith_check::terms::Region;
use model::{gcm, hash_table, inverse_key_schedule, key_schedule, message, table_entry};

#[path = "model.rs"]
pub mod model;

/// Memory, in objects that are far apart.
pub struct Concrete {
    /// Addresses and contents. The first is the code, the second the stack.
    pub objects: Vec<(u64, Vec<u8>)>,
    /// The view of an observer of caches and of time: addresses of instructions, and of the memory that they access.
    pub seen: Vec<u64>,
}

/// A source of numbers.
pub struct Random(pub u64);

impl Random {
    /// The next number (xorshift).
    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    /// A number below a bound.
    pub fn below(&mut self, bound: u64) -> u64 {
        (self.next() >> 11) % bound
    }

    /// Some bytes.
    pub fn bytes(&mut self, count: usize) -> Vec<u8> {
        (0..count).map(|_| self.next() as u8).collect()
    }
}

impl Concrete {
    fn place(&mut self, address: u64, bytes: usize) -> Result<&mut [u8], String> {
        self.seen.push(address);
        let object = self.objects.iter_mut().find(|(base, data)| {
            address >= *base && address.wrapping_add(bytes as u64) <= base + data.len() as u64
        });
        let (base, data) = object.ok_or_else(|| format!("{bytes} bytes at 0x{address:x}"))?;
        let at = (address - *base) as usize;
        Ok(&mut data[at..at + bytes])
    }
}

impl Domain for Concrete {
    type Word = u64;
    type Lane = u128;
    /// None is a bit that must not be read.
    type Bit = Option<bool>;
    type Stop = String;

    fn number(&mut self, number: u64) -> u64 {
        number
    }
    fn code(&mut self, offset: u64) -> u64 {
        self.objects[0].0 + offset
    }
    fn combine(&mut self, a: &u64, b: &u64, factor: i64) -> u64 {
        a.wrapping_add(b.wrapping_mul(factor as u64))
    }
    fn shifted(&mut self, a: &u64, shift: Shift, by: u8) -> u64 {
        if shift == Shift::Left { a << by } else { a >> by }
    }
    fn bitwise(&mut self, op: Op, a: &u64, b: &u64) -> Result<u64, String> {
        Ok(match op {
            Op::And => a & b,
            Op::Or => a | b,
            _ => a ^ b,
        })
    }
    fn swapped(&mut self, a: &u64) -> u64 {
        a.swap_bytes()
    }
    fn bit(&mut self, bit: bool) -> Option<bool> {
        Some(bit)
    }
    fn is_below(&mut self, a: &u64, b: &u64) -> Option<bool> {
        Some(a < b)
    }
    fn carries(&mut self, a: &u64, b: &u64, carry: bool) -> Option<bool> {
        Some((u128::from(*a) + u128::from(*b) + u128::from(carry)) >> 64 != 0)
    }
    fn is_zero(&mut self, a: &u64) -> Option<bool> {
        Some(*a == 0)
    }
    fn is_disjoint(&mut self, a: &u64, b: &u64) -> Option<bool> {
        Some(a & b == 0)
    }
    fn arbitrary(&mut self) -> Option<bool> {
        None
    }
    fn decide(&mut self, bit: &Option<bool>) -> Result<bool, String> {
        bit.ok_or_else(|| "an arbitrary flag is read".into())
    }
    fn is_secret(&self, _: &u64) -> bool {
        false
    }
    fn lane(&mut self, number: u128) -> u128 {
        number
    }
    fn xor(&mut self, a: &u128, b: &u128) -> u128 {
        a ^ b
    }
    fn logic(&mut self, table: u8, [a, b, c]: [&u128; 3]) -> Result<u128, String> {
        let bit = |at: u32| 4 * (a >> at & 1) + 2 * (b >> at & 1) + (c >> at & 1);
        Ok((0..128).fold(0, |all, at| all | u128::from(table >> bit(at) & 1) << at))
    }
    fn moved(&mut self, a: &u128, from: &[u8; 128]) -> Result<u128, String> {
        let places = from.iter().enumerate().filter(|(_, from)| **from < 128);
        Ok(places.fold(0, |all, (at, from)| all | (a >> from & 1) << at))
    }
    fn applied(&mut self, a: &u128, table: &[u8; 256]) -> Result<u128, String> {
        Ok(u128::from_le_bytes(a.to_le_bytes().map(|byte| table[usize::from(byte)])))
    }
    fn add_doubles(&mut self, a: &u128, b: &u128) -> Result<u128, String> {
        let sum = |k: u32| ((a >> (32 * k)) as u32).wrapping_add((b >> (32 * k)) as u32);
        Ok((0..4).fold(0, |all, k| all | u128::from(sum(k)) << (32 * k)))
    }
    fn shuffled(&mut self, a: &u128, mask: &[u8; 16]) -> u128 {
        let bytes = a.to_le_bytes();
        u128::from_le_bytes(mask.map(|from| if from < 16 { bytes[usize::from(from)] } else { 0 }))
    }
    fn known(&mut self, a: &u128) -> Result<u128, String> {
        Ok(*a)
    }
    fn product(&mut self, (a, x): (&u128, u8), (b, y): (&u128, u8)) -> Result<u128, String> {
        let (a, b) = (self.half(a, x), self.half(b, y));
        Ok((0..64).filter(|bit| b >> bit & 1 == 1).fold(0, |sum, bit| sum ^ u128::from(a) << bit))
    }
    fn round(&mut self, round: Round, a: &u128) -> u128 {
        round.apply(*a)
    }
    fn words(&mut self, low: &u64, high: &u64) -> u128 {
        u128::from(*high) << 64 | u128::from(*low)
    }
    fn half(&mut self, a: &u128, which: u8) -> u64 {
        (a >> (64 * u32::from(which))) as u64
    }
    fn load(&mut self, address: &u64, bytes: u16) -> Result<u64, String> {
        let bytes = self.place(*address, usize::from(bytes))?;
        Ok(bytes.iter().rev().fold(0, |value, &byte| value << 8 | u64::from(byte)))
    }
    fn store(&mut self, address: &u64, bytes: u16, value: &u64) -> Result<(), String> {
        let bytes = usize::from(bytes);
        self.place(*address, bytes)?.copy_from_slice(&value.to_le_bytes()[..bytes]);
        Ok(())
    }
    fn load_lane(&mut self, address: &u64) -> Result<u128, String> {
        let bytes = self.place(*address, 16)?;
        Ok(bytes.iter().rev().fold(0, |value, &byte| value << 8 | u128::from(byte)))
    }
    fn store_lane(&mut self, address: &u64, value: &u128) -> Result<(), String> {
        self.place(*address, 16)?.copy_from_slice(&value.to_le_bytes());
        Ok(())
    }
    fn low_bits(&mut self, a: &u64, count: &u64) -> Result<u64, String> {
        let count = count & 0xff;
        Ok(if count < 64 { a & ((1 << count) - 1) } else { *a })
    }
    fn load_masked(&mut self, address: &u64, mask: &u64, lanes: usize) -> Result<Vec<u128>, String> {
        let mut bytes = vec![0; 16 * lanes];
        for (k, byte) in bytes.iter_mut().enumerate().filter(|(k, _)| mask >> k & 1 == 1) {
            *byte = self.place(address.wrapping_add(k as u64), 1)?[0];
        }
        let lane = |part: &[u8]| part.iter().rev().fold(0, |value, &byte| value << 8 | u128::from(byte));
        Ok(bytes.chunks(16).map(lane).collect())
    }
    fn store_masked(&mut self, address: &u64, mask: &u64, lanes: &[u128]) -> Result<(), String> {
        let bytes = lanes.iter().flat_map(|lane| lane.to_le_bytes());
        for (k, byte) in bytes.enumerate().filter(|(k, _)| mask >> k & 1 == 1) {
            self.place(address.wrapping_add(k as u64), 1)?[0] = byte;
        }
        Ok(())
    }
    fn begins(&mut self, mask: &u64, lanes: &[u128]) -> Result<Vec<u128>, String> {
        let kept = |k: usize| {
            (0..16)
                .filter(|byte| mask >> (16 * k + byte) & 1 == 1)
                .fold(0, |all, byte| all | 0xff << (8 * byte))
        };
        Ok(lanes.iter().enumerate().map(|(k, lane)| lane & kept(k)).collect())
    }
    fn aligned(&mut self, address: &u64, bytes: u16) -> Result<(), String> {
        if address.is_multiple_of(u64::from(bytes)) { Ok(()) } else { Err("an unaligned address".into()) }
    }
    fn prefetch(&mut self, address: &u64) -> Result<(), String> {
        self.seen.push(*address);
        Ok(())
    }
    fn stack(&mut self, _: &u64) -> Result<(), String> {
        Ok(())
    }
    fn streams(&mut self, _: bool) {}
    fn returns(&mut self, pointer: &u64) -> Result<(), String> {
        let (base, data) = &self.objects[1];
        if *pointer == base + data.len() as u64 - 8 { Ok(()) } else { Err("another return address".into()) }
    }
    fn unsupported(&self) -> String {
        "not supported".into()
    }
}

/// The bytes of stack in a run.
const STACK: usize = 8192;

/// Calls the code of a certificate twice, with other secrets, and compares all results with the specification, and what is
/// seen of both calls.
///
/// # Errors
/// The first difference.
pub fn call(certificate: &Certificate, random: &mut Random) -> Result<(), String> {
    let mut secrets = Random(random.next() | 1);
    let mut again = Random(random.0);
    let first = observed(certificate, random, &mut secrets)?;
    let second = observed(certificate, &mut again, &mut secrets)?;
    if first == second { Ok(()) } else { Err("secrets are seen in branches or addresses".into()) }
}

/// Calls the code of a certificate once with random data, and compares all results with the specification. Gives what is
/// seen of the call.
fn observed(
    certificate: &Certificate,
    random: &mut Random,
    secrets: &mut Random,
) -> Result<Vec<u64>, String> {
    let contract = certificate.contract;
    if contract.streams > 1 {
        return call_streams(certificate, random, secrets);
    }
    let key = secrets.bytes(4 * (usize::from(contract.rounds) - 6));
    let keys = if contract.is_inverse { inverse_key_schedule(&key) } else { key_schedule(&key) };
    let is_schedule = contract.mode == Mode::Keys;
    let length = match random.below(4) {
        _ if is_schedule => key.len() as u64,
        0 => random.below(40),
        1 => 16 * random.below(64),
        // Long enough for a table on the stack.
        2 if contract.mode.is_gcm() => 8192 + random.below(1200),
        _ => random.below(1200),
    } as usize;
    let text = secrets.bytes(length);
    let mut key_bytes: Vec<u8> = keys.iter().flat_map(|key| key.to_le_bytes()).collect();
    let is_table = contract.mode == Mode::Table;
    if contract.mode == Mode::Ctr || is_table {
        // The counter table stands behind.
        key_bytes.resize(TABLE.start as usize, 0xee);
        let table = (0..=255).flat_map(|value| table_entry(keys[0], value).to_le_bytes());
        key_bytes.extend(table.map(|byte| if is_table { 0xa5 } else { byte }));
    }
    if contract.mode.is_gcm() {
        key_bytes.resize(TABLE.start as usize, 0xee);
        key_bytes.extend(hash_table(&keys));
    }
    let key_before = key_bytes.clone();
    let mut iv = if contract.mode.has_counter() { random.bytes(16) } else { secrets.bytes(16) };
    if random.below(3) == 0 {
        // A counter that overflows soon.
        iv[8..15].fill(0xff);
    }
    if contract.mode.is_gcm() {
        iv.extend(secrets.bytes(16));
    }
    let is_in_place = random.below(2) == 0 && contract.mode.is_of_text();
    let out_length = match contract.mode {
        Mode::Keys => contract.key_bytes() as usize,
        Mode::Table => (TABLE.end - TABLE.start) as usize,
        _ => length,
    };
    let mut base = |room: u64| {
        ((random.below(1 << 20) + room) << 24) + 16 * random.below(8) + [0, 0, 3][random.below(3) as usize]
    };
    let (key_at, iv_at, in_at, out_at) = (base(1 << 21), base(1 << 22), base(1 << 23), base(1 << 24));
    let (code_at, stack_at) = (1 << 20, (1 << 16) + 16 * random.below(16));
    let out_at = match contract.mode {
        Mode::Table => key_at + TABLE.start as u64,
        _ if is_in_place => in_at,
        _ => out_at,
    };
    let mut stack = vec![0; STACK];
    stack[STACK - 8..].copy_from_slice(&0x1234_5678_u64.to_le_bytes());
    let mut objects = vec![
        (code_at, certificate.code.clone()),
        (stack_at, stack),
        (key_at, key_bytes),
        (iv_at, iv.clone()),
        (in_at, text.clone()),
    ];
    if !is_in_place && !is_table {
        objects.push((out_at, vec![0xa5; out_length]));
    }
    let mut domain = Concrete { objects, seen: Vec::new() };
    let mut general: [u64; 16] = std::array::from_fn(|_| secrets.next());
    general[4] = stack_at + STACK as u64 - 8;
    for (argument, register) in contract.arguments().iter().zip(ARGUMENTS) {
        general[usize::from(register)] = match argument {
            Argument::Pointer(Region::Key) => key_at,
            Argument::Pointer(Region::Iv) => iv_at,
            Argument::Pointer(Region::Input) => in_at,
            Argument::Pointer(_) => out_at,
            Argument::Length => length as u64,
        };
    }
    let before = general;
    let vectors = std::array::from_fn(|_| std::array::from_fn(|_| u128::from(secrets.next()) << 64));
    let flags = Flags { carry: None, zero: None, is_secret: false };
    let masks = std::array::from_fn(|_| secrets.next());
    let mut registers = Registers { general, vectors, masks, signs: Default::default(), flags };
    run(certificate, &mut domain, &mut registers)?;
    let block = |bytes: &[u8]| bytes.iter().rev().fold(0, |value, &byte| value << 8 | u128::from(byte));
    let chain = block(&iv[..16]);
    let (expected, chain) = match contract.mode {
        Mode::Gcm { hashes_text } => {
            let (expected, chain, hash) = gcm(&keys, hashes_text, chain, block(&iv[16..]), &text);
            if domain.load_lane(&(iv_at + 16))? != hash {
                return Err("wrong value of GHASH".into());
            }
            (expected, chain)
        }
        _ => message(contract.mode, contract.is_inverse, &keys, chain, &text),
    };
    let out = domain.place(out_at, expected.len())?.to_vec();
    if out != expected {
        return Err(format!("wrong output of {length} bytes"));
    }
    if contract.has_iv() && domain.load_lane(&iv_at)? != chain {
        return Err("wrong IV".into());
    }
    // Only the table is written.
    let kept = if is_table { TABLE.start as usize } else { key_before.len() };
    if !is_schedule && domain.place(key_at, kept)? != &key_before[..kept] {
        return Err("the key structure is changed".into());
    }
    let is_kept = |register: u8| before[usize::from(register)] == registers.general[usize::from(register)];
    if !SAVED.into_iter().all(is_kept) || domain.load(&before[4], 8)? != 0x1234_5678 {
        return Err("what belongs to the caller is changed".into());
    }
    let rest = if is_in_place { &text[expected.len()..] } else { &vec![0xa5; out_length - expected.len()] };
    let at = out_at + expected.len() as u64;
    if domain.place(at, rest.len())? != rest {
        return Err("bytes behind the output are changed".into());
    }
    if contract.lookups {
        // What is read of the kernel's own constants may depend on secrets.
        let own = code_at..code_at + certificate.code.len() as u64;
        domain.seen.retain(|at| !own.contains(at));
    }
    Ok(domain.seen)
}

/// Executes the code of a certificate from its entry to the return.
fn run(
    certificate: &Certificate,
    domain: &mut Concrete,
    registers: &mut Registers<Concrete>,
) -> Result<(), String> {
    let mut at = 0;
    for _ in 0..1_000_000 {
        let code = &certificate.code[..certificate.constants];
        let instruction =
            code.get(at..).and_then(decode).ok_or_else(|| format!("no instruction at 0x{at:x}"))?;
        let next = at + instruction.length;
        domain.seen.push(at as u64);
        match step(domain, registers, &instruction, next as u64)? {
            Flow::Next => at = next,
            Flow::Jump(distance) => at = next.wrapping_add_signed(distance as isize),
            Flow::Return => return Ok(()),
        }
    }
    Err("it does not return".into())
}

/// Calls code for several streams as [`call`] does: with arrays of their keys, IVs, texts, outputs and lengths.
fn call_streams(
    certificate: &Certificate,
    random: &mut Random,
    secrets: &mut Random,
) -> Result<Vec<u64>, String> {
    let contract = certificate.contract;
    let streams = usize::from(contract.streams);
    let (code_at, stack_at) = (1 << 20, (1 << 16) + 16 * random.below(16));
    let mut stack = vec![0; STACK];
    stack[STACK - 8..].copy_from_slice(&0x1234_5678_u64.to_le_bytes());
    let mut objects = vec![(code_at, certificate.code.clone()), (stack_at, stack)];
    let (mut arrays, mut expected) = (vec![Vec::new(); 5], Vec::new());
    // Streams of one length, of similar lengths, or of any.
    let common = random.below(300);
    for stream in 0..streams as u64 {
        let key = secrets.bytes(4 * (usize::from(contract.rounds) - 6));
        let keys = key_schedule(&key);
        let length = match random.below(3) {
            0 => random.below(300),
            1 => common + random.below(40),
            _ => common,
        };
        let (text, iv) = (secrets.bytes(length as usize), secrets.bytes(16));
        let mut base =
            |room: u64| ((random.below(1 << 20) + room) << 24) + (stream << 60) + 16 * random.below(8);
        let (key_at, iv_at, in_at, mut out_at) =
            (base(1 << 21), base(1 << 22), base(1 << 23) + 3, base(1 << 24));
        objects.push((key_at, keys.iter().flat_map(|key| key.to_le_bytes()).collect()));
        objects.push((iv_at, iv.clone()));
        objects.push((in_at, text.clone()));
        if random.below(2) == 0 {
            out_at = in_at;
        } else {
            objects.push((out_at, vec![0xa5; text.len()]));
        }
        for (array, value) in arrays.iter_mut().zip([key_at, iv_at, in_at, out_at, length]) {
            array.extend(value.to_le_bytes());
        }
        let chain = iv.iter().rev().fold(0, |value, &byte| value << 8 | u128::from(byte));
        expected.push((out_at, iv_at, message(contract.mode, false, &keys, chain, &text)));
    }
    let mut general: [u64; 16] = std::array::from_fn(|_| secrets.next());
    general[4] = stack_at + STACK as u64 - 8;
    for (number, (array, register)) in arrays.into_iter().zip(ARGUMENTS).enumerate() {
        general[usize::from(register)] = (0x7f << 48) + ((number as u64) << 24) + 8;
        objects.push((general[usize::from(register)], array));
    }
    let before = general;
    let mut domain = Concrete { objects, seen: Vec::new() };
    let vectors = std::array::from_fn(|_| std::array::from_fn(|_| u128::from(secrets.next()) << 64));
    let flags = Flags { carry: None, zero: None, is_secret: false };
    let masks = std::array::from_fn(|_| secrets.next());
    let mut registers = Registers { general, vectors, masks, signs: Default::default(), flags };
    run(certificate, &mut domain, &mut registers)?;
    for (stream, (out_at, iv_at, (text, chain))) in expected.into_iter().enumerate() {
        if domain.place(out_at, text.len())?.to_vec() != text || domain.load_lane(&iv_at)? != chain {
            return Err(format!("wrong output or IV of stream {stream}"));
        }
    }
    let is_kept = |register: u8| before[usize::from(register)] == registers.general[usize::from(register)];
    if !SAVED.into_iter().all(is_kept) || domain.load(&before[4], 8)? != 0x1234_5678 {
        return Err("what belongs to the caller is changed".into());
    }
    Ok(domain.seen)
}
