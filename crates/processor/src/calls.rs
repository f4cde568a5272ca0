//! A kernel's call, by its contract: addresses of key, IV, text and result, arguments, and the memory that the cipher
//! requires afterwards.

use aesmith_cipher::block::Block;
use aesmith_cipher::firmware::Firmware;
use aesmith_cipher::mode::Role;
use aesmith_cipher::modes::message;
use aesmith_isa::image::Image;
use rand::Rng;
use rand_chacha::ChaCha8Rng;

use crate::core::Core;
use aesmith_judge::judge::Call;

/// Addresses of the buffers of a kernel's call, as addresses of an image.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Layout {
    data: u64,
    contract: Firmware,
    key: u64,
    iv: u64,
    input: u64,
    output: u64,
    /// Maximum number of blocks of a call.
    pub most: usize,
}

/// Longest message in blocks, if memory allows: long enough that the fixed costs of a call are a small part, short
/// enough for RTL.
const LONGEST: usize = 32;
/// Minimum number of bytes left to the stack.
const STACK: u64 = 160;

/// The call's data.
#[derive(Clone, Debug)]
pub struct Given {
    /// The cipher key.
    pub key: Vec<u8>,
    /// IV or counter, if the problem has one.
    pub iv: Block,
    /// Whole blocks.
    pub input: Vec<u8>,
    /// True if the result overwrites the input.
    pub in_place: bool,
}

/// A call, and the memory that [`Call::reads`] must show after it.
#[derive(Clone, Debug)]
pub struct Expected {
    /// The call.
    pub call: Call,
    /// Expected contents of the memory that is read.
    pub memory: Vec<Vec<u8>>,
}

impl Layout {
    /// The layout for a contract, above the data of its program.
    pub fn new(core: &Core, image: &Image, contract: Firmware) -> Result<Layout, String> {
        let area = core.buffers..core.stack_top;
        let above = image.segments.iter().filter(|s| s.address < area.end && s.end() > area.start);
        let key = above.map(|s| s.end()).fold(area.start, u64::max).next_multiple_of(16);
        let iv = (key + contract.key_size() as u64).next_multiple_of(16);
        let input = iv + 16;
        let room = area.end.saturating_sub(STACK).saturating_sub(input) / 32;
        let most = if contract.counts_blocks() { (room as usize).min(LONGEST) / 4 * 4 } else { 0 };
        let most = most.max(usize::from(contract.blocks));
        if room < most.max(2) as u64 {
            return Err(format!(
                "the memory of {} has no room for its key, {most} blocks and the stack",
                core.name
            ));
        }
        let output = input + 16 * most as u64;
        Ok(Layout { data: (core.isa)().about.data, contract, key, iv, input, output, most })
    }

    /// Ranges of memory that a kernel may access, with `true` if it may write there: its buffers, its tables, its
    /// stack.
    pub fn allowed(&self, core: &Core, image: &Image, stack: u64) -> Vec<(u64, u64, bool)> {
        let schedule = !self.contract.problem.is_message();
        let text = 16 * self.most.max(2) as u64;
        let mut ranges = vec![
            (self.key, self.key + self.contract.key_size() as u64, schedule),
            (self.iv, self.iv + 16, true),
            // A key schedule's cipher key occupies the text buffer.
            (self.input, self.input + text, !schedule),
            (self.output, self.output + text, !schedule),
            (core.stack_top - stack.max(STACK), core.stack_top + 64, true),
        ];
        ranges.extend(image.segments.iter().map(|s| (s.address, s.end(), false)));
        ranges
    }

    /// The call with this data.
    pub fn call(&self, given: &Given) -> Expected {
        let key = self.contract.key_bytes(&given.key);
        let length = given.input.len();
        let output = if given.in_place { self.input } else { self.output };
        let at = |address: u64| (address - self.data) as u32;
        let arguments = self.contract.arguments().map(|argument| match argument.role {
            Role::Key => at(self.key),
            Role::Iv => at(self.iv),
            // A key schedule's cipher key occupies the text buffer.
            Role::Input | Role::CipherKey => at(self.input),
            Role::Output => at(output),
            Role::Length => (length / 16) as u32,
        });
        let mut call = Call { arguments: arguments.collect(), ..Call::default() };
        if !self.contract.problem.is_message() {
            call.writes = vec![(self.key, vec![0xa5; key.len()]), (self.input, given.key.clone())];
            call.reads = vec![(self.key, key.len()), (self.input, given.key.len())];
            return Expected { call, memory: vec![key, given.key.clone()] };
        }
        let (result, iv) = self.message(given);
        call.writes = vec![(self.key, key.clone()), (self.input, given.input.clone())];
        call.reads = vec![(self.key, key.len()), (output, length)];
        let mut memory = vec![key, result];
        if !given.in_place {
            call.writes.push((output, vec![0x5a; length]));
            call.reads.push((self.input, length));
            memory.push(given.input.clone());
        }
        if self.contract.problem.has_iv() {
            call.writes.push((self.iv, given.iv.to_vec()));
            call.reads.push((self.iv, 16));
            memory.push(iv.to_vec());
        }
        Expected { call, memory }
    }

    fn message(&self, given: &Given) -> (Vec<u8>, Block) {
        message(self.contract.problem, &given.key, given.iv, &given.input)
    }
}

/// Random data for a call of `least` to `most` blocks. Counters are often about to carry.
pub fn random_call(random: &mut ChaCha8Rng, contract: Firmware, least: usize, most: usize) -> Given {
    let mut key = vec![0; contract.problem.key.bytes()];
    random.fill(&mut key[..]);
    let mut iv: [u8; 16] = random.random();
    let carries = random.random_range(0..=16);
    if random.random_bool(0.25) {
        iv[16 - carries..].fill(0xff);
    }
    let blocks = if contract.counts_blocks() { random.random_range(least..=most) } else { least };
    let mut input = vec![0; 16 * blocks];
    random.fill(&mut input[..]);
    Given { key, iv, input, in_place: random.random_bool(0.5) }
}

/// The next cipher key in a Monte-Carlo test of key schedules: the end of the expanded key.
pub fn next_key(contract: &Firmware, key: &[u8]) -> Vec<u8> {
    let bytes = contract.round_keys(key).concat();
    bytes[bytes.len() - contract.problem.key.bytes()..].to_vec()
}
