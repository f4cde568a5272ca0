//! Finds proofs about grids: one loop over turns has a statement, all other loops are followed.

use aesmith_check::bytes::terms::{Atom, ByteId};
use aesmith_check::grid::module::Module;
use aesmith_check::grid::rows::Operand;
use aesmith_check::grid::run::{Run, State};
use aesmith_check::grid::symbols::{
    BLOCKS, CTAID, Function, INPUT, INPUTS, IVS, KEYS, NAMES, OUTPUT, STREAMS, Stop, Symbols, THREAD, TURN,
    Value, thread,
};
use aesmith_check::grid::{Head, Line, MODULE, Proof, TITLE, check};
use aesmith_check::linear::{AtomId, Linear};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// The name of the loop.
const LOOP: &str = "loop";
/// The most rounds in which statements are weakened.
const ROUNDS: usize = 8;
/// The first atom that is a function of others.
const FUNCTIONS: AtomId = 32;

/// Finds the text of a proof about the text of a module.
///
/// # Errors
/// The reason why none was found.
pub fn find(contract: &str, module: &str) -> Result<String, String> {
    let head = format!("{TITLE}contract {contract}\n");
    let mut why = String::new();
    for claim in ["", "banks\n", "lookups\n"] {
        let claimed = format!("{head}{claim}");
        match find_claimed(&claimed, module) {
            Err(reason) if reason.contains("an address depends on a secret") => why = reason,
            found => return found,
        }
    }
    Err(why)
}

fn find_claimed(claimed: &str, module: &str) -> Result<String, String> {
    let has_streams = Module::read(module)?.parameters.iter().any(|parameter| parameter.name == "streams");
    let claimed = &if has_streams { format!("{claimed}stream ctaid\n") } else { claimed.to_owned() };
    let bare = Proof::read(&format!("{claimed}{MODULE}{module}"))?;
    let Some((label, at)) = outer_loop(&bare.module) else {
        return Err("it has no loop over turns".into());
    };
    let mut proof = bare.clone();
    let turns = turns(&bare, at)?;
    (proof.blocks, proof.stream) = (turns.blocks.clone(), turns.stream.clone());
    let claimed = match &turns.stream {
        Some(stream) => claimed.replace("stream ctaid", &format!("stream {stream}")),
        None => claimed.clone(),
    };
    proof.heads.push(Head { name: LOOP.into(), at, lines: Vec::new() });
    proof.heads = first_heads(&proof, &turns)?;
    for _ in 0..ROUNDS {
        let heads = weakened(&proof)?;
        let is_same = heads.iter().zip(&proof.heads).all(|(new, old)| new.lines == old.lines);
        proof.heads = heads;
        if is_same {
            break;
        }
    }
    let needed = read_first(&proof.module, at);
    for head in &mut proof.heads {
        head.lines.retain(|line| match line {
            Line::Fact(_) => true,
            Line::Register(bits, number, _) => needed.contains(&(*bits, *number)),
        });
    }
    check(&proof)?;
    let mut text = claimed;
    for block in &proof.blocks {
        writeln!(text, "block {block}").map_err(|error| error.to_string())?;
    }
    for head in &proof.heads {
        writeln!(text, "head {} {label}", head.name).map_err(|error| error.to_string())?;
        for line in &head.lines {
            writeln!(text, "{}", text_of(line)).map_err(|error| error.to_string())?;
        }
    }
    Ok(text.trim_end().to_owned() + MODULE + module)
}

fn text_of(line: &Line) -> String {
    match line {
        Line::Fact(form) => format!("fact {form} >= 0"),
        Line::Register(32, number, value) => format!("r{number} = {value}"),
        Line::Register(_, number, value) => format!("rd{number} = {value}"),
    }
}

/// The longest loop: its label and its place.
fn outer_loop(module: &Module) -> Option<(String, usize)> {
    let back =
        module.code.iter().enumerate().filter_map(|(at, instruction)| match instruction.operands[..] {
            [Operand::Label(to)] if to <= at => Some((at - to, to)),
            _ => None,
        });
    let (_, to) = back.max()?;
    let label = module.labels.iter().find(|label| *label.1 == to)?;
    Some((label.0.clone(), to))
}

fn sentence(stop: Stop, place: &str) -> String {
    match stop {
        Stop::Refused(why) => format!("{place}: {why}"),
        Stop::Split(_) => format!("{place}: a condition is not decided"),
    }
}

