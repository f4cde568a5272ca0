//! A directory with a wisdom file of its own, and the command run in it.

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// The command's path.
pub fn aesmith() -> &'static str {
    env!("CARGO_BIN_EXE_aesmith")
}

/// The path of the program for developers, beside the command.
#[allow(dead_code)]
pub fn aesmith_bench() -> &'static str {
    env!("CARGO_BIN_EXE_aesmith-bench")
}

/// True if kernels run on this CPU; otherwise prints a note.
#[allow(dead_code)]
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

/// The outcome of a command.
pub struct Said {
    pub code: i32,
    pub out: String,
    pub err: String,
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

    pub fn command(&self, arguments: &[&str]) -> Command {
        self.command_of(aesmith(), arguments)
    }

    /// A program with arguments, in this directory.
    pub fn command_of(&self, program: impl AsRef<Path>, arguments: &[&str]) -> Command {
        let mut command = Command::new(program.as_ref());
        command.args(arguments).current_dir(&self.0).env("AESMITH_WISDOM", self.path("wisdom.sqlite"));
        command.env("NO_COLOR", "1");
        command
    }

    pub fn run(&self, arguments: &[&str]) -> Said {
        self.command(arguments).output().unwrap().into()
    }

    /// The JSON output of a command that prints one object.
    #[allow(dead_code)]
    pub fn json(&self, arguments: &[&str]) -> Value {
        let said = self.run(arguments);
        assert_eq!(said.code, 0, "{arguments:?}: {}", said.err);
        serde_json::from_str(&said.out).unwrap_or_else(|e| panic!("{arguments:?}: {e}: {}", said.out))
    }

    #[allow(dead_code)]
    pub fn shell(&self, script: &str, arguments: &[&str]) -> Said {
        let mut command = Command::new("bash");
        command.arg("-c").arg(script).args(arguments).current_dir(&self.0);
        command.env("AESMITH_WISDOM", self.path("wisdom.sqlite")).output().unwrap().into()
    }
}

/// Compiles a stand-in for CUDA's driver, of a card about which its figures say nothing; `None` without a compiler.
#[allow(dead_code)]
pub fn stand_in(place: &Place) -> Option<PathBuf> {
    let library = place.path("libcuda.so");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../processors/gpu/tests/cuda/card.c");
    let mut compiler = Command::new("cc");
    compiler.args(["-std=c99", "-O2", "-shared", "-fPIC", "-o"]).arg(&library).arg(source);
    let Ok(said) = compiler.output() else {
        println!("skipped: there is no C compiler `cc`; install gcc");
        return None;
    };
    assert!(said.status.success(), "{}", String::from_utf8_lossy(&said.stderr));
    Some(library)
}

impl Drop for Place {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
