//! The kernels of a package for firmware: of each requested function, and of the key schedules that these
//! need. If the best of each exceed the limits together, all are chosen together.

use aesmith_arrange::Variant;
use aesmith_cipher::Problem;
use aesmith_cipher::firmware::Firmware;
use aesmith_emit::package::sizes::{Footprint, SharedTable, Sizes, footprint, sizes};
use aesmith_emit::schedule_of;
use aesmith_processor::bits_certificate::BitsCertificate;
use aesmith_processor::core::Core;
use aesmith_processor::cost::{BuiltKernel, Cost};
use aesmith_processor::timing::Timing;
use aesmith_wisdom::Store;
use std::collections::{BTreeMap, BTreeSet};

use crate::deliver::entries::with_shared_code;
use crate::deliver::firmware::{CoreDelivery, CoreRequest, best_known, known_kernels, modelled, of_variant};
use crate::deliver::together::{Candidate, Combination, Parts, Schedule, choose};
use crate::error::TuneError;
use crate::evaluate::confirm::{Examiner, certified};
use crate::evaluate::look::Look;
use crate::front::{Budgets, Objective};
use crate::request::{Request, TechniqueRequest};

pub use crate::deliver::together::keeps;

/// A request for a package.
pub struct PackageRequest<'a> {
    /// The functions; key schedules that they need are added.
    pub problems: Vec<Problem>,
    /// Text forms of variants prescribed for their problems, which may be key schedules that are added.
    pub given: &'a [(Problem, String)],
    /// The kernels that may be delivered, the objective, and the limits of the whole package. Restrictions on
    /// techniques and dimensions do not apply to key schedules that are added.
    pub request: &'a Request,
    /// Bytes of a message over which cycles are counted.
    pub size: Option<usize>,
    /// True for contracts of functions that are acceptable.
    pub contract: &'a dyn Fn(&Firmware) -> bool,
    /// The time for looking at variants if wisdom has none.
    pub how: Look<'a>,
}

impl<'a> PackageRequest<'a> {
    /// A request for the best kernels of these functions, without a time limit.
    pub fn of(problems: Vec<Problem>, request: &'a Request) -> PackageRequest<'a> {
        PackageRequest {
            problems,
            given: &[],
            request,
            size: None,
            contract: &|_| true,
            how: Look::default(),
        }
    }

    /// The text form of the variant that is prescribed for a problem.
    fn variant(&self, problem: Problem) -> Option<&'a str> {
        let given = self.given.iter().find(|(given, _)| *given == problem);
        given.map(|(_, text)| text.as_str())
    }
}

/// The kernels of a package.
pub struct PackageParts {
    /// Each function, followed by the key schedule that it needs, unless an earlier function needs it, too.
    pub parts: Vec<CoreDelivery>,
    /// Their sizes in one program, with equal tables counted once.
    pub sizes: Sizes,
}

/// Chooses the kernels of a package within the limits.
///
/// # Errors
/// A function has no kernel, or no combination keeps the limits; the message then gives the sizes of the
/// nearest one.
pub fn package(
    core: &'static Core,
    store: Option<&Store>,
    wanted: &PackageRequest,
) -> Result<PackageParts, TuneError> {
    let limits = wanted.request.budgets;
    // One package is made even if the objective is a front.
    let objective = match wanted.request.objective {
        Objective::Pareto => Objective::Cycles,
        objective => objective,
    };
    let parts = best_of_each(core, store, wanted, objective)?;
    let sizes = taken(core, &parts);
    // The fastest of each is the fastest package if it keeps the limits; the smallest package depends on the tables that
    // kernels share.
    if agree(&parts) && keeps(limits, sizes) && (objective == Objective::Cycles || parts.len() == 1) {
        return Ok(PackageParts { parts, sizes });
    }
    let chosen = together(core, store, wanted, objective)?;
    Ok(if objective == Objective::Code { with_shared_code(core, chosen, wanted.request) } else { chosen })
}

/// The best kernel of each function, and of the key schedules that they need.
fn best_of_each(
    core: &'static Core,
    store: Option<&Store>,
    wanted: &PackageRequest,
    objective: Objective,
) -> Result<Vec<CoreDelivery>, TuneError> {
    let mut parts: Vec<CoreDelivery> = Vec::new();
    // The limits apply to the whole package.
    let request = &Request { objective, budgets: Budgets::default(), ..wanted.request.clone() };
    for &problem in &wanted.problems {
        let delivery = match wanted.variant(problem) {
            Some(text) => of_variant(core, problem, text)?,
            None => {
                let (size, contract) = (wanted.size, wanted.contract);
                best_known(core, store, &CoreRequest { problem, request, size, contract, how: wanted.how })?
            }
        };
        let needs = needs(&delivery.made);
        parts.push(delivery);
        let Some((problem, packing)) = needs else { continue };
        if parts.iter().any(|p| p.made.kernel.contract.problem == problem) {
            continue;
        }
        if let Some(text) = wanted.variant(problem) {
            parts.push(of_variant(core, problem, text)?);
            continue;
        }
        let contract = &|c: &Firmware| c.packing == packing;
        let request = &of_schedules(request);
        let made =
            best_known(core, store, &CoreRequest { problem, request, size: None, contract, how: wanted.how });
        parts.push(made?);
    }
    Ok(parts)
}

