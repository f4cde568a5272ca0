//! The delivered kernel: the best confirmed kernel of a problem in wisdom that still yields the same bytes;
//! else the best of some variants, proved and confirmed now.

use aesmith_arrange::Variant;
use aesmith_cipher::Problem;
use aesmith_cipher::firmware::Firmware;
use aesmith_processor::core::Core;
use aesmith_wisdom::{Filter, Store, WisdomError};

use crate::error::TuneError;
use crate::evaluate::confirm::{Examiner, Uncertified, certified, certify};
use crate::evaluate::costing::Made;
use crate::evaluate::look::{Look, look};
use crate::evaluate::stored::in_full;
use crate::front::{Budgets, Objective};
use crate::request::Request;
use aesmith_processor::bits_certificate::BitsCertificate;
use aesmith_processor::cost::{BuiltKernel, Cost};
use aesmith_processor::timing::Timing;
use std::collections::BTreeSet;

/// A request for a kernel.
#[derive(Clone, Copy)]
pub struct CoreRequest<'a> {
    /// The problem.
    pub problem: Problem,
    /// The kernels that may be delivered.
    pub request: &'a Request,
    /// Bytes of a message over which cycles are counted, as in [`crate::RunRequest`].
    pub size: Option<usize>,
    /// True for contracts that are acceptable.
    pub contract: &'a dyn Fn(&Firmware) -> bool,
    /// The time for looking at variants if wisdom has none.
    pub how: Look<'a>,
}

/// A kernel to deliver.
pub struct CoreDelivery {
    /// The results of its proof and its judge.
    pub certificate: BitsCertificate,
    /// Its code.
    pub made: BuiltKernel,
    /// True if a search found it.
    pub tuned: bool,
}

/// Number of variants to look at if wisdom knows none.
const LOOK: usize = 400;

/// The best known kernel.
pub fn best_known(
    core: &'static Core,
    store: Option<&Store>,
    wanted: &CoreRequest,
) -> Result<CoreDelivery, TuneError> {
    if !(core.solves)(wanted.problem) {
        return Err(TuneError::Usage(format!(
            "there are no kernels of {} for {}",
            wanted.problem, core.name
        )));
    }
    if let Some(best) = known_kernels(core, store, wanted)?.next() {
        return Ok(best);
    }
    untuned(core, wanted)
}

/// The confirmed kernels of a problem in a store, sorted by an objective and a size of message. Where a judge
/// counts cycles, its counts decide, as among the finalists of a run.
pub fn confirmed(
    store: &Store,
    core: &Core,
    problem: Problem,
    (objective, size): (Objective, Option<usize>),
) -> Result<Vec<BitsCertificate>, WisdomError> {
    let filter = Filter { processor: Some(core.name.into()), problem: Some(problem), ..Filter::default() };
    let known = store.costed(&filter, None, &|_, text| core.table.today(text).into_owned())?;
    let mut all: Vec<BitsCertificate> = known.iter().filter_map(in_full).map(|c| c.classed(core)).collect();
    all.sort_by(|a, b| {
        let key = |c: &BitsCertificate| objective.key(&Cost { cycles: c.cycles(), ..c.cost }.at(size));
        key(a).partial_cmp(&key(b)).unwrap_or(std::cmp::Ordering::Equal)
    });
    Ok(all)
}

/// The confirmed kernels of searches that satisfy the request, best first; each is built on demand.
pub(super) fn known_kernels(
    core: &'static Core,
    store: Option<&Store>,
    wanted: &CoreRequest,
) -> Result<impl Iterator<Item = CoreDelivery>, TuneError> {
    let CoreRequest { problem, request, size, contract, .. } = *wanted;
    let known = store.map_or(Ok(Vec::new()), |s| confirmed(s, core, problem, (request.objective, size)))?;
    Ok(known.into_iter().filter_map(move |certificate| {
        let fits = request.budgets.hold(&certificate.cost) && request.timing.admits(core, &certificate.proof);
        let made = fits.then(|| made(core, problem, &certificate.variant).ok()).flatten()?;
        let same = made.sha256 == certificate.sha256;
        let asked = same && contract(&made.kernel.contract) && request.names(&made.kernel.variant);
        asked.then_some(CoreDelivery { certificate, made, tuned: true })
    }))
}

