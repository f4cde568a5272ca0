//! Unicorn, qemu's processor emulator as a library, as a judge of outputs of ARM programs that use instructions which
//! Unicorn does not know. A program in Python (`judges/unicorn/arm.py`) runs the calls; for each unknown instruction it
//! asks through a pipe for the new values of the registers. Instructions and cycles are not counted.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use crate::judge::{Answer, Question};

use super::runner::{ask, bytes, ended, hex, said};
use super::wheel::{Wheel, fetched};
use super::{Temporary, built, need};

/// The package.
pub const WHEEL: Wheel = Wheel {
    name: "unicorn",
    version: "2.1.4",
    sha256: "9d6e6dea140560de4ebd8446661f7ef84a357d428c14a3ef09dacd306ec8c239",
};

const RUNNER: &str = include_str!("../../judges/unicorn/arm.py");

/// Number of registers that a custom instruction can access: r0 to r14.
pub const REGISTERS: usize = 15;

/// Executes a custom instruction on the registers, or returns the reason why it cannot.
pub type Custom<'a> = &'a mut dyn FnMut(u32, &mut [u32; REGISTERS]) -> Result<(), String>;

/// Checks that Python and Unicorn are available.
///
/// # Errors
/// A sentence about what is missing.
pub fn present() -> Result<(), String> {
    need("python3", "python3")?;
    fetched(&WHEEL).map(|_| ())
}

/// The answers of Unicorn; `custom` executes the instructions that it does not know.
pub fn answers(question: &Question, patience: Duration, custom: Custom) -> Result<Vec<Answer>, String> {
    let python = need("python3", "python3")?;
    let unicorn = fetched(&WHEEL)?;
    let runner = built("unicorn-arm", &[RUNNER.as_bytes()], |work| {
        let path = work.join("arm.py");
        std::fs::write(&path, RUNNER).map_err(|e| format!("{} cannot be written: {e}", path.display()))
    })?;
    let asked = Temporary::new(ask(question).as_bytes())?;
    let mut child = Command::new(python)
        // Isolated: only Python's own modules and those in the given folder.
        .args(["-I", "-B"])
        .arg(runner.join("arm.py"))
        .arg(&unicorn)
        .arg(&asked.path)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|e| format!("python3 could not be started: {e}"))?;
    let (Some(stdin), Some(stdout), Some(mut stderr)) =
        (child.stdin.take(), child.stdout.take(), child.stderr.take())
    else {
        return Err("python3 was started without pipes".into());
    };
    let child = Mutex::new(child);
    let (done, finished) = channel::<()>();
    std::thread::scope(|scope| {
        let watched = &child;
        let watch = scope.spawn(move || match finished.recv_timeout(patience) {
            Err(RecvTimeoutError::Timeout) => end(watched),
            _ => false,
        });
        let errors = scope.spawn(move || {
            let mut text = String::new();
            stderr.read_to_string(&mut text).map(|_| text).unwrap_or_default()
        });
        let answers = talk(stdin, stdout, custom);
        drop(done);
        if watch.join().unwrap_or(false) {
            return Err(format!("Unicorn did not end within {} s and was stopped", patience.as_secs()));
        }
        let answers = match answers {
            Ok(answers) => answers,
            Err(why) => {
                end(&child);
                return Err(why);
            }
        };
        let status = child.lock().unwrap_or_else(PoisonError::into_inner).wait();
        if answers.len() != question.calls.len() {
            let status = status.map_or_else(|e| e.to_string(), |s| s.to_string());
            return Err(ended(&status, &answers, question, &errors.join().unwrap_or_default()));
        }
        Ok(answers)
    })
}

/// Ends a process; true if it was still there.
fn end(child: &Mutex<Child>) -> bool {
    let mut child = child.lock().unwrap_or_else(PoisonError::into_inner);
    child.kill().and_then(|()| child.wait()).is_ok()
}

/// Serves the runner until its output ends.
fn talk(mut stdin: ChildStdin, stdout: ChildStdout, custom: Custom) -> Result<Vec<Answer>, String> {
    let mut answers = Vec::new();
    let mut trouble = None;
    for line in BufReader::new(stdout).lines() {
        let line = line.map_err(|e| format!("the output of Unicorn could not be read: {e}"))?;
        let Some(words) = line.strip_prefix("custom ") else {
            let answer = said(&line).map_err(|why| trouble.take().unwrap_or(why));
            answers.push(answer.map_err(|why| format!("call {}: {why}", answers.len() + 1))?);
            continue;
        };
        let words: Vec<u32> = bytes(words)
            .filter(|bytes| bytes.len() == 4 * (REGISTERS + 1))
            .ok_or_else(|| format!("the runner asked '{line}', which makes no sense"))?
            .chunks_exact(4)
            .map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]]))
            .collect();
        let mut registers = [0; REGISTERS];
        registers.copy_from_slice(&words[1..]);
        let mut reply = String::new();
        match custom(words[0], &mut registers) {
            Ok(()) => {
                reply.push('x');
                registers.iter().for_each(|r| hex(&mut reply, &r.to_le_bytes()));
            }
            Err(why) => {
                reply.push_str("no");
                trouble = Some(why);
            }
        }
        reply.push('\n');
        stdin.write_all(reply.as_bytes()).map_err(|e| format!("Unicorn could not be answered: {e}"))?;
    }
    Ok(answers)
}
