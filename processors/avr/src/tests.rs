//! AVR's table against GNU binutils, and its kernels against the cipher, the prover and simavr.

use aesmith_cipher::problem::{Direction, KeySize, Problem, Task};

use aesmith_isa::assemble::Item;
use aesmith_isa::image::Image;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::CORES;
use super::cycles::TIMING;
use super::judge::Simavr;
use aesmith_arrange::Variant;
use aesmith_judge::judge::{Answer, Call, ExactJudge, Judge, Question};
use aesmith_processor::certificate::{in_registers, proved_in_registers};
use aesmith_processor::core::Kernel;
use aesmith_processor::cost::BuiltKernel;
use aesmith_processor::interpreter::Interpreter;
use aesmith_processor::timing::Timing;

fn variant(problem: Problem, text: &str) -> Variant {
    CORES[0].table.read(problem, text).expect("a variant")
}

fn kernel(problem: Problem, text: &str) -> Kernel {
    (CORES[0].build)(&variant(problem, text)).expect("a kernel")
}

/// Checks that the printed text of a kernel, assembled and linked by GNU binutils, is the same code.
fn text_is_the_same(kernel: &Kernel) {
    let isa = (CORES[0].isa)();
    let mut source = String::new();
    for section in &kernel.sections {
        // Tables in flash follow the code at a distance that the linker preserves.
        let place = if section.writable { ".data" } else { ".text" };
        source.push_str(&format!(".section {place}\n"));
        if section.name == ".progmem.data" {
            source.push_str(".balign 256, 0\n");
        }
        source.push_str(&aesmith_isa::assemble::text(isa, section, ";"));
    }
    let Some(theirs) = super::table_tests::assembled(&source) else { return };
    let image = kernel.image(isa).expect("assembles");
    let ours = &image.segments[0].bytes;
    assert_eq!(&theirs[..ours.len()], ours, "{}", kernel.variant);
}

/// Checks the kernels of all variants against the cipher and simavr, and returns their number.
fn schedules(key: KeySize, direction: Direction) -> usize {
    let problem = Problem::new(key, Task::KeySchedule(direction));
    let isa = (CORES[0].isa)();
    let mut count = 0;
    for variant in CORES[0].table.all(problem) {
        let Ok(kernel) = (CORES[0].build)(&variant) else { continue };
        let image = kernel.image(isa).expect("assembles");
        let function = image.symbol(&kernel.symbol).unwrap();
        let bytes: Vec<u8> = (0..key.bytes() as u8).map(|i| i.wrapping_mul(29)).collect();
        let at = CORES[0].buffers;
        let low = (at - 0x80_0000) as u32;
        let wanted = kernel.contract.key_bytes(&bytes);
        let call = Call {
            arguments: vec![low, low + 256],
            writes: vec![(at + 256, bytes)],
            reads: vec![(at, wanted.len())],
        };
        let trace = Interpreter::new(&CORES[0]).trace(&image, function, &call, 100_000);
        let answer = trace.unwrap_or_else(|e| panic!("{variant}: {e}")).answer.unwrap();
        println!("{variant}: {} cycles, {} flash", answer.cycles.unwrap(), kernel.flash(isa));
        assert_eq!(answer.read[0], wanted, "{variant}");
        simavr_says(&image, function, call, answer, &variant);
        let proof = aesmith_prove::bits::prove(isa, CORES[0].convention, &image, function, &kernel.contract);
        assert!(proof.is_ok(), "{variant}: {proof:?}");
        count += 1;
    }
    count
}

/// Every kind of kernel, from the GNU assembler and from our own assembler.
#[test]
fn printed_text_is_the_same_code() {
    let tasks = [
        Task::Ecb(Direction::Encrypt),
        Task::Ecb(Direction::Decrypt),
        Task::KeySchedule(Direction::Encrypt),
        Task::KeySchedule(Direction::Decrypt),
        Task::Ctr,
        Task::CbcEncrypt { streams: 1 },
        Task::CbcDecrypt,
    ];
    for (key, task) in KeySize::ALL.into_iter().flat_map(|k| tasks.map(|t| (k, t))) {
        let of_all = CORES[0].table.all(Problem::new(key, task));
        let kernels: Vec<Kernel> = of_all.iter().filter_map(|v| (CORES[0].build)(v).ok()).collect();
        // Each value of each dimension occurs in one of these.
        for kernel in kernels.iter().step_by(if key == KeySize::Aes128 { 3 } else { 7 }) {
            text_is_the_same(kernel);
        }
    }
}

