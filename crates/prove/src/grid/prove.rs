//! The proof of a program, step by step.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;

use aesmith_cipher::firmware::{Firmware, Packing};
use aesmith_cipher::mode::{Added, Enters, KeyPart, Next, Role};
use aesmith_isa::Isa;
use aesmith_isa::grid::{GridProgram, Launch, roles};
use aesmith_isa::image::Image;

use crate::bits::Refutation;
use crate::bits::cipher::{self, State};
use crate::bits::forms::Byte;
use crate::grid::ahead::Held;
use crate::grid::bitwise::Bitwise;
use crate::grid::course::{End, Head};
use crate::grid::cover::{is_every_number, is_every_stream};
use crate::grid::domain::{Domain, Path, Phase, Value};
use crate::grid::facts::{Facts, Question};
use crate::grid::index::{Form, Symbol};
use crate::grid::kinds::{Kind, Share, is_all_text, shares};
use crate::grid::proof::{GridProof, evidence};
use crate::grid::setup::Thread;

fn general(sentence: impl Into<String>) -> Refutation {
    Refutation { address: 0, instruction: String::new(), sentence: sentence.into() }
}

/// The expected blocks of output.
struct Wanted<'a> {
    contract: &'a Firmware,
    keys: Vec<State>,
    /// The blocks that are known.
    blocks: BTreeMap<Form, Vec<Byte>>,
}

impl Wanted<'_> {
    fn added(&self) -> Added {
        self.contract.problem.mode().rule.map_or(Added::Nothing, |rule| rule.added)
    }

    /// The output of the cipher for a block. Bits of S-boxes in a program are recognised by the ones that are named
    /// here, so blocks should be computed before the program is executed.
    fn ciphered(&mut self, domain: &mut Domain, number: &Form) -> Result<Vec<Byte>, Refutation> {
        if let Some(known) = self.blocks.get(number) {
            return Ok(known.clone());
        }
        let made = self.made(domain, number)?;
        self.blocks.insert(number.clone(), made.clone());
        Ok(made)
    }

    fn made(&self, domain: &mut Domain, number: &Form) -> Result<Vec<Byte>, Refutation> {
        if self.contract.problem.mode().writes.is_some() {
            let key = domain.text(number);
            let keys = cipher::round_keys(&mut domain.symbols.bits, self.contract, &key).map_err(general)?;
            return Ok(keys.concat());
        }
        let counts = self.contract.problem.mode().counts();
        let entered = match self.contract.problem.mode().rule.map(|rule| rule.enters) {
            _ if counts => domain.counter_block(number),
            Some(Enters::Both) => {
                let (text, chain) = (text(domain, number), domain.chain());
                Some(cipher::add_key(&mut domain.symbols.bits, &text, &chain))
            }
            _ => Some(text(domain, number)),
        };
        let entered =
            entered.ok_or_else(|| general(format!("the counter of block `{number}` cannot be told")))?;
        let bits = &mut domain.symbols.bits;
        let made = cipher::block(bits, self.contract, &self.keys, &entered).map_err(general)?;
        Ok(made.to_vec())
    }

    /// The summand of the cipher's output, on a path.
    fn summand(
        &self,
        domain: &mut Domain,
        number: &Form,
        facts: &Facts,
    ) -> Result<Option<State>, Refutation> {
        let before = number.minus(&Form::number(1));
        match self.added() {
            Added::Nothing => Ok(None),
            Added::Text => Ok(Some(text(domain, number))),
            Added::Chain => match facts.is_there(&before) {
                Some(true) => Ok(Some(text(domain, &before))),
                // It is the first block.
                Some(false) if facts.is_there(number) == Some(true) => {
                    Ok(Some(std::array::from_fn(|i| domain.iv[i])))
                }
                // A block of another number has one before it.
                _ if before.is_natural() => Ok(Some(text(domain, &before))),
                _ => Err(general(format!("nothing says whether a block is before block `{number}`"))),
            },
        }
    }
}

