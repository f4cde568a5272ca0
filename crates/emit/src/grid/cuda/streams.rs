//! What packages say of kernels whose launch takes several streams.

use aesmith_cipher::mode::Role;
use aesmith_processor::grid::certificate::ProvedGrid;

use super::{Values, only};

/// What is said of initial vectors in memory of the device and of the host.
const IV_SAID: &str =
    " *   ivs          the initial vectors, 16 bytes each, at a multiple of 16; they are not written back\n";
const HOST_IV_SAID: &str =
    " *   ivs          the initial vectors, 16 bytes for each stream; they are not written back\n";

/// Names in the templates with what stands for them, where so many threads take a stream.
pub fn values(proved: &ProvedGrid, of_a_stream: u32) -> Values {
    let program = &proved.kernel().program;
    let has_iv = proved.kernel().contract.problem.has_iv();
    let arguments: Vec<&str> = program
        .parameters
        .iter()
        .map(|parameter| match parameter.role {
            Role::Key | Role::CipherKey => "&round_keys",
            Role::Iv => "&ivs",
            Role::Input => "&in",
            Role::Output => "&out",
            Role::Length if parameter.each => "&blocks",
            Role::Length => "&streams",
        })
        .collect();
    let with_iv = |text: &str| only(has_iv, text);
    vec![
        ("@INTERFACE@", include_str!("template/streams.h").into()),
        ("@WORK@", include_str!("template/streams.cu").into()),
        ("@TESTS@", include_str!("template/streams_test.cu").into()),
        ("@TESTED@", "streams of many lengths against their blocks alone".into()),
        ("@KEPT@", "The caller wipes arrays of round keys in device memory; the host's function wipes its own.".into()),
        (
            "@ALIGNMENT_SAID@",
            "an address of round keys, an initial vector, a text or a result is at no multiple of 16, or an array's at none of 8"
                .into(),
        ),
        ("@OVERLAP_SAID@", "a result overlaps a text or another result, and does not take its own text's place".into()),
        ("@MORE_RESULTS@", ",\n    @S@_STREAMS".into()),
        ("@MORE_SENTENCES@", "\n        \"more streams than a launch has threads for\",".into()),
        ("@OF_A_STREAM@", of_a_stream.to_string()),
        ("@VECTOR@", if has_iv { "16" } else { "0" }.into()),
        ("@ARGUMENTS@", arguments.join(", ")),
        ("@IV_SAID@", with_iv(IV_SAID)),
        ("@HOST_IV_SAID@", with_iv(HOST_IV_SAID)),
        ("@DEVICE_IVS@", with_iv(", CUdeviceptr ivs")),
        ("@HOST_IVS@", with_iv(", const uint8_t *ivs")),
        ("@OR_NO_IVS@", with_iv(" || !ivs")),
        ("@OR_ODD_IVS@", with_iv(" || ivs % 16")),
        ("@PASSED_DEVICE_IVS@", with_iv(", m->device + c->vectors")),
        ("@GIVEN_IVS@", if has_iv { "ivs" } else { "NULL" }.into()),
        ("@PASSED_ARRAY@", with_iv(", arrays[4]")),
        ("@PASSED_HOST_IVS@", with_iv(", s->ivs")),
        ("@ZERO_IVS@", with_iv(", 0")),
        ("@AN_ARRAY@", with_iv(", 16")),
        ("@HOST_IVS_HERE@", with_iv(", ivs")),
    ]
}
