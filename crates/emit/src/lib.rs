//! Printers over a finished kernel: assembly text, C, object files, packages.
//!
//! Each printer is a pure function of its arguments and needs no tool: no assembler, no compiler.
//!
//! ```
//! use aesmith_emit::{Function, assembly, problem_of_symbol, symbol};
//! use aesmith_x86::dimensions::variant;
//! use aesmith_x86::kernels::build;
//! use aesmith_x86::targets;
//!
//! let kernel = build(&variant("aes128-ecb width=xmm").unwrap(), &targets::ALL).unwrap();
//! let text = assembly::file(&[Function::new(&kernel)]).unwrap();
//! assert!(text.contains("aesmith_aes128_ecb:") && text.contains("aesenc"));
//! let problem = "aes256-ctr".parse().unwrap();
//! assert_eq!(problem_of_symbol(&symbol(problem)), Some(problem), "a name says what a function claims to be");
//! ```

pub mod assembly;
mod banner;
pub mod c;
pub mod evidence;
mod function;
pub mod gnu;
pub mod grid;
mod names;
pub mod objects;
pub mod package;
mod part;
mod prototype;
pub mod recipe;
mod shared_table;

pub use function::{Code, CodeFacts, EmitError, Function};
pub(crate) use names::package_symbol;
pub use names::{
    NATIVE, Naming, SCHEDULE_SUFFIX, TABLE_SUFFIX, VARIABLE_TIME_SUFFIX, chooses_among, key_symbol,
    level_of_symbol, owner, prefix_of_package, problem_of_blocks, problem_of_symbol, says_variable_time,
    symbol, symbol_of, symbol_of_blocks, without_level,
};
pub use part::schedule_of;
pub use shared_table::is_name as is_shared_table;