/// The key schedule that names the key of a function on blocks or messages.
fn key(problem: Problem) -> Option<Problem> {
    problem.is_message().then(|| problem.key_schedule())
}

/// True if functions that share a key read it in one form, and each key schedule makes the form that they
/// read.
fn agree(parts: &[CoreDelivery]) -> bool {
    let contract = |part: &CoreDelivery| part.made.kernel.contract;
    let made = |need: Schedule| parts.iter().any(|p| (contract(p).problem, contract(p).packing) == need);
    let alike = |part: &CoreDelivery| {
        let own = key(contract(part).problem);
        let others = parts.iter().filter(|other| own.is_some() && key(contract(other).problem) == own);
        others.into_iter().all(|other| needs(&other.made) == needs(&part.made))
    };
    parts.iter().all(|part| alike(part) && needs(&part.made).is_none_or(made))
}

/// Lifts the restrictions on techniques and dimensions for key schedules that are added.
fn of_schedules(request: &Request) -> Request {
    Request { technique: TechniqueRequest::default(), only: Vec::new(), ..request.clone() }
}

/// The key schedule that a function on blocks or messages needs.
fn needs(made: &BuiltKernel) -> Option<Schedule> {
    let contract = &made.kernel.contract;
    schedule_of(contract).filter(|_| contract.problem.is_message())
}

/// A kernel that may go into the package.
struct Offer {
    made: BuiltKernel,
    /// Costs by the model.
    model: Cost,
    /// The costs with the cycles that a judge counts, or is expected to count.
    cost: Cost,
    /// Its certificate, if it is proved and confirmed, and true if a search found it.
    certified: Option<(BitsCertificate, bool)>,
}

/// All kernels of a problem: the confirmed ones, and all variants with their modelled costs.
fn offers(core: &'static Core, store: Option<&Store>, wanted: &CoreRequest) -> Result<Vec<Offer>, TuneError> {
    let size = wanted.size;
    let mut all = Vec::new();
    let mut known = BTreeSet::new();
    for CoreDelivery { certificate, made, tuned } in known_kernels(core, store, wanted)? {
        known.insert(certificate.variant.clone());
        let model = certificate.cost;
        let cost = Cost { cycles: certificate.cycles(), ..model }.at(size);
        all.push(Offer { made, model, cost, certified: Some((certificate, tuned)) });
    }
    // The ratio of judged to modelled cycles is expected to be the same for the other kernels.
    let certificates = all.iter().filter_map(|offer| offer.certified.as_ref());
    let ratios: Vec<f64> = certificates.map(|(c, _)| c.cycles() / c.cost.cycles).collect();
    let ratio = if ratios.is_empty() { 1.0 } else { ratios.iter().sum::<f64>() / ratios.len() as f64 };
    let new = |variant: &Variant| !known.contains(&variant.to_string());
    for (model, made) in modelled(core, wanted, new) {
        let cost = Cost { cycles: model.cycles * ratio, ..model }.at(size);
        all.push(Offer { made, model, cost, certified: None });
    }
    Ok(all)
}

/// The kernel of a prescribed variant.
fn given(core: &'static Core, problem: Problem, text: &str, size: Option<usize>) -> Result<Offer, TuneError> {
    let CoreDelivery { certificate, made, .. } = of_variant(core, problem, text)?;
    let model = certificate.cost;
    let cost = Cost { cycles: certificate.cycles(), ..model }.at(size);
    Ok(Offer { made, model, cost, certified: Some((certificate, false)) })
}

/// All candidates for a package; kernels are identified by their index.
#[derive(Default)]
struct Offered {
    kernels: Vec<Offer>,
    functions: Vec<Vec<usize>>,
    keys: Vec<Option<Problem>>,
    schedules: BTreeMap<Schedule, Vec<usize>>,
}

impl Offered {
    fn add(&mut self, offers: Vec<Offer>) -> Vec<usize> {
        let first = self.kernels.len();
        self.kernels.extend(offers);
        (first..self.kernels.len()).collect()
    }

