//! Finds proofs about grids: one loop over turns has a statement, all other loops are followed.

use aesmith_check::bytes::terms::{Atom, ByteId};
use aesmith_check::grid::module::Module;
use aesmith_check::grid::rows::Operand;
use aesmith_check::grid::run::{Run, State};
use aesmith_check::grid::symbols::{
    CTAID, Function, INPUT, NAMES, OUTPUT, Stop, Symbols, THREAD, TURN, Value, thread,
};
use aesmith_check::grid::{Head, Line, MODULE, Proof, TITLE, check};
use aesmith_check::linear::{AtomId, Linear};
use std::collections::BTreeSet;
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
    let bare = Proof::read(&format!("{claimed}{MODULE}{module}"))?;
    let Some((label, at)) = outer_loop(&bare.module) else {
        return Err("it has no loop over turns".into());
    };
    let mut proof = bare.clone();
    proof.heads.push(Head { name: LOOP.into(), at, lines: Vec::new() });
    let first = arrivals(&proof, None)?;
    let Some((state, functions)) = first.first() else { return Err("no path reaches the loop".into()) };
    proof.heads[0].lines = statements(state, functions, &proof)?;
    proof.blocks = blocks(&proof)?;
    for _ in 0..ROUNDS {
        let lines = proof.heads[0].lines.clone();
        let entry = kept(&proof, None)?;
        let again = kept(&proof, Some(0))?;
        let is_kept = |line: &Line| entry.contains(&text_of(line)) && again.contains(&text_of(line));
        proof.heads[0].lines = lines.iter().filter(|line| is_kept(line)).cloned().collect();
        if proof.heads[0].lines == lines {
            break;
        }
    }
    let needed = read_first(&proof.module, at);
    proof.heads[0].lines.retain(|line| match line {
        Line::Fact(_) => true,
        Line::Register(bits, number, _) => needed.contains(&(*bits, *number)),
    });
    check(&proof)?;
    let mut text = claimed.to_owned();
    for block in &proof.blocks {
        let block = printed(block, &[], proof.module.threads).ok_or("a block has no name")?;
        writeln!(text, "block {block}").map_err(|error| error.to_string())?;
    }
    writeln!(text, "head {LOOP} {label}").map_err(|error| error.to_string())?;
    for line in &proof.heads[0].lines {
        writeln!(text, "{}", text_of(line)).map_err(|error| error.to_string())?;
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

/// The states in which the loop is reached from the entry, or from its head, with the public functions that are known.
fn arrivals(proof: &Proof, from: Option<usize>) -> Result<Vec<(State, Vec<Function>)>, String> {
    let mut run = Run::new(proof)?;
    let mut all = Vec::new();
    ends(&mut run, from, |run, state| {
        all.push((state.clone(), run.symbols.functions.clone()));
        Ok(())
    })?;
    Ok(all)
}

/// Follows all paths, and looks at the states in which the loop is reached.
fn ends<'p>(
    run: &mut Run<'p>,
    from: Option<usize>,
    mut look: impl FnMut(&mut Run<'p>, &State) -> Result<(), Stop>,
) -> Result<(), String> {
    let start = match from {
        None => run.start(),
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

/// The statements of the head that hold wherever it is reached.
fn kept(proof: &Proof, from: Option<usize>) -> Result<BTreeSet<String>, String> {
    let mut run = Run::new(proof)?;
    let lines = proof.heads[0].lines.clone();
    let mut all: BTreeSet<String> = lines.iter().map(text_of).collect();
    ends(&mut run, from, |run, state| {
        for line in &lines {
            if !run.is_true(state, line)? {
                all.remove(&text_of(line));
            }
        }
        Ok(())
    })?;
    Ok(all)
}

/// What a state at the loop says, in the first turn, of the number of any.
fn statements(state: &State, functions: &[Function], proof: &Proof) -> Result<Vec<Line>, String> {
    let threads = proof.module.threads;
    let mut lines = Vec::new();
    for fact in state.path.facts.all() {
        let is_about_blocks = fact.terms.iter().any(|term| term.0 == 2);
        lines.extend(printed(fact, functions, threads).filter(|_| is_about_blocks).map(Line::Fact));
    }
    // The values are evaluated by a run that made them.
    let mut run = Run::new(proof)?;
    let mut found = None;
    ends(&mut run, None, |run, state| {
        if found.is_none() {
            let mut values = Vec::new();
            for (file, bits) in [(0, 32), (1, 64)] {
                for (number, value) in state.registers.words[file].iter().enumerate() {
                    let text = match run.symbols.form(value) {
                        Some(form) => printed(&form, &run.symbols.functions, threads),
                        None => word(&run.symbols, value, threads),
                    };
                    values.extend(text.map(|text| Line::Register(bits, number, text)));
                }
            }
            found = Some(values);
        }
        Ok(())
    })?;
    lines.extend(found.unwrap_or_default());
    Ok(lines)
}

/// A word of the text or of the key.
fn word(symbols: &Symbols<'_>, value: &Value, threads: usize) -> Option<String> {
    let Value::Bytes(bytes) = value else { return None };
    let [first, ..] = bytes[..] else { return None };
    let is_word = |make: &dyn Fn(u8) -> Atom, from: u8| {
        let all = bytes.iter().zip(from..);
        bytes.len() == 4
            && from % 4 == 0
            && all.into_iter().all(|(&byte, k): (&ByteId, u8)| symbols.terms.as_atom(byte) == Some(&make(k)))
    };
    match symbols.terms.as_atom(first)? {
        Atom::Key(k) if is_word(&Atom::Key, *k) => Some(format!("key.{}", k / 4)),
        Atom::Text(block, k) if is_word(&|k| Atom::Text(block.clone(), k), *k) => {
            Some(format!("text({}).{}", printed(block, &symbols.functions, threads)?, k / 4))
        }
        _ => None,
    }
}

/// A form in the notation of proofs, with the number of the turn for that of the block of threads.
fn printed(form: &Linear, functions: &[Function], threads: usize) -> Option<String> {
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
            CTAID => NAMES[TURN as usize].to_owned(),
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

/// The blocks that are written in a turn.
fn blocks(proof: &Proof) -> Result<Vec<Linear>, String> {
    let mut run = Run::new(proof)?;
    let start = run.stated(&proof.heads[0]).map_err(|stop| sentence(stop, "the head"))?;
    let module = &proof.module;
    let mut all = Vec::new();
    let mut state = start;
    run.symbols.path = state.path.clone();
    let mut is_first = true;
    // The path on which each condition on the number of blocks is true.
    for _ in 0..run.most_steps {
        let Some(instruction) = module.code.get(state.at) else { break };
        if !is_first && state.at == proof.heads[0].at {
            break;
        }
        is_first = false;
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
            let base = if *space == "st.global" { OUTPUT } else { INPUT };
            let block = form.and_then(|mut form| {
                form.terms.retain(|term| *term != (base, 1));
                form.constant -= form.constant.rem_euclid(16);
                form.divided(16)
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
            Ok(_) => break,
            Err(Stop::Split(form)) => run.symbols.path.facts.add(form),
            Err(stop) => return Err(sentence(stop, &format!("line {}", instruction.line))),
        }
    }
    Ok(all)
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
