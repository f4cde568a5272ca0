//! Kernels proved, and faults of them refused.

use aesmith_cipher::firmware::{Firmware, Packing};
use aesmith_prove::bits::Refutation;
use aesmith_prove::grid::{GridProof, prove};

use crate::kernel_tests::launched;
use crate::table::{LAUNCH, isa};
use crate::{TABLE, kernels, text};
use aesmith_isa::Insn;
use aesmith_isa::table::Kind;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

fn printed(variant: &str) -> (String, Firmware) {
    let variant = TABLE.parse(variant).expect("a variant");
    let kernel = kernels::build(&variant).expect("is built");
    (text::print(&kernel.program), kernel.contract)
}

fn proved(text: &str, contract: &Firmware) -> Result<GridProof, Refutation> {
    assert_eq!(contract.packing, Packing::RoundKeys);
    let program = text::read(text).expect("is read");
    prove(isa(), &LAUNCH, &program, contract)
}

#[test]
fn kernels_are_proved() {
    for variant in [
        "aes128-ctr",
        "aes192-ctr blocks=2",
        "aes128-ctr counter=cached",
        "aes128-ecb",
        "aes128-ecb tables=2 replicas=16 blocks=2 threads=128",
        "aes256-ecb-dec",
    ] {
        let (text, contract) = printed(variant);
        let proof = proved(&text, &contract).unwrap_or_else(|e| panic!("{variant}: {e}"));
        assert_eq!(
            proof.constant_time,
            !variant.contains("replicas"),
            "{variant}: {:?}",
            proof.hangs.first()
        );
        assert_eq!(proof.shared, text::read(&text).expect("is read").shared, "{variant}");
    }
}

/// A kernel whose tables are filled in a few steps.
const SMALL: &str = "aes128-ecb replicas=8 threads=128";

/// The program of a text with a field of the instruction of a row, the so-manieth, changed.
fn faulty(text: &str, row: &str, which: usize, field: &str, change: impl Fn(i32) -> i32) -> String {
    let mut program = text::read(text).expect("is read");
    let of_row = |insn: &&mut Insn| isa().of(insn).name == row;
    let insn = program.insns.iter_mut().filter(of_row).nth(which).expect("there are so many");
    let place = isa().of(insn).fields.iter().position(|f| f.name == field).expect("it has the field");
    insn.fields[place] = change(insn.fields[place]);
    text::print(&program)
}

#[test]
fn faults_are_refused_with_their_reason() {
    let (text, contract) = printed("aes128-ecb threads=128");
    let fault = |row: &str, which: usize, field: &str, change: &dyn Fn(i32) -> i32| {
        faulty(&text, row, which, field, change)
    };
    for (what, wrong, why) in [
        ("another table", fault("ld_shared", 3, "off", &|off| off - 128), "not what FIPS-197 says"),
        ("another column", fault("prmt", 9, "n", &|n| n ^ 0x10), "not what FIPS-197 says"),
        ("another byte of the last round", fault("prmt", 145, "n", &|n| n ^ 0x10), "not what FIPS-197 says"),
        ("another round key", fault("key", 7, "n", &|n| n + 4), "not what FIPS-197 says"),
        ("a table over another", fault("st_shared_v4", 1, "off", &|_| 0), "is written twice"),
        ("a table half filled", fault("lt_n", 0, "n", &|n| n / 2), "nobody has written"),
        ("no barrier", text.replacen("    bar.sync 0;\n", "", 1), "hangs on the launch"),
        (
            "another block's text",
            fault("ld_global", 0, "off", &|_| 16),
            "nothing says that there are so many",
        ),
        ("half a block's text", fault("ld_global", 0, "off", &|_| 8), "not one access"),
        (
            "another block written",
            fault("st_global", 0, "off", &|_| 16),
            "nothing says that there are so many",
        ),
        ("blocks left out", fault("product", 0, "n", &|n| 2 * n), "takes 128 blocks of text a turn"),
        ("turns left out", fault("product", 1, "n", &|n| 2 * n), "takes 128 blocks of text a turn"),
        (
            "text beyond the last",
            text.replacen("setp.ge.u64", "setp.lt.u64", 1),
            "nothing says that there are so many",
        ),
        ("a turn and no more", text.replacen("setp.lt.u64", "setp.ge.u64", 1), ""),
        ("thread 0 for all", fault("tid", 3, "d", &|_| 99), ""),
        (
            "the launch in a table",
            text.replacen("mov.u32 %r1, %tid.x;", "mov.u32 %r1, %ctaid.x;", 1),
            "written at an address",
        ),
    ] {
        assert_ne!(wrong, text, "{what}");
        let refused = proved(&wrong, &contract).expect_err(what).to_string();
        assert!(refused.contains(why), "{what}: {refused}");
    }
    // The replica of another lane is the same word, in a bank that two lanes share.
    let shared = fault("and_n", 1, "n", &|n| n >> 1);
    let proof = proved(&shared, &contract).expect("is the cipher");
    assert!(!proof.constant_time && proof.hangs[0].what == "bank", "{:?}", proof.hangs);
}

