//! The object that is made of assembly: of `.S` by the C compiler's driver, which preprocesses it, as
//! the Makefile of a package does; of `.s` by GNU as.

use crate::failure::Failure;
use crate::regular;
use crate::scratch::Scratch;
use aesmith_emit::gnu::assembly::NO_DATA_CACHE;
use aesmith_emit::gnu::gnu;
use aesmith_judge::outside::{built_binutils, find};
use aesmith_processor::core::Core;
use std::fs::File;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// How long an assembler may take, and how much memory and room it may need: text can ask for any.
const PATIENCE: Duration = Duration::from_secs(60);
const MEMORY: libc::rlim_t = 4 << 30;

/// The object of a file, in memory: for a processor that is named, or for x86-64.
pub fn assemble(file: &Path, core: Option<&Core>) -> Result<Vec<u8>, Failure> {
    // An absent file is not the assembler's to complain about.
    regular::read(file, regular::TEXT)?;
    let place = Scratch::new("verify")?;
    within(file, core, place.path())
}

/// What the Makefile of a package takes from the environment.
fn words(variable: &str, default: &str) -> Vec<String> {
    let text = std::env::var(variable).unwrap_or_default();
    let text = if text.trim().is_empty() { default } else { &text };
    text.split_whitespace().map(str::to_owned).collect()
}

/// A program with its arguments, and the packages that have it.
type Tool = (Vec<String>, String);

fn words_of(all: &[&str]) -> Vec<String> {
    all.iter().map(|word| (*word).to_owned()).collect()
}

/// For x86-64: the compiler for `.S`, as the Makefile of a package has it.
fn native(preprocessed: bool) -> Vec<Tool> {
    if !preprocessed {
        return vec![(words_of(&["as", "--64", "-o", OBJECT, FILE]), "binutils".into())];
    }
    let mut all = words("CC", "cc");
    all.extend(words("CPPFLAGS", ""));
    all.extend(words("CFLAGS", "-O2"));
    all.extend(words_of(&["-fPIC", "-fcf-protection", "-c", "-o", OBJECT, FILE]));
    vec![(all, "gcc".into())]
}

/// For another processor: its cross compiler, as the Makefile of a package has it. Where there is only the
/// assembler, the compiler for this machine preprocesses.
fn cross(core: &Core, preprocessed: bool) -> Result<Vec<Tool>, Failure> {
    let gnu = gnu(core)?;
    let prefix = words("CROSS", gnu.prefix).join(" ");
    let flags = words("TARGET", &gnu.flags);
    let packages = gnu.packages.to_owned();
    // The packages of processors without one say so, too.
    let uncached = (!core.cached).then(|| format!("-D{NO_DATA_CACHE}"));
    let compiler = format!("{prefix}gcc");
    if preprocessed && find(&compiler).is_some() {
        let mut all = vec![compiler];
        all.extend(flags.into_iter().chain(uncached));
        all.extend(words_of(&["-c", "-o", OBJECT, FILE]));
        return Ok(vec![(all, packages)]);
    }
    let name = format!("{prefix}as");
    let assembler = match (find(&name), built_binutils(&name)) {
        (None, Some(built)) => built.display().to_string(),
        _ => name,
    };
    let mut all = vec![assembler];
    all.extend(flags.into_iter().filter(|flag| !["-marm", "-mlittle-endian"].contains(&flag.as_str())));
    if !preprocessed {
        all.extend(words_of(&["-o", OBJECT, FILE]));
        return Ok(vec![(all, packages)]);
    }
    let mut first = words("CC", "cc");
    first.extend(words_of(&["-E", "-undef", "-P", "-x", "assembler-with-cpp"]));
    first.extend(gnu.defined().map(|name| format!("-D{name}")));
    first.extend(uncached);
    first.extend(words_of(&["-o", PREPROCESSED, FILE]));
    all.extend(words_of(&["-o", OBJECT, PREPROCESSED]));
    Ok(vec![(first, "gcc".into()), (all, packages)])
}

/// Stand for paths in the arguments of tools.
const FILE: &str = "@FILE@";
const PREPROCESSED: &str = "@PREPROCESSED@";
const OBJECT: &str = "@OBJECT@";

fn within(file: &Path, core: Option<&Core>, place: &Path) -> Result<Vec<u8>, Failure> {
    let preprocessed = file.extension().is_some_and(|e| e == "S");
    let tools = core.map_or_else(|| Ok(native(preprocessed)), |core| cross(core, preprocessed))?;
    for tool in &tools {
        step(file, preprocessed, place, tool)?;
    }
    regular::read(&place.join("assembled.o"), regular::CODE)
}

/// Runs one tool.
fn step(file: &Path, preprocessed: bool, place: &Path, (all, package): &Tool) -> Result<(), Failure> {
    let cannot = |e: std::io::Error| Failure::Other(format!("{} cannot be assembled: {e}", file.display()));
    // An absolute path, for a name may begin with a dash; from where `make` is run.
    let path = std::path::absolute(file).map_err(cannot)?;
    let argument = |word: &String| match word.as_str() {
        FILE => path.clone(),
        OBJECT => place.join("assembled.o"),
        PREPROCESSED => place.join("preprocessed.s"),
        other => PathBuf::from(other),
    };
    let messages = place.join("messages");
    let said = File::create(&messages).map_err(cannot)?;
    let mut command = Command::new(&all[0]);
    command.args(all[1..].iter().map(argument)).process_group(0);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(said);
    command.current_dir(path.parent().unwrap_or(Path::new("/")));
    limit(&mut command);
    let started = command.spawn();
    let mut running = started.map_err(|e| {
        let as_make = if preprocessed { ", as its package's Makefile does it," } else { "" };
        Failure::Other(format!(
            "{} must be assembled{as_make} and `{}` cannot be run ({e}); apt-get install {package} brings it",
            file.display(),
            all[0]
        ))
    })?;
    let since = Instant::now();
    let status = loop {
        match running.try_wait().map_err(cannot)? {
            Some(status) => break status,
            None if since.elapsed() > PATIENCE => {
                // SAFETY: kill takes numbers; the group is the one that was made for this child, which
                // has not been waited for, so that its number is its own still.
                unsafe { libc::kill(-(running.id() as libc::pid_t), libc::SIGKILL) };
                let _ = running.wait();
                return Err(Failure::NotProved(format!(
                    "{} is not assembled: `{}` took longer than {} s",
                    file.display(),
                    all[0],
                    PATIENCE.as_secs()
                )));
            }
            None => std::thread::sleep(Duration::from_millis(2)),
        }
    };
    if !status.success() {
        let said = regular::read(&messages, regular::TEXT).unwrap_or_default();
        let said = String::from_utf8_lossy(&said);
        let shown: String = said.trim().chars().take(4000).collect();
        return Err(Failure::NotProved(format!("{} does not assemble: {shown}", file.display())));
    }
    Ok(())
}

fn limit(command: &mut Command) {
    let limits = [
        (libc::RLIMIT_AS, MEMORY),
        (libc::RLIMIT_CPU, PATIENCE.as_secs()),
        (libc::RLIMIT_FSIZE, regular::CODE),
    ];
    // SAFETY: between fork and exec only setrlimit is called, which may be called there.
    unsafe {
        command.pre_exec(move || {
            for (what, most) in limits {
                let limit = libc::rlimit { rlim_cur: most, rlim_max: most };
                if libc::setrlimit(what, &limit) != 0 {
                    return Err(std::io::Error::last_os_error());
                }
            }
            Ok(())
        });
    }
}
