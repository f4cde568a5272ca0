//! Register allocation for an ordered block, and spilling where there are too few registers.

use rand::seq::SliceRandom;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use aesmith_isa::assemble::Item;
use aesmith_isa::table::{Insn, Isa, Kind};

use super::block::{Block, Constraints, Piece, Spill};
use super::depend::Graph;
use super::pressure::{Pressure, number};

/// The number of attempts with other choices when required registers conflict.
const TRIES: usize = 200;

/// The assignment of a register to each virtual one.
pub struct Registers(Vec<Option<u8>>);

impl Registers {
    /// The item with its registers replaced.
    pub fn put(&self, isa: &Isa, item: &Item) -> Item {
        let mut item = item.clone();
        if let Item::Insn(insn) | Item::Linked { insn, .. } = &mut item {
            for (place, field) in isa.of(insn).fields.iter().enumerate() {
                if let (Kind::Register { .. }, Some(v)) = (field.kind, number(insn.fields[place])) {
                    insn.fields[place] = self.0[v as usize].map_or(0, i32::from);
                }
            }
        }
        item
    }

    /// The register of a virtual one.
    pub fn of(&self, number: usize) -> Option<u8> {
        self.0[number]
    }

    /// Assigns another register to a virtual one.
    pub fn give(&mut self, number: usize, register: u8) {
        self.0[number] = Some(register);
    }

    /// The assigned registers, ascending.
    pub fn used(&self) -> Vec<u8> {
        let mut used: Vec<u8> = self.0.iter().flatten().copied().collect();
        used.sort_unstable();
        used.dedup();
        used
    }
}

/// The live range of a virtual register in an order: from just after `.0` until `.1`, doubled so that an instruction's
/// results may take the registers of its operands.
pub type Interval = (usize, usize);

/// The live ranges in an order, by virtual register.
pub(crate) fn intervals(pressure: &Pressure, order: &[u16]) -> Vec<Option<Interval>> {
    let mut place = vec![0; order.len()];
    for (at, &k) in order.iter().enumerate() {
        place[usize::from(k)] = at as u16;
    }
    (0..pressure.virtuals.len()).map(|v| interval(pressure, v, &place, order.len())).collect()
}

fn interval(pressure: &Pressure, number: usize, place: &[u16], end: usize) -> Option<Interval> {
    let v = &pressure.virtuals[number];
    let last = v.accesses.iter().max_by_key(|&&k| place[usize::from(k)]);
    let written = last.is_some_and(|&k| pressure.touched[usize::from(k)].contains(&(number as u32, true)));
    let places = v.accesses.iter().map(|&k| usize::from(place[usize::from(k)]));
    let first = if v.enters.is_some() { 0 } else { 2 * places.clone().min()? + 2 };
    let last = if v.leaves { 2 * end + 2 } else { 2 * places.max().unwrap_or(0) + 1 + usize::from(written) };
    v.is_used().then_some((first, last))
}

/// Assigns a register to every virtual one, or returns the place where there are too few.
pub fn allocate(
    graph: &Graph,
    pressure: &Pressure,
    order: &[u16],
    constraints: &Constraints,
    seed: u32,
) -> Result<Registers, String> {
    let intervals = intervals(pressure, order);
    let mut random = ChaCha8Rng::seed_from_u64(u64::from(seed));
    let mut liked: Vec<u8> = constraints.free.to_vec();
    let mut failed = None;
    for _ in 0..TRIES {
        match once(pressure, &intervals, &liked, constraints.free, &mut random) {
            Ok(registers) => return Ok(registers),
            Err(at) => failed = Some(at),
        }
        liked.shuffle(&mut random);
    }
    let at = failed.unwrap_or(0);
    let live = intervals.iter().flatten().filter(|(from, until)| (*from..=*until).contains(&at)).count();
    let reads = order.get(at / 2).map_or(0, |&k| graph.access[usize::from(k)].reads.len());
    Err(format!(
        "registers do not suffice: {live} values are alive at instruction {} of {} (which reads {reads}), and {} registers are free",
        at / 2,
        order.len(),
        constraints.free.len()
    ))
}