/// A block of text.
fn text(domain: &mut Domain, number: &Form) -> State {
    let text = domain.text(number);
    std::array::from_fn(|i| text[i])
}

/// Proves that a program keeps a contract.
///
/// # Errors
/// The first violation, with its place.
pub fn prove(
    isa: &Isa,
    launch: &Launch,
    program: &GridProgram,
    contract: &Firmware,
) -> Result<GridProof, Refutation> {
    let started = Instant::now();
    let image = Image::default();
    let begun = |bitwise| {
        let mut domain = Domain::new(program, launch, &image, &isa.about);
        domain.bitwise = bitwise;
        Thread { isa, program, launch, domain, instructions: 0, inner: 1 }
    };
    let mut thread = begun(Some(Bitwise::new()));
    let mut found = followed(&mut thread, contract);
    // The relations between words may be too weak: a program refused this way is followed bit by bit.
    if found.is_err() && thread.domain.bitwise.as_ref().is_some_and(Bitwise::is_used) {
        thread = begun(None);
        found = followed(&mut thread, contract);
    }
    let shares = found?;
    is_all_text(&shares).map_err(general)?;
    Ok(evidence(&thread, contract, &shares, started))
}

/// Follows a program's threads, kind by kind; each keeps the contract on its share of the text, or is refused.
fn followed(thread: &mut Thread, contract: &Firmware) -> Result<Vec<Share>, Refutation> {
    let mut wanted = begin(thread, contract)?;
    let barrier = thread.fill()?;
    let bits = enter(thread)?;
    shares(thread, &mut |thread, kind| share(thread, &mut wanted, (barrier, bits), kind))
}

/// Follows the threads of a kind; thread numbers have `bits` bits. They take every block of text of their share once.
fn share(
    thread: &mut Thread,
    wanted: &mut Wanted,
    (barrier, bits): (Option<u64>, u8),
    kind: &Kind,
) -> Result<Share, Refutation> {
    let ends = turns(thread, wanted, barrier, kind)?;
    let taken: BTreeSet<Form> = ends.iter().flat_map(|end| end.path.written.keys().cloned()).collect();
    let taken: Vec<Form> = taken.into_iter().collect();
    let lanes = match (&thread.domain.stream, thread.program.has_streams()) {
        (Some(stream), true) => Some(is_every_stream(stream, bits).map_err(general)?),
        (None, true) => return Err(general("no thread asks what its stream is")),
        _ => None,
    };
    let own = kind.bits(bits);
    let threads = 1 << own.len();
    let share = Share { threads, taken, end: thread.domain.end.clone(), inner: thread.inner, lanes };
    let behind: Vec<Form> = share.taken.iter().map(|number| number.minus(&share.begin())).collect();
    let digits = lanes.map_or(own, |lanes| (0..lanes).collect());
    is_every_number(&behind, &digits, lanes.is_some()).map_err(general)?;
    // The block of each iteration is the chain value of the next. Its number has no bit of a thread's number, and is every
    // number, as was just found: no other thread has the stream.
    if wanted.contract.problem.mode().next() == Next::Output && share.taken != [Form::of(Symbol::Steps, 1)] {
        return Err(general("a block waits for the one before, and a turn is not of one block of a stream"));
    }
    for end in &ends {
        check_turn(thread, wanted, end, &share)?;
    }
    Ok(share)
}

