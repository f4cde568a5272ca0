//! Packages over texts of any length, as libraries: the kernel as source, its header, the C around it, a self-test, a
//! Makefile, pkg-config, the certificates and the licence. `make && make check` and `cc app.c -I. -L. -l...` are all
//! the commands. A library for several CPU levels has a kernel for each, and C that chooses.

use super::File;
use super::check_listed;
use super::description::Package;
use super::facts::{Facts, KernelFacts, Key, KeySetUp, LevelFacts, Member};
use super::order::{Arranged, arranged};
use crate::c::{Place, Program, has_c_form, portable};
use crate::recipe::{Part, Recipe, limited};
use crate::{
    EmitError, Function, Naming, SCHEDULE_SUFFIX, TABLE_SUFFIX, VARIABLE_TIME_SUFFIX, assembly, key_symbol,
    package_symbol, symbol,
};
use aesmith_arrange::{Role, Variant};
use aesmith_cipher::{Problem, contract};
use aesmith_processors::this_machine;

/// A function over messages with the key set-up that it needs: the contents of a package, or of one of its levels.
#[derive(Clone, Debug)]
pub struct FunctionSet {
    /// The problem that it computes.
    pub problem: Problem,
    /// The prefix and the level of its names.
    pub naming: Naming,
    /// The CPU features that its kernels may use, as for `--cpu`, if the level does not determine them.
    pub cpu: Option<String>,
    /// The function over messages; `None` for a key schedule by itself.
    pub message: Option<Function>,
    /// The key schedule that [`Problem::key_schedule`] names.
    pub schedule: Function,
    /// The builder of the key's table, if a variant of the function over messages reads it.
    pub table: Option<Function>,
    /// Measured cycles per byte of the function over messages, if known.
    pub cost: Option<f64>,
}

/// The functions of one level with their printed names.
struct Printed {
    /// By the number of the problem: the function over messages, or the key schedule that the package is for.
    kernels: Vec<Function>,
    /// By the number of the key: its schedule, and the builder of its table if it is used.
    keys: Vec<(Function, Option<Function>)>,
}

impl Printed {
    /// All functions, each once.
    fn all(&self) -> impl Iterator<Item = &Function> {
        let messages = self.kernels.iter().filter(|f| f.problem.is_message());
        messages.chain(self.keys.iter().flat_map(|(schedule, table)| [schedule].into_iter().chain(table)))
    }
}

/// The function sets of a level, one for each problem of a package.
pub(super) struct LevelSets<'s> {
    pub sets: Vec<&'s FunctionSet>,
}

impl<'s> LevelSets<'s> {
    /// The level's name, or an empty string.
    pub fn name(&self) -> &'s str {
        self.sets[0].naming.level().unwrap_or_default()
    }

    pub fn functions(&self) -> impl Iterator<Item = &'s Function> {
        self.sets.iter().flat_map(|set| set.functions())
    }

    /// Total cycles per byte over all problems, if all are known.
    pub fn cost(&self) -> Option<f64> {
        self.sets.iter().map(|set| set.cost).sum()
    }

    fn is_variable_time(&self) -> bool {
        self.sets.iter().any(|set| set.is_variable_time())
    }
}

/// The naming of a package's functions.
struct Names {
    /// The prefix, and the level of a package with one level.
    naming: Naming,
    /// True if C chooses among kernels, so that each has its level in its name.
    chooses: bool,
    /// True if the package is for several problems, which share keys.
    several: bool,
}

impl Names {
    /// The naming of a level's functions.
    fn at(&self, level: &LevelSets<'_>) -> Naming {
        if self.chooses { level.sets[0].naming.clone() } else { self.naming.clone() }
    }

    /// The name of a key, without prefix and level.
    fn stem(&self, set: &FunctionSet) -> String {
        match self.several {
            true => key_symbol(set.problem) + marked(set.schedule.is_variable_time()),
            false => symbol(set.problem) + marked(set.is_variable_time()),
        }
    }
}

/// The suffix of names if time depends on secrets.
fn marked(variable_time: bool) -> &'static str {
    if variable_time { VARIABLE_TIME_SUFFIX } else { "" }
}