/// Variants that satisfy the request as far as the model can tell, with their modelled costs.
pub(super) fn modelled(
    core: &'static Core,
    wanted: &CoreRequest,
    other: impl Fn(&Variant) -> bool,
) -> Vec<(Cost, BuiltKernel)> {
    let CoreRequest { request, size, how, .. } = *wanted;
    let fits = |made: &Made| counts(core, wanted, made) && request.budgets.hold(&made.cost);
    let all: Vec<Variant> = named(core, wanted).into_iter().filter(other).collect();
    let key = |made: &Made| fits(made).then(|| request.objective.key(&made.cost.at(size)));
    // Known-good variants are the fastest ones; what is small, or fits, is among all.
    let is_limited = request.budgets != Budgets::default();
    let brief = how.brief && request.objective == Objective::Cycles && !is_limited;
    let limits = if is_limited { request.budgets } else { how.limits };
    let made = look(core, &all, Look { brief, limits, ..how }, &key).into_iter();
    made.filter(fits).map(|made| (made.cost, made.kernel)).collect()
}

/// The variants that are looked at: the first ones of the space, and known-good ones beyond them.
fn named(core: &'static Core, wanted: &CoreRequest) -> Vec<Variant> {
    let names = |variant: &Variant| wanted.request.names(variant);
    let mut all: Vec<Variant> = core.table.all(wanted.problem).into_iter().filter(names).take(LOOK).collect();
    for start in core.starting_points(wanted.problem).into_iter().filter(names) {
        if !all.contains(&start) {
            all.push(start);
        }
    }
    all
}

/// True if a kernel satisfies the request except for the limits, as far as the model can tell.
fn counts(core: &Core, wanted: &CoreRequest, made: &Made) -> bool {
    (made.same_path || wanted.request.timing.needs_no_path(core))
        && (wanted.contract)(&made.kernel.kernel.contract)
}

/// A variant's kernel from its text.
pub fn made(core: &'static Core, problem: Problem, text: &str) -> Result<BuiltKernel, String> {
    // A variant's text begins with its problem and its processor, exactly as the tool prints it.
    if !text.starts_with(&format!("{problem} processor={}", core.name)) {
        return Err(format!(
            "'{text}' is no variant of {problem} on {}; it begins with '{problem} processor={}'",
            core.name, core.name
        ));
    }
    let variant = core.table.parse(text)?;
    BuiltKernel::new(core, (core.build)(&variant)?)
}

/// A kernel of a given variant, proved and confirmed now.
pub fn of_variant(core: &'static Core, problem: Problem, text: &str) -> Result<CoreDelivery, TuneError> {
    let made = made(core, problem, text).map_err(TuneError::Usage)?;
    let (cost, _) = made.cost(core).map_err(TuneError::NoResult)?;
    let certificate = certify(core, &mut Examiner::new(core), &made, cost).map_err(TuneError::NotProved)?;
    Ok(CoreDelivery { certificate, made, tuned: false })
}