/// Makes key and thread, and checks the parameters of the launch.
fn begin<'a>(thread: &mut Thread, contract: &'a Firmware) -> Result<Wanted<'a>, Refutation> {
    let mode = contract.problem.mode();
    let streams = thread.program.has_streams();
    let is_known = match mode.rule.map(|rule| (rule.enters, rule.added)) {
        None => mode.writes == Some(KeyPart::RoundKeys) && !streams,
        Some((Enters::Text, Added::Nothing)) => true,
        Some((Enters::Chain, Added::Text)) => mode.counts(),
        Some((Enters::Text, Added::Chain)) => mode.next() == Next::Text,
        Some((Enters::Both, Added::Nothing)) => mode.next() == Next::Output && streams,
        _ => false,
    };
    let packed = match contract.packing {
        Packing::RoundKeys => true,
        Packing::CipherKey => streams,
        Packing::Masks(_) | Packing::WordsAndMasks(_) => mode.writes.is_none(),
        _ => false,
    };
    if !is_known || contract.problem.streams() != 1 || !packed {
        return Err(general(format!("{} is no problem that is proved of a grid", contract.problem)));
    }
    let roles = roles(contract.problem);
    let mut given: Vec<Role> = thread.program.parameters.iter().map(|parameter| parameter.role).collect();
    // With several streams there is an array for each argument, and the number of streams comes last.
    if streams {
        let last = thread.program.parameters.last();
        let rest = thread.program.parameters.iter().rev().skip(1);
        let counted =
            last.is_some_and(|last| last.role == Role::Length && !last.each) && rest.clone().all(|p| p.each);
        if !counted || !matches!(contract.packing, Packing::RoundKeys | Packing::CipherKey) {
            return Err(general(format!("its parameters are not those of streams of {}", contract.problem)));
        }
        given.pop();
    }
    let sizes = thread.program.parameters.iter().all(|parameter| match parameter.role {
        Role::Key if !parameter.each => parameter.bytes as usize == contract.key_size(),
        Role::Iv if !parameter.each => parameter.bytes == 16,
        _ => parameter.bytes == 8,
    });
    if given != roles || !sizes {
        return Err(general(format!("its parameters are not those of {}", contract.problem)));
    }
    thread.domain.elements = contract.elements();
    let keys = if mode.takes(Role::CipherKey) { Vec::new() } else { make_key(thread, contract)? };
    thread.domain.counts = mode.counts();
    thread.domain.in_place = mode.is_in_place_by_threads();
    if mode.takes(Role::Iv) {
        thread.domain.iv = thread.domain.symbols.bits.bytes(16, false);
    }
    Ok(Wanted { contract, keys, blocks: BTreeMap::new() })
}

/// Makes the key in its format in memory; returns the round keys.
fn make_key(thread: &mut Thread, contract: &Firmware) -> Result<Vec<State>, Refutation> {
    let bits = &mut thread.domain.symbols.bits;
    if contract.packing == Packing::CipherKey {
        let key = bits.bytes(contract.problem.key.bytes(), true);
        let keys = cipher::round_keys(bits, contract, &key).map_err(general)?;
        thread.domain.set_key(key);
        return Ok(keys);
    }
    let raw = bits.bytes(16 * (contract.problem.key.rounds() + 1), true);
    let keys: Vec<State> = raw.chunks(16).map(|chunk| std::array::from_fn(|i| chunk[i])).collect();
    let matrix = cipher::packing(contract.packing, keys.len()).map_err(general)?;
    let packed = cipher::pack(bits, &matrix, &keys);
    thread.domain.set_key(packed);
    Ok(keys)
}

/// Makes the number of any thread as bits; returns how many bits it has.
fn enter(thread: &mut Thread) -> Result<u8, Refutation> {
    let threads = thread.program.threads;
    if !threads.is_power_of_two() || threads < thread.launch.warp.into() {
        return Err(general(format!("{threads} threads a block are no power of two, or not a whole warp")));
    }
    let bits = threads.trailing_zeros() as u8;
    let domain = &mut thread.domain;
    domain.thread = (0..bits)
        .map(|_| {
            let bit = domain.symbols.bits.atom(false);
            domain.symbols.bits.atoms_of(bit)[0]
        })
        .collect();
    Ok(bits)
}