impl FunctionSet {
    /// Returns the package of this set alone, with the kernel as assembly.
    ///
    /// # Errors
    /// Functions that are no kernels, that do not belong together, or that contradict their certificates.
    pub fn package(&self) -> Result<Package, EmitError> {
        self.check()?;
        let level = LevelSets { sets: vec![self] };
        described(&[level], Names { naming: self.naming.clone(), chooses: false, several: false })
    }

    /// Its functions, the main one first.
    pub(super) fn functions(&self) -> impl Iterator<Item = &Function> {
        self.message.iter().chain([&self.schedule]).chain(&self.table)
    }

    fn is_variable_time(&self) -> bool {
        self.functions().any(Function::is_variable_time)
    }

    /// Its recipe. Without `by_level` the level is not part of names and is recorded as the CPU features that kernels
    /// may use.
    fn recipe(&self, by_level: bool) -> Part {
        let one = |f: &Function| f.variants().last().map(|(_, variant)| variant.clone());
        let level = self.naming.level().map(str::to_owned);
        Part {
            cpu: self.cpu.clone().or_else(|| level.clone().filter(|_| !by_level)),
            level: level.filter(|_| by_level),
            message: self.message.as_ref().map_or(vec![], |f| f.variants().to_vec()),
            schedule: one(&self.schedule),
            table: self.table.as_ref().and_then(one),
        }
    }

    fn check(&self) -> Result<(), EmitError> {
        let problem = self.problem;
        let expect = |what: &str, function: &Function, wanted: Problem| {
            if function.problem == wanted {
                return Ok(());
            }
            Err(EmitError(format!(
                "the {what} of a package of {problem} must be {wanted}, and {} was given",
                function.problem
            )))
        };
        check_problem(problem)?;
        expect("key schedule", &self.schedule, problem.key_schedule())?;
        if let Some(table) = &self.table {
            let Some(wanted) = problem.key_table() else {
                return Err(EmitError(format!("the keys of {problem} have no table, and one was given")));
            };
            expect("key's table", table, wanted)?;
        }
        match &self.message {
            Some(message) if problem.is_message() => expect("kernel", message, problem)?,
            None if !problem.is_message() => {}
            Some(_) => return Err(EmitError(format!("{problem} takes no messages, and a kernel was given"))),
            None => return Err(EmitError(format!("a package of {problem} needs its kernel"))),
        }
        if self.message.as_ref().is_some_and(reads_table) && self.table.is_none() {
            return Err(EmitError(format!(
                "the kernel of {problem} reads the key's table, and nothing that builds it was given"
            )));
        }
        if let Some(function) = self.functions().find(|f| f.facts.is_none()) {
            return Err(EmitError(format!(
                "`{}` has no certificate, and what is not proved goes into no package: prove it first",
                function.symbol
            )));
        }
        Ok(())
    }
}

impl Package {
    /// Makes a package of several levels. A CPU runs the first that it can, in the order that [`super::order`] derives
    /// from the needs of their kernels; where nothing else decides, the given order counts. The package's notes list
    /// omitted levels.
    ///
    /// # Errors
    /// See [`FunctionSet::package`]; levels of different problems or prefixes, a duplicate level, or one that no CPU
    /// would reach.
    pub fn of_levels(levels: &[FunctionSet]) -> Result<Package, EmitError> {
        of_problems(&[levels.to_vec()])
    }

    /// Makes a package of several problems, each at the same levels, with one key structure for all that have the same
    /// round keys and one query of CPU features.
    ///
    /// # Errors
    /// See [`Package::of_levels`]; a duplicate problem, a key schedule by itself, or problems at different levels.
    pub fn of_problems(problems: &[Vec<FunctionSet>]) -> Result<Package, EmitError> {
        of_problems(problems)
    }

    /// Makes a package of a kernel in C, with its key schedule (and counter table, if a variant reads it). It has no
    /// certificates, because nothing is proved of a compiler's output.
    ///
    /// # Errors
    /// Variants whose choices do not fit together; a missing part.
    pub fn of_c(program: &Program) -> Result<Package, EmitError> {
        in_c(program, Program::file, false)
    }

