//! Micro-kernels: PTX whose loops execute one kind of instruction, with a model of their results. They are not
//! AES and have no proof. Registers depend on each other in a way that no compiler can shorten, and results are
//! stored and compared. The PTX table has no clocks and no multiply-adds, so this text is written here.

use std::fmt::Write;

/// Threads per thread block: 8 warps for each of four schedulers.
pub(super) const THREADS: u32 = 1024;
/// Size of the clocks of a thread block, in bytes: two clocks per warp.
pub(super) const CLOCKS: usize = 16 * THREADS as usize / 32;
/// Size of the shared memory for chains of loads, in bytes: a word for each thread and register.
pub(super) const SHARED: u32 = 4 * THREADS * CHAINS;
/// Number of registers that depend on each other.
const CHAINS: u32 = 8;
/// Instructions per iteration: the three loop instructions are about 1/200 of them. Odd for each chain, so that
/// one iteration too few changes the result.
pub(super) const A_TURN: u32 = CHAINS * 63;
/// The selector of a byte permutation: three bytes of one word and one of the next.
const SELECTOR: u32 = 0x4321;
/// The function of three-input logic: a ^ (b & c).
const TABLE: u32 = 0x78;
/// A third operand that is not a register. An H100 executes alternating logic and products of three registers
/// each at 84.4 threads per clock: two thirds of 128, as if it read two registers per thread and clock. A
/// variant with two registers tests for a higher issue rate.
const MASK: u32 = 0x7fff_f7ff;
const SUM: u32 = 0x0123_4567;

/// The measured unit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Unit {
    Logic,
    Permutation,
    Product,
    Issue,
    Shared,
}

pub(super) const UNITS: [Unit; 5] =
    [Unit::Logic, Unit::Permutation, Unit::Product, Unit::Issue, Unit::Shared];

/// An instruction on registers with these numbers.
#[derive(Clone, Copy)]
enum Op {
    Logic(usize),
    Permutation(usize),
    Product(usize),
    /// Logic on two registers.
    Masked(usize),
    /// A product of two registers.
    Multiple(usize),
    Load(usize),
}

impl Unit {
    pub fn name(self) -> &'static str {
        match self {
            Unit::Logic => "aesmith_rate_logic",
            Unit::Permutation => "aesmith_rate_permutation",
            Unit::Product => "aesmith_rate_product",
            Unit::Issue => "aesmith_rate_issue",
            Unit::Shared => "aesmith_rate_shared",
        }
    }

    /// The instructions of an iteration.
    fn turn(self) -> impl Iterator<Item = Op> {
        let chains = CHAINS as usize;
        (0..A_TURN as usize).map(move |at| match self {
            Unit::Logic => Op::Logic(at % chains),
            Unit::Permutation => Op::Permutation(at % chains),
            Unit::Product => Op::Product(at % chains),
            Unit::Shared => Op::Load(at % chains),
            Unit::Issue if at % 2 == 0 => Op::Masked(at / 2 % chains),
            Unit::Issue => Op::Multiple(chains + at / 2 % chains),
        })
    }

    /// The word that a thread stores at the end.
    pub fn word(self, thread: u32, turns: u32) -> u32 {
        let mut x: [u32; 16] = match self {
            Unit::Shared => std::array::from_fn(|k| place(thread, k as u32)),
            _ => std::array::from_fn(|k| thread.wrapping_mul(FACTOR[k]).wrapping_add(FIRST[k])),
        };
        for _ in 0..turns {
            for op in self.turn() {
                match op {
                    Op::Logic(k) => x[k] ^= x[beside(k, 1)] & x[beside(k, 2)],
                    Op::Permutation(k) => x[k] = x[k] >> 8 | x[beside(k, 1)] << 24,
                    Op::Product(k) => x[k] = x[k].wrapping_mul(x[beside(k, 1)]).wrapping_add(x[beside(k, 2)]),
                    Op::Masked(k) => x[k] ^= x[beside(k, 1)] & MASK,
                    Op::Multiple(k) => x[k] = x[k].wrapping_mul(x[beside(k, 1)]).wrapping_add(SUM),
                    // A word holds the address of the thread's next word.
                    Op::Load(k) => x[k] = (x[k] + 4 * THREADS) % SHARED,
                }
            }
        }
        match self {
            Unit::Shared => {
                (0..CHAINS).fold(0, |sum: u32, k| sum.wrapping_add(x[k as usize].wrapping_mul(k + 1)))
            }
            _ => x.iter().fold(0, |sum, word| sum ^ word),
        }
    }
}