/// All paths of any iteration of a thread of a kind, and of the code before its loop.
fn turns(
    thread: &mut Thread,
    wanted: &mut Wanted,
    barrier: Option<u64>,
    kind: &Kind,
) -> Result<Vec<End>, Refutation> {
    let number = kind.begin(thread);
    let machine = match barrier {
        None => thread.begin(number),
        Some(barrier) => {
            let mut machine = thread.until_barrier(number)?;
            if machine.pc != barrier {
                return Err(thread.refuse(machine.pc, "threads of a block wait at different barriers"));
            }
            machine.pc += 1;
            machine
        }
    };
    thread.domain.phase = Phase::Behind;
    let head = thread.head(&machine)?;
    let mut ends = if machine.pc == head {
        vec![End { path: Path::default(), back: Some(machine) }]
    } else {
        thread.follow(machine, Path::default(), head)?
    };
    if ends.iter().any(|end| !end.path.written.is_empty()) {
        return Err(thread.refuse(head, "text is written before the loop"));
    }
    let mut entries = ends.extract_if(.., |end| end.back.is_some());
    let (first, more) = (entries.next(), entries.next());
    drop(entries);
    let (Some(first), None) = (first, more) else {
        return Err(thread.refuse(head, "the loop is entered on no path, or on several"));
    };
    let asked = first.path.facts.affirmed().map(|question| &question.high);
    let own: BTreeSet<&Form> = asked.filter(|high| **high != high.minus(&high.part())).collect();
    if own.len() > 1 {
        return Err(thread.refuse(head, "the loop is entered where two parts of the text go on"));
    }
    thread.domain.end = own.first().map(|&end| end.clone());
    let enter = Path { facts: first.path.facts.clone(), ..Path::default() };
    thread.domain.sketches = true;
    let once = first.back.clone().map_or(Ok(Vec::new()), |machine| thread.follow(machine, enter, head))?;
    thread.domain.sketches = false;
    let again = once.iter().find(|end| end.back.is_some());
    let any = again.and_then(|again| thread.any_turn(&first, again));
    let mut any = any.ok_or_else(|| thread.refuse(head, "the loop is never executed"))?;
    let chain = if wanted.contract.problem.mode().next() == Next::Output {
        thread.chain(&first, &mut any)
    } else {
        Vec::new()
    };
    let symbol = if thread.program.has_streams() { Symbol::Steps } else { Symbol::Turns };
    let pace = any.path.facts.affirmed().map(|question| question.low.pace()).max().unwrap_or(0);
    for number in once.iter().flat_map(|end| end.path.written.keys()) {
        // Correct if the iterations are as expected; otherwise this block is one of no iteration, and naming it does no
        // harm.
        wanted.ciphered(&mut thread.domain, &number.plus(&Form::of(symbol, 1), pace))?;
    }
    // Registers may still hold bytes of blocks that were not there before the loop, so no iteration may load these
    // again.
    any.path.unsure.extend(first.path.unsure.iter().cloned());
    let held = thread.held(&first, &mut any, &Form::of(symbol, pace));
    for end in any_turns(thread, &mut any, head, &chain, &held)? {
        thread.comes_back(&any, &end, &chain)?;
        ends.push(end);
    }
    // Before the loop only the text of the first iteration may be read, which is this thread's own.
    let own: BTreeSet<Form> =
        ends.iter().flat_map(|end| end.path.written.keys()).map(Form::at_first).collect();
    // If the kind has an end, the text must be before it, where others begin.
    let facts = &first.path.facts;
    let is_within = |number: &Form| {
        let end = thread.domain.end.as_ref();
        end.is_none_or(|end| facts.answer(&Question::within(number, end)) == Some(true))
    };
    match first.path.read.iter().find(|number| !own.contains(number) || !is_within(number)) {
        Some(number) => {
            Err(general(format!("block `{number}` is read before the loop, and no first turn writes it")))
        }
        None => Ok(ends),
    }
}

