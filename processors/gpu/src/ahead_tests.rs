//! Text that is prefetched one iteration ahead, accesses of other widths, and register limits.

use aesmith_processor::grid::Translator;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use crate::kernel_tests::launched;
use crate::machine_code::Ptxas;
use crate::proof_tests::{faulty, printed, proved, replaced};
use crate::{TABLE, kernels, text};

/// Each case has many iterations per thread, the last of which not every thread executes.
#[test]
fn text_of_any_width_is_loaded_ahead() {
    let mut random = ChaCha8Rng::seed_from_u64(30);
    for (variant, blocks, counts) in [
        ("aes128-ecb loads=ahead", 1, &[0, 1, 128, 129, 300][..]),
        ("aes192-ecb-dec loads=ahead blocks=2 tables=2", 2, &[700]),
        ("aes128-ctr loads=ahead blocks=2 width=8", 1, &[127, 385]),
        ("aes256-ctr loads=ahead width=4", 2, &[300]),
        ("aes128-cbc-dec loads=ahead width=8", 1, &[1, 300]),
        ("aes256-cbc-dec loads=ahead blocks=2", 1, &[513]),
        ("aes128-ctr counter=cached width=4", 1, &[300]),
        ("aes192-ecb width=8", 1, &[200]),
    ] {
        let variant = format!("{variant} threads=128");
        let (text, contract) = printed(&variant);
        let proof = proved(&text, &contract).unwrap_or_else(|e| panic!("{variant}: {e}"));
        assert!(proof.constant_time, "{variant}");
        for &count in counts {
            launched(&text, &variant, blocks, count, &mut random);
        }
    }
}

#[test]
fn bit_slices_have_widths_and_limits_of_registers() {
    let mut random = ChaCha8Rng::seed_from_u64(31);
    for (variant, row, count) in [
        ("aes128-ecb width=8", "ld.global.v2.b32 ", 70),
        ("aes128-ctr counter=cached width=4 registers=128", "ld.global.b32 ", 300),
    ] {
        let variant = format!("{variant} technique=bitsliced warps=1");
        let (text, contract) = printed(&variant);
        assert!(text.contains(row), "{variant}");
        assert_eq!(text.contains("\n.maxnreg 128\n"), variant.contains("registers"), "{variant}");
        proved(&text, &contract).unwrap_or_else(|e| panic!("{variant}: {e}"));
        launched(&text, &variant, 1, count, &mut random);
    }
}

#[test]
fn a_limit_of_registers_is_kept_by_the_translator() {
    if let Err(why) = aesmith_judge::judge::Instrument::present(&Ptxas) {
        println!("skipped: {why}");
        return;
    }
    let architecture = Ptxas.architectures().last().expect("an architecture");
    let counted = |variant: &str| {
        let kernel = kernels::build(&TABLE.parse(variant).expect("a variant")).expect("is built");

        Ptxas.count(&text::print(&kernel.program), architecture, &kernel.turns).expect("is translated")
    };
    let free = counted("aes128-ctr technique=bitsliced counter=cached");
    let few = counted("aes128-ctr technique=bitsliced counter=cached registers=128");
    assert!(free.registers > 168 && free.spilled == 0, "{free:?}");
    assert!(few.registers <= 128 && few.spilled > 0, "{few:?}");
}

#[test]
fn limits_that_no_thread_can_have_are_refused() {
    let (text, _) = printed("aes128-ctr technique=bitsliced registers=168");
    for (wrong, why) in
        [("256", "24 to 255"), ("8", "24 to 255"), ("0168", "is what is read there"), ("x", "is no number")]
    {
        let wrong = replaced(&text, &[(".maxnreg 168", &format!(".maxnreg {wrong}"))]);
        let refused = text::read(&wrong).expect_err("is refused");
        assert!(refused.contains(why), "{refused}");
    }
}

/// The text with `added` after the last line that contains `piece`.
fn behind(text: &str, piece: &str, added: &str) -> String {
    let at = text.rfind(piece).expect("it stands there");
    let end = at + text[at..].find('\n').expect("a line") + 1;
    format!("{}{added}{}", &text[..end], &text[end..])
}

/// The lines of a text that contain `piece`.
fn lines<'a>(text: &'a str, piece: &str) -> Vec<&'a str> {
    text.lines().filter(|line| line.contains(piece)).collect()
}