fn simavr_says(image: &Image, function: u64, call: Call, answer: Answer, variant: &Variant) {
    if let Err(why) = Simavr::COUNTING.present() {
        return println!("skipped: {why}");
    }
    let question = Question { image, function, calls: vec![call], limit: 100_000 };
    assert_eq!(Simavr::COUNTING.answer(&question), Ok(vec![answer]), "{variant}");
}

#[test]
fn key_schedules() {
    for key in KeySize::ALL {
        for direction in [Direction::Encrypt, Direction::Decrypt] {
            assert!(schedules(key, direction) > 1);
        }
    }
}

/// Checks the kernels of a message problem against the cipher and simavr.
fn messages(problem: Problem) -> usize {
    let isa = (CORES[0].isa)();
    let mut count = 0;
    for variant in CORES[0].table.all(problem) {
        let Ok(kernel) = (CORES[0].build)(&variant) else { continue };
        let image = kernel.image(isa).expect("assembles");
        let function = image.symbol(&kernel.symbol).unwrap();
        let key: Vec<u8> = (0..problem.key.bytes() as u8).map(|i| i.wrapping_mul(29)).collect();
        // The lowest byte of the counter wraps, and carries twice.
        let iv: [u8; 16] =
            std::array::from_fn(|i| if i < 13 { 3 * i as u8 } else { 0xfe + u8::from(i < 15) });
        let blocks = 5;
        let text: Vec<u8> = (0..16 * blocks).map(|i| (i * i) as u8).collect();
        let (wanted, iv_after) = aesmith_cipher::modes::message(problem, &key, iv, &text);
        let at = CORES[0].buffers;
        let low = (at - 0x80_0000) as u32;
        for in_place in [false, true] {
            let out = if in_place { 272 } else { 400 };
            let call = Call {
                arguments: vec![low, low + 256, low + 272, low + out as u32, blocks],
                writes: vec![
                    (at, kernel.contract.key_bytes(&key)),
                    (at + 256, iv.to_vec()),
                    (at + 272, text.clone()),
                ],
                reads: vec![(at + out, wanted.len()), (at + 256, 16)],
            };
            let trace = Interpreter::new(&CORES[0]).trace(&image, function, &call, 100_000);
            let answer = trace.unwrap_or_else(|e| panic!("{variant}: {e}")).answer.unwrap();
            println!(
                "{variant}: {} cycles for {blocks}, {} flash, {} stack",
                answer.cycles.unwrap(),
                kernel.flash(isa),
                answer.stack.unwrap()
            );
            assert_eq!(answer.read, [wanted.clone(), iv_after.to_vec()], "{variant}");
            simavr_says(&image, function, call, answer, &variant);
        }
        count += 1;
    }
    count
}

#[test]
fn counter_mode_and_chaining() {
    for task in [Task::Ctr, Task::CbcEncrypt { streams: 1 }, Task::CbcDecrypt] {
        assert!(messages(Problem::new(KeySize::Aes128, task)) > 6);
    }
    assert!(messages(Problem::new(KeySize::Aes256, Task::Ctr)) > 5);
}

/// A call of a block function on a key and a block, and the expected output.
fn block_call(kernel: &Kernel, key: &[u8], block: [u8; 16]) -> (Call, [u8; 16]) {
    let at = CORES[0].buffers;
    let address = |k: u64| (at + k - 0x80_0000) as u32;
    let call = Call {
        arguments: vec![address(0), address(256), address(272)],
        writes: vec![(at, kernel.contract.key_bytes(key)), (at + 256, block.to_vec())],
        reads: vec![(at + 272, 16)],
    };
    let (wanted, _) = aesmith_cipher::modes::message(kernel.contract.problem, key, [0; 16], &block);
    let wanted = wanted.try_into().expect("a block");
    (call, wanted)
}