/// All paths of any iteration. A register that was the same before the first iteration and behind it need not stay so
/// if no iteration needs it: such registers are made unknown until none is left.
fn any_turns(
    thread: &mut Thread,
    any: &mut Head,
    head: u64,
    chain: &[(usize, usize)],
    held: &[Held],
) -> Result<Vec<End>, Refutation> {
    let mut ends = thread.follow(any.machine.clone(), any.path.clone(), head)?;
    loop {
        let uneven: BTreeSet<usize> =
            ends.iter().flat_map(|end| thread.uneven(any, end, chain, held)).collect();
        let Some(&first) = uneven.first() else { return Ok(ends) };
        let refused = thread.refuse_uneven(any, first, held);
        // Registers with prefetched text must come back; a copy that no iteration needs is refused, too.
        if held.iter().any(|held| uneven.contains(&held.register)) {
            return Err(refused);
        }
        for register in uneven {
            any.machine.registers[register] = Value::unknown(true);
        }
        ends = thread.follow(any.machine.clone(), any.path.clone(), head).map_err(|_| refused)?;
    }
}

/// Compares the blocks of text of a path with the cipher, and checks that blocks that are not written are not in its
/// share.
fn check_turn(thread: &mut Thread, wanted: &mut Wanted, end: &End, share: &Share) -> Result<(), Refutation> {
    let (taken, until) = (&share.taken, share.end.as_ref());
    let is_no_more = |number: &Form| {
        let behind = until.map(|until| end.path.facts.answer(&Question::within(number, until)));
        end.path.facts.is_there(number) == Some(false) || behind == Some(Some(false))
    };
    // Nothing is taken before the loop, and its iterations have not begun.
    let is_turn = !end.path.written.is_empty() || end.back.is_some();
    // A thread without a stream has nothing to do.
    let stream = thread.domain.stream.clone().filter(|_| !is_turn);
    let there = stream.map(|low| Question { low, high: Form::of(Symbol::Streams, 1) });
    if there.is_some_and(|there| end.path.facts.answer(&there) == Some(false)) {
        return Ok(());
    }
    for number in taken {
        let number = if is_turn { number.clone() } else { number.at_first() };
        match end.path.written.get(&number) {
            Some(cells) => check_block(thread, wanted, &number, cells, &end.path.facts)?,
            None if is_turn && is_no_more(&number) => {}
            None if !is_turn && end.path.facts.is_beyond(&number, until) => {}
            None => return Err(general(format!("block `{number}` may be there, and is not written"))),
        }
        let later = number.a_turn_later();
        if end.back.is_none() && is_turn && !end.path.facts.is_beyond(&later, until) {
            return Err(general(format!("a thread ends, and block `{later}` may be there")));
        }
    }
    if wanted.added() == Added::Chain {
        return Ok(());
    }
    // Another thread may write, in place, any block that is not this thread's own.
    let later: BTreeSet<Form> = taken.iter().map(Form::a_turn_later).collect();
    match end.path.read.iter().find(|number| !taken.contains(number) && !later.contains(number)) {
        Some(number) => Err(general(format!("block `{number}` is read, which is another thread's"))),
        None => Ok(()),
    }
}

fn check_block(
    thread: &mut Thread,
    wanted: &mut Wanted,
    number: &Form,
    cells: &[Option<crate::grid::domain::Bit8>],
    facts: &Facts,
) -> Result<(), Refutation> {
    let mut right = wanted.ciphered(&mut thread.domain, number)?;
    let summand = wanted.summand(&mut thread.domain, number, facts)?;
    let bits = &mut thread.domain.symbols.bits;
    if let Some(summand) = summand {
        right = right.iter().zip(summand).map(|(&a, b)| cipher::add(bits, a, b)).collect();
    }
    for (place, (cell, right)) in cells.iter().zip(right).enumerate() {
        let name = format!("byte {place} of block `{number}`");
        let Some(found) = cell else { return Err(general(format!("{name} is not written"))) };
        let Some(found) = found else {
            return Err(general(format!("{name} is something that the proof cannot tell")));
        };
        for (k, (&bit, must)) in found.iter().zip(right).enumerate() {
            if bits.settle(bit) != Some(must) {
                return Err(general(format!("bit {k} of {name} is not what FIPS-197 says")));
            }
        }
    }
    Ok(())
}
