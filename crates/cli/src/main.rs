//! The aesmith command.
fn main() {}