/// A single attempt; on failure, returns the place.
fn once(
    pressure: &Pressure,
    intervals: &[Option<Interval>],
    liked: &[u8],
    free: &[u8],
    random: &mut ChaCha8Rng,
) -> Result<Registers, usize> {
    let mut given: Vec<Option<u8>> = vec![None; intervals.len()];
    // The live ranges of the values in each register.
    let mut busy: Vec<Vec<Interval>> = vec![Vec::new(); 256];
    let mut rest = Vec::new();
    for (v, interval) in intervals.iter().enumerate() {
        let Some((from, until)) = *interval else { continue };
        let mask = pressure.virtuals[v].mask;
        if let Some(r) = mask.only() {
            let taken = &mut busy[usize::from(r)];
            if taken.iter().any(|&(f, u)| f <= until && from <= u) {
                return Err(from);
            }
            taken.push((from, until));
            given[v] = Some(r);
        } else {
            rest.push((from, until, v));
        }
    }
    rest.sort_unstable();
    let shuffled = liked != free;
    for (from, until, v) in rest {
        let mask = pressure.virtuals[v].mask;
        let fits = |r: &&u8| {
            mask.contains(**r) && !busy[usize::from(**r)].iter().any(|&(f, u)| f <= until && from <= u)
        };
        // Where there is a choice, registers that few values can take are left for those values.
        let mut choice: Vec<&u8> = liked.iter().filter(fits).collect();
        if shuffled && choice.len() > 1 && random.random_bool(0.5) {
            choice.swap(0, 1);
        }
        let r = **choice.first().ok_or(from)?;
        busy[usize::from(r)].push((from, until));
        given[v] = Some(r);
    }
    Ok(Registers(given))
}

/// The block in this order with one more value spilled: the live one, at the place with the highest excess, whose next
/// read is furthest. `None` if no value can be spilled.
pub(crate) fn put_off(
    block: &Block,
    graph: &Graph,
    pressure: &Pressure,
    order: &[u16],
    spill: &Spill,
    slot: usize,
) -> Option<Block> {
    let mut place = vec![0; order.len()];
    for (at, &k) in order.iter().enumerate() {
        place[usize::from(k)] = at as u16;
    }
    let mut counts = pressure.start();
    let lacks: Vec<u32> = (0..order.len())
        .map(|at| {
            let excess = pressure.over(order[at], at as u16, &place, &mut counts);
            1000 * excess + u32::from(counts[0])
        })
        .collect();
    let worst = (0..order.len()).max_by_key(|&at| (lacks[at], std::cmp::Reverse(at)))?;
    let next = |v: usize| -> Option<usize> {
        let v = &pressure.virtuals[v];
        let places = || v.accesses.iter().map(|&k| usize::from(place[usize::from(k)]));
        let alive = v.enters.is_some() || places().any(|p| p < worst);
        let plain = v.mask.count() > 1 && !v.leaves && !places().any(|p| p == worst);
        (alive && plain).then(|| places().filter(|&p| p > worst).min()).flatten()
    };
    let victim = (0..pressure.virtuals.len()).filter_map(|v| Some((next(v)?, v))).max()?.1;
    let victim = Insn::VIRTUAL + victim as i32;
    let mut changed = Block { pieces: Vec::new(), ..block.clone() };
    let region = Some(u16::MAX - slot as u16);
    for &k in order {
        let mut piece = block.pieces[usize::from(k)].clone();
        let access = &graph.access[usize::from(k)];
        let (reads, writes) = (access.reads.contains(&victim), access.writes.contains(&victim));
        if !reads && !writes {
            changed.pieces.push(piece);
            continue;
        }
        let v = changed.fresh();
        if let Item::Insn(insn) | Item::Linked { insn, .. } = &mut piece.item {
            for field in &mut insn.fields {
                if *field == victim {
                    *field = v;
                }
            }
        }
        if reads {
            changed.pieces.push(Piece { item: Item::Insn((spill.load)(slot, v)), region });
        }
        changed.pieces.push(piece);
        if writes {
            changed.pieces.push(Piece { item: Item::Insn((spill.store)(slot, v)), region });
        }
    }
    Some(changed)
}
