//! Tests of the checker as its users see it.

mod arm;
mod arm_rules;
mod attacks;
mod avr;
mod avr_rules;
mod avr_terms;
mod bits;
mod concrete;
#[cfg(target_arch = "x86_64")]
mod cpu;
mod examples;
mod frames;
mod kernels;
mod machine;
mod packed;
mod reader;
mod referees;
mod schedules;
mod size;
mod streams;
mod terms;
mod word_machine;
mod words;
