//! Kernels are proved, and their faults refused.

use aesmith_cipher::firmware::Firmware;
use aesmith_prove::bits::Refutation;
use aesmith_prove::grid::{GridProof, prove};

use crate::kernel_tests::launched;
use crate::mixed_tests::step;
use crate::table::{LAUNCH, isa};
use crate::{TABLE, kernels, text};
use aesmith_isa::Insn;
use aesmith_isa::table::Kind;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

pub(crate) fn printed(variant: &str) -> (String, Firmware) {
    let variant = TABLE.parse(variant).expect("a variant");
    let kernel = kernels::build(&variant).expect("is built");
    (text::print(&kernel.program), kernel.contract)
}

pub(crate) fn proved(text: &str, contract: &Firmware) -> Result<GridProof, Refutation> {
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
        "aes128-ecb-dec tables=1 threads=128",
        "aes256-ecb-dec",
        "aes192-ecb-dec tables=2 replicas=1 threads=128",
        "aes128-ctr replicas=2 threads=256",
        "aes128-cbc-dec",
        "aes192-cbc-dec blocks=2",
        "aes128-ctr technique=bitsliced counter=cached",
        "aes128-cbc-dec technique=bitsliced warps=1 rounds=unrolled",
        "aes192-ecb technique=bitsliced",
        "aes256-ecb-dec technique=bitsliced warps=1",
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

#[test]
fn faults_of_bit_slices_are_refused() {
    let (text, contract) = printed("aes128-ctr technique=bitsliced counter=cached");
    for (what, wrong) in [
        ("another function of three inputs", faulty(&text, "lop3", 1500, "k", |k| k ^ 1)),
        ("a round left out", faulty(&text, "lt_n", 0, "n", |n| n - 1)),
        ("the key of another round", faulty(&text, "add64_n", 0, "m", |m| m + 512)),
        ("another bit of a round key", faulty(&text, "key_at", 30, "m", |m| m + 4)),
        ("another number of a block", faulty(&text, "xor_n", 2, "n", |n| n ^ 0x0010_0000)),
        ("another lane", faulty(&text, "and_n", 1, "n", |n| n >> 1)),
    ]
    .into_iter()
    .step_by(step())
    {
        assert_ne!(wrong, text, "{what}");
        let refused = proved(&wrong, &contract).expect_err(what).to_string();
        assert!(
            ["FIPS-197", "of numbers", "of the key are not there"].iter().any(|why| refused.contains(why)),
            "{what}: {refused}"
        );
    }
}

/// A text with pieces replaced, each of which must occur.
pub(crate) fn replaced(text: &str, pieces: &[(&str, &str)]) -> String {
    pieces.iter().fold(text.to_owned(), |text, (from, to)| {
        assert!(text.contains(from), "{from}");
        text.replacen(from, to, 1)
    })
}

/// Texts that are wrong only if a guard fails, a stream is short or a number is negative.
#[test]
fn what_happens_only_sometimes_is_not_relied_on() {
    let (group, of_group) = printed("aes128-ecb keys=group threads=128 blocks=2");
    let (chain, of_chain) = printed("aes128-cbc threads=128");
    let (ctr, of_ctr) = printed("aes128-ctr threads=256");
    let entry = "    setp.ge.u64 %p0, %rd3, %rd2;\n";
    let key = "    ld.global.v4.b32 {%r3, %r4, %r5, %r6}, [%rd3+0];\n";
    let guarded = "    add.u64 %rd21, %rd3, 16;\n    setp.lt.u64 %p5, %rd21, %rd2;\n    @%p5 ld.global.v4.b32 {%r3, %r4, %r5, %r6}, [%rd20+0];\n    setp.ge.u64 %p0, %rd3, %rd2;\n";
    let vector = "    ld.global.v4.b32 {%r47, %r48, %r49, %r50}, [%rd5+0];\n";
    let sometimes = "    mov.b64 %rd20, 5;\n    setp.lt.u64 %p5, %rd20, %rd2;\n    @%p5 ld.global.v4.b32 {%r47, %r48, %r49, %r50}, [%rd5+0];\n";
    let ends = "    setp.ge.u64 %p0, %rd7, %rd2;\n";
    let negative = "    and.b64 %rd23, %rd3, 255;\n    mov.b32 %r100, -256;\n    mov.b32 %r101, -1;\n    mov.b64 %rd24, {%r100, %r101};\n    and.b64 %rd21, %rd3, %rd24;\n    mov.b64 %rd30, 0;\n    add.u64 %rd22, %rd7, %rd30;\n    sub.u64 %rd7, %rd22, %rd23;\n    add.u64 %rd25, %rd2, %rd23;\n    setp.ge.u64 %p0, %rd7, %rd2;\n";
    for (what, wrong, contract, why) in [
        (
            "a key loaded where the second block is there",
            replaced(&group, &[(key, "    mov.b64 %rd20, %rd3;\n"), (entry, guarded)]),
            &of_group,
            "only where a block of its text is there",
        ),
        ("a vector loaded of long streams", replaced(&chain, &[(vector, sometimes)]), &of_chain, ""),
        (
            "a thread that ends where its first number is negative",
            replaced(
                &ctr,
                &[
                    (ends, negative),
                    ("add.cc.u64 %rd6, %rd3, %rd7;", "add.cc.u64 %rd6, %rd21, %rd22;"),
                    ("    ld.global.v4.b32", "    setp.lt.u64 %p5, %rd7, %rd2;\n    @%p5 ld.global.v4.b32"),
                    ("    st.global.v4.b32", "    @%p5 st.global.v4.b32"),
                    (
                        "    setp.lt.u64 %p0, %rd7, %rd2;\n",
                        "    add.u64 %rd22, %rd22, %rd5;\n    setp.lt.u64 %p0, %rd22, %rd25;\n",
                    ),
                ],
            ),
            &of_ctr,
            "may be there",
        ),
    ] {
        let refused = proved(&wrong, contract).expect_err(what).to_string();
        assert!(refused.contains(why), "{what}: {refused}");
    }
    // The vector of another stream decides the bank.
    let banks = format!("{vector}    and.b32 %r100, %r50, 124;\n    xor.b32 %r1, %r1, %r100;\n");
    let proof = proved(&replaced(&chain, &[(vector, &banks)]), &of_chain).expect("is the cipher");
    assert!(!proof.constant_time && proof.hangs[0].what == "bank", "{:?}", proof.hangs);
}

/// A value computed from a secret and a carry is secret, even if the proof does not know the value.
#[test]
fn a_carry_makes_no_secret_public() {
    let (text, contract) = printed("aes128-ctr threads=128");
    let load = text.lines().find(|line| line.contains("ld.global")).expect("it loads text");
    let word = &load[load.find("%r").expect("a word")..load.find(',').expect("and others")];
    for sum in ["addc.u64 %rd21, %rd20, 0;", "add.u64 %rd21, %rd20, %rd20;"] {
        let counts = format!(
            "{load}\n    cvt.u64.u32 %rd20, {word};\n    {sum}\n    mov.b64 {{%r190, %r191}}, %rd21;\n    shf.l.wrap.b32 %r192, %r191, %r191, %r190;"
        );
        let proof = proved(&text.replacen(load, &counts, 1), &contract).expect("is the cipher");
        assert!(!proof.constant_time && proof.hangs[0].what == "count", "{sum} {:?}", proof.hangs);
    }
}

/// A kernel whose tables are filled in a few steps.
const SMALL: &str = "aes128-ecb replicas=8 threads=128";

/// The program of a text with one field changed, in the instruction with this number among those of a row.
pub(crate) fn faulty(
    text: &str,
    row: &str,
    which: usize,
    field: &str,
    change: impl Fn(i32) -> i32,
) -> String {
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
        ("a table half filled", fault("lt_n", 0, "n", &|n| n / 2), "was not written"),
        ("no barrier", text.replacen("    bar.sync 0;\n", "", 1), "hangs on the launch"),
        ("another block's text", fault("ld_global", 0, "off", &|_| 16), "nothing says that there is such a"),
        ("half a block's text", fault("ld_global", 0, "off", &|_| 8), "not one access"),
        ("another block written", fault("st_global", 0, "off", &|_| 16), "nothing says that there is such a"),
        ("blocks left out", fault("product", 0, "m", &|n| 2 * n), "takes 128 blocks of text a turn"),
        ("turns left out", fault("product", 1, "m", &|n| 2 * n), "takes 128 blocks of text a turn"),
        (
            "text beyond the last",
            text.replacen("setp.ge.u64", "setp.lt.u64", 1),
            "nothing says that there is such a",
        ),
        ("a turn and no more", text.replacen("setp.lt.u64", "setp.ge.u64", 1), ""),
        ("thread 0 for all", fault("tid", 4, "d", &|_| 99), ""),
        (
            "the launch in a table",
            text.replacen("mov.u32 %r1, %tid.x;", "mov.u32 %r1, %ctaid.x;", 1),
            "to shared memory is no constant",
        ),
    ] {
        assert_ne!(wrong, text, "{what}");
        let refused = proved(&wrong, &contract).expect_err(what).to_string();
        assert!(refused.contains(why), "{what}: {refused}");
    }
    // A replica of another lane holds the same word, in a bank that two lanes share.
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
            ("a carry too many", faulty(&text, "add_in", 0, "m", |_| 1)),
            ("halves exchanged", text.replacen("[iv+8]", "[iv+0]", 1)),
            ("bytes as they stand", faulty(&text, "prmt", 1, "n", |_| 0x3210)),
            ("another's text", faulty(&text, "shl64", usize::from(cached), "m", |_| 3)),
            ("blocks left out", faulty(&text, "product", 1, "m", |n| 2 * n)),
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
        ("a block that is not there", faulty(&text, "add64_n", 3, "m", |n| n - 32)),
        ("a byte too few", faulty(&text, "and64_n", 0, "m", |n| n >> 1)),
    ] {
        assert_ne!(wrong, text, "{what}");
        assert!(proved(&wrong, &contract).is_err(), "{what} is proved");
    }
}

