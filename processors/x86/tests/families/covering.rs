//! A covering sample of each technique's kernels: every two compatible values of two options occur together in
//! one of them. Options are dimensions, CPU level with width, task and key size. Long ranges count as classes
//! of magnitude in pairs, and each value by itself once.

use super::Ready;
use crate::native::Bytes;
use aesmith_arrange::{Dimension, Technique, Values, Variant};
use aesmith_cipher::{Direction, KeySize, Problem, Task, problem::STREAMS};
use aesmith_x86::dimensions::{self, DIMENSIONS, Dim};
use aesmith_x86::kernels::Target;
use aesmith_x86::requirements::REQUIREMENTS;
use aesmith_x86::targets;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// A place in which kernels of a technique are written differently: a CPU level, and the widths (log2 of the
/// blocks per register) that are tried on it.
type Place = (&'static str, &'static [u16]);

/// The places: two operands, three operands on xmm and on ymm with 16 registers, and AVX-512.
const fn places(technique: Technique) -> &'static [Place] {
    match technique {
        Technique::Aes => &[("aesni", &[0]), ("avx-aesni", &[0]), ("avx2-vaes", &[1]), ("vaes", &[1, 2])],
        Technique::Gfni => &[("gfni-sse", &[0]), ("avx2-gfni", &[0, 1]), ("gfni", &[1, 2])],
        Technique::Vperm => &[("ssse3", &[0]), ("avx", &[0]), ("avx2", &[1]), ("avx512", &[1, 2])],
        Technique::Bitsliced => {
            &[("sse2", &[0]), ("ssse3", &[0]), ("avx", &[0]), ("avx2", &[1]), ("avx512", &[1, 2])]
        }
        Technique::Vbmi => &[("vbmi", &[2])],
        Technique::Table | Technique::Bytewise => &[("sse2", &[0]), ("avx2", &[0])],
    }
}

/// The places of a technique that this CPU has; prints the missing ones.
pub fn places_here(technique: Technique) -> Vec<(Target, u16)> {
    let mut here = Vec::new();
    for (level, widths) in places(technique) {
        let target = targets::of(REQUIREMENTS.level(level).unwrap());
        if targets::here().has(target.features) {
            here.extend(widths.iter().map(|width| (target, *width)));
        } else {
            println!("skipped: {technique} on {level}, which this CPU is not");
        }
    }
    here
}

/// The message tasks.
pub fn tasks() -> impl Iterator<Item = Task> {
    let streams = STREAMS.map(|streams| Task::CbcEncrypt { streams });
    let parallel =
        [Task::Ctr, Task::Ecb(Direction::Encrypt), Task::Ecb(Direction::Decrypt), Task::CbcDecrypt];
    parallel.into_iter().chain(streams)
}

/// The factors that a sample varies.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Factor {
    Place,
    Task,
    Size,
    Dim(Dim),
}

/// Dimensions that put many rounds into one iteration.
const LENGTHENING: [Dim; 3] = [Dim::Interleave, Dim::Unroll, Dim::Interval];

/// A factor with one of its values.
type Setting = (Factor, u16);
type Pair = (Setting, Setting);

/// The class of a value: itself, or in long ranges its number of binary digits; for a mask: none, some or all.
fn class(dimension: &Dimension, value: u16) -> u16 {
    match dimension.values {
        Values::Mask(bits) => match value.count_ones() {
            0 => 0,
            ones if ones < bits => 1,
            _ => 2,
        },
        Values::Range(first, last) if last - first > 4 => (u16::BITS - value.leading_zeros()) as u16,
        _ => value,
    }
}

/// A kernel candidate: its variant, and the place in which it is built.
#[derive(Clone)]
struct Candidate {
    variant: Variant,
    place: usize,
}

/// A dimension and its values by class. Widths belong to places.
struct Axis {
    dimension: &'static Dimension,
    classes: BTreeMap<u16, Vec<u16>>,
}

