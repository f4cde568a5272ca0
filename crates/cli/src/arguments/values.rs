//! What the values of options are, from the tables that they stand in: how they are read, and the
//! names that the help and the shells' completions offer.

use aesmith_arrange::{DIMENSIONS, Dimension};
use aesmith_cipher::{Calls, Problem};
use aesmith_processors::this_machine;
use aesmith_tune::front::Objective;
use aesmith_tune::{Effort, TechniqueRequest};
use clap::builder::{PossibleValue, StringValueParser, TypedValueParser};
use clap::error::{ContextKind, ContextValue, ErrorKind};
use std::ffi::OsStr;

/// Reads a value by a function, and offers names, which need not be all that it reads.
#[derive(Clone)]
pub struct Named<T> {
    read: fn(&str) -> Result<T, String>,
    offered: fn() -> Vec<PossibleValue>,
}

impl<T: Clone + Send + Sync + 'static> TypedValueParser for Named<T> {
    type Value = T;

    fn parse_ref(
        &self,
        command: &clap::Command,
        argument: Option<&clap::Arg>,
        value: &OsStr,
    ) -> Result<T, clap::Error> {
        // Of `fn(&str) -> Result<T, String>` clap makes a parser, which says what is wrong as others do.
        TypedValueParser::parse_ref(&self.read, command, argument, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new((self.offered)().into_iter()))
    }
}

fn as_it_is(text: &str) -> Result<String, String> {
    Ok(text.to_owned())
}

/// Techniques, and what leaves the choice open.
pub fn technique() -> Named<TechniqueRequest> {
    let offered = || {
        let named =
            |(name, asked): (&'static str, TechniqueRequest)| PossibleValue::new(name).help(asked.meaning());
        TechniqueRequest::all().into_iter().map(named).collect()
    };
    Named { read: |text| text.parse(), offered }
}

/// Strategies, which may have options behind a colon.
pub fn strategy() -> Named<String> {
    let read = |text: &str| aesmith_search::strategy(text).map(|_| text.to_owned());
    let offered =
        || aesmith_search::STRATEGIES.iter().map(|e| PossibleValue::new(e.name).help(e.summary)).collect();
    Named { read, offered }
}

/// How hard to search.
pub fn effort() -> Named<Effort> {
    let offered = || Effort::NAMES.map(|(name, _)| PossibleValue::new(name)).to_vec();
    Named { read: |text| text.parse(), offered }
}

/// Which calls kernels are chosen for.
pub fn calls() -> Named<Calls> {
    let offered = || Calls::ALL.map(|calls| PossibleValue::new(calls.name()).help(calls.meaning())).to_vec();
    Named { read: |text| text.parse(), offered }
}

/// What is sought on a processor other than this machine.
pub fn objective() -> Named<Objective> {
    let offered = || Objective::ALL.map(|o| PossibleValue::new(o.to_string())).to_vec();
    Named { read: |text| text.parse(), offered }
}

/// Names of processors. Whether there is such a one is said by the command.
pub fn processor() -> Named<String> {
    let offered = || aesmith_processors::all().map(|p| PossibleValue::new(p.name())).collect();
    Named { read: as_it_is, offered }
}

/// Those of them that custom instructions can be added to.
pub fn base() -> Named<String> {
    let offered = || {
        let with_port = aesmith_processors::cores().filter(|c| c.port.is_some());
        with_port.map(|c| PossibleValue::new(c.name)).collect()
    };
    Named { read: as_it_is, offered }
}

/// CPU levels. Whether there is such a one is said by the command.
pub fn cpu() -> Named<String> {
    let offered = || {
        let native = PossibleValue::new("native").help("This machine's CPU");
        let levels = this_machine().requirements.levels.iter().flat_map(|level| {
            let named = move |name| PossibleValue::new(name).help(level.meaning);
            [Some(level.name), level.alias].into_iter().flatten().map(named)
        });
        std::iter::once(native).chain(levels).collect()
    };
    Named { read: as_it_is, offered }
}

/// The help of `--cpu`.
pub fn cpu_help() -> String {
    let names: Vec<String> = this_machine()
        .requirements
        .levels
        .iter()
        .map(|level| level.alias.map_or(level.name.to_owned(), |alias| format!("{} ({alias})", level.name)))
        .collect();
    format!(
        "The CPU to make code for, this one or a lesser one: native (the default), or a level: {}; `emit` \
         takes several",
        names.join(", ")
    )
}

/// Restrictions of dimensions, of which the names are offered. The values are read by the command,
/// which knows the problem.
pub fn only() -> Named<String> {
    let offered = || {
        let named = |d: &Dimension| PossibleValue::new(format!("{}=", d.name)).help(d.meaning);
        DIMENSIONS.iter().map(named).collect()
    };
    Named { read: as_it_is, offered }
}

/// Reads problems, and names the nearest ones where there is no such problem.
#[derive(Clone, Copy)]
pub struct ProblemParser;

impl TypedValueParser for ProblemParser {
    type Value = Problem;

    fn parse_ref(
        &self,
        command: &clap::Command,
        argument: Option<&clap::Arg>,
        value: &OsStr,
    ) -> Result<Problem, clap::Error> {
        let name = StringValueParser::new().parse_ref(command, argument, value)?;
        name.parse::<Problem>().ok().filter(Problem::is_tuned).ok_or_else(|| {
            let names: Vec<String> =
                Problem::all().iter().filter(|p| p.is_tuned()).map(Problem::to_string).collect();
            let said = aesmith_cipher::not_offered(&name).unwrap_or_else(|| {
                let near =
                    aesmith_cipher::problem::nearest(&name.to_ascii_lowercase().replace('_', "-"), &names, 3);
                let (last, most) = near.split_last().expect("there are problems");
                format!("there is no such problem; the nearest are {} and {last}", most.join(", "))
            });
            let mut error = clap::Error::new(ErrorKind::ValueValidation).with_cmd(command);
            if let Some(argument) = argument {
                error.insert(ContextKind::InvalidArg, ContextValue::String(argument.to_string()));
            }
            error.insert(ContextKind::InvalidValue, ContextValue::String(name));
            error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![said.into()]));
            error
        })
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        let names = Problem::all().into_iter().filter(Problem::is_tuned);
        Some(Box::new(names.map(|p| PossibleValue::new(p.to_string()))))
    }
}
