//! The builds that assembly of x86-64 is for: all others are refused by one sentence, with nothing assembled behind it.

use aesmith_processor::gnu::{Builds, NOT_ELF, wrong};
use std::fmt::Write;

const BUILDS: Builds = Builds {
    meant: "defined(__x86_64__)",
    defines: &["__x86_64__", "__ELF__"],
    form: "x86-64 in ELF by the System V ABI",
    wrong: &[wrong("defined(__ILP32__)", "x86-64 with pointers of 32 bits (x32)"), NOT_ELF],
    wrong_with_addresses: &[],
};

/// Code between the preprocessor's lines.
pub(super) fn guarded(name: &str, code: &str) -> String {
    let form = BUILDS.form;
    let refused = |what: &str| {
        format!(
            "#error \"{name}: it is for {form}, and this build is for {what}: emit it in C (--source c, or --portable)\"\n"
        )
    };
    let mut out = format!("#if !({})\n{}", BUILDS.meant, refused("another processor"));
    for wrong in BUILDS.wrong {
        let _ = write!(out, "#elif {}\n{}", wrong.when, refused(wrong.what));
    }
    format!("{out}#else\n{code}#endif\n")
}
