//! The functions of a folder that were proved, arranged as the members and levels of the package of a header.

use super::expected::declared;
use super::package::has_ending;
use super::promised::Promised;
use super::{Finding, Verified};
use aesmith_cipher::Problem;
use aesmith_emit::package::again::{ProvedLevel, ProvedMember};
use aesmith_emit::{
    Naming, SCHEDULE_SUFFIX, TABLE_SUFFIX, VARIABLE_TIME_SUFFIX, chooses_among, key_symbol, level_of_symbol,
    owner, prefix_of_package, problem_of_symbol, says_variable_time, without_level,
};
use std::path::{Path, PathBuf};

/// The proofs of a folder: those of sources before those of built files.
pub(super) struct Proofs<'f> {
    pub(super) all: Vec<(&'f Path, &'f Finding, &'f Promised)>,
}

impl<'f> Proofs<'f> {
    pub(super) fn of(found: &'f [(PathBuf, Verified)]) -> Proofs<'f> {
        let mut all: Vec<(&Path, &Finding, &Promised)> = Vec::new();
        let is_text = |file: &Path| has_ending(file, &["S", "s"]);
        let (sources, built): (Vec<_>, Vec<_>) = found.iter().partition(|(file, _)| is_text(file));
        for (file, verified) in sources.into_iter().chain(built) {
            for finding in &verified.findings {
                let again = all.iter().any(|(_, other, _)| other.symbol == finding.symbol);
                if let (Ok(proved), false) = (&finding.checked.proof, again) {
                    all.push((file, finding, &proved.promised));
                }
            }
        }
        Proofs { all }
    }

    /// The functions over texts, with the CPU features that each needs.
    fn of_texts(&self) -> impl Iterator<Item = (&'f str, &'f Result<Vec<&'static str>, String>)> {
        self.all.iter().filter_map(|(_, finding, promised)| match promised {
            Promised::Texts { features } => Some((finding.symbol.as_str(), features)),
            _ => None,
        })
    }

    /// The problems in the package of a header over texts, in the order of its declarations.
    pub(super) fn members(&self, name: &str, header: &str) -> Vec<ProvedMember> {
        let is_there = |function: &str| {
            let own = |symbol: &str| owner(symbol) == function || chooses_among(function, &[owner(symbol)]);
            self.of_texts().any(|(symbol, _)| own(symbol))
        };
        // The prefix of a package of several problems may be the name of one.
        if let Some(problem) = problem_of_symbol(name).filter(|_| is_there(name)) {
            return vec![ProvedMember { problem, name: name.to_owned(), key: name.to_owned() }];
        }
        let Some(prefix) = prefix_of_package(name) else { return Vec::new() };
        let mut members: Vec<ProvedMember> = Vec::new();
        for function in declared(header).filter(|f| f.starts_with(prefix) && is_there(f)) {
            let Some(problem) = problem_of_symbol(function).filter(Problem::is_message) else { continue };
            let again = members.iter().any(|member| member.name == function);
            if !again && owner(function) == function {
                let stem = format!("{prefix}{}", &key_symbol(problem)["aesmith_".len()..]);
                let varies = self.of_texts().any(|(symbol, _)| {
                    symbol.ends_with(SCHEDULE_SUFFIX)
                        && says_variable_time(symbol)
                        && plain(owner(symbol)) == stem
                });
                let key = stem + if varies { VARIABLE_TIME_SUFFIX } else { "" };
                members.push(ProvedMember { problem, name: function.to_owned(), key });
            }
        }
        members
    }

    /// The proofs of the levels of a package.
    pub(super) fn levels(&self, name: &str, members: &[ProvedMember]) -> Result<Vec<ProvedLevel>, String> {
        let first = &members[0].name;
        let owners = || self.of_texts().map(|(symbol, _)| owner(symbol));
        if owners().any(|owner| owner == first) {
            return Ok(vec![self.level(name, None, members)?]);
        }
        let mut levels: Vec<&'static str> =
            owners().filter(|owner| chooses_among(first, &[owner])).filter_map(level_of_symbol).collect();
        levels.sort_unstable();
        levels.dedup();
        levels.into_iter().map(|level| self.level(name, Some(level), members)).collect()
    }

    /// The proofs of the functions of a level.
    fn level(
        &self,
        name: &str,
        level: Option<&str>,
        members: &[ProvedMember],
    ) -> Result<ProvedLevel, String> {
        let of_level = |symbol: &str| level.is_none() || level_of_symbol(symbol) == level;
        // The name without its level, if names in this package have one.
        let named =
            |symbol: &'f str| if level.is_some() { plain(owner(symbol)) } else { unmarked(owner(symbol)) };
        let find = |of: &str, suffix: &str| {
            let mut all = self.of_texts().map(|(symbol, _)| symbol).filter(|symbol| of_level(symbol));
            all.find(|symbol| {
                named(symbol) == unmarked(of) && symbol.strip_prefix(owner(symbol)) == Some(suffix)
            })
        };
        let mut proved = ProvedLevel {
            symbol: String::new(),
            kernels: Vec::new(),
            keys: Vec::new(),
            level: level.map(str::to_owned),
            features: Vec::new(),
        };
        let mut used: Vec<String> = Vec::new();
        let mut keys: Vec<&str> = Vec::new();
        for member in members {
            let schedule = find(&member.key, SCHEDULE_SUFFIX);
            let kernel =
                find(&member.name, "").or(schedule.map(owner).filter(|_| !member.problem.is_message()));
            let Some(kernel) = kernel else {
                let of = level.map_or(String::new(), |level| format!(" of the level {level}"));
                return Err(format!(
                    "it declares `{}`, and no function{of} that computes it was proved",
                    member.name
                ));
            };
            proved.kernels.push(kernel.to_owned());
            used.push(kernel.to_owned());
            let table = find(&member.name, TABLE_SUFFIX).map(str::to_owned);
            match keys.iter().position(|key| *key == member.key) {
                Some(known) => proved.keys[known].1 = proved.keys[known].1.take().or(table.clone()),
                None => {
                    keys.push(&member.key);
                    let named =
                        schedule.map_or_else(|| format!("{}{SCHEDULE_SUFFIX}", owner(kernel)), str::to_owned);
                    used.push(named.clone());
                    proved.keys.push((named, table.clone()));
                }
            }
            used.extend(table);
        }
        let mut own = self.of_texts().filter(|(symbol, _)| used.iter().any(|name| name == symbol));
        own.try_for_each(|(_, features)| features.clone().map(|found| proved.features.extend(found)))?;
        proved.symbol = match (prefix_of_package(name), level) {
            (_, None) => name.to_owned(),
            (None, Some(_)) => proved.kernels[0].clone(),
            (Some(prefix), Some(level)) => {
                let varies = used.iter().any(|symbol| says_variable_time(symbol));
                let naming = Naming::with_prefix(prefix).map_err(|e| e.to_string())?.at_level(level);
                naming.apply(if varies { "aesmith_aes_vt" } else { "aesmith_aes" })
            }
        };
        Ok(proved)
    }
}

/// A name without its mark of variable time.
fn unmarked(name: &str) -> &str {
    name.strip_suffix(VARIABLE_TIME_SUFFIX).unwrap_or(name)
}

/// A name without its mark of variable time and its level.
fn plain(name: &str) -> &str {
    without_level(unmarked(name))
}