/// The dimensions of a task with a technique.
fn axes(technique: Technique, task: Task) -> Rc<[Axis]> {
    let space = dimensions::TABLE.space_by(Problem::new(KeySize::Aes128, task), technique, 4);
    let axes = space.axes.into_iter().filter(|axis| Dim::of(axis.dimension) != Dim::Width).map(|axis| {
        let (dimension, mut classes) = (axis.dimension, BTreeMap::<u16, Vec<u16>>::new());
        // Wiping is not searched, so the space leaves it out.
        let values = if Dim::of(dimension) == Dim::Wipe { vec![0, 1] } else { axis.values };
        for value in values {
            classes.entry(class(dimension, value)).or_default().push(value);
        }
        Axis { dimension, classes }
    });
    axes.collect()
}

/// Required properties of a kernel to be added: settings, and at most one exact value.
struct Wish<'a> {
    settings: &'a [Setting],
    exact: Option<(Dim, u16)>,
}

/// The growing sample of a technique.
struct Cover {
    technique: Technique,
    places: Vec<(Target, u16)>,
    tasks: Vec<Task>,
    axes: BTreeMap<Task, Rc<[Axis]>>,
    /// Pairs that no kernel covers yet, and the tasks that have them.
    open: BTreeMap<Pair, Vec<Task>>,
    /// Values that occurred in a kernel.
    seen: BTreeSet<(Dim, u16)>,
    kernels: Vec<Ready>,
    /// Number of candidates that needed more registers than there are, another shape or other instructions.
    unfit: usize,
    bytes: Bytes,
}

/// The kernels of a technique's sample; those for one problem on one target are consecutive.
///
/// # Panics
/// If no kernel fits a value of a dimension, on a CPU that has every level.
pub fn covering(technique: Technique) -> Vec<Ready> {
    let places = places_here(technique);
    if places.is_empty() {
        return Vec::new();
    }
    let mut cover = Cover {
        technique,
        places,
        tasks: tasks().collect(),
        axes: tasks().map(|task| (task, axes(technique, task))).collect(),
        open: BTreeMap::new(),
        seen: BTreeSet::new(),
        kernels: Vec::new(),
        unfit: 0,
        bytes: Bytes(81),
    };
    cover.open_pairs();
    let all = cover.open.len();
    let mut excluded = 0;
    while let Some((pair, tasks)) = cover.open.pop_first() {
        let wish = Wish { settings: &[pair.0, pair.1], exact: None };
        excluded += usize::from(!cover.add(&wish, &tasks));
    }
    cover.single_values();
    println!(
        "{technique}: {} kernels for {} of {all} pairs of options; {excluded} do not go together; {} \
         candidates did not fit",
        cover.kernels.len(),
        all - excluded,
        cover.unfit
    );
    let group = |ready: &Ready| (ready.kernel.variant.problem, ready.target.set());
    cover.kernels.sort_by_key(group);
    cover.kernels
}

impl Cover {
    fn open_pairs(&mut self) {
        for (number, task) in (0..).zip(self.tasks.clone()) {
            let mut factors = vec![
                (Factor::Place, (0..self.places.len() as u16).collect::<BTreeSet<_>>()),
                (Factor::Task, BTreeSet::from([number])),
                (Factor::Size, (0..3).collect()),
            ];
            for axis in &*self.axes[&task] {
                factors.push((Factor::Dim(Dim::of(axis.dimension)), axis.classes.keys().copied().collect()));
            }
            for (i, (a, of_a)) in factors.iter().enumerate() {
                for (b, of_b) in &factors[i + 1..] {
                    for (&x, &y) in of_a.iter().flat_map(|x| of_b.iter().map(move |y| (x, y))) {
                        self.open.entry(((*a, x), (*b, y))).or_default().push(task);
                    }
                }
            }
        }
    }

    /// True if a round takes many instructions.
    fn long_rounds(&self) -> bool {
        matches!(self.technique, Technique::Bitsliced | Technique::Vperm)
    }

    /// A random value in a class, one that no kernel had yet if a few draws find it.
    fn draw(&mut self, axis: &Axis, wanted: u16) -> u16 {
        let within = &axis.classes[&wanted];
        let mut value = within[self.bytes.below(within.len())];
        for _ in 0..4 {
            if self.seen.contains(&(Dim::of(axis.dimension), value)) {
                value = within[self.bytes.below(within.len())];
            }
        }
        value
    }