/// Follows all paths, and looks at the states in which the loop is reached.
fn ends<'p>(
    run: &mut Run<'p>,
    from: Option<usize>,
    mut look: impl FnMut(&mut Run<'p>, &State) -> Result<(), Stop>,
) -> Result<(), String> {
    let start = match from {
        None => run.start().map_err(|stop| sentence(stop, "the entry"))?,
        Some(head) => {
            let head = &run.symbols.proof.heads[head];
            run.stated(head).map_err(|stop| sentence(stop, "the head"))?
        }
    };
    let mut waiting = vec![start];
    while let Some(state) = waiting.pop() {
        let (state, is_return) = match run.follow(state, &mut waiting) {
            Ok(end) => end,
            Err(stop) => return Err(sentence(stop, run.place())),
        };
        if !is_return {
            run.symbols.path = state.path.clone();
            look(run, &state).map_err(|stop| sentence(stop, run.place()))?;
        }
    }
    Ok(())
}

/// The heads without statements that do not hold: of the head whose facts hold where a path ends, else of the last one.
fn weakened(proof: &Proof) -> Result<Vec<Head>, String> {
    let mut run = Run::new(proof)?;
    let mut heads = proof.heads.clone();
    for from in std::iter::once(None).chain((0..proof.heads.len()).map(Some)) {
        ends(&mut run, from, |run, state| {
            let mut reached = heads.len() - 1;
            for (number, head) in proof.heads.iter().enumerate().rev() {
                let mut facts = head.lines.iter().filter(|line| matches!(line, Line::Fact(_)));
                if facts.try_fold(true, |all, line| Ok::<_, Stop>(all && run.is_true(state, line)?))? {
                    reached = number;
                }
            }
            let mut lines = Vec::new();
            for line in std::mem::take(&mut heads[reached].lines) {
                if run.is_true(state, &line)? {
                    lines.push(line);
                }
            }
            heads[reached].lines = lines;
            Ok(())
        })?;
    }
    Ok(heads)
}

/// A head for each path from the entry: what it says in the first turn, of the number of any.
fn first_heads(proof: &Proof, turns: &Turns) -> Result<Vec<Head>, String> {
    let (threads, at) = (proof.module.threads, proof.heads[0].at);
    let mut run = Run::new(proof)?;
    let mut heads: Vec<Head> = Vec::new();
    ends(&mut run, None, |run, state| {
        let functions = run.symbols.functions.clone();
        let mut lines = Vec::new();
        for fact in state.path.facts.all() {
            if let Some((_, factor)) = fact.terms.iter().find(|term| term.0 == BLOCKS) {
                let fact = moved(fact, -factor * turns.each);
                lines.extend(printed(&fact, &functions, threads).map(Line::Fact));
            }
        }
        for (file, bits) in [(0, 32), (1, 64)] {
            for (number, value) in state.registers.words[file].iter().enumerate() {
                let step = turns.steps.get(&(file, number)).copied().unwrap_or(0);
                let text = match run.symbols.form(value) {
                    Some(form) => printed(&moved(&form, step), &functions, threads),
                    None => word(&run.symbols, value, threads, turns.each),
                };
                lines.extend(text.map(|text| Line::Register(bits, number, text)));
            }
        }
        let name = if heads.is_empty() { LOOP.to_owned() } else { format!("{LOOP}{}", heads.len() + 1) };
        heads.push(Head { name, at, lines });
        Ok(())
    })?;
    if heads.is_empty() { Err("no path reaches the loop".into()) } else { Ok(heads) }
}

/// A form plus a multiple of the number of the turn.
fn moved(form: &Linear, factor: i128) -> Linear {
    let turn = Linear { constant: 0, terms: [(TURN, factor)].into() };
    if factor == 0 { form.clone() } else { form.checked(&turn, 1).unwrap_or_default() }
}

/// A word of the text, of the key or of the chain value.
fn word(symbols: &Symbols<'_>, value: &Value, threads: usize, each: i128) -> Option<String> {
    let Value::Bytes(bytes) = value else { return None };
    let [first, ..] = bytes[..] else { return None };
    let is_word = |make: &dyn Fn(u8) -> Atom, from: u8| {
        let all = bytes.iter().zip(from..);
        bytes.len() == 4
            && from.is_multiple_of(4)
            && all.into_iter().all(|(&byte, k): (&ByteId, u8)| symbols.terms.as_atom(byte) == Some(&make(k)))
    };
    match symbols.terms.as_atom(first)? {
        Atom::Key(k) if is_word(&Atom::Key, *k) => Some(format!("key.{}", k / 4)),
        Atom::Chain(block, k) if is_word(&|k| Atom::Chain(block.clone(), k), *k) => {
            let name = if symbols.proof.is_chained() { "chain" } else { "iv" };
            Some(format!("{name}.{}", k / 4))
        }
        Atom::Text(block, k) if is_word(&|k| Atom::Text(block.clone(), k), *k) => {
            Some(format!("text({}).{}", printed(&moved(block, each), &symbols.functions, threads)?, k / 4))
        }
        _ => None,
    }
}

