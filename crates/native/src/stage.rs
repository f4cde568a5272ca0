//! Memory for calls: key structures, IVs, argument arrays and messages in guarded memory, laid out by the calling
//! contract of [`aesmith_cipher::contract`].

use aesmith_cipher::Problem;
use aesmith_cipher::contract::KEY_BYTES;
use aesmith_cipher::mode::{KeyPart, Next, Role, Unit};
use aesmith_cipher::modes::Chain;
use aesmith_cipher::problem::MOST_STREAMS;

use crate::buffer::Guarded;
use crate::enter::RING;
use crate::fault::JudgeError;
use crate::place::{Place, Spacing};
use crate::reference::{Reference, key_table, round_keys};

/// Bytes between the key structures of consecutive streams: 64-byte aligned, and no multiple of 4 KiB.
const KEY_STRIDE: usize = KEY_BYTES + 64;
/// Bytes watched before and after each output.
const CANARY: usize = 64;
const CANARY_BYTE: u8 = 0xa5;
/// Byte that outputs are filled with before each checked call.
const POISON: u8 = 0x5c;
/// Arguments of a peer, in order, in every mode; a peer has a context in place of the key.
const PEERS: [Role; 5] = [Role::Key, Role::Iv, Role::Input, Role::Output, Role::Length];

/// A kernel's arguments, given the value for each role.
fn arguments_of(problem: Problem, of: impl Fn(Role) -> u64) -> [u64; 5] {
    let roles = problem.mode().arguments;
    std::array::from_fn(|i| roles.get(i).map_or(0, |argument| of(argument.role)))
}

/// The data of one stream.
pub struct Stream {
    /// The cipher key.
    pub key: Vec<u8>,
    /// IV or counter block, and what is behind it.
    pub iv: Chain,
    /// The message.
    pub input: Vec<u8>,
    round_keys: Vec<u8>,
    reference: Reference,
}

impl Stream {
    /// A stream of `problem`.
    pub fn new(problem: Problem, key: Vec<u8>, iv: Chain, input: Vec<u8>) -> Self {
        let round_keys = round_keys(problem, &key);
        let reference = Reference::new(problem, &key);
        Stream { key, iv, input, round_keys, reference }
    }
}

/// The memory in which calls are made.
pub struct Stage {
    keys: Guarded,
    key_bytes: Guarded,
    ivs: Guarded,
    arrays: Guarded,
    inputs: Vec<Guarded>,
    outputs: Vec<Guarded>,
    scratch: Vec<u8>,
}

/// A prepared call: its arguments, and the location of its data.
pub struct Prepared {
    /// `rdi rsi rdx rcx r8`.
    pub arguments: [u64; 5],
    /// A peer's arguments, with the address of an IV even if the mode has none.
    pub(crate) five: [u64; 5],
    /// The second arguments that successive independent calls use, the call's own first: each is the address of an IV,
    /// or of an array of such addresses.
    ivs: [u64; RING],
    /// Address of the last eight bytes of the results.
    pub(crate) watched: u64,
    has_iv: bool,
    at: (Place, Spacing),
}

impl Prepared {
    /// The values of the second argument of successive calls of a kernel.
    pub(crate) fn ring(&self) -> [u64; RING] {
        if self.has_iv { self.ivs } else { [self.arguments[1]; RING] }
    }

    /// The values of the second argument of successive calls of a peer.
    pub(crate) fn peer_ring(&self) -> [u64; RING] {
        self.ivs
    }
}

impl Stage {
    /// Maps everything but the messages, which are mapped on first use.
    pub fn new() -> Result<Self, JudgeError> {
        Ok(Stage {
            keys: Guarded::new(MOST_STREAMS * KEY_STRIDE)?,
            key_bytes: Guarded::new(4096)?,
            ivs: Guarded::new(RING * MOST_STREAMS * 64)?,
            arrays: Guarded::new((4 + RING) * MOST_STREAMS * 8)?,
            inputs: Vec::new(),
            outputs: Vec::new(),
            scratch: Vec::new(),
        })
    }

