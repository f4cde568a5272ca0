//! Check that the blocks of text that threads take are all blocks, each once: numbers in a mixed radix whose digits are
//! the bits of a thread's number, the block within its iteration, the block of threads and the iteration. The same for
//! streams.

use crate::grid::index::{Form, Symbol};

/// The constant distance of numbers of blocks, which ascend from 0.
fn step(numbers: &[u64]) -> Option<u64> {
    let [0, rest @ ..] = numbers else { return None };
    let step = rest.first().copied().unwrap_or(1);
    (0..).zip(numbers).all(|(k, &number): (u64, _)| number == k * step).then_some(step)
}

/// Checks that the streams of threads whose numbers have `bits` bits are all streams, each once, over all threads and
/// blocks of threads. Returns how many bits of a thread's number distinguish the threads of a stream; the other bits,
/// and the block, are digits of the stream's number.
///
/// # Errors
/// They are not all streams once.
pub(crate) fn is_every_stream(stream: &Form, bits: u8) -> Result<u8, String> {
    let lanes = (0..bits).take_while(|&bit| stream.factor(Symbol::Bit(bit)) == 0).count() as u8;
    let digits = (lanes..bits).map(|bit| (Symbol::Bit(bit), 1u64 << (bit - lanes)));
    let wanted = digits.chain([(Symbol::Block, 1 << (bits - lanes))]);
    let wanted = wanted.fold(Form::default(), |sum, (symbol, by)| sum.plus(&Form::of(symbol, by), 1));
    if *stream == wanted {
        Ok(lanes)
    } else {
        Err(format!("streams of numbers `{stream}` are not every stream once"))
    }
}

/// Checks that the numbers that a thread takes in an iteration are every number once, over all threads, blocks of
/// threads and iterations. `bits` are the bits of the thread's number. Each taken number is a sum; they may differ by
/// constants only. With `alone`, blocks of threads share nothing: these bits are of threads of one stream, which take
/// all of its blocks.
///
/// # Errors
/// They are not every number once; the message says why.
pub(crate) fn is_every_number(taken: &[Form], bits: &[u8], alone: bool) -> Result<(), String> {
    let first = taken.first().ok_or("no block of text is written in a turn")?;
    let mut apart = Vec::new();
    for form in taken {
        let rest = form.minus(first);
        let number = rest.factor(Symbol::One);
        if rest != Form::number(number) {
            return Err(format!("blocks `{first}` and `{form}` of a turn are apart by no number"));
        }
        apart.push(form.factor(Symbol::One));
    }
    apart.sort_unstable();
    let step =
        step(&apart).ok_or_else(|| format!("blocks of a turn stand unevenly, or none first: `{first}`"))?;
    // Digits: the factor of each, and its number of values.
    let mut digits: Vec<(u64, u64)> = bits.iter().map(|&k| (first.factor(Symbol::Bit(k)), 2)).collect();
    digits.push((step, taken.len() as u64));
    digits.retain(|&(_, count)| count > 1);
    digits.sort_unstable();
    let mut next = 1;
    for (by, count) in digits {
        if by != next {
            return Err(format!(
                "of numbers `{first}` none begins with {next} threads or blocks below it, but with {by}"
            ));
        }
        next *= count;
    }
    let above: &[Symbol] = if alone { &[Symbol::Steps] } else { &[Symbol::Block, Symbol::Turns] };
    for &symbol in above {
        if first.factor(symbol) != next {
            let by = first.factor(symbol);
            return Err(format!(
                "a block of threads takes {next} blocks of text a turn, and the next begins {by} on"
            ));
        }
    }
    // Numbers counted from the multiple of 256 before the first counter are every number from there on.
    let known = |(symbol, by): (Symbol, u64)| match symbol {
        Symbol::Low => !alone && by == u64::MAX,
        Symbol::Bit(bit) => bits.contains(&bit),
        Symbol::One => true,
        symbol => above.contains(&symbol),
    };
    if first.terms().all(known) { Ok(()) } else { Err(format!("`{first}` is no number of a block of text")) }
}

