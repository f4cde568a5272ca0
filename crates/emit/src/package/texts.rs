//! Packages over texts of any length, as libraries: the kernel as source, its header, what surrounds it in C, a self-test, a
//! Makefile, pkg-config, the certificates and the licence. `make && make check` and `cc app.c -I. -L. -l...` is
//! all there is. A library for several CPU levels has a kernel for each, and C that chooses.

use super::File;
use super::description::Package;
use super::facts::{Facts, LevelFacts};
use super::order::{Arranged, arranged};
use crate::c::{self, Place, Program, portable};
use crate::recipe::{Part, Recipe, limited};
use crate::{
    EmitError, Function, Naming, SCHEDULE_SUFFIX, TABLE_SUFFIX, VARIABLE_TIME_SUFFIX, assembly, symbol,
};
use aesmith_arrange::{Dim, Variant};
use aesmith_cipher::mode::KeyPart;
use aesmith_cipher::{Problem, Task, contract};

/// A function over messages with the key set-up that it needs: what a package is made of, or one of its levels.
#[derive(Clone, Debug)]
pub struct FunctionSet {
    /// What it computes.
    pub problem: Problem,
    /// What its names begin with, and the level that they carry.
    pub naming: Naming,
    /// What its kernels may use, as `--cpu` takes it, where the level does not say.
    pub cpu: Option<String>,
    /// The function over messages; none for a key schedule by itself.
    pub message: Option<Function>,
    /// The key schedule that [`Problem::key_schedule`] names.
    pub schedule: Function,
    /// The builder of the counter table, where a variant of the function over messages reads it.
    pub table: Option<Function>,
    /// Cycles per byte that were measured of the function over messages, where they are known.
    pub cost: Option<f64>,
}

/// The functions of one level as they are printed: the one that the package is for, first.
struct Printed {
    symbol: String,
    functions: Vec<Function>,
}

impl FunctionSet {
    /// The package of it alone, with the kernel as assembly.
    ///
    /// # Errors
    /// Functions that are no kernels, that do not belong together, or that are not what their
    /// certificates say.
    pub fn package(&self) -> Result<Package, EmitError> {
        let name = self.name();
        let printed = self.printed(name.clone(), false)?;
        described(name, &[(self, printed)])
    }

    /// Every name of the interface begins with it: the symbol of the function that the package is
    /// for, with what says so where any part is of variable time.
    fn name(&self) -> String {
        let mut name = self.message.as_ref().unwrap_or(&self.schedule).symbol.clone();
        if self.is_variable_time() && !name.ends_with(VARIABLE_TIME_SUFFIX) {
            name.push_str(VARIABLE_TIME_SUFFIX);
        }
        self.naming.apply(&name)
    }

    /// Its functions, the one that the package is for first.
    pub(super) fn functions(&self) -> impl Iterator<Item = &Function> {
        self.message.iter().chain([&self.schedule]).chain(&self.table)
    }

    fn is_variable_time(&self) -> bool {
        self.functions().any(Function::is_variable_time)
    }

    /// Its functions under their names in a package, where C may choose among those of several levels.
    fn printed(&self, symbol: String, behind_a_choice: bool) -> Result<Printed, EmitError> {
        self.check()?;
        let renamed =
            |function: &Function, symbol: String, hidden| Function { symbol, hidden, ..function.clone() };
        let message = self.message.as_ref().map(|f| renamed(f, symbol.clone(), behind_a_choice));
        let schedule = renamed(&self.schedule, format!("{symbol}{SCHEDULE_SUFFIX}"), true);
        let table = self.table.as_ref().map(|f| renamed(f, format!("{symbol}{TABLE_SUFFIX}"), true));
        let functions = message.into_iter().chain([schedule]).chain(table).collect();
        Ok(Printed { symbol, functions })
    }