    fn reserve(&mut self, streams: usize, len: usize) -> Result<(), JudgeError> {
        let wanted = len + 2 * 4096;
        for buffers in [&mut self.inputs, &mut self.outputs] {
            buffers.truncate(buffers.iter().take(streams).take_while(|b| b.capacity() >= wanted).count());
            while buffers.len() < streams {
                buffers.push(Guarded::new(wanted)?);
            }
        }
        Ok(())
    }

    /// Offsets of stream `i`'s input and output in their buffers.
    fn offsets(&self, (place, spacing): (Place, Spacing), i: usize, len: usize) -> (usize, usize) {
        let room = |buffers: &[Guarded]| buffers[i].capacity() - len;
        place.offsets(spacing, i, (room(&self.inputs), room(&self.outputs)))
    }

    /// Prepares a call of `problem`: keys, IVs, inputs, poisoned outputs and canaries.
    pub fn prepare(
        &mut self,
        problem: Problem,
        streams: &[Stream],
        place: Place,
        spacing: Spacing,
    ) -> Result<Prepared, JudgeError> {
        let keys = self.keys.at(0) as u64;
        if !problem.is_message() {
            let s = &streams[0];
            let structure = self.keys.bytes(0, KEY_STRIDE);
            structure.fill(CANARY_BYTE);
            if problem.mode().may_read(KeyPart::RoundKeys) {
                structure[..s.round_keys.len()].copy_from_slice(&s.round_keys);
            }
            let offset = self.key_bytes.capacity() - s.key.len();
            self.key_bytes.bytes(offset, s.key.len()).copy_from_slice(&s.key);
            let cipher_key = self.key_bytes.at(offset) as u64;
            let arguments =
                arguments_of(problem, |role| if role == Role::CipherKey { cipher_key } else { keys });
            return Ok(Prepared {
                arguments,
                five: arguments,
                ivs: [arguments[1]; RING],
                watched: keys + problem.written_key().end as u64 - 8,
                has_iv: false,
                at: (place, spacing),
            });
        }
        self.reserve(streams.len(), streams.iter().map(|s| s.input.len()).max().unwrap_or(0))?;
        let mut columns = [[0u64; MOST_STREAMS]; PEERS.len()];
        for (i, s) in streams.iter().enumerate() {
            let len = s.input.len();
            let structure = self.keys.bytes(i * KEY_STRIDE, KEY_BYTES);
            for part in problem.mode().reads {
                key_table(*part, &s.round_keys, &mut structure[part.bytes(problem.key)]);
            }
            let (input, output) = self.offsets((place, spacing), i, len);
            self.inputs[i].bytes(input, len).copy_from_slice(&s.input);
            let out = if place.is_in_place() { &mut self.inputs[i] } else { &mut self.outputs[i] };
            let (before, after) = canaries(out, output, len);
            out.bytes(before.0, before.1).fill(CANARY_BYTE);
            out.bytes(after.0, after.1).fill(CANARY_BYTE);
            if !place.is_in_place() {
                out.bytes(output, len).fill(POISON);
            }
            columns[0][i] = self.keys.at(i * KEY_STRIDE) as u64;
            columns[1][i] = self.ivs.at(i * 64) as u64;
            columns[2][i] = self.inputs[i].at(input) as u64;
            columns[3][i] = out_address(&self.inputs, &self.outputs, place, i, output);
            columns[4][i] = len as u64;
        }
        self.set_ivs(streams);
        let mut five: [u64; PEERS.len()] = std::array::from_fn(|c| columns[c][0]);
        if streams.len() > 1 {
            for (c, column) in columns.iter().enumerate() {
                let bytes: Vec<u8> = column.iter().flat_map(|v| v.to_le_bytes()).collect();
                self.arrays.bytes(c * 8 * MOST_STREAMS, 8 * MOST_STREAMS).copy_from_slice(&bytes);
                five[c] = self.arrays.at(c * 8 * MOST_STREAMS) as u64;
            }
        }
        let ivs = self.ring_of_ivs(streams.len(), five[1]);
        let last = streams.len() - 1;
        let watched = columns[3][last] + columns[4][last].saturating_sub(8);
        let of = |role| PEERS.iter().position(|r| *r == role).map_or(0, |c| five[c]);
        let arguments = arguments_of(problem, of);
        Ok(Prepared { arguments, five, ivs, watched, has_iv: problem.has_iv(), at: (place, spacing) })
    }

