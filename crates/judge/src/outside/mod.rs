//! External programs: finds them, builds them once into the user's cache where necessary, and runs them with a time
//! limit.

pub mod gcc;
pub mod gnu;
pub mod qemu;
pub mod qemu_arm;
pub mod runner;
pub mod unicorn;
pub mod wheel;

use std::fs;
use std::io::{Read, Seek, Write};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// Finds a program in PATH.
pub fn find(program: &str) -> Option<PathBuf> {
    std::env::split_paths(&std::env::var_os("PATH")?)
        .map(|folder| folder.join(program))
        .find(|path| path.is_file())
}

/// Finds a program in PATH.
///
/// # Errors
/// A sentence that names the Debian package with the program.
pub fn need(program: &str, package: &str) -> Result<PathBuf, String> {
    find(program).ok_or_else(|| {
        format!("'{program}' is not installed; install it with `apt-get install {package}`, or run `scripts/need.sh test`")
    })
}

/// The folder for programs that are built once: `$XDG_CACHE_HOME/aesmith/judges`, else below `~/.cache`, else below the
/// folder for temporary files.
pub fn cache() -> PathBuf {
    let set = |name| std::env::var_os(name).filter(|v| !v.is_empty()).map(PathBuf::from);
    set("XDG_CACHE_HOME")
        .filter(|path| path.is_absolute())
        .or_else(|| set("HOME").map(|home| home.join(".cache")))
        .unwrap_or_else(std::env::temp_dir)
        .join("aesmith/judges")
}

/// A program of GNU binutils that `scripts/judges` has built. The tools of each target, whose name is the prefix of the
/// program's name, have a folder.
pub fn built_binutils(program: &str) -> Option<PathBuf> {
    let target = program.split('-').next()?;
    let place = cache().with_file_name(format!("binutils-{target}")).join("bin").join(program);
    place.is_file().then_some(place)
}

/// Finds a program of GNU binutils in PATH, or among those that were built.
pub fn binutils(program: &str) -> Option<PathBuf> {
    find(program).or_else(|| built_binutils(program))
}

/// FNV-1a of the inputs of a build: a key of the cache, not a signature.
fn key(inputs: &[&[u8]]) -> u64 {
    inputs
        .iter()
        .flat_map(|input| input.iter().copied().chain([0xff]))
        .fold(0xcbf2_9ce4_8422_2325, |h, b| (h ^ u64::from(b)).wrapping_mul(0x100_0000_01b3))
}

fn place(name: &str, inputs: &[&[u8]]) -> PathBuf {
    cache().join(format!("{name}-{:016x}", key(inputs)))
}

/// The folder with the result that was built from `inputs`, if it exists.
pub fn there(name: &str, inputs: &[&[u8]]) -> Option<PathBuf> {
    Some(place(name, inputs)).filter(|place| place.is_dir())
}

static BUILDING: Mutex<()> = Mutex::new(());

/// The folder with the result that `make` builds from `inputs`; builds it if it does not exist yet. `make` works in an
/// empty folder, which becomes the result only on success; one of several threads or processes builds and the others
/// wait. `make` must not build anything else by this function.
pub fn built(
    name: &str,
    inputs: &[&[u8]],
    make: impl FnOnce(&Path) -> Result<(), String>,
) -> Result<PathBuf, String> {
    let cache = cache();
    let place = place(name, inputs);
    if place.is_dir() {
        return Ok(place);
    }
    let failed = |e: std::io::Error| format!("{name} could not be built in {}: {e}", cache.display());
    let _in_this_process = BUILDING.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    fs::create_dir_all(&cache).map_err(failed)?;
    let lock = fs::File::create(cache.join(format!("{name}.lock"))).map_err(failed)?;
    lock.lock().map_err(failed)?;
    if place.is_dir() {
        return Ok(place);
    }
    let work = cache.join(format!("{name}.{}.tmp", std::process::id()));
    let _ = fs::remove_dir_all(&work);
    fs::create_dir_all(&work).map_err(failed)?;
    let made = make(&work).and_then(|()| fs::rename(&work, &place).map_err(failed));
    if let Err(why) = made {
        let _ = fs::remove_dir_all(&work);
        return Err(why);
    }
    Ok(place)
}

/// A uniquely named temporary file, removed when dropped.
pub struct Temporary {
    /// Its path.
    pub path: PathBuf,
    file: fs::File,
}

impl Temporary {
    /// A file with these contents, to be read from the start, or to be executed.
    pub fn new(contents: &[u8]) -> Result<Temporary, String> {
        static NUMBER: AtomicUsize = AtomicUsize::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("aesmith-{}-{number}", std::process::id()));
        let failed = |e| format!("the temporary file {} cannot be written: {e}", path.display());
        let _ = fs::remove_file(&path);
        let mut file = fs::OpenOptions::new()
            .read(true)
            .write(true)
            .create_new(true)
            .mode(0o700)
            .open(&path)
            .map_err(failed)?;
        file.write_all(contents).and_then(|()| file.rewind()).map_err(failed)?;
        Ok(Temporary { path, file })
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.path);
    }
}

/// The message for a program that could not be started. If an executable file is refused, its file system is usually
/// mounted noexec; the sentence then names the variable that selects another folder.
pub fn not_started(program: &Path, error: &std::io::Error) -> String {
    let executable =
        || fs::metadata(program).is_ok_and(|m| m.is_file() && m.permissions().mode() & 0o111 != 0);
    if error.kind() != std::io::ErrorKind::PermissionDenied || !executable() {
        return error.to_string();
    }
    let variable = if program.starts_with(cache()) { "XDG_CACHE_HOME" } else { "TMPDIR" };
    format!(
        "nothing may be executed in {} (mounted noexec, or forbidden by a policy of the system: {error}); set {variable} to a \
         folder from which programs may be run",
        program.parent().unwrap_or(program).display()
    )
}

