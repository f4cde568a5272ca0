//! The user's request, for any processor, and the kernels that satisfy it: technique, constant time, memory
//! limits, register width, and dimensions restricted to some values.

use crate::error::TuneError;
use crate::front::{Budgets, Objective};
use crate::key_life::KeyLife;
use aesmith_arrange::{Dimension, Role, Space, Technique, Variant};
use aesmith_cipher::{Calls, Problem};
use aesmith_processor::measured::Target;
use aesmith_processor::timing::Timing;
use aesmith_processors::this_machine;
use std::fmt;
use std::str::FromStr;

/// A technique as the user names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum TechniqueRequest {
    /// The fastest technique.
    #[default]
    Auto,
    /// One technique, on registers of one block.
    Narrow(Technique),
    /// One technique, on wider registers.
    Wide(Technique),
    /// One technique, on registers of any width.
    Only(Technique),
}

impl TechniqueRequest {
    /// Every name with its request.
    pub fn all() -> Vec<(&'static str, TechniqueRequest)> {
        let mut all = vec![("auto", TechniqueRequest::Auto)];
        for technique in Technique::ALL {
            if let Some([(narrow, _), (wide, _)]) = technique.record().names_by_width {
                all.extend([
                    (narrow, TechniqueRequest::Narrow(technique)),
                    (wide, TechniqueRequest::Wide(technique)),
                ]);
            }
        }
        all.extend(Technique::ALL.map(|t| (t.name(), TechniqueRequest::Only(t))));
        all
    }

    /// The meaning of the request, in a sentence.
    pub fn meaning(self) -> &'static str {
        match self {
            TechniqueRequest::Auto => "Whichever is fastest here",
            TechniqueRequest::Narrow(technique) | TechniqueRequest::Wide(technique) => {
                let names = technique.record().names_by_width;
                names.map_or(technique.meaning(), |names| {
                    names[usize::from(self == TechniqueRequest::Wide(technique))].1
                })
            }
            TechniqueRequest::Only(technique) => technique.meaning(),
        }
    }

    /// The technique, unless any is accepted.
    pub fn one(self) -> Option<Technique> {
        match self {
            TechniqueRequest::Auto => None,
            TechniqueRequest::Narrow(technique)
            | TechniqueRequest::Wide(technique)
            | TechniqueRequest::Only(technique) => Some(technique),
        }
    }
}

impl fmt::Display for TechniqueRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let all = TechniqueRequest::all();
        f.write_str(all.iter().find(|(_, asked)| asked == self).map_or("auto", |(name, _)| name))
    }
}

impl FromStr for TechniqueRequest {
    type Err = String;

    fn from_str(text: &str) -> Result<TechniqueRequest, String> {
        let all = TechniqueRequest::all();
        all.iter().find(|(name, _)| *name == text).map(|(_, asked)| *asked).ok_or_else(|| {
            let names: Vec<String> = all.iter().map(|(name, _)| (*name).to_owned()).collect();
            let near = aesmith_cipher::problem::nearest(text, &names, 1);
            format!("there is no technique `{text}`; did you mean {}? All are: {}", near[0], names.join(", "))
        })
    }
}

/// The user's request: the kernels that may be delivered, and the criterion for the best. All kernels that
/// are searched, confirmed, emitted, benchmarked or explained are admitted by the request; the default has no
/// restriction.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Request {
    /// The requested technique.
    pub technique: TechniqueRequest,
    /// The allowed dependence of a kernel's timing on secrets.
    pub timing: Timing,
    /// The objective.
    pub objective: Objective,
    /// Memory limits. For a measured processor only flash is limited, meaning a kernel's code and constants;
    /// the target enforces the limit.
    pub budgets: Budgets,
    /// Blocks in the widest vector register that may be used: 1, 2 or 4; `None` for no limit.
    pub widest: Option<usize>,
    /// Dimensions that are restricted to some values. For a key set-up only its own dimensions count.
    pub only: Vec<(&'static Dimension, Vec<u16>)>,
    /// True if messages use the paper's counter-mode subspace ([`Table::paper`](aesmith_arrange::Table::paper))
    /// instead of the whole space.
    pub paper: bool,
    /// Number of messages for each key: the best kernel depends on it if kernels need a table that belongs to
    /// the key.
    pub key_life: KeyLife,
    /// Kind of calls by which kernels are compared. Measurements of one kind are never compared with the
    /// other.
    pub calls: Calls,
    /// True if delivered kernels must not use memory below the stack pointer.
    pub no_red_zone: bool,
    /// True if the checker of proofs must accept delivered kernels.
    pub checked: bool,
}