    /// Like [`Package::of_c`], in C for any processor.
    ///
    /// # Errors
    /// See [`Package::of_c`]; and a technique that needs instructions.
    pub fn of_portable_c(program: &Program) -> Result<Package, EmitError> {
        in_c(program, portable::file, true)
    }
}

fn of_problems(problems: &[Vec<FunctionSet>]) -> Result<Package, EmitError> {
    let first = problems.first().and_then(|levels| levels.first());
    let Some(first) = first else {
        return Err(EmitError("a package of no levels has nothing in it".into()));
    };
    let problem = |levels: &Vec<FunctionSet>| levels.first().map_or(first.problem, |level| level.problem);
    check_listed(&problems.iter().map(problem).collect::<Vec<_>>())?;
    for levels in problems {
        check_levels(levels, first)?;
        let names = |levels: &[FunctionSet]| {
            levels.iter().map(|l| l.naming.level().map(str::to_owned)).collect::<Vec<_>>()
        };
        if names(levels) != names(&problems[0]) {
            return Err(EmitError("the problems of a package are there at the same levels".into()));
        }
    }
    let level = |i: usize| LevelSets { sets: problems.iter().map(|levels| &levels[i]).collect() };
    let levels = (0..problems[0].len()).map(level).collect();
    let Arranged { levels, notes } = arranged(levels)?;
    // Public names do not depend on the number of levels: with one problem, a kernel carries its level even if it is
    // the only one.
    let several = problems.len() > 1;
    let chooses = levels.len() > 1 || !several;
    let named: Vec<String> = levels
        .iter()
        .map(|level| level.name().to_owned())
        .filter(|name| chooses && !name.is_empty())
        .collect();
    let names = Names { naming: first.naming.without_level(), chooses, several };
    Ok(described(&levels, names)?.noted(notes).at(named))
}

/// Checks the levels of one problem, whose names must have the prefix of `first`.
fn check_levels(levels: &[FunctionSet], first: &FunctionSet) -> Result<(), EmitError> {
    for (i, level) in levels.iter().enumerate() {
        level.check()?;
        match level.naming.level() {
            None if levels.len() > 1 => {
                return Err(EmitError("a package of several levels needs the name of each".into()));
            }
            Some(name) if levels[..i].iter().any(|other| other.naming.level() == Some(name)) => {
                return Err(EmitError(format!("the level {name} is there twice")));
            }
            _ => {}
        }
        if level.problem != levels[0].problem || level.naming.without_level() != first.naming.without_level()
        {
            return Err(EmitError("the levels of a package are of one problem and one prefix".into()));
        }
    }
    Ok(())
}

/// A kind of keys; see [`Problem::key_kind`].
type KeyKind = (Problem, Option<Problem>);

/// Returns a level's functions with their printed names.
fn printed(level: &LevelSets<'_>, names: &Names, kinds: &[KeyKind]) -> Printed {
    let naming = names.at(level);
    let renamed =
        |function: &Function, symbol: String, hidden| Function { symbol, hidden, ..function.clone() };
    let own = |set: &FunctionSet| naming.apply(&(symbol(set.problem) + marked(set.is_variable_time())));
    let kernel = |set: &&FunctionSet| match &set.message {
        Some(message) => renamed(message, own(set), names.chooses),
        None => renamed(&set.schedule, format!("{}{SCHEDULE_SUFFIX}", own(set)), true),
    };
    let key = |kind: &KeyKind| {
        let mut users = level.sets.iter().filter(|set| set.problem.key_kind() == *kind);
        let reads = users.clone().find(|set| set.table.is_some());
        let table = reads
            .and_then(|set| Some(renamed(set.table.as_ref()?, format!("{}{TABLE_SUFFIX}", own(set)), true)));
        let set = users.next().expect("a key is somebody's");
        let stem = naming.apply(&names.stem(set));
        (renamed(&set.schedule, format!("{stem}{SCHEDULE_SUFFIX}"), true), table)
    };
    Printed { kernels: level.sets.iter().map(kernel).collect(), keys: kinds.iter().map(key).collect() }
}