    fn recipe(&self) -> Part {
        let one = |f: &Function| f.variants().last().map(|(_, variant)| variant.clone());
        Part {
            level: self.naming.level().map(str::to_owned),
            cpu: self.cpu.clone(),
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
            expect("counter table", table, Problem::new(problem.key, Task::CtrTable))?;
        }
        match &self.message {
            Some(message) if problem.is_message() => expect("kernel", message, problem)?,
            None if !problem.is_message() => {}
            Some(_) => return Err(EmitError(format!("{problem} takes no messages, and a kernel was given"))),
            None => return Err(EmitError(format!("a package of {problem} needs its kernel"))),
        }
        if self.message.as_ref().is_some_and(reads_table) && self.table.is_none() {
            return Err(EmitError(format!(
                "the kernel of {problem} reads the counter table, and nothing that builds it was given"
            )));
        }
        if let Some(function) = self.functions().find(|f| f.certificate.is_none()) {
            return Err(EmitError(format!(
                "`{}` has no certificate, and what is not proved goes into no package: prove it first",
                function.symbol
            )));
        }
        Ok(())
    }
}

impl Package {
    /// Of several levels: a CPU runs the first that it can, in the order that [`super::order`] finds from what their
    /// kernels need. Where nothing else decides, the one that is given first is preferred. What is left out is in the
    /// package's notes.
    ///
    /// # Errors
    /// As [`FunctionSet::package`]; levels of different problems or prefixes, one twice, or one that no CPU would reach.
    pub fn of_levels(levels: &[FunctionSet]) -> Result<Package, EmitError> {
        of_levels(levels)
    }

    /// Of a kernel that is C, with its key schedule (and counter table, where a variant reads it). Nothing is proved of
    /// what a compiler will make of it: no certificates.
    ///
    /// # Errors
    /// Variants whose choices do not go together; a part that is missing.
    pub fn of_c(program: &Program) -> Result<Package, EmitError> {
        in_c(program, Program::file, false)
    }

    /// The same in C for any processor.
    ///
    /// # Errors
    /// As [`Package::of_c`], and a technique that needs instructions.
    pub fn of_portable_c(program: &Program) -> Result<Package, EmitError> {
        in_c(program, portable::file, true)
    }
}

fn of_levels(levels: &[FunctionSet]) -> Result<Package, EmitError> {
    let [first, others @ ..] = levels else {
        return Err(EmitError("a package of no levels has nothing in it".into()));
    };
    for (i, level) in levels.iter().enumerate() {
        let Some(name) = level.naming.level() else {
            return Err(EmitError("a package of several levels needs the name of each".into()));
        };
        if levels[..i].iter().any(|other| other.naming.level() == Some(name)) {
            return Err(EmitError(format!("the level {name} is there twice")));
        }
    }
    let naming = first.naming.without_level();
    if others.iter().any(|l| l.problem != first.problem || l.naming.without_level() != naming) {
        return Err(EmitError("the levels of a package are of one problem and one prefix".into()));
    }
    let plain = |variable_time| symbol(first.problem) + if variable_time { VARIABLE_TIME_SUFFIX } else { "" };
    let name = naming.apply(&plain(levels.iter().any(FunctionSet::is_variable_time)));
    let printed =
        |level: &FunctionSet| level.printed(level.naming.apply(&plain(level.is_variable_time())), true);
    levels.iter().try_for_each(FunctionSet::check)?;
    let Arranged { levels, notes } = arranged(levels)?;
    let levels =
        levels.into_iter().map(|level| Ok((level, printed(level)?))).collect::<Result<Vec<_>, _>>()?;
    Ok(described(name, &levels)?.noted(notes))
}