/// A form in the notation of proofs, with the number of the turn for that of the block of threads.
fn printed(form: &Linear, functions: &[Function], threads: usize) -> Option<String> {
    let named = |term: &(AtomId, i128)| (if term.0 == CTAID { TURN } else { term.0 }, term.1);
    let terms = form.terms.iter().map(named).collect();
    plain(&Linear { constant: form.constant, terms }, functions, threads)
}

/// A form in the notation of proofs.
fn plain(form: &Linear, functions: &[Function], threads: usize) -> Option<String> {
    let mut text = String::new();
    let mut form = form.clone();
    // All bits of the number of the thread are that number.
    let own = thread(threads);
    let first = form.terms.iter().find(|term| term.0 == THREAD).map(|term| term.1);
    let mut terms = Vec::new();
    if let Some(factor) = first
        && threads > 1
        && own.terms.iter().all(|bit| form.terms.contains(&(bit.0, factor * bit.1)))
    {
        form = form.checked(&own, -factor)?;
        terms.push((factor, "tid".to_owned()));
    }
    for (atom, factor) in form.terms {
        let name = match atom {
            THREAD..FUNCTIONS => format!("tid.{}", atom - THREAD),
            _ if atom < THREAD => NAMES.get(atom as usize)?.to_string(),
            _ => match functions.get((atom - FUNCTIONS) as usize)? {
                Function::Quotient(form, by) => format!("{}>>{by}", NAMES.get(form.as_atom()? as usize)?),
                Function::Carry(_) => return None,
            },
        };
        terms.push((factor, name));
    }
    for (factor, name) in terms {
        let sign = if factor < 0 { "- " } else { "+ " };
        let sign = if text.is_empty() && factor > 0 { "" } else { sign };
        let space = if text.is_empty() { "" } else { " " };
        match factor.abs() {
            1 => write!(text, "{space}{sign}{name}").ok()?,
            factor => write!(text, "{space}{sign}{factor}*{name}").ok()?,
        }
    }
    match form.constant {
        number if text.is_empty() => write!(text, "{number}").ok()?,
        0 => {}
        number if number < 0 => write!(text, " - {}", -number).ok()?,
        number => write!(text, " + {number}").ok()?,
    }
    Some(text)
}

/// The knowledge of all turns from one.
#[derive(Default)]
struct Turns {
    /// The blocks that are written.
    blocks: Vec<String>,
    /// The number of the thread's stream.
    stream: Option<String>,
    /// The number of blocks of a turn of a stream, and by how much registers are greater in the next one.
    each: i128,
    steps: BTreeMap<(usize, usize), i128>,
}

