//! Kernels with a few instructions inserted: code that would fault on a Cortex-M is refused.

use std::sync::OnceLock;

use aesmith_isa::assemble::Item;
use aesmith_processor::core::Kernel;
use aesmith_processor::trial::built;
use aesmith_prove::bits::prove;

use super::*;

const LR: i32 = 14;
const PC: i32 = 15;

type BuiltKernel = (&'static str, &'static [(&'static str, i32)]);

/// A kernel of whole blocks for a Cortex-M3; it returns by `pop`.
fn kernel() -> &'static Kernel {
    static ONE: OnceLock<Kernel> = OnceLock::new();
    let plain = CORES[0].table.plain("aes128-ecb".parse().unwrap());
    ONE.get_or_init(|| built(&CORES[0], &plain).unwrap())
}

/// Its proof with `before` inserted at its entry. If `instead_of_return` is not empty, the return address is
/// loaded into lr and these instructions replace the return.
fn proved(before: &[BuiltKernel], instead_of_return: &[BuiltKernel]) -> Result<(), String> {
    let core = &CORES[0];
    let isa = (core.isa)();
    let put =
        |made: &[BuiltKernel]| made.iter().map(|&(name, fields)| isa.insn(name, fields)).collect::<Vec<_>>();
    let mut kernel = kernel().clone();
    let items = &mut kernel.sections[0].items;
    if !instead_of_return.is_empty() {
        let list = |item: &Item| match item {
            Item::Insn(i) if ["pop", "ldmia.back"].contains(&&*isa.of(i).name) => {
                let field = isa.of(i).fields.iter().position(|f| f.name == "list")?;
                Some((i.fields[field], isa.of(i).bytes())).filter(|(list, _)| list >> PC & 1 == 1)
            }
            _ => None,
        };
        let last = items.iter().rposition(|item| list(item).is_some()).expect("it returns by pop");
        let (registers, bytes) = list(&items[last]).unwrap();
        let loaded = registers & !(1 << PC) | 1 << LR;
        let mut insns = vec![isa.insn("ldmia.back", &[("rn", 13), ("list", loaded)])];
        insns.extend(put(instead_of_return));
        // Literals stay aligned to four bytes.
        let grown: u8 = insns.iter().map(|i| isa.of(i).bytes()).sum::<u8>() - bytes;
        insns.extend((!grown.is_multiple_of(4)).then(|| isa.insn("mov_any", &[("rd", 8), ("rm", 8)])));
        items.splice(last..=last, insns.into_iter().map(Item::Insn));
    }
    let entry = items.iter().position(|i| *i == Item::Label(kernel.symbol.clone())).unwrap() + 1;
    items.splice(entry..entry, put(before).into_iter().map(Item::Insn));
    let image = kernel.image(isa).unwrap();
    let function = image.symbol(&kernel.symbol).unwrap();
    let proof = prove(isa, core.convention, &image, function, &kernel.contract);
    proof.map(|_| ()).map_err(|e| e.sentence)
}

fn accepted(what: &str, found: Result<(), String>) {
    assert_eq!(found, Ok(()), "{what}");
}

fn refused(what: &str, because: &str, found: Result<(), String>) {
    match found {
        Ok(()) => panic!("{what} is proved"),
        Err(sentence) => assert!(sentence.contains(because), "{what}: {sentence}"),
    }
}

/// The lowest bit of the return address is one: `bx` and `pop` fault if it is not.
#[test]
fn control_does_not_leave_thumb_state() {
    let up: BuiltKernel = ("addw", &[("rd", LR), ("rn", LR), ("imm", 1)]);
    let down: BuiltKernel = ("subw", &[("rd", LR), ("rn", LR), ("imm", 1)]);
    accepted("as it is", proved(&[], &[]));
    accepted("an address as it was", proved(&[down, up], &[]));
    refused("an even address", "", proved(&[down], &[]));
    refused("the next instruction's address", "", proved(&[up], &[]));
    let bx: BuiltKernel = ("bx", &[("rm", LR)]);
    accepted("bx", proved(&[], &[bx]));
    refused("bx of an even address", "not a number", proved(&[], &[down, bx]));
    // A move to the program counter ignores the bit.
    let moved: BuiltKernel = ("mov_any", &[("rd", PC), ("rm", LR)]);
    let nothing: BuiltKernel = ("mov_any", &[("rd", 8), ("rm", 8)]);
    accepted("mov pc", proved(&[], &[moved]));
    accepted("mov pc of an even address", proved(&[], &[down, moved]));
    refused("mov pc of another address", "not a number", proved(&[], &[up, moved]));
    let (push, pop): (BuiltKernel, BuiltKernel) = (("push", &[("list", 2)]), ("pop", &[("list", 1 << PC)]));
    let (odd, even): (BuiltKernel, BuiltKernel) =
        (("mov_any", &[("rd", 1), ("rm", LR)]), ("subw", &[("rd", 1), ("rn", LR), ("imm", 1)]));
    accepted("pop", proved(&[], &[odd, nothing, push, pop]));
    refused("pop of an even address", "not a number", proved(&[], &[even, push, pop]));
    let (here, to): (BuiltKernel, BuiltKernel) =
        (("addw_pc", &[("rd", 1), ("imm", 0)]), ("bx", &[("rm", 1)]));
    refused("bx to code at an even address", "no multiple of 2", proved(&[], &[here, to, nothing, bx]));
}

/// Words between functions are constants, as are the literals of every kernel; code is not.
#[test]
fn code_is_no_table() {
    let own: BuiltKernel = ("ldr.literal", &[("rt", 12), ("imm", 8)]);
    refused("its own code", "of its own code is read as data", proved(&[own], &[]));
}