    /// A random candidate for a request. The greater `plainness`, the more of its other dimensions have their
    /// defaults.
    fn candidate(&mut self, wish: &Wish, task: Task, plainness: usize) -> Candidate {
        let settings = wish.settings;
        let fixed = |factor| settings.iter().find(|s| s.0 == factor).map(|s| s.1);
        let size = fixed(Factor::Size).unwrap_or(self.bytes.below(3) as u16);
        let any = self.bytes.below(self.places.len()) as u16;
        let place = usize::from(fixed(Factor::Place).unwrap_or(any));
        let problem = Problem::new(KeySize::ALL[usize::from(size)], task);
        let mut variant = dimensions::plain(problem, self.technique);
        variant.set(Dim::Width, if self.technique.on_words() { 0 } else { self.places[place].1 });
        for axis in &*self.axes[&task].clone() {
            let (dim, classes) = (Dim::of(axis.dimension), &axis.classes);
            let wanted = match fixed(Factor::Dim(dim)) {
                Some(wanted) => wanted,
                None if self.bytes.below(4) < plainness => continue,
                // Code whose rounds take many instructions is slow to write, most of all in pipelines: it has
                // many blocks in flight only if requested.
                None if self.long_rounds() && LENGTHENING.contains(&dim) => 0,
                None => *classes.keys().nth(self.bytes.below(classes.len())).unwrap(),
            };
            let value = match wish.exact {
                Some((exact, value)) if exact == dim => value,
                _ => self.draw(axis, wanted),
            };
            variant.set(dim, value);
        }
        let wants = |dim| fixed(Factor::Dim(dim)).is_some();
        self.make_room(&mut variant, wants);
        Candidate { variant: variant.clamped(), place }
    }

    /// Sets the layout, the prefetch and the factor that the requested dimensions need, unless these are
    /// requested themselves.
    fn make_room(&self, variant: &mut Variant, wants: impl Fn(Dim) -> bool) {
        let axes = &self.axes[&variant.problem.task];
        let has = |dim| axes.iter().any(|axis| Dim::of(axis.dimension) == dim);
        let idle = |sliced| {
            let mut wanted = axes.iter().map(|axis| Dim::of(axis.dimension)).filter(|dim| wants(*dim));
            wanted.any(|dim| dim.idle_in(self.technique, sliced))
        };
        let sliceable = has(Dim::Layout);
        if sliceable && !wants(Dim::Layout) && idle(variant.sliced()) {
            variant.set(Dim::Layout, u16::from(!variant.sliced()));
        }
        let (source, ahead) = (variant.get(Dim::Source), variant.get(Dim::Ahead));
        let far = [(Dim::Source, source), (Dim::Ahead, ahead + 1)];
        for (_, least) in far.into_iter().filter(|(dim, least)| wants(*dim) && *least > 1) {
            if !wants(Dim::Prefetch) {
                variant.set(Dim::Prefetch, 1);
            }
            for factor in [Dim::Interleave, Dim::Unroll] {
                if has(factor) && !wants(factor) {
                    variant.set(factor, variant.get(factor).max(least).min(15));
                }
            }
        }
    }

    /// The settings of a candidate that its layout uses.
    fn settings(&self, candidate: &Candidate) -> Vec<Setting> {
        let Candidate { variant, place } = candidate;
        let task = self.tasks.iter().position(|t| *t == variant.problem.task).unwrap();
        let size = KeySize::ALL.iter().position(|s| *s == variant.problem.key).unwrap();
        let mut settings =
            vec![(Factor::Place, *place as u16), (Factor::Task, task as u16), (Factor::Size, size as u16)];
        let used = self.axes[&variant.problem.task].iter().map(|axis| axis.dimension);
        let used = used.filter(|d| !Dim::of(d).idle_in(self.technique, variant.sliced()));
        settings.extend(used.map(|d| (Factor::Dim(Dim::of(d)), class(d, variant.get(Dim::of(d))))));
        settings
    }