    /// Second arguments for successive calls, each with IVs of its own; the first is the call's own.
    fn ring_of_ivs(&mut self, streams: usize, own: u64) -> [u64; RING] {
        std::array::from_fn(|turn| match (turn, streams) {
            (0, _) => own,
            (_, 1) => self.ivs.at(turn * 64) as u64,
            _ => {
                let addresses: Vec<u8> = (0..streams)
                    .flat_map(|i| (self.ivs.at((turn * streams + i) * 64) as u64).to_le_bytes())
                    .collect();
                let at = (4 + turn) * 8 * MOST_STREAMS;
                self.arrays.bytes(at, addresses.len()).copy_from_slice(&addresses);
                self.arrays.at(at) as u64
            }
        })
    }

    /// Resets the IVs to those of the streams, and gives the other calls of a sample different ones: in counter mode,
    /// other positions in the 256 blocks between two carries.
    pub(crate) fn set_ivs(&mut self, streams: &[Stream]) {
        for turn in 0..RING {
            for (i, s) in streams.iter().enumerate() {
                let mut iv = s.iv;
                iv[0] ^= turn as u8;
                iv[15] = iv[15].wrapping_add((turn * 256 / RING) as u8);
                self.ivs.bytes((turn * streams.len() + i) * 64, iv.len()).copy_from_slice(&iv);
            }
        }
    }

    /// Prepares the call again after it was made: IVs, poison, and in-place inputs.
    pub fn again(&mut self, streams: &[Stream], prepared: &Prepared) {
        self.set_ivs(streams);
        if self.inputs.len() < streams.len() {
            return;
        }
        for (i, s) in streams.iter().enumerate() {
            let (input, output) = self.offsets(prepared.at, i, s.input.len());
            if prepared.at.0.is_in_place() {
                self.inputs[i].bytes(input, s.input.len()).copy_from_slice(&s.input);
            } else {
                self.outputs[i].bytes(output, s.input.len()).fill(POISON);
            }
        }
    }

    /// Checks that the prepared call, once made, wrote the right results and left everything else alone.
    ///
    /// The error tells if bytes outside the output were written, and describes the fault.
    pub fn verify(
        &mut self,
        problem: Problem,
        streams: &[Stream],
        prepared: &Prepared,
    ) -> Result<(), (bool, String)> {
        self.verify_but_iv(problem, streams, prepared, false)
    }

