//! The object that is made of assembly: of `.S` by the C compiler's driver, which preprocesses it, as
//! the Makefile of a package does; of `.s` by GNU as.

use crate::failure::Failure;
use crate::regular;
use crate::scratch::Scratch;
use std::fs::File;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// How long an assembler may take, and how much memory and room it may need: text can ask for any.
const PATIENCE: Duration = Duration::from_secs(60);
const MEMORY: libc::rlim_t = 4 << 30;

/// The object of a file, in memory.
pub fn assemble(file: &Path) -> Result<Vec<u8>, Failure> {
    // An absent file is not the assembler's to complain about.
    regular::read(file, regular::TEXT)?;
    let place = Scratch::new("verify")?;
    within(file, place.path())
}

/// What the Makefile of a package takes from the environment.
fn words(variable: &str, default: &str) -> Vec<String> {
    let text = std::env::var(variable).unwrap_or_default();
    let text = if text.trim().is_empty() { default } else { &text };
    text.split_whitespace().map(str::to_owned).collect()
}

fn within(file: &Path, place: &Path) -> Result<Vec<u8>, Failure> {
    let cannot = |e: std::io::Error| Failure::Other(format!("{} cannot be assembled: {e}", file.display()));
    let object = place.join("assembled.o");
    // An absolute path, for a name may begin with a dash; from where `make` is run.
    let path = std::path::absolute(file).map_err(cannot)?;
    let preprocessed = file.extension().is_some_and(|e| e == "S");
    let (all, package) = if preprocessed {
        let mut all = words("CC", "cc");
        all.extend(words("CPPFLAGS", ""));
        all.extend(words("CFLAGS", "-O2"));
        all.extend(["-fPIC", "-fcf-protection", "-c"].map(str::to_owned));
        (all, "gcc")
    } else {
        (vec!["as".to_owned(), "--64".into()], "binutils")
    };
    let messages = place.join("messages");
    let said = File::create(&messages).map_err(cannot)?;
    let mut command = Command::new(&all[0]);
    command.args(&all[1..]).arg("-o").arg(&object).arg(&path).process_group(0);
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
    regular::read(&object, regular::CODE)
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