#[test]
fn the_table_compiles() {
    assert!((CORES[0].isa)().rows.len() >= 110);
}

#[test]
fn blocks_are_right_and_simavr_counts_the_same() {
    for (key, direction) in [
        (KeySize::Aes128, Direction::Encrypt),
        (KeySize::Aes128, Direction::Decrypt),
        (KeySize::Aes256, Direction::Encrypt),
        (KeySize::Aes192, Direction::Decrypt),
    ] {
        let problem = Problem::new(key, Task::Ecb(direction));
        for variant in CORES[0].table.all(problem) {
            let Ok(kernel) = (CORES[0].build)(&variant) else { continue };
            let isa = (CORES[0].isa)();
            let image = kernel.image(isa).expect("assembles");
            let bytes: Vec<u8> = (0..key.bytes() as u8).collect();
            let block = std::array::from_fn(|i| 0x11 * i as u8);
            let (call, wanted) = block_call(&kernel, &bytes, block);
            let trace = Interpreter::new(&CORES[0]).trace(
                &image,
                image.symbol(&kernel.symbol).unwrap(),
                &call,
                100_000,
            );
            let answer = trace.unwrap_or_else(|e| panic!("{variant}: {e}")).answer.unwrap();
            println!(
                "{variant}: {} cycles, {} flash, {} ram, {} stack",
                answer.cycles.unwrap(),
                kernel.flash(isa),
                kernel.ram(isa),
                answer.stack.unwrap()
            );
            assert_eq!(answer.read[0], wanted, "{variant}");
            simavr_says(&image, image.symbol(&kernel.symbol).unwrap(), call, answer, &variant);
        }
    }
}

/// Checks that a kernel has a proof.
fn proved(kernel: &Kernel) {
    let isa = (CORES[0].isa)();
    let image = kernel.image(isa).expect("assembles");
    let function = image.symbol(&kernel.symbol).expect("its symbol");
    let proof = aesmith_prove::bits::prove(isa, CORES[0].convention, &image, function, &kernel.contract);
    let proof = proof.unwrap_or_else(|e| panic!("{}: {e:?}", kernel.variant));
    println!("{}: proved in {} us", kernel.variant, proof.microseconds);
}

#[test]
fn every_block_function_is_proved() {
    for (key, direction) in
        KeySize::ALL.into_iter().flat_map(|k| [(k, Direction::Encrypt), (k, Direction::Decrypt)])
    {
        let of_all = CORES[0].table.all(Problem::new(key, Task::Ecb(direction)));
        let kernels: Vec<Kernel> = of_all.iter().filter_map(|v| (CORES[0].build)(v).ok()).collect();
        assert!(kernels.len() > 20);
        for kernel in kernels.iter().step_by(if key == KeySize::Aes128 { 1 } else { 3 }) {
            proved(kernel);
        }
    }
}

#[test]
fn every_message_function_is_proved() {
    for task in [Task::Ctr, Task::CbcEncrypt { streams: 1 }, Task::CbcDecrypt] {
        let of_all = CORES[0].table.all(Problem::new(KeySize::Aes128, task));
        let kernels: Vec<Kernel> = of_all.iter().filter_map(|v| (CORES[0].build)(v).ok()).collect();
        assert!(kernels.len() > 10);
        kernels.iter().for_each(proved);
    }
}

