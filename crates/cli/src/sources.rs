//! The inputs of commands: the wisdom file, this processor, a variant in a file.

use crate::arguments::{Choice, Sought};
use crate::failure::Failure;
use crate::output::say;
use crate::regular;
use crate::restrictions::restrictions;
use aesmith_arrange::Table;
use aesmith_cipher::Problem;
use aesmith_emit::recipe::{Given, Recipe, marked_variants};
use aesmith_processor::core::Core;
use aesmith_processor::measured::{Features, KnownMachine, Target};
use aesmith_processor::timing::Timing;
use aesmith_processors::this_machine;
use aesmith_tune::deliver::firmware::{CoreDelivery, CoreRequest, best_known};
use aesmith_tune::evaluate::look::Look;
use aesmith_tune::front::{Budgets, Objective};
use aesmith_tune::key_life::KeyLife;
use aesmith_tune::{Request, Settings};
use aesmith_wisdom::{Store, WisdomError};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

/// The path of the wisdom file: the named one, or the user's.
pub fn wisdom_path(named: Option<&Path>) -> Result<PathBuf, Failure> {
    named.map_or_else(|| aesmith_wisdom::place::default_path().map_err(Failure::Wisdom), |p| Ok(p.into()))
}

/// The path of the wisdom file for a command that works without one; empty if it has no place.
pub fn wisdom_path_to_read(named: Option<&Path>) -> Result<PathBuf, Failure> {
    match wisdom_path(named) {
        Err(Failure::Wisdom(WisdomError::NoPlace)) => Ok(PathBuf::new()),
        found => found,
    }
}

/// Opens the wisdom for work whose result is not stored: as a copy in memory, with a message, if it cannot be written.
pub fn store_or_copy(named: Option<&Path>) -> Result<Store, Failure> {
    let (store, copied) = Store::open_or_copy(&wisdom_path_to_read(named)?)?;
    if copied {
        say("wisdom cannot be written: what is found now is not kept");
    }
    Ok(store)
}

