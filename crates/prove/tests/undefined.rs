//! Instructions before a kernel that look harmless in the table, but that manuals leave undefined, or that change
//! processor state which belongs to the caller (`undefined.txt`). Beside each is a control that is proved.

use std::collections::HashMap;

use aesmith_isa::Isa;
use aesmith_isa::assemble::Item;
use aesmith_processors::core;
use aesmith_prove::bits::prove;

/// The number of cases.
const CASES: usize = 58;

/// Proves the kernel of a processor with extra instructions at its entry: rows with their fields, as in `nop; li rd=3`.
fn proved(processor: &str, text: &str) -> Result<(), String> {
    let isa: &Isa = (core(processor)?.isa)();
    let insn = |text: &str| {
        let mut words = text.split_whitespace();
        let name = words.next()?;
        let fields: Vec<(&str, i32)> = words.map(field).collect();
        Some(Item::Insn(isa.insn(name, &fields)))
    };
    with(processor, text.split(';').filter_map(insn).collect())
}

fn field(text: &str) -> (&str, i32) {
    let (name, value) = text.split_once('=').expect("a field and its value");
    let value = match value.strip_prefix("0x") {
        Some(digits) => i32::from_str_radix(digits, 16),
        None => value.parse(),
    };
    (name, value.expect("a number"))
}

/// Proves the kernel of a processor with extra items at its entry.
fn with(processor: &str, more: Vec<Item>) -> Result<(), String> {
    let core = core(processor)?;
    let isa: &Isa = (core.isa)();
    let problem = "aes128-ecb".parse().expect("a problem");
    // Code that addresses its tables relative to itself does not allow extra instructions before it.
    let choices = if ["arm7tdmi", "strongarm"].contains(&processor) { "technique=bitsliced" } else { "" };
    let variant = core.table.read(problem, choices)?;
    let mut kernel = (core.build)(&variant)?;
    let starts = |item: &Item| matches!(item, Item::Label(name) if *name == kernel.symbol);
    let (section, place) = kernel
        .sections
        .iter()
        .enumerate()
        .find_map(|(k, section)| Some((k, section.items.iter().position(starts)?)))
        .ok_or("it has no entry")?;
    kernel.sections[section].items.splice(place + 1..place + 1, more);
    let image = kernel.image(isa)?;
    let function = image.symbol(&kernel.symbol)?;
    let proof = prove(isa, core.convention, &image, function, &kernel.contract);
    proof.map(|_| ()).map_err(|refutation| refutation.sentence)
}

/// The lines of a family's cases, without comments: a word, and the text after it.
fn lines(family: &str) -> impl Iterator<Item = (&'static str, &'static str)> {
    let lines =
        include_str!("undefined.txt").lines().filter(|line| !line.starts_with('#') && !line.is_empty());
    let mut words = lines.map(|line| line.split_once(' ').expect("a word and a text"));
    assert!(words.any(|(word, name)| word == "family" && name == family), "no cases are of {family}");
    words.take_while(|(word, _)| *word != "family")
}

/// The instructions of a text, with those that a name stands for.
fn replaced(text: &str, names: &HashMap<&str, &str>) -> String {
    let instructions = text.trim_start_matches(['=', ' ']).split(';').map(str::trim);
    instructions.map(|one| names.get(one).copied().unwrap_or(one)).collect::<Vec<_>>().join("; ")
}

/// Checks of each case of a family that the control is proved, and that the attack is refused for its reason.
fn held(family: &str) {
    let mut names = HashMap::new();
    let (mut processor, mut attack) = ("", String::new());
    for (word, text) in lines(family) {
        match word {
            "let" => {
                let (name, instructions) = text.split_once(" = ").expect("a name and instructions");
                names.insert(name, instructions);
            }
            "case" => processor = text,
            "control" => {
                let control = replaced(text, &names);
                proved(processor, &control).unwrap_or_else(|e| panic!("{processor}, {control}: {e}"));
            }
            "attack" => attack = replaced(text, &names),
            "because" => {
                let why = proved(processor, &attack).expect_err(&attack);
                assert!(why.contains(text.trim_start_matches("= ")), "{processor}, {attack}: {why}");
            }
            _ => panic!("`{word} {text}` is of no case"),
        }
    }
}

#[test]
fn every_case_is_whole() {
    let families = include_str!("undefined.txt").lines().filter_map(|line| line.strip_prefix("family "));
    assert!(families.clone().eq(["avr", "arm", "thumb", "rv32", "powerpc", "sparc", "microblaze", "i386"]));
    let lines: Vec<_> = families.flat_map(lines).filter(|(word, _)| *word != "let").collect();
    let (cases, rest) = lines.as_chunks::<4>();
    assert!(cases.len() >= CASES && rest.is_empty());
    for case in cases {
        assert_eq!(case.map(|(word, _)| word), ["case", "control", "attack", "because"], "{case:?}");
    }
}

