//! Writers of AVR kernels: from a variant to code and tables.

mod block;
mod column;
mod compact;
mod counter;
mod function;
mod message;
mod schedule;
mod steps;
mod writer;

use crate::dimensions;
use aesmith_cipher::block::{INV_SBOX, SBOX, xtime};
use aesmith_cipher::firmware::{Firmware, Packing};
use aesmith_cipher::problem::Task;
use aesmith_isa::Isa;
use aesmith_isa::assemble::{Item, Section};
use aesmith_isa::image::Image;

use aesmith_arrange::Variant;
use aesmith_processor::core::{Kernel, return_without_blocks};
use aesmith_prove::bits::Places;
use writer::Writer;

/// A jump to a label.
pub fn jump(isa: &Isa, label: &str) -> Item {
    writer::jump(isa, "rjmp", label)
}

/// Builds the kernel of a variant.
pub fn build(variant: &Variant) -> Result<Kernel, String> {
    let problem = variant.problem;
    let symbol = Firmware::name(problem);
    let mut code = match problem.task {
        Task::Ecb(direction) if variant.is(dimensions::Rounds::Compact) => {
            compact::ecb(variant, &symbol, direction)?
        }
        Task::Ecb(_) => function::ecb(variant, &symbol)?,
        Task::KeySchedule(_) => schedule::expand(variant, &symbol)?,
        Task::Ctr if variant.is(dimensions::Counter::Cached) => counter::counter(variant, &symbol)?,
        Task::Ctr | Task::CbcEncrypt { streams: 1 } | Task::CbcDecrypt => message::message(variant, &symbol)?,
        Task::CbcEncrypt { .. } | Task::CtrTable | Task::Gcm(_) | Task::GcmTable | Task::Xts(_) => {
            return Err(format!("{problem} has no kernels on AVR"));
        }
    };
    let packing = if variant.is(dimensions::Schedule::Fly) {
        Packing::CipherKey
    } else if variant.is(dimensions::Keys::Forward) {
        Packing::ForwardKeys
    } else {
        Packing::RoundKeys
    };
    let contract = Firmware { problem, packing, blocks: 1 };
    if contract.counts_blocks() {
        let isa = super::table::isa();
        return_without_blocks(&mut code.items, &symbol, |some| {
            vec![
                Item::Insn(isa.insn("cp", &[("rd", 16), ("rr", 1)])),
                Item::Insn(isa.insn("cpc", &[("rd", 17), ("rr", 1)])),
                writer::jump(isa, "brne", some),
                Item::Insn(isa.insn("ret", &[])),
            ]
        });
    }
    Ok(Kernel {
        variant: variant.clone(),
        contract,
        symbol,
        sections: sections(variant, code)?,
        table_alignment: 256,
    })
}

/// The input and output registers of the function on a block in registers that the variant's kernel exports.
pub fn in_registers(variant: &Variant) -> Option<Places> {
    let exported =
        variant.is(dimensions::Convention::Registers) && matches!(variant.problem.task, Task::Ecb(_));
    exported.then(|| function::places(variant).ok()).flatten()
}

/// Sections: code at 0, followed by the tables in flash that it names, and the tables in RAM.
fn sections(variant: &Variant, code: Writer) -> Result<Vec<Section>, String> {
    let named = |label: &str| {
        code.items.iter().any(|item| matches!(item, Item::Linked { label: l, .. } if l == label))
    };
    let doubles: [u8; 256] = std::array::from_fn(|byte| xtime(byte as u8));
    let in_flash = variant.is(dimensions::Sbox::Flash);
    // Each table in RAM has a section of its own, which the functions of a program share.
    let mut flash = Vec::new();
    let mut ram = Vec::new();
    for (label, section, table, flashed) in [
        (block::SBOX, ".data.sbox", &SBOX, in_flash),
        (block::INVERSE_SBOX, ".data.inverse", &INV_SBOX, in_flash),
        (block::XTIME, ".data.xtime", &doubles, false),
    ] {
        let items = [Item::Label(label.into()), Item::Bytes(table.to_vec())];
        match (named(label), flashed) {
            (true, true) => flash.extend(items),
            (true, false) => ram.push((section, items.to_vec())),
            (false, _) => {}
        }
    }
    let text = Section { name: ".text", address: 0, writable: false, items: code.items };
    let size = text.size(super::table::isa());
    let mut sections = vec![text];
    if !flash.is_empty() {
        let address = size.next_multiple_of(256);
        sections.push(Section { name: ".progmem.data", address, writable: false, items: flash });
    }
    for (number, (name, items)) in (1..).zip(ram) {
        sections.push(Section { name, address: Image::DATA + 0x100 * number, writable: true, items });
    }
    Ok(sections)
}