    /// Like `verify`, but ignores the IV left behind if `keeps_iv` (peers keep it elsewhere).
    pub(crate) fn verify_but_iv(
        &mut self,
        problem: Problem,
        streams: &[Stream],
        prepared: &Prepared,
        keeps_iv: bool,
    ) -> Result<(), (bool, String)> {
        if !problem.is_message() {
            return self.verify_key_set_up(problem, &streams[0]);
        }
        for (i, s) in streams.iter().enumerate() {
            let len = s.input.len();
            let name = |text: String| if streams.len() > 1 { format!("stream {i}: {text}") } else { text };
            if self.keys.bytes(i * KEY_STRIDE, s.round_keys.len()) != s.round_keys {
                return Err((true, name("the round keys were overwritten".into())));
            }
            let (input, output) = self.offsets(prepared.at, i, len);
            let apart = !prepared.at.0.is_in_place();
            if apart && self.inputs[i].bytes(input, len) != s.input {
                return Err((true, name("the input was overwritten".into())));
            }
            let out = if apart { &mut self.outputs[i] } else { &mut self.inputs[i] };
            let (before, after) = canaries(out, output, len);
            for (side, (at, count)) in [("before", before), ("after", after)] {
                if let Some(hit) = out.bytes(at, count).iter().position(|&b| b != CANARY_BYTE) {
                    let distance = if side == "before" { count - hit } else { hit + 1 };
                    let text = format!("byte {distance} {side} the output of {len} bytes was written");
                    return Err((true, name(text)));
                }
            }
            let iv_after = Chain::try_from(&*self.ivs.bytes(i * 64, s.iv.len())).expect("as many bytes");
            if iv_after[problem.mode().iv_bytes()..] != s.iv[problem.mode().iv_bytes()..] {
                return Err((true, name("bytes behind the IV were written".into())));
            }
            let bytes = out.bytes(output, len);
            if problem.mode().unit == Unit::Block {
                let rest = &bytes[len / 16 * 16..];
                let kept =
                    if apart { rest.iter().all(|&b| b == POISON) } else { rest == &s.input[len / 16 * 16..] };
                if !kept {
                    return Err((
                        true,
                        name(format!("the {} bytes after the last whole block were written", rest.len())),
                    ));
                }
            }
            let mut before = s.iv;
            if keeps_iv && problem.mode().next() == Next::Counter32 {
                // A peer begins a message, whose text has the counters from 2 on (SP 800-38D, 7.1).
                before[12..16].copy_from_slice(&[0, 0, 0, 2]);
            }
            s.reference
                .verify(
                    problem.mode(),
                    before,
                    &s.input,
                    bytes,
                    (!keeps_iv).then_some(iv_after),
                    &mut self.scratch,
                )
                .map_err(|text| (false, name(text)))?;
        }
        Ok(())
    }

    fn verify_key_set_up(&mut self, problem: Problem, stream: &Stream) -> Result<(), (bool, String)> {
        let mut wanted = vec![CANARY_BYTE; KEY_STRIDE];
        wanted[..stream.round_keys.len()].copy_from_slice(&stream.round_keys);
        let results = problem.written_key();
        if let Some(part) = problem.mode().writes {
            key_table(part, &stream.round_keys, &mut wanted[results.clone()]);
        }
        let structure = self.keys.bytes(0, KEY_STRIDE);
        match structure.iter().zip(&wanted).position(|(a, b)| a != b) {
            None => Ok(()),
            Some(at) if results.contains(&at) => {
                Err((false, format!("byte {at} of the key structure differs from the reference")))
            }
            Some(at) => Err((true, format!("byte {at} of the key structure was written"))),
        }
    }

    /// Names the buffer whose guard page holds `address`.
    pub fn beyond(&self, address: u64) -> Option<String> {
        let named = [
            ("key structures", &self.keys),
            ("key bytes", &self.key_bytes),
            ("IVs", &self.ivs),
            ("argument arrays", &self.arrays),
        ];
        let messages =
            self.inputs.iter().map(|b| ("input", b)).chain(self.outputs.iter().map(|b| ("output", b)));
        named.into_iter().chain(messages).find_map(|(name, buffer)| {
            buffer.beyond(address).map(|by| match by {
                ..0 => format!("{} bytes before the {name}", -by),
                _ => format!("{} bytes past the end of the {name}", by + 1),
            })
        })
    }
}

fn out_address(inputs: &[Guarded], outputs: &[Guarded], place: Place, i: usize, offset: usize) -> u64 {
    let buffer = if place.is_in_place() { &inputs[i] } else { &outputs[i] };
    buffer.at(offset) as u64
}

/// Offset and length of the bytes that are watched before and after `offset .. offset + len`.
fn canaries(buffer: &Guarded, offset: usize, len: usize) -> ((usize, usize), (usize, usize)) {
    let before = offset.min(CANARY);
    let end = offset + len;
    ((offset - before, before), (end, (buffer.capacity() - end).min(CANARY)))
}
