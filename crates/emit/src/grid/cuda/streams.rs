//! The template values of CUDA packages for kernels whose launch takes several streams.

use aesmith_cipher::mode::{Next, Role};
use aesmith_processor::grid::certificate::ProvedGrid;

use crate::grid::elements::{ADVANCED, COUNTED};
use crate::grid::fill::{Values, only};

/// The description of initial vectors, or counters, in memory of the device and of the host.
const IV_SAID: &str =
    " *   ivs          the @VECTORS@, 16 bytes each, at a multiple of 16; they are not written back\n";
const HOST_IV_SAID: &str =
    " *   ivs          the @VECTORS@, 16 bytes for each stream; they are not written back\n";

/// Tests that invalid arrays of vectors are refused.
const REFUSED_IVS: &str = "
    must(\"an odd array of vectors\", @S@_@VERB@_streams(kernel, 16, 16, 16, 16, 24, 1, NULL) == @S@_ALIGNMENT);
    must(\"no array of vectors\", @S@_@VERB@_streams(kernel, 16, 16, 16, 16, 0, 1, NULL) == @S@_NULL);
    must(\"no vectors\", @S@_@VERB@_streams_host(kernel, to, from, numbers, keys, NULL, 2) == @S@_NULL);";

/// Returns the statement that updates a place's vector for the next part of its stream, before the result is copied
/// from the buffer.
fn follows(next: Next) -> String {
    let vector = "b->memory.host + c->vectors + 16 * k";
    let statement = match next {
        Next::Nothing => return String::new(),
        Next::Counter32 | Next::Doubled => unreachable!("no kernel for a grid has such chain values"),
        Next::Counter => format!("advance({vector}, p->now)"),
        Next::Output => format!("memcpy({vector}, made + 16 * (p->now - 1), 16)"),
        Next::Text => format!("memcpy({vector}, c->in[p->stream] + 16 * (p->done + p->now - 1), 16)"),
    };
    format!(
        "        /* With what the stream goes on; the result may take the text's place. */\n        {statement};\n"
    )
}

/// Names in the templates, with their values; `of_a_stream` threads process a stream.
pub fn values(proved: &ProvedGrid, of_a_stream: u32) -> Values {
    let program = &proved.kernel().program;
    let problem = proved.kernel().contract.problem;
    let (mode, has_iv) = (problem.mode(), problem.has_iv());
    let apart = !mode.is_in_place_by_threads();
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
    // The vector of a block that is processed as a stream of its own.
    let own = match mode.next() {
        Next::Counter32 | Next::Doubled => unreachable!("no kernel for a grid has such chain values"),
        Next::Counter => "counted(single.ivs + 16 * next, s->ivs + 16 * k, block)",
        Next::Text => "memcpy(single.ivs + 16 * next, block ? s->text + at - 16 : s->ivs + 16 * k, 16)",
        Next::Output | Next::Nothing => {
            "memcpy(single.ivs + 16 * next, block ? result + at - 16 : s->ivs + 16 * k, 16)"
        }
    };
    let (places, overlap) = match apart {
        true => (
            "lies apart from all other memory of the launch, its own text among it",
            "a result overlaps a text or another result; in the host's memory it may take its own text's place",
        ),
        false => (
            "takes its own text's place, or lies apart from all other memory of the launch",
            "a result overlaps a text or another result, and does not take its own text's place",
        ),
    };
    let (vector, vectors) = match mode.counts() {
        true => ("counter", "counters of the first blocks, the highest byte first"),
        false => ("initial vector", "initial vectors"),
    };
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
        ("@OVERLAP_SAID@", overlap.into()),
        ("@MORE_RESULTS@", ",\n    @S@_STREAMS".into()),
        ("@MORE_SENTENCES@", "\n        \"more streams than a launch has threads for\",".into()),
        ("@OF_A_STREAM@", of_a_stream.to_string()),
        ("@APART@", u8::from(apart).to_string()),
        ("@VECTOR@", if has_iv { "16" } else { "0" }.into()),
        ("@VECTOR_NAME@", vector.into()),
        ("@ARGUMENTS@", arguments.join(", ")),
        ("@PLACES@", places.into()),
        ("@IV_SAID@", with_iv(IV_SAID)),
        ("@HOST_IV_SAID@", with_iv(HOST_IV_SAID)),
        ("@VECTORS@", vectors.into()),
        ("@ADVANCED@", only(mode.counts(), ADVANCED)),
        ("@FOLLOWS@", follows(mode.next())),
        ("@COUNTED@", only(mode.counts(), COUNTED)),
        ("@OWN@", own.into()),
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
        ("@REFUSED_IVS@", with_iv(REFUSED_IVS)),
    ]
}
