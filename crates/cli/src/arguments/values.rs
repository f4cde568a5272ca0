//! Values of options, from the tables that define them: their parsers, and the names that the help and the shells'
//! completions offer.

use crate::output::say;
use aesmith_arrange::Dimension;
use aesmith_cipher::{Calls, Problem};
use aesmith_processors::this_machine;
use aesmith_tune::front::Objective;
use aesmith_tune::{Effort, TechniqueRequest};
use clap::builder::{PossibleValue, StringValueParser, TypedValueParser};
use clap::error::{ContextKind, ContextValue, ErrorKind};
use std::ffi::OsStr;

/// A parser of values by a function, with the names to offer, which need not be all that it accepts.
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
        // Clap implements its parser for `fn(&str) -> Result<T, String>`, with error messages of the usual form.
        TypedValueParser::parse_ref(&self.read, command, argument, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new((self.offered)().into_iter()))
    }
}

fn as_it_is(text: &str) -> Result<String, String> {
    if text.is_empty() { Err("a name is empty".into()) } else { Ok(text.to_owned()) }
}

/// Parser of techniques, including those that leave the choice open.
pub fn technique() -> Named<TechniqueRequest> {
    let offered = || {
        let named =
            |(name, asked): (&'static str, TechniqueRequest)| PossibleValue::new(name).help(asked.meaning());
        TechniqueRequest::all().into_iter().map(named).collect()
    };
    Named { read: |text| text.parse(), offered }
}

/// Parser of strategies, which may have options after a colon.
pub fn strategy() -> Named<String> {
    let read = |text: &str| aesmith_search::strategy(text).map(|_| text.to_owned());
    let offered =
        || aesmith_search::STRATEGIES.iter().map(|e| PossibleValue::new(e.name).help(e.summary)).collect();
    Named { read, offered }
}

/// Parser of efforts.
pub fn effort() -> Named<Effort> {
    let offered = || Effort::NAMES.map(|(name, _)| PossibleValue::new(name)).to_vec();
    Named { read: |text| text.parse(), offered }
}

/// Parser of the calls that kernels are chosen for.
pub fn calls() -> Named<Calls> {
    let offered = || Calls::ALL.map(|calls| PossibleValue::new(calls.name()).help(calls.meaning())).to_vec();
    Named { read: |text| text.parse(), offered }
}

/// Parser of the objective on a processor other than this machine.
pub fn objective() -> Named<Objective> {
    let offered = || Objective::ALL.map(|o| PossibleValue::new(o.to_string())).to_vec();
    Named { read: |text| text.parse(), offered }
}

/// Parser of processor names, and of chips, which stand for their cores. The command reports unknown names.
pub fn processor() -> Named<String> {
    let read = |text: &str| {
        let core = aesmith_processors::core_of_chip(text);
        if let Some(core) = core {
            say(format!("{text} has the core {core}; how much memory the chip has is not known"));
        }
        Ok(core.unwrap_or(text).to_owned())
    };
    let offered = || aesmith_processors::all().map(|p| PossibleValue::new(p.name())).collect();
    Named { read, offered }
}

/// Parser of names of processors with a port for custom instructions.
pub fn base() -> Named<String> {
    let offered = || {
        let with_port = aesmith_processors::cores().filter(|c| c.port.is_some());
        with_port.map(|c| PossibleValue::new(c.name)).collect()
    };
    Named { read: as_it_is, offered }
}

/// Parser of CPU levels. The command reports unknown names.
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
        "CPU to generate code for: native (this CPU, the default), or a level that it supports: {}; `emit` \
         and `tune` accept several levels",
        names.join(", ")
    )
}

/// Parser of restrictions, which offers the names of dimensions. The command reads the values, because it knows the
/// problem.
pub fn only() -> Named<String> {
    let offered = || {
        let named = |d: &Dimension| PossibleValue::new(format!("{}=", d.name)).help(d.meaning);
        this_machine().table.dimensions.iter().map(named).collect()
    };
    Named { read: as_it_is, offered }
}

/// Reads a problem; the error for an unknown one names the nearest problems.
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
