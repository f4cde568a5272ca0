//! Compiled C against the oracle: every length to four times the group, carries of the counter, in place and apart,
//! chained calls.

use aesmith_arrange::Technique;
use aesmith_cipher::{Block, Direction, Problem, Task, block, contract, modes};
use aesmith_x86::dimensions;
use libloading::Library;
use std::ffi::c_void;
use std::path::PathBuf;
use std::process::Command;

/// Compilers to try; missing ones are skipped.
pub const COMPILERS: &[&str] = &["gcc", "clang"];
const LONGEST: usize = 9000;

/// A small deterministic generator (xorshift, Marsaglia 2003).
pub struct Random(pub u64);

impl Random {
    pub fn below(&mut self, n: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % n
    }

    pub fn bytes(&mut self, n: usize) -> Vec<u8> {
        (0..n).map(|_| self.below(256) as u8).collect()
    }
}

/// Compiles a C file with these flags and loads it; `None` if there is no such compiler.
pub fn load(compiler: &str, flags: &[&str], name: &str, text: &str) -> Option<Library> {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("c-form");
    std::fs::create_dir_all(&folder).unwrap();
    let (source, library) = (folder.join(format!("{name}.c")), folder.join(format!("{name}-{compiler}.so")));
    std::fs::write(&source, text).unwrap();
    let mut command = Command::new(compiler);
    command.args(flags).arg("-o").arg(&library).arg(&source);
    let Ok(output) = command.output() else {
        println!("skipped: there is no {compiler}");
        return None;
    };
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && said.is_empty(), "{compiler} {}:\n{said}", source.display());
    // SAFETY: the library was just written by this test and has no initializers.
    Some(unsafe { Library::new(&library) }.unwrap())
}

pub fn key_structure(problem: Problem, key: &[u8]) -> Vec<u8> {
    let inverse = problem.key_schedule().task == Task::KeySchedule(Direction::Decrypt);
    let keys = if inverse {
        block::expand_key_inverse(problem.key, key)
    } else {
        block::expand_key(problem.key, key)
    };
    let mut bytes = keys.concat();
    bytes.resize(contract::TABLE_OFFSET, 0);
    for value in 0..=255 {
        bytes.extend(contract::table_entry(&keys[0], value));
    }
    bytes
}

/// One stream's key, IV and text, and the mode's result for the whole text.
pub struct Stream {
    structure: Vec<u8>,
    iv: Block,
    text: Vec<u8>,
    expected: Vec<u8>,
}

/// Streams for each initial vector that matters.
pub fn sets(problem: Problem, random: &mut Random) -> Vec<Vec<Stream>> {
    let ivs = ivs(random);
    let ivs = if problem.task == Task::Ctr { &ivs[..] } else { &ivs[..1] };
    ivs.iter().map(|iv| (0..problem.streams()).map(|_| stream(problem, *iv, random)).collect()).collect()
}

/// Checks a function that expands keys.
pub fn check_set_up(problem: Problem, what: &str, library: &Library, symbol: &str, random: &mut Random) {
    type SetUp = unsafe extern "C" fn(*mut u8, *const u8);
    // SAFETY: the symbol is a function of the file with this signature.
    let set_up = unsafe { library.get::<SetUp>(symbol) }.unwrap();
    for _ in 0..50 {
        let key = random.bytes(problem.key.bytes());
        let mut structure = [0u8; 256];
        // SAFETY: 256 bytes are written and the key's bytes read.
        unsafe { set_up(structure.as_mut_ptr(), key.as_ptr()) };
        let used = 16 * (problem.key.rounds() + 1);
        assert_eq!(structure[..used], key_structure(problem, &key)[..used], "{what}");
        assert!(structure[used..].iter().all(|b| *b == 0));
    }
}

fn stream(problem: Problem, iv: Block, random: &mut Random) -> Stream {
    let (key, text) = (random.bytes(problem.key.bytes()), random.bytes(LONGEST));
    let expected = modes::message(problem, &key, iv, &text).0;
    Stream { structure: key_structure(problem, &key), iv, text, expected }
}

impl Stream {
    /// The IV that a call over `len` bytes leaves behind.
    fn iv_after(&self, problem: Problem, len: usize) -> Block {
        let last = |text: &[u8]| text[len / 16 * 16 - 16..][..16].try_into().unwrap();
        match problem.task {
            Task::Ctr => u128::from_be_bytes(self.iv).wrapping_add(len.div_ceil(16) as u128).to_be_bytes(),
            Task::CbcEncrypt { .. } if len >= 16 => last(&self.expected),
            Task::CbcDecrypt if len >= 16 => last(&self.text),
            _ => self.iv,
        }
    }
}

/// Calls a compiled function, each stream over `lens[n]` bytes of its buffers.
fn call(
    problem: Problem,
    function: *const c_void,
    streams: &[Stream],
    ivs: &mut [Block],
    texts: (&[*const u8], &[*mut u8]),
    lens: &[usize],
) {
    type Ecb = unsafe extern "C" fn(*const u8, *const u8, *mut u8, usize);
    type Chained = unsafe extern "C" fn(*const u8, *mut u8, *const u8, *mut u8, usize);
    type Many = unsafe extern "C" fn(
        *const *const u8,
        *const *mut u8,
        *const *const u8,
        *const *mut u8,
        *const usize,
    );
    let (ins, outs) = texts;
    // SAFETY: the function was compiled with this signature, and every buffer has its length.
    unsafe {
        if streams.len() > 1 {
            let keys: Vec<*const u8> = streams.iter().map(|s| s.structure.as_ptr()).collect();
            let ivs: Vec<*mut u8> = ivs.iter_mut().map(|iv| iv.as_mut_ptr()).collect();
            let f: Many = std::mem::transmute(function);
            f(keys.as_ptr(), ivs.as_ptr(), ins.as_ptr(), outs.as_ptr(), lens.as_ptr());
        } else if problem.has_iv() {
            let f: Chained = std::mem::transmute(function);
            f(streams[0].structure.as_ptr(), ivs[0].as_mut_ptr(), ins[0], outs[0], lens[0]);
        } else {
            let f: Ecb = std::mem::transmute(function);
            f(streams[0].structure.as_ptr(), ins[0], outs[0], lens[0]);
        }
    }
}

