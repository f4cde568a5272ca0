//! A directory with a wisdom file of its own, the command run in it, and files of cases.

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::Mutex;

/// The command's path.
pub fn aesmith() -> &'static str {
    env!("CARGO_BIN_EXE_aesmith")
}

/// The path of the program for developers, beside the command.
pub fn aesmith_bench() -> &'static str {
    env!("CARGO_BIN_EXE_aesmith-bench")
}

/// The root of the workspace.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// A file or folder beside the tests.
pub fn of_tests(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(name)
}

/// The files and folders in a folder, sorted by name.
pub fn sorted(folder: &Path) -> Vec<PathBuf> {
    let all = std::fs::read_dir(folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
    let mut all: Vec<PathBuf> = all.map(|entry| entry.unwrap().path()).collect();
    assert!(!all.is_empty(), "{} is empty", folder.display());
    all.sort();
    all
}

/// True if kernels run on this CPU; otherwise prints a note.
pub fn has_aes() -> bool {
    #[cfg(not(target_arch = "x86_64"))]
    let here = false;
    #[cfg(target_arch = "x86_64")]
    let here = std::arch::is_x86_feature_detected!("aes") && std::arch::is_x86_feature_detected!("avx");
    if !here {
        println!("skipped: this CPU has no AES instructions");
    }
    here
}

/// True if all tools are installed; otherwise prints a note.
pub fn has(tools: &[&str]) -> bool {
    let missing = tools.iter().find(|tool| Command::new(tool).arg("--version").output().is_err());
    missing.inspect(|tool| println!("skipped: there is no {tool}")).is_none()
}

/// Words of a command: a list of them, or a text in which spaces separate words and single quotes enclose one.
pub trait Words {
    fn words(&self) -> Vec<&str>;
}

impl Words for str {
    fn words(&self) -> Vec<&str> {
        let parts = self.split('\'').enumerate();
        parts
            .flat_map(|(n, part)| if n % 2 == 1 { vec![part] } else { part.split_whitespace().collect() })
            .collect()
    }
}

impl Words for String {
    fn words(&self) -> Vec<&str> {
        self.as_str().words()
    }
}

impl Words for [&str] {
    fn words(&self) -> Vec<&str> {
        self.to_vec()
    }
}

impl<const N: usize> Words for [&str; N] {
    fn words(&self) -> Vec<&str> {
        self.to_vec()
    }
}

impl Words for Vec<&str> {
    fn words(&self) -> Vec<&str> {
        self.clone()
    }
}

/// The outcome of a command.
#[derive(Debug)]
pub struct Said {
    pub code: i32,
    pub out: String,
    pub err: String,
}

impl Said {
    /// Everything that was printed.
    pub fn all(&self) -> String {
        format!("{}{}", self.out, self.err)
    }

    /// Checks the exit code.
    #[track_caller]
    pub fn ended(self, code: i32) -> Said {
        assert_eq!(self.code, code, "{}", self.all());
        self
    }

    /// Checks that the output has these words.
    #[track_caller]
    pub fn says(self, words: &str) -> Said {
        assert!(self.out.contains(words), "no `{words}` in {}{}", self.out, self.err);
        self
    }

    /// Checks that the messages have these words.
    #[track_caller]
    pub fn warns(self, words: &str) -> Said {
        assert!(self.err.contains(words), "no `{words}` in the messages {}{}", self.out, self.err);
        self
    }

    /// The object of an output of JSON.
    #[track_caller]
    pub fn object(&self) -> Value {
        serde_json::from_str(&self.out).unwrap_or_else(|e| panic!("{e}: {}", self.all()))
    }

    /// The objects of an output of JSON lines.
    pub fn objects(&self) -> Vec<Value> {
        let read = |line| serde_json::from_str(line).unwrap_or_else(|e| panic!("{e}: {line}"));
        self.out.lines().map(read).collect()
    }

    /// The objects of a kind in an output of JSON lines.
    pub fn objects_of(&self, kind: &str) -> Vec<Value> {
        self.objects().into_iter().filter(|object| object["kind"] == kind).collect()
    }
}

impl From<Output> for Said {
    fn from(output: Output) -> Said {
        Said {
            code: output.status.code().expect("it was not killed"),
            out: String::from_utf8(output.stdout).unwrap(),
            err: String::from_utf8(output.stderr).unwrap(),
        }
    }
}

/// A directory that is removed when the test ends.
pub struct Place(PathBuf);

impl Place {
    pub fn new(name: &str) -> Place {
        let path = std::env::temp_dir().join(format!("aesmith-command-{}-{name}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).unwrap();
        Place(path)
    }

    pub fn path(&self, name: impl AsRef<Path>) -> PathBuf {
        self.0.join(name)
    }

    /// The text of a file.
    #[track_caller]
    pub fn read(&self, name: impl AsRef<Path>) -> String {
        let path = self.path(name);
        std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
    }

    /// The JSON in a file.
    #[track_caller]
    pub fn read_json(&self, name: impl AsRef<Path>) -> Value {
        serde_json::from_str(&self.read(name)).unwrap()
    }

    #[track_caller]
    pub fn write(&self, name: impl AsRef<Path>, text: impl AsRef<[u8]>) {
        std::fs::write(self.path(name), text).unwrap();
    }

    pub fn command<W: Words + ?Sized>(&self, arguments: &W) -> Command {
        self.command_of(aesmith(), arguments)
    }

    /// A program with arguments, in this directory.
    pub fn command_of<W: Words + ?Sized>(&self, program: impl AsRef<Path>, arguments: &W) -> Command {
        let mut command = Command::new(program.as_ref());
        command.args(arguments.words()).current_dir(&self.0);
        command.env("AESMITH_WISDOM", self.path("wisdom.sqlite")).env("NO_COLOR", "1");
        command
    }

    pub fn run<W: Words + ?Sized>(&self, arguments: &W) -> Said {
        self.command(arguments).output().unwrap().into()
    }

    /// Runs a command that must succeed.
    #[track_caller]
    pub fn ok<W: Words + ?Sized>(&self, arguments: &W) -> Said {
        self.ends(arguments, 0)
    }

    /// Runs a command that must end with this exit code.
    #[track_caller]
    pub fn ends<W: Words + ?Sized>(&self, arguments: &W, code: i32) -> Said {
        let said = self.run(arguments);
        assert_eq!(said.code, code, "{:?}: {}", arguments.words(), said.all());
        said
    }

    /// Runs a command that must end with this exit code and these words in its message.
    #[track_caller]
    pub fn refused<W: Words + ?Sized>(&self, arguments: &W, code: i32, why: &str) -> Said {
        self.ends(arguments, code).warns(why)
    }

    /// The JSON output of a command that prints one object.
    #[track_caller]
    pub fn json<W: Words + ?Sized>(&self, arguments: &W) -> Value {
        self.ok(arguments).object()
    }

    /// The name of the function whose assembly lies in a folder, by its beginning.
    pub fn symbol(&self, folder: &str, begin: &str) -> String {
        let name = |path: PathBuf| Some(path.file_name()?.to_str()?.strip_suffix(".S")?.to_owned());
        let mut names = sorted(&self.path(folder)).into_iter().filter_map(name);
        names.find(|name| name.starts_with(begin)).expect("the kernel's assembly")
    }

    /// Runs a script of bash.
    pub fn shell(&self, script: &str, arguments: &[&str]) -> Said {
        let mut command = Command::new("bash");
        command.arg("-c").arg(script).args(arguments).current_dir(&self.0);
        command.env("AESMITH_WISDOM", self.path("wisdom.sqlite")).output().unwrap().into()
    }

    /// Compiles the library that is loaded as CUDA's driver; `None` without a compiler.
    pub fn stand_in_of_cuda(&self) -> Option<PathBuf> {
        let library = self.path("libcuda.so");
        let mut compiler = Command::new("cc");
        compiler.args(["-std=c99", "-O2", "-shared", "-fPIC", "-o"]).arg(&library);
        let Ok(said) = compiler.arg(root().join("processors/gpu/tests/cuda/card.c")).output() else {
            println!("skipped: there is no C compiler `cc`; install gcc");
            return None;
        };
        assert!(said.status.success(), "{}", String::from_utf8_lossy(&said.stderr));
        Some(library)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Exit code of a command that found something not proved.
pub const NOT_PROVED: i32 = 3;

/// Runs a command that must accept or refuse something, with these lines in its output. Returns a sentence for each
/// mistake; there is none where a tool is missing.
pub fn mistakes(name: &str, command: &mut Command, accept: bool, says: &str) -> Vec<String> {
    let said: Said = command.output().unwrap().into();
    let all = said.all();
    if all.contains("cannot be run") {
        println!("skipped: {name}: {all}");
        return Vec::new();
    }
    let mut mistakes = Vec::new();
    if said.code != if accept { 0 } else { NOT_PROVED } {
        mistakes.push(format!("{name}: {command:?} exits with {}: {all}", said.code));
    }
    let lacks = says.lines().filter(|words| !all.contains(words));
    mistakes.extend(lacks.map(|words| format!("{name}: {command:?} does not say `{words}`: {all}")));
    mistakes
}

/// Checks cases on all CPUs, and that there is no mistake in any.
#[track_caller]
pub fn check_all<C: Sync>(cases: &[C], mistakes: impl Fn(&C) -> Vec<String> + Sync) {
    let (next, found) = (Mutex::new(cases.iter()), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(2, usize::from) {
            scope.spawn(|| {
                while let Some(case) = { next.lock().unwrap().next() } {
                    found.lock().unwrap().extend(mistakes(case));
                }
            });
        }
    });
    none_wrong(&found.into_inner().unwrap());
}

/// Checks that no sentence says that a case is wrong.
#[track_caller]
pub fn none_wrong(wrong: &[String]) {
    assert!(wrong.is_empty(), "{} mistakes:\n{}", wrong.len(), wrong.join("\n"));
}