    /// The number of open pairs that a candidate covers.
    fn gain(&self, candidate: &Candidate) -> usize {
        pairs(&self.settings(candidate)).filter(|pair| self.open.contains_key(pair)).count()
    }

    /// True if a candidate fulfils the request: incompatible values have been changed.
    fn grants(&self, wish: &Wish, candidate: &Candidate) -> bool {
        let set = self.settings(candidate);
        wish.settings.iter().all(|s| set.contains(s))
            && wish.exact.is_none_or(|(dim, value)| candidate.variant.get(dim) == value)
            && candidate.variant.check().is_ok()
    }

    /// Adds a kernel that fulfils the request; false if none of several candidates fits.
    fn add(&mut self, wish: &Wish, tasks: &[Task]) -> bool {
        for plainness in [0, 2, 3, 4, 4, 4, 4] {
            let mut best: Option<(usize, Candidate)> = None;
            for _ in 0..12 {
                let task = tasks[self.bytes.below(tasks.len())];
                let candidate = self.candidate(wish, task, plainness);
                let gain = self.gain(&candidate);
                if self.grants(wish, &candidate) && best.as_ref().is_none_or(|(most, _)| gain > *most) {
                    best = Some((gain, candidate));
                }
            }
            if let Some((_, candidate)) = best
                && self.take(&candidate)
            {
                return true;
            }
        }
        false
    }

    /// Builds a candidate and adds it to the sample if it fits.
    fn take(&mut self, candidate: &Candidate) -> bool {
        // An option may need an instruction that the lower levels of a technique lack.
        let Ok(ready) = Ready::of(&candidate.variant, &self.places[candidate.place].0) else {
            self.unfit += 1;
            return false;
        };
        for pair in pairs(&self.settings(candidate)) {
            self.open.remove(&pair);
        }
        for axis in &*self.axes[&candidate.variant.problem.task] {
            self.seen.insert((Dim::of(axis.dimension), candidate.variant.get(Dim::of(axis.dimension))));
        }
        self.kernels.push(ready);
        true
    }

    /// Adds kernels until each value of each dimension occurs in one; for a mask, each element both in and out.
    fn single_values(&mut self) {
        let mut wanted: BTreeMap<(Dim, u16), Vec<Task>> = BTreeMap::new();
        for (task, axes) in &self.axes {
            for Axis { dimension, classes } in &**axes {
                if !matches!(dimension.values, Values::Mask(_)) {
                    let values = classes.values().flatten();
                    values.for_each(|v| wanted.entry((Dim::of(dimension), *v)).or_default().push(*task));
                }
            }
        }
        for ((dim, value), tasks) in wanted {
            let settings = [(Factor::Dim(dim), class(&DIMENSIONS[dim as usize], value))];
            let wish = Wish { settings: &settings, exact: Some((dim, value)) };
            let had = self.seen.contains(&(dim, value)) || self.add(&wish, &tasks);
            let everywhere: usize = places(self.technique).iter().map(|place| place.1.len()).sum();
            if !had && self.places.len() < everywhere {
                println!(
                    "skipped: {} with {dim:?} = {value}, as no level of this CPU has it",
                    self.technique
                );
                continue;
            }
            assert!(had, "no kernel by {} fits with {dim:?} = {value}", self.technique);
        }
        let masks: Vec<u16> = self.kernels.iter().map(|r| r.kernel.variant.get(Dim::Keys)).collect();
        if !self.technique.on_words() {
            assert_eq!(masks.iter().fold(0, |any, mask| any | mask), 0x7fff, "round keys in registers");
            assert_eq!(masks.iter().fold(0x7fff, |all, mask| all & mask), 0, "round keys in memory");
        }
    }
}

fn pairs(settings: &[Setting]) -> impl Iterator<Item = Pair> {
    let after = settings.iter().enumerate().map(|(i, a)| (*a, &settings[i + 1..]));
    after.flat_map(|(a, rest)| rest.iter().map(move |b| (a, *b)))
}