#[test]
fn faults_of_what_is_loaded_ahead_are_refused() {
    let (text, contract) = printed("aes128-ecb loads=ahead threads=128");
    let loads = lines(&text, "ld.global.v4.b32");
    let [first, next] = loads[..] else { panic!("{loads:?}") };
    let unguarded = next.replacen(next.split_once(" ld").expect("a guard").0.trim(), "", 1);
    let (words, wide) = (printed("aes128-ecb loads=ahead threads=128 width=4").0, "ld.global.b32");
    let last_word = *lines(&words, wide).last().expect("loads");
    for (what, wrong, why) in [
        ("none of the next turn", text.replacen(&format!("{next}\n"), "", 1), "text of the next turn"),
        ("a word left out", words.replacen(&format!("{last_word}\n"), "", 1), "text of the next turn"),
        ("text that may not be there", replaced(&text, &[(next, &unguarded)]), "there is such a block"),
        ("no first text", text.replacen(&format!("{first}\n"), "", 1), "more than eight bits decide"),
        (
            "the next block's first text",
            faulty(&text, "ld_global", 0, "off", |_| 16),
            "there is such a block",
        ),
        (
            "the block behind the next turn's",
            faulty(&text, "ld_global_if", 0, "off", |_| 16),
            "there is such a block",
        ),
        ("another step", faulty(&text, "shl64", 0, "m", |m| m + 1), "there is such a block"),
    ] {
        assert_ne!(wrong, text, "{what}");
        let refused = proved(&wrong, &contract).expect_err(what).to_string();
        assert!(refused.contains(why), "{what}: {refused}");
    }
}

/// Registers keep their values if a block does not exist: two loads of it need not be equal.
#[test]
fn text_that_may_not_be_there_is_held_once() {
    let (text, contract) = printed("aes128-ecb loads=ahead blocks=2 threads=128");
    // The second block's text before the first iteration, and that of the next.
    let guarded = lines(&text, "ld.global.v4.b32");
    let [_, early, _, late] = guarded[..] else { panic!("{guarded:?}") };
    let words = |line: &str| -> Vec<String> {
        let inside = line.split_once('{').and_then(|(_, rest)| rest.split_once('}')).expect("registers").0;
        inside.split(", ").map(str::to_owned).collect()
    };
    let held = words(early);
    assert_eq!(words(late), held);
    let others = "{%r190, %r191, %r192, %r193}";
    let again = |line: &str| {
        let registers = format!("{{{}}}", held.join(", "));
        let other = replaced(line, &[(&registers, others)]);
        format!("{other}\n    xor.b32 %r194, %r190, {};\n", held[0])
    };
    for line in [early, late] {
        let twice = behind(&text, line, &again(line));
        let refused = proved(&twice, &contract).expect_err("is read twice").to_string();
        assert!(refused.contains("is read twice"), "{refused}");
    }
    // Within an iteration, the text that was loaded one iteration ahead.
    let (before, turn) = text.split_once(early).expect("a loop behind it");
    let asked = *lines(turn, "setp.lt.u64 %p0").first().expect("whether the second block is there");
    let load = format!("    @%p0 ld.global.v4.b32 {others}, [%rd7+2048];");
    let twice = format!("{before}{early}{}", replaced(turn, &[(asked, &format!("{asked}\n{load}"))]));
    let refused = proved(&twice, &contract).expect_err("is read twice").to_string();
    assert!(refused.contains("is read twice"), "{refused}");
}

/// In CBC decryption any text may be read at any time. The second block of the first iteration is loaded, if it
/// exists, both before the loop and in each iteration; if it does not exist, registers hold 1 and then 2, and
/// the stored value depends on their being equal.
#[test]
fn what_was_held_before_the_loop_is_not_loaded_again() {
    let (text, contract) = printed("aes128-cbc-dec blocks=2 loads=ahead threads=128 tables=1");
    let load = "    @%p0 ld.global.v4.b32 {%r6, %r7, %r8, %r9}, [%rd7+2048];\n";
    let kept = format!(
        "    mov.b32 %r6, 1;\n{load}    xor.b32 %r101, %r6, 1;\n    mov.b64 %rd21, %rd7;\n    mov.b64 %rd22, %rd6;\n"
    );
    let again = "    setp.lt.u64 %p5, %rd22, %rd2;\n    mov.b32 %r102, 2;\n    @%p5 ld.global.b32 %r102, [%rd21+2048];\n    \
                 xor.b32 %r103, %r101, %r102;\n    xor.b32 %r103, %r103, 1;\n    xor.b32 %r19, %r19, %r103;\n";
    let store = "    st.global.v4.b32 [%rd8+0], {%r19,";
    let wrong = replaced(&text, &[(load, &kept), (store, &format!("{again}{store}"))]);
    let refused = proved(&wrong, &contract).expect_err("hangs on what registers held").to_string();
    assert!(refused.contains("is read twice"), "{refused}");
}
