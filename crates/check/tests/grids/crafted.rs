//! Proofs that were changed by hand to have a wrong claim accepted, each beside one that differs in little and is right.

use crate::{changed, text, verdict};

/// Changes of a proof, each a place and what stands there instead; and words of the reason why it is refused, if it is.
type Case = (&'static str, &'static [(&'static str, &'static str)], Option<&'static str>);

const LOAD: &str = "    ld.global.v4.b32 {%r2, %r3, %r4, %r5}, [%rd6+0];\n";
const STORE: &str = "    st.global.v4.b32 [%rd7+0], {%r10, %r2, %r3, %r4};\n";
const BARRIER: &str = "    bar.sync 0;\n";
const NEXT: &str = "    add.u64 %rd5, %rd5, %rd3;\n";
const FIRST_KEY: &str = "    ld.param.b32 %r6, [keys+0];\n";
const TABLE: &str = "    st.shared.v4.b32 [%r3+0], {%r5, %r5, %r5, %r5};\n";

/// Wrong statements, and kernels around which none is right.
const CASES: &[Case] = &[
    // Turns: each block once.
    ("ecb", &[("block tid + 128*turn", "block tid + 256*turn")], Some("as far apart")),
    (
        "ecb",
        &[("block tid + 128*turn", "block tid + 128*turn + 1")],
        Some("two threads have one block, or none"),
    ),
    (
        "ecb",
        &[("block tid + 128*turn", "block 2*tid + 128*turn")],
        Some("two threads have one block, or none"),
    ),
    ("ecb", &[("block tid + 128*turn", "block 127 - tid + 128*turn")], Some("a later turn may have a block")),
    ("ecb", &[("block tid + 128*turn", "block tid + 128*turn + blocks")], Some("may be in no turn")),
    (
        "ecb",
        &[("block tid + 128*turn", "block tid + 128*turn - blocks")],
        Some("a later turn may have a block"),
    ),
    ("ecb", &[("block tid + 128*turn\n", "")], Some("may be in no turn")),
    (
        "ecb",
        &[("block tid + 128*turn\n", "block tid + 128*turn\nblock tid + 128*turn\n")],
        Some("as far apart"),
    ),
    (
        "ecb-two",
        &[("block tid + 256*turn + 128", "block tid + 256*turn + 129")],
        Some("two threads have one block, or none"),
    ),
    ("ecb-two", &[("block tid + 256*turn\n", "block tid + 256*turn + 1*tid.0 - tid.0\n")], None),
    // What turns are counted from is the same for all threads, and in all turns.
    ("ecb", &[("block tid + 128*turn", "block tid + 128*turn - ctaid")], Some("that threads do not share")),
    ("ecb", &[("block tid + 128*turn", "block tid + 128*turn - turn>>1")], Some("that threads do not share")),
    ("ecb", &[("block tid + 128*turn", "block tid + 128*turn - tid>>1")], Some("two threads have one block")),
    (
        "ecb",
        &[("block tid + 128*turn", "block tid + 128*turn - low>>1")],
        Some("later turn may have a block"),
    ),
    (
        "ecb",
        &[
            ("L41:\n", "    shr.u32 %r150, %r3, 1;\nL41:\n"),
            ("head loop L41\n", "head loop L41\nr150 = turn>>1\n"),
        ],
        Some("r150 is not as loop states"),
    ),
    (
        "ecb",
        &[
            ("L41:\n", "    shr.u32 %r150, %r3, 1;\nL41:\n"),
            ("head loop L41\n", "head loop L41\nr150 = ctaid>>1\n"),
        ],
        None,
    ),
    ("ecb", &[("head loop L41\n", "head loop L41\nr150 = tid.7\n")], Some("not understood: tid.7")),
    (
        "ecb-two",
        &[("block tid + 256*turn + 128", "block tid + 256*turn + 128 - nctaid")],
        Some("counted from different numbers"),
    ),
    // Statements of the head.
    (
        "ecb",
        &[("rd5 = tid + 128*turn", "rd5 = tid + 128*turn + 4294967296")],
        Some("rd5 is not as loop states"),
    ),
    (
        "ecb",
        &[("fact - tid + blocks - 128*turn - 1 >= 0", "fact - tid + blocks - 128*turn - 2 >= 0")],
        Some("is not as loop states"),
    ),
    ("ecb", &[("fact - tid + blocks - 128*turn - 1 >= 0\n", "")], Some("nothing says that the loop ends")),
    (
        "ecb",
        &[("fact - tid + blocks - 128*turn - 1 >= 0", "fact - tid + blocks - 128*turn >= 0")],
        Some("an access may be outside the text"),
    ),
    ("ecb", &[("rd5 = tid + 128*turn", "rd5 = tid + 128*turn + 128")], Some("rd5 is not as loop states")),
    (
        "ecb",
        &[("rd5 = tid + 128*turn", "rd5 = tid + 18446744073709551616*ctaid + 128*turn")],
        Some("an access may be outside the text"),
    ),
    ("ecb", &[("rd3 = 128*nctaid", "rd3 = 128*ctaid")], Some("rd3 is not as loop states")),
    ("ecb", &[("rd1 = out", "rd1 = in")], Some("rd1 is not as loop states")),
    ("ecb", &[("r0 = tables\n", "")], Some("not in shared memory, or its address is not known")),
    ("ecb", &[("r1 = 4*tid.0", "r1 = 8*tid.0")], Some("r1 is not as loop states")),
    ("ecb", &[("head loop L41", "head loop L41\nr2 = key.0")], Some("r2 is not as loop states")),
    (
        "ecb",
        &[("head loop L41", "head loop L41\nr2 = text(tid + 128*turn).0")],
        Some("r2 is not as loop states"),
    ),
    (
        "ecb",
        &[("head loop L41", "head loop L665")],
        Some("a block is written that is not of the thread's turn"),
    ),
    ("ecb", &[("head loop L41", "head loop L14")], Some("a head is before the barrier")),
    ("ecb", &[("rd0 = in", "rd0 = in + 0*low>>8")], None),
    ("ecb", &[("rd0 = in", "rd0 = in + low>>64")], Some("not understood")),
    (
        "ecb-ahead",
        &[("r6 = text(tid + 256*turn + 128).0", "r6 = text(tid + 256*turn).0")],
        Some("r6 is not as loop states"),
    ),
    (
        "ecb-ahead",
        &[("fact tid - blocks + 256*turn + 128 >= 0", "fact tid - blocks + 256*turn + 127 >= 0")],
        Some("is not as loop states"),
    ),
    // Claims.
    ("ecb", &[("banks\n", "lookups\n")], None),
    ("ecb", &[("banks\n", "")], Some("an address depends on a secret")),
    ("ecb", &[("contract aes128-ecb", "contract aes128-ecb-dec")], Some("not that of the specification")),
    ("ecb", &[("contract aes128-ecb", "contract aes192-ecb")], Some("parameters of the kernel")),
    ("ecb", &[("contract aes128-ecb", "contract aes128-ctr")], Some("parameters of the kernel")),
    ("ecb", &[("contract aes128-ecb", "contract aes128-cbc")], Some("CBC encryption has some")),
    ("ctr", &[("contract aes128-ctr", "contract aes128-cbc-dec")], Some("is not as loop states")),
    // Lanes of a warp have one bank, or none of their own.
    (
        "ecb",
        &[
            ("    and.b32 %r2, %r1, 31;\n", "    and.b32 %r2, %r1, 15;\n"),
            ("8*tid.1 + 16*tid.2 + 32*tid.3 + 64*tid.4", "8*tid.1 + 16*tid.2 + 32*tid.3"),
        ],
        Some("share a bank"),
    ),
    (
        "ecb",
        &[
            ("    and.b32 %r2, %r1, 31;\n", "    and.b32 %r2, %r1, 15;\n"),
            ("8*tid.1 + 16*tid.2 + 32*tid.3 + 64*tid.4", "8*tid.1 + 16*tid.2 + 32*tid.3"),
            ("banks\n", "lookups\n"),
        ],
        None,
    ),
    // Shared memory: a byte of it is written once, by all threads, before the barrier.
    ("ecb", &[(BARRIER, "")], Some("not within the constants")),
    ("ecb", &[(TABLE, "    st.shared.v4.b32 [%r3+4], {%r5, %r5, %r5, %r5};\n")], Some("not aligned")),
    ("ecb", &[(TABLE, "    st.shared.v4.b32 [%r3+65536], {%r5, %r5, %r5, %r5};\n")], Some("written twice")),
    (
        "ecb",
        &[(TABLE, "    st.shared.v4.b32 [%r3+0], {%r5, %r5, %r5, %r4};\n")],
        Some("what is looked up depends on the thread"),
    ),
    (
        "ecb",
        &[(TABLE, "    @%p0 st.shared.v4.b32 [%r3+0], {%r5, %r5, %r5, %r5};\n")],
        Some("a predicate is not known"),
    ),
    (
        "ecb",
        &[(TABLE, "    mov.u32 %r150, %ctaid.x;\n    st.shared.v4.b32 [%r3+0], {%r5, %r5, %r5, %r150};\n")],
        Some("depends on the launch"),
    ),
    (
        "ecb",
        &[(
            TABLE,
            "    ld.shared.b32 %r150, [%r0+0];\n    st.shared.v4.b32 [%r3+0], {%r5, %r5, %r5, %r5};\n",
        )],
        Some("read before the barrier"),
    ),
    (
        "ecb",
        &[("    setp.lt.u32 %p0, %r2, 32;\n", "    setp.lt.u32 %p0, %r2, 31;\n")],
        Some("that no thread wrote"),
    ),
    ("ecb", &[("    setp.lt.u32 %p0, %r2, 32;\n", "    setp.lt.u32 %p0, %r2, 33;\n")], Some("not within")),
    ("ecb", &[("    setp.lt.u32 %p0, %r2, 32;\n", "    setp.le.u32 %p0, %r2, 31;\n")], None),
    ("ecb", &[(BARRIER, "    bar.sync 0;\n    bar.sync 0;\n")], Some("a barrier behind the first")),
    ("ecb", &[(BARRIER, "    bar.sync 1;\n")], Some("a barrier is not number 0")),
    (
        "ecb",
        &[(
            BARRIER,
            "    mov.u32 %r150, %tid.x;\n    setp.lt.u32 %p1, %r150, 127;\n    @!%p1 bra L665;\n    bar.sync 0;\n",
        )],
        Some("127 ends before the barrier"),
    ),
    (
        "ecb",
        &[(BARRIER, "    mov.u32 %r150, %tid.x;\n    setp.lt.u32 %p1, %r150, 128;\n    @%p1 bar.sync 0;\n")],
        None,
    ),
    (
        "ecb",
        &[(BARRIER, "    bar.sync 0;\n    st.shared.b32 [%r0+0], %r0;\n")],
        Some("shared memory is written behind the barrier"),
    ),
    (
        "ecb",
        &[(BARRIER, "    mov.u32 %r150, %ctaid.x;\n    setp.lt.u32 %p1, %r150, 5;\n    bar.sync 0;\n")],
        Some("depends on the launch"),
    ),
    (
        "ecb",
        &[(
            BARRIER,
            "    mov.u32 %r150, %tid.x;\n    setp.lt.u32 %p1, %r150, 64;\n    @%p1 bra L28;\n    bar.sync 0;\nL28:\n    bar.sync 0;\n",
        )],
        Some("wait at different barriers"),
    ),
    // Streams: each has its threads, its key and its blocks; the chain value is the output before.
    ("group", &[("stream 8*ctaid + tid.4", "stream 8*ctaid + tid.3")], Some("")),
    ("group", &[("stream 8*ctaid", "stream 16*ctaid")], Some("as far apart")),
    ("group", &[("stream 8*ctaid", "stream 7*ctaid")], Some("not those behind the block before")),
    ("group", &[("stream 8*ctaid", "stream 8*nctaid")], Some("not that of a thread and its block")),
    ("group", &[("stream 8*ctaid", "stream 8*ctaid + 8")], Some("not those behind the block before")),
    (
        "group",
        &[("    setp.ge.u64 %p0, %rd7, %rd3;\n", "    setp.gt.u64 %p0, %rd7, %rd3;\n")],
        Some("a stream that may not be there"),
    ),
    (
        "group",
        &[(
            "    setp.ge.u64 %p0, %rd7, %rd3;\n",
            "    add.u64 %rd20, %rd7, 1;\n    setp.ge.u64 %p0, %rd20, %rd3;\n",
        )],
        Some("later turn may have a block"),
    ),
    (
        "group",
        &[(
            "    ld.global.v4.b32 {%r3, %r4, %r5, %r6}, [%rd3+0];\n",
            "    ld.global.v4.b32 {%r3, %r4, %r5, %r6}, [%rd3+176];\n",
        )],
        Some("another stream than the thread's"),
    ),
    (
        "group",
        &[("    mul.wide.u32 %rd5, %r4, 176;\n", "    mul.wide.u32 %rd5, %r4, 352;\n")],
        Some("another stream than the thread's"),
    ),
    ("group", &[("    mov.b64 %rd4, 16;\n", "    mov.b64 %rd4, 32;\n")], Some("rd4 is not as loop states")),
    (
        "cbc",
        &[(
            "    mov.b32 %r47, %r51;\n    mov.b32 %r48, %r53;\n",
            "    mov.b32 %r47, %r53;\n    mov.b32 %r48, %r51;\n",
        )],
        Some("r47 is not as loop states"),
    ),
    (
        "cbc",
        &[(
            "    mov.b32 %r47, %r51;\n    mov.b32 %r48, %r53;\n",
            "    mov.b32 %r48, %r53;\n    mov.b32 %r47, %r51;\n",
        )],
        None,
    ),
    ("cbc", &[("    mov.b32 %r47, %r51;\n", "")], Some("r47 is not as loop states")),
    ("cbc", &[("r47 = chain.0", "r47 = chain.1")], Some("r47 is not as loop states")),
    ("cbc", &[("block turn", "block turn - low")], Some("not taken one after another")),
    ("ctr", &[("head loop L51", "head loop L51\nr2 = chain.0")], Some("not understood")),
    // Key schedules.
    (
        "key",
        &[("block tid + 1024*turn", "block tid + 1024*turn + 1")],
        Some("two threads have one block, or none"),
    ),
    (
        "key",
        &[("    st.global.v4.b32 [%rd1+160], {", "    st.global.v4.b32 [%rd1+176], {")],
        Some("outside the text"),
    ),
    ("key", &[("contract aes128-key", "contract aes128-key-dec")], Some("not that of the specification")),
    // Text and output.
    ("ecb", &[(LOAD, "    ld.global.v4.b32 {%r2, %r3, %r4, %r5}, [%rd6+16];\n")], Some("outside the text")),
    ("ecb", &[(LOAD, "    ld.global.v4.b32 {%r2, %r3, %r4, %r5}, [%rd6+8];\n")], Some("not aligned")),
    (
        "ecb",
        &[(LOAD, "    ld.global.v2.b32 {%r2, %r3}, [%rd6+0];\n    ld.global.v2.b32 {%r4, %r5}, [%rd6+8];\n")],
        None,
    ),
    ("ecb", &[(LOAD, "    ld.global.v4.b32 {%r2, %r3, %r4, %r5}, [%rd7+0];\n")], Some("in no memory")),
    (
        "ecb",
        &[(
            LOAD,
            "    ld.global.v4.b32 {%r2, %r3, %r4, %r5}, [%rd6+0];\n    ld.global.b32 %r150, [%rd0+0];\n",
        )],
        Some("another thread may have written"),
    ),
    (
        "ecb",
        &[(
            STORE,
            "    st.global.v4.b32 [%rd7+0], {%r10, %r2, %r3, %r4};\n    ld.global.b32 %r150, [%rd6+0];\n",
        )],
        Some("after it was written"),
    ),
    ("ecb", &[(STORE, "    st.global.v4.b32 [%rd6+0], {%r10, %r2, %r3, %r4};\n")], Some("in no memory")),
    ("ecb", &[(STORE, "    st.global.v4.b32 [%rd7+0], {%r10, %r2, %r4, %r3};\n")], Some("byte 8 of block 0")),
    (
        "ecb",
        &[(STORE, "    st.global.v2.b32 [%rd7+0], {%r10, %r2};\n    st.global.b32 [%rd7+8], %r3;\n")],
        Some("byte 12 of block 0 of a turn is not written"),
    ),
    ("ecb", &[(STORE, "")], Some("a block of a turn is not written")),
    (
        "ecb",
        &[(
            STORE,
            "    st.global.v4.b32 [%rd7+0], {%r10, %r2, %r3, %r4};\n    st.global.b32 [%rd7+0], %r10;\n",
        )],
        Some("written twice"),
    ),
    (
        "ecb",
        &[(
            STORE,
            "    add.u64 %rd7, %rd7, 2048;\n    st.global.v4.b32 [%rd7+-2048], {%r10, %r2, %r3, %r4};\n",
        )],
        None,
    ),
    (
        "ecb",
        &[(
            "    @%p0 bra L665;\n",
            "    mov.b64 %rd20, %rd1;\n    st.global.b32 [%rd20+0], %r0;\n    @%p0 bra L665;\n",
        )],
        Some("a block is written that is not of"),
    ),
    (
        "cbc-dec",
        &[(
            "    @%p0 ld.global.v4.b32 {%r5, %r6, %r7, %r8}, [%rd6+-16];\n",
            "    ld.global.v4.b32 {%r5, %r6, %r7, %r8}, [%rd6+-16];\n",
        )],
        Some("outside the text"),
    ),
    // Turns behind each other.
    (
        "ecb",
        &[(NEXT, "    add.u64 %rd5, %rd5, %rd3;\n    add.u64 %rd5, %rd5, %rd3;\n")],
        Some("rd5 is not as loop states"),
    ),
    ("ecb", &[(NEXT, "")], Some("is not as loop states")),
    ("ecb", &[(NEXT, "    add.u64 %rd5, %rd3, %rd5;\n")], None),
    (
        "ecb",
        &[(
            "    mul.wide.u32 %rd3, %r4, 128;\n    setp.ge.u64 %p0, %rd5, %rd2;\n",
            "    mul.wide.u32 %rd3, %r4, 128;\n    setp.gt.u64 %p0, %rd5, %rd2;\n",
        )],
        Some("is not as loop states"),
    ),
    (
        "ecb",
        &[(
            "    mul.wide.u32 %rd3, %r4, 128;\n    setp.ge.u64 %p0, %rd5, %rd2;\n",
            "    mul.wide.u32 %rd3, %r4, 128;\n    add.u64 %rd20, %rd5, 1;\n    setp.ge.u64 %p0, %rd20, %rd2;\n",
        )],
        Some("later turn may have a block"),
    ),
    (
        "ecb",
        &[(
            "    mul.wide.u32 %rd3, %r4, 128;\n    setp.ge.u64 %p0, %rd5, %rd2;\n",
            "    mul.wide.u32 %rd3, %r4, 128;\n    add.u64 %rd20, %rd5, 1;\n    setp.gt.u64 %p0, %rd20, %rd2;\n",
        )],
        None,
    ),
    (
        "ecb",
        &[("    setp.lt.u64 %p0, %rd5, %rd2;\n    @%p0 bra L41;\n", "")],
        Some("later turn may have a block"),
    ),
    // A number of 32 bits is lost where 64 are needed.
    (
        "ecb",
        &[(
            "    mul.wide.u32 %rd4, %r3, 128;\n",
            "    mul.lo.u32 %r3, %r3, 128;\n    cvt.u64.u32 %rd4, %r3;\n",
        )],
        Some(""),
    ),
    // Counters.
    (
        "ctr",
        &[("    addc.u64 %rd10, %rd4, 0;\n", "    add.u64 %rd10, %rd4, 0;\n")],
        Some("not that of the specification"),
    ),
    ("ctr", &[("    add.cc.u64 %rd6, %rd3, %rd7;\n", "    add.cc.u64 %rd6, %rd7, %rd3;\n")], None),
    (
        "ctr",
        &[("    add.cc.u64 %rd6, %rd3, %rd7;\n", "    add.u64 %rd6, %rd3, %rd7;\n")],
        Some("there is no carry"),
    ),
    (
        "ctr",
        &[(
            "    add.cc.u64 %rd6, %rd3, %rd7;\n",
            "    add.cc.u64 %rd6, %rd3, %rd7;\n    add.cc.u64 %rd20, %rd7, %rd7;\n",
        )],
        Some("not that of the specification"),
    ),
    (
        "ctr",
        &[(
            "    add.cc.u64 %rd6, %rd3, %rd7;\n",
            "    mov.b64 %rd6, %rd3;\n    add.cc.u64 %rd6, %rd6, %rd7;\n",
        )],
        None,
    ),
    // Secrets.
    (
        "ecb",
        &[(FIRST_KEY, "    ld.param.b32 %r6, [keys+0];\n    setp.lt.u32 %p1, %r6, 5;\n")],
        Some("depends on a secret"),
    ),
    (
        "ecb",
        &[(FIRST_KEY, "    ld.param.b32 %r6, [keys+0];\n    shl.b32 %r150, %r0, %r6;\n")],
        Some("moved by a number that depends on a secret"),
    ),
    (
        "ecb",
        &[(
            FIRST_KEY,
            "    ld.param.b32 %r6, [keys+0];\n    cvt.u64.u32 %rd20, %r6;\n    add.u64 %rd20, %rd20, %rd6;\n    ld.global.b32 %r150, [%rd20+0];\n",
        )],
        Some("depends on a secret"),
    ),
    ("ecb", &[(FIRST_KEY, "    ld.param.b32 %r6, [keys+0];\n    xor.b32 %r6, %r6, %r150;\n")], Some("")),
    ("ecb", &[(FIRST_KEY, "    ld.param.b32 %r6, [keys+176];\n")], Some("not within its parameter")),
    (
        "ecb",
        &[(FIRST_KEY, "    ld.param.b32 %r6, [keys+2];\n")],
        Some("not within its parameter, or not aligned"),
    ),
    ("ecb", &[(FIRST_KEY, "    ld.param.b32 %r6, [in+0];\n")], Some("a part of a parameter")),
    (
        "ecb",
        &[(FIRST_KEY, "    @%p3 bra L665;\n    ld.param.b32 %r6, [keys+0];\n")],
        Some("a predicate is not known"),
    ),
    ("ecb", &[("L665:\n    ret;\n", "L665:\n    mov.b32 %r0, 0;\n")], Some("the code ends without `ret`")),
    // The texts of modules that a compiler may read otherwise.
    ("ecb", &[(FIRST_KEY, "    ld.param.b32 %r6, [keys+00];\n")], Some("not understood")),
    ("ecb", &[(FIRST_KEY, "    ld.param.b32 %r6, [keys+0x0];\n")], Some("not understood")),
    ("ecb", &[(FIRST_KEY, "    ld.param.b32 %r6, [keys+0]; ret;\n")], Some("not understood")),
    ("ecb", &[(FIRST_KEY, "    ld.param.b32 %r6, [keys+0]; // ret;\n")], Some("not understood")),
    ("ecb", &[(FIRST_KEY, "    /* */\n    ld.param.b32 %r6, [keys+0];\n")], Some("may span lines")),
    ("ecb", &[(FIRST_KEY, "    // \\\n    ld.param.b32 %r6, [keys+0];\n")], Some("may go on")),
    ("ecb", &[(FIRST_KEY, "    // \\ \n    ld.param.b32 %r6, [keys+0];\n")], Some("may go on")),
    ("ecb", &[(FIRST_KEY, "    // ??/\n    ld.param.b32 %r6, [keys+0];\n")], Some("may go on")),
    ("ecb", &[(FIRST_KEY, "    // \\ so\n    ld.param.b32 %r6, [keys+0];\n")], None),
    ("ecb", &[(FIRST_KEY, "    // \r    ret;\n    ld.param.b32 %r6, [keys+0];\n")], Some("read otherwise")),
    ("ecb", &[(FIRST_KEY, "    // words\n\n    ld.param.b32 %r6, [keys+0];\n")], None),
    ("ecb", &[(FIRST_KEY, "    ld.param.b32 %r200, [keys+0];\n")], Some("not understood")),
    ("ecb", &[(FIRST_KEY, "    ld.volatile.param.b32 %r6, [keys+0];\n")], Some("not understood")),
    (
        "ecb",
        &[(FIRST_KEY, "    mov.b64 {%r6, %r6}, %rd0;\n    ld.param.b32 %r6, [keys+0];\n")],
        Some("not understood"),
    ),
    (
        "ecb",
        &[(FIRST_KEY, "    mov.b32 %r6, 4294967296;\n    ld.param.b32 %r6, [keys+0];\n")],
        Some("not understood"),
    ),
    ("ecb", &[(FIRST_KEY, "    mov.b32 %r6, 4294967295;\n    ld.param.b32 %r6, [keys+0];\n")], None),
    ("ecb", &[("L41:\n", "L41:\nL41:\n")], Some("not understood")),
    ("ecb", &[("L41:\n", "L41:\nM42:\n")], Some("not understood")),
    ("ecb", &[("L41:\n", "L41:\nL42:\n")], None),
    ("ecb", &[(".reqntid 128, 1, 1\n", ".reqntid 64, 1, 1\n")], Some("")),
    ("ecb", &[(".reqntid 128, 1, 1\n", ".reqntid 128, 2, 1\n")], Some("not understood")),
    ("ecb", &[(".reqntid 128, 1, 1\n", ".reqntid 128, 1, 1\n.maxnreg 64\n")], None),
    (
        "ecb",
        &[("    .param .u64 in,\n    .param .u64 out,\n", "    .param .u64 out,\n    .param .u64 in,\n")],
        Some("parameters of the kernel"),
    ),
    ("ecb", &[("in bytes: 131072", "in bytes: 131071")], Some("not within the shared memory")),
    ("ecb", &[("in bytes: 131072", "in bytes: 131073")], None),
    (
        "ecb",
        &[(
            ".const .align 16",
            "// Shared memory that a launch gives each block, in bytes: 131072\n.const .align 16",
        )],
        Some("one line has to begin"),
    ),
    ("ecb", &[("words[256]", "words[255]")], Some("another number of constants")),
    ("ecb", &[(".const .align 16", ".const .align 4")], Some("not understood")),
    ("ecb", &[("    0xa56363c6, ", "    0xa56363c7, ")], Some("no S-box and no linear map")),
    ("ecb", &[("tables[];", "tables[131072];")], Some("not understood")),
];

#[test]
fn each_case_has_its_verdict() {
    let mut wrong = Vec::new();
    for (number, (base, changes, reason)) in CASES.iter().enumerate() {
        let own = changes.iter().fold(text(base), |text, (old, new)| changed(&text, old, new));
        let found = verdict(&own);
        let is_right = match (&found, reason) {
            (Ok(()), None) => true,
            (Err(found), Some(reason)) => found.contains(reason),
            _ => false,
        };
        if !is_right {
            wrong.push(format!(
                "{number}: {base}: {changes:?}: {reason:?} is expected, and found is {found:?}"
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
    let accepted = CASES.iter().filter(|case| case.2.is_none()).count();
    assert!(accepted >= 15 && CASES.len() >= 100, "{accepted} of {}", CASES.len());
}