impl Request {
    /// Limits code and constants of kernels for a target to `most` bytes.
    pub fn limit(&mut self, target: &mut Target, most: u64) {
        self.budgets.flash = Some(most);
        *target = target.of_bytes(usize::try_from(most).unwrap_or(usize::MAX));
    }

    /// The techniques to choose among on a target, sorted by expected speed without measurements. AES
    /// instructions are the only choice where they exist, because they are far faster than the others (0.16
    /// c/B against 0.4 and more on the core of the published figures).
    ///
    /// # Errors
    /// The target cannot run the requested technique, or it has variable time and that is not allowed: the
    /// message says which, and names alternatives.
    pub fn techniques(&self, target: &Target) -> Result<Vec<Technique>, TuneError> {
        let usable = || target.techniques().filter(|t| self.looks_up() || !t.looks_up_secrets());
        let would_work = || {
            let names: Vec<&str> = usable().map(Technique::name).collect();
            if names.is_empty() { "nothing".to_owned() } else { names.join(", ") }
        };
        let Some(one) = self.technique.one() else {
            let all: Vec<Technique> = usable().collect();
            return match all.first() {
                None => Err(TuneError::without_technique(target)),
                Some(first) if first.is_instruction() => Ok(vec![*first]),
                Some(_) => Ok(all),
            };
        };
        let wide = self.technique == TechniqueRequest::Wide(one);
        if one.looks_up_secrets() && !self.looks_up() {
            return Err(TuneError::Usage(format!(
                "the technique {one} looks tables up at addresses that depend on secrets, and constant time \
                 is asked for (the default); --allow-variable-time allows it, and {} work in constant time here",
                would_work()
            )));
        }
        if target.lanes_of(one) == 0 || (wide && target.lanes_of(one) < 2) {
            return Err(TuneError::Unsupported(format!(
                "the technique {} needs {}, which the CPU features to be used lack; {} would work",
                self.technique,
                if wide { target.needs(one).words_wide } else { target.needs(one).words },
                would_work()
            )));
        }
        Ok(vec![one])
    }

    /// True if look-ups at secret-dependent addresses are allowed on processors with data caches.
    fn looks_up(&self) -> bool {
        self.timing == Timing::Variable
    }

    /// True if a variant may be delivered on a processor with data caches: it satisfies the request, and its
    /// technique does not look up secrets unless that is allowed.
    pub fn admits(&self, variant: &Variant) -> bool {
        self.names(variant) && (self.looks_up() || !variant.technique.looks_up_secrets())
    }

    /// True if a variant has the requested technique, registers and values; timing and size are not checked.
    pub fn names(&self, variant: &Variant) -> bool {
        let message = variant.problem.is_message();
        let technique = match self.technique {
            TechniqueRequest::Auto => true,
            TechniqueRequest::Narrow(technique) => variant.technique == technique && variant.lanes() == 1,
            TechniqueRequest::Wide(technique) => {
                let width = variant.table.dimension(Role::Width);
                let widens = width.is_some_and(|width| !variant.has(width) || variant.lanes() > 1);
                variant.technique == technique && widens
            }
            TechniqueRequest::Only(technique) => variant.technique == technique,
        };
        let only = self.only.iter().all(|(dimension, values)| match variant.has(*dimension) {
            true => values.contains(&variant.get(*dimension)),
            false => !message,
        });
        let paper = !self.paper
            || !message
            || variant
                .table
                .paper(variant.problem, variant.lanes())
                .is_some_and(|space| within(variant, &space));
        technique && only && paper && self.widest.is_none_or(|widest| variant.lanes() <= widest)
    }

    /// True if every delivered kernel must clear registers and stack of secrets.
    pub fn wiped(&self) -> bool {
        self.only.iter().any(|(dim, values)| dim.role == Some(Role::Wipe) && values[..] == [1])
    }

    /// The restriction in words, a canonical text; empty if there is none. Permission for variable time is
    /// not a restriction.
    pub fn restriction(&self) -> String {
        let mut words = Vec::new();
        if self.technique != TechniqueRequest::Auto {
            words.push(format!("technique={}", self.technique));
        }
        if let Some(widest) = self.widest {
            words.push(format!("up to {}", this_machine().requirements.width(widest)));
        }
        if self.paper {
            words.push("paper".to_owned());
        }
        if self.checked {
            words.push("checked".to_owned());
        }
        if let Some(most) = self.budgets.flash {
            words.push(format!("up to {most} bytes"));
        }
        let mut only = self.only.clone();
        only.sort_by_key(|(dimension, _)| dimension.place);
        for (dimension, values) in only {
            let values: Vec<String> = values.iter().map(|v| dimension.show(*v)).collect();
            words.push(format!("{}={}", dimension.name, values.join(",")));
        }
        words.join(" ")
    }