/// A thousand keys and blocks in simavr: checks the outputs, and that the cycles are constant and equal those of our
/// model.
#[test]
fn a_thousand_blocks_in_simavr() {
    if let Err(why) = Simavr::COUNTING.present() {
        return println!("skipped: {why}");
    }
    let isa = (CORES[0].isa)();
    let mut rng = ChaCha8Rng::seed_from_u64(2010);
    let cases = [
        (Direction::Encrypt, ""),
        (Direction::Decrypt, ""),
        (Direction::Encrypt, "sbox=flash doubling=branch rounds=looped"),
        (Direction::Encrypt, "sbox=flash doubling=mask rounds=compact schedule=onthefly"),
        (Direction::Decrypt, "doubling=mask rounds=threes convention=registers"),
    ];
    for (direction, text) in cases {
        let kernel = kernel(Problem::new(KeySize::Aes128, Task::Ecb(direction)), text);
        let image = kernel.image(isa).expect("assembles");
        let function = image.symbol(&kernel.symbol).expect("its symbol");
        let (calls, wanted): (Vec<Call>, Vec<[u8; 16]>) = (0..1000)
            .map(|_| {
                let key: [u8; 16] = rng.random();
                block_call(&kernel, &key, rng.random())
            })
            .unzip();
        let one = Interpreter::new(&CORES[0]).trace(&image, function, &calls[0], 100_000).expect("it runs");
        let one = one.answer.expect("an answer");
        let answers = Simavr::COUNTING
            .answer(&Question { image: &image, function, calls, limit: 100_000 })
            .unwrap_or_else(|e| panic!("{text}: {e}"));
        for (answer, wanted) in answers.iter().zip(wanted) {
            assert_eq!(answer.read[0], wanted, "{text}");
            assert_eq!((answer.cycles, answer.stack), (one.cycles, one.stack), "{text}");
        }
    }
}

/// The published figures that are our goals (see the crate's issue on processors other than this machine): cycles for
/// a block in registers, without the loads, stores and register saves of the C function.
#[test]
fn figures() {
    let isa = (CORES[0].isa)();
    let key = [7; 16];
    let cycles = |direction, text: &str| {
        let kernel = kernel(Problem::new(KeySize::Aes128, Task::Ecb(direction)), text);
        let image = kernel.image(isa).expect("assembles");
        let (call, _) = block_call(&kernel, &key, [9; 16]);
        let symbol = |name: &str| image.symbol(name).expect("its symbol");
        let run = |function| Interpreter::new(&CORES[0]).trace(&image, function, &call, 100_000);
        let whole = run(symbol(&kernel.symbol)).expect("it runs").answer.expect("an answer").cycles;
        let outside: u32 = kernel.sections[0]
            .items
            .iter()
            .take_while(|i| !matches!(i, Item::Label(l) if l.ends_with("_registers")))
            .filter_map(|i| match i {
                Item::Insn(insn) | Item::Linked { insn, .. } => Some(TIMING.alone(isa, insn)),
                _ => None,
            })
            .sum();
        // Call and return of the subroutine: the call takes 3 cycles, which `outside` includes, and the return 4.
        whole.expect("a count") - u64::from(outside) - 4
    };
    // One block of a longer message in counter mode: load, add and store the data.
    let counter = kernel(Problem::new(KeySize::Aes128, Task::Ctr), "caching=first");
    let image = counter.image(isa).expect("assembles");
    let [short, long] = [5, 21].map(|blocks| {
        let low = (CORES[0].buffers - 0x80_0000) as u32;
        let call = Call { arguments: vec![low, low + 256, low + 272, low + 272, blocks], ..Call::default() };
        let function = image.symbol(&counter.symbol).expect("its symbol");
        let trace = Interpreter::new(&CORES[0]).trace(&image, function, &call, 100_000).expect("it runs");
        trace.answer.expect("an answer").cycles.expect("a count")
    });
    assert_eq!((long - short) % 16, 0);
    assert_eq!((long - short) / 16, 1341);
    assert_eq!(cycles(Direction::Encrypt, "convention=registers"), 1498);
    assert_eq!(cycles(Direction::Decrypt, "convention=registers"), 1570);
    // With the encryption round keys, whose schedule takes 724 cycles.
    assert_eq!(cycles(Direction::Decrypt, "convention=registers keys=forward"), 1716);
    assert_eq!(cycles(Direction::Encrypt, "convention=registers sbox=flash doubling=branch"), 1838);
    assert_eq!(cycles(Direction::Decrypt, "convention=registers sbox=flash doubling=branch"), 1910);
    // The smallest kernel with its S-box, without the C function's prologue and epilogue:
    // github.com/rgrgrg/AVR-AES-faster has 662 bytes at 2111 cycles.
    let smallest = "convention=registers sbox=flash doubling=branch rounds=joined";
    assert_eq!(cycles(Direction::Encrypt, smallest), 1984);
    let built = kernel(Problem::new(KeySize::Aes128, Task::Ecb(Direction::Encrypt)), smallest);
    let items = &built.sections[0].items;
    let inside = items.iter().skip_while(|i| !matches!(i, Item::Label(l) if l.ends_with("_registers")));
    let bytes: u32 = inside
        .filter_map(|i| match i {
            Item::Insn(insn) | Item::Linked { insn, .. } => Some(u32::from(isa.of(insn).bytes())),
            _ => None,
        })
        .sum();
    assert_eq!(bytes + 256, 634);
}