/// Texts that aesmith does not write: behavior that differs on a GPU, or that one iteration does not show, is
/// refused.
#[test]
fn texts_of_strangers_are_refused_for_what_they_hide() {
    let (ctr, of_ctr) = printed("aes128-ctr counter=cached threads=128");
    let (two, of_two) = printed("aes128-ecb blocks=2 threads=128");
    let line = |text: &str, what: &str| {
        let found = text.lines().find(|line| line.contains(what)).expect("it has one");
        format!("{found}\n")
    };
    let sum = line(&ctr, "add.cc.u64");
    let names: Vec<&str> =
        sum.trim().trim_end_matches(';').split([' ', ',']).filter(|n| n.starts_with('%')).collect();
    let [to, counter, number] = names[..] else { panic!("{sum}") };
    let wrapped = format!(
        "    add.u64 %rd30, {counter}, 256;\n    sub.u64 %rd31, {number}, 256;\n    add.cc.u64 {to}, %rd30, %rd31;\n"
    );
    let guarded = line(&two, "@%p0 ld.global");
    let barrier = "    bar.sync 0;\n";
    let before =
        |text: &str, what: &str, inserted: &str| text.replacen(what, &format!("{inserted}{what}"), 1);
    let zero = "    mov.b32 %r99, 0;\n    cvt.u64.u32 %rd28, %r99;\n";
    let early = format!(
        "{zero}    ld.param.u64 %rd29, [blocks];\n    ld.param.u64 %rd30, [in];\n    setp.lt.u64 %p7, %rd28, %rd29;\n    @%p7 ld.global.v4.b32 {{%r100, %r101, %r102, %r103}}, [%rd30+0];\n"
    );
    let unused = |load: &str| before(&ctr, barrier, &format!("{zero}    {load};\n"));
    let store = line(&two, "    st.global");
    let guarded_store = store.replacen("    st.global", "    @%p0 st.global", 1);
    let plain = line(&two, "    ld.global");
    let guarded_load = plain.replacen("    ld.global", "    @%p0 ld.global", 1);
    // Where the predicate is known.
    let late = two.replacen(&plain, "", 1).replacen(&guarded, &format!("{guarded}{guarded_load}"), 1);
    let unknown = "nothing says that there is such a";
    for (what, wrong, contract, why) in [
        ("a block stored if another is there", two.replacen(&store, &guarded_store, 1), &of_two, unknown),
        ("a block read if another is there", late, &of_two, unknown),
        (
            "a sum that wraps before its carry",
            ctr.replacen(&sum, &wrapped, 1),
            &of_ctr,
            "more than eight bits decide",
        ),
        (
            "two loads of a block that may not be there",
            before(&two, &guarded, &guarded),
            &of_two,
            "is read twice",
        ),
        (
            "text read before the barrier",
            before(&two, barrier, &early),
            &of_two,
            "at an address outside its own memory",
        ),
        (
            "a constant at a number",
            unused("ld.const.b32 %r98, [%rd28+64]"),
            &of_ctr,
            "at an address outside its own memory",
        ),
        ("the key behind the counter", unused("ld.param.b64 %rd27, [iv+32]"), &of_ctr, "are no parameter"),
        ("more than the key", unused("ld.param.b32 %r98, [keys+176]"), &of_ctr, "are no parameter"),
        ("half a counter", unused("ld.param.b64 %rd27, [iv+4]"), &of_ctr, "at no multiple of their size"),
    ] {
        assert_ne!(wrong, ctr, "{what}");
        assert_ne!(wrong, two, "{what}");
        let refused = proved(&wrong, contract).expect_err(what).to_string();
        assert!(refused.contains(why), "{what}: {refused}");
    }
    for (what, wrong, why) in [
        (
            "another kernel in the name",
            two.replacen(".visible .entry ", ".visible .entry k() { ret; } .visible .entry x_", 1),
            "is no name of a kernel",
        ),
        ("a negative number", unused("add.u64 %rd27, %rd28, -1"), "-1"),
        ("a register twice", unused("mov.b64 {%r98, %r98}, %rd28"), "is written twice by one instruction"),
        ("a block that is too large", ctr.replacen(".reqntid 128,", ".reqntid 2048,", 1), "1 to 1024"),
    ] {
        let Err(refused) = text::read(&wrong) else { panic!("{what} is read") };
        assert!(refused.contains(why), "{what}: {refused}");
    }
}

/// Single faults of instructions: a number changed, an operand replaced by another, an instruction left out. A
/// text that is still proved must compute the cipher.
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
