//! The file of an extension: read, or refused with a line and a sentence; and what is read is attached
//! to processors, or refused in the same way.
//!
//! Tables live as long as the program, so memory grows with every file that is read: run it for a
//! number of files (`-runs=30000`), and without the search for leaks (`-detect_leaks=0`).
#![no_main]

use aesmith_cores::attach::attached;
use aesmith_extension::file::Extension;
use aesmith_extension::verilog::Unit;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let extension = match Extension::parse(text) {
        Ok(extension) => Box::leak(Box::new(extension)),
        Err(mistake) => {
            assert!(mistake.line > 0 && !mistake.what.is_empty(), "{mistake}");
            return;
        }
    };
    for base in ["arm7tdmi", "picorv32"] {
        let core = aesmith_cores::register::find(base).expect("it is described");
        let port = core.port.expect("it has one");
        if let Err(mistake) = attached(core, port, extension, Unit::default()) {
            assert!(!mistake.what.is_empty());
        }
    }
});