#[test]
fn counters_that_are_not_those_of_their_blocks_are_refused() {
    for variant in ["aes128-ctr threads=128", "aes128-ctr counter=cached threads=128"] {
        let (text, contract) = printed(variant);
        let cached = variant.contains("cached");
        for (what, wrong) in [
            ("a carry that is lost", text.replacen("add.cc.u64", "add.u64", 1)),
            ("a carry too many", faulty(&text, "add_in", 0, "n", |_| 1)),
            ("halves exchanged", text.replacen("[iv+8]", "[iv+0]", 1)),
            ("bytes as they stand", faulty(&text, "prmt", 1, "n", |_| 0x3210)),
            ("another's text", faulty(&text, "shl64", usize::from(cached), "n", |_| 3)),
            ("blocks left out", faulty(&text, "product", 1, "n", |n| 2 * n)),
        ] {
            assert_ne!(wrong, text, "{variant}: {what}");
            assert!(proved(&wrong, &contract).is_err(), "{variant}: {what} is proved");
        }
    }
    let (text, contract) = printed("aes128-ctr counter=cached threads=128");
    for (what, wrong) in [
        ("another counter of the group", faulty(&text, "or_n", 2, "n", |n| n + (1 << 24))),
        ("two lanes with a counter", faulty(&text, "and_n", 2, "n", |n| n >> 1)),
        ("a group of 128", faulty(&text, "shl", 4, "n", |n| n - 1)),
        ("a block that is not there", faulty(&text, "add64_n", 3, "n", |n| n - 32)),
        ("a byte too few", faulty(&text, "and64_n", 0, "n", |n| n >> 1)),
    ] {
        assert_ne!(wrong, text, "{what}");
        assert!(proved(&wrong, &contract).is_err(), "{what} is proved");
    }
}

/// Single faults of instructions: a number changed, an operand put for another, an instruction left out. What is proved all
/// the same does what the cipher does.
#[test]
fn no_fault_is_proved_and_wrong() {
    let (text, contract) = printed(SMALL);
    let program = text::read(&text).expect("is read");
    let mut random = ChaCha8Rng::seed_from_u64(3);
    let (mut refuted, mut harmless) = (0, 0);
    for _ in 0..30 {
        let mut wrong = program.clone();
        let at = random.random_range(0..wrong.insns.len());
        let row = isa().of(&wrong.insns[at]);
        if row.fields.is_empty() || random.random_ratio(1, 6) {
            wrong.insns.remove(at);
        } else {
            let place = random.random_range(0..row.fields.len());
            let field = &mut wrong.insns[at].fields[place];
            *field = match row.fields[place].kind {
                Kind::Register { base, .. } => {
                    i32::from(base) + (*field - i32::from(base) + random.random_range(1..4)) % 8
                }
                Kind::Names { names, .. } => (*field + 1) % names.len() as i32,
                _ => *field ^ 1 << random.random_range(0..8),
            };
        }
        if wrong == program {
            continue;
        }
        match prove(isa(), &LAUNCH, &wrong, &contract) {
            Err(_) => refuted += 1,
            Ok(_) => {
                harmless += 1;
                launched(&text::print(&wrong), SMALL, 2, 300, &mut random);
            }
        }
    }
    assert!(refuted > 18, "{refuted} refuted, {harmless} harmless");
}
