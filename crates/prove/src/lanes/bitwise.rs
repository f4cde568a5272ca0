//! Lanes that are bitwise functions of other lanes: the gates of a bit-sliced S-box, computed from the eight lanes that
//! hold a bit of the state each.
//!
//! A function is a truth table over a *space*: up to eight lanes, none of which is a sum of others. Its affine part is
//! kept as a sum of lanes, so that an atom is a table without one. As soon as a table is, up to an affine part, a sum
//! of output bits of the S-box of the byte whose bits the space holds, it becomes a sum of the atoms of those output
//! bits.

mod spaces;

use crate::algebra::folds::{Fold, fold};
use crate::algebra::maps::IDENTITY;
use crate::algebra::matrices::{Coefficient, Matrix};
use crate::algebra::truths::Truth;
use crate::lanes::functions::{FOLD, VALUES};
use crate::lanes::intern::{FastMap, Memo};
use crate::lanes::terms::{Atom, Lane, Terms};

/// The most folds that are kept when everything else is cleared.
const MOST_FOLDS: usize = 1 << 14;

/// The number of full spaces in which the next table is looked for: those of the S-boxes in progress.
const MOST_RECENT: usize = 16;

/// Sliced S-boxes: one at each bit position of eight lanes, bit 0 of the byte first.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Instance {
    /// True for the inverse S-box.
    pub inverse: bool,
    /// The lanes.
    pub lanes: [Lane; 8],
}

/// Independent lanes, bit 0 of each constant zero.
#[derive(Clone, Copy)]
struct Space {
    lanes: [Lane; 8],
    count: usize,
    /// Sums of the lanes' linear hashes, each with a leading bit that no later one has, and the mask of their lanes.
    echelon: [(u64, u8); 8],
}

/// Tables and memos that keep truth tables canonical and fast.
#[derive(Default)]
pub struct Bitwise {
    /// Sliced S-boxes by number.
    pub instances: Vec<Instance>,
    instances_of: FastMap<Instance, u32>,
    /// Outputs of sliced S-boxes at one position, by instance and position.
    pub sliced_bytes: Memo<u64, crate::lanes::forms::Form>,
    spaces: Vec<Space>,
    spaces_of: FastMap<[Lane; 8], u32>,
    /// Tables by number: a space and the truth table over it.
    tables: Vec<(u32, Truth)>,
    tables_of: FastMap<(u32, Truth), u32>,
    /// Lanes as sums of a space's lanes, by space and lane: the mask of the summands, and true for the complement.
    expressed: Memo<u64, Option<(u8, bool)>>,
    extended: Memo<u64, Option<u32>>,
    hashes: Memo<Lane, u64>,
    lifted: Memo<u64, Truth>,
    products: Memo<u64, Lane>,
    sums: Memo<u64, Lane>,
    /// The natural coordinates in which a space's tables folded.
    natural: FastMap<u32, Matrix>,
    /// Folds of truth tables in other coordinates.
    folds: Memo<(Truth, Matrix), Option<Fold>>,
    recent: Vec<u32>,
}

impl Bitwise {
    /// Calls [`Memo::check`], or [`Memo::check_again`], of all memos.
    pub(crate) fn check_memos(&mut self, begin: bool) {
        self.sliced_bytes.check_if(begin);
        self.expressed.check_if(begin);
        self.extended.check_if(begin);
        self.hashes.check_if(begin);
        self.lifted.check_if(begin);
        self.products.check_if(begin);
        self.sums.check_if(begin);
        self.folds.check_if(begin);
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.instances.clear();
        self.instances_of.clear();
        self.sliced_bytes.clear();
        self.spaces.clear();
        self.spaces_of.clear();
        self.tables.clear();
        self.tables_of.clear();
        self.expressed.clear();
        self.extended.clear();
        self.hashes.clear();
        self.lifted.clear();
        self.products.clear();
        self.sums.clear();
        self.natural.clear();
        if self.folds.count() > MOST_FOLDS {
            self.folds.clear();
        }
        self.recent.clear();
    }

    /// The number of a sliced S-box.
    pub fn instance(&mut self, of: Instance) -> u32 {
        let fresh = self.instances.len() as u32;
        let number = *self.instances_of.entry(of).or_insert(fresh);
        if number == fresh {
            self.instances.push(of);
        }
        number
    }

    /// The lanes on which a table depends.
    pub fn lanes(&self, table: u32) -> &[Lane] {
        let space = &self.spaces[self.tables[table as usize].0 as usize];
        &space.lanes[..space.count]
    }

    fn table(&mut self, space: u32, truth: Truth) -> u32 {
        let fresh = self.tables.len() as u32;
        let number = *self.tables_of.entry((space, truth)).or_insert(fresh);
        if number == fresh {
            self.tables.push((space, truth));
        }
        number
    }

