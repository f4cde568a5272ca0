//! Message functions whose faults show in some iterations, or for some numbers of blocks, only.

use crate::machine::{CONVENTION, Code, contract, messages, tables};
use aesmith_cipher::firmware::Firmware;
use aesmith_cipher::{KeySize, Task};
use aesmith_isa::assemble::{Item, Part};
use aesmith_prove::bits::{Proof, prove};

const CBC: Task = Task::CbcEncrypt { streams: 1 };
/// The places of pointers, of the count, and of a free word in the frame of [`messages`].
const INPUT: i32 = 8;
const OUTPUT: i32 = 12;
const COUNT: i32 = 20;
const FREE: i32 = 24;

fn proved(code: &Code) -> Result<Proof, String> {
    proved_by(code, 1)
}

/// The proof that follows as many blocks at once.
fn proved_by(code: &Code, blocks: u8) -> Result<Proof, String> {
    let image = code.image(tables());
    let start = image.symbol("f").expect("is there");
    let contract = Firmware { blocks, ..contract(KeySize::Aes128, CBC) };
    prove(&code.isa, &CONVENTION, &image, start, &contract).map_err(|e| e.sentence)
}

fn refuted(what: &str, code: &Code, because: &str) {
    match proved(code) {
        Ok(_) => panic!("{what} is proved"),
        Err(sentence) => assert!(sentence.contains(because), "{what}: {sentence}"),
    }
}

/// The CBC function in parts: what precedes the loop, its body without the branch, and what follows it.
struct Parts {
    before: Code,
    body: Vec<Item>,
    after: Vec<Item>,
}

impl Parts {
    fn new() -> Parts {
        let Code { isa, mut items } = messages(CBC);
        let label = |item: &Item| matches!(item, Item::Label(name) if name == ".Lloop");
        let branch = |item: &Item| matches!(item, Item::Linked { part: Part::Distance, .. });
        let after = items.split_off(items.iter().position(branch).expect("a branch") + 1);
        items.pop();
        let body = items.split_off(items.iter().position(label).expect("a loop") + 1);
        items.pop();
        Parts { before: Code { isa, items }, body, after }
    }

    /// The function, with instructions at the beginning of each iteration and at its end, and behind the loop.
    fn whole(self, first: impl Fn(&mut Code), last: impl Fn(&mut Code), end: impl Fn(&mut Code)) -> Code {
        let mut code = self.before;
        code.items.push(Item::Label(".Lloop".into()));
        first(&mut code);
        code.items.extend(self.body);
        last(&mut code);
        code.two("lw", 3, 13, COUNT);
        jump(&mut code, 3, ".Lloop");
        end(&mut code);
        code.items.push(Item::Label(".Lend".into()));
        code.items.extend(self.after);
        code
    }
}

/// A jump to a label if a register is not zero.
fn jump(code: &mut Code, register: i32, label: &str) {
    let insn = code.isa.insn("bnz", &[("d", register)]);
    let (field, label) = ("to".into(), label.into());
    code.items.push(Item::Linked { insn, field, label, addend: 0, part: Part::Distance });
}

/// A jump to a label.
fn always(code: &mut Code, label: &str) {
    code.push("li", &[("d", 12), ("k", 1)]);
    jump(code, 12, label);
}

/// A jump to a label if the word of the count, less a number, is not zero.
fn counted(code: &mut Code, less: i32, label: &str) {
    code.two("lw", 3, 13, COUNT);
    code.two("addi", 3, 3, -less);
    jump(code, 3, label);
}

fn nothing(_: &mut Code) {}

#[test]
fn as_many_blocks_are_written_as_are_asked_for() {
    assert!(proved(&Parts::new().whole(nothing, nothing, nothing)).is_ok());
    let mut parts = Parts::new();
    counted(&mut parts.before, 1, ".Lloop");
    always(&mut parts.before, ".Lend");
    refuted("a message of one block that is left out", &parts.whole(nothing, nothing, nothing), "1");
}

/// The first of several blocks stands before the loop, with stores to the next block behind it.
fn begun(stores: &[i32]) -> Code {
    let mut parts = Parts::new();
    counted(&mut parts.before, 1, ".Lmore");
    always(&mut parts.before, ".Lloop");
    parts.before.items.push(Item::Label(".Lmore".into()));
    parts.before.items.extend(parts.body.clone());
    parts.before.two("lw", 1, 13, OUTPUT);
    for &at in stores {
        parts.before.two("sw", 3, 1, at);
    }
    counted(&mut parts.before, 1, ".Lloop");
    always(&mut parts.before, ".Lloop");
    parts.whole(nothing, nothing, nothing)
}