/// The wisdom in a file, if there is any.
pub fn store_to_read(path: &Path) -> Result<Option<Store>, Failure> {
    match Store::open_to_read(path) {
        Ok(store) => Ok(Some(store)),
        Err(WisdomError::Missing(_)) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// Refuses an objective and limits of RAM and stack: on this machine kernels are chosen by cycles alone.
pub fn chosen_by_cycles(sought: &Sought) -> Result<(), Failure> {
    let limits = [
        ("--objective", sought.objective != Objective::default()),
        ("--max-ram", sought.max_ram.is_some()),
        ("--max-stack", sought.max_stack.is_some()),
    ];
    match limits.iter().find(|(_, given)| *given) {
        Some((option, _)) => Err(Failure::Usage(format!(
            "{option} is for processors whose memory is counted; on {} kernels are chosen by their cycles, within \
             --max-flash: leave {option} out",
            this_machine().dialect.name
        ))),
        None => Ok(()),
    }
}

/// The permitted dependence of a kernel's time on secrets. By default there is none on this processor. With
/// `--constant-time` a kernel also may not rely on the lack of a data cache.
fn timing(choice: &Choice) -> Timing {
    match (choice.constant_time, choice.allow_variable_time) {
        (true, _) => Timing::Proved,
        (false, true) => Timing::Variable,
        (false, false) => Timing::Constant,
    }
}

/// The requirements on kernels of a processor with this table. `--only` is refused without a problem, which determines
/// the dimensions.
pub fn request(table: &Table, problem: Option<Problem>, choice: &Choice) -> Result<Request, Failure> {
    Ok(Request {
        technique: choice.technique,
        timing: timing(choice),
        widest: choice.width.map(Width::lanes),
        only: restrictions(table, problem, &choice.only)?,
        key_life: KeyLife(choice.key_life),
        calls: choice.calls,
        ..Request::default()
    })
}

/// The requirements on kernels of a processor other than this machine, whose cycles are counted.
pub fn request_on(core: &Core, problem: Option<Problem>, choice: &Choice) -> Result<Request, Failure> {
    if choice.calls.is_cold() {
        return Err(Failure::Usage(format!(
            "--for {0} is for kernels that are measured on this machine: cycles on {1} are counted, the same whatever ran \
             before a call; leave --for {0} out",
            choice.calls, core.name
        )));
    }
    request(core.table, problem, choice)
}

/// The requirements on such a processor, with objective and limits.
pub fn request_within(
    core: &Core,
    problem: Problem,
    choice: &Choice,
    sought: &Sought,
) -> Result<Request, Failure> {
    let budgets = Budgets { flash: sought.max_flash, ram: sought.max_ram, stack: sought.max_stack };
    let request = request_on(core, Some(problem), choice)?;
    Ok(Request { objective: sought.objective, budgets, ..request })
}

/// The time for costing variants if the wisdom has none.
pub const LOOKING: Duration = Duration::from_secs(15);

/// The best known kernel that meets `request` on a processor with exact judges.
pub fn best_on(
    core: &'static Core,
    problem: Problem,
    size: Option<usize>,
    request: &Request,
    named: Option<&Path>,
) -> Result<CoreDelivery, Failure> {
    let store = store_to_read(&wisdom_path_to_read(named)?)?;
    let how = Look {
        until: Some(Instant::now() + LOOKING),
        brief: true,
        tell: &|text| say(text),
        ..Look::default()
    };
    Ok(best_known(core, store.as_ref(), &CoreRequest { problem, request, size, contract: &|_| true, how })?)
}

/// The requirements on code: which may be chosen, and which CPU features it may use.
#[derive(Clone, Debug)]
pub struct What {
    /// CPU features that kernels may use.
    pub target: Target,
    /// Features of a lesser CPU, if one was named.
    pub cpu: Option<Features>,
    /// The level, if one was named: symbols contain it.
    pub level: Option<&'static str>,
    /// Requirements on kernels that are delivered.
    pub request: Request,
}

impl What {
    /// Limits code and constants of kernels to `most` bytes.
    pub fn limited(mut self, most: Option<u64>) -> What {
        if let Some(most) = most {
            self.request.limit(&mut self.target, most);
        }
        self
    }

    /// Allows no kernel that uses the red zone, if that is asked for.
    pub fn without_red_zone(mut self, asked: bool) -> What {
        self.request.no_red_zone = asked;
        self
    }

    /// Allows only kernels that the checker of proofs accepts, if that is asked for.
    pub fn checked(mut self, asked: bool) -> What {
        self.request.checked = asked;
        self
    }
}

/// Refuses `--checked` where kernels are chosen before the checker of proofs judges them.
pub fn without_checker(processor: &str, asked: bool) -> Result<(), Failure> {
    match asked {
        true => Err(Failure::Usage(format!(
            "--checked: kernels for {processor} are chosen before the checker judges them; `aesmith verify --checked` \
             refuses those of an emitted folder that it does not accept"
        ))),
        false => Ok(()),
    }
}

/// Refuses `--no-red-zone` for a processor whose convention has a red zone, which its proofs do not measure.
pub fn without_red_zone(core: &Core, asked: bool) -> Result<(), Failure> {
    match asked && core.convention.red_zone > 0 {
        true => Err(Failure::Usage(format!(
            "--no-red-zone: functions may use {} bytes below the stack pointer on {}, and its proofs do not tell which do",
            core.convention.red_zone, core.name
        ))),
        false => Ok(()),
    }
}

/// The CPU that `--cpu` names, compared with this one. An error says what is missing and what would work.
pub fn cpu_named(names: &[String]) -> Result<What, Failure> {
    let native = Target::here(this_machine());
    let name = match names {
        [] => "native",
        [one] => one.as_str(),
        _ => {
            return Err(Failure::Usage(
                "--cpu names several levels, and only `tune` and `emit` take more than one".into(),
            ));
        }
    };
    let wrong = |e: String| Failure::Usage(format!("--cpu {name}: {e}"));
    let (cpu, level) = match name {
        "native" => (None, None),
        // The recipe of a package lists the features like this, if they are no level.
        features if features.contains('+') => {
            (Some(native.processor.requirements.parse(&features.replace('+', " ")).map_err(wrong)?), None)
        }
        level => {
            let features = native.processor.requirements.level(level).map_err(wrong)?;
            let named =
                this_machine().requirements.levels.iter().find(|l| l.features == features).map(|l| l.name);
            (Some(features), named)
        }
    };
    let mut target = native;
    if let Some(features) = cpu {
        let missing = features.missing_in(native.features);
        if !missing.is_empty() {
            let levels = this_machine().requirements.levels.iter().filter(|l| native.has(l.features));
            let names: Vec<&str> = levels.map(|l| l.name).collect();
            return Err(Failure::Cpu(format!(
                "--cpu {name}: this CPU lacks [{}], so that kernels for it cannot be run here; it can be {}",
                native.processor.requirements.names(missing).collect::<Vec<_>>().join(" "),
                names.join(", ")
            )));
        }
        target = native.only(features);
    }
    Ok(What { target, cpu, level, request: Request::default() })
}

/// Checks that the techniques to be chosen from can use registers of the width that is named.
fn wide_enough(choice: &Choice, request: &Request, target: &Target) -> Result<(), Failure> {
    let has = request.techniques(target)?.iter().map(|&t| target.lanes_of(t)).max().unwrap_or(0);
    match choice.width.filter(|width| has < width.lanes()) {
        None => Ok(()),
        Some(width) => Err(Failure::Cpu(format!(
            "--width {} is wider than the techniques to be chosen from can use with the CPU features \
             to be used, which is {} bits",
            width.0.name,
            128 * has
        ))),
    }
}

/// Reads the options on what may be chosen, for the CPU of a machine model: nothing runs, so that this CPU need not have the
/// features.
pub fn what_modelled(
    machine: &KnownMachine,
    choice: &Choice,
    problem: Option<Problem>,
) -> Result<What, Failure> {
    let requirements = this_machine().requirements;
    let name = match choice.cpu.as_slice() {
        [] => machine.level,
        [one] if one == "native" => {
            return Err(Failure::Usage(
                "--cpu native is this machine, and --judge model needs none: name a level, or leave --cpu out".into(),
            ));
        }
        [one] => one.as_str(),
        _ => return Err(Failure::Usage("--judge model models one CPU: name one level with --cpu".into())),
    };
    let wrong = |e: String| Failure::Usage(format!("--cpu {name}: {e}"));
    let features = match name.contains('+') {
        true => requirements.parse(&name.replace('+', " ")),
        false => requirements.level(name),
    };
    let features = features.map_err(wrong)?;
    let level = requirements.levels.iter().find(|l| l.features == features).map(|l| l.name);
    let target = Target::of(this_machine(), features);
    let request = request(this_machine().table, problem, choice)?;
    wide_enough(choice, &request, &target)?;
    Ok(What { target, cpu: Some(features), level, request })
}

/// Reads the options on the choice of code, and compares them with this CPU. An error says what is missing and what
/// would work.
pub fn what(choice: &Choice, problem: Option<Problem>) -> Result<What, Failure> {
    let request = request(this_machine().table, problem, choice)?;
    let what = cpu_named(&choice.cpu)?;
    wide_enough(choice, &request, &what.target)?;
    Ok(What { request, ..what })
}

/// The settings of a workplace for a command.
pub fn settings(wisdom: PathBuf, seed: u64, what: &What) -> Settings {
    Settings {
        quarantine: wisdom.parent().map(|d| d.join("quarantine")),
        wisdom,
        target: what.target,
        cpu: what.cpu,
        request: what.request.clone(),
        seed,
        worker: aesmith_native::Config::default().program,
        command: std::env::args().collect::<Vec<_>>().join(" "),
        remeasure: false,
        copy: false,
    }
}

/// A width of vector registers of this machine's processor.
#[derive(Clone, Copy, Debug)]
pub struct Width(&'static aesmith_processor::measured::Width);

impl clap::ValueEnum for Width {
    fn value_variants<'a>() -> &'a [Width] {
        static ALL: OnceLock<Vec<Width>> = OnceLock::new();
        ALL.get_or_init(|| this_machine().requirements.widths.iter().map(Width).collect())
    }

    fn to_possible_value(&self) -> Option<clap::builder::PossibleValue> {
        Some(clap::builder::PossibleValue::new(self.0.name).help(self.0.meaning))
    }
}

impl Width {
    /// The number of blocks in a register.
    pub fn lanes(self) -> usize {
        self.0.blocks
    }
}

/// The recipe of a package of `problem` in the text of a file: its README or header, or only variants, one a line.
pub fn recipe(file: &Path, text: &str, problem: Problem) -> Result<Recipe, Failure> {
    // Every variant names a problem, so that nothing of an unrelated file is printed.
    if !text.contains("aes") {
        return Err(Failure::Other(format!(
            "{} holds no variant: a line that begins with a problem, such as `aes128-ctr interleave=4`, or the README or header of a \
             package",
            file.display()
        )));
    }
    Recipe::parse(text, problem).map_err(|e| Failure::Other(format!("{} is no recipe: {e}", file.display())))
}

/// The text form of the variant in a file (`-` is standard input), of any problem; see [`variant_in`].
pub fn variant_text(file: &Path) -> Result<String, Failure> {
    variant_in(file, &text_of(file)?)
}

/// The text form of the variant in the text of a file: that of a recipe, or the first line that is neither empty nor a
/// comment (`#`).
pub fn variant_in(file: &Path, text: &str) -> Result<String, Failure> {
    match marked_variants(text).as_slice() {
        [] => {}
        [only] => return Ok((*only).to_owned()),
        [first, second, ..] => {
            return Err(Failure::Usage(format!(
                "{} holds several variants, `{first}` and `{second}`, and one is asked for",
                file.display()
            )));
        }
    }
    let line = text.lines().map(str::trim).find(|l| !l.is_empty() && !l.starts_with('#'));
    // A variant's text begins with a problem, so that nothing of an unrelated file is printed.
    let variant = line.filter(|line| {
        let first = line.split_whitespace().next().unwrap_or_default();
        first.parse::<Problem>().is_ok()
    });
    variant.map(str::to_owned).ok_or_else(|| {
        Failure::Usage(format!(
            "{} holds no variant: a line that begins with a problem, such as `aes128-ecb sbox=flash`, as `tune` and `explain` \
             print it",
            file.display()
        ))
    })
}

/// Reads the recipe of a package for firmware from its README or header, or from a file of variants.
pub fn variants_of(file: &Path) -> Result<Given, Failure> {
    Given::parse(&text_of(file)?).map_err(|why| Failure::Usage(format!("{}: {why}", file.display())))
}

/// The text of a file; `-` is standard input.
pub fn text_of(file: &Path) -> Result<String, Failure> {
    if file.as_os_str() == "-" { regular::standard_input() } else { regular::read_text(file) }
}
