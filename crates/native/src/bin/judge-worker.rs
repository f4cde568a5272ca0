//! The measuring process as a separate program, for programs (mainly tests) that cannot re-execute themselves as one.

fn main() {
    aesmith_native::worker::run_if_worker();
    eprintln!("judge-worker is started by aesmith, with a pipe to talk through; it does nothing by hand");
    std::process::exit(2);
}