/// Describes the package of these levels, which are known to fit together.
fn described(levels: &[LevelSets<'_>], names: Names) -> Result<Package, EmitError> {
    let sets = &levels[0].sets;
    let dialect = sets[0].schedule.machine_code()?.dialect;
    let variable_time = levels.iter().any(LevelSets::is_variable_time);
    let whole = if names.several { package_symbol() } else { symbol(sets[0].problem) };
    let name = names.naming.apply(&(whole.clone() + marked(variable_time)));
    let mut kinds: Vec<KeyKind> = Vec::new();
    for kind in sets.iter().map(|set| set.problem.key_kind()) {
        if !kinds.contains(&kind) {
            kinds.push(kind);
        }
    }
    let any =
        |is: &dyn Fn(&FunctionSet) -> bool| levels.iter().flat_map(|level| &level.sets).any(|set| is(set));
    let member = |set: &&FunctionSet| {
        let vt = any(&|other| other.problem == set.problem && other.is_variable_time());
        Member {
            problem: set.problem,
            name: names.naming.apply(&(symbol(set.problem) + marked(vt))),
            key: kinds.iter().position(|kind| *kind == set.problem.key_kind()).unwrap_or_default(),
        }
    };
    let members: Vec<Member> = sets.iter().map(member).collect();
    let key = |kind: &KeyKind| {
        let all = levels.iter().flat_map(|level| &level.sets);
        let users: Vec<_> = all.filter(|set| set.problem.key_kind() == *kind).collect();
        let vt = users.iter().any(|set| set.schedule.is_variable_time());
        let stem = match names.several {
            true => names.naming.apply(&(key_symbol(users[0].problem) + marked(vt))),
            false => name.clone(),
        };
        let table = users.iter().find_map(|set| Some(set.table.as_ref()?.problem));
        Key { stem, schedule: kind.0, table, bytes: key_structure_bytes(table) }
    };
    let mut facts = Facts {
        keys: kinds.iter().map(key).collect(),
        members,
        levels: Vec::new(),
        recipes: Vec::new(),
        prefix: names.naming.prefix().map(str::to_owned),
        variable_time,
        dialect: Some(dialect),
        certificates: Vec::new(),
        name,
    };
    let mut kernels = Vec::new();
    let all: Vec<Printed> = levels.iter().map(|level| printed(level, &names, &kinds)).collect();
    for (level, printed) in levels.iter().zip(&all) {
        let mut needed = Vec::new();
        for function in printed.all() {
            needed.extend((dialect.needed)(&function.machine_code()?.bytes).map_err(EmitError)?);
        }
        let of = |function: &Function| {
            Ok(KernelFacts {
                symbol: function.symbol.strip_suffix(SCHEDULE_SUFFIX).unwrap_or(&function.symbol).to_owned(),
                technique: function.technique(),
                variants: function.recipe().collect(),
                sha256: Some(function.hash()?),
            })
        };
        let set_up = |(schedule, table): &(Function, Option<Function>)| KeySetUp {
            schedule: schedule.symbol.clone(),
            table: table.as_ref().map(|f| f.symbol.clone()),
        };
        let file = names.at(level).apply(&(whole.clone() + marked(level.is_variable_time())));
        facts.levels.push(LevelFacts {
            name: Some(level.name())
                .filter(|name| !name.is_empty() && (names.chooses || !names.several))
                .map(str::to_owned),
            kernels: printed.kernels.iter().map(of).collect::<Result<_, EmitError>>()?,
            keys: printed.keys.iter().map(set_up).collect(),
            features: dialect.features.iter().copied().filter(|f| needed.contains(f)).collect(),
            symbol: file.clone(),
        });
        let functions: Vec<Function> = printed.all().cloned().collect();
        kernels.push(File { name: format!("{file}.S"), contents: assembly::file(&functions)? });
    }
    for (i, set) in sets.iter().enumerate() {
        let parts =
            levels.iter().map(|level| level.sets[i].recipe(names.chooses || !names.several)).collect();
        facts.recipes.push((set.problem, Recipe { parts }));
    }
    for function in all.iter().flat_map(Printed::all) {
        facts.certificates.extend(function.facts.as_ref().map(|c| (function.symbol.as_str(), c)));
    }
    Ok(facts.description(kernels, "S").package())
}

fn in_c(
    program: &Program,
    kernel: impl Fn(&Program, Place) -> Result<String, EmitError>,
    portable: bool,
) -> Result<Package, EmitError> {
    let problem = program.problem;
    check_problem(problem)?;
    has_c_form(problem)?;
    let scheduled = program.schedule.as_ref().is_some_and(|s| s.problem == problem.key_schedule());
    let reads_table = program.choices.iter().any(|(_, variant)| variant_reads_table(variant));
    if !scheduled || (reads_table && !program.table) || program.choices.is_empty() == problem.is_message() {
        return Err(EmitError(format!(
            "a package of {problem} needs its kernel, {} and, where a variant reads it, the key's table",
            problem.key_schedule()
        )));
    }
    let dialect = (!portable).then(|| this_machine().dialect);
    let name = program.name_in(Place::Package);
    let variable_time = name.ends_with(VARIABLE_TIME_SUFFIX);
    let part =
        Part { message: program.choices.clone(), schedule: program.schedule.clone(), ..Part::default() };
    let own = part.message.iter().map(|(limit, variant)| limited(*limit, variant));
    let schedule = part.schedule.iter().filter(|_| !problem.is_message()).map(Variant::to_string);
    let schedule_symbol = format!("{name}{SCHEDULE_SUFFIX}");
    let table = problem.key_table().filter(|_| program.table);
    let facts = Facts {
        members: vec![Member { problem, name: name.clone(), key: 0 }],
        keys: vec![Key {
            stem: name.clone(),
            schedule: problem.key_schedule(),
            table,
            bytes: key_structure_bytes(table),
        }],
        levels: vec![LevelFacts {
            name: None,
            symbol: name.clone(),
            kernels: vec![KernelFacts {
                symbol: name.clone(),
                technique: "c".into(),
                variants: own.chain(schedule).collect(),
                sha256: None,
            }],
            keys: vec![KeySetUp {
                schedule: schedule_symbol,
                table: table.map(|_| format!("{name}{TABLE_SUFFIX}")),
            }],
            features: if portable { vec![] } else { program.features() },
        }],
        recipes: vec![(problem, Recipe { parts: vec![part] })],
        prefix: program.naming.prefix().map(str::to_owned),
        certificates: vec![],
        variable_time,
        dialect,
        name: name.clone(),
    };
    let kernel = File { name: format!("{name}.c"), contents: kernel(program, Place::Package)? };
    Ok(facts.description(vec![kernel], "c").package())
}

fn check_problem(problem: Problem) -> Result<(), EmitError> {
    if !problem.is_key_table() {
        return Ok(());
    }
    let readers = Problem::all().into_iter().filter(|reader| reader.key_table() == Some(problem));
    let readers: Vec<String> = readers.filter(Problem::is_message).map(|reader| reader.to_string()).collect();
    Err(EmitError(format!(
        "{problem} is a part of {}, which is what to make a package of",
        readers.join(" and of ")
    )))
}

/// True if a function over messages reads the key's table, so that its package needs the builder.
pub fn reads_table(function: &Function) -> bool {
    function.variants().iter().any(|(_, variant)| variant_reads_table(variant))
}

fn variant_reads_table(variant: &Variant) -> bool {
    // Techniques on words cache rounds by themselves.
    let caches = variant.get(Role::CachedRounds) == 1 && !variant.technique.on_words();
    caches || variant.problem.key_kind().1.is_some()
}

/// Size of a key structure in bytes: room for round keys, and the table that a problem sets up, if it is used.
pub(super) fn key_structure_bytes(table: Option<Problem>) -> usize {
    table.map_or(contract::TABLE_OFFSET, |table| table.written_key().end)
}
