//! Proofs of counter mode and CBC for any number of blocks, by induction. A run is cut where control depends on the
//! number of blocks left: the state there becomes a template ([`crate::bits::template`]), and from each template the
//! loop is followed to the next cut. Counters are split into cases by how many of their last bytes wrap, so that their
//! carries are known.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use aesmith_cipher::firmware::Firmware;
use aesmith_cipher::mode::{Added, Enters, Next};
use aesmith_isa::execute::Machine;

use crate::bits::access::byte_of;
use crate::bits::cipher::{self, State};
use crate::bits::counters::{self, Case, counters};
use crate::bits::forms::{Bit, Bits, Byte, ONE};
use crate::bits::leftovers::{Left, above, answer, together, told};
use crate::bits::lengths::SUMS;
use crate::bits::memory::{Cell, Memory, ObjectId, Role};
use crate::bits::proof::{ANY_BLOCKS, Proof, Refutation, SOME_BLOCKS};
use crate::bits::prove::{buffer, compare, empty, evidence, fill, general, key, pass_arguments, state};
use crate::bits::run::{Run, Stop};
use crate::bits::template::{Arrival, Chain, From, Instance, Names, Present, Template};
use crate::bits::value::{Question, Value};

/// The number of times that templates may be weakened before the proof is given up.
const PATIENCE: usize = 64;

/// The most open forks over the number of blocks before a block is written; each keeps a copy of memory.
const WAYS: usize = 64;

struct Buffers {
    iv: ObjectId,
    output: ObjectId,
    count: ObjectId,
}

/// Proves a message function for `least` blocks and more. A refutation comes with true if it is of a path from entry on
/// which there may be no block: then the function may still be right for one block and more.
pub fn prove(run: &mut Run, contract: &Firmware, least: u64) -> Result<Proof, (Refutation, bool)> {
    let mut messages = Messages::new(run, contract).map_err(|refutation| (refutation, false))?;
    messages.least = least;
    messages.prove().map_err(|refutation| (refutation, messages.may_be_none))
}

struct Messages<'r, 'a> {
    run: &'r mut Run<'a>,
    contract: Firmware,
    keys: Vec<State>,
    stay: BTreeSet<u32>,
    names: Names,
    /// The blocks of an iteration, and the blocks after them.
    text: Vec<State>,
    at_once: usize,
    cases: Vec<Case>,
    known: BTreeMap<usize, Wanted>,
    buffers: Buffers,
    templates: BTreeMap<u64, Template>,
    open: BTreeSet<u64>,
    proof: Option<Proof>,
    longest: u64,
    /// The least number of blocks.
    least: u64,
    /// True while a path from entry is followed on which there may be no block.
    may_be_none: bool,
    /// True once the paths from entry have been followed.
    entered: bool,
    /// The template from which a path is followed; `None` from entry.
    from: Option<u64>,
    /// The ranges read and written of each object, and the largest access.
    touched: Vec<Reach>,
    /// True if stack no longer in use held secrets at a cut; templates do not record it.
    dead_secrets: bool,
    /// The bits of registers that are unknown in a template, by register and secrecy.
    unknown: BTreeMap<(usize, bool), Rc<[Bit]>>,
}

/// Output blocks, each with the chain after it.
type Wanted = Rc<[(State, State)]>;

/// The ranges read and written of an object, and the largest access.
type Reach = (Option<(i64, i64)>, Option<(i64, i64)>, u8);

struct Way<'a> {
    machine: Machine<Value>,
    memory: Memory<'a>,
    left: Left,
}