/// Multipliers and addends of the initial register values: the thread's number times a factor, plus a term.
const FACTOR: [u32; 16] = multiples(0x9e37_79b1);
const FIRST: [u32; 16] = multiples(0x85eb_ca6b);

const fn multiples(of: u32) -> [u32; 16] {
    let (mut all, mut k) = ([0; 16], 0);
    while k < 16 {
        all[k] = of.wrapping_mul(2 * k as u32 + 1);
        k += 1;
    }
    all
}

/// The register `by` positions after one, cyclically among its group of eight.
fn beside(k: usize, by: usize) -> usize {
    let chains = CHAINS as usize;
    k / chains * chains + (k + by) % chains
}

/// The address of a thread's word: in the bank of its lane.
fn place(thread: u32, k: u32) -> u32 {
    4 * (thread + THREADS * (k % CHAINS))
}

const HEAD: &str =
    ".version 7.8\n.target sm_75\n.address_size 64\n\n.extern .shared .align 16 .b8 tables[];\n";

/// The common beginning. %r16 is the thread, %r17 the remaining iterations, %r18 the selector, %r19 the base of
/// shared memory.
const BEGIN: &str = "
.visible .entry @NAME@(
    .param .u64 clocks,
    .param .u64 words,
    .param .u32 turns,
    .param .u32 selector
)
.reqntid 1024, 1, 1
{
    .reg .b32 %r<32>;
    .reg .b64 %rd<8>;
    .reg .pred %p<2>;

    mov.u32 %r16, %tid.x;
    ld.param.u32 %r17, [turns];
    ld.param.u32 %r18, [selector];
    mov.u32 %r19, tables;
";

/// The end of the loop, and the results: for each warp the clock before the loop and the clock after the
/// barrier at its end, and for each thread the word in %r20. A scheduler may let one warp wait while others
/// run, so the clocks of a single warp do not give the total time.
const TURNED: &str = "    sub.u32 %r17, %r17, 1;
    setp.ne.u32 %p0, %r17, 0;
    @%p0 bra turn;
    bar.sync 0;
    mov.u64 %rd1, %clock64;
";
const END: &str = "    mov.u32 %r21, %ctaid.x;
    mad.lo.u32 %r22, %r21, 1024, %r16;
    ld.param.u64 %rd2, [words];
    mul.wide.u32 %rd3, %r22, 4;
    add.u64 %rd2, %rd2, %rd3;
    st.global.b32 [%rd2], %r20;
    and.b32 %r23, %r16, 31;
    setp.ne.u32 %p1, %r23, 0;
    @%p1 bra end;
    shr.u32 %r22, %r22, 5;
    ld.param.u64 %rd2, [clocks];
    mul.wide.u32 %rd3, %r22, 16;
    add.u64 %rd2, %rd2, %rd3;
    st.global.b64 [%rd2], %rd0;
    st.global.b64 [%rd2+8], %rd1;
end:
    ret;
}
";

/// The clock kernel: measures from one step of the nanosecond counter to the first step after the given number
/// of nanoseconds, and gives up if the counter stands still. The copy kernel: 16 bytes per thread and
/// iteration.
const OTHERS: &str = "
.visible .entry aesmith_clock(
    .param .u64 results,
    .param .u64 nanoseconds
)
.reqntid 1, 1, 1
{
    .reg .b32 %r<2>;
    .reg .b64 %rd<10>;
    .reg .pred %p<3>;

    ld.param.u64 %rd0, [results];
    ld.param.u64 %rd1, [nanoseconds];
    mov.u32 %r0, 0;
    mov.u64 %rd2, %globaltimer;
step:
    add.u32 %r0, %r0, 1;
    mov.u64 %rd3, %globaltimer;
    setp.eq.u64 %p0, %rd3, %rd2;
    setp.lt.u32 %p1, %r0, 16777216;
    and.pred %p0, %p0, %p1;
    @%p0 bra step;
    mov.u64 %rd4, %clock64;
    add.u64 %rd5, %rd3, %rd1;
until:
    add.u32 %r0, %r0, 1;
    mov.u64 %rd6, %globaltimer;
    setp.lt.u64 %p0, %rd6, %rd5;
    setp.lt.u32 %p1, %r0, 16777216;
    and.pred %p0, %p0, %p1;
    @%p0 bra until;
    mov.u64 %rd7, %clock64;
    sub.u64 %rd7, %rd7, %rd4;
    sub.u64 %rd8, %rd6, %rd3;
    st.global.b64 [%rd0], %rd7;
    st.global.b64 [%rd0+8], %rd8;
    ret;
}