/// The text may stand where the output does: a word of the next block that is written too early destroys it.
#[test]
fn no_block_is_written_in_part_where_blocks_are_counted() {
    proved_by(&begun(&[]), 2).expect("a block before the loop is right");
    for at in [0, 4] {
        let sentence = proved_by(&begun(&[at]), 2).expect_err("a word of the next block is destroyed");
        assert!(sentence.contains("in part"), "{at}: {sentence}");
    }
}

/// A word that counts iterations reaches the chain from its second bit on: the third iteration is the first wrong one.
#[test]
fn what_a_later_iteration_does_is_followed() {
    let with = |is_wrong: bool| {
        let mut parts = Parts::new();
        parts.before.push("li", &[("d", 3), ("k", 0)]);
        parts.before.two("sw", 3, 13, FREE);
        let last = move |code: &mut Code| {
            code.two("lw", 3, 13, FREE);
            if is_wrong {
                code.two("lw", 1, 13, 16);
                code.shift("shr", 12, 3, 1);
                code.three("xor", 7, 7, 12);
                code.two("sw", 7, 1, 12);
            }
            code.two("addi", 3, 3, 1);
            code.two("sw", 3, 13, FREE);
        };
        parts.whole(nothing, last, nothing)
    };
    assert!(proved(&with(false)).is_ok());
    refuted("a chain that is wrong from the third block on", &with(true), "");
}

/// A register has the word from one iteration to the next.
#[test]
fn registers_of_a_later_iteration_are_followed() {
    let with = |is_wrong: bool| {
        let mut parts = Parts::new();
        parts.before.push("li", &[("d", 9), ("k", 0)]);
        let first = |code: &mut Code| code.two("sw", 9, 13, FREE);
        let last = move |code: &mut Code| {
            code.two("lw", 9, 13, FREE);
            code.push("li", &[("d", 3), ("k", 0)]);
            code.two("sw", 3, 13, FREE);
            if is_wrong {
                code.two("lw", 1, 13, 16);
                code.shift("shr", 12, 9, 1);
                code.three("xor", 7, 7, 12);
                code.two("sw", 7, 1, 12);
            }
            code.two("addi", 9, 9, 1);
        };
        parts.whole(first, last, nothing)
    };
    assert!(proved(&with(false)).is_ok());
    refuted("a chain that is wrong from the third block on", &with(true), "");
}

/// A register holds text of the iteration before. At first it holds a number.
#[test]
fn what_registers_hold_from_the_iteration_before_is_secret() {
    let with = |is_divided: bool| {
        let mut parts = Parts::new();
        parts.before.push("li", &[("d", 9), ("k", 7)]);
        let first = move |code: &mut Code| {
            if is_divided {
                code.three("div", 9, 9, 9);
            }
            code.two("lw", 2, 13, INPUT);
            code.two("lw", 3, 2, 0);
            code.two("sw", 3, 13, FREE);
        };
        let last = |code: &mut Code| code.two("lw", 9, 13, FREE);
        let proof = proved(&parts.whole(first, last, nothing)).expect("nobody reads the quotient");
        proof.hangs.iter().any(|hang| hang.what == "operand")
    };
    assert!(!with(false));
    assert!(with(true));
}

/// Messages without a block return by themselves: what either way leaves is left.
#[test]
fn secrets_in_registers_are_those_of_all_returns() {
    let with = |leaves: [bool; 2]| {
        let leave = move |code: &mut Code, way: usize| {
            for register in [3, 6, 7, 8, 9, 10, 11, 12] {
                code.push("li", &[("d", register), ("k", 0)]);
            }
            if leaves[way] {
                code.two("lw", 9, 0, 0);
            }
        };
        let mut parts = Parts::new();
        counted(&mut parts.before, 0, ".Lloop");
        leave(&mut parts.before, 0);
        always(&mut parts.before, ".Lend");
        let proof = proved(&parts.whole(nothing, nothing, |code| leave(code, 1))).expect("is right");
        proof.secret_registers
    };
    assert!(with([false, false]).is_empty());
    for leaves in [[true, false], [false, true], [true, true]] {
        assert_eq!(with(leaves), ["r9"], "{leaves:?}");
    }
}

/// A word below the stack pointer where blocks are counted is no part of the loop, but it is left behind.
#[test]
fn secrets_that_an_iteration_leaves_on_the_stack_are_left() {
    let with = |is_secret: bool| {
        let last = move |code: &mut Code| {
            code.push("li", &[("d", 9), ("k", 7)]);
            if is_secret {
                code.two("lw", 9, 0, 0);
            }
            code.two("addi", 13, 13, -8);
            code.two("sw", 9, 13, 0);
            code.two("addi", 13, 13, 8);
        };
        proved(&Parts::new().whole(nothing, last, nothing)).expect("is right").secret_stack
    };
    assert!(!with(false));
    assert!(with(true));
}