/// Of one level or several.
fn described(name: String, levels: &[(&FunctionSet, Printed)]) -> Result<Package, EmitError> {
    let problem = levels[0].0.problem;
    let dialect = levels[0].0.schedule.machine_code()?.dialect;
    let mut facts = Facts {
        problem,
        key_bytes: 0,
        levels: Vec::new(),
        recipe: Recipe::default(),
        variable_time: name.ends_with(VARIABLE_TIME_SUFFIX),
        dialect: Some(dialect),
        certificates: Vec::new(),
        name,
    };
    let mut kernels = Vec::new();
    for (package, Printed { symbol, functions }) in levels {
        let mut needed = Vec::new();
        for function in functions {
            needed.extend((dialect.needed)(&function.machine_code()?.bytes).map_err(EmitError)?);
            facts.certificates.extend(function.certificate.as_ref().map(|c| (function.symbol.as_str(), c)));
        }
        facts.levels.push(LevelFacts {
            name: package.naming.level().map(str::to_owned),
            technique: functions[0].technique(),
            variants: functions[0].recipe().collect(),
            sha256: Some(functions[0].hash()?),
            table: package.table.is_some(),
            features: dialect.features.iter().copied().filter(|f| needed.contains(f)).collect(),
            symbol: symbol.clone(),
        });
        facts.recipe.parts.push(package.recipe());
        kernels.push(File { name: format!("{symbol}.S"), contents: assembly::file(functions)? });
    }
    facts.key_bytes = key_structure_bytes(problem, facts.has_table());
    Ok(facts.description(kernels, "S").package())
}

fn in_c(
    program: &Program,
    kernel: impl Fn(&Program, Place) -> Result<String, EmitError>,
    portable: bool,
) -> Result<Package, EmitError> {
    let problem = program.problem;
    check_problem(problem)?;
    let scheduled = program.schedule.as_ref().is_some_and(|s| s.problem == problem.key_schedule());
    let reads_table = program.choices.iter().any(|(_, variant)| variant_reads_table(variant));
    if !scheduled || (reads_table && !program.table) || program.choices.is_empty() == problem.is_message() {
        return Err(EmitError(format!(
            "a package of {problem} needs its kernel, {} and, where a variant reads it, the counter table",
            problem.key_schedule()
        )));
    }
    let dialect = (!portable).then(c::dialect);
    let name = if portable { portable::name(program) } else { program.name() };
    let variable_time = name.ends_with(VARIABLE_TIME_SUFFIX);
    let part =
        Part { message: program.choices.clone(), schedule: program.schedule.clone(), ..Part::default() };
    let own = part.message.iter().map(|(limit, variant)| limited(*limit, variant));
    let schedule = part.schedule.iter().filter(|_| !problem.is_message()).map(Variant::to_string);
    let facts = Facts {
        problem,
        key_bytes: key_structure_bytes(problem, program.table),
        levels: vec![LevelFacts {
            name: None,
            symbol: name.clone(),
            technique: "c".into(),
            variants: own.chain(schedule).collect(),
            sha256: None,
            table: program.table,
            features: if portable { vec![] } else { program.features() },
        }],
        recipe: Recipe { parts: vec![part] },
        certificates: vec![],
        variable_time,
        dialect,
        name: name.clone(),
    };
    let kernel = File { name: format!("{name}.c"), contents: kernel(program, Place::Package)? };
    Ok(facts.description(vec![kernel], "c").package())
}

fn check_problem(problem: Problem) -> Result<(), EmitError> {
    if problem.mode().writes == Some(KeyPart::CounterTable) {
        return Err(EmitError(format!(
            "{problem} is a part of {}, which is what to make a package of",
            Problem::new(problem.key, Task::Ctr)
        )));
    }
    Ok(())
}

/// Whether a function over messages reads the counter table, so that its package needs the builder.
pub fn reads_table(function: &Function) -> bool {
    function.variants().iter().any(|(_, variant)| variant_reads_table(variant))
}

fn variant_reads_table(variant: &Variant) -> bool {
    // Techniques on words cache rounds by themselves.
    variant.get(Dim::Cached) == 1 && !variant.technique.on_words()
}

/// Bytes of the key structure: round keys and room, and the counter table where it is used.
pub(super) fn key_structure_bytes(problem: Problem, table: bool) -> usize {
    if table && problem.mode().may_read(KeyPart::CounterTable) {
        contract::TABLE_OFFSET + contract::TABLE_BYTES
    } else {
        contract::TABLE_OFFSET
    }
}
