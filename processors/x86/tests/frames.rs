//! The stack set-up of kernels.

use aesmith_arrange::Technique;
use aesmith_cipher::Problem;
use aesmith_x86::dimensions::{self, Dim};
use aesmith_x86::features;
use aesmith_x86::kernels::{Kernel, build};
use aesmith_x86::targets;
use iced_x86::{Code, Decoder, DecoderOptions, Instruction, Mnemonic, OpKind, Register};

/// Kernels of every technique with every value of every dimension, one at a time.
fn kernels() -> impl Iterator<Item = Kernel> {
    let narrow = targets::of(features::SSE2.and(features::SSSE3).and(features::GFNI));
    let names = ["aes256-ctr", "aes256-ecb-dec", "aes256-cbc", "aes256-cbc-x16", "aes256-key-dec"];
    names.into_iter().flat_map(move |name| {
        let problem: Problem = name.parse().unwrap();
        Technique::ALL.into_iter().flat_map(move |technique| {
            let plain = dimensions::plain(problem, technique);
            dimensions::TABLE
                .dimensions(problem, technique)
                .flat_map(|d| (0..d.values.count().min(3)).map(|i| (d.place, d.values.at(i))))
                .flat_map(|(dim, value)| (0..3).map(move |width| (dim, value, width)))
                .map(move |(dim, value, width)| {
                    plain.clone().with(Dim::Width, width).with(dim, value).clamped()
                })
                .collect::<Vec<_>>()
                .into_iter()
                .flat_map(move |v| {
                    [targets::ALL, narrow].map(|target| build(&v, &target)).into_iter().flatten()
                })
        })
    })
}

fn code(kernel: &Kernel) -> impl Iterator<Item = Instruction> {
    Decoder::with_ip(64, &kernel.bytes[..kernel.code_end], 0, DecoderOptions::NONE).into_iter()
}

/// A system that tracks indirect branches allows indirect calls only to `endbr64`.
#[test]
fn every_function_begins_with_endbr64() {
    for kernel in kernels() {
        assert_eq!(code(&kernel).next().map(|i| i.code()), Some(Code::Endbr64), "{}", kernel.variant);
    }
}

/// A stack overflow must end in a fault on the guard page below: no frame reaches past an untouched page.
#[test]
fn frames_above_a_page_are_touched_page_by_page() {
    const PAGE: u64 = 4096;
    const ALIGNMENT: u64 = 63;
    const RED_ZONE: u64 = 128;
    let mut large = 0;
    for kernel in kernels() {
        let (mut untouched, mut whole) = (0u64, 0u64);
        for i in code(&kernel) {
            let stack = i.op0_register() == Register::RSP;
            match i.mnemonic() {
                Mnemonic::Sub if stack => {
                    untouched += i.immediate(1);
                    whole += i.immediate(1);
                    assert!(
                        untouched + ALIGNMENT <= PAGE,
                        "{} passes a page at {:#x}",
                        kernel.variant,
                        i.ip()
                    );
                }
                Mnemonic::Mov if i.op0_kind() == OpKind::Memory && untouched > 0 => {
                    let here = i.memory_base() == Register::RSP && i.memory_displacement64() == 0;
                    untouched = if here { 0 } else { untouched };
                }
                // Other instructions after the stack pointer's last step may use the frame.
                _ if untouched > 0 => {
                    assert!(untouched + ALIGNMENT + RED_ZONE <= PAGE, "{} at {:#x}", kernel.variant, i.ip());
                    untouched = 0;
                }
                _ => {}
            }
        }
        large += usize::from(whole > PAGE);
    }
    assert!(large > 10, "only {large} kernels have frames above a page, so this test says nothing");
}