impl<'r, 'a> Messages<'r, 'a> {
    fn new(run: &'r mut Run<'a>, contract: &Firmware) -> Result<Messages<'r, 'a>, Refutation> {
        let (keys, packed) = key(run, contract).map_err(|e| general(&e))?;
        let stay = (0..run.domain.bits.atoms.len() as u32).collect();
        let counter = contract.problem.mode().counts();
        // Counters and cipher blocks are public, but cipher blocks depend on the secret text, so chains count as
        // secret.
        let chain = state(&run.domain.bits.bytes(16, !counter));
        let at_once = usize::from(contract.at_once());
        let ahead = counters::ahead(at_once);
        let lasts = if counter { run.domain.bits.bytes(ahead, false) } else { Vec::new() };
        // Counter mode reads no text before its iteration.
        let coming = if counter { 0 } else { at_once };
        let text = (0..at_once + coming).map(|_| state(&run.domain.bits.bytes(16, true)));
        let text: Vec<State> = text.collect();
        let names = Names { chain, lasts, text: text[..coming].to_vec() };
        let cases = if counter {
            counters(&mut run.domain.bits, at_once).ok_or_else(|| general("the counter's bytes depend"))?
        } else {
            vec![Case::any(chain)]
        };
        let iv = [[0; 8]; 16];
        buffer(run, Role::Key, &packed, false);
        let iv = buffer(run, Role::Iv, &iv, true);
        buffer(run, Role::Input, &text.concat(), false);
        let output = empty(run, Role::Output, 16 * at_once);
        let count = run.domain.memory.object(Role::Count, run.pointer_width(), 0, 0, false);
        for (role, _) in SUMS {
            if run.domain.memory.find(role).is_none() {
                run.domain.memory.object(role, run.pointer_width(), 0, 0, false);
            }
        }
        pass_arguments(run, contract)?;
        run.enter();
        Ok(Messages {
            run,
            contract: *contract,
            keys,
            stay,
            names,
            text,
            at_once,
            cases,
            known: BTreeMap::new(),
            buffers: Buffers { iv, output, count },
            templates: BTreeMap::new(),
            open: BTreeSet::new(),
            proof: None,
            longest: 0,
            least: 1,
            may_be_none: false,
            entered: false,
            from: None,
            touched: Vec::new(),
            dead_secrets: false,
            unknown: BTreeMap::new(),
        })
    }

    fn prove(&mut self) -> Result<Proof, Refutation> {
        let entry = Way {
            machine: self.run.machine.clone(),
            memory: self.run.domain.memory.clone(),
            left: Left { least: self.least, most: u64::MAX },
        };
        let mut cases = self.whole();
        while let Some(case) = cases.pop() {
            let chain = self.cases[case].chain;
            self.resume(&entry);
            fill(&mut self.run.domain, self.buffers.iv, 0, &chain);
            if !self.follow(case, entry.left)? {
                cases.extend(self.cases[case].parts.iter().rev());
            }
        }
        self.entered = true;
        self.run.rename_arguments();
        let mut rounds = 0;
        while let Some(site) = self.open.pop_first() {
            self.from = Some(site);
            rounds += 1;
            if rounds > PATIENCE {
                return Err(general("the states of its loop do not settle into a pattern"));
            }
            let mut cases = self.whole();
            while let Some(case) = cases.pop() {
                let template = self.templates[&site].clone();
                let meets = |(a, b): (&u64, &u64)| a & b != 0;
                if !template.lasts.iter().zip(&self.cases[case].values).any(meets) {
                    continue;
                }
                self.enter(&entry, site, &template, case);
                if !self.follow(case, Left { least: template.left, most: u64::MAX })? {
                    cases.extend(self.cases[case].parts.iter().rev());
                }
                // The template was weakened on the way, so it is open again.
                if self.open.contains(&site) {
                    break;
                }
            }
        }
        let Some(mut proof) = self.proof.take() else {
            return Err(general("it never returns"));
        };
        let memory = &mut self.run.domain.memory;
        for (object, (read, written, access)) in memory.objects.iter_mut().zip(&self.touched) {
            (object.read, object.written, object.access) = (*read, *written, *access);
        }
        let all = evidence(self.run, &self.contract, &[self.buffers.output, self.buffers.iv], self.blocks());
        (proof.hangs, proof.constant_time) = (all.hangs, all.constant_time);
        (proof.products, proof.conditions) = (all.products, all.conditions);
        (proof.tables, proof.tables_in_ram) = (all.tables, all.tables_in_ram);
        (proof.stack_bytes, proof.instructions) = (all.stack_bytes, self.longest);
        (proof.reads, proof.writes, proof.alignment) = (all.reads, all.writes, all.alignment);
        (proof.assumptions, proof.own_state) = (all.assumptions, all.own_state);
        proof.secret_stack |= self.dead_secrets;
        proof.assumptions.push(format!(
            "Ranges of the input and the output are those of each {0} bytes in turn; the input of the next {0} may be read with them, never beyond the last block.",
            16 * self.at_once
        ));
        Ok(proof)
    }