/// Cycles, flash and RAM of AES-128 encryption: the Pareto front has as many kernels as the report shows, and none is
/// faster than its bound.
#[test]
fn the_front_has_more_than_eight_points() {
    let isa = (CORES[0].isa)();
    let problem = Problem::new(KeySize::Aes128, Task::Ecb(Direction::Encrypt));
    let mut points: Vec<[u64; 3]> = Vec::new();
    for variant in CORES[0].table.all(problem) {
        let Ok(kernel) = (CORES[0].build)(&variant) else { continue };
        let image = kernel.image(isa).expect("assembles");
        let (mut call, _) = block_call(&kernel, &[1; 16], [2; 16]);
        call.reads.clear();
        let function = image.symbol(&kernel.symbol).expect("its symbol");
        let trace = Interpreter::new(&CORES[0]).trace(&image, function, &call, 100_000).expect("it runs");
        let cycles = trace.answer.expect("an answer").cycles.expect("a count");
        if let Some((bound, _)) = (CORES[0].bound)(&variant) {
            assert!(bound < cycles as f64, "{variant}: {cycles} cycles, bound {bound}");
        }
        points.push([cycles, kernel.flash(isa), kernel.ram(isa)]);
    }
    points.sort_unstable();
    points.dedup();
    let better = |a: &[u64; 3], b: &[u64; 3]| a != b && a.iter().zip(b).all(|(x, y)| x <= y);
    let front: Vec<_> = points.iter().filter(|p| !points.iter().any(|q| better(q, p))).collect();
    println!("{front:?}");
    assert!(front.len() >= 8, "{front:?}");
    assert!(front.iter().any(|p| p[1] < 700));
}

/// The interrupt enable flag belongs to the caller: a function that changes it is refused.
#[test]
fn interrupts_are_left_as_they_were() {
    let problem = Problem::new(KeySize::Aes128, Task::Ecb(Direction::Encrypt));
    let isa = (CORES[0].isa)();
    let insn = |name: &str, fields: &[(&str, i32)]| Item::Insn(isa.insn(name, fields));
    let ending = |last: Vec<Item>| {
        let mut kernel = kernel(problem, "");
        let of_return = insn("ret", &[]);
        let mut returns = 0;
        for section in &mut kernel.sections {
            let whole = std::mem::take(&mut section.items);
            for item in whole {
                if item == of_return {
                    section.items.extend(last.clone());
                    returns += 1;
                } else {
                    section.items.push(item);
                }
            }
        }
        assert!(returns > 0, "the kernel returns");
        let image = kernel.image(isa).expect("assembles");
        let function = image.symbol(&kernel.symbol).unwrap();
        aesmith_prove::bits::prove(isa, CORES[0].convention, &image, function, &kernel.contract)
    };
    let ret = || insn("ret", &[]);
    let sreg = |name: &str| insn(name, &[("rd", 0)]);
    assert!(ending(vec![ret()]).is_ok());
    assert!(ending(vec![sreg("in_sreg"), insn("cli", &[]), sreg("out_sreg"), ret()]).is_ok());
    let sets = "it sets ief, which is its caller's to set";
    let wrong = [
        (vec![insn("cli", &[]), ret()], "without register ief"),
        (vec![insn("sei", &[]), ret()], sets),
        (vec![insn("reti", &[])], sets),
    ];
    for (wrong, why) in wrong {
        let refutation = ending(wrong).expect_err("it changes whether interrupts happen");
        assert!(refutation.sentence.contains(why), "{}", refutation.sentence);
    }
}