    /// The fold of a truth table in other coordinates. It does not depend on lanes, and each S-box of each round asks
    /// for the same few.
    fn fold_of(&mut self, truth: Truth, coordinates: Matrix) -> Option<Fold> {
        if let Some(known) = self.folds.get(&(truth, coordinates)) {
            return known;
        }
        let found = fold(&truth.of_affine(coordinates, 0).values());
        self.folds.insert((truth, coordinates), found);
        found
    }

    fn used(&mut self, space: u32) {
        if self.recent.first() == Some(&space) {
            return;
        }
        self.recent.retain(|&s| s != space);
        self.recent.insert(0, space);
        self.recent.truncate(MOST_RECENT);
    }
}

fn pair(a: u32, b: u32) -> u64 {
    u64::from(a) << 32 | u64::from(b)
}

impl Terms {
    /// `a & b`; `None` if that is a function of more than eight bits of lanes.
    pub fn product(&mut self, a: Lane, b: Lane) -> Option<Lane> {
        // Each lane is written in one way, or a space could hold equal lanes.
        let (a, b) = (self.opened_lane(a), self.opened_lane(b));
        if a == b {
            return Some(a);
        }
        let key = pair(a.0.min(b.0), a.0.max(b.0));
        if let Some(known) = self.bitwise.products.get(&key) {
            return Some(known);
        }
        let product = if self.support(a) & self.support(b) == 0 {
            Lane::ZERO
        } else {
            let ((x, of_x), (y, of_y)) = (self.split_tables(a), self.split_tables(b));
            let space = self.space_of(&[of_x.as_slice(), &of_y].concat(), &[x, y])?;
            let truth = self.truth(space, x, &of_x)?.and(self.truth(space, y, &of_y)?);
            self.lane_of(space, truth)
        };
        // The space of a table depends on earlier queries.
        if let Some(before) = self.bitwise.products.insert_alike(key, product) {
            assert_eq!(self.xor(before, product), Lane::ZERO, "a product is remembered as another");
        }
        Some(product)
    }

    /// `a ^ b` of lanes that both have tables; tables over one space are merged.
    pub(crate) fn xor_tables(&mut self, a: Lane, b: Lane) -> Lane {
        if a == b {
            return Lane::ZERO;
        }
        let key = pair(a.0.min(b.0), a.0.max(b.0));
        if let Some(known) = self.bitwise.sums.get(&key) {
            return known;
        }
        let ((x, of_x), (y, of_y)) = (self.split_tables(a), self.split_tables(b));
        let mut sum = self.xor_atoms(x, y);
        let mut groups: Vec<(u32, Truth)> = Vec::new();
        for table in of_x.into_iter().chain(of_y) {
            let (space, truth) = self.bitwise.tables[table as usize];
            let merged = (0..groups.len()).find_map(|g| {
                let lanes = self.bitwise.spaces[groups[g].0 as usize].lanes;
                let joint = self.grown(space, &lanes)?;
                let left = self.lifted_truth(groups[g], joint)?;
                let right = self.lifted_truth((space, truth), joint)?;
                Some((g, (joint, left.xor(right))))
            });
            match merged {
                Some((g, group)) => groups[g] = group,
                None => groups.push((space, truth)),
            }
        }
        for (space, truth) in groups {
            let part = self.lane_of(space, truth);
            sum = self.xor_atoms(sum, part);
        }
        if let Some(before) = self.bitwise.sums.insert_alike(key, sum) {
            assert_eq!(self.xor(before, sum), Lane::ZERO, "a sum is remembered as another");
        }
        sum
    }

    /// Splits a lane into its tables and the rest.
    fn split_tables(&mut self, lane: Lane) -> (Lane, Vec<u32>) {
        let mut tables = Vec::new();
        if !self.is_tabled(lane) {
            return (lane, tables);
        }
        let mut rest = lane;
        for k in 0..self.summands(lane) {
            let (number, map) = self.member(lane, k);
            if let (Atom::Table { index }, IDENTITY) = (self.atoms[number as usize], map) {
                tables.push(index);
                rest = self.xor_atoms(rest, self.single(number));
            }
        }
        (rest, tables)
    }

    /// A lane with its tables, as a truth table over a space that contains them.
    fn truth(&mut self, space: u32, linear: Lane, tables: &[u32]) -> Option<Truth> {
        let (mask, constant) = self.express(space, linear)?;
        let mut truth = Truth::affine(mask, constant);
        for &table in tables {
            let part = self.lifted_truth(self.bitwise.tables[table as usize], space)?;
            truth = truth.xor(part);
        }
        Some(truth)
    }

    /// A truth table over another space, which contains the first.
    fn lifted_truth(&mut self, (from, truth): (u32, Truth), to: u32) -> Option<Truth> {
        if from == to {
            return Some(truth);
        }
        let table = self.bitwise.table(from, truth);
        let key = pair(table, to);
        if let Some(known) = self.bitwise.lifted.get(&key) {
            return Some(known);
        }
        let Space { lanes, count, .. } = self.bitwise.spaces[from as usize];
        let (mut rows, mut constant) = ([0u8; 8], 0u8);
        for i in 0..count {
            let (mask, complement) = self.express(to, lanes[i])?;
            rows[i] = mask;
            constant |= u8::from(complement) << i;
        }
        self.forms.work += VALUES;
        let lifted = truth.of_affine(Matrix(u64::from_le_bytes(rows)).transposed(), constant);
        self.bitwise.lifted.insert(key, lifted);
        Some(lifted)
    }