/// The first turn, on the path on which each condition is true.
fn turns(proof: &Proof, head: usize) -> Result<Turns, String> {
    let has_streams = proof.stream.is_some();
    let mut turns = Turns::default();
    let mut first: Option<State> = None;
    let mut run = Run::new(proof)?;
    let module = &proof.module;
    let (mut all, mut per_block) = (Vec::new(), 1);
    let mut state = run.start().map_err(|stop| sentence(stop, "the entry"))?;
    run.symbols.path = state.path.clone();
    let mut is_loop = false;
    for _ in 0..run.most_steps {
        let Some(instruction) = module.code.get(state.at) else { break };
        if state.at == head {
            if std::mem::replace(&mut is_loop, true) {
                break;
            }
            first.get_or_insert_with(|| state.clone());
        }
        let row = &module.rows[instruction.row];
        let is_left_out = instruction
            .guard
            .is_some_and(|(predicate, value)| state.registers.predicates[predicate] != Some(value));
        let space = ["st.global", "ld.global"].iter().find(|name| row.name.starts_with(**name));
        if let Some(space) = space.filter(|_| !is_left_out) {
            let place = instruction.operands.iter().find_map(|operand| match operand {
                Operand::Place(register, offset) => Some((*register, *offset)),
                _ => None,
            });
            let (register, offset) = place.ok_or("an access has no address")?;
            let base = state.registers.words[1][register].clone();
            let form = run.symbols.form(&base).and_then(|form| form.offset_checked(offset.into()));
            let array = form
                .as_ref()
                .and_then(|form| form.terms.iter().find(|term| (KEYS..STREAMS).contains(&term.0)));
            if let (Some(&(array, _)), Some(form)) = (array, &form) {
                let chain = run.symbols.first_chain();
                let mut words =
                    chain.chunks_exact(4).skip(form.constant as usize % 16 / 4).map(<[ByteId]>::to_vec);
                for (operand, kind) in instruction.operands.iter().zip(&row.kinds) {
                    if let (Operand::Register(number), true) = (operand, kind.is_written()) {
                        let more = |words: &mut dyn Iterator<Item = Vec<ByteId>>| {
                            words.take(kind.bits as usize / 32).flatten().collect::<Vec<ByteId>>()
                        };
                        state.registers.file(kind.bits)[*number] = match array {
                            IVS => Value::Bytes(more(&mut words)),
                            KEYS => run.symbols.unknown(kind.bits, true),
                            _ => Value::Form(Linear::atom(array - INPUTS)),
                        };
                    }
                }
                if array >= INPUTS {
                    let mut stream = form.clone();
                    stream.terms.retain(|term| term.0 != array);
                    per_block = stream.terms.iter().find(|term| term.0 == CTAID).map_or(1, |term| term.1 / 8);
                    let stream = stream.divided(8).ok_or("the number of a stream is not known")?;
                    turns.stream = plain(&stream, &run.symbols.functions, module.threads);
                }
                state.at += 1;
                continue;
            }
            let base = if *space == "st.global" { OUTPUT } else { INPUT };
            let block = form.and_then(|mut form| {
                form.terms.retain(|term| *term != (base, 1));
                let unit = proof.units()[usize::from(base == OUTPUT)] as i128;
                form.constant -= form.constant.rem_euclid(unit);
                form.divided(unit)
            });
            let block = block.ok_or("the address of an access is not known")?;
            if *space == "st.global" {
                if !all.contains(&block) {
                    all.push(block);
                }
            } else {
                for (operand, kind) in instruction.operands.iter().zip(&row.kinds) {
                    if let (Operand::Register(number), true) = (operand, kind.is_written()) {
                        state.registers.file(kind.bits)[*number] = run.symbols.unknown(kind.bits, true);
                    }
                }
            }
            state.at += 1;
            continue;
        }
        match aesmith_check::grid::rows::execute(&mut run.symbols, row, instruction, &mut state.registers) {
            Ok(aesmith_check::grid::rows::Flow::Next) => state.at += 1,
            Ok(aesmith_check::grid::rows::Flow::Jump(to)) => state.at = to,
            Ok(aesmith_check::grid::rows::Flow::Barrier) => {
                state.at += 1;
                run.symbols.path.is_behind = true;
            }
            Ok(_) => break,
            Err(Stop::Split(form)) => {
                run.symbols.path.facts.add(form);
                // The same instruction again is no second turn.
                is_loop &= state.at != head;
            }
            Err(stop) => return Err(sentence(stop, &format!("line {}", instruction.line))),
        }
    }
    if has_streams {
        turns.each = module.threads as i128 / per_block * all.len() as i128;
        for (file, _) in [0, 1].into_iter().zip([32, 64]) {
            let old = first.iter().flat_map(|first| first.registers.words[file].iter());
            for (number, (old, new)) in old.zip(&state.registers.words[file]).enumerate() {
                let both = run.symbols.form(new).zip(run.symbols.form(old));
                let step = both.and_then(|(new, old)| new.checked(&old, -1)?.as_number());
                turns.steps.extend(step.map(|step| ((file, number), step)));
            }
        }
    }
    for block in all {
        let block = printed(&moved(&block, turns.each), &run.symbols.functions, module.threads);
        turns.blocks.push(block.ok_or("the number of a block has no name")?);
    }
    Ok(turns)
}

/// Registers that are read behind a place before they are written, by the order of the text.
fn read_first(module: &Module, at: usize) -> BTreeSet<(u32, usize)> {
    let (mut read, mut written) = (BTreeSet::new(), BTreeSet::new());
    for instruction in &module.code[at..] {
        let row = &module.rows[instruction.row];
        let operands = || instruction.operands.iter().zip(&row.kinds);
        for (operand, kind) in operands().filter(|(_, kind)| !kind.is_written()) {
            if let Operand::Register(number) | Operand::Place(number, _) = operand
                && !written.contains(&(kind.bits, *number))
            {
                read.insert((kind.bits, *number));
            }
        }
        for (operand, kind) in operands().filter(|(_, kind)| kind.is_written()) {
            if let (Operand::Register(number), None) = (operand, instruction.guard) {
                written.insert((kind.bits, *number));
            }
        }
    }
    read
}