/// The best of some variants. A brief look is not enough if all that it finds are refused by their proofs: what is known to
/// be good may look tables up, and be none for a processor with a data cache.
fn untuned(core: &'static Core, wanted: &CoreRequest) -> Result<CoreDelivery, TuneError> {
    let request = wanted.request;
    let none = none_as_asked_for(core, wanted, core.table.all(wanted.problem).len());
    let mut tried = BTreeSet::new();
    let (mut proves, mut varies) = (None, false);
    let mut judge = Examiner::new(core);
    let looks: &[bool] = if wanted.how.brief { &[true, false] } else { &[false] };
    for &brief in looks {
        let how = Look { brief, ..wanted.how };
        let mut found =
            modelled(core, &CoreRequest { how, ..*wanted }, |variant| !tried.contains(&variant.to_string()));
        found.sort_by(|a, b| {
            let key = |c: &Cost| request.objective.key(&c.at(wanted.size));
            key(&a.0).partial_cmp(&key(&b.0)).unwrap_or(std::cmp::Ordering::Equal)
        });
        for (cost, made) in found {
            match certified(core, &mut judge, &made, cost, request.timing) {
                Ok(certificate) => return Ok(CoreDelivery { certificate, made, tuned: false }),
                Err(Uncertified::Inadmissible) => varies = true,
                Err(Uncertified::Refused(refused)) => {
                    proves = Some(format!("{}: {refused}", made.kernel.variant));
                }
            }
            tried.insert(made.kernel.variant.to_string());
        }
    }
    if let Some(refused) = proves {
        return Err(TuneError::NotProved(refused));
    }
    let lack = if tried.is_empty() { lack(core, wanted) } else { None };
    let why = lack.map_or(none.clone(), |lack| format!("{lack}So {none}"));
    let allowed = if varies { "; --allow-variable-time allows look-ups at secret addresses" } else { "" };
    Err(TuneError::NoResult(why + allowed))
}

/// The excess of the kernel nearest to the limits over them, in words.
fn lack(core: &'static Core, wanted: &CoreRequest) -> Option<String> {
    let limits = wanted.request.budgets;
    if limits == Budgets::default() {
        return None;
    }
    let key = |made: &Made| counts(core, wanted, made).then(|| [limits.excess(&made.cost), 0.0, 0.0, 0.0]);
    let all = look(core, &named(core, wanted), wanted.how, &key);
    let costs = all.iter().filter(|made| counts(core, wanted, made)).map(|made| &made.cost);
    let nearest = costs.min_by(|a, b| limits.excess(a).total_cmp(&limits.excess(b)))?;
    Some(limits.lack([nearest.flash, nearest.ram, nearest.stack])).filter(|lack| !lack.is_empty())
}

/// The message that none of `count` variants satisfies the request, and the possible remedies.
fn none_as_asked_for(core: &Core, wanted: &CoreRequest, count: usize) -> String {
    let (problem, request) = (wanted.problem, wanted.request);
    let mut asked = Vec::new();
    match request.timing {
        Timing::Proved => asked.push("no look-up at a secret address".to_owned()),
        Timing::Constant => asked.push("constant time".to_owned()),
        Timing::Variable => {}
    }
    if request.budgets != Budgets::default() {
        asked.push(request.budgets.describe());
    }
    let asked = if asked.is_empty() { String::new() } else { format!(" ({})", asked.join(", ")) };
    let more = if count > LOOK {
        format!("; `aesmith tune {problem} --processor {}` looks at more", core.name)
    } else {
        String::new()
    };
    format!("no variant of {problem} on {} is as asked for{asked}{more}", core.name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(core: &str, problem: &str) -> Result<CoreDelivery, TuneError> {
        let core = aesmith_processors::core(core).expect("is one");
        let request = &Request::default();
        let (problem, how) = (problem.parse().unwrap(), Look { brief: true, ..Look::default() });
        best_known(core, None, &CoreRequest { problem, request, size: None, contract: &|_| true, how })
    }

    /// On a processor with a data cache, the known-good key schedule looks tables up, and another one does not.
    #[test]
    fn a_brief_look_goes_on_where_what_is_known_is_not_constant() {
        let delivery = found("ppc7410", "aes128-key").unwrap_or_else(|e| panic!("{e}"));
        let core = aesmith_processors::core("ppc7410").expect("is one");
        assert!(
            Timing::Constant.admits(core, &delivery.certificate.proof),
            "{}",
            delivery.certificate.variant
        );
        // Where there is none, the option that helps is named.
        let Err(TuneError::NoResult(why)) = found("pentium4", "aes128-ecb") else { panic!("is made") };
        assert!(why.contains("constant time") && why.contains("--allow-variable-time"), "{why}");
    }
}
