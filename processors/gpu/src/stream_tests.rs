//! Faults of kernels of several streams, and of chained blocks, are refused.

use aesmith_processor::grid::Grids;
use aesmith_processor::grid::certificate::ProvedGrid;

use crate::GPU;
use crate::native::tests::Nobody;
use crate::proof_tests::{faulty, printed, proved};

/// A kernel is executed before it is emitted, in place only where that is allowed.
#[test]
fn kernels_of_streams_are_delivered() {
    let grids = Grids { translator: &Nobody, ..GPU };
    for variant in [
        "aes128-ctr keys=group threads=128",
        "aes128-cbc-dec keys=group threads=128 tables=1",
        "aes128-cbc-dec keys=thread threads=128 tables=1 blocks=2",
        "aes192-ecb keys=group schedule=fly threads=128 tables=1",
        "aes128-ecb keys=group loads=ahead blocks=2 threads=128 tables=1",
        "aes128-cbc-dec keys=thread loads=ahead threads=128 tables=1",
        "aes128-cbc loads=ahead width=8 threads=128 tables=1",
    ] {
        let kernel = (GPU.build)(&GPU.table.parse(variant).expect("a variant")).expect("is built");
        let delivered =
            ProvedGrid::new(&grids, kernel, "kernel").unwrap_or_else(|e| panic!("{variant}: {e}"));
        assert!(delivered.certificate().tested_blocks > 0, "{variant}");
    }
}

#[test]
fn faults_of_streams_and_chains_are_refused() {
    let moved = |text: &str, from: &str, to: &str| {
        assert!(text.contains(from), "{from}");
        text.replacen(from, to, 1)
    };
    let (group, contract) = printed("aes128-ecb keys=group threads=128");
    for (what, wrong, why) in [
        (
            "another stream's text",
            faulty(&group, "ld_global_64", 0, "off", |_| 8),
            "nothing says that there is such a",
        ),
        ("another stream's key", faulty(&group, "product", 2, "m", |m| m + 176), "accesses memory of stream"),
        ("eight threads for a stream", faulty(&group, "shr", 1, "n", |_| 3), "not every stream once"),
        ("eight lanes", faulty(&group, "and_n", 2, "n", |_| 7), "of numbers"),
        ("a step too far", faulty(&group, "mov64_n", 0, "m", |m| 2 * m), "the next begins"),
        (
            "streams that are not there",
            moved(&group, "setp.ge.u64", "setp.lt.u64"),
            "nothing says that there is such a",
        ),
    ] {
        let refused = proved(&wrong, &contract).expect_err(what).to_string();
        assert!(refused.contains(why), "{what}: {refused}");
    }
    let (chained, contract) = printed("aes128-cbc threads=128");
    let at = chained.rfind("mov.b32 %r").expect("the chain value is kept");
    let end = at + chained[at..].find(';').expect("it ends");
    let forgotten = format!("{}mov.b32 %r199, 0{}", &chained[..at], &chained[end..]);
    let refused = proved(&forgotten, &contract).expect_err("a chain value forgotten").to_string();
    assert!(refused.contains("the block before"), "{refused}");
    let (apart, contract) = printed("aes128-cbc-dec threads=128");
    let own = faulty(&apart, "iv", 1, "n", |_| 0);
    let refused = proved(&own, &contract).expect_err("another half of the vector").to_string();
    assert!(refused.contains("FIPS-197"), "{refused}");
}

/// Faults in the counter and vector of a stream; each stream has its own.
#[test]
fn faults_of_counters_of_streams_are_refused() {
    let (counted, contract) = printed("aes128-ctr keys=group threads=128");
    let vector = counted.find("ld.global.v4.b32").map(|at| counted[at..].matches("ld.global.v4.b32").count());
    // The parameters: eleven round keys, the counter, the text.
    assert_eq!(vector, Some(13));
    for (what, wrong, why) in [
        (
            "another stream's counter",
            faulty(&counted, "ld_global", 11, "off", |_| 16),
            "accesses memory of stream",
        ),
        ("half of a counter", faulty(&counted, "ld_global", 11, "off", |_| 8), "no part of it"),
        (
            "another block's counter",
            faulty(&counted, "add_in", 0, "m", |_| 1),
            "that more than eight bits decide",
        ),
        ("a counter's bytes as they are", faulty(&counted, "prmt", 0, "n", |_| 0x3210), "FIPS-197"),
    ] {
        let refused = proved(&wrong, &contract).expect_err(what).to_string();
        assert!(refused.contains(why), "{what}: {refused}");
    }
    let (apart, contract) = printed("aes128-cbc-dec keys=thread threads=128");
    for (what, wrong, why) in [
        (
            "another stream's vector",
            faulty(&apart, "ld_global", 11, "off", |_| 16),
            "accesses memory of stream",
        ),
        ("the block two before", faulty(&apart, "sub64_n", 0, "m", |_| 2), "control hangs on"),
        ("another word of the vector", faulty(&apart, "mov", 1, "a", |a| a + 1), "FIPS-197"),
    ] {
        let refused = proved(&wrong, &contract).expect_err(what).to_string();
        assert!(refused.contains(why), "{what}: {refused}");
    }
}