/// The result of a program.
#[derive(Debug)]
pub struct Output {
    /// Its exit status.
    pub status: ExitStatus,
    /// Its standard output.
    pub out: Vec<u8>,
    /// Its standard error, as text.
    pub errors: String,
}

/// Runs a program to its end with `input` as its standard input, which is a file, so that every read gets all the bytes
/// that it asks for.
///
/// # Errors
/// The program cannot be run, or runs longer than `patience` and is killed.
pub fn run(command: &mut Command, input: &[u8], patience: Duration) -> Result<Output, String> {
    let name = Path::new(command.get_program()).display().to_string();
    let input = Temporary::new(input)?;
    let stdin = input.file.try_clone().map_err(|e| format!("{name} cannot be given its input: {e}"))?;
    let mut child =
        command.stdin(stdin).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().map_err(|e| {
            format!("{name} could not be started: {}", not_started(Path::new(command.get_program()), &e))
        })?;
    let (Some(mut stdout), Some(mut stderr)) = (child.stdout.take(), child.stderr.take()) else {
        return Err(format!("{name} was started without pipes"));
    };
    let end = Instant::now() + patience;
    let (status, out, errors) = std::thread::scope(|scope| {
        let out = scope.spawn(move || {
            let mut bytes = Vec::new();
            stdout.read_to_end(&mut bytes).map(|_| bytes)
        });
        let errors = scope.spawn(move || {
            let mut bytes = Vec::new();
            stderr.read_to_end(&mut bytes).map(|_| bytes)
        });
        let mut pause = Duration::from_micros(200);
        let status = loop {
            match child.try_wait() {
                Ok(Some(status)) => break Ok(status),
                Ok(None) if Instant::now() > end => {
                    let _ = child.kill();
                    let _ = child.wait();
                    break Err(format!("{name} did not end within {} s and was stopped", patience.as_secs()));
                }
                Ok(None) => std::thread::sleep(pause),
                Err(e) => break Err(format!("{name} could not be waited for: {e}")),
            }
            pause = (pause * 2).min(Duration::from_millis(5));
        };
        (status, out.join(), errors.join())
    });
    let status = status?;
    let unread = |_| format!("the output of {name} could not be read");
    let out = out.map_err(unread)?.map_err(|e| format!("the output of {name} could not be read: {e}"))?;
    let errors = errors.map_err(unread)?.unwrap_or_default();
    Ok(Output { status, out, errors: String::from_utf8_lossy(&errors).into_owned() })
}

/// Runs a step of a build.
///
/// # Errors
/// The command, and the end of its output.
pub fn step(command: &mut Command, patience: Duration) -> Result<Output, String> {
    let output = run(command, &[], patience)?;
    if output.status.success() {
        return Ok(output);
    }
    let mut said = output.errors;
    said.push_str(&String::from_utf8_lossy(&output.out));
    let tail: Vec<&str> = said.lines().rev().take(12).collect();
    let tail: Vec<&str> = tail.into_iter().rev().collect();
    Err(format!("{command:?} failed ({}): {}", output.status, tail.join("\n")))
}

/// The first line of the program's answer to `--version`, or its name.
pub fn version(program: &str) -> String {
    find(program)
        .and_then(|path| run(Command::new(path).arg("--version"), &[], Duration::from_secs(10)).ok())
        .and_then(|output| String::from_utf8_lossy(&output.out).lines().next().map(str::to_owned))
        .unwrap_or_else(|| program.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_built_is_built_once() {
        let input = format!("{:?}", Instant::now());
        let inputs: &[&[u8]] = &[input.as_bytes()];
        let failed = built("selftest", inputs, |_| Err("no".into()));
        assert_eq!(failed, Err("no".into()));
        let count = std::sync::atomic::AtomicUsize::new(0);
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    let place = built("selftest", inputs, |work| {
                        count.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
                        fs::write(work.join("made"), b"1").map_err(|e| e.to_string())
                    });
                    assert!(place.unwrap().join("made").is_file());
                });
            }
        });
        assert_eq!(count.into_inner(), 1);
        fs::remove_dir_all(built("selftest", inputs, |_| Ok(())).unwrap()).unwrap();
    }

    /// A mount needs rights that tests lack, so this test constructs the system's error itself.
    #[test]
    fn what_may_not_be_executed_is_said_with_the_way_out() {
        let refused = std::io::Error::from(std::io::ErrorKind::PermissionDenied);
        let program = Temporary::new(b"").unwrap();
        let said = not_started(&program.path, &refused);
        assert!(said.contains("noexec") && said.contains("set TMPDIR to"), "{said}");
        let plain = not_started(Path::new("/etc/passwd"), &refused);
        assert!(!plain.contains("noexec"), "{plain}");
        let absent = std::io::Error::from(std::io::ErrorKind::NotFound);
        assert!(!not_started(&program.path, &absent).contains("noexec"));
    }

    #[test]
    fn patience_ends() {
        let error = run(Command::new("sleep").arg("60"), &[], Duration::from_millis(50)).unwrap_err();
        assert!(error.contains("was stopped"), "{error}");
    }

    #[test]
    fn large_input_and_output_do_not_block() {
        let input = vec![7; 3 << 20];
        let output = run(&mut Command::new("cat"), &input, Duration::from_secs(60)).unwrap();
        assert_eq!(output.out, input);
    }
}
