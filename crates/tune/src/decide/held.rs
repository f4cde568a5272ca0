//! Results of kernels on a card, checked against the cipher: blocks at the beginning, the end and random
//! places against `aesmith-cipher`, all others against the first kernel's result, which may itself lack one
//! of them.

use aesmith_arrange::Variant;
use aesmith_cipher::mode::Next;
use aesmith_cipher::modes::message;
use aesmith_cipher::{Block, Problem};
use aesmith_processor::grid::card::{Given, Session, Stream};
use rand::Rng;
use rand_chacha::ChaCha8Rng;

/// Number of blocks checked at each end, and at random places between.
const ENDS: usize = 1024;
const BETWEEN: usize = 2048;
/// Blocks of each stream if the text consists of several; the last has the rest, which may be none.
const A_STREAM: usize = 256;
/// Bytes that are read from a card at once.
const PIECE: usize = 16 << 20;

/// A text with its key, and the known part of its result.
pub(super) struct Held {
    problem: Problem,
    key: Vec<u8>,
    iv: [u8; 16],
    /// The streams of the text, one after the other, for kernels of several streams.
    streams: Vec<Stream>,
    text: Vec<u8>,
    /// Indices of checked blocks with their expected values.
    wanted: Vec<(usize, Block)>,
    /// The result of the first kernel, once it is checked.
    result: Option<Vec<u8>>,
}

/// The counter `by` blocks later.
fn counter(iv: [u8; 16], by: u64) -> [u8; 16] {
    u128::from_be_bytes(iv).wrapping_add(by.into()).to_be_bytes()
}

impl Held {
    /// A random text whose counters carry into their upper halves on the way; or one of several streams, each
    /// with its own key.
    pub fn new(problem: Problem, blocks: usize, of_streams: bool, random: &mut ChaCha8Rng) -> Held {
        let mut key = vec![0; problem.key.bytes()];
        random.fill(&mut key[..]);
        let mut iv: [u8; 16] = random.random();
        let half = (blocks as u64 / 2).wrapping_neg();
        iv[8..].copy_from_slice(&half.to_be_bytes());
        let mut text = vec![0; 16 * blocks];
        random.fill(&mut text[..]);
        let lengths = (0..=blocks / A_STREAM).map(|number| A_STREAM.min(blocks - number * A_STREAM));
        let mut stream = |blocks: usize| {
            let mut key = vec![0; problem.key.bytes()];
            random.fill(&mut key[..]);
            Stream { key, iv: random.random(), blocks: blocks as u64 }
        };
        let streams = if of_streams { lengths.map(&mut stream).collect() } else { Vec::new() };
        let ends = ENDS.min(blocks);
        let between = (0..BETWEEN).map(|_| random.random_range(0..blocks));
        let mut places: Vec<usize> = (0..ends).chain(blocks - ends..blocks).chain(between).collect();
        places.sort_unstable();
        places.dedup();
        let mut held = Held { problem, key, iv, streams, text, wanted: Vec::new(), result: None };
        held.wanted = places.into_iter().map(|place| (place, held.block(place, 0))).collect();
        held
    }

    pub fn text(&self) -> &[u8] {
        &self.text
    }

    pub fn streams(&self) -> &[Stream] {
        &self.streams
    }