    /// Blocks in the widest register that may be used with a technique on a target.
    pub fn lanes(&self, technique: Technique, target: &Target) -> usize {
        let lanes = target.lanes_of(technique);
        self.widest.map_or(lanes, |widest| lanes.min(widest))
    }

    /// The requested part of a problem's space, for messages of `size` bytes.
    ///
    /// # Errors
    /// The restrictions leave nothing, or name something that the problem with this technique lacks.
    pub fn space(
        &self,
        problem: Problem,
        technique: Technique,
        target: &Target,
        size: usize,
    ) -> Result<Space, TuneError> {
        let lanes = self.lanes(technique, target);
        let message = problem.is_message();
        let table = target.processor.table;
        let mut space = match self.paper && message {
            true => table.paper(problem, lanes).filter(|_| technique.is_instruction()).ok_or_else(|| {
                TuneError::Usage(format!(
                    "the paper's subspace is one of counter mode with AES instructions, not of {problem} by \
                     {technique}"
                ))
            })?,
            false => table.space_by(problem, technique, lanes),
        };
        if !self.paper {
            leave_out_for_size(&mut space, size);
        }
        if let Some(widths) = space.axes.iter_mut().find(|a| a.dimension.role == Some(Role::Width)) {
            match self.technique {
                TechniqueRequest::Narrow(_) => widths.values.retain(|&w| w == 0),
                TechniqueRequest::Wide(_) => widths.values.retain(|&w| w > 0),
                TechniqueRequest::Auto | TechniqueRequest::Only(_) => {}
            }
            if widths.values.is_empty() {
                return Err(TuneError::Usage(format!(
                    "nothing is left to choose from: {technique} as it is asked for needs registers wider than \
                     those that may be used; leave --width or --technique out"
                )));
            }
        }
        for (dimension, values) in &self.only {
            let name = dimension.name;
            let Some(axis) = space.axes.iter_mut().find(|a| a.dimension == *dimension) else {
                if !message {
                    continue;
                }
                return Err(TuneError::Usage(format!(
                    "{problem} by technique {technique} has no dimension `{name}`"
                )));
            };
            // Values that are only left out of searches may be requested; values that cannot be built may
            // not.
            let kept: Vec<u16> = match axis.dimension.search.firm {
                true => values.iter().copied().filter(|v| axis.values.contains(v)).collect(),
                false => values.clone(),
            };
            if kept.is_empty() {
                return Err(TuneError::Usage(format!(
                    "nothing is left to choose from: {problem} by technique {technique} cannot have {name}={} \
                     here; it can have {}",
                    values.iter().map(|v| axis.dimension.show(*v)).collect::<Vec<_>>().join(","),
                    axis.values.iter().map(|v| axis.dimension.show(*v)).collect::<Vec<_>>().join(",")
                )));
            }
            axis.values = kept;
        }
        Ok(space)
    }

    /// Fits a starting point into the request: each choice that is not allowed is replaced by the first
    /// allowed one. `None` if the result is not a variant.
    pub fn bring(&self, variant: &Variant, space: &Space) -> Option<Variant> {
        let mut variant = variant.clone();
        for axis in &space.axes {
            if !axis.values.contains(&variant.get(axis.dimension.place)) {
                variant.set(axis.dimension.place, axis.values[0]);
                // An order of instructions is only valid for the choices that it was found for.
                variant.order.clear();
            }
        }
        let variant = variant.clamped();
        (self.admits(&variant) && within(&variant, space) && variant.check().is_ok()).then_some(variant)
    }
}

/// True if a variant belongs to a space.
pub fn within(variant: &Variant, space: &Space) -> bool {
    variant.technique == space.plain.technique && space.allows(variant)
}