/// Functions on a block in registers have proofs of their stated registers, and their cycles are those of their own
/// instructions.
#[test]
fn functions_on_blocks_in_registers_are_what_is_said_of_them() {
    let core = &CORES[0];
    let mut moved = 0;
    for direction in [Direction::Encrypt, Direction::Decrypt] {
        let problem = Problem::new(KeySize::Aes128, Task::Ecb(direction));
        for variant in core.table.all(problem).into_iter().filter(|v| (core.in_registers)(v).is_some()) {
            let Ok(kernel) = (core.build)(&variant) else { continue };
            let made = BuiltKernel::new(core, kernel).expect("assembles");
            let said = in_registers(core, &made).unwrap_or_else(|e| panic!("{variant}: {e}"));
            let said = said.expect("it exports one");
            moved += usize::from(said.block != said.result);
            assert!(said.result.iter().all(|r| said.changed.contains(r)), "{variant}");
            assert!(said.cycles > 1000, "{variant}");
            // The result in other registers, the block in another order, and a block that is not the input.
            let right = said.places((core.isa)()).expect("registers");
            let mut wrong = [right.clone(), right.clone(), right];
            wrong[0].result.swap(3, 7);
            wrong[1].block.swap(0, 1);
            wrong[2].key.swap(0, 1);
            let function = (&made.image, made.function + said.at);
            for places in wrong {
                let contract = &made.kernel.contract;
                proved_in_registers(core, function, contract, &places).expect_err("other places are refused");
            }
        }
    }
    assert!(moved > 0, "some kernels leave the result in other registers than they took the block in");
    let plain = kernel(Problem::new(KeySize::Aes128, Task::Ecb(Direction::Encrypt)), "");
    assert_eq!(in_registers(core, &BuiltKernel::new(core, plain).expect("assembles")), Ok(None));
}

/// The proof of the function on a block in registers detects a single fault.
#[test]
fn mutants_of_functions_on_blocks_in_registers_are_refused() {
    let core = &CORES[0];
    let isa = (core.isa)();
    let problem = Problem::new(KeySize::Aes128, Task::Ecb(Direction::Decrypt));
    let made = BuiltKernel::new(core, kernel(problem, "convention=registers")).expect("assembles");
    let said = in_registers(core, &made).expect("is proved").expect("it exports one");
    let places = said.places(isa).expect("registers");
    let start = (made.function + said.at) as usize;
    let code = made.image.segments[0].bytes.len();
    // The lowest operand bit of the word of each 40th instruction.
    let mutants: Vec<usize> = (start..code - 2).step_by(80).collect();
    assert!(mutants.len() > 20);
    for at in mutants {
        let mut image = made.image.clone();
        image.segments[0].bytes[at] ^= 0x10;
        let function = (&image, start as u64);
        let refused = proved_in_registers(core, function, &made.kernel.contract, &places);
        assert!(
            refused.as_ref().map_or(true, |changes| changes.changed != said.changed),
            "mutant at {at:#x}"
        );
    }
}

/// No AVR has a cache: look-ups at secret-dependent addresses are constant-time even for variants that name them;
/// secret-dependent branches are not.
#[test]
fn look_ups_are_of_constant_time_and_branches_are_not() {
    for core in CORES {
        for (choices, admitted) in [("", true), ("sbox=flash", true), ("doubling=branch", false)] {
            let problem = "aes128-ecb".parse().expect("a problem");
            let variant = core.table.read(problem, choices).expect("a variant");
            let kernel = (core.build)(&variant).unwrap_or_else(|e| panic!("{variant}: {e}"));
            let image = kernel.image((core.isa)()).expect("assembles");
            let function = image.symbol(&kernel.symbol).expect("has its symbol");
            let proof =
                aesmith_prove::bits::prove((core.isa)(), core.convention, &image, function, &kernel.contract)
                    .unwrap_or_else(|e| panic!("{variant}: {e}"));
            assert!(!proof.constant_time, "{variant}: it looks nothing up");
            assert_eq!(Timing::Proved.admits(core, &proof), admitted, "{variant}: {:?}", proof.hangs);
            let about = aesmith_processor::timing::about(core, &proof);
            assert_eq!(about.contains("AVR has no cache"), admitted, "{variant}: {about}");
        }
        assert!(Timing::Proved.about(core).contains("AVR has no cache"));
    }
}