    pub fn given(&self) -> Given<'_> {
        Given { key: &self.key, iv: self.iv }
    }

    /// Number of blocks that are checked against the cipher.
    pub fn checked(&self) -> usize {
        self.wanted.len()
    }

    /// The expected result of block `place` when `before` blocks precede the text.
    fn block(&self, place: usize, before: u64) -> Block {
        let next = self.problem.mode().next();
        let (key, iv, begin) = match self.streams.get(place / A_STREAM) {
            Some(stream) => (&stream.key, stream.iv, place / A_STREAM * A_STREAM),
            None => (&self.key, self.iv, 0),
        };
        let iv = match next {
            Next::Text if place > begin => std::array::from_fn(|k| self.text[16 * (place - 1) + k]),
            Next::Output => iv,
            _ => counter(iv, before + (place - begin) as u64),
        };
        // If blocks depend on each other, the earlier blocks of the stream are computed, too.
        let from = if next == Next::Output { begin } else { place };
        let result = message(self.problem, key, iv, &self.text[16 * from..16 * place + 16]).0;
        std::array::from_fn(|k| result[16 * (place - from) + k])
    }

    /// Checks a kernel's result.
    ///
    /// # Errors
    /// The result is wrong, or cannot be read.
    pub fn check(&mut self, session: &mut dyn Session, variant: &Variant, when: &str) -> Result<(), String> {
        let mut result = vec![0; self.text.len()];
        for (piece, bytes) in result.chunks_mut(PIECE).enumerate() {
            session.read(piece * PIECE, bytes)?;
        }
        let wrong = |place: usize| {
            format!(
                "`{variant}` has another result than the cipher in block {place} of {}, {when}. The text is proved: the card, its \
                 driver or the driver's translator is at fault, and nothing is delivered",
                self.text.len() / 16
            )
        };
        if let Some((place, _)) =
            self.wanted.iter().find(|(place, block)| result[16 * place..16 * place + 16] != *block)
        {
            return Err(wrong(*place));
        }
        let Some(first) = &self.result else {
            self.result = Some(result);
            return Ok(());
        };
        // Comparing everything at once takes a tenth of the time.
        if *first == result {
            return Ok(());
        }
        match first.chunks(16).zip(result.chunks(16)).position(|(a, b)| a != b) {
            None => Ok(()),
            Some(place) if result[16 * place..16 * place + 16] == self.block(place, 0) => Err(format!(
                "the first kernel has another result than the cipher in block {place}, which `{variant}` has right, {when}: the \
                 card, its driver or the driver's translator is at fault, and nothing is delivered"
            )),
            Some(place) => Err(wrong(place)),
        }
    }

    /// Checks the beginning of a result whose text follows `before` other blocks against the cipher: some of
    /// its blocks, including the first and the last.
    ///
    /// # Errors
    /// The result is wrong.
    pub(crate) fn check_part(
        &self,
        before: u64,
        output: &[u8],
        variant: &Variant,
        when: &str,
    ) -> Result<(), String> {
        let blocks = output.len() / 16;
        let ends = [0, blocks.saturating_sub(1)];
        let places = ends.into_iter().chain(self.wanted.iter().map(|(place, _)| *place));
        let wrong = places
            .filter(|place| *place < blocks)
            .find(|&place| output[16 * place..16 * place + 16] != self.block(place, before));
        match wrong {
            None => Ok(()),
            Some(place) => Err(format!(
                "`{variant}` has another result than the cipher in block {place}, {when}: the card, its driver or the driver's \
                 translator is at fault, and nothing is delivered"
            )),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use aesmith_x86::dimensions;
    use rand::SeedableRng;

    /// A fake card that leaves a given result.
    struct Leaves(Vec<u8>);

    impl Session for Leaves {
        fn write(&mut self, _: &[u8]) -> Result<(), String> {
            Ok(())
        }
        fn divide(&mut self, _: &[Stream]) -> Result<(), String> {
            Ok(())
        }
        fn clear(&mut self, _: u8) -> Result<(), String> {
            Ok(())
        }
        fn launch(
            &mut self,
            _: usize,
            _: u32,
            _: &Given,
        ) -> Result<aesmith_processor::grid::card::Timed, String> {
            Err("is not asked".into())
        }
        fn read(&mut self, at: usize, bytes: &mut [u8]) -> Result<(), String> {
            bytes.copy_from_slice(&self.0[at..at + bytes.len()]);
            Ok(())
        }
        fn streamed(
            &mut self,
            _: usize,
            _: u32,
            _: &[u8],
            _: &Given,
        ) -> Result<aesmith_processor::grid::card::Streamed, String> {
            Err("is not asked".into())
        }
    }

    #[test]
    fn a_wrong_bit_is_found_wherever_it_is() {
        let mut random = ChaCha8Rng::seed_from_u64(3);
        for name in ["aes128-ctr", "aes256-ecb-dec", "aes128-cbc-dec"] {
            let (problem, blocks): (Problem, _) = (name.parse().expect("a problem"), 20_000);
            let mut held = Held::new(problem, blocks, false, &mut random);
            let variant = dimensions::variant("aes128-ctr technique=aes").expect("a variant");
            let right = message(problem, &held.key, held.iv, &held.text).0;
            held.check(&mut Leaves(right.clone()), &variant, "first").expect("is right");
            held.check(&mut Leaves(right.clone()), &variant, "again").expect("is right");
            assert!(held.checked() > 3500);
            let unseen =
                (0..blocks).find(|at| held.wanted.iter().all(|(place, _)| place != at)).expect("one");
            for place in [0, ENDS - 1, blocks / 2, blocks - 1, unseen] {
                let mut wrong = right.clone();
                wrong[16 * place + 15] ^= 0x80;
                let said = held.check(&mut Leaves(wrong), &variant, "later").expect_err("is wrong");
                assert!(said.contains(&format!("in block {place} of 20000, later")), "{said}");
            }
            // A block that was not checked in the first result, and that another kernel computes correctly.
            held.result.as_mut().expect("one")[16 * unseen] ^= 1;
            let said = held.check(&mut Leaves(right.clone()), &variant, "later").expect_err("is wrong");
            assert!(
                said.contains(&format!(
                    "the first kernel has another result than the cipher in block {unseen}"
                ))
            );
            held.check_part(0, &right[..1600], &variant, "in part").expect("is right");
            let said = held.check_part(1, &right[..1600], &variant, "in part");
            assert_eq!(said.is_err(), problem.has_iv(), "{said:?}");
            let mut wrong = right[..1600].to_vec();
            wrong[1599] ^= 1;
            assert!(
                held.check_part(0, &wrong, &variant, "in part")
                    .expect_err("is wrong")
                    .contains("block 99, in part")
            );
        }
    }

    /// The result of streams is that of each stream by itself, and a key or an initial vector of another
    /// stream is detected.
    #[test]
    fn streams_are_held_against_the_cipher_each_by_itself() {
        let mut random = ChaCha8Rng::seed_from_u64(5);
        for (name, blocks) in [("aes128-ecb", 5000), ("aes256-cbc", 5 * A_STREAM)] {
            let problem: Problem = name.parse().expect("a problem");
            let mut held = Held::new(problem, blocks, true, &mut random);
            assert_eq!(held.streams.iter().map(|stream| stream.blocks).sum::<u64>(), blocks as u64);
            assert_eq!(held.streams.last().expect("one").blocks, (blocks % A_STREAM) as u64);
            let result = |held: &Held, wrong: usize| -> Vec<u8> {
                let texts = held.text.chunks(16 * A_STREAM).zip(&held.streams).enumerate();
                let one = |(number, (text, stream)): (usize, (&[u8], &Stream))| {
                    let by = if number == wrong { &held.streams[0] } else { stream };
                    message(problem, &by.key, by.iv, text).0
                };
                texts.flat_map(one).collect()
            };
            let variant = dimensions::variant("aes128-ctr technique=aes").expect("a variant");
            let right = result(&held, 0);
            held.check(&mut Leaves(right.clone()), &variant, "first").expect("is right");
            held.check_part(7, &right[..16 * 300], &variant, "in part").expect("is right");
            let wrong = result(&held, 2);
            let said = held.check(&mut Leaves(wrong), &variant, "later").expect_err("is wrong");
            assert!(said.contains(&format!("in block {} of {blocks}", 2 * A_STREAM)), "{said}");
        }
    }
}
