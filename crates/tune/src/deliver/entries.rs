//! Functions of a package that differ only by their number of rounds become entries into shared code, if
//! little flash is the objective. Each is proved and examined again, over the bytes of all.

use std::collections::BTreeMap;

use aesmith_processor::core::{Core, Kernel};
use aesmith_processor::cost::BuiltKernel;
use aesmith_processor::shared::shared;

use crate::deliver::firmware::CoreDelivery;
use crate::deliver::package::{PackageParts, taken};
use crate::evaluate::confirm::{Examiner, certified};
use crate::request::Request;

/// The package with shared code, if that makes it smaller.
pub(crate) fn with_shared_code(core: &'static Core, chosen: PackageParts, request: &Request) -> PackageParts {
    let PackageParts { mut parts, mut sizes } = chosen;
    let mut alike: BTreeMap<_, Vec<usize>> = BTreeMap::new();
    for (place, part) in parts.iter().enumerate() {
        let contract = &part.made.kernel.contract;
        alike.entry((contract.problem.task, contract.packing.name())).or_default().push(place);
    }
    for places in alike.into_values().filter(|places| places.len() > 1) {
        let kernels: Vec<&Kernel> = places.iter().map(|&place| &parts[place].made.kernel).collect();
        let Some(entries) = shared(core, &kernels) else { continue };
        let made = entries.into_iter().zip(&places);
        let Some(made) = made.map(|(e, &place)| entry(core, e, parts[place].tuned, request)).collect() else {
            continue;
        };
        let made: Vec<CoreDelivery> = made;
        let before: Vec<CoreDelivery> = made
            .into_iter()
            .zip(&places)
            .map(|(new, &place)| std::mem::replace(&mut parts[place], new))
            .collect();
        let now = taken(core, &parts);
        if now.flash < sizes.flash {
            sizes = now;
        } else {
            before.into_iter().zip(&places).for_each(|(old, &place)| parts[place] = old);
        }
    }
    PackageParts { parts, sizes }
}

/// An entry, proved and examined; `None` if it is refused or does not satisfy the request.
fn entry(core: &'static Core, kernel: Kernel, tuned: bool, request: &Request) -> Option<CoreDelivery> {
    let made = BuiltKernel::new(core, kernel).ok()?;
    let (cost, _) = made.cost(core).ok()?;
    let mut certificate = certified(core, &mut Examiner::new(core), &made, cost, request.timing).ok()?;
    certificate.notes.push(
        "it is one of several entries into the same code, each for a size of key: its flash is that of all"
            .into(),
    );
    Some(CoreDelivery { certificate, made, tuned })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::deliver::package::{PackageRequest, package};
    use crate::front::Objective;
    use aesmith_cipher::{Direction, KeySize, Problem, Task};

    const ENCRYPT: Task = Task::Ecb(Direction::Encrypt);

    /// Entries per processor: on AVR the smallest AES-128 computes its round keys on the fly, and has its own
    /// code.
    #[test]
    fn a_loop_of_rounds_is_there_once_for_all_sizes_of_keys() {
        for (name, count) in [("avr", 2), ("cortex-m3", 3)] {
            let core = aesmith_processors::core(name).expect("is one");
            let request = Request { objective: Objective::Code, ..Request::default() };
            let problems = KeySize::ALL.map(|key| Problem::new(key, ENCRYPT)).to_vec();
            let wanted = PackageRequest::of(problems, &request);
            let PackageParts { parts, sizes } = package(core, None, &wanted).expect("is made");
            let last =
                parts.iter().rfind(|p| p.made.kernel.contract.problem.task == ENCRYPT).expect("a cipher");
            let entries: Vec<&CoreDelivery> =
                parts.iter().filter(|p| p.made.kernel.sections == last.made.kernel.sections).collect();
            assert_eq!(entries.len(), count, "{name}");
            let mut places: Vec<u64> = entries.iter().map(|p| p.made.function).collect();
            places.dedup();
            assert_eq!(places.len(), count, "{name}: each has a place of its own");
            for part in &entries {
                assert_eq!(part.certificate.sha256, last.certificate.sha256, "{name}: one program");
                assert_eq!(part.certificate.problem, part.made.kernel.contract.problem.to_string());
                assert!(part.certificate.notes.iter().any(|note| note.contains("entries")), "{name}");
            }
            let apart: u64 = parts.iter().map(|p| p.certificate.cost.flash).sum();
            assert!(sizes.flash + (count as u64 - 1) * last.certificate.cost.flash <= apart, "{name}");
        }
    }

    #[test]
    fn what_differs_by_more_than_a_number_of_rounds_stays_apart() {
        let core = aesmith_processors::core("cortex-m3").expect("is one");
        let shares = |keys: &[KeySize], choices: &str| {
            let one = |&key: &KeySize| {
                let variant = core.table.read(Problem::new(key, ENCRYPT), choices).expect("a variant");
                (core.build)(&variant).expect("is built")
            };
            let kernels: Vec<Kernel> = keys.iter().map(one).collect();
            shared(core, &kernels.iter().collect::<Vec<_>>()).is_some()
        };
        assert!(shares(&KeySize::ALL, "rounds=looped"));
        assert!(!shares(&KeySize::ALL, "rounds=unrolled"));
        assert!(!shares(&[KeySize::Aes128, KeySize::Aes128], "rounds=looped"), "nothing differs");
    }
}