/// Checks that ranges of blocks of text, each from a number to before another or to the end of the text, are the whole
/// text, each block once: each range begins where another ends.
///
/// # Errors
/// They are not the whole text once; the message says why.
pub(crate) fn is_whole(parts: &[(Form, Option<Form>)]) -> Result<(), String> {
    let (mut left, mut from) = (parts.to_vec(), Form::default());
    loop {
        let next = left.iter().position(|(begin, _)| *begin == from);
        let next = next.ok_or_else(|| format!("no threads take the blocks of text from `{from}` on"))?;
        match left.swap_remove(next).1 {
            None => break,
            Some(end) if end.minus(&from).is_never_negative() => from = end,
            Some(end) => {
                return Err(format!("blocks of text from `{from}` on end at `{end}`, which may be before"));
            }
        }
    }
    match left.first() {
        None => Ok(()),
        Some((from, _)) => Err(format!("blocks of text from `{from}` on are taken by threads of two kinds")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BITS: [u8; 8] = [0, 1, 2, 3, 4, 5, 6, 7];

    /// The numbers of 128 threads that take `blocks` blocks each, at distances of `apart`.
    fn taken(blocks: u64, apart: u64) -> Vec<Form> {
        let a_turn = 128 * blocks;
        let bits = (0..7).fold(Form::default(), |sum, k| {
            let by = if apart == 1 { blocks << k } else { 1 << k };
            sum.plus(&Form::of(Symbol::Bit(k), by), 1)
        });
        let first = bits.plus(&Form::of(Symbol::Block, a_turn), 1).plus(&Form::of(Symbol::Turns, a_turn), 1);
        (0..blocks).map(|k| first.plus(&Form::number(k * apart), 1)).collect()
    }

    #[test]
    fn every_number_is_taken_once() {
        assert_eq!(is_every_number(&taken(1, 128), &BITS[..7], false), Ok(()));
        assert_eq!(is_every_number(&taken(4, 128), &BITS[..7], false), Ok(()));
        assert_eq!(
            is_every_number(&taken(4, 1), &BITS[..7], false),
            Ok(()),
            "a thread's blocks side by side"
        );
    }

    #[test]
    fn gaps_and_repetitions_are_found() {
        assert!(is_every_number(&[], &BITS[..7], false).is_err());
        assert!(is_every_number(&taken(4, 64), &BITS[..7], false).is_err());
        assert!(is_every_number(&taken(4, 128)[..3], &BITS[..7], false).is_err());
        assert!(is_every_number(&taken(4, 128)[1..], &BITS[..7], false).is_err());
        assert!(is_every_number(&taken(1, 128), &BITS[..6], false).is_err());
        assert!(is_every_number(&taken(1, 128), &BITS, false).is_err());
        let mut twice = taken(2, 128);
        twice[1] = twice[0].clone();
        assert!(is_every_number(&twice, &BITS[..7], false).is_err());
        for (symbol, by) in
            [(Symbol::One, 1), (Symbol::Bit(0), 1), (Symbol::Block, 1), (Symbol::Turns, 1), (Symbol::Grid, 1)]
        {
            let moved: Vec<Form> =
                taken(1, 128).iter().map(|form| form.plus(&Form::of(symbol, by), 1)).collect();
            assert!(is_every_number(&moved, &BITS[..7], false).is_err(), "{symbol:?}");
        }
    }

    #[test]
    fn blocks_of_a_turn_stand_evenly() {
        for (place, by) in [(2, u64::MAX), (3, 64), (3, u64::MAX)] {
            let mut uneven = taken(4, 128);
            uneven[place] = uneven[place].plus(&Form::number(by), 1);
            let refused = is_every_number(&uneven, &BITS[..7], false).expect_err("is refused");
            assert!(refused.contains("stand unevenly"), "{place} {by}: {refused}");
        }
    }

    /// A bit that threads of one kind have alike is no digit, and a number may not have it.
    #[test]
    fn bits_of_another_kind_are_in_no_number() {
        let of_another: Vec<Form> =
            taken(1, 128).iter().map(|form| form.plus(&Form::of(Symbol::Bit(9), 128), 1)).collect();
        let refused = is_every_number(&of_another, &BITS[..7], false).expect_err("is refused");
        assert!(refused.contains("is no number of a block"), "{refused}");
    }

    #[test]
    fn streams_are_every_stream_once() {
        // Of 128 threads, 32 have a stream: their number, or what is made of it.
        let of = |bits: &[(u8, u64)], block: u64| {
            let bits = bits.iter().map(|&(bit, by)| Form::of(Symbol::Bit(bit), by));
            bits.fold(Form::of(Symbol::Block, block), |sum, bit| sum.plus(&bit, 1))
        };
        assert_eq!(is_every_stream(&of(&[(5, 1), (6, 2)], 4), 7), Ok(5));
        assert_eq!(is_every_stream(&of(&[], 1), 7), Ok(7));
        for wrong in [
            of(&[(5, 2), (6, 1)], 4),
            of(&[(5, 1), (6, 1)], 4),
            of(&[(5, 1)], 4),
            of(&[(5, 1), (6, 2)], 2),
            of(&[(5, 1), (6, 2)], 4).plus(&Form::number(1), 1),
            of(&[(5, 1), (6, 2), (7, 4)], 4),
        ] {
            assert!(is_every_stream(&wrong, 7).is_err(), "{wrong}");
        }
    }

    #[test]
    fn parts_are_the_whole_or_refused() {
        let part = |by: u64| Form::of(Symbol::Part(13), by);
        let (none, some) = (Form::default(), |by: u64| Some(part(by)));
        assert_eq!(is_whole(&[(none.clone(), None)]), Ok(()));
        assert_eq!(is_whole(&[(part(768), None), (none.clone(), some(768))]), Ok(()));
        assert_eq!(is_whole(&[(none.clone(), some(256)), (part(256), some(768)), (part(768), None)]), Ok(()));
        for (wrong, why) in [
            (vec![(none.clone(), some(768))], "no threads take"),
            (vec![(none.clone(), some(768)), (part(1024), None)], "no threads take"),
            (vec![(none.clone(), some(768)), (part(512), None)], "no threads take"),
            (vec![(part(768), None)], "no threads take"),
            (vec![(none.clone(), some(768)), (none.clone(), None)], ""),
            (vec![(none.clone(), None), (none.clone(), None)], "of two kinds"),
            (vec![(none.clone(), some(768)), (part(768), None), (part(768), None)], "of two kinds"),
            (vec![(none, some(768)), (part(768), some(256)), (part(256), None)], "may be before"),
        ] {
            let refused = is_whole(&wrong).expect_err("is refused");
            assert!(refused.contains(why), "{wrong:?}: {refused}");
        }
    }
}