/// Compares one message (or one for each stream), in calls of at most `cuts` bytes, with the oracle.
fn compare(
    problem: Problem,
    what: &str,
    function: *const c_void,
    streams: &[Stream],
    lens: &[usize],
    in_place: bool,
    cuts: usize,
) {
    const GUARD: usize = 64;
    let mut ivs: Vec<Block> = streams.iter().map(|s| s.iv).collect();
    let mut buffers: Vec<Vec<u8>> = streams
        .iter()
        .zip(lens)
        .map(|(s, &len)| {
            let mut buffer = vec![0xa5; len + 2 * GUARD];
            if in_place {
                buffer[GUARD..GUARD + len].copy_from_slice(&s.text[..len]);
            }
            buffer
        })
        .collect();
    let mut done = vec![0usize; lens.len()];
    loop {
        let parts: Vec<usize> = lens.iter().zip(&done).map(|(len, d)| (len - d).min(cuts)).collect();
        let mut outs: Vec<*mut u8> = Vec::new();
        for (buffer, d) in buffers.iter_mut().zip(&done) {
            outs.push(buffer[GUARD + d..].as_mut_ptr());
        }
        let ins: Vec<*const u8> = (0..lens.len())
            .map(|n| if in_place { outs[n].cast_const() } else { streams[n].text[done[n]..].as_ptr() })
            .collect();
        call(problem, function, streams, &mut ivs, (&ins, &outs), &parts);
        for (d, part) in done.iter_mut().zip(&parts) {
            *d += part;
        }
        if done == lens {
            break;
        }
    }
    for (n, stream) in streams.iter().enumerate() {
        let (len, place) = (lens[n], if in_place { "in place" } else { "apart" });
        let at = format!("{what}\n  stream {n}, {len} bytes, {place}, cuts of {cuts}, iv {:02x?}", stream.iv);
        let whole = if problem.task == Task::Ctr { len } else { len / 16 * 16 };
        let out = &buffers[n][GUARD..GUARD + len];
        if out[..whole] != stream.expected[..whole] {
            let byte = (0..whole).position(|i| out[i] != stream.expected[i]).unwrap();
            panic!("{at}: wrong from byte {byte}");
        }
        let untouched = if in_place { &stream.text[whole..len] } else { &vec![0xa5; len - whole][..] };
        assert!(&out[whole..] == untouched, "{at}: bytes behind the last block were written");
        let guards = buffers[n][..GUARD].iter().chain(&buffers[n][GUARD + len..]);
        assert!(guards.into_iter().all(|b| *b == 0xa5), "{at}: bytes outside the output were written");
        assert_eq!(ivs[n], stream.iv_after(problem, len), "{at}: the IV left behind");
    }
}

/// IVs whose counters carry into more and more bytes after a few blocks.
fn ivs(random: &mut Random) -> Vec<Block> {
    let mut ivs = Vec::new();
    for carried in [1, 2, 4, 5, 8, 16] {
        let mut iv: Block = random.bytes(16).try_into().unwrap();
        iv[16 - carried..].fill(0xff);
        iv[15] = 0xff - random.below(96) as u8;
        ivs.push(iv);
    }
    ivs
}

pub fn check(
    problem: Problem,
    what: &str,
    function: *const c_void,
    sets: &[Vec<Stream>],
    random: &mut Random,
) {
    let variant = dimensions::variant(what.split_once(": ").unwrap().1).unwrap();
    // Bit slicing in portable C processes 16 blocks at a time, whatever the variant says.
    let slices = if variant.technique == Technique::Bitsliced { 16 } else { 1 };
    let group = 16 * (usize::from(dimensions::factor(&variant)) * variant.lanes()).max(slices);
    let most = (4 * group).min(LONGEST);
    let step = if problem.task == Task::Ctr { 1 } else { 16 };
    let spread = |len: usize, n: usize| if n == 0 { len } else { (len + 272 * n) % (most + 1) };
    for len in (0..=most).step_by(step).chain([most / 16 * 16 + 5, LONGEST]) {
        // Every length in place or apart; streams sometimes have different lengths.
        let set = &sets[len % sets.len()];
        let different = len / step % 3 == 1;
        let lens: Vec<usize> = (0..set.len()).map(|n| if different { spread(len, n) } else { len }).collect();
        compare(problem, what, function, set, &lens, len / step % 2 == 0, usize::MAX);
    }
    for set in sets {
        for in_place in [false, true] {
            let len = LONGEST - random.below(100) as usize;
            let cuts = 16 * (1 + random.below(200) as usize);
            compare(problem, what, function, set, &vec![len; set.len()], in_place, usize::MAX);
            compare(problem, what, function, set, &vec![len; set.len()], in_place, cuts);
        }
    }
}