    /// The lane of a truth table over a space.
    fn lane_of(&mut self, space: u32, truth: Truth) -> Lane {
        self.forms.work += VALUES / 4;
        let (mask, constant, rest) = truth.split();
        let affine = self.lane_of_affine(space, mask, constant);
        if rest == Truth::FALSE {
            return affine;
        }
        let part = match self.folded(space, rest) {
            Some(folded) => folded,
            None => {
                let index = self.bitwise.table(space, rest);
                self.atom(Atom::Table { index })
            }
        };
        self.xor_atoms(affine, part)
    }

    /// A table as the same function of other lanes.
    pub(crate) fn table_over(&mut self, table: u32, lanes: &[Lane]) -> Option<Lane> {
        let lanes: Vec<Lane> = lanes.iter().map(|&lane| self.opened_lane(lane)).collect();
        let (_, truth) = self.bitwise.tables[table as usize];
        let start = self.space([Lane::ZERO; 8], 0, [(0, 0); 8]);
        let space = self.grown(start, &lanes)?;
        let (mut rows, mut constant) = ([0u8; 8], 0u8);
        for (i, &lane) in lanes.iter().enumerate() {
            let (mask, complement) = self.express(space, lane)?;
            rows[i] = mask;
            constant |= u8::from(complement) << i;
        }
        let truth = truth.of_affine(Matrix(u64::from_le_bytes(rows)).transposed(), constant);
        Some(self.lane_of(space, truth))
    }

    fn lane_of_affine(&mut self, space: u32, mask: u8, constant: bool) -> Lane {
        let lanes = self.bitwise.spaces[space as usize].lanes;
        let mut sum = self.constant(if constant { u128::MAX } else { 0 });
        for (i, &lane) in lanes.iter().enumerate() {
            if mask >> i & 1 == 1 {
                sum = self.xor_atoms(sum, lane);
            }
        }
        sum
    }

    /// A table as a sum of sliced S-box outputs, if it is one.
    fn folded(&mut self, space: u32, truth: Truth) -> Option<Lane> {
        let Space { lanes, count, .. } = self.bitwise.spaces[space as usize];
        if count < 8 || !truth.has_degree_seven() || lanes.iter().any(|&lane| self.is_too_deep(lane)) {
            return None;
        }
        let candidates = match self.bitwise.natural.get(&space) {
            Some(&natural) => vec![natural],
            None => self.natural_coordinates(&lanes),
        };
        for natural in candidates {
            let known = self.bitwise.folds.count();
            let fold = self.bitwise.fold_of(truth, natural);
            self.forms.work += if self.bitwise.folds.count() > known { FOLD } else { 1 };
            let Some(fold) = fold else { continue };
            self.bitwise.natural.insert(space, natural);
            let back = natural.inverse().expect("coordinates").transposed().0.to_le_bytes();
            let bytes = back.map(|mask| self.lane_of_affine(space, mask, false));
            let mut of = Instance { inverse: fold.inverse, lanes: bytes };
            let ones = self.constant(u128::MAX);
            for (j, lane) in of.lanes.iter_mut().enumerate() {
                if fold.offset >> j & 1 == 1 {
                    *lane = self.xor_atoms(*lane, ones);
                }
            }
            let instance = self.bitwise.instance(of);
            let mut sum = self.constant(if fold.constant & 1 == 1 { u128::MAX } else { 0 });
            for (j, &byte) in bytes.iter().enumerate() {
                if fold.matrix.column(j) & 1 == 1 {
                    let output = self.atom(Atom::Sliced { instance, bit: j as u8 });
                    sum = self.xor_atoms(sum, output);
                }
                if fold.linear.column(j) & 1 == 1 {
                    sum = self.xor_atoms(sum, byte);
                }
            }
            return Some(sum);
        }
        None
    }

    /// Guesses the sums of bits of a byte that eight lanes hold: the coefficients of the atoms at the first position at
    /// which the lanes hold a whole byte. A round key's comes first.
    fn natural_coordinates(&mut self, lanes: &[Lane; 8]) -> Vec<Matrix> {
        for place in 0..128 {
            let byte = self.gather(lanes.map(|lane| (lane, place)));
            let coefficients: Vec<Coefficient> = self.forms.terms(byte).map(|(_, n)| n).collect();
            let mut found: Vec<Matrix> = Vec::new();
            for n in coefficients {
                let matrix = self.forms.matrices.get(n);
                if matrix.inverse().is_some() && !found.contains(&matrix) {
                    found.push(matrix);
                }
            }
            if !found.is_empty() {
                return found;
            }
        }
        Vec::new()
    }
}