    /// The best combination: its kernels in the order of a package, and its sizes.
    fn best(&self, core: &Core, limits: Budgets, objective: Objective) -> Option<(Vec<usize>, Combination)> {
        let mut numbers: BTreeMap<SharedTable, usize> = BTreeMap::new();
        let mut tables = Vec::new();
        let mut candidate = |&kernel: &usize| {
            let offer = &self.kernels[kernel];
            let Footprint { own, tables: shared } =
                footprint(core, &offer.made.kernel, Sizes::from(&offer.cost));
            let number = |table: SharedTable| {
                let (next, sizes) = (numbers.len(), table.sizes());
                *numbers.entry(table).or_insert_with(|| {
                    tables.push(sizes);
                    next
                })
            };
            let shared = shared.into_iter().map(number).collect();
            Candidate { cycles: offer.cost.cycles, own, tables: shared, needs: needs(&offer.made) }
        };
        let functions = self.functions.iter().map(|all| all.iter().map(&mut candidate).collect()).collect();
        let schedules = self.schedules.iter();
        let schedules =
            schedules.map(|(name, all)| (*name, all.iter().map(&mut candidate).collect())).collect();
        let parts = Parts { functions, keys: self.keys.clone(), schedules, tables };
        let found = choose(&parts, limits, objective)?;
        let mut kernels = Vec::new();
        let mut left = found.schedules.clone();
        for (all, &number) in self.functions.iter().zip(&found.functions) {
            let kernel = all[number];
            kernels.push(kernel);
            let need = needs(&self.kernels[kernel].made);
            if let Some(at) = left.iter().position(|(schedule, _)| Some(*schedule) == need) {
                let (schedule, number) = left.remove(at);
                kernels.push(self.schedules[&schedule][number]);
            }
        }
        Some((kernels, found))
    }

    /// Proves and confirms a kernel unless that is done; a refused kernel is no longer a candidate.
    fn certify(&mut self, core: &'static Core, kernel: usize, request: &Request) -> bool {
        let offer = &mut self.kernels[kernel];
        if offer.certified.is_some() {
            return true;
        }
        let judge = &mut Examiner::new(core);
        if let Ok(certificate) = certified(core, judge, &offer.made, offer.model, request.timing) {
            offer.certified = Some((certificate, false));
            return true;
        }
        let lists = self.functions.iter_mut().chain(self.schedules.values_mut());
        lists.for_each(|all| all.retain(|&other| other != kernel));
        false
    }
}

/// Chooses all kernels together.
fn together(
    core: &'static Core,
    store: Option<&Store>,
    wanted: &PackageRequest,
    objective: Objective,
) -> Result<PackageParts, TuneError> {
    let limits = wanted.request.budgets;
    // The limits apply to the whole package, not to single kernels.
    let request = &Request { objective, budgets: Budgets::default(), ..wanted.request.clone() };
    let how = Look { brief: wanted.how.brief && limits == Budgets::default(), limits, ..wanted.how };
    let mut offered = Offered::default();
    // Each function is looked at, and a key schedule for it.
    let shares = |from: usize| 2 * u32::try_from(wanted.problems.len() - from).unwrap_or(1);
    for (at, &problem) in wanted.problems.iter().enumerate() {
        let all = match wanted.variant(problem) {
            Some(text) => vec![given(core, problem, text, wanted.size)?],
            None => {
                let (size, contract) = (wanted.size, wanted.contract);
                let how = how.share(shares(at));
                offers(core, store, &CoreRequest { problem, request, size, contract, how })?
            }
        };
        let function = offered.add(all);
        let needed: BTreeSet<Schedule> =
            function.iter().filter_map(|&kernel| needs(&offered.kernels[kernel].made)).collect();
        offered.functions.push(function);
        offered.keys.push(key(problem));
        for (problem, packing) in needed {
            if !offered.schedules.contains_key(&(problem, packing)) {
                let contract = &|c: &Firmware| c.packing == packing;
                let request = &of_schedules(request);
                let all = match wanted.variant(problem) {
                    Some(text) => {
                        let one = given(core, problem, text, None)?;
                        Some(one).filter(|one| contract(&one.made.kernel.contract)).into_iter().collect()
                    }
                    None => {
                        let how = how.share(shares(at) - 1);
                        offers(core, store, &CoreRequest { problem, request, size: None, contract, how })?
                    }
                };
                let all = offered.add(all);
                offered.schedules.insert((problem, packing), all);
            }
        }
    }
    while let Some((kernels, found)) = offered.best(core, limits, objective) {
        if found.excess > 0.0 {
            let costs = kernels.iter().map(|&kernel| &offered.kernels[kernel]);
            let more = if how.is_over() { more(core, wanted) } else { String::new() };
            return Err(TuneError::NoResult(over(wanted.request, &found, &offered, costs) + &more));
        }
        if !kernels.iter().all(|&kernel| offered.certify(core, kernel, request)) {
            continue;
        }
        let mut all: Vec<Option<Offer>> = offered.kernels.into_iter().map(Some).collect();
        let delivered = |kernel: usize| {
            let Offer { made, certified, .. } = all[kernel].take()?;
            certified.map(|(certificate, tuned)| CoreDelivery { certificate, made, tuned })
        };
        let parts: Vec<CoreDelivery> = kernels.into_iter().filter_map(delivered).collect();
        let sizes = taken(core, &parts);
        return Ok(PackageParts { parts, sizes });
    }
    Err(TuneError::NoResult(
        "no combination of kernels is proved and as asked for: functions that share a key must read it in one form".into(),
    ))
}

