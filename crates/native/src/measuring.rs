//! The parent's side of the measuring process: starts it, sends requests, waits for answers, and ends it.

use std::io::{self, BufReader};
use std::os::fd::AsRawFd;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use crate::fault::JudgeError;
use crate::judge::{Config, unexpected};
use crate::worker::{Answer, Request, WORKER_VARIABLE, allowed_cpus, read_message, write_message};

/// A running measuring process.
pub(crate) struct Worker {
    child: Child,
    requests: ChildStdin,
    answers: BufReader<ChildStdout>,
    pub(crate) ratio: f64,
}

impl Worker {
    pub(crate) fn start(config: &Config, seed: u64) -> Result<Self, JudgeError> {
        if std::env::var_os(WORKER_VARIABLE).is_some() {
            // A program that does not become a worker would otherwise start itself endlessly.
            return Err(JudgeError::Request(format!(
                "{WORKER_VARIABLE} is set, so this process should have become a measuring process: \
                 its main must call aesmith_native::worker::run_if_worker first"
            )));
        }
        let attempt = || format!("start the measuring process {}", config.program.display());
        let mut child = Command::new(&config.program)
            .env(WORKER_VARIABLE, "1")
            .envs(config.environment.iter().cloned())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|cause| JudgeError::System { attempt: attempt(), cause })?;
        let requests = child.stdin.take().expect("piped");
        let answers = BufReader::with_capacity(1 << 16, child.stdout.take().expect("piped"));
        let mut worker = Worker { child, requests, answers, ratio: 0.0 };
        let cpu = config.cpu.or_else(|| allowed_cpus().last().copied());
        let start = Request::Start { cpu, seed, time_out: config.time_out };
        match worker.ask(&start, &[], Duration::from_secs(60)) {
            Ok(Answer::Started { ratio }) => worker.ratio = ratio,
            Ok(Answer::Failed(text)) => return Err(JudgeError::Worker(text)),
            Ok(other) => return Err(unexpected(other)),
            Err(cause) => return Err(JudgeError::System { attempt: attempt(), cause }),
        }
        Ok(worker)
    }

    pub(crate) fn ask(&mut self, request: &Request, body: &[u8], patience: Duration) -> io::Result<Answer> {
        write_message(&mut self.requests, request, body)?;
        self.wait(patience)?;
        let (header, _) = read_message(&mut self.answers)?.ok_or(io::ErrorKind::UnexpectedEof)?;
        Ok(serde_json::from_slice(&header)?)
    }

    /// Waits for the first byte of an answer, for `patience` at most.
    fn wait(&self, patience: Duration) -> io::Result<()> {
        let deadline = Instant::now() + patience;
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            let mut poll =
                libc::pollfd { fd: self.answers.get_ref().as_raw_fd(), events: libc::POLLIN, revents: 0 };
            // SAFETY: one local pollfd.
            match unsafe { libc::poll(&mut poll, 1, left.as_millis().min(1 << 30) as libc::c_int) } {
                0 => return Err(io::ErrorKind::TimedOut.into()),
                1 => return Ok(()),
                _ => {
                    let error = io::Error::last_os_error();
                    if error.kind() != io::ErrorKind::Interrupted {
                        return Err(error);
                    }
                }
            }
        }
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        // An error means that it has already died.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
