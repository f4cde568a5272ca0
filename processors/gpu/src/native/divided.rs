//! A text in GPU memory as several streams: arrays with one element per stream, which kernels of several
//! streams take.

use aesmith_cipher::firmware::Firmware;
use aesmith_processor::grid::card::Stream;
use aesmith_processor::grid::launch::Arrays;

use super::context::{Context, Memory};

/// The arrays in GPU memory.
pub(super) struct Divided<'c> {
    keys: Memory<'c>,
    ivs: Memory<'c>,
    input: Memory<'c>,
    output: Memory<'c>,
    blocks: Memory<'c>,
    count: u64,
}

impl<'c> Divided<'c> {
    /// The arrays for the first `blocks` blocks of a text that consists of these streams, one after the other;
    /// `input` and `output` are the addresses of the text and of the result.
    pub fn new(
        context: &'c Context<'c>,
        contract: &Firmware,
        streams: &[Stream],
        blocks: u64,
        (input, output): (u64, u64),
    ) -> Result<Divided<'c>, String> {
        let all: u64 = streams.iter().map(|stream| stream.blocks).sum();
        if all < blocks {
            return Err(format!("the streams of a text of {blocks} blocks have {all}"));
        }
        let mut at = 0;
        let here: Vec<(&Stream, u64, u64)> = streams
            .iter()
            .map(|stream| {
                let begin = at;
                at = blocks.min(at + stream.blocks);
                (stream, begin, at - begin)
            })
            .collect();
        let array = |bytes: Vec<u8>| -> Result<Memory<'c>, String> {
            let memory = Memory::new(context, bytes.len().max(16))?;
            memory.write(&bytes)?;
            Ok(memory)
        };
        let numbers = |of: &dyn Fn(u64, u64) -> u64| {
            array(here.iter().flat_map(|(_, begin, count)| of(*begin, *count).to_le_bytes()).collect())
        };
        Ok(Divided {
            keys: array(streams.iter().flat_map(|stream| contract.key_bytes(&stream.key)).collect())?,
            ivs: array(streams.iter().flat_map(|stream| stream.iv).collect())?,
            input: numbers(&|begin, _| input + 16 * begin)?,
            output: numbers(&|begin, _| output + 16 * begin)?,
            blocks: numbers(&|_, count| count)?,
            count: streams.len() as u64,
        })
    }

    /// The addresses of the arrays.
    pub fn arrays(&self) -> Arrays {
        Arrays {
            keys: self.keys.address,
            ivs: self.ivs.address,
            input: self.input.address,
            output: self.output.address,
            blocks: self.blocks.address,
            count: self.count,
        }
    }
}