    /// The numbers of blocks that the proof covers.
    fn blocks(&self) -> &'static str {
        if self.least == 0 { ANY_BLOCKS } else { SOME_BLOCKS }
    }

    /// Resumes a path; notes of accesses so far are kept.
    fn resume(&mut self, way: &Way<'a>) {
        self.run.machine = way.machine.clone();
        let memory = &mut self.run.domain.memory;
        let (tables, writable) = (memory.tables, memory.tables_writable);
        let mut fresh = way.memory.clone();
        if let Some((a, b)) = tables {
            let (c, d) = fresh.tables.unwrap_or((a, b));
            fresh.tables = Some((a.min(c), b.max(d)));
        }
        fresh.tables_writable |= writable;
        fresh.unaligned |= memory.unaligned;
        fresh.beside |= memory.beside;
        *memory = fresh;
        // A path that was given up may have ended where stores are refused.
        self.run.domain.still = false;
    }

    /// Enters a template's state, with the chain of a case.
    fn enter(&mut self, entry: &Way<'a>, site: u64, template: &Template, case: usize) {
        self.resume(entry);
        let of = &self.cases[case];
        let text = &self.text[..self.names.text.len()];
        let present = Present { chain: &of.chain, lasts: of.lasts.get(1..).unwrap_or_default(), text };
        let domain = &mut self.run.domain;
        let mut instance = Instance::new(&domain.bits, &self.names, &present);
        let mut registers: Vec<_> = template.registers.iter().map(|v| instance.value(domain, v)).collect();
        let widths = self.run.isa.about.registers.iter().map(|(_, width)| *width);
        for (r, (register, width)) in registers.iter_mut().zip(widths).enumerate() {
            // An unknown register holds any bits, but the same ones wherever it is read: `sbc r13, r13` is a mask of
            // the carry.
            let (secret, constants) = match register {
                Value::Unknown(secret) => (*secret, None),
                Value::Bits(of) => match of.iter().find(|&&b| Bits::is_opaque(b)) {
                    Some(&bit) => (domain.bits.is_secret(bit), Some(Rc::clone(of))),
                    None => continue,
                },
                _ => continue,
            };
            let any = || (0..width).map(|_| domain.bits.atom(secret)).collect();
            let any = Rc::clone(self.unknown.entry((r, secret)).or_insert_with(any));
            *register = Value::Bits(match constants {
                None => any,
                Some(of) => {
                    of.iter().zip(any.iter()).map(|(&b, &a)| if Bits::is_opaque(b) { a } else { b }).collect()
                }
            });
        }
        self.run.machine.registers = registers;
        self.run.machine.pc = site;
        for (number, object) in template.objects.iter().enumerate() {
            if !matches!(object.role, Role::Iv | Role::Stack) {
                continue;
            }
            let mut cells = object.cells.clone();
            for cell in cells.iter_mut().flatten() {
                cell.value = instance.value(domain, &cell.value.clone());
            }
            domain.memory.objects[number].cells = cells;
        }
        self.run.settle_stack();
    }

    /// All cases that are not part of others, the first case last.
    fn whole(&self) -> Vec<usize> {
        let is_part = |case: &usize| self.cases.iter().any(|of| of.parts.contains(case));
        (0..self.cases.len()).rev().filter(|case| !is_part(case)).collect()
    }

    /// The cells of the output, and the number of bytes written before the first that is not.
    fn written(&self) -> (&[Option<Cell>], usize) {
        let cells = &self.run.domain.memory.objects[usize::from(self.buffers.output)].cells;
        (cells, cells.iter().take_while(|c| c.is_some()).count())
    }

    /// True if more blocks were written than the case has counters for.
    fn lacks(&self, case: usize) -> bool {
        let (_, written) = self.written();
        !self.cases[case].parts.is_empty() && written > 16 * self.cases[case].next.len()
    }

    /// Follows all paths from here to returns and cuts. Returns false if the case may not say enough: then its parts
    /// are to be followed instead.
    fn follow(&mut self, case: usize, left: Left) -> Result<bool, Refutation> {
        match self.ways(case, left) {
            Err(_) if !self.cases[case].parts.is_empty() => Ok(false),
            found => found,
        }
    }

    /// Does the work of [`Messages::follow`]; an error may only mean that the case does not say enough.
    fn ways(&mut self, case: usize, left: Left) -> Result<bool, Refutation> {
        let wanted = self.wanted(case).map_err(|e| general(&e))?;
        let started = self.run.instructions;
        let mut ways =
            vec![Way { machine: self.run.machine.clone(), memory: self.run.domain.memory.clone(), left }];
        while let Some(way) = ways.pop() {
            self.resume(&way);
            self.run.instructions = started;
            self.run.settle_stack();
            let mut left = way.left;
            loop {
                self.may_be_none = !self.entered && left.least == 0;
                self.run.domain.memory.limit = 16 * left.least.min(1 << 32) as i64;
                let stop = self.run.step()?;
                if stop != Stop::Went && self.lacks(case) {
                    return Ok(false);
                }
                match stop {
                    Stop::Went => {}
                    Stop::Returned => {
                        self.returned(case, left, &wanted)?;
                        self.longest = self.longest.max(self.run.instructions - started);
                        break;
                    }
                    Stop::Asks(bit) => {
                        let Some((question, outcome)) = self.question(bit) else {
                            return Err(self.run.refuse(
                                "control hangs on data that is no secret, and is not the number of blocks",
                            ));
                        };
                        let known = answer(&question, left);
                        if known.is_none() && self.done(&wanted)? > 0 || known.is_some() && self.joins(case) {
                            if !self.arrive(case, left, &wanted)? {
                                return Ok(false);
                            }
                            self.longest = self.longest.max(self.run.instructions - started);
                            break;
                        }
                        if let Some(answer) = known {
                            self.run.step_deciding(bit, answer == outcome)?;
                            continue;
                        }
                        if ways.len() == WAYS {
                            return Err(self.run.refuse(format!(
                                "the number of blocks is asked for {WAYS} times without a block between"
                            )));
                        }
                        let (yes, no) = told(&question, left);
                        let (machine, memory) = (self.run.machine.clone(), self.run.domain.memory.clone());
                        self.run.step_deciding(bit, outcome)?;
                        ways.push(Way {
                            machine: self.run.machine.clone(),
                            memory: self.run.domain.memory.clone(),
                            left: yes,
                        });
                        self.resume(&Way { machine, memory, left });
                        self.run.settle_stack();
                        self.run.step_deciding(bit, !outcome)?;
                        left = no;
                    }
                }
            }
        }
        Ok(true)
    }

    /// True if a path ends at a cut of other paths although the answer to its question is known: a counter with
    /// constant bytes continues from there as any counter does. No template is first read off such a path, as it would
    /// be too special.
    fn joins(&self, case: usize) -> bool {
        let (cells, written) = self.written();
        let whole = written > 0 && written % 16 == 0 && cells[written..].iter().all(Option::is_none);
        case > 0 && whole && self.templates.contains_key(&self.run.machine.pc)
    }

    /// Output blocks and the chain after each, for as many blocks as there is text.
    fn wanted(&mut self, case: usize) -> Result<Wanted, String> {
        if let Some(known) = self.known.get(&case) {
            return Ok(Rc::clone(known));
        }
        let (contract, bits) = (self.contract, &mut self.run.domain.bits);
        let rule = contract.problem.mode().rule.ok_or("a key set-up has no blocks")?;
        let mut chain = self.cases[case].chain;
        let mut wanted = Vec::new();
        let known =
            if self.cases[case].parts.is_empty() { self.at_once } else { self.cases[case].next.len() };
        for (i, text) in self.text.iter().enumerate().take(known) {
            let entered = match rule.enters {
                Enters::Text => *text,
                Enters::Chain => chain,
                Enters::Both => cipher::add_key(bits, text, &chain),
            };
            let out = cipher::block(bits, &contract, &self.keys, &entered)?;
            let out = match rule.added {
                Added::Nothing => out,
                Added::Text => cipher::add_key(bits, text, &out),
                Added::Chain => cipher::add_key(bits, &out, &chain),
            };
            chain = match rule.next {
                Next::Nothing => chain,
                Next::Text => *text,
                Next::Output => out,
                Next::Counter => self.cases[case].next[i],
                Next::Counter32 => return Err("a counter of 32 bits is not specified here".into()),
                Next::Doubled => return Err("a tweak is not specified here".into()),
            };
            wanted.push((out, chain));
        }
        for entered in self.coming(case, chain) {
            cipher::block(&mut self.run.domain.bits, &contract, &self.keys, &entered)?;
        }
        let wanted: Wanted = wanted.into();
        self.known.insert(case, Rc::clone(&wanted));
        Ok(wanted)
    }

    /// The cipher inputs of blocks of the next iteration that this iteration may begin. Their S-boxes must be known as
    /// such before the code computes them, as those of the iteration's own blocks are.
    fn coming(&self, case: usize, chain: State) -> Vec<State> {
        let of = &self.cases[case];
        let counts_on = case == 0 && !self.names.lasts.is_empty();
        let lasts = of.lasts.iter().skip(self.at_once).filter(|_| counts_on);
        let counters = lasts.map(|&last| {
            let mut counter = chain;
            counter[15] = last;
            counter
        });
        let is_text = self.contract.problem.mode().rule.is_some_and(|rule| rule.enters == Enters::Text);
        let texts = self.text[self.at_once..].iter().copied().filter(|_| is_text);
        counters.chain(texts).collect()
    }

    /// The number of blocks written since the last cut, after a check that all of them are right.
    fn done(&mut self, wanted: &[(State, State)]) -> Result<usize, Refutation> {
        let (cells, written) = self.written();
        if written % 16 != 0 || cells.iter().skip(written).any(Option::is_some) {
            return Err(self.run.refuse("blocks are written in part where it asks how many are left"));
        }
        let bytes: Vec<Byte> = wanted[..written / 16].iter().flat_map(|(out, _)| *out).collect();
        compare(self.run, self.buffers.output, 0, &bytes, "block")?;
        Ok(written / 16)
    }

    fn after(&self, case: usize, done: usize, wanted: &[(State, State)]) -> State {
        if done == 0 { self.cases[case].chain } else { wanted[done - 1].1 }
    }

    /// Checks that a state is an instance of the template at its place; makes or weakens the template if need be.
    /// Returns false for a case with parts, which may not say enough, where a template would have to be made or
    /// weakened.
    fn arrive(&mut self, case: usize, left: Left, wanted: &[(State, State)]) -> Result<bool, Refutation> {
        let done = self.done(wanted)?;
        self.note();
        if !self.entered {
            self.run.rename_saved_arguments();
        }
        let chain = self.after(case, done, wanted);
        let site = self.run.machine.pc;
        if self.run.machine.delayed.is_some() {
            return Err(self.run.refuse("the number of blocks is asked for in a delay slot"));
        }
        let Some(in_use) = self.run.in_use() else {
            return Err(self.run.refuse("the stack pointer is not whole where blocks are counted"));
        };
        self.chain_by_bytes();
        let registers = self.run.machine.registers.clone();
        let domain = &mut self.run.domain;
        let stack = &domain.memory.objects[usize::from(self.run.stack)];
        let mut dead = stack.cells.iter().take((in_use - stack.low).max(0) as usize).flatten();
        self.dead_secrets |= dead.any(|cell| domain.is_secret(&cell.value));
        let least = left.least.saturating_sub(done as u64);
        let of = &self.cases[case];
        let lasts = of.values_after(done);
        let from = match self.from {
            None => From::Entry,
            Some(from) if from == site => From::Itself,
            Some(_) => From::Another,
        };
        let widths: Vec<u8> = self.run.isa.about.registers.iter().map(|(_, width)| *width).collect();
        let (registers, widths) = (&registers[..], &widths[..]);
        let arrival = Arrival { registers, widths, blocks: done as i64, left: least, in_use, lasts, from };
        let text = &self.text[if self.names.text.is_empty() { 0 } else { done }..][..self.names.text.len()];
        let present = Present { chain: &chain, lasts: of.lasts.get(done + 1..).unwrap_or_default(), text };
        let has_parts = !of.parts.is_empty();
        match self.templates.get_mut(&site) {
            None if has_parts => return Ok(false),
            None => {
                let mut names = Chain::new(&mut domain.bits, &present, &self.names, &self.stay);
                let template = Template::read(domain, &arrival, &mut names);
                self.templates.insert(site, template);
                self.open.insert(site);
            }
            Some(template) => {
                let mut instance = Instance::new(&domain.bits, &self.names, &present);
                if has_parts {
                    let mut same = template.clone();
                    let held = same.holds(domain, &arrival, &mut instance);
                    if held {
                        template.done = same.done;
                        self.dead_secrets |= instance.forgets_secret;
                    }
                    return Ok(held);
                }
                if !template.holds(domain, &arrival, &mut instance) {
                    self.open.insert(site);
                }
                self.dead_secrets |= instance.forgets_secret;
            }
        }
        Ok(true)
    }

    /// Stores the chain in memory with one byte a cell, whether it was stored in words or in bytes: paths that meet at
    /// a cut may differ in that.
    fn chain_by_bytes(&mut self) {
        let domain = &mut self.run.domain;
        let iv = usize::from(self.buffers.iv);
        for place in 0..domain.memory.objects[iv].cells.len() {
            let Some(cell) = domain.memory.objects[iv].cells[place].clone() else { continue };
            if let Some(value) = byte_of(domain, &cell) {
                domain.memory.objects[iv].cells[place] = Some(Cell { value, at: 0, bytes: 1 });
            }
        }
    }

    fn returned(&mut self, case: usize, left: Left, wanted: &[(State, State)]) -> Result<(), Refutation> {
        self.run.returned_well()?;
        self.note();
        let done = self.done(wanted)?;
        if left.least != left.most || left.least != done as u64 {
            return Err(general(&format!(
                "it returns after {done} more blocks where from {} to {} are left",
                left.least, left.most
            )));
        }
        let chain = self.after(case, done, wanted);
        compare(self.run, self.buffers.iv, 0, &chain, "block")?;
        let results = [self.buffers.output, self.buffers.iv];
        let blocks = self.blocks();
        let mut proof = evidence(self.run, &self.contract, &results, blocks);
        if let Some(before) = self.proof.take() {
            let mut registers = before.secret_registers;
            registers.extend(proof.secret_registers);
            registers.sort();
            registers.dedup();
            proof.secret_registers = registers;
            proof.secret_stack |= before.secret_stack;
        }
        self.proof = Some(proof);
        Ok(())
    }

    /// Records the accesses to objects since the last cut.
    fn note(&mut self) {
        let objects = &self.run.domain.memory.objects;
        self.touched.resize(objects.len(), (None, None, 1));
        let wider = |a: &mut Option<(i64, i64)>, b: Option<(i64, i64)>| {
            *a = match (*a, b) {
                (Some((x, y)), Some((u, v))) => Some((x.min(u), y.max(v))),
                (a, b) => a.or(b),
            };
        };
        for (object, (read, written, access)) in objects.iter().zip(&mut self.touched) {
            wider(read, object.read);
            wider(written, object.written);
            *access = (*access).max(object.access);
        }
    }

    /// The question about the number of blocks behind a bit, and true if the bit is the answer, false if it is the
    /// complement.
    fn question(&self, bit: Bit) -> Option<(Question, bool)> {
        let find = |bit: Bit| {
            let (_, question) = self.run.domain.questions.iter().find(|(b, _)| *b == bit & !ONE)?;
            (question.object == self.buffers.count).then_some((*question, bit & 1 == 0))
        };
        // A question about a part of the number has the same answer for other numbers.
        let whole = |q: &Question| q.low == 0 && q.width == self.run.pointer_width();
        if let Some(found) = find(bit) {
            return Some(found).filter(|(question, _)| whole(question));
        }
        let (a, b) = self.run.domain.bits.gate_of(bit)?;
        match (find(a)?, find(b)?) {
            // Two halves, compared one by one.
            ((low, true), (high, true)) => Some((together(low, high).filter(whole)?, bit & 1 == 0)),
            ((a, false), (b, false)) => Some((above(a, b).filter(whole)?, bit & 1 == 1)),
            _ => None,
        }
    }
}