/// The sizes of all parts of a package together.
pub(super) fn taken(core: &Core, parts: &[CoreDelivery]) -> Sizes {
    sizes(core, parts.iter().map(|part| (&part.made.kernel, Sizes::from(&part.certificate.cost))))
}

/// A note that time did not suffice for all variants.
fn more(core: &Core, wanted: &PackageRequest) -> String {
    let tune = |problem: &Problem| format!("`aesmith tune {problem} --processor {}`", core.name);
    let all: Vec<String> = wanted.problems.iter().map(tune).collect();
    format!(
        "; not all variants were looked at, and there may be smaller ones: {} looks at more",
        all.join(", ")
    )
}

/// The message that no package keeps the limits, with the sizes of the nearest one's parts.
fn over<'a>(
    request: &Request,
    nearest: &Combination,
    offered: &Offered,
    parts: impl Iterator<Item = &'a Offer>,
) -> String {
    let limits = request.budgets;
    let Sizes { flash, ram, stack } = nearest.sizes;
    let constant =
        if request.timing == Timing::Proved { ", with no look-up at a secret address" } else { "" };
    let each: Vec<String> = parts
        .map(|part| {
            let Cost { flash, ram, stack, .. } = part.cost;
            let problem = part.made.kernel.contract.problem;
            format!("{problem} takes {flash} of flash, {ram} of RAM and {stack} of stack")
        })
        .collect();
    let how = if nearest.complete {
        format!("no combination of the {} kernels that were looked at comes nearer", offered.kernels.len())
    } else {
        "it is the nearest that was found".into()
    };
    format!(
        "{}the nearest package with its key schedules would take {flash} bytes of flash, {ram} of RAM and {stack} of \
         stack, with equal tables once, and the limit is {}{constant}: {}; {how}, and no package is written",
        limits.lack([flash, ram, stack]),
        limits.describe(),
        each.join(", ")
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use aesmith_cipher::{Direction, KeySize, Task};

    fn chosen(core: &str, limits: Budgets) -> Result<PackageParts, TuneError> {
        let core = aesmith_processors::core(core).expect("is one");
        let request = Request { budgets: limits, ..Request::default() };
        let problems = [Direction::Encrypt, Direction::Decrypt].map(Task::Ecb);
        let problems = problems.map(|task| Problem::new(KeySize::Aes128, task)).to_vec();
        package(core, None, &PackageRequest::of(problems, &request))
    }

    #[test]
    fn what_does_not_fit_together_is_chosen_together() {
        let free = chosen("cortex-m3", Budgets::default()).expect("is made");
        let flash = free.sizes.flash * 3 / 4;
        let limits = Budgets { flash: Some(flash), ..Budgets::default() };
        let small = chosen("cortex-m3", limits).expect("there are smaller ones");
        assert!(small.sizes.flash <= flash && small.parts.len() >= 2, "{:?} of {flash}", small.sizes);
        let cycles = |all: &PackageParts| all.parts[0].certificate.cycles();
        assert!(cycles(&small) >= cycles(&free));
        // Each function comes with the key schedule that makes the form it reads.
        for part in &small.parts {
            if let Some((schedule, packing)) = needs(&part.made) {
                let makes = |p: &CoreDelivery| {
                    p.made.kernel.contract.problem == schedule && p.made.kernel.contract.packing == packing
                };
                assert!(small.parts.iter().any(makes), "{schedule}");
            }
        }
    }

    #[test]
    fn what_cannot_be_made_is_refused_with_the_nearest() {
        let limits = Budgets { flash: Some(1000), ram: Some(0), stack: None };
        let Err(TuneError::NoResult(why)) = chosen("avr", limits) else { panic!("is made") };
        assert!(why.contains("comes nearer") && why.contains("aes128-ecb-dec takes"), "{why}");
    }
}