.visible .entry aesmith_rate_memory(
    .param .u64 in,
    .param .u64 out,
    .param .u64 blocks
)
.reqntid 1024, 1, 1
{
    .reg .b32 %r<8>;
    .reg .b64 %rd<10>;
    .reg .pred %p<1>;

    mov.u32 %r0, %tid.x;
    mov.u32 %r1, %ctaid.x;
    mov.u32 %r2, %nctaid.x;
    mul.wide.u32 %rd0, %r1, 1024;
    cvt.u64.u32 %rd1, %r0;
    add.u64 %rd0, %rd0, %rd1;
    mul.wide.u32 %rd2, %r2, 1024;
    ld.param.u64 %rd3, [in];
    ld.param.u64 %rd4, [out];
    ld.param.u64 %rd5, [blocks];
turn:
    setp.ge.u64 %p0, %rd0, %rd5;
    @%p0 bra end;
    shl.b64 %rd6, %rd0, 4;
    add.u64 %rd7, %rd3, %rd6;
    add.u64 %rd8, %rd4, %rd6;
    ld.global.v4.b32 {%r4, %r5, %r6, %r7}, [%rd7];
    st.global.v4.b32 [%rd8], {%r4, %r5, %r6, %r7};
    add.u64 %rd0, %rd0, %rd2;
    bra turn;
end:
    ret;
}
";

/// The selector that a launch of a micro-kernel receives as a parameter: a constant in the text could be
/// folded.
pub(super) fn selector() -> u32 {
    SELECTOR
}

/// The module with all micro-kernels.
pub(super) fn text() -> String {
    let mut text = HEAD.to_owned();
    for unit in UNITS {
        text.push_str(&BEGIN.replace("@NAME@", unit.name()));
        begun(unit, &mut text);
        for op in unit.turn() {
            // Writing to a string cannot fail.
            let _ = writeln!(text, "    {}", printed(op));
        }
        text.push_str(TURNED);
        ended(unit, &mut text);
        text.push_str(END);
    }
    text + OTHERS
}

/// Sets the initial values of the registers.
fn begun(unit: Unit, text: &mut String) {
    for k in 0..2 * CHAINS {
        let _ = match unit {
            Unit::Shared if k < CHAINS => writeln!(
                text,
                "    mad.lo.u32 %r{k}, %r16, 4, {};\n    add.u32 %r{k}, %r{k}, %r19;",
                place(0, k)
            ),
            Unit::Shared => Ok(()),
            _ => {
                writeln!(text, "    mad.lo.u32 %r{k}, %r16, {}, {};", FACTOR[k as usize], FIRST[k as usize])
            }
        };
    }
    for k in (0..CHAINS).filter(|_| unit == Unit::Shared) {
        let _ = writeln!(text, "    st.shared.b32 [%r{k}], %r{};", (k + 1) % CHAINS);
    }
    text.push_str("    bar.sync 0;\n    mov.u64 %rd0, %clock64;\nturn:\n");
}

fn printed(op: Op) -> String {
    match op {
        Op::Logic(k) => format!("lop3.b32 %r{k}, %r{k}, %r{}, %r{}, {TABLE};", beside(k, 1), beside(k, 2)),
        Op::Permutation(k) => format!("prmt.b32 %r{k}, %r{k}, %r{}, %r18;", beside(k, 1)),
        Op::Product(k) => format!("mad.lo.u32 %r{k}, %r{k}, %r{}, %r{};", beside(k, 1), beside(k, 2)),
        Op::Masked(k) => format!("lop3.b32 %r{k}, %r{k}, %r{}, {MASK}, {TABLE};", beside(k, 1)),
        Op::Multiple(k) => format!("mad.lo.u32 %r{k}, %r{k}, %r{}, {SUM};", beside(k, 1)),
        Op::Load(k) => format!("ld.shared.b32 %r{k}, [%r{k}];"),
    }
}

/// Combines the registers of a thread into one word.
fn ended(unit: Unit, text: &mut String) {
    text.push_str("    mov.u32 %r20, 0;\n");
    for k in 0..2 * CHAINS {
        let _ = match unit {
            Unit::Shared if k < CHAINS => writeln!(
                text,
                "    sub.u32 %r{k}, %r{k}, %r19;\n    mad.lo.u32 %r20, %r{k}, {}, %r20;",
                k + 1
            ),
            Unit::Shared => Ok(()),
            _ => writeln!(text, "    xor.b32 %r20, %r20, %r{k};"),
        };
    }
}