#[test]
fn avr() {
    held("avr");
}

#[test]
fn arm() {
    held("arm");
}

#[test]
fn thumb() {
    held("thumb");
}

#[test]
fn rv32() {
    held("rv32");
}

#[test]
fn powerpc() {
    held("powerpc");
}

#[test]
fn sparc() {
    held("sparc");
}

#[test]
fn microblaze() {
    held("microblaze");
}

#[test]
fn i386() {
    held("i386");
}

/// Bytes that decode to an instruction but are not the encoding that assemblers write for it.
#[test]
fn other_encodings() {
    let word = |word: u32| vec![Item::Bytes(word.to_le_bytes().to_vec())];
    // mov r12, #64, and the same with another rotation; if the instruction sets flags, the rotation decides the carry.
    with("arm7tdmi", word(0xe3a0_c040)).expect("it is right");
    for other in [0xe3a0_cf01_u32 ^ 0x11, 0xe3a0_cd01] {
        let why = with("arm7tdmi", word(other)).expect_err("it is another encoding");
        assert!(why.contains("is encoded as 40 c0 a0 e3"), "{why}");
    }
    // An SIB byte without an index has two bits that are ignored.
    with("pentium4", vec![Item::Bytes(vec![0x8d, 0x04, 0x24])]).expect("it is right");
    let why =
        with("pentium4", vec![Item::Bytes(vec![0x8d, 0x04, 0x64])]).expect_err("it is another encoding");
    assert!(why.contains("is encoded as 8d 04 24"), "{why}");
}

/// An instruction that a processor lacks is refused by name, and proved on a processor that has it.
#[test]
fn parts_that_a_processor_lacks() {
    let cases = [
        ("cortex-m4", "cortex-m3", "uadd8 rd=3 rn=3 rm=3", "the DSP extension"),
        ("cortex-m7", "cortex-m33", "sel rd=3 rn=3 rm=3", "the DSP extension"),
        ("cortex-m4", "cortex-m3", "uxtb16.ror rd=3 rm=3", "the DSP extension"),
        ("cortex-m4", "cortex-m3", "smlabt rd=3 rn=3 rm=3 ra=3", "the DSP"),
        ("cortex-m4", "cortex-m3", "umaal rd=3 rd2=12 rn=3 rm=3", "the DSP"),
        ("cortex-m4", "cortex-m3", "ssat16 rd=3 rn=3 size=9", "the DSP extension"),
        ("cortex-m7", "cortex-m33", "pkhbt rd=3 rn=3 rm=3 sh=4", "the DSP"),
        ("cortex-m7", "cortex-m33", "uxtab rd=3 rn=3 rm=3", "the DSP extension"),
    ];
    for (has, lacks, lines, because) in cases {
        proved(has, lines).unwrap_or_else(|why| panic!("{has}: {why}"));
        let why = proved(lacks, lines).expect_err("it lacks that");
        assert!(why.contains(because) && why.contains("does not have"), "{lacks}: {why}");
    }
    for (processor, line) in [
        ("strongarm", "bx rm=14 cond=14"),
        ("microblaze-5", "mulhu rd=11 ra=5 rb=5"),
        ("microblaze-3", "idivu rd=11 ra=5 rb=5"),
    ] {
        let why = proved(processor, line).expect_err("it lacks that");
        assert!(why.contains("does not have"), "{processor}: {why}");
    }
}

/// ARMv4T returns to both states only by `bx`; other writes to the program counter keep the state.
#[test]
fn returns_of_arm() {
    for (processor, marked) in [("arm7tdmi", true), ("arm9tdmi", true), ("strongarm", false)] {
        let core = core(processor).expect("a processor");
        let isa: &Isa = (core.isa)();
        let variant = core
            .table
            .read("aes128-ecb".parse().expect("a problem"), "technique=bitsliced")
            .expect("a variant");
        let kernel = (core.build)(&variant).expect("a kernel");
        let own = |kernel: &aesmith_processor::core::Kernel| {
            let image = kernel.image(isa).expect("an image");
            let function = image.symbol(&kernel.symbol).expect("its symbol");
            prove(isa, core.convention, &image, function, &kernel.contract).expect("it is proved").own_state
        };
        assert_eq!(own(&kernel), None, "{processor}");
        // The last instruction returns.
        let mut moved = kernel.clone();
        let last = moved.sections[0].items.iter_mut().rev().find(|item| matches!(item, Item::Insn(_)));
        let by_move = isa.insn("mov", &[("rd", 15), ("rm", 14), ("cond", 14)]);
        if marked {
            *last.expect("an instruction") = Item::Insn(by_move);
            assert_eq!(own(&moved).as_deref(), Some("mov pc, lr"), "{processor}");
        }
    }
}