/// Leaves out dimensions that pay off in longer messages only: they are searched there, or on request
/// (`--only streaming=...`).
fn leave_out_for_size(space: &mut Space, size: usize) {
    for axis in space.axes.iter_mut().filter(|axis| size < axis.dimension.search.least_size) {
        axis.values = vec![axis.dimension.default];
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use aesmith_x86::dimensions::{self, Dim};
    use aesmith_x86::{features, targets};

    fn request(technique: &str, variable_time: bool) -> Request {
        let timing = if variable_time { Timing::Variable } else { Timing::Constant };
        Request { technique: technique.parse().unwrap(), timing, ..Request::default() }
    }

    fn only(dim: Dim, values: &[u16]) -> Request {
        Request { only: vec![(dim.into(), values.to_vec())], ..Request::default() }
    }

    fn v(text: &str) -> Variant {
        dimensions::variant(text).unwrap()
    }

    #[test]
    fn names_round_trip() {
        for (name, asked) in TechniqueRequest::all() {
            assert_eq!(name.parse(), Ok(asked));
            assert_eq!(asked.to_string(), name);
        }
        assert!("tabel".parse::<TechniqueRequest>().unwrap_err().contains("did you mean table"));
    }

    #[test]
    fn what_is_lacking_and_what_would_work_is_said() {
        let sse2 = targets::of(features::SSE2);
        let error = request("gfni", false).techniques(&sse2).unwrap_err().to_string();
        assert!(error.contains("needs GFNI") && error.contains("bitsliced would work"), "{error}");
        let error = request("table", false).techniques(&targets::ALL).unwrap_err().to_string();
        assert!(error.contains("--allow-variable-time") && error.contains("gfni"), "{error}");
        assert_eq!(request("table", true).techniques(&sse2).unwrap(), [Technique::Table]);
        assert_eq!(request("auto", false).techniques(&sse2).unwrap(), [Technique::Bitsliced]);
        assert_eq!(request("auto", true).techniques(&targets::ALL).unwrap(), [Technique::Aes]);
        assert!(request("vaes", false).techniques(&targets::AESNI).is_err());
    }

    #[test]
    fn a_request_admits_its_own() {
        assert!(request("aesni", false).admits(&v("aes128-ctr")));
        assert!(!request("vaes", false).admits(&v("aes128-ctr")));
        assert!(request("vaes", false).admits(&v("aes128-key")));
        assert!(!request("auto", false).admits(&v("aes128-ctr technique=table")));
        assert!(request("auto", true).admits(&v("aes128-ctr technique=table")));
        let narrow = Request { widest: Some(1), ..Request::default() };
        assert!(narrow.admits(&v("aes128-ctr")) && !narrow.admits(&v("aes128-ctr width=ymm")));
        assert!(narrow.admits(&v("aes128-ctr-table")) && !narrow.admits(&v("aes128-ctr-table width=ymm")));
        let wiped = only(Dim::Wipe, &[1]);
        assert!(wiped.wiped() && wiped.admits(&v("aes128-ctr wipe=yes")));
        assert!(
            !wiped.admits(&v("aes128-ctr")) && !wiped.admits(&v("aes128-key")),
            "key set-ups are wiped, too"
        );
        let keys = only(Dim::Keys, &[0x7fff]);
        assert!(keys.admits(&v("aes128-key")), "a key set-up has no such dimension");
        let circuit = only(Dim::Circuit, &[0]);
        assert!(
            !circuit.admits(&v("aes128-ctr")),
            "a message without the dimension is not what was asked for"
        );
        let paper = Request { paper: true, ..Request::default() };
        assert!(paper.admits(&v("aes128-ctr interleave=3")) && !paper.admits(&v("aes128-ctr cached=2")));
    }

    #[test]
    fn a_restriction_has_one_text() {
        assert_eq!(Request::default().restriction(), "");
        assert_eq!(request("auto", true).restriction(), "", "what is allowed besides restricts nothing");
        let small =
            Request { budgets: Budgets { flash: Some(900), ..Budgets::default() }, ..Request::default() };
        assert_eq!(small.restriction(), "up to 900 bytes");
        assert_eq!(Request { checked: true, ..Request::default() }.restriction(), "checked");
        let both = Request {
            technique: TechniqueRequest::Wide(Technique::Aes),
            widest: Some(2),
            only: vec![(Dim::Wipe.into(), vec![1]), (Dim::Keys.into(), vec![0, 0x7fff])],
            ..Request::default()
        };
        assert_eq!(both.restriction(), "technique=vaes up to ymm keys=0x0000,0x7fff wipe=yes");
    }

    #[test]
    fn every_starting_point_can_be_brought_into_what_is_asked_for() {
        let problem: Problem = "aes256-ctr".parse().unwrap();
        for asked in
            [only(Dim::Wipe, &[1]), only(Dim::Keys, &[7]), Request { widest: Some(1), ..Request::default() }]
        {
            let space = asked.space(problem, Technique::Aes, &targets::ALL, 4096).unwrap();
            for seed in crate::seeds::seeds(problem, Technique::Aes, &targets::ALL) {
                let brought = asked.bring(&seed, &space).expect("these restrictions go with every choice");
                assert!(asked.admits(&brought) && within(&brought, &space), "{brought}");
            }
        }
        let narrow = Request { widest: Some(1), ..only(Dim::Width, &[2]) };
        let error = narrow.space(problem, Technique::Aes, &targets::ALL, 4096).unwrap_err();
        assert!(error.to_string().contains("width=zmm"), "{error}");
    }
}
